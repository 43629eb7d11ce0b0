//! Pure instructions on mixed lanes: concrete lanes all at once, symbolic ones term by term.

use super::bits::{as_bits, as_condition, as_number, choose, operate, predicate};
use super::bytes::{byte_of, rearrange};
use super::machine::Machine;
use super::outcome::FaultKind;
use super::race::lanes;
use crate::base::{Format, FormatClass};
use crate::ir::Reg;
use crate::isa::{Lanes, Lanewise, Meaning, WARP};
use crate::term::{BitOp, Symbol, SymbolKind, Term, Terms, Value};

/// Both destinations; nothing where the instruction has no meaning.
type Results = Option<(Value, Value)>;

static ZERO: Lanes = [0; WARP];

const MEANINGLESS: &str = "this instruction has no meaning on symbolic operands";

impl<'a> Machine<'a> {
    /// Executes a pure instruction.
    #[inline]
    pub(super) fn lanewise(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let warp = &mut self.warps[index];
        let (special, uniform) = warp.kinds(src);
        let (special, uniform) = (special & mask, uniform && mask == warp.present);
        if special != mask {
            let lanes_of = |at: usize| src.get(at).map_or(&ZERO, |reg| warp.lanes(*reg));
            let sources = [lanes_of(0), lanes_of(1), lanes_of(2), lanes_of(3)];
            (op.concrete)(&sources, &mut self.scratch);
            warp.set_concrete(dst[0], mask & !special, &self.scratch[0]);
            if let Some(second) = dst.get(1) {
                warp.set_concrete(*second, mask & !special, &self.scratch[1]);
            }
            if uniform && special == 0 {
                dst.iter().for_each(|reg| warp.mark_uniform(*reg));
            }
        }
        if special != 0 && uniform {
            self.uniform(index, pc, mask, op, dst, src);
        } else if special != 0 {
            self.symbolic(index, pc, special, op, dst, src);
        }
    }

    /// All lanes work on the same values, one of them a symbol: one does it for all.
    fn uniform(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise, dst: &[Reg], src: &[Reg]) {
        self.symbolic_uses[pc as usize] += u64::from(mask.count_ones());
        let mut values = [Value::Concrete(0); 4];
        let warp = &self.warps[index];
        for (value, reg) in values.iter_mut().zip(src) {
            *value = warp.get(*reg, 0);
        }
        if let Meaning::Real(function) = op.meaning
            && dst.len() == 1
        {
            let count = src.len().min(4);
            let mut operands = [Term::ZERO; 4];
            for at in 0..count {
                operands[at] = as_number(&mut self.terms, op.src[at], values[at]).unwrap_or(Term::ZERO);
            }
            let term = function(&mut self.terms, &operands[..count]);
            let wildcard = op.dst.class() == FormatClass::Bits;
            let format = if wildcard { self.held_format(index, src, 0, op.dst) } else { op.dst };
            self.warps[index].fill(dst[0], Value::Symbolic(Symbol::number(format, term)));
            return;
        }
        match evaluate(&mut self.terms, op, &values[..src.len()], dst.len()) {
            Some((first, second)) => {
                self.warps[index].fill(dst[0], first);
                if let Some(reg) = dst.get(1) {
                    self.warps[index].fill(*reg, second);
                }
            }
            None => self.park(index, mask, pc, FaultKind::Unsupported(MEANINGLESS.to_owned())),
        }
    }

