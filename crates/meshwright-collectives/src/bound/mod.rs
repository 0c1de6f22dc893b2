//! Lower bounds: a time that no algorithm beats, and what proves it.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Bound`]: the greatest of all |
//! | `terms` | what a hop, a start and a head cost at least; who hears whom; what leaves a set of members |
//! | `near` | distance, rounds, ports and adding up |
//! | `cut` | what leaves a set of members, between the first moment it can and the last it may: all sets by flow |
//! | `flow` | a maximum flow and its cut |
//! | `few` | few messages one after the other |
//! | `meeting` | pairs across a cut, and when they can be joined |
//! | `ring` | scans along a ring: what goes forward over one link, and what comes round |
//! | `traffic` | what all links carry together, and the heads of messages that must not be too late |
//! | [`certificate`] | what proves a bound, proved again from definitions |
//!
//! The proofs are in `docs/collective-bounds.md`.

pub mod certificate;
mod cut;
mod few;
mod flow;
mod meeting;
mod near;
mod ring;
mod terms;
mod traffic;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;

use crate::Task;
pub use certificate::Certificate;
pub use near::spread;
use terms::{Terms, Wires};

/// Up to so many members all distances are looked at, and flows sought.
const MEMBERS_MAX: usize = 1024;

/// A lower bound, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// No algorithm takes less.
    pub cycles: Cycles,
    /// The argument: `distance`, `cut`, ...
    pub kind: &'static str,
    /// The argument with its numbers, in one sentence.
    pub why: String,
    /// What proves it, for [`certificate::check`].
    pub certificate: Certificate,
}

/// What an argument proves.
#[derive(Clone, Debug)]
struct Proof {
    ticks: u64,
    why: String,
    certificate: Certificate,
}

/// The best bound known.
///
/// | argument | no algorithm takes less because |
/// |---|---|
/// | `distance` | two members that must hear of each other are so far apart |
/// | `rounds` | so many members cannot have heard before: a link, a port or a node begins its messages one after the other |
/// | `port` | a member with one port sends or receives so many bytes |
/// | `cut` | so many bytes leave a set of members over its links, from when they can be there until they are too late |
/// | `traffic` | so many bytes cross all links together, and heads with them: a message that is not too late is not too large |
/// | `few messages` | members far apart have time for two or three messages one after the other, most of which serve nobody else |
/// | `meeting` | all pairs across a cut are joined by what crosses it: early it holds few contributions, late it serves few |
/// | `ring` | a message of a scan that comes round a ring serves two members at most |
/// | `adding up` | so many sums are made by all members together |
///
/// # Errors
///
/// [`Error::NotApplicable`] on a machine whose links and ports are described one by one, and where members cannot reach each other.
///
/// # Complexity
///
/// O(p links) and a few flows for up to 1024 members: a quarter of a second at most; else O(nodes log nodes + links).
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, bound};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:8x8")?;
/// let task = Task::new(&mesh, Operation::AllReduce, 1 << 24, 0)?;
/// let bound = bound::bound(&task)?;
/// assert_eq!(bound.kind, "traffic", "{}", bound.why);
/// assert!(bound.cycles.0 > 9 << 20, "2 (p - 1) V / 224 links = 0.5625 V");
/// assert_eq!(bound::certificate::check(&task, &bound.certificate), Ok(bound.cycles));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn bound(task: &Task<'_>) -> Result<Bound> {
    let all = bounds(task)?;
    Ok(all
        .into_iter()
        .reduce(|best, next| if next.cycles > best.cycles { next } else { best })
        .expect("distance"))
}

/// The best bound of each argument that says something.
///
/// # Errors
///
/// As for [`bound`].
///
/// # Complexity
///
/// As for [`bound`].
pub fn bounds(task: &Task<'_>) -> Result<Vec<Bound>> {
    if task.machine().fabric().is_some() {
        let why = "links and ports of different speed are not looked at";
        return Err(Error::not_applicable("a bound of a collective", why));
    }
    let terms = Terms::of(task);
    let wires = Wires::of(task);
    if task.members() == 1 {
        let why = "a member alone has nothing to send".to_string();
        return Ok(vec![in_cycles(task, Proof { ticks: 0, why, certificate: Certificate::Nothing })]);
    }
    if let Some(far) = wires.distances(0).iter().position(|&links| links == u32::MAX) {
        let [from, to] = [0, far].map(|member| task.machine().node_name(task.nodes()[member]));
        let why = format!("no way leads from node {from} to node {to}");
        return Err(Error::not_applicable("a collective operation of all nodes", why));
    }
    let rows = wires.rows();
    let mut proofs = vec![near::distance(task, &terms, &wires, &rows)];
    // Routers that copy tell many at once: what counts messages one after the other says nothing.
    if !task.multicast {
        proofs.extend(near::rounds(task, &terms, &wires));
        proofs.extend(few::few(task, &terms, &wires, &rows));
        proofs.extend(meeting::meeting(task, &terms, &wires, &rows));
    }
    proofs.extend(near::port(task, &terms));
    proofs.extend(traffic::traffic(task, &terms, &wires, &rows));
    let before = proofs.iter().map(|proof| proof.ticks).max().unwrap_or(0);
    proofs.extend(cut::cut(task, &terms, &wires, before));
    proofs.extend(ring::ring(task, &terms, &wires));
    proofs.extend(near::adding(task, &terms));
    Ok(proofs.into_iter().map(|proof| in_cycles(task, proof)).collect())
}

fn in_cycles(task: &Task<'_>, proof: Proof) -> Bound {
    let Proof { ticks, why, certificate } = proof;
    Bound { cycles: task.machine().costs().cycles(ticks), kind: certificate.kind(), why, certificate }
}
