//! The nodes open to each task: pinned tasks, dead nodes, and parts of the machine that do not reach each other.

use super::SearchProblem;
use super::seats::FREE;
use crate::{TaskGraph, parts_of};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_core::words::counted;
use meshwright_network::topology::{Machine, Topology};

/// Groups beyond this many ways of dividing them are given up.
const TRIES_MAX: u32 = 1 << 20;
/// So many parts of a machine are listed.
const PARTS_SHOWN: usize = 6;

/// Which part of the machine each task belongs to, and which node if it is pinned.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// The part of each node, or none for a dead one.
    pub(super) part_of_node: Vec<u32>,
    /// The part of each task.
    pub(super) part_of_task: Vec<u32>,
    /// The node of each pinned task, else [`FREE`].
    pub(super) pin_of_task: Vec<u32>,
    /// Whether any task is pinned.
    has_pins: bool,
    /// The living nodes of each part.
    pub(super) parts: Vec<Vec<NodeId>>,
}

/// The error of a problem without an answer.
fn no_answer(why: String) -> Error {
    Error::not_applicable("placing the tasks", why)
}

impl Domain {
    /// Divides the tasks among the parts.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a pin outside the tasks or the nodes; [`Error::NotApplicable`] with the reason
    /// when no placement exists, or none was found in a million tries to divide the tasks among the parts.
    pub(super) fn new(problem: &SearchProblem<'_>) -> Result<Self> {
        let SearchProblem { graph, machine, pins, .. } = problem;
        let living = machine.living_count();
        if graph.tasks > living {
            return Err(no_answer(format!(
                "{} tasks do not fit on {living} living nodes, one on each",
                graph.tasks
            )));
        }
        let pin_of_task = pins_by_task(pins, graph, machine)?;
        let (part_of_node, parts) = parts_of(machine);
        let has_pins = !pins.is_empty();
        let part_of_task = vec![0; graph.tasks as usize];
        let mut room = Self { part_of_node, part_of_task, pin_of_task, has_pins, parts };
        if room.parts.len() > 1 {
            room.divide(graph, machine)?;
        }
        Ok(room)
    }

    fn divide(&mut self, graph: &TaskGraph, machine: &Machine) -> Result<()> {
        let group_of_task = groups_of(graph);
        let mut groups: Vec<Vec<u32>> = vec![vec![]; graph.tasks as usize];
        for (task, &group) in group_of_task.iter().enumerate() {
            groups[group as usize].push(task as u32);
        }
        groups.retain(|group| !group.is_empty());
        let mut capacity: Vec<usize> = self.parts.iter().map(Vec::len).collect();
        let mut open: Vec<&[u32]> = Vec::new();
        for group in &groups {
            match self.pinned_part(group, machine)? {
                Some(part) => {
                    capacity[part] =
                        capacity[part].checked_sub(group.len()).ok_or_else(|| self.too_small(group, part))?;
                    group.iter().for_each(|&task| self.part_of_task[task as usize] = part as u32);
                }
                None => open.push(group),
            }
        }
        open.sort_unstable_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
        let sizes: Vec<usize> = open.iter().map(|group| group.len()).collect();
        let (most, least) =
            (capacity.iter().max().copied().unwrap_or(0), sizes.first().copied().unwrap_or(0));
        if least > most {
            let why = "can reach each other and are not taken by pinned tasks and those they talk to";
            return Err(no_answer(format!(
                "{least} tasks that talk to each other, task {} among them, need as many nodes that reach each \
                 other, but at most {most} {why}",
                open[0][0]
            )));
        }
        for (group, part) in open.iter().zip(pack(&sizes, capacity)?) {
            group.iter().for_each(|&task| self.part_of_task[task as usize] = part as u32);
        }
        Ok(())
    }

    /// The part in which pinned tasks of a group are; all in one.
    fn pinned_part(&self, group: &[u32], machine: &Machine) -> Result<Option<usize>> {
        let mut pins =
            group.iter().map(|&task| (task, self.pin_of_task[task as usize])).filter(|pin| pin.1 != FREE);
        let Some((first, node)) = pins.next() else { return Ok(None) };
        let part = self.part_of_node[node as usize];
        let apart = pins.find(|(_, other)| self.part_of_node[*other as usize] != part);
        if let Some((second, other)) = apart {
            return Err(no_answer(format!(
                "tasks {first} and {second} talk to each other, directly or through others, but no path leads \
                 from node {}, where task {first} is pinned, to node {}, where task {second} is",
                machine.node_name(NodeId(node)),
                machine.node_name(NodeId(other))
            )));
        }
        Ok(Some(part as usize))
    }

    fn too_small(&self, group: &[u32], part: usize) -> Error {
        no_answer(format!(
            "{} tasks talk to each other, task {} among them, but the part of the machine where some of them are \
             pinned has {} living nodes in all, too few for them and the others pinned there",
            group.len(),
            group[0],
            self.parts[part].len()
        ))
    }

    /// Whether the task on a node may leave it; a free node may always be left.
    pub(super) fn may_leave(&self, task: u32) -> bool {
        task == FREE || self.pin_of_task[task as usize] == FREE
    }

    /// Moves pinned tasks to their nodes; whoever is there goes where they were. Tasks stay in their parts.
    /// `task_at` is room to work in.
    pub(super) fn settle(&self, node_of: &mut [u32], task_at: &mut Vec<u32>) {
        if !self.has_pins {
            return;
        }
        task_at.clear();
        task_at.resize(self.part_of_node.len(), FREE);
        node_of.iter().enumerate().for_each(|(task, &node)| task_at[node as usize] = task as u32);
        for task in 0..node_of.len() {
            let (from, to) = (node_of[task], self.pin_of_task[task]);
            if to == FREE || from == to {
                continue;
            }
            let other = task_at[to as usize];
            if other != FREE {
                node_of[other as usize] = from;
            }
            task_at[from as usize] = other;
            task_at[to as usize] = task as u32;
            node_of[task] = to;
        }
    }

