//! Distances within a group by breadth-first searches.

use super::{Extent, cut_off};
use crate::Group;
use meshwright_core::error::Result;
use meshwright_network::topology::{Machine, Topology, search};

/// Nodes and links looked at in all searches together; there are never fewer than [`SEARCHES_MIN`] searches.
const WORK_MAX: u64 = 1 << 27;

/// So many searches are always made, if there are members for them.
const SEARCHES_MIN: u64 = 12;

/// What is known of a member's farthest distance.
#[derive(Clone, Copy)]
struct Known {
    least: u32,
    most: u32,
}

/// Diameter and centre by bounds: a search from w says `max(d, e - d) <= ecc(v) <= e + d` with `d = d(v, w)` and
/// `e = ecc(w)`, so most members need no search of their own.
pub(super) fn extent(machine: &Machine, group: &Group) -> Result<Extent> {
    let one = u64::from(machine.nodes()) + u64::from(machine.links());
    let searches = (WORK_MAX / one).max(SEARCHES_MIN);
    within(machine, group, searches)
}

fn within(machine: &Machine, group: &Group, searches: u64) -> Result<Extent> {
    let mut known = vec![Known { least: 0, most: u32::MAX }; group.members().len()];
    let mut distance = Vec::new();
    let (mut diameter, mut centre) = (0, None);
    let mut wants_far = true;
    for _ in 0..searches {
        let Some(from) = next(group, &known, diameter, centre, wants_far) else { break };
        wants_far = !wants_far;
        search(machine, group.node(from), &mut distance);
        let links = |rank: u32| distance[group.node(rank).index()];
        if let Some(lost) = (0..group.size()).find(|&rank| links(rank) == u32::MAX) {
            return Err(cut_off(machine, group, from, lost));
        }
        let far = (0..group.size()).map(links).max().unwrap_or(0);
        diameter = diameter.max(far);
        let found = (far, group.node(from), from);
        centre = Some(centre.map_or(found, |best| found.min(best)));
        for (rank, known) in (0..).zip(&mut known) {
            let away = links(rank);
            known.least = known.least.max(away).max(far.saturating_sub(away));
            known.most = known.most.min(far + away);
        }
        known[from as usize] = Known { least: far, most: far };
    }
    let (radius, _, rank) = centre.expect("there is a member to begin with");
    let least = known.iter().map(|known| known.least).min().unwrap_or(0);
    let is_exact = next(group, &known, diameter, centre, true).is_none();
    let radius_bound = if is_exact { radius } else { least.max(diameter.div_ceil(2)) };
    Ok(Extent { diameter, centre: rank, radius, radius_bound, is_exact })
}

/// Whom to search from next: of those who could be farther than any, or more central than any, the likeliest.
fn next(
    group: &Group,
    known: &[Known],
    diameter: u32,
    centre: Option<(u32, meshwright_core::units::NodeId, u32)>,
    wants_far: bool,
) -> Option<u32> {
    let open = || (0..).zip(known).filter(|(_, known)| known.least < known.most);
    let may_be_centre = |rank: u32, known: &Known| {
        centre.is_none_or(|(radius, node, _)| (known.least, group.node(rank)) < (radius, node))
    };
    let far =
        open().filter(|(_, known)| known.most > diameter).max_by_key(|&(rank, known)| (known.most, rank));
    let central = open()
        .filter(|&(rank, known)| may_be_centre(rank, known))
        .min_by_key(|&(rank, known)| (known.least, group.node(rank)));
    let (first, second) = if wants_far { (far, central) } else { (central, far) };
    Some(first.or(second)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use meshwright_core::units::NodeId;
    use rand::RngExt;

    /// The definition.
    fn by_pairs(machine: &Machine, group: &Group) -> Option<(u32, u32, u32)> {
        let far = |&v: &NodeId| {
            let links = |&u: &NodeId| machine.distance(v, u).map(|links| links.0);
            group.members().iter().map(links).try_fold(0, |far, links| Some(far.max(links?)))
        };
        let all: Option<Vec<u32>> = group.members().iter().map(far).collect();
        let all = all?;
        let central = (0..group.size()).min_by_key(|&rank| (all[rank as usize], group.node(rank)))?;
        Some((*all.iter().max()?, central, all[central as usize]))
    }

    #[test]
    fn bounds_find_what_the_definition_says() {
        let mut random = rng::stream(2, "holes");
        let mut cut = 0;
        for round in 0..60 {
            let name = ["mesh:7x8", "torus:6x7", "ccc:3", "mesh:3x3x4", "gaussian:4+5i"][round % 5];
            let machine = Machine::new(name).unwrap();
            let dead = machine.living().filter(|_| random.random_range(0..8) == 0).collect();
            let machine = machine.with_dead(dead).unwrap();
            let members: Vec<NodeId> = machine.living().filter(|_| random.random_range(0..3) > 0).collect();
            if members.is_empty() {
                continue;
            }
            let group = Group::in_order(members);
            match (extent(&machine, &group), by_pairs(&machine, &group)) {
                (Ok(found), Some(definition)) => {
                    assert_eq!((found.diameter, found.centre, found.radius), definition, "{name}");
                    assert!(found.is_exact && found.radius_bound == found.radius);
                    let rough = within(&machine, &group, 2).unwrap();
                    assert!(rough.diameter <= found.diameter && rough.radius >= found.radius);
                    assert!(rough.radius_bound <= found.radius);
                }
                (Err(_), None) => cut += 1,
                (found, definition) => panic!("{name}: {found:?}, {definition:?}"),
            }
        }
        assert!(cut > 0, "some groups fall apart");
    }
}
