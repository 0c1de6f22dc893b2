//! Signals: what can end early ends with what it has, and nothing half written stays.
//!
//! The programs call [`watch`] once. Work that can end early, such as a search, holds a [`Grace`] and asks [`Grace::is_over`]
//! now and then: the first SIGINT or SIGTERM ends it, and only it. Without a grace, and for every further signal, the process
//! removes what it has begun to write and ends as signals end processes. A signal that was ignored from the beginning
//! (`nohup`) stays ignored.
//!
//! A library that is called by another program watches nothing. Such a program, Python for one, [`request`]s the end in place
//! of a signal; where that can end nothing early, it [`stop`]s the work: what is under way unwinds at its next [`stop_point`],
//! and the thread that began it meets a panic with the payload [`Stopped`]. When all has ended, it [`renew`]s.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many pieces of work would end early.
static GRACES: AtomicUsize = AtomicUsize::new(0);

/// Whether a signal has come while one of them was under way.
static CAME: AtomicBool = AtomicBool::new(false);

/// Whether all work is to unwind.
static STOP: AtomicBool = AtomicBool::new(false);

/// The payload of the panic that ends work at a [`stop_point`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// While it lives, the first SIGINT or SIGTERM does not end the process.
///
/// # Examples
///
/// ```
/// use meshwright_core::interrupt::Grace;
/// let grace = Grace::begin();
/// let steps = (0..100).take_while(|_| !grace.is_over()).count();
/// assert_eq!(steps, 100, "nobody has sent a signal");
/// ```
#[derive(Debug)]
pub struct Grace(());

impl Grace {
    /// Begins work that can end early.
    pub fn begin() -> Self {
        GRACES.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// Whether it is to end now, with what it has found.
    pub fn is_over(&self) -> bool {
        has_come()
    }
}

/// Whether a signal has come while a [`Grace`] lived: what works for its holder is to end with what it has.
///
/// # Examples
///
/// ```
/// assert!(!meshwright_core::interrupt::has_come(), "nobody has sent a signal");
/// ```
pub fn has_come() -> bool {
    CAME.load(Ordering::Relaxed)
}

impl Drop for Grace {
    fn drop(&mut self) {
        GRACES.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Asks what can end early to end, as the first signal does; whether there is something, and nobody had asked before.
///
/// # Examples
///
/// ```
/// use meshwright_core::interrupt::{Grace, renew, request};
/// assert!(!request(), "nothing is under way");
/// let grace = Grace::begin();
/// assert!(request() && grace.is_over());
/// assert!(!request(), "it has been asked already");
/// renew();
/// assert!(!grace.is_over());
/// ```
pub fn request() -> bool {
    GRACES.load(Ordering::SeqCst) > 0 && !CAME.swap(true, Ordering::SeqCst)
}

/// Has all work of this process unwind at its next [`stop_point`], until it is [`renew`]ed; what holds a [`Grace`] ends, too.
///
/// # Examples
///
/// ```
/// use meshwright_core::interrupt::{Stopped, renew, stop, stop_point};
/// stop_point();
/// stop();
/// let payload = std::panic::catch_unwind(stop_point).unwrap_err();
/// assert!(payload.is::<Stopped>());
/// renew();
/// stop_point();
/// ```
pub fn stop() {
    STOP.store(true, Ordering::SeqCst);
    CAME.store(true, Ordering::SeqCst);
}

/// Forgets what was asked for by [`request`] and [`stop`]; for when nothing is under way.
pub fn renew() {
    STOP.store(false, Ordering::SeqCst);
    CAME.store(false, Ordering::SeqCst);
}

/// Whether [`stop`] was asked for.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// A place where work can end with nothing done: one look at a flag.
///
/// # Panics
///
/// With the payload [`Stopped`] and without a message, after [`stop`]; never in a program that does not call it.
#[inline]
pub fn stop_point() {
    if is_stopped() {
        unwind();
    }
}

#[cold]
fn unwind() -> ! {
    std::panic::resume_unwind(Box::new(Stopped))
}

/// Takes care of signals from now on; for programs, once, at their beginning. `clean` is called before the process ends.
///
/// Where there are no such signals, or the system refuses, they do what they do without.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the thread that waits for signals")]
pub fn watch(clean: fn()) {
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored();
    let is_heard = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let heard: Vec<i32> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_heard).collect();
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let may_wait = signal != SIGHUP && GRACES.load(Ordering::SeqCst) > 0;
            if may_wait && !CAME.swap(true, Ordering::SeqCst) {
                continue;
            }
            clean();
            // It returns only for signals that end no process.
            _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// The same where there are no such signals.
#[cfg(not(unix))]
pub fn watch(_clean: fn()) {}

/// The signals that this process was told to ignore, one bit each, as Linux tells them.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the signals that were ignored before the program began")]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
