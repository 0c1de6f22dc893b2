//! The native half of the Python package `meshwright`: one function, which runs a verb of the program in this process.
//!
//! The work is done by a thread of its own without the lock of the interpreter. Meanwhile the calling thread looks for signals.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use meshwright_cli::Called;
use meshwright_core::interrupt;

/// How long a signal may go unheard.
const LOOK: Duration = Duration::from_millis(50);

/// How long stopped work is waited for; it ends by itself a little later.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the thread of a call has, as the main thread of the program.
const STACK: usize = 8 << 20;

/// Calls under way, and those whose work has been stopped and has not yet ended.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Held while a call begins or the last one ends.
static BEGINNING: Mutex<()> = Mutex::new(());

/// A call under way.
struct UnderWay;

impl UnderWay {
    /// Counts one more, if nothing is left of work that was stopped.
    fn begin() -> Option<Self> {
        let _held = BEGINNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if interrupt::is_stopped() {
            return None;
        }
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        Some(Self)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let _held = BEGINNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if UNDER_WAY.fetch_sub(1, Ordering::SeqCst) == 1 {
            interrupt::renew();
        }
    }
}

/// Runs a verb: the words of a command line and the bytes of files that it is to read; the exit code, what it prints on
/// standard output and what on standard error.
#[pyfunction]
fn call(py: Python<'_>, words: Vec<String>, files: Vec<(String, Vec<u8>)>) -> PyResult<(u8, String, String)> {
    let under_way = loop {
        match UnderWay::begin() {
            Some(begun) => break begun,
            None => py.detach(|| std::thread::sleep(LOOK)),
        }
        py.check_signals()?;
    };
    let (sender, receiver) = sync_channel(1);
    let work = move || {
        let called = meshwright_cli::call(&words, files);
        drop(under_way);
        // Nobody waits for the answer of work that was stopped.
        _ = sender.send(called);
    };
    let thread = std::thread::Builder::new().name("meshwright".to_string()).stack_size(STACK);
    thread.spawn(work).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let Called { code, stdout, stderr } = wait(py, receiver)?;
    let code = code.ok_or_else(|| PyKeyboardInterrupt::new_err(STOPPED))?;
    Ok((code, stdout, stderr))
}

/// Why a call ends that was not interrupted itself.
const STOPPED: &str = "another call was interrupted, which ends all";

/// Waits for the answer and for signals. The first interrupt ends what can end early with what it has found; otherwise, and
/// for the next one, the work is stopped and the exception of the signal is raised.
fn wait(py: Python<'_>, receiver: Receiver<Called>) -> PyResult<Called> {
    let receiver = Mutex::new(receiver);
    let within = |time| {
        let receiver = receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        receiver.recv_timeout(time)
    };
    loop {
        match py.detach(|| within(LOOK)) {
            Ok(called) => return Ok(called),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work has vanished"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let Err(raised) = py.check_signals() else { continue };
        if raised.is_instance_of::<PyKeyboardInterrupt>(py) && interrupt::request() {
            continue;
        }
        interrupt::stop();
        let begun = Instant::now();
        py.detach(|| within(PATIENCE.saturating_sub(begun.elapsed()))).ok();
        return Err(raised);
    }
}

/// The native half of the package `meshwright`.
#[pymodule]
fn _meshwright(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
