//! The audit of the thesis on divisible load: verdicts, errata with their smallest counterexamples, known figures.

use meshwright_papers::{Audit, Finding, Verdict, audit};

use crate::claims::every_finding_is_told;

fn thesis(only: &[&str]) -> Audit {
    audit(Some("zhang2018"), 8, only, &mut |_| {}).unwrap()
}

fn find<'a>(audit: &'a Audit, id: &str) -> &'a Finding {
    audit.claims.iter().find(|finding| finding.id == id).unwrap_or_else(|| panic!("no claim {id}"))
}

/// Erratum, claim, and the smallest counterexample; each was worked out by hand or by another program.
const ERRATA: [(&str, &str, &str); 24] = [
    ("Z1", "eq-3.50", "mesh:3x8, node 0: printed (1,2,3,3,3,3,3,2,1), in fact (1,2,3,3,3,3,3,3,2,1)"),
    // T = 100/399; 1/100 (100 + 99)/399 + 99/399.
    ("Z2", "eq-3.39", "2x2, sigma = 1/100, left side: printed 10099/39900, in fact 100/399"),
    ("Z3", "eq-6.5", "hypercube:3, node 0: printed (1,2,2,1), in fact (1,3,3,1)"),
    // (1 + s)^2 + 2 (1 + s) + 1 = (2 + s)^2, over (1 + s) for (1 + s)^2.
    ("Z4", "speedup-det-s&f", "2x2, sigma = 1/100: printed 40401/10100, in fact 40401/10201"),
    ("Z4", "hypercube-det-s&f", "1-cube, sigma = 1/100: printed 201/100, in fact 201/101"),
    ("Z5", "reduction-86", "2x2, sigma = 1/100, determinant: printed 70501/10000, in fact 40401/10000"),
    // alpha_0 = 1 / (4 - 3/2), and alpha_3 = (1 - 3/2) alpha_0.
    ("Z6", "eq-3.46", "(1,2,1), sigma = 3/2, layer 2: printed 1/5, in fact -1/5"),
    ("Z7", "eq-5.1", "3x3 torus, from (0,0) to (0,1): printed 0, in fact 1"),
    // Cells of 1 and 2 processors share the load as 1 to 2.
    ("Z8", "balance", "mesh:1x3, sources (0,0) and (0,1): cell 0 works off 0.3333 of the load, 0.5 enters"),
    ("Z9", "ratios-rounded", "294/2500: printed 11.7, in fact 11.7600"),
    (
        "Z11",
        "table-3.4",
        "each of the 2206 adds at least 235/294 = 0.799, so at most 1250 / 0.799 = 1564 can stay",
    ),
    ("Z12", "chapter-7", "torus: printed 11 % to 17 %, in fact 17 % to 27 %"),
    (
        "Z13",
        "community-size",
        "50x50, l = 10, row (1,4,8,12,16,20,24,28,32,36,40,29): printed 50, in fact 250",
    ),
    ("Z14", "algorithm-2", "mesh:1x3, sources (0,0) and (0,1): algorithm 2 uses 3, algorithm 3 2"),
    ("Z15", "fast-links", "mesh:5x5, S&F, sigma = 0: printed 24, in fact 25"),
    ("Z16", "figure-3.20", "5x1: there is no P_12"),
    // 1 + 2 + 3/2 + 2/4 + 1/8 against 1 + 3 + 2/2 + 1/4.
    ("Z17", "stop-together", "mesh:3x3, node 0, (1,2,3,2,1), sigma = 1/2: 5.125, best 5.250"),
    ("Z19", "sigma-above-1", "mesh:2x2, node 0, sigma = 2: speedup 16/9"),
    (
        "Z22",
        "depth-min",
        "mesh:1x7, sources (0,1) and (0,3), sigma = 0.01: speedups 3.000 and 3.970 become 3.000 and 2.000",
    ),
    (
        "Z23",
        "unequal-cells",
        "mesh:1x3, sources (0,0) and (0,1) with loads 0.2 and 0.8: makespan 0.4000 becomes 0.8000",
    ),
    // {0} has 0.7 and works off and sends out 1 + 1/0.9; EPSA takes 1 / 3.1.
    (
        "Z24",
        "epsea-time",
        "mesh:1x4, sources [0, 1], loads 0.7 and the rest, sigma = 0.9: 0.3226, bound 0.3316",
    ),
    ("Z27", "link-capacity", "mesh:3x3, node 0, sigma = 1/2: 5.125, links carry 5.000"),
    ("Z28", "eq-4.25", "mesh:2x3, sigma = 1/100, layer 0: printed 0.126875, in fact 0.169165"),
    ("Z29", "eq-6.2", "hypercube:3, node 0: printed (1,2,2,1), in fact (1,3,3,1)"),
];

