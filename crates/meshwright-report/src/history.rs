//! Groups over time: as figures, and as a page of their own.

use serde::Serialize;

use super::drawings::Figure;
use super::facts::Fact;
use super::svg::history::{moments, timeline};
use super::wording::percent;
use super::{File, style, template};
use meshwright_core::words::grouped;
use meshwright_groups::history::{Doing, History, Level};
use meshwright_network::topology::{Machine, Topology};

/// How many moments of the machine are shown.
const MOMENTS: u64 = 8;

/// Runs of groups on one machine that stand on one page.
#[derive(Clone, Copy, Debug)]
pub struct GroupsOverTime<'a> {
    /// The headline of the page.
    pub title: &'a str,
    /// What they ran on.
    pub machine: &'a Machine,
    /// What a cycle of this machine is called, in the plural: `steps`.
    pub unit: &'a str,
    /// Each run with its name.
    pub runs: &'a [(&'a str, &'a History)],
}

#[derive(Serialize)]
struct HistoryView<'a> {
    title: &'a str,
    style: String,
    facts: Vec<Fact>,
    headline: String,
    unit: &'a str,
    runs: Vec<NamedHistory<'a>>,
}

#[derive(Serialize)]
struct NamedHistory<'a> {
    name: &'a str,
    /// Whether it is shown at once: the fastest and the slowest.
    open: bool,
    numbers: Vec<String>,
    figures: Vec<Figure>,
    levels: Vec<Vec<String>>,
}

/// The page, and of each run the drawings as files of their own: with the members of a group together, with the members
/// by rank, and, where it is a plane that can be drawn node by node, of the machine at eight moments.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::history::History;
/// use meshwright_report::{GroupsOverTime, groups_files};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:2x2")?;
/// let history = History::of(&Group::whole(&mesh, "hilbert")?, |_| &[]);
/// let page = GroupsOverTime { title: "Nothing", machine: &mesh, unit: "steps", runs: &[("idle", &history)] };
/// let names: Vec<String> = groups_files(&page).into_iter().map(|file| file.name).collect();
/// assert_eq!(names, ["report.html", "idle-over-time.svg", "idle-by-rank.svg", "idle-on-the-machine.svg"]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn groups_files(page: &GroupsOverTime<'_>) -> Vec<File> {
    let what = "groups over time: open it in a browser".to_string();
    let mut files = vec![File { name: "report.html".to_string(), what, text: html(page) }];
    for (name, history) in page.runs {
        let mut add = |ending: &str, what: &str, svg: &str| {
            let (name, what) = (format!("{name}-{ending}.svg"), format!("{what} under {name}"));
            files.push(File { name, what, text: style::alone(svg) });
        };
        let by_rank = timeline::TimelineView { history, unit: page.unit, rows: timeline::MemberOrder::Ranks };
        let mut figures = figures(page.machine, history, page.unit).into_iter();
        figures.next().into_iter().for_each(|figure| add("over-time", "groups over time", &figure.svg));
        add("by-rank", "groups over time, members by rank", &timeline::draw(&by_rank).0);
        figures.for_each(|figure| add("on-the-machine", "groups on the machine", &figure.svg));
    }
    files
}

/// The groups of a run over time, and the machine at some moments if it can be drawn.
pub(super) fn figures(machine: &Machine, history: &History, unit: &str) -> Vec<Figure> {
    let (svg, drawn) =
        timeline::draw(&timeline::TimelineView { history, unit, rows: timeline::MemberOrder::Groups });
    let members = history.members().len();
    let mut caption =
        "A row is a node, a block a group, a number its size; below, how many groups there are.".to_string();
    if drawn < members {
        caption += &format!(" {} of {} nodes are drawn.", grouped(drawn as u64), grouped(members as u64));
    }
    let mut all = vec![Figure { title: "Groups over time", svg, caption }];
    let times = moments::spread(history, MOMENTS);
    if let Some(svg) = moments::draw(machine, history, unit, &times) {
        let caption = "The machine at eight moments, every node in the colour of its group.".to_string();
        all.push(Figure { title: "Groups on the machine", svg, caption });
    }
    all
}

fn html(page: &GroupsOverTime<'_>) -> String {
    let machine = page.machine;
    let view = HistoryView {
        title: page.title,
        style: style::page(),
        facts: vec![
            Fact::new("Topology", machine.name(), ""),
            Fact::new("Nodes", grouped(machine.nodes().into()), ""),
            Fact::new("Switching", machine.switching().name(), ""),
            Fact::new("Buffers", machine.buffers(), "for each input of a node"),
        ],
        headline: headline(page),
        unit: page.unit,
        runs: page.runs.iter().map(|&(name, history)| view(page, name, history)).collect(),
    };
    template::page(include_str!("history.html"), view)
}

/// The times of the fastest and the slowest run.
fn extremes(page: &GroupsOverTime<'_>) -> (u64, u64) {
    let ends = || page.runs.iter().map(|(_, history)| history.end().0);
    (ends().min().unwrap_or(0), ends().max().unwrap_or(0))
}

/// The fastest run, and how much slower the slowest is.
fn headline(page: &GroupsOverTime<'_>) -> String {
    let (short, long) = extremes(page);
    let name =
        |end| page.runs.iter().find(|(_, history)| history.end().0 == end).map_or("", |(name, _)| name);
    let mut words = format!("{} takes {} {}", name(short), grouped(short), page.unit);
    if long > short {
        words += &format!(", {} {:.1} times as long", name(long), long as f64 / short.max(1) as f64);
    }
    words
}

fn view<'a>(page: &GroupsOverTime<'a>, name: &'a str, history: &History) -> NamedHistory<'a> {
    let row = |(level, row): (usize, Level)| {
        let numbers = [level as u64, row.groups.into(), row.largest.into(), row.begin.0, row.end.0];
        numbers.map(grouped).to_vec()
    };
    let (levels, end) = (history.levels(), history.end().0);
    let most = history.counts().into_iter().map(|(_, count)| count).max().unwrap_or(0);
    let numbers = vec![
        grouped(end),
        grouped(history.groups().len() as u64),
        (levels.len() - 1).to_string(),
        grouped(most.into()),
        percent(waiting(history)),
    ];
    let (short, long) = extremes(page);
    NamedHistory {
        name,
        open: end == short || end == long,
        numbers,
        figures: figures(page.machine, history, page.unit),
        levels: levels.into_iter().enumerate().map(row).collect(),
    }
}

/// The part of all time that members wait, until the last of them is done.
fn waiting(history: &History) -> f64 {
    let members = 0..history.members().len() as u32;
    let all = members.end as f64 * history.end().0.max(1) as f64;
    let spans = members.flat_map(|member| history.spans(member));
    let waits: u64 =
        spans.filter(|span| span.doing == Doing::Wait).map(|span| span.end.0 - span.begin.0).sum();
    waits as f64 / all
}
