//! `explain`: the story adds up to the makespan, and blames the link that the plan blames.

use super::draw::Draw;
use super::{Answer, Case, Kind, map};
use serde_json::Value;

pub(super) const EXPLAIN: Kind = Kind { verb: "map", word: "--out", draw, laws };

fn draw(draw: &mut Draw) -> Case {
    let mut case = map::draw(draw);
    case.add(&["--out", "o"]);
    case
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let text = std::fs::read_to_string(answer.folder.join("o/plan.json")).map_err(|why| why.to_string())?;
    let plan: Value = serde_json::from_str(&text).map_err(|why| why.to_string())?;
    let job = &plan["jobs"][0];
    let rows = job["results"].as_array().ok_or("no results")?;
    let Some(row) = rows.iter().find(|row| row["method"] == job["winner"]) else { return Ok(()) };
    let words = ["explain", "o/plan.json", "--json"].map(str::to_string);
    let told = answer.then(&words)?.ok_or("explain refuses what map wrote")?;
    if row["simulated_cycles"] != told["simulated_cycles"] {
        return Err(format!(
            "{} cycles explained, the plan has {}",
            told["simulated_cycles"], row["simulated_cycles"]
        ));
    }
    adds_up(&told, &row["busiest_link"])
}

/// The same command with `--explain`: its story, beside the link that is told without it.
pub(super) fn with_explain(answer: &Answer<'_>, end: u64, busiest: &Value) -> Result<(), String> {
    // Schedules are not written again, and a story that cannot be told is refused.
    let mut words = answer.case.without(&["--emit"]);
    words.push("--explain".to_string());
    let Some(told) = answer.then(&words)? else { return Ok(()) };
    if told["explain"]["simulated_cycles"].as_u64() != Some(end) {
        return Err(format!("{} cycles explained, without that {end}", told["explain"]["simulated_cycles"]));
    }
    adds_up(&told["explain"], busiest)
}

/// The parts of a story are its makespan, and its link is the one that is told elsewhere.
fn adds_up(told: &Value, busiest: &Value) -> Result<(), String> {
    let end = told["simulated_cycles"].as_u64().ok_or("no time")?;
    let parts = told["parts"].as_object().ok_or("no parts")?;
    let sum: u64 = parts.values().filter_map(Value::as_u64).sum();
    if sum != end {
        return Err(format!("parts of {sum} cycles in {end}: {}", told["parts"]));
    }
    let ends = |link: &Value| [link["from"].clone(), link["to"].clone()];
    if ends(&told["busiest_link"]) != ends(busiest) {
        return Err(format!("{} is blamed, elsewhere {busiest}", told["busiest_link"]));
    }
    without_holes(told, end)?;
    for change in told["what_if"].as_array().ok_or("no changes")? {
        let (Some(time), Some(gain)) = (change["simulated_cycles"].as_f64(), change["gain"].as_f64()) else {
            continue;
        };
        if end > 0 && (gain - (1.0 - time / end as f64)).abs() > 1e-9 {
            return Err(format!("{change} of {end}"));
        }
    }
    Ok(())
}

/// Each piece of the critical path begins where that before it ends.
fn without_holes(told: &Value, end: u64) -> Result<(), String> {
    let mut now = 0;
    for piece in told["critical_path"].as_array().ok_or("no critical path")? {
        let (begin, cycles) = (piece["begin_cycle"].as_u64(), piece["cycles"].as_u64());
        let (Some(begin), Some(cycles)) = (begin, cycles) else {
            return Err(format!("a piece without times: {piece}"));
        };
        if begin != now {
            return Err(format!("a piece begins at {begin}, that before it ends at {now}"));
        }
        now = begin + cycles;
    }
    if now == end { Ok(()) } else { Err(format!("the critical path ends at {now} of {end}")) }
}
