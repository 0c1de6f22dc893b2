//! Up a tree and down again: the part of one member in everything a group does together but a split.

use super::program::{Operation, Operator, Outcome};
use super::scheme::{Join, Links, Side};
use meshwright_core::units::{Bytes, NodeId};

/// What a message of a pass carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load {
    /// That it came.
    Nothing,
    /// A value.
    Value(u64),
    /// Values with the ranks they belong to.
    List(Vec<(u32, u64)>),
}

impl Load {
    /// How much it is: 8 bytes a value, and 8 if there is none.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Nothing | Self::Value(_) => Bytes(8),
            Self::List(list) => Bytes(8 * (list.len() as u64).max(1)),
        }
    }
}

/// Which way a message of a pass goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassDirection {
    /// To the parent.
    Up,
    /// To a child.
    Down,
    /// From the root of a tree to that of another.
    Across,
}

/// Where the messages of a pass are put.
pub type Post = Vec<(NodeId, PassDirection, Load)>;

/// The part of one member in one pass.
#[derive(Debug)]
pub struct Pass {
    operation: Operation,
    /// Rank of this member.
    rank: u32,
    /// Children that have not reported.
    waiting: u32,
    /// What came up so far, this member's own value included.
    sum: u64,
    /// What each child reported, by its place among the children, where it is needed again.
    parts: Vec<Load>,
    ordered: bool,
    /// At a root: that of another tree, which has to be told and waited for.
    across: Option<NodeId>,
    /// Whether that root has told that all of its tree have come.
    met: bool,
}

impl Pass {
    /// Begins a pass; the outcome, if this member need not wait for anything.
    pub fn begin(
        operation: Operation,
        rank: u32,
        ordered: bool,
        links: &Links,
        post: &mut Post,
    ) -> (Self, Option<Outcome>) {
        let own = match operation {
            Operation::Reduce(_, value)
            | Operation::AllReduce(_, value)
            | Operation::Scan(_, value)
            | Operation::Gather(value) => value,
            _ => 0,
        };
        let keeps = matches!(operation, Operation::Scan(..) | Operation::Gather(_));
        let parts = if keeps { vec![Load::Nothing; links.children.len()] } else { Vec::new() };
        let waiting = links.children.len() as u32;
        let mut pass = Self { operation, rank, waiting, sum: own, parts, ordered, across: None, met: false };
        let outcome = match operation {
            Operation::Broadcast { from, value } => {
                if from != rank {
                    None
                } else if let Some(parent) = links.parent {
                    post.push((parent, PassDirection::Up, Load::Value(value)));
                    None
                } else {
                    pass.down(Load::Value(value), links, post)
                }
            }
            _ if pass.waiting == 0 => pass.complete(links, post),
            _ => None,
        };
        (pass, outcome)
    }

    /// Begins a join over trees whose roots wait for each other; the outcome, if there is nobody to wait for.
    pub fn join(rank: u32, join: &Join<'_>, post: &mut Post) -> (Self, Option<Outcome>) {
        let Join { links, across } = *join;
        let waiting = links.children.len() as u32;
        let (sum, parts, ordered, met) = (0, Vec::new(), false, false);
        let mut pass = Self { operation: Operation::Join, rank, waiting, sum, parts, ordered, across, met };
        let outcome = if waiting == 0 { pass.complete(links, post) } else { None };
        (pass, outcome)
    }

    /// A message of this pass has come; the outcome, if this member need not wait any more.
    ///
    /// # Panics
    ///
    /// When it comes from a node that is no neighbour in the tree.
    pub fn receive(
        &mut self,
        from: NodeId,
        way: PassDirection,
        load: Load,
        links: &Links,
        post: &mut Post,
    ) -> Option<Outcome> {
        match way {
            PassDirection::Down => return self.down(load, links, post),
            PassDirection::Across => {
                self.met = true;
                return if self.waiting == 0 { self.down(load, links, post) } else { None };
            }
            PassDirection::Up => {}
        }
        match self.operation {
            Operation::Broadcast { .. } => {
                return match links.parent {
                    Some(parent) => {
                        post.push((parent, PassDirection::Up, load));
                        None
                    }
                    None => self.down(load, links, post),
                };
            }
            Operation::Reduce(operator, _) | Operation::AllReduce(operator, _) => {
                let Load::Value(value) = load else { unreachable!("a reduction sends values") };
                self.sum = operator.apply(self.sum, value);
            }
            Operation::Scan(..) | Operation::Gather(_) => {
                let child = links.children.iter().position(|&(child, _)| child == from);
                self.parts[child.expect("reports come from children")] = load;
            }
            _ => {}
        }
        self.waiting -= 1;
        if self.waiting == 0 { self.complete(links, post) } else { None }
    }

