//! Which trees go with which splits.

use super::job::{Drawn, Job, Labels};
use super::shown::Functions;
use meshwright_core::error::{Error, Result};
use meshwright_groups::contraction::{self, Contraction};
use meshwright_groups::curve_sort::{CurveSort, splitting::CurveSplitting};
use meshwright_groups::mask::{self, Mask, TreeOf};
use meshwright_groups::protocol::{Position, Scheme};
use meshwright_groups::rank_split::{self, RankSplit};
use meshwright_groups::{entry_bisection, monotone_nearest, rank_halving};
use meshwright_network::topology::Machine;

/// A way to split groups on a kind of trees.
#[derive(Debug)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    /// The split.
    pub split: &'static str,
    /// The tree.
    pub tree: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// Which labels it understands.
    pub labels: LabelsKnown,
    kind: Kind,
}

/// Which labels a split understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelsKnown {
    /// 0 and 1, no keys.
    States,
    /// Any colours, no keys.
    Colours,
    /// Any colours and keys.
    Keys,
}

/// How the scheme is made.
#[derive(Clone, Copy, Debug)]
enum Kind {
    RankSplit(RankSplit),
    Mask(TreeOf),
    Contraction,
    CurveSort,
}

const fn mask(name: &'static str, tree: &'static str, build: TreeOf) -> Method {
    Method {
        name,
        split: "mask",
        tree,
        summary: "everybody learns all labels",
        labels: LabelsKnown::Keys,
        kind: Kind::Mask(build),
    }
}

/// Every method; earlier ones win where all else is equal, and stand for their split or tree if nothing else is said.
pub const METHODS: &[Method] = &[
    Method {
        name: "paper",
        split: "paper",
        tree: "rank-halving",
        summary: "the six steps of Chochia 1996",
        labels: LabelsKnown::States,
        kind: Kind::RankSplit(RankSplit {
            partial: true,
            full: true,
            joining: rank_split::Joining::SubTrees,
        }),
    },
    Method {
        name: "paper-fast",
        split: "paper-fast",
        tree: "rank-halving",
        summary: "that of Chochia 1996 without its two synchronising passes, steps 2 and 5",
        labels: LabelsKnown::States,
        kind: Kind::RankSplit(RankSplit {
            partial: false,
            full: false,
            joining: rank_split::Joining::SubTrees,
        }),
    },
    mask("mask/monotone-nearest", "monotone-nearest", monotone_nearest::tree),
    mask("mask/ecrb2", "ecrb2", entry_bisection::two),
    mask("mask/ecrb4", "ecrb4", entry_bisection::four),
    mask("mask/ecrb16", "ecrb16", entry_bisection::sixteen),
    mask("mask/rank-halving", "rank-halving", |_, group| Ok(rank_halving::tree(group.size()))),
    Method {
        name: "tac",
        split: "tac",
        tree: "tac",
        summary: "target-aware contraction: the trees of the new groups are drawn together, in packets of a few words",
        labels: LabelsKnown::Colours,
        kind: Kind::Contraction,
    },
    Method {
        name: "sort",
        split: "sort",
        tree: "curve",
        summary: "labels are sorted along a curve: any colours and keys, O(log s) memory a member",
        labels: LabelsKnown::Keys,
        kind: Kind::CurveSort,
    },
];

/// A scheme whose splits can be shown.
pub trait Viewed: Scheme + Sync {
    /// What the split computed at a member with this new place, if it is the paper's.
    fn functions(place: &Position<Self::Known>, splitting: &Self::Splitting) -> Option<Functions>;
}

impl Viewed for RankSplit {
    fn functions(place: &Position<Self::Known>, splitting: &rank_split::RankSplitting) -> Option<Functions> {
        let functions = splitting.functions()?;
        Some(Functions {
            left: functions.left,
            right: functions.right,
            before: functions.before,
            total: functions.total,
            max_left: functions.max_left,
            max_right: functions.max_right,
            adjacent_root: place.adjacent_root(),
        })
    }
}

impl Viewed for Mask<'_> {
    fn functions(_: &Position<Self::Known>, _: &mask::MaskSplitting) -> Option<Functions> {
        None
    }
}

impl Viewed for Contraction {
    fn functions(_: &Position<Self::Known>, _: &contraction::ContractionSplitting) -> Option<Functions> {
        None
    }
}

impl Viewed for CurveSort {
    fn functions(_: &Position<Self::Known>, _: &CurveSplitting) -> Option<Functions> {
        None
    }
}

/// Something done with a scheme whose type is known only then.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    ///
    /// # Errors
    ///
    /// Its own.
    fn visit<S: Viewed>(self, scheme: &S) -> Result<Self::Output>;
}

