//! What a plan does is found by playing it, not by believing its head: every chunk of every member is an expression of contributions.
//!
//! Who has what in the end says which operation it is. A contribution that counts twice, a member that waits for ever, a
//! message that nobody takes: such a plan does nothing. The order of the play is the order in which sums are formed whenever
//! the plan runs, so results are the same each time. Equal expressions at all members are equal bits at all members.

use std::collections::{BTreeMap, VecDeque};

use meshwright_core::error::{Error, Result};
use serde::{Deserialize, Serialize};

use super::file::{Block, File, Kind};

/// What a plan does for all chunks, on all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operation {
    /// From this root.
    Broadcast(u32),
    /// To this root.
    Reduce(u32),
    AllReduce,
}

/// What a member does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Way {
    Send,
    Receive,
    Add,
}

/// A message at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Move {
    pub(super) way: Way,
    pub(super) peer: u32,
    /// The number of the message among those of its source to its target.
    pub(super) tag: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A plan that was played.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) operation: Operation,
    /// Whether all members that get a sum form it in the same way.
    pub(super) is_one: bool,
    /// By member its messages, in the order of the play.
    pub(super) moves: Vec<Vec<Move>>,
}

/// Every MPI has room for so many tags.
const TAGS_MAX: u32 = 32_767;

/// The most words for contributors of expressions: 1 GiB.
const WORDS_MAX: usize = 1 << 27;

fn refused<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::not_applicable("a plan", why))
}

/// Expressions by number; those below the number of members are contributions themselves.
struct Sums {
    pairs: BTreeMap<[u32; 2], u32>,
    /// Words of an expression, and who contributes to it.
    words: usize,
    contributors: Vec<u64>,
}

impl Sums {
    fn new(members: u32) -> Self {
        let words = members.div_ceil(64) as usize;
        let mut contributors = vec![0; words * members as usize];
        for member in 0..members as usize {
            contributors[member * words + member / 64] |= 1 << (member % 64);
        }
        Self { pairs: BTreeMap::new(), words, contributors }
    }

    fn of(&self, sum: u32) -> &[u64] {
        &self.contributors[sum as usize * self.words..][..self.words]
    }

    fn count(&self, sum: u32) -> u32 {
        self.of(sum).iter().map(|word| word.count_ones()).sum()
    }

    /// The sum of two, whichever is the first; nothing if somebody counts twice.
    fn add(&mut self, a: u32, b: u32) -> Option<u32> {
        let pair = [a.min(b), a.max(b)];
        if let Some(&known) = self.pairs.get(&pair) {
            return Some(known);
        }
        if self.of(a).iter().zip(self.of(b)).any(|(a, b)| a & b != 0) {
            return None;
        }
        let both: Vec<u64> = self.of(a).iter().zip(self.of(b)).map(|(a, b)| a | b).collect();
        let sum = (self.contributors.len() / self.words) as u32;
        self.contributors.extend(both);
        self.pairs.insert(pair, sum);
        Some(sum)
    }
}

/// A message on its way.
struct Message {
    tag: u32,
    first: u32,
    sums: Vec<u32>,
}

/// A play that has begun.
struct Play<'f> {
    file: &'f File,
    sums: Sums,
    /// By member and chunk.
    held: Vec<Vec<u32>>,
    /// By member and thread block how many steps are done.
    done: Vec<Vec<usize>>,
    /// By source, target and channel.
    wires: BTreeMap<[u32; 3], VecDeque<Message>>,
    /// By source and target how many were sent.
    tags: BTreeMap<[u32; 2], u32>,
    moves: Vec<Vec<Move>>,
}

/// Plays a plan from begin to end.
///
/// # Errors
///
/// [`Error::NotApplicable`] for a plan that stands still, or does none of the operations.
pub(super) fn play(file: &File) -> Result<Played> {
    let members = file.members.len() as u32;
    let chunks = file.chunks as usize;
    let mut play = Play {
        file,
        sums: Sums::new(members),
        held: (0..members).map(|member| vec![member; chunks]).collect(),
        done: file.members.iter().map(|blocks| vec![0; blocks.len()]).collect(),
        wires: BTreeMap::new(),
        tags: BTreeMap::new(),
        moves: vec![Vec::new(); members as usize],
    };
    // All send what they can, then all take what has come: as if every message took as long.
    loop {
        let mut goes_on = false;
        for takes in [false, true] {
            for (member, blocks) in file.members.iter().enumerate() {
                for (at, block) in blocks.iter().enumerate() {
                    goes_on |= play.step(member, at, block, takes)?;
                }
            }
        }
        if !goes_on {
            break;
        }
    }
    play.check_end()?;
    let Some((operation, is_one)) = play.operation() else {
        return refused(
            "it is no broadcast, no reduction and no all-reduce: somebody lacks a contribution in the end",
        );
    };
    Ok(Played { operation, is_one, moves: play.moves })
}

