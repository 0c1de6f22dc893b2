//! Tasks by name: a tree of divide and conquer or a file; and the names of placements.

use std::path::Path;

use super::logical::{self, AxisOption};
use super::{given, misfit};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ending, nearest, one_line};
use meshwright_core::units::Bytes;
use meshwright_core::words::quoted;
use meshwright_core::{find_or, same_word, unknown};
use meshwright_mapping::binomial::N_MAX;
use meshwright_mapping::divide::{PRESETS, Preset};
use meshwright_mapping::{
    Divide, PLACEMENTS, Shape, complete_binary, considered, exact, family, search, task_file,
};
use meshwright_network::topology::{Machine, NODES_MAX};
use meshwright_schedule::{Schedule, goal};
use meshwright_verdict::auto::AUTO;
use meshwright_verdict::mapping::Job;

/// The share of the volume a child gets when nobody says: half.
pub const ALPHA_DEFAULT: f64 = 0.5;

/// The word for the table of placements.
pub const ALL: &str = "all";

/// The word for the Pareto front of the [`family`].
pub const FRONT: &str = "front";

/// The bytes at the root when nobody says.
pub const VOLUME_DEFAULT: Bytes = Bytes(65536);

/// What only a tree has; a file brings its own volumes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weights {
    /// The share of the volume a child gets; [`ALPHA_DEFAULT`] if not given.
    pub alpha: Option<f64>,
    /// The share on the way back up; no combining phases if not given.
    pub combine_alpha: Option<f64>,
    /// Bytes at the root; [`VOLUME_DEFAULT`] if not given.
    pub volume: Option<Bytes>,
    /// A well-known computation in place of the two shares.
    pub preset: Option<&'static Preset>,
}

impl Weights {
    /// The name of a weight that was given, if any was.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("preset", self.preset.is_some()),
            ("alpha", self.alpha.is_some()),
            ("combine_alpha", self.combine_alpha.is_some()),
            ("volume", self.volume.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// The shares of the two stages.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when a preset stands beside a share.
    pub(super) fn shares(&self) -> Result<(Option<f64>, Option<f64>)> {
        let Some(preset) = self.preset else {
            return Ok((Some(self.alpha.unwrap_or(ALPHA_DEFAULT)), self.combine_alpha));
        };
        if self.alpha.is_some() || self.combine_alpha.is_some() {
            let given = format!("`{}` beside alpha or combine_alpha", preset.name);
            return Err(Error::value("preset", given, "one or the other: a preset stands for both"));
        }
        Ok((preset.alpha, preset.combine_alpha))
    }
}

/// The preset with this name.
///
/// # Errors
///
/// [`Error::Value`] with the names there are.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::tasks::preset;
/// assert_eq!(preset("matrix-chain")?.combine_alpha, Some(1.0));
/// assert!(preset("matrix").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn preset(name: &str) -> Result<&'static Preset> {
    let error = |names: &[&str]| {
        let expected = format!("one of {}", quoted(names));
        if !is_collective(name) {
            return unknown("preset", name, expected, names);
        }
        let others = "collectives in pieces are not planned yet: \
                      `meshwright groups --on MACHINE --collective all-reduce` ranks structures for one packet";
        Error::value("preset", format!("`{name}`"), format!("{expected}; {others}"))
    };
    find_or(name, PRESETS, |preset| preset.name, error)
}

