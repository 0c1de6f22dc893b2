//! Sweeps: along every axis of a box in turn, both ways at once, and everybody knows.
//!
//! On a line, a value starts at each end and collects what it passes. On a ring, every member starts one each way;
//! half-way round they have met everybody. After the last axis all members know all lines of lines.

use super::FullBox;
use super::scheme::ExchangePacket;
use crate::Group;
use crate::protocol::pass::Load;
use crate::protocol::{Links, Operation, Operator, Outbox, Outcome, Side};

/// Sweeps over a full box of any number of axes. They use members only, and only wires between neighbours; no two
/// messages want the same wire at the same time.
///
/// A barrier and an all-reduction take D, exactly:
///
/// ```text
/// lines:  D = sum of (w - 1)          rings:  D = sum of floor(w / 2)
/// ```
///
/// but on a torus, lines of more than half a ring are longer than D. A scan takes the sum of (w - 1) where ranks are in
/// row order, on rings too; in other orders it gathers lists at the centre. A broadcast from a member takes the distance
/// to the farthest from it, reductions and gatherings end at a central member.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::exchange::{FullBox, Sweeps};
/// use meshwright_network::topology::Machine;
/// let barrier = |specification| {
///     let machine = Machine::new(specification)?;
///     let all = Group::whole(&machine, "row")?;
///     Ok::<_, meshwright_core::Error>(Sweeps::new(FullBox::of(&machine, &all)?).barrier_links())
/// };
/// assert_eq!(barrier("mesh:8x8x5")?, 7 + 7 + 4);
/// assert_eq!(barrier("torus:8x8x5")?, 4 + 4 + 2);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweeps {
    full_box: FullBox,
    is_in_row_order: bool,
}

/// Where a member stands on an axis as seen from the root: how many steps, and whether up from it.
struct Offset {
    steps: u32,
    up: bool,
    /// The steps to the farthest below the root and above it.
    most: [u32; 2],
}

impl Sweeps {
    /// Sweeps over this box.
    pub fn new(full_box: FullBox) -> Self {
        let is_in_row_order = full_box.is_in_row_order();
        Self { full_box, is_in_row_order }
    }

    /// The box.
    pub fn full_box(&self) -> &FullBox {
        &self.full_box
    }

    /// The sum over the axes of w - 1 on a line, floor(w / 2) on a ring.
    pub fn barrier_links(&self) -> u32 {
        let axes = self.full_box.sides().iter().enumerate();
        axes.map(|(axis, &side)| if self.full_box.is_ring(axis) { side / 2 } else { side - 1 }).sum()
    }

    /// The most neighbours of a member.
    pub fn fan_out(&self) -> u32 {
        self.full_box.sides().iter().map(|&side| (side - 1).min(2)).sum()
    }

    /// The rank in the middle of the box.
    pub fn root(&self) -> u32 {
        let cell = self.full_box.sides().iter().fold(0, |cell, &side| cell * side + side / 2);
        self.full_box.rank_at(cell)
    }

    /// Whether a scan is a sweep.
    pub(super) fn scans(&self) -> bool {
        self.is_in_row_order
    }

    fn offset(&self, rank: u32, root: u32, axis: usize) -> Offset {
        let side = self.full_box.sides()[axis];
        let (at, of_root) = (self.full_box.coordinate(rank, axis), self.full_box.coordinate(root, axis));
        if !self.full_box.is_ring(axis) {
            let most = [of_root, side - 1 - of_root];
            return Offset { steps: at.abs_diff(of_root), up: at > of_root, most };
        }
        let most = [side - 1 - side / 2, side / 2];
        let above = (at + side - of_root) % side;
        if above <= side / 2 {
            Offset { steps: above, up: true, most }
        } else {
            Offset { steps: side - above, up: false, most }
        }
    }

    /// The edges of a member in the tree of ways that go along the first axis to the root's place on it, then along
    /// the second, and so on.
    pub(super) fn links_below(&self, group: &Group, rank: u32, root: u32) -> Links {
        let mut links = Links::default();
        for axis in 0..self.full_box.sides().len() {
            let Offset { steps, up, most } = self.offset(rank, root, axis);
            for way in [false, true] {
                let is_outwards = steps == 0 || way == up;
                if is_outwards && steps < most[usize::from(way)] {
                    let child = self.full_box.neighbour(rank, axis, way).expect("the box goes on");
                    links.children.push((group.node(child), Side::Right));
                }
            }
            if steps > 0 {
                let parent = self.full_box.neighbour(rank, axis, !up).expect("the root is that way");
                links.parent = Some(group.node(parent));
                break;
            }
        }
        links
    }
}

/// Which sweep a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    axis: u8,
    up: bool,
    /// How far the value has come, from 1; on lines 1 for all.
    step: u32,
}

/// The box, its group, the rank of a member.
type Stand<'s> = (&'s FullBox, &'s Group, u32);

/// The part of one member in a sweep.
#[derive(Debug)]
pub(super) struct Sweep {
    operation: Operation,
    operator: Operator,
    own: u64,
    /// All values on the axes done.
    total: u64,
    /// The values before this member's, on the axes done.
    before: u64,
    /// The axes not done; the last of them is under way.
    axes: usize,
    /// How many messages came on this axis, downwards and upwards, and what the last carried.
    came: [(u32, u64); 2],
    /// Messages that are not due.
    early: Vec<(Stroke, u64)>,
}

