//! Section 6.1 and the paragraph before it: the reflecting mapping under wormhole routing.

use super::study::{Mapping, Mapping::Reflecting, Study, alphas, costs, weights};
use super::{CORRECTED, HOLDS, REMARK};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::Bytes;
use meshwright_mapping::{Divide, Shape};
use meshwright_network::topology::Switching::Wormhole;
use meshwright_verdict::Job;

/// Start-up, byte time and head flit of the exact model.
const COSTS: (u64, u64, u64) = (100, 1, 2);

/// Contention, Lemma 2, Theorem 1.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "contention-free",
        source: "Section 6, first paragraph",
        statement: "in what sense M_R is free of contention",
        definition: "edges active in each phase, and edges of one phase on each link",
        printed: "no two edges of a phase are active at the same time",
        fails_if: "no phase has two edges active, or two edges of one phase use one link",
        correct: Some(
            "no two edges of a phase that use one link: phase i has 2^(i-1) edges active at the same time, on different links",
        ),
        errata: Some("E5"),
        derive: contention_free,
        ..CORRECTED
    },
    Claim {
        id: "lemma-2",
        source: "Lemma 2",
        statement: "no two edges of a phase of M_R share a link",
        definition: "C_w(E_i) = alpha^i max |I(e)|, and the most edges of a phase on one link",
        printed: "C_w(E_i) = 0, one edge on a link at most",
        fails_if: "two edges of one phase of M_R share a link",
        derive: lemma_2,
        ..HOLDS
    },
    Claim {
        id: "theorem-1",
        source: "Theorem 1",
        statement: "M_R has slowdown 1 under wormhole routing",
        definition: "S = T_M / T_P: sum of max(link load) alpha^i over sum of alpha^i; simulated with h = 0 for alpha 1 and 1/2",
        printed: "S(M_R) = 1",
        fails_if: "M_R takes another time than alpha + ... + alpha^n under wormhole routing with h = 0",
        derive: theorem_1,
        ..HOLDS
    },
    Claim {
        id: "theorem-1-optimal",
        source: "Theorem 1",
        statement: "M_R is optimal under wormhole routing",
        definition: "simulated time of M_R, all terms of eq. (1), against that of centred halving on the same mesh",
        printed: "no mapping is faster than M_R",
        fails_if: "centred halving is never faster than M_R, or one of the two misses its formula, or the bound is \
            above either",
        correct: Some(
            "no mapping is faster than c n + b sum W(E_i) + b h R, R the radius of the mesh: centred halving attains it; \
            M_R takes b h (sum D(E_i) - R) more, which is 0 only for n <= 4",
        ),
        errata: Some("E8"),
        derive: theorem_1_optimal,
        ..CORRECTED
    },
    Claim {
        id: "theorem-1-discriminates",
        source: "Theorem 1",
        statement: "slowdown 1 is no merit of M_R alone",
        definition: "S = sum of max(link load) alpha^i over sum of alpha^i for placements that are not M_R",
        printed: "S(M) = 1 by rows, along a snake and for centred halving too, as for all that halve a set of nodes again and \
            again; sum D(E_i) differs, and M_R takes the fewest hops in all",
        fails_if: "rows, snake or centred halving have S > 1, or fewer hops than M_R, for some n",
        derive: theorem_1_discriminates,
        ..REMARK
    },
];

fn contention_free(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for n in 1..=study.n_max {
        for (i, phase) in (1u32..).zip(&study.survey(Reflecting, n).phases) {
            printed.case(phase.messages <= 1, || {
                format!("B({n}), phase {i}: {} edges are active", phase.messages)
            });
            corrected.equal(&1, &phase.link_load, || format!("B({n}), phase {i}: edges on a link"));
            corrected.equal(&(1 << (i - 1)), &phase.messages, || format!("B({n}), phase {i}: edges"));
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({})", study.n_max), printed).corrected(corrected))
}

fn lemma_2(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "phases", "greatest |I(e)|", "most edges on a link"]);
    for n in 1..=study.n_max {
        let phases = &study.survey(Reflecting, n).phases;
        for (i, phase) in (1u32..).zip(phases) {
            check.equal(&0, &phase.contention, || format!("B({n}), phase {i}: |I(e)|"));
            check.equal(&1, &phase.link_load, || format!("B({n}), phase {i}: edges on a link"));
        }
        let most =
            |figure: fn(&super::study::StudyPhase) -> u32| phases.iter().map(figure).max().unwrap_or(0);
        numbers.row(&[&n, &n, &most(|phase| phase.contention), &most(|phase| phase.link_load)]);
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({})", study.n_max), check).numbers(numbers))
}

fn theorem_1(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "alpha", "T_M / b", "T_P / b", "S", "simulated S"]);
    for n in 1..=study.n_max {
        for alpha in alphas() {
            let time = study.survey(Reflecting, n).sum(&alpha, |phase| phase.link_load);
            check.equal(&weights(&alpha, n), &time, || format!("B({n}), alpha = {alpha}"));
        }
    }
    for n in 1..=study.n_simulated() {
        for (alpha, halving) in [(Exact::whole(1), false), (Exact::fraction(1, 2), true)] {
            let perfect = weights(&alpha, n);
            let simulated = study.simulate_large(Reflecting, n, Wormhole, halving)?;
            check.equal(&perfect, &simulated, || format!("B({n}), alpha = {alpha}, simulated"));
            if n % 2 == 0 {
                let time = study.survey(Reflecting, n).sum(&alpha, |phase| phase.link_load);
                numbers.row(&[&n, &alpha, &time, &perfect, &(&time / &perfect), &(simulated / &perfect)]);
            }
        }
    }
    let range =
        format!("B(1) to B({}), eight shares alpha; simulated to B({})", study.n_max, study.n_simulated());
    Ok(Derivation::of(range, check).numbers(numbers))
}

