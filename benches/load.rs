//! Divisible loads at three sizes: the thesis's answer for one source against its flow matrix, cells of many sources
//! against all distances, and the optimum with its flow against the general maximum flow and a linear programme.
//!
//! `cargo bench --bench load`

mod table;

use std::hint::black_box;

use meshwright_core::rng;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_load::installments::{self, InstallmentSettings, Scale};
use meshwright_load::optimum::{self, FlowPhase};
use meshwright_load::shares::{closed_form, voronoi};
use meshwright_load::{Forwarding, Problem, Source, Speeds, layers};
use meshwright_network::topology::{Machine, Topology};
use meshwright_papers::zhang2018::formulas::flow_matrix::FlowMatrix;
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, SolveOutcome, Variable};
use rand::RngExt;
use table::{Comparison, way};

fn main() {
    one_source();
    cells();
    random_sources();
    crowded();
    unlike();
    programme();
    messages();
}

fn mesh(side: u32) -> Machine {
    Machine::mesh([side, side]).expect("a mesh")
}

/// Different nodes, in a fixed order.
fn places(machine: &Machine, count: usize) -> Vec<NodeId> {
    let mut rng = rng::stream(1, "sources");
    let mut nodes = std::collections::BTreeSet::new();
    while nodes.len() < count {
        nodes.insert(NodeId(rng.random_range(0..machine.nodes())));
    }
    nodes.into_iter().collect()
}

fn problem(machine: &Machine, count: usize, sigma: f64) -> Problem<'_> {
    let sources = places(machine, count).into_iter().map(|node| Source::at(node, 1.0)).collect();
    Problem::new(machine, sources, sigma).expect("a problem")
}

/// The same problem said link by link, which the general method takes.
fn one_by_one<'m>(problem: &Problem<'m>) -> Problem<'m> {
    let machine = problem.machine();
    let work = vec![1.0; machine.nodes() as usize];
    let link = vec![problem.sigma(); machine.links() as usize];
    problem.clone().with_speeds(Speeds { work, link }).expect("speeds")
}

/// Layers, shares, speedup and the cut that admits no shorter time.
fn one_source() {
    let mut table =
        Comparison::new("One source in the middle: shares, speedup and certificate, sigma 0.1", "layer");
    for side in [100, 316, 1000] {
        let machine = mesh(side);
        let middle = NodeId(side / 2 * side + side / 2);
        let problem = Problem::new(&machine, vec![Source::at(middle, 1.0)], 0.1).expect("a problem");
        let answer = |shares: fn(&[u64]) -> Vec<f64>| {
            let counts = layers::counts(&machine, &[middle]);
            let shares = shares(&counts);
            black_box((1.0 / shares[0], optimum::makespan(&problem).expect("connected")));
            black_box(shares).len() as u64
        };
        let of_form = |counts: &[u64]| closed_form::fractions(counts, &0.1, Forwarding::CutThrough);
        let of_matrix = |counts: &[u64]| {
            let matrix = FlowMatrix::new(counts, Forwarding::CutThrough);
            matrix.solve_by_lu(0.1).expect("the flow matrix is regular")
        };
        let counts = layers::counts(&machine, &[middle]);
        let pairs = of_form(&counts).into_iter().zip(of_matrix(&counts));
        pairs.for_each(|(form, matrix)| assert!((form - matrix).abs() < 1e-12, "{form} and {matrix}"));
        let ways =
            vec![way("LU of the flow matrix", || answer(of_matrix)), way("closed form", || answer(of_form))];
        table.size(&format!("{side}x{side}"), counts.len() as u64, 5, ways);
    }
    table.print();
}

fn cells() {
    let mut table = Comparison::new("Cells of one source per 1000 nodes", "node");
    for side in [100, 316, 1000] {
        let machine = mesh(side);
        let sources = places(&machine, (side * side / 1000) as usize);
        let sites: Vec<Vec<NodeId>> = sources.iter().map(|&node| vec![node]).collect();
        let of_all = || {
            let nearest = |node| sources.iter().map(|&source| machine.distance(node, source)).min();
            black_box((0..machine.nodes()).map(|node| nearest(NodeId(node))).collect::<Vec<_>>()).len() as u64
        };
        let ways = vec![
            way("distance to every source", of_all),
            way("all sources at once", || black_box(voronoi::cells(&machine, &sites)).label.len() as u64),
        ];
        let rounds = if side == 1000 { 1 } else { 3 };
        table.size(&format!("{side}x{side}"), u64::from(side * side), rounds, ways);
    }
    table.print();
}

/// Both ways to an optimum with its flow, which must agree.
fn both_ways(table: &mut Comparison, side: u32, count: usize, sigma: f64, rounds: usize) {
    let machine = mesh(side);
    let alike = problem(&machine, count, sigma);
    let general = one_by_one(&alike);
    let solve = |problem: &Problem<'_>| optimum::solve(problem).expect("a mesh is connected");
    let (fast, slow) = (optimum::makespan(&alike), optimum::makespan(&general));
    let ratio = fast.expect("connected").0 / slow.expect("connected").0;
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
    let ways = vec![
        way("general maximum flow", || solve(&general).flow.link.len() as u64),
        way("Poisson flow", || solve(&alike).flow.link.len() as u64),
    ];
    let size = format!("{side}x{side}, {count} sources, sigma {sigma:.1e}");
    table.size(&size, u64::from(side * side), rounds, ways);
}

