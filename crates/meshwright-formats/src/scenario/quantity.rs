//! Quantities: numbers that may carry a unit.
//!
//! All arithmetic is exact. What has to be whole and is not (a start-up of 2.5 cycles) is an error, except a
//! time in seconds, which is rounded up to the next cycle.

use meshwright_core::error::{Error, Result};
use meshwright_core::text::nearest;
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::costs::BYTES_MAX;

const BYTE_UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
];

/// Units of time, by how many make a second.
const TIME_UNITS: &[(&str, u64)] = &[("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1_000), ("s", 1)];

const CLOCK_UNITS: &[(&str, u64)] = &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)];

/// A volume: `65536`, `64 KiB`, `1.5 MB`; at least one byte.
///
/// # Errors
///
/// [`Error::Value`] for anything else, a fraction of a byte, or more than a tebibyte.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::quantity;
/// use meshwright_core::units::Bytes;
/// assert_eq!(quantity::bytes("64 KiB")?, Bytes(65536));
/// assert!(quantity::bytes("64 KiBit").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn bytes(text: &str) -> Result<Bytes> {
    let expected = format!("1 to {BYTES_MAX} bytes, as in 65536, \"64 KiB\" or \"1.5 MB\"");
    let bad = || Error::value("a volume", quoted(text), expected.clone());
    let (number, unit) = split(text);
    let factor = match unit {
        "" => 1,
        unit => factor(BYTE_UNITS, unit).ok_or_else(|| {
            Error::value("a volume", quoted(text), expected.clone() + &hint(BYTE_UNITS, number, unit, ""))
        })?,
    };
    let number = decimal(number).ok_or_else(bad)?;
    let exact = u128::from(number.numerator()) * u128::from(factor);
    let denominator = u128::from(number.denominator());
    let range = format!("a whole number of bytes from 1 to {BYTES_MAX}");
    let outside = || Error::value("a volume", quoted(text), range);
    match u64::try_from(exact / denominator) {
        Ok(bytes) if exact.is_multiple_of(denominator) && (1..=BYTES_MAX).contains(&bytes) => {
            Ok(Bytes(bytes))
        }
        _ => Err(outside()),
    }
}

/// A clock: `1 GHz`, `850 MHz`; cycles per second.
///
/// # Errors
///
/// [`Error::Value`] for anything else, or a clock that stands still.
pub fn clock(text: &str) -> Result<Ratio> {
    let (number, unit) = split(text);
    let expected =
        "a frequency such as \"1 GHz\" or \"850 MHz\"".to_string() + &hint(CLOCK_UNITS, number, unit, "");
    let bad = || Error::value("a clock", quoted(text), expected.clone());
    let number = decimal(number).ok_or_else(bad)?;
    let frequency = product(number, Ratio::whole(factor(CLOCK_UNITS, unit).ok_or_else(bad)?));
    frequency.filter(|frequency| frequency.numerator() > 0).ok_or_else(bad)
}

/// A time in cycles, or in seconds on a machine with a clock: `100`, `2 us`; rounded up to whole cycles.
///
/// # Errors
///
/// [`Error::Value`] for anything else, and for a time in seconds without a clock.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::quantity;
/// use meshwright_core::units::Cycles;
/// let clock = quantity::clock("1 GHz")?;
/// assert_eq!(quantity::cycles("2 us", Some(clock))?, Cycles(2000));
/// assert!(quantity::cycles("2 us", None).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn cycles(text: &str, clock: Option<Ratio>) -> Result<Cycles> {
    let (number, unit) = split(text);
    let hint = hint(TIME_UNITS, number, unit, "");
    let expected = "whole cycles as in 100, or a time such as \"2 us\"".to_string() + &hint;
    let bad = || Error::value("a time", quoted(text), expected.clone());
    if unit.is_empty() {
        return number.parse().map(Cycles).map_err(|_| bad());
    }
    let per_second = factor(TIME_UNITS, unit).ok_or_else(bad)?;
    let clock = clock.ok_or_else(|| without_clock("a time", text))?;
    let seconds = decimal(number).and_then(|number| product(number, Ratio::new(1, per_second).ok()?));
    let cycles = seconds.and_then(|seconds| product(seconds, clock)).ok_or_else(bad)?;
    Ok(Cycles(cycles.numerator().div_ceil(cycles.denominator())))
}

