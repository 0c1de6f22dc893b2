//! Compiling programs and starting them, on played hosts.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Many ranks on few cores take their time.
const PATIENCE: Duration = Duration::from_secs(180);

/// Gives a rank a host of its own: those that remain when dealt round to so many.
const PLAYED: &str = "hosts=$1; shift\n\
                      exec unshare --uts sh -c 'hostname \"$0\"; exec \"$@\"' \
                      \"h$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % hosts))\" \"$@\"\n";

/// Plays ssh for Open MPI: `agent HOST COMMAND...`.
const AGENT: &str = "host=$1; shift\n\
                     exec unshare --uts sh -c \"hostname $host; exec sh -c \\\"\\$*\\\"\" _ \"$@\"\n";

/// An MPI that is installed here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mpi {
    OpenMpi,
    Mpich,
}

/// The library under test stands beside this test.
pub(crate) fn library() -> PathBuf {
    let here = std::env::current_exe().expect("this test");
    let file = here.parent().expect("a folder").join("libmeshwright_mpi.so");
    assert!(file.is_file(), "{} is there", file.display());
    file
}

impl Mpi {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenMpi => (".openmpi", "Open MPI"),
            Self::Mpich => (".mpich", "MPICH"),
        }
    }

    /// A program of this MPI: by its own name, else by the common one if that is its.
    fn program(self, name: &str) -> Option<String> {
        let (ending, word) = self.words();
        let says = |program: &str| {
            let told =
                ["--version", "--showme:version", "-v"].map(|flag| Command::new(program).arg(flag).output());
            let texts = told.into_iter().flatten().map(|output| [output.stdout, output.stderr].concat());
            texts.into_iter().any(|text| {
                let text = String::from_utf8_lossy(&text).to_lowercase();
                let hydra = self == Self::Mpich && text.contains("hydra");
                hydra || text.contains(&word.to_lowercase())
            })
        };
        let own = format!("{name}{ending}");
        [own, name.to_string()].into_iter().find(|program| says(program))
    }
}

/// The MPIs that can be tested here; says loudly what is missing.
pub(crate) fn installed(compiler: &str) -> Vec<Mpi> {
    let played = Command::new("unshare").args(["--uts", "hostname", "played"]).output();
    if !played.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "\n*** NOT TESTED: unshare --uts is not permitted here, so that no hosts can be played ***\n"
        );
        return Vec::new();
    }
    let is_there = |mpi: &Mpi| {
        let is_there = mpi.program(compiler).is_some() && mpi.program("mpirun").is_some();
        if !is_there {
            eprintln!("\n*** NOT TESTED: no {compiler} and mpirun of {} here ***\n", mpi.words().1);
        }
        is_there
    };
    [Mpi::OpenMpi, Mpi::Mpich].into_iter().filter(is_there).collect()
}

/// A program of `tests/programs`, compiled for an MPI.
pub(crate) struct Program {
    mpi: Mpi,
    pub(crate) folder: TempDir,
    file: PathBuf,
}

/// How a program is started.
pub(crate) struct Start<'a> {
    pub(crate) ranks: u32,
    /// How many hosts are played; ranks are dealt round.
    pub(crate) hosts: u32,
    pub(crate) words: &'a [&'a str],
    pub(crate) variables: &'a [(&'a str, &'a str)],
    /// Whether the library is loaded.
    pub(crate) with: bool,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The lines, sorted: some programs tell from several ranks.
    pub(crate) lines: Vec<String>,
    /// What the library said on standard error.
    pub(crate) said: Vec<String>,
    /// The log.
    pub(crate) log: Vec<String>,
}

impl Ended {
    /// The number behind these words, on the line that begins with them.
    pub(crate) fn number(&self, words: &str) -> u64 {
        let rest = self.lines.iter().find_map(|line| line.strip_prefix(words));
        let rest = rest.unwrap_or_else(|| panic!("no `{words}` in {self:?}"));
        rest.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    }

    /// All lines but the one that begins with these words.
    pub(crate) fn without(&self, words: &str) -> Vec<&String> {
        self.lines.iter().filter(|line| !line.starts_with(words)).collect()
    }
}

