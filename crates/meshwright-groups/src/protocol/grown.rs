//! Lists that grow: the memory of members on machines that have enough of it.

use std::ops::Deref;

use meshwright_member::list::{Full, List};

/// A list without a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown<T>(Vec<T>);

impl<T> Default for Grown<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Grown<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> List<T> for Grown<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at)
    }

    fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.get_mut(at)
    }

    /// It is never full.
    fn push(&mut self, entry: T) -> Result<(), Full> {
        self.0.push(entry);
        Ok(())
    }

    fn remove(&mut self, at: usize) -> Option<T> {
        (at < self.0.len()).then(|| self.0.remove(at))
    }
}
