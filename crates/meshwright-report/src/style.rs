//! The style of the page and of a drawing that stands alone.

use super::svg::{hues, palette};

const PAGE: &str = include_str!("report.css");
const DRAWING: &str = include_str!("drawing.css");

/// The style of the page: light and dark.
pub fn page() -> String {
    format!("{PAGE}{DRAWING}{}{}", palette::css(), hues::css())
}

/// A drawing of the page as a file of its own, on white.
///
/// Colours are written in: many programs that open SVG know no variables.
pub fn alone(svg: &str) -> String {
    let (head, body) = svg.split_once('>').expect("a drawing begins with its element");
    let style = format!("svg{{font-family:system-ui,'DejaVu Sans',sans-serif}}{}", drawing());
    format!(
        "{} xmlns=\"http://www.w3.org/2000/svg\"{}><style>{style}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{body}\n",
        &head[..4],
        &head[4..],
    )
}

/// The rules of drawings with light colours in place of variables.
fn drawing() -> String {
    let variables: Vec<(&str, &str)> = light_variables().collect();
    let mut css = String::new();
    for rule in DRAWING.lines() {
        // One rule for each colour: `.fill{…}` becomes `.fill.k0{…}`, `.fill.k1{…}`, …
        if rule.contains("var(--k)") {
            css.extend(palette::light().enumerate().map(|(i, colour)| coloured(rule, 'k', i, &colour)));
        } else if rule.contains("var(--c)") {
            css.extend(hues::light().iter().enumerate().map(|(i, colour)| coloured(rule, 'c', i, colour)));
        } else {
            css.push_str(rule);
        }
    }
    // Many painters know whole hundreds only.
    css = css.replace("font-weight:650", "font-weight:700");
    for (name, value) in variables {
        css = css.replace(&format!("var({name})"), value);
    }
    css
}

/// A rule for one colour of a family.
fn coloured(rule: &str, family: char, index: usize, colour: &str) -> String {
    rule.replacen('{', &format!(".{family}{index}{{"), 1).replace(&format!("var(--{family})"), colour)
}

/// The names and values of the first block of the page's style: the light ones.
fn light_variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let block =
        PAGE.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(block, _)| block);
    block.split(';').filter_map(|pair| pair.trim().split_once(':'))
}

#[cfg(test)]
mod tests {
    use super::{alone, drawing};

    #[test]
    fn a_drawing_alone_knows_its_colours() {
        let css = drawing();
        assert!(!css.contains("var("), "{css}");
        assert!(css.contains(".edge.k0{") && css.contains(".fill.k23{") && css.contains(".link.k7{"));
        assert!(css.contains(".cell.c0{fill:#0072b2}"), "{css}");
        let svg = alone("<svg width=\"9\"><g/></svg>");
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\"><style>"), "{svg}");
        assert!(svg.ends_with("<g/></svg>\n"));
    }
}
