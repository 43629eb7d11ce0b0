//! Values that are finite in some places, infinite in others, and undefined elsewhere: masks of -∞.
//!
//! A place is a Boolean function of conditions (`conditions`). A shape says where a value is finite,
//! +∞ or -∞; it is undefined everywhere else, exactly. Of the finite part it says in a few pieces
//! what the value is; where none is, it is 0. So `e^select(c, x, -∞)` is e^x where c holds, and 0
//! elsewhere; a maximum has candidates that there are in their places only; and a sum that is 0 where
//! everything is masked is not multiplied by what stands for that case. Two shapes are one value if
//! they are finite and infinite in the same places and their pieces are the same; undefined is equal
//! to undefined alone.
//!
//! Nothing is said of a piece where the value is not finite. A piece is *closed* if it is 0 outside its
//! place as it stands; any other is multiplied by the place's weight where pieces have to be put
//! together, unless its place is all there is. What was divided by a choice is *regular* where that is
//! not 0, and put together with others only where all of it is (0/0 times 0 is not 0).
//! Conditions have c² = c, residues do not: what has weights in it is not multiplied by those of its
//! own conditions again. So `select(c, l + e, l)` is l + [c]·e, whatever l is.
//!
//! Guarantees: a shape says where it is not exact, and is one value with nothing then.
//! Misses: roots and other functions of such values; signs of what infinities are multiplied by; sums that
//! are rescaled by branches where a mask lets a score through.

use super::*;
use crate::decide::evaluation::demands::{exponent_scale, inner};
use crate::term::eval::operands;

/// So many pieces are kept apart.
const PIECES: usize = 4;
/// Conditions within one another that are followed on the stack.
const DEEPEST: u32 = 1024;

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Piece {
    place: Place,
    value: Value,
    closed: bool,
    /// Where no divisor of it is 0: all of the place, at least.
    regular: Place,
}

#[derive(Clone, Debug)]
pub(in super::super) struct Shape {
    finite: Place,
    down: Place,
    up: Place,
    /// Where nothing is known of it: an infinity times a number of unknown sign. It is undefined in all
    /// other places.
    unknown: Place,
    pieces: Vec<Piece>,
    /// Whether all pieces are positive in their places.
    positive: bool,
}

impl Shape {
    /// Undefined everywhere.
    pub(in super::super) const fn undefined() -> Shape {
        let never = Place::NEVER;
        Shape { finite: never, down: never, up: never, unknown: never, pieces: Vec::new(), positive: false }
    }

    fn always(value: Value, level: usize) -> Option<Shape> {
        let mut shape = Shape { positive: value.sign.is_positive(), ..Shape::undefined() };
        match value.kind {
            Kind::Finite => {
                shape.finite = Place::ALWAYS;
                if value.at[level] != ZERO {
                    shape.pieces.push(Piece {
                        place: Place::ALWAYS,
                        value,
                        closed: true,
                        regular: Place::ALWAYS,
                    });
                }
            }
            Kind::Infinity => shape.up = Place::ALWAYS,
            Kind::MinusInfinity => shape.down = Place::ALWAYS,
            Kind::Lost => return None,
        }
        Some(shape)
    }

    /// A bound on the degrees of its pieces.
    pub(in super::super) fn degree(&self) -> f32 {
        self.pieces.iter().map(|piece| piece.value.degree[0] + piece.value.degree[1]).fold(0.0, f32::max)
    }

    fn negated(mut self, levels: Levels) -> Shape {
        for piece in &mut self.pieces {
            piece.value = piece.value.negated(levels);
        }
        Shape { up: self.down, down: self.up, positive: false, ..self }
    }
}

/// Whether two shapes are one value.
pub(in super::super) fn alike(atoms: &mut Atoms, a: &Shape, b: &Shape) -> bool {
    let known = [a, b].iter().all(|shape| shape.unknown == Place::NEVER);
    if !known || (a.finite, a.down, a.up) != (b.finite, b.down, b.up) {
        return false;
    }
    let listed = |shape: &Shape| {
        let mut list: Vec<_> = shape.pieces.iter().map(|piece| (piece.place, piece.value.at[0])).collect();
        list.sort();
        list
    };
    if listed(a) == listed(b) {
        return true;
    }
    let whole = |atoms: &mut Atoms, shape: &Shape| whole(atoms, &shape.pieces, shape.finite, 1);
    matches!((whole(atoms, a), whole(atoms, b)), (Some(a), Some(b)) if a.0.at[0] == b.0.at[0])
}

