//! Configurations of BookSim 2 as machines: the network, and the routers for the flit engine.
//!
//! ```text
//! // comment
//! topology = mesh;
//! k = 8;
//! n = 2;
//! num_vcs = 4;
//! ```
//!
//! What is not written has the default of BookSim. Nodes have the numbers they have there: the first dimension runs fastest.
//! Each key of the file is one of three things: it describes the machine and is honoured; it describes a run, which is no
//! matter of the machine; or it is not modelled, which is said if its value is not the default, and an error where the network
//! would be another one.
//!
//! # Source
//!
//! `jiang2013`: BookSim 2; the defaults are those of its configuration.

mod keys;

use std::path::Path;

use self::keys::{KEYS, Meaning};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Place, Syntax, Tokens, nearest, printable, requote};
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_core::words::quoted;
use meshwright_network::topology::{Costs, Imported, Machine};

const SYNTAX: Syntax =
    Syntax { punctuation: b"=;{},", line_comment: b"//", block_comments: false, by_line: false };

/// The most assignments of a file; BookSim knows some 150 keys.
const ENTRIES_MAX: usize = 1000;

/// Routing functions and what they are called here.
const ROUTINGS: &[(&str, &str)] = &[
    ("dor", "dimension-order"),
    ("dim_order", "dimension-order"),
    ("xy_yx", "o1turn"),
    ("valiant", "valiant"),
    ("min_adapt", "min-adaptive"),
];

/// Patterns of traffic and what they are called here.
const TRAFFIC: &[(&str, &str)] = &[
    ("uniform", "uniform-with-self"),
    ("transpose", "transpose"),
    ("bitcomp", "bit-complement"),
    ("bitrev", "bit-reverse"),
    ("shuffle", "shuffle"),
    ("tornado", "tornado"),
    ("neighbor", "neighbour"),
];

/// Allocators and what they are called here.
const ALLOCATORS: &[(&str, &str)] = &[("islip", "islip"), ("separable_input_first", "separable")];

/// One assignment.
struct Entry {
    key: String,
    value: String,
    place: Place,
}

/// The assignments of a file.
struct Configuration {
    file: String,
    entries: Vec<Entry>,
    /// Where the file ends: what is missing is missing there.
    tokens: Tokens<'static>,
}

/// Reads a file; `specification` becomes the name of the machine.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file, [`Error::Parse`] for what is no configuration, a key that BookSim does not
/// know, and a network or router that this program does not have.
///
/// # Examples
///
/// ```
/// use meshwright_core::text::provide;
/// use meshwright_hosts::booksim;
/// let _file = provide("noc.cfg", b"topology = mesh; k = 4; n = 3;\nnum_vcs = 2; input_speedup = 2;".to_vec());
/// let mesh = booksim::read("booksim:noc.cfg", "noc.cfg".as_ref())?;
/// let imported = mesh.imported().expect("it says how its routers are built");
/// assert!(imported.router.contains(&("virtual_channels", "2".to_string())));
/// assert_eq!(imported.remarks, ["noc.cfg:2: `input_speedup = 2` is not modelled, as if it were 1"]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn read(specification: &str, path: &Path) -> Result<Machine> {
    let mut tokens = Tokens::open(path, SYNTAX)?;
    let entries = entries(&mut tokens)?;
    let configuration = Configuration { file: path.display().to_string(), entries, tokens };
    configuration.machine(specification).map_err(|error| requote(error, path, SYNTAX))
}

