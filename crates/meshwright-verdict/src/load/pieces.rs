//! A load of pieces that must not be cut, given out to the processors of a machine, sent and simulated.

use serde::Serialize;

use super::answer::{Case, reason};
use super::feasible::WHOLE_CYCLES;
use super::job::Job;
use super::limited::{self, Limited};
use super::run::Run;
use super::terms::in_units;
use super::{PROGRAMME, VariantAnswer};
use crate::contradiction::not_below;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::indivisible::{self, Assignment, PiecesBound, RULES, Rule};
use meshwright_load::piece_file::Piece;
use meshwright_load::{Forwarding, Plan};
use meshwright_network::topology::{Machine, Topology};

/// How a load of pieces is divided best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PiecesAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of the load on a link over its time on a processor.
    pub sigma: f64,
    /// The start-up of a message, in units of w Tcp.
    pub startup: f64,
    /// The machine that was asked for and its optimum for a load cut anywhere, if it does less at a time.
    pub variant: Option<VariantAnswer>,
    /// The source.
    pub source: NodeId,
    /// How many pieces.
    pub count: usize,
    /// The sum of their sizes.
    pub size: u64,
    /// The largest of them.
    pub largest: u64,
    /// No assignment ends earlier, in units of w Tcp.
    pub bound: Bound,
    /// The best row.
    pub winner: Option<&'static str>,
    /// Every assignment that was simulated, the fastest first.
    pub methods: Vec<PiecesRow>,
    /// By piece, where the best assignment works it off.
    pub assignment: Vec<PieceRow>,
    /// What of the table does not apply, and why.
    pub skipped: Vec<String>,
}

/// The lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// The greater of the two.
    pub makespan: f64,
    /// The least makespan of the load cut anywhere, or what is proved of it where messages have a start-up.
    pub fluid: f64,
    /// What the largest pieces say.
    pub pieces: f64,
}

/// One assignment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PiecesRow {
    /// How pieces are given out.
    pub name: &'static str,
    /// The plan of a load cut anywhere whose shares it keeps to.
    pub targets: &'static str,
    /// The simulated time, in units of w Tcp.
    pub makespan: f64,
    /// 1 / makespan.
    pub speedup: f64,
    /// makespan / bound - 1.
    pub gap: f64,
    /// The simulated time, in cycles.
    pub simulated_cycles: u64,
    /// How many messages go over links.
    pub messages: usize,
    /// How many nodes have a piece.
    pub nodes_used: usize,
    /// The longest that a processor works beyond its target, in units of w Tcp.
    pub over: f64,
    /// What is proved of it: never longer than this.
    pub over_max: f64,
    /// By piece, its node.
    #[serde(skip)]
    node: Vec<NodeId>,
}

/// Where a piece is worked off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PieceRow {
    /// Its name.
    pub piece: String,
    /// Its size.
    pub size: u64,
    /// Its node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
}

