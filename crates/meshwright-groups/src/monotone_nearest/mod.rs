//! Monotone nearest: every way to the root is a shortest way, in as many edges as it has members to rest on.
//!
//! | file | what |
//! |---|---|
//! | `nearest` | who is nearest on a whole mesh or torus: three ways for few, many and scattered members |
//! | `searched` | who is nearest on everything else |

mod nearest;
mod searched;

use super::displacement::Displacements;
use super::extent::Extent;
use super::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_network::topology::Machine;

/// The tree in which the parent of v is, of all members on shortest ways from v to the root, the nearest to v.
///
/// The root is [`Extent::centre`]. Of equally near members the parent is the one whose steps to the root are the most
/// evenly spread over the axes, and of equal ones the lowest node. On a torus only those shortest ways count that go
/// the way of [`meshwright_network::topology::Grid::offset`]; on networks with dead nodes or links, and on those without a box, all.
///
/// The parent lies on a shortest way, so the links from the root to v are their distance: the height H is the radius of
/// the group, which no tree on a member can beat, and a barrier takes `2 H <= 2 D` steps when nobody is in the way, on
/// every network. Hops and fan-out have no bound but the number of members.
///
/// # Errors
///
/// As for [`Extent::of`].
///
/// # Complexity
///
/// Whole mesh or torus: the extent, O(s log s), and O(k nodes of the box round the group) or less. Else the extent and one
/// search.
///
/// # Examples
///
/// ```
/// use meshwright_groups::{Group, monotone_nearest};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:5x5")?;
/// let all = Group::whole(&mesh, "row")?;
/// let tree = monotone_nearest::tree(&mesh, &all)?;
/// assert_eq!((tree.root(), tree.height_links(&mesh, &all)), (12, 4));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree(machine: &Machine, group: &Group) -> Result<Tree> {
    rooted_at(machine, group, Extent::of(machine, group)?.centre)
}

/// The same with this member at the root: the height is how far the member farthest from it is.
///
/// # Errors
///
/// [`meshwright_core::Error::NotApplicable`] when a member cannot reach the root.
///
/// # Panics
///
/// When the rank is not below the size of the group.
///
/// # Complexity
///
/// As for [`tree`], without the extent.
pub fn rooted_at(machine: &Machine, group: &Group, root: u32) -> Result<Tree> {
    assert!(root < group.size(), "a rank is below the size of its group");
    let parent = match machine.whole_grid() {
        Some(grid) => nearest::parents(group, &Displacements::new(grid, group, root)),
        None => searched::parents(machine, group, root)?,
    };
    Ok(Tree::new(root, parent))
}
