//! Placements named on the command line: methods of the program, and files.

use std::path::Path;

use meshwright::Result;
use meshwright::mapping::{Placement, map_file};
use meshwright::scenario::tasks;
use meshwright::topology::Machine;
use meshwright::verdict::Job;

/// What `--placement` says.
pub(super) struct Named {
    /// The names of methods and files.
    pub(super) names: Vec<String>,
}

impl Named {
    /// Refuses names that are neither methods nor files.
    pub(super) fn of(words: &[String]) -> Result<Self> {
        let (maps, words): (Vec<&str>, Vec<&str>) =
            words.iter().map(String::as_str).partition(|word| is_map(word));
        // No method is asked for where only files are.
        let mut names = if words.is_empty() { Vec::new() } else { tasks::placements(&words)? };
        for map in maps {
            if !names.iter().any(|name| name == map) {
                names.push(map.to_string());
            }
        }
        Ok(Self { names })
    }

    /// Reads the files into the job, each under its own name.
    pub(super) fn read_into(&self, job: &mut Job, machine: &Machine) -> Result<()> {
        for name in self.names.iter().filter(|name| is_map(name)) {
            let nodes = map_file::read(Path::new(name), job.tasks.tasks, machine)?;
            job.given.push(Placement { name: name.clone(), nodes });
        }
        Ok(())
    }
}

/// Whether a word is the name of a Scotch map.
fn is_map(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("map"))
}
