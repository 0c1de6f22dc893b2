//! Times of completion: the forecast against its definition and the referee, bounds on random commands, files.

use std::path::Path;
use std::process::Command;

use meshwright_core::rng::stream;
use meshwright_core::units::{Bytes, Cycles, Hops, NodeId, Ratio};
use meshwright_mapping::completion::{Completion, Folded, Form, Work, shape_on};
use meshwright_mapping::divide::PRESETS;
use meshwright_mapping::{Divide, Request, Shape, divide, place};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::completion::{Question, curve};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// The recursion of section 3 on n = 2^k cores, `local` levels of them within a node: when the result of a problem that is here
/// at `begin` is ready.
struct Definition<'a> {
    job: &'a Completion,
    machine: &'a Machine,
    cores: u64,
    local: u64,
}

impl Definition<'_> {
    fn message(&self, part: u64, alpha: f64, volume: Bytes) -> u64 {
        let share = (part as f64 / self.cores as f64).powf((1.0 / alpha).log2());
        let bytes = ((volume.0 as f64 * share).round() as u64).max(1);
        self.machine.costs().alone_ticks(self.machine.switching(), Bytes(bytes), Hops(1))
    }

    fn work(&self, form: &Form, part: u64) -> u64 {
        let elements = self.job.size as f64 * part as f64 / self.cores as f64;
        form.cycles(elements).unwrap() * self.machine.costs().ticks_per_cycle()
    }

    fn ready(&self, part: u64, begin: u64) -> u64 {
        let (mut now, mut part, mut children) = (begin, part, Vec::new());
        while part > 1 {
            let (whole, is_local) = (part, part <= self.local);
            part /= 2;
            let (mut child, mut leaves) = (begin, begin);
            if let Some(alpha) = self.job.divide.alpha {
                now += self.work(&self.job.work.divide, whole);
                let way = if is_local { 0 } else { self.message(part, alpha, self.job.divide.volume) };
                (child, leaves) = (now + way, now + way);
            }
            children.push((whole, is_local, self.ready(part, child)));
            now = now.max(leaves);
        }
        now += self.work(&self.job.work.leaf, 1);
        for (whole, is_local, ready) in children.into_iter().rev() {
            now = match self.job.divide.combine_alpha {
                Some(_) if is_local => now.max(ready),
                Some(alpha) => now.max(ready + self.message(whole / 2, alpha, self.job.result)),
                None => now.max(ready),
            };
            if self.job.divide.combine_alpha.is_some() {
                now += self.work(&self.job.work.combine, whole);
            }
        }
        now
    }
}

#[test]
fn forecasts_follow_the_definition() {
    for preset in PRESETS {
        for (n, cores, switching) in
            [(0, 1, Switching::Wormhole), (5, 1, Switching::StoreAndForward), (4, 4, Switching::Wormhole)]
        {
            let machine = Machine::new("hypercube:5").unwrap().with_switching(switching);
            let volume = Bytes(1 << 14);
            let job = Completion {
                divide: Divide {
                    shape: Shape::Binomial(n),
                    alpha: preset.alpha,
                    combine_alpha: preset.combine_alpha,
                    volume,
                },
                result: Bytes(1 << 10),
                size: 1 << 12,
                work: Work::of(preset, 7.0),
                per_node: cores,
                cores,
                host: false,
            };
            let definition = Definition {
                job: &job,
                machine: &machine,
                cores: u64::from(cores) << n,
                local: cores.into(),
            };
            let ready = definition.ready(u64::from(cores) << n, 0);
            let forecast = Folded::new(&job).unwrap().forecast_ticks(&machine, |_, _| Hops(1));
            assert_eq!(forecast, ready, "{} on 2^{n} nodes of {cores} cores", preset.name);
        }
    }
}

/// Neighbours in a hypercube are neighbours in the tree: nobody waits, and the bound is met.
#[test]
fn on_a_hypercube_the_bound_is_met() {
    for preset in PRESETS {
        let question = Question {
            nodes: (0..=6).map(|e| 1 << e).collect(),
            work: Work::of(preset, 20.0),
            alpha: preset.alpha,
            combine_alpha: preset.combine_alpha,
            ..question()
        };
        let report = curve(&question, &Machine::new("hypercube:6").unwrap(), &mut |_| {}).unwrap();
        assert_eq!(report.completion.len(), 7);
        for row in &report.completion {
            assert_eq!(row.bound_cycles, row.simulated_cycles, "{} on {} nodes", preset.name, row.nodes);
            assert_eq!(row.predicted_cycles, row.simulated_cycles);
        }
        assert!(report.best.is_proved);
        let least = report.completion.iter().map(|row| row.simulated_cycles).min();
        assert_eq!(Some(report.best.simulated_cycles), least);
    }
}

