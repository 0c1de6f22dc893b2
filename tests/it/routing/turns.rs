//! The turns that the turn models forbid, looked for on every way; on tori, the date-lines.

use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::routing::{Choices, relation};
use meshwright_network::topology::{Machine, Topology};

use super::{Packet, machines, pairs, walk};

const EAST: u32 = 0;
const WEST: u32 = 1;

/// Every turn on every way: the column it happens in, and the ports before and after.
fn turns(machine: &Machine, name: &str) -> Vec<(u32, u32, u32)> {
    let relation = relation(name, machine).unwrap();
    let columns = machine.sides()[1];
    let mut turns = Vec::new();
    for (source, target) in pairs(machine) {
        let header = relation.headers(source, target)[0];
        let packet = Packet { at: source, arrived: None, header };
        walk(machine, &relation, packet, 0, &mut |packet: Packet, _, choices: &Choices| {
            let Some(LinkId(before)) = packet.arrived else { return };
            for choice in choices.as_slice() {
                turns.push((packet.at.0 % columns, before % 4, choice.port.0));
            }
        });
    }
    turns.sort_unstable();
    turns.dedup();
    turns
}

#[test]
fn west_first_never_turns_into_west() {
    let turns = turns(&Machine::new("mesh:4x5").unwrap(), "west-first");
    assert!(turns.iter().all(|&(_, before, after)| after != WEST || before == WEST), "{turns:?}");
    assert!(turns.contains(&(2, EAST, 2)) && turns.contains(&(2, 2, EAST)), "it is adaptive going east");
}

#[test]
fn odd_even_turns_by_the_parity_of_the_column() {
    for machine in ["mesh:4x5", "mesh:5x6"] {
        let turns = turns(&Machine::new(machine).unwrap(), "odd-even");
        let vertical = |port: u32| port >= 2;
        for &(column, before, after) in &turns {
            assert!(
                !(column % 2 == 0 && before == EAST && vertical(after)),
                "out of east in column {column}"
            );
            assert!(!(column % 2 == 1 && vertical(before) && after == WEST), "into west in column {column}");
        }
        // Every turn that is allowed happens somewhere, in the inner columns.
        for vertical in [2, 3] {
            assert!(
                turns.contains(&(1, EAST, vertical)) && turns.contains(&(2, vertical, WEST)),
                "{turns:?}"
            );
            assert!(
                turns.contains(&(2, vertical, EAST)) && turns.contains(&(2, WEST, vertical)),
                "{turns:?}"
            );
        }
    }
}

/// Every port that leads nearer, and the escape of dimension order behind them.
#[test]
fn minimal_adaptive_routing_offers_every_port_that_leads_nearer() {
    for machine in machines().iter().filter(|machine| machine.whole_grid().is_some()) {
        let (adaptive, escape) = ("min-adaptive", "dimension-order");
        let (adaptive, escape) = (relation(adaptive, machine).unwrap(), relation(escape, machine).unwrap());
        let (mut choices, mut escapes) = (Choices::new(), Choices::new());
        for (at, target) in pairs(machine).into_iter().filter(|(at, target)| at != target) {
            adaptive.choose(at, None, &mut adaptive.headers(at, target)[0], &mut choices);
            escape.choose(at, None, &mut escape.headers(at, target)[0], &mut escapes);
            let (last, others) = choices.as_slice().split_last().unwrap();
            assert_eq!([*last], escapes.as_slice(), "{}: {at} to {target}", machine.name());
            let mut offered: Vec<u32> = others.iter().map(|choice| choice.port.0).collect();
            offered.sort_unstable();
            let hops = |from| machine.distance(from, target).unwrap().0;
            let leads_nearer = |&port: &u32| {
                machine.neighbour(at, Port(port)).is_some_and(|next| hops(next) + 1 == hops(at))
            };
            let nearer: Vec<u32> = (0..machine.ports(at)).filter(leads_nearer).collect();
            assert_eq!(offered, nearer, "{}: {at} to {target}", machine.name());
            assert!(others.iter().all(|choice| u32::from(choice.class) == adaptive.classes() - 1));
        }
    }
}

/// On a ring, class 1 exactly while the way still leads over the border, by stepping along it.
#[test]
fn date_line_classes_say_whether_the_border_is_ahead() {
    for side in 3..9 {
        let ring = Machine::torus([side]).unwrap();
        let relation = relation("dimension-order", &ring).unwrap();
        for (source, target) in pairs(&ring) {
            let mut path: Vec<(NodeId, u8)> = Vec::new();
            let packet = Packet { at: source, arrived: None, header: relation.headers(source, target)[0] };
            walk(&ring, &relation, packet, 0, &mut |packet, _, choices| {
                let class = choices.as_slice().first().map_or(0, |choice| choice.class);
                path.push((packet.at, class));
            });
            for (place, &(_, class)) in path.iter().enumerate() {
                let ahead = path[place..].windows(2).any(|hop| hop[0].0.0.abs_diff(hop[1].0.0) > 1);
                assert_eq!(class == 1, ahead, "{source} to {target} on {side} nodes");
            }
        }
    }
}
