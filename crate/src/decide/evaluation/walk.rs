//! One pass over a cone: the value of every node at the random points.
//!
//! Two sweeps over flat vectors, no recursion. The first goes from the roots down and finds at which
//! levels each node is asked for: an exponent one level further in than its power, everything that
//! makes the key of an atom at level 0. The second goes up and computes.

mod bits;
mod borders;
mod counts;
mod exchanges;
mod intervals;
pub(super) mod masks;
mod networks;
mod orders;
mod ranks;
pub(super) mod rows;
pub(super) mod worlds;

use super::atoms::{Atoms, Classified, Member, Way};
use super::carried::Expanded;
use super::constants::{self, ELEMENT, MISSING};
use super::demands::{ALL, Demand, Demands, demands};
use super::field::{self, LEVELS, Residue, ZERO};
use super::lattice::Place;
use super::powers::Power;
use super::products::{Divisor, Product};
use super::sets::Set;
use super::value::{Kind, Levels, Sign, Value, by_level};
use crate::base::{Budget, Exhausted};
use crate::decide::{Exact, Factor, Meaning};
use crate::term::eval::{Cone, operands};
use crate::term::{Elements, Node, Relation, Term, Terms, Unary};
use bits::Bits;
use borders::Supposed;
use counts::Counts;
use intervals::ByInteger;
use masks::Shape;
use num_rational::Ratio;
use orders::Met;
use ranks::Ranks;
use rows::Rows;
use rustc_hash::{FxHashMap, FxHashSet};
use worlds::Worlds;

/// Factors of a product whose magnitude is that of its factors.
const FACTORS: usize = 16;
/// Steps that a node counts for.
const EFFORT: u64 = 16;

/// A condition `[number > 0]` of a number of a class, or its contrary.
#[derive(Clone, Copy)]
struct Asked {
    member: Member,
    contrary: bool,
}

/// A value that has to be in a domain, by the step that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Domain {
    NotZero(Term),
    InRange(Term),
}

pub(super) struct Walk<'a> {
    terms: &'a Terms,
    elements: &'a Elements,
    cone: &'a Cone,
    pub(super) atoms: &'a mut Atoms,
    names: &'a mut Vec<String>,
    constants: Vec<Value>,
    steps: Vec<Small>,
    levels: [Vec<Residue>; LEVELS],
    pub(super) lambda: [Residue; LEVELS],
    /// What the steps are worth with random reals for variables, if that is asked for.
    samples: Vec<f64>,
    pub(super) meanings: &'a [Meaning],
    pub(super) demands: Demands,
    pub(super) products: Products,
    inverses: FxHashMap<Term, (Value, Levels)>,
    asked: FxHashMap<Term, Asked>,
    /// Candidates of maxima, and of minima (negated), by step.
    largest: FxHashMap<Term, Set>,
    smallest: FxHashMap<Term, Set>,
    /// What maxima and minima together made of candidates, by step.
    places: FxHashMap<Term, Place>,
    /// Steps that are not finite everywhere, or 0 in known places.
    shapes: FxHashMap<Term, Shape>,
    /// Whether what is 0 in known places is told apart from it: beside infinities, and under what may be 0 there.
    sparse: bool,
    /// Where conditions hold, as far as that was asked.
    conditions: FxHashMap<Term, Place>,
    counts: Counts,
    /// Powers by their residue, for `orders`.
    met: FxHashMap<Residue, Met>,
    supposed: Supposed,
    by_integer: ByInteger,
    bits: Bits,
    /// Conditions that wait for others within them.
    within: u32,
    /// Copies of steps, if there are.
    carried: Option<&'a Expanded>,
    pub(super) worlds: Worlds,
    /// Small steps by the form of their conditions, if that is asked for.
    rows: Option<Rows<'a>>,
    ranks: Ranks,
    seen: FxHashSet<Residue>,
    /// What was taken to be defined, in store numbers.
    pub(super) domains: Vec<Domain>,
    /// Whether the step at hand is guarded.
    pub(super) guarded: bool,
    /// Which steps may be undefined for some inputs, as far as is known.
    partial: Vec<bool>,
    /// The largest degree of what made a key.
    pub(super) key_degree: f32,
}

/// A value without its residues.
#[derive(Clone, Copy)]
struct Small {
    kind: Kind,
    sign: Sign,
    chosen: bool,
    degree: [f32; 2],
    parts: u32,
}

