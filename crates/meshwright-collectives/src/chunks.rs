//! Into how many chunks the messages of a flow are cut so that they stream best.
//!
//! # Source
//!
//! `sanders2009`: the length of a pipeline and the best number of its chunks.

use crate::Task;
use crate::flow::Flow;

/// The most messages of a flow in chunks.
pub const MESSAGES_MAX: usize = 4_000_000;

/// Numbers of chunks to try, increasing, 1 among them.
///
/// A pipeline of L steps with k chunks takes
///
/// ```text
/// T(k) = L c + (k + L - 1) (b V / k + o),   o = b h and what the ends take for a message
/// k*   = sqrt((L - 1) b V / o)
/// ```
///
/// with V the largest block; start-ups overlap, unless the ends of a machine take time for each message or have one port. The
/// candidates are k* and its neighbours by factors of two, as far as chunks have a flit at least and all messages
/// together are at most [`MESSAGES_MAX`].
///
/// # Complexity
///
/// O(messages).
pub fn chunks(task: &Task<'_>, flow: &Flow) -> Vec<u32> {
    let costs = task.machine().costs();
    let largest = flow.blocks().iter().map(|block| block.bytes).max().unwrap_or(0);
    let most = (MESSAGES_MAX / flow.transfers().len().max(1)) as u64;
    let most = most.min(largest / costs.flit.0.max(1)).max(1);
    let best = best(flow.steps(), largest * costs.byte_time.numerator(), overhead(task)).clamp(1, most);
    let mut all: Vec<u32> = [1, best / 4, best / 2, best, (2 * best).min(most), (4 * best).min(most)]
        .map(|chunks| u32::try_from(chunks.max(1)).unwrap_or(u32::MAX))
        .to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// The number of chunks with the least (k + L - 1) (vector / k + overhead).
fn best(steps: u32, vector: u64, overhead: u64) -> u64 {
    (u128::from(steps.saturating_sub(1)) * u128::from(vector) / u128::from(overhead.max(1))).isqrt() as u64
}

/// Ticks that every chunk takes beside its bytes.
fn overhead(task: &Task<'_>) -> u64 {
    use meshwright_network::topology::PortModel;
    let (machine, costs) = (task.machine(), task.machine().costs());
    let ends = machine.endpoints();
    let of_end = ends.gap.0.max(ends.overhead.0) * costs.ticks_per_cycle();
    let startup = if machine.port_model() == PortModel::One { costs.startup_ticks() } else { 0 };
    costs.head_ticks() + of_end.max(startup)
}
