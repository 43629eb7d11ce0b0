//! Pure instructions on mixed lanes: concrete lanes all at once, symbolic ones term by term.

use super::bits::{
    as_bits, as_condition, as_number, as_operand, choose, mask as low_bits, operate, plain, predicate,
    signed, slice,
};
use super::bytes::{byte_of, rearrange};
use super::ends;
use super::gaps;
use super::logic::table;
use super::machine::Machine;
use super::outcome::FaultKind;
use super::race::lanes;
use super::repeats::{Answer, Question};
use super::warp::Kinds;
use crate::base::{Format, FormatClass};
use crate::ir::Reg;
use crate::isa::{Lanewise, Meaning, WARP};
use crate::term::{BitOp, Symbol, SymbolKind, Term, Terms, Value};

/// Both destinations; nothing where the instruction has no meaning.
type Results = Option<(Value, Value)>;

const DIVIDED_BY_ZERO: &str = "integers divided by zero give what today's hardware gives, all ones, and the dividend as remainder; PTX leaves it open";
const MEANINGLESS: &str = "this instruction has no meaning on symbolic operands";

impl<'a> Machine<'a> {
    /// Executes a pure instruction.
    #[inline(never)]
    pub(super) fn lanewise(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise) {
        let (warp, step) = (&mut self.warps[index], &self.steps[pc as usize]);
        let kinds = warp.kinds(&step.src);
        if !kinds.uniform || mask != warp.present {
            return self.mixed(index, pc, mask, op, kinds);
        }
        let question = warp.question(pc, &step.src);
        match self.repeats.find(warp.uniforms, &question) {
            Some(answer) if step.is_shared() => {
                warp.take_over(step.dst, answer);
                if question.symbolic != 0 {
                    self.symbolic_uses[pc as usize] += u64::from(warp.threads);
                }
            }
            _ => self.uniform(index, pc, mask, op),
        }
    }

