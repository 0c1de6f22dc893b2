//! The functions of the Python package follow from the command line: `MESHWRIGHT_SNAPSHOTS=record` writes them anew.

use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};

use super::{CommandLine, grammar};

/// What has no function: what a shell needs.
const LEFT_OUT: [&str; 2] = ["completions", "man"];

/// Options of every verb that mean nothing to Python: answers are always JSON, in no colour.
const ALWAYS: [&str; 5] = ["json", "color", "help", "quiet", "units"];

/// Words of Python that no parameter can be.
const KEYWORDS: [&str; 5] = ["from", "in", "is", "lambda", "with"];

const HEAD: &str = r#""""The verbs of Meshwright as functions.

Made from the command line by a test (`MESHWRIGHT_SNAPSHOTS=record cargo test -p meshwright-cli python`); do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, Tuple

from ._convert import Coordinates, Job, Machine, Options, Path, Scalar, Table, Words
from ._result import Result, call

"#;

/// The annotation of a parameter.
fn kind(argument: &Arg) -> &'static str {
    let name = argument.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match name {
        "MACHINE" | "MACHINE.toml" => "Machine",
        "TASKS" => "Job",
        "SCHEDULE.goal" | "SCENARIO.toml" | "CLAIM.json" | "PLAN.json" | "PLAN.json|FILE.goal" => "Table",
        "FILE.csv" if argument.get_long() != Some("csv") => "Table",
        "TRACES" => "Table",
        _ if argument.get_long() == Some("hosts") => "Table",
        _ if takes::<PathBuf>(argument.get_value_parser()) => "Path",
        _ => match argument.get_action() {
            ArgAction::SetTrue | ArgAction::Count => "bool",
            _ if argument.get_num_args().is_some_and(|range| range.min_values() == 0) => "Scalar | bool",
            ArgAction::Append => "Options",
            _ if argument.get_value_delimiter().is_some() => "Words",
            _ if ["NODE", "NODES"].iter().any(|word| name.starts_with(word)) => "Coordinates",
            _ => "Scalar",
        },
    }
}

fn takes<T: 'static>(parser: &ValueParser) -> bool {
    parser.type_id() == std::any::TypeId::of::<T>()
}

/// Its name in Python.
fn parameter(argument: &Arg) -> String {
    let name = match argument.get_long() {
        Some(long) => long.replace('-', "_"),
        None => argument.get_id().as_str().to_string(),
    };
    if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name }
}

/// Its help, in one line.
fn help(argument: &Arg) -> String {
    let text = argument.get_long_help().or(argument.get_help()).map_or(String::new(), ToString::to_string);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as a word of Python within `"""`.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn is_shown(argument: &&Arg) -> bool {
    !argument.is_hide_set() && !ALWAYS.contains(&argument.get_id().as_str())
}

/// One function and its line of the table.
fn function(command: &Command) -> (String, String) {
    let name = command.get_name();
    let arguments: Vec<&Arg> = command.get_arguments().filter(is_shown).collect();
    let (places, options): (Vec<&Arg>, Vec<&Arg>) = arguments.iter().partition(|one| one.is_positional());
    let mut text = format!("def {name}(\n");
    let mut table = format!("    \"{name}\": {{\n");
    for (argument, is_first) in
        places.iter().map(|one| (one, false)).chain(options.iter().enumerate().map(|(i, one)| (one, i == 0)))
    {
        let (parameter, kind) = (parameter(argument), kind(argument));
        if is_first {
            text += "    *,\n";
        }
        let is_many = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
        _ = if argument.is_positional() && argument.is_required_set() {
            writeln!(text, "    {parameter}: {},", if is_many { "list[Table]" } else { kind })
        } else if kind == "bool" {
            writeln!(text, "    {parameter}: bool = False,")
        } else {
            writeln!(text, "    {parameter}: {kind} | None = None,")
        };
        let flag = argument.get_long().map_or(String::new(), |long| format!("--{long}"));
        let how = if is_many || matches!(argument.get_action(), ArgAction::Append) { "many" } else { "one" };
        _ = writeln!(table, "        \"{parameter}\": (\"{flag}\", \"{how}\"),");
    }
    let about = command.get_long_about().or(command.get_about()).map_or(String::new(), ToString::to_string);
    _ = write!(
        text,
        ") -> Result:\n    \"\"\"{}\n\n    Parameters\n    ----------\n",
        quoted(&about).replace('\n', "\n    ").replace("\n    \n", "\n\n")
    );
    for argument in places.iter().chain(&options) {
        _ = writeln!(text, "    {}\n        {}", parameter(argument), quoted(&help(argument)));
    }
    _ = write!(text, "    \"\"\"\n    return call(\"{name}\", _OPTIONS[\"{name}\"], locals())\n");
    (text, table + "    },\n")
}

/// The whole module.
fn module() -> String {
    let mut grammar = grammar::command::<CommandLine>();
    grammar.build();
    let has_json = |verb: &&Command| verb.get_arguments().any(|one| one.get_id() == "json");
    let verbs: Vec<&Command> = grammar
        .get_subcommands()
        .filter(|verb| !LEFT_OUT.contains(&verb.get_name()) && !verb.is_hide_set())
        .filter(has_json)
        .collect();
    let (functions, tables): (Vec<_>, Vec<_>) = verbs.iter().map(|verb| function(verb)).unzip();
    let names: Vec<String> = verbs.iter().map(|verb| format!("    \"{}\",\n", verb.get_name())).collect();
    format!(
        "{HEAD}\n{}\n\n# By verb and parameter: the option, and whether it may be repeated.\n\
         _OPTIONS: Dict[str, Dict[str, Tuple[str, str]]] = {{\n{}}}\n\n__all__ = [\n{}]\n",
        functions.join("\n\n"),
        tables.concat(),
        names.concat()
    )
}

mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the package is no output of the program")]
    fn functions_of_python_follow_from_the_command_line() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/meshwright/_verbs.py");
        let made = module();
        if std::env::var("MESHWRIGHT_SNAPSHOTS").is_ok_and(|value| value == "record") {
            std::fs::write(&path, &made).expect("the package is there");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let line = made.lines().zip(found.lines()).position(|(made, found)| made != found);
        assert!(
            made == found,
            "python/meshwright/_verbs.py is behind the command line, at line {}: MESHWRIGHT_SNAPSHOTS=record cargo test -p meshwright-cli python",
            line.map_or(0, |line| line + 1)
        );
    }
}
