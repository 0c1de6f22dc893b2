//! Loads and speeds that change: every policy simulated, beside a time that no policy beats.

use std::cell::RefCell;

use serde::Serialize;

use super::job::Job;
use super::limited::refuse_one_port;
use super::policies::{POLICIES, PolicyEntry, Round};
use meshwright_core::error::{Error, Result};
use meshwright_core::find_or;
use meshwright_core::units::NodeId;
use meshwright_load::dynamic::spec::{self, DRIFTS, Drift};
use meshwright_load::dynamic::trace::Entry;
use meshwright_load::dynamic::{Arrival, Case, FULL, Ledger, Weather, clairvoyant};
use meshwright_load::installments::Scale;
use meshwright_load::optimum;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::watched::ProcessLog;

/// When loads arrive.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ArrivalsAsked {
    /// Every source's load at its release.
    #[default]
    Once,
    /// So many loads of equal size in a Poisson stream, at this part of the rate the machine can work off.
    Poisson {
        /// How many.
        loads: u64,
        /// Their rate over the rate that can be worked off.
        rate: f64,
    },
    /// These; their loads are parts of the whole.
    Listed(Vec<Entry>),
}

/// How speeds change.
#[derive(Clone, Debug, PartialEq)]
pub enum SpeedsAsked {
    /// Drawn at random.
    Drawn(Vec<Drift>),
    /// These.
    Listed(Vec<Entry>),
}

impl Default for SpeedsAsked {
    fn default() -> Self {
        Self::Drawn(Vec::new())
    }
}

/// What is asked of a load that changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changing {
    /// The policies, by name.
    pub policies: Vec<String>,
    /// When loads arrive.
    pub arrivals: ArrivalsAsked,
    /// How speeds change.
    pub speeds: SpeedsAsked,
    /// Arrivals and changes in words, as they were asked for.
    pub words: [String; 2],
    /// Grains for each processor; 0 for [`GRAINS_DEFAULT`], or as many as start-ups leave worth their messages.
    pub grains: u64,
    /// The first seed of what is drawn.
    pub seed: u64,
    /// How many seeds are run, from that one on.
    pub repeat: u32,
}

/// Grains for each processor where nobody says.
pub const GRAINS_DEFAULT: u64 = 64;

/// The answer on a load that changes; times in units of w Tcp.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DynamicAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// When loads arrive, as it was asked for.
    pub arrivals: String,
    /// How speeds change, as it was asked for.
    pub drift: String,
    /// The first seed.
    pub seed: u64,
    /// How many seeds were run, one after the other.
    pub repeat: u32,
    /// Grains for each processor.
    pub grains: u64,
    /// How many loads arrive.
    pub loads: u64,
    /// How often a processor changes its speed, in the mean over the seeds.
    pub changes: f64,
    /// The optimum of all loads at once at the planned speeds.
    pub planned: f64,
    /// What no policy beats, the mean over the seeds; none if some load can never be done.
    pub bound: Option<f64>,
    /// Whose mean makespan is the least of those that end under every seed.
    pub winner: Option<&'static str>,
    /// A row for each policy.
    pub policies: Vec<PolicyRow>,
}

/// What came of a policy: means over the seeds. None where it did not end under every seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyRow {
    /// Its name.
    pub name: &'static str,
    /// When all was done.
    pub makespan: Option<f64>,
    /// makespan / bound - 1 in the mean.
    pub gap: Option<f64>,
    /// The largest of them.
    pub gap_max: Option<f64>,
    /// From arrival to end.
    pub response: Option<Response>,
    /// Loads times links they crossed, notes included; none where a run was given up.
    pub bytes_hops: Option<f64>,
    /// Messages sent; none where a run was given up.
    pub messages: Option<f64>,
    /// The part of the time in which processors that were alive did nothing.
    pub idle: Option<f64>,
    /// What no policy beats.
    pub bound: Option<f64>,
    /// Under how many seeds it was the fastest of all.
    pub first: u32,
    /// Under how many seeds some load never ended.
    pub unfinished: u32,
    /// Under how many of them the run was given up, longer than a simulation may be.
    pub given_up: u32,
}

/// Response times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Response {
    /// The mean.
    pub mean: f64,
    /// Half are at most as long.
    pub p50: f64,
    /// 99 of 100 are at most as long.
    pub p99: f64,
}

