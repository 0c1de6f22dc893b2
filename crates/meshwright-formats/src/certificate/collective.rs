//! Files of certificates of collectives: an operation, a machine, a lower bound and what proves it.

use serde::{Deserialize, Serialize};

use meshwright_collectives::algorithms::multicast;
use meshwright_collectives::bound::{Bound, Certificate, certificate};
use meshwright_collectives::{Operation, Task};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{NodeId, Ratio};

use super::{CheckedBound, MachineForm, switching_named};
use crate::json::FORMAT;

/// What the key `kind` of such a file says.
pub const KIND: &str = "collective-bound";

/// The most members: of operations with a part for each, and of others.
const MEMBERS_MAX: [u32; 2] = [1 << 12, 1 << 20];

/// The most ticks of a buffer on a link.
const TICKS_MAX: u64 = 1 << 56;

/// What a file of a certificate of a collective holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveFile {
    /// The version of this form: 1.
    pub format: u32,
    /// [`KIND`].
    pub kind: String,
    /// The operation of all living nodes.
    pub operation: String,
    /// The whole buffer of one member.
    pub bytes: u64,
    /// The node at which a rooted operation begins or ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<u32>,
    /// Cycles of adding up a byte, as a fraction of two numbers; nothing where that costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combine_time: Option<[u64; 2]>,
    /// Whether routers copy messages that pass them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multicast: bool,
    /// On what.
    pub machine: MachineForm,
    /// How messages move: `wormhole`, `cut-through` or `store-and-forward`.
    pub switching: String,
    /// No algorithm takes fewer cycles.
    pub bound_cycles: u64,
    /// Why.
    pub certificate: Certificate,
}

impl CollectiveFile {
    /// The bound of a task as a file.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for a machine that its specification does not say in full.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::{Operation, Task, bound};
    /// use meshwright_formats::certificate::collective::{CollectiveFile, check};
    /// use meshwright_network::topology::Machine;
    /// let torus = Machine::new("torus:4x4")?;
    /// let task = Task::new(&torus, Operation::AllReduce, 1 << 20, 0)?;
    /// let mut file = CollectiveFile::of(&task, &bound::bound(&task)?)?;
    /// assert!(check(&file)?.holds);
    /// file.bound_cycles += 1;
    /// assert!(!check(&file)?.holds, "that is not proved");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn of(task: &Task<'_>, bound: &Bound) -> Result<Self> {
        let root = task.operation.is_rooted().then(|| task.nodes()[task.root as usize].0);
        Ok(Self {
            format: 1,
            kind: KIND.to_string(),
            operation: task.operation.name().to_string(),
            bytes: task.bytes,
            root,
            combine_time: task.combine.map(|time| [time.numerator(), time.denominator()]),
            multicast: task.multicast,
            machine: MachineForm::of(task.machine())?,
            switching: task.machine().switching().name().to_string(),
            bound_cycles: bound.cycles.0,
            certificate: bound.certificate.clone(),
        })
    }
}

/// Proves the bound of a file again.
///
/// # Errors
///
/// [`Error::Value`] when the file describes no operation of a machine; [`Error::TooLarge`] for more members than are looked at.
pub fn check(file: &CollectiveFile) -> Result<CheckedBound> {
    let operation = Operation::named(&file.operation)?;
    let (name, switching) = switching_named(&file.switching)?;
    let machine = file.machine.machine(switching)?;
    machine.equal_links("a collective operation")?;
    let mut task = Task::new(&machine, operation, file.bytes, 0)?;
    fits(&task)?;
    task.combine = file.combine_time.map(combine).transpose()?;
    if file.multicast {
        task.multicast = true;
        multicast::possible(&task)?;
    }
    match (file.root, operation.is_rooted()) {
        (None, false) => {}
        (Some(root), true) => {
            let member = task.nodes().binary_search(&NodeId(root));
            let member = member.map_err(|_| Error::value("root", root, "a node that works"))?;
            task = task.with(operation, member as u32);
        }
        (None, true) => return Err(Error::value("root", "missing", "a node that works")),
        (Some(root), false) => {
            return Err(Error::value("root", root, format!("none: {} has no root", operation.name())));
        }
    }
    let mut refuted = Vec::new();
    let proved = match certificate::check(&task, &file.certificate) {
        Ok(cycles) => Some(cycles.0),
        Err(why) => {
            refuted.push(why);
            None
        }
    };
    if let Some(proved) = proved.filter(|&proved| proved != file.bound_cycles) {
        refuted.push(format!("the certificate proves {proved} cycles, not {}", file.bound_cycles));
    }
    Ok(CheckedBound {
        format: FORMAT,
        tasks: format!("{} of {} bytes", operation.name(), file.bytes),
        machine: file.machine.topology.clone(),
        switching: name.to_string(),
        kind: file.certificate.kind(),
        bound_cycles: file.bound_cycles,
        proved_cycles: proved,
        placement: None,
        simulated_cycles: None,
        gap: None,
        holds: refuted.is_empty(),
        refuted,
    })
}

