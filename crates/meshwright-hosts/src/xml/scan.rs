//! A guard in front of XML: one pass for what the files that are read never have, before a document is built that would
//! take more memory or time than the size of the file lets expect.
//!
//! Whether the text is XML at all is for the parser to say: here an unfinished piece ends at the end of the text.

use std::ops::Range;

/// Deeper nesting than this is no host, no platform and no graph.
pub(super) const DEPTH_MAX: usize = 64;

/// The most attributes of one element; hwloc writes about twenty. The parser compares each of them with all.
const ATTRIBUTES_MAX: usize = 64;

/// The most attributes in all.
const ATTRIBUTES_ALL_MAX: usize = 1 << 23;

/// The most name spaces that are declared; the parser looks through them for each element.
const NAME_SPACES_MAX: usize = 8;

/// What may stand in a file beside this.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most elements.
    pub elements_max: usize,
    /// Whether name spaces may be declared.
    pub name_spaces: bool,
}

/// A place in the text and what is wrong there.
pub(super) type Complaint = (Range<usize>, String);

/// Declarations, of entities above all, and too much of anything; name spaces, unless some are expected.
///
/// # Complexity
///
/// O(text) time, O(1) memory.
pub(super) fn scan(text: &str, Limits { elements_max, name_spaces }: Limits) -> Result<(), Complaint> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    // The outermost element is no object.
    let (mut depth, mut elements, mut attributes, mut spaces) = (0, 0, 0, 0);
    while let Some(start) = find(text, at, "<") {
        let rest = &text[start..];
        at = if rest.starts_with("<!--") {
            end_of(text, start + 4, "-->")
        } else if rest.starts_with("<![CDATA[") {
            end_of(text, start, "]]>")
        } else if rest.starts_with("<?") {
            end_of(text, start, "?>")
        } else if rest.starts_with("<!") {
            declaration(bytes, start)?
        } else {
            let tag = tag(text, start)?;
            attributes += tag.attributes;
            spaces += tag.name_spaces;
            if spaces > if name_spaces { NAME_SPACES_MAX } else { 0 } {
                let at = tag.name_space_at;
                return Err((at..at + 5, "a name space is declared".to_string()));
            }
            match tag.kind {
                TagKind::Closing => depth -= usize::from(depth > 0),
                TagKind::Opening => depth += 1,
                TagKind::Empty => {}
            }
            elements += usize::from(tag.kind != TagKind::Closing);
            let whole = start..tag.end;
            if depth > DEPTH_MAX + 1 {
                return Err((whole, format!("more than {DEPTH_MAX} objects lie in each other")));
            }
            if elements > elements_max {
                return Err((whole, format!("there are more than {elements_max} elements")));
            }
            if attributes > ATTRIBUTES_ALL_MAX {
                return Err((whole, format!("there are more than {ATTRIBUTES_ALL_MAX} attributes")));
            }
            tag.end
        };
    }
    Ok(())
}

/// Where a piece of text is next.
fn find(text: &str, from: usize, piece: &str) -> Option<usize> {
    text[from..].find(piece).map(|at| from + at)
}

/// Behind the next such piece, or the end of the text.
fn end_of(text: &str, from: usize, piece: &str) -> usize {
    find(text, from, piece).map_or(text.len(), |at| at + piece.len())
}

/// Behind `<!DOCTYPE …>`, which names a file and declares nothing.
fn declaration(bytes: &[u8], start: usize) -> Result<usize, Complaint> {
    let mut quote = None;
    for (at, &byte) in bytes.iter().enumerate().skip(start) {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[') => {
                return Err((start..at, "the document type declares entities or other things".to_string()));
            }
            (None, b'>') => return Ok(at + 1),
            (None, _) => {}
        }
    }
    Ok(bytes.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Opening,
    Closing,
    Empty,
}

/// A tag: which kind, where it ends, how many attributes it has, how many name spaces it declares, the last of them where.
struct Tag {
    kind: TagKind,
    end: usize,
    attributes: usize,
    name_spaces: usize,
    name_space_at: usize,
}

fn tag(text: &str, start: usize) -> Result<Tag, Complaint> {
    let bytes = text.as_bytes();
    let (mut at, mut attributes) = (start + 1, 0);
    let (mut name_spaces, mut name_space_at) = (0, start);
    while at < bytes.len() && bytes[at] != b'>' {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                attributes += 1;
                let next = bytes[at + 1..].iter().position(|&byte| byte == quote);
                at = next.map_or(bytes.len(), |length| at + length + 2);
            }
            b'x' if text[at..].starts_with("xmlns") => {
                (name_spaces, name_space_at) = (name_spaces + 1, at);
                at += 5;
            }
            _ => at += 1,
        }
    }
    if attributes > ATTRIBUTES_MAX {
        let whole = start..at.min(bytes.len());
        return Err((whole, format!("an object has {attributes} attributes, more than {ATTRIBUTES_MAX}")));
    }
    let kind = match (bytes.get(start + 1), bytes[..at].last()) {
        (Some(b'/'), _) => TagKind::Closing,
        (_, Some(b'/')) => TagKind::Empty,
        _ => TagKind::Opening,
    };
    Ok(Tag { kind, end: (at + 1).min(bytes.len()), attributes, name_spaces, name_space_at })
}

#[cfg(test)]
mod tests {
    use super::{Complaint, DEPTH_MAX, Limits};

    const ELEMENTS_MAX: usize = 1000;

    fn scan(text: &str) -> Result<(), Complaint> {
        super::scan(text, Limits { elements_max: ELEMENTS_MAX, name_spaces: false })
    }

    #[test]
    fn what_lstopo_writes_passes() {
        for text in [
            "",
            "<",
            "<a",
            "<!--",
            "<a b='",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\"/>",
            "<!-- <!DOCTYPE a [ <b c='\" --> <a b='>' c=\"<!DOCTYPE [\"/>",
            "<!DOCTYPE topology SYSTEM \"[hwloc].dtd\"><a><![CDATA[<!DOCTYPE [ ]]></a>",
        ] {
            assert_eq!(scan(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_it_never_writes_is_found() {
        let of = |text: &str| scan(text).map_err(|(range, message)| (range.start, message));
        let declares = "the document type declares entities or other things";
        assert_eq!(of("<!DOCTYPE t [<!ENTITY x 'y'>]>"), Err((0, declares.to_string())));
        assert_eq!(of(" <!DOCTYPE t SYSTEM 'a'\n["), Err((1, declares.to_string())));
        assert_eq!(of("<a xmlns:b=''/>"), Err((3, "a name space is declared".to_string())));
        let nested = "<a>".repeat(DEPTH_MAX + 2);
        assert!(of(&nested).unwrap_err().1.contains("lie in each other"));
        assert_eq!(of(&"<a></a>".repeat(100)), Ok(()));
        let many = "<a/>".repeat(ELEMENTS_MAX + 1);
        assert!(of(&many).unwrap_err().1.contains("elements"));
        let attributes: String = (0..65).map(|i| format!(" a{i}='{i}'")).collect();
        assert!(of(&format!("<a{attributes}/>")).unwrap_err().1.contains("an object has 65 attributes"));
        let each = format!("<a{}/>", " b=''".repeat(64));
        let many = Limits { elements_max: 1 << 20, name_spaces: true };
        assert!(super::scan(&each.repeat((1 << 17) + 1), many).unwrap_err().1.contains("attributes"));
        assert_eq!(super::scan("<a xmlns='b' xmlns:c='d'/>", many), Ok(()));
        assert!(super::scan(&"<a xmlns=''/>".repeat(9), many).is_err());
    }
}
