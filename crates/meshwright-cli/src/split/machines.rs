//! Several machines of one option: `mesh:4x4,torus:4x4`, or sizes as in `mesh:4x4..16x16` and `hypercube:2..6`.

use meshwright_core::{Error, Result};

/// Families whose names have no comma of their own.
const FAMILIES: [&str; 5] = ["mesh:", "torus:", "hypercube:", "gaussian:", "ccc:"];

/// More machines than this are a slip of the pen.
const MACHINES_MAX: usize = 1000;

/// The names of the machines that `--on` names: one, or several.
///
/// A range `A..B/N` has N sizes at equal distances, each side rounded; without `/N` all sizes, the side that grows most by one at a
/// time.
pub(super) fn names(text: &str) -> Result<Vec<String>> {
    let is_box = |part: &str| FAMILIES.iter().any(|family| part.trim().starts_with(family));
    let parts: Vec<&str> = text.split(',').collect();
    if !parts.iter().all(|part| is_box(part)) {
        return Ok(vec![text.to_string()]);
    }
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        let part = part.trim();
        names.extend(match part.split_once("..") {
            Some((first, rest)) => range(first, rest, part)?,
            None => vec![part.to_string()],
        });
    }
    if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        return Err(Error::value(
            "list of machines",
            format!("`{}` twice", names[twice]),
            "each machine once",
        ));
    }
    if names.len() > MACHINES_MAX {
        return Err(Error::value("number of machines", names.len(), format!("at most {MACHINES_MAX}")));
    }
    Ok(names)
}

/// The sizes from one to another.
fn range(first: &str, rest: &str, whole: &str) -> Result<Vec<String>> {
    let bad = || {
        let expected = "FAMILY:FIRST..LAST or FAMILY:FIRST..LAST/POINTS with as many sides in both, none of the last smaller, such as \
                        mesh:4x4..16x16/4";
        Error::value("range of machines", format!("`{whole}`"), expected)
    };
    let (family, first) = first.split_once(':').ok_or_else(bad)?;
    let (last, points) = match rest.split_once('/') {
        Some((last, points)) => (last, Some(points.trim().parse::<usize>().map_err(|_| bad())?)),
        None => (rest, None),
    };
    let sides =
        |text: &str| -> Option<Vec<u32>> { text.split('x').map(|side| side.trim().parse().ok()).collect() };
    let (first, last) = (sides(first).ok_or_else(bad)?, sides(last).ok_or_else(bad)?);
    let grows = first.iter().zip(&last).map(|(a, b)| b.checked_sub(*a)).collect::<Option<Vec<u32>>>();
    let most = grows.and_then(|grows| grows.into_iter().max()).filter(|&most| most > 0).ok_or_else(bad)?;
    let points = points.unwrap_or(most as usize + 1);
    if first.len() != last.len() || !(2..=MACHINES_MAX).contains(&points) || points > most as usize + 1 {
        return Err(bad());
    }
    let side = |at: usize, (a, b): (&u32, &u32)| {
        let grown = f64::from(b - a) * at as f64 / (points - 1) as f64;
        (a + grown.round() as u32).to_string()
    };
    let name = |at: usize| first.iter().zip(&last).map(|pair| side(at, pair)).collect::<Vec<_>>().join("x");
    Ok((0..points).map(|at| format!("{family}:{}", name(at))).collect())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn lists_and_ranges_of_machines_are_read() {
        let read = |text: &str| names(text).unwrap();
        assert_eq!(read("mesh:4x4"), ["mesh:4x4"]);
        assert_eq!(read("mesh:4x4, torus:4x4"), ["mesh:4x4", "torus:4x4"]);
        assert_eq!(read("mesh:4x4..6x6"), ["mesh:4x4", "mesh:5x5", "mesh:6x6"]);
        assert_eq!(read("mesh:2x4..4x8/3"), ["mesh:2x4", "mesh:3x6", "mesh:4x8"]);
        assert_eq!(read("mesh:5x1..5x3"), ["mesh:5x1", "mesh:5x2", "mesh:5x3"]);
        assert_eq!(read("hypercube:2..4,ccc:3"), ["hypercube:2", "hypercube:3", "hypercube:4", "ccc:3"]);
        assert_eq!(read("graph:a,b..c.mtx"), ["graph:a,b..c.mtx"], "a file");
        for bad in [
            "mesh:4x4..2x2",
            "mesh:4x4..5",
            "mesh:4..",
            "mesh:4x4..4x4",
            "mesh:a..b",
            "mesh:2x2..4x4/9",
            "mesh:2x2,mesh:2x2",
        ] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }
}
