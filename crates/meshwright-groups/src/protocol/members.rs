//! The processes of all nodes.

use fixedbitset::FixedBitSet;

use super::member::Member;
use super::program::Program;
use super::scheme::Scheme;
use crate::Group;
use meshwright_core::error::Result;
use meshwright_network::topology::{Machine, Topology};

/// The processes of all nodes: of the members of a group, and of those that take no part.
///
/// # Errors
///
/// As for [`Scheme::places`].
///
/// # Panics
///
/// When there is not one program for each member.
pub fn members<'s, S: Scheme, P: Program + Default>(
    scheme: &'s S,
    machine: &Machine,
    group: &Group,
    programs: Vec<P>,
) -> Result<Vec<Member<'s, S, P>>> {
    assert_eq!(programs.len(), group.members().len(), "a program for each member");
    let mut all = Vec::new();
    renew(&mut all, scheme, machine, group, programs)?;
    Ok(all)
}

/// As [`members`], in the memory of those that were there before, of the same scheme on the same machine, or of none.
///
/// # Errors
///
/// As for [`Scheme::places`].
///
/// # Panics
///
/// As for [`members`].
pub fn renew<'s, S: Scheme, P: Program + Default>(
    all: &mut Vec<Member<'s, S, P>>,
    scheme: &'s S,
    machine: &Machine,
    group: &Group,
    programs: Vec<P>,
) -> Result<()> {
    assert_eq!(programs.len(), group.members().len(), "a program for each member");
    all.resize_with(machine.nodes() as usize, || Member::new(scheme, None, P::default()));
    let mut is_member = FixedBitSet::with_capacity(all.len());
    let places = scheme.places(machine, group)?;
    for ((place, program), &node) in places.into_iter().zip(programs).zip(group.members()) {
        all[node.index()].renew(Some((node, place)), program);
        is_member.insert(node.index());
    }
    for absent in is_member.zeroes() {
        all[absent].renew(None, P::default());
    }
    Ok(())
}
