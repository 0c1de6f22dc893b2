//! A scenario file: one machine and any number of jobs, in TOML.
//!
//! | file | what |
//! |---|---|
//! | [`machine`](mod@machine) | the `[machine]` table |
//! | [`job_keys`] | the keys of the tables of jobs, for the reader and for `docs/reference/scenario.md` |
//! | [`machine_keys`] | the keys of that table and those below it, for the reader and for `docs/machines.md` |
//! | [`constants`] | the constants of a machine file that may be changed |
//! | `divide` | the `[[divide]]` tables |
//! | `collective` | the `[[collective]]` tables |
//! | [`groups`] | the `[[groups]]` tables; splits, trees and engines by their names |
//! | [`load`] | the `[[load]]` tables; sources and methods by their names |
//! | [`load_dynamic`] | loads and speeds that change |
//! | [`load_further`] | what is asked of a load beyond its division |
//! | [`claim`] | claimed schedules, in JSON |
//! | [`given`] | placements made beforehand: searched for, or read from files |
//! | [`tasks`] | `binomial:N`, `divide:N` or a file; names of placements |
//! | [`quantity`] | numbers that may carry a unit |
//! | `object` | objects of a JSON file that know where they stand |
//! | [`planned`] | the schedule of a job of a plan, from plan.json |
//! | [`places`] | nodes and links in words; what a command line changes of a machine |
//! | `misfit` | files with too many tasks for the machine: where they say so |
//! | `source`, `value` | the text, and values that know where they stand in it |
//!
//! Every key is checked, and every error points at the text that caused it.

pub mod claim;
mod collective;
pub mod constants;
mod divide;
mod fabric;
pub mod given;
pub mod groups;
pub mod job_keys;
mod keys;
pub mod load;
pub mod load_dynamic;
pub mod load_further;
pub mod logical;
pub mod machine;
pub mod machine_keys;
mod misfit;
mod object;
pub mod places;
pub mod planned;
pub mod quantity;
mod source;
pub mod tasks;
mod value;

use std::path::Path;

use toml::de::DeTable;

pub use source::SCENARIO_BYTES_MAX;

use crate::presets::{self, About, PRESETS};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ending, nearest};
use meshwright_core::units::Ratio;
use meshwright_hosts as real;
use meshwright_hosts::SOURCES;
use meshwright_network::topology::{FAMILIES, Machine};
use meshwright_verdict as verdict;
use places::Change;
pub(crate) use source::{ScenarioText, json_fault};
use value::Table;

/// The tables of a scenario with their keys, and what is no table of one but may be looked for here.
fn elsewhere(key: &str, here: &str) -> String {
    let tables = [
        ("[machine]", machine_keys::MACHINE.names()),
        ("[[divide]]", job_keys::known(&job_keys::DIVIDE)),
        ("[[load]]", job_keys::known(&job_keys::LOAD)),
        ("[[groups]]", job_keys::known(&job_keys::GROUPS)),
        ("[[collective]]", job_keys::known(&job_keys::COLLECTIVE)),
    ];
    let of = tables.iter().filter(|(name, keys)| *name != here && keys.contains(&key)).map(|(name, _)| *name);
    let of: Vec<&str> = of.collect();
    if !of.is_empty() {
        return format!("; it is a key of {}", of.join(" and "));
    }
    const VERBS: [&str; 5] = ["sweep", "simulate", "traffic", "map", "split"];
    let verb = VERBS.iter().find(|verb| **verb == key && here == "the scenario");
    match verb {
        Some(&"map") => "; tasks are placed by `[[divide]]`".to_string(),
        Some(&"split") => "; a load is divided by `[[load]]`".to_string(),
        Some(_) => {
            "; traffic is measured by `meshwright sweep` and `meshwright simulate --traffic`".to_string()
        }
        None => String::new(),
    }
}

/// What a scenario file says.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What the jobs run on.
    pub machine: Machine,
    /// The seed of everything random; 0 if not given.
    pub seed: u64,
    /// The jobs in the order of the file.
    pub jobs: Vec<ScenarioJob>,
    /// The network of the file, where another machine was named in its place.
    pub replaced: Option<String>,
}

/// One job of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioJob {
    /// Its name, for tables.
    pub name: String,
    /// What is to be done.
    pub work: Work,
}

/// The kinds of jobs.
#[derive(Clone, Debug)]
pub enum Work {
    /// Divide and conquer, or a phased trace: `[[divide]]`.
    Divide(Box<DivideWork>),
    /// A divisible load: `[[load]]`.
    Load(verdict::load::Job),
    /// A program of splits, barriers and joins: `[[groups]]`.
    Groups(GroupsWork),
    /// A collective operation: `[[collective]]`.
    Race(verdict::race::Asked),
}

/// A program of groups and where its labels come from.
#[derive(Clone, Debug)]
pub struct GroupsWork {
    /// The program.
    pub job: verdict::groups::Job,
    /// The seed of its labels, if the table has one of its own.
    pub seed: Option<u64>,
}

