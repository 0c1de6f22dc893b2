//! `meshwright split`; `series`: several values of an option, `machines` several machines; `matrix`, `timing`: `--show`; `pieces`,
//! `placed`, `random`: `--pieces`, `--place`, `--random-sources`; `ratio`: sigma; `rules`: ties and thresholds; `csv`: tables for programs;
//! `dynamic`: loads and speeds that change; `emit`: the winner's messages as a file.

pub(crate) mod csv;
pub(crate) mod dynamic;
mod emit;
mod machines;
pub(crate) mod matrix;
pub(crate) mod pieces;
mod placed;
pub(crate) mod random;
mod ratio;
mod rules;
mod series;
pub(crate) mod timing;

use std::path::PathBuf;

use clap::Args;

use meshwright_core::output::{self as disk, Writing};
use meshwright_core::{Error, Result};
use meshwright_formats::json::{SpeedRows, SplitForm};
use meshwright_formats::scenario::load as words;
use meshwright_load::shares::schedulers::{REDUCTIONS, Reduction};
use meshwright_load::{FORWARDINGS, Forwarding, speed_file};
use meshwright_network::topology::Machine;
use meshwright_report::{File, PlanReport};
use meshwright_verdict::LoadVerdict;
use meshwright_verdict::load::{self, Job, METHODS};

use super::costs::{MachineName, seed, told};
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::further::{self, Further};
use super::output::{self, Progress};
use super::values::Values;
use super::{Answer, load as tables};

use dynamic::Dynamic;
use emit::EmitArguments;
use matrix::Show;
use ratio::{Ratio, number, values};
use rules::Rules;
use series::{Member, Varied};

const HELP: &str = "\
Times are in units of w Tcp, the time of the whole load on one processor; loads are shares of the
whole. A link carries 1/sigma of them per unit of time and direction. Speedups are 1/makespan.

Examples:
  meshwright split --on mesh:50x50 --source 25,25 --sigma 0.1
  meshwright split --on torus:8x8 --source 0,0=2 --source 3,3=1@0.05 --sigma 1/20 --deadline 0.1
  meshwright split --on mesh:20x20 --source 2,3 --source 17,5 --sigma 0.02 --reduction node
  meshwright split --on hypercube:6 --source 0 --z 1 --tcm 0.2 --w 4 --tcp 1 --method optimum
  meshwright split --on mesh:50x50 --random-sources 10 --repeat 1000 --sigma 0.01
  meshwright split --on mesh:20x20 --source 2,3 --sigma 0.1 --ports one --result-size 0.5 --next
  meshwright split --on mesh:20x20 --source 2,3=20 --source 9,14=12.5 --sigma 0.1 --queues
  meshwright split --on torus:16x16 --source 8,8 --sigma 0.1 --message-startup 1e-5 -o load
  meshwright split --on mesh:3x8 --source 0,0 --sigma 0.1..0.5/5 --show matrix
  meshwright split --on mesh:4x4..16x16/4,torus:8x8 --source middle --sigma 0.1 --csv sizes.csv
  meshwright split --on mesh:9x9 --source 0,0 --sigma 0.5 --place 3
  meshwright split --on mesh:2x2 --source 0,0 --sigma 0.02 --pieces pages.csv
  meshwright split --on mesh:16x16 --source 8,8 --sigma 0.01 --dynamic all --drift halve
  meshwright split --on mesh:8x8 --source 4,4 --sigma 0.02 --dynamic resolved,guided --drift halve

Exit codes:
  0  done; a method whose promise nobody can keep is an answer: feasible is then false
  1  with --queues: the machine cannot work off what arrives; with --dynamic: no policy ends
  2  unacceptable input; nothing is written";

