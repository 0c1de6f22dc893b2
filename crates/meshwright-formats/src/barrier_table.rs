//! Tables of barriers for hardware: per node its parent, its children and how many of them it waits for.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::certificate::{MachineForm, is_kind, parsed};
use crate::json::FORMAT;
use crate::scenario::ScenarioText;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_groups::{Group, Tree};
use meshwright_network::topology::{Machine, Switching, Topology};

/// What the key `kind` of such a file says.
pub const KIND: &str = "barrier-table";

/// A tree over the members of a group, node by node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarrierTable {
    /// The version of this form: 1.
    pub format: u32,
    /// [`KIND`].
    pub kind: String,
    /// The machine.
    pub machine: MachineForm,
    /// The name of the tree.
    pub tree: String,
    /// The links of the longest way from the root.
    pub height_links: u32,
    /// What each member has in its registers, in the order of the group.
    pub nodes: Vec<BarrierEntry>,
}

/// The registers of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarrierEntry {
    /// The node.
    pub node: u32,
    /// Whom it tells when it and all below it have come, and who releases it; none at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Whom it releases.
    pub children: Vec<u32>,
    /// How many arrivals it waits for: those of its children.
    pub count: u32,
}

/// What has come of a table that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedTable {
    /// The version of this form: 1.
    pub format: u32,
    /// [`KIND`].
    pub kind: &'static str,
    /// The name of the machine.
    pub machine: String,
    /// The name of the tree.
    pub tree: String,
    /// How many nodes have an entry.
    pub members: u32,
    /// The node without a parent, if there is one.
    pub root: Option<u32>,
    /// The links of the longest way from it, measured again; none where not all are reached.
    pub height_links: Option<u32>,
    /// Whether all of it is true.
    pub holds: bool,
    /// What is not.
    pub refuted: Vec<String>,
}

impl BarrierTable {
    /// The table of a tree over a group.
    ///
    /// # Errors
    ///
    /// As for [`MachineForm::of`].
    pub fn of(machine: &Machine, group: &Group, name: &str, tree: &Tree) -> Result<Self> {
        let node = |rank| group.node(rank).0;
        let entry = |rank| {
            let children: Vec<u32> = tree.children(rank).iter().map(|&child| node(child)).collect();
            let count = children.len() as u32;
            BarrierEntry { node: node(rank), parent: tree.parent(rank).map(node), children, count }
        };
        let mut table = Self {
            format: 1,
            kind: KIND.into(),
            machine: MachineForm::of(machine)?,
            tree: name.into(),
            height_links: 0,
            nodes: (0..group.size()).map(entry).collect(),
        };
        table.height_links = table.measure(machine).0.unwrap_or(0);
        Ok(table)
    }

    /// The height of the tree by walking down from the root, if all nodes are reached, each once; what is wrong.
    fn measure(&self, machine: &Machine) -> (Option<u32>, Vec<String>) {
        let mut wrong = Vec::new();
        let mut at = vec![usize::MAX; machine.nodes() as usize];
        for (index, entry) in self.nodes.iter().enumerate() {
            match at.get_mut(entry.node as usize) {
                Some(place) if machine.is_alive(NodeId(entry.node)) => {
                    if std::mem::replace(place, index) != usize::MAX {
                        wrong.push(format!("node {} has two entries", entry.node));
                    }
                }
                _ => wrong.push(format!("node {} is no working node of {}", entry.node, machine.name())),
            }
            if entry.count as usize != entry.children.len() {
                wrong.push(format!(
                    "node {} waits for {} arrivals and has {} children",
                    entry.node,
                    entry.count,
                    entry.children.len()
                ));
            }
        }
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&at| self.nodes[at].parent.is_none()).collect();
        let [root] = roots[..] else {
            wrong.push(format!("{} nodes have no parent: a tree has one root", roots.len()));
            return (None, wrong);
        };
        let mut reached = vec![false; self.nodes.len()];
        reached[root] = true;
        let (mut open, mut height) = (vec![(root, 0)], 0);
        while let Some((index, links)) = open.pop() {
            let entry = &self.nodes[index];
            height = height.max(links);
            for &child in &entry.children {
                let found = at.get(child as usize).copied().filter(|&found| found != usize::MAX);
                let Some(found) = found else {
                    wrong.push(format!("child {child} of node {} has no entry", entry.node));
                    continue;
                };
                if self.nodes[found].parent != Some(entry.node) {
                    wrong.push(format!("node {child} does not name node {} as its parent", entry.node));
                }
                if std::mem::replace(&mut reached[found], true) {
                    wrong.push(format!("node {child} is released twice"));
                    continue;
                }
                let hops = machine.distance(NodeId(entry.node), NodeId(child)).map_or(0, |hops| hops.0);
                open.push((found, links + hops));
            }
        }
        let left = reached.iter().zip(&self.nodes).filter(|(is_reached, _)| !**is_reached);
        let left: Vec<u32> = left.map(|(_, entry)| entry.node).collect();
        if let Some(first) = left.first() {
            wrong.push(format!("{} nodes are never released, node {first} for one", left.len()));
        }
        (wrong.is_empty().then_some(height), wrong)
    }

    /// Whether the table is that of a tree over its nodes, with the counts and the height that it says.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::Value`] when it describes no machine.
    ///
    /// # Complexity
    ///
    /// O(s) and a distance for each edge.
    pub fn check(&self) -> Result<CheckedTable> {
        let machine = self.machine.machine(Switching::CutThrough)?;
        let (height, mut refuted) = self.measure(&machine);
        if let Some(height) = height.filter(|&height| height != self.height_links) {
            refuted
                .push(format!("the longest way from the root has {height} links, not {}", self.height_links));
        }
        Ok(CheckedTable {
            format: FORMAT,
            kind: KIND,
            machine: machine.name().to_string(),
            tree: self.tree.clone(),
            members: self.nodes.len() as u32,
            root: self.nodes.iter().find(|entry| entry.parent.is_none()).map(|entry| entry.node),
            height_links: height,
            holds: refuted.is_empty(),
            refuted,
        })
    }
}

