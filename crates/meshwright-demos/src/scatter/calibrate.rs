//! Calibration: the speed of ranks and links, measured on the ranks themselves.

use std::time::Instant;

use serde::Serialize;

use super::protocol::{self, CLOCK, COUNT, Clock, NAME, PING, SAMPLE, STOP};
use super::worker::slowly;
use super::{Load, PieceWork, ScatterSettings};
use crate::star::{Rank, Results};
use meshwright_core::statistics::median;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox};

/// How often a clock is asked; the quickest answer counts.
const ASKED: u32 = 8;

/// How often each of the two messages goes to a rank and its receipt comes back; of more ranks than [`MANY`], the least
/// that has a median.
const PINGS: usize = 5;
const PINGS_OF_MANY: usize = 3;
const MANY: u32 = 16;

/// The work of a rank is measured in so many rounds.
const ROUNDS: usize = 5;

/// So many moments are kept at most.
const MOMENTS: usize = 1 << 12;

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
/// s = median t(0),  z = max(median t(n) - median t(0), min t(n) - min t(0)) / n
/// w = median over five rounds, one after the other: time of a round / bytes worked on in it
/// ```
///
/// A message may wait until its rank gets a core, and a rank may stand still meanwhile, so one time says little. All ranks work at the
/// same time, so w is that of a rank that shares its core with those it shares it with.
///
/// # Errors
///
/// [`Lost`] when a rank is.
pub(super) fn calibrate<E: Endpoint>(
    mail: &mut Mailbox<E>,
    load: &dyn Load,
    work: &dyn PieceWork,
    settings: &ScatterSettings,
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
    mail.send_to_others(COUNT, &())?;
    let piece = load.piece(sample(0));
    let (start, mut repetitions) = (Instant::now(), Repetitions::begin(clock.now()));
    while repetitions.is_empty() || start.elapsed() < settings.calibration {
        std::hint::black_box(slowly(mail, work, &piece, settings.times(0))?);
        repetitions.done(clock.now());
    }
    measured[0].times.work = repetitions.seconds() / bytes(0);
    mail.send_to_others(STOP, &())?;
    for rank in 1..ranks {
        measured[rank as usize].times.work = mail.receive::<f64>(rank, STOP)? / bytes(rank);
    }
    let results = results(mail, load, work, sample(0).start, sample_size)?;
    let seconds = clock.seconds() - begin;
    Ok(Calibration { ranks: measured, results, sample_bytes: sample_size, message_bytes: message, seconds })
}

/// The moments between repetitions of some work, in nanoseconds; of many only every second, fourth, ... one.
pub(super) struct Repetitions {
    moments: Vec<u64>,
    count: u64,
    stride: u64,
}

impl Repetitions {
    /// The first one begins.
    pub(super) fn begin(now: u64) -> Self {
        Self { moments: vec![now], count: 0, stride: 1 }
    }

    /// One is done, the next begins.
    pub(super) fn done(&mut self, now: u64) {
        self.count += 1;
        if self.count.is_multiple_of(self.stride) {
            self.moments.push(now);
        }
        if self.moments.len() > MOMENTS {
            self.moments = self.moments.iter().copied().step_by(2).collect();
            self.stride *= 2;
        }
    }

    /// Whether none is done.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How long one takes, in seconds: the median of the rounds. A clock that stood still shows a nanosecond.
    ///
    /// # Panics
    ///
    /// When none is done.
    pub(super) fn seconds(&self) -> f64 {
        let count = self.moments.len() - 1;
        let rounds = ROUNDS.min(count);
        let round = |number: usize| {
            let (begin, end) = (number * count / rounds, (number + 1) * count / rounds);
            let time = self.moments[end].saturating_sub(self.moments[begin]).max(1);
            protocol::seconds(time) / ((end - begin) as u64 * self.stride) as f64
        };
        middle(&(0..rounds).map(round).collect::<Vec<_>>())
    }
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

/// Start-up and seconds per byte of messages to a rank: the larger difference, of the medians or of the quickest.
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
    let difference = |of: fn(&[f64]) -> f64| (of(&times[1]) - of(&times[0])).max(0.0);
    Ok((middle(&times[0]), difference(middle).max(difference(least)) / bytes as f64))
}

fn middle(times: &[f64]) -> f64 {
    median(times.iter().copied()).expect("something was measured")
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The size of results as a line through those of a sample and of half of it.
fn results<E: Endpoint>(
    mail: &mut Mailbox<E>,
    load: &dyn Load,
    work: &dyn PieceWork,
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

#[cfg(test)]
mod tests {
    use super::{MOMENTS, Repetitions};

    fn seconds(times: &[u64]) -> f64 {
        let mut now = 5;
        let mut repetitions = Repetitions::begin(now);
        for time in times {
            now += time;
            repetitions.done(now);
        }
        repetitions.seconds()
    }

    #[test]
    fn a_round_that_stood_still_does_not_count() {
        // Two repetitions of 1 ms in each of the five rounds; then one of them takes a second.
        let mut times = [1_000_000; 10];
        assert!((seconds(&times) - 1e-3).abs() < 1e-12);
        times[6] = 1_000_000_000;
        assert!((seconds(&times) - 1e-3).abs() < 1e-12);
        // Two ranks on one core, in turns: a round has both, the work and the wait.
        assert!((seconds(&[1, 3].repeat(50)) - 2e-9).abs() < 1e-18);
    }

    #[test]
    fn few_and_many_repetitions() {
        assert_eq!((seconds(&[2]), seconds(&[1, 3]), seconds(&[0])), (2e-9, 2e-9, 1e-9));
        for count in [MOMENTS, MOMENTS + 1, 5 * MOMENTS + 3] {
            assert!((seconds(&vec![7; count]) - 7e-9).abs() < 1e-15, "{count}");
        }
    }
}
