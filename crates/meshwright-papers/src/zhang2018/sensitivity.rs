//! Sections 3.1.4, 4.1, 5.4: what the thesis reads off its curves.

use super::literal::{BOTH, layers, loads, short, speedup};
use super::{CORRECTED, HOLDS, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_load::Forwarding::{CutThrough, ModifiedStoreAndForward};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "limits",
        source: "figures 3.16 to 3.21",
        statement: "speedup under virtual cut-through for sigma near 1: 2xn corner, 3xn border, 5xn inside",
        definition: "1 / alpha_0 from the timing diagram at sigma = 1",
        printed: "3, 4 and 5",
        fails_if: "the speedup at sigma = 1 is another for some n",
        derive: limits,
        ..HOLDS
    },
    Claim {
        id: "fast-links",
        source: "sections 3.1.4, 4.1.4, 5.2.2",
        statement: "speedup for fast links",
        definition: "1 / alpha_0 from the timing diagram at sigma = 0",
        printed: "the number of processors; but at most 24 for the 25 of figure 4.13",
        fails_if: "25 processors reach 24 at most at sigma = 0, or some machine does not reach the number of its \
            processors",
        correct: Some("the number of processors, 25 as well; 24.41 at sigma = 0.01"),
        errata: Some("Z15"),
        derive: fast_links,
        ..CORRECTED
    },
    Claim {
        id: "figure-3.18",
        source: "figures 3.18, 3.19",
        statement: "what a further column of the 3xn mesh adds, source in the middle of the short side",
        definition: "differences of 1 / alpha_0 from the timing diagram, n from 1 to 12",
        printed: "the same for each column while sigma <= 0.1; speedup grows rapidly (read as a processor or more) above 0.2",
        fails_if: "every further column adds the same below sigma = 0.1 and 1 or more above 0.2, or some column \
            another gain than the corrected form",
        correct: Some(
            "column n + 1 adds (3 - 2 sigma) (1 - sigma)^(n-1): never linear, and saturating at 1 + 3 / sigma",
        ),
        errata: Some("Z21"),
        derive: columns,
        ..CORRECTED
    },
    Claim {
        id: "figure-3.20",
        source: "figures 3.20, 3.21, 4.13, 5.22; section 5.4.1",
        statement: "P_12 is an inner processor of the 5xn mesh, n from 1 to 5",
        definition: "processors numbered by diagonals, as (3.51) and figure 3.18 have it; four neighbours make an inner one",
        printed: "for n = 1 ... 5",
        fails_if: "P_12 has four neighbours for n = 1 to 5, or not exactly for n = 4 and 5, by diagonals",
        correct: Some("for n = 4 and 5: there is no P_12 up to n = 2, and it lies at the border for 3"),
        errata: Some("Z16"),
        derive: inner_twelve,
        ..CORRECTED
    },
    Claim {
        id: "figure-3.21",
        source: "figure 3.21",
        statement: "speedup with an inner source of more than 5 processors",
        definition: "1 / alpha_0 from the timing diagram, every inner source of meshes up to 6x6",
        printed: "at least 5",
        fails_if: "an inner source of a mesh up to 6x6 has a speedup below 5 for some sigma up to 1",
        derive: |_| {
            let mut check = Check::default();
            over_inner(|machine, layers| {
                for (p, q) in [(1, 100), (1, 2), (99, 100), (1, 1)] {
                    let (sigma, five) = (Exact::fraction(p, q), Exact::whole(5));
                    let found = speedup(layers, &sigma, CutThrough);
                    check.case(found >= five, || format!("{machine}, sigma = {sigma}: {found}"));
                }
            })?;
            Ok(Derivation::of("meshes from 3x3 to 6x6, sigma from 1/100 to 1", check))
        },
        ..HOLDS
    },
    Claim {
        id: "share-4.1",
        source: "sections 4.1.1 to 4.1.3",
        statement: "share of the last layer under S&F at sigma = 1: 2x2, 3x3 border, 3x3 centre",
        definition: "the timing diagram at sigma = 1, rounded to a percent",
        printed: "11 %, 4 %, 6 %",
        fails_if: "a share of the last layer rounds to another percent",
        derive: |_| last_shares(&[("mesh:2x2", 0, 11), ("mesh:3x3", 1, 4), ("mesh:3x3", 4, 6)]),
        ..HOLDS
    },
    Claim {
        id: "share-5.4",
        source: "section 5.4.3",
        statement: "share of the last layer under S&F at sigma = 1: 2x2, 2x3, 3x3 border, 3x3 centre",
        definition: "the timing diagram at sigma = 1, rounded to a percent",
        printed: "10 %, 5 %, 5 %, 5 %",
        fails_if: "all four shares round to the printed percents, or one to another than the corrected",
        correct: Some("11 %, 5 %, 4 %, 6 %, three of them as in section 4.1"),
        errata: Some("Z15"),
        derive: |_| {
            let printed = [("mesh:2x2", 0, 10), ("mesh:2x3", 0, 5), ("mesh:3x3", 1, 5), ("mesh:3x3", 4, 5)];
            let right = [("mesh:2x2", 0, 11), ("mesh:2x3", 0, 5), ("mesh:3x3", 1, 4), ("mesh:3x3", 4, 6)];
            Ok(last_shares(&printed)?.corrected(last_shares(&right)?.printed))
        },
        ..CORRECTED
    },
    Claim {
        id: "sigma-above-1",
        source: "sections 4.1.1, 4.1.2",
        statement: "for sigma > 1 it is best to keep the load where it is",
        definition: "1 / alpha_0 from the timing diagram under S&F, sigma from 2 to 10",
        printed: "no speedup above 1",
        fails_if: "no source has a speedup above 1 for sigma > 1, or one less than 1 + m_1 / (1+sigma)",
        correct: Some("1 + m_1 / (1+sigma) or more: without a start-up cost sending always pays"),
        errata: Some("Z19"),
        derive: above_one,
        ..CORRECTED
    },
    Claim {
        id: "figure-4.9",
        source: "section 4.1.4",
        statement: "who works on the 2xn mesh under S&F at sigma = 1, n large",
        definition: "alpha_0 + 2 alpha_1 from the timing diagram",
        printed: "P_0 and its two neighbours do almost all (read as 90 % or more)",
        fails_if: "the three processors have nine tenths of the load, or not two thirds for large n",
        correct: Some("two thirds, as n grows: 1/3 and twice 1/6; the speedup does tend to 3"),
        errata: Some("Z20"),
        derive: two_thirds,
        ..CORRECTED
    },
    Claim {
        id: "figure-5.22",
        source: "figure 5.22",
        statement: "by how much the centre of the 5x5 mesh beats its corner",
        definition: "differences of 1 / alpha_0 from the timing diagram, sigma in steps of 1/1000",
        printed: "most at sigma = 0.5, by 4",
        fails_if: "the difference is greatest at sigma = 0.5 and rounds to 4, or is so elsewhere than corrected",
        correct: Some("most at 0.351, by 5.40 (VCT), and at 0.323, by 3.83 (S&F)"),
        errata: Some("Z30"),
        derive: centre_and_corner,
        ..CORRECTED
    },
    Claim {
        id: "p0-takes-more",
        source: "section 5.4.3",
        statement: "P_0 takes more under S&F than under virtual cut-through",
        definition: "alpha_0 of both timing diagrams, sigma in hundredths",
        printed: "on the 2x2 and 2x3 mesh from a corner and the 3x3 mesh from border and centre (figures 5.23 to 5.26)",
        fails_if: "P_0 takes as little or less under store-and-forward on one of the four for some sigma up to 1",
        derive: more_at_the_source,
        ..HOLDS
    },
    Claim {
        id: "p0-crossing",
        source: "section 5.4.3, figure 5.27",
        statement: "elsewhere P_0 takes more under virtual cut-through from some sigma on",
        definition: "alpha_0 of both timing diagrams, half a thousandth of sigma to either side of the crossing",
        printed: "3x3 corner from 0.951 on, 5x5 centre 0.700 and corner 0.419, 6x6 torus 0.555, 10-cube 0.256, 50x50 from (25,25) 0.052",
        fails_if: "the order does not turn within half a thousandth of a sigma that is named",
        derive: crossings,
        ..REMARK
    },
];

