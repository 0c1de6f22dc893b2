//! A folder of `--out`: which job it holds, by its `meshwright.json`.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{place, stage};
use crate::error::{Error, Result};

/// The list of the files of a folder.
pub const MANIFEST: &str = "meshwright.json";

/// No list is longer.
const BYTES_MAX: u64 = 1 << 20;

/// What a folder of files is the answer to: a verb, and what it was asked about.
///
/// Of the same job are two commands that differ in options only: the later one writes its files over those of the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedJob {
    /// The verb, e.g. `map`.
    pub verb: &'static str,
    /// What it is asked about, e.g. `binomial:6`; of a scenario the names of its jobs.
    pub jobs: Vec<String>,
}

impl NamedJob {
    /// The job of a verb.
    pub fn new<S: Into<String>>(verb: &'static str, jobs: impl IntoIterator<Item = S>) -> Self {
        Self { verb, jobs: jobs.into_iter().map(Into::into).collect() }
    }

    /// In one line.
    pub fn line(&self) -> String {
        format!("{} {}", self.verb, self.jobs.join(", "))
    }
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    version: String,
    command: String,
    verb: String,
    jobs: Vec<String>,
    files: Vec<String>,
}

/// The text of the list for these files, itself among them.
pub(super) fn manifest(job: &NamedJob, files: &[&str]) -> String {
    let manifest = Manifest {
        format: 1,
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: job.line(),
        verb: job.verb.to_string(),
        jobs: job.jobs.clone(),
        files: files.iter().map(|name| name.to_string()).collect(),
    };
    crate::text::json(&manifest) + "\n"
}

/// Where a folder of files belongs.
pub(super) enum Ground {
    /// It is there; these files in it are of the same or a permitted job, and may be replaced or removed.
    There { folder: PathBuf, listed: Vec<String> },
    /// It is not there: the nearest folder that is, and the way from there.
    Missing { folder: PathBuf, way: PathBuf },
}

/// Looks whether a job may write into a folder, which need not be there.
///
/// # Errors
///
/// [`Error::Value`] where something other than a folder stands in the way, [`Error::Occupied`] when the folder holds something
/// else and nobody said to write nevertheless.
pub(super) fn survey(path: &Path, job: &NamedJob, force: bool) -> Result<Ground> {
    let end = place::follow(path)?;
    let nearest = end.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    // A relative path ends with the empty one, which is here.
    let nearest = nearest.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !nearest.is_dir() {
        let expected = format!("a folder, which {} is not", nearest.display());
        return Err(Error::value("output folder", path.display(), expected));
    }
    let folder = fs::canonicalize(nearest).map_err(|error| Error::io(path, error))?;
    if nearest != end && !(nearest == Path::new(".") && end.as_os_str().is_empty()) {
        let way = end.strip_prefix(nearest).unwrap_or(&end).to_path_buf();
        let is_plain = way.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_plain {
            return Err(Error::value(
                "output folder",
                path.display(),
                "a folder, or a new one in one that is there",
            ));
        }
        return Ok(Ground::Missing { folder, way });
    }
    let occupied = |holds| Error::Occupied { path: path.to_path_buf(), holds, kind: "folder" };
    let listed = match read(&folder) {
        Some(manifest) if manifest.verb == job.verb && manifest.jobs == job.jobs || force => manifest.files,
        Some(manifest) => return Err(occupied(format!("another job (`{}`)", manifest.command))),
        None => match first_entry(&folder).map_err(|error| Error::io(path, error))? {
            Some(name) if !force => return Err(occupied(format!("files of somebody else (`{name}`)"))),
            _ => Vec::new(),
        },
    };
    Ok(Ground::There { folder, listed })
}

/// The list of a folder, if it has one that says nothing but names.
fn read(folder: &Path) -> Option<Manifest> {
    let path = folder.join(MANIFEST);
    fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut text = String::new();
    fs::File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    let is_name = |name: &String| Path::new(name).file_name() == Some(OsStr::new(name));
    (manifest.format == 1 && manifest.files.iter().all(is_name)).then_some(manifest)
}

/// The first by name of what stands in a folder, but for stages.
fn first_entry(folder: &Path) -> std::io::Result<Option<String>> {
    let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let mut names: Vec<_> = names.collect::<std::io::Result<_>>()?;
    names.retain(|name| !stage::is_stage(name));
    names.sort_unstable();
    Ok(names.first().map(|name| name.to_string_lossy().into_owned()))
}
