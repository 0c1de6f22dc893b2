//! Figures 1 to 3: the curve, a bad group, a tree on the mesh with the way of a packet.

use crate::chochia1996::definition;
use meshwright_core::units::NodeId;
use meshwright_groups::rank_halving::{place, tree};
use meshwright_groups::rank_split::routing::{Role, Routed};
use meshwright_network::topology::order::order;
use meshwright_report::svg::{Point, Px, Svg, hues, palette};

/// Column and row of the nodes of a square in an order; (0, 0) is drawn at the lower left.
fn walk(name: &str, side: u32) -> Vec<(u32, u32)> {
    let walk = order(name).expect("it is in the table").walk;
    walk(&[side, side]).iter().map(|node| (node.0 % side, node.0 / side)).collect()
}

/// A square mesh on paper.
struct Square {
    left: f64,
    top: f64,
    side: u32,
    pitch: f64,
}

impl Square {
    fn at(&self, (column, row): (u32, u32)) -> Point {
        let up = f64::from(self.side - 1 - row);
        Point::new(self.left + (f64::from(column) + 0.5) * self.pitch, self.top + (up + 0.5) * self.pitch)
    }

    fn width(&self) -> f64 {
        f64::from(self.side) * self.pitch
    }

    /// Links as thin lines.
    fn links(&self, svg: &mut Svg) {
        for i in 0..self.side {
            svg.line(self.at((0, i)), self.at((self.side - 1, i)), "ruler");
            svg.line(self.at((i, 0)), self.at((i, self.side - 1)), "ruler");
        }
    }
}

/// A straight stroke.
fn stroke(svg: &mut Svg, from: Point, to: Point, class: &str, width: f64, tip: &str) {
    let data = format!("M{} {}L{} {}", Px(from.x), Px(from.y), Px(to.x), Px(to.y));
    svg.tipped(
        "path",
        &[("d", &data), ("class", &format!("edge {class}")), ("stroke-width", &Px(width))],
        tip,
    );
}

/// A vertex with a word in it.
fn vertex(svg: &mut Svg, at: Point, radius: f64, word: &str, tip: &str) {
    svg.circle(at, radius, "tile", Some(tip));
    if !word.is_empty() {
        svg.text(at.plus(0.0, 4.0), "label mid", word);
    }
}

/// Figure 1.
pub(super) fn curves() -> String {
    let mut svg = Svg::new("The Hilbert curve on meshes of side 2, 4 and 8");
    let mut left = 16.0;
    for side in [2u32, 4, 8] {
        let square = Square { left, top: 16.0, side, pitch: 208.0 / f64::from(side) };
        let walk = walk("hilbert", side);
        for &node in &walk {
            svg.tile(square.at(node), square.pitch * 0.92, "node", &format!("({}, {})", node.0, node.1));
        }
        for (index, pair) in walk.windows(2).enumerate() {
            let class = palette::class(index, walk.len() - 1);
            let tip = format!("from index {index} to {}", index + 1);
            stroke(&mut svg, square.at(pair[0]), square.at(pair[1]), &class, 3.0, &tip);
        }
        let word = |svg: &mut Svg, at: Point, word: &str| svg.text(at, "label mid halo", word);
        word(&mut svg, square.at(walk[0]).plus(0.0, 4.0), "0");
        word(&mut svg, square.at(walk[walk.len() - 1]).plus(0.0, 4.0), &(walk.len() - 1).to_string());
        svg.text(Point::new(left + 104.0, 246.0), "panel mid", &format!("side {side}"));
        left += 208.0 + 28.0;
    }
    svg.finish(left - 12.0, 258.0)
}

