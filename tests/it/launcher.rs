//! Launcher files: exact texts, read back by parsers that know nothing of the writers.

mod collectives;
mod reading;

use meshwright_core::units::{Bytes, NodeId};
use meshwright_hosts::launcher::{self, FORMATS, Hosts, Launch, Ranks};
use meshwright_mapping::{
    Divide, PLACEMENTS, Placement, Request, Shape, TaskGraph, divide, place, task_file,
};
use meshwright_network::topology::{Machine, Topology};

/// The tree B(n) with messages of one size, down, up or both.
fn tree(n: u32, down: bool, up: bool) -> TaskGraph {
    let alpha = |stage: bool| stage.then_some(1.0);
    let shape = Shape::Binomial(n);
    divide::task_graph(&Divide { shape, alpha: alpha(down), combine_alpha: alpha(up), volume: Bytes(64) })
        .unwrap()
}

/// A ring of messages: no tree, any number of tasks.
fn ring(tasks: u32) -> TaskGraph {
    let line = |task: u32| format!("1,{task},{},64\n", (task + 1) % tasks);
    let text = "phase,source,target,bytes\n".to_string() + &(0..tasks).map(line).collect::<String>();
    task_file::parse(text.as_bytes(), "ring.csv").unwrap()
}

fn placed(method: &str, tasks: &TaskGraph, machine: &Machine, seed: u64) -> Placement {
    place(method, &Request::of(tasks, machine, seed)).unwrap()
}

fn written(format: &str, tasks: &TaskGraph, placement: &Placement, machine: &Machine) -> String {
    let launch = Launch { tasks, placement, machine, ranks: Ranks::usual(tasks), hosts: &Hosts::Numbered };
    (launcher::format(format).unwrap().write)(&launch)
}

fn numbers<'t>(words: impl Iterator<Item = &'t str>) -> Vec<u32> {
    words.map(|word| word.parse().unwrap_or_else(|_| panic!("`{word}`"))).collect()
}

/// The node of each rank as a launcher would find it, in a job of `ranks` ranks.
fn nodes_of_ranks(format: &str, text: &str, machine: &Machine, ranks: u32) -> Vec<NodeId> {
    let host = |name: &str| name.strip_prefix("node").unwrap().parse().unwrap();
    let at = |coordinates: &[u32]| {
        let pairs = coordinates.iter().zip(machine.sides());
        pairs.fold(0, |id, (coordinate, side)| id * side + coordinate)
    };
    let lines = text.lines();
    let nodes: Vec<u32> = match format {
        "rankfile" => {
            let line = |(rank, line): (usize, &str)| {
                let node =
                    line.strip_prefix(&format!("rank {rank}=")).unwrap().strip_suffix(" slot=0").unwrap();
                host(node)
            };
            lines.enumerate().map(line).collect()
        }
        "slurm-hostfile" => lines.map(host).collect(),
        "mpich-rank-order" => {
            let words = lines.filter(|line| !line.starts_with('#')).flat_map(|line| line.split(','));
            let order = numbers(words);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..order.len() as u32), "each rank has one slot");
            let slots: Vec<u32> = (0..machine.nodes()).filter(|&id| machine.is_alive(NodeId(id))).collect();
            let mut nodes = vec![0; order.len()];
            order.iter().zip(slots).for_each(|(&rank, slot)| nodes[rank as usize] = slot);
            nodes.truncate(ranks as usize);
            nodes
        }
        "bgq-mapfile" => {
            let line = |line: &str| {
                let numbers = numbers(line.split(' '));
                let (own, rest) = numbers.split_at(machine.sides().len());
                assert!(numbers.len() == 6 && rest.iter().all(|&zero| zero == 0), "{line}");
                at(own)
            };
            let mut nodes: Vec<u32> = lines.map(line).collect();
            let mut all = nodes.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..machine.nodes()), "the file covers the partition");
            nodes.truncate(ranks as usize);
            nodes
        }
        "vcoordfile" => {
            let inside =
                |line: &str| numbers(line.strip_prefix('(').unwrap().strip_suffix(')').unwrap().split(','));
            lines.map(|line| at(&inside(line))).collect()
        }
        other => panic!("{other} has no ranks"),
    };
    assert_eq!(nodes.len() as u32, ranks, "{format}");
    nodes.into_iter().map(NodeId).collect()
}

const BY_RANK: [&str; 5] = ["rankfile", "mpich-rank-order", "slurm-hostfile", "bgq-mapfile", "vcoordfile"];

