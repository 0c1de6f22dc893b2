//! One member by hand: what it sends, and when.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Outbox, Position, Scheme};
use meshwright_groups::rank_split::packet::RankSplitPacket;
use meshwright_groups::rank_split::routing::{Role, Routed};
use meshwright_groups::rank_split::{AdjacentRoot, RankSplit, RankSplitting};
use meshwright_network::topology::Machine;

/// The root of three members, in the states 1, 0, 1: rank 1 on node 1.
struct Root {
    paper: RankSplit,
    place: Position<AdjacentRoot>,
    splitting: RankSplitting,
    out: Outbox<RankSplitPacket>,
}

impl Root {
    fn new(paper: RankSplit) -> Self {
        let line = Machine::new("mesh:1x3").unwrap();
        let group = Group::whole(&line, "row").unwrap();
        let place = paper.places(&line, &group).unwrap().swap_remove(1);
        let mut out = Outbox::default();
        let splitting = paper.begin(NodeId(1), &place, Label { colour: 0, key: 0 }, &mut out);
        assert!(out.messages.is_empty(), "it waits for its children");
        Self { paper, place, splitting, out }
    }

    /// What it sends when this comes.
    fn hear(&mut self, from: u32, packet: RankSplitPacket) -> Vec<(u32, RankSplitPacket)> {
        let Self { paper, place, splitting, out } = self;
        paper.receive(NodeId(1), place, splitting, NodeId(from), packet, out);
        let sent = out.messages.drain(..);
        sent.map(|(to, bytes, packet)| {
            assert_eq!(bytes, Bytes(8));
            (to.0, packet)
        })
        .collect()
    }

    fn has_place(&mut self) -> bool {
        self.paper.take_place(&mut self.splitting).is_some()
    }
}

fn routed(state: u8, rank: u32, source: u32, role: Role) -> RankSplitPacket {
    RankSplitPacket::Routing(Routed { state, rank, source: NodeId(source), role })
}

/// Ranks 0 and 2 are the ranks 0 and 1 of the other group: its root is rank 1, on node 2.
fn own_request() -> (u32, RankSplitPacket) {
    (2, routed(1, 1, 1, Role::Adjacent))
}

fn backward() -> Vec<(u32, RankSplitPacket)> {
    vec![
        (0, RankSplitPacket::Backward { total: 1, before: 0 }),
        (2, RankSplitPacket::Backward { total: 1, before: 1 }),
    ]
}

#[test]
fn all_six_steps() {
    let mut root = Root::new(RankSplit::default());
    assert_eq!(root.hear(2, RankSplitPacket::Forward([0, 1])), []);
    assert_eq!(root.hear(0, RankSplitPacket::Forward([0, 1])), backward());
    // Its functions are known, but nothing says that rank 2 has its own: packets wait for step 2.
    let request = routed(1, 1, 0, Role::Left);
    assert_eq!(root.hear(0, RankSplitPacket::Partial), []);
    assert_eq!(root.hear(0, request), []);
    assert_eq!(root.hear(2, RankSplitPacket::Partial), [(2, request), own_request()]);
    assert_eq!(root.hear(0, RankSplitPacket::Gather), []);
    assert_eq!(root.hear(2, routed(0, 0, 2, Role::Adjacent)), []);
    assert!(!root.has_place(), "rank 2 is not there");
    assert_eq!(
        root.hear(2, RankSplitPacket::Gather),
        [(0, RankSplitPacket::Release), (2, RankSplitPacket::Release)]
    );
    assert!(root.has_place());
    assert!(!root.has_place(), "a place is taken once");
    assert_eq!(root.splitting.neighbours().adjacent_root, Some(NodeId(2)));
}

#[test]
fn without_steps_2_and_5() {
    let mut root = Root::new(RankSplit::short());
    assert_eq!(root.hear(0, RankSplitPacket::Forward([0, 1])), []);
    let mut sent = backward();
    sent.push(own_request());
    assert_eq!(root.hear(2, RankSplitPacket::Forward([0, 1])), sent);
    assert!(!root.has_place(), "the other root is not known");
    assert_eq!(root.hear(2, routed(0, 0, 2, Role::Adjacent)), []);
    assert!(root.has_place());
    // It answers for others after it went on.
    let answer = routed(1, 0, 2, Role::Parent);
    assert_eq!(root.hear(2, answer), [(0, answer)]);
}