    /// Whether every task is on a living node of its part.
    pub(super) fn allows(&self, node_of: &[u32]) -> bool {
        node_of.iter().zip(&self.part_of_task).all(|(node, part)| self.part_of_node[*node as usize] == *part)
    }
}

/// The pins by task, checked.
fn pins_by_task(pins: &[(u32, NodeId)], graph: &TaskGraph, machine: &Machine) -> Result<Vec<u32>> {
    let mut of_task = vec![FREE; graph.tasks as usize];
    let mut of_node: Vec<(NodeId, u32)> = Vec::new();
    for &(task, node) in pins {
        if task >= graph.tasks {
            return Err(Error::value(
                "pinned task",
                task,
                format!("a task from 0 to {}", graph.tasks.max(1) - 1),
            ));
        }
        if node.0 >= machine.nodes() {
            let expected = format!("a node from 0 to {}", machine.nodes() - 1);
            return Err(Error::value("node of a pinned task", node, expected));
        }
        if !machine.is_alive(node) {
            let why = format!("task {task} is pinned to node {}, which is dead", machine.node_name(node));
            return Err(no_answer(why));
        }
        let before = of_task[task as usize];
        if before != FREE && before != node.0 {
            let (here, there) = (machine.node_name(NodeId(before)), machine.node_name(node));
            return Err(no_answer(format!("task {task} is pinned to node {here} and to node {there}")));
        }
        of_task[task as usize] = node.0;
        of_node.push((node, task));
    }
    of_node.sort_unstable();
    of_node.dedup();
    if let Some(two) = of_node.windows(2).find(|two| two[0].0 == two[1].0) {
        let ((node, first), (_, second)) = (two[0], two[1]);
        let name = machine.node_name(node);
        return Err(no_answer(format!("tasks {first} and {second} are both pinned to node {name}")));
    }
    Ok(of_task)
}

/// Why no placement at all keeps together those who talk, if dead nodes and links are the reason.
pub(super) fn apart(graph: &TaskGraph, machine: &Machine) -> Option<String> {
    let (_, mut parts) = parts_of(machine);
    let mut sizes = vec![0usize; graph.tasks as usize];
    groups_of(graph).into_iter().for_each(|group| sizes[group as usize] += 1);
    let most = sizes.into_iter().max().unwrap_or(0);
    if parts.len() < 2 || parts.iter().any(|part| part.len() >= most) {
        return None;
    }
    let cut = match (machine.dead().is_empty(), machine.dead_links().is_empty()) {
        (false, true) => format!("dead nodes cut {} into", machine.name()),
        (true, false) => format!("dead links cut {} into", machine.name()),
        (false, false) => format!("dead nodes and links cut {} into", machine.name()),
        (true, true) => format!("{} consists of", machine.name()),
    };
    let (count, shown) = (parts.len(), parts.len().min(PARTS_SHOWN));
    // The largest, in the order of their first nodes.
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.truncate(shown);
    parts.sort_unstable_by_key(|part| part[0]);
    let one = |part: &Vec<NodeId>| {
        format!("{} from {}", counted(part.len() as u64, "node"), machine.node_name(part[0]))
    };
    let list = parts.iter().map(one).collect::<Vec<_>>().join(", ");
    let which = if shown < count { "the largest of them " } else { "" };
    Some(format!("{cut} {count} parts, {which}{list}; {most} tasks that talk to each other need one part"))
}

/// For each task the lowest task it talks to, directly or through others.
fn groups_of(graph: &TaskGraph) -> Vec<u32> {
    let mut group: Vec<u32> = (0..graph.tasks).collect();
    fn find(group: &mut [u32], mut task: u32) -> u32 {
        while group[task as usize] != task {
            group[task as usize] = group[group[task as usize] as usize];
            task = group[task as usize];
        }
        task
    }
    for edge in graph.edges() {
        let (a, b) = (find(&mut group, edge.source), find(&mut group, edge.target));
        group[a.max(b) as usize] = a.min(b);
    }
    (0..graph.tasks).map(|task| find(&mut group, task)).collect()
}

/// A part for each size, in falling order, within the capacities: the first that fits, else the next.
fn pack(sizes: &[usize], mut capacity: Vec<usize>) -> Result<Vec<usize>> {
    let mut chosen: Vec<usize> = Vec::with_capacity(sizes.len());
    let (mut from, mut tries) = (0, 0);
    while chosen.len() < sizes.len() {
        let size = sizes[chosen.len()];
        // Parts with equal room are equal: the first of them stands for all.
        let fits = |part: &usize| capacity[*part] >= size && !capacity[..*part].contains(&capacity[*part]);
        if let Some(part) = (from..capacity.len()).find(fits) {
            capacity[part] -= size;
            chosen.push(part);
            from = 0;
            continue;
        }
        tries += 1;
        let Some(last) = chosen.pop() else {
            return Err(no_answer(format!(
                "the groups of tasks that talk to each other, of {} tasks and fewer, cannot be divided among the \
                 parts of the machine that reach each other",
                sizes.first().copied().unwrap_or(0)
            )));
        };
        if tries == TRIES_MAX {
            return Err(no_answer(format!(
                "no way was found in {TRIES_MAX} tries to divide the groups of tasks that talk to each other \
                 among the parts of the machine that reach each other"
            )));
        }
        capacity[last] += sizes[chosen.len()];
        from = last + 1;
    }
    Ok(chosen)
}
