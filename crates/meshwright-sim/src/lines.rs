//! Phases whose messages stay on lines: equal lines take equal time, so one of each kind is run.
//!
//! On a mesh with all ports a message that runs along one axis uses links of its own line and no others, and so do those
//! it could meet. So lines do not know of each other. Two lines of one axis on which the same messages set out, from
//! the same places and in the same order of their numbers, are alike in every moment, since links decide by time of asking, distance
//! and order of numbers alone. The first of them stands for all: its links have the lowest ids.

use std::collections::BTreeSet;

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, PortModel, Topology};
use meshwright_schedule::{Message, Phases};

/// A message on its line: from where, to where, its bytes.
type OnLine = (u32, u32, u64);

/// The schedule with one line of each kind in every phase whose messages all stay on lines; `None` when nothing can be
/// left out.
///
/// # Complexity
///
/// O(messages log messages).
pub(super) fn one_of_each_kind(machine: &Machine, phases: &Phases) -> Option<Phases> {
    let grid = machine.whole_grid().filter(|grid| !grid.wraps() && machine.port_model() == PortModel::All)?;
    let mut kept = Vec::new();
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        match kinds(grid, messages) {
            Some(chosen) => kept.extend(chosen.iter().map(|&message| messages[message as usize])),
            None => kept.extend_from_slice(messages),
        }
    }
    (kept.len() < phases.messages().len())
        .then(|| Phases::new(machine.nodes(), kept).with_repeats(phases.all_repeats().to_vec()))
}

/// The messages of one line of each kind, in their order; `None` when a message turns.
fn kinds(grid: &Grid, messages: &[Message]) -> Option<Vec<u32>> {
    // Axis and least node of its line for each message.
    let mut on_lines: Vec<(usize, NodeId, u32)> = Vec::with_capacity(messages.len());
    for (number, message) in (0..).zip(messages) {
        let (axis, line) = line_of(grid, message)?;
        on_lines.push((axis, line, number));
    }
    on_lines.sort_unstable();
    let mut known: BTreeSet<(usize, Vec<OnLine>)> = BTreeSet::new();
    let mut chosen = Vec::new();
    for line in on_lines.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let axis = line[0].0;
        let place = |&(_, _, number): &(usize, NodeId, u32)| {
            let message = &messages[number as usize];
            let at = |node| grid.coordinate(node, axis);
            (at(message.source), at(message.target), message.bytes.0)
        };
        if known.insert((axis, line.iter().map(place).collect())) {
            chosen.extend(line.iter().map(|&(_, _, number)| number));
        }
    }
    chosen.sort_unstable();
    Some(chosen)
}

/// The axis along which a message runs and the least node of its line; `None` when it turns. A message that goes nowhere is on
/// a line of the first axis, where it uses no link.
fn line_of(grid: &Grid, message: &Message) -> Option<(usize, NodeId)> {
    let sides = Topology::sides(grid);
    let differs =
        |axis: &usize| grid.coordinate(message.source, *axis) != grid.coordinate(message.target, *axis);
    let mut axes = (0..grid.dimensions()).filter(differs);
    let (axis, turns) = (axes.next().unwrap_or(0), axes.next().is_some());
    let stride: u32 = sides[axis + 1..].iter().product();
    let along = grid.coordinate(message.source, axis) * stride;
    (!turns).then(|| (axis, NodeId(message.source.0 - along)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Core;
    use crate::phased::Barriers;
    use crate::simulate::Task;
    use crate::trace::Trace;
    use meshwright_core::units::{Bytes, Cycles};
    use meshwright_network::topology::costs::SWITCHINGS;
    use proptest::prelude::*;

    proptest! {
        /// M6: the trace of all lines is that of one of each kind, link to blame included.
        #[test]
        fn one_line_of_each_kind_stands_for_all(
            which in 0usize..4,
            patterns in prop::collection::vec(prop::collection::vec((0u32..6, 0u32..6, 1u64..4), 0..6), 1..3),
            lines in prop::collection::vec((0usize..3, 0usize..2), 1..9),
            switching in 0usize..3,
            (startup, flit) in (0u64..4, 0u64..4),
        ) {
            let mut machine = Machine::new(["mesh:6x8", "mesh:8x6", "mesh:6", "mesh:4x6x3"][which]).unwrap();
            machine = machine.with_switching(SWITCHINGS[switching].1);
            machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
            let Some(grid) = machine.whole_grid() else { unreachable!("a mesh") };
            let sides = Topology::sides(grid).to_vec();
            let mut messages = Vec::new();
            for (place, &(axis, pattern)) in lines.iter().enumerate() {
                let (axis, pattern) = (axis % sides.len(), &patterns[pattern % patterns.len()]);
                let mut at: Vec<u32> = sides.iter().map(|side| place as u32 % side).collect();
                for &(from, to, bytes) in pattern {
                    let mut node = |c: u32| { at[axis] = c % sides[axis]; grid.node_at(&at) };
                    let (source, target) = (node(from), node(to));
                    messages.push(Message { source, target, bytes: Bytes(bytes), phase: 1 + place as u32 % 2 });
                }
            }
            let phases = Phases::new(machine.nodes(), messages);
            let run = |phases| Barriers { machine: &machine, phases, routes: None }.on(&mut Core::new(&machine)).unwrap();
            let all = run(&phases);
            if let Some(fewer) = one_of_each_kind(&machine, &phases) {
                prop_assert!(fewer.messages().len() < phases.messages().len());
                prop_assert_eq!(Trace { messages: all.messages, ..run(&fewer) }, all);
            }
        }
    }

    #[test]
    fn rows_that_are_alike_are_run_once() {
        let machine = Machine::new("mesh:4x4").unwrap();
        let send = |source, target, bytes| Message {
            source: NodeId(source),
            target: NodeId(target),
            bytes: Bytes(bytes),
            phase: 1,
        };
        let rows = (0..4).map(|row| send(4 * row, 4 * row + 2, 8)).collect::<Vec<_>>();
        let fewer = |messages: &[Message]| {
            one_of_each_kind(&machine, &Phases::new(16, messages.to_vec()))
                .map(|phases| phases.messages().len())
        };
        assert_eq!(fewer(&rows), Some(1));
        let unlike = [rows.clone(), vec![send(12, 15, 8)]].concat();
        assert_eq!(fewer(&unlike), Some(3), "the last row is another kind");
        let turning = [rows, vec![send(0, 5, 8)]].concat();
        assert_eq!(fewer(&turning), None, "a message that turns is on two lines");
    }
}
