//! Text copied from a Gemini page.
//!
//! Owns the page's labels, which stand alone on their line without a colon. Called through the registry.

use super::registry::{Format, Input};
use super::web_copy::{self, Page};
use super::{ImportError, Reading};

pub(super) const FORMAT: Format = Format { label: PAGE.format, detect, parse };

const PAGE: Page =
    Page { format: "gemini_web_copy", user: &["you said"], assistant: &["gemini said"], name: "Gemini" };

fn detect(input: &Input<'_>) -> bool {
    input.text().is_some_and(|text| web_copy::shows(text, &PAGE))
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    Ok(web_copy::read(input.text().unwrap_or(""), &PAGE))
}
