//! Papers, audited: every definition, lemma, theorem, equation and figure derived again, and a verdict on each.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Claim`], [`Verdict`], [`PAPERS`], [`audit`] |
//! | [`check`] | cases counted, the first that disagrees kept |
//! | [`lo1990`], [`zhang2018`], [`chochia1996`] | one file for each section of that paper |
//!
//! A verdict is computed, never looked up: the printed statement is compared with what its definition gives, case
//! by case in increasing size, so that the first case that disagrees is the smallest. What the program expects
//! stands beside it, and a difference between the two is told.

pub mod check;
pub mod chochia1996;
pub mod lo1990;
pub mod zhang2018;

use serde::Serialize;

use crate::error::{Error, Result};
use check::{Check, Derivation, Numbers};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every case agrees with the printed form.
    Holds,
    /// The printed form fails in some case, the corrected form in none.
    Corrected,
    /// The printed form fails, and no form like it is right.
    Refuted,
}

impl Verdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Corrected => "corrected",
            Self::Refuted => "refuted",
        }
    }
}

/// One statement of a paper, and how to derive it again.
pub struct Claim<S> {
    /// Its name here, such as `lemma-3`.
    pub id: &'static str,
    /// Where it stands in the paper.
    pub source: &'static str,
    /// What it says, in our words.
    pub statement: &'static str,
    /// What is computed for each case.
    pub definition: &'static str,
    /// The printed form it is compared with.
    pub printed: &'static str,
    /// The right form, when the printed one fails.
    pub correct: Option<&'static str>,
    /// The number of the erratum, when there is one.
    pub errata: Option<&'static str>,
    /// The verdict that the program expects.
    pub expected: Verdict,
    /// Compares the forms with the definition, case by case.
    pub derive: fn(&S) -> Result<Derivation>,
}

/// What deriving one claim gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// See [`Claim::id`].
    pub id: &'static str,
    /// See [`Claim::source`].
    pub source: &'static str,
    /// See [`Claim::statement`].
    pub statement: &'static str,
    /// What the cases say.
    pub verdict: Verdict,
    /// What was looked at, and what came of it, in a sentence or two.
    pub evidence: String,
    /// See [`Claim::errata`].
    pub errata: Option<&'static str>,
    /// See [`Claim::definition`].
    pub definition: &'static str,
    /// See [`Claim::printed`].
    pub printed: &'static str,
    /// See [`Claim::correct`].
    pub correct: Option<&'static str>,
    /// The first case in increasing size in which the printed form fails.
    pub counterexample: Option<String>,
    /// What was looked at.
    pub checked: Checked,
    /// What is worth knowing besides.
    pub note: String,
    /// Some of the numbers behind it.
    pub numbers: Numbers,
    /// Whether the verdict is the one the program expects.
    pub as_expected: bool,
}

/// The cases behind a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Which they are.
    pub range: String,
    /// How many comparisons were made with the printed form.
    pub cases: u64,
    /// How many of them fail.
    pub failures: u64,
    /// How many comparisons were made with the corrected form; all of them agree.
    pub cases_corrected: Option<u64>,
}

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
        self.claims.iter().filter(|finding| finding.verdict == verdict).count()
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
/// use meshwright::claims::{Verdict, audit};
/// let audit = audit(Some("lo1990"), 8, &["E1"], &mut |_| {})?;
/// let lemma = audit.claims.iter().find(|finding| finding.id == "lemma-3").expect("it is listed");
/// assert_eq!(lemma.verdict, Verdict::Corrected);
/// assert!(lemma.counterexample.as_ref().is_some_and(|words| words.starts_with("B(5), phase 1")));
/// # Ok::<(), meshwright::Error>(())
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
    Ok(Audit { format: 1, papers: names, n_max, claims })
}

impl<S> Claim<S> {
    /// What a claim is made from: one that is expected to hold.
    pub const HOLDS: Self = Self {
        id: "",
        source: "",
        statement: "",
        definition: "",
        printed: "",
        correct: None,
        errata: None,
        expected: Verdict::Holds,
        derive: |_| unreachable!("every claim has its own derivation"),
    };

    /// What a claim is made from: one that is expected to need a correction.
    pub const CORRECTED: Self = Self { expected: Verdict::Corrected, ..Self::HOLDS };

