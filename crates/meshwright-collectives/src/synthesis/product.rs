//! Products of exchanges along the dimensions of a box, in any order: what butterflies and buckets are special cases of.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Topology};

use crate::flow::{Block, Flow, share};
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
    /// So many copies on equal shares, the k-th with its dimensions turned by k.
    pub colours: u32,
}

impl Kind {
    /// The all-gather of a line of so many positions; a ring where its ends are neighbours.
    fn line(self, radix: u32, is_ring: bool) -> Flow {
        match self {
            Self::Direct => line::direct(radix),
            Self::TwoWay if is_ring => line::both_ways(radix),
            Self::TwoWay => line::outward(radix),
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Self::Direct => "d",
            Self::TwoWay => "r",
        }
    }
}

impl Stage {
    /// The lines of this exchange.
    fn lines(&self, grid: &Grid) -> Vec<Vec<u32>> {
        let nodes = grid.sides().iter().product::<u32>();
        let (apart, side) = (grid.stride(self.axis), grid.sides()[self.axis]);
        let is_first = |node: &u32| (node / apart % side / self.stride).is_multiple_of(self.radix);
        let line = |node: u32| (0..self.radix).map(|k| node + k * self.stride * apart).collect();
        (0..nodes).filter(is_first).map(line).collect()
    }

    fn is_ring(&self, grid: &Grid) -> bool {
        grid.wraps() && self.stride * self.radix == grid.sides()[self.axis]
    }
}

/// Messages of an all-gather: step, source, target, blocks.
struct Gathering {
    messages: Vec<(u32, u32, u32, Vec<u32>)>,
    steps: u32,
}

impl Product {
    /// A name that says how it is made: `d0:2,r1:8|x2` exchanges directly in pairs along dimension 0, two-way in eights along dimension 1,
    /// in two copies; after `/` whole pieces are exchanged.
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
        format!("{stages}|x{}", self.colours)
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
        let mut all: Option<Flow> = None;
        for colour in 0..self.colours {
            let flow = self.turned(colour as usize, grid).one(&task.cut(colour, self.colours), grid);
            all = Some(match all {
                Some(before) => before.beside(&flow),
                None => flow,
            });
        }
        all.ok_or_else(|| Error::not_applicable("a product of exchanges", "it has no copy"))
    }

    /// The same with its dimensions turned by so many.
    fn turned(&self, by: usize, grid: &Grid) -> Self {
        let axes = grid.dimensions();
        let turn = |stage: &Stage| Stage { axis: (stage.axis + by) % axes, ..*stage };
        Self { stages: self.stages.iter().map(turn).collect(), ..self.clone() }
    }

    /// One copy. Each piece is two blocks, its halves, where something goes both ways round; else one.
    fn one(&self, task: &Task<'_>, grid: &Grid) -> Flow {
        let (scattering, whole) = self.stages.split_at(self.whole);
        let (piece, pieces) = numbers(scattering, task.members(), grid);
        let cut = if scattering.iter().any(|stage| stage.kind == Kind::TwoWay) { 2 } else { 1 };
        let gathering = gathering(scattering, &piece, cut, grid);
        let halves =
            |block: Block| (0..cut).map(move |half| Block { bytes: share(block.bytes, cut, half), ..block });
        let mut blocks = task.blocks();
        if !task.operation.is_parted() {
            let all = blocks[0];
            blocks = (0..pieces).map(|k| Block { bytes: share(all.bytes, pieces, k), ..all }).collect();
        } else {
            let parts = blocks.clone();
            piece.iter().zip(parts).for_each(|(&piece, part)| blocks[piece as usize] = part);
        }
        let mut flow = Flow::new(task.members(), blocks.into_iter().flat_map(halves).collect());
        let mut after = 0;
        if task.operation != Operation::AllGather {
            for (step, from, to, blocks) in gathering.messages.iter().rev() {
                flow.combine(gathering.steps - 1 - step, *to, *from, blocks.iter().copied());
            }
            after = gathering.steps;
        }
        for stage in whole {
            for line in stage.lines(grid) {
                for (&from, k) in line.iter().zip(0..) {
                    for far in 1..stage.radix {
                        let to = line[((k + far) % stage.radix) as usize];
                        let first = cut * piece[from as usize];
                        flow.combine(after, from, to, first..first + cut);
                    }
                }
            }
            after += 1;
        }
        if task.operation != Operation::ReduceScatter {
            for (step, from, to, blocks) in gathering.messages {
                flow.copy(after + step, from, to, blocks);
            }
        }
        flow
    }
}

/// By member the number of its piece, so that what members gather together is numbered in a row; and how many pieces there are.
fn numbers(scattering: &[Stage], members: u32, grid: &Grid) -> (Vec<u32>, u32) {
    let pieces: u32 = scattering.iter().map(|stage| stage.radix).product();
    let number = |member: u32| {
        scattering.iter().fold(0, |number, stage| {
            let at = member / grid.stride(stage.axis) % grid.sides()[stage.axis];
            number * stage.radix + at / stage.stride % stage.radix
        })
    };
    ((0..members).map(number).collect(), pieces)
}

/// The all-gather of the last stage first, in blocks: `cut` for each piece.
fn gathering(scattering: &[Stage], piece: &[u32], cut: u32, grid: &Grid) -> Gathering {
    let mut held: Vec<Vec<u32>> =
        piece.iter().map(|&piece| (cut * piece..cut * (piece + 1)).collect()).collect();
    let mut all = Gathering { messages: Vec::new(), steps: 0 };
    for stage in scattering.iter().rev() {
        let flow = stage.kind.line(stage.radix, stage.is_ring(grid));
        // Where a line cuts what a member has in two, its blocks are the halves.
        let is_cut = flow.blocks().len() > stage.radix as usize;
        for line in stage.lines(grid) {
            for (index, transfer) in flow.transfers().iter().enumerate() {
                let halves = |block: u32| {
                    let [at, half] = if is_cut { [block / 2, block % 2] } else { [block, 2] };
                    let blocks = held[line[at as usize] as usize].iter().copied();
                    blocks.filter(move |block| half == 2 || block % 2 == half)
                };
                let mut carried: Vec<u32> = flow.carried(index).flat_map(halves).collect();
                carried.sort_unstable();
                let [from, to] = [transfer.source, transfer.target].map(|at| line[at as usize]);
                all.messages.push((all.steps + transfer.step, from, to, carried));
            }
            let mut together: Vec<u32> = line.iter().flat_map(|&m| &held[m as usize]).copied().collect();
            together.sort_unstable();
            for &member in &line {
                held[member as usize].clone_from(&together);
            }
        }
        all.steps += flow.steps();
    }
    all
}
