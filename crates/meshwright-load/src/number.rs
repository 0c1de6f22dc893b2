//! The numbers a formula is written for once: floats for speed, fractions for proof.

use std::ops::{Add, Div, Mul, Sub};

use meshwright_core::exact::Exact;

/// A number with the four operations and an order: `f64` or [`Exact`].
///
/// # Examples
///
/// ```
/// use meshwright_core::exact::Exact;
/// use meshwright_load::Number;
/// fn half_of<N: Number>(number: &N) -> N {
///     number.clone() / N::whole(2)
/// }
/// assert_eq!(half_of(&3.0), 1.5);
/// assert_eq!(half_of(&Exact::whole(3)), Exact::fraction(3, 2));
/// ```
pub trait Number:
    Clone
    + PartialOrd
    + std::fmt::Debug
    + std::fmt::Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + std::iter::Sum
{
    /// A whole number; as a float the nearest.
    fn whole(number: u64) -> Self;

    /// The nearest float.
    fn to_f64(&self) -> f64;

    /// 0.
    fn zero() -> Self {
        Self::whole(0)
    }

    /// 1.
    fn one() -> Self {
        Self::whole(1)
    }

    /// To the power of `exponent`, by repeated squaring.
    fn power(&self, mut exponent: u32) -> Self {
        let (mut result, mut square) = (Self::one(), self.clone());
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = result * square.clone();
            }
            exponent /= 2;
            if exponent > 0 {
                square = square.clone() * square;
            }
        }
        result
    }

    /// The larger of two numbers.
    fn greater(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl Number for f64 {
    fn whole(number: u64) -> Self {
        number as Self
    }

    fn to_f64(&self) -> f64 {
        *self
    }
}

impl Number for Exact {
    fn whole(number: u64) -> Self {
        Self::from(number)
    }

    fn to_f64(&self) -> f64 {
        Self::to_f64(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use meshwright_core::exact::Exact;

    #[test]
    fn powers_are_repeated_products() {
        let third = Exact::fraction(1, 3);
        let mut product = Exact::whole(1);
        for exponent in 0..9 {
            assert_eq!(Number::power(&third, exponent), product);
            assert_eq!(Number::power(&2.0, exponent), f64::from(1 << exponent));
            product = product * &third;
        }
    }

    #[test]
    fn the_greater_of_two_numbers() {
        assert_eq!(Number::greater(1.0, 2.0), 2.0);
        assert_eq!(Number::greater(Exact::whole(2), Exact::whole(1)), Exact::whole(2));
    }
}
