//! Where the bytes of a name come from: a file, standard input, or bytes handed over in the program.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Cursor, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};

/// The name of standard input, where a file is asked for.
pub const STANDARD_INPUT: &str = "-";

/// The longest standard input accepted, in bytes: it is kept in memory, since errors read it again.
pub const STANDARD_INPUT_MAX: u64 = 1 << 30;

/// An input that was opened.
#[derive(Debug)]
pub enum Input {
    /// A file, a device or a pipe of the system.
    File(File),
    /// Bytes in memory: standard input, or what [`provide`] was given.
    Bytes(Cursor<Arc<[u8]>>),
}

impl Input {
    /// How many bytes it has, as far as that is known: a pipe says 0.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub fn length(&self) -> std::io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Bytes(bytes) => Ok(bytes.get_ref().len() as u64),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

/// What is known of a name beside the file that it may be.
#[derive(Clone)]
struct Known {
    name: PathBuf,
    bytes: Option<Arc<[u8]>>,
    format: Option<String>,
}

thread_local! {
    /// Of equal names the last one counts.
    static KNOWN: RefCell<Vec<Arc<Known>>> = const { RefCell::new(Vec::new()) };
}

/// Standard input, once it was read.
static STANDARD: Mutex<Option<Arc<[u8]>>> = Mutex::new(None);

/// A name that means something else in this thread, until this value is dropped.
#[derive(Debug)]
#[must_use = "the name means what it did before as soon as this is dropped"]
pub struct Provided {
    known: *const Known,
    /// It belongs to its thread.
    here: PhantomData<*const ()>,
}

impl Drop for Provided {
    fn drop(&mut self) {
        KNOWN.with_borrow_mut(|known| known.retain(|one| Arc::as_ptr(one) != self.known));
    }
}

/// Has this thread read these bytes under a name, such as [`STANDARD_INPUT`], in place of a file.
///
/// # Examples
///
/// ```
/// use std::io::Read;
/// use meshwright_core::text::{STANDARD_INPUT, open, provide};
/// let provided = provide(STANDARD_INPUT, b"1 2 3".to_vec());
/// let mut text = String::new();
/// open(STANDARD_INPUT.as_ref())?.read_to_string(&mut text).expect("bytes in memory");
/// assert_eq!(text, "1 2 3");
/// drop(provided);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn provide(name: impl Into<PathBuf>, bytes: Vec<u8>) -> Provided {
    add(Known { name: name.into(), bytes: Some(bytes.into()), format: None })
}

/// Has this thread read the file of this name as one with another ending, such as `mtx`.
///
/// # Examples
///
/// ```
/// use meshwright_core::text::{ending, read_as};
/// let as_matrix = read_as("matrix.txt", "mtx");
/// assert_eq!(ending("matrix.txt".as_ref()), "mtx");
/// drop(as_matrix);
/// assert_eq!(ending("matrix.TXT".as_ref()), "txt");
/// ```
pub fn read_as(name: impl Into<PathBuf>, format: &str) -> Provided {
    add(Known { name: name.into(), bytes: None, format: Some(format.to_string()) })
}

fn add(known: Known) -> Provided {
    let known = Arc::new(known);
    let provided = Provided { known: Arc::as_ptr(&known), here: PhantomData };
    KNOWN.with_borrow_mut(|all| all.push(known));
    provided
}

/// What names mean in the thread that called [`provisions`], for another thread that works for it.
#[derive(Clone)]
pub struct Provisions(Vec<Arc<Known>>);

/// What names mean in this thread beside their files.
pub fn provisions() -> Provisions {
    Provisions(KNOWN.with_borrow(Clone::clone))
}

impl Provisions {
    /// Has the names mean the same in this thread, until the value is dropped.
    #[must_use = "the names mean what they did before as soon as this is dropped"]
    pub fn here(&self) -> Vec<Provided> {
        // The same name may stand here already, when this is the thread it comes from: each has a place of its own.
        let copy = |known: &Arc<Known>| add(Known::clone(known));
        self.0.iter().map(copy).collect()
    }
}

