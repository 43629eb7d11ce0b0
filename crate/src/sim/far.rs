//! Library code for arguments far out that no kernel meant.
//!
//! `sinf` and its kin multiply large arguments by two hundred bits of 2/π, looked up by the argument's
//! exponent; `fmodf` divides bit by bit where the quotient does not fit a float. Both compute over the
//! reals what the short way beside them computes, but through addresses and trip counts that depend on
//! the argument, and cannot be followed. Where such code branches on a symbolic argument, only the
//! short way is executed, and the ledger says so.
//!
//! Such a branch is found by what stands behind it, not by the number it compares with. It asks whether a
//! magnitude exceeds a number, or a multiple of another magnitude. The side for the larger one is a loop
//! that writes nothing but registers and local memory, and reads nothing but tables that no host can set. And
//! both sides come to the same, floats up to rounding and numbers of quadrants modulo four: run from
//! the branch to where they meet on concrete arguments of moderate size; and on arguments beyond the border,
//! where the short way is not exact in floats, the far side against the short way over the reals (it stands
//! before the branch) or, for quotients, against the remainder.
//!
//! Guarantees: a branch with a store, an atomic, a barrier, an access to a tensor, a `trap` or a `ret`
//! under it is never left out, nor one whose sides differ where they were run, whatever it compares with.
//! Concrete arguments take the way they take.
//! Misses: sides that agree on all arguments that were run and differ on others beyond the border, which
//! the ledger assumes away.

use super::bits::widened;
use super::ends;
use super::machine::Machine;
use super::memory::Owner;
use super::predicate::Guards;
use super::race::lanes;
use super::rounding::Roundings;
use super::trace::Trace;
use crate::base::{Exhausted, Format};
use crate::ir::{Instr, Reg};
use crate::isa::{Effect, Space, WARP};
use crate::term::eval::{Domain, Quantity, Reals, operands};
use crate::term::{Node, Relation, Symbol, SymbolKind, Term, Terms, Unary, Value};
use num_traits::ToPrimitive;

/// Arguments that both sides are run on, at least.
const SAMPLES: u32 = 32;
/// They are multiples of one over this.
const SCALE: f64 = (1u32 << 20) as f64;
/// The largest of them, in magnitude.
const LARGEST: f64 = 32.0;

/// The farthest border that is asked about.
const FARTHEST: f64 = (1u64 << 32) as f64;
/// Thread-instructions that one side may take for a round of them; a library's take a few hundred a lane.
const FUEL: u64 = 1 << 18;

/// Nodes of a term that are looked at for its value; those of a short way are a dozen.
const TERM: u32 = 1 << 8;

/// What a branch asks of a lane's argument.
#[derive(Clone, Copy)]
struct Asked {
    /// The condition holds for arguments far out.
    far: bool,
    /// The argument.
    argument: Term,
    /// What its magnitude is compared with: a multiple of another's, or of one.
    unit: Option<Term>,
    factor: f64,
}

/// Concrete values for what the branch asks about.
struct Sample {
    argument: (Term, f64),
    unit: Option<(Term, f64)>,
}

