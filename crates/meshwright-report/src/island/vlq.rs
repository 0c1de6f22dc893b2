//! Lists of whole numbers as short text: base64 VLQ, as in source maps.
//!
//! The lowest of six bits of a number's first digit is its sign, the highest of each digit says that another follows.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The greatest number that the page's script holds exactly; greater ones are cut to it.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// A list under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Vlq {
    text: String,
    last: i64,
}

impl Vlq {
    /// Adds a number.
    pub(super) fn push(&mut self, number: i64) {
        let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
        loop {
            let (digit, more) = ((rest & 31) as usize, rest > 31);
            self.text.push(DIGITS[digit | usize::from(more) << 5] as char);
            if !more {
                return;
            }
            rest >>= 5;
        }
    }

    /// Adds a number as what it lies above the one added so before: 0 at first.
    pub(super) fn push_step(&mut self, number: u64) {
        let number = number.min(EXACT_MAX) as i64;
        self.push(number - self.last);
        self.last = number;
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Numbers as steps from one to the next.
pub(super) fn steps(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut list = Vlq::default();
    numbers.into_iter().for_each(|number| list.push_step(number));
    list.finish()
}

/// Numbers as steps, a run of equal ones as `0` and how many follow the first.
pub(super) fn runs(numbers: &[u64]) -> String {
    let mut list = Vlq::default();
    for run in numbers.chunk_by(|a, b| a == b) {
        let is_step = list.last != run[0].min(EXACT_MAX) as i64;
        if is_step {
            list.push_step(run[0]);
        }
        let rest = run.len() - usize::from(is_step);
        if rest > 0 {
            list.push(0);
            list.push(rest as i64);
        }
    }
    list.finish()
}

#[cfg(test)]
mod tests {
    use super::{Vlq, runs, steps};

    #[test]
    fn numbers_are_written_as_in_source_maps() {
        let mut list = Vlq::default();
        [0, 1, -1, 15, 16, -16, 123_456_789].into_iter().for_each(|number| list.push(number));
        assert_eq!(list.finish(), "ACDegBhBqxmvrH");
        assert_eq!(steps([5, 6, 7, 0]), "KCCP");
        assert_eq!(steps([u64::MAX, u64::MAX]), "+/////////PA");
    }

    #[test]
    fn equal_numbers_take_no_room() {
        assert_eq!(runs(&[0; 1000]), "Aw+B");
        assert_eq!(runs(&[7, 7, 7, 8]), "OAEC");
        assert_eq!(runs(&[]), "");
    }
}
