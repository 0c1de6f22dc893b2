//! The figures of papers, drawn again from what their definitions give.
//!
//! | folder | paper |
//! |---|---|
//! | `lo1990` | mappings of trees |
//! | `zhang2018` | divisible load |
//! | `chochia1996` | groups |

mod chochia1996;
mod lo1990;
mod zhang2018;

/// A figure of a paper.
pub(crate) struct Figure {
    /// Its number in the paper.
    pub(crate) number: &'static str,
    /// What it shows, and what is to be said of the printed one.
    pub(crate) caption: &'static str,
    /// Draws it.
    pub(crate) draw: fn() -> String,
}

/// The figures of each paper, by its name, in the order of the paper.
const PAPERS: &[(&str, &[&[Figure]])] = &[
    ("lo1990", &[lo1990::FIGURES]),
    ("zhang2018", zhang2018::FIGURES),
    ("chochia1996", &[chochia1996::FIGURES]),
];

/// The figures of a paper; none for one that has none.
pub(crate) fn of(paper: &str) -> impl Iterator<Item = &'static Figure> + use<> {
    let chapters = PAPERS.iter().find(|(name, _)| *name == paper).map_or(&[][..], |(_, chapters)| chapters);
    chapters.iter().flat_map(|chapter| chapter.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PAPERS, of};

    #[test]
    fn every_number_is_there_once() {
        for (paper, _) in PAPERS {
            let numbers: BTreeSet<&str> = of(paper).map(|figure| figure.number).collect();
            assert_eq!(numbers.len(), of(paper).count(), "{paper}");
        }
        assert_eq!(of("nobody2000").count(), 0);
    }
}
