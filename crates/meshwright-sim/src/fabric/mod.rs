//! Engines for machines as they are: networks of links with direction and rate, ports, shared resources.
//!
//! | file | what |
//! |---|---|
//! | [`transactions`] | a workload: reads, writes and barriers of processors |
//! | `flows` | messages as flows of bytes at max-min fair rates |
//! | `fair`, `service` | progressive filling; who of a source's messages is in service |
//! | `routers` | packets flit by flit, through virtual channels with credits |
//! | `queues` | what a router of them holds |

mod fair;
mod flows;
mod queues;
mod routers;
mod service;
#[cfg(test)]
mod tests;
pub mod transactions;

pub(crate) use flows::Flows;
pub(crate) use routers::FabricRouters;

use std::cmp::Reverse;

use meshwright_core::units::LinkId;
use meshwright_network::fabric::{Fabric, Resource};

/// The link of the machine whose resource slowed others the most, by the cycles they lost there.
fn longest_wait(fabric: &Fabric, waited: &[f64], ticks: impl Fn(f64) -> u64) -> Option<(LinkId, u64)> {
    let link = |(resource, &cycles): (u32, &f64)| match fabric.resource(resource) {
        Resource::Link { node, axis, up, .. } if cycles > 0.0 => {
            Some((fabric.link(node, axis, up), ticks(cycles)))
        }
        _ => None,
    };
    let waits = (0..).zip(waited).filter_map(link);
    waits.filter(|&(_, ticks)| ticks > 0).max_by_key(|&(link, ticks)| (ticks, Reverse(link)))
}
