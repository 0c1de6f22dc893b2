//! Diameter, radius and centre of a group.
//!
//! | file | what |
//! |---|---|
//! | `boxes` | meshes and tori on which everything works: exact, in time that grows with s or with the nodes |
//! | `searched` | everything else: breadth-first searches, as few as will do |

mod boxes;
mod searched;

use super::Group;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Machine};

pub use boxes::eccentricities;

/// Distances within a group, in links.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::extent::Extent;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x9")?;
/// let extent = Extent::of(&line, &Group::in_order([0, 1, 3, 8].map(NodeId).to_vec()))?;
/// assert_eq!((extent.diameter, extent.centre, extent.radius), (8, 2, 5));
/// assert!(extent.is_exact);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// D: two members are so far apart. None are farther, if [`Extent::is_exact`].
    pub diameter: u32,
    /// The rank of the member whose farthest member is nearest; of equal ones, on a mesh, the one nearest the mean of all
    /// coordinates; of equal ones the lowest node.
    pub centre: u32,
    /// How far the member farthest from the centre is.
    pub radius: u32,
    /// Every member has one that is so far away: the radius itself, if [`Extent::is_exact`].
    pub radius_bound: u32,
    /// Whether `diameter` and `centre` are what they say, and not the best that a limited number of searches found.
    pub is_exact: bool,
}

impl Extent {
    /// The extent of a group.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a group without members. [`Error::NotApplicable`] when a member cannot reach another.
    ///
    /// # Complexity
    ///
    /// On meshes O(s), times `2^(k-1)` in k dimensions or at most O(k nodes). On tori O(s^2), at most O(k nodes). With
    /// dead nodes or links, and on networks without a box, a search of O(nodes + links) for each of few members, at
    /// most for all; on large ones for no more than a dozen, and then the answer may not be exact.
    pub fn of(machine: &Machine, group: &Group) -> Result<Self> {
        if group.size() == 0 {
            return Err(Error::value("size of a group", 0, "at least one member"));
        }
        match machine.whole_grid() {
            Some(grid) => Ok(Self::of_box(grid, group)),
            None => searched::extent(machine, group),
        }
    }

    /// What no barrier of the group can beat, in links: D, since every member must hear of every other.
    pub fn barrier_bound_links(&self) -> u32 {
        self.diameter
    }

    /// What no barrier on a rooted tree can beat, in links: the farthest member is heard of at the root, and then hears
    /// from it.
    pub fn rooted_bound_links(&self) -> u32 {
        2 * self.radius_bound
    }

    fn of_box(grid: &Grid, group: &Group) -> Self {
        let eccentricity = eccentricities(grid, group);
        let radius = *eccentricity.iter().min().expect("a group has members");
        let mean = boxes::Mean::new(grid, group);
        let nearest = |&rank: &u32| (mean.distance(grid, group.node(rank)), group.node(rank));
        let central = (0..group.size()).filter(|&rank| eccentricity[rank as usize] == radius);
        Self {
            diameter: *eccentricity.iter().max().expect("a group has members"),
            centre: central.min_by_key(nearest).expect("one of them has the least"),
            radius,
            radius_bound: radius,
            is_exact: true,
        }
    }
}

/// The refusal of a group whose members are cut off from each other.
pub(super) fn cut_off(machine: &Machine, group: &Group, from: u32, to: u32) -> Error {
    let (a, b) = (machine.node_name(group.node(from)), machine.node_name(group.node(to)));
    Error::not_applicable("a group", format!("on {} no way leads from {a} to {b}", machine.name()))
}
