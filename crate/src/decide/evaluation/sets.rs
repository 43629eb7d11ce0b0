//! Sets of small numbers, each kept once: the candidates of running maxima.
//!
//! A set is a binary trie over the bits of its members, and every subtree is interned, so that equal
//! sets have one number whatever order they were put together in, and the running maxima of a row
//! share nearly all they are made of: adding a member to a set of n costs log n.
//!
//! Source: Okasaki and Gill, *Fast Mergeable Integer Maps* (1998), with hash-consing.

use rustc_hash::FxHashMap;

/// A set, by its number; equal sets have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Set(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Tree {
    Member(u32),
    /// Members differ first in this bit, the highest one; those without it are on the left.
    Fork {
        bit: u8,
        left: Set,
        right: Set,
    },
}

#[derive(Default)]
pub(super) struct Sets {
    trees: Vec<(Tree, u32)>,
    known: FxHashMap<Tree, Set>,
}

impl Set {
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

impl Sets {
    /// The set of one number.
    pub(super) fn of(&mut self, member: u32) -> Set {
        self.intern(Tree::Member(member), 1)
    }

    /// How many members.
    pub(super) fn len(&self, set: Set) -> usize {
        self.trees[set.0 as usize].1 as usize
    }

    /// The members, ascending.
    pub(super) fn members(&self, set: Set) -> Vec<u32> {
        let (mut open, mut members) = (vec![set], Vec::with_capacity(self.len(set)));
        while let Some(set) = open.pop() {
            match self.trees[set.0 as usize].0 {
                Tree::Member(member) => members.push(member),
                Tree::Fork { left, right, .. } => open.extend([right, left]),
            }
        }
        members
    }

    /// Whether a number is a member.
    pub(super) fn contains(&self, mut set: Set, member: u32) -> bool {
        loop {
            match self.trees[set.0 as usize].0 {
                Tree::Member(own) => return own == member,
                Tree::Fork { bit, left, right } => set = if member >> bit & 1 == 0 { left } else { right },
            }
        }
    }

    /// The others; `None` if there are none. Recursion is at most 32 deep.
    pub(super) fn without(&mut self, set: Set, member: u32) -> Option<Set> {
        let Tree::Fork { bit, left, right } = self.trees[set.0 as usize].0 else {
            return (!self.contains(set, member)).then_some(set);
        };
        let rest = |this: &mut Self, set: Set, other: Set, turned: bool| match this.without(set, member) {
            Some(rest) if turned => this.fork(bit, other, rest),
            Some(rest) => this.fork(bit, rest, other),
            None => other,
        };
        Some(match member >> bit & 1 {
            0 => rest(self, left, right, false),
            _ => rest(self, right, left, true),
        })
    }

    /// Both together. Recursion is at most 32 deep.
    pub(super) fn union(&mut self, a: Set, b: Set) -> Set {
        if a == b {
            return a;
        }
        let (sample, other) = (self.any(a), self.any(b));
        let apart = sample ^ other;
        let (x, y) = (self.trees[a.0 as usize].0, self.trees[b.0 as usize].0);
        let fork = |tree: Tree| match tree {
            Tree::Member(_) => None,
            Tree::Fork { bit, left, right } => Some((bit, left, right)),
        };
        let (of_x, of_y) = (fork(x), fork(y));
        let split = if apart == 0 { None } else { Some(31 - apart.leading_zeros() as u8) };
        let highest = of_x.map(|fork| fork.0).max(of_y.map(|fork| fork.0));
        if let Some(split) = split.filter(|split| highest.is_none_or(|highest| *split > highest)) {
            return if sample >> split & 1 == 0 { self.fork(split, a, b) } else { self.fork(split, b, a) };
        }
        match (of_x, of_y) {
            (Some((i, left, right)), Some((j, below, above))) if i == j => {
                let (left, right) = (self.union(left, below), self.union(right, above));
                self.fork(i, left, right)
            }
            (Some((i, left, right)), fork) if fork.is_none_or(|fork| fork.0 < i) => {
                if other >> i & 1 == 0 {
                    let left = self.union(left, b);
                    self.fork(i, left, right)
                } else {
                    let right = self.union(right, b);
                    self.fork(i, left, right)
                }
            }
            (_, Some(_)) => self.union(b, a),
            // Two members that are not apart are one.
            _ => a,
        }
    }

