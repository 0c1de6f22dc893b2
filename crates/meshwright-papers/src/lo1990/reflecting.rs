//! Section 6.2 up to Lemma 3: the dilations of the reflecting mapping, and the drawing of their proof.

use super::study::{Mapping::Reflecting, Study, alphas, costs};
use super::{CORRECTED, HOLDS};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_network::topology::Switching::StoreAndForward;

/// Lemma 3 with its proof, equation (11) and figure 4.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-3-uniform",
        source: "Lemma 3, proof",
        statement: "all messages of a phase of M_R go equally far",
        definition: "shortest and longest route of phase i in M_R(B(n))",
        printed: "min of D(e) over E_i = max of D(e) over E_i",
        fails_if: "two edges of one phase of M_R have different lengths",
        derive: uniform,
        ..HOLDS
    },
    Claim {
        id: "lemma-3",
        source: "Lemma 3",
        statement: "the weighted dilation of phase i of M_R(B(n))",
        definition: "D_w(E_i) = max of W(e) D(e), routes counted link by link, for each alpha",
        printed: "D_w(E_i) = J(ceil(i/2)) alpha^i with J(q) = (2^q - (-1)^q) / 3",
        fails_if: "every D_w(E_i) agrees with the printed index, or some simulated or counted one with neither",
        correct: Some(
            "D_w(E_i) = J(ceil((n-i+1)/2)) alpha^i: the edge between the two halves is the longest, and phase 1 uses it",
        ),
        errata: Some("E1"),
        derive: lemma_3,
        ..CORRECTED
    },
    Claim {
        id: "lemma-3-pairs",
        source: "Lemma 3, proof",
        statement: "the vertical and the horizontal joint of a size are equally long",
        definition: "dilations of phases 2j - 1 and 2j of M_R(B(2k))",
        printed: "D(E_(2j-1)) = D(E_(2j))",
        fails_if: "phases 2j - 1 and 2j of M_R have different dilations",
        derive: pairs,
        ..HOLDS
    },
    Claim {
        id: "eq-11",
        source: "Eq. (11)",
        statement: "recurrence for the joint of M_R(B(2k))",
        definition: "dilation of phase 2k, of phase 2k - 2, and of phase 1 of M_R(B(2k)), routes counted link by link",
        printed: "D(E_(2k)) = 2^(k-1) - D(E_(2k-2)), indices being phases of M_R(B(2k)) for k >= 2",
        fails_if: "the printed indices give every dilation, or the corrected recurrence misses one",
        correct: Some(
            "J_k = 2^(k-1) - J_(k-1) with J_k the dilation of phase 1 of M_R(B(2k)): the joint of the two halves, \
            which the proof calls E_(2k), is used first",
        ),
        errata: Some("E1"),
        derive: equation_11,
        ..CORRECTED
    },
    Claim {
        id: "lemma-3-diagonals",
        source: "Lemma 3, proof",
        statement: "roots lie on the diagonals of the square of M_R(B(2k))",
        definition: "places of the root I of B(2k) and of the root F of its largest subtree B(2k - 1)",
        printed: "I on the main diagonal, F on the other one",
        fails_if: "a root is off its diagonal",
        derive: diagonals,
        ..HOLDS
    },
    Claim {
        id: "figure-4",
        source: "Figure 4",
        statement: "lengths in the proof of Lemma 3",
        definition: "places of A to F and I in M_R(B(2k)): A, D, E on the borders of the quadrants in the row of F, C and B the \
            children of F and C in that row",
        printed: "AB = CD = EF, AD = 2^(k-1) - 1, DE = 1, AE = BF, CF = AE - BC, IF = CF",
        fails_if: "one of the seven equations of lengths fails for some k",
        derive: figure_4,
        ..HOLDS
    },
];

/// J(q) = (2^q - (-1)^q) / 3: 0, 1, 1, 3, 5, 11, ...
fn jacobsthal(q: u32) -> Exact {
    let sign = Exact::whole(if q.is_multiple_of(2) { 1 } else { -1 });
    (Exact::two_to(q) - sign) / Exact::whole(3)
}

/// D(E_i) of M_R(B(n)) by the corrected lemma.
pub(super) fn dilation(n: u32, i: u32) -> Exact {
    jacobsthal((n - i + 1).div_ceil(2))
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
                corrected.equal(&(dilation(n, i) * &power), &found, words);
            }
        }
    }
    let columns = ["n", "phase", "printed D(E_i)", "corrected", "longest route", "simulated steps"];
    let mut numbers = Numbers::new(&columns);
    for n in [5, 8] {
        let trace = study.simulate(Reflecting, n, StoreAndForward, costs(0, 1, 0), |_| 1)?;
        for (i, phase) in (1u32..).zip(&study.survey(Reflecting, n).phases) {
            let steps = trace.phase_ticks[i as usize - 1];
            corrected.equal(&dilation(n, i), &Exact::from(steps), || format!("B({n}), phase {i}, simulated"));
            numbers.row(&[&n, &i, &jacobsthal(i.div_ceil(2)), &dilation(n, i), &phase.dilation, &steps]);
        }
    }
    let range = format!("every phase of B(1) to B({}), eight shares alpha", study.n_max);
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

