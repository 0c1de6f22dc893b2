//! Claimed schedules of a divisible load, read from JSON: written by hand, or what `split --json` prints.

use std::path::Path;

use serde_json::Value;

use super::keys::Keys;
use super::load::forwarding;
use super::load_further as words;
use super::object::{Object, machine, number, syntax};
use super::places::Change;
use super::source::ScenarioText as Text;
use meshwright_core::error::Result;
use meshwright_core::text::one_line;
use meshwright_core::units::NodeId;
use meshwright_load::lp::Variant;
use meshwright_load::{Cells, Forwarding, Problem, Source, Speeds, UNUSED, layers};
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{Claimed, Terms};

/// What a file claims, and of which load.
#[derive(Clone, Debug)]
pub struct ClaimFile {
    /// What the load is divided on.
    pub machine: Machine,
    /// Where it enters; releases in units of w Tcp.
    pub sources: Vec<Source>,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Processors and links, if they are not all alike.
    pub speeds: Option<Speeds>,
    /// Ports, front ends, results, wires and start-ups.
    pub terms: Terms,
    /// The claims, in the order of the file.
    pub claims: Vec<Claimed>,
    /// The machine of the file, where another one was named in its place.
    pub replaced: Option<String>,
}

impl ClaimFile {
    /// The problem of which it is claimed.
    ///
    /// # Errors
    ///
    /// As for [`Problem::new`] and [`Problem::with_speeds`].
    pub fn problem(&self) -> Result<Problem<'_>> {
        let problem = Problem::new(&self.machine, self.sources.clone(), self.sigma)?;
        match &self.speeds {
            Some(speeds) => problem.with_speeds(speeds.clone()),
            None => Ok(problem),
        }
    }
}

/// Reads a file of claims.
///
/// It is one object with `machine`, `sigma`, `sources` (nodes, or objects with `at` or `node`, `load`, `release`) and
/// a claim: `makespan` or `speedup`; `shares` by node, or `fractions` by hops from the nearest source (where both stand, as
/// in what `split` prints, the shares); `switching`. With `methods`, a list of claims, each of them is one. `ports`,
/// `front_end`, `results`, `duplex` (or an object `variant` of them) and `startup`, in units of w Tcp, say on which terms.
///
/// # Errors
///
/// [`Parse`](meshwright_core::Error::Parse) with the place of what is wrong; [`Io`](meshwright_core::Error::Io) when the file cannot be read.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::claim;
/// let text = r#"{"machine": "mesh:2x2", "sigma": "1/2", "sources": [0], "speedup": 3.5, "fractions": [0.3, 0.3, 0.1]}"#;
/// let file = claim::read_bytes("a.json".as_ref(), text.into())?;
/// assert_eq!(file.claims[0].shares, [0.3, 0.3, 0.3, 0.1]);
/// let error = claim::read_bytes("a.json".as_ref(), "{\n  \"sigma\": nan\n}".into()).unwrap_err();
/// assert!(error.to_string().starts_with("a.json:2:13: "));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn read(path: &Path) -> Result<ClaimFile> {
    read_on(path, &Change::default())
}

/// Reads the same for a machine that a command line changes: another one in its place, more of it dead.
///
/// # Errors
///
/// As for [`read`], and for the other machine.
pub fn read_on(path: &Path, change: &Change) -> Result<ClaimFile> {
    file(&Text::read(path)?, change)
}

/// Reads the same from bytes; `path` is what errors call it.
///
/// # Errors
///
/// As for [`read`].
pub fn read_bytes(path: &Path, bytes: Vec<u8>) -> Result<ClaimFile> {
    file(&Text::from_bytes(path, bytes)?, &Change::default())
}

