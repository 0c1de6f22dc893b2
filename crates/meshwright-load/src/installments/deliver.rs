//! The shares of any plan as real messages along shortest paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::consign::{Consignment, consignments};
use super::paths::BalancedTree;
use super::record::{Programs, Record};
use super::scale::Scale;
use super::streams::CarryingLink;
use crate::{Forwarding, Plan};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId};
use meshwright_network::topology::Topology;
use meshwright_schedule::Schedule;

/// More messages than this are refused.
pub const MESSAGES_MAX: u64 = 1 << 24;

/// Sends every share of a plan from its source, the nearest nodes first, hop by hop along shortest paths that spread
/// over the links of the source.
///
/// Each share is cut into `pieces`. Under [`Forwarding::CutThrough`] a node works on each piece as it comes; under
/// [`Forwarding::ModifiedStoreAndForward`] it relays pieces and works when its whole share is there; under
/// [`Forwarding::StoreAndForward`] shares are not cut. A link serves messages in the order in which they come to it.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a node has a share and no source that has something left reaches it,
/// [`Error::TooLarge`] for more than [`MESSAGES_MAX`] messages, [`Error::Value`] for no pieces.
///
/// # Complexity
///
/// O(sources (nodes + links) + messages log messages); a message goes over one link.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Plan, Problem, Source};
/// use meshwright_load::installments::{Scale, deliver};
/// use meshwright_network::topology::{Costs, Machine};
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// let mut line = Machine::new("mesh:1x2")?;
/// line = line.with_costs(Costs { startup: Cycles(0), flit: Bytes(0), ..Costs::default() })?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let scale = Scale::new(&problem, 300)?; // two cycles of work a byte
/// let plan = Plan { makespan: 0.6, shares: vec![0.6, 0.4], cells: None };
/// let schedule = deliver(&scale, &plan, Forwarding::StoreAndForward, 1)?;
/// assert_eq!(schedule.messages().len(), 1);
/// assert_eq!(meshwright_sim::simulate(&line, &schedule, &meshwright_sim::Engine::Message)?.cycles.0, 360, "both are ready after 120 + 240 cycles");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn deliver(scale: &Scale, plan: &Plan, forwarding: Forwarding, pieces: u32) -> Result<Schedule> {
    deliver_and_return(scale, plan, forwarding, pieces, 0.0)
}

/// The same, and what was worked off sends its results, `results` times the size of their load, back the way the load
/// came.
///
/// # Errors
///
/// As for [`deliver`].
///
/// # Complexity
///
/// That of [`deliver`], twice as many messages.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Plan, Problem, Source};
/// use meshwright_load::installments::{Scale, deliver_and_return};
/// use meshwright_network::topology::{Costs, Machine};
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// let mut line = Machine::new("mesh:1x2")?;
/// line = line.with_costs(Costs { startup: Cycles(0), flit: Bytes(0), ..Costs::default() })?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let plan = Plan { makespan: 0.7, shares: vec![0.6, 0.4], cells: None };
/// let schedule = deliver_and_return(&Scale::new(&problem, 300)?, &plan, Forwarding::StoreAndForward, 1, 0.5)?;
/// assert_eq!(meshwright_sim::simulate(&line, &schedule, &meshwright_sim::Engine::Message)?.cycles.0, 120 + 240 + 60);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn deliver_and_return(
    scale: &Scale,
    plan: &Plan,
    forwarding: Forwarding,
    pieces: u32,
    results: f64,
) -> Result<Schedule> {
    if pieces == 0 {
        return Err(Error::value("number of pieces", pieces, "at least 1"));
    }
    let pieces = if forwarding == Forwarding::StoreAndForward { 1 } else { u64::from(pieces) };
    carried(scale, &consignments(scale, plan)?, forwarding, pieces, results)
}

