//! The timing diagram of a plan for one source: when a node of each layer is sent its share, and when it works.

use super::closed_form;
use crate::{Forwarding, Number};

/// What one node of a layer does; times in units of w Tcp.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTiming<N> {
    /// How many nodes do the same.
    pub nodes: u64,
    /// The share of one of them.
    pub load: N,
    /// From when until when its share leaves the source; `None` for a source, and where there is nothing to send.
    pub communication: Option<[N; 2]>,
    /// From when until when it works.
    pub computing: [N; 2],
}

/// The timing diagram of the thesis, layer by layer.
///
/// The first link of a path carries the shares of layers 1, 2... one after the other. A node begins to work when its
/// share begins to leave the source (cut-through), when all of it has left (modified store-and-forward), or when
/// all of it has come hop by hop (store-and-forward). All stop at the makespan.
///
/// Under cut-through with sigma > 1 the share of layer 1 leaves the source until sigma T, after it should have been
/// worked off: no link can do what the formula of the thesis asks for there.
///
/// # Panics
///
/// As for [`closed_form::speedup`].
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, figures 3.2, 3.5, 3.8 and 4.1.
///
/// # Examples
///
/// ```
/// use meshwright_core::exact::Exact;
/// use meshwright_load::Forwarding;
/// use meshwright_load::shares::timing::timing;
/// let rows = timing(&[1, 2, 1], &Exact::fraction(1, 2), Forwarding::CutThrough);
/// let [zero, wait, end] = [Exact::zero(), Exact::fraction(1, 7), Exact::fraction(2, 7)];
/// assert_eq!(rows[1].communication, Some([zero, wait.clone()]));
/// assert_eq!(rows[2].computing, [wait, end], "layer 2 waits for the shares of layer 1");
/// ```
pub fn timing<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> Vec<LayerTiming<N>> {
    let fractions = closed_form::fractions(layers, sigma, forwarding);
    let makespan = fractions[0].clone();
    let mut sent = N::zero();
    let mut arrived = N::zero();
    let row = |(k, (&nodes, load)): (usize, (&u64, N))| {
        if k == 0 {
            let computing = [N::zero(), makespan.clone()];
            return LayerTiming { nodes, load, communication: None, computing };
        }
        if load == N::zero() {
            let computing = [makespan.clone(), makespan.clone()];
            return LayerTiming { nodes, load, communication: None, computing };
        }
        let transfer = sigma.clone() * load.clone();
        let from = sent.clone();
        sent = from.clone() + transfer.clone();
        // Hop by hop a share comes two transfers after the one of the layer before.
        let hops = if k == 1 { transfer } else { transfer.clone() + transfer };
        arrived = arrived.clone() + hops;
        let begin = match forwarding {
            Forwarding::CutThrough => from.clone(),
            Forwarding::ModifiedStoreAndForward => sent.clone(),
            Forwarding::StoreAndForward => arrived.clone(),
        };
        let communication = Some([from, sent.clone()]);
        LayerTiming { nodes, load, communication, computing: [begin, makespan.clone()] }
    };
    layers.iter().zip(fractions).enumerate().map(row).collect()
}
