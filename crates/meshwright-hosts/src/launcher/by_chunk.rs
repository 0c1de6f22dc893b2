//! Algorithms of MSCCL, in the XML form of msccl-tools: each rank sends and receives chunks in thread blocks.
//!
//! A rank has one thread block for each rank it sends to and one for each rank it receives from. A message is so many chunks
//! of its own, from the input of the source to the output of the target; a broadcast passes one chunk on. What a rank sends in a
//! phase waits for what it receives in earlier ones.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Format, Launch, any_machine};
use meshwright_core::error::{Error, Result};
use meshwright_mapping::TaskGraph;
use meshwright_mapping::task_graph::Edge;

pub(super) const MSCCL_XML: Format = Format {
    name: "msccl-xml",
    summary: "MSCCL: an algorithm of sends and receives of chunks, one GPU per rank",
    check: any_machine,
    fits,
    write: |launch| Algorithm::of(launch).text(launch.tasks),
};

/// What the interpreter of MSCCL takes: steps of a thread block, thread blocks of a channel, chunks of a step.
const STEPS_MAX: usize = 256;
const BLOCKS_MAX: usize = 32;
const CHUNKS_MAX: u64 = 72;

/// Whether every message is the whole of what its source has: a broadcast down a tree.
fn is_broadcast(tasks: &TaskGraph) -> bool {
    tasks.divide.as_ref().is_some_and(|divide| divide.alpha == Some(1.0) && divide.combine_alpha.is_none())
}

/// The bytes of a chunk: those of which every message is a multiple.
fn chunk(tasks: &TaskGraph) -> u64 {
    tasks.edges().iter().fold(0, |chunk, edge| greatest_common_divisor(chunk, edge.bytes.0)).max(1)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Refuses tasks that are no algorithm of MSCCL.
fn fits(tasks: &TaskGraph) -> Result<()> {
    let refused = |why: String| Err(Error::not_applicable("msccl-xml", why));
    if tasks.divide.is_some() && !is_broadcast(tasks) {
        let why = "a part of what was received is passed on, and bytes alone do not tell which; a broadcast can be written, \
                   and so can messages with data of their own, as those of a file";
        return refused(why.to_string());
    }
    if tasks.all_repeats().iter().any(|&times| times > 1) {
        return refused("a phase that repeats would be written each time".to_string());
    }
    if let Some(edge) = tasks.edges().iter().find(|edge| edge.bytes.0 == 0) {
        return refused(format!(
            "the message from task {} to task {} has no bytes",
            edge.source, edge.target
        ));
    }
    let (chunk, broadcasts) = (chunk(tasks), is_broadcast(tasks));
    let largest = tasks.edges().iter().map(|edge| edge.bytes.0 / chunk).max().unwrap_or(0);
    if largest > CHUNKS_MAX && !broadcasts {
        return refused(format!(
            "the largest message has {largest} chunks of {chunk} bytes, the most that all messages are multiples of; \
             at most {CHUNKS_MAX}"
        ));
    }
    let algorithm = Algorithm::with(tasks, |task| task);
    for (rank, gpu) in algorithm.gpus.iter().enumerate() {
        let steps = gpu.blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0);
        if gpu.blocks.len() > BLOCKS_MAX || steps > STEPS_MAX {
            let blocks = gpu.blocks.len();
            return refused(format!(
                "task {rank} needs {blocks} thread blocks of up to {steps} steps; at most {BLOCKS_MAX} of {STEPS_MAX}"
            ));
        }
    }
    Ok(())
}

