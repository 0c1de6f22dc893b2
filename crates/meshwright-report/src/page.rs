//! Verdicts put into words and tables, and the template filled with them.

use serde::Serialize;

use super::drawings::{Figure, figures};
use super::svg::bars;
use super::wording::{self, counted, percent};
use super::{PlanReport, facts, groups, island, load, race, style, template};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_core::words::{NONE, grouped};
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::fitting::Routers;
use meshwright_verdict::explain::Times;
use meshwright_verdict::{JobVerdict, MappingOutcome, MappingVerdict, PhaseRow, Skipped};

/// Up to here every phase has its row.
const PHASES_LISTED_MAX: usize = 24;

/// How many rows remain of a longer table.
const PHASES_SLOWEST: usize = 12;

#[derive(Serialize)]
struct PageView<'a> {
    title: &'a str,
    /// Of the jobs, by which a page is known again.
    names: String,
    scenario: &'a str,
    machine: &'a str,
    style: String,
    facts: Vec<facts::Fact>,
    /// Whether there are phased jobs, or none at all; whether there are divisible loads, and programs of groups.
    divides: bool,
    loads: bool,
    programs: bool,
    /// Whether there are collective operations.
    races: bool,
    jobs: Vec<Section<'a>>,
    /// What the script reads, as JSON; empty where it has nothing to show.
    island: String,
}

/// The section of a job; the template tells them apart by their fields.
#[derive(Serialize)]
#[serde(untagged)]
enum Section<'a> {
    Divide(JobView<'a>),
    Load(load::LoadView<'a>),
    Groups(groups::GroupsView<'a>),
    Race(race::RaceView<'a>),
}

#[derive(Serialize)]
struct JobView<'a> {
    kind: &'a str,
    name: &'a str,
    tasks: String,
    headline: String,
    reason: &'a str,
    advice: &'a str,
    rows: Vec<PlacementRow<'a>>,
    skipped: &'a [Skipped],
    bars: Option<String>,
    bars_note: String,
    methods: Vec<MethodView<'a>>,
}

#[derive(Serialize)]
struct PlacementRow<'a> {
    method: &'a str,
    wins: bool,
    is_equal: bool,
    numbers: Vec<String>,
    hottest: String,
    busy: String,
    hottest_messages: String,
}

#[derive(Serialize)]
struct MethodView<'a> {
    name: &'a str,
    wins: bool,
    summary: String,
    blame: String,
    waited: bool,
    figures: Vec<Figure>,
    phases: Vec<Vec<String>>,
    phases_note: String,
}

/// The whole report as one page of HTML.
///
/// The same report gives the same bytes. Whatever a verdict holds is drawn as far as it can be: no
/// results, no phases, or a bound of 0.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) when a placement, a hottest link or a blame names a node outside
/// the machine: the verdict then belongs to another one.
pub fn page(report: &PlanReport<'_>) -> Result<String> {
    check(report)?;
    let view = PageView {
        title: report.title,
        names: report.jobs.iter().map(JobVerdict::name).collect::<Vec<_>>().join(", "),
        scenario: report.scenario,
        machine: report.machine.name(),
        style: style::page(),
        facts: facts::facts(report),
        divides: report.jobs.is_empty() || report.jobs.iter().any(|job| divide(job).is_some()),
        loads: report.jobs.iter().any(|job| matches!(job, JobVerdict::Load(_))),
        programs: report.jobs.iter().any(|job| matches!(job, JobVerdict::Groups(_))),
        races: report.jobs.iter().any(|job| matches!(job, JobVerdict::Race(_))),
        jobs: report.jobs.iter().map(|job| job_view(report.machine, job)).collect(),
        island: island::json(report).unwrap_or_default(),
    };
    Ok(template::page(include_str!("report.html"), view))
}

/// The lines at the head of a [`page`] by which it is known again: what scenario it is of, and what jobs.
pub fn mark(title: &str, jobs: &[String]) -> String {
    #[derive(Serialize)]
    struct Mark<'a> {
        title: &'a str,
        names: String,
    }
    template::page(include_str!("mark.html"), Mark { title, names: jobs.join(", ") })
}

