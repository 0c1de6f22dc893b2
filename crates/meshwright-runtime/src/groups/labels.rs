//! One message of a split: a stretch of labels, as bits, with all that it takes to read them.
//!
//! Whether a member takes part is one stream of labels, with the colours 0 and 1; the labels of those that do are another.
//! Both are written by [`Coding`], with the extent of this message alone before them. Where all take part the first
//! stream has no bits.

use crate::transport::Wire;
use meshwright_core::units::Bytes;
use meshwright_groups::mask::{Block, Coding, Extent};
use meshwright_groups::protocol::Label;

/// What a member brings to a split; none when it takes no part.
pub(super) type OptionalLabel = Option<Label>;

/// Labels that stand beside each other, equal ones as runs.
#[derive(Clone, Debug, Default)]
struct Sequence {
    runs: Vec<(Label, u32)>,
    count: u32,
    extent: Option<Extent>,
}

impl Sequence {
    fn extent_with(&self, label: Label) -> Extent {
        let own = Extent::of(label);
        self.extent.map_or(own, |extent| extent.and(own))
    }

    /// The bits it takes with one label more.
    fn bits_with(&self, label: Label) -> u64 {
        let is_new = self.runs.last().is_none_or(|&(last, _)| last != label);
        let runs = self.runs.len() as u64 + u64::from(is_new);
        let coding = Coding::new(self.extent_with(label), self.count + 1, Bytes(0));
        shorter(&coding, self.count + 1, runs).1
    }

    fn bits(&self) -> u64 {
        let Some(extent) = self.extent else { return 0 };
        shorter(&Coding::new(extent, self.count, Bytes(0)), self.count, self.runs.len() as u64).1
    }

