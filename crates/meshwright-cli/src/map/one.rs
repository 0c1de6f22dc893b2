//! The answer for one machine: judged, written, told.

use std::path::Path;

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_core::output::Writing;
use meshwright_formats::scenario::given;
use meshwright_formats::scenario::tasks::{self, Weights};
use meshwright_network::topology::{Machine, Switching};
use meshwright_report::{File, PlanReport};
use meshwright_verdict::map::{self, MapReport};
use meshwright_verdict::{Job, MappingVerdict, mapping};

use super::{MapArguments, csv, text};
use crate::output::{self, Progress};
use crate::{Answer, explain, files, table};

/// What is asked for on a machine.
pub(super) struct Wanted<'a> {
    pub(super) arguments: &'a MapArguments,
    pub(super) names: Vec<String>,
    pub(super) switchings: Vec<Switching>,
    pub(super) weights: Weights,
}

impl Wanted<'_> {
    /// The tasks on this machine.
    pub(super) fn job(&self, machine: &Machine) -> Result<Job> {
        let Self { arguments, weights, .. } = self;
        tasks::read(&arguments.tasks, Path::new(""), (*weights, &arguments.axes), machine)
    }

    /// The answer for this machine; `is_judged` is whether there is to be a verdict in any case.
    pub(super) fn report(
        &self,
        job: &mut Job,
        machine: &Machine,
        is_judged: bool,
        progress: &mut Progress,
    ) -> Result<MapReport> {
        let Self { arguments, names, switchings, .. } = self;
        let seed = arguments.seed.unwrap_or(0);
        given::read_maps(job, names, Path::new(""), machine)?;
        let mut names = tasks::expand(names.clone(), job, machine)?;
        let search = arguments.search.search(machine)?;
        arguments.search.look(job, &mut names, machine, &search, seed)?;
        let methods: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut tell = |what: &str| progress.tell(what);
        let report = map::report_under(job, machine, &methods, seed, (switchings, is_judged), &mut tell)?;
        table::left_out(&report.skipped).lines().for_each(output::detail);
        Ok(report)
    }
}

/// Answers for one machine.
pub(super) fn one(wanted: &Wanted<'_>, machine: &Machine, named: &disk::NamedJob) -> Result<Answer> {
    let arguments = wanted.arguments;
    let mut job = wanted.job(machine)?;
    let emission = arguments.emit.check(&job.tasks, machine)?;
    let mut progress = Progress::new();
    let is_judged = arguments.out.is_some() || arguments.explain;
    let mut report = wanted.report(&mut job, machine, is_judged, &mut progress)?;
    // One winner for the files of launchers and those of a plan: by the time without barriers where cycles are equal.
    let mut verdict = report.verdict.take();
    let rivals = emission.rivals(&report, machine.switching());
    if verdict.is_none() && !rivals.is_empty() {
        let mut tell = |what: &str| progress.tell(what);
        verdict = Some(mapping::judge(
            &report.tasks,
            &job,
            machine,
            &rivals,
            arguments.seed.unwrap_or(0),
            &mut tell,
        )?);
    }
    drop(progress);
    if let Some(verdict) = verdict.as_ref().filter(|_| arguments.explain) {
        report.explain = explain::of_winner(verdict, machine)?;
    }
    let winner = verdict.as_ref().and_then(|verdict| verdict.winner_name());
    let emitted = emission.texts(&job.tasks, machine, &report, winner)?;
    let mut writing = Writing::new(arguments.force.force);
    let written = match (&arguments.out, verdict) {
        (Some(folder), Some(verdict)) => {
            let files = arguments.png.with(of_folder(verdict, machine, &report)?);
            "\n".to_string() + &files::add(&mut writing, folder, named, files)?
        }
        _ => String::new(),
    };
    let written = written + &emitted.add(&mut writing)?;
    let written = written + &arguments.csv.add(&mut writing, || csv::one(&report, machine))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| emitted.json(&report)),
        || text::line(&report, machine),
        || text::one(&report, machine) + &race(arguments, machine) + &written,
    )?;
    let is_done = arguments.formulas || ends(&report, machine);
    Ok(if is_done { Answer::Done } else { Answer::Negative })
}

/// Whether some placement comes to its end.
pub(super) fn ends(report: &MapReport, machine: &Machine) -> bool {
    report.placements.iter().any(|row| row.simulated_cycles.of(machine.switching()).is_some())
}

/// The answer, and the files of a plan for the one job under the machine's switching.
fn of_folder(verdict: MappingVerdict, machine: &Machine, report: &MapReport) -> Result<Vec<File>> {
    let jobs = [verdict.into()];
    let plan = PlanReport { title: &report.tasks, scenario: "", machine, seed: report.seed, jobs: &jobs };
    let mut files = files::of_plan(&plan)?;
    files.push(files::file("map.json", "the answer for scripts", output::json(report)));
    Ok(files)
}

/// Who compares more than placements, where the tasks are a collective operation.
fn race(arguments: &MapArguments, machine: &Machine) -> String {
    let preset = arguments.preset.map(|preset| preset.name);
    match preset.filter(|name| ["broadcast", "reduce"].contains(name)) {
        Some(name) => {
            let bytes = arguments.volume.map_or(65536, |volume| volume.0);
            format!(
                "These are placements of a tree that sends whole messages; `meshwright race {name} --bytes {bytes} --on {}` \
                 compares published algorithms, those in chunks among them.\n",
                machine.name()
            )
        }
        None => String::new(),
    }
}
