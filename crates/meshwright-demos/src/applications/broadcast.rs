//! One value for everyone.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | alpha = 1 down | the whole value goes on | bytes |
//!
//! Dividing parts the receivers, not the value. What comes back is a receipt of a few bytes.

use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::Wire;

/// A value for so many receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// What everyone gets.
    pub value: Vec<u8>,
    /// How many get it.
    pub receivers: u32,
}

/// Four bytes for the receivers and eight for the length, then the value.
impl Wire for Copies {
    fn volume(&self) -> Bytes {
        Bytes(4 + self.value.volume().0)
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.receivers.write(out);
        self.value.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (receivers, value) = Wire::read(from)?;
        Some(Self { value, receivers })
    }
}

/// Who has read the value, and what they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// How many have read it.
    pub receivers: u32,
    /// The checksum of what one of them read.
    pub checksum: u64,
    /// Whether all read the same.
    pub agree: bool,
}

impl Wire for Receipt {
    fn volume(&self) -> Bytes {
        Bytes(13)
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.receivers, self.checksum, self.agree).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (receivers, checksum, agree) = Wire::read(from)?;
        Some(Self { receivers, checksum, agree })
    }
}

/// Broadcast: the whole value goes to both sides of the receivers, and each receiver reads it.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::{Broadcast, Copies};
/// use meshwright_runtime::skeleton::on_threads;
/// let receipt = on_threads(&Broadcast, Copies { value: b"news".to_vec(), receivers: 5 });
/// assert_eq!((receipt.receivers, receipt.agree), (5, true));
/// ```
///
/// # Source
///
/// `lo1990`, section 3: broadcasting a value.
#[derive(Clone, Copy, Debug)]
pub struct Broadcast;

impl DivideAndConquer for Broadcast {
    type Problem = Copies;
    type Solution = Receipt;

    fn is_small(&self, copies: &Copies) -> bool {
        copies.receivers < 2
    }

    fn solve(&self, copies: Copies) -> Receipt {
        let checksum = rng::digest(copies.value.iter().copied());
        Receipt { receivers: copies.receivers, checksum, agree: true }
    }

    fn divide(&self, copies: Copies, (kept, sent): (u32, u32)) -> (Copies, Copies) {
        let workers = u64::from(kept) + u64::from(sent);
        let here = (u64::from(copies.receivers) * u64::from(kept) / workers) as u32;
        let here = here.clamp(1, copies.receivers - 1);
        let there = Copies { value: copies.value.clone(), receivers: copies.receivers - here };
        (Copies { receivers: here, ..copies }, there)
    }

    fn combine(&self, kept: Receipt, sent: Receipt) -> Receipt {
        Receipt {
            receivers: kept.receivers + sent.receivers,
            checksum: kept.checksum,
            agree: kept.agree && sent.agree && kept.checksum == sent.checksum,
        }
    }
}
