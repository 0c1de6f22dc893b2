//! Routes as intervals: straight pieces on the lines of a box that they use.
//!
//! A line is a row, column, ... of a box together with a direction. The links of all lines in use stand one line
//! behind the other in the order in which messages cross them, so a straight piece is an interval of *places*; over
//! the border of a ring it is two.

use crate::Message;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::Routes;
use meshwright_network::routing::dimension_order::Straight;
use meshwright_network::topology::{Grid, Topology};

/// No line.
const NONE: u32 = u32::MAX;

/// How a piece begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// At the source of the message.
    Source,
    /// With a turn, after the piece before.
    Turn,
    /// Over the border of a ring, after the piece before.
    Border,
}

/// Links that a message crosses one after the other on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose it is, by its index.
    pub message: u32,
    /// The place of its first link.
    pub first: u32,
    /// The place after its last link.
    pub end: u32,
    /// How it begins.
    pub entry: Entry,
}

/// One axis of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    side: u32,
    stride: u32,
    /// The number of the first of its lines that lead up; those that lead down follow.
    lines: u32,
}

/// The pieces of some messages and the lines they use.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    axes: Vec<Axis>,
    nodes: u32,
    /// By the number of the line: the place of its first link.
    begins: Vec<u32>,
    /// Lines in use, in the order of their places.
    used: Vec<u32>,
    places: u32,
    pieces: Vec<Piece>,
}

impl Pieces {
    /// No messages yet.
    pub(super) fn new(grid: &Grid) -> Self {
        let (mut axes, mut lines, nodes) = (Vec::new(), 0, grid.nodes());
        let sides = grid.sides();
        for (axis, &side) in sides.iter().enumerate() {
            axes.push(Axis { side, stride: sides[axis + 1..].iter().product(), lines });
            lines += 2 * (nodes / side);
        }
        let begins = vec![NONE; lines as usize];
        Self { axes, nodes, begins, used: Vec::new(), places: 0, pieces: Vec::new() }
    }

    /// Whether it is made for boxes with these sides.
    pub(super) fn fits(&self, grid: &Grid) -> bool {
        self.axes.iter().map(|axis| &axis.side).eq(grid.sides())
    }

    /// Replaces all pieces by those of these messages. O(pieces).
    pub(super) fn replace(&mut self, messages: &[Message], routes: &Routes<'_>) {
        self.clear();
        for (message, one) in (0u32..).zip(messages) {
            let mut entry = Entry::Source;
            routes.for_each_piece(message as usize, one.pair(), |straight| {
                self.push(message, entry, straight);
                entry = Entry::Turn;
            });
        }
    }

    /// Forgets all pieces.
    pub(super) fn clear(&mut self) {
        for line in self.used.drain(..) {
            self.begins[line as usize] = NONE;
        }
        self.pieces.clear();
        self.places = 0;
    }

    #[inline]
    fn push(&mut self, message: u32, entry: Entry, Straight { axis, up, from, links }: Straight) {
        let (line, before, side) = self.place_of(axis, up, from);
        let begin = &mut self.begins[line as usize];
        if *begin == NONE {
            *begin = self.places;
            self.places += side;
            self.used.push(line);
        }
        let begin = *begin;
        let straight = links.min(side - before);
        let first = begin + before;
        self.pieces.push(Piece { message, first, end: first + straight, entry });
        if links > straight {
            let end = begin + links - straight;
            self.pieces.push(Piece { message, first: begin, end, entry: Entry::Border });
        }
    }

    /// The number of a line, how many of its links come before that of a node, and how many there are.
    #[inline]
    fn place_of(&self, axis: usize, up: bool, node: NodeId) -> (u32, u32, u32) {
        let Axis { side, stride, lines } = self.axes[axis];
        let (rest, low) = (node.0 / stride, node.0 % stride);
        let (high, c) = (rest / side, rest % side);
        let line = lines + high * stride + low;
        if up { (line, c, side) } else { (line + self.nodes / side, side - 1 - c, side) }
    }

    /// The pieces, message by message, each in the order of its way.
    pub(super) fn as_slice(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many places there are: links of lines in use.
    pub(super) fn places(&self) -> usize {
        self.places as usize
    }

    /// The place of a link, if its line is in use.
    pub(super) fn place(&self, link: LinkId) -> Option<usize> {
        let ports = 2 * self.axes.len() as u32;
        let (node, port) = (link.0 / ports, link.0 % ports);
        let axis = self.axes.len() - 1 - port as usize / 2;
        let (line, before, _) = self.place_of(axis, port.is_multiple_of(2), NodeId(node));
        let begin = self.begins[line as usize];
        (begin != NONE).then(|| (begin + before) as usize)
    }

    /// The links of all places in their order.
    pub(super) fn links(&self) -> impl Iterator<Item = LinkId> + '_ {
        let ports = 2 * self.axes.len() as u32;
        self.used.iter().flat_map(move |&line| {
            let axis = self.axes.iter().rposition(|axis| axis.lines <= line).unwrap_or(0);
            let Axis { side, stride, lines } = self.axes[axis];
            let up = line - lines < self.nodes / side;
            let number = if up { line - lines } else { line - lines - self.nodes / side };
            let node = number / stride * stride * side + number % stride;
            let port = 2 * (self.axes.len() - 1 - axis) as u32 + u32::from(!up);
            (0..side).map(move |place| {
                let c = if up { place } else { side - 1 - place };
                LinkId((node + c * stride) * ports + port)
            })
        })
    }
}
