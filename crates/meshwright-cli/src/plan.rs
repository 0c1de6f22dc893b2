//! `meshwright plan`; `csv`: tables for programs; `text`: tables for people.

pub(crate) mod csv;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::output::{NamedJob, write_atomically};
use meshwright_core::text::STANDARD_INPUT;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::{self, Scenario, Work};
use meshwright_network::topology::Machine;
use meshwright_report as report;
use meshwright_report::PlanReport;
use meshwright_verdict as verdict;
use meshwright_verdict::{JobVerdict, groups, mapping};

use super::costs::{OtherMachine, in_place_of};
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::{Answer, error, explain, manner, search};

const HELP: &str = "\
Examples:
  meshwright plan examples/quickstart.toml
  meshwright plan examples/quickstart.toml --out plans --seed 7
  meshwright plan examples/quickstart.toml --on torus:8x8 --dead 0,1..3
  meshwright plan examples/quickstart.toml --json | jq '.jobs[].winner'

Exit codes:
  0  done
  1  a negative answer: every method of some job ends in a deadlock
  2  unacceptable input; nothing is written
 70  two numbers of a job contradict each other: a bug; the other jobs are answered";

/// Compare every method for every job of a scenario: bound, prediction, simulation, winner
///
/// Prints a table per job and writes report.html. With --json, one JSON object is printed instead, and files
/// are written only if --out names a folder.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct PlanArguments {
    /// The scenario file: a [machine] and its jobs; `-` for standard input
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    #[command(flatten)]
    format: FormatArgument,
    #[command(flatten)]
    machine: OtherMachine,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// The seed of everything random, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::costs::seed)]
    seed: Option<u64>,
    /// Where to write report.html, plan.json, drawings and schedules (without: report.html, here)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    /// Also tell why the winner of each job takes as long as it does, see meshwright explain
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    csv: CsvFile,
}

/// Runs the verb.
pub(super) fn run(arguments: &PlanArguments) -> Result<Answer> {
    let _format = arguments.format.apply(&arguments.scenario, &["toml"])?;
    let mut scenario = scenario::read_on(&arguments.scenario, &arguments.machine.change())?;
    output::remarks(&scenario.machine);
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    manner::check(&scenario.machine)?;
    arguments.csv.check()?;
    let job = NamedJob::new("plan", scenario.jobs.iter().map(|job| job.name.as_str()));
    let title = name(&arguments.scenario);
    files::check(arguments.out.as_ref(), arguments.force, &job)?;
    let writes_here = arguments.out.is_none() && !arguments.json;
    if writes_here && !arguments.force.force {
        files::check_page(Path::new(files::PAGE), &title, &job.jobs)?;
    }
    let (jobs, contradictions) = answered(judge(&scenario))?;
    contradictions.iter().for_each(error::show);
    let mut file = arguments.scenario.display().to_string();
    let (machine, replaced) = (&scenario.machine, scenario.replaced.as_deref());
    file.extend(replaced.map(|old| format!(", on {} in place of {old}", machine.name())));
    let plan = PlanReport { title: &title, scenario: &file, machine, seed: scenario.seed, jobs: &jobs };
    let told = if arguments.explain { explain::of_jobs(&jobs, machine)? } else { Vec::new() };
    let written = write(arguments, &plan, &job)?;
    let explained = told.iter().flatten().map(|told| format!("\n{}", explain::text(told, machine)));
    let explained: String = explained.collect();
    output::say(
        arguments.json.then(|| files::json(&plan, arguments.out.is_some(), told, replaced)),
        || text::line(&plan),
        || replaced_by(machine, replaced) + &text::plan(&plan) + &explained + &written,
    )?;
    // A load that is too large to be sent has no winner, and that is no deadlock.
    let ends = |job: &JobVerdict| matches!(job, JobVerdict::Load(_)) || job.winner().is_some();
    if !contradictions.is_empty() {
        return Ok(Answer::Contradicted);
    }
    Ok(if jobs.iter().all(ends) { Answer::Done } else { Answer::Negative })
}

