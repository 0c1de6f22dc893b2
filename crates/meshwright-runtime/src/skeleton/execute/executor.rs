//! One rank at work.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fixedbitset::FixedBitSet;

use super::payload::{HEADER, Name};
use super::program::RankProgram;
use super::progress::{Progress, RankState};
use super::{DATA, Defect, Executed, STATE, Settings, VERDICT, Waiting, Wrong};
use crate::transport::{Endpoint, Lost, Mailbox, Parcel, Wire};
use meshwright_schedule::Op;

/// Payloads are made before the first step, and checked after the last, up to this sum on each rank; others on the way.
const ASIDE_BYTES: usize = 64 << 20;

/// How long one look for messages lasts.
const LOOK: Duration = Duration::from_millis(100);

/// More wrong messages than this are counted, not told.
const TOLD_MAX: usize = 20;

/// One rank at work.
pub(super) struct Executor<'p, E> {
    pub(super) mail: &'p mut Mailbox<E>,
    settings: &'p Settings,
    ops: &'p [Op],
    me: u32,
    number: u32,
    program: RankProgram,
    began: Vec<Option<Instant>>,
    /// Steps that receive, and whose messages are here.
    arrived: FixedBitSet,
    /// By step, messages made beforehand.
    prepared: Vec<Option<Vec<u8>>>,
    /// Messages to be checked afterwards, with the steps that receive them, and their sum.
    kept: Vec<(u32, Name, Vec<u8>)>,
    kept_bytes: usize,
    /// Computations that have begun; the first of them is under way until then.
    computing: VecDeque<u32>,
    until: Option<Instant>,
    /// When something happened last, and what rank 0 was told last.
    moved: Instant,
    told: RankState,
    progress: Option<Progress>,
    /// What rank 0 has said: whether all came to their ends.
    verdict: Option<bool>,
    executed: Executed,
}

impl<'p, E: Endpoint> Executor<'p, E> {
    pub(super) fn new(
        ops: &'p [Op],
        program: RankProgram,
        number: u32,
        settings: &'p Settings,
        mail: &'p mut Mailbox<E>,
    ) -> Self {
        let me = mail.rank();
        let executed = Executed {
            spans: vec![None; ops.len()],
            messages: 0,
            checked_bytes: 0,
            wrong: Vec::new(),
            wrong_count: 0,
            over: false,
            waiting: Vec::new(),
        };
        Self {
            progress: (me == 0).then(|| Progress::new(mail.ranks())),
            mail,
            settings,
            ops,
            me,
            number,
            program,
            began: vec![None; ops.len()],
            arrived: FixedBitSet::with_capacity(ops.len()),
            prepared: vec![None; ops.len()],
            kept: Vec::new(),
            kept_bytes: 0,
            computing: VecDeque::new(),
            until: None,
            moved: Instant::now(),
            told: RankState::Playing,
            verdict: None,
            executed,
        }
    }

    /// Makes the messages of the first sends beforehand.
    pub(super) fn prepare(&mut self) {
        let mut room = ASIDE_BYTES;
        for step in 0..self.ops.len() as u32 {
            let Op::Send { bytes, .. } = self.ops[step as usize] else { continue };
            let Some(rest) = room.checked_sub(bytes.0 as usize) else { return };
            room = rest;
            self.prepared[step as usize] = Some(self.message(step));
        }
    }

    /// The message of a step that sends.
    fn message(&self, step: u32) -> Vec<u8> {
        let Op::Send { peer, bytes, tag } = self.ops[step as usize] else {
            unreachable!("only sends have messages")
        };
        let sequence = self.program.sequence[step as usize];
        let name = Name { source: self.me, target: peer.0, tag, sequence, run: self.number };
        name.packed(bytes.0 as usize)
    }

    /// Works until rank 0 says that all is over, or that nobody has anything to do; at rank 0, who waits for whom.
    pub(super) fn run(&mut self) -> Result<Vec<Waiting>, Lost> {
        self.moved = Instant::now();
        loop {
            while let Some(step) = self.program.next() {
                self.begin(step)?;
            }
            if self.compute() {
                continue;
            }
            self.tell()?;
            if let Some(waiting) = self.judge()? {
                return Ok(waiting);
            }
            if let Some(over) = self.verdict {
                self.executed.over = over;
                return Ok(Vec::new());
            }
            let wait =
                if self.computing.is_empty() { LOOK.min(self.settings.patience) } else { Duration::ZERO };
            match self.mail.next(wait)? {
                Some(parcel) => self.take(parcel),
                None if self.computing.is_empty() => {}
                None => (0..500).for_each(|_| std::hint::spin_loop()),
            }
        }
    }

    /// Begins a step, and ends it if it can end at once.
    fn begin(&mut self, step: u32) -> Result<(), Lost> {
        self.began[step as usize] = Some(Instant::now());
        self.moved = Instant::now();
        self.program.begun(step);
        match self.ops[step as usize] {
            Op::Send { peer, .. } => {
                let message = self.prepared[step as usize].take().unwrap_or_else(|| self.message(step));
                self.mail.send_bytes(peer.0, DATA, message)?;
                self.end(step);
            }
            Op::Recv { .. } if self.arrived[step as usize] => self.end(step),
            Op::Recv { .. } => {}
            Op::Calc { cycles } if cycles.0 == 0 || self.settings.cycle_nanoseconds.is_none() => {
                self.end(step);
            }
            Op::Calc { .. } => self.computing.push_back(step),
        }
        Ok(())
    }

