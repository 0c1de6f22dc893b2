//! The orders of rank 0 to the others: ranks need no file of their own.

use std::time::Duration;

use crate::skeleton::execute::Settings;
use crate::transport::Wire;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_schedule::{Awaits, Dependency, Op, Rank};

/// An order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Order {
    /// The input was refused.
    Nothing,
    /// Play this program.
    Play(Settings, Rank),
}

/// A step as it travels: kind and peer; tag; bytes or cycles.
type StepKey = ((u8, u32), u32, u64);

/// A rank as it travels: its steps; step, step it waits for, and whether for the start only.
type ProgramForm = (Vec<StepKey>, Vec<(u32, u32, bool)>);

/// An order as it travels: the nanoseconds of a cycle, and those of patience; the program.
type Travelling = Option<((Option<f64>, u64), ProgramForm)>;

fn step(op: &Op) -> StepKey {
    match *op {
        Op::Send { peer, bytes, tag } => ((0, peer.0), tag, bytes.0),
        Op::Recv { peer, bytes, tag } => ((1, peer.0), tag, bytes.0),
        Op::Calc { cycles } => ((2, 0), 0, cycles.0),
    }
}

fn op(&((kind, peer), tag, amount): &StepKey) -> Op {
    let (peer, bytes) = (NodeId(peer), Bytes(amount));
    match kind {
        0 => Op::Send { peer, bytes, tag },
        1 => Op::Recv { peer, bytes, tag },
        _ => Op::Calc { cycles: Cycles(amount) },
    }
}

impl Order {
    fn travelling(&self) -> Travelling {
        match self {
            Self::Nothing => None,
            Self::Play(settings, rank) => {
                let wait = |d: &Dependency| (d.step, d.on, d.awaits.is_start());
                let program =
                    (rank.ops.iter().map(step).collect(), rank.dependencies.iter().map(wait).collect());
                Some(((settings.cycle_nanoseconds, settings.patience.as_nanos() as u64), program))
            }
        }
    }
}

impl Wire for Order {
    fn volume(&self) -> Bytes {
        self.travelling().volume()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.travelling().write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let Some(((cycle_nanoseconds, patience), (steps, waits))) = Travelling::read(from)? else {
            return Some(Self::Nothing);
        };
        let settings = Settings { cycle_nanoseconds, patience: Duration::from_nanos(patience) };
        // Ranks know no routers: what relays waits for the end.
        let awaits = |is_start| if is_start { Awaits::Start } else { Awaits::End };
        let dependency = |(step, on, is_start)| Dependency { step, on, awaits: awaits(is_start) };
        let ops = steps.iter().map(op).collect();
        Some(Self::Play(
            settings,
            Rank { ops, dependencies: waits.into_iter().map(dependency).collect(), ..Rank::default() },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_there_and_back() {
        let (peer, bytes, tag) = (NodeId(7), Bytes(1 << 40), u32::MAX);
        let ops = vec![
            Op::Send { peer, bytes, tag },
            Op::Recv { peer, bytes, tag: 3 },
            Op::Calc { cycles: Cycles(1 << 44) },
        ];
        let dependencies = vec![
            Dependency { step: 1, on: 0, awaits: Awaits::Start },
            Dependency { step: 2, on: 0, awaits: Awaits::End },
        ];
        let settings = Settings { cycle_nanoseconds: Some(0.5), patience: Duration::from_millis(1500) };
        let still = Settings { cycle_nanoseconds: None, ..settings };
        for order in [
            Order::Play(settings, Rank { ops, dependencies, ..Rank::default() }),
            Order::Play(still, Rank::default()),
            Order::Nothing,
        ] {
            let mut bytes = Vec::new();
            order.write(&mut bytes);
            assert_eq!(Bytes(bytes.len() as u64), order.volume());
            assert_eq!(Order::read(&mut bytes.as_slice()), Some(order));
        }
    }
}