/// The same with whole shares, those first that take the longest until they are worked off: the way and the work. As good an order as there is
/// where a link serves one after the other and nothing else is in the way (Jackson's rule).
///
/// # Errors
///
/// As for [`deliver`].
///
/// # Complexity
///
/// That of [`deliver`].
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Plan, Problem, Source};
/// use meshwright_load::installments::{Scale, deliver, deliver_longest_first};
/// use meshwright_network::topology::{Costs, Machine};
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_sim::{Engine, simulate};
/// let mut line = Machine::new("mesh:1x3")?;
/// line = line.with_costs(Costs { startup: Cycles(0), flit: Bytes(0), ..Costs::default() })?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let scale = Scale::new(&problem, 400)?; // two cycles of work a byte
/// let plan = Plan { makespan: 0.5, shares: vec![0.5, 0.25, 0.25], cells: None };
/// let whole = Forwarding::StoreAndForward;
/// let nearest = simulate(&line, &deliver(&scale, &plan, whole, 1)?, &Engine::Message)?;
/// let longest = simulate(&line, &deliver_longest_first(&scale, &plan, whole, 0.0)?, &Engine::Message)?;
/// assert_eq!((nearest.cycles, longest.cycles), (Cycles(500), Cycles(400)), "the far share goes two links");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn deliver_longest_first(
    scale: &Scale,
    plan: &Plan,
    forwarding: Forwarding,
    results: f64,
) -> Result<Schedule> {
    let mut consignments = consignments(scale, plan)?;
    let byte = scale.message_ticks(Bytes(1 << 20)) as f64 / f64::from(1 << 20);
    let ticks = scale.costs().ticks_per_cycle();
    let until_done = |one: &Consignment| {
        scale.work(one.node, one.bytes).0 * ticks + (f64::from(one.hops) * byte * one.bytes as f64) as u64
    };
    consignments.sort_by_cached_key(|one| (one.source, Reverse(until_done(one))));
    carried(scale, &consignments, forwarding, 1, results)
}

/// Sends consignments in their order, source by source.
fn carried(
    scale: &Scale,
    consignments: &[Consignment],
    forwarding: Forwarding,
    pieces: u64,
    results: f64,
) -> Result<Schedule> {
    let messages: u64 = consignments.iter().map(|one| u64::from(one.hops) * pieces.min(one.bytes)).sum();
    if messages > MESSAGES_MAX {
        return Err(Error::TooLarge {
            what: "sending the shares",
            needed: format!("{messages} messages over one link each"),
            limit: format!("{MESSAGES_MAX} messages"),
        });
    }
    let mut carrier = Carrier::new(scale, forwarding, results);
    for of_source in consignments.chunk_by(|a, b| a.source == b.source) {
        carrier.load(of_source, pieces);
    }
    carrier.run();
    Ok(carrier.record.into_schedule())
}

/// A piece on its way.
#[derive(Clone, Copy, Debug)]
struct Piece {
    node: NodeId,
    bytes: u64,
    /// The links it takes, in the list of all, and how many it has crossed.
    first: u32,
    hops: u32,
    crossed: u32,
    /// Whether it is a result on its way back.
    returns: bool,
    /// The step after which it goes on, where it is.
    step: Option<u32>,
}

