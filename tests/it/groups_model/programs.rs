//! Programs against sequential references, and the laws of the conditional.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::contraction::Contraction;
use meshwright_groups::mask::Mask;
use meshwright_groups::nested::{Run, Team};
use meshwright_groups::protocol::{Here, LogEntry, Operation, Operator, Outcome, Program, Scheme, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_groups::{Group, monotone_nearest, trees};
use meshwright_network::topology::Machine;
use meshwright_runtime::groups as live;
use meshwright_runtime::transport::{Mailbox, threads};
use meshwright_sim as sim;
use meshwright_sim::any_order::{self, Adversary, Order};
use rand::RngExt;

use super::roster::Roster;
use super::{machine, results, run};

/// A nested program as data, so that it can be drawn at random and run twice: by members, and by the book.
#[derive(Clone, Debug)]
enum Statement {
    /// Value := value * 3 + sum over the group.
    Sum,
    /// Value := value + scan of the ranks.
    Scan,
    /// Value := value of the member with rank (constant mod size).
    Broadcast(u32),
    /// At the root alone: value := what was gathered, folded.
    Gather,
    /// At the root alone: value := value + the least of the group.
    Reduce,
    Barrier,
    /// As many cycles as the value says, below 16.
    Compute,
    /// The k-way conditional on value mod k; k = 2 is the branch.
    Conditional(u64, Vec<Vec<Statement>>),
}

/// The member's value under a program.
async fn perform(team: &mut Team, program: &[Statement], mut value: u64) -> u64 {
    for statement in program {
        match statement {
            Statement::Sum => {
                let sum = team.all_reduce(Operator::Sum, value).await;
                value = value.wrapping_mul(3).wrapping_add(sum);
            }
            Statement::Scan => value = value.wrapping_add(team.scan(Operator::Sum, value).await),
            Statement::Broadcast(from) => value = team.broadcast(from % team.size(), value).await,
            Statement::Gather => {
                if let Some(values) = team.gather(value).await {
                    value = fold(&values);
                }
            }
            Statement::Reduce => {
                if let Some(least) = team.reduce(Operator::Min, value).await {
                    value = value.wrapping_add(least);
                }
            }
            Statement::Barrier => team.barrier().await,
            Statement::Compute => team.compute(Cycles(value % 16)).await,
            Statement::Conditional(2, bodies) => {
                value = team
                    .branch(
                        value % 2 == 1,
                        async |odd| Box::pin(perform(odd, &bodies[1], value)).await,
                        async |even| Box::pin(perform(even, &bodies[0], value)).await,
                    )
                    .await;
            }
            Statement::Conditional(ways, bodies) => {
                let case = value % ways;
                let body =
                    async |part: &mut Team| Box::pin(perform(part, &bodies[case as usize], value)).await;
                value = team.switch(case as u32, body).await;
            }
        }
    }
    value
}

fn fold(values: &[u64]) -> u64 {
    values.iter().fold(7, |sum, value| sum.wrapping_mul(31).wrapping_add(*value))
}

/// The same for a whole group at once, without messages: values by rank. The root is the middle rank.
fn by_the_book(program: &[Statement], values: &mut [u64]) {
    for statement in program {
        let root = values.len() / 2;
        match statement {
            Statement::Sum => {
                let sum = values.iter().fold(0u64, |sum, value| sum.wrapping_add(*value));
                values.iter_mut().for_each(|value| *value = value.wrapping_mul(3).wrapping_add(sum));
            }
            Statement::Scan => {
                let mut sum = 0u64;
                for value in values.iter_mut() {
                    sum = sum.wrapping_add(*value);
                    *value = value.wrapping_add(sum);
                }
            }
            Statement::Broadcast(from) => {
                let value = values[*from as usize % values.len()];
                values.fill(value);
            }
            Statement::Gather => values[root] = fold(values),
            Statement::Reduce => {
                let least = *values.iter().min().unwrap();
                values[root] = values[root].wrapping_add(least);
            }
            Statement::Barrier | Statement::Compute => {}
            Statement::Conditional(ways, bodies) => {
                let cases: Vec<u64> = values.iter().map(|value| value % ways).collect();
                for (case, body) in (0..).zip(bodies) {
                    let ranks: Vec<usize> = (0..values.len()).filter(|&rank| cases[rank] == case).collect();
                    let mut part: Vec<u64> = ranks.iter().map(|&rank| values[rank]).collect();
                    if !part.is_empty() {
                        by_the_book(body, &mut part);
                    }
                    ranks.iter().zip(part).for_each(|(&rank, value)| values[rank] = value);
                }
            }
        }
    }
}

/// What programs may have: roots that are middle ranks, and conditionals of so many ways.
#[derive(Clone, Copy)]
struct Kind {
    roots: bool,
    ways_most: u64,
}

/// A random program, conditionals nested up to `depth` deep.
fn draw(random: &mut impl RngExt, kind: Kind, depth: u32) -> Vec<Statement> {
    let length = random.random_range(1..4);
    (0..length).map(|_| one(random, kind, depth)).collect()
}

fn one(random: &mut impl RngExt, kind: Kind, depth: u32) -> Statement {
    match random.random_range(0..if depth == 0 { 7 } else { 11 }) {
        0 => Statement::Sum,
        1 => Statement::Scan,
        2 => Statement::Broadcast(random.random_range(0..1000)),
        3 if kind.roots => Statement::Gather,
        4 if kind.roots => Statement::Reduce,
        3..=5 => Statement::Barrier,
        6 => Statement::Compute,
        _ => {
            let ways = random.random_range(2..=kind.ways_most);
            Statement::Conditional(ways, (0..ways).map(|_| draw(random, kind, depth - 1)).collect())
        }
    }
}

#[test]
fn random_programs_compute_what_the_book_says() {
    let mut random = rng::stream(6, "programs");
    let mut deepest = 0;
    for round in 0..60 {
        let mesh = ["mesh:4x4", "torus:3x5", "mesh:1x7", "mesh:2x3x4", "mesh:1x1"][round % 5];
        let machine = machine(mesh);
        let group = Group::whole(&machine, "hilbert").unwrap();
        let program = draw(&mut random, Kind { roots: true, ways_most: 4 }, 5);
        let values: Vec<u64> = (0..group.size()).map(|_| random.random_range(0..1000)).collect();
        let mut expected = values.clone();
        by_the_book(&program, &mut expected);
        let by_node = |node: NodeId| group.members().iter().position(|&member| member == node).unwrap();
        let of = |rank: usize| {
            let (value, program) = (values[rank], &program);
            Run::of(async move |team: &mut Team| perform(team, program, value).await)
        };
        let all = run(&Roster, &machine, &group, |node| of(by_node(node)));
        assert_eq!(results(&all, &group), expected, "round {round} on {mesh}: {program:?}");
        let order = [Order::NewestFirst, Order::Random, Order::StarveNode(group.node(0))][round % 3];
        let adversary = Adversary { order, in_channels: false, seed: round as u64 };
        let mut delayed =
            members(&Roster, &machine, &group, (0..group.size()).map(|rank| of(rank as usize)).collect())
                .unwrap();
        let trace = any_order::run_processes(&mut delayed, adversary).unwrap();
        assert!(trace.unfinished.is_empty(), "round {round} on {mesh}, {adversary:?}: {program:?}");
        assert_eq!(
            results(&delayed, &group),
            expected,
            "round {round} on {mesh}, {adversary:?}: {program:?}"
        );
        let levels = all.iter().flat_map(|member| member.log()).map(|entry| entry.level);
        deepest = deepest.max(levels.max().unwrap_or(0));
    }
    assert_eq!(deepest, 5, "some programs were nested as deep as they may");
}

/// On ranks that really run too: threads here, messages in whatever order they come.
#[test]
fn random_programs_compute_the_same_on_ranks() {
    let mut random = rng::stream(7, "programs");
    for round in 0..40 {
        let specification = ["mesh:3x4", "torus:3x3", "mesh:1x7", "mesh:2x2x2", "mesh:1x1"][round % 5];
        let machine = Machine::new(specification).unwrap();
        let size = machine.living_count();
        let program = draw(&mut random, Kind { roots: true, ways_most: 4 }, 4);
        let values: Vec<u64> = (0..size).map(|_| random.random_range(0..1000)).collect();
        let mut expected = values.clone();
        by_the_book(&program, &mut expected);
        let run = |endpoint| {
            let mut mail = Mailbox::new(endpoint);
            // Its root is the middle rank.
            let tree = trees::tree("rank-halving").unwrap();
            let mut world = live::Group::world(&mut mail, &machine, tree).unwrap();
            let (value, program) = (values[world.rank() as usize], &program);
            let mut run = Run::of(async move |team: &mut Team| perform(team, program, value).await);
            live::drive(&mut world, &mut run)?;
            Ok(run.into_result().expect("it has come to its end"))
        };
        assert_eq!(threads::run(size, run).unwrap(), expected, "round {round}: {program:?}");
    }
}

/// Under every split that members can do the same programs compute the same, in steps of packets.
#[test]
fn programs_do_not_know_how_groups_are_split() {
    fn check<S: Scheme>(scheme: &S, machine: &Machine, ways_most: u64, seed: u64) {
        let mut random = rng::stream(seed, "programs");
        let group = Group::whole(machine, "hilbert").unwrap();
        let program = draw(&mut random, Kind { roots: false, ways_most }, 4);
        let values: Vec<u64> = (0..group.size()).map(|_| random.random_range(0..1000)).collect();
        let mut expected = values.clone();
        by_the_book(&program, &mut expected);
        let body = &program;
        let of = |&value: &u64| Run::of(async move |team: &mut Team| perform(team, body, value).await);
        let mut all = members(scheme, machine, &group, values.iter().map(of).collect()).unwrap();
        let trace = sim::run(machine, &mut all, &sim::Engine::Packet).unwrap();
        assert!(trace.unfinished.is_empty(), "seed {seed}: {program:?}");
        assert_eq!(results(&all, &group), expected, "seed {seed}: {program:?}");
    }
    for seed in 0..15 {
        let machine =
            Machine::new(["mesh:5x4", "mesh:4x4", "mesh:1x9"][seed as usize % 3]).unwrap().in_packets();
        check(&RankSplit::default(), &machine, 2, seed);
        check(&RankSplit::short(), &machine, 2, seed);
        check(&Contraction::new(&machine).unwrap(), &machine, 4, seed);
        check(&Mask::new(&machine, monotone_nearest::tree), &machine, 4, seed);
    }
}

/// Five conditionals inside of each other, one for each bit of the rank: every member ends alone and comes back.
#[test]
fn conditionals_nest_five_deep() {
    async fn descend(team: &mut Team, bits: u32, number: u32) -> Vec<(u32, u32, u32)> {
        let mut seen = vec![(team.level(), team.rank(), team.size())];
        if bits > 0 {
            let below = async |part: &mut Team| Box::pin(descend(part, bits - 1, number / 2)).await;
            seen.extend(team.branch(number % 2 == 1, below, below).await);
            seen.push((team.level(), team.rank(), team.size()));
        }
        seen
    }
    let machine = machine("mesh:4x8");
    let group = Group::whole(&machine, "row").unwrap();
    let all = run(&Roster, &machine, &group, |node| {
        Run::of(async move |team: &mut Team| descend(team, 5, node.0).await)
    });
    for (rank, seen) in (0..).zip(results(&all, &group)) {
        let down = (0..=5).map(|level| (level, rank >> level, 32 >> level));
        let up = (0..5).rev().map(|level| (level, rank >> level, 32 >> level));
        assert!(seen.into_iter().eq(down.chain(up)), "rank {rank}");
    }
}

/// The times of the barriers of a member, by level.
fn barriers(log: &[LogEntry], level: u32) -> Vec<(Cycles, Cycles)> {
    let own = log.iter().filter(|entry| entry.operation == Operation::Barrier && entry.level == level);
    own.map(|entry| (entry.begin, entry.end)).collect()
}

/// One branch computes for long, the other passes barriers meanwhile, as fast as if it were alone.
#[test]
fn a_long_branch_delays_nobody_but_the_join() {
    const LONG: u64 = 100_000;
    let machine = machine("mesh:4x8");
    let group = Group::whole(&machine, "row").unwrap();
    let ways = |long: u64| {
        let all = run(&Roster, &machine, &group, |_| {
            Run::of(async move |team: &mut Team| {
                let is_long = team.rank() >= 16;
                let quick = async |part: &mut Team| {
                    for _ in 0..10 {
                        part.step(Cycles(3)).await;
                    }
                };
                team.branch(is_long, async |part| part.step(Cycles(long)).await, quick).await;
                team.barrier().await;
            })
        });
        all.into_iter().map(|member| member.log().to_vec()).collect::<Vec<_>>()
    };
    let (with, without) = (ways(LONG), ways(0));
    for node in 0..16 {
        let quick = barriers(&with[node], 1);
        assert_eq!(quick.len(), 10);
        assert!(quick.iter().all(|&(_, end)| end < Cycles(LONG)), "it does not wait for the long branch");
        // The halves share no link, so the long branch is not noticed at all.
        assert_eq!(quick, barriers(&without[node], 1));
        let [(begin, _)] = barriers(&with[node], 0)[..] else { panic!("one barrier after the join") };
        assert!(begin > Cycles(LONG), "the join waits for the long branch");
    }
    assert_eq!(barriers(&with[16], 1).len(), 1);
}

/// In each group nobody leaves its n-th barrier before the last has come to it.
#[test]
fn branches_are_synchronous_inside() {
    let machine = machine("mesh:5x5");
    let group = Group::whole(&machine, "hilbert").unwrap();
    let all = run(&Roster, &machine, &group, |node| {
        Run::of(async move |team: &mut Team| {
            let mut random = rng::stream(u64::from(node.0), "work");
            let case = random.random_range(0..4u32);
            team.switch(case, async |part| {
                for _ in 0..=case {
                    part.step(Cycles(random.random_range(0..200))).await;
                }
            })
            .await;
            case
        })
    });
    let cases = results(&all, &group);
    let mut passed = 0;
    for case in 0..4 {
        let ranks = (0..cases.len()).filter(|&rank| cases[rank] == case);
        let logs: Vec<_> = ranks.map(|rank| barriers(all[group.members()[rank].index()].log(), 1)).collect();
        assert!(logs.iter().all(|log| log.len() == case as usize + 1));
        for number in 0..=case as usize {
            let last_came = logs.iter().map(|log| log[number].0).max();
            let first_left = logs.iter().map(|log| log[number].1).min();
            assert!(last_came <= first_left, "case {case}, barrier {number}");
            passed += logs.len();
        }
    }
    assert!(passed > 25, "all members stepped");
}

/// Calls `next` as a member that is alone would.
fn drive(run: &mut Run<'_, ()>, times: usize) {
    let mut level = 0;
    for _ in 0..times {
        let here = Here { node: NodeId(0), rank: 0, size: 1, level, now: Cycles(0), outcome: Outcome::Done };
        match run.next(here) {
            Operation::Split(_) => level += 1,
            Operation::Join => level -= 1,
            _ => {}
        }
    }
}

fn complaint(mut run: Run<'_, ()>) -> String {
    let refused = catch_unwind(AssertUnwindSafe(|| drive(&mut run, 9))).expect_err("it is refused");
    let text =
        refused.downcast_ref::<String>().map(String::as_str).or(refused.downcast_ref::<&str>().copied());
    text.expect("a sentence").to_string()
}

#[test]
fn misuse_that_types_cannot_forbid_is_refused_with_a_sentence() {
    let dropped = Run::of(async |team: &mut Team| {
        drop(team.split(0).await);
        team.barrier().await;
    });
    assert!(complaint(dropped).contains("a team is used again when its parts have joined"));
    let ended = Run::of(async |team: &mut Team| drop(team.split(0).await));
    assert!(complaint(ended).contains("a program ends when all parts have joined"));
    let foreign = Run::of(async |_: &mut Team| std::future::pending().await);
    assert!(complaint(foreign).contains("a program waits for operations of its team alone"));
    let twice = Run::of(async |team: &mut Team| {
        let mut first = Box::pin(team.barrier());
        std::future::poll_fn(|context| {
            assert!(first.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        drop(first);
        team.barrier().await;
    });
    assert!(complaint(twice).contains("an operation that was begun is awaited"));
    let outside = Run::of(async |team: &mut Team| assert!(team.broadcast(1, 0).await > 0));
    assert!(complaint(outside).contains("a member of the team broadcasts"));
}

/// A run that is thrown away half-way drops what its program holds, and a finished one stays finished.
#[test]
fn runs_may_be_dropped_anywhere() {
    let dropped = RefCell::new(0);
    struct Flag<'a>(&'a RefCell<u32>);
    impl Drop for Flag<'_> {
        fn drop(&mut self) {
            *self.0.borrow_mut() += 1;
        }
    }
    for times in 0..5 {
        let flag = Flag(&dropped);
        let mut run = Run::of(async move |team: &mut Team| {
            let _flag = flag;
            team.switch(1, async |part| part.barrier().await).await;
        });
        drive(&mut run, times);
        assert_eq!(run.result().is_some(), times == 4);
    }
    assert_eq!(*dropped.borrow(), 5);
    let mut absent = Run::<()>::default();
    drive(&mut absent, 2);
    assert_eq!(absent.into_result(), None);
}
