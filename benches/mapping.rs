//! Placements at three sizes: closed forms against halving as its definition says, the metrics by
//! counting beginnings against the definition, everything `map` does for one placement, bounds and Pareto fronts.
//!
//! `cargo bench --bench mapping`

mod table;

use std::hint::black_box;

use meshwright_core::units::Bytes;
use meshwright_mapping as mapping;
use meshwright_mapping::{Divide, PLACEMENTS, Request, Shape, bound, divide, family, metrics, place};
use meshwright_network::routing::{Pair, Routes, routes, shortest_path};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::LinkLoads;
use meshwright_verdict::{Job, map};
use table::{Comparison, way};

fn main() {
    placements();
    interference();
    whole_answer();
    certificates();
    fronts();
}

fn mesh(n: u32) -> Machine {
    Machine::mesh([1u32 << (n / 2), 1u32 << n.div_ceil(2)]).expect("a mesh")
}

/// Centred halving as its definition says it: cut every interval in two, phase by phase.
fn bisect(n: u32) -> u64 {
    let (rows, columns) = (1u32 << (n / 2), 1u32 << n.div_ceil(2));
    let mut nodes = vec![0u32; 1 << n];
    // Owner, length and direction along each axis; direction 0 before the first cut.
    let mut stack = vec![([(rows / 2, rows, 0i64), (columns / 2, columns, 0)], 1u32, (1u32 << n) - 1)];
    while let Some((axes, phase, label)) = stack.pop() {
        if phase > n {
            nodes[label as usize] = axes[0].0 * columns + axes[1].0;
            continue;
        }
        let axis = match phase {
            1 => 0,
            2 => 1,
            _ => usize::from(axes[1].1 >= axes[0].1),
        };
        let (owner, length, outwards) = axes[axis];
        let half = length / 2;
        let (mut keep, mut send) = (axes, axes);
        if outwards == 0 {
            (keep[axis], send[axis]) = ((owner, half, 1), (owner - 1, half, -1));
        } else {
            keep[axis] = (owner, half, outwards);
            send[axis] = ((i64::from(owner) + outwards * i64::from(half)) as u32, half, outwards);
        }
        stack.push((keep, phase + 1, label));
        stack.push((send, phase + 1, label - (1 << (n - phase))));
    }
    black_box(nodes).len() as u64
}

fn placements() {
    let mut table = Comparison::new("Placing B(n), one task per node", "task");
    for n in [12, 16, 20] {
        let mesh = mesh(n);
        let request = Request::count(1 << n, &mesh, 0);
        let mut ways = vec![way("halving by definition", move || bisect(n))];
        for method in PLACEMENTS {
            let name = method.name;
            ways.push(way(name, move || {
                black_box(place(name, &request).expect("it fits").nodes).len() as u64
            }));
        }
        table.size(&format!("B({n})"), 1 << n, 9, ways);
    }
    table.print();
}

fn interference() {
    let mut table = Comparison::new("Interference sets of a random permutation", "message");
    for n in [8, 10, 12] {
        let mesh = mesh(n);
        let placement = place("random", &Request::count(1 << n, &mesh, 0)).expect("it fits");
        let messages: Vec<Message> = (0..1u32 << n)
            .map(|i| Message {
                source: meshwright_core::units::NodeId(i),
                target: placement.nodes[i as usize],
                bytes: Bytes(64),
                phase: 1,
            })
            .collect();
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let computed = routes(&mesh, &pairs).expect("a mesh is connected");
        let stored = shortest_path::routes(&mesh, &pairs).expect("a mesh is connected");
        let mut loads = LinkLoads::new(mesh.links());
        loads.fill(&messages, &computed);
        let most = |routes: &Routes<'_>| {
            metrics::meetings(&messages, routes, &loads)
                .iter()
                .map(|(count, _)| u64::from(*count))
                .max()
                .unwrap_or(0)
        };
        assert_eq!(most(&stored), most(&computed));
        table.size(
            &format!("{} messages", 1 << n),
            1 << n,
            5,
            vec![way("by definition", || most(&stored)), way("by beginnings", || most(&computed))],
        );
    }
    table.print();
}

fn whole_answer() {
    let mut table = Comparison::new(
        "`map`: place, measure, bound and simulate both switchings (centred halving)",
        "task",
    );
    for n in [12, 16, 20] {
        let mesh = mesh(n);
        let binomial = Divide {
            shape: Shape::Binomial(n),
            alpha: Some(0.5),
            combine_alpha: None,
            volume: Bytes(1 << 20),
        };
        let job = Job::divide(&binomial).expect("a valid job");
        let ways = vec![
            way("the task graph alone", || {
                mapping::divide::task_graph(&binomial).expect("a valid job").edges().len() as u64
            }),
            way("everything", || {
                map::report(&job, &mesh, &["centred-halving"], 0, &mut |_| {}).expect("it fits").placements[0]
                    .hops_total
            }),
        ];
        table.size(&format!("B({n})"), 1 << n, if n > 18 { 3 } else { 5 }, ways);
    }
    table.print();
}

/// The bound under store-and-forward: sums of prefixes alone, and the search of all profiles.
fn certificates() {
    let mut table = Comparison::new("Store-and-forward bound of B(n), alpha = 0.9", "phase");
    for n in [10, 14, 18] {
        let mesh = mesh(n);
        let weights: Vec<f64> = (1..=n).map(|i| divide::weight(0.9, i)).collect();
        let (prefix, profile) = (weights.clone(), weights);
        let ways = vec![
            way("sums of prefixes", || {
                let sums = bound::prefix(&mesh, n);
                black_box(bound::weighted(&sums, &prefix));
                u64::from(n)
            }),
            way("subset-sum profile", || {
                black_box(bound::store_and_forward(&mesh, n, &profile));
                u64::from(n)
            }),
        ];
        table.size(&format!("B({n})"), u64::from(n), 5, ways);
    }
    table.print();
}

/// The Pareto front of the family between growing and centred halving, and the prices of its members one by one.
fn fronts() {
    let mut table = Comparison::new("Pareto front of the permutation family, alpha = 1/2", "member");
    for n in [8u32, 12, 16] {
        let exponents = [n / 2, n / 2];
        let weights: Vec<f64> = (1..=n).map(|i| divide::weight(0.5, i)).collect();
        let members = family::front(&exponents, 0.5);
        let count = members.len() as u64;
        let ways = vec![
            way("prices of its members", || {
                members.iter().for_each(|member| {
                    black_box(family::slowdowns(&member.steps, &weights));
                });
                count
            }),
            way("the front", || family::front(&exponents, 0.5).len() as u64),
        ];
        table.size(&format!("B({n})"), count, 5, ways);
    }
    table.print();
}
