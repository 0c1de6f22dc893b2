//! Logical meshes: what runs along their axes, the placement `axes` against its whole family, and device orders.

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_formats::scenario::{self, Work};
use meshwright_hosts::launcher::{self, Hosts, Launch, Ranks};
use meshwright_mapping::logical::{self, AxisUse, Logical, LogicalMesh, OPERATIONS, operation};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Placement, Request, TaskGraph, bound, task_file};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Topology, order};
use meshwright_schedule::cost;
use meshwright_sim::fitting;
use meshwright_verdict::{Job, map, mapping};
use serde_json::Value;

fn graph(mesh: &str, axes: &[(&str, &str, u64)]) -> TaskGraph {
    let uses: Vec<AxisUse<'_>> = axes
        .iter()
        .map(|&(axis, name, bytes)| AxisUse {
            axis,
            operation: operation::named(name).unwrap(),
            bytes: Bytes(bytes),
        })
        .collect();
    logical::task_graph(&LogicalMesh::parse(mesh).unwrap(), &uses).unwrap()
}

/// The costs of the case: start-up 1000, a cycle for 50 bytes, 20 cycles per hop.
fn case_machine(name: &str) -> Machine {
    let machine = Machine::new(name).unwrap().with_startup(Cycles(1000)).unwrap();
    machine.with_byte_time(Ratio::new(1, 50).unwrap()).unwrap().with_flit(Bytes(1000)).unwrap()
}

fn simulated(tasks: &TaskGraph, machine: &Machine, nodes: Vec<NodeId>) -> u64 {
    let placement = Placement { name: String::new(), nodes };
    let trace = fitting::simulate(machine, &placement.phases(tasks, machine), 1 << 21).unwrap().trace;
    if trace.deadlock.is_some() { u64::MAX } else { trace.ticks }
}

/// A job of rings along rows of 8 and columns of 16, as a file has it.
fn case_file() -> TaskGraph {
    let mut text = "phase,source,target,bytes\n".to_string();
    for task in 0..128 {
        let (row, column) = (task / 8, task % 8);
        text += &format!("1,{task},{},1000000\n", 8 * row + (column + 1) % 8);
        text += &format!("2,{task},{},250000\n", 8 * ((row + 1) % 16) + column);
    }
    task_file::parse(text.as_bytes(), "maxtext-16x8.phases.csv").unwrap()
}

/// Device order: rings of 8 with a megabyte, then rings of 16 with a quarter, on 8 x 16 nodes. A swap of the axes takes 27,440
/// cycles, 1.48 % above the bound; folded, 27,080.
#[test]
fn the_16x8_job_is_proved_within_two_per_cent() {
    let machine = case_machine("mesh:8x16");
    let named = graph("data=16,model=8", &[("model", "shift", 1_000_000), ("data", "shift", 250_000)]);
    assert_eq!(named.phase(0).len(), case_file().phase(0).len());
    for (job, method) in [(&named, "axes"), (&named, "auto"), (&case_file(), "axes"), (&case_file(), "auto")]
    {
        let job = Job::trace(job.clone());
        let verdict = mapping::judge("job", &job, &machine, &[method], 0, &mut |_| {}).unwrap();
        let winner = verdict.winner().unwrap();
        assert_eq!((winner.method, winner.outcome.bound_cycles), ("axes", 27_040));
        assert_eq!(winner.time.0, 27_080, "{method}");
        assert!(winner.outcome.gap().unwrap() <= 0.0015);
        assert!(verdict.reason.contains("=dim1"), "{}", verdict.reason);
    }
}

/// The whole family written out once more: every share of two dimensions, nesting, walk and reflection of two axes.
fn every_member(sizes: [u32; 2], sides: [u32; 2], mut call: impl FnMut(Vec<NodeId>)) {
    for a in (1..=sides[0]).filter(|a| sizes[0].is_multiple_of(*a) && sides[0].is_multiple_of(*a)) {
        let shapes = [[a, sizes[0] / a], [sides[0] / a, sides[1] / (sizes[0] / a)]];
        if shapes[1][0] * shapes[1][1] != sizes[1] || shapes[0][1] * shapes[1][1] != sides[1] {
            continue;
        }
        for nesting in 0..4 {
            let inner = [nesting % 2, nesting / 2];
            let apart = |axis: usize, dim: usize| if inner[dim] == axis { 1 } else { shapes[1 - axis][dim] };
            let walks = [0, 1].map(|axis| walks(shapes[axis]));
            for (one, two) in walks[0].iter().flat_map(|one| walks[1].iter().map(move |two| (one, two))) {
                let node = |at: [(u32, u32); 2]| {
                    let along = |dim: usize| -> u32 {
                        let place = |axis: usize| if dim == 0 { at[axis].0 } else { at[axis].1 };
                        place(0) * apart(0, dim) + place(1) * apart(1, dim)
                    };
                    NodeId(along(0) * sides[1] + along(1))
                };
                let all = one.iter().flat_map(|&x| two.iter().map(move |&y| node([x, y])));
                call(all.collect());
            }
        }
    }
}