    fn push(&mut self, label: Label) {
        self.extent = Some(self.extent_with(label));
        self.count += 1;
        match self.runs.last_mut() {
            Some((last, count)) if *last == label => *count += 1,
            _ => self.runs.push((label, 1)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.count.write(out);
        let Some(extent) = self.extent else { return };
        let coding = Coding::new(extent, self.count, Bytes(0));
        let (is_runs, _) = shorter(&coding, self.count, self.runs.len() as u64);
        let codes: Vec<_> = self.runs.iter().map(|&(label, count)| (coding.code(label), count)).collect();
        let block = coding.encode(0, &codes, is_runs);
        (extent.colours, extent.keys).write(out);
        (is_runs, block.bits).write(out);
        let words = block.words().iter().flat_map(|word| word.to_le_bytes());
        out.extend(words.take(block.bytes().0 as usize));
    }

    fn read(from: &mut &[u8]) -> Option<Vec<(Label, u32)>> {
        let count = u32::read(from)?;
        if count == 0 {
            return Some(Vec::new());
        }
        let (colours, keys) = Wire::read(from)?;
        let (is_runs, bits) = <(bool, u64)>::read(from)?;
        let (bytes, rest) = from.split_at_checked(usize::try_from(bits.div_ceil(8)).ok()?)?;
        *from = rest;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let block = Block::from_words((0, count), is_runs, bits, bytes.chunks(8).map(word).collect())?;
        let coding = Coding::new(Extent { colours, keys }, count, Bytes(0));
        let codes = coding.decode(&block);
        Some(codes.into_iter().map(|(code, count)| (coding.label(code), count)).collect())
    }
}

/// Whether so many labels are written as runs, and the bits they take: whichever is less.
fn shorter(coding: &Coding, count: u32, runs: u64) -> (bool, u64) {
    let (single, in_runs) = (u64::from(count) * u64::from(coding.bits()), coding.bits_of_runs(runs));
    (in_runs < single, in_runs.min(single))
}

/// Puts labels into messages, as many into each as fit.
#[derive(Debug)]
pub(super) struct Packer {
    most_bits: u64,
    presence: Sequence,
    labels: Sequence,
}

/// Whether a member takes part, as a label.
fn presence(choice: OptionalLabel) -> Label {
    Label { colour: u32::from(choice.is_some()), key: 0 }
}

impl Packer {
    /// With at most so many bytes of labels in a message, but at least one label.
    pub(super) fn new(block: Bytes) -> Self {
        let most_bits = block.0.saturating_mul(8);
        Self { most_bits, presence: Sequence::default(), labels: Sequence::default() }
    }

    /// Adds a label; the message that is full, if it does not fit any more.
    pub(super) fn push(&mut self, choice: OptionalLabel) -> Option<Vec<u8>> {
        let labels = choice.map_or_else(|| self.labels.bits(), |label| self.labels.bits_with(label));
        let is_full = self.presence.bits_with(presence(choice)) + labels > self.most_bits;
        let full = if is_full { self.finish() } else { None };
        self.presence.push(presence(choice));
        if let Some(label) = choice {
            self.labels.push(label);
        }
        full
    }

    /// The last message; none when there is nothing in it.
    pub(super) fn finish(&mut self) -> Option<Vec<u8>> {
        let (presence, labels) = (std::mem::take(&mut self.presence), std::mem::take(&mut self.labels));
        (presence.count > 0).then(|| {
            let mut bytes = Vec::new();
            presence.write(&mut bytes);
            labels.write(&mut bytes);
            bytes
        })
    }
}

/// The labels of a message.
pub(super) fn unpack(mut bytes: &[u8]) -> Option<Vec<OptionalLabel>> {
    let is_here = Sequence::read(&mut bytes)?;
    let labels = Sequence::read(&mut bytes)?;
    let mut labels = labels.into_iter().flat_map(|(label, count)| std::iter::repeat_n(label, count as usize));
    let mut choices = Vec::new();
    for (label, count) in is_here {
        for _ in 0..count {
            choices.push(if label.colour == 1 { Some(labels.next()?) } else { None });
        }
    }
    (bytes.is_empty() && labels.next().is_none()).then_some(choices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn messages(block: u64, choices: &[OptionalLabel]) -> Vec<Vec<u8>> {
        let mut packer = Packer::new(Bytes(block));
        let mut messages: Vec<_> = choices.iter().filter_map(|&choice| packer.push(choice)).collect();
        messages.extend(packer.finish());
        messages
    }

    proptest! {
        #[test]
        fn labels_come_out_as_they_went_in(
            draws in prop::collection::vec(prop::option::of((0u32..=3, 0u32..=3)), 0..90),
            (colour_scale, key_scale) in (prop::sample::select(vec![0u32, 1, 77, u32::MAX / 3]), prop::sample::select(vec![0u32, 1, u32::MAX / 3])),
            block in 0u64..40,
        ) {
            let scaled = |(colour, key)| Label { colour: colour * colour_scale, key: key * key_scale };
            let choices: Vec<OptionalLabel> = draws.into_iter().map(|draw| draw.map(scaled)).collect();
            let messages = messages(block, &choices);
            let read: Vec<OptionalLabel> = messages.iter().flat_map(|bytes| unpack(bytes).unwrap()).collect();
            prop_assert_eq!(read, choices);
            // What stands before the bits of each of the two streams: 4 + 16 + 9 bytes.
            let most = block + 2 * 29 + 1;
            prop_assert!(messages.iter().all(|bytes| bytes.len() as u64 <= most));
        }
    }

    /// 64 labels of one bit are 8 bytes, runs of them would be 64 times seven bits.
    #[test]
    fn blocks_are_filled() {
        let two: Vec<OptionalLabel> = (0..64).map(|rank| Some(Label { colour: rank % 2, key: 0 })).collect();
        assert_eq!([8, 7].map(|block| messages(block, &two).len()), [1, 2]);
        let equal = vec![Some(Label { colour: 9, key: 3 }); 1000];
        assert_eq!(messages(0, &equal).len(), 1, "equal labels take no bits");
        let mixed = [None, Some(Label::default()), Some(Label { colour: u32::MAX, key: u32::MAX })];
        assert_eq!([0, 16, 17].map(|block| messages(block, &mixed).len()), [3, 2, 1], "3 and 128 bits");
    }
}
