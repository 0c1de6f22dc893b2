//! The figures of `zhang2018`.
//!
//! Where the thesis draws a random instance, the instance here is another one: its seed is not known.
//!
//! | file | what |
//! |---|---|
//! | `single` | chapter 3, one source and connected sources, cut-through |
//! | `several` | chapters 3 and 4, several sources on a mesh |
//! | `stored` | chapter 4, store-and-forward |
//! | `toroidal` | chapter 5, the torus and the comparisons |
//! | `curves` | shares and speedups against sigma |
//! | `diagrams` | networks, timing |
//! | `voronoi` | cells and what reduction saves |

mod curves;
mod diagrams;
mod several;
mod single;
mod stored;
mod toroidal;
mod voronoi;

use super::Figure;
use curves::NetworkCase;
use meshwright_load::Forwarding;

/// All of them, chapter by chapter.
pub(super) const FIGURES: &[&[Figure]] =
    &[single::FIGURES, several::FIGURES, stored::FIGURES, several::STORED_FIGURES, toroidal::FIGURES];

const CUT_THROUGH: Forwarding = Forwarding::CutThrough;
const STORED: Forwarding = Forwarding::ModifiedStoreAndForward;

/// The layers of sources in the printed matrices 3.97, 3.98 and 5.5.
const BLOCK_42: &[u64] = &[4, 8, 12, 10, 6, 2];
const BLOCK_56: &[u64] = &[7, 14, 15, 10, 6, 3, 1];
const BLOCK_25: &[u64] = &[4, 8, 9, 4];

/// The layers of one source: 2 x 2, 2 x 3 and 3 x 3 from the corner, the border and the middle, 6 x 6 torus.
const L2X2: &[u64] = &[1, 2, 1];
const L2X3: &[u64] = &[1, 2, 2, 1];
const L3X3_BORDER: &[u64] = &[1, 3, 3, 2];
const L3X3_MIDDLE: &[u64] = &[1, 4, 4];
const L6X6_TORUS: &[u64] = &[1, 4, 8, 10, 8, 4, 1];

/// 2 x n meshes from the corner.
fn two_by_n() -> Vec<NetworkCase> {
    (1..=10).map(|n| NetworkCase::new(format!("n = {n}"), &format!("mesh:2x{n}"), 0)).collect()
}

/// 3 x n meshes from the middle of the short side.
fn three_by_n() -> Vec<NetworkCase> {
    (1..=8).map(|n| NetworkCase::new(format!("n = {n}"), &format!("mesh:3x{n}"), n)).collect()
}

/// 5 x n meshes from the middle node.
fn five_by_n() -> Vec<NetworkCase> {
    (1..=5).map(|n| NetworkCase::new(format!("n = {n}"), &format!("mesh:5x{n}"), 2 * n + n / 2)).collect()
}

/// 5 x n tori; all nodes are alike.
fn five_by_n_torus() -> Vec<NetworkCase> {
    (1..=5).map(|n| NetworkCase::new(format!("n = {n}"), &format!("torus:5x{n}"), 0)).collect()
}

/// The layers of connected sources under one name.
fn block(layers: &[u64]) -> Vec<(String, Vec<u64>)> {
    vec![(format!("{} processors", layers.iter().sum::<u64>()), layers.to_vec())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_load::layers;
    use meshwright_network::topology::Machine;

    /// The layers written down here are those of their networks.
    #[test]
    fn layers_are_those_of_the_networks() {
        let cases: [(&str, &[u32], &[u64]); 8] = [
            ("mesh:2x2", &[0], L2X2),
            ("mesh:2x3", &[0], L2X3),
            ("mesh:3x3", &[3], L3X3_BORDER),
            ("mesh:3x3", &[4], L3X3_MIDDLE),
            ("torus:6x6", &[26], L6X6_TORUS),
            ("mesh:6x7", single::BLOCK_NODES, BLOCK_42),
            ("torus:5x5", toroidal::TETROMINO, BLOCK_25),
            ("torus:5x5", toroidal::TETROMINO_S, BLOCK_25),
        ];
        for (machine, sources, wanted) in cases {
            let nodes: Vec<NodeId> = sources.iter().map(|&node| NodeId(node)).collect();
            assert_eq!(layers::counts(&Machine::new(machine).unwrap(), &nodes), wanted, "{machine}");
        }
        let mesh = Machine::new("mesh:7x8").unwrap();
        let nodes: Vec<NodeId> = single::SEVEN_NODES.iter().map(|&node| NodeId(node)).collect();
        assert_eq!(layers::counts(&mesh, &nodes), BLOCK_56);
    }
}
