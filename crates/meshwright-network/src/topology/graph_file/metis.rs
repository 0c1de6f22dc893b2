//! METIS: `n m [fmt [ncon]]`, then line i lists the neighbours of vertex i, from 1.

use super::{Arc, ArcList, Format, check_mirrored};
use crate::topology::NODES_MAX;
use crate::topology::costs::BYTES_MAX;
use meshwright_core::error::Result;
use meshwright_core::text::{ENTRIES_MAX, Place, Syntax, Tokens, printable};

/// Vertex weights and sizes are checked and dropped; without edge weights every arc weighs 1.
pub(super) const FORMAT: Format = Format {
    ending: "graph",
    name: "METIS",
    syntax: Syntax { punctuation: b"", line_comment: b"%", block_comments: false, by_line: true },
    parse,
};

/// The most weights a vertex may carry.
const CONSTRAINTS_MAX: u64 = 64;

struct Header {
    vertices: u32,
    edges: u64,
    edges_place: Place,
    /// How many numbers stand before the neighbours of a vertex.
    vertex_numbers: u64,
    edge_weights: bool,
}

fn parse(tokens: &mut Tokens<'_>) -> Result<ArcList> {
    let header = header(tokens)?;
    let mut arcs = vec![];
    let mut places = vec![];
    for vertex in 0..header.vertices {
        if !tokens.skip_comment_lines()? {
            let message = format!("the file ends after {vertex} of {} vertices", header.vertices);
            return Err(tokens.error(message, "a line for every vertex, empty if it has no neighbour"));
        }
        neighbours(tokens, &header, vertex, &mut arcs, &mut places)?;
    }
    tokens.end_file("the line of the last vertex")?;
    check_mirrored(tokens, &arcs, &places, 1)?;
    let edges = arcs.len() as u64 / 2;
    if edges != header.edges {
        let message = format!("the header counts {} edges, the file lists {edges}", header.edges);
        let shown = header.edges.to_string();
        return Err(tokens.error_at(header.edges_place, &shown, message, edges.to_string()));
    }
    Ok(ArcList { vertices: header.vertices, arcs })
}

fn header(tokens: &mut Tokens<'_>) -> Result<Header> {
    if tokens.next_anywhere()? {
        tokens.hold();
    }
    let vertices = tokens.integer_u32("the number of vertices", 1..=NODES_MAX)?;
    let edges = tokens.integer("the number of edges", 0..=ENTRIES_MAX / 2)?;
    let edges_place = tokens.place();
    let mut header = Header { vertices, edges, edges_place, vertex_numbers: 0, edge_weights: false };
    if tokens.next_on_line()? {
        let digits = tokens.word();
        if digits.len() > 3 || !digits.iter().all(|digit| matches!(digit, b'0' | b'1')) {
            let message = format!("the format is `{}`", printable(digits));
            let expected = "three digits 0 or 1: vertex sizes, vertex weights, edge weights";
            return Err(tokens.error(message, expected));
        }
        let digit = |from_right: usize| digits.iter().rev().nth(from_right) == Some(&b'1');
        let (sizes, weights) = (digit(2), digit(1));
        header.edge_weights = digit(0);
        let mut constraints = 1;
        if weights && tokens.next_on_line()? {
            tokens.hold();
            constraints = tokens.integer("the number of vertex weights", 1..=CONSTRAINTS_MAX)?;
        } else if tokens.next_on_line()? {
            tokens.hold();
            tokens.integer("the number of vertex weights (the format says none)", 0..=1)?;
        }
        header.vertex_numbers = u64::from(sizes) + if weights { constraints } else { 0 };
    }
    tokens.end_line("vertices, edges, and at most a format and a number of weights")?;
    Ok(header)
}

/// The line of one vertex.
fn neighbours(
    tokens: &mut Tokens<'_>,
    header: &Header,
    from: u32,
    arcs: &mut Vec<Arc>,
    places: &mut Vec<Place>,
) -> Result<()> {
    for _ in 0..header.vertex_numbers {
        tokens.integer("vertex weight", 0..=BYTES_MAX)?;
    }
    while tokens.next_on_line()? {
        if arcs.len() as u64 == 2 * header.edges {
            let message = format!("there are more neighbours than {} edges have ends", header.edges);
            return Err(tokens.error(message, "as many edges as the header counts"));
        }
        tokens.hold();
        let to = tokens.integer_u32("neighbour", 1..=header.vertices)? - 1;
        if to == from {
            let message = format!("vertex {} lists itself", from + 1);
            return Err(tokens.error(message, "another vertex"));
        }
        places.push(tokens.place());
        let weight = if header.edge_weights { tokens.integer("edge weight", 0..=BYTES_MAX)? } else { 1 };
        arcs.push(Arc { from, to, weight });
    }
    tokens.end_line("the end of the line")
}
