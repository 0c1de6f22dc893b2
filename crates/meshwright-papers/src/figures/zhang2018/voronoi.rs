//! Cells of ten random sources, their speedups, and what reduction saves.

use rand::seq::SliceRandom;

use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_load::shares::schedulers::{METHODS, Reduction, Scheduled, SchedulerSettings};
use meshwright_load::shares::{closed_form, lower_band, voronoi};
use meshwright_load::{Cells, Forwarding, Problem, Source};
use meshwright_network::topology::{Machine, Topology};
use meshwright_report::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use meshwright_report::svg::load::{cells, torus};

/// The seed of the ten sources of all figures with cells: on the mesh the speedups at sigma = 0.05 then go from 104 to
/// 272, and the thesis prints 107 to 271.
const SEED: u64 = 867;

/// How many rounds the means are taken over, and at which sigmas.
const ROUNDS: u64 = 24;
const SIGMAS: [f64; 5] = [0.01, 0.05, 0.1, 0.2, 0.4];

/// Student's t for 95 % and 23 degrees of freedom.
const T_95: f64 = 2.069;

/// A case with cells: the network, the method, where the cells were made, and how shares are forwarded.
#[derive(Clone, Copy)]
pub(super) struct CellsCase {
    pub(super) network: &'static str,
    pub(super) method: &'static str,
    pub(super) sigma: f64,
    pub(super) forwarding: Forwarding,
}

fn machine(network: &str) -> Machine {
    Machine::new(network).expect("the machines of the figures exist")
}

/// Ten different nodes; for the methods of clusters three clusters of four and seven single ones.
fn sources(machine: &Machine, seed: u64, clustered: bool) -> Vec<Source> {
    let mut random = stream(seed, "sources of a figure");
    let mut nodes: Vec<NodeId> = (0..machine.nodes()).map(NodeId).collect();
    let (chosen, _) = nodes.partial_shuffle(&mut random, 10);
    let mut chosen = chosen.to_vec();
    if clustered {
        for cluster in 0..3 {
            let first = chosen[cluster];
            let inwards = |at: u32, side: u32| if at + 1 < side { at + 1 } else { at - 1 };
            let (side, row, column) =
                (machine.sides()[1], first.0 / machine.sides()[1], first.0 % machine.sides()[1]);
            let (r, c) = (inwards(row, machine.sides()[0]), inwards(column, side));
            for node in [row * side + c, r * side + column, r * side + c].map(NodeId) {
                if !chosen.contains(&node) {
                    chosen.push(node);
                }
            }
        }
    }
    chosen.into_iter().map(|node| Source::at(node, 1.0)).collect()
}

fn scheduled(machine: &Machine, sources: &[Source], case: CellsCase, reduction: Reduction) -> Scheduled {
    let method = METHODS.iter().find(|method| method.name == case.method).expect("a method of the table");
    let problem = Problem::new(machine, sources.to_vec(), case.sigma).expect("sources inside the machine");
    let settings = SchedulerSettings { reduction, ..SchedulerSettings::default() };
    (method.run)(&problem, case.forwarding, &settings).expect("these methods take any sources")
}

