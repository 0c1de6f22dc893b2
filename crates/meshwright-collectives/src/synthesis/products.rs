//! Products that are simulated: the cheapest of all by what they would take if nobody waited, whole, in step and in chunks.

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;

use super::families::{Budget, Known, Tried, simulated};
use super::product::Product;
use super::{Found, Recipe, Simulate, recipe, sort_by};
use crate::Task;
use crate::flow::Flow;

/// How many products are simulated, and half as many of those that may stream well.
const PRODUCTS: usize = 14;

/// How many are simulated of those with the same price.
const ALIKE: usize = 2;

/// Of how many of them it is tried whether members had better stay in step.
const IN_STEP: usize = 10;

/// How many messages all products together may have that are simulated whole; as many in chunks, and half as many in step.
const BUDGET: usize = 1 << 22;

/// Chunk counts that are tried of a product.
const CHUNKS: [u32; 3] = [2, 4, 8];

/// Of how many products chunks are tried.
const FINALISTS: usize = 4;

/// The best products: first whole, then the best of those in chunks.
pub(super) fn products(task: &Task<'_>, _: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let mut recipes = recipe::recipes(task, grid);
    // Of those that differ in the order of their axes alone two will do.
    let mut alike = 0;
    let mut last = None;
    recipes.retain(|recipe| {
        let price = Some((recipe.serial, recipe.streamed));
        alike = if last == price { alike + 1 } else { 0 };
        last = price;
        alike < ALIKE
    });
    let mut chosen: Vec<&recipe::Priced> = recipes.iter().take(PRODUCTS).collect();
    let mut streamed: Vec<&recipe::Priced> = recipes.iter().skip(PRODUCTS).collect();
    sort_by(&mut streamed, |recipe| (recipe.streamed, recipe.serial));
    chosen.extend(streamed.into_iter().take(PRODUCTS / 2));
    let mut streaming: Vec<&recipe::Priced> = recipes.iter().collect();
    sort_by(&mut streaming, |recipe| (recipe.streamed, recipe.serial));
    streaming.truncate(FINALISTS / 2);
    let mut made: Vec<Tried> = Vec::new();
    let mut left = Budget(BUDGET);
    for recipe in chosen {
        let flow = recipe.product.flow(task)?;
        if left.pays(flow.transfers().len()) {
            made.push((Recipe::Exchanges(recipe.product.clone(), 1), flow, recipe.serial));
        }
    }
    let mut found = simulated(made, simulate)?;
    let in_step = |whole: &Found| -> Option<Tried> {
        let Recipe::Exchanges(product, _) = &whole.recipe else { return None };
        let product = Product { in_step: true, ..product.clone() };
        Some((Recipe::Exchanges(product, 1), whole.flow.clone().stepwise(), whole.predicted))
    };
    let mut left = Budget(BUDGET / 2);
    let pays = |whole: &&Found| left.pays(whole.flow.transfers().len());
    let stepwise = found.iter().take(IN_STEP).filter(pays).filter_map(in_step).collect();
    found.extend(simulated(stepwise, simulate)?);
    sort_by(&mut found, |found| found.cycles);
    // The fastest, and those that chunks may help the most.
    let mut finalists: Vec<(Product, Flow, Cycles)> = Vec::new();
    for whole in found.iter().take(FINALISTS) {
        let Recipe::Exchanges(product, _) = &whole.recipe else { continue };
        finalists.push((product.clone(), whole.flow.clone(), whole.predicted));
    }
    for recipe in streaming {
        if finalists.iter().all(|(product, ..)| *product != recipe.product) {
            finalists.push((recipe.product.clone(), recipe.product.flow(task)?, recipe.serial));
        }
    }
    let mut left = Budget(BUDGET);
    let mut tried = Vec::new();
    for chunks in CHUNKS {
        for (product, flow, predicted) in &finalists {
            if left.pays(flow.transfers().len() * chunks as usize) {
                tried.push((Recipe::Exchanges(product.clone(), chunks), flow.chunked(chunks)?, *predicted));
            }
        }
    }
    found.truncate(1);
    found.extend(simulated(tried, simulate)?);
    Ok(found.into_iter().min_by_key(|found| found.cycles))
}
