//! One member of a collective operation at work.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::owed::{self, WORD};
use super::{DATA, Defect, Found};
use crate::transport::{Endpoint, Lost, Mailbox};
use meshwright_collectives::Operation;
use meshwright_collectives::flow::{Flow, Mode};

/// What stands before the blocks of a message: the numbers of the run and of the transfer, of four bytes each.
const HEADER: usize = 8;

/// Behind its bytes a message keeps room for a few more, which an endpoint may add without moving all.
const ROOM: usize = 8;

/// Something that a member does: its step, whether it receives, and the number of the transfer. In the order of these.
pub(super) type Event = (u32, bool, u32);

/// What a member does: step by step, first what it sends, then what it receives, each in the order of the flow.
pub(super) fn events(flow: &Flow, member: u32) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (transfer, index) in flow.transfers().iter().zip(0..) {
        events.extend((transfer.source == member).then_some((transfer.step, false, index)));
        events.extend((transfer.target == member).then_some((transfer.step, true, index)));
    }
    events.sort_unstable();
    events
}

/// One member in one run.
pub(super) struct Member<'f> {
    flow: &'f Flow,
    operation: Operation,
    me: u32,
    run: u32,
    /// By block its bytes.
    widths: Vec<u64>,
    is_barrier: bool,
    /// What it has of each block of which it has something, behind all blocks what of them is aside.
    held: BTreeMap<u32, Vec<u8>>,
    /// The sum of whole vectors, where they are added up in the end.
    sum: Vec<u8>,
    found: Found,
}

impl<'f> Member<'f> {
    /// A member with its contributions.
    pub(super) fn new(flow: &'f Flow, operation: Operation, me: u32, run: u32) -> Self {
        let (widths, is_barrier) = (owed::widths(flow), owed::is_barrier(flow));
        let (blocks, values) = (widths.len() as u32, flow.values() as u32);
        let mut held = BTreeMap::new();
        for ((block, &width), number) in flow.blocks().iter().zip(&widths).zip(0..) {
            if block.from == meshwright_collectives::flow::ALL || block.from == me {
                let own = match is_barrier {
                    true => owed::heard(me..=me, width),
                    false => owed::bytes(owed::contribution(run, me, number), width as usize),
                };
                held.extend((0..values).map(|aside| (number + aside * blocks, own.clone())));
            }
        }
        Self { flow, operation, me, run, widths, is_barrier, held, sum: Vec::new(), found: Found::default() }
    }

    /// Goes through all that it does.
    pub(super) fn play<E: Endpoint>(&mut self, events: &[Event], mail: &mut Mailbox<E>) -> Result<(), Lost> {
        for &(step, receives, index) in events {
            let transfer = self.flow.transfers()[index as usize];
            if receives {
                let message = mail.receive_bytes(transfer.source, DATA)?;
                self.take(step, index, &message);
            } else {
                let message = self.message(step, index);
                mail.send_bytes(transfer.target, DATA, message)?;
            }
        }
        if self.flow.is_added_up() {
            let held = self.held.iter().map(|(&block, bytes)| (block, bytes.as_slice()));
            self.sum = self.added_up(held);
        }
        Ok(())
    }

    /// How many bytes the blocks of a transfer have.
    fn length(&self, index: u32) -> usize {
        self.flow.carried(index as usize).map(|block| self.widths[block as usize] as usize).sum()
    }

    fn header(&self, index: u32) -> [u8; HEADER] {
        ((u64::from(index) << 32) | u64::from(self.run)).to_le_bytes()
    }

    /// The message of a transfer: what is held now.
    fn message(&mut self, step: u32, index: u32) -> Vec<u8> {
        let mut message = Vec::with_capacity(HEADER + self.length(index) + ROOM);
        message.extend_from_slice(&self.header(index));
        let is_aside = self.flow.transfers()[index as usize].aside.sent;
        let from = if is_aside { self.widths.len() as u32 } else { 0 };
        for block in self.flow.carried(index as usize) {
            let width = self.widths[block as usize] as usize;
            match self.held.get(&(from + block)) {
                Some(bytes) => message.extend_from_slice(bytes),
                None => {
                    message.resize(message.len() + width, 0);
                    if width > 0 {
                        self.found.complain(self.me, Defect::Empty { step, block });
                    }
                }
            }
        }
        message
    }

