//! Printing, files and progress.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use meshwright::{Error, Result};

/// Prints to stdout; a reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// One JSON object and a line end.
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("reports have string keys and serialisable values");
    text + "\n"
}

/// A line on stderr that says what is being done, from the second second on and only to a terminal.
pub struct Progress {
    bar: ProgressBar,
    /// Shows the bar after a second, unless its channel is closed before.
    clock: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// Starts to count the time.
    pub fn new() -> Self {
        Self::with("{spinner} {elapsed} {msg}", None)
    }

    /// Starts to count the time and so many steps.
    pub fn with_steps(steps: u64) -> Self {
        Self::with("{spinner} {elapsed} {bar:30} {pos}/{len} {msg}", Some(steps))
    }

    fn with(template: &str, steps: Option<u64>) -> Self {
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        let bar = ProgressBar::hidden().with_style(style);
        if let Some(steps) = steps {
            bar.set_length(steps);
        }
        let clock = std::io::stderr().is_terminal().then(|| {
            let (sender, receiver) = channel();
            let bar = bar.clone();
            let show = move || {
                if receiver.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(200));
                }
            };
            (sender, std::thread::spawn(show))
        });
        Self { bar, clock }
    }

    /// Tells what is being done now.
    pub fn tell(&mut self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// One step is done; steps beyond the number said at first make the bar longer.
    pub fn step(&mut self, what: &str) {
        self.bar.inc(1);
        if self.bar.length().is_some_and(|length| length < self.bar.position()) {
            self.bar.inc_length(1);
        }
        self.tell(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.clock.take() {
            drop(sender);
            // Once the thread is gone, nobody draws on a line that has been cleared.
            thread.join().expect("the clock does not panic");
        }
        self.bar.finish_and_clear();
    }
}
