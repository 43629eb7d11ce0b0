//! sin and cos: (z - 1/z) / 2i and (z + 1/z) / 2 for z = e^(iθ).
//!
//! z is a power like any other, with a variable for i·log₂ e: e^(i(a + b)) is a product, and nothing else is
//! used of it. So sin and cos are odd and even, addition theorems hold, and sin² + cos² is 1. The i that
//! divides is the root of -1 (`roots`), which makes identities that hold in F(i) and nowhere else hold.
//!
//! Guarantees: every identity used is one of e^(iθ) in the complex numbers.
//! Misses: multiples of π, which is a variable; angles two levels inside an exponent.
//! Source: Euler, *Introductio in analysin infinitorum*, 1748, §138.

use super::constants::turn;
use super::demands::inner;
use super::field::{self, LEVELS, ZERO};
use super::value::{Levels, Value, by_level};
use super::walk::Walk;
use crate::term::Term;

impl Walk<'_> {
    /// sin or cos of a term, at levels 0 and 1.
    pub(super) fn angle(&mut self, a: Term, sine: bool, levels: Levels) -> Value {
        let angle = self.get(a, inner(levels));
        if !angle.is_finite() {
            return Value::LOST;
        }
        let mut z = [ZERO; LEVELS];
        for level in (0..LEVELS - 1).filter(|level| levels >> level & 1 == 1) {
            let exponent = field::multiply(level + 1, angle.at[level + 1], turn(self.atoms.seed, level + 1));
            z[level] = field::power_of_two(level, exponent);
        }
        let degree = 1.0 + angle.degree[0] + angle.degree[1];
        let power = Value { degree: [degree, 0.0], chosen: angle.chosen, ..Value::finite(z) };
        let inverse = Value { degree: [degree, 0.0], ..power.inverse(levels) };
        let like = Value { degree: [degree, 0.0], chosen: angle.chosen, ..Value::finite([ZERO; LEVELS]) };
        if sine {
            // 1/2i is -i/2.
            let turned = inverse.minus(power, levels).scaled((1, 2), levels);
            return self.atoms.roots.complex(Value { sample: angle.sample.sin(), ..like }, turned.at, levels);
        }
        let cosine = power.plus(inverse, levels).scaled((1, 2), levels);
        let at = by_level!(levels, L => cosine.at[L]);
        Value { at, sample: angle.sample.cos(), ..like }
    }
}
