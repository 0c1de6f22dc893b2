//! The trees that libraries build from rank numbers, beside the tree that was placed.
//!
//! Each library is played as its ranks act: whom a rank sends to, in which order, is all that is taken from it. Rounds
//! are counted, not looked up: a rank takes part in one message per round.

use super::*;
use meshwright_schedule::{Message, Phases};
use meshwright_sim as sim;

/// The ranks a rank sends to, in order.
type Sends = fn(u32, u32) -> Vec<u32>;

/// MPICH's broadcast: the mask climbs to the lowest 1-bit of the rank, then falls.
fn mpich_broadcast(rank: u32, size: u32) -> Vec<u32> {
    let mut mask = 1;
    while mask < size && rank & mask == 0 {
        mask <<= 1;
    }
    let mut targets = vec![];
    while mask > 1 {
        mask >>= 1;
        if rank + mask < size {
            targets.push(rank + mask);
        }
    }
    targets
}

/// Open MPI's broadcast: the mask climbs from above the highest 1-bit of the rank.
fn open_mpi_broadcast(rank: u32, size: u32) -> Vec<u32> {
    let above = (0..32).map(|bit| 1u32 << bit).skip_while(|&bit| bit <= rank);
    above.map(|bit| rank + bit).take_while(|&target| target < size).collect()
}

/// The messages of a broadcast from rank 0 as (round, source, target).
fn broadcast(sends: Sends, size: u32) -> Vec<(u32, u32, u32)> {
    let mut messages = vec![];
    let mut reached = vec![(0, 0)];
    while let Some((rank, round)) = reached.pop() {
        for (target, round) in sends(rank, size).into_iter().zip(round + 1..) {
            messages.push((round, rank, target));
            reached.push((target, round));
        }
    }
    assert_eq!(messages.len() as u32, size - 1, "each rank but the root is reached once");
    messages
}

/// The messages of a binomial reduction to rank 0, as MPICH and Open MPI have it: with the mask climbing, a rank
/// receives from rank + mask until it meets its own lowest 1-bit, then sends to rank - mask.
fn reduction(size: u32) -> Vec<(u32, u32, u32)> {
    // The round in which a rank has everything; children have greater numbers than their parents.
    let mut ready = vec![0; size as usize];
    let mut messages = vec![];
    for rank in (0..size).rev() {
        let mut mask = 1;
        while mask < size && rank & mask == 0 {
            if rank + mask < size {
                let round = ready[rank as usize].max(ready[(rank + mask) as usize]) + 1;
                messages.push((round, rank + mask, rank));
                ready[rank as usize] = round;
            }
            mask <<= 1;
        }
    }
    messages
}

/// The messages between nodes, with ranks where the launcher file puts them, in a fixed order.
fn on_nodes(messages: Vec<(u32, u32, u32)>, nodes: &[NodeId]) -> Vec<Message> {
    let message = |(phase, source, target): (u32, u32, u32)| Message {
        source: nodes[source as usize],
        target: nodes[target as usize],
        bytes: Bytes(64),
        phase,
    };
    sorted(messages.into_iter().map(message).collect())
}

fn sorted(mut messages: Vec<Message>) -> Vec<Message> {
    messages.sort_by_key(|message| (message.phase, message.source, message.target));
    messages
}

