//! Plans of the race are read, played and done in whatever order messages come; what is wrong with a plan is found.

use std::collections::BTreeMap;

use meshwright_collectives::{Operation as Asked, Task, algorithm, msccl};
use meshwright_core::rng::stream;
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;

use super::plan::{Part, Plan, read};
use super::play::{Operation, Way};

/// The plans of all algorithms for an operation on a machine, with their names.
fn plans(machine: &Machine, asked: Asked, root: u32) -> Vec<(&'static str, Plan)> {
    let task = Task::new(machine, asked, 840 * u64::from(machine.nodes()), root).unwrap();
    let of = |algorithm: &'static algorithm::Algorithm| {
        let flow = algorithm.of(&task).ok()?;
        let flow = if algorithm.streams { flow.chunked(3).unwrap() } else { flow };
        let text = msccl::xml(&task, &flow, algorithm.name).ok()?;
        Some((algorithm.name, Plan::parse("plan.xml", text.as_bytes()).unwrap()))
    };
    algorithm::all().filter_map(of).collect()
}

/// What members hold in the end, if moves that are ready are done in an order that chance says.
fn run(plan: &Plan, elements: usize, seed: u32, add: fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
    let mut rng = stream(seed.into(), "an order of moves");
    let number = |member: usize, at: usize| 0.1 + (member * 7919 + at * 104_729) as f64;
    let mut held: Vec<Vec<f64>> =
        (0..plan.members()).map(|member| (0..elements).map(|at| number(member, at)).collect()).collect();
    let mut waits: Vec<Vec<u32>> = plan.parts.iter().map(|part| part.waits.clone()).collect();
    let mut left: Vec<(usize, usize)> = Vec::new();
    for (member, part) in plan.parts.iter().enumerate() {
        left.extend((0..part.moves.len()).map(|index| (member, index)));
    }
    let mut wires: BTreeMap<[u32; 3], Vec<f64>> = BTreeMap::new();
    let begin = |chunk: u32| chunk as usize * elements / plan.chunks as usize;
    while !left.is_empty() {
        let at = rng.random_range(0..left.len());
        let (member, index) = left[at];
        let part: &Part = &plan.parts[member];
        let own = part.moves[index];
        let range = begin(own.first)..begin(own.first + own.count);
        let wire = [own.peer, member as u32, own.tag];
        if waits[member][index] > 0 || (own.way != Way::Send && !wires.contains_key(&wire)) {
            continue;
        }
        if own.way == Way::Send {
            wires.insert([member as u32, own.peer, own.tag], held[member][range].to_vec());
        } else {
            let came = wires.remove(&wire).unwrap();
            let sums = held[member][range].iter_mut().zip(&came);
            sums.for_each(|(held, &came)| *held = if own.way == Way::Add { add(came, *held) } else { came });
        }
        part.followers(index).iter().for_each(|&later| waits[member][later as usize] -= 1);
        left.swap_remove(at);
    }
    held
}

#[test]
fn every_plan_of_the_race_does_what_it_is_for() {
    let mut played = BTreeMap::new();
    for name in ["mesh:2", "mesh:2x4", "torus:3x4", "mesh:5"] {
        let machine = Machine::new(name).unwrap();
        let last = machine.nodes() - 1;
        for (asked, expected, root) in [
            (Asked::Broadcast, Operation::Broadcast(0), 0),
            (Asked::Broadcast, Operation::Broadcast(last), last),
            (Asked::Reduce, Operation::Reduce(last), last),
            (Asked::AllReduce, Operation::AllReduce, 0),
        ] {
            for (algorithm, plan) in plans(&machine, asked, root) {
                let what = format!("{algorithm} on {name}");
                assert_eq!((plan.operation, plan.members()), (expected, machine.nodes() as usize), "{what}");
                // Fewer elements than chunks, and a number that nothing divides.
                for elements in [1, 7, 101] {
                    let done = run(&plan, elements, 1, |a, b| a.max(b));
                    let again = run(&plan, elements, 2, |a, b| a + b);
                    let sums = run(&plan, elements, 3, |a, b| a + b);
                    let who: Vec<usize> = match expected {
                        Operation::Reduce(root) => vec![root as usize],
                        _ => (0..plan.members()).collect(),
                    };
                    let from = match expected {
                        Operation::Broadcast(root) => root,
                        _ => last,
                    };
                    for &member in &who {
                        let most = (0..elements).map(|at| 0.1 + (from as usize * 7919 + at * 104_729) as f64);
                        assert_eq!(done[member], most.collect::<Vec<f64>>(), "{what}: member {member}");
                        // Sums are the same in whatever order messages come.
                        assert_eq!(sums[member], again[member], "{what}: member {member}");
                        assert!(!plan.is_one || sums[member] == sums[who[0]], "{what}: member {member}");
                    }
                }
                *played.entry((asked.name(), plan.is_one)).or_insert(0) += 1;
            }
        }
    }
    assert!(played.values().sum::<u32>() > 80, "{played:?}");
    assert_eq!(played.len(), 4, "some all-reduces form other sums elsewhere: {played:?}");
}

