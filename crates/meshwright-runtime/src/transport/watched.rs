//! An endpoint whose ranks watch each other.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::watch::Watch;
use super::{Endpoint, Lost, Parcel, Wire};

/// The tag of what ranks that watch each other say among themselves; its last byte says which of the following it is.
const TAG: u32 = u32::MAX;

/// A sign of life, with what the rank is doing.
const BEAT: u8 = 0;
/// Somebody is lost: who and why.
const NEWS: u8 = 1;
/// To rank 0: this rank has come to its end.
const DONE: u8 = 2;
/// From rank 0: all have come to their ends.
const CLOSE: u8 = 3;
/// To the rank that was beaten to: no beat comes after this.
const LAST: u8 = 4;
/// A message of the user, who happens to use the same tag.
const FOREIGN: u8 = 5;

/// How long a rank that computes sleeps between two looks for messages, at least and at most.
const NAP: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// The stack of a thread that computes, in bytes: as much as the first thread of a process has.
const STACK: usize = 8 << 20;

/// At most so many messages are taken in one look while a rank computes.
const LOOK: u32 = 1_000;

/// What is done as soon as a rank is known to be lost, and who found out: this rank or another one.
type Hook = Box<dyn FnMut(&Lost, Finder) + Send>;

/// Who has found that a rank is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finder {
    /// This rank; it has told the others.
    Own,
    /// Another rank, which has told this one.
    Other,
}

/// An endpoint that beats to the next rank and watches the one before, as [`Watch`] says, whenever it sends, waits or computes.
///
/// A rank that is lost is [`Lost`] on all others: whoever finds out tells them.
///
/// # Examples
///
/// Rank 2 falls silent; its neighbour in the ring says so.
///
/// ```
/// use meshwright_runtime::transport::{Endpoint, Watched, threads};
/// use std::time::Duration;
/// let patience = Duration::from_millis(100);
/// let lost = threads::run(4, |endpoint| {
///     let mut endpoint = Watched::new(endpoint, patience);
///     if endpoint.rank() == 2 {
///         return Ok(None);
///     }
///     Ok(endpoint.next(100 * patience).err())
/// })?;
/// assert!([0, 1, 3].iter().all(|&rank: &usize| lost[rank].as_ref().is_some_and(|lost| lost.rank == 2)));
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub struct Watched<E> {
    inner: E,
    begin: Instant,
    watch: Option<Watch>,
    /// What came while nobody asked.
    early: VecDeque<Parcel>,
    /// All losses, and how many of them were reported to one who goes on without them.
    found: Vec<Lost>,
    reported: usize,
    is_forgiving: bool,
    hook: Option<Hook>,
    doing: String,
    /// What the rank behind said that it is doing.
    heard: String,
    closing: Closing,
    /// Whether this rank has attended to the watch since it last sent: then sending may do without.
    has_attended: bool,
}

/// How far the end has come.
#[derive(Debug, Default)]
struct Closing {
    done: BTreeSet<u32>,
    is_closed: bool,
    last_from: BTreeSet<u32>,
    is_quiet: bool,
}

impl<E: Endpoint> Watched<E> {
    /// Begins to watch with this patience; without patience, or alone, nobody watches.
    pub fn new(inner: E, patience: Duration) -> Self {
        let is_watching = patience > Duration::ZERO && inner.ranks() > 1;
        let watch = is_watching.then(|| Watch::new(inner.rank(), inner.ranks(), patience, Duration::ZERO));
        Self {
            inner,
            begin: Instant::now(),
            watch,
            early: VecDeque::new(),
            found: Vec::new(),
            reported: 0,
            is_forgiving: false,
            hook: None,
            doing: String::new(),
            heard: String::new(),
            closing: Closing::default(),
            has_attended: false,
        }
    }

    /// The endpoint below; messages taken from it directly are not seen by this one.
    pub fn inner_mut(&mut self) -> &mut E {
        &mut self.inner
    }

    /// What to do as soon as this rank knows that another one is lost, also while it computes; it may end the process.
    pub fn on_lost(&mut self, hook: impl FnMut(&Lost, Finder) + Send + 'static) {
        self.hook = Some(Box::new(hook));
    }

    /// From now on the ranks go on without those that are lost: each loss is reported once, by [`Endpoint::next`] alone, and
    /// nothing else is done about it. A rank that the others believe to be lost is told so by its own number.
    pub fn forgive(&mut self) {
        self.is_forgiving = true;
        self.hook = None;
    }

