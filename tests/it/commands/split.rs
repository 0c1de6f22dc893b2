//! `split` and `check`: rows, winner, front, doing nothing, and what `check` says of the rows.

use super::draw::{Draw, Drawn};
use super::hold_that;
use super::twin::{self, Standing};
use super::{Answer, Case, Kind};
use serde_json::Value;

pub(super) const SPLIT: Kind = Kind { verb: "split", word: "", draw, laws };

/// Makespans are fractions; times are whole cycles of a unit of work of at least 10^6.
const ROUNDING: f64 = 1e-5;

fn draw(draw: &mut Draw) -> Case {
    let kinds = ["mesh", "mesh", "torus", "hypercube"];
    let machine = draw.machine(20, &kinds, 4);
    let mut case = Case::new(&["split", &machine.spec, "--json"]);
    case.files.extend(machine.file.clone());
    sources(draw, &machine, &mut case);
    case.add(&["--sigma", draw.of(&["0.02", "0.1", "0.3", "0.5", "1", "2.5", "1/3"])]);
    if draw.one_in(3) {
        case.add(&["--startup", draw.of(&["0.005", "0.1", "0.5", "0.9", "2"])]);
    }
    if draw.one_in(3) {
        case.add(&["--front"]);
    }
    if draw.one_in(4) {
        case.add(&[
            "--switching",
            draw.of(&["cut-through", "modified-store-and-forward", "store-and-forward"]),
        ]);
    }
    let methods = if draw.one_in(6) {
        draw.of(&["optimum", "installments", "optimum,installments", "flow-matrix", "voronoi"])
    } else {
        "all"
    };
    case.add(&["--method", methods]);
    if draw.one_in(6) && !["flow-matrix", "voronoi"].contains(&methods) {
        case.add(&["--chunks", draw.of(&["1", "4", "100"])]);
    }
    variant(draw, &machine, &mut case);
    if draw.one_in(6) {
        case.add(&["--deadline", draw.of(&["0.1", "0.3", "0.9"])]);
    }
    if draw.one_in(6) {
        case.add(&["--reduction", draw.of(&["peel", "literal", "literal-min", "node"])]);
    }
    if draw.one_in(6) {
        case.add(&["--ties", draw.of(&["lowest", "nobody", "both"])]);
    }
    if machine.file.is_none() && draw.one_in(6) {
        let text = speeds(draw, &machine);
        case.files.push(("speeds.csv".to_string(), text));
        case.add(&["--speeds", "speeds.csv"]);
    }
    case
}

pub(super) fn sources(draw: &mut Draw, machine: &Drawn, case: &mut Case) {
    let count = if draw.one_in(2) { 1 } else { draw.number(1, 4) as usize };
    for node in draw.some(&machine.living, count.min(machine.living.len())) {
        let mut word = machine.named(node);
        if count > 1 && draw.one_in(2) {
            word += draw.of(&["=1", "=0.5", "=3"]);
        }
        if draw.one_in(6) {
            word += draw.of(&["@0.1", "@0.5", "@0"]);
        }
        case.add(&["--from", &word]);
    }
}

pub(super) fn variant(draw: &mut Draw, machine: &Drawn, case: &mut Case) {
    if draw.one_in(6) {
        case.add(&["--ports", draw.of(&["one", "one", "2"])]);
    }
    if draw.one_in(8) {
        case.add(&["--no-front-end"]);
    }
    if draw.one_in(8) {
        case.add(&["--results", draw.of(&["0.1", "0.5", "1"])]);
        if draw.one_in(3) {
            let home = draw.some(&machine.living, 1)[0];
            case.add(&["--results-at", &machine.named(home)]);
        }
    }
    if draw.one_in(10) {
        case.add(&["--memory", draw.of(&["0.05", "0.3", "2"])]);
    }
    if draw.one_in(8) {
        case.add(&["--duplex", "half"]);
    }
}

