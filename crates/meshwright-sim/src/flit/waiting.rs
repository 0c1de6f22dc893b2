//! The ring of channels of a network that stands still.
//!
//! Every flit that cannot move waits for a slot behind some output channel, and the flits there wait in turn. In a
//! network that stands still the walk from any of them comes back to itself.

use super::region::{LaneState, Region};
use super::wiring::{NO_PEER, unpack};
use meshwright_core::units::LinkId;

/// An input channel of a node.
type InputChannel = (u32, u32);

/// A ring of links whose flits wait for each other, or `None` if no flit is in a buffer.
///
/// # Panics
///
/// When the walk ends: then the network could have moved.
pub(super) fn ring(regions: &[&Region<'_>]) -> Option<Vec<LinkId>> {
    let mut chain = vec![regions.iter().find_map(|region| occupied(region))?];
    loop {
        let next = wanted(regions, *chain.last().expect("it starts with one"));
        let next = next.expect("a flit that stands still waits for flits that stand still");
        if let Some(start) = chain.iter().position(|place| *place == next) {
            let wiring = &regions[0].setup.wiring;
            let vcs = regions[0].vcs;
            return Some(
                chain[start..].iter().map(|&(node, local)| wiring.incoming(node, local / vcs)).collect(),
            );
        }
        chain.push(next);
    }
}

/// The first input channel with a flit.
fn occupied(region: &Region<'_>) -> Option<InputChannel> {
    (region.first..region.last).find_map(|node| {
        let base = region.lanes_of(region.site(node));
        let lanes = (region.degree + region.locals) * region.vcs;
        (0..lanes).find(|&local| region.lanes[base + local as usize].flits > 0).map(|local| (node, local))
    })
}

/// The input channel behind the output channel that the packet in front waits for.
fn wanted(regions: &[&Region<'_>], (node, local): InputChannel) -> Option<InputChannel> {
    let region = regions.iter().find(|region| (region.first..region.last).contains(&node))?;
    let lane = &region.lanes[region.lanes_of(region.site(node)) + local as usize];
    let peer = match lane.state {
        LaneState::Waiting | LaneState::Head | LaneState::Body if u32::from(lane.out) < region.degree => {
            region.setup.wiring.peer(node, u32::from(lane.out))
        }
        _ => NO_PEER,
    };
    let channel = match lane.state {
        LaneState::Waiting => region.setup.classes[usize::from(lane.channel)].trailing_zeros(),
        _ => u32::from(lane.channel),
    };
    (peer != NO_PEER).then(|| {
        let (next, port) = unpack(peer);
        (next, port * region.vcs + channel)
    })
}