    /// All losses that are known.
    pub fn losses(&self) -> &[Lost] {
        &self.found
    }

    /// Waits until all ranks have come here that are not lost, and goes on watching meanwhile. Nothing can be sent afterwards,
    /// and messages that nobody has asked for are thrown away.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost before it comes here, and that is not forgiven; rank 0 is never forgiven.
    pub fn finish(&mut self) -> Result<(), Lost> {
        if self.watch.is_none() {
            return Ok(());
        }
        self.doing = "waiting for the end of the others".to_string();
        let rank = self.rank();
        self.say(0, DONE, Vec::new());
        while !self.closing.is_closed {
            if rank == 0 && (0..self.ranks()).all(|other| self.has_ended(other)) {
                self.closing.is_closed = true;
                for other in self.others() {
                    self.say(other, CLOSE, Vec::new());
                }
                break;
            }
            self.wait_at_the_end()?;
        }
        let (behind, ahead) =
            self.watch.as_ref().map_or((None, None), |watch| (watch.behind(), watch.ahead()));
        if let Some(ahead) = ahead {
            self.say(ahead, LAST, Vec::new());
            self.closing.is_quiet = true;
        }
        while behind.is_some_and(|behind| !self.closing.last_from.contains(&behind) && !self.is_lost(behind))
        {
            self.wait_at_the_end()?;
        }
        Ok(())
    }

    /// One look for messages; those of users are dropped.
    fn wait_at_the_end(&mut self) -> Result<(), Lost> {
        let own = self.rank();
        _ = self.next(Duration::from_millis(100));
        let is_forgiven = |lost: &&Lost| self.is_forgiving && lost.rank != 0 && lost.rank != own;
        self.found.iter().find(|lost| !is_forgiven(lost)).map_or(Ok(()), |lost| Err(lost.clone()))
    }

    fn is_lost(&self, rank: u32) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.lost().contains(&rank))
    }

    fn has_ended(&self, rank: u32) -> bool {
        self.closing.done.contains(&rank) || self.is_lost(rank)
    }

    /// All other ranks that are not lost.
    fn others(&self) -> Vec<u32> {
        (0..self.ranks()).filter(|&other| other != self.rank() && !self.is_lost(other)).collect()
    }

    /// Says something to another rank that watches, or to this one.
    fn say(&mut self, to: u32, kind: u8, mut bytes: Vec<u8>) {
        bytes.push(kind);
        if to == self.rank() {
            self.hear(Parcel { from: to, tag: TAG, bytes });
        } else if let Err(lost) = self.inner.send(to, TAG, bytes) {
            self.learn(lost);
        }
    }

    /// Takes a message: one of the user is given back.
    fn hear(&mut self, mut parcel: Parcel) -> Option<Parcel> {
        let Some(watch) = &mut self.watch else { return Some(parcel) };
        watch.hear(parcel.from);
        if parcel.tag != TAG {
            return Some(parcel);
        }
        let is_behind = watch.behind() == Some(parcel.from);
        match parcel.bytes.pop().expect("the last byte says what it is") {
            BEAT if is_behind => self.heard = String::from_utf8_lossy(&parcel.bytes).into_owned(),
            NEWS => {
                let (rank, why) = <(u32, String)>::from_bytes(&parcel.bytes).expect("it was written as such");
                let lost = Lost { rank, why };
                self.learn(lost.clone());
                if let Some(hook) = &mut self.hook {
                    hook(&lost, Finder::Other);
                }
            }
            DONE => _ = self.closing.done.insert(parcel.from),
            CLOSE => self.closing.is_closed = true,
            LAST => _ = self.closing.last_from.insert(parcel.from),
            FOREIGN => return Some(parcel),
            _ => {}
        }
        None
    }

    /// Beats if it is time, and looks whether the rank behind is silent; what time it is now, where there is a watch.
    fn attend(&mut self) -> Duration {
        let Some(watch) = &mut self.watch else { return Duration::ZERO };
        let now = self.begin.elapsed();
        if !self.closing.is_quiet
            && watch.is_due(now)
            && let Some(ahead) = watch.ahead()
        {
            watch.has_beaten(now);
            self.say(ahead, BEAT, self.doing.clone().into_bytes());
        }
        let Some(watch) = &mut self.watch else { return now };
        if watch.is_silent(now)
            && let Some(rank) = watch.behind()
            && !self.closing.last_from.contains(&rank)
        {
            let silence = watch.silence();
            let mut why =
                format!("no sign of life for {:.1} s, since {}", silence.as_secs_f64(), time_of_day(silence));
            if !self.heard.is_empty() {
                why += &format!("; it said last that it is {}", self.heard);
            }
            self.find(Lost { rank, why });
        }
        now
    }

    /// This rank has found another one to be lost: it tells the others.
    fn find(&mut self, lost: Lost) {
        if self.is_lost(lost.rank) {
            return;
        }
        let bytes = (lost.rank, lost.why.clone()).to_bytes();
        self.learn(lost.clone());
        for other in self.others() {
            self.say(other, NEWS, bytes.clone());
        }
        if let Some(hook) = &mut self.hook {
            hook(&lost, Finder::Own);
        }
    }

    /// A rank is lost, as found here or elsewhere.
    fn learn(&mut self, lost: Lost) {
        let now = self.begin.elapsed();
        if self.watch.as_mut().is_none_or(|watch| watch.lose(lost.rank, now)) {
            self.heard.clear();
            self.found.push(lost);
        }
    }

    /// What is to be reported: each loss once when they are forgiven, else the first for ever.
    fn report(&mut self) -> Result<(), Lost> {
        let Some(lost) = self.found.get(self.reported) else { return Ok(()) };
        self.reported += usize::from(self.is_forgiving);
        Err(lost.clone())
    }

    /// Looks once without waiting: beats if it is time, and takes what has come, for later.
    pub fn look(&mut self) {
        for _ in 0..LOOK {
            self.attend();
            match self.inner.next(Duration::ZERO) {
                Ok(Some(parcel)) => {
                    let for_user = self.hear(parcel);
                    self.early.extend(for_user);
                }
                Ok(None) => return,
                Err(lost) => return self.find(lost),
            }
        }
    }
}

