//! Atomics: one lane after the other reads, computes and writes.

use super::access::fit;
use super::bits::{as_number, as_operand, mask as low_bits, operate, plain};
use super::history::Update;
use super::machine::Machine;
use super::ordered_words::FLOATS;
use super::outcome::{AccessKind, FaultKind};
use super::race::{Everybody, lanes};
use crate::base::{Format, FormatClass};
use crate::ir::{Kernel, RegisterKind};
use crate::isa::{Access, AtomicOp, Effect, Scope, Space, Strength};
use crate::term::{BitOp, Symbol, Term, Terms, Value};

/// By what an update changes what it finds.
pub(super) enum By {
    Operands(Vec<Value>),
    /// It leaves that as it is.
    Nothing,
    /// It has made this of what is there, in a way of its own.
    Itself(Value),
}

/// How an update changes what it finds.
pub(super) struct Change {
    pub(super) op: AtomicOp,
    /// What it takes that for.
    pub(super) format: Format,
    pub(super) by: By,
    /// Of how many bytes it is one step, which may be more.
    pub(super) of: u32,
}

impl<'a> Machine<'a> {
    /// Executes an atomic or a reduction.
    pub(super) fn atomic(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        let Effect::Atomic { op, .. } = self.kernel.code[pc as usize].effect else { return };
        self.own_contents(index, pc, mask, access);
        let mask = self.at_each_address(index, pc, mask, access, Machine::atomic);
        let mask = self.follow(index, pc, mask);
        if mask == 0 {
            return;
        }
        self.for_each_batch(index, pc, mask, access, AccessKind::Atomic, |machine, batch| {
            for lane in lanes(batch.mask) {
                machine.atomic_lane(index, pc, lane, op, access, batch.region, batch.offsets[lane as usize]);
            }
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic_lane(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        op: AtomicOp,
        access: Access,
        region: usize,
        offset: u64,
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr).first().copied(), kernel.src(instr));
        let observed = dst.is_some_and(|reg| {
            self.is_read[reg.index()] && !matches!(kernel.registers[reg.index()], RegisterKind::Sink)
        });
        let mut operands: Vec<Value> = src[1..].iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        let (mut op, mut format) = (op, access.format);
        if let Some((own, floats, operand)) = self.as_floats(lane, op, format, operands[0]) {
            (op, format, operands[0]) = (own, floats, operand);
        }
        if format.is_float() && matches!(op, AtomicOp::Max | AtomicOp::Min) {
            self.granted.entry(FLOATS).or_insert((0, pc)).0 += 1;
        }
        let change = Change { op, format, by: By::Operands(operands), of: format.bytes() };
        let Some(old) =
            self.update_lane((index, pc, lane), access.strength, &change, observed, (region, offset))
        else {
            return;
        };
        if let Some(dst) = dst {
            self.warps[index].set(dst, lane, old);
        }
    }

    /// A lane changes what is there in one step. What it gets of it, if it goes on; `observed` says whether it looks.
    pub(super) fn update_lane(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        strength: Strength,
        change: &Change,
        observed: bool,
        (region, offset): (usize, u64),
    ) -> Option<Value> {
        let kernel = self.kernel;
        let (op, format) = (change.op, change.format);
        let bytes = format.bytes();
        if self.memory.regions[region].flights > 0 {
            self.write_under_copies(index, pc, lane, region, offset, bytes);
        }
        let old = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
        let old = self.as_read((index, pc, lane), (Some(region), offset), bytes, old);
        let new = match &change.by {
            By::Operands(operands) => {
                let found = self.found_under_guard(lane, old);
                update_present(&mut self.terms, op, format, found, operands)
            }
            By::Nothing => Some(old),
            By::Itself(new) => Some(*new),
        };
        let Some(new) = new else {
            let why = "the outcome of this atomic depends on input data".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
            return None;
        };
        let new = self.guarded_value(lane, new, old, format);
        self.symbolic_uses[pc as usize] += u64::from(matches!(new, Value::Symbolic(_)));
        self.note_stored((index, pc, lane), (region, offset), new);
        self.signal_place(region, offset, bytes, strength);
        self.changes +=
            u64::from(self.memory.regions[region].cells.write(&mut self.terms, offset, bytes, new));
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        let alone = self.memory.regions[region].space == Space::Shared || self.setup.launch.ctas.len() == 1;
        let kind = (op, format, change.of as u8);
        let narrow = match strength {
            Strength::Strong(Scope::Cta, _) => true,
            // Between CTAs of one cluster it is wide enough; that is not told apart where several clusters run.
            Strength::Strong(Scope::Cluster, _) if self.ranks > 1 => {
                self.setup.launch.ctas.len() > self.ranks as usize
            }
            Strength::Strong(Scope::Cluster, _) => !kernel.clustered,
            _ => false,
        };
        // Each CTA has a shared memory of its own, and of a cluster others can reach it.
        let narrow = narrow && (self.memory.regions[region].space != Space::Shared || self.ranks > 1);
        // What a swap does depends on more.
        let operand = match &change.by {
            By::Operands(operands) if op != AtomicOp::CompareSwap => operands.first().copied(),
            _ => None,
        };
        let update = Some(Update { kind, operand });
        if let Some(tickets) = &mut self.tickets {
            tickets.used = observed;
        }
        self.signal_write((index, pc, lane), (region, offset, bytes), strength, update);
        let old =
            if observed { self.draw_ticket((index, pc, lane), (region, offset), format, old) } else { old };
        for at in (offset..offset + u64::from(bytes)).step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let before = *shadow;
            let everybody = alone.then_some(Everybody { threads: self.block, returned: &self.returned });
            let proxies = self.updates_in_bulk.then(|| {
                let other = |instr: u32| is_bulk_update(kernel, instr);
                self.detector.of_other_proxy(&self.clocks, shadow, &by, other)
            });
            let how = (narrow, observed, false);
            let conflict = self.detector.atomic(&self.clocks, shadow, &by, kind, how, everybody);
            let conflict = proxies.flatten().or(conflict);
            if let Some(conflict) = conflict
                && conflict.observed
                && self.tickets.is_none()
                && !self.is_lock(region, offset)
                && !self.tries(pc)
            {
                self.wants_tickets |= self.setup.unknowable.1 > 0;
                let place = self.region_place(region, at, bytes);
                let other = self.global_thread(conflict.other);
                let why = format!(
                    "the value of this atomic on {} depends on whether {other} comes first",
                    place.text
                );
                self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
                return None;
            }
            // Which comes first is judged with the tickets.
            let conflict = conflict.filter(|conflict| !conflict.observed);
            let conflict = self.sift(pc, &before, &by, AccessKind::Atomic, conflict);
            self.judge(index, pc, (AccessKind::Atomic, region, at), &by, None, conflict);
        }
        Some(old)
    }
}