/// Whether something is divided by a sum or an extreme of what is 0 under conditions.
pub(super) fn divides_by_choice(cone: &Cone) -> bool {
    let mut chosen: Vec<bool> = Vec::with_capacity(cone.steps().len());
    for node in cone.steps() {
        let is = |term: &Term| term.as_node().is_some_and(|step| chosen[step]);
        let own = match node {
            Node::Div(_, b) | Node::Unary(Unary::Recip, b) if is(b) => return true,
            Node::Select(_, a, b) => *a == Term::ZERO || *b == Term::ZERO || is(a) || is(b),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Max(a, b) | Node::Min(a, b) => {
                is(a) || is(b)
            }
            Node::Fma(a, b, c) => is(a) || is(b) || is(c),
            Node::Unary(Unary::Neg, a) => is(a),
            _ => false,
        };
        chosen.push(own);
    }
    false
}

/// The pieces as one value within a place, and where that is regular: all of the place, at least.
fn whole(atoms: &mut Atoms, pieces: &[Piece], within: Place, levels: Levels) -> Option<(Value, Place)> {
    let (mut sum, mut regular) = (Value::ZERO, Place::ALWAYS);
    for piece in pieces {
        let part = if piece.closed || atoms.without(within, piece.place)? == Place::NEVER {
            piece.value
        } else {
            piece.value.times(atoms.weight(piece.place), levels)
        };
        sum = sum.plus(part, levels);
        regular = atoms.both(regular, piece.regular)?;
    }
    let defined = sum.is_finite() && atoms.without(within, regular)? == Place::NEVER;
    defined.then_some((sum, regular))
}

