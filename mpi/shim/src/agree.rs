//! One answer for all processes of a communicator: they tell its first process what they know, it plans, and tells all.
//!
//! All processes take part in each step, whatever any of them knows or wants: the answer of the first one counts.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::library::{Code, Constants, Functions, Raw};
use crate::say;

/// A communicator while its processes agree.
pub(crate) struct Members<'a> {
    pub(crate) functions: &'a Functions,
    pub(crate) constants: &'a Constants,
    pub(crate) comm: Raw,
    pub(crate) rank: usize,
    pub(crate) size: usize,
}

/// Nobody waits longer for others in silence.
const PATIENCE: Duration = Duration::from_secs(20);

/// The error of MPI, if it is one.
pub(crate) fn checked(code: Code) -> Result<(), Code> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Members<'_> {
    /// Waits for all processes; says so after a while, and for what. A process that has not loaded this library never comes.
    pub(crate) fn meet(&self, purpose: &str) -> Result<(), Code> {
        let mut request = 0_u64;
        let mut status = [0_u64; 32];
        let mut is_there = 0;
        // SAFETY: a request and a status of any MPI fit.
        unsafe { checked((self.functions.Ibarrier)(self.comm, (&raw mut request).cast()))? };
        let begin = Instant::now();
        let mut has_said = false;
        loop {
            // SAFETY: as above.
            let code = unsafe {
                (self.functions.Test)((&raw mut request).cast(), &mut is_there, status.as_mut_ptr().cast())
            };
            checked(code)?;
            if is_there != 0 {
                return Ok(());
            }
            if begin.elapsed() > PATIENCE && !has_said {
                has_said = true;
                say::complain(&format!(
                    "rank {} has waited {} s for others to {purpose}",
                    self.rank,
                    PATIENCE.as_secs()
                ));
            }
            std::thread::yield_now();
        }
    }

    /// What all say, at the first process; elsewhere, and where it would be too much, nothing.
    pub(crate) fn gather(&self, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Code> {
        let Constants { byte, int, .. } = *self.constants;
        // More than an MPI of 32 bits can carry counts as nothing said.
        let own = if c_int::try_from(own.len()).is_ok() { own } else { &[] };
        let length = own.len() as c_int;
        let mut lengths = vec![0 as c_int; if self.rank == 0 { self.size } else { 0 }];
        // SAFETY: one number of each process goes into an array of as many.
        let code = unsafe {
            let (from, to) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
            (self.functions.Gather)(from, 1, int, to, 1, int, 0, self.comm)
        };
        checked(code)?;
        let total: i64 = lengths.iter().map(|&length| i64::from(length)).sum();
        let mut fits = [c_int::from(c_int::try_from(total).is_ok())];
        self.broadcast(&mut fits)?;
        if fits[0] == 0 {
            return Ok(None);
        }
        let begin = |end: &mut c_int, length: &c_int| {
            let begin = *end;
            *end += length;
            Some(begin)
        };
        let begins: Vec<c_int> = lengths.iter().scan(0, begin).collect();
        let mut all = vec![0_u8; total as usize];
        // SAFETY: the bytes of each process go where those before it end.
        let code = unsafe {
            let (from, to) = (own.as_ptr().cast(), all.as_mut_ptr().cast());
            let (lengths, begins) = (lengths.as_ptr(), begins.as_ptr());
            (self.functions.Gatherv)(from, length, byte, to, lengths, begins, byte, 0, self.comm)
        };
        checked(code)?;
        let one = |(&begin, &length): (&c_int, &c_int)| all[begin as usize..][..length as usize].to_vec();
        Ok((self.rank == 0).then(|| begins.iter().zip(&lengths).map(one).collect()))
    }

    /// The numbers of the first process become those of all.
    pub(crate) fn broadcast(&self, numbers: &mut [c_int]) -> Result<(), Code> {
        let (data, count) = (numbers.as_mut_ptr().cast::<c_void>(), numbers.len() as c_int);
        // SAFETY: all have as many numbers.
        checked(unsafe { (self.functions.Bcast)(data, count, self.constants.int, 0, self.comm) })
    }

    /// The bytes of the first process become those of all; more than an MPI of 32 bits can carry are none.
    pub(crate) fn tell(&self, own: Vec<u8>) -> Result<Vec<u8>, Code> {
        let mut length = [c_int::try_from(own.len()).unwrap_or(0)];
        self.broadcast(&mut length)?;
        let mut all = if self.rank == 0 { own } else { Vec::new() };
        all.resize(length[0] as usize, 0);
        let (data, byte) = (all.as_mut_ptr().cast(), self.constants.byte);
        // SAFETY: all have as many bytes.
        checked(unsafe { (self.functions.Bcast)(data, length[0], byte, 0, self.comm) })?;
        Ok(all)
    }

    /// What the first process decides; nothing where that is to leave all as it is.
    pub(crate) fn decide(&self, decide: impl FnOnce() -> Option<Decision>) -> Result<Option<Decision>, Code> {
        let decided = if self.rank == 0 { guarded(decide).flatten() } else { None };
        let decided = decided.filter(|decided| decided.processes.len() == self.size);
        let mut words =
            [c_int::from(decided.is_some()), decided.as_ref().is_some_and(|it| it.keeps_ranks).into()];
        self.broadcast(&mut words)?;
        if words[0] == 0 {
            return Ok(None);
        }
        let mut processes = decided.map_or_else(|| vec![0; self.size], |decided| decided.processes);
        self.broadcast(&mut processes)?;
        Ok(Some(Decision { processes, keeps_ranks: words[1] != 0 }))
    }
}

/// What all processes do.
pub(crate) struct Decision {
    /// By vertex of the topology the process, by its rank.
    pub(crate) processes: Vec<c_int>,
    /// Whether ranks stay, and coordinates move.
    pub(crate) keeps_ranks: bool,
}

/// What comes of it, if it does not panic.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.map_err(|_| say::complain("this is a defect of Meshwright; the program goes on as without it")).ok()
}
