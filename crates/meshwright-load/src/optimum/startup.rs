//! A lower bound where every message costs a start-up.

use std::collections::VecDeque;

use super::network::{WHOLE, units, wires};
use super::start;
use crate::flow::max_flow::MaxFlow;
use crate::{Cut, Problem, Source};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::{Machine, Topology};

/// On larger machines only simple sets are looked at: all nodes, single sources, sources that touch.
const FLOW_NODES_MAX: usize = 100_000;

/// Where a message pays the start-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paid {
    /// Once, however far it goes: wormhole, cut-through.
    Once,
    /// On every link: store-and-forward.
    EveryHop,
}

/// What no schedule with start-ups can beat, and the set of nodes that says so.
#[derive(Clone, Debug, PartialEq)]
pub struct StartupBound {
    /// No schedule ends earlier, in units of w Tcp.
    pub makespan: f64,
    /// The set; it can just do what it has to until then.
    pub cut: Cut,
    /// The loads of its sources: how much, from when on, and the time of the whole load on the source's processor.
    own: Vec<(f64, f64, f64)>,
    startup: f64,
    /// What else it can do: from when on, and how much per unit of time.
    later: Vec<(f64, f64)>,
}

impl StartupBound {
    /// What the set can work off and send out until a moment, as a share of the whole load.
    pub fn capacity(&self, moment: f64) -> f64 {
        let own = |&(load, release, work): &(f64, f64, f64)| {
            ((moment - release).clamp(0.0, self.startup) / work).min(load)
        };
        let later = |&(from, rate): &(f64, f64)| if moment > from { rate * (moment - from) } else { 0.0 };
        self.own.iter().map(own).sum::<f64>() + self.later.iter().map(later).sum::<f64>()
    }
}

/// A bound on the makespan when each message costs `startup` (in units of w Tcp) before its first bit moves.
///
/// For every set S of nodes, with r the release of a source, w and z the times of the whole load on a node and a link:
///
/// ```text
/// L(S) <= sum over loads of S of min(L, l / w)  +  sum over v in S of (T - e_v)+ / w_v
///                                               +  sum over links u -> v that leave S of (T - f_u)+ / z
/// ```
///
/// e_v is the earliest moment at which v can work on anything but a load of its own in its first l, and f_u the
/// earliest at which a bit can leave u: r + l if a start-up is paid once; f_u = r + (h + 1) l and e_v = r + max(h, 1) l
/// at h links from the source if it is paid on every link; the least over all sources.
///
/// *Proof.* A bit of a load that entered at r leaves its node after r + l at the earliest, for a start-up comes before
/// it, and after as many start-ups as it has crossed links where each is paid. What a source works off of its own load
/// before r + l is at most l / w of it. All else of L(S) is worked off by nodes of S after their e_v, at a rate of 1/w, or
/// crosses links out of S after their f_u, at a rate of 1/z, and both before T. For one source and S all P nodes this is
/// T >= min(1, l + (1 - l) / P) where a start-up is paid once.
///
/// The sets are found by maximum flows, from cut to cut; each cut is a bound of its own. On machines of more than
/// 100,000 nodes only simple sets are tried.
///
/// # Complexity
///
/// O(nodes + links) and a few maximum flows.
///
/// # Source
///
/// `ford1956` for the cut; `zhang2018`, chapter 2, has no start-ups.
///
/// # Examples
///
/// ```
/// use meshwright_load::optimum::{Paid, with_startup};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let torus = Machine::new("torus:4x4")?;
/// let problem = Problem::new(&torus, vec![Source::at(NodeId(0), 1.0)], 0.3)?;
/// let bound = |paid| with_startup(&problem, 0.5, paid).makespan;
/// // From 0.5 on four links bring 4 / 0.3 loads per unit of time, which is less than fifteen nodes work off.
/// assert!((bound(Paid::Once) - (0.5 + 0.5 / (1.0 + 4.0 / 0.3))).abs() < 1e-12);
/// assert!((bound(Paid::EveryHop) - (0.5 + 0.5 / 5.0)).abs() < 1e-12, "nobody two links away works before 1");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn with_startup(problem: &Problem, startup: f64, paid: Paid) -> StartupBound {
    let moments = Moments::new(problem, startup, paid);
    let nodes = problem.machine().nodes() as usize;
    let mut best = start::sets(problem, &[0.0])
        .iter()
        .map(|set| moments.bound(set))
        .reduce(|best, new| if new.makespan > best.makespan { new } else { best })
        .expect("there is a source");
    if nodes > FLOW_NODES_MAX || moments.rest.iter().all(|&rest| rest == 0.0) {
        return best;
    }
    let (first, targets) = wires(problem, 1);
    let mut flow = MaxFlow::new(first, &targets);
    moments.rest.iter().enumerate().for_each(|(node, rest)| flow.supply(node, (rest * WHOLE) as i64));
    loop {
        moments.raise(&mut flow, best.makespan);
        flow.run();
        let before = best.makespan;
        for set in flow.violated() {
            let new = moments.bound(&set);
            if new.makespan > best.makespan && new.makespan.is_finite() {
                best = new;
            }
        }
        // What is violated by rounding alone says nothing new; every cut so far is a bound.
        let is_more = best.makespan > before * (1.0 + 1e-12);
        if !is_more {
            return best;
        }
    }
}

