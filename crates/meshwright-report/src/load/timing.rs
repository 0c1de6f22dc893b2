//! Timing diagrams of a load: from the method's own timing, else cell by cell from its shares.

use crate::svg::load::gantt::{Gantt, GanttRow, Span};
use meshwright_load::{Cells, Forwarding, UNUSED};
use meshwright_network::topology::Machine;
use meshwright_verdict::load::TimingRow;
use meshwright_verdict::{LoadOutcome, LoadVerdict};

/// More rows than this are no picture any more.
const ROWS_MAX: usize = 28;

/// The diagram, and how many rows there would be.
pub(super) fn gantt(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Option<(Gantt, usize)> {
    let rows: Vec<GanttRow> = match &outcome.detail.plan.cells {
        _ if !outcome.detail.timing.is_empty() => given(machine, job, &outcome.detail.timing),
        Some(cells) => of_cells(job, outcome, cells),
        None => return None,
    };
    let all = rows.len();
    let ends =
        rows.iter().flat_map(|row| row.communication.iter().chain(&row.computing)).map(|span| span.end);
    let finish = ends.fold(0.0, f64::max);
    let gantt = Gantt {
        label: format!("Timing of {}, {}", outcome.method, outcome.detail.switching.name()),
        unit: "w Tcp".to_string(),
        rows: busiest(rows),
        finish,
        // What was simulated takes longer than what cannot be.
        promised: !outcome.detail.feasible && finish <= outcome.detail.makespan * (1.0 + 1e-6),
        bound: Some(job.facts.bound.makespan),
    };
    Some((gantt, all))
}

/// The rows as the method gives them: layers in hues of their own, nodes and ports all alike.
fn given(machine: &Machine, job: &LoadVerdict, rows: &[TimingRow]) -> Vec<GanttRow> {
    // The row of a source or of one of its ports shows from when on there is something to do.
    let released = |label: &str| {
        let is_source = |name: String| label == name || label.starts_with(&format!("{name} →"));
        let own = job.facts.sources.iter().filter(|source| is_source(machine.node_name(source.node)));
        own.map(|source| source.release).min_by(f64::total_cmp)
    };
    let of_nodes = rows.iter().any(|row| row.port);
    let row = |(index, row): (usize, &TimingRow)| {
        let span = |words: &str, &(start, end): &(f64, f64)| Span {
            start,
            end,
            source: if of_nodes { 0 } else { index },
            mark: String::new(),
            words: format!("{} {words}", row.label),
        };
        let words = if row.port { "sends" } else { "receives" };
        GanttRow {
            name: row.label.clone(),
            communication: row.communication.iter().map(|times| span(words, times)).collect(),
            computing: row.computing.iter().map(|times| span("computes", times)).collect(),
            release: row.release.or_else(|| released(&row.label)),
            port: row.port,
        }
    };
    rows.iter().enumerate().map(row).collect()
}

/// One node of each layer of each cell: the shares of a cell leave its source one after the other, nearest first.
fn of_cells(job: &LoadVerdict, outcome: &LoadOutcome, cells: &Cells) -> Vec<GanttRow> {
    let shares = &outcome.detail.plan.shares;
    let mut rows = vec![];
    for source in 0..job.facts.sources.len() {
        // By depth the number of nodes and the largest share.
        let mut layers: Vec<(u32, f64)> = vec![];
        let labelled = cells.label.iter().zip(&cells.depth).zip(shares);
        for ((_, &depth), &share) in
            labelled.filter(|((label, depth), _)| **label == source as u32 && **depth != UNUSED)
        {
            let depth = depth as usize;
            if layers.len() <= depth {
                layers.resize(depth + 1, (0, 0.0));
            }
            layers[depth] = (layers[depth].0 + 1, layers[depth].1.max(share));
        }
        rows.extend(of_layers(
            source,
            &layers,
            job.facts.sigma,
            outcome.detail.switching,
            job.facts.sources[source].release,
        ));
    }
    rows
}

fn of_layers(
    source: usize,
    layers: &[(u32, f64)],
    sigma: f64,
    switching: Forwarding,
    release: f64,
) -> Vec<GanttRow> {
    let (mut sent, mut arrived) = (release, release);
    let mut rows = vec![];
    for (depth, &(nodes, share)) in layers.iter().enumerate().filter(|(_, (_, share))| *share > 0.0) {
        let (from, transfer) = (sent, if depth == 0 { 0.0 } else { sigma * share });
        sent += transfer;
        arrived += if depth > 1 { 2.0 * transfer } else { transfer };
        let begin = match switching {
            _ if depth == 0 => release,
            Forwarding::CutThrough => from,
            Forwarding::ModifiedStoreAndForward => sent,
            Forwarding::StoreAndForward => arrived,
        };
        let span = |start, end, what: &str| Span {
            start,
            end,
            source,
            mark: String::new(),
            words: format!("cell {source}, layer {depth}: {what}"),
        };
        let name = match (depth, nodes) {
            (0, _) => format!("source {source}"),
            (_, 1) => format!("{source}: layer {depth}, 1 node"),
            _ => format!("{source}: layer {depth}, {nodes} nodes"),
        };
        let communication = if transfer > 0.0 {
            vec![span(from, sent, "the share of each leaves the source")]
        } else {
            vec![]
        };
        let computing = vec![span(begin, begin + share, "each computes")];
        let release = (depth == 0).then_some(release);
        rows.push(GanttRow { name, communication, computing, release, port: false });
    }
    rows
}

/// The rows that are busy longest, in their order.
fn busiest(rows: Vec<GanttRow>) -> Vec<GanttRow> {
    if rows.len() <= ROWS_MAX {
        return rows;
    }
    let busy = |row: &GanttRow| {
        row.communication.iter().chain(&row.computing).map(|span| span.end - span.start).sum::<f64>()
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // Sources and their ports before all others.
    let first = |row: &GanttRow| row.port || row.release.is_some();
    order.sort_by(|&a, &b| {
        let rank = first(&rows[b]).cmp(&first(&rows[a]));
        rank.then(busy(&rows[b]).total_cmp(&busy(&rows[a]))).then(a.cmp(&b))
    });
    let mut kept = vec![false; rows.len()];
    order.into_iter().take(ROWS_MAX).for_each(|index| kept[index] = true);
    rows.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(row, _)| row).collect()
}
