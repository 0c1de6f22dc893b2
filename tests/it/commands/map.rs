//! `map`: placements judged, the search, `auto`, and the schedule that is emitted.

use super::draw::Draw;
use super::twin::{self, Standing};
use super::{Answer, Case, Kind, hold_that};
use serde_json::Value;

pub(super) const MAP: Kind = Kind { verb: "map", word: "", draw, laws };

const PLACEMENTS: &[&str] =
    &["all", "auto", "all,search", "search,row-major,recursive-bisection", "random,hilbert", "auto"];
const PRESETS: &[&str] = &[
    "broadcast",
    "reduce",
    "leader-election",
    "merge-sort",
    "data-distribution",
    "matrix-chain",
    "graph-halving",
];

/// Tasks for so many nodes, and the file they may stand in.
pub(super) fn tasks(draw: &mut Draw, nodes: u32) -> (String, Option<(String, String)>) {
    match draw.number(1, 4) {
        1 => (format!("binomial:{}", nodes.ilog2()), None),
        2 => (format!("divide:{}", draw.number(1, nodes)), None),
        3 => {
            let text = matrix(draw, nodes);
            ("t.mtx".to_string(), Some(("t.mtx".to_string(), text)))
        }
        _ => {
            let text = phases(draw, nodes);
            ("t.phases.csv".to_string(), Some(("t.phases.csv".to_string(), text)))
        }
    }
}

/// Random arcs between tasks, as Matrix Market.
fn matrix(draw: &mut Draw, tasks: u32) -> String {
    let mut arcs = vec![];
    for from in 1..=tasks {
        for to in 1..=tasks {
            if from != to && draw.one_in(4) {
                arcs.push(format!("{from} {to} {}", draw.number(1, 5000)));
            }
        }
    }
    let head = "%%MatrixMarket matrix coordinate integer general";
    format!("{head}\n{tasks} {tasks} {}\n{}\n", arcs.len(), arcs.join("\n"))
}

/// Random messages in a few phases.
fn phases(draw: &mut Draw, tasks: u32) -> String {
    let mut text = "phase,source,target,bytes\n".to_string();
    for phase in 1..=draw.number(1, 3) {
        for _ in 0..draw.number(1, 2 * tasks) {
            let (from, to) = (draw.number(0, tasks - 1), draw.number(0, tasks - 1));
            if from != to {
                text += &format!("{phase},{from},{to},{}\n", draw.number(1, 3000));
            }
        }
    }
    text
}

pub(super) fn draw(draw: &mut Draw) -> Case {
    let kinds = ["mesh", "mesh", "torus", "torus", "hypercube", "gaussian", "ccc"];
    let machine = draw.machine(20, &kinds, 3);
    let nodes = u32::try_from(machine.living.len()).expect("few");
    let (tasks, file) = tasks(draw, nodes);
    let is_tree = file.is_none();
    let mut case = Case::new(&["map", &tasks, "--on", &machine.spec, "--json", "--seed", &draw.seed()]);
    case.files.extend(file.into_iter().chain(machine.file.clone()));
    case.add(&["--placement", draw.of(PLACEMENTS)]);
    if case.option("--placement").is_some_and(|names| names.contains("search")) {
        case.add(&["--steps", draw.of(&["1", "200", "2000"])]);
    }
    if draw.one_in(2) {
        case.add(&["--switching", draw.of(&["wormhole", "cut-through", "store-and-forward"])]);
    }
    case.arguments.extend(draw.costs());
    if is_tree && draw.one_in(2) {
        case.add(&["--volume", draw.of(&["1", "900", "65536", "1 MB"])]);
    }
    if is_tree && draw.one_in(5) {
        case.add(&["--combine-alpha", draw.of(&["0", "0.5", "1"])]);
    }
    if draw.one_in(6) {
        let node = draw.some(&machine.living, 1)[0];
        case.add(&["--pin", &format!("0={}", machine.named(node))]);
    }
    match is_tree.then(|| draw.number(1, 3)) {
        Some(1) => case.add(&["--preset", draw.of(PRESETS)]),
        Some(2) => case.add(&["--alpha", draw.of(&["0.5", "1", "1/3", "0.9"])]),
        _ => {}
    }
    case
}

/// The switching that the answer is about.
fn asked(case: &Case) -> String {
    let of_file = || {
        let (_, text) = case.files.iter().find(|(name, _)| name == "m.toml")?;
        let line = text.lines().find_map(|line| line.strip_prefix("switching = \""))?;
        Some(line.trim_end_matches('"').to_string())
    };
    let name = case.option("--switching").map(str::to_string).or_else(of_file);
    name.unwrap_or_else(|| "wormhole".to_string())
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let rows = answer.json["placements"].as_array().ok_or("no placements")?;
    for row in rows {
        not_below_its_bound(row)?;
    }
    let asked = asked(answer.case);
    let time = |row: &Value| row["simulated_cycles"][&asked].as_u64();
    let ended: Vec<u64> = rows.iter().filter_map(time).collect();
    if rows.iter().all(|row| row["simulated_cycles"].get(&asked).is_none()) {
        return Err(format!("no row says its time under {asked}"));
    }
    let Some(&best) = ended.iter().min() else {
        return if answer.code == 1 { Ok(()) } else { Err("all deadlock, and exit 0".to_string()) };
    };
    if answer.code != 0 {
        return Err("a placement has a time, and exit 1".to_string());
    }
    let of = |name: &str| rows.iter().find(|row| row["name"] == name).and_then(time);
    if let Some(choice) = answer.json["choice"]["placement"].as_str() {
        let chosen = of(choice).ok_or(format!("the choice {choice} has no time"))?;
        no_slower(chosen, best, "the choice", choice)?;
    }
    let searched =
        rows.iter().filter(|row| row["name"].as_str().is_some_and(|name| name.starts_with("search")));
    if let Some(searched) = searched.filter_map(time).min() {
        no_slower(searched, best, "the search", "")?;
    }
    twin::agrees(answer, standing)?;
    as_simulated(answer, best)
}

