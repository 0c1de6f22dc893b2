//! What if: changes of machine and plan, each simulated.

use serde::Serialize;

use super::{Culprit, Subject, Work, waited_most};
use meshwright_core::error::Result;
use meshwright_core::units::{Cycles, LinkId, NodeId, Ratio};
use meshwright_core::words::counted;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Grid, Machine, Network, Topology};
use meshwright_schedule::Schedule;
use meshwright_sim::critical::CriticalPath;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Planned};
use meshwright_sim::{Engine, Trace, simulate};

/// So many dead rows are revived, one at a time.
const ROWS: usize = 4;

/// With more axes only their reverse order is tried.
const AXES_MAX: usize = 3;

/// What is changed.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few of them live at a time")]
pub enum Trial {
    /// The machine.
    On(Machine),
    /// The placement.
    Placed(Vec<NodeId>),
    /// A link has a second wire beside it.
    Doubled(LinkId),
    /// Each node goes on when its own messages are there.
    WithoutBarriers,
}

/// A change and what it is called.
#[derive(Clone, Debug)]
pub struct Change {
    /// In words.
    pub words: String,
    /// What is simulated.
    pub trial: Trial,
}

/// A kind of change.
pub struct WhatIf {
    /// Its name.
    pub name: &'static str,
    /// The changes of this kind; none where it does not apply.
    pub changes: fn(&Given<'_>) -> Vec<Change>,
    /// Whether only the best of them is told.
    pub best_only: bool,
}

/// What changes are made of.
pub struct Given<'a> {
    /// The plan and its machine.
    pub subject: &'a Subject<'a>,
    /// Its critical path.
    pub path: &'a CriticalPath,
    /// The culprit.
    pub culprit: Option<&'a Culprit>,
}

/// Every kind of change.
pub const WHAT_IFS: &[WhatIf] = &[
    WhatIf { name: "second-wire", changes: second_wire, best_only: false },
    WhatIf { name: "root", changes: roots, best_only: true },
    WhatIf { name: "axes", changes: axes, best_only: true },
    WhatIf { name: "switching", changes: switchings, best_only: false },
    WhatIf { name: "placement", changes: runner_up, best_only: false },
    WhatIf { name: "dead-row", changes: dead_rows, best_only: true },
    WhatIf { name: "startup", changes: half_startup, best_only: false },
    WhatIf { name: "byte-time", changes: half_byte_time, best_only: false },
    WhatIf { name: "barriers", changes: no_barriers, best_only: false },
];

/// What a change gains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The kind of change, one of [`WHAT_IFS`].
    pub name: &'static str,
    /// What is changed, in words.
    pub change: String,
    /// The simulated time with it.
    pub simulated_cycles: u64,
    /// 1 - changed / unchanged: negative where it takes longer.
    pub gain: f64,
    /// Whether it relieves the culprit.
    #[serde(skip)]
    pub(super) is_culprit: bool,
}

/// All changes that apply, the greatest gain first; of equal ones in the order of the table.
pub(super) fn all(
    subject: &Subject<'_>,
    path: &CriticalPath,
    culprit: Option<&Culprit>,
    progress: &mut dyn FnMut(&str),
) -> Vec<Outcome> {
    let given = Given { subject, path, culprit };
    let culprit = culprit.and_then(|culprit| link_of(culprit, subject.machine));
    let unchanged = path.trace.cycles.0;
    let mut outcomes = Vec::new();
    for kind in WHAT_IFS {
        let mut own = Vec::new();
        for Change { words, trial } in (kind.changes)(&given) {
            progress(&words);
            let is_culprit = matches!(trial, Trial::Doubled(link) if Some(link) == culprit);
            // What cannot run, or comes to no end, is no answer.
            let Ok(Some(simulated_cycles)) = run(subject, trial) else { continue };
            let gain = if unchanged == 0 { 0.0 } else { 1.0 - simulated_cycles as f64 / unchanged as f64 };
            own.push(Outcome { name: kind.name, change: words, simulated_cycles, gain, is_culprit });
        }
        own.sort_by_key(|outcome| outcome.simulated_cycles);
        own.truncate(if kind.best_only { 1 } else { own.len() });
        outcomes.extend(own);
    }
    outcomes.sort_by_key(|outcome| outcome.simulated_cycles);
    outcomes
}

