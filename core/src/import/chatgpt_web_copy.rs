//! Text copied from a ChatGPT page, in the languages of its interface.
//!
//! Owns the page's labels, which stand alone on their line, and the page furniture around the words. Called
//! through the registry.

use super::registry::{Format, Input};
use super::web_copy::{self, Page};
use super::{ImportError, Reading};

pub(super) const FORMAT: Format = Format { label: PAGE.format, detect, parse };

const PAGE: Page = Page {
    format: "chatgpt_web_copy",
    user: &[
        "you said:",
        "您说：",
        "你说：",
        "您說：",
        "你說：",
        "vous avez dit :",
        "dijiste:",
        "tú dijiste:",
        "has dicho:",
        "du hast gesagt:",
        "sie haben gesagt:",
        "você disse:",
        "hai detto:",
        "あなた：",
        "나의 말:",
    ],
    assistant: &[
        "chatgpt said:",
        "chatgpt 说：",
        "chatgpt说：",
        "chatgpt 說：",
        "chatgpt說：",
        "chatgpt a dit :",
        "chatgpt dijo:",
        "chatgpt ha dicho:",
        "chatgpt hat gesagt:",
        "chatgpt disse:",
        "chatgpt ha detto:",
        "chatgpt:",
        "chatgpt의 말:",
    ],
    name: "ChatGPT",
};

fn detect(input: &Input<'_>) -> bool {
    input.text().is_some_and(|text| web_copy::shows(text, &PAGE))
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    Ok(web_copy::read(input.text().unwrap_or(""), &PAGE))
}