/// When everything can begin.
struct Moments<'p> {
    problem: &'p Problem<'p>,
    startup: f64,
    /// By node id, e_v: from when on it can work on what is not its own.
    work: Vec<f64>,
    /// By node id, f_u: from when on bits can leave it.
    leave: Vec<f64>,
    /// By node id, what is left of its loads when it has worked on each for a start-up.
    rest: Vec<f64>,
}

impl<'p> Moments<'p> {
    fn new(problem: &'p Problem<'p>, startup: f64, paid: Paid) -> Self {
        let machine = problem.machine();
        let nodes = machine.nodes() as usize;
        let mut own = vec![f64::INFINITY; nodes];
        let mut rest = vec![0.0; nodes];
        for source in problem.sources() {
            let node = source.node.index();
            own[node] = source.release.min(own[node]);
            rest[node] += (source.load - startup / problem.work(source.node)).max(0.0);
        }
        let earliest = own.iter().copied().fold(f64::INFINITY, f64::min);
        let (work, leave) = match paid {
            Paid::Once => (vec![earliest + startup; nodes], vec![earliest + startup; nodes]),
            Paid::EveryHop => {
                let there = arrivals(problem, &own, startup);
                let work = machine_nodes(machine).map(|node| {
                    let near = links_into(problem, node).map(|from| there[from.index()]);
                    near.fold(own[node.index()], f64::min) + startup
                });
                (work.collect(), there.iter().map(|there| there + startup).collect())
            }
        };
        Self { problem, startup, work, leave, rest }
    }

    /// Gives everything what it can do until then.
    fn raise(&self, flow: &mut MaxFlow, end: f64) {
        let machine = self.problem.machine();
        for node in machine_nodes(machine) {
            let time = (end - self.work[node.index()]).max(0.0);
            flow.raise_sink(node.index(), units(time / self.problem.work(node)));
            let time = (end - self.leave[node.index()]).max(0.0);
            let arcs = flow.arcs(node.index());
            for (arc, port) in arcs.zip(0..machine.ports(node)) {
                let of_all = self.problem.link_time(machine.link(node, Port(port)));
                // A link that takes no time carries everything, once it may begin.
                let share = if of_all == 0.0 { f64::from(u8::from(time > 0.0)) } else { time / of_all };
                flow.raise_arc(arc, units(share));
            }
        }
    }

