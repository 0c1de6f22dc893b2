//! The page on the papers: what `claims` finds, as tables.

use std::fmt::Write;

use meshwright_papers::{Audit, N_MIN, PAPERS, Verdict, audit};
use rayon::prelude::*;

use super::reference::{WRITTEN, hold};

/// Text for the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*").replace('<', "&lt;").replace('\n', " ")
}

/// What is not as printed, then what holds, then what is left.
fn write_audit(page: &mut String, title: &str, audit: &Audit) {
    let counts = Verdict::ALL.iter().filter(|verdict| audit.count(**verdict) > 0);
    let counts: Vec<_> = counts
        .map(|verdict| format!("{} {}", audit.count(*verdict), verdict.plural(audit.count(*verdict))))
        .collect();
    let name = audit.papers[0];
    let _ =
        writeln!(page, "\n## {name}\n\n{title}. {} statements: {}.\n", audit.claims.len(), counts.join(", "));
    let _ = writeln!(page, "### {name}: what is not as printed\n");
    let _ =
        writeln!(page, "| number | where | printed | right | first case that fails |\n|---|---|---|---|---|");
    let wrong = |verdict| matches!(verdict, Verdict::Corrected | Verdict::Refuted);
    for one in audit.claims.iter().filter(|one| wrong(one.verdict)) {
        let right = one.correct.unwrap_or("(no form like it is right)");
        let case = one.counterexample.as_deref().unwrap_or("");
        let number = one.errata.unwrap_or(one.id);
        let cells = [number, one.source, one.printed, right, case].map(cell);
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    let rest = [
        (Verdict::Holds, "what holds"),
        (Verdict::Remark, "remarks"),
        (Verdict::NotCheckable, "what cannot be checked"),
        (Verdict::NotBuilt, "what is not built"),
    ];
    for (verdict, heading) in rest {
        let found: Vec<_> = audit.claims.iter().filter(|one| one.verdict == verdict).collect();
        if !found.is_empty() {
            let _ =
                writeln!(page, "\n### {name}: {heading}\n\n*{}*: {}.\n", verdict.name(), verdict.meaning());
            let _ = writeln!(page, "| where | statement |\n|---|---|");
            for one in found {
                let _ = writeln!(page, "| {} | {} |", cell(one.source), cell(one.statement));
            }
        }
    }
}

/// Trees of up to 2^8 tasks show every counterexample.
#[test]
fn the_page_of_papers_says_what_claims_finds() {
    let mut page = format!(
        "# What the papers got right and wrong\n\n{WRITTEN}\n\n`meshwright claims` computes the definitions, theorems, equations and figures of three \
         papers again, and compares them with what is printed. A statement that fails in some case is *corrected* if a form like it \
         agrees with all cases, else *refuted*. Trees of up to 2^{N_MIN} tasks were built for this page.\n\n```sh\nmeshwright claims lo1990 --only E1 --n-max \
         8\n```\n"
    );
    let audits: Vec<_> = PAPERS
        .par_iter()
        .map(|paper| audit(Some(paper.name), N_MIN, &[], &mut |_| {}).expect("it can be derived"))
        .collect();
    for (paper, audit) in PAPERS.iter().zip(&audits) {
        assert!(audit.is_as_expected(), "{}", paper.name);
        write_audit(&mut page, paper.title, audit);
    }
    hold("papers.md", &page);
}
