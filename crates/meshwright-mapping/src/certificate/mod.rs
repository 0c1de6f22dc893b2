//! Certificates of lower bounds: what one must know to prove a bound again, without the program that found it.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Certificate`]: one variant for each argument; [`verify`] |
//! | `referee` | the tasks and the machine as the definitions have them: loads, degrees, distances |
//! | `alone` | arguments of one message or one task: messages, partners, ports, ends |
//! | `growth` | dilations that no placement has |
//! | `tree` | the same for trees of divide and conquer, of any size |
//! | `squares` | meshes of tasks that fit no mesh of nodes |
//! | `links` | arguments of the busiest link: degrees, cuts, sums of distances |
//! | `branching`, `renaming` | a branch and bound, walked through again |
//! | [`leaving`] | the least traffic that leaves any so many tasks |
//!
//! What is proved here is computed from the edges of the tasks and the wires of the machine alone, by the plainest way there
//! is. Nothing of [`crate::bound`] is used: it finds certificates, this module judges them. The arguments themselves, with
//! their proofs, stand at the head of the files of [`crate::bound`].
//!
//! **Phases.** Every argument speaks of a set of phases, whose times it bounds together. A barrier ends each phase, so that
//! bounds of disjoint sets of phases add up: [`Certificate::Phases`].

mod alone;
mod branching;
mod growth;
pub mod leaving;
mod links;
mod referee;
mod renaming;
mod squares;
#[cfg(test)]
mod tests;
mod tree;

use serde::{Deserialize, Serialize};

pub use branching::TreeProof;

use crate::TaskGraph;
use leaving::Leaving;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Switching};
use referee::Referee;

/// What proves a lower bound of a task graph on a machine.
///
/// # Examples
///
/// The four corners of a mesh have two links each, and every task of a ring sends to two others: one link carries 64 bytes.
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::TaskGraph;
/// use meshwright_mapping::certificate::{Certificate, Side, verify};
/// use meshwright_mapping::task_graph::Edge;
/// use meshwright_network::topology::Machine;
/// let send = |source: u32, target: u32| (1, Edge { source, target, bytes: Bytes(64) });
/// let ring = (0..9).flat_map(|task| [send(task, (task + 1) % 9), send((task + 1) % 9, task)]);
/// let ring = TaskGraph::new("ring", 9, ring.collect())?;
/// let mesh = Machine::new("mesh:3x3")?;
/// let degrees = Certificate::Degrees { nodes: 1, side: Side::Sent };
/// assert_eq!(verify(&degrees, &ring, &mesh, mesh.switching()).unwrap(), 100 + 64);
/// let nobody = Certificate::Message { source: 0, target: 2, bytes: 64 };
/// assert!(verify(&nobody, &ring, &mesh, mesh.switching()).is_err(), "task 0 sends nothing to task 2");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Certificate {
    /// Sets of phases one after the other.
    Phases {
        /// What is proved of each set.
        parts: Vec<Part>,
    },
    /// A message alone over one link.
    Message {
        /// The task that sends it.
        source: u32,
        /// The task that receives it.
        target: u32,
        /// Its size.
        bytes: u64,
    },
    /// Of the partners of a task not all are near.
    Partner {
        /// The task.
        task: u32,
        /// So many of its partners, those with the largest messages.
        partners: u32,
        /// One of them is so many links away, or more.
        hops: u32,
    },
    /// A node with one port sends, or receives, the messages of its task one by one.
    Ports {
        /// The task.
        task: u32,
        /// Whether it sends or receives.
        side: Side,
    },
    /// A node takes time for each message that its task sends, or receives.
    Ends {
        /// The task.
        task: u32,
        /// Whether it sends or receives.
        side: Side,
    },
    /// Nodes with few links hold tasks with much traffic.
    Degrees {
        /// So many nodes, those with the fewest links.
        nodes: u32,
        /// Whether their tasks send or receive.
        side: Side,
    },
    /// What must leave a set of nodes goes over the links out of it.
    Cut {
        /// The set: living nodes from one number to another, both inclusive.
        nodes: Vec<[u32; 2]>,
        /// Why the tasks on it must send so much to those outside.
        leaving: Leaving,
    },
    /// Dilations with which the phases would take less are impossible: around some task there are more tasks than nodes around
    /// any node that could hold it.
    Growth {
        /// The phases take so many ticks at least.
        ticks: u64,
        /// Messages are left out that are lighter than this part of the heaviest of their phase: 2 stands for the half, 0 for none.
        share: u32,
    },
    /// Tasks in rows exchange messages with their neighbours, and rows and columns do not fit axes of their own: on a mesh
    /// two neighbours are two links apart.
    Squares {
        /// Tasks of a row, by number.
        columns: u32,
    },
    /// A tree: dilations with which it would take less leave no room around the root.
    Tree {
        /// The task from which every other is reached.
        root: u32,
        /// The phases take so many ticks at least.
        ticks: u64,
    },
    /// The partners of a task are on different nodes, so that some are far; load times distance is spread over all links.
    Distances,
    /// As [`Certificate::Distances`], with the place of each task: the potentials of an assignment of tasks to nodes.
    ///
    /// Task i on node j costs c_ij at least, its loads in decreasing order times the distances of the other nodes from j in
    /// increasing order. With x_i + y_j <= c_ij all together cost at least the sum of the potentials.
    GilmoreLawler {
        /// x, by task.
        tasks: Vec<i64>,
        /// y, by living node; none above 0 where there are fewer tasks than nodes.
        nodes: Vec<i64>,
    },
    /// All placements are worse, part by part: what a branch and bound proves of the simulated time.
    BranchAndBound(TreeProof),
}