impl Machine<'_> {
    /// Whether all lanes of `mask` jump, or none, because the other way is a library's for arguments far
    /// out only.
    pub(super) fn near(&mut self, index: usize, pc: u32, mask: u32, conditions: &Guards) -> Option<bool> {
        let mut all = [None; WARP];
        for lane in lanes(mask) {
            all[lane as usize] = Some(asked(&self.terms, conditions[lane as usize])?);
        }
        let first = all[mask.trailing_zeros() as usize]?;
        if all.iter().flatten().any(|one| (one.far, one.factor) != (first.far, first.factor)) {
            return None;
        }
        let known = self.libraries.get(&pc).copied();
        let is_library = known.unwrap_or_else(|| self.is_library(index, pc, mask, &all, first.far));
        self.libraries.insert(pc, is_library);
        if !is_library {
            return None;
        }
        let both = self.kernel.reconverge.get(pc as usize).is_some_and(|meet| {
            let target = self.kernel.code[pc as usize].target;
            *meet != target && *meet != pc + 1
        });
        let assumption = match first.unit {
            Some(_) => format!("quotients of the inlined fmodf stay below 2^{}", first.factor.log2()),
            None if both => format!("arguments of the inlined fmodf stay below {}", grouped(first.factor)),
            None => {
                format!("arguments of the inlined sinf, cosf and tanf stay below {}", grouped(first.factor))
            }
        };
        let noted = self.granted_far.entry(assumption).or_insert((0, pc));
        noted.0 += u64::from(mask.count_ones());
        Some(!first.far)
    }

    /// Whether the far side of a branch is a loop without effects that comes to what the other side comes
    /// to.
    fn is_library(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        asked: &[Option<Asked>; WARP],
        far: bool,
    ) -> bool {
        let target = self.kernel.code[pc as usize].target;
        let meet = self.kernel.reconverge[pc as usize];
        let (far, near) = if far { (target, pc + 1) } else { (pc + 1, target) };
        let Some(region) = self.effectless(far, meet) else { return false };
        if self.effectless(near, meet).is_none() {
            return false;
        }
        let code = &self.kernel.code;
        let loops = region.iter().any(|at| {
            let instr = &code[*at as usize];
            matches!(instr.effect, Effect::Branch) && instr.target <= *at && region.contains(&instr.target)
        });
        let mut results: Vec<Reg> =
            region.iter().flat_map(|at| self.kernel.dst(&code[*at as usize])).copied().collect();
        results.sort_unstable();
        results.dedup();
        results.retain(|reg| self.is_live(*reg, meet));
        loops && !results.is_empty() && self.agrees(index, mask, asked, [far, near], meet, &results)
    }

    /// The instructions that can be executed from `start` on before `meet`, if they change nothing but
    /// registers and local memory, and read no tensor's address by name.
    fn effectless(&self, start: u32, meet: u32) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if at == meet || found.contains(&at) {
                continue;
            }
            found.push(at);
            let instr = self.kernel.code.get(at as usize)?;
            let harmless = match instr.effect {
                Effect::Lanewise(_)
                | Effect::Move { .. }
                | Effect::Pack { .. }
                | Effect::Unpack { .. }
                | Effect::ToGeneric(_)
                | Effect::FromGeneric(_)
                | Effect::Load(_)
                | Effect::Branch
                | Effect::Nothing => true,
                Effect::Store(access) => access.space == Space::Local,
                _ => false,
            };
            if !harmless {
                return None;
            }
            open.extend(successors(instr, at));
        }
        Some(found)
    }

    /// Whether some instruction from `start` on may read a register before it is written.
    fn is_live(&self, reg: Reg, start: u32) -> bool {
        let mut seen = vec![false; self.kernel.code.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let Some(instr) = self.kernel.code.get(at as usize) else { continue };
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let guard = instr.guard.map(|guard| guard.predicate);
            if guard == Some(reg) || self.kernel.src(instr).contains(&reg) {
                return true;
            }
            if instr.guard.is_some() || !self.kernel.dst(instr).contains(&reg) {
                match instr.effect {
                    Effect::BranchIndexed => open.extend(&self.kernel.tables[instr.target as usize]),
                    Effect::Exit if guard.is_none() => {}
                    _ => open.extend(successors(instr, at)),
                }
            }
        }
        false
    }

    /// Runs both sides of a branch on concrete arguments and compares what they come to. The machine is
    /// afterwards as it was.
    fn agrees(
        &mut self,
        index: usize,
        mask: u32,
        asked: &[Option<Asked>; WARP],
        sides: [u32; 2],
        meet: u32,
        results: &[Reg],
    ) -> bool {
        let before = self.warps[index].snapshot();
        let rounds = 2 * SAMPLES.div_ceil(mask.count_ones());
        let mut agree = true;
        // What the argument may be divided by: the border over two to this power.
        let mut powers = if sides[1] == meet { 0 } else { u64::MAX };
        for round in 0..rounds {
            let beyond = round % 2 == 1;
            let mut remainders = [None; WARP];
            let mut sizes = [(0.0, 0.0); WARP];
            for (at, lane) in lanes(mask).enumerate() {
                let Some(asked) = asked[lane as usize] else { return false };
                let number = round / 2 * mask.count_ones() + at as u32;
                let Some(sample) = sample(&asked, number, beyond, powers != 0) else { return false };
                self.fill_in(index, lane, &sample);
                let size = sample.argument.1.abs();
                let inferred =
                    (powers != 0).then(|| asked.factor / f64::from(powers.trailing_zeros()).exp2());
                let unit = sample.unit.map(|(_, unit)| unit).or(inferred);
                remainders[lane as usize] = unit.map(|unit| size % unit);
                sizes[lane as usize] = (size, asked.factor);
            }
            let start = self.warps[index].snapshot();
            let [far, near] = sides.map(|side| {
                self.warps[index].restore(&start, mask);
                self.try_side(index, side, meet, mask).then(|| self.warps[index].snapshot())
            });
            agree = match (&far, &near) {
                (Some(far), Some(near)) => lanes(mask).all(|lane| {
                    results.iter().all(|reg| match remainders[lane as usize] {
                        Some(remainder) if beyond => is_number(far.get(*reg, lane), remainder),
                        _ => is_same(far.get(*reg, lane), near.get(*reg, lane)),
                    })
                }),
                _ => false,
            };
            if let (false, Some(near), [result]) = (beyond, &near, results)
                && powers != 0
            {
                for (power, lane) in (0..64).flat_map(|power| lanes(mask).map(move |lane| (power, lane))) {
                    let (size, border) = sizes[lane as usize];
                    let remainder = size % (border / f64::from(power).exp2());
                    powers &= !(u64::from(!is_number(near.get(*result, lane), remainder)) << power);
                }
            }
            let short = sides[1] == meet || asked.iter().flatten().all(|asked| asked.unit.is_some());
            self.warps[index].restore(&before, mask);
            if !agree || !short && (powers == 0 || results.len() != 1) {
                agree = false;
                break;
            }
        }
        agree
    }

    /// Gives every register of a lane that holds something of the argument alone its value there.
    fn fill_in(&mut self, index: usize, lane: u32, sample: &Sample) {
        for at in 0..self.warps[index].register_count() {
            let reg = Reg(at as u32);
            let Value::Symbolic(symbol) = self.warps[index].get(reg, lane) else { continue };
            // A bf16 that was widened is any float here.
            let wide = widened(&self.terms, symbol.term).filter(|_| symbol.kind == SymbolKind::Bits);
            let symbol = wide.map_or(symbol, |number| Symbol::number(Format::F32, number));
            let value = sample.value(&self.terms, symbol.term, &mut { TERM });
            let word = match (symbol.kind, value) {
                (SymbolKind::Number(format), Some(value)) => bits(value, format),
                (SymbolKind::Bits, Some(Quantity::Bits(word))) => Some(word),
                (SymbolKind::Condition, Some(Quantity::Condition(holds))) => Some(holds.into()),
                _ => None,
            };
            if let Some(word) = word {
                self.warps[index].set(reg, lane, Value::Concrete(word));
            }
        }
    }

    /// Runs the lanes of `mask` from `pc` to `meet` without a trace; whether all came there, and read
    /// nothing but local memory and tables that no host can set.
    fn try_side(&mut self, index: usize, pc: u32, meet: u32, mask: u32) -> bool {
        let guards = std::mem::take(&mut self.guards);
        let recorder = self.recorder.take();
        let trace = std::mem::replace(&mut self.trace, Trace::new(0));
        let roundings = std::mem::replace(&mut self.roundings, Roundings::new(self.kernel));
        let (stats, changes, uses) = (self.stats, self.changes, self.symbolic_uses.clone());
        let asked = self.asked_finite.clone();
        let granted = self.granted.clone();
        let faults = self.faults.clone();
        let warp = &self.warps[index];
        let (faulted, step, places) = (warp.faulted, warp.step, (warp.uniforms, warp.stretches));
        let threads = warp.first() as usize..(warp.first() as usize + WARP).min(self.block as usize);
        let locals = self.locals[threads.clone()].to_vec();
        let read: Vec<bool> =
            self.memory.regions.iter_mut().map(|region| std::mem::take(&mut region.read)).collect();

        let (fuel, spinning) = (self.fuel, warp.spinning.len());
        self.fuel = fuel.min(ends::spent(&stats) + FUEL);

        let came = self.run_side(index, pc, meet, mask);

        self.fuel = fuel;
        if self.exhausted == Some(Exhausted::Fuel) {
            self.exhausted = None;
        }

        let strange = |owner| !matches!(owner, Owner::Variable(_) | Owner::Parameters);
        let strays = self.memory.regions.iter().any(|region| region.read && strange(region.owner));
        for (region, read) in self.memory.regions.iter_mut().zip(read) {
            region.read |= read;
        }
        for (local, then) in self.locals[threads].iter_mut().zip(locals) {
            *local = then;
        }
        let warp = &mut self.warps[index];
        let fine = came == mask && warp.faulted == faulted && !strays;
        (warp.faulted, warp.step) = (faulted, step);
        warp.spinning.truncate(spinning);
        (warp.uniforms, warp.stretches) = places;
        (self.guards, self.recorder, self.trace, self.roundings) = (guards, recorder, trace, roundings);
        (self.stats, self.changes, self.symbolic_uses) = (stats, changes, uses);
        self.asked_finite = asked;
        (self.granted, self.faults, self.parked) = (granted, faults, false);
        fine
    }
}

