//! The choice of a split: by what it can do, what it keeps, and how many cycles a formula predicts.
//!
//! H is the height of a tree in cycles, each of its edges as long as a message of eight bytes takes alone, with one start-up (in the
//! paper's model a step for each link), C what of it are start-ups, s the size of the group, k the number of colours, b = ceil(log2 k) + ceil(log2 keys) the bits of a
//! label, B the time of eight bytes on a link. The factors were measured in the paper's model, one group at a time, on
//! meshes from 8 x 8 to 64 x 64, with random members, with stretches of the Hilbert curve and of rows, with random
//! labels and with labels that stand in runs; that of C with start-ups of 16 and 100 steps. A test repeats a part of it and allows a
//! factor of two. Groups that share links with others take longer.
//!
//! | split | cycles | measured / predicted |
//! |---|---|---|
//! | paper | 3.1 x 2 H of its own trees, rank halving | 0.8 to 1.2 |
//! | paper-fast | 1.9 x 2 H of its own trees | 0.6 to 1.4 |
//! | mask | 2 H + (ceil(s b / 64) - 1) L B | 0.8 to 1.3; down to 0.3 for labels in runs |
//! | sort | (6.5 + 4 sqrt(min(1, 2 / k)) where there are keys) H of rank halving; 8 in place of 6.5 for more than 32 colours | 0.7 to 1.6 |
//! | tac | (1 + 1.5 e) x 2 (H - C) of MASK's tree + 3.3 C of rank halving + 3 B f (min(k, s / 4) - 2), the last part at least 0 | 0.5 to 2.0; 0.5 to 1.3 with start-ups |
//!
//! f = max(1, (H - C) / (16 B))^(3/4): on larger machines groups of many colours meet more often (measured to 128 x 128, with 2 to 64 colours).
//! e = min(1, s (s - 1) / (2 k)) is the expected number of pairs of members with equal colours, at most 1: without a
//! pair nothing is contracted. L is the load of the tree: how many of its edges, from parent to child, use the same link
//! at most. When the largest label is not known beforehand, MASK takes 2 H + B more to find it,
//! the sort 3.2 H of rank halving.
//!
//! # Source
//!
//! `chochia1996`, section 5, for the model of a step.

use super::curve_sort::counting;
use super::mask::TreeOf;
use super::{Group, Tree, rank_halving};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Hops};
use meshwright_network::routing;
use meshwright_network::topology::{Costs, Machine, Network};

/// What a split is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// k: how many colours there may be.
    pub colours: u32,
    /// How many keys there may be; 1 when the old order stays.
    pub keys: u32,
    /// Whether all members know these two numbers.
    pub is_known: bool,
    /// The most memory of a member for one group.
    pub memory: Option<Bytes>,
}

/// What the formulas need to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// What is asked for.
    pub demand: Demand,
    /// s.
    pub size: u32,
    /// H of the rank-halving tree, in cycles.
    pub halving: f64,
    /// C of that H, in cycles.
    pub halving_startups: f64,
    /// H of the tree that MASK uses, and that TAC's are compared with, in cycles.
    pub tree: f64,
    /// C of that H, in cycles.
    pub tree_startups: f64,
    /// B: eight bytes on a link, in cycles.
    pub block: f64,
    /// L of that tree.
    pub tree_load: u32,
    /// Whether the nodes have coordinates.
    pub has_coordinates: bool,
}

impl Question {
    /// About a group, with MASK on trees of this kind.
    ///
    /// # Errors
    ///
    /// Those of the tree; [`Error::NotApplicable`] when members cannot reach each other, [`Error::Value`] for an empty
    /// group or a demand without colours or keys.
    ///
    /// # Complexity
    ///
    /// That of the tree, and O(links of all its edges).
    pub fn of(machine: &Machine, group: &Group, tree: TreeOf, demand: Demand) -> Result<Self> {
        if group.size() == 0 {
            return Err(Error::value("size of a group", 0, "at least one member"));
        }
        if demand.colours == 0 || demand.keys == 0 {
            return Err(Error::value("number of colours and keys", 0, "at least one of each"));
        }
        let tree = tree(machine, group)?;
        // First the loads: they find out whether everybody can be reached.
        let tree_load = load(machine, group, &tree)?;
        let costs = machine.costs();
        let (halving, halving_startups) = height(machine, group, &rank_halving::tree(group.size()));
        let (tree, tree_startups) = height(machine, group, &tree);
        let cycles = |ticks: u64| ticks as f64 / costs.ticks_per_cycle() as f64;
        Ok(Self {
            demand,
            size: group.size(),
            halving: cycles(halving),
            halving_startups: cycles(halving_startups),
            tree: cycles(tree),
            tree_startups: cycles(tree_startups),
            block: cycles(costs.transfer_ticks(BLOCK)),
            tree_load,
            has_coordinates: matches!(machine.network(), Network::Grid(_)),
        })
    }

