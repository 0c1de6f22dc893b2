//! The names of steps: words, most of them short.

/// A word that may name a step. The order has no meaning but is the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// Up to 15 bytes, and in the last byte how many.
    Short(u128),
    Long(Box<[u8]>),
}

impl Label {
    /// The label with these bytes.
    pub(super) fn new(word: &[u8]) -> Self {
        let mut bytes = [0; 16];
        let Some(start) = bytes[..15].get_mut(..word.len()) else { return Self::Long(word.into()) };
        start.copy_from_slice(word);
        bytes[15] = word.len() as u8;
        Self::Short(u128::from_le_bytes(bytes))
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Short(number) => {
                let bytes = number.to_le_bytes();
                bytes[..usize::from(bytes[15])].to_vec()
            }
            Self::Long(bytes) => bytes.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_are_equal_exactly_where_their_bytes_are(
            words in prop::collection::vec(prop::collection::vec(0u8..2, 0..20), 2)
        ) {
            let labels: Vec<Label> = words.iter().map(|word| Label::new(word)).collect();
            prop_assert_eq!(labels[0] == labels[1], words[0] == words[1]);
            prop_assert_eq!(labels[0].bytes(), &*words[0]);
        }
    }
}