/// A set of phases with what is proved of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The phases by their place in the graph, from 0.
    pub phases: Vec<u32>,
    /// They take so many ticks at least, together.
    pub ticks: u64,
    /// Why.
    pub certificate: Certificate,
}

/// What a task does with its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// It sends them.
    Sent,
    /// It receives them.
    Received,
}

/// Why a certificate proves nothing: a sentence with the number that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refuted(pub String);

impl Refuted {
    /// As a result.
    pub(crate) fn because<T>(why: impl Into<String>) -> Result<T, Self> {
        Err(Self(why.into()))
    }
}

impl Certificate {
    /// The name of its argument, as files have it under `kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Phases { .. } => "phases",
            Self::Message { .. } => "message",
            Self::Partner { .. } => "partner",
            Self::Ports { .. } => "ports",
            Self::Ends { .. } => "ends",
            Self::Degrees { .. } => "degrees",
            Self::Cut { .. } => "cut",
            Self::Growth { .. } => "growth",
            Self::Squares { .. } => "squares",
            Self::Tree { .. } => "tree",
            Self::Distances => "distances",
            Self::GilmoreLawler { .. } => "gilmore-lawler",
            Self::BranchAndBound(_) => "branch-and-bound",
        }
    }

    /// The name of the argument that proves the most ticks: of sets of phases, all those with one argument together.
    pub fn main_kind(&self) -> &'static str {
        let Self::Phases { parts } = self else { return self.kind() };
        let mut kinds: Vec<(&'static str, u128)> = Vec::new();
        for part in parts {
            let kind = part.certificate.main_kind();
            match kinds.iter_mut().find(|known| known.0 == kind) {
                Some((_, ticks)) => *ticks += u128::from(part.ticks),
                None => kinds.push((kind, part.ticks.into())),
            }
        }
        let most = kinds.iter().rev().max_by_key(|(_, ticks)| *ticks);
        most.map_or(self.kind(), |(kind, _)| kind)
    }
}

/// Proves a bound again: so many ticks at least takes this task graph on this machine under this switching, however it is
/// placed, one task on a node.
///
/// # Errors
///
/// [`Refuted`] with what is wrong.
///
/// # Complexity
///
/// That of the definitions: at most O(nodes (nodes + links)) for distances, O(2^tasks tasks) where subsets are looked at.
pub fn verify(
    certificate: &Certificate,
    tasks: &TaskGraph,
    machine: &Machine,
    switching: Switching,
) -> Result<u64, Refuted> {
    if let Certificate::BranchAndBound(proof) = certificate {
        return branching::replay(proof, tasks, machine, switching, &mut |_| None);
    }
    let referee = Referee::new(tasks, machine, switching)?;
    let all: Vec<u32> = (0..tasks.phases() as u32).collect();
    let ticks = prove(certificate, &referee, &all)?;
    Ok(u64::try_from(ticks).unwrap_or(u64::MAX))
}

