//! Section 7.2: what the thesis leaves to future work, and what of it is here.

use super::cells::{random, run};
use super::{NOT_BUILT, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::shares::schedulers::Reduction;
use meshwright_load::{Problem, Source, Speeds, optimum};
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
        definition: "nothing but stability: `split --queues` says which rates of arrival can be worked off",
        printed: "a suboptimal algorithm for dynamic workload queues",
        fails_if: "`split` knows a policy of service, a length of queue or a time of response",
        derive: |_| Ok(Derivation::of("no queue is simulated", Check::default())),
        ..NOT_BUILT
    },
    Claim {
        id: "future-positions",
        source: "section 7.2, third item",
        statement: "where to inject given fractions of load",
        definition: "nothing but the best place of one source more; no joint placement, no cost of moving load",
        printed: "positions that minimize a cost related to the earth mover's distance",
        fails_if: "`split` places several sources together, or weighs what it costs to move load to them",
        derive: |_| Ok(Derivation::of("sources are given, but for one", Check::default())),
        ..NOT_BUILT
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
        definition: "`--no-front-end` changes bounds and some methods; buffers are reported, not limited",
        printed: "other constraints, for example a front end with a finite buffer",
        fails_if: "`split` takes the size of a buffer",
        derive: |_| Ok(Derivation::of("no option limits a buffer", Check::default())),
        ..NOT_BUILT
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
