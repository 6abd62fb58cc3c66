//! x

pub mod text;
pub mod theme;
