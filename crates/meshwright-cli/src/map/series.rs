//! Placements under each of several start-ups, all of them in one table and one picture.

use meshwright_core::output as disk;
use meshwright_core::units::Cycles;
use meshwright_core::words::counted;
use meshwright_core::{Error, Result};
use meshwright_formats::json::SeriesForm;
use meshwright_network::topology::Machine;
use meshwright_report::{File, NamedCurve, SeriesPage, SeriesTable};
use meshwright_verdict::map::MapReport;

use super::csv;
use super::one::{Wanted, ends};
use super::text::{HEAD, line, rows};
use crate::output::{self, Progress};
use crate::{Answer, files, table};

/// The answer for one start-up.
pub(super) struct Member {
    pub(super) startup: Cycles,
    pub(super) machine: Machine,
    pub(super) report: MapReport,
}

/// Answers for each start-up.
pub(super) fn run(
    wanted: &Wanted<'_>,
    machine: &Machine,
    startups: &[Cycles],
    named: &disk::NamedJob,
) -> Result<Answer> {
    let arguments = wanted.arguments;
    arguments.emit.refuse_beside("several values of --startup: a file has one placement")?;
    if arguments.explain {
        return Err(Error::value("explain", "given", "one value of --startup beside it"));
    }
    let mut progress = Progress::with_steps(startups.len() as u64);
    let mut members = Vec::new();
    for &startup in startups {
        let machine = machine.clone().with_startup(startup)?;
        let mut job = wanted.job(&machine)?;
        let report = wanted.report(&mut job, &machine, false, &mut progress)?;
        progress.step(&format!("startup {}", startup.0));
        members.push(Member { startup, machine, report });
    }
    drop(progress);
    let form = |member: &'_ Member| vec![("startup".to_string(), member.startup.0.into())];
    let forms = members.iter().map(|member| (form(member), &member.report)).collect();
    let json = output::json(&SeriesForm::new(machine.name(), forms));
    let of_folder = || {
        let mut all = arguments.png.with(of_folder(&members));
        all.push(files::file("map.json", "the answers for scripts", json.clone()));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let table = || csv::several(&members);
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &table))?;
    let one =
        |member: &Member| format!("startup {}: {}", member.startup.0, line(&member.report, &member.machine));
    output::say(
        arguments.json.then_some(json),
        || members.iter().map(one).collect::<Vec<_>>().join("\n"),
        || text(&members) + &written,
    )?;
    let is_done = arguments.formulas || members.iter().any(|member| ends(&member.report, &member.machine));
    Ok(if is_done { Answer::Done } else { Answer::Negative })
}

fn text(members: &[Member]) -> String {
    let Member { report, machine, .. } = &members[0];
    let mut text = format!("{} on {} · seed {}\n", report.tasks, report.machine, report.seed);
    let own = [machine.switching()];
    for &switching in if report.switchings.is_empty() { &own[..] } else { &report.switchings } {
        text += &format!("\n{}; times in {}\n", switching.name(), table::unit(machine));
        let rows = members.iter().flat_map(|member| {
            let rows = rows(&member.report.placements, switching, &member.machine).into_iter();
            rows.map(|row| [vec![member.startup.0.to_string()], row].concat())
        });
        text += &table::table(&heads(), 2, rows.collect());
    }
    text + &table::left_out(members.iter().flat_map(|member| &member.report.skipped))
        + "* the least simulated time for this start-up\n"
}

fn heads() -> Vec<&'static str> {
    ["startup"].into_iter().chain(HEAD).collect()
}

/// The page and the picture: simulated time over start-up under the machine's own switching.
fn of_folder(members: &[Member]) -> Vec<File> {
    let Member { report, machine, .. } = &members[0];
    let own = machine.switching();
    let mut curves: Vec<NamedCurve> = vec![NamedCurve { name: "bound".to_string(), ..NamedCurve::default() }];
    for member in members {
        let x = member.startup.0 as f64;
        curves[0].points.push((x, member.report.bound_cycles as f64));
        curves[0]
            .tips
            .push(format!("startup {x}: no placement takes less than {} cycles", member.report.bound_cycles));
        for row in &member.report.placements {
            let Some(cycles) = *row.simulated_cycles.of(own) else { continue };
            let known = curves.iter().position(|curve| curve.name == row.name);
            let at = known.unwrap_or_else(|| {
                curves.push(NamedCurve { name: row.name.clone(), ..NamedCurve::default() });
                curves.len() - 1
            });
            curves[at].points.push((x, cycles as f64));
            curves[at].tips.push(format!("{}, startup {x}: {}", row.name, counted(cycles, "cycle")));
        }
    }
    let rows = members.iter().flat_map(|member| {
        let rows = rows(&member.report.placements, own, &member.machine).into_iter();
        rows.map(|row| [vec![member.startup.0.to_string()], row].concat())
    });
    let notes = members.iter();
    let notes = notes
        .map(|member| format!("startup {}: {}.", member.startup.0, line(&member.report, &member.machine)));
    let page = SeriesPage {
        title: &format!("{} on {}", report.tasks, report.machine),
        machine: machine.name(),
        facts: vec![
            ("Machine", machine.name().to_string()),
            ("Switching", own.name().to_string()),
            ("Byte time b", machine.costs().byte_time.to_string()),
            ("Seed", report.seed.to_string()),
        ],
        over: "Simulated time over start-up",
        headline: &format!("{} start-ups compared", members.len()),
        notes: notes.collect(),
        axes: ["start-up c, cycles", "simulated time, cycles"],
        most: None,
        is_doubling: false,
        maps: Vec::new(),
        curves,
        table: SeriesTable {
            words: 2,
            head: heads().iter().map(ToString::to_string).collect(),
            rows: rows.collect(),
        },
    };
    page.files("startup.svg")
}
