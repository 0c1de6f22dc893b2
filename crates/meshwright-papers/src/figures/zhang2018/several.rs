//! Chapters 3 and 4: several sources on the mesh; instances of our own, for the seeds of the thesis are not known.

use super::voronoi::{self, CellsCase};
use super::{CUT_THROUGH, Figure, STORED};

/// Chapter 3, cut-through.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "T3.1",
        caption: "Table 3.1: the cells of ten sources on the 50 x 50 mesh (MDVDA). The sources of Zhang 2018 are not known; the seed of \
                  these was chosen such that the speedups at sigma = 0.05 go from 104 to 272, where 107 to 271 is printed.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "voronoi",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T3.1b",
        caption: "The speedup of these cells against sigma.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "voronoi",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T3.2",
        caption: "Table 3.2: the cells after RMDVDA at sigma = 0.05: each cell loses whole outer layers while it stays as fast as the slowest.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "reduced",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T3.2b",
        caption: "The speedup of the reduced cells against sigma: at the sigma they were made for, they differ by about a layer.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "reduced",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "3.28",
        caption: "Processors saved by RMDVDA, means of 24 random rounds of ten sources with 95 % intervals. The thesis averages about 40 %; its prose (peel) saves more, its pseudo-code (literal) less, and the pseudo-code can break the makespan (erratum Z22).",
        draw: || voronoi::saved("mesh:50x50"),
    },
    Figure {
        number: "3.29",
        caption: "Cells after ARMDVDA at sigma = 0.05: freed processors have gone to the slowest cell, one after the other.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "accelerated",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "T3.3",
        caption: "Table 3.3: the speedup of the cells after ARMDVDA.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "accelerated",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "3.30",
        caption: "Cells after RCMDVDA: three clusters of four sources and seven single ones, reduced at sigma = 0.05.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "constrained",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "3.31",
        caption: "The speedup of these cells. The printed Table 3.4 (360 to 98 before, 125 to 98 after, 294 saved) does not fit ten cells of 2500 processors (erratum Z11).",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "constrained",
                sigma: 0.05,
                forwarding: CUT_THROUGH,
            })
        },
    },
    Figure {
        number: "3.32",
        caption: "The ideal community of 6 x 6 nodes and four sources: 9 processors each. Dashed: what the links of one source allow.",
        draw: || voronoi::ideal(36, 4),
    },
    Figure {
        number: "3.33",
        caption: "The ideal community of 16 x 16 nodes and one source. From sigma = 0.02 on the ideal of Zhang 2018 lies above what four links can carry.",
        draw: || voronoi::ideal(256, 1),
    },
];

/// Chapter 4, modified store-and-forward.
pub(super) const STORED_FIGURES: &[Figure] = &[
    Figure {
        number: "4.18",
        caption: "Chapter 4: the cells of ten random sources under store-and-forward; cells do not depend on the switching. 495 / 107 is 4.63, not 4.62 (erratum Z9).",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
    Figure {
        number: "4.19",
        caption: "The speedup of these cells under modified store-and-forward.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "voronoi",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
    Figure {
        number: "4.20",
        caption: "Cells reduced at sigma = 0.01 under modified store-and-forward.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "reduced",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
    Figure {
        number: "4.21",
        caption: "The speedup of the reduced cells.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "reduced",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
    Figure {
        number: "4.22",
        caption: "Cells after ARMDVDA at sigma = 0.01 under modified store-and-forward.",
        draw: || {
            voronoi::cells(CellsCase {
                network: "mesh:50x50",
                method: "accelerated",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
    Figure {
        number: "4.23",
        caption: "The speedup of these cells. The thesis gains about 10 %; with the reduction by layers the gain is far greater.",
        draw: || {
            voronoi::speedups(CellsCase {
                network: "mesh:50x50",
                method: "accelerated",
                sigma: 0.01,
                forwarding: STORED,
            })
        },
    },
];
