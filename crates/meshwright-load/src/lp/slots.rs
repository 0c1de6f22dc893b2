//! Time in slots: when messages begin and end, for a bound that knows that a message is sent on after it has come.

use microlp::{ComparisonOp, Problem, Variable};

use super::model::{Model, UNIT, Wire};
use super::through::Aggregate;
use meshwright_core::units::NodeId;

/// Slots of this width, of which `per_startup` make a start-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    width: f64,
    per_startup: usize,
}

/// A message over a wire that begins in one slot and ends in another: its load, and how many of it there are, at most one.
struct Message {
    begin: usize,
    end: usize,
    load: Variable,
    count: Variable,
}

impl Slots {
    pub(super) fn new(startup: f64, per_startup: usize) -> Self {
        Self { width: startup / per_startup as f64, per_startup }
    }

    fn at(self, moment: f64) -> usize {
        (moment / self.width + 1e-9).floor() as usize
    }

    /// How many slots there are until then.
    pub(super) fn until(self, end: f64) -> usize {
        (end / self.width - 1e-9).ceil().max(1.0) as usize
    }

    /// The messages that can cross a wire in time: by begin and end the least and the most load.
    fn spans(self, wire_time: f64, (early, end, most): (f64, f64, f64)) -> Vec<(usize, usize, f64, f64)> {
        let slots = self.until(end);
        let mut spans = Vec::new();
        for begin in self.at(early)..slots {
            for last in begin + self.per_startup..slots {
                let least = match last - begin - self.per_startup {
                    0 | 1 => 0.0,
                    more => (more - 1) as f64 * self.width / wire_time,
                };
                if least >= most {
                    break;
                }
                let fits = (last + 1 - begin - self.per_startup) as f64 * self.width / wire_time;
                spans.push((begin, last, least, most.min(fits)));
            }
        }
        spans
    }

    /// How many variables are needed.
    pub(super) fn variables(self, model: &Model<'_>, window: &dyn Fn(usize) -> (f64, f64, f64)) -> usize {
        let spans = |(index, wire): (usize, &Wire)| self.spans(wire.time, window(index)).len();
        2 * model.wires.iter().enumerate().map(spans).sum::<usize>()
    }

    /// Adds the rows; a window of a wire is from when on something can be sent, the end, and the most that a message can bring.
    pub(super) fn add(
        self,
        model: &Model<'_>,
        programme: &mut Problem,
        (end, done): (f64, Variable),
        window: &dyn Fn(usize) -> (f64, f64, f64),
        all: Aggregate<'_>,
    ) {
        let slots = self.until(end);
        let free = (0.0, f64::INFINITY);
        let mut messages = Vec::new();
        for (index, wire) in model.wires.iter().enumerate() {
            let mut own = Vec::new();
            for (begin, last, least, most) in self.spans(wire.time, window(index)) {
                let (load, count) = (programme.add_var(0.0, free), programme.add_var(0.0, (0.0, UNIT)));
                programme.add_constraint([(load, 1.0), (count, -most)], ComparisonOp::Le, 0.0);
                if least > 0.0 {
                    programme.add_constraint([(load, 1.0), (count, -least)], ComparisonOp::Ge, 0.0);
                }
                own.push(Message { begin, end: last, load, count });
            }
            let sum = |part: fn(&Message) -> Variable, whole: &[Variable]| -> Vec<(Variable, f64)> {
                let parts = own.iter().map(|message| (part(message), 1.0));
                parts.chain(whole.iter().map(|&whole| (whole, -1.0))).collect()
            };
            programme.add_constraint(sum(|message| message.load, &all.flows[index]), ComparisonOp::Eq, 0.0);
            programme.add_constraint(
                sum(|message| message.count, &[all.counts[index]]),
                ComparisonOp::Eq,
                0.0,
            );
            for slot in 0..slots {
                let crossing = own.iter().filter(|one| one.begin <= slot && slot < one.end);
                let terms: Vec<_> = crossing.map(|one| (one.count, 1.0)).collect();
                if terms.len() > 1 {
                    programme.add_constraint(terms, ComparisonOp::Le, UNIT);
                }
            }
            messages.push(own);
        }
        for node in 0..model.nodes() {
            self.add_node(model, programme, (end, done), (node, &all.works[node]), &messages);
        }
    }

    /// What is worked off and sent by the end of a slot has come by then.
    fn add_node(
        self,
        model: &Model<'_>,
        programme: &mut Problem,
        (end, done): (f64, Variable),
        (node, works): (usize, &[Variable]),
        messages: &[Vec<Message>],
    ) {
        let slots = self.until(end);
        let speed = 1.0 / model.problem.work(NodeId(node as u32));
        let mut all: Vec<(Variable, f64)> = works.iter().map(|&work| (work, -1.0)).collect();
        let mut before: Option<Variable> = None;
        for slot in 0..slots {
            let length = (end - slot as f64 * self.width).min(self.width);
            let mut terms: Vec<(Variable, f64)> = before.map(|stock| (stock, 1.0)).into_iter().collect();
            let supplies = model.commodities.iter().flat_map(|one| &one.supplies);
            let here = supplies
                .filter(|&&(at, phase, _)| at.index() == node && self.at(model.starts[phase]) == slot);
            let supply: f64 = here.map(|&(_, _, load)| load).sum();
            terms.extend((supply > 0.0).then_some((done, supply)));
            let each = |wires: &[usize], sign: f64, is: &dyn Fn(&Message) -> bool| -> Vec<(Variable, f64)> {
                let of = wires.iter().flat_map(|&wire| &messages[wire]);
                of.filter(|message| is(message)).map(|message| (message.load, sign)).collect()
            };
            terms.extend(each(&model.entering[node], 1.0, &|message| message.end == slot));
            terms.extend(each(&model.leaving[node], -1.0, &|message| message.begin == slot));
            if terms.is_empty() {
                continue;
            }
            let work = programme.add_var(0.0, (0.0, speed * length * UNIT));
            terms.push((work, -1.0));
            all.push((work, 1.0));
            if slot + 1 < slots {
                let stock = programme.add_var(0.0, (0.0, f64::INFINITY));
                terms.push((stock, -1.0));
                before = Some(stock);
            }
            programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
        }
        if !all.is_empty() {
            programme.add_constraint(all, ComparisonOp::Eq, 0.0);
        }
    }
}
