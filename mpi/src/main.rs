//! The program `meshwright-mpi`: every rank runs it.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
