//! Labels of a sub-tree, gathered and not yet sent on.

use std::collections::{BTreeMap, VecDeque};

use super::coding::{Block, Coding, LabelRun};

/// A stretch of labels that fills up while it is sent on, from its beginning, block by block.
#[derive(Debug, Default)]
pub struct Stream {
    /// The place of the first label that was not sent.
    next: u32,
    /// From `next` to here everything is there.
    known: u32,
    /// What is there.
    runs: VecDeque<LabelRun>,
    /// What has come out of turn, by its first place.
    apart: BTreeMap<u32, Vec<LabelRun>>,
}

impl Stream {
    /// An empty stretch that begins at this place.
    pub fn from(first: u32) -> Self {
        Self { next: first, known: first, ..Self::default() }
    }

    /// Adds labels that begin at a place.
    pub fn add(&mut self, first: u32, runs: Vec<LabelRun>) {
        if first != self.known {
            self.apart.insert(first, runs);
            return;
        }
        self.append(&runs);
        while let Some(runs) = self.apart.remove(&self.known) {
            self.append(&runs);
        }
    }

    fn append(&mut self, runs: &[LabelRun]) {
        for &(code, count) in runs {
            self.known += count;
            match self.runs.back_mut() {
                Some(last) if last.0 == code => last.1 += count,
                _ => self.runs.push_back((code, count)),
            }
        }
    }

    /// The next block of a stretch that ends at this place, if it is time to send it: when a block of single labels
    /// is full and the runs do not fit into one block either, or when all labels are there.
    ///
    /// Of single labels and runs it takes what tells more labels, of equals what takes fewer bits.
    pub fn take(&mut self, end: u32, coding: &Coding) -> Option<Block> {
        let unsent = u64::from(self.known - self.next);
        let is_full = unsent >= coding.labels_in_block() && self.runs.len() as u64 > coding.runs_in_block();
        if unsent == 0 || !(is_full || self.known == end) {
            return None;
        }
        let single = coding.labels_in_block().min(unsent);
        let fitting = coding.runs_in_block().min(self.runs.len() as u64);
        let in_runs: u64 = self.runs.iter().take(fitting as usize).map(|&(_, count)| u64::from(count)).sum();
        let runs_are_shorter = coding.bits_of_runs(fitting) < single * u64::from(coding.bits());
        let is_runs = in_runs > single || in_runs == single && runs_are_shorter;
        let part = self.cut(if is_runs { in_runs } else { single } as u32);
        let block = coding.encode(self.next, &part, is_runs);
        self.next += block.count;
        Some(block)
    }

    /// Takes out so many labels.
    fn cut(&mut self, mut labels: u32) -> Vec<LabelRun> {
        let mut part = Vec::new();
        while labels > 0 {
            let front = self.runs.front_mut().expect("so many labels are there");
            let count = front.1.min(labels);
            part.push((front.0, count));
            labels -= count;
            front.1 -= count;
            if front.1 == 0 {
                self.runs.pop_front();
            }
        }
        part
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let apart: usize = self.apart.values().map(Vec::len).sum();
        (self.runs.len() + apart) * size_of::<LabelRun>()
    }
}
