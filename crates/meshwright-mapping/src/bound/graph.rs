//! Lower bounds of any phased task graph: arguments of one task, of cuts, of all links together.
//!
//! A message occupies every link it crosses for b W ticks, and for a start-up more when it is stored; call that its load.
//! Every task has a node of its own, so a message between two tasks crosses a link. A phase lasts
//!
//! ```text
//! wormhole, cut-through   c + the load of the busiest link,   c + b W + h d of every message over d links
//! store-and-forward       the load of the busiest link,       d (c + b W)
//! ```
//!
//! or longer, see [`meshwright_schedule::cost::link_bound`]. Four arguments bound the busiest link (Q below), one the distances.
//!
//! **Degrees.** What a task sends leaves its node over the links of that node: on a node with g of them one carries
//! 1/g of it. Let N nodes live and T tasks be placed, s = N - T. The k nodes with the fewest links hold k - s tasks or
//! more; one of these sends at least what the (k-s)-th of all tasks sends, in increasing order. So Q >= that / g_k, with
//! g_k the links of the k-th node. The same for what tasks receive.
//!
//! **Cuts.** Let S be a set of nodes with m tasks on it and u links out of it. Of what a task on S sends, at most what
//! goes to its m - 1 best partners stays inside; call the rest r_m. So the links carry at least the sum of the m least
//! r_m, and Q >= that / u. The same holds for what the other T - m tasks receive from S. With n living nodes in S, m is
//! at least n - s and at most n; the least over these counts. Sets: the nodes up to any one, in the order of rows, of
//! columns, ..., and of distance from four nodes of least degree.
//!
//! **Volume.** At most B(d) - 1 other nodes lie within d links of a node ([`largest_balls`]), so the partners of a task,
//! the heaviest first, lie at least 1, 1, ..., 2, ... links away. Load times distance, summed over all tasks and
//! halved, for both ends count each message, is spread over all links.
//!
//! **Distance.** Of the B(d - 1) heaviest partners of a task one at least is d links away or farther, and the message
//! between them is no less than that of the lightest of these partners.
//!
//! **Phases.** A barrier ends each phase, each time it runs, so phases add up. And the placement is one for all phases: what the busiest
//! link carries in all of them together bounds the sum of what the busiest carries in each.
//!
//! Dead nodes and links only lower N, degrees and cuts, and these are counted as they are. Single ports add
//! [`meshwright_schedule::cost::ports`], which knows no places.

use super::phase_ticks;
use super::radius::largest_balls;
use crate::TaskGraph;
use crate::task_graph::Edge;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, PortModel, Switching, Topology, distances_from};
use meshwright_schedule::{Message, cost};

/// Cuts are looked at on machines up to here.
const CUT_NODES_MAX: u32 = 1 << 16;

/// Cuts are left out where all phases together take more steps.
const CUT_STEPS_MAX: u64 = 1 << 24;

/// Of so many nodes of least degree the distances give an order; so many axes do.
const CORNERS: usize = 4;

/// What a machine allows a task graph: its degrees, its cuts, its balls. Wires lead both ways, so links in are as many as
/// links out.
#[derive(Clone, Debug)]
pub struct Terrain {
    links: u64,
    /// Links out of each living node, in increasing order.
    degrees: Vec<u64>,
    /// The fewest links out of so many living nodes, of the sets looked at.
    cuts: Vec<u64>,
    /// The most nodes within 0, 1, 2, ... links of one.
    balls: Vec<u64>,
}

/// A lower bound of a task graph, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBound {
    /// Of each phase alone, all its repetitions together.
    pub phases: Vec<u64>,
    /// Of all together.
    pub ticks: u64,
}

impl Terrain {
    /// Looks at a machine.
    ///
    /// # Complexity
    ///
    /// O((nodes + links) log nodes) for each of at most eight orders of the nodes, beside the time for the balls.
    pub fn new(machine: &Machine) -> Self {
        let degree_of = |node| machine.neighbours(node).count() as u64;
        let living: Vec<NodeId> = machine.living().collect();
        let mut degrees: Vec<u64> = living.iter().map(|&node| degree_of(node)).collect();
        degrees.sort_unstable();
        let mut cuts = vec![u64::MAX; living.len() + 1];
        if machine.nodes() <= CUT_NODES_MAX {
            orders(machine, &living).iter().for_each(|order| cut_along(machine, order, &mut cuts));
        }
        Self { links: degrees.iter().sum(), degrees, cuts, balls: largest_balls(machine) }
    }

