//! Equal up to the rounding of constants: whether two terms differ by no more than that explains.
//!
//! Both sides are written as sums of products of atoms, where a coefficient is the number that the
//! constants' bits give, exactly, and how far it moves when each constant moves within what it may stand
//! for ([`Spread`](super::constants::Spread)): affine arithmetic, one unknown for each constant, what is
//! of second order added up. An atom is a tensor element, or a function of such sums; functions meet when
//! they are the same and their arguments' coefficients agree as below. What can jump (comparisons, roundings,
//! bits) meets only with arguments that are the same to the last digit.
//!
//! Guarantees: if two terms are called close, then in both sums at the outermost level, and in each pair
//! of arguments that met, every product has coefficients whose difference, with the constants exactly as
//! they are written, is at most `part` of the largest coefficient there, and at most what the constants'
//! roundings can make it (to first order exactly: a constant that a kernel uses several times moves alike
//! everywhere in that kernel, but each kernel's constants move on their own). A sum whose coefficients may be as far off as the largest of them says nothing, and is never
//! called close. No product is cancelled against a quotient, so that nothing is assumed about divisors.
//! Misses: pairs that need identities beyond those of sums and products (exponentials of sums, maxima of
//! maxima) and rounded constants at once; what takes more than [`WORK`] steps.
//! Source: affine arithmetic: de Figueiredo and Stolfi, *Affine Arithmetic: Concepts and Applications*.

use super::constants::{Exact, Factor, Meaning, Meanings};
use super::rational::Rational;
use crate::base::{Budget, Exhausted};
use crate::term::eval::{operands, with_operands};
use crate::term::{Interval, Node, Number, Term, Terms, Unary};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Coefficients to touch in one portion of the outputs.
const WORK: u64 = 8_000_000;
/// Steps that one of them counts for.
const EFFORT: u64 = 4;
/// Monomials of a normal form that take as long as a step here.
const MONOMIALS: u64 = 8;
/// Bits of a coefficient.
const LONGEST: u64 = 4096;
/// Bits of a root.
const ROOT_BITS: u64 = 128;
/// What floats may lose of an affine form, generously.
const LOST: f64 = 1e-12;

/// A number and how it depends on what constants stand for.
#[derive(Clone, PartialEq, Debug)]
struct Affine {
    /// With all constants as their bits are.
    number: Rational,
    /// How far each constant moves it, by the constants' numbers.
    moves: Vec<(u32, f64)>,
    /// What else it may be off by.
    rest: f64,
}

impl Affine {
    fn exact(number: Rational) -> Affine {
        Affine { number, moves: Vec::new(), rest: 0.0 }
    }

    /// How far it may be from its number.
    fn spread(&self) -> f64 {
        self.moves.iter().map(|(_, by)| by.abs()).sum::<f64>() + self.rest
    }

    fn size(&self) -> f64 {
        float(&self.number).abs()
    }

    fn is_zero(&self) -> bool {
        self.number.is_zero() && self.moves.is_empty() && self.rest == 0.0
    }

    fn negated(&self) -> Affine {
        let moves = self.moves.iter().map(|(constant, by)| (*constant, -by)).collect();
        Affine { number: self.number.negated(), moves, rest: self.rest }
    }

    fn plus(&self, other: &Affine) -> Affine {
        let number = self.number.plus(&other.number);
        let moves = joined(&self.moves, 1.0, &other.moves, 1.0);
        Affine { number, moves, rest: self.rest + other.rest }.with_losses(self.spread() + other.spread())
    }

    fn times(&self, other: &Affine) -> Affine {
        let (a, b) = (float(&self.number), float(&other.number));
        let (off, off_too) = (self.spread(), other.spread());
        let linear = |affine: &Affine| affine.moves.iter().map(|(_, by)| by.abs()).sum::<f64>();
        let second = linear(self) * linear(other);
        let rest = self.rest * (b.abs() + off_too) + other.rest * (a.abs() + off) + second;
        let moves = joined(&self.moves, b, &other.moves, a);
        let number = self.number.times(&other.number);
        Affine { number, moves, rest }.with_losses(off * b.abs() + off_too * a.abs() + second)
    }