    /// Lane by lane: concrete ones all at once, and symbolic ones.
    #[inline]
    pub(super) fn mixed(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise, kinds: Kinds) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let special = kinds.special & mask;
        if special != mask {
            let concrete = mask & !special;
            if op.divides {
                let words = self.warps[index].lanes(src[1]);
                let zero = |lane: &u32| low_bits(words[*lane as usize], op.src[1].bits()) == 0;
                let zeros = lanes(concrete).filter(zero).count();
                self.grant_division(zeros as u64, pc);
            }
            let warp = &mut self.warps[index];
            warp.compute(op.concrete, src, &mut self.scratch);
            self.look_at_rounding(index, pc, concrete, op, src);
            let warp = &mut self.warps[index];
            warp.take(dst[0], concrete, false);
            if let Some(second) = dst.get(1) {
                warp.set_concrete(*second, concrete, &self.scratch);
            }
        }
        if special != 0 {
            self.symbolic(index, pc, special, op, dst, src);
        }
    }

    fn grant_division(&mut self, zeros: u64, pc: u32) {
        if zeros > 0 {
            self.granted.entry(DIVIDED_BY_ZERO).or_insert((0, pc)).0 += zeros;
        }
    }

    /// All lanes work on the same, and one works for all.
    #[inline(never)]
    pub(super) fn uniform(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let warp = &mut self.warps[index];
        let question = warp.question(pc, &self.steps[pc as usize].src);
        let (threads, place) = (u64::from(warp.threads), warp.uniforms);
        warp.uniforms = place.wrapping_add(u32::from(self.steps[pc as usize].is_shared()));
        if question.symbolic == 0 {
            if op.divides && low_bits(question.words[1], op.src[1].bits()) == 0 {
                self.grant_division(threads, pc);
            }
            let warp = &mut self.warps[index];
            warp.compute(op.concrete, src, &mut self.scratch);
            self.look_at_rounding(index, pc, 1, op, src);
            let warp = &mut self.warps[index];
            let word = warp.waiting()[0];
            warp.take(dst[0], u32::MAX, false);
            warp.mark_uniform(dst[0]);
            match dst.get(1) {
                Some(reg) => warp.fill_word(*reg, self.scratch[0], false),
                None => self.keep(place, &question, Answer { word, symbolic: false }),
            }
            return;
        }
        self.symbolic_uses[pc as usize] += threads;
        let results = self.uniform_results((index, pc), op, dst.len(), src);
        let Some((first, second)) = results else {
            self.park(index, mask, pc, FaultKind::Unsupported(MEANINGLESS.to_owned()));
            return;
        };
        let warp = &mut self.warps[index];
        warp.fill(dst[0], first);
        match dst.get(1) {
            Some(reg) => warp.fill(*reg, second),
            None if !matches!(first, Value::Undefined(_)) => {
                let answer = Answer { word: warp.word(dst[0], 0), symbolic: warp.symbolic(dst[0]) != 0 };
                self.keep(place, &question, answer);
            }
            None => {}
        }
    }

    /// Keeps a result for the warps to come.
    #[inline]
    fn keep(&mut self, place: u32, question: &Question, answer: Answer) {
        if self.many && self.steps[question.pc as usize].is_shared() {
            self.repeats.keep(place, *question, answer);
        }
    }

    /// What an instruction on uniform registers gives.
    fn uniform_results(
        &mut self,
        (index, pc): (usize, u32),
        op: &Lanewise,
        destinations: usize,
        src: &[Reg],
    ) -> Results {
        let mut values = [Value::Concrete(0); 4];
        for (at, (value, reg)) in values.iter_mut().zip(src).enumerate() {
            let held = self.warps[index].get(*reg, 0);
            *value = self.roundings.operand(&mut self.terms, *reg, op.src[at], held);
        }
        let Meaning::Real(function) = op.meaning else {
            return self.evaluate(pc, op, &values[..src.len()], destinations);
        };
        let mut operands = [Term::ZERO; 4];
        for (at, (operand, value)) in operands.iter_mut().zip(values).enumerate().take(src.len()) {
            *operand = as_operand(&mut self.terms, op.src[at], value).unwrap_or(Term::ZERO);
        }
        let term = function(&mut self.terms, &operands[..src.len().min(4)]);
        let wildcard = op.dst.class() == FormatClass::Bits;
        let format = if wildcard { self.held_format(index, src, 0, op.dst) } else { op.dst };
        (destinations == 1).then_some((Value::Symbolic(Symbol::number(format, term)), Value::NEVER))
    }

    #[inline(never)]
    fn symbolic(&mut self, index: usize, pc: u32, special: u32, op: &Lanewise, dst: &[Reg], src: &[Reg]) {
        let mut undefined = 0;
        for reg in src {
            undefined |= self.warps[index].undefined(*reg);
        }
        undefined &= special;
        if undefined != 0 {
            self.incomplete(index, pc, undefined, op, dst, src);
        }
        let special = special & !undefined;
        self.symbolic_uses[pc as usize] += u64::from(special.count_ones());
        if let Meaning::Real(function) = op.meaning
            && dst.len() == 1
        {
            self.real(index, special, op, function, dst[0], src);
            return;
        }
        let mut before: Option<([Value; 4], Results)> = None;
        for lane in lanes(special) {
            let mut values = [Value::Concrete(0); 4];
            for (at, (value, reg)) in values.iter_mut().zip(src).enumerate() {
                let held = self.warps[index].get(*reg, lane);
                *value = self.roundings.operand(&mut self.terms, *reg, op.src[at], held);
            }
            let result = match before {
                Some((known, result)) if known == values => result,
                _ => self.evaluate(pc, op, &values[..src.len()], dst.len()),
            };
            before = Some((values, result));
            match result {
                Some((first, second)) => {
                    self.warps[index].set(dst[0], lane, first);
                    if let Some(reg) = dst.get(1) {
                        self.warps[index].set(*reg, lane, second);
                    }
                }
                None => {
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(MEANINGLESS.to_owned()));
                }
            }
        }
    }

    /// What an instruction gives on one lane; what floats it compares is kept in mind.
    fn evaluate(&mut self, pc: u32, op: &Lanewise, values: &[Value], destinations: usize) -> Results {
        let first = self.terms.len();
        let results = evaluate(&mut self.terms, op, values, destinations);
        if matches!(op.meaning, Meaning::Compare(_)) && op.src[0].is_float() {
            self.terms.note_comparison(first, pc);
            if matches!(results, Some((Value::Concrete(_), _))) && self.asks_for_infinity(op, values) {
                self.asked_finite[pc as usize] += 1;
            }
        }
        results
    }

    /// Whether a comparison asks if something that was computed is infinite or no number.
    fn asks_for_infinity(&mut self, op: &Lanewise, values: &[Value]) -> bool {
        let mut of = |at: usize| match values.get(at) {
            Some(value) if at < 2 => as_number(&mut self.terms, op.src[at], *value),
            _ => None,
        };
        let (Some(one), other) = (of(0), of(1)) else { return false };
        let infinite = |term: Term| {
            let end = op.src[0].bits() >= 32 && self.terms.infinity_after(op.src[0], term).is_some();
            end || term == Term::INFINITY || term == Term::MINUS_INFINITY
        };
        let asked = match other {
            None => Some(one),
            Some(other) if one == other || infinite(other) => Some(one),
            Some(other) if infinite(one) => Some(other),
            Some(_) => None,
        };
        asked.is_some_and(|term| self.terms.is_rounded(term))
    }

    /// Lanes on which some bits of a source are missing: the instruction works on what is there, and
    /// what it is missing of that is worked out beside it.
    #[inline(never)]
    fn incomplete(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise, dst: &[Reg], src: &[Reg]) {
        self.charge(ends::GAP * u64::from(mask.count_ones()));
        for lane in lanes(mask) {
            let (mut values, mut present) = ([Value::Concrete(0); 4], [Value::Concrete(0); 4]);
            for (at, reg) in src.iter().enumerate().take(4) {
                values[at] = self.warps[index].get(*reg, lane);
                present[at] = self.terms.present(values[at]);
            }
            let count = src.len().min(4);
            let words = present.map(|value| match value {
                Value::Concrete(word) => Some(word),
                Value::Symbolic(_) | Value::Undefined(_) => None,
            });
            // Floats are worked out as reals, so that nothing is rounded.
            let exact = !op.dst.is_float() || matches!(op.meaning, Meaning::None);
            let found = if let ([Some(a), Some(b), Some(c), Some(d)], true) = (words, exact) {
                let (first, second) = gaps::compute(op, &[a, b, c, d]);
                Some((Value::Concrete(first), Value::Concrete(second)))
            } else {
                for (at, value) in present.iter_mut().enumerate().take(count) {
                    *value = self.roundings.operand(&mut self.terms, src[at], op.src[at], *value);
                }
                self.symbolic_uses[pc as usize] += 1;
                evaluate(&mut self.terms, op, &present[..count], dst.len())
            };
            // What has no meaning even where all is there is not there at all.
            let (first, second) = match found {
                Some((first, second)) => (self.terms.present(first), self.terms.present(second)),
                None => {
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(MEANINGLESS.to_owned()));
                    continue;
                }
            };
            let results = gaps::results(&mut self.terms, op, &values[..count], (first, second));
            self.warps[index].set(dst[0], lane, results.0);
            if let Some(reg) = dst.get(1) {
                self.warps[index].set(*reg, lane, results.1);
            }
        }
    }

    /// The hot path: a real function of numbers, one lane after the other without detours.
    fn real(
        &mut self,
        index: usize,
        special: u32,
        op: &Lanewise,
        function: fn(&mut Terms, &[Term]) -> Term,
        dst: Reg,
        src: &[Reg],
    ) {
        let count = src.len().min(4);
        let mut operands = [[Term::ZERO; 4]; WARP];
        for (at, reg) in src.iter().enumerate().take(4) {
            let format = op.src[at];
            // A concrete lane repeats its neighbours' bits more often than not.
            let mut last = (0, Term::ZERO);
            let warp = &mut self.warps[index];
            let expected = Symbol::number(format, Term::ZERO).encode() >> 32;
            // An integer with or without a sign is a remainder, which its term may lie beyond.
            let as_it_is = format.is_float() || format.class() == FormatClass::Bits;
            let symbolic = warp.symbolic(*reg);
            let words = warp.lanes(*reg);
            for lane in lanes(special) {
                let word = words[lane as usize];
                let term = if symbolic >> lane & 1 == 1 {
                    if as_it_is && word >> 32 == expected {
                        Term::from_raw(word as u32)
                    } else {
                        let value = Value::Symbolic(Symbol::decode(word));
                        as_operand(&mut self.terms, format, value).unwrap_or(Term::ZERO)
                    }
                } else if last.0 == word && last.1 != Term::ZERO {
                    last.1
                } else {
                    let value = self.roundings.operand(&mut self.terms, *reg, format, Value::Concrete(word));
                    let term = as_operand(&mut self.terms, format, value).unwrap_or(Term::ZERO);
                    last = (word, term);
                    term
                };
                operands[lane as usize][at] = term;
            }
        }
        let wildcard = op.dst.class() == FormatClass::Bits;
        let mut before: Option<(u32, Term)> = None;
        for lane in lanes(special) {
            // Lanes that work on the same values, as in a broadcast, get the same result.
            let term = match before {
                Some((other, term)) if same(&operands[other as usize], &operands[lane as usize]) => term,
                _ => function(&mut self.terms, &operands[lane as usize][..count]),
            };
            before = Some((lane, term));
            let format = if wildcard { self.held_format(index, src, lane, op.dst) } else { op.dst };
            self.warps[index].waiting()[lane as usize] = Symbol::number(format, term).encode();
        }
        self.warps[index].take(dst, special, true);
    }

    /// Integers that were added, subtracted or multiplied are of a format of that width: of which
    /// sign is up to who reads them, so it is that of what they were made of.
    fn held_format(&self, index: usize, src: &[Reg], lane: u32, width: Format) -> Format {
        let held = src.iter().find_map(|reg| match self.warps[index].get(*reg, lane) {
            Value::Symbolic(Symbol { kind: SymbolKind::Number(format), .. })
                if !format.is_float() && format.bits() == width.bits() =>
            {
                Some(format)
            }
            _ => None,
        });
        held.or_else(|| signed(width)).unwrap_or(width)
    }
}

