//! Which parts of two terms are the same, for what is shown beside one another.
//!
//! Two parts count as the same if their digests agree at several points (`fingerprint`), so that a sum in another order
//! is the same sum. This is about reading: no answer rests on it.
//!
//! Guarantees: none that a proof could use. Misses: what digests do not know, and terms that are too large to look at
//! for a text.

use super::Meanings;
use super::fingerprint::Digests;
use crate::base::{Budget, Exhausted};
use crate::term::eval::Reach;
use crate::term::flatten::Part;
use crate::term::{Term, Terms};

/// Points at which digests have to agree.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=2;
/// Nodes of a term that is looked at.
const NODES: usize = 1 << 16;

/// The digests of two terms.
pub struct Alike<'a> {
    terms: [&'a Terms; 2],
    digests: Vec<[Digests; 2]>,
}

impl<'a> Alike<'a> {
    /// Looks at a pair; `None` where a term is too large, or where the two look the same as a whole.
    pub fn of(
        terms: [&'a Terms; 2],
        pair: [Term; 2],
        meanings: &Meanings,
        budget: &Budget,
    ) -> Result<Option<Alike<'a>>, Exhausted> {
        for (terms, root) in terms.into_iter().zip(pair) {
            if Reach::of(terms, &[root], budget)?.nodes().take(NODES + 1).count() > NODES {
                return Ok(None);
            }
        }
        let mut digests = Vec::new();
        for seed in SEEDS {
            let of = |side: usize| Digests::of(terms[side], pair[side], meanings.side(side), seed, budget);
            digests.push([of(0)?, of(1)?]);
        }
        let alike = Alike { terms, digests };
        let whole = alike.are(Part::Whole(pair[0]), Part::Whole(pair[1]));
        Ok((!whole).then_some(alike))
    }

    /// Whether a part of the first is the same as one of the second.
    pub fn are(&self, a: Part, b: Part) -> bool {
        self.digests
            .iter()
            .all(|[first, second]| first.part(self.terms[0], a) == second.part(self.terms[1], b))
    }
}
