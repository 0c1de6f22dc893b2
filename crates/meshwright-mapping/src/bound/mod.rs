//! Lower bounds: the time no placement can beat.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | T_P(E_C), perfect mapping | [`perfect`] | weights |
//! | R, radius of the machine | [`radius()`] | links |
//! | D_j = d_1 + ... + d_j | [`prefix`] | links |
//! | (any phased graph: degrees, cuts, volume) | [`graph_ticks`] | ticks |
//!
//! The statements with their proofs, and what is open, are in `docs/theorems.md`; those of [`graph_ticks`] stand at the head of
//! its file.
//!
//! **Radius.** A path of the tree uses each phase at most once, so every task lies within d_1 + ... + d_n of the
//! root, d_i the dilation of phase i; and some node lies at distance at least R from any node. Hence
//! d_1 + ... + d_n >= R, for every placement of as many tasks as nodes, any root and any routes. Fewer tasks than
//! nodes reach as far as the least ball that holds them. All messages of phase i have one size, so under wormhole
//! routing it takes at least c + b (W_i + h d_i), which gives n c + b (W_1 + ... + W_n) + b h max(n, R). Centred
//! halving attains it where its box is the whole machine.
//!
//! **Prefixes.** Take any j phases with dilations summing to D. The 2^j sets S of them lead from the root to
//! 2^j different nodes, the node of S within the sum of S. Of S and its complement one sums to at most r or the other
//! to at most D - 1 - r. So two balls of these radii hold 2^j nodes or more, together; r = floor(D / 2) asks most.
//! With weights that do not increase from phase to phase, Abel summation turns these prefix sums into a bound of
//! w_1 d_1 + ... + w_n d_n.
//!
//! **Profile.** Counting the sums within every radius, not the middle one alone, excludes whole sequences of
//! dilations: [`Profile`] finds the cheapest that is left. Under store-and-forward phase i takes at least
//! d_i (c + b W_i), so that is a bound for the time; on its mesh growing attains it for n <= 15.
//!
//! All arguments count nodes and links only. Dead nodes and single ports take possibilities away, so the bounds
//! stay bounds; the combine stage sends over the same distances, so its weights add to those of the divide stage.
//! A tree of n phases and fewer than 2^n tasks leaves 2^n - N sets without a node, and the counts are weaker by as
//! many.

mod argument;
mod busiest;
mod cheapest;
mod gilmore_lawler;
mod graph;
mod growth;
mod loads;
mod phased;
mod profile;
mod radius;
mod squares;
mod subsets;

pub use graph::Terrain;
pub(crate) use phased::ports;
pub use phased::{GraphBound, graph_ticks};
pub use profile::{Least, Profile};
pub(crate) use radius::radius_from;
pub use radius::{ball, largest_balls, radius};

use super::certificate::{Certificate, Part};
use super::{Divide, TaskGraph, divide};
use meshwright_core::units::Hops;
use meshwright_network::topology::{Costs, Machine, Switching};

/// The least sum of the dilations of any j phases of B(n), j = 1, ..., n, for any placement.
///
/// # Source
///
/// The two balls in the module's text. On a 2-D mesh they give D_j^2 >= 2^j - 2, so 2^(j/2) for even j, which the
/// growing mapping of `lo1990`, definition 3, attains.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::prefix;
/// use meshwright_network::topology::Machine;
/// assert_eq!(prefix(&Machine::new("mesh:16x16")?, 8), [1, 2, 3, 4, 6, 8, 12, 16]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn prefix(machine: &Machine, n: u32) -> Vec<u64> {
    Profile::new(machine, n).prefix().to_vec()
}

/// A lower bound of w_1 d_1 + ... + w_n d_n for weights that do not increase, by Abel summation:
/// the sum over j of D_j (w_j - w_(j+1)), with w_(n+1) = 0.
pub fn weighted(prefix: &[u64], weights: &[f64]) -> f64 {
    let next = |j: usize| weights.get(j + 1).copied().unwrap_or(0.0);
    // From +0: the sum of nothing is printed as 0, not -0.
    prefix.iter().enumerate().fold(0.0, |bound, (j, sum)| bound + *sum as f64 * (weights[j] - next(j)))
}

/// The time of the perfect mapping, which has dilation 1 and no contention: the sum of the heaviest weights.
///
/// # Source
///
/// `lo1990`, definition 9, eqs. (4) and (9), lemma 4.
pub fn perfect(weights: &[f64]) -> f64 {
    weights.iter().fold(0.0, |sum, weight| sum + weight)
}

/// A lower bound of w_1 d_1 + ... + w_n d_n for B(n) on this machine, in the unit of the weights.
///
/// Weights are taken as the binary fractions they are, so nothing is rounded but the result.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::store_and_forward;
/// use meshwright_network::topology::Machine;
/// // The optimum of B(5) that a search over all placements knows: 1/2 + 1/4 + 1/8 + 1/16 + 2/32.
/// let halves = [0.5, 0.25, 0.125, 0.0625, 0.03125];
/// assert_eq!(store_and_forward(&Machine::new("mesh:4x8")?, 5, &halves), 1.0);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn store_and_forward(machine: &Machine, n: u32, weights: &[f64]) -> f64 {
    Profile::new(machine, n).least_of_fractions(weights)
}

