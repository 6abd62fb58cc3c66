//! Bounds of a block: its size, depth and aliases, checked by one scan before anything parses it.
//!
//! Called by `frontmatter`.

use super::super::frontmatter::FaultAt;
use std::ops::Range;

/// More than any person's block; a parser's time and stack stay small below it.
const MAX_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 48;
const MAX_ALIASES: usize = 32;

/// Refuses blocks that would cost a parser its time or its stack, by one scan.
pub(in crate::card) fn check_bounds(text: &str, inner: Range<usize>) -> Result<(), FaultAt> {
    if inner.len() > MAX_BYTES {
        let message = format!("the block has {} bytes; at most {MAX_BYTES} are read", inner.len());
        return Err(FaultAt::new(inner.start, message));
    }
    let block = text.get(inner.clone()).unwrap_or_default();
    let (mut depth, mut aliases, mut indents) = (0_usize, 0_usize, Vec::<usize>::new());
    let mut line_start = true;
    let mut indent = 0;
    let mut previous = ' ';
    for (at, c) in block.char_indices() {
        match c {
            '\n' => (line_start, indent) = (true, 0),
            ' ' if line_start => indent += 1,
            _ if line_start => {
                line_start = false;
                indents.retain(|known| *known < indent);
                indents.push(indent);
            }
            _ => {}
        }
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '*' if matches!(previous, ' ' | '[' | ',' | '{' | '\n') => aliases += 1,
            _ => {}
        }
        previous = c;
        if depth > MAX_DEPTH || indents.len() > MAX_DEPTH {
            return Err(FaultAt::new(inner.start + at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        if aliases > MAX_ALIASES && block.contains('&') {
            return Err(FaultAt::new(inner.start + at, format!("more than {MAX_ALIASES} aliases")));
        }
    }
    Ok(())
}
