//! Where tasks can still be, from the definitions.

use super::patterns::{Message, OnLink, Pattern, sums};
use super::{NOWHERE, Partial, Replay, zones};

impl Replay<'_> {
    /// What is on every link under the placed messages of a pattern.
    fn on_links(&self, pattern: &Pattern, node_of: &[usize]) -> Vec<Vec<OnLink>> {
        let mut on = vec![Vec::new(); self.links];
        for message in &pattern.messages {
            self.lay(*message, node_of, &mut |link, one| on[link].push(one));
        }
        on
    }

    /// A message between placed tasks, link by link.
    fn lay(
        &self,
        (source, target, body, step): Message,
        node_of: &[usize],
        visit: &mut dyn FnMut(usize, OnLink),
    ) {
        let (from, to) = (node_of[source], node_of[target]);
        if from == NOWHERE || to == NOWHERE {
            return;
        }
        let route = &self.routes[from * self.nodes + to];
        for (place, &link) in (0u64..).zip(route) {
            visit(link, (place * step, body, (route.len() as u64 - 1 - place) * step));
        }
    }

    /// Whether anything is left below the claim, after everything that cannot be is taken away.
    pub(super) fn narrow(&self, partial: &mut Partial) -> bool {
        let tasks = partial.node_of.len();
        // By task: pattern and, by node, its ticks.
        let mut tried: Vec<Vec<(usize, Vec<u64>)>> = vec![Vec::new(); tasks];
        for (index, pattern) in self.patterns.iter().enumerate() {
            let on = self.on_links(pattern, &partial.node_of);
            let mut known = Vec::new();
            on.iter().for_each(|on| sums(&mut on.clone(), &mut known));
            known.sort_unstable_by_key(|&(sum, around)| (sum, u64::MAX - around));
            known.dedup_by_key(|pair| pair.0);
            let own = pattern.ticks(self.start, &known);
            partial.floor[index] = partial.floor[index].max(own);
            for task in (0..tasks).filter(|&task| partial.node_of[task] == NOWHERE) {
                let is_met = |&&(source, target, ..): &&Message| {
                    (source == task && partial.node_of[target] != NOWHERE)
                        || (target == task && partial.node_of[source] != NOWHERE)
                };
                let met: Vec<_> = pattern.messages.iter().filter(is_met).copied().collect();
                if !met.is_empty() {
                    let ticks = self.tries(pattern, (&on, own), &met, (task, partial));
                    tried[task].push((index, ticks));
                }
            }
        }
        self.reduce(partial, &tried) && self.is_open(partial)
    }

    /// What a pattern takes with a task on each of its nodes; `met` are its messages to placed tasks.
    fn tries(
        &self,
        pattern: &Pattern,
        (on, own): (&[Vec<OnLink>], u64),
        met: &[Message],
        (task, partial): (usize, &Partial),
    ) -> Vec<u64> {
        let mut node_of = partial.node_of.clone();
        let mut ticks = vec![0; self.nodes];
        for node in (0..self.nodes).filter(|&node| partial.allowed[task][node]) {
            node_of[task] = node;
            let mut new: Vec<(usize, OnLink)> = Vec::new();
            met.iter()
                .for_each(|&message| self.lay(message, &node_of, &mut |link, one| new.push((link, one))));
            new.sort_unstable();
            let mut found = Vec::new();
            for same in new.chunk_by(|a, b| a.0 == b.0) {
                let mut all = on[same[0].0].clone();
                all.extend(same.iter().map(|one| one.1));
                sums(&mut all, &mut found);
            }
            ticks[node] = pattern.ticks(self.start, &found).max(own);
        }
        ticks
    }

    /// Takes nodes from tasks and raises floors until nothing changes; whether something is left below the claim.
    fn reduce(&self, partial: &mut Partial, tried: &[Vec<(usize, Vec<u64>)>]) -> bool {
        loop {
            let mut changes = false;
            let total: u64 = partial.floor.iter().sum();
            if total >= self.proof.ticks {
                return false;
            }
            for (task, tried) in
                tried.iter().enumerate().filter(|(task, _)| partial.node_of[*task] == NOWHERE)
            {
                for node in 0..self.nodes {
                    let more = tried
                        .iter()
                        .map(|(pattern, ticks)| ticks[node].saturating_sub(partial.floor[*pattern]));
                    if partial.allowed[task][node] && total + more.sum::<u64>() >= self.proof.ticks {
                        partial.allowed[task][node] = false;
                        changes = true;
                    }
                }
            }
            for (task, tried) in
                tried.iter().enumerate().filter(|(task, _)| partial.node_of[*task] == NOWHERE)
            {
                for (pattern, ticks) in tried {
                    let left = (0..self.nodes).filter(|&node| partial.allowed[task][node]);
                    let least = left.map(|node| ticks[node]).min().unwrap_or(u64::MAX >> 20);
                    if least > partial.floor[*pattern] {
                        partial.floor[*pattern] = least;
                        changes = true;
                    }
                }
            }
            match zones::narrow(partial) {
                None => return false,
                Some(is_less) => changes |= is_less,
            }
            if !changes {
                return true;
            }
        }
    }
}
