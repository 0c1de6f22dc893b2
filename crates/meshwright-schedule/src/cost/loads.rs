//! Messages and bytes over each link.
//!
//! On a box the links of a message are a few intervals, on dimension-order routes at most one for each axis, see [`pieces`](super::pieces): each
//! interval adds where it begins and takes away where it ends, and one pass over the lines in use sums up. So nobody goes
//! link by link. Other routes are walked.

use super::pieces::{Piece, Pieces};
use crate::{Message, Phases};
use meshwright_core::units::LinkId;
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Costs, Switching};

/// Messages and bytes over one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkLoad {
    /// How many messages use it.
    pub messages: u32,
    /// How many bytes cross it.
    pub bytes: u64,
}

impl LinkLoad {
    /// Ticks for which a link is occupied: all its bytes, and under store-and-forward a start-up each.
    #[inline]
    pub fn occupied_ticks(self, switching: Switching, costs: &Costs) -> u64 {
        let transfer = self.bytes * costs.byte_time.numerator();
        match switching {
            Switching::Wormhole | Switching::CutThrough => transfer,
            Switching::StoreAndForward => transfer + u64::from(self.messages) * costs.startup_ticks(),
        }
    }
}

/// Messages and bytes over each link in one phase; cleared in the time it took to fill.
#[derive(Clone, Debug, Default)]
pub struct LinkLoads {
    links: u32,
    /// By place where routes are pieces, else by link.
    messages: Vec<u32>,
    bytes: Vec<u64>,
    /// The links used at all, where routes are stored.
    touched: Vec<LinkId>,
    pieces: Option<Pieces>,
    /// Whether the last routes were pieces.
    by_place: bool,
    most: LinkLoad,
}

impl LinkLoads {
    /// Tables for a machine with this many link ids.
    pub fn new(links: u32) -> Self {
        Self { links, ..Self::default() }
    }

    /// Replaces what is counted by the messages of one phase on their routes.
    ///
    /// # Complexity
    ///
    /// On a box O(straight pieces + links of the lines in use), else O(sum of hops), now and before.
    pub fn fill(&mut self, messages: &[Message], routes: &Routes<'_>) {
        self.count(messages, routes, |_| 1);
    }

    /// Replaces what is counted by the messages of all phases, each as often as its phase runs; the routes are those of
    /// [`Phases::messages`].
    ///
    /// # Complexity
    ///
    /// As for [`LinkLoads::fill`]; a repetition takes no time.
    pub fn fill_phases(&mut self, phases: &Phases, routes: &Routes<'_>) {
        let times_of = |index| std::iter::repeat_n(phases.repeats(index), phases.phase(index).len());
        let times: Vec<u32> = (0..phases.len()).flat_map(times_of).collect();
        self.count(phases.messages(), routes, |message| times[message]);
    }

    /// Counts each message so often.
    fn count(&mut self, messages: &[Message], routes: &Routes<'_>, times: impl Fn(usize) -> u32) {
        match routes.grid() {
            Some(grid) => {
                self.by_place = true;
                self.touched.clear();
                let known = self.pieces.take().filter(|pieces| pieces.fits(grid));
                let mut pieces = known.unwrap_or_else(|| Pieces::new(grid));
                pieces.replace(messages, routes);
                self.sum_up(messages, &pieces, times);
                self.pieces = Some(pieces);
            }
            None => {
                self.by_place = false;
                self.walk(messages, routes, times);
            }
        }
    }

