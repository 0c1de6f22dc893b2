//! How answers are given: how much is said, in which unit times stand, how wide tables are, whether they have colours.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ValueEnum};

use meshwright_core::{Error, Result};
use meshwright_network::topology::Machine;

use super::call;

/// The options of every verb.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Print errors and the one line with the answer, nothing else
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    quiet: bool,
    /// Say on stderr what is read, what is tried, and what is left out and why
    #[arg(short, long, global = true, help_heading = HEADING)]
    verbose: bool,
    /// Times in cycles, or in seconds on a machine with a clock [default: both where there is a clock]
    #[arg(long, value_enum, global = true, value_name = "UNIT", help_heading = HEADING)]
    units: Option<Units>,
}

/// Options of all verbs stand under this heading.
const HEADING: &str = "Every verb";

// How times are shown; a comment of documentation would stand in every help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Units {
    Cycles,
    Time,
}

const QUIET: u8 = 1;
const VERBOSE: u8 = 2;

/// How much is said.
static LOUDNESS: AtomicU8 = AtomicU8::new(0);

/// 0: both units; 1: cycles; 2: time.
static UNITS: AtomicU8 = AtomicU8::new(0);

impl Manner {
    /// The unit that is asked for, if one is.
    pub(super) fn units(self) -> Option<Units> {
        self.units
    }

    /// From now on answers are given like this.
    pub fn set(self) {
        let loudness = if self.quiet { QUIET } else { VERBOSE * u8::from(self.verbose) };
        LOUDNESS.store(loudness, Ordering::Relaxed);
        let units = self.units.map_or(0, |units| if units == Units::Cycles { 1 } else { 2 });
        UNITS.store(units, Ordering::Relaxed);
        self.listen();
    }

    /// Hears of files that are read, if everything is to be said.
    pub(super) fn listen(self) {
        if self.verbose {
            meshwright_core::text::on_open(|path| {
                super::output::detail(&format!("reads {}", path.display()));
            });
        }
    }
}

/// Whether only the answer is asked for.
pub(super) fn is_quiet() -> bool {
    call::manner().map_or(LOUDNESS.load(Ordering::Relaxed) == QUIET, |manner| manner.quiet)
}

/// Whether everything is asked for.
pub(super) fn is_verbose() -> bool {
    call::manner().map_or(LOUDNESS.load(Ordering::Relaxed) == VERBOSE, |manner| manner.verbose)
}

/// The unit that was asked for, if one was.
pub(super) fn units() -> Option<Units> {
    if let Some(manner) = call::manner() {
        return manner.units;
    }
    match UNITS.load(Ordering::Relaxed) {
        1 => Some(Units::Cycles),
        2 => Some(Units::Time),
        _ => None,
    }
}

/// Refuses seconds on a machine without a clock.
pub(super) fn check(machine: &Machine) -> Result<()> {
    match units() == Some(Units::Time) && machine.seconds(1.0).is_none() {
        true => Err(Error::value(
            "units",
            "time",
            "cycles: the machine has no clock; in a machine file, `clock = \"1 GHz\"` gives it one",
        )),
        false => Ok(()),
    }
}

/// Refuses seconds where times are steps of packets, which have no length.
pub(super) fn check_costs(machine: &Machine) -> Result<()> {
    match units() == Some(Units::Time) && machine.costs() == machine.clone().in_packets().costs() {
        true => Err(Error::value(
            "units",
            "time",
            "cycles: times are steps of packets; a machine file that names `startup` or `byte_time` is taken at its word",
        )),
        false => Ok(()),
    }
}

/// How many columns a table may take: those that `COLUMNS` names, else those of the terminal; in a file or pipe, and
/// for another process that calls, any number.
pub(super) fn width() -> usize {
    if call::manner().is_some() {
        return usize::MAX;
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let own = || {
        let is_terminal = std::io::stdout().is_terminal();
        let size = is_terminal.then(terminal_size::terminal_size).flatten();
        size.map(|(width, _)| usize::from(width.0))
    };
    named.or_else(own).filter(|&columns| columns > 0).unwrap_or(usize::MAX)
}
