//! Peers on boxes: dimensions take turns, nearest peers first; surplus members fold into others.

use meshwright_network::topology::Topology;

use crate::Task;
use crate::flow::Flow;

/// How far from a coordinate the peer of a turn stands, along the dimension whose turn it is: the turn counts from 0.
pub type Offset = fn(turn: u32, coordinate: u32) -> i64;

/// The peer of recursive doubling: exclusive or with 2^turn.
pub fn exclusive_or(turn: u32, coordinate: u32) -> i64 {
    let far = 1i64 << turn;
    if coordinate >> turn & 1 == 0 { far } else { -far }
}

/// The distances of Swing and Bine, with their directions: the Jacobsthal numbers 1, −1, 3, −5, 11, −21, …
///
/// ```text
/// rho(k) = 1 - 2 + 4 - ... + (-2)^k = (1 - (-2)^(k + 1)) / 3
/// ```
///
/// # Source
///
/// `desensi2024`.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::turns::jacobsthal;
/// assert_eq!([0, 1, 2, 3, 4, 5].map(jacobsthal), [1, -1, 3, -5, 11, -21]);
/// ```
pub fn jacobsthal(turn: u32) -> i64 {
    (1 - (-2i64).pow(turn + 1)) / 3
}

/// The peer of Swing: even coordinates go [`jacobsthal`] one way, odd ones the other.
pub fn swing(turn: u32, coordinate: u32) -> i64 {
    if coordinate.is_multiple_of(2) { jacobsthal(turn) } else { -jacobsthal(turn) }
}

/// The peer of Swing, every direction turned round.
pub fn swing_mirrored(turn: u32, coordinate: u32) -> i64 {
    -swing(turn, coordinate)
}

/// The sides of the box of the members that are longer than 1; one side if they are no whole box.
pub fn sides(task: &Task<'_>) -> Vec<u32> {
    let of_box = task.machine().whole_grid().map(|grid| grid.sides().to_vec());
    let mut sides = of_box.unwrap_or_else(|| vec![task.members()]);
    sides.retain(|&side| side > 1);
    sides
}

/// The steps of a box in which dimensions take turns: 0, 1, ..., 0, 1, ... without those that are done.
#[derive(Clone, Debug)]
pub struct Turns {
    /// By dimension the side, and how far apart the numbers of neighbours are.
    sides: Vec<(u32, u32)>,
    /// By step the dimension, and how often it had its turn before.
    steps: Vec<(usize, u32)>,
    /// In how many a member is together after a step.
    radix: u32,
}

impl Turns {
    /// Dimension `first` begins; a side of n has ceil(log n) turns to this radix.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::turns::{Turns, exclusive_or};
    /// let turns = Turns::new(&[2, 8], 1, 2);
    /// let peers: Vec<u32> = (0..turns.steps()).map(|step| turns.peer(step, 0, exclusive_or)).collect();
    /// assert_eq!(peers, [1, 8, 2, 4], "columns, rows, columns, columns");
    /// ```
    pub fn new(sides: &[u32], first: usize, radix: u32) -> Self {
        let turns =
            |side: u32| (0..).find(|&turns| u64::from(radix).pow(turns) >= u64::from(side)).unwrap_or(0);
        let most = sides.iter().map(|&side| turns(side)).max().unwrap_or(0);
        let dimensions = (0..sides.len()).map(|k| (first + k) % sides.len());
        let steps = (0..most).flat_map(|turn| dimensions.clone().map(move |dimension| (dimension, turn)));
        let steps = steps.filter(|&(dimension, turn)| turn < turns(sides[dimension])).collect();
        let mut stride = 1;
        let mut sides: Vec<(u32, u32)> = sides
            .iter()
            .rev()
            .map(|&side| {
                stride *= side;
                (side, stride / side)
            })
            .collect();
        sides.reverse();
        Self { sides, steps, radix }
    }

    /// How many steps there are.
    pub fn steps(&self) -> u32 {
        self.steps.len() as u32
    }

    /// The peer of a member in a step; round the borders.
    pub fn peer(&self, step: u32, member: u32, offset: Offset) -> u32 {
        self.peer_seen_from(step, member, 0, offset)
    }