fn limits(_: &Study) -> Result<Derivation> {
    let (mut check, one) = (Check::default(), Exact::whole(1));
    let mut compare = |machine: &str, source: u32, printed: i64| -> Result<()> {
        let found = speedup(&layers(machine, &[source])?, &one, CutThrough);
        check.equal(&Exact::whole(printed), &found, || format!("{machine}, node {source}"));
        Ok(())
    };
    for n in 2..=10 {
        compare(&format!("mesh:2x{n}"), 0, 3)?;
        compare(&format!("mesh:3x{n}"), n, 4)?;
    }
    for n in 3..=5 {
        compare(&format!("mesh:5x{n}"), 2 * n + 1, 5)?;
    }
    Ok(Derivation::of("2xn and 3xn to n = 10, 5xn to n = 5", check))
}

fn fast_links(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected, zero) = (Check::default(), Check::default(), Exact::zero());
    for (machine, source) in [("mesh:2x10", 0), ("mesh:3x8", 8), ("mesh:5x5", 12), ("torus:5x5", 0)] {
        let layers = layers(machine, &[source])?;
        let nodes: u64 = layers.iter().sum();
        for forwarding in BOTH {
            let found = speedup(&layers, &zero, forwarding);
            let claimed =
                if (machine, forwarding) == ("mesh:5x5", ModifiedStoreAndForward) { 24 } else { nodes };
            let words = || format!("{machine}, {}, sigma = 0", short(forwarding));
            printed.equal(&Exact::from(claimed), &found, words);
            corrected.equal(&Exact::from(nodes), &found, words);
        }
    }
    let found = speedup(&layers("mesh:5x5", &[12])?, &Exact::fraction(1, 100), ModifiedStoreAndForward);
    corrected.case(rounds_to(&found, "24.41"), || format!("sigma = 0.01: {:.4}", found.to_f64()));
    Ok(Derivation::of("four machines, both forwardings", printed).corrected(corrected))
}

