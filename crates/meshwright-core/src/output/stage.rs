//! The folder in which outputs come into being, before any of them has its name.
//!
//! It stands beside where they belong, so that a rename brings them there; its name begins with a dot and nobody can guess
//! it; only we may look into it, so that nobody can plant a link. As long as its process lives, that process holds a lock:
//! what a dead one left behind is told from what a living one is at.
//!
//! | in it | what |
//! |---|---|
//! | `lock` | locked as long as the process lives |
//! | `new/` | files, whole and synced, under their later names |
//! | `old/` | what they replaced |
//! | `head` | in all stages of a set but the first: where that one is |
//! | `forward`, `back` | in the first stage: the journal, see [`journal`] |

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::journal::{self, Recovery};
use super::system::{self, Handle};

const PREFIX: &str = ".meshwright-";
const SUFFIX: &str = ".part";

const LOCK: &str = "lock";
const HEAD: &str = "head";
pub(super) const NEW: &str = "new";
pub(super) const OLD: &str = "old";

/// How often a new stage may be taken for a dead one before we give up.
const TRIES: usize = 16;

/// What is to be removed if the process ends now.
static UNDER_WAY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// While it is held, no signal ends the process.
pub(super) fn undisturbed() -> MutexGuard<'static, Vec<PathBuf>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that is under way; from now on nothing can be begun or finished. For the end of the process.
pub fn clean() {
    let paths = undisturbed();
    for path in paths.iter() {
        _ = if path.is_dir() { remove(path) } else { system::remove_file(path) };
    }
    std::mem::forget(paths);
}

/// A stage of our own; it is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Stage {
    /// Where the files belong.
    pub(super) folder: PathBuf,
    pub(super) path: PathBuf,
    /// Held, not used.
    _lock: File,
}

impl Stage {
    /// A stage beside what belongs into this folder; `head` is the first one of its set, if there is one.
    pub(super) fn new(folder: &Path, head: Option<&Self>) -> io::Result<Self> {
        for _ in 0..TRIES {
            let path = {
                let mut paths = undisturbed();
                let path = system::private_folder(folder, PREFIX, SUFFIX)?;
                paths.push(path.clone());
                path
            };
            match locked(&path) {
                // Somebody has taken it for a dead one.
                Err(error) if error.kind() == ErrorKind::NotFound => forget(&path),
                Err(error) => {
                    forget(&path);
                    return Err(error);
                }
                Ok(lock) => {
                    let stage = Self { folder: folder.to_path_buf(), path, _lock: lock };
                    return stage.furnish(head).map(|()| stage);
                }
            }
        }
        Err(io::Error::other("somebody else removes what is written here"))
    }

    fn furnish(&self, head: Option<&Self>) -> io::Result<()> {
        if let Some(head) = head {
            let text = serde_json::to_vec(head.path.as_os_str())?;
            let mut file = Handle::create(&self.path.join(HEAD))?;
            file.write_all(&text)?;
            file.sync()?;
        }
        system::make_folder(&self.path.join(NEW))?;
        system::make_folder(&self.path.join(OLD))
    }

    /// Where this file is before it has its name.
    pub(super) fn new_of(&self, name: &OsStr) -> PathBuf {
        self.path.join(NEW).join(name)
    }

    /// Leaves everything to the next run.
    pub(super) fn leave(mut self) {
        let path = std::mem::take(&mut self.path);
        undisturbed().retain(|other| *other != path);
    }
}

/// Finishes or removes what dead processes left in a folder; the stages there of others that live.
pub(super) fn heal(folder: &Path, own: Option<&Stage>) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut stages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let is_own = |path: &Path| own.is_some_and(|own| own.path == path);
    stages.retain(|path| path.file_name().is_some_and(is_stage) && !is_own(path));
    stages.sort_unstable();
    stages.retain(|stage| heal_one(stage) == Some(StageState::Alive));
    stages
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            forget(&self.path);
        }
    }
}

/// Removes a stage that is under way; what cannot be removed now is removed by the next run.
fn forget(path: &Path) {
    let mut paths = undisturbed();
    _ = remove(path);
    paths.retain(|other| other != path);
}

