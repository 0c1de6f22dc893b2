//! Contents and links.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{Page, book, pages, root};

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn the_contents_name_every_page_once() {
    let contents = Page::read(Path::new("docs/SUMMARY.md"));
    let listed: Vec<PathBuf> = contents.links.iter().map(|link| Path::new("docs").join(link)).collect();
    let unique: BTreeSet<_> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "a page stands twice in docs/SUMMARY.md");
    let there: BTreeSet<_> = book().into_iter().filter(|path| !path.ends_with("SUMMARY.md")).collect();
    assert_eq!(unique, there, "docs/SUMMARY.md and docs/ differ");
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let anchors: BTreeMap<_, _> = pages.iter().map(|page| (page.path.clone(), &page.anchors)).collect();
    let mut wrong = Vec::new();
    for page in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, fragment) = link.split_once('#').map_or((link.as_str(), None), |(a, b)| (a, Some(b)));
            let folder = page.path.parent().expect("a file has a folder");
            let target = if file.is_empty() { page.path.clone() } else { plain(&folder.join(file)) };
            let found = match (anchors.get(&target), fragment) {
                (Some(anchors), Some(fragment)) => anchors.iter().any(|anchor| anchor == fragment),
                _ => root().join(&target).exists(),
            };
            if !found {
                wrong.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

/// What a first screen needs, and how long the page may be.
#[test]
fn the_readme_is_one_page_with_pictures() {
    let text = crate::text(Path::new("README.md"));
    assert!(text.lines().count() <= 120, "{} lines", text.lines().count());
    let readme = Page::read(Path::new("README.md"));
    let pictures: Vec<_> = readme.links.iter().filter(|link| link.ends_with(".png")).collect();
    assert!(pictures.len() >= 2, "light and dark");
    for picture in pictures {
        let size = std::fs::metadata(root().join(picture)).expect("it is there").len();
        assert!(size <= 250_000, "{picture}: {size} bytes");
    }
}

/// Where mdBook is installed, it takes the book, too.
#[test]
fn mdbook_builds_the_book() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut command = std::process::Command::new("mdbook");
    let command = command.arg("build").arg(root()).arg("--dest-dir").arg(folder.path());
    let Ok(output) = command.output() else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("index.html").exists());
}