/// Whether a number, rounded as the printed one is, is the printed one.
pub(super) fn rounds_to(number: &Exact, printed: &str) -> bool {
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{:.decimals$}", number.to_f64()) == printed
}

fn columns(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["sigma", "n", "speedup", "column n + 1 adds"]);
    let one = Exact::whole(1);
    for (p, q) in [(1, 100), (1, 20), (1, 10), (3, 10), (1, 2)] {
        let sigma = Exact::fraction(p, q);
        let found = |n: u32| -> Result<Exact> {
            Ok(speedup(&layers(&format!("mesh:3x{n}"), &[n])?, &sigma, CutThrough))
        };
        let first = found(3)? - found(2)?;
        for n in 2..12 {
            let (before, added) = (found(n)?, found(n + 1)? - found(n)?);
            let shown = format!("{:.3}", added.to_f64());
            let words = || format!("3x{n}, sigma = {sigma}: one more column adds {shown}");
            match sigma <= Exact::fraction(1, 10) {
                true => printed.case(added == first, words),
                false => printed.case(added >= one, words),
            }
            let form = (Exact::whole(3) - Exact::whole(2) * &sigma) * (&one - &sigma).power(n - 1);
            corrected.equal(&form, &added, || format!("3x{n}, sigma = {sigma}"));
            corrected.case(before < &one + Exact::whole(3) / &sigma, || {
                format!("3x{n}, sigma = {sigma}: above the limit")
            });
            numbers.row(&[&sigma, &n, &format!("{:.3}", before.to_f64()), &shown]);
        }
    }
    Ok(Derivation::of("3x2 to 3x12, sigma from 1/100 to 1/2", printed).corrected(corrected).numbers(numbers))
}

