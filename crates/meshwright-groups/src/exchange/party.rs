//! The process of one member, on any structure: the operations of its program, one after the other.

use super::hubs::{Meeting, Messages};
use super::sweeps::{Stroke, Strokes, Sweep};
use super::{Structure, Sweeps};
use crate::Group;
use crate::protocol::fixed::links;
use crate::protocol::pass::{Load, Pass, Post, Way};
use crate::protocol::{Entry, Here, Links, Operation, Outcome, Program};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::{Context, Process};

/// A message between members: the number of the operation it belongs to, where in it, what it carries. Messages of
/// the next operation may overtake the last of this one, and are kept until it is time.
#[derive(Debug)]
pub struct Parcel {
    number: u32,
    kind: Kind,
    load: Load,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Pass(Way),
    Meeting,
    Sweep(Stroke),
}

/// What a member is doing.
#[derive(Debug)]
enum Doing {
    Nothing,
    Compute,
    Pass(Pass, Links),
    Meeting(Meeting),
    Sweep(Sweep),
}

/// The process of one node: it does what its program asks for.
///
/// It reads the structure, which all members share, only at its own place.
#[derive(Debug)]
pub struct Party<'s, P> {
    structure: &'s Structure,
    group: &'s Group,
    is_ordered: bool,
    /// None for a node that takes no part.
    rank: Option<u32>,
    program: P,
    /// How many operations were begun.
    number: u32,
    doing: Doing,
    operation: Operation,
    began: Cycles,
    early: Vec<(NodeId, Parcel)>,
    sent: u32,
    post: Post,
    messages: Messages,
    strokes: Strokes,
    log: Vec<Entry>,
}

/// The processes of all nodes: of the members of a group, and of those that take no part.
///
/// # Panics
///
/// When there is not one program for each member, or the structure is for a group of another size.
///
/// # Examples
///
/// ```
/// use meshwright_groups::exchange::{Hubs, Structure, parties};
/// use meshwright_groups::protocol::{Operation, Operator, Script};
/// use meshwright_groups::Group;
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:4x4")?;
/// let group = Group::whole(&torus, "row")?;
/// let hubs = Structure::Hubs(Hubs::new(&torus, &group, 4)?);
/// let program = |value| Script::new(vec![Operation::AllReduce(Operator::Max, value)]);
/// let mut all = parties(&hubs, &torus, &group, (0..16).map(program).collect());
/// assert!(sim::run(&torus, &mut all, &sim::Engine::Message)?.unfinished.is_empty());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parties<'s, P: Program + Default>(
    structure: &'s Structure,
    machine: &Machine,
    group: &'s Group,
    programs: Vec<P>,
) -> Vec<Party<'s, P>> {
    assert_eq!(structure.size(), group.size(), "a structure of this group");
    assert_eq!(programs.len(), group.members().len(), "a program for each member");
    let is_ordered = matches!(structure, Structure::Rooted(tree) if tree.keeps_order());
    let party = |rank, program| Party {
        structure,
        group,
        is_ordered,
        rank,
        program,
        number: 0,
        doing: Doing::Nothing,
        operation: Operation::Stop,
        began: Cycles(0),
        early: Vec::new(),
        sent: 0,
        post: Vec::new(),
        messages: Vec::new(),
        strokes: Vec::new(),
        log: Vec::new(),
    };
    let mut all: Vec<_> = (0..machine.nodes()).map(|_| party(None, P::default())).collect();
    for ((rank, program), node) in (0..).zip(programs).zip(group.members()) {
        all[node.index()] = party(Some(rank), program);
    }
    all
}

