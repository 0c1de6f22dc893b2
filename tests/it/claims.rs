//! The audit of papers: verdicts, errata with their smallest counterexamples, and figures known from elsewhere.

use meshwright_papers::lo1990::literal;
use meshwright_papers::lo1990::reflecting::proof_points;
use meshwright_papers::{Audit, Finding, Verdict, audit};
use serde_json::Value;

fn lo1990(n_max: u32, only: &[&str]) -> Audit {
    audit(Some("lo1990"), n_max, only, &mut |_| {}).unwrap()
}

fn find<'a>(audit: &'a Audit, id: &str) -> &'a Finding {
    audit.claims.iter().find(|finding| finding.id == id).unwrap_or_else(|| panic!("no claim {id}"))
}

/// The rows of a claim's table whose first columns are these.
fn row<'a>(finding: &'a Finding, first: &[&str]) -> &'a [String] {
    let begins = |row: &&Vec<String>| row.iter().zip(first).all(|(value, wanted)| value == wanted);
    finding.numbers.rows.iter().find(begins).unwrap_or_else(|| panic!("{}: no row {first:?}", finding.id))
}

/// Erratum, claim, and the smallest counterexample, worked out by hand.
const ERRATA: [(&str, &str, &str); 7] = [
    // The roots of the two halves of B(5) are at columns 2 and 5 of one row.
    ("E1", "lemma-3", "B(5), phase 1, alpha = 1: printed 1, in fact 3"),
    ("E1", "eq-11", "k = 3: printed 3, in fact 1"),
    // S is about (2/7) 2^k, so that S k / 2^k doubles with k.
    ("E2", "theorem-2-large", "alpha = 1/2: S k / 2^k is 4.5714 at k = 16, 9.1429 at k = 32"),
    // Two leaves of B(5), two nodes from their parents, share the link between.
    ("E3", "lemma-7", "B(5), phase 5, alpha = 1: printed 0, in fact 1"),
    ("E4", "growing-sum", "M_R of B(6), alpha = 1: printed 8, in fact 10"),
    ("E5", "contention-free", "B(2), phase 2: 2 edges are active"),
    // Sums of dilations 7 and 6, each link 2 cycles of head.
    (
        "E8",
        "theorem-1-optimal",
        "B(5), c = 100, b = 1, h = 2, alpha = 1/2: M_R 545 cycles, centred halving 543",
    ),
];

/// Ids differ, every text is there, and what is against the paper has its counterexample and its number.
pub(crate) fn every_finding_is_told(audit: &Audit) {
    let mut ids: Vec<&str> = audit.claims.iter().map(|finding| finding.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), audit.claims.len(), "no two claims share an id");
    for finding in &audit.claims {
        let texts = [
            finding.source,
            finding.statement,
            finding.definition,
            finding.printed,
            finding.fails_if,
            &finding.evidence,
        ];
        assert!(texts.iter().all(|text| !text.is_empty() && !text.contains("  ")), "{texts:?}");
        let against = matches!(finding.verdict, Verdict::Corrected | Verdict::Refuted);
        assert_eq!(against, finding.counterexample.is_some(), "{}", finding.id);
        assert_eq!(against, finding.errata.is_some(), "{}: an erratum has its number", finding.id);
        assert_eq!(against, finding.checked.failures > 0, "{}", finding.id);
        let decided = !matches!(finding.verdict, Verdict::NotCheckable | Verdict::NotBuilt);
        assert!(finding.checked.cases > 0 || !decided, "{}: something was compared", finding.id);
        let width = finding.numbers.columns.len();
        assert!(finding.numbers.rows.iter().all(|row| row.len() == width), "{}", finding.id);
    }
}

#[test]
fn every_claim_is_derived_and_judged_as_expected() {
    let audit = lo1990(10, &[]);
    assert!(audit.claims.len() >= 30 && audit.is_as_expected());
    every_finding_is_told(&audit);
    assert_eq!(audit.count(Verdict::Corrected), ERRATA.len(), "all errata are listed above");
}

/// What the paper does not say is no erratum, nor is what it says of the limit, from k = 1 on, or under a condition.
#[test]
fn wording_and_remarks_are_no_errata() {
    let audit = lo1990(10, &[]);
    let verdict = |id| (find(&audit, id).verdict, find(&audit, id).errata);
    for id in [
        "theorem-3-small",
        "definition-9",
        "theorem-4-quarter",
        "lemma-8a",
        "lemma-8b",
        "lemma-8c",
        "lemma-8d",
    ] {
        assert_eq!(verdict(id), (Verdict::Holds, None), "{id}");
        assert!(!find(&audit, id).note.is_empty(), "{id} says what it leaves open");
    }
    assert_eq!(verdict("theorem-1-discriminates"), (Verdict::Remark, None));
    for id in ["figure-1", "figure-2", "figure-3"] {
        assert_eq!(verdict(id), (Verdict::NotCheckable, None), "{id}: the drawing is lost");
    }
    // Limits that the paper does not print do not stand under "printed".
    for (id, limit) in [("lemma-5c", "2/7"), ("theorem-4-exponential", "16/63"), ("theorem-2-large", "2/3")] {
        assert!(!find(&audit, id).printed.contains(limit), "{id}");
    }
    // Footnote and ongoing work have rows.
    assert_eq!(verdict("footnote-1"), (Verdict::Holds, None));
    for id in [
        "ongoing-simulation",
        "ongoing-medium",
        "ongoing-two-alphas",
        "ongoing-completion-time",
        "ongoing-arbitrary",
    ] {
        assert_eq!(verdict(id), (Verdict::Remark, None), "{id}");
    }
}

