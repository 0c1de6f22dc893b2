//! `meshwright-mpi ranks`.

use std::time::Duration;

use clap::Args;
use meshwright_cli::{Answer, output, table};
use meshwright_core::statistics;
use meshwright_core::units::Bytes;
use meshwright_mpi::MpiEndpoint;
use meshwright_runtime::transport::{Mailbox, ping};
use serde::Serialize;

use super::Outcome;
use super::seats::SeatArguments;
use super::trial::Trial;

/// The large messages, in bytes.
const LARGE: Bytes = Bytes(1 << 20);

const AFTER: &str = "\
Examples:
  mpirun -n 4 meshwright-mpi ranks
  mpirun --hostfile hosts -n 64 meshwright-mpi ranks --watch 10
  mpirun --hostfile hosts -n 64 meshwright-mpi ranks --coordinates hosts.csv
  mpirun -n 16 -rf ranks.txt meshwright-mpi ranks --expect rankfile:ranks.txt

A round trip is an empty message from rank 0 and back; the bandwidth is that of 1 MiB there and
back.";

/// Show which rank runs on which host, and how fast messages between rank 0 and others are
#[derive(Args)]
#[command(after_help = AFTER)]
pub(super) struct RanksArguments {
    /// Measure for so long; stop a process or pull a plug meanwhile to see who notices
    #[arg(long, value_name = "SECONDS")]
    watch: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    seats: SeatArguments,
    #[command(flatten)]
    trial: Trial,
}

impl RanksArguments {
    /// Whether it calls operations of MPI that block.
    pub(super) fn blocks(&self) -> bool {
        self.trial.blocks()
    }
}

/// What is known about a rank.
#[derive(Serialize)]
struct RankRow {
    rank: u32,
    host: String,
    process: u32,
    round_trips: Option<usize>,
    round_trip_median_us: Option<f64>,
    round_trip_max_us: Option<f64>,
    bandwidth_mb_per_s: Option<f64>,
}

#[derive(Serialize)]
struct Report {
    format: u32,
    ranks: Vec<RankRow>,
}

/// Runs the verb on this rank.
pub(super) fn run(arguments: &RanksArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let processes = endpoint.processes().to_vec();
    arguments.trial.run(endpoint)?;
    let mut mail = Mailbox::new(endpoint);
    let own = mail.rank();
    if arguments.seats.is_asked() {
        let host = processes[own as usize].host.clone();
        return arguments.seats.run(&mut mail, host, arguments.json);
    }
    let mut measured = Vec::new();
    if let Some(seconds) = arguments.watch {
        measured = ping::round_trips(&mut mail, LARGE, Duration::from_secs(seconds.into()))?;
    }
    if own > 0 {
        return Ok(Answer::Done);
    }
    let row = |(rank, process): (u32, &meshwright_mpi::Process)| {
        let trips = measured.iter().find(|trips| trips.rank == rank);
        let microseconds = |time: &Duration| time.as_secs_f64() * 1e6;
        let median = |times: &[Duration]| statistics::median(times.iter().map(microseconds));
        RankRow {
            rank,
            host: process.host.clone(),
            process: process.id,
            round_trips: trips.map(|trips| trips.empty.len()),
            round_trip_median_us: trips.and_then(|trips| median(&trips.empty)),
            round_trip_max_us: trips.and_then(|trips| trips.empty.last()).map(microseconds),
            bandwidth_mb_per_s: trips
                .and_then(|trips| median(&trips.large))
                .map(|time| 2.0 * LARGE.0 as f64 / time),
        }
    };
    let rows: Vec<RankRow> = (0..).zip(&processes).map(row).collect();
    let text = if arguments.json {
        output::json(&Report { format: 1, ranks: rows })
    } else {
        people(&rows, arguments.watch.is_some())
    };
    output::print(&text)?;
    Ok(Answer::Done)
}

/// The table for people.
fn people(rows: &[RankRow], is_measured: bool) -> String {
    let mut head = vec!["rank", "host", "process"];
    if is_measured {
        head.extend(["round trips", "median (us)", "longest (us)", "bandwidth (MB/s)"]);
    }
    let number = |value: Option<f64>, decimals| value.map_or("-".to_string(), |x| table::number(x, decimals));
    let cells = |row: &RankRow| {
        let mut cells = vec![row.rank.to_string(), row.host.clone(), row.process.to_string()];
        if is_measured {
            cells.push(row.round_trips.map_or("-".to_string(), |count| count.to_string()));
            cells.push(number(row.round_trip_median_us, 1));
            cells.push(number(row.round_trip_max_us, 1));
            cells.push(number(row.bandwidth_mb_per_s, 0));
        }
        cells
    };
    table::table(&head, 2, rows.iter().map(cells).collect())
}
