//! Scans by prefix trees: which radices, and how many chunks.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{Switching, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::LinkLoads;
use rayon::prelude::*;

use super::families::{Budget, Known, Tried, simulated};
use super::{Found, Recipe, Simulate, sort_by};
use crate::chunks::chunks;
use crate::flow::Flow;
use crate::prefix::{Down, Level, PrefixTree, radices, sides};
use crate::{Task, predict};

/// Radices that are tried.
const RADICES: [u32; 8] = [2, 3, 4, 5, 6, 7, 8, 16];

/// How many trees are made at most in each way down, and up to how many nodes radices are mixed.
const TREES_MAX: usize = 1 << 15;
const MIXED_MAX: u32 = 1 << 10;

/// How many are looked at at most, and how many messages one and all of them have.
const LOOKED_AT: usize = 1 << 12;
const MESSAGES_MAX: usize = 1 << 20;
const LOOKED_AT_BUDGET: usize = 1 << 23;

/// How many are simulated at most, whole and in chunks, and of how many of the best of these other numbers of chunks are tried.
const TRIED: usize = 128;
const CHUNKED: usize = 4;

/// How many messages all together have of those that are simulated whole, as many in chunks, and in other numbers of chunks.
const BUDGET: usize = 1 << 21;

/// How many messages one has in chunks.
const CHUNKED_MAX: usize = 1 << 19;

/// Radices whose runs are so many nodes in the end.
fn mixed(nodes: u32) -> Vec<Vec<Level>> {
    let (mut all, mut begun) = (Vec::new(), vec![Vec::new()]);
    while let Some(levels) = begun.pop().filter(|_| all.len() + begun.len() <= TREES_MAX) {
        let runs = levels.iter().fold(nodes, |runs, level: &Level| runs.div_ceil(level.radix));
        if runs <= 1 {
            all.push(levels);
            continue;
        }
        let fits = RADICES.iter().copied().chain([runs]).filter(|&radix| runs.is_multiple_of(radix));
        let mut radices: Vec<u32> = fits.collect();
        radices.sort_unstable();
        radices.dedup();
        for radix in radices {
            for is_chain in [false, true].into_iter().take(if radix > 2 { 2 } else { 1 }) {
                let mut longer = levels.clone();
                longer.push(Level { radix, is_chain });
                begun.push(longer);
            }
        }
    }
    all
}

/// Trees and exchanges of one radix, up to 1,024 nodes of mixed ones, and chains along the dimensions of a box.
fn all(task: &Task<'_>) -> Vec<PrefixTree> {
    let nodes = task.machine().nodes();
    let at_once = |radices: Vec<u32>| -> Vec<Level> {
        radices.into_iter().map(|radix| Level { radix, is_chain: false }).collect()
    };
    let uniform: Vec<Vec<Level>> = RADICES.iter().map(|&radix| at_once(radices(nodes, radix))).collect();
    let mixed = if nodes > MIXED_MAX { Vec::new() } else { mixed(nodes) };
    let is_exchange = |levels: &&Vec<Level>| !levels.iter().any(|level| level.is_chain);
    let exchanges = uniform.iter().chain(&mixed).filter(is_exchange);
    let exchanges = exchanges.map(|levels| levels.iter().map(|level| level.radix).collect());
    let mut all: Vec<PrefixTree> = exchanges.map(PrefixTree::Exchange).collect();
    for levels in uniform.into_iter().chain(mixed) {
        // Where at most one member lacks what comes down, all ways are the same.
        let is_one = levels.iter().rev().skip(1).all(|level| level.radix == 2);
        let ways = &Down::ALL[..if is_one { 1 } else { Down::ALL.len() }];
        all.extend(ways.iter().map(|&down| PrefixTree::Tree { levels: levels.clone(), down }));
    }
    all.extend(PrefixTree::of_box(task));
    all
}

/// Without a search: the tree of radix four.
pub(super) fn unsearched(task: &Task<'_>) -> Flow {
    PrefixTree::uniform(task.machine().nodes(), 4).flow(task)
}

