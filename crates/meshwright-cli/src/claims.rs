//! `meshwright claims`.

use std::path::PathBuf;

use clap::Args;

use meshwright_core::output as disk;
use meshwright_core::{Error, Result};
use meshwright_papers as claims;
use meshwright_papers::{Audit, Finding, N_MAX, PAPERS, Verdict};

use super::csv::{self, Column, CsvFile, column_list, known};
use super::files::{self, Force, Png};
use super::output::{self, Progress};
use super::{Answer, table};

const HELP: &str = "\
Papers:
  lo1990       Lo, Rajopadhye, Telle, Zhong: Parallel Divide and Conquer on Meshes
  zhang2018    Zhang: Data Distribution Equivalence for Data Intensive Interconnection Networks
  chochia1996  Chochia, Cole, Heywood: Synchronizing Arbitrary Processor Groups in Dynamically
               Partitioned 2-D Meshes

Verdicts:
  holds          every case agrees with what is printed
  corrected      some case disagrees, and the right form agrees with all
  refuted        some case disagrees, and no form like it is right
  remark         not printed there: a statement of ours about it, with which every case agrees
  not checkable  what it would be compared with is lost, or no case can decide it
  not built      named there, and not in this program

Examples:
  meshwright claims lo1990
  meshwright claims lo1990 --only E1,theorem-4-wormhole --json
  meshwright claims lo1990 --out audit
  meshwright claims zhang2018 --only Z22,stop-together
  meshwright claims chochia1996 --only theorem-4

Exit codes:
  0  done; a claim that had to be corrected is no failure
  1  a verdict differs from the one the program expects
  2  unacceptable input; nothing is written";

/// Recompute the definitions, theorems and equations of a paper and report which hold
///
/// A claim holds, is corrected (the right form and the smallest counterexample are given) or is refuted; remarks are
/// ours, and what cannot be checked or is not built is named.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct ClaimsArguments {
    /// The paper [default: all there are]
    #[arg(value_name = "PAPER")]
    paper: Option<String>,
    /// Only these claims (lemma-3) or errata (E1), with commas between: in full, with their numbers
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// lo1990: build trees of up to 2^N tasks: from 8, where every counterexample is in sight, to 16 [default: 16]
    #[arg(long, value_name = "N")]
    n_max: Option<u32>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write report.html, claims.json and the figures of the paper into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb.
pub(super) fn run(arguments: &ClaimsArguments) -> Result<Answer> {
    let only: Vec<&str> = arguments.only.iter().map(String::as_str).collect();
    let named = disk::NamedJob::new("claims", [arguments.paper.as_deref().unwrap_or("all")]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    arguments.csv.check()?;
    if let (Some(_), Some(paper)) =
        (arguments.n_max, arguments.paper.as_deref().filter(|&paper| paper != "lo1990"))
    {
        return Err(Error::value(
            "--n-max",
            format!("of {paper}"),
            "the paper lo1990, which alone has binomial trees",
        ));
    }
    let mut progress = Progress::new();
    let n_max = arguments.n_max.unwrap_or(N_MAX);
    let audit = claims::audit(arguments.paper.as_deref(), n_max, &only, &mut |what| progress.tell(what))?;
    drop(progress);
    let of_folder = || {
        let mut all = arguments.png.with(meshwright_papers::page::claims_files(&audit));
        all.push(files::file("claims.json", "the same for scripts", output::json(&audit)));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, &named));
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| rows(&audit)))?;
    output::say(
        arguments.json.then(|| output::json(&audit)),
        || line(&audit),
        || text(&audit, !arguments.only.is_empty()) + &written,
    )?;
    Ok(if audit.is_as_expected() { Answer::Done } else { Answer::Negative })
}

/// The columns of an audit for programs.
pub(super) fn columns<'a>() -> Vec<Column<&'a Finding>> {
    column_list![
        "claim", "its name", |claim| claim.id.to_string();
        "source", "where it stands in the paper", |claim| claim.source.to_string();
        "verdict", "holds, corrected, refuted, remark, not checkable or not built", |claim| claim.verdict.name().to_string();
        "errata", "the number of the erratum; empty where there is none", |claim| known(claim.errata);
        "cases", "comparisons with the printed form", |claim| claim.checked.cases.to_string();
        "failures", "those that fail", |claim| claim.checked.failures.to_string();
        "cases_corrected", "comparisons with the corrected form, all of which agree; empty without one", |claim| known(claim.checked.cases_corrected);
        "counterexample", "the smallest case in which the printed form fails", |claim| known(claim.counterexample.as_ref());
        "statement", "what it says, in our words", |claim| claim.statement.to_string();
    ]
}

/// A row for each claim.
fn rows(audit: &Audit) -> String {
    csv::table(&[], &columns(), audit.claims.iter().map(|claim| (Vec::new(), claim)))
}

/// How many claims have which verdict.
fn line(audit: &Audit) -> String {
    let verdicts: Vec<String> =
        audit.counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.plural(*count))).collect();
    let verdicts = verdicts.join(", ");
    let trees = match audit.papers.contains(&"lo1990") {
        true => format!("; trees up to B({})", audit.n_max),
        false => String::new(),
    };
    format!("{} claims: {verdicts}{trees}", audit.claims.len())
}

/// The table, and what is wrong with the claims that do not hold; of claims asked for by name everything, with numbers.
fn text(audit: &Audit, in_full: bool) -> String {
    const HEAD: [&str; 4] = ["claim", "source", "verdict", "statement"];
    let mut text = String::new();
    for paper in PAPERS.iter().filter(|paper| audit.papers.contains(&paper.name)) {
        text += &format!("{}: {}\n", paper.name, paper.title);
    }
    let row = |finding: &Finding| {
        let errata = finding.errata.map_or(String::new(), |number| format!(" {number}"));
        vec![
            finding.id.to_string(),
            finding.source.to_string(),
            finding.verdict.name().to_string() + &errata,
            finding.statement.to_string(),
        ]
    };
    text += &table::table(&HEAD, HEAD.len(), audit.claims.iter().map(row).collect());
    text += &format!("{}\n", line(audit));
    for finding in audit.claims.iter().filter(|finding| in_full || finding.verdict != Verdict::Holds) {
        text += &details(finding, in_full);
    }
    for finding in audit.claims.iter().filter(|finding| !finding.as_expected) {
        text += &format!("\n{}: this verdict is not the one the program expects\n", finding.id);
    }
    text
}

/// A claim: printed form, right form and smallest counterexample if it needs them, evidence, numbers.
fn details(finding: &Finding, in_full: bool) -> String {
    let errata = finding.errata.map_or(String::new(), |number| format!("{number} · "));
    let mut text = format!("\n{errata}{} · {}\n", finding.source, finding.id);
    if in_full {
        text += &format!("  definition {}\n", finding.definition);
    }
    let whose = if finding.verdict == Verdict::Remark { "ours   " } else { "printed" };
    text += &format!("  {whose}    {}\n", finding.printed);
    if let Some(correct) = finding.correct {
        text += &format!("  correct    {correct}\n");
    }
    if let Some(counterexample) = &finding.counterexample {
        text += &format!("  smallest   {counterexample}\n");
    }
    text += &format!("  evidence   {}\n", finding.evidence);
    if in_full {
        text += &format!("  fails if   {}\n", finding.fails_if);
    }
    if !finding.note.is_empty() {
        text += &format!("  note       {}\n", finding.note);
    }
    if in_full && !finding.numbers.rows.is_empty() {
        text += &table::table(&finding.numbers.columns, 0, finding.numbers.rows.clone());
    }
    text
}
