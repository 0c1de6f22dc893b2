//! The page of an audited paper: figures, the table of claims, and the way from definition to number of each.

use serde::Serialize;

use crate::figures::{self, Figure};
use crate::{Audit, Finding, PAPERS, Paper, Verdict};
use meshwright_core::words::grouped;
use meshwright_report::facts::Fact;
use meshwright_report::{File, style, template};

#[derive(Serialize)]
struct ClaimsView<'a> {
    title: String,
    /// The papers in a word each: `Lo 1990`.
    named: String,
    style: String,
    facts: Vec<Fact>,
    figures: Vec<FigureView>,
    claims: Vec<ClaimRow<'a>>,
}

/// A figure of a paper, drawn again.
#[derive(Serialize)]
struct FigureView {
    number: &'static str,
    svg: String,
    caption: &'static str,
}

#[derive(Serialize)]
struct ClaimRow<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// Whether cases are against it.
    is_against: bool,
    /// Whether it is ours.
    is_remark: bool,
    /// The word for its verdict.
    word: &'static str,
    cases: String,
}

/// The page, and the figures of the paper as drawings that stand alone.
///
/// # Examples
///
/// ```
/// use meshwright_papers::audit;
/// use meshwright_papers::page::claims_files;
/// let audit = audit(Some("lo1990"), 8, &["lemma-4"], &mut |_| {})?;
/// let names: Vec<String> = claims_files(&audit).into_iter().map(|file| file.name).collect();
/// assert_eq!(names, ["report.html", "figure-1.svg", "figure-2.svg", "figure-3.svg", "figure-4.svg"]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn claims_files(audit: &Audit) -> Vec<File> {
    let figures = drawn(audit);
    let alone = |figure: &FigureView| File {
        name: format!("figure-{}.svg", figure.number),
        what: format!("figure {} of {}, drawn again", figure.number, named(audit)),
        text: style::alone(&figure.svg),
    };
    let drawings: Vec<File> = figures.iter().map(alone).collect();
    let what = "figures, verdicts and numbers: open it in a browser".to_string();
    let mut files = vec![File { name: "report.html".to_string(), what, text: page(audit, figures) }];
    files.extend(drawings);
    files
}

/// The audit as one page of HTML; the same audit gives the same bytes.
fn page(audit: &Audit, figures: Vec<FigureView>) -> String {
    let row = |finding| ClaimRow {
        finding,
        is_against: matches!(finding.verdict, Verdict::Corrected | Verdict::Refuted),
        is_remark: finding.verdict == Verdict::Remark,
        word: finding.verdict.name(),
        cases: grouped(finding.checked.cases + finding.checked.cases_corrected.unwrap_or(0)),
    };
    let view = ClaimsView {
        named: named(audit),
        title: papers(audit).map(|paper| paper.title).collect::<Vec<_>>().join("; "),
        style: style::page(),
        facts: facts(audit),
        figures,
        claims: audit.claims.iter().map(row).collect(),
    };
    template::page(include_str!("claims.html"), view)
}

fn papers(audit: &Audit) -> impl Iterator<Item = &'static Paper> {
    PAPERS.iter().filter(|paper| audit.papers.contains(&paper.name))
}

/// The papers by author and year: `Lo 1990 and Zhang 2018`.
fn named(audit: &Audit) -> String {
    let named = |paper: &Paper| {
        let (author, year) = paper.name.split_at(paper.name.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
        let (first, rest) = author.split_at(author.len().min(1));
        format!("{}{rest} {year}", first.to_uppercase())
    };
    let all: Vec<String> = papers(audit).map(named).collect();
    match all.split_last() {
        Some((last, most)) if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

fn facts(audit: &Audit) -> Vec<Fact> {
    let count = |verdict| grouped(audit.count(verdict) as u64);
    let cases: u64 = audit
        .claims
        .iter()
        .map(|finding| finding.checked.cases + finding.checked.cases_corrected.unwrap_or(0))
        .sum();
    let mut facts = vec![
        Fact::new("Claims", grouped(audit.claims.len() as u64), "each derived again where it can be"),
        Fact::new("Hold", count(Verdict::Holds), "as printed"),
        Fact::new("Corrected", count(Verdict::Corrected), "the right form is given"),
        Fact::new("Refuted", count(Verdict::Refuted), ""),
    ];
    for (verdict, name, about) in [
        (Verdict::Remark, "Remarks", "ours, not printed there"),
        (Verdict::NotCheckable, "Not checkable", "lost, or not to be decided"),
        (Verdict::NotBuilt, "Not built", "named there, not in this program"),
    ] {
        if audit.count(verdict) > 0 {
            facts.push(Fact::new(name, count(verdict), about));
        }
    }
    let about = match audit.papers.contains(&"lo1990") {
        true => format!("in exact numbers, trees up to B({})", audit.n_max),
        false => "of what is printed with what is so".to_string(),
    };
    facts.push(Fact::new("Comparisons", grouped(cases), &about));
    facts
}

/// The figures of the papers, in their order.
fn drawn(audit: &Audit) -> Vec<FigureView> {
    let drawing = |figure: &'static Figure| FigureView {
        number: figure.number,
        svg: (figure.draw)(),
        caption: figure.caption,
    };
    papers(audit).flat_map(|paper| figures::of(paper.name)).map(drawing).collect()
}