/// Sums over the seeds.
#[derive(Clone, Debug, Default)]
struct Sums {
    makespan: f64,
    gap: f64,
    gap_max: f64,
    response: [f64; 3],
    bytes_hops: f64,
    messages: f64,
    idle: f64,
    first: u32,
    unfinished: u32,
    given_up: u32,
}

/// Simulates every policy that is asked for; `progress` is told before each run what it is, after it that it is done.
///
/// # Errors
///
/// As for [`Job::problem`] and [`Case::new`]; [`Error::NotApplicable`] on a machine whose nodes have one port.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::Source;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::load::{self, Changing, Job};
/// let mesh = Machine::new("mesh:4x4")?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(5), 1.0)], 0.05, 1_000_000);
/// let policies = vec!["resolved".to_string(), "guided".to_string()];
/// let asked = Changing { policies, grains: 64, repeat: 1, ..Changing::default() };
/// let answer = load::dynamic(&job, &mesh, &asked, &mut |_| {})?;
/// assert_eq!(answer.winner, Some("resolved"));
/// assert!(answer.policies.iter().all(|row| row.gap >= Some(0.0)), "nothing is faster than the bound");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn dynamic(
    job: &Job,
    machine: &Machine,
    asked: &Changing,
    progress: &mut dyn FnMut(&str),
) -> Result<DynamicAnswer> {
    let machine = &as_run(machine)?;
    let started = started(job, asked)?;
    let problem = started.problem(machine)?;
    let scale = Scale::new(&problem, job.bytes)?;
    let planned = optimum::makespan(&problem)?.0;
    let policies: Vec<&PolicyEntry> =
        POLICIES.iter().filter(|entry| asked.policies.iter().any(|name| name == entry.name)).collect();
    let mut sums = vec![Sums::default(); policies.len()];
    let (mut bounds, mut changes, mut loads) = (Some(0.0), 0, 0);
    for seed in (asked.seed..).take(asked.repeat as usize) {
        let case = case(&scale, job, asked, planned, seed)?;
        loads = case.arrivals.len() as u64;
        changes += (0..machine.nodes()).map(|node| case.weather.changes(NodeId(node)).len()).sum::<usize>();
        let bound = clairvoyant(&case)?;
        bounds = bounds.zip(bound).map(|(sum, bound)| sum + units(&scale, bound));
        let mut makespans = Vec::with_capacity(policies.len());
        for (entry, sums) in policies.iter().zip(&mut sums) {
            progress(&format!("{} under seed {seed}", entry.name));
            match (entry.run)(&Round { case: &case, seed, log: None }) {
                Ok(ledger) => {
                    makespans.push(ledger.makespan());
                    sums.add(&case, &ledger, bound);
                }
                // Load that never reaches a processor which works keeps the others asking for it.
                Err(Error::TooLarge { .. }) => {
                    makespans.push(None);
                    sums.unfinished += 1;
                    sums.given_up += 1;
                }
                Err(error) => return Err(error),
            }
        }
        let least = makespans.iter().flatten().min();
        for (makespan, sums) in makespans.iter().zip(&mut sums) {
            sums.first += u32::from(makespan.is_some() && makespan.as_ref() == least);
        }
    }
    let many = f64::from(asked.repeat.max(1));
    let bound = bounds.map(|bound| bound / many);
    let rows: Vec<PolicyRow> =
        policies.iter().zip(&sums).map(|(entry, sums)| sums.row(entry.name, many, bound)).collect();
    let ended = rows.iter().filter_map(|row| Some((row.name, row.makespan?)));
    let winner = ended.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name);
    Ok(DynamicAnswer {
        format: 1,
        machine: machine.name().to_string(),
        sigma: job.sigma,
        arrivals: asked.words[0].clone(),
        drift: asked.words[1].clone(),
        seed: asked.seed,
        repeat: asked.repeat,
        grains: grains(asked, &scale),
        loads,
        changes: changes as f64 / many,
        planned,
        bound,
        winner,
        policies: rows,
    })
}

