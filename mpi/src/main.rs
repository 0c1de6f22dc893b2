//! The program `meshwright-mpi`: every rank runs it.

#[path = "../../src/allocator.rs"]
mod allocator;
mod cli;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    cli::run()
}