/// The closed form of `docs/completion-time.md` for merge sort on neighbours.
#[test]
fn merge_sort_on_neighbours_has_a_closed_form() {
    let question = Question { nodes: (0..=7).map(|k| 1 << k).collect(), ..question() };
    let report = curve(&question, &Machine::new("hypercube:7").unwrap(), &mut |_| {}).unwrap();
    for (k, row) in (0u64..).zip(&report.completion) {
        // c = 100, b = 1, h = 2; 65536 bytes, 16384 elements, 4 cycles a comparison.
        let message = |i: u64| 100 + (65536 >> (i + 1)) + 2;
        let levels: u64 = (0..k).map(|i| 2 * message(i) + 4 * (16384 >> i)).sum();
        let leaf = 4 * (16384 >> k) * (14 - k);
        assert_eq!(row.simulated_cycles, levels + leaf, "{} nodes", row.nodes);
    }
}

fn question() -> Question {
    Question {
        name: "binomial:10".to_string(),
        computation: None,
        alpha: Some(0.5),
        combine_alpha: Some(0.5),
        volume: Bytes(1 << 16),
        result: Bytes(1 << 16),
        size: 1 << 14,
        work: Work::parse("leaf=4nlogn,combine=4n", None).unwrap(),
        nodes: vec![1, 2, 4, 8],
        per_node: vec![1],
        tasks_max: 1 << 10,
        cores: 1,
        host: false,
        placements: vec![],
        seed: 0,
    }
}

fn random_machine(random: &mut ChaCha8Rng) -> Machine {
    let names = [
        "mesh:5x7",
        "mesh:8x8",
        "torus:6x6",
        "mesh:3x4x3",
        "mesh:40",
        "hypercube:5",
        "torus:4x9",
        "mesh:1x1",
    ];
    let machine = Machine::new(names[random.random_range(0..names.len())]).unwrap();
    let costs = Costs {
        startup: Cycles(random.random_range(0..300)),
        byte_time: Ratio::new(random.random_range(0..5), random.random_range(1..4)).unwrap(),
        flit: Bytes(random.random_range(0..5)),
    };
    let switching = SWITCHINGS[random.random_range(0..SWITCHINGS.len())].1;
    let mut machine = machine.with_switching(switching).with_costs(costs).unwrap();
    // A line with holes falls apart.
    if random.random_bool(0.3) && machine.nodes() > 30 && machine.nodes() != 40 {
        machine = machine.with_dead(vec![NodeId(7), NodeId(20)]).unwrap();
    }
    machine
}

fn random_job(machine: &Machine, random: &mut ChaCha8Rng) -> Completion {
    let alphas = [Some(1.0), Some(0.5), Some(0.25), Some(0.7), None];
    let alpha = alphas[random.random_range(0..5)];
    let combine_alpha = alphas[random.random_range(0..if alpha.is_some() { 5 } else { 4 })];
    let forms = ["0", "3n", "nlogn", "50+2n", "0.01n^2", "700"];
    let mut form = || Form::parse(forms[random.random_range(0..forms.len())]).unwrap();
    let work = Work { divide: form(), leaf: form(), combine: form() };
    let cores = [1, 1, 2, 3, 4][random.random_range(0..5)];
    let per_node = match random.random_range(0..3) {
        0 => 1,
        1 => cores,
        _ => cores * random.random_range(1..5),
    };
    let nodes = random.random_range(1..=machine.living_count());
    let volume = Bytes(random.random_range(1..20_000));
    Completion {
        divide: Divide { shape: shape_on(machine, nodes).unwrap(), alpha, combine_alpha, volume },
        result: Bytes(random.random_range(1..20_000)),
        size: random.random_range(1..5_000),
        work,
        per_node,
        cores,
        host: random.random_bool(0.5),
    }
}

