//! The diameter of a group: what no barrier can be faster than.

use super::FullBox;
use crate::error::{Error, Result};
use crate::groups::Group;
use crate::topology::{Grid, Machine, Topology, distances_from};

/// More axes than this, and pairs of members are compared instead of 2^(axes - 1) signed sums.
const AXES_MAX: usize = 8;

/// D: the links between the two members farthest from each other. Nobody may leave a barrier before word of the last
/// to come has reached it, so that a barrier takes at least D.
///
/// ```text
/// mesh:   D = max over signs e of (max of e.x - min of e.x)
/// box:    D = sum over the axes of the diameter of a line or ring
/// ```
///
/// # Errors
///
/// [`Error::NotApplicable`] when two members do not reach each other.
///
/// # Complexity
///
/// O(s 2^axes) on a whole mesh, O(s axes) for full boxes of a whole torus, O(s^2) for other groups of a torus,
/// O(s (nodes + links)) elsewhere.
///
/// # Examples
///
/// ```
/// use meshwright::groups::{Group, exchange::diameter_links};
/// use meshwright::{topology::Machine, units::NodeId};
/// let (mesh, torus) = (Machine::new("mesh:8x8")?, Machine::new("torus:8x8")?);
/// let corners = [0, 7, 63].map(NodeId);
/// assert_eq!(diameter_links(&mesh, &Group::of(&mesh, "row", &corners)?)?, 14);
/// assert_eq!(diameter_links(&torus, &Group::of(&torus, "row", &corners)?)?, 2);
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn diameter_links(machine: &Machine, group: &Group) -> Result<u32> {
    match machine.whole_grid() {
        Some(grid) if !grid.wraps() && grid.dimensions() <= AXES_MAX => Ok(by_signs(grid, group)),
        Some(grid) => Ok(of_box(machine, grid, group).unwrap_or_else(|| by_pairs(grid, group))),
        None => by_search(machine, group),
    }
}

/// On a mesh: the Manhattan distance is the greatest difference of a signed sum of coordinates.
fn by_signs(grid: &Grid, group: &Group) -> u32 {
    let signs = 1u32 << (grid.dimensions() - 1);
    let extent = |signs: u32| {
        let sum = |&node: &_| {
            let signed = |axis: usize| {
                let c = i64::from(grid.coordinate(node, axis));
                if signs >> axis & 1 == 1 { -c } else { c }
            };
            (0..grid.dimensions()).map(signed).sum::<i64>()
        };
        let sums = || group.members().iter().map(sum);
        sums().max().zip(sums().min()).map_or(0, |(high, low)| (high - low) as u32)
    };
    (0..signs).map(extent).max().unwrap_or(0)
}

/// Of a full box on a torus, axis by axis.
fn of_box(machine: &Machine, grid: &Grid, group: &Group) -> Option<u32> {
    let full_box = FullBox::of(machine, group).ok()?;
    let axis = |(axis, &side): (usize, &u32)| {
        let way = grid.sides()[axis];
        if grid.wraps() && way > 2 { (side - 1).min(way / 2) } else { side - 1 }
    };
    Some(full_box.sides().iter().enumerate().map(axis).sum())
}

fn by_pairs(grid: &Grid, group: &Group) -> u32 {
    let members = group.members();
    let farthest = |(at, &a): (usize, _)| {
        let distance = |&b: &_| grid.distance(a, b).expect("a whole box is connected").0;
        members[at + 1..].iter().map(distance).max().unwrap_or(0)
    };
    members.iter().enumerate().map(farthest).max().unwrap_or(0)
}

fn by_search(machine: &Machine, group: &Group) -> Result<u32> {
    let mut most = 0;
    for &a in group.members() {
        let distances = distances_from(machine, a);
        let farthest = group.members().iter().map(|node| distances[node.index()]).max().unwrap_or(0);
        if farthest == u32::MAX {
            let why = format!("not every member can be reached from node {a}");
            return Err(Error::not_applicable("a barrier", why));
        }
        most = most.max(farthest);
    }
    Ok(most)
}
