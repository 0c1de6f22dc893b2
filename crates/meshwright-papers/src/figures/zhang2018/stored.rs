//! Chapter 4: one source under modified store-and-forward.

use super::{
    BLOCK_42, BLOCK_56, Figure, L2X2, L2X3, L3X3_BORDER, L3X3_MIDDLE, STORED, block, curves, diagrams,
    five_by_n, three_by_n, two_by_n,
};

/// In the order of the thesis.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "4.1",
        caption: "Timing of the 2 x 2 mesh under modified store-and-forward: a processor begins when its whole share is there.",
        draw: || diagrams::timing(L2X2, STORED),
    },
    Figure {
        number: "4.2",
        caption: "Shares of the 2 x 2 mesh under modified store-and-forward: 11.1 % for the last layer at sigma = 1. That local work is better from sigma = 1 on is not so (erratum Z19).",
        draw: || curves::shares(L2X2, STORED),
    },
    Figure {
        number: "4.3",
        caption: "Timing of the 2 x 3 mesh under modified store-and-forward.",
        draw: || diagrams::timing(L2X3, STORED),
    },
    Figure {
        number: "4.4",
        caption: "Shares of the 2 x 3 mesh under modified store-and-forward.",
        draw: || curves::shares(L2X3, STORED),
    },
    Figure {
        number: "4.5",
        caption: "Timing of the 3 x 3 mesh from the border under modified store-and-forward.",
        draw: || diagrams::timing(L3X3_BORDER, STORED),
    },
    Figure {
        number: "4.6",
        caption: "Shares of the 3 x 3 mesh from the border: 3.57 % for the last layer at sigma = 1.",
        draw: || curves::shares(L3X3_BORDER, STORED),
    },
    Figure {
        number: "4.7",
        caption: "Timing of the 3 x 3 mesh from the middle under modified store-and-forward.",
        draw: || diagrams::timing(L3X3_MIDDLE, STORED),
    },
    Figure {
        number: "4.7b",
        caption: "Shares of the 3 x 3 mesh from the middle: 6.25 % for the last layer at sigma = 1.",
        draw: || curves::shares(L3X3_MIDDLE, STORED),
    },
    Figure {
        number: "4.8",
        caption: "Speedup of 2 x n meshes from the corner over n and sigma under modified store-and-forward.",
        draw: || curves::surface(&two_by_n(), STORED),
    },
    Figure {
        number: "4.9",
        caption: "The same for 2 x n as curves, with the optimum. At sigma = 1 the speedup of 3 is not the source and two neighbours alone: they do two thirds of the work (erratum Z20).",
        draw: || curves::speedups(&two_by_n(), STORED),
    },
    Figure {
        number: "4.10",
        caption: "Speedup of 3 x n meshes from the middle of the short side over n and sigma under modified store-and-forward.",
        draw: || curves::surface(&three_by_n(), STORED),
    },
    Figure {
        number: "4.11",
        caption: "The same for 3 x n as curves, with the optimum.",
        draw: || curves::speedups(&three_by_n(), STORED),
    },
    Figure {
        number: "4.12",
        caption: "Speedup of 5 x n meshes from the middle node over n and sigma under modified store-and-forward.",
        draw: || curves::surface(&five_by_n(), STORED),
    },
    Figure {
        number: "4.13",
        caption: "The same for 5 x n as curves, with the optimum. The limit for n = 5 is 25, not 24 (erratum Z15).",
        draw: || curves::speedups(&five_by_n(), STORED),
    },
    Figure {
        number: "4.14",
        caption: "Speedup of the sources of figure 3.22 under modified store-and-forward.",
        draw: || curves::speedups_of_layers(&block(BLOCK_42), STORED),
    },
    Figure {
        number: "4.15",
        caption: "Shares under figure 3.22, modified store-and-forward.",
        draw: || curves::shares(BLOCK_42, STORED),
    },
    Figure {
        number: "4.16",
        caption: "Speedup of the sources of figure 3.23 under modified store-and-forward.",
        draw: || curves::speedups_of_layers(&block(BLOCK_56), STORED),
    },
    Figure {
        number: "4.17",
        caption: "Shares under figure 3.23, modified store-and-forward.",
        draw: || curves::shares(BLOCK_56, STORED),
    },
];
