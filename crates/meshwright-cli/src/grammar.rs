//! What all verbs have in common on the command line: old names of options, short ones, other spellings, the list of verbs.

use std::ffi::OsString;

use clap::{Arg, Command, Parser};

/// An old name of an option: it works, and no help names it.
struct Renamed {
    /// The program and its verb; a verb alone is that of both programs.
    verb: &'static str,
    /// The field of the option.
    option: &'static str,
    /// The old name.
    old: &'static str,
}

const fn renamed(verb: &'static str, option: &'static str, old: &'static str) -> Renamed {
    Renamed { verb, option, old }
}

/// Every old name of an option.
const RENAMED: &[Renamed] = &[
    renamed("simulate", "router", "preset"),
    renamed("sweep", "router", "preset"),
    renamed("split", "repeat", "rounds"),
    renamed("split", "random_sources", "random"),
    renamed("split", "source", "from"),
    renamed("split", "result_size", "results"),
    renamed("split", "message_startup", "startup"),
    renamed("meshwright groups", "levels", "random"),
    renamed("meshwright-mpi groups", "repeat", "splits"),
    renamed("scatter words", "method", "split"),
    renamed("scatter image", "method", "split"),
];

/// The short names, the same in every verb that has the option.
const SHORT: [(&str, char); 3] = [("out", 'o'), ("json", 'j'), ("seed", 's')];

/// The verbs that show what papers say, and what the library can do.
const DEMONSTRATIONS: [&str; 4] = ["claims", "sort", "divide", "scatter"];

/// Reads a command line.
///
/// # Errors
///
/// What clap says of it, help among it.
pub fn parse<C: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<C, clap::Error> {
    let mut command = command::<C>();
    let matches = command.try_get_matches_from_mut(arguments.into_iter().map(hyphenated))?;
    C::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The commands of a program, with what all have in common.
pub(super) fn command<C: Parser>() -> Command {
    let command = C::command();
    let path = command.get_name().to_string();
    with_verbs(completed(command, &path))
}

/// A command and those below it with other names of their options; `path` are the names that lead to it.
fn completed(command: Command, path: &str) -> Command {
    let mut command = command.mut_args(with_short);
    for renamed in RENAMED.iter().filter(|renamed| is_of(renamed, path)) {
        command = command.mut_arg(renamed.option, |option| option.alias(renamed.old));
    }
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        completed(below, &path)
    })
}

/// Whether an option belongs to the verb at the end of a path.
fn is_of(renamed: &Renamed, path: &str) -> bool {
    path.strip_suffix(renamed.verb).is_some_and(|before| before.is_empty() || before.ends_with(' '))
}

/// An option with its short name.
fn with_short(option: Arg) -> Arg {
    let Some(long) = option.get_long().map(str::to_string) else { return option };
    let short = SHORT.iter().find(|(name, _)| *name == long).map(|(_, short)| *short);
    if short.is_some() { option.short(short) } else { option }
}

/// The name of an option with hyphens where it has the underscores of keys in files.
fn hyphenated(argument: OsString) -> OsString {
    let Some(text) = argument.to_str().filter(|text| text.starts_with("--")) else { return argument };
    let end = text.find('=').unwrap_or(text.len());
    (text[..end].replace('_', "-") + &text[end..]).into()
}

/// The help of a program with many verbs: those of every day first.
fn with_verbs(command: Command) -> Command {
    let verbs: Vec<&Command> = command.get_subcommands().filter(|verb| !verb.is_hide_set()).collect();
    let is_demonstration = |verb: &&Command| DEMONSTRATIONS.contains(&verb.get_name());
    let (demonstrations, others): (Vec<&Command>, Vec<&Command>) =
        verbs.into_iter().partition(is_demonstration);
    if demonstrations.is_empty() || command.get_name() != "meshwright" {
        return command;
    }
    let style = command.get_styles().get_header();
    let head = |words: &str| format!("{style}{words}:{style:#}\n");
    let list = |verbs: &[&Command]| verbs.iter().map(|verb| line(verb)).collect::<String>();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{}{}\n{}{{options}}{{after-help}}",
        head("Verbs"),
        list(&others),
        head("Papers and demonstrations"),
        list(&demonstrations),
        head("Options")
    );
    command.help_template(template)
}