/// Gives the pieces of a load out, by each rule towards each plan of a load that may be cut anywhere, sends every node its pieces in
/// one message and simulates that; a node begins when all of its pieces are there. Nodes and wires do what the job asks for.
///
/// The start-up is in units of w Tcp; costs of the machine are made for it, as in `split`.
///
/// # Errors
///
/// As for [`Job::problem`] and [`indivisible::bound`]; [`Error::NotApplicable`] for several sources or a release.
///
/// # Complexity
///
/// O(pieces nodes) for each plan, and a simulation of 16 messages for each node and hop.
///
/// # Examples
///
/// ```
/// use meshwright_load::piece_file::Piece;
/// use meshwright_load::Source;
/// use meshwright_verdict::load::{self, Job};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:1x2")?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 0.1, 1);
/// let pieces: Vec<Piece> = [6, 3, 3].map(|size| Piece { name: "p".to_string(), size }).to_vec();
/// let answer = load::pieces(&job, mesh, 0.0, &pieces)?;
/// // The piece of 6 stays; two of 3 go over the link in 0.1 * 1/2 and take 1/2.
/// assert!((answer.methods[0].makespan - 0.55).abs() < 1e-6);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn pieces(job: &Job, machine: Machine, startup: f64, pieces: &[Piece]) -> Result<PiecesAnswer> {
    let (machine, bytes) = in_units(&job.problem(&machine)?, startup)?;
    let ports = limited::port_model(job, &machine);
    let machine = machine.with_port_model(ports);
    let problem = job.problem(&machine)?;
    if problem.sources().len() > 1 || !problem.starts_at_once() {
        let why = "pieces lie at one source, and are there from the beginning";
        return Err(Error::not_applicable("dividing a load of pieces", why));
    }
    let sizes: Vec<u64> = pieces.iter().map(|piece| piece.size).collect();
    let PiecesBound { makespan, fluid, pieces: of_pieces } = indivisible::bound(&problem, &sizes)?;
    let job = Job { bytes, ..job.clone() };
    let case = Case::new(&job, &problem, &mut |_| {})?;
    let fluid = case.least().max(fluid);
    let makespan = makespan.max(fluid);
    let mut skipped = Vec::new();
    let all_targets = targets(&case, &mut skipped);
    // Stable: of equal rows the first one.
    let mut rows = ruled(&case, &sizes, &all_targets, makespan, &mut skipped)?;
    let order = |row: &PiecesRow| (row.simulated_cycles, row.nodes_used);
    rows.sort_by_key(order);
    if let Some(best) = rows.first()
        && let Some((_, shares)) = all_targets.iter().find(|(name, _)| *name == best.targets)
        && let Some(moved) = moved(&case, best, (&sizes, shares), makespan)?
    {
        rows.insert(0, moved);
    }
    let place = |(piece, &node): (&Piece, &NodeId)| {
        let (piece, size) = (piece.name.clone(), piece.size);
        PieceRow { piece, size, node, at: machine.coordinates(node) }
    };
    let best = rows.first();
    Ok(PiecesAnswer {
        format: 1,
        machine: machine.name().to_string(),
        sigma: job.sigma,
        startup,
        variant: case.limited.as_ref().map(|limited| limited.answer.clone()),
        source: problem.sources()[0].node,
        count: pieces.len(),
        size: sizes.iter().sum(),
        largest: sizes.iter().copied().max().unwrap_or(0),
        bound: Bound { makespan, fluid, pieces: of_pieces },
        winner: best.map(|row| row.name),
        assignment: best.map_or_else(Vec::new, |row| pieces.iter().zip(&row.node).map(place).collect()),
        methods: rows,
        skipped,
    })
}