/// All walks over a box: straight, back and forth, folded, closed, Hilbert; each way round.
fn walks(shape: [u32; 2]) -> Vec<Vec<(u32, u32)>> {
    let mut walks: Vec<Vec<(u32, u32)>> = Vec::new();
    for turned in [false, true] {
        let [rows, columns] = if turned { [shape[1], shape[0]] } else { shape };
        let back = |(row, column): (u32, u32)| if turned { (column, row) } else { (row, column) };
        let mut own: Vec<Vec<(u32, u32)>> = ["row", "snake", "hilbert"]
            .iter()
            .map(|name| {
                let walk = (order::order(name).unwrap().walk)(&[rows, columns]);
                walk.iter().map(|node| (node.0 / columns, node.0 % columns)).collect()
            })
            .collect();
        let snake = own[1].clone();
        let (out, mut home): (Vec<_>, Vec<_>) = snake.iter().enumerate().partition(|(at, _)| at % 2 == 0);
        home.reverse();
        own.push(out.into_iter().chain(home).map(|(_, &cell)| cell).collect());
        if rows % 2 == 0 && columns > 1 {
            let mut cycle = Vec::new();
            for row in 0..rows {
                let line = 1..columns;
                if row % 2 == 0 {
                    cycle.extend(line.map(|c| (row, c)));
                } else {
                    cycle.extend(line.rev().map(|c| (row, c)));
                }
            }
            cycle.extend((0..rows).rev().map(|row| (row, 0)));
            own.push(cycle);
        }
        for walk in own {
            for walk in [walk.clone(), walk.into_iter().rev().collect()] {
                let walk: Vec<_> = walk.into_iter().map(back).collect();
                if !walks.contains(&walk) {
                    walks.push(walk);
                }
            }
        }
    }
    walks
}

/// Against all members simulated: no more than 2 % above the best of them, whatever runs along the axes.
#[test]
fn axes_is_within_two_per_cent_of_its_whole_family() {
    let uses: &[&[(&str, &str, u64)]] = &[
        &[("0", "all-reduce", 4000), ("1", "all-gather", 900)],
        &[("1", "all-to-all", 5000), ("0", "exchange", 700)],
        &[("0", "all-reduce-two-way", 3000), ("1", "broadcast", 400), ("1", "shift", 2500)],
    ];
    for (sizes, machine) in [
        ([4, 2], "mesh:2x4"),
        ([8, 2], "mesh:4x4"),
        ([4, 4], "torus:4x4"),
        ([3, 6], "mesh:2x9"),
        ([6, 4], "torus:4x6"),
    ] {
        for (index, &uses) in uses.iter().enumerate() {
            let switching = SWITCHINGS[index % SWITCHINGS.len()].1;
            let machine = Machine::new(machine).unwrap().with_switching(switching);
            let tasks = graph(&format!("{}x{}", sizes[0], sizes[1]), uses);
            let sides = [machine.sides()[0], machine.sides()[1]];
            let (mut best, mut members) = (u64::MAX, 0);
            every_member(sizes, sides, |nodes| {
                best = best.min(simulated(&tasks, &machine, nodes));
                members += 1;
            });
            assert!(members >= 4, "{sizes:?} on {}", machine.name());
            let report =
                map::report(&Job::trace(tasks.clone()), &machine, &["axes"], 0, &mut |_| {}).unwrap();
            let row = &report.placements[0];
            let found = simulated(&tasks, &machine, row.nodes().to_vec());
            let words = row.axes.as_deref().unwrap();
            assert!(
                found as f64 <= 1.02 * best as f64,
                "{sizes:?} on {} under {switching:?}, {uses:?}: {found} by {words}, {best} by another of {members}",
                machine.name()
            );
        }
    }
}