/// A verb in the list of verbs; its words go on below themselves.
fn line(verb: &Command) -> String {
    const NAME: usize = 12;
    const WIDTH: usize = super::HELP_WIDTH - NAME - 2;
    let about = verb.get_about().map_or(String::new(), ToString::to_string);
    let mut lines = vec![String::new()];
    for word in about.split_whitespace() {
        let last = lines.last_mut().expect("there is one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_string());
        } else {
            let gap = if last.is_empty() { "" } else { " " };
            *last += &format!("{gap}{word}");
        }
    }
    let names = std::iter::once(verb.get_name()).chain(std::iter::repeat(""));
    names.zip(&lines).map(|(name, words)| format!("  {name:NAME$}{words}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::CommandLine;
    use super::*;

    fn at<'c>(command: &'c Command, path: &str) -> &'c Command {
        let verbs = path.split(' ').filter(|word| !word.starts_with("meshwright"));
        verbs.fold(command, |command, verb| command.find_subcommand(verb).expect(verb))
    }

    /// Every old name is hidden and leads to the option that has taken its place; what is new stands in the help.
    #[test]
    fn old_names_lead_to_new_ones() {
        let mut command = command::<CommandLine>();
        command.build();
        for renamed in RENAMED.iter().filter(|renamed| !renamed.verb.starts_with("meshwright-mpi")) {
            let verb = at(&command, renamed.verb);
            let option = verb.get_arguments().find(|option| option.get_id() == renamed.option);
            let option = option.unwrap_or_else(|| panic!("{}: no {}", renamed.verb, renamed.option));
            assert!(option.get_all_aliases().unwrap_or_default().contains(&renamed.old), "{}", renamed.old);
            assert!(option.get_visible_aliases().unwrap_or_default().is_empty());
            assert_eq!(option.get_long(), Some(renamed.option.replace('_', "-").as_str()));
        }
    }

    /// The same short name is the same option in every verb, and every verb with a folder for its files has it.
    #[test]
    fn short_names_are_the_same_everywhere() {
        let mut command = command::<CommandLine>();
        command.build();
        for verb in command.get_subcommands() {
            for option in verb.get_arguments() {
                let expected = SHORT.iter().find(|(long, _)| option.get_long() == Some(long));
                if let Some((_, short)) = expected {
                    assert_eq!(option.get_short(), Some(*short), "{}", verb.get_name());
                }
            }
        }
        let line = |words: &str| parse::<CommandLine>(words.split(' ').map(OsString::from)).map(|_| ());
        line("meshwright map binomial:4 --on mesh:4x4 --combine_alpha 1/2 --byte_time 2 -j -s 3 -o out")
            .unwrap();
        line("meshwright map binomial:4 --on mesh:4x4 --combine-alpha 1/2").unwrap();
        line("meshwright split --on mesh:4x4 --from 0,0 --sigma 0.1 --results 0.5 --startup 1e-5").unwrap();
    }

    /// Every verb that runs something says with which code it ends.
    #[test]
    fn every_help_has_exit_codes() {
        let command = command::<CommandLine>();
        for verb in command.get_subcommands() {
            let after = verb.get_after_help().map_or(String::new(), ToString::to_string);
            assert!(after.contains("Exit codes:\n  0  "), "{}", verb.get_name());
        }
    }

    #[test]
    fn the_verbs_of_every_day_come_first() {
        let help = command::<CommandLine>().render_help().to_string();
        let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words} is missing: {help}"));
        let order = [
            "\n  map ",
            "\n  simulate ",
            "\n  sweep ",
            "\n  plan ",
            "Papers and demonstrations:",
            "Exit codes:",
        ];
        let places = order.map(at);
        assert!(places.is_sorted(), "{help}");
        assert!(DEMONSTRATIONS.iter().all(|verb| at(&format!("\n  {verb} ")) > places[4]));
        assert!(help.lines().all(|line| line.chars().count() <= super::super::HELP_WIDTH + 2), "{help}");
    }
}
