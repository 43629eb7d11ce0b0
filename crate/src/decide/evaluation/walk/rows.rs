//! Small steps with conditions in them, by the exact form of their conditions.
//!
//! `x² > 4`, `|x| > 2` and `x > 2 or x < -2` are one condition, and `x·[x > 0]` and `x·[x ≥ 0]` are one
//! function. Exact forms know that (`forms/signs`): they write a choice as a linear combination of signs of
//! what is simplest, in one way only, and cost what its expanded size costs. Here they are asked of each small
//! step alone, and what comes out is evaluated, with [p > 0] a free variable for p and all its positive
//! multiples. Sums of such steps, and whatever else is made of them, are values like any other: there is no
//! number of rows at which this stops.
//!
//! Why that is sound: a step is taken only if it is defined for all inputs, and the form that is evaluated in
//! its place is the same function, on every border too. So any identity between what is made of the one is one
//! between what is made of the other; and a division, a root or a logarithm that is not defined everywhere
//! stays outside, where evaluation says what it assumes.
//!
//! Cost: a constant for each step. Misses: steps of more than [`ELEMENTS`] elements, or larger than [`LARGEST`];
//! choices that go into functions (`carried` knows those).

use super::*;
use crate::decide::forms::{Atom, Divisors, Forms, Kind as Of, Poly, Sign as Exactly, Stop};
use crate::decide::normalize::{Normalizer, Side, Value as Normal};
use crate::term::eval::operands;

/// Elements of a step: however a function is written, it has as many.
const ELEMENTS: usize = 8;
/// Nodes of a step, written as a tree.
const LARGEST: u16 = 500;
/// Monomials that one step may touch.
const WORK: u64 = 20_000;
/// Steps after which forms are begun anew, so that they take no memory.
const RENEWED: u32 = 64;
/// How deep forms are looked into.
const DEEPEST: u32 = 64;

/// What steps are, as far as that concerns conditions.
#[derive(Clone, Copy)]
struct Shape {
    /// As a tree, at most [`LARGEST`] and one more.
    size: u16,
    conditional: bool,
    /// The elements of small ones.
    count: u8,
    elements: [u32; ELEMENTS],
}

impl Shape {
    const LEAF: Shape = Shape { size: 1, conditional: false, count: 0, elements: [0; ELEMENTS] };
    const LARGE: Shape = Shape { size: LARGEST + 1, conditional: true, ..Shape::LEAF };

    fn of(operand: Term, steps: &[Shape]) -> Shape {
        match (operand.as_node(), operand.as_element()) {
            (Some(step), _) => steps[step],
            (_, Some(element)) => {
                let mut elements = [0; ELEMENTS];
                elements[0] = element;
                Shape { count: 1, elements, ..Shape::LEAF }
            }
            _ => Shape::LEAF,
        }
    }

    fn with(mut self, other: &Shape) -> Shape {
        self.size = self.size.saturating_add(other.size);
        self.conditional |= other.conditional;
        for element in &other.elements[..other.count.into()] {
            let count = usize::from(self.count);
            if self.elements[..count].contains(element) {
                continue;
            }
            if count == ELEMENTS {
                return Shape::LARGE;
            }
            self.elements[count] = *element;
            self.count += 1;
        }
        if self.size > LARGEST { Shape::LARGE } else { self }
    }
}

pub(in super::super) struct Rows<'a> {
    budget: &'a Budget,
    elements: &'a Elements,
    side: Side<'a>,
    normalizer: Normalizer<'a>,
    /// What forms were begun with, ascending: what leads in them is what leads on the other side.
    elements_of_forms: Vec<u32>,
    asked: u32,
    shapes: Vec<Shape>,
}

fn new<'a>(budget: &'a Budget, elements: &'a Elements, side: Side<'a>) -> Normalizer<'a> {
    Normalizer::new(Forms::new(budget, elements), [side; 2])
}