/// What is known of steps and of e to multiples of them as products, by step (and number of the multiple).
#[derive(Default)]
pub(super) struct Products {
    pub(super) leading: FxHashMap<usize, Product>,
    pub(super) split: FxHashMap<usize, Product>,
    pub(super) powers: FxHashMap<(usize, usize), Power>,
    /// What steps are divided by, where that is known and something.
    pub(super) divisors: FxHashMap<usize, Divisor>,
}

impl Products {
    /// How many were told apart.
    pub(super) fn count(&self) -> usize {
        self.leading.len() + 2 * self.powers.len()
    }
}

impl<'a> Walk<'a> {
    /// Evaluates all steps of a cone.
    pub(super) fn over(
        (side, terms, elements): (usize, &'a Terms, &'a Elements),
        (cone, carried, rows): (&'a Cone, Option<&'a Expanded>, Option<Rows<'a>>),
        meanings: &'a [Meaning],
        atoms: &'a mut Atoms,
        names: &'a mut Vec<String>,
        budget: &Budget,
    ) -> Result<Walk<'a>, Exhausted> {
        let demands = demands(cone, meanings, atoms.way, carried);
        budget.poll()?;
        let seed = atoms.seed;
        let mut constants = vec![Value::LOST; meanings.len()];
        let mut shapes = FxHashMap::default();
        // 0 and 1 are compared with where they do not stand.
        let always = [Term::ZERO, Term::ONE].map(|term| term.as_constant().unwrap_or(0) as u32);
        for constant in cone.constants().iter().chain(&always) {
            let meaning = &meanings[*constant as usize];
            if *meaning == Meaning::NotANumber {
                shapes.insert(Term::constant(*constant as usize), Shape::undefined());
            }
            constants[*constant as usize] = match meaning {
                Meaning::Unwritten => missing_value(seed, side),
                meaning => constant_value(seed, meaning),
            };
        }
        let all = demands.steps.iter().fold(0, |all, own| all | own.levels);
        let sampled = demands.steps.iter().any(|own| own.products != 0);
        let count = cone.steps().len();
        let mut walk =
            Walk {
                terms,
                elements,
                cone,
                names,
                constants,
                steps: Vec::with_capacity(count),
                levels: std::array::from_fn(|level| {
                    if all >> level & 1 == 1 { vec![ZERO; count] } else { Vec::new() }
                }),
                lambda: std::array::from_fn(|level| constants::lambda(seed, level)),
                samples: vec![0.0; if sampled { count } else { 0 }],
                meanings,
                demands,
                products: Products::default(),
                inverses: FxHashMap::default(),
                asked: FxHashMap::default(),
                largest: FxHashMap::default(),
                smallest: FxHashMap::default(),
                places: FxHashMap::default(),
                shapes,
                sparse: cone.constants().iter().any(|constant| {
                    matches!(meanings[*constant as usize], Meaning::Infinity | Meaning::MinusInfinity)
                }) || masks::divides_by_choice(cone),
                conditions: FxHashMap::default(),
                counts: Counts::default(),
                met: FxHashMap::default(),
                supposed: Supposed::new(count),
                by_integer: ByInteger::new(count),
                bits: Bits::default(),
                within: 0,
                carried,
                worlds: Worlds::default(),
                rows,
                ranks: Ranks::default(),
                seen: FxHashSet::default(),
                domains: Vec::new(),
                guarded: false,
                partial: Vec::new(),
                key_degree: 1.0,
                atoms,
            };
        if walk.atoms.way == Way::Ranked {
            walk.find_ranked();
        }
        walk.partial.reserve(count);
        for (at, node) in cone.steps().iter().enumerate() {
            if at.is_multiple_of(4096) {
                budget.spend_block(at, count, 4096, EFFORT)?;
            }
            let Demand { levels, products, guarded, .. } = walk.demands.steps[at];
            walk.guarded = guarded;
            let partial = walk.is_partial(node);
            walk.partial.push(partial);
            walk.atoms.bases.doubtful = guarded && partial;
            let own = Term::from_node(at);
            let value = match walk.row(own)? {
                Some(value) => value,
                None => walk.node(own, node, levels),
            };
            let value = walk.carry(at, node, value, levels);
            let Value { kind, sign, chosen, degree, parts, sample, .. } = value;
            walk.steps.push(Small { kind, sign, chosen, degree, parts });
            for level in (0..LEVELS).filter(|level| levels >> level & 1 == 1) {
                walk.levels[level][at] = value.at[level];
            }
            if let Some(own) = walk.samples.get_mut(at) {
                *own = sample;
            }
            walk.powers_of(at, node);
            if products != 0 {
                walk.product_of(at, node, &value);
            }
        }
        Ok(walk)
    }

