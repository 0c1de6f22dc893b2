//! The pages of the command line: one for each verb, from its grammar.

use std::fmt::Write;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Arg, Command};

use super::reference::{WRITTEN, hold};
use super::root;
use crate::snapshots::is_recording;

/// Text that Markdown takes as it stands.
fn plain(text: &str) -> String {
    let text = text.replace('<', "&lt;").replace('*', "\\*");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A paragraph that ends with a full stop.
fn sentence(text: &str) -> String {
    let text = plain(text);
    if text.ends_with('.') { text } else { text + "." }
}

fn help(short: Option<&StyledStr>, long: Option<&StyledStr>) -> String {
    plain(&long.or(short).map(ToString::to_string).unwrap_or_default())
}

/// `-o, --out <DIR>`, or `<TASKS>` of one that stands by itself.
fn spelling(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default().iter();
    let values: Vec<_> = names.map(|name| format!("<{name}>")).collect();
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|word| format!("--{word}"));
    let options: Vec<_> = short.into_iter().chain(long).collect();
    let values = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
    format!("{} {values}", options.join(", ")).trim().to_string()
}

fn write_argument(page: &mut String, argument: &Arg) {
    let mut about = help(argument.get_help(), argument.get_long_help());
    let is_followed = !argument.get_possible_values().is_empty() || !argument.get_default_values().is_empty();
    if argument.get_action().takes_values() && is_followed && !about.ends_with(['.', ']']) {
        about.push('.');
    }
    let _ = write!(page, "- `{}`: {about}", spelling(argument));
    let possible: Vec<_> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if argument.get_action().takes_values() && !possible.is_empty() {
        let _ = write!(page, " One of {}.", possible.join(", "));
    }
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.display().to_string()).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(page, " Default: `{}`.", defaults.join(" "));
    }
    page.push('\n');
}

/// A verb, and those below it.
fn write_verb(page: &mut String, name: &str, verb: &Command) {
    let mut verb = verb.clone().disable_help_flag(true);
    let about = verb.get_long_about().or(verb.get_about()).map(ToString::to_string).unwrap_or_default();
    let about: Vec<_> = about.split("\n\n").map(sentence).collect();
    let usage = verb.render_usage().to_string();
    let _ =
        writeln!(page, "{}\n\n```text\n{}\n```", about.join("\n\n"), usage.replacen("Usage: ", "", 1).trim());
    let shown: Vec<_> =
        verb.get_arguments().filter(|one| !one.is_hide_set() && one.get_id() != "help").collect();
    let (alone, options): (Vec<&Arg>, Vec<&Arg>) = shown.into_iter().partition(|one| one.is_positional());
    for (heading, arguments) in [("Arguments", alone), ("Options", options)] {
        if !arguments.is_empty() {
            let _ = writeln!(page, "\n**{heading}**\n");
        }
        let mut part = None;
        for argument in arguments {
            if argument.get_help_heading() != part {
                part = argument.get_help_heading();
                let _ = writeln!(page, "\n*{}*\n", part.unwrap_or("Others"));
            }
            write_argument(page, argument);
        }
    }
    let after = verb.get_after_long_help().or(verb.get_after_help());
    if let Some(after) = after {
        let _ = writeln!(page, "\n```text\n{}\n```", after.to_string().trim());
    }
    for below in verb.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        let name = format!("{name} {}", below.get_name());
        let _ = writeln!(page, "\n## `{name}`\n");
        write_verb(page, &name, below);
    }
}

const CONTENTS: &str = "docs/SUMMARY.md";

/// The lines of the contents that name verbs are replaced by these.
fn hold_contents(verbs: &[String]) {
    let contents = crate::text(Path::new(CONTENTS));
    let line = |verb: &String| format!("    - [meshwright {verb}](reference/verbs/{verb}.md)\n");
    let mut wanted = String::new();
    for old in contents.lines().filter(|line| !line.contains("](reference/verbs/")) {
        wanted += &format!("{old}\n");
        if old.contains("](reference/command-line.md)") {
            wanted.extend(verbs.iter().map(line));
        }
    }
    if is_recording() {
        std::fs::write(root().join(CONTENTS), wanted).expect("the repository can be written");
    } else {
        assert!(contents == wanted, "{CONTENTS} names other verbs: MESHWRIGHT_SNAPSHOTS=record writes it");
    }
}

#[test]
fn every_verb_has_its_page() {
    let mut program = meshwright_cli::command_line().disable_help_subcommand(true);
    program.build();
    let mut top = format!("# Command line\n\n{WRITTEN}\n\n| verb | what it does |\n|---|---|\n");
    let mut names = Vec::new();
    for verb in program.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let name = verb.get_name().to_string();
        let about = help(verb.get_about(), None);
        let _ = writeln!(top, "| [`meshwright {name}`](verbs/{name}.md) | {about} |");
        let mut page = format!("# meshwright {name}\n\n");
        write_verb(&mut page, &format!("meshwright {name}"), verb);
        hold(&format!("reference/verbs/{name}.md"), &page);
        names.push(name);
    }
    if let Some(after) = program.get_after_long_help().or(program.get_after_help()) {
        let _ = writeln!(top, "\n```text\n{}\n```", after.to_string().trim());
    }
    hold("reference/command-line.md", &top);
    hold_contents(&names);
}
