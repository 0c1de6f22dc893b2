//! Renamings of nodes and tasks that a proof uses: each is checked by its definition.

use super::Refuted;
use super::branching::TreeProof;
use crate::TaskGraph;
use meshwright_network::topology::{Machine, Topology};

/// So many placements that are alike are simulated.
const IMAGES_MAX: usize = 1 << 14;

/// Renamings under which routes stay routes and messages stay messages.
pub(super) struct Renamings {
    nodes: Vec<Vec<usize>>,
    tasks: Vec<Vec<usize>>,
    twins: Vec<usize>,
    living: Vec<usize>,
}

impl Renamings {
    pub(super) fn new(
        proof: &TreeProof,
        graph: &TaskGraph,
        machine: &Machine,
        routes: &[Vec<usize>],
    ) -> Result<Self, Refuted> {
        let (nodes, tasks) = (machine.nodes() as usize, graph.tasks as usize);
        let widened = |all: &[Vec<u16>], size: usize| {
            let one = |one: &Vec<u16>| one.iter().map(|&image| usize::from(image)).collect::<Vec<_>>();
            let wide: Vec<Vec<usize>> = all.iter().map(one).collect();
            match wide.iter().find(|one| !is_renaming(one, size)) {
                Some(_) => Refuted::because("a renaming gives two the same name, or one no name"),
                None => Ok(wide),
            }
        };
        let twins: Vec<usize> = proof.twins.iter().map(|&twin| usize::from(twin)).collect();
        let renamings = Self {
            nodes: widened(&proof.node_symmetries, nodes)?,
            tasks: widened(&proof.task_symmetries, tasks)?,
            twins,
            living: machine.living().map(|node| node.index()).collect(),
        };
        renamings.check(graph, machine, routes)?;
        Ok(renamings)
    }

    /// Everything by its definition.
    fn check(&self, graph: &TaskGraph, machine: &Machine, routes: &[Vec<usize>]) -> Result<(), Refuted> {
        let tasks = graph.tasks as usize;
        if let Some(at) = self.nodes.iter().position(|one| !self.keeps_routes(one, machine, routes)) {
            return Refuted::because(format!("renaming {at} of the nodes changes a route"));
        }
        if let Some(at) = self.tasks.iter().position(|one| !keeps_messages(one, graph)) {
            return Refuted::because(format!("renaming {at} of the tasks changes a message"));
        }
        if self.twins.len() != tasks || self.twins.iter().any(|&twin| twin >= tasks) {
            return Refuted::because("twins are named for each task");
        }
        for (task, &twin) in self.twins.iter().enumerate() {
            let mut exchanged: Vec<usize> = (0..tasks).collect();
            exchanged.swap(task, twin);
            if !keeps_messages(&exchanged, graph) {
                return Refuted::because(format!("tasks {task} and {twin} cannot change places"));
            }
        }
        Ok(())
    }

    /// Whether the nodes of every route, renamed, are those of the route between the renamed ends.
    fn keeps_routes(&self, renamed: &[usize], machine: &Machine, routes: &[Vec<usize>]) -> bool {
        let nodes = machine.nodes() as usize;
        if self.living.iter().any(|&node| !self.living.contains(&renamed[node])) {
            return false;
        }
        let mut image = vec![usize::MAX; machine.links() as usize];
        self.living.iter().all(|&from| {
            self.living.iter().all(|&to| {
                let (route, other) =
                    (&routes[from * nodes + to], &routes[renamed[from] * nodes + renamed[to]]);
                let mut pairs = route.iter().zip(other);
                route.len() == other.len()
                    && pairs.all(|(&link, &other)| {
                        let is_first = image[link] == usize::MAX;
                        image[link] = if is_first { other } else { image[link] };
                        image[link] == other
                    })
            })
        }) && is_one_to_one(&image)
    }

