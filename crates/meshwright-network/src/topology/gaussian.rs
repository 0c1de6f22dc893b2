//! Gaussian networks: the Gaussian integers modulo one of them, each wired to the four at distance 1.

use super::graph_file::{Arc, ArcList};
use super::{Family, Graph, NODES_MAX, Network};
use meshwright_core::error::{Error, Result};

/// `gaussian:A+Bi`.
pub const GAUSSIAN: Family = Family {
    name: "gaussian",
    example: "gaussian:2+3i",
    usage: "gaussian:A+Bi",
    build: |text| {
        let wrong = || {
            let expected = format!("A+Bi with whole numbers A and B, and A^2 + B^2 from 1 to {NODES_MAX}");
            Error::value("Gaussian network", format!("`{text}`"), expected)
        };
        let (a, b) = text.strip_suffix('i').and_then(|rest| rest.split_once('+')).ok_or_else(wrong)?;
        let (a, b): (u32, u32) = (a.parse().map_err(|_| wrong())?, b.parse().map_err(|_| wrong())?);
        let norm = a.saturating_mul(a).saturating_add(b.saturating_mul(b));
        if norm == 0 || norm > NODES_MAX {
            return Err(wrong());
        }
        Ok(Network::Graph(gaussian(a, b)?))
    },
};

/// The residues of Gaussian integers modulo a + bi, of which there are a^2 + b^2; each has a wire to its sums with
/// 1, -1, i and -i.
///
/// With d = gcd(a, b), every residue is x + yi with 0 <= y < d and 0 <= x < (a^2 + b^2) / d, in one way; it is node
/// y (a^2 + b^2) / d + x. Residues that coincide, as in small networks, have one wire where others have two.
///
/// # Errors
///
/// As for [`Graph::from_arcs`].
///
/// # Source
///
/// `martinez2008`, section 3.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::{Topology, distances_from, network};
/// use meshwright_core::units::NodeId;
/// let network = network("gaussian:4+5i")?;
/// let distances = distances_from(&network, NodeId(0));
/// let layer = |hops| distances.iter().filter(|&&d| d == hops).count();
/// assert_eq!([0, 1, 2, 3, 4].map(layer), [1, 4, 8, 12, 16], "41 nodes as close as they can be");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
fn gaussian(a: u32, b: u32) -> Result<Graph> {
    let (a, b) = (i64::from(a), i64::from(b));
    let (rows, u, v) = extended_gcd(b, a);
    let columns = (a * a + b * b) / rows;
    // u (a + bi) + v i (a + bi) = shift + rows i is 0 here: the row after the last is the first, moved by -shift.
    let shift = u * a - v * b;
    let node = |x: i64, y: i64| {
        let (x, y) = if y == rows { (x - shift, 0) } else { (x, y) };
        (y * columns + x.rem_euclid(columns)) as u32
    };
    let residues = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    let arcs = residues.flat_map(|(x, y)| {
        [(x + 1, y), (x, y + 1)].map(|(right, up)| Arc { from: node(x, y), to: node(right, up), weight: 1 })
    });
    Graph::from_arcs(&ArcList { vertices: (rows * columns) as u32, arcs: arcs.collect() })
}

/// (d, u, v) with u p + v q = d = gcd(p, q).
fn extended_gcd(p: i64, q: i64) -> (i64, i64, i64) {
    if q == 0 {
        return (p, 1, 0);
    }
    let (d, u, v) = extended_gcd(q, p % q);
    (d, v, u - p / q * v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;
    use meshwright_core::units::NodeId;

    /// Every network against the definition: nodes are wired when their difference and one of 1, -1, i, -i agree
    /// modulo a + bi, that is, when the conjugate of the modulus times what is left is divisible by the norm.
    #[test]
    fn wires_are_units_modulo_the_generator() {
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|&(a, b)| a + b > 0) {
            let graph = gaussian(a, b).unwrap();
            let (a, b) = (i64::from(a), i64::from(b));
            let norm = a * a + b * b;
            assert_eq!(i64::from(graph.nodes()), norm);
            let columns = norm / extended_gcd(a, b).0;
            let is_zero = |x: i64, y: i64| (x * a + y * b) % norm == 0 && (y * a - x * b) % norm == 0;
            for (from, to) in (0..norm).flat_map(|from| (0..norm).map(move |to| (from, to))) {
                let (x, y) = (to % columns - from % columns, to / columns - from / columns);
                assert_eq!(is_zero(x, y), from == to, "residues are different");
                let expected = from != to
                    && [(1, 0), (-1, 0), (0, 1), (0, -1)].iter().any(|&(p, q)| is_zero(x - p, y - q));
                let node = NodeId(from as u32);
                let ports = (0..graph.ports(node)).map(meshwright_core::units::Port);
                let wired =
                    ports.filter_map(|port| graph.neighbour(node, port)).any(|next| next.0 == to as u32);
                assert_eq!(wired, expected, "{a}+{b}i: {from} to {to}");
            }
        }
    }
}
