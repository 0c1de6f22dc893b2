//! Random splits beside another implementation: here one in which everybody tells everybody everything.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Mutex;

use meshwright_groups::trees;
use meshwright_network::topology::Machine;
use meshwright_runtime::groups::{Beside, Group, Messages, Other, Series, compare};
use meshwright_runtime::transport::Mailbox;
use meshwright_runtime::transport::threads::{self, ThreadEndpoint};

/// A group whose members tell each other their labels.
struct Naive {
    mail: Rc<RefCell<Mailbox<ThreadEndpoint>>>,
    members: Vec<u32>,
    rank: u32,
    /// Sorts by falling keys: not what is asked for.
    is_wrong: bool,
}

impl Naive {
    fn exchange(&self, own: (Option<u32>, i32)) -> Vec<(Option<u32>, i32)> {
        let mut mail = self.mail.borrow_mut();
        for &to in &self.members {
            mail.send(to, 0, &own).unwrap();
        }
        self.members.iter().map(|&from| mail.receive(from, 0).unwrap()).collect()
    }
}

impl Other for Naive {
    fn split(&mut self, colour: Option<u32>, key: i32) -> Option<Self> {
        let labels = self.exchange((colour, key));
        colour?;
        let mut alike: Vec<usize> = (0..labels.len()).filter(|&rank| labels[rank].0 == colour).collect();
        alike.sort_by_key(|&rank| if self.is_wrong { -labels[rank].1 } else { labels[rank].1 });
        let rank = alike.iter().position(|&rank| rank == self.rank as usize).unwrap() as u32;
        let members = alike.into_iter().map(|rank| self.members[rank]).collect();
        Some(Self { mail: Rc::clone(&self.mail), members, rank, is_wrong: self.is_wrong })
    }

    fn barrier(&mut self) {
        self.exchange((None, 0));
    }

    fn sum(&mut self, root: u32, value: u64) -> Option<u64> {
        let all = self.exchange((Some(value as u32), 0));
        (root == self.rank).then(|| all.iter().filter_map(|one| one.0.map(u64::from)).sum())
    }

    fn rank(&self) -> u32 {
        self.rank
    }

    fn members(&self) -> Vec<u32> {
        self.members.clone()
    }
}

fn run(nodes: u32, series: Series, is_wrong: bool) -> Vec<Beside> {
    let machine = Machine::mesh([1, nodes]).unwrap();
    let second: Mutex<Vec<_>> = Mutex::new(threads::endpoints(nodes).into_iter().map(Some).collect());
    let body = |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let mut world = Group::world(&mut mail, &machine, trees::tree("ecrb4").unwrap()).unwrap();
        let rank = world.rank();
        let other = second.lock().unwrap()[rank as usize].take().unwrap();
        let mail = Rc::new(RefCell::new(Mailbox::new(other)));
        let mut other = Naive { mail, members: (0..nodes).collect(), rank, is_wrong };
        let mut done = 0;
        let found = compare(&mut world, &mut other, &series, || done += 1)?;
        assert_eq!(done, series.splits);
        Ok(found)
    };
    threads::run(nodes, body).unwrap()
}

/// The groups that the drawn labels ask for, level by level: their sizes, and what splits, barriers, joins and reduces send.
fn expected(series: &Series, nodes: u32) -> (u64, [Messages; 4]) {
    let mut groups = 0;
    let mut messages = [Messages::default(); 4];
    let mut count = |of: usize, times: u64, size: usize| {
        messages[of].operations += times;
        messages[of].sent += times * if of == 3 { 1 } else { 2 } * (size as u64 - 1);
        messages[of].expected = messages[of].sent;
    };
    for split in 0..series.splits {
        let mut level_groups = vec![(0..nodes).collect::<Vec<u32>>()];
        for level in 0..series.depth {
            let mut next = Vec::new();
            for group in &level_groups {
                count(0, 1, group.len());
                count(2, 1, group.len());
                for colour in 0..series.colours {
                    let is_member = |&rank: &u32| series.label(split, level, rank, nodes).0 == Some(colour);
                    let part: Vec<u32> = group.iter().copied().filter(is_member).collect();
                    if !part.is_empty() {
                        count(1, series.barriers.into(), part.len());
                        count(3, series.barriers.into(), part.len());
                        groups += 1;
                        next.push(part);
                    }
                }
            }
            level_groups = next;
        }
    }
    (groups, messages)
}

#[test]
fn both_find_the_same_and_messages_are_counted() {
    for (nodes, depth, colours, barriers) in [(1, 1, 1, 1), (2, 3, 2, 1), (7, 2, 3, 2), (11, 1, 4, 0)] {
        let series = Series { splits: 9, depth, colours, barriers, seed: 5 };
        let found = run(nodes, series, false);
        let (groups, [split, barrier, join, reduce]) = expected(&series, nodes);
        for found in &found {
            assert_eq!((found.differences, &found.first_difference), (0, &None));
            assert_eq!((found.ranks, found.groups), (nodes, groups));
            assert_eq!(found.split_messages, split);
            assert_eq!(found.barrier_messages, barrier);
            assert_eq!(found.join_messages, join);
            assert_eq!(found.reduce_messages, reduce);
            assert!(found.split.ours_microseconds > 0.0 && found.split.other_microseconds > 0.0);
        }
        assert!(found.iter().all(|other| *other == found[0]), "everybody gets the same answer");
    }
}

#[test]
fn differences_are_found_and_stop_nobody() {
    let series = Series { splits: 6, depth: 2, colours: 2, barriers: 1, seed: 2 };
    let found = run(8, series, true);
    assert!(found[0].differences > 0);
    let text = found[0].first_difference.as_ref().unwrap();
    assert!(text.contains("split") && text.contains("ours Some("), "{text}");
}

/// Labels are drawn with ties, and now and then nobody's.
#[test]
fn labels_are_of_all_kinds() {
    let series = Series { splits: 40, depth: 1, colours: 3, barriers: 1, seed: 1 };
    let labels: Vec<_> =
        (0..40).flat_map(|split| (0..8).map(move |rank| series.label(split, 0, rank, 8))).collect();
    for colour in [None, Some(0), Some(1), Some(2)] {
        assert!(labels.iter().any(|label| label.0 == colour), "{colour:?}");
    }
    assert!(
        (-2..=2).all(|key| labels.iter().any(|label| label.1 == key))
            && labels.iter().all(|label| label.1.abs() <= 2)
    );
}
