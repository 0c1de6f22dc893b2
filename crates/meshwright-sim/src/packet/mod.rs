//! The packet engine: synchronous steps, one packet per link and step, queues of few slots before every router.
//!
//! A message of W bytes is ceil(W / h) packets of a flit, at least one; a step is the time of a flit on a link, b h.
//! In a step at most one packet crosses each link, whatever the switching of the machine says:
//!
//! * Where a link comes in there is a first-in-first-out queue of [`buffers`](meshwright_network::Machine::buffers) slots. On the rings of a torus
//!   there are two, one for each date-line class, so that no ring of packets waits for itself.
//! * Only the head of a queue can go on; those behind it wait, wherever they want to go.
//! * A packet crosses only if the queue behind the link had a free slot when the step began: a slot that becomes free
//!   is known a step later. One slot lets a packet pass every second step.
//! * A packet that crosses into its target leaves the network at once and needs no slot.
//! * New packets wait in queues without bounds, one before each link; with [one port](meshwright_network::topology::PortModel::One)
//!   in one queue, whose head alone can go, and a start-up begins when the packets of the message before could have left.
//!   A node takes in one packet a step then; others that have crossed into it wait there, the first to come first.
//! * Heads that want the same link take turns.
//! * What is sent in answer to a packet may cross its first link in the next step. The start-up c is paid before a
//!   message joins its queue, and a message to oneself takes the start-up alone.
//!
//! Routes are dimension order where all of a box works, else up*/down*. A head that wants a link and does not cross
//! waits a step for it; those behind it wait for nobody's link.
//!
//! | file | what |
//! |---|---|
//! | `wires` | flat tables: which link leads to which queue; where a packet goes next |
//! | `routers`, `step` | the queues; one step of all routers |
//! | `active` | the routers with packets |
//! | `engine` | the same as an engine for workloads: messages, timers, time |
//! | `routing`, `queues` | [`PacketRouting`]: other ways on a 2-D mesh, by straight legs, and queues without bound |
//!
//! # Queues without bound
//!
//! [`Engine::Unbounded`](crate::Engine::Unbounded) runs the same steps with one queue before each link, which takes whatever
//! comes, so that nothing is ever held up by a full queue. Of its packets the one goes first that is on the first of three
//! legs, then the one with the most links left of its leg, then the one that came first.
//! [`Trace::longest_queue`](crate::Trace::longest_queue) tells the most packets that stood before a link at once, those of
//! its own node included; of a message one packet at a time stands before its first link.
//!
//! # Source
//!
//! `chochia1996`, section 5: XY routing, queues of four packets and an acknowledgement; the rest is decided here.

mod active;
mod engine;
mod queues;
mod routers;
mod routing;
mod step;
mod wires;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod unbounded_tests;

pub(super) use self::engine::Packets;
pub(super) use self::routers::Routers;
pub use self::routing::PacketRouting;
