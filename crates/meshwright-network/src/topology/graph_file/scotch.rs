//! Scotch: `0`, `vertnbr arcnbr`, `baseval flags`, then per vertex `[label] [load] degree {[load] neighbour}`.

use super::{Arc, ArcList, Format, check_mirrored};
use crate::topology::NODES_MAX;
use crate::topology::costs::BYTES_MAX;
use meshwright_core::error::Result;
use meshwright_core::text::{ENTRIES_MAX, Place, Syntax, Tokens, printable};

/// Vertex loads are checked and dropped; where vertices carry labels, neighbours are named by label.
pub(super) const FORMAT: Format = Format {
    ending: "grf",
    name: "Scotch",
    syntax: Syntax { punctuation: b"", line_comment: b"", block_comments: false, by_line: false },
    parse,
};

struct Header {
    vertices: u32,
    arcs: u64,
    arcs_place: Place,
    /// What the file calls the first vertex.
    base: u32,
    labels: bool,
    edge_loads: bool,
    vertex_loads: bool,
}

/// An arc whose end is still called as in the file.
struct NamedArc {
    from: u32,
    to: u64,
    weight: u64,
}

fn parse(tokens: &mut Tokens<'_>) -> Result<ArcList> {
    let header = header(tokens)?;
    let mut named = vec![];
    let mut places = vec![];
    let mut labels = vec![];
    for vertex in 0..header.vertices {
        if !tokens.next_word()? {
            let message = format!("the file ends after {vertex} of {} vertices", header.vertices);
            return Err(tokens.error(message, "an entry for every vertex"));
        }
        tokens.hold();
        if header.labels {
            let label = tokens.integer("vertex label", 0..=BYTES_MAX)?;
            labels.push((label, vertex, tokens.place()));
        }
        neighbours(tokens, &header, vertex, &mut named, &mut places)?;
    }
    tokens.end_file("the last vertex")?;
    let arcs = resolve(tokens, &header, labels, &named, &places)?;
    check_mirrored(tokens, &arcs, &places, header.base)?;
    if arcs.len() as u64 != header.arcs {
        let message = format!("the header counts {} arcs, the file lists {}", header.arcs, arcs.len());
        let shown = header.arcs.to_string();
        return Err(tokens.error_at(header.arcs_place, &shown, message, arcs.len().to_string()));
    }
    Ok(ArcList { vertices: header.vertices, arcs })
}

fn header(tokens: &mut Tokens<'_>) -> Result<Header> {
    tokens.integer("the version of the format", 0..=0)?;
    let vertices = tokens.integer_u32("the number of vertices", 1..=NODES_MAX)?;
    let arcs = tokens.integer("the number of arcs (twice the edges)", 0..=ENTRIES_MAX)?;
    let arcs_place = tokens.place();
    let base = tokens.integer_u32("the number of the first vertex", 0..=1)?;
    let expected = "three digits 0 or 1: labels, edge loads, vertex loads";
    if !tokens.next_word()? {
        return Err(tokens.missing("the format", expected));
    }
    let digits = tokens.word();
    if digits.len() > 3 || !digits.iter().all(|digit| matches!(digit, b'0' | b'1')) {
        let message = format!("the format is `{}`", printable(digits));
        return Err(tokens.error(message, expected));
    }
    let digit = |from_right: usize| digits.iter().rev().nth(from_right) == Some(&b'1');
    let (labels, edge_loads, vertex_loads) = (digit(2), digit(1), digit(0));
    Ok(Header { vertices, arcs, arcs_place, base, labels, edge_loads, vertex_loads })
}

/// The entry of one vertex, after its label.
fn neighbours(
    tokens: &mut Tokens<'_>,
    header: &Header,
    from: u32,
    named: &mut Vec<NamedArc>,
    places: &mut Vec<Place>,
) -> Result<()> {
    if header.vertex_loads {
        tokens.integer("vertex load", 0..=BYTES_MAX)?;
    }
    let left = header.arcs - named.len() as u64;
    let degree = tokens.integer("degree (of the arcs the header leaves)", 0..=left)?;
    let base = u64::from(header.base);
    let last = base + u64::from(header.vertices) - 1;
    for _ in 0..degree {
        let weight = if header.edge_loads { tokens.integer("edge load", 0..=BYTES_MAX)? } else { 1 };
        let to = if header.labels {
            tokens.integer("neighbour", 0..=BYTES_MAX)?
        } else {
            tokens.integer("neighbour", base..=last)? - base
        };
        if !header.labels && to == u64::from(from) {
            let message = format!("vertex {} lists itself", to + base);
            return Err(tokens.error(message, "another vertex"));
        }
        places.push(tokens.place());
        named.push(NamedArc { from, to, weight });
    }
    Ok(())
}

/// Finds the vertices behind the labels.
fn resolve(
    tokens: &Tokens<'_>,
    header: &Header,
    mut labels: Vec<(u64, u32, Place)>,
    named: &[NamedArc],
    places: &[Place],
) -> Result<Vec<Arc>> {
    labels.sort_unstable();
    if let Some(pair) = labels.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (label, _, place) = pair[1];
        let message = format!("the label {label} is given twice");
        return Err(tokens.error_at(place, &label.to_string(), message, "another label for each vertex"));
    }
    let mut arcs = Vec::with_capacity(named.len());
    for (arc, &place) in named.iter().zip(places) {
        let to = if header.labels {
            let found = labels.binary_search_by_key(&arc.to, |&(label, ..)| label).ok();
            let vertex = found.map(|i| labels[i].1).filter(|&vertex| vertex != arc.from);
            vertex.ok_or_else(|| {
                let message = format!("neighbour is `{}`", arc.to);
                tokens.error_at(place, &arc.to.to_string(), message, "the label of another vertex")
            })?
        } else {
            u32::try_from(arc.to).expect("neighbours without labels are below the number of vertices")
        };
        arcs.push(Arc { from: arc.from, to, weight: arc.weight });
    }
    Ok(arcs)
}
