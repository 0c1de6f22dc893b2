//! One source when a link serves one message at a time and every processor gets one message, by one path.
//!
//! The d links of the source feed d branches. The processors of a branch are served one after the other, relays pass
//! messages on without delay, and all stop together: then as many processors on each branch is best, since each
//! further one on a branch adds less than the one before. Where layers hold at most d nodes, this is the thesis.

use meshwright_core::error::{Error, Result};
use meshwright_load::{Forwarding, Number};

/// How many processors a branch serves at each step: step k counts the branches with at least k processors.
fn branches_by_step(nodes: u64, degree: u64) -> impl Iterator<Item = u64> {
    let others = nodes.saturating_sub(1);
    let full = others.checked_div(degree).unwrap_or(0);
    let rest = others.checked_rem(degree).filter(|&rest| rest > 0);
    (0..full).map(move |_| degree).chain(rest)
}

/// Refuses pure store-and-forward, and a machine without nodes.
fn check<N: Number>(nodes: u64, sigma: &N, forwarding: Forwarding) -> Result<()> {
    if nodes == 0 {
        return Err(Error::value("number of nodes", nodes, "at least the source"));
    }
    if sigma.partial_cmp(&N::zero()).is_none_or(std::cmp::Ordering::is_lt) {
        return Err(Error::value("sigma", sigma, "a number of at least 0"));
    }
    if forwarding == Forwarding::StoreAndForward {
        let why = "the best order of messages is known only where relays pass them on without delay";
        return Err(Error::not_applicable("serial", why));
    }
    Ok(())
}

/// The speedup with one message per processor, served one after the other on `degree` balanced branches.
///
/// With n_j processors on branch j it is 1 + sum_j (1 - (1 - s)^n_j) / s under cut-through and
/// 1 + sum_j (1 - (1 + s)^-n_j) / s under modified store-and-forward, s = sigma. For s > 1 cut-through keeps one
/// processor on each branch, which gets what its link carries: 1 / s.
///
/// # Errors
///
/// [`Error::Value`] for no nodes or a sigma below 0, [`Error::NotApplicable`] for pure store-and-forward.
///
/// # Complexity
///
/// O(nodes / degree).
///
/// # Source
///
/// `zhang2018`, equations 3.32 to 3.45 and 4.29 to 4.41, read so that no link serves two messages at a time.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::serial;
/// assert_eq!(serial::speedup(4, 2, &0.5, Forwarding::CutThrough)?, 3.5);
/// // 16 x 16 torus: the thesis claims 130.
/// assert!((serial::speedup(256, 4, &0.1, Forwarding::CutThrough)? - 40.95).abs() < 0.005);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn speedup<N: Number>(nodes: u64, degree: u64, sigma: &N, forwarding: Forwarding) -> Result<N> {
    Ok(with_startup(nodes, degree, sigma, &N::zero(), forwarding)?.speedup)
}

/// The answer of [`with_startup`].
#[derive(Clone, Debug, PartialEq)]
pub struct Serial<N> {
    /// How many times faster than one processor.
    pub speedup: N,
    /// How many processors get a message, and the source.
    pub used: u64,
    /// By place on a branch, what a processor gets, as a share of the whole load; the same on every branch.
    pub messages: Vec<N>,
}

