//! The most packets of step 4 that pass a vertex: over all groups, vertices and labels.
//!
//! Of a labelling only five numbers matter: how many members of the state stand below the sub-tree of the vertex, in its left
//! sub-tree (L), at the vertex itself (u, at most one), in its right sub-tree (R), and above. L, u and R are a stretch S of
//! the ranks of the new tree, and a pair of parent and child meets the vertex if its ends are in different blocks, one of
//! them in S. So the pairs lie on the ways of the new tree to the two ends of S and to u, below the lowest common
//! ancestor w of S, but for the one above w.
//!
//! A sub-tree of k vertices is known by K = k + 1: its children have `ceil(K/2)` and `floor(K/2)`. Going down, what matters
//! is K, the block of the parent, how many pairs have been met, and how much of L and R is used up: vertices of S beside the
//! way to an end of S come with all their sub-tree on that side. The fewest members for so many pairs make three small tables, and
//! the largest sum that fits into L and R is the answer. Every K up to 8 s is tried; beyond, both ways leave S at their first
//! vertices, and shorter ones that begin there do as well.

/// The most pairs that are counted on one way down.
const PAIRS: usize = 40;

/// More than any sub-tree has.
const NEVER: u32 = u32::MAX / 4;

/// In which block the parent is, seen from one side: outside of S, in S, or u, which meets every pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Outside = 0,
    Inside = 1,
    Vertex = 2,
}

/// Blocks of labels, and how many pairs of parent and child meet the vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostPackets {
    /// How many pairs.
    pub packets: u32,
    /// Members below the sub-tree of the vertex, in its left one, the vertex itself, in its right one, and above.
    pub blocks: [u32; 5],
}

/// Sub-trees by K as they look in a mirror or not.
struct Tables {
    mirrored: bool,
    /// By K, block of the parent and pairs: the fewest members of S on the way to its left end.
    fewest: Vec<[[u32; PAIRS]; 3]>,
    /// By K and whether the parent is to the right of u: the most pairs on the way to u inside of S.
    most: Vec<[u32; 2]>,
    /// Whether u is a member; else it is a gap.
    has_vertex: bool,
}

impl Tables {
    fn new(limit: u32, mirrored: bool, has_vertex: bool) -> Self {
        let mut tables = Self { mirrored, fewest: Vec::new(), most: Vec::new(), has_vertex };
        let mut none = [[NEVER; PAIRS]; 3];
        none.iter_mut().for_each(|row| row[0] = 0);
        tables.fewest.extend([none, none]);
        tables.most.extend([[0; 2]; 2]);
        for whole in 2..=limit {
            let row = [Above::Outside, Above::Inside, Above::Vertex].map(|above| tables.row(whole, above));
            tables.fewest.push(row);
            let most = [false, true].map(|behind| tables.most_inside(whole, behind));
            tables.most.push(most);
        }
        tables
    }

    /// The K of both children.
    fn halves(&self, whole: u32) -> (u32, u32) {
        let (more, less) = (whole.div_ceil(2), whole / 2);
        if self.mirrored { (less, more) } else { (more, less) }
    }

    /// The fewest members of S for at least so many pairs.
    fn row(&self, whole: u32, above: Above) -> [u32; PAIRS] {
        let (left, right) = self.halves(whole);
        let met = |inside: bool| match above {
            Above::Outside => usize::from(inside),
            Above::Inside => usize::from(!inside),
            Above::Vertex => 1,
        };
        let mut row = [0; PAIRS];
        for (pairs, fewest) in row.iter_mut().enumerate() {
            let below = |k: u32, above: Above, met: usize| {
                self.fewest[k as usize][above as usize][pairs.saturating_sub(met)]
            };
            let outside = below(right, Above::Outside, met(false));
            let inside = right + below(left, Above::Inside, met(true));
            *fewest = outside.min(inside).min(NEVER);
        }
        row
    }

