//! Groups over time: which there were, when, with which members, and who waited for whom.

use std::collections::BTreeMap;

use super::Group;
use super::protocol::{LogEntry, Operation};
use meshwright_core::units::{Cycles, NodeId};

/// One group of a run, from its first member's arrival until its last member has left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The index of the group it was split from; none for the first one.
    pub parent: Option<u32>,
    /// The colour of its members in that split.
    pub colour: u32,
    /// How many splits deep it is.
    pub level: u32,
    /// Its members, as indices into [`History::members`], increasing.
    pub members: Vec<u32>,
    /// When its first member was in it.
    pub begin: Cycles,
    /// When its last member had left it: joined, or come to the end of its program.
    pub end: Cycles,
}

/// What a member does with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doing {
    /// It computes.
    Compute,
    /// It takes part in an operation to which everybody has come.
    Together,
    /// It has come to an operation to which somebody has not; in a join, to the end of its branch.
    Wait,
}

/// A stretch of a member's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// From when.
    pub begin: Cycles,
    /// Until when; later than the beginning.
    pub end: Cycles,
    /// The index of the group it was in. A member that joins is in the part until that is over.
    pub group: u32,
    /// What it did.
    pub doing: Doing,
}

/// All groups of one level, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How many groups there were.
    pub groups: u32,
    /// The size of the largest.
    pub largest: u32,
    /// When the first of them began.
    pub begin: Cycles,
    /// When the last of them had ended.
    pub end: Cycles,
}

/// The groups of a run and the members' ways through them.
///
/// # Examples
///
/// Two members split, the second computes for 5 cycles, and they join.
///
/// ```
/// use meshwright_groups::history::{Doing, History};
/// use meshwright_groups::protocol::{LogEntry, Label, Operation};
/// use meshwright_groups::Group;
/// use meshwright_core::units::{Cycles, NodeId};
/// let entry = |operation, level, begin, end| {
///     LogEntry { operation, level, group: u64::from(level), size: 2 - level, begin: Cycles(begin), end: Cycles(end) }
/// };
/// let split = |colour| entry(Operation::Split(Label { colour, key: 0 }), 0, 0, 3);
/// let logs = [
///     vec![split(0), entry(Operation::Join, 0, 3, 10)],
///     vec![split(1), entry(Operation::Compute(Cycles(5)), 1, 3, 8), entry(Operation::Join, 0, 8, 10)],
/// ];
/// let history = History::of(&Group::in_order(vec![NodeId(4), NodeId(7)]), |node| &logs[usize::from(node == NodeId(7))]);
/// assert_eq!(history.groups().len(), 3);
/// assert_eq!(history.at(Cycles(4)), [1, 2]);
/// let first = &history.spans(0)[1];
/// assert_eq!((first.doing, first.begin, first.end), (Doing::Wait, Cycles(3), Cycles(8)), "its branch was empty");
/// assert_eq!(history.levels()[1].groups, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    members: Vec<NodeId>,
    groups: Vec<Life>,
    /// Per member the groups it went into, one after the other.
    ways: Vec<Vec<u32>>,
    spans: Vec<Vec<Span>>,
    end: Cycles,
}

/// A group that is being put together from the logs of its members.
struct Draft {
    life: Life,
    /// [`LogEntry::group`] of all operations in it.
    id: Option<u64>,
    /// By the number of an operation, when the last member came to it.
    last_came: Vec<Cycles>,
}

/// One operation of one member in its place: the group it was in, and the group and number of the operation.
struct HistoryStep {
    entry: LogEntry,
    inside: u32,
    /// None where a member is alone.
    common: Option<(u32, usize)>,
}