/// A phased job and how to place it.
#[derive(Clone, Debug)]
pub struct DivideWork {
    /// Who sends how much to whom.
    pub job: verdict::mapping::Job,
    /// The placements to compare.
    pub methods: Vec<String>,
    /// How to look for a placement, where `search` is among the methods.
    pub search: given::SearchOptions,
}

/// Reads a scenario file.
///
/// # Errors
///
/// [`Error::Parse`] with the place of what is wrong, in this file or in one it names; [`Error::Io`] when this
/// file cannot be read.
///
/// # Examples
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the repository");
/// let scenario = meshwright_formats::scenario::read("examples/quickstart.toml".as_ref())?;
/// assert_eq!(scenario.machine.name(), "mesh:8x8");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn read(path: &Path) -> Result<Scenario> {
    read_on(path, &Change::default())
}

/// Reads a scenario file for a machine that a command line changes: another one in its place, more of it dead.
///
/// # Errors
///
/// As for [`read`], [`machine()`] and [`Change::bury`].
pub fn read_on(path: &Path, change: &Change) -> Result<Scenario> {
    scenario(&ScenarioText::read(path)?, change)
}

/// The text of a file of another kind, of the size of a scenario at most.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    Ok(ScenarioText::read(path)?.text)
}

/// What a JSON text holds; its errors show the line.
pub(crate) fn json_of<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    serde_json::from_str(text).or_else(|error| {
        let source = ScenarioText::from_bytes(path, text.as_bytes().to_vec())?;
        Err(object::syntax(&source, &error))
    })
}

/// Reads a scenario from bytes, as [`read`] does from the file at `path`; files it names are looked for
/// beside `path`.
///
/// # Errors
///
/// As for [`read`].
pub fn read_bytes(path: &Path, bytes: Vec<u8>) -> Result<Scenario> {
    scenario(&ScenarioText::from_bytes(path, bytes)?, &Change::default())
}

/// The machine of a specification such as `mesh:8x8`, or of a TOML file with a `[machine]` table.
///
/// # Errors
///
/// As for [`Machine::new`] and [`read`].
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_formats::scenario::machine("torus:4x4")?.name(), "torus:4x4");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn machine(specification: &str) -> Result<Machine> {
    Ok(described(specification, machine::read, Ok)?.0)
}

/// As [`machine()`], for programs of groups: where no cost is named, packets of 8 bytes cross a link in a step.
///
/// The costs of a `[machine]` table count as soon as one of them stands in it, as for the jobs of its scenario.
///
/// # Errors
///
/// As for [`machine()`].
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Cycles;
/// let mesh = meshwright_formats::scenario::machine_in_packets("mesh:4x4")?;
/// assert_eq!((mesh.costs().startup, mesh.costs().flit.0), (Cycles(0), 8));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn machine_in_packets(specification: &str) -> Result<Machine> {
    let read = |table: &Table<'_>| {
        let machine = machine::read(table)?;
        if machine::names_costs(table) {
            return Ok(machine);
        }
        let buffers = table.get("buffers").map(|_| machine.buffers());
        let packets = machine.in_packets();
        Ok(match buffers {
            Some(buffers) => packets.with_buffers(buffers),
            None => packets,
        })
    };
    Ok(described(specification, read, |machine| Ok(machine.in_packets()))?.0)
}

/// The machine of a table by the first function, of a specification by the second; and its clock, if it has one.
fn described(
    specification: &str,
    of_table: impl FnOnce(&Table<'_>) -> Result<Machine>,
    of_name: impl FnOnce(Machine) -> Result<Machine>,
) -> Result<(Machine, Option<Ratio>)> {
    let path = Path::new(specification);
    let of_table = |table: &Table<'_>| Ok((of_table(table)?, machine::clock(table)?));
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == specification) {
        let (machine, clock) = of_text(&preset.source()?, of_table)?;
        return Ok((machine.with_name(preset.name), clock));
    }
    if ending(path) != "toml" {
        let machine = real::machine(specification).map_err(|error| match error {
            Error::Value { what: what @ "machine", value, expected } => {
                let hint = nearest_machine(specification);
                let names = presets::names().join(", ");
                let expected = format!("{expected}, {names}, or a file that ends in .toml{hint}");
                Error::Value { what, value, expected }
            }
            other => other,
        });
        return Ok((machine.and_then(of_name)?, None));
    }
    of_text(&ScenarioText::read(path)?, of_table)
}