    /// Whether a step may be undefined for some inputs, given which of those before it may.
    fn is_partial(&self, node: &Node) -> bool {
        let is = |term: Term| term.as_node().is_some_and(|step| self.partial[step]);
        let sign = |term: Term| self.get(term, 0).sign;
        let own = match node {
            Node::Div(_, b) | Node::Unary(Unary::Recip, b) => !sign(*b).not_zero,
            Node::Unary(Unary::Sqrt, a) => !sign(*a).not_negative,
            Node::Unary(Unary::Rsqrt | Unary::Log | Unary::Log2, a) => !sign(*a).is_positive(),
            _ => false,
        };
        own || operands(node).into_iter().flatten().any(is)
    }

    /// The value of a root, at level 0.
    pub(super) fn root(&self, at: usize) -> Value {
        self.get(self.cone.roots()[at], 1)
    }

    pub(super) fn get(&self, term: Term, levels: Levels) -> Value {
        if let Some(step) = term.as_node() {
            let Small { kind, sign, chosen, degree, parts } = self.steps[step];
            let mut at = [ZERO; LEVELS];
            for level in (0..LEVELS).filter(|level| levels >> level & 1 == 1) {
                at[level] = self.levels[level][step];
            }
            let sample = self.samples.get(step).copied().unwrap_or_default();
            return Value { kind, sign, chosen, degree, sample, parts, at };
        }
        if let Some(element) = term.as_element() {
            if let Some(value) = self.supposed.element(element) {
                return value;
            }
            let name = ELEMENT | u64::from(element);
            let at = by_level!(levels, L => field::random_residue(self.atoms.seed, L, name));
            return Value::unknown(at, field::random_real(self.atoms.seed, name));
        }
        self.constants[term.as_constant().unwrap_or(0)]
    }

