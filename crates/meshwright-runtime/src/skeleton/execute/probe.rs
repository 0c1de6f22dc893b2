//! Measurement of the real ranks: one time for all of them, and what a message costs.

use std::time::Instant;

use super::{PING, PONG};
use crate::transport::{Endpoint, Lost, Mailbox};
use meshwright_core::statistics::median;

/// The shortest of so many round trips says most about a clock.
const ROUNDS: usize = 5;

/// The median of so many small messages is the start-up, of so many large ones the time per byte.
const SMALL_ROUNDS: usize = 21;
const LARGE_ROUNDS: usize = 5;

/// A large message, in bytes.
const LARGE: usize = 1 << 20;

/// The clock of a rank; at rank 0 also how far the others are ahead of it.
#[derive(Clone, Debug)]
pub struct Clock {
    origin: Instant,
    /// Nanoseconds since 1970 at the origin, by the clock of the host.
    since: i64,
    ahead: Vec<i64>,
}

impl Clock {
    #[expect(
        clippy::disallowed_types,
        reason = "measured times are no results, and hosts have no other clock in common"
    )]
    fn new() -> Self {
        use std::time::{SystemTime, UNIX_EPOCH};
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i64);
        Self { origin: Instant::now(), since, ahead: Vec::new() }
    }

    /// A moment in nanoseconds on this clock.
    pub(super) fn at(&self, moment: Instant) -> i64 {
        match moment.checked_duration_since(self.origin) {
            Some(after) => self.since + after.as_nanos() as i64,
            None => self.since - self.origin.duration_since(moment).as_nanos() as i64,
        }
    }

    /// How many nanoseconds the clock of a rank is ahead of that of rank 0, at rank 0.
    pub fn ahead(&self, rank: u32) -> i64 {
        self.ahead.get(rank as usize).copied().unwrap_or(0)
    }
}

/// Compares the clocks of all ranks with that of rank 0; every rank calls it at the same time.
///
/// Of five round trips the shortest counts. Clocks are taken as equal unless they differ by more than half of it:
/// processes of one host have one clock.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn clock<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<Clock, Lost> {
    let mut clock = Clock::new();
    if mail.rank() > 0 {
        for _ in 0..ROUNDS {
            mail.receive::<()>(0, PING)?;
            mail.send(0, PING, &clock.at(Instant::now()))?;
        }
        return Ok(clock);
    }
    clock.ahead.push(0);
    for rank in 1..mail.ranks() {
        let mut best = (i64::MAX, 0);
        for _ in 0..ROUNDS {
            let sent = clock.at(Instant::now());
            mail.send(rank, PING, &())?;
            let there: i64 = mail.receive(rank, PING)?;
            let came = clock.at(Instant::now());
            best = best.min((came - sent, there - sent.midpoint(came)));
        }
        let (trip, ahead) = best;
        clock.ahead.push(if ahead.abs() <= trip / 2 + 1 { 0 } else { ahead });
    }
    Ok(clock)
}

/// What a message between real ranks costs: start-up + time per byte * bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// The start-up c, in nanoseconds.
    pub startup: f64,
    /// b, in nanoseconds per byte.
    pub byte_time: f64,
}

/// Measures what a message between ranks costs while all ranks send: rank r and the rank half of them further on exchange
/// messages, all pairs at a time; one rank sends to itself. Every rank calls it at the same time; all are told the result,
/// the median of all pairs.
///
/// ```text
/// c = median of t(0),  b = (median of t(1 MiB) - c) / 1 MiB,  t = half a round trip
/// ```
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn links<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<Links, Lost> {
    let (ranks, rank) = (mail.ranks(), mail.rank());
    let half = ranks / 2;
    let own = if ranks == 1 {
        Some(measured(0, 1.0, mail)?)
    } else if rank < half {
        Some(measured(rank + half, 2.0, mail)?)
    } else {
        if rank < 2 * half {
            echo(rank - half, mail)?;
        }
        None
    };
    if rank > 0 {
        if let Some(own) = own {
            mail.send(0, PING, &own)?;
        }
        let (startup, byte_time) = mail.receive(0, PING)?;
        return Ok(Links { startup, byte_time });
    }
    let mut all: Vec<(f64, f64)> = own.into_iter().collect();
    for rank in 1..half {
        all.push(mail.receive(rank, PING)?);
    }
    let (startups, byte_times): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
    let result = (middle(startups), middle(byte_times));
    mail.send_to_others(PING, &result)?;
    Ok(Links { startup: result.0, byte_time: result.1 })
}

/// Start-up and time per byte between this rank and its partner, over so many ways a round.
fn measured<E: Endpoint>(partner: u32, ways: f64, mail: &mut Mailbox<E>) -> Result<(f64, f64), Lost> {
    let mut median_of = |rounds: usize, bytes: usize| {
        let mut times = Vec::new();
        for _ in 0..rounds {
            let message = vec![0x55; bytes];
            let begin = Instant::now();
            mail.send_bytes(partner, PONG, message)?;
            mail.receive_bytes(partner, PONG)?;
            times.push(begin.elapsed().as_nanos() as f64 / ways);
        }
        Ok(middle(times))
    };
    let (startup, large) = (median_of(SMALL_ROUNDS, 0)?, median_of(LARGE_ROUNDS, LARGE)?);
    Ok((startup, (large - startup).max(0.0) / LARGE as f64))
}

/// Sends back whatever the partner sends.
fn echo<E: Endpoint>(partner: u32, mail: &mut Mailbox<E>) -> Result<(), Lost> {
    for _ in 0..SMALL_ROUNDS + LARGE_ROUNDS {
        let bytes = mail.receive_bytes(partner, PONG)?;
        mail.send_bytes(partner, PONG, bytes)?;
    }
    Ok(())
}

fn middle(times: Vec<f64>) -> f64 {
    median(times).expect("something was measured")
}