fn speeds(draw: &mut Draw, machine: &Drawn) -> String {
    let mut text = "node,to,time\n".to_string();
    for &node in &machine.living {
        if draw.one_in(3) {
            text += &format!("{node},,{}\n", draw.of(&["0.5", "2", "3.5"]));
        }
    }
    text
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let rows = json["methods"].as_array().ok_or("no methods")?;
    for row in rows {
        not_below_its_bound(row, json)?;
    }
    let cycles = |row: &Value| row["simulated_cycles"].as_u64();
    let winner = json["winner"].as_str();
    // One method may stand there under several switchings.
    let named = rows.iter().filter(|row| winner.is_some_and(|name| row["name"] == name));
    if let Some(winner) = named.min_by_key(|row| cycles(row).unwrap_or(u64::MAX)) {
        if let (Some(own), Some(best)) = (cycles(winner), rows.iter().filter_map(cycles).min())
            && own > best
        {
            return Err(format!("the winner {} takes {own}, a row of its table {best}", winner["name"]));
        }
        against_the_front(winner, json)?;
        against_doing_nothing(answer, winner)?;
    }
    deadline(json, rows)?;
    twin::agrees(answer, standing)?;
    is_eased(answer)?;
    agrees_with_check(answer)
}

/// In millionths of the time in which one processor works the load off.
fn standing(json: &Value) -> Option<Standing> {
    let least = json["bound"]["makespan"].as_f64()?;
    let speedups = json["methods"].as_array()?.iter().filter_map(|row| row["simulated_speedup"].as_f64());
    let best = 1.0 / speedups.fold(0.0, f64::max);
    Some(Standing { bound: 1e6 * least, best: 1e6 * best, is_of_machine: true })
}

/// Options that make a question harder, each with a value or not.
const BURDENS: &[(&str, bool)] = &[
    ("--startup", true),
    ("--ports", true),
    ("--no-front-end", false),
    ("--results", true),
    ("--memory", true),
    ("--duplex", true),
];

/// A question without one of its burdens has a bound that is no greater, and an answer that is hardly slower.
fn is_eased(answer: &Answer<'_>) -> Result<(), String> {
    // Programmes count moments in steps; what is known of the shares of the thesis is how they are sent.
    const STEPS: f64 = 1e-3;
    const HARDLY: f64 = 0.1;
    let standing = |json: &Value| Some((json["bound"]["makespan"].as_f64()?, planned(json)));
    let Some((bound, best)) = standing(&answer.json) else { return Ok(()) };
    for &(burden, has_value) in BURDENS {
        let Some(at) = answer.case.arguments.iter().position(|word| word == burden) else { continue };
        let mut words = answer.case.arguments.clone();
        words.drain(at..=at + usize::from(has_value));
        let Some((eased_bound, eased)) = answer.then(&words)?.as_ref().and_then(standing) else { continue };
        let is_slower = best.zip(eased).is_some_and(|(best, eased)| eased > best * (1.0 + HARDLY));
        hold_that(eased_bound <= bound * (1.0 + STEPS) && !is_slower, || {
            format!(
                "without {burden}: {eased_bound} to {eased:?} where with it {bound} to {best:?} are known"
            )
        })?;
    }
    Ok(())
}

/// The makespan of our own installments, in units of w Tcp.
fn planned(json: &Value) -> Option<f64> {
    let mut rows = json["methods"].as_array()?.iter();
    let row = rows.find(|row| row["name"] == "installments")?;
    Some(1.0 / row["simulated_speedup"].as_f64()?)
}

/// What a row does in time is possible, and what is possible no bound rules out.
fn deadline(json: &Value, rows: &[Value]) -> Result<(), String> {
    let told = &json["deadline"];
    let Some(end) = told["makespan"].as_f64() else { return Ok(()) };
    let speedups = rows.iter().filter_map(|row| row["simulated_speedup"].as_f64());
    let best = 1.0 / speedups.fold(f64::MIN_POSITIVE, f64::max);
    let least = json["bound"]["makespan"].as_f64().ok_or("no bound")?;
    let is_met = best <= end * (1.0 - ROUNDING);
    if is_met && told["possible"] != true || told["possible"] == true && least > end * (1.0 + ROUNDING) {
        return Err(format!("{told}, the best row takes {best}, the bound is {least}"));
    }
    Ok(())
}