impl Walk<'_> {
    /// The shape of a term; `None` if it was lost.
    pub(super) fn shape(&self, term: Term, levels: Levels) -> Option<Shape> {
        let asked = term.as_node().map_or(ALL, |step| self.demands.steps[step].levels);
        if levels & !asked != 0 {
            return None;
        }
        match self.shapes.get(&term) {
            Some(shape) => Some(shape.clone()),
            None => Shape::always(self.get(term, levels), levels.trailing_zeros() as usize),
        }
    }

    pub(in super::super) fn root_shape(&self, at: usize) -> Option<Shape> {
        self.shape(self.cone.roots()[at], 1)
    }

    pub(super) fn is_shaped(&self, term: Term) -> bool {
        self.shapes.contains_key(&term)
    }

    /// The value of a step that has a shape; `None` if it is a plain one.
    pub(super) fn masked(&mut self, own: Term, node: &Node, levels: Levels) -> Option<Value> {
        if self.atoms.way == Way::Apart || levels == 0 {
            return None;
        }
        self.note_count(own, node);
        match *node {
            Node::Compare(relation, a, b) if self.compared_count(relation, a, b).is_some() => {}
            Node::Max(a, b) | Node::Min(a, b) if self.compared_count(Relation::Less, a, b).is_some() => {}
            Node::Not(_) | Node::And(..) | Node::Or(..) if !self.shapes.is_empty() => {
                // Known by their places from here on.
                self.place_where(own);
                return None;
            }
            Node::Select(condition, a, b) => {
                let mixed = |term: Term| {
                    self.is_shaped(term)
                        || matches!(self.get(term, 0).kind, Kind::Infinity | Kind::MinusInfinity)
                };
                let holds = self.get(condition, 1);
                let value = |term: Term| self.get(term, 1);
                // It may be multiplied by what is not finite where it is 0.
                let nothing = |a: Term, b: Term| {
                    value(a).is_zero() && (value(b).sign.is_positive() || self.sparse && value(b).is_finite())
                };
                let masks = mixed(a)
                    || mixed(b)
                    || nothing(a, b)
                    || nothing(b, a)
                    || self.is_over(a, b)
                    || self.is_over(b, a);
                if !(holds.is_finite() || self.is_shaped(condition))
                    || holds.is_zero()
                    || holds.at[0] == field::ONE
                    || !masks
                {
                    return None;
                }
            }
            _ if self.shapes.is_empty() => return None,
            _ => {
                if !operands(node).into_iter().flatten().any(|operand| self.is_shaped(operand)) {
                    return None;
                }
            }
        }
        let finite = |walk: &Self| {
            operands(node).into_iter().flatten().all(|operand| walk.get(operand, 0).kind != Kind::Lost)
        };
        match self.shaped(own, node, levels) {
            Some(shape) => self.settle_shape(own, shape, levels),
            // A plain value has a plain result.
            None if finite(self) => None,
            None => Some(Value::LOST),
        }
    }

    fn settle_shape(&mut self, own: Term, shape: Shape, levels: Levels) -> Option<Value> {
        let shape = self.tidied(shape, levels)?;
        let level = levels.trailing_zeros() as usize;
        if shape.finite != Place::ALWAYS {
            let kind = match Place::ALWAYS {
                place if place == shape.up => Kind::Infinity,
                place if place == shape.down => Kind::MinusInfinity,
                _ => Kind::Lost,
            };
            if kind == Kind::Lost {
                self.shapes.insert(own, shape);
            }
            return Some(Value { kind, ..Value::LOST });
        }
        let value = whole(self.atoms, &shape.pieces, Place::ALWAYS, levels).map(|(value, _)| value);
        let sign = match (&shape.pieces[..], shape.positive) {
            ([], _) => Sign::of(0),
            ([one], true) if one.place == Place::ALWAYS => Sign::POSITIVE,
            (_, true) => Sign::NOT_NEGATIVE,
            _ => Sign::default(),
        };
        let plain = shape.pieces.iter().all(|piece| piece.place == Place::ALWAYS);
        if !plain {
            self.shapes.insert(own, shape);
        }
        let value = value.unwrap_or(Value::LOST);
        if value.is_finite() && value.at[level] == ZERO {
            Some(Value::ZERO)
        } else {
            Some(value.with_sign(sign))
        }
    }

    /// Pieces with one value joined, empty ones left out, and few.
    fn tidied(&mut self, mut shape: Shape, levels: Levels) -> Option<Shape> {
        let level = levels.trailing_zeros() as usize;
        let mut kept: Vec<Piece> = Vec::new();
        for piece in std::mem::take(&mut shape.pieces) {
            if piece.place == Place::NEVER || piece.value.at[level] == ZERO {
                continue;
            }
            match kept.iter_mut().find(|other| other.value.at[level] == piece.value.at[level]) {
                Some(other) => {
                    other.place = self.atoms.either(other.place, piece.place)?;
                    other.closed = false;
                    other.regular = self.atoms.both(other.regular, piece.regular)?;
                }
                None => kept.push(piece),
            }
        }
        if kept.len() > PIECES {
            kept = vec![self.joined(&kept, shape.finite, levels)?];
        }
        Some(Shape { pieces: kept, ..shape })
    }

    /// The pieces as one that is closed, of what is finite in a place.
    fn joined(&mut self, pieces: &[Piece], within: Place, levels: Levels) -> Option<Piece> {
        let (value, regular) = whole(self.atoms, pieces, within, levels)?;
        let mut place = Place::NEVER;
        for piece in pieces {
            place = self.atoms.either(place, piece.place)?;
        }
        let place = self.atoms.both(place, within)?;
        Some(Piece { place, value, closed: true, regular })
    }

    /// All pieces of the finite part, with that which is 0.
    fn explicit(&mut self, shape: &Shape) -> Option<Vec<Piece>> {
        let (mut pieces, mut rest) = (shape.pieces.clone(), shape.finite);
        for piece in &pieces {
            rest = self.atoms.without(rest, piece.place)?;
        }
        if rest != Place::NEVER {
            pieces.push(Piece { place: rest, value: Value::ZERO, closed: true, regular: Place::ALWAYS });
        }
        Some(pieces)
    }

    fn shaped(&mut self, own: Term, node: &Node, levels: Levels) -> Option<Shape> {
        match *node {
            Node::Add(a, b) => self.added(self.shape(a, levels)?, self.shape(b, levels)?, levels),
            Node::Sub(a, b) => {
                self.added(self.shape(a, levels)?, self.shape(b, levels)?.negated(levels), levels)
            }
            Node::Unary(Unary::Neg, a) => Some(self.shape(a, levels)?.negated(levels)),
            Node::Mul(a, b) => self.multiplied(self.shape(a, levels)?, self.shape(b, levels)?, levels),
            Node::Fma(a, b, c) => {
                let product = self.multiplied(self.shape(a, levels)?, self.shape(b, levels)?, levels)?;
                let product = self.tidied(product, levels)?;
                self.added(product, self.shape(c, levels)?, levels)
            }
            Node::Div(a, b) => {
                // What has weights in it is divided by what has weights in it.
                let weighed = !self.is_shaped(a) && self.get(a, levels).chosen;
                let inverse = self.inverted(b, weighed, levels)?;
                self.multiplied(self.shape(a, levels)?, inverse, levels)
            }
            Node::Unary(Unary::Recip, a) => self.inverted(a, false, levels),
            Node::Unary(function @ (Unary::Exp | Unary::Exp2), a) => {
                let inside = inner(levels);
                let scale = exponent_scale(function == Unary::Exp, 1)?;
                let shape = self.shape(a, inside)?;
                let mut pieces = self.explicit(&shape)?;
                for piece in &mut pieces {
                    let exponent = self.exponent(piece.value, &scale, inside);
                    piece.value = self.exponential(exponent, levels);
                    piece.closed = false;
                }
                let finite = self.atoms.either(shape.finite, shape.down)?;
                Some(Shape { finite, down: Place::NEVER, pieces, positive: true, ..shape })
            }
            Node::Max(a, b) => self.chosen_of(own, [a, b], true),
            Node::Min(a, b) => self.chosen_of(own, [a, b], false),
            Node::Select(condition, a, b) => {
                let place = self.place_where(condition)?;
                let (x, y) = (self.shape(a, ALL)?, self.shape(b, ALL)?);
                let pick = |atoms: &mut Atoms, x: Place, y: Place| {
                    let (x, y) = (atoms.both(x, place)?, atoms.without(y, place)?);
                    atoms.either(x, y)
                };
                let finite = pick(self.atoms, x.finite, y.finite)?;
                let (down, up) = (pick(self.atoms, x.down, y.down)?, pick(self.atoms, x.up, y.up)?);
                let unknown = pick(self.atoms, x.unknown, y.unknown)?;
                let pieces = match self.chosen_between(own, [(a, &x), (b, &y)], place)? {
                    Some(value) => {
                        let regular = Place::ALWAYS;
                        vec![Piece { place: finite, value, closed: false, regular }]
                    }
                    None => self.chosen_pieces(place, [&x, &y], finite, levels)?,
                };
                let positive = both_positive(&x, &y);
                Some(Shape { finite, down, up, unknown, pieces, positive })
            }
            Node::Compare(relation, a, b) => {
                let place = self.compared(relation, a, b)?;
                self.conditions.insert(own, place);
                let value = self.atoms.weight(place);
                let piece = Piece { place: Place::ALWAYS, value, closed: true, regular: Place::ALWAYS };
                let (finite, never) = (Place::ALWAYS, Place::NEVER);
                let pieces = vec![piece];
                Some(Shape { finite, down: never, up: never, unknown: never, pieces, positive: false })
            }
            _ => None,
        }
    }

    /// The pieces of what a condition chooses.
    fn chosen_pieces(
        &mut self,
        place: Place,
        [x, y]: [&Shape; 2],
        finite: Place,
        levels: Levels,
    ) -> Option<Vec<Piece>> {
        // What has weights in it and is chosen in a part of its place would have to be multiplied by its own conditions.
        let mut is_cut = false;
        for (shape, holds) in [(x, true), (y, false)] {
            for piece in &shape.pieces {
                let left_out = if holds {
                    self.atoms.without(piece.place, place)?
                } else {
                    self.atoms.both(piece.place, place)?
                };
                let has_weights = piece.place != Place::ALWAYS || piece.value.chosen;
                is_cut |= piece.closed && has_weights && left_out != Place::NEVER;
            }
        }
        if is_cut && !x.pieces.is_empty() && !y.pieces.is_empty() {
            // y + [c]·(x - y), where both mean something whether c holds or not.
            let (then, other) = (self.atoms.both(finite, place)?, self.atoms.without(finite, place)?);
            let [then, other] = [(x, then), (y, other)]
                .map(|(shape, within)| whole(self.atoms, &shape.pieces, within, levels));
            if let (Some(then), Some(other)) = (then, other)
                && let Some(regular) = self.atoms.both(then.1, other.1)
                && self.atoms.without(finite, regular) == Some(Place::NEVER)
            {
                let gain = then.0.minus(other.0, levels).times(self.atoms.weight(place), levels);
                let value = other.0.plus(gain, levels);
                let mut support = Place::NEVER;
                for (_, _, at) in self.chosen_places(place, [x, y])? {
                    support = self.atoms.either(support, at)?;
                }
                return Some(vec![Piece { place: support, value, closed: true, regular }]);
            }
        }
        let chosen = self.chosen_places(place, [x, y])?.into_iter().map(|(shape, piece, at)| {
            let closed = piece.closed && at == piece.place && shape.finite == Place::ALWAYS;
            Piece { place: at, closed, ..*piece }
        });
        Some(chosen.collect())
    }

    /// The pieces of both sides of a choice, each with where it is chosen.
    fn chosen_places<'s>(
        &mut self,
        place: Place,
        [x, y]: [&'s Shape; 2],
    ) -> Option<Vec<(&'s Shape, &'s Piece, Place)>> {
        let mut chosen = Vec::with_capacity(x.pieces.len() + y.pieces.len());
        for piece in &x.pieces {
            chosen.push((x, piece, self.atoms.both(piece.place, place)?));
        }
        for piece in &y.pieces {
            chosen.push((y, piece, self.atoms.without(piece.place, place)?));
        }
        Some(chosen)
    }

    /// Whether a term is a maximum or minimum over another one: what it was before.
    fn is_over(&self, extreme: Term, before: Term) -> bool {
        let node = extreme.as_node().map(|step| self.cone.steps()[step]);
        matches!(node, Some(Node::Max(a, b) | Node::Min(a, b)) if a == before || b == before)
    }

    /// A choice between maxima (or between minima) of candidates: a maximum of all of them, each there
    /// where it is and is chosen. Nothing if they are not known as such.
    fn chosen_between(
        &mut self,
        own: Term,
        operands: [(Term, &Shape); 2],
        place: Place,
    ) -> Option<Option<Value>> {
        for largest in [true, false] {
            let known = if largest { &self.largest } else { &self.smallest };
            let known = operands.map(|(term, _)| known.get(&term).copied());
            let [(a, x), (b, y)] = operands;
            let constant = |term: Term, shape: &Shape, other: Term| {
                term.as_constant().is_some() && shape.finite != Place::NEVER && !self.is_over(other, term)
            };
            if known == [None, None] || constant(a, x, b) || constant(b, y, a) {
                continue;
            }
            let mut sets: [Option<Set>; 2] = known;
            for ((_, shape), set) in operands.into_iter().zip(&mut sets) {
                if set.is_none() {
                    let shape = if largest { shape.clone() } else { shape.clone().negated(ALL) };
                    for piece in self.explicit(&shape)? {
                        if piece.regular != Place::ALWAYS || piece.closed && piece.place != Place::ALWAYS {
                            return Some(None);
                        }
                        let one = self.atoms.candidate_where(piece.place, piece.value, ALL);
                        *set = Some(set.map_or(one, |all| self.atoms.sets.union(all, one)));
                    }
                }
            }
            let set = self.atoms.set_where(place, sets)?;
            if largest { &mut self.largest } else { &mut self.smallest }.insert(own, set);
            let value = self.atoms.maximum(set, ALL);
            return Some(Some(if largest { value } else { value.negated(ALL) }));
        }
        Some(None)
    }

    fn added(&mut self, x: Shape, y: Shape, levels: Levels) -> Option<Shape> {
        let atoms = &mut *self.atoms;
        let finite = atoms.both(x.finite, y.finite)?;
        let mut infinite = |a: Place, b: Place| {
            let (one, two) = (atoms.either(b, y.finite)?, x.finite);
            let (one, two) = (atoms.both(a, one)?, atoms.both(b, two)?);
            atoms.either(one, two)
        };
        let (down, up) = (infinite(x.down, y.down)?, infinite(x.up, y.up)?);
        let unknown = atoms.either(x.unknown, y.unknown)?;
        let positive = both_positive(&x, &y);
        let (a, b) = (self.explicit(&x)?, self.explicit(&y)?);
        let mut pieces = Vec::new();
        for p in &a {
            for q in &b {
                let place = self.atoms.both(p.place, q.place)?;
                let place = self.atoms.both(place, finite)?;
                let value = p.value.plus(q.value, levels);
                if place != Place::NEVER && value.at[levels.trailing_zeros() as usize] != ZERO {
                    let closed = [p, q].iter().all(|piece| piece.closed && piece.place == place);
                    let regular = self.atoms.both(p.regular, q.regular)?;
                    pieces.push(Piece { place, value, closed, regular });
                }
            }
        }
        // Sums of what stands in different places are put together.
        let joined = |pieces: &[Piece]| pieces.len() > 1;
        if joined(&pieces) && x.pieces.len() <= 1 && y.pieces.len() <= 1 || pieces.len() > PIECES {
            let mut all = x.pieces.clone();
            all.extend(&y.pieces);
            match self.joined(&all, finite, levels) {
                Some(whole) => pieces = vec![whole],
                None if pieces.len() > PIECES => return None,
                None => {}
            }
        }
        Some(Shape { finite, down, up, unknown, pieces, positive })
    }

    fn multiplied(&mut self, x: Shape, y: Shape, levels: Levels) -> Option<Shape> {
        let negative =
            |shape: &Shape| matches!(&shape.pieces[..], [one] if one.value.sign.negated().is_positive());
        if negative(&y) && !y.positive {
            return Some(self.multiplied(x, y.negated(levels).positive(), levels)?.negated(levels));
        }
        if negative(&x) && !x.positive {
            return Some(self.multiplied(x.negated(levels).positive(), y, levels)?.negated(levels));
        }
        let (mut up, mut down) = (Place::NEVER, Place::NEVER);
        let mut unknown = self.atoms.either(x.unknown, y.unknown)?;
        for (own, by) in [(&x, &y), (&y, &x)] {
            for (all, infinite) in [(&mut up, own.up), (&mut down, own.down)] {
                let [stays, lost] = self.scaled_by(infinite, by)?;
                *all = self.atoms.either(*all, stays)?;
                unknown = self.atoms.either(unknown, lost)?;
            }
        }
        let finite = self.atoms.both(x.finite, y.finite)?;
        let mut pieces = Vec::new();
        for p in &x.pieces {
            for q in &y.pieces {
                let place = self.atoms.both(p.place, q.place)?;
                let alone = x.pieces.len() == 1 && y.pieces.len() == 1;
                let closed = p.closed && place == p.place
                    || q.closed && place == q.place
                    || alone && p.closed && q.closed;
                let value = p.value.times(q.value, levels);
                let regular = self.atoms.both(p.regular, q.regular)?;
                pieces.push(Piece { place, value, closed, regular });
            }
        }
        Some(Shape { finite, down, up, unknown, pieces, positive: x.positive && y.positive })
    }

    /// Where an infinity stays one, multiplied by a shape, and where it is not known what it is.
    fn scaled_by(&mut self, infinite: Place, by: &Shape) -> Option<[Place; 2]> {
        if infinite == Place::NEVER {
            return Some([Place::NEVER; 2]);
        }
        let others = self.atoms.either(by.up, by.down)?;
        let others = self.atoms.both(infinite, others)?;
        let mut support = Place::NEVER;
        for piece in &by.pieces {
            support = self.atoms.either(support, piece.place)?;
        }
        let stays = self.atoms.both(infinite, support)?;
        if by.positive {
            return Some([stays, others]);
        }
        Some([Place::NEVER, self.atoms.either(stays, others)?])
    }

    /// `1 / b`: undefined where b is 0; of its pieces, or of all of them as one.
    fn inverted(&mut self, b: Term, joined: bool, levels: Levels) -> Option<Shape> {
        let mut shape = self.shape(b, levels)?;
        if !self.is_shaped(b) {
            let value = self.inverse(b, levels);
            return Shape::always(value, levels.trailing_zeros() as usize);
        }
        if !shape.positive {
            return None;
        }
        self.assume(self.get(b, levels | 1), Domain::NotZero(b));
        let infinite = self.atoms.either(shape.up, shape.down)?;
        if joined && !shape.pieces.is_empty() {
            shape.pieces = vec![self.joined(&shape.pieces, shape.finite, levels)?];
        }
        let mut finite = infinite;
        let mut pieces = Vec::new();
        for piece in &shape.pieces {
            finite = self.atoms.either(finite, piece.place)?;
            let value = piece.value.inverse(levels);
            if !value.is_finite() {
                return None;
            }
            let here = if piece.value.chosen { piece.place } else { Place::ALWAYS };
            let regular = self.atoms.both(here, piece.regular)?;
            pieces.push(Piece { value, closed: false, regular, ..*piece });
        }
        let never = Place::NEVER;
        Some(Shape { finite, down: never, up: never, unknown: shape.unknown, pieces, positive: true })
    }

    /// A maximum or minimum of candidates that there are in their places only.
    fn chosen_of(&mut self, own: Term, operands: [Term; 2], largest: bool) -> Option<Shape> {
        if let Some(shape) = self.bounded_count(operands, largest) {
            return Some(shape);
        }
        let mut all: Option<Set> = None;
        let mut shapes = Vec::with_capacity(2);
        for operand in operands {
            let shape = self.shape(operand, ALL)?;
            let shape = if largest { shape } else { shape.negated(ALL) };
            let known = if largest { &self.largest } else { &self.smallest }.get(&operand).copied();
            let mut sets: Vec<Set> = known.into_iter().collect();
            if known.is_none() {
                for piece in self.explicit(&shape)? {
                    if piece.regular != Place::ALWAYS {
                        return None;
                    }
                    sets.push(self.atoms.candidate_where(piece.place, piece.value, ALL));
                }
            }
            for set in sets {
                all = Some(all.map_or(set, |all| self.atoms.sets.union(all, set)));
            }
            shapes.push(shape);
        }
        let (set, [x, y]) = (all?, [&shapes[0], &shapes[1]]);
        if largest { &mut self.largest } else { &mut self.smallest }.insert(own, set);
        let value = self.atoms.maximum(set, ALL);
        // What is undefined loses.
        let [lost_x, lost_y] = [self.undefined(x)?, self.undefined(y)?];
        let atoms = &mut *self.atoms;
        let [low_x, low_y] = [atoms.either(x.down, lost_x)?, atoms.either(y.down, lost_y)?];
        let below = atoms.either(y.finite, low_y)?;
        let (one, two) = (atoms.both(x.finite, below)?, atoms.both(low_x, y.finite)?);
        let finite = atoms.either(one, two)?;
        let both_low = atoms.both(low_x, low_y)?;
        let both_lost = atoms.both(lost_x, lost_y)?;
        let down = atoms.without(both_low, both_lost)?;
        let [one, two] = [atoms.without(x.up, y.unknown)?, atoms.without(y.up, x.unknown)?];
        let up = atoms.either(one, two)?;
        let pieces = vec![Piece { place: finite, value, closed: false, regular: Place::ALWAYS }];
        let unknown = self.atoms.either(x.unknown, y.unknown)?;
        let shape = Shape { finite, down, up, unknown, pieces, positive: false };
        Some(if largest { shape } else { shape.negated(ALL) })
    }

    /// A finite value that is a number in a place and what a shape says elsewhere, each in a piece of its own.
    pub(super) fn within_and(&mut self, place: Place, rest: &Shape, number: Value) -> Option<Shape> {
        if rest.finite != Place::ALWAYS {
            return None;
        }
        let positive = (rest.positive || rest.pieces.is_empty()) && number.sign.is_positive();
        let mut pieces =
            vec![Piece { place, value: number, closed: place == Place::ALWAYS, regular: Place::ALWAYS }];
        for piece in &rest.pieces {
            let at = self.atoms.without(piece.place, place)?;
            pieces.push(Piece { place: at, closed: piece.closed && at == piece.place, ..*piece });
        }
        Some(Shape { pieces, positive, ..rest.clone() })
    }

    /// Where a value is undefined for certain.
    fn undefined(&mut self, shape: &Shape) -> Option<Place> {
        let mut place = Place::ALWAYS;
        for part in [shape.finite, shape.down, shape.up, shape.unknown] {
            place = self.atoms.without(place, part)?;
        }
        Some(place)
    }

    /// Where a comparison holds: nowhere that a side is undefined.
    fn compared(&mut self, relation: Relation, a: Term, b: Term) -> Option<Place> {
        if let Some(place) = self.compared_count(relation, a, b) {
            return Some(place);
        }
        let (x, y) = (self.shape(a, ALL)?, self.shape(b, ALL)?);
        if x.unknown != Place::NEVER || y.unknown != Place::NEVER {
            return None;
        }
        if relation == Relation::Equal && a == b {
            let undefined = self.undefined(&x)?;
            return self.atoms.without(Place::ALWAYS, undefined);
        }
        if relation == Relation::LessEqual {
            let greater = self.compared(Relation::Less, b, a)?;
            let mut place = self.atoms.without(Place::ALWAYS, greater)?;
            for shape in [&x, &y] {
                let undefined = self.undefined(shape)?;
                place = self.atoms.without(place, undefined)?;
            }
            return Some(place);
        }
        let mut place = Place::NEVER;
        let mut add = |atoms: &mut Atoms, a: Place, b: Place| {
            let both = atoms.both(a, b)?;
            place = atoms.either(place, both)?;
            Some(())
        };
        if relation == Relation::Equal {
            add(self.atoms, x.down, y.down)?;
            add(self.atoms, x.up, y.up)?;
        } else {
            let above = self.atoms.either(y.finite, y.up)?;
            add(self.atoms, x.down, above)?;
            add(self.atoms, x.finite, y.up)?;
        }
        let (p, q) = (self.explicit(&x)?, self.explicit(&y)?);
        for p in &p {
            for q in &q {
                let both = self.atoms.both(p.place, q.place)?;
                if both == Place::NEVER {
                    continue;
                }
                if [p, q].iter().any(|piece| piece.regular != Place::ALWAYS) {
                    return None;
                }
                // Positive pieces are above what is 0.
                let known = match (p.value.is_zero(), q.value.is_zero()) {
                    (true, false) if y.positive => Some(relation == Relation::Less),
                    (false, true) if x.positive => Some(false),
                    _ => None,
                };
                let holds = match known {
                    Some(true) => Place::ALWAYS,
                    Some(false) => Place::NEVER,
                    None => self.place_of_difference(relation, q.value.minus(p.value, ALL))?,
                };
                let both = self.atoms.both(both, holds)?;
                place = self.atoms.either(place, both)?;
            }
        }
        Some(place)
    }

    /// Where `d > 0`, or `d = 0`.
    fn place_of_difference(&mut self, relation: Relation, d: Value) -> Option<Place> {
        let member = match self.classify(&d)? {
            Classified::Constant(sign) => {
                let holds = if relation == Relation::Less { sign > 0 } else { sign == 0 };
                return Some(if holds { Place::ALWAYS } else { Place::NEVER });
            }
            Classified::Member(member) => member,
        };
        let above = self.atoms.place_above(member)?;
        if relation == Relation::Less {
            return Some(above);
        }
        let turned = Member { ratio: (-member.ratio.0, member.ratio.1), ..member };
        let below = self.atoms.place_above(turned)?;
        let apart = self.atoms.either(above, below)?;
        self.atoms.without(Place::ALWAYS, apart)
    }

    /// Where a condition holds.
    pub(super) fn place_where(&mut self, condition: Term) -> Option<Place> {
        if let Some(place) = self.conditions.get(&condition) {
            return Some(*place);
        }
        if self.within >= DEEPEST {
            return None;
        }
        self.within += 1;
        let place = self.place_by_parts(condition);
        self.within -= 1;
        place
    }

    fn place_by_parts(&mut self, condition: Term) -> Option<Place> {
        if let Some(step) = condition.as_node() {
            let place = match self.cone.steps()[step] {
                Node::Not(a) => {
                    let inner = self.place_where(a)?;
                    Some(self.atoms.without(Place::ALWAYS, inner)?)
                }
                Node::And(a, b) => {
                    let (a, b) = (self.place_where(a)?, self.place_where(b)?);
                    Some(self.atoms.both(a, b)?)
                }
                Node::Or(a, b) => {
                    let (a, b) = (self.place_where(a)?, self.place_where(b)?);
                    Some(self.atoms.either(a, b)?)
                }
                Node::Select(condition, a, b) => {
                    let [condition, a, b] = [condition, a, b].map(|part| self.place_where(part));
                    let (one, two) = (self.atoms.both(condition?, a?)?, self.atoms.without(b?, condition?)?);
                    Some(self.atoms.either(one, two)?)
                }
                Node::Compare(relation, a, b) => {
                    let (x, y) = (self.get(a, ALL), self.get(b, ALL));
                    if !x.is_finite() || !y.is_finite() {
                        None
                    } else if relation == Relation::LessEqual {
                        let above = self.place_of_difference(Relation::Less, x.minus(y, ALL))?;
                        Some(self.atoms.without(Place::ALWAYS, above)?)
                    } else {
                        Some(self.place_of_difference(relation, y.minus(x, ALL))?)
                    }
                }
                _ => None,
            };
            if let Some(place) = place {
                self.conditions.insert(condition, place);
                return Some(place);
            }
        }
        let holds = self.get(condition, ALL);
        match () {
            () if !holds.is_finite() => None,
            () if holds.is_zero() => Some(Place::NEVER),
            () if holds.at[0] == field::ONE => Some(Place::ALWAYS),
            () => self.atoms.place_of(holds),
        }
    }
}

impl Shape {
    fn positive(self) -> Shape {
        Shape { positive: true, ..self }
    }
}

/// Whether what is finite of two is positive, and there is such.
fn both_positive(x: &Shape, y: &Shape) -> bool {
    let fine = |shape: &Shape| shape.positive || shape.pieces.is_empty();
    fine(x) && fine(y) && (x.positive || y.positive)
}
