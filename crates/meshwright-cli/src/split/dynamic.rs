//! `split --dynamic`: loads that arrive over time, speeds that change, and the policies side by side.

use std::path::Path;

use clap::Args;

use meshwright_core::output::Writing;
use meshwright_core::words::counted;
use meshwright_core::{Error, Result};
use meshwright_formats::perfetto::Run;
use meshwright_formats::scenario::load_dynamic as words;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{
    self, ArrivalsAsked, Changing, DynamicAnswer, Job, POLICIES, PolicyRow, drifts,
};

use super::{SplitArguments, only, scaled};
use crate::csv::{self, Column, column_list, known};
use crate::output::{self, Progress};
use crate::{Answer, emit, table};

/// What `--dynamic` cannot be asked with. Options that need it name these, too: clap does not ask for what conflicts with an option
/// that is given.
const OTHER_QUESTIONS: [&str; 5] = ["random_sources", "queues", "show", "place", "pieces"];

/// What arrives, what changes and who shares it out.
#[derive(Args)]
pub(crate) struct Dynamic {
    #[arg(long, value_name = "POLICIES", value_delimiter = ',', help = policies(), conflicts_with_all = [
        "random_sources", "method", "switching", "reduction", "chunks", "front", "deadline", "out", "ports",
        "no_front_end", "result_size", "results_at", "memory", "duplex", "next", "places", "queues", "show", "place",
        "pieces", "ties", "finish", "save_at_least", "png",
    ])]
    dynamic: Vec<String>,
    /// With --dynamic: when loads arrive: once, at the releases of the sources; poisson:LOADS@RATE, so many equal loads at
    /// random at this part of the rate that can be worked off, as in poisson:64@0.8; or FILE.csv under the header time,node,load
    #[arg(long, value_name = "WHEN", default_value = "once", requires = "dynamic", conflicts_with_all = OTHER_QUESTIONS)]
    arrivals: String,
    #[arg(long, value_name = "HOW", default_value = "none", requires = "dynamic", conflicts_with_all = OTHER_QUESTIONS, help = changes())]
    drift: String,
    /// With --dynamic: into how many grains an equal share of the load is cut; a processor takes up one at a time
    /// [default: 64, or as few as start-ups leave worth a message]
    #[arg(long, value_name = "N", requires = "dynamic", conflicts_with_all = OTHER_QUESTIONS, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=words::GRAINS_MAX))]
    grains: Option<u64>,
}

fn policies() -> String {
    let rows: Vec<String> =
        POLICIES.iter().map(|policy| format!("{}: {}", policy.name, policy.summary)).collect();
    format!(
        "Instead: the load is shared out while it is worked off, by these policies, with commas between, or all; beside a \
         time that none of them beats. {}",
        rows.join("; ")
    )
}

fn changes() -> String {
    let rows: Vec<String> =
        drifts().map(|(name, usual, meaning)| format!("{name}:{usual} {meaning}")).collect();
    format!(
        "With --dynamic: how processors change, with + between: none; {}; or FILE.csv under the header time,node,speed",
        rows.join("; ")
    )
}

impl Dynamic {
    /// Whether it is asked for.
    pub(super) fn is_asked(&self) -> bool {
        !self.dynamic.is_empty()
    }

    /// What is asked for on this machine.
    fn changing(&self, machine: &Machine, seed: u64, repeat: u32) -> Result<Changing> {
        let here = Path::new("");
        let names: Vec<&str> = self.dynamic.iter().map(String::as_str).collect();
        Ok(Changing {
            policies: words::policies(&names)?,
            arrivals: words::arrivals(&self.arrivals, here, machine)?,
            speeds: words::drift(&self.drift, here, machine)?,
            words: [self.arrivals.clone(), self.drift.clone()],
            grains: self.grains.unwrap_or(0),
            seed,
            repeat,
        })
    }
}

/// So many rounds and more are a slip of the pen.
const REPEAT_MAX: u32 = 1_000_000_001;

/// Refuses a seed or a number of rounds where nothing is drawn.
pub(super) fn refuse_draws_of_nothing(arguments: &SplitArguments) -> Result<()> {
    if arguments.random_sources.is_some() || arguments.dynamic.is_asked() {
        return match arguments.repeat {
            Some(repeat @ (0 | REPEAT_MAX..)) => {
                Err(Error::value("repeat", repeat, format!("1 to {}", REPEAT_MAX - 1)))
            }
            _ => Ok(()),
        };
    }
    let given = arguments.seed.map(|seed| ("seed", seed));
    match given.or_else(|| arguments.repeat.map(|repeat| ("repeat", u64::from(repeat)))) {
        Some((what, value)) => {
            Err(Error::value(what, value, "--random-sources or --dynamic: nothing else is drawn at random"))
        }
        None => Ok(()),
    }
}

