//! What every planner is: one job on one machine, its lower bound, and a plan by each method.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_network::topology::Machine;

/// A planner: one job on one machine.
///
/// What several methods share is computed once, when the planner is made, and kept in it; so neither bound nor plan asks for
/// job or machine again. A planner names no time but the bound: the simulator measures its plans.
pub trait Planner {
    /// A method, or a method with its settings.
    type Method;
    /// What is simulated: phases, a schedule, or processes.
    type Workload;
    /// What else is known of a plan: where the tasks are, which node has which share.
    type Detail;

    /// Where the job is to be done.
    fn machine(&self) -> &Machine;

    /// A time that no plan beats, rounded up to whole cycles.
    ///
    /// # Errors
    ///
    /// Those of the numbers it is made of.
    fn bound(&self) -> Result<Cycles>;

    /// The plan of a method; `seed` is for those that draw lots.
    ///
    /// # Errors
    ///
    /// Those of input that is not acceptable; a method that does not suit is no error, but [`Proposal::Unsuitable`].
    fn plan(&self, method: &Self::Method, seed: u64) -> Result<Proposal<Self::Workload, Self::Detail>>;
}

/// What a method answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal<W, D> {
    /// A plan.
    Plan(Plan<W, D>),
    /// The method does not suit the job or the machine: why, without a full stop.
    Unsuitable(String),
}

/// What is to be simulated, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<W, D> {
    /// What is simulated.
    pub workload: W,
    /// What else is known.
    pub detail: D,
}

impl<W, D> Proposal<W, D> {
    /// The plan that was made, or the reason why the method does not suit.
    ///
    /// # Errors
    ///
    /// All but [`Error::NotApplicable`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::Error;
    /// use meshwright_schedule::{Plan, Proposal};
    /// let plan = Plan { workload: "a schedule", detail: () };
    /// assert_eq!(Proposal::of(Ok(plan.clone()))?, Proposal::Plan(plan));
    /// let why: Proposal<(), ()> = Proposal::of(Err(Error::not_applicable("placing", "the mesh has odd sides")))?;
    /// assert_eq!(why, Proposal::Unsuitable("the mesh has odd sides".to_string()));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn of(made: Result<Plan<W, D>>) -> Result<Self> {
        match made {
            Ok(plan) => Ok(Self::Plan(plan)),
            Err(Error::NotApplicable { why, .. }) => Ok(Self::Unsuitable(why)),
            Err(error) => Err(error),
        }
    }
}
