//! A scheme as the core of a member sees it: its lists grow, and its packets wait in an outbox until an event is over.

use super::grown::Grown;
use super::pass::Loads;
use super::program::{Operation, Outcome};
use super::scheme::{self, Label, Outbox, Position};
use meshwright_core::units::NodeId;
use meshwright_member as core;
use meshwright_member::list::Full;
use meshwright_member::member::{Early, Level};
use meshwright_member::scheme::Join;

/// A scheme of this crate at one member.
#[derive(Debug)]
pub struct Hosted<'s, S: scheme::Scheme> {
    scheme: &'s S,
    outbox: Outbox<S::Packet>,
}

impl<'s, S: scheme::Scheme> Hosted<'s, S> {
    /// This scheme.
    pub(super) fn new(scheme: &'s S) -> Self {
        Self { scheme, outbox: Outbox::default() }
    }

    fn flush(&mut self, out: &mut impl core::Outbox<NodeId, S::Packet>) {
        if self.outbox.messages.is_empty() {
            return;
        }
        for (to, bytes, packet) in self.outbox.messages.drain(..) {
            out.send(to, bytes.0, packet);
        }
    }
}

impl<S: scheme::Scheme> core::Scheme for Hosted<'_, S> {
    type Node = NodeId;
    type Place = Position<S::Known>;
    type Packet = S::Packet;
    type Splitting = S::Splitting;
    type Cargo = Loads;
    type Levels = Grown<Level<Position<S::Known>, S::Splitting>>;
    type Early = Grown<Early<Self>>;

    fn is_ordered(&self) -> bool {
        self.scheme.is_ordered()
    }

    fn join<'p>(&self, parent: &'p Self::Place, own: &'p Self::Place) -> Join<'p, NodeId> {
        let scheme::Join { links, across } = self.scheme.join(parent, own);
        Join { edges: links.edges(), across }
    }

    fn begin(
        &mut self,
        node: NodeId,
        place: &Self::Place,
        label: Label,
        out: &mut impl core::Outbox<NodeId, S::Packet>,
    ) -> Result<S::Splitting, Full> {
        let splitting = self.scheme.begin(node, place, label, &mut self.outbox);
        self.flush(out);
        Ok(splitting)
    }

    fn exchange(
        &mut self,
        place: &Self::Place,
        operation: Operation,
        out: &mut impl core::Outbox<NodeId, S::Packet>,
    ) -> Option<S::Splitting> {
        let exchange = self.scheme.exchange(place, operation, &mut self.outbox);
        self.flush(out);
        exchange
    }

    fn receive(
        &mut self,
        node: NodeId,
        place: &Self::Place,
        splitting: &mut S::Splitting,
        from: NodeId,
        packet: S::Packet,
        out: &mut impl core::Outbox<NodeId, S::Packet>,
    ) -> Result<(), Full> {
        self.scheme.receive(node, place, splitting, from, packet, &mut self.outbox);
        self.flush(out);
        Ok(())
    }

    fn take_place(&mut self, splitting: &mut S::Splitting) -> Option<Self::Place> {
        self.scheme.take_place(splitting)
    }

    fn take_outcome(&mut self, exchange: &mut S::Splitting) -> Option<Outcome> {
        self.scheme.take_outcome(exchange)
    }
}