struct Carrier<'s, 'p, 'm> {
    scale: &'s Scale<'p, 'm>,
    works_when_whole: bool,
    /// The size of results over that of their load.
    results: f64,
    record: Programs,
    tree: BalancedTree<'m>,
    pieces: Vec<Piece>,
    paths: Vec<LinkId>,
    /// By link id, when it is free, in ticks.
    free: Vec<u64>,
    /// By node id, all it gets, and the bytes still to come; and the pieces that are there, where it waits for all.
    share: Vec<u64>,
    awaited: Vec<u64>,
    brought: Vec<Vec<Piece>>,
    /// By node id, when its processor is free, in ticks.
    processor: Vec<u64>,
    /// By node id, how long its processor has waited for releases, in cycles.
    waited: Vec<u64>,
    /// Pieces by the tick from which they go on, of equal ones the lower index.
    agenda: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'s, 'p, 'm> Carrier<'s, 'p, 'm> {
    fn new(scale: &'s Scale<'p, 'm>, forwarding: Forwarding, results: f64) -> Self {
        let machine = scale.problem().machine();
        let nodes = machine.nodes() as usize;
        Self {
            scale,
            works_when_whole: forwarding == Forwarding::ModifiedStoreAndForward,
            results,
            record: Programs::new(machine.nodes(), machine.links()),
            tree: BalancedTree::new(machine),
            pieces: Vec::new(),
            paths: Vec::new(),
            free: vec![0; machine.links() as usize],
            share: vec![0; nodes],
            awaited: vec![0; nodes],
            brought: vec![Vec::new(); nodes],
            processor: vec![0; nodes],
            waited: vec![0; nodes],
            agenda: BinaryHeap::new(),
        }
    }

    /// Puts the consignments of one source at its node.
    fn load(&mut self, consignments: &[Consignment], pieces: u64) {
        let Some(&Consignment { source, .. }) = consignments.first() else { return };
        let entry = self.scale.problem().sources()[source];
        let release = self.scale.cycles(entry.release).0;
        let waited = &mut self.waited[entry.node.index()];
        let step = self.record.wait(entry.node, Cycles(release.saturating_sub(*waited)));
        *waited = release.max(*waited);
        let tick = *waited * self.scale.costs().ticks_per_cycle();
        self.processor[entry.node.index()] = tick;
        self.tree.grow(entry.node, consignments.iter().map(|one| (one.node, one.bytes)));
        for one in consignments {
            let first = self.paths.len();
            self.paths.extend(self.tree.links_to(one.node));
            self.awaited[one.node.index()] += one.bytes;
            self.share[one.node.index()] += one.bytes;
            let count = pieces.min(one.bytes);
            for index in 0..count {
                let bytes = one.bytes * (index + 1) / count - one.bytes * index / count;
                let number = self.pieces.len() as u32;
                let (first, hops) = (first as u32, one.hops);
                self.pieces.push(Piece {
                    node: one.node,
                    bytes,
                    first,
                    hops,
                    crossed: 0,
                    returns: false,
                    step,
                });
                self.agenda.push(Reverse((tick, number)));
            }
        }
    }

    /// Moves all pieces, in the order of time.
    fn run(&mut self) {
        while let Some(Reverse((tick, number))) = self.agenda.pop() {
            let piece = self.pieces[number as usize];
            if piece.crossed == piece.hops {
                self.arrive(piece, tick);
                continue;
            }
            let machine = self.scale.problem().machine();
            let link = if piece.returns {
                let way = self.paths[(piece.first + piece.hops - 1 - piece.crossed) as usize];
                let end = machine.target(way).expect("a link of a path leads somewhere");
                machine.wire(end, machine.source(way)).expect("links come in pairs")
            } else {
                self.paths[(piece.first + piece.crossed) as usize]
            };
            let to = machine.target(link).expect("a link of a path leads somewhere");
            let channel = CarryingLink { link, from: machine.source(link), to };
            let message = self.scale.message(link, piece.bytes);
            let step = self.record.send(channel, message, piece.step.into_iter());
            let free = &mut self.free[link.index()];
            *free = tick.max(*free) + self.scale.message_ticks(message);
            self.pieces[number as usize] = Piece { crossed: piece.crossed + 1, step: Some(step), ..piece };
            self.agenda.push(Reverse((*free, number)));
        }
    }

    /// A piece is where it is worked off, or a result where its load came from.
    fn arrive(&mut self, piece: Piece, tick: u64) {
        let node = piece.node.index();
        if piece.returns {
            return;
        }
        if !self.works_when_whole {
            return self.work(&[piece], piece.bytes, tick);
        }
        self.awaited[node] -= piece.bytes;
        self.brought[node].push(piece);
        if self.awaited[node] == 0 {
            let pieces = std::mem::take(&mut self.brought[node]);
            self.work(&pieces, self.share[node], tick);
        }
    }

    /// A node works off pieces that are there, and their results set out.
    fn work(&mut self, pieces: &[Piece], bytes: u64, tick: u64) {
        let node = pieces[0].node;
        let cycles = self.scale.work(node, bytes);
        let mut after: Vec<u32> = pieces.iter().filter_map(|piece| piece.step).collect();
        after.sort_unstable();
        after.dedup();
        let step = self.record.work(node, cycles, after.into_iter());
        let free = &mut self.processor[node.index()];
        *free = tick.max(*free) + cycles.0 * self.scale.costs().ticks_per_cycle();
        if self.results == 0.0 {
            return;
        }
        for piece in pieces.iter().filter(|piece| piece.hops > 0) {
            let bytes = (piece.bytes as f64 * self.results).ceil() as u64;
            let number = self.pieces.len() as u32;
            self.pieces.push(Piece { bytes, crossed: 0, returns: true, step: Some(step), ..*piece });
            self.agenda.push(Reverse((*free, number)));
        }
    }
}
