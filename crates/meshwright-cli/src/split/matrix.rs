//! `split --show matrix`: the flow matrix of Zhang 2018 on one's own machine, its determinant, and the speed it is equivalent to.

use clap::ValueEnum;
use serde::Serialize;

use meshwright_core::{Error, Result};
use meshwright_load::Forwarding;
use meshwright_load::shares::flow_matrix::layers_of;
use meshwright_papers::zhang2018::formulas::flow_matrix::{FlowMatrix, determinant_by_lu};
use meshwright_verdict::load::Job;

use super::Machine;
use crate::csv::{self, Column, column_list};
use crate::table;

/// More layers are not decomposed: their entries alone would fill megabytes.
const LAYERS_MAX: usize = 1024;

/// A larger matrix is not printed; `--json` and `--csv` have it.
const PRINTED_MAX: usize = 16;

/// Nor shares for more sigmas.
const SIGMAS_PRINTED_MAX: usize = 6;

/// What is shown in place of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// The flow matrix of Zhang 2018, its determinant, shares by layer and the equivalent speed
    Matrix,
    /// Timing diagrams: what every node does from when until when, by each method's formulas or simulation
    Timing,
}

/// The matrices of a machine, one for each way in which shares pass the nodes.
#[derive(Serialize)]
pub(super) struct Matrices {
    format: u32,
    machine: String,
    /// Nodes by hops from the source.
    layers: Vec<u64>,
    matrices: Vec<Matrix>,
}

/// A matrix A, and what A a = (1, 0, ..., 0) says for some sigmas.
#[derive(Serialize)]
pub(crate) struct Matrix {
    switching: &'static str,
    /// The entries, with s for sigma.
    rows: Vec<Vec<String>>,
    points: Vec<Point>,
}

/// The solution for one sigma.
#[derive(Serialize)]
pub(crate) struct Point {
    sigma: f64,
    determinant: f64,
    /// By layer the share of one of its nodes.
    shares: Vec<f64>,
    speedup: f64,
    /// The inverse speed of one processor that is as fast as the machine, in those of its processors: 1 / speedup.
    equivalent_inverse_speed: f64,
}

/// The matrices for these sigmas.
///
/// # Errors
///
/// [`Error::NotApplicable`] as for [`layers_of`]; [`Error::InvalidValue`] for more than 1024 layers and where a matrix is singular.
///
/// # Complexity
///
/// O(layers^3) for each sigma.
///
/// # Source
///
/// `zhang2018`, equations 3.45, 3.46, 4.41 and 4.42, section 3.1.4.
pub(super) fn of(machine: &Machine, job: &Job, sigmas: &[f64]) -> Result<Matrices> {
    let layers = layers_of(&job.problem(machine)?)?;
    if layers.len() > LAYERS_MAX {
        let expected = format!("a machine of at most {LAYERS_MAX} layers; this one has {}", layers.len());
        return Err(Error::value("show", "matrix", expected));
    }
    let matrices = job.forwardings.iter().map(|&forwarding| matrix(&layers, forwarding, sigmas));
    let matrices = matrices.collect::<Result<_>>()?;
    Ok(Matrices { format: 1, machine: machine.name().to_string(), layers, matrices })
}

fn matrix(layers: &[u64], forwarding: Forwarding, sigmas: &[f64]) -> Result<Matrix> {
    let matrix = FlowMatrix::new(layers, forwarding);
    let order = 0..matrix.order();
    let row = |row: usize| order.clone().map(|column| matrix.entry(row, column).to_string()).collect();
    let point = |&sigma: &f64| {
        let singular = || Error::value("sigma", sigma, "one for which the flow matrix is not singular");
        let shares = matrix.solve_by_lu(sigma).ok_or_else(singular)?;
        let determinant = determinant_by_lu(matrix.order(), &matrix.values(&sigma));
        let makespan = shares[0];
        Ok(Point { sigma, determinant, speedup: 1.0 / makespan, equivalent_inverse_speed: makespan, shares })
    };
    let points = sigmas.iter().map(point).collect::<Result<_>>()?;
    Ok(Matrix { switching: forwarding.name(), rows: order.clone().map(row).collect(), points })
}

