//! Terms to normal forms.
//!
//! Sums are expanded from the top with a running factor: the chain
//! `s₂ = s₁·e^(m₁-m₂) + e^(x₂-m₂)` becomes one flat sum in one walk, its exponents telescoping on
//! the way. What a walk meets in any other position (an exponent, a denominator, a candidate of a
//! maximum, a term used more than once) is brought to normal form first and remembered; an
//! explicit stack of such dependencies replaces recursion, so depth is no limit. A long sum that
//! is used more than once enters products closed, as one atom.
//!
//! Guarantees: the form equals the term wherever the term is defined. −∞ and +∞ are followed
//! through sums, scaling, exp, maxima and comparisons; anywhere else, and for NaN, the answer is
//! "unknown".

use super::constants::{Exact, Meaning};
use super::forms::{Accumulator, Forms, Kind, Poly, Power, Product, Sign, Step, unknown};
use super::integers::Integers;
use crate::term::{BitOp, Named, Node, Relation, Rounding, Term, Terms, Unary};
use rustc_hash::FxHashMap;

/// A shared sum longer than this enters products closed.
const LONG: usize = 16;
/// Products of two sums with more terms than this keep the longer one closed.
const DISTRIBUTED: usize = 1024;

/// A value on the extended line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A real.
    Finite(Poly),
    /// +∞ (`true`) or −∞.
    Infinite(bool),
}

/// One kernel's terms.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) terms: &'a Terms,
    /// How often each node is used, up to 2.
    pub(super) uses: &'a [u8],
    /// What each constant means.
    pub(super) meanings: &'a [Meaning],
}

/// Both kernels' terms over one arena of forms.
#[derive(Clone)]
pub(super) struct Normalizer<'a> {
    pub(super) forms: Forms<'a>,
    pub(super) sides: [Side<'a>; 2],
    pub(super) integers: Integers,
    known: [FxHashMap<Term, Value>; 2],
    /// Values of constants, as far as they were needed.
    constants: [Vec<Option<Value>>; 2],
    names: Vec<&'a str>,
}

/// What a walk still needs.
type Missing = Vec<Term>;

