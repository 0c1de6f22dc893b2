//! Runs written as Chrome trace events, and placements as algorithms of MSCCL: what is written is what happened.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use meshwright_core::units::{Bytes, Ratio};
use meshwright_formats::perfetto::{self, Run};
use meshwright_formats::task_files;
use meshwright_hosts::launcher::{self, Hosts, Launch, Ranks};
use meshwright_mapping::{Divide, Request, Shape, TaskGraph, divide, place};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::flit::{Replay, Router, run_traffic};
use meshwright_sim::traffic::{OpenLoop, Pattern};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::groups::{self, Drawn, Job, Labels};
use serde_json::Value;

/// Whole picoseconds.
fn picoseconds(value: &Value) -> u64 {
    (value.as_f64().expect("a number") * 1e6).round() as u64
}

fn written(machine: &Machine, run: &Run) -> Value {
    perfetto::check(machine, run).unwrap();
    let mut bytes = Vec::new();
    perfetto::write(machine, run, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Slices by track, which do not overlap; how many are on links, and when the last thing ends.
fn checked(trace: &Value) -> (usize, u64) {
    let mut tracks: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    let (mut named, mut last) = (BTreeSet::new(), 0);
    for event in trace["traceEvents"].as_array().unwrap() {
        let track = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap_or(0));
        match event["ph"].as_str().unwrap() {
            "X" => {
                let begin = picoseconds(&event["ts"]);
                tracks.entry(track).or_default().push((begin, begin + picoseconds(&event["dur"])));
            }
            "M" if event["name"] == "thread_name" => assert!(named.insert(track), "one name each"),
            "e" => last = last.max(picoseconds(&event["ts"])),
            _ => {}
        }
    }
    for (track, slices) in &mut tracks {
        assert!(track.0 == 1 || named.contains(track), "{track:?} has a name");
        slices.sort_unstable();
        assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{track:?}: {slices:?}");
    }
    let ends = tracks.values().flatten().map(|slice| slice.1);
    let links = tracks.iter().filter(|(track, _)| track.0 == 4).map(|(_, slices)| slices.len()).sum();
    (links, ends.max().unwrap_or(0).max(last))
}

fn trace_of_tasks() -> TaskGraph {
    task_files::read("examples/lammps-lj-16.phases.csv".as_ref()).unwrap()
}

#[test]
fn slices_are_times_of_the_clock() {
    let text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
    let run = Run::Schedule(goal::parse(text.as_bytes(), "one.goal").unwrap(), Engine::Message);
    let machine = Machine::new("mesh:1x2").unwrap();
    assert_eq!(checked(&written(&machine, &run)), (1, 110_000), "110 cycles, each a nanosecond");
    let clock = Ratio::new(4_000_000_000, 3).unwrap();
    let trace = written(&machine.with_clock(Some(clock)), &run);
    assert_eq!(checked(&trace), (1, 82_500), "110 cycles of 0.75 nanoseconds");
    assert_eq!(trace["otherData"]["clock"], "4000000000/3 cycles per second");
}

#[test]
fn recorded_placements_end_with_the_simulated_cycles_and_hold_links_in_turn() {
    let tasks = trace_of_tasks();
    for (name, switching) in [
        ("mesh:4x4", Switching::Wormhole),
        ("torus:4x4", Switching::Wormhole),
        ("mesh:2x8", Switching::StoreAndForward),
        ("torus:4x4", Switching::CutThrough),
    ] {
        let machine = Machine::new(name).unwrap().with_switching(switching);
        let machine = machine.with_byte_time("1/30".parse().unwrap()).unwrap();
        let placement = place("row-major", &Request::of(&tasks, &machine, 0)).unwrap();
        let phases = placement.phases(&tasks, &machine);
        let simulated = simulate(&machine, &phases, &Engine::Message).unwrap();
        let trace = written(&machine, &Run::Phases(phases));
        let (links, end) = checked(&trace);
        assert!(links >= 3648, "{name}: {links} passages");
        // The last slice ends within the last cycle; rounding to picoseconds takes less than one.
        assert_eq!(end.div_ceil(1000), simulated.cycles.0, "{name} {}", switching.name());
        assert_eq!(trace["otherData"]["cycles"], simulated.cycles.0);
    }
}

#[test]
fn recorded_schedules_have_computations_and_messages_on_every_engine() {
    let text = "num_ranks 3\nrank 0 {\nl1: calc 50\nl2: send 64b to 2\nl2 requires l1\nc: calc 30 cpu 1\n}\n\
                rank 1 {\nsend 64b to 2\n}\nrank 2 {\nrecv 64b from 0\nrecv 64b from 1\n}\n";
    let schedule: Schedule = goal::parse(text.as_bytes(), "a.goal").unwrap();
    let line = Machine::new("mesh:1x3").unwrap();
    for engine in [Engine::Message, Engine::Flit(Replay::from(Router::ideal(&line)))] {
        let simulated = simulate(&line, &schedule, &engine).unwrap();
        let is_whole = matches!(engine, Engine::Message);
        let trace = written(&line, &Run::Schedule(schedule.clone(), engine));
        let (links, end) = checked(&trace);
        assert_eq!((links, end), (if is_whole { 3 } else { 0 }, 1000 * simulated.cycles.0));
        let events = trace["traceEvents"].as_array().unwrap();
        let computations: Vec<&Value> =
            events.iter().filter(|event| event["name"] == "computation").collect();
        assert_eq!((computations.len(), computations[1]["tid"].as_u64()), (2, Some(0)));
        assert_eq!(computations[1]["dur"], 0.05);
        assert_eq!(events.iter().filter(|event| event["ph"] == "b").count(), 2);
        assert_eq!(trace["otherData"]["links"].as_str().unwrap().starts_with("none"), !is_whole);
    }
}

fn emitted(format: &str, tasks: &TaskGraph, machine: &Machine) -> String {
    let placement = place("row-major", &Request::of(tasks, machine, 0)).unwrap();
    let (format, hosts) = (launcher::format(format).unwrap(), Hosts::of(machine));
    let launch = Launch { tasks, placement: &placement, machine, ranks: Ranks::usual(tasks), hosts: &hosts };
    (format.check)(machine).and_then(|()| (format.fits)(tasks)).unwrap();
    (format.write)(&launch)
}

#[test]
fn graphml_read_again_is_the_same_graph() {
    let (tasks, mesh) = (trace_of_tasks(), Machine::new("mesh:4x4").unwrap());
    let text = emitted("graphml", &tasks, &mesh);
    assert!(text.contains(
        "<node id=\"5\"><data key=\"rank\">5</data><data key=\"node\">5</data><data key=\"at\">(1,1)</data>"
    ));
    let again = task_files::parse(text.as_bytes(), "a.graphml").unwrap();
    assert_eq!((again.tasks, again.edges(), again.phases()), (tasks.tasks, tasks.edges(), tasks.phases()));
    assert!((0..tasks.phases()).all(|phase| again.number(phase) == tasks.number(phase)));
    let table = emitted("csv", &tasks, &mesh);
    assert_eq!(table.lines().nth(6), Some("5,5,5,node5,0,1,1"));
}

/// A number of an element.
fn number(element: Element<'_>, name: &str) -> i64 {
    element.attribute(name).unwrap().parse().unwrap()
}

/// A chunk of an input: whose, and which.
type Chunk = (usize, i64);

type Element<'a> = roxmltree::Node<'a, 'a>;

fn children<'a>(element: Element<'a>, name: &'static str) -> Vec<Element<'a>> {
    element.children().filter(|child| child.has_tag_name(name)).collect()
}

/// An algorithm that is being run.
struct Player<'a> {
    gpus: Vec<Element<'a>>,
    /// By rank and thread block, the block and its steps, and how many of them are done.
    blocks: Vec<Vec<(Element<'a>, Vec<Element<'a>>)>>,
    done: Vec<Vec<usize>>,
    /// By rank, what is in its output.
    outputs: Vec<BTreeMap<i64, Chunk>>,
    /// By source and target, what is on its way.
    wires: BTreeMap<(usize, i64), VecDeque<Vec<Chunk>>>,
}