/// The words of operands, if all are known.
pub(super) fn words(operands: &[Value]) -> Option<Vec<u64>> {
    let word = |value: &Value| match value {
        Value::Concrete(word) => Some(*word),
        Value::Symbolic(_) | Value::Undefined(_) => None,
    };
    operands.iter().map(word).collect()
}

/// Whether an update of known words leaves what it finds.
pub(super) fn leaves(op: AtomicOp, format: Format, word: u64, operands: &[u64]) -> bool {
    let [one, other] = [0, 1].map(|at| operands.get(at).copied().unwrap_or(0));
    low_bits(update_bits(op, format, word, one, other), format.bits()) == word
}

/// Whether an instruction updates memory by a bulk copy.
pub(super) fn is_bulk_update(kernel: &Kernel, instr: u32) -> bool {
    matches!(kernel.code[instr as usize].effect, Effect::Copy(op) if op.updates().is_some())
}

/// The new value of an atomic, which lacks bits if one of the values that it is made of does.
pub(super) fn update_present(
    terms: &mut Terms,
    op: AtomicOp,
    format: Format,
    old: Value,
    operands: &[Value],
) -> Option<Value> {
    let incomplete = |value: &Value| matches!(value, Value::Undefined(_));
    if !incomplete(&old) && !operands.iter().any(incomplete) {
        return update(terms, op, format, old, operands);
    }
    if op == AtomicOp::Exchange {
        return Some(fit(terms, operands[0], format.bits()));
    }
    let present: Vec<Value> = operands.iter().map(|value| terms.present(*value)).collect();
    let before = terms.present(old);
    let new = update(terms, op, format, before, &present)?;
    let parts: Vec<_> =
        [old].iter().chain(operands).flat_map(|value| terms.missing(*value).to_vec()).collect();
    let missing = super::gaps::spread(&parts, low_bits(u64::MAX, format.bits()));
    Some(terms.incomplete(new, missing))
}