fn pairs(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for k in 1..=study.n_max / 2 {
        for (j, pair) in (1u32..).zip(study.survey(Reflecting, 2 * k).phases.chunks_exact(2)) {
            check.equal(&pair[0].dilation, &pair[1].dilation, || {
                format!("B({}), phases {} and {}", 2 * k, 2 * j - 1, 2 * j)
            });
        }
    }
    Ok(Derivation::of(format!("every pair of phases, k = 1 to {}", study.n_max / 2), check))
}

fn equation_11(study: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers =
        Numbers::new(&["k", "phase 2k", "2^(k-1) less phase 2k - 2", "J_k: phase 1", "2^(k-1) - J_(k-1)"]);
    for k in 2..=study.n_max / 2 {
        let of = |k: u32, i: u32| i64::from(study.survey(Reflecting, 2 * k).phases[i as usize - 1].dilation);
        let half = 1i64 << (k - 1);
        let (last, joint) = (half - of(k, 2 * k - 2), half - of(k - 1, 1));
        printed.equal(&last, &of(k, 2 * k), || format!("k = {k}"));
        corrected.equal(&joint, &of(k, 1), || format!("k = {k}"));
        numbers.row(&[&k, &of(k, 2 * k), &last, &of(k, 1), &joint]);
    }
    let range = format!("k = 2 to {}", study.n_max / 2);
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

fn diagonals(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for k in 1..=study.n_max / 2 {
        let places = study.places(Reflecting, 2 * k);
        let (f, i) = (places[places.len() / 2 - 1], places[places.len() - 1]);
        check.case(i.0 == i.1, || format!("k = {k}: I at {i:?}"));
        check.case(f.0 + f.1 + 1 == 1 << k, || format!("k = {k}: F at {f:?}"));
    }
    Ok(Derivation::of(format!("k = 1 to {}", study.n_max / 2), check))
}

/// The places of figure 4 in M_R(B(2k)): columns of A to F in the row of F, then that row, and the row of I.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofPoints {
    /// Columns of A, B, C, D, E and F.
    pub columns: [u32; 6],
    /// Their row.
    pub row: u32,
    /// The row of I, which is in the column of F.
    pub root_row: u32,
}

/// Reads the places of figure 4 off M_R(B(2k)), built word by word.
///
/// F is the root of the upper half B(2k - 1), I that of the whole. C is the root of the upper left quadrant and child of F,
/// B the child of C in its row; A and D are the ends of the quadrant in that row, E is beyond D.
///
/// # Panics
///
/// When k is less than 2: there is no B.
///
/// # Complexity
///
/// O(4^k).
///
/// # Source
///
/// `lo1990`, figure 4.
///
/// # Examples
///
/// ```
/// use meshwright_papers::lo1990::reflecting::proof_points;
/// let points = proof_points(3);
/// assert_eq!((points.columns, points.row, points.root_row), ([0, 1, 2, 3, 4, 5], 2, 5));
/// ```
pub fn proof_points(k: u32) -> ProofPoints {
    assert!(k >= 2, "a quadrant of two columns has a B beside its C");
    let places = &super::literal::reflecting(2 * k)[2 * k as usize];
    let quarter = places.len() / 4;
    let (f, c, i) = (places[2 * quarter - 1], places[quarter - 1], places[places.len() - 1]);
    // The quadrant is a B(2k - 2): phase 1 joins its halves vertically, phase 2 the quarters of each half horizontally.
    let b = places[quarter - 1 - quarter / 4];
    assert!(b.0 == f.0 && c.0 == f.0 && i.1 == f.1, "B, C and F share a row, I and F a column");
    let half = 1 << (k - 1);
    ProofPoints { columns: [0, b.1, c.1, half - 1, half, f.1], row: f.0, root_row: i.0 }
}

fn figure_4(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["k", "AB", "CD", "EF", "AE", "BF", "BC", "CF", "IF"]);
    for k in 2..=study.n_max / 2 {
        let points = proof_points(k);
        let [a, b, c, d, e, f] = points.columns;
        let root = points.root_row - points.row;
        let half = 1 << (k - 1);
        let all = [
            b - a == d - c,
            d - c == f - e,
            d - a == half - 1,
            e - d == 1,
            e - a == f - b,
            f - c == e - a - (c - b),
            root == f - c,
        ];
        for (index, holds) in all.into_iter().enumerate() {
            check.case(holds, || format!("k = {k}, equation {}: {points:?}", index + 1));
        }
        numbers.row(&[&k, &(b - a), &(d - c), &(f - e), &(e - a), &(f - b), &(c - b), &(f - c), &root]);
    }
    Ok(Derivation::of(format!("k = 2 to {}", study.n_max / 2), check).numbers(numbers))
}
