//! Every executor finds what an independent way finds.

use std::fmt::Debug;

use meshwright_demos::applications::components::search;
use meshwright_demos::applications::matrix_chain::{PRIME, cheapest_order};
use meshwright_demos::applications::{
    Broadcast, Chain, Contributions, Copies, Graph, GraphHalving, Matrix, MatrixChain, Receipt, Reduce,
};
use meshwright_runtime::skeleton::{DivideAndConquer, on_threads, sequential};
use meshwright_runtime::transport::Wire;
use meshwright_schedule::RankTree;
use petgraph::unionfind::UnionFind;
use proptest::prelude::*;

use super::ranked;

/// On one thread, on all threads, on 1 to 9 ranks.
fn everywhere<A>(app: &A, problem: &A::Problem, right: &A::Solution)
where
    A: DivideAndConquer<Problem: Wire + Clone + Sync + Debug, Solution: Wire + PartialEq + Debug>,
{
    assert_eq!(&sequential(app, problem.clone()), right, "{problem:?}");
    assert_eq!(&on_threads(app, problem.clone()), right, "{problem:?}");
    for ranks in 1..=9 {
        let (found, _) = ranked(app, &RankTree::halving(ranks), problem);
        assert_eq!(&found, right, "{ranks} ranks: {problem:?}");
    }
}

/// The least vertex in the component of each, by petgraph.
fn least(vertices: u32, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut sets = UnionFind::<u32>::new(vertices as usize);
    for &(one, other) in edges {
        sets.union(one, other);
    }
    let labels = sets.into_labeling();
    labels.iter().map(|set| labels.iter().position(|other| other == set).unwrap() as u32).collect()
}

#[test]
fn components_are_those_of_petgraph() {
    let path: Vec<(u32, u32)> = (1..131).map(|vertex| (vertex - 1, vertex)).collect();
    let far: Vec<(u32, u32)> = (0..65).map(|vertex| (vertex, 130 - vertex)).collect();
    let all: Vec<(u32, u32)> = (0..20).flat_map(|one| (0..20).map(move |other| (one, other))).collect();
    let cases: [(u32, &[(u32, u32)]); 8] = [
        (0, &[]),
        (1, &[]),
        (1, &[(0, 0)]),
        (2, &[(1, 0)]),
        (3, &[(2, 2), (2, 1)]),
        (131, &path),
        (131, &far),
        (20, &all),
    ];
    for (vertices, edges) in cases {
        let graph = Graph::new(vertices, edges.iter().copied());
        let right = least(vertices, edges);
        assert_eq!(search(&graph).least(), right);
        everywhere(&GraphHalving::new(1), &graph, &search(&graph));
        everywhere(&GraphHalving::default(), &graph, &search(&graph));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn components_of_random_graphs(
        vertices in 2u32..200,
        ends in prop::collection::vec((any::<u32>(), any::<u32>()), 0..150),
        workers in (1u32..5, 1u32..5),
        small in 1u32..40,
    ) {
        let edges: Vec<_> = ends.iter().map(|(one, other)| (one % vertices, other % vertices)).collect();
        let graph = Graph::new(vertices, edges.iter().copied());
        let app = GraphHalving::new(small);
        let right = least(vertices, &edges);
        let on_all = on_threads(&app, graph.clone());
        prop_assert_eq!(on_all.least(), &right);
        let (kept, sent) = app.divide(graph.clone(), workers);
        // The sent part is a graph of its own: it can be packed and read again.
        let mut bytes = Vec::new();
        sent.write(&mut bytes);
        prop_assert_eq!(bytes.len() as u64, sent.volume().0);
        let sent = Graph::read(&mut bytes.as_slice()).unwrap();
        let both = app.combine(sequential(&app, kept), sequential(&app, sent));
        prop_assert_eq!(both.least(), &right);
        prop_assert_eq!(both.count(), right.iter().zip(0..).filter(|(least, vertex)| **least == *vertex).count());
    }

    #[test]
    fn products_of_chains(sides in prop::collection::vec(0u32..7, 2..14), small in 1usize..6, seed in any::<u64>()) {
        let chain = Chain::random_shapes(&sides, seed).unwrap();
        let right = naive(chain.matrices());
        let app = MatrixChain::new(small);
        prop_assert_eq!(&chain.left_to_right(), &right);
        prop_assert_eq!(&sequential(&app, chain.clone()), &right);
        prop_assert_eq!(&on_threads(&app, chain.clone()), &right);
        prop_assert_eq!(&ranked(&app, &RankTree::halving(5), &chain).0, &right);
    }

    #[test]
    fn the_cheapest_order_is_the_least_of_all(sides in prop::collection::vec(0u32..50, 1..9)) {
        prop_assert_eq!(cheapest_order(&sides).1, least_cost(&sides));
    }
}

/// The definition of a product, entry by entry, in numbers that hold every sum.
fn naive(matrices: &[Matrix]) -> Matrix {
    let (first, rest) = matrices.split_first().unwrap();
    rest.iter().fold(first.clone(), |left, right| {
        let entry = |row: u32, column: u32| {
            let at = |inner: u32| {
                let one = left.entries()[(row * left.columns() + inner) as usize];
                let other = right.entries()[(inner * right.columns() + column) as usize];
                u128::from(one) * u128::from(other)
            };
            ((0..right.rows()).map(at).sum::<u128>() % u128::from(PRIME)) as u32
        };
        let (rows, columns) = (left.rows(), right.columns());
        let entries = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let entries = entries.map(|(row, column)| entry(row, column)).collect();
        Matrix::new(rows, columns, entries).unwrap()
    })
}

/// Every order there is, tried out: which product is the first.
fn least_cost(sides: &[u32]) -> u128 {
    let cost = |at: usize| {
        let product = [at - 1, at, at + 1].map(|side| u128::from(sides[side])).iter().product::<u128>();
        let mut rest = sides.to_vec();
        rest.remove(at);
        product + least_cost(&rest)
    };
    (1..sides.len().saturating_sub(1)).map(cost).min().unwrap_or(0)
}

#[test]
fn chains_of_any_length_on_any_number_of_ranks() {
    for count in [1, 2, 3, 7, 33] {
        let chain = Chain::random(count, 5, u64::from(count)).unwrap();
        let right = naive(chain.matrices());
        assert!(right.entries().iter().any(|entry| *entry > 0), "the product does not fade");
        everywhere(&MatrixChain::new(1), &chain, &right);
        everywhere(&MatrixChain::default(), &chain, &right);
    }
    // The greatest entries, in a row as long as sums may grow.
    let largest =
        |rows, columns| Matrix::new(rows, columns, vec![PRIME - 1; (rows * columns) as usize]).unwrap();
    let chain = Chain::new(vec![largest(1, 3000), largest(3000, 1)]).unwrap();
    assert_eq!(chain.left_to_right().entries(), [3000], "3000 times the square of -1");
}

#[test]
fn a_chain_is_divided_where_its_bytes_are() {
    // The first matrix is as large as the others together.
    let chain = Chain::random_shapes(&[100, 8, 10, 10, 10, 10], 0).unwrap();
    let (kept, sent) = MatrixChain::default().divide(chain.clone(), (1, 1));
    assert_eq!((kept.matrices().len(), sent.matrices().len()), (1, 4));
    let square = Chain::random(8, 3, 0).unwrap();
    for workers in [(1, 1), (1, 3), (3, 1), (1, 1000), (1000, 1), (u32::MAX, u32::MAX)] {
        let (kept, sent) = MatrixChain::default().divide(square.clone(), workers);
        let all = f64::from(workers.0) + f64::from(workers.1);
        let expected = (8.0 * f64::from(workers.0) / all).round().clamp(1.0, 7.0);
        assert_eq!(kept.matrices().len() as f64, expected, "{workers:?}");
        assert_eq!([kept.matrices(), sent.matrices()].concat(), square.matrices());
    }
}

#[test]
fn everyone_reads_what_is_broadcast() {
    for (receivers, length) in [(0, 5), (1, 0), (2, 1), (3, 1000), (9, 17), (40, 3)] {
        let value: Vec<u8> = (0..length).map(|byte| (byte * 7 + receivers) as u8).collect();
        // FNV-1a of 64 bits, in wider numbers.
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)) * 0x0100_0000_01b3 % (1 << 64);
        let checksum = value.iter().fold(0xcbf2_9ce4_8422_2325, step) as u64;
        let right = Receipt { receivers, checksum, agree: true };
        everywhere(&Broadcast, &Copies { value, receivers }, &right);
    }
    let receipt = |checksum| Receipt { receivers: 1, checksum, agree: true };
    assert!(!Broadcast.combine(receipt(1), receipt(2)).agree, "who read something else is noticed");
}

