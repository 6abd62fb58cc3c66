//! What several panes and screens share: each widget draws one thing and knows no screen.

pub mod ask;
pub mod chips;
pub mod editor;
pub mod highlight;
pub mod input;
pub mod markdown;
pub mod picture;
pub mod progress;
pub mod scroll;
