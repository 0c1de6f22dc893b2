//! Sections 3.1.1 to 3.1.3 and 4.1.1 to 4.1.3: one source at a corner, at the border or inside; explicit solutions.

use super::literal::{BOTH, layers, loads, row, short, sigmas};
use super::{CORRECTED, HOLDS, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_load::Forwarding;
use meshwright_load::Forwarding::{CutThrough, ModifiedStoreAndForward};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "eq-3.10",
        source: "(3.10), (4.10)",
        statement: "first row of the flow matrix of the 2x2 mesh",
        definition: "nodes counted by their hops from the corner",
        printed: "(1,2,1)",
        fails_if: "a count of hops gives the 2x2 mesh another row",
        derive: |_| rows(&[("mesh:2x2", 0, &[1, 2, 1])]),
        ..HOLDS
    },
    Claim {
        id: "eq-3.11",
        source: "(3.11) to (3.14)",
        statement: "loads of the 2x2 mesh under virtual cut-through",
        definition: "the timing diagram, step by step in fractions",
        printed: "alpha_0 = alpha_1 = 1 / (4 - sigma), alpha_3 = (1 - sigma) / (4 - sigma)",
        fails_if: "a load of the timing diagram differs from its formula for some sigma",
        derive: |_| {
            explicit("mesh:2x2", 0, CutThrough, |s| {
                let whole = n(4) - s;
                vec![n(1) / &whole, n(1) / &whole, (n(1) - s) / &whole]
            })
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.26",
        source: "(3.26), (4.24)",
        statement: "first row of the flow matrix of the 2x3 mesh, source at a corner",
        definition: "nodes counted by their hops from the corner",
        printed: "(1,2,2,1)",
        fails_if: "a count of hops gives the 2x3 mesh another row",
        derive: |_| rows(&[("mesh:2x3", 0, &[1, 2, 2, 1])]),
        ..HOLDS
    },
    Claim {
        id: "eq-3.28",
        source: "(3.28) to (3.31)",
        statement: "loads of the 2x3 mesh under virtual cut-through",
        definition: "the timing diagram, step by step in fractions",
        printed: "1, 1, 1 - sigma and (1 - sigma)^2, each over sigma^2 - 4 sigma + 6",
        fails_if: "a load of the timing diagram differs from its formula for some sigma",
        derive: |_| {
            explicit("mesh:2x3", 0, CutThrough, |s| {
                let whole = s * s - n(4) * s + n(6);
                vec![n(1) / &whole, n(1) / &whole, (n(1) - s) / &whole, (n(1) - s).power(2) / &whole]
            })
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.39",
        source: "(3.39)",
        statement: "when the last processor of the 2xn mesh may begin",
        definition: "the sum of the loads sent before, from the timing diagram: both sides of the equation",
        printed: "(alpha_1 + alpha_3 + ... + alpha_(2n-1)) z Tcm + alpha_(2n-1) w Tcp = T",
        fails_if: "the printed sum gives T for every n and sigma, or the one that ends at alpha_(2n-3) does not \
            for some",
        correct: Some("the sum ends at alpha_(2n-3): P_(2n-1) does not wait for its own load"),
        errata: Some("Z2"),
        derive: last_of_2xn,
        ..CORRECTED
    },
    Claim {
        id: "eq-3.45",
        source: "(3.45), (4.41)",
        statement: "first row of the flow matrix of the 2xn mesh, source at a corner",
        definition: "nodes counted by their hops from the corner, n from 2 to 40",
        printed: "(1,2,...,2,1) of n + 1 entries",
        fails_if: "a count of hops gives some 2xn mesh another row",
        derive: |_| {
            let mut check = Check::default();
            for n in 2..=40 {
                let mut printed = vec![2; n + 1];
                (printed[0], printed[n]) = (1, 1);
                compare(&mut check, &format!("mesh:2x{n}"), 0, &printed)?;
            }
            Ok(Derivation::of("2x2 to 2x40", check))
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.50",
        source: "(3.50)",
        statement: "first row of the flow matrix of the 3x8 mesh, source at a corner",
        definition: "nodes counted by their hops from the corner",
        printed: "(1,2,3,3,3,3,3,2,1), 21 nodes, for a vector of 10 loads",
        fails_if: "a count of hops gives the 3x8 mesh five 3s, or another number than six",
        correct: Some("(1,2,3,3,3,3,3,3,2,1): six 3s, 24 nodes"),
        errata: Some("Z1"),
        derive: |_| {
            Ok(rows(&[("mesh:3x8", 0, &[1, 2, 3, 3, 3, 3, 3, 2, 1])])?
                .corrected(rows(&[("mesh:3x8", 0, &[1, 2, 3, 3, 3, 3, 3, 3, 2, 1])])?.printed))
        },
        ..CORRECTED
    },
    Claim {
        id: "eq-3.51",
        source: "(3.51), (4.43)",
        statement: "first row of the flow matrix of the 5x5 mesh, source at a corner",
        definition: "nodes counted by their hops from the corner",
        printed: "(1,2,3,4,5,4,3,2,1)",
        fails_if: "a count of hops gives the 5x5 mesh another row",
        derive: |_| rows(&[("mesh:5x5", 0, &[1, 2, 3, 4, 5, 4, 3, 2, 1])]),
        ..HOLDS
    },
    Claim {
        id: "eq-3.67",
        source: "(3.67), (4.57)",
        statement: "first row of the flow matrix of the 3x3 mesh, source in the middle of a side",
        definition: "nodes counted by their hops from node (0,1)",
        printed: "(1,3,3,2)",
        fails_if: "a count of hops gives the 3x3 mesh from the middle of a side another row",
        derive: |_| rows(&[("mesh:3x3", 1, &[1, 3, 3, 2])]),
        ..HOLDS
    },
    Claim {
        id: "eq-3.68",
        source: "(3.68) to (3.72)",
        statement: "loads of the 3x3 mesh under virtual cut-through, source in the middle of a side",
        definition: "the timing diagram, step by step in fractions",
        printed: "1, 1, 1 - sigma and (1 - sigma)^2, each over 9 - 7 sigma + 2 sigma^2",
        fails_if: "a load of the timing diagram differs from its formula for some sigma",
        derive: |_| {
            explicit("mesh:3x3", 1, CutThrough, |s| {
                let whole = n(9) - n(7) * s + n(2) * s * s;
                vec![n(1) / &whole, n(1) / &whole, (n(1) - s) / &whole, (n(1) - s).power(2) / &whole]
            })
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.86",
        source: "(3.86), (4.71)",
        statement: "first row of the flow matrix of the 3x3 mesh, source in the centre",
        definition: "nodes counted by their hops from node (1,1)",
        printed: "(1,4,4)",
        fails_if: "a count of hops gives the 3x3 mesh from its centre another row",
        derive: |_| rows(&[("mesh:3x3", 4, &[1, 4, 4])]),
        ..HOLDS
    },
    Claim {
        id: "eq-3.87",
        source: "(3.87) to (3.89)",
        statement: "loads of the 3x3 mesh under virtual cut-through, source in the centre",
        definition: "the timing diagram, step by step in fractions",
        printed: "1, 1 and 1 - sigma, each over 9 - 4 sigma",
        fails_if: "a load of the timing diagram differs from its formula for some sigma",
        derive: |_| {
            explicit("mesh:3x3", 4, CutThrough, |s| {
                let whole = n(9) - n(4) * s;
                vec![n(1) / &whole, n(1) / &whole, (n(1) - s) / &whole]
            })
        },
        ..HOLDS
    },
    Claim {
        id: "equal-depth",
        source: "section 3.1.1, methodology",
        statement: "D_i = D_j implies alpha_i = alpha_j",
        definition: "every processor's own equation, the transfers before it summed along a path of shortest hops",
        printed: "loads depend on the hops from the source alone",
        fails_if: "a processor's own equation gives it another load than its layer has, on some machine for some \
            sigma",
        derive: equal_depth,
        ..HOLDS
    },
    Claim {
        id: "eq-4.11",
        source: "(4.11) to (4.13)",
        statement: "loads of the 2x2 mesh under modified store and forward",
        definition: "the timing diagram, step by step in fractions",
        printed: "((sigma+1)/(sigma+2))^2, (sigma+1)/(sigma+2)^2, 1/(sigma+2)^2",
        fails_if: "a load of the timing diagram differs from its formula for some sigma",
        derive: |_| {
            explicit("mesh:2x2", 0, ModifiedStoreAndForward, |s| {
                let (one, two) = (s + n(1), s + n(2));
                vec![(&one / &two).power(2), &one / two.power(2), n(1) / two.power(2)]
            })
        },
        ..HOLDS
    },
    Claim {
        id: "eq-4.25",
        source: "(4.25) to (4.28)",
        statement: "loads of the 2x3 mesh under modified store and forward",
        definition: "the timing diagram, step by step in fractions",
        printed: "(sigma+1)^(3-k) / (sigma+2)^3 for layer k",
        fails_if: "the printed loads are those of the timing diagram, or the corrected ones differ for some sigma",
        correct: Some("(sigma+1)^(3-k) / ((sigma+1)^3 + 2 (sigma+1)^2 + 2 (sigma+1) + 1) for layer k"),
        errata: Some("Z28"),
        derive: eq_4_25,
        ..CORRECTED
    },
];

/// A whole number.
fn n(number: i64) -> Exact {
    Exact::whole(number)
}

/// Compares a printed first row with the count.
pub(super) fn compare(check: &mut Check, machine: &str, source: u32, printed: &[u64]) -> Result<()> {
    let found = layers(machine, &[source])?;
    check.equal(&row(printed), &row(&found), || format!("{machine}, node {source}"));
    Ok(())
}

/// Printed first rows against counts.
pub(super) fn rows(cases: &[(&str, u32, &[u64])]) -> Result<Derivation> {
    let mut check = Check::default();
    for &(machine, source, printed) in cases {
        compare(&mut check, machine, source, printed)?;
    }
    let names: Vec<&str> = cases.iter().map(|(machine, ..)| *machine).collect();
    Ok(Derivation::of(names.join(", "), check))
}

/// Printed loads, layer by layer, against the timing diagram.
fn explicit(
    machine: &str,
    source: u32,
    forwarding: Forwarding,
    printed: impl Fn(&Exact) -> Vec<Exact>,
) -> Result<Derivation> {
    let layers = layers(machine, &[source])?;
    let (mut check, mut numbers) =
        (Check::default(), Numbers::new(&["sigma", "layer", "printed", "timing diagram"]));
    for sigma in sigmas() {
        let found = loads(&layers, &sigma, forwarding);
        for (layer, (printed, found)) in printed(&sigma).iter().zip(&found).enumerate() {
            check.equal(printed, found, || format!("{machine}, sigma = {sigma}, layer {layer}"));
            numbers.row(&[&sigma, &layer, printed, found]);
        }
    }
    Ok(Derivation::of(format!("{machine}, sigma from 1/100 to 99/100"), check).numbers(numbers))
}

/// Equation (3.39): both sides with the loads of the timing diagram.
fn last_of_2xn(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for n in 2..=10 {
        let layers = layers(&format!("mesh:2x{n}"), &[0])?;
        for sigma in sigmas() {
            let loads = loads(&layers, &sigma, CutThrough);
            let (last, time) = (loads.len() - 1, &loads[0]);
            let side = |end: usize| {
                let sent: Exact = loads[1..=end].iter().cloned().sum();
                sent * &sigma + &loads[last]
            };
            printed.equal(&side(last), time, || format!("2x{n}, sigma = {sigma}, left side"));
            corrected.equal(&side(last - 1), time, || format!("2x{n}, sigma = {sigma}, left side"));
        }
    }
    Ok(Derivation::of("2x2 to 2x10, sigma from 1/100 to 99/100", printed).corrected(corrected))
}

/// Each processor by itself: its load from the loads of the nodes on a shortest path before it.
fn equal_depth(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (machine, source) in
        [("mesh:2x3", 0), ("mesh:3x3", 1), ("mesh:3x3", 4), ("mesh:5x5", 12), ("torus:5x6", 7)]
    {
        let layers = layers(machine, &[source])?;
        for forwarding in BOTH {
            for sigma in sigmas() {
                let layered = loads(&layers, &sigma, forwarding);
                let own = super::private::loads(machine, source, &sigma, forwarding)?;
                for (node, (depth, load)) in own.iter().enumerate() {
                    let words = || format!("{machine}, {}, sigma = {sigma}, node {node}", short(forwarding));
                    check.equal(&layered[*depth as usize], load, words);
                }
            }
        }
    }
    Ok(Derivation::of("five machines, both forwardings, sigma from 1/100 to 99/100", check))
}

fn eq_4_25(_: &Study) -> Result<Derivation> {
    let form = |whole: &dyn Fn(&Exact) -> Exact| {
        explicit("mesh:2x3", 0, ModifiedStoreAndForward, |s| {
            (0..4).map(|layer| (s + n(1)).power(3 - layer) / whole(s)).collect()
        })
    };
    let printed = form(&|s| (s + n(2)).power(3))?;
    let corrected = form(&|s| (s + n(1)).power(3) + n(2) * (s + n(1)).power(2) + n(2) * (s + n(1)) + n(1))?;
    Ok(printed.corrected(corrected.printed).note("printed, the loads of six processors do not sum to 1"))
}
