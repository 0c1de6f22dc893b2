//! Chapters 2 and 3: one source, and connected sources taken as one; cut-through.

use super::{
    BLOCK_42, BLOCK_56, CUT_THROUGH, Figure, L2X2, L2X3, L3X3_BORDER, L3X3_MIDDLE, block, curves, diagrams,
    five_by_n, three_by_n, two_by_n,
};

/// A 2 x 2 block in the middle of the 6 x 7 mesh.
pub(super) const BLOCK_NODES: &[u32] = &[16, 17, 23, 24];

/// Seven connected nodes of the 7 x 8 mesh with the layers of (3.98).
pub(super) const SEVEN_NODES: &[u32] = &[10, 18, 26, 28, 34, 35, 36];

/// In the order of the thesis.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "2.1",
        caption: "A 5 x 5 mesh, nodes coloured by their distance to the middle node P12: 1, 4, 8, 8 and 4 nodes.",
        draw: || diagrams::network("mesh:5x5", &[12]),
    },
    Figure {
        number: "2.2",
        caption: "A 5 x 5 torus: strokes beyond the border come back on the opposite side.",
        draw: || diagrams::network("torus:5x5", &[12]),
    },
    Figure {
        number: "3.1",
        caption: "The 2 x 2 mesh; the load enters at P0.",
        draw: || diagrams::network("mesh:2x2", &[0]),
    },
    Figure {
        number: "3.2",
        caption: "Timing of the 2 x 2 mesh under cut-through: P1 and P2 work on their share while it comes, P3 from when theirs have left.",
        draw: || diagrams::timing(L2X2, CUT_THROUGH),
    },
    Figure {
        number: "3.3",
        caption: "Shares of the 2 x 2 mesh: (3.11) to (3.14). At sigma = 1 nothing goes to P3.",
        draw: || curves::shares(L2X2, CUT_THROUGH),
    },
    Figure {
        number: "3.4",
        caption: "The 2 x 3 mesh from its corner: 1, 2, 2 and 1 nodes.",
        draw: || diagrams::network("mesh:2x3", &[0]),
    },
    Figure {
        number: "3.5",
        caption: "Timing of the 2 x 3 mesh under cut-through.",
        draw: || diagrams::timing(L2X3, CUT_THROUGH),
    },
    Figure {
        number: "3.6",
        caption: "Shares of the 2 x 3 mesh. At sigma = 1 the source and its two neighbours do a third each.",
        draw: || curves::shares(L2X3, CUT_THROUGH),
    },
    Figure {
        number: "3.7",
        caption: "The 2 x 10 mesh from its corner: nine layers of 2 between the two ends.",
        draw: || diagrams::network("mesh:2x10", &[0]),
    },
    Figure {
        number: "3.8",
        caption: "Timing of the 2 x 10 mesh under cut-through, one row for a layer. Equation (3.39) must end at the layer before the last (erratum Z2); here it does.",
        draw: || diagrams::timing(&[1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1], CUT_THROUGH),
    },
    Figure {
        number: "3.9",
        caption: "The 3 x 8 mesh from its corner: 1 2 3 3 3 3 3 3 2 1. Equation (3.50) lacks one of the six 3s (erratum Z1).",
        draw: || diagrams::network("mesh:3x8", &[0]),
    },
    Figure {
        number: "3.10",
        caption: "The 3 x 3 mesh from the middle of a border: 1, 3, 3 and 2 nodes.",
        draw: || diagrams::network("mesh:3x3", &[3]),
    },
    Figure {
        number: "3.11",
        caption: "Timing of the 3 x 3 mesh from the border under cut-through.",
        draw: || diagrams::timing(L3X3_BORDER, CUT_THROUGH),
    },
    Figure {
        number: "3.12",
        caption: "Shares of the 3 x 3 mesh from the border.",
        draw: || curves::shares(L3X3_BORDER, CUT_THROUGH),
    },
    Figure {
        number: "3.13",
        caption: "The 3 x 3 mesh from its middle: 1, 4 and 4 nodes.",
        draw: || diagrams::network("mesh:3x3", &[4]),
    },
    Figure {
        number: "3.14",
        caption: "Timing of the 3 x 3 mesh from the middle under cut-through.",
        draw: || diagrams::timing(L3X3_MIDDLE, CUT_THROUGH),
    },
    Figure {
        number: "3.15",
        caption: "Shares of the 3 x 3 mesh from the middle.",
        draw: || curves::shares(L3X3_MIDDLE, CUT_THROUGH),
    },
    Figure {
        number: "3.16",
        caption: "Speedup of 2 x n meshes from the corner over n and sigma, as Zhang 2018 computes it.",
        draw: || curves::surface(&two_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.17",
        caption: "The same as curves. Dashed: what no schedule exceeds. Below it more is possible than the flow matrix gives; above it the flow matrix promises what the links cannot carry.",
        draw: || curves::speedups(&two_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.18",
        caption: "Speedup of 3 x n meshes from the middle of the short side (P2 in the numbering by diagonals). Every layer has at most three nodes, so these shares can be sent. For sigma above 0.2 the speedup saturates with n; it does not increase rapidly (erratum Z21).",
        draw: || curves::surface(&three_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.19",
        caption: "The same as curves; at sigma = 1 all are near 4. Dashed: the optimum.",
        draw: || curves::speedups(&three_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.20",
        caption: "Speedup of 5 x n meshes from the middle node. P12 is the middle only for n = 5 and does not exist for n below 3 (erratum Z16); here it is the middle node of each.",
        draw: || curves::surface(&five_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.21",
        caption: "The same as curves. For n = 5 and sigma from 0.245 on the curve lies above the optimum: no schedule attains it.",
        draw: || curves::speedups(&five_by_n(), CUT_THROUGH),
    },
    Figure {
        number: "3.22",
        caption: "Four connected sources on the 6 x 7 mesh, taken as one large processor: 4, 8, 12, 10, 6 and 2 nodes (3.97). Six sets of four have these layers.",
        draw: || diagrams::network("mesh:6x7", BLOCK_NODES),
    },
    Figure {
        number: "3.23",
        caption: "Seven connected sources on the 7 x 8 mesh: 7, 14, 15, 10, 6, 3 and 1 nodes. The vector of (3.98) has six entries for seven columns (erratum Z3).",
        draw: || diagrams::network("mesh:7x8", SEVEN_NODES),
    },
    Figure {
        number: "3.24",
        caption: "Speedup of the four sources of figure 3.22. It is 39.2 at sigma = 0.05 and near 42 only for sigma up to 0.01.",
        draw: || curves::speedups_of_layers(&block(BLOCK_42), CUT_THROUGH),
    },
    Figure {
        number: "3.25",
        caption: "Shares under figure 3.22.",
        draw: || curves::shares(BLOCK_42, CUT_THROUGH),
    },
    Figure {
        number: "3.26",
        caption: "Speedup of the seven sources of figure 3.23: 52.6 at sigma = 0.05.",
        draw: || curves::speedups_of_layers(&block(BLOCK_56), CUT_THROUGH),
    },
    Figure {
        number: "3.27",
        caption: "Shares under figure 3.23.",
        draw: || curves::shares(BLOCK_56, CUT_THROUGH),
    },
];
