//! `split --dynamic`: no policy is faster than what is known beforehand of everything, none than the winner.

use super::draw::Draw;
use super::split::sources;
use super::{Answer, Case, Kind, hold_that as hold};

pub(super) const DYNAMIC: Kind = Kind { verb: "split", word: "--dynamic", draw, laws };

/// The bound is a linear programme's.
const EXACT: f64 = 1e-6;

fn draw(draw: &mut Draw) -> Case {
    let machine = draw.machine(16, &["mesh", "mesh", "torus", "hypercube"], 4);
    let mut case = Case::new(&["split", &machine.spec, "--json"]);
    case.files.extend(machine.file.clone());
    sources(draw, &machine, &mut case);
    case.add(&["--sigma", draw.of(&["0.01", "0.1", "0.3", "1"])]);
    let policies =
        ["all", "all", "resolved,guided", "fixed,diffusion", "steal-nearest,steal-level,trapezoid"];
    case.add(&["--dynamic", draw.of(&policies), "--seed", &draw.seed()]);
    if draw.one_in(3) {
        case.add(&["--arrivals", draw.of(&["once", "poisson:8@0.8", "poisson:3@0.2", "poisson:20@2"])]);
    }
    if draw.one_in(2) {
        case.add(&[
            "--drift",
            draw.of(&["halve", "halve:0.3", "collapse:0.2", "walk:8", "die", "halve:0.5+die"]),
        ]);
    }
    if draw.one_in(2) {
        case.add(&["--grains", draw.of(&["1", "5", "200"])]);
    }
    if draw.one_in(3) {
        case.add(&["--repeat", draw.of(&["2", "5"])]);
    }
    case
}

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let json = &answer.json;
    let mut ended = vec![];
    for policy in json["policies"].as_array().ok_or("no policies")? {
        let name = policy["name"].as_str().ok_or("a policy without a name")?;
        if let Some(idle) = policy["idle"].as_f64()
            && !(-EXACT..=1.0 + EXACT).contains(&idle)
        {
            return Err(format!("{name} is idle for {idle} of the time"));
        }
        let response = |of: &str| policy["response"][of].as_f64().unwrap_or(0.0);
        hold(response("p50") <= response("p99"), || format!("{name}: {}", policy["response"]))?;
        let (Some(time), Some(bound)) = (policy["makespan"].as_f64(), policy["bound"].as_f64()) else {
            continue;
        };
        if time < bound * (1.0 - EXACT) {
            return Err(format!("{name} takes {time}, and nothing less than {bound}"));
        }
        let longest = response("p99").max(response("mean"));
        hold(longest <= time * (1.0 + EXACT), || {
            format!("{name} takes {time}, and a load waits for {longest}")
        })?;
        if policy["unfinished"] == 0 {
            ended.push((name, time));
        }
    }
    let winner = ended.iter().find(|(name, _)| json["winner"] == *name);
    match winner {
        None if ended.is_empty() => {
            hold(answer.code == 1, || format!("nobody ends, and exit {}", answer.code))
        }
        None => Err(format!("the winner {} does not end, {} does", json["winner"], ended[0].0)),
        Some((name, won)) => {
            let best = ended.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("the winner ends");
            hold(*won <= best.1, || format!("the winner {name} takes {won}, {} {}", best.0, best.1))?;
            as_planned(answer, *won)
        }
    }
}

/// Where nothing changes the bound is that of `split`, and with all policies nobody loses by taking part.
fn as_planned(answer: &Answer<'_>, won: f64) -> Result<(), String> {
    let case = answer.case;
    let changes = |name: &str, nothing: &str| case.option(name).is_some_and(|word| word != nothing);
    if changes("--drift", "none") || changes("--arrivals", "once") {
        return Ok(());
    }
    let mut words = case.without(&["--dynamic", "--seed", "--arrivals", "--drift", "--grains", "--repeat"]);
    words.extend(["--method", "optimum"].map(str::to_string));
    let split = answer.then(&words)?.ok_or("split refuses what --dynamic takes")?;
    let least = split["bound"]["makespan"].as_f64().ok_or("no bound of split")?;
    let bound = answer.json["bound"].as_f64().ok_or("no bound")?;
    hold((bound - least).abs() <= EXACT * least, || format!("the bound is {bound}, that of split {least}"))?;
    let sources = split["sources"].as_array().ok_or("no sources")?;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
    let kept = sources.iter().map(|source| number(&source["load"]) + number(&source["release"]));
    let kept = kept.fold(0.0, f64::max);
    let is_all = case.option("--dynamic") == Some("all");
    hold(!is_all || won <= kept * (1.0 + EXACT), || format!("the winner takes {won}, doing nothing {kept}"))
}