    /// The least distance to the partner of this rank, the nearest of rank 0.
    fn distance(&self, rank: usize) -> usize {
        let holds = |&nodes: &u64| nodes >= rank as u64 + 2;
        self.balls.iter().position(holds).unwrap_or(self.balls.len())
    }
}

/// Orders of the living nodes: along each axis, and by the distance from four nodes of least degree.
fn orders(machine: &Machine, living: &[NodeId]) -> Vec<Vec<NodeId>> {
    let sorted = |key: &dyn Fn(NodeId) -> u32| {
        let mut order = living.to_vec();
        order.sort_by_key(|&node| (key(node), node));
        order
    };
    let sides = machine.sides();
    let along = |axis: usize| {
        let stride: u32 = sides[axis + 1..].iter().product();
        sorted(&move |node: NodeId| node.0 / stride % sides[axis])
    };
    let mut corners = sorted(&|node| machine.neighbours(node).count() as u32);
    corners.truncate(CORNERS);
    let around = corners.into_iter().map(|corner| {
        let distance = distances_from(machine, corner);
        sorted(&move |node: NodeId| distance[node.index()])
    });
    (0..sides.len().min(CORNERS)).map(along).chain(around).collect()
}

/// Counts the links out of the first 1, 2, ... nodes of an order.
fn cut_along(machine: &Machine, order: &[NodeId], cuts: &mut [u64]) {
    let mut inside = vec![false; machine.nodes() as usize];
    let mut links = 0u64;
    for (count, node) in (1..).zip(order) {
        for (_, next) in machine.neighbours(*node) {
            // A link between two who are inside led out before.
            if inside[next.index()] { links -= 1 } else { links += 1 }
        }
        inside[node.index()] = true;
        cuts[count] = cuts[count].min(links);
    }
}

/// What one task sends to another, or hears from it, in ticks on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    task: u32,
    partner: u32,
    load: u128,
}

/// Messages between different tasks: source, target, ticks on a link.
type Loads = Vec<(u32, u32, u128)>;

/// Adds up what goes from each task to each partner, or takes the most of one message.
fn shares(ends: impl Iterator<Item = Share>, add: fn(u128, u128) -> u128) -> Vec<Share> {
    let mut shares: Vec<Share> = ends.collect();
    shares.sort_unstable();
    shares.dedup_by(|next, kept| {
        let same = (next.task, next.partner) == (kept.task, kept.partner);
        if same {
            kept.load = add(kept.load, next.load);
        }
        same
    });
    shares
}

fn sent(loads: &Loads) -> impl Iterator<Item = Share> {
    loads.iter().map(|&(task, partner, load)| Share { task, partner, load })
}

fn heard(loads: &Loads) -> impl Iterator<Item = Share> {
    loads.iter().map(|&(partner, task, load)| Share { task, partner, load })
}

/// The partners of each task that has some, the heaviest first.
fn by_task(shares: &[Share]) -> impl Iterator<Item = Vec<u128>> {
    shares.chunk_by(|a, b| a.task == b.task).map(|own| {
        let mut loads: Vec<u128> = own.iter().map(|share| share.load).collect();
        loads.sort_unstable_by(|a, b| b.cmp(a));
        loads
    })
}

/// Of each task with partners what it sends or hears beyond its 0, 1, 2, ... best ones.
fn rests(shares: &[Share]) -> Vec<Vec<u128>> {
    let from_the_end = |mut loads: Vec<u128>| {
        (0..loads.len().saturating_sub(1)).rev().for_each(|at| loads[at] += loads[at + 1]);
        loads
    };
    by_task(shares).map(from_the_end).collect()
}

/// Of each task what it sends or hears beyond its `most` best partners, in increasing order.
fn beyond(rests: &[Vec<u128>], most: usize, tasks: usize) -> Vec<u128> {
    let mut beyond = vec![0; tasks];
    beyond.iter_mut().zip(rests).for_each(|(beyond, rests)| *beyond = rests.get(most).copied().unwrap_or(0));
    beyond.sort_unstable();
    beyond
}

impl Terrain {
    /// The ticks for which the busiest link is occupied at least, for so many tasks.
    fn busiest(&self, loads: &Loads, tasks: usize, with_cuts: bool) -> u128 {
        let add = |a: u128, b: u128| a + b;
        let directions = [shares(sent(loads), add), shares(heard(loads), add)];
        let rests = directions.each_ref().map(|shares| rests(shares));
        let least = rests.iter().map(|rests| self.by_degrees(&beyond(rests, 0, tasks)));
        let least = least.max().unwrap_or(0).max(self.by_volume(loads));
        if with_cuts { least.max(self.by_cuts(&rests, tasks)) } else { least }
    }

