//! A gallery of drawings from made-up data, for the tests and for the eye.

use std::path::Path;

use meshwright_core::output::write_atomically;
use meshwright_core::units::NodeId;
use meshwright_load::shares::voronoi;
use meshwright_load::{Cells, UNUSED};
use meshwright_network::topology::{Machine, Topology, distances_from};
use meshwright_report::style;
use meshwright_report::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use meshwright_report::svg::load::{cells, flow, gantt, torus};
use meshwright_report::svg::surface::Surface;

/// Everybody works for the nearest source, unless it is farther than `reach`.
fn nearest(machine: &Machine, sources: &[NodeId], reach: u32) -> Cells {
    let sites: Vec<Vec<NodeId>> = sources.iter().map(|&source| vec![source]).collect();
    let mut cells = voronoi::cells(machine, &sites);
    for (label, depth) in cells.label.iter_mut().zip(&mut cells.depth).filter(|(_, depth)| **depth > reach) {
        (*label, *depth) = (UNUSED, u32::MAX);
    }
    cells
}

fn spread(machine: &Machine, count: u32) -> Vec<NodeId> {
    let nodes = u64::from(machine.nodes());
    (0..u64::from(count)).map(|i| NodeId(((i * 2_654_435_761 + 977 * i * i) % nodes) as u32)).collect()
}

fn cell_drawings() -> Vec<(String, String)> {
    let cases = [
        ("mesh:50x50", 10, 14),
        ("torus:50x50", 10, 99),
        ("mesh:12x12", 4, 5),
        ("mesh:100x100", 60, 99),
        ("torus:64x64", 300, 99),
        ("mesh:600x400", 40, 80),
        ("mesh:40", 3, 9),
        ("mesh:1x1", 1, 9),
        ("hypercube:6", 3, 9),
        ("torus:5x5x5", 4, 3),
        ("mesh:2x900", 5, 100),
    ];
    let mut drawings = vec![];
    for (name, count, reach) in cases {
        let machine = Machine::new(name).unwrap();
        let sources = spread(&machine, count);
        let cells = nearest(&machine, &sources, reach);
        let view = cells::CellsView { machine: &machine, cells: &cells, sources: &sources };
        let file = name.replace(':', "-");
        drawings.push((format!("cells-{file}"), cells::draw(&view).expect("a plane or small").0));
        drawings.extend(torus::draw(&view).map(|svg| (format!("cast-{file}"), svg)));
    }
    drawings
}

fn flow_drawings() -> Vec<(String, String)> {
    let mut drawings = vec![];
    for name in ["mesh:8x8", "torus:16x16", "mesh:50x50", "mesh:300x300", "hypercube:5"] {
        let machine = Machine::new(name).unwrap();
        let source = NodeId(machine.nodes() / 2 + machine.sides()[0] / 2);
        let distance = distances_from(&machine, source);
        let mut links = vec![0.0; machine.links() as usize];
        for node in (0..machine.nodes()).map(NodeId) {
            for port in (0..machine.ports(node)).map(meshwright_core::units::Port) {
                let Some(end) = machine.neighbour(node, port) else { continue };
                if distance[end.index()] > distance[node.index()] {
                    links[machine.link(node, port).index()] = 1.0 / f64::from(distance[end.index()]).powi(2);
                }
            }
        }
        let nodes: Vec<f64> = distance.iter().map(|&d| if d < 6 { 1.0 } else { 0.0 }).collect();
        let cut: Vec<NodeId> = (0..machine.nodes()).map(NodeId).filter(|n| distance[n.index()] < 2).collect();
        let view =
            flow::FlowView { machine: &machine, links: &links, nodes: &nodes, sources: &[source], cut: &cut };
        drawings.push((format!("flow-{}", name.replace(':', "-")), flow::draw(&view).expect("a plane").svg));
    }
    drawings
}

