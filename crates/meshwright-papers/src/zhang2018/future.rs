//! Section 7.2: what the thesis leaves to future work, and what of it is here.

use super::cells::{random, run};
use super::{NOT_BUILT, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::installments::{self, ListSettings, Scale};
use meshwright_load::lp::{self, Variant};
use meshwright_load::shares::earth_mover;
use meshwright_load::shares::schedulers::Reduction;
use meshwright_load::{Problem, Source, Speeds, joint, optimum, queues as arrivals};
use meshwright_network::topology::{Machine, Topology};

/// The five items of section 7.2; the fourth in two parts.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "future-hypercube",
        source: "section 7.2, first item",
        statement: "several sources on the hypercube",
        definition: "RMDVDA on cubes of 4 to 8 dimensions, 4 random sources, ten rounds each: makespan before and after",
        printed: "the same algorithm keeps its makespan there; its cells need hops and nothing else",
        fails_if: "the reduction makes some round slower, or a node belongs to no cell before it",
        derive: hypercubes,
        ..REMARK
    },
    Claim {
        id: "future-queues",
        source: "section 7.2, second item",
        statement: "dynamic queues of workloads",
        definition: "`split --queues`: the rates of arrival that can be worked off; `split --dynamic` simulates policies for Poisson streams",
        printed: "a suboptimal algorithm for dynamic workload queues",
        fails_if: "a stream is stable at 1.01 times the optimum's speedup, or is not at 0.99 times it",
        derive: queues,
        ..REMARK
    },
    Claim {
        id: "future-positions",
        source: "section 7.2, third item",
        statement: "where to inject given fractions of load",
        definition: "`split --place K`: the best places of equal parts, nearest to the load by the earth mover's distance; every pair on mesh:4x4",
        printed: "positions that minimize a cost related to the earth mover's distance",
        fails_if: "some pair has a smaller makespan, or the same one nearer to the load",
        derive: positions,
        ..REMARK
    },
    Claim {
        id: "future-gaussian",
        source: "section 7.2, fourth item",
        statement: "other topologies: Gaussian networks",
        definition: "the parametric minimum cut on gaussian:2+3i, 3+4i and 4+5i from every node, sigma from 0.05 to 2",
        printed: "one source has min(N, 1 + 4 / sigma) everywhere",
        fails_if: "some node, sigma and network has another optimum",
        derive: gaussian,
        ..REMARK
    },
    Claim {
        id: "future-unlike",
        source: "section 7.2, fourth item",
        statement: "heterogeneous networks",
        definition: "every method of Zhang 2018 on processors of unlike speeds: refused; the optimum alone knows them",
        printed: "the flow matrix and its algorithms on heterogeneous networks",
        fails_if: "a method of Zhang 2018 accepts unlike processors",
        derive: unlike,
        ..NOT_BUILT
    },
    Claim {
        id: "future-front-end",
        source: "section 7.2, last item",
        statement: "front-end processors with a buffer of finite size",
        definition: "`split --memory`: schedules of messages that have room; on mesh:3x3 with room for 1/5 to 1/80 of the load",
        printed: "other constraints, for example a front end with a finite buffer",
        fails_if: "for some room no schedule is found, or it is faster than the optimum without that limit",
        derive: buffers,
        ..REMARK
    },
];

fn hypercubes(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for dimension in 4..=8 {
        let machine = Machine::hypercube(dimension)?;
        for round in 0..10 {
            let problem = Problem::new(&machine, random(&machine, 4, round), 0.05)?;
            let before = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?.plan;
            let after = run("reduced", &problem, CutThrough, Reduction::Peel, true)?.plan;
            let whole = before.nodes_used() == machine.nodes() as usize;
            check.case(whole && after.makespan <= before.makespan * (1.0 + 1e-12), || {
                format!(
                    "{dimension}-cube, round {round}: {:.4} becomes {:.4}",
                    before.makespan, after.makespan
                )
            });
        }
    }
    Ok(Derivation::of("cubes of 4 to 8 dimensions, ten rounds, sigma = 0.05", check))
}