    fn symbolic(&mut self, index: usize, pc: u32, special: u32, op: &Lanewise, dst: &[Reg], src: &[Reg]) {
        let mut undefined = 0;
        if !matches!(op.meaning, Meaning::Select) {
            for reg in src {
                undefined |= self.warps[index].undefined(*reg);
            }
        }
        undefined &= special;
        for lane in lanes(undefined) {
            for reg in dst {
                self.warps[index].set(*reg, lane, Value::Undefined);
            }
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
            for (value, reg) in values.iter_mut().zip(src) {
                *value = self.warps[index].get(*reg, lane);
            }
            let result = match before {
                Some((known, result)) if known == values => result,
                _ => evaluate(&mut self.terms, op, &values[..src.len()], dst.len()),
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
        let mut codes: Lanes = [0; WARP];
        let mut operands = [[Term::ZERO; 4]; WARP];
        for (at, reg) in src.iter().enumerate().take(4) {
            let format = op.src[at];
            // A concrete lane repeats its neighbours' bits more often than not.
            let mut last = (0, Term::ZERO);
            let warp = &self.warps[index];
            let expected = Symbol::number(format, Term::ZERO).encode() >> 32;
            let (words, symbolic) = (warp.lanes(*reg), warp.symbolic(*reg));
            for lane in lanes(special) {
                let word = words[lane as usize];
                let term = if symbolic >> lane & 1 == 1 {
                    if word >> 32 == expected {
                        Term::from_raw(word as u32)
                    } else {
                        let value = Value::Symbolic(Symbol::decode(word));
                        as_number(&mut self.terms, format, value).unwrap_or(Term::ZERO)
                    }
                } else if last.0 == word && last.1 != Term::ZERO {
                    last.1
                } else {
                    let term =
                        as_number(&mut self.terms, format, Value::Concrete(word)).unwrap_or(Term::ZERO);
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
            codes[lane as usize] = Symbol::number(format, term).encode();
        }
        self.warps[index].set_symbolic(dst, special, &codes);
    }

    /// Sign-agnostic integer instructions keep the signedness of what they work on.
    fn held_format(&self, index: usize, src: &[Reg], lane: u32, width: Format) -> Format {
        let held = src.iter().find_map(|reg| match self.warps[index].get(*reg, lane) {
            Value::Symbolic(Symbol { kind: SymbolKind::Number(format), .. })
                if !format.is_float() && format.bits() == width.bits() =>
            {
                Some(format)
            }
            _ => None,
        });
        held.unwrap_or(width)
    }
}

#[inline]
fn same(a: &[Term; 4], b: &[Term; 4]) -> bool {
    (a[0] == b[0]) & (a[1] == b[1]) & (a[2] == b[2]) & (a[3] == b[3])
}

/// A pure instruction on one lane with at least one symbolic source and no undefined one (but for
/// selections). `None` where it has no meaning.
fn evaluate(
    terms: &mut Terms,
    op: &Lanewise,
    values: &[Value],
    destinations: usize,
) -> Option<(Value, Value)> {
    let none = Value::Undefined;
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
        Meaning::Compare(function) => {
            let mut operands = [Term::ZERO; 4];
            for (at, value) in values.iter().enumerate() {
                operands[at] =
                    if at < 2 { as_number(terms, op.src[at], *value)? } else { as_condition(terms, *value)? };
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
        Meaning::Convert => {
            let number = as_number(terms, op.src[0], values[0])?;
            Some((Value::Symbolic(Symbol::number(op.dst, number)), none))
        }
        Meaning::Bits(bit_op) => {
            let width = op.src[0].bits();
            // Patterns are equal when operation, width and operands are; an operation that the
            // pattern does not name in full would make different results equal.
            let named = match bit_op {
                BitOp::Other => false,
                BitOp::MulHigh => op.src[0].class() == FormatClass::Unsigned,
                _ => true,
            };
            let value =
                if named { Some(operate(terms, bit_op, width, values)) } else { opaque(terms, op, values) };
            value.filter(|_| destinations == 1).map(|value| (value, none))
        }
        Meaning::Rearrange(picks) => {
            let mut known = [None; 4];
            for (known, value) in known.iter_mut().zip(values) {
                *known = match value {
                    Value::Concrete(bits) => Some(*bits),
                    Value::Symbolic(_) | Value::Undefined => None,
                };
            }
            let value = match picks(&known) {
                Some(picks) => Some(rearrange(terms, &picks, values, op)),
                None => opaque(terms, op, values),
            };
            value.filter(|_| destinations == 1).map(|value| (value, none))
        }
        Meaning::Dot { signed } => {
            let mut term = as_number(terms, op.dst, values[2])?;
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
        operands[at] = as_number(terms, op.src[at], *value)?;
    }
    Some(operands)
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
