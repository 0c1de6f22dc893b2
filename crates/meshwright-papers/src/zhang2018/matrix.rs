//! The flow matrix: determinants, Cramer's rule, the reduction of page 86, and the speedup as a determinant.

use super::literal::{
    BOTH, cramer, determinant, layers, loads, magnitude, matrix, replaced, row, short, sigmas, speedup,
};
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
        id: "flow-matrix",
        source: "(6.3), (6.6)",
        statement: "A alpha = (1, 0, ..., 0) has the loads of the timing diagram as its solution",
        definition: "A times the loads found step by step, row by row in fractions",
        printed: "the matrices as printed, for any first row",
        fails_if: "a row of A times the loads of the timing diagram is not 1 (the first) or 0 (the others)",
        derive: solution,
        ..HOLDS
    },
    Claim {
        id: "eq-3.46",
        source: "(3.46), (4.42)",
        statement: "loads by Cramer's rule",
        definition: "the timing diagram, sigma up to 3",
        printed: "alpha_i = |det A_i* / det A|",
        fails_if: "the absolute values are the loads for every sigma up to 3, or the signed ones differ for some",
        correct: Some(
            "alpha_i = det A_i* / det A: from sigma > 1 on loads come out negative, and the sign says so",
        ),
        errata: Some("Z6"),
        derive: absolute_values,
        ..CORRECTED
    },
    Claim {
        id: "eq-3.47",
        source: "(3.47)",
        statement: "det A_0* of the 2xn mesh under virtual cut-through",
        definition: "determinant by elimination",
        printed: "-1",
        fails_if: "elimination gives another determinant than -1 for some n and sigma",
        derive: |_| {
            over_2xn(|check, layers, sigma, n| {
                let found = determinant(&replaced(&matrix(layers, sigma, CutThrough), 0));
                check.equal(&Exact::whole(-1), &found, || format!("2x{n}, sigma = {sigma}"));
            })
        },
        ..HOLDS
    },
    Claim {
        id: "speedup-det",
        source: "sections 3.1.1, 3.1.4, 6.2",
        statement: "speedup under virtual cut-through as a determinant",
        definition: "1 / alpha_0 from the timing diagram; determinant by elimination",
        printed: "|det A|",
        fails_if: "the absolute determinant is not the speedup of the timing diagram for some first row and sigma",
        derive: |_| {
            over_rows(&[CutThrough], |check, name, layers, sigma, forwarding| {
                let found = magnitude(&determinant(&matrix(layers, sigma, forwarding)));
                let words = || format!("{name}, sigma = {sigma}");
                check.equal(&found, &speedup(layers, sigma, forwarding), words);
            })
        },
        ..HOLDS
    },
    Claim {
        id: "nonsingular",
        source: "sections 3.1.1, 4.1.1",
        statement: "the flow matrix is not singular for 0 < sigma < 1",
        definition: "determinant by elimination",
        printed: "det A is not 0",
        fails_if: "a determinant is 0 for some first row, sigma and forwarding",
        derive: |_| {
            over_rows(&BOTH, |check, name, layers, sigma, forwarding| {
                let found = determinant(&matrix(layers, sigma, forwarding));
                check.case(found != Exact::zero(), || {
                    format!("{name}, {}, sigma = {sigma}: det A = 0", short(forwarding))
                });
            })
        },
        ..HOLDS
    },
    Claim {
        id: "reduction-86",
        source: "page 86",
        statement: "A of the 2xn mesh under S&F after the column reduction has the determinant of A",
        definition: "both determinants by elimination",
        printed: "below the first row: sigma* - 2 on the diagonal, -sigma - 2 below it, 0 above it from the third row on",
        fails_if: "the printed matrix has the determinant of A for every n and sigma, or the corrected one another \
            for some",
        correct: Some(
            "column j less m_j times column 0: -m_j above the diagonal of every row, sigma* - m_j on it, \
             -sigma - m_j below it, so sigma* - 1 at the end of the last column",
        ),
        errata: Some("Z5"),
        derive: reduction,
        ..CORRECTED
    },
    Claim {
        id: "speedup-det-s&f",
        source: "sections 4.1.1, 6.4",
        statement: "speedup under S&F as a determinant, A of order r + 1",
        definition: "1 / alpha_0 from the timing diagram; determinant by elimination",
        printed: "|det A / (sigma*)^(n-1)| with the n of the 2xn mesh, or of m_1 ... m_n in (6.6)",
        fails_if: "the exponent n - 1 gives the speedup for every n and sigma, or the exponent n does not for some",
        correct: Some(
            "|det A| / (1+sigma)^r: r is the number of layers behind the first, the n of both examples",
        ),
        errata: Some("Z4"),
        derive: |_| exponent(1),
        ..CORRECTED
    },
    Claim {
        id: "hypercube-det-s&f",
        source: "section 6.3",
        statement: "speedup of the hypercube under S&F",
        definition: "1 / alpha_0 from the timing diagram; determinant by elimination",
        printed: "|-det A|",
        fails_if: "the plain determinant gives the speedup for every cube and sigma, or the one over (1+sigma)^d \
            does not for some",
        correct: Some("|det A| / (1+sigma)^d for d dimensions"),
        errata: Some("Z4"),
        derive: hypercube,
        ..CORRECTED
    },
    Claim {
        id: "eq-5.7",
        source: "(5.7)",
        statement: "flow matrix of the 6x6 torus under S&F",
        definition: "the loads of the timing diagram put into each row: rows below the first give 0",
        printed: "entry (3,3) is -sigma* = 1 + sigma",
        fails_if: "the loads solve the row with -sigma*, or not the one with sigma*",
        correct: Some("entry (3,3) is sigma* = -(1 + sigma), as in the other rows"),
        errata: Some("Z7"),
        derive: eq_5_7,
        ..CORRECTED
    },
];

