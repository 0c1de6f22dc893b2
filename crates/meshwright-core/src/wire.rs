//! Values as bytes.

use crate::units::Bytes;

/// Behind its bytes a value keeps room for a few more, which an endpoint may add without moving all.
const ROOM: usize = 8;

/// A value that can be sent: little-endian, a list with its length before it.
///
/// # Examples
///
/// ```
/// use meshwright_core::wire::Wire;
/// use meshwright_core::units::Bytes;
/// let value = (vec![1u32, 2, 3], Some(7u64));
/// let mut bytes = vec![];
/// value.write(&mut bytes);
/// assert_eq!(Bytes(bytes.len() as u64), value.volume());
/// assert_eq!(Wire::read(&mut bytes.as_slice()), Some(value));
/// ```
pub trait Wire: Sized {
    /// How many bytes [`Wire::write`] adds.
    fn volume(&self) -> Bytes;

    /// Adds the bytes of this value.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes a value off the front; none when this is no such value.
    fn read(from: &mut &[u8]) -> Option<Self>;

    /// This value alone.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.volume().0 as usize + ROOM);
        self.write(&mut bytes);
        bytes
    }

    /// The value of which these are all bytes; none when this is no such value, or something is left over.
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        Self::read(&mut bytes).filter(|_| bytes.is_empty())
    }

    /// How many bytes many values take.
    fn volume_of_all(values: &[Self]) -> u64 {
        values.iter().map(|value| value.volume().0).sum()
    }

    /// Adds the bytes of many values.
    fn write_all(values: &[Self], out: &mut Vec<u8>) {
        for value in values {
            value.write(out);
        }
    }

    /// Takes so many values off the front.
    fn read_all(count: usize, from: &mut &[u8]) -> Option<Vec<Self>> {
        (0..count).map(|_| Self::read(from)).collect()
    }
}

/// Numbers: their bytes, many of them in one go where numbers lie in memory as they are sent.
macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Wire for $number {
            fn volume(&self) -> Bytes {
                Bytes(size_of::<Self>() as u64)
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut &[u8]) -> Option<Self> {
                let (first, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*first))
            }

            fn volume_of_all(values: &[Self]) -> u64 {
                size_of_val(values) as u64
            }

            fn write_all(values: &[Self], out: &mut Vec<u8>) {
                if cfg!(target_endian = "little") {
                    return out.extend_from_slice(bytemuck::cast_slice(values));
                }
                out.reserve(size_of_val(values));
                values.iter().for_each(|value| value.write(out));
            }

            fn read_all(count: usize, from: &mut &[u8]) -> Option<Vec<Self>> {
                let (all, rest) = from.split_at_checked(count.checked_mul(size_of::<Self>())?)?;
                *from = rest;
                if cfg!(target_endian = "little") {
                    return Some(bytemuck::pod_collect_to_vec(all));
                }
                let number = |bytes: &[u8]| Self::from_le_bytes(bytes.try_into().expect("chunks have this size"));
                Some(all.chunks_exact(size_of::<Self>()).map(number).collect())
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 i32 i64 f32 f64);

impl Wire for () {
    fn volume(&self) -> Bytes {
        Bytes(0)
    }

    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut &[u8]) -> Option<Self> {
        Some(())
    }
}

impl Wire for bool {
    fn volume(&self) -> Bytes {
        Bytes(1)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        match u8::read(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn volume(&self) -> Bytes {
        Bytes(1 + self.as_ref().map_or(0, |value| value.volume().0))
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        if bool::read(from)? { T::read(from).map(Some) } else { Some(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn volume(&self) -> Bytes {
        Bytes(8 + T::volume_of_all(self))
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        T::write_all(self, out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let count = usize::try_from(u64::read(from)?).ok()?;
        T::read_all(count, from)
    }
}

impl Wire for String {
    fn volume(&self) -> Bytes {
        Bytes(8 + self.len() as u64)
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Vec::read(from)?).ok()
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn volume(&self) -> Bytes {
        Bytes(self.0.volume().0 + self.1.volume().0)
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

impl<A: Wire, B: Wire, C: Wire> Wire for (A, B, C) {
    fn volume(&self) -> Bytes {
        Bytes(self.0.volume().0 + self.1.volume().0 + self.2.volume().0)
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
        self.2.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?, C::read(from)?))
    }
}