    fn bits(&self) -> u64 {
        let width = |count: u32| u64::from(u32::BITS - (count - 1).leading_zeros());
        width(self.demand.colours) + width(self.demand.keys)
    }
}

/// What a message carries at a time.
const BLOCK: Bytes = Bytes(8);

/// H: the ticks of the longest way from the root, message by message, and those of them that are start-ups.
fn height(machine: &Machine, group: &Group, tree: &Tree) -> (u64, u64) {
    let (costs, switching) = (machine.costs(), machine.switching());
    let free = Costs { startup: Cycles(0), ..*costs };
    let edges = tree.edge_links(machine, group);
    let mut below = vec![(0u64, 0u64); edges.len()];
    for &rank in &tree.top_down() {
        let Some(parent) = tree.parent(rank) else { continue };
        let (above, startups) = below[parent as usize];
        let moved = free.alone_ticks(switching, BLOCK, Hops(edges[rank as usize]));
        let startup = costs.startup_ticks();
        below[rank as usize] = (above.saturating_add(moved + startup), startups.saturating_add(startup));
    }
    below.into_iter().max().unwrap_or_default()
}

/// L: how many edges of a tree, from parent to child, use the same link at most.
///
/// # Errors
///
/// [`Error::NotApplicable`] when members cannot reach each other.
///
/// # Complexity
///
/// O(links + links of all edges).
pub fn load(machine: &Machine, group: &Group, tree: &Tree) -> Result<u32> {
    let below = |rank| tree.children(rank).iter().map(move |&child| (group.node(rank), group.node(child)));
    let pairs: Vec<_> = (0..tree.size()).flat_map(below).collect();
    let routes = routing::routes(machine, &pairs)?;
    let mut loads: Vec<u32> = Vec::new();
    for (edge, &pair) in pairs.iter().enumerate() {
        routes.for_each_link(edge, pair, |link| {
            if loads.len() <= link.index() {
                loads.resize(link.index() + 1, 0);
            }
            loads[link.index()] += 1;
        });
    }
    Ok(loads.into_iter().max().unwrap_or(0))
}

/// A named way to split.
pub struct Split {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// The size of its packets, in words.
    pub packets: &'static str,
    /// Whether it can put members in the order of keys.
    pub sorts_by_key: bool,
    /// The most colours of one split.
    pub colours_max: u32,
    /// The cycles it is predicted to take.
    pub predict: fn(&Question) -> f64,
    /// Why it cannot be used, if there is a reason beyond colours and keys.
    pub objection: fn(&Question) -> Option<String>,
}

/// Every split the program knows.
pub const SPLITS: &[Split] = &[
    Split {
        name: "paper",
        summary: "the paper's six steps: every member routes its place to its new neighbours",
        packets: "O(log s) bits",
        sorts_by_key: false,
        colours_max: 2,
        predict: |question| 6.2 * question.halving,
        objection: |_| None,
    },
    Split {
        name: "paper-fast",
        summary: "the paper's without its two synchronisations",
        packets: "O(log s) bits",
        sorts_by_key: false,
        colours_max: 2,
        predict: |question| 3.8 * question.halving,
        objection: |_| None,
    },
    Split {
        name: "mask",
        summary: "everybody learns all labels and finds its new group alone",
        packets: "s log2 k bits in all, in blocks",
        sorts_by_key: true,
        colours_max: u32::MAX,
        predict: predict_mask,
        objection: too_large_for_mask,
    },
    Split {
        name: "tac",
        summary: "the new trees are contracted while the old one is climbed",
        packets: "O(1) words",
        sorts_by_key: false,
        colours_max: u32::MAX,
        predict: predict_contraction,
        objection: |question| {
            (!question.has_coordinates).then(|| "it needs coordinates: a mesh, a torus or a hypercube".into())
        },
    },
    Split {
        name: "sort",
        summary: "labels are sorted along a curve",
        packets: "O(1) words",
        sorts_by_key: true,
        colours_max: u32::MAX,
        predict: predict_sort,
        objection: |question| {
            let levels = u32::BITS - question.size.saturating_sub(1).leading_zeros();
            too_much_memory(question, 8 * u64::from(levels) + 800)
        },
    },
];

