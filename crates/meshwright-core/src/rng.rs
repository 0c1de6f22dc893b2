//! Random numbers: the only maker of generators.
//!
//! The seed is an argument everywhere and is printed with every result. Each purpose draws from its own
//! named stream, so that a new consumer does not shift the numbers of the others.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// The generator for one purpose under one seed.
///
/// ```
/// use rand::Rng;
/// use meshwright_core::rng::stream;
/// assert_eq!(stream(7, "placement").next_u64(), stream(7, "placement").next_u64());
/// assert_ne!(stream(7, "placement").next_u64(), stream(7, "traffic").next_u64());
/// ```
pub fn stream(seed: u64, purpose: &str) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(digest(purpose.bytes()));
    generator
}

/// FNV-1a: a fixed, well-known digest, so that streams stay the same between versions of the program.
pub fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A small generator that follows from some numbers: those of neighbouring numbers begin far apart.
///
/// ```
/// use rand::Rng;
/// use meshwright_core::rng::numbered;
/// assert_eq!(numbered(&[1, 2]).next_u64(), numbered(&[1, 2]).next_u64());
/// assert_ne!(numbered(&[1, 2]).next_u64(), numbered(&[2, 1]).next_u64());
/// ```
pub fn numbered(numbers: &[u32]) -> SplitMix64 {
    let step = |seed: u64, number: &u32| SplitMix64::seed_from_u64(seed ^ u64::from(*number)).next_u64();
    SplitMix64::seed_from_u64(numbers.iter().fold(0, step))
}

/// Small generators (8 bytes each) for a range of nodes, one each: a node's numbers do not depend on the range.
///
/// ```
/// use rand::Rng;
/// use meshwright_core::rng::streams;
/// let (mut all, mut some) = (streams(7, "traffic", 0..10), streams(7, "traffic", 4..6));
/// assert_eq!(all[5].next_u64(), some[1].next_u64());
/// assert_ne!(all[4].next_u64(), all[6].next_u64());
/// ```
pub fn streams(seed: u64, purpose: &str, nodes: Range<u32>) -> Vec<SplitMix64> {
    let base = stream(seed, purpose).next_u64();
    // One step scrambles neighbouring numbers into starting points far apart.
    let start = |node: u32| SplitMix64::seed_from_u64(base.wrapping_add(u64::from(node))).next_u64();
    nodes.map(|node| SplitMix64::seed_from_u64(start(node))).collect()
}
