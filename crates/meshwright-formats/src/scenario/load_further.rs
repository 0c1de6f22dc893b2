//! Questions about a load beyond its division, in `[[load]]` tables and on the command line.

use super::load::Unit;
use super::quantity;
use super::value::Table;
use meshwright_core::error::{Error, Result};
use meshwright_load::lp::{Duplex, Variant};
use meshwright_network::topology::{Machine, PortModel};
use meshwright_verdict::load::{Job, Next, PLACES_DEFAULT};

/// More places than this are no ranking any more.
pub const PLACES_MAX: u64 = 1000;

/// Results that are larger than this many loads are a slip of the pen.
pub const RESULTS_MAX: f64 = 1e6;

/// The word for a share as large as that of every other source.
pub const EQUAL: &str = "equal";

/// Reads these keys of one table; the ports are the machine's.
pub(super) fn read(table: &Table<'_>, machine: &Machine, unit: &Unit, job: &mut Job) -> Result<()> {
    let mut variant = Variant { ports: machine.port_model(), ..Variant::default() };
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
    if ["results", "duplex", "front_end"].iter().any(|key| table.get(key).is_some()) {
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

/// The ports with this name.
///
/// # Errors
///
/// [`Error::Value`] with both names there are.
pub fn ports(name: &str) -> Result<PortModel> {
    match name {
        "all" => Ok(PortModel::All),
        "one" => Ok(PortModel::One),
        _ => Err(Error::value("ports", format!("`{name}`"), "`all` or `one`")),
    }
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