/// What the last of those with this name says, if one says something.
fn known<T>(path: &Path, of: impl Fn(&Known) -> Option<T>) -> Option<T> {
    KNOWN.with_borrow(|all| all.iter().rev().filter(|known| known.name == path).find_map(|known| of(known)))
}

/// The ending of a name in lower case, which tells the format of its file: what [`read_as`] says, else what stands behind
/// the last dot; empty if there is none.
pub fn ending(path: &Path) -> String {
    known(path, |known| known.format.clone()).unwrap_or_else(|| {
        path.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_ascii_lowercase())
    })
}

/// The bytes of a name that is no file: those provided for it, or standard input.
pub(super) fn in_memory(path: &Path) -> Result<Option<Input>> {
    let provided = known(path, |known| known.bytes.clone());
    let bytes = match provided {
        Some(bytes) => bytes,
        None if path == Path::new(STANDARD_INPUT) => standard(path)?,
        None => return Ok(None),
    };
    Ok(Some(Input::Bytes(Cursor::new(bytes))))
}

/// Standard input as a whole; it is read once.
fn standard(path: &Path) -> Result<Arc<[u8]>> {
    let mut read = STANDARD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(bytes) = &*read {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock();
    input.take(STANDARD_INPUT_MAX + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path, error))?;
    if bytes.len() as u64 > STANDARD_INPUT_MAX {
        let limit = format!("{} MiB; a file may be longer", STANDARD_INPUT_MAX >> 20);
        let needed = format!("more than {} MiB", STANDARD_INPUT_MAX >> 20);
        return Err(Error::TooLarge { what: "standard input", needed, limit });
    }
    let bytes: Arc<[u8]> = bytes.into();
    *read = Some(bytes.clone());
    Ok(bytes)
}

/// Whether the bytes of this name can be read once more.
#[expect(clippy::disallowed_methods, reason = "only a file can be read again")]
pub(super) fn is_repeatable(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
        || known(path, |known| known.bytes.clone()).is_some()
        || path.metadata().is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Syntax, Tokens, open, requote};

    #[test]
    fn the_last_of_a_name_counts_until_it_is_dropped() {
        let read = || {
            let mut text = String::new();
            open("a.txt".as_ref()).map(|mut input| input.read_to_string(&mut text)).ok();
            text
        };
        let first = provide("a.txt", b"first".to_vec());
        let second = provide("a.txt", b"second".to_vec());
        let format = read_as("a.txt", "mtx");
        assert_eq!((read().as_str(), ending("a.txt".as_ref()).as_str()), ("second", "mtx"));
        drop(first);
        assert_eq!(read(), "second");
        drop((second, format));
        assert_eq!((read().as_str(), ending("a.txt".as_ref()).as_str()), ("", "txt"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is about threads")]
    fn names_belong_to_a_thread_unless_it_hands_them_on() {
        let read = || open("a.txt".as_ref()).is_ok();
        let _here = provide("a.txt", b"here".to_vec());
        let provisions = provisions();
        let elsewhere = |with: bool| {
            let _provided = with.then(|| provisions.here());
            read()
        };
        let ask =
            |with| std::thread::scope(|scope| scope.spawn(|| elsewhere(with)).join().expect("it reads"));
        assert!(!ask(false) && ask(true) && read());
    }

    #[test]
    fn bytes_in_memory_are_quoted_in_errors() {
        let syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };
        let _provided = provide(STANDARD_INPUT, b"1,2\n3,x\n".to_vec());
        let path = Path::new(STANDARD_INPUT);
        let mut tokens = Tokens::open(path, syntax).expect("bytes in memory");
        tokens.next_anywhere().expect("a word");
        let later = tokens.error_at(crate::text::Place { line: 2, column: 3 }, "", "wrong", "a number");
        let error = requote(later, path, syntax).to_string();
        assert_eq!(error, "-:2:3: wrong; expected a number");
    }
}
