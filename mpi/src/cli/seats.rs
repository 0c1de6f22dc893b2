//! The options of `meshwright-mpi ranks` that have to do with where ranks are.

use std::path::PathBuf;

use clap::Args;
use meshwright_cli::files::Force;
use meshwright_cli::{Answer, output, table};
use meshwright_core::Error;
use meshwright_core::output::Writing;
use meshwright_hosts::launcher::expected::{self, Expected};
use meshwright_hosts::launcher::seats::{self, Misplaced, Seat};
use meshwright_hosts::slurm;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Topic};
use serde::Serialize;

use super::Outcome;

/// The options.
#[derive(Args)]
pub(super) struct SeatArguments {
    /// Compare where ranks are with where a file of `meshwright map --emit` wants them: rankfile, slurm-hostfile or
    /// mpich-rank-order, with a colon and the file; exit code 1 if a rank is elsewhere
    #[arg(long, value_name = "FORMAT:FILE", value_parser = target, conflicts_with = "watch")]
    expect: Option<Target>,
    /// --expect mpich-rank-order: the hosts of the launcher's slots, one on a line [default: those of the Slurm job]
    #[arg(long, value_name = "FILE", requires = "expect")]
    slots: Option<PathBuf>,
    /// Write the host of each rank, one on a line, for `meshwright map --hosts`
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    hosts: Option<PathBuf>,
    /// Write a table of hosts and slots for `meshwright map --on coordinates:FILE`, hosts in a row as they come; put
    /// in the coordinates that they really have
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    coordinates: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// One `FORMAT:FILE`.
#[derive(Clone)]
struct Target {
    format: &'static str,
    path: PathBuf,
}

/// The formats that say where ranks are to be.
const FORMATS: [&str; 3] = ["rankfile", "slurm-hostfile", "mpich-rank-order"];

fn target(text: &str) -> Result<Target, String> {
    let found = text.split_once(':').and_then(|(name, file)| {
        let format = FORMATS.into_iter().find(|format| *format == name && !file.is_empty())?;
        Some(Target { format, path: file.into() })
    });
    found.ok_or_else(|| format!("expected FORMAT:FILE with one of {}", FORMATS.join(", ")))
}

/// Tells rank 0 where everybody is, by one message of each: there the seats of all ranks, elsewhere none.
fn gather<E: Endpoint>(mail: &mut Mailbox<E>, seat: Seat) -> Result<Vec<Seat>, Lost> {
    let all = mail.gather(0, Topic::Seats.tag(0), seats::Carried::from(seat))?;
    Ok(all.unwrap_or_default().into_iter().map(Seat::from).collect())
}

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    ranks: Vec<SeatRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Comparison>,
}

#[derive(Serialize)]
struct SeatRow<'a> {
    rank: usize,
    host: &'a str,
    processors: String,
    launcher: Option<&'a str>,
    launched_as: Option<u32>,
    slot: u32,
}

#[derive(Serialize)]
struct Comparison {
    format: &'static str,
    file: PathBuf,
    misplaced: Vec<Elsewhere>,
}

#[derive(Serialize)]
struct Elsewhere {
    rank: u32,
    expected: String,
    found: String,
}

