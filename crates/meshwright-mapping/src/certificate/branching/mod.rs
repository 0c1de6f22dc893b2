//! The proof of a branch and bound, walked through again by the plainest way there is.
//!
//! A tree of partial placements is given: at each node the task that was branched on and the children that were looked at. For
//! each node this file counts again what the placed messages lay on every link, from their routes; what one more task would
//! add; and where each task can still be. A child that is not in the list must be out of the question by that, or by a
//! symmetry; a node that is said to be closed must be closed; a complete placement is simulated, with all that are like it.
//!
//! **A link.** Messages cross it one after the other. Of those that come to it after ρ at least and have κ at least to go
//! behind it, the phase takes the start, ρ, the sum of their bodies and κ: the most over all ρ and κ.
//!
//! **Narrowing.** With each pattern at its least ticks, a task cannot be on a node where the sum of all reaches the claim. And a
//! pattern takes at least what the best node left for a task makes of it. Of the sets of tasks that can be on a zone those are
//! left that fit to where tasks can be. All this is repeated until nothing changes.

mod narrow;
mod patterns;
mod zones;

use patterns::Pattern;
use serde::{Deserialize, Serialize};
use zones::Zone;

use super::renaming::Renamings;
use super::{Part, Refuted, Simulator, verify};
use crate::TaskGraph;
use meshwright_core::units::NodeId;
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Switching, Topology};

/// Nowhere.
const NOWHERE: usize = usize::MAX;

/// What proves that no placement takes less than a time: a tree of partial placements in which everything is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeProof {
    /// No placement takes less, in ticks.
    pub ticks: u64,
    /// What each phase takes at least, wherever the tasks are; a phase that is not there counts as nothing.
    pub phases: Vec<Part>,
    /// Renamings of nodes that keep routes, the identity first.
    pub node_symmetries: Vec<Vec<u16>>,
    /// Renamings of tasks that keep messages, the identity first.
    pub task_symmetries: Vec<Vec<u16>>,
    /// For each task one with which it can change places, the same for all that can; else itself.
    pub twins: Vec<u16>,
    /// Sets of nodes, as ranges: which tasks can be on one together is counted over its border.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<Vec<[u32; 2]>>,
    /// The tree: `.` where nothing is left, `*` for a complete placement, else the task branched on with its children in
    /// brackets, each a node followed by its own tree (`:` before a task).
    pub tree: String,
    /// [`Self::sum`].
    pub checksum: u64,
}

impl TreeProof {
    /// All numbers of the proof and the characters of its tree, each times its place, added up: a slip of the pen is told
    /// before the proof is walked through.
    pub fn sum(&self) -> u64 {
        let parts = self
            .phases
            .iter()
            .flat_map(|part| part.phases.iter().map(|&phase| u64::from(phase)).chain([part.ticks]));
        let renamings = self.node_symmetries.iter().chain(&self.task_symmetries).chain([&self.twins]);
        let zones = self.zones.iter().flatten().flatten().map(|&node| u64::from(node));
        let numbers = renamings.flatten().map(|&number| u64::from(number)).chain(zones);
        let tree = self.tree.bytes().map(u64::from);
        let all = [self.ticks].into_iter().chain(parts).chain(numbers).chain(tree);
        (1u64..).zip(all).fold(0, |sum, (place, number)| sum.wrapping_add(place.wrapping_mul(number)))
    }
}

struct Replay<'a> {
    proof: &'a TreeProof,
    nodes: usize,
    living: Vec<usize>,
    /// By source and target: the links.
    routes: Vec<Vec<usize>>,
    links: usize,
    start: u64,
    patterns: Vec<Pattern>,
    renamings: Renamings,
    simulator: Simulator<'a>,
    text: &'a [u8],
    at: usize,
}

/// A partial placement.
#[derive(Clone)]
struct Partial {
    node_of: Vec<usize>,
    /// Whether a task may be on a node: by task, then node.
    allowed: Vec<Vec<bool>>,
    /// What each pattern takes at least.
    floor: Vec<u64>,
    /// What can be together where.
    zones: Vec<Zone>,
}

/// Walks through a proof; so many ticks are proved.
pub(super) fn replay(
    proof: &TreeProof,
    tasks: &TaskGraph,
    machine: &Machine,
    switching: Switching,
    simulator: Simulator<'_>,
) -> Result<u64, Refuted> {
    if proof.sum() != proof.checksum {
        return Refuted::because(format!("the numbers add up to {}, not to {}", proof.sum(), proof.checksum));
    }
    if machine.fabric().is_some() || tasks.tasks > machine.living_count() {
        return Refuted::because("a tree speaks of tasks on nodes of their own and links of one speed");
    }
    let machine = &machine.clone().with_switching(switching);
    let least = least(proof, tasks, machine)?;
    let nodes = machine.nodes() as usize;
    let routes = routes(machine)?;
    let renamings = Renamings::new(proof, tasks, machine, &routes)?;
    let start = match switching {
        Switching::Wormhole | Switching::CutThrough => machine.costs().startup_ticks(),
        Switching::StoreAndForward => 0,
    };
    let mut replay = Replay {
        proof,
        nodes,
        living: machine.living().map(|node| node.index()).collect(),
        routes,
        links: machine.links() as usize,
        start,
        patterns: patterns::patterns(tasks, &least, switching, machine.costs()),
        renamings,
        simulator,
        text: proof.tree.as_bytes(),
        at: 0,
    };
    let mut allowed = vec![vec![false; nodes]; tasks.tasks as usize];
    allowed.iter_mut().for_each(|allowed| replay.living.iter().for_each(|&node| allowed[node] = true));
    let node_of = vec![NOWHERE; tasks.tasks as usize];
    let claim = (&replay.patterns[..], start, proof.ticks);
    let zones = zones::zones(&proof.zones, machine, tasks.tasks as usize, claim)?;
    let root = Partial { node_of, allowed, floor: vec![0; replay.patterns.len()], zones };
    replay.walk(root)?;
    if replay.at != replay.text.len() {
        return Refuted::because(format!("the tree goes on after its end, at {}", replay.at));
    }
    Ok(proof.ticks)
}