/// bound <= predicted <= simulated, and predicted = simulated where no message waits.
#[test]
fn no_simulation_is_faster_than_bound_or_forecast() {
    let (mut waited, mut equal, mut tight) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = stream(seed, "completion");
        let machine = random_machine(&mut random);
        let job = random_job(&machine, &mut random);
        let folded = Folded::new(&job).unwrap();
        let graph = divide::in_proportion(&job.divide).unwrap();
        let methods = ["centred-halving", "growing", "bisection", "row-major", "random"];
        let method = methods[random.random_range(0..methods.len())];
        let Ok(placement) = place(method, &Request::of(&graph, &machine, seed)) else { continue };
        let schedule = folded.schedule(&placement, &machine);
        assert_eq!(schedule.verify(), Ok(()), "seed {seed}");
        let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
        if trace.deadlock.is_some() {
            continue;
        }
        let bound = folded.bound_ticks(&machine);
        let what = format!("seed {seed}: {method} on {}, {job:?}", machine.name());
        assert!(bound <= trace.ticks, "bound {bound}, simulated {}: {what}", trace.ticks);
        if machine.dead().is_empty() {
            let nodes = &placement.nodes;
            let hops = |from: u32, to: u32| {
                machine.distance(nodes[from as usize], nodes[to as usize]).expect("the machine is whole")
            };
            let forecast = folded.forecast_ticks(&machine, hops);
            assert!(
                bound <= forecast && forecast <= trace.ticks,
                "{bound}, {forecast}, {}: {what}",
                trace.ticks
            );
            match trace.longest_wait {
                Some(_) => waited += 1,
                None => assert_eq!(forecast, trace.ticks, "{what}"),
            }
            equal += usize::from(forecast == trace.ticks);
            tight += usize::from(bound == trace.ticks);
        }
    }
    assert!(waited > 20 && equal > 100 && tight > 20, "{waited} waited, {equal} equal, {tight} tight");
}

/// Ports and overheads make nothing faster.
#[test]
fn bounds_hold_with_one_port_and_overhead() {
    for seed in 0..100 {
        let mut random = stream(seed, "completion, ports");
        let machine = random_machine(&mut random);
        let machine = match seed % 2 {
            0 => machine.with_port_model(PortModel::One),
            _ => machine.with_endpoints(Endpoints { overhead: Cycles(40), gap: Cycles(90) }).unwrap(),
        };
        let job = random_job(&machine, &mut random);
        let folded = Folded::new(&job).unwrap();
        let graph = divide::in_proportion(&job.divide).unwrap();
        let Ok(placement) = place("bisection", &Request::of(&graph, &machine, seed)) else { continue };
        let trace = simulate(&machine, &folded.schedule(&placement, &machine), &Engine::Message).unwrap();
        if trace.deadlock.is_none() {
            let bound = folded.bound_ticks(&machine);
            assert!(bound <= trace.ticks, "seed {seed}: {bound} and {}", trace.ticks);
        }
    }
}

/// All the work there is, on one core after the other, whatever the tree: by definition, summed task by task.
#[test]
fn work_of_uneven_trees_is_in_proportion() {
    let job = Completion {
        divide: Divide {
            shape: Shape::Halving(vec![5, 7]),
            alpha: Some(0.5),
            combine_alpha: Some(0.5),
            volume: Bytes(3500),
        },
        result: Bytes(3500),
        size: 3500,
        work: Work::parse("leaf=3n,combine=2n", None).unwrap(),
        per_node: 1,
        cores: 1,
        host: false,
    };
    let folded = Folded::new(&job).unwrap();
    assert_eq!(folded.leaf, 300, "3500 / 35 elements at each leaf");
    let mut held = vec![0u64; 35];
    held[34] = 3500;
    for one in &folded.handovers {
        assert_eq!(
            one.work_combine,
            2 * held[one.parent as usize],
            "the whole of what was divided is combined"
        );
        assert_eq!(one.down, one.up);
        held[one.parent as usize] -= one.down.0;
        held[one.child as usize] = one.down.0;
    }
    assert_eq!(held, [100; 35]);
}

fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .current_dir(folder)
        .args(line.split(' '))
        .env("MESHWRIGHT_PROGRESS_SECONDS", "0")
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

const SORT: &str = "map binomial:8 --on mesh:16x16 --preset merge-sort --volume 256KiB --size 65536 --work 6";