/// One message per processor when each message costs `startup` (in units of w Tcp) on top of its transfer.
///
/// Message k of a branch is (1 - s) a_(k-1) - l under cut-through, a_1 = T - l, and (a_(k-1) - l) / (1 + s) under
/// modified store-and-forward, a_0 = T, as long as that is above 0. For each number of messages per branch the shares
/// sum to 1 at one T. A further message is above 0 at that T just if it makes T smaller, so messages are added until
/// none does.
///
/// # Errors
///
/// As for [`speedup`], and [`Error::Value`] for a start-up below 0.
///
/// # Complexity
///
/// O(nodes / degree).
///
/// # Source
///
/// `zhang2018`, equations 3.45 and 4.41, with a start-up for every message.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::serial;
/// let dear = serial::with_startup(25, 4, &0.1, &0.2, Forwarding::CutThrough)?;
/// assert_eq!(dear.used, 5, "T - l is a message worth sending, 0.9 T - 1.9 l is not");
/// assert!((dear.speedup - 5.0 / 1.8).abs() < 1e-12, "T + 4 (T - l) = 1");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn with_startup<N: Number>(
    nodes: u64,
    degree: u64,
    sigma: &N,
    startup: &N,
    forwarding: Forwarding,
) -> Result<Serial<N>> {
    check(nodes, sigma, forwarding)?;
    if startup.partial_cmp(&N::zero()).is_none_or(std::cmp::Ordering::is_lt) {
        return Err(Error::value("start-up", startup, "a number of at least 0"));
    }
    // With the messages so far the load is P T - Q, and it is 1 at T = (1 + Q) / P.
    let (mut all_p, mut all_q, mut makespan) = (N::one(), N::zero(), N::one());
    let (mut used, mut steps) = (1, 0);
    for ((p, q), branches) in messages(sigma, startup, forwarding).zip(branches_by_step(nodes, degree)) {
        if p.clone() * makespan.clone() <= q {
            break;
        }
        let number = N::whole(branches);
        all_p = all_p + number.clone() * p;
        all_q = all_q + number * q;
        makespan = (N::one() + all_q.clone()) / all_p.clone();
        (used, steps) = (used + branches, steps + 1);
    }
    let message = |(p, q): (N, N)| {
        let size = p * makespan.clone() - q;
        if size < N::zero() { N::zero() } else { size }
    };
    let messages = messages(sigma, startup, forwarding).take(steps).map(message).collect();
    Ok(Serial { speedup: N::one() / makespan, used, messages })
}

/// Messages 1, 2... of a branch as numbers p and q: message k is p T - q.
fn messages<N: Number>(sigma: &N, startup: &N, forwarding: Forwarding) -> impl Iterator<Item = (N, N)> {
    let one = N::one();
    let cut_through = forwarding == Forwarding::CutThrough;
    // The first processor of a branch works while its message comes, but not faster than it comes.
    let first = if cut_through {
        N::one() / sigma.clone().greater(one.clone())
    } else {
        N::one() / (one + sigma.clone())
    };
    // Cut-through keeps what is left of the time after the transfer of the message before.
    let shrink = if cut_through { (N::one() - sigma.clone()).greater(N::zero()) } else { first.clone() };
    let next = {
        let startup = startup.clone();
        move |(p, q): &(N, N)| {
            let later = if cut_through { startup.clone() } else { startup.clone() * shrink.clone() };
            Some((p.clone() * shrink.clone(), q.clone() * shrink.clone() + later))
        }
    };
    std::iter::successors(Some((first.clone(), startup.clone() * first)), next)
}

/// The speedup of one installment that may split over all paths, where processors wait for their whole share:
/// 1 + (d / s) (1 - (1 + s / d)^-(N-1)).
///
/// It holds where no set of nodes has fewer links out than the source has (torus, hypercube, mesh corner): then the
/// network is as good as one bus d times as fast as a link.
///
/// # Errors
///
/// [`Error::Value`] for no nodes or a sigma below 0.
///
/// # Complexity
///
/// O(log nodes).
///
/// # Source
///
/// `zhang2018`, section 4.1, with the bus of classical divisible load theory in place of its layers.
///
/// # Examples
///
/// ```
/// use meshwright_papers::zhang2018::formulas::serial::one_installment_speedup;
/// // A 3-cube, d = 3: more than the 3.96 of the serial schedule.
/// assert!((one_installment_speedup(8, 3, &0.75)? - 4.1611392).abs() < 1e-12);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn one_installment_speedup<N: Number>(nodes: u32, degree: u32, sigma: &N) -> Result<N> {
    check(u64::from(nodes), sigma, Forwarding::ModifiedStoreAndForward)?;
    if degree == 0 || nodes == 1 {
        return Ok(N::one());
    }
    if *sigma == N::zero() {
        return Ok(N::whole(u64::from(nodes)));
    }
    let bus = sigma.clone() / N::whole(u64::from(degree));
    let waits = N::one() / (N::one() + bus.clone()).power(nodes - 1);
    Ok(N::one() + (N::one() - waits) / bus)
}
