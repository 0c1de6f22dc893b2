//! Partial results of one size come together.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | alpha = 1 up | a vector as long as each of the contributions comes back | bytes |
//!
//! What goes down is eight bytes: which contributions are meant. They are made where they are added.

use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::Wire;

/// Contributions by their numbers: so many, from this one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contributions {
    /// The first one.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

impl Wire for Contributions {
    fn volume(&self) -> Bytes {
        Bytes(8)
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.first, self.count).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (first, count) = Wire::read(from)?;
        Some(Self { first, count })
    }
}

/// The sum of vectors, element by element, modulo 2^64.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::{Contributions, Reduce};
/// use meshwright_runtime::skeleton::on_threads;
/// let powers = Reduce::new(3, |number, at| u64::from(number).pow(at));
/// let sums = on_threads(&powers, Contributions { first: 0, count: 5 });
/// assert_eq!(sums, [5, 10, 30]);
/// ```
///
/// # Source
///
/// `lo1990`, section 3: the combine stage of an operation that is associative and commutative.
#[derive(Clone, Copy, Debug)]
pub struct Reduce<F> {
    length: u32,
    element: F,
}

impl<F: Fn(u32, u32) -> u64 + Sync> Reduce<F> {
    /// Vectors of this length; `element(number, at)` stands in the contribution with this number at this place.
    pub fn new(length: u32, element: F) -> Self {
        Self { length, element }
    }

    /// What stands in a contribution at one place.
    pub fn element(&self, number: u32, at: u32) -> u64 {
        (self.element)(number, at)
    }

    /// One contribution.
    pub fn contribution(&self, number: u32) -> Vec<u64> {
        (0..self.length).map(|at| (self.element)(number, at)).collect()
    }
}

/// Adds a vector to another one of the same length, modulo 2^64.
pub fn add(sums: &mut [u64], others: &[u64]) {
    assert_eq!(sums.len(), others.len(), "vectors that are added have one length");
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = sum.wrapping_add(*other));
}

impl<F: Fn(u32, u32) -> u64 + Sync> DivideAndConquer for Reduce<F> {
    type Problem = Contributions;
    type Solution = Vec<u64>;

    fn is_small(&self, wanted: &Contributions) -> bool {
        wanted.count < 2
    }

    fn solve(&self, wanted: Contributions) -> Vec<u64> {
        let mut contributions =
            (wanted.first..).take(wanted.count as usize).map(|number| self.contribution(number));
        let first = contributions.next().unwrap_or_else(|| vec![0; self.length as usize]);
        contributions.fold(first, |mut sums, other| {
            add(&mut sums, &other);
            sums
        })
    }

    fn divide(&self, wanted: Contributions, (kept, sent): (u32, u32)) -> (Contributions, Contributions) {
        let workers = u64::from(kept) + u64::from(sent);
        let here = (u64::from(wanted.count) * u64::from(kept) / workers) as u32;
        let here = here.clamp(1, wanted.count - 1);
        let there = Contributions { first: wanted.first + here, count: wanted.count - here };
        (Contributions { count: here, ..wanted }, there)
    }

    fn combine(&self, mut kept: Vec<u64>, sent: Vec<u64>) -> Vec<u64> {
        add(&mut kept, &sent);
        kept
    }

    /// Adds what has come where it is.
    fn combine_bytes(&self, mut kept: Vec<u64>, mut sent: &[u8]) -> Option<Vec<u64>> {
        let count = u64::read(&mut sent)?;
        let (numbers, rest) = sent.as_chunks();
        if count != kept.len() as u64 || numbers.len() != kept.len() || !rest.is_empty() {
            return None;
        }
        let both = kept.iter_mut().zip(numbers);
        both.for_each(|(sum, other)| *sum = sum.wrapping_add(u64::from_le_bytes(*other)));
        Some(kept)
    }
}