#[test]
fn sums_are_those_of_a_formula() {
    for (length, first, count) in [(0, 0, 4), (1, 0, 1), (3, 0, 0), (5, 2, 7), (64, 0, 33)] {
        let app = Reduce::new(length, |number, at| u64::from(number) + 1000 * u64::from(at));
        let numbers: u64 = (first..first + count).map(u64::from).sum();
        let right: Vec<u64> =
            (0..u64::from(length)).map(|at| numbers + 1000 * at * u64::from(count)).collect();
        everywhere(&app, &Contributions { first, count }, &right);
    }
    // Modulo 2^64.
    let largest = Reduce::new(1, |_, _| u64::MAX);
    everywhere(&largest, &Contributions { first: u32::MAX - 3, count: 3 }, &vec![u64::MAX - 2]);
}

#[test]
fn what_is_no_value_is_refused_and_not_believed() {
    fn refuses<T: Wire + Debug>(value: &T, wrong: &[&[u8]]) {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        assert_eq!(bytes.len() as u64, value.volume().0, "{value:?}");
        for end in 0..bytes.len() {
            assert!(T::read(&mut &bytes[..end]).is_none(), "{value:?} cut off at {end}");
        }
        for bytes in wrong {
            assert!(T::read(&mut &bytes[..]).is_none(), "{bytes:?}");
        }
    }
    refuses(&Graph::random(70, 9, 1), &[&[255; 40]]);
    // A vertex under a later one would be no least one.
    refuses(&search(&Graph::random(9, 3, 1)), &[&[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], &[255; 40]]);
    refuses(&Chain::random(2, 2, 1).unwrap(), &[&[0; 8], &[255; 40]]);
    refuses(&Matrix::new(1, 1, vec![5]).unwrap(), &[&[255; 40]]);
    refuses(&Copies { value: vec![1, 2], receivers: 3 }, &[&[255; 40]]);
    refuses(&Receipt { receivers: 1, checksum: 2, agree: true }, &[&[255; 13]]);
    refuses(&Contributions { first: 1, count: 2 }, &[]);
    assert!(Matrix::new(1, 1, vec![PRIME]).is_err() && Matrix::new(u32::MAX, u32::MAX, vec![]).is_err());
}
