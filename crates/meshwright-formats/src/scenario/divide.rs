//! The `[[divide]]` tables.

use super::logical::{self, AxisOption};
use super::tasks::{self, Weights};
use super::value::{Table, Value};
use super::{DivideWork, ScenarioJob, Work, given, quantity};
use meshwright_core::error::Result;
use meshwright_network::topology::Machine;

pub(super) const KEYS: &[&str] = &[
    "name",
    "tasks",
    "preset",
    "alpha",
    "combine_alpha",
    "volume",
    "axis",
    "placements",
    "placement",
    "search",
];

/// Reads one table.
pub(super) fn read(table: &Table<'_>, machine: &Machine) -> Result<ScenarioJob> {
    table.check_keys(KEYS)?;
    let value = table.require("tasks", "tasks = \"binomial:6\", \"divide:35\" or a file")?;
    let specification = value.string("\"binomial:N\", \"divide:N\", \"logical:RxC\" or a file")?;
    let (weights, first) = weights(table)?;
    if !tasks::is_tree(specification)
        && let Some((weight, value)) = weights.given().zip(first)
    {
        return Err(value.locate(tasks::only_binomial(weight)));
    }
    let axes = axes(table)?;
    let divide = tasks::read(specification, value.folder(), (weights, &axes), machine);
    let mut divide = divide.map_err(|error| value.locate(error))?;
    let name = match table.get("name") {
        Some(value) => value.name()?,
        None => specification.to_string(),
    };
    let named = table.renamed("placements", "placement")?;
    let methods = match &named {
        Some(value) => placement(value)?,
        None => tasks::placements(&["all"])?,
    };
    if let Some(value) = named {
        given::read_maps(&mut divide, &methods, value.folder(), machine)
            .map_err(|error| value.locate(error))?;
    }
    let methods = tasks::expand(methods, &divide, machine).map_err(|error| value.locate(error))?;
    let search = given::table(table, machine)?;
    Ok(ScenarioJob { name, work: Work::Divide(Box::new(DivideWork { job: divide, methods, search })) })
}

/// What runs along the axes of a logical mesh, phase by phase.
fn axes(table: &Table<'_>) -> Result<Vec<AxisOption>> {
    const EXPECTED: &str = "a list such as [\"data=all-reduce:512MB\", \"model=all-gather:64MB\"]";
    let Some(value) = table.get("axis") else { return Ok(Vec::new()) };
    let one = |value: Value<'_>| {
        let text = value.string(EXPECTED)?;
        logical::axis(text).map_err(|error| value.locate(error))
    };
    if value.is_array() { value.array(EXPECTED)?.map(one).collect() } else { Ok(vec![one(value)?]) }
}

/// What is given of preset, alpha, combine_alpha and volume, with the first of them for messages.
fn weights<'a>(table: &Table<'a>) -> Result<(Weights, Option<Value<'a>>)> {
    let number = |value: &Value<'_>| value.quantity("a number, or a string with a fraction or a unit");
    let share = |key| {
        let Some(value) = table.get(key) else { return Ok(None) };
        quantity::share(&number(&value)?).map(Some).map_err(|error| value.reword(error))
    };
    let volume = match table.get("volume") {
        Some(value) => Some(quantity::bytes(&number(&value)?).map_err(|error| value.reword(error))?),
        None => None,
    };
    let preset = match table.get("preset") {
        Some(value) => {
            let preset = tasks::preset(value.string("the name of a computation, such as \"merge-sort\"")?);
            Some(preset.map_err(|error| value.locate(error))?)
        }
        None => None,
    };
    let weights = Weights { alpha: share("alpha")?, combine_alpha: share("combine_alpha")?, volume, preset };
    if let Some(value) = table.get("preset") {
        weights.shares().map_err(|error| value.locate(error))?;
    }
    let first = ["preset", "alpha", "combine_alpha", "volume"].into_iter().find_map(|key| table.get(key));
    Ok((weights, first))
}

/// `"all"`, one name, or a list of names.
fn placement(value: &Value<'_>) -> Result<Vec<String>> {
    const EXPECTED: &str = "`auto`, `all`, a placement or a list of placements";
    let one = |value: &Value<'_>| {
        tasks::placements(&[value.string(EXPECTED)?]).map_err(|error| value.locate(error))
    };
    if !value.is_array() {
        return one(value);
    }
    let mut methods = Vec::new();
    for element in value.array(EXPECTED)? {
        for method in one(&element)? {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
    }
    if methods.is_empty() { Err(value.unexpected(EXPECTED)) } else { Ok(methods) }
}
