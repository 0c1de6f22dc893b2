//! Latency against load beside simulators whose allocators the engine does not have.

use std::fmt::Write as _;

use meshwright_core::Result;

use super::golden::{Point, points};
use super::in_parallel;
use super::sample::Experiment;

/// The third table of the page.
pub(crate) fn section() -> Result<String> {
    let mut text = String::from(
        "## CAMINOS and CNSim, for information\n\n\
         Beyond the formulae above the presets `caminos` and `cnsim` stand for different routers. CAMINOS has\n\
         output buffers and a random allocator, CNSim serves packets by age; the engine has neither and asks for no\n\
         agreement here. Waiting is what a packet takes beyond the zero-load formula at its mean distance. Each row is\n\
         one run of ours with a window of 3000 cycles.\n\n\
         | simulator | pattern | mesh | router | load | reference | ours | difference | waiting there | waiting here |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for simulator in ["caminos", "cnsim"] {
        let mut points = points(simulator);
        points.sort_by(|a, b| {
            let key = |p: &Point| (p.pattern != "uniform", p.side, p.flits, p.channels);
            key(a).cmp(&key(b)).then(a.offered.total_cmp(&b.offered)).then(a.cycles.cmp(&b.cycles))
        });
        let runs = in_parallel(&points, |point| {
            let (machine, router, pattern) = point.set_up()?;
            let (warm_up, window) = (1000, if point.side == 64 { 1000 } else { 3000 });
            Experiment {
                machine,
                router,
                pattern,
                load: point.offered,
                flits: point.flits,
                warm_up,
                window,
                drain: 3000,
            }
            .run(1)
        })?;
        for (point, run) in points.iter().zip(runs) {
            let Point { pattern, side, channels, buffer, flits, offered, latency, hops, .. } = point;
            let pattern = pattern.trim_start_matches("bit");
            writeln!(
                text,
                "| {simulator} | {pattern} | {side}x{side} | V{channels} B{buffer} L{flits} | {offered} | {latency:.2} | {:.2} | {:+.1} % | {:.2} | {:.2} |",
                run.latency,
                (run.latency / latency - 1.0) * 100.0,
                latency - point.zero_load(*hops),
                run.latency - point.zero_load(run.hops),
            )
            .expect("a string takes everything");
        }
    }
    text.push('\n');
    Ok(text)
}
