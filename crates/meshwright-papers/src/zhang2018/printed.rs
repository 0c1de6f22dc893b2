//! Numbers that the thesis prints and that follow from other numbers it prints.

use super::literal::row;
use super::sensitivity::rounds_to;
use super::{CORRECTED, HOLDS, REFUTED, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "ratios",
        source: "sections 3.1.5, 5.2.3",
        statement: "ratios of the fastest to the slowest cell, before and after",
        definition: "arithmetic on printed numbers: the quotient of the two speedups",
        printed: "271/107 = 2.533, 122/107 = 1.140, 360/98 = 3.67, 125/98 = 1.276, 191/168 = 1.137, 436/2500 = 17 %",
        fails_if: "a printed quotient is not that of its two numbers, rounded as printed",
        derive: |_| {
            quotients(&[
                (271, 107, 1, "2.533"),
                (122, 107, 1, "1.140"),
                (360, 98, 1, "3.67"),
                (125, 98, 1, "1.276"),
                (191, 168, 1, "1.137"),
                (436, 2500, 100, "17"),
            ])
        },
        ..HOLDS
    },
    Claim {
        id: "ratios-rounded",
        source: "sections 3.1.5, 4.1.5, 5.2.3",
        statement: "further quotients of printed numbers",
        definition: "arithmetic on printed numbers: the quotient, rounded as the printed one",
        printed: "294/2500 = 11.7 %, 495/107 = 4.62, 351/125 = 2.816",
        fails_if: "all three printed quotients are those of their numbers, or a corrected one is not",
        correct: Some("11.8 %, 4.63, 2.808"),
        errata: Some("Z9"),
        derive: |_| {
            let right =
                quotients(&[(294, 2500, 100, "11.8"), (495, 107, 1, "4.63"), (351, 125, 1, "2.808")])?;
            let printed =
                quotients(&[(294, 2500, 100, "11.7"), (495, 107, 1, "4.62"), (351, 125, 1, "2.816")])?;
            Ok(printed.corrected(right.printed))
        },
        ..CORRECTED
    },
    Claim {
        id: "community-size",
        source: "section 3.1.5, lower band",
        statement: "processors in the community of each of l injections into an n x n mesh",
        definition: "arithmetic on printed numbers: the example of Zhang 2018 itself, 50x50, l = 10, all processors over all injections",
        printed: "n x n / m, m the side of the mesh",
        fails_if: "the row of the example sums to n x n / m processors, or not to n x n / l",
        correct: Some("n x n / l"),
        errata: Some("Z13"),
        derive: |_| {
            let (mut printed, mut corrected) = (Check::default(), Check::default());
            let community: u64 = COMMUNITY.iter().sum();
            printed.equal(&(50 * 50 / 50), &community, || format!("50x50, l = 10, row {}", row(&COMMUNITY)));
            corrected.equal(&(50 * 50 / 10), &community, || "50x50, l = 10".to_string());
            Ok(Derivation::of("the example of Zhang 2018", printed).corrected(corrected))
        },
        ..CORRECTED
    },
    Claim {
        id: "community-row",
        source: "section 3.1.5, lower band",
        statement: "first row of the ideal community of 250 processors",
        definition: "nodes of the endless mesh counted by their hops, until 250 are reached",
        printed: "(1,4,8,12,16,20,24,28,32,36,40,29)",
        fails_if: "rings of 4 k nodes, filled up to 250, give another row",
        derive: |_| {
            let (mut left, mut found) = (249, vec![1]);
            while left > 0 {
                // Layer k of the endless mesh: k nodes on each of the four sides of a diamond.
                found.push((4 * found.len() as u64).min(left));
                left -= found[found.len() - 1];
            }
            let mut check = Check::default();
            check.equal(&row(&COMMUNITY), &row(&found), || "250 processors".to_string());
            Ok(Derivation::of("250 processors", check))
        },
        ..HOLDS
    },
    Claim {
        id: "table-3.4",
        source: "table 3.4, page 68",
        statement: "294 processors saved while the largest of 10 cells falls from speedup 360 to 125 on the 50x50 mesh",
        definition: "no processor adds more than 1; with one depth for all cells none that stays adds less than one that goes",
        printed: "the 2206 processors that stay have speedups of at most 125 in 10 cells",
        fails_if: "the printed numbers leave room for the 2206 processors that stay",
        errata: Some("Z11"),
        derive: table_3_4,
        ..REFUTED
    },
    Claim {
        id: "chapter-7",
        source: "section 7.1, abstract",
        statement: "what is saved, in the words of the conclusion",
        definition: "arithmetic on printed numbers: mesh 294 of 2500 (page 68), torus 27 % (page 132) and 436 of 2500 (page 135)",
        printed: "toroidal network: from 11 % to 17 %",
        fails_if: "the chapters' figures for the torus span 11 % to 17 %, or not 17 % to 27 %",
        correct: Some("toroidal network: from 17 % to 27 %; 11 % is 294 of 2500, a figure of the mesh"),
        errata: Some("Z12"),
        derive: |_| {
            let torus = [27, 436 * 100 / 2500];
            let found = format!("{} % to {} %", torus[1].min(torus[0]), torus[0].max(torus[1]));
            let (mut printed, mut corrected) = (Check::default(), Check::default());
            printed.equal(&"11 % to 17 %".to_string(), &found, || "torus".to_string());
            corrected.equal(&"17 % to 27 %".to_string(), &found, || "torus".to_string());
            let note = "the abstract saves over 30 % on the mesh, the conclusion over 40 %: see saved-headline and saved-average";
            Ok(Derivation::of("the figures of the chapters", printed).corrected(corrected).note(note))
        },
        ..CORRECTED
    },
];

/// The first row of the ideal community.
const COMMUNITY: [u64; 12] = [1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 29];

/// Quotients as printed.
fn quotients(cases: &[(i64, i64, i64, &str)]) -> Result<Derivation> {
    let mut check = Check::default();
    for &(p, q, scale, printed) in cases {
        let found = Exact::fraction(p * scale, q);
        check.case(rounds_to(&found, printed), || {
            format!("{p}/{q}: printed {printed}, in fact {:.4}", found.to_f64())
        });
    }
    Ok(Derivation::of(format!("{} quotients", cases.len()), check))
}

fn table_3_4(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let (lost, freed, all, cells, most) = (360 - 125, 294, 2500, 10, 125);
    // Those that went from the largest cell added `lost` together, so some of them at least lost / freed each. All that
    // stay are no deeper than that one, so each adds at least as much.
    let least = Exact::fraction(lost, freed);
    let whole = Exact::whole(cells * most);
    let stay = Exact::whole(all - freed);
    let room = &whole / &least;
    check.case(stay <= room, || {
        let (least, room) = (least.to_f64(), room.to_f64());
        format!("each of the 2206 adds at least 235/294 = {least:.3}, so at most 1250 / {least:.3} = {room:.0} can stay")
    });
    let note = "the numbers fit about twenty cells";
    Ok(Derivation::of("the numbers of the table, cells cut at one depth as in algorithm 5", check).note(note))
}
