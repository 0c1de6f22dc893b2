//! Colours by counting: the part of one member in the passes of a distribution.

use super::counting::{self, Counts};
use super::packet::{Sort, SortPacket};
use super::splitting::{CurveSplitting, SortEvent, Stage};
use crate::protocol::Side;

impl CurveSplitting {
    /// The digit of its record in the present pass.
    pub(super) fn digit(&self) -> usize {
        counting::digit(self.coding().colour_and_step(self.record).0, self.passes.pass)
    }

    /// Tells the counts of its sub-tree, once all children have; whether it could.
    pub(super) fn tell_counts(&mut self, event: &mut SortEvent<'_>) -> bool {
        if event.place.links().children.iter().any(|&(_, side)| !self.passes.has(side)) {
            return false;
        }
        self.stage = Stage::Before;
        let counts = self.passes.sum(self.digit());
        match event.place.links().parent {
            Some(parent) => {
                let bytes = self.coding().counts_bytes();
                event.out.send(parent, bytes, SortPacket::Counts(Box::new(counts)));
            }
            None => self.distribute(&counting::starts(&counts), event),
        }
        true
    }

    /// It is known where the records of its sub-tree go: its own goes there.
    pub(super) fn distribute(&mut self, before: &Counts, event: &mut SortEvent<'_>) {
        let (pass, digit) = (self.passes.pass, self.digit());
        let (target, before_right) = self.passes.end(digit, before);
        event.tell_children(self.coding().counts_bytes(), |side| {
            SortPacket::Before(Box::new(if side == Side::Left { *before } else { before_right }))
        });
        self.stage = Stage::Moving;
        self.carry(pass, target, self.record, event);
        // Its next record may have come before.
        self.advance(event);
    }

    /// Sends a record nearer to its place, or keeps it.
    pub(super) fn carry(&mut self, pass: u32, target: u32, record: u128, event: &mut SortEvent<'_>) {
        let place = event.place.known().place;
        if target == place {
            self.passes.come.push((pass, record));
            return self.advance(event);
        }
        let packet = SortPacket::Move(pass, target, record);
        let bytes = self.coding().move_bytes();
        if event.place.size() == event.sort.length() {
            // The group is the whole curve: every place is known.
            return event.out.send(event.sort.node(target), bytes, packet);
        }
        let side = if target < place { Side::Left } else { Side::Right };
        // The power of two nearest to the distance, as long as a member is there.
        let far = target.abs_diff(place);
        let above = (far + far / 3).max(1).ilog2();
        let room = if target < place { place } else { event.place.size() - 1 - place };
        let level = if 1 << above <= room { above } else { far.ilog2() };
        match self.finger(level as usize, side, event) {
            Some(node) => event.out.send(node, bytes, packet),
            None => self.waiting_moves.push((pass, target, record)),
        }
    }

    /// Takes the record that has come to its place; whether it has.
    pub(super) fn settle(&mut self, event: &mut SortEvent<'_>) -> bool {
        let before = self.passes.pass - 1;
        let Some(at) = self.passes.come.iter().position(|&(pass, _)| pass == before) else { return false };
        self.record = self.passes.come.swap_remove(at).1;
        if self.passes.pass == self.coding().passes() {
            self.sorted(Sort::ByColour, event.place.known().place, event);
        } else {
            self.stage = Stage::Counts;
        }
        true
    }
}
