//! When each message of a placement arrives, phase by phase.

use std::collections::{BTreeMap, VecDeque};

use meshwright_core::units::NodeId;
use meshwright_mapping::TaskGraph;
use meshwright_network::topology::Machine;
use meshwright_schedule::{Message, Phases, Schedule};
use meshwright_sim::watch_schedule;
use meshwright_verdict::MappingOutcome;

/// More messages than this are not run again.
const MESSAGES_MAX: usize = 1 << 13;

/// The arrival of each message from the beginning of its phase, in cycles and in the order of the graph; none where the job
/// is too large to be run again, ran on routers, or does not take the time that the verdict says.
pub(super) fn of(machine: &Machine, tasks: &TaskGraph, outcome: &MappingOutcome) -> Option<Vec<u64>> {
    if tasks.edges().len() > MESSAGES_MAX || outcome.detail.routers.is_some() || machine.fabric().is_some() {
        return None;
    }
    let nodes = &outcome.detail.placement.nodes;
    let mut arrivals = Vec::with_capacity(tasks.edges().len());
    for (index, row) in outcome.detail.phases.iter().enumerate() {
        let message = |edge: &meshwright_mapping::task_graph::Edge| Message {
            source: nodes[edge.source as usize],
            target: nodes[edge.target as usize],
            bytes: edge.bytes,
            phase: 1,
        };
        let messages: Vec<Message> = tasks.phase(index).iter().map(message).collect();
        let (found, length) = of_phase(machine, &messages)?;
        if machine.costs().cycles(length * u64::from(tasks.repeats(index))).0 != row.simulated_cycles {
            return None;
        }
        arrivals.extend(found);
    }
    Some(arrivals)
}

/// The arrivals of the messages of one phase in cycles, and the length of the phase in ticks.
fn of_phase(machine: &Machine, messages: &[Message]) -> Option<(Vec<u64>, u64)> {
    use meshwright_network::topology::Topology;
    let schedule = Schedule::from_phases(&Phases::new(machine.nodes(), messages.to_vec()));
    let (trace, timeline) = watch_schedule(machine, &schedule).ok()?;
    if trace.deadlock.is_some() {
        return None;
    }
    // Those of one pair of nodes in their order.
    let mut times: BTreeMap<(NodeId, NodeId), VecDeque<u64>> = BTreeMap::new();
    for (message, ticks) in schedule.messages().iter().zip(timeline.arrivals) {
        times.entry((message.source, message.target)).or_default().push_back(ticks);
    }
    let arrival = |message: &Message| {
        let ticks = times.get_mut(&message.pair())?.pop_front()?;
        Some(machine.costs().cycles(ticks).0)
    };
    let arrivals: Option<Vec<u64>> = messages.iter().map(arrival).collect();
    Some((arrivals?, trace.ticks))
}
