//! Filtering an image: pieces are rows, with two rows more on either side.

use std::ops::Range;

use super::pixels::Image;
use super::{Load, PieceWork, WorkedPart};

/// How many rows and columns around a pixel a filter looks at.
pub const RADIUS: u32 = 2;

/// What stands before the rows of a piece: width in bytes, channels, rows above, rows below, each as 32 bits.
const HEAD: usize = 16;

/// A filter of 5 x 5 pixels; beyond the border an image goes on as at the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Binomial weights 1 4 6 4 1 in both directions, over 256, rounded to the nearest.
    Gaussian,
    /// The value in the middle of the 25, channel by channel.
    Median,
}

/// Every filter with its name on the command line.
pub const FILTERS: &[(&str, Filter)] = &[("gaussian", Filter::Gaussian), ("median", Filter::Median)];

/// Rows with what surrounds them.
struct HaloRows<'r> {
    rows: &'r [u8],
    /// In bytes.
    width: usize,
    channels: usize,
    count: usize,
}

impl HaloRows<'_> {
    /// The bytes in the five columns around a byte, in a row; both may lie beyond the border.
    fn around(&self, row: isize, byte: usize) -> [u8; 5] {
        let row = row.clamp(0, self.count as isize - 1) as usize * self.width;
        let (pixel, channel) = (byte / self.channels, byte % self.channels);
        let last = self.width / self.channels - 1;
        std::array::from_fn(|k| {
            let column = (pixel + k).saturating_sub(RADIUS as usize).min(last);
            self.rows[row + column * self.channels + channel]
        })
    }

    fn gaussian(&self, row: usize, byte: usize) -> u8 {
        const WEIGHTS: [u32; 5] = [1, 4, 6, 4, 1];
        let weighed =
            |values: [u32; 5]| values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum::<u32>();
        let line = |k: usize| weighed(self.around((row + k) as isize - RADIUS as isize, byte).map(u32::from));
        ((weighed(std::array::from_fn(line)) + 128) / 256) as u8
    }

    fn median(&self, row: usize, byte: usize) -> u8 {
        let mut values = [0; 25];
        for (k, five) in values.chunks_exact_mut(5).enumerate() {
            five.copy_from_slice(&self.around((row + k) as isize - RADIUS as isize, byte));
        }
        *values.select_nth_unstable(12).1
    }
}

impl Filter {
    /// The whole image in one go.
    pub fn apply(self, image: &Image) -> Image {
        let width = image.row_bytes() as usize;
        let rows = HaloRows {
            rows: &image.pixels,
            width,
            channels: usize::from(image.channels),
            count: image.height as usize,
        };
        Image { pixels: self.rows(&rows, 0..rows.count), ..*image }
    }

    fn rows(self, rows: &HaloRows<'_>, wanted: Range<usize>) -> Vec<u8> {
        let mut out = Vec::with_capacity(wanted.len() * rows.width);
        for row in wanted {
            for byte in 0..rows.width {
                out.push(match self {
                    Self::Gaussian => rows.gaussian(row, byte),
                    Self::Median => rows.median(row, byte),
                });
            }
        }
        out
    }
}

impl PieceWork for Filter {
    fn work(&self, piece: &[u8]) -> Vec<u8> {
        let (head, rows) = piece.split_at(HEAD);
        let number = |at: usize| {
            let bytes = head[4 * at..4 * at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let (width, channels, above, below) = (number(0), number(1), number(2), number(3));
        let count = rows.len() / width;
        self.rows(&HaloRows { rows, width, channels, count }, above..count - below)
    }
}

/// The image that its parts make.
///
/// # Panics
///
/// When the results are not those of an image of this size.
pub fn join(image: &Image, parts: &[WorkedPart]) -> Image {
    let mut pixels = vec![0; image.pixels.len()];
    for part in parts {
        pixels[part.part.start as usize..part.part.end as usize].copy_from_slice(&part.results);
    }
    Image { pixels, ..*image }
}

impl Load for Image {
    fn bytes(&self) -> u64 {
        self.pixels.len() as u64
    }

    /// The nearest ends of rows.
    fn cuts(&self, wanted: &[u64]) -> Vec<u64> {
        let row = self.row_bytes();
        wanted.iter().map(|position| (position + row / 2) / row * row).collect()
    }

    fn piece(&self, part: Range<u64>) -> Vec<u8> {
        let (row, bytes) = (self.row_bytes(), self.bytes());
        let around = u64::from(RADIUS) * row;
        let (begin, end) = (part.start.saturating_sub(around), (part.end + around).min(bytes));
        let numbers = [row, u64::from(self.channels), (part.start - begin) / row, (end - part.end) / row];
        let mut piece = Vec::with_capacity(HEAD + (end - begin) as usize);
        piece.extend(numbers.iter().flat_map(|&number| (number as u32).to_le_bytes()));
        piece.extend_from_slice(&self.pixels[begin as usize..end as usize]);
        piece
    }

    fn beside(&self) -> u64 {
        HEAD as u64 + 2 * u64::from(RADIUS) * self.row_bytes()
    }

    fn sample(&self, near: u64, bytes: u64) -> Range<u64> {
        let row = self.row_bytes();
        let rows = (bytes / row).clamp(1, u64::from(self.height));
        let begin = (near / row).min(u64::from(self.height) - rows);
        begin * row..(begin + rows) * row
    }
}
