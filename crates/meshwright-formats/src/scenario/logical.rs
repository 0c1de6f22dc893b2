//! Logical meshes by name: `logical:data=16,model=8`, and what runs along their axes: `data=all-reduce:512MB`.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_mapping::logical::{self, AxisUse, LogicalMesh, OPERATIONS, Operation, PREFIX, operation};

use super::quantity;

/// What runs along an axis, as it is written: `NAME=OPERATION:BYTES`.
#[derive(Clone, Debug)]
pub struct AxisOption {
    /// The name of the axis.
    pub axis: String,
    /// What runs along it.
    pub operation: &'static Operation,
    /// The buffer of one member, see [`operation`].
    pub bytes: Bytes,
}

/// Reads `NAME=OPERATION:BYTES`.
///
/// # Errors
///
/// [`Error::Value`] with what is expected, for an operation with the names there are.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::logical::axis;
/// let one = axis("data=all-reduce:512MB")?;
/// assert_eq!((one.axis.as_str(), one.operation.name, one.bytes.0), ("data", "all-reduce", 512_000_000));
/// assert!(axis("data=all-reduce").unwrap_err().to_string().contains("NAME=OPERATION:BYTES"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn axis(text: &str) -> Result<AxisOption> {
    let fail = || {
        let expected = "NAME=OPERATION:BYTES, such as data=all-reduce:512MB";
        Error::value("axis", format!("`{text}`"), expected)
    };
    let (axis, rest) = text.split_once('=').ok_or_else(fail)?;
    let (name, bytes) = rest.split_once(':').ok_or_else(fail)?;
    if axis.is_empty() || bytes.is_empty() {
        return Err(fail());
    }
    let operation = operation::named(name)?;
    Ok(AxisOption { axis: axis.to_string(), operation, bytes: quantity::bytes(bytes)? })
}

/// Whether these tasks are a logical mesh.
pub fn is_logical(specification: &str) -> bool {
    specification.starts_with(PREFIX)
}

/// The mesh, before what runs along its axes is known.
pub(super) fn mesh(specification: &str) -> Result<LogicalMesh> {
    LogicalMesh::parse(specification.strip_prefix(PREFIX).unwrap_or(specification))
}

/// The task graph of a logical mesh.
///
/// # Errors
///
/// [`Error::Value`] when nothing runs along any axis, or as for [`logical::task_graph`].
pub(super) fn task_graph(mesh: &LogicalMesh, axes: &[AxisOption]) -> Result<meshwright_mapping::TaskGraph> {
    if axes.is_empty() {
        let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
        let first = &mesh.axes[0].name;
        let expected = format!(
            "one for each phase, NAME=OPERATION:BYTES such as {first}=all-reduce:512MB, with an operation of {}",
            names.join(", ")
        );
        return Err(Error::value("axis", "not given for a logical mesh", expected));
    }
    let uses: Vec<AxisUse<'_>> = axes
        .iter()
        .map(|one| AxisUse { axis: &one.axis, operation: one.operation, bytes: one.bytes })
        .collect();
    logical::task_graph(mesh, &uses)
}

/// The error for an axis of tasks that have none.
pub(super) fn no_axes(specification: &str) -> Error {
    Error::value(
        "axis",
        format!("given for `{specification}`"),
        "it with a logical mesh, such as logical:data=16,model=8",
    )
}
