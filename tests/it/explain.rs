//! Issue 18, 5: one culprit, the critical path in sentences, and what-ifs that are really simulated.

use std::path::Path;
use std::process::Command;

use meshwright::schedule::{Message, Phases};
use meshwright::sim::{Engine, simulate};
use meshwright::topology::Machine;
use meshwright::units::{Bytes, NodeId};
use serde_json::Value;

/// Runs the program in a folder: exit code, stdout, stderr.
fn run(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.current_dir(folder).args(line.split(' ')).env("MESHWRIGHT_PROGRESS_SECONDS", "0");
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn json(folder: &Path, line: &str) -> Value {
    let (code, stdout, stderr) = run(folder, line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number: {value}"))
}

/// A number that looks random.
fn drawn(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Messages between 16 tasks in three phases, by phase, source, target, bytes.
fn graph(seed: u64) -> Vec<(u32, u32, u32, u64)> {
    let mut state = seed;
    let mut edges = Vec::new();
    while edges.len() < 36 {
        let [from, to] = [0; 2].map(|_| drawn(&mut state, 16) as u32);
        let bytes = 1 + drawn(&mut state, 10) * drawn(&mut state, 400);
        if from != to {
            edges.push((1 + edges.len() as u32 / 12, from, to, bytes));
        }
    }
    edges
}

fn trace(edges: &[(u32, u32, u32, u64)]) -> String {
    let line = |(phase, from, to, bytes): &(u32, u32, u32, u64)| format!("{phase},{from},{to},{bytes}\n");
    "phase,source,target,bytes\n".to_string() + &edges.iter().map(line).collect::<String>()
}

/// The steps follow each other without a gap and add up to the makespan, and so do the phases and the parts.
fn adds_up(told: &Value) {
    let cycles = number(&told["simulated_cycles"]);
    let mut at = 0;
    for step in told["critical_path"].as_array().unwrap() {
        assert_eq!(number(&step["begin_cycle"]), at, "{step}");
        let parts = ["startup_cycles", "transfer_cycles", "overhead_cycles", "waiting_cycles"];
        let parts: u64 = parts.iter().map(|key| number(&step[key])).sum();
        if step["kind"] == "message" {
            assert_eq!(parts, number(&step["cycles"]), "{step}");
        }
        at += number(&step["cycles"]);
    }
    assert_eq!(at, cycles);
    let parts = told["parts"].as_object().unwrap();
    assert_eq!(parts.values().map(number).sum::<u64>(), cycles);
    let phases = told["phases"].as_array().unwrap();
    if !phases.is_empty() {
        assert_eq!(phases.iter().map(|phase| number(&phase["cycles"])).sum::<u64>(), cycles);
    }
}

/// What-ifs are sorted, and their gains are those of their times.
fn is_ranked(told: &Value) {
    let cycles = number(&told["simulated_cycles"]) as f64;
    let changes = told["what_if"].as_array().unwrap();
    assert!(!changes.is_empty());
    assert!(changes.is_sorted_by_key(|change| number(&change["simulated_cycles"])));
    for change in changes {
        let gain = 1.0 - number(&change["simulated_cycles"]) as f64 / cycles;
        assert!((change["gain"].as_f64().unwrap() - gain).abs() < 1e-12, "{change}");
    }
}

/// The plan of a file tells what `map --explain` tells, of random jobs under every switching, and the culprit is the one of
/// text, sentence, picture and JSON.
#[test]
fn a_plan_is_explained_from_its_files() {
    for seed in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let switching = ["wormhole", "cut-through", "store-and-forward"][seed as usize % 3];
        let machine = ["mesh:4x5", "torus:4x4"][seed as usize / 3];
        std::fs::write(path.join("g.phases.csv"), trace(&graph(seed))).unwrap();
        let map =
            format!("map g.phases.csv --on {machine} --switching {switching} --placement snake,row-major");
        let answer = json(path, &format!("{map} --explain --json --out o"));
        let told = &answer["explain"];
        adds_up(told);
        is_ranked(told);
        let again = json(path, "explain o/plan.json --json");
        for key in ["simulated_cycles", "critical_path", "busiest_link", "what_if", "parts", "phases"] {
            assert_eq!(again[key], told[key], "seed {seed}: {key}");
        }
        let read = |name: &str| std::fs::read_to_string(path.join("o").join(name)).unwrap();
        let plan: Value = serde_json::from_str(&read("plan.json")).unwrap();
        let job = &plan["jobs"][0];
        let winner =
            job["results"].as_array().unwrap().iter().find(|one| one["method"] == job["winner"]).unwrap();
        assert_eq!(winner["simulated_cycles"], told["simulated_cycles"]);
        one_culprit(told, &answer, winner, job, &read("report.html"), &run(path, "explain o/plan.json").1);
    }
}

/// Text, sentence, picture and JSON name one link, and no other.
fn one_culprit(told: &Value, map: &Value, winner: &Value, job: &Value, page: &str, text: &str) {
    let link = &told["busiest_link"];
    for key in ["from", "to", "messages", "bytes", "busy_cycles"] {
        for other in [&winner["busiest_link"], &job["culprit"], &map["culprit"], &winner["hottest_link"]] {
            assert_eq!(link[key], other[key], "{key}");
        }
    }
    assert_eq!(link["largest"], job["culprit"]["largest"]);
    assert_eq!(link["pairs"], job["culprit"]["pairs"]);
    assert_eq!(link["relieved_cycles"], job["culprit"]["relieved_cycles"]);
    let listed = link["largest"].as_array().unwrap().len() as u64;
    assert_eq!(listed + number(&link["rest"]), number(&link["messages"]));
    let columns = if map["machine"] == "mesh:4x5" { 5 } else { 4 };
    let node = |id: &Value, gap: &str| format!("({},{gap}{})", number(id) / columns, number(id) % columns);
    let ends = |gap| format!("{} → {}", node(&link["from"], gap), node(&link["to"], gap));
    assert!(text.contains(&format!("The busiest link is {}:", ends(""))), "{text}");
    assert!(page.contains(&format!("The busiest link is {}:", ends(" "))));
    assert!(page.contains(&format!("busiest link {}:", ends(" "))), "under the ring of the picture");
    let sentence = text.lines().find(|line| line.starts_with("Over it go: ")).unwrap();
    for one in link["pairs"].as_array().unwrap() {
        let [source, target] = ["source_task", "target_task"].map(|key| number(&one[key]));
        assert!(sentence.contains(&format!("task {source} → task {target} (")), "{sentence}");
        assert!(page.contains(&format!("task {source} → task {target} (")));
    }
}

/// Where a placement of `map --json` on a mesh of four columns has the tasks.
fn nodes(map: &Value, name: &str) -> Vec<NodeId> {
    let row = map["placements"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
    let at = |place: &Value| NodeId((4 * number(&place[0]) + number(&place[1])) as u32);
    row["positions"].as_array().unwrap().iter().map(at).collect()
}

/// What the program says of a change is what the library measures of it: start-up, byte time, switching, placement, barriers and
/// a second wire, each simulated here once more.
#[test]
fn changes_are_really_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let edges = graph(11);
    std::fs::write(folder.path().join("g.phases.csv"), trace(&edges)).unwrap();
    let told =
        json(folder.path(), "map g.phases.csv --on mesh:4x4 --placement row-major,snake --explain --json");
    let (map, told) = (&told, &told["explain"]);
    let (mine, other) = match told["method"].as_str().unwrap() {
        "snake" => (nodes(map, "snake"), nodes(map, "row-major")),
        _ => (nodes(map, "row-major"), nodes(map, "snake")),
    };
    let phases = |nodes: &[NodeId]| {
        let message = |&(phase, from, to, bytes): &(u32, u32, u32, u64)| Message {
            source: nodes[from as usize],
            target: nodes[to as usize],
            bytes: Bytes(bytes),
            phase,
        };
        Phases::new(16, edges.iter().map(message).collect())
    };
    let mesh = Machine::new("mesh:4x4").unwrap();
    let transposed: Vec<NodeId> = mine.iter().map(|node| NodeId(4 * (node.0 % 4) + node.0 / 4)).collect();
    let link = &told["busiest_link"];
    let [from, to] = ["from", "to"].map(|key| NodeId(number(&link[key]) as u32));
    let doubled = Engine::Doubled(mesh.wire(from, to).unwrap());
    let half = meshwright::units::Ratio::new(1, 2).unwrap();
    let time = |machine: &Machine, nodes: &[NodeId], engine: &Engine| {
        simulate(machine, &phases(nodes), engine).unwrap().cycles.0
    };
    let whole = Engine::Message;
    let under = |name: &str| {
        let known = meshwright::topology::costs::SWITCHINGS.iter().find(|one| one.0 == name).unwrap();
        time(&mesh.clone().with_switching(known.1), &mine, &whole)
    };
    let free = meshwright::schedule::Schedule::from_phases(&phases(&mine));
    let expected = [
        (", the busiest link", time(&mesh, &mine, &doubled)),
        ("transposed", time(&mesh, &transposed, &whole)),
        ("cut-through in place", under("cut-through")),
        ("store-and-forward in place", under("store-and-forward")),
        ("the placement ", time(&mesh, &other, &whole)),
        (
            "start-up 50",
            time(&mesh.clone().with_startup(meshwright::units::Cycles(50)).unwrap(), &mine, &whole),
        ),
        ("half the byte time", time(&mesh.clone().with_byte_time(half).unwrap(), &mine, &whole)),
        ("no barriers", simulate(&mesh, &free, &whole).unwrap().cycles.0),
    ];
    for (words, cycles) in expected {
        let changes = told["what_if"].as_array().unwrap();
        let is_it = |change: &&Value| {
            let text = change["change"].as_str().unwrap();
            text.contains(words) && (words != "the placement " || text.contains("in place of"))
        };
        let found = changes.iter().find(is_it).unwrap_or_else(|| panic!("{words}: {changes:?}"));
        assert_eq!(number(&found["simulated_cycles"]), cycles, "{found}");
    }
    assert_eq!(number(&told["simulated_cycles"]), time(&mesh, &mine, &whole));
    assert_eq!(link["relieved_cycles"], expected[0].1);
}

/// Nothing is shown that cannot apply: no barriers to remove in one phase, no dead row where all live, no root in a trace.
#[test]
fn only_what_applies_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let names = |told: &Value| -> Vec<String> {
        told["what_if"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_string())
            .collect()
    };
    std::fs::write(path.join("one.phases.csv"), "phase,source,target,bytes\n1,0,3,64\n1,1,3,64\n").unwrap();
    let told =
        json(path, "map one.phases.csv --on mesh:2x2 --placement row-major --startup 0 --explain --json");
    let found = names(&told["explain"]);
    for name in ["barriers", "dead-row", "root", "placement", "startup"] {
        assert!(!found.contains(&name.to_string()), "{name}: {found:?}");
    }
    std::fs::write(path.join("m.toml"), "[machine]\ntopology = \"mesh:4x4\"\ndead = [[2, 1], [2, 2]]\n")
        .unwrap();
    let told = json(path, "map binomial:3 --on m.toml --placement bisection --explain --json");
    let found = names(&told["explain"]);
    for name in ["barriers", "dead-row", "root", "startup", "byte-time", "second-wire", "switching"] {
        assert!(found.contains(&name.to_string()), "{name}: {found:?}");
    }
    adds_up(&told["explain"]);
}

/// A schedule is explained by its own chain: computations and messages.
#[test]
fn a_schedule_is_explained() {
    let goal = "num_ranks 3\nrank 0 {\nl1: calc 50\nl2: send 8b to 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from 0\nl2: calc 30\nl2 requires l1\nl3: send 100b to 2\nl3 requires l2\n}\nrank 2 {\nl1: recv 100b from 1\n}\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.goal"), goal).unwrap();
    let report = json(folder.path(), "simulate a.goal --on mesh:3 --explain --json");
    let told = &report["explain"];
    assert_eq!(report["cycles"], told["simulated_cycles"]);
    let steps = told["critical_path"].as_array().unwrap();
    let found: Vec<(&str, u64)> =
        steps.iter().map(|step| (step["kind"].as_str().unwrap(), number(&step["cycles"]))).collect();
    assert_eq!(found, [("computation", 50), ("message", 110), ("computation", 30), ("message", 202)]);
    adds_up(told);
    let text = run(folder.path(), "simulate a.goal --on mesh:3 --explain").1;
    assert!(text.contains("task 1 at (1) computes for 30 cycles."), "{text}");
    let (code, _, stderr) = run(folder.path(), "simulate a.goal --on mesh:3 --explain --engine flit");
    assert!(code == Some(2) && stderr.contains("only whole messages tell who waits for whom"), "{stderr}");
}

