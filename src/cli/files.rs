//! The files of a plan: the page, its JSON, drawings and schedules.

use std::path::Path;

use meshwright::Result;
use meshwright::report::{self, File, PlanReport};
use meshwright::verdict::plan::PlanAnswer;

use super::output::{self, shown};

/// The page's file name.
pub(super) const PAGE: &str = "report.html";

/// A plan as one JSON object; it names the files of its schedules, if files are written.
pub(super) fn json(plan: &PlanReport<'_>, with_files: bool) -> String {
    let schedules = if with_files { report::schedules(plan.jobs) } else { Vec::new() };
    output::json(&PlanAnswer::new(plan.machine, plan.seed, plan.jobs, schedules))
}

/// A file of this text.
pub(super) fn file(name: &str, what: &str, text: String) -> File {
    File { name: name.into(), what: what.into(), text }
}

/// Every file of a plan.
pub(super) fn of_plan(plan: &PlanReport<'_>) -> Result<Vec<File>> {
    let mut files = vec![
        file(PAGE, "tables and drawings: open it in a browser", report::page(plan)?),
        file("plan.json", "the same for scripts, and for `run`", json(plan, true)),
    ];
    files.extend(report::files(plan)?);
    Ok(files)
}

/// Writes all files into a folder or none; what there is to say about them.
pub(super) fn write(folder: &Path, files: Vec<File>) -> Result<String> {
    let folder = output::folder(folder)?;
    let paths: Vec<_> = files.iter().map(|file| (folder.join(&file.name), file.text.as_str())).collect();
    report::write_all(&paths)?;
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let line = |file: &File| format!("  {:width$}  {}\n", file.name, file.what);
    Ok(format!("Files in {}:\n", shown(&folder)) + &files.iter().map(line).collect::<String>())
}
