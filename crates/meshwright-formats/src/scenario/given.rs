//! Placements made before a job is judged: looked for by search, or read from the files of other programs.

use std::ops::ControlFlow;
use std::path::Path;

use super::job_keys;
use super::machine::node;
use super::places;
use super::value::{Table, Value};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::one_line;
use meshwright_core::units::NodeId;
use meshwright_core::{find_or, unknown};
use meshwright_mapping::exact::{self, ExactProgress};
use meshwright_mapping::search::{self, STARTS, SearchProblem, SearchProgress, Start};
use meshwright_mapping::{Placement, TaskGraph, map_file};
use meshwright_network::topology::Machine;
use meshwright_verdict::look;
use meshwright_verdict::mapping::{Job, Proved, Searched};

/// The most steps of a search when nobody says: some seconds for a thousand tasks.
pub const STEPS_DEFAULT: u64 = 1_000_000;

/// Messages that the steps of a search look at when nobody says: so many that 10^5 tasks and 10^6 messages over a few
/// links each take less than half a minute, with all placements it starts from.
const STEP_MESSAGES: u64 = 6 << 20;

/// The steps of a search of this job when nobody says: fewer where tasks have many messages.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::given::{STEPS_DEFAULT, steps_default};
/// use meshwright_mapping::{Divide, Shape, divide};
/// use meshwright_core::units::Bytes;
/// let job = Divide { shape: Shape::Binomial(4), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
/// assert_eq!(steps_default(&divide::task_graph(&job)?), STEPS_DEFAULT);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn steps_default(graph: &TaskGraph) -> u64 {
    let of_a_task = 2 * graph.edges().len() as u64 / u64::from(graph.tasks.max(1));
    (STEP_MESSAGES / of_a_task.max(1)).min(STEPS_DEFAULT)
}

/// The ending of a file that holds a placement.
pub const MAP_ENDING: &str = ".map";

/// How a search is to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Where it starts.
    pub start: Start,
    /// How many moves it tries, if not [`steps_default`].
    pub steps: Option<u64>,
    /// How many different placements it is to give, at most.
    pub answers: usize,
    /// Tasks that must be on these nodes.
    pub pins: Vec<(u32, NodeId)>,
    /// How many partial placements a proof looks at, if not as many as it needs up to [`exact::ALWAYS_TASKS`] tasks and
    /// [`exact::NODES_DEFAULT`] beyond.
    pub nodes: Option<u64>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { start: Start::default(), steps: None, answers: 1, pins: Vec::new(), nodes: None }
    }
}

/// Whether a name among those of placements is that of a file.
pub(super) fn is_file(name: &str) -> bool {
    name.ends_with(MAP_ENDING)
}

/// Reads the files among the names: their placements are given to the job under these names.
///
/// # Errors
///
/// As for [`map_file::read`].
pub fn read_maps(job: &mut Job, names: &[String], folder: &Path, machine: &Machine) -> Result<()> {
    for name in names.iter().filter(|name| is_file(name)) {
        let nodes = map_file::read(&folder.join(one_line("placement", name)?), job.tasks.tasks, machine)?;
        job.given.push(Placement { name: name.clone(), nodes });
    }
    Ok(())
}

