//! The options that change a machine.

use clap::Args;

use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::places::Change;
use meshwright_formats::scenario::{self, machine::switching};
use meshwright_formats::scenario::{quantity, tasks};
use meshwright_mapping::divide::Preset;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Machine, Switching};

use super::{factors, output};

/// What `--switching` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    One(Switching),
    All,
}

fn asked(name: &str) -> Result<Asked> {
    if name == "all" { Ok(Asked::All) } else { switching(name).map(Asked::One) }
}

/// Every form of a machine, for the help of all verbs.
pub const MACHINES: &str = "mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: \
    hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, \
    simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them";

/// What of the machine does not work.
#[derive(Args, Clone, Debug, Default)]
pub struct Broken {
    /// Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: "3,*" or
    /// 0..4,7; several with `;` between, or the option again
    #[arg(long, value_name = "NODES")]
    dead: Vec<String>,
    /// Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as "*,3-*,4"
    #[arg(long, value_name = "PAIRS")]
    dead_links: Vec<String>,
}

impl Broken {
    /// The machine without them.
    ///
    /// # Errors
    ///
    /// As for [`Change::bury`].
    pub fn of(&self, machine: Machine) -> Result<Machine> {
        self.change(None).bury(machine)
    }

    /// The machine of `--on` without them, if there is one.
    ///
    /// # Errors
    ///
    /// As for [`scenario::machine`] and [`Change::bury`]; [`Error::Value`] when something is dead and no machine is named.
    pub fn on(&self, on: Option<&str>) -> Result<Option<Machine>> {
        if let Some(on) = on {
            return scenario::machine(on).and_then(|machine| self.of(machine)).map(Some);
        }
        match self.dead.first().or(self.dead_links.first()) {
            Some(text) => Err(Error::value("--dead", format!("`{text}`"), "--on MACHINE beside it")),
            None => Ok(None),
        }
    }

    /// What changes of the machine that a file names.
    pub(super) fn change(&self, on: Option<&str>) -> Change {
        Change { on: on.map(str::to_string), dead: self.dead.clone(), dead_links: self.dead_links.clone() }
    }
}

/// A machine in place of that of a file.
#[derive(Args)]
pub(super) struct OtherMachine {
    /// Another machine in place of that of the file; the answer says so
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,
    #[command(flatten)]
    broken: Broken,
}

impl OtherMachine {
    /// What changes.
    pub(super) fn change(&self) -> Change {
        self.broken.change(self.on.as_deref())
    }
}

/// What is said of a machine in place of another.
pub(super) fn in_place_of(machine: &Machine, replaced: Option<&str>) -> String {
    replaced.map_or(String::new(), |old| format!("{} in place of {old}, as --on asks\n", machine.name()))
}

/// `--on` and what changes that machine.
#[derive(Args)]
pub(super) struct MachineArguments {
    #[arg(long, value_name = "MACHINE", help = MACHINES)]
    on: String,
    #[command(flatten)]
    broken: Broken,
    /// How messages move: wormhole, cut-through or store-and-forward; to compare, map takes several with commas between, or
    /// all [default: as the machine file says, else wormhole]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = |text: &str| told(asked(text)))]
    switching: Vec<Asked>,
    /// c: whole cycles before a message enters the network, such as 100; on a machine with a clock also a time such as 2us; to
    /// compare, map and race take several with commas between, or a range: 1..1000 by factors of four, 1..1000/7 seven of them at
    /// equal factors [default: as the machine file says, else 100]
    #[arg(long, value_name = "CYCLES", value_delimiter = ',', allow_negative_numbers = true, value_parser = startups_of)]
    startup: Vec<String>,
    /// b: cycles per byte on a link, such as 1, 0.25 or 1/30; on a machine with a clock also a rate such as 25GB/s
    /// [default: as the machine file says, else 1]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true, value_parser = by_clock(quantity::byte_time))]
    byte_time: Option<String>,
    /// h: bytes of the head flit, such as 2; to compare, race takes several with commas between, or a range as of --startup
    /// [default: as the machine file says, else 2]
    #[arg(long, value_name = "BYTES", value_delimiter = ',', allow_negative_numbers = true, value_parser = flits_of)]
    flit: Vec<Flits>,
}

