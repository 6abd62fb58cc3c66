//! Panes: the parts that the browse screen is put together from. A pane keeps its own scroll and selection, is
//! told what to show, and knows no other pane.

pub mod card;
pub mod cards;
pub mod days;
pub mod dialog;
pub mod doc;
pub mod images;
pub mod laid;
pub mod list;
pub mod names;
pub mod panel;
