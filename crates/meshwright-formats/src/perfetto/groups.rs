//! Groups of a program over time as trace events: a track for each member, and the groups beside each other.

use std::io;

use meshwright_groups::history::{Doing, History, Life, Span};
use meshwright_network::topology::Machine;

use super::{GROUPS, NODES, Writer};

/// Tells what the members did, and which groups there were.
pub(super) fn tell(history: &History, writer: &mut Writer<'_>) -> io::Result<()> {
    let ticks = writer.machine.costs().ticks_per_cycle();
    for (number, life) in (0..).zip(history.groups()) {
        let &Life { colour, level, ref members, begin, end, .. } = life;
        let arguments =
            format!("\"group\":{number},\"level\":{level},\"colour\":{colour},\"size\":{}", members.len());
        writer.span((GROUPS, number), "group", (begin.0 * ticks, end.0 * ticks), &arguments)?;
    }
    for (member, &node) in (0..).zip(history.members()) {
        let track = (NODES, u64::from(node.0));
        writer.name(track, |machine: &Machine| machine.node_name(node))?;
        for &Span { begin, end, group, doing } in history.spans(member) {
            let name = match doing {
                Doing::Compute => "computes",
                Doing::Together => "operation",
                Doing::Wait => "waits",
            };
            writer.slice(track, name, (begin.0 * ticks, end.0 * ticks), &format!("\"group\":{group}"))?;
        }
    }
    Ok(())
}