    /// Takes the message of a transfer.
    fn take(&mut self, step: u32, index: u32, message: &[u8]) {
        let length = self.length(index);
        let transfer = self.flow.transfers()[index as usize];
        let payload = message.strip_prefix(&self.header(index)).filter(|payload| payload.len() == length);
        let Some(mut payload) = payload else {
            let came = message.len().saturating_sub(HEADER) as u64;
            let defect = Defect::Message { step, from: transfer.source, expected: length as u64, came };
            return self.found.complain(self.me, defect);
        };
        self.found.messages += 1;
        self.found.bytes += length as u64;
        for block in self.flow.carried(index as usize) {
            let (bytes, rest) = payload.split_at(self.widths[block as usize] as usize);
            payload = rest;
            for (mode, place) in transfer.modes().into_iter().zip([block, block + self.widths.len() as u32]) {
                match (self.held.entry(place), mode) {
                    (_, Mode::Leave) => {}
                    (Entry::Vacant(place), _) => _ = place.insert(bytes.to_vec()),
                    (Entry::Occupied(held), Mode::Copy) => held.into_mut().copy_from_slice(bytes),
                    (Entry::Occupied(held), Mode::Combine) if self.is_barrier => {
                        held.into_mut().iter_mut().zip(bytes).for_each(|(bits, more)| *bits |= more);
                    }
                    (Entry::Occupied(held), Mode::Combine) => add(held.into_mut(), bytes),
                }
            }
        }
    }

    /// The sum of the vectors that count here: the blocks of a member, in their order, are its vector.
    fn added_up<'b>(&self, blocks: impl Iterator<Item = (u32, &'b [u8])>) -> Vec<u8> {
        let mut vectors: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (block, bytes) in blocks {
            let from = self.flow.blocks()[block as usize].from;
            if self.operation != Operation::Scan || from <= self.me {
                vectors.entry(from).or_default().extend_from_slice(bytes);
            }
        }
        vectors.into_values().fold(Vec::new(), |mut sum, vector| {
            sum.resize(sum.len().max(vector.len()), 0);
            add(&mut sum, &vector);
            sum
        })
    }

    /// Compares what it has with what it is owed.
    pub(super) fn ended(mut self) -> Found {
        let (flow, me) = (self.flow, self.me);
        let mut all: Vec<(u32, Vec<u8>)> = Vec::new();
        for ((block, &width), number) in flow.blocks().iter().zip(&self.widths).zip(0..) {
            if width == 0 || !owed::is_owed(block, me) {
                continue;
            }
            let owed = owed::owed(self.operation, (number, block), (me, flow.members()), (self.run, width));
            let has = self.held.get(&number).map_or(&[][..], Vec::as_slice);
            if flow.is_added_up() {
                all.push((number, owed));
                continue;
            }
            self.found.verified_bytes += width;
            if let Some(at) = difference(has, &owed) {
                self.found.complain(me, Defect::Result { block: number, at });
            }
        }
        let owed = self.added_up(all.iter().map(|(number, owed)| (*number, owed.as_slice())));
        self.found.verified_bytes += owed.len() as u64;
        if let Some(at) = difference(&self.sum, &owed) {
            self.found.complain(me, Defect::Result { block: 0, at });
        }
        self.found
    }
}

/// The first byte that is not as it should be.
fn difference(has: &[u8], owed: &[u8]) -> Option<u64> {
    let differs = has.iter().zip(owed).position(|(has, owed)| has != owed);
    differs.or_else(|| (has.len() != owed.len()).then_some(has.len().min(owed.len()))).map(|at| at as u64)
}

/// Adds words that wrap; of the last one only its low bytes are there.
fn add(sums: &mut [u8], others: &[u8]) {
    const WIDTH: usize = WORD as usize;
    let (words, last) = sums.as_chunks_mut::<WIDTH>();
    let (other_words, other_last) = others.as_chunks::<WIDTH>();
    for (word, other) in words.iter_mut().zip(other_words) {
        *word = u64::from_le_bytes(*word).wrapping_add(u64::from_le_bytes(*other)).to_le_bytes();
    }
    let filled = |bytes: &[u8]| {
        let mut word = [0; WIDTH];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let sum = filled(last).wrapping_add(filled(other_last)).to_le_bytes();
    last.copy_from_slice(&sum[..last.len()]);
}
