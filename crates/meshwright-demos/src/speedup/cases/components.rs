//! Connected components of a graph.

use super::{Collectives, Endpoint, Lost, Peers, PoolWay, Task, share};
use crate::applications::components::{Forest, search};
use crate::applications::{Components, Graph, GraphHalving};
use meshwright_core::units::Bytes;

/// Joins by hand end at so many rows.
const ROWS: usize = 512;

/// A graph with as many edges as vertices: a large component, and many small ones.
pub(in super::super) struct ComponentsCase {
    vertices: u32,
    seed: u64,
    app: GraphHalving,
}

impl super::SpeedupCase for ComponentsCase {
    type App = GraphHalving;

    const WAYS: &'static [PoolWay<Self>] = &[
        ("a search through the whole matrix", |_, graph| search(&graph)),
        ("rayon: join by hand", |_, graph| forest(&graph, 0..graph.vertices() as usize).components()),
    ];

    const COLLECTIVES: &'static str = "*Scatterv of rows, union-find, *Gatherv, union-find";

    fn new(task: &Task) -> Self {
        Self { vertices: task.size, seed: task.seed, app: GraphHalving::default() }
    }

    fn app(&self) -> &Self::App {
        &self.app
    }

    fn problem(&self) -> Graph {
        Graph::random(self.vertices, u64::from(self.vertices), self.seed)
    }

    fn volume(&self) -> Bytes {
        Bytes(4 + 8 * u64::from(self.vertices) * u64::from(self.vertices.div_ceil(64)))
    }

    fn reference(&self, problem: &Graph) -> Components {
        Forest::of_rows(self.vertices, 0, problem.rows(0..self.vertices)).components()
    }

    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        problem: Option<Graph>,
    ) -> Result<Option<Components>, Lost> {
        let (ranks, n) = (peers.mail.ranks(), self.vertices);
        let parts = problem.map(|graph| {
            let part = |rank| {
                let rows = share(n as usize, rank, ranks);
                (rows.start as u32, graph.rows(rows.start as u32..rows.end as u32).to_vec())
            };
            (0..ranks).map(part).collect()
        });
        let work = |(first, words): (u32, Vec<u64>)| Forest::of_rows(n, first, &words);
        let Some(forests) = peers.scatter_work_gather(parts, work)? else { return Ok(None) };
        peers.mail.compute(|| {
            let mut forests = forests.into_iter();
            let mut all = forests.next()?;
            forests.for_each(|forest| all.join(&forest));
            Some(all.components())
        })
    }
}

/// What the edges in these rows join.
fn forest(graph: &Graph, rows: std::ops::Range<usize>) -> Forest {
    if rows.len() <= ROWS {
        let (first, end) = (rows.start as u32, rows.end as u32);
        return Forest::of_rows(graph.vertices(), first, graph.rows(first..end));
    }
    let middle = rows.start + rows.len() / 2;
    let (mut first, second) =
        rayon::join(|| forest(graph, rows.start..middle), || forest(graph, middle..rows.end));
    first.join(&second);
    first
}