/// The cycles of a plan with a change; none if it comes to no end.
fn run(subject: &Subject<'_>, trial: Trial) -> Result<Option<u64>> {
    let &Subject { machine, ref work, .. } = subject;
    let cycles = |trace: Trace, machine: &Machine| {
        trace.deadlock.is_none().then(|| machine.costs().cycles(trace.ticks).0)
    };
    let (machine, trace) = match (work, trial) {
        (Work::Placed { tasks, placement, .. }, trial) => {
            let on = |machine: &Machine, nodes: Vec<NodeId>| {
                Placement { name: placement.name.clone(), nodes }.phases(tasks, machine)
            };
            let nodes = placement.nodes.clone();
            match trial {
                Trial::On(other) => (other.clone(), fitted(&other, &on(&other, nodes))?),
                Trial::Placed(nodes) => (machine.clone(), fitted(machine, &on(machine, nodes))?),
                Trial::Doubled(link) => {
                    (machine.clone(), simulate(machine, &on(machine, nodes), &Engine::Doubled(link))?)
                }
                Trial::WithoutBarriers => {
                    (machine.clone(), fitted(machine, &Schedule::from_phases(&on(machine, nodes)))?)
                }
            }
        }
        (Work::Schedule(schedule), Trial::On(other)) => {
            let trace = fitted(&other, schedule.as_ref())?;
            (other, trace)
        }
        (Work::Schedule(schedule), Trial::Doubled(link)) => {
            (machine.clone(), simulate(machine, schedule.as_ref(), &Engine::Doubled(link))?)
        }
        (Work::Schedule(_), Trial::Placed(_) | Trial::WithoutBarriers) => return Ok(None),
    };
    Ok(cycles(trace, &machine))
}

/// A run on the referee that fits.
fn fitted<W: Planned>(machine: &Machine, workload: &W) -> Result<Trace> {
    Ok(fitting::simulate(machine, workload, FLIT_HOPS_MAX)?.trace)
}

fn link_of(culprit: &Culprit, machine: &Machine) -> Option<LinkId> {
    machine.wire(NodeId(culprit.link.from), NodeId(culprit.link.to))
}

/// One change, if it is possible.
fn one(words: impl Into<String>, trial: Option<Trial>) -> Vec<Change> {
    trial.map(|trial| vec![Change { words: words.into(), trial }]).unwrap_or_default()
}

/// The culprit, and the link the critical path waits for the longest, each with a second wire.
fn second_wire(given: &Given<'_>) -> Vec<Change> {
    let machine = given.subject.machine;
    // Routers know one wire a link; described networks have rates of their own.
    if machine.fabric().is_some() || given.path.routers.is_some() {
        return Vec::new();
    }
    let busiest = given.culprit.and_then(|culprit| link_of(culprit, machine));
    let waited = waited_most(given.path).filter(|&link| Some(link) != busiest);
    let change = |link: LinkId, why| {
        let ends = [machine.source(link), machine.target(link).unwrap_or_default()];
        let [from, to] = ends.map(|node| machine.node_name(node));
        Change { words: format!("a second wire beside {from} → {to}, {why}"), trial: Trial::Doubled(link) }
    };
    let busiest = busiest.map(|link| change(link, "the busiest link"));
    busiest.into_iter().chain(waited.map(|link| change(link, "waited for the longest"))).collect()
}

