//! Panes: the parts that screens are put together from. A pane keeps its own scroll and selection, is told what
//! to show, and asks for nothing.

pub mod laid;
