//! Formats that list nodes in the order of a logical mesh: device orders.
//!
//! A job that is no logical mesh counts as one with a single axis of all its tasks.
//!
//! # Source
//!
//! `jax2025`, `pytorch2025`, `tenstorrent2025`: how a mesh of devices is given to these libraries.

use super::{Format, Launch, any_machine, any_tasks};
use meshwright_mapping::logical::{Logical, LogicalAxis, LogicalMesh};

/// A nested list of devices, as Python reads it, in the order of the logical mesh.
pub(super) const JAX: Format = Format {
    name: "jax",
    summary: "JAX: a device order for jax.sharding.Mesh, as Python",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let mesh = mesh(launch);
        let names = names(&mesh);
        format!(
            "# {}: order[{}] is the node of that place; node n is devices[n], the last coordinate of the machine fastest.\n\
             # mesh = jax.sharding.Mesh(np.array(devices)[np.array(order)], ({names},))\n\
             order = {}\n",
            title(launch),
            places(&mesh),
            nested(launch, &mesh)
        )
    },
};

/// A nested list of ranks, as Python reads it, in the order of the logical mesh; rank n runs on node n.
pub(super) const TORCH: Format = Format {
    name: "torch",
    summary: "PyTorch: a rank order for torch.distributed DeviceMesh, as Python",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let mesh = mesh(launch);
        let names = names(&mesh);
        format!(
            "# {}: ranks[{}] is the rank at that place; rank n runs on node n, the last coordinate of the machine fastest.\n\
             # mesh = torch.distributed.device_mesh.DeviceMesh(\"cuda\", torch.tensor(ranks), mesh_dim_names=({names},))\n\
             ranks = {}\n",
            title(launch),
            places(&mesh),
            nested(launch, &mesh)
        )
    },
};

/// One JSON object: the axes, and the node of each place, nested and in a list with coordinates.
pub(super) const JSON: Format = Format {
    name: "json",
    summary: "plain JSON: logical coordinates, node, coordinates of the node",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let mesh = mesh(launch);
        let axis = |axis: &LogicalAxis| format!("{{\"name\": \"{}\", \"size\": {}}}", axis.name, axis.size);
        let axes: Vec<String> = mesh.axes.iter().map(axis).collect();
        let nodes = launch.placement.nodes.iter().enumerate();
        let one = |(task, node): (usize, &meshwright_core::units::NodeId)| {
            let (logical, at) = (mesh.coordinates(task as u32), launch.machine.coordinates(*node));
            format!("    {{\"logical\": {logical:?}, \"node\": {node}, \"at\": {at:?}}}")
        };
        let devices: Vec<String> = nodes.map(one).collect();
        format!(
            "{{\n  \"format\": 1,\n  \"axes\": [{}],\n  \"order\": {},\n  \"devices\": [\n{}\n  ]\n}}\n",
            axes.join(", "),
            nested(launch, &mesh),
            devices.join(",\n")
        )
    },
};

/// So many chips stand on a tray of a Tenstorrent Galaxy.
const CHIPS_OF_A_TRAY: u32 = 8;

/// A mesh graph descriptor: the logical mesh, and where each of its chips is pinned.
pub(super) const TT_MESH: Format = Format {
    name: "tt-mesh",
    summary: "Tenstorrent: a mesh graph descriptor with pinnings, TT_MESH_GRAPH_DESC_PATH=FILE",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let sizes: Vec<String> = mesh(launch).sizes().iter().map(u32::to_string).collect();
        let ones = vec!["1"; sizes.len()].join(", ");
        let kinds = vec!["LINE"; sizes.len()].join(", ");
        let mut text = format!(
            "# {}. Node n is chip n % {CHIPS_OF_A_TRAY} of tray n / {CHIPS_OF_A_TRAY}, both counted from 1: change it where a cluster is cabled in\n\
             # another way, as arch, dim_types and channels are to be those of the cluster.\n\
             mesh_descriptors {{\n  name: \"M0\"\n  arch: WORMHOLE_B0\n  device_topology {{ dims: [ {} ] dim_types: [ {kinds} ] }}\n  \
             host_topology {{ dims: [ {ones} ] }}\n  channels {{ count: 4 policy: RELAXED }}\n}}\n",
            title(launch),
            sizes.join(", ")
        );
        for (chip, node) in launch.placement.nodes.iter().enumerate() {
            let (tray, place) = (1 + node.0 / CHIPS_OF_A_TRAY, 1 + node.0 % CHIPS_OF_A_TRAY);
            text += &format!(
                "pinnings {{\n  logical_fabric_node_id {{ mesh_id: 0 chip_id: {chip} }}\n  \
                 physical_asic_position {{ tray_id: {tray} asic_location: {place} }}\n}}\n"
            );
        }
        text + "top_level_instance { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }\n"
    },
};

/// The logical mesh of a job, named or found, or a single axis.
fn mesh(launch: &Launch<'_>) -> LogicalMesh {
    let single = || LogicalMesh { axes: vec![LogicalAxis { name: "task".into(), size: launch.tasks.tasks }] };
    Logical::of(launch.tasks).map_or_else(single, |logical| logical.mesh.clone())
}

/// What is placed where; the names of files have no place in a comment of one line.
fn title(launch: &Launch<'_>) -> String {
    let clean = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    format!("{} on {}", clean(&launch.tasks.name), clean(launch.machine.name()))
}

/// The names of the axes, as Python writes them.
fn names(mesh: &LogicalMesh) -> String {
    let names: Vec<String> = mesh.axes.iter().map(|axis| format!("\"{}\"", axis.name)).collect();
    names.join(", ")
}

/// `data][model`: how a place is written.
fn places(mesh: &LogicalMesh) -> String {
    mesh.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join("][")
}

/// The nodes in nested lists, those of the last axis on one line.
fn nested(launch: &Launch<'_>, mesh: &LogicalMesh) -> String {
    let mut text = String::new();
    let sizes = mesh.sizes();
    let depth = sizes.len();
    for (task, node) in (0u32..).zip(&launch.placement.nodes) {
        // How many lists begin here, and how many end.
        let begin = (0..depth).filter(|&axis| task.is_multiple_of(sizes[axis..].iter().product())).count();
        let end =
            (0..depth).filter(|&axis| (task + 1).is_multiple_of(sizes[axis..].iter().product())).count();
        if begin > 0 && task > 0 {
            text += &format!(",\n{}", " ".repeat(depth - begin));
        } else if task > 0 {
            text += ", ";
        }
        text += &"[".repeat(begin);
        text += &node.to_string();
        text += &"]".repeat(end);
    }
    text
}
