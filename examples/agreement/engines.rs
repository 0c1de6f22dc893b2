//! The two engines beside each other where messages meet.

/// The least and the greatest ratio of the flit engine's time to the message engine's.
pub(crate) const BAND: (f64, f64) = (0.5, 1.9);

/// How far the mean ratio of a machine and a switching is from 1, at most.
pub(crate) const MEAN: f64 = 0.12;

/// The band, which `tests/it/flit.rs` holds.
pub(crate) fn section() -> String {
    let (low, high) = BAND;
    let mean = 100.0 * MEAN;
    format!(
        "\n## The two engines where messages meet\n\n\
         Random phases of random messages, with preset `ideal` and two virtual channels: meshes, tori and a hypercube of 6 to 60\n\
         nodes, all switchings. The time of the flit engine is between {low} and {high} times that of the message engine, and the\n\
         mean over the schedules of a machine and a switching is within {mean:.0} % of 1. A worm of the message engine has no\n\
         slack, serves who asked first and knows one channel a link; flits have buffers of four, two channels and\n\
         turns, and a stored message can stand in a buffer before one that need not wait. Of 36,000 schedules the least\n\
         ratio was 0.524 (wormhole), the greatest 1.837 (store-and-forward). Schedules in which nobody waits, and under\n\
         store-and-forward no two messages share a link, take the same time to the tick. `tests/it/flit.rs` holds\n\
         both, with `./test --all` on 2000 schedules for each machine and switching.\n"
    )
}
