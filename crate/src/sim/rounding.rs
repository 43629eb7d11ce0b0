//! How far floats that a kernel computes from concrete numbers alone may be from the reals they stand for.
//!
//! Such numbers are computed with, as the hardware rounds them, and become constants of terms. Two
//! ways to compute one number over the reals may so end at two constants. Here is how far each may be
//! off: after an instruction on concrete floats, the real function of the instruction is enclosed over
//! what its operands may be, and the largest distance of the result from that is kept, by the result's
//! format and magnitude. So copies, loads, shuffles and changes of sign carry it along for free, and
//! what warps take over from each other has it already.
//!
//! Guarantees: for float arithmetic and conversions to floats, the real number lies as near to the
//! result as said, if that is so for the operands. Approximations are included, and so are roundings
//! to integers where they may come out either way. Numbers that stand in the kernel's text may be a unit in
//! the last place from the number meant, unless they are whole or short (`term::slack`): so cos of a rounded
//! π/2 may be 0.
//! Misses: decisions (comparisons, and floats turned into integers) are taken as they come out; bit
//! operations on a float's word lose its bound, but for the sign; more than [`MOST_NUMBERS`] numbers or
//! [`MOST_LOOKS`] looks; a result that an earlier warp had with a smaller bound and that is taken over.
//! What is made of NaN and infinities (`max(NaN, x)`, a saturated ∞) counts as exact.
//! Numbers that happen to have the same bits share the largest bound, which only makes it larger.
//! Products of concrete matrices, and atomics, count as exact.

use super::bits::{as_number, mask as low_bits};
use super::machine::Machine;
use super::race::lanes;
use super::warp::Warp;
use crate::base::{Budget, Format};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{Effect, Lanewise, Meaning};
use crate::term::eval::{Cone, Quantity, Reals, evaluate, number_of};
use crate::term::{Interval, Named, Number, Symbol, Term, Terms, Value, decode, slack};
use rustc_hash::FxHashMap;

/// Numbers that bounds are kept for.
const MOST_NUMBERS: usize = 1 << 16;
/// Lanes of instructions that are looked at; some 200 ns each.
const MOST_LOOKS: u32 = 1 << 22;

/// The bounds that are known.
pub(super) struct Roundings {
    bounds: FxHashMap<(Format, u64), f64>,
    /// Registers that hold nothing but numbers of the kernel's text.
    literal: Vec<bool>,
    /// The real functions of instructions that were looked at.
    functions: FxHashMap<u32, Function>,
    looks: u32,
    /// How far numbers of the text may be from those meant.
    slacks: FxHashMap<(Format, u64), f64>,
}

/// The real function of an instruction, ready to be evaluated.
struct Function {
    /// Operands that are part of it, because they stand in the kernel's text.
    known: [Option<u64>; 4],
    cone: Cone,
    constants: Vec<Quantity>,
    /// On how many lanes it was looked at.
    looks: u64,
}

impl Roundings {
    pub(super) fn new(kernel: &Kernel) -> Roundings {
        Roundings {
            bounds: FxHashMap::default(),
            literal: literals(kernel),
            functions: FxHashMap::default(),
            looks: 0,
            slacks: FxHashMap::default(),
        }
    }

