//! The `[[groups]]` tables, and the same words on the command line.

use super::value::{Table, Value, entry, one_of};
use super::{GroupsWork, ScenarioJob, Work, job_keys};
use meshwright_core::error::{Error, Result};
use meshwright_core::words::quoted;
use meshwright_core::{find_or, unknown};
use meshwright_groups::label_file;
use meshwright_network::topology::Machine;
use meshwright_network::topology::order::ORDERS;
use meshwright_verdict::groups::{
    self, Drawn, ENGINES, Engine, LEVELS_MAX, Labels, METHODS, Method, Pace, REPEAT_MAX,
};

/// The word for every split and every tree.
const ALL: &str = "all";

/// Reads one table.
pub(super) fn read(table: &Table<'_>, machine: &Machine) -> Result<ScenarioJob> {
    table.check_keys(&job_keys::known(&job_keys::GROUPS))?;
    let order = match table.get("order") {
        Some(value) => {
            let name = value.string("the name of an order")?;
            let error = |known: &[&str]| value.locate(unknown("order", name, quoted(known), known));
            find_or(name, ORDERS, |order| order.name, error)?.name
        }
        None => "hilbert",
    };
    let mut job = groups::Job::new(order, labels(table, machine)?);
    let seed = table.get("seed").map(|value| value.whole(0, u64::MAX)).transpose()?;
    let usual = if matches!(job.labels, Labels::Drawn { .. }) { 100 } else { 1 };
    job.repeat = table.get("repeat").map_or(Ok(usual), |value| value.whole(1, REPEAT_MAX.into()))? as u32;
    job.engine = match table.get("engine") {
        Some(value) => engine(value.string("the name of an engine")?).map_err(|error| value.locate(error))?,
        None => Engine::of(machine),
    };
    if let Some(value) = table.get("lockstep") {
        job.pace = if value.boolean()? { Pace::Lockstep } else { Pace::Free };
    }
    (job.methods, job.named) = methods(table, &job.labels)?;
    let name = match table.get("name") {
        Some(value) => value.name()?,
        None => "groups".to_string(),
    };
    Ok(ScenarioJob { name, work: Work::Groups(GroupsWork { job, seed }) })
}

/// Who goes where: labels of a file, or drawn.
fn labels(table: &Table<'_>, machine: &Machine) -> Result<Labels> {
    let (file, random) = (table.get("labels"), table.renamed("levels", "random")?);
    let (contiguous, colours, keys) = (table.get("contiguous"), table.get("colours"), table.get("keys"));
    if let Some(file) = file {
        if let Some(other) = random.or(contiguous).or(colours).or(keys) {
            return Err(other.error("`labels` are given, too", "labels of a file, or random ones"));
        }
        let path = file.folder().join(file.string("a file of labels, relative to the scenario")?);
        return Ok(Labels::Given(label_file::read(&path, machine).map_err(|error| file.locate(error))?));
    }
    let Some(random) = random else {
        return Err(
            table.missing("levels", "levels = 4: how many splits are nested; or labels = \"file.csv\"")
        );
    };
    let levels = random.whole(1, LEVELS_MAX.into())? as u32;
    let is_contiguous = contiguous.map_or(Ok(false), |value| value.boolean())?;
    let count = |value: Value<'_>| value.whole(1, u32::MAX.into()).map(|count| count as u32);
    if let (Some(value), None) = (&keys, &colours) {
        return Err(value.error("there are no colours beside it", "`colours`, too"));
    }
    let kind = match colours {
        Some(value) if is_contiguous => {
            return Err(value.error("contiguous groups are two", "`contiguous` or `colours`"));
        }
        Some(value) => match keys {
            Some(keys) => Drawn::Keyed { colours: count(value)?, keys: count(keys)? },
            None => Drawn::Colours(count(value)?),
        },
        None if is_contiguous => Drawn::Contiguous,
        None => Drawn::Scattered,
    };
    Ok(Labels::Drawn { levels, kind })
}

/// The methods that are meant, and whether some were named.
fn methods(table: &Table<'_>, labels: &Labels) -> Result<(Vec<&'static Method>, bool)> {
    let (split, tree) = (table.get("split"), table.get("tree"));
    let name =
        |value: Option<Value<'_>>, what: &'static str, known: &[&'static str]| -> Result<Option<String>> {
            let Some(value) = value else { return Ok(None) };
            let word = value.string("a name, or `all`")?;
            if word == ALL || word == "auto" {
                return Ok(None);
            }
            let word = one_of(what, word, known, "").map_err(|error| value.locate(error))?;
            Ok(Some(word.to_string()))
        };
    let wanted = (name(split, "split", &groups::splits())?, name(tree, "tree", &groups::trees())?);
    let is_named = wanted.0.is_some() || wanted.1.is_some();
    if !is_named {
        return Ok((METHODS.iter().collect(), false));
    }
    let found = groups::methods(wanted.0.as_deref(), wanted.1.as_deref());
    let at = split.or(tree);
    let found = found.map_err(|error| match (error, at) {
        (Error::NotApplicable { why, .. }, Some(value)) => {
            value.error(why, "a split and a tree that go together")
        }
        (error, Some(value)) => value.locate(error),
        (error, None) => error,
    })?;
    if let Some(value) = at.filter(|_| found.iter().all(|method| method.labels < labels.needed())) {
        let fitting = METHODS.iter().filter(|method| method.labels >= labels.needed());
        let names: Vec<&str> = fitting.map(|method| method.name).collect();
        let message = "this split does not understand the labels, which are more than 0 and 1 without keys";
        return Err(value.error(message, quoted(&names)));
    }
    Ok((found, true))
}

/// The engine with this name.
///
/// # Errors
///
/// [`Error::Value`] with every name there is.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::groups::engine;
/// use meshwright_verdict::groups::Engine;
/// assert_eq!(engine("packet")?, Engine::Packet);
/// assert!(engine("packets").unwrap_err().to_string().contains("did you mean `packet`?"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn engine(name: &str) -> Result<Engine> {
    entry("engine", name, ENGINES)
}