/// Figure 2.
pub(super) fn bad_group() -> String {
    let mut svg = Svg::new("The group of theorem 3 on a mesh of side 16, and the edges of its tree");
    let square = Square { left: 40.0, top: 8.0, side: 16, pitch: 28.0 };
    square.links(&mut svg);
    let (size, edges) = (15u32, 4);
    let mut line = 0;
    let mut places = Vec::new();
    for rank in 0..size {
        let is_even = (edges - 1 - place(rank, size).depth).is_multiple_of(2);
        line += u32::from(is_even);
        places.push((square.at((if is_even { 0 } else { 15 }, line - 1)), is_even));
    }
    for rank in 0..size {
        if let Some(parent) = place(rank, size).parent {
            let class = palette::class(place(rank, size).depth as usize - 1, 3);
            let (from, to) = (places[parent as usize].0, places[rank as usize].0);
            stroke(&mut svg, from, to, &class, 2.2, &format!("rank {parent} to rank {rank}"));
        }
    }
    for (rank, &(at, is_even)) in places.iter().enumerate() {
        vertex(&mut svg, at, 11.0, &rank.to_string(), &format!("rank {rank}"));
        let (aside, class) = if is_even { (-22.0, "note end") } else { (22.0, "note") };
        svg.text(at.plus(aside, 4.0), class, if is_even { "e" } else { "o" });
    }
    svg.finish(square.left + square.width() + 30.0, square.width() + 18.0)
}

/// The way of a packet on the tree of 64 vertices, labels alternating: from a vertex to its new parent, the longest.
fn longest_way() -> Vec<u32> {
    let states: Vec<u8> = (0..64).map(|rank| rank % 2).collect();
    let functions = definition::evaluate(&states);
    let way = |rank: u32| {
        let own = &functions[rank as usize];
        let target = place(own.new_rank(), own.new_size()).parent?;
        let packet = Routed { state: own.state, rank: target, source: NodeId(0), role: Role::Left };
        definition::way(&functions, rank, &packet)
    };
    (0..64).filter_map(way).max_by_key(Vec::len).expect("some vertex has a parent")
}

/// Figure 3.
pub(super) fn tree_and_packet() -> String {
    let mut svg = Svg::new("A synchronisation tree on a mesh of side 8, and the way of one packet on it");
    let square = Square { left: 10.0, top: 8.0, side: 8, pitch: 62.0 };
    square.links(&mut svg);
    let walk = walk("hilbert", 8);
    let at = |rank: u32| square.at(walk[rank as usize]);
    let tree = tree(64);
    for rank in tree.top_down() {
        for &child in tree.children(rank) {
            let depth = place(child, 64).depth as usize;
            let class = palette::class(depth - 1, 6);
            let width = 5.0 - 0.6 * depth as f64;
            stroke(&mut svg, at(rank), at(child), &class, width, &format!("rank {rank} to rank {child}"));
        }
    }
    let way = longest_way();
    for pair in way.windows(2) {
        // Beside the edge, so that both are seen.
        let (from, to) = (at(pair[0]), at(pair[1]));
        let length = from.distance(to);
        let (x, y) = ((from.y - to.y) / length * 5.0, (to.x - from.x) / length * 5.0);
        let tip = format!("the packet goes from rank {} to rank {}", pair[0], pair[1]);
        let class = format!("series {} leap", hues::class(4, 0));
        let data = format!("M{} {}L{} {}", Px(from.x + x), Px(from.y + y), Px(to.x + x), Px(to.y + y));
        svg.tipped("path", &[("d", &data), ("class", &class), ("stroke-width", &3)], &tip);
    }
    for rank in 0..64 {
        if rank == tree.root() {
            svg.tile(at(rank), 25.0, "root", "the root");
            svg.text(at(rank).plus(0.0, 4.0), "label mid", &rank.to_string());
        } else {
            vertex(&mut svg, at(rank), 11.5, &rank.to_string(), &format!("rank {rank}"));
        }
    }
    let (from, to) = (way[0], way[way.len() - 1]);
    let words = format!(
        "dashed: a packet from rank {from} to its new parent, rank {to}, over {} edges",
        way.len() - 1
    );
    svg.text(Point::new(12.0, square.width() + 28.0), "note", &words);
    svg.finish(square.width() + 20.0, square.width() + 38.0)
}