pub(super) fn drawn(case: CellsCase, draw: fn(&cells::CellsView<'_>) -> Option<String>) -> String {
    let machine = machine(case.network);
    let sources = sources(&machine, SEED, case.method == "constrained");
    let scheduled = scheduled(&machine, &sources, case, Reduction::Peel);
    let nodes: Vec<NodeId> = sources.iter().map(|source| source.node).collect();
    let cells = scheduled.plan.cells.as_ref().expect("these methods make cells");
    draw(&cells::CellsView { machine: &machine, cells, sources: &nodes })
        .expect("planes of this size are drawn")
}

/// The cells.
pub(super) fn cells(case: CellsCase) -> String {
    drawn(case, |view| cells::draw(view).map(|(svg, _)| svg))
}

/// The cells on a torus.
pub(super) fn cast(case: CellsCase) -> String {
    drawn(case, torus::draw)
}

/// One source's cell, which is the whole machine, on a torus: its nodes by distance.
pub(super) fn one_cell(network: &'static str, source: u32) -> String {
    let (machine, sources) = (machine(network), [NodeId(source)]);
    let cells = layers_of(&machine, &sources);
    torus::draw(&cells::CellsView { machine: &machine, cells: &cells, sources: &sources })
        .expect("tori of this size are drawn")
}

/// Cells of single nodes.
fn layers_of(machine: &Machine, sources: &[NodeId]) -> Cells {
    voronoi::cells(machine, &sources.iter().map(|&node| vec![node]).collect::<Vec<_>>())
}

/// The sources of [`copies`] on their torus, and its side.
const COPIED: [(u32, u32); 4] = [(2, 3), (4, 12), (11, 6), (13, 14)];
const SIDE: u32 = 16;

/// The nodes of the sources in the plane of nine copies, the copy in the middle first.
fn copied() -> Vec<NodeId> {
    let place =
        |row: u32, column: u32| COPIED.map(|(r, c)| NodeId((row * SIDE + r) * 3 * SIDE + column * SIDE + c));
    let others = (0..9).filter(|copy| *copy != 4).flat_map(|copy| place(copy / 3, copy % 3));
    place(1, 1).into_iter().chain(others).collect()
}

/// The cells of nine copies of a torus in the plane; copies of a source share its colour.
pub(super) fn copies() -> String {
    let plane = Machine::new(&format!("mesh:{}x{}", 3 * SIDE, 3 * SIDE)).expect("a mesh");
    let sources = copied();
    let mut cells = layers_of(&plane, &sources);
    cells.label.iter_mut().for_each(|label| *label %= COPIED.len() as u32);
    cells::draw(&cells::CellsView { machine: &plane, cells: &cells, sources: &sources[..COPIED.len()] })
        .expect("planes of this size are drawn")
        .0
}

/// The speedup of each cell against sigma, the cells as they were made.
pub(super) fn speedups(case: CellsCase) -> String {
    let machine = machine(case.network);
    let sources = sources(&machine, SEED, case.method == "constrained");
    let scheduled = scheduled(&machine, &sources, case, Reduction::Peel);
    let mut all: Vec<(String, Vec<u64>)> = scheduled
        .cells
        .iter()
        .map(|cell| {
            let names: Vec<String> = cell.sources.iter().map(usize::to_string).collect();
            (format!("cell {}", names.join(" ")), cell.layers.iter().map(|&nodes| nodes.into()).collect())
        })
        .collect();
    // The fastest first, so that the legend has the order of the curves.
    let speedup = |layers: &[u64]| closed_form::speedup(layers, &case.sigma, case.forwarding);
    all.sort_by(|a, b| speedup(&b.1).total_cmp(&speedup(&a.1)));
    super::curves::speedups_of_layers(&all, case.forwarding)
}

/// The mean share of processors saved by reduction, with its 95 % interval, under both readings of it.
pub(super) fn saved(network: &'static str) -> String {
    let machine = machine(network);
    let rounds: Vec<Vec<Source>> = (0..ROUNDS).map(|round| sources(&machine, 1000 + round, false)).collect();
    let series = |name: &str, hue, reduction| {
        let mut series = Series::curve(name, SeriesColour::Hue(hue), vec![]);
        for sigma in SIGMAS {
            let case = CellsCase { network, method: "reduced", sigma, forwarding: Forwarding::CutThrough };
            let shares: Vec<f64> = rounds
                .iter()
                .map(|sources| 100.0 * scheduled(&machine, sources, case, reduction).saved_share)
                .collect();
            let (mean, half) = interval(&shares);
            series.points.push((sigma, mean));
            series.spread.push(half);
            series.tips.push(format!("{name}, sigma {sigma}: {mean:.1} % ± {half:.1}"));
        }
        series
    };
    let series = vec![
        series("by layers (peel)", 0, Reduction::Peel),
        series("pseudo-code (literal)", 1, Reduction::Literal),
    ];
    Chart {
        label: "Processors saved by reduction against sigma".to_string(),
        x: Axis { title: "sigma = z Tcm / (w Tcp)".to_string(), scale: Scale::Linear(0.42) },
        y: Axis { title: "processors saved, % of the machine".to_string(), scale: Scale::Linear(100.0) },
        series,
        references: vec![],
    }
    .draw()
}

/// The mean and half the width of its 95 % interval.
fn interval(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, T_95 * (variance / count).sqrt())
}

/// What an ideal community of so many nodes can do, against sigma.
pub(super) fn ideal(nodes: u64, sources: u64) -> String {
    let each = nodes / sources;
    let curve = |name: &str, hue, forwarding, stroke| {
        let points = (0..=50).map(|step| f64::from(step) / 50.0);
        let points = points.map(|s| (s, lower_band::ideal_speedup(each, &s, forwarding))).collect();
        Series::curve(name, SeriesColour::Hue(hue), points).stroked(stroke)
    };
    let optimum = (1..=100)
        .map(|step| f64::from(step) / 100.0)
        .map(|s| (s, (each as f64).min(1.0 + 4.0 / s)))
        .collect();
    let series = vec![
        curve("ideal community, cut-through", 0, Forwarding::CutThrough, Stroke::Solid),
        curve("ideal community, store-and-forward", 2, Forwarding::ModifiedStoreAndForward, Stroke::Solid),
        Series::curve("what four links allow: 1 + 4 / sigma", SeriesColour::Hue(4), optimum)
            .stroked(Stroke::Dashed),
    ];
    Chart {
        label: "Speedup of an ideal community against sigma".to_string(),
        x: Axis { title: "sigma = z Tcm / (w Tcp)".to_string(), scale: Scale::Linear(1.0) },
        y: Axis {
            title: "speedup of one source".to_string(),
            scale: Scale::linear([each as f64].into_iter()),
        },
        series,
        references: vec![],
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instance is as unequal as the printed one, and reduction brings its cells together.
    #[test]
    fn the_instance_is_like_the_printed_one() {
        let machine = machine("mesh:50x50");
        let sources = sources(&machine, SEED, false);
        let range = |method| {
            let case =
                CellsCase { network: "mesh:50x50", method, sigma: 0.05, forwarding: Forwarding::CutThrough };
            let cells = scheduled(&machine, &sources, case, Reduction::Peel).cells;
            cells
                .iter()
                .fold((f64::INFINITY, 0.0f64), |(l, m), cell| (l.min(cell.speedup), m.max(cell.speedup)))
        };
        let ((least, most), (after, reduced)) = (range("voronoi"), range("reduced"));
        assert!((102.0..112.0).contains(&least) && (266.0..276.0).contains(&most), "{least} {most}");
        assert!(after == least && reduced < 1.25 * after, "{after} {reduced}");
    }

    /// The middle of nine copies in the plane has the distances of the torus, found by wrapping.
    #[test]
    fn the_middle_copy_is_the_torus() {
        let plane = machine("mesh:48x48");
        let torus = machine("torus:16x16");
        let on_torus = layers_of(&torus, &COPIED.map(|(row, column)| NodeId(row * SIDE + column)));
        let in_plane = layers_of(&plane, &copied());
        for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
            let here = ((SIDE + row) * 3 * SIDE + SIDE + column) as usize;
            let there = (row * SIDE + column) as usize;
            assert_eq!(in_plane.depth[here], on_torus.depth[there], "({row}, {column})");
        }
    }
}
