//! The planner of phased task graphs: placements, and what none of them can beat.

use std::cell::OnceCell;

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::{Phases, Plan, Planner, Proposal};

use crate::bound::{self, GraphBound, Profile, Terrain};
use crate::{Method, Placement, Request, TaskGraph};

/// A task graph to be placed on a machine.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::{Divide, Mapping, Shape, divide};
/// use meshwright_network::Machine;
/// use meshwright_schedule::{Planner, Proposal};
/// let tree = Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) };
/// let (tasks, mesh) = (divide::task_graph(&tree)?, Machine::mesh([2, 2])?);
/// let mapping = Mapping::new(&tasks, &mesh);
/// // c = 100, b = 1, h = 2: two phases over one link each.
/// assert_eq!(mapping.bound()?.0, (100 + 32 + 2) + (100 + 16 + 2));
/// let Proposal::Plan(plan) = mapping.plan(&"growing".into(), 0)? else { panic!("it suits any mesh") };
/// assert_eq!((plan.workload.len(), plan.detail.nodes.len()), (2, 4));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub struct Mapping<'a> {
    tasks: &'a TaskGraph,
    machine: &'a Machine,
    given: &'a [Placement],
    limits: Limits,
    bound: OnceCell<GraphBound>,
    /// What was proved beforehand under the machine's switching.
    proved: Option<&'a GraphBound>,
}

/// What a machine allows a job: the dilations of a tree of divide and conquer, or the links of any phased graph.
pub enum Limits {
    /// Of a tree.
    Tree(Profile),
    /// Of any graph.
    Graph(Terrain),
}

impl<'a> Mapping<'a> {
    /// The planner of these tasks on this machine.
    ///
    /// # Complexity
    ///
    /// That of [`Profile::of_tree`] or [`Terrain::new`].
    pub fn new(tasks: &'a TaskGraph, machine: &'a Machine) -> Self {
        let limits = match &tasks.divide {
            Some(divide) if divide.shape.tasks() <= machine.living_count() => {
                Limits::Tree(Profile::of_tree(machine, &divide.shape.active()))
            }
            _ => Limits::Graph(Terrain::new(machine)),
        };
        Self { tasks, machine, given: &[], limits, bound: OnceCell::new(), proved: None }
    }

    /// With placements made beforehand, by search or by another program, which are called by their names.
    pub fn with_given(mut self, given: &'a [Placement]) -> Self {
        self.given = given;
        self
    }

    /// With a bound proved beforehand under the machine's own switching, by branch and bound; the greater one counts.
    pub fn with_proved(mut self, bound: Option<&'a GraphBound>) -> Self {
        self.proved = bound;
        self
    }

    /// What is placed.
    pub fn tasks(&self) -> &'a TaskGraph {
        self.tasks
    }

    /// What the machine allows.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// [`Self::bound_under`] the machine's own switching.
    pub fn own_bound(&self) -> &GraphBound {
        self.bound.get_or_init(|| self.bound_under(self.machine.switching()))
    }

    /// No placement takes less that sends these messages whole, phase after phase: in ticks, under any switching.
    pub fn bound_under(&self, switching: Switching) -> GraphBound {
        let bound = self.computed_under(switching);
        let is_own = switching == self.machine.switching();
        match self.proved.filter(|proved| is_own && proved.ticks > bound.ticks) {
            Some(proved) => proved.clone(),
            None => bound,
        }
    }

    fn computed_under(&self, switching: Switching) -> GraphBound {
        let (tasks, costs) = (self.tasks, self.machine.costs());
        match &self.limits {
            Limits::Tree(profile) => GraphBound {
                phases: (0..tasks.phases())
                    .map(|index| bound::phase_ticks(tasks, index, switching, costs))
                    .collect(),
                ticks: bound::tree_ticks(tasks, profile, switching, costs),
                certificate: bound::tree_certificate(tasks, profile, switching, costs),
            },
            Limits::Graph(terrain) => bound::graph_ticks(tasks, terrain, self.machine, switching),
        }
    }

    /// The placement with this name: one that is given, or one made by the method of that name.
    ///
    /// # Errors
    ///
    /// As for [`crate::place`].
    pub fn place(&self, name: &str, seed: u64) -> Result<Placement> {
        match self.given.iter().find(|placement| placement.name == name) {
            Some(placement) => Ok(placement.clone()),
            None => crate::place(name, &Request::of(self.tasks, self.machine, seed)),
        }
    }
}

/// A method is called by its name.
impl Planner for Mapping<'_> {
    type Method = String;
    type Workload = Phases;
    type Detail = Placement;

    fn machine(&self) -> &Machine {
        self.machine
    }

    fn bound(&self) -> Result<Cycles> {
        Ok(self.machine.costs().cycles(self.own_bound().ticks))
    }

    fn plan(&self, method: &String, seed: u64) -> Result<Proposal<Phases, Placement>> {
        Proposal::of(self.place(method, seed).map(|placement| {
            let workload = placement.phases(self.tasks, self.machine);
            Plan { workload, detail: placement }
        }))
    }
}

/// Its name.
impl From<&Method> for String {
    fn from(method: &Method) -> Self {
        method.name.to_string()
    }
}