    /// What is in both, and what is in one of them only; what they share is not looked at.
    pub(super) fn apart(&mut self, a: Set, b: Set) -> (Option<Set>, [Vec<u32>; 2]) {
        let (mut both, mut own) = (None, [Vec::new(), Vec::new()]);
        let mut open = vec![[Some(a), Some(b)]];
        while let Some(pair) = open.pop() {
            let [a, b] = match pair {
                [Some(a), Some(b)] if a == b => {
                    both = Some(both.map_or(a, |all| self.union(all, a)));
                    continue;
                }
                [Some(a), Some(b)] => [a, b],
                _ => {
                    for (own, set) in own.iter_mut().zip(pair) {
                        own.extend(set.map_or(Vec::new(), |set| self.members(set)));
                    }
                    continue;
                }
            };
            let fork = |set: Set| match self.trees[set.0 as usize].0 {
                Tree::Member(_) => None,
                Tree::Fork { bit, left, right } => Some((bit, left, right)),
            };
            match (fork(a), fork(b)) {
                (Some((i, left, right)), Some((j, below, above))) if i == j => {
                    open.extend([[Some(left), Some(below)], [Some(right), Some(above)]]);
                }
                // Members of b do not differ in that bit.
                (Some((i, left, right)), other) if other.is_none_or(|other| other.0 < i) => {
                    let near = self.any(b) >> i & 1 == 1;
                    let (near, far) = if near { (right, left) } else { (left, right) };
                    open.extend([[Some(near), Some(b)], [Some(far), None]]);
                }
                (_, Some((i, left, right))) => {
                    let near = self.any(a) >> i & 1 == 1;
                    let (near, far) = if near { (right, left) } else { (left, right) };
                    open.extend([[Some(a), Some(near)], [None, Some(far)]]);
                }
                _ => open.extend([[Some(a), None], [None, Some(b)]]),
            }
        }
        (both, own)
    }

    fn any(&self, set: Set) -> u32 {
        let mut set = set;
        loop {
            match self.trees[set.0 as usize].0 {
                Tree::Member(member) => return member,
                Tree::Fork { left, .. } => set = left,
            }
        }
    }

    fn fork(&mut self, bit: u8, left: Set, right: Set) -> Set {
        let size = self.trees[left.0 as usize].1 + self.trees[right.0 as usize].1;
        self.intern(Tree::Fork { bit, left, right }, size)
    }

    fn intern(&mut self, tree: Tree, size: u32) -> Set {
        let next = Set(self.trees.len() as u32);
        let set = *self.known.entry(tree).or_insert(next);
        if set == next {
            self.trees.push((tree, size));
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = Sets::default();
        let mut found: std::collections::BTreeMap<BTreeSet<u32>, Set> = Default::default();
        let mut pool: Vec<(BTreeSet<u32>, Set)> = Vec::new();
        let mut word = 1u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) as usize
        };
        for step in 0..4000 {
            let (members, set) = if step < 12 || next() % 8 == 0 {
                let member = [next() % 12, next()][next() % 2] as u32;
                (BTreeSet::from([member]), sets.of(member))
            } else {
                let (a, b) = (&pool[next() % pool.len()], &pool[next() % pool.len()]);
                (&a.0 | &b.0, sets.union(a.1, b.1))
            };
            assert_eq!(sets.members(set), members.iter().copied().collect::<Vec<_>>());
            assert_eq!(sets.len(set), members.len());
            let one = (next() % 12) as u32;
            assert_eq!(sets.contains(set, one), members.contains(&one));
            let others: BTreeSet<u32> = members.iter().copied().filter(|member| *member != one).collect();
            let without = sets.without(set, one);
            assert_eq!(without.is_some(), !others.is_empty());
            if let Some(without) = without {
                assert_eq!(sets.members(without), others.iter().copied().collect::<Vec<_>>());
                assert_eq!(*found.entry(others).or_insert(without), without);
            }
            assert_eq!(*found.entry(members.clone()).or_insert(set), set);
            if let Some((others, other)) = pool.last() {
                let (both, own) = sets.apart(set, *other);
                let shared: Vec<u32> = both.map_or(Vec::new(), |both| sets.members(both));
                assert_eq!(shared, members.intersection(others).copied().collect::<Vec<_>>());
                for (own, (a, b)) in own.into_iter().zip([(&members, others), (others, &members)]) {
                    assert_eq!(own.into_iter().collect::<BTreeSet<u32>>(), a - b);
                }
            }
            pool.push((members, set));
        }
    }
}
