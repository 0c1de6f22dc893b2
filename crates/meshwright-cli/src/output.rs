//! Printing, files and progress.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use meshwright_core::text::{self, harmless, harmless_lines};
use meshwright_core::{Error, Result, interrupt};
use meshwright_network::topology::{Costs, Machine};

use super::{call, manner, table};

/// Prints to stdout, whatever text from outside stands in it; a reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> Result<()> {
    if call::keep_stdout(text) {
        return Ok(());
    }
    let text = table::painted(&harmless_lines(text));
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// Prints an answer: the JSON, if that is asked for; with `--quiet` one line; else everything.
pub fn say(json: Option<String>, line: impl FnOnce() -> String, text: impl FnOnce() -> String) -> Result<()> {
    print(&match json {
        Some(json) => json,
        None if manner::is_quiet() => line() + "\n",
        None => text(),
    })
}

/// With `--verbose` a line on stderr.
pub fn detail(what: &str) {
    if manner::is_verbose() {
        note(&harmless(what));
    }
}

/// A line on stderr.
pub(super) fn note(line: &str) {
    let line = format!("{line}\n");
    if !call::keep_stderr(&line) {
        _ = write!(anstream::stderr(), "{line}");
    }
}

/// The name of a file in a sentence.
pub fn shown(path: &Path) -> String {
    harmless(&path.display().to_string()).into_owned()
}

/// One JSON object and a line end.
pub fn json(value: &impl Serialize) -> String {
    text::json(value) + "\n"
}

/// What is being done, for whoever reads stderr where it is no terminal.
struct Pulse {
    what: String,
    /// Steps done, steps in all, and since when.
    steps: Option<(u64, u64, Instant)>,
}

static PULSE: Mutex<Pulse> = Mutex::new(Pulse { what: String::new(), steps: None });

/// How many seconds lie between two lines, in place of 10; 0: no lines.
const SECONDS: &str = "MESHWRIGHT_PROGRESS_SECONDS";

/// From now on, where stderr is no terminal, a line every ten seconds says there that the program is at work, at what, and
/// how long it will go on if that is known. Short runs say nothing.
pub fn pulse() {
    let seconds = std::env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    if seconds == 0 || manner::is_quiet() || std::io::stderr().is_terminal() {
        return;
    }
    let begin = Instant::now();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(seconds));
            let Ok(pulse) = PULSE.lock() else { return };
            let line = beat(&pulse, begin.elapsed());
            drop(pulse);
            _ = writeln!(anstream::stderr(), "{line}");
        }
    });
}

/// One line.
fn beat(pulse: &Pulse, elapsed: Duration) -> String {
    let mut line = format!("at work for {} s", elapsed.as_secs());
    if !pulse.what.is_empty() {
        line += &format!(": {}", harmless(&pulse.what));
    }
    if let Some((done, all, since)) = pulse.steps {
        line += &format!(", {done} of {all}");
        if done > 0 && done < all {
            let more = since.elapsed().as_secs_f64() / done as f64 * (all - done) as f64;
            line += &format!("; about {more:.0} s more");
        }
    }
    line
}

/// A line on stderr that says what is being done: to a terminal from the second second on, elsewhere see [`pulse`].
pub struct Progress {
    bar: ProgressBar,
    /// Shows the bar after a second, unless its channel is closed before.
    clock: Option<(Sender<()>, JoinHandle<()>)>,
    /// What was said last, but for its numbers, and when.
    last: Option<(String, Instant)>,
}

