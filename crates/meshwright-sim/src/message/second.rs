//! A second wire beside a link: twice that link.
//!
//! Who is first in the line before the link takes the wire that is free first. In date-line classes the messages of a batch
//! are dealt over both wires beforehand, the largest first, each to the wire with fewer bytes. The second wire is a link of its
//! own, its id the one after the last; it leads where the first leads.

use super::Core;
use super::way::Cursor;
use super::witness::Witness;
use meshwright_core::units::LinkId;
use meshwright_network::routing::Routes;
use meshwright_schedule::Message;

impl<'m, W: Witness> Core<'m, W> {
    /// The routes of a batch, channel by channel, so that the wire a message takes can be noted in them.
    ///
    /// # Complexity
    ///
    /// O(sum of hops + messages log messages).
    pub(super) fn over_both_wires(
        &self,
        messages: &[Message],
        routes: Routes<'m>,
        link: LinkId,
    ) -> Routes<'m> {
        let above = self.date_line.above;
        let (mut first, mut links) = (vec![0u32], Vec::new());
        // Where a message crosses the link: on a shortest way once at most.
        let mut crossing: Vec<(u64, u32, usize)> = Vec::new();
        for (number, message) in (0u32..).zip(messages) {
            let (mut cursor, hops) = Cursor::first(&routes, above, number, message.pair());
            for hop in 1..=hops {
                let channel = cursor.link;
                if self.date_line.is_kept() && self.date_line.link_of(channel) == link {
                    crossing.push((message.bytes.0, number, links.len()));
                }
                links.push(channel);
                if hop < hops && !cursor.advance() {
                    let at = self.network.target(self.date_line.link_of(channel));
                    cursor = Cursor::after(&routes, above, number, hop, (at, message.target));
                }
            }
            first.push(links.len() as u32);
        }
        self.deal(crossing, link, &mut links);
        Routes::Stored { first, links }
    }

    /// Deals messages over both wires of a link: bytes, number and the place in the routes of each.
    fn deal(&self, mut crossing: Vec<(u64, u32, usize)>, link: LinkId, links: &mut [LinkId]) {
        let second = self.network.links() as u32 - 1;
        crossing.sort_unstable_by_key(|&(bytes, number, _)| (std::cmp::Reverse(bytes), number));
        let mut carried = [0u64; 2];
        for (bytes, _, at) in crossing {
            let wire = usize::from(carried[1] < carried[0]);
            // A message without bytes takes its turn, too.
            carried[wire] += bytes + 1;
            if wire == 1 {
                links[at].0 += second - link.0;
            }
        }
    }

    /// Notes which wire a message takes, for its tail.
    pub(super) fn note_wire(&mut self, wire: LinkId, slot: u32) {
        let flight = &mut self.flights[slot as usize];
        if flight.head.link == wire {
            return;
        }
        flight.head.link = wire;
        if flight.tail_hops == flight.hops {
            flight.tail.link = wire;
        }
        if let Routes::Stored { first, links } = &mut self.routes {
            links[(first[flight.message as usize] + flight.hops) as usize] = wire;
        }
    }
}
