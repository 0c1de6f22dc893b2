//! One value for everyone, who reads it.

use rand::Rng;

use super::super::collectives::value;
use super::{Collectives, Endpoint, Lost, Peers, PoolWay, Task};
use crate::applications::{Broadcast, Copies, Receipt};
use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::Wire;

/// So many bytes at random, for every rank.
pub(in super::super) struct BroadcastCase {
    length: usize,
    seed: u64,
    receivers: u32,
}

impl super::SpeedupCase for BroadcastCase {
    type App = Broadcast;

    const WAYS: &'static [PoolWay<Self>] =
        &[("rayon: join by hand, nothing copied", |_, copies| read(&copies.value, copies.receivers))];

    const COLLECTIVES: &'static str = "*Bcast, read, *Gatherv of receipts";

    fn new(task: &Task) -> Self {
        Self { length: task.size as usize, seed: task.seed, receivers: task.ranks }
    }

    fn app(&self) -> &Self::App {
        &Broadcast
    }

    fn problem(&self) -> Copies {
        let mut value = vec![0; self.length];
        rng::stream(self.seed, "value to broadcast").fill_bytes(&mut value);
        Copies { value, receivers: self.receivers }
    }

    fn volume(&self) -> Bytes {
        Bytes(12 + self.length as u64)
    }

    /// The checksum by its definition: FNV-1a of 64 bits.
    fn reference(&self, problem: &Copies) -> Receipt {
        let mut checksum = 14_695_981_039_346_656_037u64;
        for &byte in &problem.value {
            checksum ^= u64::from(byte);
            checksum = checksum.wrapping_mul(1_099_511_628_211);
        }
        Receipt { receivers: self.receivers, checksum, agree: true }
    }

    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        problem: Option<Copies>,
    ) -> Result<Option<Receipt>, Lost> {
        let given = problem.map(|copies| copies.value).unwrap_or_default();
        let value_here = peers.collectives.broadcast(peers.root, given)?;
        let receipt = peers.mail.compute(|| read(&value_here, 1))?;
        let receipts = peers.collectives.gather(peers.root, receipt.to_bytes())?;
        Ok(receipts.and_then(|all| {
            let read = all.iter().map(|receipt| value(receipt));
            read.reduce(|one, other| Broadcast.combine(one, other))
        }))
    }
}

/// So many receivers read the value.
fn read(value: &[u8], receivers: u32) -> Receipt {
    if receivers < 2 {
        let checksum = rng::digest(value.iter().copied());
        return Receipt { receivers, checksum, agree: true };
    }
    let (one, other) = rayon::join(|| read(value, receivers / 2), || read(value, receivers - receivers / 2));
    Broadcast.combine(one, other)
}
