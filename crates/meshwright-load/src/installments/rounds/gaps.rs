//! More messages in the time in which links are idle.

use std::collections::BTreeSet;

use super::order::{Insertion, Message};
use super::programme::Wire;
use super::times::{Times, Timing};

/// What must be left of a gap beside a start-up, as a part of that.
const LEFT: f64 = 1e-3;

impl Timing<'_, '_> {
    /// A message for each gap between two others over a link in which one fits, before the first, and after the last;
    /// no more than `most`, those in the longest gaps.
    ///
    /// It comes as late as may be, just before the next one begins, and waits for all that has come a start-up before that. With
    /// no load all times may stay what they are, so none of them makes the order worse.
    pub(super) fn gaps(&self, times: &Times, wires: &[Wire], most: usize) -> Vec<Insertion> {
        let sources: BTreeSet<_> = self.problem.sources().iter().map(|source| source.node).collect();
        let mut found: Vec<(f64, f64, Insertion)> = Vec::new();
        for &wire in wires {
            // Nobody sends anything to the only source.
            if sources.len() == 1 && sources.contains(&wire.to) {
                continue;
            }
            let crossing = &self.order.crossing[wire.link.index()];
            for crosses in 0..=crossing.len() {
                let begin = crosses.checked_sub(1).map_or(0.0, |before| times.come[crossing[before]]);
                let next = crossing.get(crosses);
                let end = next.map_or(times.end, |&next| times.begin[next]);
                if let Some(insertion) = self.insertion(times, wire, (crosses, begin, end))
                    && (insertion.message.after > 0 || sources.contains(&wire.from))
                {
                    found.push((end - begin, end, insertion));
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.truncate(most);
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found.into_iter().map(|(.., insertion)| insertion).collect()
    }

    /// The message that comes at the end of a gap.
    fn insertion(
        &self,
        times: &Times,
        wire: Wire,
        (crosses, begin, end): (usize, f64, f64),
    ) -> Option<Insertion> {
        let latest = end - self.startup * (1.0 + LEFT);
        if latest <= begin {
            return None;
        }
        let (before, behind) = (&self.order.coming[wire.from.index()], &self.order.coming[wire.to.index()]);
        // Not in front of what the message before it waits for, and not behind what the next one does.
        let crossing = &self.order.crossing[wire.link.index()];
        let waits = |at: Option<&usize>, none: usize| at.map_or(none, |&at| self.order.messages[at].after);
        let least = waits(crosses.checked_sub(1).map(|at| &crossing[at]), 0);
        let most = waits(crossing.get(crosses), before.len());
        let there = before.partition_point(|&message| times.come[message] < latest);
        let comes = behind.partition_point(|&message| times.come[message] <= end);
        let message = Message { wire, after: there.clamp(least, most) };
        Some(Insertion { message, crosses, comes })
    }
}
