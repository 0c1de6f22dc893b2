//! Fractions of any size, so that an equality of formulas is an equality and not a coincidence of rounding.

use std::fmt;

use dashu_ratio::RBig;

/// An exact fraction that is written short: as p/q while both are small, else as a decimal number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exact(pub RBig);

/// From here on a numerator or denominator is too long to be read.
const READABLE_MAX: u32 = 100_000;

impl Exact {
    /// The whole number.
    pub fn whole(number: i64) -> Self {
        Self(RBig::from(number))
    }

    /// The fraction p/q.
    ///
    /// # Panics
    ///
    /// When q is 0.
    pub fn fraction(p: i64, q: i64) -> Self {
        Self(RBig::from(p) / RBig::from(q))
    }

    /// 0.
    pub fn zero() -> Self {
        Self::whole(0)
    }

    /// To the power of `exponent`.
    ///
    /// ```
    /// use meshwright_core::exact::Exact;
    /// assert_eq!(Exact::fraction(1, 2).power(3), Exact::fraction(1, 8));
    /// assert_eq!(Exact::whole(2).power(10).to_string(), "1024");
    /// ```
    pub fn power(&self, exponent: u32) -> Self {
        Self(self.0.pow(exponent as isize))
    }

    /// 2 to the power of `exponent`.
    pub fn two_to(exponent: u32) -> Self {
        Self::whole(2).power(exponent)
    }

    /// The nearest floating-point number.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// The distance to another number.
    pub fn distance(&self, other: &Self) -> Self {
        if self > other { self - other } else { other - self }
    }
}

impl From<u32> for Exact {
    fn from(number: u32) -> Self {
        Self(RBig::from(number))
    }
}

impl From<u64> for Exact {
    fn from(number: u64) -> Self {
        Self(RBig::from(number))
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = RBig::from(READABLE_MAX);
        let numerator = RBig::from(self.0.numerator().clone());
        let denominator = RBig::from(self.0.denominator().clone());
        if denominator.is_one() || (numerator < short && numerator > -short.clone() && denominator < short) {
            return write!(f, "{}", self.0);
        }
        write!(f, "{:.6}", self.to_f64())
    }
}

/// The four operations between fractions, by value and by reference.
macro_rules! operation {
    ($trait:ident, $method:ident, $sign:tt) => {
        impl std::ops::$trait<&Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                Exact(&self.0 $sign &other.0)
            }
        }
        impl std::ops::$trait for Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                Exact(self.0 $sign other.0)
            }
        }
        impl std::ops::$trait<Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                Exact(&self.0 $sign other.0)
            }
        }
        impl std::ops::$trait<&Exact> for Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                Exact(self.0 $sign &other.0)
            }
        }
    };
}
operation!(Add, add, +);
operation!(Sub, sub, -);
operation!(Mul, mul, *);
operation!(Div, div, /);

impl std::iter::Sum for Exact {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::zero(), |sum, term| sum + term)
    }
}

#[cfg(test)]
mod tests {
    use super::Exact;

    #[test]
    fn fractions_are_written_short() {
        assert_eq!(Exact::fraction(6, 8).to_string(), "3/4");
        assert_eq!(Exact::fraction(-6, 2).to_string(), "-3");
        assert_eq!(Exact::fraction(1, 3).power(20).to_string(), "0.000000");
        assert_eq!((Exact::whole(1) - Exact::fraction(1, 2).power(30)).to_string(), "1.000000");
        assert_eq!(Exact::fraction(1, 2) + Exact::fraction(1, 3), Exact::fraction(5, 6));
        assert_eq!(Exact::whole(2).distance(&Exact::whole(5)), Exact::whole(3));
    }
}