/// Other placements of the root of a tree along the edges of a hypercube: task t where t xor m was.
fn roots(given: &Given<'_>) -> Vec<Change> {
    let Work::Placed { tasks, placement, .. } = &given.subject.work else { return Vec::new() };
    let Some(root) = root(tasks) else { return Vec::new() };
    let machine = given.subject.machine;
    let bits = tasks.tasks.trailing_zeros();
    let masks = (0..bits).map(|bit| 1 << bit).chain((bits > 1).then_some(tasks.tasks - 1));
    let change = |mask: u32| {
        let nodes: Vec<NodeId> =
            (0..tasks.tasks).map(|task| placement.nodes[(task ^ mask) as usize]).collect();
        let [here, there] =
            [placement.nodes[root as usize], nodes[root as usize]].map(|node| machine.node_name(node));
        Change { words: format!("the root at {there} instead of {here}"), trial: Trial::Placed(nodes) }
    };
    masks.map(change).collect()
}

/// The root of a tree on the edges of a hypercube: who alone sends in the first phase, or alone receives in the last.
fn root(tasks: &TaskGraph) -> Option<u32> {
    let is_cube = tasks.tasks.is_power_of_two() && tasks.tasks > 1;
    if !is_cube || !tasks.edges().iter().all(|edge| (edge.source ^ edge.target).is_power_of_two()) {
        return None;
    }
    let last = tasks.phase(tasks.phases().checked_sub(1)?);
    let first = tasks.phase(0);
    let sends = first.iter().all(|edge| edge.source == first[0].source).then(|| first[0].source);
    sends.or_else(|| last.iter().all(|edge| edge.target == last[0].target).then(|| last[0].target))
}

/// The placement with the axes of the machine in another order.
fn axes(given: &Given<'_>) -> Vec<Change> {
    let Work::Placed { placement, .. } = &given.subject.work else { return Vec::new() };
    let machine = given.subject.machine;
    let Network::Grid(grid) = machine.network() else { return Vec::new() };
    let change = |order: Vec<usize>| {
        let nodes: Vec<NodeId> = placement.nodes.iter().map(|&node| in_order(grid, node, &order)).collect();
        let words = match order.as_slice() {
            [1, 0] => "the placement transposed: rows and columns exchanged".to_string(),
            _ => {
                let order: Vec<String> = order.iter().map(ToString::to_string).collect();
                format!("the axes of the placement in the order {}", order.join(", "))
            }
        };
        let lives = nodes.iter().all(|&node| machine.is_alive(node)) && nodes != placement.nodes;
        lives.then_some(Change { words, trial: Trial::Placed(nodes) })
    };
    orders(grid.dimensions()).into_iter().filter_map(change).collect()
}

