//! Flows in networks: what several planners solve, each once.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Flow`], [`FlowPhase`]: what crosses the links of a machine |
//! | `max_flow` | maximum flow in whole units, by push and relabel |
//! | `hand_over` | one augmenting path after the other, on the same network |
//! | `blocking` | blocking flows along shortest paths, on that network and on a grid in floats |
//! | `cheapest` | cheapest flow in whole units of 128 bits, by cheapest paths |
//! | `acyclic` | a flow without circles, from the sources outwards |
//! | `allocation` | an amount for each set of takers, so that the slowest is as fast as can be |

pub(crate) mod acyclic;
pub(crate) mod allocation;
pub(crate) mod blocking;
pub(crate) mod cheapest;
pub(crate) mod hand_over;
pub(crate) mod max_flow;

/// What crosses every link and what every node works off.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// By link id the share of the whole load that crosses it, net: never both directions of a wire.
    pub link: Vec<f64>,
    /// By node id the share of the whole load it works off.
    pub node: Vec<f64>,
}

/// The flow between two moments, at constant rates.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPhase {
    /// When it begins, in units of w Tcp.
    pub from: f64,
    /// When it ends.
    pub until: f64,
    /// What crosses and is worked off in between.
    pub flow: Flow,
}
