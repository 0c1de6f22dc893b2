//! What is to be said of a verdict on a divisible load.

use super::terms::Terms;
use crate::{LoadOutcome, LoadVerdict};
use meshwright_core::words::{by_sentence, percent, short};
use meshwright_load::Cut;
use meshwright_network::topology::Machine;

/// More nodes than this are counted, not named.
const NAMED_MAX: usize = 8;

/// Says how good the winner is and what sets it apart from the runner-up.
pub(super) fn reason(winner: &LoadOutcome, results: &[LoadOutcome]) -> String {
    let quality = match winner.gap() {
        Some(0.0) => "it meets the lower bound, so no schedule can be faster".to_string(),
        Some(gap) if gap < 1.0 => format!("it takes {} more than the lower bound", percent(gap)),
        gap => format!(
            "no schedule nearer than {:.1} times the lower bound is known to us, and the bound may be reachable",
            1.0 + gap.unwrap_or_default()
        ),
    };
    let name = match winner.is_fluid() {
        true => format!("{}, sent in installments,", winner.method),
        false => winner.method.clone(),
    };
    let is_other = |other: &&LoadOutcome| other.method != winner.method && !other.is_fluid();
    let others = results.iter().filter(is_other).filter(|other| other.simulated_cycles.is_some());
    let Some(other) = others.min_by_key(|other| other.simulated_cycles) else {
        return format!("{name} wins: {quality}.");
    };
    let [ours, theirs] = [winner, other].map(|outcome| outcome.simulated_cycles.unwrap_or_default() as f64);
    let lead = match theirs / ours - 1.0 {
        0.0 => format!("{} is as fast", other.method),
        slower if slower < 1.0 => format!("{} is {} slower", other.method, percent(slower)),
        slower => format!("{} takes {:.1} times as long", other.method, 1.0 + slower),
    };
    format!("{name} wins: {quality}; {lead}.")
}

/// Why nobody wins.
pub(super) fn no_winner(terms: &Terms) -> String {
    match terms.limits().as_str() {
        "" => "no method could be simulated".to_string(),
        limits => format!("no method wins: no schedule of messages was made for a machine with {limits}"),
    }
}

/// Who promises the most beyond what there is.
pub(super) fn advice(results: &[LoadOutcome], allowing: &str) -> Option<String> {
    let worst = results
        .iter()
        .filter(|outcome| !outcome.is_fluid())
        .max_by(|a, b| a.detail.ratio_to_bound.total_cmp(&b.detail.ratio_to_bound))?;
    (worst.detail.ratio_to_bound > 1.0 && worst.detail.violated_cut.is_some()).then(|| {
        format!(
            "No schedule keeps what {} promises: {:.2} times the speed that {allowing}.",
            worst.method, worst.detail.ratio_to_bound
        )
    })
}

/// Why nothing is faster than the bound.
///
/// # Examples
///
/// ```
/// use meshwright_load::Cut;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// use meshwright_verdict::load;
/// let cut = Cut { nodes: vec![NodeId(0)], capacity: 1.0, demand: 1.0 };
/// assert_eq!(
///     load::certificate(&cut, 0.2, &Machine::new("mesh:2x2")?),
///     "No schedule is faster: node (0,0) receives 1 of the load and cannot work it off or send it on before 0.2."
/// );
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn certificate(cut: &Cut, makespan: f64, machine: &Machine) -> String {
    let (nodes, verbs) = (nodes(cut, machine), verbs(cut));
    format!(
        "No schedule is faster: {nodes} {} {} of the load and cannot work it off or send it on before {}.",
        verbs,
        short(cut.demand),
        short(makespan)
    )
}

