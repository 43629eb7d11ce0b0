//! Choices carried outward: a cone in which what depends on the sign of a number stands three times.
//!
//! Whether two ways to write a choice are one function shows often only further out: `max(l, x)` and
//! `log(1 + e^-|l - x|)` depend on the sign of l - x, their sum does not. So each step that depends on a
//! comparison gets two copies before it: what it is where the number d that is compared is positive, and where
//! it is negative. The walk (`walk/worlds`) compares the copies: once they are one function, the step is that
//! function, whatever d.
//!
//! A step is followed by the sign of one number only, the one met last among those that it depends on;
//! others are in its copies as the free variables that they are anywhere. So a cone grows to three times its
//! size at most, however many comparisons it has. In recurrences each step's number is made of what the step
//! before came to, so the one met last is the one that is open.
//!
//! Before that, maxima, minima, comparisons and choices of e^a and e^b, and of other increasing functions (c·a
//! for a positive constant c among them), are written as those of a and b ([`inward`]).
//!
//! Guarantees: a copy has the value of its step wherever d has that sign; copies say nothing of d = 0.
//! Misses: steps that come together only when two numbers have their signs.

use crate::decide::Meaning;
use crate::term::eval::{Cone, operands, with_operands};
use crate::term::{Node, Term, Unary};
use rustc_hash::FxHashMap;

/// Summands of what is compared that are looked at.
const PARTS: usize = 12;

/// The number whose sign a step asks for.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// Its class.
    pub(super) class: u32,
    /// Whether it is positive where the first operand is the larger.
    pub(super) up: bool,
    /// Two terms whose difference is positive where it is.
    pub(super) number: [Term; 2],
}

/// A step's copies.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    pub(super) class: u32,
    /// Where the number is positive, and where it is negative.
    pub(super) copies: [Term; 2],
    /// Whether the step itself asks for the sign, and then whether for that of its operands in order.
    pub(super) own: Option<bool>,
}

/// A cone with copies.
pub(super) struct Expanded {
    pub(super) cone: Cone,
    pub(super) carried: FxHashMap<usize, Carried>,
    /// For each class the two terms whose difference has that sign.
    pub(super) numbers: FxHashMap<u32, [Term; 2]>,
}

/// An increasing function.
#[derive(Clone, Copy, PartialEq)]
enum Outer {
    Function(Unary),
    /// A multiple by a positive constant.
    Times(Term),
}

/// Two numbers that compare as two others do, as they are what increasing functions make of them.
pub(super) fn compared_inside(steps: &[Node], meanings: &[Meaning], [a, b]: [Term; 2]) -> [Term; 2] {
    peeled(steps, meanings, a, b).1
}

/// The same with the functions, the outermost first.
fn peeled(steps: &[Node], meanings: &[Meaning], mut a: Term, mut b: Term) -> (Vec<Outer>, [Term; 2]) {
    let mut functions = Vec::new();
    let positive = |term: Term| match meanings.get(term.as_constant()?)? {
        Meaning::Number(exact) => (!exact.is_zero() && !exact.is_negative()).then_some(Outer::Times(term)),
        _ => None,
    };
    let inner = |term: Term| match steps[term.as_node()?] {
        Node::Unary(function, inner) if is_increasing(function) => Some((Outer::Function(function), inner)),
        Node::Mul(a, b) => match (positive(a), positive(b)) {
            (None, Some(times)) => Some((times, a)),
            (Some(times), None) => Some((times, b)),
            _ => None,
        },
        _ => None,
    };
    // What a function makes of one constant.
    let fixed = |function: Outer, term: Term| match (function, term) {
        (Outer::Times(_), Term::ZERO) => Some(Term::ZERO),
        (Outer::Function(Unary::Exp | Unary::Exp2), Term::ONE) => Some(Term::ZERO),
        (Outer::Function(Unary::Log | Unary::Log2), Term::ZERO) => Some(Term::ONE),
        (Outer::Function(Unary::Sqrt | Unary::Cbrt | Unary::Tanh | Unary::Erf | Unary::Atan), Term::ZERO) => {
            Some(Term::ZERO)
        }
        _ => None,
    };
    loop {
        let found = match (inner(a), inner(b)) {
            (Some((f, x)), Some((g, y))) if f == g => Some((f, x, y)),
            (Some((f, x)), None) => fixed(f, b).map(|y| (f, x, y)),
            (None, Some((g, y))) => fixed(g, a).map(|x| (g, x, y)),
            _ => None,
        };
        let Some((function, x, y)) = found else {
            return (functions, [a, b]);
        };
        functions.push(function);
        (a, b) = (x, y);
    }
}

