//! `split` asked for something else than shares: each answer beside that of another command.

use super::draw::{Draw, Drawn};
use super::split::sources;
use super::{Answer, Case, Kind, hold_that as hold};
use serde_json::Value;

const fn kind(
    word: &'static str,
    draw: fn(&mut Draw) -> Case,
    laws: fn(&Answer<'_>) -> Result<(), String>,
) -> Kind {
    Kind { verb: "split", word, draw, laws }
}

pub(super) const QUEUES: Kind = kind("--queues", draw_queues, queues);
pub(super) const NEXT: Kind = kind("--next", draw_next, next);
pub(super) const PLACE: Kind = kind("--place", draw_place, place);
pub(super) const MATRIX: Kind = kind("matrix", draw_matrix, matrix);
pub(super) const TIMING: Kind = kind("timing", draw_timing, timing);
pub(super) const PIECES: Kind = kind("--pieces", draw_pieces, pieces);

/// Linear programmes and flows end within such a part of their optimum.
const EXACT: f64 = 1e-6;

/// A machine and sigma.
fn begin(draw: &mut Draw) -> (Case, Drawn) {
    let machine = draw.machine(16, &["mesh", "mesh", "torus", "hypercube"], 4);
    let mut case = Case::new(&["split", &machine.spec, "--json"]);
    case.files.extend(machine.file.clone());
    case.add(&["--sigma", draw.of(&["0.02", "0.1", "0.3", "1", "2.5", "1/3"])]);
    (case, machine)
}

fn number(value: &Value, what: &str) -> Result<f64, String> {
    value[what].as_f64().ok_or_else(|| format!("no number {what}: {value}"))
}

fn list<'v>(value: &'v Value, what: &str) -> Result<&'v [Value], String> {
    value[what].as_array().map(Vec::as_slice).ok_or_else(|| format!("no list {what}: {value}"))
}

fn equal(a: f64, b: f64, what: &str) -> Result<(), String> {
    if (a - b).abs() <= EXACT * a.abs().max(b.abs()) { Ok(()) } else { Err(format!("{what}: {a} and {b}")) }
}

/// A source as `--from` takes it: node, part of the load, release.
fn source(node: &Value, load: f64, release: f64) -> String {
    format!("{node}={load}@{release}")
}

/// The same command with other sources and these words more.
fn again(answer: &Answer<'_>, from: &[String], more: &[&str]) -> Result<Value, String> {
    let sigma = answer.case.option("--sigma").expect("it was drawn");
    let mut words =
        ["split", &answer.case.arguments[1], "--json", "--sigma", sigma].map(str::to_string).to_vec();
    words.extend(from.iter().flat_map(|source| ["--from".to_string(), source.clone()]));
    for name in ["--ports", "--results"] {
        let value = answer.case.option(name).map(|value| [name.to_string(), value.to_string()]);
        words.extend(value.into_iter().flatten());
    }
    words.extend(more.iter().map(ToString::to_string));
    answer.then(&words)?.ok_or_else(|| format!("refused: {}", words.join(" ")))
}

/// No schedule of these sources ends earlier.
fn optimum(answer: &Answer<'_>, from: &[String]) -> Result<f64, String> {
    number(&again(answer, from, &["--method", "optimum"])?["bound"], "makespan")
}

fn draw_queues(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    let count = (draw.number(1, 3) as usize).min(machine.living.len());
    for node in draw.some(&machine.living, count) {
        let rate = draw.of(&["0.3", "1", "2.5", "7"]);
        case.add(&["--from", &format!("{}={rate}", machine.named(node))]);
    }
    case.add(&["--queues"]);
    case
}