    /// `of_tasks` what each task sends, in increasing order.
    fn by_degrees(&self, of_tasks: &[u128]) -> u128 {
        let spare = self.degrees.len().saturating_sub(of_tasks.len());
        let used = self.degrees.iter().skip(spare).zip(of_tasks);
        used.filter(|(degree, _)| **degree > 0)
            .map(|(&degree, load)| load.div_ceil(degree.into()))
            .max()
            .unwrap_or(0)
    }

    fn by_volume(&self, loads: &Loads) -> u128 {
        let both = shares(sent(loads).chain(heard(loads)), |a, b| a + b);
        let far = |loads: Vec<u128>| -> u128 {
            loads.iter().enumerate().map(|(rank, load)| load * self.distance(rank) as u128).sum()
        };
        let twice: u128 = by_task(&both).map(far).sum();
        if self.links == 0 { 0 } else { twice.div_ceil(2 * u128::from(self.links)) }
    }

    fn by_cuts(&self, rests: &[Vec<Vec<u128>>; 2], tasks: usize) -> u128 {
        // least[m]: what leaves m tasks at least; from m = the most partners on nothing need leave.
        let leaves = |rests: &[Vec<u128>]| {
            let most = rests.iter().map(Vec::len).max().unwrap_or(0);
            let least = |m: usize| beyond(rests, m - 1, tasks).iter().take(m).sum::<u128>();
            let mut of_count = vec![0; tasks + 1];
            (1..=most.min(tasks)).for_each(|m| of_count[m] = least(m));
            of_count
        };
        let [out, into] = rests.each_ref().map(|rests| leaves(rests));
        let least: Vec<u128> = (0..=tasks).map(|m| out[m].max(into[tasks - m])).collect();
        let spare = self.degrees.len().saturating_sub(tasks);
        let one = |(count, &links): (usize, &u64)| {
            let range = count.saturating_sub(spare)..=count.min(tasks);
            let over = least[range].iter().min().copied().unwrap_or(0);
            if links == 0 { 0 } else { over.div_ceil(links.into()) }
        };
        let known = self.cuts.iter().enumerate().filter(|(_, links)| **links != u64::MAX);
        known.map(one).max().unwrap_or(0)
    }

    /// The steps of [`Self::by_cuts`], about.
    fn cut_steps(&self, graph: &TaskGraph) -> u64 {
        let mut partners = vec![0u64; graph.tasks as usize];
        for edge in graph.edges() {
            partners[edge.source as usize] += 1;
            partners[edge.target as usize] += 1;
        }
        let most = partners.into_iter().max().unwrap_or(0).min(u64::from(graph.tasks));
        let spare = (self.degrees.len() as u64).saturating_sub(u64::from(graph.tasks));
        (most * u64::from(graph.tasks) + spare * self.degrees.len() as u64) * (graph.phases() as u64 + 1)
    }

    /// The slowest message of a phase: of many partners some are far.
    fn slowest(&self, loads: &Loads, alone: impl Fn(u128, u128) -> u128) -> u128 {
        let most = shares(sent(loads).chain(heard(loads)), u128::max);
        let ticks = |(rank, &load): (usize, &u128)| alone(load, self.distance(rank) as u128);
        let of_task = |loads: Vec<u128>| loads.iter().enumerate().map(ticks).max();
        by_task(&most).filter_map(of_task).max().unwrap_or(0)
    }
}

