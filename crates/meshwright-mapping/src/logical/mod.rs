//! Logical meshes: tasks in a box of named axes, with an operation along one axis after the other.
//!
//! | file | what |
//! |---|---|
//! | this one | [`LogicalMesh`], its task graph |
//! | [`operation`] | what runs along an axis: collectives as steps of a ring, shifts, halos |
//! | `lines` | phases along one axis |
//! | `detect` | the axes of graphs that name none |
//! | `factors` | how many places of each dimension of the machine each axis gets |
//! | `curve` | the order of an axis within its places: lines, folds, snakes, cycles, Hilbert walks |
//! | `price` | the predicted time of a phase, from one line of it |
//! | `ways` | the cheapest ways to share the dimensions |
//! | `holes` | lines that step over dead nodes and stay lines |
//! | [`family`] | all of them together, the best first: the placement `axes` |
//!
//! Tasks are numbered row after row, the last axis fastest, as JAX and PyTorch number the devices of a mesh.

mod curve;
mod detect;
mod factors;
pub mod family;
mod holes;
mod lines;
pub mod operation;
mod price;
mod ways;

pub use family::{AXES, Member, members};
pub use lines::{LineMessage, LinePhase, Step};
pub use operation::{OPERATIONS, Operation};

use super::TaskGraph;
use super::task_graph::Edge;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ENTRIES_MAX, did_you_mean};
use meshwright_core::units::Bytes;
use meshwright_network::topology::NODES_MAX;

/// How tasks are given by a logical mesh.
pub const PREFIX: &str = "logical:";

/// One axis of a logical mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicalAxis {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// How many members its lines have.
    pub size: u32,
}

/// A box of tasks with named axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicalMesh {
    /// The axes, the slowest first.
    pub axes: Vec<LogicalAxis>,
}

/// A logical mesh and what runs along its axes, phase by phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// The box.
    pub mesh: LogicalMesh,
    /// One line of each phase, all lines of its axis are alike; a phase along several axes stands once for each.
    pub phases: Vec<LinePhase>,
}

/// An operation along one axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisUse<'a> {
    /// The name of the axis.
    pub axis: &'a str,
    /// What runs along it.
    pub operation: &'static Operation,
    /// The buffer of the operation at each member, see [`operation`].
    pub bytes: Bytes,
}

impl LogicalMesh {
    /// Reads `data=16,model=8`, or `16x8`, whose axes are called 0 and 1.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when it is neither, a name stands twice, a size is 0, or there are more than 2^24 tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::logical::LogicalMesh;
    /// let mesh = LogicalMesh::parse("data=16,model=8")?;
    /// assert_eq!((mesh.tasks(), mesh.axes[1].name.as_str(), mesh.coordinates(19)), (128, "model", vec![2, 3]));
    /// assert_eq!(LogicalMesh::parse("16x8")?.axes[1].name, "1");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let fail = |why: &str| {
            let expected = "axes with sizes such as logical:data=16,model=8, or sizes such as logical:16x8";
            Error::value("tasks", format!("`{PREFIX}{text}`{why}"), expected)
        };
        let size = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
            text.parse::<u32>().ok().filter(|&size| digits && size > 0).ok_or_else(|| fail(""))
        };
        let mut axes: Vec<LogicalAxis> = Vec::new();
        if text.contains('=') {
            for part in text.split(',') {
                let (name, number) = part.split_once('=').ok_or_else(|| fail(""))?;
                let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                if name.is_empty() || !name.chars().all(letters) {
                    return Err(fail(": an axis is called by letters, digits, - and _"));
                }
                if axes.iter().any(|axis| axis.name == name) {
                    return Err(fail(&format!(" names the axis {name} twice")));
                }
                axes.push(LogicalAxis { name: name.to_string(), size: size(number)? });
            }
        } else {
            for (index, number) in text.split('x').enumerate() {
                axes.push(LogicalAxis { name: index.to_string(), size: size(number)? });
            }
        }
        let tasks = axes.iter().try_fold(1u64, |tasks, axis| tasks.checked_mul(axis.size.into()));
        if tasks.is_none_or(|tasks| tasks > u64::from(NODES_MAX)) {
            return Err(fail(&format!(" has more than {NODES_MAX} tasks")));
        }
        Ok(Self { axes })
    }

    /// How many tasks it has.
    pub fn tasks(&self) -> u32 {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// The sizes of its axes.
    pub fn sizes(&self) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.size).collect()
    }

    /// How far apart the numbers of neighbours along an axis are.
    pub fn stride(&self, axis: usize) -> u32 {
        self.axes[axis + 1..].iter().map(|axis| axis.size).product()
    }

    /// The place of a task along each axis.
    pub fn coordinates(&self, task: u32) -> Vec<u32> {
        (0..self.axes.len()).map(|axis| task / self.stride(axis) % self.axes[axis].size).collect()
    }

    /// The axis with this name.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] with the names there are.
    pub fn axis(&self, name: &str) -> Result<usize> {
        self.axes.iter().position(|axis| axis.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
            let expected = format!("one of {}{}", names.join(", "), did_you_mean(name, &names));
            Error::value("axis", format!("`{name}`"), expected)
        })
    }
}

