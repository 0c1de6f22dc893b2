//! What is sent, phase by phase, beside what the planner says: the same bytes, but for a few before each message.

use meshwright_core::units::Bytes;
use meshwright_demos::applications::{
    Broadcast, Chain, Contributions, Copies, Graph, GraphHalving, MatrixChain, Reduce,
};
use meshwright_mapping::divide::PRESETS;
use meshwright_runtime::skeleton::{DivideAndConquer, Record};
use meshwright_runtime::transport::Wire;
use meshwright_verdict::Ranked;

use super::ranked;

/// Runs a problem over the placed tree of a preset; what was sent and what is planned, as (messages, bytes) by phase.
fn both<A>(app: &A, problem: &A::Problem, preset: &str, volume: u64, ranks: u32) -> (Record, Vec<(u64, u64)>)
where
    A: DivideAndConquer<Problem: Wire + Clone + Sync, Solution: Wire>,
{
    let preset = PRESETS.iter().find(|entry| entry.name == preset).unwrap();
    let placed = Ranked::new(preset, Bytes(volume), None, None, (ranks, 0)).unwrap();
    let planned = placed.planned().iter().map(|(messages, bytes)| (*messages, bytes.0)).collect();
    (ranked(app, &placed.tree, problem).1, planned)
}

/// Messages and bytes of a phase, less so many bytes of each message.
fn payload(record: &Record, index: usize, frame: u64) -> (u64, u64) {
    let phase = record.phases[index];
    (phase.messages, phase.bytes.0 - frame * phase.messages)
}

#[test]
fn a_quarter_of_the_matrix_goes_down() {
    for (n, ranks) in [(1, 2), (2, 4), (3, 8), (4, 16)] {
        let vertices = 64 << n;
        let graph = Graph::random(vertices, 100, 3);
        let volume = u64::from(vertices).pow(2) / 8;
        assert_eq!(graph.matrix_volume(), Bytes(volume));
        let (record, planned) = both(&GraphHalving::new(1), &graph, "graph-halving", volume, ranks);
        let (down, up) = planned.split_at(n);
        assert_eq!(up.len(), n);
        for (phase, &planned) in down.iter().enumerate() {
            // One byte says that there is a problem, four how many vertices it has.
            assert_eq!(payload(&record, phase, 1 + 4), planned, "phase {} of {n}", phase + 1);
            // alpha^i of the matrix in each of 2^(i - 1) messages.
            let expected = (1 << phase, (volume / 4u64.pow(phase as u32 + 1)) << phase);
            assert_eq!(planned, expected);
        }
        for phase in n..2 * n {
            // Four bytes for each vertex come back, half of them in the last phase; eight say how many.
            let level = 2 * n - phase;
            let expected = (1 << (level - 1), (4 * u64::from(vertices >> level)) << (level - 1));
            assert_eq!(payload(&record, phase, 8), expected, "phase {} of {n}", phase + 1);
        }
    }
}

#[test]
fn half_of_the_chain_goes_down_and_one_product_comes_back() {
    let (matrices, side) = (32u64, 6u64);
    let chain = Chain::random(matrices as u32, side as u32, 5).unwrap();
    let volume = matrices * side * side * 4;
    let (record, planned) = both(&MatrixChain::new(1), &chain, "matrix-chain", volume, 8);
    for (phase, &planned) in planned.iter().enumerate().take(3) {
        // Sixteen bytes say the shape of each matrix, of which half are sent by each phase; nine belong to the message.
        let shapes = 16 * (matrices >> (phase + 1));
        assert_eq!(payload(&record, phase, 9 + shapes), planned, "phase {}", phase + 1);
    }
    // The planner's unit on the way up is the root's volume: one product.
    let (_, planned) = both(&MatrixChain::new(1), &chain, "matrix-chain", side * side * 4, 8);
    assert_eq!(planned.len(), 6);
    for (phase, &planned) in planned.iter().enumerate().skip(3) {
        assert_eq!(payload(&record, phase, 16), planned, "phase {}", phase + 1);
    }
}

#[test]
fn the_whole_value_goes_down() {
    let copies = Copies { value: vec![5; 1000], receivers: 16 };
    let (record, planned) = both(&Broadcast, &copies, "broadcast", 1000, 16);
    let (down, up) = planned.split_at(4);
    assert_eq!(up.len(), 4);
    for (phase, &planned) in down.iter().enumerate() {
        assert_eq!(payload(&record, phase, 1 + 4 + 8), planned);
        assert_eq!(planned, (1 << phase, 1000 << phase));
    }
    for (phase, &planned) in up.iter().enumerate() {
        assert_eq!(payload(&record, 4 + phase, 13).1, 0, "a receipt");
        assert_eq!(planned, (0, 0));
    }
}

#[test]
fn whole_vectors_come_up() {
    let app = Reduce::new(125, |number, at| u64::from(number ^ at));
    let (record, planned) = both(&app, &Contributions { first: 0, count: 6 }, "reduce", 1000, 6);
    assert_eq!(record.phases.len(), planned.len());
    let (down, up) = planned.split_at(planned.len() / 2);
    for (phase, &planned) in down.iter().enumerate() {
        assert_eq!(payload(&record, phase, 9).1, 0, "which contributions are meant");
        assert_eq!(planned, (0, 0));
    }
    for (phase, &planned) in up.iter().enumerate() {
        assert_eq!(payload(&record, down.len() + phase, 8), planned);
    }
    assert_eq!(record.messages(), 10);
}