fn random_sources() {
    let mut table = Comparison::new("Optimum with its flow", "node");
    for side in [200, 500, 1000] {
        both_ways(&mut table, side, 100, 0.1, 3);
    }
    for count in [1, 10, 100] {
        // Links and processors are scarce at the same time.
        both_ways(&mut table, 1000, count, 4e-6 * count as f64, 1);
    }
    table.print();
}

fn crowded() {
    let mut table = Comparison::new("Optimum with its flow, sources close together", "node");
    for side in [128, 256, 512] {
        both_ways(&mut table, side, 1000, 0.1, 1);
        both_ways(&mut table, side, 1000, 4000.0 / f64::from(side * side), 1);
    }
    table.print();
}

/// Processors and links of which the slowest takes four times as long as the fastest.
fn unlike() {
    let mut table = Comparison::new("Optimum with its flow, 100 sources, all speeds different", "node");
    // First links are scarce, then both.
    for (side, link_time) in [(125, 0.05), (250, 0.05), (500, 0.05), (500, 0.0008)] {
        let machine = mesh(side);
        let mut rng = rng::stream(2, "speeds");
        let mut times = |count: u32, least: f64| {
            (0..count).map(|_| least * rng.random_range(1.0..4.0)).collect::<Vec<f64>>()
        };
        let speeds = Speeds { work: times(machine.nodes(), 0.5), link: times(machine.links(), link_time) };
        let problem = problem(&machine, 100, 0.1).with_speeds(speeds).expect("speeds");
        let solve = || optimum::solve(&problem).expect("a mesh is connected").flow.link.len() as u64;
        let ways = vec![way("general maximum flow", solve)];
        let size = format!("{side}x{side}, link times from {link_time:.1e}");
        table.size(&size, u64::from(side * side), 3, ways);
    }
    table.print();
}

/// The least makespan as a linear programme with a variable per link and per node.
fn by_programme(problem: &Problem<'_>) -> f64 {
    let machine = problem.machine();
    let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
    let makespan = programme.add_var(1.0, (0.0, f64::INFINITY));
    let mut left: Vec<LinearExpr> = vec![LinearExpr::empty(); machine.nodes() as usize];
    let limited = |programme: &mut microlp::Problem, time: f64| -> Variable {
        let share = programme.add_var(0.0, (0.0, f64::INFINITY));
        programme.add_constraint([(share, time), (makespan, -1.0)], ComparisonOp::Le, 0.0);
        share
    };
    for node in (0..machine.nodes()).map(NodeId) {
        left[node.index()].add(limited(&mut programme, problem.work(node)), 1.0);
    }
    for link in (0..machine.links()).map(LinkId) {
        if let Some(target) = machine.target(link) {
            let share = limited(&mut programme, problem.link_time(link));
            left[machine.source(link).index()].add(share, 1.0);
            left[target.index()].add(share, -1.0);
        }
    }
    let mut load = vec![0.0; left.len()];
    problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
    for (left, load) in left.into_iter().zip(load) {
        programme.add_constraint(left, ComparisonOp::Eq, load);
    }
    match programme.solve() {
        Ok(SolveOutcome::Solution(solution)) => solution.objective(),
        other => panic!("a mesh is connected, and nobody interrupts: {other:?}"),
    }
}

fn programme() {
    let mut table = Comparison::new("Optimum of four sources, sigma 0.3", "node");
    for side in [4, 6, 8] {
        let machine = mesh(side);
        let problem = problem(&machine, 4, 0.3);
        let (exact, _) = optimum::makespan(&problem).expect("a mesh is connected");
        let by_programme = || by_programme(&problem);
        assert!((by_programme() / exact - 1.0).abs() < 1e-7);
        let ways = vec![
            way("linear programme", || by_programme().to_bits()),
            way("cuts and flows", || optimum::solve(&problem).expect("connected").flow.link.len() as u64),
        ];
        table.size(&format!("{side}x{side}"), u64::from(side * side), 5, ways);
    }
    table.print();
}

/// The optimum's flow sent in messages, and the flows that are tried for a better schedule.
fn messages() {
    let mut table = Comparison::new("One source of a torus of 16x16 in messages, sigma 0.1", "message");
    let machine = Machine::new("torus:16x16").expect("a torus");
    let problem = problem(&machine, 1, 0.1);
    let scale = Scale::new(&problem, 1 << 20).expect("a load");
    let optimum = optimum::solve(&problem).expect("a torus is connected");
    let phases = [FlowPhase { from: 0.0, until: optimum.makespan, flow: optimum.flow.clone() }];
    for chunks in [1000, 3000, 9000] {
        let settings = InstallmentSettings { chunks };
        let ways = vec![
            way("the optimum's flow", || {
                installments::follow(&scale, &phases, &settings).map_or(0, |one| one.messages)
            }),
            way("the best of many flows", || {
                installments::plan(&scale, &optimum, &settings).expect("there are fewer links").messages
            }),
        ];
        table.size(&format!("{chunks} messages"), chunks, 3, ways);
    }
    table.print();
}