/// M7: no bound of every mapping lies above what growing attains, and the worst ratio to it is the one worked out anew.
#[test]
fn the_bound_of_the_conclusion_is_a_bound() {
    let audit = lo1990(8, &["conclusion"]);
    let finding = find(&audit, "conclusion");
    assert_eq!((finding.verdict, finding.checked.failures), (Verdict::Holds, 0));
    assert!(finding.note.contains("is 1.02599, at n = 60, alpha = 29/40"), "{}", finding.note);
}

#[test]
fn the_smallest_counterexample_does_not_depend_on_the_range() {
    for n_max in [8, 11] {
        let audit = lo1990(n_max, &["e1", "E2", "E3", "E4", "E5", "E8"]);
        assert_eq!(audit.claims.len(), ERRATA.len());
        for (number, id, counterexample) in ERRATA {
            let finding = find(&audit, id);
            let found = (finding.errata, finding.verdict, finding.counterexample.as_deref());
            assert_eq!(found, (Some(number), Verdict::Corrected, Some(counterexample)), "{id}");
        }
    }
}

#[test]
fn the_mappings_built_word_by_word_are_those_of_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../golden/mapping.json")).unwrap();
    let reflecting = literal::reflecting(12);
    let growing = literal::growing(&reflecting);
    let mut compared = 0;
    for case in golden["cases"].as_array().unwrap() {
        let n = case["n"].as_u64().unwrap() as usize;
        let places = match case["mapping"].as_str().unwrap() {
            "reflecting" => &reflecting[n],
            "growing" => &growing[n],
            _ => continue,
        };
        let written: Vec<[u32; 2]> = places.iter().map(|&(row, column)| [row, column]).collect();
        assert_eq!(
            serde_json::to_value(written).unwrap(),
            case["positions"],
            "{} of B({n})",
            case["mapping"]
        );
        compared += 1;
    }
    assert_eq!(compared, 20);
}

/// The sums of dilations and the slowdowns of the reference, as fractions, beside those of the audit.
#[test]
fn totals_are_those_of_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../golden/mapping.json")).unwrap();
    let audit = lo1990(12, &["lemma-5a", "lemma-8a", "definition-10"]);
    let mut compared = 0;
    for case in golden["cases"].as_array().unwrap() {
        let (n, mapping) = (case["n"].as_u64().unwrap(), case["mapping"].as_str().unwrap());
        let (id, name) = match mapping {
            "reflecting" => ("lemma-5a", "M_R"),
            "growing" => ("lemma-8a", "M_G"),
            _ => continue,
        };
        if n == 0 || n % 2 == 1 {
            continue;
        }
        let k = (n / 2).to_string();
        for alpha in ["1", "1/2"] {
            let total = case["totals"][alpha]["sf_large"].as_str().unwrap();
            let row = row(find(&audit, id), &[&k, alpha]);
            assert_eq!(row[2..], [total, total, total], "{mapping} of B({n}), alpha = {alpha}");
            compared += 1;
        }
        let slowdown = &case["totals"]["1/2"]["S_sf_large"];
        let row = row(find(&audit, "definition-10"), &[&n.to_string(), name]);
        assert_eq!(row[4], slowdown.as_str().unwrap_or_default(), "{mapping} of B({n})");
    }
    assert_eq!(compared, 20);
}

#[test]
fn figures_known_from_the_paper_and_from_hand() {
    let audit = lo1990(12, &[]);
    let values = |id: &str, first: &[&str]| row(find(&audit, id), first).to_vec();
    assert_eq!(values("lemma-5b", &["6"]), ["6", "84", "84", "84"]);
    assert_eq!(values("lemma-8b", &["6"]), ["6", "64", "64", "64"]);
    assert_eq!(values("theorem-4-quarter", &["4"])[1..], ["20", "20", "16", "16", "20.0000 %"]);
    assert_eq!(values("figure-2", &["6"]), ["6", "8", "8", "(5, 5)", "(5, 5)"]);
    assert_eq!(values("figure-3", &["5"]), ["5", "4", "8", "(2, 4)", "(2, 4)"]);
    // Phase 7 of B(12) under M_G: 64 messages, each over 4 links, which it shares with 3 others.
    assert_eq!(values("lemma-7", &["12", "7"])[2..], ["64", "3", "4", "4", "4"]);
    assert_eq!(values("theorem-1-optimal", &["12"])[1..3], ["84", "64"]);
    // At distance 1 CBT(4) takes 2 x 3 phases, B(4) takes 4 and has twice the leaves.
    assert_eq!(values("keep-half", &["4", "wormhole", "1"])[8], "3.00");
    let points = proof_points(4);
    assert_eq!((points.columns, points.row, points.root_row), ([0, 2, 5, 7, 8, 10], 5, 10));
}

#[test]
fn what_is_not_there_is_refused() {
    let refused =
        |paper, n_max, only: &[&str]| audit(paper, n_max, only, &mut |_| {}).unwrap_err().to_string();
    assert!(refused(Some("nobody2001"), 10, &[]).contains("lo1990"));
    assert!(refused(None, 7, &[]).contains("8 to 16") && refused(None, 17, &[]).contains("8 to 16"));
    assert!(refused(None, 8, &["E1", "E10"]).contains("E10"));
    assert_eq!(audit(None, 8, &["LEMMA-4"], &mut |_| {}).unwrap().claims.len(), 2, "all papers there are");
}
