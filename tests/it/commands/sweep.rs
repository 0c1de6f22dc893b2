//! `sweep`: what the network accepts is no more than the bound of the curve.

use super::draw::Draw;
use super::{Answer, Case, Kind};

pub(super) const SWEEP: Kind = Kind { verb: "sweep", draw, laws };

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

fn laws(answer: &Answer<'_>) -> Result<(), String> {
    let bound = answer.json["bound"].as_f64();
    for point in answer.json["points"].as_array().ok_or("no points")? {
        let accepted = point["accepted"].as_f64();
        // Flits that wait in the network when the measurement begins may leave within it: at most what all buffers of a
        // node hold, over 400 cycles.
        const STORED: f64 = 64.0 / 400.0;
        if let (Some(accepted), Some(bound)) = (accepted, bound)
            && accepted > bound + STORED
        {
            return Err(format!("accepted {accepted} at {}, bound {bound}", point["load"]));
        }
    }
    Ok(())
}
