//! The labels of all members go up the tree of their group, and from its root to everybody.

use std::sync::Arc;

use super::Group;
use super::labels::{self, Packer};
use super::tree_messages::{self, Edges, Word};
use crate::transport::{Endpoint, Lost};

impl<E: Endpoint> Group<'_, E> {
    /// Everybody learns the labels of all, in the order of [`Membership`](meshwright_groups::mask::Membership).
    pub(super) fn exchange(
        &mut self,
        word: Word,
        own: labels::OptionalLabel,
    ) -> Result<Vec<labels::OptionalLabel>, Lost> {
        let edges = Arc::clone(&self.edges);
        let mut packer = Packer::new(self.block);
        let mut all = Vec::new();
        let mut is_own_in = false;
        let children: Vec<(u32, u32)> = self
            .membership
            .tree()
            .children(self.rank)
            .iter()
            .copied()
            .zip(edges.children.iter().copied())
            .collect();
        for (child, on_endpoint) in children {
            if child > self.rank && !is_own_in {
                self.pass_up(&edges, word, &mut all, packer.push(own))?;
                is_own_in = true;
            }
            let (begin, end) = self.membership.stretch(child);
            let mut left = end - begin;
            while left > 0 {
                for choice in self.hear_labels(on_endpoint, word)?.1 {
                    left -= 1;
                    self.pass_up(&edges, word, &mut all, packer.push(choice))?;
                }
            }
        }
        if !is_own_in {
            self.pass_up(&edges, word, &mut all, packer.push(own))?;
        }
        self.pass_up(&edges, word, &mut all, packer.finish())?;
        if let Some(parent) = edges.parent {
            while all.len() < self.size() as usize {
                let (block, labels) = self.hear_labels(parent, word)?;
                self.pass_down(&edges, word, &block)?;
                all.extend(labels);
            }
        }
        Ok(all)
    }

    /// A block of labels and what it says.
    fn hear_labels(&mut self, from: u32, word: Word) -> Result<(Vec<u8>, Vec<labels::OptionalLabel>), Lost> {
        let block = tree_messages::hear_bytes(self.mail, from, word)?;
        let labels = labels::unpack(&block).expect("labels are read as they were written");
        Ok((block, labels))
    }

    /// A full block goes on: to the parent, from the root to its children.
    fn pass_up(
        &mut self,
        edges: &Edges,
        word: Word,
        all: &mut Vec<labels::OptionalLabel>,
        block: Option<Vec<u8>>,
    ) -> Result<(), Lost> {
        let Some(block) = block else { return Ok(()) };
        if let Some(parent) = edges.parent {
            return tree_messages::tell_bytes(self.mail, parent, word, &block);
        }
        all.extend(labels::unpack(&block).expect("labels are read as they were written"));
        self.pass_down(edges, word, &block)
    }

    fn pass_down(&mut self, edges: &Edges, word: Word, block: &[u8]) -> Result<(), Lost> {
        edges.children.iter().try_for_each(|&child| tree_messages::tell_bytes(self.mail, child, word, block))
    }
}
