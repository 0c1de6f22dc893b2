//! Sorting along a curve as a scheme.

use super::counting::PASSES_MAX;
use super::fingers::Fingers;
use super::heap::{self, Neighbours};
use super::packet::SortPacket;
use super::splitting::{CurveSplitting, SortEvent};
use crate::Group;
use crate::mask::Extent;
use crate::protocol::{Label, Links, Outbox, Position, Scheme, Side};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::order::order;
use meshwright_network::topology::{Machine, Topology};

/// What a member keeps of a group beside its rank and its edges in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurvePlace {
    /// Which of the members it is on the curve.
    pub place: u32,
    /// The members before and after it there.
    pub beside: [Option<NodeId>; 2],
    /// Whether ranks may differ from places.
    pub is_reordered: bool,
    /// In a first group: who is a power of two of places away. In others that is found out when they are split.
    pub fingers: Option<Fingers>,
}

/// The scheme; see [the module](super).
///
/// # Examples
///
/// Four members, two colours, keys that turn the order round:
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_groups::Group;
/// use meshwright_groups::curve_sort::CurveSort;
/// use meshwright_groups::protocol::{Label, Operation, Script, members};
/// use meshwright_network::topology::Machine;
/// use meshwright_sim as sim;
/// let mesh = Machine::new("mesh:2x2")?;
/// let group = Group::in_order([0, 1, 2, 3].map(NodeId).to_vec());
/// let split = |rank: u32| Script::new(vec![Operation::Split(Label { colour: rank % 2, key: 3 - rank })]);
/// let scheme = CurveSort::new(&mesh)?;
/// let mut all = members(&scheme, &mesh, &group, [0, 1, 2, 3].map(split).to_vec())?;
/// sim::run(&mesh, &mut all, &sim::Engine::Packet)?;
/// let found: Vec<_> = all.iter().map(|member| member.places().last().unwrap()).collect();
/// assert_eq!(found.iter().map(|place| place.rank()).collect::<Vec<_>>(), [1, 1, 0, 0]);
/// assert!(found.iter().all(|place| place.size() == 2));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CurveSort {
    /// By step of the curve its node, and back.
    walk: Vec<NodeId>,
    steps: Vec<u32>,
    known: Option<Extent>,
    passes_most: u32,
}

impl CurveSort {
    /// Along the Hilbert curve of the machine's box; a network without a box is a line of ids. Before they sort, the
    /// members find out between which values the labels lie: one barrier more.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for a machine without nodes.
    ///
    /// # Complexity
    ///
    /// O(nodes); a member of a real machine computes what it needs of the curve.
    pub fn new(machine: &Machine) -> Result<Self> {
        let walk = (order("hilbert")?.walk)(machine.sides());
        if walk.is_empty() {
            return Err(Error::not_applicable("sort", "the machine has no nodes"));
        }
        let mut steps = vec![0; walk.len()];
        for (step, node) in (0..).zip(&walk) {
            steps[node.index()] = step;
        }
        Ok(Self { walk, steps, known: None, passes_most: PASSES_MAX })
    }

    /// With all colours below the first and all keys below the second number, which everybody knows.
    ///
    /// # Panics
    ///
    /// When a number is 0; later, when a label breaks the promise.
    pub fn knowing(self, colours: u32, keys: u32) -> Self {
        assert!(colours > 0 && keys > 0, "there is a colour and a key");
        Self { known: Some(Extent { colours: (0, colours - 1), keys: (0, keys - 1) }), ..self }
    }

    /// With colours sorted by counting as long as that takes so many passes at most, 1 if nothing is said, and by comparing
    /// else. More passes are more steps and fewer messages.
    pub fn with_passes(self, most: u32) -> Self {
        Self { passes_most: most, ..self }
    }

    /// The most passes by counting.
    pub(super) fn passes_most(&self) -> u32 {
        self.passes_most
    }

    /// The node at a step of the curve.
    pub(super) fn node(&self, step: u32) -> NodeId {
        self.walk[step as usize]
    }

    /// The step of a node.
    pub(super) fn step_of(&self, node: NodeId) -> u32 {
        self.steps[node.index()]
    }

    /// How many steps the curve has.
    pub(super) fn length(&self) -> u32 {
        self.walk.len() as u32
    }

    /// Between which values everybody knows that the labels lie.
    pub(super) fn known(&self) -> Option<Extent> {
        self.known
    }
}

impl Scheme for CurveSort {
    const STEPS: &'static [&'static str] = SortPacket::STEPS;
    type Known = CurvePlace;
    type Packet = SortPacket;
    type Splitting = CurveSplitting;

    /// Places are in order, ranks need not be.
    fn is_ordered(&self) -> bool {
        false
    }

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<CurvePlace>>> {
        if machine.nodes() as usize != self.walk.len() {
            return Err(Error::not_applicable("sort", "it was made for another machine"));
        }
        let size = group.size();
        let mut on_curve: Vec<(u32, u32)> =
            group.members().iter().zip(0..).map(|(&node, rank)| (self.step_of(node), rank)).collect();
        on_curve.sort_unstable();
        let is_reordered = !on_curve.is_sorted_by_key(|&(_, rank)| rank);
        let node = |place: u32| self.node(on_curve[place as usize].0);
        let mut places: Vec<Option<Position<CurvePlace>>> = vec![None; size as usize];
        for (place, &(_, rank)) in (0..size).zip(&on_curve) {
            let Neighbours { parent, left, right } = heap::neighbours(place, size);
            let beside = [place.checked_sub(1), Some(place + 1).filter(|&next| next < size)];
            let beside = beside.map(|place| place.map(node));
            let fingers = Some(Fingers::among(node, place, size));
            let known = CurvePlace { place, beside, is_reordered, fingers };
            let links = links([parent, left, right].map(|place| place.map(node)));
            places[rank as usize] = Some(Position::new(rank, size, links, known));
        }
        Ok(places.into_iter().flatten().collect())
    }

    fn begin(
        &self,
        node: NodeId,
        place: &Position<CurvePlace>,
        label: Label,
        out: &mut Outbox<SortPacket>,
    ) -> CurveSplitting {
        CurveSplitting::begin(label, &mut SortEvent { sort: self, node, place, out })
    }

    fn receive(
        &self,
        node: NodeId,
        place: &Position<CurvePlace>,
        splitting: &mut CurveSplitting,
        from: NodeId,
        packet: SortPacket,
        out: &mut Outbox<SortPacket>,
    ) {
        splitting.receive(from, packet, &mut SortEvent { sort: self, node, place, out });
    }

    fn take_place(&self, splitting: &mut CurveSplitting) -> Option<Position<CurvePlace>> {
        splitting.take_place()
    }

    fn step(packet: &SortPacket) -> usize {
        packet.step()
    }

    fn bytes_kept(place: &Position<CurvePlace>, splitting: Option<&CurveSplitting>) -> usize {
        let fingers =
            place.known().fingers.as_ref().map_or(0, |fingers| fingers.bytes() - size_of::<Fingers>());
        place.bytes() + fingers + splitting.map_or(0, CurveSplitting::bytes)
    }
}

/// The edges of a member from its parent, its left and its right child.
pub(super) fn links([parent, left, right]: [Option<NodeId>; 3]) -> Links {
    let left = left.map(|node| (node, Side::Left));
    let right = right.map(|node| (node, Side::Right));
    Links { parent, children: left.into_iter().chain(right).collect() }
}
