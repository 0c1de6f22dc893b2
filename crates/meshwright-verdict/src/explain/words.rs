//! An explanation in sentences: from the last arrival back.

use std::collections::BTreeMap;

use super::{Explanation, PathEntry, PathLink, PathParts, PathPhase, Times, counted};
use meshwright_core::units::NodeId;
use meshwright_core::words::{grouped, percent};

/// Up to here every phase is told.
const PHASES_TOLD: usize = 6;

/// So many of more phases are told, the longest ones.
const PHASES_LONGEST: usize = 3;

/// So many steps of a chain are told.
const STEPS_TOLD: usize = 6;

/// So many pairs of tasks are told.
const PAIRS_TOLD: usize = 3;

/// So many steps of a schedule's chain are told, which has no phases to be summed up by.
const SCHEDULE_STEPS_TOLD: usize = 12;

impl Explanation {
    /// What was explained, what its time is made of, and the culprit: a line each.
    pub fn summary(&self, times: &Times<'_>) -> Vec<String> {
        let method = if self.method.is_empty() { String::new() } else { format!(", {}", self.method) };
        let mut lines = vec![format!(
            "{}{method} on {}, {}: {}",
            self.name,
            self.machine,
            self.switching.name(),
            times.told(self.simulated_cycles)
        )];
        let is_described = times.machine.fabric().is_some();
        lines.extend(made_of(&self.parts, is_described, times));
        lines.extend(self.alone_cycles.map(|alone| match is_described {
            true => format!(
                "On the fastest links alone, with no two messages meeting, it would take {} at least.",
                times.told(alone)
            ),
            false => self.waits(alone, times),
        }));
        if let Some(culprit) = &self.busiest_link {
            lines.extend(culprit.sentences(times, self.simulated_cycles));
        }
        lines
    }

    /// What the phases would take if no two messages met.
    fn waits(&self, alone: u64, times: &Times<'_>) -> String {
        match self.simulated_cycles.saturating_sub(alone) {
            0 if self.critical_path.iter().all(|entry| entry.waited_cycles.is_none()) => {
                "No phase is longer than its longest message alone: nobody waits.".to_string()
            }
            0 => "No phase is longer than its longest message alone.".to_string(),
            more => format!(
                "If no two messages met, it would take {}: waiting for {} costs the rest ({}).",
                times.told(alone),
                if times.machine.endpoints().is_free() { "each other" } else { "each other and for nodes" },
                percent(more as f64 / self.simulated_cycles as f64)
            ),
        }
    }

    /// The critical path: from the last arrival back through what it waited for, a line for each step.
    pub fn story(&self, times: &Times<'_>) -> Vec<String> {
        let teller = Teller { times, machine: times.machine };
        if self.phases.is_empty() {
            let steps: Vec<&PathEntry> = self.critical_path.iter().collect();
            return teller.chain(&steps, SCHEDULE_STEPS_TOLD);
        }
        let mut told: Vec<usize> = (0..self.phases.len()).collect();
        if told.len() > PHASES_TOLD {
            // Of equal ones the first.
            told.sort_unstable_by_key(|&index| (std::cmp::Reverse(self.phases[index].cycles), index));
            told.truncate(PHASES_LONGEST);
        }
        let mut lines = Vec::new();
        for &index in &told {
            lines.extend(self.phase_story(&self.phases[index], &teller));
        }
        let others: Vec<&PathPhase> = (0..self.phases.len())
            .filter(|index| !told.contains(index))
            .map(|index| &self.phases[index])
            .collect();
        lines.extend(self.others(&others, times));
        lines.extend(self.heaviest(&teller).filter(|_| !others.is_empty()));
        lines
    }

    /// The pairs of tasks whose messages take the most of a path through many phases, in a line.
    fn heaviest(&self, teller: &Teller<'_>) -> Option<String> {
        let mut pairs: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for entry in self.critical_path.iter().filter(|entry| entry.kind == "message") {
            let pair = [(entry.source_task, entry.source), (entry.target_task, entry.target)];
            let (cycles, times) = pairs.entry(pair).or_default();
            (*cycles, *times) = (*cycles + entry.cycles, *times + 1);
        }
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by_key(|&(_, (cycles, _))| std::cmp::Reverse(cycles));
        let share = |cycles: u64| cycles as f64 / self.simulated_cycles.max(1) as f64;
        let words = |&([from, to], (cycles, times)): &([TaskOnNode; 2], (u64, u64))| {
            let [from, to] = [from, to].map(|(task, node)| teller.end(task, node));
            format!("{from} → {to} ({}, {} times)", percent(share(cycles)), grouped(times))
        };
        let list: Vec<String> = pairs.iter().take(PAIRS_TOLD).map(words).collect();
        (!list.is_empty())
            .then(|| format!("Over all phases most of the path is taken by {}.", list.join(", ")))
    }

    /// One phase.
    fn phase_story(&self, phase: &PathPhase, teller: &Teller<'_>) -> Vec<String> {
        let steps: Vec<&PathEntry> =
            self.critical_path.iter().filter(|entry| entry.phase == Some(phase.phase)).collect();
        let how = match phase.steps {
            _ if steps.iter().any(|step| step.kind == "phase") => {
                "who waits for whom is not told".to_string()
            }
            0 | 1 => "its last message waits for no other".to_string(),
            steps => format!("{} one after the other", counted(steps, "message")),
        };
        let mut lines = vec![format!(
            "Phase {} takes {} ({}): {how}.",
            phase.phase,
            teller.times.told(phase.cycles),
            percent(phase.share)
        )];
        lines.extend(teller.chain(&steps, STEPS_TOLD));
        lines
    }

