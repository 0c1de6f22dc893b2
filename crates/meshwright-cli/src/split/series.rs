//! A division for each of several machines, sigmas or start-ups, and all of them in one table and one picture.

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_core::words::{by_sentence, counted, decimal};
use meshwright_formats::json::{SeriesForm, SpeedRows, SplitForm};
use meshwright_network::topology::Machine;
use meshwright_report::{File, Map, NamedCurve, SeriesPage, SeriesTable, overlaid};
use meshwright_verdict::load::Job;
use meshwright_verdict::{LoadOutcome, LoadVerdict};

use super::{SplitArguments, csv};
use crate::output;
use crate::{Answer, files, load as tables, table};

/// A value of an option that varies.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Varied {
    /// Sigma or a start-up.
    Number(f64),
    /// A machine, and how many of its nodes work.
    Machine(String, u32),
}

impl Varied {
    /// As it is written.
    fn written(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Machine(name, _) => name.clone(),
        }
    }

    /// Where it stands on an axis.
    fn place(&self) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Machine(_, nodes) => f64::from(*nodes),
        }
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Self::Number(value) => (*value).into(),
            Self::Machine(name, _) => name.as_str().into(),
        }
    }
}

/// The division for one combination of values.
pub(super) struct Member {
    /// The options that vary, with their values.
    pub(super) values: Vec<(&'static str, Varied)>,
    pub(super) machine: Machine,
    pub(super) job: Job,
    pub(super) verdict: LoadVerdict,
}

impl Member {
    /// The values as they are written.
    pub(super) fn written(&self) -> Vec<String> {
        self.values.iter().map(|(_, value)| value.written()).collect()
    }

    /// What varies, in words: `sigma 0.1`.
    fn name(&self) -> String {
        let word = |(key, value): &(&str, Varied)| match value {
            Varied::Machine(name, _) => name.clone(),
            Varied::Number(value) => format!("{} {value}", key.replace('_', " ")),
        };
        self.values.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

/// Tells what came of all of them.
pub(super) fn answer(
    arguments: &SplitArguments,
    named: &disk::NamedJob,
    members: &[Member],
) -> Result<Answer> {
    let form = |member: &'_ Member| -> Vec<(String, serde_json::Value)> {
        member.values.iter().map(|(key, value)| ((*key).to_string(), value.json())).collect()
    };
    let forms = members.iter().map(|member| {
        let speeds = member.job.speeds.as_ref();
        let speeds = speeds.map(|speeds| SpeedRows { work: &speeds.work, link: &speeds.link });
        (form(member), SplitForm::new(&member.machine, speeds, &member.verdict))
    });
    let json = output::json(&SeriesForm::new(&machines(members), forms.collect()));
    let of_folder = || {
        let mut all = arguments.png.with(of_folder(members));
        all.push(files::file("split.json", "the answers for scripts", json.clone()));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let table = || csv::several(members);
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &table))?;
    let line = |member: &Member| format!("{}: {}", member.name(), member.verdict.reason);
    output::say(
        arguments.json.then_some(json),
        || members.iter().map(line).collect::<Vec<_>>().join("\n"),
        || text(members) + &in_json(arguments) + &written,
    )?;
    Ok(Answer::Done)
}

/// What was asked for and is in the JSON alone.
fn in_json(arguments: &SplitArguments) -> String {
    let asked = [
        ("--front", arguments.front),
        ("--deadline", arguments.deadline.is_some()),
        ("--next", arguments.further.asks_next()),
    ];
    let names: Vec<&str> = asked.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "For each of several divisions {} stands in --json alone; one division prints it\n",
        names.join(" and ")
    )
}

/// The machine, or all of them.
fn machines(members: &[Member]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for member in members {
        if !names.contains(&member.machine.name()) {
            names.push(member.machine.name());
        }
    }
    names.join(",")
}

/// How many nodes work: of one machine, or of the smallest and the largest.
fn nodes(members: &[Member]) -> String {
    let counts = || members.iter().map(|member| u64::from(member.machine.living_count()));
    match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (least, most) if least == most => counted(most, "node"),
        (least, most) => format!("{least} to {}", counted(most, "node")),
    }
}