    /// `1 / self`; `None` where it may be 0.
    fn reciprocal(&self) -> Option<Affine> {
        let (size, off) = (self.size(), self.spread());
        if self.number.is_zero() || off >= size * (1.0 - LOST) {
            return None;
        }
        let square = size * size;
        let moves = self.moves.iter().map(|(constant, by)| (*constant, -by / square)).collect();
        let rest = self.rest / square + off * off / (square * (size - off));
        Some(Affine { number: self.number.reciprocal(), moves, rest }.with_losses(off / square))
    }

    /// `√self`; `None` where it may be 0 or less.
    fn root(&self) -> Option<Affine> {
        let (size, off) = (self.size(), self.spread());
        let number = self.number.to_big();
        if !number.is_positive() || off >= size * (1.0 - LOST) {
            return None;
        }
        let shift = (2 * ROOT_BITS + number.denom().bits()).saturating_sub(number.numer().bits()) / 2 + 1;
        let wide = number.numer() << (2 * shift);
        let whole = (&wide / number.denom()).sqrt();
        let is_exact = &whole * &whole * number.denom() == wide;
        let root = BigRational::new(whole, BigInt::from(1) << shift);
        let about = size.sqrt();
        let moves = self.moves.iter().map(|(constant, by)| (*constant, by / (2.0 * about))).collect();
        let inexact = if is_exact { 0.0 } else { about * LOST };
        let rest = self.rest / (2.0 * about) + off * off / (2.0 * about * (size - off)) + inexact;
        Some(Affine { number: Rational::from_big(&root), moves, rest }.with_losses(off / about))
    }

    /// Floats were added up to about this size.
    fn with_losses(mut self, size: f64) -> Affine {
        if size > 0.0 {
            self.rest += size * LOST;
        }
        self
    }
}

fn float(value: &Rational) -> f64 {
    match value.as_small() {
        Some((above, below)) => above as f64 / below as f64,
        None => value.to_big().to_f64().unwrap_or(f64::INFINITY),
    }
}

/// `a · x + b · y` of two lists in order.
fn joined(x: &[(u32, f64)], a: f64, y: &[(u32, f64)], b: f64) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = x.iter().map(|(constant, by)| (*constant, by * a)).collect();
    all.extend(y.iter().map(|(constant, by)| (*constant, by * b)));
    all.sort_by_key(|(constant, _)| *constant);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all.retain(|(_, by)| *by != 0.0);
    all
}

/// A sum: coefficients by product, in order.
type Sum = Vec<(u32, Affine)>;

/// A function of sums.
struct Atom {
    /// The arguments that have met here; each is close to all others.
    members: Vec<Vec<Rc<Sum>>>,
    /// Members, or what is inside them, are not the same to the last digit.
    loose: bool,
}

/// How close two terms are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Close {
    /// No coefficient differs by more than this part of the largest beside it.
    pub(super) part: f64,
    /// How many constants may be others than their bits.
    pub(super) constants: u64,
}

/// Why there is no sum.
enum Stop {
    Exhausted(Exhausted),
    /// It is too long, or has no numbers.
    GivenUp,
}

type Step<T> = Result<T, Stop>;

