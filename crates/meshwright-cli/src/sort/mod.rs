//! `meshwright sort` and `meshwright-mpi sort`: merge sort of a file on ranks.
//!
//! | file | what |
//! |---|---|
//! | this one | the options; the way of the numbers through the ranks |
//! | `numbers` | files of numbers: read, checked, written |
//! | `answer` | the answer as a table and as JSON |

pub(super) mod answer;
mod numbers;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use meshwright_core::output::Writing;
use meshwright_core::units::Bytes;
use meshwright_core::{Error, budget};
use meshwright_demos::applications::MergeSort;
use meshwright_mapping::divide::{PRESETS, Preset};
use meshwright_runtime::skeleton::{DivideAndConquer, from_host, on_threads};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Topic, threads};
use meshwright_verdict::Ranked;

use super::costs::Broken;
use super::csv::CsvFile;
use super::files::Force;
use super::output::{self, Progress};
use super::{Answer, Failure, costs, ranks_as_threads};
use answer::{Executor, SortAnswer};
use numbers::{Checksum, Number};

/// Rank 0 has done what it was to do, or could not; a number that all ranks must know.
const AGREED: u32 = Topic::Sort.tag(0);
const NUMBER: u32 = Topic::Sort.tag(1);

/// So many parts for each thread, so that there is something to steal; and the least worth stealing, in numbers.
const PARTS: usize = 4;
const LEAST: usize = 1 << 12;

const HELP: &str = "\
Examples:
  meshwright sort numbers.bin --out sorted.bin
  meshwright sort numbers.bin --out sorted.bin --ranks 16 --on torus:4x4 --compare
  mpirun -n 16 meshwright-mpi sort numbers.bin --out sorted.bin
  mpirun -n 16 meshwright-mpi sort numbers.bin --out sorted.bin --placement growing --signed

Rank 0 reads IN and writes OUT. It hands the numbers to the root of the tree, which keeps half
and sends half; so does every rank. Each sorts its last part with the standard library.
Sorted halves are merged on the way back.

Exit codes:
  0  done
  2  unacceptable input; nothing is written
  3  a rank was lost; nothing is written";

/// Sort a file of 32-bit integers by merge sort on ranks: keep half, send half
///
/// IN holds raw little-endian 32-bit integers, unsigned unless --signed says otherwise; so will OUT. Prints what was sent in
/// each phase beside what the planner sees.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct SortArguments {
    /// The numbers: 4 bytes each, little-endian
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write them into in increasing order, no folder as in other verbs; it may be IN, with --force
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
    /// The machine, with as many living nodes as there are ranks: rank r is its r-th node [default: the mesh nearest to a square]
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,
    #[command(flatten)]
    broken: Broken,
    /// Where the tasks of the tree go: one placement of `meshwright map` by its name; auto, the winner; launched, rank r is task r
    /// [default: centred-halving on boxes, else bisection]
    #[arg(long, value_name = "NAME")]
    placement: Option<String>,
    /// The seed of --placement random, recursive-bisection or auto: a whole number [default: 0]
    #[arg(long, value_name = "N", requires = "placement", allow_negative_numbers = true, value_parser = costs::seed)]
    seed: Option<u64>,
    /// The integers have a sign: -1 comes before 0
    #[arg(long)]
    signed: bool,
    /// Sort once more on one thread (the standard library alone) and once more on all threads of rank 0, and compare results and
    /// times; `mpirun --bind-to none` lets rank 0 have more than one
    #[arg(long)]
    compare: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    csv: CsvFile,
}

/// Sort a file of 32-bit integers by merge sort on threads: keep half, send half
///
/// IN holds raw little-endian 32-bit integers, unsigned unless --signed says otherwise; so will OUT. Each rank is a thread of
/// this process; `meshwright-mpi sort` does the same on processes.
#[derive(Args)]
pub(super) struct SortCommand {
    #[command(flatten)]
    sort: SortArguments,
    /// How many ranks: 1 to 1024 [default: the nodes of the machine, else as many as the
    /// processor has threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    ranks: Option<u32>,
}

/// Runs the verb on ranks that are threads.
pub(super) fn run(arguments: &SortCommand) -> Result<Answer, Failure> {
    let processors = || std::thread::available_parallelism().map_or(1, |count| count.get().min(1024) as u32);
    let on = arguments.sort.broken.on(arguments.sort.on.as_deref())?;
    let ranks = arguments
        .ranks
        .map_or_else(|| ranks_as_threads(on, |machine| machine.living_count(), processors), Ok)?;
    let ended = threads::run(ranks, |endpoint| Ok(run_on(&arguments.sort, endpoint)))?;
    ended.into_iter().next().expect("there is a rank 0")
}

/// Runs the verb on one rank; every rank calls it, and rank 0 prints.
///
/// # Errors
///
/// [`Failure::Input`] on rank 0 and [`Failure::Told`] on the others when the file, the machine or the placement is not
/// acceptable, [`Failure::Lost`] when a rank is lost; then nothing is written.
pub fn run_on(arguments: &SortArguments, endpoint: impl Endpoint) -> Result<Answer, Failure> {
    let mut mail = Mailbox::new(endpoint);
    match arguments.signed {
        true => sort::<i32, _>(arguments, &mut mail),
        false => sort::<u32, _>(arguments, &mut mail),
    }
}

