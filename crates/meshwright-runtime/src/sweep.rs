//! The loads of a sweep on ranks: rank 0 hands them out, keeps what comes, and measures as well.
//!
//! Every rank reads the same input and says what it understood before it is given a load. A rank has as many loads under
//! way as it has threads, and listens meanwhile. When a rank is lost, the loads it has not finished are handed to others;
//! rank 0 alone is needed. The endpoint is one that goes on without lost ranks.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use crate::transport::{Endpoint, Lost, Parcel, Topic, Wire};
use meshwright_core::error::{Error, Result};
use meshwright_sim::point::Point;
use meshwright_sim::sweep::Measure;
use meshwright_sim::sweep::pool::{LOOK, Pool, Refusal, SweepPoint, Workers, threads_each};

/// To rank 0: what this rank is to measure and on how many threads, or why it cannot.
const HERE: u32 = Topic::Sweep.tag(0);
/// From rank 0: a curve, a load, its seed, and on how many threads.
const JOB: u32 = Topic::Sweep.tag(1);
/// To rank 0: a curve and a point of it, as it stands in a results file.
const POINT: u32 = Topic::Sweep.tag(2);
/// To rank 0: a curve, a load of it, and why it could not be measured.
const REFUSED: u32 = Topic::Sweep.tag(3);
/// From rank 0: there is nothing more to do.
const END: u32 = Topic::Sweep.tag(4);

/// How long a rank without work listens at a time.
const IDLE: Duration = Duration::from_millis(100);

/// So long rank 0 waits for all ranks to say what they have read; whoever is later joins later.
const MUSTER: Duration = Duration::from_secs(10);

/// What rank 0 knows of a rank.
#[derive(Clone, Debug, PartialEq)]
enum RankStatus {
    /// It has not said anything yet.
    Silent,
    /// It has so many threads, and these loads under way.
    Here { threads: usize, holds: Vec<SweepPoint> },
    /// It is not counted on any more.
    Lost,
}

/// What rank 0 has heard.
enum Heard {
    /// What a load came to on this rank.
    Came(u32, f64, Result<Point>),
    /// These loads are under way no more.
    Open(Vec<SweepPoint>),
}

/// All ranks, led by rank 0; the others [`serve`] until they are [dismissed](dismiss).
pub struct Ranks<'e, E, T> {
    others: OtherRanks<'e, E, T>,
    width: usize,
}

impl<'e, E: Endpoint, T: FnMut(&Lost)> Ranks<'e, E, T> {
    /// Waits for the others, who must have read the same: every rank says `what` it is to measure. `told` hears of every
    /// rank that is lost.
    ///
    /// # Errors
    ///
    /// What another rank could not read, or [`Error::Value`] when it has read something else.
    ///
    /// # Panics
    ///
    /// On another rank than 0, and when there is no thread.
    pub fn muster(endpoint: &'e mut E, what: &str, threads: usize, told: T) -> Result<Self> {
        assert!(endpoint.rank() == 0, "rank 0 leads");
        assert!(threads > 0, "somebody must work");
        let mut members = vec![RankStatus::Silent; endpoint.ranks() as usize];
        members[0] = RankStatus::Here { threads, holds: Vec::new() };
        let mut others = OtherRanks { endpoint, what: what.to_string(), members, told, curve: 0 };
        let begin = Instant::now();
        while others.members.contains(&RankStatus::Silent) && begin.elapsed() < MUSTER {
            others.greet()?;
        }
        Ok(Self { others, width: 1 })
    }

    /// So many ranks have processors of their own: the search for the saturation measures so many loads at a time.
    #[must_use]
    pub fn looking_ahead(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// The pool for one of the curves; `measure` is how rank 0 measures it.
    pub fn curve<M: Measure>(&mut self, curve: u32, measure: M) -> CurvePool<'_, 'e, E, M, T> {
        self.others.curve = curve;
        CurvePool { width: self.width, others: &mut self.others, measure }
    }
}

/// The pool of all ranks for the loads of one curve.
pub struct CurvePool<'r, 'e, E, M, T> {
    others: &'r mut OtherRanks<'e, E, T>,
    measure: M,
    width: usize,
}

impl<E: Endpoint, M: Measure, T: FnMut(&Lost)> Pool for CurvePool<'_, '_, E, M, T> {
    fn width(&self) -> usize {
        self.width.min(self.others.here())
    }