/// Every job in turn.
fn judge(scenario: &Scenario) -> impl Iterator<Item = (&str, Result<JobVerdict>)> {
    let Scenario { machine, seed, jobs, .. } = scenario;
    let judge = move |job: &scenario::ScenarioJob| {
        let mut progress = Progress::new();
        let mut tell = |what: &str| progress.tell(&format!("{}: {what}", job.name));
        match &job.work {
            Work::Divide(work) => {
                let (mut phased, mut methods) = (work.job.clone(), work.methods.clone());
                search::look(&mut phased, &mut methods, machine, &work.search, *seed, None)?;
                let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
                mapping::judge(&job.name, &phased, machine, &methods, *seed, &mut tell).map(JobVerdict::from)
            }
            Work::Load(load) => {
                verdict::load::judge(&job.name, load, machine, &mut tell).map(JobVerdict::from)
            }
            Work::Groups(work) => {
                let program = groups::Job { seed: work.seed.unwrap_or(*seed), ..work.job.clone() };
                groups::judge(&job.name, &program, machine, &mut tell).map(JobVerdict::from)
            }
            Work::Race(asked) => {
                verdict::race::judge(&job.name, asked, machine, &mut tell).map(JobVerdict::from)
            }
        }
    };
    jobs.iter().map(move |job| (job.name.as_str(), judge(job)))
}

/// The jobs that have an answer, and those whose numbers contradict each other; any other error ends the plan.
fn answered<'s>(
    judged: impl Iterator<Item = (&'s str, Result<JobVerdict>)>,
) -> Result<(Vec<JobVerdict>, Vec<Error>)> {
    let (mut jobs, mut contradictions) = (Vec::new(), Vec::new());
    for (name, verdict) in judged {
        match verdict {
            Ok(verdict) => jobs.push(verdict),
            Err(Error::Contradiction(mut found)) => {
                found.what = format!("{name}: {}", found.what);
                contradictions.push(Error::Contradiction(found));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((jobs, contradictions))
}

/// Writes the files that were asked for, when all is known; what there is to say about them.
fn write(arguments: &PlanArguments, plan: &PlanReport<'_>, job: &NamedJob) -> Result<String> {
    let table = || csv::table(plan);
    let folder = arguments.out.as_deref().map(|folder| (folder, job));
    let of_folder = || Ok(arguments.png.with(files::of_plan(plan)?));
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &table))?;
    if arguments.out.is_some() || arguments.json {
        return Ok(written);
    }
    let page = report::page(plan)?;
    if !arguments.force.force {
        files::check_page(Path::new(files::PAGE), plan.title, &job.jobs)?;
    }
    write_atomically(Path::new(files::PAGE), &page)?;
    Ok(format!("\n{written}Report: {}\n", files::PAGE))
}

/// The file's name without its ending.
fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        return "standard input".to_string();
    }
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// What is said of a machine in place of that of the scenario.
fn replaced_by(machine: &Machine, replaced: Option<&str>) -> String {
    let mut text = in_place_of(machine, replaced);
    if replaced.is_some() {
        text += &format!(
            "It has costs, a clock and a switching ({}) of its own, not those of the scenario\n",
            machine.switching().name()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use meshwright_core::error::Contradiction;
    use meshwright_network::topology::Machine;
    use meshwright_verdict::groups::{self, Drawn, Labels};

    use super::*;

    /// R1: a job whose numbers contradict each other does not take the others with it.
    #[test]
    fn the_other_jobs_of_a_plan_are_answered() {
        let mesh = Machine::new("mesh:2x2").unwrap().in_packets();
        let job = groups::Job::new("hilbert", Labels::Drawn { levels: 1, kind: Drawn::Scattered });
        let good = || groups::judge("good", &job, &mesh, &mut |_| ()).map(JobVerdict::from);
        let [what, time, bound] = ["mask", "1 cycles", "4 cycles"].map(str::to_string);
        let bad = Error::Contradiction(Box::new(Contradiction { what, time, bound, seed: Some(3) }));
        let judged = [("a", good()), ("b", Err(bad)), ("c", good())];
        let (jobs, contradictions) = answered(judged.into_iter()).unwrap();
        assert_eq!(jobs.len(), 2);
        assert!(
            contradictions[0].to_string().starts_with("b: mask takes 1 cycles, and"),
            "{contradictions:?}"
        );
        assert_eq!(super::super::Failure::from(contradictions.into_iter().next().unwrap()).code(), 70);
        assert!(answered([("a", good()), ("b", Err(Error::value("x", 1, "2")))].into_iter()).is_err());
    }
}