/// Every node that a verdict names is one of the machine.
pub(super) fn check(report: &PlanReport<'_>) -> Result<()> {
    for job in report.jobs {
        match job {
            JobVerdict::Load(job) => load::check(report.machine, job)?,
            JobVerdict::Groups(job) => groups::check(report.machine, job)?,
            JobVerdict::Race(job) => race::check(report.machine, job)?,
            JobVerdict::Mapping(_) => {}
        }
    }
    for outcome in report.jobs.iter().filter_map(divide).flat_map(|job| &job.results) {
        let hottest = outcome.busiest_link.iter().flat_map(|link| [link.from, link.to]);
        let blame = outcome.waited_link.iter().flat_map(|blame| [blame.from, blame.to]);
        let placed = outcome.detail.placement.nodes.iter().map(|node| node.0);
        wording::check_nodes(report.machine, hottest.chain(blame).chain(placed))?;
    }
    Ok(())
}

/// The verdict, if it is one on a phased job.
fn divide(job: &JobVerdict) -> Option<&MappingVerdict> {
    match job {
        JobVerdict::Mapping(job) => Some(job),
        JobVerdict::Load(_) | JobVerdict::Groups(_) | JobVerdict::Race(_) => None,
    }
}

fn job_view<'a>(machine: &Machine, job: &'a JobVerdict) -> Section<'a> {
    match job {
        JobVerdict::Mapping(job) => Section::Divide(divide_view(machine, job)),
        JobVerdict::Load(job) => Section::Load(load::view(machine, job)),
        JobVerdict::Groups(job) => Section::Groups(groups::view(machine, job)),
        JobVerdict::Race(job) => Section::Race(race::view(machine, job)),
    }
}

fn divide_view<'a>(machine: &Machine, job: &'a MappingVerdict) -> JobView<'a> {
    let (winners, others): (Vec<_>, Vec<_>) = job.results.iter().partition(|outcome| job.is_won_by(outcome));
    let method = |outcome| method_view(machine, job, outcome);
    JobView {
        kind: wording::kind(job),
        name: &job.name,
        tasks: counted(job.facts.tasks.tasks.into(), "task"),
        headline: {
            let cycles = job.winner().map(|winner| winner.time.0);
            let headline = wording::headline_of(&wording::best(job), cycles.unwrap_or_default());
            wording::timed(headline, cycles, machine)
        },
        reason: &job.reason,
        advice: job.advice.as_deref().unwrap_or_default(),
        rows: job.results.iter().map(|outcome| row(machine, job, outcome)).collect(),
        skipped: &job.skipped,
        bars: bars::draw(&job.results, &wording::best(job)),
        bars_note: bars::note(&job.results),
        methods: winners.into_iter().chain(others).map(method).collect(),
    }
}

fn row<'a>(machine: &Machine, job: &MappingVerdict, outcome: &'a MappingOutcome) -> PlacementRow<'a> {
    let hottest = outcome.busiest_link;
    PlacementRow {
        method: &outcome.method,
        wins: job.is_won_by(outcome),
        is_equal: job.is_equal_to_best(outcome),
        numbers: vec![
            grouped(outcome.bound_cycles),
            grouped(outcome.predicted_cycles),
            grouped(outcome.simulated()),
            percent(outcome.gap().unwrap_or_default()),
            outcome.detail.dependency_cycles.map_or_else(|| outcome.detail.no_dependency().into(), grouped),
            grouped(outcome.detail.hops_total),
        ],
        hottest: wording::link_or_none(machine, hottest),
        busy: hottest.map_or_else(|| NONE.to_string(), |link| grouped(link.busy_cycles)),
        hottest_messages: hottest.map_or_else(|| NONE.to_string(), |link| grouped(link.messages)),
    }
}

