//! What workloads ask of the routers of a fabric.

use super::*;
use meshwright_core::interrupt;

impl Control for FabricRouters<'_> {
    fn now(&self) -> u64 {
        self.now * self.ticks_per_cycle
    }

    fn start(&mut self, message: u32, at: u64) {
        let Transfer { before, asked_for, .. } = self.messages[message as usize];
        let at = at.div_ceil(self.ticks_per_cycle) + before;
        self.push(at, if asked_for { WireEvent::Request(message) } else { WireEvent::Ready(message) });
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.push(at.div_ceil(self.ticks_per_cycle), WireEvent::Timer(id));
    }
}

impl<'m> Referee<'m> for FabricRouters<'m> {
    fn load(&mut self, messages: &[Message], _: Routes<'m>) {
        assert!(self.events.is_empty() && self.live == 0, "nothing of the run before is left");
        self.waited.fill(0.0);
        self.carried.fill((0.0, 0));
        self.messages.clear();
        for message in messages {
            self.add(message).expect("a fabric reaches every node");
        }
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        let (mut left, mut arrived) = (Vec::new(), Vec::new());
        while self.live > 0 || !self.events.is_empty() {
            interrupt::stop_point();
            self.happen(driver);
            let moved = self.live > 0 && self.cycle();
            std::mem::swap(&mut left, &mut self.left);
            for message in left.drain(..) {
                if D::WANTS_SENT {
                    driver.sent(self, message);
                }
            }
            std::mem::swap(&mut arrived, &mut self.arrived);
            for message in arrived.drain(..) {
                match self.messages[message as usize].after {
                    0 => driver.delivered(self, message),
                    after => self.push(self.now + after, WireEvent::Delivered(message)),
                }
            }
            self.wait(moved);
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        super::super::longest_wait(self.fabric, &self.waited, |cycles| cycles as u64 * self.ticks_per_cycle)
    }

    fn waiting_ring(&self, _: &[u32]) -> Option<Vec<LinkId>> {
        None
    }
}

impl<'m> Open<'m> for FabricRouters<'m> {
    fn open(&mut self) {
        self.load(&[], Routes::Stored { first: vec![0], links: Vec::new() });
    }

    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let (from, to) = message.pair();
        let plane = self.fabric.shortest(from, to);
        let before = self.fabric.processors().first().map_or(0, |kind| kind.overhead.0);
        let (bytes, flits) = (message.bytes, self.routers.flits(message.bytes).max(1) as u32);
        let transfer =
            Transfer { plane: plane as u32, from, to, bytes, flits, before, after: 0, asked_for: false };
        Ok((self.add_transfer(transfer), Hops(self.fabric.hops(plane, from, to))))
    }
}

impl<'m> Issuer<'m> for FabricRouters<'m> {
    fn issue(&mut self, program: &Program, own: &ProcessorProgram, transaction: &Transaction) -> u32 {
        let &Transaction { operation, bytes, plane, .. } = transaction;
        let flits = self.routers.flits(bytes).max(1) as u32;
        let Around { from, to, .. } = program.around(self.fabric, own, transaction);
        let asked_for = operation == Operation::Read;
        // An acknowledgement goes back alone.
        let after = match operation {
            Operation::Write => self.fabric.way(plane, to, from).0,
            Operation::Read | Operation::PostedWrite | Operation::Multicast { .. } => 0,
        };
        let before = self.fabric.processors()[own.processor].overhead.0;
        self.add_transfer(Transfer { plane: plane as u32, from, to, bytes, flits, before, after, asked_for })
    }

    fn cycle(&self) -> f64 {
        self.now as f64
    }

    fn use_of_resources(self) -> (Vec<(f64, u64)>, Vec<f64>) {
        (self.carried, self.waited)
    }
}
