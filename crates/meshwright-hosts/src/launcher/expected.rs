//! The places at which the files of launchers want the ranks.
//!
//! | file | what it says |
//! |---|---|
//! | rankfile | host and slot of each rank |
//! | Slurm host file | the host of each rank |
//! | `MPICH_RANK_ORDER` | the rank of each slot; the hosts of the slots are told apart from it |

use std::io::Read;
use std::path::Path;

use crate::{HOST_EXPECTED, is_host};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Syntax, Tokens, printable, requote};
use meshwright_network::topology::NODES_MAX;
use meshwright_network::topology::Slot;

const SYNTAX: Syntax = Syntax { punctuation: b"=", line_comment: b"#", block_comments: false, by_line: true };
const LIST: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// Where a rank is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// On which host.
    pub host: String,
    /// In which slot of it; none when the file does not name a single one.
    pub slot: Option<Slot>,
}

/// Which ranks are wanted where, by a file of this launcher format.
///
/// `slots` are the hosts of the launcher's slots, which `mpich-rank-order` needs.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Parse`] for the file; [`Error::Value`] for another format, or when there are not as
/// many slots as the order has ranks.
pub fn read(format: &str, path: &Path, slots: Option<&[String]>) -> Result<Vec<Expected>> {
    match format {
        "rankfile" => {
            let mut tokens = Tokens::open(path, SYNTAX)?;
            ranks(&mut tokens).map_err(|error| requote(error, path, SYNTAX))
        }
        "slurm-hostfile" => {
            let on = |host| Expected { host, slot: None };
            Ok(host_list(path)?.into_iter().map(on).collect())
        }
        "mpich-rank-order" => {
            let order = rank_order(path)?;
            let expected = "the hosts of the slots beside it";
            let slots = slots.ok_or_else(|| Error::value("mpich-rank-order", "alone", expected))?;
            by_slots(&order, slots)
        }
        _ => {
            let expected = "one of rankfile, slurm-hostfile, mpich-rank-order";
            Err(Error::value("launcher format", format!("`{format}`"), expected))
        }
    }
}

/// Reads a rankfile of Open MPI from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`Error::Parse`] for what is no rankfile, and when not each rank up to the greatest stands there once.
///
/// # Complexity
///
/// O(file).
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::expected::rankfile;
/// let ranks = rankfile("rank 1=b slot=0:2\nrank 0=a slot=0-3\n".as_bytes(), "ranks.txt")?;
/// assert_eq!((ranks[0].host.as_str(), ranks[0].slot), ("a", None), "a range is no single slot");
/// assert_eq!(ranks[1].slot.unwrap().to_string(), "0:2");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn rankfile(reader: impl Read, file: &str) -> Result<Vec<Expected>> {
    ranks(&mut Tokens::new(reader, file, SYNTAX))
}

fn ranks(tokens: &mut Tokens<'_>) -> Result<Vec<Expected>> {
    let mut all: Vec<Option<Expected>> = Vec::new();
    while tokens.next_anywhere()? {
        tokens.hold();
        tokens.expect("rank")?;
        let rank = tokens.integer_u32("the rank", 0..=NODES_MAX - 1)? as usize;
        if all.get(rank).is_some_and(Option::is_some) {
            return Err(tokens.error(format!("rank {rank} stands here twice"), "each rank once"));
        }
        tokens.expect("=")?;
        let host = if tokens.next_on_line()? { host(tokens)? } else { return Err(no_host(tokens)) };
        tokens.expect("slot")?;
        tokens.expect("=")?;
        if !tokens.next_on_line()? {
            return Err(tokens.missing("the slot", "a core such as 3, or package:core such as 0:3"));
        }
        let slot = Slot::parse(tokens.word());
        tokens.end_line("a rank with its host and slot")?;
        if all.len() <= rank {
            all.resize(rank + 1, None);
        }
        all[rank] = Some(Expected { host, slot });
    }
    match all.iter().position(Option::is_none) {
        Some(rank) => Err(tokens.error(format!("rank {rank} is missing"), "every rank from 0 on")),
        None if all.is_empty() => Err(tokens.missing("a rank", "a line such as `rank 0=node10 slot=0`")),
        None => Ok(all.into_iter().flatten().collect()),
    }
}

