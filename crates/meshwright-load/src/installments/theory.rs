//! What is known before anything is sent: chunks of one size.

/// The time that chunks of one size take at the most, in units of w Tcp.
///
/// ```text
/// T <= T* (1 + l / (c s)) + (H + 1) (l + c s) + c
/// ```
///
/// T* is the least makespan, s is sigma, l the start-up of a message, c the size of a chunk as a share of the load, and
/// H the links to the farthest processor: the links of a source send their chunks one after the other, the last one
/// goes on to the farthest processor and is worked off there. It is a rule of thumb where chunks meet on their way.
///
/// # Examples
///
/// ```
/// use meshwright_load::installments::{best_chunk, equal_chunks_bound};
/// let (least, sigma, startup, hops) = (1.0 / 41.0, 0.1, 1e-5, 5);
/// let chunk = best_chunk(least, sigma, startup, hops);
/// let best = equal_chunks_bound(least, sigma, startup, hops, chunk);
/// assert!(best < equal_chunks_bound(least, sigma, startup, hops, 1.1 * chunk));
/// assert!(best < equal_chunks_bound(least, sigma, startup, hops, 0.9 * chunk));
/// ```
pub fn equal_chunks_bound(least: f64, sigma: f64, startup: f64, hops: u32, chunk: f64) -> f64 {
    let steps = f64::from(hops) + 1.0;
    least * (1.0 + startup / (chunk * sigma)) + steps * (startup + chunk * sigma) + chunk
}

/// The size for which [`equal_chunks_bound`] is least: c = sqrt(T* l / (s ((H + 1) s + 1))).
pub fn best_chunk(least: f64, sigma: f64, startup: f64, hops: u32) -> f64 {
    let steps = f64::from(hops) + 1.0;
    (least * startup / (sigma * (steps * sigma + 1.0))).sqrt()
}
