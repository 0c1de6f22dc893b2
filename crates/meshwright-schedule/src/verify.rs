//! Verification that a schedule can run to its end, with a certificate if it cannot.

use std::collections::BTreeSet;
use std::fmt;

use super::{Awaits, CALC_MAX, Dependency, Message, Op, Rank, Schedule, matching};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::NODES_MAX;
use meshwright_network::topology::costs::BYTES_MAX;

/// A send with the receive it is paired with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedMessage {
    /// The rank that sends.
    pub source: NodeId,
    /// Its step.
    pub source_step: u32,
    /// The rank that receives.
    pub target: NodeId,
    /// Its step.
    pub target_step: u32,
    /// How much is sent.
    pub bytes: Bytes,
    /// What pairs them; the phase of a schedule made from phases.
    pub tag: u32,
}

impl From<&MatchedMessage> for Message {
    /// The message itself: its tag becomes its phase.
    fn from(matched: &MatchedMessage) -> Self {
        Self { source: matched.source, target: matched.target, bytes: matched.bytes, phase: matched.tag }
    }
}

/// Why a schedule cannot run to its end; ranks and steps count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There are more ranks than a machine may have nodes.
    TooManyRanks {
        /// How many there are.
        ranks: usize,
    },
    /// A step names a rank that does not exist.
    PeerOutside {
        /// The rank of the step.
        rank: NodeId,
        /// The step.
        step: u32,
        /// The rank it names.
        peer: NodeId,
    },
    /// A message or a computation is larger than accepted.
    TooLarge {
        /// The rank of the step.
        rank: NodeId,
        /// The step.
        step: u32,
    },
    /// A dependency names a step that its rank does not have.
    StepOutside {
        /// The rank of the dependency.
        rank: NodeId,
        /// The step it names.
        step: u32,
    },
    /// A step relays what is no receive of as many bytes, or more than one.
    WrongRelay {
        /// The rank of the step.
        rank: NodeId,
        /// The step.
        step: u32,
    },
    /// No receive is left for a send.
    UnmatchedSend {
        /// The rank that sends.
        rank: NodeId,
        /// The step.
        step: u32,
    },
    /// No send is left for a receive.
    UnmatchedRecv {
        /// The rank that receives.
        rank: NodeId,
        /// The step.
        step: u32,
    },
    /// A send and its receive disagree about the size.
    BytesDiffer {
        /// The pair, with the size the send gives.
        message: MatchedMessage,
        /// The size the receive gives.
        received: Bytes,
    },
    /// Steps that wait for each other in a circle.
    Cycle {
        /// Rank and step; each waits for the next, the last for the first.
        steps: Vec<(NodeId, u32)>,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyRanks { ranks } => {
                write!(f, "the schedule has {ranks} ranks; a machine has at most {NODES_MAX} nodes")
            }
            Self::PeerOutside { rank, step, peer } => {
                write!(f, "step {step} of rank {rank} names rank {peer}, which does not exist")
            }
            Self::TooLarge { rank, step } => {
                let limits = format!("{BYTES_MAX} bytes and {} cycles", CALC_MAX.0);
                write!(f, "step {step} of rank {rank} is too large; the limits are {limits}")
            }
            Self::StepOutside { rank, step } => {
                write!(f, "a dependency of rank {rank} names step {step}, which does not exist")
            }
            Self::WrongRelay { rank, step } => {
                let expected = "a send relays one receive of the same size";
                write!(f, "step {step} of rank {rank} relays something else: {expected}")
            }
            Self::UnmatchedSend { rank, step } => {
                write!(f, "step {step} of rank {rank} sends a message that nobody receives")
            }
            Self::UnmatchedRecv { rank, step } => {
                write!(f, "step {step} of rank {rank} receives a message that nobody sends")
            }
            Self::BytesDiffer { message: m, received } => {
                let (send, recv) = ((m.source_step, m.source), (m.target_step, m.target));
                write!(f, "step {} of rank {} sends {} bytes, ", send.0, send.1, m.bytes.0)?;
                write!(f, "but step {} of rank {} receives {}", recv.0, recv.1, received.0)
            }
            Self::Cycle { steps } => {
                write!(f, "these steps wait for each other in a circle:")?;
                // A long circle says no more than its beginning.
                for (rank, step) in steps.iter().take(8) {
                    write!(f, " step {step} of rank {rank},")?;
                }
                if steps.len() > 8 {
                    write!(f, " {} more,", steps.len() - 8)?;
                }
                write!(f, " and so on")
            }
        }
    }
}

impl Op {
    /// Whether its size or length is accepted.
    #[inline]
    pub(super) fn fits(&self) -> bool {
        match self {
            Self::Send { bytes, .. } | Self::Recv { bytes, .. } => bytes.0 <= BYTES_MAX,
            Self::Calc { cycles } => *cycles <= CALC_MAX,
        }
    }
}