    /// When a set, in increasing order, can be done at the earliest.
    fn bound(&self, set: &[u32]) -> StartupBound {
        let (problem, machine) = (self.problem, self.problem.machine());
        let is_inside = |node: NodeId| set.binary_search(&node.0).is_ok();
        let mut later = Vec::new();
        for node in set.iter().copied().map(NodeId) {
            later.push((self.work[node.index()], 1.0 / problem.work(node)));
            for (link, _) in machine.neighbours(node).filter(|&(_, next)| !is_inside(next)) {
                later.push((self.leave[node.index()], 1.0 / problem.link_time(link)));
            }
        }
        later.retain(|&(from, rate)| from.is_finite() && rate > 0.0);
        later.sort_by(|a, b| a.0.total_cmp(&b.0));
        let inside: Vec<_> = problem.sources().iter().filter(|source| is_inside(source.node)).collect();
        let own: Vec<_> =
            inside.iter().map(|source| (source.load, source.release, problem.work(source.node))).collect();
        let rest: f64 = set.iter().map(|&node| self.rest[node as usize]).sum();
        let demand = inside.iter().map(|source| source.load).sum();
        let cut = Cut { nodes: set.iter().copied().map(NodeId).collect(), capacity: demand, demand };
        let found = StartupBound { makespan: root(rest, &later), cut, own, startup: self.startup, later };
        // None of a load is done elsewhere before a start-up has passed.
        let alone = inside.into_iter().map(|source| self.alone(source));
        alone.fold(found, |best, new| if new.makespan > best.makespan { new } else { best })
    }

    /// One load until its first message could arrive: its own node works on it, and nobody else.
    fn alone(&self, source: &Source) -> StartupBound {
        let Source { node, load, release } = *source;
        let work = self.problem.work(node);
        let cut = Cut { nodes: vec![node], capacity: load.min(self.startup / work), demand: load };
        StartupBound {
            makespan: release + (load * work).min(self.startup),
            cut,
            own: vec![(load, release, work)],
            startup: self.startup,
            later: Vec::new(),
        }
    }
}

/// When what begins at these moments, in increasing order, has done so much at these rates; 0 for nothing to do.
fn root(amount: f64, later: &[(f64, f64)]) -> f64 {
    let (mut done, mut rate, mut at) = (0.0, 0.0, 0.0);
    if amount <= 0.0 {
        return 0.0;
    }
    for &(from, more) in later {
        // A link that takes no time has an endless rate, which does nothing in no time.
        let until = if from > at { done + rate * (from - at) } else { done };
        if until >= amount {
            break;
        }
        (done, at) = (until, from);
        rate += more;
    }
    at + (amount - done) / rate
}

/// By node id, when a first bit can be there if it pays a start-up on every link.
fn arrivals(problem: &Problem, own: &[f64], startup: f64) -> Vec<f64> {
    let machine = problem.machine();
    let mut there = own.to_vec();
    let mut sources: Vec<NodeId> =
        machine_nodes(machine).filter(|node| own[node.index()].is_finite()).collect();
    sources.sort_by(|a, b| own[a.index()].total_cmp(&own[b.index()]));
    let (mut sources, mut queue) = (VecDeque::from(sources), VecDeque::<(f64, NodeId)>::new());
    // Both are in the order of time: no heap is needed.
    loop {
        let next_source = sources.front().map(|node| own[node.index()]);
        let (moment, node) = match (queue.front(), next_source) {
            (Some(&(moment, _)), Some(release)) if release <= moment => {
                (release, sources.pop_front().expect("it was looked at"))
            }
            (None, Some(release)) => (release, sources.pop_front().expect("it was looked at")),
            (Some(&first), _) => {
                queue.pop_front();
                first
            }
            (None, None) => return there,
        };
        if moment > there[node.index()] {
            continue;
        }
        for (link, next) in machine.neighbours(node) {
            let reached = moment + startup;
            if problem.link_time(link).is_finite() && reached < there[next.index()] {
                there[next.index()] = reached;
                queue.push_back((reached, next));
            }
        }
    }
}

/// The nodes from which a link that carries something enters a node.
fn links_into<'p>(problem: &'p Problem<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'p {
    let machine = problem.machine();
    let usable = move |from: &NodeId| {
        machine.wire(*from, node).is_some_and(|link: LinkId| problem.link_time(link).is_finite())
    };
    machine.neighbours(node).map(|(_, from)| from).filter(usable)
}