fn not_below_its_bound(row: &Value, json: &Value) -> Result<(), String> {
    let name = &row["name"];
    let (Some(time), Some(bound)) = (row["simulated_cycles"].as_f64(), row["bound_cycles"].as_f64()) else {
        return Ok(());
    };
    if time + 1.0 < bound * (1.0 - ROUNDING) {
        return Err(format!("{name}: {time} is below its bound {bound}"));
    }
    match (row["simulated_speedup"].as_f64(), json["bound"]["makespan"].as_f64()) {
        (Some(speedup), Some(least)) if 1.0 / speedup < least * (1.0 - ROUNDING) => Err(format!(
            "{name}: makespan {} below the least of the machine that was asked for, {least}",
            1.0 / speedup
        )),
        _ => Ok(()),
    }
}

fn against_the_front(winner: &Value, json: &Value) -> Result<(), String> {
    let front = json["front"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (Some(own), Some(best)) = (
        winner["simulated_cycles"].as_u64(),
        front.iter().filter_map(|row| row["simulated_cycles"].as_u64()).min(),
    ) else {
        return Ok(());
    };
    if own == best {
        Ok(())
    } else {
        Err(format!("the winner {} takes {own}, the best of the front {best}", winner["name"]))
    }
}

/// Every source works off its own load when it is there.
fn against_doing_nothing(answer: &Answer<'_>, winner: &Value) -> Result<(), String> {
    let json = &answer.json;
    if answer.case.has("--speeds") || answer.case.has("--method") {
        return Ok(());
    }
    let kept = json["sources"].as_array().ok_or("no sources")?.iter();
    let kept =
        kept.map(|source| source["load"].as_f64().unwrap_or(0.0) + source["release"].as_f64().unwrap_or(0.0));
    let kept = kept.fold(0.0, f64::max);
    match winner["simulated_speedup"].as_f64() {
        Some(speedup) if 1.0 / speedup > kept * (1.0 + ROUNDING) => {
            Err(format!("the winner {} has makespan {}, doing nothing {kept}", winner["name"], 1.0 / speedup))
        }
        _ => Ok(()),
    }
}

/// `check` reads the answer: what it refuses no row claims, and the other way round.
fn agrees_with_check(answer: &Answer<'_>) -> Result<(), String> {
    std::fs::write(answer.folder.join("x.json"), answer.json.to_string()).expect("there is room");
    let mut words = ["check", "x.json", "--json"].map(str::to_string).to_vec();
    if answer.case.has("--speeds") {
        words.extend(["--speeds", "speeds.csv"].map(str::to_string));
    }
    let Some(checked) = answer.then(&words)? else { return Ok(()) };
    let rows = answer.json["methods"].as_array().ok_or("no methods")?;
    for claim in checked["claims"].as_array().ok_or("check has no claims")? {
        let row =
            rows.iter().find(|row| row["name"] == claim["name"] && row["switching"] == claim["switching"]);
        let is_usual = !answer.case.has("--chunks") && !answer.case.has("--front");
        if is_usual && claim["name"] == "installments" && claim["feasible"] != true {
            return Err(format!("check does not find the schedule of split: {claim}"));
        }
        // Undecided is no refusal: nothing refutes it, and nobody has found a schedule.
        let is_decided = |one: &Value| one["reading"] != "undecided";
        if let Some(row) = row
            && row["feasible"] != claim["feasible"]
            && is_decided(row)
            && is_decided(claim)
        {
            return Err(format!(
                "{}: feasible {} in split, {} in check",
                row["name"], row["feasible"], claim["feasible"]
            ));
        }
    }
    Ok(())
}
