//! One message for each processor, or none at all.
//!
//! Every source keeps what it can work off in a given time and sends the rest, the nearest processors first: each gets
//! one message, as large as it can still work off in that time. The least time in which all is gone is sought by halving.

use super::consign::nearest;
use super::paths::balanced_tree;
use super::record::{Nothing, Programs, Record};
use super::streams::{Channel, supplies};
use super::{Installments, Scale};
use crate::error::{Error, Result};
use crate::load::UNUSED;
use crate::topology::{Topology, distances_from};
use crate::units::{Cycles, LinkId, NodeId};

/// Of the ways from one source to its processors no more links are looked at.
const LINKS_MAX: u64 = 200_000;

/// Nor more nodes for all sources together.
const SEARCHED_NODES_MAX: u64 = 20_000_000;

/// How far the messages may go, in links, each tried alone.
const REACHES: &[u32] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, u32::MAX];

/// All the load stays where it enters.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a source cannot work.
///
/// # Complexity
///
/// O(nodes + sources log sources).
pub fn stay(scale: &Scale) -> Result<Installments> {
    let homes = homes(scale);
    let end = homes.iter().map(|home| home.alone(scale)).max().unwrap_or(0);
    if end == u64::MAX {
        return Err(Error::not_applicable("keeping the load where it enters", "a source cannot work"));
    }
    Ok(Round { scale, homes: &homes, reach: 0, end }.write())
}

/// One message for each processor that is worth one, over as many links as its way has.
///
/// # Errors
///
/// [`Error::NotApplicable`] when not all of the load can be sent like this, [`Error::TooLarge`] when the sources
/// are so many, on so many nodes, that the ways from all of them are not looked for.
///
/// # Complexity
///
/// O(sources (nodes log nodes + links)), and some 700 times the links of all ways.
///
/// # Source
///
/// `zhang2018`, chapter 2: every processor gets one message.
///
/// # Examples
///
/// ```
/// use meshwright::load::installments::{Scale, one_each};
/// use meshwright::load::{Forwarding, Problem, Source, serial};
/// use meshwright::{topology::Machine, units::NodeId};
/// let mut torus = Machine::new("torus:4x4")?;
/// let (costs, bytes) = Scale::costs_of(0.3, 0.5)?;
/// torus.costs = costs;
/// let problem = Problem::new(&torus, vec![Source::at(NodeId(0), 1.0)], 0.3)?;
/// let found = one_each(&Scale::new(&problem, bytes)?)?;
/// let formula = serial::with_startup(16, 4, &0.3, &0.5, Forwarding::ModifiedStoreAndForward)?;
/// assert_eq!((found.messages, formula.used), (4, 5), "one for each neighbour");
/// assert!((1.0 / found.makespan - formula.speedup).abs() < 1e-6);
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn one_each(scale: &Scale) -> Result<Installments> {
    let problem = scale.problem();
    let searched = u64::from(problem.machine().nodes()) * problem.sources().len() as u64;
    if searched > SEARCHED_NODES_MAX {
        return Err(Error::TooLarge {
            what: "one message for each processor",
            needed: format!("{searched} nodes, of all sources together"),
            limit: format!("{SEARCHED_NODES_MAX} nodes"),
        });
    }
    let mut homes = homes(scale);
    let label = nearest(problem);
    let mut has_load = vec![false; label.len()];
    homes.iter().for_each(|home| has_load[home.node.index()] = true);
    homes.iter_mut().for_each(|home| home.look_around(scale, &label, &has_load));
    let farthest =
        homes.iter().flat_map(|home| &home.ways).map(|way| way.links.len() as u32).max().unwrap_or(0);
    let mut best: Option<(u64, u32)> = None;
    for &reach in REACHES {
        if let Some(end) = least(scale, &homes, reach, best.map(|best| best.0)) {
            best = Some((end, reach));
        }
        if reach >= farthest {
            break;
        }
    }
    let Some((end, reach)) = best else {
        let why = "not all of the load can be sent with one message for each processor";
        return Err(Error::not_applicable("one message for each processor", why));
    };
    Ok(Round { scale, homes: &homes, reach, end }.write())
}

