//! Divide and conquer: all executors come to one solution, and ranks send what the planner sees.

mod placed;

use std::time::Duration;

use meshwright_core::units::Bytes;
use meshwright_demos::applications::MergeSort;
use meshwright_mapping::{Divide, Shape, divide};
use meshwright_runtime::skeleton::{
    DivideAndConquer, HostRun, Record, from_host, on_ranks, on_threads, sequential,
};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Parcel, Wire, threads};
use meshwright_schedule::RankTree;
use proptest::prelude::*;

/// Solves it on ranks that are threads; rank 0 is the host.
pub(crate) fn from_threads<A>(app: &A, tree: &RankTree, problem: A::Problem) -> HostRun<A::Solution>
where
    A: DivideAndConquer,
    A::Problem: Wire + Clone + Sync,
    A::Solution: Wire,
{
    let mut ended = threads::run(tree.ranks(), |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let problem = (mail.rank() == 0).then(|| problem.clone());
        from_host(app, tree, &mut mail, problem)
    })
    .unwrap();
    assert!(ended[1..].iter().all(Option::is_none), "the host alone knows");
    ended.remove(0).unwrap()
}

/// Numbers without a pattern.
pub(crate) fn numbers(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2_654_435_761) ^ (i << 7)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_executor_sorts(
        list in prop::collection::vec(-50i32..50, 0..200),
        small in 0usize..9,
        ranks in 1u32..10,
    ) {
        let sort = MergeSort::new(small);
        let mut expected = list.clone();
        expected.sort();
        prop_assert_eq!(&sequential(&sort, list.clone()), &expected);
        prop_assert_eq!(&on_threads(&sort, list.clone()), &expected);
        let run = from_threads(&sort, &RankTree::halving(ranks), list);
        prop_assert_eq!(run.solution.as_ref(), Some(&expected));
    }
}

/// A list costs 8 bytes for its length and a problem 1 for being there; the planner sees the numbers alone.
pub(crate) fn numbers_alone(record: &Record) -> Vec<(u64, Bytes)> {
    let n = record.phases.len() / 2;
    let frame = |index: usize| if index < n { 9 } else { 8 };
    let alone = |(index, phase): (usize, &meshwright_runtime::skeleton::keep_half::PhaseRecord)| {
        (phase.messages, Bytes(phase.bytes.0 - frame(index) * phase.messages))
    };
    record.phases.iter().enumerate().map(alone).collect()
}

#[test]
fn merge_sort_sends_what_the_planner_sees() {
    for n in 0..=6 {
        let volume = Bytes(4 << (n + 4));
        let job = Divide { shape: Shape::Binomial(n), alpha: Some(0.5), combine_alpha: Some(0.5), volume };
        let graph = divide::task_graph(&job).unwrap();
        let planned: Vec<_> = (0..graph.phases())
            .map(|index| {
                let edges = graph.phase(index);
                (edges.len() as u64, Bytes(edges.iter().map(|edge| edge.bytes.0).sum()))
            })
            .collect();
        let list = numbers(1 << (n + 4));
        let run = from_threads(&MergeSort::new(1), &RankTree::halving(1 << n), list);
        assert_eq!(numbers_alone(&run.record), planned, "B({n})");
        // And counted by hand: 2^(i - 1) messages of phase i carry half of the numbers together.
        for (i, (messages, bytes)) in (1..=n).zip(planned) {
            assert_eq!((messages, bytes.0), (1 << (i - 1), volume.0 / 2), "phase {i} of B({n})");
        }
    }
}

#[test]
fn any_number_of_ranks_takes_two_messages_for_each_but_the_root() {
    for ranks in 1..=40 {
        let run = from_threads(&MergeSort::new(1), &RankTree::halving(ranks), numbers(4 * ranks));
        assert_eq!(run.record.messages(), 2 * (u64::from(ranks) - 1), "{ranks} ranks");
        assert!(run.solution.unwrap().is_sorted());
    }
}

/// How many numbers were solved together, part by part; small from some size on.
struct Parts(u64);

impl DivideAndConquer for Parts {
    type Problem = u64;
    type Solution = Vec<u64>;

    fn is_small(&self, numbers: &u64) -> bool {
        *numbers <= self.0
    }

    fn solve(&self, numbers: u64) -> Vec<u64> {
        vec![numbers]
    }

    fn divide(&self, numbers: u64, (kept, sent): (u32, u32)) -> (u64, u64) {
        let keep = numbers * u64::from(kept) / u64::from(kept + sent);
        (keep, numbers - keep)
    }

