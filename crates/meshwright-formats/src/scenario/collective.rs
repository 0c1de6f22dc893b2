//! The `[[collective]]` tables.

use super::machine::node;
use super::value::{Table, Value};
use super::{ScenarioJob, Work, job_keys, quantity};
use meshwright_collectives::{Algorithm, Operation, algorithm};
use meshwright_core::error::Result;
use meshwright_core::find;
use meshwright_network::topology::Machine;
use meshwright_verdict::race::Asked;

/// Reads one table.
pub(super) fn read(table: &Table<'_>, machine: &Machine) -> Result<ScenarioJob> {
    table.check_keys(&job_keys::known(&job_keys::COLLECTIVE))?;
    let value = table.require("operation", "operation = \"broadcast\"")?;
    let operation = Operation::named(value.string("the name of an operation, such as \"all-reduce\"")?)
        .map_err(|error| value.locate(error))?;
    let mut asked = Asked::new(operation, bytes(table, operation)?);
    if let Some(value) = table.get("root") {
        if !operation.is_rooted() {
            return Err(value.error(format!("{} has no root", operation.name()), "no `root`"));
        }
        asked.root = Some(node(machine, "root", &value)?);
    }
    if let Some(value) = table.get("combine_time") {
        if !operation.reduces() {
            return Err(value.error(format!("{} adds nothing up", operation.name()), "no `combine_time`"));
        }
        let time = value.quantity("cycles of adding up a byte, such as \"1/4\"")?;
        asked.combine = Some(quantity::byte_time(&time, None).map_err(|error| value.reword(error))?);
    }
    asked.multicast = table.get("multicast").map_or(Ok(false), |value| value.boolean())?;
    asked.algorithms = table.get("algorithm").map_or(Ok(Vec::new()), |value| algorithms(&value))?;
    let name = match table.get("name") {
        Some(value) => value.name()?,
        None => operation.name().to_string(),
    };
    Ok(ScenarioJob { name, work: Work::Race(asked) })
}

/// The buffer of a member; a barrier has none.
fn bytes(table: &Table<'_>, operation: Operation) -> Result<u64> {
    match (table.get("bytes"), operation) {
        (None, Operation::Barrier) => Ok(0),
        (None, _) => Err(table.missing("bytes", "bytes = \"1 MB\"")),
        (Some(value), Operation::Barrier) => Err(value.error("a barrier carries nothing", "no `bytes`")),
        (Some(value), _) => {
            let text = value.quantity("bytes, or a text with a unit such as \"1 MB\"")?;
            Ok(quantity::bytes(&text).map_err(|error| value.reword(error))?.0)
        }
    }
}

/// `"all"`, one name, or a list of names.
fn algorithms(value: &Value<'_>) -> Result<Vec<&'static Algorithm>> {
    const EXPECTED: &str = "`all`, an algorithm or a list of algorithms";
    if value.is_word("all") {
        return Ok(Vec::new());
    }
    let all: Vec<&'static Algorithm> = algorithm::all().collect();
    let one = |value: &Value<'_>| {
        let found = find("algorithm", value.string(EXPECTED)?, &all, |one| one.name);
        found.copied().map_err(|error| value.locate(error))
    };
    if !value.is_array() {
        return Ok(vec![one(value)?]);
    }
    let named: Vec<_> = value.array(EXPECTED)?.map(|value| one(&value)).collect::<Result<_>>()?;
    if named.is_empty() { Err(value.unexpected(EXPECTED)) } else { Ok(named) }
}
