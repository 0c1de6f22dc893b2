//! A flow as an algorithm of MSCCL, in the XML form of msccl-tools: sends and receives of chunks, a GPU for each member.
//!
//! A member has a thread block for each member it sends to and one for each it receives from. A block of the flow is a chunk, in place:
//! every member has room for the whole buffer. In an all-to-all a block goes from the input of its contributor to the output of the one
//! that needs it, and on its way lies in scratch. A send waits for what brought its chunks; a receive waits for the sends that
//! still read what it overwrites, and for what was written there before.

use std::collections::BTreeMap;
use std::fmt::Write;

use meshwright_core::error::{Error, Result};

use crate::flow::{Flow, Mode};
use crate::{Operation, Task};

/// What the interpreter of MSCCL takes: steps of a thread block, thread blocks of a channel, chunks of a step.
const STEPS_MAX: usize = 256;
const BLOCKS_MAX: usize = 32;
const COUNT_MAX: u64 = 72;

/// More chunks than this are no program that anybody reads.
const CHUNKS_MAX: u64 = 1 << 20;

/// A buffer, `i`, `o` or `s`, and a chunk in it.
type Place = (char, u64);
/// A thread block of a member, and a step of it.
type At = (usize, usize);

/// Where the blocks of a flow lie.
struct Layout {
    operation: Operation,
    /// By block its first chunk in the whole buffer; of an all-to-all in the input of its contributor, and in the output of its user.
    first: Vec<[u64; 2]>,
    /// By block how many chunks it has.
    length: Vec<u64>,
    /// The chunks of a whole buffer.
    chunks: u64,
}

impl Layout {
    fn of(task: &Task<'_>, flow: &Flow) -> Result<Self> {
        if flow.is_added_up() {
            return refused(
                "all vectors are added up at last, beside the buffer of the result: name another with --algorithm",
            );
        }
        let blocks = flow.blocks();
        let sizes = || blocks.iter().map(|block| block.bytes);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if least == 0 {
            return refused("a block has no bytes");
        }
        // Shares that differ by a byte are one chunk each.
        let chunk = if most - least <= 1 { None } else { Some(sizes().fold(0, divisor)) };
        let length: Vec<u64> = sizes().map(|bytes| chunk.map_or(1, |chunk| bytes / chunk)).collect();
        if length.iter().sum::<u64>() > CHUNKS_MAX {
            return refused("its blocks have no common measure: choose --bytes as a multiple of the members");
        }
        let mut layout =
            Self { operation: task.operation, first: vec![[0; 2]; blocks.len()], length, chunks: 0 };
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_unstable_by_key(|&at| (blocks[at].from, blocks[at].to, at));
        let mut ends: [BTreeMap<u32, u64>; 2] = Default::default();
        for at in order {
            let whole = u32::MAX;
            let keys = match layout.is_exchange() {
                true => [blocks[at].from, blocks[at].to],
                false => [whole; 2],
            };
            for ((end, key), first) in ends.iter_mut().zip(keys).zip(&mut layout.first[at]) {
                let end = end.entry(key).or_default();
                *first = *end;
                *end += layout.length[at];
                layout.chunks = layout.chunks.max(*end);
            }
        }
        Ok(layout)
    }

    fn is_exchange(&self) -> bool {
        self.operation == Operation::AllToAll
    }

    /// Where a member has a block.
    fn place(&self, flow: &Flow, block: u32, member: u32, gpu: &mut Gpu) -> Place {
        let [input, output] = self.first[block as usize];
        let ends = flow.blocks()[block as usize];
        match self.operation {
            Operation::AllToAll if ends.from == member => ('i', input),
            Operation::AllToAll if ends.to == member => ('o', output),
            Operation::AllToAll => ('s', gpu.scratch(block, self.length[block as usize])),
            Operation::AllGather => ('o', output),
            _ => ('i', input),
        }
    }

