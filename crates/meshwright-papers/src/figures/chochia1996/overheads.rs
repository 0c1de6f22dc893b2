//! Figures 4 and 5: what splits and barriers take.

use meshwright_network::topology::Machine;
use meshwright_report::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use meshwright_verdict::groups::experiment::{self, Experiment};
use meshwright_verdict::groups::program::Kind;
use meshwright_verdict::groups::{Drawn, Job, Labels, Pace, methods};

/// As often as the paper repeats its experiments.
const REPEAT: u32 = 2000;

/// Sizes drawn as one point.
const CLASS: u32 = 8;

/// The paper's split on a mesh of side 16, four levels.
fn run(order: &str, kind: Drawn) -> Experiment {
    let mesh = Machine::new("mesh:16x16").expect("it is a mesh").in_packets();
    let mut job = Job::new(order, Labels::Drawn { levels: 4, kind });
    (job.repeat, job.pace) = (REPEAT, Pace::Lockstep);
    let method = methods(Some("paper"), None).expect("it is in the table")[0];
    experiment::run(&job, &mesh, method, &|| ()).expect("the experiment fits the machine")
}

/// Mean with its interval, and the greatest, class by class.
fn curves(experiment: &Experiment, kind: Kind, name: &str, hue: usize) -> [Series; 2] {
    let (mut means, mut spread, mut most) = (Vec::new(), Vec::new(), Vec::new());
    for class in 0..=256 / CLASS {
        let sizes = if class == 0 { 2..CLASS } else { class * CLASS..(class + 1) * CLASS };
        let sizes = sizes.start..sizes.end.min(257);
        let Some(found) = experiment.overhead(kind, |sample| sizes.contains(&sample.size)) else { continue };
        let middle = f64::from(sizes.start + sizes.end - 1) / 2.0;
        means.push((middle, found.mean.mean));
        spread.push(Some(found.mean.ci95).filter(|half| half.is_finite()).unwrap_or(0.0));
        most.push((middle, found.max as f64));
    }
    let mean = Series { spread, ..Series::curve(format!("{name}, mean"), SeriesColour::Hue(hue), means) };
    [
        mean,
        Series::curve(format!("{name}, most observed"), SeriesColour::Hue(hue), most).stroked(Stroke::Dashed),
    ]
}

fn chart(label: &str, series: Vec<Series>) -> String {
    let most = series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let y = Axis { title: "overhead, steps".to_string(), scale: Scale::linear(most) };
    let x = Axis { title: "size of the group, nodes".to_string(), scale: Scale::Linear(260.0) };
    Chart { label: label.to_string(), x, y, series, references: Vec::new() }.draw()
}

/// Figure 4.
pub(super) fn random() -> String {
    let experiment = run("hilbert", Drawn::Scattered);
    let splits = curves(&experiment, Kind::Split, "split", 0);
    let barriers = curves(&experiment, Kind::Barrier, "barrier", 1);
    chart(
        "Steps of splits and barriers against the size of random groups",
        splits.into_iter().chain(barriers).collect(),
    )
}

/// Figure 5.
pub(super) fn consecutive() -> String {
    let hilbert = curves(&run("hilbert", Drawn::Contiguous), Kind::Split, "split, Hilbert order", 0);
    let row = curves(&run("row", Drawn::Contiguous), Kind::Split, "split, row order", 1);
    chart("Steps of splits against the size of consecutive groups", hilbert.into_iter().chain(row).collect())
}
