//! Ranks that watch each other: the ring with a clock of its own, and on threads that really fall silent.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use meshwright_core::units::Bytes;
use meshwright_runtime::transport::watch::Watch;
use meshwright_runtime::transport::{Endpoint, Finder, Lost, Mailbox, Watched, ping, threads};

const TICK: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(10);

/// What a ring of ranks comes to on a clock that is counted, where messages take one tick: when each lost rank was found, by
/// its successor, and how many beats were sent.
struct Ring {
    watches: Vec<Watch>,
    found: BTreeMap<u32, u32>,
    beats: u32,
}

/// Runs so many ticks; a rank does nothing in ticks for which `is_away` says so. All hear of a loss one tick later.
fn ring(ranks: u32, ticks: u32, is_away: impl Fn(u32, u32) -> bool) -> Ring {
    let mut watches: Vec<Watch> =
        (0..ranks).map(|rank| Watch::new(rank, ranks, PATIENCE, Duration::ZERO)).collect();
    let (mut found, mut beats) = (BTreeMap::new(), 0);
    let mut inbox = vec![Vec::new(); ranks as usize];
    let mut news = vec![Vec::new(); ranks as usize];
    for tick in 1..=ticks {
        let now = TICK * tick;
        let mut sent = Vec::new();
        let mut told = Vec::new();
        for rank in (0..ranks).filter(|&rank| !is_away(rank, tick)) {
            let watch = &mut watches[rank as usize];
            for lost in std::mem::take(&mut news[rank as usize]) {
                watch.lose(lost, now);
            }
            for from in std::mem::take(&mut inbox[rank as usize]) {
                watch.hear(from);
            }
            if watch.is_due(now)
                && let Some(ahead) = watch.ahead()
            {
                watch.has_beaten(now);
                sent.push((rank, ahead));
            }
            if watch.is_silent(now) {
                let lost = watch.behind().expect("somebody is silent");
                assert!(watch.lose(lost, now));
                found.entry(lost).or_insert(tick);
                told.push(lost);
            }
        }
        beats += sent.len() as u32;
        for (from, to) in sent {
            inbox[to as usize].push(from);
        }
        for lost in told {
            news.iter_mut().for_each(|news: &mut Vec<u32>| news.push(lost));
        }
    }
    Ring { watches, found, beats }
}

#[test]
fn nobody_is_lost_while_all_beat_and_beats_are_rare() {
    for ranks in [1, 2, 3, 64] {
        let ring = ring(ranks, 1_000, |_, _| false);
        assert!(ring.found.is_empty());
        // 100 seconds, a beat in every two seconds, the first one at once.
        let of_each = if ranks == 1 { 0 } else { 50 };
        assert_eq!(ring.beats, of_each * ranks);
    }
}

#[test]
fn every_single_rank_is_found_within_the_patience() {
    for ranks in [2, 3, 16] {
        for lost in 0..ranks {
            for silent_from in [205, 211, 219] {
                let ring = ring(ranks, 500, |rank, tick| rank == lost && tick >= silent_from);
                let at = ring.found[&lost];
                assert_eq!(ring.found.len(), 1);
                // The last beat was at most a fifth of the patience before.
                assert!((silent_from + 80..=silent_from + 103).contains(&at), "{at}");
                let around = &ring.watches[((lost + 1) % ranks) as usize];
                assert_eq!(around.behind(), (ranks > 2).then(|| (lost + ranks - 1) % ranks));
            }
        }
    }
}

#[test]
fn several_in_a_row_are_found_one_after_another_and_nobody_else() {
    let ring = ring(16, 1_000, |rank, tick| (4..8).contains(&rank) && tick >= 200);
    let found: Vec<u32> = ring.found.keys().copied().collect();
    assert_eq!(found, [4, 5, 6, 7]);
    assert!(ring.found[&7] <= 303, "the one before a living rank is found first");
    for pair in [(7, 6), (6, 5), (5, 4)] {
        let after = ring.found[&pair.1] - ring.found[&pair.0];
        assert!((50..=52).contains(&after), "{after}: half of the patience");
    }
    assert_eq!(ring.watches[8].behind(), Some(3));
    assert_eq!(ring.watches[3].ahead(), Some(8));
}