/// `key = value;` until the file ends.
fn entries(tokens: &mut Tokens<'static>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while tokens.next_anywhere()? {
        let (key, place) = (String::from_utf8_lossy(tokens.word()).into_owned(), tokens.place());
        if !KEYS.iter().any(|(known, _)| *known == key) {
            let known: Vec<&str> = KEYS.iter().map(|(known, _)| *known).collect();
            let near =
                nearest(&key, &known).map_or("a key of BookSim 2".to_string(), |near| format!("`{near}`"));
            return Err(tokens.error(format!("unknown key `{}`", printable(key.as_bytes())), near));
        }
        if entries.len() == ENTRIES_MAX {
            return Err(tokens.error("there are too many assignments", format!("at most {ENTRIES_MAX}")));
        }
        tokens.expect("=")?;
        let mut value = String::new();
        while tokens.next_anywhere()? && tokens.word() != b";" {
            if tokens.word() == b"=" || value.len() > 1000 {
                return Err(tokens.unexpected("`;`"));
            }
            value.push_str(&String::from_utf8_lossy(tokens.word()));
        }
        if tokens.word() != b";" || value.is_empty() {
            return Err(tokens.unexpected(if value.is_empty() { "a value" } else { "`;`" }));
        }
        entries.push(Entry { key, value, place });
    }
    Ok(entries)
}

impl Configuration {
    /// The last assignment of a key counts.
    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    fn error(&self, entry: &Entry, expected: impl Into<String>) -> Error {
        let message = format!("`{}` is `{}`", entry.key, printable(entry.value.as_bytes()));
        self.tokens.error_at(entry.place, &entry.key, message, expected)
    }

    fn number(&self, key: &'static str, most: u32) -> Result<u32> {
        let Some(entry) = self.entry(key) else { return Ok(default_of(key)) };
        let value = entry.value.parse().ok().filter(|value| *value <= most);
        value.ok_or_else(|| self.error(entry, format!("a whole number from 0 to {most}")))
    }

