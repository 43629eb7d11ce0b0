//! What is asked of every step: one sweep from the roots down.
//!
//! An exponent is asked for one level further in than its power, and everything that makes the key of an
//! atom at level 0. Arguments of logarithms and roots are asked for as products, and what these are made of
//! as well. Where an exponent holds a logarithm, its power is made along its sum, so that e^(ln s + a) is
//! s·e^a: its summands are asked for their powers, with the factor in front of them.

use super::atoms::Way;
use super::carried::{Expanded, exponentials};
use super::value::Levels;
use crate::decide::{Exact, Factor, Meaning};
use crate::term::eval::{Cone, operands};
use crate::term::{Node, Term, Unary};
use rustc_hash::FxHashMap;

/// All levels.
pub(super) const ALL: Levels = 7;
/// Different factors with which one step may stand in exponents; others take its value as it is.
const MOST_SCALES: usize = 8;

/// What is asked of a step.
#[derive(Clone, Copy, Default)]
pub(super) struct Demand {
    pub(super) levels: Levels,
    /// Its leading summand, with residues at these levels.
    pub(super) products: Levels,
    /// It as a product.
    pub(super) split: bool,
    /// Its leading summands over what divides it.
    pub(super) heads: bool,
    /// It is part of a branch of a choice, for some root.
    pub(super) guarded: bool,
}

/// e to a multiple of a step.
#[derive(Clone)]
pub(super) struct Scaled {
    pub(super) scale: Exact,
    pub(super) levels: Levels,
    pub(super) products: Levels,
}

/// What is asked of all steps of a cone.
pub(super) struct Demands {
    pub(super) steps: Vec<Demand>,
    pub(super) powers: FxHashMap<usize, Vec<Scaled>>,
}

/// A summand of a step, and how e to a multiple of the step is made of it.
pub(super) enum Summand {
    /// e to that multiple of it.
    Power(Term, Exact),
    /// Of a logarithm's argument: it, to that power.
    Argument(Term, Exact),
    /// e to a multiple of a product.
    Product(Term, Term, Exact),
}

/// The levels at which an exponent is asked for, for its power at some.
pub(super) fn inner(levels: Levels) -> Levels {
    (levels << 1) & ALL | u8::from(levels & 4 != 0)
}

/// How e to a multiple of a step is made of its summands; `None` if it is made of its value.
pub(super) fn summands(node: &Node, scale: &Exact, meanings: &[Meaning]) -> Option<Vec<Summand>> {
    use Summand::{Argument, Power, Product};
    let number = |term: Term| match meanings.get(term.as_constant()?)? {
        Meaning::Number(exact) => Some(exact),
        _ => None,
    };
    let times = |a: Term, b: Term| {
        let found = match (number(a), number(b)) {
            (Some(factor), _) => Some((b, factor)),
            (_, Some(factor)) => Some((a, factor)),
            _ => None,
        };
        Some(match found {
            Some((other, factor)) => Power(other, scale.times(factor)?),
            None => Product(a, b, scale.clone()),
        })
    };
    Some(match *node {
        Node::Add(a, b) => vec![Power(a, scale.clone()), Power(b, scale.clone())],
        Node::Sub(a, b) => vec![Power(a, scale.clone()), Power(b, scale.negated())],
        Node::Unary(Unary::Neg, a) => vec![Power(a, scale.negated())],
        Node::Mul(a, b) if number(a).is_some() || number(b).is_some() => vec![times(a, b)?],
        Node::Fma(a, b, c) => vec![times(a, b)?, Power(c, scale.clone())],
        Node::Div(a, b) => vec![Power(a, scale.times(&number(b)?.reciprocal()?)?)],
        Node::Unary(Unary::Log, a) => vec![Argument(a, rational(scale.clone())?)],
        Node::Unary(Unary::Log2, a) => {
            vec![Argument(a, rational(scale.times(&Factor::Ln2.to_the(-1)?)?)?)]
        }
        _ => return None,
    })
}

/// A power that a value can be raised to.
fn rational(scale: Exact) -> Option<Exact> {
    let power = scale.as_rational()?;
    let small = power.numer().bits() <= 12 && (power.is_integer() || *power.denom() == 2.into());
    small.then_some(scale)
}

