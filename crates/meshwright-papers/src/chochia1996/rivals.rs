//! What groups with trees of their own are beside: a counter at one node, lock-step of all, partition into sub-meshes.

use rand::RngExt;

use super::dynamic::NETWORKS;
use super::semaphore::{CounterRun, counter_barrier};
use super::together::{self, split};
use super::{CORRECTED, HOLDS, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::Group;
use meshwright_groups::protocol::Operation;
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::groups::Engine;

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "h-pram",
        source: "Section 1",
        statement: "Synchronisation costs in proportion to the size of the sub-machine, so that work at lower levels is cheap",
        definition: "steps of a barrier in all groups of a level at once on 32 x 32, mean over the groups: parts of contiguous square \
                     sub-meshes (H-PRAM), and as many groups of as many random nodes (conditionals)",
        printed: "partitioned, each level takes no more than 0.6 times the level above; of random nodes no less than 0.75 times, as \
                  long as a group has n members and more",
        fails_if: "a level of sub-meshes takes more than 0.6 times the one above, or one of random groups less than 0.75 times",
        derive: h_pram,
        ..HOLDS
    },
    Claim {
        id: "fork-lock-step",
        source: "Section 1.1",
        statement: "Branches that synchronise by themselves after each statement repay their split only where they are compact",
        definition: "steps for k statements in both branches of a conditional on 16 x 16, a barrier after each: of all nodes, or \
                     split, k barriers in each group, join; contiguous halves, a contiguous quarter beside the rest, random halves",
        printed: "contiguous halves cost less than lock-step of all from k = 16 on; a quarter beside the rest, and random halves, cost \
                  more up to k = 64",
        fails_if: "for k = 16 or 64 contiguous halves cost more than lock-step, or one of the other two less",
        derive: fork,
        ..REMARK
    },
    Claim {
        id: "semaphore",
        source: "Section 6",
        statement: "A semaphore with fetch-and-add synchronises a group whose members know neither its size nor each other",
        definition: "a counter at one node, members that come at random times, with and without combining in the routers, by dimension \
                     order with queues of four: whether anybody leaves before the last has come, and all leave",
        printed: "a barrier in every run",
        fails_if: "in some run a member leaves before the last has come, or never",
        derive: semaphore,
        ..HOLDS
    },
    Claim {
        id: "semaphore-worst",
        source: "Section 6",
        statement: "On a mesh the semaphore takes Omega(n^2) steps in the worst case, trees take fewer",
        definition: "steps of one barrier of all nodes of an n x n mesh through a counter in the middle, over n^2 and over n, without \
                     combining and with sums that are combined in every router; beside them the barrier on the paper's tree",
        printed: "Omega(n^2) with combining",
        correct: Some(
            "2 ceil((n^2 - 1) / 4) steps and more without combining, for four links lead to a node; with combining in every router 2 e \
             steps for the e links to the farthest corner, fewer than on the paper's tree",
        ),
        errata: Some("G19"),
        fails_if: "with combining the steps over n^2 do not fall from n to 2 n, or a corrected form fails for some n",
        derive: semaphore_worst,
        ..CORRECTED
    },
];

/// The parts of a mesh at so many halvings of both sides.
fn sub_meshes(mesh: &Machine, side: u32, level: u32) -> Result<Vec<Group>> {
    let part = side >> level;
    let corners =
        (0..1 << level).flat_map(|row| (0..1u32 << level).map(move |column| (row * part, column * part)));
    let of = |(row, column): (u32, u32)| {
        let nodes: Vec<NodeId> =
            (0..part * part).map(|at| NodeId((row + at / part) * side + column + at % part)).collect();
        Group::of(mesh, "hilbert", &nodes)
    };
    corners.map(of).collect()
}

