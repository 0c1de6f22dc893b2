//! Binary trees of rectangles whose edges hardly share a link, after Gibbons and Paterson.
//!
//! A rectangle is cut into four quarters. Each has a tree of its own and one node left over, in the corner that faces
//! the centre; but in one quarter it is the outer corner. The three left over at the centre become the root and its
//! two children, the roots of the quarters become grandchildren, and the outer corner is left over once more:
//!
//! ```text
//!   +---------+---------+
//!   |         |        m|     o: root        x, y: its children
//!   |    .    |    .    |     .: roots of the quarters
//!   |        y|         |     lower right and upper right below x, the other two below y
//!   +---------+---------+     m: left over
//!   |        o|x        |
//!   |    .    |    .    |
//!   |         |         |
//!   +---------+---------+
//! ```

use super::FullBox;
use crate::{Group, Tree};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Topology};

/// The binary tree of a full rectangle, any order of ranks.
///
/// Every vertex has at most two children, and of a square of side n = 2^m
///
/// ```text
/// depth  = 2 m edges
/// height = n + 2 m - 3 links, for m >= 2     (no root does better than n)
/// ```
///
/// Paths go along the row first. Tests find that in squares, and in rectangles with sides up to 33, at most 2 of them
/// share a link in one direction on the way up, and at most 4 on the way down. Other rectangles end in lines, whose
/// paths share links as often as the trees of the lines are deep: a path more, each time the ratio of the sides grows to
/// the next power of four. The source keeps all paths apart, but there a node holds a leaf and an inner vertex; here it
/// is one vertex.
///
/// # Errors
///
/// [`Error::Value`] for a group without members; [`Error::NotApplicable`] when the members are not all
/// nodes of a rectangle, or the machine has not one or two axes.
///
/// # Complexity
///
/// O(s).
///
/// # Source
///
/// `gibbons1992`: quarters, roots at the centre, height n + O(log n), paths apart. The construction is ours.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::exchange::gibbons_paterson;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:8x8")?;
/// let group = Group::whole(&mesh, "hilbert")?;
/// let tree = gibbons_paterson::tree(&mesh, &group)?;
/// assert_eq!((tree.fan_out(), tree.height_links(&mesh, &group)), (2, 11));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree(machine: &Machine, group: &Group) -> Result<Tree> {
    let full_box = FullBox::of(machine, group)?;
    let (rows, columns) = match *full_box.sides() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => {
            let why = format!("{} has {} axes", machine.name(), machine.sides().len());
            return Err(Error::not_applicable("a Gibbons-Paterson tree", why));
        }
    };
    let mut builder = Builder { columns, parent: vec![Tree::NONE; group.members().len()] };
    let all = Rectangle { row: 0, column: 0, rows, columns };
    let (root, left_over) = builder.build(all, Corner { row: true, column: true });
    let root = match root {
        Some(root) => {
            builder.parent[left_over as usize] = builder.nearest_free(left_over);
            root
        }
        None => left_over,
    };
    let mut parent = vec![Tree::NONE; group.members().len()];
    for (cell, &up) in (0..).zip(&builder.parent) {
        if up != Tree::NONE {
            parent[full_box.rank_at(cell) as usize] = full_box.rank_at(up);
        }
    }
    Ok(Tree::new(full_box.rank_at(root), parent))
}

/// A part of the rectangle.
#[derive(Clone, Copy)]
struct Rectangle {
    row: u32,
    column: u32,
    rows: u32,
    columns: u32,
}

/// A corner of a part, or a quarter: whether it is the one with the greater row, and with the greater column.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Corner {
    row: bool,
    column: bool,
}

impl Corner {
    fn opposite(self) -> Self {
        Self { row: !self.row, column: !self.column }
    }
}

impl Rectangle {
    fn quarter(self, at: Corner) -> Self {
        let cut = |first: u32, length: u32, upper: bool| {
            let half = length / 2;
            if upper { (first + half, length - half) } else { (first, half) }
        };
        let (row, rows) = cut(self.row, self.rows, at.row);
        let (column, columns) = cut(self.column, self.columns, at.column);
        Self { row, column, rows, columns }
    }
}

struct Builder {
    columns: u32,
    /// By cell.
    parent: Vec<u32>,
}

impl Builder {
    /// Builds the tree of a part; its root, if it has more than one node, and the node left over, in this corner.
    fn build(&mut self, part: Rectangle, corner: Corner) -> (Option<u32>, u32) {
        match (part.rows, part.columns) {
            (1, 1) => (None, part.row * self.columns + part.column),
            (1, _) | (_, 1) => self.build_line(part, corner),
            _ => self.build_quarters(part, corner),
        }
    }

    fn build_quarters(&mut self, part: Rectangle, m: Corner) -> (Option<u32>, u32) {
        let o = m.opposite();
        let x = Corner { row: o.row, column: m.column };
        let y = Corner { row: m.row, column: o.column };
        let [(root_o, root), (root_x, below_x), (root_y, below_y)] =
            [o, x, y].map(|at| self.build(part.quarter(at), at.opposite()));
        let (root_m, left_over) = self.build(part.quarter(m), m);
        self.hang([Some(below_x), Some(below_y)], root);
        self.hang([root_x, root_m], below_x);
        self.hang([root_y, root_o], below_y);
        (Some(root), left_over)
    }

    /// A line is cut into halves; the one without the corner leaves over the new root.
    fn build_line(&mut self, part: Rectangle, corner: Corner) -> (Option<u32>, u32) {
        let at = |upper: bool| {
            let half = part.quarter(Corner { row: upper, column: upper });
            if part.rows == 1 {
                Rectangle { row: part.row, rows: 1, ..half }
            } else {
                Rectangle { column: part.column, columns: 1, ..half }
            }
        };
        let side = if part.rows == 1 { corner.column } else { corner.row };
        let (below, root) = self.build(at(!side), corner);
        let (beyond, left_over) = self.build(at(side), corner);
        self.hang([below, beyond], root);
        (Some(root), left_over)
    }

    fn hang(&mut self, children: [Option<u32>; 2], parent: u32) {
        for child in children.into_iter().flatten() {
            self.parent[child as usize] = parent;
        }
    }

    /// The nearest cell with fewer than two children, the first in row order of equals.
    fn nearest_free(&self, from: u32) -> u32 {
        let mut children = vec![0u8; self.parent.len()];
        for &up in self.parent.iter().filter(|&&up| up != Tree::NONE) {
            children[up as usize] += 1;
        }
        let place = |cell: u32| (cell / self.columns, cell % self.columns);
        let (row, column) = place(from);
        let away = |cell: &u32| {
            let (r, c) = place(*cell);
            r.abs_diff(row) + c.abs_diff(column)
        };
        let free = (0..children.len() as u32).filter(|&cell| cell != from && children[cell as usize] < 2);
        free.min_by_key(away).expect("a tree has leaves")
    }
}