/// Two kernels' terms as sums.
pub(super) struct Sums<'a> {
    budget: &'a Budget,
    terms: [&'a Terms; 2],
    uses: [&'a [u8]; 2],
    /// Constants as affine numbers; those that are none are atoms.
    constants: [Vec<Option<Affine>>; 2],
    unknowns: u64,
    known: [FxHashMap<u32, Rc<Sum>>; 2],
    products: FxHashMap<Vec<(u32, u32)>, u32>,
    listed: Vec<Vec<(u32, u32)>>,
    atoms: Vec<Atom>,
    found: FxHashMap<(Key, u64), Vec<u32>>,
    leaves: FxHashMap<Key, u32>,
    part: f64,
    work: u64,
}

/// What kind of function it is: the node without its operands, and a name where numbers differ from
/// store to store.
type Key = (Node, Option<String>);

impl<'a> Sums<'a> {
    pub(super) fn new(
        budget: &'a Budget,
        terms: [&'a Terms; 2],
        uses: [&'a [u8]; 2],
        meanings: &Meanings,
    ) -> Sums<'a> {
        let mut unknowns: FxHashMap<(usize, BigRational, u64), u32> = FxHashMap::default();
        let constants = [0, 1].map(|side| affine(terms[side], meanings, side, &mut unknowns));
        Sums {
            budget,
            terms,
            uses,
            constants,
            unknowns: unknowns.len() as u64,
            known: [FxHashMap::default(), FxHashMap::default()],
            products: FxHashMap::from_iter([(Vec::new(), 0)]),
            listed: vec![Vec::new()],
            atoms: Vec::new(),
            found: FxHashMap::default(),
            leaves: FxHashMap::default(),
            part: 0.0,
            work: 0,
        }
    }

    /// How close a pair is, if no more than rounding can be seen between the two.
    pub(super) fn of(&mut self, pair: (Term, Term)) -> Result<Option<Close>, Exhausted> {
        if self.unknowns == 0 {
            return Ok(None);
        }
        let sums = match (self.sum(0, pair.0), self.sum(1, pair.1)) {
            (Err(Stop::Exhausted(exhausted)), _) | (_, Err(Stop::Exhausted(exhausted))) => {
                return Err(exhausted);
            }
            (Ok(reference), Ok(optimized)) => (reference, optimized),
            _ => return Ok(None),
        };
        let Some(part) = meet(&sums.0, &sums.1) else { return Ok(None) };
        Ok(Some(Close { part: part.max(self.part), constants: self.unknowns }))
    }

    fn tick(&mut self, work: usize) -> Step<()> {
        let before = self.work;
        self.work += work as u64;
        if before >> 12 != self.work >> 12 {
            self.budget.spend(EFFORT * (self.work - (before & !0xfff))).map_err(Stop::Exhausted)?;
        }
        if self.work > WORK { Err(Stop::GivenUp) } else { Ok(()) }
    }

    /// The sum of a term: operands first, without recursion.
    fn sum(&mut self, side: usize, root: Term) -> Step<Rc<Sum>> {
        let mut stack = vec![root];
        while let Some(term) = stack.last().copied() {
            let Some(node) = term.as_node() else {
                stack.pop();
                continue;
            };
            if self.known[side].contains_key(&(node as u32)) {
                stack.pop();
                continue;
            }
            self.tick(1)?;
            let before = stack.len();
            for operand in self.summands(side, term)?.into_iter().flat_map(Summand::terms) {
                let missing = |node: usize| !self.known[side].contains_key(&(node as u32));
                if operand.as_node().is_some_and(missing) {
                    stack.push(operand);
                }
            }
            if stack.len() == before {
                let sum = Rc::new(self.worked_out(side, term)?);
                self.known[side].insert(node as u32, sum);
                stack.pop();
            }
        }
        self.part_of(side, root)
    }

    /// What a sum's summands are: sums below it that nothing else uses are opened.
    fn summands(&mut self, side: usize, root: Term) -> Step<Vec<Summand>> {
        let (terms, uses) = (self.terms[side], self.uses[side]);
        let mut found = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((term, negative)) = stack.pop() {
            self.tick(1)?;
            let own = term == root || term.as_node().is_some_and(|node| uses.get(node) == Some(&1));
            match terms.node(term) {
                Node::Add(a, b) if own => stack.extend([(b, negative), (a, negative)]),
                Node::Sub(a, b) if own => stack.extend([(b, !negative), (a, negative)]),
                Node::Unary(Unary::Neg, a) if own => stack.push((a, !negative)),
                Node::Fma(a, b, c) if own => {
                    found.push(Summand { negative, a, b: Some(b) });
                    stack.push((c, negative));
                }
                Node::Mul(a, b) if own => found.push(Summand { negative, a, b: Some(b) }),
                _ if term == root => {
                    found.extend(operands(&terms.node(term)).into_iter().flatten().map(Summand::of));
                }
                _ => found.push(Summand { negative, a: term, b: None }),
            }
        }
        Ok(found)
    }

    /// The sum of a node whose operands' sums are known.
    fn worked_out(&mut self, side: usize, term: Term) -> Step<Sum> {
        let node = self.terms[side].node(term);
        match node {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) | Node::Mul(..) | Node::Unary(Unary::Neg, _) => {
                let mut total: FxHashMap<u32, Affine> = FxHashMap::default();
                for Summand { negative, a, b } in self.summands(side, term)? {
                    let a = self.part_of(side, a)?;
                    let product = match b {
                        Some(b) => {
                            let b = self.part_of(side, b)?;
                            Rc::new(self.times(&a, &b)?)
                        }
                        None => a,
                    };
                    self.tick(product.len())?;
                    for (key, by) in product.iter() {
                        let by = if negative { by.negated() } else { by.clone() };
                        total.entry(*key).and_modify(|known| *known = known.plus(&by)).or_insert(by);
                    }
                }
                in_order(total)
            }
            Node::Div(a, b) => {
                let (above, below) = (self.part_of(side, a)?, self.part_of(side, b)?);
                let below = self.reciprocal(&below)?;
                self.times(&above, &below)
            }
            Node::Unary(Unary::Recip, a) => {
                let below = self.part_of(side, a)?;
                self.reciprocal(&below)
            }
            Node::Unary(function @ (Unary::Sqrt | Unary::Rsqrt), a) => {
                let root = self.part_of(side, a)?;
                let root = self.root(&root)?;
                if function == Unary::Rsqrt { self.reciprocal(&root) } else { Ok(root) }
            }
            // 2^x = e^(ln 2 · x), and log₂ x = log₂ e · ln x.
            Node::Unary(Unary::Exp2, a) => {
                let argument = self.part_of(side, a)?;
                let scaled = self.scaled(&argument, 1)?;
                self.function((Node::Unary(Unary::Exp, Term::ZERO), None), vec![Rc::new(scaled)])
            }
            Node::Unary(Unary::Log2, a) => {
                let argument = self.part_of(side, a)?;
                let log = self.function((Node::Unary(Unary::Log, Term::ZERO), None), vec![argument])?;
                self.scaled(&log, -1)
            }
            _ => {
                let arguments: Step<Vec<Rc<Sum>>> = operands(&node)
                    .into_iter()
                    .flatten()
                    .map(|operand| self.part_of(side, operand))
                    .collect();
                let name = match node {
                    Node::Apply(function, ..) => Some(self.terms[side].function_name(function).to_owned()),
                    _ => None,
                };
                let kind = match with_operands(&node, |_| Term::ZERO) {
                    Node::Apply(_, a, b) => Node::Apply(0, a, b),
                    kind => kind,
                };
                self.function((kind, name), arguments?)
            }
        }
    }

    /// The sum of an operand: a leaf, or one that is known.
    fn part_of(&mut self, side: usize, term: Term) -> Step<Rc<Sum>> {
        if let Some(node) = term.as_node() {
            if let Some(sum) = self.known[side].get(&(node as u32)) {
                return Ok(sum.clone());
            }
            return Err(Stop::GivenUp);
        }
        let leaf = match term.as_constant() {
            Some(constant) => match &self.constants[side][constant] {
                Some(affine) if affine.is_zero() => return Ok(Rc::default()),
                Some(affine) => return Ok(Rc::new(vec![(0, affine.clone())])),
                None => {
                    let number = &self.terms[side].constant_at(constant).number;
                    // Sums and products of these follow no law of numbers.
                    if matches!(
                        number,
                        Number::Infinity | Number::MinusInfinity | Number::NotANumber | Number::Unwritten
                    ) {
                        return Err(Stop::GivenUp);
                    }
                    (Node::BitConstant(0), Some(format!("{number:?}")))
                }
            },
            None => (self.terms[side].node(term), None),
        };
        let next = self.atoms.len() as u32;
        let atom = *self.leaves.entry(leaf).or_insert(next);
        if atom == next {
            self.atoms.push(Atom { members: Vec::new(), loose: false });
        }
        Ok(Rc::new(vec![(self.product(vec![(atom, 1)]), Affine::exact(Rational::ONE))]))
    }

    fn product(&mut self, factors: Vec<(u32, u32)>) -> u32 {
        let next = self.listed.len() as u32;
        let id = *self.products.entry(factors.clone()).or_insert(next);
        if id == next {
            self.listed.push(factors);
        }
        id
    }

    fn times(&mut self, a: &Sum, b: &Sum) -> Step<Sum> {
        self.tick(a.len() * b.len())?;
        let mut total: FxHashMap<u32, Affine> = FxHashMap::default();
        for (x, by) in a {
            for (y, by_too) in b {
                let id = match (*x, *y) {
                    (0, other) | (other, 0) => other,
                    (x, y) => {
                        let mut factors = self.listed[x as usize].clone();
                        factors.extend(&self.listed[y as usize]);
                        factors.sort_unstable();
                        factors.dedup_by(|next, kept| {
                            let same = next.0 == kept.0;
                            if same {
                                kept.1 += next.1;
                            }
                            same
                        });
                        self.product(factors)
                    }
                };
                let by = by.times(by_too);
                if by.number.bits() > LONGEST || !by.spread().is_finite() {
                    return Err(Stop::GivenUp);
                }
                self.tick((by.number.effort() / MONOMIALS) as usize)?;
                total.entry(id).and_modify(|known| *known = known.plus(&by)).or_insert(by);
            }
        }
        in_order(total)
    }

    /// `1 / sum`: the first coefficient is taken out, so that `1 / (2·x)` and `0.5 · (1 / x)` are one.
    fn reciprocal(&mut self, sum: &Sum) -> Step<Sum> {
        let certain = |(_, by): &&(u32, Affine)| by.size() > by.spread();
        let Some((first, by)) = sum.iter().find(certain) else { return Err(Stop::GivenUp) };
        let over = by.reciprocal().ok_or(Stop::GivenUp)?;
        if sum.len() == 1 && *first == 0 {
            return Ok(vec![(0, over)]);
        }
        let scaled = Rc::new(without(sum, *first, &over));
        let atom = self.function((Node::Unary(Unary::Recip, Term::ZERO), None), vec![scaled])?;
        self.times(&atom, &vec![(0, over)])
    }

    /// `√sum`: the first coefficient is taken out if it is positive, so that `√(4·x)` and `2·√x` are one.
    fn root(&mut self, sum: &Sum) -> Step<Sum> {
        let function = (Node::Unary(Unary::Sqrt, Term::ZERO), None);
        let certain = sum.iter().find(|(_, by)| by.size() > by.spread());
        let split = certain.and_then(|(first, by)| Some((*first, by.root()?, by.reciprocal()?)));
        let Some((first, root, over)) = split else {
            return self.function(function, vec![Rc::new(sum.clone())]);
        };
        if sum.len() == 1 && first == 0 {
            return Ok(vec![(0, root)]);
        }
        let scaled = without(sum, first, &over);
        let atom = self.function(function, vec![Rc::new(scaled)])?;
        self.times(&atom, &vec![(0, root)])
    }

    /// A sum times a power of ln 2.
    fn scaled(&mut self, sum: &Sum, power: i64) -> Step<Sum> {
        let factor = Factor::Ln2.to_the(power).and_then(|ln2| irrational(&ln2)).ok_or(Stop::GivenUp)?;
        self.times(sum, &vec![(0, factor)])
    }

    /// A function of sums: one that it meets, or a new one.
    fn function(&mut self, key: Key, arguments: Vec<Rc<Sum>>) -> Step<Sum> {
        let same = exactly(&key.0);
        let commutes = matches!(key.0, Node::Max(..) | Node::Min(..));
        let shape = arguments.iter().map(|sum| shape(sum));
        // Operands that may change places have one place.
        let place = if commutes { shape.fold(0u64, u64::wrapping_add) } else { shape.fold(0, mixed) };
        let place = (key, place);
        let loose_inside = arguments.iter().any(|sum| self.is_loose(sum));
        let known = self.found.get(&place).cloned().unwrap_or_default();
        for atom in known {
            self.tick(arguments.iter().map(|sum| sum.len()).sum())?;
            let orders: &[[usize; 3]] = if commutes { &[[0, 1, 2], [1, 0, 2]] } else { &[[0, 1, 2]] };
            for order in orders {
                let arguments: Vec<Rc<Sum>> =
                    (0..arguments.len()).map(|at| arguments[order[at]].clone()).collect();
                let Some(part) = self.joins(atom, &arguments, same) else { continue };
                let atom_known = &mut self.atoms[atom as usize];
                if !atom_known.members.contains(&arguments) {
                    atom_known.members.push(arguments);
                    atom_known.loose = true;
                }
                atom_known.loose |= loose_inside;
                self.part = self.part.max(part);
                let id = self.product(vec![(atom, 1)]);
                return Ok(vec![(id, Affine::exact(Rational::ONE))]);
            }
        }
        let atom = self.atoms.len() as u32;
        self.atoms.push(Atom { members: vec![arguments], loose: loose_inside });
        self.found.entry(place).or_default().push(atom);
        let id = self.product(vec![(atom, 1)]);
        Ok(vec![(id, Affine::exact(Rational::ONE))])
    }

    /// By how much arguments differ from those of an atom, if they meet all of them.
    fn joins(&self, atom: u32, arguments: &[Rc<Sum>], same: Same) -> Option<f64> {
        let mut part = 0.0f64;
        for member in &self.atoms[atom as usize].members {
            for (at, (known, new)) in member.iter().zip(arguments).enumerate() {
                let exact = same == Same::All || same == Same::First && at == 0;
                if exact && self.is_loose(new) {
                    return None;
                }
                let between = if Rc::ptr_eq(known, new) { 0.0 } else { meet(known, new)? };
                if exact && between > 0.0 {
                    return None;
                }
                part = part.max(between);
            }
        }
        Some(part)
    }

    fn is_loose(&self, sum: &Sum) -> bool {
        sum.iter()
            .any(|(id, _)| self.listed[*id as usize].iter().any(|(atom, _)| self.atoms[*atom as usize].loose))
    }
}

/// A sum over one of its coefficients.
fn without(sum: &Sum, first: u32, over: &Affine) -> Sum {
    let scaled = |by: &Affine| by.times(over);
    sum.iter()
        .map(|(id, by)| (*id, if *id == first { Affine::exact(Rational::ONE) } else { scaled(by) }))
        .collect()
}

/// What is added: a term, or a product of two.
struct Summand {
    negative: bool,
    a: Term,
    b: Option<Term>,
}

impl Summand {
    fn of(a: Term) -> Summand {
        Summand { negative: false, a, b: None }
    }

    fn terms(self) -> impl Iterator<Item = Term> {
        std::iter::once(self.a).chain(self.b)
    }
}

/// Which arguments have to be the same to the last digit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    None,
    First,
    All,
}

