//! NumPy's `.npy`: a magic word, a header that is a dictionary of Python, and the numbers one after the other.
//!
//! The numbers are read row by row: a matrix of zeros takes no memory.

use std::io::{ErrorKind, Read};

use super::named::{BYTES_EXPECTED, bytes};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ENTRIES_MAX, parse_error, printable};
use meshwright_mapping::TaskGraph;
use meshwright_mapping::task_graph::Edge;
use meshwright_network::topology::NODES_MAX;

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy itself refuses longer headers of files that it does not trust at 10,000 bytes.
const HEADER_MAX: usize = 1 << 16;

const EXPECTED: &str = "a square matrix of numbers, as `numpy.save` writes it";

/// What the header says.
struct Header {
    kind: Kind,
    /// Of a number, in bytes.
    width: usize,
    big_endian: bool,
    by_column: bool,
    side: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// The bytes of a file and its name.
struct Source<'r> {
    reader: &'r mut dyn Read,
    file: &'r str,
}

/// Reads a file.
pub(super) fn read(reader: &mut dyn Read, file: &str) -> Result<TaskGraph> {
    let mut source = Source { reader, file };
    let header = source.header()?;
    let side = header.side as usize;
    let mut line = vec![0; side * header.width];
    let mut edges = Vec::new();
    for outer in 0..header.side {
        source.fill(&mut line, || format!("the file ends in row {outer} of {side}"))?;
        for (inner, number) in (0..).zip(line.chunks_exact(header.width)) {
            let (row, column) = if header.by_column { (inner, outer) } else { (outer, inner) };
            let value = header.number(number);
            let Some(bytes) = bytes(value) else {
                let message = format!("row {row}, column {column} is {value}");
                return Err(source.error(&[], message, BYTES_EXPECTED));
            };
            if bytes.0 > 0 && row != column {
                if edges.len() as u64 == ENTRIES_MAX {
                    let message = format!("there are more than {ENTRIES_MAX} messages");
                    return Err(source.error(&[], message, "fewer messages"));
                }
                edges.push((1, Edge { source: row, target: column, bytes }));
            }
        }
    }
    if source.reader.read(&mut [0]).map_err(|error| Error::io(file, error))? > 0 {
        return Err(source.error(&[], "there is more after the last row", "the end of the file"));
    }
    edges.sort_by_key(|(_, edge)| (edge.source, edge.target));
    TaskGraph::new("", header.side, edges)
}

impl Source<'_> {
    /// Fills a buffer; the message where the file ends before.
    fn fill(&mut self, buffer: &mut [u8], message: impl FnOnce() -> String) -> Result<()> {
        match self.reader.read_exact(buffer) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(self.error(&[], message(), EXPECTED))
            }
            Err(error) => Err(Error::io(self.file, error)),
        }
    }

    fn error(&self, shown: &[u8], message: impl Into<String>, expected: impl Into<String>) -> Error {
        parse_error(self.file, shown, 0..shown.len(), message, expected).into()
    }

    /// Magic word, version, length and dictionary.
    fn header(&mut self) -> Result<Header> {
        let mut start = [0; 8];
        self.fill(&mut start, || "the file has no header".to_string())?;
        if &start[..6] != MAGIC {
            return Err(self.error(&start[..6], "this is no .npy file", EXPECTED));
        }
        let end = || "the file ends in its header".to_string();
        let length = match start[6] {
            1 => {
                let mut length = [0; 2];
                self.fill(&mut length, end)?;
                usize::from(u16::from_le_bytes(length))
            }
            2 | 3 => {
                let mut length = [0; 4];
                self.fill(&mut length, end)?;
                u32::from_le_bytes(length) as usize
            }
            version => {
                let message = format!("this is version {version} of the format");
                return Err(self.error(&[], message, "version 1, 2 or 3"));
            }
        };
        if length > HEADER_MAX {
            let message = format!("the header has {length} bytes");
            return Err(self.error(&[], message, format!("at most {HEADER_MAX}")));
        }
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, end)?;
        let text = String::from_utf8_lossy(&bytes);
        self.described(text.trim_end(), &bytes)
    }

    /// What the dictionary says.
    fn described(&self, text: &str, bytes: &[u8]) -> Result<Header> {
        let missing = |what: &str| self.error(bytes, format!("the header has no {what}"), EXPECTED);
        let descr = value(text, "descr").ok_or_else(|| missing("`descr`"))?;
        let unfit = || {
            let message = format!("the numbers are {}", printable(&descr.as_bytes()[..descr.len().min(40)]));
            self.error(bytes, message, "integers of 1 to 8 bytes or floats of 4 or 8, such as '<f8' or '<i4'")
        };
        let quoted = descr.strip_prefix('\'').and_then(|word| word.split('\'').next()).ok_or_else(unfit)?;
        let (order, rest) = quoted.split_at_checked(1).ok_or_else(unfit)?;
        let (kind, width) = rest.split_at_checked(1).ok_or_else(unfit)?;
        let width: usize = width.parse().map_err(|_| unfit())?;
        let kind = match (kind, width) {
            ("i", 1 | 2 | 4 | 8) => Kind::Signed,
            ("u", 1 | 2 | 4 | 8) | ("b", 1) => Kind::Unsigned,
            ("f", 4 | 8) => Kind::Float,
            _ => return Err(unfit()),
        };
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            _ => return Err(unfit()),
        };
        let by_column = match value(text, "fortran_order").ok_or_else(|| missing("`fortran_order`"))? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return Err(missing("`fortran_order` that is True or False")),
        };
        let shape = value(text, "shape").ok_or_else(|| missing("`shape`"))?;
        let shape = shape.strip_prefix('(').and_then(|sides| sides.split(')').next());
        let shape = shape.ok_or_else(|| missing("`shape`"))?;
        let sides: Option<Vec<u64>> = shape
            .split(',')
            .map(str::trim)
            .filter(|side| !side.is_empty())
            .map(|side| side.parse().ok())
            .collect();
        match sides.as_deref() {
            Some(&[rows, columns]) if rows == columns && (1..=u64::from(NODES_MAX)).contains(&rows) => {
                Ok(Header { kind, width, big_endian, by_column, side: rows as u32 })
            }
            _ => {
                let message =
                    format!("the shape is ({})", printable(&shape.as_bytes()[..shape.len().min(60)]));
                Err(self.error(bytes, message, format!("(n, n) with n from 1 to {NODES_MAX}")))
            }
        }
    }
}

/// What stands behind a key of the dictionary.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let at = text.find(&format!("'{key}'"))?;
    text[at + key.len() + 2..].trim_start().strip_prefix(':').map(str::trim_start)
}

impl Header {
    /// A number of so many bytes; beyond 2^53 integers are rounded, and refused as bytes anyway.
    fn number(&self, bytes: &[u8]) -> f64 {
        let mut low = [0; 8];
        for (index, &byte) in bytes.iter().enumerate() {
            low[if self.big_endian { self.width - 1 - index } else { index }] = byte;
        }
        let whole = u64::from_le_bytes(low);
        match (self.kind, self.width) {
            (Kind::Unsigned, _) => whole as f64,
            (Kind::Signed, width) => {
                let unused = 64 - 8 * width as u32;
                ((whole << unused) as i64 >> unused) as f64
            }
            (Kind::Float, 4) => f64::from(f32::from_bits(whole as u32)),
            (Kind::Float, _) => f64::from_bits(whole),
        }
    }
}
