//! Products of exchanges along the dimensions of a box, in any order: what butterflies and buckets are special cases of.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Topology};

use crate::flow::{Block, Flow, share};
use crate::product::Lift;
use crate::shape::{beside, by_all_gather};
use crate::turns::swing;
use crate::{Operation, Task, line};

/// One exchange: along a dimension, members whose coordinates differ by multiples of `stride` and agree in all else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage {
    /// The dimension.
    pub axis: usize,
    /// Coordinates of a group are so far apart.
    pub stride: u32,
    /// How many members a group has.
    pub radix: u32,
    /// How they exchange.
    pub kind: Kind,
}

/// How the members of a group exchange what they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Everybody sends to every other at once.
    Direct,
    /// Pairs as in Swing: even coordinates x with x + rho(k) round the ring, k the logarithm of the stride.
    Swing,
    /// Everybody hands on to both neighbours, ceil((r - 1) / 2) times round a ring, r - 1 times along a line.
    TwoWay,
}

/// A product of exchanges: the first of them scatter as they add up, those from `whole` on exchange whole pieces, and the first gather
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The exchanges, in order.
    pub stages: Vec<Stage>,
    /// From this one on pieces are not divided any more.
    pub whole: usize,
    /// So many copies on equal shares, the k-th with its dimensions turned by k; from the number of dimensions on also moved by one along
    /// each, round a torus, so that the copies use links that the others do not.
    pub colours: u32,
    /// Whether members stay in step, see [`Flow::stepwise`].
    pub in_step: bool,
}

impl Kind {
    /// The all-gather of a line of so many positions; a ring where its ends are neighbours.
    fn line(self, radix: u32, is_ring: bool) -> Flow {
        match self {
            Self::Direct | Self::Swing => line::far_first(radix),
            Self::TwoWay if is_ring => line::both_ways(radix),
            Self::TwoWay => line::outward(radix),
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Self::Direct => "d",
            Self::Swing => "s",
            Self::TwoWay => "r",
        }
    }
}

impl Stage {
    /// The lines of this exchange.
    fn lines(&self, grid: &Grid) -> Vec<Vec<u32>> {
        let nodes = grid.sides().iter().product::<u32>();
        let (apart, side) = (grid.stride(self.axis), grid.sides()[self.axis]);
        if self.kind == Kind::Swing {
            let is_even = |node: &u32| (node / apart % side).is_multiple_of(2);
            let pair = |node: u32| {
                let at = node / apart % side;
                vec![node, node - at * apart + self.peer(at, side) * apart]
            };
            return (0..nodes).filter(is_even).map(pair).collect();
        }
        let is_first = |node: &u32| (node / apart % side / self.stride).is_multiple_of(self.radix);
        let line = |node: u32| (0..self.radix).map(|k| node + k * self.stride * apart).collect();
        (0..nodes).filter(is_first).map(line).collect()
    }

    /// The coordinate of the peer in a pair of Swing.
    pub(super) fn peer(&self, at: u32, side: u32) -> u32 {
        (i64::from(at) + swing(self.stride.ilog2(), at)).rem_euclid(i64::from(side)) as u32
    }

    /// Which of its group a coordinate is: the same for all that later exchanges along the axis bring together.
    fn digit(&self, at: u32, side: u32) -> u32 {
        if self.kind != Kind::Swing {
            return at / self.stride % self.radix;
        }
        let mut least: Vec<u32> = (0..side).collect();
        // The least coordinate that is together with each: pairs of later turns, the last first.
        let mut stride = side / 2;
        while stride > self.stride {
            let turn = Self { stride, ..*self };
            least =
                (0..side as usize).map(|x| least[x].min(least[turn.peer(x as u32, side) as usize])).collect();
            stride /= 2;
        }
        u32::from(least[at as usize] > least[self.peer(at, side) as usize])
    }

    fn is_ring(&self, grid: &Grid) -> bool {
        grid.wraps() && self.stride * self.radix == grid.sides()[self.axis]
    }
}

