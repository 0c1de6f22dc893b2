//! The network of a problem in whole units: one copy of the machine for each interval of time.
//!
//! Within an interval the rates may be taken as constant, so only the amounts count: what crosses a link in an
//! interval is at most its length over z. What a node keeps goes from its copy in one interval to that in the next.

use crate::Problem;
use crate::flow::max_flow::MaxFlow;
use crate::flow::{Flow, FlowPhase};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::{NODES_MAX, Topology};

/// The whole load in units.
pub(super) const WHOLE: f64 = (1u64 << 60) as f64;

/// How much wider than asked every capacity is: rounding must not refute what holds with equality.
pub(crate) const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

/// The intervals of a problem and the flow on their copies of the machine.
pub(crate) struct TimeExpandedNetwork<'p> {
    problem: &'p Problem<'p>,
    /// When the intervals begin, in increasing order.
    pub(crate) begins: Vec<f64>,
    /// The flow; copy i of node v is i times the nodes + v.
    pub(crate) flow: MaxFlow,
}

/// What a set of copies has to do, and what it can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    /// What enters among them.
    pub(crate) demand: f64,
    /// What they can do in the intervals before the last one.
    pub(crate) before: f64,
    /// What they can do per unit of time in the last interval.
    pub(crate) rate: f64,
}

impl<'p> TimeExpandedNetwork<'p> {
    /// The machine once per release, with the supplies in their intervals; nothing has a capacity yet.
    pub(crate) fn of_releases(problem: &'p Problem<'p>) -> Result<Self> {
        let mut network = Self::new(problem, problem.releases())?;
        (0..problem.sources().len()).for_each(|source| network.supply(source));
        Ok(network)
    }

    /// The machine once per interval, without supplies and without capacities; between two equal begins lies an
    /// interval of no length.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when all copies together have more nodes than the largest machine.
    pub(crate) fn new(problem: &'p Problem<'p>, begins: Vec<f64>) -> Result<Self> {
        let nodes = begins.len() as u64 * u64::from(problem.machine().nodes());
        if nodes > u64::from(NODES_MAX) {
            return Err(Error::TooLarge {
                what: "a flow over this many moments",
                needed: format!("{} copies of the machine, {nodes} nodes", begins.len()),
                limit: format!("{NODES_MAX} nodes"),
            });
        }
        let (first, targets) = wires(problem, begins.len());
        let mut network = Self { problem, begins, flow: MaxFlow::new(first, &targets) };
        network.open_stores();
        Ok(network)
    }

    /// Puts the load of a source into the first interval that begins at its release or later.
    pub(crate) fn supply(&mut self, source: usize) {
        let source = &self.problem.sources()[source];
        let at = self.copy_at(source.release) * self.nodes() + source.node.index();
        self.flow.supply(at, (source.load * WHOLE) as i64);
    }

    /// The first interval that begins at a moment or later.
    fn copy_at(&self, moment: f64) -> usize {
        self.begins.partition_point(|&begin| begin < moment)
    }

    /// The problem.
    pub(crate) fn problem(&self) -> &'p Problem<'p> {
        self.problem
    }

    /// The number of nodes of the machine.
    pub(crate) fn nodes(&self) -> usize {
        self.problem.machine().nodes() as usize
    }

    /// How many copies there are.
    pub(crate) fn copies(&self) -> usize {
        self.begins.len()
    }

    /// How long an interval is when the last one ends at `end`.
    pub(crate) fn length(&self, copy: usize, end: f64) -> f64 {
        let until = self.begins.get(copy + 1).copied().unwrap_or(end);
        until - self.begins[copy]
    }

    /// The arc of a link in one interval.
    pub(crate) fn arc(&self, copy: usize, node: usize, port: u32) -> usize {
        self.flow.arcs(copy * self.nodes() + node).start + port as usize
    }

