//! One statement of a paper, how it is derived again, and what came of it.

use serde::Serialize;

use super::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every case agrees with the printed form.
    Holds,
    /// The printed form fails in some case, the corrected form in none.
    Corrected,
    /// The printed form fails, and no form like it is right.
    Refuted,
    /// The paper does not say it: a statement of ours about the paper, no erratum. Every case agrees with it.
    Remark,
    /// The paper says it, and what it would be compared with is lost, or no case can decide it.
    NotCheckable,
    /// The paper names it as possible or as work to come, and this program does not have it.
    NotBuilt,
}

impl Verdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 6] =
        [Self::Holds, Self::Corrected, Self::Refuted, Self::Remark, Self::NotCheckable, Self::NotBuilt];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Corrected => "corrected",
            Self::Refuted => "refuted",
            Self::Remark => "remark",
            Self::NotCheckable => "not checkable",
            Self::NotBuilt => "not built",
        }
    }

    /// The word after a number of them.
    pub fn plural(self, count: usize) -> &'static str {
        match self {
            Self::Holds if count != 1 => "hold",
            Self::Remark if count != 1 => "remarks",
            _ => self.name(),
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Holds => "every case agrees with what is printed",
            Self::Corrected => "some case disagrees, and the right form agrees with all",
            Self::Refuted => "some case disagrees, and no form like it is right",
            Self::Remark => "not printed there: a statement of ours about it, with which every case agrees",
            Self::NotCheckable => "what it would be compared with is lost, or no case can decide it",
            Self::NotBuilt => "named there, and not in this program",
        }
    }

    /// Whether cases decide it; the others say why there is nothing to decide.
    fn is_decided(self) -> bool {
        !matches!(self, Self::NotCheckable | Self::NotBuilt)
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
    /// The printed form it is compared with; of a remark, our own words.
    pub printed: &'static str,
    /// What would have to be seen for the verdict to fall: a case against the printed form where it holds; where it does
    /// not, no such case, or one against the corrected form.
    pub fails_if: &'static str,
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
    /// See [`Claim::fails_if`].
    pub fails_if: &'static str,
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

impl<S> Claim<S> {
    /// What a claim is made from: one that is expected to hold.
    pub const HOLDS: Self = Self {
        id: "",
        source: "",
        statement: "",
        definition: "",
        printed: "",
        fails_if: "",
        correct: None,
        errata: None,
        expected: Verdict::Holds,
        derive: |_| unreachable!("every claim has its own derivation"),
    };

    /// What a claim is made from: one that is expected to need a correction.
    pub const CORRECTED: Self = Self { expected: Verdict::Corrected, ..Self::HOLDS };

    /// What a claim is made from: one of which nothing like it is right.
    pub const REFUTED: Self = Self { expected: Verdict::Refuted, ..Self::HOLDS };

    /// What a statement of ours is made from.
    pub const REMARK: Self = Self { expected: Verdict::Remark, ..Self::HOLDS };

    /// What a claim is made from that no case can decide.
    pub const NOT_CHECKABLE: Self = Self { expected: Verdict::NotCheckable, ..Self::HOLDS };

    /// What is made from that the paper names and the program does not have.
    pub const NOT_BUILT: Self = Self { expected: Verdict::NotBuilt, ..Self::HOLDS };

    /// Whether every claim says how it would fail: asked when the program is compiled.
    pub(super) const fn each_can_fail(sections: &[&[Self]]) -> bool {
        let (mut section, mut index) = (0, 0);
        while section < sections.len() {
            if index == sections[section].len() {
                (section, index) = (section + 1, 0);
            } else if sections[section][index].fails_if.is_empty() {
                return false;
            } else {
                index += 1;
            }
        }
        true
    }

    /// Whether the claim stands as expected; a derivation that breaks down does not.
    #[cfg(test)]
    pub(super) fn stands(&self, study: &S) -> bool {
        let find = || self.find(study).is_ok_and(|finding| finding.as_expected);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(find)).unwrap_or(false)
    }

    /// Derives the claim and judges it.
    ///
    /// # Errors
    ///
    /// Any error of the numbers themselves.
    ///
    /// # Panics
    ///
    /// When nothing was compared where cases decide, or a corrected form is stated and not checked: such a claim is
    /// not judged.
    pub fn find(&self, study: &S) -> Result<Finding> {
        let Derivation { printed, corrected, range, numbers, note } = (self.derive)(study)?;
        assert!(printed.cases() > 0 || !self.expected.is_decided(), "{} is compared with something", self.id);
        assert_eq!(
            corrected.is_some(),
            self.correct.is_some(),
            "{}: a corrected form is stated and checked",
            self.id
        );
        let verdict = judge(self.expected, &printed, corrected.as_ref());
        Ok(Finding {
            id: self.id,
            source: self.source,
            statement: self.statement,
            verdict,
            evidence: evidence(&range, &printed, corrected.as_ref()),
            errata: self.errata,
            definition: self.definition,
            printed: self.printed,
            fails_if: self.fails_if,
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
            as_expected: verdict == self.expected && (verdict.is_decided() || printed.holds()),
        })
    }
}