    /// The name of the operation, and the chunks of input and output.
    fn head(&self, members: u64) -> (&'static str, [u64; 2]) {
        let (all, part) = (self.chunks, self.chunks.div_ceil(members));
        match self.operation {
            Operation::AllReduce => ("allreduce", [all, all]),
            Operation::AllGather => ("allgather", [part, all]),
            Operation::ReduceScatter => ("reduce_scatter", [all, part]),
            Operation::AllToAll => ("alltoall", [all, all]),
            _ => ("custom", [all, all]),
        }
    }
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn refused<T>(why: &str) -> Result<T> {
    Err(Error::not_applicable("msccl-xml", why))
}

/// A step of a thread block.
struct Step {
    kind: &'static str,
    from: Place,
    to: Place,
    count: u64,
    after: Option<At>,
    is_awaited: bool,
}

/// A thread block: whom it sends to or receives from, its steps, and by thread block up to which step it has waited.
struct Block {
    peers: [Option<u32>; 2],
    steps: Vec<Step>,
    seen: BTreeMap<usize, usize>,
}

/// What touched a chunk.
#[derive(Clone, Default)]
struct Touched {
    written: Option<At>,
    read: Vec<At>,
}

#[derive(Default)]
struct Gpu {
    blocks: Vec<Block>,
    touched: BTreeMap<Place, Touched>,
    /// Blocks on their way, and the chunks they fill.
    scratch: BTreeMap<u32, u64>,
    scratch_chunks: u64,
}

impl Gpu {
    fn scratch(&mut self, block: u32, length: u64) -> u64 {
        let end = &mut self.scratch_chunks;
        *self.scratch.entry(block).or_insert_with(|| {
            *end += length;
            *end - length
        })
    }

    fn block(&mut self, peers: [Option<u32>; 2]) -> usize {
        self.blocks.iter().position(|block| block.peers == peers).unwrap_or_else(|| {
            self.blocks.push(Block { peers, steps: Vec::new(), seen: BTreeMap::new() });
            self.blocks.len() - 1
        })
    }

    /// Adds a step that waits for these, all but one of them in steps of their own that do nothing.
    fn push(&mut self, block: usize, mut step: Step, awaited: &[At]) -> At {
        let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
        for &(other, number) in awaited.iter().filter(|at| at.0 != block) {
            let last = latest.entry(other).or_insert(number);
            *last = number.max(*last);
        }
        let seen = &mut self.blocks[block].seen;
        latest.retain(|other, number| seen.get(other).is_none_or(|&seen| seen < *number));
        seen.extend(latest.iter().map(|(&other, &number)| (other, number)));
        latest.iter().for_each(|(&other, &number)| self.blocks[other].steps[number].is_awaited = true);
        step.after = latest.pop_last();
        let steps = &mut self.blocks[block].steps;
        let nothing = |after| Step {
            kind: "nop",
            from: ('i', 0),
            to: ('o', 0),
            count: 0,
            after: Some(after),
            is_awaited: false,
        };
        steps.extend(latest.into_iter().map(nothing));
        steps.push(step);
        (block, steps.len() - 1)
    }

    fn chunks(&mut self, (buffer, first): Place, count: u64) -> impl Iterator<Item = (Place, Touched)> + '_ {
        (first..first + count).map(move |chunk| {
            let place = (buffer, chunk);
            (place, self.touched.entry(place).or_default().clone())
        })
    }

    fn send(&mut self, to: u32, (from, there, count): (Place, Place, u64)) {
        let block = self.block([Some(to), None]);
        let awaited: Vec<At> = self.chunks(from, count).filter_map(|(_, touched)| touched.written).collect();
        let step = Step { kind: "s", from, to: there, count, after: None, is_awaited: false };
        let at = self.push(block, step, &awaited);
        for chunk in from.1..from.1 + count {
            self.touched.entry((from.0, chunk)).or_default().read.push(at);
        }
    }

    fn receive(&mut self, source: u32, mode: Mode, (there, to, count): (Place, Place, u64)) {
        let block = self.block([None, Some(source)]);
        let of = |(_, touched): (Place, Touched)| touched.read.into_iter().chain(touched.written);
        let awaited: Vec<At> = self.chunks(to, count).flat_map(of).collect();
        let (kind, from) = if mode == Mode::Combine { ("rrc", to) } else { ("r", there) };
        let step = Step { kind, from, to, count, after: None, is_awaited: false };
        let at = self.push(block, step, &awaited);
        for chunk in to.1..to.1 + count {
            self.touched.insert((to.0, chunk), Touched { written: Some(at), read: Vec::new() });
        }
    }
}

/// Messages of one step in pieces that lie side by side at both ends.
fn pieces(layout: &Layout, flow: &Flow, index: usize, gpus: &mut [Gpu]) -> Vec<(Place, Place, u64)> {
    let transfer = flow.transfers()[index];
    let mut pieces: Vec<(Place, Place, u64)> = Vec::new();
    let mut blocks: Vec<u32> = flow.carried(index).collect();
    blocks.sort_by_key(|&block| layout.first[block as usize]);
    for block in blocks {
        let [from, to] = [transfer.source, transfer.target]
            .map(|member| layout.place(flow, block, member, &mut gpus[member as usize]));
        for chunk in 0..layout.length[block as usize] {
            let (from, to) = ((from.0, from.1 + chunk), (to.0, to.1 + chunk));
            match pieces.last_mut() {
                Some((first, there, count))
                    if *count < COUNT_MAX
                        && (first.0, first.1 + *count) == from
                        && (there.0, there.1 + *count) == to =>
                {
                    *count += 1;
                }
                _ => pieces.push((from, to, 1)),
            }
        }
    }
    pieces
}

