//! Section 6.2: the reflecting mapping under store-and-forward routing, up to its total time.

use super::study::{Mapping::Reflecting, Study, alphas, weights};
use crate::claims::check::{Check, Derivation, Numbers};
use crate::claims::exact::Exact;
use crate::claims::{Claim, Verdict};
use crate::error::Result;
use crate::topology::Switching;

/// Lemmas 3, 4 and 5 with equations (11) and (12).
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-3-uniform",
        source: "Lemma 3, proof",
        statement: "all messages of a phase of M_R go equally far",
        definition: "shortest and longest route of phase i in M_R(B(n))",
        printed: "min of D(e) over E_i = max of D(e) over E_i",
        correct: None,
        errata: None,
        expected: Verdict::Holds,
        derive: uniform,
    },
    Claim {
        id: "lemma-3",
        source: "Lemma 3",
        statement: "the weighted dilation of phase i of M_R(B(n))",
        definition: "D_w(E_i) = max over e in E_i of W(e) D(e), routes counted link by link, for each alpha",
        printed: "D_w(E_i) = J(ceil(i/2)) alpha^i with J(q) = (2^q - (-1)^q) / 3",
        correct: Some(
            "D_w(E_i) = J(ceil((n-i+1)/2)) alpha^i: the edge between the two halves is the longest, and phase 1 uses it",
        ),
        errata: Some("E1"),
        expected: Verdict::Corrected,
        derive: lemma_3,
    },
    Claim {
        id: "lemma-4",
        source: "Lemma 4, eq. (12)",
        statement: "the time of the perfect mapping is a geometric series",
        definition: "T_P = alpha + alpha^2 + ... + alpha^n, term by term",
        printed: "n if alpha = 1, else (1 - alpha^(n+1)) / (1 - alpha) - 1",
        correct: None,
        errata: None,
        expected: Verdict::Holds,
        derive: lemma_4,
    },
];

/// J(q) = (2^q - (-1)^q) / 3: 0, 1, 1, 3, 5, 11, ...
pub(super) fn jacobsthal(q: u32) -> Exact {
    let sign = Exact::whole(if q % 2 == 0 { 1 } else { -1 });
    (Exact::two_to(q) - sign) / Exact::whole(3)
}

fn uniform(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 1..=study.n_max {
        for (i, phase) in (1u32..).zip(&study.survey(Reflecting, n).phases) {
            check.equal(&phase.dilation_least, &phase.dilation, || format!("B({n}), phase {i}"));
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({})", study.n_max), check))
}

fn lemma_3(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for n in 1..=study.n_max {
        for (i, phase) in (1u32..).zip(&study.survey(Reflecting, n).phases) {
            for alpha in alphas() {
                let power = alpha.power(i);
                let found = Exact::from(phase.dilation) * &power;
                let words = || format!("B({n}), phase {i}, alpha = {alpha}");
                printed.equal(&(jacobsthal(i.div_ceil(2)) * &power), &found, words);
                corrected.equal(&(jacobsthal((n - i + 1).div_ceil(2)) * &power), &found, words);
            }
        }
    }
    let n = study.n_simulated().min(8);
    let mut numbers =
        Numbers::new(&["phase of B(8)", "printed D(E_i)", "corrected", "longest route", "simulated steps"]);
    let trace =
        study.simulate(Reflecting, n, Switching::StoreAndForward, super::study::costs(0, 1, 0), |_| 1)?;
    for (i, phase) in (1u32..).zip(&study.survey(Reflecting, n).phases) {
        let (wrong, right) = (jacobsthal(i.div_ceil(2)), jacobsthal((n - i + 1).div_ceil(2)));
        numbers.row(&[&i, &wrong, &right, &phase.dilation, &trace.phase_ticks[i as usize - 1]]);
    }
    let range = format!("every phase of B(1) to B({}), eight shares alpha", study.n_max);
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

/// The closed form of eq. (12).
pub(super) fn perfect(alpha: &Exact, n: u32) -> Exact {
    let one = Exact::whole(1);
    if *alpha == one { Exact::from(n) } else { (&one - alpha.power(n + 1)) / (&one - alpha) - one }
}

fn lemma_4(_: &Study) -> Result<Derivation> {
    const N: u32 = 64;
    let mut check = Check::default();
    for n in 0..=N {
        for alpha in alphas() {
            check.equal(&perfect(&alpha, n), &weights(&alpha, n), || format!("n = {n}, alpha = {alpha}"));
        }
    }
    Ok(Derivation::of(format!("n = 0 to {N}, eight shares alpha"), check))
}
