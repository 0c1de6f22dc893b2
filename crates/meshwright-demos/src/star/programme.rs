//! The best shares for an order, as a linear programme.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::{Division, Star};
use meshwright_core::error::{Error, Result};

impl Star {
    /// The best shares when rank 0 sends to just these ranks in this order, each start-up paid whatever the share: a
    /// second way to [`Star::equal_finish`], and the truth where results are so large that somebody has to wait.
    ///
    /// ```text
    /// minimise T:  x_0 + ... + x_m = load,  done_0 + ret_1 + ... + ret_m <= T,  done_k + ret_k + ... + ret_m <= T
    /// ```
    ///
    /// with ret_k the time of the results of rank k.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the solver loses its way in numbers of too different sizes.
    ///
    /// # Panics
    ///
    /// When the load is not above 0.
    ///
    /// # Complexity
    ///
    /// That of the simplex method on as many rows as there are ranks.
    pub fn programme(&self, order: &[usize], load: f64) -> Result<Division> {
        assert!(load > 0.0, "there is something to divide");
        // In shares of the load and of the time of rank 0 alone.
        let unit = self.ranks[0].work * load;
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let makespan = problem.add_var(1.0, (0.0, f64::INFINITY));
        let own = problem.add_var(0.0, (0.0, 1.0));
        let shares: Vec<_> = order.iter().map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
        let mut whole: Vec<_> = shares.iter().map(|&share| (share, 1.0)).collect();
        whole.push((own, 1.0));
        problem.add_constraint(whole, ComparisonOp::Eq, 1.0);
        let link = |place: usize| self.ranks[order[place]].link * load / unit;
        // Row k: what is sent up to k, its work, the results from k on; row m: rank 0 after all is sent.
        for row in 0..=order.len() {
            let (mut sum, mut constant) = (vec![(makespan, -1.0)], 0.0);
            for (place, &rank) in order.iter().enumerate() {
                let mut factor = 0.0;
                if place <= row {
                    factor += link(place);
                    constant += self.ranks[rank].startup / unit;
                }
                if place == row {
                    factor += self.ranks[rank].work * load / unit;
                }
                if let Some(results) = self.results.filter(|_| place >= row || row == order.len()) {
                    factor += link(place) * results.share;
                    constant += self.transfer(rank, results.constant) / unit;
                }
                sum.push((shares[place], factor));
            }
            if row == order.len() {
                sum.push((own, 1.0));
            }
            problem.add_constraint(sum, ComparisonOp::Le, -constant);
        }
        let lost = |error: microlp::Error| Error::not_applicable("the linear programme", error.to_string());
        let solved = problem.solve().map_err(lost)?;
        let solution = solved.into_solution().map_err(|_| lost(microlp::Error::Infeasible))?;
        let mut bytes = vec![0.0; self.ranks.len()];
        bytes[0] = solution[own] * load;
        for (&rank, &share) in order.iter().zip(&shares) {
            bytes[rank] = solution[share] * load;
        }
        Ok(Division { order: order.to_vec(), shares: bytes })
    }
}