/// The task graph of operations along the axes of a logical mesh, one after the other, each on all lines of its axis at once.
///
/// # Errors
///
/// [`Error::Value`] for an axis that is not there, or when nothing is sent at all; [`Error::TooLarge`] when there are too many
/// messages, or as for [`TaskGraph::with_repeats`].
///
/// # Complexity
///
/// O(messages); a step of a ring that repeats stands there once.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::logical::{self, AxisUse, LogicalMesh, operation};
/// let mesh = LogicalMesh::parse("data=4,model=2")?;
/// let all_reduce = AxisUse { axis: "data", operation: operation::named("all-reduce")?, bytes: Bytes(400) };
/// let graph = logical::task_graph(&mesh, &[all_reduce])?;
/// // 2 (4 - 1) steps, in each of which all 8 tasks send a quarter to the next of their column.
/// assert_eq!((graph.phases(), graph.repeats(0), graph.phase(0).len()), (1, 6, 8));
/// let first = graph.phase(0)[0];
/// assert_eq!((first.source, first.target, first.bytes), (0, 2, Bytes(100)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn task_graph(mesh: &LogicalMesh, uses: &[AxisUse<'_>]) -> Result<TaskGraph> {
    let mut phases: Vec<LinePhase> = Vec::new();
    for one in uses {
        let axis = mesh.axis(one.axis)?;
        let steps = (one.operation.steps)(mesh.axes[axis].size, one.bytes.0);
        phases.extend(steps.into_iter().map(|step| LinePhase { axis, step }));
    }
    if phases.is_empty() {
        let expected = "at least two members on an axis along which something runs";
        return Err(Error::value("axis", "one of a single member: nothing is sent", expected));
    }
    let tasks = mesh.tasks();
    let lines = |axis: usize| u64::from(tasks / mesh.axes[axis].size);
    let messages: u64 = phases.iter().map(|phase| lines(phase.axis) * phase.step.messages.len() as u64).sum();
    if messages > ENTRIES_MAX {
        return Err(Error::TooLarge {
            what: "the logical mesh",
            needed: format!("{messages} different messages"),
            limit: format!("{ENTRIES_MAX}"),
        });
    }
    let mut edges = Vec::with_capacity(messages as usize);
    for (number, phase) in (1..).zip(&phases) {
        phase.for_each(mesh, |source, target, bytes| {
            edges.push((number, Edge { source, target, bytes: Bytes(bytes) }));
        });
    }
    let sizes: Vec<String> = mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect();
    let times = phases.iter().map(|phase| phase.step.times).collect();
    let mut graph =
        TaskGraph::new(format!("{PREFIX}{}", sizes.join(",")), tasks, edges)?.with_repeats(times)?;
    graph.logical = Some(Logical { mesh: mesh.clone(), phases });
    Ok(graph)
}