fn queues(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (name, sigma) in [("mesh:3x4", 0.1), ("mesh:4x4", 0.5), ("torus:3x4", 0.3), ("hypercube:4", 1.0)] {
        let machine = Machine::new(name)?;
        let problem = Problem::new(&machine, random(&machine, 3, 1), sigma)?;
        let rate = 1.0 / optimum::makespan(&problem)?.0;
        for (times, stable) in [(0.99, true), (1.01, false)] {
            let found = arrivals::stability(&problem, times * rate)?;
            // The set that has too much is a witness of its own.
            let fits = found.tightest.demand <= found.tightest.capacity;
            let found = found.stable;
            check.case(found == stable && fits == stable, || {
                format!("{name}, sigma = {sigma}: at {times} of {rate:.4} stable is {found}")
            });
        }
    }
    Ok(Derivation::of("four machines, three random sources", check))
}

fn positions(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let machine = Machine::new("mesh:4x4")?;
    for (at, sigma) in [(0, 0.2), (0, 1.0), (5, 1.0)] {
        let problem = Problem::new(&machine, vec![Source::at(NodeId(at), 1.0)], sigma)?;
        let found = joint::place(&problem, 2, 1000)?;
        for (one, other) in (0..16).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let nodes = [NodeId(other), NodeId(one)];
            let pair = Problem::new(&machine, nodes.map(|node| Source::at(node, 0.5)).to_vec(), sigma)?;
            let time = optimum::makespan(&pair)?.0;
            let is_nearer =
                || Ok::<bool, Error>(earth_mover::distance(&problem, &nodes)? < found.moving.distance - 1e-9);
            let is_better = time < found.makespan * (1.0 - 1e-9)
                || (time <= found.makespan * (1.0 + 1e-9) && is_nearer()?);
            check.case(!is_better, || {
                format!("load at {at}, sigma = {sigma}: {nodes:?} are better than {:?}", found.places)
            });
        }
    }
    Ok(Derivation::of("every pair of nodes of mesh:4x4, three loads", check))
}

fn buffers(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let sigma = 0.1;
    let (costs, bytes) = Scale::costs_of(sigma, 0.0)?;
    let machine = Machine::new("mesh:3x3")?.with_costs(costs)?;
    let problem = Problem::new(&machine, vec![Source::at(NodeId(4), 1.0)], sigma)?;
    let scale = Scale::new(&problem, bytes)?;
    let best = lp::solve(&problem, &Variant::default())?;
    for room in [5.0, 20.0, 80.0] {
        let variant = Variant { memory: Some(1.0 / room), ..Variant::default() };
        let found =
            installments::limited(&scale, &variant, &[&best], best.makespan, &ListSettings::default())?;
        let makespan = found[0].makespan;
        check.case(makespan >= best.makespan * (1.0 - 1e-6), || {
            format!("room for 1/{room}: {makespan} beats {}", best.makespan)
        });
    }
    Ok(Derivation::of("three sizes of memory on mesh:3x3, sigma = 0.1", check))
}

fn gaussian(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for name in ["gaussian:2+3i", "gaussian:3+4i", "gaussian:4+5i"] {
        let machine = Machine::new(name)?;
        for node in 0..machine.nodes() {
            for sigma in [0.05, 0.1, 0.3, 0.5, 1.0, 2.0] {
                let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], sigma)?;
                let (makespan, _) = optimum::makespan(&problem)?;
                let best = f64::from(machine.nodes()).min(1.0 + 4.0 / sigma);
                check.case((1.0 / makespan - best).abs() <= 1e-9 * best, || {
                    format!("{name}, node {node}, sigma = {sigma}: {:.6}, not {best:.6}", 1.0 / makespan)
                });
            }
        }
    }
    Ok(Derivation::of("every node of three networks, six values of sigma", check))
}

fn unlike(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let machine = Machine::new("mesh:3x3")?;
    let work = (0..9).map(|node| 1.0 + f64::from(node % 2)).collect();
    let speeds = Speeds { work, link: vec![0.1; machine.links() as usize] };
    let sources = vec![Source::at(NodeId(0), 1.0), Source::at(NodeId(8), 1.0)];
    let problem = Problem::new(&machine, sources, 0.1)?.with_speeds(speeds)?;
    for name in ["voronoi", "reduced", "accelerated"] {
        let refused = run(name, &problem, CutThrough, Reduction::Peel, true).is_err();
        check.case(refused, || format!("{name} accepts unlike processors"));
    }
    Ok(Derivation::of("three schedulers refuse them on the 3x3 mesh", check))
}