/// A library's collective operation, its numbering, and whether it goes down the tree.
type Collective = (&'static str, fn(u32) -> Vec<(u32, u32, u32)>, Ranks, bool);

const COLLECTIVES: [Collective; 3] = [
    ("MPICH broadcast", |size| broadcast(mpich_broadcast, size), Ranks::Tree, true),
    ("Open MPI broadcast", |size| broadcast(open_mpi_broadcast, size), Ranks::MirroredTree, true),
    ("reduction", reduction, Ranks::Tree, false),
];

fn squarish(n: u32) -> Machine {
    Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap()
}

/// The node of every rank, written for a launcher and read back.
fn launched(
    format: &str,
    tasks: &TaskGraph,
    placement: &Placement,
    machine: &Machine,
    ranks: Ranks,
) -> Vec<NodeId> {
    let launch = Launch { tasks, placement, machine, ranks, hosts: &Hosts::Numbered };
    let text = (launcher::format(format).unwrap().write)(&launch);
    nodes_of_ranks(format, &text, machine, tasks.tasks)
}

#[test]
fn libraries_send_the_messages_of_the_placed_tree_in_its_phases() {
    for (name, collective, ranks, down) in COLLECTIVES {
        for n in 0..=10 {
            let (mesh, tasks) = (squarish(n), tree(n, down, !down));
            let placement = placed("centred-halving", &tasks, &mesh, 0);
            let planned = placement.phases(&tasks, &mesh);
            let planned =
                sorted((0..planned.len()).flat_map(|phase| planned.phase(phase).to_vec()).collect());
            for format in BY_RANK {
                let nodes = launched(format, &tasks, &placement, &mesh, ranks);
                assert_eq!(on_nodes(collective(1 << n), &nodes), planned, "{name} of B({n}) by {format}");
            }
        }
    }
}

#[test]
fn the_referee_measures_what_was_planned_and_more_for_a_wrong_numbering() {
    let n = 6;
    for (name, collective, ranks, down) in COLLECTIVES {
        let (mesh, tasks) = (squarish(n), tree(n, down, !down));
        let placement = placed("centred-halving", &tasks, &mesh, 0);
        let planned = sim::simulate(&mesh, &placement.phases(&tasks, &mesh), &sim::Engine::Message).unwrap();
        let ticks = |ranks: Ranks| {
            let nodes = launched("rankfile", &tasks, &placement, &mesh, ranks);
            let phases = Phases::new(mesh.nodes(), on_nodes(collective(1 << n), &nodes));
            sim::simulate(&mesh, &phases, &sim::Engine::Message).unwrap().phase_ticks
        };
        assert_eq!(ticks(ranks), planned.phase_ticks, "{name}");
        for other in
            [Ranks::Task, Ranks::Tree, Ranks::MirroredTree].into_iter().filter(|&other| other != ranks)
        {
            let wrong: u64 = ticks(other).iter().sum();
            assert!(wrong > planned.ticks, "{name} with {}: {wrong}", other.name());
        }
    }
}

#[test]
fn open_mpi_was_seen_to_send_these() {
    // Recorded with Open MPI 4.1.4 on 8 processes by its monitoring component: bcast algorithm 6, reduce
    // algorithm 5.
    let seen = [(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 6), (3, 7)];
    let pairs = |messages: Vec<(u32, u32, u32)>| {
        let mut pairs: Vec<_> = messages.into_iter().map(|(_, source, target)| (source, target)).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(pairs(broadcast(open_mpi_broadcast, 8)), seen);
    let seen = [(1, 0), (2, 0), (3, 2), (4, 0), (5, 4), (6, 4), (7, 6)];
    assert_eq!(pairs(reduction(8)), seen);

    // Scatter algorithm 2 and gather algorithm 2, 64 bytes a rank: with the bytes, the tree of alpha 1/2.
    let seen = [(0, 1, 64), (0, 2, 128), (0, 4, 256), (2, 3, 64), (4, 5, 64), (4, 6, 128), (6, 7, 64)];
    let shape = Shape::Binomial(3);
    let scatter = Divide { shape, alpha: Some(0.5), combine_alpha: None, volume: Bytes(8 * 64) };
    let tasks = divide::task_graph(&scatter).unwrap();
    let rank = |task: u32| Ranks::Tree.rank(task, 8);
    let edges = tasks.edges().iter().map(|edge| (rank(edge.source), rank(edge.target), edge.bytes.0));
    let mut planned: Vec<_> = edges.collect();
    planned.sort_unstable();
    assert_eq!(planned, seen);
}
