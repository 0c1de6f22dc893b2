//! Merge sort.

use std::marker::PhantomData;

use meshwright_runtime::skeleton::DivideAndConquer;

/// Sorts a list: each half on its own, then both are merged; alpha is 1/2 on the way down and up.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::MergeSort;
/// use meshwright_runtime::skeleton::on_threads;
/// let sorted = on_threads(&MergeSort::new(2), vec![3, -1, 4, -1, 5, -9, 2, 6]);
/// assert_eq!(sorted, [-9, -1, -1, 2, 3, 4, 5, 6]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MergeSort<T> {
    small: usize,
    numbers: PhantomData<fn() -> T>,
}

/// Up to here the standard library sorts a list in less time than it takes to hand half of it to somebody else.
const SMALL: usize = 1 << 16;

impl<T> MergeSort<T> {
    /// Lists of up to so many numbers, and lists of one, are not divided.
    pub fn new(small: usize) -> Self {
        Self { small: small.max(1), numbers: PhantomData }
    }
}

impl<T> Default for MergeSort<T> {
    fn default() -> Self {
        Self::new(SMALL)
    }
}

impl<T: Ord + Copy + Send> DivideAndConquer for MergeSort<T> {
    type Problem = Vec<T>;
    type Solution = Vec<T>;

    fn is_small(&self, list: &Vec<T>) -> bool {
        list.len() <= self.small
    }

    fn solve(&self, mut list: Vec<T>) -> Vec<T> {
        list.sort_unstable();
        list
    }

    /// The standard library sorts in place, where every level of dividing and merging writes the list once more.
    fn solve_alone(&self, list: Vec<T>) -> Vec<T> {
        self.solve(list)
    }

    fn divide(&self, mut list: Vec<T>, (kept, sent): (u32, u32)) -> (Vec<T>, Vec<T>) {
        let workers = u128::from(kept) + u128::from(sent);
        let rest = list.split_off((list.len() as u128 * u128::from(kept) / workers) as usize);
        (list, rest)
    }

    fn combine(&self, kept: Vec<T>, sent: Vec<T>) -> Vec<T> {
        merge(&kept, &sent)
    }
}

/// Two lists in order become one.
///
/// # Complexity
///
/// O(length of both).
fn merge<T: Ord + Copy>(first: &[T], second: &[T]) -> Vec<T> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(&a), Some(&b)) = (first.get(i), second.get(j)) {
        let takes_first = a <= b;
        merged.push(if takes_first { a } else { b });
        i += usize::from(takes_first);
        j += usize::from(!takes_first);
    }
    merged.extend_from_slice(&first[i..]);
    merged.extend_from_slice(&second[j..]);
    merged
}
