//! The report: one HTML page with its drawings, complete in itself.
//!
//! | file | what |
//! |---|---|
//! | `page` | verdicts put into words and tables |
//! | `template` | pages made of templates |
//! | `facts` | the machine in a dozen facts |
//! | `drawings` | which drawings a method gets, with their captions |
//! | `files` | the files beside the page |
//! | `load` | the section of a divisible load |
//! | `groups` | the section of a program of groups |
//! | `history` | groups over time |
//! | `claims` | the page of an audited paper |
//! | `scatter` | timing of a load on ranks that ran |
//! | `sweep` | the page of a sweep |
//! | `results` | the points of a sweep, kept as they come |
//! | `style` | the style of the page, and of a drawing alone |
//! | `wording` | how numbers and nodes are written |
//! | `svg` | placement, link loads and bars as SVG |
//!
//! The page loads nothing: no script, no font, no picture. Its content policy forbids it, so a report that
//! is kept for ten years or opened behind a firewall looks the same.

mod claims;
mod drawings;
mod facts;
mod files;
mod groups;
mod history;
mod load;
mod page;
mod results;
mod scatter;
mod style;
mod svg;
mod sweep;
mod template;
mod wording;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub use claims::claims_files;
pub use files::{File, files, schedules};
pub use history::{GroupsOverTime, groups_files};
pub use page::page;
pub use results::Results;
pub use scatter::{scatter_files, scatter_gantt};
pub use sweep::{sweep_files, sweep_page};
pub use wording::grouped;

use crate::error::{Error, Result};
use crate::topology::Machine;
use crate::verdict::JobVerdict;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct PlanReport<'a> {
    /// The headline of the page.
    pub title: &'a str,
    /// The name of the scenario file; empty when the plan came from the command line.
    pub scenario: &'a str,
    /// What was planned for.
    pub machine: &'a Machine,
    /// The seed of every random choice.
    pub seed: u64,
    /// The verdicts, in the order of the page.
    pub jobs: &'a [JobVerdict],
}

/// Writes a file so that a reader sees the old text or the new one, never half of it.
///
/// The text goes to a temporary name in the same directory, which is then renamed: only there is a rename
/// sure not to cross file systems.
///
/// # Errors
///
/// [`Error::Io`] with the path as given; the temporary file is removed.
///
/// # Examples
///
/// ```
/// let path = std::env::temp_dir().join(format!("meshwright-doc-{}.html", std::process::id()));
/// meshwright::report::write_atomically(&path, "<p>done")?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "<p>done");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn write_atomically(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    write_all(&[(path.to_path_buf(), text)])
}

/// Writes several files; none of them appears before the text of all is on the disk.
///
/// # Errors
///
/// [`Error::Io`] with the path that was refused; temporary files are removed.
pub fn write_all<T: AsRef<[u8]>>(files: &[(PathBuf, T)]) -> Result<()> {
    let written = files
        .iter()
        .try_for_each(|(path, text)| fs::write(beside(path), text).map_err(|source| Error::io(path, source)));
    let renamed = written.and_then(|()| {
        let rename = |(path, _): &(PathBuf, T)| {
            fs::rename(beside(path), path).map_err(|source| Error::io(path, source))
        };
        files.iter().try_for_each(rename)
    });
    if renamed.is_err() {
        for (path, _) in files {
            // The first error is the one to report; a leftover that cannot be removed adds nothing to it.
            let _ = fs::remove_file(beside(path));
        }
    }
    renamed
}

/// Writes a file piece by piece; it has its name only when all of it is on the disk.
///
/// # Errors
///
/// [`Error::Io`] with the path that was refused; the temporary file is removed.
///
/// # Examples
///
/// ```
/// let path = std::env::temp_dir().join(format!("meshwright-doc-{}.bin", std::process::id()));
/// meshwright::report::write_streamed(&path, |file| (1..=3).try_for_each(|byte| file.write_all(&[byte])))?;
/// assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 3]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn write_streamed(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let part = beside(path);
    let written = fs::File::create(&part)
        .and_then(|mut file| write(&mut file).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|source| {
        // The first error is the one to report; a leftover that cannot be removed adds nothing to it.
        let _ = fs::remove_file(&part);
        Error::io(path, source)
    })
}

/// A name in the same directory that no other process writes to.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}
