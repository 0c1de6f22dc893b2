//! The messages between rank 0 and the others.

use std::time::{Duration, Instant};

use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Topic, Wire};

/// To a rank: say how you are called. From it: its host.
pub(super) const NAME: u32 = Topic::Scatter.tag(1);
/// To a rank: some bytes. From it: they are there.
pub(super) const PING: u32 = Topic::Scatter.tag(2);
/// To a rank: what does your clock say? From it: nanoseconds.
pub(super) const CLOCK: u32 = Topic::Scatter.tag(3);
/// To a rank: a piece to work on again and again.
pub(super) const SAMPLE: u32 = Topic::Scatter.tag(4);
/// To a rank that works on a sample: count from now on.
pub(super) const COUNT: u32 = Topic::Scatter.tag(5);
/// To a rank that works on a sample: it is enough. From it: how many seconds one time takes.
pub(super) const STOP: u32 = Topic::Scatter.tag(6);
/// To a rank: its piece, in blocks. From it: the piece is there.
pub(super) const PIECE: u32 = Topic::Scatter.tag(7);
/// From a rank: its times and the results, in blocks.
pub(super) const RESULTS: u32 = Topic::Scatter.tag(8);
/// To a rank: all is done.
pub(super) const END: u32 = Topic::Scatter.tag(9);

/// The longest message; a piece may be longer.
const BLOCK: usize = 1 << 28;

/// A clock that counts from the beginning of the run on this rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    Real(Instant),
    /// Nanoseconds that a test counts itself.
    #[cfg(test)]
    Played(&'static std::sync::atomic::AtomicU64),
}

impl Clock {
    pub(super) fn start() -> Self {
        Self::Real(Instant::now())
    }

    /// Nanoseconds since it was started.
    pub(super) fn now(&self) -> u64 {
        match self {
            Self::Real(begin) => begin.elapsed().as_nanos() as u64,
            #[cfg(test)]
            Self::Played(now) => now.load(std::sync::atomic::Ordering::Relaxed),
        }
    }

    /// Seconds since it was started.
    pub(super) fn seconds(&self) -> f64 {
        seconds(self.now())
    }
}

/// Sends bytes of any length: the length, then blocks.
pub(super) fn send<E: Endpoint>(
    mail: &mut Mailbox<E>,
    to: u32,
    tag: u32,
    bytes: Vec<u8>,
    block: usize,
) -> Result<(), Lost> {
    mail.send(to, tag, &(bytes.len() as u64))?;
    if bytes.len() <= block {
        return mail.send_bytes(to, tag, bytes);
    }
    bytes.chunks(block).try_for_each(|block| mail.send_bytes(to, tag, block.to_vec()))
}

/// The same with the usual blocks.
pub(super) fn send_whole<E: Endpoint>(
    mail: &mut Mailbox<E>,
    to: u32,
    tag: u32,
    bytes: Vec<u8>,
) -> Result<(), Lost> {
    send(mail, to, tag, bytes, BLOCK)
}

/// Takes bytes that were sent by [`send`].
pub(super) fn receive_whole<E: Endpoint>(
    mail: &mut Mailbox<E>,
    from: u32,
    tag: u32,
) -> Result<Vec<u8>, Lost> {
    let length = mail.receive::<u64>(from, tag)? as usize;
    receive_rest(mail, from, tag, length)
}

/// Takes the blocks of so many bytes.
pub(super) fn receive_rest<E: Endpoint>(
    mail: &mut Mailbox<E>,
    from: u32,
    tag: u32,
    length: usize,
) -> Result<Vec<u8>, Lost> {
    let mut bytes = mail.receive_bytes(from, tag)?;
    while bytes.len() < length {
        bytes.extend(mail.receive_bytes(from, tag)?);
    }
    Ok(bytes)
}

/// Takes bytes that were sent by [`send`], whoever else is lost meanwhile.
pub(super) fn receive_patiently<E: Endpoint>(
    mail: &mut Mailbox<E>,
    from: u32,
    tag: u32,
) -> Result<Vec<u8>, Lost> {
    let one = |mail: &mut Mailbox<E>| loop {
        match mail.receive_bytes(from, tag) {
            Err(lost) if lost.rank != from && lost.rank != mail.rank() => {}
            other => return other,
        }
    };
    let length = one(mail)?;
    let length = u64::from_bytes(&length).expect("a piece begins with its length") as usize;
    let mut bytes = one(mail)?;
    while bytes.len() < length {
        bytes.extend(one(mail)?);
    }
    Ok(bytes)
}

/// Nanoseconds as seconds.
pub(super) fn seconds(nanoseconds: u64) -> f64 {
    Duration::from_nanos(nanoseconds).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::{receive_whole, send};
    use meshwright_runtime::transport::{Endpoint, Mailbox, threads};

    #[test]
    fn blocks_are_put_together() {
        for length in [0usize, 1, 6, 7, 8, 14, 15, 100] {
            let bytes: Vec<u8> = (0..length as u32).map(|i| i as u8).collect();
            let seen = threads::run(2, |endpoint| {
                let is_first = endpoint.rank() == 0;
                let mut mail = Mailbox::new(endpoint);
                if is_first {
                    send(&mut mail, 1, 3, bytes.clone(), 7)?;
                    send(&mut mail, 1, 3, b"next".to_vec(), 7)?;
                    return Ok((vec![], vec![]));
                }
                Ok((receive_whole(&mut mail, 0, 3)?, receive_whole(&mut mail, 0, 3)?))
            });
            assert_eq!(seen.expect("nobody is lost")[1], (bytes, b"next".to_vec()));
        }
    }
}
