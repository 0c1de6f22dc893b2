//! README and book: every page is in the contents, every link leads somewhere, every command runs and prints what is shown.

mod changing;
mod command_line;
mod commands;
mod json;
mod links;
mod papers;
pub(crate) mod reference;

use std::ops::Range;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A fenced block.
struct Block {
    language: String,
    text: String,
    line: usize,
    /// Where its text stands in the file.
    range: Range<usize>,
    /// Whether nothing but blank lines stands between it and the block before.
    follows: bool,
}

/// A page, its path relative to the repository.
struct Page {
    path: PathBuf,
    anchors: Vec<String>,
    links: Vec<String>,
    blocks: Vec<Block>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What GitHub and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

impl Page {
    fn read(path: &Path) -> Self {
        let text = crate::text(path);
        let mut page = Page { path: path.to_path_buf(), anchors: vec![], links: vec![], blocks: vec![] };
        let (mut heading, mut end) = (None, 0);
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.add_anchor(&anchor(&heading.take().expect("it began")));
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    let inner = inside(&text, &range);
                    page.blocks.push(Block {
                        language: language.to_string(),
                        text: text[inner.clone()].to_string(),
                        line: text[..range.start].lines().count() + 1,
                        range: inner,
                        follows: text[end..range.start].trim().is_empty(),
                    });
                    end = range.end;
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => page.links.extend(sources(&html)),
                _ => {}
            }
        }
        page
    }

    /// The same heading again has a number.
    fn add_anchor(&mut self, anchor: &str) {
        let again = self.anchors.iter().filter(|known| *known == anchor).count();
        self.anchors.push(if again == 0 { anchor.to_string() } else { format!("{anchor}-{again}") });
    }
}

/// The lines of a fenced block without its fences.
fn inside(text: &str, block: &Range<usize>) -> Range<usize> {
    let begin = text[block.clone()].find('\n').map_or(block.end, |at| block.start + at + 1);
    let end = text[block.clone()].trim_end().rfind('\n').map_or(block.end, |at| block.start + at + 1);
    begin..end.max(begin)
}

/// What HTML in a page shows: pictures that differ in the dark.
fn sources(html: &str) -> Vec<String> {
    let parts = html.split(['"', ' ']).collect::<Vec<_>>();
    let is_source = |part: &str| part == "src=" || part == "srcset=";
    parts.windows(2).filter(|pair| is_source(pair[0])).map(|pair| pair[1].to_string()).collect()
}

/// All Markdown files of the book, relative to the repository.
fn book() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                files.push(path.strip_prefix(root()).expect("found below").to_path_buf());
            }
        }
    }
    files.sort();
    files
}

/// README, the book and the other pages that a reader sees.
fn pages() -> Vec<Page> {
    const OTHERS: [&str; 6] = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
        "examples/README.md",
        "mpi/README.md",
    ];
    let others = OTHERS.iter().map(PathBuf::from);
    others.chain(book()).map(|path| Page::read(&path)).collect()
}