#[inline]
fn same(a: &[Term; 4], b: &[Term; 4]) -> bool {
    (a[0] == b[0]) & (a[1] == b[1]) & (a[2] == b[2]) & (a[3] == b[3])
}

/// A pure instruction on one lane with complete sources, at least one of them symbolic. `None` where it
/// has no meaning.
#[inline(never)]
fn evaluate(
    terms: &mut Terms,
    op: &Lanewise,
    values: &[Value],
    destinations: usize,
) -> Option<(Value, Value)> {
    let none = Value::NEVER;
    match op.meaning {
        Meaning::Real(_) if destinations > 1 => None,
        Meaning::Real(function) => {
            let operands = numbers(terms, op, values)?;
            let term = function(terms, &operands[..values.len()]);
            Some((Value::Symbolic(Symbol::number(op.dst, term)), none))
        }
        Meaning::Partial(function) => {
            let operands = numbers(terms, op, values)?;
            let value = match function(terms, &operands[..values.len()]) {
                Some(term) => Value::Symbolic(Symbol::number(op.dst, term)),
                None => opaque(terms, op, values)?,
            };
            (destinations == 1).then_some((value, none))
        }
        Meaning::Carry(function) => {
            let operands = numbers(terms, op, values)?;
            let (number, carry) = function(terms, &operands[..values.len()]);
            let carry = match destinations {
                1 => none,
                _ => Value::Symbolic(Symbol::number(Format::U32, carry)),
            };
            Some((Value::Symbolic(Symbol::number(op.dst, number)), carry))
        }
        Meaning::Compare(function) => {
            let mut operands = [Term::ZERO; 4];
            // Equality of bits is equality of numbers that are read alike: with a sign if one of
            // them has one.
            let signs = values.iter().take(2).any(|value| {
                matches!(value, Value::Symbolic(Symbol { kind: SymbolKind::Number(format), .. })
                    if format.class() == FormatClass::Signed)
            });
            for (at, value) in values.iter().enumerate() {
                operands[at] = if at < 2 {
                    let format = signed(op.src[at]).filter(|_| signs).unwrap_or(op.src[at]);
                    as_number(terms, format, *value)?
                } else {
                    as_condition(terms, *value)?
                };
            }
            let condition = function(terms, &operands[..values.len()]);
            if destinations > 1 && values.len() > 2 {
                return None;
            }
            let negation = terms.not(condition);
            Some((predicate(condition), predicate(negation)))
        }
        Meaning::Logic(function) => {
            let mut operands = [Term::ZERO; 4];
            for (at, value) in values.iter().enumerate() {
                operands[at] = as_condition(terms, *value)?;
            }
            let condition = function(terms, &operands[..values.len()]);
            Some((predicate(condition), none))
        }
        Meaning::Select => {
            let Some(condition) = as_condition(terms, values[2]) else { return Some((none, none)) };
            Some((choose(terms, condition, values[0], values[1], op.dst), none))
        }
        Meaning::Convert => Some((convert(terms, op.src[0], op.dst, values[0])?, none)),
        Meaning::Bits(bit_op) => {
            let width = op.src[0].bits();
            let clamped;
            let values = match *values {
                [a, amount] if op.src[1].bits() > width => {
                    clamped = [a, at_most(terms, width, amount)];
                    &clamped
                }
                _ => values,
            };
            let value = match bit_op {
                BitOp::Other => opaque(terms, op, values),
                _ => Some(operate(terms, bit_op, width, values)),
            };
            value.filter(|_| destinations == 1).map(|value| (value, none))
        }
        Meaning::Table => {
            let [a, b, c, Value::Concrete(number)] = *values else { return None };
            Some((table(terms, 32, &[a, b, c], number as u8), none))
        }
        Meaning::Rearrange(picks, otherwise) => {
            let mut known = [None; 4];
            for (known, value) in known.iter_mut().zip(values) {
                *known = match value {
                    Value::Concrete(bits) => Some(*bits),
                    Value::Symbolic(_) | Value::Undefined(_) => None,
                };
            }
            let value = match picks(&known) {
                Some(picks) => Some(rearrange(terms, &picks, values, op)),
                None => {
                    let operands = numbers(terms, op, values)?;
                    match otherwise(terms, &operands[..values.len()]) {
                        Some(term) => Some(Value::Symbolic(Symbol::number(op.dst, term))),
                        None => opaque(terms, op, values),
                    }
                }
            };
            value.filter(|_| destinations == 1).map(|value| (value, none))
        }
        Meaning::Dot { signed } => {
            let mut term = as_operand(terms, plain(op.dst), values[2])?;
            for at in 0..4 {
                let mut factors = [Term::ZERO; 2];
                for (side, factor) in factors.iter_mut().enumerate() {
                    let format = if signed[side] { Format::S8 } else { Format::U8 };
                    let byte = byte_of(terms, values[side], 32, at);
                    *factor = as_number(terms, format, byte)?;
                }
                term = terms.fma(factors[0], factors[1], term);
            }
            (destinations == 1).then_some((Value::Symbolic(Symbol::number(op.dst, term)), none))
        }
        Meaning::None => None,
    }
}

