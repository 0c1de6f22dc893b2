//! Placements that know nothing of the job: along a node order, and at random.

use rand::seq::SliceRandom;

use super::{Method, Request};
use meshwright_core::error::{Error, Result};
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Network, Topology, order};

/// Task t on the t-th node, row after row.
pub const ROW_MAJOR: Method = Method {
    name: "row-major",
    summary: "task t on node t: what one gets without a tool",
    place: |request| along("row", request),
};

/// Task t on the t-th node of the snake.
pub const SNAKE: Method = Method {
    name: "snake",
    summary: "row after row, back and forth",
    place: |request| along("snake", request),
};

/// Task t on the t-th node of the Hilbert curve.
pub const HILBERT: Method = Method {
    name: "hilbert",
    summary: "along the Hilbert curve: near in number, near on the machine",
    place: |request| along("hilbert", request),
};

/// A random permutation of the living nodes.
pub const RANDOM: Method = Method {
    name: "random",
    summary: "a random permutation: what a scheduler may hand out",
    place: |request| {
        let mut nodes: Vec<NodeId> = request.machine.living().collect();
        nodes.shuffle(&mut stream(request.seed, "placement"));
        nodes.truncate(request.tasks as usize);
        Ok(nodes)
    },
};

/// The first living nodes of an order.
fn along(name: &'static str, request: &Request<'_>) -> Result<Vec<NodeId>> {
    let machine = request.machine;
    if matches!(machine.network(), Network::Graph(_)) && name != "row" {
        return Err(Error::not_applicable(name, "it needs a mesh, torus or hypercube"));
    }
    let walk = (order::order(name)?.walk)(machine.sides());
    Ok(walk.into_iter().filter(|&node| machine.is_alive(node)).take(request.tasks as usize).collect())
}