    /// The word of a key by a table.
    fn word(&self, key: &'static str, words: &[(&'static str, &'static str)]) -> Result<&'static str> {
        let Some(entry) = self.entry(key) else { return Ok(words[0].1) };
        let known = || quoted(&words.iter().map(|word| word.0).collect::<Vec<_>>());
        let found = words.iter().find(|word| word.0 == entry.value);
        found
            .map(|word| word.1)
            .ok_or_else(|| self.error(entry, format!("{}: this program has no other", known())))
    }

    fn machine(&self, specification: &str) -> Result<Machine> {
        for entry in &self.entries {
            if let Some((_, Meaning::Must(only))) = KEYS.iter().find(|(key, _)| *key == entry.key)
                && !is_same(&entry.value, only)
            {
                let expected = if only.is_empty() { "no such file" } else { only };
                return Err(
                    self.error(entry, format!("{expected}: this program has no other networks and routers"))
                );
            }
        }
        let wraps = match self.entry("topology") {
            None => true,
            Some(entry) => match entry.value.as_str() {
                "mesh" => false,
                "torus" => true,
                _ => {
                    return Err(
                        self.error(entry, "`mesh` or `torus`: other networks of BookSim are not there")
                    );
                }
            },
        };
        let (side, dimensions) = (self.number("k", 1 << 24)?, self.number("n", 24)?);
        let sides = vec![side; dimensions as usize];
        let machine = if wraps { Machine::torus(&sides) } else { Machine::mesh(&sides) };
        let place = self.entry("k").or(self.entry("n"));
        let machine = machine.map_err(|error| match place {
            Some(entry) => self.error(entry, error.to_string()),
            None => error,
        })?;
        // A flit crosses a link in a cycle, and nothing is paid before.
        let width = self.number("channel_width", 1 << 19)?;
        if !width.is_multiple_of(8) || width == 0 {
            let entry = self.entry("channel_width").expect("the default is a multiple of 8");
            return Err(self.error(entry, "bits of a flit: a multiple of 8"));
        }
        let flit = u64::from(width / 8);
        let costs = Costs { startup: Cycles(0), byte_time: Ratio::new(1, flit)?, flit: Bytes(flit) };
        Ok(machine
            .with_costs(costs)?
            .with_name(specification)
            .with_virtual_channels(self.number("num_vcs", 32)?.max(1))
            .with_buffers(self.number("vc_buf_size", 255)?.max(1))
            .with_imported(Imported {
                model: "booksim",
                router: self.router(wraps)?,
                remarks: self.remarks(),
            }))
    }

    /// The settings of the flit engine.
    fn router(&self, wraps: bool) -> Result<Vec<(&'static str, String)>> {
        let routing = self.word("routing_function", ROUTINGS)?;
        let allocator = self.word("sw_allocator", ALLOCATORS)?;
        if self.word("vc_allocator", ALLOCATORS)? != allocator {
            let entry = self
                .entry("vc_allocator")
                .or(self.entry("sw_allocator"))
                .expect("one of them is not the default");
            return Err(self.error(entry, "the same allocator for channels and for the switch"));
        }
        // Links of a torus are folded, unless that is switched off.
        let is_long = wraps && self.number("use_noc_latency", 1)? == 1;
        let mut settings = vec![
            ("routing", routing.to_string()),
            ("allocator", allocator.to_string()),
            ("speculative", self.number("speculative", 1)?.to_string()),
            (
                "switch_delay",
                (self.number("st_prepare_delay", 32)? + self.number("st_final_delay", 32)?).to_string(),
            ),
            ("link_delay", if is_long { "2" } else { "1" }.to_string()),
            // It counts from the moment after that in which a credit arrives.
            ("credit_delay", (1 + self.number("credit_delay", 63)?).to_string()),
        ];
        for (key, setting, least, most) in [
            ("num_vcs", "virtual_channels", 1, 32),
            ("vc_buf_size", "buffers", 1, 255),
            ("routing_delay", "routing_delay", 0, 64),
            ("vc_alloc_delay", "vc_alloc_delay", 1, 64),
            ("sw_alloc_delay", "sw_alloc_delay", 1, 64),
        ] {
            let value = self.number(key, most)?;
            if value < least {
                let entry = self.entry(key).expect("defaults are more");
                return Err(self.error(entry, format!("a whole number from {least} to {most}")));
            }
            settings.push((setting, value.to_string()));
        }
        Ok(settings)
    }

    /// What is not modelled, and how the run of the file is asked for.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for Entry { key, value, place } in &self.entries {
            if let Some((_, Meaning::Only(only))) = KEYS.iter().find(|(known, _)| known == key)
                && !is_same(value, only)
            {
                let (file, line, value) = (&self.file, place.line, printable(value.as_bytes()));
                remarks
                    .push(format!("{file}:{line}: `{key} = {value}` is not modelled, as if it were {only}"));
            }
        }
        if let Some(run) = self.run() {
            remarks
                .push(format!("{}: its run is `{run}`; what else it says of a run is left out", self.file));
        }
        remarks
    }

    /// The options that ask for the traffic of the file.
    fn run(&self) -> Option<String> {
        let entry = self.entry("traffic")?;
        let pattern = TRAFFIC.iter().find(|pattern| pattern.0 == entry.value)?.1;
        let number = |key: &str| self.entry(key).and_then(|entry| entry.value.parse::<f64>().ok());
        let packet = number("packet_size").or(number("const_flits_per_packet")).unwrap_or(1.0);
        let rate = number("injection_rate").unwrap_or(0.1);
        let is_in_flits = number("injection_rate_uses_flits").is_some_and(|uses| uses != 0.0);
        let load = if is_in_flits { rate } else { rate * packet };
        // Six digits: 0.01 times 20 is 0.2.
        let load = format!("{load:.6}");
        let load = load.trim_end_matches('0').trim_end_matches('.');
        Some(format!("--traffic {pattern} --load {load} --packet {packet}"))
    }
}

/// The default of a number.
fn default_of(key: &str) -> u32 {
    match KEYS.iter().find(|(known, _)| *known == key) {
        Some((_, Meaning::Number(value))) => *value,
        _ => unreachable!("a number of the table"),
    }
}

/// Whether two values are one word or one number.
fn is_same(value: &str, only: &str) -> bool {
    value == only || value.parse::<f64>().ok().zip(only.parse::<f64>().ok()).is_some_and(|(a, b)| a == b)
}