/// First rows of every kind that the thesis draws: corners, borders, insides, tori, hypercubes.
pub(super) const ROWS: &[(&str, u32)] = &[
    ("mesh:2x2", 0),
    ("mesh:2x3", 0),
    ("mesh:3x3", 1),
    ("mesh:3x3", 4),
    ("mesh:3x3", 0),
    ("mesh:3x8", 0),
    ("mesh:5x5", 0),
    ("mesh:5x5", 12),
    ("torus:5x5", 0),
    ("torus:6x6", 14),
    ("hypercube:3", 0),
    ("hypercube:5", 9),
    ("mesh:2x10", 0),
];

/// One check over all first rows and values of sigma.
fn over_rows(
    forwardings: &[Forwarding],
    mut compare: impl FnMut(&mut Check, &str, &[u64], &Exact, Forwarding),
) -> Result<Derivation> {
    let mut check = Check::default();
    for &(machine, source) in ROWS {
        let layers = layers(machine, &[source])?;
        for &forwarding in forwardings {
            for sigma in sigmas() {
                let name = format!("{machine}, node {source}, {}", row(&layers));
                compare(&mut check, &name, &layers, &sigma, forwarding);
            }
        }
    }
    Ok(Derivation::of(format!("{} first rows, sigma from 1/100 to 99/100", ROWS.len()), check))
}

/// One check over the 2xn meshes.
fn over_2xn(mut compare: impl FnMut(&mut Check, &[u64], &Exact, u32)) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 2..=12 {
        let layers = layers(&format!("mesh:2x{n}"), &[0])?;
        for sigma in sigmas() {
            compare(&mut check, &layers, &sigma, n);
        }
    }
    Ok(Derivation::of("2x2 to 2x12, sigma from 1/100 to 99/100", check))
}

/// A row of a matrix times a vector.
fn product(row: &[Exact], vector: &[Exact]) -> Exact {
    row.iter().zip(vector).map(|(entry, number)| entry * number).sum()
}

fn solution(_: &Study) -> Result<Derivation> {
    over_rows(&BOTH, |check, name, layers, sigma, forwarding| {
        let loads = loads(layers, sigma, forwarding);
        for (index, entries) in matrix(layers, sigma, forwarding).iter().enumerate() {
            let wanted = Exact::whole(i64::from(index == 0));
            let words = || format!("{name}, {}, sigma = {sigma}, row {index}", short(forwarding));
            check.equal(&wanted, &product(entries, &loads), words);
        }
    })
}

fn absolute_values(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["row", "sigma", "layer", "|det A_i* / det A|", "timing diagram"]);
    let beyond = [Exact::fraction(3, 2), Exact::whole(2), Exact::whole(3)];
    for &(machine, source) in &ROWS[..6] {
        let layers = layers(machine, &[source])?;
        for sigma in sigmas().chain(beyond.iter().cloned()) {
            let found = loads(&layers, &sigma, CutThrough);
            let ruled = cramer(&matrix(&layers, &sigma, CutThrough));
            for (layer, (ruled, found)) in ruled.iter().zip(&found).enumerate() {
                let words = || format!("{}, sigma = {sigma}, layer {layer}", row(&layers));
                printed.equal(&magnitude(ruled), found, words);
                corrected.equal(ruled, found, words);
                if sigma > Exact::whole(1) && layers.len() <= 4 {
                    numbers.row(&[&row(&layers), &sigma, &layer, &magnitude(ruled), found]);
                }
            }
        }
    }
    let range = "six first rows, sigma from 1/100 to 3, virtual cut-through";
    let note = "beyond sigma = 1 a processor behind the first layer would have to give load back: the model then \
         uses layers 0 and 1 alone";
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers).note(note))
}

