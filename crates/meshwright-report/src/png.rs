//! Drawings painted as PNG, the same on every machine: their letters come with the program.
//!
//! `png/` holds the Latin and Greek letters, digits and signs of DejaVu Sans, plain and bold, under its own licence.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use meshwright_core::error::{Error, Result};

const LETTERS: [&[u8]; 2] = [include_bytes!("png/DejaVuSans.ttf"), include_bytes!("png/DejaVuSans-Bold.ttf")];

/// So many pixels stand for one of a drawing, across and down.
const SCALE: u32 = 2;

/// A drawing as PNG, at twice its size.
///
/// # Errors
///
/// [`Error::NotApplicable`] for text that is no drawing, or one without a size.
///
/// # Examples
///
/// ```
/// let square = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>"#;
/// let picture = meshwright_report::png(square)?;
/// assert!(picture.starts_with(b"\x89PNG"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let refuse = |why: String| Error::not_applicable("painting a drawing as PNG", why);
    let mut options = Options { font_family: "DejaVu Sans".to_string(), ..Options::default() };
    for letters in LETTERS {
        options.fontdb_mut().load_font_data(letters.to_vec());
    }
    let tree = Tree::from_str(svg, &options).map_err(|error| refuse(error.to_string()))?;
    let size = tree.size().to_int_size();
    let mut paper = Pixmap::new(SCALE * size.width(), SCALE * size.height())
        .ok_or_else(|| refuse(format!("it has {} x {} pixels", size.width(), size.height())))?;
    let scale = Transform::from_scale(SCALE as f32, SCALE as f32);
    resvg::render(&tree, scale, &mut paper.as_mut());
    paper.encode_png().map_err(|error| refuse(error.to_string()))
}