fn file(text: &Text, change: &Change) -> Result<ClaimFile> {
    let value: Value = serde_json::from_str(&text.text).map_err(|error| syntax(text, &error))?;
    let Value::Object(entries) = &value else {
        return Err(text.error(
            0..1,
            "the file is no object",
            "{ \"machine\": …, \"sigma\": …, \"sources\": … }",
        ));
    };
    let object = Object { text, entries, from: 0 };
    hold(&object)?;
    let (machine, replaced) = match &change.on {
        Some(on) => {
            (super::machine(on)?, object.optional("machine").and_then(Value::as_str).map(str::to_string))
        }
        None => (machine(&object, "machine")?, None),
    };
    let machine = change.bury(machine)?;
    let sigma = object.number("sigma")?;
    let sources = sources(&object, &machine)?;
    let problem = Problem::new(&machine, sources.clone(), sigma);
    let problem = problem.map_err(|error| object.locate("sources", error))?;
    let speeds = object.optional("speeds").map(|value| speeds(&object, value)).transpose()?;
    if let Some(speeds) = &speeds {
        problem.with_speeds(speeds.clone()).map_err(|error| object.locate("speeds", error))?;
    }
    let terms = terms(&object, &machine)?;
    let nodes: Vec<NodeId> = sources.iter().map(|source| source.node).collect();
    let depth = layers::depths(&machine, &nodes);
    let claims = match object.optional("methods") {
        None => vec![claim(&object, "the claim", &depth, sources.len())?],
        Some(Value::Array(methods)) if !methods.is_empty() => {
            claims(&object, methods, &depth, sources.len())?
        }
        Some(_) => return Err(object.unfit("methods", "a list of claims")),
    };
    Ok(ClaimFile { machine, sources, sigma, speeds, terms, claims, replaced })
}

/// Refuses keys that a claim has not; an answer of `split`, which says its format, has others beside them.
fn hold(object: &Object<'_>) -> Result<()> {
    match (object.optional("format"), object.optional("methods")) {
        (None, _) => CLAIM.hold(object.text),
        (Some(_), Some(_)) => Ok(()),
        (Some(_), None) => Err(object.text.error(
            object.span("format"),
            "the file is an answer without `methods`",
            "what `split --json` or `--emit` of `map`, `race` or `groups` writes, or a claim without `format`",
        )),
    }
}

/// What a machine does at a time, and what an answer of `split` says beside it.
const ANSWERED_KEYS: &[&str] = &[
    "ports",
    "duplex",
    "front_end",
    "results",
    "home",
    "memory",
    "makespan",
    "speedup",
    "loss",
    "attained",
    "theorem",
];

/// What a machine does at a time.
const VARIANT_KEYS: &[&str] = ANSWERED_KEYS.split_at(6).0;

/// The keys of a claim written by hand.
const CLAIM: Keys = Keys {
    known: &[
        "machine",
        "dead",
        "dead_links",
        "sigma",
        "speeds",
        "sources",
        "startup",
        "ports",
        "duplex",
        "front_end",
        "results",
        "home",
        "memory",
        "variant",
        "methods",
        "name",
        "switching",
        "makespan",
        "speedup",
        "shares",
        "fractions",
        "cells",
    ],
    below: &[
        ("sources", Keys { known: &["at", "node", "load", "release"], below: &[] }),
        ("speeds", Keys { known: &["work", "link"], below: &[] }),
        ("variant", Keys { known: ANSWERED_KEYS, below: &[] }),
        (
            "methods",
            Keys {
                known: &["name", "switching", "makespan", "speedup", "shares", "fractions", "cells"],
                below: &[],
            },
        ),
    ],
};

fn sources(object: &Object<'_>, machine: &Machine) -> Result<Vec<Source>> {
    const EXPECTED: &str = "a list of nodes or of objects with `at` or `node`, `load` and `release`";
    let Value::Array(list) = object.require("sources")? else {
        return Err(object.unfit("sources", EXPECTED));
    };
    let source = |value: &Value| {
        let Value::Object(entries) = value else {
            return Ok(Source::at(object.node("sources", value, machine)?, 1.0));
        };
        let place = entries.get("node").or(entries.get("at"));
        let place = place.ok_or_else(|| object.unfit("sources", EXPECTED))?;
        let number = |key: &str, default: f64| match entries.get(key) {
            None => Ok(default),
            Some(value) => number(value).ok_or_else(|| object.unfit("sources", EXPECTED)),
        };
        let node = object.node("sources", place, machine)?;
        Ok(Source { node, load: number("load", 1.0)?, release: number("release", 0.0)? })
    };
    list.iter().map(source).collect()
}