fn is_increasing(function: Unary) -> bool {
    use Unary::*;
    matches!(function, Exp | Exp2 | Log | Log2 | Sqrt | Cbrt | Tanh | Erf | Atan)
}

/// A cone with increasing functions outside of what compares their values; none if there is no such place.
pub(super) fn inward(old: &Cone, meanings: &[Meaning]) -> Option<Cone> {
    let count = old.steps().len();
    let (mut steps, mut nodes) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut places: Vec<Term> = Vec::with_capacity(count);
    let mut found = false;
    for (at, step) in old.steps().iter().enumerate() {
        let place = |term: Term| term.as_node().map_or(term, |step| places[step]);
        let mut node = with_operands(step, place);
        let mut functions = Vec::new();
        match &mut node {
            Node::Select(_, a, b) if a.as_node().is_none() || b.as_node().is_none() => {}
            Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => {
                (functions, [*a, *b]) = peeled(&steps, meanings, *a, *b);
            }
            _ => {}
        }
        found |= !functions.is_empty();
        if matches!(node, Node::Compare(..)) {
            functions.clear();
        }
        steps.push(node);
        for function in functions.iter().rev() {
            let inside = Term::from_node(steps.len() - 1);
            steps.push(match *function {
                Outer::Function(function) => Node::Unary(function, inside),
                Outer::Times(factor) => Node::Mul(inside, factor),
            });
        }
        nodes.resize(steps.len(), old.node(at).raw());
        places.push(Term::from_node(steps.len() - 1));
    }
    let place = |term: &Term| term.as_node().map_or(*term, |step| places[step]);
    found.then(|| old.rewritten(steps, nodes, old.roots().iter().map(place).collect(), &[]))
}

/// The exponentials among the summands of two terms, and their arguments.
pub(super) fn exponentials(steps: &[Node], of: [Term; 2]) -> Vec<[Term; 2]> {
    let (mut open, mut found, mut left) = (of.to_vec(), Vec::new(), PARTS);
    while let Some(term) = open.pop() {
        let Some(step) = term.as_node() else { continue };
        if left == 0 {
            break;
        }
        left -= 1;
        match steps[step] {
            Node::Add(a, b) | Node::Sub(a, b) => open.extend([a, b]),
            Node::Unary(Unary::Neg, a) => open.push(a),
            Node::Mul(a, b) if a.as_constant().is_some() || b.as_constant().is_some() => open.extend([a, b]),
            Node::Fma(a, b, c) => {
                if a.as_constant().is_some() || b.as_constant().is_some() {
                    open.extend([a, b]);
                }
                open.push(c);
            }
            Node::Div(a, b) if b.as_constant().is_some() => open.push(a),
            Node::Unary(Unary::Exp | Unary::Exp2, a) => found.push([term, a]),
            _ => {}
        }
    }
    found
}

struct Expansion<'a> {
    steps: Vec<Node>,
    nodes: Vec<u32>,
    /// What stands for each step of the old cone.
    places: Vec<Term>,
    carried: FxHashMap<usize, Carried>,
    numbers: FxHashMap<u32, [Term; 2]>,
    /// Classes in the order in which they were met.
    births: FxHashMap<u32, usize>,
    old: &'a Cone,
}