/// As many groups of as many random nodes.
fn scattered(mesh: &Machine, level: u32) -> Result<Vec<Group>> {
    let drawn = together::drawn(mesh, mesh.nodes() as usize, &mut rng::stream(level.into(), "h-pram"));
    drawn.chunks(drawn.len() >> (2 * level)).map(|nodes| Group::of(mesh, "hilbert", nodes)).collect()
}

fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

fn h_pram(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["level", "s", "sub-meshes: steps", "random groups: steps"]);
    let side = 32u32;
    let mesh = Machine::mesh([side, side])?.in_packets();
    let barrier = |groups: &[Group]| -> Result<f64> {
        let (_, ends) = together::run(&mesh, groups, Engine::Packet, |_, _| vec![Operation::Barrier])?;
        Ok(mean(&ends))
    };
    let mut before: Option<[f64; 2]> = None;
    for level in 0..4 {
        let size = mesh.nodes() >> (2 * level);
        let [parts, random] =
            [barrier(&sub_meshes(&mesh, side, level)?)?, barrier(&scattered(&mesh, level)?)?];
        if let Some([above, above_random]) = before {
            check.case(parts <= 0.6 * above, || format!("level {level}: {parts:.1} after {above:.1}"));
            if size >= side {
                check.case(random >= 0.75 * above_random, || {
                    format!("level {level}, random: {random:.1} after {above_random:.1}")
                });
            }
        }
        before = Some([parts, random]);
        numbers.row(&[&level, &size, &format!("{parts:.1}"), &format!("{random:.1}")]);
    }
    let note = "A partition is known to all and needs no split; a conditional needs one, and its groups lie everywhere. What the cost model \
                rewards is given by the first alone.";
    Ok(Derivation::of("32 x 32, four levels, all groups of a level at once", check)
        .numbers(numbers)
        .note(note))
}

/// The steps of so many statements in both branches, each branch with a barrier of its own, or one of all.
fn statements(mesh: &Machine, label: &dyn Fn(u32) -> bool, k: usize, is_grouped: bool) -> Result<u64> {
    let whole = Group::whole(mesh, "hilbert")?;
    let program = |_, rank: u32| {
        let barriers = std::iter::repeat_n(Operation::Barrier, k);
        if is_grouped {
            std::iter::once(split(label(rank))).chain(barriers).chain([Operation::Join]).collect()
        } else {
            barriers.collect()
        }
    };
    let (trace, _) = together::run(mesh, &[whole], Engine::Packet, program)?;
    Ok(trace.cycles.0)
}

/// A name, which branch each rank takes, and whether groups repay their split by k = 16.
type Branches<'b> = (&'b str, &'b dyn Fn(u32) -> bool, bool);

fn fork(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["branches", "k", "lock-step of all", "groups", "steps a statement"]);
    let mesh = Machine::new("mesh:16x16")?.in_packets();
    let mut draws = rng::stream(0, "fork");
    let random: Vec<bool> = (0..mesh.nodes()).map(|_| draws.random()).collect();
    let (half, quarter) = (mesh.nodes() / 2, mesh.nodes() / 4);
    let is_random = |rank: u32| random[rank as usize];
    let branches: [Branches<'_>; 3] = [
        ("contiguous halves", &|rank| rank < half, true),
        ("a contiguous quarter", &|rank| rank < quarter, false),
        ("random halves", &is_random, false),
    ];
    for (name, label, repays) in branches {
        for k in [1usize, 4, 16, 64] {
            let [all, groups] = [statements(&mesh, label, k, false)?, statements(&mesh, label, k, true)?];
            if k >= 16 {
                check
                    .case((groups < all) == repays, || format!("{name}, k = {k}: {groups}, lock-step {all}"));
            }
            numbers.row(&[&name, &k, &all, &groups, &format!("{:.1}", groups as f64 / k as f64)]);
        }
    }
    let note = "The tree of a whole square is low; those of three quarters of it, or of random nodes, are higher. Steps of synchronisation alone: what lock-step loses when branches take different times is not counted, and is what \
                groups are for.";
    Ok(Derivation::of("16 x 16, Hilbert order, k = 1 to 64", check).numbers(numbers).note(note))
}

