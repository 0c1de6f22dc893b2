//! Random numbers: the only maker of generators.
//!
//! The seed is an argument everywhere and is printed with every result. Each purpose draws from its own
//! named stream, so that a new consumer does not shift the numbers of the others.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator for one purpose under one seed.
///
/// ```
/// use rand::Rng;
/// use meshwright::rng::stream;
/// assert_eq!(stream(7, "placement").next_u64(), stream(7, "placement").next_u64());
/// assert_ne!(stream(7, "placement").next_u64(), stream(7, "traffic").next_u64());
/// ```
pub fn stream(seed: u64, purpose: &str) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    // FNV-1a: a fixed, well-known digest, so that streams stay the same between versions of the program.
    let digest = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    generator.set_stream(digest);
    generator
}