impl Expansion<'_> {
    fn push(&mut self, node: Node, of: usize) -> Term {
        self.steps.push(node);
        self.nodes.push(self.old.node(of).raw());
        Term::from_node(self.steps.len() - 1)
    }

    fn place(&self, term: Term) -> Term {
        term.as_node().map_or(term, |step| self.places[step])
    }

    /// A term of the new cone where a class's number has a sign.
    fn copy(&self, term: Term, class: u32, sign: usize) -> Term {
        match term.as_node().and_then(|step| self.carried.get(&step)) {
            Some(carried) if carried.class == class => carried.copies[sign],
            _ => term,
        }
    }

    /// Adds a step of the new cone with its copies.
    fn add(&mut self, node: Node, of: usize, origin: Option<Origin>) -> Term {
        if let Some(Origin { class, number, .. }) = origin {
            let next = self.births.len();
            self.births.entry(class).or_insert(next);
            let number = number.map(|term| self.place(term));
            self.numbers.entry(class).or_insert(number);
        }
        let of_operands = operands(&node).into_iter().flatten();
        let classes = of_operands
            .filter_map(|operand| self.carried.get(&operand.as_node()?))
            .map(|carried| carried.class)
            .chain(origin.map(|origin| origin.class));
        let Some(class) = classes.max_by_key(|class| self.births[class]) else {
            return self.push(node, of);
        };
        let own = origin.filter(|origin| origin.class == class).map(|origin| origin.up);
        let copies = [0, 1].map(|sign| self.copied(&node, of, class, own, sign));
        let term = self.push(node, of);
        if let Some(step) = term.as_node() {
            self.carried.insert(step, Carried { class, copies, own });
        }
        term
    }

    fn copied(&mut self, node: &Node, of: usize, class: u32, own: Option<bool>, sign: usize) -> Term {
        // Whether the first operand is the larger there.
        let first = own.map(|up| up == (sign == 0));
        match (*node, first) {
            (Node::Compare(..), Some(first)) => return if first { Term::FALSE } else { Term::TRUE },
            (Node::Max(a, b), Some(first)) => return self.copy(if first { a } else { b }, class, sign),
            (Node::Min(a, b), Some(first)) => return self.copy(if first { b } else { a }, class, sign),
            (Node::Unary(Unary::Abs, a), Some(first)) => {
                let inner = self.copy(a, class, sign);
                return if first { inner } else { self.push(Node::Unary(Unary::Neg, inner), of) };
            }
            _ => {}
        }
        let copy = with_operands(node, |operand| self.copy(operand, class, sign));
        match copy {
            Node::Select(Term::TRUE, a, _) | Node::Select(Term::FALSE, _, a) => a,
            Node::And(Term::TRUE, a) | Node::And(a, Term::TRUE) => a,
            Node::Or(Term::FALSE, a) | Node::Or(a, Term::FALSE) => a,
            Node::And(Term::FALSE, _) | Node::And(_, Term::FALSE) | Node::Not(Term::TRUE) => Term::FALSE,
            Node::Or(Term::TRUE, _) | Node::Or(_, Term::TRUE) | Node::Not(Term::FALSE) => Term::TRUE,
            copy => self.push(copy, of),
        }
    }
}

impl Expanded {
    /// A cone with copies of what depends on the signs that its steps ask for.
    pub(super) fn of(old: &Cone, origins: &FxHashMap<usize, Origin>) -> Expanded {
        let count = old.steps().len();
        let mut new = Expansion {
            steps: Vec::with_capacity(2 * count),
            nodes: Vec::with_capacity(2 * count),
            places: Vec::with_capacity(count),
            carried: FxHashMap::default(),
            numbers: FxHashMap::default(),
            births: FxHashMap::default(),
            old,
        };
        for (at, step) in old.steps().iter().enumerate() {
            let node = with_operands(step, |operand| new.place(operand));
            let place = new.add(node, at, origins.get(&at).copied());
            new.places.push(place);
        }
        let roots = old.roots().iter().map(|root| new.place(*root)).collect();
        let Expansion { steps, nodes, carried, numbers, .. } = new;
        Expanded { cone: old.rewritten(steps, nodes, roots, &[Term::TRUE, Term::FALSE]), carried, numbers }
    }
}