/// Whether this is an operation of all ranks that no tree of divide and conquer does: none of the presets is near it.
fn is_collective(name: &str) -> bool {
    const NAMES: [&str; 6] = ["allreduce", "allgather", "alltoall", "reducescatter", "gather", "scan"];
    let word: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    NAMES.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether these tasks are a tree of divide and conquer: `binomial:N`, `divide:N`, `divide:RxC` or `complete-binary:N`;
/// else they are a file.
pub fn is_tree(specification: &str) -> bool {
    ["binomial:", "divide:", COMPLETE].iter().any(|tree| specification.starts_with(tree))
}

/// What the name of a complete binary tree begins with.
const COMPLETE: &str = "complete-binary:";

/// The tree `complete-binary:N`, in which whoever divides keeps nothing.
fn complete(specification: &str, order: &str, weights: Weights, machine: &Machine) -> Result<Job> {
    let n = order.parse().ok().filter(|n| (1..=complete_binary::N_MAX).contains(n));
    let n = n.filter(|_| order.bytes().all(|c| c.is_ascii_digit())).ok_or_else(|| {
        let expected = format!("{COMPLETE}1 to {COMPLETE}{}", complete_binary::N_MAX);
        Error::value("tasks", format!("`{specification}`"), expected)
    })?;
    fits(specification, (1 << n) - 1, machine)?;
    let (alpha, combine_alpha) = weights.shares()?;
    let volume = weights.volume.unwrap_or(VOLUME_DEFAULT);
    Ok(Job::trace(complete_binary::task_graph(n, alpha, combine_alpha, volume)?))
}

/// The tree with this name: `binomial:N` has 2^N tasks, `divide:N` has N, `divide:RxC` one for each cell of a box.
///
/// Where all sides are powers of two both are one tree, which goes by the name `binomial:N`.
///
/// # Errors
///
/// [`Error::Value`] when N lies outside 0 to [`N_MAX`], or the box has no cell or more than 2^24.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::Shape;
/// use meshwright_formats::scenario::tasks::shape;
/// assert_eq!(shape("divide:5x7")?, Shape::Halving(vec![5, 7]));
/// assert_eq!(shape("divide:4x16")?, Shape::Binomial(6));
/// assert!(shape("divide:5x").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn shape(specification: &str) -> Result<Shape> {
    let given = || format!("`{specification}`");
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|c| c.is_ascii_digit()));
    if let Some(order) = specification.strip_prefix("binomial:") {
        let expected = || Error::value("tasks", given(), format!("binomial:0 to binomial:{N_MAX}"));
        return number(order).filter(|&n| n <= N_MAX).map(Shape::Binomial).ok_or_else(expected);
    }
    let sides = specification.strip_prefix("divide:").unwrap_or_default().split('x').map(number);
    let shape = sides.collect::<Option<Vec<u32>>>().map(Shape::Halving).filter(|shape| shape.check().is_ok());
    match shape {
        Some(Shape::Halving(sides)) if sides.iter().all(|side| side.is_power_of_two()) => {
            Ok(Shape::Binomial(sides.iter().map(|side| side.trailing_zeros()).sum()))
        }
        Some(shape) => Ok(shape),
        None => {
            let expected =
                format!("divide:N or sides joined by x, such as divide:5x7, with at most {NODES_MAX} tasks");
            Err(Error::value("tasks", given(), expected))
        }
    }
}

/// The tasks of a tree, of a logical mesh with what runs along its axes, or those of a file in `folder`, as a job for `machine`.
///
/// # Errors
///
/// [`Error::Value`] as for [`shape`] and [`logical::axis`], when there are more tasks than living nodes, or when
/// weights are given for a file; [`Error::Parse`] and [`Error::Io`] for a file.
pub fn read(
    specification: &str,
    folder: &Path,
    (weights, axes): (Weights, &[AxisOption]),
    machine: &Machine,
) -> Result<Job> {
    if logical::is_logical(specification) {
        if let Some(weight) = weights.given() {
            return Err(only_binomial(weight));
        }
        let mesh = logical::mesh(specification)?;
        fits(specification, mesh.tasks(), machine)?;
        return Ok(Job::trace(logical::task_graph(&mesh, axes)?));
    }
    if !axes.is_empty() {
        return Err(logical::no_axes(specification));
    }
    if !is_tree(specification) {
        if let Some(weight) = weights.given() {
            return Err(only_binomial(weight));
        }
        let path = folder.join(one_line("tasks", specification)?);
        check_family(specification, &path)?;
        let tasks = task_file::read(&path)?;
        misfit::check(&path, tasks.tasks, machine)?;
        return Ok(Job::trace(tasks));
    }
    if let Some(order) = specification.strip_prefix(COMPLETE) {
        return complete(specification, order, weights, machine);
    }
    let shape = shape(specification)?;
    // Checked before the tree is built: a large one takes its time.
    fits(specification, shape.tasks(), machine)?;
    let (alpha, combine_alpha) = weights.shares()?;
    let volume = weights.volume.unwrap_or(VOLUME_DEFAULT);
    let divide = Divide { shape, alpha, combine_alpha, volume };
    if weights.preset.is_some() { Job::data(&divide) } else { Job::divide(&divide) }
}

/// Refuses a name whose first word is nearly that of a tree or of a logical mesh, and that is no file by its ending.
fn check_family(specification: &str, path: &Path) -> Result<()> {
    const FAMILIES: [&str; 4] = ["binomial", "divide", "complete-binary", "logical"];
    let Some((name, rest)) = specification.split_once(':') else { return Ok(()) };
    match nearest(name, &FAMILIES).filter(|_| !task_file::endings().contains(&ending(path).as_str())) {
        None => Ok(()),
        Some(near) => {
            let expected = format!(
                "binomial:N, divide:N, complete-binary:N, logical:RxC or a file (did you mean `{near}:{rest}`?)"
            );
            Err(Error::value("tasks", format!("`{specification}`"), expected))
        }
    }
}