impl Sample {
    /// What a term comes to, if it is made of the argument alone; looks at no more nodes than are left.
    fn value(&self, terms: &Terms, term: Term, left: &mut u32) -> Option<Quantity> {
        *left = left.checked_sub(1)?;
        let asked = [Some(self.argument), self.unit];
        if let Some((_, value)) = asked.into_iter().flatten().find(|(asked, _)| *asked == term) {
            return Some(Quantity::dyadic((value * SCALE) as i64, SCALE.log2() as u32));
        }
        let node = terms.node(term);
        match node {
            Node::Constant(_) => return terms.as_rational(term).map(Quantity::rational),
            Node::Element(_) => return None,
            _ => {}
        }
        let mut values = [(term, Quantity::Unknown); 3];
        for (slot, operand) in values.iter_mut().zip(operands(&node).into_iter().flatten()) {
            *slot = (operand, self.value(terms, operand, left)?);
        }
        let of =
            |term| values.iter().find(|(operand, _)| *operand == term).map_or(Quantity::Unknown, |(_, v)| *v);
        Some(Reals { element: &|_| Quantity::Unknown, constants: &[] }.node(&node, of))
    }
}

/// What a condition asks, if it asks how large a magnitude is.
fn asked(terms: &Terms, condition: Term) -> Option<Asked> {
    match terms.node(condition) {
        Node::Not(inner) => asked(terms, inner).map(|asked| Asked { far: !asked.far, ..asked }),
        Node::Compare(Relation::Less | Relation::LessEqual, smaller, larger) => {
            let one = |of, than, far| {
                let argument = magnitude(terms, of)?;
                let (unit, factor) = multiple(terms, than)?;
                Some(Asked { far, argument, unit, factor })
            };
            one(smaller, larger, false).or_else(|| one(larger, smaller, true))
        }
        _ => None,
    }
}

