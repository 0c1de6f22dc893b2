//! The `[[load]]` tables, and the same words on the command line.

use super::machine::node;
use super::places;
use super::value::{Table, Value, entry, one_of};
use super::{ScenarioJob, Work, job_keys, load_dynamic, load_further, quantity};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{NodeId, Ratio};
use meshwright_load::shares::schedulers::{REDUCTIONS, Reduction, TIES, Ties};
use meshwright_load::{FORWARDINGS, Forwarding, Problem, Source, speed_file};
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::load;

/// The word for every method.
const ALL: &str = "all";

/// The whole load where nobody says how large it is, in bytes.
const BYTES_DEFAULT: u64 = 1_000_000;

/// More messages than this are a slip of the pen.
pub const CHUNKS_MAX: u64 = 1_000_000;

/// Reads one table.
pub(super) fn read(table: &Table<'_>, machine: &Machine, clock: Option<Ratio>) -> Result<ScenarioJob> {
    table.check_keys(&job_keys::LOAD.names())?;
    let bytes = match table.get("bytes") {
        Some(value) => quantity::bytes(&value.quantity("a volume")?).map_err(|error| value.reword(error))?.0,
        None => BYTES_DEFAULT,
    };
    let (sigma, work) = speeds(table, machine, clock)?;
    let unit = Unit { cycles: bytes as f64 * work, clock };
    let sources = sources(table, machine, &unit)?;
    let mut load = load::Job::new(machine, sources, sigma, bytes);
    if let Some(value) = table.get("methods") {
        (load.methods, load.named) = (names(&value)?, true);
        load.named = load.methods.len() < load::METHODS.len();
    }
    if let Some(value) = table.get("reduction") {
        load.settings.reduction =
            reduction(value.string("the name of a reduction")?).map_err(|error| value.locate(error))?;
    }
    if let Some(value) = table.get("ties") {
        load.settings.ties =
            ties(value.string("the name of a rule of ties")?).map_err(|error| value.locate(error))?;
    }
    for (key, setting) in
        [("finish", &mut load.settings.finish), ("save_at_least", &mut load.settings.save_at_least)]
    {
        if let Some(value) = table.get(key) {
            let text = value.quantity("a number of at least 0")?;
            *setting = quantity::number(&text).map_err(|error| value.reword(error))?;
        }
    }
    if let Some(value) = table.get("chunks") {
        load.chunks = Some(value.whole(1, CHUNKS_MAX)?);
    }
    if let Some(value) = table.get("front") {
        load.front = value.boolean()?;
    }
    if let Some(value) = table.get("deadline") {
        let deadline = unit.time(&value)?;
        if deadline == 0.0 {
            return Err(value.unexpected("a time above 0"));
        }
        load.deadline = Some(deadline);
    }
    if let Some(value) = table.get("speeds") {
        let path = value.folder().join(value.string("a file of speeds, relative to the scenario")?);
        load.speeds = Some(speed_file::read(&path, machine, sigma).map_err(|error| value.locate(error))?);
    }
    load_further::read(table, machine, &unit, &mut load)?;
    load_dynamic::read(table, machine, &mut load)?;
    let name = match table.get("name") {
        Some(value) => value.name()?,
        None => "load".to_string(),
    };
    Ok(ScenarioJob { name, work: Work::Load(load) })
}

/// The unit w Tcp of a load, in cycles.
pub(super) struct Unit {
    cycles: f64,
    clock: Option<Ratio>,
}

impl Unit {
    /// A time in cycles, or in seconds on a machine with a clock, as a number of w Tcp.
    pub(super) fn time(&self, value: &Value<'_>) -> Result<f64> {
        let text = value.quantity("cycles, or a time such as \"2 us\"")?;
        let cycles = quantity::cycles(&text, self.clock).map_err(|error| value.reword(error))?;
        Ok(cycles.0 as f64 / self.cycles)
    }
}

/// sigma, and the cycles of work a byte: one of them is given, the machine's byte time is their product.
fn speeds(table: &Table<'_>, machine: &Machine, clock: Option<Ratio>) -> Result<(f64, f64)> {
    const WORK: &str = "cycles of work a byte, above 0, as in 6.7, or a rate such as \"150 MB/s\"";
    let byte_time = machine.costs().byte_time.to_f64();
    match (table.get("sigma"), table.get("work")) {
        (Some(_), Some(work)) => {
            Err(work.error("both `sigma` and `work` are given", "one of them: sigma = byte_time / work"))
        }
        (None, None) => Err(table.missing("sigma", "sigma = 0.3, or work = 6.7: cycles of work a byte")),
        (None, Some(value)) => {
            let work = quantity::byte_time(&value.quantity(WORK)?, clock).ok().map(Ratio::to_f64);
            let work = work.filter(|&work| work > 0.0).ok_or_else(|| value.unexpected(WORK))?;
            Ok((byte_time / work, work))
        }
        (Some(value), None) => {
            let text = value.quantity("a number, or a string with a fraction")?;
            let sigma = quantity::number(&text).map_err(|error| value.reword(error))?;
            if (sigma == 0.0) != (byte_time == 0.0) {
                let message = format!("`sigma` is {text} on links that take {byte_time} cycles a byte");
                return Err(value.error(message, "both 0 or neither: sigma = byte_time / work"));
            }
            Ok((sigma, if sigma == 0.0 { 1.0 } else { byte_time / sigma }))
        }
    }
}

