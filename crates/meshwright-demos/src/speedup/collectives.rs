//! The collectives that a library of messages offers to all ranks together.

use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Wire};

/// Operations in which all ranks take part; every rank calls the same one with the same root.
///
/// # Errors
///
/// [`Lost`] when a rank does not answer any more.
pub trait Collectives {
    /// What stands before the names of the operations, such as `MPI_`.
    const PREFIX: &'static str;

    /// The value of the root; what the others give is not looked at.
    fn broadcast(&mut self, root: u32, value: Vec<u8>) -> Result<Vec<u8>, Lost>;

    /// The sum of all vectors, modulo 2^64, at the root; all have one length.
    fn sum(&mut self, root: u32, values: &[u64]) -> Result<Option<Vec<u64>>, Lost>;

    /// The part of this rank; the root gives one for each.
    fn scatter(&mut self, root: u32, parts: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, Lost>;

    /// What every rank gave, by rank, at the root.
    fn gather(&mut self, root: u32, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Lost>;
}

/// A rank among others, with both ways to reach them.
pub(crate) struct Peers<'a, E, C> {
    pub(crate) mail: &'a mut Mailbox<E>,
    pub(crate) collectives: &'a mut C,
    /// Who has the problem.
    pub(crate) root: u32,
}

impl<E: Endpoint, C: Collectives> Peers<'_, E, C> {
    /// Each rank gets its part, works at it and gives back what came of it.
    pub(crate) fn scatter_work_gather<P: Wire + Send, S: Wire + Send>(
        &mut self,
        parts: Option<Vec<P>>,
        work: impl FnOnce(P) -> S + Send,
    ) -> Result<Option<Vec<S>>, Lost> {
        let parts = parts.map(|parts| parts.iter().map(Wire::to_bytes).collect());
        let part = value(&self.collectives.scatter(self.root, parts)?);
        let result = self.mail.compute(|| work(part))?;
        let results = self.collectives.gather(self.root, result.to_bytes())?;
        Ok(results.map(|results| results.iter().map(|result| value(result)).collect()))
    }
}

/// The value again.
pub(crate) fn value<T: Wire>(bytes: &[u8]) -> T {
    T::from_bytes(bytes).expect("all ranks agree on what they send each other")
}
