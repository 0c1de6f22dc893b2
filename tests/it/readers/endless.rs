//! Files without end are refused after a bounded number of bytes, whatever they hold.

use std::cell::Cell;
use std::io::{self, Read};

use meshwright_core::Error;
use meshwright_mapping::task_file;

/// A file that begins like one and then repeats a pattern, up to 2 GB.
struct Endless<'a> {
    beginning: &'a [u8],
    pattern: &'a [u8],
    read: &'a Cell<u64>,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let at = self.read.get();
        if at >= 2 << 30 {
            return Ok(0);
        }
        for (i, slot) in buffer.iter_mut().enumerate() {
            let i = at as usize + i;
            let beyond = i.saturating_sub(self.beginning.len());
            *slot = *self.beginning.get(i).unwrap_or(&self.pattern[beyond % self.pattern.len()]);
        }
        self.read.set(at + buffer.len() as u64);
        Ok(buffer.len())
    }
}

fn bytes_until_refused(file: &str, beginning: &str, pattern: &[u8]) -> u64 {
    let read = Cell::new(0);
    let reader = Endless { beginning: beginning.as_bytes(), pattern, read: &read };
    let error = task_file::parse(reader, file).unwrap_err();
    let Error::Parse(error) = error else { panic!("{file}: {error}") };
    assert!(error.excerpt.len() <= 160, "{file}: {}", error.excerpt.len());
    read.get()
}

/// Every format with a valid beginning.
const BEGINNINGS: [(&str, &str); 5] = [
    ("a.csv", "phase,source,target,bytes\n1,0,1,5\n"),
    ("a.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 9\n1 2 3\n"),
    ("a.graph", "9 9\n2\n1\n"),
    ("a.grf", "0\n9 9\n0 000\n1 1\n"),
    ("a.goal", "num_ranks 2\nrank 0 {\nsend 5b to 1\n"),
];

#[test]
fn garbage_without_a_newline_is_refused_within_some_kilobytes() {
    let patterns: [&[u8]; 9] = [b"\0", b"x", b"\xff", b"\x80", b" ", b"\t\r ", b"%", b"7", b"//\x80"];
    for (file, beginning) in BEGINNINGS {
        for pattern in patterns {
            for beginning in ["", beginning] {
                let read = bytes_until_refused(file, beginning, pattern);
                assert!(read <= 64 << 10, "{file}, {pattern:?}: {read} bytes");
            }
        }
    }
}

#[test]
fn an_endless_block_comment_is_refused() {
    assert!(bytes_until_refused("a.goal", "/*", b"no end ") <= 64 << 10);
    assert!(bytes_until_refused("a.goal", "/*", b"\n") <= 2 << 20);
}

#[test]
fn endless_empty_lines_and_comments_are_refused() {
    for (file, beginning) in BEGINNINGS {
        for beginning in ["", beginning] {
            assert!(bytes_until_refused(file, beginning, b"\n") <= 2 << 20, "{file}");
            assert!(bytes_until_refused(file, beginning, b"% c\n") <= 8 << 20, "{file}");
        }
    }
}

#[test]
fn a_header_reserves_nothing() {
    // Sixteen million vertices and a hundred million edges are promised, and nothing follows.
    let limit = 64 << 10;
    for (file, beginning) in [
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n16777216 16777216 134217728\n"),
        ("a.graph", "16777216 67108864\n"),
        ("a.grf", "0\n16777216 134217728\n0 000\n"),
        ("a.goal", "num_ranks 16777216\n"),
    ] {
        assert!(bytes_until_refused(file, beginning, b"garbage ") <= limit, "{file}");
    }
}