/// How long a link on which m messages meet is held for each of them: worms stand on links while they wait for others, and m m were measured.
fn held(task: &Task<'_>, messages: u64) -> u64 {
    match task.machine().switching() {
        Switching::Wormhole => messages,
        Switching::CutThrough | Switching::StoreAndForward => 1,
    }
}

/// Numbers of chunks that are tried.
fn numbers(task: &Task<'_>, flow: &Flow) -> Vec<u32> {
    let most = (CHUNKED_MAX / flow.transfers().len().max(1)).max(1) as u32;
    let mut all: Vec<u32> = chunks(task, flow).into_iter().map(|many| many.min(most)).collect();
    all.dedup();
    all
}

/// A tree, its flow, into how many chunks its messages are best cut, and when it is expected to end then.
struct Looked {
    tree: PrefixTree,
    flow: Flow,
    chunks: u32,
    expected: Cycles,
}

impl Looked {
    /// In k chunks: the longest chain of messages without bytes, a k-th of what barriers between the steps add to it, and k - 1 of k chunks
    /// over the busiest link.
    fn at(task: &Task<'_>, tree: PrefixTree) -> Result<Self> {
        let flow = tree.flow(task);
        let machine = task.machine();
        let (costs, switching) = (machine.costs(), machine.switching());
        let messages = predict::messages(task, &flow);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routing::routes(machine, &pairs)?;
        let mut loads = LinkLoads::new(machine.links());
        loads.fill(&messages, &routes);
        let busiest = loads.used().map(|(_, load)| load.occupied_ticks(switching, costs)).max().unwrap_or(0);
        let bytes = costs.transfer_ticks(Bytes(loads.bytes_max()));
        let alone = |index: usize| costs.alone_ticks(switching, Bytes(0), routes.hops(index, pairs[index]));
        let chain = flow.longest_chain(alone).unwrap_or(0);
        let steps = predict::predicted(task, &flow)?.0 * costs.ticks_per_cycle();
        let held = held(task, loads.bytes_max().div_ceil(task.bytes.max(1)));
        let ticks = |many: u64| {
            let link = held.saturating_mul(bytes).saturating_add(many * busiest.saturating_sub(bytes));
            (chain + steps.saturating_sub(chain) / many).saturating_add(link / many * (many - 1))
        };
        let of = |many: u32| (ticks(u64::from(many)), many);
        let (expected, chunks) = numbers(task, &flow).into_iter().map(of).min().unwrap_or((0, 1));
        Ok(Self { expected: costs.cycles(expected), chunks, tree, flow })
    }
}

/// The trees that are expected to be the best, of those with few steps and little on a link.
fn looked(task: &Task<'_>) -> Result<Vec<Looked>> {
    let (nodes, costs) = (task.machine().nodes(), task.machine().costs());
    let body = costs.transfer_ticks(Bytes(task.bytes));
    // Strides of the dimensions of a box; one dimension elsewhere.
    let next = |stride: &mut u32, side: u32| Some(std::mem::replace(stride, *stride * side));
    let strides: Vec<u32> = sides(task).unwrap_or_else(|| vec![nodes]).into_iter().scan(1, next).collect();
    // As if each dimension had lines of its own, in so many chunks.
    let price = |tree: &PrefixTree| {
        let (steps, load) = (tree.steps(), tree.load(&strides));
        let of = |many: u64| {
            let held = if many > 1 { held(task, load) } else { 1 };
            let chain = steps * (costs.startup_ticks() + costs.head_ticks() + body / many);
            chain.saturating_add(
                load.saturating_mul(held.saturating_mul(body).saturating_add(many * costs.head_ticks())),
            )
        };
        [1, 4, 16, 64, 256].into_iter().map(of).min()
    };
    let mut all = all(task);
    all.retain(|tree| tree.messages(nodes) <= MESSAGES_MAX as u64);
    all.sort_by_cached_key(price);
    let mut left = Budget(LOOKED_AT_BUDGET);
    all.truncate(LOOKED_AT);
    all.retain(|tree| left.pays(tree.messages(nodes) as usize));
    let looked: Result<Vec<Looked>> = all.into_par_iter().map(|tree| Looked::at(task, tree)).collect();
    let mut looked = looked?;
    looked.sort_unstable_by_key(|looked| looked.expected);
    looked.truncate(TRIED);
    Ok(looked)
}

