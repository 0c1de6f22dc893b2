//! What crosses links and is worked off at constant rates.

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
pub struct Phase {
    /// When it begins, in units of w Tcp.
    pub from: f64,
    /// When it ends.
    pub until: f64,
    /// What crosses and is worked off in between.
    pub flow: Flow,
}
