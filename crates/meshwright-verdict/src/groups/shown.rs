//! One split shown: every member's functions and new place, every new tree, every message.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::bound::diameter;
use super::job::{Job, Labels};
use super::methods::{Method, Viewed, Visitor};
use super::program::Steps;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_groups::label_file::Given;
use meshwright_groups::protocol::{Label, Links, Member, Operation, Side, members};
use meshwright_groups::{Group, Tree};
use meshwright_network::topology::{Machine, Topology};

/// A value of state 0 and one of state 1.
pub type Pair<T> = [T; 2];

/// What the paper's split computes at one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Functions {
    /// f_L: vertices in a state in the left sub-tree.
    pub left: Pair<u32>,
    /// f_R: vertices in a state in the right sub-tree.
    pub right: Pair<u32>,
    /// b: vertices in a state with a smaller rank.
    pub before: Pair<u32>,
    /// t: vertices in a state.
    pub total: Pair<u32>,
    /// m_L: the largest new rank in the left sub-tree.
    pub max_left: Pair<Option<u32>>,
    /// m_R: the largest new rank in the right sub-tree.
    pub max_right: Pair<Option<u32>>,
    /// At a new root: the root of the other new group.
    pub adjacent_root: Option<NodeId>,
}

/// A member after a split. The functions are those of the paper's split; other splits have none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vertex {
    /// Who it is.
    pub node: NodeId,
    /// Its rank before.
    pub rank: u32,
    /// Its colour; none where it goes into no new group.
    pub label: Option<u32>,
    /// Its colour, where labels are words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_name: Option<String>,
    /// Its key.
    pub key: i64,
    /// f_L of state 0 and 1.
    pub f_left: Option<Pair<u32>>,
    /// f_R of state 0 and 1.
    pub f_right: Option<Pair<u32>>,
    /// b of state 0 and 1.
    pub before: Option<Pair<u32>>,
    /// t of state 0 and 1.
    pub total: Option<Pair<u32>>,
    /// m_L of state 0 and 1; null is minus infinity.
    pub max_left: Option<Pair<Option<u32>>>,
    /// m_R of state 0 and 1; null is minus infinity.
    pub max_right: Option<Pair<Option<u32>>>,
    /// Its rank in its new group; none in no group.
    pub new_rank: Option<u32>,
    /// Its parent there.
    pub new_parent: Option<NodeId>,
    /// Its child with smaller ranks, where there is at most one.
    pub new_left: Option<NodeId>,
    /// Its child with larger ranks, where there is at most one.
    pub new_right: Option<NodeId>,
    /// All its children.
    pub new_children: Vec<NodeId>,
    /// At the root: the root of the other new group.
    pub adjacent_root: Option<NodeId>,
}

/// A new group and its tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewTree {
    /// The colour of its members.
    pub label: u32,
    /// The same, where labels are words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_name: Option<String>,
    /// The members in the order of their ranks.
    pub members: Vec<NodeId>,
    /// The root.
    pub root: NodeId,
    /// Per member its parent.
    pub parent: Vec<Option<NodeId>>,
    /// H: the links of the longest way from the root.
    pub height_links: u32,
    /// D: the greatest distance between two members, in links.
    pub diameter: u64,
}

/// One split and what it left.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shown {
    /// The members in the order of their ranks before.
    pub vertices: Vec<Vertex>,
    /// The new groups in increasing label.
    pub trees: Vec<NewTree>,
    /// How many messages were sent, by kind.
    pub messages: Map<String, Value>,
    /// How long the split took, in cycles.
    pub split_steps: u64,
}

/// Runs the first split of the first repetition and shows it; nothing is shown of one that comes to a standstill.
///
/// # Errors
///
/// As for [`Job::group`] and [`super::program::run`].
pub fn show(job: &Job, machine: &Machine, method: &Method) -> Result<Option<Shown>> {
    let group = job.group(machine)?;
    let labels = job.round(&group, 0).labels.swap_remove(0);
    method.apply(job, machine, OneSplit { job, machine, group: &group, labels })
}

struct OneSplit<'a> {
    job: &'a Job,
    machine: &'a Machine,
    group: &'a Group,
    labels: Vec<Label>,
}

