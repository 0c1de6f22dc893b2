//! Labels as blocks of bits.

use std::sync::Arc;

use crate::protocol::Label;
use meshwright_core::units::Bytes;

/// Equal labels that stand beside each other: their code and how many they are.
pub type LabelRun = (u64, u32);

/// The smallest and the largest colour and key of some members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Smallest and largest colour.
    pub colours: (u32, u32),
    /// Smallest and largest key.
    pub keys: (u32, u32),
}

impl Extent {
    /// Of one member.
    pub fn of(label: Label) -> Self {
        Self { colours: (label.colour, label.colour), keys: (label.key, label.key) }
    }

    /// Of both.
    pub fn and(mut self, other: Self) -> Self {
        self.include(Number::Colour, other.colours);
        self.include(Number::Key, other.keys);
        self
    }

    /// Widens one of its two ranges.
    pub fn include(&mut self, number: Number, (least, most): (u32, u32)) {
        let range = self.of_number_mut(number);
        *range = (range.0.min(least), range.1.max(most));
    }

    /// One of its two ranges.
    pub fn of_number(&self, number: Number) -> (u32, u32) {
        match number {
            Number::Colour => self.colours,
            Number::Key => self.keys,
        }
    }

    /// One of its two ranges, to be changed.
    pub fn of_number_mut(&mut self, number: Number) -> &mut (u32, u32) {
        match number {
            Number::Colour => &mut self.colours,
            Number::Key => &mut self.keys,
        }
    }
}

/// One of the two numbers of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Its colour.
    Colour,
    /// Its key.
    Key,
}

/// The bits of a number from 0 to this one: `ceil(log2(largest + 1))`.
fn width(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

/// The code of a label is its colour and then its key, each as the excess over the smallest, in as many bits as the
/// largest needs; the order of codes is the order of (colour, key).
///
/// # Examples
///
/// ```
/// use meshwright_groups::mask::{Coding, Extent};
/// use meshwright_groups::protocol::Label;
/// use meshwright_core::units::Bytes;
/// let extent = Extent { colours: (10, 12), keys: (5, 5) };
/// let coding = Coding::new(extent, 100, Bytes(8));
/// assert_eq!(coding.bits(), 2); // three colours, no keys
/// let label = Label { colour: 12, key: 5 };
/// assert_eq!(coding.label(coding.code(label)), label);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding {
    colour_from: u32,
    key_from: u32,
    colour_bits: u32,
    key_bits: u32,
    /// The bits of the length of a run, less one.
    length_bits: u32,
    block_bits: u64,
}

/// A piece of a stream of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The place of its first label in the stream.
    pub first: u32,
    /// How many labels it tells.
    pub count: u32,
    /// Whether it lists runs, each a code and a length, or else every code.
    pub is_runs: bool,
    /// How many bits it has.
    pub bits: u64,
    words: Arc<[u64]>,
}

impl Block {
    /// What it takes to send it; its first three fields travel in the head of the packet.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.bits.div_ceil(8))
    }

    /// Its bits, 64 to a word, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A block that was taken apart; none when these are not the words of so many bits.
    pub fn from_words((first, count): (u32, u32), is_runs: bool, bits: u64, words: Vec<u64>) -> Option<Self> {
        (words.len() as u64 == bits.div_ceil(64)).then(|| Self {
            first,
            count,
            is_runs,
            bits,
            words: words.into(),
        })
    }
}

impl Coding {
    /// For labels inside this extent, in a group of so many members, in blocks of at most so many bytes; blocks below
    /// 8 bytes are made 8, so that a label fits.
    pub fn new(extent: Extent, size: u32, block: Bytes) -> Self {
        Self {
            colour_from: extent.colours.0,
            key_from: extent.keys.0,
            colour_bits: width(extent.colours.1 - extent.colours.0),
            key_bits: width(extent.keys.1 - extent.keys.0),
            length_bits: width(size.saturating_sub(1)),
            block_bits: 8 * block.0.max(8),
        }
    }

    /// The bits of one label: `ceil(log2 k)` for k colours, and as much for the keys if there are several.
    pub fn bits(&self) -> u32 {
        self.colour_bits + self.key_bits
    }

    /// The code of a label.
    ///
    /// # Panics
    ///
    /// When the label is outside the extent.
    pub fn code(&self, label: Label) -> u64 {
        let colour = u64::from(label.colour - self.colour_from);
        let key = u64::from(label.key - self.key_from);
        assert!(colour >> self.colour_bits == 0 && key >> self.key_bits == 0, "a label is inside the extent");
        colour << self.key_bits | key
    }

    /// The label of a code.
    pub fn label(&self, code: u64) -> Label {
        let key = code & ((1 << self.key_bits) - 1);
        Label { colour: self.colour(code), key: self.key_from + key as u32 }
    }