    /// Lets every node keep what it likes from one interval to the next.
    fn open_stores(&mut self) {
        let nodes = self.nodes();
        for copy in 1..self.copies() {
            for node in 0..nodes {
                let later = self.flow.arcs((copy - 1) * nodes + node).end - 1;
                self.flow.raise_arc(later, units(1.0));
            }
        }
    }

    /// Gives links what they carry until `end`.
    pub(crate) fn raise_links(&mut self, end: f64) {
        self.raise_links_where(end, 1.0, |_, _| true);
    }

    /// Gives the links between the nodes asked for `factor` times what they carry until `end`.
    pub(crate) fn raise_links_where(
        &mut self,
        end: f64,
        factor: f64,
        is_open: impl Fn(usize, usize) -> bool,
    ) {
        let machine = self.problem.machine();
        for copy in 0..self.copies() {
            let length = self.length(copy, end);
            for node in 0..self.nodes() {
                let first = machine.first_link(NodeId(node as u32));
                for port in 0..machine.ports(NodeId(node as u32)) {
                    let arc = self.arc(copy, node, port);
                    if is_open(node, self.flow.target(arc) - copy * self.nodes()) {
                        let time = self.problem.link_time(LinkId(first.0 + port));
                        // A link that takes no time carries everything, in no time too.
                        let share = if time == 0.0 { 1.0 } else { factor * length / time };
                        self.flow.raise_arc(arc, units(share));
                    }
                }
            }
        }
    }

    /// Gives nodes what they work off until `end`.
    pub(crate) fn raise_nodes(&mut self, end: f64) {
        for copy in 0..self.copies() {
            let length = self.length(copy, end);
            for node in 0..self.nodes() {
                let work = self.problem.work(NodeId(node as u32));
                self.flow.raise_sink(copy * self.nodes() + node, units(length / work));
            }
        }
    }

    /// Gives a node in one interval this much to work off.
    pub(crate) fn raise_node(&mut self, copy: usize, node: usize, share: f64) {
        self.flow.raise_sink(copy * self.nodes() + node, units(share));
    }

    /// What a set of copies (in increasing order) has to do and can do by links and processors.
    pub(crate) fn balance(&self, set: &[u32]) -> Balance {
        let nodes = self.nodes();
        let is_inside = self.membership(set);
        let sources = self
            .problem
            .sources()
            .iter()
            .filter(|source| is_inside(self.copy_at(source.release) * nodes + source.node.index()));
        let demand = sources.map(|source| source.load).sum();
        let mut can = vec![(0.0, 0u64, 0.0, 0u64); self.copies()];
        let machine = self.problem.machine();
        for &inside in set {
            let (copy, node) = (inside as usize / nodes, inside as usize % nodes);
            let id = NodeId(node as u32);
            let (work, workers, links, wires) = &mut can[copy];
            *work += 1.0 / self.problem.work(id);
            *workers += u64::from(machine.is_alive(id));
            for port in 0..machine.ports(id) {
                let arc = self.arc(copy, node, port);
                if self.flow.is_wire(arc) && !is_inside(self.flow.target(arc)) {
                    *links += 1.0 / self.problem.link_time(machine.link(id, Port(port)));
                    *wires += 1;
                }
            }
        }
        let rate = |&(work, workers, links, wires): &(f64, u64, f64, u64)| {
            // Counts have no rounding: where all are alike they are better than sums.
            match self.problem.is_uniform() {
                true if wires == 0 => workers as f64,
                true => workers as f64 + wires as f64 / self.problem.sigma(),
                false => work + links,
            }
        };
        let (last, earlier) = can.split_last().expect("there is an interval");
        let before = earlier.iter().enumerate().map(|(copy, can)| rate(can) * self.length(copy, 0.0));
        Balance { demand, before: before.sum(), rate: rate(last) }
    }

