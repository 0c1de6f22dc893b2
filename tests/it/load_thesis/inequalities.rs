//! The thesis's constraints with inequalities.

use meshwright_core::exact::Exact;
use meshwright_load::Forwarding;
use meshwright_load::shares::closed_form;
use meshwright_papers::zhang2018::formulas::inequalities;
use microlp::{ComparisonOp, OptimizationDirection, Problem as Programme};

use super::{assert_close, counts, float, forwarding, golden, largest};

/// max sum m_k a_k subject to s sum_(j < k) a_j + (a_k or (1 + s) a_k) <= 1, by the simplex method.
fn by_programme(layers: &[u64], sigma: f64, forwarding: Forwarding) -> f64 {
    let mut programme = Programme::new(OptimizationDirection::Maximize);
    let own = if forwarding == Forwarding::CutThrough { 1.0 } else { 1.0 + sigma };
    let shares: Vec<_> =
        layers.iter().map(|&nodes| programme.add_var(nodes as f64, (0.0, f64::INFINITY))).collect();
    programme.add_constraint([(shares[0], 1.0)], ComparisonOp::Le, 1.0);
    for k in 1..layers.len() {
        let mut terms: Vec<_> = shares[1..k].iter().map(|&share| (share, sigma)).collect();
        terms.push((shares[k], own));
        programme.add_constraint(&terms, ComparisonOp::Le, 1.0);
    }
    largest(&programme)
}

#[test]
fn optima_of_the_inequalities() {
    for entry in golden("paper_model_lp") {
        let (layers, sigma, forwarding) =
            (counts(&entry["layers"]), float(&entry["sigma"]), forwarding(&entry));
        let what = entry.to_string();
        let equal = closed_form::speedup(&layers, &sigma, forwarding);
        assert_close(equal, float(&entry["equal_finish"]), 1e-12, &what);
        let optimum = inequalities::inequalities(&layers, &sigma, forwarding).expect("a source").speedup;
        assert_close(optimum, float(&entry["lp_same_constraints"]), 1e-7, &what);
        assert_close(optimum, by_programme(&layers, sigma, forwarding), 1e-9, &what);
        let by_size =
            inequalities::largest_layer_first(&layers, &sigma, forwarding).expect("a source").speedup;
        assert_close(by_size, float(&entry["largest_layer_first"]), 1e-12, &what);
        let margins = inequalities::equal_finish_margins(&layers, &sigma, forwarding).expect("a source");
        let is_optimal = margins.iter().all(|&margin| margin >= 0.0);
        assert_eq!(is_optimal, optimum <= equal * (1.0 + 1e-12), "{what}");
    }
}

/// The programme, the recursion and the criterion on many profiles; fractions satisfy every constraint.
#[test]
fn recursion_programme_and_criterion_agree() {
    let profiles: [&[u64]; 7] = [
        &[1],
        &[1, 1],
        &[1, 2, 3, 2, 1],
        &[1, 5, 1, 5],
        &[1, 1, 30, 1],
        &[2, 3, 0, 7],
        &[1, 4, 8, 12, 16, 4],
    ];
    let (mut optimal, mut improved) = (0, 0);
    for layers in profiles {
        for (p, q) in [(0, 1), (1, 10), (1, 3), (1, 2), (3, 4), (9, 10), (1, 1)] {
            for forwarding in [Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward] {
                let sigma = Exact::fraction(p, q);
                let what = format!("{layers:?} {sigma} {}", forwarding.name());
                let optimum = inequalities::inequalities(layers, &sigma, forwarding).expect("a source");
                let programme = by_programme(layers, sigma.to_f64(), forwarding);
                assert_close(optimum.speedup.to_f64(), programme, 1e-9, &what);
                let equal = closed_form::speedup(layers, &sigma, forwarding);
                let margins =
                    inequalities::equal_finish_margins(layers, &sigma, forwarding).expect("a source");
                let degenerate = forwarding == Forwarding::CutThrough && sigma == Exact::whole(1);
                let no_better = match degenerate {
                    true => layers[1..].iter().max() == layers.get(1),
                    false => margins.iter().all(|margin| *margin >= Exact::zero()),
                };
                assert_eq!(no_better, optimum.speedup == equal, "{what}");
                if no_better {
                    optimal += 1;
                } else {
                    improved += 1;
                }
                let makespan = &optimum.fractions[0];
                let mut sent = Exact::zero();
                for share in optimum.fractions.iter().skip(1) {
                    let transfer = share * &sigma;
                    let begin =
                        if forwarding == Forwarding::CutThrough { sent.clone() } else { &sent + &transfer };
                    assert!(begin + share <= *makespan || *share == Exact::zero(), "{what}");
                    sent = sent + transfer;
                }
            }
        }
    }
    assert!(optimal > 10 && improved > 10, "{optimal} {improved}");
}

/// Largest layer first against every order of the layers, and against leaving any of them out.
#[test]
fn no_order_is_better_than_largest_first() {
    fn best(rest: &[u64], left: f64, take: f64, shrink: f64) -> f64 {
        let served = |at: usize| {
            let mut others = rest.to_vec();
            let nodes = others.remove(at) as f64;
            (nodes * left * take + best(&others, left * shrink, take, shrink))
                .max(best(&others, left, take, shrink))
        };
        (0..rest.len()).map(served).fold(0.0, f64::max)
    }
    for layers in [&[1, 4, 8, 8, 4][..], &[1, 2, 3, 2, 1], &[1, 1, 7, 2, 5]] {
        for sigma in [0.1, 0.5, 0.95] {
            let by_size = |forwarding| {
                inequalities::largest_layer_first(layers, &sigma, forwarding).expect("a source").speedup
            };
            let cut_through = 1.0 + best(&layers[1..], 1.0, 1.0, 1.0 - sigma);
            assert_close(by_size(Forwarding::CutThrough), cut_through, 1e-12, "cut-through");
            let take = 1.0 / (1.0 + sigma);
            let modified = 1.0 + best(&layers[1..], 1.0, take, take);
            assert_close(by_size(Forwarding::ModifiedStoreAndForward), modified, 1e-12, "modified");
        }
    }
}

#[test]
fn models_without_such_constraints() {
    assert!(inequalities::inequalities(&[1, 2], &0.5, Forwarding::StoreAndForward).is_err());
    assert!(inequalities::largest_layer_first(&[], &0.5, Forwarding::CutThrough).is_err());
    assert!(inequalities::equal_finish_margins(&[1, 2], &f64::NAN, Forwarding::CutThrough).is_err());
    // Cut-through leaves no time for a second layer once links are as slow as processors: the largest is served.
    let slow = inequalities::inequalities(&[1, 4, 8, 8, 4], &1.5, Forwarding::CutThrough).expect("a source");
    assert_eq!(slow.speedup, 9.0);
}
