//! A curve for each of several values, and all of them in one table and one picture.

use meshwright_core::output as disk;
use meshwright_core::{Error, Result};
use meshwright_formats::json::SeriesForm;
use meshwright_network::topology::Machine;
use meshwright_report as report;
use meshwright_sim::experiment::Experiment;
use meshwright_sim::point::SweepReport;
use meshwright_sim::sweep::{self, Sweep, Threads};

use super::{SweepArguments, csv, loads, text};
use crate::Answer;
use crate::files;
use crate::output::{self, Progress};
use crate::traffic::{self, Varied};

/// What is measured for one combination of values.
pub(super) struct Variant<'m> {
    pub(super) values: Varied,
    pub(super) experiment: Experiment<'m>,
}

/// The curve of one combination of values.
pub(super) struct Member {
    /// The options that vary, with their values.
    pub(super) values: Varied,
    pub(super) report: SweepReport,
}

impl Member {
    /// The curve in a few words: `odd-even`, `odd-even · virtual_channels=2`.
    pub(super) fn name(&self) -> String {
        let word = |(key, value): &(String, String)| match key.as_str() {
            "routing" | "traffic" => value.clone(),
            _ => format!("{key}={value}"),
        };
        self.values.iter().map(word).collect::<Vec<_>>().join(" · ")
    }
}

/// Every combination of the values that were given.
pub(super) fn variants<'m>(arguments: &SweepArguments, machine: &'m Machine) -> Result<Vec<Variant<'m>>> {
    let patterns = traffic::several("traffic", &arguments.traffic)?;
    let preset = arguments.router.router.as_deref();
    let mut variants = Vec::new();
    for &pattern in &patterns {
        for (varied, router) in arguments.router.routers(machine)? {
            let traffic = (patterns.len() > 1).then(|| ("traffic".to_string(), pattern.to_string()));
            let experiment = arguments.run.experiment(machine, router, pattern, preset)?;
            variants.push(Variant { values: traffic.into_iter().chain(varied).collect(), experiment });
        }
    }
    Ok(variants)
}

/// Measures all curves and tells what came of them.
pub(super) fn run(
    arguments: &SweepArguments,
    machine: &Machine,
    variants: Vec<Variant<'_>>,
) -> Result<Answer> {
    if let Some(path) = &arguments.results {
        let expected = "one curve: --csv or --json keeps several, or run sweep once for each";
        return Err(Error::value("results", output::shown(path), expected));
    }
    let sets = arguments.router.set.iter().map(|(key, values)| format!(" --set {key}={values}"));
    let job = format!("--traffic {}{}", arguments.traffic, sets.collect::<String>());
    let named = disk::NamedJob::new("sweep", [job]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    // Points of different curves are compared: they have the same loads.
    let most = |one: &Variant<'_>| one.experiment.reference.bound;
    let bound = variants.iter().filter_map(most).reduce(f64::max);
    let loads = loads(arguments, bound)?;
    let mut progress = Progress::with_steps((loads.len() * variants.len()) as u64);
    let members = variants.into_iter().map(|Variant { values, experiment }| {
        let sweep = Sweep {
            loads: loads.clone(),
            saturation: arguments.saturation,
            seed: arguments.run.seed(),
            threads: 1,
        };
        let measure = |load, seed, threads| experiment.measure(load, seed, threads);
        let mut pool = Threads::new(arguments.run.threads(1), measure);
        let curve = sweep::run_with(&mut pool, &sweep, &[], &mut |point| {
            progress.step(&format!("load {}", point.load));
            Ok(())
        })?;
        let (conditions, reference) = (experiment.conditions, experiment.reference);
        Ok(Member { values, report: SweepReport { conditions, reference, curve } })
    });
    let members: Vec<Member> = members.collect::<Result<_>>()?;
    drop(progress);
    answer(arguments, machine, &named, &members)
}

fn answer(
    arguments: &SweepArguments,
    machine: &Machine,
    named: &disk::NamedJob,
    members: &[Member],
) -> Result<Answer> {
    let values = |member: &Member| {
        member.values.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect::<Vec<_>>()
    };
    let forms = members.iter().map(|member| (values(member), &member.report)).collect();
    let json = output::json(&SeriesForm::new(machine.name(), forms));
    let of_folder = || {
        let curves: Vec<_> = members.iter().map(|member| (member.name(), &member.report)).collect();
        let (head, rows) = text::rows(members, machine);
        let table = report::SeriesTable { words: members[0].values.len(), head, rows };
        let mut all = arguments.png.with(report::sweep_series_files(&curves, table));
        all.push(files::file("sweep.json", "the same for scripts", json.clone()));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let written =
        files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| csv::several(members)))?;
    output::say(
        arguments.json.then_some(json),
        || {
            let line =
                |member: &Member| format!("{}: {}", member.name(), report::sweep_headline(&member.report));
            members.iter().map(line).collect::<Vec<_>>().join("; ")
        },
        || text::several(members, machine) + &written,
    )?;
    let deadlocks = members.iter().any(|member| member.report.deadlocks());
    Ok(if deadlocks { Answer::Negative } else { Answer::Done })
}
