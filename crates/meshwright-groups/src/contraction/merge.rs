//! Reports of children, merged by colour: each colour goes up as soon as no child can still have a smaller one.

use std::collections::BTreeMap;

use super::packet::Tally;

/// The reports of one child, in the order of their turns whatever the order of their coming.
#[derive(Debug, Default)]
struct Stream {
    waiting: BTreeMap<u32, Tally>,
    /// How many were taken.
    taken: u32,
    /// How many there are in all, once the last has come.
    all: Option<u32>,
}

impl Stream {
    fn is_over(&self) -> bool {
        self.all == Some(self.taken)
    }
}

/// The reports of all children of a member and its own.
#[derive(Debug)]
pub struct Merge {
    /// By slot: the children on the left, the member itself, the children on the right.
    streams: Vec<Stream>,
}

impl Merge {
    /// Of so many slots, one of which is the member itself.
    pub fn new(slots: usize, own_slot: usize, own: Tally) -> Self {
        let mut merge = Self { streams: (0..slots).map(|_| Stream::default()).collect() };
        merge.put(own_slot, 0, true, own);
        merge
    }

    /// A report has come.
    pub fn put(&mut self, slot: usize, turn: u32, is_last: bool, tally: Tally) {
        let stream = &mut self.streams[slot];
        stream.waiting.insert(turn, tally);
        if is_last {
            stream.all = Some(turn + 1);
        }
    }

    /// The next colour, if every slot has told what it has of it; the count of each slot is added to the list.
    ///
    /// # Complexity
    ///
    /// O(slots) and the logarithm of the reports that wait.
    pub fn next(&mut self, counts: &mut Vec<u32>) -> Option<Tally> {
        let mut least = None;
        for stream in &self.streams {
            match stream.waiting.get(&stream.taken) {
                Some(tally) => {
                    least = Some(least.map_or(tally.colour, |colour: u32| colour.min(tally.colour)));
                }
                None if stream.is_over() => {}
                None => return None,
            }
        }
        let colour = least?;
        let mut sum: Option<Tally> = None;
        for stream in &mut self.streams {
            if stream.waiting.get(&stream.taken).is_none_or(|tally| tally.colour != colour) {
                counts.push(0);
                continue;
            }
            let tally = stream.waiting.remove(&stream.taken).expect("it is there");
            stream.taken += 1;
            counts.push(tally.count);
            match &mut sum {
                Some(sum) => {
                    sum.count += tally.count;
                    sum.extents.include(&tally.extents);
                }
                none => *none = Some(tally),
            }
        }
        sum
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.streams.iter().all(Stream::is_over)
    }

    /// The memory it takes, in bytes.
    pub fn bytes_kept(&self) -> usize {
        let reports: usize = self.streams.iter().map(|stream| stream.waiting.len()).sum();
        self.streams.len() * size_of::<Stream>() + reports * size_of::<(u32, Tally)>()
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::contraction::frame::Extents;

    fn tally(colour: u32, count: u32) -> Tally {
        Tally { colour, count, extents: Extents::of(smallvec![colour as i32]) }
    }

    /// A colour is merged as soon as every slot has told of it or of a larger one, and not before.
    #[test]
    fn colours_come_out_in_order_as_early_as_they_can() {
        let mut merge = Merge::new(3, 1, tally(5, 1));
        let mut counts = Vec::new();
        let mut next = |merge: &mut Merge| merge.next(&mut counts).map(|tally| (tally.colour, tally.count));
        merge.put(0, 1, true, tally(7, 2));
        assert_eq!(next(&mut merge), None, "the first report of slot 0 is missing");
        merge.put(0, 0, false, tally(4, 3));
        assert_eq!(next(&mut merge), None, "slot 2 may have colour 4");
        merge.put(2, 0, false, tally(5, 10));
        assert_eq!(next(&mut merge), Some((4, 3)));
        assert_eq!(next(&mut merge), Some((5, 11)));
        assert_eq!(next(&mut merge), None, "slot 2 may have colour 6");
        merge.put(2, 1, true, tally(7, 20));
        assert!(!merge.is_over());
        assert_eq!(next(&mut merge), Some((7, 22)));
        assert!(merge.is_over());
        assert_eq!(next(&mut merge), None);
        assert_eq!(counts, [3, 0, 0, 0, 1, 10, 2, 0, 20]);
    }
}
