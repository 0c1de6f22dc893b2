//! Transactions: what processors read and write, in which order, and where they wait for it.

mod receivers;

pub use receivers::{Around, Receivers};

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::fabric::Fabric;

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A request goes to the peer and the bytes come back, both on one network.
    Read,
    /// The bytes go to the peer, and its acknowledgement comes back.
    Write,
    /// The bytes go to the peer, and it is done when the last of them is there.
    PostedWrite,
    /// The bytes go to several receivers over the tree of the routes to them, each link of which they take once.
    Multicast {
        /// Who receives them; the peer is one of them.
        receivers: Receivers,
        /// Whether each acknowledges them, as after a write.
        acknowledged: bool,
    },
}

/// One read, write or multicast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What it does.
    pub operation: Operation,
    /// The node that is read from or written to; of a multicast the first of its receivers.
    pub peer: NodeId,
    /// How much.
    pub bytes: Bytes,
    /// The network it takes.
    pub plane: usize,
    /// When it is issued, if that is known; else as soon as its processor comes to it.
    pub issue: Option<Cycles>,
}

/// A step of a processor's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Issues a transaction and goes on.
    Issue(Transaction),
    /// Waits until everything issued before is done.
    Barrier,
}

/// The program of one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorProgram {
    /// Its kind, an index of [`Fabric::processors`].
    pub processor: usize,
    /// Where it is.
    pub node: NodeId,
    /// When it begins.
    pub begin: Cycles,
    /// What it does, in this order.
    pub steps: Vec<Step>,
}

/// The programs of all processors of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// In any order; several may stand at one node.
    pub processors: Vec<ProcessorProgram>,
    /// Receivers of multicasts that are no box; none is empty.
    pub lists: Vec<Vec<NodeId>>,
}

impl ProcessorProgram {
    /// Its transactions, in their order.
    pub fn transactions(&self) -> impl Iterator<Item = &Transaction> {
        self.steps.iter().filter_map(|step| match step {
            Step::Issue(transaction) => Some(transaction),
            Step::Barrier => None,
        })
    }
}

impl Program {
    /// The same program without the issue times: each transaction is issued as soon as its processor comes to it.
    pub fn closed_loop(mut self) -> Self {
        for step in self.processors.iter_mut().flat_map(|program| &mut program.steps) {
            if let Step::Issue(transaction) = step {
                transaction.issue = None;
            }
        }
        self
    }

    /// The same program in which nothing is waited for before the end: each transaction is issued at its known time.
    /// `None` if one has none.
    pub fn open_loop(mut self) -> Option<Self> {
        for program in &mut self.processors {
            program.steps.retain(|step| *step != Step::Barrier);
            program.steps.push(Step::Barrier);
        }
        let all_known =
            self.processors.iter().all(|program| program.transactions().all(|one| one.issue.is_some()));
        all_known.then_some(self)
    }

    /// A time, in cycles, before which no run of this program can end.
    ///
    /// Of a processor: its own steps, one after the other, each transaction as if alone. Of a resource: the bytes that
    /// become ready from some moment on need it for bytes / rate after that moment (less the first flit where there are
    /// routers); the greatest over all moments.
    ///
    /// # Complexity
    ///
    /// O(R log R) for R = transactions times the length of their ways.
    pub fn bound(&self, fabric: &Fabric) -> f64 {
        let (mut loads, mut longest) = (Vec::new(), 0.0f64);
        for program in &self.processors {
            longest = longest.max(self.earliest(program, fabric, |ready, bytes, resource, after| {
                loads.push((resource, ready, bytes, after));
            }));
        }
        loads.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        for one in loads.chunk_by(|a, b| a.0 == b.0) {
            let rate = fabric.rates()[one[0].0 as usize];
            let after = one.iter().map(|load| load.3).fold(f64::INFINITY, f64::min);
            let mut bytes = 0.0;
            for &(_, ready, more, _) in one {
                bytes += more;
                longest = longest.max(ready + passing(fabric, bytes, rate) + after);
            }
        }
        longest
    }
}

/// The fewest cycles in which bytes pass a resource. Routers that were idle pass a flit, and what a cycle brings, at once.
fn passing(fabric: &Fabric, bytes: f64, rate: f64) -> f64 {
    let at_once = fabric.routers().map_or(0.0, |routers| routers.flit.0 as f64 + rate);
    if rate < f64::INFINITY { (bytes - at_once).max(0.0) / rate } else { 0.0 }
}

impl Program {
    /// When a processor ends if nobody else does anything, and for each transaction when at the earliest its bytes are
    /// ready, how many they are, every resource they hold, and what comes behind them.
    fn earliest(
        &self,
        own: &ProcessorProgram,
        fabric: &Fabric,
        mut visit: impl FnMut(f64, f64, u32, f64),
    ) -> f64 {
        let kind = &fabric.processors()[own.processor];
        let cycles = |cycles: Cycles| cycles.0 as f64;
        let mut next = cycles(own.begin) + cycles(kind.first);
        let mut held = Vec::new();
        // When it would come to a barrier; when its last transaction is done; when it ends.
        let (mut barrier, mut done, mut end) = (next, 0.0, next);
        for step in &own.steps {
            match step {
                Step::Issue(transaction) => {
                    let issue = transaction.issue.map_or(next, cycles);
                    (barrier, next) = (issue + cycles(kind.barrier), issue + cycles(kind.gap));
                    let Around { from, to, before } = self.around(fabric, own, transaction);
                    let bytes = transaction.bytes.0 as f64;
                    let mut rate = fabric.rate_table().rate(transaction.bytes);
                    let behind = |to| cycles(receivers::behind(fabric, from, to, transaction));
                    let ready = before - behind(to);
                    self.held(fabric, own, transaction, &mut held);
                    for branch in &held {
                        // The head comes to the resources one after the other; an acknowledgement follows the bytes.
                        let far = cycles(fabric.hop()) * f64::from(branch.hops);
                        let after = behind(branch.farthest) - far + cycles(kind.tail);
                        rate = rate.min(fabric.rates()[branch.resource as usize]);
                        visit(issue + ready + far, bytes, branch.resource, after);
                    }
                    done = f64::max(done, issue + before + passing(fabric, bytes, rate));
                    end = f64::max(end, done);
                }
                Step::Barrier => {
                    let waited = if done > 0.0 { done + cycles(kind.tail) } else { 0.0 };
                    end = f64::max(waited, barrier + cycles(kind.empty));
                    next = end + cycles(kind.resume);
                    barrier = next;
                }
            }
        }
        end
    }
}
