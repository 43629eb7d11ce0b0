//! One warp: registers as structures of arrays, and where its lanes stand.
//!
//! Lanes with the same program counter form a group and step together. The group with the lowest
//! program counter runs first, so that groups meet again as soon as the code lets them; by
//! confluence this choice changes no result. Lanes owe each other nothing: a lane that waits
//! leaves its group and the others go on.

use crate::ir::Reg;
use crate::isa::{Lanes, WARP};
use crate::term::{Symbol, Value};

/// Runnable lanes at one program counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    pub(super) pc: u32,
    pub(super) mask: u32,
}

/// A warp.
pub(super) struct Warp {
    /// Number in the CTA.
    pub(super) index: u32,
    /// Lanes that the block fills.
    pub(super) present: u32,
    /// Lanes that have returned.
    pub(super) exited: u32,
    /// Lanes stopped by a fault.
    pub(super) faulted: u32,
    /// Runnable groups, highest program counter first (the last one runs).
    pub(super) groups: Vec<Group>,
    /// Groups that repeat themselves until memory changes, and the count of changes they saw.
    pub(super) spinning: Vec<(Group, u64)>,
    /// Logical time: executed warp-instructions, aligned at barriers.
    pub(super) step: u32,
    registers: Vec<Register>,
}

/// A register of all lanes.
#[derive(Clone)]
struct Register {
    words: Lanes,
    /// Lanes that hold symbols.
    symbolic: u32,
    /// Lanes that nothing has written.
    undefined: u32,
    /// All present lanes surely hold the same, and something.
    uniform: bool,
}

impl Register {
    const NEW: Register = Register { words: [0; WARP], symbolic: 0, undefined: u32::MAX, uniform: false };

    #[inline]
    fn get(&self, lane: u32) -> Value {
        let (symbolic, undefined) = (self.symbolic >> lane & 1, self.undefined >> lane & 1);
        let word = self.words[lane as usize];
        if symbolic != 0 {
            Value::Symbolic(Symbol::decode(word))
        } else if undefined != 0 {
            Value::Undefined
        } else {
            Value::Concrete(word)
        }
    }

    /// Takes the lanes of `mask` from another register.
    #[inline]
    fn take(&mut self, from: &Register, mask: u32) {
        blend(&mut self.words, &from.words, mask);
        self.symbolic = self.symbolic & !mask | from.symbolic & mask;
        self.undefined = self.undefined & !mask | from.undefined & mask;
    }
}

impl Warp {
    /// A warp with `registers` undefined registers, all present lanes at instruction 0.
    pub(super) fn new(index: u32, present: u32, registers: usize) -> Self {
        Warp {
            index,
            present,
            exited: 0,
            faulted: 0,
            groups: vec![Group { pc: 0, mask: present }],
            spinning: Vec::new(),
            step: 0,
            registers: vec![Register::NEW; registers],
        }
    }

    /// Linear number in the block of lane 0.
    #[inline]
    pub(super) fn first(&self) -> u32 {
        self.index * WARP as u32
    }

    /// Lanes that may still act.
    pub(super) fn alive(&self) -> u32 {
        self.present & !self.exited & !self.faulted
    }

    /// Makes lanes runnable at `pc`, joining a group that is already there.
    pub(super) fn resume(&mut self, pc: u32, mask: u32) {
        if mask == 0 {
            return;
        }
        let at = self.groups.partition_point(|group| group.pc > pc);
        match self.groups.get_mut(at) {
            Some(group) if group.pc == pc => group.mask |= mask,
            _ => self.groups.insert(at, Group { pc, mask }),
        }
    }

    #[inline]
    fn register(&self, reg: Reg) -> &Register {
        &self.registers[reg.0 as usize]
    }

    /// Raw bits of a register's lanes.
    #[inline]
    pub(super) fn lanes(&self, reg: Reg) -> &Lanes {
        &self.register(reg).words
    }

    /// Lanes of a register that hold symbols.
    #[inline]
    pub(super) fn symbolic(&self, reg: Reg) -> u32 {
        self.register(reg).symbolic
    }

    /// Lanes of a register that nothing has written.
    #[inline]
    pub(super) fn undefined(&self, reg: Reg) -> u32 {
        self.register(reg).undefined
    }

    /// Lanes of a register that do not hold concrete bits.
    #[inline]
    pub(super) fn special(&self, reg: Reg) -> u32 {
        let register = self.register(reg);
        register.symbolic | register.undefined
    }

    /// Lanes of some registers that do not hold concrete bits, and whether all are uniform.
    #[inline]
    pub(super) fn kinds(&self, registers: &[Reg]) -> (u32, bool) {
        registers.iter().fold((0, true), |(special, uniform), reg| {
            let register = self.register(*reg);
            (special | register.symbolic | register.undefined, uniform & register.uniform)
        })
    }

