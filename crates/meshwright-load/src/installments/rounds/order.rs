//! Which messages there are, and in which order they cross their links and come to their nodes.

use super::programme::Wire;
use super::times::Times;
use crate::Problem;
use meshwright_network::topology::Topology;

/// What is less than this share of the load is not sent.
pub(super) const LEAST: f64 = 1e-7;

/// The variables of each message in a programme: when it begins, how large it is, what is worked off until it comes.
pub(super) const VARIABLES: usize = 3;

/// A message over a link, which begins when so many messages have come to where it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) wire: Wire,
    pub(super) after: usize,
}

/// Messages, and their order: what is not told of it, when they begin and how large they are, is left to a programme.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) messages: Vec<Message>,
    /// By link, in the order in which they cross it.
    pub(super) crossing: Vec<Vec<usize>>,
    /// By node, in the order in which they come.
    pub(super) coming: Vec<Vec<usize>>,
}

/// A message more, in terms of an order without it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insertion {
    pub(super) message: Message,
    /// Before which of the messages over its link.
    pub(super) crosses: usize,
    /// Before which of those that come to its end.
    pub(super) comes: usize,
}

impl Order {
    /// Messages in rounds, by round with their sizes: those of one round begin together, when those of the round before have come.
    pub(super) fn of_rounds(problem: &Problem<'_>, rounds: &[Vec<(Wire, f64)>]) -> Self {
        let machine = problem.machine();
        let mut order = Self {
            messages: Vec::new(),
            crossing: vec![Vec::new(); machine.links() as usize],
            coming: vec![Vec::new(); machine.nodes() as usize],
        };
        for round in rounds {
            let first = order.messages.len();
            for &(wire, _) in round {
                order.crossing[wire.link.index()].push(order.messages.len());
                order.messages.push(Message { wire, after: order.coming[wire.from.index()].len() });
            }
            let mut come: Vec<(f64, usize)> = (first..)
                .zip(round)
                .map(|(message, &(wire, size))| (problem.link_time(wire.link) * size, message))
                .collect();
            come.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (_, message) in come {
                order.coming[order.messages[message].wire.to.index()].push(message);
            }
        }
        order
    }

    /// How many variables its programme has.
    pub(super) fn variables(&self) -> usize {
        VARIABLES * self.messages.len() + self.coming.len() + 1
    }

    /// Without the messages that carry next to nothing; the others keep their times.
    pub(super) fn pruned(&self, times: &Times) -> (Self, Times) {
        let is_kept = |&message: &usize| times.size[message] > LEAST;
        let kept: Vec<usize> = (0..self.messages.len()).filter(is_kept).collect();
        let left = |list: &Vec<usize>| -> Vec<usize> {
            list.iter().filter_map(|message| kept.binary_search(message).ok()).collect()
        };
        let message = |&message: &usize| {
            let Message { wire, after } = self.messages[message];
            let before = &self.coming[wire.from.index()][..after];
            Message { wire, after: before.iter().filter(|message| is_kept(message)).count() }
        };
        let of_kept = |values: &[f64]| kept.iter().map(|&message| values[message]).collect();
        // What was worked off before a message that is left out belongs to what was before it.
        let works = |(coming, work): (&Vec<usize>, &Vec<f64>)| -> Vec<f64> {
            let mut sums = Vec::new();
            for (index, &work) in work.iter().enumerate() {
                match sums.last_mut() {
                    Some(sum) if !is_kept(&coming[index - 1]) => *sum += work,
                    _ => sums.push(work),
                }
            }
            sums
        };
        let order = Self {
            messages: kept.iter().map(message).collect(),
            crossing: self.crossing.iter().map(left).collect(),
            coming: self.coming.iter().map(left).collect(),
        };
        let times = Times {
            end: times.end,
            begin: of_kept(&times.begin),
            come: of_kept(&times.come),
            size: of_kept(&times.size),
            work: self.coming.iter().zip(&times.work).map(works).collect(),
        };
        (order, times)
    }

    /// With more messages; of those that come to a node at the same place the first is to come first.
    pub(super) fn with(&self, insertions: &[Insertion]) -> Self {
        let mut next = self.clone();
        next.messages.extend(insertions.iter().map(|one| one.message));
        // An arrival before the k-th is one more for those that wait for k and more.
        for message in &mut next.messages {
            let Message { wire, after } = *message;
            let sooner =
                insertions.iter().filter(|one| one.message.wire.to == wire.from && one.comes < after);
            message.after += sooner.count();
        }
        let first = self.messages.len();
        let insert = |lists: &mut [Vec<usize>], place: &dyn Fn(&Insertion) -> (usize, usize)| {
            let mut places: Vec<(usize, usize, usize)> = insertions
                .iter()
                .enumerate()
                .map(|(index, one)| {
                    let (list, at) = place(one);
                    (list, at, first + index)
                })
                .collect();
            // From behind, so that places in front stay what they are.
            places.sort_unstable();
            for (list, at, message) in places.into_iter().rev() {
                lists[list].insert(at, message);
            }
        };
        insert(&mut next.crossing, &|one| (one.message.wire.link.index(), one.crosses));
        insert(&mut next.coming, &|one| (one.message.wire.to.index(), one.comes));
        next
    }
}
