//! The output layer: what stands on the disk, whatever happens.

mod alone;
mod faults;
mod folders;
mod signals;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

/// The program in a folder.
fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.current_dir(folder).args(line.split_whitespace());
    command.env_remove("MESHWRIGHT_FAULT").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs a command: exit code (none after a signal), standard error.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    told(&command(folder, line).output().expect("the program starts"))
}

fn told(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// It must succeed.
fn done(folder: &Path, line: &str) {
    assert_eq!(run(folder, line), (Some(0), String::new()), "{line}");
}

/// Everything below a folder that a user sees: files with their contents, folders with none; and how many stages there are.
fn seen(folder: &Path) -> (BTreeMap<String, Option<Vec<u8>>>, usize) {
    let (mut all, mut stages) = (BTreeMap::new(), 0);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if path.file_name().unwrap().to_string_lossy().starts_with(".meshwright-") {
                stages += 1;
            } else if path.is_dir() {
                all.insert(name, None);
                folders.push(path);
            } else {
                all.insert(name, std::fs::read(&path).ok());
            }
        }
    }
    (all, stages)
}