impl MachineArguments {
    /// The machine and the switchings under which jobs are simulated on it, its own first: that of the machine if none is
    /// asked for.
    pub(super) fn machine_and_switchings(&self) -> Result<(Machine, Vec<Switching>)> {
        self.check_one_flit()?;
        let machine = self.of_first_switching()?;
        let mut switchings = vec![machine.switching()];
        for &asked in &self.switching {
            let more = match asked {
                Asked::One(switching) => vec![switching],
                // Where networks are described there is one way to move messages.
                Asked::All if machine.fabric().is_some() => Vec::new(),
                Asked::All => SWITCHINGS.iter().map(|(_, switching)| *switching).collect(),
            };
            switchings.extend(more);
        }
        let mut known = Vec::new();
        switchings.retain(|switching| {
            !known.contains(switching) && {
                known.push(*switching);
                true
            }
        });
        Ok((machine, switchings))
    }

    /// The machine with each of the start-ups and head flits that were asked for.
    pub(super) fn machines(&self) -> Result<Vec<Machine>> {
        self.check_one_switching()?;
        let machine = self.of_first_switching()?;
        let mut startups = self.startups(&machine)?;
        if startups.is_empty() {
            startups.push(machine.costs().startup);
        }
        let mut flits = self.flits();
        if flits.is_empty() {
            flits.push(machine.costs().flit);
        }
        let with = |startup, flit| machine.clone().with_startup(startup)?.with_flit(flit);
        match machine.fabric() {
            Some(_) => Ok(vec![machine]),
            None => startups
                .iter()
                .flat_map(|&startup| flits.iter().map(move |&flit| with(startup, flit)))
                .collect(),
        }
    }

    /// The machine, which runs under one switching.
    pub(super) fn machine(&self) -> Result<Machine> {
        self.check_one_switching()?;
        self.check_one_startup()?;
        self.check_one_flit()?;
        self.of_first_switching()
    }

    fn check_one_switching(&self) -> Result<()> {
        if self.switching.len() > 1 || self.switching.contains(&Asked::All) {
            return Err(Error::value(
                "switching",
                self.switching_names(),
                "one of them: several are compared by map",
            ));
        }
        Ok(())
    }

    fn check_one_flit(&self) -> Result<()> {
        match self.flits().len() > 1 {
            true => {
                let all: Vec<String> = self.flits().iter().map(|flit| flit.0.to_string()).collect();
                Err(Error::value("flit", all.join(","), "one value: several are compared by race"))
            }
            false => Ok(()),
        }
    }

    /// The start-ups that were asked for, in cycles of this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a time in seconds on a machine without a clock.
    pub(super) fn startups(&self, machine: &Machine) -> Result<Vec<Cycles>> {
        let mut all = Vec::new();
        for text in &self.startup {
            for cycles in startups_in(text, machine.clock())?.into_iter().map(Cycles) {
                if !all.contains(&cycles) {
                    all.push(cycles);
                }
            }
        }
        Ok(all)
    }

    /// The head flits that were asked for.
    fn flits(&self) -> Vec<Bytes> {
        self.flit.iter().flat_map(|flits| flits.0.iter().copied().map(Bytes)).collect()
    }

    /// Refuses several start-ups where there is one answer.
    pub(super) fn check_one_startup(&self) -> Result<()> {
        match self.startup.len() > 1 || self.startup.iter().any(|text| text.contains("..")) {
            true => {
                let expected = "one value: several are compared by map TASKS and race";
                Err(Error::value("startup", self.startup.join(","), expected))
            }
            false => Ok(()),
        }
    }

    fn switching_names(&self) -> String {
        let name = |asked: &Asked| match asked {
            Asked::One(switching) => switching.name(),
            Asked::All => "all",
        };
        self.switching.iter().map(name).collect::<Vec<_>>().join(",")
    }

    /// The machine under the first switching asked for.
    fn of_first_switching(&self) -> Result<Machine> {
        let machine = scenario::machine(&self.on)?;
        output::remarks(&machine);
        let machine = self.broken.of(machine)?;
        if machine.fabric().is_some() {
            self.check_no_costs()?;
            return Ok(machine);
        }
        let byte_time = self.byte_time.as_ref().map(|text| quantity::byte_time(text, machine.clock()));
        let costs = Costs {
            startup: self.startups(&machine)?.first().copied().unwrap_or(machine.costs().startup),
            byte_time: byte_time.transpose()?.unwrap_or(machine.costs().byte_time),
            flit: self.flits().first().copied().unwrap_or(machine.costs().flit),
        };
        let first = self.switching.iter().find_map(|asked| match asked {
            Asked::One(switching) => Some(*switching),
            Asked::All => None,
        });
        let switching = first.unwrap_or(machine.switching());
        machine.with_switching(switching).with_costs(costs)
    }
}

