//! A question refuses the options of another one of the same verb.

use super::{entries, folder, run};

/// No option is dropped without a word: what belongs to another question of the same verb is refused.
#[test]
fn options_of_another_question_are_refused() {
    let schedule = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
    let place = folder(&[("a.goal", schedule), ("l.csv", "node,label\n0,1\n1,1\n")]);
    for (line, option) in [
        ("simulate a.goal --on mesh:1x2 --load 0.1", "--load"),
        ("simulate a.goal --on mesh:1x2 --closed-loop", "--closed-loop"),
        ("simulate a.goal --on mesh:1x2 --begins b.csv", "--begins"),
        ("simulate --on mesh:4x4 --traffic uniform --load 0.1 --barriers b.csv", "--barriers"),
        ("simulate --on mesh:4x4 --traffic uniform --load 0.1,0.2", "meshwright sweep"),
        ("simulate --on mesh:4x4 --traffic uniform,transpose --load 0.1", "sweep compares several"),
        ("simulate --on mesh:4x4 --traffic uniform --load 0.1 --startup 5", "no --startup"),
        ("simulate --on mesh:4x4 --traffic uniform --load 0.1 --byte-time 2", "no --byte-time"),
        ("sweep --on mesh:4x4 --traffic uniform --flit 8", "no --flit"),
        ("groups --on mesh:4x4 --levels 1 --overhead 4", "--overhead"),
        ("groups --on mesh:4x4 --labels l.csv --structure auto", "--structure"),
        ("groups --on mesh:4x4 --collective broadcast --buffers 2", "--buffers"),
        ("simulate a.goal --on mesh:1x2 --packet 2", "--packet"),
        ("simulate a.goal --on mesh:1x2 --threads 2", "--threads"),
        ("groups --on mesh:4x4 --collective broadcast --png", "--png"),
        ("split --on mesh:4x4 --random-sources 2 --repeat 2 --sigma 0.1 --places 3", "--places"),
        ("split --on mesh:4x4 --random-sources 2 --repeat 2 --sigma 0.1 --png", "--out"),
        ("split --on mesh:4x4 --source 0,0 --sigma 0.1 --queues --places 3", "--places"),
        ("split --on mesh:4x4 --source 0,0 --sigma 0.1 --show matrix --png", "--png"),
        ("race barrier --on mesh:4x4 --combine-time 1", "--combine-time"),
    ] {
        let (code, text, error) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && text.is_empty() && error.contains(option), "{line}: {code} {error}");
    }
}

/// Whatever is asked in place of a division refuses the options that it does not look at.
#[test]
fn other_questions_refuse_what_they_do_not_look_at() {
    let place = folder(&[("p.csv", "piece,size\na,1\nb,2\n")]);
    let questions = [
        "--dynamic fixed",
        "--queues",
        "--place 2",
        "--pieces p.csv",
        "--show matrix",
        "--random-sources 2 --repeat 2",
    ];
    let options = [
        "--arrivals once",
        "--drift halve",
        "--grains 3",
        "--memory 0.1",
        "--results-at 1",
        "--result-size 0.5",
        "--ports 2",
        "--no-front-end",
        "--duplex half",
        "--places 3",
        "--png",
        "--ties both",
        "--finish 0.1",
        "--save-at-least 0.2",
    ];
    let looked_at = |question: &str, option: &str| {
        let is_changing = ["--arrivals", "--drift", "--grains"].iter().any(|name| option.starts_with(name));
        let is_of_machine = ["--memory", "--result", "--ports", "--no-front-end", "--duplex"]
            .iter()
            .any(|name| option.starts_with(name));
        (question.starts_with("--dynamic") && is_changing)
            || (question.starts_with("--pieces") && is_of_machine)
            || (question.starts_with("--random") && option.starts_with("--ties"))
    };
    for question in questions {
        let source = if question.starts_with("--random") { "" } else { " --source 0" };
        for option in options.iter().filter(|option| !looked_at(question, option)) {
            let line = format!("split --on mesh:2x2{source} --sigma 0.1 {question} {option}");
            let (code, text, error) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
            assert!(code == 2 && text.is_empty(), "{line}: {code} {text} {error}");
        }
    }
    assert_eq!(entries(place.path()), ["p.csv"]);
}
