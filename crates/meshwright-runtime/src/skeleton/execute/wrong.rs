//! Defects of a run, in forms that travel.

use std::fmt;

use serde::Serialize;

use crate::transport::Wire;
use meshwright_core::units::Bytes;

/// A message that is not what its receiver waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// The rank that found it.
    pub rank: u32,
    /// The step that receives it; none for a message that no step waits for.
    pub step: Option<u32>,
    /// The rank that sent it.
    pub from: u32,
    /// Its tag.
    pub tag: u32,
    /// What is wrong.
    pub defect: Defect,
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Defect {
    /// It has another length than the schedule says.
    Length {
        /// What the schedule says, in bytes.
        expected: u64,
        /// What came, in bytes.
        came: u64,
    },
    /// A byte differs from what was sent.
    Byte {
        /// The first such byte, from 0.
        at: u64,
    },
    /// No step waits for it (any more).
    Unexpected,
}

impl fmt::Display for Wrong {
    /// One sentence without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, step, from, tag, defect } = self;
        match step {
            Some(step) => write!(f, "rank {rank}, step {step}: ")?,
            None => write!(f, "rank {rank}: ")?,
        }
        write!(f, "the message from rank {from} with tag {tag} ")?;
        match defect {
            Defect::Length { expected, came } => write!(f, "has {came} bytes where {expected} were sent"),
            Defect::Byte { at } => write!(f, "differs in byte {at} from what was sent"),
            Defect::Unexpected => write!(f, "is one that no step waits for"),
        }
    }
}

/// A receive that waits in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The rank that waits.
    pub rank: u32,
    /// The first of its steps that wait for a message.
    pub step: u32,
    /// The rank that is to send it.
    pub from: u32,
    /// Its tag.
    pub tag: u32,
    /// Whether that rank has come to its end.
    pub sender_ended: bool,
}

impl fmt::Display for Waiting {
    /// One sentence without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, step, from, tag, sender_ended } = self;
        write!(f, "rank {rank} waits in step {step} for a message with tag {tag} from rank {from}")?;
        if *sender_ended { write!(f, ", which has sent all of its messages") } else { Ok(()) }
    }
}

/// As it travels: rank, step and sender; tag and kind; two numbers.
type Travelling = ((u32, Option<u32>, u32), (u32, u8), (u64, u64));

impl Wrong {
    fn packed(&self) -> Travelling {
        let (kind, numbers) = match self.defect {
            Defect::Length { expected, came } => (0, (expected, came)),
            Defect::Byte { at } => (1, (at, 0)),
            Defect::Unexpected => (2, (0, 0)),
        };
        ((self.rank, self.step, self.from), (self.tag, kind), numbers)
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
        let ((rank, step, sender), (tag, kind), (first, second)) = Travelling::read(from)?;
        let defect = match kind {
            0 => Defect::Length { expected: first, came: second },
            1 => Defect::Byte { at: first },
            2 => Defect::Unexpected,
            _ => return None,
        };
        Some(Self { rank, step, from: sender, tag, defect })
    }
}