/// What a policy does under the first seed, as [`dynamic`] simulates it, and the machine on which it does.
///
/// # Errors
///
/// As for [`dynamic`]; [`Error::Value`] for an unknown policy.
pub fn dynamic_recorded(
    job: &Job,
    machine: &Machine,
    asked: &Changing,
    policy: &str,
) -> Result<(Machine, ProcessLog)> {
    let machine = as_run(machine)?;
    let started = started(job, asked)?;
    let problem = started.problem(&machine)?;
    let scale = Scale::new(&problem, job.bytes)?;
    let case = case(&scale, job, asked, optimum::makespan(&problem)?.0, asked.seed)?;
    let entry = find_or(
        policy,
        POLICIES,
        |entry| entry.name,
        |names| Error::value("policy", format!("`{policy}`"), names.join(", ")),
    )?;
    let log = RefCell::new(ProcessLog::default());
    (entry.run)(&Round { case: &case, seed: asked.seed, log: Some(&log) })?;
    drop(case);
    Ok((machine.clone(), log.into_inner()))
}

/// The machine with a message there when the whole of it is.
fn as_run(machine: &Machine) -> Result<Machine> {
    refuse_one_port(machine, "a load that changes")?;
    Ok(machine.clone().with_switching(Switching::StoreAndForward))
}

/// The job with all its loads there at once: their arrivals are told apart.
fn started(job: &Job, asked: &Changing) -> Result<Job> {
    if let Some(late) = job.sources.iter().find(|source| source.release > 0.0)
        && asked.arrivals != ArrivalsAsked::Once
    {
        let expected = "none beside other arrivals, which say themselves when loads come";
        return Err(Error::value("release", late.release, expected));
    }
    let unreleased = job.sources.iter().map(|source| meshwright_load::Source { release: 0.0, ..*source });
    Ok(Job { sources: unreleased.collect(), ..job.clone() })
}

fn units(scale: &Scale<'_, '_>, cycles: u64) -> f64 {
    cycles as f64 / scale.unit_cycles()
}

/// The grains for each processor. Where nobody says, so many that the start-ups of all, shared by the links of the sources, take half of
/// the time in which all processors work off the load, and at most [`GRAINS_DEFAULT`].
fn grains(asked: &Changing, scale: &Scale<'_, '_>) -> u64 {
    let (problem, startup) = (scale.problem(), scale.units(scale.costs().startup));
    if asked.grains > 0 || startup == 0.0 {
        return if asked.grains > 0 { asked.grains } else { GRAINS_DEFAULT };
    }
    let machine = problem.machine();
    let links: usize = problem.sources().iter().map(|source| machine.neighbours(source.node).count()).sum();
    let works = machine.living().filter(|&node| problem.work(node).is_finite());
    let (many, speed) =
        works.fold((0.0, 0.0), |(many, speed), node| (many + 1.0, speed + 1.0 / problem.work(node)));
    let most = links as f64 / (2.0 * many * startup * speed);
    most.clamp(1.0, GRAINS_DEFAULT as f64) as u64
}

/// The loads and speeds of one seed.
fn case<'c>(
    scale: &'c Scale<'c, 'c>,
    job: &Job,
    asked: &Changing,
    planned: f64,
    seed: u64,
) -> Result<Case<'c>> {
    let problem = scale.problem();
    let machine = problem.machine();
    let cycles = |units: f64| (units * scale.unit_cycles()).round() as u64;
    let arrivals = match &asked.arrivals {
        ArrivalsAsked::Once => {
            let loads = job.sources.iter().map(|source| (source.node, source.release, source.load));
            shared_out(scale, loads)
        }
        ArrivalsAsked::Listed(entries) => {
            shared_out(scale, entries.iter().map(|entry| (entry.node, entry.time, entry.value)))
        }
        ArrivalsAsked::Poisson { loads, rate } => {
            let sources: Vec<(NodeId, f64)> =
                problem.sources().iter().map(|source| (source.node, source.load)).collect();
            let gap = planned * scale.unit_cycles() / (*loads as f64 * rate);
            spec::poisson(&sources, *loads, gap, scale.bytes(), seed)
        }
    };
    let last = arrivals.iter().map(|arrival| arrival.at).max().unwrap_or(0);
    let weather = match &asked.speeds {
        SpeedsAsked::Drawn(drifts) => spec::weather(machine, drifts, last + cycles(planned), seed),
        SpeedsAsked::Listed(entries) => {
            let factor = |value: f64| (value * f64::from(FULL)).round().min(f64::from(u32::MAX)) as u32;
            let changes = entries.iter().map(|entry| (entry.node, cycles(entry.time), factor(entry.value)));
            Weather::new(machine.nodes(), changes.collect())
        }
    };
    Case::new(scale, arrivals, weather, grains(asked, scale))
}