impl SeatArguments {
    /// Whether this is what is asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.expect.is_some() || self.hosts.is_some() || self.coordinates.is_some()
    }

    /// Runs the verb on this rank, which is on this host.
    pub(super) fn run<E: Endpoint>(&self, mail: &mut Mailbox<E>, host: String, json: bool) -> Outcome {
        let wanted = if mail.rank() == 0 { self.wanted(mail.ranks())? } else { None };
        let all = gather(mail, Seat::here(host))?;
        if mail.rank() > 0 {
            return Ok(Answer::Done);
        }
        let compared = wanted.map(|(target, wanted)| {
            let found = |Misplaced { rank, expected, found }| Elsewhere { rank, expected, found };
            let misplaced = seats::compare(&wanted, &all).into_iter().map(found).collect();
            Comparison { format: target.format, file: target.path.clone(), misplaced }
        });
        let is_elsewhere = compared.as_ref().is_some_and(|compared| !compared.misplaced.is_empty());
        let written = self.write(&all)?;
        let report = Report { format: 1, ranks: rows(&all), expected: compared };
        output::print(&if json { output::json(&report) } else { people(&report) + &written })?;
        Ok(if is_elsewhere { Answer::Negative } else { Answer::Done })
    }

    /// Where the file wants each rank, if there is a file.
    fn wanted(&self, ranks: u32) -> meshwright_core::Result<Option<(&Target, Vec<Expected>)>> {
        let Some(target) = &self.expect else { return Ok(None) };
        let slots = match &self.slots {
            Some(path) => Some(expected::host_list(path)?),
            None => slurm::slots(&|name| std::env::var(name).ok())
                .ok()
                .map(|slots| slots.into_iter().map(|(host, _)| host).collect()),
        };
        if target.format == "mpich-rank-order" && slots.is_none() {
            return Err(Error::value(
                "slots",
                "missing",
                "--slots FILE with the hosts of the launcher's slots",
            ));
        }
        let wanted = expected::read(target.format, &target.path, slots.as_deref())?;
        if wanted.len() != ranks as usize {
            let expected = format!("{}, as {} has", wanted.len(), target.path.display());
            return Err(Error::value("number of ranks", ranks, expected));
        }
        Ok(Some((target, wanted)))
    }

    /// Writes the files that are asked for; what there is to say about them.
    fn write(&self, all: &[Seat]) -> meshwright_core::Result<String> {
        let hosts: String = all.iter().map(|seat| format!("{}\n", seat.host)).collect();
        let coordinates = seats::coordinates(all);
        let mut files = Vec::new();
        files.extend(self.hosts.as_ref().map(|path| (path, hosts.as_str())));
        files.extend(self.coordinates.as_ref().map(|path| (path, coordinates.as_str())));
        let mut writing = Writing::new(self.force.force);
        files.iter().try_for_each(|(path, text)| writing.file(path, text.as_bytes()))?;
        writing.finish()?;
        Ok(files.iter().map(|(path, _)| format!("Written: {}\n", output::shown(path))).collect())
    }
}

fn rows(all: &[Seat]) -> Vec<SeatRow<'_>> {
    let seats = all.iter().zip(seats::slots(all)).enumerate();
    seats
        .map(|(rank, (seat, slot))| SeatRow {
            rank,
            host: &seat.host,
            processors: seats::listed(&seat.processors),
            launcher: seat.started.as_ref().map(|told| told.launcher.as_str()),
            launched_as: seat.started.as_ref().map(|told| told.rank),
            slot,
        })
        .collect()
}

/// The tables for people.
fn people(report: &Report<'_>) -> String {
    let cells = |row: &SeatRow<'_>| {
        vec![
            row.rank.to_string(),
            row.host.to_string(),
            row.slot.to_string(),
            row.processors.clone(),
            row.launcher.unwrap_or("-").to_string(),
            row.launched_as.map_or("-".to_string(), |rank| rank.to_string()),
        ]
    };
    let head = ["rank", "host", "slot", "processors", "launcher", "launched as rank"];
    let mut text = table::table(&head, 6, report.ranks.iter().map(cells).collect());
    let Some(Comparison { file, misplaced, .. }) = &report.expected else { return text };
    let (file, ranks) = (output::shown(file), report.ranks.len());
    if misplaced.is_empty() {
        return text + &format!("All {ranks} ranks are where {file} wants them.\n");
    }
    let cells = |it: &Elsewhere| vec![it.rank.to_string(), it.expected.clone(), it.found.clone()];
    text += &format!("{} of {ranks} ranks are not where {file} wants them:\n", misplaced.len());
    text + &table::table(&["rank", "expected", "found"], 3, misplaced.iter().map(cells).collect())
}
