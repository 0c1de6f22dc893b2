//! The options of `split` beyond the division, and the answer on queues.

use std::path::PathBuf;

use clap::Args;

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::load_further as words;
use meshwright_load::lp::{Duplex, Ports, Variant};
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{self, Arrivals, Job, Next, NextSource, QueuesAnswer, Wishes};

use super::costs::told;
use super::split::matrix::Show;
use super::{Answer, output, table};

/// Machines that do less at a time, a further source, loads that keep coming.
#[derive(Args)]
pub(super) struct Further {
    /// Nodes send on all links at a time, or on one and receive on one, or on so many: all, one, or a number. Every row is then
    /// of that machine, or left out
    /// [default: as the machine file says, else all]
    #[arg(long, value_name = "NAME", conflicts_with = "random_sources", value_parser = |name: &str| told(words::ports(name)))]
    ports: Option<Ports>,
    /// A processor moves every message itself and computes nothing meanwhile
    #[arg(long, conflicts_with = "random_sources")]
    no_front_end: bool,
    /// Results of this size, that of the load being 1, go back to its source
    #[arg(long, value_name = "RHO", conflicts_with = "random_sources", allow_negative_numbers = true, value_parser = |text: &str| told(words::results(text)))]
    result_size: Option<f64>,
    /// With --result-size: all results go to this node, not to the sources of their loads
    #[arg(long, value_name = "NODE", requires = "result_size", conflicts_with = "random_sources")]
    results_at: Option<String>,
    /// A node has room for this share of the load at a time, of what is not its own
    #[arg(long, value_name = "SHARE", conflicts_with = "random_sources", allow_negative_numbers = true, value_parser = |text: &str| told(words::memory(text)))]
    memory: Option<f64>,
    /// full, or half: the directions of a wire share its time, and with --ports a port carries one message, in or out
    /// [default: full]
    #[arg(long, value_name = "NAME", conflicts_with = "random_sources", value_parser = |name: &str| told(words::duplex(name)))]
    duplex: Option<Duplex>,
    /// Rank the nodes where one more source helps most; SHARE is what it takes from the others [without a share: as much
    /// as each of k + 1 sources of equal loads]
    #[arg(
        long,
        value_name = "SHARE",
        num_args = 0..=1,
        default_missing_value = words::EQUAL,
        conflicts_with = "random_sources",
        allow_negative_numbers = true,
        value_parser = |text: &str| told(words::next(text).map(Share))
    )]
    next: Option<Share>,
    /// With --next: how many places are told
    #[arg(long, value_name = "N", default_value_t = load::PLACES_DEFAULT as u64, requires = "next", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=words::PLACES_MAX))]
    places: u64,
    /// Instead: loads keep coming, those after = are rates in loads per unit of time w Tcp; whether the machine can
    /// work them off
    #[arg(
        long,
        conflicts_with_all = [
            "random_sources", "method", "switching", "reduction", "message_startup", "chunks", "front", "deadline", "out",
            "png", "ports", "no_front_end", "result_size", "results_at", "memory", "duplex", "next", "places", "ties",
            "finish", "save_at_least",
        ]
    )]
    pub(super) queues: bool,
    /// Instead of the answer: the flow matrix with its determinant, shares and equivalent speed (one source), or what every node
    /// does when
    #[arg(long, value_enum, conflicts_with_all = ["random_sources", "queues", "out", "png"])]
    pub(super) show: Option<Show>,
    /// Instead: the best places for K sources of equal loads together, and the earth mover's cost of getting the load there from
    /// --source
    #[arg(
        long,
        value_name = "K",
        conflicts_with_all = [
            "random_sources", "method", "switching", "reduction", "message_startup", "chunks", "front", "deadline", "out",
            "ports", "no_front_end", "result_size", "results_at", "memory", "duplex", "next", "places", "png", "queues", "show", "csv", "ties", "finish", "save_at_least",
        ],
        value_parser = clap::value_parser!(u32).range(1..=1024)
    )]
    pub(super) place: Option<u32>,
    /// Instead: one source; the load is pieces that must not be cut, a file under the header `piece,size`; who gets which
    #[arg(
        long,
        value_name = "FILE.csv",
        conflicts_with_all = [
            "random_sources", "switching", "reduction", "chunks", "front", "deadline", "out",
            "next", "places", "png", "queues", "show", "place", "ties", "finish", "save_at_least",
        ]
    )]
    pub(super) pieces: Option<PathBuf>,
}

