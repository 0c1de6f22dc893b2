//! Data flow of a collective: which member sends which blocks to which other, in which step.

mod narrow;
mod sequence;
mod transfer;

use std::ops::Range;

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};

pub use transfer::{Aside, Mode, Moments, Transfer};

/// Stands for every member, as who contributes to a block or who needs it.
pub const ALL: u32 = u32::MAX;

/// The most messages of a flow: more would not be simulated in a minute.
pub const TRANSFERS_MAX: usize = 1 << 24;

/// A piece of the data of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// How large it is.
    pub bytes: u64,
    /// The member that contributes it, or [`ALL`], whose contributions are added up.
    pub from: u32,
    /// The member that needs it, or [`ALL`].
    pub to: u32,
}

/// A collective operation as data flow between members, numbered from 0.
///
/// A member may send in a step as soon as those of the steps before have come to it that touch the same blocks: chunks
/// stream through the members without waiting for each other. In a [stepwise](Flow::stepwise) flow it waits for all that comes to it
/// in the steps before.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    members: u32,
    blocks: Vec<Block>,
    /// By block the bytes of all before it, and of all.
    before: Vec<u64>,
    transfers: Vec<Transfer>,
    /// By transfer the blocks it carries, as ranges without overlap.
    carried: Csr<(u32, u32)>,
    /// See [`Flow::ordered`] and [`Flow::stepwise`].
    is_ordered: bool,
    is_stepwise: bool,
    /// See [`Flow::copied`].
    is_copied: bool,
    /// See [`Flow::added_up`].
    is_added_up: bool,
    /// See [`Flow::paced`]: by message, none where nothing is planned.
    moments: Vec<Moments>,
}

impl Flow {
    /// A flow in which nothing is sent yet.
    pub fn new(members: u32, blocks: Vec<Block>) -> Self {
        let mut flow = Self { members, ..Self::default() };
        flow.add(blocks);
        flow
    }

    /// More blocks.
    fn add(&mut self, blocks: impl IntoIterator<Item = Block>) {
        if self.before.is_empty() {
            self.before.push(0);
        }
        let mut all = self.before[self.blocks.len()];
        for block in blocks {
            all += block.bytes;
            self.before.push(all);
            self.blocks.push(block);
        }
    }