/// By each rule towards each target one row; why there is none is added to `skipped`.
fn ruled(
    case: &Case<'_, '_>,
    sizes: &[u64],
    all_targets: &[(&'static str, Vec<f64>)],
    bound: f64,
    skipped: &mut Vec<String>,
) -> Result<Vec<PiecesRow>> {
    let mut rows = Vec::new();
    for (targets, shares) in all_targets {
        for &(name, rule) in RULES {
            if *targets == LOCAL && rule == Rule::InOrder {
                continue;
            }
            let name = if *targets == LOCAL { LOCAL } else { name };
            let found = indivisible::assign(case.problem, sizes, shares, rule)?;
            match row(case, (name, targets), found, bound) {
                Ok(row) => rows.push(row),
                Err(Error::NotApplicable { why, .. }) => {
                    skipped.push(format!("{name} towards {targets}: {why}"));
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(rows)
}

/// The best of all assignments where they are few, else the best row with pieces moved to other nodes, or exchanged for others, as long as
/// that is faster; none where nothing is.
///
/// # Complexity
///
/// [`ALL_MAX`] simulations at most.
fn moved(
    case: &Case<'_, '_>,
    best: &PiecesRow,
    (sizes, targets): (&[u64], &[f64]),
    bound: f64,
) -> Result<Option<PiecesRow>> {
    let works = |node: &NodeId| case.machine.is_alive(*node) && case.problem.work(*node).is_finite();
    let nodes: Vec<NodeId> = (0..case.machine.nodes()).map(NodeId).filter(works).collect();
    if sizes.len() * nodes.len() > MOVED_MAX {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&piece| std::cmp::Reverse(sizes[piece]));
    let all = (nodes.len() as u64).checked_pow(sizes.len() as u32).filter(|&all| all <= ALL_MAX);
    let (mut found, mut tries) = (None::<PiecesRow>, MOVES);
    loop {
        let known = found.as_ref().unwrap_or(best);
        let others: Box<dyn Iterator<Item = Vec<NodeId>>> = match all {
            Some(all) => Box::new((0..all).map(|number| numbered(number, &nodes, sizes.len()))),
            None => Box::new(neighbours(&order, &nodes, &known.node).take(tries)),
        };
        let mut faster = None::<PiecesRow>;
        for node in others {
            tries = tries.saturating_sub(1);
            let given = indivisible::given(case.problem, sizes, targets, node);
            match row(case, (MOVED, known.targets), given, bound) {
                Ok(moved) if moved.simulated_cycles < faster.as_ref().unwrap_or(known).simulated_cycles => {
                    faster = Some(moved);
                    if all.is_none() {
                        break;
                    }
                }
                Ok(_) | Err(Error::NotApplicable { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let Some(faster) = faster else { break };
        found = Some(faster);
        if all.is_some() {
            break;
        }
    }
    Ok(found)
}

/// The assignment with this number, of those of all pieces to all nodes.
fn numbered(number: u64, nodes: &[NodeId], pieces: usize) -> Vec<NodeId> {
    let many = nodes.len() as u64;
    let digits = std::iter::successors(Some(number), |rest| Some(rest / many));
    digits.take(pieces).map(|rest| nodes[(rest % many) as usize]).collect()
}

/// Assignments in which one piece is elsewhere, or two are exchanged.
fn neighbours<'n>(
    order: &'n [usize],
    nodes: &'n [NodeId],
    now: &'n [NodeId],
) -> impl Iterator<Item = Vec<NodeId>> + 'n {
    let with = |changes: [(usize, NodeId); 2]| {
        let mut node = now.to_vec();
        changes.into_iter().for_each(|(piece, at)| node[piece] = at);
        node
    };
    order.iter().enumerate().flat_map(move |(at, &piece)| {
        let elsewhere = nodes.iter().filter(move |&&node| node != now[piece]);
        let moves = elsewhere.map(move |&node| with([(piece, node); 2]));
        let others = order[at + 1..].iter().filter(move |&&other| now[other] != now[piece]);
        moves.chain(others.map(move |&other| with([(piece, now[other]), (other, now[piece])])))
    })
}

/// Pieces moved from what a rule says.
const MOVED: &str = "moved";

/// How many moves are simulated at most, and up to how many pieces times nodes any are.
const MOVES: usize = 400;
const MOVED_MAX: usize = 4096;

/// Where there are no more assignments than this all are simulated.
const ALL_MAX: u64 = 4096;

/// All pieces where they are.
const LOCAL: &str = "local";

/// Plans of a load that may be cut anywhere: a name, and the share of each node.
fn targets(case: &Case<'_, '_>, skipped: &mut Vec<String>) -> Vec<(&'static str, Vec<f64>)> {
    let (problem, machine) = (case.problem, case.machine);
    let mut all = Vec::new();
    let is_plain = case.limited.is_none() && !case.has_startup();
    if case.limited.is_none() {
        all.push(("optimum", case.optimum.flow.node.clone()));
    }
    let programme = case.programme_found();
    let programme = programme.or(case.limited.as_ref().and_then(Limited::distribution));
    all.extend(programme.map(|found| (PROGRAMME, found.work.clone())));
    if let (false, Ok((sent, _))) = (is_plain, case.sent()) {
        all.push(("installments", sent.shares.clone()));
    }
    match case.single() {
        Ok(serial) => all.push(("serial", serial.shares.clone())),
        Err(error) => skipped.push(format!("towards serial: {}", reason(error))),
    }
    let works = |node: NodeId| problem.work(node).is_finite();
    let share = |node: u32| if works(NodeId(node)) { 1.0 } else { 0.0 };
    all.push(("equal", (0..machine.nodes()).map(share).collect()));
    let source = problem.sources()[0].node;
    if works(source) {
        let mut local = vec![0.0; machine.nodes() as usize];
        local[source.index()] = 1.0;
        all.push((LOCAL, local));
    }
    all
}

/// Sends an assignment and measures it: in packets, or whole where that is faster.
fn row(
    case: &Case<'_, '_>,
    (name, targets): (&'static str, &'static str),
    found: Assignment,
    bound: f64,
) -> Result<PiecesRow> {
    let plan = Plan { makespan: 0.0, shares: found.shares, cells: None };
    let mut best: Option<Run> = None;
    for forwarding in [Forwarding::StoreAndForward, Forwarding::ModifiedStoreAndForward] {
        let run = case.delivered(&plan, forwarding)?.map(|(run, _)| run);
        let order = |run: &Run| (run.ticks, run.messages);
        best = best.into_iter().chain(run).min_by_key(order);
    }
    let standstill = || Error::not_applicable("sending pieces", "they come to a standstill");
    let run = best.ok_or_else(standstill)?;
    let makespan = case.scale.units_of_ticks(run.ticks);
    // Shares are whole bytes.
    not_below(bound * (1.0 - WHOLE_CYCLES), makespan, "units", name, None)?;
    Ok(PiecesRow {
        name,
        targets,
        makespan,
        speedup: 1.0 / makespan,
        gap: makespan / bound - 1.0,
        simulated_cycles: case.machine.costs().cycles(run.ticks).0,
        messages: run.messages as usize,
        nodes_used: plan.nodes_used(),
        over: found.over,
        over_max: found.over_max,
        node: found.node,
    })
}