/// The new value of an atomic; `None` where it depends on symbolic data in a way that terms do
/// not express.
fn update(terms: &mut Terms, op: AtomicOp, format: Format, old: Value, operands: &[Value]) -> Option<Value> {
    let operand = *operands.first()?;
    if op == AtomicOp::Exchange {
        return Some(fit(terms, operand, format.bits()));
    }
    if let (Value::Concrete(old), Value::Concrete(operand)) = (old, operand)
        && operands.iter().all(|value| matches!(value, Value::Concrete(_)))
        && (!format.is_float() || matches!(format, Format::F32 | Format::F64))
    {
        let other = match operands.get(1) {
            Some(Value::Concrete(bits)) => *bits,
            _ => 0,
        };
        return Some(Value::Concrete(low_bits(update_bits(op, format, old, operand, other), format.bits())));
    }
    let number = |terms: &mut Terms, f: fn(&mut Terms, Term, Term) -> Term| {
        let old = as_number(terms, format, old)?;
        let operand = as_number(terms, format, operand)?;
        let term = f(terms, old, operand);
        Some(Value::Symbolic(Symbol::number(format, term)))
    };
    match op {
        AtomicOp::Add => {
            // Integers add up modulo 2ⁿ whatever their size.
            let old = as_operand(terms, plain(format), old)?;
            let operand = as_operand(terms, plain(format), operand)?;
            Some(Value::Symbolic(Symbol::number(format, terms.add(old, operand))))
        }
        AtomicOp::Multiply => number(terms, Terms::mul),
        AtomicOp::Min => number(terms, Terms::min),
        AtomicOp::Max => number(terms, Terms::max),
        AtomicOp::And => Some(operate(terms, BitOp::And, format.bits(), &[old, operand])),
        AtomicOp::Or => Some(operate(terms, BitOp::Or, format.bits(), &[old, operand])),
        AtomicOp::Xor => Some(operate(terms, BitOp::Xor, format.bits(), &[old, operand])),
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::CompareSwap | AtomicOp::Exchange => None,
    }
}

fn update_bits(op: AtomicOp, format: Format, old: u64, operand: u64, other: u64) -> u64 {
    let signed = |bits: u64| {
        let unused = 64 - format.bits();
        (bits << unused) as i64 >> unused
    };
    let (old, operand) = (low_bits(old, format.bits()), low_bits(operand, format.bits()));
    match (op, format) {
        (AtomicOp::Add, Format::F32) => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(operand as u32)).to_bits())
        }
        (AtomicOp::Add, Format::F64) => (f64::from_bits(old) + f64::from_bits(operand)).to_bits(),
        (AtomicOp::Add, _) => old.wrapping_add(operand),
        (AtomicOp::Multiply, Format::F32) => {
            u64::from((f32::from_bits(old as u32) * f32::from_bits(operand as u32)).to_bits())
        }
        (AtomicOp::Multiply, Format::F64) => (f64::from_bits(old) * f64::from_bits(operand)).to_bits(),
        (AtomicOp::Multiply, _) => old.wrapping_mul(operand),
        (AtomicOp::Min, _) if format.class() == FormatClass::Signed => {
            signed(old).min(signed(operand)) as u64
        }
        (AtomicOp::Max, _) if format.class() == FormatClass::Signed => {
            signed(old).max(signed(operand)) as u64
        }
        (AtomicOp::Min, _) => old.min(operand),
        (AtomicOp::Max, _) => old.max(operand),
        (AtomicOp::And, _) => old & operand,
        (AtomicOp::Or, _) => old | operand,
        (AtomicOp::Xor, _) => old ^ operand,
        (AtomicOp::Inc, _) => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        (AtomicOp::Dec, _) => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        (AtomicOp::Exchange, _) => operand,
        (AtomicOp::CompareSwap, _) => {
            if old == operand {
                other
            } else {
                old
            }
        }
    }
}