fn theorem_1_optimal(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers =
        Numbers::new(&["n", "sum D of M_R", "R", "M_R simulated", "centred halving simulated", "bound"]);
    let (c, b, h) = COSTS;
    for n in 1..=study.n_simulated() {
        let run = |mapping| study.simulate(mapping, n, Wormhole, costs(c, b, h), |i| 1 << (n - i));
        let (reflecting, halving) = (run(Reflecting)?.ticks, run(Mapping::Named("centred-halving"))?.ticks);
        printed.case(reflecting <= halving, || {
            format!("B({n}), c = {c}, b = {b}, h = {h}, alpha = 1/2: M_R {reflecting} cycles, centred halving {halving}")
        });
        let (rows, columns) = Study::sides(n);
        let radius = u64::from(rows / 2 + columns / 2);
        let bound = c * u64::from(n) + b * ((1 << n) - 1) + b * h * radius;
        let dilations = study.survey(Reflecting, n).dilations();
        let divide = Divide {
            shape: Shape::Binomial(n),
            alpha: Some(0.5),
            combine_alpha: None,
            volume: Bytes(1 << n),
        };
        let mut mesh = Study::mesh(n)?;
        mesh = mesh.with_costs(costs(c, b, h))?;
        corrected.equal(&Job::divide(&divide)?.bound_ticks(&mesh), &bound, || format!("B({n}): bound"));
        corrected.equal(&bound, &halving, || format!("B({n}): centred halving"));
        corrected.equal(&(bound + b * h * (dilations - radius)), &reflecting, || format!("B({n}): M_R"));
        corrected
            .case((dilations == radius) == (n <= 4), || format!("B({n}): sum D = {dilations}, R = {radius}"));
        numbers.row(&[&n, &dilations, &radius, &reflecting, &halving, &bound]);
    }
    let range = format!("B(1) to B({}), alpha = 1/2, c = {c}, b = {b}, h = {h}", study.n_simulated());
    Ok(Derivation::of(range, printed)
        .corrected(corrected)
        .numbers(numbers)
        .note("In Lo 1990's own model, which drops the term d h, M_R is optimal: theorem-1."))
}

fn theorem_1_discriminates(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "mapping", "S", "sum D(E_i)", "hops of all messages"]);
    let others = ["row-major", "snake", "centred-halving"].map(Mapping::Named);
    let half = Exact::fraction(1, 2);
    for n in 1..=study.n_simulated() {
        for mapping in others {
            let survey = study.measure(mapping, n)?;
            let slowdown = survey.sum(&half, |phase| phase.link_load) / weights(&half, n);
            check.equal(&Exact::whole(1), &slowdown, || format!("B({n}), {}", mapping.name()));
            let own = study.survey(Reflecting, n).hops_total;
            check.case(own <= survey.hops_total, || format!("B({n}), {}: fewer hops", mapping.name()));
            if n == study.n_simulated() {
                numbers.row(&[&n, &mapping.name(), &slowdown, &survey.dilations(), &survey.hops_total]);
            }
        }
        if n == study.n_simulated() {
            let survey = study.survey(Reflecting, n);
            numbers.row(&[&n, &"M_R", &1, &survey.dilations(), &survey.hops_total]);
        }
    }
    let range = format!("B(1) to B({}), alpha = 1/2", study.n_simulated());
    Ok(Derivation::of(range, check).numbers(numbers).note("The merit of M_R is elsewhere."))
}