/// The price of one line is the forecast of all of them on the whole machine, where lines lie side by side, too.
#[test]
fn the_price_of_a_member_is_its_forecast() {
    for (mesh, machine) in [
        ("16x8", "mesh:8x16"),
        ("4x4x4", "torus:8x8"),
        ("8x4", "hypercube:5"),
        ("4x6x2", "mesh:4x3x4"),
        ("5x4", "torus:4x5"),
    ] {
        let uses = [("0", "all-reduce", 5000), ("1", "exchange", 800), ("0", "all-to-all", 3000)];
        let tasks = graph(mesh, &uses);
        for (_, switching, ..) in SWITCHINGS.iter().copied() {
            let machine = Machine::new(machine).unwrap().with_switching(switching);
            let members = logical::members(&Request::of(&tasks, &machine, 0), 6).unwrap();
            assert!(members.is_sorted_by_key(|member| member.ticks));
            for member in members {
                let placement = Placement { name: member.words.clone(), nodes: member.nodes };
                let ticks = cost::forecast(&placement.phases(&tasks, &machine), &machine).unwrap().ticks;
                let near = member.ticks.abs_diff(ticks) as f64 <= 0.01 * ticks as f64;
                assert!(
                    near,
                    "{mesh} on {}: {} against {ticks}, {}",
                    machine.name(),
                    member.ticks,
                    member.words
                );
                let mut seen = placement.nodes;
                seen.sort_unstable();
                assert!(seen.windows(2).all(|two| two[0] < two[1]), "one task on a node");
            }
        }
    }
}

/// A graph of a logical mesh is found to be one again, with all its lines; another is not.
#[test]
fn logical_meshes_are_found_in_graphs() {
    for operation in OPERATIONS {
        let uses = [("1", operation.name, 64), ("0", "shift", 8)];
        let tasks = graph("3x4x2", &uses);
        let mut unnamed = tasks.clone();
        unnamed.logical = None;
        let found = Logical::detect(&unnamed);
        // A broadcast reaches half of its line in its first step: with all steps it is a line of four.
        let found = found.unwrap_or_else(|| panic!("{} is found", operation.name));
        assert_eq!(found.mesh.sizes(), [3, 4, 2], "{}", operation.name);
        assert_eq!(found.phases, tasks.logical.unwrap().phases, "{}", operation.name);
    }
    let edge = |source, target| (1, Edge { source, target, bytes: Bytes(8) });
    let uneven = TaskGraph::new("uneven", 6, vec![edge(0, 1), edge(2, 3)]).unwrap();
    assert_eq!(Logical::detect(&uneven), None, "the third line does nothing");
    let mixed = TaskGraph::new("mixed", 4, vec![edge(0, 1), edge(2, 3), edge(0, 2), edge(1, 3)]).unwrap();
    let found = Logical::detect(&mixed).unwrap();
    assert_eq!((found.mesh.sizes(), found.phases.len()), (vec![2, 2], 2), "two axes in one phase");
    let askew = TaskGraph::new("askew", 4, vec![edge(0, 3), edge(1, 2), edge(0, 2), edge(1, 3)]).unwrap();
    assert_eq!(
        Logical::detect(&askew).unwrap().mesh.sizes(),
        [4],
        "one message runs along no axis: a line at most"
    );
    let all = (0..9).flat_map(|a| (0..9).filter(move |&b| a != b).map(move |b| edge(a, b))).collect();
    assert_eq!(
        Logical::detect(&TaskGraph::new("all", 9, all).unwrap()),
        None,
        "everybody to everybody is no line"
    );
}

/// A stencil from a file, all four neighbours in one phase: its axes are found, and no message shares a link or goes over two.
#[test]
fn a_stencil_in_a_file_is_laid_axis_by_axis() {
    let mut edges = Vec::new();
    for (row, column) in (0..4u32).flat_map(|row| (0..8u32).map(move |column| (row, column))) {
        let task = 8 * row + column;
        let right = (column < 7).then_some(task + 1);
        let down = (row < 3).then_some(task + 8);
        for other in right.into_iter().chain(down) {
            for (source, target) in [(task, other), (other, task)] {
                edges.push((1, Edge { source, target, bytes: Bytes(1024) }));
            }
        }
    }
    let tasks = TaskGraph::new("stencil", 32, edges).unwrap();
    assert_eq!(Logical::detect(&tasks).unwrap().mesh.sizes(), [4, 8]);
    for name in ["mesh:4x8", "mesh:8x4", "torus:4x8", "hypercube:5"] {
        let machine = Machine::new(name).unwrap();
        let job = Job::trace(tasks.clone());
        let verdict = mapping::judge("job", &job, &machine, &["axes"], 0, &mut |_| {}).unwrap();
        assert_eq!(verdict.winner().unwrap().time.0, 100 + 1024 + 2, "{name}: as if each message were alone");
    }
}

