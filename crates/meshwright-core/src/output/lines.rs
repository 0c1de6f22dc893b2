//! A file that grows line by line, synced after each, and has one writer.
//!
//! It appears with its first line, whole. Whoever has it open has it locked; a second writer is refused. Where the file
//! system has no locks, nothing is locked.

use std::fs::{self, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::place::{self, OutputPlace};
use super::stage::{self, Stage};
use super::system::{self, Handle};
use crate::error::{Error, Result};

/// How often the file may be replaced while it is opened.
const TRIES: usize = 16;

/// A file that is open for further lines, and locked.
///
/// # Examples
///
/// ```
/// use meshwright_core::output::lines::Lines;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("results.jsonl");
/// let (mut lines, text) = Lines::open(&path, "head", 1 << 20)?;
/// assert_eq!(text, b"head\n");
/// lines.append("one\n")?;
/// let error = Lines::open(&path, "head", 1 << 20).unwrap_err().to_string();
/// assert!(error.contains("another run"), "{error}");
/// drop(lines);
/// assert_eq!(Lines::open(&path, "head", 1 << 20)?.1, b"head\none\n");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    handle: Handle,
    /// We made it, and nothing but the head stands in it: its real path.
    fresh: Option<PathBuf>,
}

impl Lines {
    /// Opens a file, or makes it with this first line; what stands in it.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when it is no file, is longer than `bytes_max`, or another run has it open; [`Error::Io`] when the
    /// system refuses.
    pub fn open(path: &Path, head: &str, bytes_max: u64) -> Result<(Self, Vec<u8>)> {
        let io = |error| Error::io(path, error);
        for _ in 0..TRIES {
            let OutputPlace::File { folder, name, old } = place::of_file(path)? else {
                return Err(Error::value("results", path.display(), "a file, not a device or a pipe"));
            };
            let real = folder.join(&name);
            stage::heal(&folder, None);
            if old.is_none() && !real.exists() {
                if let Some(lines) = Self::make(path, &folder, &name, head)? {
                    return Ok((lines, format!("{head}\n").into_bytes()));
                }
                continue;
            }
            let handle = Handle::append(&real).map_err(io)?;
            match handle.file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    let expected = "a file that no other run has open: another run writes into it now";
                    return Err(Error::value("results", path.display(), expected));
                }
                Err(TryLockError::Error(error)) if !system::is_unknown(&error) => return Err(io(error)),
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            let own = handle.file.metadata().map_err(io)?;
            // A run that has ended meanwhile has put its lines in order, in a new file.
            if !fs::metadata(&real).is_ok_and(|now| system::is_same(&own, &now)) {
                continue;
            }
            let mut text = Vec::new();
            (&handle.file).take(bytes_max + 1).read_to_end(&mut text).map_err(io)?;
            if text.len() as u64 > bytes_max {
                return Err(Error::value(
                    "results",
                    path.display(),
                    format!("a file of at most {bytes_max} bytes"),
                ));
            }
            return Ok((Self { path: path.to_path_buf(), handle, fresh: None }, text));
        }
        Err(io(io::Error::other("other runs replace this file again and again")))
    }

    /// Makes the file, locked; nothing if somebody else was faster.
    fn make(path: &Path, folder: &Path, name: &std::ffi::OsStr, head: &str) -> Result<Option<Self>> {
        let io = |error| Error::io(path, error);
        let stage = Stage::new(folder, None).map_err(io)?;
        let staged = stage.new_of(name);
        let mut handle = Handle::create(&staged).map_err(io)?;
        match handle.file.try_lock() {
            Err(TryLockError::Error(error)) if !system::is_unknown(&error) => return Err(io(error)),
            _ => {}
        }
        handle.write_all(format!("{head}\n").as_bytes()).and_then(|()| handle.sync()).map_err(io)?;
        let real = folder.join(name);
        let mut paths = stage::undisturbed();
        let appeared = match system::link(&staged, &real) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) if system::is_unknown(&error) => system::rename(&staged, &real),
            done => done,
        };
        appeared.map_err(io)?;
        paths.push(real.clone());
        drop(paths);
        let mut lines = Self { path: path.to_path_buf(), handle, fresh: Some(real) };
        lines.handle.renamed(path);
        system::sync_folder(folder).map_err(io)?;
        Ok(Some(lines))
    }

    /// Forgets all but the first so many bytes, and writes a line behind them; when this returns it is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses.
    pub fn continue_at(&mut self, bytes: u64, line: &str) -> Result<()> {
        self.handle.cut(bytes).map_err(|error| Error::io(&self.path, error))?;
        self.append(line)
    }

    /// Writes a line; when this returns it is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses.
    pub fn append(&mut self, line: &str) -> Result<()> {
        let written = self.handle.write_all(line.as_bytes()).and_then(|()| self.handle.sync());
        written.map_err(|error| Error::io(&self.path, error))?;
        self.keep();
        Ok(())
    }

    /// Something stands in it now.
    fn keep(&mut self) {
        if let Some(real) = self.fresh.take() {
            stage::undisturbed().retain(|path| *path != real);
        }
    }
}

impl Drop for Lines {
    /// A file that we made and that has nothing but its head is no result of anything.
    fn drop(&mut self) {
        if let Some(real) = self.fresh.take() {
            let mut paths = stage::undisturbed();
            _ = system::remove_file(&real);
            paths.retain(|path| *path != real);
        }
    }
}