    fn node(&mut self, own: Term, node: &Node, levels: Levels) -> Value {
        if matches!(node, Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..))
            && let Some(value) = self.ranked(own)
        {
            return value;
        }
        if let Some(value) = self.masked(own, node, levels) {
            if let Some(ranked) = self.ranked(own) {
                self.shapes.remove(&own);
                return ranked;
            }
            return value;
        }
        if let Node::Not(a) = node
            && let Some(Asked { member, contrary }) = self.asked.get(a).copied()
        {
            self.asked.insert(own, Asked { member, contrary: !contrary });
        }
        self.note_choices(own, node);
        if let Some(value) = self.combine_integer(own, node) {
            return value;
        }
        match *node {
            Node::Element(_) | Node::Constant(_) => Value::LOST,
            Node::Add(a, b) => {
                let (a, b) = (self.get(a, levels), self.get(b, levels));
                self.atoms.roots.plus(a, b, levels)
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.get(a, levels), self.get(b, levels));
                self.atoms.roots.minus(a, b, levels)
            }
            Node::Mul(a, b) => self.product(a, b, levels),
            Node::Fma(a, b, c) => {
                let (product, c) = (self.product(a, b, levels), self.get(c, levels));
                self.atoms.roots.plus(product, c, levels)
            }
            Node::Div(a, b) => {
                let (a, inverse) = (self.get(a, levels), self.inverse(b, levels));
                self.atoms.roots.times(a, inverse, levels)
            }
            Node::Unary(function, _)
                if function.is_rounding()
                    && let Some(value) = self.of_bits(own) =>
            {
                value
            }
            Node::Unary(function, a) => {
                if function == Unary::Neg {
                    self.turn_candidates(own, a);
                }
                self.unary(function, a, levels)
            }
            Node::Max(a, b) => self.extremum(own, [a, b], true),
            Node::Min(a, b) => self.extremum(own, [a, b], false),
            Node::Select(condition, a, b) => self.select(own, condition, a, b),
            Node::Compare(relation, a, b) => self.compare(own, relation, a, b, levels),
            Node::And(a, b) => self.get(a, levels).times(self.get(b, levels), levels),
            Node::Or(a, b) => {
                let (a, b) = (self.get(a, levels), self.get(b, levels));
                a.plus(b, levels).minus(a.times(b, levels), levels)
            }
            Node::Not(a) => Value::ONE.minus(self.get(a, levels), levels),
            Node::FromBits(..) | Node::Round(..) if let Some(value) = self.of_bits(own) => value,
            Node::Bits(op, ..)
                if op.is_condition()
                    && let Some(holds) = self.compare_bits(own) =>
            {
                holds
            }
            Node::Round(mode, format, a) => self.opaque(&[40, mode as u64, format as u64], &[a], levels),
            Node::BitsOf(format, a) => self.opaque(&[41, format as u64], &[a], levels),
            Node::BitConstant(bits) => self.opaque(&[42, bits], &[], levels),
            Node::Bits(op, width, a, b, c) => {
                let mut parts = [a, b, c];
                if op.commutes() {
                    parts[..2].sort_by_key(|part| self.get(*part, 1).at[0]);
                }
                let value = self.opaque(&[43, op as u64, u64::from(width)], &parts, levels);
                if op.is_condition() {
                    return Value { chosen: true, ..value.with_sign(Sign::NOT_NEGATIVE) };
                }
                value
            }
            Node::FromBits(format, a) => self.opaque(&[44, format as u64], &[a], levels),
            Node::Apply(function, a, b) => {
                let name = self.terms.function_name(function);
                let number = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                    self.names.push(name.to_owned());
                    self.names.len() - 1
                });
                self.opaque(&[45, number as u64], &[a, b], levels)
            }
        }
    }

    fn product(&mut self, a: Term, b: Term, levels: Levels) -> Value {
        let (x, y) = (self.get(a, levels), self.get(b, levels));
        let product = self.atoms.roots.times(x, y, levels);
        if a == b && product.is_finite() {
            let sign = Sign { not_zero: x.sign.not_zero, ..Sign::NOT_NEGATIVE };
            return product.with_sign(sign);
        }
        product
    }

    /// `1 / b`, remembered: every output of a row divides by the same sum.
    fn inverse(&mut self, b: Term, levels: Levels) -> Value {
        if !self.supposed.any()
            && let Some((known, have)) = self.inverses.get(&b)
            && levels & !have == 0
            && !(self.guarded && known.chosen)
        {
            return *known;
        }
        let value = self.get(b, levels | 1);
        // A divisor that vanishes where its branch is not taken would not be multiplied by 0 but by 0/0.
        if self.guarded && value.chosen && !value.sign.not_zero {
            return Value::LOST;
        }
        if value.is_finite() && !value.sign.not_zero {
            self.assume(value, Domain::NotZero(b));
        }
        let inverse = self.atoms.roots.inverse(value, levels);
        if self.supposed.any() {
            return inverse;
        }
        self.inverses.insert(b, (inverse, levels));
        inverse
    }

    /// Whether what is evaluated counts wherever its kernel is defined.
    pub(super) fn is_unconditional(&self) -> bool {
        !self.guarded && !self.supposed.any()
    }

    /// Notes that a value is in a domain, unless one that is the same function was noted.
    fn assume(&mut self, value: Value, domain: Domain) {
        if self.supposed.any() {
            return;
        }
        let (Domain::NotZero(term) | Domain::InRange(term)) = domain;
        // Inside of an exponent a value may be known one level up alone.
        let asked = term.as_node().map_or(ALL, |step| self.demands.steps[step].levels);
        let level = asked.trailing_zeros() as usize;
        if let Some(key) = value.at.get(level).filter(|_| value.is_finite()) {
            // A constant needs no assumption.
            if key.iter().all(|lane| *lane == key[0]) || !self.seen.insert(*key) {
                return;
            }
        }
        let stored = |term: Term| term.as_node().map_or(term, |step| self.cone.node(step));
        self.domains.push(match domain {
            Domain::NotZero(term) => Domain::NotZero(stored(term)),
            Domain::InRange(term) => Domain::InRange(stored(term)),
        });
    }

    /// An uninterpreted function of what its arguments are.
    fn opaque(&mut self, name: &[u64], arguments: &[Term], levels: Levels) -> Value {
        let mut key = name.to_vec();
        for argument in arguments {
            let value = self.get(*argument, 1);
            if !value.is_finite() {
                return Value::LOST;
            }
            self.key_of(&value, &mut key);
        }
        self.atoms.atom(levels, key)
    }

    pub(super) fn key_of(&mut self, value: &Value, key: &mut Vec<u64>) {
        self.key_degree = self.key_degree.max(value.degree[0] + value.degree[1]);
        key.extend(value.at[0]);
    }

    /// The class of a finite value.
    pub(super) fn classify(&mut self, value: &Value) -> Option<Classified> {
        self.key_degree = self.key_degree.max(2.0 * (value.degree[0] + value.degree[1]));
        self.atoms.classify(&value.at)
    }

    fn unary(&mut self, function: Unary, a: Term, levels: Levels) -> Value {
        match function {
            Unary::Neg => {
                let value = self.get(a, levels);
                return self.atoms.roots.negated(value, levels);
            }
            Unary::Recip => return self.inverse(a, levels),
            Unary::Exp | Unary::Exp2 => {
                let value = self.power(a, function == Unary::Exp, 1, levels);
                self.remember_power(&value, a, function == Unary::Exp, levels);
                return value;
            }
            Unary::Tanh => {
                // 1 - 2/(1 + e^(2a))
                let power = self.power(a, true, 2, levels);
                let sign = self.get(a, 0).sign;
                let roots = &mut self.atoms.roots;
                let sum = roots.plus(Value::ONE, power, levels);
                let below = roots.inverse(sum, levels);
                let twice = roots.plus(below, below, levels);
                return roots.minus(Value::ONE, twice, levels).with_sign(sign);
            }
            Unary::Sin | Unary::Cos if levels & 4 == 0 => {
                return self.angle(a, function == Unary::Sin, levels);
            }
            _ => {}
        }
        let wide = match function {
            Unary::Log | Unary::Log2 | Unary::Floor | Unary::Ceil => levels | 1,
            Unary::Cbrt => levels,
            _ => ALL,
        };
        let value = self.get(a, wide);
        match (function, value.kind) {
            (_, Kind::Finite) => {}
            (Unary::Rsqrt, Kind::Infinity) => return Value::ZERO,
            (Unary::Sqrt | Unary::Abs | Unary::Log | Unary::Log2 | Unary::Cbrt, Kind::Infinity)
            | (Unary::Abs, Kind::MinusInfinity) => return Value::infinite(true),
            _ => return Value::LOST,
        }
        match function {
            Unary::Abs => self.magnitude_of(a, value, levels),
            Unary::Sqrt | Unary::Rsqrt => {
                let defined = value.sign.not_negative && (function == Unary::Sqrt || value.sign.not_zero);
                if value.sign.not_positive && value.sign.not_zero {
                    return Value::LOST;
                }
                if !defined {
                    self.assume(value, Domain::InRange(a));
                }
                let root = self.square_root(a, value, levels);
                let sign = Sign { not_zero: value.sign.not_zero, ..Sign::NOT_NEGATIVE };
                let root = root.with_sign(sign);
                if function == Unary::Sqrt { root } else { self.atoms.roots.inverse(root, levels) }
            }
            Unary::Cbrt => {
                let mut at = [ZERO; LEVELS];
                for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
                    let Some(root) = field::odd_root(level, value.at[level], 3) else { return Value::LOST };
                    *at = root;
                }
                Value { at, parts: 0, sample: value.sample.cbrt(), ..value }
            }
            Unary::Log | Unary::Log2 => {
                // Nothing may be assumed that is known to be false.
                if value.sign.not_positive {
                    return Value::LOST;
                }
                if !value.sign.is_positive() {
                    self.assume(value, Domain::InRange(a));
                }
                let log = self.logarithm(a, &value, levels);
                if function == Unary::Log || !log.is_finite() {
                    return log;
                }
                let at = by_level!(levels, L => field::multiply(L, log.at[L], self.lambda[L]));
                let sample = log.sample * std::f64::consts::LOG2_E;
                Value { at, sample, degree: [log.degree[0] + 1.0, log.degree[1]], ..log }
            }
            // ⌈x⌉ = -⌊-x⌋
            Unary::Ceil => {
                let below = value.negated(levels | 1);
                self.function(Unary::Floor, below, levels).negated(levels)
            }
            Unary::Floor if self.classify(&value) == Some(Classified::Constant(0)) => Value::ZERO,
            Unary::Floor => self.function(Unary::Floor, value, levels),
            // Odd and even functions, of the one of x and -x that came first.
            _ => {
                let turned = match self.classify(&value) {
                    Some(Classified::Constant(0)) if function != Unary::Cos => return Value::ZERO,
                    Some(Classified::Constant(sign)) => sign < 0,
                    Some(Classified::Member(member)) => member.ratio.0 < 0,
                    None => return Value::LOST,
                };
                let argument = if turned { value.negated(ALL) } else { value };
                let result = self.function(function, argument, levels);
                if turned && function != Unary::Cos { result.negated(levels) } else { result }
            }
        }
    }

    fn function(&mut self, function: Unary, argument: Value, levels: Levels) -> Value {
        let mut key = vec![46, function as u64];
        self.key_of(&argument, &mut key);
        self.atoms.atom(levels, key)
    }

    /// |a|, which has that value; of a product the product of the magnitudes.
    fn magnitude_of(&mut self, a: Term, value: Value, levels: Levels) -> Value {
        let (mut open, mut factors) = (vec![a], Vec::new());
        while let Some(term) = open.pop() {
            match term.as_node().map(|step| self.cone.steps()[step]) {
                Some(Node::Mul(a, b)) if open.len() + factors.len() < FACTORS => open.extend([a, b]),
                Some(Node::Unary(Unary::Neg, a)) => open.push(a),
                _ => factors.push(term),
            }
        }
        if self.atoms.way == Way::Apart || factors.len() < 2 {
            return self.magnitude(value, levels);
        }
        let sign = Sign { not_zero: value.sign.not_zero, ..Sign::NOT_NEGATIVE };
        let mut product = Value::ONE;
        for factor in factors {
            let factor = self.magnitude(self.get(factor, ALL), levels);
            product = self.atoms.roots.times(product, factor, levels);
        }
        product.with_sign(sign)
    }

    /// |x|, a root of x².
    pub(super) fn magnitude(&mut self, value: Value, levels: Levels) -> Value {
        let sign = Sign { not_zero: value.sign.not_zero, ..Sign::NOT_NEGATIVE };
        if value.sign.not_negative {
            return value;
        }
        if value.sign.not_positive {
            return value.negated(levels);
        }
        match self.classify(&value) {
            None => Value::LOST,
            Some(Classified::Constant(below)) if below < 0 => value.negated(levels),
            Some(Classified::Constant(_)) => value,
            Some(Classified::Member(member)) => {
                if self.atoms.way != Way::Apart {
                    let above = self.atoms.above_zero(member, value, levels);
                    return above.plus(above, levels).minus(value, levels).with_sign(sign);
                }
                let size = self.atoms.magnitude(member, levels);
                size.with_sign(sign)
            }
        }
    }

    /// A maximum or minimum: of two, by the sign of their difference; of more, a free variable known
    /// by the set of its candidates.
    fn extremum(&mut self, own: Term, operands: [Term; 2], largest: bool) -> Value {
        let levels = ALL;
        if let Some(value) = self.ranked(own) {
            return value;
        }
        if let Some(value) = self.network(own, operands, largest) {
            return value;
        }
        let mut joined: Option<Set> = None;
        let mut signs: Vec<Sign> = Vec::with_capacity(2);
        for operand in operands {
            let value = self.get(operand, levels);
            match (value.kind, largest) {
                (Kind::Lost, _) => return Value::LOST,
                (Kind::Infinity, true) | (Kind::MinusInfinity, false) => return value,
                (Kind::Infinity | Kind::MinusInfinity, _) => continue,
                (Kind::Finite, _) => {}
            }
            self.key_degree = self.key_degree.max(2.0 * (value.degree[0] + value.degree[1]));
            let known = if largest { &self.largest } else { &self.smallest }.get(&operand).copied();
            let set = known.unwrap_or_else(|| {
                let candidate = if largest { value } else { value.negated(levels) };
                match self.is_magnitude(operand, largest) {
                    true => self.atoms.magnitude_alone(candidate, levels),
                    false => self.atoms.candidate(candidate, levels),
                }
            });
            signs.push(if largest { value.sign } else { value.sign.negated() });
            joined = Some(joined.map_or(set, |other| self.atoms.together(other, set, levels)));
        }
        let Some(set) = joined else { return Value::infinite(!largest) };
        if let Some(winner) = self.winner(own, operands, largest) {
            return winner;
        }
        if largest { &mut self.largest } else { &mut self.smallest }.insert(own, set);
        let value = self.atoms.maximum(set, levels);
        let sign = Sign {
            not_negative: signs.iter().any(|sign| sign.not_negative),
            not_positive: signs.iter().all(|sign| sign.not_positive),
            not_zero: signs.iter().any(|sign| sign.is_positive()) || signs.iter().all(|sign| sign.not_zero),
        };
        let value = value.with_sign(sign);
        if largest { value } else { value.negated(levels) }
    }

    /// The negative of a minimum is a maximum of what was negated for it, and the other way round.
    fn turn_candidates(&mut self, own: Term, of: Term) {
        if let Some(set) = self.largest.get(&of) {
            self.smallest.insert(own, *set);
        }
        if let Some(set) = self.smallest.get(&of) {
            self.largest.insert(own, *set);
        }
    }

    /// Whether a step is |a|, or -|a| for a minimum, for all inputs: where a branch alone says what is defined, |a|
    /// may be a.
    fn is_magnitude(&self, term: Term, largest: bool) -> bool {
        let Some(step) = term.as_node() else { return false };
        let node = |term: Term| term.as_node().map(|step| &self.cone.steps()[step]);
        let is = match node(term) {
            Some(Node::Unary(Unary::Abs, _)) => largest,
            Some(Node::Unary(Unary::Neg, inside)) => {
                !largest && matches!(node(*inside), Some(Node::Unary(Unary::Abs, _)))
            }
            _ => false,
        };
        is && !(self.partial[step] && self.demands.steps[step].guarded)
    }

    /// The larger of two whose difference has a known sign, or the smaller.
    fn winner(&mut self, own: Term, [a, b]: [Term; 2], largest: bool) -> Option<Value> {
        // What a choice does not take may be undefined.
        let both = matches!(self.cone.steps()[own.as_node()?], Node::Max(..) | Node::Min(..));
        if !both || self.atoms.bases.doubtful {
            return None;
        }
        let (x, y) = (self.get(a, ALL).checked()?, self.get(b, ALL).checked()?);
        let gap = x.minus(y, ALL).sign;
        let first = if largest { gap.not_negative } else { gap.not_positive };
        let last = if largest { gap.not_positive } else { gap.not_negative };
        let (term, value) = if first { (a, x) } else { last.then_some((b, y))? };
        let known = if largest { &mut self.largest } else { &mut self.smallest };
        if let Some(set) = known.get(&term).copied() {
            known.insert(own, set);
        }
        Some(value)
    }

    /// Conditions are 0 or 1; which one is a free variable, one for each class of differences and
    /// each of its signs.
    fn compare(&mut self, own: Term, relation: Relation, a: Term, b: Term, levels: Levels) -> Value {
        let [first, second] = [a, b];
        let (a, b) = (self.get(a, ALL), self.get(b, ALL));
        let known = |holds: bool| if holds { Value::ONE } else { Value::ZERO };
        match (a.kind, b.kind) {
            (Kind::Finite, Kind::Finite) => {}
            (Kind::Lost, _) | (_, Kind::Lost) => return Value::LOST,
            (x, y) if x == y => return known(relation != Relation::Less),
            (x, y) => {
                let below = x == Kind::MinusInfinity || y == Kind::Infinity;
                return known(below && relation != Relation::Equal);
            }
        }
        // a < b: the difference b - a is positive; a ≤ b: a - b is not.
        let difference = match relation {
            Relation::Less => b.minus(a, ALL),
            Relation::LessEqual | Relation::Equal => a.minus(b, ALL),
        };
        let sign = difference.sign;
        if sign.is_positive() {
            return known(relation == Relation::Less);
        }
        if sign.negated().is_positive() {
            return known(relation == Relation::LessEqual);
        }
        match relation {
            Relation::Less if sign.not_positive => return Value::ZERO,
            Relation::LessEqual if sign.not_positive => return Value::ONE,
            _ => {}
        }
        let member = match self.classify(&difference) {
            None => return Value::LOST,
            Some(Classified::Constant(sign)) => {
                return known(match relation {
                    Relation::Less => sign > 0,
                    Relation::LessEqual => sign <= 0,
                    Relation::Equal => sign == 0,
                });
            }
            Some(Classified::Member(member)) => member,
        };
        if self.atoms.way != Way::Apart {
            return self.linked(relation, [first, second], member, sign, levels);
        }
        if relation != Relation::Equal {
            self.asked.insert(own, Asked { member, contrary: relation == Relation::LessEqual });
        }
        if let Some(holds) = self.compare_integer(own, relation, [first, second]) {
            return holds;
        }
        let above = self.atoms.is_above(member, levels);
        match relation {
            Relation::Less => above,
            Relation::LessEqual => Value::ONE.minus(above, levels).with_sign(Sign::NOT_NEGATIVE),
            Relation::Equal => {
                let turned = Member { ratio: (-member.ratio.0, member.ratio.1), ..member };
                let below = self.atoms.is_above(turned, levels);
                Value::ONE.minus(above, levels).minus(below, levels).with_sign(Sign::NOT_NEGATIVE)
            }
        }
    }

    fn select(&mut self, own: Term, condition: Term, a: Term, b: Term) -> Value {
        let levels = ALL;
        let holds = self.get(condition, levels);
        let (x, y) = (self.get(a, levels), self.get(b, levels));
        if !holds.is_finite() {
            return Value::LOST;
        }
        if holds.is_zero() {
            return y;
        }
        if holds.at[0] == field::ONE {
            return x;
        }
        if !x.is_finite() || !y.is_finite() {
            return if x.kind == y.kind { x } else { Value::LOST };
        }
        let gain = x.minus(y, levels);
        let sign = x.sign.or(y.sign);
        if self.atoms.way != Way::Apart
            && let Some(value) = self.choose(own, condition, (a, x), (b, y))
        {
            return value.with_sign(sign);
        }
        if let Some(value) = self.ranked(own) {
            return value.with_sign(sign);
        }
        if let Some(asked) = self.asked.get(&condition).copied()
            && let Some(Classified::Member(own)) = self.classify(&gain)
            && own.class == asked.member.class
            && let Some(ratio) = over(own.ratio, asked.member.ratio)
            && let Some(inverse) = over(asked.member.ratio, own.ratio)
        {
            // [d > 0] · r·d = r · max(d, 0)
            let number = gain.scaled(inverse, levels);
            let part = self.atoms.above_zero(asked.member, number, levels).scaled(ratio, levels);
            let value = if asked.contrary { x.minus(part, levels) } else { y.plus(part, levels) };
            return value.with_sign(sign);
        }
        if let Some(value) = self.choose_by_integer(own, condition, a, b) {
            return value.with_sign(sign);
        }
        y.plus(holds.times(gain, levels), levels).with_sign(sign)
    }
}

