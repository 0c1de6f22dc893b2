//! The place of an output: links followed, devices found out.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::system;
use crate::error::{Error, Result};

/// The most links that are followed one after the other, as on Linux.
const LINKS_MAX: usize = 40;

/// Where an output belongs.
pub(super) enum OutputPlace {
    /// A device or a pipe: the text is written into it.
    Device,
    /// A name in a folder, after all links; the file that stands there, if any.
    File { folder: PathBuf, name: OsString, old: Option<Box<Metadata>> },
}

/// The place of a single file, as a user named it.
///
/// A link is followed, and stays; a file where it points to is replaced, or comes into being.
pub(super) fn of_file(path: &Path) -> Result<OutputPlace> {
    let io = |error| Error::io(path, error);
    if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        return Ok(OutputPlace::Device);
    }
    let end = follow(path)?;
    let old = match fs::symlink_metadata(&end) {
        Ok(it) if it.is_file() => Some(Box::new(it)),
        Ok(_) => return Err(io(io::ErrorKind::IsADirectory.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(error)),
    };
    let name = end.file_name().ok_or_else(|| io(io::ErrorKind::InvalidInput.into()))?;
    let folder = parent(&end);
    if !folder.is_dir() {
        return Err(Error::io(folder, io::Error::new(io::ErrorKind::NotFound, "there is no such folder")));
    }
    Ok(OutputPlace::File { folder: fs::canonicalize(folder).map_err(io)?, name: name.to_os_string(), old })
}

/// The folder around a name.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What a path is when its last component is no link any more.
pub(super) fn follow(path: &Path) -> Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        let metadata = match fs::symlink_metadata(&at) {
            Ok(metadata) if metadata.is_symlink() => metadata,
            _ => return Ok(at),
        };
        if !system::is_trusted(&at, &metadata) {
            let expected = "no link of another user in a folder where everybody writes";
            return Err(Error::value("output", path.display(), expected));
        }
        let to = fs::read_link(&at).map_err(|error| Error::io(path, error))?;
        at = parent(&at).join(to);
    }
    Err(Error::value("output", path.display(), "a file, not links that lead in a circle"))
}
