//! The report in a real browser: it opens from a file and has nothing to complain about.

use std::path::Path;
use std::process::Command;

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The first browser that starts.
fn browser() -> Option<&'static str> {
    BROWSERS
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// Opens a page without a window: the document as the browser understood it, and the console.
fn open(browser: &str, page: &Path) -> (String, Vec<String>) {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("it started before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = String::from_utf8_lossy(&output.stderr);
    let console = log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_string).collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), console)
}

/// The page that a command leaves in a folder, opened; it must not complain.
fn page(browser: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(arguments)
        .arg("--force")
        .arg("--out")
        .arg(folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (document, console) = open(browser, &folder.join("report.html"));
    assert!(console.is_empty(), "{}", console.join("\n"));
    document
}

#[test]
fn the_report_opens_without_a_complaint() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium, so the report was not opened; ./test installs one where it may");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let loud = folder.path().join("loud.html");
    std::fs::write(&loud, "<p>loud</p><script>nobody.knows()</script>").unwrap();
    let (document, console) = open(browser, &loud);
    assert!(
        document.contains("loud") && console.len() == 1,
        "an error is seen when there is one: {console:?}"
    );

    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/quickstart.toml");
    let document = page(browser, folder.path(), &["plan", scenario]);
    assert!(
        document.contains("merge sort") && document.contains("<svg"),
        "the page has its job and a drawing"
    );
    let uniform = ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--measure", "1000", "--saturation"];
    let document = page(browser, &folder.path().join("sweep"), &uniform);
    assert!(document.contains("uniform traffic on mesh:4x4") && document.contains("class=\"curve\""));

    let drawings =
        ["merge-sort-placement.svg", "merge-sort-links.svg", "merge-sort-bars.svg", "sweep/curve.svg"];
    drawings_open(browser, folder.path(), &drawings);
}

/// Each drawing is valid XML.
fn drawings_open(browser: &str, folder: &Path, names: &[&str]) {
    for name in names {
        let (document, console) = open(browser, &folder.join(name));
        assert!(console.is_empty(), "{name}: {}", console.join("\n"));
        assert!(document.contains("</svg>") && !document.contains("parsererror"), "{name} is no valid XML");
    }
}

#[test]
fn the_audit_opens_without_a_complaint() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium, so the audit was not opened");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let document = page(browser, folder.path(), &["claims", "lo1990", "--n-max", "8"]);
    assert!(document.contains("id=\"theorem-4-quarter\"") && document.matches("<svg").count() == 4);
    let drawings = ["figure-1.svg", "figure-2.svg", "figure-3.svg", "figure-4.svg"];
    drawings_open(browser, folder.path(), &drawings);
}