/// The best prefix tree: of those that are expected to be the best, whole and in chunks, then the best of these in other numbers of chunks.
pub(super) fn search(task: &Task<'_>, _: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let looked = looked(task)?;
    let run = |all: &[&Looked], of: &dyn Fn(&Looked) -> Vec<u32>| -> Result<Vec<Found>> {
        let (mut left, mut tried) = (Budget(BUDGET), Vec::<Tried>::new());
        for looked in all {
            for many in of(looked) {
                if left.pays(looked.flow.transfers().len() * many as usize) {
                    let recipe = Recipe::Prefixes(looked.tree.clone(), many);
                    tried.push((recipe, looked.flow.chunked(many)?, looked.expected));
                }
            }
        }
        simulated(tried, simulate)
    };
    let all: Vec<&Looked> = looked.iter().collect();
    let mut found = run(&all, &|_| vec![1])?;
    found.extend(run(&all, &|looked| vec![looked.chunks].into_iter().filter(|&many| many > 1).collect())?);
    sort_by(&mut found, |found| found.cycles);
    let is_best = |looked: &&Looked| {
        let mut best = found.iter().take(CHUNKED);
        best.any(|found| matches!(&found.recipe, Recipe::Prefixes(tree, _) if *tree == looked.tree))
    };
    let best: Vec<&Looked> = looked.iter().filter(is_best).collect();
    let more = run(&best, &|looked| numbers(task, &looked.flow))?;
    found.extend(more);
    Ok(found.into_iter().min_by_key(|found| found.cycles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    /// Every member has the sum of those up to it, for any number of members, around holes as well.
    #[test]
    fn every_member_has_its_sum() {
        let whole = [2, 3, 7, 8, 12, 27, 64, 100].map(|nodes| (format!("mesh:{nodes}"), vec![]));
        let holes =
            [("mesh:4x5", vec![0, 7, 8, 19]), ("torus:3x4", vec![4, 5, 6, 7]), ("hypercube:4", vec![3, 12])];
        let holes = holes.map(|(name, dead)| (name.to_string(), dead));
        for (name, dead) in whole.into_iter().chain(holes) {
            let dead: Vec<NodeId> = dead.into_iter().map(NodeId).collect();
            let machine = Machine::new(&name).unwrap().with_dead(dead).unwrap();
            let task = Task::new(&machine, Operation::Scan, 100, 0).unwrap();
            let all = all(&task);
            assert!(all.len() > RADICES.len());
            for tree in all {
                let flow = tree.flow(&task);
                assert_eq!(flow.check(Operation::Scan, 0, 100), Ok(()), "{tree} on {name}");
                let (many, most) = (flow.transfers().len() as u64, tree.messages(machine.nodes()));
                assert!(
                    many == most || many < most && !machine.is_whole(),
                    "{tree} on {name}: {many} of {most}"
                );
                assert!(u64::from(flow.steps()) <= tree.steps(), "{tree} on {name}");
            }
        }
        let machine = Machine::new("mesh:512x512").unwrap();
        let task = Task::new(&machine, Operation::Scan, 100, 0).unwrap();
        let large = 1 << 18;
        let all = all(&task);
        assert!(all.len() < 5 * RADICES.len(), "no mixed ones");
        assert!(all.iter().any(|tree| tree.messages(large) <= MESSAGES_MAX as u64));
        assert!(PrefixTree::uniform(large, 4).messages(large) < 3 * u64::from(large));
    }
}