/// What adding up a byte costs.
fn combine([numerator, denominator]: [u64; 2]) -> Result<Ratio> {
    if numerator.max(denominator) > u64::from(u32::MAX) {
        let given = format!("{numerator}/{denominator}");
        return Err(Error::value("combine_time", given, "two numbers below 2^32"));
    }
    Ratio::new(numerator, denominator)
}

/// Refuses what would take too long, or too many ticks.
fn fits(task: &Task<'_>) -> Result<()> {
    let most = MEMBERS_MAX[usize::from(!task.operation.is_parted())];
    if task.members() > most {
        let [needed, limit] = [task.members(), most].map(|members| format!("{members} members"));
        return Err(Error::TooLarge { what: "this certificate", needed, limit });
    }
    let ticks = task.bytes.checked_mul(task.machine().costs().byte_time.numerator());
    if ticks.is_none_or(|ticks| ticks > TICKS_MAX) {
        return Err(Error::value(
            "bytes",
            task.bytes,
            format!("no more than 2^{} ticks on a link", TICKS_MAX.ilog2()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use meshwright_collectives::bound;
    use meshwright_network::topology::{Machine, Switching};
    use serde_json::Value;

    use super::*;

    /// Paths to all numbers of a value.
    fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Number(_) => found.push(path.to_string()),
            Value::Array(list) => {
                (0..)
                    .zip(list)
                    .for_each(|(at, one): (usize, _)| numbers(one, &format!("{path}/{at}"), found));
            }
            Value::Object(entries) => {
                entries.iter().for_each(|(key, one)| numbers(one, &format!("{path}/{key}"), found));
            }
            _ => {}
        }
    }

    /// The bound of a collective is written by `race`, holds, and one number changed is noticed.
    #[test]
    fn bounds_of_collectives_are_proved_again() {
        let torus = Machine::new("torus:4x4").unwrap().with_switching(Switching::CutThrough);
        let mut kinds = BTreeSet::new();
        for (operation, bytes, root) in [
            (Operation::AllReduce, 300, 0),
            (Operation::AllReduce, 1 << 20, 0),
            (Operation::Broadcast, 1 << 16, 5),
            (Operation::AllToAll, 4096, 0),
            (Operation::Barrier, 0, 0),
        ] {
            let task = Task::new(&torus, operation, bytes, root).unwrap();
            for bound in bound::bounds(&task).unwrap() {
                let file = CollectiveFile::of(&task, &bound).unwrap();
                let text = serde_json::to_string(&file).unwrap();
                let again: CollectiveFile = serde_json::from_str(&text).unwrap();
                let answer = check(&again).unwrap();
                assert!(answer.holds && answer.proved_cycles == Some(bound.cycles.0), "{answer:?}");
                kinds.insert(answer.kind);
                let wrong = CollectiveFile { bound_cycles: bound.cycles.0 + 1, ..file.clone() };
                assert!(!check(&wrong).unwrap().holds);
                // Whatever number is changed: an error, a refusal, or a proof of another number; never a panic.
                let value = serde_json::to_value(&file).unwrap();
                let mut paths = Vec::new();
                numbers(&value, "", &mut paths);
                for path in paths {
                    for other in [0, 1, 3, u64::from(u32::MAX), u64::MAX] {
                        let mut changed = value.clone();
                        *changed.pointer_mut(&path).unwrap() = other.into();
                        let Ok(changed) = serde_json::from_value::<CollectiveFile>(changed) else { continue };
                        let _ = check(&changed);
                    }
                }
            }
        }
        assert!(kinds.len() >= 5, "{kinds:?}");
        let rootless = CollectiveFile {
            root: Some(3),
            ..CollectiveFile::of(
                &Task::new(&torus, Operation::AllReduce, 64, 0).unwrap(),
                &bound::bound(&Task::new(&torus, Operation::AllReduce, 64, 0).unwrap()).unwrap(),
            )
            .unwrap()
        };
        let error = check(&rootless).unwrap_err().to_string();
        assert!(error.contains("none: all-reduce has no root"), "{error}");
    }
}