/// What can jump needs arguments that are the same.
fn exactly(node: &Node) -> Same {
    match node {
        Node::Max(..) | Node::Min(..) => Same::None,
        Node::Select(..) => Same::First,
        Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, _) => Same::All,
        Node::Unary(..) => Same::None,
        _ => Same::All,
    }
}

/// By what part of the largest coefficient two sums differ, if the constants' roundings explain that.
fn meet(a: &Sum, b: &Sum) -> Option<f64> {
    let (mut part, mut size, mut off) = (0.0f64, 0.0f64, 0.0f64);
    let nothing = Affine::exact(Rational::ZERO);
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let (x, y) = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if x.0 == y.0 => (&left.next()?.1, &right.next()?.1),
            (Some(x), Some(y)) if x.0 > y.0 => (&nothing, &right.next()?.1),
            (Some(_), _) => (&left.next()?.1, &nothing),
            (None, Some(_)) => (&nothing, &right.next()?.1),
        };
        let difference = x.plus(&y.negated());
        let apart = difference.size();
        // No bound explains nothing.
        let explained = apart <= difference.spread();
        if !difference.number.is_zero() && !explained {
            return None;
        }
        (part, size) = (part.max(apart), size.max(x.size()).max(y.size()));
        off = off.max(if difference.number.is_zero() { 0.0 } else { difference.spread() });
    }
    match part == 0.0 {
        true => Some(0.0),
        false => (off < size).then_some(part / size),
    }
}