    /// After all placements with a task on a node: forbids what is the same under renamings that leave the placed alone.
    pub(super) fn exclude(&self, node_of: &[usize], task: usize, node: usize, allowed: &mut [Vec<bool>]) {
        let placed = || node_of.iter().enumerate().filter(|(_, node)| **node != usize::MAX);
        let nodes = self.nodes.iter().filter(|one| placed().all(|(_, &node)| one[node] == node));
        let nodes: Vec<usize> = nodes.map(|one| one[node]).chain([node]).collect();
        let tasks = self.tasks.iter().filter(|one| placed().all(|(task, _)| one[task] == task));
        let twins = (0..node_of.len())
            .filter(|&other| self.twins[other] == self.twins[task] && node_of[other] == usize::MAX);
        for task in tasks.map(|one| one[task]).chain(twins).chain([task]) {
            nodes.iter().for_each(|&node| allowed[task][node] = false);
        }
    }

    /// The placements that a complete one stands for.
    pub(super) fn images(&self, node_of: &[usize]) -> Result<Vec<Vec<usize>>, Refuted> {
        let mut images = vec![node_of.to_vec()];
        for task in 0..node_of.len() {
            let known = images.len();
            for other in (task + 1..node_of.len()).filter(|&other| self.twins[other] == self.twins[task]) {
                let exchanged = images[..known].iter().map(|image| {
                    let mut image = image.clone();
                    image.swap(task, other);
                    image
                });
                let exchanged: Vec<Vec<usize>> = exchanged.collect();
                images.extend(exchanged);
                if images.len() > IMAGES_MAX {
                    return Refuted::because("a placement stands for too many others");
                }
            }
        }
        // Renamings after each other must be in the list, or not all would be looked at.
        let has_twins = self.twins.iter().enumerate().any(|(task, &twin)| task != twin);
        let is_one_group = !has_twins || self.tasks.iter().all(|one| one.is_sorted());
        if !is_one_group || !is_closed(&self.nodes) || !is_closed(&self.tasks) {
            return Refuted::because("the renamings are no group");
        }
        let with_tasks = images.iter().flat_map(|image| {
            let renamed = |one: &Vec<usize>| one.iter().map(|&task| image[task]).collect::<Vec<_>>();
            std::iter::once(image.clone()).chain(self.tasks.iter().map(renamed))
        });
        let with_nodes = with_tasks.flat_map(|image| {
            let renamed: Vec<Vec<usize>> =
                self.nodes.iter().map(|one| image.iter().map(|&node| one[node]).collect()).collect();
            std::iter::once(image).chain(renamed)
        });
        let mut all: Vec<Vec<usize>> = with_nodes.take(IMAGES_MAX + 1).collect();
        if all.len() > IMAGES_MAX {
            return Refuted::because("a placement stands for too many others");
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

fn is_renaming(renamed: &[usize], size: usize) -> bool {
    let mut sorted = renamed.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..size)
}

/// Whether no two links have the same image; those on no route have none.
fn is_one_to_one(image: &[usize]) -> bool {
    let mut used: Vec<usize> = image.iter().copied().filter(|&link| link != usize::MAX).collect();
    used.sort_unstable();
    used.windows(2).all(|two| two[0] != two[1])
}

/// Whether one renaming after another is a renaming of the list.
fn is_closed(renamings: &[Vec<usize>]) -> bool {
    let mut sorted = renamings.to_vec();
    sorted.sort_unstable();
    renamings.iter().all(|first| {
        renamings.iter().all(|then| {
            let both: Vec<usize> = first.iter().map(|&at| then[at]).collect();
            sorted.binary_search(&both).is_ok()
        })
    })
}

/// Whether the messages of every phase are the same when tasks are renamed.
fn keeps_messages(renamed: &[usize], graph: &TaskGraph) -> bool {
    (0..graph.phases()).all(|phase| {
        let edges = graph.phase(phase).iter();
        let mut before: Vec<_> =
            edges.clone().map(|edge| (edge.source as usize, edge.target as usize, edge.bytes.0)).collect();
        let mut after: Vec<_> = edges
            .map(|edge| (renamed[edge.source as usize], renamed[edge.target as usize], edge.bytes.0))
            .collect();
        before.sort_unstable();
        after.sort_unstable();
        before == after
    })
}
