//! A curve for each of several values, and all of them in one table and one picture.

use std::path::{Path, PathBuf};

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_formats::json::SeriesForm;
use meshwright_network::topology::Machine;
use meshwright_report::{self as report, Results};
use meshwright_sim::experiment::Experiment;
use meshwright_sim::point::SweepReport;
use meshwright_sim::sweep::Curve;

use super::{SweepArguments, csv, text};
use crate::Answer;
use crate::files;
use crate::output;
use crate::traffic::{self, Varied};

/// What is measured for one combination of values.
pub(super) struct Variant<'m> {
    pub(super) values: Varied,
    pub(super) experiment: Experiment<'m>,
}

impl Variant<'_> {
    /// With what was measured.
    pub(super) fn measured(&self, curve: Curve) -> Member {
        let Experiment { conditions, reference, .. } = &self.experiment;
        let report = SweepReport { conditions: conditions.clone(), reference: *reference, curve };
        Member { values: self.values.clone(), report }
    }
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
        self.values.iter().map(word).collect::<Vec<_>>().join(" · ")
    }
}

/// A value among several: routings and patterns say what they are.
fn word((key, value): &(String, String)) -> String {
    match key.as_str() {
        "routing" | "traffic" => value.clone(),
        _ => format!("{key}={value}"),
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

/// What the folder of --out holds. One curve has always been named by its traffic alone.
pub(super) fn named(arguments: &SweepArguments, several: bool) -> disk::NamedJob {
    let sets = arguments.router.set.iter().filter(|_| several);
    let sets = sets.map(|(key, values)| format!(" --set {key}={values}"));
    disk::NamedJob::new("sweep", [format!("--traffic {}{}", arguments.traffic, sets.collect::<String>())])
}

/// The files that keep the points, open: one for each curve, or none at all.
pub(super) fn results(arguments: &SweepArguments, variants: &[Variant<'_>]) -> Result<Vec<Option<Results>>> {
    let open = |variant: &Variant<'_>| {
        let Some(path) = &arguments.results else { return Ok(None) };
        let path = if variants.len() > 1 { of_curve(path, &variant.values) } else { path.clone() };
        Results::open(&path, &variant.experiment.conditions.line(), arguments.force.force).map(Some)
    };
    variants.iter().map(open).collect()
}

/// The file of a curve among several: its values stand before the ending, `s.odd-even.jsonl`.
fn of_curve(path: &Path, values: &Varied) -> PathBuf {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_.=".contains(c);
    let kept = |name: String| name.chars().map(|c| if is_kept(c) { c } else { '-' }).collect::<String>();
    let values: Vec<String> = values.iter().map(word).map(kept).collect();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{stem}.{}{ending}", values.join(".")))
}

/// The answer of several curves.
pub(super) fn answer(
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