impl<P: Program> Party<'_, P> {
    /// Its program.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// Everything it did, in order.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// How many messages it sent.
    pub fn sent(&self) -> u32 {
        self.sent
    }

    fn own_rank(&self) -> u32 {
        self.rank.expect("only members do something")
    }

    /// Runs the program until it has to wait.
    fn proceed(&mut self, mut outcome: Outcome, context: &mut Context<'_, Parcel>) {
        loop {
            let here = Here {
                node: context.node(),
                rank: self.own_rank(),
                size: self.group.size(),
                level: 0,
                now: context.now(),
                outcome,
            };
            self.operation = self.program.next(here);
            self.began = context.now();
            match self.begin(context).or_else(|| self.catch_up(context)) {
                Some(over) => outcome = self.end(over, context.now()),
                None => return,
            }
        }
    }

    /// Begins the present operation; its outcome, if it is over at once.
    fn begin(&mut self, context: &mut Context<'_, Parcel>) -> Option<Outcome> {
        let (group, rank, operation) = (self.group, self.own_rank(), self.operation);
        match operation {
            Operation::Stop => {
                self.doing = Doing::Nothing;
                context.finish();
                return None;
            }
            Operation::Compute(cycles) => {
                self.doing = Doing::Compute;
                context.compute(cycles, 0);
                return None;
            }
            Operation::Split(_) | Operation::Join => panic!("a structure of one group has no splits"),
            _ => {}
        }
        self.number += 1;
        let tree = match self.structure {
            Structure::Rooted(tree) => Some(links(tree, group, rank)),
            Structure::Hubs(hubs) => hubs.pass_links(group, rank, operation),
            Structure::Sweeps(sweeps) => sweeps.pass_links(group, rank, operation),
        };
        let (doing, outcome) = match (tree, self.structure) {
            (Some(links), _) => {
                let (pass, outcome) = Pass::begin(operation, rank, self.is_ordered, &links, &mut self.post);
                (Doing::Pass(pass, links), outcome)
            }
            (None, Structure::Hubs(hubs)) => {
                let (meeting, outcome) = Meeting::begin(hubs, group, rank, operation, &mut self.messages);
                (Doing::Meeting(meeting), outcome)
            }
            (None, Structure::Sweeps(sweeps)) => {
                let (sweep, outcome) = Sweep::begin(sweeps, rank, operation, &mut self.strokes);
                (Doing::Sweep(sweep), outcome)
            }
            (None, Structure::Rooted(_)) => unreachable!("every operation is a pass over a tree"),
        };
        self.doing = doing;
        self.flush(context);
        outcome
    }

    /// Writes down an operation that is over.
    fn end(&mut self, outcome: Outcome, now: Cycles) -> Outcome {
        let (operation, size) = (self.operation, self.group.size());
        self.log.push(Entry { operation, level: 0, group: 0, size, begin: self.began, end: now });
        self.doing = Doing::Nothing;
        outcome
    }

    /// Sends what was put down during an operation.
    fn flush(&mut self, context: &mut Context<'_, Parcel>) {
        let passes = self.post.drain(..).map(|(to, way, load)| (to, Kind::Pass(way), load));
        let kind = |way: Option<Way>| way.map_or(Kind::Meeting, Kind::Pass);
        let messages = self.messages.drain(..).map(|(to, way, load)| (to, kind(way), load));
        let group = self.group;
        let strokes = self.strokes.drain(..);
        let strokes = strokes.map(|(to, stroke, load)| (group.node(to), Kind::Sweep(stroke), load));
        for (to, kind, load) in passes.chain(messages).chain(strokes) {
            self.sent += 1;
            context.send(to, load.bytes(), Parcel { number: self.number, kind, load });
        }
    }

    fn is_due(&self, number: u32) -> bool {
        number == self.number && !matches!(self.doing, Doing::Nothing | Doing::Compute)
    }

    /// Handles a message that is due; the outcome, if it ends the present operation.
    fn handle(&mut self, from: NodeId, parcel: Parcel, context: &mut Context<'_, Parcel>) -> Option<Outcome> {
        let (group, rank) = (self.group, self.own_rank());
        let Parcel { kind, load, .. } = parcel;
        let outcome = match (&mut self.doing, kind, self.structure) {
            (Doing::Pass(pass, links), Kind::Pass(way), _) => {
                pass.receive(from, way, load, links, &mut self.post)
            }
            (Doing::Meeting(meeting), Kind::Pass(way), Structure::Hubs(hubs)) => {
                meeting.receive((hubs, group, rank), from, Some(way), load, &mut self.messages)
            }
            (Doing::Meeting(meeting), Kind::Meeting, Structure::Hubs(hubs)) => {
                meeting.receive((hubs, group, rank), from, None, load, &mut self.messages)
            }
            (Doing::Sweep(sweep), Kind::Sweep(stroke), Structure::Sweeps(sweeps)) => {
                let sweeps: &Sweeps = sweeps;
                sweep.receive(sweeps, rank, (stroke, &load), &mut self.strokes)
            }
            _ => unreachable!("all members call the same operation"),
        };
        self.flush(context);
        outcome
    }

    /// Handles early messages whose time has come; the outcome, if one ends the present operation.
    fn catch_up(&mut self, context: &mut Context<'_, Parcel>) -> Option<Outcome> {
        while let Some(at) = self.early.iter().position(|(_, parcel)| self.is_due(parcel.number)) {
            let (from, parcel) = self.early.remove(at);
            if let Some(outcome) = self.handle(from, parcel, context) {
                return Some(outcome);
            }
        }
        None
    }
}

impl<P: Program> Process for Party<'_, P> {
    type Payload = Parcel;

    fn on_start(&mut self, context: &mut Context<'_, Parcel>) {
        if self.rank.is_some() {
            self.proceed(Outcome::Done, context);
        } else {
            context.finish();
        }
    }

    fn on_message(&mut self, from: NodeId, parcel: Parcel, context: &mut Context<'_, Parcel>) {
        if !self.is_due(parcel.number) {
            self.early.push((from, parcel));
        } else if let Some(outcome) = self.handle(from, parcel, context) {
            let outcome = self.end(outcome, context.now());
            self.proceed(outcome, context);
        }
    }

    fn on_computed(&mut self, _: u32, context: &mut Context<'_, Parcel>) {
        let outcome = self.end(Outcome::Done, context.now());
        self.proceed(outcome, context);
    }
}
