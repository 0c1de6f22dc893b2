//! One text on three machines: programs of teams on the simulator under several splits, on threads as groups, and on threads as
//! members event by event, each against a sequential computation.

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_demos::teams::{integration, kd_tree, multigrid};
use meshwright_groups::contraction::Contraction;
use meshwright_groups::mask::Mask;
use meshwright_groups::nested::{Run, Team};
use meshwright_groups::protocol::{Member, Scheme, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_groups::{Group, monotone_nearest, trees};
use meshwright_network::topology::{Machine, Topology};
use meshwright_runtime::groups as live;
use meshwright_runtime::transport::{Mailbox, threads};
use meshwright_sim as sim;
use rand::RngExt;

fn simulated<'p, T: Clone + 'p>(
    scheme: &impl Scheme,
    machine: &Machine,
    body: &'p (impl AsyncFn(&mut Team) -> T + 'p),
) -> Vec<T> {
    let group = Group::of(machine, "row", &machine.living().collect::<Vec<_>>()).expect("a group");
    let programs = group.members().iter().map(|_| Run::of(async move |team: &mut Team| body(team).await));
    let mut all = members(scheme, machine, &group, programs.collect()).expect("members");
    let trace = sim::run(machine, &mut all, &sim::Engine::Packet).expect("it runs");
    assert!(trace.unfinished.is_empty(), "every node comes to its end");
    group.members().iter().map(|node| all[node.index()].program().result().expect("an end").clone()).collect()
}

/// What every way of running it gives, by rank: all are the same.
fn everywhere<T: Clone + PartialEq + Send + std::fmt::Debug>(
    machine: &str,
    body: impl AsyncFn(&mut Team) -> T + Sync,
) -> Vec<T> {
    let machine = Machine::new(machine).expect("a machine").in_packets();
    let mask = Mask::new(&machine, monotone_nearest::tree).knowing(2, 1);
    let all = simulated(&RankSplit::default(), &machine, &body);
    assert_eq!(simulated(&RankSplit::short(), &machine, &body), all);
    assert_eq!(simulated(&Contraction::new(&machine).expect("a mesh"), &machine, &body), all);
    assert_eq!(simulated(&mask, &machine, &body), all);
    let tree = trees::tree("ecrb2").expect("a tree");
    let as_groups = threads::run(machine.nodes(), |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let mut world = live::Group::world(&mut mail, &machine, tree).expect("a rank for each node");
        let mut run = Run::of(async |team: &mut Team| body(team).await);
        live::drive(&mut world, &mut run)?;
        Ok(run.into_result().expect("an end"))
    });
    assert_eq!(as_groups.expect("nobody is lost"), all);
    let paper = RankSplit::default();
    let as_members = threads::run(machine.nodes(), |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let run = Run::of(async |team: &mut Team| body(team).await);
        let mut member = Member::new(&paper, Some(live::members::seat(&mail)), run);
        live::members::run(&mut member, &mut mail, 0)?;
        Ok(member.program().result().expect("an end").clone())
    });
    assert_eq!(as_members.expect("nobody is lost"), all);
    all
}

#[test]
fn values_of_any_type_are_reduced_scanned_gathered_and_sent() {
    for machine in ["mesh:1x1", "mesh:1x2", "mesh:3x4"] {
        let found = everywhere(machine, async |team: &mut Team| {
            let (rank, size) = (team.rank(), team.size());
            team.introduce().await;
            for to in 0..size {
                team.send(to, &(rank, vec![format!("{rank} to {to}")])).await;
                team.send(to, &f64::from(rank)).await;
            }
            let mut heard = Vec::new();
            for from in (0..size).rev() {
                heard.push(team.receive::<(u32, Vec<String>)>(from).await);
                assert_eq!(team.receive::<f64>(from).await, f64::from(from));
            }
            let own = (rank, vec![u64::from(rank); 2]);
            let put = |a: (u32, Vec<u64>), b: (u32, Vec<u64>)| {
                (a.0.max(b.0), a.1.iter().zip(&b.1).map(|(a, b)| a + b).collect())
            };
            let all = team.all_reduce_with(own.clone(), put).await;
            let reduced = team.reduce_with(own.clone(), put).await.is_none_or(|root| root == all);
            let up_to_here = team.scan_with(format!("{rank};"), |a, b| a + &b).await;
            let gathered = team.gather_values(own).await.map(|all| all.len() as u32);
            let named = team.broadcast_value(size - 1, Some(format!("of {rank}"))).await;
            let kept = team.recall::<u32>().await;
            team.keep(&rank).await;
            (heard, all, reduced, up_to_here, gathered.is_none_or(|all| all == size), named, kept)
        });
        let size = found.len() as u32;
        for (rank, (heard, all, reduced, up_to_here, gathered, named, kept)) in (0..).zip(found) {
            let expected: Vec<_> =
                (0..size).rev().map(|from| (from, vec![format!("{from} to {rank}")])).collect();
            assert_eq!(heard, expected);
            let sum = u64::from(size * (size - 1) / 2);
            assert_eq!(all, (size - 1, vec![sum, sum]));
            assert!(reduced && gathered && kept.is_none());
            assert_eq!(up_to_here, (0..=rank).map(|one: u32| format!("{one};")).collect::<String>());
            assert_eq!(named, Some(format!("of {}", size - 1)));
        }
    }
}