/// One table: what varies, then the row of a method.
fn text(members: &[Member]) -> String {
    let first = &members[0];
    let sources = counted(first.verdict.facts.sources.len() as u64, "source");
    let mut text = format!(
        "{} · {} · {sources} · {}\n",
        machines(members),
        nodes(members),
        counted(members.len() as u64, "division")
    );
    let (head, rows) = rows(members);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    text += &table::table(&head, first.values.len() + 2, rows);
    // Whom a value leaves out is said once for all values.
    let told = members.iter().flat_map(|member| {
        let lines = table::left_out(&member.verdict.skipped);
        lines.lines().map(|line| (member.name(), line.to_string())).collect::<Vec<_>>()
    });
    for (whose, line) in by_sentence(told) {
        let all = whose.len() == members.len();
        text += &if all { line + "\n" } else { format!("{line} ({})\n", whose.join("; ")) };
    }
    text + "* the least simulated time for these values; --json has all that is known of each\n"
}

fn rows(members: &[Member]) -> (Vec<String>, Vec<Vec<String>>) {
    let keys = members[0].values.iter().map(|(key, _)| key.replace('_', " "));
    let head = keys.chain(tables::SPLIT_HEAD.map(str::to_string)).collect();
    let of = |member: &Member| {
        let rows = tables::split_rows(&member.verdict).into_iter();
        rows.map(|row| [member.written(), row].concat()).collect::<Vec<_>>()
    };
    (head, members.iter().flat_map(of).collect())
}

/// The page and the picture.
fn of_folder(members: &[Member]) -> Vec<File> {
    let first = &members[0];
    let (head, rows) = rows(members);
    let machines = machines(members);
    let over = first.values.last().map_or("sigma", |(key, _)| *key);
    let axis = match over {
        "machine" => "nodes of the machine".to_string(),
        "sigma" => "sigma, time on a link over time on a processor".to_string(),
        key => format!("{}, units of w Tcp", key.replace('_', " ")),
    };
    let best = members.iter().max_by(|a, b| top(a).total_cmp(&top(b))).expect("there are several");
    let page = SeriesPage {
        title: &format!("A load on {machines}"),
        machine: &machines,
        facts: vec![
            ("Machine", machines.clone()),
            ("Nodes", nodes(members)),
            ("Sources", first.verdict.facts.sources.len().to_string()),
        ],
        over: "Speedup of every method",
        headline: &format!(
            "At most {} times as fast as one processor, at {}",
            decimal(top(best), 4),
            best.name()
        ),
        notes: members.iter().map(|member| format!("{}: {}", member.name(), member.verdict.reason)).collect(),
        axes: [&axis, "speedup"],
        most: None,
        is_doubling: false,
        maps: vec![
            Map {
                file: "processors.svg",
                title: "Processors with a share".to_string(),
                svg: overlaid([&axis, "processors"], &curves(members, Curve::Processors)),
            },
            Map {
                file: "share.svg",
                title: "Share of a source".to_string(),
                svg: overlaid([&axis, "share of the load"], &curves(members, Curve::Share)),
            },
        ],
        curves: curves(members, Curve::Speedup),
        table: SeriesTable { words: first.values.len() + 2, head, rows },
    };
    page.files("speedup.svg")
}

/// The greatest simulated speedup.
fn top(member: &Member) -> f64 {
    member.verdict.results.iter().filter_map(|row| row.detail.simulated_speedup).fold(0.0, f64::max)
}

/// What is drawn of each method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Curve {
    Speedup,
    Processors,
    Share,
}

impl Curve {
    fn of(self, row: &LoadOutcome) -> Option<f64> {
        match self {
            Self::Speedup => row.detail.simulated_speedup,
            Self::Processors => Some(row.detail.nodes_used as f64),
            Self::Share => row.detail.fractions.first().copied(),
        }
    }
}

/// A curve for each method, and one for the bound of the speedup; several options that vary give one for each value of the first.
fn curves(members: &[Member], what: Curve) -> Vec<NamedCurve> {
    let mut curves: Vec<NamedCurve> = Vec::new();
    let mut add = |name: String, x: f64, y: f64| {
        let tip = format!("{name}: {} at {x}", decimal(y, 4));
        let known = curves.iter().position(|curve| curve.name == name);
        let at = known.unwrap_or_else(|| {
            curves.push(NamedCurve { name, ..NamedCurve::default() });
            curves.len() - 1
        });
        curves[at].points.push((x, y));
        curves[at].tips.push(tip);
    };
    for member in members {
        let Some(((_, x), others)) = member.values.split_last() else { continue };
        let whose: String = others
            .iter()
            .map(|(key, value)| format!(", {} {}", key.replace('_', " "), value.written()))
            .collect();
        if what == Curve::Speedup {
            add(format!("bound{whose}"), x.place(), 1.0 / member.verdict.facts.bound.makespan);
        }
        for row in &member.verdict.results {
            if let Some(y) = what.of(row) {
                add(format!("{} {}{whose}", row.method, row.detail.switching.name()), x.place(), y);
            }
        }
    }
    curves
}
