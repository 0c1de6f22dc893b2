//! `simulate` of a schedule: no engine is faster than light, or than what one node sends.

use super::draw::Draw;
use super::explain::with_explain;
use super::{Answer, Case, Kind};

pub(super) const SCHEDULE: Kind = Kind { verb: "simulate", word: "", draw, laws };

fn draw(draw: &mut Draw) -> Case {
    let machine = draw.machine(16, &["mesh", "mesh", "torus", "hypercube", "gaussian"], 4);
    let text = schedule(draw, &machine.living);
    let mut case = Case::new(&["simulate", "s.goal", "--on", &machine.spec, "--json"]);
    case.files.extend(machine.file);
    case.files.push(("s.goal".to_string(), text));
    case.arguments.extend(draw.costs());
    case.add(&["--switching", draw.of(&["wormhole", "cut-through", "store-and-forward"])]);
    if draw.one_in(2) {
        case.add(&["--engine", draw.of(&["message", "flit"])]);
    }
    case
}

/// Messages one after another in a random order of nodes: each node sends after all it has received before.
fn schedule(draw: &mut Draw, living: &[u32]) -> String {
    let nodes = living.iter().max().expect("nodes") + 1;
    let mut lines: Vec<Vec<String>> = vec![vec![]; nodes as usize];
    let mut last: Vec<Option<String>> = vec![None; nodes as usize];
    for number in 0..draw.number(1, 12) {
        let ends = draw.some(living, 2);
        let [from, to] = ends[..] else { break };
        let bytes = draw.number(1, 300);
        let (send, receive) = (format!("s{number}"), format!("r{number}"));
        lines[from as usize].push(format!("{send}: send {bytes}b to {to} tag {number}"));
        lines[to as usize].push(format!("{receive}: recv {bytes}b from {from} tag {number}"));
        for (node, label) in [(from, send), (to, receive)] {
            if let Some(before) = last[node as usize].replace(label.clone())
                && draw.one_in(2)
            {
                lines[node as usize].push(format!("{label} requires {before}"));
            }
        }
    }
    let ranks = lines.iter().enumerate().filter(|(_, lines)| !lines.is_empty());
    let ranks: Vec<String> =
        ranks.map(|(rank, lines)| format!("rank {rank} {{\n{}\n}}\n", lines.join("\n"))).collect();
    format!("num_ranks {nodes}\n{}", ranks.concat())
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let cycles = json["cycles"].as_u64();
    if answer.code == 1 {
        let is_told = json["deadlock"].is_array() && cycles.is_none();
        return if is_told {
            Ok(())
        } else {
            Err(format!("exit 1, cycles {cycles:?}: {}", json["deadlock"]))
        };
    }
    let cycles = cycles.ok_or("exit 0 without a time")?;
    with_explain(answer, cycles, &json["busiest_link"])?;
    on_ranks(answer)?;
    let costs = |name: &str, otherwise: f64| {
        answer.case.option(name).map_or(otherwise, |word| match word.split_once('/') {
            Some((p, q)) => p.parse::<f64>().expect("a number") / q.parse::<f64>().expect("a number"),
            None => word.parse().expect("a number"),
        })
    };
    if answer.case.files.iter().any(|(name, _)| name == "m.toml") {
        return Ok(());
    }
    let (startup, byte_time) = (costs("--startup", 100.0), costs("--byte-time", 1.0));
    let (_, text) = answer.case.files.iter().find(|(name, _)| name == "s.goal").expect("it was drawn");
    let sends = text.lines().filter(|line| line.contains(": send "));
    let bytes =
        sends.filter_map(|line| line.split_whitespace().nth(2)?.trim_end_matches('b').parse::<f64>().ok());
    let longest = bytes.fold(0.0, f64::max);
    if longest > 0.0 && (cycles as f64) + 1.0 < startup + byte_time * longest {
        return Err(format!("{cycles} cycles for a message of {longest} bytes over a link"));
    }
    let busy = json["busiest_link"]["busy_cycles"].as_u64().or(json["hottest_link"]["busy_cycles"].as_u64());
    match busy {
        Some(busy) if busy > cycles => Err(format!("a link is busy for {busy} of {cycles} cycles")),
        _ => Ok(()),
    }
}

/// `run` brings every byte on threads.
fn on_ranks(answer: &Answer<'_>) -> Result<(), String> {
    let case = answer.case;
    let words =
        ["run", "s.goal", "--repeat", "1", "--json", "--on", case.option("--on").expect("it was drawn")];
    let told = answer.then(&words.map(str::to_string))?.ok_or("run refuses what was simulated")?;
    let (_, text) = case.files.iter().find(|(name, _)| name == "s.goal").expect("it was drawn");
    let bytes = |line: &str| line.split_once(": send ")?.1.split('b').next()?.parse::<u64>().ok();
    let sent: u64 = text.lines().filter_map(bytes).sum();
    match told["verified_bytes"].as_u64() {
        Some(verified) if verified == sent => Ok(()),
        verified => Err(format!("{verified:?} of {sent} bytes are verified")),
    }
}
