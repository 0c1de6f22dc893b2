//! Sources that others have closed in: they take nodes of their neighbours, which grow elsewhere instead.
//!
//! Excess load moves from source to source as in push-relabel: every source has a level, one that is stuck takes nodes
//! only from those below it, and rises above its lowest neighbour where there is none.
//!
//! # Source
//!
//! `goldberg1988`: heights and relabelling.

use super::forest::{CRUMB, Growth};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// How often all stuck sources take nodes.
const ROUNDS: usize = 300;

/// A source that is so far above the ground stays stuck.
const LEVEL_MAX: u32 = 40;

/// A node of another source that could be taken.
struct Candidate {
    level: u32,
    /// The bits of what goes over the link into it.
    through: u64,
    node: NodeId,
    /// The tree that would take it, and how far it is from the source.
    tree: u32,
    depth: u32,
}

impl Growth<'_, '_> {
    /// Lets sources that still have load take nodes of others, each for this part of the time.
    ///
    /// # Complexity
    ///
    /// O(nodes of the stuck sources + trees log nodes) for each of at most 300 rounds.
    pub(super) fn break_out(&mut self, part: f64) {
        let mut levels = vec![0u32; self.left.len()];
        let mut seen = vec![0u32; self.problem.machine().nodes() as usize];
        let mut question = 0;
        for _ in 0..ROUNDS {
            let stuck = |source: &usize| self.left[*source] > CRUMB && levels[*source] < LEVEL_MAX;
            let stuck: Vec<usize> = (0..self.left.len()).filter(stuck).collect();
            if stuck.is_empty() {
                break;
            }
            for source in stuck {
                question += 1;
                let (mut candidates, lowest) = self.around(source, &levels, &mut seen, question);
                if candidates.is_empty() {
                    levels[source] = lowest.map_or(LEVEL_MAX, |lowest| levels[source].max(lowest) + 1);
                    continue;
                }
                candidates.sort_unstable_by_key(|one| (one.level, one.through, one.node));
                // What hangs on a node is free then: no more is taken than has a place there, and one first link at a time,
                // which may have room for all.
                let mut wanted = self.left[source];
                for one in candidates {
                    wanted -= self.take(source, &one, part);
                    if wanted <= CRUMB || one.depth == 1 {
                        break;
                    }
                }
            }
            self.grow(part);
        }
    }

    /// The nodes beside those of a source that belong to sources below it, and the level of the lowest source around.
    fn around(
        &self,
        source: usize,
        levels: &[u32],
        seen: &mut [u32],
        question: u32,
    ) -> (Vec<Candidate>, Option<u32>) {
        let (problem, machine) = (self.problem, self.problem.machine());
        let home = problem.sources()[source].node;
        let (mut candidates, mut lowest, mut own, mut next) = (Vec::new(), None::<u32>, vec![home], 0);
        seen[home.index()] = question;
        while let Some(&node) = own.get(next) {
            next += 1;
            for (_, beside) in machine.neighbours(node) {
                if std::mem::replace(&mut seen[beside.index()], question) == question {
                    continue;
                }
                let Some(other) = self.owner(beside) else { continue };
                if other == source {
                    own.push(beside);
                    continue;
                }
                let tree =
                    if node == home { self.tree_by(source, beside) } else { Some(self.tree[node.index()]) };
                let Some(tree) = tree.filter(|&tree| self.has_room(tree)) else { continue };
                lowest = Some(lowest.map_or(levels[other], |lowest| lowest.min(levels[other])));
                if levels[other] < levels[source]
                    && let Some(into) = self.into[beside.index()]
                {
                    let depth = if node == home { 1 } else { self.depth[node.index()] + 1 };
                    let through = self.link[into.index()].to_bits();
                    candidates.push(Candidate { level: levels[other], through, node: beside, tree, depth });
                }
            }
        }
        (candidates, lowest)
    }

    /// Takes a node from its tree, with all behind it; these belong to nobody then. Returns what they had to work off.
    fn take(&mut self, source: usize, one: &Candidate, part: f64) -> f64 {
        let machine = self.problem.machine();
        let Some(loser) = self.owner(one.node).filter(|&loser| loser != source) else { return 0.0 };
        let Some(into) = self.into[one.node.index()] else { return 0.0 };
        let (load, tree) = (self.link[into.index()], self.tree[one.node.index()]);
        let (mut freed, mut next) = (vec![one.node], 0);
        while let Some(&node) = freed.get(next) {
            next += 1;
            let behind = machine.neighbours(node).map(|(_, behind)| behind);
            freed.extend(
                behind.filter(|behind| {
                    self.into[behind.index()].is_some_and(|into| machine.source(into) == node)
                }),
            );
        }
        let mut at = machine.source(into);
        while let Some(link) = self.into[at.index()] {
            self.link[link.index()] = (self.link[link.index()] - load).max(0.0);
            at = machine.source(link);
        }
        self.trees[tree as usize].carries -= load;
        for &node in &freed {
            self.left[loser] += std::mem::take(&mut self.node[node.index()]);
            if let Some(into) = self.into[node.index()].take() {
                self.link[into.index()] = 0.0;
            }
            self.abandon(node);
        }
        self.claim(one.tree, one.node, one.depth, part);
        for node in freed {
            if self.owner(node).is_none() {
                self.offer(node);
            }
        }
        load
    }
}