fn no_host(tokens: &mut Tokens<'_>) -> Error {
    tokens.missing("the host", HOST_EXPECTED)
}

fn host(tokens: &mut Tokens<'_>) -> Result<String> {
    if is_host(tokens.word()) {
        return Ok(String::from_utf8_lossy(tokens.word()).into_owned());
    }
    let message = format!("`{}` is no host name", printable(tokens.word()));
    Err(tokens.error(message, HOST_EXPECTED))
}

/// Reads a list of hosts, one on a line: that of a Slurm host file, or the slots of a launcher.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file, [`Error::Parse`] for a line that is no host and for an empty list.
///
/// # Complexity
///
/// O(file).
pub fn host_list(path: &Path) -> Result<Vec<String>> {
    hosts(&mut Tokens::open(path, SYNTAX)?)
}

fn hosts(tokens: &mut Tokens<'_>) -> Result<Vec<String>> {
    let mut all = Vec::new();
    while tokens.next_anywhere()? {
        all.push(host(tokens)?);
        tokens.end_line("one host name")?;
        if all.len() > NODES_MAX as usize {
            return Err(tokens.error("there are too many hosts", format!("at most {NODES_MAX}")));
        }
    }
    if all.is_empty() { Err(no_host(tokens)) } else { Ok(all) }
}

/// Reads `MPICH_RANK_ORDER`: the rank of each slot, a permutation of 0, 1, ...
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file; else as [`parse_rank_order`].
pub fn rank_order(path: &Path) -> Result<Vec<u32>> {
    order(&mut Tokens::open(path, LIST)?).map_err(|error| requote(error, path, LIST))
}

/// Reads a rank order from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`Error::Parse`] when this is no list of ranks with commas between, or not each of 0, 1, ... stands there once.
///
/// # Complexity
///
/// O(file).
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::expected::parse_rank_order;
/// assert_eq!(parse_rank_order("# two lines\n3,0\n1,2\n".as_bytes(), "ORDER")?, [3, 0, 1, 2]);
/// assert!(parse_rank_order("0,2\n".as_bytes(), "ORDER").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse_rank_order(reader: impl Read, file: &str) -> Result<Vec<u32>> {
    order(&mut Tokens::new(reader, file, LIST))
}

fn order(tokens: &mut Tokens<'_>) -> Result<Vec<u32>> {
    let mut order = Vec::new();
    let mut is_there = Vec::new();
    while tokens.next_anywhere()? {
        tokens.hold();
        loop {
            let rank = tokens.integer_u32("the rank", 0..=NODES_MAX - 1)?;
            if is_there.len() <= rank as usize {
                is_there.resize(rank as usize + 1, false);
            }
            if std::mem::replace(&mut is_there[rank as usize], true) {
                return Err(tokens.error(format!("rank {rank} stands here twice"), "each rank once"));
            }
            order.push(rank);
            // A comma may end a line, too.
            if !tokens.next_on_line()? {
                break;
            }
            tokens.hold();
            tokens.expect(",")?;
            if !tokens.next_on_line()? {
                break;
            }
            tokens.hold();
        }
    }
    match is_there.iter().position(|is_there| !is_there) {
        Some(rank) => Err(tokens.error(format!("rank {rank} is missing"), "every rank from 0 on")),
        None if order.is_empty() => Err(tokens.missing("a rank", "ranks with commas between")),
        None => Ok(order),
    }
}

/// Where a rank order puts the ranks: rank `order[k]` is in slot k.
///
/// # Errors
///
/// [`Error::Value`] when the order is for more ranks than there are slots.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::expected::by_slots;
/// let slots = ["a", "a", "b"].map(str::to_string);
/// assert_eq!(by_slots(&[2, 0, 1], &slots)?[2].host, "a");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn by_slots(order: &[u32], slots: &[String]) -> Result<Vec<Expected>> {
    if order.len() > slots.len() {
        let expected = format!("at least {}, one for each rank of the order", order.len());
        return Err(Error::value("number of slots", slots.len(), expected));
    }
    let mut host_of = vec![""; order.len()];
    for (&rank, host) in order.iter().zip(slots) {
        host_of[rank as usize] = host;
    }
    Ok(host_of.into_iter().map(|host| Expected { host: host.to_string(), slot: None }).collect())
}
