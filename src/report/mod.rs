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
/// Where a device or a pipe stands, such as `/dev/null`, it stays, and the text is written into it.
///
/// # Errors
///
/// [`Error::Io`] with the path that was refused; temporary files are removed.
pub fn write_all<T: AsRef<[u8]>>(files: &[(PathBuf, T)]) -> Result<()> {
    let drafts: Vec<Draft> = files.iter().map(|(path, _)| Draft::of(path)).collect();
    let each = || files.iter().zip(&drafts);
    let write = |((path, text), draft): (&(PathBuf, T), &Draft)| {
        fs::write(&draft.part, text).map_err(|source| Error::io(path, source))
    };
    let place =
        |((path, _), draft): (&(PathBuf, T), &Draft)| draft.place().map_err(|source| Error::io(path, source));
    let placed = each().try_for_each(write).and_then(|()| each().try_for_each(place));
    if placed.is_err() {
        drafts.iter().for_each(Draft::remove);
    }
    placed
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
    let draft = Draft::of(path);
    let sync = |file: fs::File| if draft.is_direct() { Ok(()) } else { file.sync_all() };
    let written = fs::File::create(&draft.part)
        .and_then(|mut file| write(&mut file).and_then(|()| sync(file)))
        .and_then(|()| draft.place());
    written.map_err(|source| {
        draft.remove();
        Error::io(path, source)
    })
}

/// Makes sure that a file can be written here, before long work is done for it; `what` names it in the error.
///
/// # Errors
///
/// [`Error::Value`] where a folder stands or the folder around it is missing, [`Error::Io`] when the system refuses a file there.
///
/// # Examples
///
/// ```
/// use meshwright::report::check_place;
/// let folder = std::env::temp_dir();
/// assert!(check_place("OUT", &folder.join(format!("meshwright-doc-{}.txt", std::process::id()))).is_ok());
/// assert!(check_place("OUT", &folder).is_err());
/// ```
pub fn check_place(what: &'static str, path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || path.file_name().is_none() || !folder.is_dir() {
        return Err(Error::value(what, path.display(), "the name of a file in a folder that is there"));
    }
    let draft = Draft::of(path);
    let tried =
        if draft.is_direct() { Ok(()) } else { fs::File::create(&draft.part).map(|_| draft.remove()) };
    tried.map_err(|source| Error::io(path, source))
}

/// Where a text is written first, and where it belongs.
struct Draft {
    part: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// Beside what a link points to; a device or a pipe is written to directly.
    fn of(path: &Path) -> Self {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            return Self { part: path.to_path_buf(), target: path.to_path_buf() };
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        Self { part: beside(&target), target }
    }

    fn is_direct(&self) -> bool {
        self.part == self.target
    }

    fn place(&self) -> std::io::Result<()> {
        if self.is_direct() { Ok(()) } else { fs::rename(&self.part, &self.target) }
    }

    fn remove(&self) {
        if !self.is_direct() {
            // The first error is the one to report; a leftover that cannot be removed adds nothing to it.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// A name in the same directory that no other process writes to.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}
