//! Sets of up to 256 nodes, one bit each.

/// A set of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeSet([u64; 4]);

/// Node ids are below this.
pub(super) const NODES_MAX: u32 = 256;

impl NodeSet {
    #[inline]
    pub(super) fn insert(&mut self, node: u16) {
        self.0[usize::from(node >> 6)] |= 1 << (node & 63);
    }

    #[inline]
    pub(super) fn remove(&mut self, node: u16) {
        self.0[usize::from(node >> 6)] &= !(1 << (node & 63));
    }

    #[inline]
    pub(super) fn contains(&self, node: u16) -> bool {
        self.0[usize::from(node >> 6)] >> (node & 63) & 1 == 1
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    #[inline]
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut both = *self;
        both.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        both
    }

    /// Whether they have a node in common.
    #[inline]
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(word, other)| word & other != 0)
    }

    #[inline]
    pub(super) fn within(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    #[inline]
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// As ranges of nodes, the first and the last of each.
    pub(super) fn ranges(self) -> Vec<[u32; 2]> {
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        for node in self.iter().map(u32::from) {
            match ranges.last_mut() {
                Some(range) if range[1] + 1 == node => range[1] = node,
                _ => ranges.push([node, node]),
            }
        }
        ranges
    }

    /// The nodes in increasing order.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u16> {
        let (mut words, mut at) = (self.0, 0);
        std::iter::from_fn(move || {
            while at < 4 && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let bit = word.trailing_zeros();
            *word &= *word - 1;
            Some((at as u32 * 64 + bit) as u16)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_a_sorted_list() {
        let mut set = NodeSet::default();
        assert!(set.is_empty());
        let nodes = [255, 0, 64, 63, 128, 7];
        nodes.iter().for_each(|&node| set.insert(node));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 63, 64, 128, 255]);
        set.remove(64);
        assert_eq!((set.len(), set.contains(64), set.contains(63)), (5, false, true));
        let other = NodeSet([1 << 1 | 1 << 7, 0, 0, 0]);
        assert_eq!(set.union(&other).len(), 6);
        assert!(set.meets(&other) && !set.meets(&NodeSet([2, 0, 0, 0])));
        assert_eq!(set.within(&other).iter().collect::<Vec<_>>(), [7]);
        assert_eq!(other.without(&set).ranges(), [[1, 1]]);
        set.insert(64);
        assert_eq!(set.ranges(), [[0, 0], [7, 7], [63, 64], [128, 128], [255, 255]]);
    }
}
