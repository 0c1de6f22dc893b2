//! The set bits of a word.

/// The set bits of a word, in increasing order.
///
/// # Examples
///
/// ```
/// use meshwright_core::bits::Bits;
/// assert_eq!(Bits(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
