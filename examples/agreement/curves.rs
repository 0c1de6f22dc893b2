//! Latency against load, beside BookSim.

use std::fmt::Write as _;

use meshwright_core::Result;

use super::golden::{Point, points};
use super::in_parallel;
use super::sample::{Experiment, Run, Summary, summary};

/// Below the knee the mean latency is at most this many times the zero-load latency.
const KNEE: f64 = 1.2;

/// A network is saturated when the mean latency is more than this many times the zero-load latency.
const SATURATED: f64 = 3.0;

/// Where on the curve a point lies, and with it what the issue asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Waiting adds at most a fifth to the latency.
    BelowKnee,
    /// A load a quarter higher does not saturate the network.
    Below80,
    /// Less than saturated, and nothing is asked of latency.
    Above80,
    /// Only throughput is compared.
    Saturated,
}

impl Zone {
    fn words(self) -> &'static str {
        match self {
            Self::BelowKnee => "below the knee",
            Self::Below80 => "to 80 %",
            Self::Above80 => "above 80 %",
            Self::Saturated => "saturated",
        }
    }

    /// The largest difference asked for, in per cent.
    pub(crate) fn tolerance(self) -> Option<f64> {
        match self {
            Self::BelowKnee => Some(1.0),
            Self::Below80 => Some(3.0),
            Self::Above80 => None,
            Self::Saturated => Some(2.0),
        }
    }
}

/// A reference point beside ours.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) point: Point,
    pub(crate) zone: Zone,
    /// Repeated runs of ours.
    pub(crate) ours: Summary,
    /// The latency of the reference, moved to the expected distance.
    pub(crate) moved: f64,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The difference is within the tolerance.
    Within,
    /// It is not, by less than twice the noise of the reference: nothing can be said.
    Noise,
    /// It is not.
    Miss,
    /// The issue asks nothing here.
    NotAsked,
}

impl Row {
    /// The difference of ours to the reference, in per cent of the reference: of latency, or of throughput.
    pub(crate) fn difference(&self) -> f64 {
        match self.zone {
            Zone::Saturated => (self.ours.accepted / self.point.accepted - 1.0) * 100.0,
            _ => (self.ours.expected / self.moved - 1.0) * 100.0,
        }
    }

    /// The same with nothing moved.
    fn raw(&self) -> f64 {
        match self.zone {
            Zone::Saturated => self.difference(),
            _ => (self.ours.latency / self.point.latency - 1.0) * 100.0,
        }
    }

    /// The noise of the reference, in per cent of it.
    fn noise(&self) -> f64 {
        self.ours.noise / self.moved * 100.0
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let Some(tolerance) = self.zone.tolerance() else { return Outcome::NotAsked };
        let beyond = self.difference().abs() - tolerance;
        match self.zone {
            _ if beyond <= 0.0 => Outcome::Within,
            Zone::BelowKnee | Zone::Below80 if beyond <= 2.0 * self.noise() => Outcome::Noise,
            _ => Outcome::Miss,
        }
    }
}

/// Compares points with so many runs of ours each.
pub(crate) fn compare(points: &[Point], runs: impl Fn(&Point) -> u64) -> Result<Vec<Row>> {
    let mut jobs = Vec::new();
    let mut experiments = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let (machine, router, pattern) = point.set_up()?;
        let (load, window) = (point.offered, point.window());
        // Far from saturation the queues are full after some crossings of the network; nearer, the start of the
        // reference is repeated as well.
        let calm = point.latency < 1.5 * point.zero_load(point.hops);
        let warm_up = if calm { (8 * u64::from(point.side) + 500).min(window) } else { window };
        let flits = point.flits;
        experiments.push(Experiment {
            machine,
            router,
            pattern,
            load,
            flits,
            warm_up,
            window,
            drain: 10_000,
        });
        jobs.extend((0..=runs(point)).map(|seed| (index, seed)));
    }
    let results = in_parallel(&jobs, |&(index, seed)| {
        let experiment = &experiments[index];
        if seed > 0 {
            return experiment.run(seed);
        }
        // A quarter more load, for the zone.
        let load = (experiment.load / 0.8).min(1.0);
        Experiment { load, window: 3000, drain: 3000, ..experiment.clone() }.run(seed)
    })?;
    let mut rows = Vec::new();
    let mut rest = jobs.iter().zip(results).peekable();
    for (index, point) in points.iter().enumerate() {
        let (_, higher) = rest.next().expect("each point has its run with more load");
        let mut own = Vec::new();
        while let Some((_, run)) = rest.next_if(|(job, _)| job.0 == index && job.1 > 0) {
            own.push(run);
        }
        let experiment = &experiments[index];
        let hops = experiment.pattern.mean_hops(&experiment.machine).expect("a mesh is connected");
        rows.push(row(point, hops, &own, higher));
    }
    Ok(rows)
}

fn row(point: &Point, hops: f64, runs: &[Run], higher: Run) -> Row {
    let ours = summary(runs, hops, point.hop_cycles(), point.accepted);
    let zero_load = point.zero_load(hops);
    let zone = if ours.latency > SATURATED * zero_load {
        Zone::Saturated
    } else if ours.latency <= KNEE * zero_load {
        Zone::BelowKnee
    } else if higher.complete && higher.latency <= SATURATED * zero_load {
        Zone::Below80
    } else {
        Zone::Above80
    };
    let moved = point.latency + (hops - point.hops) * point.hop_cycles();
    Row { point: point.clone(), zone, ours, moved }
}