    /// Whether some number has a bound.
    #[inline]
    pub(super) fn any(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// How far the real number may be from a word of that format; 0 where nothing is known of it.
    pub(super) fn bound(&self, format: Format, word: u64) -> f64 {
        if !format.is_float() {
            return 0.0;
        }
        self.bounds.get(&key(format, word)).copied().unwrap_or(0.0)
    }

    /// The instructions that were looked at, and on how many lanes.
    pub(super) fn looked_at(&self) -> Vec<(u32, u64)> {
        let mut all: Vec<_> = self.functions.iter().map(|(pc, function)| (*pc, function.looks)).collect();
        all.sort_unstable();
        all
    }

    /// A register's value as an operand of a term: a concrete float that was rounded is a constant that
    /// knows how far it may be off.
    #[inline]
    pub(super) fn operand(&self, terms: &mut Terms, reg: Reg, format: Format, value: Value) -> Value {
        match value {
            Value::Concrete(word) if self.any() && !self.literal[reg.index()] => {
                self.computed(terms, format, word)
            }
            _ => value,
        }
    }

    /// A concrete word, or the constant that it is in terms where it was rounded.
    #[inline(never)]
    pub(super) fn computed(&self, terms: &mut Terms, format: Format, word: u64) -> Value {
        let error = self.bound(format, word);
        if error == 0.0 {
            return Value::Concrete(word);
        }
        let term = terms.computed(format, low_bits(word, format.bits()), error);
        Value::Symbolic(Symbol::number(format, term))
    }

    /// How far the number that the kernel's text means may be from the one that it says.
    fn slack(&mut self, format: Format, word: u64) -> f64 {
        let key = key(format, word);
        *self.slacks.entry(key).or_insert_with(|| match decode(format, key.1) {
            Number::Rational(value) => slack(&value, format),
            _ => 0.0,
        })
    }

    fn widen(&mut self, format: Format, word: u64, bound: f64) {
        let full = self.bounds.len() >= MOST_NUMBERS;
        match self.bounds.get_mut(&key(format, word)) {
            Some(known) => *known = known.max(bound),
            None if full => {}
            None => {
                self.bounds.insert(key(format, word), bound);
            }
        }
    }

    /// Looks at what an instruction came to on the lanes of `mask`, which are concrete; its results wait
    /// to be taken.
    fn look(&mut self, budget: &Budget, warp: &mut Warp, pc: u32, mask: u32, op: &Lanewise, src: &[Reg]) {
        let results = *warp.waiting();
        let count = src.len().min(4);
        let mut before: Option<[u64; 4]> = None;
        for lane in lanes(mask) {
            let mut words = [0; 4];
            for (at, reg) in src.iter().enumerate().take(4) {
                words[at] = low_bits(warp.word(*reg, lane), op.src[at].bits());
            }
            if before.replace(words) == Some(words) {
                continue;
            }
            self.looks += 1;
            if self.looks > MOST_LOOKS {
                return;
            }
            let mut exact = [false; 4];
            let mut operands = [Quantity::ZERO; 4];
            for (at, word) in words.iter().enumerate().take(count) {
                let error = match self.literal[src[at].index()] {
                    true => self.slack(op.src[at], *word),
                    false => self.bound(op.src[at], *word),
                };
                exact[at] = error == 0.0 && self.literal[src[at].index()];
                operands[at] = around(value(op.src[at], *word), error);
            }
            let known: [Option<u64>; 4] = std::array::from_fn(|at| exact[at].then(|| words[at]));
            let Some(real) = self.real(budget, pc, op, count, known, &operands) else { continue };
            let bound = distance(real, value(op.dst, results[lane as usize]));
            if bound > 0.0 {
                self.widen(op.dst, results[lane as usize], bound);
            }
        }
    }

    /// What an instruction is over the reals.
    fn real(
        &mut self,
        budget: &Budget,
        pc: u32,
        op: &Lanewise,
        count: usize,
        known: [Option<u64>; 4],
        operands: &[Quantity; 4],
    ) -> Option<Quantity> {
        let Meaning::Real(function) = op.meaning else { return Some(operands[0]) };
        if self.functions.get(&pc).is_none_or(|function| function.known != known) {
            let mut terms = Terms::new();
            let mut sources = [Term::ZERO; 4];
            for (at, source) in sources.iter_mut().enumerate().take(count) {
                *source = match known[at] {
                    Some(word) => terms.number(op.src[at], word),
                    None => Term::element(at as u32),
                };
            }
            let root = function(&mut terms, &sources[..count]);
            let cone = Cone::of(&terms, &[root], budget).ok()?;
            let constants = terms.constants().iter().map(|constant| of_number(&constant.number)).collect();
            let looks = self.functions.get(&pc).map_or(0, |function| function.looks);
            self.functions.insert(pc, Function { known, cone, constants, looks });
        }
        let Function { cone, constants, looks, .. } = self.functions.get_mut(&pc)?;
        *looks += 1;
        let domain = Reals { element: &|element| operands[element as usize], constants };
        evaluate(cone, &domain, budget, &mut Vec::new()).ok()?.first().copied()
    }
}

/// Registers that are written by nothing but moves of numbers that stand in the text.
fn literals(kernel: &Kernel) -> Vec<bool> {
    let of_kind = |kind: &RegisterKind| matches!(kind, RegisterKind::Constant(_));
    let constant: Vec<bool> = kernel.registers.iter().map(of_kind).collect();
    let (mut moved, mut written) = (constant.clone(), vec![false; constant.len()]);
    for instr in &kernel.code {
        let is_move = matches!(instr.effect, Effect::Move { .. }) && constant[kernel.src(instr)[0].index()];
        for reg in kernel.dst(instr) {
            let at = reg.index();
            moved[at] = is_move && (moved[at] || !written[at]);
            written[at] = true;
        }
    }
    moved
}

/// What bounds are kept by: the sign does not matter, and tf32 is f32.
fn key(format: Format, word: u64) -> (Format, u64) {
    let format = if format == Format::Tf32 { Format::F32 } else { format };
    (format, low_bits(word, format.bits() - 1))
}

/// The number that a word holds.
fn value(format: Format, word: u64) -> Quantity {
    match format {
        Format::F32 | Format::Tf32 => of_float(f32::from_bits(word as u32).into()),
        Format::F64 => of_float(f64::from_bits(word)),
        _ => number_of(format, low_bits(word, format.bits())),
    }
}

/// A float, exact if it is small.
fn of_float(value: f64) -> Quantity {
    if value == 0.0 {
        return Quantity::ZERO;
    }
    if !value.is_finite() {
        return match value.is_nan() {
            true => Quantity::Undefined,
            false if value > 0.0 => Quantity::Infinity,
            false => Quantity::MinusInfinity,
        };
    }
    let bits = value.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let digits = (bits & ((1 << 52) - 1)) | u64::from(field > 0) << 52;
    let zeros = digits.trailing_zeros();
    let (digits, power) = ((digits >> zeros) as i64, field.max(1) - 1075 + zeros as i32);
    let signed = if value < 0.0 { -digits } else { digits };
    match power {
        -62..0 => Quantity::dyadic(signed, power.unsigned_abs()),
        0..=9 => Quantity::integer(signed << power),
        _ => Quantity::Within(Interval::point(value)),
    }
}

fn of_number(number: &Number) -> Quantity {
    match number {
        Number::Rational(value) => Quantity::rational(value),
        Number::Named(Named::Pi) => Quantity::Within(Interval::PI),
        Number::Named(Named::Ln2) => Quantity::Within(Interval::LN_2),
        Number::Named(Named::Log2E) => Quantity::Within(Interval::LOG2_E),
        Number::Named(Named::Ln10) => Quantity::Within(Interval::LN_10),
        Number::Infinity => Quantity::Infinity,
        Number::MinusInfinity => Quantity::MinusInfinity,
        Number::NotANumber | Number::Unwritten => Quantity::Undefined,
        Number::True => Quantity::Condition(true),
        Number::False => Quantity::Condition(false),
    }
}

/// A number that may be off by so much.
fn around(value: Quantity, error: f64) -> Quantity {
    match value.interval() {
        Some(interval) if error > 0.0 => Quantity::Within(interval.plus(Interval::new(-error, error))),
        _ => value,
    }
}

/// How far a result may be from the real number: 0 where they are the same, and where one of them is no
/// number, which is not a matter of rounding; ∞ where nothing can be said.
fn distance(real: Quantity, result: Quantity) -> f64 {
    let Some(computed) = result.interval() else { return 0.0 };
    match real {
        Quantity::Exact(_) if real == result => 0.0,
        Quantity::Exact(_) | Quantity::Within(_) | Quantity::Fixed(..) | Quantity::Large(..) => {
            real.interval().map_or(f64::INFINITY, |real| real.minus(computed).abs().high())
        }
        Quantity::Unknown => f64::INFINITY,
        Quantity::Undefined
        | Quantity::NotANumber
        | Quantity::Infinity
        | Quantity::MinusInfinity
        | Quantity::Condition(_)
        | Quantity::Pole
        | Quantity::Bits(_) => 0.0,
    }
}

impl<'a> Machine<'a> {
    /// Looks at what the concrete lanes of `mask` came to, before it is taken.
    #[inline]
    pub(super) fn look_at_rounding(&mut self, index: usize, pc: u32, mask: u32, op: &Lanewise, src: &[Reg]) {
        if op.dst.is_float() && matches!(op.meaning, Meaning::Real(_) | Meaning::Convert) {
            self.roundings.look(self.budget, &mut self.warps[index], pc, mask, op, src);
        }
    }