    /// All children have reported.
    fn complete(&mut self, links: &Links, post: &mut Post) -> Option<Outcome> {
        let report = match self.operation {
            Operation::Reduce(..) | Operation::AllReduce(..) => Load::Value(self.sum),
            Operation::Scan(operator, own) if self.ordered => {
                let add = |sum, part: &Load| operator.apply(sum, value(part));
                Load::Value(self.parts.iter().fold(own, add))
            }
            Operation::Scan(..) | Operation::Gather(_) => Load::List(self.list()),
            _ => Load::Nothing,
        };
        if let Some(parent) = links.parent {
            post.push((parent, PassDirection::Up, report));
            let is_over = matches!(self.operation, Operation::Reduce(..) | Operation::Gather(_));
            return is_over.then_some(Outcome::Done);
        }
        if let Some(other) = self.across {
            post.push((other, PassDirection::Across, Load::Nothing));
            if !self.met {
                return None;
            }
        }
        match (self.operation, report) {
            (Operation::Reduce(..), Load::Value(sum)) => Some(Outcome::Value(sum)),
            (Operation::Gather(_), Load::List(mut list)) => {
                list.sort_unstable();
                Some(Outcome::Values(list.into_iter().map(|(_, value)| value).collect()))
            }
            (Operation::Scan(operator, _), Load::List(mut list)) => {
                into_prefixes(operator, &mut list);
                self.down(Load::List(list), links, post)
            }
            (Operation::Scan(operator, _), _) => self.down(Load::Value(operator.identity()), links, post),
            (_, report) => self.down(report, links, post),
        }
    }

    /// What this member and all below it have, with their ranks.
    fn list(&mut self) -> Vec<(u32, u64)> {
        let mut list = vec![(self.rank, self.sum)];
        for part in &self.parts {
            let Load::List(part) = part else { unreachable!("a gathering sends lists") };
            list.extend(part);
        }
        list
    }

    /// What the root has decided comes down.
    fn down(&mut self, load: Load, links: &Links, post: &mut Post) -> Option<Outcome> {
        if let Operation::Scan(operator, own) = self.operation {
            return Some(match load {
                Load::List(list) => self.scatter(&list, links, post),
                load => self.prefix(operator, own, value(&load), links, post),
            });
        }
        let outcome = match load {
            Load::Value(value) => Outcome::Value(value),
            _ => Outcome::Done,
        };
        post.extend(links.children.iter().map(|&(child, _)| (child, PassDirection::Down, load.clone())));
        Some(outcome)
    }

    /// Tells each child what stands before its sub-tree; what stands up to this member.
    fn prefix(&self, operator: Operator, own: u64, before: u64, links: &Links, post: &mut Post) -> Outcome {
        let (mut sum, mut up_to_here) = (before, None);
        for (&(child, side), part) in links.children.iter().zip(&self.parts) {
            if side == Side::Right && up_to_here.is_none() {
                sum = operator.apply(sum, own);
                up_to_here = Some(sum);
            }
            post.push((child, PassDirection::Down, Load::Value(sum)));
            sum = operator.apply(sum, value(part));
        }
        Outcome::Value(up_to_here.unwrap_or_else(|| operator.apply(sum, own)))
    }

    /// Hands each child the values of its sub-tree; its own.
    fn scatter(&self, list: &[(u32, u64)], links: &Links, post: &mut Post) -> Outcome {
        let find = |rank: u32| {
            let at = list.binary_search_by_key(&rank, |&(rank, _)| rank);
            list[at.expect("the list has every rank of the sub-tree")]
        };
        for (&(child, _), part) in links.children.iter().zip(&self.parts) {
            let Load::List(part) = part else { unreachable!("a gathering sends lists") };
            let mut theirs: Vec<_> = part.iter().map(|&(rank, _)| find(rank)).collect();
            theirs.sort_unstable();
            post.push((child, PassDirection::Down, Load::List(theirs)));
        }
        Outcome::Value(find(self.rank).1)
    }
}

/// What two parts of a group know, as one.
///
/// # Panics
///
/// When the operation does not put such loads together.
pub(crate) fn combine(operation: Operation, a: Load, b: Load) -> Load {
    match (operation, a, b) {
        (_, Load::Nothing, Load::Nothing) => Load::Nothing,
        (_, Load::List(mut a), Load::List(b)) => {
            a.extend(b);
            Load::List(a)
        }
        (
            Operation::Reduce(operator, _) | Operation::AllReduce(operator, _) | Operation::Scan(operator, _),
            Load::Value(a),
            Load::Value(b),
        ) => Load::Value(operator.apply(a, b)),
        _ => unreachable!("all members call the same operation"),
    }
}

/// Sorts values by their ranks and puts each together with all before it.
pub(crate) fn into_prefixes(operator: Operator, list: &mut [(u32, u64)]) {
    list.sort_unstable();
    let mut sum = operator.identity();
    for (_, value) in list {
        sum = operator.apply(sum, *value);
        *value = sum;
    }
}

fn value(load: &Load) -> u64 {
    let Load::Value(value) = load else { unreachable!("this pass sends values") };
    *value
}
