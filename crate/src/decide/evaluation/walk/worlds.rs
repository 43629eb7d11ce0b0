//! Steps that have copies for both signs of a number (`carried`).
//!
//! Where u and w are what a step comes to above and below d = 0:
//! - u and w are one function: the step is it, and asks for d no longer.
//! - u = w·2^t with t = 0 where d = 0: it is a power of the number's share, as in [`orders`](super::orders).
//! - otherwise it is a choice, which has one value for the same u, w and d, however it was met.
//!
//! What a step is where d = 0, copies do not say. Maxima, minima and absolute values are there what they are
//! on either side; a comparison is there what it is on one side, known by its relation; and so is what is made
//! of such steps. A step is followed no further if two of these contradict each other, unless its copies are
//! proved to meet there (`borders`).

use super::*;
use crate::decide::evaluation::carried::{Carried, Origin, compared_inside, exponentials};
use crate::decide::evaluation::demands::exponent_scale;
use crate::decide::evaluation::products::Product;

/// What a step is where the number is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in super::super) enum Border {
    /// What it is on either side.
    Both,
    /// What it is above, or below.
    Above,
    Below,
}

/// What is known of copies.
#[derive(Default)]
pub(in super::super) struct Worlds {
    /// By step; none where that is not known.
    borders: FxHashMap<usize, Border>,
    /// Steps that one function is, and the copy that has it.
    pub(in super::super) settled: FxHashMap<usize, Term>,
    /// By class: the number as one of a class of this walk.
    members: FxHashMap<u32, Option<Member>>,
    compared: usize,
}

impl Worlds {
    /// How often two copies were compared.
    pub(in super::super) fn compared(&self) -> usize {
        self.compared
    }
}

