//! Starting ranks.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than any run here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program with so many ranks, which may be more than there are cores.
pub(crate) fn command(ranks: u32, arguments: &[&str]) -> Command {
    command_with(&[], ranks, arguments)
}

/// The same with options for `mpirun`.
pub(crate) fn command_with(options: &[&str], ranks: u32, arguments: &[&str]) -> Command {
    let mut command = started(options, ranks, Path::new(env!("CARGO_BIN_EXE_meshwright-mpi")));
    command.args(arguments);
    command
}

/// Another program on so many ranks.
pub(crate) fn started(options: &[&str], ranks: u32, program: &Path) -> Command {
    let mut command = Command::new("mpirun");
    command
        // Open MPI wants to be told twice that root may start it, as in a container.
        .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
        .args(options)
        .args(["--oversubscribe", "-n", &ranks.to_string()])
        .arg(program)
        .stdin(Stdio::null());
    command
}

/// What comes of a run in this folder.
///
/// # Panics
///
/// When it does not end.
pub(crate) fn run_in(folder: &Path, ranks: u32, arguments: &[&str]) -> Output {
    let mut command = command(ranks, arguments);
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().expect("mpirun is there"), PATIENCE)
}

/// What comes of a run.
pub(crate) fn run(ranks: u32, arguments: &[&str]) -> Output {
    run_in(Path::new("."), ranks, arguments)
}

/// Waits for the end, but not for ever.
pub(crate) fn ended(mut child: Child, patience: Duration) -> Output {
    let begin = Instant::now();
    let readers = (child.stdout.take().map(read), child.stderr.take().map(read));
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        if begin.elapsed() > patience {
            _ = child.kill();
            _ = child.wait();
            panic!("no end after {patience:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let [stdout, stderr] =
        [readers.0, readers.1].map(|reader| reader.map_or(Vec::new(), |r| r.join().expect("it only reads")));
    Output { status, stdout, stderr }
}

fn read(mut stream: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// What it printed, of a run that must have succeeded.
pub(crate) fn printed(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out
}
