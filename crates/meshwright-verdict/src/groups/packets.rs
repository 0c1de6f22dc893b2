//! Messages as long as the packets they need.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_schedule::process::{Action, Context, Process};

/// The bytes on a wire of a message in packets of h bytes: `max(1, ceil(W / h)) h`.
pub(super) fn in_packets(bytes: Bytes, packet: Bytes) -> Bytes {
    let packet = packet.0.max(1);
    Bytes(bytes.0.div_ceil(packet).max(1).saturating_mul(packet))
}

/// A process whose messages are whole packets, for engines that know messages of any length.
pub(super) struct InPackets<'p, P: Process> {
    process: &'p mut P,
    packet: Bytes,
    /// What the process asks for, before it is passed on; empty between calls.
    asked: Vec<Action<P::Payload>>,
}

impl<'p, P: Process> InPackets<'p, P> {
    /// In packets of so many bytes.
    pub(super) fn new(process: &'p mut P, packet: Bytes) -> Self {
        Self { process, packet, asked: Vec::new() }
    }

    fn react(
        &mut self,
        context: &mut Context<'_, P::Payload>,
        tell: impl FnOnce(&mut P, &mut Context<'_, P::Payload>),
    ) {
        tell(self.process, &mut Context::new(context.node(), context.now(), &mut self.asked));
        for action in self.asked.drain(..) {
            match action {
                Action::Send { to, bytes, payload, token } => {
                    context.send_with(to, in_packets(bytes, self.packet), payload, token);
                }
                Action::Compute { cycles, token } => context.compute(cycles, token),
                Action::Finish => context.finish(),
            }
        }
    }
}

impl<P: Process> Process for InPackets<'_, P> {
    type Payload = P::Payload;
    const HEARS_SENT: bool = P::HEARS_SENT;

    fn on_start(&mut self, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_start(context));
    }

    fn on_message(&mut self, from: NodeId, payload: P::Payload, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_message(from, payload, context));
    }

    fn on_sent(&mut self, token: u32, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_sent(token, context));
    }

    fn on_computed(&mut self, token: u32, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_computed(token, context));
    }
}