/// How long the same work is silent.
const MOMENT: Duration = Duration::from_secs(1);

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
        set_pulse(|pulse| {
            *pulse = Pulse { what: String::new(), steps: steps.map(|all| (0, all, Instant::now())) };
        });
        let is_shown = !manner::is_quiet() && !manner::is_verbose() && std::io::stderr().is_terminal();
        let clock = (is_shown && !call::is_called()).then(|| {
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
        Self { bar, clock, last: None }
    }

    /// Tells what is being done now.
    pub fn tell(&mut self, what: &str) {
        interrupt::stop_point();
        self.told(what);
        self.bar.set_message(harmless(what).into_owned());
        set_pulse(|pulse| what.clone_into(&mut pulse.what));
    }

    /// With `--verbose` says it on stderr, the same work once a second at most.
    fn told(&mut self, what: &str) {
        let work = what.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
        let is_news =
            self.last.as_ref().is_none_or(|(known, since)| known != work || since.elapsed() >= MOMENT);
        if manner::is_verbose() && is_news {
            detail(what);
            self.last = Some((work.to_string(), Instant::now()));
        }
    }

    /// One step is done; steps beyond the number said at first make the bar longer.
    pub fn step(&mut self, what: &str) {
        self.bar.inc(1);
        if self.bar.length().is_some_and(|length| length < self.bar.position()) {
            self.bar.inc_length(1);
        }
        let (done, all) = (self.bar.position(), self.bar.length());
        set_pulse(|pulse| pulse.steps = pulse.steps.zip(all).map(|((_, _, since), all)| (done, all, since)));
        self.tell(what);
    }
}

fn set_pulse(set: impl FnOnce(&mut Pulse)) {
    if let Ok(mut pulse) = PULSE.lock() {
        set(&mut pulse);
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
        set_pulse(|pulse| *pulse = Pulse { what: String::new(), steps: None });
    }
}

/// Says on stderr what of the file of a machine is not modelled, or left out.
pub(super) fn remarks(machine: &Machine) {
    for remark in machine.imported().map_or(&[][..], |imported| &imported.remarks) {
        note(&format!("note: {}", harmless(remark)));
    }
}

/// Says on stderr that packets of flits know nothing of the costs of messages that the file of a machine gives.
pub(super) fn remark_on_flits(machine: &Machine) {
    let costs = machine.costs();
    let is_a_flit_a_cycle = costs.head_ticks() == costs.ticks_per_cycle() && costs.startup_ticks() == 0;
    if *costs != Costs::default() && !is_a_flit_a_cycle {
        note(
            "note: start-up, byte time, flit, overhead and gap of the machine play no part here: a flit crosses a link in the \
             link_delay of the routers",
        );
    }
}

/// Whether the file of a machine gives costs of messages.
pub(super) fn has_costs(machine: &Machine) -> bool {
    *machine.costs() != Costs::default() || !machine.endpoints().is_free()
}

/// Says on stderr, once there is an answer, that loads in units of w Tcp know nothing of the costs of messages that the file of a machine gives.
pub(super) fn remark_on_units(has_costs: bool) {
    if has_costs {
        note(
            "note: start-up, byte time, flit, overhead and gap of the machine play no part here: --sigma and --message-startup are \
             what messages cost, and `plan` divides a [[load]] in cycles",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Pulse, beat};
    use std::time::{Duration, Instant};

    /// R12: what is being done, how far it is, and for how long it will go on.
    #[test]
    fn a_line_tells_how_far_the_work_is() {
        let mut pulse = Pulse { what: String::new(), steps: None };
        assert_eq!(beat(&pulse, Duration::from_secs(10)), "at work for 10 s");
        pulse.what = "a\u{1b}b".to_string();
        assert_eq!(beat(&pulse, Duration::from_secs(20)), "at work for 20 s: a\\u{1b}b");
        let Some(since) = Instant::now().checked_sub(Duration::from_secs(30)) else { return };
        pulse.steps = Some((0, 4, since));
        assert_eq!(beat(&pulse, Duration::from_secs(30)), "at work for 30 s: a\\u{1b}b, 0 of 4");
        pulse.steps = Some((3, 4, since));
        assert!(beat(&pulse, Duration::from_secs(30)).ends_with(", 3 of 4; about 10 s more"));
    }
}
