//! The constants of a machine file that may be changed: where they stand in its text, and what else they may be.
//!
//! A key is `TABLE.KEY`, such as `processors.tail`: the value in all tables of that name, which must be the same in all;
//! or `TABLE[N].KEY`: only that of the N-th such table, from 0.

use std::ops::Range;
use std::path::Path;

use super::source::ScenarioText;
use super::value::{Table, Value};
use super::{machine, machine_table, of_text, parse};
use crate::presets::{self, PRESETS};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{did_you_mean, ending, nearest};
use meshwright_network::topology::Machine;
use meshwright_verdict::fit::FreeConstant;

/// A key of a machine file whose number may be changed.
#[derive(Clone, Copy, Debug)]
pub struct FreeKey {
    /// The key with its table, as after `--free`.
    pub name: &'static str,
    table: &'static str,
    key: &'static str,
    steps: Steps,
    /// What it is.
    pub summary: &'static str,
}

/// How the values around a given one are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// Whole cycles: tenths of the value.
    Cycles,
    /// Bytes per cycle: three hundredths of the value.
    Rate,
    /// A small number: ones; at least this.
    Count(u64),
}

const fn free(
    (name, table, key): (&'static str, &'static str, &'static str),
    steps: Steps,
    summary: &'static str,
) -> FreeKey {
    FreeKey { name, table, key, steps, summary }
}

/// Every key that may be free.
pub const FREE_KEYS: &[FreeKey] = &[
    free(
        ("processors.tail", "processors", "tail"),
        Steps::Cycles,
        "from the last answer to the end of the barrier",
    ),
    free(
        ("processors.overhead", "processors", "overhead"),
        Steps::Cycles,
        "before a message enters the network",
    ),
    free(
        ("processors.first", "processors", "first"),
        Steps::Cycles,
        "from a kernel's begin to its first message",
    ),
    free(("processors.gap", "processors", "gap"), Steps::Cycles, "from one message to the next"),
    free(
        ("processors.barrier", "processors", "barrier"),
        Steps::Cycles,
        "from the last message to the barrier",
    ),
    free(
        ("processors.empty", "processors", "empty"),
        Steps::Cycles,
        "a barrier for which nothing is outstanding",
    ),
    free(
        ("processors.resume", "processors", "resume"),
        Steps::Cycles,
        "from the end of a barrier to the next message",
    ),
    free(("interfaces.out", "interfaces", "out"), Steps::Rate, "what a node puts into a network"),
    free(("interfaces.in", "interfaces", "in"), Steps::Rate, "what a node takes out of a network"),
    free(
        ("interfaces.memory", "interfaces", "memory"),
        Steps::Cycles,
        "from a request to the first byte of the answer",
    ),
    free(
        ("interfaces.memory_rate", "interfaces", "memory_rate"),
        Steps::Rate,
        "a node's memory, both ways together",
    ),
    free(("networks.rate", "networks", "rate"), Steps::Rate, "a link"),
    free(("links.rate", "links", "rate"), Steps::Rate, "a link of a class"),
    free(("shared.out", "shared", "out"), Steps::Rate, "what several ports share, outwards"),
    free(("shared.in", "shared", "in"), Steps::Rate, "what several ports share, inwards"),
    free(("shared.both", "shared", "both"), Steps::Rate, "what several ports share, both ways together"),
    free(("routers.header", "routers", "header"), Steps::Count(0), "flits before the bytes of a packet"),
    free(("routers.channels", "routers", "channels"), Steps::Count(1), "virtual channels of a link"),
    free(("routers.buffers", "routers", "buffers"), Steps::Count(1), "flits of a virtual channel"),
    free(("routers.requests", "routers", "requests"), Steps::Count(1), "requests a node works on at a time"),
    free(("hop", "", "hop"), Steps::Count(0), "cycles of a head over a link"),
];

/// What is free if nobody says: those of these that the machine has.
const USUAL: [&str; 2] = ["processors.tail", "interfaces.out"];

/// The file of a machine, whose constants can be changed.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::constants::MachineFile;
/// let wormhole = MachineFile::read("wormhole")?;
/// let keys = ["processors.tail".to_string(), "interfaces[1].out".to_string()];
/// let constants = wormhole.constants(&keys)?;
/// assert!(constants.iter().all(|constant| constant.values.contains(&constant.value)));
/// let other = wormhole.with(&keys, &[200.0, 20.5])?;
/// assert!(other.text().contains("tail = 200") && other.text().contains("out = 20.5"));
/// assert_eq!(other.constants(&keys)?[0].value, 200.0);
/// let error = wormhole.constants(&["processors.tial".to_string()]).unwrap_err();
/// assert!(error.to_string().contains("did you mean `processors.tail`"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MachineFile {
    /// The name of the preset or file.
    name: String,
    source: ScenarioText,
}

/// A number in the text.
struct Number {
    span: Range<usize>,
    value: f64,
}

