//! Every command in README and book is run.
//!
//! Lines of `sh` blocks that begin with `meshwright` are run, page by page, each page in a folder of its own beside `examples/` and
//! `tests/data/`; a `text` block right after holds what the last of them prints. In a `console` block every `$` line is run and
//! what stands below it is what it prints. `…` alone on a line stands for any lines. `MESHWRIGHT_SNAPSHOTS=record` writes `text` blocks
//! anew: as many lines before and after the `…` as there were.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use super::{Block, Page, pages, root};
use crate::snapshots::{beside_examples, is_recording};

/// Commands that are not run: the page, how the line begins, why.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("docs/launching.md", "meshwright map binomial:4 --on slurm:", "within a job of Slurm"),
    ("docs/machines.md", "meshwright simulate --trace reads.csv", "a trace of the reader's own"),
    (
        "docs/simulation.md",
        "meshwright simulate allreduce.goal",
        "the schedule is written by an example, and half a minute",
    ),
];

/// A command and the lines shown below it.
struct Step {
    command: String,
    line: usize,
    shown: Vec<String>,
    /// Where these stand in the page, if they can be written anew.
    place: Option<Range<usize>>,
}

impl Step {
    fn new(command: &str, line: usize) -> Self {
        Self { command: command.to_string(), line, shown: vec![], place: None }
    }
}

/// Lines with those that end in `\` put together.
fn whole_lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    joined.lines().map(|line| line.trim_end().to_string()).collect()
}

/// What is run of a page, in order.
fn steps(page: &Page) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut from_shell = false;
    for Block { language, text, line, range, follows } in &page.blocks {
        match language.as_str() {
            "sh" => {
                let before = steps.len();
                let lines = whole_lines(text).into_iter().filter(|line| line.starts_with("meshwright "));
                steps.extend(lines.map(|command| Step::new(&command, *line)));
                from_shell = steps.len() > before;
            }
            "text" if *follows && from_shell => {
                let last = steps.last_mut().expect("there is one");
                last.shown = text.lines().map(str::to_string).collect();
                last.place = Some(range.clone());
                from_shell = false;
            }
            "console" => {
                for shown in whole_lines(text) {
                    match (shown.strip_prefix("$ "), steps.last_mut()) {
                        (Some(command), _) => steps.push(Step::new(command, *line)),
                        (None, Some(step)) => step.shown.push(shown),
                        (None, None) => panic!("{}: a command comes first", page.path.display()),
                    }
                }
                from_shell = false;
            }
            _ => from_shell = false,
        }
    }
    steps
}

/// Whether shown lines are the printed ones, where `…` stands for any.
fn agrees(shown: &[String], printed: &[String]) -> bool {
    let Some(dots) = shown.iter().position(|line| line.trim() == "…") else { return shown == printed };
    let (begin, rest) = (&shown[..dots], &shown[dots + 1..]);
    let after = printed.strip_prefix(begin);
    after.is_some_and(|after| (0..=after.len()).any(|from| agrees(rest, &after[from..])))
}

/// Runs one command as a shell does: its lines, or why it failed.
fn run(step: &Step, folder: &Path) -> Result<Vec<String>, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_meshwright"));
    let own = program.parent().expect("it is in a folder").display().to_string();
    let path = own + ":" + &std::env::var("PATH").unwrap_or_default();
    let command = step.command.split(" | ").next().expect("one part at least");
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env("MESHWRIGHT_PROGRESS_SECONDS", "0")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("a shell");
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(|line| line.trim_end().to_string()).collect())
}

/// What a page that shows these lines should show: as many before and after the `…`.
fn shortened(shown: &[String], printed: &[String]) -> String {
    let dots = shown.iter().position(|line| line.trim() == "…");
    let (before, after) = dots.map_or((printed.len(), 0), |at| (at, shown.len() - at - 1));
    let (before, after) = (before.min(printed.len()), after.min(printed.len()));
    let mut lines: Vec<&str> = printed[..before].iter().map(String::as_str).collect();
    if dots.is_some() {
        lines.push("…");
    }
    lines.extend(printed[printed.len() - after..].iter().map(String::as_str));
    lines.join("\n") + "\n"
}

