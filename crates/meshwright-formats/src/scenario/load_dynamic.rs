//! Loads and speeds that change: `dynamic`, `arrivals` and `drift` in `[[load]]` tables and on the command line.

use std::path::Path;

use super::quantity;
use super::value::{Table, one_of};
use meshwright_core::error::{Error, Result};
use meshwright_core::words::quoted;
use meshwright_load::dynamic::spec::{DRIFTS, Drift, DriftKind};
use meshwright_load::dynamic::trace;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{ArrivalsAsked, Changing, Job, POLICIES, SpeedsAsked};

/// More loads than this are a slip of the pen.
pub const LOADS_MAX: u64 = 10_000;

/// The most grains for each processor.
pub const GRAINS_MAX: u64 = 1024;

/// Reads these keys of one table.
pub(super) fn read(table: &Table<'_>, machine: &Machine, job: &mut Job) -> Result<()> {
    const EXPECTED: &str = "`all`, a policy or a list of policies";
    let Some(value) = table.get("dynamic") else {
        if let Some(key) = ["arrivals", "drift", "grains"].into_iter().find(|key| table.get(key).is_some()) {
            let value = table.get(key).expect("it was found");
            return Err(value.error(format!("`{key}` is given without `dynamic`"), "dynamic = \"all\""));
        }
        return Ok(());
    };
    let mut names = Vec::new();
    match value.is_array() {
        false => names.push(value.string(EXPECTED)?.to_string()),
        true => {
            for element in value.array(EXPECTED)? {
                names.push(element.string(EXPECTED)?.to_string());
            }
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let words = ["once", "none"].map(str::to_string);
    let mut asked = Changing { repeat: 1, words, ..Changing::default() };
    asked.policies = policies(&names).map_err(|error| value.locate(error))?;
    if let Some(value) = table.get("arrivals") {
        let text = value.string("`once`, `poisson:64@0.8` or a file `times.csv`")?;
        asked.words[0] = text.to_string();
        asked.arrivals = arrivals(text, value.folder(), machine).map_err(|error| value.locate(error))?;
    }
    if let Some(value) = table.get("drift") {
        let text = value.string("`none`, `halve`, `die:2` or a file `speeds.csv`")?;
        asked.words[1] = text.to_string();
        asked.speeds = drift(text, value.folder(), machine).map_err(|error| value.locate(error))?;
    }
    if let Some(value) = table.get("grains") {
        asked.grains = value.whole(1, GRAINS_MAX)?;
    }
    job.further.dynamic = Some(Box::new(asked));
    Ok(())
}

/// The policies with these names, all of them for `all`.
///
/// # Errors
///
/// [`Error::Value`] for a name that is none of these.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load_dynamic::policies;
/// assert_eq!(policies(&["fixed", "guided"])?, ["fixed", "guided"]);
/// assert!(policies(&["guidde"]).unwrap_err().to_string().contains("did you mean `guided`?"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn policies(words: &[&str]) -> Result<Vec<String>> {
    let known: Vec<&'static str> = POLICIES.iter().map(|policy| policy.name).collect();
    if words.contains(&"all") {
        return Ok(known.iter().map(ToString::to_string).collect());
    }
    words.iter().map(|word| one_of("policy", word, &known, "`all` or ").map(str::to_string)).collect()
}

/// When loads arrive: `once`, `poisson:LOADS@RATE`, or a file of lines `time,node,load`.
///
/// # Errors
///
/// [`Error::Value`] with what is expected, and what [`trace::read`] refuses.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load_dynamic::arrivals;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::load::ArrivalsAsked;
/// let (mesh, here) = (Machine::new("mesh:4x4")?, std::path::Path::new("."));
/// let stream = ArrivalsAsked::Poisson { loads: 64, rate: 0.8 };
/// assert_eq!(arrivals("poisson:64@0.8", here, &mesh)?, stream);
/// assert!(arrivals("poisson:64", here, &mesh).is_err() && arrivals("poisson:0@1", here, &mesh).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn arrivals(text: &str, folder: &Path, machine: &Machine) -> Result<ArrivalsAsked> {
    if text == "once" {
        return Ok(ArrivalsAsked::Once);
    }
    if is_file(text) {
        let entries = trace::read(&folder.join(text), "load", machine)?;
        let dead = entries.iter().find(|entry| !machine.is_alive(entry.node));
        if let Some(entry) = dead {
            let name = format!("{}, a dead node", machine.node_name(entry.node));
            return Err(Error::value("node of a load", name, "a living node"));
        }
        if entries.iter().map(|entry| entry.value).sum::<f64>() <= 0.0 {
            return Err(Error::value("loads", format!("none in `{text}`"), "at least one above 0"));
        }
        if entries.len() as u64 > LOADS_MAX {
            return Err(Error::value("number of loads", entries.len(), format!("at most {LOADS_MAX}")));
        }
        return Ok(ArrivalsAsked::Listed(entries));
    }
    let stream = text.strip_prefix("poisson:").and_then(|rest| {
        let (loads, rate) = rest.split_once('@')?;
        let loads = loads.parse().ok().filter(|loads| (1..=LOADS_MAX).contains(loads))?;
        let rate = quantity::number(rate).ok().filter(|&rate| rate > 0.0 && rate <= 1000.0)?;
        Some(ArrivalsAsked::Poisson { loads, rate })
    });
    stream.ok_or_else(|| {
        let expected = format!(
            "`once`, a file `times.csv`, or `poisson:LOADS@RATE` with 1 to {LOADS_MAX} loads and their rate over the rate that \
             can be worked off, as in poisson:64@0.8"
        );
        Error::value("arrivals", format!("`{text}`"), expected)
    })
}

