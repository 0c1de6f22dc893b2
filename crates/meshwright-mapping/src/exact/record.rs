//! The record of a tree: which tasks were branched on, and which children were looked at.
//!
//! As text, see [`TreeProof::tree`](crate::certificate::TreeProof):
//!
//! ```text
//! tree  =  "."  nothing below is under the limit
//!       |  "*"  a complete placement
//!       |  task "(" children ")"
//! child =  node "." | node "*" | node ":" task "(" children ")"
//! ```

use std::fmt::Write;

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
const TOKENS_MAX: usize = 1 << 21;

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

    /// As text, unless there were too many steps.
    pub(super) fn text(&self) -> Option<String> {
        if self.is_lost {
            return None;
        }
        let (mut text, mut is_child) = (String::new(), false);
        for token in &self.tokens {
            match token {
                Token::Closed => text.push('.'),
                Token::Leaf => text.push('*'),
                Token::End => text.push(')'),
                Token::Task(task) if is_child => write!(text, ":{task}(").expect("text takes all"),
                Token::Task(task) => write!(text, "{task}(").expect("text takes all"),
                Token::Node(node) => write!(text, "{node}").expect("text takes all"),
            }
            is_child = matches!(token, Token::Node(_));
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_as_text() {
        let mut record = Record::default();
        let steps = [Token::Task(3), Token::Node(0), Token::Task(1), Token::Node(2), Token::Leaf, Token::End];
        steps
            .into_iter()
            .chain([Token::Node(5), Token::Closed, Token::End])
            .for_each(|step| record.push(step));
        assert_eq!(record.text().unwrap(), "3(0:1(2*)5.)");
    }
}