/// What each operation sends, by its definition.
#[test]
fn operations_move_what_they_promise() {
    for p in [1u32, 2, 3, 5, 8] {
        let v = 840u64;
        let sent = |name: &str| {
            let steps = (operation::named(name).unwrap().steps)(p, v);
            let total = |step: &logical::Step| {
                u64::from(step.times) * step.messages.iter().map(|message| message.bytes).sum::<u64>()
            };
            let times: u32 = steps.iter().map(|step| step.times).sum();
            (times, steps.iter().map(total).sum::<u64>())
        };
        let (others, p64) = (u64::from(p - 1), u64::from(p));
        let gathered = others * p64 * v.div_ceil(p64);
        assert_eq!(sent("all-gather"), (p - 1, gathered));
        assert_eq!(sent("reduce-scatter"), (p - 1, gathered));
        assert_eq!(sent("all-reduce"), (2 * (p - 1), 2 * gathered), "one after the other");
        assert_eq!(sent("all-to-all"), (u32::from(p > 1), gathered));
        assert_eq!(sent("shift"), (u32::from(p > 1), if p > 1 { p64 * v } else { 0 }));
        assert_eq!(sent("exchange"), (u32::from(p > 1), 2 * others * v));
        assert_eq!(
            sent("broadcast"),
            (p.next_power_of_two().trailing_zeros(), others * v),
            "each is told once"
        );
        assert_eq!(sent("broadcast"), sent("reduce"));
        let halves = 2 * others * p64 * v.div_ceil(2 * p64);
        assert_eq!(sent("all-gather-two-way"), (p - 1, halves));
    }
    // Whoever passes on a broadcast has been told.
    let steps = (operation::named("broadcast").unwrap().steps)(13, 8);
    let mut told = vec![0];
    for step in steps {
        assert!(
            step.messages.iter().all(|message| told.contains(&message.from) && !told.contains(&message.to))
        );
        told.extend(step.messages.iter().map(|message| message.to));
    }
    told.sort_unstable();
    assert!(told.into_iter().eq(0..13));
}

/// Every device order, read back, gives the placement again.
#[test]
fn device_orders_are_read_back() {
    let tasks = graph("data=4,model=2,pipe=3", &[("data", "all-reduce", 4096)]);
    let machine = Machine::new("mesh:4x6").unwrap();
    let placement = meshwright_mapping::place("axes", &Request::of(&tasks, &machine, 0)).unwrap();
    let hosts = Hosts::of(&machine);
    let launch =
        Launch { tasks: &tasks, placement: &placement, machine: &machine, ranks: Ranks::Task, hosts: &hosts };
    let text = |name: &str| (launcher::format(name).unwrap().write)(&launch);
    let flat = |nested: &Value| -> Vec<u64> {
        let mut all = Vec::new();
        for rows in nested.as_array().unwrap() {
            assert_eq!(nested.as_array().unwrap().len(), 4);
            for row in rows.as_array().unwrap() {
                assert_eq!((rows.as_array().unwrap().len(), row.as_array().unwrap().len()), (2, 3));
                all.extend(row.as_array().unwrap().iter().map(|node| node.as_u64().unwrap()));
            }
        }
        all
    };
    let nodes: Vec<u64> = placement.nodes.iter().map(|node| node.0.into()).collect();
    for (name, variable) in [("jax", "order = "), ("torch", "ranks = ")] {
        let text = text(name);
        let comments = text.lines().take_while(|line| line.starts_with("# ")).count();
        assert_eq!(comments, 2, "{text}");
        assert!(text.contains("\"data\", \"model\", \"pipe\""), "{text}");
        let list = text.lines().skip(2).collect::<Vec<_>>().join("\n");
        let nested: Value = serde_json::from_str(list.strip_prefix(variable).unwrap()).unwrap();
        assert_eq!(flat(&nested), nodes, "{name}");
    }
    let json: Value = serde_json::from_str(&text("json")).unwrap();
    assert_eq!(flat(&json["order"]), nodes);
    let mesh = LogicalMesh::parse("data=4,model=2,pipe=3").unwrap();
    for (task, device) in json["devices"].as_array().unwrap().iter().enumerate() {
        assert_eq!(device["logical"], serde_json::json!(mesh.coordinates(task as u32)));
        assert_eq!(device["node"], nodes[task]);
        assert_eq!(device["at"], serde_json::json!(machine.coordinates(placement.nodes[task])));
    }
    let descriptor = text("tt-mesh");
    assert!(descriptor.contains("device_topology { dims: [ 4, 2, 3 ] "), "{descriptor}");
    let number = |line: &str, key: &str| -> u64 {
        let rest = &line[line.find(key).unwrap() + key.len()..];
        rest.split_whitespace().next().unwrap().parse().unwrap()
    };
    let chips =
        descriptor.lines().filter(|line| line.contains("chip_id: ")).map(|line| number(line, "chip_id: "));
    assert!(chips.eq(0..24));
    let places = descriptor.lines().filter(|line| line.contains("tray_id: "));
    let places = places.map(|line| 8 * (number(line, "tray_id: ") - 1) + number(line, "asic_location: ") - 1);
    assert!(places.eq(nodes.iter().copied()));
    assert_eq!(descriptor.matches('{').count(), descriptor.matches('}').count());
}

