//! The routers with packets: a set of bits under a set of its words that are not empty.

/// A set of routers, read in increasing order.
#[derive(Debug)]
pub(super) struct Active {
    words: Vec<u64>,
    /// Bit i of word w is set while word 64 w + i of `words` is not 0.
    summary: Vec<u64>,
}

impl Active {
    /// No router of so many.
    pub(super) fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(64);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    /// Adds a router.
    #[inline]
    pub(super) fn insert(&mut self, node: u32) {
        let word = node as usize / 64;
        if self.words[word] == 0 {
            self.summary[word / 64] |= 1 << (word % 64);
        }
        self.words[word] |= 1 << (node % 64);
    }

    /// Takes a router out.
    #[inline]
    pub(super) fn remove(&mut self, node: u32) {
        self.keep(node / 64, !(1 << (node % 64)));
    }

    /// Takes those routers of a word out that are not in this set.
    #[inline]
    pub(super) fn keep(&mut self, word: u32, kept: u64) {
        let word = word as usize;
        self.words[word] &= kept;
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// How many words the set of words has.
    #[inline]
    pub(super) fn summaries(&self) -> usize {
        self.summary.len()
    }

    /// The words of a summary that are not empty.
    #[inline]
    pub(super) fn summary(&self, index: usize) -> u64 {
        self.summary[index]
    }

    /// The routers of a word.
    #[inline]
    pub(super) fn word(&self, index: usize) -> u64 {
        self.words[index]
    }
}