/// Runs the commands of a page; what is wrong, and what is to be written where.
fn try_page(page: &Page) -> (Vec<String>, Vec<(Range<usize>, String)>) {
    let (mut wrong, mut written) = (Vec::new(), Vec::new());
    let folder = beside_examples();
    for step in steps(page).into_iter().filter(|step| !is_left_out(page, step)) {
        let place = format!("{}:{}: {}", page.path.display(), step.line, step.command);
        match run(&step, folder.path()) {
            Err(why) => wrong.push(format!("{place}\n{why}")),
            Ok(printed) if step.shown.is_empty() && step.place.is_none() || agrees(&step.shown, &printed) => {
            }
            Ok(printed) => match step.place.filter(|_| is_recording()) {
                Some(range) => written.push((range, shortened(&step.shown, &printed))),
                None => wrong.push(format!("{place} prints\n{}", printed.join("\n"))),
            },
        }
    }
    (wrong, written)
}

fn is_left_out(page: &Page, step: &Step) -> bool {
    NOT_RUN.iter().any(|(path, begin, _)| page.path == Path::new(path) && step.command.starts_with(begin))
}

#[test]
fn every_command_of_readme_and_book_runs() {
    let pages = pages();
    let tried: Vec<_> = pages.par_iter().map(|page| (page, try_page(page))).collect();
    let mut all = Vec::new();
    for (page, (wrong, written)) in tried {
        if !written.is_empty() {
            let mut text = crate::text(&page.path);
            written.iter().rev().for_each(|(range, shown)| text.replace_range(range.clone(), shown));
            std::fs::write(root().join(&page.path), text).expect("the repository can be written");
        }
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_is_not_run_is_still_there() {
    let pages = pages();
    for (path, begin, why) in NOT_RUN {
        let page = pages.iter().find(|page| page.path == Path::new(path)).expect("the page is there");
        let is_there = page.blocks.iter().any(|block| block.text.lines().any(|line| line.starts_with(begin)));
        assert!(is_there, "{path}: {begin} ({why})");
    }
}

/// TOML is TOML; a block with a machine and a job is a scenario.
#[test]
fn toml_blocks_are_read() {
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.language == "toml") {
            let place = format!("{}:{}", page.path.display(), block.line);
            if let Err(error) = block.text.parse::<toml::Table>() {
                panic!("{place}: {error}");
            }
            let has = |word: &str| block.text.contains(word);
            if has("topology") && ["[[divide]]", "[[load]]", "[[groups]]"].iter().any(|job| has(job)) {
                let file = beside_examples();
                let path = file.path().join("examples/block.toml");
                std::fs::write(&path, &block.text).expect("there is room");
                if let Err(error) = meshwright_formats::scenario::read(&path) {
                    panic!("{place}: {error}");
                }
            }
        }
    }
}

#[test]
fn dots_stand_for_any_lines() {
    let lines = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
    assert!(agrees(&lines("a … d"), &lines("a b c d")) && agrees(&lines("… b"), &lines("a b")));
    assert!(!agrees(&lines("a … d"), &lines("a b c")) && !agrees(&lines("a"), &lines("a b")));
}

/// No command hides in a block that is not run.
#[test]
fn commands_stand_in_blocks_that_are_run() {
    for page in pages() {
        if page.path.starts_with("docs/reference") {
            continue;
        }
        for block in page.blocks.iter().filter(|block| !["sh", "console"].contains(&block.language.as_str()))
        {
            let is_command =
                |line: &&str| line.starts_with("meshwright ") && !line.starts_with("meshwright = ");
            let command = block.text.lines().find(is_command);
            let is_listed = |command: &str| {
                NOT_RUN
                    .iter()
                    .any(|(path, begin, _)| page.path == Path::new(path) && command.starts_with(begin))
            };
            if let Some(command) = command.filter(|command| !is_listed(command)) {
                panic!("{}:{}: `{command}` stands in no block of `sh`", page.path.display(), block.line);
            }
        }
    }
}