/// The job of a binomial or halving tree with this name, however many nodes there are.
///
/// # Errors
///
/// [`Error::Value`] as for [`shape`], for other tasks, and when a preset stands beside a share.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::tasks::{Weights, tree};
/// assert_eq!(tree("divide:900", Weights::default())?.alpha, Some(0.5));
/// assert!(tree("complete-binary:4", Weights::default()).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree(specification: &str, weights: Weights) -> Result<Divide> {
    if !is_tree(specification) || specification.starts_with(COMPLETE) {
        let expected = "binomial:N or divide:N, whose work is known, beside times of completion";
        return Err(Error::value("tasks", format!("`{specification}`"), expected));
    }
    let (alpha, combine_alpha) = weights.shares()?;
    let volume = weights.volume.unwrap_or(VOLUME_DEFAULT);
    let divide = Divide { shape: shape(specification)?, alpha, combine_alpha, volume };
    divide.check()?;
    Ok(divide)
}

/// A GOAL file as a schedule for `machine`.
///
/// # Errors
///
/// As [`goal::read`]; [`Error::Parse`] when it has more ranks than the machine has nodes, or work for a dead one.
pub fn schedule(path: &Path, machine: &Machine) -> Result<Schedule> {
    let schedule = goal::read(path)?;
    misfit::ranks(path, &schedule, machine)?;
    Ok(schedule)
}

/// The error for a weight that a file does not take.
pub(super) fn only_binomial(weight: &'static str) -> Error {
    Error::value(
        weight,
        "given for tasks that bring their own volumes",
        "tasks = \"binomial:N\" or \"divide:N\"",
    )
}

fn fits(specification: &str, tasks: u32, machine: &Machine) -> Result<()> {
    let living = machine.living_count();
    if tasks <= living {
        return Ok(());
    }
    let given = format!("`{specification}` with {tasks} tasks");
    Err(Error::value(
        "tasks",
        given,
        format!("at most {living}, one for each working node of {}", machine.name()),
    ))
}

/// The names of the placements in `words`, each once; `steps:...` names a member of the [`family`], and `all` and `front` stay
/// for [`expand`]; `auto`, `search`, `exact` and files that end in .map stay what they are.
///
/// # Errors
///
/// [`Error::Value`] for a name that is none of these.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::tasks::placements;
/// assert_eq!(placements(&["reflecting", "growing"])?, ["reflecting", "growing"]);
/// assert!(placements(&["reflektierend"]).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn placements(words: &[&str]) -> Result<Vec<String>> {
    let names: Vec<&'static str> = PLACEMENTS.iter().map(|method| method.name).collect();
    let mut chosen: Vec<String> = Vec::new();
    for &word in words {
        let word = names.iter().find(|name| same_word(name, word)).unwrap_or(&word);
        if word.starts_with(family::PREFIX) {
            family::check(word)?;
        } else if !names.contains(word)
            && ![AUTO, ALL, FRONT, search::NAME, exact::NAME].contains(word)
            && !given::is_file(word)
        {
            let others =
                "`auto`, `all`, `search`, `exact`, `front`, `steps:...`, a file that ends in .map or ";
            return Err(unknown("placement", word, format!("{others}one of {}", quoted(&names)), &names));
        }
        if !chosen.iter().any(|name| name == word) {
            chosen.push(word.to_string());
        }
    }
    Ok(chosen)
}

/// The methods with the word `front` replaced by the members of the Pareto front for this job on this machine, and `all`, which
/// comes first, by the table of placements, without `axes` where the job is no logical mesh.
///
/// # Errors
///
/// As for [`family::names`], if `front` is among them.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// use meshwright_verdict::Job;
/// use meshwright_formats::scenario::tasks::{expand, placements};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) })?;
/// let methods = expand(placements(&["hilbert", "front"])?, &job, &Machine::new("mesh:4x4")?)?;
/// assert_eq!(methods, ["hilbert", "steps:x1y1x1y1"], "every step is one hop: one member is best in all");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn expand(methods: Vec<String>, job: &Job, machine: &Machine) -> Result<Vec<String>> {
    let mut expanded: Vec<String> = Vec::new();
    let (all, others): (Vec<String>, Vec<String>) = methods.into_iter().partition(|method| method == ALL);
    for method in all.into_iter().chain(others) {
        let names = match method.as_str() {
            ALL => considered(&job.tasks).map(|method| method.name.to_string()).collect(),
            FRONT => family::names(&job.tasks, machine)?,
            _ => vec![method],
        };
        for name in names {
            if !expanded.contains(&name) {
                expanded.push(name);
            }
        }
    }
    Ok(expanded)
}