/// What the products of a sum are, as far as they are certainly there.
fn shape(sum: &Sum) -> u64 {
    let certain = sum.iter().filter(|(_, by)| by.size() > by.spread());
    certain.fold(1, |so_far, (id, _)| mixed(so_far, (*id).into()))
}

fn mixed(so_far: u64, next: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (so_far, next).hash(&mut hasher);
    hasher.finish()
}

fn in_order(total: FxHashMap<u32, Affine>) -> Step<Sum> {
    let mut sum: Sum = total.into_iter().filter(|(_, by)| !by.is_zero()).collect();
    if sum.iter().any(|(_, by)| !by.spread().is_finite() || by.number.bits() > LONGEST) {
        return Err(Stop::GivenUp);
    }
    sum.sort_unstable_by_key(|(id, _)| *id);
    Ok(sum)
}

/// The constants of one side: equal ones that may move as far are one unknown there. The other kernel's
/// are others: the high half of a split π is the number of its bits where π itself is meant elsewhere.
fn affine(
    terms: &Terms,
    meanings: &Meanings,
    side: usize,
    unknowns: &mut FxHashMap<(usize, BigRational, u64), u32>,
) -> Vec<Option<Affine>> {
    let spreads = meanings.spreads(side);
    let each = |(at, meaning): (usize, &Meaning)| match (&terms.constant_at(at).number, meaning) {
        (Number::Rational(value), _) => {
            let mut affine = Affine::exact(Rational::from_big(value));
            if let Some(spread) = spreads[at] {
                let magnitude = value.abs();
                let next = unknowns.len() as u32;
                let unknown = *unknowns.entry((side, magnitude, spread.radius.to_bits())).or_insert(next);
                let by = if affine.number.is_negative() { -spread.radius } else { spread.radius };
                affine.moves.push((unknown, by));
            }
            Some(affine)
        }
        (Number::Named(_), Meaning::Number(exact)) => irrational(exact),
        _ => None,
    };
    meanings.side(side).iter().enumerate().map(each).collect()
}

