//! Several sizes, start-ups and head flits: races side by side.

use serde::Serialize;

use meshwright_core::output as disk;
use meshwright_core::{Error, Result};
use meshwright_formats::json::RaceForm;
use meshwright_network::topology::Machine;
use meshwright_report::{SeriesTable, race_files};
use meshwright_verdict::race::regimes::{Measured, Regime, measured};

use super::text::{HEAD, line, rows};
use super::{RaceArguments, asked, csv};
use crate::output::{self, Progress};
use crate::{Answer, files, table};

/// The answer for several.
#[derive(Serialize)]
struct Several<'a> {
    format: u32,
    machine: &'a str,
    operation: &'static str,
    races: Vec<Race<'a>>,
    /// Who wins where.
    regimes: Vec<Regime<'a>>,
}

/// One of them.
#[derive(Serialize)]
struct Race<'a> {
    startup: u64,
    flit: u64,
    #[serde(flatten)]
    race: RaceForm<'a>,
}

impl<'a> Race<'a> {
    fn of(one: &'a Measured) -> Self {
        let Measured { machine, verdict } = one;
        Self { startup: machine.costs().startup.0, flit: machine.costs().flit.0, race: verdict.into() }
    }
}

/// Answers for each size on each of the machines, which differ in their costs.
pub(super) fn run(
    arguments: &RaceArguments,
    machines: &[Machine],
    sizes: &[u64],
    named: &disk::NamedJob,
) -> Result<Answer> {
    arguments.emit.refuse_beside_several()?;
    if arguments.explain {
        return Err(Error::value(
            "explain",
            "given",
            "one size under one set of costs: it tells of one schedule",
        ));
    }
    let asked = asked(arguments, &machines[0], sizes[0])?;
    let mut progress = Progress::with_steps((machines.len() * sizes.len()) as u64);
    let all = measured(&asked, machines, sizes, &mut |what| progress.tell(what))?;
    drop(progress);
    let json = output::json(&Several {
        format: 1,
        machine: all[0].machine.name(),
        operation: arguments.operation.name(),
        races: all.iter().map(Race::of).collect(),
        regimes: all.iter().map(Measured::regime).collect(),
    });
    let of_folder = || {
        let mut files = arguments.png.with(race_files(&all, numbers(&all)));
        files.push(files::file("race.json", "the answers for scripts", json.clone()));
        Ok(files)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let races: Vec<_> = all.iter().map(|one| (&one.verdict, &one.machine)).collect();
    let written =
        files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| csv::table(&races)))?;
    let one = |one: &Measured| {
        let [bytes, startup, flit] = varied(one);
        format!("{bytes} bytes, start-up {startup}, flit {flit}: {}", line(&one.verdict, &one.machine))
    };
    output::say(
        arguments.json.then_some(json),
        || all.iter().map(one).collect::<Vec<_>>().join("\n"),
        || text(&all) + &written,
    )?;
    let ends = all.iter().any(|one| one.verdict.winner().is_some());
    Ok(if ends { Answer::Done } else { Answer::Negative })
}

/// The values that may vary.
fn varied(one: &Measured) -> [String; 3] {
    let costs = one.machine.costs();
    [one.verdict.facts.bytes.to_string(), costs.startup.0.to_string(), costs.flit.0.to_string()]
}

fn text(all: &[Measured]) -> String {
    let Measured { machine, verdict } = &all[0];
    let mut text = format!(
        "{} on {} · {} members · {} a byte · {}; times in {}\n",
        verdict.facts.operation.name(),
        machine.name(),
        verdict.facts.members,
        machine.costs().byte_time,
        machine.switching().name(),
        table::unit(machine)
    );
    const WINNERS: [&str; 7] = ["bytes", "startup", "flit", "fastest", "bound", "simulated", "gap"];
    let winners = all.iter().map(|one| {
        let regime = one.regime();
        let mut cells = varied(one).to_vec();
        cells.extend([
            if regime.winners.is_empty() { "standstill".to_string() } else { regime.winners.join(", ") },
            table::time(one.verdict.bound().0 as f64, 0, &one.machine),
            regime.simulated_cycles.map_or(String::new(), |cycles| table::cycles(cycles, &one.machine)),
            regime.gap.map_or(String::new(), table::percent),
        ]);
        cells
    });
    text += &table::table(&WINNERS, 0, winners.collect());
    text += &table::table(&heads(), 0, all.iter().flat_map(all_rows).collect());
    text + &table::left_out(all.iter().flat_map(|one| &one.verdict.skipped))
        + "* the least simulated time of the algorithms above, for this size and these costs\n"
}

fn heads() -> Vec<&'static str> {
    ["bytes", "startup", "flit"].into_iter().chain(HEAD).collect()
}

fn all_rows(one: &Measured) -> Vec<Vec<String>> {
    rows(&one.verdict, &one.machine).into_iter().map(|row| [varied(one).to_vec(), row].concat()).collect()
}

/// The table of the page.
fn numbers(all: &[Measured]) -> SeriesTable {
    SeriesTable {
        words: 0,
        head: heads().iter().map(ToString::to_string).collect(),
        rows: all.iter().flat_map(all_rows).collect(),
    }
}
