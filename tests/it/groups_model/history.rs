//! The groups over time against what the programs say themselves.

use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::Group;
use meshwright_groups::history::{Doing, History};
use meshwright_groups::nested::{Run, Team};
use rand::RngExt;

use super::roster::Roster;
use super::{machine, results, run};

/// What a member writes down: colours so far, who is there.
type Seen = Vec<(Vec<u32>, u32)>;

/// Splits at random, twice in a row on the same level here and there.
async fn wander(team: &mut Team, way: Vec<u32>, depth: u32, seed: u64) -> Seen {
    let mut seen = vec![];
    for turn in 0..2 {
        let mut random = rng::stream(seed, &format!("{way:?} {turn} {}", team.node()));
        let case = random.random_range(0..3);
        let mut below = way.clone();
        below.extend([turn, case]);
        seen.extend(
            team.switch(case, async |part| {
                let mut seen = vec![(below.clone(), part.size())];
                part.step(Cycles(random.random_range(0..50))).await;
                if depth > 0 {
                    seen.extend(Box::pin(wander(part, below, depth - 1, seed)).await);
                }
                seen
            })
            .await,
        );
    }
    seen
}

#[test]
fn a_history_has_the_groups_that_the_members_saw() {
    let machine = machine("mesh:4x6");
    let group = Group::whole(&machine, "hilbert").unwrap();
    let all =
        run(&Roster, &machine, &group, |_| Run::of(async |team: &mut Team| wander(team, vec![], 2, 5).await));
    let history = History::of(&group, |node| all[node.index()].log());
    let seen = results(&all, &group);
    let mut ways: Vec<(Vec<u32>, u32, Vec<u32>)> = vec![];
    for (member, seen) in (0..).zip(&seen) {
        for (way, size) in seen {
            match ways.iter_mut().find(|(other, ..)| other == way) {
                Some((_, _, members)) => members.push(member),
                None => ways.push((way.clone(), *size, vec![member])),
            }
        }
    }
    assert!(ways.iter().all(|(_, size, members)| *size as usize == members.len()));
    let mut expected: Vec<_> = ways
        .iter()
        .map(|(way, _, members)| (way.len() as u32 / 2, way[way.len() - 1], members.clone()))
        .collect();
    let mut found: Vec<_> =
        history.groups()[1..].iter().map(|life| (life.level, life.colour, life.members.clone())).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    check_times(&history);
    check_order(&history);
}

/// Spans follow each other, lie within their groups, and groups within theirs.
fn check_times(history: &History) {
    for member in 0..history.members().len() as u32 {
        let spans = history.spans(member);
        assert_eq!(spans[0].begin, Cycles(0));
        assert!(spans.windows(2).all(|pair| pair[0].end == pair[1].begin), "no gaps");
        for span in spans {
            let life = &history.groups()[span.group as usize];
            assert!(life.begin <= span.begin && span.end <= life.end && span.begin < span.end);
            assert!(life.members.contains(&member));
            assert_eq!(history.at(span.begin)[member as usize], span.group);
        }
        let has = |doing| spans.iter().any(|span| span.doing == doing);
        assert!(has(Doing::Compute) && has(Doing::Together), "member {member}");
    }
    for life in &history.groups()[1..] {
        let parent = &history.groups()[life.parent.unwrap() as usize];
        assert!(parent.begin <= life.begin && life.end <= parent.end);
        assert!(life.members.iter().all(|member| parent.members.contains(member)));
        assert_eq!(life.level, parent.level + 1);
    }
    let levels = history.levels();
    assert_eq!(levels.iter().map(|level| level.groups as usize).sum::<usize>(), history.groups().len());
    assert_eq!((levels[0].groups, levels[0].largest, levels.len()), (1, 24, 4));
}

/// The groups of the first splits stand together.
fn check_order(history: &History) {
    let order = history.together();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..24));
    let first: Vec<_> = history.groups()[1..].iter().filter(|life| life.level == 1).collect();
    let mut whole = 0;
    for life in first {
        let places: Vec<usize> = life
            .members
            .iter()
            .map(|member| order.iter().position(|other| other == member).unwrap())
            .collect();
        let (least, most) = (places.iter().min().unwrap(), places.iter().max().unwrap());
        whole += usize::from(most - least + 1 == places.len());
    }
    assert!(whole >= 3, "the three groups of the first split, at least");
}

/// Who waits is told from who takes part: one member comes late to a barrier by a known time.
#[test]
fn waiting_is_told_apart() {
    let machine = machine("mesh:1x3");
    let group = Group::whole(&machine, "row").unwrap();
    let all = run(&Roster, &machine, &group, |node| {
        Run::of(async move |team: &mut Team| {
            team.compute(Cycles(10 * u64::from(node.0))).await;
            team.barrier().await;
        })
    });
    let history = History::of(&group, |node| all[node.index()].log());
    let spans = |member| -> Vec<_> {
        history.spans(member).iter().map(|span| (span.begin.0, span.end.0, span.doing)).collect()
    };
    // The root is the middle: the last one's packet needs a cycle to it, and one back.
    assert_eq!(spans(0), [(0, 20, Doing::Wait), (20, 22, Doing::Together)]);
    assert_eq!(spans(1), [(0, 10, Doing::Compute), (10, 20, Doing::Wait), (20, 21, Doing::Together)]);
    assert_eq!(spans(2), [(0, 20, Doing::Compute), (20, 22, Doing::Together)]);
    assert_eq!(
        (history.end(), history.at(Cycles(5)), history.members()),
        (Cycles(22), vec![0; 3], &[NodeId(0), NodeId(1), NodeId(2)][..])
    );
}