/// Divide a load that may be cut anywhere: shares by the methods of Zhang 2018, the optimum, messages
///
/// Every method's shares are bounded, checked against the links of the machine, sent as messages and simulated.
#[derive(Args)]
#[command(after_help = HELP, override_usage = "meshwright split [OPTIONS] --on <MACHINE> --source <NODE>... --sigma <S>")]
pub(super) struct SplitArguments {
    #[command(flatten)]
    machine: MachineName,
    /// Where load enters: R,C, an id or middle; with =LOAD its part (default 1) and with
    /// @RELEASE when it is there, in units of w Tcp (default 0). Once for each source
    #[arg(long, value_name = "NODE[=LOAD][@RELEASE]", required_unless_present = "random_sources")]
    source: Vec<String>,
    /// Instead: this many sources of equal loads, drawn at random again and again; averages with 95 % intervals of
    /// what the schedulers of Zhang 2018 save and gain, and of the optimum; several are compared: 2,4,8
    #[arg(long, value_name = "K", conflicts_with_all = ["source", "method", "reduction", "speeds", "message_startup", "chunks", "front", "deadline", "places"], value_parser = values)]
    random_sources: Option<Values>,
    /// With --random-sources: how often [default: 100]; with --dynamic: so many seeds [default: 1]
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    #[command(flatten)]
    ratio: Ratio,
    #[command(flatten)]
    further: Further,
    #[command(flatten)]
    dynamic: Dynamic,
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help = switchings())]
    switching: Vec<String>,
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all", help = methods())]
    method: Vec<String>,
    #[arg(long, value_name = "NAME", help = reductions(), value_parser = |name: &str| told(words::reduction(name)))]
    reduction: Option<Reduction>,
    #[command(flatten)]
    rules: Rules,
    /// Processors and links that are not all alike: a file of lines `node,,time` and `node,to,time`, in w Tcp; on a
    /// mesh also `row,column,to_row,to_column,time` below such a header
    #[arg(long, value_name = "FILE.csv")]
    speeds: Option<PathBuf>,
    /// The start-up of a message in units of w Tcp, such as 1e-5; several with commas between are compared
    #[arg(long, value_name = "ELL", default_value = "0", allow_negative_numbers = true, value_parser = values)]
    message_startup: Values,
    /// The most messages of the installments [default: what serves the time best]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=words::CHUNKS_MAX))]
    chunks: Option<u64>,
    /// Also look for installments with fewer processors and fewer messages, and tell what they cost in time; adds the method
    /// `installments`
    #[arg(long)]
    front: bool,
    /// Also print the fewest processors that meet this deadline, in units of w Tcp, the time of the whole load on one
    /// processor
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = number)]
    deadline: Option<f64>,
    /// With --random-sources or --dynamic: the seed of what is drawn [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,
    #[command(flatten)]
    emit: EmitArguments,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write split.json, report.html, plan.json and drawings into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    csv: CsvFile,
}

impl SplitArguments {
    /// How many sources are drawn: several numbers are tried one after the other.
    fn counts(&self) -> Result<Vec<u32>> {
        let whole = |&count: &f64| match count {
            1.0..=4_294_967_295.0 if count.fract() == 0.0 => Ok(count as u32),
            _ => Err(Error::value("number of sources", count, "a whole number of at least 1")),
        };
        self.random_sources.iter().flat_map(|Values(counts)| counts).map(whole).collect()
    }

    /// The forwardings named, all of them if none is.
    fn forwardings(&self) -> Result<Vec<Forwarding>> {
        match &self.switching[..] {
            [] => Ok(FORWARDINGS.iter().map(|(_, forwarding)| *forwarding).collect()),
            names => names.iter().map(|name| words::forwarding(name)).collect(),
        }
    }
}

fn switchings() -> String {
    let names: Vec<&str> = FORWARDINGS.iter().map(|(name, _)| *name).collect();
    format!(
        "How shares pass the nodes on their way: {} [default: every one that applies]. The optimum and the \
         installments are what they are",
        names.join(", ")
    )
}

fn methods() -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    format!("Which methods, with commas between: all that suit the sources, or any of {}", names.join(", "))
}

fn reductions() -> String {
    let names: Vec<&str> = REDUCTIONS.iter().map(|(name, _)| *name).collect();
    format!(
        "Several sources: which processors a cell gives up, {} [default: peel]. literal is the pseudo-code of Zhang 2018, \
         which may break the makespan",
        names.join(", ")
    )
}