#[test]
fn the_reflecting_mapping_of_sixteen_tasks_in_every_format() {
    let (tasks, mesh) = (tree(4, true, false), Machine::new("mesh:4x4").unwrap());
    let placement = placed("reflecting", &tasks, &mesh, 0);
    let text = |format: &str| written(format, &tasks, &placement, &mesh);
    assert!(text("rankfile").starts_with("rank 0=node10 slot=0\nrank 1=node11 slot=0\n"));
    assert!(text("rankfile").ends_with("\nrank 15=node0 slot=0\n"));
    let order: Vec<String> = text("mpich-rank-order").lines().map(str::to_string).collect();
    assert_eq!(order.iter().filter(|line| line.starts_with('#')).count(), 3);
    assert_eq!(order.last().unwrap(), "15,14,10,11,13,12,8,9,5,4,0,1,7,6,2,3");
    assert!(text("slurm-hostfile").starts_with("node10\nnode11\n"));
    assert!(text("bgq-mapfile").starts_with("2 2 0 0 0 0\n2 3 0 0 0 0\n"));
    assert!(text("vcoordfile").starts_with("(2,2)\n(2,3)\n"));
    assert!(text("scotch-map").starts_with("16\n0\t0\n1\t1\n"));
    assert!(text("scotch-map").ends_with("\n15\t10\n"), "the root keeps its label");
    assert!(text("goal").starts_with("num_ranks 16\nrank 0 {\n"));
}

#[test]
fn every_format_read_back_is_the_placement() {
    let machines = ["mesh:4x8", "torus:4x4x4", "mesh:7", "mesh:3x5", "torus:2x3x2x3x2", "hypercube:5"];
    for (seed, machine) in (0..).zip(machines) {
        let machine = Machine::new(machine).unwrap();
        let n = machine.nodes().ilog2();
        for tasks in [tree(n, true, true), tree(n - 1, true, false), ring(machine.nodes()), ring(5)] {
            for ranks in [Ranks::usual(&tasks), Ranks::Task] {
                let placement = placed("random", &tasks, &machine, seed);
                check_all(&Launch {
                    tasks: &tasks,
                    placement: &placement,
                    machine: &machine,
                    ranks,
                    hosts: &Hosts::Numbered,
                });
            }
        }
    }
}

#[test]
fn dead_nodes_have_no_rank() {
    let dead = vec![NodeId(0), NodeId(3), NodeId(10)];
    let mesh = Machine::new("mesh:4x4").unwrap().with_dead(dead.clone()).unwrap();
    for tasks in [tree(3, true, false), ring(13), ring(4)] {
        for method in PLACEMENTS {
            let Ok(placement) = place(method.name, &Request::of(&tasks, &mesh, 1)) else { continue };
            assert!(placement.nodes.iter().all(|node| !dead.contains(node)));
            let ranks = Ranks::usual(&tasks);
            check_all(&Launch {
                tasks: &tasks,
                placement: &placement,
                machine: &mesh,
                ranks,
                hosts: &Hosts::Numbered,
            });
        }
    }
    let refused = (launcher::format("bgq-mapfile").unwrap().check)(&mesh).unwrap_err().to_string();
    assert_eq!(
        refused,
        "bgq-mapfile is not possible here: a mapfile covers the whole partition, and node (0,0) is dead"
    );
}

fn node_numbers(nodes: &[NodeId]) -> Vec<u32> {
    nodes.iter().map(|node| node.0).collect()
}

/// Tables and graphs of tasks; what MSCCL reads says nothing of places, `recording` plays it.
fn check_tables(format: &str, text: &str, launch: &Launch<'_>) {
    let nodes = match format {
        "csv" => numbers(text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap())),
        "graphml" => {
            let keys = text.split("<data key=\"node\">").skip(1);
            numbers(keys.map(|rest| rest.split('<').next().unwrap()))
        }
        _ => return assert_eq!(text.matches("<gpu ").count() as u32, launch.tasks.tasks),
    };
    assert_eq!(nodes, node_numbers(&launch.placement.nodes), "{format}");
}

