//! Lists, of bounded size or not: all the memory a member has.

/// A list is full: the member has less memory than its groups need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A short list.
///
/// # Examples
///
/// ```
/// use meshwright_member::list::{Bounded, Full, List};
/// let mut list = Bounded::<u64, 2>::default();
/// assert_eq!([5, 6, 7].map(|value| list.push(value)), [Ok(()), Ok(()), Err(Full)]);
/// assert_eq!((list.remove(0), list.get(0), list.len()), (Some(5), Some(&6), 1));
/// ```
pub trait List<T>: Default {
    /// How many entries there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An entry.
    fn get(&self, at: usize) -> Option<&T>;

    /// An entry.
    fn get_mut(&mut self, at: usize) -> Option<&mut T>;

    /// Adds one at the end.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no room; the entry is lost.
    fn push(&mut self, entry: T) -> Result<(), Full>;

    /// Takes one out; those behind it move up.
    fn remove(&mut self, at: usize) -> Option<T>;

    /// Takes out the last one.
    fn pop(&mut self) -> Option<T> {
        self.len().checked_sub(1).and_then(|last| self.remove(last))
    }
}

/// A list of at most N entries, in place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bounded<T, const N: usize> {
    /// The first `len` are there.
    entries: [Option<T>; N],
    len: usize,
}

impl<T, const N: usize> Default for Bounded<T, N> {
    fn default() -> Self {
        Self { entries: [const { None }; N], len: 0 }
    }
}

impl<T, const N: usize> List<T> for Bounded<T, N> {
    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, at: usize) -> Option<&T> {
        self.entries.get(at)?.as_ref()
    }

    fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.entries.get_mut(at)?.as_mut()
    }

    fn push(&mut self, entry: T) -> Result<(), Full> {
        let place = self.entries.get_mut(self.len).ok_or(Full)?;
        *place = Some(entry);
        self.len += 1;
        Ok(())
    }

    fn remove(&mut self, at: usize) -> Option<T> {
        let entry = self.entries.get_mut(at)?.take()?;
        self.entries[at..self.len].rotate_left(1);
        self.len -= 1;
        Some(entry)
    }
}