fn numbers(terms: &mut Terms, op: &Lanewise, values: &[Value]) -> Option<[Term; 4]> {
    let mut operands = [Term::ZERO; 4];
    for (at, value) in values.iter().enumerate() {
        operands[at] = as_operand(terms, op.src[at], *value)?;
    }
    Some(operands)
}

/// A conversion that keeps the number; between integers its remainder modulo 2ⁿ.
fn convert(terms: &mut Terms, from: Format, to: Format, value: Value) -> Option<Value> {
    let narrowing = !from.is_float() && !to.is_float() && to.bits() <= from.bits();
    let number = match value {
        // A part of a pattern may be something that is known.
        Value::Symbolic(Symbol { kind: SymbolKind::Bits, .. }) if narrowing => {
            let part = slice(terms, value, from.bits(), 0, to.bits());
            as_number(terms, to, part)?
        }
        _ if narrowing => as_operand(terms, plain(from), value)?,
        _ => as_number(terms, from, value)?,
    };
    terms.note_float(to, number);
    Some(Value::Symbolic(Symbol::number(to, number)))
}

/// An instruction kept as an uninterpreted function of its operands' bits.
fn opaque(terms: &mut Terms, op: &Lanewise, values: &[Value]) -> Option<Value> {
    let mut patterns = [Term::ZERO; 4];
    for (at, value) in values.iter().enumerate() {
        patterns[at] = as_bits(terms, *value, op.src[at].bits())?;
    }
    let width = op.dst.bits() as u8;
    let code = terms.bit_constant(u64::from(op.operation));
    let mut pattern = terms.bits(BitOp::Other, width, patterns[0], patterns[1], code);
    for (at, further) in patterns.iter().enumerate().take(values.len()).skip(2) {
        // The code of a further operand cannot be that of an operation: those have 32 bits.
        let code = terms.bit_constant((at as u64) << 32 | u64::from(op.operation));
        pattern = terms.bits(BitOp::Other, width, pattern, *further, code);
    }
    Some(Value::Symbolic(Symbol::bits(pattern)))
}
/// What a narrow word is shifted by, which has more bits than the word: as far as the word is wide.
fn at_most(terms: &mut Terms, width: u32, amount: Value) -> Value {
    if let Value::Concrete(amount) = amount {
        return Value::Concrete((amount & 0xffff_ffff).min(width.into()));
    }
    let fits = as_number(terms, Format::U32, amount)
        .is_some_and(|number| terms.wrapped(Format::U16, number) == number);
    match fits {
        true => amount,
        false => operate(terms, BitOp::Min, 32, &[amount, Value::Concrete(width.into())]),
    }
}
