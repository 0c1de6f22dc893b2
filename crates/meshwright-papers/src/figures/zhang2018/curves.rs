//! Shares and speedups against sigma, and over n and sigma.

use meshwright_core::units::NodeId;
use meshwright_core::words::counted;
use meshwright_load::shares::closed_form;
use meshwright_load::{Forwarding, Problem, Source, layers, optimum};
use meshwright_network::topology::Machine;
use meshwright_report::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use meshwright_report::svg::surface::Surface;

/// The steps of sigma, from 0 to 1.
const STEPS: u32 = 50;

const SIGMA: &str = "sigma = z Tcm / (w Tcp)";

/// The cases of a family of networks: each with its name and its one source.
pub(super) struct NetworkCase {
    pub(super) name: String,
    pub(super) machine: Machine,
    pub(super) source: NodeId,
}

impl NetworkCase {
    /// The case of a machine that is known to exist.
    pub(super) fn new(name: impl Into<String>, machine: &str, source: u32) -> Self {
        let machine = Machine::new(machine).expect("the machines of the figures exist");
        Self { name: name.into(), machine, source: NodeId(source) }
    }

    pub(super) fn layers(&self) -> Vec<u64> {
        layers::counts(&self.machine, &[self.source])
    }

    /// The speedup that no schedule exceeds.
    fn optimum(&self, sigma: f64) -> f64 {
        let problem = Problem::new(&self.machine, vec![Source::at(self.source, 1.0)], sigma);
        let (makespan, _) = problem.and_then(|problem| optimum::makespan(&problem)).expect("a whole network");
        1.0 / makespan
    }
}

fn sigmas() -> impl Iterator<Item = f64> {
    (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS))
}

fn sigma_axis() -> Axis {
    Axis { title: SIGMA.to_string(), scale: Scale::Linear(1.0) }
}

/// The name of a layer; under cut-through layers 0 and 1 have the same share.
fn layer_name(layer: usize, nodes: u64, forwarding: Forwarding) -> String {
    match (layer, forwarding) {
        (0, Forwarding::CutThrough) => "layers 0 and 1".to_string(),
        (0, _) => "layer 0, the source".to_string(),
        _ => format!("layer {layer}, {}", counted(nodes, "node")),
    }
}

/// The share of a node of each layer against sigma.
fn share_series(layers: &[u64], forwarding: Forwarding, stroke: Stroke, prefix: &str) -> Vec<Series> {
    let shown = (0..layers.len()).filter(|&layer| layer != 1 || forwarding != Forwarding::CutThrough);
    let series = |layer: usize| {
        let points = sigmas().map(|s| (s, closed_form::fractions(layers, &s, forwarding)[layer])).collect();
        let name = format!("{prefix}{}", layer_name(layer, layers[layer], forwarding));
        Series::curve(name, SeriesColour::Hue(layer), points).stroked(stroke)
    };
    shown.map(series).collect()
}

fn share_chart(label: &str, series: Vec<Series>) -> String {
    let most = series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let y = Axis { title: "share of the load of one processor".to_string(), scale: Scale::linear(most) };
    Chart { label: label.to_string(), x: sigma_axis(), y, series, references: vec![] }.draw()
}

/// The shares of all layers.
pub(super) fn shares(layers: &[u64], forwarding: Forwarding) -> String {
    share_chart("Shares against sigma", share_series(layers, forwarding, Stroke::Solid, ""))
}

/// The shares of all layers, under cut-through and under modified store-and-forward.
pub(super) fn both_shares(layers: &[u64]) -> String {
    let mut series = share_series(layers, Forwarding::CutThrough, Stroke::Solid, "cut-through: ");
    let stored = Forwarding::ModifiedStoreAndForward;
    series.extend(share_series(layers, stored, Stroke::Dashed, "store-and-forward: "));
    share_chart("Shares against sigma under both switchings", series)
}

/// Speedup of layers against sigma, by name.
pub(super) fn speedups_of_layers(all: &[(String, Vec<u64>)], forwarding: Forwarding) -> String {
    speedup_chart(
        all.iter()
            .enumerate()
            .map(|(i, (name, layers))| {
                let points = sigmas().map(|s| (s, closed_form::speedup(layers, &s, forwarding))).collect();
                let ink = if all.len() > 1 { SeriesColour::Step(i, all.len()) } else { SeriesColour::Hue(0) };
                Series::curve(name.clone(), ink, points)
            })
            .collect(),
    )
}

/// Speedup against sigma, by case, and what no schedule exceeds in the last case.
pub(super) fn speedups(cases: &[NetworkCase], forwarding: Forwarding) -> String {
    let mut series: Vec<Series> = cases
        .iter()
        .enumerate()
        .map(|(i, case)| {
            let layers = case.layers();
            let points = sigmas().map(|s| (s, closed_form::speedup(&layers, &s, forwarding))).collect();
            Series::curve(case.name.clone(), SeriesColour::Step(i, cases.len()), points)
        })
        .collect();
    if let Some(last) = cases.last() {
        let points = sigmas().map(|s| (s, last.optimum(s))).collect();
        let name = format!("optimum, {}", last.name);
        series.push(Series::curve(name, SeriesColour::Hue(4), points).stroked(Stroke::Dashed));
    }
    speedup_chart(series)
}

fn speedup_chart(series: Vec<Series>) -> String {
    let most = series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let y = Axis { title: "speedup".to_string(), scale: Scale::linear(most) };
    Chart { label: "Speedup against sigma".to_string(), x: sigma_axis(), y, series, references: vec![] }
        .draw()
}

/// The difference of two speedups against sigma, case by case.
pub(super) fn differences(cases: &[(NetworkCase, NetworkCase)], forwardings: [Forwarding; 2]) -> String {
    let series: Vec<Series> = cases
        .iter()
        .enumerate()
        .map(|(i, (first, second))| {
            let (a, b) = (first.layers(), second.layers());
            let points = sigmas()
                .map(|s| {
                    (
                        s,
                        closed_form::speedup(&a, &s, forwardings[0])
                            - closed_form::speedup(&b, &s, forwardings[1]),
                    )
                })
                .collect();
            Series::curve(first.name.clone(), SeriesColour::Step(i, cases.len()), points)
        })
        .collect();
    let values = || series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let y = Axis { title: "difference of speedups".to_string(), scale: Scale::between(values()) };
    Chart {
        label: "Difference of speedups against sigma".to_string(),
        x: sigma_axis(),
        y,
        series,
        references: vec![],
    }
    .draw()
}

/// Speedup over n and sigma.
pub(super) fn surface(cases: &[NetworkCase], forwarding: Forwarding) -> String {
    values(cases, forwarding).in_space()
}

/// The same as a map, for the figures that the thesis shows from one side only.
pub(super) fn map(cases: &[NetworkCase], forwarding: Forwarding) -> String {
    values(cases, forwarding).map()
}

fn values(cases: &[NetworkCase], forwarding: Forwarding) -> Surface {
    let y: Vec<f64> = (1..=25).map(|step| f64::from(step) * 0.04).collect();
    let layers: Vec<Vec<u64>> = cases.iter().map(NetworkCase::layers).collect();
    let speedup =
        |s: &f64| layers.iter().map(|layers| closed_form::speedup(layers, s, forwarding)).collect::<Vec<_>>();
    Surface {
        label: "Speedup over n and sigma".to_string(),
        titles: ["n".to_string(), "sigma".to_string(), "speedup".to_string()],
        x: (1..=cases.len() as u32).map(f64::from).collect(),
        values: y.iter().flat_map(speedup).collect(),
        y,
    }
}