    fn measure_all(&mut self, jobs: &[SweepPoint], came: &mut dyn FnMut(Point) -> Result<()>) -> Result<()> {
        let Self { others, measure, .. } = self;
        let mut open: VecDeque<SweepPoint> = jobs.iter().copied().collect();
        let mut awaited: Vec<f64> = jobs.iter().map(|job| job.load).collect();
        let mut refusal = Refusal::default();
        thread::scope(|scope| {
            let mut workers = Workers::new(scope, measure);
            loop {
                open.retain(|job| awaited.contains(&job.load));
                while refusal.is_none()
                    && !open.is_empty()
                    && others.hand_out(&mut open, jobs.len(), &mut workers)
                {}
                if !awaited.iter().any(|&load| others.is_under_way(load)) {
                    break;
                }
                let mut heard: Vec<Heard> =
                    workers.done().into_iter().map(|(load, point)| Heard::Came(0, load, point)).collect();
                if heard.is_empty() {
                    heard.extend(others.listen(if workers.at_work() > 0 { LOOK } else { IDLE }));
                }
                for heard in heard {
                    match heard {
                        // A load of which a lost rank was told may come twice.
                        Heard::Came(rank, load, point) => {
                            others.release(rank, load);
                            if let Some(at) = awaited.iter().position(|&awaited| awaited == load) {
                                awaited.swap_remove(at);
                                refusal.heed(load, point.and_then(&mut *came));
                            }
                        }
                        Heard::Open(jobs) => jobs.into_iter().for_each(|job| open.push_front(job)),
                    }
                }
            }
        });
        refusal.into_result()
    }
}

/// Rank 0's view of the others.
struct OtherRanks<'e, E, T> {
    endpoint: &'e mut E,
    what: String,
    members: Vec<RankStatus>,
    told: T,
    /// The curve that is measured now.
    curve: u32,
}

impl<E: Endpoint, T: FnMut(&Lost)> OtherRanks<'_, E, T> {
    /// Listens to those who come.
    fn greet(&mut self) -> Result<()> {
        match self.endpoint.next(IDLE) {
            Ok(Some(parcel)) => self.hear_of(&parcel),
            Ok(None) => Ok(()),
            Err(lost) => {
                self.lose(&lost);
                Ok(())
            }
        }
    }

    /// A rank says what it has read.
    fn hear_of(&mut self, parcel: &Parcel) -> Result<()> {
        let (threads, what, error): (u32, String, Option<String>) = read(parcel);
        let name = || format!("rank {}", parcel.from);
        if let Some(error) = error {
            return Err(Error::io(name(), std::io::Error::other(error)));
        }
        if what != self.what {
            let expected = format!("what rank 0 has read: {}", self.what);
            return Err(Error::value("what another rank has read", format!("{what} ({})", name()), expected));
        }
        // Nobody would say a second time that it is lost.
        let member = &mut self.members[parcel.from as usize];
        if *member == RankStatus::Silent {
            *member = RankStatus::Here { threads: threads as usize, holds: Vec::new() };
        }
        Ok(())
    }

    /// The next thing that matters; none when there is none within this time.
    fn listen(&mut self, wait: Duration) -> Option<Heard> {
        let parcel = match self.endpoint.next(wait) {
            Ok(parcel) => parcel?,
            Err(lost) => return self.lose(&lost),
        };
        match parcel.tag {
            POINT => {
                let (curve, line): (u32, String) = read(&parcel);
                let point: Point = serde_json::from_str(&line).expect("a rank sends points");
                self.came(parcel.from, curve, point.load, Ok(point))
            }
            REFUSED => {
                let (curve, load, why): (u32, f64, String) = read(&parcel);
                let error = Error::io(format!("rank {}", parcel.from), std::io::Error::other(why));
                self.came(parcel.from, curve, load, Err(error))
            }
            HERE => match self.hear_of(&parcel) {
                Ok(()) => None,
                Err(error) => self.lose(&Lost { rank: parcel.from, why: error.to_string() }),
            },
            tag => unreachable!("no rank sends the tag {tag} to rank 0"),
        }
    }

    /// What a load of this curve came to; a rank that was taken for lost may answer when its curve is done.
    fn came(&self, from: u32, curve: u32, load: f64, point: Result<Point>) -> Option<Heard> {
        (curve == self.curve).then_some(Heard::Came(from, load, point))
    }

    /// This rank is lost: its loads are open again. When it is rank 0 that the others believe to be lost, they have left it.
    fn lose(&mut self, lost: &Lost) -> Option<Heard> {
        let left = if lost.rank == 0 { 1..self.endpoint.ranks() } else { lost.rank..lost.rank + 1 };
        let mut open = Vec::new();
        let mut is_new = false;
        for rank in left {
            let member = std::mem::replace(&mut self.members[rank as usize], RankStatus::Lost);
            if member == RankStatus::Lost {
                continue;
            }
            is_new = true;
            (self.told)(&Lost { rank, why: lost.why.clone() });
            if let RankStatus::Here { holds, .. } = member {
                open.extend(holds);
            }
        }
        if !is_new {
            // An endpoint that says it again and again does not wait.
            thread::sleep(LOOK);
        }
        is_new.then_some(Heard::Open(open))
    }

    /// Gives the first open load of so many to the rank with the most room; false when nobody has a free thread.
    fn hand_out<M: Measure>(
        &mut self,
        open: &mut VecDeque<SweepPoint>,
        loads: usize,
        workers: &mut Workers<'_, '_, M>,
    ) -> bool {
        let mut best: Option<(f64, usize, usize)> = None;
        for (rank, member) in self.members.iter().enumerate() {
            let RankStatus::Here { threads, holds } = member else { continue };
            let share = holds.len() as f64 / *threads as f64;
            let is_better =
                best.is_none_or(|(least, most, _)| share < least || (share == least && *threads > most));
            if share < 1.0 && is_better {
                best = Some((share, *threads, rank));
            }
        }
        let Some((_, threads, rank)) = best else { return false };
        let Some(job) = open.pop_front() else { return false };
        let each = threads_each(loads, self.here(), threads);
        if rank == 0 {
            workers.begin(job, each);
        } else if let Err(lost) =
            send(self.endpoint, rank as u32, JOB, &((self.curve, each as u32), job.load, job.seed))
        {
            open.push_front(job);
            if let Some(Heard::Open(jobs)) = self.lose(&Lost { rank: rank as u32, ..lost }) {
                jobs.into_iter().for_each(|job| open.push_front(job));
            }
            return true;
        }
        if let RankStatus::Here { holds, .. } = &mut self.members[rank] {
            holds.push(job);
        }
        true
    }

    /// How many ranks are counted on, this one among them.
    fn here(&self) -> usize {
        self.members.iter().filter(|member| matches!(member, RankStatus::Here { .. })).count()
    }

    /// This rank has done with this load.
    fn release(&mut self, rank: u32, load: f64) {
        if let RankStatus::Here { holds, .. } = &mut self.members[rank as usize] {
            holds.retain(|job| job.load != load);
        }
    }

    /// Whether some rank measures this load.
    fn is_under_way(&self, load: f64) -> bool {
        let holds_it = |member: &RankStatus| match member {
            RankStatus::Here { holds, .. } => holds.iter().any(|job| job.load == load),
            RankStatus::Silent | RankStatus::Lost => false,
        };
        self.members.iter().any(holds_it)
    }
}

