//! The options of `--placement search` and `--placement exact`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::given::{self, SearchOptions};
use meshwright_mapping::exact::{self, ExactProgress};
use meshwright_mapping::search::{self, SearchProgress as Step, Start};
use meshwright_network::topology::Machine;
use meshwright_verdict::mapping::{Job, Proved};

use super::costs::told;
use super::output::Progress;
use super::table;

/// The options.
#[derive(Args)]
#[command(next_help_heading = "Search (--placement search; --steps and --time of exact too)")]
pub(super) struct SearchArguments {
    /// Where the search starts: best (of all placements the program knows) or random [default: best]
    #[arg(long, value_name = "START", value_parser = |text: &str| told(given::start(text)))]
    start: Option<Start>,
    /// How many moves to try, or partial placements to look at (exact); the same steps give the same answer [default: 1000000, fewer if tasks have many messages; exact up to 16 tasks and with --time: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::costs::seed)]
    steps: Option<u64>,
    /// Stop after so many seconds with the best so far; the steps made are printed, so that the search can be repeated
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    time: Option<Duration>,
    /// How many different placements to give at most, the best first [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    answers: Option<u32>,
    /// TASK=ROW,COLUMN (TASK=ID on a graph): this task must be on that node; may be given several times
    #[arg(long, value_name = "TASK=NODE")]
    pin: Vec<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a number of seconds greater than 0".to_string())
}

impl SearchArguments {
    /// Refuses options of a search where none of the placements is one: they would change nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] with the first of them.
    pub(super) fn check(&self, names: &[String]) -> Result<()> {
        if names.iter().any(|name| name == search::NAME) {
            return Ok(());
        }
        let is_proved = names.iter().any(|name| name == exact::NAME);
        let given = [
            (self.start.is_some(), "--start"),
            (self.steps.is_some() && !is_proved, "--steps"),
            (self.time.is_some() && !is_proved, "--time"),
            (self.answers.is_some(), "--answers"),
            (!self.pin.is_empty(), "--pin"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => {
                let expected = match is_proved {
                    true => "--placement search in the place of exact, which knows --steps and --time alone",
                    false => "--placement search beside it",
                };
                Err(Error::value(option, "given without a search", expected))
            }
            None => Ok(()),
        }
    }

    /// What is to be looked for.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a pin that names no node.
    pub(super) fn search(&self, machine: &Machine) -> Result<SearchOptions> {
        let pins = self.pin.iter().map(|text| given::pin(text, machine)).collect::<Result<_>>()?;
        let start = self.start.unwrap_or(Start::Best);
        let steps = self.steps.or(self.time.map(|_| u64::MAX));
        Ok(SearchOptions { start, steps, answers: self.answers.unwrap_or(1) as usize, pins, nodes: steps })
    }

    /// Looks, as long as it may, and tells how far it is.
    ///
    /// # Errors
    ///
    /// As for [`given::look`].
    pub(super) fn look(
        &self,
        job: &mut Job,
        names: &mut Vec<String>,
        machine: &Machine,
        search: &SearchOptions,
        seed: u64,
    ) -> Result<()> {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        look(job, names, machine, search, seed, end)
    }
}

/// Said of answers for which a search did not come to its end.
pub(super) const INTERRUPTED: &str = "search: interrupted; what it found is the best so far\n";

/// When the best was found, and whether more steps are worth their time.
pub(super) fn since(last_improved_steps: u64, converged: bool) -> String {
    let found = match last_improved_steps {
        0 => "nothing better than at the start".to_string(),
        steps => format!("last improved at step {steps}"),
    };
    found + if converged { ", converged" } else { "" }
}

/// Looks until `end`, and tells how far it is.
pub(super) fn look(
    job: &mut Job,
    names: &mut Vec<String>,
    machine: &Machine,
    search: &SearchOptions,
    seed: u64,
    end: Option<Instant>,
) -> Result<()> {
    let mut progress = Progress::new();
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    let is_over = || match end {
        Some(end) if Instant::now() >= end => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    given::look(job, names, machine, search, seed, &mut |step: &Step| {
        progress.tell(&format!(
            "search: {} steps, {} cycles simulated, {} at the start; {}",
            step.steps,
            cycles(step.best_ticks),
            cycles(step.start_ticks),
            since(step.last_improved_steps, step.converged)
        ));
        is_over()
    })?;
    given::prove(job, names, machine, search, seed, &mut |step: &ExactProgress| {
        let [best, bound] = [step.best_ticks, step.bound_ticks].map(cycles);
        let gap = table::percent(best as f64 / bound.max(1) as f64 - 1.0);
        progress
            .tell(&format!("exact: {} nodes, best {best} cycles, none below {bound}, gap {gap}", step.nodes));
        is_over()
    })
}

/// What a proof came to, in a sentence.
pub(super) fn proved(proved: &Proved, machine: &Machine) -> String {
    let under = machine.switching().name();
    let Proved { optimal, bound_cycles, nodes_searched, placements_simulated, cycles, .. } = proved;
    let looked = format!("{nodes_searched} partial placements, {placements_simulated} simulated");
    match cycles {
        None => format!("exact: no placement that ends was found under {under}; {looked}\n"),
        Some(cycles) if *optimal => {
            format!("exact: {cycles} cycles under {under} are optimal: proved by {looked}\n")
        }
        Some(cycles) => {
            let gap = table::percent(*cycles as f64 / (*bound_cycles).max(1) as f64 - 1.0);
            format!(
                "exact: {cycles} cycles under {under}, no placement takes less than {bound_cycles} (gap {gap}); {looked}\n"
            )
        }
    }
}