/// Where processor p of a mesh is when processors are numbered diagonal by diagonal, from the top of each.
fn by_diagonals(rows: u32, columns: u32, p: usize) -> Option<(u32, u32)> {
    let mut places: Vec<(u32, u32)> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    places.sort_unstable_by_key(|&(row, column)| (row + column, row));
    places.get(p).copied()
}

fn inner_twelve(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for n in 1..=5u32 {
        let place = by_diagonals(5, n, 12);
        let inner = place.is_some_and(|(row, column)| (1..4).contains(&row) && column > 0 && column + 1 < n);
        let words = match place {
            Some((row, column)) => format!("5x{n}: P_12 is at ({row},{column})"),
            None => format!("5x{n}: there is no P_12"),
        };
        printed.case(inner, || words.clone());
        corrected.case(inner == (n >= 4), || words.clone());
    }
    let note = "Row by row, P_12 would be an inner processor for n = 5 alone. The figure with the numbers is lost in our copy.";
    Ok(Derivation::of("5x1 to 5x5", printed).corrected(corrected).note(note))
}

/// Every inner source of the meshes from 3x3 to 6x6.
fn over_inner(mut each: impl FnMut(&str, &[u64])) -> Result<()> {
    for (rows, columns) in (3..=6).flat_map(|rows| (3..=6).map(move |columns| (rows, columns))) {
        for (row, column) in (1..rows - 1).flat_map(|row| (1..columns - 1).map(move |column| (row, column))) {
            let name = format!("mesh:{rows}x{columns}");
            each(&format!("{name}, ({row},{column})"), &layers(&name, &[row * columns + column])?);
        }
    }
    Ok(())
}

/// The share of one processor of the last layer, as whole percent.
fn last_shares(cases: &[(&str, u32, i64)]) -> Result<Derivation> {
    let mut check = Check::default();
    for &(machine, source, printed) in cases {
        let shares = loads(&layers(machine, &[source])?, &Exact::whole(1), ModifiedStoreAndForward);
        let last = shares.last().expect("there is a layer").to_f64() * 100.0;
        check.equal(&format!("{printed} %"), &format!("{last:.0} %"), || {
            format!("{machine}, node {source} ({last:.2} %)")
        });
    }
    Ok(Derivation::of("sigma = 1", check))
}

fn above_one(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected, one) = (Check::default(), Check::default(), Exact::whole(1));
    for (machine, source) in [("mesh:2x2", 0), ("mesh:2x3", 0), ("mesh:3x3", 1), ("mesh:3x3", 4)] {
        let layers = layers(machine, &[source])?;
        for sigma in [2, 3, 5, 10].map(Exact::whole) {
            let found = speedup(&layers, &sigma, ModifiedStoreAndForward);
            printed
                .case(found <= one, || format!("{machine}, node {source}, sigma = {sigma}: speedup {found}"));
            let least = &one + Exact::from(layers[1]) / (&one + &sigma);
            corrected.case(found >= least, || format!("{machine}, node {source}, sigma = {sigma}: {found}"));
        }
    }
    Ok(Derivation::of("four sources, sigma from 2 to 10", printed).corrected(corrected))
}

fn two_thirds(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected, one) = (Check::default(), Check::default(), Exact::whole(1));
    let mut numbers = Numbers::new(&["n", "alpha_0 + 2 alpha_1", "speedup"]);
    for n in [10, 20, 40] {
        let layers = layers(&format!("mesh:2x{n}"), &[0])?;
        let loads = loads(&layers, &one, ModifiedStoreAndForward);
        let three = &loads[0] + Exact::whole(2) * &loads[1];
        let found = &one / &loads[0];
        let words = || format!("2x{n}: {:.4} of the load, speedup {:.4}", three.to_f64(), found.to_f64());
        printed.case(three >= Exact::fraction(9, 10), words);
        let near = |number: &Exact, limit: Exact| number.distance(&limit) < Exact::fraction(1, 100);
        corrected.case(near(&three, Exact::fraction(2, 3)) && near(&found, Exact::whole(3)), words);
        numbers.row(&[&n, &format!("{:.6}", three.to_f64()), &format!("{:.6}", found.to_f64())]);
    }
    Ok(Derivation::of("2x10, 2x20, 2x40, sigma = 1", printed).corrected(corrected).numbers(numbers))
}

