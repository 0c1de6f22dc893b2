//! Latency tables of Wormhole and Blackhole: constants from point-to-point rows, collective rows predicted.
//!
//! | file | what |
//! |---|---|
//! | this one | [`section`]: the page |
//! | `table` | rows as read |
//! | `points` | what point-to-point rows say |
//! | `chip` | both chips as fabrics of the library, who takes part in a row, lower bounds |
//! | `closed` | rows by formula |
//! | `network` | flits in rings, for many cores that write or read |
//! | `predict` | rows by formula or by runs of the network |
//! | `numbers` | the few numbers chosen on collective rows |
//! | `tables` | the tables of the page |

pub(crate) mod chip;
pub(crate) mod closed;
pub(crate) mod network;
pub(crate) mod numbers;
pub(crate) mod points;
pub(crate) mod predict;
pub(crate) mod table;
pub(crate) mod tables;

use std::path::{Path, PathBuf};

use meshwright_core::{Error, Result};
use numbers::{Numbers, row_error};
use predict::Model;
use table::{Row, SIZES};

/// A collective row and what was predicted.
pub(crate) struct Judged {
    pub(crate) row: Row,
    /// Whether it is one of those on which numbers may be chosen.
    pub(crate) visible: bool,
    /// By size: the strict prediction, that with numbers chosen on all visible rows, and that with numbers chosen on the
    /// other half of them.
    pub(crate) times: [Vec<f64>; 3],
    pub(crate) bounds: Vec<f64>,
}

/// The variants of a prediction.
pub(crate) const VARIANTS: [&str; 3] = ["strict", "calibrated", "across halves"];

impl Judged {
    /// The mean error of a variant over the sizes.
    pub(crate) fn error(&self, variant: usize) -> f64 {
        row_error(&self.row, &self.times[variant])
    }
}

/// All rows, judged, and the numbers: strict, chosen on all visible rows, on the even and on the odd ones.
pub(crate) struct Judgement {
    pub(crate) rows: Vec<Judged>,
    pub(crate) numbers: [Numbers; 4],
}

/// The model with the constants of the point-to-point rows in a folder.
///
/// # Errors
///
/// When the table cannot be read.
pub(crate) fn model(data: &Path) -> Result<Model> {
    let points = table::read(&data.join("noc-latencies/point-to-point.csv"))?;
    Ok(Model::new(chip::chips()?, points::Points::new(&points)?))
}

/// The collective rows in a folder, with whether numbers may be chosen on them: those of `collective-visible.csv`.
///
/// # Errors
///
/// When a table cannot be read.
pub(crate) fn collective_rows(data: &Path) -> Result<Vec<(Row, bool)>> {
    let folder = data.join("noc-latencies");
    let entries = std::fs::read_dir(&folder).map_err(|error| Error::io(&folder, error))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Error::io(&folder, error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with("collective") && name.ends_with(".csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut rows = Vec::new();
    for path in paths {
        let visible = path.ends_with("collective-visible.csv");
        rows.extend(table::read(&path)?.into_iter().map(|row| (row, visible)));
    }
    Ok(rows)
}

/// Predicts all rows that `takes` accepts.
///
/// # Errors
///
/// When a table cannot be read.
pub(crate) fn judge(data: &Path, takes: impl Fn(&Row) -> bool) -> Result<Judgement> {
    let mut model = model(data)?;
    let rows: Vec<(Row, bool)> = collective_rows(data)?.into_iter().filter(|(row, _)| takes(row)).collect();
    let chosen = |keeps: &dyn Fn(&Row) -> bool| {
        let some: Vec<&Row> =
            rows.iter().filter(|(row, visible)| *visible && keeps(row)).map(|(row, _)| row).collect();
        Numbers::chosen_on(&some, &model.chips, &model.points)
    };
    let halves = [0, 1].map(|half| chosen(&|row| row.line % 2 == half));
    let numbers = [Numbers::STRICT, chosen(&|_| true), halves[0], halves[1]];
    // A row is judged with the numbers of the half it is not in, one of another file with those of all.
    let variants = |row: &Row, visible: bool| {
        let across = if visible { halves[1 - row.line % 2] } else { numbers[1] };
        [numbers[0], numbers[1], across]
    };
    model.run_network(rows.iter().flat_map(|(row, visible)| variants(row, *visible).map(|it| (row, it))));
    let judged = |(row, visible): (Row, bool)| {
        let chip = &model.chips[row.chip];
        let sizes = &SIZES[..row.cycles.len()];
        Judged {
            visible,
            times: variants(&row, visible).map(|numbers| model.times(&row, &numbers)),
            bounds: sizes.iter().map(|&bytes| chip.bound(&row, bytes)).collect(),
            row,
        }
    };
    Ok(Judgement { rows: rows.into_iter().map(judged).collect(), numbers })
}

/// The section of the page.
///
/// # Errors
///
/// When a table cannot be read.
pub(crate) fn section(data: &Path) -> Result<String> {
    Ok(tables::page(&judge(data, |_| true)?))
}