/// Ranks agree on what rank 0 found, and then sort.
fn sort<T: Number, E: Endpoint>(arguments: &SortArguments, mail: &mut Mailbox<E>) -> Result<Answer, Failure> {
    let SortArguments { input, out, .. } = arguments;
    let ranks = mail.ranks();
    let bytes = agree(mail, || {
        arguments.csv.check()?;
        let bytes = numbers::check(input, out, arguments.force.force)?;
        // The list; half of it on its way to another rank, and half of it there; the list again, and a copy to sort.
        let copies = 1 + u64::from(ranks > 1) + 2 * u64::from(arguments.compare);
        budget::check("the sorting of the file", bytes.saturating_mul(copies)).map(|()| bytes)
    })?;
    let bytes = to_all(mail, bytes)?;
    let ranked = ranked(arguments, Bytes(bytes), mail.ranks())?;
    let mut progress = (mail.rank() == 0).then(Progress::new);
    let mut tell = |what: &str| progress.iter_mut().for_each(|progress| progress.tell(what));
    tell("reading");
    let read = agree(mail, || {
        let list: Vec<T> = numbers::read(input, bytes)?;
        let again = arguments.compare.then(|| list.clone());
        Ok((Checksum::of(&list), again, list))
    })?;
    let (before, again, list) = match read {
        Some((before, again, list)) => (before, again, Some(list)),
        None => (Checksum::default(), None, None),
    };
    tell("sorting on ranks");
    let Some(run) = from_host(&MergeSort::<T>::new(LEAST), &ranked.tree, mail, list)? else {
        return Ok(Answer::Done);
    };
    let sorted = run.solution.as_ref().expect("the host had a problem");
    tell("checking");
    let checked = mail.compute(|| sorted.is_sorted() && Checksum::of(sorted) == before)?;
    assert!(checked, "what comes back is in order, and as many numbers of equal sums as before");
    let mut answer = SortAnswer::new(arguments, &ranked, &run, sorted.len());
    if let Some(list) = again {
        tell("sorting on threads");
        answer.executors = mail.compute(|| compared(list, sorted))?;
    }
    tell("writing");
    let written = mail.compute(|| {
        let mut writing = Writing::new(arguments.force.force);
        let said = arguments.csv.add(&mut writing, || answer.csv())?;
        numbers::add(&mut writing, out, sorted)?;
        writing.finish().map(|()| said)
    })??;
    drop(progress);
    let words = || answer.text() + &written;
    output::say(arguments.json.then(|| output::json(&answer)), || answer.line(), words)?;
    Ok(Answer::Done)
}

/// The tree over ranks.
fn ranked(arguments: &SortArguments, volume: Bytes, ranks: u32) -> Result<Ranked, Error> {
    let preset: &Preset =
        PRESETS.iter().find(|preset| preset.name == "merge-sort").expect("the table has merge sort");
    let machine = arguments.broken.on(arguments.on.as_deref())?;
    // An empty file sends nothing; the planner wants a byte at least.
    let volume = Bytes(volume.0.max(1));
    Ranked::new(preset, volume, machine, arguments.placement.as_deref(), (ranks, arguments.seed.unwrap_or(0)))
}

/// The same on one thread and on all threads, and how long that took.
fn compared<T: Number>(list: Vec<T>, sorted: &[T]) -> Vec<Executor> {
    let copy = list.clone();
    let timed = |name: String, sort: &dyn Fn(Vec<T>) -> Vec<T>, list: Vec<T>| {
        let begin = Instant::now();
        let result = sort(list);
        let seconds = begin.elapsed().as_secs_f64();
        assert!(result == sorted, "all executors come to one solution");
        Executor { name, seconds }
    };
    let threads = rayon::current_num_threads();
    let sort = MergeSort::new(sorted.len().div_ceil(threads * PARTS).max(LEAST));
    vec![
        timed("1 thread".to_string(), &|list| sort.solve_alone(list), copy),
        timed(format!("{threads} threads"), &|list| on_threads(&sort, list), list),
    ]
}

/// Rank 0 does something that may be refused; then all ranks give up.
fn agree<T: Send, E: Endpoint>(
    mail: &mut Mailbox<E>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<Option<T>, Failure> {
    if mail.rank() != 0 {
        return match mail.receive(0, AGREED)? {
            true => Ok(None),
            false => Err(Failure::Told),
        };
    }
    let done = mail.compute(work)?;
    mail.send_to_others(AGREED, &done.is_ok())?;
    Ok(Some(done?))
}

/// Rank 0 tells all ranks a number.
fn to_all<E: Endpoint>(mail: &mut Mailbox<E>, number: Option<u64>) -> Result<u64, Lost> {
    let Some(number) = number else { return mail.receive(0, NUMBER) };
    mail.send_to_others(NUMBER, &number)?;
    Ok(number)
}