/// The lock of a stage that was just made.
fn locked(stage: &Path) -> io::Result<File> {
    let path = stage.join(LOCK);
    let file = Handle::create(&path)?.file;
    match file.lock() {
        Ok(()) => {}
        Err(error) if system::is_unknown(&error) => return Ok(file),
        Err(error) => return Err(error),
    }
    // Whoever cleaned up before we had the lock has removed the file.
    if system::is_same(&file.metadata()?, &fs::metadata(&path)?) {
        return Ok(file);
    }
    Err(ErrorKind::NotFound.into())
}

/// Whether this is the name of a stage.
pub(super) fn is_stage(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// Removes a stage: its journal first, after which nothing in it counts, and its lock last.
pub(super) fn remove(stage: &Path) -> io::Result<()> {
    for way in [Recovery::Forward, Recovery::Back] {
        missing_is_fine(system::remove_file(&stage.join(way.name())))?;
    }
    for folder in [NEW, OLD] {
        missing_is_fine(system::remove_folder(&stage.join(folder)))?;
    }
    for entry in fs::read_dir(stage)?.flatten().filter(|entry| entry.file_name() != LOCK) {
        system::remove_file(&entry.path())?;
    }
    missing_is_fine(system::remove_file(&stage.join(LOCK)))?;
    system::remove_empty_folder(stage)
}

pub(super) fn missing_is_fine(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// What is known of the process of a stage.
#[derive(PartialEq, Eq)]
enum StageState {
    Alive,
    Dead,
}

/// Finishes or removes what a dead process left; nothing if this file system cannot tell, or it is none of ours.
fn heal_one(stage: &Path) -> Option<StageState> {
    if !system::is_private(stage) {
        return None;
    }
    let _own = match claim(stage)? {
        Claim::Held => return Some(StageState::Alive),
        Claim::Ours(lock) => lock,
        Claim::None => {
            // Just made or nearly gone: there is nothing in it.
            _ = system::remove_empty_folder(stage);
            return Some(StageState::Dead);
        }
    };
    let text = fs::read(stage.join(HEAD)).ok();
    let head = text.and_then(|text| serde_json::from_slice::<OsString>(&text).ok()).map(PathBuf::from);
    let is_done = match head.filter(|head| system::is_private(head)) {
        Some(head) => match claim(&head)? {
            // Somebody else is at it.
            Claim::Held => false,
            Claim::Ours(_lock) => finish(&head),
            Claim::None => true,
        },
        None => finish(stage),
    };
    if is_done {
        _ = remove(stage);
    }
    Some(StageState::Dead)
}

/// Does what the journal of a dead process says, if it has one, and removes its stages; whether that came to its end.
fn finish(head: &Path) -> bool {
    for way in [Recovery::Forward, Recovery::Back] {
        let Some(journal) = journal::read(head, way) else { continue };
        let blocked = |error: &io::Error| BLOCKED.contains(&error.kind());
        let done = journal
            .go(way)
            .or_else(|error| if blocked(&error) { journal.go(Recovery::Back) } else { Err(error) });
        if done.is_err() || missing_is_fine(system::remove_file(&head.join(way.name()))).is_err() {
            return false;
        }
        journal.stages().filter(|stage| *stage != head).for_each(|stage| _ = remove(stage));
    }
    _ = remove(head);
    true
}

/// What is said where something else has come to stand where a file belongs.
const BLOCKED: [ErrorKind; 4] = [
    ErrorKind::DirectoryNotEmpty,
    ErrorKind::NotADirectory,
    ErrorKind::IsADirectory,
    ErrorKind::AlreadyExists,
];

/// The lock of a stage.
enum Claim {
    /// Somebody has it.
    Held,
    /// Nobody had it; we do now.
    Ours(File),
    /// There is none.
    None,
}

/// Tries to get the lock of a stage; nothing if this file system has no locks.
fn claim(stage: &Path) -> Option<Claim> {
    let Ok(file) = File::open(stage.join(LOCK)) else { return Some(Claim::None) };
    match file.try_lock() {
        Ok(()) => Some(Claim::Ours(file)),
        Err(TryLockError::WouldBlock) => Some(Claim::Held),
        Err(TryLockError::Error(_)) => None,
    }
}