#[test]
fn a_k_d_tree_is_that_of_one_processor() {
    for machine in ["mesh:1x2", "mesh:3x3", "mesh:4x4"] {
        let nodes = Machine::new(machine).unwrap().nodes();
        let mut random = rng::stream(7, "points");
        // Some coordinates are equal.
        let points: Vec<kd_tree::Point> =
            (0..nodes).map(|_| [0, 1].map(|_| f64::from(random.random_range(0..nodes / 2 + 1)))).collect();
        let found = everywhere(machine, async |team: &mut Team| {
            let rank = team.rank() as usize;
            kd_tree::leaf(team, points[rank]).await
        });
        assert_eq!(found, kd_tree::leaves(&points));
        let mut ways: Vec<_> = found.iter().map(|leaf| (leaf.depth, leaf.path)).collect();
        ways.sort_unstable();
        ways.dedup();
        assert_eq!(ways.len(), points.len(), "every point has a leaf of its own");
    }
}

#[test]
fn integrals_are_those_of_one_processor_and_teams_join_for_each_interval() {
    let peak: integration::Function = |x| 1.0 / ((x - 0.3) * (x - 0.3) + 1e-4);
    let bounds = [0.0, 0.25, 0.5, 1.0];
    let exact = 100.0 * ((70.0_f64).atan() + (30.0_f64).atan());
    for machine in ["mesh:1x1", "mesh:2x3", "mesh:4x4"] {
        let found = everywhere(machine, async |team: &mut Team| {
            let all = integration::integral(team, peak, &bounds, 1e-7).await;
            let is_one = team.all_reduce_with(1_u32, |a, b| a + b).await == team.size();
            (all.value.to_bits(), all.splits, is_one)
        });
        let alone: f64 = bounds.windows(2).map(|ends| integration::alone(peak, ends[0], ends[1], 1e-7)).sum();
        assert!((alone - exact).abs() < 1e-5, "{alone} {exact}");
        for &(bits, splits, is_one) in &found {
            assert!((f64::from_bits(bits) - alone).abs() < 1e-9 * exact, "{} {alone}", f64::from_bits(bits));
            assert!(is_one && bits == found[0].0);
            assert_eq!(splits > 0, found.len() > 1);
        }
    }
}

#[test]
fn multigrid_on_teams_that_shrink_is_that_of_one_processor_to_the_bit() {
    for (machine, points) in [("mesh:1x1", 16), ("mesh:2x2", 4), ("mesh:2x4", 1), ("mesh:4x4", 4)] {
        let members = Machine::new(machine).unwrap().nodes() as usize;
        let all = members * points;
        let f: Vec<f64> = (0..all).map(|at| (at as f64 / all as f64 * 5.0).sin() + 0.5).collect();
        let found = everywhere(machine, async |team: &mut Team| {
            let rank = team.rank() as usize;
            let own = &f[rank * points..(rank + 1) * points];
            let mut u = vec![0.0; points];
            for _ in 0..4 {
                u = multigrid::v_cycle(team, u, own, 1.0 / all as f64).await;
            }
            u
        });
        let found = found.concat();
        let bits = |all: &[f64]| all.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&multigrid::alone(&f, 4)));
        let (before, after) =
            (multigrid::largest_residual(&vec![0.0; all], &f), multigrid::largest_residual(&found, &f));
        assert!(after < before / 100.0, "{before} {after}");
    }
}

#[test]
fn nodes_that_are_not_there_take_no_part() {
    let holes = Machine::new("mesh:3x3").unwrap().in_packets().with_dead(vec![NodeId(4)]).unwrap();
    let body = async |team: &mut Team| {
        team.scan_with(vec![team.rank()], |mut a, b| {
            a.extend(b);
            a
        })
        .await
    };
    let found = simulated(&RankSplit::short(), &holes, &body);
    assert_eq!(found[7], (0..8).collect::<Vec<u32>>());
}