impl<'a> Normalizer<'a> {
    pub(super) fn new(forms: Forms<'a>, sides: [Side<'a>; 2]) -> Self {
        let constants = sides.map(|side| vec![None; side.meanings.len()]);
        Normalizer {
            forms,
            sides,
            integers: Integers::new(),
            known: Default::default(),
            constants,
            names: Vec::new(),
        }
    }

    /// The value of a term of one side.
    pub(super) fn value(&mut self, side: usize, root: Term) -> Step<Value> {
        let mut stack = vec![root];
        let mut missing = Missing::new();
        while let Some(term) = stack.last().copied() {
            if self.look_up(side, term)?.is_some() {
                stack.pop();
                continue;
            }
            missing.clear();
            match self.build(side, term, &mut missing)? {
                Some(value) => {
                    self.known[side].insert(term, value);
                    stack.pop();
                }
                None => stack.append(&mut missing),
            }
        }
        match self.look_up(side, root)? {
            Some(value) => Ok(value),
            None => unreachable!("the root was built last"),
        }
    }

    /// A value that needs no work.
    pub(super) fn look_up(&mut self, side: usize, term: Term) -> Step<Option<Value>> {
        if let Some(element) = term.as_element() {
            let atom = self.forms.atom(Kind::Element(element));
            return Ok(Some(Value::Finite(self.forms.atom_poly(atom)?)));
        }
        if let Some(constant) = term.as_constant() {
            if self.constants[side][constant].is_none() {
                self.constants[side][constant] = Some(self.constant(side, constant)?);
            }
            return Ok(self.constants[side][constant]);
        }
        Ok(self.known[side].get(&term).copied())
    }

    pub(super) fn get(&mut self, side: usize, term: Term, missing: &mut Missing) -> Step<Option<Value>> {
        let value = self.look_up(side, term)?;
        if value.is_none() {
            missing.push(term);
        }
        Ok(value)
    }

    fn constant(&mut self, side: usize, index: usize) -> Step<Value> {
        let poly = match &self.sides[side].meanings[index] {
            Meaning::Number(exact) => {
                let product = self.forms.exact(exact)?;
                self.forms.poly(&product)?
            }
            Meaning::True => Poly::ONE,
            Meaning::False => Poly::ZERO,
            Meaning::Infinity => return Ok(Value::Infinite(true)),
            Meaning::MinusInfinity => return Ok(Value::Infinite(false)),
            Meaning::NotANumber => return unknown("a constant is not a number (NaN)"),
            Meaning::Unwritten => {
                return unknown("it depends on memory or on a register that nobody has written");
            }
        };
        Ok(Value::Finite(poly))
    }

    fn is_shared(&self, side: usize, term: Term) -> bool {
        term.as_node().is_some_and(|index| self.sides[side].uses.get(index).is_none_or(|uses| *uses > 1))
    }

    /// The value of a node whose parts are known; otherwise says which are missing.
    fn build(&mut self, side: usize, term: Term, missing: &mut Missing) -> Step<Option<Value>> {
        let node = self.sides[side].terms.node(term);
        match node {
            Node::Element(_) | Node::Constant(_) => self.look_up(side, term),
            Node::Add(..)
            | Node::Sub(..)
            | Node::Mul(..)
            | Node::Fma(..)
            | Node::Div(..)
            | Node::Unary(Unary::Neg | Unary::Recip, _) => self.expand(side, term, missing),
            Node::Unary(Unary::Trunc, quotient)
                if let Node::Div(above, below) = self.sides[side].terms.node(quotient) =>
            {
                let (above, below) = (self.get(side, above, missing)?, self.get(side, below, missing)?);
                let (Some(above), Some(below)) = (above, below) else { return Ok(None) };
                if let (Value::Finite(above), Value::Finite(below)) = (above, below)
                    && let Some(quotient) = self.truncated_quotient(above, below)?
                {
                    return Ok(Some(Value::Finite(quotient)));
                }
                let Some(a) = self.get(side, quotient, missing)? else { return Ok(None) };
                self.unary(Unary::Trunc, a).map(Some)
            }
            Node::Unary(function, a) => {
                let Some(a) = self.get(side, a, missing)? else { return Ok(None) };
                self.unary(function, a).map(Some)
            }
            Node::Max(..) => self.extremum(side, term, true, missing),
            Node::Min(..) => self.extremum(side, term, false, missing),
            Node::Select(condition, a, b) => {
                let Some(c) = self.get(side, condition, missing)? else { return Ok(None) };
                let c = finite(c)?;
                if c == Poly::ONE {
                    return self.get(side, a, missing);
                }
                if c == Poly::ZERO {
                    return self.get(side, b, missing);
                }
                let (a, b) = (self.get(side, a, missing)?, self.get(side, b, missing)?);
                let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
                if a == b {
                    return Ok(Some(a));
                }
                let (Value::Finite(a), Value::Finite(b)) = (a, b) else {
                    return unknown("whether a value is infinite depends on the data");
                };
                self.chosen(side, (condition, c), a, b).map(Value::Finite).map(Some)
            }
            Node::Compare(relation, a, b) => {
                let (a, b) = (self.get(side, a, missing)?, self.get(side, b, missing)?);
                let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
                self.compare(relation, a, b).map(Value::Finite).map(Some)
            }
            Node::And(a, b) | Node::Or(a, b) => {
                let (a, b) = (self.get(side, a, missing)?, self.get(side, b, missing)?);
                let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
                let (a, b) = (finite(a)?, finite(b)?);
                let joined = if matches!(node, Node::And(..)) {
                    self.forms.times(a, b)?
                } else {
                    self.forms.or(a, b)?
                };
                Ok(Some(Value::Finite(joined)))
            }
            Node::Not(a) => {
                let Some(a) = self.get(side, a, missing)? else { return Ok(None) };
                let a = finite(a)?;
                self.forms.not(a).map(Value::Finite).map(Some)
            }
            Node::Round(mode, format, a) => {
                if let Some(poly) = self.of_few_bits(side, term)? {
                    return Ok(Some(Value::Finite(poly)));
                }
                let mode = match mode {
                    Rounding::NearestEven => 0,
                    Rounding::Zero => 1,
                    Rounding::Down => 2,
                    Rounding::Up => 3,
                };
                self.opaque(side, &[0, mode, format as u32], &[a], missing)
            }
            Node::BitsOf(format, a) if format.is_float() => {
                self.opaque(side, &[1, format as u32], &[a], missing)
            }
            Node::BitsOf(..) | Node::BitConstant(_) => Ok(self.word(side, node, missing)?.map(Value::Finite)),
            Node::Bits(op, ..) => {
                if op.is_condition() {
                    match self.of_chosen_words(side, term, missing)? {
                        None => return Ok(None),
                        Some(Some(poly)) => return Ok(Some(Value::Finite(poly))),
                        Some(None) => {}
                    }
                }
                Ok(self.word(side, node, missing)?.map(Value::Finite))
            }
            Node::FromBits(format, a) => {
                if format.is_float() {
                    if let Some(poly) = self.of_few_bits(side, term)? {
                        return Ok(Some(Value::Finite(poly)));
                    }
                    match self.extremum_of_bits(side, (format, a), missing)? {
                        None => return Ok(None),
                        Some(Some(value)) => return Ok(Some(value)),
                        Some(None) => {}
                    }
                }
                match self.of_chosen_words(side, term, missing)? {
                    None => return Ok(None),
                    Some(Some(poly)) => return Ok(Some(Value::Finite(poly))),
                    Some(None) => {}
                }
                if format.is_float() {
                    let Some(value) = self.get(side, a, missing)? else { return Ok(None) };
                    if let Value::Finite(word) = value
                        && let Some(number) = self.float_of_word(format, word)
                    {
                        return Ok(Some(Value::Finite(number)));
                    }
                    return self.opaque(side, &[4, format as u32], &[a], missing);
                }
                Ok(self.word(side, node, missing)?.map(Value::Finite))
            }
            Node::Apply(function, a, b) => {
                let name = self.sides[side].terms.function_name(function);
                let number = match self.names.iter().position(|known| *known == name) {
                    Some(number) => number,
                    None => {
                        self.names.push(name);
                        self.names.len() - 1
                    }
                };
                self.opaque(side, &[5, number as u32], &[a, b], missing)
            }
        }
    }

    /// An uninterpreted function: equal only for equal arguments.
    fn opaque(
        &mut self,
        side: usize,
        name: &[u32],
        arguments: &[Term],
        missing: &mut Missing,
    ) -> Step<Option<Value>> {
        let mut polys = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let Some(value) = self.get(side, *argument, missing)? {
                polys.push(self.forms.canonical(finite(value)?)?);
            }
        }
        if polys.len() < arguments.len() {
            return Ok(None);
        }
        let op = (name[0] == 3).then(|| BitOp::ALL[name[1] as usize]);
        if op.is_some_and(BitOp::commutes) {
            polys[..2].sort_unstable();
        }
        let is_condition = op.is_some_and(BitOp::is_condition);
        let atom = self.forms.opaque(is_condition, name, &polys);
        Ok(Some(Value::Finite(self.forms.atom_poly(atom)?)))
    }

    fn unary(&mut self, function: Unary, a: Value) -> Step<Value> {
        let poly = match (function, a) {
            (_, Value::Finite(poly)) => poly,
            (Unary::Exp | Unary::Exp2, Value::Infinite(false)) | (Unary::Rsqrt, Value::Infinite(true)) => {
                return Ok(Value::Finite(Poly::ZERO));
            }
            (
                Unary::Exp | Unary::Exp2 | Unary::Log | Unary::Log2 | Unary::Sqrt | Unary::Abs,
                Value::Infinite(true),
            )
            | (Unary::Abs, Value::Infinite(false)) => return Ok(Value::Infinite(true)),
            _ => return unknown("an infinity reaches a function"),
        };
        match function {
            Unary::Floor => {
                if let Some(floor) = self.rounded_down(poly)? {
                    return Ok(Value::Finite(floor));
                }
            }
            Unary::Ceil => {
                let opposite = self.forms.negated(poly)?;
                if let Some(floor) = self.rounded_down(opposite)? {
                    return self.forms.negated(floor).map(Value::Finite);
                }
            }
            _ => {}
        }
        let forms = &mut self.forms;
        let result = match function {
            Unary::Exp => {
                let product = forms.exp(poly)?;
                forms.poly(&product)?
            }
            Unary::Exp2 => {
                let ln2 = forms.exact(&Exact::named(Named::Ln2))?;
                let exponent = forms.times_product(poly, &ln2)?;
                let product = forms.exp(exponent)?;
                forms.poly(&product)?
            }
            Unary::Log => forms.log(poly)?,
            Unary::Log2 => {
                let log = forms.log(poly)?;
                let log2e = forms.exact(&Exact::named(Named::Log2E))?;
                forms.times_product(log, &log2e)?
            }
            Unary::Sqrt | Unary::Rsqrt | Unary::Cbrt => {
                let power = match function {
                    Unary::Sqrt => Power::HALF,
                    Unary::Rsqrt => Power { above: -1, below: 2 },
                    _ => Power { above: 1, below: 3 },
                };
                let product = forms.power(poly, power)?;
                forms.poly(&product)?
            }
            Unary::Abs => forms.magnitude(poly)?,
            Unary::Sin
            | Unary::Cos
            | Unary::Tanh
            | Unary::Erf
            | Unary::Atan
            | Unary::Floor
            | Unary::Ceil
            | Unary::Trunc
            | Unary::RoundEven => forms.function(function, poly)?,
            Unary::Neg | Unary::Recip => unreachable!("sums are expanded"),
        };
        Ok(Value::Finite(result))
    }

    /// `[a relation b]`.
    fn compare(&mut self, relation: Relation, a: Value, b: Value) -> Step<Poly> {
        let forms = &mut self.forms;
        let (a, b) = match (a, b) {
            (Value::Finite(a), Value::Finite(b)) => (a, b),
            (Value::Infinite(a), Value::Infinite(b)) => {
                let holds = match relation {
                    Relation::Less => !a & b,
                    Relation::LessEqual => !a | b,
                    Relation::Equal => a == b,
                };
                return Ok(if holds { Poly::ONE } else { Poly::ZERO });
            }
            (Value::Finite(_), Value::Infinite(up)) => {
                return Ok(if relation != Relation::Equal && up { Poly::ONE } else { Poly::ZERO });
            }
            (Value::Infinite(up), Value::Finite(_)) => {
                return Ok(if relation != Relation::Equal && !up { Poly::ONE } else { Poly::ZERO });
            }
        };
        match relation {
            Relation::Less => {
                let difference = forms.minus(b, a)?;
                self.positive(difference)
            }
            Relation::LessEqual => {
                let difference = forms.minus(a, b)?;
                let above = self.positive(difference)?;
                self.forms.not(above)
            }
            Relation::Equal => {
                let difference = forms.minus(a, b)?;
                self.zero(difference)
            }
        }
    }

    /// A maximum or minimum, flattened through nodes of the same kind that nothing else uses.
    fn extremum(
        &mut self,
        side: usize,
        root: Term,
        largest: bool,
        missing: &mut Missing,
    ) -> Step<Option<Value>> {
        let mut open = vec![root];
        let mut finite = Vec::new();
        while let Some(term) = open.pop() {
            if term == root || !self.is_shared(side, term) {
                match self.sides[side].terms.node(term) {
                    Node::Max(a, b) if largest => {
                        open.extend([b, a]);
                        continue;
                    }
                    Node::Min(a, b) if !largest => {
                        open.extend([b, a]);
                        continue;
                    }
                    _ => {}
                }
            }
            match self.get(side, term, missing)? {
                Some(Value::Finite(poly)) => finite.push(poly),
                Some(Value::Infinite(up)) if up == largest => return Ok(Some(Value::Infinite(up))),
                Some(Value::Infinite(_)) | None => {}
            }
        }
        if !missing.is_empty() {
            return Ok(None);
        }
        if finite.is_empty() {
            return Ok(Some(Value::Infinite(!largest)));
        }
        let poly = if largest { self.forms.max_of(&finite)? } else { self.forms.min_of(&finite)? };
        Ok(Some(Value::Finite(poly)))
    }

    // ---- sums ------------------------------------------------------------------------------

    /// Expands a sum of products. While something is missing, only collects what else is.
    fn expand(&mut self, side: usize, root: Term, missing: &mut Missing) -> Step<Option<Value>> {
        let mut walk = Walk { open: vec![(root, Product::ONE)], sum: Accumulator::default(), infinite: None };
        while let Some((term, factor)) = walk.open.pop() {
            self.forms.tick(1)?;
            if term != root {
                if let Some(value) = self.look_up(side, term)? {
                    self.add(&mut walk, side, term, value, &factor)?;
                    continue;
                }
                if self.is_shared(side, term) {
                    missing.push(term);
                    continue;
                }
            }
            match self.sides[side].terms.node(term) {
                Node::Add(a, b) => {
                    walk.open.push((b, factor.clone()));
                    walk.open.push((a, factor));
                }
                Node::Sub(a, b) => {
                    walk.open.push((b, negated(&factor)));
                    walk.open.push((a, factor));
                }
                Node::Unary(Unary::Neg, a) => walk.open.push((a, negated(&factor))),
                Node::Mul(a, b) => self.multiply(&mut walk, side, (a, b), factor, missing)?,
                Node::Fma(a, b, c) => {
                    walk.open.push((c, factor.clone()));
                    self.multiply(&mut walk, side, (a, b), factor, missing)?;
                }
                Node::Div(a, b) => self.divide(&mut walk, side, a, b, factor, missing)?,
                Node::Unary(Unary::Recip, b) => {
                    self.divide(&mut walk, side, Term::ONE, b, factor, missing)?
                }
                _ => missing.push(term),
            }
        }
        if !missing.is_empty() {
            return Ok(None);
        }
        Ok(Some(match walk.infinite {
            Some(up) => Value::Infinite(up),
            None => Value::Finite(self.forms.finish(walk.sum)?),
        }))
    }

    /// Adds `value · factor`.
    fn add(&mut self, walk: &mut Walk, side: usize, term: Term, value: Value, factor: &Product) -> Step<()> {
        match value {
            Value::Finite(poly) => {
                if self.forms.len(poly) > LONG && self.is_shared(side, term) {
                    let closed = self.forms.closed(poly)?;
                    let product = self.forms.product(&closed, factor)?;
                    walk.sum.add(&product);
                    return Ok(());
                }
                self.forms.accumulate(&mut walk.sum, poly, factor)
            }
            Value::Infinite(up) => {
                if self.forms.mono_sign(factor.mono) != Sign::Positive || factor.coefficient.is_zero() {
                    return unknown("an infinity is multiplied by something of unknown sign");
                }
                let up = up != factor.coefficient.is_negative();
                if walk.infinite.is_some_and(|known| known != up) {
                    return unknown("infinity minus infinity");
                }
                walk.infinite = Some(up);
                Ok(())
            }
        }
    }

    fn divide(
        &mut self,
        walk: &mut Walk,
        side: usize,
        a: Term,
        b: Term,
        factor: Product,
        missing: &mut Missing,
    ) -> Step<()> {
        let factor = match self.get(side, b, missing)? {
            None => factor,
            Some(Value::Infinite(_)) => {
                // finite / ∞ = 0, provided that it is finite.
                if let Some(Value::Infinite(_)) = self.get(side, a, missing)? {
                    return unknown("infinity divided by infinity");
                }
                return Ok(());
            }
            Some(Value::Finite(poly)) => {
                let inverse = self.forms.reciprocal(poly)?;
                self.forms.product(&factor, &inverse)?
            }
        };
        walk.open.push((a, factor));
        Ok(())
    }

    fn multiply(
        &mut self,
        walk: &mut Walk,
        side: usize,
        (a, b): (Term, Term),
        factor: Product,
        missing: &mut Missing,
    ) -> Step<()> {
        // The walk goes on through the operand that is a sum; the other becomes a factor.
        let (through, other) = if self.is_sum(side, a, 8) { (a, b) } else { (b, a) };
        let Some(value) = self.get(side, other, missing)? else {
            walk.open.push((through, factor));
            return Ok(());
        };
        if let Value::Finite(poly) = value {
            let lone = match self.forms.single(poly) {
                Some(product) => Some(product),
                None if self.forms.len(poly) > LONG && self.is_shared(side, other) => {
                    Some(self.forms.closed(poly)?)
                }
                None => None,
            };
            if let Some(product) = lone {
                let factor = self.forms.product(&factor, &product)?;
                walk.open.push((through, factor));
                return Ok(());
            }
        }
        // Two sums (or something times ±∞ or 0): both as values.
        let Some(multiplied) = self.get(side, through, missing)? else { return Ok(()) };
        match (value, multiplied) {
            (Value::Finite(x), Value::Finite(y)) => {
                self.distribute(walk, side, (other, x), (through, y), &factor)
            }
            (Value::Infinite(up), Value::Finite(poly)) | (Value::Finite(poly), Value::Infinite(up)) => {
                let Some(product) = self.forms.single(poly) else {
                    return unknown("an infinity is multiplied by something of unknown sign");
                };
                let factor = self.forms.product(&factor, &product)?;
                self.add(walk, side, Term::ONE, Value::Infinite(up), &factor)
            }
            (Value::Infinite(a), Value::Infinite(b)) => {
                self.add(walk, side, Term::ONE, Value::Infinite(a == b), &factor)
            }
        }
    }

    fn distribute(
        &mut self,
        walk: &mut Walk,
        side: usize,
        (a, x): (Term, Poly),
        (b, y): (Term, Poly),
        factor: &Product,
    ) -> Step<()> {
        let long = |this: &Self, term, poly| {
            this.forms.len(poly) > 1 && (this.forms.len(poly) > LONG && this.is_shared(side, term))
        };
        let too_large = self.forms.len(x) * self.forms.len(y) > DISTRIBUTED;
        let (close_x, close_y) = (
            long(self, a, x) || (too_large && self.forms.len(x) >= self.forms.len(y)),
            long(self, b, y) || (too_large && self.forms.len(y) > self.forms.len(x)),
        );
        let mut factor = factor.clone();
        let mut open = Vec::with_capacity(2);
        for (poly, close) in [(x, close_x), (y, close_y)] {
            if close && self.forms.len(poly) > 1 {
                let closed = self.forms.closed(poly)?;
                factor = self.forms.product(&factor, &closed)?;
            } else {
                open.push(poly);
            }
        }
        match open[..] {
            [x, y] => {
                let product = self.forms.times(x, y)?;
                self.forms.accumulate(&mut walk.sum, product, &factor)
            }
            [x] => self.forms.accumulate(&mut walk.sum, x, &factor),
            _ => {
                walk.sum.add(&factor);
                Ok(())
            }
        }
    }

    /// Whether a term looks like a sum of several terms (a guess that only costs time).
    fn is_sum(&self, side: usize, term: Term, depth: u32) -> bool {
        if depth == 0 || term.as_node().is_none() {
            return false;
        }
        if let Some(value) = self.known[side].get(&term) {
            return match value {
                Value::Finite(poly) => self.forms.len(*poly) > 1,
                Value::Infinite(_) => false,
            };
        }
        match self.sides[side].terms.node(term) {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) | Node::Select(..) => true,
            Node::Unary(Unary::Neg, a) | Node::Div(a, _) => self.is_sum(side, a, depth - 1),
            Node::Mul(a, b) => self.is_sum(side, a, depth - 1) || self.is_sum(side, b, depth - 1),
            _ => false,
        }
    }
}

/// A sum being expanded: terms still to open, with their factors.
struct Walk {
    open: Vec<(Term, Product)>,
    sum: Accumulator,
    infinite: Option<bool>,
}

fn negated(factor: &Product) -> Product {
    Product { coefficient: factor.coefficient.negated(), mono: factor.mono }
}

pub(super) fn finite(value: Value) -> Step<Poly> {
    match value {
        Value::Finite(poly) => Ok(poly),
        Value::Infinite(_) => unknown("an infinity reaches an operation on bits or conditions"),
    }
}
