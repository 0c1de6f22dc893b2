//! What passes over trees carry: words as on a chip, and lists.

use super::grown::Grown;
use super::program::{Operation, Operator, Outcome};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_member::list::Full;
use meshwright_member::pass::{self as core, Cargo, Course};
use meshwright_member::words::{WordOperation, Words};

pub use meshwright_member::Side;
pub use meshwright_member::pass::PassDirection;

/// Values with the ranks they belong to.
pub type Values = Vec<(u32, u64)>;

/// What a message of a pass carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load {
    /// That it came.
    Nothing,
    /// A value.
    Value(u64),
    /// Values with the ranks they belong to.
    List(Box<Values>),
}

impl Load {
    /// How much it is: 8 bytes a value, and 8 if there is none.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Nothing | Self::Value(_) => Bytes(8),
            Self::List(list) => Bytes(8 * (list.len() as u64).max(1)),
        }
    }

    fn word(self) -> Option<u64> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    fn list(self) -> Vec<(u32, u64)> {
        match self {
            Self::List(list) => *list,
            _ => unreachable!("all members call the same operation"),
        }
    }
}

impl From<Option<u64>> for Load {
    fn from(word: Option<u64>) -> Self {
        word.map_or(Self::Nothing, Self::Value)
    }
}

impl From<Option<u64>> for Outcome {
    fn from(word: Option<u64>) -> Self {
        word.map_or(Self::Done, Self::Value)
    }
}

/// The part of one member in one pass.
pub type Pass = core::Pass<NodeId, Loads>;

/// Where the messages of a pass are put.
pub type Post = Vec<(NodeId, PassDirection, Load)>;

impl core::Post<NodeId, Load> for Post {
    fn post(&mut self, to: NodeId, way: PassDirection, load: Load) {
        self.push((to, way, load));
    }
}

/// What a pass carries.
#[derive(Debug)]
pub enum Loads {
    /// A word, or nothing.
    Words(Words<Grown<u64>>),
    /// The values of all members with their ranks.
    Lists(Lists),
}

/// The part of one member where the values of all are listed: a gather, or a scan over a tree that keeps no order.
#[derive(Debug)]
pub struct Lists {
    operation: Operation,
    /// Of this member.
    rank: u32,
    value: u64,
    /// What each child reported, by its place among the children.
    parts: Vec<Vec<(u32, u64)>>,
    /// What has come down, by rank.
    known: Vec<(u32, u64)>,
}

impl Lists {
    /// What this member and all below it have.
    fn all(&self) -> Vec<(u32, u64)> {
        let mut all = vec![(self.rank, self.value)];
        all.extend(self.parts.iter().flatten());
        all
    }

    fn known(&self, rank: u32) -> (u32, u64) {
        let at = self.known.binary_search_by_key(&rank, |&(rank, _)| rank);
        self.known[at.expect("the list has every rank of the sub-tree")]
    }
}

impl Cargo for Loads {
    type Operation = Operation;
    type Load = Load;
    type Outcome = Outcome;

    fn bytes(load: &Load) -> u64 {
        load.bytes().0
    }

    fn begin(operation: Operation, rank: u32, is_ordered: bool, children: usize) -> Result<Self, Full> {
        let word = match operation {
            Operation::Barrier | Operation::Keep => WordOperation::Barrier,
            Operation::Broadcast { from, value } => WordOperation::Broadcast { from, value },
            Operation::Reduce(operator, value) => WordOperation::Reduce(operator, value),
            Operation::AllReduce(operator, value) => WordOperation::AllReduce(operator, value),
            Operation::Scan(operator, value) if is_ordered => WordOperation::Scan(operator, value),
            Operation::Scan(_, value) | Operation::Gather(value) => {
                let (parts, known) = (vec![Vec::new(); children], Vec::new());
                return Ok(Self::Lists(Lists { operation, rank, value, parts, known }));
            }
            _ => unreachable!("no pass over a tree"),
        };
        Words::begin(word, rank, is_ordered, children).map(Self::Words)
    }

    fn nothing() -> Self {
        Self::Words(Words::nothing())
    }

    fn course(&self) -> Course {
        match self {
            Self::Words(words) => words.course(),
            Self::Lists(Lists { operation: Operation::Gather(_), .. }) => Course::Up,
            Self::Lists(_) => Course::UpAndDown,
        }
    }

    fn take(&mut self, child: impl FnOnce() -> usize, load: Load) {
        match self {
            Self::Words(words) => words.take(child, load.word()),
            Self::Lists(lists) => lists.parts[child()] = load.list(),
        }
    }

    fn report(&mut self) -> Load {
        match self {
            Self::Words(words) => words.report().into(),
            Self::Lists(lists) => Load::List(Box::new(lists.all())),
        }
    }

    fn at_root(&mut self, report: Load) -> Outcome {
        match self {
            Self::Words(words) => words.at_root(report.word()).into(),
            Self::Lists(_) => {
                let mut list = report.list();
                list.sort_unstable();
                Outcome::Values(list.into_iter().map(|(_, value)| value).collect())
            }
        }
    }

    fn decide(&mut self, report: Load) -> Load {
        match self {
            Self::Words(words) => words.decide(report.word()).into(),
            Self::Lists(Lists { operation, .. }) => {
                let mut list = report.list();
                if let Operation::Scan(operator, _) = *operation {
                    into_prefixes(operator, &mut list);
                }
                Load::List(Box::new(list))
            }
        }
    }

    fn come_down(&mut self, load: Load) {
        match self {
            Self::Words(words) => words.come_down(load.word()),
            Self::Lists(lists) => lists.known = load.list(),
        }
    }

    fn share(&mut self, child: usize, side: Side) -> Load {
        match self {
            Self::Words(words) => words.share(child, side).into(),
            Self::Lists(lists) => {
                let mut theirs: Vec<_> =
                    lists.parts[child].iter().map(|&(rank, _)| lists.known(rank)).collect();
                theirs.sort_unstable();
                Load::List(Box::new(theirs))
            }
        }
    }

    fn outcome(&mut self) -> Outcome {
        match self {
            Self::Words(words) => words.outcome().into(),
            Self::Lists(lists) => Outcome::Value(lists.known(lists.rank).1),
        }
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
            a.extend(*b);
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