/// The time of day so long ago: hours, minutes and seconds in Greenwich.
#[expect(clippy::disallowed_types, reason = "a message to people is no result")]
fn time_of_day(ago: Duration) -> String {
    use std::time::SystemTime;
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = since_1970.saturating_sub(ago).as_secs();
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

impl<E: Endpoint> Endpoint for Watched<E> {
    fn rank(&self) -> u32 {
        self.inner.rank()
    }

    fn ranks(&self) -> u32 {
        self.inner.ranks()
    }

    fn send(&mut self, to: u32, tag: u32, mut bytes: Vec<u8>) -> Result<(), Lost> {
        if self.watch.is_some() {
            if !std::mem::take(&mut self.has_attended) {
                self.attend();
            }
            if !self.is_forgiving {
                self.report()?;
            }
            if tag == TAG {
                bytes.push(FOREIGN);
            }
        }
        self.inner.send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        let mut begin = None;
        loop {
            let now = self.attend();
            self.has_attended = true;
            if let Some(parcel) = self.early.pop_front() {
                return Ok(Some(parcel));
            }
            self.report()?;
            let left = wait.saturating_sub(now - *begin.get_or_insert(now));
            let slice = self.watch.as_ref().map_or(left, |watch| left.min(watch.interval() / 2));
            match self.inner.next(slice) {
                Ok(Some(parcel)) => {
                    if let Some(parcel) = self.hear(parcel) {
                        return Ok(Some(parcel));
                    }
                }
                Ok(None) if left.is_zero() || slice == left => {
                    self.report()?;
                    return Ok(None);
                }
                Ok(None) => {}
                Err(lost) => self.find(lost),
            }
        }
    }

    fn compute<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, Lost> {
        if self.watch.is_none() {
            return Ok(work());
        }
        let result = thread::scope(|scope| {
            let (done, is_done) = sync_channel::<()>(1);
            let work = move || {
                let result = work();
                _ = done.send(());
                result
            };
            let worker = thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)
                .expect("the system has a thread for the work");
            let mut nap = NAP.0;
            while is_done.recv_timeout(nap) == Err(RecvTimeoutError::Timeout) {
                self.look();
                nap = (nap * 2).min(NAP.1);
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        if !self.is_forgiving {
            self.report()?;
        }
        Ok(result)
    }

    fn tell(&mut self, doing: &str) {
        if self.doing != doing {
            self.doing = doing.to_string();
        }
    }
}
