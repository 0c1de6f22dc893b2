//! Tags of messages, by protocol.

/// What messages are about. Each of these has 2^16 tags, so that no part of the library takes messages that are meant for another
/// one; tags below 2^16 are nobody's, and free for programs.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::transport::Topic;
/// assert_eq!((Topic::Ping.tag(0), Topic::Play.tag(3)), (0x1_0000, 0x2_0003));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// How fast messages are: [`ping`](super::ping).
    Ping = 1,
    /// Any schedule: [`execute`](crate::skeleton::execute).
    Play,
    /// Divide and conquer: [`keep_half`](crate::skeleton::keep_half).
    KeepHalf,
    /// The host of divide and conquer: [`from_host`](crate::skeleton::from_host).
    Host,
    /// Groups: [`live`](crate::groups).
    Groups,
    /// Where ranks are: seats.
    Seats,
    /// Which schedule is executed, and how often: [`run`](crate::run).
    Run,
    /// Speed-ups: measured beside what else could be used.
    Speedup,
    /// Divisible loads: words and images.
    Scatter,
    /// The loads of a sweep: [`sweep`](meshwright_sim::sweep).
    Sweep,
    /// Files of numbers: sorted.
    Sort,
    /// Collective operations by their flows: [`collective`](crate::collective).
    Collective,
    /// Members of groups, event by event: [`members`](crate::groups::members).
    Members,
    /// Groups after a loss: [`survive`](crate::groups::survive).
    Survive,
    /// From one member of a group to another: [`drive`](crate::groups::drive).
    Direct,
}

impl Topic {
    /// The tag with this number.
    pub const fn tag(self, number: u16) -> u32 {
        ((self as u32) << 16) | number as u32
    }
}
