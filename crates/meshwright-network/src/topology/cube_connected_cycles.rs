//! Cube-connected cycles: a hypercube whose nodes are rings, so that every node has three wires.
//!
//! This is the cubic network whose definition is beyond doubt. The connected cubic network graph of Selçuk and Karci
//! (2017) is another one; its definition was not at hand, and a machine of it can be given as `graph:FILE`.

use super::graph_file::{Arc, ArcList};
use super::{Family, Graph, Network};
use meshwright_core::error::{Error, Result};

/// 20 would be more nodes than a machine may have.
const DIMENSION_MAX: u32 = 19;

/// `ccc:D`.
pub const CUBE_CONNECTED_CYCLES: Family = Family {
    name: "ccc",
    example: "ccc:3",
    usage: "ccc:D",
    build: |text| {
        let wrong = || {
            let expected = format!("a whole number from 1 to {DIMENSION_MAX}");
            Error::value("dimension of cube-connected cycles", format!("`{text}`"), expected)
        };
        let dimension: u32 = text.parse().map_err(|_| wrong())?;
        if dimension == 0 || dimension > DIMENSION_MAX {
            return Err(wrong());
        }
        Ok(Network::Graph(cube_connected_cycles(dimension)?))
    },
};

/// d 2^d nodes (corner, place), of which (c, p) is node c d + p; it has wires to (c, p + 1 mod d), (c, p - 1 mod d) and
/// (c with bit p changed, p).
///
/// From d = 3 on every node has three wires; with d = 2 the rings are single wires and all is a ring of 8 nodes.
///
/// # Errors
///
/// As for [`Graph::from_arcs`].
///
/// # Source
///
/// `preparata1981`, section 2.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::{Topology, network};
/// use meshwright_core::units::{Hops, NodeId};
/// let cubic = network("ccc:4")?;
/// assert_eq!((cubic.nodes(), cubic.links()), (4 * 16, 3 * 4 * 16));
/// assert_eq!(cubic.eccentricity(NodeId(5)), Hops(2 * 4 + 4 / 2 - 2), "the diameter from d = 4 on");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
fn cube_connected_cycles(dimension: u32) -> Result<Graph> {
    let node = |corner: u32, place: u32| corner * dimension + place;
    let nodes = (0..1u32 << dimension).flat_map(|corner| (0..dimension).map(move |place| (corner, place)));
    let arcs = nodes.flat_map(|(corner, place)| {
        [node(corner, (place + 1) % dimension), node(corner ^ (1 << place), place)].map(|to| Arc {
            from: node(corner, place),
            to,
            weight: 1,
        })
    });
    Graph::from_arcs(&ArcList { vertices: dimension << dimension, arcs: arcs.collect() })
}

#[cfg(test)]
mod tests {
    use crate::topology::{Topology, distances_from, network};
    use meshwright_core::units::NodeId;

    #[test]
    fn all_nodes_are_alike() {
        for (dimension, degree) in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 3)] {
            let cubic = network(&format!("ccc:{dimension}")).unwrap();
            let layers = |node| {
                let mut distances = distances_from(&cubic, NodeId(node));
                distances.sort_unstable();
                distances
            };
            for node in 0..cubic.nodes() {
                assert_eq!(cubic.ports(NodeId(node)), degree);
                assert_eq!(layers(node), layers(0), "ccc:{dimension}, node {node}");
            }
        }
    }
}
