//! The part of every rank but 0.

use std::time::Duration;

use super::PieceWork;
use super::calibrate::Repetitions;
use super::protocol::{self, CLOCK, COUNT, Clock, END, NAME, PIECE, PING, RESULTS, SAMPLE, STOP};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Wire};

/// How long one look for an order lasts.
const LOOK: Duration = Duration::from_millis(200);

/// Works a piece off, as often as a slow rank would take longer.
pub(super) fn slowly<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    piece: &[u8],
    times: u32,
) -> Result<Vec<u8>, Lost> {
    let repeated = || {
        for _ in 1..times {
            std::hint::black_box(work.work(std::hint::black_box(piece)));
        }
        work.work(piece)
    };
    mail.compute(repeated)
}

/// Does what rank 0 asks for until all is done.
///
/// `host` is the name under which this rank appears in tables; `times` is how often it repeats its work, 1 for a rank
/// that is not slowed down.
///
/// # Errors
///
/// [`Lost`] when a rank is.
///
/// # Panics
///
/// When rank 0 sends what is no order.
pub fn serve<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    host: &str,
    times: u32,
) -> Result<(), Lost> {
    follow(mail, work, host, Pace { sampled: times, worked: times }, false)
}

/// How often a rank does its work to play a slow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// While it is measured.
    pub sampled: u32,
    /// Later.
    pub worked: u32,
}

/// As [`serve`] at this pace.
///
/// # Errors
///
/// As for [`serve`].
///
/// # Panics
///
/// As for [`serve`].
pub fn serve_paced<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    host: &str,
    pace: Pace,
) -> Result<(), Lost> {
    follow(mail, work, host, pace, false)
}

/// As [`serve`], but goes on when other ranks than 0 are lost: what an adaptive run wants, see
/// [`ScatterSettings::adaptive`](super::ScatterSettings).
///
/// # Errors
///
/// [`Lost`] when rank 0 is, or this one.
///
/// # Panics
///
/// When rank 0 sends what is no order.
pub fn serve_on<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    host: &str,
    pace: Pace,
) -> Result<(), Lost> {
    follow(mail, work, host, pace, true)
}

fn follow<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    host: &str,
    pace: Pace,
    goes_on: bool,
) -> Result<(), Lost> {
    let clock = Clock::start();
    let Pace { sampled, worked: times } = pace;
    mail.endpoint().tell("working for rank 0, or waiting for work");
    loop {
        let order = match mail.next(LOOK) {
            Ok(Some(order)) => order,
            Err(lost) if !goes_on || lost.rank == 0 || lost.rank == mail.rank() => return Err(lost),
            Ok(None) | Err(_) => continue,
        };
        match order.tag {
            NAME => mail.send(0, NAME, &host.to_string())?,
            PING => mail.send(0, PING, &())?,
            CLOCK => mail.send(0, CLOCK, &clock.now())?,
            SAMPLE => sample(mail, work, &order.bytes, sampled, clock)?,
            PIECE => {
                let length = u64::from_bytes(&order.bytes).expect("a piece begins with its length");
                let piece = protocol::receive_rest(mail, 0, PIECE, length as usize)?;
                let there = clock.now();
                mail.send(0, PIECE, &())?;
                let begin = clock.now();
                let results = slowly(mail, work, &piece, times)?;
                mail.send(0, RESULTS, &(there, begin, clock.now()))?;
                protocol::send_whole(mail, 0, RESULTS, results)?;
            }
            END => return Ok(()),
            tag => unreachable!("rank 0 gives no order {tag}"),
        }
    }
}

/// Works on a sample until it is enough, and says how long one time takes, in seconds.
fn sample<E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: &dyn PieceWork,
    piece: &[u8],
    times: u32,
    clock: Clock,
) -> Result<(), Lost> {
    let (mut repetitions, mut stop) = (Repetitions::begin(clock.now()), false);
    while !stop || repetitions.is_empty() {
        std::hint::black_box(slowly(mail, work, piece, times)?);
        repetitions.done(clock.now());
        while let Some(order) = mail.next(Duration::ZERO)? {
            match order.tag {
                COUNT => repetitions = Repetitions::begin(clock.now()),
                STOP => stop = true,
                tag => unreachable!("a rank at work is not asked for {tag}"),
            }
        }
    }
    mail.send(0, STOP, &repetitions.seconds())
}
