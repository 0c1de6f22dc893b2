//! Schedules to be run: GOAL text, or what `plan --out` wrote.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::machine::{self as machine_table, switching};
use super::object::{Object, machine as network, syntax, without_dead};
use super::of_text;
use super::source::ScenarioText as Text;
use crate::json::FORMAT;
use crate::task_files;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::ending;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_core::unknown;
use meshwright_core::words::{quoted, untaken};
use meshwright_mapping::Placement;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Topology};
use meshwright_runtime::run::RunInput;
use meshwright_schedule::goal;
use meshwright_verdict::explain::Work;

/// The largest denominator of the costs of a machine.
const DENOMINATOR_MAX: u64 = 1 << 16;

/// Reads what is to be run; a plan names schedules in its own folder only. Of a file whose name ends with `.json` the schedule of a job of the plan, which needs no name
/// if there is only one; else GOAL text, for which no machine is known.
///
/// # Errors
///
/// [`Error::Parse`] with the place of what is wrong, in this file or in the schedule it names; [`Error::Value`] for a job
/// that is not there, with the names of those that are; [`Error::NotApplicable`] for a job that has no schedule;
/// [`Error::Io`] when a file cannot be read.
pub fn read(path: &Path, job: Option<&str>) -> Result<RunInput> {
    if ending(path) == "json" {
        return of_plan(&Text::read(path)?, job);
    }
    if let Some(job) = job {
        return Err(Error::value("job", format!("`{job}`"), "no job: GOAL text holds one schedule"));
    }
    Ok(RunInput { name: path.display().to_string(), schedule: goal::read(path)?, machine: None })
}

/// A plan that is to be explained.
#[derive(Clone, Debug)]
pub struct PlanToExplain {
    /// The job's name.
    pub name: String,
    /// Whose plan it is.
    pub method: String,
    /// What it was planned for.
    pub machine: Machine,
    /// Its tasks on their nodes; the schedule alone where the plan does not tell them.
    pub work: Work<'static>,
}

/// Reads the plan of a job that is to be explained; it needs no name if there is only one.
///
/// # Errors
///
/// As for [`read`], and [`Error::Value`] when the file is no `plan.json`.
pub fn read_to_explain(path: &Path, job: Option<&str>) -> Result<PlanToExplain> {
    if ending(path) != "json" {
        let expected = "plan.json, as `meshwright plan --out DIR` and `meshwright map --out DIR` write it; a schedule is \
                        explained by `meshwright simulate SCHEDULE.goal --on MACHINE --explain`";
        return Err(Error::value("plan", path.display(), expected));
    }
    let text = Text::read(path)?;
    with_job(&text, job, |machine, job| {
        let (name, folder) = (name(job.entries), text.folder());
        let word = |key: &str| job.optional(key).and_then(Value::as_str).unwrap_or_default().to_string();
        let method = word("schedule_method");
        let work = match job.optional("tasks") {
            None => {
                const WHAT: &str = "explaining the job";
                Work::Schedule(Cow::Owned(goal::read(&schedule_file(&name, folder, job, WHAT)?)?))
            }
            Some(_) => {
                let tasks = beside(folder, &word("tasks"), "tasks", job)?;
                let mut tasks = task_files::read(&tasks)?;
                tasks.name.clone_from(&name);
                let nodes = nodes(job, job.require("placement")?, tasks.tasks, &machine)?;
                tasks.tasks = nodes.len() as u32;
                let runner_up = runner_up(job, tasks.tasks, &machine)?;
                let placement = Placement { name: method.clone(), nodes };
                Work::Placed { tasks: Cow::Owned(tasks), placement, runner_up }
            }
        };
        Ok(PlanToExplain { name, method, machine, work })
    })
}

/// The nodes of at least so many tasks: living ones, each once.
fn nodes(job: &Object<'_>, value: &Value, tasks: u32, machine: &Machine) -> Result<Vec<NodeId>> {
    let unfit = || job.unfit("placement", &format!("a living node for each of {tasks} tasks, no node twice"));
    let list = value.as_array().ok_or_else(unfit)?;
    let node = |value: &Value| {
        let node = NodeId(u32::try_from(value.as_u64()?).ok()?);
        (node.0 < machine.nodes() && machine.is_alive(node)).then_some(node)
    };
    let nodes: Vec<NodeId> = list.iter().map(node).collect::<Option<_>>().ok_or_else(unfit)?;
    let mut sorted = nodes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if nodes.len() < tasks as usize || sorted.len() < nodes.len() {
        return Err(unfit());
    }
    Ok(nodes)
}