#[test]
fn every_claim_is_derived_and_judged_as_expected() {
    let audit = thesis(&[]);
    assert!(audit.claims.len() >= 40 && audit.is_as_expected(), "{:?}", unexpected(&audit));
    every_finding_is_told(&audit);
    for (number, id, counterexample) in ERRATA {
        let finding = find(&audit, id);
        assert_eq!(
            (finding.errata, finding.counterexample.as_deref()),
            (Some(number), Some(counterexample)),
            "{id}"
        );
    }
    // Every erratum has a claim. What turned out to be none: said of four machines (Z18), an upper bound and a statement
    // about no instance (Z25), averages that are not named (Z33, Z34).
    for number in 1..=36 {
        let name = format!("Z{number}");
        let is_one = audit.claims.iter().any(|finding| finding.errata == Some(&name));
        assert_eq!(is_one, ![18, 25, 33, 34].contains(&number), "{name}");
    }
}

/// The claims of the list of defects: what the thesis says is judged, not what we read into it.
#[test]
fn what_the_thesis_says_is_judged() {
    let ids = "figure-3.20,p0-takes-more,complexity,np-hard,single-path,acceleration,saved-average,link-capacity,p0-crossing,\
        linear-solution,parametric-cut,best-position,torus-positions,saved-headline";
    let audit = thesis(&ids.split(',').collect::<Vec<_>>());
    let finding = |id| find(&audit, id);
    for id in ["p0-takes-more", "complexity", "best-position", "torus-positions", "saved-headline"] {
        assert_eq!(finding(id).verdict, Verdict::Holds, "{id}");
    }
    for id in ["np-hard", "acceleration", "saved-average"] {
        assert_eq!(finding(id).verdict, Verdict::NotCheckable, "{id}");
    }
    for id in ["p0-crossing", "linear-solution", "parametric-cut"] {
        assert_eq!(finding(id).verdict, Verdict::Remark, "{id}");
    }
    // Z16: by diagonals, as (3.51) numbers them, P_12 of the 5x4 mesh has four neighbours too.
    assert!(finding("figure-3.20").correct.unwrap().starts_with("for n = 4 and 5"));
    assert_eq!(finding("figure-3.20").checked.failures, 3);
    // Z27: layers (1,2,1,3) on two links fit, although one has three processors.
    let path = finding("single-path");
    assert!(path.correct.unwrap().contains("at most k d") && path.note.contains("4.25"), "{}", path.note);
    assert!(path.checked.cases_corrected > Some(200), "{:?}", path.checked);
    // All sets of the 3x4 mesh, not its source alone: 12, not 13.
    let carried = &finding("link-capacity").numbers.rows;
    let row = carried.iter().find(|row| row[..3] == ["mesh:3x4", "5", "1/4"]).unwrap();
    assert_eq!(row[4], "12.000");
    // Z33, Z34: every rule of ties and both averages side by side.
    assert_eq!(finding("saved-average").numbers.rows.len(), 9);
    assert_eq!(
        finding("acceleration").numbers.columns[2..],
        ["mean of gains", "standard error", "gain of means"]
    );
    let literal = &finding("acceleration").numbers.rows[0];
    assert_eq!(literal[2..], ["22.2 %", "5.4 %", "12.7 %"], "virtual cut-through, depth_min as printed");
}

/// Headlines and future work have rows of their own.
#[test]
fn headlines_and_future_work_have_rows() {
    let audit = thesis(&[
        "near-optimal",
        "fewest-processors",
        "future-queues",
        "future-positions",
        "future-unlike",
        "future-front-end",
    ]);
    assert_eq!((audit.count(Verdict::Refuted), audit.count(Verdict::NotBuilt)), (2, 1));
    assert!(audit.is_as_expected());
}

fn unexpected(audit: &Audit) -> Vec<&'static str> {
    audit.claims.iter().filter(|finding| !finding.as_expected).map(|finding| finding.id).collect()
}

#[test]
fn figures_known_from_elsewhere() {
    let audit = thesis(&["stop-together", "figure-5.22", "p0-crossing", "eq-3.97", "eq-3.98", "eq-5.5"]);
    let rows = &find(&audit, "stop-together").numbers.rows;
    // 5x5 centre, sigma = 1/2: leaving out layer 1 gives 14, not 11.5.
    assert!(
        rows.contains(&["mesh:5x5", "12", "1/2", "11.500", "14.000"].map(String::from).to_vec()),
        "{rows:?}"
    );
    let note = |id| find(&audit, id).note.as_str();
    assert!(note("eq-3.97").starts_with("6 of the sets have it"), "{}", note("eq-3.97"));
    assert!(note("eq-3.98").starts_with("16 connected sets"), "{}", note("eq-3.98"));
    assert!(
        note("eq-5.5").starts_with("200 sets have it") && note("eq-5.5").contains("25 blocks"),
        "{}",
        note("eq-5.5")
    );
    let crossing = &find(&audit, "p0-crossing").numbers.rows;
    assert!(crossing.iter().any(|row| row == &["mesh:5x5", "12", "0.700"]), "{crossing:?}");
}
