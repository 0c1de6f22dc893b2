//! The command line: parse, call, print.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
