//! The files are read again and played: in whatever order thread blocks get on, everybody has in the end what is owed.

use std::collections::{BTreeMap, VecDeque};

use super::*;
use crate::flow::ALL;
use crate::{OPERATIONS, algorithm};
use meshwright_network::topology::Machine;

/// The value of an attribute.
fn word<'a>(line: &'a str, key: &str) -> &'a str {
    let begin = line.find(&format!(" {key}=\"")).unwrap_or_else(|| panic!("{key} in {line}")) + key.len() + 3;
    &line[begin..begin + line[begin..].find('"').unwrap()]
}

fn number(line: &str, key: &str) -> i64 {
    word(line, key).parse().unwrap()
}

/// A thread block as it is read: its line, and those of its steps.
type Read<'a> = (&'a str, Vec<&'a str>);

/// By member its thread blocks.
fn read(text: &str) -> Vec<Vec<Read<'_>>> {
    let mut gpus: Vec<Vec<Read<'_>>> = Vec::new();
    for line in text.lines() {
        match line.trim_start() {
            gpu if gpu.starts_with("<gpu") => gpus.push(Vec::new()),
            block if block.starts_with("<tb") => gpus.last_mut().unwrap().push((line, Vec::new())),
            step if step.starts_with("<step") => {
                gpus.last_mut().unwrap().last_mut().unwrap().1.push(line);
            }
            _ => {}
        }
    }
    gpus
}

/// Who contributed to what lies at a place, as bits of members.
type Memory = BTreeMap<Place, u64>;

fn places(line: &str, which: &str, count: i64) -> Vec<Place> {
    let buffer = word(line, &format!("{which}buf")).chars().next().unwrap();
    let first = number(line, &format!("{which}off"));
    (first..first + count).map(|chunk| (buffer, chunk as u64)).collect()
}

/// Plays an algorithm; `turn` says which thread blocks are asked first.
fn play(text: &str, memory: &mut [Memory], turn: usize) {
    let gpus = read(text);
    let mut done: Vec<Vec<usize>> = gpus.iter().map(|blocks| vec![0; blocks.len()]).collect();
    let mut wires: BTreeMap<(i64, i64), VecDeque<Vec<u64>>> = BTreeMap::new();
    let mut all: Vec<(usize, usize)> =
        (0..gpus.len()).flat_map(|gpu| (0..gpus[gpu].len()).map(move |block| (gpu, block))).collect();
    let many = all.len().max(1);
    all.rotate_left(turn % many);
    if turn % 2 == 1 {
        all.reverse();
    }
    // One step of the first thread block that can go on, again and again.
    while let Some(&(gpu, block)) = all.iter().find(|&&(gpu, block)| {
        let (head, steps) = &gpus[gpu][block];
        let Some(step) = steps.get(done[gpu][block]) else { return false };
        let (on, at) = (number(step, "depid"), number(step, "deps"));
        let is_ready = on < 0 || done[gpu][on as usize] > at as usize;
        let wire = wires.get(&(number(head, "recv"), gpu as i64));
        is_ready && (!word(step, "type").starts_with('r') || wire.is_some_and(|wire| !wire.is_empty()))
    }) {
        let (head, steps) = &gpus[gpu][block];
        let step = steps[done[gpu][block]];
        let count = number(step, "cnt");
        if number(step, "depid") >= 0 {
            let awaited = gpus[gpu][number(step, "depid") as usize].1[number(step, "deps") as usize];
            assert_eq!(number(awaited, "hasdep"), 1);
        }
        match word(step, "type") {
            "s" => {
                let values = places(step, "src", count).iter().map(|place| memory[gpu][place]).collect();
                wires.entry((gpu as i64, number(head, "send"))).or_default().push_back(values);
            }
            kind @ ("r" | "rrc") => {
                let values = wires.get_mut(&(number(head, "recv"), gpu as i64)).unwrap().pop_front().unwrap();
                assert_eq!(values.len(), count as usize);
                for (place, value) in places(step, "dst", count).into_iter().zip(values) {
                    let old = memory[gpu].insert(place, value);
                    if kind == "rrc" {
                        let old = old.expect("something to add to");
                        assert_eq!(old & value, 0, "nobody twice");
                        memory[gpu].insert(place, old | value);
                    }
                }
            }
            kind => assert_eq!((kind, count), ("nop", 0)),
        }
        done[gpu][block] += 1;
    }
    let steps = |blocks: &Vec<Read<'_>>| blocks.iter().map(|(_, steps)| steps.len()).collect::<Vec<_>>();
    assert_eq!(done, gpus.iter().map(steps).collect::<Vec<_>>(), "everything ends");
}