    /// The most pairs on the way to u in a sub-tree of S, wherever u is; `behind` if its parent is to the right of u.
    fn most_inside(&self, whole: u32, behind: bool) -> u32 {
        let (left, right) = self.halves(whole);
        let child = |k: u32, behind: bool| if k > 1 { self.most[k as usize][usize::from(behind)] } else { 0 };
        let here = if self.has_vertex { 1 + u32::from(left > 1) + u32::from(right > 1) } else { 0 };
        // The root is in L, with u to its right, or in R.
        let [in_left, in_right] =
            [child(right, false) + u32::from(behind), child(left, true) + u32::from(!behind)];
        // A vertex u has to be somewhere.
        let fits = |k: u32, pairs: u32| if self.has_vertex && k == 1 { 0 } else { pairs };
        here.max(fits(right, in_left)).max(fits(left, in_right))
    }

    /// The same with at most so many members to the left and to the right of u, if it can be; and how many are to the left.
    fn way_to_vertex(&self, whole: u32, behind: bool, rooms: (u32, u32)) -> Option<(u32, u32)> {
        let (left_room, right_room) = rooms;
        if left_room + right_room + u32::from(self.has_vertex) + 1 < whole {
            return None;
        }
        if whole == 1 {
            return (!self.has_vertex).then_some((0, 0));
        }
        let (left, right) = self.halves(whole);
        let mut best: Option<(u32, u32)> = None;
        if self.has_vertex && left - 1 <= left_room && right - 1 <= right_room {
            best = Some((1 + u32::from(left > 1) + u32::from(right > 1), left - 1));
        }
        // The root is in L, or in R.
        for (is_left, met) in [(true, u32::from(behind)), (false, u32::from(!behind))] {
            let (child, rooms, before) = if is_left {
                (right, left_room.checked_sub(left).map(|room| (room, right_room)), left)
            } else {
                (left, right_room.checked_sub(right).map(|room| (left_room, room)), 0)
            };
            let Some(rooms) = rooms else { continue };
            if best.is_some_and(|best| met + self.most[child as usize][usize::from(!is_left)] <= best.0) {
                continue;
            }
            let found =
                self.way_to_vertex(child, !is_left, rooms).map(|(pairs, l)| (pairs + met, l + before));
            if found.map(|way| way.0) > best.map(|way| way.0) {
                best = found;
            }
        }
        best
    }

    /// The most pairs with at most so many members of S, and how many those take.
    fn within(&self, whole: u32, above: Above, members: u32) -> (u32, u32) {
        let row = &self.fewest[whole as usize][above as usize];
        let pairs = row.partition_point(|&fewest| fewest <= members) - 1;
        (pairs as u32, row[pairs])
    }
}

/// A search below one w in R, or seen in a mirror in L.
struct Search<'t> {
    own: &'t Tables,
    other: &'t Tables,
    /// The most members of L and R.
    room: (u32, u32),
    best: MostPackets,
    /// K of w.
    whole: u32,
}