    /// The same with coordinates counted from those of another member, round the borders.
    pub fn peer_seen_from(&self, step: u32, member: u32, origin: u32, offset: Offset) -> u32 {
        let (dimension, turn) = self.steps[step as usize];
        let (side, stride) = self.sides[dimension];
        let of = |member: u32| member / stride % side;
        let at = of(member);
        let to = i64::from(at) + offset(turn, (at + side - of(origin)) % side);
        member - at * stride + to.rem_euclid(i64::from(side)) as u32 * stride
    }

    /// All members, sorted by the digits of their coordinates, that of the first step first, so that those who differ
    /// in the last steps only stand side by side.
    ///
    /// With sides that are powers of the radix that is digit reversal. The blocks that one member has in a butterfly whose peers
    /// are congruent to radix^turn then are one range, or 2^D ranges for Swing, whose even and odd members stand in different
    /// places.
    ///
    /// # Complexity
    ///
    /// O(p steps + p log p).
    pub fn order(&self) -> Vec<u32> {
        let members = self.sides.iter().map(|&(side, _)| side).product();
        let radix = u64::from(self.radix);
        let key = |&member: &u32| {
            let digit = |&(dimension, turn): &(usize, u32)| {
                let (side, stride) = self.sides[dimension];
                u64::from(member / stride % side) / radix.pow(turn) % radix
            };
            self.steps.iter().fold(0u64, |key, step| key * radix + digit(step))
        };
        let mut order: Vec<u32> = (0..members).collect();
        order.sort_by_cached_key(key);
        order
    }
}

/// Members among whom a butterfly is possible, and how the surplus ones fold into them.
///
/// On a box whose sides are powers of two that is every member. Else 2^k members in the order of their numbers: of the first
/// pairs one is surplus, which gives its vector to the other before, and gets the result after.
///
/// # Source
///
/// `thakur2005`, section 5.
#[derive(Clone, Debug)]
pub struct Core {
    /// The peers, by place in the core.
    pub turns: Turns,
    /// By place the member.
    pub members: Vec<u32>,
    /// Each surplus member and the place of the one it folds into.
    pub surplus: Vec<(u32, u32)>,
}

impl Core {
    /// The core of a task, dimension `first` of the box beginning.
    pub fn new(task: &Task<'_>, first: usize) -> Self {
        let (sides, members) = (sides(task), task.members());
        if sides.iter().all(|side| side.is_power_of_two()) {
            let turns = Turns::new(&sides, first, 2);
            return Self { turns, members: (0..members).collect(), surplus: Vec::new() };
        }
        let core = 1 << members.ilog2();
        let pairs = members - core;
        Self {
            turns: Turns::new(&[core], 0, 2),
            members: (0..core).map(|place| place + place.min(pairs)).collect(),
            surplus: (0..pairs).map(|place| (2 * place + 1, place)).collect(),
        }
    }

    /// The peer of a member of the core, by its place.
    pub fn peer(&self, step: u32, place: u32, offset: Offset) -> u32 {
        self.members[self.turns.peer(step, place, offset) as usize]
    }

    /// By member its place; none for surplus members.
    pub fn places(&self) -> Vec<Option<u32>> {
        let mut places = vec![None; self.members.len() + self.surplus.len()];
        self.members.iter().zip(0..).for_each(|(&member, place)| places[member as usize] = Some(place));
        places
    }

    /// An all-reduce of the core, made one of all: the surplus members fold in before and out after.
    pub fn unfolded(&self, flow: Flow) -> Flow {
        if self.surplus.is_empty() {
            return flow;
        }
        let empty = Flow::new(flow.members(), flow.blocks().to_vec());
        let (mut before, mut after) = (empty.clone(), empty);
        let blocks = 0..flow.blocks().len() as u32;
        for &(member, place) in &self.surplus {
            let other = self.members[place as usize];
            before.combine(0, member, other, blocks.clone());
            after.copy(0, other, member, blocks.clone());
        }
        before.then(&flow).then(&after)
    }
}
