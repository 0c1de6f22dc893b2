//! Defects of a collective operation, in forms that travel.

use std::fmt;

use serde::Serialize;

use crate::transport::Wire;
use meshwright_core::units::Bytes;

/// Something that a member found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// The member, which is the rank.
    pub member: u32,
    /// What is wrong.
    #[serde(flatten)]
    pub defect: Defect,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Defect {
    /// A message is not the one that the member waits for.
    Message {
        /// The step in which it waits.
        step: u32,
        /// The member that sent it.
        from: u32,
        /// How long it is to be, in bytes.
        expected: u64,
        /// How long it is, in bytes.
        came: u64,
    },
    /// The member sends a block of which it has nothing.
    Empty {
        /// In which step.
        step: u32,
        /// Which block.
        block: u32,
    },
    /// The result differs from what the operation owes.
    Result {
        /// In which block; 0 for the result of another implementation.
        block: u32,
        /// The first such byte of the block, from 0.
        at: u64,
    },
}

impl fmt::Display for Wrong {
    /// One sentence without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}", self.member)?;
        match self.defect {
            Defect::Message { step, from, expected, came } => write!(
                f,
                ", step {step}: the message of {came} bytes from rank {from} is not the one of {expected} bytes that it waits for"
            ),
            Defect::Empty { step, block } => {
                write!(f, ", step {step}: it sends block {block} and has nothing of it")
            }
            Defect::Result { block, at } => {
                write!(f, ": byte {at} of block {block} is not what the operation owes")
            }
        }
    }
}

/// As it travels: member and kind; two numbers; two large ones.
type Travelling = ((u32, u8), (u32, u32), (u64, u64));

impl Wrong {
    fn packed(&self) -> Travelling {
        match self.defect {
            Defect::Message { step, from, expected, came } => {
                ((self.member, 0), (step, from), (expected, came))
            }
            Defect::Empty { step, block } => ((self.member, 1), (step, block), (0, 0)),
            Defect::Result { block, at } => ((self.member, 2), (block, 0), (at, 0)),
        }
    }
}

impl Wire for Wrong {
    fn volume(&self) -> Bytes {
        self.packed().volume()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.packed().write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let ((member, kind), (a, b), (c, d)) = Travelling::read(from)?;
        let defect = match kind {
            0 => Defect::Message { step: a, from: b, expected: c, came: d },
            1 => Defect::Empty { step: a, block: b },
            2 => Defect::Result { block: a, at: c },
            _ => return None,
        };
        Some(Self { member, defect })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defects_there_and_back() {
        let message = Defect::Message { step: 1, from: 2, expected: 1 << 40, came: 3 };
        for defect in [message, Defect::Empty { step: 4, block: 5 }, Defect::Result { block: 6, at: 1 << 33 }]
        {
            let wrong = Wrong { member: 7, defect };
            assert_eq!(Wrong::from_bytes(&wrong.to_bytes()), Some(wrong));
        }
    }
}
