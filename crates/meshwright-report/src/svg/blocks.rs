//! The link loads of a machine too large to be drawn node by node: blocks of nodes, coloured by their worst link.

use super::grid_plan::{GridPlan, Level};
use super::heat::Loads;
use super::legend::{self, Strong};
use super::{Point, Svg, palette};
use crate::wording::counted;
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::LinkUse;

/// The busy time of the busiest link that leaves each block, by rows; `None` where there is no block.
fn worst(machine: &Machine, plan: &GridPlan, loads: Loads<'_>) -> Vec<Option<u64>> {
    let mut worst = vec![None; (plan.tiles.0 * plan.tiles.1) as usize];
    for node in (0..machine.nodes()).map(NodeId) {
        let load = |port| loads.busy(machine.link(node, Port(port)));
        let load = (0..machine.ports(node)).map(load).max().unwrap_or(0);
        let (row, column) = plan.place(node);
        let block = &mut worst[plan.index(row, column)];
        *block = (*block).max(Some(load));
    }
    worst
}

/// The drawing, and what one block is, in words.
pub fn draw(machine: &Machine, run: &str, loads: Loads<'_>, hottest: Option<LinkUse>) -> (String, String) {
    let plan = GridPlan::blocks(machine);
    let worst = worst(machine, &plan, loads);
    let greatest = worst.iter().copied().flatten().max().unwrap_or(0);
    let mut svg = Svg::new(format!("Busy time of the busiest link of each block, {run}"));
    plan.draw_levels(&mut svg, 1.0, |block| match worst[block] {
        None => Level::Absent,
        Some(0) => Level::Empty,
        Some(load) => Level::Step(palette::level(load, greatest)),
    });
    let end = plan.corner(plan.tiles.0, plan.tiles.1);
    let mut at = Point::new(10.0, end.y + 10.0);
    let most = format!("{} on the block's busiest link", counted(greatest, "cycle"));
    at.y += legend::bar(&mut svg, at, Strong::Last, ["0", &most]);
    if let Some(hottest) = hottest {
        legend::ring(&mut svg, plan.centre(NodeId(hottest.from)), 9.0);
        at.y += legend::hottest(&mut svg, machine, &hottest, loads.busy, at);
    }
    (svg.finish((end.x + 10.0).max(520.0), at.y + 8.0), plan.words())
}
