//! What ranks and links take, measured on the ranks themselves.

use std::time::Instant;

use serde::Serialize;

use super::protocol::{self, CLOCK, COUNT, Clock, NAME, PING, SAMPLE, STOP};
use super::worker::slowly;
use super::{Load, Settings, Work};
use crate::load::star::{Rank, Results};
use crate::statistics::median;
use crate::transport::{Endpoint, Lost, Mailbox};

/// How often a clock is asked; the quickest answer counts.
const ASKED: u32 = 8;

/// How often each of the two messages goes to a rank and its receipt comes back; of more ranks than [`MANY`], the least
/// that has a median.
const PINGS: usize = 5;
const PINGS_OF_MANY: usize = 3;
const MANY: u32 = 16;

/// The longest message that is measured, and the shortest of the long ones.
const LONG: (u64, u64) = (1 << 22, 1 << 16);

/// The longest sample.
const SAMPLE_MAX: u64 = 1 << 18;

/// What was measured of one rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Where it runs.
    pub host: String,
    /// What it takes, and a message to it.
    pub times: Rank,
    /// Its clock minus that of rank 0, in seconds.
    pub clock_offset: f64,
    /// By how much that may be wrong, in seconds.
    pub clock_error: f64,
}

/// What was measured before anything is divided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// By rank.
    pub ranks: Vec<Measured>,
    /// How large results are, from two pieces on rank 0.
    pub results: Results,
    /// How many bytes each rank worked on, again and again.
    pub sample_bytes: u64,
    /// How long the long messages were, in bytes.
    pub message_bytes: u64,
    /// How long all this took, in seconds.
    pub seconds: f64,
}

/// Measures all ranks: clocks first, while nobody works; then each rank gets its messages while those before it are at work,
/// as they will be; then all work at the same time.
///
/// A message counts until its receipt is back, as in the run. With times t(0) and t(n) of messages of 0 and n bytes,
///
/// ```text
/// s = median t(0),  z = (min t(n) - min t(0)) / n,  w = time of all repetitions / their bytes
/// ```
///
/// A message may wait until its rank gets a core, so one time says little; the difference of the quickest is that of
/// the bytes.
///
/// # Errors
///
/// [`Lost`] when a rank is.
pub(super) fn calibrate<E: Endpoint>(
    mail: &mut Mailbox<E>,
    load: &dyn Load,
    work: &dyn Work,
    settings: &Settings,
    clock: Clock,
) -> Result<Calibration, Lost> {
    let begin = clock.seconds();
    let ranks = mail.ranks();
    let share = load.bytes() / u64::from(ranks);
    let sample_size = share.clamp(1, SAMPLE_MAX);
    let message = share.clamp(LONG.1, LONG.0);
    let sample = |rank: u32| load.sample(u64::from(rank) * share, sample_size);
    let bytes = |rank: u32| {
        let part = sample(rank);
        (part.end - part.start).max(1) as f64
    };
    let mut measured = vec![Measured {
        host: settings.host.clone(),
        times: Rank { work: 0.0, link: 0.0, startup: 0.0 },
        clock_offset: 0.0,
        clock_error: 0.0,
    }];
    for rank in 1..ranks {
        mail.send(rank, NAME, &())?;
        let host = mail.receive::<String>(rank, NAME)?;
        let (clock_offset, clock_error) = offset(mail, rank, clock)?;
        let times = Rank { work: 0.0, link: 0.0, startup: 0.0 };
        measured.push(Measured { host, times, clock_offset, clock_error });
    }
    for rank in 1..ranks {
        let times = &mut measured[rank as usize].times;
        (times.startup, times.link) = ping(mail, rank, message)?;
        mail.send_bytes(rank, SAMPLE, load.piece(sample(rank)))?;
    }
    (1..ranks).try_for_each(|rank| mail.send(rank, COUNT, &()))?;
    let piece = load.piece(sample(0));
    let (start, mut count) = (Instant::now(), 0u64);
    while count == 0 || start.elapsed() < settings.calibration {
        std::hint::black_box(slowly(mail, work, &piece, settings.times(0))?);
        count += 1;
    }
    measured[0].times.work = start.elapsed().as_secs_f64() / (count as f64 * bytes(0));
    (1..ranks).try_for_each(|rank| mail.send(rank, STOP, &()))?;
    for rank in 1..ranks {
        let (nanoseconds, count) = mail.receive::<(u64, u64)>(rank, STOP)?;
        measured[rank as usize].times.work =
            protocol::seconds(nanoseconds.max(1)) / (count as f64 * bytes(rank));
    }
    let results = results(mail, load, work, sample(0).start, sample_size)?;
    let seconds = clock.seconds() - begin;
    Ok(Calibration { ranks: measured, results, sample_bytes: sample_size, message_bytes: message, seconds })
}

/// The clock of a rank minus that of rank 0, and by how much that may be wrong: half of the quickest question and answer.
fn offset<E: Endpoint>(mail: &mut Mailbox<E>, rank: u32, clock: Clock) -> Result<(f64, f64), Lost> {
    let mut best = (0.0, f64::INFINITY);
    for _ in 0..ASKED {
        let asked = clock.seconds();
        mail.send(rank, CLOCK, &())?;
        let its = protocol::seconds(mail.receive::<u64>(rank, CLOCK)?);
        let half = (clock.seconds() - asked) / 2.0;
        if half < best.1 {
            best = (its - (asked + half), half);
        }
    }
    Ok(best)
}

/// Start-up and seconds per byte of messages to a rank.
fn ping<E: Endpoint>(mail: &mut Mailbox<E>, rank: u32, bytes: u64) -> Result<(f64, f64), Lost> {
    let payload = vec![1; bytes as usize];
    let pings = if mail.ranks() > MANY { PINGS_OF_MANY } else { PINGS };
    let mut times = [vec![], vec![]];
    for _ in 0..pings {
        for (long, times) in times.iter_mut().enumerate() {
            let begin = Instant::now();
            // The bytes are copied, as those of a piece are.
            mail.send_bytes(rank, PING, if long == 1 { payload.clone() } else { vec![] })?;
            mail.receive::<()>(rank, PING)?;
            times.push(begin.elapsed().as_secs_f64());
        }
    }
    let [shortest, quickest] =
        times.each_ref().map(|times| times.iter().copied().fold(f64::INFINITY, f64::min));
    let startup = median(times[0].iter().copied()).expect("there is a ping");
    Ok((startup, (quickest - shortest).max(0.0) / bytes as f64))
}

/// The size of results as a line through those of a sample and of half of it.
fn results<E: Endpoint>(
    mail: &mut Mailbox<E>,
    load: &dyn Load,
    work: &dyn Work,
    near: u64,
    bytes: u64,
) -> Result<Results, Lost> {
    let mut of = |bytes: u64| -> Result<(f64, f64), Lost> {
        let part = load.sample(near, bytes.max(1));
        let length = part.end - part.start;
        let piece = load.piece(part);
        Ok((length as f64, mail.compute(|| work.work(&piece))?.len() as f64))
    };
    let (whole, half) = (of(bytes)?, of(bytes / 2)?);
    if whole.0 <= half.0 {
        return Ok(Results { constant: whole.1, share: 0.0 });
    }
    let share = ((whole.1 - half.1) / (whole.0 - half.0)).max(0.0);
    Ok(Results { constant: (whole.1 - share * whole.0).max(0.0), share })
}