/// The bound of a whole divide-and-conquer job in ticks, messages rounded to bytes as [`divide::task_graph`] sends them.
///
/// More than 2^64 - 1 ticks count as so many.
pub fn divide_ticks(job: &Divide, machine: &Machine, switching: Switching, costs: &Costs) -> u64 {
    let profile = Profile::of_tree(machine, &job.shape.active());
    let ticks = |alpha: f64, i: u32| {
        let transfer = costs.transfer_ticks(divide::bytes(alpha, i, job.volume));
        u128::from(costs.startup_ticks()) + u128::from(transfer)
    };
    let of_phase = |i: u32| job.stages().map(|alpha| ticks(alpha, i)).collect::<Vec<_>>();
    let sizes: Vec<_> = (1..=job.shape.phases()).map(|i| [of_phase(i), of_phase(i)]).collect();
    profile_ticks(&sizes, &profile, switching, costs)
}

/// As [`divide_ticks`], of the graph of a divide-and-conquer job as its messages are, with a profile of its tree.
///
/// Messages of one phase may differ in size, see [`divide::in_proportion`]: the longest way of the phase is then that of
/// its smallest message at least, and its largest message goes over one link at least. Either way is a bound.
///
/// # Panics
///
/// When the graph is not that of a divide-and-conquer job.
pub fn tree_ticks(tasks: &TaskGraph, profile: &Profile, switching: Switching, costs: &Costs) -> u64 {
    let job = tasks.divide.as_ref().expect("the graph of a divide-and-conquer job");
    profile_ticks(&sizes(tasks, job, costs), profile, switching, costs)
}

/// What proves [`tree_ticks`]: the room around the root, or the largest message of each phase over one link.
///
/// # Panics
///
/// When the graph is not that of a divide-and-conquer job.
pub fn tree_certificate(
    tasks: &TaskGraph,
    profile: &Profile,
    switching: Switching,
    costs: &Costs,
) -> Certificate {
    let job = tasks.divide.as_ref().expect("the graph of a divide-and-conquer job");
    let ticks = tree_ticks(tasks, profile, switching, costs);
    let heaviest = |index: usize| tasks.phase(index).iter().max_by_key(|edge| edge.bytes);
    let part = |(index, edge): (usize, &super::task_graph::Edge)| Part {
        phases: vec![index as u32],
        ticks: costs.alone_ticks(switching, edge.bytes, Hops(1)),
        certificate: Certificate::Message { source: edge.source, target: edge.target, bytes: edge.bytes.0 },
    };
    let parts: Vec<Part> =
        (0..tasks.phases()).filter_map(|index| Some(part((index, heaviest(index)?)))).collect();
    let first = if job.alpha.is_some() { 0 } else { tasks.phases().saturating_sub(1) };
    let root = (tasks.phases() > 0).then(|| tasks.phase(first).first()).flatten();
    let root = root.map(|edge| if job.alpha.is_some() { edge.source } else { edge.target });
    match root {
        _ if parts.iter().map(|part| part.ticks).sum::<u64>() >= ticks => Certificate::Phases { parts },
        // Every set of phases leads to a task: then nothing depends on which phase has which dilation.
        Some(root) if tasks.tasks.is_power_of_two() => Certificate::Tree { root, ticks },
        _ => Certificate::Growth { ticks, share: 0 },
    }
}

/// Of each phase of the tree the ticks c + b W of its smallest and of its largest message, one for each stage.
fn sizes(tasks: &TaskGraph, job: &Divide, costs: &Costs) -> Vec<[Vec<u128>; 2]> {
    let mut sizes = vec![[vec![], vec![]]; job.shape.phases() as usize];
    for index in 0..tasks.phases() {
        let ticks = |bytes| u128::from(costs.startup_ticks()) + u128::from(costs.transfer_ticks(bytes));
        let bytes = || tasks.phase(index).iter().map(|edge| edge.bytes);
        let [least, most] = &mut sizes[job.tree_phase(tasks.number(index)) as usize - 1];
        least.push(ticks(bytes().min().unwrap_or_default()));
        most.push(ticks(bytes().max().unwrap_or_default()));
    }
    sizes
}

fn profile_ticks(sizes: &[[Vec<u128>; 2]], profile: &Profile, switching: Switching, costs: &Costs) -> u64 {
    let of_phase = |which: usize| sizes.iter().map(move |sizes| sizes[which].iter().sum::<u128>());
    let (least, most): (Vec<u128>, u128) = (of_phase(0).collect(), of_phase(1).sum());
    let ticks = match switching {
        Switching::Wormhole | Switching::CutThrough => {
            let stages = sizes.first().map_or(0, |sizes| sizes[0].len()) as u128;
            let head = u128::from(costs.head_ticks()) * stages;
            let far = least.iter().sum::<u128>() + head * u128::from(profile.distance());
            far.max(most + head * sizes.len() as u128)
        }
        Switching::StoreAndForward => profile.least(&least).cost.max(most),
    };
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

/// The time of one phase of any task graph in ticks, all its repetitions together, if no message met another and none went
/// over more than one link: the perfect mapping, and what every placement takes at least.
pub fn phase_ticks(tasks: &TaskGraph, index: usize, switching: Switching, costs: &Costs) -> u64 {
    let alone = |edge: &super::task_graph::Edge| {
        let hops = Hops(u32::from(edge.source != edge.target));
        costs.alone_ticks(switching, edge.bytes, hops)
    };
    let once = tasks.phase(index).iter().map(alone).max().unwrap_or(0);
    once.saturating_mul(tasks.repeats(index).into())
}