impl Visitor for OneSplit<'_> {
    type Output = Option<Shown>;

    fn visit<S: Viewed>(self, scheme: &S) -> Result<Option<Shown>> {
        let Self { job, machine, group, labels } = self;
        let program = |&label: &Label| Steps::new(vec![Some(Operation::Split(label))], job.pace);
        let mut processes = members(scheme, machine, group, labels.iter().map(program).collect())?;
        let trace = job.run(machine, &mut processes)?;
        if trace.deadlock.is_some() {
            return Ok(None);
        }
        assert!(trace.unfinished.is_empty(), "members wait for messages, and messages for nobody");
        let given = match &job.labels {
            Labels::Given(given) => Cow::Borrowed(given),
            Labels::Drawn { .. } => Cow::Owned(Given::default()),
        };
        let split_steps = processes.iter().flat_map(Member::log).map(|entry| entry.end.0).max();
        let vertices: Vec<Vertex> = (0..)
            .zip(group.members())
            .zip(&labels)
            .map(|((rank, &node), &label)| vertex(&processes[node.index()], node, (rank, label), &given))
            .collect();
        let mut messages = Map::new();
        for (kind, &name) in S::STEPS.iter().enumerate() {
            let count: u64 = processes.iter().map(|member| u64::from(member.sent()[kind])).sum();
            messages.insert(name.to_string(), count.into());
        }
        let trees = trees(machine, &vertices, &given);
        Ok(Some(Shown { vertices, trees, messages, split_steps: split_steps.unwrap_or(0) }))
    }
}

fn vertex<S: Viewed>(
    member: &Member<'_, S, Steps>,
    node: NodeId,
    (rank, label): (u32, Label),
    given: &Given,
) -> Vertex {
    let place = member.places().nth(1).expect("the split has come to its end");
    let is_in = !given.is_none(label.colour);
    let functions = member.splitting(0).and_then(|splitting| S::functions(place, splitting));
    let Links { parent, children } = place.links();
    let children = if is_in { &children[..] } else { &[] };
    let only = |side| {
        let mut on_side = children.iter().filter(|child| child.1 == side);
        on_side.next().filter(|_| on_side.next().is_none()).map(|child| child.0)
    };
    Vertex {
        node,
        rank,
        label: is_in.then_some(label.colour),
        label_name: given.name(label.colour).map(str::to_string),
        key: i64::from(label.key) + given.least_key,
        f_left: functions.map(|functions| functions.left),
        f_right: functions.map(|functions| functions.right),
        before: functions.map(|functions| functions.before),
        total: functions.map(|functions| functions.total),
        max_left: functions.map(|functions| functions.max_left),
        max_right: functions.map(|functions| functions.max_right),
        new_rank: is_in.then_some(place.rank()),
        new_parent: parent.filter(|_| is_in),
        new_left: only(Side::Left),
        new_right: only(Side::Right),
        new_children: children.iter().map(|child| child.0).collect(),
        adjacent_root: functions
            .and_then(|functions| functions.adjacent_root)
            .filter(|_| given.none.is_none()),
    }
}

/// The trees that the parents of the members make.
fn trees(machine: &Machine, vertices: &[Vertex], given: &Given) -> Vec<NewTree> {
    let mut groups: BTreeMap<u32, Vec<(u32, &Vertex)>> = BTreeMap::new();
    for vertex in vertices {
        if let (Some(label), Some(rank)) = (vertex.label, vertex.new_rank) {
            groups.entry(label).or_default().push((rank, vertex));
        }
    }
    let mut rank_of = vec![u32::MAX; machine.nodes() as usize];
    let tree = |(label, mut ranked): (u32, Vec<(u32, &Vertex)>)| {
        ranked.sort_unstable_by_key(|&(rank, _)| rank);
        for (rank, vertex) in &ranked {
            rank_of[vertex.node.index()] = *rank;
        }
        let group: Vec<&Vertex> = ranked.iter().map(|&(_, vertex)| vertex).collect();
        let rank = |node: NodeId| rank_of[node.index()];
        let parents = group.iter().map(|vertex| vertex.new_parent.map_or(Tree::NONE, rank)).collect();
        let root = group.iter().find(|vertex| vertex.new_parent.is_none()).expect("a tree has a root");
        let members: Vec<NodeId> = group.iter().map(|vertex| vertex.node).collect();
        let tree = Tree::new(rank(root.node), parents);
        NewTree {
            label,
            label_name: given.name(label).map(str::to_string),
            root: root.node,
            parent: group.iter().map(|vertex| vertex.new_parent).collect(),
            height_links: tree.height_links(machine, &Group::in_order(members.clone())),
            diameter: diameter(machine, &members),
            members,
        }
    };
    groups.into_iter().map(tree).collect()
}