fn speeds(object: &Object<'_>, value: &Value) -> Result<Speeds> {
    const EXPECTED: &str = "an object of two lists of times, `work` by node and `link` by link";
    let times = |key| {
        let list = value.get(key).and_then(Value::as_array);
        // JSON has no infinity.
        let time = |value: &Value| if value.is_null() { Some(f64::INFINITY) } else { value.as_f64() };
        list.and_then(|list| list.iter().map(time).collect::<Option<Vec<f64>>>())
            .ok_or_else(|| object.unfit("speeds", EXPECTED))
    };
    Ok(Speeds { work: times("work")?, link: times("link")? })
}

/// What the machine does at a time and what messages cost: under `variant`, as `split` prints it, or by themselves.
fn terms(object: &Object<'_>, machine: &Machine) -> Result<Terms> {
    let startup = if object.optional("startup").is_some() { object.number("startup")? } else { 0.0 };
    if startup > STARTUP_MAX {
        return Err(object.unfit("startup", &format!("a number from 0 to {STARTUP_MAX}, in units of w Tcp")));
    }
    let twice = VARIANT_KEYS.iter().find(|key| object.optional(key).is_some());
    let entries = match object.optional("variant") {
        None => object.entries,
        Some(Value::Object(entries)) => match twice {
            None => entries,
            Some(key) => {
                return Err(
                    object.unfit(key, "what `variant` says of the machine, or no `variant` beside it")
                );
            }
        },
        Some(_) => return Err(object.unfit("variant", VARIANT)),
    };
    let object = &Object { text: object.text, entries, from: object.from };
    let mut variant = Variant::default();
    if let Some(value) = object.optional("ports") {
        let name = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        variant.ports = words::ports(&name)
            .map_err(|_| object.unfit("ports", "`all`, `one` or a number of at least 1"))?;
    }
    if let Some(value) = object.optional("duplex") {
        let name = value.as_str().unwrap_or_default();
        variant.duplex = words::duplex(name).map_err(|_| object.unfit("duplex", "`full` or `half`"))?;
    }
    if let Some(value) = object.optional("front_end") {
        variant.front_end = value.as_bool().ok_or_else(|| object.unfit("front_end", "true or false"))?;
    }
    if object.optional("results").is_some() {
        variant.results = object.number("results")?;
        if variant.results > words::RESULTS_MAX {
            return Err(object.unfit("results", &format!("a number from 0 to {}", words::RESULTS_MAX)));
        }
    }
    if let Some(place) = object.optional("home") {
        variant.home = Some(object.node("home", place, machine)?);
    }
    if object.optional("memory").is_some() {
        let memory = object.number("memory")?;
        variant.memory = Some(memory).filter(|&memory| memory > 0.0 && memory <= 1.0);
        if variant.memory.is_none() {
            return Err(object.unfit("memory", "a number above 0 and at most 1, a share of the whole load"));
        }
    }
    Ok(Terms { variant, startup })
}

/// The form of a variant.
const VARIANT: &str = "an object with `ports`, `front_end`, `results`, `home`, `memory` and `duplex`";

/// Longer start-ups than this are no messages any more, in units of w Tcp.
const STARTUP_MAX: f64 = 1_048_576.0;

/// Several claims, each looked for in the text behind the one before.
fn claims(object: &Object<'_>, methods: &[Value], depth: &[u32], sources: usize) -> Result<Vec<Claimed>> {
    let mut from = object.span("methods").end;
    let mut claims = Vec::new();
    for (index, value) in methods.iter().enumerate() {
        let Value::Object(entries) = value else { return Err(object.unfit("methods", "a list of claims")) };
        let claimed = Object { text: object.text, entries, from };
        claims.push(claim(&claimed, &format!("claim {}", index + 1), depth, sources)?);
        from = claimed.span("name").end.max(from);
    }
    Ok(claims)
}

