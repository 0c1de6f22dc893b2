//! A binary tree over consecutive places in which all edges are powers of two long.
//!
//! A place p, counted from 1, with j zeros at the end of its binary form has its children at p - 2^(j-1) and p + 2^(j-1).
//! Where the right one is beyond the last place, its first left descendant that is not stands in for it, again a power
//! of two away. The root is the greatest power of two; in-order the tree is 1, 2, 3 and so on.
//!
//! # Source
//!
//! `knuth2011`, section 7.1.3: the sideways heap.

use super::super::Tree;

/// The neighbours of a place in the tree over places from 0 to `size - 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// None at the root.
    pub parent: Option<u32>,
    /// The child below whom all places are smaller.
    pub left: Option<u32>,
    /// The child below whom all places are larger.
    pub right: Option<u32>,
}

/// The neighbours of one place.
///
/// # Panics
///
/// When the place is not below the size.
///
/// # Complexity
///
/// O(log s).
///
/// # Examples
///
/// ```
/// use meshwright_groups::curve_sort::heap::{Neighbours, neighbours};
/// // 3 is the root of 0 to 5: 1 with 0 and 2 on its left, 5 with 4 on its right.
/// assert_eq!(neighbours(3, 6), Neighbours { parent: None, left: Some(1), right: Some(5) });
/// assert_eq!(neighbours(5, 6), Neighbours { parent: Some(3), left: Some(4), right: None });
/// ```
pub fn neighbours(place: u32, size: u32) -> Neighbours {
    assert!(place < size, "a place of the tree");
    let (own, most) = (u64::from(place) + 1, u64::from(size));
    let mut half = own & own.wrapping_neg();
    let mut up = own;
    let parent = loop {
        up = (up & !half) | half << 1;
        half <<= 1;
        if half > most {
            break None;
        }
        if up <= most {
            break Some(up);
        }
    };
    let mut reach = (own & own.wrapping_neg()) >> 1;
    let left = (reach > 0).then(|| own - reach);
    while reach > 0 && own + reach > most {
        reach >>= 1;
    }
    let right = (reach > 0).then(|| own + reach);
    let place = |own: Option<u64>| own.map(|own| (own - 1) as u32);
    Neighbours { parent: place(parent), left: place(left), right: place(right) }
}

/// The whole tree, vertices named by their places.
///
/// # Panics
///
/// When the size is 0.
///
/// # Complexity
///
/// O(s log s).
pub fn tree(size: u32) -> Tree {
    let root = (1u32 << size.ilog2()) - 1;
    let parent = |place| neighbours(place, size).parent.unwrap_or(Tree::NONE);
    Tree::new(root, (0..size).map(parent).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_in_order_with_powers_of_two_for_edges() {
        for size in 1..200 {
            let tree = tree(size);
            assert!(tree.keeps_order() && tree.size() == size);
            for place in 0..size {
                let Neighbours { parent, left, right } = neighbours(place, size);
                assert_eq!(parent, tree.parent(place));
                let children: Vec<u32> = left.into_iter().chain(right).collect();
                assert_eq!(children, tree.children(place));
                assert!(left.is_none_or(|left| left < place) && right.is_none_or(|right| right > place));
                let long = |other: u32| other.abs_diff(place).is_power_of_two();
                assert!(parent.into_iter().chain(children).all(long), "{place} of {size}");
            }
            let mut below = vec![0; size as usize];
            for &place in &tree.top_down() {
                below[place as usize] = tree.parent(place).map_or(0, |parent| below[parent as usize] + 1);
            }
            assert!(below.into_iter().max() <= Some(size.ilog2()));
        }
    }
}
