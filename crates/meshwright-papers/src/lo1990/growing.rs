//! Section 6.3: the growing mapping under store-and-forward routing.

use super::study::{Mapping, Mapping::Growing, Mapping::Reflecting, Study, alphas, costs};
use super::totals::{K, beside, perfect, range, simulated, slowdown, total, uniform_slowdown};
use super::{CORRECTED, HOLDS};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_network::topology::PortModel;
use meshwright_network::topology::Switching::StoreAndForward;

/// Lemmas 6 and 7, the sum after them, Theorem 3. Lemma 8 has a file of its own.
pub(super) const DILATIONS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-6",
        source: "Lemma 6",
        statement: "the weighted dilation of phase i of M_G",
        definition: "shortest and longest route of phase i in M_G(B(n)), times alpha^i",
        printed: "alpha^i for i <= 2, alpha^i 2^(ceil(i/2) - 2) for i >= 3",
        fails_if: "an edge of some phase of M_G is longer or shorter than the formula",
        derive: lemma_6,
        ..HOLDS
    },
    Claim {
        id: "lemma-7",
        source: "Lemma 7",
        statement: "the weighted contention of phase i of M_G",
        definition: "C_w(E_i) = alpha^i max |I(e)|, by definitions 6 and 7",
        printed: "C_w(E_i) = 0 for every phase",
        fails_if: "no edges of one phase of M_G interfere by definition 6, or another number of them than the \
            corrected form says",
        correct: Some(
            "C_w(E_i) = 0 for i <= 4, alpha^i (2^(ceil(i/2) - 2) - 1) for i > 4; what is 0 is the time lost, see lemma-7-lock-step",
        ),
        errata: Some("E3"),
        derive: lemma_7,
        ..CORRECTED
    },
    Claim {
        id: "lemma-7-lock-step",
        source: "Lemma 7, proof",
        statement: "all messages of a phase of M_G move one link in each step",
        definition: "simulated steps of phase i under store-and-forward routing, one message on a link at a time",
        printed: "1 step for i <= 2, 2^(ceil(i/2) - 2) steps for i >= 3",
        fails_if: "a simulated phase of M_G takes another number of steps, or a message of it waits",
        derive: lock_step,
        ..HOLDS
    },
    Claim {
        id: "growing-sum",
        source: "Section 6.3, before Lemma 8",
        statement: "whose time alpha + alpha^2 + sum of alpha^i 2^(ceil(i/2) - 2) is",
        definition: "sum of D_w(E_i) of the mapping named, routes counted link by link",
        printed: "the time of the reflecting mapping of B(2k)",
        fails_if: "the sum is the time of M_R for every k and alpha, or not that of M_G for some",
        correct: Some("the time of the growing mapping of B(2k)"),
        errata: Some("E4"),
        derive: growing_sum,
        ..CORRECTED
    },
];

/// Theorem 3.
pub(super) const SLOWDOWNS: &[Claim<Study>] = &[
    Claim {
        id: "theorem-3-uniform",
        source: "Theorem 3, first bullet",
        statement: "slowdown of M_G(B(2k)), large volume, alpha = 1",
        definition: "S = sum D(E_i) / 2k",
        printed: "S = 2^(k-1) / k",
        fails_if: "S differs from 2^(k-1) / k for some k, counted or simulated",
        derive: uniform_volume,
        ..HOLDS
    },
    Claim {
        id: "theorem-3-halving",
        source: "Theorem 3, second bullet",
        statement: "slowdown of M_G(B(2k)), large volume, alpha = 1/2",
        definition: "S = sum D_w(E_i) / sum 2^-i, never above 1.125 and within 2^-k of it",
        printed: "S = O(1), asymptotically approaching 1.125",
        fails_if: "S exceeds 1.125, or is further from it than 2^-k, for some k",
        derive: halving_volume,
        ..HOLDS
    },
    Claim {
        id: "theorem-3-small",
        source: "Theorem 3, third bullet",
        statement: "slowdown of M_G(B(2k)), small volume",
        definition: "S = sum D(E_i) / 2k, simulated with messages of no bytes; alpha gives the messages their sizes",
        printed: "S = 2^(k-1) / k for alpha = 1",
        fails_if: "the start-ups of a simulated run of alpha = 1 or 1/2 give another S",
        derive: small_volume,
        ..HOLDS
    },
];

/// D(E_i) of M_G by Lemma 6.
pub(super) fn dilation(i: u32) -> Exact {
    Exact::two_to(i.div_ceil(2).saturating_sub(2))
}

fn lemma_6(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 1..=study.n_max {
        for (i, phase) in (1u32..).zip(&study.survey(Growing, n).phases) {
            for alpha in alphas() {
                let claimed = dilation(i) * alpha.power(i);
                for links in [phase.dilation_least, phase.dilation] {
                    let found = Exact::from(links) * alpha.power(i);
                    check.equal(&claimed, &found, || format!("B({n}), phase {i}, alpha = {alpha}"));
                }
            }
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({}), eight shares alpha", study.n_max), check))
}

fn lemma_7(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for n in 1..=study.n_max {
        for (i, phase) in (1u32..).zip(&study.survey(Growing, n).phases) {
            for alpha in alphas() {
                let weight = alpha.power(i);
                let words = || format!("B({n}), phase {i}, alpha = {alpha}");
                let most = Exact::from(phase.contention) * &weight;
                printed.equal(&Exact::zero(), &most, words);
                corrected.equal(&((dilation(i) - Exact::whole(1)) * &weight), &most, words);
            }
            corrected.equal(&phase.contention_least, &phase.contention, || {
                format!("B({n}), phase {i}: every edge")
            });
        }
    }
    let n = study.n_simulated();
    let steps = study.simulate(Growing, n, StoreAndForward, costs(0, 1, 0), |_| 1)?.phase_ticks;
    let columns = [
        "n",
        "phase",
        "messages",
        "|I(e)| of every edge",
        "messages on a link",
        "links of each",
        "simulated steps",
    ];
    let mut numbers = Numbers::new(&columns);
    for (i, phase) in (1u32..).zip(&study.survey(Growing, n).phases) {
        let values = [phase.contention, phase.link_load, phase.dilation].map(|value| value.to_string());
        numbers.row(&[&n, &i, &phase.messages, &values[0], &values[1], &values[2], &steps[i as usize - 1]]);
    }
    let range = format!("every phase of B(1) to B({}), eight shares alpha", study.n_max);
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers).note(
        "Definition 6 knows no time: edges of one line interfere even if their messages never meet. The schedule without \
         waiting needs nodes that send and receive in the same step.",
    ))
}