impl<'a> Player<'a> {
    fn new(document: &'a roxmltree::Document<'a>) -> Self {
        let gpus = children(document.root_element(), "gpu");
        let with_steps = |block: Element<'a>| (block, children(block, "step"));
        let blocks: Vec<Vec<_>> =
            gpus.iter().map(|gpu| children(*gpu, "tb").into_iter().map(with_steps).collect()).collect();
        let done = blocks.iter().map(|blocks| vec![0; blocks.len()]).collect();
        let outputs = vec![BTreeMap::new(); gpus.len()];
        Self { gpus, blocks, done, outputs, wires: BTreeMap::new() }
    }

    /// Does the next step of a thread block, if it can be done.
    fn step(&mut self, rank: usize, id: usize) -> bool {
        let (block, steps) = &self.blocks[rank][id];
        let (block, Some(&step)) = (*block, steps.get(self.done[rank][id])) else { return false };
        if let Ok(other) = usize::try_from(number(step, "depid")) {
            let awaited = number(step, "deps") as usize;
            assert_eq!(number(self.blocks[rank][other].1[awaited], "hasdep"), 1);
            if self.done[rank][other] <= awaited {
                return false;
            }
        }
        let is_done = match step.attribute("type").unwrap() {
            "s" => {
                self.send(rank, step, number(block, "send"));
                true
            }
            "r" => self.receive(rank, step, number(block, "recv") as usize),
            kind => kind == "nop",
        };
        self.done[rank][id] += usize::from(is_done);
        is_done
    }

