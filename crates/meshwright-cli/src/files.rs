//! The files of a plan: the page, its JSON, drawings and schedules.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::output::{MANIFEST, NamedJob, Writing, check_folder};
use meshwright_core::{Error, Result, text};
use meshwright_formats::json::PlanForm;
use meshwright_report as report;
use meshwright_report::{File, PlanReport};
use meshwright_verdict::JobVerdict;
use meshwright_verdict::explain::Explanation;

use super::csv::CsvFile;
use super::output::{self, shown};

/// The page's file name.
pub(super) const PAGE: &str = "report.html";

/// By so many bytes a page is known again.
const HEAD_MAX: u64 = 1 << 16;

/// A plan as one JSON object, with explanations if there are any; it names the files of its schedules, if files are written.
pub(super) fn json(
    plan: &PlanReport<'_>,
    with_files: bool,
    told: Vec<Option<Explanation>>,
    replaced: Option<&str>,
) -> String {
    let schedules = if with_files { report::schedules(plan.jobs) } else { Vec::new() };
    output::json(
        &PlanForm::new(plan.machine, plan.seed, plan.jobs, schedules)
            .with_explanations(told)
            .in_place_of(replaced),
    )
}

/// A file of this text.
pub(super) fn file(name: &str, what: &str, text: String) -> File {
    File { name: name.into(), what: what.into(), text }
}

/// Every file of a plan.
pub(super) fn of_plan(plan: &PlanReport<'_>) -> Result<Vec<File>> {
    // What groups send is decided while they run.
    let runs = plan.jobs.iter().any(|job| !matches!(job, JobVerdict::Groups(_)));
    let what = if runs { "the same for scripts, and for `run`" } else { "the same for scripts" };
    let mut files = vec![
        file(PAGE, "tables and drawings: open it in a browser", report::page(plan)?),
        file("plan.json", what, json(plan, true, Vec::new(), None)),
    ];
    files.extend(report::files(plan)?);
    Ok(files)
}

/// Whether what stands in the way is replaced.
#[derive(Args, Clone, Copy, Debug)]
pub struct Force {
    /// Replace files that hold something else, and write into folders of another job; of those only the files go that
    /// their meshwright.json names
    #[arg(long)]
    pub force: bool,
}

/// Whether drawings are also painted.
#[derive(Args, Clone, Copy, Debug)]
pub struct Png {
    /// Also write each drawing of --out as PNG, at twice its size
    #[arg(long, requires = "out")]
    pub png: bool,
}

impl Png {
    /// The files, each drawing after a painted one if that was asked for.
    pub(super) fn with(self, files: Vec<File>) -> Vec<File> {
        let painted = |file: &File| {
            let stem = file.name.strip_suffix(".svg").filter(|_| self.png)?;
            Some(File { name: format!("{stem}.png"), ..file.clone() })
        };
        files.into_iter().flat_map(|file| [painted(&file), Some(file)]).flatten().collect()
    }
}

/// What is written: of a painted drawing its pixels.
fn bytes(file: &File) -> Result<Cow<'_, [u8]>> {
    match file.name.ends_with(".png") {
        true => report::png(&file.text).map(Cow::Owned),
        false => Ok(Cow::Borrowed(file.text.as_bytes())),
    }
}

/// Makes sure, before long work is done, that this job may write into the folder that was asked for.
pub(super) fn check(folder: Option<&PathBuf>, force: Force, job: &NamedJob) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let file = ["json", "html", "svg", "csv"].into_iter().find(|ending| text::ending(folder) == *ending);
    if let Some(ending) = file {
        let name = shown(folder);
        let hint =
            if ending == "json" { format!("; --json > {name} writes one file") } else { String::new() };
        return Err(Error::value(
            "--out",
            format!("`{name}`"),
            format!("a folder, which gets all files{hint}"),
        ));
    }
    check_folder(folder, job, force.force)
}

/// Adds the files of a folder to what is written; what there is to say about them.
pub(super) fn add(
    writing: &mut Writing,
    folder: &Path,
    job: &NamedJob,
    mut files: Vec<File>,
) -> Result<String> {
    let bytes = files.iter().map(bytes).collect::<Result<Vec<_>>>()?;
    let texts: Vec<_> =
        files.iter().zip(&bytes).map(|(file, bytes)| (file.name.as_str(), &**bytes)).collect();
    writing.folder(folder, job, &texts)?;
    files.push(file(MANIFEST, "which job this is, and the names of its files", String::new()));
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let line = |file: &File| format!("  {:width$}  {}\n", file.name, file.what);
    Ok(format!("Files in {}:\n", shown(folder)) + &files.iter().map(line).collect::<String>())
}

/// Writes the files of a folder, if one is asked for, and the table as CSV, all of them or none; what there is to say.
pub(super) fn write_all(
    force: Force,
    folder: Option<(&Path, &NamedJob)>,
    of_folder: impl FnOnce() -> Result<Vec<File>>,
    (csv, table): (&CsvFile, &dyn Fn() -> String),
) -> Result<String> {
    let mut writing = Writing::new(force.force);
    let said = add_all(&mut writing, folder, of_folder, (csv, table))?;
    writing.finish().map(|()| said)
}

/// Adds the files of a folder, if one is asked for, and the table as CSV to what is written; what there is to say.
pub(super) fn add_all(
    writing: &mut Writing,
    folder: Option<(&Path, &NamedJob)>,
    of_folder: impl FnOnce() -> Result<Vec<File>>,
    (csv, table): (&CsvFile, &dyn Fn() -> String),
) -> Result<String> {
    let mut said = String::new();
    if let Some((folder, job)) = folder {
        said = "\n".to_string() + &add(writing, folder, job, of_folder()?)?;
    }
    said += &csv.add(writing, table)?;
    Ok(said)
}

/// Writes the files of a folder; what there is to say about them.
pub(super) fn write(folder: &Path, force: Force, job: &NamedJob, files: Vec<File>) -> Result<String> {
    let mut writing = Writing::new(force.force);
    let said = add(&mut writing, folder, job, files)?;
    writing.finish().map(|()| said)
}

/// Makes sure that a page which stands here is the one of the same scenario and jobs, or has nothing in it.
///
/// # Errors
///
/// [`Error::Occupied`] when it is somebody else's.
#[expect(clippy::disallowed_methods, reason = "reads the head of a page, which may be missing")]
pub(super) fn check_page(path: &Path, title: &str, jobs: &[String]) -> Result<()> {
    let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
    let mut head = Vec::new();
    file.take(HEAD_MAX).read_to_end(&mut head).map_err(|error| Error::io(path, error))?;
    let mark = report::mark(title, jobs);
    if head.is_empty() || String::from_utf8_lossy(&head).contains(&mark) {
        return Ok(());
    }
    let holds = "the page of another scenario, or something else".to_string();
    Err(Error::Occupied { path: path.to_path_buf(), holds, kind: "folder with --out" })
}
