//! (placeholder)

/// Colours by role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theme {}