    fn end(&mut self, step: u32) {
        let began = self.began[step as usize].expect("what ends has begun");
        let now = Instant::now();
        self.executed.spans[step as usize] = Some((began, now));
        self.moved = now;
        self.program.ended(step);
    }

    /// Goes on with the first computation; whether it has ended.
    fn compute(&mut self) -> bool {
        let Some(&step) = self.computing.front() else { return false };
        let until = match self.until {
            Some(until) => until,
            None => {
                let Op::Calc { cycles } = self.ops[step as usize] else {
                    unreachable!("only computations compute")
                };
                let nanoseconds = cycles.0 as f64 * self.settings.cycle_nanoseconds.unwrap_or(0.0);
                *self.until.insert(Instant::now() + Duration::from_nanos(nanoseconds as u64))
            }
        };
        self.moved = Instant::now();
        if self.moved < until {
            return false;
        }
        self.until = None;
        self.computing.pop_front();
        self.end(step);
        true
    }

    /// Tells rank 0 how this rank is, if that has changed.
    fn tell(&mut self) -> Result<(), Lost> {
        let state = if self.program.is_over() {
            RankState::Ended
        } else if self.moved.elapsed() < self.settings.patience {
            RankState::Playing
        } else {
            self.waiting()
        };
        if state == self.told {
            return Ok(());
        }
        self.told = state;
        match &mut self.progress {
            Some(progress) => progress.note(0, state),
            None => self.mail.send(0, STATE, &state)?,
        }
        Ok(())
    }

    /// The first receive that has begun and not ended.
    fn waiting(&self) -> RankState {
        let waits = |&step: &usize| self.began[step].is_some() && self.executed.spans[step].is_none();
        let step = (0..self.ops.len()).find(waits).expect("of steps without a circle one can always begin");
        let Op::Recv { peer, tag, .. } = self.ops[step] else { unreachable!("only receives wait") };
        RankState::Waiting(step as u32, peer.0, tag)
    }

    /// At rank 0: says to all whether all is over or nobody has anything to do, once one of the two is so; who waits.
    fn judge(&mut self) -> Result<Option<Vec<Waiting>>, Lost> {
        let Some(progress) = &self.progress else { return Ok(None) };
        if !progress.is_over() && !progress.is_stuck(self.settings.patience) {
            return Ok(None);
        }
        self.executed.over = progress.is_over();
        let chain = progress.chain();
        self.mail.send_to_others(VERDICT, &self.executed.over)?;
        Ok(Some(chain))
    }

    fn take(&mut self, parcel: Parcel) {
        let Parcel { from, tag, bytes } = parcel;
        let (state, over) = (|| RankState::from_bytes(&bytes), bytes.first() == Some(&1));
        match tag {
            DATA => self.take_message(from, bytes),
            STATE => {
                if let (Some(progress), Some(state)) = (&mut self.progress, state()) {
                    progress.note(from, state);
                }
            }
            VERDICT => self.verdict = Some(over),
            tag => self.complain(None, from, tag, Defect::Unexpected),
        }
    }

    /// A message of the schedule.
    fn take_message(&mut self, from: u32, bytes: Vec<u8>) {
        self.moved = Instant::now();
        let name = Name::unpacked(from, self.me, &bytes);
        let named = name.filter(|name| name.run == self.number);
        let step = named.and_then(|name| self.program.take(from, name.tag, name.sequence));
        let (Some(name), Some(step)) = (name, step) else {
            return self.complain(None, from, name.map_or(0, |name| name.tag), Defect::Unexpected);
        };
        self.executed.messages += 1;
        let Op::Recv { bytes: expected, .. } = self.ops[step as usize] else {
            unreachable!("only receives are waited in")
        };
        let came = (bytes.len() - HEADER) as u64;
        if came != expected.0 {
            self.complain(Some(step), from, name.tag, Defect::Length { expected: expected.0, came });
        } else if self.kept_bytes + bytes.len() <= ASIDE_BYTES {
            self.kept_bytes += bytes.len();
            self.kept.push((step, name, bytes));
        } else {
            self.check(step, name, &bytes);
        }
        self.arrived.insert(step as usize);
        if self.began[step as usize].is_some() {
            self.end(step);
        }
    }

    fn check(&mut self, step: u32, name: Name, bytes: &[u8]) {
        let payload = &bytes[HEADER..];
        self.executed.checked_bytes += payload.len() as u64;
        if let Some(at) = name.first_wrong(payload) {
            self.complain(Some(step), name.source, name.tag, Defect::Byte { at: at as u64 });
        }
    }

    fn complain(&mut self, step: Option<u32>, from: u32, tag: u32, defect: Defect) {
        self.executed.wrong_count += 1;
        if self.executed.wrong.len() < TOLD_MAX {
            self.executed.wrong.push(Wrong { rank: self.me, step, from, tag, defect });
        }
    }

    /// Checks what was kept.
    pub(super) fn ended(mut self, waiting: Vec<Waiting>) -> Executed {
        for (step, name, bytes) in std::mem::take(&mut self.kept) {
            self.check(step, name, &bytes);
        }
        self.executed.waiting = waiting;
        self.executed
    }
}
