//! Trees made of lines: over all members in an order, or over a box axis by axis.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

use crate::Task;
use crate::shape::Tree;

/// By place on a line, the places it hands on to, in this order.
pub type Children = Vec<Vec<u32>>;

/// A tree over a line of so many places from the place of the root.
pub type Line<'a> = &'a dyn Fn(u32, u32) -> Children;

impl Tree {
    /// The tree in which every member hands on to its children as soon as it has it: their step is their depth less one.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::shape::Tree;
    /// let tree = Tree::hung(1, &[vec![], vec![2, 0], vec![3], vec![]]);
    /// assert_eq!(tree.edges, [(0, 1, 2), (0, 1, 0), (1, 2, 3)]);
    /// ```
    pub fn hung(root: u32, children: &[Vec<u32>]) -> Self {
        let mut tree = Self { edges: Vec::with_capacity(children.len()) };
        let mut front = vec![root];
        let mut step = 0;
        while !front.is_empty() {
            let of = |&from: &u32| children[from as usize].iter().map(move |&to| (step, from, to));
            let new: Vec<(u32, u32, u32)> = front.iter().flat_map(of).collect();
            front = new.iter().map(|&(.., to)| to).collect();
            tree.edges.extend(new);
            step += 1;
        }
        tree
    }

    /// The tree in which every member but the root has this parent.
    pub fn of_parents(root: u32, members: u32, parent: impl Fn(u32) -> u32) -> Self {
        let mut children = vec![Vec::new(); members as usize];
        for member in (0..members).filter(|&member| member != root) {
            children[parent(member) as usize].push(member);
        }
        Self::hung(root, &children)
    }

    /// A tree over the members of a task as if they stood in a line: in the order of `order`, or of their numbers from the root on
    /// and round.
    pub fn in_order(task: &Task<'_>, order: Option<&[u32]>, line: Line<'_>) -> Self {
        let members = task.members();
        let Some(order) = order else {
            let name = |place: u32| (task.root + place) % members;
            return Self::named(&line(members, 0), 0, name);
        };
        let at = order.iter().position(|&member| member == task.root).expect("the root is a member");
        Self::named(&line(members, at as u32), at as u32, |place| order[place as usize])
    }

    /// A tree over places, with the names of the members there.
    fn named(children: &Children, at: u32, name: impl Fn(u32) -> u32) -> Self {
        let mut tree = Self::hung(at, children);
        tree.edges.iter_mut().for_each(|(_, from, to)| (*from, *to) = (name(*from), name(*to)));
        tree
    }

    /// A tree over a box: along the line of the root on the first axis, from each member of it along the next axis, and so on;
    /// `first` is the first axis, the others follow in turn.
    ///
    /// On an axis that wraps the line is cut opposite to the root.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the members are no box.
    ///
    /// # Complexity
    ///
    /// O(members D) and that of a line for each axis.
    pub fn by_axes(task: &Task<'_>, first: usize, line: Line<'_>) -> Result<Self> {
        let grid = task.grid("a tree along the axes")?;
        let turn = |k: usize| (first + k) % grid.dimensions();
        let axes: Vec<(usize, Children)> =
            (0..grid.dimensions()).map(|k| (turn(k), on_axis(grid, turn(k), task.root, line))).collect();
        let mut tree = Self { edges: Vec::with_capacity(task.members() as usize) };
        let mut front = vec![(task.root, 0)];
        let mut step = 0;
        while !front.is_empty() {
            let mut next = Vec::new();
            for (from, level) in front {
                for (k, (axis, children)) in axes.iter().enumerate().skip(level) {
                    let at = grid.coordinate(NodeId(from), *axis);
                    for &there in &children[at as usize] {
                        let to = from + there * grid.stride(*axis) - at * grid.stride(*axis);
                        tree.edges.push((step, from, to));
                        next.push((to, k));
                    }
                }
            }
            front = next;
            step += 1;
        }
        Ok(tree)
    }
}

/// By coordinate on an axis, the coordinates it hands on to.
fn on_axis(grid: &Grid, axis: usize, root: u32, line: Line<'_>) -> Children {
    let side = grid.sides()[axis];
    let at = grid.coordinate(NodeId(root), axis);
    if !grid.wraps() || side <= 2 {
        return line(side, at);
    }
    let middle = (side - 1) / 2;
    let name = |place: u32| (at + side + place - middle) % side;
    let mut children = vec![Vec::new(); side as usize];
    for (place, those) in (0..).zip(line(side, middle)) {
        children[name(place) as usize] = those.into_iter().map(name).collect();
    }
    children
}

/// A tree over a line whose root is no end: both sides as if the root were an end, the longer first.
pub fn both_ways(places: u32, at: u32, one: impl Fn(u32) -> Children) -> Children {
    let mut children = vec![Vec::new(); places as usize];
    let (up, down) = (places - at, at + 1);
    let sides = if up >= down { [(up, true), (down, false)] } else { [(down, false), (up, true)] };
    for (length, is_up) in sides {
        let name = |place: u32| if is_up { at + place } else { at - place };
        for (place, those) in (0..).zip(one(length)) {
            children[name(place) as usize].extend(those.into_iter().map(name));
        }
    }
    children
}

/// The members of a box as a snake: each line the other way round than the one before.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the members are no box.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, tree_line::snake};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:2x3")?;
/// assert_eq!(snake(&Task::new(&mesh, Operation::Broadcast, 1, 0)?)?, [0, 1, 2, 5, 4, 3]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn snake(task: &Task<'_>) -> Result<Vec<u32>> {
    let grid = task.grid("a snake")?;
    if grid.dimensions() == 1 {
        return Err(Error::not_applicable("a snake", "on a line it is the order of the numbers"));
    }
    let mut all = vec![0];
    for axis in (0..grid.dimensions()).rev() {
        let (before, stride) = (all.clone(), grid.stride(axis));
        for c in 1..grid.sides()[axis] {
            let moved = |&member: &u32| member + c * stride;
            match c % 2 {
                0 => all.extend(before.iter().map(moved)),
                _ => all.extend(before.iter().rev().map(moved)),
            }
        }
    }
    Ok(all)
}