/// Cycles per byte, or on a machine with a clock a rate: `1`, `0.25`, `1/30`, `1 GB/s`.
///
/// # Errors
///
/// [`Error::Value`] for anything else, and for a rate without a clock.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::quantity;
/// use meshwright_core::units::Ratio;
/// let clock = quantity::clock("1 GHz")?;
/// assert_eq!(quantity::byte_time("4 GB/s", Some(clock))?, Ratio::new(1, 4)?);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn byte_time(text: &str, clock: Option<Ratio>) -> Result<Ratio> {
    const EXPECTED: &str = "cycles per byte as in 1, 0.25 or \"1/30\", or a rate such as \"1 GB/s\"";
    let bad = || Error::value("a byte time", quoted(text), EXPECTED);
    let Some(rate) = text.trim().strip_suffix("/s") else {
        return fraction(text).ok_or_else(bad);
    };
    let (number, unit) = split(rate);
    let unit = factor(BYTE_UNITS, unit).ok_or_else(|| {
        Error::value(
            "a byte time",
            quoted(text),
            EXPECTED.to_string() + &hint(BYTE_UNITS, number, unit, "/s"),
        )
    })?;
    let clock = clock.ok_or_else(|| without_clock("a byte time", text))?;
    let rate = decimal(number).and_then(|number| product(number, Ratio::whole(unit))).ok_or_else(bad)?;
    let seconds_per_byte = Ratio::new(rate.denominator(), rate.numerator()).map_err(|_| bad())?;
    product(seconds_per_byte, clock).ok_or_else(bad)
}

/// Bytes per cycle, or on a machine with a clock a rate in seconds: `30`, `28.1`, `1/2`, `25 GB/s`; more than 0.
///
/// # Errors
///
/// [`Error::Value`] for anything else, and for a rate in seconds without a clock.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::quantity;
/// use meshwright_core::units::Ratio;
/// assert_eq!(quantity::rate("28.1", None)?, Ratio::new(281, 10)?);
/// assert_eq!(quantity::rate("32 GB/s", Some(quantity::clock("1 GHz")?))?, Ratio::whole(32));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn rate(text: &str, clock: Option<Ratio>) -> Result<Ratio> {
    const EXPECTED: &str = "bytes per cycle as in 30, 28.1 or \"1/2\", or a rate such as \"25 GB/s\"";
    let bad = || Error::value("a rate", quoted(text), EXPECTED);
    if text.trim().ends_with("/s") {
        let time = byte_time(text, clock).map_err(|error| match error {
            Error::Value { value, expected, .. } if clock.is_none() => {
                Error::Value { what: "a rate", value, expected }
            }
            _ => bad(),
        })?;
        return Ratio::new(time.denominator(), time.numerator()).map_err(|_| bad());
    }
    fraction(text).filter(|rate| rate.numerator() > 0).ok_or_else(bad)
}

/// A number that is not negative, decimal or as a fraction `p/q`.
///
/// # Errors
///
/// [`Error::Value`] for anything else, NaN and infinity among it.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::quantity;
/// assert_eq!(quantity::number("1/4")?, 0.25);
/// assert_eq!(quantity::number("2.5e-1")?, 0.25);
/// assert!(quantity::number("nan").is_err() && quantity::number("-1").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn number(text: &str) -> Result<f64> {
    let decimal = |text: &str| text.trim().parse::<f64>().ok();
    let number = match text.split_once('/') {
        Some((p, q)) => decimal(p).zip(decimal(q)).map(|(p, q)| p / q),
        None => decimal(text),
    };
    // 0 and not -0, whose sign would be seen in tables.
    let number = number.filter(|number| *number >= 0.0 && number.is_finite()).map(|number| number + 0.0);
    number.ok_or_else(|| {
        Error::value("a number", quoted(text), "a number of at least 0, as in 0.1 or \"1/10\"")
    })
}

/// A share: above 0 and at most 1, as a number or a fraction `p/q`.
///
/// # Errors
///
/// [`Error::Value`] for anything else.
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_formats::scenario::quantity::share("1/2")?, 0.5);
/// assert!(meshwright_formats::scenario::quantity::share("1.5").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn share(text: &str) -> Result<f64> {
    // More digits than a fraction has room for are those of a floating-point number.
    let share = fraction(text).map(Ratio::to_f64).or_else(|| text.trim().parse().ok());
    share.filter(|&share| share > 0.0 && share <= 1.0).ok_or_else(|| {
        Error::value("a share", quoted(text), "a number above 0 and at most 1, as in 0.5 or \"1/2\"")
    })
}

/// `p/q` or a decimal number.
fn fraction(text: &str) -> Option<Ratio> {
    if text.contains('/') { text.trim().parse().ok() } else { decimal(text.trim()) }
}

/// A number before its unit, both without blanks around them.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    (text[..end].trim_end(), &text[end..])
}

