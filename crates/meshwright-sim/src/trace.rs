//! The measurements of a run.

use meshwright_core::units::{Cycles, LinkId, NodeId};

/// The link messages waited for the longest, within one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The link.
    pub link: LinkId,
    /// The phase (0 where there are none).
    pub phase: u32,
    /// The waiting times of all messages for it, added up.
    pub waited: Cycles,
}

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// When the last message arrived and the last computation ended.
    pub cycles: Cycles,
    /// The same in ticks, see [`meshwright_network::topology::Costs`].
    pub ticks: u64,
    /// How many messages arrived.
    pub messages: u64,
    /// The ticks of each phase of a phased run, all its repetitions together.
    pub phase_ticks: Vec<u64>,
    /// Per message of a schedule, in its order, the ticks from its start to its last byte; none in phased
    /// runs, where all start at once, and of processes.
    pub latency_ticks: Vec<u64>,
    /// Per node the tick at which its process finished; none in runs of schedules.
    pub finished_ticks: Vec<Option<u64>>,
    /// The living nodes whose processes had not finished when nothing happened any more, in increasing order.
    pub unfinished: Vec<NodeId>,
    /// Where messages waited most, or `None` if no message ever waited for a link.
    pub longest_wait: Option<Wait>,
    /// The link that most packets crossed, and how many, in a run of processes; `None` if no packet crossed any or the
    /// engine does not count them.
    pub busiest: Option<(LinkId, u64)>,
    /// The link before which most packets stood at once, and how many, in a run of processes on queues without bound.
    pub longest_queue: Option<(LinkId, u64)>,
    /// How often a whole message passed one that stood still on a link, in the other date-line class: then two virtual
    /// channels were needed. 0 in all other runs.
    pub passes: u64,
    /// A ring of channels whose holders wait for each other, if the run could not end.
    pub deadlock: Option<Vec<LinkId>>,
}
