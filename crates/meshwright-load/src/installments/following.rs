//! A flow that is followed in installments: which sizes are best, and the schedule of them.

use super::InstallmentSettings;
use super::layout::Layout;
use super::record::{Installments, Nothing, Programs};
use super::scale::Scale;
use super::sizes::{GUESS, SizePlaces, SizeSearch, Sizes, THINNINGS, counts_up_to, search};
use super::streams::Streams;
use super::timetable::Timetable;
use crate::flow::FlowPhase;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

/// The most installments.
const INSTALLMENTS_MAX: u64 = 4000;

/// A flow to be followed.
pub(super) struct Following<'s, 'p, 'm> {
    scale: &'s Scale<'p, 'm>,
    pub(super) streams: Streams,
    messages: u64,
    /// The most installments.
    most: u32,
}

impl<'s, 'p, 'm> Following<'s, 'p, 'm> {
    /// Errors as for [`follow`](super::follow).
    pub(super) fn new(
        scale: &'s Scale<'p, 'm>,
        phases: &[FlowPhase],
        settings: &InstallmentSettings,
    ) -> Result<Self> {
        let streams = Streams::new(scale, phases);
        let lines = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).max().unwrap_or(0);
        let all: u64 = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).sum();
        let messages = settings.chunks;
        if all > messages {
            let why = format!("{all} links carry something, and only {messages} messages are allowed");
            return Err(Error::not_applicable("sending the load in messages", why));
        }
        // Every end of a phase is the end of an installment.
        let most =
            (messages - (all - lines)).checked_div(lines).map_or(1, |most| most.min(INSTALLMENTS_MAX) as u32);
        Ok(Self { scale, streams, messages, most })
    }

    /// With so many messages, or with as few as there can be, if that is more; errors as for [`follow`](super::follow).
    pub(super) fn of_messages(
        scale: &'s Scale<'p, 'm>,
        phases: &[FlowPhase],
        messages: u64,
        settings: &InstallmentSettings,
    ) -> Result<Self> {
        let mut following = Self::new(scale, phases, settings)?;
        let least = following.messages_at_least();
        following.most =
            messages.checked_div(least).map_or(1, |most| most.clamp(1, u64::from(following.most)) as u32);
        Ok(following)
    }

    /// The messages of one installment.
    pub(super) fn messages_at_least(&self) -> u64 {
        self.streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).sum()
    }

    /// How many nodes work off something.
    pub(super) fn processors(&self) -> usize {
        let junctions = self.streams.epochs.iter().flat_map(|epoch| &epoch.junctions);
        let mut nodes: Vec<_> = junctions.filter(|one| one.work > 0.0).map(|one| one.place).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }

    /// The best sizes a search finds with so many tries; it begins at a guess, with as many installments as there may be, or
    /// knows nothing.
    pub(super) fn search(&self, guess: Option<SizePlaces>, tries: usize) -> Option<Found> {
        let counts = &counts_up_to(self.most);
        let begin = if guess.is_some() { counts.len() - 1 } else { counts.len() / 2 };
        let guess = guess.unwrap_or(GUESS);
        let mut judge = Judge::new(self.scale, &self.streams);
        let time = |sizes: &Sizes| judge.time(sizes, self.messages).map_or(u64::MAX, |(ticks, _)| ticks);
        let asked = SizeSearch { counts, begin, guess, thinnings: THINNINGS.len(), tries };
        let (places, sizes, ticks) = search(&asked, time);
        let (_, messages) = judge.time(&sizes, self.messages)?;
        Some(Found { places, sizes, ticks, messages })
    }
}

/// The best sizes that a search has found.
pub(super) struct Found {
    pub(super) places: SizePlaces,
    pub(super) sizes: Sizes,
    pub(super) ticks: u64,
    pub(super) messages: u64,
}

/// Times the sizes of the installments of a flow.
pub(super) struct Judge<'s, 'p, 'm> {
    streams: &'s Streams,
    timetable: Timetable<'s, 'p, 'm>,
    /// By place in [`THINNINGS`], made when they are first wanted.
    layouts: Vec<Option<Layout>>,
}

impl<'s, 'p, 'm> Judge<'s, 'p, 'm> {
    pub(super) fn new(scale: &'s Scale<'p, 'm>, streams: &'s Streams) -> Self {
        Self { streams, timetable: Timetable::new(scale, streams), layouts: vec![None; THINNINGS.len()] }
    }

    /// The time in ticks and the messages, if there are no more than this.
    pub(super) fn time(&mut self, sizes: &Sizes, messages: u64) -> Option<(u64, u64)> {
        let layout = self.layouts[sizes.thinning]
            .get_or_insert_with(|| Layout::new(self.streams, THINNINGS[sizes.thinning]));
        let moments = moments(self.streams, layout, sizes);
        let ticks = self.timetable.run(&moments, layout, &mut Nothing);
        (self.timetable.messages <= messages).then_some((ticks, self.timetable.messages))
    }
}

/// The ends of the installments, as many as make so many messages a link on the average.
fn moments(streams: &Streams, layout: &Layout, sizes: &Sizes) -> Vec<f64> {
    let installments = layout.installments(sizes.installments);
    Sizes { installments, ..*sizes }.moments(streams.from(), &streams.ends())
}

/// The schedule of flows that have no link in common, each in installments of its own sizes.
pub(super) fn write(scale: &Scale, parts: &[(Streams, Sizes)]) -> Installments {
    let machine = scale.problem().machine();
    let mut programs = Programs::new(machine.nodes(), machine.links());
    let (mut ticks, mut messages, mut waiting_max) = (0, 0, 0);
    let (mut shares, mut installments) = (vec![0.0; machine.nodes() as usize], Vec::new());
    for (streams, sizes) in parts {
        let layout = Layout::new(streams, THINNINGS[sizes.thinning]);
        let moments = moments(streams, &layout, sizes);
        let mut timetable = Timetable::new(scale, streams);
        let end = timetable.run(&moments, &layout, &mut programs);
        for (node, bytes) in streams.places.iter().zip(timetable.shares()) {
            shares[node.index()] = bytes as f64 / scale.bytes() as f64;
        }
        messages += timetable.messages;
        waiting_max = timetable.waiting_max().max(waiting_max);
        if end >= ticks {
            let length = streams.end() - streams.from();
            let before = std::iter::once(streams.from()).chain(moments.iter().copied());
            ticks = end;
            installments =
                moments.iter().zip(before).map(|(moment, before)| (moment - before) / length).collect();
        }
    }
    Installments {
        schedule: programs.into_schedule(),
        messages,
        processors: shares.iter().filter(|&&share| share > 0.0).count(),
        predicted_cycles: scale.costs().cycles(ticks).0,
        makespan: scale.units_of_ticks(ticks),
        installments,
        shares,
        waiting_max,
    }
}