/// The next best placement of a job, if its plan tells it.
fn runner_up(job: &Object<'_>, tasks: u32, machine: &Machine) -> Result<Option<Placement>> {
    let Some(other) = job.optional("runner_up").filter(|other| !other.is_null()) else { return Ok(None) };
    let unfit = || job.unfit("runner_up", "an object with `method` and `placement`");
    let name = other.get("method").and_then(Value::as_str).ok_or_else(unfit)?.to_string();
    let nodes = nodes(job, other.get("placement").ok_or_else(unfit)?, tasks, machine)?;
    if nodes.len() != tasks as usize {
        return Err(unfit());
    }
    Ok(Some(Placement { name, nodes }))
}

/// What a function makes of the machine and of a job of a plan.
fn with_job<T>(
    text: &Text,
    wanted: Option<&str>,
    of: impl FnOnce(Machine, &Object<'_>) -> Result<T>,
) -> Result<T> {
    let value: Value = serde_json::from_str(&text.text).map_err(|error| syntax(text, &error))?;
    let Value::Object(entries) = &value else {
        return Err(text.error(
            0..1,
            "the file is no object",
            "plan.json, as `meshwright plan --out` writes it",
        ));
    };
    let plan = Object { text, entries, from: 0 };
    if plan.optional("format").is_some_and(|format| *format != FORMAT) {
        return Err(plan.unfit("format", &format!("{FORMAT}, the format of the plans of this version")));
    }
    let machine = machine(&plan)?;
    let job = job(&plan, wanted)?;
    of(with_ports_of(&job, machine), &job)
}

/// The machine of a job: a load may have asked for other ports, and its plan says so wherever they are not all.
fn with_ports_of(job: &Object<'_>, machine: Machine) -> Machine {
    if job.optional("kind").and_then(Value::as_str) != Some("load") {
        return machine;
    }
    let ports = job.optional("variant").and_then(|variant| variant.get("ports")).and_then(Value::as_str);
    machine.with_port_model(if ports == Some("one") { PortModel::One } else { PortModel::All })
}

fn of_plan(text: &Text, wanted: Option<&str>) -> Result<RunInput> {
    with_job(text, wanted, |machine, job| {
        let name = name(job.entries);
        let schedule = goal::read(&schedule_file(&name, text.folder(), job, "running the plan")?)?;
        Ok(RunInput { name, schedule, machine: Some(machine) })
    })
}

/// The file with the schedule of a job, for what is to be done with it.
fn schedule_file(name: &str, folder: &Path, job: &Object<'_>, what: &'static str) -> Result<PathBuf> {
    let Some(file) = job.optional("schedule") else {
        return Err(Error::not_applicable(what, without_schedule(name, job.entries)));
    };
    let Some(file) = file.as_str() else {
        return Err(job.unfit("schedule", "the name of a GOAL file beside the plan"));
    };
    beside(folder, file, "schedule", job)
}

/// A file that a plan names. A plan may come from anywhere: what it names must lie in its own folder, links followed, or
/// the errors of reading it would show other files.
#[expect(clippy::disallowed_methods, reason = "where links lead decides what is refused")]
fn beside(folder: &Path, file: &str, key: &'static str, job: &Object<'_>) -> Result<PathBuf> {
    let kind = if key == "schedule" { "GOAL" } else { ".phases.csv" };
    let refuse = || job.unfit(key, &format!("the name of a {kind} file in the folder of the plan"));
    let is_below = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below || file.is_empty() {
        return Err(refuse());
    }
    let path = folder.join(file);
    let home = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = path.canonicalize().map_err(|source| Error::io(&path, source))?;
    let home = home.canonicalize().map_err(|source| Error::io(home, source))?;
    if real.starts_with(home) { Ok(path) } else { Err(refuse()) }
}

/// Why a job has no schedule.
fn without_schedule(name: &str, entries: &Map<String, Value>) -> String {
    match entries.get("kind").and_then(Value::as_str) {
        Some("groups") => {
            format!(
                "what `{name}` sends is decided at run time; `meshwright groups` simulates it, `meshwright-mpi groups` runs it"
            )
        }
        _ => format!(
            "`{name}` names no schedule; `meshwright plan --out DIR` writes plans that do where there is one"
        ),
    }
}

fn name(job: &Map<String, Value>) -> String {
    job.get("name").and_then(Value::as_str).unwrap_or_default().to_string()
}

/// The names of the jobs; the second of a name is `NAME-2`, as its files are.
fn names(jobs: &[&Map<String, Value>]) -> Vec<String> {
    let mut names = Vec::with_capacity(jobs.len());
    for job in jobs {
        names.push(untaken(&name(job), &names));
    }
    names
}

/// The job of this name, or the only one.
fn job<'a>(plan: &Object<'a>, wanted: Option<&str>) -> Result<Object<'a>> {
    const EXPECTED: &str = "a list of jobs with names";
    let Value::Array(jobs) = plan.require("jobs")? else { return Err(plan.unfit("jobs", EXPECTED)) };
    let jobs: Option<Vec<&Map<String, Value>>> = jobs.iter().map(Value::as_object).collect();
    let jobs = jobs.ok_or_else(|| plan.unfit("jobs", EXPECTED))?;
    let known = names(&jobs);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let names = quoted(&known);
    let found = match (wanted, jobs.as_slice()) {
        (_, []) => return Err(plan.unfit("jobs", "a list of at least one job")),
        (Some(wanted), _) => known.iter().position(|name| *name == wanted),
        (None, [_]) => Some(0),
        (None, _) => {
            return Err(Error::value("job", "missing", format!("--job with one of {names}")));
        }
    };
    let Some(found) = found else {
        return Err(unknown("job", wanted.unwrap_or_default(), format!("one of {names}"), &known));
    };
    let named = format!("\"{}\"", name(jobs[found]));
    let jobs_at = plan.span("jobs").end;
    let from = plan.text.text[jobs_at..].find(&named).map_or(jobs_at, |at| jobs_at + at);
    Ok(Object { text: plan.text, entries: jobs[found], from })
}