/// What each phase takes at least, proved again.
fn least(proof: &TreeProof, tasks: &TaskGraph, machine: &Machine) -> Result<Vec<u64>, Refuted> {
    let mut least = vec![0; tasks.phases()];
    for part in &proof.phases {
        let &[phase] = &part.phases[..] else {
            return Refuted::because("a part of a tree speaks of one phase");
        };
        if phase as usize >= tasks.phases() {
            return Refuted::because(format!("there is no phase {phase}"));
        }
        let edges = tasks.phase(phase as usize).iter().map(|&edge| (0, edge)).collect();
        let alone = TaskGraph::new("", tasks.tasks, edges).map_err(|error| Refuted(error.to_string()))?;
        let proved = verify(&part.certificate, &alone, machine, machine.switching())?;
        if part.ticks != proved {
            return Refuted::because(format!("phase {phase}: {proved} ticks are proved, not {}", part.ticks));
        }
        least[phase as usize] = part.ticks;
    }
    Ok(least)
}

/// The links from every living node to every other.
fn routes(machine: &Machine) -> Result<Vec<Vec<usize>>, Refuted> {
    let nodes = machine.nodes();
    let mut all = vec![Vec::new(); (nodes * nodes) as usize];
    for from in machine.living() {
        for to in machine.living() {
            let pair = (from, to);
            let route = routing::routes(machine, &[pair]).map_err(|error| Refuted(error.to_string()))?;
            let links = &mut all[(from.0 * nodes + to.0) as usize];
            route.for_each_link(0, pair, |link| links.push(link.index()));
        }
    }
    Ok(all)
}

impl Replay<'_> {
    fn number(&mut self) -> Result<usize, Refuted> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + digits]).unwrap_or_default();
        self.at += digits;
        text.parse().map_err(|_| Refuted(format!("the tree has no number at {}", self.at)))
    }

    /// Takes the next character if it is this one.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Walks through the tree below a partial placement.
    fn walk(&mut self, mut partial: Partial) -> Result<(), Refuted> {
        let is_closed = !self.narrow(&mut partial);
        let begin = self.at;
        if self.takes(b'.') {
            return match is_closed {
                true => Ok(()),
                false => Refuted::because(format!("the tree at {begin}: something is left below the claim")),
            };
        }
        if self.takes(b'*') {
            return if is_closed { Ok(()) } else { self.simulate(&partial.node_of) };
        }
        self.takes(b':');
        let task = self.number()?;
        if !self.takes(b'(') || partial.node_of.get(task) != Some(&NOWHERE) {
            return Refuted::because(format!("the tree at {begin}: no task to branch on"));
        }
        while !self.takes(b')') {
            let node = self.number()?;
            if node >= self.nodes || partial.node_of.contains(&node) {
                return Refuted::because(format!("the tree at {begin}: node {node} is taken, or none"));
            }
            let mut child = partial.clone();
            child.node_of[task] = node;
            child.allowed.iter_mut().for_each(|allowed| allowed[node] = false);
            self.walk(child)?;
            self.renamings.exclude(&partial.node_of, task, node, &mut partial.allowed);
        }
        let is_left = partial.allowed[task].iter().any(|&is_allowed| is_allowed);
        match !is_closed && is_left && self.is_open(&partial) {
            true => Refuted::because(format!("the tree at {begin}: a node for task {task} is left out")),
            false => Ok(()),
        }
    }

    /// All placements like this one take the claimed time at least.
    fn simulate(&mut self, node_of: &[usize]) -> Result<(), Refuted> {
        if node_of.contains(&NOWHERE) {
            return Refuted::because("a placement of the tree is not complete");
        }
        for image in self.renamings.images(node_of)? {
            let nodes: Vec<NodeId> = image.iter().map(|&node| NodeId(node as u32)).collect();
            let Some(ticks) = (self.simulator)(&nodes) else {
                return Refuted::because("a placement of the tree must be simulated, and cannot be");
            };
            if ticks < self.proof.ticks {
                return Refuted::because(format!("a placement of the tree takes {ticks} ticks"));
            }
        }
        Ok(())
    }

    /// Whether every open task has a node, and all of them enough.
    fn is_open(&self, partial: &Partial) -> bool {
        let open = || (0..partial.node_of.len()).filter(|&task| partial.node_of[task] == NOWHERE);
        let nodes =
            self.living.iter().filter(|&&node| open().any(|task| partial.allowed[task][node])).count();
        let is_somewhere = |task: usize| partial.allowed[task].iter().any(|&is_allowed| is_allowed);
        open().all(is_somewhere) && nodes >= open().count()
    }
}