fn magnitude(terms: &Terms, term: Term) -> Option<Term> {
    match terms.node(term) {
        Node::Unary(Unary::Abs, inner) => match terms.node(inner) {
            Node::Unary(Unary::Neg, inner) => Some(inner),
            _ => Some(inner),
        },
        _ => None,
    }
}

/// A positive number, or that number of times a magnitude.
fn multiple(terms: &Terms, term: Term) -> Option<(Option<Term>, f64)> {
    let number = |term| terms.as_rational(term)?.to_f64().filter(|number| *number > 0.0);
    match terms.node(term) {
        Node::Mul(a, b) => match (magnitude(terms, a), magnitude(terms, b)) {
            (Some(unit), None) => Some((Some(unit), number(b)?)),
            (None, Some(unit)) => Some((Some(unit), number(a)?)),
            _ => None,
        },
        _ => Some((None, number(term)?)),
    }
}

/// Moderate arguments, of either sign, on the near side of the border, or arguments beyond it.
fn sample(asked: &Asked, number: u32, beyond: bool, divides: bool) -> Option<Sample> {
    let spread = |by: u32| f64::from(number * by % 101) / 101.0;
    let unit = asked.unit.map(|unit| (unit, 1.25 + (spread(29) * 16.0).floor() / 64.0));
    if asked.factor <= LARGEST || asked.factor > FARTHEST {
        return None;
    }
    let moderate = match asked.unit {
        None if divides => asked.factor / f64::from(1 << 20) * (1.0 + spread(37) * 127.0),
        _ => 2.0 + spread(37) * 29.0,
    };
    let border = asked.factor * unit.map_or(1.0, |(_, unit)| unit);
    let far = f64::from((border * (1.0 + 7.0 * spread(37))).ceil() as f32).max(border.ceil());
    let size = if beyond { far } else { (f64::from(moderate as f32) * SCALE).floor() / SCALE };
    let sign = if number % 3 == 1 { -1.0 } else { 1.0 };
    Some(Sample { argument: (asked.argument, sign * size), unit })
}

