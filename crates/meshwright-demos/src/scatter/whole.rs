//! A load that is cut only between its pieces, and what that costs at most.

use std::ops::Range;

use serde::Serialize;

use super::Load;
use super::words::Text;
use crate::star::Star;
use meshwright_core::error::{Error, Result};
use meshwright_load::piece_file::Piece;

/// A text of pieces, such as the pages of a book: each is worked off by one rank.
#[derive(Clone, Debug)]
pub struct Pieces {
    text: Text,
    /// Where each piece ends, in bytes.
    ends: Vec<u64>,
    largest: u64,
}

/// How many pieces there are, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PiecesFacts {
    /// How many.
    pub count: usize,
    /// The bytes of the largest.
    pub largest: u64,
}

impl Pieces {
    /// The text with pieces of these sizes, one after the other.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the sizes do not sum to the bytes of the text, or a piece ends inside a word.
    pub fn new(text: Text, pieces: &[Piece]) -> Result<Self> {
        let mut end = 0;
        let ends: Vec<u64> = pieces
            .iter()
            .map(|piece| {
                end += piece.size;
                end
            })
            .collect();
        if end != text.bytes() {
            return Err(Error::value(
                "sum of the pieces",
                end,
                format!("{}, the bytes of the text", text.bytes()),
            ));
        }
        let is_space = |at: u64| text.0.get(at as usize).is_none_or(u8::is_ascii_whitespace);
        for (piece, &end) in pieces.iter().zip(&ends) {
            if end > 0 && !is_space(end) && !is_space(end - 1) {
                let expected = "pieces that end at white space: a word would be two";
                return Err(Error::value("piece", format!("`{}`", piece.name), expected));
            }
        }
        let largest = pieces.iter().map(|piece| piece.size).max().unwrap_or(0);
        Ok(Self { text, ends, largest })
    }

    /// How many there are, and how large.
    pub fn facts(&self) -> PiecesFacts {
        PiecesFacts { count: self.ends.len(), largest: self.largest }
    }
}

impl Load for Pieces {
    fn bytes(&self) -> u64 {
        self.text.bytes()
    }

    /// The end of a piece that is nearest, of two the earlier.
    fn cuts(&self, wanted: &[u64]) -> Vec<u64> {
        let cut = |&position: &u64| {
            let after = self.ends.partition_point(|&end| end < position);
            let end = self.ends.get(after).copied().unwrap_or(self.bytes());
            let begin = after.checked_sub(1).map_or(0, |before| self.ends[before]);
            if position - begin.min(position) <= end.saturating_sub(position) { begin } else { end }
        };
        wanted.iter().map(cut).collect()
    }

    fn piece(&self, part: Range<u64>) -> Vec<u8> {
        self.text.piece(part)
    }

    fn beside(&self) -> u64 {
        self.text.beside()
    }

    fn sample(&self, near: u64, bytes: u64) -> Range<u64> {
        self.text.sample(near, bytes)
    }

    fn indivisible(&self) -> u64 {
        self.largest
    }
}

/// What it costs at most that a load is cut only between pieces, the largest of which has so many bytes, in seconds:
///
/// ```text
/// p (max_k w_k + (1 + r) sum_k z_k)
/// ```
///
/// A cut moves by at most p / 2, so a share changes by at most p; every time in the [timetable](Star::timetable) is a sum in which each
/// share occurs with these factors. The sum goes over the ranks that are sent something.
pub(super) fn loss_max(star: &Star, order: &[usize], largest: u64) -> f64 {
    let ranks = star.ranks();
    let work = ranks.iter().map(|rank| rank.work).fold(0.0, f64::max);
    let link: f64 = order.iter().map(|&rank| ranks[rank].link).sum();
    let returned = star.results().map_or(0.0, |results| results.share);
    largest as f64 * (work + (1.0 + returned) * link)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::scatter::application::parts;
    use crate::star::{Rank, Results};
    use meshwright_core::rng::stream;

    fn pieces(sizes: &[u64]) -> Pieces {
        let text = Text(vec![b' '; sizes.iter().sum::<u64>() as usize]);
        let named = |&size: &u64| Piece { name: "p".to_string(), size };
        Pieces::new(text, &sizes.iter().map(named).collect::<Vec<_>>()).expect("they fit")
    }

    #[test]
    fn cuts_are_at_the_nearest_ends() {
        let load = pieces(&[10, 1, 30, 9]);
        assert_eq!(load.cuts(&[0, 4, 5, 6, 11, 20, 30, 50]), [0, 0, 0, 10, 11, 11, 41, 50]);
        assert_eq!(load.facts(), PiecesFacts { count: 4, largest: 30 });
        let word = Text(b"one two".to_vec());
        let named = |size| Piece { name: "p".to_string(), size };
        assert!(Pieces::new(word.clone(), &[named(2), named(5)]).is_err(), "inside a word");
        assert!(Pieces::new(word.clone(), &[named(3), named(4)]).is_ok());
        assert!(Pieces::new(word, &[named(3), named(3)]).is_err(), "too short");
    }

    /// The timetable of whole pieces is never later than that of the shares by more than what is proved.
    #[test]
    fn whole_pieces_cost_no_more_than_is_proved() {
        let mut random = stream(3, "whole pieces");
        for round in 0..300 {
            let mut number = |most: u32| f64::from(random.random_range(0..most));
            let rank = |work, link, startup| Rank { work: 1.0 + work, link: link / 10.0, startup };
            let ranks: Vec<Rank> = (0..4).map(|_| rank(number(5), number(8), number(3))).collect();
            let results = Results { constant: number(4), share: number(3) / 4.0 };
            let star = Star::new(ranks, (round % 2 == 0).then_some(results)).expect("a star");
            let sizes: Vec<u64> = (0..12).map(|_| random.random_range(1..60u64)).collect();
            let load = pieces(&sizes);
            let division = star.divide(load.bytes() as f64);
            let whole: Vec<f64> =
                parts(&load, &division.shares).iter().map(|part| (part.end - part.start) as f64).collect();
            let [anywhere, cut] =
                [&division.shares, &whole].map(|shares| star.timetable(&division.order, shares).makespan);
            // Shares are rounded to whole bytes first.
            let most = anywhere + loss_max(&star, &division.order, load.indivisible() + 1);
            assert!(cut <= most, "{round}: {anywhere} {cut} {most}");
        }
    }
}
