//! Conversations that are trees: the path that a person last saw.
//!
//! Owns the walk from the current node to the root; cycles and dangling parents end it. Called by the readers
//! of web exports.

use std::collections::{HashMap, HashSet};

/// The nodes from the root to `leaf`, by the parent of each.
pub(super) fn path_to<'a>(leaf: &'a str, parents: &HashMap<&'a str, Option<&'a str>>) -> Vec<&'a str> {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    let mut at = Some(leaf);
    while let Some(node) = at {
        let Some(parent) = parents.get(node) else { break };
        if !seen.insert(node) {
            break;
        }
        path.push(node);
        at = *parent;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let tree = [("r", None), ("a", Some("r")), ("b", Some("a")), ("x", Some("y")), ("y", Some("x"))];
        let parents: HashMap<_, _> = tree.into_iter().collect();
        assert_eq!(path_to("b", &parents), ["r", "a", "b"]);
        assert_eq!(path_to("x", &parents), ["y", "x"]);
        assert_eq!(path_to("none", &parents), [""; 0]);
    }
}