/// Measures what rank 0 asks for, on another rank, until it says that all is done: `measures` has each of the curves.
/// `told` hears that rank 0 is lost, before what is under way has come to its end.
///
/// # Errors
///
/// [`Lost`] when rank 0 is.
///
/// # Panics
///
/// On rank 0, and when there is no thread.
pub fn serve<E: Endpoint, M: Measure>(
    endpoint: &mut E,
    what: &str,
    threads: usize,
    measures: &[M],
    told: impl FnOnce(&Lost),
) -> Result<(), Lost> {
    assert!(endpoint.rank() > 0, "rank 0 leads");
    assert!(threads > 0, "somebody must work");
    let here = (threads as u32, what.to_string(), None::<String>);
    thread::scope(|scope| {
        let mut workers: Vec<_> = measures.iter().map(|measure| Workers::new(scope, measure)).collect();
        let served = send(endpoint, 0, HERE, &here).and_then(|()| attend(endpoint, &mut workers));
        if let Err(lost) = &served {
            told(lost);
        }
        served
    })
}

/// Begins what comes and sends what is done.
fn attend<E: Endpoint, M: Measure>(endpoint: &mut E, curves: &mut [Workers<'_, '_, M>]) -> Result<(), Lost> {
    loop {
        for (curve, workers) in (0u32..).zip(&mut *curves) {
            for (load, point) in workers.done() {
                match point {
                    Ok(point) => {
                        let line = serde_json::to_string(&point).expect("a point has finite numbers");
                        send(endpoint, 0, POINT, &(curve, line))?;
                    }
                    Err(error) => send(endpoint, 0, REFUSED, &(curve, load, error.to_string()))?,
                }
            }
        }
        let works = curves.iter().any(|workers| workers.at_work() > 0);
        match endpoint.next(if works { LOOK } else { IDLE }) {
            Ok(Some(parcel)) if parcel.tag == JOB => {
                let ((curve, threads), load, seed): ((u32, u32), f64, u64) = read(&parcel);
                curves[curve as usize].begin(SweepPoint { load, seed }, threads as usize);
            }
            Ok(Some(parcel)) if parcel.tag == END => return Ok(()),
            Ok(_) => {}
            Err(lost) if lost.rank == 0 => return Err(lost),
            // That concerns rank 0 alone.
            Err(_) => thread::sleep(LOOK),
        }
    }
}

/// Tells rank 0 that this rank cannot read its input.
///
/// # Errors
///
/// As for [`Endpoint::send`].
pub fn refuse(endpoint: &mut impl Endpoint, error: &Error) -> Result<(), Lost> {
    send(endpoint, 0, HERE, &(0u32, String::new(), Some(error.to_string())))
}

/// Sends all other ranks home.
pub fn dismiss(endpoint: &mut impl Endpoint) {
    for rank in 1..endpoint.ranks() {
        // Whoever is lost need not be told.
        _ = send(endpoint, rank, END, &());
    }
}

fn send<T: Wire>(endpoint: &mut impl Endpoint, to: u32, tag: u32, value: &T) -> Result<(), Lost> {
    endpoint.send(to, tag, value.to_bytes())
}

fn read<T: Wire>(parcel: &Parcel) -> T {
    T::from_bytes(&parcel.bytes).expect("sender and receiver agree on what a tag carries")
}
