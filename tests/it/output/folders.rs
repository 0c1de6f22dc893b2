//! Nothing is overwritten or mixed in silence; what is written keeps what it should.

use std::fs;
use std::path::Path;

use super::{done, run, seen};

const MAP: &str = "map binomial:2 --on mesh:2x2 --placement reflecting";

/// It is refused with these words, and nothing has changed.
fn refused(folder: &Path, line: &str, words: &str) {
    let before = seen(folder);
    let (code, stderr) = run(folder, line);
    assert_eq!(code, Some(2), "{line}: {stderr}");
    assert!(stderr.contains(words) && stderr.matches("error").count() == 1, "{line}: {stderr}");
    assert!(stderr.contains("--force"), "{line}: {stderr}");
    assert_eq!(seen(folder), before, "{line}: nothing is written");
}

/// U4: a folder of another job is not mixed with this one; with `--force` its listed files go, and nothing else.
#[test]
fn a_folder_of_another_job_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    done(path, &format!("{MAP} --out o"));
    fs::write(path.join("o/notes.txt"), "mine").unwrap();
    let first = seen(path);
    done(path, &format!("{MAP} --out o"));
    assert_eq!(seen(path), first, "the same command in the same folder does the same");
    let split = "split mesh:4x4 --from 1,1 --sigma 0.1 --method flow-matrix --out o";
    refused(path, split, "`o` holds another job (`map binomial:2`); name another folder");
    done(path, &format!("{split} --force"));
    let (after, _) = seen(path);
    assert!(after.contains_key("o/notes.txt") && after.contains_key("o/split.json"), "{:?}", after.keys());
    assert!(!after.contains_key("o/map.json"), "the files of the other job are gone: {:?}", after.keys());
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("o")).unwrap();
    fs::create_dir(path.join("empty")).unwrap();
    fs::write(path.join("o/map.json"), "mine").unwrap();
    refused(path, &format!("{MAP} --out o"), "`o` holds files of somebody else (`map.json`)");
    done(path, &format!("{MAP} --out empty"));
    // A name that its list does not have is not ours, be it in a folder of ours.
    let text = fs::read_to_string(path.join("empty/meshwright.json")).unwrap();
    let shorter = text.replace("\"map.json\",", "");
    assert_ne!(text, shorter);
    fs::write(path.join("empty/meshwright.json"), shorter).unwrap();
    fs::write(path.join("empty/map.json"), "mine").unwrap();
    refused(path, &format!("{MAP} --out empty"), "`empty/map.json` holds something else");
    done(path, &format!("{MAP} --out empty --force"));
    done(path, &format!("{MAP} --out o --force"));
    // A list that leads elsewhere is no list.
    fs::write(path.join("victim"), "mine").unwrap();
    let evil = text.replace("\"map.json\"", "\"../victim\"");
    fs::write(path.join("o/meshwright.json"), evil).unwrap();
    refused(path, &format!("{MAP} --out o"), "`o` holds files of somebody else");
    done(path, &format!("{MAP} --out o --force"));
    assert_eq!(fs::read_to_string(path.join("victim")).unwrap(), "mine");
}

/// Every verb with `--out` refuses a folder of somebody else, and takes `--force`.
#[test]
fn every_verb_asks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("o")).unwrap();
    fs::write(path.join("o/mine"), "mine").unwrap();
    fs::write(
        path.join("s.toml"),
        "[machine]\ntopology = \"mesh:2x2\"\n[[divide]]\ntasks = \"binomial:2\"\n",
    )
    .unwrap();
    fs::write(path.join("words"), "a b a").unwrap();
    done(path, &format!("{MAP} --emit goal:a.goal"));
    for line in [
        MAP,
        "split mesh:2x2 --from 0,0 --sigma 0.1",
        "groups mesh:2x2 --random 1 --repeat 1",
        "race broadcast --bytes 64 --on mesh:2x2",
        "race broadcast --bytes 8,64 --on mesh:2x2",
        "plan s.toml",
        "simulate a.goal --on mesh:2x2",
        "simulate --on mesh:2x2 --traffic uniform --load 0.1 --measure 100",
        "sweep --on mesh:2x2 --traffic uniform --points 1 --measure 100",
        "run a.goal",
        "scatter words words --ranks 2 --calibrate 0.01",
        "claims zhang2018 --only Z22",
    ] {
        refused(path, &format!("{line} --out o"), "`o` holds ");
        done(path, &format!("{line} --out o --force"));
        done(path, &format!("{line} --out o"));
        assert_eq!(fs::read_to_string(path.join("o/mine")).unwrap(), "mine");
        fs::remove_file(path.join("o/meshwright.json")).unwrap();
    }
}