impl Walk<'_> {
    /// The steps that ask for the sign of a number, and which.
    pub(in super::super) fn origins(&mut self) -> FxHashMap<usize, Origin> {
        let mut origins = FxHashMap::default();
        for (at, node) in self.cone.steps().iter().enumerate() {
            let [a, b] = match *node {
                Node::Compare(Relation::Equal, ..) => continue,
                Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b) => [a, b],
                Node::Unary(Unary::Abs, a) => [a, Term::ZERO],
                _ => continue,
            };
            if let Some(origin) = self.origin(a, b) {
                origins.insert(at, origin);
            }
        }
        origins
    }

    /// The number whose sign says which of two is the larger.
    fn origin(&mut self, a: Term, b: Term) -> Option<Origin> {
        let inside = |pair: [Term; 2]| compared_inside(self.cone.steps(), self.meanings, pair);
        let [a, b] = inside([a, b]);
        let found = exponentials(self.cone.steps(), [a, b]);
        let others = found.iter().enumerate().flat_map(|(at, [power, argument])| {
            let rest = found[at + 1..].iter().map(|[other, inner]| ([*power, *other], [*argument, *inner]));
            std::iter::once(([*power, Term::ONE], [*argument, Term::ZERO])).chain(rest)
        });
        let others: Vec<_> = others.map(|(powers, arguments)| (powers, inside(arguments))).collect();
        let own = self.class_of(a, b)?;
        // A multiple of e^s - e^t has the sign of s - t, or the contrary one.
        for ([x, y], [s, t]) in others {
            if let Some(powers) = self.class_of(x, y)
                && powers.class == own.class
                && let Some(inner) = self.class_of(s, t)
            {
                let same = (powers.ratio.0 > 0) == (own.ratio.0 > 0);
                let up = (inner.ratio.0 > 0) == same;
                let number = if inner.ratio.0 > 0 { [s, t] } else { [t, s] };
                return Some(Origin { class: inner.class, up, number });
            }
        }
        let up = own.ratio.0 > 0;
        Some(Origin { class: own.class, up, number: if up { [a, b] } else { [b, a] } })
    }

    fn class_of(&mut self, a: Term, b: Term) -> Option<Member> {
        let difference = self.get(a, ALL).minus(self.get(b, ALL), ALL);
        match self.classify(&difference.checked()?)? {
            Classified::Member(member) => Some(member),
            Classified::Constant(_) => None,
        }
    }

    /// The number of a class, as one of a class of this walk.
    fn member(&mut self, class: u32) -> Option<Member> {
        if let Some(known) = self.worlds.members.get(&class) {
            return *known;
        }
        let [a, b] = *self.carried?.numbers.get(&class)?;
        let member = self.class_of(a, b);
        if let Some(member) = member {
            self.link(member, a, b);
        }
        self.worlds.members.insert(class, member);
        member
    }

    /// What a step is where the number of its copies is 0; `None` if that is not known.
    fn border(&mut self, node: &Node, carried: &Carried) -> Option<Border> {
        let mut all = match (node, carried.own) {
            // Where both are the same, a < b does not hold and a ≤ b does.
            (Node::Compare(relation, ..), Some(up)) => {
                let with_larger = (*relation == Relation::Less) == up;
                if with_larger { Border::Above } else { Border::Below }
            }
            _ => Border::Both,
        };
        let mut contrary = false;
        for operand in crate::term::eval::operands(node).into_iter().flatten().filter_map(Term::as_node) {
            match self.carried?.carried.get(&operand) {
                Some(other) if other.class == carried.class => {}
                _ => continue,
            }
            match (all, *self.worlds.borders.get(&operand)?) {
                (_, Border::Both) => {}
                (Border::Both, other) => all = other,
                (one, other) => contrary |= one != other,
            }
        }
        (!contrary).then_some(all)
    }

    /// The value of a step that has copies, if they say more than what it is made of.
    pub(super) fn carry(&mut self, at: usize, node: &Node, value: Value, levels: Levels) -> Value {
        let Some(carried) = self.carried.and_then(|all| all.carried.get(&at)).copied() else {
            return value;
        };
        let Some(mut border) = self.border(node, &carried) else { return value };
        self.worlds.borders.insert(at, border);
        if levels == 0 || matches!(node, Node::Compare(..)) {
            return value;
        }
        let [above, below] = carried.copies.map(|copy| self.get(copy, levels));
        if !above.is_finite() || !below.is_finite() {
            return value;
        }
        self.worlds.compared += 1;
        let degree: f32 = [above, below].iter().map(|value| value.degree[0] + value.degree[1]).sum();
        self.key_degree = self.key_degree.max(degree);
        let sign = known_of(value, above.sign.or(below.sign));
        let level = levels.trailing_zeros() as usize;
        if above.at[level] == below.at[level] {
            self.worlds.settled.insert(at, carried.copies[0]);
            self.worlds.borders.insert(at, Border::Both);
            let chosen = above.chosen || below.chosen;
            return Value { chosen, ..above.with_sign(sign) };
        }
        if levels & 1 == 0 {
            return value;
        }
        let Some(member) = self.member(carried.class) else { return value };
        let extreme = matches!(node, Node::Max(..) | Node::Min(..)) && carried.own.is_some();
        if !extreme
            && let Some(number) = self.carried.and_then(|all| all.numbers.get(&carried.class)).copied()
        {
            let share = self.atoms.share(member);
            if let Some(found) = self.rescaled_at(at, number, share, carried.copies, levels) {
                self.worlds.borders.insert(at, Border::Both);
                return found.with_sign(sign);
            }
            let [one, two] = carried.copies;
            if border != Border::Both && matches!(node, Node::Select(..)) && self.meet(number, one, two) {
                border = Border::Both;
                self.worlds.borders.insert(at, border);
            }
        }
        // The same choice, wherever it is met.
        let mut sides = [above.at[0], below.at[0]];
        if member.ratio.0 < 0 {
            sides.reverse();
            border = match border {
                Border::Both => Border::Both,
                Border::Above => Border::Below,
                Border::Below => Border::Above,
            };
        }
        let key = (member.class, sides, border);
        if let Some((known, have)) = self.atoms.choices.get(&key)
            && levels & !have == 0
        {
            return known.with_sign(sign);
        }
        let mut own = value;
        if !own.is_finite() && border == Border::Both {
            let share = self.atoms.share(member);
            own = below.plus(share.times(above.minus(below, levels), levels), levels);
        }
        if own.is_finite() {
            // What is known of a step where its branch is taken says nothing of another step elsewhere.
            if !self.atoms.bases.doubtful {
                self.atoms.choices.insert(key, (own, levels));
            }
            own = own.with_sign(sign);
        }
        own
    }

    /// A choice between multiples of one power, and it as a product.
    fn rescaled_at(
        &mut self,
        at: usize,
        number: [Term; 2],
        share: Value,
        copies: [Term; 2],
        levels: Levels,
    ) -> Option<Value> {
        let [above, below] = copies.map(|copy| self.get(copy, levels));
        let (value, power) = self.rescaled(number, share, above, below)?;
        let products = self.demands.steps[at].products;
        if products != 0 {
            // above · e^-((1 - share)·t)
            let asked = power.argument.as_node().map_or(ALL, |step| self.demands.steps[step].levels);
            let scale = exponent_scale(power.natural, 1)?;
            let all = self.exponent(self.get(power.argument, asked), &scale, asked);
            let mut exponent = Value::ONE.minus(share, ALL).times(all, asked);
            if !power.inverse {
                exponent = exponent.negated(asked);
            }
            let inside = products | crate::decide::evaluation::demands::inner(products) | 1;
            if inside & !asked == 0 {
                let power = self.exponential(exponent, products);
                let power = Product::exponential(exponent, &power, products);
                for leading in [true, false] {
                    let made =
                        self.term_product(copies[0], leading, products).and_then(|own| own.times(&power));
                    let Some(made) = made else { continue };
                    let known = if leading { &mut self.products.leading } else { &mut self.products.split };
                    known.insert(at, made);
                }
            }
        }
        Some(value)
    }
}

/// What is known of a sign in two ways.
fn known_of(value: Value, sign: Sign) -> Sign {
    if !value.is_finite() {
        return sign;
    }
    Sign {
        not_negative: sign.not_negative || value.sign.not_negative,
        not_positive: sign.not_positive || value.sign.not_positive,
        not_zero: sign.not_zero || value.sign.not_zero,
    }
}