/// Under the first switching that all rows have a bound for.
fn standing(json: &Value) -> Option<Standing> {
    let rows = json["placements"].as_array()?;
    let switching = rows.first()?["bound"].as_object()?.keys().next()?;
    let least = |number: &dyn Fn(&Value) -> Option<f64>| {
        Some(rows.iter().filter_map(number).fold(f64::INFINITY, f64::min))
    };
    let bound = least(&|row| row["bound"][switching]["exact"].as_f64())?;
    let best = least(&|row| row["simulated_cycles"][switching].as_f64())?;
    Some(Standing { bound, best, is_of_machine: false })
}

fn no_slower(time: u64, best: u64, what: &str, name: &str) -> Result<(), String> {
    if time <= best { Ok(()) } else { Err(format!("{what} {name} takes {time}, a row of its table {best}")) }
}

/// Both switchings of a row: simulated no faster than its bound, which whole cycles may round.
fn not_below_its_bound(row: &Value) -> Result<(), String> {
    for (switching, time) in row["simulated_cycles"].as_object().ok_or("no times")? {
        let (Some(time), Some(bound)) = (time.as_f64(), row["bound"][switching]["exact"].as_f64()) else {
            continue;
        };
        if time + 1.0 <= bound {
            return Err(format!("{} under {switching}: {time} is below the bound {bound}", row["name"]));
        }
    }
    Ok(())
}

/// The plan on ranks: planned as it was simulated.
fn as_run(answer: &Answer<'_>, cycles: &Value) -> Result<(), String> {
    let words = ["run", "o/plan.json", "--repeat", "1", "--no-compute", "--json"].map(str::to_string);
    let told = answer.then(&words)?.ok_or("run refuses the plan")?;
    let planned = told["planned_cycles"].as_f64();
    // Where whole messages end in a ring nothing is planned.
    hold_that(planned.is_none() || planned == cycles.as_f64(), || {
        format!("run plans {planned:?} cycles, simulate {cycles}")
    })
}

/// One schedule, four times: of the fastest row, of the winner that `--out` writes, of what `--emit` writes, and of
/// `simulate`, where nodes go on without waiting for a phase to end everywhere.
fn as_simulated(answer: &Answer<'_>, best: u64) -> Result<(), String> {
    let case = answer.case;
    let mut map = case.arguments.clone();
    map.extend(["--emit", "goal:e.goal", "--emit", "certificate:c.json", "--out", "o"].map(str::to_string));
    answer.then(&map)?.ok_or("--emit and --out refuse what was answered")?;
    let check = ["check", "c.json", "--json"].map(str::to_string);
    let check = answer.then(&check)?.ok_or("the certificate is refused")?;
    if check["holds"] != true {
        return Err(format!("the certificate does not hold: {check}"));
    }
    let read = |name: &str| {
        std::fs::read_to_string(answer.folder.join(name)).map_err(|why| format!("{name}: {why}"))
    };
    let plan: Value = serde_json::from_str(&read("o/plan.json")?).map_err(|why| why.to_string())?;
    let job = &plan["jobs"][0];
    let row =
        job["results"].as_array().and_then(|rows| rows.iter().find(|row| row["method"] == job["winner"]));
    let row = row.ok_or("the plan has no winner")?;
    if row["simulated_cycles"].as_u64() != Some(best) {
        return Err(format!(
            "the plan's winner takes {}, the fastest row of map {best}",
            row["simulated_cycles"]
        ));
    }
    let schedule = job["schedule"].as_str().ok_or("the plan has no schedule")?;
    if read(&format!("o/{schedule}"))? != read("e.goal")? {
        return Err("--out and --emit write different schedules".to_string());
    }
    let mut simulate = ["simulate", "e.goal", "--json"].map(str::to_string).to_vec();
    for option in ["--on", "--switching", "--startup", "--byte-time", "--flit"] {
        if let Some(value) = case.option(option) {
            simulate.extend([option.to_string(), value.to_string()]);
        }
    }
    let simulated = answer.then(&simulate)?.ok_or("simulate refuses what map emits")?;
    if simulated["cycles"] == row["dependency_cycles"] {
        return as_run(answer, &simulated["cycles"]);
    }
    let (ours, theirs) = (&row["dependency_cycles"], &simulated["cycles"]);
    Err(format!("the schedule takes {ours} cycles in plan.json, {theirs} in simulate"))
}
