//! Links: how many messages share the busiest one, on this and on other embeddings, and on the engine.

use meshwright_core::Result;

use super::data::Table;
use super::engine::whole_vector;
use super::machine::{Job, tofu, tofu_nested, torus};
use super::peers::Family;
use super::steps::Steps;
use super::study::{Errors, Part, Study};

/// Shapes beyond the given tables whose sums the page shows.
const MORE: [&[u32]; 2] = [&[32, 256], &[4, 4, 4]];

fn shapes(tables: &[Table]) -> Vec<Vec<u32>> {
    let mut shapes: Vec<Vec<u32>> = tables.iter().map(|table| table.shape.clone()).collect();
    for shape in MORE {
        if !shapes.iter().any(|known| known == shape) {
            shapes.push(shape.to_vec());
        }
    }
    shapes
}

fn name(sides: &[u32]) -> String {
    sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// The messages on the busiest link of every step, on Tofu and on a plain torus.
pub(crate) fn sums(tables: &[Table]) -> Result<String> {
    let mut text = String::from(
        "\n### The busiest link\n\nMessages on it in every step of the exchanges, nearest peers first, and their sum: the time\n\
         of allreduce L is this sum times the vector over the rate of a link.\n\n| shape | box X Y Z A B C | family | steps | \
         sum | on a plain torus |\n|---|---|---|---|---|---|\n",
    );
    for shape in shapes(tables) {
        let (job, plain) = (tofu(&shape)?, Steps::new(&torus(&shape)?));
        let (steps, sides) = (Steps::new(&job), name(meshwright_network::Topology::sides(job.fabric.grid())));
        for (family, known) in [(Family::Bine, "Bine"), (Family::Doubling, "recursive doubling")] {
            let by_step: Vec<String> =
                steps.exchanges(family).iter().map(|step| step.messages.to_string()).collect();
            text += &format!(
                "| {} | {sides} | {known} | {} | {} | {} |\n",
                name(&shape),
                by_step.join(" "),
                steps.busiest_sum(family),
                plain.busiest_sum(family)
            );
        }
    }
    Ok(text)
}

/// The axes over which the second side of a job may run: A, B, Z and C in every order.
fn nestings() -> Vec<[usize; 4]> {
    let axes = [2, 3, 4, 5];
    let mut all = Vec::new();
    for a in axes {
        for b in axes {
            for c in axes {
                let Some(d) = axes.into_iter().find(|d| ![a, b, c].contains(d)) else { continue };
                if a != b && a != c && b != c {
                    all.push([a, b, c, d]);
                }
            }
        }
    }
    all
}

/// How well the nestings explain 64x64, and what they say of a shape that may not be there.
pub(crate) fn embeddings(tables: &[Table], plain: &Study<'_>) -> Result<String> {
    let mut lines = Vec::new();
    for nesting in nestings() {
        let lay = |shape: &[u32]| tofu_nested(shape, &nesting);
        // Some combs do not close to a ring of this length.
        let (Ok(wide), true) = (lay(&WIDE), tables.iter().all(|table| lay(&table.shape).is_ok())) else {
            continue;
        };
        let study = Study::new(tables, lay)?;
        let known: Vec<String> = nesting.iter().map(|&axis| "XYZABC"[axis..=axis].to_string()).collect();
        lines.push((study.loss, line(&known.concat(), &study, &Steps::new(&wide))));
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let second = tables.get(1).map_or("–", |table| &table.name);
    let mut text = format!(
        "\n### Other embeddings\n\nThe axes of the second side in all nestings, fitted in the same way; chosen is ABZC. Medians \
         are those of allreduce L\nand B. What the table of 64x64 cannot tell apart differs on 32x256: its large sizes hang \
         on this.\n\n| nesting | loss | 64x64, fitted: median | {second}: median | sums on 64x64: Bine, doubling | on 32x256 \
         |\n|---|---|---|---|---|---|\n"
    );
    lines.iter().for_each(|(_, line)| text += line);
    text += &line("plain torus", plain, &Steps::new(&torus(&WIDE)?));
    Ok(text)
}

/// A shape that the nestings disagree on.
const WIDE: [u32; 2] = [32, 256];

fn line(name: &str, study: &Study<'_>, wide: &Steps) -> String {
    let errors = |index: usize| {
        let outcomes = study.tables.get(index).map_or(&[][..], |predicted| &predicted.outcomes[..]);
        Errors::of(outcomes.iter().filter(|outcome| Part::LongAndHalves.has(outcome.row))).median
    };
    let sums = |steps: &Steps| [Family::Bine, Family::Doubling].map(|family| steps.busiest_sum(family));
    let ([bine, doubling], [wide_bine, wide_doubling]) = (sums(&study.tables[0].steps), sums(wide));
    let (fitted, predicted) = (errors(0), errors(1));
    format!(
        "| {name} | {:.2} | {fitted:.1} | {predicted:.1} | {bine}, {doubling} | {wide_bine}, {wide_doubling} |\n",
        study.loss
    )
}

/// The shape and the sizes that are simulated.
const SIMULATED: (&[u32], [u64; 2]) = (&[8, 8, 8], [1 << 20, 64 << 20]);

/// The formula beside the flow engine.
pub(crate) fn engine() -> Result<String> {
    let (shape, sizes) = SIMULATED;
    let mut text = format!(
        "\n### The formula beside the engine\n\nThe messages of allreduce L on {}, step by step as flows at max–min fair rates \
         (`simulate`, flow engine), links and ways only, in us; the formula takes the busiest link and the longest way of \
         every step.\n\n| family | bytes | simulated | formula | formula / simulated |\n|---|---|---|---|---|\n",
        name(shape)
    );
    let job: Job = tofu(shape)?;
    let steps = Steps::new(&job);
    for (family, known) in [(Family::Bine, "Bine"), (Family::Doubling, "recursive doubling")] {
        for bytes in sizes {
            let (simulated, formula) = whole_vector(&job, &steps, family, bytes)?;
            text += &format!(
                "| {known} | {bytes} | {simulated:.1} | {formula:.1} | {:.4} |\n",
                formula / simulated
            );
        }
    }
    Ok(text)
}