/// The matrix of page 86 after the column reduction: as printed, and as it comes out.
fn reduced(layers: &[u64], sigma: &Exact, as_printed: bool) -> Vec<Vec<Exact>> {
    let zero = Exact::zero();
    let star = &zero - (sigma + Exact::whole(1));
    let two = Exact::whole(2);
    let entry = |row: usize, column: usize| {
        let many = if as_printed { two.clone() } else { Exact::from(layers[column]) };
        match (row, column) {
            (0, 0) => Exact::whole(1),
            (0, _) => zero.clone(),
            (_, 0) => Exact::whole(1),
            // The printed first row below keeps the true entries.
            (1, column) if column > 1 => &zero - Exact::from(layers[column]),
            (row, column) if column > row && as_printed => zero.clone(),
            (row, column) if column > row => &zero - many,
            (row, column) if column == row => &star - many,
            _ => &zero - sigma - many,
        }
    };
    (0..layers.len()).map(|row| (0..layers.len()).map(|column| entry(row, column)).collect()).collect()
}

fn reduction(_: &Study) -> Result<Derivation> {
    let corrected = over_2xn(|check, layers, sigma, n| {
        let whole = determinant(&matrix(layers, sigma, ModifiedStoreAndForward));
        let words = || format!("2x{n}, sigma = {sigma}");
        check.equal(&determinant(&reduced(layers, sigma, false)), &whole, words);
    })?;
    let printed = over_2xn(|check, layers, sigma, n| {
        let whole = determinant(&matrix(layers, sigma, ModifiedStoreAndForward));
        let words = || format!("2x{n}, sigma = {sigma}, determinant");
        check.equal(&determinant(&reduced(layers, sigma, true)), &whole, words);
    })?;
    let note =
        "that det A is not 0 is right all the same: det A = (-1)^r times the sum of m_k (1+sigma)^(r-k)";
    Ok(printed.corrected(corrected.printed).note(note))
}

/// The speedup of 2xn under S&F with the exponent `less` below n, and with the right one.
fn exponent(less: u32) -> Result<Derivation> {
    let form = |less: u32| {
        over_2xn(|check, layers, sigma, n| {
            let whole = magnitude(&determinant(&matrix(layers, sigma, ModifiedStoreAndForward)));
            let printed = whole / (sigma + Exact::whole(1)).power(n - less);
            let words = || format!("2x{n}, sigma = {sigma}");
            check.equal(&printed, &speedup(layers, sigma, ModifiedStoreAndForward), words);
        })
    };
    let note = "n - 1 is right when n is the order of A; the 2xn mesh has n + 1 layers";
    Ok(form(less)?.corrected(form(0)?.printed).note(note))
}

fn hypercube(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for d in 1..=8 {
        let layers = layers(&format!("hypercube:{d}"), &[0])?;
        for sigma in sigmas().chain([Exact::whole(1)]) {
            let whole = magnitude(&determinant(&matrix(&layers, &sigma, ModifiedStoreAndForward)));
            let found = speedup(&layers, &sigma, ModifiedStoreAndForward);
            let words = || format!("{d}-cube, sigma = {sigma}");
            printed.equal(&whole, &found, words);
            corrected.equal(&(whole / (sigma.clone() + Exact::whole(1)).power(d)), &found, words);
        }
    }
    let note = "(1,2,1) at sigma = 1: |det A| = 9, speedup 9/4";
    Ok(Derivation::of("1 to 8 dimensions, sigma from 1/100 to 1", printed).corrected(corrected).note(note))
}

fn eq_5_7(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let layers = layers("torus:6x6", &[26])?;
    for sigma in sigmas() {
        let loads = loads(&layers, &sigma, ModifiedStoreAndForward);
        let right = matrix(&layers, &sigma, ModifiedStoreAndForward);
        let mut wrong = right.clone();
        wrong[3][3] = Exact::zero() - &right[3][3];
        for (check, rows) in [(&mut printed, &wrong), (&mut corrected, &right)] {
            for (index, entries) in rows.iter().enumerate().skip(1) {
                let words = || format!("sigma = {sigma}, row {index}: loads give");
                check.equal(&Exact::zero(), &product(entries, &loads), words);
            }
        }
    }
    Ok(Derivation::of("sigma from 1/100 to 99/100", printed).corrected(corrected))
}
