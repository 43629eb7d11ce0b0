//! One instruction, for the one thread that stands for all.

use super::Stop;
use super::poly::{Condition, Poly};
use super::prover::{Access, Kind, Prover, State, Value};
use super::unknowns::Scope;
use super::words::{At, Meant};
use crate::base::Format;
use crate::ir::{Instr, Reg, RegisterKind};
use crate::isa::{self, BarrierOp, CopyOp, Effect, Forbidden, Lanewise, MatrixOp, Meaning, Space, Strength};
use crate::term::{Relation, Term, Terms};

impl Prover<'_> {
    pub(super) fn value(&self, state: &State, reg: Reg) -> Value {
        match &state.registers[reg.0 as usize] {
            Value::Undefined => Value::Data(Scope::Thread),
            value => value.clone(),
        }
    }

    fn scope_of_value(&self, value: &Value) -> Scope {
        match value {
            Value::Undefined => Scope::Thread,
            Value::Number(poly) => self.table.scope(poly),
            Value::Truth(condition) => self.table.scope_of(condition),
            Value::Data(scope) => *scope,
        }
    }

    /// The condition that a predicate holds.
    pub(super) fn truth(&mut self, state: &State, reg: Reg) -> Condition {
        match self.value(state, reg) {
            Value::Truth(condition) => condition,
            Value::Number(poly) if poly.value().is_some() => {
                if poly.value() == Some(0) {
                    Condition::False
                } else {
                    Condition::True
                }
            }
            other => {
                let scope = self.scope_of_value(&other);
                self.any_truth(scope)
            }
        }
    }

    /// The condition under which an instruction is executed.
    pub(super) fn guard(&mut self, state: &mut State, instr: &Instr) -> Condition {
        let Some(guard) = instr.guard else { return Condition::True };
        let condition = self.truth(state, guard.predicate);
        // Whoever asks again gets the same answer.
        state.registers[guard.predicate.0 as usize] = Value::Truth(condition.clone());
        match guard.negated {
            false => condition,
            true => condition.not().unwrap_or_else(|| self.any_truth(Scope::Thread)),
        }
    }

    /// Executes an instruction that does not end a block.
    pub(super) fn step(&mut self, state: &mut State, pc: u32) -> Result<(), Stop> {
        let instr = &self.kernel.code[pc as usize];
        let guard = self.guard(state, instr);
        if guard == Condition::False {
            return Ok(());
        }
        let length = state.path.len();
        if guard != Condition::True {
            state.path.push(guard.clone());
        }
        let done = self.effect(state, instr, pc);
        state.path.truncate(length);
        for (reg, value) in done? {
            let value = match guard {
                Condition::True => value,
                _ => self.merged(&guard, value, state.registers[reg.0 as usize].clone()),
            };
            state.registers[reg.0 as usize] = value;
        }
        Ok(())
    }

    /// `if condition then new else old`
    fn merged(&mut self, condition: &Condition, new: Value, old: Value) -> Value {
        if new == old && !matches!(new, Value::Data(_)) {
            return new;
        }
        let scope = self.table.scope_of(condition).max(self.scope_of_value(&new));
        let Some(other) = condition.not() else { return Value::Data(Scope::Thread) };
        match (new, old) {
            // Whoever reads it without the guard reads what nobody wrote.
            (new, Value::Undefined) => new,
            (Value::Number(new), Value::Number(old)) => {
                let chosen = self.choose(vec![(condition.clone(), new), (other, old)]);
                chosen.map_or(Value::Data(Scope::Thread), Value::Number)
            }
            (Value::Truth(new), Value::Truth(old)) => Value::Truth(Condition::any([
                Condition::all([condition.clone(), new]),
                Condition::all([other, old]),
            ])),
            (_, old) => Value::Data(scope.max(self.scope_of_value(&old))),
        }
    }

    fn effect(&mut self, state: &State, instr: &Instr, pc: u32) -> Result<Vec<(Reg, Value)>, Stop> {
        let kernel = self.kernel;
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let of = |prover: &Self, reg: Reg| prover.value(state, reg);
        // What the lanes of a warp make together is different for each thread.
        let each = |prover: &mut Self| -> Vec<(Reg, Value)> {
            dst.iter().map(|reg| (*reg, prover.anything_for(*reg, Scope::Thread))).collect()
        };
        Ok(match &instr.effect {
            Effect::Lanewise(lanes) => {
                let at = At { pc, path: &state.path };
                let sources: Vec<Value> = src.iter().map(|reg| of(self, *reg)).collect();
                self.lanewise(lanes, &sources, dst, at)
            }
            Effect::Move { .. } => match (dst, src) {
                ([to, ..], [from, ..]) => vec![(*to, of(self, *from))],
                _ => Vec::new(),
            },
            Effect::ToGeneric(space) | Effect::FromGeneric(space) => match (dst, src) {
                ([to, ..], [from, ..]) => {
                    let generic = matches!(instr.effect, Effect::ToGeneric(_));
                    vec![(*to, self.window(of(self, *from), *space, generic))]
                }
                _ => Vec::new(),
            },
            Effect::Pack { .. } | Effect::Unpack { .. } => {
                let scope = src.iter().map(|reg| self.scope_of_value(&of(self, *reg))).max();
                dst.iter().map(|reg| (*reg, Value::Data(scope.unwrap_or(Scope::Launch)))).collect()
            }
            Effect::IsSpace(_) => each(self),
            Effect::Load(access) if access.space == Space::Param => {
                self.parameter(state, instr, pc, *access, dst, src)
            }
            Effect::Load(access) => {
                self.access(state, instr, pc, *access, Kind::Read)?;
                let known = access.format.integers().is_some() || access.format == Format::B32;
                dst.iter()
                    .map(|reg| {
                        let value = match known {
                            true => Value::Number(self.anything(access.format, Scope::Thread)),
                            false => Value::Data(Scope::Thread),
                        };
                        (*reg, value)
                    })
                    .collect()
            }
            Effect::Store(access) => {
                self.access(state, instr, pc, *access, Kind::Write)?;
                Vec::new()
            }
            Effect::Atomic { op, access } => {
                let Strength::Strong(reach, _) = access.strength else {
                    return Err(self.stop(pc, "an atomic that orders nothing"));
                };
                self.access(state, instr, pc, *access, Kind::Update(*op, access.format, reach))?;
                each(self)
            }
            Effect::Forbidden(Forbidden::Print)
            | Effect::WarpSync
            | Effect::Fence(..)
            | Effect::Claim(_)
            | Effect::Nothing
            | Effect::Copy(CopyOp::Prefetch) => Vec::new(),
            Effect::Shuffle(_)
            | Effect::Vote(_)
            | Effect::Match { .. }
            | Effect::Redux { .. }
            | Effect::ActiveMask
            | Effect::Elect
            | Effect::ReadClock
            | Effect::Response(_)
            | Effect::Matrix(MatrixOp::Multiply(_) | MatrixOp::Transpose) => each(self),
            Effect::Barrier { .. } if !self.has_known_number(state, src) => {
                return Err(self.stop(pc, "a barrier whose number is computed"));
            }
            Effect::Barrier { op, .. } => match op {
                BarrierOp::Sync { counted: false } => Vec::new(),
                // All threads get the same.
                BarrierOp::Reduce { counted: false, .. } => {
                    dst.iter().map(|reg| (*reg, self.anything_for(*reg, Scope::Cta))).collect()
                }
                _ => return Err(self.stop(pc, "a barrier for some of the threads of a CTA")),
            },
            Effect::Matrix(_) => return Err(self.stop(pc, "a matrix that a warp loads or stores together")),
            Effect::TensorMemory(_) => return Err(self.stop(pc, "tensor memory")),
            Effect::Copy(_) => return Err(self.stop(pc, "a copy that runs in the background")),
            Effect::Phaser(_) => return Err(self.stop(pc, "a barrier object in shared memory")),
            Effect::Cluster(_) => return Err(self.stop(pc, "CTAs that form a cluster")),
            Effect::Fetch(_) | Effect::Inquire(_) | Effect::SurfacePlace(_) | Effect::IsView(_) => {
                return Err(self.stop(pc, "a texture or a surface"));
            }
            Effect::Branch | Effect::BranchIndexed | Effect::Exit | Effect::Forbidden(_) => Vec::new(),
            Effect::Unsupported => return Err(self.stop(pc, kernel.note(pc))),
        })
    }

    /// Whether a barrier's number, its first source, is one of the sixteen.
    fn has_known_number(&self, state: &State, src: &[Reg]) -> bool {
        match src.first().map(|reg| self.value(state, *reg)) {
            Some(Value::Number(poly)) => poly.value().is_some_and(|number| (0..16).contains(&number)),
            _ => false,
        }
    }

    /// Anything that a register can hold.
    fn anything_for(&mut self, reg: Reg, scope: Scope) -> Value {
        match self.kernel.registers[reg.0 as usize] {
            RegisterKind::Virtual { bits: 1 } => Value::Truth(self.any_truth(scope)),
            RegisterKind::Virtual { bits: 32 } => Value::Number(self.anything(Format::S32, scope)),
            _ => Value::Data(scope),
        }
    }

    /// An address in another window.
    fn window(&self, value: Value, space: Space, generic: bool) -> Value {
        let Value::Number(poly) = value else { return value };
        let other = |unknown| {
            let memory =
                self.memories.iter().find(|memory| memory.bases[usize::from(!generic)] == unknown)?;
            (memory.space == space || space == Space::Generic)
                .then(|| Poly::unknown(memory.bases[usize::from(generic)]))
        };
        poly.put_in(&other).map_or(Value::Data(Scope::Thread), Value::Number)
    }

    fn parameter(
        &mut self,
        state: &State,
        instr: &Instr,
        pc: u32,
        access: isa::Access,
        dst: &[Reg],
        src: &[Reg],
    ) -> Vec<(Reg, Value)> {
        let place = match src.first().map(|reg| self.value(state, *reg)) {
            Some(Value::Number(poly)) => poly.value().map(|at| at + i128::from(instr.offset)),
            _ => None,
        };
        let size = access.format.bytes();
        let mut values = Vec::new();
        for (at, reg) in dst.iter().enumerate() {
            let from = place.map(|place| place + at as i128 * i128::from(size));
            let known = self.parameters.iter().find(|(offset, bytes, _)| {
                from == Some(i128::from(*offset)) && (*bytes == size || size < *bytes)
            });
            let value = match known.map(|(_, bytes, value)| (*bytes, value.clone())) {
                // Of a part, or in a wider register, the number in that format counts.
                Some((bytes, Value::Number(poly))) if bytes != size || self.bits(*reg) > size * 8 => {
                    let at = At { pc, path: &state.path };
                    let number = access
                        .format
                        .integers()
                        .or(Some([0, 0]))
                        .and_then(|_| self.number(&poly, access.format, at));
                    number.map_or(Value::Data(Scope::Launch), Value::Number)
                }
                Some((bytes, value)) if bytes == size => value,
                _ if access.format.is_float() || size > 4 => Value::Data(Scope::Launch),
                _ => Value::Number(self.anything(access.format, Scope::Launch)),
            };
            values.push((*reg, value));
        }
        values
    }

    /// Notes an access.
    fn access(
        &mut self,
        state: &State,
        instr: &Instr,
        pc: u32,
        access: isa::Access,
        kind: Kind,
    ) -> Result<(), Stop> {
        let kernel = self.kernel;
        let address = kernel.src(instr).first().map(|reg| self.value(state, *reg));
        let address = match address {
            Some(Value::Number(poly)) => poly.offset(instr.offset.into()),
            _ => None,
        };
        let Some(address) = address else {
            return Err(self.stop(pc, "the address depends on data, or is no polynomial of indices"));
        };
        let mut bases = address.terms().filter_map(|(monomial, coefficient)| {
            let own = |unknown| self.memories.iter().position(|memory| memory.bases.contains(unknown));
            let memory = monomial.iter().find_map(own)?;
            Some((memory, (monomial.len() == 1 && coefficient == 1).then(|| monomial[0])))
        });
        let (memory, base) = match (bases.next(), bases.next()) {
            (Some((memory, Some(base))), None) => (memory, base),
            (None, None) => {
                return Err(self.stop(pc, "the address is not that of a tensor or a variable"));
            }
            _ => return Err(self.stop(pc, "the address mixes those of several tensors or variables")),
        };
        let at = &self.memories[memory];
        let own = access.space == at.space && base == at.bases[0];
        let generic = access.space == Space::Generic && base == at.bases[1];
        if !own && !generic {
            return Err(self.stop(pc, "an address of another state space"));
        }
        let Some(offset) = address.plus(&Poly::unknown(base), -1) else {
            return Err(self.stop(pc, "the address is too large an expression"));
        };
        let elements = i128::from(access.vector.max(1));
        self.seen.accesses.push(Access {
            pc,
            memory,
            offset,
            bytes: i128::from(access.format.bytes()) * elements,
            kind,
            stale: access.strength == Strength::NonCoherent,
            path: state.path.clone(),
        });
        Ok(())
    }

    fn lanewise(
        &mut self,
        lanes: &Lanewise,
        sources: &[Value],
        dst: &[Reg],
        at: At<'_>,
    ) -> Vec<(Reg, Value)> {
        let scope = sources.iter().map(|value| self.scope_of_value(value)).max().unwrap_or(Scope::Launch);
        let first = self.meaning(lanes, sources, at);
        let mut results = Vec::new();
        for (index, reg) in dst.iter().enumerate() {
            let value = match (&first, index) {
                // In a wider register, the number in the format of the result counts.
                (Some(Value::Number(poly)), 0) if self.bits(*reg) > lanes.dst.bits() => {
                    let number = self.number(poly, lanes.dst, at);
                    number.map_or(Value::Data(scope), Value::Number)
                }
                (Some(value), 0) => value.clone(),
                // The second predicate of a comparison is the negation of the first.
                (Some(Value::Truth(condition)), 1) => match condition.not() {
                    Some(negated) => Value::Truth(negated),
                    None => Value::Truth(self.any_truth(scope)),
                },
                _ => match self.kernel.registers[reg.0 as usize] {
                    RegisterKind::Virtual { bits: 1 } => Value::Truth(self.any_truth(scope)),
                    _ => Value::Data(scope),
                },
            };
            results.push((*reg, value));
        }
        results
    }

    fn meaning(&mut self, lanes: &Lanewise, sources: &[Value], at: At<'_>) -> Option<Value> {
        let count = usize::from(lanes.sources);
        let sources = &sources[..count.min(sources.len())];
        let predicate = Format::B8;
        let integers = |formats: &[Format]| formats.iter().all(|format| !format.is_float());
        match lanes.meaning {
            Meaning::Select => {
                let [a, b, Value::Truth(condition)] = sources else { return None };
                let (Value::Number(a), Value::Number(b)) = (a, b) else { return None };
                let other = condition.not()?;
                let chosen = self.choose(vec![(condition.clone(), a.clone()), (other, b.clone())])?;
                Some(Value::Number(chosen))
            }
            Meaning::Convert if integers(&[lanes.dst, lanes.src[0]]) => {
                let Value::Number(a) = &sources[0] else { return None };
                let read = self.number(a, lanes.src[0], at)?;
                Some(Value::Number(self.number(&read, lanes.dst, at)?))
            }
            Meaning::Bits(op) => {
                let [Value::Number(a), rest @ ..] = sources else { return None };
                let b = match rest {
                    [Value::Number(b), ..] => b.clone(),
                    [] => Poly::default(),
                    _ => return None,
                };
                Some(Value::Number(self.word(op, lanes.dst.bits(), [a, &b], at)?))
            }
            Meaning::Real(meaning) | Meaning::Compare(meaning) | Meaning::Logic(meaning) => {
                let logic = matches!(lanes.meaning, Meaning::Logic(_));
                if !logic && !integers(&lanes.src[..count]) || lanes.dst != predicate && lanes.dst.is_float()
                {
                    return None;
                }
                let meaning = |terms: &mut Terms, s: &[Term]| Some(meaning(terms, s));
                self.by_term(lanes, &meaning, sources, at)
            }
            Meaning::Partial(meaning) | Meaning::Rearrange(_, meaning) => {
                if !integers(&lanes.src[..count]) || lanes.dst.is_float() {
                    return None;
                }
                self.by_term(lanes, &meaning, sources, at)
            }
            Meaning::Convert | Meaning::Carry(_) | Meaning::Table | Meaning::Dot { .. } | Meaning::None => {
                None
            }
        }
    }

    /// What the term says that an instruction makes of its sources.
    fn by_term(
        &mut self,
        lanes: &Lanewise,
        meaning: &dyn Fn(&mut Terms, &[Term]) -> Option<Term>,
        sources: &[Value],
        at: At<'_>,
    ) -> Option<Value> {
        let mut terms = Terms::new();
        let mut stand = Vec::new();
        let mut meant = Vec::new();
        // Whether two words are equal is that of the numbers that they hold, with a sign or without.
        let compares = matches!(lanes.meaning, Meaning::Compare(_));
        for (index, source) in sources.iter().enumerate() {
            let element = Term::element(index as u32);
            match source {
                Value::Number(poly) => {
                    let format = lanes.src[index];
                    let number = match format.integers() {
                        Some(_) => self.number(poly, format, at)?,
                        None if compares => self.number(poly, format.as_integer(true), at)?,
                        None => poly.clone().modulo(format.bits()),
                    };
                    match number.value() {
                        Some(value) => stand.push(terms.integer(value)),
                        None => stand.push(element),
                    }
                    meant.push(Meant::Number(number));
                }
                Value::Truth(condition) => {
                    stand.push(terms.compare(Relation::Less, Term::ZERO, element));
                    meant.push(Meant::Truth(condition.clone()));
                }
                Value::Undefined | Value::Data(_) => return None,
            }
        }
        let term = meaning(&mut terms, &stand)?;
        Some(match self.meant(&terms, term, &meant, at)? {
            Meant::Number(poly) => Value::Number(poly.modulo(lanes.dst.bits())),
            Meant::Truth(condition) => Value::Truth(condition),
        })
    }
}