fn lock_step(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 1..=study.n_simulated() {
        for ports in [PortModel::All, PortModel::One] {
            let mesh = Study::mesh(n)?.with_switching(StoreAndForward);
            let mesh = mesh.with_costs(costs(0, 1, 0))?.with_port_model(ports);
            let trace = study.simulate_on(&mesh, Growing, n, |_| 1)?;
            for (i, steps) in (1u32..).zip(&trace.phase_ticks) {
                check.equal(&dilation(i), &Exact::from(*steps), || format!("B({n}), phase {i}, {ports:?}"));
            }
            check.case(trace.longest_wait.is_none(), || format!("B({n}): some message waits"));
        }
    }
    let range = format!(
        "every phase of B(1) to B({}), nodes with ports on all links and with one",
        study.n_simulated()
    );
    Ok(Derivation::of(range, check))
}

fn growing_sum(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["k", "alpha", "the sum", "M_R", "M_G"]);
    for k in 1..=study.n_max / 2 {
        for alpha in alphas() {
            let sum: Exact = (1..=2 * k).map(|i| alpha.power(i) * dilation(i)).sum();
            let of = |mapping: Mapping| study.survey(mapping, 2 * k).weighted(&alpha);
            let words = |name: &str| format!("{name} of B({}), alpha = {alpha}", 2 * k);
            printed.equal(&sum, &of(Reflecting), || words("M_R"));
            corrected.equal(&sum, &of(Growing), || words("M_G"));
            if alpha >= Exact::fraction(1, 2) && k <= 4 {
                numbers.row(&[&k, &alpha, &sum, &of(Reflecting), &of(Growing)]);
            }
        }
    }
    let range = format!("k = 1 to {}, eight shares alpha", study.n_max / 2);
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

fn uniform_volume(study: &Study) -> Result<Derivation> {
    let one = Exact::whole(1);
    let (mut check, _) = beside(study, Growing, |k, alpha| {
        // The closed form is for alpha = 1; the other column of the table is checked by Lemma 8.
        if *alpha == one { uniform_slowdown(k) * Exact::from(2 * k) } else { total(study, Growing, k, alpha) }
    })?;
    let mut numbers = Numbers::new(&["k", "2^(k-1) / k", "S", "simulated"]);
    for k in 1..=K {
        let found = slowdown(study, Growing, k, &one);
        check.equal(&uniform_slowdown(k), &found, || format!("k = {k}"));
        if k <= 8 {
            let simulated = simulated(study, Growing, k, &one)?.over(&perfect(&one, 2 * k));
            numbers.row(&[&k, &uniform_slowdown(k), &found, &simulated]);
        }
    }
    Ok(Derivation::of(range(study, 1), check).numbers(numbers))
}

fn halving_volume(study: &Study) -> Result<Derivation> {
    let half = Exact::fraction(1, 2);
    let limit = Exact::fraction(9, 8);
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["k", "S", "simulated", "apart from 1.125"]);
    for k in 1..=K {
        let found = slowdown(study, Growing, k, &half);
        check.case(found <= limit, || format!("k = {k}: S = {found}"));
        super::totals::converges(&mut check, k, &found, &limit, 0);
        if k <= 8 {
            let simulated = simulated(study, Growing, k, &half)?.over(&perfect(&half, 2 * k));
            let apart = format!("{:.3e}", found.distance(&limit).to_f64());
            numbers.row(&[&k, &found, &simulated, &apart]);
        }
    }
    Ok(Derivation::of(range(study, 1), check).numbers(numbers).note("S = 1 for k = 1 and k = 2."))
}

fn small_volume(study: &Study) -> Result<Derivation> {
    /// A start-up so long that all bytes together are less than one of it.
    const STARTUP: u64 = 1 << 30;
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["k", "alpha", "2^(k-1) / k", "simulated S"]);
    for k in 1..=study.n_simulated() / 2 {
        for (alpha, halving) in [(Exact::whole(1), false), (Exact::fraction(1, 2), true)] {
            let bytes = |i: u32| if halving { 1 << (2 * k - i) } else { 1 };
            let run = study.simulate(Growing, 2 * k, StoreAndForward, costs(STARTUP, 1, 0), bytes)?;
            // What is left after whole start-ups are the bytes.
            let found = Exact::from(run.ticks / STARTUP) / Exact::from(2 * k);
            check.equal(&uniform_slowdown(k), &found, || format!("k = {k}, alpha = {alpha}"));
            numbers.row(&[&k, &alpha, &uniform_slowdown(k), &found]);
        }
    }
    let range = format!("k = 1 to {}, alpha 1 and 1/2, c = 2^30, b = 1", study.n_simulated() / 2);
    Ok(Derivation::of(range, check).numbers(numbers).note(
        "True as printed, and for every alpha: small volume does not depend on it, eq. (10); the third bullet of Theorem 2 \
         says so.",
    ))
}
