//! A calendar queue: events of whole moments, those of a moment together.

/// Events by moment.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    moments: Vec<Vec<u32>>,
    /// A bit for each moment that has some.
    busy: Vec<u64>,
    /// Before this one of them all moments are over.
    word: usize,
}

impl Calendar {
    /// An event to come.
    pub(super) fn at(&mut self, moment: usize, event: u32) {
        if self.moments.len() <= moment {
            self.moments.resize(moment + 1, Vec::new());
            self.busy.resize(moment / 64 + 1, 0);
        }
        self.busy[moment / 64] |= 1 << (moment % 64);
        self.moments[moment].push(event);
    }

    /// The next moment and its events, to be given [back](Self::done); none when all are over, and then it begins again.
    pub(super) fn next(&mut self) -> Option<(usize, Vec<u32>)> {
        while self.busy.get(self.word) == Some(&0) {
            self.word += 1;
        }
        let Some(&bits) = self.busy.get(self.word) else {
            self.word = 0;
            return None;
        };
        self.busy[self.word] = bits & (bits - 1);
        let moment = 64 * self.word + bits.trailing_zeros() as usize;
        Some((moment, std::mem::take(&mut self.moments[moment])))
    }

    /// A moment is over: its room is used again.
    pub(super) fn done(&mut self, moment: usize, mut events: Vec<u32>) {
        events.clear();
        self.moments[moment] = events;
    }
}
