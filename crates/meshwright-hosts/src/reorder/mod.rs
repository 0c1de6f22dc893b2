//! Ranks renumbered where they stand: which process of a running program takes which place of a virtual topology.
//!
//! An MPI program that creates a communicator with `reorder` true lets the library choose. The processes do not move; what
//! is chosen is who becomes rank 0, rank 1 and so on. Bytes between hosts come first, then weight times hops.
//!
//! | file | what |
//! |---|---|
//! | this one | [`plan`], [`METHODS`], the [`Measure`] |
//! | [`topology`] | [`VirtualTopology`]: who talks to whom, and how much |
//! | [`seating`] | [`Seating`]: where every process is, and how far that is from the others |
//! | `found` | what is known of a machine that nobody declared: switches, hosts, packages |
//! | `blocks` | boxes of a grid, one for each host |
//! | `bisection` | parts of any graph, one for each host, then one for each place of it |
//! | `arrange` | which of equal hosts takes which part |
//! | `exchange` | pairs that change places as long as that gains |

mod arrange;
mod bisection;
mod blocks;
mod exchange;
mod found;
pub mod seating;
pub mod topology;

pub use found::Process;
pub use seating::Seating;
pub use topology::VirtualTopology;

use meshwright_core::error::{Error, Result};
use meshwright_core::{find_or, unknown};

/// What a numbering costs. Of two, the one with less weight between hosts is better, and among equals the one with less
/// weight times hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// The weight of all edges whose ends are on different hosts.
    pub between_hosts: i64,
    /// The sum over all edges of weight times [`Seating::hops`].
    pub weighted_hops: i64,
}

impl Measure {
    const ZERO: Self = Self { between_hosts: 0, weighted_hops: 0 };

    fn add(&mut self, other: Self) {
        self.between_hosts += other.between_hosts;
        self.weighted_hops += other.weighted_hops;
    }
}

/// A way to number.
pub struct Method {
    /// The name in `MESHWRIGHT_METHOD`.
    pub name: &'static str,
    /// What it is good for, in half a sentence.
    pub summary: &'static str,
    /// The place of each vertex; nothing where it does not suit.
    place: fn(&Job<'_>) -> Option<Vec<u32>>,
}

/// Every way to number, the one that changes nothing first: of equals the first wins.
pub const METHODS: &[Method] = &[
    Method {
        name: "identity",
        summary: "every process keeps its rank",
        place: |job| Some(job.seating.places_of_processes().to_vec()),
    },
    Method {
        name: "blocks",
        summary: "a grid in equal boxes, one for each host, where all hosts run as many processes",
        place: blocks::place,
    },
    Method {
        name: "bisection",
        summary: "any graph cut in two again and again, into parts as large as the hosts",
        place: bisection::place,
    },
    Method {
        name: "exchange",
        summary: "pairs of processes that change places, from the ranks as they are",
        place: |job| Some(job.seating.places_of_processes().to_vec()),
    },
];

/// What a method is given.
struct Job<'a> {
    topology: &'a VirtualTopology,
    seating: &'a Seating,
    seed: u64,
    goes_on: &'a dyn Fn() -> bool,
}

/// How to plan.
pub struct Options<'a> {
    /// One of [`METHODS`], or nothing for the best of all.
    pub method: Option<&'a str>,
    /// For methods that draw lots.
    pub seed: u64,
    /// Whether there is time left; asked between methods and while pairs change places. When there is none, the best so far
    /// is the answer.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// A numbering, and what it gains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By new rank the process, by its old rank.
    pub processes: Vec<u32>,
    /// The name of the method that won.
    pub method: &'static str,
    /// What the old numbering costs.
    pub before: Measure,
    /// What the new one costs: never more.
    pub after: Measure,
    /// Whether all methods that were asked for have run to their end.
    pub is_complete: bool,
}

impl Plan {
    /// Whether every process keeps its rank.
    pub fn is_identity(&self) -> bool {
        (0..).zip(&self.processes).all(|(rank, process)| rank == *process)
    }
}

/// The best numbering that is found, never worse than the one there is by [`Measure`].
///
/// # Errors
///
/// [`Error::Value`] for an unknown method and when there are not as many processes as vertices, [`Error::TooLarge`] when weight
/// times hops leaves 62 bits.
///
/// # Complexity
///
/// For n vertices, m edges and c processes a place: O(m log^3 n) to divide, and O(c d^2) for each vertex of d neighbours and
/// each pass of exchanges, of which there are at most sixteen.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::reorder::{Options, Process, Seating, VirtualTopology, plan};
/// // Sixteen processes dealt to four hosts like cards, and a grid of 4 x 4.
/// let all: Vec<Process> = (0..16).map(|rank| Process::on_host(&format!("h{}", rank % 4), rank)).collect();
/// let grid = VirtualTopology::cart(&[4, 4], &[false, false])?;
/// let found = plan(&grid, &Seating::found(&all), &Options { method: None, seed: 0, goes_on: &|| true })?;
/// assert_eq!((found.before.between_hosts, found.after.between_hosts), (24, 16));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn plan(topology: &VirtualTopology, seating: &Seating, options: &Options<'_>) -> Result<Plan> {
    let (vertices, processes) = (topology.vertices(), seating.processes());
    if vertices != processes {
        return Err(Error::value(
            "number of processes",
            processes,
            format!("{vertices}, as the topology has"),
        ));
    }
    check_weights(topology, seating)?;
    let chosen = match options.method {
        None => METHODS,
        Some(name) => {
            let error = |names: &[&str]| unknown("method", name, names.join(", "), names);
            std::slice::from_ref(find_or(name, METHODS, |method| method.name, error)?)
        }
    };
    let job = Job { topology, seating, seed: options.seed, goes_on: options.goes_on };
    let before = measure(topology, seating, seating.places_of_processes());
    let mut best = (before, METHODS[0].name, seating.places_of_processes().to_vec());
    let mut is_complete = true;
    for method in chosen.iter().filter(|method| method.name != METHODS[0].name) {
        if !(options.goes_on)() {
            is_complete = false;
            break;
        }
        let Some(mut places) = (method.place)(&job) else { continue };
        is_complete &= exchange::exchange(&job, &mut places);
        let cost = measure(topology, seating, &places);
        if cost < best.0 {
            best = (cost, method.name, places);
        }
    }
    let (after, method, places) = best;
    Ok(Plan { processes: seating.processes_at(&places), method, before, after, is_complete })
}

fn check_weights(topology: &VirtualTopology, seating: &Seating) -> Result<()> {
    let most = u128::from(topology.weight()) * u128::from(seating.hops_max().max(1));
    if most < 1 << 62 {
        return Ok(());
    }
    let (needed, limit) = (format!("weights times hops up to {most}"), "2^62".to_string());
    Err(Error::TooLarge { what: "a topology of such weights", needed, limit })
}

/// What it costs when the vertices are at these places.
fn measure(topology: &VirtualTopology, seating: &Seating, places: &[u32]) -> Measure {
    let mut sum = Measure::ZERO;
    for vertex in 0..topology.vertices() {
        let later = topology.neighbours(vertex).iter().filter(|(to, _)| *to > vertex);
        for &(to, weight) in later {
            sum.add(seating.cost(places[vertex as usize], places[to as usize], weight));
        }
    }
    sum
}

#[cfg(test)]
mod tests;
