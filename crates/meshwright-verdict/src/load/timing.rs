//! Timing diagrams: what a node of each layer does by the thesis's formulas, and what happened in a simulation.

use super::TimingRow;
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding;
use meshwright_load::installments::{CLOCK, Scale};
use meshwright_load::shares::timing;
use meshwright_network::topology::Machine;
use meshwright_schedule::MatchedMessage;
use meshwright_sim::{Computation, Timeline};

/// The most links of sources in a diagram of a simulation.
const PORTS_MAX: usize = 12;

/// The most processors in it.
const PROCESSORS_MAX: usize = 16;

/// Bars that are nearer than this share of the whole time are drawn as one.
const NEAR: f64 = 0.002;

impl TimingRow {
    /// What one node of each layer of a single source does.
    pub(super) fn of_layers(counts: &[u64], sigma: f64, forwarding: Forwarding, release: f64) -> Vec<Self> {
        let later = |[from, until]: [f64; 2]| (from + release, until + release);
        let row = |(layer, row): (usize, &timing::LayerTiming<f64>)| Self {
            label: match (layer, row.nodes) {
                (0, _) => "source".to_string(),
                (layer, 1) => format!("layer {layer}, 1 node"),
                (layer, nodes) => format!("layer {layer}, {nodes} nodes"),
            },
            communication: row.communication.map(later).into_iter().collect(),
            computing: vec![later(row.computing)],
            release: (layer == 0).then_some(release),
            port: false,
        };
        timing::timing(counts, &sigma, forwarding).iter().enumerate().map(row).collect()
    }

    /// What happened in a simulation: the links that leave the sources, and processors from near to far.
    ///
    /// Every message goes over one link, so it is on the link for its own time before it arrives.
    pub(super) fn of_run(
        scale: &Scale<'_, '_>,
        depth: &[u32],
        messages: &[MatchedMessage],
        timeline: &Timeline,
    ) -> Vec<Self> {
        let (problem, machine) = (scale.problem(), scale.problem().machine());
        let rows = Rows { scale, machine, messages, timeline };
        let mut sources: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
        sources.sort_unstable();
        let mut all: Vec<Self> = rows.ports(&sources);
        for &node in &rows.processors(depth) {
            let releases = problem.sources().iter().filter(|source| source.node == node);
            let release = releases.map(|source| source.release).reduce(f64::min);
            all.push(Self { release, ..rows.processor(node) });
        }
        all
    }
}

/// A simulation that is over.
struct Rows<'a> {
    scale: &'a Scale<'a, 'a>,
    machine: &'a Machine,
    messages: &'a [MatchedMessage],
    timeline: &'a Timeline,
}

impl Rows<'_> {
    /// When a message was on its link, in units of w Tcp.
    fn on_link(&self, message: usize) -> (f64, f64) {
        let arrival = self.timeline.arrivals[message];
        let ticks = self.scale.message_ticks(self.messages[message].bytes);
        (self.scale.units_of_ticks(arrival.saturating_sub(ticks)), self.scale.units_of_ticks(arrival))
    }

    /// The computations that are work.
    fn computations(&self) -> impl Iterator<Item = &Computation> {
        self.timeline.computations.iter().filter(|one| one.processor != u32::from(CLOCK))
    }

    /// The links over which sources, in increasing order, send.
    fn ports(&self, sources: &[NodeId]) -> Vec<TimingRow> {
        let mut ports: Vec<(NodeId, NodeId)> = self
            .messages
            .iter()
            .filter(|message| sources.binary_search(&message.source).is_ok())
            .map(|message| (message.source, message.target))
            .collect();
        ports.sort_unstable();
        ports.dedup();
        ports.truncate(PORTS_MAX);
        let row = |&(from, to): &(NodeId, NodeId)| {
            let is_own = |index: &usize| {
                let message = &self.messages[*index];
                (message.source, message.target) == (from, to)
            };
            let spans = (0..self.messages.len()).filter(is_own).map(|index| self.on_link(index));
            TimingRow {
                label: format!("{} → {}", self.machine.node_name(from), self.machine.node_name(to)),
                communication: joined(spans.collect()),
                computing: Vec::new(),
                release: None,
                port: true,
            }
        };
        ports.iter().map(row).collect()
    }

    /// Processors that compute, evenly chosen from the nearest to the farthest.
    fn processors(&self, depth: &[u32]) -> Vec<NodeId> {
        let mut nodes: Vec<u32> = self.computations().map(|one| one.rank).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.sort_by_key(|&node| depth[node as usize]);
        let shown = nodes.len().min(PROCESSORS_MAX);
        let chosen = |row: usize| NodeId(nodes[row * (nodes.len() - 1) / (shown - 1).max(1)]);
        (0..shown).map(chosen).collect()
    }

    fn processor(&self, node: NodeId) -> TimingRow {
        let received = (0..self.messages.len()).filter(|&index| self.messages[index].target == node);
        let computed = self.computations().filter(|one| one.rank == node.0);
        let units = |ticks| self.scale.units_of_ticks(ticks);
        TimingRow {
            label: self.machine.node_name(node),
            communication: joined(received.map(|index| self.on_link(index)).collect()),
            computing: joined(computed.map(|one| (units(one.begin), units(one.end))).collect()),
            release: None,
            port: false,
        }
    }
}

/// Spans in order, those that nearly touch as one.
fn joined(mut spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole = spans.iter().map(|span| span.1).fold(0.0, f64::max);
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (from, until) in spans {
        match joined.last_mut() {
            Some(last) if from - last.1 <= NEAR * whole => last.1 = last.1.max(until),
            _ => joined.push((from, until)),
        }
    }
    joined
}
