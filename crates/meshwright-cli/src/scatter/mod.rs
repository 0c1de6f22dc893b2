//! `meshwright scatter`, and what `meshwright-mpi scatter` shares with it.

mod arguments;
pub(super) mod csv;
mod text;

use std::path::Path;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use meshwright_core::output as disk;
use meshwright_core::output::Writing;
use meshwright_core::{Error, Result, budget};
use meshwright_demos::scatter;
use meshwright_demos::scatter::filter::{self, Filter};
use meshwright_demos::scatter::pixels::Image;
use meshwright_demos::scatter::whole::{Pieces, PiecesFacts};
use meshwright_demos::scatter::words::{self, CountWords, Text, WordCount};
use meshwright_demos::scatter::{Load, PieceWork, ScatterReport, ScatterSettings, Split, WorkedPart, split};
use meshwright_load::piece_file;
use meshwright_network::topology::Topology;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, threads};

use super::files;
use super::output::{self, Progress};
use super::{Answer, Failure, ranks_as_threads};

pub use arguments::ScatterArguments;
use arguments::{RunArguments, Splits, What};

/// What comes out of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "application")]
enum Product {
    Words(WordCount),
    Image {
        width: u32,
        height: u32,
        channels: u8,
        #[serde(skip)]
        image: Image,
    },
}

impl Product {
    fn of(image: Image) -> Self {
        Self::Image { width: image.width, height: image.height, channels: image.channels, image }
    }
}

/// The load at rank 0, and the ways to its results.
enum ScatterJob {
    Words(Text),
    Pieces(Pieces),
    Image(Image, Filter),
}

impl ScatterJob {
    fn load(&self) -> &dyn Load {
        match self {
            Self::Words(text) => text,
            Self::Pieces(pieces) => pieces,
            Self::Image(image, _) => image,
        }
    }

    fn pieces(&self) -> Option<PiecesFacts> {
        match self {
            Self::Pieces(pieces) => Some(pieces.facts()),
            _ => None,
        }
    }

    fn join(&self, parts: &[WorkedPart]) -> Product {
        match self {
            Self::Words(_) | Self::Pieces(_) => Product::Words(words::join(parts)),
            Self::Image(image, _) => Product::of(filter::join(image, parts)),
        }
    }

    /// All in one go.
    fn direct(&self) -> Product {
        match self {
            Self::Words(Text(text)) => Product::Words(words::count(text)),
            Self::Pieces(pieces) => Product::Words(words::count(&pieces.piece(0..pieces.bytes()))),
            Self::Image(image, filter) => Product::of(filter.apply(image)),
        }
    }
}

/// The comparison with one rank.
#[derive(Clone, Copy, Debug, Serialize)]
struct Verified {
    equal: bool,
    /// How long rank 0 took for all.
    alone_seconds: f64,
}

/// What is printed.
#[derive(Serialize)]
struct Findings<'a> {
    format: u32,
    file: String,
    bytes: u64,
    /// Pieces that are not cut, if there are any.
    pieces: Option<PiecesFacts>,
    ranks: u32,
    result: &'a Product,
    verified: Option<Verified>,
    #[serde(flatten)]
    report: &'a ScatterReport,
}

impl ScatterArguments {
    /// Whether lost ranks are to be forgiven.
    pub fn is_adaptive(&self) -> bool {
        self.run().adaptive
    }

    fn run(&self) -> &RunArguments {
        match &self.what {
            What::Words(words) => &words.run,
            What::Image(image) => &image.run,
        }
    }

    fn file(&self) -> &Path {
        match &self.what {
            What::Words(words) => &words.file,
            What::Image(image) => &image.file,
        }
    }

    /// What its folder is the answer to.
    fn named(&self) -> disk::NamedJob {
        let what = match &self.what {
            What::Words(_) => "words",
            What::Image(_) => "image",
        };
        disk::NamedJob::new("scatter", [format!("{what} {}", self.file().display())])
    }

    fn work(&self) -> &dyn PieceWork {
        match &self.what {
            What::Words(_) => &CountWords,
            What::Image(image) => &image.filter,
        }
    }

    fn job(&self) -> Result<ScatterJob> {
        self.run().csv.check()?;
        files::check(self.run().out.as_ref(), self.run().force, &self.named())?;
        Ok(match &self.what {
            What::Words(words) => {
                // The text, and the parts of it that are sent.
                let text = Text(budget::read(&words.file, 2)?);
                match &words.pieces {
                    Some(path) => ScatterJob::Pieces(Pieces::new(text, &piece_file::read(path)?)?),
                    None => ScatterJob::Words(text),
                }
            }
            What::Image(image) => {
                disk::check_place("--out-image", &image.out_image)?;
                ScatterJob::Image(Image::read(&image.file)?, image.filter)
            }
        })
    }

    fn settings(&self, ranks: u32, host: &str) -> Result<ScatterSettings> {
        let RunArguments { method: Splits(splits), on, broken, slow, tire, adaptive, calibrate, .. } =
            self.run();
        if let Some((rank, _)) = slow.iter().chain(tire).find(|(rank, _)| *rank >= ranks) {
            return Err(Error::value("slow rank", rank, format!("a rank from 0 to {}", ranks - 1)));
        }
        let machine = broken.on(on.as_deref())?;
        if let Some(on) = on.as_ref().filter(|_| !splits.contains(&Split::Thesis)) {
            return Err(Error::value(
                "--on",
                format!("`{on}`"),
                "--method thesis or all: the others measure the ranks",
            ));
        }
        if let Some(machine) = &machine {
            split::check(machine, ranks)?;
        }
        Ok(ScatterSettings {
            splits: splits.clone(),
            machine,
            calibration: *calibrate,
            slow: slow.clone(),
            tired: tire.clone(),
            adaptive: *adaptive,
            host: host.to_string(),
        })
    }
}