/// A load that asks for its own ports is explained on them, whoever wins; the linear programme has the messages that follow it.
#[test]
fn a_load_is_explained_on_its_own_ports() {
    let scenario = |machine: &str, job: &str| {
        format!(
            "[machine]\ntopology = \"mesh:3x3\"\nports = \"{machine}\"\n\n[[load]]\nname = \"one\"\nsources = [{{ at = [1, 1] }}]\nsigma = 0.3\n{job}\n"
        )
    };
    let one = "node_ports = \"one\"";
    let jobs = [
        ("all", one, "equal", "programme"),
        ("all", one, "installments", "installments"),
        ("one", "node_ports = \"all\"", "equal", "equal"),
        ("one", "results = 0.5", "equal", "programme"),
    ];
    for (machine, job, method, winner) in jobs {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let text = scenario(machine, &format!("{job}\nmethods = [\"{method}\"]"));
        std::fs::write(path.join("a.toml"), text).unwrap();
        let (code, _, stderr) = run(path, "plan a.toml --out o");
        assert_eq!(code, Some(0), "{stderr}");
        let plan = std::fs::read_to_string(path.join("o/plan.json")).unwrap();
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let job = &plan["jobs"][0];
        assert_eq!((job["winner"].as_str(), job["schedule_method"].as_str()), (Some(winner), Some(winner)));
        let row = job["results"].as_array().unwrap().iter().find(|row| row["method"] == winner).unwrap();
        let told = json(path, "explain o/plan.json --json");
        assert_eq!(told["simulated_cycles"], row["simulated_cycles"], "{machine} {method}");
        adds_up(&told);
    }
}

