//! A set of nodes in some order, and what splitting it means.

use fixedbitset::FixedBitSet;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::order::order;
use meshwright_network::topology::{Machine, Topology};

/// A set of living nodes in an order: a member's rank is its place.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let all = Group::whole(&mesh, "hilbert")?;
/// assert_eq!(all.members(), [0, 2, 3, 1].map(NodeId));
/// let parts = all.split(&[7, 5, 7, 5]);
/// assert_eq!(parts[0], (5, Group::of(&mesh, "hilbert", &[1, 2].map(NodeId))?));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    members: Vec<NodeId>,
}

impl Group {
    /// All living nodes of a machine, in this order of its box; a network without a box is a line of ids.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown order.
    ///
    /// # Complexity
    ///
    /// O(nodes).
    pub fn whole(machine: &Machine, order_name: &str) -> Result<Self> {
        let walk = (order(order_name)?.walk)(machine.sides());
        Ok(Self { members: walk.into_iter().filter(|&node| machine.is_alive(node)).collect() })
    }

    /// These nodes, in this order of the machine's box.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown order, and for a node that is outside the machine, dead or named twice.
    ///
    /// # Complexity
    ///
    /// O(nodes).
    pub fn of(machine: &Machine, order_name: &str, nodes: &[NodeId]) -> Result<Self> {
        let mut wanted = FixedBitSet::with_capacity(machine.nodes() as usize);
        for &node in nodes {
            if node.0 >= machine.nodes() || !machine.is_alive(node) {
                let expected = format!("a living node of {}", machine.name());
                return Err(Error::value("member of a group", node, expected));
            }
            if wanted.put(node.index()) {
                return Err(Error::value("member of a group", node, "each node once"));
            }
        }
        let walk = (order(order_name)?.walk)(machine.sides());
        Ok(Self { members: walk.into_iter().filter(|node| wanted.contains(node.index())).collect() })
    }

    /// A group whose members are in the order given.
    ///
    /// # Panics
    ///
    /// When a node is named twice.
    pub fn in_order(members: Vec<NodeId>) -> Self {
        let mut sorted = members.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "a node is a member once");
        Self { members }
    }

    /// The group without these nodes, the others in the order they had: how it goes on when members have died.
    ///
    /// # Complexity
    ///
    /// O((s + d) log d) for d dead.
    pub fn without(&self, dead: &[NodeId]) -> Self {
        let mut sorted = dead.to_vec();
        sorted.sort_unstable();
        let lives = |node: &&NodeId| sorted.binary_search(node).is_err();
        Self { members: self.members.iter().filter(lives).copied().collect() }
    }

    /// The members in the order of their ranks.
    pub fn members(&self) -> &[NodeId] {
        &self.members
    }

    /// s: how many members there are.
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// The member with this rank.
    ///
    /// # Panics
    ///
    /// When the rank is not below [`Group::size`].
    pub fn node(&self, rank: u32) -> NodeId {
        self.members[rank as usize]
    }

    /// The groups of equal colours, in increasing colour; the order of the members stays.
    ///
    /// # Panics
    ///
    /// When there is not one colour for each member.
    ///
    /// # Complexity
    ///
    /// O(s log s).
    pub fn split(&self, colours: &[u32]) -> Vec<(u32, Self)> {
        self.split_by(colours, &vec![0; self.members.len()])
    }

    /// The groups of equal colours, in increasing colour, their members by key and, of equal keys, by old rank: what
    /// `MPI_Comm_split` does.
    ///
    /// # Panics
    ///
    /// When there is not one colour and one key for each member.
    ///
    /// # Complexity
    ///
    /// O(s log s).
    pub fn split_by(&self, colours: &[u32], keys: &[u32]) -> Vec<(u32, Self)> {
        assert_eq!(colours.len(), self.members.len(), "a colour for each member");
        assert_eq!(keys.len(), self.members.len(), "a key for each member");
        let mut ranks: Vec<usize> = (0..self.members.len()).collect();
        ranks.sort_unstable_by_key(|&rank| (colours[rank], keys[rank], rank));
        ranks
            .chunk_by(|&a, &b| colours[a] == colours[b])
            .map(|part| (colours[part[0]], Self { members: part.iter().map(|&r| self.members[r]).collect() }))
            .collect()
    }
}
