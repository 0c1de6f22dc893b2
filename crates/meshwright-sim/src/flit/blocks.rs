//! How the routers are cut into blocks, and which thread does which.
//!
//! The state of a large machine does not fit into a cache. Blocks of consecutive routers do, if a block does several
//! rounds before the next one is looked at; it can when links reach no further than into the next block.

use super::region::Setup;
use super::router::Router;
use super::wiring::{NO_PEER, unpack};
use meshwright_network::routing::Relation;

/// Bytes of routers that stay in the cache of a core while others are worked on.
const CACHE: usize = 5 << 19;

/// Bytes of the routers of a block, at least: smaller ones are changed too often.
const BLOCK: usize = 100_000;

/// A block does so many rounds in turn at most.
const ROUNDS_MAX: usize = 64;

/// More threads wait longer for each other than they work.
const THREADS_MAX: u32 = 64;

/// The blocks of a machine.
#[derive(Debug)]
pub(super) struct Blocks {
    /// By thread, its first node; then the number of nodes.
    firsts: Vec<u32>,
    /// Routers of a block.
    pub(super) size: u32,
    /// Cycles of a round: nothing that crosses a border is due sooner.
    pub(super) stride: u64,
    /// Rounds that a block does in turn at most.
    pub(super) rounds: usize,
    /// Whether packets can wait for each other for ever.
    pub(super) can_stand: bool,
}

impl Blocks {
    /// Cuts the machine for so many threads, with so many bytes a router.
    pub(super) fn new(setup: &Setup<'_>, bytes: usize, threads: usize) -> Self {
        let nodes = setup.wiring.nodes;
        let threads = threads.clamp(1, nodes.min(THREADS_MAX) as usize);
        let can_stand = can_stand(setup);
        let least = if setup.rounds.is_some() { 1 } else { (BLOCK / bytes) as u32 };
        let size = reach(setup).max(least).min(nodes);
        let count = nodes as usize / threads / size as usize;
        let fits = nodes as usize * bytes <= 2 * CACHE && threads == 1 && setup.rounds.is_none();
        let most = if threads == 1 { usize::MAX } else { count / 2 };
        let rounds = (CACHE / (size as usize * bytes)).saturating_sub(1).min(ROUNDS_MAX);
        let rounds = setup.rounds.unwrap_or(rounds).min(most);
        let in_line = !can_stand && rounds > 1 && count > 2 && !fits;
        let border = |thread: usize| (u64::from(nodes) * thread as u64 / threads as u64) as u32;
        Self {
            firsts: (0..=threads).map(border).collect(),
            size: if in_line { size } else { nodes },
            stride: stride(&setup.router),
            rounds: if in_line { rounds } else { 1 },
            can_stand,
        }
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.firsts.len() - 1
    }

    /// The first node of a thread, and the first behind it.
    pub(super) fn nodes(&self, thread: usize) -> (u32, u32) {
        (self.firsts[thread], self.firsts[thread + 1])
    }

    /// The thread of a node.
    pub(super) fn owner(&self, node: u32) -> usize {
        self.firsts.partition_point(|&first| first <= node) - 1
    }
}

/// How many cycles regions run before they meet: nothing that crosses a border is due sooner.
pub(super) fn stride(router: &Router) -> u64 {
    u64::from(router.hop().min(router.credit()))
}

/// The greatest difference between the numbers of two linked nodes.
fn reach(setup: &Setup<'_>) -> u32 {
    let wiring = &setup.wiring;
    let of = |node: u32| {
        let peers = (0..wiring.degree).map(move |port| wiring.peer(node, port));
        peers.filter(|&peer| peer != NO_PEER).map(move |peer| unpack(peer).0.abs_diff(node)).max()
    };
    (0..wiring.nodes).filter_map(of).max().unwrap_or(1)
}

/// Whether packets can wait for each other in a ring, for all that is known here: on lines in the order of the axes
/// they cannot.
fn can_stand(setup: &Setup<'_>) -> bool {
    !matches!(&setup.relation, Relation::DimensionOrder(axes) if !axes.has_rings())
}