/// A step of a thread block.
struct Step {
    kind: &'static str,
    /// Buffers and chunks.
    source: (&'static str, u64),
    target: (&'static str, u64),
    count: u64,
    /// The thread block and the step it waits for.
    after: Option<(usize, usize)>,
    is_awaited: bool,
}

/// A thread block: whom it sends to, whom it receives from, and its steps.
struct Block {
    peers: [Option<u32>; 2],
    steps: Vec<Step>,
    /// By block for receiving, how many of its steps are waited for.
    seen: BTreeMap<usize, usize>,
}

#[derive(Default)]
struct Gpu {
    blocks: Vec<Block>,
    /// Chunks of input and output.
    chunks: [u64; 2],
}

impl Gpu {
    /// The thread block for these peers.
    fn block(&mut self, peers: [Option<u32>; 2]) -> usize {
        self.blocks.iter().position(|block| block.peers == peers).unwrap_or_else(|| {
            self.blocks.push(Block { peers, steps: Vec::new(), seen: BTreeMap::new() });
            self.blocks.len() - 1
        })
    }

    /// Has the next step of a thread block wait for all that was received so far: one step for each but the last.
    fn wait(&mut self, block: usize, received: &BTreeMap<usize, usize>) -> Option<(usize, usize)> {
        let new = |(other, steps): (&usize, &usize)| {
            (self.blocks[block].seen.get(other) != Some(steps)).then_some((*other, *steps))
        };
        let mut waits: Vec<(usize, usize)> = received.iter().filter_map(new).collect();
        for &(other, steps) in &waits {
            self.blocks[block].seen.insert(other, steps);
            self.blocks[other].steps[steps - 1].is_awaited = true;
        }
        let last = waits.pop();
        for (other, steps) in waits {
            let after = Some((other, steps - 1));
            let nothing =
                Step { kind: "nop", source: ("i", 0), target: ("o", 0), count: 0, after, is_awaited: false };
            self.blocks[block].steps.push(nothing);
        }
        last.map(|(other, steps)| (other, steps - 1))
    }
}

/// The steps of all ranks.
struct Algorithm {
    gpus: Vec<Gpu>,
}

impl Algorithm {
    fn of(launch: &Launch<'_>) -> Self {
        let tasks = launch.tasks.tasks;
        let mut ranks = vec![0; tasks as usize];
        (0..tasks).for_each(|rank| ranks[launch.ranks.task(rank, tasks) as usize] = rank);
        Self::with(launch.tasks, |task| ranks[task as usize])
    }

    /// The algorithm in which this rank is a task.
    fn with(tasks: &TaskGraph, rank: impl Fn(u32) -> u32) -> Self {
        let mut gpus: Vec<Gpu> = (0..tasks.tasks).map(|_| Gpu::default()).collect();
        // By rank, how many steps of which thread block were received in the phases before.
        let mut received = vec![BTreeMap::new(); tasks.tasks as usize];
        for phase in 0..tasks.phases() {
            let mut now = Vec::new();
            for edge in tasks.phase(phase) {
                let (source, target) = (rank(edge.source), rank(edge.target));
                let (from, to, count) =
                    places(tasks, edge, &mut gpus, (source, target), &received[source as usize]);
                let gpu = &mut gpus[source as usize];
                let block = gpu.block([Some(target), None]);
                let after = gpu.wait(block, &received[source as usize]);
                let send = Step { kind: "s", source: from, target: to, count, after, is_awaited: false };
                gpu.blocks[block].steps.push(send);
                let gpu = &mut gpus[target as usize];
                let block = gpu.block([None, Some(source)]);
                let receive =
                    Step { kind: "r", source: from, target: to, count, after: None, is_awaited: false };
                gpu.blocks[block].steps.push(receive);
                now.push((target, block, gpu.blocks[block].steps.len()));
            }
            for (target, block, steps) in now {
                received[target as usize].insert(block, steps);
            }
        }
        Self { gpus }
    }

    fn text(&self, tasks: &TaskGraph) -> String {
        let most = self.gpus.iter().flat_map(|gpu| gpu.chunks).max().unwrap_or(0).max(1);
        let (ranks, chunk) = (self.gpus.len(), chunk(tasks));
        let mut text = format!(
            "<!-- a chunk is {chunk} bytes -->\n\
             <algo name=\"meshwright\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{most}\" ngpus=\"{ranks}\" \
             coll=\"custom\" inplace=\"0\">\n"
        );
        for (rank, gpu) in self.gpus.iter().enumerate() {
            let [input, output] = gpu.chunks;
            _ = writeln!(
                text,
                "  <gpu id=\"{rank}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"0\">"
            );
            for (id, block) in gpu.blocks.iter().enumerate() {
                let [send, receive] = block.peers.map(|peer| peer.map_or(-1, i64::from));
                _ = writeln!(text, "    <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"0\">");
                for (number, step) in block.steps.iter().enumerate() {
                    let Step { kind, source: (from, at), target: (to, there), count, after, is_awaited } =
                        *step;
                    let (block, other) = after.map_or((-1, -1), |(block, step)| (block as i64, step as i64));
                    let awaited = u32::from(is_awaited);
                    _ = writeln!(
                        text,
                        "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{from}\" srcoff=\"{at}\" dstbuf=\"{to}\" \
                         dstoff=\"{there}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{other}\" hasdep=\"{awaited}\"/>"
                    );
                }
                text += "    </tb>\n";
            }
            text += "  </gpu>\n";
        }
        text + "</algo>\n"
    }
}

/// Where the chunks of a message are at its source and at its target, and how many they are.
type Places = ((&'static str, u64), (&'static str, u64), u64);

fn places(
    tasks: &TaskGraph,
    edge: &Edge,
    gpus: &mut [Gpu],
    (source, target): (u32, u32),
    received: &BTreeMap<usize, usize>,
) -> Places {
    if is_broadcast(tasks) {
        // The root has it in its input, all others where they received it.
        let from = if received.is_empty() { "i" } else { "o" };
        let holds = &mut gpus[source as usize].chunks[usize::from(!received.is_empty())];
        *holds = 1;
        gpus[target as usize].chunks[1] = 1;
        return ((from, 0), ("o", 0), 1);
    }
    let count = edge.bytes.0 / chunk(tasks);
    let [from, _] = gpus[source as usize].chunks;
    gpus[source as usize].chunks[0] += count;
    let [_, to] = gpus[target as usize].chunks;
    gpus[target as usize].chunks[1] += count;
    (("i", from), ("o", to), count)
}
