//! The timetable of a star: the times at which ranks receive, work and return.

use serde::Serialize;

use super::Star;

/// The times of one rank, in seconds from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StarRow {
    /// Its piece begins to come, and is there; for rank 0 the time in which it sends.
    pub receive: (f64, f64),
    /// It begins to work, and is done.
    pub work: (f64, f64),
    /// Its results begin to come to rank 0, and are there; for rank 0 the time in which it takes results.
    pub give_back: (f64, f64),
}

/// The times of all ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timetable {
    /// By rank; none for a rank that takes no part.
    pub rows: Vec<Option<StarRow>>,
    /// When all is done and everything is back, in seconds.
    pub makespan: f64,
}

impl Star {
    /// The times of these shares (by rank, in bytes) when rank 0 sends in this order.
    ///
    /// ```text
    /// sent_k = sent_(k-1) + s_k + z_k x_k            done_k = sent_k + w_k x_k
    /// done_0 = sent_m + w_0 x_0                      back_k = max(back_(k-1), done_k) + s_k + z_k (q + r x_k)
    /// ```
    ///
    /// with back_0 = done_0.
    ///
    /// # Panics
    ///
    /// When the order names a rank that is none, or rank 0.
    ///
    /// # Complexity
    ///
    /// O(ranks).
    pub fn timetable(&self, order: &[usize], shares: &[f64]) -> Timetable {
        let mut rows: Vec<Option<StarRow>> = vec![None; self.ranks.len()];
        let mut sent = 0.0;
        for &rank in order {
            assert!(rank > 0, "rank 0 sends nothing to itself");
            let (begin, share) = (sent, shares[rank]);
            sent += self.transfer(rank, share);
            let done = sent + self.ranks[rank].work * share;
            rows[rank] =
                Some(StarRow { receive: (begin, sent), work: (sent, done), give_back: (done, done) });
        }
        let own = sent + self.ranks[0].work * shares[0];
        let mut back = own;
        let mut makespan = own;
        for &rank in order {
            let row = rows[rank].as_mut().expect("it was sent to");
            if self.results.is_some() {
                let begin = back.max(row.work.1);
                back = begin + self.returning(rank, shares[rank]);
                row.give_back = (begin, back);
            }
            makespan = f64::max(makespan, row.give_back.1);
        }
        rows[0] = Some(StarRow { receive: (0.0, sent), work: (sent, own), give_back: (own, back) });
        Timetable { rows, makespan }
    }
}
