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
//! Cost: a constant for each step, and for each that is another but for its elements what its form costs.
//! Misses: steps of more than [`ELEMENTS`] elements, or larger than [`LARGEST`]; choices that go into functions
//! (`carried` knows those).

use super::*;
use crate::decide::forms::{Divisors, Forms, Kind as Of, Poly, Sign as Exactly, Step, Stop};
use crate::decide::normalize::{Normalizer, Side, Value as Normal};
use crate::term::eval::{operands, with_operands};
use num_traits::ToPrimitive;
use std::rc::Rc;

/// Elements of a step: however a function is written, it has as many.
const ELEMENTS: usize = 8;
/// Nodes of a step, written as a tree.
const LARGEST: u16 = 500;
/// Monomials that one step may touch.
const WORK: u64 = 20_000;
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

/// A form that has left its arena: elements are numbered, the lowest first.
struct Formula(Vec<Summand>);

struct Summand {
    coefficient: Exact,
    exponent: Option<Formula>,
    factors: Vec<(Base, u32, bool)>,
}

enum Base {
    Element(usize),
    Number(Exact),
    Positive(Formula),
    Sum(Formula),
}

/// A formula with its sign, and the elements that its numbers stand for.
type Numbered = (Rc<(Formula, Sign)>, Vec<u32>);

/// What a step is if its elements are numbered; and what that comes to, if it is known.
type Known = FxHashMap<Box<[Node]>, Option<Rc<(Formula, Sign)>>>;

pub(in super::super) struct Rows<'a> {
    budget: &'a Budget,
    elements: &'a Elements,
    side: Side<'a>,
    shapes: Vec<Shape>,
    known: Known,
    /// For which step each step was met last.
    met: Vec<u32>,
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
        let mut shapes: Vec<Shape> = Vec::with_capacity(cone.steps().len());
        for node in cone.steps() {
            let of_operands = operands(node).into_iter().flatten().map(|operand| Shape::of(operand, &shapes));
            let shape = of_operands.fold(Shape::LEAF, |all, own| all.with(&own));
            shapes.push(match is_condition(node) {
                true => Shape { conditional: true, ..shape },
                false if !is_followed(node, shape.conditional) => Shape::LARGE,
                false => shape,
            });
        }
        let met = vec![u32::MAX; shapes.len()];
        Rows { budget, elements, side, shapes, known: Known::default(), met }
    }

    /// A step's form with its conditions in that way, its elements, and what is known of its sign. Steps that
    /// are the same but for the elements are looked at once.
    fn form(&mut self, cone: &Cone, step: usize) -> Result<Option<Numbered>, Exhausted> {
        let Shape { size, conditional, count, elements } = self.shapes[step];
        // A sum is what its summands are.
        let sum = matches!(cone.steps()[step], Node::Add(..) | Node::Sub(..) | Node::Unary(Unary::Neg, _));
        if !conditional || size > LARGEST || sum {
            return Ok(None);
        }
        let mut elements = elements[..count.into()].to_vec();
        elements.sort_unstable();
        let key = self.numbered(cone, step, &elements);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone().map(|known| (known, elements)));
        }
        let found = match self.formula(cone.node(step), &elements) {
            Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
            found => found.ok().flatten().map(Rc::new),
        };
        self.known.insert(key, found.clone());
        Ok(found.map(|found| (found, elements)))
    }

    /// A step and what it is made of, with their elements numbered (and with their formats: these say signs).
    fn numbered(&mut self, cone: &Cone, whole: usize, elements: &[u32]) -> Box<[Node]> {
        let mut steps = vec![whole];
        let mut at = 0;
        while let Some(step) = steps.get(at).copied() {
            for operand in operands(&cone.steps()[step]).into_iter().flatten().filter_map(Term::as_node) {
                if self.met[operand] != whole as u32 {
                    self.met[operand] = whole as u32;
                    steps.push(operand);
                }
            }
            at += 1;
        }
        steps.sort_unstable();
        let number = |term: Term| match (term.as_node(), term.as_element()) {
            (Some(step), _) => Term::from_node(steps.binary_search(&step).unwrap_or(0)),
            (_, Some(element)) => {
                let format = self.elements.block_of(element).map_or(0, |block| block.format as u32 + 1);
                let number = elements.binary_search(&element).unwrap_or(0) as u32;
                Term::element(format << 8 | number)
            }
            _ => term,
        };
        steps.iter().map(|step| with_operands(&cone.steps()[*step], number)).collect()
    }

    fn formula(&self, term: Term, elements: &[u32]) -> Step<Option<(Formula, Sign)>> {
        let mut normalizer = Normalizer::new(Forms::new(self.budget, self.elements), [self.side; 2]);
        // In this order, so that what leads here leads on the other side.
        for element in elements {
            let atom = normalizer.forms.atom(Of::Element(*element));
            normalizer.forms.atom_poly(atom)?;
        }
        normalizer.forms.limit_work(WORK);
        let Normal::Finite(poly) = normalizer.value(0, term)? else { return Ok(None) };
        let forms = &mut normalizer.forms;
        let sign = known(forms.sign(poly));
        let Some(signed) = forms.by_signs(poly, Divisors::Apart)? else { return Ok(None) };
        // What assumes something is not defined everywhere.
        let formula = forms.notes.is_empty().then(|| taken_out(forms, elements, signed, DEEPEST)).flatten();
        Ok(formula.map(|formula| (formula, sign)))
    }
}

