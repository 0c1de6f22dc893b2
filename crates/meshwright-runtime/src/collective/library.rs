//! The same operations by another implementation, such as those of MPI.

use meshwright_collectives::Operation;

use super::owed::{WORD, contribution, sum};
use super::{Defect, Found, Measured, repeated};
use crate::transport::{Endpoint, Lost, Mailbox};

/// One rank's access to the collective operations of another implementation.
pub trait Library {
    /// What it calls an operation.
    fn name(&self, operation: Operation) -> &'static str;

    /// Does it, on all ranks together: sums are of words that wrap, and all parts are of equal length. What goes in and comes
    /// out at a rank that gives or gets nothing is empty. A broadcast is done in `output`, where the root has it already.
    fn perform(&mut self, operation: Operation, root: u32, input: &[u64], output: &mut [u64]);
}

/// An operation as it is asked of a library: whole words, and equal parts.
#[derive(Clone, Copy)]
struct Asked {
    operation: Operation,
    root: u32,
    me: u32,
    members: u32,
    /// The words of a member's part, and of the whole.
    part: usize,
    whole: usize,
}

/// One rank's buffers in one run.
struct Buffers {
    run: u32,
    input: Vec<u64>,
    output: Vec<u64>,
}

impl Asked {
    fn new(operation: Operation, bytes: u64, root: u32, (me, members): (u32, u32)) -> Self {
        let words = bytes.div_ceil(WORD) as usize;
        let part = words.div_ceil(members as usize);
        let whole = if operation.is_parted() { part * members as usize } else { words };
        Self { operation, root, me, members, part, whole }
    }

    /// How many words a rank gives and gets.
    fn lengths(&self) -> (usize, usize) {
        use Operation as O;
        let at_root = |length| if self.me == self.root { length } else { 0 };
        match self.operation {
            O::Barrier => (0, 0),
            O::Broadcast => (at_root(self.whole), self.whole),
            O::Reduce => (self.whole, at_root(self.whole)),
            O::Scatter => (at_root(self.whole), self.part),
            O::Gather => (self.part, at_root(self.whole)),
            O::AllGather => (self.part, self.whole),
            O::ReduceScatter => (self.whole, self.part),
            O::AllReduce | O::Scan | O::AllToAll => (self.whole, self.whole),
        }
    }

    fn prepare(&self, run: u32) -> Buffers {
        let (given, got) = self.lengths();
        let input: Vec<u64> = contribution(run, self.me, 0).take(given).collect();
        let is_in_place = self.operation == Operation::Broadcast && self.me == self.root;
        let output = if is_in_place { input.clone() } else { vec![0; got] };
        Buffers { run, input, output }
    }

    /// The words that this rank is to get.
    fn owed(&self, run: u32) -> Vec<u64> {
        use Operation as O;
        let (_, got) = self.lengths();
        let Self { root, me, members, part, whole, .. } = *self;
        let own_part = me as usize * part;
        let of_each = |first: usize| {
            (0..members).flat_map(move |member| contribution(run, member, 0).skip(first).take(part))
        };
        match self.operation {
            _ if got == 0 => Vec::new(),
            O::Barrier => Vec::new(),
            O::Broadcast => contribution(run, root, 0).take(got).collect(),
            O::Reduce | O::AllReduce => sum(run, 0..=members - 1, 0, got),
            O::Scan => sum(run, 0..=me, 0, got),
            O::Scatter => contribution(run, root, 0).skip(own_part).take(got).collect(),
            O::Gather | O::AllGather => of_each(0).collect(),
            O::ReduceScatter => sum(run, 0..=members - 1, 0, whole).split_off(own_part)[..part].to_vec(),
            O::AllToAll => of_each(own_part).collect(),
        }
    }

    fn check(&self, buffers: &Buffers) -> Found {
        let owed = self.owed(buffers.run);
        let mut found = Found { verified_bytes: WORD * owed.len() as u64, ..Found::default() };
        let differs = owed.iter().zip(&buffers.output).position(|(owed, has)| owed != has);
        if let Some(word) = differs {
            found.complain(self.me, Defect::Result { block: 0, at: WORD * word as u64 });
        }
        found
    }
}

/// Measures an operation of another implementation as [`measure`](super::measure) does that of a flow, on buffers of so many bytes, up
/// to whole words and equal parts; messages are not counted. At rank 0 what was measured, elsewhere none.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn measure_library<E: Endpoint>(
    library: &mut dyn Library,
    (operation, bytes, root): (Operation, u64, u32),
    repeat: u32,
    mail: &mut Mailbox<E>,
) -> Result<Option<Measured>, Lost> {
    let asked = Asked::new(operation, bytes, root, (mail.rank(), mail.ranks()));
    let perform = |buffers: &mut Buffers, _: &mut Mailbox<E>| {
        library.perform(operation, root, &buffers.input, &mut buffers.output);
        Ok(())
    };
    repeated(repeat, mail, |run| asked.prepare(run), perform, |buffers| asked.check(&buffers))
}