/// The verdict that the cases give. That a statement is ours, or that no case decides it, is known beforehand.
fn judge(expected: Verdict, printed: &Check, corrected: Option<&Check>) -> Verdict {
    match (printed.holds(), corrected) {
        _ if !expected.is_decided() => expected,
        (true, _) if expected == Verdict::Remark => Verdict::Remark,
        (true, _) => Verdict::Holds,
        (false, Some(corrected)) if corrected.holds() && corrected.cases() > 0 => Verdict::Corrected,
        (false, _) => Verdict::Refuted,
    }
}

fn evidence(range: &str, printed: &Check, corrected: Option<&Check>) -> String {
    let outcome = match printed.failures() {
        0 if printed.cases() == 0 => return format!("{range}."),
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
        let stated = |printed, corrected| judge(Verdict::Holds, printed, corrected);
        assert_eq!(stated(&right, None), Verdict::Holds);
        assert_eq!(stated(&wrong, None), Verdict::Refuted);
        assert_eq!(stated(&wrong, Some(&right)), Verdict::Corrected);
        assert_eq!(stated(&wrong, Some(&wrong)), Verdict::Refuted, "a correction must be right");
        assert_eq!(stated(&wrong, Some(&check(&[]))), Verdict::Refuted, "a correction must be checked");
        assert_eq!(wrong.first_failure(), Some("case 1"));
        let words = evidence("n = 1 to 3", &wrong, Some(&right));
        assert_eq!(words, "n = 1 to 3: 2 of 3 cases disagree; with the corrected form all 2 agree.");
    }

    #[test]
    fn a_remark_is_no_claim_of_the_paper_and_can_be_wrong() {
        let (right, wrong) = (check(&[true]), check(&[false]));
        assert_eq!(judge(Verdict::Remark, &right, None), Verdict::Remark);
        assert_eq!(judge(Verdict::Remark, &wrong, None), Verdict::Refuted);
        for expected in [Verdict::NotCheckable, Verdict::NotBuilt] {
            assert_eq!(judge(expected, &check(&[]), None), expected);
        }
        assert_eq!(evidence("the drawing is lost", &check(&[]), None), "the drawing is lost.");
        let strings: Vec<_> =
            Verdict::ALL.iter().map(|verdict| serde_json::to_string(verdict).unwrap()).collect();
        let kept = [r#""holds""#, r#""corrected""#, r#""refuted""#];
        assert_eq!(strings[..3], kept, "the strings scripts know");
        assert_eq!(strings[3..], [r#""remark""#, r#""not-checkable""#, r#""not-built""#]);
    }

    fn sum(expected: Verdict) -> Claim<()> {
        Claim {
            id: "sum",
            source: "nowhere",
            statement: "1 + 1 = 3",
            printed: "3",
            fails_if: "the sum is not 3",
            expected,
            derive: |()| {
                let mut check = Check::default();
                check.equal(&3, &(1 + 1), || "1 + 1".into());
                Ok(Derivation::of("one sum", check))
            },
            ..Claim::HOLDS
        }
    }

    #[test]
    fn a_verdict_that_differs_is_told() {
        assert!(sum(Verdict::Refuted).find(&()).unwrap().as_expected);
        for expected in [Verdict::Holds, Verdict::Remark, Verdict::NotCheckable, Verdict::NotBuilt] {
            let finding = sum(expected).find(&()).unwrap();
            assert!(!finding.as_expected, "{expected:?}");
            assert_eq!(finding.counterexample.as_deref(), Some("1 + 1: printed 3, in fact 2"));
        }
    }

    #[test]
    fn a_claim_that_does_not_say_how_it_would_fail_is_not_compiled() {
        assert!(Claim::each_can_fail(&[&[], &[sum(Verdict::Holds)]]));
        let silent = Claim { fails_if: "", ..sum(Verdict::Holds) };
        assert!(!Claim::each_can_fail(&[&[sum(Verdict::Holds)], &[sum(Verdict::Holds), silent]]));
    }
}
