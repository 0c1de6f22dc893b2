//! Values of any type: what a team does together with them, in messages along the tree of the team.

use super::team::Team;
use crate::protocol::{Operation, Outcome};
use meshwright_core::units::NodeId;
use meshwright_core::wire::Wire;

impl Team {
    /// Sends a value to the member of this rank, and does not wait.
    ///
    /// What is sent in a team is received before the team joins. Values for one member arrive in the order in which they were
    /// sent.
    ///
    /// # Panics
    ///
    /// When there is no such rank, or the members of this team do not know each other: see [`Team::introduce`].
    ///
    /// # Examples
    ///
    /// Each member hears from the one before it.
    ///
    /// ```
    /// use meshwright_groups::nested::{Run, Team};
    /// async fn heard(team: &mut Team) -> (u32, Vec<f64>) {
    ///     team.introduce().await;
    ///     let (rank, size) = (team.rank(), team.size());
    ///     team.send((rank + 1) % size, &(rank, vec![0.5; rank as usize])).await;
    ///     team.receive((rank + size - 1) % size).await
    /// }
    /// # let _ = Run::of(heard);
    /// ```
    pub async fn send<T: Wire>(&mut self, to: u32, value: &T) {
        let to = self.node_of(to).await;
        self.send_bytes(to, value.to_bytes()).await;
    }

    /// Waits for the next value that the member of this rank has sent here.
    ///
    /// # Panics
    ///
    /// As for [`Team::send`]; when what was sent is no such value.
    pub async fn receive<T: Wire>(&mut self, from: u32) -> T {
        let from = self.node_of(from).await;
        self.hear(from).await
    }

    /// Everybody learns where everybody is, before values go from rank to rank. All members call it.
    ///
    /// Where members know each other anyway, as they do with MASK and on real ranks, nothing is sent.
    ///
    /// # Complexity
    ///
    /// At most 2 (s - 1) messages of O(s) bytes, and O(s) memory.
    pub async fn introduce(&mut self) {
        if self.look().await.nodes.is_none() {
            let node = self.node().0;
            let nodes: Vec<u32> = self.gather_to_all(node).await;
            self.look().await.nodes = Some(nodes.into_iter().map(NodeId).collect());
        }
    }

    /// The values of all members put together by an associative and commutative operation; the same bits for everybody.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages.
    ///
    /// # Examples
    ///
    /// The box around all points, and how many there are.
    ///
    /// ```
    /// use meshwright_groups::nested::{Run, Team};
    /// async fn extent(team: &mut Team, point: f64) -> (f64, f64, u64) {
    ///     team.all_reduce_with((point, point, 1), |a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2)).await
    /// }
    /// # let _ = Run::of(async |team: &mut Team| extent(team, 0.5).await);
    /// ```
    pub async fn all_reduce_with<T: Wire>(&mut self, value: T, combine: impl FnMut(T, T) -> T) -> T {
        let known = self.up(value, combine).await;
        self.down(known).await
    }

    /// The values of all members put together by an associative and commutative operation, at the root of the team's tree.
    ///
    /// # Complexity
    ///
    /// s - 1 messages.
    pub async fn reduce_with<T: Wire>(&mut self, value: T, combine: impl FnMut(T, T) -> T) -> Option<T> {
        self.up(value, combine).await
    }

    /// The value of the member of this rank, which all must name; what the others pass is not looked at.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages; those up the tree that do not come from the member carry one byte.
    pub async fn broadcast_value<T: Wire>(&mut self, from: u32, value: T) -> T {
        assert!(from < self.size(), "a member of the team broadcasts");
        let own = (self.rank() == from).then_some(value);
        let known = self.all_reduce_with(own, Option::or).await;
        known.expect("one of the members is the source")
    }