    fn send(&mut self, rank: usize, step: Element<'_>, target: i64) {
        let from = number(step, "srcoff");
        let chunk = |chunk: i64| match step.attribute("srcbuf").unwrap() {
            "i" => {
                assert!(chunk < number(self.gpus[rank], "i_chunks"));
                (rank, chunk)
            }
            _ => self.outputs[rank][&chunk],
        };
        let chunks = (from..from + number(step, "cnt")).map(chunk).collect();
        self.wires.entry((rank, target)).or_default().push_back(chunks);
    }

    fn receive(&mut self, rank: usize, step: Element<'_>, source: usize) -> bool {
        let wire = self.wires.get_mut(&(source, rank as i64));
        let Some(chunks) = wire.and_then(VecDeque::pop_front) else { return false };
        assert_eq!(chunks.len() as i64, number(step, "cnt"));
        for (offset, chunk) in (number(step, "dstoff")..).zip(chunks) {
            assert!(offset < number(self.gpus[rank], "o_chunks"));
            assert!(self.outputs[rank].insert(offset, chunk).is_none(), "a place of its own");
        }
        true
    }
}

/// Runs an algorithm: what each rank has in its output; everything ends, and every step finds what it reads.
fn played(text: &str) -> Vec<BTreeMap<i64, Chunk>> {
    let document = roxmltree::Document::parse(text).unwrap();
    let mut player = Player::new(&document);
    let places: Vec<(usize, usize)> = (0..player.gpus.len())
        .flat_map(|rank| (0..player.blocks[rank].len()).map(move |id| (rank, id)))
        .collect();
    let mut moved = true;
    while moved {
        moved = false;
        for &(rank, id) in &places {
            moved |= player.step(rank, id);
        }
    }
    let steps =
        |blocks: &Vec<(Element<'_>, Vec<Element<'_>>)>| blocks.iter().map(|block| block.1.len()).collect();
    let all: Vec<Vec<usize>> = player.blocks.iter().map(steps).collect();
    assert_eq!(player.done, all, "everything ends");
    player.outputs
}

#[test]
fn algorithms_of_msccl_run_to_their_end() {
    let mesh = Machine::new("mesh:4x4").unwrap();
    let tree =
        Divide { shape: Shape::Binomial(4), alpha: Some(1.0), combine_alpha: None, volume: Bytes(4096) };
    let outputs = played(&emitted("msccl-xml", &divide::task_graph(&tree).unwrap(), &mesh));
    assert_eq!(
        outputs.iter().filter(|output| output.get(&0) == Some(&(0, 0))).count(),
        15,
        "all but the root"
    );
    let text = "phase,source,target,bytes\n1,0,1,64\n1,2,1,128\n2,1,3,64\n2,1,0,64\n3,0,2,192\n";
    let tasks = task_files::parse(text.as_bytes(), "a.csv").unwrap();
    let outputs = played(&emitted("msccl-xml", &tasks, &Machine::new("mesh:2x2").unwrap()));
    let held: Vec<usize> = outputs.iter().map(BTreeMap::len).collect();
    assert_eq!(held, [1, 3, 3, 1]);
    assert_eq!(outputs[1].values().copied().collect::<Vec<_>>(), [(0, 0), (2, 0), (2, 1)]);
}