/// Writes a placed job in every format that can, and reads it back.
fn check_all(launch: &Launch<'_>) {
    let (tasks, machine) = (launch.tasks.tasks, launch.machine);
    let expected: Vec<NodeId> =
        (0..tasks).map(|rank| launch.placement.nodes[launch.ranks.task(rank, tasks) as usize]).collect();
    let mut ways = 0;
    for format in FORMATS
        .iter()
        .filter(|format| (format.check)(machine).and_then(|()| (format.fits)(launch.tasks)).is_ok())
    {
        let text = (format.write)(launch);
        ways += 1;
        match format.name {
            "scotch-map" => {
                let pairs = numbers(text.split_whitespace());
                assert_eq!((pairs[0], pairs.len() as u32), (tasks, 2 * tasks + 1));
                let nodes: Vec<NodeId> = pairs[1..]
                    .chunks(2)
                    .zip(0..)
                    .map(|(pair, task)| {
                        assert_eq!(pair[0], task);
                        NodeId(pair[1])
                    })
                    .collect();
                assert_eq!(nodes, launch.placement.nodes);
            }
            "goal" => {
                let sent = task_file::parse(text.as_bytes(), "a.goal").unwrap();
                let node = |task: u32| launch.placement.nodes[task as usize].0;
                let mut expected: Vec<_> =
                    launch.tasks.edges().iter().map(|e| (node(e.source), node(e.target))).collect();
                let mut found: Vec<_> = sent.edges().iter().map(|e| (e.source, e.target)).collect();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!((sent.tasks, found), (machine.nodes(), expected));
            }
            // Device orders, of a job without axes a list of all its tasks; `device_order` reads them in full.
            "jax" | "torch" => {
                let list = text.lines().filter(|line| !line.starts_with('#')).collect::<String>();
                let words = list.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
                assert_eq!(numbers(words), node_numbers(&launch.placement.nodes), "{}", format.name);
            }
            "json" => {
                let order: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(order["order"], serde_json::json!(node_numbers(&launch.placement.nodes)));
            }
            "csv" | "graphml" | "msccl-xml" => check_tables(format.name, &text, launch),
            "tt-mesh" => {
                let pinned = text.lines().filter(|line| line.contains("tray_id: ")).count();
                assert_eq!(pinned as u32, tasks);
            }
            name => assert_eq!(
                nodes_of_ranks(name, &text, machine, tasks),
                expected,
                "{name} on {}",
                machine.name()
            ),
        }
    }
    assert!(ways >= 5, "{}: few formats suit it", machine.name());
}

#[test]
fn slots_without_task_get_the_ranks_that_are_left() {
    // Three tasks on nodes 4, 1 and 3 of six: nodes 0 and 2 stand before the last one used.
    let (tasks, line) = (ring(3), Machine::new("mesh:6").unwrap());
    let placement = Placement { name: "by hand".into(), nodes: [4, 1, 3].map(NodeId).to_vec() };
    let order = written("mpich-rank-order", &tasks, &placement, &line);
    assert!(
        order.ends_with(
            "# Start 5 ranks; those from 3 on have no task and only fill the slots between.\n3,1,4,2,0\n"
        ),
        "{order}"
    );
    let mapfile = written("bgq-mapfile", &tasks, &placement, &line);
    let first: Vec<&str> = mapfile.lines().map(|line| &line[..1]).collect();
    assert_eq!(first, ["4", "1", "3", "0", "2", "5"]);
    assert_eq!(written("vcoordfile", &tasks, &placement, &line), "(4)\n(1)\n(3)\n");
}

#[test]
fn long_rank_orders_have_several_lines() {
    let (tasks, mesh) = (ring(200), Machine::new("mesh:200").unwrap());
    let order = written("mpich-rank-order", &tasks, &placed("row-major", &tasks, &mesh, 0), &mesh);
    let lines: Vec<usize> =
        order.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').count()).collect();
    assert_eq!(lines, [64, 64, 64, 8]);
}

#[test]
fn machines_without_fitting_coordinates_are_refused() {
    let check = |format: &str, machine: &str| {
        (launcher::format(format).unwrap().check)(&Machine::new(machine).unwrap())
            .map_err(|error| error.to_string())
    };
    for (format, most, below) in
        [("bgq-mapfile", "torus:2x2x2x2x2", "hypercube:6"), ("vcoordfile", "torus:2x2x2", "hypercube:4")]
    {
        assert_eq!(check(format, most), Ok(()));
        let error = check(format, below).unwrap_err();
        assert!(error.starts_with(&format!("{format} is not possible here: it has at most ")), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pair.graph");
    std::fs::write(&path, "2 1\n2\n1\n").unwrap();
    let graph = format!("graph:{}", path.display());
    for format in FORMATS {
        let error = check(format.name, &graph);
        let coordinates = ["bgq-mapfile", "vcoordfile"].contains(&format.name);
        let why =
            format!("{} is not possible here: the nodes of a general graph have no coordinates", format.name);
        assert_eq!(error, if coordinates { Err(why) } else { Ok(()) });
    }
}

#[test]
fn names_are_those_of_the_tables() {
    let error = launcher::format("hostfile").err().unwrap().to_string();
    for format in FORMATS {
        assert!(error.contains(format.name), "{error}");
        assert!(!format.summary.is_empty());
    }
    assert!(BY_RANK.iter().all(|name| launcher::format(name).is_ok()));
    let names: Vec<&str> = launcher::ranks::RANKS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["task", "tree", "mirrored-tree"]);
    let error = Ranks::Tree.check(&ring(8)).unwrap_err().to_string();
    assert_eq!(error, "ranks is `tree` for ring.csv, which is no binomial tree; expected `task`");
    assert_eq!((Ranks::usual(&ring(8)), Ranks::usual(&tree(3, true, false))), (Ranks::Task, Ranks::Tree));
    for (_, ranks) in launcher::ranks::RANKS {
        for tasks in [1, 2, 8, 1 << 20] {
            assert!((0..tasks).step_by(37).all(|rank| ranks.rank(ranks.task(rank, tasks), tasks) == rank));
        }
    }
}
