//! The static optimum, solved again and again while the load is worked off, by what was measured.

use std::rc::Rc;

use super::body::{Body, Hands, Policy};
use super::{Case, Piece, solve};
use meshwright_core::units::{Cycles, LinkId, NodeId};
use meshwright_network::topology::Topology;

/// What a node reports: who it is, what waits there and how fast it is.
type Row = (NodeId, u64, f64);

/// What the nodes say.
#[derive(Clone, Debug)]
pub enum ResolvedNote {
    /// To the coordinator: so much has entered here.
    Entered(u64),
    /// Up the tree: the state of a node and of all below it.
    Report {
        /// Which plan it was made under.
        epoch: u32,
        /// The states.
        rows: Vec<Row>,
    },
    /// Down the tree: a new plan.
    Plan(Rc<Plan>),
}

/// What is to cross every link and be worked off by every node from now on.
#[derive(Debug)]
pub struct Plan {
    epoch: u32,
    /// The next report is due after so many cycles.
    report_after: u64,
    /// By link id, in bytes.
    link: Vec<u64>,
    /// By node id, in bytes.
    node: Vec<u64>,
}

/// A link this node sends on.
#[derive(Clone, Copy, Debug)]
struct Line {
    to: NodeId,
    link: LinkId,
    /// What the plan wants sent, and what of it is not sent yet.
    planned: u64,
    quota: u64,
    /// The bytes on the link now, and those sent since the last report.
    flying: u64,
    sent: u64,
}

/// What only the coordinator knows: the last reports.
#[derive(Debug)]
struct Coordinator {
    stocks: Vec<u64>,
    speeds: Vec<f64>,
}

/// A node that follows plans, and one of them that makes them.
///
/// All nodes report what waits and how fast they are, along a tree of shortest ways to the coordinator, the source with
/// most load. It solves the optimum for what is left with every node a source of what waits there, and sends the amounts
/// down the tree. The next reports are due after 1/8 of the time that this plan takes, and when load enters it plans at
/// once. Between plans a node works off what it has, and sends on what the plan wants sent.
#[derive(Debug)]
pub struct Resolved {
    coordinator: NodeId,
    parent: NodeId,
    children: Vec<NodeId>,
    /// Nodes in the tree below, this one included.
    below: u64,
    lines: Vec<Line>,
    /// What the plan leaves to the own processor.
    own: u64,
    epoch: u32,
    is_due: bool,
    rows: Vec<Row>,
    waits_for: usize,
    all: Option<Coordinator>,
}

/// The tree of shortest ways to a node: by node id the parent, and how many nodes are at or below it.
fn tree(case: &Case<'_>, root: NodeId) -> (Vec<NodeId>, Vec<u64>) {
    let machine = case.machine();
    let mut parent = vec![root; machine.nodes() as usize];
    let mut below = vec![0; parent.len()];
    let mut order: Vec<NodeId> = machine.living().collect();
    order.sort_unstable_by_key(|&node| (std::cmp::Reverse(case.hops(root, node)), node));
    for node in order {
        below[node.index()] += 1;
        if node == root {
            continue;
        }
        // Of two ways the one with fewer below evens the tree.
        let nearer =
            |&other: &NodeId| machine.is_alive(other) && case.hops(root, other) + 1 == case.hops(root, node);
        let others = machine.neighbours(node).map(|(_, other)| other).filter(nearer);
        let up = others.min_by_key(|other| below[other.index()]).expect("nobody is cut off");
        parent[node.index()] = up;
        below[up.index()] += below[node.index()];
    }
    (parent, below)
}

