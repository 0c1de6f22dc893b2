//! Auto-Gen: the tree over a line that a model of the machine finds best for this vector.
//!
//! # Source
//!
//! `luczynski2024`: the least energy of a tree of each depth by dynamic programming, and its use along the axes.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;

use crate::Task;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::Tree;
use crate::tree_line::{Children, both_ways};

use super::chain::BY_TREE;

/// The longest line: the programme takes its third power.
const PLACES_MAX: u32 = 1024;

/// More than any energy.
const NEVER: u32 = 1 << 30;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "auto-gen",
        summary: "the tree over the members in a line that is best by the wafer-scale model",
        formula: "min over depths d: b V E(d) / (p - 1) + h (p - 1) + c d, E(d) the least links of all messages",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: |task| {
            let model = Model::of(task, task.members())?;
            let order: Vec<u32> = (0..task.members()).collect();
            Tree::in_order(task, Some(&order), &|places, at| model.line(places, at)).flow(task)
        },
    },
    Algorithm {
        name: "xy-auto-gen",
        summary: "the tree best by the wafer-scale model along the row of the root, and along all columns",
        formula: "on each axis of n: min over depths d: b V E(d) / (n - 1) + h (n - 1) + c d",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: along_axes,
    },
];

fn along_axes(task: &Task<'_>) -> Result<Flow> {
    let grid = task.grid("a tree along the axes")?;
    if grid.dimensions() == 1 {
        return Err(Error::not_applicable("a tree along the axes", "a line has one axis"));
    }
    let longest = meshwright_network::topology::Topology::sides(grid).iter().max().copied().unwrap_or(1);
    let model = Model::of(task, longest)?;
    Tree::by_axes(task, 0, &|places, at| model.line(places, at))?.flow(task)
}

/// The least energy of reducing over a line to its first place, by depth and number of places.
///
/// ```text
/// E(1, d) = 0,  E(r, d) = min over s: E(s, d - 1) + E(r - s, d) + r - s
/// ```
///
/// The last s places are reduced to the first of them, which sends over r - s links.
#[derive(Clone, Debug)]
pub struct Energies {
    /// By depth, the energies of 0, 1, ... places.
    by_depth: Vec<Vec<u32>>,
}

impl Energies {
    /// Of lines up to so many places.
    ///
    /// # Complexity
    ///
    /// O(places^3), without the depths at which a chain is best.
    pub fn new(places: u32) -> Self {
        let many = places as usize + 1;
        let mut before: Vec<u32> = (0..many).map(|r| if r <= 1 { 0 } else { NEVER }).collect();
        let mut by_depth = vec![before.clone()];
        for depth in 1..places as usize {
            let mut now = vec![0; many];
            for r in 2..many {
                // As deep as a chain: a chain.
                now[r] = if depth + 1 >= r { r as u32 - 1 } else { best(&before, &now, r) };
            }
            by_depth.push(now.clone());
            before = now;
        }
        Self { by_depth }
    }

    /// The links that all messages of the best tree of this depth take together.
    pub fn of(&self, places: u32, depth: u32) -> u32 {
        self.by_depth[depth as usize][places as usize]
    }

    /// The best tree of this depth over so many places from the first on, the farthest child first.
    pub fn tree(&self, places: u32, depth: u32) -> Children {
        let mut children = vec![Vec::new(); places as usize];
        let mut todo = vec![(0, places, depth)];
        while let Some((first, mut rest, depth)) = todo.pop() {
            while rest > 1 {
                let of = |places: u32, depth: u32| self.of(places, depth);
                let is_best = |&s: &u32| of(s, depth - 1) + of(rest - s, depth) + rest - s == of(rest, depth);
                let s = (1..rest).find(is_best).expect("one is the least");
                rest -= s;
                children[first as usize].push(first + rest);
                todo.push((first + rest, s, depth - 1));
            }
        }
        children
    }
}