#[test]
fn what_msccl_cannot_express_is_refused_with_the_reason() {
    let fits = launcher::format("msccl-xml").unwrap().fits;
    let halving =
        Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) };
    let of = |text: &str| task_files::parse(text.as_bytes(), "a.csv").unwrap();
    for (tasks, wanted) in [
        (divide::task_graph(&halving).unwrap(), "a part of what was received is passed on"),
        (of("phase,source,target,bytes\n1,0,1,0\n"), "the message from task 0 to task 1 has no bytes"),
        (
            of("phase,source,target,bytes\n1,0,1,64\n1,1,0,73\n"),
            "the largest message has 73 chunks of 1 bytes",
        ),
    ] {
        let error = fits(&tasks).unwrap_err().to_string();
        assert!(error.starts_with("msccl-xml is not possible here: ") && error.contains(wanted), "{error}");
    }
}

#[test]
fn packets_of_random_traffic_are_those_that_are_measured() {
    for name in ["mesh:6x6", "torus:5x5"] {
        let machine = Machine::new(name).unwrap();
        let mut router = Router::named("booksim", &machine).unwrap();
        router.set("virtual_channels", "2").unwrap();
        let pattern = Pattern::new("uniform", &machine).unwrap();
        let open =
            OpenLoop { pattern, load: 0.2, packet: 3, warm_up: 50, measure: 400, drain: 2000, seed: 7 };
        let measured = run_traffic(&machine, &router, &open, 1).unwrap();
        let trace = written(&machine, &Run::Traffic(router, open.clone()));
        let of = |ph: &str| -> Vec<u64> {
            let all = trace["traceEvents"].as_array().unwrap().iter();
            all.filter(|event| event["ph"] == ph).map(|event| picoseconds(&event["ts"]) / 1000).collect()
        };
        let (created, arrived) = (of("b"), of("e"));
        assert!(created.is_sorted(), "{name}");
        let window = open.warm_up..open.warm_up + open.measure;
        let latencies: Vec<u64> = created
            .iter()
            .zip(&arrived)
            .filter(|(created, _)| window.contains(created))
            .map(|(created, arrived)| arrived - created)
            .collect();
        assert_eq!(latencies.len() as u64, measured.latencies.count(), "{name}");
        assert_eq!(latencies.iter().max(), Some(&measured.latencies.max()), "{name}");
        let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
        assert!((mean - measured.latencies.mean()).abs() < 1e-9, "{name}: {mean}");
        assert_eq!(trace["otherData"]["cycles"], measured.cycles, "{name}");
    }
}

#[test]
fn groups_have_a_track_for_each_member() {
    let machine = Machine::new("mesh:6x6").unwrap().in_packets();
    let job = Job::new("hilbert", Labels::Drawn { levels: 3, kind: Drawn::Scattered });
    let method = groups::methods(Some("mask"), Some("monotone-nearest")).unwrap()[0];
    let history = groups::history(&job, &machine, method).unwrap().expect("it ends");
    let (end, count) = (history.end(), history.groups().len());
    let trace = written(&machine, &Run::Groups(history));
    let (_, last) = checked(&trace);
    assert_eq!(last, end.0 * 1000, "a step is shown as a nanosecond");
    let events = trace["traceEvents"].as_array().unwrap();
    let number = |ph: &str, name: &str| {
        events.iter().filter(|event| event["ph"] == ph && event["name"] == name).count()
    };
    assert_eq!(number("M", "thread_name"), 36);
    assert_eq!((number("b", "group"), number("e", "group")), (count, count));
}