fn factor(units: &[(&str, u64)], unit: &str) -> Option<u64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
}

/// Did you mean: the unit that differs in its capitals only, or is nearest; `after` stands behind it.
fn hint(units: &[(&str, u64)], number: &str, unit: &str, after: &str) -> String {
    if unit.is_empty() || factor(units, unit).is_some() {
        return String::new();
    }
    let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    let alike = names.iter().find(|name| name.eq_ignore_ascii_case(unit)).copied();
    let near = alike.or_else(|| nearest(unit, &names));
    near.map_or(String::new(), |name| format!(" (did you mean `{number} {name}{after}`?)"))
}

/// A decimal number with or without an exponent, exactly; neither sign nor NaN nor infinity.
fn decimal(text: &str) -> Option<Ratio> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text.contains('/') {
        return None;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let number: Ratio = mantissa.parse().ok()?;
    let power = Ratio::whole(10u64.checked_pow(exponent.unsigned_abs())?);
    match exponent {
        0.. => product(number, power),
        _ => product(number, Ratio::new(1, power.numerator()).ok()?),
    }
}

/// The product, unless it leaves the range of 64 bits in lowest terms.
fn product(a: Ratio, b: Ratio) -> Option<Ratio> {
    // Reducing crosswise first keeps intermediate values as small as the result.
    let left = Ratio::new(a.numerator(), b.denominator()).ok()?;
    let right = Ratio::new(b.numerator(), a.denominator()).ok()?;
    let numerator = left.numerator().checked_mul(right.numerator())?;
    let denominator = left.denominator().checked_mul(right.denominator())?;
    Ratio::new(numerator, denominator).ok()
}

fn without_clock(what: &'static str, text: &str) -> Error {
    Error::value(what, quoted(text), "cycles, since the machine has no `clock` (such as clock = \"1 GHz\")")
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_exact() {
        let read = |text| bytes(text).ok().map(|bytes| bytes.0);
        for (text, expected) in [
            ("1", Some(1)),
            ("65536", Some(65536)),
            ("64 KiB", Some(65536)),
            ("64KiB", Some(65536)),
            ("1.5 kB", Some(1500)),
            ("1.5 KB", Some(1500)),
            ("1e3 B", Some(1000)),
            ("2.5e-1 GiB", Some(1 << 28)),
            ("1024 GiB", Some(1 << 40)),
            ("0", None),
            ("0.5 B", None),
            ("1025 GiB", None),
            ("1 TiB", Some(1 << 40)),
            ("2 TiB", None),
            ("1 TB", Some(1_000_000_000_000)),
            ("-1", None),
            ("nan", None),
            ("inf", None),
            ("1e400", None),
            ("99999999999999999999", None),
            ("64 KiBit", None),
            ("KiB", None),
            ("", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn times_and_rates_need_a_clock() {
        let clock = clock("2.5 GHz").unwrap();
        assert_eq!(cycles("100", None).unwrap(), Cycles(100));
        assert_eq!(cycles("2 us", Some(clock)).unwrap(), Cycles(5000));
        assert_eq!(cycles("1 ns", Some(clock)).unwrap(), Cycles(3), "2.5 cycles are rounded up");
        assert_eq!(byte_time("10 GB/s", Some(clock)).unwrap(), Ratio::new(1, 4).unwrap());
        assert_eq!(byte_time("1/30", None).unwrap(), Ratio::new(1, 30).unwrap());
        assert!(cycles("2 us", None).unwrap_err().to_string().contains("clock"));
        assert!(byte_time("1 GB/s", None).unwrap_err().to_string().contains("clock"));
        for bad in ["2.5", "-1", "2 hours", "nan", "1e3"] {
            assert!(cycles(bad, Some(clock)).is_err(), "{bad}");
        }
        for bad in ["0 GB/s", "1 Gb/s", "-1", "nan", "1/0", "1/2/3"] {
            assert!(byte_time(bad, Some(clock)).is_err(), "{bad}");
        }
    }

    #[test]
    fn clocks_and_shares_have_ranges() {
        for bad in ["1", "0 GHz", "-1 GHz", "1 GHzz", "99999999999999 GHz"] {
            assert!(clock(bad).is_err(), "{bad}");
        }
        for bad in ["0", "1.0001", "-0.5", "3/2", "nan", "inf", "1/0", "half", ""] {
            assert!(share(bad).is_err(), "{bad}");
        }
        assert_eq!(share("1").unwrap(), 1.0);
        assert_eq!(share("2.5e-1").unwrap(), 0.25);
        assert_eq!(share("0.3333333333333333").unwrap(), 1.0 / 3.0);
    }
}
