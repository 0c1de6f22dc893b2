//! The files beside the page: drawings that stand alone, and schedules.

use super::drawings::{Busy, heat_figure, heat_figure_of, placement_figure};
use super::svg::{Layout, bars, heat};
use super::{PlanReport, groups, load, page, race, style, wording};
use meshwright_core::error::Result;
use meshwright_core::words::untaken;
use meshwright_mapping::TaskGraph;
use meshwright_mapping::task_graph::Edge;
use meshwright_network::topology::Machine;
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::report::PerLink;
use meshwright_verdict::{JobVerdict, LinkUse, MappingVerdict};

/// The longest stem of a file name; file systems allow 255 bytes.
const STEM_MAX: usize = 80;

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, which is safe on every file system.
    pub name: String,
    /// What is in it, for a list of files.
    pub what: String,
    /// Its text; of a `.png` the drawing that is painted when it is written.
    pub text: String,
}

/// Per divisible load and per program of groups its drawings; per other job: the placement and the link loads of the
/// winner and the bars of all methods; of a collective operation the bars of all algorithms. Of every job that has one, a schedule as GOAL; see [`schedules`].
///
/// A drawing that does not exist, because nothing is sent or the machine is too large, has no file. Rank r of
/// the schedule runs on node r.
///
/// # Errors
///
/// As for [`page`](super::page()).
pub fn files(report: &PlanReport<'_>) -> Result<Vec<File>> {
    page::check(report)?;
    let mut files = vec![];
    for (job, stem) in report.jobs.iter().zip(stems(report.jobs)) {
        match job {
            JobVerdict::Mapping(job) => files_of(report, job, &stem, &mut files),
            JobVerdict::Load(job) => {
                for (ending, what, figure) in load::drawings(report.machine, job) {
                    files.push(File { name: format!("{stem}{ending}"), what, text: load::alone(&figure) });
                }
                files
                    .extend(job.kept_schedule().map(|(method, schedule)| goal_file(&stem, method, schedule)));
            }
            JobVerdict::Groups(job) => {
                for (ending, what, figure) in groups::drawings(report.machine, job) {
                    files.push(File { name: format!("{stem}{ending}"), what, text: groups::alone(&figure) });
                }
            }
            JobVerdict::Race(job) => {
                if let Some(svg) = race::bars(job) {
                    let (name, what) =
                        (format!("{stem}-bars.svg"), "all algorithms and the bound".to_string());
                    files.push(File { name, what, text: style::alone(&svg) });
                }
                if let Some((method, schedule)) = job.kept_schedule() {
                    let (links, busiest) = meshwright_sim::report::links(schedule, report.machine)?;
                    let file = links_file(report.machine, &format!("algorithm {method}"), &links, busiest);
                    files.extend(file.map(|file| File { name: format!("{stem}-{}", file.name), ..file }));
                    files.push(goal_file(&stem, method, schedule));
                }
            }
        }
    }
    Ok(files)
}

fn files_of(report: &PlanReport<'_>, job: &MappingVerdict, stem: &str, files: &mut Vec<File>) {
    let mut add = |ending: &str, what: String, text: String| {
        files.push(File { name: format!("{stem}{ending}"), what, text });
    };
    let winner = job.winner();
    if let Some(winner) = &winner {
        let layout = Layout::of(report.machine);
        let placement = placement_figure(layout.as_ref(), &job.facts.tasks, winner.outcome);
        let links = heat_figure_of(layout.as_ref(), report.machine, winner.outcome);
        let (method, mut draw) = (&winner.method, |ending: &str, what: String, svg: &str| {
            if !svg.is_empty() {
                add(ending, what, style::alone(svg));
            }
        });
        draw("-placement.svg", format!("where {method} puts the tasks"), &placement.svg);
        draw("-links.svg", format!("messages on each link under {method}"), &links.svg);
    }
    if let Some(svg) = bars::draw(&job.results, &wording::best(job)) {
        add("-bars.svg", "all methods and the bound".to_string(), style::alone(&svg));
    }
    files.extend(job.kept_schedule().map(|(method, schedule)| goal_file(stem, method, schedule)));
    if winner.is_some() && !job.facts.tasks.edges().is_empty() {
        let (name, what) =
            (format!("{stem}.phases.csv"), "the messages between tasks, for `map` and `explain`".into());
        files.push(File { name, what, text: trace(&job.facts.tasks) });
    }
}