impl Sweep {
    /// Begins a sweep; its outcome, if this member is alone.
    pub(super) fn begin(
        sweeps: &Sweeps,
        group: &Group,
        rank: u32,
        operation: Operation,
        out: &mut Outbox<ExchangePacket>,
    ) -> (Self, Option<Outcome>) {
        let (operator, own) = match operation {
            Operation::AllReduce(operator, own) | Operation::Scan(operator, own) => (operator, own),
            _ => (Operator::Sum, 0),
        };
        let mut sweep = Self {
            operation,
            operator,
            own,
            total: own,
            before: operator.identity(),
            axes: sweeps.full_box.sides().len(),
            came: [(0, operator.identity()); 2],
            early: Vec::new(),
        };
        sweep.start_axis((&sweeps.full_box, group, rank), out);
        let outcome = sweep.proceed((&sweeps.full_box, group, rank), out);
        (sweep, outcome)
    }

    /// A message of this sweep has come; the outcome, if it was the last.
    pub(super) fn receive(
        &mut self,
        (sweeps, group, rank): (&Sweeps, &Group, u32),
        (stroke, load): (Stroke, &Load),
        out: &mut Outbox<ExchangePacket>,
    ) -> Option<Outcome> {
        let value = if let Load::Value(value) = load { *value } else { 0 };
        self.early.push((stroke, value));
        self.proceed((&sweeps.full_box, group, rank), out)
    }

    /// Whether the values of this axis go round: not in a scan, where a place has a before and an after.
    fn goes_round(&self, full_box: &FullBox, axis: usize) -> bool {
        full_box.is_ring(axis) && !matches!(self.operation, Operation::Scan(..))
    }

    /// How many messages come on an axis, by direction.
    fn expected(&self, full_box: &FullBox, rank: u32, axis: usize, up: bool) -> u32 {
        let (side, at) = (full_box.sides()[axis], full_box.coordinate(rank, axis));
        match (self.goes_round(full_box, axis), up) {
            (true, true) => side / 2,
            (true, false) => side - 1 - side / 2,
            (false, true) => u32::from(at > 0),
            (false, false) => u32::from(at + 1 < side),
        }
    }

    fn start_axis(&mut self, at @ (full_box, _, rank): Stand<'_>, out: &mut Outbox<ExchangePacket>) {
        let Some(axis) = self.axes.checked_sub(1) else { return };
        for up in [false, true] {
            let starts = if self.goes_round(full_box, axis) {
                self.expected(full_box, rank, axis, up) > 0
            } else {
                self.expected(full_box, rank, axis, up) == 0
            };
            if starts {
                self.send(at, Stroke { axis: axis as u8, up, step: 1 }, self.total, out);
            }
        }
    }

    /// Sends a value one step on, if the box goes on there.
    fn send(
        &self,
        (full_box, group, rank): Stand<'_>,
        stroke: Stroke,
        value: u64,
        out: &mut Outbox<ExchangePacket>,
    ) {
        let axis = usize::from(stroke.axis);
        let at = full_box.coordinate(rank, axis);
        let last = if stroke.up { full_box.sides()[axis] - 1 } else { 0 };
        if at == last && !self.goes_round(full_box, axis) {
            return;
        }
        let next = full_box.neighbour(rank, axis, stroke.up).expect("the box goes on");
        let load = if self.operation == Operation::Barrier { Load::Nothing } else { Load::Value(value) };
        out.send(group.node(next), load.bytes(), ExchangePacket::Sweep(stroke, load));
    }

    /// Takes what is due, and axis after axis that is done.
    fn proceed(
        &mut self,
        at @ (full_box, _, rank): Stand<'_>,
        out: &mut Outbox<ExchangePacket>,
    ) -> Option<Outcome> {
        while let Some(axis) = self.axes.checked_sub(1) {
            if let Some(place) =
                self.early.iter().position(|&(stroke, _)| self.is_due(full_box, axis, stroke))
            {
                let (stroke, value) = self.early.swap_remove(place);
                self.take(at, stroke, value, out);
                continue;
            }
            let is_complete = |up| self.came[usize::from(up)].0 == self.expected(full_box, rank, axis, up);
            if !is_complete(false) || !is_complete(true) {
                return None;
            }
            let [(_, after), (_, before)] = self.came;
            self.before = self.operator.apply(before, self.before);
            self.total = self.operator.apply(self.operator.apply(before, self.total), after);
            self.came = [(0, self.operator.identity()); 2];
            self.axes = axis;
            self.start_axis(at, out);
        }
        Some(match self.operation {
            Operation::AllReduce(..) => Outcome::Value(self.total),
            Operation::Scan(..) => Outcome::Value(self.operator.apply(self.before, self.own)),
            _ => Outcome::Done,
        })
    }

    fn is_due(&self, full_box: &FullBox, axis: usize, stroke: Stroke) -> bool {
        let came = self.came[usize::from(stroke.up)].0;
        usize::from(stroke.axis) == axis && (!self.goes_round(full_box, axis) || stroke.step == came + 1)
    }

    /// Takes a value and passes it on with this member's.
    fn take(
        &mut self,
        at @ (full_box, _, rank): Stand<'_>,
        stroke: Stroke,
        value: u64,
        out: &mut Outbox<ExchangePacket>,
    ) {
        let axis = usize::from(stroke.axis);
        let came = &mut self.came[usize::from(stroke.up)];
        *came = (came.0 + 1, value);
        let sum = self.operator.apply(value, self.total);
        if !self.goes_round(full_box, axis) {
            self.send(at, stroke, sum, out);
        } else if stroke.step < self.expected(full_box, rank, axis, stroke.up) {
            self.send(at, Stroke { step: stroke.step + 1, ..stroke }, sum, out);
        }
    }
}
