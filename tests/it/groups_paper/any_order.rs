//! An executor without a network: every message takes as long as it likes, only chance says how long.

use meshwright::schedule::process::{Action, Context, Process};
use meshwright::units::{Cycles, NodeId};
use rand::RngExt;

/// What channels promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channels {
    /// Nothing: messages overtake each other.
    Any,
    /// Messages from one node to another keep their order.
    Fifo,
}

enum Event<T> {
    Start(NodeId),
    Message { from: NodeId, to: NodeId, payload: T },
    Computed(NodeId, u32),
}

/// Runs the processes to the end, one event after the other in an order drawn by this generator; the clock counts
/// events. The nodes that finished.
pub(super) fn run<P: Process>(
    processes: &mut [P],
    channels: Channels,
    random: &mut impl RngExt,
) -> Vec<bool> {
    let mut open: Vec<Event<P::Payload>> =
        (0..processes.len() as u32).map(|node| Event::Start(NodeId(node))).collect();
    let mut finished = vec![false; processes.len()];
    let mut actions = Vec::new();
    let mut now = 0;
    while !open.is_empty() {
        let mut at = random.random_range(0..open.len());
        let event = match (&open[at], channels) {
            (&Event::Message { from, to, .. }, Channels::Fifo) => {
                // The first message of this channel; `remove` keeps the order of the list.
                let same = |e: &Event<_>| matches!(*e, Event::Message { from: f, to: t, .. } if (f, t) == (from, to));
                at = open.iter().position(same).expect("the message itself is one");
                open.remove(at)
            }
            (_, Channels::Fifo) => open.remove(at),
            (_, Channels::Any) => open.swap_remove(at),
        };
        now += 1;
        let (Event::Start(node) | Event::Message { to: node, .. } | Event::Computed(node, _)) = event;
        let mut context = Context::new(node, Cycles(now), &mut actions);
        let process = &mut processes[node.index()];
        match event {
            Event::Start(_) => process.on_start(&mut context),
            Event::Message { from, payload, .. } => process.on_message(from, payload, &mut context),
            Event::Computed(_, token) => process.on_computed(token, &mut context),
        }
        for action in actions.drain(..) {
            match action {
                Action::Send { to, payload, .. } => open.push(Event::Message { from: node, to, payload }),
                Action::Compute { token, .. } => open.push(Event::Computed(node, token)),
                Action::Finish => finished[node.index()] = true,
            }
        }
    }
    finished
}
