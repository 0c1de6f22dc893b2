//! Everything that is written to the disk: whole or not at all, together or not at all, nothing of others.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Writing`]: the outputs of a command |
//! | `folder` | folders of `--out`: which [`NamedJob`] they hold |
//! | `place` | links, devices |
//! | `stage` | where outputs come into being; what dead processes left |
//! | `journal` | how a set of files gets its names |
//! | [`lines`] | a file that grows line by line and has one writer |
//! | `system` | the operations themselves |
//! | `fault` | faults on purpose, for tests |
//!
//! # What is promised
//!
//! * A file has its name only when it is whole and on the disk; a reader sees the old one or the new one.
//! * The files of one [`Writing`] appear together. If the system refuses any of them (a full disk, a missing right), none does,
//!   and nothing else has changed: no folder was made, no file replaced. A new folder appears with all its files, by one rename.
//! * Where a folder is there already, its files are renamed one by one. A signal that can be caught waits until all are. If the
//!   process is killed (SIGKILL, power) between two renames, some files are old and some new, each of them whole; the next
//!   run that writes into this folder first does the rest. Before the first rename and after the last one there is no such gap.
//! * What a killed process leaves is a hidden folder `.meshwright-….part`, which the next run that writes into the same folder
//!   removes. It touches none whose process lives, and none of other users. Where the file system has no locks (some network
//!   file systems), it cannot tell, and leaves them.
//! * A file that is replaced keeps its mode, and its owner and group where the system permits; not its other hard links,
//!   access lists and attributes.
//! * A link is followed: the file it points to is replaced or made, and the link stays. One of another user in a folder where
//!   everybody writes is refused. A device or a pipe is written into, before the files appear.
//! * What stands there is replaced only if it is empty or the same, or belongs to the same job, or somebody says so (`--force`).

#![expect(clippy::disallowed_methods, reason = "this is where files are written")]

mod fault;
mod folder;
mod journal;
pub mod lines;
mod place;
mod stage;
mod system;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

pub use folder::{MANIFEST, NamedJob};
pub use stage::clean;

use crate::error::{Error, Result};
use folder::Ground;
use journal::{Failed, Journal};
use place::OutputPlace;
use stage::Stage;
use system::Handle;

/// The outputs of a command, which appear together when it [finishes](Self::finish), or not at all.
///
/// # Examples
///
/// ```
/// use meshwright_core::output::{NamedJob, Writing};
/// # let place = tempfile::tempdir().unwrap();
/// # let place = place.path();
/// let job = NamedJob::new("map", ["binomial:6"]);
/// let write = |job: &NamedJob, text: &str, force: bool| {
///     let mut writing = Writing::new(force);
///     writing.folder(&place.join("plans"), job, &[("map.json", text.as_bytes())])?;
///     writing.file(&place.join("ranks.txt"), b"rank 0=node0 slot=0\n")?;
///     writing.finish()
/// };
/// write(&job, "{}", false)?;
/// // The same job may write again; another one may not, but if it is told to.
/// write(&job, "{\"format\":1}", false)?;
/// let other = NamedJob::new("map", ["binomial:8"]);
/// let error = write(&other, "{}", false).unwrap_err().to_string();
/// assert!(error.ends_with("plans` holds another job (`map binomial:6`); name another folder, or --force"), "{error}");
/// assert_eq!(std::fs::read(place.join("plans/map.json")).unwrap(), b"{\"format\":1}");
/// write(&other, "{}", true)?;
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Writing {
    force: bool,
    parts: Vec<StagedFile>,
}

/// What comes into being in one stage.
#[derive(Debug)]
struct StagedFile {
    stage: Stage,
    moves: Vec<OsString>,
    removes: Vec<OsString>,
    /// What a user calls the place, for errors.
    named: PathBuf,
}

impl Writing {
    /// Begins; `force`: what stands there is replaced, whatever it is.
    pub fn new(force: bool) -> Self {
        Self { force, parts: Vec::new() }
    }