    /// The term of a value that lay in memory or in a fragment, as a number.
    pub(super) fn number(&mut self, format: Format, value: Value) -> Option<Term> {
        let value = match value {
            Value::Concrete(word) if self.roundings.any() => {
                self.roundings.computed(&mut self.terms, format, word)
            }
            _ => value,
        };
        as_number(&mut self.terms, format, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Source;
    use crate::sim::{Options, Setup};
    use crate::spec::Launch;

    /// Runs a thread and says what a register holds in the end, and how far it may be off.
    fn of(body: &str, register: &str, format: Format) -> (u64, f64) {
        let text = format!(
            ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() {{\n\
             .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .f32 %f<10>; .reg .f64 %d<4>;\n{body}\nret;\n}}\n"
        );
        let parsed = crate::syntax::parse(Source::Optimized, &text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let kernel = crate::ir::lower(Source::Optimized, &parsed.module, None).unwrap().kernel;
        let launch = Launch {
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            ctas: vec![[0; 3]],
            dynamic_shared: Some(0),
        };
        let setup = Setup {
            launch,
            tensors: Vec::new(),
            views: Vec::new(),
            parameters: Vec::new(),
            maps: Default::default(),
            unknowable: (0, 0),
            contents: Default::default(),
            bounds: Vec::new(),
        };
        let (options, budget) = (Options::default(), Budget::default());
        let mut machine = Machine::new(&options, &budget, &kernel, &setup, super::super::Watching::default());
        machine.launch();
        let reg = kernel.register_names.iter().position(|name| name == register).unwrap();
        let word = machine.warps[0].word(Reg(reg as u32), 0);
        (word, machine.roundings.bound(format, word))
    }

    /// The value and the bound are these; the bound up to a millionth, and never less.
    #[track_caller]
    fn expect(body: &str, value: f32, bound: f64) {
        let (word, found) = of(body, "%f1", Format::F32);
        assert_eq!(f32::from_bits(word as u32), value);
        assert!(bound <= found && found <= bound * (1.0 + 1e-6), "{found:e} instead of {bound:e}");
    }

    const THIRD: &str = "mov.f32 %f1, 0f3F800000; div.rn.f32 %f1, %f1, 0f40400000;";

    #[test]
    fn bounds_are_the_distance_from_the_real_number() {
        let unit = |power: i32| f64::from(power).exp2();
        // 11184811 / 2²⁵ is a third of 2²⁵ + 1 over 2²⁵.
        expect(THIRD, 1.0 / 3.0, unit(-25) / 3.0);
        // 3 · 13421773 = 40265319, which is even over 4 only with one more; 13421773 / 2²⁷ is 0.1f, and the
        // number that the text means by it may be one and a half units of 2⁻²⁷ away.
        expect("mov.f32 %f2, 0f3DCCCCCD; mul.rn.f32 %f1, %f2, 0f40400000;", 0.3, 5.5 * unit(-27));
        // √2 = 1.41421356237309504880…, and 11863283 / 2²³ = 1.41421353816986083984375.
        let root = 2.420323420895e-8;
        expect("mov.f32 %f1, 0f40000000; sqrt.rn.f32 %f1, %f1;", std::f32::consts::SQRT_2, root);
        expect("mov.f32 %f1, 0f3F000000; ex2.approx.f32 %f1, %f1;", std::f32::consts::SQRT_2, root);
        // Of an integer with 25 digits the last is lost.
        expect("mov.b32 %r1, 16777217; cvt.rn.f32.s32 %f1, %r1;", 16_777_216.0, 1.0);
        // Towards zero: a third loses nearly a unit, 1/3 - 11184810 / 2²⁵.
        let down = "mov.f32 %f1, 0f3F800000; div.rz.f32 %f1, %f1, 0f40400000;";
        assert_eq!(of(down, "%f1", Format::F32), (0x3eaa_aaaa, 0.0), "a rounding on purpose is the function");
    }

    #[test]
    fn cancellation_keeps_the_bound() {
        // Three thirds are 1 + 2⁻²⁵ ± 2⁻²⁵ and come out as 1; less 1 that is 0, and may be 2⁻²⁴.
        let ones = format!("{THIRD} mul.rn.f32 %f1, %f1, 0f40400000;");
        expect(&ones, 1.0, f64::from(-24).exp2());
        expect(&format!("{ones} sub.rn.f32 %f1, %f1, 0f3F800000;"), 0.0, f64::from(-24).exp2());
        // 2²⁰ + 1/3 - 2²⁰ is 3/8, and 1/24 too much.
        let coarse = format!("{THIRD} add.rn.f32 %f1, %f1, 0f49800000; sub.rn.f32 %f1, %f1, 0f49800000;");
        expect(&coarse, 0.375, 1.0 / 24.0);
    }

    #[test]
    fn exact_results_have_no_bound() {
        for body in [
            "mov.f32 %f1, 0f3F000000; mul.rn.f32 %f1, %f1, 0f40400000;",
            "mov.f32 %f1, 0f3F000000; fma.rn.f32 %f1, %f1, %f1, %f1;",
            "mov.b32 %r1, -7; cvt.rn.f32.s32 %f1, %r1;",
            "mov.f32 %f1, 0f40000000; ex2.approx.f32 %f1, %f1;",
            "mov.f32 %f1, 0f00000000; cos.approx.f32 %f1, %f1;",
            "mov.f32 %f1, 0f40300000; cvt.rni.f32.f32 %f1, %f1;",
            "mov.f32 %f1, 0f40300000; add.rn.f32 %f1, %f1, 0f4B400000;",
        ] {
            assert_eq!(of(body, "%f1", Format::F32).1, 0.0, "{body}");
        }
    }

    #[test]
    fn numbers_made_of_what_is_none_have_no_bound() {
        for (body, value) in [
            ("mov.f32 %f1, 0f7FFFFFFF; mov.f32 %f2, 0f3DCCCCCD; max.f32 %f1, %f1, %f2;", 0.1),
            ("mov.f32 %f1, 0fFF800000; ex2.approx.f32 %f1, %f1;", 0.0),
            ("mov.f32 %f1, 0f7F800000; rcp.rn.f32 %f1, %f1;", 0.0),
            ("mov.f32 %f1, 0f7FFFFFFF; cvt.sat.f32.f32 %f1, %f1;", 0.0),
        ] {
            let (word, bound) = of(body, "%f1", Format::F32);
            assert_eq!((f32::from_bits(word as u32), bound), (value, 0.0), "{body}");
        }
    }

    #[test]
    fn numbers_of_the_text_are_exact_whatever_was_computed() {
        // The computed 1 may be off, the written one is not: twice that is 2.
        let both = format!(
            "{THIRD} mul.rn.f32 %f1, %f1, 0f40400000; mov.f32 %f2, 0f3F800000; add.rn.f32 %f3, %f2, %f2;"
        );
        assert_eq!(of(&both, "%f3", Format::F32), (0x4000_0000, 0.0));
        let computed = format!("{THIRD} mul.rn.f32 %f1, %f1, 0f40400000; add.rn.f32 %f3, %f1, %f1;");
        assert!(of(&computed, "%f3", Format::F32).1 > 0.0);
    }

    #[test]
    fn other_formats_have_bounds_too() {
        // 1365 / 4096 in f16: a third of a unit of 2⁻¹² less.
        let (word, bound) = of(&format!("{THIRD} cvt.rn.f16.f32 %h1, %f1;"), "%h1", Format::F16);
        let third = f64::from(1.0f32 / 3.0) - 1365.0 / 4096.0 + f64::from(-25).exp2() / 3.0;
        assert_eq!(word, 0x3555);
        assert!(third * (1.0 - 1e-6) <= bound && bound <= third * (1.0 + 1e-6), "{bound:e}");
        let divided = "mov.f64 %d1, 0d3FF0000000000000; div.rn.f64 %d1, %d1, 0d4008000000000000;";
        let (word, bound) = of(divided, "%d1", Format::F64);
        // 6004799503160661 / 2⁵⁴ is 1/3 less a third of 2⁻⁵⁴; the enclosure is wider by steps of an f64.
        assert_eq!(word, (1.0f64 / 3.0).to_bits());
        let least = f64::from(-54).exp2() / 3.0;
        assert!(least <= bound && bound < 16.0 * least, "{bound:e}");
    }

    #[test]
    fn what_may_be_anything_is_said_to_be() {
        // The root of a number that may be negative, and a quotient by one that may be 0.
        let gone =
            "mov.f32 %f1, 0f3DCCCCCD; add.rn.f32 %f1, %f1, 0f4A000000; sub.rn.f32 %f1, %f1, 0f4A000000;";
        assert_eq!(of(gone, "%f1", Format::F32).0, 0);
        let root = format!("{gone} sqrt.rn.f32 %f1, %f1;");
        assert_eq!(of(&root, "%f1", Format::F32), (0, f64::INFINITY));
        let quotient = format!("{gone} add.rn.f32 %f1, %f1, 0f3D000000; rcp.rn.f32 %f1, %f1;");
        assert_eq!(of(&quotient, "%f1", Format::F32).1, f64::INFINITY);
    }
}