/// The second table of the page.
pub(crate) fn section() -> Result<String> {
    let mut rows = compare(&points("booksim2"), |point| if point.side == 64 { 4 } else { 12 })?;
    let key = |row: &Row| {
        let p = &row.point;
        (p.pattern == "transpose", p.pipe != "rd1", p.side, p.channels, p.buffer, p.flits)
    };
    rows.sort_by(|a, b| {
        key(a)
            .cmp(&key(b))
            .then(a.point.offered.total_cmp(&b.point.offered))
            .then(a.point.cycles.cmp(&b.point.cycles))
    });
    let mut text = String::from(INTRODUCTION);
    for row in &rows {
        line(&mut text, row);
    }
    tally(&mut text, &rows);
    Ok(text)
}

const INTRODUCTION: &str = "## Latency against load, beside BookSim 2\n\n\
    Preset `booksim`. One row for each run of BookSim that was recorded. *router* is the pipeline, the side of the mesh,\n\
    virtual channels, flits of buffer in each, and flits of a packet.\n\n\
    The runs of the reference are short, and chance shows in them: the packets of a run travel a little more or less than\n\
    expected, and a little more or less load is accepted than was offered. This is taken into account in the open:\n\n\
    * *reference* is the mean latency as it was recorded. *moved* is the same at the expected mean distance: for each\n\
    \x20\x20link too few or too many, the zero-load cost of a link is added or taken away (5 cycles, or 3 without routing delay and\n\
    \x20\x20with speculation). Ours is moved in the same way.\n\
    * *ours* is the mean of 12 runs (4 on 64x64) at the offered load, with the window of the reference, and half its 95 %\n\
    \x20\x20interval; *raw* is its difference to the reference as recorded.\n\
    * *expected* is what a straight line through our runs, latency over accepted load, says at the load the reference\n\
    \x20\x20accepted. *noise* is the standard error of that prediction for one run: how far the reference may stray by chance.\n\
    * *difference* is that of *expected* to *moved*.\n\n\
    The window of a reference run was not recorded, only its length with warm-up and drain; it is the one that fits the length\n\
    and makes the accepted load a whole number of flits (30,000, 6000, 3000 or 1200 cycles).\n\n\
    The zones: *below the knee* the mean latency of ours is at most 1.2 times the zero-load latency, and 1 % is asked for;\n\
    *to 80 %* a load a quarter higher keeps it below 3 times the zero-load latency, and 3 % is asked for; *saturated* it is\n\
    more than 3 times the zero-load latency, and 2 % of throughput is asked for: latency grows with the window then. In\n\
    between (*above 80 %*) nothing is asked for. The verdict is **yes** within the tolerance, **noise** when the part\n\
    beyond it is less than twice the noise of the reference, else **no**.\n\n\
    | pattern | router | load | accepted | reference | moved | ours | raw | expected | noise | difference | zone | verdict |\n\
    |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n";

fn line(text: &mut String, row: &Row) {
    let Point { pattern, pipe, side, channels, buffer, flits, offered, accepted, latency, .. } = &row.point;
    let verdict = match row.outcome() {
        Outcome::Within => "yes",
        Outcome::Noise => "noise",
        Outcome::Miss => "**no**",
        Outcome::NotAsked => "",
    };
    let what = match row.zone {
        Zone::Saturated => format!("| | | accepts {:.4} | | |", row.ours.accepted),
        _ => {
            let raw = row.raw();
            let Summary { latency: ours, half, expected, .. } = row.ours;
            let (moved, noise) = (row.moved, row.noise());
            format!(
                "| {latency:.2} | {moved:.2} | {ours:.2} ± {half:.2} | {raw:+.2} % | {expected:.2} | {noise:.2} %"
            )
        }
    };
    writeln!(
        text,
        "| {pattern} | {pipe} {side}x{side} V{channels} B{buffer} L{flits} | {offered} | {accepted:.4} {what} | {:+.2} % | {} | {verdict} |",
        row.difference(),
        row.zone.words(),
    )
    .expect("a string takes everything");
}

/// How many points of each zone agree, and how many would without moving anything.
fn tally(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n| zone | asked for | points | yes | noise | no | raw within |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for zone in [Zone::BelowKnee, Zone::Below80, Zone::Above80, Zone::Saturated] {
        let of = |outcome| rows.iter().filter(|row| row.zone == zone && row.outcome() == outcome).count();
        let raw = |row: &&Row| {
            row.zone == zone && zone.tolerance().is_some_and(|tolerance| row.raw().abs() <= tolerance)
        };
        let all = rows.iter().filter(|row| row.zone == zone).count();
        let asked = zone.tolerance().map_or(String::new(), |tolerance| format!("{tolerance} %"));
        let [yes, noise, no] = [Outcome::Within, Outcome::Noise, Outcome::Miss].map(of);
        let raw = rows.iter().filter(raw).count();
        writeln!(text, "| {} | {asked} | {all} | {yes} | {noise} | {no} | {raw} |", zone.words())
            .expect("a string takes everything");
    }
    let free: Vec<&Row> = rows.iter().filter(|row| row.zone != Zone::Saturated).collect();
    let strays = |row: &&&Row| row.difference().abs() > 2.0 * row.noise();
    let strayed = free.iter().filter(strays).map(|row| row.difference().abs()).fold(0.0, f64::max);
    writeln!(
        text,
        "\n*raw within* counts the points that meet the tolerance with nothing moved. Of the {} points that are not saturated,\n\
         {} differ by more than twice their noise, at most by {strayed:.2} %.\n",
        free.len(),
        free.iter().filter(strays).count(),
    )
    .expect("a string takes everything");
}
