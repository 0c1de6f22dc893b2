//! Receive from a certain rank, with a certain tag.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::{Endpoint, Lost, Parcel, Wire};
use meshwright_core::units::Bytes;

/// How long one look for messages lasts; the endpoint notices lost ranks meanwhile.
const LOOK: Duration = Duration::from_millis(200);

/// An endpoint with a place for messages that come before anybody asks for them, and counters.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::transport::{Endpoint, Mailbox, threads};
/// let read = threads::run(2, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     if mail.rank() == 1 {
///         mail.send(0, 1, &String::from("first"))?;
///         mail.send(0, 2, &String::from("second"))?;
///         return Ok(mail.sent().to_string());
///     }
///     mail.receive::<String>(1, 2) // the other one waits
/// })?;
/// assert_eq!(read, ["second", "2"]);
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
#[derive(Debug)]
pub struct Mailbox<E> {
    endpoint: E,
    /// By rank and tag, what has come and was not asked for yet.
    early: BTreeMap<(u32, u32), VecDeque<Vec<u8>>>,
    sent: u64,
    sent_bytes: u64,
}

impl<E: Endpoint> Mailbox<E> {
    /// Nothing has come yet.
    pub fn new(endpoint: E) -> Self {
        Self { endpoint, early: BTreeMap::new(), sent: 0, sent_bytes: 0 }
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> u32 {
        self.endpoint.rank()
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.endpoint.ranks()
    }

    /// The endpoint itself.
    pub fn endpoint(&mut self) -> &mut E {
        &mut self.endpoint
    }

    /// How many messages this rank has sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// How much this rank has sent.
    pub fn sent_bytes(&self) -> Bytes {
        Bytes(self.sent_bytes)
    }

    /// Sends a value.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::send`].
    pub fn send<T: Wire>(&mut self, to: u32, tag: u32, value: &T) -> Result<(), Lost> {
        self.send_bytes(to, tag, value.to_bytes())
    }

    /// Sends bytes.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::send`].
    pub fn send_bytes(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        self.sent += 1;
        self.sent_bytes += bytes.len() as u64;
        self.endpoint.send(to, tag, bytes)
    }

    /// Sends a value to all other ranks.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::send`].
    pub fn send_to_others<T: Wire>(&mut self, tag: u32, value: &T) -> Result<(), Lost> {
        let (own, bytes) = (self.rank(), value.to_bytes());
        let mut others = (0..self.ranks()).filter(|&rank| rank != own);
        others.try_for_each(|rank| self.send_bytes(rank, tag, bytes.clone()))
    }

    /// Brings the values of all ranks to one of them: there all by rank, elsewhere none. Every rank calls it.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::send`] and [`Endpoint::next`].
    ///
    /// # Panics
    ///
    /// When something else was sent.
    ///
    /// # Complexity
    ///
    /// One message from each other rank.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_runtime::transport::{Mailbox, threads};
    /// let squares = threads::run(3, |endpoint| {
    ///     let mut mail = Mailbox::new(endpoint);
    ///     let rank = mail.rank();
    ///     mail.gather(1, 7, rank * rank)
    /// })?;
    /// assert_eq!(squares, [None, Some(vec![0, 1, 4]), None]);
    /// # Ok::<(), meshwright_runtime::transport::Lost>(())
    /// ```
    pub fn gather<T: Wire>(&mut self, to: u32, tag: u32, own: T) -> Result<Option<Vec<T>>, Lost> {
        let rank = self.rank();
        if rank != to {
            self.send(to, tag, &own)?;
            return Ok(None);
        }
        let mut own = Some(own);
        let all = (0..self.ranks()).map(|from| match own.take_if(|_| from == rank) {
            Some(own) => Ok(own),
            None => self.receive(from, tag),
        });
        all.collect::<Result<_, _>>().map(Some)
    }

    /// Waits for a value.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::next`].
    ///
    /// # Panics
    ///
    /// When something else was sent.
    pub fn receive<T: Wire>(&mut self, from: u32, tag: u32) -> Result<T, Lost> {
        let bytes = self.receive_bytes(from, tag)?;
        Ok(T::from_bytes(&bytes).expect("sender and receiver agree on what a tag carries"))
    }

    /// Waits for bytes.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::next`].
    pub fn receive_bytes(&mut self, from: u32, tag: u32) -> Result<Vec<u8>, Lost> {
        loop {
            if let Some(bytes) = self.come(from, tag, LOOK)? {
                return Ok(bytes);
            }
        }
    }

    /// Bytes that have come; none where they have not. Nobody waits.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::next`].
    pub fn receive_bytes_now(&mut self, from: u32, tag: u32) -> Result<Option<Vec<u8>>, Lost> {
        self.come(from, tag, Duration::ZERO)
    }

    /// Bytes that have come, or come until none has come for this time.
    fn come(&mut self, from: u32, tag: u32, wait: Duration) -> Result<Option<Vec<u8>>, Lost> {
        if let Some(waiting) = self.early.get_mut(&(from, tag)) {
            let bytes = waiting.pop_front().expect("an empty queue is not kept");
            if waiting.is_empty() {
                self.early.remove(&(from, tag));
            }
            return Ok(Some(bytes));
        }
        while let Some(Parcel { from: sender, tag: its_tag, bytes }) = self.endpoint.next(wait)? {
            if (sender, its_tag) == (from, tag) {
                return Ok(Some(bytes));
            }
            self.early.entry((sender, its_tag)).or_default().push_back(bytes);
        }
        Ok(None)
    }

    /// Waits for bytes with this tag, from whomever: of those that came early, from the lowest rank.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::next`].
    pub fn receive_from_any(&mut self, tag: u32) -> Result<(u32, Vec<u8>), Lost> {
        let early = self.early.keys().find(|key| key.1 == tag).map(|key| key.0);
        if let Some(from) = early {
            return Ok((from, self.receive_bytes(from, tag)?));
        }
        loop {
            match self.endpoint.next(LOOK)? {
                None => {}
                Some(parcel) if parcel.tag == tag => return Ok((parcel.from, parcel.bytes)),
                Some(Parcel { from, tag, bytes }) => {
                    self.early.entry((from, tag)).or_default().push_back(bytes);
                }
            }
        }
    }

    /// The next message from whomever, an early one first; none when none has come after this time.
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::next`].
    pub fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        let Some(mut first) = self.early.first_entry() else { return self.endpoint.next(wait) };
        let (from, tag) = *first.key();
        let bytes = first.get_mut().pop_front().expect("an empty queue is not kept");
        if first.get().is_empty() {
            first.remove();
        }
        Ok(Some(Parcel { from, tag, bytes }))
    }

    /// Computes for a long time; see [`Endpoint::compute`].
    ///
    /// # Errors
    ///
    /// As for [`Endpoint::compute`].
    pub fn compute<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, Lost> {
        self.endpoint.compute(work)
    }
}