impl Resolved {
    /// The policies of all nodes.
    pub fn all(case: &Case<'_>) -> Vec<Self> {
        let machine = case.machine();
        let entered = |node: NodeId| -> u64 {
            case.arrivals.iter().filter(|arrival| arrival.node == node).map(|arrival| arrival.bytes).sum()
        };
        let coordinator =
            case.entries.iter().copied().max_by_key(|&node| (entered(node), std::cmp::Reverse(node)));
        let coordinator = coordinator.unwrap_or_default();
        let (parent, below) = tree(case, coordinator);
        let mut children = vec![Vec::new(); parent.len()];
        for node in machine.living().filter(|&node| node != coordinator) {
            children[parent[node.index()].index()].push(node);
        }
        let of = |(node, children): (NodeId, Vec<NodeId>)| {
            let lines = machine.neighbours(node).filter(|&(_, to)| machine.is_alive(to));
            let line = |(link, to)| Line { to, link, planned: 0, quota: 0, flying: 0, sent: 0 };
            let all = (node == coordinator)
                .then(|| Coordinator { stocks: vec![0; parent.len()], speeds: vec![1.0; parent.len()] });
            Self {
                coordinator,
                parent: parent[node.index()],
                below: below[node.index()],
                waits_for: children.len(),
                children,
                lines: lines.map(line).collect(),
                own: 0,
                epoch: 0,
                is_due: false,
                rows: Vec::new(),
                all,
            }
        };
        (0u32..).map(NodeId).zip(children).map(of).collect()
    }

    /// The shortest and the longest time between plans, in cycles.
    fn pauses(case: &Case<'_>) -> (u64, u64) {
        let startup = case.machine().costs().startup.0;
        let shortest = (case.grain_cycles() / 2).max(32 * startup).max(1);
        (shortest, shortest.max((case.planned_cycles / 16.0) as u64))
    }

    /// Makes a plan of what is known, and follows it.
    fn replan(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        let Some(all) = &self.all else { return };
        let case = body.case;
        let stocks: Vec<(NodeId, u64)> = (0u32..).map(NodeId).zip(all.stocks.iter().copied()).collect();
        let (shortest, longest) = Self::pauses(case);
        let mut plan = Plan {
            epoch: self.epoch + 1,
            report_after: longest,
            link: vec![0; case.machine().links() as usize],
            node: vec![0; all.stocks.len()],
        };
        if all.stocks.iter().any(|&stock| stock > 0) {
            // Where every processor has stopped there is no plan: all waits.
            if let Ok((cycles, flow)) = solve(case.scale, &stocks, Some(&all.speeds)) {
                plan.report_after = ((cycles / 8.0) as u64).clamp(shortest, longest);
                // Up: of a byte that is to go two ways half of it is no byte.
                plan.link = flow.link.iter().map(|bytes| bytes.ceil() as u64).collect();
                plan.node = flow.node.iter().map(|bytes| bytes.ceil() as u64).collect();
            }
        }
        self.follow(&Rc::new(plan), body, hands);
    }

    /// Takes up a plan and hands it down.
    fn follow(&mut self, plan: &Rc<Plan>, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        self.epoch = plan.epoch;
        self.own = plan.node[body.node.index()];
        for line in &mut self.lines {
            line.planned = plan.link[line.link.index()].saturating_sub(line.sent);
            line.quota = line.planned;
        }
        (self.is_due, self.waits_for) = (false, self.children.len());
        self.rows.clear();
        for &child in &self.children {
            // As long as the rows for the nodes below the child; all are about as many.
            let rows = self.below.saturating_sub(1).div_ceil(self.children.len() as u64);
            body.tell(child, ResolvedNote::Plan(Rc::clone(plan)), rows.div_ceil(4), hands);
        }
        if !body.is_over() {
            hands.alarm(Cycles(plan.report_after), plan.epoch);
        }
    }

    /// Reports when it is time and all below have.
    fn report(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        if !self.is_due || self.waits_for > 0 || body.is_over() {
            return;
        }
        self.is_due = false;
        let now = hands.now();
        let flying: u64 = self.lines.iter().map(|line| line.flying).sum();
        self.lines.iter_mut().for_each(|line| line.sent = 0);
        let mut rows = std::mem::take(&mut self.rows);
        rows.push((body.node, body.held(now) + flying, body.speed_now(now)));
        match &mut self.all {
            None => {
                let note = ResolvedNote::Report { epoch: self.epoch, rows };
                body.tell(self.parent, note, self.below.div_ceil(4), hands);
            }
            Some(all) => {
                for (node, stock, speed) in rows {
                    (all.stocks[node.index()], all.speeds[node.index()]) = (stock, speed);
                }
                self.replan(body, hands);
            }
        }
    }