/// A ring of three: reduce-scatter, then all-gather.
fn ring() -> String {
    let machine = Machine::new("torus:3").unwrap();
    let task = Task::new(&machine, Asked::AllReduce, 3000, 0).unwrap();
    let flow = algorithm::all().find(|one| one.name == "ring").unwrap().of(&task).unwrap();
    msccl::xml(&task, &flow, "ring").unwrap()
}

#[test]
fn what_is_wrong_with_a_plan_is_found() {
    let of = |text: &str| Plan::parse("p.xml", text.as_bytes()).map_err(|error| error.to_string());
    let text = ring();
    assert!(of(&text).unwrap().is_one);
    let noted = format!("<!-- 9 cycles -->\n{text}");
    let shown = of(&noted).unwrap().to_string();
    assert!(shown.starts_with("p.xml: all-reduce by ring, 3 ranks"), "{shown}");
    assert!(shown.ends_with("; 9 cycles"), "{shown}");
    let steps: Vec<&str> = text.lines().filter(|line| line.contains("<step")).collect();
    let first = |kind: &str| *steps.iter().find(|line| line.contains(&format!("type=\"{kind}\""))).unwrap();
    let (send, add) = (first("s"), first("rrc"));
    let other = |line: &str| {
        ["1", "2"]
            .iter()
            .fold(line.to_string(), |line, at| line.replace(&format!("off=\"{at}\""), "off=\"0\""))
    };
    for (wrong, error) in [
        ("no XML".to_string(), "p.xml"),
        (text.replace("<algo", "<algos").replace("</algo>", "</algos>"), "no algorithm"),
        (text.replace("inplace=\"1\"", "inplace=\"0\""), "in place"),
        (text.replace("ngpus=\"3\"", "ngpus=\"4\""), "3 GPUs"),
        (text.replace("ngpus=\"3\"", "ngpus=\"1\""), "ngpus is 1"),
        (text.replacen("type=\"s\"", "type=\"rcs\"", 1), "none of a plan"),
        (text.replacen("dstbuf=\"i\"", "dstbuf=\"s\"", 1), "another place"),
        (text.replacen("cnt=\"1\"", "cnt=\"9\"", 1), "cnt is 9"),
        (text.replacen("depid=\"-1\" deps=\"-1\"", "depid=\"7\" deps=\"7\"", 1), "not there"),
        // Added twice, other chunks at either end, replaced, waiting for itself.
        (text.replace("type=\"r\"", "type=\"rrc\""), "counts twice"),
        (text.replacen(send, &other(send), 1), "expects other chunks"),
        (text.replacen(add, &other(add), 1), "expects other chunks"),
        (text.replace("type=\"rrc\"", "type=\"r\""), "lacks a contribution"),
        (text.replacen("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\"", 1), "stands still"),
    ] {
        let said = of(&wrong).unwrap_err();
        assert!(said.contains(error), "{error}: {said}");
    }
}

/// Files and the bytes they are for.
#[test]
fn the_variable_names_files_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.xml");
    let mut writing = meshwright_core::output::Writing::new(false);
    writing.file(&path, ring().as_bytes()).unwrap();
    writing.finish().unwrap();
    let file = path.display();
    let of = |range: &str| read(&format!("{file}{range},"));
    let bytes = |range: &str| of(range).remove(0).map(|plan| plan.bytes).map_err(|error| error.to_string());
    assert_eq!(bytes("").unwrap(), 1..=2_147_483_647);
    assert_eq!(bytes("@64KB..4MiB").unwrap(), 64_000..=4 << 20);
    assert_eq!(bytes("@..1KB").unwrap(), 1..=1000);
    assert_eq!(bytes("@4096..").unwrap(), 4096..=2_147_483_647);
    assert!(of("").len() == 1 && read(&format!("{file},{file}")).len() == 2);
    for wrong in ["@4MB..64KB", "@soon", "@1KB"] {
        assert!(bytes(wrong).unwrap_err().contains("FILE@64KB..4MB"), "{wrong}");
    }
    assert!(read("none.xml").remove(0).unwrap_err().to_string().contains("none.xml"));
}