impl Play<'_> {
    /// Does the next step of a thread block if it is of this kind and can be done; whether it was.
    fn step(&mut self, member: usize, at: usize, block: &Block, takes: bool) -> Result<bool> {
        let Some(step) = block.steps.get(self.done[member][at]) else { return Ok(false) };
        if step.after.is_some_and(|[other, step]| self.done[member][other] <= step) {
            return Ok(false);
        }
        let chunks = step.first as usize..(step.first + step.count) as usize;
        match step.kind {
            Kind::Nothing => {}
            Kind::Send if takes => return Ok(false),
            Kind::Send => {
                let peer = block.to.expect("a sender has a target");
                let next = self.tags.entry([member as u32, peer]).or_default();
                let tag = *next;
                *next += 1;
                if tag > TAGS_MAX {
                    return refused(format!(
                        "member {member} sends more than {TAGS_MAX} messages to member {peer}"
                    ));
                }
                let message = Message { tag, first: step.first, sums: self.held[member][chunks].to_vec() };
                self.wires.entry([member as u32, peer, block.channel]).or_default().push_back(message);
                self.note(member, Way::Send, (peer, tag), (step.first, step.count));
            }
            Kind::Receive | Kind::Add if !takes => return Ok(false),
            Kind::Receive | Kind::Add => {
                let peer = block.from.expect("a receiver has a source");
                let wire = self.wires.get_mut(&[peer, member as u32, block.channel]);
                let Some(message) = wire.and_then(VecDeque::pop_front) else { return Ok(false) };
                if (message.first, message.sums.len()) != (step.first, step.count as usize) {
                    return refused(format!("member {member} expects other chunks than member {peer} sends"));
                }
                self.take(member, step.kind, &message)?;
                let way = if step.kind == Kind::Add { Way::Add } else { Way::Receive };
                self.note(member, way, (peer, message.tag), (step.first, step.count));
            }
        }
        self.done[member][at] += 1;
        Ok(true)
    }

    fn note(&mut self, member: usize, way: Way, (peer, tag): (u32, u32), (first, count): (u32, u32)) {
        self.moves[member].push(Move { way, peer, tag, first, count });
    }

    fn take(&mut self, member: usize, kind: Kind, message: &Message) -> Result<()> {
        let held = &mut self.held[member][message.first as usize..];
        for ((held, &sum), chunk) in held.iter_mut().zip(&message.sums).zip(message.first..) {
            *held = match kind {
                Kind::Add => match self.sums.add(*held, sum) {
                    Some(sum) => sum,
                    None => {
                        return refused(format!(
                            "in chunk {chunk} of member {member} a contribution counts twice"
                        ));
                    }
                },
                _ => sum,
            };
        }
        if self.sums.contributors.len() > WORDS_MAX {
            return refused("it forms too many different sums");
        }
        Ok(())
    }

    /// All steps are done, and all messages taken.
    fn check_end(&self) -> Result<()> {
        for (member, (blocks, done)) in self.file.members.iter().zip(&self.done).enumerate() {
            let waits = blocks.iter().zip(done).position(|(block, &done)| done < block.steps.len());
            if let Some(block) = waits {
                let step = done[block];
                return refused(format!(
                    "it stands still: member {member} waits in step {step} of block {block}"
                ));
            }
        }
        match self.wires.iter().find(|(_, wire)| !wire.is_empty()) {
            Some(([source, target, _], _)) => {
                refused(format!("a message of member {source} to member {target} is taken by nobody"))
            }
            None => Ok(()),
        }
    }

    /// The operation by what is held in the end, and whether all members form their sums in the same way.
    fn operation(&self) -> Option<(Operation, bool)> {
        let members = self.held.len() as u32;
        let root = self.held[0][0];
        if self.held.iter().flatten().all(|&sum| sum == root) && root < members {
            return Some((Operation::Broadcast(root), true));
        }
        let is_whole = |held: &Vec<u32>| held.iter().all(|&sum| self.sums.count(sum) == members);
        if self.held.iter().all(is_whole) {
            return Some((Operation::AllReduce, self.held.iter().all(|held| *held == self.held[0])));
        }
        let root = self.held.iter().position(is_whole)?;
        Some((Operation::Reduce(root as u32), true))
    }
}
