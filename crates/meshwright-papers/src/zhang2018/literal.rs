//! The thesis word by word, in exact fractions: layers by search, loads by stepping through the timing diagram, the
//! flow matrix as printed, and determinants by elimination.
//!
//! | thesis | here |
//! |---|---|
//! | first row of A | [`layers`] |
//! | alpha-hat_i, one processor of layer i | [`loads`] |
//! | A | [`matrix`] |
//! | det A, Cramer's rule | [`determinant`], [`cramer`] |

use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding;
use meshwright_network::topology::{Machine, distances_from};

/// The two forwardings of the thesis.
pub(super) const BOTH: [Forwarding; 2] = [Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward];

/// The values of sigma for which formulas are compared.
pub(super) const SIGMAS: [(i64, i64); 7] = [(1, 100), (1, 10), (1, 4), (1, 2), (3, 4), (9, 10), (99, 100)];

/// The values as fractions.
pub(super) fn sigmas() -> impl Iterator<Item = Exact> {
    SIGMAS.iter().map(|&(p, q)| Exact::fraction(p, q))
}

/// How a forwarding is called in the thesis.
pub(super) fn short(forwarding: Forwarding) -> &'static str {
    match forwarding {
        Forwarding::CutThrough => "VCT",
        Forwarding::ModifiedStoreAndForward | Forwarding::StoreAndForward => "S&F",
    }
}

/// How many nodes are 0, 1, 2 ... links from the nearest of these nodes, counted by search.
pub(super) fn layers(machine: &str, sources: &[u32]) -> Result<Vec<u64>> {
    Ok(layers_on(&Machine::new(machine)?, sources))
}

/// The same on a machine that is there already.
pub(super) fn layers_on(machine: &Machine, sources: &[u32]) -> Vec<u64> {
    let mut nearest: Vec<u32> = Vec::new();
    for &source in sources {
        let distances = distances_from(machine, NodeId(source));
        match nearest.is_empty() {
            true => nearest = distances,
            false => nearest.iter_mut().zip(distances).for_each(|(near, other)| *near = (*near).min(other)),
        }
    }
    let deepest = nearest.iter().max().copied().unwrap_or(0);
    let mut layers = vec![0; deepest as usize + 1];
    nearest.iter().for_each(|&depth| layers[depth as usize] += 1);
    #[cfg(test)]
    super::mutant::layers(&mut layers);
    layers
}

/// A row of numbers as it is written: (1,2,2,1).
pub(super) fn row(layers: &[u64]) -> String {
    let words: Vec<String> = layers.iter().map(u64::to_string).collect();
    format!("({})", words.join(","))
}

/// The load of one processor of each layer, from the timing diagram: all stop together, and a layer may not begin
/// before the transfers it waits for are over.
///
/// ```text
/// VCT:  a_0 = T, a_1 = T, a_k = T - sigma (a_1 + ... + a_(k-1))
/// S&F:  a_0 = T,          a_k = T - sigma (a_1 + ... + a_k)
/// ```
pub(super) fn loads(layers: &[u64], sigma: &Exact, forwarding: Forwarding) -> Vec<Exact> {
    // With T = 1 first; then scaled so that all load is worked off.
    let (one, mut sent) = (Exact::whole(1), Exact::zero());
    let mut loads = vec![one.clone()];
    for _ in 1..layers.len() {
        let load = match forwarding {
            Forwarding::CutThrough => &one - sigma * &sent,
            Forwarding::ModifiedStoreAndForward | Forwarding::StoreAndForward => {
                (&one - sigma * &sent) / (&one + sigma)
            }
        };
        sent = sent + &load;
        loads.push(load);
    }
    #[cfg(test)]
    super::mutant::loads(&mut loads);
    let whole: Exact = layers.iter().zip(&loads).map(|(&many, load)| Exact::from(many) * load).sum();
    loads.into_iter().map(|load| load / &whole).collect()
}

/// 1 / alpha_0.
pub(super) fn speedup(layers: &[u64], sigma: &Exact, forwarding: Forwarding) -> Exact {
    Exact::whole(1) / &loads(layers, sigma, forwarding)[0]
}

/// The flow matrix with this first row, entry by entry as in equations (6.3) and (6.6).
pub(super) fn matrix(layers: &[u64], sigma: &Exact, forwarding: Forwarding) -> Vec<Vec<Exact>> {
    let (one, zero) = (Exact::whole(1), Exact::zero());
    let entry = |row: usize, column: usize| match forwarding {
        Forwarding::CutThrough => match (row, column) {
            (1, 0) => one.clone(),
            (1, 1) => &zero - &one,
            (_, 0) => zero.clone(),
            (row, column) if column > row => zero.clone(),
            (row, column) if column == row => one.clone(),
            (_, 1) => sigma - &one,
            _ => sigma.clone(),
        },
        Forwarding::ModifiedStoreAndForward | Forwarding::StoreAndForward => match (row, column) {
            (_, 0) => one.clone(),
            (row, column) if column > row => zero.clone(),
            (row, column) if column == row => &zero - (sigma + &one),
            _ => &zero - sigma,
        },
    };
    let many = layers.len();
    let mut rows = vec![layers.iter().map(|&many| Exact::from(many)).collect::<Vec<_>>()];
    rows.extend((1..many).map(|row| (0..many).map(|column| entry(row, column)).collect::<Vec<_>>()));
    #[cfg(test)]
    super::mutant::matrix(&mut rows);
    rows
}

/// The determinant, by elimination.
pub(super) fn determinant(matrix: &[Vec<Exact>]) -> Exact {
    let mut rows = matrix.to_vec();
    let mut product = Exact::whole(1);
    for column in 0..rows.len() {
        let Some(pivot) = (column..rows.len()).find(|&row| rows[row][column] != Exact::zero()) else {
            return Exact::zero();
        };
        if pivot != column {
            rows.swap(pivot, column);
            product = Exact::zero() - product;
        }
        product = product * &rows[column][column];
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = &row[column] / &pivot[column];
            for (entry, from) in row.iter_mut().zip(pivot).skip(column) {
                *entry = &*entry - &factor * from;
            }
        }
    }
    product
}

/// A with column i replaced by b = (1, 0, ..., 0).
pub(super) fn replaced(matrix: &[Vec<Exact>], column: usize) -> Vec<Vec<Exact>> {
    let mut rows = matrix.to_vec();
    for (index, row) in rows.iter_mut().enumerate() {
        row[column] = Exact::whole(i64::from(index == 0));
    }
    rows
}

/// The solution of A x = (1, 0, ..., 0) by Cramer's rule; A is not singular.
pub(super) fn cramer(matrix: &[Vec<Exact>]) -> Vec<Exact> {
    let whole = determinant(matrix);
    (0..matrix.len()).map(|column| determinant(&replaced(matrix, column)) / &whole).collect()
}

/// The absolute value.
pub(super) fn magnitude(number: &Exact) -> Exact {
    number.distance(&Exact::zero())
}