impl<'a> Rows<'a> {
    pub(in super::super) fn of(
        budget: &'a Budget,
        elements: &'a Elements,
        terms: &'a Terms,
        meanings: &'a [Meaning],
        cone: &Cone,
    ) -> Rows<'a> {
        let side = Side { terms, uses: &[], meanings };
        let normalizer = new(budget, elements, side);
        let mut shapes: Vec<Shape> = Vec::with_capacity(cone.steps().len());
        for node in cone.steps() {
            let of_operands = operands(node).into_iter().flatten().map(|operand| Shape::of(operand, &shapes));
            let shape = of_operands.fold(Shape::LEAF, |all, own| all.with(&own));
            let shape = match is_condition(node) {
                true => Shape { conditional: true, ..shape },
                false if !is_followed(node, shape.conditional) => Shape::LARGE,
                false => shape,
            };
            shapes.push(shape);
        }
        Rows { budget, elements, side, normalizer, elements_of_forms: Vec::new(), asked: 0, shapes }
    }

    fn renew(&mut self, elements: &[u32]) -> Result<(), Exhausted> {
        self.normalizer = new(self.budget, self.elements, self.side);
        self.asked = 0;
        self.elements_of_forms = elements.to_vec();
        self.elements_of_forms.sort_unstable();
        for element in &self.elements_of_forms {
            let forms = &mut self.normalizer.forms;
            let atom = forms.atom(Of::Element(*element));
            if let Err(Stop::Exhausted(exhausted)) = forms.atom_poly(atom) {
                return Err(exhausted);
            }
        }
        Ok(())
    }

    /// A step's form with its conditions in that way, and what is known of its sign.
    fn form(&mut self, step: usize, node: &Node, term: Term) -> Result<Option<(Poly, Sign)>, Exhausted> {
        let Shape { size, conditional, count, elements } = self.shapes[step];
        // A sum is what its summands are.
        let sum = matches!(node, Node::Add(..) | Node::Sub(..) | Node::Unary(Unary::Neg, _));
        if !conditional || size > LARGEST || sum {
            return Ok(None);
        }
        self.asked += 1;
        let elements = &elements[..count.into()];
        let begun = elements.iter().all(|element| self.elements_of_forms.binary_search(element).is_ok());
        if self.asked > RENEWED || !begun {
            self.renew(elements)?;
        }
        let forms = &mut self.normalizer.forms;
        forms.next_question();
        forms.limit_work(WORK);
        let found = self.normalizer.value(0, term).and_then(|value| match value {
            Normal::Infinite(_) => Ok(None),
            Normal::Finite(poly) => {
                let sign = self.normalizer.forms.sign(poly);
                let signed = self.normalizer.forms.by_signs(poly, Divisors::Apart)?;
                Ok(signed.map(|signed| (signed, sign)))
            }
        });
        // What was noted once is not noted again.
        let total = self.normalizer.forms.notes.is_empty();
        if !total {
            self.renew(elements)?;
        }
        match found {
            Err(Stop::Exhausted(exhausted)) => Err(exhausted),
            Ok(Some((poly, sign))) if total => Ok(Some((poly, known(sign)))),
            _ => Ok(None),
        }
    }
}

fn known(sign: Exactly) -> Sign {
    match sign {
        Exactly::Positive => Sign::of(1),
        Exactly::Negative => Sign::of(-1),
        Exactly::NonNegative => Sign::NOT_NEGATIVE,
        Exactly::NonPositive => Sign::NOT_NEGATIVE.negated(),
        Exactly::Zero => Sign::of(0),
        Exactly::Unknown => Sign::default(),
    }
}

/// Whether exact forms know the operation as what it is on real numbers, and say what it makes of choices.
fn is_followed(node: &Node, conditional: bool) -> bool {
    match node {
        Node::Round(..)
        | Node::BitsOf(..)
        | Node::BitConstant(_)
        | Node::Bits(..)
        | Node::FromBits(..)
        | Node::Apply(..)
        | Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, _) => false,
        Node::Unary(function, _) => !conditional || *function == Unary::Neg,
        Node::Div(..) => !conditional,
        _ => true,
    }
}

