//! Passes that carry words of 64 bits, or nothing.

use crate::list::{Full, List};
use crate::pass::{Cargo, Course};
use crate::program::Operator;
use crate::tree::Side;

/// A pass of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordOperation {
    /// Nobody goes on before all have come.
    Barrier,
    /// Everybody learns the value of one member.
    Broadcast {
        /// Whose.
        from: u32,
        /// The value, of that member.
        value: u64,
    },
    /// The root of the tree learns all values put together.
    Reduce(Operator, u64),
    /// Everybody learns all values put together.
    AllReduce(Operator, u64),
    /// Everybody learns the values of the ranks up to its own, put together, on a tree that keeps their order.
    Scan(Operator, u64),
}

/// What a pass of words carries; P is where the reports of the children are kept, which only a scan does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Words<P> {
    operation: WordOperation,
    /// What came up so far, this member's own value included; of a scan, what stands before what is told next.
    sum: u64,
    /// By child.
    parts: P,
    /// Of a scan: the values up to this member's own, once they are known.
    prefix: Option<u64>,
}

impl<P: List<u64>> Cargo for Words<P> {
    type Operation = WordOperation;
    /// A barrier carries nothing.
    type Load = Option<u64>;
    type Outcome = Option<u64>;

    /// A word, whether it says something or not.
    fn bytes(_: &Option<u64>) -> u64 {
        8
    }

    fn begin(operation: WordOperation, _: u32, is_ordered: bool, children: usize) -> Result<Self, Full> {
        let mut words = Self { operation, sum: 0, parts: P::default(), prefix: None };
        match operation {
            WordOperation::Barrier => {}
            WordOperation::Broadcast { value, .. }
            | WordOperation::Reduce(_, value)
            | WordOperation::AllReduce(_, value) => words.sum = value,
            WordOperation::Scan(_, value) => {
                assert!(is_ordered, "a scan of words needs a tree that keeps the order of ranks");
                words.sum = value;
                (0..children).try_for_each(|_| words.parts.push(0))?;
            }
        }
        Ok(words)
    }

    fn nothing() -> Self {
        Self { operation: WordOperation::Barrier, sum: 0, parts: P::default(), prefix: None }
    }

    fn course(&self) -> Course {
        match self.operation {
            WordOperation::Reduce(..) => Course::Up,
            WordOperation::Broadcast { from, .. } => Course::From(from),
            _ => Course::UpAndDown,
        }
    }

    fn take(&mut self, child: impl FnOnce() -> usize, load: Option<u64>) {
        let value = load.unwrap_or(0);
        match self.operation {
            WordOperation::Reduce(operator, _) | WordOperation::AllReduce(operator, _) => {
                self.sum = operator.apply(self.sum, value);
            }
            WordOperation::Scan(operator, _) => {
                self.sum = operator.apply(self.sum, value);
                if let Some(part) = self.parts.get_mut(child()) {
                    *part = value;
                }
            }
            WordOperation::Barrier | WordOperation::Broadcast { .. } => {}
        }
    }

    fn report(&mut self) -> Option<u64> {
        (self.operation != WordOperation::Barrier).then_some(self.sum)
    }

    fn at_root(&mut self, report: Option<u64>) -> Option<u64> {
        report
    }

    fn decide(&mut self, report: Option<u64>) -> Option<u64> {
        match self.operation {
            WordOperation::Scan(operator, _) => Some(operator.identity()),
            _ => report,
        }
    }

    fn come_down(&mut self, load: Option<u64>) {
        self.sum = load.unwrap_or(0);
    }

    fn share(&mut self, child: usize, side: Side) -> Option<u64> {
        let WordOperation::Scan(operator, own) = self.operation else { return self.report() };
        if side == Side::Right && self.prefix.is_none() {
            self.sum = operator.apply(self.sum, own);
            self.prefix = Some(self.sum);
        }
        let before = self.sum;
        self.sum = operator.apply(before, self.parts.get(child).copied().unwrap_or(0));
        Some(before)
    }

    fn outcome(&mut self) -> Option<u64> {
        match self.operation {
            WordOperation::Scan(operator, own) => {
                Some(self.prefix.unwrap_or_else(|| operator.apply(self.sum, own)))
            }
            _ => self.report(),
        }
    }
}
