//! The figures of papers, drawn again from what their definitions give.
//!
//! | file | what |
//! |---|---|
//! | `trees` | `lo1990`, figure 1: the binomial trees |
//! | `meshes` | `lo1990`, figures 2 and 3: the two mappings |
//! | `proof` | `lo1990`, figure 4: the lengths in the proof of Lemma 3 |

mod meshes;
mod proof;
mod trees;

pub(in crate::report) use meshes::{growing, reflecting};
pub(in crate::report) use proof::proof;
pub(in crate::report) use trees::trees;

use super::legend::{self, Entry};
use super::{Point, Svg, palette};

/// The class of a phase: all drawings of a figure share their colours.
fn phase_class(phase: u32, phases: u32) -> String {
    palette::class(phase as usize - 1, phases as usize)
}

/// What the colours mean; returns the height.
fn phase_legend(svg: &mut Svg, at: Point, width: f64, phases: u32) -> f64 {
    let entry =
        |phase| Entry { class: phase_class(phase, phases), stroke: 2.6, text: format!("phase {phase}") };
    legend::list(svg, at, width, &(1..=phases).map(entry).collect::<Vec<_>>())
}