/// The machine of the plan.
fn machine(plan: &Object<'_>) -> Result<Machine> {
    let Value::Object(entries) = plan.require("machine")? else {
        return Err(plan.unfit("machine", "an object with `topology` and costs"));
    };
    let object = Object { text: plan.text, entries, from: plan.span("machine").end };
    let mut machine = match object.optional("described").map(Value::as_str) {
        None => network(&object, "topology")?,
        Some(None) => return Err(object.unfit("described", "the text of a machine file")),
        Some(Some(text)) => {
            // Files that it names are looked for where the program runs, as without a description.
            let path = Path::new(plan.text.path.file_name().unwrap_or_default());
            let source = Text::from_bytes(path, text.as_bytes().to_vec())?;
            let name = object.require("topology")?.as_str().unwrap_or_default();
            let machine = of_text(&source, machine_table::read)?.with_name(name);
            if machine.fabric().is_some() {
                // Nothing else says anything of it.
                return Ok(machine);
            }
            without_dead(&object, machine)?
        }
    };
    let name = object.require("switching")?.as_str().unwrap_or_default();
    machine = machine.with_switching(switching(name).map_err(|error| object.locate("switching", error))?);
    let whole = |key: &'static str| {
        object.require(key)?.as_u64().ok_or_else(|| object.unfit(key, "a whole number of at least 0"))
    };
    let (startup, flit) = (Cycles(whole("startup")?), Bytes(whole("flit")?));
    let byte_time = ratio(object.number("byte_time")?).ok_or_else(|| {
        object
            .unfit("byte_time", &format!("cycles per byte as p/q with p and q of at most {DENOMINATOR_MAX}"))
    })?;
    let costs = Costs { startup, byte_time, flit };
    machine = machine.with_costs(costs).map_err(|error| object.locate("startup", error))?;
    machine = machine.with_port_model(match object.require("ports")?.as_str() {
        Some("all") => PortModel::All,
        Some("one") => PortModel::One,
        _ => return Err(object.unfit("ports", "`all` or `one`")),
    });
    let ends = |key: &'static str| object.optional(key).map_or(Ok(0), |_| whole(key)).map(Cycles);
    let endpoints = Endpoints { overhead: ends("overhead")?, gap: ends("gap")? };
    machine = machine.with_endpoints(endpoints).map_err(|error| object.locate("overhead", error))?;
    let few =
        |key: &'static str, otherwise| object.optional(key).map_or(Ok(otherwise), |_| whole(key).map(small));
    let (buffers, channels) =
        (few("buffers", machine.buffers())?, few("virtual_channels", machine.virtual_channels())?);
    Ok(machine.with_buffers(buffers).with_virtual_channels(channels))
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The ratio of the least denominator that is this number to the bit.
fn ratio(number: f64) -> Option<Ratio> {
    let of = |denominator: u64| {
        let numerator = (number * denominator as f64).round();
        let ratio = Ratio::new(numerator as u64, denominator).ok()?;
        (numerator <= DENOMINATOR_MAX as f64 && ratio.to_f64() == number).then_some(ratio)
    };
    (1..=DENOMINATOR_MAX).find_map(of)
}

#[cfg(test)]
mod tests {
    use super::ratio;
    use meshwright_core::units::Ratio;

    #[test]
    fn ratios_come_back_from_decimals() {
        for (p, q) in
            [(0, 1), (1, 1), (1, 30), (7, 3), (1, 65_536), (65_536, 1), (65_535, 65_536), (125, 117)]
        {
            let given = Ratio::new(p, q).unwrap();
            assert_eq!(ratio(given.to_f64()), Some(given));
        }
        assert_eq!([1e-9, 65_537.0, f64::NAN, std::f64::consts::PI].map(ratio), [None; 4]);
    }
}