/// A number's bits in a format.
fn bits(value: Quantity, format: Format) -> Option<u64> {
    let interval = value.interval().filter(|_| value.is_finite())?;
    let x = f64::midpoint(interval.low(), interval.high());
    match format {
        Format::S32 | Format::U32 | Format::B32 => Some(u64::from(x as i64 as u32)),
        Format::F32 => Some(u64::from((x as f32).to_bits())),
        Format::F64 => Some(x.to_bits()),
        _ => None,
    }
}

/// Whether two words are the same float up to rounding, or the same number of quadrants. Small integers
/// are no floats that a library computes from moderate arguments.
fn is_same(a: Value, b: Value) -> bool {
    let (Value::Concrete(a), Value::Concrete(b)) = (a, b) else { return false };
    let float = |word: u64| match u32::try_from(word) {
        Ok(word) => f64::from(f32::from_bits(word)),
        Err(_) => f64::from_bits(word),
    };
    let plain = |x: f64| x.is_finite() && x.abs() > 1e-30;
    let (x, y) = (float(a), float(b));
    if plain(x) && plain(y) {
        return (x - y).abs() <= 1e-5 * x.abs().max(1.0);
    }
    a.wrapping_sub(b).is_multiple_of(4)
}

/// Whether a word is a float of that value.
fn is_number(word: Value, number: f64) -> bool {
    let bits = [u64::from((number as f32).to_bits()), number.to_bits()];
    matches!(word, Value::Concrete(word) if bits.contains(&word))
}

fn successors(instr: &Instr, at: u32) -> impl Iterator<Item = u32> {
    let branches = matches!(instr.effect, Effect::Branch);
    let jumps = branches.then_some(instr.target);
    let falls = (!branches || instr.guard.is_some()).then_some(at + 1);
    jumps.into_iter().chain(falls)
}

/// `105,615`.
fn grouped(number: f64) -> String {
    let digits = number.to_string();
    let whole = digits.split('.').next().unwrap_or_default().len();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