impl History {
    /// What the logs of the members of a first group tell.
    ///
    /// # Panics
    ///
    /// When the logs contradict each other: an operation at a level its member is not at, or of a group that another
    /// member saw as a different one.
    ///
    /// # Complexity
    ///
    /// O(E log E) for E entries.
    pub fn of<'l>(first: &Group, log: impl Fn(NodeId) -> &'l [LogEntry]) -> Self {
        let members = first.members().to_vec();
        let whole = Life {
            parent: None,
            colour: 0,
            level: 0,
            members: (0..first.size()).collect(),
            begin: Cycles(0),
            end: Cycles(0),
        };
        let mut drafts = vec![Draft { life: whole, id: None, last_came: vec![] }];
        let mut children = BTreeMap::new();
        let mut ways = vec![Vec::new(); members.len()];
        let walks: Vec<Vec<HistoryStep>> = (0..)
            .zip(&members)
            .zip(&mut ways)
            .map(|((member, &node), way)| walk(member, log(node), &mut drafts, &mut children, way))
            .collect();
        let spans: Vec<Vec<Span>> = walks.iter().map(|walk| spans(walk, &drafts)).collect();
        let mut groups: Vec<Life> = drafts.into_iter().map(|draft| draft.life).collect();
        let end = spans.iter().filter_map(|spans| spans.last()).map(|span| span.end).max();
        let end = end.unwrap_or(Cycles(0));
        groups[0].end = end;
        Self { members, groups, ways, spans, end }
    }

    /// The members of the first group, in the order of their ranks.
    pub fn members(&self) -> &[NodeId] {
        &self.members
    }

    /// All groups, each after the one it was split from.
    pub fn groups(&self) -> &[Life] {
        &self.groups
    }

    /// What the member with this index did, in order, without gaps until its last operation.
    pub fn spans(&self, member: u32) -> &[Span] {
        &self.spans[member as usize]
    }

    /// When the last operation was over.
    pub fn end(&self) -> Cycles {
        self.end
    }

    /// The group of each member at this time; before its first and after its last operation, the first group.
    ///
    /// # Complexity
    ///
    /// O(members * log entries).
    pub fn at(&self, time: Cycles) -> Vec<u32> {
        let of = |spans: &Vec<Span>| {
            let at = spans.partition_point(|span| span.end <= time);
            spans.get(at).filter(|span| span.begin <= time).map_or(0, |span| span.group)
        };
        self.spans.iter().map(of).collect()
    }

    /// The groups level by level.
    pub fn levels(&self) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for life in &self.groups {
            let (size, at) = (life.members.len() as u32, life.level as usize);
            if at == levels.len() {
                levels.push(Level { groups: 0, largest: 0, begin: life.begin, end: life.end });
            }
            let level = &mut levels[at];
            level.groups += 1;
            level.largest = level.largest.max(size);
            level.begin = level.begin.min(life.begin);
            level.end = level.end.max(life.end);
        }
        levels
    }

    /// How many groups there are, each number with the time from which it holds until the next. A group that is split
    /// is none until its parts have joined.
    ///
    /// # Complexity
    ///
    /// O(E log E) for E spans.
    pub fn counts(&self) -> Vec<(Cycles, u32)> {
        // When a member comes into a group, and when it leaves it.
        let mut moves: Vec<(Cycles, u32, bool)> = Vec::new();
        for stay in self.spans.iter().flat_map(|spans| spans.chunk_by(|a, b| a.group == b.group)) {
            moves.push((stay[0].begin, stay[0].group, true));
            moves.push((stay[stay.len() - 1].end, stay[0].group, false));
        }
        moves.sort_unstable();
        let mut inside = vec![0u32; self.groups.len()];
        let mut count = 0;
        let mut counts: Vec<(Cycles, u32)> = Vec::new();
        for now in moves.chunk_by(|a, b| a.0 == b.0) {
            // First all who come, then all who leave: neither number goes below 0.
            for &(_, group, _) in now.iter().filter(|(.., comes)| *comes) {
                count += u32::from(inside[group as usize] == 0);
                inside[group as usize] += 1;
            }
            for &(_, group, _) in now.iter().filter(|(.., comes)| !comes) {
                inside[group as usize] -= 1;
                count -= u32::from(inside[group as usize] == 0);
            }
            if counts.last().is_none_or(|&(_, last)| last != count) {
                counts.push((now[0].0, count));
            }
        }
        counts
    }

    /// The members so that those of one group stand together: by the colours of their splits, one after the other, then
    /// by rank. A program may split a group twice; the first split counts most.
    ///
    /// # Complexity
    ///
    /// O(members * splits * log members).
    pub fn together(&self) -> Vec<u32> {
        let colour = |&group: &u32| self.groups[group as usize].colour;
        let mut order: Vec<u32> = (0..self.members.len() as u32).collect();
        // Ways part in one split of one group, so at the first difference the colours differ.
        order.sort_by_cached_key(|&member| self.ways[member as usize].iter().map(colour).collect::<Vec<_>>());
        order
    }
}

/// The way of one member through its log: which groups it was in, which operations it came to.
fn walk(
    member: u32,
    log: &[LogEntry],
    drafts: &mut Vec<Draft>,
    children: &mut BTreeMap<(u32, usize, u32), u32>,
    way: &mut Vec<u32>,
) -> Vec<HistoryStep> {
    // Per level the group and how many operations of it are over.
    let mut levels = vec![(0u32, 0usize)];
    let mut steps = Vec::with_capacity(log.len());
    for &entry in log {
        let inside = levels[levels.len() - 1].0;
        if entry.operation == Operation::Join {
            levels.pop();
        }
        let top = levels.len() - 1;
        assert_eq!(top as u32, entry.level, "a member is as deep as it says");
        let (group, number) = levels[top];
        let draft = &mut drafts[group as usize];
        assert_eq!(*draft.id.get_or_insert(entry.group), entry.group, "members of a group agree on it");
        let is_alone = matches!(entry.operation, Operation::Compute(_) | Operation::Stop);
        if !is_alone {
            levels[top].1 += 1;
            draft.last_came.resize(draft.last_came.len().max(number + 1), Cycles(0));
            draft.last_came[number] = draft.last_came[number].max(entry.begin);
        }
        let left = &mut drafts[inside as usize].life;
        left.end = left.end.max(entry.end);
        steps.push(HistoryStep { entry, inside, common: (!is_alone).then_some((group, number)) });
        if let Operation::Split(label) = entry.operation {
            let level = entry.level + 1;
            let child = *children.entry((group, number, label.colour)).or_insert_with(|| {
                let life = Life {
                    parent: Some(group),
                    colour: label.colour,
                    level,
                    members: vec![],
                    begin: entry.end,
                    end: entry.end,
                };
                drafts.push(Draft { life, id: None, last_came: vec![] });
                drafts.len() as u32 - 1
            });
            let life = &mut drafts[child as usize].life;
            life.members.push(member);
            life.begin = life.begin.min(entry.end);
            life.end = life.end.max(entry.end);
            levels.push((child, 0));
            way.push(child);
        }
    }
    steps
}

/// The stretches of one member, waiting set apart.
fn spans(walk: &[HistoryStep], drafts: &[Draft]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::with_capacity(walk.len());
    let mut add = |begin, end, group, doing| {
        if begin < end {
            spans.push(Span { begin, end, group, doing });
        }
    };
    for HistoryStep { entry: LogEntry { begin, end, .. }, inside, common } in walk {
        match common {
            None => add(*begin, *end, *inside, Doing::Compute),
            Some((group, number)) => {
                // Who need not wait for the last one leaves before it comes.
                let complete = drafts[*group as usize].last_came[*number].min(*end);
                add(*begin, complete, *inside, Doing::Wait);
                add(complete.max(*begin), *end, *inside, Doing::Together);
            }
        }
    }
    spans
}
