//! What `--bytes` says: `1MB`, `1KB,64KB,1MB`, `1KB..1GB` by factors of four, `1KB..1GB/9` at equal factors.

use meshwright_core::Result;
use meshwright_formats::scenario::quantity;

use crate::factors;

/// One size or several, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes(pub(super) Vec<u64>);

impl Sizes {
    /// Reads them.
    pub(super) fn read(text: &str) -> Result<Self> {
        let read = |part: &str| Ok(quantity::bytes(part)?.0);
        factors::values(text, ["range of sizes", "1KB..1GB"], &read).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;

    #[test]
    fn lists_and_ranges_are_read() {
        let read = |text| Sizes::read(text).map(|sizes| sizes.0);
        assert_eq!(read("1MB").unwrap(), [1_000_000]);
        assert_eq!(read("64KiB,1KB").unwrap(), [1000, 65536]);
        assert_eq!(read("1KB..100KB").unwrap(), [1000, 4000, 16000, 64000, 100_000]);
        assert_eq!(read("1KB..1MB/4").unwrap(), [1000, 10_000, 100_000, 1_000_000]);
        for bad in ["", "x", "0", "1KB..", "1KB..1KB", "2KB..1KB", "1KB..1MB/1", "1KB..1MB/x", "1KB..1MB/65"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