/// The bound of a task graph on this machine, under this switching.
///
/// More than 2^64 - 1 ticks count as so many.
///
/// # Complexity
///
/// O(edges log edges), and for cuts O(tasks log tasks) times the most partners of a task; they are left out where that is long.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::{Terrain, graph_ticks};
/// use meshwright_mapping::TaskGraph;
/// use meshwright_mapping::task_graph::Edge;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// // Everybody sends 80 bytes to everybody: 8 * 8 messages leave the left half of the mesh over 4 links.
/// let pairs = (0..16).flat_map(|source| (0..16).map(move |target| (source, target)));
/// let edge = |(source, target)| (1, Edge { source, target, bytes: Bytes(80) });
/// let graph = TaskGraph::new("all to all", 16, pairs.filter(|(a, b)| a != b).map(edge).collect())?;
/// let mesh = Machine::new("mesh:4x4")?;
/// let bound = graph_ticks(&graph, &Terrain::new(&mesh), &mesh, mesh.switching());
/// assert_eq!(bound.ticks, 100 + 8 * 8 * 80 / 4);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn graph_ticks(
    graph: &TaskGraph,
    terrain: &Terrain,
    machine: &Machine,
    switching: Switching,
) -> GraphBound {
    let (costs, stores) = (machine.costs(), switching == Switching::StoreAndForward);
    let startup = u128::from(costs.startup_ticks());
    let load_of =
        |edge: &Edge| u128::from(costs.transfer_ticks(edge.bytes)) + if stores { startup } else { 0 };
    let loads_of = |index: usize, times: u128| {
        let between = graph.phase(index).iter().filter(|edge| edge.source != edge.target);
        between.map(move |edge| (edge.source, edge.target, load_of(edge) * times))
    };
    let alone = |load: u128, hops: u128| match stores {
        true => load * hops,
        false => startup + load + hops * u128::from(costs.head_ticks()),
    };
    let before = |loads: &Loads| if stores || loads.is_empty() { 0 } else { startup };
    let with_cuts = terrain.cut_steps(graph) <= CUT_STEPS_MAX;
    let tasks = graph.tasks as usize;
    let (mut phases, mut startups) = (Vec::with_capacity(graph.phases()), 0);
    for index in 0..graph.phases() {
        let times = u128::from(graph.repeats(index));
        let loads: Loads = loads_of(index, 1).collect();
        startups += before(&loads) * times;
        let over_links =
            (before(&loads) + terrain.busiest(&loads, tasks, with_cuts)).max(terrain.slowest(&loads, alone));
        let at_ports = u128::from(ports(graph.phase(index), machine, switching));
        let over_links = over_links + 2 * u128::from(overhead(&loads, machine));
        let once = over_links.max(ends(&loads, machine, alone)).max(at_ports);
        phases.push(saturated(once * times).max(phase_ticks(graph, index, switching, costs)));
    }
    let sum = phases.iter().map(|&ticks| u128::from(ticks)).sum::<u128>();
    let all = || (0..graph.phases()).flat_map(|index| loads_of(index, graph.repeats(index).into()));
    let together = match graph.phases_total() {
        0 | 1 => 0,
        _ => startups + terrain.busiest(&all().collect(), tasks, with_cuts),
    };
    GraphBound { phases, ticks: saturated(sum.max(together)) }
}

fn saturated(ticks: u128) -> u64 {
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

/// Ticks of the overhead o, if there is a message.
fn overhead(loads: &Loads, machine: &Machine) -> u64 {
    if loads.is_empty() { 0 } else { machine.endpoints().overhead.0 * machine.costs().ticks_per_cycle() }
}

/// What the nodes at the ends of messages take for a phase: a task that sends or receives d messages needs
/// `o + (d - 1) max(o, g) + the shortest message alone + o`.
fn ends(loads: &Loads, machine: &Machine, alone: impl Fn(u128, u128) -> u128) -> u128 {
    let endpoints = machine.endpoints();
    let Some(least) = loads.iter().map(|&(_, _, load)| load).min().filter(|_| !endpoints.is_free()) else {
        return 0;
    };
    let most = |mut tasks: Vec<u32>| {
        tasks.sort_unstable();
        tasks.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0) as u128
    };
    let sent = most(loads.iter().map(|&(source, _, _)| source).collect());
    let received = most(loads.iter().map(|&(_, target, _)| target).collect());
    let between = endpoints.overhead.0.max(endpoints.gap.0) * machine.costs().ticks_per_cycle();
    let both = 2 * u128::from(overhead(loads, machine));
    both + (sent.max(received) - 1) * u128::from(between) + alone(least, 1)
}

/// What one port a node takes for a phase: different tasks are on different nodes, so tasks stand for them.
pub(crate) fn ports(edges: &[Edge], machine: &Machine, switching: Switching) -> u64 {
    if machine.port_model() == PortModel::All {
        return 0;
    }
    let message = |edge: &Edge| Message {
        source: NodeId(edge.source),
        target: NodeId(edge.target),
        bytes: edge.bytes,
        phase: 0,
    };
    let messages: Vec<Message> = edges.iter().map(message).collect();
    cost::ports(&messages, switching, machine.costs())
}