/// Whether each step is a sum with a logarithm in it.
fn holding_logarithms(cone: &Cone, carried: Option<&Expanded>) -> Vec<bool> {
    let mut holds: Vec<bool> = Vec::new();
    for (at, node) in cone.steps().iter().enumerate() {
        let of = |term: Term| term.as_node().is_some_and(|step| holds[step]);
        let own = match *node {
            Node::Unary(Unary::Log | Unary::Log2, _) => true,
            Node::Add(a, b) | Node::Sub(a, b) => of(a) || of(b),
            Node::Unary(Unary::Neg, a) | Node::Div(a, _) => of(a),
            Node::Mul(a, b) => a.as_constant().is_some() && of(b) || b.as_constant().is_some() && of(a),
            Node::Fma(a, b, c) => {
                a.as_constant().is_some() && of(b) || b.as_constant().is_some() && of(a) || of(c)
            }
            _ => false,
        };
        let copies = carried.and_then(|all| all.carried.get(&at)).map(|carried| carried.copies);
        let own = own || copies.is_some_and(|copies| copies.into_iter().any(of));
        if holds.is_empty() {
            holds.reserve(cone.steps().len());
        }
        holds.push(own);
    }
    holds
}

/// Whether each step is a sum with quotients in it, which are no arguments of functions.
fn holding_quotients(cone: &Cone) -> Vec<bool> {
    /// A quotient, and a sum with one in it.
    const QUOTIENT: u8 = 1;
    const SUM: u8 = 2;
    let mut holds: Vec<u8> = Vec::with_capacity(cone.steps().len());
    for node in cone.steps() {
        let of = |term: Term| term.as_node().map_or(0, |step| holds[step]);
        let any = operands(node).into_iter().flatten().fold(0, |all, operand| all | of(operand));
        holds.push(match node {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) if any != 0 => SUM,
            Node::Unary(Unary::Tanh, _) => QUOTIENT | SUM,
            Node::Div(_, b) if b.as_constant().is_none() => QUOTIENT | any & SUM,
            Node::Unary(Unary::Recip, _) => QUOTIENT | any & SUM,
            Node::Mul(..) | Node::Div(..) | Node::Unary(Unary::Neg, _) => any,
            _ => 0,
        });
    }
    holds.into_iter().map(|own| own & SUM != 0).collect()
}

struct Sweep<'a> {
    cone: &'a Cone,
    way: Way,
    carried: Option<&'a Expanded>,
    meanings: &'a [Meaning],
    holds: Vec<bool>,
    quotients: Vec<bool>,
    demands: Demands,
}