impl MachineArguments {
    /// Those of the options on costs that were given, with their values.
    fn given_costs(&self) -> impl Iterator<Item = (&'static str, String)> {
        let given = [
            ("startup", self.startup.first().cloned()),
            ("byte-time", self.byte_time.clone()),
            ("flit", self.flits().first().map(|flit| flit.0.to_string())),
        ];
        given.into_iter().filter_map(|(option, value)| Some((option, value?)))
    }

    /// Refuses the costs of messages where packets of flits are sent, which know none of them.
    pub(super) fn refuse_costs_of_messages(&self) -> Result<()> {
        match self.given_costs().next() {
            None => Ok(()),
            Some((option, value)) => {
                let expected = format!(
                    "no --{option} beside --traffic: a flit crosses a link in link_delay cycles; --set changes routers, \
                     --packet the flits of a packet"
                );
                Err(Error::value(option, value, expected))
            }
        }
    }

    /// Refuses options that would change nothing on a machine whose networks are described.
    fn check_no_costs(&self) -> Result<()> {
        let switching = Some(("switching", self.switching_names())).filter(|(_, names)| !names.is_empty());
        match switching.into_iter().chain(self.given_costs()).next() {
            None => Ok(()),
            Some((option, value)) => {
                let expected = format!(
                    "no --{option} beside --on {}: its file describes links and ports, and says how messages move",
                    self.on
                );
                Err(Error::value(option, value, expected))
            }
        }
    }
}

/// A quantity as it is written, if it could be read beside a clock: the machine, which may have none, is read later.
fn by_clock<T>(
    read: fn(&str, Option<Ratio>) -> Result<T>,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static
where
    T: 'static,
{
    move |text| told(read(text, Some(Ratio::whole(1)))).map(|_| text.to_string())
}

/// One head flit, or a range of them.
#[derive(Clone, Debug)]
struct Flits(Vec<u64>);

fn flits_of(text: &str) -> Result<Flits, String> {
    let read = |part: &str| Ok(quantity::bytes(part)?.0);
    told(factors::values(text, ["range of head flits", "2..2048"], &read)).map(Flits)
}

/// One start-up, or a range of them.
fn startups_in(text: &str, clock: Option<Ratio>) -> Result<Vec<u64>> {
    let read = |part: &str| Ok(quantity::cycles(part, clock)?.0);
    factors::values(text, ["range of start-ups", "1..1000"], &read)
}

/// Start-ups as they are written, if they could be read beside a clock.
fn startups_of(text: &str) -> Result<String, String> {
    told(startups_in(text, Some(Ratio::whole(1)))).map(|_| text.to_string())
}

/// A volume of bytes.
pub(super) fn volume(text: &str) -> Result<Bytes, String> {
    told(quantity::bytes(text))
}

/// A share.
pub(super) fn share(text: &str) -> Result<f64, String> {
    told(quantity::share(text))
}

/// Which machine.
#[derive(Args)]
pub(super) struct MachineName {
    #[arg(long, value_name = "MACHINE", help = MACHINES, required_unless_present = "machine")]
    on: Option<String>,
    /// The same without --on, its old place
    #[arg(value_name = "MACHINE", hide = true, conflicts_with = "on")]
    machine: Option<String>,
    #[command(flatten)]
    broken: Broken,
}

impl MachineName {
    /// The machine with this name, broken as is asked for.
    ///
    /// # Errors
    ///
    /// As for [`scenario::machine`] and [`Broken::of`].
    pub(super) fn read_as(&self, name: &str) -> Result<Machine> {
        let machine = scenario::machine(name)?;
        output::remarks(&machine);
        self.broken.of(machine)
    }

    /// The machine for programs of groups.
    ///
    /// # Errors
    ///
    /// As for [`scenario::machine_in_packets`] and [`Broken::of`].
    pub(super) fn in_packets(&self) -> Result<Machine> {
        self.broken.of(scenario::machine_in_packets(self.named())?)
    }

    /// The words that name it.
    pub(super) fn named(&self) -> &str {
        self.on.as_ref().or(self.machine.as_ref()).expect("clap requires one of them")
    }
}

/// A well-known computation.
pub(super) fn preset(text: &str) -> Result<&'static Preset, String> {
    told(tasks::preset(text))
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// What an option says of a value it refuses; clap names the option and the value before it.
pub(super) fn told<T>(result: Result<T>) -> Result<T, String> {
    result.map_err(|error| match error {
        Error::Value { expected, .. } => format!("expected {expected}"),
        other => other.to_string(),
    })
}
