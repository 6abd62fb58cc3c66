//! What is shown of a text: which characters hide or reorder others, and what stands for them.

use super::{TAB, cluster_width, width};
use std::fmt::Write;
use unicode_segmentation::UnicodeSegmentation;

/// Characters that one cluster may have before the rest is summed up; the largest emoji have eleven.
const MAX_CLUSTER: usize = 16;

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text,
    Mark,
}

/// Whether nothing has to be replaced; most text is, so this is worth a pass of its own.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

/// Cuts a line into text and placeholders; tabs depend on the column, so the whole line goes through here.
pub(super) fn pieces(text: &str, mut emit: impl FnMut(Piece, &str)) {
    let mut column = 0;
    let mut mark = String::new();
    for cluster in text.graphemes(true) {
        if cluster == "\t" {
            let blanks = TAB - column % TAB;
            emit(Piece::Text, "    ".get(..blanks).unwrap_or(" "));
            column += blanks;
        } else if cluster.contains(['\u{FF9E}', '\u{FF9F}']) {
            // Renderer and terminals disagree about the width of half-width sound marks; the wide ones are safe.
            let wide = cluster.replace('\u{FF9E}', "゛").replace('\u{FF9F}', "゜");
            column += width(&wide);
            emit(Piece::Text, &wide);
        } else if is_safe_cluster(cluster) {
            column += cluster_width(cluster);
            emit(Piece::Text, cluster);
        } else {
            // Each character of an unsafe cluster stands alone, so that nothing hides inside it.
            let mut kept = 0;
            for (index, c) in cluster.chars().enumerate() {
                if index >= MAX_CLUSTER {
                    continue;
                }
                kept += 1;
                mark.clear();
                if hides(c) || is_joiner(c) || is_variation(c) {
                    placeholder(c, &mut mark);
                    column += width(&mark);
                    emit(Piece::Mark, &mark);
                } else {
                    mark.push(c);
                    column += cluster_width(&mark);
                    emit(Piece::Text, &mark);
                }
            }
            let left = cluster.chars().count() - kept;
            if left > 0 {
                mark.clear();
                let _ = write!(mark, "‹+{left}›");
                column += width(&mark);
                emit(Piece::Mark, &mark);
            }
        }
    }
}

/// Whether a cluster shows all that it holds.
fn is_safe_cluster(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let Some(base) = chars.next() else { return true };
    if hides(base) || is_joiner(base) || is_variation(base) {
        return false;
    }
    if chars.as_str().is_empty() {
        return true;
    }
    if cluster.chars().count() > MAX_CLUSTER {
        return false;
    }
    // Subdivision flags are spelt with tag characters, which are smuggling anywhere else.
    let flag = base == '\u{1F3F4}';
    let mut previous = base;
    for c in chars {
        let allowed = if is_joiner(c) {
            joins(base) && !is_joiner(previous)
        } else if is_variation(c) {
            !base.is_ascii_alphabetic() && !is_variation(previous)
        } else {
            !hides(c) || (flag && matches!(c, '\u{E0020}'..='\u{E007F}'))
        };
        if !allowed {
            return false;
        }
        previous = c;
    }
    true
}

/// Zero-width joiner and non-joiner: spelling in some scripts, glue in emoji, trickery elsewhere.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// Whether a joiner after this is ordinary: Arabic and Indic scripts, symbols and emoji.
fn joins(base: char) -> bool {
    matches!(base, '\u{0600}'..='\u{1FFF}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FBFF}')
}

fn is_variation(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180F}')
}

/// Whether a character is control, reorders text, or is invisible.
pub(super) fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}')
}

/// What stands for a character that is not shown: its control picture, else its number.
fn placeholder(c: char, out: &mut String) {
    let _ = match c {
        '\0'..='\u{1F}' => out.write_char(char::from_u32(0x2400 + u32::from(c)).unwrap_or('␦')),
        '\u{7F}' => out.write_char('␡'),
        _ => write!(out, "‹{:02X}›", u32::from(c)),
    };
}