#[test]
fn who_was_away_blames_nobody_for_it() {
    // All ranks stop together for a long time, as when a machine is suspended.
    let ring_all = ring(8, 5_000, |_, tick| (1_000..4_000).contains(&tick));
    assert!(ring_all.found.is_empty(), "{:?}", ring_all.found);
    // One of them stops: it is found, and finds nobody when it comes back.
    let ring_one = ring(8, 3_000, |rank, tick| rank == 5 && (1_000..2_000).contains(&tick));
    assert_eq!(ring_one.found.keys().copied().collect::<Vec<_>>(), [5]);
}

/// A patience for threads: long enough for a busy machine.
const SHORT: Duration = Duration::from_millis(400);

#[test]
fn threads_that_fall_silent_are_lost_on_all_others() {
    for (ranks, lost) in [(2, 1), (5, 0)] {
        let ends = threads::run(ranks, |endpoint| {
            let mut endpoint = Watched::new(endpoint, SHORT);
            endpoint.tell("waiting for Godot");
            if endpoint.rank() == lost {
                endpoint.next(SHORT / 3)?;
                return Ok(None);
            }
            Ok(endpoint.next(100 * SHORT).err())
        })
        .unwrap();
        for (rank, end) in (0..).zip(ends).filter(|(rank, _)| *rank != lost) {
            let Lost { rank: named, why } = end.unwrap_or_else(|| panic!("rank {rank} heard of nothing"));
            assert_eq!(named, lost);
            assert!(why.starts_with("no sign of life for ") && why.contains("waiting for Godot"), "{why}");
        }
    }
}

#[test]
fn who_computes_beats_and_hears() {
    let heard = threads::run(3, |endpoint| {
        let mut mail = Mailbox::new(Watched::new(endpoint, SHORT));
        let own = mail.rank();
        if own > 0 {
            mail.send(0, 1, &own)?;
        }
        let answer = mail.compute(|| {
            sleep(3 * SHORT);
            own * 10
        })?;
        assert_eq!(answer, own * 10);
        let mut heard = Vec::new();
        for other in 1..mail.ranks() {
            if own == 0 {
                heard.push(mail.receive::<u32>(other, 1)?);
            }
        }
        mail.endpoint().finish()?;
        Ok(heard)
    });
    assert_eq!(heard.unwrap()[0], [1, 2]);
}

#[test]
fn who_computes_outside_and_says_nothing_is_lost() {
    let outcome = threads::run(3, |endpoint| {
        let mut endpoint = Watched::new(endpoint, SHORT);
        if endpoint.rank() == 1 {
            sleep(3 * SHORT);
        }
        endpoint.finish()
    });
    assert_eq!(outcome.unwrap_err().rank, 1);
}

#[test]
fn who_is_done_early_waits_for_the_others() {
    let outcome = threads::run(4, |endpoint| {
        let mut endpoint = Watched::new(endpoint, SHORT);
        let own = endpoint.rank();
        endpoint.compute(|| sleep(SHORT * own))?;
        endpoint.finish()?;
        Ok(endpoint.losses().len())
    });
    assert_eq!(outcome.unwrap(), [0; 4]);
}