/// What is no plan is refused with the place, and nothing is a panic.
#[test]
fn what_is_no_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, _, stderr) = run(path, "explain a.goal");
    assert!(code == Some(2) && stderr.contains("--explain"), "{stderr}");
    assert_eq!(run(path, "map binomial:3 --on mesh:2x4 --placement growing --out o").0, Some(0));
    let plan = std::fs::read_to_string(path.join("o/plan.json")).unwrap();
    let at =
        plan.find("\"placement\":[").expect("the plan tells where the tasks are") + "\"placement\":[".len();
    let end = plan[at..].find(',').unwrap();
    for (bad, words) in
        [("99", "a living node for each"), ("-1", "a living node for each"), ("\"a\"", "living")]
    {
        std::fs::write(path.join("o/plan.json"), format!("{}{bad}{}", &plan[..at], &plan[at + end..]))
            .unwrap();
        let (code, _, stderr) = run(path, "explain o/plan.json");
        assert!(code == Some(2) && stderr.contains(words), "{bad}: {stderr}");
    }
    std::fs::write(path.join("o/plan.json"), plan.replace("binomial-3.phases.csv", "../x.phases.csv"))
        .unwrap();
    let (code, _, stderr) = run(path, "explain o/plan.json");
    assert!(code == Some(2) && stderr.contains("in the folder of the plan"), "{stderr}");
    std::fs::write(
        path.join("o/plan.json"),
        plan.replace("\"tasks\":\"binomial-3", "\"other\":\"binomial-3"),
    )
    .unwrap();
    let (code, text, stderr) = run(path, "explain o/plan.json");
    assert!(code == Some(0) && text.contains("critical path"), "the schedule alone is explained: {stderr}");
}