/// `a / b`, if it is small.
fn over(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let (mut above, mut below) = (i128::from(a.0) * i128::from(b.1), i128::from(a.1) * i128::from(b.0));
    if below < 0 {
        (above, below) = (-above, -below);
    }
    let common = num_integer::gcd(above, below);
    let small = |value: i128| i64::try_from(value / common).ok().filter(|value| value.abs() < 1 << 60);
    Some((small(above)?, small(below)?))
}

/// What has no value, as a variable that the other side does not have: what equals something does not depend
/// on it, because no inputs lead there.
fn missing_value(seed: [u64; 2], side: usize) -> Value {
    let name = MISSING | side as u64;
    let at = by_level!(ALL, L => field::random_residue(seed, L, name));
    Value::unknown(at, field::random_real(seed, name))
}

fn constant_value(seed: [u64; 2], meaning: &Meaning) -> Value {
    let exact = match meaning {
        Meaning::Number(exact) => exact,
        Meaning::True => return Value::ONE,
        Meaning::False => return Value::ZERO,
        Meaning::Infinity => return Value::infinite(true),
        Meaning::MinusInfinity => return Value::infinite(false),
        Meaning::NotANumber | Meaning::Unwritten => return Value::LOST,
    };
    if exact.is_zero() {
        return Value::ZERO;
    }
    let mut at = [ZERO; LEVELS];
    for (level, at) in at.iter_mut().enumerate() {
        match constants::residue(seed, level, exact) {
            Some(residue) => *at = residue,
            None => return Value::LOST,
        }
    }
    let sign = Sign::of(if exact.is_negative() { -1 } else { 1 });
    let degree = constants::degree(exact);
    let range = exact.enclosure();
    let sample = (range.low() + range.high()) / 2.0;
    Value { sign, sample, degree: [degree, 0.0], ..Value::finite(at) }
}
