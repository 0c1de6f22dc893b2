//! A tree over ranks, along which work is handed on.

use meshwright_core::error::{Error, Result};

/// A rank that is handed work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its number.
    pub rank: u32,
    /// The phase in which it gets its problem, from 1.
    pub phase: u32,
    /// How many ranks work at that problem in the end: the child and all below it.
    pub workers: u32,
}

/// What a rank has to know of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Who hands it work; none for the root, and for ranks outside the tree.
    pub parent: Option<u32>,
    /// The phase in which it gets its problem; 0 where there is no parent.
    pub phase: u32,
    /// Whom it hands work, in the order of phases.
    pub children: Vec<Child>,
    /// How many ranks work at its problem in the end; 0 for ranks outside the tree.
    pub workers: u32,
}

/// The tree of keep half, send half over ranks; ranks outside the tree have nothing to do.
///
/// # Source
///
/// `lo1990`, section 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankTree {
    root: u32,
    phases: u32,
    places: Vec<Place>,
}

impl RankTree {
    /// The tree of any number of ranks with rank 0 as its root: an owner of m ranks keeps floor(m/2) of them and sends
    /// ceil(m/2) away. For 2^n ranks it is the binomial tree.
    ///
    /// # Panics
    ///
    /// When there is no rank.
    ///
    /// # Complexity
    ///
    /// O(ranks).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::RankTree;
    /// let tree = RankTree::halving(8);
    /// let handed: Vec<_> = tree.place(0).children.iter().map(|child| (child.rank, child.workers)).collect();
    /// assert_eq!((tree.phases(), handed), (3, vec![(4, 4), (2, 2), (1, 1)]));
    /// assert_eq!(tree.place(6).parent, Some(4));
    /// ```
    pub fn halving(ranks: u32) -> Self {
        assert!(ranks > 0, "a tree has a root");
        let mut edges = Vec::with_capacity(ranks as usize - 1);
        let mut owners = vec![(0, ranks)];
        let mut phase = 0;
        while owners.iter().any(|&(_, size)| size > 1) {
            phase += 1;
            let mut next = Vec::with_capacity(2 * owners.len());
            for (owner, size) in owners {
                let keep = size / 2;
                if keep == 0 {
                    next.push((owner, size));
                    continue;
                }
                edges.push((phase, owner, owner + keep));
                next.extend([(owner, keep), (owner + keep, size - keep)]);
            }
            owners = next;
        }
        Self::new(ranks, 0, &edges).expect("halves make a tree")
    }

    /// A tree given by its edges (phase, parent, child), phases from 1, in any order; edges of one parent in one phase are
    /// run through in the order given.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the edges name a rank there is not, or make no tree: a rank that gets work twice, or hands
    /// work on before it has any.
    ///
    /// # Complexity
    ///
    /// O(ranks + edges log edges).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::RankTree;
    /// let tree = RankTree::new(4, 2, &[(1, 2, 0), (2, 0, 3)])?;
    /// assert_eq!((tree.place(2).workers, tree.place(0).workers, tree.place(1).workers), (3, 2, 0));
    /// assert!(RankTree::new(4, 2, &[(2, 2, 0), (1, 0, 3)]).is_err(), "rank 0 has nothing yet in phase 1");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(ranks: u32, root: u32, edges: &[(u32, u32, u32)]) -> Result<Self> {
        let check = |rank: u32| match rank < ranks {
            true => Ok(rank as usize),
            false => Err(Error::value("rank of the tree", rank, format!("less than {ranks}"))),
        };
        let mut places = vec![Place::default(); ranks as usize];
        places[check(root)?].workers = 1;
        let mut edges = edges.to_vec();
        edges.sort_by_key(|&(phase, ..)| phase);
        for &(phase, parent, child) in &edges {
            let (above, below) = (check(parent)?, check(child)?);
            if places[above].workers == 0 || places[above].phase >= phase {
                let expected = format!("a rank that has work before phase {phase}");
                return Err(Error::value("parent in the tree", parent, expected));
            }
            if places[below].workers > 0 {
                let expected = format!("a rank without work before phase {phase}");
                return Err(Error::value("child in the tree", child, expected));
            }
            places[below] = Place { parent: Some(parent), phase, children: Vec::new(), workers: 1 };
        }
        // Whoever is below a child got work later than the child.
        for &(_, parent, child) in edges.iter().rev() {
            places[parent as usize].workers += places[child as usize].workers;
        }
        for &(phase, parent, child) in &edges {
            let workers = places[child as usize].workers;
            places[parent as usize].children.push(Child { rank: child, phase, workers });
        }
        let phases = edges.last().map_or(0, |&(phase, ..)| phase);
        Ok(Self { root, phases, places })
    }

    /// The rank that holds the problem at first and the solution in the end.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// How many ranks there are, those outside the tree as well.
    pub fn ranks(&self) -> u32 {
        self.places.len() as u32
    }

    /// n: in how many phases the tree is run through once.
    pub fn phases(&self) -> u32 {
        self.phases
    }

    /// What a rank has to know.
    ///
    /// # Panics
    ///
    /// When there is no such rank.
    pub fn place(&self, rank: u32) -> &Place {
        &self.places[rank as usize]
    }
}