/// A flow of a task as an algorithm of MSCCL; member m is GPU m.
///
/// The file is for every size: its chunks are equal parts of a buffer. The flow has been cut into chunks already.
///
/// # Errors
///
/// [`Error::NotApplicable`] for a barrier, for blocks without a common measure, for partial sums aside, and for what the interpreter of MSCCL does
/// not take: more than 32 thread blocks of a member, or more than 256 steps of one.
///
/// # Complexity
///
/// O(blocks of all messages log p).
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, algorithm, msccl};
/// use meshwright_network::topology::Machine;
/// let ring = Machine::new("torus:4")?;
/// let task = Task::new(&ring, Operation::AllReduce, 4096, 0)?;
/// let flow = algorithm::all().find(|one| one.name == "ring").unwrap().of(&task)?;
/// let text = msccl::xml(&task, &flow, "ring")?;
/// assert_eq!((text.matches("type=\"s\"").count(), text.matches("type=\"rrc\"").count()), (24, 12));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn xml(task: &Task<'_>, flow: &Flow, name: &str) -> Result<String> {
    if task.operation == Operation::Barrier {
        return refused("a barrier carries no chunks");
    }
    if flow.values() > 1 {
        return refused(&format!("{name} keeps two partial sums of a block; --algorithm names another"));
    }
    let layout = Layout::of(task, flow)?;
    let mut gpus: Vec<Gpu> = (0..flow.members()).map(|_| Gpu::default()).collect();
    let order = flow.in_steps();
    for now in flow.steps_of(&order) {
        // What is sent was there before what comes in the same step.
        let all: Vec<_> = now.iter().map(|&index| (index, pieces(&layout, flow, index, &mut gpus))).collect();
        for (index, pieces) in &all {
            let transfer = flow.transfers()[*index];
            pieces.iter().for_each(|&piece| gpus[transfer.source as usize].send(transfer.target, piece));
        }
        for (index, pieces) in &all {
            let transfer = flow.transfers()[*index];
            let gpu = &mut gpus[transfer.target as usize];
            pieces.iter().for_each(|&piece| gpu.receive(transfer.source, transfer.mode, piece));
        }
    }
    for (member, gpu) in gpus.iter().enumerate() {
        let steps = gpu.blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0);
        if gpu.blocks.len() > BLOCKS_MAX || steps > STEPS_MAX {
            let blocks = gpu.blocks.len();
            return refused(&format!(
                "{name}: member {member} needs {blocks} thread blocks of up to {steps} steps, and MSCCL takes {BLOCKS_MAX} of \
                 {STEPS_MAX}; --algorithm names another"
            ));
        }
    }
    Ok(text(&layout, &gpus, name))
}

fn text(layout: &Layout, gpus: &[Gpu], name: &str) -> String {
    let (operation, [input, output]) = layout.head(gpus.len() as u64);
    let in_place = u32::from(!layout.is_exchange());
    let mut text = format!(
        "<algo name=\"{name}\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{operation}\" \
         inplace=\"{in_place}\">\n",
        layout.chunks,
        gpus.len()
    );
    for (id, gpu) in gpus.iter().enumerate() {
        let scratch = gpu.scratch_chunks;
        _ = writeln!(
            text,
            "  <gpu id=\"{id}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{scratch}\">"
        );
        for (id, block) in gpu.blocks.iter().enumerate() {
            let [send, receive] = block.peers.map(|peer| peer.map_or(-1, i64::from));
            _ = writeln!(text, "    <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"0\">");
            for (number, step) in block.steps.iter().enumerate() {
                let Step { kind, from, to, count, after, is_awaited } = *step;
                let [on, at] = after.map_or([-1, -1], |(block, step)| [block as i64, step as i64]);
                _ = writeln!(
                    text,
                    "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" \
                     cnt=\"{count}\" depid=\"{on}\" deps=\"{at}\" hasdep=\"{}\"/>",
                    from.0,
                    from.1,
                    to.0,
                    to.1,
                    u32::from(is_awaited)
                );
            }
            text += "    </tb>\n";
        }
        text += "  </gpu>\n";
    }
    text + "</algo>\n"
}

#[cfg(test)]
mod tests;
