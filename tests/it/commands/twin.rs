//! One machine under two names: a box turned round, or the graph of its links. No answer beats the bound of the other.

use std::fmt::Write as _;

use super::{Answer, hold_that};
use serde_json::Value;

/// What is proved of a question, and the best that was found.
pub(super) struct Standing {
    pub(super) bound: f64,
    pub(super) best: f64,
    /// Whether the bound is that of the machine, whatever its name.
    pub(super) is_of_machine: bool,
}

/// A machine that is asked for by name.
struct Named<'a> {
    kind: &'a str,
    sides: Vec<u32>,
}

impl<'a> Named<'a> {
    fn read(spec: &'a str) -> Option<Self> {
        let (kind, size) = spec.split_once(':')?;
        let sides = match kind {
            "mesh" | "torus" => size.split('x').map(|side| side.parse().ok()).collect::<Option<_>>()?,
            "hypercube" => vec![2; size.parse().ok()?],
            _ => return None,
        };
        Some(Named { kind, sides })
    }

    fn coordinates(&self, node: u32) -> Vec<u32> {
        let mut rest = node;
        let mut at: Vec<u32> = self.sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
        at.reverse();
        at
    }

    fn node(&self, at: &[u32]) -> u32 {
        at.iter().zip(&self.sides).fold(0, |node, (own, side)| node * side + own)
    }

    /// The links as a graph in the format of METIS.
    fn graph(&self) -> String {
        let nodes: u32 = self.sides.iter().product();
        let (mut lines, mut ends) = (String::new(), 0);
        for node in 0..nodes {
            let mut near = std::collections::BTreeSet::new();
            for (axis, &side) in self.sides.iter().enumerate() {
                let mut at = self.coordinates(node);
                for step in [1, side - 1] {
                    let to = (self.coordinates(node)[axis] + step) % side;
                    let is_linked = self.kind == "torus" || to.abs_diff(self.coordinates(node)[axis]) == 1;
                    at[axis] = to;
                    near.extend((is_linked && side > 1).then(|| self.node(&at) + 1));
                }
            }
            ends += near.len();
            let words: Vec<String> = near.iter().map(ToString::to_string).collect();
            _ = writeln!(lines, "{}", words.join(" "));
        }
        format!("{nodes} {}\n{lines}", ends / 2)
    }
}

/// Options whose value begins, after some words and a sign, with a node.
const NODES: &[(&str, &str)] = &[("--root", ""), ("--from", ""), ("--results-at", ""), ("--pin", "=")];

/// The other name of a node.
type Rename<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The words of a question with other names of the nodes.
fn renamed(words: &[String], rename: &Rename<'_>) -> Option<Vec<String>> {
    let mut words = words.to_vec();
    for at in 1..words.len() {
        let Some((_, before)) = NODES.iter().find(|(name, _)| *name == words[at - 1]) else { continue };
        let value = words[at].clone();
        let begin = if before.is_empty() { 0 } else { value.find(before)? + 1 };
        let end = value[begin..].find(['=', '@']).map_or(value.len(), |end| begin + end);
        words[at] = format!("{}{}{}", &value[..begin], rename(&value[begin..end])?, &value[end..]);
    }
    Some(words)
}

/// A question on a box by name, asked of the box turned round and of its graph.
pub(super) fn agrees(answer: &Answer<'_>, standing: fn(&Value) -> Option<Standing>) -> Result<(), String> {
    let case = answer.case;
    let is_spec = |word: &String| Named::read(word).is_some();
    let (Some(place), Some(own)) = (case.arguments.iter().position(is_spec), standing(&answer.json)) else {
        return Ok(());
    };
    let machine = Named::read(&case.arguments[place]).expect("it was read");
    let numbers = |text: &str| text.split(',').map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>();
    let turned = |text: &str| {
        let at = numbers(text).filter(|at| at.len() == machine.sides.len())?;
        let at = at.iter().zip(&machine.sides).map(|(own, side)| (side - 1 - own).to_string());
        Some(at.rev().collect::<Vec<_>>().join(","))
    };
    let numbered = |text: &str| {
        let at = numbers(text)?;
        Some(if at.len() == 1 { at[0] } else { machine.node(&at) }.to_string())
    };
    let sides: Vec<String> = machine.sides.iter().rev().map(ToString::to_string).collect();
    std::fs::write(answer.folder.join("m.graph"), machine.graph()).expect("there is room");
    let twins: [(String, &Rename<'_>); 2] = [
        (format!("{}:{}", machine.kind, sides.join("x")), &turned),
        ("graph:m.graph".to_string(), &numbered),
    ];
    for (spec, rename) in twins {
        let is_graph = spec.starts_with("graph");
        // Tables name nodes by number, scans add up in their order, and of few bytes the first members get one more.
        let is_numbered = case.has("--speeds")
            || case.has("scan")
            || matches!(case.option("--bytes"), Some("1" | "8" | "100"));
        if !is_graph && (machine.kind == "hypercube" || is_numbered) {
            continue;
        }
        let mut words = case.without(if is_graph {
            &["--emit", "--placement", "--steps", "--method"]
        } else {
            &["--emit"]
        });
        words[place].clone_from(&spec);
        let Some(words) = renamed(&words, rename) else { continue };
        let Some(other) = answer.then(&words)?.as_ref().and_then(standing) else { continue };
        let is_above = |bound: f64, best: f64| bound * (1.0 - 1e-5) > best + 1.0;
        let is_same = (own.bound - other.bound).abs() <= 1e-6 * own.bound;
        let agree = is_same || !own.is_of_machine;
        hold_that(agree && !is_above(own.bound, other.best) && !is_above(other.bound, own.best), || {
            format!(
                "{} to {} here, {} to {} on {spec}: {}",
                own.bound,
                own.best,
                other.bound,
                other.best,
                words.join(" ")
            )
        })?;
    }
    Ok(())
}