/// Orders of so many axes but the usual one.
fn orders(axes: usize) -> Vec<Vec<usize>> {
    if axes > AXES_MAX {
        return vec![(0..axes).rev().collect()];
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..axes {
        let longer = |order: Vec<usize>| {
            let free: Vec<usize> = (0..axes).filter(|axis| !order.contains(axis)).collect();
            free.into_iter().map(move |axis| [order.clone(), vec![axis]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders.retain(|order| !order.is_sorted());
    orders
}

/// Where a node comes to lie when the nodes are counted with the axes in another order, the last one fastest: on equal sides
/// its coordinates are exchanged.
fn in_order(grid: &Grid, node: NodeId, order: &[usize]) -> NodeId {
    let sides = Topology::sides(grid);
    let (mut rest, mut coordinates) = (node.0, vec![0; sides.len()]);
    for &axis in order.iter().rev() {
        coordinates[axis] = rest % sides[axis];
        rest /= sides[axis];
    }
    grid.node_at(&coordinates)
}

/// Every other switching.
fn switchings(given: &Given<'_>) -> Vec<Change> {
    let machine = given.subject.machine;
    let others =
        SWITCHINGS.iter().filter(|(_, other)| *other != machine.switching() && machine.fabric().is_none());
    let change = |&(name, other): &(&str, _)| Change {
        words: format!("{name} in place of {}", machine.switching().name()),
        trial: Trial::On(machine.clone().with_switching(other)),
    };
    others.map(change).collect()
}

/// The next best placement.
fn runner_up(given: &Given<'_>) -> Vec<Change> {
    let Work::Placed { placement, runner_up: Some(other), .. } = &given.subject.work else {
        return Vec::new();
    };
    let trial = (other.nodes != placement.nodes).then(|| Trial::Placed(other.nodes.clone()));
    one(format!("the placement {} in place of {}", other.name, placement.name), trial)
}

/// The machine with one row alive that has dead nodes, those with most of them first.
fn dead_rows(given: &Given<'_>) -> Vec<Change> {
    let machine = given.subject.machine;
    let Network::Grid(grid) = machine.network() else { return Vec::new() };
    if machine.fabric().is_some() {
        return Vec::new();
    }
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for &node in machine.dead() {
        let row = grid.coordinate(node, 0);
        match rows.iter_mut().find(|(known, _)| *known == row) {
            Some((_, count)) => *count += 1,
            None => rows.push((row, 1)),
        }
    }
    rows.sort_unstable_by_key(|&(row, count)| (std::cmp::Reverse(count), row));
    let change = |&(row, count): &(u32, u32)| {
        let left = machine.dead().iter().copied().filter(|&node| grid.coordinate(node, 0) != row).collect();
        let revived = machine.clone().with_dead(left).ok().map(Trial::On);
        one(format!("row {row} alive: {} less", counted(count.into(), "dead node")), revived)
    };
    rows.iter().take(ROWS).flat_map(change).collect()
}

/// Half the start-up.
fn half_startup(given: &Given<'_>) -> Vec<Change> {
    let machine = given.subject.machine;
    let startup = machine.costs().startup.0;
    if startup == 0 || machine.fabric().is_some() {
        return Vec::new();
    }
    let half = Cycles(startup / 2);
    let trial = machine.clone().with_startup(half).ok().map(Trial::On);
    one(format!("start-up {} in place of {startup}", half.0), trial)
}

/// Half the time of a byte: all links twice as fast.
fn half_byte_time(given: &Given<'_>) -> Vec<Change> {
    let machine = given.subject.machine;
    let time = machine.costs().byte_time;
    if time.numerator() == 0 || machine.fabric().is_some() {
        return Vec::new();
    }
    let half = Ratio::new(time.numerator(), 2 * time.denominator());
    let trial = half.and_then(|half| machine.clone().with_byte_time(half)).ok().map(Trial::On);
    one("every link twice as fast: half the byte time", trial)
}

/// Each node goes on when its own messages are there.
fn no_barriers(given: &Given<'_>) -> Vec<Change> {
    let Work::Placed { tasks, .. } = &given.subject.work else { return Vec::new() };
    let trial = (tasks.phases() > 1).then_some(Trial::WithoutBarriers);
    one("no barriers: each node goes on when its own messages are there", trial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_in_another_order_are_a_permutation_of_the_nodes() {
        let grid = |name: &str| match Machine::new(name).unwrap().network() {
            Network::Grid(grid) => grid.clone(),
            Network::Graph(_) => unreachable!("a box"),
        };
        assert_eq!(orders(2), [[1, 0]]);
        assert_eq!((orders(3).len(), orders(4)), (5, vec![vec![3, 2, 1, 0]]));
        for name in ["mesh:3x3", "mesh:2x5", "torus:4x2x3"] {
            let grid = grid(name);
            for order in orders(grid.dimensions()) {
                let mut nodes: Vec<u32> =
                    (0..Topology::nodes(&grid)).map(|node| in_order(&grid, NodeId(node), &order).0).collect();
                if name == "mesh:3x3" {
                    assert_eq!(nodes, [0, 3, 6, 1, 4, 7, 2, 5, 8], "transposed");
                }
                nodes.sort_unstable();
                assert!(nodes.into_iter().eq(0..Topology::nodes(&grid)), "{name} {order:?}");
            }
        }
    }
}
