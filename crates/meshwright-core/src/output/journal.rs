//! The journal by which a set of files gets its names: all of them or none, whenever the process ends.
//!
//! When all files are whole and on the disk, in stages beside where they belong, a *journal* says what is to be renamed; it
//! lies in the first stage. Then the renames follow, one by one. What is replaced or removed keeps a second name in `old/`
//! until all is done. If the system refuses one of them, the journal is turned, from `forward` to `back`, and all go back.
//!
//! | the process is killed | what is seen | what the next run that writes there does |
//! |---|---|---|
//! | before the journal is there | all old | removes the stages |
//! | between two renames | some old, some new, each whole | does the rest: all new |
//! | on the way back | some old, some new, each whole | goes back to the end: all old |
//! | later | all new | removes the stages |

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::parent;
use super::stage::{NEW, OLD, Stage, missing_is_fine};
use super::system::{self, Handle};

/// Where a journal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    Forward,
    Back,
}

impl Recovery {
    /// The name of the journal.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
        }
    }
}

/// What is to be renamed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    parts: Vec<StagedName>,
}

/// What one stage holds.
#[derive(Debug, Serialize, Deserialize)]
struct StagedName {
    stage: OsString,
    /// Files and folders that get their names.
    moves: Vec<OsString>,
    /// Files that lose theirs.
    removes: Vec<OsString>,
}

impl StagedName {
    fn path(&self, folder: &str, name: &OsStr) -> PathBuf {
        Path::new(&self.stage).join(folder).join(name)
    }

    fn target(&self, name: &OsStr) -> PathBuf {
        parent(Path::new(&self.stage)).join(name)
    }
}

/// The journal of a stage.
pub(super) fn read(stage: &Path, way: Recovery) -> Option<Journal> {
    let journal: Journal = serde_json::from_slice(&fs::read(stage.join(way.name())).ok()?).ok()?;
    // Names are names, not ways to somewhere else.
    let is_name = |name: &OsString| Path::new(name).file_name() == Some(name.as_os_str());
    let names = |part: &StagedName| part.moves.iter().chain(&part.removes).all(is_name);
    journal
        .parts
        .iter()
        .all(|part| names(part) && system::is_private(Path::new(&part.stage)))
        .then_some(journal)
}

impl Journal {
    /// What this stage holds is to be moved, and these files removed.
    pub(super) fn add(&mut self, stage: &Stage, moves: Vec<OsString>, removes: Vec<OsString>) {
        self.parts.push(StagedName { stage: stage.path.as_os_str().to_os_string(), moves, removes });
    }

    /// All stages.
    pub(super) fn stages(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(|part| Path::new(&part.stage))
    }

    /// All files get their names, or none does; the first stage keeps the journal.
    ///
    /// # Errors
    ///
    /// [`Failed::Nothing`]: nothing has changed; [`Failed::Half`]: the way back was refused, too, and the next run has to go it.
    pub(super) fn commit(&self, head: &Stage) -> Result<(), Failed> {
        let journal = head.path.join(Recovery::Forward.name());
        self.write(head, &journal).map_err(Failed::Nothing)?;
        let Err(error) = system::sync_folder(&head.path).and_then(|()| self.go(Recovery::Forward)) else {
            // From here on nothing can fail that a user would see.
            _ = system::remove_file(&journal);
            return Ok(());
        };
        let turned = head.path.join(Recovery::Back.name());
        // If it cannot be turned and we are killed, the next run goes forward: that is as good.
        let turned = system::rename(&journal, &turned).map_or(journal, |()| turned);
        let back = self.go(Recovery::Back).and_then(|()| system::remove_file(&turned));
        Err(if back.is_ok() { Failed::Nothing(error) } else { Failed::Half(error) })
    }

    fn write(&self, head: &Stage, journal: &Path) -> io::Result<()> {
        let draft = head.path.join("journal");
        let mut file = Handle::create(&draft)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync()?;
        self.stages().try_for_each(|stage| system::sync_folder(&stage.join(NEW)))?;
        system::rename(&draft, journal)
    }

    /// Goes one way to its end; what has been done already is not done again.
    pub(super) fn go(&self, way: Recovery) -> io::Result<()> {
        for part in &self.parts {
            match way {
                Recovery::Forward => part.forward()?,
                Recovery::Back => part.back()?,
            }
            system::sync_folder(parent(Path::new(&part.stage)))?;
        }
        Ok(())
    }
}

impl StagedName {
    fn forward(&self) -> io::Result<()> {
        for name in &self.removes {
            let (target, old) = (self.target(name), self.path(OLD, name));
            if target.symlink_metadata().is_ok() && old.symlink_metadata().is_err() {
                system::rename(&target, &old)?;
            }
        }
        for name in &self.moves {
            let (target, old, new) = (self.target(name), self.path(OLD, name), self.path(NEW, name));
            if new.symlink_metadata().is_err() {
                continue;
            }
            if target.is_file() && old.symlink_metadata().is_err() {
                // Not every file system has second names.
                system::link(&target, &old).or_else(|_| system::rename(&target, &old))?;
            }
            system::rename(&new, &target)?;
        }
        Ok(())
    }

    /// Keeps what is new in `new/`, so that from wherever this stops both ways can be gone.
    fn back(&self) -> io::Result<()> {
        for name in &self.moves {
            let (target, old, new) = (self.target(name), self.path(OLD, name), self.path(NEW, name));
            let replaced = old.symlink_metadata().is_ok();
            if new.symlink_metadata().is_err() {
                if replaced {
                    system::link(&target, &new).or_else(|_| system::rename(&target, &new))?;
                } else {
                    missing_is_fine(system::rename(&target, &new))?;
                }
            }
            if replaced {
                system::rename(&old, &target)?;
            }
        }
        for name in &self.removes {
            missing_is_fine(system::rename(&self.path(OLD, name), &self.target(name)))?;
        }
        Ok(())
    }
}

/// Why a set has not got its names.
#[derive(Debug)]
pub(super) enum Failed {
    /// Nothing has changed.
    Nothing(io::Error),
    /// Some files are old and some new.
    Half(io::Error),
}