impl Sweep<'_> {
    fn ask(&mut self, term: Term, more: Demand) {
        if let Some(step) = term.as_node() {
            let own = &mut self.demands.steps[step];
            own.levels |= more.levels | more.products | u8::from(more.products != 0);
            own.products |= more.products | u8::from(more.products != 0);
            own.split |= more.split;
            own.heads |= more.heads;
            own.guarded |= more.guarded;
        }
    }

    /// Whether leading summands are asked of an argument that is asked for as a product.
    fn asks_heads(&self, term: Term) -> bool {
        term.as_node().is_some_and(|step| self.quotients[step])
    }

    /// Asks for e to a multiple of a term.
    fn ask_power(&mut self, term: Term, more: Scaled, guarded: bool) {
        let levels = inner(more.levels) | more.products | inner(more.products) | u8::from(more.products != 0);
        let value = Demand { levels, guarded, ..Demand::default() };
        let Some(step) = term.as_node().filter(|step| self.holds[*step]) else {
            return self.ask(term, value);
        };
        // A step that is asked for nothing has no sign and no kind.
        self.ask(term, Demand { guarded, ..Demand::default() });
        let known = self.demands.powers.entry(step).or_default();
        if let Some(known) = known.iter_mut().find(|known| known.scale == more.scale) {
            known.levels |= more.levels;
            known.products |= more.products;
        } else if known.len() < MOST_SCALES {
            known.push(more);
        } else {
            self.ask(term, value);
        }
    }

    fn powers_of(&mut self, at: usize, node: &Node) {
        let Some(powers) = self.demands.powers.get(&at).cloned() else { return };
        let guarded = self.demands.steps[at].guarded;
        for Scaled { scale, levels, products } in powers {
            let inside = inner(levels) | products | inner(products) | u8::from(products != 0);
            let Some(summands) = summands(node, &scale, self.meanings) else {
                self.ask(Term::from_node(at), Demand { levels: inside, ..Demand::default() });
                continue;
            };
            for summand in summands {
                match summand {
                    Summand::Power(term, scale) => {
                        self.ask_power(term, Scaled { scale, levels, products }, guarded);
                    }
                    Summand::Argument(term, power) => {
                        let whole = power.as_rational().is_some_and(|power| power.is_integer());
                        let levels = if whole { levels | 1 } else { ALL };
                        let products = if whole { products } else { ALL };
                        let split = !whole || products != 0;
                        let heads = split && self.asks_heads(term);
                        self.ask(term, Demand { levels, products, split, heads, guarded });
                    }
                    Summand::Product(a, b, _) => {
                        for term in [a, b] {
                            self.ask(term, Demand { levels: inside, guarded, ..Demand::default() });
                        }
                    }
                }
            }
        }
    }

    fn step(&mut self, at: usize, node: &Node) {
        self.powers_of(at, node);
        let Demand { levels: own, products, split, heads, guarded } = self.demands.steps[at];
        if let Some(copies) = self.carried.and_then(|all| all.carried.get(&at)).map(|own| own.copies) {
            let powers = self.demands.powers.get(&at).cloned().unwrap_or_default();
            for copy in copies {
                self.ask(copy, Demand { levels: own, products, split, heads, guarded: true });
                for scaled in &powers {
                    self.ask_power(copy, scaled.clone(), true);
                }
            }
        }
        if self.way != Way::Apart
            && let Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b) = *node
        {
            for [_, argument] in exponentials(self.cone.steps(), [a, b]) {
                self.ask(argument, Demand { levels: ALL, guarded, ..Demand::default() });
            }
        }
        let exponent = inner(own) | products | inner(products) | u8::from(products != 0);
        let mut more = Demand { levels: own, guarded, ..Demand::default() };
        match node {
            Node::Unary(Unary::Neg | Unary::Recip, _) | Node::Mul(..) | Node::Div(..) => {
                more = Demand { products, split, heads, ..more };
            }
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => more = Demand { products, heads, ..more },
            Node::Unary(Unary::Cbrt, _) => more = Demand { products, split: products != 0, ..more },
            Node::And(..) | Node::Or(..) | Node::Not(_) => {}
            Node::Unary(Unary::Exp | Unary::Exp2 | Unary::Tanh, a) => {
                let natural = !matches!(node, Node::Unary(Unary::Exp2, _));
                let times = if matches!(node, Node::Unary(Unary::Tanh, _)) { 2 } else { 1 };
                if a.as_node().is_some_and(|step| self.holds[step])
                    && let Some(scale) = exponent_scale(natural, times)
                {
                    return self.ask_power(*a, Scaled { scale, levels: own, products }, guarded);
                }
                more.levels = exponent | u8::from(self.carried.is_some());
            }
            // An angle is an exponent; what is one level further in than the innermost is an atom.
            Node::Unary(Unary::Sin | Unary::Cos, _) => {
                more.levels = if own & 4 != 0 { ALL } else { inner(own) };
            }
            _ if node.is_opaque() => more.levels |= 1,
            Node::Unary(Unary::Floor | Unary::Ceil, _) => more.levels |= 1,
            Node::Unary(Unary::Log | Unary::Log2, a) => {
                let heads = self.asks_heads(*a);
                more = Demand { levels: own | 1, products: own | 1, split: true, heads, guarded };
            }
            Node::Unary(Unary::Sqrt | Unary::Rsqrt, a) => {
                let heads = self.asks_heads(*a);
                more = Demand { levels: ALL, products: ALL, split: true, heads, guarded };
            }
            Node::Unary(Unary::Abs, _) => {
                more = Demand { levels: ALL, products, split: products != 0, heads: false, guarded };
            }
            // What is known by the class of a number: factors are told modulo all primes.
            _ => more.levels = ALL,
        }
        for (place, operand) in operands(node).into_iter().flatten().enumerate() {
            let branch = matches!(node, Node::Select(..)) && place > 0;
            // What is divided by is a factor of the whole.
            let below =
                place == 1 && matches!(node, Node::Div(..)) || matches!(node, Node::Unary(Unary::Recip, _));
            let split = more.split || more.heads && below;
            self.ask(operand, Demand { guarded: guarded || branch, split, ..more });
        }
    }
}

/// `times`, or `times · ln 2`.
pub(super) fn exponent_scale(natural: bool, times: i64) -> Option<Exact> {
    let number = Exact::integer(times);
    if natural { Some(number) } else { number.times(&Factor::Ln2.to_the(1)?) }
}

/// What is asked of every step of a cone.
pub(super) fn demands(cone: &Cone, meanings: &[Meaning], way: Way, carried: Option<&Expanded>) -> Demands {
    let steps = vec![Demand::default(); cone.steps().len()];
    let demands = Demands { steps, powers: FxHashMap::default() };
    let holds = holding_logarithms(cone, carried);
    let quotients = holding_quotients(cone);
    let mut sweep = Sweep { cone, way, carried, meanings, holds, quotients, demands };
    for root in cone.roots() {
        sweep.ask(*root, Demand { levels: 1, ..Demand::default() });
    }
    for (at, node) in cone.steps().iter().enumerate().rev() {
        sweep.step(at, node);
    }
    sweep.demands
}
