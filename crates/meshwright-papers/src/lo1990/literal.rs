//! The paper's definitions built word by word, without the closed forms of the planner.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | B(n) | [`tree`] | tasks |
//! | C(n) | [`activations`] | tasks |
//! | M_R(B(n)) | [`reflecting`] | (row, column) by label |
//! | M_G(B(n)) | [`growing`] | (row, column) by label |
//!
//! # Source
//!
//! `lo1990`, definitions 1 to 3, lemma 1.

/// How a task other than the root is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// Who sends to it.
    pub parent: u32,
    /// In which phase, from 1.
    pub phase: u32,
}

/// A place on the mesh: row and column, (0, 0) in the north-west.
pub type MeshPlace = (u32, u32);

/// Definition 1: two copies of B(n - 1) whose roots are joined; the root of the second is the root of all.
///
/// By label; the root, the last, has no arc. The new edge is used in phase 1, and every phase of the copies comes
/// one later.
///
/// # Complexity
///
/// O(2^n).
///
/// # Examples
///
/// ```
/// use meshwright_papers::lo1990::literal::{Arc, tree};
/// // B(2): 1 has the child 0, and becomes the first child of 3.
/// let arc = |parent, phase| Some(Arc { parent, phase });
/// assert_eq!(tree(2), [arc(1, 2), arc(3, 1), arc(3, 2), None]);
/// ```
pub fn tree(n: u32) -> Vec<Option<Arc>> {
    let mut tree = vec![None];
    for _ in 0..n {
        let half = tree.len() as u32;
        let later = |shift: u32| {
            move |arc: &Option<Arc>| {
                arc.map(|Arc { parent, phase }| Arc { parent: parent + shift, phase: phase + 1 })
            }
        };
        let mut whole: Vec<_> = tree.iter().map(later(0)).chain(tree.iter().map(later(half))).collect();
        whole[half as usize - 1] = Some(Arc { parent: 2 * half - 1, phase: 1 });
        tree = whole;
    }
    tree
}

/// C(n), keep half and send half: in each phase every node there is creates a new one beside it.
///
/// By order of creation, the root first: who created each node, and in which phase.
///
/// # Complexity
///
/// O(2^n).
///
/// # Examples
///
/// ```
/// use meshwright_papers::lo1990::literal::activations;
/// let parents: Vec<u32> = activations(2).iter().flatten().map(|arc| arc.parent).collect();
/// assert_eq!(parents, [0, 0, 1]);
/// ```
pub fn activations(n: u32) -> Vec<Option<Arc>> {
    let mut nodes = vec![None];
    for phase in 1..=n {
        for parent in 0..nodes.len() as u32 {
            nodes.push(Some(Arc { parent, phase }));
        }
    }
    nodes
}

/// Definition 2 for n = 0, 1, ..., `n_max`.
///
/// Even to odd: the second copy stands to the right, reflected about a vertical axis. Odd to even: below, reflected
/// about a horizontal one.
///
/// # Complexity
///
/// O(2^n_max).
///
/// # Examples
///
/// ```
/// use meshwright_papers::lo1990::literal::reflecting;
/// assert_eq!(reflecting(3)[3], [(0, 0), (0, 1), (1, 0), (1, 1), (0, 3), (0, 2), (1, 3), (1, 2)]);
/// ```
pub fn reflecting(n_max: u32) -> Vec<Vec<MeshPlace>> {
    let mut mappings = vec![vec![(0, 0)]];
    let (mut rows, mut columns) = (1, 1);
    for n in 1..=n_max {
        let first = &mappings[n as usize - 1];
        let mut both = first.clone();
        if n % 2 == 1 {
            columns *= 2;
            both.extend(first.iter().map(|&(row, column)| (row, columns - 1 - column)));
        } else {
            rows *= 2;
            both.extend(first.iter().map(|&(row, column)| (rows - 1 - row, column)));
        }
        mappings.push(both);
    }
    mappings
}

/// Definition 3 for n = 0, 1, ..., `n_max`, given the mappings of definition 2.
///
/// The tasks that are no leaves of B(n) are a B(n - 1), task x of it being task 2x + 1 of B(n), with the leaf 2x.
///
/// # Complexity
///
/// O(2^n_max).
///
/// # Examples
///
/// ```
/// use meshwright_papers::lo1990::literal::{growing, reflecting};
/// // The root of B(3), in the eastern half, has its last leaf to the east.
/// assert_eq!(growing(&reflecting(3))[3][6..], [(1, 3), (1, 2)]);
/// ```
pub fn growing(reflecting: &[Vec<MeshPlace>]) -> Vec<Vec<MeshPlace>> {
    let mut mappings: Vec<Vec<MeshPlace>> = reflecting.iter().take(3).cloned().collect();
    for n in 3..reflecting.len() as u32 {
        // Both sides of the mesh of B(n - 1); the new mesh is twice as wide or as high, the old one in its middle.
        let (rows, columns) = (1 << ((n - 1) / 2), 1 << n.div_ceil(2).min(n / 2));
        let step = 1u32 << (n.div_ceil(2) - 2);
        let grown = mappings[n as usize - 1].iter().flat_map(|&(row, column)| {
            if n % 2 == 1 {
                let leaf = if column >= columns / 2 { column + 2 * step } else { column };
                [(row, leaf), (row, column + step)]
            } else {
                let leaf = if row >= rows / 2 { row + 2 * step } else { row };
                [(leaf, column), (row + step, column)]
            }
        });
        let grown = grown.collect();
        mappings.push(grown);
    }
    mappings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_trees_and_mappings_by_hand() {
        let arc = |parent, phase| Some(Arc { parent, phase });
        assert_eq!(tree(2), [arc(1, 2), arc(3, 1), arc(3, 2), None]);
        assert_eq!(activations(2), [None, arc(0, 1), arc(0, 2), arc(1, 2)]);
        let reflecting = reflecting(3);
        assert_eq!(reflecting[2], [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(reflecting[3][4..], [(0, 3), (0, 2), (1, 3), (1, 2)]);
        // Each node of the 2 x 2 mesh grows its leaf outwards.
        assert_eq!(growing(&reflecting)[3], [(0, 0), (0, 1), (0, 3), (0, 2), (1, 0), (1, 1), (1, 3), (1, 2)]);
    }
}