fn method_view<'a>(
    machine: &Machine,
    job: &'a MappingVerdict,
    outcome: &'a MappingOutcome,
) -> MethodView<'a> {
    let (phases, phases_note) = phase_table(&outcome.detail.phases);
    MethodView {
        name: &outcome.method,
        wins: job.is_won_by(outcome),
        summary: format!(
            "{}, gap {}",
            counted(outcome.simulated(), "cycle"),
            percent(outcome.gap().unwrap_or_default())
        ),
        blame: blame(machine, job, outcome),
        waited: outcome.waited_link.is_some(),
        figures: figures(machine, &job.facts.tasks, outcome),
        phases: phases.into_iter().map(phase_row).collect(),
        phases_note,
    }
}

fn blame(machine: &Machine, job: &MappingVerdict, outcome: &MappingOutcome) -> String {
    let mut text = outcome.busiest_link.map_or(String::new(), |busiest| {
        format!(
            "The busiest link is {}: {} in {}. ",
            wording::link(machine, NodeId(busiest.from), NodeId(busiest.to)),
            counted(busiest.busy_cycles, "cycle"),
            counted(busiest.messages, "message")
        )
    });
    if let Some(culprit) = job.facts.culprit.as_ref().filter(|_| job.is_won_by(outcome)) {
        for sentence in culprit
            .of_whom(machine)
            .into_iter()
            .chain(culprit.relief(&Times::in_cycles(machine), outcome.simulated()))
        {
            text += &format!("{sentence} ");
        }
    }
    text += &match outcome.waited_link {
        // Then prediction and simulation agree, and what lies above the bound is the length of the routes.
        None if outcome.gap().unwrap_or_default() > 0.0
            && outcome.predicted_cycles == outcome.simulated() =>
        {
            "No message ever waited for a link: what lies above the bound is the length of the routes."
                .to_string()
        }
        None => "No message ever waited for a link.".to_string(),
        Some(waited) => format!(
            "For no link did messages wait longer than {} in all, in phase {}.",
            counted(waited.waited_cycles, "cycle"),
            waited.phase
        ),
    };
    if let Some(routers) = &outcome.detail.routers {
        text += &on_routers(routers);
    }
    if machine.switching() == Switching::Wormhole && !outcome.detail.deadlock_free {
        text += " These routes can close a ring: with other timing its messages might deadlock.";
    }
    text
}

/// What a time was measured on.
fn on_routers(routers: &Routers) -> String {
    let channels = counted(routers.virtual_channels.into(), "virtual channel");
    if routers.whole_messages {
        return format!(
            " Whole messages passed others that stood on the same link, in date-line classes: {channels}, routing {}.",
            routers.routing
        );
    }
    format!(
        " Whole messages would wait for each other in a ring here: this was measured flit by flit on routers with {channels}, \
         routing {}, flits of {} bytes.",
        routers.routing,
        grouped(routers.flit)
    )
}

/// The rows to show, and a sentence when some are left out.
fn phase_table(phases: &[PhaseRow]) -> (Vec<&PhaseRow>, String) {
    let mut rows: Vec<_> = phases.iter().collect();
    if rows.len() <= PHASES_LISTED_MAX {
        return (rows, String::new());
    }
    // A stable sort: equally slow phases keep their order.
    rows.sort_by_key(|row| std::cmp::Reverse(row.simulated_cycles));
    rows.truncate(PHASES_SLOWEST);
    rows.sort_by_key(|row| row.phase);
    let note = format!("The {PHASES_SLOWEST} slowest of {} phases, in order.", grouped(phases.len() as u64));
    (rows, note)
}

fn phase_row(row: &PhaseRow) -> Vec<String> {
    let numbers = [
        row.phase.into(),
        row.messages,
        row.bytes,
        row.dilation.into(),
        row.contention.into(),
        row.link_load.into(),
        row.bound_cycles,
        row.link_cycles,
        row.predicted_cycles,
        row.path_cycles,
        row.simulated_cycles,
    ];
    let mut cells = numbers.map(grouped).to_vec();
    if row.repeats > 1 {
        cells[0] += &format!(" to {}", grouped(u64::from(row.phase) + u64::from(row.repeats) - 1));
    }
    cells
}
