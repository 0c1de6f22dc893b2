//! The script of a page, and its hash by which the page's content policy knows it.
//!
//! | file | what |
//! |---|---|
//! | `base.js` | elements, numbers, files |
//! | `tables.js` | tables that sort, heads that explain themselves, CSV |
//! | `pictures.js` | SVG and PNG of a picture |
//! | `machine.js` | places of nodes, links, routes |
//! | `plan.js` | a placement: busy times, the messages of a link, what moves at a moment |
//! | `paint.js` | a machine on a canvas or as SVG |
//! | `view.js` | zoom, pan, pointer and keys |
//! | `compare.js` | two methods side by side |
//! | `explorer.js`, `scene.js` | the section of a job: choices, what is pointed at, words |
//! | `replay.js` | the slider that goes through a run |
//! | `start.js` | the order in which all begins |

use sha2::{Digest, Sha256};

const PARTS: [&str; 12] = [
    include_str!("script/base.js"),
    include_str!("script/tables.js"),
    include_str!("script/pictures.js"),
    include_str!("script/machine.js"),
    include_str!("script/plan.js"),
    include_str!("script/paint.js"),
    include_str!("script/view.js"),
    include_str!("script/compare.js"),
    include_str!("script/explorer.js"),
    include_str!("script/scene.js"),
    include_str!("script/replay.js"),
    include_str!("script/start.js"),
];

/// The script: it sees nothing of other scripts, and fetches nothing.
pub(super) fn text() -> String {
    format!("(() => {{\n\"use strict\";\n{}start();\n}})();", PARTS.concat())
}

/// The hash of the script as a source of the content policy.
pub(super) fn hash() -> String {
    format!("sha256-{}", base64(&Sha256::digest(text())))
}

/// Bytes in base64, filled up.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        let digit = |place: usize| match place <= chunk.len() {
            true => DIGITS[(bits >> (18 - 6 * place) & 63) as usize] as char,
            false => '=',
        };
        text.extend((0..4).map(digit));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{base64, text};

    #[test]
    fn base64_is_filled_up() {
        let written: Vec<String> =
            ["", "f", "fo", "foo"].iter().map(|text| base64(text.as_bytes())).collect();
        assert_eq!(written, ["", "Zg==", "Zm8=", "Zm9v"]);
    }

    /// What a page escapes would change the script, and with it the hash.
    #[test]
    fn the_script_is_plain_and_fetches_nothing() {
        let script = text();
        assert!(script.is_ascii() && !script.contains("</"), "the page would change it");
        for word in ["eval", "fetch(", "XMLHttpRequest", "WebSocket", "import(", "innerHTML", "localStorage"]
        {
            assert!(!script.contains(word), "{word}");
        }
    }
}