impl Method {
    /// How the trees of MASK are built.
    pub(super) fn mask_tree(&self) -> Option<TreeOf> {
        match self.kind {
            Kind::Mask(tree) => Some(tree),
            _ => None,
        }
    }

    /// Does something with the scheme of this method.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the split does not understand the labels of the job; those of the visitor.
    pub fn apply<V: Visitor>(&self, job: &Job, machine: &Machine, visitor: V) -> Result<V::Output> {
        let needed = job.labels.needed();
        if needed > self.labels {
            let able = METHODS.iter().filter(|method| method.labels >= needed).map(|method| method.split);
            let why = format!(
                "the labels of `{}` are {}, and {} are asked for, as {} splits them",
                self.split,
                self.labels.words(),
                needed.words(),
                distinct(able).join(" or ")
            );
            return Err(Error::not_applicable("this split", why));
        }
        match self.kind {
            Kind::RankSplit(split) => visitor.visit(&split),
            Kind::Contraction => visitor.visit(&Contraction::new(machine)?),
            Kind::Mask(tree) => {
                let scheme = Mask::new(machine, tree);
                visitor.visit(&match job.labels.known() {
                    Some((colours, keys)) => scheme.knowing(colours, keys),
                    None => scheme,
                })
            }
            Kind::CurveSort => {
                let scheme = CurveSort::new(machine)?;
                visitor.visit(&match job.labels.known() {
                    Some((colours, keys)) => scheme.knowing(colours, keys),
                    None => scheme,
                })
            }
        }
    }
}

impl LabelsKnown {
    fn words(self) -> &'static str {
        match self {
            Self::States => "0 and 1",
            Self::Colours => "any colours without keys",
            Self::Keys => "any colours and keys",
        }
    }
}

impl Labels {
    /// How many colours and keys there are at most, where everybody knows beforehand: then nobody need ask.
    fn known(&self) -> Option<(u32, u32)> {
        match self {
            Self::Drawn { kind: Drawn::Colours(colours), .. } => Some(((*colours).max(2), 1)),
            Self::Drawn { kind: Drawn::Keyed { colours, keys }, .. } => Some(((*colours).max(2), *keys)),
            _ => (self.needed() == LabelsKnown::States).then_some((2, 1)),
        }
    }

    /// What a split has to understand.
    pub fn needed(&self) -> LabelsKnown {
        match self {
            Self::Given(given) if given.members.iter().any(|(_, label)| label.key > 0) => LabelsKnown::Keys,
            Self::Given(given) if given.members.iter().any(|(_, label)| label.colour > 1) => {
                LabelsKnown::Colours
            }
            Self::Drawn { kind: Drawn::Colours(3..), .. } => LabelsKnown::Colours,
            Self::Drawn { kind: Drawn::Keyed { .. }, .. } => LabelsKnown::Keys,
            _ => LabelsKnown::States,
        }
    }
}

/// Every name of a split, in the order of the table.
pub fn splits() -> Vec<&'static str> {
    distinct(METHODS.iter().map(|method| method.split))
}

/// Every name of a tree, in the order of the table.
pub fn trees() -> Vec<&'static str> {
    distinct(METHODS.iter().map(|method| method.tree))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The methods with this split and this tree; `None` stands for any.
///
/// # Errors
///
/// [`Error::Value`] for unknown names; [`Error::NotApplicable`] when the two do not go together, with what would.
///
/// # Examples
///
/// ```
/// use meshwright_verdict::groups::methods;
/// assert_eq!(methods(Some("paper"), None)?[0].tree, "rank-halving");
/// assert!(methods(Some("papyrus"), None).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn methods(split: Option<&str>, tree: Option<&str>) -> Result<Vec<&'static Method>> {
    for (what, name, known) in [("split", split, splits()), ("tree", tree, trees())] {
        if let Some(name) = name.filter(|name| !known.contains(name)) {
            return Err(Error::value(what, format!("`{name}`"), format!("auto, {}", known.join(", "))));
        }
    }
    let fits = |wanted: Option<&str>, name: &str| wanted.is_none_or(|wanted| wanted == name);
    let found: Vec<_> =
        METHODS.iter().filter(|method| fits(split, method.split) && fits(tree, method.tree)).collect();
    match (split, tree) {
        (Some(split), Some(tree)) if found.is_empty() => {
            let trees = METHODS.iter().filter(|method| method.split == split).map(|method| method.tree);
            let splits = METHODS.iter().filter(|method| method.tree == tree).map(|method| method.split);
            let why = format!(
                "the split `{split}` does not work on `{tree}` trees: `{split}` works on {}, and on `{tree}` trees {} works",
                distinct(trees).join(", "),
                distinct(splits).join(", ")
            );
            Err(Error::not_applicable("this pair of split and tree", why))
        }
        _ => Ok(found),
    }
}