impl Product {
    /// A name that says how it is made: `d0:2,r1:8|x2` exchanges directly in pairs along dimension 0, two-way in eights along dimension 1,
    /// in two copies; `s` are the pairs of Swing, and after `/` whole pieces are exchanged.
    pub fn name(&self) -> String {
        let stage = |(index, stage): (usize, &Stage)| {
            let before = match index {
                0 if self.whole == 0 => "/",
                0 => "",
                _ if index == self.whole => "/",
                _ => ",",
            };
            format!("{before}{}{}:{}", stage.kind.letter(), stage.axis, stage.radix)
        };
        let stages: String = self.stages.iter().enumerate().map(stage).collect();
        format!("{stages}|x{}{}", self.colours, if self.in_step { " in step" } else { "" })
    }

    /// Its flow: all-reduce, or all-gather and reduce-scatter where nothing is exchanged whole.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box, for other operations, and where the stages do not reach everybody.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let grid = task.grid("a product of exchanges")?;
        let parted = matches!(task.operation, Operation::AllGather | Operation::ReduceScatter);
        let sums = matches!(task.operation, Operation::AllReduce | Operation::Barrier);
        if parted && self.whole < self.stages.len() || !parted && !sums {
            let why = format!("it is no way to do {}", task.operation.name());
            return Err(Error::not_applicable("a product of exchanges", why));
        }
        let flow = beside(task, self.colours, |colour, part| {
            let flow = self.turned(colour as usize, grid).one(part, grid)?;
            if sums && colour as usize >= grid.dimensions() {
                return Ok(flow.renamed(task.members(), |member| moved(member, grid)));
            }
            Ok(flow)
        })?;
        Ok(if self.in_step { flow.stepwise() } else { flow })
    }

    /// The same with its dimensions turned by so many.
    fn turned(&self, by: usize, grid: &Grid) -> Self {
        let axes = grid.dimensions();
        let turn = |stage: &Stage| Stage { axis: (stage.axis + by) % axes, ..*stage };
        Self { stages: self.stages.iter().map(turn).collect(), ..self.clone() }
    }

    /// One copy.
    fn one(&self, task: &Task<'_>, grid: &Grid) -> Result<Flow> {
        let (scattering, whole) = self.stages.split_at(self.whole);
        let (piece, pieces) = numbers(scattering, task.members(), grid);
        let mut parts: Vec<Block> = task.with(Operation::AllGather, task.root).blocks();
        if task.operation.is_parted() {
            let own = parts.clone();
            piece.iter().zip(own).for_each(|(&piece, part)| parts[piece as usize] = part);
        } else {
            let all = task.blocks()[0];
            parts = (0..pieces).map(|k| Block { bytes: share(all.bytes, pieces, k), ..all }).collect();
        }
        let line = |stage: &Stage| stage.kind.line(stage.radix, stage.is_ring(grid));
        let lines: Vec<Flow> = scattering.iter().rev().map(line).collect();
        let mut lift = Lift::new(parts, piece.clone(), &lines)?;
        for (stage, line) in scattering.iter().rev().zip(&lines) {
            lift.gather(line, &stage.lines(grid));
        }
        if task.operation.is_parted() {
            return by_all_gather(task, &lift.flow);
        }
        let mut exchange = Flow::new(task.members(), lift.flow.blocks().to_vec());
        for (stage, step) in whole.iter().zip(0..) {
            for line in stage.lines(grid) {
                for (&from, k) in line.iter().zip(0..) {
                    for far in 1..stage.radix {
                        let to = line[((k + far) % stage.radix) as usize];
                        exchange.combine(step, from, to, lift.blocks(piece[from as usize]));
                    }
                }
            }
        }
        Ok(lift.flow.reversed().then(&exchange).then(&lift.flow))
    }
}

/// The member one further along every dimension, round a torus.
fn moved(member: u32, grid: &Grid) -> u32 {
    let on = |to: u32, axis: usize| {
        let (apart, side) = (grid.stride(axis), grid.sides()[axis]);
        let at = member / apart % side;
        to + (at + 1) % side * apart
    };
    (0..grid.dimensions()).fold(0, on)
}

/// By member the number of its piece, so that what members gather together is numbered in a row; and how many pieces there are.
fn numbers(scattering: &[Stage], members: u32, grid: &Grid) -> (Vec<u32>, u32) {
    let pieces: u32 = scattering.iter().map(|stage| stage.radix).product();
    let number = |member: u32| {
        scattering.iter().fold(0, |number, stage| {
            let side = grid.sides()[stage.axis];
            number * stage.radix + stage.digit(member / grid.stride(stage.axis) % side, side)
        })
    };
    ((0..members).map(number).collect(), pieces)
}
