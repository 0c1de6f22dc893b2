//! Lemma 8: the time of the growing mapping under store-and-forward routing.

use super::HOLDS;
use super::growing::dilation;
use super::study::{Mapping::Growing, Study, alphas};
use super::totals::{K, beside, range, simulated, total};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;

/// What all four parts leave open alike.
const FROM_ONE: &str = "The lemma does not say from which k on. Phases 1 and 2, which its sum names, are there from k = 1 on; B(0) \
    sends nothing, where the formula gives more than 0.";

/// Parts (a) to (d).
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-8a",
        source: "Lemma 8 (a)",
        statement: "time of M_G(B(2k)) under store-and-forward routing, any alpha but 1/sqrt(2)",
        definition: "sum of D_w(E_i): routes counted link by link, then by Lemma 6; simulated for alpha 1 and 1/2",
        printed: "c5 (2 alpha^2)^k + c6, c5 = alpha (1 + alpha) / (2 (2 alpha^2 - 1)), \
            c6 = alpha (alpha^3 + alpha^2 - alpha - 1) / (2 alpha^2 - 1)",
        fails_if: "the closed form differs from the links counted, from Lemma 6, or from a simulated time, for \
            some k >= 1",
        derive: lemma_8a,
        ..HOLDS
    },
    Claim {
        id: "lemma-8b",
        source: "Lemma 8 (b)",
        statement: "time of M_G(B(2k)) under store-and-forward routing, alpha = 1",
        definition: "sum of D(E_i): routes counted link by link, then by Lemma 6",
        printed: "2^k",
        fails_if: "2^k differs from the sum of dilations for some k >= 1",
        derive: lemma_8b,
        ..HOLDS
    },
    Claim {
        id: "lemma-8c",
        source: "Lemma 8 (c)",
        statement: "time of M_G(B(2k)) under store-and-forward routing, alpha = 1/2",
        definition: "sum of 2^-i D(E_i): routes counted link by link, then by Lemma 6",
        printed: "1.125 - 3 / 2^(k+2)",
        fails_if: "the closed form differs from the weighted sum for some k >= 1",
        derive: lemma_8c,
        ..HOLDS
    },
    Claim {
        id: "lemma-8d",
        source: "Lemma 8 (d)",
        statement: "time of M_G(B(2k)) under store-and-forward routing, alpha = 1/sqrt(2)",
        definition: "sum of alpha^i D(E_i) as p + q sqrt(2) with fractions p and q: even phases give p, odd ones q",
        printed: "(sqrt(2) + 1) (k + 1) / 4",
        fails_if: "the closed form differs from the sum in its fraction or in its part with sqrt(2), for some k >= 1",
        derive: lemma_8d,
        ..HOLDS
    },
];

/// Compares a closed form with the sum, from k = 1 on.
fn compare(study: &Study, shares: &[Exact], formula: impl Fn(u32, &Exact) -> Exact) -> Check {
    let mut check = Check::default();
    for k in 1..=K {
        for alpha in shares {
            let (formula, found) = (formula(k, alpha), total(study, Growing, k, alpha));
            check.equal(&formula, &found, || format!("B({}), alpha = {alpha}", 2 * k));
        }
    }
    check
}

/// The right-hand side of part (a).
fn form_8a(k: u32, alpha: &Exact) -> Exact {
    let whole = Exact::whole;
    let square = alpha * alpha;
    let denominator = whole(2) * &square - whole(1);
    let c5 = alpha * (whole(1) + alpha) / (whole(2) * &denominator);
    let c6 = alpha * (alpha * &square + &square - alpha - whole(1)) / denominator;
    c5 * (whole(2) * square).power(k) + c6
}

fn lemma_8a(study: &Study) -> Result<Derivation> {
    let (mut check, numbers) = beside(study, Growing, form_8a)?;
    check.add(compare(study, &alphas().collect::<Vec<_>>(), form_8a));
    Ok(Derivation::of(range(study, 1), check).numbers(numbers).note(FROM_ONE))
}

fn lemma_8b(study: &Study) -> Result<Derivation> {
    let formula = |k: u32, _: &Exact| Exact::two_to(k);
    let check = compare(study, &[Exact::whole(1)], formula);
    let mut numbers = Numbers::new(&["k", "2^k", "links counted", "simulated"]);
    for k in 1..=study.n_max / 2 {
        let simulated = simulated(study, Growing, k, &Exact::whole(1))?;
        numbers.row(&[&k, &Exact::two_to(k), &study.survey(Growing, 2 * k).dilations(), &simulated]);
    }
    Ok(Derivation::of(range(study, 1), check).numbers(numbers).note(FROM_ONE))
}

fn lemma_8c(study: &Study) -> Result<Derivation> {
    let half = Exact::fraction(1, 2);
    let formula = |k: u32, _: &Exact| Exact::fraction(9, 8) - Exact::whole(3) / Exact::two_to(k + 2);
    let check = compare(study, std::slice::from_ref(&half), formula);
    let mut numbers = Numbers::new(&["k", "1.125 - 3 / 2^(k+2)", "links counted", "simulated"]);
    for k in 1..=study.n_max / 2 {
        let simulated = simulated(study, Growing, k, &half)?;
        numbers.row(&[&k, &formula(k, &half), &study.survey(Growing, 2 * k).weighted(&half), &simulated]);
    }
    Ok(Derivation::of(range(study, 1), check).numbers(numbers).note(FROM_ONE))
}

/// p + q sqrt(2), written out.
fn surd((p, q): &(Exact, Exact)) -> String {
    format!("{p} + {q} sqrt(2)")
}

/// The time for alpha = 1/sqrt(2): alpha^(2j) = 2^-j, alpha^(2j-1) = 2^-j sqrt(2).
fn surd_total(study: &Study, k: u32) -> (Exact, Exact) {
    let links = |i: u32| {
        let built = study.n_max >= 2 * k;
        if built {
            Exact::from(study.survey(Growing, 2 * k).phases[i as usize - 1].dilation)
        } else {
            dilation(i)
        }
    };
    let half = |j: u32| Exact::fraction(1, 2).power(j);
    let even = (1..=k).map(|j| half(j) * links(2 * j)).sum();
    let odd = (1..=k).map(|j| half(j) * links(2 * j - 1)).sum();
    (even, odd)
}

fn lemma_8d(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["k", "formula", "sum"]);
    for k in 1..=K {
        let quarter = Exact::from(k + 1) / Exact::whole(4);
        let (formula, found) = ((quarter.clone(), quarter), surd_total(study, k));
        let words = || format!("B({}): printed {}, in fact {}", 2 * k, surd(&formula), surd(&found));
        check.case(formula == found, words);
        if k <= 8 {
            numbers.row(&[&k, &surd(&formula), &surd(&found)]);
        }
    }
    Ok(Derivation::of(range(study, 1), check).numbers(numbers).note(FROM_ONE))
}
