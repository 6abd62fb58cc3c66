//! Statements of a card's body: found, compared and merged without touching any other block.
