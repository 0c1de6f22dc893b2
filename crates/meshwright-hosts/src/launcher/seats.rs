//! The real places of ranks, compared with those that the file of a launcher wanted.

use std::collections::BTreeMap;

use super::expected::Expected;
use crate::started::{Started, started};

/// Where one rank is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The name of its host.
    pub host: String,
    /// The processors it may run on, in increasing order; none where the system does not tell.
    pub processors: Vec<u32>,
    /// What its launcher told it.
    pub started: Option<Started>,
}

impl Seat {
    /// That of this process, on a host of this name.
    #[expect(clippy::disallowed_methods, reason = "the processors of this process")]
    pub fn here(host: String) -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let processors = list.map_or(Vec::new(), |list| processors(list.trim()));
        Self { host, processors, started: started(&|name| std::env::var(name).ok()) }
    }
}

/// The processors of a list such as `0-3,8`; what is no such list has none.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::seats::processors;
/// assert_eq!(processors("0-2,8"), [0, 1, 2, 8]);
/// assert!(processors("all").is_empty());
/// ```
pub fn processors(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        // No machine has more; a longer list is none.
        (last < 1 << 20).then_some(first..=last)
    };
    let ranges: Option<Vec<_>> = list.split(',').map(range).collect();
    ranges.unwrap_or_default().into_iter().flatten().collect()
}

/// Processors as such a list.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::seats::listed;
/// assert_eq!(listed(&[0, 1, 2, 8]), "0-2,8");
/// ```
pub fn listed(processors: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &processor in processors {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == processor => *last = processor,
            _ => runs.push((processor, processor)),
        }
    }
    let run = |(first, last): (u32, u32)| {
        if first == last { format!("{first}") } else { format!("{first}-{last}") }
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

/// A seat in words and numbers, as it travels: host, processors, and launcher, rank, number of ranks and rank on the host.
pub type Carried = (String, Vec<u32>, Option<(String, u32, (Option<u32>, Option<u32>))>);

impl From<Seat> for Carried {
    fn from(seat: Seat) -> Self {
        let told = |told: Started| (told.launcher, told.rank, (told.ranks, told.local));
        (seat.host, seat.processors, seat.started.map(told))
    }
}

impl From<Carried> for Seat {
    fn from((host, processors, told): Carried) -> Self {
        let started = told.map(|(launcher, rank, (ranks, local))| Started { launcher, rank, ranks, local });
        Self { host, processors, started }
    }
}

/// How many ranks of the same host come before each rank.
///
/// # Complexity
///
/// O(ranks log hosts).
pub fn slots(seats: &[Seat]) -> Vec<u32> {
    let mut taken = BTreeMap::<&str, u32>::new();
    let mut slots = Vec::with_capacity(seats.len());
    for seat in seats {
        let count = taken.entry(&seat.host).or_default();
        slots.push(*count);
        *count += 1;
    }
    slots
}

/// The table of coordinates of what a launcher gave: hosts in a row in the order in which they come, and along a second
/// axis their slots, if a host has several.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::seats::{Seat, coordinates};
/// let at = |host: &str| Seat { host: host.into(), processors: vec![], started: None };
/// assert_eq!(coordinates(&[at("b"), at("a"), at("b")]), "host,slot,x,y\nb,0,0,0\na,0,1,0\nb,1,0,1\n");
/// ```
pub fn coordinates(seats: &[Seat]) -> String {
    let slots = slots(seats);
    let is_shared = slots.iter().any(|&slot| slot > 0);
    let mut hosts = BTreeMap::<&str, usize>::new();
    let mut text = if is_shared { "host,slot,x,y\n" } else { "host,slot,x\n" }.to_string();
    for (seat, slot) in seats.iter().zip(slots) {
        let next = hosts.len();
        let x = hosts.entry(&seat.host).or_insert(next);
        text += &format!("{},{slot},{x}", seat.host);
        text += &if is_shared { format!(",{slot}\n") } else { "\n".to_string() };
    }
    text
}

/// A rank that is not where it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Which one.
    pub rank: u32,
    /// Where it should be: a host, or a core that it has for itself.
    pub expected: String,
    /// Where it is.
    pub found: String,
}

/// The ranks that are not where they should be.
///
/// A rank must be on its host; a name without a domain stands for the same name with one. Where two ranks of a host are
/// to have different slots, no processor may be open to both: what is not bound to a core is not placed on one.
///
/// # Panics
///
/// When there are not as many seats as expected ranks.
///
/// # Complexity
///
/// O(p log p) for p processors that ranks may run on, counted once for each rank.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::expected;
/// use meshwright_hosts::launcher::seats::{Seat, compare};
/// let file = "rank 0=a slot=0\nrank 1=a slot=1\nrank 2=b slot=0\n";
/// let wanted = expected::rankfile(file.as_bytes(), "ranks.txt")?;
/// let at = |host: &str, core| Seat { host: host.into(), processors: vec![core], started: None };
/// assert_eq!(compare(&wanted, &[at("a", 0), at("a", 1), at("b.cluster", 0)]), []);
/// let wrong = compare(&wanted, &[at("a", 1), at("a", 1), at("c", 0)]);
/// assert_eq!((wrong.len(), wrong[0].rank, wrong[1].found.as_str()), (2, 1, "c"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn compare(expected: &[Expected], seats: &[Seat]) -> Vec<Misplaced> {
    assert_eq!(expected.len(), seats.len(), "the caller has compared the numbers of ranks");
    // Who was found on a processor of a host first.
    let mut owners = BTreeMap::<(&str, u32), usize>::new();
    let mut misplaced = Vec::new();
    for (rank, (wanted, seat)) in expected.iter().zip(seats).enumerate() {
        let mut refuse = |expected: String, found: String| {
            misplaced.push(Misplaced { rank: rank as u32, expected, found });
        };
        if !is_same_host(&wanted.host, &seat.host) {
            refuse(wanted.host.clone(), seat.host.clone());
            continue;
        }
        let Some(slot) = wanted.slot else { continue };
        let mut rival = None;
        for &processor in &seat.processors {
            let owner = *owners.entry((&seat.host, processor)).or_insert(rank);
            if expected[owner].slot.is_some_and(|other| other != slot) {
                rival = rival.or(Some((owner, processor)));
            }
        }
        if let Some((owner, processor)) = rival {
            let found = format!("processor {processor}, where rank {owner} is");
            refuse(format!("slot {slot} of {} for itself", wanted.host), found);
        }
    }
    misplaced
}

/// Whether two names are of one host: equal, or one is the other without its domain.
pub(crate) fn is_same_host(one: &str, other: &str) -> bool {
    let is_short_for = |short: &str, long: &str| {
        !short.contains('.') && long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
    };
    one == other || is_short_for(one, other) || is_short_for(other, one)
}