    /// How many members there are.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The messages.
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// The blocks that a message carries.
    pub fn carried(&self, transfer: usize) -> impl Iterator<Item = u32> + '_ {
        self.ranges(transfer).flatten()
    }

    /// The same as ranges.
    pub fn ranges(&self, transfer: usize) -> impl Iterator<Item = Range<u32>> + '_ {
        self.carried.row(transfer).iter().map(|&(first, end)| first..end)
    }

    /// The same as increasing pairs, first and end.
    pub fn row(&self, transfer: usize) -> &[(u32, u32)] {
        self.carried.row(transfer)
    }

    /// How many bytes a message carries: O(ranges).
    pub fn bytes(&self, transfer: usize) -> u64 {
        let of = |&(first, end): &(u32, u32)| self.before[end as usize] - self.before[first as usize];
        self.carried.row(transfer).iter().map(of).sum()
    }

    /// The same flow, in which a member sends in a step only when all that comes to it in the steps before has come.
    ///
    /// Members stay in step with each other: slower alone, often faster where those ahead would fill links that others need.
    pub fn stepwise(mut self) -> Self {
        self.is_stepwise = true;
        self
    }

    /// Whether members wait for all that comes to them in the steps before.
    pub fn is_stepwise(&self) -> bool {
        self.is_stepwise
    }

    /// The same flow on routers that copy: a member that hands on one message as it got it, which takes the place of what was there, does so
    /// behind its head, without a start-up.
    pub fn copied(mut self) -> Self {
        self.is_copied = true;
        self
    }

    /// Whether routers copy.
    pub fn is_copied(&self) -> bool {
        self.is_copied
    }

    /// The same all-gather of whole vectors as a sum: each member adds up what it has in the end, a vector from every member.
    ///
    /// No sum goes over a link, so hearing of a member on two ways at once does no harm, and sides need no tiling.
    pub fn added_up(mut self) -> Self {
        self.is_added_up = true;
        self
    }

    /// Whether members add up in the end.
    pub fn is_added_up(&self) -> bool {
        self.is_added_up
    }

    /// How many values a member may have of each block: two where some are aside, else one. O(messages).
    pub fn values(&self) -> usize {
        let has_aside = |transfer: &Transfer| transfer.aside != Aside::NONE;
        1 + usize::from(self.transfers.iter().any(has_aside))
    }

    /// How many steps there are: one more than the number of the last.
    pub fn steps(&self) -> u32 {
        self.transfers.iter().map(|transfer| transfer.step + 1).max().unwrap_or(0)
    }

    /// Messages in the order of their steps, those of a step in that in which they were added.
    pub(crate) fn in_steps(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.transfers.len()).collect();
        order.sort_by_key(|&index| self.transfers[index].step);
        order
    }

    /// Those of each step.
    pub(crate) fn steps_of<'o>(&'o self, order: &'o [usize]) -> impl DoubleEndedIterator<Item = &'o [usize]> {
        order.chunk_by(|&a, &b| self.transfers[a].step == self.transfers[b].step)
    }

    /// Adds a message; one without blocks, or to the sender itself, is left out.
    pub fn send(&mut self, transfer: Transfer, blocks: impl IntoIterator<Item = u32>) {
        if transfer.source == transfer.target {
            return;
        }
        let mut blocks = blocks.into_iter();
        let Some(first) = blocks.next() else { return };
        let mut range = (first, first + 1);
        for block in blocks {
            if range.1 == block {
                range.1 += 1;
            } else {
                self.carried.push(range);
                range = (block, block + 1);
            }
        }
        self.carried.push(range);
        self.carried.end_row();
        self.transfers.push(transfer);
    }

    /// The same with blocks as increasing ranges, first and end.
    pub fn send_ranges(&mut self, transfer: Transfer, ranges: &[(u32, u32)]) {
        if transfer.source == transfer.target || ranges.is_empty() {
            return;
        }
        self.transfers.push(transfer);
        self.carried.push_row(ranges.iter().copied());
    }

    /// Adds a message that takes the place of what the target has.
    pub fn copy(&mut self, step: u32, source: u32, target: u32, blocks: impl IntoIterator<Item = u32>) {
        self.send(Transfer::new(step, source, target, Mode::Copy), blocks);
    }

    /// Adds a message that is added to what the target has.
    pub fn combine(&mut self, step: u32, source: u32, target: u32, blocks: impl IntoIterator<Item = u32>) {
        self.send(Transfer::new(step, source, target, Mode::Combine), blocks);
    }

    /// The same with other steps, by message.
    ///
    /// # Panics
    ///
    /// When there are not as many steps as messages.
    pub fn relabelled(&self, steps: &[u32]) -> Self {
        let mut flow = self.clone();
        flow.moments.clear();
        assert_eq!(steps.len(), flow.transfers.len(), "a step for each message");
        for (transfer, &step) in flow.transfers.iter_mut().zip(steps) {
            transfer.step = step;
        }
        flow
    }

    /// The same, and a member begins its messages to one other member in the order of their steps: those of early chunks are not
    /// overtaken by late ones that are there already.
    pub fn ordered(mut self) -> Self {
        self.is_ordered = true;
        self
    }

    /// Whether a member begins its messages to one other member in the order of their steps.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// The same, and members keep to a plan: a member begins its messages in the planned order, each when all that leaves it or comes to it
    /// before that in the plan has done so.
    ///
    /// Where messages cross links that others begin at, those that are there too soon would take them from more urgent ones.
    ///
    /// # Panics
    ///
    /// When there are not as many moments as messages, or a message ends before it begins.
    pub fn paced(mut self, moments: Vec<Moments>) -> Self {
        assert_eq!(moments.len(), self.transfers.len(), "moments of each message");
        assert!(moments.iter().all(|at| at.begun < at.left.min(at.arrived)), "what ends has begun before");
        self.moments = moments;
        self
    }

    /// By message when it begins and ends; none where the flow is not [paced](Flow::paced).
    pub fn moments(&self) -> &[Moments] {
        &self.moments
    }

    /// The flow of the reversed operation: every message the other way, the last first; what was copied is added up.
    ///
    /// Right if no member receives a block twice, so that a reversed member gives each sum away once, and nothing is aside.
    pub fn reversed(&self) -> Self {
        let last = self.steps();
        let blocks = self.blocks.iter().map(|&Block { bytes, from, to }| Block { bytes, from: to, to: from });
        let mut flow = Self::new(self.members, blocks.collect());
        flow.is_stepwise = self.is_stepwise;
        let adds = |block: u32| flow_adds(&self.blocks, block);
        for (index, transfer) in self.transfers.iter().enumerate().rev() {
            let mode = if self.carried(index).any(adds) { Mode::Combine } else { Mode::Copy };
            let turned = Transfer::new(last - 1 - transfer.step, transfer.target, transfer.source, mode);
            flow.transfers.push(turned);
            flow.carried.push_row(self.carried.row(index).iter().copied());
        }
        flow
    }

    /// This flow and another at the same time, each on blocks of its own. Stepwise if one is.
    ///
    /// # Panics
    ///
    /// When members differ.
    pub fn beside(mut self, other: &Self) -> Self {
        assert_eq!(self.members, other.members, "the same members");
        let before = self.blocks.len() as u32;
        self.moments.clear();
        self.is_stepwise |= other.is_stepwise;
        self.is_copied |= other.is_copied;
        self.is_added_up |= other.is_added_up;
        self.is_ordered |= other.is_ordered;
        self.add(other.blocks.iter().copied());
        for (index, &transfer) in other.transfers.iter().enumerate() {
            self.transfers.push(transfer);
            let row = other.carried.row(index).iter();
            self.carried.push_row(row.map(|&(first, end)| (before + first, before + end)));
        }
        self
    }

    /// The same with other names: member m becomes `name(m)`, one of `members`.
    pub fn renamed(mut self, members: u32, name: impl Fn(u32) -> u32) -> Self {
        self.members = members;
        let of = |member: u32| if member == ALL { ALL } else { name(member) };
        for block in &mut self.blocks {
            (block.from, block.to) = (of(block.from), of(block.to));
        }
        for transfer in &mut self.transfers {
            (transfer.source, transfer.target) = (name(transfer.source), name(transfer.target));
        }
        self
    }

    /// Cuts every block into so many chunks, and every message with it: the k-th chunk goes on when the k-th has come.
    ///
    /// A message of step s becomes messages of steps s, s + 1, ..., its chunks one after the other. Blocks of fewer bytes
    /// have chunks without bytes, which are not sent.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`TRANSFERS_MAX`] messages.
    pub fn chunked(&self, chunks: u32) -> Result<Self> {
        if chunks <= 1 || self.blocks.iter().all(|block| block.bytes == 0) {
            return Ok(self.clone());
        }
        fits(self.transfers.len().saturating_mul(chunks as usize), TRANSFERS_MAX)?;
        let many = self.blocks.len() as u32;
        let mut flow = Self::new(self.members, Vec::new());
        (flow.is_stepwise, flow.is_ordered) = (self.is_stepwise, self.is_ordered);
        (flow.is_copied, flow.is_added_up) = (self.is_copied, self.is_added_up);
        for chunk in 0..chunks {
            let part = |&block: &Block| Block { bytes: share(block.bytes, chunks, chunk), ..block };
            flow.add(self.blocks.iter().map(part));
        }
        for (index, &transfer) in self.transfers.iter().enumerate() {
            for chunk in 0..chunks {
                let bytes = |block: u32| share(self.blocks[block as usize].bytes, chunks, chunk);
                let is_empty = self.carried(index).all(|block| bytes(block) == 0);
                if is_empty {
                    continue;
                }
                let moved = |&(first, end): &(u32, u32)| (first + chunk * many, end + chunk * many);
                flow.transfers.push(Transfer { step: transfer.step + chunk, ..transfer });
                flow.carried.push_row(self.carried.row(index).iter().map(moved));
            }
        }
        Ok(flow)
    }

    /// The bytes of all messages together.
    pub fn bytes_total(&self) -> u64 {
        (0..self.transfers.len()).map(|transfer| self.bytes(transfer)).sum()
    }
}

/// Whether contributions to a block are added up once its messages are reversed.
fn flow_adds(blocks: &[Block], block: u32) -> bool {
    blocks[block as usize].to == ALL
}

/// Refuses more messages than this.
///
/// # Errors
///
/// [`Error::TooLarge`].
pub(crate) fn fits(transfers: usize, most: usize) -> Result<()> {
    if transfers <= most {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: "this collective",
        needed: format!("{transfers} messages"),
        limit: format!("{most} messages"),
    })
}

/// The k-th of so many shares of a number of bytes, which differ by one at most.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::flow::share;
/// assert_eq!([0, 1, 2].map(|k| share(8, 3, k)), [2, 3, 3]);
/// ```
pub fn share(bytes: u64, shares: u32, k: u32) -> u64 {
    let before = |k: u32| (u128::from(bytes) * u128::from(k) / u128::from(shares)) as u64;
    before(k + 1) - before(k)
}
