//! The model once more, word by word: no masks, no lists of what is active, every queue looked at in every step.

use std::collections::{BTreeMap, VecDeque};

use meshwright_core::rng;
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::routing::{self, Choices, Relation};
use meshwright_network::topology::{Machine, PortModel, Topology};
use meshwright_schedule::Message;

/// What the rules lead to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Per message the step after which it is there.
    pub(crate) arrivals: Vec<u64>,
    /// Packets per link.
    pub(crate) crossed: BTreeMap<LinkId, u64>,
    /// Steps heads stood still, per link they wanted.
    pub(crate) waited: BTreeMap<LinkId, u64>,
}

/// A queue: of what came in by a port in a class, or of new packets.
type Queue = (u32, u32, u32);

/// A head that wants a link: its queue, the link, the queue behind it unless it leaves there.
type Wish = (Queue, LinkId, Option<Queue>);

/// Runs messages that all start at once; packets of 8 bytes.
pub(crate) fn run(machine: &Machine, messages: &[Message]) -> Outcome {
    let degree = (0..machine.nodes()).map(|node| machine.ports(NodeId(node))).max().unwrap();
    let relation = routing::relation(routing::usual(machine), machine).unwrap();
    let mut missing: Vec<u64> = messages.iter().map(|message| message.bytes.0.div_ceil(8).max(1)).collect();
    let mut outcome = Outcome { arrivals: vec![0; messages.len()], ..Outcome::default() };
    let mut queues: BTreeMap<Queue, VecDeque<usize>> = BTreeMap::new();
    for (index, message) in messages.iter().enumerate().filter(|(_, m)| m.source != m.target) {
        let (port, _) = way(&relation, message.source, None, message.target);
        let slot = if machine.port_model() == PortModel::One { 0 } else { port.0 };
        let queue = queues.entry((message.source.0, degree, slot)).or_default();
        queue.extend(std::iter::repeat_n(index, missing[index] as usize));
    }
    let mut turns: BTreeMap<LinkId, u32> = BTreeMap::new();
    let mut landed: BTreeMap<NodeId, VecDeque<usize>> = BTreeMap::new();
    for step in 1.. {
        queues.retain(|_, queue| !queue.is_empty());
        landed.retain(|_, line| !line.is_empty());
        if queues.is_empty() && landed.is_empty() {
            return outcome;
        }
        let full = |behind: &Queue| queues.get(behind).is_some_and(|q| q.len() >= machine.buffers() as usize);
        let of = |(&queue, line): (&Queue, &VecDeque<usize>)| {
            wish(machine, &relation, degree, queue, messages[line[0]].target)
        };
        let wishes: Vec<Wish> = queues.iter().map(of).collect();
        let mut granted: Vec<Wish> = Vec::new();
        for link in wishes.iter().map(|wish| wish.1).collect::<std::collections::BTreeSet<_>>() {
            let (mut able, mut heads) = (Vec::new(), 0);
            for wish in wishes.iter().filter(|wish| wish.1 == link) {
                heads += 1;
                if wish.2.is_none_or(|behind| !full(&behind)) {
                    able.push(*wish);
                }
            }
            let rank = |queue: Queue| if queue.1 == degree { 1000 } else { 2 * queue.1 + queue.2 };
            let turn = turns.get(&link).copied().unwrap_or(0);
            able.sort_by_key(|wish| (rank(wish.0) < turn, rank(wish.0)));
            if let Some(winner) = able.first() {
                turns.insert(link, rank(winner.0) + 1);
                granted.push(*winner);
                heads -= 1;
            }
            *outcome.waited.entry(link).or_default() += heads;
        }
        assert!(!granted.is_empty() || !landed.is_empty(), "nothing moves");
        for (queue, link, behind) in granted {
            *outcome.crossed.entry(link).or_default() += 1;
            let packet = queues.get_mut(&queue).unwrap().pop_front().unwrap();
            match behind {
                Some(behind) => queues.entry(behind).or_default().push_back(packet),
                None => landed.entry(messages[packet].target).or_default().push_back(packet),
            }
        }
        for packet in taken_in(machine, &mut landed) {
            missing[packet] -= 1;
            if missing[packet] == 0 {
                outcome.arrivals[packet] = step;
            }
        }
    }
    unreachable!("steps do not end")
}

/// What leaves the network at the end of a step: with one port a packet at each node.
fn taken_in(machine: &Machine, landed: &mut BTreeMap<NodeId, VecDeque<usize>>) -> Vec<usize> {
    let most = if machine.port_model() == PortModel::One { 1 } else { usize::MAX };
    let of_node = |line: &mut VecDeque<usize>| line.drain(..most.min(line.len())).collect::<Vec<_>>();
    landed.values_mut().flat_map(of_node).collect()
}

fn wish(machine: &Machine, relation: &Relation<'_>, degree: u32, queue: Queue, target: NodeId) -> Wish {
    let at = NodeId(queue.0);
    let arrived = (queue.1 < degree).then(|| {
        let from = machine.neighbour(at, Port(queue.1)).unwrap();
        machine.wire(from, at).unwrap()
    });
    let (port, class) = way(relation, at, arrived, target);
    let (link, next) = (machine.link(at, port), machine.neighbour(at, port).unwrap());
    let back = (0..machine.ports(next)).find(|&q| machine.neighbour(next, Port(q)) == Some(at)).unwrap();
    (queue, link, (next != target).then_some((next.0, back, class)))
}

/// The port and the class a packet takes.
fn way(relation: &Relation<'_>, at: NodeId, arrived: Option<LinkId>, target: NodeId) -> (Port, u32) {
    let mut header = relation.header(at, target, &mut rng::stream(0, "unused"));
    let mut choices = Choices::new();
    relation.choose(at, arrived, &mut header, &mut choices);
    let choice = choices.as_slice()[0];
    (choice.port, u32::from(choice.class))
}
