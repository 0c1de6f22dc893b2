//! The two engines beside each other where messages meet.

/// The least and the greatest ratio of the flit engine's time to the message engine's.
pub(crate) const BAND: (f64, f64) = (0.5, 1.9);

/// How far the mean ratio of a machine and a switching is from 1, at most.
pub(crate) const MEAN: f64 = 0.12;

/// How far the engines are apart under one kind of workload on tori under wormhole.
pub(crate) struct RingBand {
    /// The workload.
    pub(crate) workload: &'static str,
    /// Every ratio of the flit engine's time to that of whole messages is above this one,
    pub(crate) least: f64,
    /// and below this one.
    pub(crate) greatest: f64,
    /// How far the mean ratio of a machine is from 1, at most.
    pub(crate) mean: f64,
}

/// The bands on tori, which `tests/it/flit/rings.rs` holds.
pub(crate) const RINGS: &[RingBand] = &[
    RingBand { workload: "random messages", least: 0.58, greatest: 1.8, mean: 0.12 },
    RingBand { workload: "permutations", least: 0.6, greatest: 1.95, mean: 0.1 },
    RingBand { workload: "shifts", least: 0.8, greatest: 1.5, mean: 0.05 },
    RingBand { workload: "recursive doubling", least: 0.9, greatest: 1.1, mean: 0.06 },
    RingBand { workload: "all to all", least: 0.55, greatest: 1.2, mean: 0.45 },
];

/// What `tests/it/flit/rings.rs` finds with 300 seeds: runs, the least and the greatest ratio, those of the means of machines.
const FOUND: [(u32, [f64; 4]); 5] = [
    (10800, [0.633, 1.671, 0.955, 1.006]),
    (10800, [0.651, 1.836, 0.957, 1.031]),
    (10800, [0.859, 1.399, 0.977, 1.015]),
    (36, [0.944, 1.053, 0.992, 1.020]),
    (36, [0.601, 1.060, 0.610, 1.018]),
];

/// The bands, which `tests/it/flit.rs` and `tests/it/flit/rings.rs` hold.
pub(crate) fn section() -> String {
    let (low, high) = BAND;
    let mean = 100.0 * MEAN;
    format!(
        "\n## The two engines where messages meet\n\n\
         Random phases of random messages, with preset `ideal` and two virtual channels: meshes, tori and a hypercube of 6 to 60\n\
         nodes, all switchings. The time of the flit engine is between {low} and {high} times that of the message engine, and the\n\
         mean over the schedules of a machine and a switching is within {mean:.0} % of 1. A worm of the message engine has no\n\
         slack, serves who asked first and knows one channel a link (on a torus two); flits have buffers of four, two channels and\n\
         turns, and a stored message can stand in a buffer before one that need not wait. Of 36,000 schedules the least\n\
         ratio was 0.524 (wormhole), the greatest 1.837 (store-and-forward). Schedules in which nobody waits, and under\n\
         store-and-forward no two messages share a link, take the same time to the tick. `tests/it/flit.rs` holds\n\
         both, with `./test --all` on 2000 schedules for each machine and switching.\n"
    ) + &on_rings()
}

/// Worms on tori.
fn on_rings() -> String {
    let mut text = String::from(
        "\n## Worms on rings\n\n\
         On a torus under wormhole whole messages have the date-line classes that routers have: two channels on each link, one\n\
         wire under both. A worm that stands leaves its wires to those in the other class; on routers two that move share a wire\n\
         flit by flit, whole messages have it one after the other. Nine tori of one to three axes and 5 to 64 nodes, messages of\n\
         16 and 256 bytes (at random: 2 to 78), with barriers and without, preset `ideal`: the time of the flit engine over that\n\
         of whole messages, and the mean of it on each torus.\n\n\
         | workload | runs | least | greatest | band | means | from 1 at most |\n\
         |---|--:|--:|--:|---|---|--:|\n",
    );
    for (band, (runs, [least, greatest, from, to])) in RINGS.iter().zip(FOUND) {
        text += &format!(
            "| {} | {runs} | {least:.3} | {greatest:.3} | {} to {} | {from:.3} to {to:.3} | {:.0} % |\n",
            band.workload,
            band.least,
            band.greatest,
            100.0 * band.mean
        );
    }
    text + "\nThe two differ most where everybody sends to everybody on a small torus: whole messages that wait at their source have\n\
            asked before the worms that come by, routers let both in by turns. The allreduce of `examples/allreduce.rs`, 4096\n\
            ranks on torus:64x64 and 1 KiB a message, takes 224,272 cycles as whole messages and 224,488 on routers.\n\
            `tests/it/flit/rings.rs` holds the bands, with `./test --all` in as many runs.\n"
}