/// Runs the verb on one rank, which is called `host` in tables; rank 0 reads, writes and prints.
///
/// # Errors
///
/// [`Failure::Input`] on rank 0 for unacceptable input, of which the other ranks are told; [`Failure::Lost`] when a
/// rank is lost.
pub fn run_on(arguments: &ScatterArguments, endpoint: impl Endpoint, host: &str) -> Result<Answer, Failure> {
    let mut mail = Mailbox::new(endpoint);
    let (rank, ranks) = (mail.rank(), mail.ranks());
    if rank > 0 {
        let RunArguments { slow, tire, adaptive, .. } = arguments.run();
        let played =
            ScatterSettings { slow: slow.clone(), tired: tire.clone(), ..ScatterSettings::default() };
        let pace = played.pace(rank);
        match adaptive {
            true => scatter::serve_on(&mut mail, arguments.work(), host, pace)?,
            false => scatter::serve_paced(&mut mail, arguments.work(), host, pace)?,
        }
        return Ok(Answer::Done);
    }
    let prepare = || arguments.settings(ranks, host).and_then(|settings| Ok((settings, arguments.job()?)));
    let (settings, job) = match mail.compute(prepare)? {
        Ok(prepared) => prepared,
        Err(error) => {
            scatter::dismiss(&mut mail)?;
            return Err(error.into());
        }
    };
    let mut progress = Progress::new();
    progress.tell("measuring the ranks, then running each split");
    let report = scatter::conduct(&mut mail, job.load(), arguments.work(), &settings);
    if report.is_err() && settings.adaptive {
        // The others would go on waiting.
        _ = scatter::dismiss(&mut mail);
    }
    let report = report?;
    let product = mail.compute(|| {
        let mut products = report.outcomes.iter().map(|outcome| job.join(&outcome.parts));
        let product = products.next().expect("there is a split");
        assert!(products.all(|other| other == product), "the result depends on the split");
        product
    })?;
    let verified = match arguments.run().verify {
        true => {
            progress.tell("all on rank 0");
            let begin = Instant::now();
            let direct = mail.compute(|| job.direct())?;
            Some(Verified { equal: direct == product, alone_seconds: begin.elapsed().as_secs_f64() })
        }
        false => None,
    };
    drop(progress);
    let findings = Findings {
        format: 1,
        file: arguments.file().display().to_string(),
        bytes: job.load().bytes(),
        pieces: job.pieces(),
        ranks,
        result: &product,
        verified,
        report: &report,
    };
    mail.compute(|| finish(arguments, &findings))?
}

/// Writes what is asked for and prints the answer.
fn finish(arguments: &ScatterArguments, findings: &Findings<'_>) -> Result<Answer, Failure> {
    let run = arguments.run();
    let mut writing = Writing::new(run.force.force);
    if let (What::Image(arguments), Product::Image { image, .. }) = (&arguments.what, findings.result) {
        writing.file(&arguments.out_image, &image.bytes_of_file())?;
    }
    let mut written = String::new();
    if let Some(folder) = &run.out {
        let mut all = meshwright_demos::drawings::scatter_files(findings.report);
        all.push(files::file("scatter.json", "the same for scripts", output::json(findings)));
        written = files::add(&mut writing, folder, &arguments.named(), all)?;
    }
    written += &run.csv.add(&mut writing, || csv::shares(findings.report))?;
    writing.finish()?;
    output::say(
        run.json.then(|| output::json(findings)),
        || text::line(findings),
        || text::text(findings) + &written,
    )?;
    let adapted = findings.report.outcomes.iter().filter_map(|outcome| outcome.corrections.as_ref());
    if let Some(&rank) = adapted.flat_map(|corrections| &corrections.lost).next() {
        let why = "its pieces were done again by others; the result is whole".to_string();
        return Err(Failure::Lost(Lost { rank, why }));
    }
    let is_wrong = findings.verified.is_some_and(|verified| !verified.equal);
    Ok(if is_wrong { Answer::Negative } else { Answer::Done })
}

/// Divide a file over threads by what is measured of them, beside the prediction
#[derive(Args)]
pub(super) struct OnThreads {
    /// How many ranks there are, each a thread [default: the nodes of the machine, else 4]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    ranks: Option<u32>,
    #[command(flatten)]
    arguments: ScatterArguments,
}

/// Runs the verb on threads.
pub(super) fn run(on_threads: &OnThreads) -> Result<Answer, Failure> {
    let run = on_threads.arguments.run();
    let on = run.broken.on(run.on.as_deref())?;
    // A dead node is a rank without a share.
    let ranks = on_threads.ranks.map_or_else(|| ranks_as_threads(on, Topology::nodes, || 4), Ok)?;
    let answers = threads::run(ranks, |endpoint| Ok(run_on(&on_threads.arguments, endpoint, "thread")))?;
    // Rank 0 comes first; the others end well unless somebody is lost.
    let mut answers = answers.into_iter();
    let first = answers.next().expect("there is a rank 0")?;
    answers.try_for_each(|answer| answer.map(|_| ()))?;
    Ok(first)
}
