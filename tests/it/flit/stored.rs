//! Store-and-forward with q packet buffers at a link: no free slot, no send.

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::{Machine, PortModel, Switching};
use meshwright_schedule::process::{Context, Process};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, run, simulate};

/// Sends its messages when it starts and notes when each has left and when one came.
#[derive(Default)]
struct Sender {
    to: u32,
    bytes: u64,
    count: u32,
    left: Vec<u64>,
    came: Vec<u64>,
}

impl Process for Sender {
    type Payload = ();

    fn on_start(&mut self, context: &mut Context<'_, ()>) {
        (0..self.count).for_each(|token| context.send_with(NodeId(self.to), Bytes(self.bytes), (), token));
    }

    fn on_message(&mut self, from: NodeId, (): (), context: &mut Context<'_, ()>) {
        if from == NodeId(0) {
            self.came.push(context.now().0);
        }
    }

    fn on_sent(&mut self, token: u32, context: &mut Context<'_, ()>) {
        assert_eq!(token as usize, self.left.len(), "first come, first sent");
        self.left.push(context.now().0);
    }
}

/// Node 0 sends six packets of eight flits to node 3; from the start on, node 2 sends one of 200 flits to node 3, so the
/// last link is taken until cycle 200. When the packets left node 0, and when they came to node 3.
fn blocked_line(slots: u32) -> (Vec<u64>, Vec<u64>) {
    let mut line = Machine::new("mesh:1x4").unwrap().with_switching(Switching::StoreAndForward);
    // One cycle a byte and a byte a flit.
    line = line.with_startup(Cycles(0)).unwrap().with_flit(Bytes(1)).unwrap();
    let mut router = Router::ideal(&line);
    router.buffers = slots;
    let mut processes: Vec<Sender> = (0..4).map(|_| Sender::default()).collect();
    processes[0] = Sender { to: 3, bytes: 8, count: 6, ..Sender::default() };
    processes[2] = Sender { to: 3, bytes: 200, count: 1, ..Sender::default() };
    let trace = run(&line, &mut processes, &Engine::Flit(router.into())).unwrap();
    assert_eq!((trace.messages, trace.deadlock), (7, None));
    let [first, _, _, last] = <[Sender; 4]>::try_from(processes).ok().expect("four nodes");
    (first.left, last.came)
}

/// By hand. A packet takes a link for 8 cycles, and its slot is known free one hop up 9 cycles after it began to leave: the
/// acknowledgement takes one cycle back. A packet that has arrived for good leaves its slot as it comes in, so
/// the one slot of node 3, which the long packet holds until cycle 200, is known free at 202. With one slot:
///
/// ```text
/// packet   0 -> 1      1 -> 2      2 -> 3
/// 1        0 to 8      8 to 16     202 to 210       waits at node 2 for the link
/// 2        17 to 25    211 to 219  219 to 227       waits at node 1 for the slot of packet 1
/// 3        220 to 228  228 to 236  236 to 244       waits at node 0 for the slot of packet 2
/// ```
#[test]
fn with_one_slot_one_packet_stands_at_each_node_of_a_blocked_line() {
    let (left, came) = blocked_line(1);
    assert_eq!(left[..3], [8, 25, 228]);
    assert_eq!(came[..3], [210, 227, 244]);
}

/// By hand, likewise; the second slot of node 3 is free at once, so packet 1 begins its last link at 200.
///
/// ```text
/// packet   0 -> 1      1 -> 2      2 -> 3
/// 1        0 to 8      8 to 16     200 to 208       waits at node 2 for the link
/// 2        8 to 16     16 to 24    208 to 216       waits behind packet 1
/// 3        17 to 25    209 to 217  217 to 225       waits at node 1 for the slot of packet 1
/// 4        25 to 33    217 to 225  225 to 233       waits at node 1 for the slot of packet 2
/// 5        218 to 226  226 to 234  234 to 242       waits at node 0 for the slot of packet 3
/// 6        226 to 234  234 to 242  242 to 250       waits at node 0 for the slot of packet 4
/// ```
#[test]
fn with_two_slots_two_packets_stand_at_each_node_of_a_blocked_line() {
    let (left, came) = blocked_line(2);
    assert_eq!(left, [8, 16, 25, 33, 226, 234]);
    assert_eq!(came, [208, 216, 225, 233, 242, 250]);
}

#[test]
fn never_more_packets_than_slots_are_in_a_buffer() {
    for slots in 1..4 {
        let (left, _) = blocked_line(slots);
        // What has left node 0 while the last link is taken stands in the buffers of nodes 1 and 2.
        let standing = left.iter().filter(|&&cycle| cycle < 200).count();
        assert_eq!(standing, (2 * slots as usize).min(6), "{slots} slots: {left:?}");
    }
}

/// A message alone takes as long as on the message engine, with one port or many: what has come for good is not stored once
/// more to be handed over.
#[test]
fn one_port_takes_a_message_as_it_comes() {
    for ports in [PortModel::One, PortModel::All] {
        let line = Machine::new("mesh:1x4").unwrap().with_switching(Switching::StoreAndForward);
        let line = line.with_startup(Cycles(10)).unwrap().with_port_model(ports);
        for to in 1..4 {
            let message = Message { source: NodeId(0), target: NodeId(to), bytes: Bytes(64), phase: 1 };
            let phases = Phases::new(4, vec![message]);
            let time = |engine: &Engine| simulate(&line, &phases, engine).unwrap().cycles.0;
            let (whole, flits) = (time(&Engine::Message), time(&Engine::Flit(Router::ideal(&line).into())));
            assert_eq!(whole, u64::from(to) * (10 + 64));
            // One port asks the switch for the last time: a flit time of two cycles.
            let last = if ports == PortModel::One { 2 } else { 0 };
            assert_eq!(flits, whole + last, "{ports:?} to {to}");
        }
    }
}

/// More slots than a credit counts are refused before anything runs.
#[test]
fn buffers_that_no_credit_counts_are_refused() {
    let mesh = Machine::new("mesh:2x2").unwrap();
    for (buffers, channels) in [(256, 1), (0, 1), (65_536, 1), (4, 33)] {
        let machine = mesh.clone().with_buffers(buffers).with_virtual_channels(channels);
        let error = Router::ideal(&machine).fits(&machine).unwrap_err();
        assert!(error.to_string().contains("expected 1 to "), "{error}");
    }
}
