//! `race`: no row is faster than the bound, none is faster than the winner; the bound is proved again, the winner's schedule simulated again.

use super::draw::Draw;
use super::explain::with_explain;
use super::twin::{self, Standing};
use super::{Answer, Case, Kind};
use serde_json::Value;

pub(super) const RACE: Kind = Kind { verb: "race", word: "", draw, laws };

const OPERATIONS: &[&str] = &[
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-to-all",
    "barrier",
    "scan",
];

fn draw(draw: &mut Draw) -> Case {
    let operation = draw.of(OPERATIONS);
    let machine = draw.machine(16, &["mesh", "mesh", "torus", "hypercube", "gaussian"], 3);
    let mut case = Case::new(&["race", operation, "--on", &machine.spec, "--json"]);
    case.files.extend(machine.file.clone());
    if operation != "barrier" {
        case.add(&["--bytes", draw.of(&["1", "8", "100", "1000", "20000"])]);
    }
    case.arguments.extend(draw.costs());
    if draw.one_in(2) {
        case.add(&["--switching", draw.of(&["wormhole", "cut-through", "store-and-forward"])]);
    }
    if is_rooted(operation) && draw.one_in(3) {
        let root = draw.some(&machine.living, 1)[0];
        case.add(&["--root", &machine.named(root)]);
    }
    if ["reduce", "reduce-scatter", "all-reduce", "scan"].contains(&operation) && draw.one_in(3) {
        case.add(&["--combine-time", draw.of(&["1/4", "2"])]);
    }
    // A search takes seconds.
    if !draw.one_in(4) {
        case.add(&["--algorithm", published(operation)]);
    }
    case.add(&["--emit", "goal:winner.goal", "--emit", "certificate:bound.json"]);
    case
}

fn is_rooted(operation: &str) -> bool {
    ["broadcast", "reduce", "scatter", "gather"].contains(&operation)
}

/// Some of those that suit every machine.
pub(super) fn published(operation: &str) -> &'static str {
    match operation {
        "broadcast" | "reduce" => "chain,binomial,binary-tree,star,disjoint-trees",
        "scatter" | "gather" => "binomial,star",
        "all-gather" | "reduce-scatter" => "ring,bruck,direct",
        "all-reduce" => "ring,binomial,disjoint-trees,double-tree",
        "all-to-all" => "direct,bruck-exchange",
        "barrier" => "dissemination",
        _ => "scan-doubling,scan-tree,scan-chain,scan-exchange",
    }
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let bound = json["bound_cycles"].as_u64().ok_or("no bound")?;
    let mut times = vec![];
    for row in json["results"].as_array().ok_or("no results")? {
        let Some(time) = row["simulated_cycles"].as_u64() else { continue };
        // That from its own root.
        let own = row["bound_cycles"].as_u64().ok_or("a row without a bound")?;
        if time < own || own < bound {
            return Err(format!("{} takes {time}, its bound {own}, that of all {bound}", row["algorithm"]));
        }
        times.push((row["algorithm"].clone(), time, own));
    }
    let Some((_, won, bound)) = times.iter().find(|(name, ..)| *name == json["winner"]) else {
        return if answer.code == 1 { Ok(()) } else { Err(format!("no time of {}", json["winner"])) };
    };
    if let Some((name, time, _)) = times.iter().find(|(_, time, _)| time < won) {
        return Err(format!("{} wins with {won}, and {name} takes {time}", json["winner"]));
    }
    proved(answer, *bound)?;
    simulated(answer, *won)?;
    let rows = json["results"].as_array().ok_or("no results")?;
    let winner = rows.iter().find(|row| row["algorithm"] == json["winner"]).ok_or("no row of the winner")?;
    // A search takes seconds.
    if !answer.case.has("--algorithm") {
        return Ok(());
    }
    twin::agrees(answer, standing)?;
    with_explain(answer, *won, &winner["busiest_link"])
}

fn standing(json: &Value) -> Option<Standing> {
    let times = json["results"].as_array()?.iter().filter_map(|row| row["simulated_cycles"].as_f64());
    let best = times.fold(f64::INFINITY, f64::min);
    Some(Standing { bound: json["bound_cycles"].as_f64()?, best, is_of_machine: false })
}

/// The certificate proves the bound.
fn proved(answer: &Answer<'_>, bound: u64) -> Result<(), String> {
    let words = ["check", "bound.json", "--json"].map(str::to_string);
    let Some(check) = answer.then(&words)? else { return Err("the certificate is refused".to_string()) };
    let proved = check["proved_cycles"].as_u64();
    // Where the root is chosen the bound is that of any root, the certificate's that of the winner's.
    let is_chosen = is_rooted(&answer.case.arguments[1]) && !answer.case.has("--root");
    if check["holds"] == true && (proved == Some(bound) || is_chosen && proved > Some(bound)) {
        return Ok(());
    }
    Err(format!("the bound {bound} is not proved: {check}"))
}

/// The winner's schedule takes as long again.
fn simulated(answer: &Answer<'_>, won: u64) -> Result<(), String> {
    let mut words = vec!["simulate".to_string(), "winner.goal".to_string(), "--json".to_string()];
    for name in ["--on", "--startup", "--byte-time", "--flit", "--switching"] {
        words.extend(
            answer.case.option(name).map(|value| [name.to_string(), value.to_string()]).into_iter().flatten(),
        );
    }
    let Some(again) = answer.then(&words)? else { return Err("the schedule is refused".to_string()) };
    if again["cycles"].as_u64() != Some(won) {
        return Err(format!("the winner takes {won}, and its schedule {}", again["cycles"]));
    }
    Ok(())
}