/// Arrivals at these nodes and times, whose sizes are as these loads and add up to all bytes.
fn shared_out(
    scale: &Scale<'_, '_>,
    loads: impl Iterator<Item = (NodeId, f64, f64)> + Clone,
) -> Vec<Arrival> {
    let whole: f64 = loads.clone().map(|(.., load)| load).sum();
    let (mut sum, mut given) = (0.0, 0);
    let arrival = |(node, time, load): (NodeId, f64, f64)| {
        sum += load;
        let until = (sum / whole * scale.bytes() as f64).round() as u64;
        let bytes = until.saturating_sub(given);
        given = given.max(until);
        Arrival { node, at: (time * scale.unit_cycles()).round() as u64, bytes }
    };
    loads.map(arrival).collect()
}

impl Sums {
    fn add(&mut self, case: &Case<'_>, ledger: &Ledger, bound: Option<u64>) {
        self.bytes_hops += ledger.bytes_hops as f64 / case.scale.bytes() as f64;
        self.messages += ledger.messages as f64;
        let (Some(makespan), Some(mut responses), Some(idle), Some(bound)) =
            (ledger.makespan(), ledger.responses(case), ledger.idle(case), bound)
        else {
            self.unfinished += 1;
            return;
        };
        assert!(makespan >= bound, "a policy took {makespan} cycles, and none can take less than {bound}");
        let gap = if bound > 0 { makespan as f64 / bound as f64 - 1.0 } else { 0.0 };
        self.makespan += units(case.scale, makespan);
        self.gap += gap;
        self.gap_max = self.gap_max.max(gap);
        self.idle += idle;
        responses.sort_unstable();
        let rank = |part: f64| responses[((part * responses.len() as f64).ceil() as usize).max(1) - 1];
        let mean = responses.iter().sum::<u64>() as f64 / responses.len() as f64 / case.scale.unit_cycles();
        let found = [mean, units(case.scale, rank(0.5)), units(case.scale, rank(0.99))];
        self.response.iter_mut().zip(found).for_each(|(sum, time)| *sum += time);
    }

    fn row(&self, name: &'static str, many: f64, bound: Option<f64>) -> PolicyRow {
        let ended = |value: f64| (self.unfinished == 0).then_some(value);
        let [mean, p50, p99] = self.response.map(|sum| sum / many);
        PolicyRow {
            name,
            makespan: ended(self.makespan / many),
            gap: ended(self.gap / many),
            gap_max: ended(self.gap_max),
            response: (self.unfinished == 0).then_some(Response { mean, p50, p99 }),
            bytes_hops: (self.given_up == 0).then_some(self.bytes_hops / many),
            messages: (self.given_up == 0).then_some(self.messages / many),
            idle: ended(self.idle / many),
            bound,
            first: self.first,
            unfinished: self.unfinished,
            given_up: self.given_up,
        }
    }
}

impl DynamicAnswer {
    /// Who wins, in a sentence.
    pub fn sentence(&self) -> String {
        let Some(row) = self.policies.iter().find(|row| Some(row.name) == self.winner) else {
            return match self.policies.iter().any(|row| row.given_up > 0) {
                true => "No policy ends.".to_string(),
                false => "No policy ends: some load is never worked off.".to_string(),
            };
        };
        let gap = meshwright_core::words::percent(row.gap.unwrap_or(0.0));
        let seeds = match self.repeat {
            1 => String::new(),
            many => format!(", and the fastest under {} of {many} seeds", row.first),
        };
        format!("{} wins: {gap} more than any policy must take{seeds}.", row.name)
    }
}

/// The kinds of change with what they mean, for help.
pub fn drifts() -> impl Iterator<Item = (&'static str, f64, &'static str)> {
    DRIFTS.iter().map(|&(name, _, usual, _, meaning)| (name, usual, meaning))
}