    /// What a claim is made from: one of which nothing like it is right.
    pub const REFUTED: Self = Self { expected: Verdict::Refuted, ..Self::HOLDS };

    /// Derives the claim and judges it.
    ///
    /// # Errors
    ///
    /// Any error of the numbers themselves.
    ///
    /// # Panics
    ///
    /// When nothing was compared, or a corrected form is stated and not checked: such a claim is not judged.
    pub fn find(&self, study: &S) -> Result<Finding> {
        let Derivation { printed, corrected, range, numbers, note } = (self.derive)(study)?;
        assert!(printed.cases() > 0, "{} is compared with something", self.id);
        assert_eq!(
            corrected.is_some(),
            self.correct.is_some(),
            "{}: a corrected form is stated and checked",
            self.id
        );
        let verdict = judge(&printed, corrected.as_ref());
        Ok(Finding {
            id: self.id,
            source: self.source,
            statement: self.statement,
            verdict,
            evidence: evidence(&range, &printed, corrected.as_ref()),
            errata: self.errata,
            definition: self.definition,
            printed: self.printed,
            correct: self.correct,
            counterexample: printed.first_failure().map(str::to_string),
            checked: Checked {
                range,
                cases: printed.cases(),
                failures: printed.failures(),
                cases_corrected: corrected.as_ref().map(Check::cases),
            },
            note,
            numbers,
            as_expected: verdict == self.expected,
        })
    }
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

/// The verdict that the cases give.
fn judge(printed: &Check, corrected: Option<&Check>) -> Verdict {
    match (printed.holds(), corrected) {
        (true, _) => Verdict::Holds,
        (false, Some(corrected)) if corrected.holds() && corrected.cases() > 0 => Verdict::Corrected,
        (false, _) => Verdict::Refuted,
    }
}

fn evidence(range: &str, printed: &Check, corrected: Option<&Check>) -> String {
    let outcome = match printed.failures() {
        0 => format!("all {} cases agree", printed.cases()),
        failures => format!("{failures} of {} cases disagree", printed.cases()),
    };
    let corrected = match corrected {
        Some(check) if check.holds() => format!("; with the corrected form all {} agree", check.cases()),
        Some(check) => format!(
            "; with the corrected form {} of {} still disagree: {}",
            check.failures(),
            check.cases(),
            check.first_failure().unwrap_or_default()
        ),
        None => String::new(),
    };
    format!("{range}: {outcome}{corrected}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(results: &[bool]) -> Check {
        let mut check = Check::default();
        results.iter().enumerate().for_each(|(i, &holds)| check.case(holds, || format!("case {i}")));
        check
    }

    #[test]
    fn a_verdict_follows_from_the_cases() {
        let (right, wrong) = (check(&[true, true]), check(&[true, false, false]));
        assert_eq!(judge(&right, None), Verdict::Holds);
        assert_eq!(judge(&wrong, None), Verdict::Refuted);
        assert_eq!(judge(&wrong, Some(&right)), Verdict::Corrected);
        assert_eq!(judge(&wrong, Some(&wrong)), Verdict::Refuted, "a correction must be right");
        assert_eq!(judge(&wrong, Some(&check(&[]))), Verdict::Refuted, "a correction must be checked");
        assert_eq!(wrong.first_failure(), Some("case 1"));
        let words = evidence("n = 1 to 3", &wrong, Some(&right));
        assert_eq!(words, "n = 1 to 3: 2 of 3 cases disagree; with the corrected form all 2 agree.");
    }

    #[test]
    fn a_verdict_that_differs_is_told() {
        let claim = |expected| Claim::<()> {
            id: "sum",
            source: "nowhere",
            statement: "1 + 1 = 3",
            definition: "",
            printed: "3",
            correct: None,
            errata: None,
            expected,
            derive: |()| {
                let mut check = Check::default();
                check.equal(&3, &(1 + 1), || "1 + 1".into());
                Ok(Derivation::of("one sum", check))
            },
        };
        assert!(claim(Verdict::Refuted).find(&()).unwrap().as_expected);
        let finding = claim(Verdict::Holds).find(&()).unwrap();
        assert!(!finding.as_expected);
        assert_eq!(finding.counterexample.as_deref(), Some("1 + 1: printed 3, in fact 2"));
    }
}
