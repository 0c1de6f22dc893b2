//! Machines that stand somewhere: read from files and from the environment, with the names of their hosts.
//!
//! | file | what |
//! |---|---|
//! | this one | [`machine`]: from any specification; [`SOURCES`]: where real machines are read from |
//! | [`launcher`] | files that put ranks where a placement wants them |
//! | [`hwloc`] | the cores of one host, from the XML that `lstopo` writes |
//! | [`coordinates`] | a mesh or torus of hosts, from a table |
//! | [`booksim`] | configurations of BookSim 2 |
//! | [`simgrid`] | platforms of SimGrid |
//! | [`xml`] | XML of other programs, within bounds, with places |
//! | [`slurm`] | the hosts of a Slurm job, from its environment |
//! | [`reorder`] | ranks renumbered where their processes stand |
//! | `hierarchy` | the network of cores in groups in groups |
//! | [`started`] | what a launcher tells a rank by its environment |

#![forbid(unsafe_code)]

pub mod booksim;
pub mod coordinates;
mod hierarchy;
pub mod hwloc;
pub mod launcher;
pub mod reorder;
pub mod simgrid;
pub mod slurm;
pub mod started;
pub mod xml;

use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ending, one_line};
use meshwright_network::topology::{FAMILIES, Machine};

/// Where machines are read from.
pub struct Source {
    /// The word before the colon.
    pub name: &'static str,
    /// What a specification looks like.
    pub usage: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// What its numbers become.
    pub numbers: &'static str,
    /// Whether a file stands after the colon.
    pub is_file: bool,
    read: fn(&str, &str) -> Result<Machine>,
}

/// Every source of real machines.
pub const SOURCES: &[Source] = &[
    Source {
        name: "hwloc",
        usage: "hwloc:FILE.xml",
        summary: "the cores of one host, as `lstopo --of xml` writes them",
        numbers: "cores are nodes in the order of the file; caches, packages and groups say who is near to whom; sizes mean nothing",
        is_file: true,
        read: |specification, file| hwloc::read(specification, Path::new(file)),
    },
    Source {
        name: "coordinates",
        usage: "coordinates:FILE.csv",
        summary: "a mesh or torus of hosts, a line each: `host,slot,x,y`",
        numbers: "a column for each axis, the last one fastest in the node number; places that no line names are dead nodes",
        is_file: true,
        read: |specification, file| coordinates::read(specification, Path::new(file)),
    },
    Source {
        name: "booksim",
        usage: "booksim:FILE",
        summary: "a configuration of BookSim 2: a mesh or torus with its routers",
        numbers: "k and n are the sides; num_vcs, vc_buf_size, delays, allocator, speculation and routing_function set the routers of the flit engine; channel_width is the flit, which crosses a link in a cycle",
        is_file: true,
        read: |specification, file| booksim::read(specification, Path::new(file)),
    },
    Source {
        name: "simgrid",
        usage: "simgrid:FILE.xml",
        summary: "a platform of SimGrid: a torus cluster, or hosts wired by links that are all the same",
        numbers: "a cycle is a nanosecond; bandwidth is the byte time, latency times bandwidth the flit that goes ahead on each link; switching is cut-through without start-up",
        is_file: true,
        read: |specification, file| simgrid::read(specification, Path::new(file)),
    },
    Source {
        name: "slurm",
        usage: "slurm[:names|:MACHINE]",
        summary: "the hosts of a Slurm job, from its environment",
        numbers: "tasks per host are slots; the topology addresses, or the numbers in the names, say who is near to whom",
        is_file: false,
        read: |specification, wiring| slurm::machine(specification, wiring, &|name| std::env::var(name).ok()),
    },
];

/// The machine of any specification: of a family, such as `mesh:8x8`, or of a source of real machines, such as
/// `coordinates:hosts.csv`, which knows where its nodes are and may have dead ones.
///
/// # Errors
///
/// As for [`Machine::new`], and for [`SOURCES`].
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Topology;
/// use meshwright_hosts as real;
/// assert_eq!(real::machine("torus:4x4")?.nodes(), 16);
/// assert!(real::machine("hwloc:").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn machine(specification: &str) -> Result<Machine> {
    one_line("machine", specification)?;
    if is_file(specification) {
        let kind = kind_of(Path::new(specification))?;
        let source = SOURCES.iter().find(|source| source.name == kind).expect("an entry of the table");
        return (source.read)(specification, specification);
    }
    let (name, rest) = specification.split_once(':').unwrap_or((specification, ""));
    match SOURCES.iter().find(|source| source.name == name) {
        Some(source) if source.is_file && rest.is_empty() => {
            Err(Error::value("machine", format!("`{specification}`"), source.usage))
        }
        Some(source) => (source.read)(specification, rest),
        None => Machine::new(specification).map_err(|error| or_sources(error, specification)),
    }
}

/// Whether a specification is the name of a file whose ending tells that it is a machine: `.cfg` or `.xml`.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::is_file;
/// assert!(is_file("noc.cfg") && !is_file("booksim:noc.cfg") && !is_file("mesh:8x8"));
/// ```
pub fn is_file(specification: &str) -> bool {
    !specification.contains(':') && ["cfg", "xml"].contains(&ending(Path::new(specification)).as_str())
}

/// Who reads a file: `.cfg` is BookSim's, of XML the outermost element tells.
fn kind_of(path: &Path) -> Result<&'static str> {
    if ending(path) == "cfg" {
        return Ok("booksim");
    }
    let bytes = xml::read(path, "the description of a machine")?;
    let is_platform =
        bytes.windows(9).find(|word| word.starts_with(b"<platform") || word.starts_with(b"<topology"));
    Ok(if is_platform.is_some_and(|word| word == b"<platform") { "simgrid" } else { "hwloc" })
}

/// Names the sources, too, in the error that a specification is of no family.
fn or_sources(error: Error, specification: &str) -> Error {
    let name = specification.split_once(':').map(|(name, _)| name);
    match error {
        Error::Value { what: "machine", value, expected }
            if !FAMILIES.iter().any(|family| Some(family.name) == name) =>
        {
            let sources: Vec<&str> = SOURCES.iter().map(|source| source.usage).collect();
            Error::value("machine", value, format!("{expected}, {}", sources.join(", ")))
        }
        other => other,
    }
}

/// What a host may be called in every format of every launcher.
pub const HOST_EXPECTED: &str = "letters, digits, `-`, `.` and `_`, such as `node10.cluster`";

/// Whether a word can stand for a host in every format: what separates words in one of them is not allowed.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::is_host;
/// assert!(is_host(b"node-1.cluster") && !is_host(b"a=b") && !is_host(b""));
/// ```
pub fn is_host(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphanumeric)
        && word.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_'))
}