/// Runs the verb.
pub(super) fn run(arguments: &SplitArguments) -> Result<Answer> {
    let sigmas = arguments.ratio.sigmas()?;
    let Values(startups) = &arguments.message_startup;
    dynamic::refuse_draws_of_nothing(arguments)?;
    let names = machines::names(arguments.machine.named())?;
    if arguments.random_sources.is_some() {
        return random::run(arguments, &names, &sigmas);
    }
    let further = &arguments.further;
    let of_one = |beside: &'static str| {
        let (name, sigma) = (only("machine", &names, beside)?, only("sigma", &sigmas, beside)?);
        job(arguments, arguments.machine.read_as(name)?, *sigma)
    };
    if further.queues {
        arguments.csv.refuse_beside("--queues: --json has the answer")?;
        let (machine, job) = of_one("--queues")?;
        return further::queues(&machine, &job, arguments.json);
    }
    if let Some(count) = further.place {
        let (machine, job) = of_one("--place")?;
        return placed::answer(&machine, &job, count, arguments.json);
    }
    if arguments.dynamic.is_asked() {
        return dynamic::run(arguments, &names, &sigmas);
    }
    arguments.csv.check()?;
    if let Some(path) = &further.pieces {
        let startup = *only("message-startup", startups, "--pieces")?;
        return pieces::answer(arguments, of_one("--pieces")?, startup, path);
    }
    if let Some(Show::Matrix) = further.show {
        return show(arguments, only("machine", &names, "--show matrix")?, &sigmas);
    }
    divisions(arguments, &names, &sigmas, startups)
}

/// The divisions on these machines, for these values.
fn divisions(
    arguments: &SplitArguments,
    names: &[String],
    sigmas: &[f64],
    startups: &[f64],
) -> Result<Answer> {
    refuse_without_effect(arguments)?;
    let is_timing = arguments.further.show.is_some();
    let many = names.len() * sigmas.len() * startups.len();
    if is_timing && many > 1 {
        return Err(Error::value(
            "number of divisions",
            many,
            "one machine, sigma and start-up with --show timing",
        ));
    }
    arguments.emit.check(many)?;
    let named = disk::NamedJob::new(
        "split",
        [format!("{} --source {}", arguments.machine.named(), arguments.source.join(" --source "))],
    );
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let (mut members, mut has_costs) = (Vec::new(), false);
    let mut progress = Progress::with_steps(many as u64);
    for name in names {
        for &startup in startups {
            for &sigma in sigmas {
                let machine = arguments.machine.read_as(name)?;
                has_costs |= output::has_costs(&machine);
                let (machine, job, verdict) = divide(arguments, machine, sigma, startup, &mut progress)?;
                let of_machine = Varied::Machine(machine.name().to_string(), machine.living_count());
                let varies = [
                    ("machine", of_machine, names.len()),
                    ("message_startup", Varied::Number(startup), startups.len()),
                    ("sigma", Varied::Number(sigma), sigmas.len()),
                ];
                let values = varies.into_iter().filter(|(.., many)| *many > 1);
                let values = values.map(|(key, value, _)| (key, value)).collect();
                members.push(Member { values, machine, job, verdict });
                progress.step(&format!("{name}, sigma {sigma}"));
            }
        }
    }
    drop(progress);
    output::remark_on_units(has_costs);
    match members.pop() {
        Some(member) if is_timing => timing::answer(arguments, &member),
        Some(member) if many == 1 => answer(arguments, &named, &member),
        last => {
            members.extend(last);
            series::answer(arguments, &named, &members)
        }
    }
}

/// Shows the flow matrix in place of a division.
fn show(arguments: &SplitArguments, name: &str, sigmas: &[f64]) -> Result<Answer> {
    let SplitArguments { method, reduction, speeds, message_startup, chunks, front, deadline, .. } =
        arguments;
    further::refuse_beside_matrix(&[
        ("method", method != &["all"]),
        ("reduction", reduction.is_some()),
        ("speeds", speeds.is_some()),
        ("message-startup", message_startup.0 != [0.0]),
        ("chunks", chunks.is_some()),
        ("front", *front),
        ("deadline", deadline.is_some()),
    ])?;
    arguments.further.refuse_beside_matrix()?;
    arguments.rules.refuse_without_effect(1, &[])?;
    let (machine, job) = job(arguments, arguments.machine.read_as(name)?, sigmas[0])?;
    let answer = matrix::of(&machine, &job, sigmas)?;
    let mut writing = Writing::new(arguments.force.force);
    let written = arguments.csv.add(&mut writing, || matrix::csv(&answer))?;
    writing.finish()?;
    let source = machine.node_name(job.sources[0].node);
    output::say(
        arguments.json.then(|| output::json(&answer)),
        || matrix::line(&answer),
        || matrix::text(&answer, &source) + &written,
    )?;
    Ok(Answer::Done)
}