    /// The colour of a code.
    pub fn colour(&self, code: u64) -> u32 {
        self.colour_from + (code >> self.key_bits) as u32
    }

    /// How many labels fit into a block one by one.
    pub(super) fn labels_in_block(&self) -> u64 {
        self.block_bits / u64::from(self.bits())
    }

    /// How many runs fit into a block.
    pub(super) fn runs_in_block(&self) -> u64 {
        self.block_bits / u64::from(self.bits() + self.length_bits)
    }

    /// How many bits these take as runs.
    pub fn bits_of_runs(&self, runs: u64) -> u64 {
        runs * u64::from(self.bits() + self.length_bits)
    }

    /// Writes labels as they stand in a stream from `first` on.
    pub fn encode(&self, first: u32, runs: &[LabelRun], is_runs: bool) -> Block {
        let count = runs.iter().map(|&(_, count)| count).sum();
        let mut writer = Writer::default();
        for &(code, count) in runs {
            if is_runs {
                writer.put(code, self.bits());
                writer.put(u64::from(count - 1), self.length_bits);
            } else {
                (0..count).for_each(|_| writer.put(code, self.bits()));
            }
        }
        Block { first, count, is_runs, bits: writer.bits, words: writer.words.into() }
    }

    /// Reads a block.
    pub fn decode(&self, block: &Block) -> Vec<LabelRun> {
        let mut runs: Vec<LabelRun> = Vec::new();
        let (mut at, mut left) = (0, block.count);
        while left > 0 {
            let code = read(&block.words, &mut at, self.bits());
            let count =
                if block.is_runs { read(&block.words, &mut at, self.length_bits) as u32 + 1 } else { 1 };
            left -= count;
            match runs.last_mut() {
                Some(last) if last.0 == code => last.1 += count,
                _ => runs.push((code, count)),
            }
        }
        runs
    }
}

/// Words that are filled bit by bit, the lowest first.
#[derive(Default)]
struct Writer {
    words: Vec<u64>,
    bits: u64,
}

impl Writer {
    fn put(&mut self, value: u64, width: u32) {
        if width == 0 {
            return;
        }
        let inside = (self.bits % 64) as u32;
        if inside == 0 {
            self.words.push(0);
        }
        *self.words.last_mut().expect("a word is open") |= value << inside;
        if inside + width > 64 {
            self.words.push(value >> (64 - inside));
        }
        self.bits += u64::from(width);
    }
}

fn read(words: &[u64], at: &mut u64, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let (word, inside) = ((*at / 64) as usize, (*at % 64) as u32);
    let mut value = words[word] >> inside;
    if inside + width > 64 {
        value |= words[word + 1] << (64 - inside);
    }
    *at += u64::from(width);
    if width == 64 { value } else { value & ((1 << width) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_are_read_as_they_were_written(
            labels in prop::collection::vec((0u32..=5, 0u32..=3), 1..80),
            (colour_scale, key_scale) in (prop::sample::select(vec![0u32, 1, 77, 858_993_459]), prop::sample::select(vec![0u32, 1, 1_431_655_765])),
            is_runs: bool,
        ) {
            let labels = labels.iter().map(|&(c, k)| Label { colour: c * colour_scale, key: k * key_scale });
            let labels: Vec<Label> = labels.collect();
            let extent = labels.iter().map(|&label| Extent::of(label)).reduce(Extent::and).unwrap();
            let coding = Coding::new(extent, labels.len() as u32, Bytes(8));
            let runs: Vec<LabelRun> = labels
                .chunk_by(|a, b| a == b)
                .map(|run| (coding.code(run[0]), run.len() as u32))
                .collect();
            let block = coding.encode(3, &runs, is_runs);
            prop_assert_eq!(block.count as usize, labels.len());
            let per_item = u64::from(coding.bits()) + u64::from(width(labels.len() as u32 - 1));
            let expected = if is_runs { runs.len() as u64 * per_item } else { labels.len() as u64 * u64::from(coding.bits()) };
            prop_assert_eq!(block.bits, expected);
            let read: Vec<Label> = coding
                .decode(&block)
                .iter()
                .flat_map(|&(code, count)| std::iter::repeat_n(coding.label(code), count as usize))
                .collect();
            prop_assert_eq!(read, labels);
        }
    }

    #[test]
    fn the_widest_labels_fit() {
        let extent = Extent { colours: (0, u32::MAX), keys: (0, u32::MAX) };
        let coding = Coding::new(extent, 2, Bytes(0));
        assert_eq!((coding.bits(), coding.labels_in_block(), coding.runs_in_block()), (64, 1, 0));
        let label = Label { colour: u32::MAX, key: 0x8000_0001 };
        let block = coding.encode(0, &[(coding.code(label), 1)], false);
        assert_eq!(coding.decode(&block), [(coding.code(label), 1)]);
        assert_eq!(coding.label(coding.code(label)), label);
    }
}