/// Rates a little below the factor that is told can be worked off, and none above it.
fn queues(answer: &Answer<'_>) -> Result<(), String> {
    let told = &answer.json["queues"];
    let (factor, stable) = (number(told, "factor")?, told["stable"] == true);
    // What just can be worked off piles up whenever it comes unevenly.
    hold(stable == (factor > 1.0) && stable == (answer.code == 0), || {
        format!("exit {}, and {told}", answer.code)
    })?;
    let cut = &told["tightest"];
    equal(number(cut, "capacity")?, factor * number(cut, "demand")?, "capacity and factor times demand")?;
    for (part, expected) in [(0.999, true), (1.001, false)] {
        let rates = list(&answer.json, "sources")?.iter();
        let from: Result<Vec<String>, String> =
            rates.map(|one| Ok(source(&one["node"], number(one, "rate")? * factor * part, 0.0))).collect();
        let told = again(answer, &from?, &["--queues"])?;
        hold(told["queues"]["stable"] == expected, || {
            format!("{part} of what is possible: {}", told["queues"])
        })?;
    }
    Ok(())
}

fn draw_next(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    sources(draw, &machine, &mut case);
    case.add(&["--next"]);
    if draw.one_in(2) {
        case.add(&[draw.of(&["0.1", "0.5", "0.9"])]);
    }
    case.add(&["--places", draw.of(&["1", "3", "9"]), "--method", "optimum"]);
    if draw.one_in(3) {
        case.add(&["--ports", draw.of(&["one", "2"])]);
    }
    if draw.one_in(4) {
        case.add(&["--results", "0.5"]);
    }
    case
}

/// The machine with the further source has the makespan that is told; the best stands first.
fn next(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let share = number(json, "next_share")?;
    let before = number(&json["bound"], "makespan")?;
    let mut least = 0.0;
    for place in list(json, "next_sources")? {
        let told = number(place, "makespan")?;
        hold(told >= least * (1.0 - EXACT), || format!("{told} stands after {least}"))?;
        least = told;
        equal(number(place, "gain")?, before / told, "the gain")?;
        let mut from = vec![];
        for one in list(json, "sources")? {
            let load = number(one, "load")? * (1.0 - share);
            from.push(source(&one["node"], load, number(one, "release")?));
        }
        from.push(source(&place["node"], share, 0.0));
        equal(told, optimum(answer, &from)?, &format!("with a source at {}", place["node"]))?;
    }
    Ok(())
}

fn draw_place(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    let node = draw.some(&machine.living, 1)[0];
    case.add(&["--from", &machine.named(node), "--place", draw.of(&["1", "2", "3"])]);
    case
}

/// What is told of the places is so.
fn place(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let (told, bound) = (number(json, "makespan")?, number(json, "bound")?);
    hold(told >= bound * (1.0 - EXACT), || format!("{told} is below the bound {bound}"))?;
    let of = |nodes: &[Value]| -> Result<f64, String> {
        let load = 1.0 / nodes.len() as f64;
        optimum(answer, &nodes.iter().map(|node| source(node, load, 0.0)).collect::<Vec<_>>())
    };
    let placed: Vec<Value> = list(json, "placed")?.iter().map(|place| place["node"].clone()).collect();
    equal(told, of(&placed)?, "at the places")?;
    equal(number(json, "makespan_before")?, of(&[json["sources"][0]["node"].clone()])?, "before")
}

fn draw_matrix(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    let node = draw.some(&machine.living, 1)[0];
    case.add(&["--from", &machine.named(node), "--show", "matrix"]);
    case
}

/// Shares add up to the load, and are those of the method's rows, which are never negative.
fn matrix(answer: &Answer<'_>) -> Result<(), String> {
    let layers: Vec<f64> = list(&answer.json, "layers")?.iter().filter_map(Value::as_f64).collect();
    let from = answer.case.option("--from").expect("it was drawn").to_string();
    let rows = again(answer, &[from], &["--method", "flow-matrix"])?;
    let rows = list(&rows, "methods")?;
    for matrix in list(&answer.json, "matrices")? {
        for point in list(matrix, "points")? {
            let shares: Vec<f64> = list(point, "shares")?.iter().filter_map(Value::as_f64).collect();
            let sum: f64 = shares.iter().zip(&layers).map(|(share, nodes)| share * nodes).sum();
            equal(sum, 1.0, "the sum of shares")?;
            if shares.iter().any(|share| *share < 0.0) {
                continue;
            }
            let speedup = number(point, "speedup")?;
            equal(
                speedup,
                1.0 / number(point, "equivalent_inverse_speed")?,
                "speed-up and equivalent speed",
            )?;
            let row = rows.iter().find(|row| row["switching"] == matrix["switching"]);
            let row = row.ok_or_else(|| format!("no row of {}", matrix["switching"]))?;
            equal(speedup, number(row, "speedup")?, "speed-up of matrix and row")?;
        }
    }
    Ok(())
}