    fn combine(&self, kept: Vec<u64>, sent: Vec<u64>) -> Vec<u64> {
        [kept, sent].concat()
    }
}

#[test]
fn unequal_halves_divide_evenly() {
    for ranks in 1..=33 {
        let run = from_threads(&Parts(7), &RankTree::halving(ranks), 7 * u64::from(ranks));
        assert_eq!(run.solution.unwrap(), vec![7; ranks as usize], "{ranks} ranks");
    }
}

#[test]
fn a_small_problem_stays_where_it_is() {
    // 16 are divided for 8 ranks into 8, 4 and 4: those are small, and five ranks hear that there is nothing.
    let run = from_threads(&Parts(4), &RankTree::halving(8), 16);
    assert_eq!(run.solution.unwrap(), [4, 4, 4, 4]);
    assert_eq!(run.record.messages(), 7 + 3, "three of seven problems come back solved");
    let small = from_threads(&Parts(16), &RankTree::halving(8), 16);
    assert_eq!((small.solution.unwrap(), small.record.messages()), (vec![16], 7));
    let none: Vec<u32> = Vec::new();
    let empty = from_threads(&MergeSort::default(), &RankTree::halving(5), none.clone());
    assert_eq!((empty.solution.unwrap(), empty.record.messages()), (none, 4));
}

#[test]
fn without_a_problem_nobody_has_anything_to_do() {
    let tree = RankTree::new(5, 3, &[(1, 3, 0), (2, 3, 4), (2, 0, 1)]).unwrap();
    let ended = threads::run(5, |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        from_host(&Parts(1), &tree, &mut mail, None)
    });
    let ended = ended.unwrap();
    let host = ended[0].as_ref().unwrap();
    assert_eq!((&host.solution, host.record.messages(), host.there.messages), (&None, 3, 1));
}

#[test]
fn the_halving_tree_is_the_one_that_is_placed() {
    for ranks in 1..=70u32 {
        let shape = Shape::Halving(vec![ranks]);
        let job = Divide { shape, alpha: Some(0.5), combine_alpha: None, volume: Bytes(1) };
        let graph = divide::task_graph(&job).unwrap();
        let last = ranks - 1;
        let edges: Vec<_> = (0..graph.phases())
            .flat_map(|index| graph.phase(index).iter().map(move |edge| (index as u32 + 1, edge)))
            .map(|(phase, edge)| (phase, last - edge.source, last - edge.target))
            .collect();
        let (tree, expected) = (RankTree::halving(ranks), RankTree::new(ranks, 0, &edges).unwrap());
        for rank in 0..ranks {
            assert_eq!(tree.place(rank), expected.place(rank), "rank {rank} of {ranks}");
        }
        let below: u32 = tree.place(0).children.iter().map(|child| child.workers).sum();
        assert_eq!((tree.place(0).workers, below + 1), (ranks, ranks));
    }
}

/// (phase, parent, child)
type Edges = &'static [(u32, u32, u32)];

#[test]
fn what_is_no_tree_is_refused() {
    let bad: [(u32, Edges, &str); 6] = [
        (3, &[], "rank of the tree is 3"),
        (0, &[(1, 0, 3)], "rank of the tree is 3"),
        (0, &[(1, 1, 2)], "parent in the tree is 1"),
        (0, &[(1, 0, 1), (1, 1, 2)], "parent in the tree is 1"),
        (0, &[(1, 0, 1), (2, 0, 1)], "child in the tree is 1"),
        (0, &[(1, 0, 1), (2, 1, 0)], "child in the tree is 0"),
    ];
    for (root, edges, why) in bad {
        let error = RankTree::new(3, root, edges).unwrap_err().to_string();
        assert!(error.starts_with(why), "{edges:?}: {error}");
    }
    assert!(RankTree::new(0, 0, &[]).is_err());
}

/// A rank that hears nothing but that its parent died.
struct Orphan;

impl Endpoint for Orphan {
    fn rank(&self) -> u32 {
        1
    }

    fn ranks(&self) -> u32 {
        2
    }

    fn send(&mut self, _: u32, _: u32, _: Vec<u8>) -> Result<(), Lost> {
        Ok(())
    }

    fn next(&mut self, _: Duration) -> Result<Option<Parcel>, Lost> {
        Err(Lost { rank: 0, why: "it died".to_string() })
    }
}

#[test]
fn who_waits_for_a_lost_rank_hears_of_it() {
    let lost = on_ranks(&Parts(1), &RankTree::halving(2), &mut Mailbox::new(Orphan), None).unwrap_err();
    assert_eq!(lost.rank, 0);
}
