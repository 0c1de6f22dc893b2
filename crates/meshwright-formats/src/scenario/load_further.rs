//! Questions about a load beyond its division, in `[[load]]` tables and on the command line.

use super::load::Unit;
use super::machine::node;
use super::places;
use super::quantity;
use super::value::Table;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::lp::{Duplex, Ports, Variant};
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{Job, Next, PLACES_DEFAULT};

/// More places than this are no ranking any more.
pub const PLACES_MAX: u64 = 1000;

/// Results that are larger than this many loads are a slip of the pen.
pub const RESULTS_MAX: f64 = 1e6;

/// The word for a share as large as that of every other source.
pub const EQUAL: &str = "equal";

/// Reads these keys of one table; the ports are the machine's.
pub(super) fn read(table: &Table<'_>, machine: &Machine, unit: &Unit, job: &mut Job) -> Result<()> {
    let mut variant = Variant { ports: machine.port_model().into(), ..Variant::default() };
    if let Some(value) = table.get("results") {
        let text = value.quantity("a number of at least 0: the size of the results over that of the load")?;
        variant.results = results(&text).map_err(|error| value.reword(error))?;
    }
    if let Some(value) = table.get("duplex") {
        variant.duplex =
            duplex(value.string("`full` or `half`")?).map_err(|_| value.unexpected("`full` or `half`"))?;
    }
    if let Some(value) = table.get("front_end") {
        variant.front_end = value.boolean()?;
    }
    if let Some(value) = table.get("results_at") {
        let home = node(machine, "results_at", &value)?;
        if !machine.is_alive(home) {
            return Err(value.unexpected("a living node"));
        }
        if table.get("results").is_none() {
            return Err(value.unexpected("`results` beside it: the size of what is returned"));
        }
        variant.home = Some(home);
    }
    if let Some(value) = table.get("memory") {
        let text = value.quantity("a number above 0 and at most 1, a share of the whole load")?;
        variant.memory = Some(memory(&text).map_err(|error| value.reword(error))?);
    }
    if let Some(value) = table.get("node_ports") {
        let text = value.quantity("`all`, `one`, or a number")?;
        variant.ports = ports(&text).map_err(|error| value.reword(error))?;
    }
    if ["results", "results_at", "duplex", "front_end", "memory", "node_ports"]
        .iter()
        .any(|key| table.get(key).is_some())
    {
        job.further.variant = Some(variant);
    }
    if let Some(value) = table.get("every") {
        let every = unit.time(&value)?;
        if every == 0.0 {
            return Err(value.unexpected("a time above 0"));
        }
        job.further.every = Some(every);
    }
    let places = match table.get("places") {
        Some(value) if table.get("next").is_none() => {
            return Err(value.error("`places` is given without `next`", "next = \"equal\", or a share"));
        }
        Some(value) => value.whole(1, PLACES_MAX)? as usize,
        None => PLACES_DEFAULT,
    };
    if let Some(value) = table.get("next") {
        let text = value.quantity("`equal`, or a share between 0 and 1")?;
        let share = next(&text).map_err(|error| value.reword(error))?;
        job.further.next = Some(Next { share, places });
    }
    Ok(())
}

/// The share of a further source; none for `equal`.
///
/// # Errors
///
/// [`Error::Value`] for what is no number between 0 and 1.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load_further::next;
/// assert_eq!((next("1/4")?, next("equal")?), (Some(0.25), None));
/// assert!(next("1").is_err() && next("0").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn next(text: &str) -> Result<Option<f64>> {
    if text == EQUAL {
        return Ok(None);
    }
    let share = quantity::number(text).ok().filter(|&share| share > 0.0 && share < 1.0);
    match share {
        Some(share) => Ok(Some(share)),
        None => {
            let expected = "`equal`, or a share between 0 and 1, as in 0.25 or \"1/4\"";
            Err(Error::value("share of the next source", format!("`{text}`"), expected))
        }
    }
}

/// The size of results over that of their load.
///
/// # Errors
///
/// [`Error::Value`] for what is no number from 0 to [`RESULTS_MAX`].
pub fn results(text: &str) -> Result<f64> {
    quantity::number(text).ok().filter(|&results| results <= RESULTS_MAX).ok_or_else(|| {
        let expected = format!("a number from 0 to {RESULTS_MAX}, as in 0.5 or \"1/2\"");
        Error::value("size of the results", format!("`{text}`"), expected)
    })
}

/// The ports with this name or of this number.
///
/// # Errors
///
/// [`Error::Value`] with what there is.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load_further::ports;
/// use meshwright_load::lp::Ports;
/// assert_eq!((ports("one")?, ports("2")?, ports("all")?), (Ports::ONE, Ports::Few(2), Ports::All));
/// assert!(ports("0").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn ports(name: &str) -> Result<Ports> {
    match name {
        "all" => Ok(Ports::All),
        "one" => Ok(Ports::ONE),
        _ => match name.parse() {
            Ok(ports @ 1..=PORTS_MAX) => Ok(Ports::Few(ports)),
            _ => {
                let expected = format!("`all`, `one`, or a number from 1 to {PORTS_MAX}");
                Err(Error::value("ports", format!("`{name}`"), expected))
            }
        },
    }
}

/// The node to which results go.
///
/// # Errors
///
/// [`Error::Value`] for a text that names none, or a dead one.
pub fn home(text: &str, machine: &Machine) -> Result<NodeId> {
    places::node(text, machine).filter(|&node| machine.is_alive(node)).ok_or_else(|| {
        let expected = format!("{}, a living node", places::form(machine));
        Error::value("node of the results", format!("`{text}`"), expected)
    })
}

/// More ports than this no node has.
pub const PORTS_MAX: u32 = 1000;

/// A part of the load for which a node has room.
///
/// # Errors
///
/// [`Error::Value`] for what is no number above 0 and at most 1.
pub fn memory(text: &str) -> Result<f64> {
    quantity::number(text).ok().filter(|&memory| memory > 0.0 && memory <= 1.0).ok_or_else(|| {
        let expected = "a number above 0 and at most 1, a share of the whole load";
        Error::value("memory", format!("`{text}`"), expected)
    })
}

/// The duplex with this name.
///
/// # Errors
///
/// [`Error::Value`] with both names there are.
pub fn duplex(name: &str) -> Result<Duplex> {
    match name {
        "full" => Ok(Duplex::Full),
        "half" => Ok(Duplex::Half),
        _ => Err(Error::value("duplex", format!("`{name}`"), "`full` or `half`")),
    }
}
