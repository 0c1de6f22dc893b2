//! The timing of the thesis processor by processor: each has a path of its own from the source, and waits for the
//! transfers to all nodes before it on that path.

use std::collections::VecDeque;

use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::Forwarding;
use meshwright_network::topology::{Machine, Topology};

/// By node its hops and its load; all stop together and the loads sum to 1.
pub(super) fn loads(
    machine: &str,
    source: u32,
    sigma: &Exact,
    forwarding: Forwarding,
) -> Result<Vec<(u32, Exact)>> {
    let machine = Machine::new(machine)?;
    let one = Exact::whole(1);
    // By node: hops, load, and what was sent along its path up to and with it; with T = 1.
    let mut found: Vec<Option<(u32, Exact, Exact)>> = vec![None; machine.nodes() as usize];
    found[source as usize] = Some((0, one.clone(), Exact::zero()));
    let mut queue = VecDeque::from([NodeId(source)]);
    while let Some(node) = queue.pop_front() {
        let (hops, _, sent) = found[node.index()].clone().expect("it was reached");
        for next in (0..machine.ports(node)).filter_map(|port| machine.neighbour(node, Port(port))) {
            if found[next.index()].is_some() {
                continue;
            }
            let load = match forwarding {
                Forwarding::CutThrough => &one - sigma * &sent,
                Forwarding::ModifiedStoreAndForward | Forwarding::StoreAndForward => {
                    (&one - sigma * &sent) / (&one + sigma)
                }
            };
            found[next.index()] = Some((hops + 1, load.clone(), &sent + load));
            queue.push_back(next);
        }
    }
    let reached: Vec<(u32, Exact)> =
        found.into_iter().flatten().map(|(hops, load, _)| (hops, load)).collect();
    let whole: Exact = reached.iter().map(|(_, load)| load.clone()).sum();
    Ok(reached.into_iter().map(|(hops, load)| (hops, load / &whole)).collect())
}