    /// Adds all files of a folder, which is made if it is not there; [`MANIFEST`] comes beside them.
    ///
    /// # Errors
    ///
    /// [`Error::Occupied`] when the folder holds something else than this job, or one of the names something that its list
    /// does not name; [`Error::Value`] when it cannot be a folder; [`Error::Io`] when the system refuses.
    ///
    /// # Panics
    ///
    /// When a name is no name.
    pub fn folder(&mut self, path: &Path, job: &NamedJob, files: &[(&str, &[u8])]) -> Result<()> {
        let io = |error| Error::io(path, error);
        let mut names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        names.push(MANIFEST);
        assert!(
            names.iter().all(|name| Path::new(name).file_name() == Some(OsStr::new(name))),
            "names of files"
        );
        let manifest = folder::manifest(job, &names);
        let mut files = files.to_vec();
        files.push((MANIFEST, manifest.as_bytes()));
        // What a killed run left is finished first: it may decide what stands here.
        for around in path.ancestors().filter_map(|path| fs::canonicalize(named(path)).ok()) {
            stage::heal(&around, None);
        }
        let ground = folder::survey(path, job, self.force)?;
        let (Ground::There { folder, .. } | Ground::Missing { folder, .. }) = &ground;
        let index = self.part(folder, path)?;
        let part = &mut self.parts[index];
        match ground {
            Ground::Missing { way, .. } => {
                let first = way.iter().next().expect("it has a first component").to_os_string();
                let mut at = part.stage.new_of(OsStr::new(""));
                for name in way.iter() {
                    at.push(name);
                    system::make_folder(&at).map_err(io)?;
                }
                for (name, text) in files {
                    write(&mut Handle::create(&at.join(name)).map_err(io)?, text, None).map_err(io)?;
                }
                let made: Vec<&Path> = way.ancestors().filter(|way| !way.as_os_str().is_empty()).collect();
                let root = part.stage.new_of(OsStr::new(""));
                made.iter().try_for_each(|way| system::sync_folder(&root.join(way))).map_err(io)?;
                part.moves.push(first);
            }
            Ground::There { listed, .. } => {
                if !stage::heal(&part.stage.folder, Some(&part.stage)).is_empty() {
                    let expected = "a folder that no other run writes into at this moment";
                    return Err(Error::value("output folder", path.display(), expected));
                }
                for (name, text) in &files {
                    let old = fs::symlink_metadata(part.stage.folder.join(name)).ok();
                    let is_ours = self.force || listed.iter().any(|listed| listed == name);
                    part.add(&path.join(name), OsStr::new(name), old, is_ours, &mut |file| {
                        file.write_all(text)
                    })?;
                }
                let is_old = |name: &&String| !names.contains(&name.as_str());
                part.removes.extend(listed.iter().filter(is_old).map(OsString::from));
            }
        }
        Ok(())
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// [`Error::Occupied`] when something else stands there; [`Error::Io`] when the system refuses.
    pub fn file(&mut self, path: &Path, text: &[u8]) -> Result<()> {
        self.streamed(path, &mut |file| file.write_all(text))
    }

    /// Adds a file that is written piece by piece.
    ///
    /// # Errors
    ///
    /// As for [`file`](Self::file).
    pub fn streamed(
        &mut self,
        path: &Path,
        text: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        self.streamed_over(path, self.force, text)
    }

    /// Adds a file that may replace what is known to be ours.
    fn streamed_over(
        &mut self,
        path: &Path,
        is_ours: bool,
        text: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        match place::of_file(path)? {
            OutputPlace::Device => {
                let written = Handle::device(path).and_then(|mut file| text(&mut file));
                written.map_err(|error| Error::io(path, error))
            }
            OutputPlace::File { folder, name, .. } => {
                let index = self.part(&folder, path)?;
                stage::heal(&folder, Some(&self.parts[index].stage));
                let old = fs::symlink_metadata(folder.join(&name)).ok();
                self.parts[index].add(path, &name, old, is_ours, text)
            }
        }
    }

    /// The part of what belongs into this folder.
    fn part(&mut self, folder: &Path, named: &Path) -> Result<usize> {
        if let Some(known) = self.parts.iter().position(|part| part.stage.folder == folder) {
            return Ok(known);
        }
        let head = self.parts.first().map(|part| &part.stage);
        let stage = Stage::new(folder, head).map_err(|error| Error::io(named, error))?;
        self.parts.push(StagedFile {
            stage,
            moves: Vec::new(),
            removes: Vec::new(),
            named: named.to_path_buf(),
        });
        Ok(self.parts.len() - 1)
    }

    /// All that was added appears.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses; nothing has changed then. If the system refuses to undo what it did, the error
    /// says so, and the next run that writes there does it.
    pub fn finish(mut self) -> Result<()> {
        let mut journal = Journal::default();
        for part in &mut self.parts {
            let names = std::mem::take(&mut part.moves);
            journal.add(&part.stage, names, std::mem::take(&mut part.removes));
        }
        let Some(first) = self.parts.first() else { return Ok(()) };
        let undisturbed = stage::undisturbed();
        let done = journal.commit(&first.stage);
        drop(undisturbed);
        match done {
            Ok(()) => Ok(()),
            Err(Failed::Nothing(error)) => Err(Error::io(&first.named, error)),
            Err(Failed::Half(error)) => {
                let named = first.named.clone();
                self.parts.drain(..).for_each(|part| part.stage.leave());
                let error =
                    format!("{error}; this could not be undone, the next run that writes here does it");
                Err(Error::io(named, io::Error::other(error)))
            }
        }
    }
}

impl StagedFile {
    /// Writes a file that is to have this name, in place of the old one.
    fn add(
        &mut self,
        path: &Path,
        name: &OsStr,
        old: Option<Metadata>,
        is_ours: bool,
        text: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let io = |error| Error::io(path, error);
        if self.moves.iter().any(|other| other == name) {
            return Err(Error::value("output", path.display(), "a name of its own for each file"));
        }
        let staged = self.stage.new_of(name);
        let mut file = Handle::create(&staged).map_err(io)?;
        text(&mut file).and_then(|()| finished(&file, old.as_ref())).map_err(io)?;
        if let Some(old) = old.filter(|old| !is_ours && (!old.is_file() || old.len() > 0)) {
            let target = self.stage.folder.join(name);
            if !old.is_file() || !is_equal(&staged, &target).map_err(io)? {
                let holds = "something else".to_string();
                return Err(Error::Occupied { path: path.to_path_buf(), holds, kind: "file" });
            }
        }
        self.moves.push(name.to_os_string());
        Ok(())
    }
}

fn write(file: &mut Handle, text: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    file.write_all(text)?;
    finished(file, old)
}

fn finished(file: &Handle, old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old.filter(|old| old.is_file()) {
        file.like(old)?;
    }
    file.sync()
}

/// The empty path is here.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Whether two paths lead to one file that is there.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::metadata(a), fs::metadata(b)) else { return false };
    system::is_same(&one, &other) && (cfg!(unix) || fs::canonicalize(a).ok() == fs::canonicalize(b).ok())
}

