//! What follows a sort by colour: where every group begins and ends, and who is beside whom in its tree.

use super::heap::{self, Neighbours};
use super::packet::{Seat, SortPacket};
use super::splitting::{CurveSplitting, SortEvent, Stage};
use crate::protocol::Side;
use meshwright_core::units::NodeId;

impl CurveSplitting {
    /// Whether the records beside its own are there.
    pub(super) fn look_beside(&mut self, event: &mut SortEvent<'_>) -> bool {
        let beside = event.place.known().beside;
        let is_there =
            beside.iter().zip(self.beside).all(|(node, record)| node.is_none() || record.is_some());
        if is_there {
            self.stage = Stage::Ends;
        }
        is_there
    }

    /// Whether a group begins, and whether one ends, at this place: the place, if so.
    pub(super) fn own_ends(&self, place: u32) -> [Option<u32>; 2] {
        let coding = self.coding();
        let colour = |record| coding.colour_and_step(record).0;
        let is_end = |beside: Option<u128>| beside.is_none_or(|other| colour(other) != colour(self.record));
        self.beside.map(|beside| is_end(beside).then_some(place))
    }

    /// Tells the ends of groups in its sub-tree, once all children have; whether it could.
    pub(super) fn tell_ends(&mut self, event: &mut SortEvent<'_>) -> bool {
        if event.place.links().children.iter().any(|(_, side)| self.below[*side as usize].is_none()) {
            return false;
        }
        self.stage = Stage::Around;
        let [begins, ends] = self.own_ends(event.place.known().place);
        let [left, right] = self.below.map(Option::unwrap_or_default);
        let all = [right[0].or(begins).or(left[0]), left[1].or(ends).or(right[1])];
        match event.place.links().parent {
            Some(parent) => event.out.send(parent, self.coding().bytes(0, 2), SortPacket::Ends(all)),
            // Before the first place and behind the last nothing is asked.
            None => self.found([0, event.place.size() - 1], event),
        }
        true
    }

    /// The ends of the groups around the sub-tree are known: those of its own group, and around its children.
    pub(super) fn found(&mut self, [before, behind]: [u32; 2], event: &mut SortEvent<'_>) {
        let [begins, ends] = self.own_ends(event.place.known().place);
        let [left, right] = self.below.map(Option::unwrap_or_default);
        let [before_own, behind_own] = [left[0].unwrap_or(before), right[1].unwrap_or(behind)];
        self.run = [begins.unwrap_or(before_own), ends.unwrap_or(behind_own)];
        let [first, last] = self.run;
        event.tell_children(self.coding().bytes(0, 2), |side| match side {
            Side::Left => SortPacket::Around([before, last]),
            Side::Right => SortPacket::Around([first, behind]),
        });
        self.stage = Stage::Edges;
        self.is_sent = false;
        self.advance(event);
    }

    /// The neighbours of its record in the new tree, as distances from here.
    pub(super) fn distances(&self, place: u32) -> [Option<i64>; 3] {
        let [first, last] = self.run;
        let Neighbours { parent, left, right } = heap::neighbours(place - first, last - first + 1);
        [parent, left, right].map(|other| other.map(|other| i64::from(first + other) - i64::from(place)))
    }

    /// Tells the neighbours of its record who it belongs to, and its owner who they are; whether it could.
    pub(super) fn find_edges(&mut self, event: &mut SortEvent<'_>) -> bool {
        let coding = self.coding();
        let place = event.place.known().place;
        let distances = self.distances(place);
        let member = event.sort.node(coding.colour_and_step(self.record).1);
        if !self.is_sent {
            let mut targets = [None; 3];
            for (target, distance) in targets.iter_mut().zip(distances) {
                let Some(distance) = distance.filter(|distance| distance.abs() > 1) else { continue };
                let side = if distance < 0 { Side::Left } else { Side::Right };
                let level = distance.unsigned_abs().trailing_zeros() as usize;
                let Some(node) = self.finger(level, side, event) else { return false };
                *target = Some((node, side));
            }
            for (which, target) in targets.into_iter().enumerate() {
                let Some((node, side)) = target else { continue };
                // To a child this is the parent; to the parent a child, on the other side.
                let seen_there = match (which, side) {
                    (0, Side::Left) => 2,
                    (0, Side::Right) => 1,
                    _ => 0,
                };
                event.out.send(node, event.node_bytes(), SortPacket::Edge(seen_there, member));
            }
            self.is_sent = true;
        }
        let beside = self.nodes_beside(event);
        for (edge, distance) in self.edges.iter_mut().zip(distances) {
            match distance {
                Some(-1) => *edge = beside[0],
                Some(1) => *edge = beside[1],
                Some(_) if edge.is_none() => return false,
                _ => {}
            }
        }
        let [first, last] = self.run;
        let seat = Seat { place: place - first, size: last - first + 1, beside, links: self.edges };
        self.is_sent = false;
        self.by_key();
        self.tell(member, coding.bytes(5, 2), SortPacket::Seat(seat), event);
        true
    }

    /// Whose records are beside its own, in the same group.
    pub(super) fn nodes_beside(&self, event: &SortEvent<'_>) -> [Option<NodeId>; 2] {
        let coding = self.coding();
        let ends = self.own_ends(0);
        let node = |side: usize| {
            let record = self.beside[side].filter(|_| ends[side].is_none())?;
            Some(event.sort.node(coding.colour_and_step(record).1))
        };
        [node(0), node(1)]
    }
}