    /// Whether a copy is in a set in increasing order: a table for large sets.
    fn membership<'s>(&self, set: &'s [u32]) -> impl Fn(usize) -> bool + use<'s> {
        let mut table = Vec::new();
        if set.len() > 64 {
            table.resize(self.flow.nodes(), false);
            set.iter().for_each(|&copy| table[copy as usize] = true);
        }
        move |copy| match table.get(copy) {
            Some(&inside) => inside,
            None => set.binary_search(&(copy as u32)).is_ok(),
        }
    }

    /// The nodes of the machine of which some copy is in the set, in increasing order.
    pub(crate) fn nodes_of(&self, set: &[u32]) -> Vec<NodeId> {
        let mut nodes: Vec<u32> = set.iter().map(|&copy| copy % self.nodes() as u32).collect();
        if self.copies() > 1 {
            nodes.sort_unstable();
            nodes.dedup();
        }
        nodes.into_iter().map(NodeId).collect()
    }
}

/// A share of the load in units, a little more than asked.
pub(super) fn units(share: f64) -> i64 {
    // Loads that add up to the whole may be a few units more: the slack is above the whole, too.
    (share.clamp(0.0, 1.0) * (1.0 + SLACK) * WHOLE).ceil() as i64
}

/// The share that a number of units is.
pub(crate) fn share(units: i64) -> f64 {
    units as f64 / WHOLE
}

/// The arcs of all copies: the links of the node, then one to its next copy and one to the copy before, which
/// only takes back.
pub(super) fn wires(problem: &Problem, copies: usize) -> (Vec<u32>, Vec<u32>) {
    let machine = problem.machine();
    let nodes = machine.nodes();
    let stores = if copies > 1 { 2 } else { 0 };
    let mut first = Vec::with_capacity(copies * nodes as usize + 1);
    let mut targets = Vec::with_capacity(copies * (machine.links() as usize + stores * nodes as usize));
    first.push(0);
    for copy in 0..copies as u32 {
        for node in 0..nodes {
            let own = copy * nodes + node;
            for port in 0..machine.ports(NodeId(node)) {
                let next = machine.neighbour(NodeId(node), Port(port));
                targets.push(next.map_or(own, |next| copy * nodes + next.0));
            }
            if copies > 1 {
                targets.push(if copy > 0 { own - nodes } else { own });
                targets.push(if copy + 1 < copies as u32 { own + nodes } else { own });
            }
            first.push(targets.len() as u32);
        }
    }
    (first, targets)
}

/// The flow of each interval.
pub(super) fn phases(network: &TimeExpandedNetwork, end: f64) -> Vec<FlowPhase> {
    let machine = network.problem().machine();
    let nodes = network.nodes();
    let phase = |copy: usize| {
        let mut link = vec![0.0; machine.links() as usize];
        for id in 0..nodes {
            let first = machine.first_link(NodeId(id as u32)).index();
            for port in 0..machine.ports(NodeId(id as u32)) {
                link[first + port as usize] = share(network.flow.flow(network.arc(copy, id, port)));
            }
        }
        let node = (0..nodes).map(|id| share(network.flow.taken(copy * nodes + id))).collect();
        let from = network.begins[copy];
        FlowPhase { from, until: from + network.length(copy, end), flow: Flow { link, node } }
    };
    (0..network.copies()).map(phase).collect()
}

/// The sum over the intervals, net of what goes both ways at different times.
pub(super) fn total(problem: &Problem, phases: &[FlowPhase]) -> Flow {
    let machine = problem.machine();
    let mut flow = phases[0].flow.clone();
    for FlowPhase { flow: more, .. } in &phases[1..] {
        flow.link.iter_mut().zip(&more.link).for_each(|(sum, link)| *sum += link);
        flow.node.iter_mut().zip(&more.node).for_each(|(sum, node)| *sum += node);
    }
    if phases.len() > 1 {
        for link in 0..machine.links() {
            let back =
                machine.target(LinkId(link)).and_then(|to| machine.wire(to, machine.source(LinkId(link))));
            if let Some(back) = back {
                let both = flow.link[link as usize].min(flow.link[back.index()]);
                flow.link[link as usize] -= both;
                flow.link[back.index()] -= both;
            }
        }
    }
    flow
}