/// One claim.
fn claim(object: &Object<'_>, name: &str, depth: &[u32], sources: usize) -> Result<Claimed> {
    let name = object.optional("name").and_then(Value::as_str).unwrap_or(name);
    let name = one_line("name", name).map_err(|error| object.locate("name", error))?.to_string();
    let switching = match object.optional("switching") {
        None => Forwarding::CutThrough,
        Some(value) => forwarding(value.as_str().unwrap_or_default())
            .map_err(|error| object.locate("switching", error))?,
    };
    let (makespan, shares) = (makespan(object)?, shares(object, depth)?);
    Ok(Claimed { name, switching, makespan, shares, cells: cells(object, depth.len(), sources)? })
}

/// The makespan, or the inverse of the speedup; where both stand they must agree.
fn makespan(object: &Object<'_>) -> Result<f64> {
    let given = |key| object.optional(key).map(|_| object.number(key)).transpose();
    let (makespan, speedup) = (given("makespan")?, given("speedup")?);
    let (key, claimed) = match (makespan, speedup) {
        (Some(makespan), _) => ("makespan", makespan),
        (None, Some(speedup)) => ("speedup", 1.0 / speedup),
        (None, None) => return Err(object.missing("makespan", "`makespan` or `speedup`")),
    };
    if !(claimed > 0.0 && claimed.is_finite()) {
        return Err(object.unfit(key, "a number above 0"));
    }
    match speedup {
        Some(speedup) if (claimed * speedup - 1.0).abs() > 1e-6 => Err(object.unfit(
            "speedup",
            &format!("{}, which is 1 / `makespan`, or only one of the two", 1.0 / claimed),
        )),
        _ => Ok(claimed),
    }
}

/// The shares by node.
fn shares(object: &Object<'_>, depth: &[u32]) -> Result<Vec<f64>> {
    let list = |key| {
        let numbers = object.optional(key).and_then(Value::as_array).map(|list| list.iter().map(number));
        let numbers = numbers.and_then(|numbers| numbers.collect::<Option<Vec<f64>>>());
        numbers.ok_or_else(|| object.unfit(key, "a list of numbers of at least 0"))
    };
    let is_given = |key| object.optional(key).is_some();
    let (key, shares) = if is_given("shares") {
        ("shares", list("shares")?)
    } else if is_given("fractions") {
        let fractions = list("fractions")?;
        let layers =
            depth.iter().filter(|&&depth| depth != u32::MAX).max().map_or(0, |&depth| depth as usize + 1);
        if fractions.len() > layers {
            return Err(object.unfit("fractions", &format!("a fraction for each of the {layers} layers")));
        }
        let share = |&depth: &u32| fractions.get(depth as usize).copied().unwrap_or(0.0);
        ("fractions", depth.iter().map(share).collect())
    } else {
        return Err(
            object.missing("shares", "`shares` by node, or `fractions` by hops from the nearest source")
        );
    };
    if shares.len() != depth.len() {
        return Err(object.unfit(key, &format!("a share for each of the {} nodes", depth.len())));
    }
    let sum: f64 = shares.iter().sum();
    if (sum - 1.0).abs() > 1e-6 {
        let span = object.span(key);
        return Err(object.text.error(
            span,
            format!("the shares sum to {sum}"),
            "shares of the whole, which sum to 1",
        ));
    }
    Ok(shares)
}

/// Who works for which source; only where every source has a cell of its own is a claim held to it.
fn cells(object: &Object<'_>, nodes: usize, sources: usize) -> Result<Option<Cells>> {
    const EXPECTED: &str = "rows of labels, each the index of a source or -1";
    let Some(rows) = object.optional("cells") else { return Ok(None) };
    let label = |value: &Value| match value.as_i64() {
        Some(-1) => Some(UNUSED),
        Some(label) if (0..sources as i64).contains(&label) => Some(label as u32),
        _ => None,
    };
    let rows = rows.as_array().map(|rows| rows.iter().map(Value::as_array).collect::<Option<Vec<_>>>());
    let labels =
        rows.flatten().and_then(|rows| rows.into_iter().flatten().map(label).collect::<Option<Vec<u32>>>());
    let label =
        labels.filter(|labels| labels.len() == nodes).ok_or_else(|| object.unfit("cells", EXPECTED))?;
    let is_apart = (0..sources as u32).all(|source| label.contains(&source));
    Ok(is_apart.then(|| Cells { depth: vec![0; label.len()], label }))
}