/// The drawing of the links of a run; none when no link carries a message, or it is not known which.
pub fn links_file(machine: &Machine, run: &str, links: &PerLink, busiest: Option<LinkUse>) -> Option<File> {
    let loads = heat::Loads { messages: &links.messages, busy: &links.busy };
    let figure = heat_figure(Layout::of(machine).as_ref(), machine, &Busy { run, loads, busiest });
    let file = || File {
        name: "links.svg".into(),
        what: "how long each link is busy".into(),
        text: style::alone(&figure.svg),
    };
    (!figure.svg.is_empty()).then(file)
}

/// The messages between tasks as text, phase by phase; with how often phases run where some run more than once.
fn trace(tasks: &TaskGraph) -> String {
    let is_repeated = tasks.all_repeats().iter().any(|&times| times > 1);
    let mut text = "phase,source,target,bytes".to_string();
    text += if is_repeated { ",repeats\n" } else { "\n" };
    for index in 0..tasks.phases() {
        let repeats = if is_repeated { format!(",{}", tasks.repeats(index)) } else { String::new() };
        for Edge { source, target, bytes } in tasks.phase(index) {
            text += &format!("{},{source},{target},{}{repeats}\n", tasks.number(index), bytes.0);
        }
    }
    text
}

/// A schedule as text.
pub(super) fn goal_file(stem: &str, method: &str, schedule: &Schedule) -> File {
    let mut text = vec![];
    goal::write(schedule, &mut text).expect("memory takes every write");
    let text = String::from_utf8(text).expect("GOAL is ASCII");
    File {
        name: format!("{stem}.goal"),
        what: format!("the schedule of {method}, for `simulate` and `run`"),
        text,
    }
}

/// By job, which of [`files`] holds a schedule and whose it is: that of the winner. Programs of groups decide at run time and have none.
pub fn schedules(jobs: &[JobVerdict]) -> Vec<Option<(String, String)>> {
    let method = |job: &JobVerdict| match job {
        JobVerdict::Mapping(job) => job.winner_name().map(str::to_string),
        JobVerdict::Load(job) => job.kept_schedule().map(|(method, _)| method.to_string()),
        JobVerdict::Groups(_) => None,
        JobVerdict::Race(job) => job.winner_name().map(str::to_string),
    };
    let file =
        |(job, stem): (&JobVerdict, String)| method(job).map(|method| (format!("{stem}.goal"), method));
    jobs.iter().zip(stems(jobs)).map(file).collect()
}

/// One stem for each job, no two the same.
fn stems(jobs: &[JobVerdict]) -> Vec<String> {
    let mut stems = vec![];
    for job in jobs {
        stems.push(untaken(&stem(job.name()), &stems));
    }
    stems
}

/// The letters and digits of a name, small, joined by `-`.
fn stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => stem.push(c),
            _ if !stem.is_empty() && !stem.ends_with('-') => stem.push('-'),
            _ => {}
        }
    }
    stem.truncate(STEM_MAX);
    match stem.trim_end_matches('-') {
        "" => "job".to_string(),
        stem => stem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{STEM_MAX, stem};

    #[test]
    fn stems_are_safe_file_names() {
        let stems = ["merge sort", "LAMMPS, Lennard-Jones melt", "../../etc/passwd", "", "été", "..", "a\0b"];
        let safe = ["merge-sort", "lammps-lennard-jones-melt", "etc-passwd", "job", "t", "job", "a-b"];
        assert_eq!(stems.map(stem), safe);
        assert_eq!(stem(&"x".repeat(1000)).len(), STEM_MAX);
    }
}