    /// The value in all lanes of a register, if it is surely the same.
    #[inline]
    pub(super) fn uniform(&self, reg: Reg) -> Option<Value> {
        let register = self.register(reg);
        register.uniform.then(|| register.get(0))
    }

    /// Says that all present lanes of a register hold the same concrete bits.
    #[inline]
    pub(super) fn mark_uniform(&mut self, reg: Reg) {
        debug_assert!(super::race::lanes(self.present).all(|lane| self.get(reg, lane) == self.get(reg, 0)));
        self.registers[reg.0 as usize].uniform = true;
    }

    /// Sets all lanes of a register.
    #[inline]
    pub(super) fn fill(&mut self, reg: Reg, value: Value) {
        let (word, symbolic, undefined) = encode(value, u32::MAX);
        self.registers[reg.0 as usize] =
            Register { words: [word; WARP], symbolic, undefined, uniform: undefined == 0 };
    }

    /// One lane of a register.
    #[inline]
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        self.register(reg).get(lane)
    }

    /// Sets one lane of a register.
    #[inline]
    pub(super) fn set(&mut self, reg: Reg, lane: u32, value: Value) {
        let bit = 1 << lane;
        let (word, symbolic, undefined) = encode(value, bit);
        let register = &mut self.registers[reg.0 as usize];
        register.uniform = false;
        register.words[lane as usize] = word;
        register.symbolic = register.symbolic & !bit | symbolic;
        register.undefined = register.undefined & !bit | undefined;
    }

    /// Sets the lanes of `mask` to concrete bits.
    #[inline]
    pub(super) fn set_concrete(&mut self, reg: Reg, mask: u32, words: &Lanes) {
        let register = &mut self.registers[reg.0 as usize];
        if mask == u32::MAX {
            register.words = *words;
        } else {
            blend(&mut register.words, words, mask);
        }
        register.symbolic &= !mask;
        register.undefined &= !mask;
        register.uniform = false;
    }

    /// Sets the lanes of `mask` to symbols, given by their encodings.
    #[inline]
    pub(super) fn set_symbolic(&mut self, reg: Reg, mask: u32, codes: &Lanes) {
        let register = &mut self.registers[reg.0 as usize];
        blend(&mut register.words, codes, mask);
        register.symbolic |= mask;
        register.undefined &= !mask;
        register.uniform = false;
    }

    /// Copies the lanes of `mask` between registers, whatever they hold.
    #[inline]
    pub(super) fn copy(&mut self, to: Reg, from: Reg, mask: u32) {
        let (to, from) = (to.0 as usize, from.0 as usize);
        let uniform = mask == self.present && self.registers[from].uniform;
        match self.registers.get_disjoint_mut([to, from]) {
            Ok([to, from]) if mask == u32::MAX => to.clone_from(from),
            Ok([to, from]) => {
                to.take(from, mask);
                to.uniform = uniform;
            }
            Err(_) => {} // a register is copied to itself
        }
    }

    /// A copy of all registers.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { registers: self.registers.clone() }
    }

    /// Puts the lanes of `mask` back to what they were.
    pub(super) fn restore(&mut self, then: &Snapshot, mask: u32) {
        for (now, then) in self.registers.iter_mut().zip(&then.registers) {
            now.take(then, mask);
            now.uniform = false;
        }
    }

    /// Lanes on which a register differs from what it was.
    pub(super) fn differs(&self, then: &Snapshot, reg: Reg) -> u32 {
        let (now, then) = (self.register(reg), &then.registers[reg.0 as usize]);
        let kinds = (now.symbolic ^ then.symbolic) | (now.undefined ^ then.undefined);
        let words = now.words.iter().zip(&then.words).enumerate();
        words.fold(kinds, |mask, (lane, (now, then))| mask | u32::from(now != then) << lane)
    }

    /// How many registers there are.
    pub(super) fn register_count(&self) -> usize {
        self.registers.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.registers.len() * size_of::<Register>()) as u64
    }
}

/// Registers as they were.
pub(super) struct Snapshot {
    registers: Vec<Register>,
}

impl Snapshot {
    /// One lane of a register.
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        self.registers[reg.0 as usize].get(lane)
    }
}

/// A value as a word, and the lanes of `mask` if it is a symbol or undefined.
#[inline]
fn encode(value: Value, mask: u32) -> (u64, u32, u32) {
    match value {
        Value::Concrete(bits) => (bits, 0, 0),
        Value::Symbolic(symbol) => (symbol.encode(), mask, 0),
        Value::Undefined => (0, 0, mask),
    }
}

#[inline]
fn blend(into: &mut Lanes, from: &Lanes, mask: u32) {
    for lane in 0..WARP {
        let keep = (mask >> lane & 1).wrapping_sub(1);
        let keep = u64::from(keep) | u64::from(keep) << 32;
        into[lane] = into[lane] & keep | from[lane] & !keep;
    }
}
