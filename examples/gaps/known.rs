//! The best placement known.

use std::ops::ControlFlow;

use meshwright_core::Result;
use meshwright_core::units::NodeId;
use meshwright_mapping::search::{SearchProblem, Start};
use meshwright_mapping::{PLACEMENTS, Placement, Request, TaskGraph, place};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};
use meshwright_verdict::look;

use crate::boxes;
use crate::jobs::Shaped;

/// The best of all the program knows, of boxes laid axis by axis, and of a search of so many steps: its name and cycles.
pub(super) fn best(job: &Shaped, machine: &Machine, steps: u64) -> Result<(String, u64)> {
    let mut placements: Vec<Placement> = axis_by_axis(job, machine);
    placements.extend(boxes::all(job, machine));
    for method in PLACEMENTS {
        placements.extend(place(method.name, &Request::of(&job.graph, machine, 0)));
    }
    let (graph, pins, seed) = (&job.graph, &[][..], 1);
    let problem = SearchProblem { graph, machine, pins, start: Start::Best, seed, steps, answers: 1 };
    let found = look::search(&problem, &mut |_| ControlFlow::Continue(()))?;
    placements.extend(found.answers.into_iter().map(|answer| answer.placement));
    let mut best = (String::new(), u64::MAX);
    for placement in placements {
        let trace = fitting::simulate(machine, &placement.phases(graph, machine), FLIT_HOPS_MAX)?.trace;
        if trace.deadlock.is_none() && trace.cycles.0 < best.1 {
            best = (placement.name, trace.cycles.0);
        }
    }
    Ok(best)
}

/// The simulated time of a placement, in ticks; the most there is when it never comes to an end.
pub(super) fn ticks(graph: &TaskGraph, machine: &Machine, nodes: &[NodeId]) -> Result<u64> {
    let placement = Placement { name: String::new(), nodes: nodes.to_vec() };
    let trace = fitting::simulate(machine, &placement.phases(graph, machine), FLIT_HOPS_MAX)?.trace;
    Ok(if trace.deadlock.is_some() { u64::MAX } else { trace.ticks })
}

/// Axis by axis: as it is, or folded so that a ring goes over two links at most; on a hypercube by Gray's code. Either axis of
/// the job on either axis of the machine.
fn axis_by_axis(job: &Shaped, machine: &Machine) -> Vec<Placement> {
    let [rows, columns] = job.sides[..] else { return Vec::new() };
    let plain = |at: u32, _: u32| at;
    let folded = |at: u32, side: u32| if 2 * at < side { 2 * at } else { 2 * (side - at) - 1 };
    let gray = |at: u32, _: u32| at ^ at >> 1;
    let laid = |name: &str, turned: bool, of: [fn(u32, u32) -> u32; 2]| {
        let node = |task: u32| {
            let [row, column] = [of[0](task / columns, rows), of[1](task % columns, columns)];
            NodeId(if turned { column * rows + row } else { row * columns + column })
        };
        Placement { name: name.to_string(), nodes: (0..rows * columns).map(node).collect() }
    };
    let is_cube = machine.name().starts_with("hypercube");
    let mut all = Vec::new();
    for turned in [false, true] {
        let sides = if turned { [columns, rows] } else { [rows, columns] };
        if is_cube {
            all.push(laid("by Gray's code", turned, [gray, gray]));
        } else if machine.sides() == sides {
            all.push(laid("axes folded", turned, [folded, folded]));
            all.push(laid("axes", turned, [plain, plain]));
        }
    }
    all
}