impl Search<'_> {
    /// Takes a solution: members of S to the left of w, of them to the left of u, and to the right of w.
    fn take(&mut self, packets: u32, (before, left, behind): (u32, u32, u32)) {
        if packets <= self.best.packets {
            return;
        }
        let vertex = u32::from(self.own.has_vertex);
        let (below, above) = self.own.halves(self.whole);
        // The sub-tree of w hangs below the root on the side that makes it as large as it is to be.
        let (outside, beyond) = (below - 1 - before, above - 1 - behind + self.whole);
        let right = before - left - vertex + 1 + behind;
        let mut blocks = [outside, left, vertex, right, beyond];
        if self.own.mirrored {
            blocks.reverse();
        }
        self.best = MostPackets { packets, blocks };
    }

    /// Walks the way that the left end of S and u have in common; by K, parent and pairs the fewest members of R beside it.
    fn run(&mut self) {
        let (below, above) = self.own.halves(self.whole);
        if self.room.1 == 0 {
            return;
        }
        let mut states = vec![(below, Above::Inside, 0u32, 0u32)];
        while !states.is_empty() {
            let mut next: Vec<(u32, Above, u32, u32)> = Vec::new();
            for &(whole, parent, pairs, used) in &states {
                if whole < 2 {
                    continue;
                }
                self.part(whole, pairs, used, above);
                let (left, right) = self.own.halves(whole);
                let mut push = |state: (u32, Above, u32, u32)| {
                    if state.3 + 1 > self.room.1 {
                        return;
                    }
                    let same = |other: &&mut (u32, Above, u32, u32)| {
                        (other.0, other.1, other.2) == (state.0, state.1, state.2)
                    };
                    match next.iter_mut().find(same) {
                        Some(other) => other.3 = other.3.min(state.3),
                        None => next.push(state),
                    }
                };
                push((right, Above::Outside, pairs + u32::from(parent == Above::Inside), used));
                push((left, Above::Inside, pairs + u32::from(parent == Above::Outside), used + right));
            }
            states = next;
        }
    }

    /// The two ways part at the root of a sub-tree: it is in L, or it is u.
    fn part(&mut self, whole: u32, pairs: u32, used: u32, above: u32) {
        let (left, right) = self.own.halves(whole);
        let Some(right_room) = (self.room.1 - 1).checked_sub(used) else { return };
        // The pair above w, the one above this root, and what was met before.
        let met = 2 + pairs;
        let (most_behind, _) = self.other.within(above, Above::Inside, right_room);
        let own = &self.own.fewest[left as usize];
        if self.own.has_vertex && right - 1 <= right_room {
            let (up, members) = self.own.within(left, Above::Vertex, self.room.0);
            let (behind, few) = self.other.within(above, Above::Inside, right_room - (right - 1));
            let found = met + up + u32::from(right > 1) + behind;
            self.take(found, (members + 1 + right - 1 + used, members, few));
        }
        let Some(left_room) = self.room.0.checked_sub(1) else { return };
        let (most_before, _) = self.own.within(left, Above::Inside, left_room);
        let inner = self.own.most[right as usize][0];
        for behind in (0..=most_behind).rev() {
            if met + behind + most_before + inner <= self.best.packets {
                break;
            }
            let few = self.other.fewest[above as usize][Above::Inside as usize][behind as usize];
            for before in (0..=most_before).rev() {
                if met + behind + before + inner <= self.best.packets {
                    break;
                }
                let members = own[Above::Inside as usize][before as usize];
                let rooms = (left_room - members, right_room - few);
                if let Some((way, to_left)) = self.own.way_to_vertex(right, false, rooms) {
                    let left_all = members + 1 + to_left;
                    self.take(met + behind + before + way, (members + 1 + right - 1 + used, left_all, few));
                }
            }
        }
    }
}

/// The most pairs of parent and child of one new tree that meet a vertex with s below, itself included.
///
/// # Complexity
///
/// O(s log^3 s) where few ways have to be looked at; memory O(s).
///
/// # Examples
///
/// ```
/// use meshwright_papers::chochia1996::most_packets::most_packets;
/// assert_eq!(most_packets(1).packets, 3, "a leaf is the parent of two and the child of one");
/// assert_eq!(most_packets(2).packets, 5);
/// ```
pub fn most_packets(s: u32) -> MostPackets {
    let limit = 8 * s + 16;
    let room = (s / 2, s - 1 - s / 2);
    let mut best = MostPackets { packets: 0, blocks: [0; 5] };
    for has_vertex in [true, false] {
        let [plain, mirror] = [false, true].map(|mirrored| Tables::new(limit / 2 + 1, mirrored, has_vertex));
        for whole in 2..=limit {
            for (own, other, room) in [(&plain, &mirror, room), (&mirror, &plain, (room.1, room.0))] {
                let mut search = Search { own, other, room, best, whole };
                search.run();
                if has_vertex {
                    // w is u.
                    let (below, above) = own.halves(whole);
                    let (before, members) = own.within(below, Above::Vertex, room.0);
                    let (behind, few) = other.within(above, Above::Vertex, room.1);
                    search.take_vertex(1 + before + behind, members, few);
                }
                best = search.best;
            }
        }
    }
    best
}

impl Search<'_> {
    /// Takes a solution in which w is u.
    fn take_vertex(&mut self, packets: u32, left: u32, right: u32) {
        if packets <= self.best.packets {
            return;
        }
        let (below, above) = self.own.halves(self.whole);
        let mut blocks = [below - 1 - left, left, 1, right, above - 1 - right + self.whole];
        if self.own.mirrored {
            blocks.reverse();
        }
        self.best = MostPackets { packets, blocks };
    }
}