/// The share of a further source; none for one as large as every other.
#[derive(Clone, Copy)]
struct Share(Option<f64>);

impl Further {
    /// Whether places for one more source are asked for.
    pub(super) fn asks_next(&self) -> bool {
        self.next.is_some()
    }

    /// Refuses what has no effect on a flow matrix.
    pub(super) fn refuse_beside_matrix(&self) -> Result<()> {
        let Self { ports, no_front_end, result_size, results_at, memory, duplex, next, .. } = self;
        let given = [
            ("ports", ports.is_some()),
            ("no-front-end", *no_front_end),
            ("result-size", result_size.is_some()),
            ("results-at", results_at.is_some()),
            ("memory", memory.is_some()),
            ("duplex", duplex.is_some()),
            ("next", next.is_some()),
            ("places", self.places != load::PLACES_DEFAULT as u64),
        ];
        refuse_beside_matrix(&given)
    }

    /// What is asked for on this machine.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::Value`] for a node that the machine has not.
    pub(super) fn wishes(&self, machine: &Machine) -> Result<Wishes> {
        let Self { ports, no_front_end, result_size, memory, duplex, next, places, .. } = self;
        let home = self.results_at.as_ref().map(|text| words::home(text, machine)).transpose()?;
        let asked =
            ports.is_some() || *no_front_end || result_size.is_some() || memory.is_some() || duplex.is_some();
        let variant = Variant {
            ports: ports.unwrap_or(machine.port_model().into()),
            front_end: !no_front_end,
            results: result_size.unwrap_or(0.0),
            home,
            memory: *memory,
            duplex: duplex.unwrap_or_default(),
        };
        Ok(Wishes {
            variant: asked.then_some(variant),
            next: next.map(|Share(share)| Next { share, places: *places as usize }),
            every: None,
            dynamic: None,
        })
    }
}

/// Refuses the first of these options that is given.
pub(super) fn refuse_beside_matrix(given: &[(&'static str, bool)]) -> Result<()> {
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Error::value(
            name,
            "given",
            "no such option beside --show matrix: it has no place in a flow matrix",
        )),
        None => Ok(()),
    }
}

/// Answers whether loads that keep coming can be worked off.
pub(super) fn queues(machine: &Machine, job: &Job, json: bool) -> Result<Answer> {
    let answer = load::queues(job, machine)?;
    output::say(
        json.then(|| output::json(&answer)),
        || answer.queues.sentence(machine),
        || text(&answer, machine),
    )?;
    Ok(if answer.queues.stable { Answer::Done } else { Answer::Negative })
}

fn text(answer: &QueuesAnswer, machine: &Machine) -> String {
    let row = |source: &Arrivals| vec![machine.node_name(source.node), table::number(source.rate, 6)];
    let mut text = format!("{} · sigma {}\n", answer.machine, answer.sigma);
    text += &table::table(&["source", "loads per w Tcp"], 1, answer.sources.iter().map(row).collect());
    text + &format!("{}\n", answer.queues.sentence(machine))
}

/// The table of the places for a further source.
pub(super) fn places(places: &[NextSource], machine: &Machine) -> String {
    let row = |place: &NextSource| {
        vec![
            machine.node_name(place.node),
            table::number(place.makespan, 6),
            table::number(1.0 / place.makespan, 4),
            table::number(place.gain, 4),
        ]
    };
    let head = ["further source", "makespan", "speedup", "gain"];
    table::table(&head, 1, places.iter().map(row).collect())
}