/// The sources, each checked where it stands.
fn sources(table: &Table<'_>, machine: &Machine, unit: &Unit) -> Result<Vec<Source>> {
    const EXPECTED: &str = "a list of sources such as [{ at = [0, 2], load = 0.4 }]";
    let list = table.require("sources", "sources = [{ at = [0, 2], load = 0.4 }]")?;
    let mut sources = Vec::new();
    for value in list.array(EXPECTED)? {
        let source = value.table("a source", "a source such as { at = [0, 2], load = 0.4 }")?;
        source.check_keys(&job_keys::SOURCES.names())?;
        let at = source.require("at", "at = [0, 2]: the node where the load enters")?;
        let node = node(machine, "at", &at)?;
        let load = match source.get("load") {
            Some(load) => {
                let text = load.quantity("a number above 0")?;
                let number = quantity::number(&text).map_err(|error| load.reword(error))?;
                if number == 0.0 {
                    return Err(load.unexpected("a number above 0"));
                }
                number
            }
            None => 1.0,
        };
        let release = source.get("release").map_or(Ok(0.0), |release| unit.time(&release))?;
        let source = Source { node, load, release };
        // Told at its node: all else was checked.
        Problem::new(machine, vec![source], 0.0).map_err(|error| at.locate(error))?;
        sources.push(source);
    }
    if sources.is_empty() { Err(list.unexpected("at least one source")) } else { Ok(sources) }
}

/// `"all"`, one name, or a list of names.
fn names(value: &Value<'_>) -> Result<Vec<String>> {
    const EXPECTED: &str = "`all`, a method or a list of methods";
    let one = |value: &Value<'_>| methods(&[value.string(EXPECTED)?]).map_err(|error| value.locate(error));
    if !value.is_array() {
        return one(value);
    }
    let mut all: Vec<String> = Vec::new();
    for element in value.array(EXPECTED)? {
        for method in one(&element)? {
            if !all.contains(&method) {
                all.push(method);
            }
        }
    }
    if all.is_empty() { Err(value.unexpected(EXPECTED)) } else { Ok(all) }
}

/// The names of the methods in `words`, with all of the table for the word `all`.
///
/// # Errors
///
/// [`Error::Value`] for a name that is none of these.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load::methods;
/// assert_eq!(methods(&["optimum", "flow-matrix"])?, ["optimum", "flow-matrix"]);
/// assert!(methods(&["optimal"]).unwrap_err().to_string().contains("did you mean `optimum`?"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn methods(words: &[&str]) -> Result<Vec<String>> {
    let known: Vec<&str> = load::METHODS.iter().map(|method| method.name).collect();
    let mut chosen: Vec<String> = Vec::new();
    for &word in words {
        let names = match word {
            ALL => known.clone(),
            word => vec![one_of("method", word, &known, "`all` or ")?],
        };
        for name in names {
            if !chosen.iter().any(|chosen| chosen == name) {
                chosen.push(name.to_string());
            }
        }
    }
    Ok(chosen)
}

/// The reduction with this name.
///
/// # Errors
///
/// [`Error::Value`] with every name there is.
pub fn reduction(name: &str) -> Result<Reduction> {
    entry("reduction", name, REDUCTIONS)
}

/// The rule of ties with this name.
///
/// # Errors
///
/// [`Error::Value`] with every name there is.
pub fn ties(name: &str) -> Result<Ties> {
    entry("rule of ties", name, TIES)
}

/// The forwarding with this name.
///
/// # Errors
///
/// [`Error::Value`] with every name there is.
pub fn forwarding(name: &str) -> Result<Forwarding> {
    entry("switching", name, FORWARDINGS)
}

/// The word for the node in the middle of a box.
const MIDDLE: &str = "middle";

/// The node in the middle of a box.
fn middle(machine: &Machine) -> Option<NodeId> {
    let sides = machine.sides();
    (!sides.is_empty()).then(|| NodeId(sides.iter().fold(0, |node, side| node * side + side / 2)))
}

/// A source as on the command line: `R,C[=LOAD][@RELEASE]`, or `ID[=LOAD][@RELEASE]` on a network without
/// coordinates; the release in units of w Tcp. On a box `middle` is the node in the middle, of two the later.
///
/// # Errors
///
/// [`Error::Value`] with what is expected.
///
/// # Examples
///
/// ```
/// use meshwright_load::Source;
/// use meshwright_formats::scenario::load::source;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:4x8")?;
/// assert_eq!(source("2,3", &mesh)?, Source::at(NodeId(19), 1.0));
/// assert_eq!(source("2,3=1/2@0.1", &mesh)?, Source { node: NodeId(19), load: 0.5, release: 0.1 });
/// assert!(source("4,3", &mesh).is_err());
/// assert_eq!(source("middle=2", &mesh)?.node, NodeId(20), "(2, 4)");
/// assert_eq!(source("7", &Machine::new("hypercube:3")?)?.node, NodeId(7));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn source(text: &str, machine: &Machine) -> Result<Source> {
    let refuse = || {
        let form = places::form(machine);
        let expected =
            format!("{form}, then [=LOAD][@RELEASE], with a load above 0 and a release of at least 0");
        Error::value("source", format!("`{text}`"), expected)
    };
    let number = |text: &str| quantity::number(text).map_err(|_| refuse());
    let (rest, release) = match text.split_once('@') {
        Some((rest, release)) => (rest, number(release)?),
        None => (text, 0.0),
    };
    let (place, load) = match rest.split_once('=') {
        Some((place, load)) => (place, number(load)?),
        None => (rest, 1.0),
    };
    let named = if place.trim() == MIDDLE { middle(machine) } else { places::node(place, machine) };
    let node = named.filter(|_| load > 0.0).ok_or_else(refuse)?;
    Ok(Source { node, load, release })
}