/// The least time in ticks in which all can be sent so far, if it is below `known`.
fn least(scale: &Scale, homes: &[Home], reach: u32, known: Option<u64>) -> Option<u64> {
    let fits = |end: u64| Round { scale, homes, reach, end }.run(&mut Nothing).is_some();
    let alone = homes.iter().map(|home| home.alone(scale)).max()?;
    let mut high = match known {
        Some(known) => known - 1,
        None if alone < u64::MAX => alone,
        None => {
            // Somebody cannot work: something that is long enough.
            let ticks = |power: i32| scale.cycles(2f64.powi(power)).0 * scale.costs().ticks_per_cycle();
            (-20..20).map(ticks).find(|&end| fits(end))?
        }
    };
    if !fits(high) {
        return None;
    }
    let mut low = 0;
    // To the last byte of a large load is more than anybody asks.
    while high - low > 1 + high / 100_000_000 {
        let middle = low + (high - low) / 2;
        if fits(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// A node with load, and whom it can send some.
struct Home {
    node: NodeId,
    /// By release in ticks, in bytes.
    loads: Vec<(u64, u64)>,
    ways: Vec<Way>,
}

/// The way to one processor.
struct Way {
    node: NodeId,
    links: Vec<LinkId>,
    /// Whether it is one of its cell.
    is_own: bool,
}

/// The nodes with load, in the order of their first sources.
fn homes(scale: &Scale) -> Vec<Home> {
    let mut homes: Vec<Home> = Vec::new();
    let mut place = vec![usize::MAX; scale.problem().machine().nodes() as usize];
    for supply in supplies(scale.problem(), scale.bytes()) {
        let load = (scale.cycles(supply.release).0 * scale.costs().ticks_per_cycle(), supply.bytes);
        let place = &mut place[supply.node.index()];
        if *place == usize::MAX {
            *place = homes.len();
            homes.push(Home { node: supply.node, loads: Vec::new(), ways: Vec::new() });
        }
        homes[*place].loads.push(load);
    }
    homes.iter_mut().for_each(|home| home.loads.sort_unstable());
    homes
}

impl Home {
    /// When it is done with all of its load by itself, in ticks.
    fn alone(&self, scale: &Scale) -> u64 {
        if !scale.problem().work(self.node).is_finite() {
            return u64::MAX;
        }
        self.loads.iter().fold(0, |free, &(release, bytes)| free.max(release) + work(scale, self.node, bytes))
    }

    /// Finds the ways to all that work and have no load: those of its cell first, then the nearest first.
    fn look_around(&mut self, scale: &Scale, label: &[u32], has_load: &[bool]) {
        let problem = scale.problem();
        let machine = problem.machine();
        let own = problem
            .sources()
            .iter()
            .position(|source| source.node == self.node)
            .map_or(UNUSED, |at| at as u32);
        let distance = distances_from(machine, self.node);
        let usable = |node: &u32| {
            let is_there = distance[*node as usize] != u32::MAX && !has_load[*node as usize];
            is_there && problem.work(NodeId(*node)).is_finite()
        };
        let mut nodes: Vec<u32> = (0..machine.nodes()).filter(usable).collect();
        let is_own = |node: u32| label[node as usize] == own;
        nodes.sort_by_key(|&node| (!is_own(node), distance[node as usize]));
        let weights: Vec<u64> =
            (0..machine.nodes()).map(|node| u64::from(is_own(node) && usable(&node))).collect();
        let tree = balanced_tree(machine, self.node, &weights);
        let mut links_of_all = 0;
        for node in nodes.into_iter().map(NodeId) {
            links_of_all += u64::from(distance[node.index()]);
            if links_of_all > LINKS_MAX {
                break;
            }
            let (mut links, mut at) = (Vec::new(), node);
            while let Some(link) = tree[at.index()] {
                links.push(link);
                at = machine.source(link);
            }
            links.reverse();
            if links.iter().all(|&link| problem.link_time(link).is_finite()) {
                self.ways.push(Way { node, links, is_own: is_own(node.0) });
            }
        }
    }
}

/// How long bytes take a node, in ticks.
fn work(scale: &Scale, node: NodeId, bytes: u64) -> u64 {
    scale.work(node, bytes).0 * scale.costs().ticks_per_cycle()
}

/// One try: who gets how much if all is to be done by `end`.
struct Round<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    homes: &'a [Home],
    reach: u32,
    /// In ticks.
    end: u64,
}

/// What a try has come to.
struct State {
    /// By link id, when it is free, in ticks.
    free: Vec<u64>,
    /// By node id, whether it has got a message; what it works off, in bytes.
    served: Vec<bool>,
    worked: Vec<u64>,
    messages: u64,
    /// When the last work ends, in ticks.
    last: u64,
    /// By node and tick: a message to be sent on is there, or has left.
    relayed: Vec<(u32, u64, i64)>,
}

impl State {
    /// The most messages that wait at one node at a time to be sent on.
    fn waiting_max(&mut self) -> u64 {
        self.relayed.sort_unstable();
        let count = |of_node: &[(u32, u64, i64)]| {
            let counts = of_node.iter().scan(0, |waiting, (_, _, change)| {
                *waiting += change;
                Some(*waiting)
            });
            counts.max().unwrap_or(0) as u64
        };
        self.relayed.chunk_by(|a, b| a.0 == b.0).map(count).max().unwrap_or(0)
    }
}

impl Round<'_, '_, '_> {
    /// Sends everything; none if that is not possible in time.
    fn run(&self, record: &mut impl Record) -> Option<State> {
        let machine = self.scale.problem().machine();
        let nodes = machine.nodes() as usize;
        let mut state = State {
            free: vec![0; machine.links() as usize],
            served: vec![false; nodes],
            worked: vec![0; nodes],
            messages: 0,
            last: 0,
            relayed: Vec::new(),
        };
        let kept: Vec<Vec<u64>> = self.homes.iter().map(|home| self.keep(home)).collect();
        let mut left: Vec<Vec<u64>> = Vec::new();
        for (home, kept) in self.homes.iter().zip(&kept) {
            left.push(home.loads.iter().zip(kept).map(|(&(_, bytes), kept)| bytes - kept).collect());
        }
        let steps = self.releases(&kept, &mut state, record);
        for is_own in [true, false] {
            for (index, home) in self.homes.iter().enumerate() {
                let mut at = 0;
                for way in home.ways.iter().filter(|way| way.is_own == is_own) {
                    while at < left[index].len() && left[index][at] == 0 {
                        at += 1;
                    }
                    if at == left[index].len() {
                        break;
                    }
                    if way.links.len() as u32 > self.reach || state.served[way.node.index()] {
                        continue;
                    }
                    let bytes = self.size(way, steps[index][at].0, left[index][at], &state.free);
                    if bytes > 0 {
                        left[index][at] -= bytes;
                        self.send(way, steps[index][at], bytes, &mut state, record);
                    }
                }
            }
        }
        (left.iter().flatten().all(|&left| left == 0) && state.last <= self.end).then_some(state)
    }

    /// What a node keeps of each of its loads: as much as it can work off in time, of the latest first.
    fn keep(&self, home: &Home) -> Vec<u64> {
        let mut kept = vec![0; home.loads.len()];
        if !self.scale.problem().work(home.node).is_finite() {
            return kept;
        }
        let mut until = self.end;
        for (kept, &(release, bytes)) in kept.iter_mut().zip(&home.loads).rev() {
            let time = until.saturating_sub(release);
            *kept = self.fitting(bytes, time, |bytes| work(self.scale, home.node, bytes));
            until -= work(self.scale, home.node, *kept).min(until);
        }
        kept
    }

    /// The most bytes, up to `most`, that take no more time than this.
    fn fitting(&self, most: u64, time: u64, takes: impl Fn(u64) -> u64) -> u64 {
        let all = takes(most);
        if all <= time {
            return most;
        }
        // All but rounding is in proportion.
        let mut bytes = (most as f64 * (time as f64 / all as f64)).ceil() as u64;
        while bytes > 0 && takes(bytes) > time {
            bytes -= 1;
        }
        bytes
    }

    /// The processors of the sources wait for their loads and work on what is kept; of each load when it can be sent, in
    /// ticks, and after which step.
    fn releases(
        &self,
        kept: &[Vec<u64>],
        state: &mut State,
        record: &mut impl Record,
    ) -> Vec<Vec<(u64, Option<u32>)>> {
        let per_cycle = self.scale.costs().ticks_per_cycle();
        let mut all = Vec::new();
        for (home, kept) in self.homes.iter().zip(kept) {
            let (mut free, mut steps) = (0u64, Vec::new());
            for (&(release, _), &bytes) in home.loads.iter().zip(kept) {
                let wait = release.saturating_sub(free);
                let step = record.wait(home.node, Cycles(wait / per_cycle));
                free = free.max(release);
                // A load that comes while its processor is busy is sent when that has ended.
                steps.push(if release == 0 { (0, None) } else { (free, step) });
                if bytes > 0 {
                    record.work(home.node, self.scale.work(home.node, bytes), std::iter::empty());
                    free += work(self.scale, home.node, bytes);
                    state.worked[home.node.index()] += bytes;
                    state.last = state.last.max(free);
                }
            }
            all.push(steps);
        }
        all
    }

    /// When a message of so many bytes is worked off, in ticks, and how many more ticks a byte more takes.
    fn done(&self, way: &Way, from: u64, bytes: u64, free: &[u64]) -> (u64, f64) {
        let (mut at, mut slope) = (from, 0.0);
        for &link in &way.links {
            let message = self.scale.message(link, bytes);
            let ticks = self.scale.message_ticks(message);
            if free[link.index()] > at {
                (at, slope) = (free[link.index()], 0.0);
            }
            at += ticks;
            slope +=
                ticks.saturating_sub(self.scale.message_ticks(crate::units::Bytes(0))) as f64 / bytes as f64;
        }
        let takes = work(self.scale, way.node, bytes);
        (at + takes, slope + takes as f64 / bytes as f64)
    }

    /// The most bytes, up to `most`, that can be worked off at the end of this way in time: the end of the work is a
    /// convex function of them, so Newton's steps come down to it from above.
    fn size(&self, way: &Way, from: u64, most: u64, free: &[u64]) -> u64 {
        let mut bytes = most;
        loop {
            let (done, slope) = self.done(way, from, bytes, free);
            if done <= self.end {
                return bytes;
            }
            let down = ((done - self.end) as f64 / slope).floor() as u64;
            bytes = bytes.saturating_sub(down.max(1));
            if bytes == 0 {
                return 0;
            }
        }
    }

    fn send(
        &self,
        way: &Way,
        (from, step): (u64, Option<u32>),
        bytes: u64,
        state: &mut State,
        record: &mut impl Record,
    ) {
        let machine = self.scale.problem().machine();
        let (mut at, mut arrived, mut step) = (from, from, step);
        for &link in &way.links {
            let to = machine.target(link).expect("a link of a way leads somewhere");
            let channel = Channel { link, from: machine.source(link), to };
            let message = self.scale.message(link, bytes);
            step = Some(record.send(link.0, channel, message, step.into_iter()));
            at = at.max(state.free[link.index()]) + self.scale.message_ticks(message);
            if link != way.links[0] {
                let relay = machine.source(link).0;
                state.relayed.extend([(relay, arrived, 1), (relay, at, -1)]);
            }
            (state.free[link.index()], arrived) = (at, at);
            state.messages += 1;
        }
        record.work(way.node, self.scale.work(way.node, bytes), step.into_iter());
        state.served[way.node.index()] = true;
        state.worked[way.node.index()] += bytes;
        state.last = state.last.max(at + work(self.scale, way.node, bytes));
    }

    /// The schedule of this try.
    fn write(&self) -> Installments {
        let machine = self.scale.problem().machine();
        let mut programs = Programs::new(machine.nodes(), machine.links() as usize);
        let mut state = self.run(&mut programs).expect("it was tried");
        let bytes = self.scale.bytes() as f64;
        Installments {
            schedule: programs.into_schedule(),
            messages: state.messages,
            processors: state.worked.iter().filter(|&&bytes| bytes > 0).count(),
            predicted_cycles: self.scale.costs().cycles(state.last).0,
            makespan: self.scale.units_of_ticks(state.last),
            installments: vec![1.0],
            shares: state.worked.iter().map(|&worked| worked as f64 / bytes).collect(),
            waiting_max: state.waiting_max(),
        }
    }
}
