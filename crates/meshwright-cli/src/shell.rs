//! `meshwright completions` and `meshwright man`: what shells and `man` want to know of the command line.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use meshwright_core::output::Writing;
use meshwright_core::{Error, Result};

use super::files::Force;
use super::{Answer, CommandLine, grammar, output};

const COMPLETIONS: &str = "\
Examples:
  meshwright completions bash > ~/.local/share/bash-completion/completions/meshwright
  meshwright completions zsh > ~/.zfunc/_meshwright
  meshwright completions fish > ~/.config/fish/completions/meshwright.fish

Exit codes:
  0  done
  2  there is no shell of this name";

const MAN: &str = "\
Examples:
  meshwright man | man -l -
  meshwright man ~/.local/share/man/man1

Exit codes:
  0  done
  2  a page stands there that is another's; nothing is written";

/// Print what a shell needs to complete verbs and options
#[derive(Args)]
#[command(after_help = COMPLETIONS)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page, or write one for each verb
#[derive(Args)]
#[command(after_help = MAN)]
pub(super) struct ManArguments {
    /// The folder to write meshwright.1, meshwright-map.1 and so on into (without: the first is printed)
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb `completions`.
pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Answer> {
    let mut text = Vec::new();
    let mut command = grammar::command::<CommandLine>();
    let name = command.get_name().to_string();
    clap_complete::generate(arguments.shell, &mut command, name, &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Answer::Done)
}

/// Runs the verb `man`.
pub(super) fn man(arguments: &ManArguments) -> Result<Answer> {
    let pages = pages()?;
    let Some(folder) = &arguments.folder else {
        output::print(&pages[0].1)?;
        return Ok(Answer::Done);
    };
    let mut writing = Writing::new(arguments.force.force);
    for (name, text) in &pages {
        writing.file(&folder.join(name), text.as_bytes())?;
    }
    writing.finish()?;
    output::print(&format!("{} manual pages in {}\n", pages.len(), output::shown(folder)))?;
    Ok(Answer::Done)
}

/// The name and the text of the program's page, then of those of its verbs.
fn pages() -> Result<Vec<(String, String)>> {
    let mut command = grammar::command::<CommandLine>().disable_help_subcommand(true);
    command.build();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    std::iter::once(&command).chain(verbs).map(|command| page(command.clone())).collect()
}

fn page(command: clap::Command) -> Result<(String, String)> {
    let man = Man::new(command);
    let (name, mut text) = (man.get_filename(), Vec::new());
    man.render(&mut text).map_err(|error| Error::io(&name, error))?;
    Ok((name, String::from_utf8_lossy(&text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every verb has a page, and every page says what its verb is.
    #[test]
    fn every_verb_has_a_page() {
        let pages = pages().unwrap();
        let verbs = grammar::command::<CommandLine>().get_subcommands().count();
        assert_eq!(pages.len(), verbs + 1);
        for (name, text) in &pages {
            assert!(name.ends_with(".1") && text.contains(".SH SYNOPSIS"), "{name}");
        }
        assert!(pages.iter().any(|(name, text)| name == "meshwright-map.1" && text.contains("placement")));
    }

    /// Every shell completes every verb.
    #[test]
    fn every_shell_knows_every_verb() {
        for &shell in <Shell as clap::ValueEnum>::value_variants() {
            let (mut text, mut command) = (Vec::new(), grammar::command::<CommandLine>());
            clap_complete::generate(shell, &mut command, "meshwright", &mut text);
            let text = String::from_utf8(text).unwrap();
            for verb in command.get_subcommands() {
                assert!(text.contains(verb.get_name()), "{shell}: {}", verb.get_name());
            }
        }
    }
}
