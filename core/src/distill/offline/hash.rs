//! Hashing: a small and fast hash for short words from lists of our own.
//!
//! Owns the hash function; never meant for keys that someone could choose to collide on purpose at scale, since
//! a collision only costs time. Called by every set and map of words.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A set of words.
pub(super) type WordSet = HashSet<String, BuildHasherDefault<Quick>>;
/// A map from words.
pub(super) type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Multiplies and rotates eight bytes at a time.
#[derive(Clone, Copy, Default)]
pub(super) struct Quick(u64);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Quick {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.mix(chunk.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        // The table takes its place from the low bits and its tag from the high ones.
        self.0 ^ (self.0 >> 32)
    }
}