/// The least over s of E(s, d - 1) + E(r - s, d) + r - s.
fn best(before: &[u32], now: &[u32], r: usize) -> u32 {
    let rest = now[1..r].iter().rev().zip((1..r as u32).rev());
    before[1..r].iter().zip(rest).map(|(last, (first, links))| last + first + links).min().unwrap_or(NEVER)
}

/// The model of a machine: what a vector takes over a link, a link, a level of the tree, each in the same unit.
#[derive(Clone, Debug)]
pub struct Model {
    vector: u64,
    link: u64,
    level: u64,
    energies: Energies,
}

impl Model {
    /// A model for lines up to so many places.
    ///
    /// # Examples
    ///
    /// A chain is best for long vectors, a flat tree for short ones (cycles of the wafer-scale engine).
    ///
    /// ```
    /// use meshwright_collectives::algorithms::auto_gen::Model;
    /// assert_eq!(Model::new(4096, 1, 5, 64).depth(64), 63);
    /// assert_eq!(Model::new(1, 1, 5, 64).depth(64), 2);
    /// ```
    pub fn new(vector: u64, link: u64, level: u64, places: u32) -> Self {
        Self { vector, link, level, energies: Energies::new(places) }
    }

    fn of(task: &Task<'_>, places: u32) -> Result<Self> {
        if places > PLACES_MAX {
            let why = format!("a line of {places} members is longer than {PLACES_MAX}");
            return Err(Error::not_applicable("Auto-Gen", why));
        }
        let costs = task.machine().costs();
        let vector = costs.transfer_ticks(Bytes(task.bytes));
        Ok(Self::new(vector, costs.head_ticks(), costs.startup_ticks(), places))
    }

    /// The time over a line with a tree of this depth, times the number of its links.
    fn scaled(&self, places: u32, depth: u32) -> u128 {
        let links = u128::from(places - 1);
        let [vector, link, level] = [self.vector, self.link, self.level].map(u128::from);
        vector * u128::from(self.energies.of(places, depth))
            + links * (links * link + level * u128::from(depth))
    }

    /// The best depth.
    pub fn depth(&self, places: u32) -> u32 {
        (1..places).min_by_key(|&depth| self.scaled(places, depth)).unwrap_or(0)
    }

    /// The predicted time of reducing over a line to its end.
    pub fn time(&self, places: u32) -> f64 {
        if places == 1 {
            return 0.0;
        }
        self.scaled(places, self.depth(places)) as f64 / f64::from(places - 1)
    }

    fn line(&self, places: u32, at: u32) -> Children {
        both_ways(places, at, |length| self.energies.tree(length, self.depth(length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All-reduce on 512 x 512 by the model: two reductions over lines, and a multicast of B + distance + 4 cycles. In the
    /// centre a line is two halves, one of which sends its B over one link more.
    #[test]
    fn the_figures_of_the_wafer_scale_model() {
        let published = [
            (1, 2098, 1075),
            (16, 2260, 1254),
            (64, 2597, 1666),
            (256, 3607, 2994),
            (1024, 7354, 8239),
            (4096, 19446, 24058),
        ];
        for (wavelets, corner, centre) in published {
            let model = Model::new(wavelets, 1, 5, 512);
            let b = wavelets as f64;
            let time = 2.0 * model.time(512) + b + 1022.0 + 4.0;
            assert_eq!(time.round() as u64, corner, "{wavelets} wavelets from the corner");
            let time = 2.0 * (model.time(256) + b + 1.0) + b + 512.0 + 4.0;
            assert_eq!(time.round() as u64, centre, "{wavelets} wavelets from the centre");
        }
    }

    /// Every tree of few places: none of its depth has less energy than the programme says.
    #[test]
    fn the_least_energy_is_that_of_a_tree() {
        let energies = Energies::new(40);
        for places in 2..=40 {
            for depth in 1..places {
                let tree = Tree::hung(0, &energies.tree(places, depth));
                let links: u32 = tree.edges.iter().map(|&(_, from, to)| to - from).sum();
                assert_eq!(links, energies.of(places, depth));
                assert_eq!(tree.edges.len() as u32, places - 1);
                assert!(tree.edges.last().unwrap().0 < depth);
            }
        }
    }
}
