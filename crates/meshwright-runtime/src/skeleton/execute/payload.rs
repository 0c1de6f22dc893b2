//! Payload of messages: bytes that follow from source, target and number, so that the receiver knows every one of them.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::Rng;

use meshwright_core::rng;

/// Which message of a run this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) tag: u32,
    /// How many sends with this tag to this rank stand before it in the sender's program.
    pub(super) sequence: u32,
    /// The number of the run.
    pub(super) run: u32,
}

/// What stands before the payload: tag, sequence and run, of four bytes each.
pub(super) const HEADER: usize = 12;

impl Name {
    /// The generator of its bytes.
    fn generator(self) -> SplitMix64 {
        let Self { source, target, tag, sequence, run } = self;
        rng::numbered(&[source, target, tag, sequence, run])
    }

    /// The header, and its payload of so many bytes.
    pub(super) fn packed(self, bytes: usize) -> Vec<u8> {
        // The transport may want to add a few bytes of its own.
        let mut packed = Vec::with_capacity(HEADER + bytes + 16);
        for number in [self.tag, self.sequence, self.run] {
            packed.extend_from_slice(&number.to_le_bytes());
        }
        packed.resize(HEADER + bytes, 0);
        let mut generator = self.generator();
        let mut words = packed[HEADER..].chunks_exact_mut(8);
        for word in words.by_ref() {
            word.copy_from_slice(&generator.next_u64().to_le_bytes());
        }
        let rest = words.into_remainder();
        let last = generator.next_u64().to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
        packed
    }

    /// The name on a message that has come; none where there is no header.
    pub(super) fn unpacked(source: u32, target: u32, packed: &[u8]) -> Option<Self> {
        let header = packed.first_chunk::<HEADER>()?;
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        Some(Self { source, target, tag: number(0), sequence: number(4), run: number(8) })
    }

    /// The first byte that is not what was sent.
    pub(super) fn first_wrong(self, payload: &[u8]) -> Option<usize> {
        let mut generator = self.generator();
        payload.chunks(8).enumerate().find_map(|(index, came)| {
            let sent = generator.next_u64().to_le_bytes();
            let wrong =
                (came != &sent[..came.len()]).then(|| came.iter().zip(sent).position(|(a, b)| *a != b));
            wrong.flatten().map(|at| 8 * index + at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_found() {
        let name = Name { source: 1, target: 2, tag: 3, sequence: 4, run: 5 };
        for length in (0..40).chain([1000]) {
            let packed = name.packed(length);
            let payload = &packed[HEADER..];
            assert_eq!(Name::unpacked(1, 2, &packed), Some(name));
            assert_eq!((payload.len(), name.first_wrong(payload)), (length, None));
            for at in 0..length {
                for bit in 0..8 {
                    let mut changed = payload.to_vec();
                    changed[at] ^= 1 << bit;
                    assert_eq!(name.first_wrong(&changed), Some(at));
                }
            }
        }
        assert_eq!(Name::unpacked(1, 2, &[0; 11]), None);
    }

    #[test]
    fn messages_that_differ_in_one_number_differ_in_their_bytes() {
        let name = Name { source: 1, target: 2, tag: 3, sequence: 4, run: 5 };
        let others = [
            Name { source: 2, target: 1, ..name },
            Name { source: 2, ..name },
            Name { target: 3, ..name },
            Name { tag: 4, sequence: 3, ..name },
            Name { sequence: 5, run: 4, ..name },
            Name { run: 6, ..name },
        ];
        let packed = name.packed(64);
        assert!(others.iter().all(|other| other.first_wrong(&packed[HEADER..]).is_some()));
    }
}