/// A million tasks: the phases of rings stand there once, and nobody looks at all pairs.
#[test]
fn a_million_tasks_are_placed() {
    let tasks = graph("1024x1024", &[("0", "all-reduce", 1 << 30), ("1", "all-gather", 1 << 20)]);
    assert_eq!((tasks.phases(), tasks.phases_total(), tasks.edges().len()), (2, 2 * 1023 + 1023, 1 << 21));
    let machine = Machine::new("mesh:1024x1024").unwrap();
    let best = logical::members(&Request::of(&tasks, &machine, 0), 1).unwrap().remove(0);
    assert_eq!(best.nodes.len(), 1 << 20);
    // No placement takes less than every message alone over one link.
    let alone = |index| bound::phase_ticks(&tasks, index, machine.switching(), machine.costs());
    let least: u64 = (0..2).map(alone).sum();
    assert!(
        best.ticks >= least && best.ticks <= least + least / 50,
        "{}: {} above {least}",
        best.words,
        best.ticks
    );
}

/// A scenario says the same as the command line, and errors point at what is wrong.
#[test]
fn scenarios_have_logical_meshes() {
    let read = |text: String| scenario::read_bytes(std::path::Path::new("s.toml"), text.into_bytes());
    let example = include_str!("../../examples/device-order.toml");
    let scenario = read(example.to_string()).unwrap();
    let Work::Divide(work) = &scenario.jobs[0].work else { panic!("a job of placements") };
    let named =
        graph("data=16,model=8", &[("model", "all-gather", 8_000_000), ("data", "all-reduce", 4_000_000)]);
    assert_eq!(work.job.tasks, named);
    for (axis, expected) in [
        ("", "axis is not given for a logical mesh"),
        ("axis = 'dat=shift:1'", "did you mean `data`?"),
        ("axis = ['data=shiff:1']", "did you mean `shift`?"),
        ("axis = ['data=shift']", "NAME=OPERATION:BYTES"),
        ("axis = [3]", "a list such as"),
        ("axis = 'data=shift:1'\nalpha = 0.5", "bring their own volumes"),
    ] {
        let text = format!(
            "[machine]\ntopology = 'mesh:4x4'\n[[divide]]\ntasks = 'logical:data=4,model=4'\n{axis}\n"
        );
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{axis}: {error}");
    }
    let tree = "[machine]\ntopology = 'mesh:4x4'\n[[divide]]\ntasks = 'binomial:4'\naxis = 'data=shift:1'\n";
    let error = read(tree.to_string()).unwrap_err().to_string();
    assert!(error.contains("logical:data=16,model=8"), "{error}");
    for text in ["4x", "4x0", "a=1,a=2", "a=b", "x=1,2", "é=3", "=3", "5000x5000"] {
        assert!(LogicalMesh::parse(text).is_err(), "{text}");
    }
}