fn timing() -> String {
    let mut rows = vec![];
    for port in 0..2 {
        let span =
            gantt::Span { start: 0.1, end: 0.5, source: 0, mark: "α3".into(), words: "share of P3".into() };
        rows.push(gantt::GanttRow {
            name: format!("port → P{port}"),
            communication: vec![span],
            port: true,
            ..Default::default()
        });
    }
    for i in 0..6 {
        let start = 0.1 * f64::from(i);
        let span = |start, end| gantt::Span {
            start,
            end,
            source: i as usize,
            mark: format!("α{i}"),
            words: format!("share of P{i}"),
        };
        rows.push(gantt::GanttRow {
            name: format!("P{i} (0, {i})"),
            communication: vec![span(0.0, start)],
            computing: vec![span(start, 0.8)],
            release: (i == 2).then_some(0.2),
            port: false,
        });
    }
    let gantt = gantt::Gantt {
        label: "timing".into(),
        unit: "w Tcp".into(),
        rows,
        finish: 0.8,
        promised: false,
        bound: Some(0.7),
    };
    gantt.draw()
}

fn surface() -> Surface {
    let (x, y): (Vec<f64>, Vec<f64>) =
        ((1..=10).map(f64::from).collect(), (1..=20).map(|i| f64::from(i) * 0.05).collect());
    let values = y.iter().flat_map(|&s| x.iter().map(move |&n| 2.0 * n * (1.0 - s) + 3.0 * s)).collect();
    Surface {
        label: "speedup".into(),
        titles: ["n, columns".into(), "sigma".into(), "speedup".into()],
        x,
        y,
        values,
    }
}

fn chart(below: bool) -> String {
    let sigma: Vec<f64> = (0..=50).map(|i| f64::from(i) * 0.02).collect();
    let curve = |k: i32| sigma.iter().map(|&s| (s, (1.0 - s).powi(k) / 4.0)).collect();
    let mut series: Vec<Series> =
        (0..5).map(|k| Series::curve(format!("α{k}"), SeriesColour::Hue(k as usize), curve(k))).collect();
    let mut dots = Series::curve("pareto", SeriesColour::Step(0, 2), vec![(0.1, 0.1), (0.4, 0.2)])
        .stroked(Stroke::Points);
    dots.tips = vec!["one".into(), "two".into()];
    dots.spread = vec![0.02, 0.05];
    series.push(dots);
    let values = [if below { -0.1 } else { 0.0 }, 0.3].into_iter();
    let y = if below { Scale::between(values) } else { Scale::linear(values) };
    Chart {
        label: "fractions".into(),
        x: Axis { title: "sigma = z Tcm / (w Tcp)".into(), scale: Scale::Linear(1.0) },
        y: Axis { title: "share of the load".into(), scale: y },
        series,
        references: vec![(0.2, "bound".into())],
    }
    .draw()
}

fn all() -> Vec<(String, String)> {
    let mut drawings = cell_drawings();
    drawings.extend(flow_drawings());
    drawings.push(("timing".into(), timing()));
    drawings.push(("surface".into(), surface().in_space()));
    drawings.push(("map".into(), surface().map()));
    drawings.push(("chart".into(), chart(false)));
    drawings.push(("chart-below".into(), chart(true)));
    drawings
}

#[test]
fn drawings_are_small_and_whole() {
    let drawings = all();
    for (name, svg) in &drawings {
        assert!(svg.len() < 300_000, "{name}: {} bytes", svg.len());
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>"), "{name}");
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count(), "{name}");
    }
    assert!(drawings == all(), "the same bytes every time");
}

/// Writes the drawings for the eye, alone and on a page; does nothing unless a directory is named.
#[test]
#[expect(clippy::disallowed_methods, reason = "the folder is named by whoever wants to see them")]
fn drawings_can_be_looked_at() {
    let Ok(directory) = std::env::var("MESHWRIGHT_PAGES") else { return };
    let mut page = format!(
        "<!doctype html><meta charset=utf-8><style>{}</style><main><div class=figures>",
        style::page()
    );
    for (name, svg) in all() {
        write_atomically(&Path::new(&directory).join(format!("{name}.svg")), style::alone(&svg)).unwrap();
        page += &format!("<figure><h3>{name}</h3>{svg}</figure>");
    }
    write_atomically(&Path::new(&directory).join("drawings.html"), page + "</div></main>").unwrap();
}
