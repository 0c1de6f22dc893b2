//! Sections 3.1.5 and 3.1.6: what it takes to solve a flow matrix.

use super::literal::{BOTH, cramer, layers, loads, matrix, row, sigmas};
use super::matrix::ROWS;
use super::{HOLDS, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_load::Forwarding;
use meshwright_load::Forwarding::CutThrough;

/// Elimination, and what is enough.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "complexity",
        source: "sections 3.1.5, 3.1.6",
        statement: "what solving a flow matrix of order r takes",
        definition: "multiplications and divisions of Gaussian elimination, counted: one determinant, and the whole solution",
        printed: "O(r^3) with Gaussian elimination or LU, so O(k r^3) for k cells",
        fails_if: "elimination takes more than r^3 multiplications for some first row, or gives other loads than \
            the timing diagram",
        derive: complexity,
        ..HOLDS
    },
    Claim {
        id: "linear-solution",
        source: "sections 3.1.5, 3.1.6",
        statement: "a flow matrix of order r needs no elimination",
        definition: "Cramer's rule on the whole matrix against a recurrence, its multiplications counted",
        printed: "O(r): alpha_k = (1 - sigma) alpha_(k-1) from k = 2 on (VCT), alpha_k = alpha_(k-1) / (1 + sigma) (S&F)",
        fails_if: "the recurrence takes more than 3 r multiplications for some first row, or gives other loads \
            than Cramer's rule",
        derive: linear_solution,
        ..REMARK
    },
];

/// A x = (1, 0, ..., 0) by elimination and substitution: x, and how many multiplications and divisions it took.
fn eliminated(matrix: &[Vec<Exact>]) -> (Vec<Exact>, u64) {
    let order = matrix.len();
    let mut rows: Vec<Vec<Exact>> = matrix.to_vec();
    for (index, row) in rows.iter_mut().enumerate() {
        row.push(Exact::whole(i64::from(index == 0)));
    }
    let mut count = 0;
    for column in 0..order {
        let pivot = (column..order).find(|&row| rows[row][column] != Exact::zero());
        rows.swap(column, pivot.expect("the matrix is not singular"));
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = &row[column] / &pivot[column];
            count += 1;
            for (entry, from) in row.iter_mut().zip(pivot).skip(column + 1) {
                *entry = &*entry - &factor * from;
                count += 1;
            }
        }
    }
    let mut found = vec![Exact::zero(); order];
    for row in (0..order).rev() {
        let known: Exact = (row + 1..order).map(|column| &rows[row][column] * &found[column]).sum();
        found[row] = (&rows[row][order] - known) / &rows[row][row];
        count += (order - row) as u64;
    }
    (found, count)
}

fn complexity(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["order of A", "multiplications", "r^3"]);
    for &(machine, source) in ROWS {
        let layers = layers(machine, &[source])?;
        let order = layers.len() as u64;
        for forwarding in BOTH {
            for sigma in sigmas() {
                let (found, count) = eliminated(&matrix(&layers, &sigma, forwarding));
                let right = found == loads(&layers, &sigma, forwarding);
                check.case(right && count <= order.pow(3), || {
                    format!(
                        "{}, sigma = {sigma}: {count} multiplications, r^3 = {}",
                        row(&layers),
                        order.pow(3)
                    )
                });
                if sigma == Exact::fraction(1, 2) && forwarding == CutThrough {
                    numbers.row(&[&order, &count, &order.pow(3)]);
                }
            }
        }
    }
    let range = format!("{} first rows, both forwardings", ROWS.len());
    let note = "An upper bound, and right; less is enough: linear-solution. Cramer's rule for every load would need r + 1 determinants.";
    Ok(Derivation::of(range, check).numbers(numbers).note(note))
}

fn linear_solution(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["order of A", "multiplications of the recurrence", "r^3"]);
    for &(machine, source) in ROWS {
        let layers = layers(machine, &[source])?;
        let order = layers.len() as u64;
        for forwarding in BOTH {
            for sigma in sigmas() {
                let (found, multiplications) = recurrence(&layers, &sigma, forwarding);
                let ruled = cramer(&matrix(&layers, &sigma, forwarding));
                check.case(found == ruled && multiplications <= 3 * order, || {
                    format!("{}, sigma = {sigma}: {multiplications} multiplications", row(&layers))
                });
            }
        }
        numbers.row(&[&order, &(3 * order - 2), &order.pow(3)]);
    }
    let range = format!("{} first rows, both forwardings", ROWS.len());
    Ok(Derivation::of(range, check).numbers(numbers))
}

/// The loads by one multiplication a layer, and how many multiplications there were.
fn recurrence(layers: &[u64], sigma: &Exact, forwarding: Forwarding) -> (Vec<Exact>, u64) {
    let one = Exact::whole(1);
    let factor = match forwarding {
        CutThrough => &one - sigma,
        _ => &one / (&one + sigma),
    };
    let (mut ratio, mut ratios, mut whole, mut count) = (one.clone(), Vec::new(), Exact::zero(), 0);
    for (layer, &many) in layers.iter().enumerate() {
        if layer > 1 || (layer == 1 && forwarding != CutThrough) {
            ratio = ratio * &factor;
            count += 1;
        }
        whole = whole + Exact::from(many) * &ratio;
        ratios.push(ratio.clone());
        count += 2;
    }
    (ratios.into_iter().map(|ratio| ratio / &whole).collect(), count)
}