    /// The values of the ranks up to this member's own put together by an associative operation.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages, which carry all values of a sub-tree.
    pub async fn scan_with<T: Wire + Clone>(&mut self, value: T, mut combine: impl FnMut(T, T) -> T) -> T {
        let links = self.look().await.links.clone();
        let (mut all, mut below) = (vec![(self.rank(), value)], Vec::new());
        for &(child, _) in &links.children {
            let part: Vec<(u32, T)> = self.hear(child).await;
            below.push(part.iter().map(|&(rank, _)| rank).collect::<Vec<_>>());
            all.extend(part);
        }
        let mut known = match links.parent {
            Some(parent) => {
                self.tell(parent, &all).await;
                self.hear(parent).await
            }
            None => {
                all.sort_unstable_by_key(|&(rank, _)| rank);
                for at in 1..all.len() {
                    all[at].1 = combine(all[at - 1].1.clone(), all[at].1.clone());
                }
                all
            }
        };
        for (&(child, _), ranks) in links.children.iter().zip(&below) {
            let of = |rank: &u32| {
                known.binary_search_by_key(rank, |&(rank, _)| rank).expect("it has all ranks below")
            };
            let mut theirs: Vec<(u32, T)> = ranks.iter().map(|rank| known[of(rank)].clone()).collect();
            theirs.sort_unstable_by_key(|&(rank, _)| rank);
            self.tell(child, &theirs).await;
        }
        let own = known.binary_search_by_key(&self.rank(), |&(rank, _)| rank).expect("its own rank is in it");
        known.swap_remove(own).1
    }

    /// The values of all members by rank, at the root of the team's tree.
    ///
    /// # Complexity
    ///
    /// s - 1 messages, which carry all values of a sub-tree.
    pub async fn gather_values<T: Wire>(&mut self, value: T) -> Option<Vec<T>> {
        let own = vec![(self.rank(), value)];
        let all = self.up(own, joined).await;
        all.map(|mut all| {
            all.sort_unstable_by_key(|&(rank, _)| rank);
            all.into_iter().map(|(_, value)| value).collect()
        })
    }

    /// The values of all members by rank, for everybody.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages, which carry all values of a sub-tree up and all values down.
    pub async fn gather_to_all<T: Wire>(&mut self, value: T) -> Vec<T> {
        let all = self.gather_values(value).await;
        self.down(all).await
    }

    /// A barrier at which every member says what it wants to find again if the program begins anew because a member was
    /// lost; see `meshwright_runtime::groups::survive`.
    ///
    /// All members that are left find what they handed over at the same call, the last one that nobody missed.
    pub async fn keep<T: Wire>(&mut self, value: &T) {
        self.keep_bytes(value.to_bytes()).await;
    }

    /// What this member has kept, if the program has begun anew.
    ///
    /// # Panics
    ///
    /// When it is no such value.
    pub async fn recall<T: Wire>(&mut self) -> Option<T> {
        match self.perform(Operation::Recall).await {
            Outcome::Bytes(bytes) => Some(read(&bytes)),
            _ => None,
        }
    }

    async fn node_of(&mut self, rank: u32) -> NodeId {
        assert!(rank < self.size(), "a rank of the team");
        let nodes = self.look().await.nodes.as_ref();
        nodes.expect("members are introduced before values go from rank to rank")[rank as usize]
    }

    async fn tell<T: Wire>(&mut self, to: NodeId, value: &T) {
        self.send_bytes(to, value.to_bytes()).await;
    }

    async fn hear<T: Wire>(&mut self, from: NodeId) -> T {
        match self.perform(Operation::Receive { from }).await {
            Outcome::Bytes(bytes) => read(&bytes),
            _ => unreachable!("what is received is bytes"),
        }
    }

    /// What all members bring, put together up to the root: the root's own knowledge.
    async fn up<T: Wire>(&mut self, own: T, mut combine: impl FnMut(T, T) -> T) -> Option<T> {
        let links = self.look().await.links.clone();
        let mut value = own;
        for &(child, _) in &links.children {
            let other = self.hear(child).await;
            value = combine(value, other);
        }
        match links.parent {
            Some(parent) => {
                self.tell(parent, &value).await;
                None
            }
            None => Some(value),
        }
    }

    /// What the root knows, told to everybody.
    async fn down<T: Wire>(&mut self, known: Option<T>) -> T {
        let links = self.look().await.links.clone();
        let value = match (known, links.parent) {
            (None, Some(parent)) => self.hear(parent).await,
            (known, _) => known.expect("the root knows"),
        };
        for &(child, _) in &links.children {
            self.tell(child, &value).await;
        }
        value
    }
}

fn joined<T>(mut all: Vec<T>, more: Vec<T>) -> Vec<T> {
    all.extend(more);
    all
}

fn read<T: Wire>(bytes: &[u8]) -> T {
    T::from_bytes(bytes).expect("all members of a team bring values of one type")
}
