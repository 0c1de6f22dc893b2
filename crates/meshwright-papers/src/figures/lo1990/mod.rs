//! The figures of `lo1990`.
//!
//! | file | what |
//! |---|---|
//! | `trees` | figure 1: the binomial trees |
//! | `meshes` | figures 2 and 3: the two mappings |
//! | `proof` | figure 4: the lengths in the proof of Lemma 3 |

mod meshes;
mod proof;
mod trees;

use super::Figure;
use meshwright_report::svg::legend::{self, LegendEntry};
use meshwright_report::svg::{Point, Svg, palette};

/// All four, in the order of the paper.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        number: "1",
        caption: "The binomial trees B(0) to B(4), each made of two copies of the one before. Numbers are postorder labels from 0, \
                  children in decreasing size; the square is the root. A colour is the phase in which the edge is used.",
        draw: trees::trees,
    },
    Figure {
        number: "2",
        caption: "The reflecting mapping M_R: the second copy stands to the right or below, reflected. Edges to nodes further \
                  off are drawn as bows beside the line they take; no two edges of one phase share a link.",
        draw: meshes::reflecting,
    },
    Figure {
        number: "3",
        caption: "The growing mapping M_G: each node grows a leaf outwards, all leaves of a phase equally far. In phases 5 and 6 \
                  edges of one phase overlap: they interfere by definition 6, although their messages never wait.",
        draw: meshes::growing,
    },
    Figure {
        number: "4",
        caption: "The points of the proof of Lemma 3 on M_R(B(8)), at their real places. I is the root, F that of the upper half, C that of the \
                  upper left quadrant and B its child in the same row; A, D and E are at the borders of the quadrants. \
                  Dashed: the diagonals, on which the roots lie.",
        draw: proof::proof,
    },
];

/// The class of a phase: all drawings of a figure share their colours.
fn phase_class(phase: u32, phases: u32) -> String {
    palette::class(phase as usize - 1, phases as usize)
}

/// What the colours mean; returns the height.
fn phase_legend(svg: &mut Svg, at: Point, width: f64, phases: u32) -> f64 {
    let entry = |phase| LegendEntry {
        class: phase_class(phase, phases),
        stroke: 2.6,
        text: format!("phase {phase}"),
    };
    legend::list(svg, at, width, &(1..=phases).map(entry).collect::<Vec<_>>())
}