    /// Each piece adds from its first place to its last.
    fn sum_up(&mut self, messages: &[Message], pieces: &Pieces, times: impl Fn(usize) -> u32) {
        self.messages.clear();
        self.bytes.clear();
        // One place more, at which pieces may end.
        self.messages.resize(pieces.places() + 1, 0);
        self.bytes.resize(pieces.places() + 1, 0);
        for &Piece { message, first, end, .. } in pieces.as_slice() {
            let times = times(message as usize);
            let bytes = messages[message as usize].bytes.0 * u64::from(times);
            let [first, end] = [first, end].map(|place| place as usize);
            self.messages[first] = self.messages[first].wrapping_add(times);
            self.messages[end] = self.messages[end].wrapping_sub(times);
            self.bytes[first] = self.bytes[first].wrapping_add(bytes);
            self.bytes[end] = self.bytes[end].wrapping_sub(bytes);
        }
        let (mut now, mut most) = (LinkLoad::default(), LinkLoad::default());
        for (messages, bytes) in self.messages.iter_mut().zip(&mut self.bytes) {
            now.messages = now.messages.wrapping_add(*messages);
            now.bytes = now.bytes.wrapping_add(*bytes);
            (*messages, *bytes) = (now.messages, now.bytes);
            most.messages = most.messages.max(now.messages);
            most.bytes = most.bytes.max(now.bytes);
        }
        self.most = most;
    }

    fn walk(&mut self, messages: &[Message], routes: &Routes<'_>, times: impl Fn(usize) -> u32) {
        if self.touched.is_empty() {
            self.messages.clear();
            self.bytes.clear();
            self.messages.resize(self.links as usize, 0);
            self.bytes.resize(self.links as usize, 0);
        }
        for link in self.touched.drain(..) {
            self.messages[link.index()] = 0;
            self.bytes[link.index()] = 0;
        }
        self.most = LinkLoad::default();
        for (index, message) in messages.iter().enumerate() {
            let more = LinkLoad { messages: times(index), bytes: message.bytes.0 * u64::from(times(index)) };
            routes.for_each_link(index, message.pair(), |link| {
                let (count, bytes) = (&mut self.messages[link.index()], &mut self.bytes[link.index()]);
                if *count == 0 {
                    self.touched.push(link);
                }
                *count += more.messages;
                *bytes += more.bytes;
                self.most.messages = self.most.messages.max(*count);
                self.most.bytes = self.most.bytes.max(*bytes);
            });
        }
    }

    fn index(&self, link: LinkId) -> Option<usize> {
        match &self.pieces {
            Some(pieces) if self.by_place => pieces.place(link),
            _ => Some(link.index()),
        }
    }

    /// How many messages use a link.
    pub fn messages(&self, link: LinkId) -> u32 {
        self.index(link).and_then(|index| self.messages.get(index)).copied().unwrap_or(0)
    }

    /// How many bytes cross a link.
    pub fn bytes(&self, link: LinkId) -> u64 {
        self.index(link).and_then(|index| self.bytes.get(index)).copied().unwrap_or(0)
    }

