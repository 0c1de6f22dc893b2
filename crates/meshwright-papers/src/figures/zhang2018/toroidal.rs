//! Chapter 5: the torus, and the comparisons.

use super::curves::{self, NetworkCase};
use super::{
    BLOCK_25, CUT_THROUGH, Figure, L2X2, L2X3, L3X3_BORDER, L3X3_MIDDLE, L6X6_TORUS, STORED, diagrams,
    five_by_n, five_by_n_torus, voronoi,
};

/// A T of four nodes in the 5 x 5 torus, and an S.
pub(super) const TETROMINO: &[u32] = &[6, 7, 8, 12];
pub(super) const TETROMINO_S: &[u32] = &[6, 7, 12, 13];

/// 5 x n meshes from the middle node and from the corner.
fn middle_and_corner() -> Vec<(NetworkCase, NetworkCase)> {
    let corner = |n| NetworkCase::new(format!("n = {n}"), &format!("mesh:5x{n}"), 0);
    five_by_n().into_iter().zip((1..=5).map(corner)).collect()
}

/// In the order of the thesis.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "5.1",
        caption: "The rectangular torus, 6 x 6 nodes: a link that leaves on one side comes in on the other.",
        draw: || diagrams::network("torus:6x6", &[]),
    },
    Figure {
        number: "5.2",
        caption: "The 12 x 24 torus on its surface, each node shaded by D_k, its distance (5.1) to (4, 2).",
        draw: || voronoi::one_cell("torus:12x24", 4 * 24 + 2),
    },
    Figure {
        number: "5.3",
        caption: "The 6 x 6 torus from (4, 2): 1, 4, 8, 10, 8, 4 and 1 nodes (Table 5.1).",
        draw: || diagrams::network("torus:6x6", &[26]),
    },
    Figure {
        number: "T5.1",
        caption: "Table 5.1: processors by distance on the 6 x 6 torus, counted on the network.",
        draw: || diagrams::layer_table(&[NetworkCase::new("6 x 6", "torus:6x6", 26)]),
    },
    Figure {
        number: "5.4",
        caption: "Shares of the 6 x 6 torus.",
        draw: || curves::shares(L6X6_TORUS, CUT_THROUGH),
    },
    Figure {
        number: "T5.2",
        caption: "Table 5.2, which is Table 5.5, too: processors by distance on 5 x n tori. The thesis prints n = 5 alone.",
        draw: || diagrams::layer_table(&five_by_n_torus()),
    },
    Figure {
        number: "5.5",
        caption: "Speedup of 5 x n tori over n and sigma.",
        draw: || curves::surface(&five_by_n_torus(), CUT_THROUGH),
    },
    Figure {
        number: "5.6",
        caption: "The same as curves, with the optimum of n = 5.",
        draw: || curves::speedups(&five_by_n_torus(), CUT_THROUGH),
    },
    Figure {
        number: "5.7",
        caption: "Four connected sources on the 5 x 5 torus with the printed layers 4, 8, 9 and 4: T and S shapes have them; a 2 x 2 block has 4, 8, 8, 4 and 1.",
        draw: || diagrams::network("torus:5x5", TETROMINO),
    },
    Figure {
        number: "5.8",
        caption: "Shares under figure 5.7.",
        draw: || curves::shares(BLOCK_25, CUT_THROUGH),
    },
    Figure {
        number: "5.9",
        caption: "Four other connected sources on the 5 x 5 torus, an S: layers 4, 8, 9 and 4 as well.",
        draw: || diagrams::network("torus:5x5", TETROMINO_S),
    },
    Figure {
        number: "5.10",
        caption: "Shares under figure 5.9, which has the same layers as figure 5.7.",
        draw: || curves::shares(BLOCK_25, CUT_THROUGH),
    },
    Figure {
        number: "5.11",
        caption: "The cells of a torus from those of a plane: the 16 x 16 torus with eight copies around it. The cells of the plane in the middle \
                  are those of the torus, ties aside (claim `figure-5.11`).",
        draw: voronoi::copies,
    },
    Figure {
        number: "5.12",
        caption: "The cells of ten random sources on the 50 x 50 mesh.",
        draw: || {
            voronoi::cells(voronoi::CellsCase {
                network: "mesh:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.13",
        caption: "The cells of the same sources on the 50 x 50 torus: a cell that leaves on one side comes back on the other.",
        draw: || {
            voronoi::cells(voronoi::CellsCase {
                network: "torus:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.14",
        caption: "The cells of figure 5.13 cast on a torus.",
        draw: || {
            voronoi::cast(voronoi::CellsCase {
                network: "torus:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.15",
        caption: "The speedup of the cells of figure 5.13. From sigma = 0.4 on the speedups still differ: the mean ratio of the fastest to the slowest is 1.59 at 0.4 and 1.11 at 0.9 (erratum Z26).",
        draw: || {
            voronoi::speedups(voronoi::CellsCase {
                network: "torus:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.16",
        caption: "The cells of figure 5.13 reduced at sigma = 0.01.",
        draw: || {
            voronoi::cells(voronoi::CellsCase {
                network: "torus:50x50",
                method: "reduced",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.17",
        caption: "The reduced cells cast on a torus.",
        draw: || {
            voronoi::cast(voronoi::CellsCase {
                network: "torus:50x50",
                method: "reduced",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.18",
        caption: "The speedup of the reduced cells. Reduction raises no cell, so the printed rise of the slowest from 125 to 168 belongs to another instance or to ARMDVDA (erratum Z10).",
        draw: || {
            voronoi::speedups(voronoi::CellsCase {
                network: "torus:50x50",
                method: "reduced",
                sigma: 0.01,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.19",
        caption: "Processors saved by RMDVDA on the torus, means of 24 random rounds with 95 % intervals.",
        draw: || voronoi::saved("torus:50x50"),
    },
    Figure {
        number: "T5.3",
        caption: "Table 5.3: cells of three clusters of four sources and seven single ones on the 50 x 50 torus, after RCMDVDA at sigma = 0.05.",
        draw: || {
            voronoi::cells(voronoi::CellsCase {
                network: "torus:50x50",
                method: "constrained",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T5.3b",
        caption: "The reduced cells of Table 5.3 cast on a torus.",
        draw: || {
            voronoi::cast(voronoi::CellsCase {
                network: "torus:50x50",
                method: "constrained",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T5.4",
        caption: "Table 5.4: the speedup of these cells.",
        draw: || {
            voronoi::speedups(voronoi::CellsCase {
                network: "torus:50x50",
                method: "constrained",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "5.20",
        caption: "Shares of the 6 x 6 torus under modified store-and-forward. Entry -sigma* of (5.7) must be sigma* (erratum Z7).",
        draw: || curves::shares(L6X6_TORUS, STORED),
    },
    Figure {
        number: "5.21",
        caption: "Speedup of 5 x n tori over n and sigma under modified store-and-forward, as a map.",
        draw: || curves::map(&five_by_n_torus(), STORED),
    },
    Figure {
        number: "5.22",
        caption: "How much faster the middle node of a 5 x n mesh is than its corner. The largest difference is 5.40 at sigma = 0.351 under cut-through and 3.83 at 0.323 under store-and-forward, not 4 at 0.5.",
        draw: || curves::differences(&middle_and_corner(), [CUT_THROUGH, CUT_THROUGH]),
    },
    Figure {
        number: "5.22b",
        caption: "The same under modified store-and-forward, which is what the printed figure fits.",
        draw: || curves::differences(&middle_and_corner(), [STORED, STORED]),
    },
    Figure {
        number: "5.23",
        caption: "Shares of the 2 x 2 mesh, cut-through and modified store-and-forward (dashed). The last layer keeps 11.1 % at sigma = 1, printed as 10 (erratum Z15).",
        draw: || curves::both_shares(L2X2),
    },
    Figure {
        number: "5.24",
        caption: "Shares of the 2 x 3 mesh, cut-through and modified store-and-forward (dashed). The last layer keeps 4.76 % at sigma = 1.",
        draw: || curves::both_shares(L2X3),
    },
    Figure {
        number: "5.25",
        caption: "Shares of the 3 x 3 mesh from the border, cut-through and modified store-and-forward (dashed). The last layer keeps 3.57 % at sigma = 1, printed as 5 (erratum Z15).",
        draw: || curves::both_shares(L3X3_BORDER),
    },
    Figure {
        number: "5.26",
        caption: "Shares of the 3 x 3 mesh from the middle, cut-through and modified store-and-forward (dashed). The last layer keeps 6.25 % at sigma = 1, printed as 5 (erratum Z15).",
        draw: || curves::both_shares(L3X3_MIDDLE),
    },
    Figure {
        number: "5.27",
        caption: "Speedup under cut-through less that under modified store-and-forward, 5 x n meshes from the middle node. Below 0 the formulas make store-and-forward the faster one, although each of its schedules is one of cut-through: for n = 5 from sigma = 0.700 on (remark `p0-crossing`).",
        draw: || {
            curves::differences(
                &five_by_n().into_iter().zip(five_by_n()).collect::<Vec<_>>(),
                [CUT_THROUGH, STORED],
            )
        },
    },
];
