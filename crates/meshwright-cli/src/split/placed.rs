//! `split --place`: places for several sources together, and the cost of getting the load there.

use meshwright_core::Result;
use meshwright_core::words::counted;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{self, Job, PlacedAnswer};

use crate::{Answer, output, table};

/// Finds the places and tells them.
pub(super) fn answer(machine: &Machine, job: &Job, count: u32, json: bool) -> Result<Answer> {
    let answer = load::placed(job, machine, count)?;
    output::say(json.then(|| output::json(&answer)), || line(&answer, machine), || text(&answer, machine))?;
    Ok(Answer::Done)
}

fn line(answer: &PlacedAnswer, machine: &Machine) -> String {
    let names: Vec<String> = answer.placed.iter().map(|row| machine.node_name(row.node)).collect();
    format!("{}: speedup {}", names.join(" "), table::number(answer.speedup, 4))
}

fn text(answer: &PlacedAnswer, machine: &Machine) -> String {
    let PlacedAnswer { sigma, makespan, makespan_before, bound, trials, moving, .. } = answer;
    let number = |value: &f64| table::number(*value, 6);
    let mut text = format!("{} · sigma {sigma}\n", answer.machine);
    text += &format!("{}: {}\n", counted(answer.placed.len() as u64, "place"), line(answer, machine));
    text += &format!(
        "makespan {} from there, {} from where the load enters: {} times as fast once it is there\n",
        number(makespan),
        number(makespan_before),
        table::number(makespan_before / makespan, 4)
    );
    let proof = if answer.proved {
        "No other places are better: proved".to_string()
    } else {
        format!("No places are below {}; better ones were not found", number(bound))
    };
    text += &format!("{proof} ({} tried)\n", counted(*trials as u64, "set"));
    if moving.distance == 0.0 {
        return text + "The load is there already.\n";
    }
    // The cheapest way and the fastest one are two plans. To move all and then begin is a schedule, too: the optimum is no slower.
    text + &format!(
        "Moving the load there first costs {} at least (earth mover's distance: loads times hops) and takes {} at least \
         ({} over the busiest link); together {}, never sooner than from where it is\n",
        number(&moving.distance),
        number(&moving.time),
        number(&moving.busiest_link),
        number(&(moving.time + makespan))
    )
}