fn predict_mask(question: &Question) -> f64 {
    let barrier = 2.0 * question.tree;
    let search = if question.demand.is_known { 0.0 } else { barrier + question.block };
    if question.bits() == 0 {
        return search;
    }
    let blocks = (u64::from(question.size) * question.bits()).div_ceil(64);
    search + barrier + (blocks - 1) as f64 * f64::from(question.tree_load) * question.block
}

fn predict_contraction(question: &Question) -> f64 {
    let colours = question.demand.colours.min(question.size / 4).saturating_sub(2);
    let size = f64::from(question.size);
    let pairs = (size * (size - 1.0) / (2.0 * f64::from(question.demand.colours))).min(1.0);
    let moved = question.tree - question.tree_startups;
    let far = (moved / question.block / 16.0).max(1.0).powf(0.75);
    let met = 3.0 * far * f64::from(colours) * question.block;
    (2.0 + 3.0 * pairs) * moved + 3.3 * question.halving_startups + met
}

fn predict_sort(question: &Question) -> f64 {
    let Demand { colours, keys, is_known, .. } = question.demand;
    let by_colour = if colours <= 1 << counting::DIGIT { 6.5 } else { 8.0 };
    let by_key = if keys > 1 { 4.0 * (2.0 / f64::from(colours)).min(1.0).sqrt() } else { 0.0 };
    let search = if is_known { 0.0 } else { 3.2 };
    (by_colour + by_key + search) * question.halving
}

/// MASK keeps seven numbers of four bytes a member for the group and eight bytes a label.
fn too_large_for_mask(question: &Question) -> Option<String> {
    too_much_memory(question, 36 * u64::from(question.size))
}

/// Why a split that keeps so many bytes at a member cannot be used, if they are too many.
fn too_much_memory(question: &Question, needed: u64) -> Option<String> {
    let memory = question.demand.memory.filter(|memory| needed > memory.0)?;
    Some(format!("it would keep {needed} bytes at every member, and {} are allowed", memory.0))
}

/// What is expected of one split.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Its name.
    pub name: &'static str,
    /// The cycles it is predicted to take (in the paper's model, steps), or why it cannot be used.
    pub steps: std::result::Result<f64, String>,
}

/// The split to use, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitChoice {
    /// Its name.
    pub name: &'static str,
    /// The reason, in a sentence.
    pub why: String,
    /// All splits, in the order of the table.
    pub forecasts: Vec<Forecast>,
}

/// The split that is predicted to take the fewest cycles among those that can do what is asked for.
///
/// # Errors
///
/// [`Error::NotApplicable`] when none can.
///
/// # Examples
///
/// ```
/// use meshwright_groups::choice::{Demand, Question, choose};
/// use meshwright_groups::{Group, monotone_nearest};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:16x16")?.in_packets();
/// let all = Group::whole(&mesh, "hilbert")?;
/// let demand = Demand { colours: 2, keys: 1, is_known: true, memory: None };
/// let choice = choose(&Question::of(&mesh, &all, monotone_nearest::tree, demand)?)?;
/// assert_eq!(choice.name, "mask");
/// assert_eq!(choice.forecasts[2].steps, Ok(32.0 + 3.0));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn choose(question: &Question) -> Result<SplitChoice> {
    let forecast = |split: &Split| Forecast { name: split.name, steps: steps(split, question) };
    let forecasts: Vec<Forecast> = SPLITS.iter().map(forecast).collect();
    let possible =
        forecasts.iter().filter_map(|forecast| Some((forecast.name, *forecast.steps.as_ref().ok()?)));
    let Some((name, steps)) = possible.clone().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        let reasons =
            forecasts.iter().filter_map(|f| Some(format!("{}: {}", f.name, f.steps.as_ref().err()?)));
        return Err(Error::not_applicable("every split", reasons.collect::<Vec<_>>().join("; ")));
    };
    let others: Vec<String> = possible
        .filter(|other| other.0 != name)
        .map(|(other, steps)| format!("{other} {steps:.0}"))
        .chain(
            forecasts.iter().filter_map(|f| Some(format!("{} cannot: {}", f.name, f.steps.as_ref().err()?))),
        )
        .collect();
    let why = format!("about {steps:.0} cycles for {} members ({})", question.size, others.join(", "));
    Ok(SplitChoice { name, why, forecasts })
}

fn steps(split: &Split, question: &Question) -> std::result::Result<f64, String> {
    let Demand { colours, keys, .. } = question.demand;
    if keys > 1 && !split.sorts_by_key {
        return Err("it knows no keys".into());
    }
    if colours > split.colours_max {
        return Err(format!("it splits into {} groups at most, not {colours}", split.colours_max));
    }
    match (split.objection)(question) {
        Some(why) => Err(why),
        None => Ok((split.predict)(question)),
    }
}