/// Replaces `search` among the names by the names of the placements it finds, and gives these to the job.
///
/// # Errors
///
/// As for [`search::search`]; [`Error::Value`] when tasks are pinned and other placements than those of a search are
/// asked for: these know of no pins.
pub fn look(
    job: &mut Job,
    names: &mut Vec<String>,
    machine: &Machine,
    search: &SearchOptions,
    seed: u64,
    watch: &mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<()> {
    if !search.pins.is_empty()
        && let Some(name) = names.iter().find(|name| *name != search::NAME)
    {
        let given = format!("given beside the placement {name}, which knows of no pins");
        return Err(Error::value("pin", given, "the placement `search` alone"));
    }
    let Some(place) = names.iter().position(|name| name == search::NAME) else { return Ok(()) };
    let problem = SearchProblem {
        graph: &job.tasks,
        machine,
        pins: &search.pins,
        start: search.start,
        seed,
        steps: search.steps.unwrap_or_else(|| steps_default(&job.tasks)),
        answers: search.answers,
    };
    let outcome = look::search(&problem, watch)?;
    job.interrupted |= outcome.interrupted;
    job.searched = Some(Searched::new(&outcome, machine));
    let first = job.given.len();
    job.given.extend(outcome.answers.into_iter().map(|answer| answer.placement));
    names.splice(place..=place, job.given[first..].iter().map(|placement| placement.name.clone()));
    Ok(())
}

/// Makes the placement `exact`, if it is among the names, and gives it to the job.
///
/// # Errors
///
/// As for [`look::exact`].
pub fn prove(
    job: &mut Job,
    names: &[String],
    machine: &Machine,
    search: &SearchOptions,
    seed: u64,
    watch: &mut dyn FnMut(&ExactProgress) -> ControlFlow<()>,
) -> Result<()> {
    if !names.iter().any(|name| name == exact::NAME) {
        return Ok(());
    }
    let usual = if job.tasks.tasks <= exact::ALWAYS_TASKS { u64::MAX } else { exact::NODES_DEFAULT };
    let nodes = search.nodes.unwrap_or(usual);
    let outcome = look::exact(&job.tasks, machine, seed, nodes, watch)?;
    job.interrupted |= outcome.interrupted;
    job.proved = Some(Box::new(Proved::new(&outcome, machine)));
    job.given.push(outcome.placement);
    Ok(())
}

/// A pin as on the command line: `TASK=ROW,COLUMN`, or `TASK=ID` on a network without coordinates.
///
/// # Errors
///
/// [`Error::Value`] with what is expected.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::given::pin;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:4x8")?;
/// assert_eq!(pin("15=2,3", &mesh)?, (15, NodeId(19)));
/// assert!(pin("15=4,3", &mesh).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn pin(text: &str, machine: &Machine) -> Result<(u32, NodeId)> {
    let refuse = || {
        let first = machine.node_name(NodeId(0));
        let first = first.trim_matches(['(', ')']);
        let expected = format!("TASK={}, such as 0={first}", places::form(machine));
        Error::value("pin", format!("`{text}`"), expected)
    };
    let (task, place) = text.split_once('=').ok_or_else(refuse)?;
    let task = task.trim().parse().map_err(|_| refuse())?;
    Ok((task, places::node(place, machine).ok_or_else(refuse)?))
}

/// The start with this name.
///
/// # Errors
///
/// [`Error::Value`] with the names there are.
pub fn start(name: &str) -> Result<Start> {
    let error = |names: &[&str]| unknown("start", name, names.join(" or "), names);
    find_or(name, STARTS, |entry| entry.0, error).map(|entry| entry.1)
}

/// The `search` table of a `[[divide]]` job.
pub(super) fn table(job: &Table<'_>, machine: &Machine) -> Result<SearchOptions> {
    let mut search = SearchOptions::default();
    let Some(table) = job.table("search", "search")? else { return Ok(search) };
    table.check_keys(&job_keys::SEARCH.names())?;
    if let Some(value) = table.get("start") {
        search.start = start(value.string("best or random")?).map_err(|error| value.locate(error))?;
    }
    if let Some(value) = table.get("steps") {
        search.steps = Some(value.whole(0, u64::MAX)?);
        search.nodes = search.steps;
    }
    if let Some(value) = table.get("answers") {
        search.answers = value.whole(1, 1000)? as usize;
    }
    if let Some(value) = table.get("pins") {
        const EXPECTED: &str = "a list of pins such as [[0, [2, 3]]]: a task and its node";
        for pin in value.array(EXPECTED)? {
            let parts: Vec<Value<'_>> = pin.array(EXPECTED)?.collect();
            let [task, place] = parts.as_slice() else { return Err(pin.unexpected(EXPECTED)) };
            let task = task.whole(0, u64::from(u32::MAX))? as u32;
            search.pins.push((task, node(machine, "pins", place)?));
        }
    }
    Ok(search)
}
