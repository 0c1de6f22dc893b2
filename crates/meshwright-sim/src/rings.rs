//! Phases on rings, in the order in which a schedule numbers its messages.
//!
//! Of messages that ask at the same time the one with the lower number is first. A schedule numbers the messages of a phase by
//! their sources; on a torus, where many ask at the same time and pass each other, phases do as well: then one phase takes
//! as long as the schedule that is made of it.

use super::message;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases};

/// The phases with their messages by source, where worms have date-line classes; `None` where nothing changes.
///
/// # Complexity
///
/// O(messages log messages).
pub(super) fn by_source(machine: &Machine, phases: &Phases) -> Option<Phases> {
    let key = |message: &Message| (message.phase, message.source);
    if !message::keeps_classes(machine) || phases.messages().is_sorted_by_key(key) {
        return None;
    }
    let mut messages = phases.messages().to_vec();
    messages.sort_by_key(key);
    Some(Phases::new(machine.nodes(), messages).with_repeats(phases.all_repeats().to_vec()))
}
