//! How much memory a member needs, as the front page of the crate says; and messages of 16 bytes.

use meshwright_member::chip::{ChipMember, Message, Seat, Splitting, WordEnvelope};
use meshwright_member::member::{Body, Envelope, Level};
use meshwright_member::packet::RankSplitPacket;
use meshwright_member::pass::PassDirection;
use meshwright_member::routing::{Role, Routed};

/// L, E, H, the bytes of a member, and what one more level adds.
fn rows() -> [[usize; 5]; 5] {
    fn row<const L: usize, const E: usize, const H: usize>() -> [usize; 5] {
        [L, E, H, size_of::<ChipMember<L, E, H>>(), size_of::<Option<Level<Seat, Splitting<H>>>>()]
    }
    [row::<1, 2, 0>(), row::<2, 6, 0>(), row::<4, 10, 0>(), row::<8, 18, 0>(), row::<8, 20, 32>()]
}

#[test]
#[cfg(target_pointer_width = "64")]
fn the_table_of_the_front_page_is_what_the_compiler_says() {
    let page = include_str!("../src/lib.rs");
    let lines = rows().map(|row| format!("//! | {} |\n", row.map(|number| number.to_string()).join(" | ")));
    assert!(page.contains(&lines.concat()), "{}", lines.concat());
    for [levels, _, _, bytes, more] in rows() {
        assert!(bytes >= levels * more, "levels are in it");
    }
}

#[test]
fn messages_are_16_bytes_and_say_what_was_said() {
    assert_eq!(size_of::<Message>(), 16);
    let role = [Role::Parent, Role::Left, Role::Right, Role::Adjacent];
    let routed = |i: usize| Routed {
        state: (i % 2) as u8,
        rank: (1 << 29) - 1 - i as u32,
        source: u32::MAX,
        role: role[i % 4],
    };
    let packets = (0..8).map(|i| RankSplitPacket::Routing(routed(i))).chain([
        RankSplitPacket::Forward([7, u32::MAX]),
        RankSplitPacket::Backward { total: u32::MAX, before: 3 },
        RankSplitPacket::Partial,
        RankSplitPacket::Gather,
        RankSplitPacket::Release,
    ]);
    let ways = [PassDirection::Up, PassDirection::Down, PassDirection::Across];
    let passes =
        ways.iter().flat_map(|&way| [None, Some(0), Some(u64::MAX)].map(|load| Body::Pass(way, load)));
    for (number, body) in (0..).zip(packets.map(Body::Own).chain(passes)) {
        let envelope: WordEnvelope<u32> = Envelope { level: 65_535, number, body };
        let message = Message::of(&envelope).expect("it fits");
        assert_eq!(Message::from_bytes(&message.to_bytes()), Some(message));
        assert_eq!(message.open(), Some(envelope));
    }
    let of_nobody = Message { kind: 12, ..Message::default() };
    assert_eq!(of_nobody.open::<u32>(), None);
    let too_deep: WordEnvelope<u32> =
        Envelope { level: 65_536, number: 0, body: Body::Pass(PassDirection::Up, None) };
    assert_eq!(Message::of(&too_deep), None);
    let too_large = Body::Own(RankSplitPacket::Routing(Routed { rank: 1 << 29, ..routed(0) }));
    assert_eq!(Message::of(&WordEnvelope::<u32> { level: 0, number: 0, body: too_large }), None);
}
