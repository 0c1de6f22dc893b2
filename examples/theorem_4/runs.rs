//! The runs that the page is made from: what each gave, by level and by size.

use std::fmt::Write as _;

use meshwright_papers::chochia1996::dynamic::{NETWORKS, Observation};

/// Where they are kept.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/theorem_4/runs.csv");

const HEAD: &str =
    "n,network,seed,longest_queue,splits_of,splits,mean_steps,most_steps,mean_ratio,most_ratio";

/// Which splits of a run a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// This many splits deep.
    Level(u32),
    /// With 2^k to 2^(k + 1) - 1 members.
    Class(u32),
    /// With n members and more.
    Large,
    /// All of two and more.
    All,
}

impl Of {
    fn word(self) -> String {
        match self {
            Self::Level(level) => format!("level {level}"),
            Self::Class(log) => format!("s from {}", 1u64 << log),
            Self::Large => "s >= n".into(),
            Self::All => "all".into(),
        }
    }

    fn from_word(word: &str) -> Self {
        match word.split_once(' ') {
            Some(("level", level)) => Self::Level(level.parse().expect("a level")),
            Some(("s", rest)) => match rest.strip_prefix("from ") {
                Some(size) => Self::Class(size.parse::<u64>().expect("a size").ilog2()),
                None => Self::Large,
            },
            _ => Self::All,
        }
    }
}

/// What the splits of one kind took in one run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) side: u32,
    pub(crate) network: &'static str,
    pub(crate) seed: u64,
    pub(crate) queue: Option<u64>,
    pub(crate) of: Of,
    pub(crate) splits: usize,
    pub(crate) mean: f64,
    pub(crate) most: u64,
    pub(crate) mean_ratio: f64,
    pub(crate) most_ratio: f64,
}

/// The rows of a run.
pub(crate) fn rows(network: &'static str, seed: u64, seen: &Observation) -> Vec<Row> {
    let mut kinds: Vec<Of> = Vec::new();
    for split in &seen.splits {
        kinds.extend([Of::Level(split.level), Of::Class(split.size.ilog2())]);
    }
    kinds.extend([Of::Large, Of::All]);
    kinds.sort_unstable();
    kinds.dedup();
    let row = |of| {
        let is_of = |level: u32, size: u32| match of {
            Of::Level(wanted) => level == wanted,
            Of::Class(log) => size.ilog2() == log,
            Of::Large => size >= seen.side,
            Of::All => true,
        };
        let found: Vec<_> = seen.splits.iter().filter(|split| is_of(split.level, split.size)).collect();
        let count = found.len().max(1) as f64;
        let ratio = || found.iter().map(|split| seen.ratio(split));
        Row {
            side: seen.side,
            network,
            seed,
            queue: seen.queue,
            of,
            splits: found.len(),
            mean: found.iter().map(|split| split.cycles as f64).sum::<f64>() / count,
            most: found.iter().map(|split| split.cycles).max().unwrap_or(0),
            mean_ratio: ratio().sum::<f64>() / count,
            most_ratio: ratio().fold(0.0, f64::max),
        }
    };
    kinds.into_iter().map(row).collect()
}

/// The rows that are kept.
pub(crate) fn read() -> Vec<Row> {
    let text = std::fs::read_to_string(PATH).unwrap_or_default();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let (network, _) = NETWORKS.into_iter().find(|(name, _)| *name == cells[1]).expect("a network");
        Row {
            side: cells[0].parse().expect("a side"),
            network,
            seed: cells[2].parse().expect("a seed"),
            queue: cells[3].parse().ok(),
            of: Of::from_word(cells[4]),
            splits: cells[5].parse().expect("a count"),
            mean: number(6),
            most: cells[7].parse().expect("steps"),
            mean_ratio: number(8),
            most_ratio: number(9),
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// Keeps these rows.
pub(crate) fn write(rows: &[Row]) {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.side, row.network, row.seed, row.of));
    let mut text = format!("{HEAD}\n");
    for row in sorted {
        let Row { side, network, seed, queue, of, splits, mean, most, mean_ratio, most_ratio } = row;
        let queue = queue.map_or("-".into(), |queue| queue.to_string());
        let of = of.word();
        writeln!(
            text,
            "{side},{network},{seed},{queue},{of},{splits},{mean:.2},{most},{mean_ratio:.4},{most_ratio:.4}"
        )
        .expect("text");
    }
    std::fs::write(PATH, text).expect("examples/ can be written");
}