/// A form outside of its arena; `None` if something in it is not followed here.
fn taken_out(forms: &Forms<'_>, elements: &[u32], poly: Poly, deep: u32) -> Option<Formula> {
    let deep = deep.checked_sub(1)?;
    let mut summands = Vec::with_capacity(forms.len(poly));
    for at in 0..forms.len(poly) {
        let term = forms.term(poly, at);
        let exponent = match forms.exponent(term.mono) {
            Poly::ZERO => None,
            exponent => Some(taken_out(forms, elements, exponent, deep)?),
        };
        let mut factors = Vec::with_capacity(forms.factor_count(term.mono));
        for index in 0..forms.factor_count(term.mono) {
            let (atom, power) = forms.factor(term.mono, index);
            let named = |factor: Factor| {
                let power = Ratio::new(power.above.into(), power.below.into());
                Some((Base::Number(Exact::factor(factor, power)?), 1, false))
            };
            let base = match forms.kind(atom) {
                Of::Prime(prime) => named(Factor::Prime(prime))?,
                Of::Pi => named(Factor::Pi)?,
                Of::Ln10 => named(Factor::Ln10)?,
                Of::Log(number)
                    if forms.constant(number).is_some_and(|two| two.as_small() == Some((2, 1))) =>
                {
                    named(Factor::Ln2)?
                }
                _ if power.below != 1 => return None,
                kind => {
                    let base = match kind {
                        Of::Element(element) => Base::Element(elements.binary_search(&element).ok()?),
                        Of::Positive(number) => Base::Positive(taken_out(forms, elements, number, deep)?),
                        Of::Sum(sum) => Base::Sum(taken_out(forms, elements, sum, deep)?),
                        _ => return None,
                    };
                    (base, power.above.unsigned_abs().into(), power.above < 0)
                }
            };
            factors.push(base);
        }
        summands.push(Summand { coefficient: Exact::rational(term.coefficient.to_big()), exponent, factors });
    }
    Some(Formula(summands))
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
        _ if node.is_opaque() => false,
        Node::Unary(function, _) if function.is_rounding() => false,
        Node::Unary(function, _) => !conditional || *function == Unary::Neg,
        Node::Div(..) => !conditional,
        _ => true,
    }
}

fn is_condition(node: &Node) -> bool {
    matches!(node, Node::Compare(..) | Node::Max(..) | Node::Min(..) | Node::Unary(Unary::Abs, _))
}

impl Walk<'_> {
    /// The value of a step by the form of its conditions, at all levels.
    pub(super) fn row(&mut self, own: Term) -> Result<Option<Value>, Exhausted> {
        let (Some(rows), Some(step)) = (&mut self.rows, own.as_node()) else { return Ok(None) };
        let Some((form, elements)) = rows.form(self.cone, step)? else { return Ok(None) };
        let value = self.value_of(&form.0, &elements).filter(Value::is_finite);
        Ok(value.map(|value| value.with_sign(form.1)))
    }

    /// The value of a form, at all levels.
    fn value_of(&mut self, formula: &Formula, elements: &[u32]) -> Option<Value> {
        let mut sum = Value::ZERO;
        for Summand { coefficient, exponent, factors } in &formula.0 {
            let mut value = self.number_of(coefficient)?;
            if let Some(exponent) = exponent {
                let exponent = self.value_of(exponent, elements)?;
                value = value.times(self.exponential(exponent, ALL), ALL);
            }
            for (base, count, below) in factors {
                let base = match base {
                    Base::Element(number) => self.get(Term::element(elements[*number]), ALL),
                    Base::Number(exact) => self.number_of(exact)?,
                    Base::Positive(number) => {
                        let number = self.value_of(number, elements)?;
                        match self.classify(&number.checked()?)? {
                            Classified::Constant(sign) if sign > 0 => Value::ONE,
                            Classified::Constant(_) => Value::ZERO,
                            Classified::Member(member) => self.atoms.is_above(member, ALL),
                        }
                    }
                    // A divisor that depends on conditions could be 0 as they are taken for free.
                    Base::Sum(sum) => {
                        Some(self.value_of(sum, elements)?.checked()?).filter(|sum| !sum.chosen)?
                    }
                };
                let base = if *below { base.inverse(ALL) } else { base };
                value = (0..*count).fold(value, |all, _| all.times(base, ALL));
            }
            sum = sum.plus(value, ALL);
        }
        sum.checked()
    }

    fn number_of(&self, exact: &Exact) -> Option<Value> {
        if let Some(number) = exact.as_rational()
            && let (Some(above), Some(below)) = (number.numer().to_i64(), number.denom().to_i64())
        {
            return Value::ONE.scaled((above, below), ALL).checked();
        }
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate() {
            *at = constants::residue(self.atoms.seed, level, exact)?;
        }
        let sign = Sign::of(if exact.is_negative() { -1 } else { 1 });
        Some(Value { sign, degree: [constants::degree(exact), 0.0], ..Value::finite(at) })
    }
}