/// All nodes.
fn machine_nodes(machine: &Machine) -> impl Iterator<Item = NodeId> + use<> {
    (0..machine.nodes()).map(NodeId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Speeds, optimum};

    /// L7: the formula of one source, and nothing without start-ups but the fluid optimum.
    #[test]
    fn one_source_waits_for_the_start_up_and_is_then_one_of_all() {
        for (name, startup) in
            [("mesh:1x5", 0.3), ("torus:4x4", 0.01), ("mesh:3x3", 1.7), ("hypercube:3", 0.9)]
        {
            let machine = Machine::new(name).unwrap();
            let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 1.0)], 0.001).unwrap();
            let nodes = f64::from(machine.nodes());
            let once = with_startup(&problem, startup, Paid::Once).makespan;
            assert!(
                (once - f64::min(1.0, startup + (1.0 - startup) / nodes)).abs() < 1e-12,
                "{name}: {once}"
            );
            let each = with_startup(&problem, startup, Paid::EveryHop).makespan;
            assert!(each >= once && each <= 1.0 + 1e-12, "{name}: {each}");
            let none = with_startup(&problem, 0.0, Paid::EveryHop).makespan;
            let fluid = optimum::makespan(&problem).unwrap().0;
            assert!((none / fluid - 1.0).abs() < 1e-9, "{name}: {none} {fluid}");
        }
    }

    /// L7: by hand, with two sources of unlike loads, unlike processors and a node that only relays.
    #[test]
    fn two_sources_of_unlike_speeds() {
        // 0 - 1 - 2 - 3: loads 0.9 at 0 and 0.1 at 3, which works at 0.1 of the speed; node 1 only relays.
        let line = Machine::new("mesh:1x4").unwrap();
        let sources = vec![Source::at(NodeId(0), 0.9), Source::at(NodeId(3), 0.1)];
        let work = vec![1.0, f64::INFINITY, 2.0, 10.0];
        let link = vec![0.5; line.links() as usize];
        let problem = Problem::new(&line, sources, 0.5).unwrap().with_speeds(Speeds { work, link }).unwrap();
        let bound = with_startup(&problem, 0.2, Paid::EveryHop);
        // All of them: 0.7 and 0.08 are left; 0 works on from 0.2 at 1, 2 from 0.2 at 1/2, 3 from 0.2 at 1/10.
        let all = 0.2 + 0.78 / 1.6;
        // Node 0 alone: 0.7 left, works at 1 and sends at 2.
        assert!(0.2 + 0.7 / 3.0 < all);
        assert!((bound.makespan - all).abs() < 1e-9, "{bound:?}");
        assert!((bound.capacity(bound.makespan) - 1.0).abs() < 1e-9);
        assert!((bound.capacity(0.1) - (0.1 + 0.01)).abs() < 1e-12);
    }

    #[test]
    fn links_that_take_no_time() {
        let mesh = Machine::new("mesh:3x3").unwrap();
        let problem =
            Problem::new(&mesh, vec![Source::at(NodeId(4), 1.0), Source::at(NodeId(0), 1.0)], 0.0).unwrap();
        let bound = with_startup(&problem, 0.1, Paid::Once).makespan;
        assert!((bound - (0.1 + 0.8 / 9.0)).abs() < 1e-9, "{bound}");
    }

    #[test]
    fn what_is_done_before_any_message_arrives() {
        let line = Machine::new("mesh:1x3").unwrap();
        let late = Source { node: NodeId(2), load: 0.2, release: 0.5 };
        let problem = Problem::new(&line, vec![Source::at(NodeId(0), 0.8), late], 0.1).unwrap();
        let bound = with_startup(&problem, 2.0, Paid::Once);
        assert!((bound.makespan - 0.8).abs() < 1e-12, "{bound:?}");
        assert_eq!(bound.cut.nodes, [NodeId(0)], "its own load takes it so long");
        assert!((bound.capacity(0.4) - 0.4).abs() < 1e-12 && bound.capacity(0.9) == 0.8);
    }
}
