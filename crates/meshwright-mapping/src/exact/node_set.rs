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
        assert_eq!(set.union(&NodeSet([1 << 1, 0, 0, 0])).len(), 6);
    }
}
