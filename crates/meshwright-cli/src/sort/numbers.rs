//! Files of 32-bit integers.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use meshwright_core::output::{Writing, check_place, is_same_file};
use meshwright_core::{Error, Result};
use meshwright_runtime::transport::Wire;

/// How many bytes are read or written at a time.
const PIECE: usize = 1 << 20;

/// A 32-bit integer.
pub(super) trait Number: Wire + Ord + Copy + Send + Sync {
    /// Its 32 bits, little-endian.
    fn of(bits: [u8; 4]) -> Self;

    /// What it is worth, with a sign or without.
    fn worth(self) -> i64;
}

impl Number for u32 {
    fn of(bits: [u8; 4]) -> Self {
        Self::from_le_bytes(bits)
    }

    fn worth(self) -> i64 {
        i64::from(self)
    }
}

impl Number for i32 {
    fn of(bits: [u8; 4]) -> Self {
        Self::from_le_bytes(bits)
    }

    fn worth(self) -> i64 {
        i64::from(self)
    }
}

/// What does not change when numbers change places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    count: usize,
    sum: i64,
    /// Of the hashes of all numbers.
    hashes: u64,
}

impl Checksum {
    /// Of these numbers.
    pub(super) fn of<T: Number>(list: &[T]) -> Self {
        let add = |so_far: Self, number: &T| Self {
            count: so_far.count + 1,
            sum: so_far.sum.wrapping_add(number.worth()),
            hashes: so_far.hashes.wrapping_add(hash(number.worth())),
        };
        list.iter().fold(Self::default(), add)
    }
}

/// A number that looks like any other, so that numbers of equal sum have hashes of other sums.
fn hash(number: i64) -> u64 {
    let high = |bits: u64| bits ^ (bits >> 32);
    let mixed = high((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    high(mixed.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// The length of the input, in bytes.
///
/// # Errors
///
/// [`Error::Io`] when the input cannot be opened, [`Error::Value`] when it is no file of whole 32-bit integers;
/// [`Error::Occupied`] when it is to be replaced and nobody said so; as for [`check_place`].
#[expect(clippy::disallowed_methods, reason = "numbers are no text")]
pub(super) fn check(input: &Path, out: &Path, force: bool) -> Result<u64> {
    let metadata = File::open(input).and_then(|file| file.metadata()).map_err(|why| Error::io(input, why))?;
    if !metadata.is_file() {
        return Err(Error::value("IN", input.display(), "a file of 32-bit integers"));
    }
    if !metadata.len().is_multiple_of(4) {
        let length = format!("{} of {} bytes", input.display(), metadata.len());
        return Err(Error::value("IN", length, "whole 32-bit integers: a multiple of 4 bytes"));
    }
    check_place("OUT", out)?;
    if !force && is_same_file(input, out) {
        let holds = "the numbers that are read".to_string();
        return Err(Error::Occupied { path: out.to_path_buf(), holds, kind: "file" });
    }
    Ok(metadata.len())
}

/// The numbers of a file of so many bytes.
///
/// # Errors
///
/// [`Error::Io`] when it cannot be read, [`Error::TooLarge`] when the memory does not hold it, [`Error::Value`] when its length
/// has changed meanwhile.
#[expect(clippy::disallowed_methods, reason = "numbers are no text")]
pub(super) fn read<T: Number>(input: &Path, bytes: u64) -> Result<Vec<T>> {
    let io = |why| Error::io(input, why);
    let mut list = Vec::new();
    let reserved = usize::try_from(bytes / 4).ok().and_then(|count| list.try_reserve_exact(count).ok());
    if reserved.is_none() {
        let needed = format!("{bytes} bytes");
        return Err(Error::TooLarge {
            what: "the list of numbers",
            needed,
            limit: "the memory of rank 0".into(),
        });
    }
    let mut file = BufReader::with_capacity(PIECE, File::open(input).map_err(io)?).take(bytes + 1);
    let (mut piece, mut total) = (Vec::with_capacity(PIECE), 0);
    loop {
        piece.clear();
        let count = file.by_ref().take(PIECE as u64).read_to_end(&mut piece).map_err(io)?;
        total += count as u64;
        if count == 0 {
            break;
        }
        let bits = |bytes: &[u8]| T::of(bytes.try_into().expect("chunks have this size"));
        list.extend(piece.chunks_exact(4).map(bits));
    }
    if total == bytes {
        return Ok(list);
    }
    Err(Error::value("length of IN", format!("{total} bytes"), format!("the {bytes} bytes it had at first")))
}

/// Adds the numbers to what is written.
///
/// # Errors
///
/// [`Error::Io`] when they cannot be written, [`Error::Occupied`] when something else stands there and is not to be replaced.
pub(super) fn add<T: Number>(writing: &mut Writing, out: &Path, list: &[T]) -> Result<()> {
    writing.streamed(out, &mut |file| {
        let mut piece = Vec::with_capacity(PIECE);
        for numbers in list.chunks(PIECE / 4) {
            piece.clear();
            T::write_all(numbers, &mut piece);
            file.write_all(&piece)?;
        }
        Ok(())
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read the files they make")]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_sees_what_is_missing_or_other() {
        let whole = Checksum::of(&[3u32, 1, 2]);
        assert_eq!(whole, Checksum::of(&[1u32, 2, 3]));
        for other in [&[1u32, 2][..], &[1, 2, 4], &[0, 3, 3], &[1, 2, 3, 0]] {
            assert_ne!(whole, Checksum::of(other), "{other:?}");
        }
        assert_eq!(Checksum::of(&[-1i32, 1]).sum, 0);
        assert_eq!(Checksum::of(&[u32::MAX, 1]).sum, 1 << 32);
    }

    #[test]
    fn numbers_are_written_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.bin");
        // More than one piece.
        let list: Vec<i32> = (0..300_000).map(|i: i32| i.wrapping_mul(-1_640_531_535)).collect();
        let mut writing = Writing::new(false);
        add(&mut writing, &path, &list).unwrap();
        writing.finish().unwrap();
        let bytes = check(&path, &path, true).unwrap();
        assert_eq!((bytes, read::<i32>(&path, bytes).unwrap() == list), (1_200_000, true));
        // Longer or shorter than it was.
        for other in [bytes - 4, bytes + 4] {
            assert!(read::<i32>(&path, other).unwrap_err().to_string().contains("length of IN"), "{other}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
}