/// How speeds change: `none`, kinds with amounts and `+` between, or a file of lines `time,node,speed`.
///
/// # Errors
///
/// [`Error::Value`] with what is expected, and what [`trace::read`] refuses.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::load_dynamic::drift;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::load::SpeedsAsked;
/// let (mesh, here) = (Machine::new("mesh:4x4")?, std::path::Path::new("."));
/// let SpeedsAsked::Drawn(drifts) = drift("halve:1/2+die", here, &mesh)? else { panic!("they are drawn") };
/// assert_eq!(drifts.iter().map(|drift| drift.amount).collect::<Vec<_>>(), [0.5, 1.0]);
/// assert!(drift("none+die", here, &mesh).unwrap_err().to_string().contains("`none` by itself"));
/// assert!(drift("die:17", here, &mesh).unwrap_err().to_string().contains("from 0 to 16"));
/// assert!(drift("halv", here, &mesh).unwrap_err().to_string().contains("did you mean `halve`?"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn drift(text: &str, folder: &Path, machine: &Machine) -> Result<SpeedsAsked> {
    if text == "none" {
        return Ok(SpeedsAsked::default());
    }
    if is_file(text) {
        return Ok(SpeedsAsked::Listed(trace::read(&folder.join(text), trace::SPEED, machine)?));
    }
    let known: Vec<&'static str> = DRIFTS.iter().map(|drift| drift.0).collect();
    let one = |word: &str| {
        if word == "none" {
            let expected = format!("`none` by itself, or some of {} with `+` between", quoted(&known));
            return Err(Error::value("drift", format!("`{text}`"), expected));
        }
        let (name, amount) = word.split_once(':').map_or((word, None), |(name, amount)| (name, Some(amount)));
        let name = one_of("drift", name, &known, "`none`, a file `speeds.csv` or ")?;
        let &(_, kind, usual, most, _) = DRIFTS.iter().find(|drift| drift.0 == name).expect("it is known");
        // No more processors stop than there are.
        let most = if kind == DriftKind::Die { f64::from(machine.living_count()) } else { most };
        let amount = match amount {
            None => usual,
            Some(text) => quantity::number(text).ok().filter(|&amount| amount <= most).ok_or_else(|| {
                Error::value(
                    "drift",
                    format!("`{word}`"),
                    format!("{name}:AMOUNT with an amount from 0 to {most}"),
                )
            })?,
        };
        Ok(Drift { kind, amount })
    };
    Ok(SpeedsAsked::Drawn(text.split('+').map(one).collect::<Result<_>>()?))
}

fn is_file(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}
