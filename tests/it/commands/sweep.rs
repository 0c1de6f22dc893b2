//! `sweep`: what the network accepts is no more than the bound of the curve.

use super::draw::Draw;
use super::{Answer, Case, Kind};

pub(super) const SWEEP: Kind = Kind { verb: "sweep", word: "", draw, laws };

const PATTERNS: &[&str] =
    &["uniform", "transpose", "bit-complement", "bit-reverse", "shuffle", "tornado", "neighbour", "hot-spot"];
const ROUTINGS: &[&str] = &[
    "dimension-order",
    "yx",
    "o1turn",
    "valiant",
    "min-adaptive",
    "west-first",
    "odd-even",
    "up-down",
    "shortest-path",
];

fn draw(draw: &mut Draw) -> Case {
    let spec = draw.of(&["mesh:4x4", "mesh:2x8", "torus:4x4", "mesh:8", "hypercube:3", "mesh:3x5"]);
    let mut case =
        Case::new(&["sweep", "--on", spec, "--json", "--points", "2", "--to", draw.of(&["0.2", "0.6", "1"])]);
    case.add(&["--traffic", draw.of(PATTERNS), "--warm-up", "200", "--measure", "400", "--drain", "400"]);
    case.add(&["--seed", &draw.seed(), "--packet", draw.of(&["1", "4"])]);
    if draw.one_in(2) {
        case.add(&["--set", &format!("routing={}", draw.of(ROUTINGS))]);
    }
    if draw.one_in(4) {
        case.add(&["--preset", draw.of(&["ideal", "booksim", "caminos", "cnsim"])]);
    }
    case
}

/// What is carried is no more than the bound. What arrives of too great a load may be more: traffic that avoids the full
/// channel goes on.
fn laws(answer: &Answer<'_>) -> Result<(), String> {
    // Flits that wait in the network when the measurement begins may leave within it: at most what all buffers of a node
    // hold, over 400 cycles.
    const STORED: f64 = 64.0 / 400.0;
    let bound = answer.json["bound"].as_f64();
    for point in answer.json["points"].as_array().ok_or("no points")? {
        let (offered, accepted) = (point["offered"].as_f64(), point["accepted"].as_f64());
        if let (Some(offered), Some(bound), Some(false)) = (offered, bound, point["saturated"].as_bool())
            && offered > bound + STORED
        {
            return Err(format!("{offered} is carried, the bound is {bound}"));
        }
        if let (Some(offered), Some(accepted)) = (offered, accepted)
            && accepted > offered + STORED
        {
            return Err(format!("{accepted} arrives of {offered}"));
        }
    }
    Ok(())
}
