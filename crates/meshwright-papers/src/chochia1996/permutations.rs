//! Permutations on a mesh: what the edges of all trees are, and what the routing of theorem 4 takes for them.

use rand::RngExt;
use rand::seq::SliceRandom;

use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Process;
use meshwright_schedule::process::Context;
use meshwright_sim::packet::PacketRouting;
use meshwright_sim::{Engine, run};

/// From every node at most one packet, to every node at most one: by node, the target.
pub(super) type Permutation = Vec<Option<NodeId>>;

/// A node with a packet to send, and to whom.
struct PacketSource(Option<NodeId>);

impl Process for PacketSource {
    type Payload = ();

    fn on_start(&mut self, context: &mut Context<'_, ()>) {
        if let Some(to) = self.0 {
            context.send(to, Bytes(8), ());
        }
        context.finish();
    }

    fn on_message(&mut self, _: NodeId, (): (), _: &mut Context<'_, ()>) {}
}

/// The steps of a permutation on queues without bound, and the longest queue.
pub(super) fn route(mesh: &Machine, routing: PacketRouting, permutation: &Permutation) -> Result<(u64, u64)> {
    let mut all: Vec<PacketSource> = permutation.iter().map(|&to| PacketSource(to)).collect();
    let trace = run(mesh, &mut all, &Engine::Unbounded(routing))?;
    Ok((trace.cycles.0, trace.longest_queue.map_or(0, |(_, packets)| packets)))
}

/// All nodes in a random order.
pub(super) fn random(mesh: &Machine, seed: u64) -> Permutation {
    let mut targets: Vec<NodeId> = (0..mesh.nodes()).map(NodeId).collect();
    targets.shuffle(&mut rng::stream(seed, "permutation"));
    targets.into_iter().map(Some).collect()
}

/// Every node of the lower left quarter to the node opposite in the upper right one, and back: all rows meet in few columns.
pub(super) fn transposed(side: u32) -> Permutation {
    (0..side * side).map(|node| Some(NodeId(node % side * side + node / side))).collect()
}

/// The nodes of the lower half of each row, one row after the other, go to the upper halves of the columns: in dimension
/// order the packets of a row all turn in few nodes.
pub(super) fn rows_to_columns(side: u32) -> Permutation {
    let half = side / 2;
    let mut permutation = vec![None; (side * side) as usize];
    // Row r, r < n/2, sends its n packets to one block of n nodes that lie in two columns.
    for row in 0..half {
        for column in 0..side {
            let (to_row, to_column) = (half + column % half, 2 * row + column / half);
            permutation[(row * side + column) as usize] = Some(NodeId(to_row * side + to_column));
        }
    }
    permutation
}

/// The edges from every vertex to its parent, left or right child, in the trees of all groups that random labels of four
/// levels leave: three permutations.
pub(super) fn tree_edges(mesh: &Machine, seed: u64) -> Result<[Permutation; 3]> {
    let mut groups = vec![Group::whole(mesh, "hilbert")?];
    let mut draws = rng::stream(seed, "tree edges");
    for _ in 0..4 {
        let split = |group: &Group| {
            let zeta: f64 = draws.random();
            let colours: Vec<u32> =
                (0..group.size()).map(|_| u32::from(draws.random::<f64>() > zeta)).collect();
            group.split(&colours).into_iter().map(|(_, part)| part).collect::<Vec<_>>()
        };
        groups = groups.iter().flat_map(split).collect();
    }
    let mut all = [(); 3].map(|()| vec![None; mesh.nodes() as usize]);
    for group in &groups {
        for rank in 0..group.size() {
            let here = rank_halving::place(rank, group.size());
            // A left child and a right child have one parent: to parents go those of the left children, then of the right.
            let ends = [here.left, here.right, here.parent.filter(|&up| rank < up)];
            for (permutation, end) in all.iter_mut().zip(ends) {
                permutation[group.node(rank).index()] = end.map(|rank| group.node(rank));
            }
        }
    }
    Ok(all)
}

/// Whether no node is the target of two.
pub(super) fn is_permutation(permutation: &Permutation) -> bool {
    let mut targets: Vec<NodeId> = permutation.iter().flatten().copied().collect();
    let count = targets.len();
    targets.sort_unstable();
    targets.dedup();
    targets.len() == count
}
