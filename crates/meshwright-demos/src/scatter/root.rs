//! The part of rank 0: it divides the load, works, and collects the results.

use std::ops::Range;

use serde::Serialize;

use super::adaptive::{Adapted, Adaptive, Corrections};
use super::calibrate::{Calibration, calibrate};
use super::protocol::{self, Clock, END, PIECE, RESULTS};
use super::split::{self, Split};
use super::worker::slowly;
use super::{Load, PieceWork, ScatterSettings, application};
use crate::star::{StarRow, Timetable};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox};

/// The name of the run that corrects itself.
pub const ADAPTIVE: &str = "adaptive";

/// A part of the load with what its rank made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkedPart {
    /// Which bytes of the load.
    pub part: Range<u64>,
    /// The results.
    pub results: Vec<u8>,
}

/// One way to split the load, predicted and run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScatterOutcome {
    /// The name of the split.
    pub split: &'static str,
    /// The ranks that got a piece, in the order in which rank 0 sent.
    pub order: Vec<usize>,
    /// By rank, its share in bytes.
    pub share_bytes: Vec<u64>,
    /// By what was measured before.
    pub predicted: Timetable,
    /// As it was, by the clock of rank 0.
    pub measured: Timetable,
    /// The makespan that the thesis claims for its own split, in seconds.
    pub claimed_seconds: Option<f64>,
    /// The predicted makespan if the load could be cut anywhere, in seconds; of loads of pieces only.
    pub anywhere_seconds: Option<f64>,
    /// What it costs at most that it cannot, in seconds: the proved bound.
    pub loss_max_seconds: Option<f64>,
    /// What an adaptive run did beside the times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrections: Option<Corrections>,
    /// The parts in the order of the load; those of no bytes are left out.
    #[serde(skip)]
    pub parts: Vec<WorkedPart>,
}

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScatterReport {
    /// Before the load was divided.
    pub calibration: Calibration,
    /// Each split, in the order in which they ran.
    pub outcomes: Vec<ScatterOutcome>,
}

/// Measures the ranks, and runs each of the splits; then the other ranks end.
///
/// # Errors
///
/// [`Lost`] when a rank is.
///
/// # Panics
///
/// When the machine of the settings has not one node for each rank ([`split::check`]).
pub fn conduct<E: Endpoint>(
    mail: &mut Mailbox<E>,
    load: &dyn Load,
    work: &dyn PieceWork,
    settings: &ScatterSettings,
) -> Result<ScatterReport, Lost> {
    mail.endpoint().tell("handing out the load");
    let clock = Clock::start();
    let calibration = calibrate(mail, load, work, settings, clock)?;
    let star = split::star(&calibration, load);
    let mut outcomes = Vec::new();
    for &split in &settings.splits {
        let plan = split::plan(split, &star, load, settings.machine.as_ref());
        let predicted = star.timetable(&plan.division.order, &plan.division.shares);
        let run =
            Distribution { load, work, times: settings.pace(0).worked, calibration: &calibration, clock };
        let (measured, parts) = run.distribute(mail, &plan.division.order, &plan.division.shares)?;
        outcomes.push(ScatterOutcome {
            split: Split::name(split),
            order: plan.division.order,
            share_bytes: plan.division.shares.iter().map(|&share| share as u64).collect(),
            predicted,
            measured,
            claimed_seconds: plan.claimed,
            anywhere_seconds: plan.anywhere.map(|(makespan, _)| makespan),
            loss_max_seconds: plan.anywhere.map(|(_, loss)| loss),
            corrections: None,
            parts,
        });
    }
    if settings.adaptive {
        let predicted = split::plan(Split::Ours, &star, load, None).division;
        let predicted = star.timetable(&predicted.order, &predicted.shares);
        let worked = settings.pace(0).worked;
        let run = Adaptive::new((load, work), worked, &calibration, clock);
        outcomes.push(adapted(run.run(mail)?, predicted));
    }
    dismiss(mail)?;
    Ok(ScatterReport { calibration, outcomes })
}

/// The outcome of a run that corrects itself, beside what was predicted of the static one.
fn adapted(adapted: Adapted, predicted: Timetable) -> ScatterOutcome {
    let has_share = |rank: &usize| adapted.share_bytes[*rank] > 0;
    ScatterOutcome {
        split: ADAPTIVE,
        order: (1..adapted.share_bytes.len()).filter(has_share).collect(),
        share_bytes: adapted.share_bytes,
        predicted,
        measured: adapted.measured,
        claimed_seconds: None,
        anywhere_seconds: None,
        loss_max_seconds: None,
        corrections: Some(adapted.corrections),
        parts: adapted.parts,
    }
}

/// Tells all other ranks that there is nothing (more) to do.
///
/// # Errors
///
/// [`Lost`] when a rank is.
pub fn dismiss<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<(), Lost> {
    mail.send_to_others(END, &())
}

/// One distribution.
struct Distribution<'r> {
    load: &'r dyn Load,
    work: &'r dyn PieceWork,
    times: u32,
    calibration: &'r Calibration,
    clock: Clock,
}

impl Distribution<'_> {
    /// Sends the pieces one after the other, works off its own, takes the results in the same order.
    fn distribute<E: Endpoint>(
        &self,
        mail: &mut Mailbox<E>,
        order: &[usize],
        shares: &[f64],
    ) -> Result<(Timetable, Vec<WorkedPart>), Lost> {
        let parts = application::parts(self.load, shares);
        let mut results: Vec<Vec<u8>> = vec![Vec::new(); parts.len()];
        let mut rows: Vec<Option<StarRow>> = vec![None; parts.len()];
        let start = self.clock.seconds();
        let now = || self.clock.seconds() - start;
        for &rank in order {
            let begin = now();
            protocol::send_whole(mail, rank as u32, PIECE, self.load.piece(parts[rank].clone()))?;
            mail.receive::<()>(rank as u32, PIECE)?;
            rows[rank] = Some(StarRow { receive: (begin, now()), ..StarRow::default() });
        }
        let mut own = StarRow { receive: (0.0, now()), ..StarRow::default() };
        own.work.0 = now();
        if !parts[0].is_empty() {
            results[0] = slowly(mail, self.work, &self.load.piece(parts[0].clone()), self.times)?;
        }
        own.work.1 = now();
        own.give_back.0 = now();
        for &rank in order {
            let from = now();
            let (there, begin, end) = mail.receive::<(u64, u64, u64)>(rank as u32, RESULTS)?;
            results[rank] = protocol::receive_whole(mail, rank as u32, RESULTS)?;
            let offset = self.calibration.ranks[rank].clock_offset;
            let [there, begin, end] =
                [there, begin, end].map(|time| protocol::seconds(time) - offset - start);
            let row = rows[rank].as_mut().expect("it was sent to");
            // A clock that is wrong by a little must not turn a bar around.
            row.receive.1 = there.clamp(row.receive.0, row.receive.1);
            row.work = (begin.max(row.receive.1), end.max(begin.max(row.receive.1)));
            let back = now();
            row.give_back = (from.max(row.work.1).min(back), back);
        }
        own.give_back.1 = now();
        rows[0] = Some(own);
        let made = parts.into_iter().zip(results).filter(|(part, _)| !part.is_empty());
        let parts = made.map(|(part, results)| WorkedPart { part, results }).collect();
        Ok((Timetable { rows, makespan: own.give_back.1 }, parts))
    }
}