/// The table in a file, if it says that it is one.
///
/// # Errors
///
/// As for [`crate::certificate::read`].
pub fn read(path: &Path) -> Result<Option<BarrierTable>> {
    let source = ScenarioText::read(path)?;
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&source.text) else { return Ok(None) };
    if value.get("kind").and_then(serde_json::Value::as_str) != Some(KIND) {
        return Ok(None);
    }
    let table: BarrierTable = parsed(&source.text, path)?;
    is_kind(table.format, &table.kind, KIND)?;
    Ok(Some(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_groups::TREES;

    fn table(name: &str) -> BarrierTable {
        let machine = Machine::new("torus:4x5").unwrap().in_packets();
        let members: Vec<NodeId> = [1, 4, 7, 8, 13, 16, 19].map(NodeId).to_vec();
        let group = Group::of(&machine, "row", &members).unwrap();
        let tree = meshwright_groups::trees::tree(name).unwrap();
        BarrierTable::of(&machine, &group, name, &(tree.build)(&machine, &group).unwrap()).unwrap()
    }

    #[test]
    fn tables_of_all_trees_hold_and_are_read_as_they_were_written() {
        for tree in TREES.iter().filter(|tree| tree.takes_any_members) {
            let table = table(tree.name);
            let checked = table.check().unwrap();
            assert!(checked.holds, "{}: {:?}", tree.name, checked.refuted);
            assert_eq!((checked.members, checked.height_links), (7, Some(table.height_links)));
            let text = serde_json::to_string(&table).unwrap();
            assert_eq!(serde_json::from_str::<BarrierTable>(&text).unwrap().nodes, table.nodes);
            let edges: u32 = table.nodes.iter().map(|entry| entry.count).sum();
            assert_eq!(edges, 6, "a tree of seven");
        }
    }

    #[test]
    fn every_register_that_is_changed_is_found() {
        let right = table("rank-halving");
        let root = right.nodes.iter().position(|entry| entry.parent.is_none()).unwrap();
        type Change = (&'static str, fn(&mut BarrierEntry));
        let changes: [Change; 5] = [
            ("waits for", |entry| entry.count += 1),
            ("no entry", |entry| entry.children[0] = 2),
            ("two entries", |entry| entry.node = 13 - entry.node % 2 * 12),
            ("no working node", |entry| entry.node = 20),
            ("never released", |entry| {
                entry.children.pop();
                entry.count -= 1;
            }),
        ];
        for (said, change) in changes {
            let mut wrong = right.clone();
            change(&mut wrong.nodes[root]);
            let checked = wrong.check().unwrap();
            assert!(
                !checked.holds && checked.refuted.iter().any(|why| why.contains(said)),
                "{said}: {checked:?}"
            );
        }
        let mut rootless = right.clone();
        rootless.nodes[root].parent = Some(1);
        assert!(rootless.check().unwrap().refuted[0].contains("one root"));
        let mut lower = right;
        lower.height_links -= 1;
        assert!(lower.check().unwrap().refuted[0].contains("longest way"));
    }
}