/// Every algorithm of the table that MSCCL takes, on boxes, on a line of an odd number and round a hole.
#[test]
fn everybody_has_what_is_owed_in_whatever_order_thread_blocks_go_on() {
    let mut played = BTreeMap::new();
    let hole = meshwright_core::units::NodeId(4);
    let mut machines: Vec<Machine> =
        ["mesh:2x4", "torus:3x4", "mesh:5"].map(|name| Machine::new(name).unwrap()).into();
    machines.push(Machine::new("mesh:3x3").unwrap().with_dead(vec![hole]).unwrap());
    for machine in &machines {
        let members = machine.living_count();
        for &(name, operation) in OPERATIONS.iter().filter(|(name, _)| *name != "barrier") {
            let task = Task::new(machine, operation, 840 * u64::from(members), 0).unwrap();
            for algorithm in algorithm::all() {
                let Ok(flow) = algorithm.of(&task) else { continue };
                let flow = if algorithm.streams { flow.chunked(2).unwrap() } else { flow };
                let Ok(text) = xml(&task, &flow, algorithm.name) else { continue };
                let layout = Layout::of(&task, &flow).unwrap();
                let chunks = |block: usize, (buffer, first): Place| {
                    (first..first + layout.length[block]).map(move |chunk| (buffer, chunk))
                };
                for turn in 0..2 {
                    let mut memory: Vec<Memory> = vec![Memory::new(); members as usize];
                    let what = format!("{name} by {} on {}", algorithm.name, machine.name());
                    let mut unused = Gpu::default();
                    for (at, block) in flow.blocks().iter().enumerate() {
                        for member in (0..members).filter(|&m| [ALL, m].contains(&block.from)) {
                            let place = layout.place(&flow, at as u32, member, &mut unused);
                            memory[member as usize]
                                .extend(chunks(at, place).map(|place| (place, 1 << member)));
                        }
                    }
                    play(&text, &mut memory, turn * 7);
                    for (at, block) in flow.blocks().iter().enumerate() {
                        let needs = |&m: &u32| [ALL, m].contains(&block.to);
                        // What is from a member for itself is in the input, and is copied by the caller.
                        let moves = |&m: &u32| operation != Operation::AllToAll || block.from != m;
                        for member in (0..members).filter(needs).filter(moves) {
                            let owed = match block.from {
                                ALL if operation == Operation::Scan => (2 << member) - 1,
                                ALL => (1 << members) - 1,
                                from => 1 << from,
                            };
                            let place = layout.place(&flow, at as u32, member, &mut unused);
                            for place in chunks(at, place) {
                                assert_eq!(memory[member as usize].get(&place), Some(&owed), "{what}");
                            }
                        }
                    }
                }
                *played.entry(name).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(played.len(), OPERATIONS.len() - 1, "{played:?}");
    assert!(played.values().sum::<u32>() > 150, "{played:?}");
}

#[test]
fn what_msccl_does_not_take_is_refused_with_the_reason() {
    let of = |machine: &str, operation, bytes, name: &str| {
        let machine = Machine::new(machine).unwrap();
        let task = Task::new(&machine, operation, bytes, 0).unwrap();
        let flow = algorithm::all().find(|one| one.name == name).unwrap().of(&task).unwrap();
        xml(&task, &flow, name).unwrap_err().to_string()
    };
    assert!(of("mesh:4", Operation::Barrier, 0, "dissemination").contains("no chunks"));
    assert!(of("mesh:4", Operation::AllGather, 3, "ring").contains("no bytes"));
    assert!(of("torus:8x8", Operation::AllToAll, 6400, "direct").contains("126 thread blocks"));
}