fn is_condition(node: &Node) -> bool {
    matches!(node, Node::Compare(..) | Node::Max(..) | Node::Min(..) | Node::Unary(Unary::Abs, _))
}

impl<'a> Walk<'a> {
    /// The value of a step by the form of its conditions, at all levels.
    pub(super) fn row(&mut self, own: Term, node: &Node) -> Result<Option<Value>, Exhausted> {
        let Some(mut rows) = self.rows.take() else { return Ok(None) };
        let found = own.as_node().map(|step| rows.form(step, node, self.cone.node(step)));
        let value = match found {
            Some(Ok(Some((poly, sign)))) => {
                let value = self.formed_value(&rows.normalizer.forms, poly, DEEPEST);
                value.filter(Value::is_finite).map(|value| value.with_sign(sign))
            }
            Some(Err(exhausted)) => return Err(exhausted),
            _ => None,
        };
        self.rows = Some(rows);
        Ok(value)
    }

    /// The value of a form, at all levels; `None` if something in it is not followed here.
    fn formed_value(&mut self, forms: &Forms<'_>, poly: Poly, deep: u32) -> Option<Value> {
        let deep = deep.checked_sub(1)?;
        let mut sum = Value::ZERO;
        for at in 0..forms.len(poly) {
            let term = forms.term(poly, at);
            let mut value = match term.coefficient.as_small() {
                Some(small) => Value::ONE.scaled(small, ALL),
                None => self.number_of(&Exact::rational(term.coefficient.to_big()))?,
            };
            let exponent = forms.exponent(term.mono);
            if exponent != Poly::ZERO {
                let exponent = self.formed_value(forms, exponent, deep)?;
                value = value.times(self.exponential(exponent, ALL), ALL);
            }
            for index in 0..forms.factor_count(term.mono) {
                let (atom, power) = forms.factor(term.mono, index);
                let factor =
                    self.formed_power(forms, atom, (power.above.into(), power.below.into()), deep)?;
                value = value.times(factor, ALL);
            }
            sum = sum.plus(value, ALL);
        }
        Some(sum)
    }

    fn number_of(&self, exact: &Exact) -> Option<Value> {
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate() {
            *at = constants::residue(self.atoms.seed, level, exact)?;
        }
        let degree = constants::degree(exact);
        let sign = Sign::of(if exact.is_negative() { -1 } else { 1 });
        Some(Value { sign, degree: [degree, 0.0], ..Value::finite(at) })
    }

    fn formed_power(
        &mut self,
        forms: &Forms<'_>,
        atom: Atom,
        (above, below): (i64, i64),
        deep: u32,
    ) -> Option<Value> {
        let named = |factor: Factor| Exact::factor(factor, Ratio::new(above, below));
        let base = match forms.kind(atom) {
            Of::Prime(prime) => return self.number_of(&named(Factor::Prime(prime))?),
            Of::Pi => return self.number_of(&named(Factor::Pi)?),
            Of::Ln10 => return self.number_of(&named(Factor::Ln10)?),
            Of::Log(number) if forms.constant(number).is_some_and(|n| n.as_small() == Some((2, 1))) => {
                return self.number_of(&named(Factor::Ln2)?);
            }
            _ if below != 1 => return None,
            Of::Element(element) => self.get(Term::element(element), ALL),
            Of::Positive(number) => {
                let number = self.formed_value(forms, number, deep)?;
                match self.classify(&number.checked()?)? {
                    Classified::Constant(sign) if sign > 0 => Value::ONE,
                    Classified::Constant(_) => Value::ZERO,
                    Classified::Member(member) => self.atoms.is_above(member, ALL),
                }
            }
            // A divisor that depends on conditions could be 0 as they are taken for free.
            Of::Sum(sum) => self.formed_value(forms, sum, deep)?.checked().filter(|sum| !sum.chosen)?,
            _ => return None,
        };
        let base = if above < 0 { base.inverse(ALL) } else { base };
        let count = above.unsigned_abs();
        (base.is_finite() && count <= 64).then_some(())?;
        Some((0..count).fold(Value::ONE, |all, _| all.times(base, ALL)))
    }
}