/// Refuses options that would change nothing.
fn refuse_without_effect(arguments: &SplitArguments) -> Result<()> {
    let SplitArguments { source, reduction, chunks, front, method, .. } = arguments;
    if let (Some(reduction), [_]) = (reduction, &source[..]) {
        let expected =
            "several --source: the cell of one source is the whole machine and gives up no processors";
        return Err(Error::value("reduction", format!("`{}`", reduction.name()), expected));
    }
    arguments.rules.refuse_without_effect(source.len(), method)?;
    // The optimum is simulated by the installments that follow it.
    let sends_installments =
        *front || method.iter().any(|name| ["all", "installments", "optimum"].contains(&name.as_str()));
    match chunks.filter(|_| !sends_installments) {
        Some(chunks) => {
            Err(Error::value("chunks", chunks, "the method `installments` or `optimum`, or --front"))
        }
        None => Ok(()),
    }
}

/// The one value of an option that takes no more here.
fn only<'v, T>(option: &'static str, values: &'v [T], beside: &str) -> Result<&'v T> {
    match values {
        [one] => Ok(one),
        several => {
            let expected = format!("one value with {beside}");
            Err(Error::value(option, format!("{} values", several.len()), expected))
        }
    }
}

/// The division for these values.
fn divide(
    arguments: &SplitArguments,
    machine: Machine,
    sigma: f64,
    startup: f64,
    progress: &mut Progress,
) -> Result<(Machine, Job, LoadVerdict)> {
    let (machine, job) = scaled(arguments, machine, sigma, startup)?;
    let verdict = load::judge("split", &job, &machine, &mut |what| progress.tell(what))?;
    Ok((machine, job, verdict))
}

/// The machine and the job, with costs that are this sigma and this start-up.
fn scaled(arguments: &SplitArguments, machine: Machine, sigma: f64, startup: f64) -> Result<(Machine, Job)> {
    let (machine, mut job) = job(arguments, machine, sigma)?;
    let (machine, bytes) = load::in_units(&job.problem(&machine)?, startup)?;
    job.bytes = bytes;
    Ok((machine, job))
}

/// Tells what came of one division.
fn answer(arguments: &SplitArguments, named: &disk::NamedJob, member: &Member) -> Result<Answer> {
    let Member { machine, job, verdict, .. } = member;
    let speeds = job.speeds.as_ref().map(|speeds| SpeedRows { work: &speeds.work, link: &speeds.link });
    let json = output::json(&SplitForm::new(machine, speeds, verdict));
    let of_folder = || Ok(arguments.png.with(of_folder(machine, verdict, &json)?));
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let mut writing = Writing::new(arguments.force.force);
    let mut written = arguments.emit.add(&mut writing, verdict, machine)?;
    written +=
        &files::add_all(&mut writing, folder, of_folder, (&arguments.csv, &|| csv::one(machine, verdict)))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| json.clone()),
        || verdict.reason.clone(),
        || tables::split(verdict, machine) + &written,
    )?;
    Ok(Answer::Done)
}

/// The machine and what is asked for on it.
fn job(arguments: &SplitArguments, machine: Machine, sigma: f64) -> Result<(Machine, Job)> {
    let from = arguments.source.iter().map(|text| words::source(text, &machine));
    let mut job = Job::new(&machine, from.collect::<Result<_>>()?, sigma, 1);
    let names: Vec<&str> = arguments.method.iter().map(String::as_str).collect();
    job.methods = words::methods(&names)?;
    job.named = !names.contains(&"all");
    job.forwardings = arguments.forwardings()?;
    if let Some(path) = &arguments.speeds {
        job.speeds = Some(speed_file::read(path, &machine, sigma)?);
    }
    job.settings.reduction = arguments.reduction.unwrap_or(job.settings.reduction);
    job.settings = arguments.rules.of(job.settings);
    job.chunks = arguments.chunks;
    job.front = arguments.front;
    job.deadline = arguments.deadline;
    job.further = arguments.further.wishes(&machine)?;
    Ok((machine, job))
}

/// The answer and the files of a plan with this one job.
fn of_folder(machine: &Machine, verdict: &LoadVerdict, json: &str) -> Result<Vec<File>> {
    let jobs = [verdict.clone().into()];
    let title = format!("A load on {}", machine.name());
    let plan = PlanReport { title: &title, scenario: "", machine, seed: 0, jobs: &jobs };
    let mut all = files::of_plan(&plan)?;
    all.push(files::file(
        "split.json",
        "the answer for scripts, and for `meshwright check`",
        json.to_string(),
    ));
    Ok(all)
}