/// Simulates a placement, in ticks; nothing where that cannot be done.
pub type Simulator<'s> = &'s mut dyn FnMut(&[NodeId]) -> Option<u64>;

/// As [`verify`], with a simulator: the tree of a branch and bound may have complete placements left that it must be asked about.
///
/// # Errors
///
/// As for [`verify`].
///
/// # Complexity
///
/// As for [`verify`]; for a tree O(tasks times nodes times hops of their messages) for each of its nodes.
pub fn verify_by(
    certificate: &Certificate,
    tasks: &TaskGraph,
    machine: &Machine,
    switching: Switching,
    simulator: Simulator<'_>,
) -> Result<u64, Refuted> {
    match certificate {
        Certificate::BranchAndBound(proof) => branching::replay(proof, tasks, machine, switching, simulator),
        _ => verify(certificate, tasks, machine, switching),
    }
}

/// What a certificate proves of a set of phases, in ticks; of one phase, as often as it runs.
fn prove(certificate: &Certificate, referee: &Referee<'_>, phases: &[u32]) -> Result<u128, Refuted> {
    let ticks = prove_once(certificate, referee, phases)?;
    match (certificate, phases) {
        (Certificate::Phases { .. }, _) => Ok(ticks),
        (_, &[phase]) => Ok(ticks * u128::from(referee.graph.repeats(phase as usize))),
        _ => Ok(ticks),
    }
}

/// What it proves of one run of one phase, or of all runs of several.
fn prove_once(certificate: &Certificate, referee: &Referee<'_>, phases: &[u32]) -> Result<u128, Refuted> {
    match certificate {
        Certificate::Phases { parts } => sum(parts, referee, phases),
        &Certificate::Message { source, target, bytes } => {
            alone::message(referee, phases, (source, target, bytes))
        }
        &Certificate::Partner { task, partners, hops } => {
            alone::partner(referee, phases, (task, partners, hops))
        }
        &Certificate::Ports { task, side } => alone::ports(referee, phases, task, side),
        &Certificate::Ends { task, side } => alone::ends(referee, phases, task, side),
        &Certificate::Degrees { nodes, side } => links::degrees(referee, phases, nodes, side),
        Certificate::Cut { nodes, leaving } => links::cut(referee, phases, nodes, leaving),
        &Certificate::Growth { ticks, share } => growth::growth(referee, phases, ticks, share),
        &Certificate::Squares { columns } => squares::squares(referee, phases, columns),
        &Certificate::Tree { root, ticks } => tree::tree(referee, phases, root, ticks),
        Certificate::Distances => links::distances(referee, phases),
        Certificate::GilmoreLawler { tasks, nodes } => links::assignment(referee, phases, tasks, nodes),
        Certificate::BranchAndBound(_) => Refuted::because("a tree speaks of all phases, not of some"),
    }
}

/// Parts of a set of phases, each phase in one of them at most.
fn sum(parts: &[Part], referee: &Referee<'_>, phases: &[u32]) -> Result<u128, Refuted> {
    let mut left: Vec<u32> = phases.to_vec();
    let mut ticks = 0;
    for part in parts {
        for phase in &part.phases {
            let Some(at) = left.iter().position(|one| one == phase) else {
                return Refuted::because(format!("phase {phase} is counted twice, or there is none"));
            };
            left.swap_remove(at);
        }
        let proved = prove(&part.certificate, referee, &part.phases)?;
        if u128::from(part.ticks) > proved {
            return Refuted::because(format!(
                "`{}` over phases {:?} proves {proved} ticks, not {}",
                part.certificate.kind(),
                part.phases,
                part.ticks
            ));
        }
        ticks += u128::from(part.ticks);
    }
    Ok(ticks)
}