/// U4 and rule 4: single files of another content.
#[test]
fn single_files_of_another_content_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    done(path, &format!("{MAP} --emit rankfile:r"));
    done(path, &format!("{MAP} --emit rankfile:r"));
    let other = "map binomial:1 --on mesh:1x2 --placement row-major --emit rankfile:r";
    refused(path, other, "`r` holds something else");
    done(path, &format!("{other} --force"));
    // An empty file holds nothing.
    fs::write(path.join("e"), "").unwrap();
    done(path, &format!("{MAP} --emit rankfile:e"));
    let numbers: Vec<u8> = [3u32, 1, 2].iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(path.join("in"), &numbers).unwrap();
    fs::write(path.join("out"), "mine").unwrap();
    refused(path, "sort in --out out --ranks 1", "`out` holds something else");
    refused(path, "sort in --out in --ranks 1", "`in` holds the numbers that are read");
    refused(path, "sort in --out ./in --ranks 1", "`./in` holds the numbers that are read");
    done(path, "sort in --out in --ranks 1 --force");
    done(path, "sort in --out out --ranks 1 --force");
    assert_eq!(fs::read(path.join("in")).unwrap(), fs::read(path.join("out")).unwrap());
    fs::write(path.join("p.pgm"), b"P5\n2 2\n255\nabcd").unwrap();
    fs::write(path.join("q.pgm"), "mine").unwrap();
    let image = "scatter image p.pgm --ranks 2 --calibrate 0.01 --out-image q.pgm";
    refused(path, image, "`q.pgm` holds something else");
    done(path, &format!("{image} --force"));
    done(path, image);
    let sweep = "sweep --on mesh:2x2 --traffic uniform --points 1 --measure 100 --results r.jsonl";
    done(path, sweep);
    done(path, sweep);
    refused(path, &format!("{sweep} --seed 3"), "these results are of another sweep");
    done(path, &format!("{sweep} --seed 3 --force"));
}

/// U4 and rule 5: `plan` writes `report.html` over its own page only.
#[test]
fn plan_replaces_its_own_page_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let scenario = |name: &str, job: &str, tasks: &str| {
        let text = format!(
            "[machine]\ntopology = \"mesh:2x2\"\n[[divide]]\nname = \"{job}\"\ntasks = \"{tasks}\"\n"
        );
        fs::write(path.join(name), text).unwrap();
    };
    scenario("s.toml", "sort <&>", "binomial:2");
    done(path, "plan s.toml");
    done(path, "plan s.toml --seed 3");
    // The job changes, but is the same job.
    scenario("s.toml", "sort <&>", "binomial:1");
    done(path, "plan s.toml");
    scenario("t.toml", "sort <&>", "binomial:2");
    refused(path, "plan t.toml", "`report.html` holds the page of another scenario");
    scenario("s.toml", "other", "binomial:2");
    refused(path, "plan s.toml", "`report.html` holds the page of another scenario");
    done(path, "plan s.toml --force");
    fs::write(path.join("report.html"), "<p>mine").unwrap();
    refused(path, "plan s.toml", "`report.html` holds");
    let (code, _) = run(path, "plan t.toml --json");
    assert_eq!(code, Some(0), "nothing is written then");
}

/// R5, R7, R11: a planted link is not followed, a replaced file keeps its mode, a link stays a link.
#[cfg(unix)]
#[test]
fn links_and_modes() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: Vec<u8> = [3u32, 1, 2].iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(path.join("m.bin"), &numbers).unwrap();
    // R7: mode of the replaced file.
    for mode in [0o600, 0o644, 0o664] {
        fs::set_permissions(path.join("m.bin"), fs::Permissions::from_mode(mode)).unwrap();
        done(path, "sort m.bin --out m.bin --ranks 1 --force");
        assert_eq!(fs::metadata(path.join("m.bin")).unwrap().permissions().mode() & 0o777, mode);
    }
    // R11: a link is followed, and stays; where it leads to nowhere, there is one sentence.
    fs::create_dir(path.join("there")).unwrap();
    symlink("there/target", path.join("l.bin")).unwrap();
    symlink("nowhere/target", path.join("n.bin")).unwrap();
    done(path, "sort m.bin --out l.bin --ranks 1");
    assert!(fs::symlink_metadata(path.join("l.bin")).unwrap().is_symlink());
    assert_eq!(fs::read(path.join("there/target")).unwrap(), fs::read(path.join("m.bin")).unwrap());
    let before = seen(path);
    let (code, stderr) = run(path, "sort m.bin --out n.bin --ranks 1");
    assert!(code == Some(2) && stderr.contains("nowhere: there is no such folder"), "{stderr}");
    assert_eq!(seen(path), before);
    // R5: names of temporary files are not known before, and a link in their place is not followed.
    fs::write(path.join("victim"), "secret").unwrap();
    fs::create_dir(path.join("sh")).unwrap();
    let shell = format!(
        "ln -s ../victim sh/report.html.$$.part; cd sh; exec {} {MAP} --out . --force",
        env!("CARGO_BIN_EXE_meshwright")
    );
    assert!(
        std::process::Command::new("bash")
            .current_dir(path)
            .args(["-c", &shell])
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_eq!(fs::read_to_string(path.join("victim")).unwrap(), "secret");
}

/// R2: a results file has one writer at a time, and equal points that stand there twice count once.
#[test]
fn results_have_one_writer() {
    use meshwright_report::Results;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let sweep = "sweep --on mesh:4x4 --traffic uniform --points 4 --to 0.4 --measure 500 --results r.jsonl";
    done(path, sweep);
    let whole = fs::read_to_string(path.join("r.jsonl")).unwrap();
    let header = whole.lines().next().unwrap();
    // Half of the points twice, out of order, as two writers left them.
    let lines: Vec<&str> = whole.lines().collect();
    let doubled = [lines[0], lines[3], lines[2], lines[3], lines[2], &lines[1][..20]].join("\n");
    fs::write(path.join("r.jsonl"), doubled).unwrap();
    let held = Results::open(&path.join("r.jsonl"), header, false).unwrap();
    assert_eq!(held.points().len(), 2);
    let (code, stderr) = run(path, sweep);
    assert!(code == Some(2) && stderr.contains("another run writes into it now"), "{stderr}");
    drop(held);
    done(path, sweep);
    assert_eq!(fs::read_to_string(path.join("r.jsonl")).unwrap(), whole);
}
