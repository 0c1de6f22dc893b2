//! `groups`: splits on three engines, and operations of one group on every structure.

use super::draw::Draw;
use super::{Answer, Case, Kind};
use serde_json::Value;

pub(super) const SPLITS: Kind = Kind { verb: "groups", word: "", draw: draw_splits, laws: laws_of_splits };
pub(super) const COLLECTIVES: Kind =
    Kind { verb: "groups", word: "--collective", draw: draw_collectives, laws: laws_of_collectives };

fn draw_splits(draw: &mut Draw) -> Case {
    let machine = draw.machine(24, &["mesh", "mesh", "torus", "hypercube"], 4);
    let mut case = Case::new(&["groups", "--on", &machine.spec, "--json"]);
    let seed = draw.seed();
    case.files.extend(machine.file.clone());
    if draw.one_in(3) {
        let mut text = "node,label\n".to_string();
        for &node in &machine.living {
            if !draw.one_in(4) {
                text += &format!("{node},{}\n", draw.number(0, 3));
            }
        }
        case.files.push(("l.csv".to_string(), text));
        case.add(&["--labels", "l.csv"]);
    } else {
        case.add(&["--seed", &seed, "--levels", draw.of(&["1", "2", "4"]), "--repeat", draw.of(&["1", "3"])]);
        match draw.number(1, 4) {
            1 => case.add(&["--contiguous"]),
            2 => {
                case.add(&["--colours", draw.of(&["1", "2", "5"])]);
                if draw.one_in(2) {
                    case.add(&["--keys", draw.of(&["1", "3", "1000"])]);
                }
            }
            _ => {}
        }
    }
    if !machine.sides.is_empty() && draw.one_in(2) {
        case.add(&["--order", draw.of(&["row", "column", "snake", "hilbert"])]);
    }
    if draw.one_in(2) {
        case.add(&["--split", draw.of(&["paper", "paper-fast", "mask", "tac", "sort", "auto"])]);
    }
    if draw.one_in(2) {
        case.add(&["--tree", draw.of(&["rank-halving", "monotone-nearest", "ecrb2", "ecrb4", "auto"])]);
    }
    let engine = draw.of(&["packet", "message", "flit"]);
    case.add(&["--engine", engine]);
    if draw.one_in(4) {
        case.add(&["--asynchronous"]);
    }
    if draw.one_in(4) && engine != "message" {
        case.add(&["--buffers", draw.of(&["1", "2", "9"])]);
    }
    case
}

fn laws_of_splits(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let (time, bound) = (json["simulated_cycles"].as_f64(), json["bound_cycles"].as_f64());
    match (time, bound) {
        (Some(time), Some(bound)) if time < bound => {
            Err(format!("simulated {time} is below the bound {bound}"))
        }
        (None, _) if answer.code == 0 => Err("no time, and exit 0".to_string()),
        _ => members_are_kept(json),
    }
}

/// The new groups of one split hold the members it had, each once.
fn members_are_kept(json: &Value) -> Result<(), String> {
    let trees = json["trees"].as_array().map(Vec::as_slice).unwrap_or_default();
    let vertices = json["vertices"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sum: u64 = trees.iter().filter_map(|tree| Some(tree["members"].as_array()?.len() as u64)).sum();
    let labelled = vertices.iter().filter(|vertex| !vertex["label"].is_null()).count() as u64;
    if vertices.is_empty() || trees.is_empty() || sum == labelled {
        return Ok(());
    }
    Err(format!("{sum} members in {} new groups, {labelled} before", trees.len()))
}

fn draw_collectives(draw: &mut Draw) -> Case {
    let machine = draw.machine(24, &["mesh", "mesh", "torus", "hypercube"], 1_000_000);
    let mut case = Case::new(&["groups", &machine.spec, "--json", "--collective"]);
    let operation = draw.of(&["barrier", "broadcast", "reduce", "all-reduce", "scan", "gather"]);
    case.add(&[operation]);
    if operation == "barrier" {
        case.add(&["--emit", "barrier-table:b.json"]);
    }
    if draw.one_in(2) {
        case.add(&["--overhead", draw.of(&["0", "1", "7"]), "--link-delay", draw.of(&["1", "2", "5"])]);
    }
    if machine.living.len() > 2 && draw.one_in(2) {
        let most = u32::try_from(machine.living.len()).expect("few");
        case.add(&["--random-members", &draw.number(1, most).to_string(), "--seed", &draw.seed()]);
    }
    case
}

fn laws_of_collectives(answer: &Answer<'_>) -> Result<(), String> {
    if answer.case.has("--emit") {
        let check = answer.then(&["check", "b.json", "--json"].map(str::to_string))?;
        let check = check.ok_or("the table is refused")?;
        if check["holds"] != true {
            return Err(format!("the table does not hold: {check}"));
        }
    }
    let rows = answer.json["structures"].as_array().ok_or("no structures")?;
    for row in rows {
        let (time, bound) = (row["simulated_cycles"].as_f64(), row["bound_cycles"].as_f64());
        if time.zip(bound).is_some_and(|(time, bound)| time < bound) {
            return Err(format!("{}: {time:?} is below {bound:?}", row["name"]));
        }
    }
    // What does not end is slower than all that do.
    let time = |row: &Value| row["simulated_cycles"].as_u64().unwrap_or(u64::MAX);
    let chosen = rows.iter().find(|row| row["name"] == answer.json["chosen"]).ok_or("none is chosen")?;
    match rows.iter().map(time).min() {
        Some(best) if time(chosen) > best => {
            Err(format!("the chosen takes {}, another {best} cycles", time(chosen)))
        }
        _ => Ok(()),
    }
}