/// Simulates the policies and tells what came of them.
pub(super) fn run(arguments: &SplitArguments, names: &[String], sigmas: &[f64]) -> Result<Answer> {
    let SplitArguments { dynamic, csv, json, emit, .. } = arguments;
    csv.check()?;
    let events = emit.events()?;
    let name = only("machine", names, "--dynamic")?;
    let sigma = *only("sigma", sigmas, "--dynamic")?;
    let startup = *only("message-startup", &arguments.message_startup.0, "--dynamic")?;
    let machine = arguments.machine.read_as(name)?;
    let has_costs = output::has_costs(&machine);
    let (machine, job) = scaled(arguments, machine, sigma, startup)?;
    let (seed, repeat) = (arguments.seed.unwrap_or(0), arguments.repeat.unwrap_or(1));
    let asked = dynamic.changing(&machine, seed, repeat)?;
    let mut progress = Progress::with_steps(asked.policies.len() as u64 * u64::from(repeat));
    let answer = load::dynamic(&job, &machine, &asked, &mut |what| progress.step(what))?;
    drop(progress);
    output::remark_on_units(has_costs);
    if let ArrivalsAsked::Listed(_) = asked.arrivals {
        output::note("note: the file of --arrivals says where loads come from: --source plays no part");
    }
    let mut writing = Writing::new(arguments.force.force);
    let mut written = match events {
        Some(path) => record(path, &mut writing, (&machine, &job), &asked, &answer)?,
        None => String::new(),
    };
    written += &csv.add(&mut writing, || {
        csv::table(&[], &columns(), answer.policies.iter().map(|row| (Vec::new(), row)))
    })?;
    writing.finish()?;
    output::say(json.then(|| output::json(&answer)), || answer.sentence(), || text(&answer) + &written)?;
    Ok(if answer.winner.is_some() { Answer::Done } else { Answer::Negative })
}

/// Adds what the winner does under the first seed, event by event, to what is written; what there is to say of it.
fn record(
    path: &Path,
    writing: &mut Writing,
    (machine, job): (&Machine, &Job),
    asked: &Changing,
    answer: &DynamicAnswer,
) -> Result<String> {
    let Some(policy) = answer.winner else {
        return Ok("\nNothing is emitted: some load is never worked off\n".to_string());
    };
    let (machine, log) = load::dynamic_recorded(job, machine, asked, policy)?;
    let said = emit::add_trace(writing, path, &machine, &Run::Processes(log))?;
    Ok(format!("{}: {policy} under seed {}\n", said.trim_end(), asked.seed))
}

/// The columns for programs.
pub(crate) fn columns<'r>() -> Vec<Column<&'r PolicyRow>> {
    column_list![
        "policy", "the policy", |row| row.name.to_string();
        "makespan_wtcp", "when all was done, in units of w Tcp", |row| known(row.makespan);
        "bound_wtcp", "no policy is faster", |row| known(row.bound);
        "gap", "makespan over bound, less 1", |row| known(row.gap);
        "gap_max", "the largest of all seeds", |row| known(row.gap_max);
        "response_mean_wtcp", "from arrival to end", |row| known(row.response.map(|times| times.mean));
        "response_p50_wtcp", "half of the loads take at most as long", |row| known(row.response.map(|times| times.p50));
        "response_p99_wtcp", "99 of 100 take at most as long", |row| known(row.response.map(|times| times.p99));
        "bytes_hops", "loads times links they crossed", |row| known(row.bytes_hops);
        "messages", "how many are sent", |row| known(row.messages);
        "idle", "part of the time in which living processors did nothing", |row| known(row.idle);
        "first", "seeds under which it was the fastest", |row| row.first.to_string();
        "unfinished", "seeds under which some load never ended", |row| row.unfinished.to_string();
        "given_up", "of these, seeds whose run was longer than a simulation may be", |row| row.given_up.to_string();
    ]
}

/// The table.
fn text(answer: &DynamicAnswer) -> String {
    const HEAD: [&str; 9] =
        ["policy", "makespan", "over bound", "response", "p50", "p99", "loads x hops", "idle", "first"];
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_string(), |value| table::number(value, 6));
    let row = |row: &PolicyRow| {
        let star = if Some(row.name) == answer.winner { "* " } else { "  " };
        let response = row.response;
        vec![
            format!("{star}{}", row.name),
            number(row.makespan),
            row.gap.map_or_else(|| "–".to_string(), table::percent),
            number(response.map(|times| times.mean)),
            number(response.map(|times| times.p50)),
            number(response.map(|times| times.p99)),
            row.bytes_hops.map_or_else(|| "–".to_string(), |sum| table::number(sum, 2)),
            row.idle.map_or_else(|| "–".to_string(), table::percent),
            row.first.to_string(),
        ]
    };
    let seeds = match answer.repeat {
        1 => format!("seed {}", answer.seed),
        many => format!("seeds {} to {}, means", answer.seed, answer.seed + u64::from(many) - 1),
    };
    let mut text = format!(
        "{} · sigma {} · arrivals {} · drift {} · {} · {} for each node · {seeds}\n",
        answer.machine,
        answer.sigma,
        answer.arrivals,
        answer.drift,
        counted(answer.loads, "load"),
        counted(answer.grains, "grain"),
    );
    text += &table::table(&HEAD, 1, answer.policies.iter().map(row).collect());
    let bound = match answer.bound {
        Some(bound) => format!(
            "No policy is done before {}{}, though it knew all loads and speeds beforehand; all at once at the planned speeds takes {}.\n",
            table::number(bound, 6),
            if answer.repeat > 1 { " in the mean over the seeds" } else { "" },
            table::number(answer.planned, 6)
        ),
        None => "Some load can never be worked off.\n".to_string(),
    };
    // Where nobody ends the sentence says so.
    let ended = answer.winner.is_some();
    for row in answer.policies.iter().filter(|row| row.given_up > 0 || ended && row.unfinished > 0) {
        text += &match row.given_up {
            0 => format!("{}: some load is never worked off.\n", row.name),
            _ => format!("{}: given up, longer than a simulation may be.\n", row.name),
        };
    }
    text + &format!("* {}\n", answer.sentence()) + &bound
}
