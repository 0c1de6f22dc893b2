//! Round-trip times between rank 0 and the others.

use std::time::{Duration, Instant};

use super::{Endpoint, Lost, Mailbox, Topic};
use meshwright_core::units::Bytes;

/// A message that is sent back, and whether there is another round.
const PING: u32 = Topic::Ping.tag(0);
const AGAIN: u32 = Topic::Ping.tag(1);

/// What is measured with one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTrips {
    /// Which one.
    pub rank: u32,
    /// The times of empty messages there and back, ascending.
    pub empty: Vec<Duration>,
    /// The times of large messages there and back, ascending.
    pub large: Vec<Duration>,
}

/// Rank 0 sends messages to each of the others in turn and waits for them to come back: at least once, and until the time is
/// over. What it measured, by rank from 1 on; nothing on other ranks.
///
/// # Errors
///
/// [`Lost`] when a rank is lost.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::transport::{Mailbox, ping, threads};
/// use meshwright_core::units::Bytes;
/// use std::time::Duration;
/// let measured = threads::run(3, |endpoint| {
///     ping::round_trips(&mut Mailbox::new(endpoint), Bytes(1_000), Duration::ZERO)
/// })?;
/// assert_eq!(measured[0].iter().map(|trips| trips.rank).collect::<Vec<_>>(), [1, 2]);
/// assert!(measured[0].iter().all(|trips| trips.empty.len() == 1 && trips.large.len() == 1));
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub fn round_trips(
    mail: &mut Mailbox<impl Endpoint>,
    large: Bytes,
    time: Duration,
) -> Result<Vec<RoundTrips>, Lost> {
    if mail.rank() > 0 {
        echo(mail)?;
        return Ok(Vec::new());
    }
    let begin = Instant::now();
    let new = |rank| RoundTrips { rank, empty: Vec::new(), large: Vec::new() };
    let mut measured: Vec<RoundTrips> = (1..mail.ranks()).map(new).collect();
    let mut payload = vec![0; large.0 as usize];
    loop {
        for trips in &mut measured {
            mail.endpoint().tell("measuring round trips");
            let (took, _) = there_and_back(mail, trips.rank, Vec::new())?;
            trips.empty.push(took);
            let (took, back) = there_and_back(mail, trips.rank, payload)?;
            trips.large.push(took);
            payload = back;
        }
        let goes_on = !measured.is_empty() && begin.elapsed() < time;
        mail.send_to_others(AGAIN, &goes_on)?;
        if !goes_on {
            break;
        }
    }
    for trips in &mut measured {
        trips.empty.sort_unstable();
        trips.large.sort_unstable();
    }
    Ok(measured)
}

fn there_and_back(
    mail: &mut Mailbox<impl Endpoint>,
    rank: u32,
    bytes: Vec<u8>,
) -> Result<(Duration, Vec<u8>), Lost> {
    let begin = Instant::now();
    mail.send_bytes(rank, PING, bytes)?;
    let bytes = mail.receive_bytes(rank, PING)?;
    Ok((begin.elapsed(), bytes))
}

/// Sends back both messages of each round.
fn echo(mail: &mut Mailbox<impl Endpoint>) -> Result<(), Lost> {
    mail.endpoint().tell("sending back what comes");
    loop {
        for _ in 0..2 {
            let bytes = mail.receive_bytes(0, PING)?;
            mail.send_bytes(0, PING, bytes)?;
        }
        if !mail.receive::<bool>(0, AGAIN)? {
            return Ok(());
        }
    }
}
