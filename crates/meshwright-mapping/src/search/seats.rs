//! Which task is on which node, and the exchange of what is on two of them.

use super::job::{Incident, PhasedJob};

/// No task.
pub(super) const FREE: u32 = u32::MAX;

/// The tasks on their nodes, and the phases that the last exchange touched.
#[derive(Clone, Debug)]
pub(super) struct Seats<'p> {
    job: &'p PhasedJob,
    node_of: Vec<u32>,
    task_at: Vec<u32>,
    /// By phase the last exchange that touched it.
    stamp: Vec<u32>,
    now: u32,
    last: (u32, u32),
}

impl<'p> Seats<'p> {
    /// No task placed yet: [`Seats::reset`] follows.
    pub(super) fn new(job: &'p PhasedJob, nodes: u32) -> Self {
        let (node_of, task_at) = (vec![0; job.tasks as usize], vec![FREE; nodes as usize]);
        Self { job, node_of, task_at, stamp: vec![0; job.phases()], now: 0, last: (0, 0) }
    }

    /// The job whose tasks they are.
    pub(super) fn job(&self) -> &'p PhasedJob {
        self.job
    }

    /// Puts every task on its node.
    pub(super) fn reset(&mut self, node_of: &[u32]) {
        self.node_of.copy_from_slice(node_of);
        self.task_at.fill(FREE);
        for (task, &node) in node_of.iter().enumerate() {
            self.task_at[node as usize] = task as u32;
        }
    }

    /// The node of each task.
    pub(super) fn node_of(&self) -> &[u32] {
        &self.node_of
    }

    /// The task on a node, or [`FREE`].
    #[inline]
    pub(super) fn task_at(&self, node: u32) -> u32 {
        self.task_at[node as usize]
    }

    /// Exchanges what was exchanged last, again, and sends nothing: for those who know what was before.
    pub(super) fn take_back(&mut self) {
        let (a, b) = self.last;
        self.swap_contents(a, b);
    }

    fn swap_contents(&mut self, a: u32, b: u32) {
        let (on_a, on_b) = (self.task_at(a), self.task_at(b));
        self.task_at[a as usize] = on_b;
        self.task_at[b as usize] = on_a;
        for (task, node) in [(on_a, b), (on_b, a)] {
            if task != FREE {
                self.node_of[task as usize] = node;
            }
        }
    }

    /// The nodes of the tasks of a message.
    #[inline]
    pub(super) fn nodes_of(&self, message: usize) -> (u32, u32) {
        let (source, target) = self.job.ends[message];
        (self.node_of[source as usize], self.node_of[target as usize])
    }
}

/// Something that is kept up to date while tasks change places: only the messages of those that move are touched.
pub(super) trait Seated<'p> {
    /// Who is where.
    fn seats(&mut self) -> &mut Seats<'p>;

    /// Remembers a phase before the first of its messages is touched, to be taken back.
    fn remember(&mut self, phase: u32);

    /// Sends or takes back a message of a phase from a node to a node.
    fn send<const SEND: bool>(&mut self, message: usize, phase: usize, way: (u32, u32));

    /// Exchanges what is on two nodes.
    fn swap(&mut self, a: u32, b: u32) {
        let seats = self.seats();
        seats.last = (a, b);
        seats.now = seats.now.wrapping_add(1);
        self.swap_and_send(a, b);
    }

    /// Exchanges what was exchanged last, again; the phases touched are the same and are not remembered anew.
    fn swap_back(&mut self) {
        let (a, b) = self.seats().last;
        self.swap_and_send(a, b);
    }

    #[doc(hidden)]
    fn swap_and_send(&mut self, a: u32, b: u32) {
        if a == b {
            return;
        }
        let (on_a, on_b) = (self.seats().task_at(a), self.seats().task_at(b));
        self.send_all::<false>(on_a, FREE);
        self.send_all::<false>(on_b, on_a);
        self.seats().swap_contents(a, b);
        self.send_all::<true>(on_a, FREE);
        self.send_all::<true>(on_b, on_a);
    }

    /// Sends or takes back the messages of a task, but for those it shares with `done`.
    #[doc(hidden)]
    fn send_all<const SEND: bool>(&mut self, task: u32, done: u32) {
        if task == FREE {
            return;
        }
        let job = self.seats().job;
        let here = self.seats().node_of[task as usize];
        for &Incident { message, phase, other, sends } in job.of_task.row(task as usize) {
            if other == done {
                continue;
            }
            let seats = self.seats();
            let there = seats.node_of[other as usize];
            if seats.stamp[phase as usize] != seats.now {
                seats.stamp[phase as usize] = seats.now;
                self.remember(phase);
            }
            let way = if sends { (here, there) } else { (there, here) };
            self.send::<SEND>(message as usize, phase as usize, way);
        }
    }
}
