//! The leading summands of a number: what leads when the first of them cancel.
//!
//! A sum is the product of its leading summand and a rest (`products`). Where quotients are added, that
//! summand may cancel once they stand over what divides them: 1 - 1/(1 + e^-x) is e^-x/(1 + e^-x), and
//! 1 - e^a/Σ is the sum of the others over Σ. So a few of the largest summands are kept of what is divided,
//! with a floor below which there may be others, and added and multiplied like series.
//!
//! Guarantees: the first is the leading summand. It only chooses among true ways to write a number.
//! Misses: where all that are kept cancel.

use super::products::{Product, TIE};

/// Summands that are kept.
const KEPT: usize = 6;

#[derive(Clone, Debug)]
pub(super) struct Heads {
    /// The largest first; at least one.
    summands: Vec<Product>,
    /// All others weigh at most so much.
    floor: f64,
}

impl Heads {
    pub(super) fn of(product: Product) -> Heads {
        Heads { summands: vec![product], floor: f64::NEG_INFINITY }
    }

    pub(super) fn first(&self) -> &Product {
        &self.summands[0]
    }

    pub(super) fn negated(self) -> Heads {
        Heads { summands: self.summands.into_iter().map(Product::negated).collect(), ..self }
    }

    /// Each summand by a product.
    pub(super) fn scaled(&self, by: &Product) -> Option<Heads> {
        let summands = self.summands.iter().map(|own| own.times(by)).collect::<Option<_>>()?;
        Some(Heads { summands, floor: self.floor + by.weight() })
    }

    /// A single one in another way to write it.
    pub(super) fn settled(self, write: impl Fn(Product) -> Option<Product>) -> Option<Heads> {
        match &self.summands[..] {
            [one] if self.floor == f64::NEG_INFINITY => Some(Heads::of(write(one.clone())?)),
            _ => Some(self),
        }
    }

    pub(super) fn plus(&self, other: &Heads) -> Option<Heads> {
        let all = self.summands.iter().chain(&other.summands).cloned().collect();
        Heads::tidied(all, self.floor.max(other.floor))
    }

    pub(super) fn times(&self, other: &Heads) -> Option<Heads> {
        let mut all = Vec::with_capacity(self.summands.len() * other.summands.len());
        for one in &self.summands {
            for two in &other.summands {
                all.push(one.times(two)?);
            }
        }
        let floor = (self.floor + other.first().weight()).max(other.floor + self.first().weight());
        Heads::tidied(all, floor)
    }

    /// The largest, those of one function added.
    fn tidied(mut all: Vec<Product>, floor: f64) -> Option<Heads> {
        all.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
        let mut summands: Vec<Product> = Vec::with_capacity(all.len());
        for next in all {
            let near = |own: &&mut Product| own.weight() - next.weight() <= margin(own.weight());
            match summands.iter_mut().rev().take_while(near).find(|own| own.is_multiple_of(&next)) {
                Some(own) => own.add(&next)?,
                None => summands.push(next),
            }
        }
        summands.retain(|own| !own.is_nothing());
        let floor = summands.get(KEPT).map_or(floor, |next| floor.max(next.weight()));
        summands.truncate(KEPT);
        summands.retain(|own| own.weight() - floor > margin(own.weight()));
        (!summands.is_empty()).then_some(Heads { summands, floor })
    }
}

fn margin(weight: f64) -> f64 {
    TIE * (1.0 + weight.abs())
}