/// What refutes a claim, in a sentence.
///
/// # Examples
///
/// ```
/// use meshwright_load::Cut;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// use meshwright_verdict::load;
/// let cut = Cut { nodes: vec![NodeId(0), NodeId(1)], capacity: 0.25, demand: 0.5 };
/// assert_eq!(
///     load::violation(&cut, 0.1, &Machine::new("mesh:2x2")?),
///     "by 0.1 nodes (0,0) (0,1) receive 0.5 of the load, but can work off or send out only 0.25"
/// );
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn violation(cut: &Cut, makespan: f64, machine: &Machine) -> String {
    format!(
        "by {} {} {} {} of the load, but can work off or send out only {}",
        short(makespan),
        nodes(cut, machine),
        verbs(cut),
        short(cut.demand),
        short(cut.capacity)
    )
}

/// The nodes of a cut by name, or how many there are.
pub(super) fn nodes(cut: &Cut, machine: &Machine) -> String {
    match cut.nodes.as_slice() {
        [node] => format!("node {}", machine.node_name(*node)),
        nodes if nodes.len() as u32 == machine.living_count() && nodes.len() > NAMED_MAX => {
            format!("all {} nodes", nodes.len())
        }
        nodes if nodes.len() > NAMED_MAX => format!("{} nodes", nodes.len()),
        nodes => {
            let names: Vec<String> = nodes.iter().map(|&node| machine.node_name(node)).collect();
            format!("nodes {}", names.join(" "))
        }
    }
}

pub(super) fn verbs(cut: &Cut) -> &'static str {
    if cut.nodes.len() == 1 { "receives" } else { "receive" }
}

impl LoadVerdict {
    /// How near the cells of the thesis come to what it calls ideal, under the first forwarding asked for.
    pub fn lower_band(&self) -> Option<String> {
        let first = self.results.iter().find(|outcome| outcome.detail.beta.is_some())?.detail.switching;
        let cells = self.results.iter().filter(|outcome| outcome.detail.switching == first);
        let parts: Vec<String> = cells
            .filter_map(|outcome| Some(format!("{} {}", outcome.method, short(outcome.detail.beta?))))
            .collect();
        Some(format!(
            "Of the ideal community of Zhang 2018 ({}), the slowest cell reaches: {}.",
            first.name(),
            parts.join(", ")
        ))
    }

    /// Every promise that no schedule keeps, in words: who is refuted and by what.
    pub fn refutations(&self, machine: &Machine) -> Vec<String> {
        let refuted = self.results.iter().filter_map(|outcome| {
            let why = match (&outcome.detail.violated_cut, outcome.detail.least_makespan) {
                (Some(cut), _) => {
                    violation(cut, outcome.detail.moment.unwrap_or(outcome.detail.makespan), machine)
                }
                (None, Some(least)) if !outcome.detail.feasible && least > outcome.detail.makespan => {
                    format!("these shares take at least {} on this machine", short(least))
                }
                _ => return None,
            };
            Some((outcome.row(), format!("{why}.")))
        });
        together(refuted).into_iter().map(|sentence| format!("Not feasible: {sentence}")).collect()
    }

    /// What is doubtful about the methods, in words; a method is named without its switching where that makes no difference.
    pub fn warnings(&self) -> Vec<String> {
        let warned = self.results.iter().filter_map(|outcome| {
            let warning = outcome.detail.warning.as_ref()?;
            let mut rows = self.results.iter().filter(|other| other.method == outcome.method);
            let is_whole = rows.all(|row| row.detail.warning.as_ref() == Some(warning));
            let who = if is_whole { outcome.method.clone() } else { outcome.row() };
            Some((who, format!("{warning}.")))
        });
        together(warned)
    }
}

impl LoadOutcome {
    /// The row in words: a method under a switching.
    pub fn row(&self) -> String {
        format!("{} under {}", self.method, self.detail.switching.name())
    }
}

/// Sentences with whom they are about, each once: `local, equal: what is said of both`.
pub fn together(said: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    by_sentence(said).into_iter().map(|(who, what)| format!("{}: {what}", who.join(", "))).collect()
}