/// The answer in one line.
pub(super) fn line(answer: &Matrices) -> String {
    let of = |matrix: &Matrix| {
        let point = &matrix.points[0];
        format!("{}: det {}, speedup {}", matrix.switching, short(point.determinant), short(point.speedup))
    };
    answer.matrices.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The answer for people.
pub(super) fn text(answer: &Matrices, source: &str) -> String {
    let layers = answer.layers.iter().take(PRINTED_MAX).map(u64::to_string).collect::<Vec<_>>().join(", ");
    let more = if answer.layers.len() > PRINTED_MAX { ", …" } else { "" };
    let mut text =
        format!("{} from {source} · nodes by hops from the source: {layers}{more}\n", answer.machine);
    for matrix in &answer.matrices {
        text += &format!("\nFlow matrix A under {}, s for sigma; A a = (1, 0, ..., 0)\n", matrix.switching);
        text += &entries(&matrix.rows);
        let row = |point: &Point| {
            let values = [point.sigma, point.determinant, point.speedup, point.equivalent_inverse_speed];
            values.map(short).to_vec()
        };
        let head = ["sigma", "det A", "speedup", "w_eq / w"];
        text += &table::table(&head, 0, matrix.points.iter().map(row).collect());
        text += &shares(&answer.layers, matrix);
        if matrix.points.iter().any(|point| point.shares.iter().any(|&share| share < 0.0)) {
            text += "A negative share: no division keeps these equations; `--method flow-matrix` keeps to shares of at least 0.\n";
        }
    }
    text
}

/// The share of a node by its hops from the source, a column for each of the first sigmas.
fn shares(layers: &[u64], matrix: &Matrix) -> String {
    let points: Vec<&Point> = matrix.points.iter().take(SIGMAS_PRINTED_MAX).collect();
    let names: Vec<String> = points.iter().map(|point| format!("sigma {}", short(point.sigma))).collect();
    let head: Vec<&str> = ["hops", "nodes"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let row = |layer: usize| {
        let own = points.iter().map(|point| short(point.shares[layer]));
        [layer.to_string(), layers[layer].to_string()].into_iter().chain(own).collect()
    };
    let shown = layers.len().min(PRINTED_MAX);
    let more = matrix.points.len() > points.len() || layers.len() > shown;
    let words = "Share of one node by its hops from the source:\n".to_string();
    words
        + &table::table(&head, 0, (0..shown).map(row).collect())
        + if more { "--json and --csv have all\n" } else { "" }
}

/// The matrix in brackets, columns flush right.
fn entries(rows: &[Vec<String>]) -> String {
    if rows.len() > PRINTED_MAX {
        let size = rows.len();
        return format!("{size} rows and columns: --json and --csv have them\n");
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.len()).map(width).collect();
    let cell = |(entry, width): (&String, &usize)| format!(" {entry:>width$}");
    let row = |row: &Vec<String>| format!("[{} ]\n", row.iter().zip(&widths).map(cell).collect::<String>());
    rows.iter().map(row).collect()
}

fn short(number: f64) -> String {
    table::number(number, 6)
}

/// An entry of a matrix at one sigma: its matrix and point, row and column.
type Cell<'m> = (&'m Matrix, &'m Point, usize, usize);

/// The columns of `--csv`: one row for each sigma and entry.
pub(crate) fn columns<'m>() -> Vec<Column<Cell<'m>>> {
    column_list![
        "switching", "how shares pass the nodes on their way", |(matrix, ..)| matrix.switching.to_string();
        "sigma", "time of a load on a link over its time on a processor", |(_, point, ..)| point.sigma.to_string();
        "determinant", "of the flow matrix at this sigma", |(_, point, ..)| point.determinant.to_string();
        "speedup", "against one processor, as far as all have paths of their own", |(_, point, ..)| point.speedup.to_string();
        "row", "row of the flow matrix, from 0", |(_, _, row, _)| row.to_string();
        "column", "column, from 0: hops from the source", |(.., column)| column.to_string();
        "entry", "the entry, s for sigma", |(matrix, _, row, column)| matrix.rows[*row][*column].clone();
        "share", "of one node so many hops from the source as the column says", |(_, point, _, column)| point.shares[*column].to_string();
    ]
}

/// All entries.
pub(super) fn csv(answer: &Matrices) -> String {
    let order = answer.layers.len();
    let points =
        answer.matrices.iter().flat_map(|matrix| matrix.points.iter().map(move |point| (matrix, point)));
    let cells = |(matrix, point)| (0..order * order).map(move |at| (matrix, point, at / order, at % order));
    csv::table(&[], &columns(), points.flat_map(cells).map(|cell| (Vec::new(), cell)))
}