fn centre_and_corner(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["forwarding", "sigma", "difference"]);
    let (centre, corner) = (layers("mesh:5x5", &[12])?, layers("mesh:5x5", &[0])?);
    for (forwarding, at, most) in [(CutThrough, 351, "5.40"), (ModifiedStoreAndForward, 323, "3.83")] {
        let difference = |thousandths: i64| {
            let sigma = Exact::fraction(thousandths, 1000);
            speedup(&centre, &sigma, forwarding) - speedup(&corner, &sigma, forwarding)
        };
        let found = (1..1000).max_by_key(|&thousandths| difference(thousandths)).expect("there are some");
        let words = |thousandths| {
            let shown = difference(thousandths).to_f64();
            format!("{}, sigma = {}: {shown:.3}", short(forwarding), thousandths as f64 / 1000.0)
        };
        printed.case(found == 500 && rounds_to(&difference(500), "4"), || {
            format!("{}; most at {}", words(500), words(found))
        });
        corrected.case(found == at && rounds_to(&difference(at), most), || words(found));
        for shown in [500, found] {
            numbers.row(&[
                &short(forwarding),
                &(shown as f64 / 1000.0),
                &format!("{:.4}", difference(shown).to_f64()),
            ]);
        }
    }
    Ok(Derivation::of("sigma from 0.001 to 0.999", printed).corrected(corrected).numbers(numbers))
}

/// Whether P_0 takes more under store-and-forward than under virtual cut-through.
fn takes_more(layers: &[u64], sigma: &Exact) -> bool {
    speedup(layers, sigma, ModifiedStoreAndForward) < speedup(layers, sigma, CutThrough)
}

fn more_at_the_source(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (machine, source) in [("mesh:2x2", 0), ("mesh:2x3", 0), ("mesh:3x3", 1), ("mesh:3x3", 4)] {
        let layers = layers(machine, &[source])?;
        for sigma in (1..=100).map(|hundredths| Exact::fraction(hundredths, 100)) {
            check.case(takes_more(&layers, &sigma), || format!("{machine}, node {source}, sigma = {sigma}"));
        }
    }
    let note =
        "The thesis says it of these four; on larger machines it is so up to a crossing alone: p0-crossing.";
    Ok(Derivation::of("the four sources of the figures, sigma from 1/100 to 1", check).note(note))
}

/// Machines in increasing size, with the thousandths of sigma between which the order turns.
const CROSSINGS: &[(&str, u32, i64)] = &[
    ("mesh:3x3", 0, 951),
    ("mesh:5x5", 12, 700),
    ("mesh:5x5", 0, 419),
    ("torus:6x6", 0, 555),
    ("hypercube:10", 0, 256),
    ("mesh:50x50", 1275, 52),
];

fn crossings(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["machine", "source", "S&F is faster above sigma"]);
    for &(machine, source, at) in CROSSINGS {
        let layers = layers(machine, &[source])?;
        let (below, above) = (Exact::fraction(2 * at - 1, 2000), Exact::fraction(2 * at + 1, 2000));
        check.case(takes_more(&layers, &below) && !takes_more(&layers, &above), || {
            format!("{machine}, node {source}, sigma about {at}/1000")
        });
        numbers.row(&[&machine, &source, &format!("{:.3}", at as f64 / 1000.0)]);
    }
    let note = "every S&F schedule is one of virtual cut-through, so S&F cannot be faster: Zhang 2018's loads for \
         virtual cut-through are not the best";
    Ok(Derivation::of("six sources", check).numbers(numbers).note(note))
}