impl Rank {
    /// A step that a dependency names and that is none.
    pub(super) fn step_outside(&self) -> Option<u32> {
        let mut named = self.dependencies.iter().flat_map(|dependency| [dependency.step, dependency.on]);
        named.find(|&step| step as usize >= self.ops.len())
    }
}

impl Rank {
    /// A step that relays something else than one receive of its own size, or is no send.
    pub(super) fn wrong_relay(&self) -> Option<u32> {
        let relays = |dependency: &&Dependency| dependency.awaits == Awaits::Head;
        let mut seen = BTreeSet::new();
        let wrong = self.dependencies.iter().filter(relays).find(|&&Dependency { step, on, .. }| {
            let is_second = !seen.insert(step);
            match (self.ops[step as usize], self.ops[on as usize]) {
                (Op::Send { bytes: sent, .. }, Op::Recv { bytes, .. }) => is_second || sent != bytes,
                _ => true,
            }
        });
        wrong.map(|dependency| dependency.step)
    }
}

impl Schedule {
    /// Whether routers send on copies: some step [relays](Awaits::Head) another.
    pub fn has_relays(&self) -> bool {
        let mut all = self.ranks.iter().flat_map(|rank| &rank.dependencies);
        all.any(|dependency| dependency.awaits == Awaits::Head)
    }

    /// Every send with its receive, by rank and step of the send.
    ///
    /// The k-th send from one rank to another with one tag belongs to the k-th such receive, in the order
    /// of the steps. Sends and receives without partner are left out; [`Schedule::verify`] tells of them.
    ///
    /// # Complexity
    ///
    /// O(steps log steps).
    pub fn messages(&self) -> Vec<MatchedMessage> {
        matching::all(self).unwrap_or_else(|| {
            let mut messages = matching::paired(self, |_| {});
            messages.sort_unstable_by_key(|message| (message.source, message.source_step));
            messages
        })
    }

    /// Checks that every message has both its ends and that no steps wait for each other in a circle.
    ///
    /// A step ends after it starts; a receive ends after its send starts; a send needs no receive to end.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] found: in single steps, then in pairs, then circles.
    ///
    /// # Complexity
    ///
    /// O(steps log steps + dependencies).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::{Fault, Op, Rank, Schedule};
    /// use meshwright_core::units::{Bytes, NodeId};
    /// let send = Op::Send { peer: NodeId(1), bytes: Bytes(8), tag: 0 };
    /// let lonely = Schedule { ranks: vec![Rank { ops: vec![send], ..Rank::default() }, Rank::default()] };
    /// assert_eq!(lonely.verify(), Err(Fault::UnmatchedSend { rank: NodeId(0), step: 0 }));
    /// ```
    pub fn verify(&self) -> std::result::Result<(), Fault> {
        let messages = self.matched()?;
        self.circle(&messages).map_or(Ok(()), Err)
    }

    /// The messages as [`Schedule::messages`] gives them, of a schedule whose steps are in range and whose messages
    /// have both ends; circles are left to [`Schedule::circle`].
    ///
    /// # Errors
    ///
    /// As for [`Schedule::verify`], but no [`Fault::Cycle`].
    pub fn matched(&self) -> std::result::Result<Vec<MatchedMessage>, Fault> {
        if let Some(messages) = matching::all(self) {
            return Ok(messages);
        }
        self.check_range()?;
        let mut first = None;
        matching::paired(self, |fault| {
            first.get_or_insert(fault);
        });
        Err(first.expect("what does not pair has a first fault"))
    }

    /// Steps that wait for each other in a circle, as a fault, given all messages.
    pub fn circle(&self, messages: &[MatchedMessage]) -> Option<Fault> {
        super::cycle::find(self, messages).map(|steps| Fault::Cycle { steps })
    }

    fn check_range(&self) -> std::result::Result<(), Fault> {
        let ranks = self.ranks.len();
        if ranks > NODES_MAX as usize {
            return Err(Fault::TooManyRanks { ranks });
        }
        for (rank, program) in (0..).map(NodeId).zip(&self.ranks) {
            for (step, op) in (0..).zip(&program.ops) {
                let peer = match *op {
                    Op::Send { peer, .. } | Op::Recv { peer, .. } => peer,
                    Op::Calc { .. } => rank,
                };
                if peer.index() >= ranks {
                    return Err(Fault::PeerOutside { rank, step, peer });
                }
                if !op.fits() {
                    return Err(Fault::TooLarge { rank, step });
                }
            }
            if let Some(step) = program.step_outside() {
                return Err(Fault::StepOutside { rank, step });
            }
            if let Some(step) = program.wrong_relay() {
                return Err(Fault::WrongRelay { rank, step });
            }
        }
        Ok(())
    }
}