/// A number with a name, as near as its digits say.
fn irrational(exact: &Exact) -> Option<Affine> {
    let (low, high) = exact.bounds()?;
    let width = Interval::of_rational(&(&high - &low)).high();
    Some(Affine { number: Rational::from_big(&low), moves: Vec::new(), rest: width })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Format;
    use crate::decide::{Options, uses};
    use crate::diag::Ledger;
    use crate::term::Relation;

    /// How close two terms are that `build` makes (`true`: the optimized kernel's).
    fn close_with(exact: bool, build: impl Fn(&mut Terms, bool) -> Term) -> Option<f64> {
        let budget = Budget::default();
        let (mut f, mut g) = (Terms::new(), Terms::new());
        let pair = (build(&mut f, false), build(&mut g, true));
        let sides = [(&f, &[pair.0][..]), (&g, &[pair.1][..])];
        let options = Options { exact_constants: exact, ..Options::default() };
        let meanings = Meanings::of(&options, &budget, sides, &mut Ledger::default()).unwrap();
        let counts = sides.map(|(terms, roots)| uses::count(&budget, terms, roots).unwrap());
        let mut sums = Sums::new(&budget, [&f, &g], [&counts[0], &counts[1]], &meanings);
        sums.of(pair).unwrap().map(|close| close.part)
    }

    fn close(build: impl Fn(&mut Terms, bool) -> Term) -> Option<f64> {
        close_with(false, build)
    }

    fn number(terms: &mut Terms, value: f32) -> Term {
        terms.number(Format::F32, value.to_bits().into())
    }

    /// `x · value`
    fn times(terms: &mut Terms, value: f32) -> Term {
        let value = number(terms, value);
        terms.mul(Term::element(0), value)
    }

    #[test]
    fn a_neighbour_is_close_and_no_further_one() {
        let scaled = |one: f32, other: f32| {
            close(|terms, optimized| times(terms, if optimized { other } else { one }))
        };
        assert!(scaled(0.1, 0.1f32.next_up()).is_some_and(|part| part > 0.0 && part < 1e-7));
        assert!(scaled(0.1, 1.0 - 0.9).is_some_and(|part| part < 1e-6), "one less 0.9");
        assert_eq!(scaled(0.1, 0.100_001), None);
        assert_eq!(scaled(0.5, 0.500_000_2), None);
        assert_eq!(scaled(0.5, 0.25), None);
        let exact =
            |terms: &mut Terms, optimized| times(terms, if optimized { 0.1f32.next_up() } else { 0.1 });
        assert_eq!(close_with(true, exact), None);
    }

    #[test]
    fn arguments_may_be_close_and_conditions_may_not() {
        let inside = |function: Unary| {
            close(|terms, optimized| {
                let argument = times(terms, if optimized { 0.1f32.next_up() } else { 0.1 });
                terms.unary(function, argument)
            })
        };
        assert!(inside(Unary::Tanh).is_some() && inside(Unary::Exp).is_some());
        assert_eq!(inside(Unary::Floor), None);
        let chosen = close(|terms, optimized| {
            let limit = number(terms, if optimized { 0.1f32.next_up() } else { 0.1 });
            let below = terms.compare(Relation::Less, Term::element(0), limit);
            terms.select(below, Term::element(0), Term::element(1))
        });
        assert_eq!(chosen, None);
    }

    #[test]
    fn roots_give_their_factors_away() {
        let root = |inside: f32, outside: f32, function: Unary| {
            close(|terms, optimized| {
                if !optimized {
                    let scaled = times(terms, inside);
                    return terms.unary(function, scaled);
                }
                let (root, factor) = (terms.unary(function, Term::element(0)), number(terms, outside));
                terms.mul(root, factor)
            })
        };
        let of_root = |inside: f32| f64::from(inside).sqrt() as f32;
        for inside in [0.1f32, 0.007, 0.3, 1e-20, 3.3e7] {
            assert!(root(inside, of_root(inside), Unary::Sqrt).is_some(), "{inside}");
            assert!(
                root(inside, (1.0 / f64::from(inside).sqrt()) as f32, Unary::Rsqrt).is_some(),
                "{inside}"
            );
            assert_eq!(root(inside, of_root(inside) * 1.000_001, Unary::Sqrt), None, "{inside}");
            assert_eq!(root(inside, of_root(inside), Unary::Rsqrt), None, "{inside}");
        }
        assert_eq!(root(0.1, -(0.1f32.sqrt()), Unary::Sqrt), None);
        assert_eq!(root(-0.1, 0.1f32.sqrt(), Unary::Sqrt), None);
    }

    #[test]
    fn what_rounding_makes_as_large_as_the_rest_says_nothing() {
        // (0.1·x - 0.1'·x) · scale + y against y.
        let blown_up = |scale: f32| {
            close(|terms, optimized| {
                if optimized {
                    return Term::element(1);
                }
                let (one, other) = (times(terms, 0.1), times(terms, 0.1f32.next_up()));
                let (difference, scale) = (terms.sub(one, other), number(terms, scale));
                terms.fma(difference, scale, Term::element(1))
            })
        };
        assert!(blown_up(1.0).is_some());
        assert_eq!(blown_up(f64::from(2u32 << 26) as f32 * 1024.0), None);
    }

    #[test]
    fn a_quotient_is_not_cancelled() {
        let cancelled = close(|terms, optimized| {
            let scaled = times(terms, if optimized { 0.1f32.next_up() } else { 0.1 });
            let over = terms.div(scaled, Term::element(0));
            if optimized { terms.mul(over, Term::element(0)) } else { scaled }
        });
        assert_eq!(cancelled, None);
    }
}