    /// Load has entered at a node.
    fn entered(
        &mut self,
        node: NodeId,
        bytes: u64,
        body: &mut Body<'_>,
        hands: &mut Hands<'_, ResolvedNote>,
    ) {
        match &mut self.all {
            Some(all) => {
                all.stocks[node.index()] += bytes;
                self.replan(body, hands);
            }
            None => body.tell(self.coordinator, ResolvedNote::Entered(bytes), 1, hands),
        }
    }
}

impl Policy for Resolved {
    type Note = ResolvedNote;

    fn start(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        // The plan for what is there at the beginning is known to all.
        let case = body.case;
        let share = |at: &super::Arrival| if at.at == 0 { at.bytes } else { 0 };
        let whole: u64 = case.arrivals.iter().map(|at| at.bytes).sum();
        let first = case.arrivals.iter().map(share).sum::<u64>() as f64;
        if first > 0.0 && first == whole as f64 {
            for line in &mut self.lines {
                line.planned = (case.plan.link[line.link.index()] * first).round() as u64;
                line.quota = line.planned;
            }
            self.own = (case.plan.node[body.node.index()] * first).round() as u64;
        }
        hands.alarm(Cycles(Self::pauses(case).1), 0);
    }

    fn arrived(&mut self, piece: Piece, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        body.take(piece);
        let is_planned = hands.now().0 == 0 && body.case.arrivals.iter().all(|arrival| arrival.at == 0);
        if !is_planned {
            self.entered(body.node, piece.bytes, body, hands);
        }
    }

    fn noted(
        &mut self,
        from: NodeId,
        note: ResolvedNote,
        body: &mut Body<'_>,
        hands: &mut Hands<'_, ResolvedNote>,
    ) {
        match note {
            ResolvedNote::Entered(bytes) => self.entered(from, bytes, body, hands),
            ResolvedNote::Report { epoch, rows } => {
                if epoch == self.epoch {
                    self.rows.extend(rows);
                    self.waits_for -= 1;
                    self.report(body, hands);
                }
            }
            ResolvedNote::Plan(plan) => self.follow(&plan, body, hands),
        }
    }

    fn sent(&mut self, token: u32, _: &mut Body<'_>, _: &mut Hands<'_, ResolvedNote>) {
        self.lines[token as usize].flying = 0;
    }

    fn alarm(&mut self, token: u32, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        if token == self.epoch {
            self.is_due = true;
            self.report(body, hands);
        }
    }

    fn grain(&self, body: &Body<'_>) -> u64 {
        // Towards the end smaller ones, so that all end together.
        (self.own / 4).clamp((body.case.grain / 8).max(1), body.case.grain)
    }

    fn act(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, ResolvedNote>) {
        let case = body.case;
        let kept = if body.is_dead { 0 } else { self.grain(body).min(self.own) };
        loop {
            let free = body.stocked().saturating_sub(kept);
            let idle =
                (0..self.lines.len()).filter(|&at| self.lines[at].flying == 0 && self.lines[at].quota > 0);
            // Whoever has had least of what it is to get.
            let left = |line: &Line| line.quota as f64 / line.planned as f64;
            let next = idle.rev().max_by(|&a, &b| left(&self.lines[a]).total_cmp(&left(&self.lines[b])));
            let Some(at) = next else { return };
            let line = &mut self.lines[at];
            let Some(piece) = body.give(free.min(line.quota).min(case.grain)) else { return };
            line.quota -= piece.bytes;
            line.sent += piece.bytes;
            line.flying = piece.bytes;
            body.send(line.to, piece, 0, at as u32, hands);
        }
    }
}
