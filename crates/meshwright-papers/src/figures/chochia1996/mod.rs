//! The figures of `chochia1996`.
//!
//! | file | what |
//! |---|---|
//! | `meshes` | figures 1 to 3: the curve, a bad group, a tree on the mesh with the way of a packet |
//! | `overheads` | figures 4 and 5: what splits and barriers take |
//! | `split` | figure 6: a split with its functions |

mod meshes;
mod overheads;
mod split;

use super::Figure;

/// All six, in the order of the paper.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "1",
        caption: "Hilbert indexing of meshes of side 2, 4 and 8. The next curve is made of four copies: lower left, upper left, \
                  upper right, lower right, the first and the last turned about a diagonal. (0, 0) is the lower left corner, where \
                  the curve begins.",
        draw: meshes::curves,
    },
    Figure {
        number: "2",
        caption: "The group of theorem 3 on a row-indexed mesh of side 16: vertices an even number of edges above the leaves on the left \
                  side (e), the others (o) on the right. Numbers are ranks, (0, 0) is the lower left corner. Every edge of the tree \
                  crosses the mesh.",
        draw: meshes::bad_group,
    },
    Figure {
        number: "3",
        caption: "The algorithm of the printed figure at work: a synchronisation tree on a Hilbert-indexed mesh of side 8, all 64 nodes. Dark edges \
                  are near the root. Dashed: the way on the tree of one packet of step 4, from the vertex that looks for its parent \
                  in the new tree to that parent; labels alternate along the curve.",
        draw: meshes::tree_and_packet,
    },
    Figure {
        number: "4",
        caption: "Experiments 1 and 2: a mesh of side 16, random labels, four levels, 2000 repetitions, seed 0, Hilbert order; \
                  sizes in classes of eight (splits by the size before, barriers by their own). Bars: 95 % confidence of the mean.",
        draw: overheads::random,
    },
    Figure {
        number: "5",
        caption: "Experiment 3: the same with consecutively indexed groups, Hilbert and row order, 2000 repetitions, seed 0. Row \
                  order takes about twice as long, but for the whole mesh.",
        draw: overheads::consecutive,
    },
    Figure {
        number: "6",
        caption: "A group of ten, ranks 0 to 9, odd ranks in state 0 and even ranks in state 1, its tree and what every vertex knows \
                  after step 1: pairs are (state 0, state 1), * is minus infinity. Below: the trees of the two new groups; ranks \
                  in brackets are the old ones.",
        draw: split::example,
    },
];
