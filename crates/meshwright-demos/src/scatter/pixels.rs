//! Images as binary PGM (grey) and PPM (red, green, blue), 8 bits a value.

use std::path::Path;

use meshwright_core::budget;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{parse_error, printable};

/// An image, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// Values per pixel: 1 or 3.
    pub channels: u8,
    /// The value of white, 1 to 255.
    pub white: u8,
    /// `width * height * channels` values.
    pub pixels: Vec<u8>,
}

/// A header under the eye.
struct PixelHeader<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl PixelHeader<'_> {
    /// The next whole number, behind white space and comments.
    fn number(&mut self, what: &str, most: u32) -> Result<u32> {
        loop {
            match self.bytes.get(self.at) {
                Some(b'#') => {
                    let line = self.bytes[self.at..].iter().position(|&byte| byte == b'\n');
                    self.at = line.map_or(self.bytes.len(), |end| self.at + end);
                }
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let length =
            rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'#').unwrap_or(rest.len());
        let word = &rest[..length];
        let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(word).ok().filter(|_| is_number).and_then(|word| word.parse().ok());
        match number.filter(|number| (1..=most).contains(number)) {
            Some(number) => {
                self.at += length;
                Ok(number)
            }
            None => {
                let message = match word {
                    [] => format!("the file ends before the {what}"),
                    _ => format!("the {what} is `{}`", printable(word)),
                };
                Err(self.refused(length, message, format!("a whole number from 1 to {most}")))
            }
        }
    }

    fn refused(&self, length: usize, message: String, expected: String) -> Error {
        parse_error(self.file, self.bytes, self.at..self.at + length, message, expected).into()
    }
}

impl Image {
    /// The image in the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when this is no binary PGM or PPM of 8 bits with just one image.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_demos::scatter::pixels::Image;
    /// let image = Image::parse(b"P5 2 1\n# two greys\n255\n\x07\xff", "two.pgm")?;
    /// assert_eq!((image.width, image.height, image.pixels), (2, 1, vec![7, 255]));
    /// assert!(Image::parse(b"P5 2 2 255\n\x07\xff", "cut.pgm").is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn parse(bytes: &[u8], file: &str) -> Result<Self> {
        let mut header = PixelHeader { file, bytes, at: 0 };
        let channels = match bytes.get(..2) {
            Some(b"P5") => 1,
            Some(b"P6") => 3,
            _ => {
                let length = bytes.len().min(2);
                let message = match length {
                    0 => "the file is empty".to_string(),
                    _ => format!("the file begins with `{}`", printable(&bytes[..length])),
                };
                return Err(header.refused(
                    length,
                    message,
                    "P5 (binary PGM) or P6 (binary PPM)".to_string(),
                ));
            }
        };
        header.at = 2;
        // A row of bytes is counted in 32 bits.
        let width = header.number("width", u32::MAX / 3)?;
        let height = header.number("height", u32::MAX)?;
        let white = header.number("value of white", 255)? as u8;
        if !bytes.get(header.at).is_some_and(u8::is_ascii_whitespace) {
            let message = "the header does not end".to_string();
            return Err(header.refused(0, message, "one white space before the pixels".to_string()));
        }
        header.at += 1;
        let pixels = &bytes[header.at..];
        let size = u128::from(width) * u128::from(height) * u128::from(channels);
        if pixels.len() as u128 != size {
            let message = format!("{} bytes of pixels", pixels.len());
            return Err(header.refused(0, message, format!("{width} x {height} x {channels} = {size}")));
        }
        Ok(Self { width, height, channels, white, pixels: pixels.to_vec() })
    }

    /// The image in a file.
    ///
    /// # Errors
    ///
    /// As for [`Image::parse`], and [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        // The file, the pixels, and the parts of them that are sent.
        let bytes = budget::read(path, 3)?;
        Self::parse(&bytes, &path.to_string_lossy())
    }

    /// The bytes of a file with this image.
    pub fn bytes_of_file(&self) -> Vec<u8> {
        let kind = if self.channels == 1 { "P5" } else { "P6" };
        let mut bytes = format!("{kind}\n{} {}\n{}\n", self.width, self.height, self.white).into_bytes();
        bytes.extend_from_slice(&self.pixels);
        bytes
    }

    /// How many bytes a row has.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.width) * u64::from(self.channels)
    }
}
