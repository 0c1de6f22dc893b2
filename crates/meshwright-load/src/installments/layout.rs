//! How often everybody passes on what came in: links that carry much, in smaller parts than those that carry little.
//!
//! A message waits on each node of its way until it is whole, so what counts is how long it takes, link by link. Near a
//! source links carry what whole branches work off: there messages are to be small. Far from it most of the links are,
//! each with little to carry: there they are to be few.

use super::streams::{Epoch, Junction, Streams};

/// Classes of links: one of class c gets one message where one of class 0 gets 2^c.
pub(super) const CLASSES: usize = 7;

/// Who passes on in which class.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By epoch and class, each node after all those that send to it.
    epochs: Vec<[Vec<Junction>; CLASSES]>,
}

impl Layout {
    /// A link that carries x where the fullest carries y is of class log2 (y / x) times `thinning`, rounded down, and of
    /// no class below those of the links over which its load comes.
    pub(super) fn new(streams: &Streams, thinning: f64) -> Self {
        Self { epochs: streams.epochs.iter().map(|epoch| classes(streams, epoch, thinning)).collect() }
    }

    pub(super) fn of_class(&self, epoch: usize, class: usize) -> &[Junction] {
        &self.epochs[epoch][class]
    }

    /// How many installments there are if links get so many messages on the average.
    pub(super) fn installments(&self, average: u32) -> u32 {
        let most = u64::from(average) * self.messages(1);
        let (mut low, mut high) = (average, average << (CLASSES - 1));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.messages(u64::from(middle)) <= most { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// The most messages of so many installments of each epoch.
    pub(super) fn messages(&self, installments: u64) -> u64 {
        let of_class = |(class, junctions): (usize, &Vec<Junction>)| {
            let links: u64 = junctions.iter().map(|junction| junction.streams.len() as u64).sum();
            links * installments.div_ceil(1 << class)
        };
        self.epochs.iter().flat_map(|classes| classes.iter().enumerate().map(of_class)).sum()
    }
}

/// Whether those of a class pass on at an installment, of so many that come after it in its epoch.
pub(super) fn is_due(class: usize, later: usize) -> bool {
    later.is_multiple_of(1 << class)
}

/// The nodes of one epoch by class. What a node works off, and what it has left, is of the last of its classes.
fn classes(streams: &Streams, epoch: &Epoch, thinning: f64) -> [Vec<Junction>; CLASSES] {
    let most = epoch.streams.iter().map(|stream| stream.load).fold(0.0, f64::max);
    let mut coming_in = vec![0usize; streams.places.len()];
    let mut classes: [Vec<Junction>; CLASSES] = Default::default();
    for junction in &epoch.junctions {
        let least = coming_in[junction.place as usize];
        // Streams stand in the order of their loads: the classes of those later on are lower.
        let class = |stream: u32| {
            let ratio = most / epoch.streams[stream as usize].load;
            ((thinning * ratio.log2()) as usize).clamp(least, CLASSES - 1)
        };
        let (mut first, end) = (junction.streams.start, junction.streams.end);
        let coarsest = if first < end { class(first) } else { least };
        if first == end {
            classes[coarsest].push(junction.clone());
        }
        while first < end {
            let own = class(first);
            let next = (first..end).find(|&stream| class(stream) != own).unwrap_or(end);
            let is_last = own == coarsest;
            classes[own].push(Junction {
                place: junction.place,
                streams: first..next,
                work: if is_last { junction.work } else { 0.0 },
                flush: junction.flush && is_last,
            });
            first = next;
        }
        for stream in junction.streams.clone() {
            let target = streams.channels[epoch.streams[stream as usize].channel as usize].to as usize;
            coming_in[target] = coming_in[target].max(class(stream));
        }
    }
    classes
}