/// The schedule that is written is simulated by `simulate` in the time that `map` told.
#[test]
fn the_best_schedule_is_written_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (options, folder_name) in
        [("--nodes 1..256", "a"), ("--nodes 3..100 --cores 4 --host --per-node 4..16", "b")]
    {
        let line = format!("{SORT} {options} --json --out {folder_name}");
        let (code, out, error) = run(folder.path(), &line);
        assert_eq!((code, error.as_str()), (0, ""), "{line}");
        let report: Value = serde_json::from_str(&out).unwrap();
        let rows = report["completion"].as_array().unwrap();
        let cycles = |row: &Value| row["simulated_cycles"].as_u64().unwrap();
        assert_eq!(Some(cycles(&report["best"])), rows.iter().map(cycles).min());
        for row in rows {
            assert!(row["bound_cycles"].as_u64().unwrap() <= cycles(row), "{row}");
            assert!(row["nodes"].is_u64() && row["depth"].is_u64());
        }
        let (code, out, _) =
            run(folder.path(), &format!("simulate {folder_name}/best.goal --on mesh:16x16 --json"));
        assert_eq!(code, 0);
        let simulated: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(simulated["cycles"].as_u64(), Some(cycles(&report["best"])));
        let drawing =
            std::fs::read_to_string(folder.path().join(folder_name).join("completion.svg")).unwrap();
        assert!(drawing.contains("best: "), "the best point is marked");
    }
}

/// Footnote 1 of the paper: a tree of more tasks than nodes.
#[test]
fn a_tree_larger_than_the_machine_has_several_tasks_at_a_node() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "map binomial:8 --on mesh:8x8").0, 2);
    let (code, out, _) =
        run(folder.path(), "map binomial:8 --on mesh:8x8 --per-node 4 --preset merge-sort --work 5 --json");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    let row = &report["completion"][0];
    assert_eq!(
        (&row["nodes"], &row["per_node"], &row["depth"], &row["tasks"]),
        (&64.into(), &4.into(), &8.into(), &256.into())
    );
}

/// M5 of the list of defects: merge sort of 900 bytes on three tasks needs 300 each.
#[test]
fn merge_sort_on_three_tasks_sends_600_then_300() {
    let folder = tempfile::tempdir().unwrap();
    let phased = "map divide:3 --on mesh:3 --placement centred-halving --preset merge-sort --volume 900 --emit goal:phased.goal";
    assert_eq!(run(folder.path(), phased).0, 0);
    let timed = "map divide:3 --on mesh:3 --preset merge-sort --volume 900 --work 1 --out timed";
    assert_eq!(run(folder.path(), timed).0, 0);
    for file in ["phased.goal", "timed/best.goal"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let mut sent: Vec<u64> = text
            .lines()
            .filter_map(|line| line.split_once("send ")?.1.split_once('b')?.0.parse().ok())
            .collect();
        sent.sort_unstable();
        assert_eq!(sent, [300, 300, 600, 600], "{file}: down and up");
    }
}

#[test]
fn what_cannot_be_timed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, wanted) in [
        ("map binomial:4 --on mesh:4x4 --work x", "leaf=2nlogn"),
        ("map binomial:4 --on mesh:4x4 --work leaf=3m", "n^1.5"),
        ("map binomial:4 --on mesh:4x4 --nodes 0", "1..1024"),
        ("map binomial:4 --on mesh:4x4 --nodes 17", "at most 16"),
        ("map binomial:4 --on mesh:4x4 --nodes 16 --per-node 2", "16 tasks at most"),
        ("map binomial:4 --on mesh:4x4 --per-node 3", "divisor"),
        ("map binomial:4 --on mesh:4x4 --work 1 --nodes 2 --per-node 3 --cores 2", "multiple of 2"),
        ("map binomial:4 --on mesh:4x4 --work 1 --placement search", "search"),
        ("map binomial:4 --on mesh:4x4 --work 1 --emit goal:x.goal", "--out"),
        ("map complete-binary:4 --on mesh:4x4 --work 1", "binomial:N"),
        ("map binomial:4 --on mesh:4x4 --work 1e30", "cycles"),
        ("map binomial:1 --on wormhole --work 1", "mesh:8x8"),
    ] {
        let (code, out, error) = run(folder.path(), line);
        assert_eq!((code, out.as_str()), (2, ""), "{line}");
        assert!(error.contains(wanted), "{line}: {error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{line} writes nothing");
    }
}
