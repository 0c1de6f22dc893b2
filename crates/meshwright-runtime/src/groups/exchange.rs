//! The labels of all members go up the tree of their group, and from its root to everybody.

use std::sync::Arc;

use super::Group;
use super::labels::{self, OptionalLabel, Packer};
use super::tree_messages::{self, Edges, Word};
use crate::transport::{Endpoint, Lost};

/// An exchange of labels that has begun: message by message, so that its member may do something else between two.
#[derive(Debug)]
pub(super) struct Exchange {
    word: Word,
    edges: Arc<Edges>,
    own: OptionalLabel,
    is_own_in: bool,
    packer: Packer,
    /// The place among the children of that whose labels come next, and how many of its are still to come.
    child: usize,
    left: u32,
    /// The labels that are known, in the order of [`Membership`](meshwright_groups::mask::Membership).
    all: Vec<OptionalLabel>,
}

impl Exchange {
    /// Begins; a member without children tells its label at once.
    pub(super) fn begin<E: Endpoint>(
        group: &mut Group<'_, E>,
        word: Word,
        own: OptionalLabel,
    ) -> Result<Self, Lost> {
        let (edges, packer) = (Arc::clone(&group.edges), Packer::new(group.block));
        let mut this =
            Self { word, edges, own, is_own_in: false, packer, child: 0, left: 0, all: Vec::new() };
        this.turn_to_child(group)?;
        Ok(this)
    }

    /// Whose message comes next, by its rank on the endpoint; none when everybody's label is known.
    pub(super) fn awaited(&self, size: u32) -> Option<u32> {
        let child = self.edges.children.get(self.child).copied();
        child.or(self.edges.parent.filter(|_| self.all.len() < size as usize))
    }

    /// Takes the next message, and sends on what there is to be sent.
    pub(super) fn take<E: Endpoint>(&mut self, group: &mut Group<'_, E>, block: &[u8]) -> Result<(), Lost> {
        let labels = labels::unpack(block).expect("labels are read as they were written");
        if self.child == self.edges.children.len() {
            self.pass_down(group, block)?;
            self.all.extend(labels);
            return Ok(());
        }
        for label in labels {
            self.left -= 1;
            let full = self.packer.push(label);
            self.pass_up(group, full)?;
        }
        if self.left > 0 {
            return Ok(());
        }
        self.child += 1;
        self.turn_to_child(group)
    }

    /// The labels of all.
    pub(super) fn labels(self) -> Vec<OptionalLabel> {
        self.all
    }

    /// Before the labels of the next child, or behind those of the last one, may come this member's own.
    fn turn_to_child<E: Endpoint>(&mut self, group: &mut Group<'_, E>) -> Result<(), Lost> {
        let next = group.membership.tree().children(group.rank).get(self.child).copied();
        if !self.is_own_in && next.is_none_or(|child| child > group.rank) {
            self.is_own_in = true;
            let full = self.packer.push(self.own);
            self.pass_up(group, full)?;
        }
        match next {
            Some(child) => {
                let (begin, end) = group.membership.stretch(child);
                self.left = end - begin;
                Ok(())
            }
            None => {
                let last = self.packer.finish();
                self.pass_up(group, last)
            }
        }
    }

    /// A full block goes on: to the parent, from the root to its children.
    fn pass_up<E: Endpoint>(&mut self, group: &mut Group<'_, E>, block: Option<Vec<u8>>) -> Result<(), Lost> {
        let Some(block) = block else { return Ok(()) };
        if let Some(parent) = self.edges.parent {
            return tree_messages::tell_bytes(group.mail, parent, self.word, &block);
        }
        self.all.extend(labels::unpack(&block).expect("labels are read as they were written"));
        self.pass_down(group, &block)
    }

    fn pass_down<E: Endpoint>(&self, group: &mut Group<'_, E>, block: &[u8]) -> Result<(), Lost> {
        let mut children = self.edges.children.iter();
        children.try_for_each(|&child| tree_messages::tell_bytes(group.mail, child, self.word, block))
    }

    /// Waits for the next message.
    pub(super) fn hear<E: Endpoint>(&self, group: &mut Group<'_, E>, from: u32) -> Result<Vec<u8>, Lost> {
        tree_messages::hear_bytes(group.mail, from, self.word)
    }

    /// The next message, if it has come.
    pub(super) fn hear_now<E: Endpoint>(
        &self,
        group: &mut Group<'_, E>,
        from: u32,
    ) -> Result<Option<Vec<u8>>, Lost> {
        tree_messages::hear_bytes_now(group.mail, from, self.word)
    }
}
