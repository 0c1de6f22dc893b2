//! Compressed rows: lists of different lengths in one array, with the place where each begins.

use std::ops::Range;

/// A table whose rows have different lengths, in two arrays.
///
/// # Examples
///
/// ```
/// use meshwright_core::csr::Csr;
/// // By node the nodes next to it, on a path of three.
/// let next = Csr::from_pairs(3, [(0, 1), (1, 0), (1, 2), (2, 1)]);
/// assert_eq!((next.row(1), next.range(1)), (&[0, 2][..], 1..3));
/// let mut filled = Csr::default();
/// filled.push_row([1]);
/// filled.push_row([0, 2]);
/// filled.push(1);
/// filled.end_row();
/// assert_eq!((filled.rows().len(), &filled), (3, &next));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T> {
    /// Row i is `entries[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Default for Csr<T> {
    /// No rows.
    fn default() -> Self {
        Self { first: vec![0], entries: Vec::new() }
    }
}

impl<T> Csr<T> {
    /// Puts each entry into its row; within a row the order is kept.
    ///
    /// # Panics
    ///
    /// When a row is not below `rows`, or there are 2^32 entries or more.
    ///
    /// # Complexity
    ///
    /// O(rows + entries): a counting sort, for which the pairs are read twice.
    pub fn from_pairs<I>(rows: usize, pairs: I) -> Self
    where
        T: Copy,
        I: IntoIterator<Item = (usize, T), IntoIter: Clone>,
    {
        let pairs = pairs.into_iter();
        let mut first = vec![0u32; rows + 1];
        let mut filler = None;
        for (row, entry) in pairs.clone() {
            assert!(row < rows, "an entry of a row that is there");
            first[row] += 1;
            filler = Some(entry);
        }
        // From how many to where each row begins; filling moves it to where the row ends, which is where the next begins.
        let mut begin = 0u32;
        for count in &mut first {
            let next = begin.checked_add(*count).expect("fewer than 2^32 entries");
            *count = begin;
            begin = next;
        }
        let Some(filler) = filler else { return Self { first, entries: Vec::new() } };
        let mut entries = vec![filler; begin as usize];
        for (row, entry) in pairs {
            entries[first[row] as usize] = entry;
            first[row] += 1;
        }
        first.rotate_right(1);
        first[0] = 0;
        Self { first, entries }
    }

    /// Entries that stand in their order already, as rows of neighbours that belong together.
    ///
    /// # Panics
    ///
    /// When there are 2^32 entries or more.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::csr::Csr;
    /// let tens = Csr::chunked(vec![11, 15, 31, 42, 42], |a, b| a / 10 == b / 10);
    /// assert!(tens.rows().eq([&[11, 15][..], &[31], &[42, 42]]));
    /// ```
    pub fn chunked(entries: Vec<T>, together: impl Fn(&T, &T) -> bool) -> Self {
        assert!(u32::try_from(entries.len()).is_ok(), "fewer than 2^32 entries");
        let mut first = vec![0];
        for (at, pair) in (1..).zip(entries.windows(2)) {
            if !together(&pair[0], &pair[1]) {
                first.push(at);
            }
        }
        if !entries.is_empty() {
            first.push(entries.len() as u32);
        }
        Self { first, entries }
    }

    /// Adds an entry to the row that is being filled.
    #[inline]
    pub fn push(&mut self, entry: T) {
        self.entries.push(entry);
    }

    /// Ends the row that is being filled; the next begins.
    ///
    /// # Panics
    ///
    /// When there are 2^32 entries or more.
    #[inline]
    pub fn end_row(&mut self) {
        self.first.push(u32::try_from(self.entries.len()).expect("fewer than 2^32 entries"));
    }

    /// Appends a row.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = T>) {
        self.entries.extend(entries);
        self.end_row();
    }

    /// Gives empty rows the entries of rows of another table, in place: pairs of such a row and the row of the other, in
    /// increasing order.
    ///
    /// # Panics
    ///
    /// When there are 2^32 entries or more then, a row is not there, or one that is filled is not empty.
    ///
    /// # Complexity
    ///
    /// O(rows + entries).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::csr::Csr;
    /// let mut table = Csr::from_pairs(4, [(0, 'a'), (2, 'b')]);
    /// table.fill(&[(1, 1), (3, 0)], &Csr::from_pairs(2, [(0, 'z'), (1, 'x'), (1, 'y')]));
    /// assert!(table.rows().eq([&['a'][..], &['x', 'y'], &['b'], &['z']]));
    /// ```
    pub fn fill(&mut self, places: &[(u32, u32)], others: &Self)
    where
        T: Copy,
    {
        let Some(&filler) = others.entries.first() else { return };
        let mut from = self.entries.len();
        let more: usize = places.iter().map(|&(_, other)| others.row(other as usize).len()).sum();
        let mut to = from + more;
        assert!(u32::try_from(to).is_ok(), "fewer than 2^32 entries");
        self.entries.resize(to, filler);
        let mut places = places.iter().rev().peekable();
        // From the last row on, so that nothing is written over that is still to be moved.
        for row in (0..self.len()).rev() {
            let begin = self.first[row] as usize;
            self.first[row + 1] = to as u32;
            match places.next_if(|&&(place, _)| place as usize == row) {
                Some(&(_, other)) => {
                    assert!(begin == from, "an empty row");
                    let entries = others.row(other as usize);
                    to -= entries.len();
                    self.entries[to..to + entries.len()].copy_from_slice(entries);
                }
                None => {
                    to -= from - begin;
                    self.entries.copy_within(begin..from, to);
                }
            }
            from = begin;
        }
        assert!(places.next().is_none(), "a row that is there");
    }

    /// Takes all rows away and keeps the memory.
    pub fn clear(&mut self) {
        self.first.truncate(1);
        self.entries.clear();
    }

    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a row stands among all entries.
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.first[row] as usize..self.first[row + 1] as usize
    }

    /// The entries of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.entries[self.range(row)]
    }

    /// The same, to be changed.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let range = self.range(row);
        &mut self.entries[range]
    }

    /// All rows, one after the other.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.first.windows(2).map(|ends| &self.entries[ends[0] as usize..ends[1] as usize])
    }

    /// The entries of all rows.
    #[inline]
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The same, to be changed.
    #[inline]
    pub fn entries_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }
}