impl MachineFile {
    /// The file of a preset, or the file with this name.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when it is neither; as for [`machine`](super::machine()).
    pub fn read(specification: &str) -> Result<Self> {
        let path = Path::new(specification);
        if let Some(preset) = PRESETS.iter().find(|preset| preset.name == specification) {
            return Self::of_text(specification, preset.toml);
        }
        if ending(path) != "toml" {
            let names = presets::names();
            let expected = format!(
                "a file that ends in .toml, or one of {}{}",
                names.join(", "),
                did_you_mean(specification, &names)
            );
            return Err(Error::value("machine", format!("`{specification}`"), expected));
        }
        Ok(Self { name: specification.to_string(), source: ScenarioText::read(path)? })
    }

    /// A text in place of a file.
    ///
    /// # Errors
    ///
    /// As for [`machine`](super::machine()).
    pub fn of_text(name: &str, text: &str) -> Result<Self> {
        let path = format!("{name}.toml");
        let source = ScenarioText::from_bytes(Path::new(&path), text.as_bytes().to_vec())?;
        Ok(Self { name: name.to_string(), source })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The machine.
    ///
    /// # Errors
    ///
    /// As for [`machine`](super::machine()).
    pub fn machine(&self) -> Result<Machine> {
        Ok(of_text(&self.source, machine::read)?.with_name(&self.name))
    }

    /// What is free if nobody says: the tail of barriers and the first rate of ports, as far as they are in the file.
    ///
    /// # Errors
    ///
    /// As for [`MachineFile::constants`], where the file has neither.
    pub fn usual(&self) -> Result<Vec<String>> {
        let mut keys = Vec::new();
        for name in USUAL {
            let key = FREE_KEYS.iter().find(|key| key.name == name).expect("it stands in the table");
            let numbers = self.numbers(key)?;
            let same = numbers.iter().flatten().all(|number| Some(number.value) == first(&numbers));
            match numbers.iter().position(Option::is_some) {
                Some(_) if same => keys.push(name.to_string()),
                Some(index) => keys.push(format!("{}[{index}].{}", key.table, key.key)),
                None => {}
            }
        }
        if keys.is_empty() {
            let expected = format!("one of {}, or --free with keys that the file has", USUAL.join(", "));
            return Err(Error::value("free constants", "nothing in the file of the machine", expected));
        }
        Ok(keys)
    }

    /// The constants of these keys, each with the values around the present one.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown key, with the nearest known one, for a key twice, one that the file does not set,
    /// and one that has several values.
    pub fn constants(&self, keys: &[String]) -> Result<Vec<FreeConstant>> {
        let constant = |(index, name): (usize, &String)| {
            if keys[..index].contains(name) {
                return Err(refused(name, "each key once"));
            }
            let (key, numbers) = self.find(name)?;
            let value = numbers[0].value;
            Ok(FreeConstant { name: name.clone(), value, values: around(value, key.steps) })
        };
        keys.iter().enumerate().map(constant).collect()
    }

    /// The same file with other values of these keys; everything else stays as it is.
    ///
    /// # Errors
    ///
    /// As for [`MachineFile::constants`].
    pub fn with(&self, keys: &[String], values: &[f64]) -> Result<Self> {
        let mut changes = Vec::new();
        for (name, value) in keys.iter().zip(values) {
            changes.extend(self.find(name)?.1.into_iter().map(|number| (number.span, value)));
        }
        changes.sort_unstable_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = self.source.text.clone();
        for (span, value) in changes {
            text.replace_range(span, &value.to_string());
        }
        let source = ScenarioText::from_bytes(&self.source.path, text.into_bytes())?;
        Ok(Self { name: self.name.clone(), source })
    }

    /// The numbers that a key stands for; at least one, and all the same.
    fn find(&self, name: &str) -> Result<(&'static FreeKey, Vec<Number>)> {
        let (plain, index) = without_index(name);
        let key = FREE_KEYS.iter().find(|key| key.name == plain).ok_or_else(|| unknown(name, &plain))?;
        let numbers = self.numbers(key)?;
        let tables = numbers.len();
        let chosen: Vec<Number> = match index {
            Some(index) => numbers.into_iter().nth(index).flatten().into_iter().collect(),
            None if numbers.iter().flatten().any(|number| Some(number.value) != first(&numbers)) => {
                let one = |(index, number): (usize, &Option<Number>)| {
                    number
                        .as_ref()
                        .map(|number| format!("{}[{index}].{} = {}", key.table, key.key, number.value))
                };
                let all: Vec<String> = numbers.iter().enumerate().filter_map(one).collect();
                return Err(refused(name, format!("one of its values: {}", all.join(", "))));
            }
            None => numbers.into_iter().flatten().collect(),
        };
        if chosen.is_empty() {
            let tables = match (index, tables) {
                (Some(_), 1..) => format!(" ({tables} such tables, the first is number 0)"),
                _ => String::new(),
            };
            return Err(refused(name, format!("a key that the file of the machine sets{tables}")));
        }
        Ok((key, chosen))
    }

    /// Table by table the number under a key.
    fn numbers(&self, key: &FreeKey) -> Result<Vec<Option<Number>>> {
        let entries = parse(&self.source)?;
        let document = Table::document(&self.source, &entries);
        let machine = machine_table(&self.source, &document)?;
        let tables = match key.table {
            "" => vec![machine],
            "routers" => machine.table("routers", "[machine.routers]")?.into_iter().collect(),
            table => machine.tables(table, "[[machine.…]]")?,
        };
        let number = |value: Value<'_>| {
            const EXPECTED: &str = "a number without a unit, to be changed";
            let number = value.quantity(EXPECTED)?.parse().map_err(|_| value.unexpected(EXPECTED))?;
            Ok(Number { span: value.span(), value: number })
        };
        tables.iter().map(|table| table.get(key.key).map(number).transpose()).collect()
    }
}