/// What a function makes of the `[machine]` table of a text.
fn of_text<T>(source: &ScenarioText, of_table: impl FnOnce(&Table<'_>) -> Result<T>) -> Result<T> {
    let entries = parse(source)?;
    let document = Table::document(source, &entries);
    document.check_keys(&job_keys::TOP.names())?;
    of_table(&machine_table(source, &document)?)
}

/// What the `[about]` table of a machine says.
pub(crate) fn about(source: &ScenarioText, name: &str) -> Result<About> {
    let entries = parse(source)?;
    let document = Table::document(source, &entries);
    let table = document.table("about", "[about]")?;
    let table =
        table.ok_or_else(|| document.missing("[about]", "a table `[about]` with summary and sources"))?;
    table.check_keys(&machine_keys::ABOUT.names())?;
    let list = |key| -> Result<Vec<String>> {
        const EXPECTED: &str = "a list of sentences";
        let value = table.require(key, EXPECTED)?;
        value.array(EXPECTED)?.map(|one| one.string(EXPECTED).map(str::to_string)).collect()
    };
    Ok(About {
        name: name.to_string(),
        summary: table.require("summary", "summary = \"what it is\"")?.name()?,
        sources: list("sources")?,
        measured: list("measured")?,
        assumed: list("assumed")?,
    })
}

/// ``(did you mean `mesh:4x4`?)``, where the family of a machine is misspelt.
fn nearest_machine(specification: &str) -> String {
    let (name, rest) = specification.split_once(':').unwrap_or((specification, ""));
    let families = FAMILIES.iter().map(|family| family.name);
    let known: Vec<&str> = families.chain(SOURCES.iter().map(|source| source.name)).collect();
    if let Some(near) = nearest(specification, &presets::names()) {
        return format!(" (did you mean `{near}`?)");
    }
    match nearest(name, &known) {
        Some(near) if near != name => format!(" (did you mean `{near}:{rest}`?)"),
        _ => String::new(),
    }
}

fn scenario(source: &ScenarioText, change: &Change) -> Result<Scenario> {
    let entries = parse(source)?;
    let document = Table::document(source, &entries);
    document.check_keys(&job_keys::TOP.names())?;
    let (machine, clock, replaced) = match &change.on {
        Some(on) => {
            let (machine, clock) = described(on, machine::read, Ok)?;
            let named = document.table("machine", "[machine]")?.and_then(|table| table.get("topology"));
            (machine, clock, named.and_then(|topology| topology.text()).map(str::to_string))
        }
        None => {
            let table = machine_table(source, &document)?;
            (machine::read(&table)?, machine::clock(&table)?, None)
        }
    };
    let machine = change.bury(machine)?;
    let seed = document.get("seed").map_or(Ok(0), |value| value.whole(0, u64::MAX))?;
    let mut jobs = Vec::new();
    for table in document.tables("divide", "[[divide]]")? {
        jobs.push((table.start(), divide::read(&table, &machine)?));
    }
    for table in document.tables("load", "[[load]]")? {
        let mut job = load::read(&table, &machine, clock)?;
        if let Work::Load(load) = &mut job.work
            && let Some(changing) = &mut load.further.dynamic
        {
            changing.seed = seed;
        }
        jobs.push((table.start(), job));
    }
    for table in document.tables("collective", "[[collective]]")? {
        jobs.push((table.start(), collective::read(&table, &machine)?));
    }
    for table in document.tables("groups", "[[groups]]")? {
        jobs.push((table.start(), groups::read(&table, &machine)?));
    }
    if jobs.is_empty() {
        let expected = "at least one `[[divide]]`, `[[load]]`, `[[groups]]` or `[[collective]]` table";
        return Err(source.error_at_end("the scenario has no job", expected));
    }
    // In the order of the file.
    jobs.sort_unstable_by_key(|(start, _)| *start);
    let jobs = jobs.into_iter().map(|(_, job)| job).collect();
    Ok(Scenario { machine, seed, jobs, replaced })
}

/// The document; its first syntax error, if it has any.
fn parse(source: &ScenarioText) -> Result<DeTable<'_>> {
    match DeTable::parse(&source.text) {
        Ok(table) => Ok(table.into_inner()),
        Err(error) => {
            let (message, expected) = plain(error.message());
            let end = source.text.len();
            Err(source.error(error.span().unwrap_or(end..end), message, expected))
        }
    }
}

/// What the TOML reader complains of, in words for whoever wrote the file.
fn plain(message: &str) -> (&str, &str) {
    match message {
        "duplicate key" => ("this key stands here twice", "each key once in its table"),
        "recursion limit" | "cannot recurse further; max recursion depth met" => {
            ("keys, lists or tables are nested too deeply", "at most 80 levels")
        }
        other => other.split_once(", expected ").unwrap_or((other, "valid TOML")),
    }
}

fn machine_table<'a>(source: &'a ScenarioText, document: &Table<'a>) -> Result<Table<'a>> {
    const EXPECTED: &str = "a `[machine]` table with topology = \"mesh:8x8\" or another network";
    let missing = || match source.text.trim() {
        "" => source.error(0..0, "the file is empty", EXPECTED),
        _ => document.missing("[machine]", EXPECTED),
    };
    document.table("machine", "[machine]")?.ok_or_else(missing)
}