#[test]
fn without_the_lost_the_others_go_on() {
    let ends = threads::run(5, |endpoint| {
        let mut endpoint = Watched::new(endpoint, SHORT);
        endpoint.forgive();
        let own = endpoint.rank();
        if own == 2 || own == 3 {
            return Ok(Vec::new());
        }
        let (mut lost, mut heard) = (Vec::new(), 0);
        while lost.len() < 2 {
            match endpoint.next(100 * SHORT) {
                Err(Lost { rank, .. }) => lost.push(rank),
                Ok(parcel) => heard += parcel.map_or(0, |parcel| parcel.bytes.len()),
            }
        }
        // Nothing is said twice, sending and computing go on.
        endpoint.send([1, 4, 0, 0, 0][own as usize], 9, vec![1])?;
        endpoint.compute(|| sleep(2 * SHORT))?;
        while heard == 0 {
            heard += endpoint.next(100 * SHORT)?.map_or(0, |parcel| parcel.bytes.len());
        }
        endpoint.finish()?;
        lost.sort_unstable();
        Ok(lost)
    });
    assert_eq!(ends.unwrap(), [vec![2, 3], vec![2, 3], vec![], vec![], vec![2, 3]]);
}

#[test]
fn the_hook_is_called_in_the_midst_of_computing() {
    let found = threads::run(3, |endpoint| {
        let (note, notes) = std::sync::mpsc::channel();
        let mut endpoint = Watched::new(endpoint, SHORT);
        endpoint.on_lost(move |lost, finder| note.send((lost.rank, finder)).expect("it is read below"));
        if endpoint.rank() == 0 {
            return Ok(None);
        }
        // The work ends because of what the hook says, and not before.
        let heard = endpoint.compute(move || notes.recv_timeout(100 * SHORT).expect("a rank is lost"));
        assert_eq!(heard.unwrap_err().rank, 0);
        Ok(Some(endpoint.losses().len()))
    });
    assert_eq!(found.unwrap(), [None, Some(1), Some(1)]);
    assert_ne!(Finder::Own, Finder::Other);
}

#[test]
fn every_tag_is_the_users_own() {
    let outcome = threads::run(2, |endpoint| {
        let mut mail = Mailbox::new(Watched::new(endpoint, SHORT));
        let other = 1 - mail.rank();
        for tag in [0, u32::MAX - 1, u32::MAX] {
            mail.send(other, tag, &tag)?;
            mail.send_bytes(other, tag, Vec::new())?;
        }
        for tag in [u32::MAX, 0, u32::MAX - 1] {
            assert_eq!(mail.receive::<u32>(other, tag)?, tag);
            assert!(mail.receive_bytes(other, tag)?.is_empty());
        }
        mail.endpoint().finish()
    });
    outcome.unwrap();
}

#[test]
fn alone_or_without_patience_nobody_watches() {
    for (ranks, patience) in [(1, SHORT), (3, Duration::ZERO)] {
        let outcome = threads::run(ranks, |endpoint| {
            let mut endpoint = Watched::new(endpoint, patience);
            assert_eq!(endpoint.compute(|| 7)?, 7);
            assert_eq!(endpoint.next(Duration::from_millis(1))?, None);
            endpoint.finish()
        });
        outcome.unwrap();
    }
}

#[test]
fn round_trips_go_to_everybody_equally_often() {
    let measured = threads::run(4, |endpoint| {
        let mut mail = Mailbox::new(Watched::new(endpoint, SHORT));
        let measured = ping::round_trips(&mut mail, Bytes(10_000), SHORT)?;
        mail.endpoint().finish()?;
        Ok((measured, mail.sent_bytes()))
    })
    .unwrap();
    let (trips, sent) = &measured[0];
    assert_eq!(trips.iter().map(|trips| trips.rank).collect::<Vec<_>>(), [1, 2, 3]);
    let rounds = trips[0].empty.len() as u64;
    assert!(rounds > 1);
    for trips in trips {
        assert_eq!((trips.empty.len() as u64, trips.large.len() as u64), (rounds, rounds));
        assert!(trips.empty.is_sorted() && trips.large.is_sorted());
    }
    // One byte says whether there is another round.
    assert_eq!(sent.0, 3 * 10_001 * rounds);
    assert_eq!(measured[1..].iter().map(|(_, sent)| sent.0).collect::<Vec<_>>(), [10_000 * rounds; 3]);
}
