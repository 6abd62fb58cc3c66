//! The day page: an index of the day's cards between two markers; the rest of the page is the person's.
//!
//! Called by `memorize` and by whoever rebuilds a page. Pure: text in, text out.

use crate::card::Card;
use crate::workspace::RelPath;
use chrono::NaiveDate;

/// A rebuilt page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The whole file; equal to the present one when nothing changed.
    pub text: String,
    /// Markers that were not used, for a person.
    pub warnings: Vec<String>,
}

/// The page of `day`, from the present file and the day's cards.
pub fn rebuild(_day: NaiveDate, _present: Option<&str>, _cards: &[(RelPath, Card)]) -> Page {
    unimplemented!()
}
