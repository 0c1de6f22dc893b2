//! The product of a chain of square matrices.

use super::{Collectives, Endpoint, Lost, Peers, PoolWay, Task, share};
use crate::applications::{Chain, Matrix, MatrixChain};
use meshwright_core::units::Bytes;

/// The side of each matrix.
const SIDE: u32 = 64;

/// So many matrices with entries at random.
pub(in super::super) struct MatrixChainCase {
    count: u32,
    seed: u64,
    app: MatrixChain,
}

impl super::SpeedupCase for MatrixChainCase {
    type App = MatrixChain;

    const WAYS: &'static [PoolWay<Self>] = &[
        ("a loop from left to right", |_, chain| chain.left_to_right()),
        ("rayon: join by hand", |_, chain| product(chain.matrices())),
    ];

    const COLLECTIVES: &'static str = "*Scatterv, a loop, *Gatherv, a loop";

    fn new(task: &Task) -> Self {
        Self { count: task.size, seed: task.seed, app: MatrixChain::default() }
    }

    fn app(&self) -> &Self::App {
        &self.app
    }

    fn problem(&self) -> Chain {
        Chain::random(self.count, SIDE, self.seed).expect("the task has at least one matrix")
    }

    fn volume(&self) -> Bytes {
        Bytes(8 + u64::from(self.count) * (16 + 4 * u64::from(SIDE * SIDE)))
    }

    fn reference(&self, problem: &Chain) -> Matrix {
        problem.left_to_right()
    }

    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        problem: Option<Chain>,
    ) -> Result<Option<Matrix>, Lost> {
        let ranks = peers.mail.ranks();
        // Of few matrices some ranks get none.
        let parts = problem.map(|chain| {
            let matrices = chain.matrices();
            (0..ranks).map(|rank| matrices[share(matrices.len(), rank, ranks)].to_vec()).collect()
        });
        let multiply = |matrices: Vec<Matrix>| Chain::new(matrices).ok().map(|chain| chain.left_to_right());
        let products = peers.scatter_work_gather(parts, multiply)?;
        let Some(products) = products else { return Ok(None) };
        peers.mail.compute(|| multiply(products.into_iter().flatten().collect()))
    }
}

/// The product of at least one matrix.
fn product(matrices: &[Matrix]) -> Matrix {
    if let [matrix] = matrices {
        return matrix.clone();
    }
    let (first, second) = matrices.split_at(matrices.len() / 2);
    let (first, second) = rayon::join(|| product(first), || product(second));
    first.times(&second)
}
