//! What several panes and screens share: each widget draws one thing and knows no screen.
