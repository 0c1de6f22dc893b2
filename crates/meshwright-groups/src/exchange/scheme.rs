//! The members of a structure, as a scheme without splits.

use super::hubs::Meeting;
use super::sweeps::{Stroke, Sweep};
use super::{Hubs, Structure, Sweeps};
use crate::Group;
use crate::protocol::pass::{Load, Pass, PassDirection, Post};
use crate::protocol::{Label, Links, Operation, Outbox, Outcome, Position, Scheme};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;

/// A structure over one group, which is never split: its members do everything else that members do.
///
/// They read the structure, which they share, only at their own places.
///
/// # Examples
///
/// ```
/// use meshwright_groups::exchange::{Exchange, Hubs, Structure};
/// use meshwright_groups::protocol::{Operation, Operator, Script, members};
/// use meshwright_groups::Group;
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:4x4")?;
/// let group = Group::whole(&torus, "row")?;
/// let hubs = Structure::Hubs(Hubs::new(&torus, &group, 4)?);
/// let program = |value| Script::new(vec![Operation::AllReduce(Operator::Max, value)]);
/// let exchange = Exchange::new(&hubs, &group);
/// let mut all = members(&exchange, &torus, &group, (0..16).map(program).collect())?;
/// assert!(sim::run(&torus, &mut all, &sim::Engine::Message)?.unfinished.is_empty());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'s> {
    structure: &'s Structure,
    group: &'s Group,
    is_ordered: bool,
}

impl<'s> Exchange<'s> {
    /// Of the members of this group.
    ///
    /// # Panics
    ///
    /// When the structure is for a group of another size.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn new(structure: &'s Structure, group: &'s Group) -> Self {
        assert_eq!(structure.size(), group.size(), "a structure of this group");
        let is_ordered = matches!(structure, Structure::Rooted(tree) if tree.keeps_order());
        Self { structure, group, is_ordered }
    }

    /// The edges of a member in the tree on which most passes run.
    fn links_of(&self, rank: u32) -> Links {
        match self.structure {
            Structure::Rooted(tree) => Links::in_tree(tree, self.group, rank),
            Structure::Hubs(hubs) => hubs.links_below(self.group, rank, hubs.tree().root()),
            Structure::Sweeps(sweeps) => sweeps.links_below(self.group, rank, sweeps.root()),
        }
    }
}

/// What members send each other where an operation is no pass over their tree.
#[derive(Debug)]
pub enum ExchangePacket {
    /// Over another tree, or that of one hub.
    Pass(PassDirection, Load),
    /// From hub to hub.
    Meeting(Load),
    /// Along an axis.
    Sweep(Stroke, Load),
}

impl Outbox<ExchangePacket> {
    /// What a pass has put down.
    fn send_all(&mut self, post: &mut Post) {
        for (to, way, load) in post.drain(..) {
            self.send(to, load.bytes(), ExchangePacket::Pass(way, load));
        }
    }
}

/// The part of one member in an operation that is no pass over its tree.
#[derive(Debug)]
pub struct Exchanging<'s> {
    part: ExchangePart<'s>,
    outcome: Option<Outcome>,
}

#[derive(Debug)]
enum ExchangePart<'s> {
    Pass(Pass, Links, Post),
    Meeting(&'s Hubs, Meeting),
    Sweep(&'s Sweeps, Sweep),
}

impl<'s> Scheme for Exchange<'s> {
    const STEPS: &'static [&'static str] = &["exchange"];
    type Known = ();
    type Packet = ExchangePacket;
    type Splitting = Exchanging<'s>;

    fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    fn places(&self, _: &Machine, group: &Group) -> Result<Vec<Position<()>>> {
        let size = group.size();
        Ok((0..size).map(|rank| Position::new(rank, size, self.links_of(rank), ())).collect())
    }

    /// # Panics
    ///
    /// Always.
    fn begin(&self, _: NodeId, _: &Position<()>, _: Label, _: &mut Outbox<ExchangePacket>) -> Exchanging<'s> {
        panic!("a structure of one group has no splits")
    }

    fn exchange(
        &self,
        place: &Position<()>,
        operation: Operation,
        out: &mut Outbox<ExchangePacket>,
    ) -> Option<Exchanging<'s>> {
        let (group, rank) = (self.group, place.rank());
        let links = match (self.structure, operation) {
            (Structure::Rooted(_), _) | (_, Operation::Reduce(..) | Operation::Gather(_)) => return None,
            (Structure::Hubs(hubs), Operation::Broadcast { from, .. }) => {
                hubs.links_below(group, rank, hubs.hub_of(from))
            }
            (Structure::Hubs(hubs), _) => {
                let (meeting, outcome) = Meeting::begin(hubs, group, rank, operation, out);
                return Some(Exchanging { part: ExchangePart::Meeting(hubs, meeting), outcome });
            }
            (Structure::Sweeps(sweeps), Operation::Broadcast { from, .. }) => {
                sweeps.links_below(group, rank, from)
            }
            (Structure::Sweeps(sweeps), Operation::Scan(..)) if !sweeps.scans() => return None,
            (Structure::Sweeps(sweeps), _) => {
                let (sweep, outcome) = Sweep::begin(sweeps, group, rank, operation, out);
                return Some(Exchanging { part: ExchangePart::Sweep(sweeps, sweep), outcome });
            }
        };
        let mut post = Vec::new();
        let (pass, outcome) =
            Pass::begin(operation, rank, self.is_ordered, links.edges(), &mut post).expect("lists grow");
        out.send_all(&mut post);
        Some(Exchanging { part: ExchangePart::Pass(pass, links, post), outcome })
    }

    fn receive(
        &self,
        _: NodeId,
        place: &Position<()>,
        exchanging: &mut Exchanging<'s>,
        from: NodeId,
        packet: ExchangePacket,
        out: &mut Outbox<ExchangePacket>,
    ) {
        let (group, rank) = (self.group, place.rank());
        exchanging.outcome = match (&mut exchanging.part, packet) {
            (ExchangePart::Pass(pass, links, post), ExchangePacket::Pass(way, load)) => {
                let outcome = pass.receive(from, way, load, links.edges(), post);
                out.send_all(post);
                outcome
            }
            (ExchangePart::Meeting(hubs, meeting), ExchangePacket::Pass(way, load)) => {
                meeting.receive((hubs, group, rank), from, Some(way), load, out)
            }
            (ExchangePart::Meeting(hubs, meeting), ExchangePacket::Meeting(load)) => {
                meeting.receive((hubs, group, rank), from, None, load, out)
            }
            (ExchangePart::Sweep(sweeps, sweep), ExchangePacket::Sweep(stroke, load)) => {
                sweep.receive((sweeps, group, rank), (stroke, &load), out)
            }
            _ => unreachable!("all members call the same operation"),
        };
    }

    fn take_place(&self, _: &mut Exchanging<'s>) -> Option<Position<()>> {
        None
    }

    fn take_outcome(&self, exchanging: &mut Exchanging<'s>) -> Option<Outcome> {
        exchanging.outcome.take()
    }

    fn step(_: &ExchangePacket) -> usize {
        0
    }

    fn bytes_kept(place: &Position<()>, exchanging: Option<&Exchanging<'s>>) -> usize {
        place.bytes() + exchanging.map_or(0, size_of_val)
    }
}
