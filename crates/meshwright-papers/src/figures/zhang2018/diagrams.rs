//! Networks with their layers, and timing diagrams.

use super::curves::NetworkCase;
use meshwright_core::units::NodeId;
use meshwright_load::shares::timing;
use meshwright_load::{Forwarding, layers};
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_report::svg::load::gantt::{Gantt, GanttRow, Span};
use meshwright_report::svg::{DRAWING_WIDTH_MIN, Point, Svg, palette};

/// From node to node.
const PITCH: f64 = 54.0;

/// The sigma of the timing diagrams.
const SIGMA: f64 = 0.5;

/// A mesh or a torus of two dimensions: nodes coloured by their layer, the sources as squares.
pub(super) fn network(specification: &str, sources: &[u32]) -> String {
    let machine = Machine::new(specification).expect("the machines of the figures exist");
    let &[rows, columns] = machine.sides() else { unreachable!("the figures show planes") };
    let nodes: Vec<NodeId> = sources.iter().map(|&node| NodeId(node)).collect();
    let depth = match nodes.is_empty() {
        true => vec![0; (rows * columns) as usize],
        false => layers::depths(&machine, &nodes),
    };
    let wraps = matches!(machine.network(), Network::Grid(grid) if grid.wraps());
    let mut svg = Svg::new(format!("The network {specification}, nodes coloured by layer"));
    let corner = Point::new(48.0, 44.0);
    let at = |row: u32, column: u32| corner.plus(f64::from(column) * PITCH, f64::from(row) * PITCH);
    let (right, bottom) = (at(0, columns - 1).x, at(rows - 1, 0).y);
    let reach = if wraps { PITCH * 0.55 } else { 0.0 };
    for row in 0..rows {
        let y = at(row, 0).y;
        svg.line(Point::new(corner.x - reach, y), Point::new(right + reach, y), "frame");
    }
    for column in 0..columns {
        let x = at(0, column).x;
        svg.line(Point::new(x, corner.y - reach), Point::new(x, bottom + reach), "frame");
    }
    let deepest = depth.iter().copied().max().unwrap_or(0);
    for (node, &layer) in depth.iter().enumerate() {
        let centre = at(node as u32 / columns, node as u32 % columns);
        let tip = format!("P{node}: layer {layer}");
        if sources.contains(&(node as u32)) {
            svg.tile(centre, 28.0, "root", &tip);
        } else {
            let class = match deepest {
                0 => "tile".to_string(),
                _ => format!("fill {}", palette::class(layer as usize, deepest as usize + 1)),
            };
            svg.circle(centre, 14.0, &class, Some(&tip));
        }
        svg.text(centre.plus(0.0, 4.0), "label mid boxed", &node.to_string());
    }
    svg.finish((right + 48.0).max(DRAWING_WIDTH_MIN), bottom + 48.0)
}

/// How many processors are how far away, a column for each network.
pub(super) fn layer_table(cases: &[NetworkCase]) -> String {
    const CELL: (f64, f64) = (84.0, 26.0);
    let all: Vec<Vec<u64>> = cases.iter().map(NetworkCase::layers).collect();
    let deepest = all.iter().map(Vec::len).max().unwrap_or(0);
    let mut svg = Svg::new("Processors by their distance from the source");
    let at =
        |row: usize, column: usize| Point::new(48.0 + column as f64 * CELL.0, 32.0 + row as f64 * CELL.1);
    svg.text(at(0, 0), "label mid", "D_i");
    for (column, (case, layers)) in cases.iter().zip(&all).enumerate() {
        svg.text(at(0, column + 1), "label mid", &case.name);
        for (row, nodes) in layers.iter().enumerate() {
            svg.text(at(row + 1, column + 1), "label mid", &nodes.to_string());
        }
    }
    for row in 0..deepest {
        svg.text(at(row + 1, 0), "label mid", &row.to_string());
    }
    let (left, right) = (at(0, 0).x - 36.0, at(0, cases.len()).x + 36.0);
    let line = at(0, 0).y + 9.0;
    svg.line(Point::new(left, line), Point::new(right, line), "frame");
    svg.finish((right + 24.0).max(DRAWING_WIDTH_MIN), at(deepest, 0).y + 24.0)
}

/// What every processor does, layer by layer.
pub(super) fn timing(counts: &[u64], forwarding: Forwarding) -> String {
    let mut rows = vec![];
    let mut processor = 0;
    for (layer, row) in timing::timing(counts, &SIGMA, forwarding).iter().enumerate() {
        // A row for each processor while they can be told apart, else one for the layer.
        let each = counts.iter().sum::<u64>() <= 12;
        for _ in 0..if each { row.nodes } else { 1 } {
            let name = match each {
                true => format!("P{processor}"),
                false if row.nodes == 1 => format!("layer {layer}, 1 node"),
                false => format!("layer {layer}, {} nodes", row.nodes),
            };
            let span = |start, end, mark: String, words: &str| Span {
                start,
                end,
                source: layer,
                mark,
                words: format!("{name} {words}"),
            };
            let symbol =
                if each { format!("α{}", subscript(processor)) } else { format!("α of layer {layer}") };
            let communication = row
                .communication
                .map(|[from, until]| span(from, until, format!("σ {symbol}"), "receives"))
                .into_iter()
                .collect();
            let computing = vec![span(row.computing[0], row.computing[1], symbol, "computes")];
            rows.push(GanttRow { name: name.clone(), communication, computing, ..GanttRow::default() });
            processor += 1;
        }
    }
    let finish = rows.iter().flat_map(|row| &row.computing).map(|span| span.end).fold(0.0, f64::max);
    let label = format!("Timing diagram under {}", forwarding.name());
    Gantt { label, unit: format!("w Tcp, at sigma = {SIGMA}"), rows, finish, promised: false, bound: None }
        .draw()
}

/// A number in small digits below the line.
fn subscript(number: u64) -> String {
    let digit = |c: char| char::from_u32('₀' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c);
    number.to_string().chars().map(digit).collect()
}
