//! Loads that can be divided, and work on their pieces.

use std::ops::Range;

/// What any rank can do with a piece, wherever it came from.
pub trait PieceWork: Sync {
    /// Works off a piece; the results.
    fn work(&self, piece: &[u8]) -> Vec<u8>;
}

/// A load at rank 0, of so many bytes, cut where the application can bear it.
pub trait Load: Sync {
    /// The size of the whole.
    fn bytes(&self) -> u64;

    /// Where to cut in place of these positions, which do not decrease and lie within the load; nor do the cuts.
    fn cuts(&self, wanted: &[u64]) -> Vec<u64>;

    /// The message of a part: its bytes, and what its rank needs beside them.
    fn piece(&self, part: Range<u64>) -> Vec<u8>;

    /// How many bytes the message of a part has more than the part.
    fn beside(&self) -> u64;

    /// A part near this position of about so many bytes, to measure with: not empty where the load is not.
    fn sample(&self, near: u64, bytes: u64) -> Range<u64>;

    /// The bytes of the largest piece that must not be cut; 0 where a cut is never far from where it is wanted.
    fn indivisible(&self) -> u64 {
        0
    }
}

/// By rank, the part of the load that is nearest to these shares.
pub(super) fn parts(load: &dyn Load, shares: &[f64]) -> Vec<Range<u64>> {
    let (whole, bytes) = (shares.iter().sum::<f64>(), load.bytes());
    let mut sum = 0.0;
    let mut wanted: Vec<u64> = shares
        .iter()
        .map(|share| {
            sum += share;
            // A load of nothing has no shares.
            let position = if whole > 0.0 { (sum / whole * bytes as f64).round() } else { 0.0 };
            (position as u64).min(bytes)
        })
        .collect();
    // The last rank that takes part takes all that is left.
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    wanted[last..].fill(bytes);
    let cuts = load.cuts(&wanted);
    assert_eq!(cuts.last(), Some(&bytes), "nothing of the load is left over");
    let begins = std::iter::once(0).chain(cuts.iter().copied());
    begins.zip(&cuts).map(|(begin, &end)| begin..end).collect()
}
