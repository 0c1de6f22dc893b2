//! The record of a tree: which tasks were branched on, and which children were looked at.

/// One step of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Nothing below is under the limit.
    Closed,
    /// A complete placement.
    Leaf,
    /// Branched on this task; nodes follow, each with what is below it.
    Task(u16),
    /// This child was looked at.
    Node(u16),
    /// No more children.
    End,
}

/// Longer records are not kept.
const TOKENS_MAX: usize = 1 << 22;

/// The steps of a tree in the order in which it was walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    tokens: Vec<Token>,
    /// Whether it became too long.
    is_lost: bool,
}

impl Record {
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.is_lost = false;
    }

    #[inline]
    pub(super) fn push(&mut self, token: Token) {
        if self.tokens.len() < TOKENS_MAX {
            self.tokens.push(token);
        } else {
            self.is_lost = true;
        }
    }

    /// The steps, unless there were too many.
    pub(super) fn tokens(&self) -> Option<&[Token]> {
        (!self.is_lost).then_some(&self.tokens)
    }
}
