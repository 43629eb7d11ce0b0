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
    registers: Vec<Lanes>,
    symbolic: Vec<u32>,
    undefined: Vec<u32>,
    /// Registers whose present lanes surely hold the same, concrete or symbolic.
    uniform: Vec<bool>,
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
            registers: vec![[0; WARP]; registers],
            symbolic: vec![0; registers],
            undefined: vec![u32::MAX; registers],
            uniform: vec![false; registers],
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

    /// Raw bits of a register's lanes.
    #[inline]
    pub(super) fn lanes(&self, reg: Reg) -> &Lanes {
        &self.registers[reg.0 as usize]
    }

    /// Lanes of a register that hold symbols.
    #[inline]
    pub(super) fn symbolic(&self, reg: Reg) -> u32 {
        self.symbolic[reg.0 as usize]
    }

    /// Lanes of a register that nothing has written.
    #[inline]
    pub(super) fn undefined(&self, reg: Reg) -> u32 {
        self.undefined[reg.0 as usize]
    }

    /// Lanes of a register that do not hold concrete bits.
    #[inline]
    pub(super) fn special(&self, reg: Reg) -> u32 {
        self.symbolic(reg) | self.undefined(reg)
    }

    /// Whether all present lanes of a register surely hold the same, and something.
    #[inline]
    pub(super) fn is_uniform(&self, reg: Reg) -> bool {
        self.uniform[reg.0 as usize]
    }

    /// Says that all present lanes of a register hold the same concrete bits.
    #[inline]
    pub(super) fn mark_uniform(&mut self, reg: Reg) {
        debug_assert!(super::race::lanes(self.present).all(|lane| self.get(reg, lane) == self.get(reg, 0)));
        self.uniform[reg.0 as usize] = true;
    }

    /// Sets all lanes of a register.
    #[inline]
    pub(super) fn fill(&mut self, reg: Reg, value: Value) {
        let at = reg.0 as usize;
        let (word, symbolic, undefined) = match value {
            Value::Concrete(bits) => (bits, 0, 0),
            Value::Symbolic(symbol) => (symbol.encode(), u32::MAX, 0),
            Value::Undefined => (0, 0, u32::MAX),
        };
        self.registers[at] = [word; WARP];
        self.symbolic[at] = symbolic;
        self.undefined[at] = undefined;
        self.uniform[at] = undefined == 0;
    }

    /// One lane of a register.
    #[inline]
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        let at = reg.0 as usize;
        value_of(
            self.registers[at][lane as usize],
            self.symbolic[at] >> lane & 1,
            self.undefined[at] >> lane & 1,
        )
    }

    /// Sets one lane of a register.
    #[inline]
    pub(super) fn set(&mut self, reg: Reg, lane: u32, value: Value) {
        let (at, bit) = (reg.0 as usize, 1 << lane);
        let (word, symbolic, undefined) = match value {
            Value::Concrete(bits) => (bits, 0, 0),
            Value::Symbolic(symbol) => (symbol.encode(), bit, 0),
            Value::Undefined => (0, 0, bit),
        };
        self.uniform[at] = false;
        self.registers[at][lane as usize] = word;
        self.symbolic[at] = self.symbolic[at] & !bit | symbolic;
        self.undefined[at] = self.undefined[at] & !bit | undefined;
    }

    /// Sets the lanes of `mask` to concrete bits.
    #[inline]
    pub(super) fn set_concrete(&mut self, reg: Reg, mask: u32, words: &Lanes) {
        let at = reg.0 as usize;
        if mask == u32::MAX {
            self.registers[at] = *words;
        } else {
            blend(&mut self.registers[at], words, mask);
        }
        self.symbolic[at] &= !mask;
        self.undefined[at] &= !mask;
        self.uniform[at] = false;
    }

    /// Sets the lanes of `mask` to symbols, given by their encodings.
    #[inline]
    pub(super) fn set_symbolic(&mut self, reg: Reg, mask: u32, codes: &Lanes) {
        let at = reg.0 as usize;
        blend(&mut self.registers[at], codes, mask);
        self.symbolic[at] |= mask;
        self.undefined[at] &= !mask;
        self.uniform[at] = false;
    }

    /// Copies the lanes of `mask` between registers, whatever they hold.
    #[inline]
    pub(super) fn copy(&mut self, to: Reg, from: Reg, mask: u32) {
        let (to, from) = (to.0 as usize, from.0 as usize);
        self.uniform[to] = mask == self.present && self.uniform[from];
        if mask == u32::MAX {
            self.registers[to] = self.registers[from];
            self.symbolic[to] = self.symbolic[from];
            self.undefined[to] = self.undefined[from];
            return;
        }
        let words = self.registers[from];
        blend(&mut self.registers[to], &words, mask);
        self.symbolic[to] = self.symbolic[to] & !mask | self.symbolic[from] & mask;
        self.undefined[to] = self.undefined[to] & !mask | self.undefined[from] & mask;
    }

    /// A copy of all registers.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            registers: self.registers.clone(),
            symbolic: self.symbolic.clone(),
            undefined: self.undefined.clone(),
        }
    }

    /// Puts the lanes of `mask` back to what they were.
    pub(super) fn restore(&mut self, then: &Snapshot, mask: u32) {
        for at in 0..self.registers.len() {
            self.uniform[at] = false;
            blend(&mut self.registers[at], &then.registers[at], mask);
            self.symbolic[at] = self.symbolic[at] & !mask | then.symbolic[at] & mask;
            self.undefined[at] = self.undefined[at] & !mask | then.undefined[at] & mask;
        }
    }

    /// Lanes on which a register differs from what it was.
    pub(super) fn differs(&self, then: &Snapshot, reg: Reg) -> u32 {
        let at = reg.0 as usize;
        let kinds = (self.symbolic[at] ^ then.symbolic[at]) | (self.undefined[at] ^ then.undefined[at]);
        let words = self.registers[at].iter().zip(&then.registers[at]).enumerate();
        words.fold(kinds, |mask, (lane, (now, then))| mask | u32::from(now != then) << lane)
    }

    /// How many registers there are.
    pub(super) fn register_count(&self) -> usize {
        self.registers.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.registers.len() * (size_of::<Lanes>() + 8)) as u64
    }
}

/// Registers as they were.
pub(super) struct Snapshot {
    registers: Vec<Lanes>,
    symbolic: Vec<u32>,
    undefined: Vec<u32>,
}

impl Snapshot {
    /// One lane of a register.
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        let at = reg.0 as usize;
        value_of(
            self.registers[at][lane as usize],
            self.symbolic[at] >> lane & 1,
            self.undefined[at] >> lane & 1,
        )
    }
}

#[inline]
fn value_of(word: u64, symbolic: u32, undefined: u32) -> Value {
    if symbolic != 0 {
        Value::Symbolic(Symbol::decode(word))
    } else if undefined != 0 {
        Value::Undefined
    } else {
        Value::Concrete(word)
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