    /// All phases that are not told, in a line.
    fn others(&self, others: &[&PathPhase], times: &Times<'_>) -> Option<String> {
        let cycles: u64 = others.iter().map(|phase| phase.cycles).sum();
        let least = others.iter().map(|phase| phase.cycles).min()?;
        let most = others.iter().map(|phase| phase.cycles).max()?;
        let alone = others.iter().filter(|phase| phase.steps <= 1).count();
        let share = cycles as f64 / self.simulated_cycles.max(1) as f64;
        let each = if least == most {
            times.bare(least)
        } else {
            format!("{} to {}", times.bare(least), times.bare(most))
        };
        let waits = match self.parts.unknown_cycles {
            0 => format!("; in {} of them the last message waits for no other", grouped(alone as u64)),
            _ => String::new(),
        };
        Some(format!(
            "The other {} take {} ({}), {each} each{waits}.",
            counted(others.len() as u64, "phase"),
            times.told(cycles),
            percent(share)
        ))
    }
}

/// What the time is made of, the largest part first.
fn made_of(parts: &PathParts, is_described: bool, times: &Times<'_>) -> Option<String> {
    let total = parts.total();
    let unknown = match is_described {
        true => "phases on described networks, which do not tell who waits for whom",
        false => "phases on routers, which do not tell who waits for whom",
    };
    let mut named = [
        (parts.startup_cycles, "start-ups"),
        (parts.transfer_cycles, "the ways and bytes of messages"),
        (parts.overhead_cycles, "overhead and gap of nodes"),
        (parts.computation_cycles, "computations"),
        (parts.waiting_cycles, "waiting"),
        (parts.unknown_cycles, unknown),
    ];
    named.sort_by_key(|&(cycles, _)| std::cmp::Reverse(cycles));
    let part = |&(cycles, what): &(u64, &str)| {
        format!("{} ({}) for {what}", times.bare(cycles), percent(cycles as f64 / total as f64))
    };
    let list: Vec<String> = named.iter().filter(|(cycles, _)| *cycles > 0).map(part).collect();
    (!list.is_empty()).then(|| {
        format!("The critical path, from the last arrival back to the begin, takes {}.", list.join(", "))
    })
}

/// A task and its node, as far as they are known.
type TaskOnNode = (Option<u32>, Option<u32>);

/// Steps in words.
struct Teller<'a> {
    times: &'a Times<'a>,
    machine: &'a meshwright_network::topology::Machine,
}

impl Teller<'_> {
    /// Steps from the last one back, so many of them.
    fn chain(&self, steps: &[&PathEntry], told: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, step) in steps.iter().rev().enumerate() {
            if index == told {
                let rest = &steps[..steps.len() - told];
                let cycles = rest.iter().map(|step| step.cycles).sum();
                let many = counted(rest.len() as u64, "step");
                lines.push(format!("  {many} more before that: {}.", self.times.told(cycles)));
                break;
            }
            lines.push(format!("  {}", self.step(step, index == 0)));
        }
        lines
    }

    fn step(&self, step: &PathEntry, is_last: bool) -> String {
        let mut text = match step.kind {
            "message" => format!(
                "{}{} → {}, {}. {}",
                if is_last { "Last to arrive: " } else { "" },
                self.end(step.source_task, step.source),
                self.end(step.target_task, step.target),
                counted(step.bytes.unwrap_or_default(), "byte"),
                self.parts(step)
            ),
            "computation" => {
                let who = self.end(step.source_task, step.source);
                format!("{who} computes for {}", self.times.told(step.cycles))
            }
            _ if self.machine.fabric().is_some() => {
                format!("{} on described networks", self.times.told(step.cycles))
            }
            _ => format!("{} on routers", self.times.told(step.cycles)),
        };
        text += &match (step.after, step.waited_link, step.waited_cycles) {
            ("link", Some(PathLink { from, to }), Some(cycles)) => format!(
                "; before that it waited {} for the link {} → {}, held by",
                self.times.told(cycles),
                self.machine.node_name(NodeId(from)),
                self.machine.node_name(NodeId(to))
            ),
            ("port", _, Some(cycles)) => {
                format!("; before that it waited {} for a port, held by", self.times.told(cycles))
            }
            ("barrier", ..) => ". It began when the last message of the phase before was there.".to_string(),
            ("begin", ..) => ". It began with the run.".to_string(),
            _ => ". It began when this was over:".to_string(),
        };
        text
    }

    /// `task 3 at (0,1)`.
    fn end(&self, task: Option<u32>, node: Option<u32>) -> String {
        let place = node.map_or(String::new(), |node| self.machine.node_name(NodeId(node)));
        match task {
            Some(task) => format!("task {task} at {place}"),
            None => format!("node {place}"),
        }
    }

    /// What a message's time is made of.
    fn parts(&self, step: &PathEntry) -> String {
        let named = [
            (step.startup_cycles, "start-up"),
            (step.overhead_cycles, "overhead and gap of its nodes"),
            (step.waiting_cycles, "waiting"),
            (step.transfer_cycles, "its way and its bytes"),
        ];
        let some = named.iter().filter(|(cycles, _)| *cycles > 0);
        let list: Vec<String> =
            some.map(|&(cycles, what)| format!("{} for {what}", self.times.told(cycles))).collect();
        if list.is_empty() { "No time at all".to_string() } else { list.join(", ") }
    }
}