/// Whether two files say the same.
fn is_equal(a: &Path, b: &Path) -> io::Result<bool> {
    let (a, b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (BufReader::with_capacity(1 << 16, a), BufReader::with_capacity(1 << 16, b));
    let (mut one, mut other) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let count = a.read(&mut one)?;
        if count == 0 {
            return Ok(true);
        }
        b.read_exact(&mut other[..count])?;
        if one[..count] != other[..count] {
            return Ok(false);
        }
    }
}

/// Writes a file so that a reader sees the old text or the new one, never half of it; whatever stands there is replaced.
///
/// # Errors
///
/// [`Error::Io`] with the path as given; nothing is left.
///
/// # Examples
///
/// ```
/// let path = std::env::temp_dir().join(format!("meshwright-doc-{}.html", std::process::id()));
/// meshwright_core::output::write_atomically(&path, "<p>done")?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "<p>done");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn write_atomically(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    write_all(&[(path.to_path_buf(), text)])
}

/// Writes several files, which appear together, or not at all; whatever stands there is replaced.
///
/// # Errors
///
/// [`Error::Io`] with the path that was refused; nothing is left.
pub fn write_all<T: AsRef<[u8]>>(files: &[(PathBuf, T)]) -> Result<()> {
    let mut writing = Writing::new(true);
    files.iter().try_for_each(|(path, text)| writing.file(path, text.as_ref()))?;
    writing.finish()
}

/// Makes sure that a job may write into a folder, before long work is done for it.
///
/// # Errors
///
/// As for [`Writing::folder`].
pub fn check_folder(path: &Path, job: &NamedJob, force: bool) -> Result<()> {
    let ground = folder::survey(path, job, force)?;
    let (Ground::There { folder, .. } | Ground::Missing { folder, .. }) = ground;
    Stage::new(&folder, None).map(drop).map_err(|error| Error::io(path, error))
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
/// use meshwright_core::output::check_place;
/// let folder = std::env::temp_dir();
/// assert!(check_place("OUT", &folder.join(format!("meshwright-doc-{}.txt", std::process::id()))).is_ok());
/// assert!(check_place("OUT", &folder).is_err());
/// ```
pub fn check_place(what: &'static str, path: &Path) -> Result<()> {
    let folder = place::parent(path);
    if path.is_dir() || path.file_name().is_none() || !folder.is_dir() {
        return Err(Error::value(what, path.display(), "the name of a file in a folder that is there"));
    }
    match place::of_file(path)? {
        OutputPlace::Device => Ok(()),
        OutputPlace::File { folder, .. } => {
            Stage::new(&folder, None).map(drop).map_err(|error| Error::io(path, error))
        }
    }
}
