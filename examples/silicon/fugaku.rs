//! Fugaku: collectives measured on a machine of six axes, constants fitted on one shape, the others predicted.
//!
//! | file | what |
//! |---|---|
//! | `data` | the measured tables |
//! | `machine` | the machine of a job, and the node of every rank |
//! | `peers`, `steps` | who exchanges with whom; the busiest link of every step |
//! | `law`, `constants` | times of algorithms; what they are made of |
//! | `fit`, `study` | the fit; what it predicts, and how well |
//! | `engine` | the same messages on the flow engine |
//! | `tables`, `ways` | what the page shows of it |

#[path = "fugaku/constants.rs"]
pub(crate) mod constants;
#[path = "fugaku/data.rs"]
pub(crate) mod data;
#[path = "fugaku/engine.rs"]
pub(crate) mod engine;
#[path = "fugaku/fit.rs"]
mod fit;
#[path = "fugaku/law.rs"]
pub(crate) mod law;
#[path = "fugaku/machine.rs"]
pub(crate) mod machine;
#[path = "fugaku/peers.rs"]
pub(crate) mod peers;
#[path = "fugaku/steps.rs"]
pub(crate) mod steps;
#[path = "fugaku/study.rs"]
pub(crate) mod study;
#[path = "fugaku/tables.rs"]
mod tables;
#[path = "fugaku/ways.rs"]
mod ways;

use std::path::Path;

use meshwright_core::Result;

use constants::CONSTANTS;
use study::Study;

const HEAD: &str = "\
## Fugaku: collectives on six axes

Medians that PICO measured, one rank a node (`data/silicon/README.md`). Constants are fitted to the table of 64x64 ranks
and to nothing else; every other table is predicted. The error is that of our time against the measured median. The
bound is what no run of the same messages beats: the bytes of the busiest link or port over its rate.

What is predicted are the algorithms with one port whose messages are known: PICO's own from their source, Fujitsu's from
their name.
";

const ASSUMED: &str = "
### What is assumed

- *Where the ranks are.* Physical coordinates are unpublished. A job of three sides: each side a comb ring over a big and a
  small axis, (X, A), (Y, B), (Z, C), the way Fujitsu describes its own mapping. A job of two sides: the first a comb ring
  over the plane X × Y, the second one over A, B, Z and C in this nesting; nothing published says so. Of the nestings it
  is the one that explains the table of 64x64 best, by less than that table can tell (*Other embeddings*). All neighbours
  of the logical torus are neighbours on the machine (`Embedding::of_rings`).
- *The machine.* The preset `tofu`, in a box just as large as the job needs: inside it X, Y and Z are lines, A and C have
  two places, B is a ring of three. Routes in the order A, C, B, X, Y, Z. 6.35 GB/s on a link and at a node, published;
  100 ns a hop, of a published order of magnitude; neither is fitted.
- *The form of the laws* was found from the source of the measured library with both of the given tables in sight: that
  the start of a call grows with the ranks, that a piece costs a put and a notice, that the rate of a copy depends on its
  size. The constants and the embedding come from 64x64 alone. Only tables that were not given are predicted blindly.
";

const WORSE: &str = "
### Where we are worse, and why

- *Fujitsu's algorithms.* Only their names are known, not their messages. On 8x8x8 bruck takes up to 2.7 times ours, the
  more the larger the vector; ring is 61 % off at 2 KiB, and at 64 MiB its allgather is faster than the bound of the ring
  we take it for, so its messages are others.
- *Copies on 8x8x8.* Ours is too fast by a seventh at the median of the permuted reduce-scatter, by a ninth at that of
  `CONT_SEND` and by a tenth in `SCATTER_ALLGATHER`. The rate of a copy is one curve of the block size, taken from 64x64,
  where blocks are an eighth as large; we suspect that they lie in other caches.
- *Small allreduces on 8x8x8* are a fifth too fast at 256 B and 2 KiB, and not at 4 B or 16 KiB. We do not know why.
- *A row that is an accident of the measurement.* `BINE-BINOMIAL_TREE-UTOFU-0-1` on 8x8x8 takes 89 ms for 1 MiB and 12 ms
  for 8 MiB. It is our worst row, and counts.
- *The same code measured twice.* L ignores its segment: where `L-0-1` and `L-4096-1` differ by more than a tenth, nobody
  can be right on both.
- *Several ports, and Fujitsu's algorithms on several links*, are not predicted at all.
";

/// The section of the page.
///
/// # Errors
///
/// What is wrong with a table: its name, its head, a row, a shape that cannot be laid.
pub(crate) fn section(data: &Path) -> Result<String> {
    let tables = data::tables(&data.join("fugaku"))?;
    let study = Study::new(&tables, machine::tofu)?;
    let plain = Study::new(&tables, machine::torus)?;
    let mut text = String::from(HEAD);
    text += &tables::summary(&study, &plain);
    text += &tables::below_bound(&study);
    text += &tables::wrong_pairs(&study);
    text += &tables::algorithms(&study);
    text += &constants(&study);
    text += ASSUMED;
    text += &ways::sums(&tables)?;
    text += &ways::embeddings(&tables, &plain)?;
    text += &ways::engine()?;
    text += WORSE;
    for predicted in &study.tables {
        text += &tables::rows(predicted);
    }
    Ok(text)
}

fn constants(study: &Study<'_>) -> String {
    let mut text = format!(
        "\n### Constants, from 64x64\n\nCoordinate descent from rounded values, without randomness; loss {:.2}.\n\n\
         | constant | value | what |\n|---|---|---|\n",
        study.loss
    );
    for (&(name, meaning, _), value) in CONSTANTS.iter().zip(study.constants.0) {
        text += &format!("| {name} | {value:.3} | {meaning} |\n");
    }
    text
}
