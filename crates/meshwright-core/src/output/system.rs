//! Calls of the operating system: the only place of the program that makes, writes, renames or removes files.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::fault::at;

fn nothing() {}

/// A file under way.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) file: File,
    path: PathBuf,
}

impl Handle {
    /// A new file; whatever stands there already, be it a link, is an error.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        at("create", path, nothing)?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// A device or a pipe that is there.
    pub(super) fn device(path: &Path) -> io::Result<Self> {
        at("open", path, nothing)?;
        Ok(Self { file: OpenOptions::new().write(true).open(path)?, path: path.to_path_buf() })
    }

    /// A file that is there, to be read and to grow.
    pub(super) fn append(path: &Path) -> io::Result<Self> {
        at("open", path, nothing)?;
        Ok(Self { file: OpenOptions::new().read(true).append(true).open(path)?, path: path.to_path_buf() })
    }

    /// It has this name now.
    pub(super) fn renamed(&mut self, path: &Path) {
        self.path = path.to_path_buf();
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        at("sync", &self.path, nothing)?;
        self.file.sync_all()
    }

    /// Forgets what stands behind this length.
    pub(super) fn cut(&self, length: u64) -> io::Result<()> {
        at("cut", &self.path, nothing)?;
        self.file.set_len(length)
    }

    /// Gives the file the owner, the group and the mode of the one that it is to replace, as far as the system permits.
    ///
    /// Without the group, the rights of the group become those of everybody: nobody may read what he could not read before.
    #[cfg(unix)]
    pub(super) fn like(&self, other: &Metadata) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let own = self.file.metadata()?;
        if own.uid() != other.uid() {
            _ = fchown(&self.file, Some(other.uid()), None);
        }
        let mut mode = other.mode() & 0o777;
        if own.gid() != other.gid() && fchown(&self.file, None, Some(other.gid())).is_err() {
            mode &= !0o070 | (mode & 0o007) << 3;
        }
        if own.mode() & 0o7777 != mode {
            at("mode", &self.path, nothing)?;
            self.file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    }

    /// The same where files have no owners.
    #[cfg(not(unix))]
    pub(super) fn like(&self, _other: &Metadata) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        at("write", &self.path, || _ = (&self.file).write_all(&bytes[..bytes.len() / 2]))?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A new folder with a name that nobody knows before, into which nobody else looks.
pub(super) fn private_folder(folder: &Path, prefix: &str, suffix: &str) -> io::Result<PathBuf> {
    at("make folder", folder, nothing)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(folder)?.keep())
}

/// A new folder.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    at("make folder", path, nothing)?;
    fs::create_dir(path)
}

/// Gives a file or folder another name; a file of that name is replaced.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    at("rename", to, nothing)?;
    fs::rename(from, to)
}

/// A second name for a file.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    at("link", to, nothing)?;
    fs::hard_link(from, to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    at("remove", path, nothing)?;
    fs::remove_file(path)
}

/// Removes a folder and all in it; links are removed, not followed.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    at("remove folder", path, nothing)?;
    fs::remove_dir_all(path)
}

/// Removes a folder with nothing in it.
pub(super) fn remove_empty_folder(path: &Path) -> io::Result<()> {
    at("remove folder", path, nothing)?;
    fs::remove_dir(path)
}

/// Waits until the names in a folder are on the disk; where folders cannot be synced, the system does so by itself.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    at("sync folder", path, nothing)?;
    let Ok(folder) = File::open(path) else { return Ok(()) };
    match folder.sync_all() {
        Err(error) if is_unknown(&error) => Ok(()),
        done => done,
    }
}

/// Whether an error says that this file system cannot do such a thing at all.
pub(super) fn is_unknown(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Whether these are the same file.
#[cfg(unix)]
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// The same where files have no numbers.
#[cfg(not(unix))]
pub(super) fn is_same(_a: &Metadata, _b: &Metadata) -> bool {
    true
}

/// Whether this is a folder of ours into which nobody else could put anything.
#[cfg(unix)]
pub(super) fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|it| it.is_dir() && it.uid() == own && it.mode() & 0o077 == 0)
}

/// The same where folders have no owners.
#[cfg(not(unix))]
pub(super) fn is_private(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_dir())
}

/// Whether a link may be followed: in a folder where everybody may put links, only our own and those of the folder's owner.
#[cfg(unix)]
pub(super) fn is_trusted(link: &Path, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let folder = link.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = fs::metadata(folder) else { return false };
    let is_shared = folder.mode() & 0o002 != 0;
    let own = rustix::process::geteuid().as_raw();
    !is_shared || metadata.uid() == own || metadata.uid() == folder.uid()
}

/// The same where links have no owners.
#[cfg(not(unix))]
pub(super) fn is_trusted(_link: &Path, _metadata: &Metadata) -> bool {
    true
}
