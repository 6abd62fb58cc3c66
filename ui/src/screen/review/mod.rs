//! (placeholder) Review: a proposal, what it changes, and a person's decision.