/// Two random groups of each size of a mesh, and a node for the counter.
fn counters(mesh: &Machine) -> Result<Vec<(Group, NodeId)>> {
    let mut draws = rng::stream(0, "semaphore");
    let mut all = Vec::new();
    for size in [1usize, 2, 7, 40, mesh.nodes() as usize] {
        for _ in 0..2 {
            let nodes = together::drawn(mesh, size, &mut draws);
            all.push((Group::of(mesh, "hilbert", &nodes)?, NodeId(draws.random_range(0..mesh.nodes()))));
        }
    }
    Ok(all)
}

fn semaphore(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut draws = rng::stream(1, "semaphore");
    for name in ["mesh:1x50", "mesh:8x8", "mesh:16x12"] {
        let mesh = Machine::new(name)?.in_packets();
        for (group, counter) in counters(&mesh)? {
            let times: Vec<Cycles> = (0..group.size()).map(|_| Cycles(draws.random_range(0..60))).collect();
            for combines in [false, true] {
                for (network, engine) in NETWORKS {
                    let found = counter_barrier(&mesh, &group, counter, combines, engine, |rank| {
                        times[rank as usize]
                    })?;
                    let words = || {
                        format!("{name}, {} members, {network}: somebody left early, or never", group.size())
                    };
                    check.case(found.is_barrier, words);
                }
            }
        }
    }
    let note = "That it takes 10 cycles on the SB-PRAM is not looked at: its network is no mesh.";
    Ok(Derivation::of("three meshes, groups of 1 to all, random times, three networks", check).note(note))
}

/// A barrier of all nodes through a counter in the middle.
fn all_through(mesh: &Machine, side: u32, combines: bool) -> Result<CounterRun> {
    let whole = Group::whole(mesh, "row")?;
    let counter = NodeId(side / 2 * side + side / 2);
    counter_barrier(mesh, &whole, counter, combines, Engine::Packet, |_| Cycles(0))
}

fn semaphore_worst(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers =
        Numbers::new(&["n", "one by one", "over n^2", "combined", "over n", "over n^2", "the paper's tree"]);
    let mut before = 0.0;
    for side in [8u32, 16, 32, 64] {
        let mesh = Machine::mesh([side, side])?.in_packets();
        let (single, sums) = (all_through(&mesh, side, false)?.steps, all_through(&mesh, side, true)?.steps);
        let whole = Group::whole(&mesh, "hilbert")?;
        let (_, tree) = together::run(&mesh, &[whole], Engine::Packet, |_, _| vec![Operation::Barrier])?;
        let (n, squares) = (f64::from(side), f64::from(side * side));
        let ratio = sums as f64 / squares;
        printed.case(ratio >= before, || {
            format!("n = {side}: over n^2 it falls from {before:.3} to {ratio:.3}")
        });
        before = ratio;
        let (least, farthest) = (2 * u64::from(side * side - 1).div_ceil(4), u64::from(side / 2) * 2);
        corrected.case(single >= least, || format!("n = {side}: {single} steps one by one"));
        corrected.case(sums == 2 * farthest, || format!("n = {side}: {sums} combined"));
        corrected.case(sums < tree[0], || format!("n = {side}: {sums} combined, {} on the tree", tree[0]));
        numbers.row(&[
            &side,
            &single,
            &format!("{:.2}", single as f64 / squares),
            &sums,
            &format!("{:.2}", sums as f64 / n),
            &format!("{ratio:.3}"),
            &tree[0],
        ]);
    }
    let note = "Combining needs an adder and a memory of who asked in every router, those of other groups included, and one group is alone \
                here: what stands against it is hardware, not steps. Polling is left out; it makes the first column worse.";
    Ok(Derivation::of("n = 8 to 64, all nodes, the counter in the middle", printed)
        .corrected(corrected)
        .numbers(numbers)
        .note(note))
}