fn draw_timing(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    sources(draw, &machine, &mut case);
    case.add(&["--show", "timing"]);
    case
}

/// In a simulation nobody does two things at a time, or anything after the end.
fn timing(answer: &Answer<'_>) -> Result<(), String> {
    for diagram in list(&answer.json, "timings")?.iter().filter(|diagram| diagram["of"] == "simulation") {
        let end = number(diagram, "makespan")?;
        let name = format!("{} under {}", diagram["method"], diagram["switching"]);
        for row in list(diagram, "rows")? {
            for what in ["communication", "computing"] {
                let mut last = 0.0;
                for bar in list(row, what)? {
                    let (from, to) = (bar[0].as_f64().ok_or("no begin")?, bar[1].as_f64().ok_or("no end")?);
                    let is_so = from >= -EXACT && to >= from && to <= end * (1.0 + EXACT);
                    hold(is_so, || format!("{name}, {}: {what} {bar} of {end}", row["label"]))?;
                    let is_alone = what == "communication" || from >= last - EXACT;
                    hold(is_alone, || format!("{name}, {}: {what} {bar} after {last}", row["label"]))?;
                    last = to;
                }
            }
        }
    }
    Ok(())
}

fn draw_pieces(draw: &mut Draw) -> Case {
    let (mut case, machine) = begin(draw);
    let node = draw.some(&machine.living, 1)[0];
    let mut text = "piece,size\n".to_string();
    for piece in 0..draw.number(1, 30) {
        text += &format!("p{piece},{}\n", draw.of(&["1", "2", "7", "25", "40"]));
    }
    case.files.push(("pieces.csv".to_string(), text));
    case.add(&["--from", &machine.named(node), "--pieces", "pieces.csv"]);
    if draw.one_in(3) {
        case.add(&["--startup", draw.of(&["0.001", "0.1", "0.7"])]);
    }
    if draw.one_in(2) {
        super::split::variant(draw, &machine, &mut case);
    }
    case
}

/// Every piece has one node; no row is below the bound or faster than the winner, which is no slower than the source alone.
fn pieces(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let bound = number(&json["bound"], "makespan")?;
    let cut_anywhere = answer.then(&answer.case.without(&["--pieces"]))?;
    if let Some(least) = cut_anywhere.as_ref().and_then(|split| split["bound"]["makespan"].as_f64()) {
        hold(bound >= least * (1.0 - EXACT), || format!("{bound}, but cut anywhere it takes {least}"))?;
    }
    let rows = list(json, "methods")?;
    let mut least = f64::INFINITY;
    for row in rows {
        let time = number(row, "makespan")?;
        hold(time >= bound * (1.0 - EXACT), || format!("{} is below the bound {bound}", row["name"]))?;
        least = least.min(time);
    }
    let winner = rows.iter().filter(|row| row["name"] == json["winner"]);
    let won = winner.filter_map(|row| row["makespan"].as_f64()).fold(f64::INFINITY, f64::min);
    hold(won <= least, || format!("the winner takes {won}, another {least}"))?;
    // Results that go elsewhere must be sent in any case.
    let stays = !answer.case.has("--results-at");
    hold(!stays || won <= 1.0 + EXACT, || format!("the winner takes {won}, the source alone 1"))?;
    let (_, text) = answer.case.files.iter().find(|(name, _)| name == "pieces.csv").expect("it was drawn");
    let mut asked: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let mut given: Vec<&str> =
        list(json, "assignment")?.iter().filter_map(|one| one["piece"].as_str()).collect();
    asked.sort_unstable();
    given.sort_unstable();
    hold(asked == given, || format!("{} pieces were asked for, {} have a node", asked.len(), given.len()))
}
