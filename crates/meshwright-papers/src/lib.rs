//! Papers, audited: every definition, lemma, theorem, equation and figure derived again, and a verdict on each.
//!
//! | file | what |
//! |---|---|
//! | this one | [`PAPERS`], [`audit`] |
//! | [`claim`] | [`Claim`], [`Verdict`], [`Finding`] |
//! | [`check`] | cases counted, the first that disagrees kept |
//! | [`page`], [`figures`] | the page of a paper, with its figures drawn again |
//! | [`range`] | `axtmann2018`: groups that are a stretch of an order: two numbers, no messages |
//! | [`lo1990`], [`zhang2018`], [`chochia1996`] | one file for each section of that paper |
//!
//! A verdict is computed, never looked up: the printed statement is compared with what its definition gives, case
//! by case in increasing size, so that the first case that disagrees is the smallest. What the program expects
//! stands beside it, and a difference between the two is told. What is no statement of the paper is a remark, whatever
//! its cases say; each claim names what would have to be seen for it to fail.

#![forbid(unsafe_code)]

pub mod check;
pub mod chochia1996;
pub mod claim;
pub mod figures;
pub mod lo1990;
pub mod page;
pub mod range;
pub mod zhang2018;

use std::collections::BTreeMap;

use serde::Serialize;

pub use claim::{Checked, Claim, Finding, Verdict};
use meshwright_core::error::{Error, Result};

/// One paper and its claims.
pub struct Paper {
    /// The key of the paper.
    pub name: &'static str,
    /// Its title and authors.
    pub title: &'static str,
    /// Derives its claims again.
    pub derive: Derive,
}

/// Derives all claims that `wanted` accepts, with trees up to B(n_max); `progress` is told what is being done.
pub type Derive = fn(n_max: u32, wanted: &Wanted<'_>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Finding>>;

/// Whether a claim is wanted, by its id and its erratum.
pub type Wanted<'a> = dyn Fn(&str, Option<&str>) -> bool + 'a;

/// Every paper the program has read.
pub const PAPERS: &[Paper] = &[lo1990::PAPER, zhang2018::PAPER, chochia1996::PAPER];

/// The largest n the program derives claims for: 65536 tasks.
pub const N_MAX: u32 = 16;

/// The smallest n at which every counterexample is in sight.
pub const N_MIN: u32 = 8;

/// The findings on one or more papers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The version of this form: 1.
    pub format: u32,
    /// The papers these claims are of, in the order of [`PAPERS`].
    pub papers: Vec<&'static str>,
    /// Trees up to B(n) were built.
    pub n_max: u32,
    /// How many claims got each verdict.
    pub counts: BTreeMap<Verdict, usize>,
    /// Claim by claim, in the order of the papers.
    pub claims: Vec<Finding>,
}

impl Audit {
    /// Whether every verdict is the one the program expects.
    pub fn is_as_expected(&self) -> bool {
        self.claims.iter().all(|finding| finding.as_expected)
    }

    /// How many claims got this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.counts.get(&verdict).copied().unwrap_or(0)
    }
}

/// Derives the claims of a paper, or of all papers, again.
///
/// `only` names claims (`lemma-3`) or errata (`E1`) in any case of letters; if it is empty, all are derived.
///
/// # Errors
///
/// [`Error::Value`] for a paper or a claim that is not there, or for an n outside [`N_MIN`] to [`N_MAX`].
///
/// # Complexity
///
/// O(N d) for N = 2^n_max tasks and their mean dilation d, about 55 for the growing mapping of B(16).
///
/// # Examples
///
/// ```
/// use meshwright_papers::{Verdict, audit};
/// let audit = audit(Some("lo1990"), 8, &["E1"], &mut |_| {})?;
/// let lemma = audit.claims.iter().find(|finding| finding.id == "lemma-3").expect("it is listed");
/// assert_eq!(lemma.verdict, Verdict::Corrected);
/// assert!(lemma.counterexample.as_ref().is_some_and(|words| words.starts_with("B(5), phase 1")));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn audit(
    paper: Option<&str>,
    n_max: u32,
    only: &[&str],
    progress: &mut dyn FnMut(&str),
) -> Result<Audit> {
    if !(N_MIN..=N_MAX).contains(&n_max) {
        return Err(Error::value("n-max", n_max, format!("{N_MIN} to {N_MAX}")));
    }
    let papers: Vec<&Paper> =
        PAPERS.iter().filter(|entry| paper.is_none_or(|name| name == entry.name)).collect();
    if papers.is_empty() {
        let names: Vec<_> = PAPERS.iter().map(|paper| paper.name).collect();
        return Err(Error::value("paper", format!("`{}`", paper.unwrap_or_default()), names.join(", ")));
    }
    let is = |word: &str, id: &str, errata: Option<&str>| {
        word.eq_ignore_ascii_case(id) || errata.is_some_and(|number| word.eq_ignore_ascii_case(number))
    };
    let wanted =
        |id: &str, errata: Option<&str>| only.is_empty() || only.iter().any(|word| is(word, id, errata));
    let (mut claims, mut names) = (Vec::new(), Vec::new());
    for paper in papers {
        let found = (paper.derive)(n_max, &wanted, progress)?;
        // Of several papers only those with a claim of that name are told of.
        if !found.is_empty() {
            names.push(paper.name);
        }
        claims.extend(found);
    }
    if let Some(word) =
        only.iter().find(|word| !claims.iter().any(|found: &Finding| is(word, found.id, found.errata)))
    {
        let expected = "the id of a claim such as lemma-3, or an erratum such as E1 or G7";
        return Err(Error::value("claim", format!("`{word}`"), expected));
    }
    let count = |verdict| claims.iter().filter(|found: &&Finding| found.verdict == verdict).count();
    let counts = Verdict::ALL.map(|verdict| (verdict, count(verdict))).into();
    Ok(Audit { format: 1, papers: names, n_max, counts, claims })
}

/// Derives those claims of a paper that are wanted, section by section.
fn find_wanted<S>(
    sections: &[&[Claim<S>]],
    study: &S,
    wanted: &Wanted<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let claims = sections.iter().copied().flatten().filter(|claim| wanted(claim.id, claim.errata));
    let find = |claim: &Claim<S>| {
        progress(claim.source);
        claim.find(study)
    };
    claims.map(find).collect()
}