/// The value of the first table that has one.
fn first(numbers: &[Option<Number>]) -> Option<f64> {
    numbers.iter().flatten().map(|number| number.value).next()
}

/// `processors[2].gap` as `processors.gap` and 2.
fn without_index(name: &str) -> (String, Option<usize>) {
    let parts = name.split_once('[').and_then(|(table, rest)| Some((table, rest.split_once("].")?)));
    match parts.and_then(|(table, (index, key))| Some((format!("{table}.{key}"), index.parse().ok()?))) {
        Some((plain, index)) => (plain, Some(index)),
        None => (name.to_string(), None),
    }
}

fn refused(name: &str, expected: impl Into<String>) -> Error {
    Error::value("free constant", format!("`{name}`"), expected)
}

fn unknown(name: &str, plain: &str) -> Error {
    let names: Vec<&str> = FREE_KEYS.iter().map(|key| key.name).collect();
    let near = nearest(plain, &names).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    refused(name, format!("{}{near}", names.join(", ")))
}

/// A few values around one, growing.
fn around(value: f64, steps: Steps) -> Vec<f64> {
    let mut values: Vec<f64> = match steps {
        Steps::Cycles if value < 10.0 => [0.0, 2.0, 5.0, 10.0, 20.0].to_vec(),
        Steps::Cycles => [0.8, 0.9, 1.0, 1.1, 1.2].iter().map(|share| (value * share).round()).collect(),
        Steps::Rate => {
            let share = |share: &f64| (value * share * 100.0).round() / 100.0;
            [0.94, 0.97, 1.0, 1.03, 1.06].iter().map(share).collect()
        }
        Steps::Count(least) => (-2..=2).map(|step| (value + f64::from(step)).max(least as f64)).collect(),
    };
    values.push(value);
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::super::machine_keys::{KeyTable, TABLES};
    use super::*;

    #[test]
    fn values_lie_around_the_given_one() {
        assert_eq!(around(110.0, Steps::Cycles), [88.0, 99.0, 110.0, 121.0, 132.0]);
        assert_eq!(around(0.0, Steps::Cycles), [0.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(around(32.0, Steps::Rate), [30.08, 31.04, 32.0, 32.96, 33.92]);
        assert_eq!(around(2.0, Steps::Count(1)), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn keys_are_found_where_they_stand() {
        let file = MachineFile::read("wormhole").unwrap();
        let refused = |name: &str| file.constants(&[name.to_string()]).unwrap_err().to_string();
        assert!(refused("interfaces.out").contains("interfaces[0].out = 28.4, interfaces[1].out = 22.5"));
        assert!(refused("interfaces[7].out").contains("2 such tables"), "{}", refused("interfaces[7].out"));
        assert!(refused("shared.out").contains("a key that the file of the machine sets"));
        assert!(refused("processors[x].tail").contains("free constant is `processors[x].tail`"));
        assert_eq!(file.usual().unwrap(), ["processors.tail", "interfaces[0].out"]);
        for key in FREE_KEYS {
            // Every key is one that machine files have.
            let of_table = |table: &&&KeyTable| {
                let name = table.name.trim_matches(['[', ']']);
                name == format!("machine.{}", key.table).trim_end_matches('.')
            };
            let table = TABLES.iter().find(of_table).expect("a table of machine files");
            assert!(table.keys.iter().any(|known| known.name == key.key), "{}", key.name);
        }
    }

    #[test]
    fn only_the_number_changes() {
        let file = MachineFile::read("wormhole").unwrap();
        let keys = ["hop".to_string(), "processors[0].gap".to_string()];
        let other = file.with(&keys, &[10.0, 150.0]).unwrap();
        let changed: Vec<(&str, &str)> =
            file.text().lines().zip(other.text().lines()).filter(|(a, b)| a != b).collect();
        assert_eq!(changed, [("hop = 9", "hop = 10"), ("gap = 157", "gap = 150")]);
        assert_eq!(other.machine().unwrap().fabric().unwrap().hop().0, 10);
    }
}
