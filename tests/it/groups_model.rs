//! Programs as async functions over teams: what they compute, who waits for whom, and what is refused.

mod history;
mod page;
mod programs;
pub(crate) mod roster;

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_groups::Group;
use meshwright_groups::nested::Run;
use meshwright_groups::protocol::{Member, Scheme, members};
use meshwright_network::topology::{Costs, Machine, Switching};
use meshwright_sim as sim;

/// A machine on which a packet of 8 bytes takes one cycle for each link.
fn machine(specification: &str) -> Machine {
    let mut machine = Machine::new(specification).unwrap().with_switching(Switching::StoreAndForward);
    machine = machine
        .with_costs(Costs { startup: Cycles(0), byte_time: Ratio::new(1, 8).unwrap(), flit: Bytes(8) })
        .unwrap();
    machine
}

/// Runs one program for each member to its end; all nodes, by id.
fn run<'s, 'p, S: Scheme, T>(
    scheme: &'s S,
    machine: &Machine,
    group: &Group,
    program: impl Fn(NodeId) -> Run<'p, T>,
) -> Vec<Member<'s, S, Run<'p, T>>> {
    let programs = group.members().iter().map(|&node| program(node)).collect();
    let mut all = members(scheme, machine, group, programs).unwrap();
    let trace = sim::run(machine, &mut all, &sim::Engine::Message).unwrap();
    assert!(trace.unfinished.is_empty(), "every member comes to its end");
    all
}

/// What the members' programs returned, by rank in the first group.
fn results<S: Scheme, T: Clone>(all: &[Member<'_, S, Run<'_, T>>], group: &Group) -> Vec<T> {
    let of = |node: &NodeId| all[node.index()].program().result().expect("it has finished").clone();
    group.members().iter().map(of).collect()
}
