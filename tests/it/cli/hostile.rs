//! Hostile and unlucky input: devices, pipes, garbage, full disks. One error, exit 2, nothing written.

use super::*;

/// The verbs, each reading a file with this name.
fn readers(file: &str) -> Vec<Vec<String>> {
    let words = |line: String| line.split(' ').map(str::to_string).collect();
    match Path::new(file).extension().unwrap().to_str().unwrap() {
        "toml" => {
            vec![words(format!("plan {file} --out plans")), words(format!("map binomial:2 --on {file}"))]
        }
        "goal" => {
            vec![words(format!("simulate {file} --on mesh:4x4")), words(format!("map {file} --on mesh:4x4"))]
        }
        "csv" => vec![words(format!("map {file} --on mesh:4x4 --out plans"))],
        _ => vec![
            words(format!("map {file} --on mesh:4x4")),
            words(format!("map binomial:2 --on graph:{file}")),
        ],
    }
}

const ENDINGS: [&str; 6] = ["toml", "phases.csv", "mtx", "graph", "grf", "goal"];

/// Runs every reader of a file and returns what it complains of.
fn refusals(folder: &Path, file: &str) -> Vec<String> {
    let before = entries(folder);
    let refuse = |arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, stdout, stderr) = run(folder, &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.matches("error:").count() == 1, "{stderr}");
        assert!(!stderr.contains(|c: char| c.is_control() && c != '\n'), "{stderr:?}");
        assert_eq!(entries(folder), before, "nothing is written");
        stderr
    };
    readers(file).into_iter().map(refuse).collect()
}

#[test]
fn files_of_garbage_are_refused() {
    for ending in ENDINGS {
        let file = format!("a.{ending}");
        for (content, phrase) in [
            (b"".as_slice(), "the file is empty"),
            (b"\xef\xbb\xbf", "empty"),
            (b"\0\0\0\0", "a."),
            (b"\xff\xfe", "a."),
            (b"\x1b]0;title\x07\x1b[2J \r\x7f \xc2\x9b31m", "a."),
            (b"\xe2\x80\xae1 2 3\r", "a."),
            (&[b'x'; 100_000], "a."),
        ] {
            let folder = folder(&[]);
            std::fs::write(folder.path().join(&file), content).unwrap();
            for stderr in refusals(folder.path(), &file) {
                let incomplete =
                    ending == "mtx" && stderr.contains("header of a Matrix Market file is incomplete");
                assert!(incomplete || stderr.contains(phrase), "{file}, {content:?}: {stderr}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_never_ends_or_never_begins_is_refused() {
    for ending in ENDINGS {
        let folder = folder(&[]);
        let path = |name: &str| folder.path().join(format!("{name}.{ending}"));
        std::fs::File::create(path("sparse")).unwrap().set_len(2 << 30).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        std::os::unix::fs::symlink("/dev/urandom", path("random")).unwrap();
        std::os::unix::fs::symlink(path("loop"), path("loop")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let pipe = Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(pipe.success());
        for name in ["sparse", "zero", "random", "loop", "folder", "pipe"] {
            for stderr in refusals(folder.path(), &format!("{name}.{ending}")) {
                assert!(stderr.len() < 2000, "{stderr}");
                assert!(name != "pipe" || stderr.contains("this is a named pipe"), "{stderr}");
            }
        }
    }
}

#[test]
fn a_task_outside_the_machine_has_a_place() {
    const MTX: &str = "%%MatrixMarket matrix coordinate real general\n% 17\n17 17 1\n1 2 3\n";
    let metis = format!("17 0\n{}", "\n".repeat(17));
    for (file, text, place) in [
        ("a.phases.csv", "phase,source,target,bytes\n99,0,1,99\n1,2,16,5\n1,17,0,5\n", "3:5\n"),
        ("a.mtx", MTX, "3:1\n"),
        ("a.graph", metis.as_str(), "1:1\n"),
        ("a.goal", "// 17\nnum_ranks 17\n", "2:11\n"),
    ] {
        let folder = folder(&[(file, text)]);
        let (code, stdout, stderr) = run(folder.path(), &["map", file, "--on", "mesh:4x4"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(&format!(" --> {file}:{place}")) && stderr.contains("mesh:4x4"), "{stderr}");
    }
    let folder = folder(&[("a.goal", GOAL)]);
    let (code, _, stderr) = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:1x1"]);
    assert!(code == 2 && stderr.contains(" --> a.goal:1:11\n"), "{stderr}");
    std::fs::write(folder.path().join("m.toml"), "[machine]\ntopology = \"mesh:2x2\"\ndead = [[0, 1]]\n")
        .unwrap();
    let (code, _, stderr) = run(folder.path(), &["simulate", "a.goal", "--on", "m.toml"]);
    assert!(code == 2 && stderr.contains("is dead\n --> a.goal:7:6\n"), "{stderr}");
}

#[test]
fn toml_faults_are_told_in_plain_words() {
    let deep = format!("x = {}", "[".repeat(100_000));
    for (text, phrase) in [
        ("a = 1\na = 2\n", "error: this key stands here twice\n --> s.toml:2:1\n"),
        (deep.as_str(), "error: keys, lists or tables are nested too deeply\n --> s.toml:1:"),
        ("\u{feff}[machine]\ntopology = \"mesh:2x2\"\n\"\\u001b[31m\" = 1\n", "unknown key `\\u{1b}[31m`"),
        ("\u{feff}x = 1\r\n", " --> s.toml:1:1\n"),
    ] {
        let folder = folder(&[("s.toml", text)]);
        let stderr = refusals(folder.path(), "s.toml").remove(0);
        assert!(stderr.contains(phrase), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let folder = folder(&[]);
    let full = || std::fs::File::create("/dev/full").unwrap();
    let map = ["map", "binomial:2", "--on", "mesh:2x2"];
    let output = command(folder.path(), &map).stdout(full()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("error: standard output: "), "{stderr}");
    // Nobody can be told; the exit code still tells.
    let status = command(folder.path(), &["plan", "no.toml"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
