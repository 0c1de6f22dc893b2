//! Groups that are boxes: every node of an interval on each axis.

use crate::Group;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// A group whose members are all nodes of a box in a mesh or torus, in any order of ranks.
///
/// On a torus the box may lie across the border, and an axis may be a whole ring. Cells of the box are numbered
/// like nodes, the last axis fastest.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::exchange::FullBox;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let torus = Machine::new("torus:3x4")?;
/// let group = Group::of(&torus, "row", &[0, 1, 3, 8, 9, 11].map(NodeId))?;
/// let full_box = FullBox::of(&torus, &group)?;
/// assert_eq!(full_box.sides(), [2, 3], "rows 2 and 0, columns 3, 0 and 1");
/// assert_eq!(full_box.coordinates(0), [1, 1], "node 0 in the box that begins at node 11");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullBox {
    sides: Vec<u32>,
    is_ring: Vec<bool>,
    /// By cell.
    rank: Vec<u32>,
    /// By rank.
    cell: Vec<u32>,
}

impl FullBox {
    /// The box that a group fills.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a group without members; [`Error::NotApplicable`] when the network is no mesh or torus, the
    /// members do not fill a box, or a wire between two of them is dead.
    ///
    /// # Complexity
    ///
    /// O(s axes + sum of the machine's sides).
    pub fn of(machine: &Machine, group: &Group) -> Result<Self> {
        if group.size() == 0 {
            return Err(Error::value("size of a group", 0, "at least one member"));
        }
        let Network::Grid(grid) = machine.network() else {
            return Err(refusal(format!("{} is no mesh or torus", machine.name())));
        };
        let (mut sides, mut first, mut is_ring) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..grid.dimensions() {
            let (start, length) = interval(grid, group, axis)?;
            first.push(start);
            sides.push(length);
            is_ring.push(grid.wraps() && length == grid.sides()[axis] && length > 2);
        }
        let volume: u64 = sides.iter().map(|&side| u64::from(side)).product();
        if volume != u64::from(group.size()) {
            let why =
                format!("its {} members lie in a box of {volume} nodes and do not fill it", group.size());
            return Err(refusal(why));
        }
        let mut full_box = Self { sides, is_ring, rank: vec![0; volume as usize], cell: Vec::new() };
        for (rank, &node) in (0..).zip(group.members()) {
            let mut cell = 0;
            for (axis, (&side, &first)) in grid.sides().iter().zip(&first).enumerate() {
                let inside = (grid.coordinate(node, axis) + side - first) % side;
                cell = cell * full_box.sides[axis] + inside;
            }
            full_box.rank[cell as usize] = rank;
            full_box.cell.push(cell);
        }
        full_box.check_wires(machine, group)?;
        Ok(full_box)
    }

    /// Refuses boxes inside of which two neighbours do not reach each other directly.
    fn check_wires(&self, machine: &Machine, group: &Group) -> Result<()> {
        if machine.dead_links().is_empty() {
            return Ok(());
        }
        for rank in 0..group.size() {
            for axis in 0..self.sides.len() {
                let Some(next) = self.neighbour(rank, axis, true) else { continue };
                let (a, b) = (group.node(rank), group.node(next));
                let (low, high) = (a.min(b), a.max(b));
                if machine.dead_links().binary_search(&(low, high)).is_ok() {
                    return Err(refusal(format!("the wire between its nodes {low} and {high} is dead")));
                }
            }
        }
        Ok(())
    }

    /// How many members there are.
    pub fn size(&self) -> u32 {
        self.rank.len() as u32
    }

    /// The sides of the box.
    pub fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// Whether an axis of the box is a ring of the machine.
    pub fn is_ring(&self, axis: usize) -> bool {
        self.is_ring[axis]
    }

    /// Whether the ranks are the numbers of the cells.
    pub fn is_in_row_order(&self) -> bool {
        self.cell.iter().zip(0..).all(|(&cell, rank)| cell == rank)
    }

    /// The rank of the member in a cell.
    pub fn rank_at(&self, cell: u32) -> u32 {
        self.rank[cell as usize]
    }

    /// The place of a rank on one axis of the box.
    pub fn coordinate(&self, rank: u32, axis: usize) -> u32 {
        self.cell[rank as usize] / self.stride(axis) % self.sides[axis]
    }

    /// The place of a rank in the box.
    pub fn coordinates(&self, rank: u32) -> Vec<u32> {
        (0..self.sides.len()).map(|axis| self.coordinate(rank, axis)).collect()
    }

    /// The rank one step along an axis; none at the end of a line.
    pub fn neighbour(&self, rank: u32, axis: usize, up: bool) -> Option<u32> {
        let (side, stride) = (self.sides[axis], self.stride(axis));
        let (cell, at) = (self.cell[rank as usize], self.coordinate(rank, axis));
        let around = self.is_ring[axis];
        let next = match up {
            true if at + 1 < side => cell + stride,
            true if around => cell - at * stride,
            false if at > 0 => cell - stride,
            false if around => cell + (side - 1) * stride,
            _ => return None,
        };
        Some(self.rank[next as usize])
    }

    /// Cells from one place on an axis to the next.
    fn stride(&self, axis: usize) -> u32 {
        self.sides[axis + 1..].iter().product()
    }
}

fn refusal(why: String) -> Error {
    Error::not_applicable("a structure for full boxes", why)
}

/// The first coordinate and the length of the interval that the members cover on an axis; on a torus across the
/// border, if they do.
fn interval(grid: &Grid, group: &Group, axis: usize) -> Result<(u32, u32)> {
    let side = grid.sides()[axis];
    let mut is_covered = vec![false; side as usize];
    for &NodeId(node) in group.members() {
        is_covered[grid.coordinate(NodeId(node), axis) as usize] = true;
    }
    let length = is_covered.iter().filter(|&&covered| covered).count() as u32;
    if length == side {
        return Ok((0, side));
    }
    let at = |c: u32| is_covered[(c % side) as usize];
    let begins = |c: u32| at(c) && !at(c + side - 1);
    let mut starts = (0..side).filter(|&c| begins(c));
    let start = starts.next().expect("a part of a ring begins somewhere");
    let is_straight = grid.wraps() && side > 2 || start + length <= side;
    if starts.next().is_some() || !is_straight {
        return Err(refusal("its members do not lie side by side".into()));
    }
    Ok((start, length))
}
