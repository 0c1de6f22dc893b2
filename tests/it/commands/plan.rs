//! `plan`: every job's winner is its fastest row, and no row is faster than its bound.

use super::draw::Draw;
use super::map::tasks;
use super::{Answer, Case, Kind, race};
use serde_json::Value;

pub(super) const PLAN: Kind = Kind { verb: "plan", word: "", draw, laws };

fn draw(draw: &mut Draw) -> Case {
    let machine = draw.machine(16, &["mesh", "mesh", "torus", "hypercube"], 1);
    let (name, mut text) = machine.file.clone().expect("every one has a file");
    let nodes = u32::try_from(machine.living.len()).expect("few");
    let mut case = Case::new(&["plan", "s.toml", "--json", "--seed", &draw.seed()]);
    for number in 0..draw.number(1, 2) {
        match draw.number(1, 4) {
            1 => {
                let (tasks, file) = tasks(draw, nodes);
                let is_new =
                    !case.files.iter().any(|(name, _)| file.as_ref().is_some_and(|file| file.0 == *name));
                case.files.extend(file.filter(|_| is_new));
                text += &format!("[[divide]]\nname = \"d{number}\"\ntasks = \"{tasks}\"\n");
            }
            2 => text += &load(draw, &machine.living, number),
            3 => {
                let operation = draw.of(&["broadcast", "scatter", "all-gather", "all-reduce", "scan"]);
                let bytes = draw.of(&["8", "1000", "20000"]);
                text += &format!("[[collective]]\nname = \"c{number}\"\noperation = \"{operation}\"\n");
                text += &format!(
                    "bytes = {bytes}\nalgorithm = {:?}\n",
                    race::published(operation).split(',').collect::<Vec<_>>()
                );
            }
            _ => {
                let engine = draw.of(&["packet", "message", "flit"]);
                text += &format!(
                    "[[groups]]\nname = \"g{number}\"\nrandom = {}\nrepeat = 2\nengine = \"{engine}\"\n",
                    draw.number(1, 3)
                );
            }
        }
    }
    _ = name;
    case.files.push(("s.toml".to_string(), text));
    case
}

fn load(draw: &mut Draw, living: &[u32], number: u32) -> String {
    let count = draw.number(1, 2) as usize;
    let sources: Vec<String> =
        draw.some(living, count.min(living.len())).iter().map(|node| format!("{{ at = {node} }}")).collect();
    let sigma = draw.of(&["0.05", "0.3", "1"]);
    let mut text =
        format!("[[load]]\nname = \"l{number}\"\nsigma = {sigma}\nsources = [{}]\n", sources.join(", "));
    if draw.one_in(4) {
        text += "results = 0.5\n";
    }
    for (one_in, line) in [
        (4, "front_end = false"),
        (8, "node_ports = 2"),
        (8, "duplex = \"half\""),
        (8, "memory = 0.2"),
        (6, "next = \"equal\""),
        (6, "every = 900000"),
        (6, "dynamic = [\"resolved\", \"steal-level\"]\ndrift = \"halve:0.5\""),
        (6, "deadline = 500000"),
        (6, "front = true"),
    ] {
        if draw.one_in(one_in) {
            text += &format!("{line}\n");
        }
    }
    text
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let mut all_end = true;
    for job in answer.json["jobs"].as_array().ok_or("no jobs")? {
        let rows = job["results"].as_array().ok_or("no results")?;
        let time = |row: &Value| row["simulated_cycles"].as_u64();
        for row in rows {
            let bound = row["bound_cycles"].as_f64();
            if let (Some(time), Some(bound)) = (time(row), bound)
                && (time as f64) + 1.0 < bound * (1.0 - 1e-5)
            {
                return Err(format!("{} of {}: {time} is below {bound}", name(row), job["name"]));
            }
        }
        // A load may have a bound and no schedule on the machine that was asked for; it says so.
        all_end &= job["winner"].is_string() || job["kind"] == "load";
        let winner = rows.iter().find(|row| *name(row) == job["winner"]).and_then(time);
        let best = rows.iter().filter_map(time).min();
        if winner.zip(best).is_some_and(|(own, best)| own > best) {
            return Err(format!(
                "{}: the winner {} takes {winner:?}, another {best:?}",
                job["name"], job["winner"]
            ));
        }
    }
    match (all_end, answer.code) {
        (false, 0) => Err("a job has no winner, and exit 0".to_string()),
        (true, 1) => Err("every job has a winner, and exit 1".to_string()),
        _ => Ok(()),
    }
}

/// The method of a row, or its algorithm.
fn name(row: &Value) -> &Value {
    row.get("method").unwrap_or(&row["algorithm"])
}
