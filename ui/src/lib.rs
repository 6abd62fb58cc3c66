//! x

pub mod terminal;
pub mod text;
pub mod theme;