    /// The links used at all, each with its load, in no order that means anything.
    ///
    /// # Complexity
    ///
    /// O(1) for each link of the lines in use.
    pub fn used(&self) -> impl Iterator<Item = (LinkId, LinkLoad)> + '_ {
        let places = self.pieces.iter().filter(|_| self.by_place).flat_map(Pieces::links);
        let touched = self.touched.iter().map(|&link| (link.index(), link));
        places.enumerate().chain(touched).filter_map(|(index, link)| {
            let load = LinkLoad { messages: self.messages[index], bytes: self.bytes[index] };
            (load.messages > 0).then_some((link, load))
        })
    }

    /// The loads of all links used, and of some that are not.
    pub(super) fn loads(&self) -> impl Iterator<Item = LinkLoad> + '_ {
        let at = |index: usize| LinkLoad { messages: self.messages[index], bytes: self.bytes[index] };
        let places = if self.by_place { self.messages.len() } else { 0 };
        (0..places).map(at).chain(self.touched.iter().map(move |link| at(link.index())))
    }

    /// The most messages on one link.
    pub fn messages_max(&self) -> u32 {
        self.most.messages
    }

    /// The most bytes on one link.
    pub fn bytes_max(&self) -> u64 {
        self.most.bytes
    }

    /// Ticks for which a link is occupied, see [`LinkLoad::occupied_ticks`].
    pub fn occupied_ticks(&self, link: LinkId, switching: Switching, costs: &Costs) -> u64 {
        LinkLoad { messages: self.messages(link), bytes: self.bytes(link) }.occupied_ticks(switching, costs)
    }

    /// The straight pieces of routes on a box, message by message; none elsewhere.
    #[doc(hidden)]
    pub fn pieces(&self) -> Option<&[Piece]> {
        self.pieces.as_ref().filter(|_| self.by_place).map(Pieces::as_slice)
    }

    /// Messages and bytes by place, see [`Piece`]; the last place belongs to nobody.
    #[doc(hidden)]
    pub fn by_place(&self) -> (&[u32], &[u64]) {
        (&self.messages, &self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::busiest_on_ways;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_network::routing::{Pair, routes};
    use meshwright_network::topology::{Machine, Topology};
    use proptest::prelude::*;

    const MACHINES: [&str; 8] = [
        "mesh:6x10",
        "torus:6x10",
        "mesh:4x5x3",
        "torus:5x4x3",
        "torus:60",
        "torus:2x6x5",
        "hypercube:6",
        "ccc:4",
    ];

    proptest! {
        /// Sums over pieces are what one counts link by link: loads, maxima and the busiest link of each way, also round holes
        /// and when tables are used again.
        #[test]
        fn loads_are_those_counted_link_by_link(
            (which, dead) in (0usize..8, prop::collection::vec(0u32..60, 0..5)),
            batches in prop::collection::vec(prop::collection::vec((0u32..60, 0u32..60, 0u64..9), 0..40), 1..3),
            times in prop::collection::vec(1u32..4, 40),
        ) {
            let machine = Machine::new(MACHINES[which]).unwrap();
            let machine = machine.with_dead(dead.into_iter().map(NodeId).collect()).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            let mut loads = LinkLoads::new(machine.links());
            for ends in batches {
                let node = |at: u32| living[at as usize % living.len()];
                let messages: Vec<Message> = ends
                    .iter()
                    .map(|&(from, to, bytes)| Message { source: node(from), target: node(to), bytes: Bytes(bytes), phase: 1 })
                    .collect();
                let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
                // Holes may part the machine, and then there is no route.
                let Ok(routes) = routes(&machine, &pairs) else { continue };
                loads.count(&messages, &routes, |message| times[message]);
                let mut expected = vec![LinkLoad::default(); machine.links() as usize];
                for (index, message) in messages.iter().enumerate() {
                    routes.for_each_link(index, message.pair(), |link| {
                        expected[link.index()].messages += times[index];
                        expected[link.index()].bytes += u64::from(times[index]) * message.bytes.0;
                    });
                }
                for (link, load) in (0..).map(LinkId).zip(&expected) {
                    prop_assert_eq!((loads.messages(link), loads.bytes(link)), (load.messages, load.bytes), "{:?}", link);
                }
                let mut used: Vec<_> = loads.used().collect();
                used.sort_by_key(|(link, _)| *link);
                let all = (0..).map(LinkId).zip(expected.iter().copied()).filter(|(_, load)| load.messages > 0);
                prop_assert_eq!(used, all.collect::<Vec<_>>());
                prop_assert_eq!(loads.messages_max(), expected.iter().map(|load| load.messages).max().unwrap());
                prop_assert_eq!(loads.bytes_max(), expected.iter().map(|load| load.bytes).max().unwrap());
                loads.fill(&messages, &routes);
                let busiest = busiest_on_ways(&messages, &routes, &loads);
                for (index, message) in messages.iter().enumerate() {
                    let mut most = message.bytes.0;
                    routes.for_each_link(index, message.pair(), |link| most = most.max(loads.bytes(link)));
                    prop_assert_eq!(busiest[index], most);
                }
            }
        }
    }
}
