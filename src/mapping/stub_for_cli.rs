//! A stand-in on the branch of the command line; the real placements replace it.

/// A named placement.
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
}

/// Names only.
pub const PLACEMENTS: &[Method] = &[
    Method { name: "reflecting", summary: "" },
    Method { name: "growing", summary: "" },
    Method { name: "centred-halving", summary: "" },
    Method { name: "row-major", summary: "" },
    Method { name: "snake", summary: "" },
    Method { name: "hilbert", summary: "" },
    Method { name: "random", summary: "" },
];

/// A stand-in for the binomial tree.
pub mod binomial {
    use crate::error::Result;
    use crate::mapping::TaskGraph;
    use crate::mapping::task_graph::Edge;
    use crate::units::Bytes;

    /// The largest n.
    pub const N_MAX: u32 = 24;

    /// A binomial tree.
    #[derive(Clone, Copy, Debug)]
    pub struct Binomial {
        /// Its order.
        pub n: u32,
        /// The share of a child.
        pub alpha: f64,
        /// The share on the way back.
        pub combine_alpha: Option<f64>,
        /// Bytes at the root.
        pub volume: Bytes,
    }

    /// One star of messages.
    pub fn task_graph(job: &Binomial) -> Result<TaskGraph> {
        let tasks = 1 << job.n;
        let edges = (1..tasks).map(|t| (1, Edge { source: 0, target: t, bytes: job.volume })).collect();
        TaskGraph::new(format!("binomial:{}", job.n), tasks, edges)
    }
}
