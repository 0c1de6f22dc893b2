//! Counting the words of a text: pieces are cut at white space.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use super::{Load, PieceWork, WorkedPart};
use meshwright_core::text::printable;
use meshwright_runtime::transport::Wire;

/// How many of the most frequent words are told.
pub const FREQUENT: usize = 10;

/// Counts words: what stands between ASCII white space, byte by byte the same.
#[derive(Clone, Copy, Debug)]
pub struct CountWords;

/// A text at rank 0.
#[derive(Clone, Debug)]
pub struct Text(pub Vec<u8>);

/// What a text consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WordCount {
    /// How many words.
    pub total: u64,
    /// How many different ones.
    pub distinct: u64,
    /// The most frequent ones with their numbers, of equal ones the first by their bytes.
    pub frequent: Vec<(String, u64)>,
}

impl WordCount {
    fn of<K: AsRef<[u8]> + Ord>(counts: &BTreeMap<K, u64>) -> Self {
        let mut ordered: Vec<(&[u8], u64)> =
            counts.iter().map(|(word, &count)| (word.as_ref(), count)).collect();
        ordered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        ordered.truncate(FREQUENT);
        Self {
            total: counts.values().sum(),
            distinct: counts.len() as u64,
            frequent: ordered.into_iter().map(|(word, count)| (printable(word), count)).collect(),
        }
    }
}

/// By word how often it occurs.
fn counts(text: &[u8]) -> BTreeMap<&[u8], u64> {
    let mut counts = BTreeMap::new();
    for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// The words of a text counted in one go.
pub fn count(text: &[u8]) -> WordCount {
    WordCount::of(&counts(text))
}

/// The words of all parts together.
///
/// # Panics
///
/// When results are none of [`CountWords`].
pub fn join(parts: &[WorkedPart]) -> WordCount {
    let mut all: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for part in parts {
        let words = Vec::<(Vec<u8>, u64)>::from_bytes(&part.results);
        for (word, count) in words.expect("a rank returns words with their numbers") {
            *all.entry(word).or_insert(0) += count;
        }
    }
    WordCount::of(&all)
}

impl PieceWork for CountWords {
    fn work(&self, piece: &[u8]) -> Vec<u8> {
        let words: Vec<(Vec<u8>, u64)> =
            counts(piece).into_iter().map(|(word, count)| (word.to_vec(), count)).collect();
        let mut results = Vec::with_capacity(words.volume().0 as usize);
        words.write(&mut results);
        results
    }
}

impl Load for Text {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    /// The end of the word that the position is in.
    fn cuts(&self, wanted: &[u64]) -> Vec<u64> {
        let mut least = 0;
        let cut = |&position: &u64| {
            let from = (position as usize).max(least);
            // Between two pieces of white space, or behind it, no word is cut.
            let is_between = from == 0 || self.0[from - 1].is_ascii_whitespace();
            let rest = self.0[from..].iter().position(u8::is_ascii_whitespace).unwrap_or(self.0.len() - from);
            least = if is_between { from } else { from + rest };
            least as u64
        };
        wanted.iter().map(cut).collect()
    }

    fn piece(&self, part: Range<u64>) -> Vec<u8> {
        self.0[part.start as usize..part.end as usize].to_vec()
    }

    fn beside(&self) -> u64 {
        0
    }

    /// To measure with, a word may be cut.
    fn sample(&self, near: u64, bytes: u64) -> Range<u64> {
        let begin = near.min(self.bytes().saturating_sub(bytes));
        begin..(begin + bytes).min(self.bytes())
    }
}