/// One job after the other: there are few cores.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Program {
    /// Compiles it.
    pub(crate) fn new(mpi: Mpi, compiler: &str, source: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        let compiler = mpi.program(compiler).expect("it was found");
        let made =
            Command::new(&compiler).args(["-O1", "-o"]).arg(&file).args(flags).arg(source).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(folder.path().join("played"), PLAYED).unwrap();
        Self { mpi, folder, file }
    }

    /// A program that is installed.
    pub(crate) fn installed(mpi: Mpi, file: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("played"), PLAYED).unwrap();
        Self { mpi, folder, file: file.into() }
    }

    fn mpirun(&self) -> Command {
        let mut command = Command::new(self.mpi.program("mpirun").expect("it was found"));
        // Open MPI wants to be told twice that root may start it, as in a container.
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        // However busy the machine is, plans end by themselves.
        command.env("MESHWRIGHT_TIME", "60").current_dir(self.folder.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it; the ranks are dealt round to hosts.
    pub(crate) fn run(&self, start: &Start<'_>) -> Ended {
        let mut command = self.mpirun();
        if self.mpi == Mpi::OpenMpi {
            command.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
        }
        command.args(["-n", &start.ranks.to_string(), "env"]);
        if start.with {
            command.arg(format!("LD_PRELOAD={}", library().display()));
        }
        command.args(["MESHWRIGHT_LOG=log", "sh", "played", &start.hosts.to_string()]);
        command.arg(&self.file).args(start.words).envs(start.variables.iter().copied());
        self.ended(&mut command)
    }

    /// Runs it on Open MPI with a daemon on each of so many played hosts; `mpirun` itself loads the library, too.
    pub(crate) fn run_on_daemons(&self, hosts: u32, start: &Start<'_>) -> Ended {
        let path = self.folder.path();
        std::fs::write(path.join("agent"), AGENT).unwrap();
        let slots = start.ranks / hosts;
        let file: String = (0..hosts).map(|host| format!("h{host} slots={slots}\n")).collect();
        std::fs::write(path.join("hosts"), file).unwrap();
        let mut command = self.mpirun();
        command
            .args(["--mca", "plm", "rsh", "--mca", "plm_rsh_agent", &format!("sh {}/agent", path.display())])
            .args([
                "--mca",
                "orte_tmpdir_base",
                &path.display().to_string(),
                "--mca",
                "mpi_yield_when_idle",
                "1",
            ])
            .args([
                "--hostfile",
                "hosts",
                "-n",
                &start.ranks.to_string(),
                "-x",
                "MESHWRIGHT_LOG=log",
                "-x",
                "MESHWRIGHT_TIME",
            ])
            .args(start.words.iter().take_while(|word| **word != "--"));
        if start.with {
            command.env("LD_PRELOAD", library()).args(["-x", "LD_PRELOAD"]);
        }
        command.arg(&self.file).envs(start.variables.iter().copied());
        self.ended(&mut command)
    }

    fn ended(&self, command: &mut Command) -> Ended {
        let _alone = alone();
        let log = self.folder.path().join("log");
        _ = std::fs::remove_file(&log);
        let output = ended(command.spawn().expect("mpirun is there"));
        let [out, err] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
        let mut lines: Vec<String> = out.lines().map(str::to_string).collect();
        lines.sort();
        let said = err.lines().filter(|line| line.starts_with("meshwright")).map(str::to_string).collect();
        let log = std::fs::read_to_string(log).unwrap_or_default().lines().map(str::to_string).collect();
        Ended { lines, said, log }
    }
}

/// Waits for the end, but not for ever.
fn ended(mut child: Child) -> Output {
    let begin = Instant::now();
    let readers = [
        child.stdout.take().map(|stream| reader(Box::new(stream))),
        child.stderr.take().map(|stream| reader(Box::new(stream))),
    ];
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            _ = child.kill();
            _ = child.wait();
            panic!("no end after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let [stdout, stderr] =
        readers.map(|reader| reader.map_or(Vec::new(), |r| r.join().expect("it only reads")));
    Output { status, stdout, stderr }
}

fn reader(mut stream: Box<dyn std::io::Read + Send>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = stream.read_to_end(&mut bytes);
        bytes
    })
}
