//! One warp: registers as structures of arrays, and where its lanes stand.
//!
//! Lanes with the same program counter form a group and step together. The group with the lowest
//! program counter runs first, so that groups meet again as soon as the code lets them; by
//! confluence this choice changes no result. Lanes owe each other nothing: a lane that waits
//! leaves its group and the others go on.

use super::repeats::{Answer, Question};
use crate::ir::Reg;
use crate::isa::{LaneFn, Lanes, WARP};
use crate::term::{Gap, Symbol, Value};

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
    /// How many those are.
    pub(super) threads: u32,
    /// Lanes that have returned.
    pub(super) exited: u32,
    /// Lanes stopped by a fault.
    pub(super) faulted: u32,
    /// Lanes have gone different ways since all last met. That they stand at one instruction again is our doing.
    pub(super) parted: bool,
    /// Runnable groups, highest program counter first (the last one runs).
    pub(super) groups: Vec<Group>,
    /// Groups that repeat themselves until memory changes, and the count of changes they saw.
    pub(super) spinning: Vec<(Group, u64)>,
    /// Groups that look at memory again once nobody else can go on.
    pub(super) polling: Vec<Group>,
    /// Logical time: executed warp-instructions, aligned at barriers.
    pub(super) step: u32,
    /// Uniform instructions on symbols so far, which [`super::repeats`] counts.
    pub(super) uniforms: u32,
    /// Straight stretches so far, which [`super::stretches`] counts.
    pub(super) stretches: u32,
    registers: Registers,
}

/// What is known of a register's lanes. Kept apart from their words: of registers that hold the same
/// in all lanes, which most instructions work on, this is all that is looked at.
#[derive(Clone, Copy)]
struct Head {
    /// The word of all lanes, where they hold the same.
    word: u64,
    /// Lanes that hold symbols.
    symbolic: u32,
    /// Lanes of which some bits were never written; their words are the numbers of gaps.
    undefined: u32,
    /// All present lanes surely hold the same, and something.
    uniform: bool,
    /// `word` holds for all lanes, and their own words are out of date.
    folded: bool,
    /// Where the lanes' own words are.
    slot: u32,
}

/// All registers. One slot more than there are registers takes the result of an instruction, and then
/// changes places with its destination's: copying words costs as much as computing them.
#[derive(Clone)]
struct Registers {
    heads: Vec<Head>,
    words: Vec<Lanes>,
    spare: u32,
}

impl Registers {
    /// So many, which nothing has written: each with a gap of its own.
    fn new(gaps: &[Gap]) -> Self {
        let count = gaps.len();
        let new = Head { word: 0, symbolic: 0, undefined: u32::MAX, uniform: false, folded: true, slot: 0 };
        let head = |(at, gap): (usize, &Gap)| Head { word: u64::from(gap.raw()), slot: at as u32, ..new };
        let heads = gaps.iter().enumerate().map(head).collect();
        Registers { heads, words: vec![[0; WARP]; count + 1], spare: count as u32 }
    }

    #[inline]
    fn head(&self, reg: Reg) -> &Head {
        &self.heads[reg.0 as usize]
    }

    #[inline]
    fn word(&self, reg: Reg, lane: u32) -> u64 {
        let head = self.head(reg);
        if head.folded { head.word } else { self.words[head.slot as usize][lane as usize] }
    }

    fn all(&self, reg: Reg) -> Lanes {
        let head = self.head(reg);
        if head.folded { [head.word; WARP] } else { self.words[head.slot as usize] }
    }

    /// Brings the words of all lanes up to date.
    #[inline]
    fn unfold(&mut self, reg: Reg) -> (&mut Head, &mut Lanes) {
        let head = &mut self.heads[reg.0 as usize];
        let words = &mut self.words[head.slot as usize];
        if head.folded {
            *words = [head.word; WARP];
            head.folded = false;
        }
        (head, words)
    }

    #[inline]
    fn get(&self, reg: Reg, lane: u32) -> Value {
        let head = self.head(reg);
        let word = self.word(reg, lane);
        if head.symbolic >> lane & 1 != 0 {
            Value::Symbolic(Symbol::decode(word))
        } else if head.undefined >> lane & 1 != 0 {
            Value::Undefined(Gap::from_raw(word as u32))
        } else {
            Value::Concrete(word)
        }
    }
}

impl Warp {
    /// A warp whose registers hold these gaps, all present lanes at instruction 0.
    pub(super) fn new(index: u32, present: u32, registers: &[Gap]) -> Self {
        Warp {
            index,
            present,
            threads: present.count_ones(),
            exited: 0,
            faulted: 0,
            parted: false,
            groups: vec![Group { pc: 0, mask: present }],
            spinning: Vec::new(),
            polling: Vec::new(),
            step: 0,
            uniforms: 0,
            stretches: 0,
            registers: Registers::new(registers),
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

    /// Lanes meet by an instruction for that.
    pub(super) fn meet(&mut self, lanes: u32) {
        self.parted &= lanes & self.alive() != self.alive();
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
    pub(super) fn lanes(&mut self, reg: Reg) -> &Lanes {
        self.registers.unfold(reg).1
    }

    /// Computes a function of up to four registers, for all lanes on their raw bits. The result waits
    /// for [`Warp::take`]; the second one, where there is one, is in `second`.
    #[inline]
    pub(super) fn compute(&mut self, function: LaneFn, sources: &[Reg], second: &mut Lanes) {
        static ZERO: Lanes = [0; WARP];
        for reg in sources {
            self.registers.unfold(*reg);
        }
        let Registers { heads, words, spare } = &mut self.registers;
        let spare = *spare as usize;
        let (low, rest) = words.split_at_mut(spare);
        let Some((result, high)) = rest.split_first_mut() else { return };
        let of = |at: usize| match sources.get(at) {
            Some(reg) => {
                let slot = heads[reg.0 as usize].slot as usize;
                if slot < spare { &low[slot] } else { &high[slot - spare - 1] }
            }
            None => &ZERO,
        };
        function(&[of(0), of(1), of(2), of(3)], result, second);
    }

    /// The words that wait to be taken.
    #[inline]
    pub(super) fn waiting(&mut self) -> &mut Lanes {
        &mut self.registers.words[self.registers.spare as usize]
    }

    /// Sets the lanes of `mask` to the words that wait, which are concrete bits, or else the encodings
    /// of symbols.
    #[inline]
    pub(super) fn take(&mut self, reg: Reg, mask: u32, symbolic: bool) {
        if mask == u32::MAX {
            let head = &mut self.registers.heads[reg.0 as usize];
            std::mem::swap(&mut head.slot, &mut self.registers.spare);
        } else {
            self.registers.unfold(reg);
            let slots = [self.registers.heads[reg.0 as usize].slot as usize, self.registers.spare as usize];
            if let Ok([to, from]) = self.registers.words.get_disjoint_mut(slots) {
                blend(to, from, mask);
            }
        }
        let head = &mut self.registers.heads[reg.0 as usize];
        head.symbolic = if symbolic { head.symbolic | mask } else { head.symbolic & !mask };
        head.undefined &= !mask;
        (head.uniform, head.folded) = (false, false);
    }

    /// A copy of the raw bits of a register's lanes.
    pub(super) fn words(&self, reg: Reg) -> Lanes {
        self.registers.all(reg)
    }

    /// Raw bits of one lane of a register.
    #[inline]
    pub(super) fn word(&self, reg: Reg, lane: u32) -> u64 {
        self.registers.word(reg, lane)
    }

    /// Lanes of a register that hold symbols.
    #[inline]
    pub(super) fn symbolic(&self, reg: Reg) -> u32 {
        self.registers.head(reg).symbolic
    }

    /// Lanes of a register that lack bits.
    #[inline]
    pub(super) fn undefined(&self, reg: Reg) -> u32 {
        self.registers.head(reg).undefined
    }

    /// Lanes of a register that do not hold concrete bits.
    #[inline]
    pub(super) fn special(&self, reg: Reg) -> u32 {
        let head = self.registers.head(reg);
        head.symbolic | head.undefined
    }

    /// What the sources of an instruction hold.
    #[inline(always)]
    pub(super) fn kinds(&self, sources: &Sources) -> Kinds {
        let mut kinds = Kinds { special: 0, uniform: true };
        let mut look = |at: usize| {
            let head = self.registers.head(sources.all[at]);
            kinds.special |= head.symbolic | head.undefined;
            kinds.uniform &= head.uniform;
        };
        look(0);
        look(1);
        if sources.many {
            look(2);
            look(3);
        }
        kinds
    }

    /// The instruction at `pc` on uniform sources, as a question to [`super::repeats`].
    #[inline(always)]
    pub(super) fn question(&self, pc: u32, sources: &Sources) -> Question {
        let mut question = Question { pc, symbolic: 0, words: [0; 4] };
        let mut look = |at: usize| {
            let head = self.registers.head(sources.all[at]);
            question.words[at] = head.word;
            question.symbolic |= (head.symbolic & 1) << at;
        };
        look(0);
        look(1);
        if sources.many {
            look(2);
            look(3);
        }
        question
    }

    /// What all lanes of a register hold, if it is surely the same.
    #[inline]
    pub(super) fn common(&self, reg: Reg) -> Option<Answer> {
        let head = self.registers.head(reg);
        head.uniform.then_some(Answer { word: head.word, symbolic: head.symbolic & 1 != 0 })
    }

    /// Whether all lanes of a register surely hold that.
    #[inline]
    pub(super) fn holds(&self, reg: Reg, answer: Answer) -> bool {
        let head = self.registers.head(reg);
        head.uniform & (head.word == answer.word) & ((head.symbolic & 1 != 0) == answer.symbolic)
    }

    /// Takes the answer to the present question for all lanes.
    #[inline]
    pub(super) fn take_over(&mut self, reg: Reg, answer: Answer) {
        self.uniforms = self.uniforms.wrapping_add(1);
        self.fill_word(reg, answer.word, answer.symbolic);
    }

    /// The value in all lanes of a register, if it is surely the same.
    #[inline]
    pub(super) fn uniform(&self, reg: Reg) -> Option<Value> {
        self.registers.head(reg).uniform.then(|| self.get(reg, 0))
    }

    /// Says that all present lanes of a register hold the same.
    #[inline]
    pub(super) fn mark_uniform(&mut self, reg: Reg) {
        debug_assert!(super::race::lanes(self.present).all(|lane| self.get(reg, lane) == self.get(reg, 0)));
        let word = self.word(reg, 0);
        let head = &mut self.registers.heads[reg.0 as usize];
        (head.word, head.uniform) = (word, true);
    }

    /// Sets all lanes of a register.
    #[inline]
    pub(super) fn fill(&mut self, reg: Reg, value: Value) {
        let (word, symbolic, undefined) = encode(value, u32::MAX);
        let head = &mut self.registers.heads[reg.0 as usize];
        *head = Head { word, symbolic, undefined, uniform: undefined == 0, folded: true, slot: head.slot };
    }

    /// Sets all lanes of a register to concrete bits, or to a symbol by its encoding.
    #[inline]
    pub(super) fn fill_word(&mut self, reg: Reg, word: u64, symbolic: bool) {
        let symbolic = 0u32.wrapping_sub(u32::from(symbolic));
        let head = &mut self.registers.heads[reg.0 as usize];
        *head = Head { word, symbolic, undefined: 0, uniform: true, folded: true, slot: head.slot };
    }

    /// One lane of a register.
    #[inline]
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        self.registers.get(reg, lane)
    }

    /// Sets one lane of a register.
    #[inline]
    pub(super) fn set(&mut self, reg: Reg, lane: u32, value: Value) {
        let bit = 1 << lane;
        let (word, symbolic, undefined) = encode(value, bit);
        let (head, words) = self.registers.unfold(reg);
        words[lane as usize] = word;
        head.uniform = false;
        head.symbolic = head.symbolic & !bit | symbolic;
        head.undefined = head.undefined & !bit | undefined;
    }

    /// Sets the lanes of `mask` to concrete bits.
    #[inline]
    pub(super) fn set_concrete(&mut self, reg: Reg, mask: u32, words: &Lanes) {
        let head = self.put(reg, mask, words);
        head.symbolic &= !mask;
    }

    /// Sets the lanes of `mask` to symbols, given by their encodings.
    #[inline]
    pub(super) fn set_symbolic(&mut self, reg: Reg, mask: u32, codes: &Lanes) {
        let head = self.put(reg, mask, codes);
        head.symbolic |= mask;
    }

    #[inline]
    fn put(&mut self, reg: Reg, mask: u32, from: &Lanes) -> &mut Head {
        let head = if mask == u32::MAX {
            let head = &mut self.registers.heads[reg.0 as usize];
            self.registers.words[head.slot as usize] = *from;
            head
        } else {
            let (head, words) = self.registers.unfold(reg);
            blend(words, from, mask);
            head
        };
        head.undefined &= !mask;
        (head.uniform, head.folded) = (false, false);
        head
    }

    /// Copies the lanes of `mask` between registers, whatever they hold.
    #[inline]
    pub(super) fn copy(&mut self, to: Reg, from: Reg, mask: u32) {
        let source = *self.registers.head(from);
        if to == from {
            return;
        }
        if source.uniform && mask == self.present {
            let head = &mut self.registers.heads[to.0 as usize];
            *head = Head { folded: true, slot: head.slot, ..source };
            return;
        }
        let words = self.registers.all(from);
        let head = self.put(to, mask, &words);
        head.symbolic = head.symbolic & !mask | source.symbolic & mask;
        head.undefined |= source.undefined & mask;
    }

    /// A copy of all registers.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { registers: self.registers.clone() }
    }

    /// Puts the lanes of `mask` back to what they were.
    pub(super) fn restore(&mut self, then: &Snapshot, mask: u32) {
        for at in 0..self.register_count() {
            let reg = Reg(at as u32);
            let (words, source) = (then.registers.all(reg), then.registers.head(reg));
            let head = self.put(reg, mask, &words);
            head.symbolic = head.symbolic & !mask | source.symbolic & mask;
            head.undefined |= source.undefined & mask;
        }
    }

    /// Lanes on which a register differs from what it was.
    pub(super) fn differs(&self, then: &Snapshot, reg: Reg) -> u32 {
        let (now, then) = (&self.registers, &then.registers);
        let (head, other) = (now.head(reg), then.head(reg));
        let kinds = (head.symbolic ^ other.symbolic) | (head.undefined ^ other.undefined);
        let differ = |lane: u32| u32::from(now.word(reg, lane) != then.word(reg, lane)) << lane;
        (0..WARP as u32).fold(kinds, |mask, lane| mask | differ(lane))
    }

    /// How many registers there are.
    pub(super) fn register_count(&self) -> usize {
        self.registers.heads.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.register_count() * (size_of::<Head>() + size_of::<Lanes>()) + size_of::<Lanes>()) as u64
    }
}

/// The sources of an instruction, at fixed places: loops of a few turns cost more than what they do.
#[derive(Clone, Copy)]
pub(super) struct Sources {
    /// The first one again where there are fewer than four.
    pub(super) all: [Reg; 4],
    /// There are more than two.
    many: bool,
}

impl Sources {
    /// Of an instruction that has some: every pure one.
    pub(super) fn new(sources: &[Reg]) -> Sources {
        let first = sources.first().copied().unwrap_or(Reg(0));
        let all = std::array::from_fn(|at| sources.get(at).copied().unwrap_or(first));
        Sources { all, many: sources.len() > 2 }
    }
}

/// What registers hold, those that an instruction works on.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    /// Lanes on which one of them does not hold concrete bits.
    pub(super) special: u32,
    /// All present lanes surely hold the same, in each.
    pub(super) uniform: bool,
}

/// Registers as they were.
pub(super) struct Snapshot {
    registers: Registers,
}

impl Snapshot {
    /// One lane of a register.
    pub(super) fn get(&self, reg: Reg, lane: u32) -> Value {
        self.registers.get(reg, lane)
    }
}

/// A value as a word, and the lanes of `mask` if it is a symbol or undefined.
#[inline]
fn encode(value: Value, mask: u32) -> (u64, u32, u32) {
    match value {
        Value::Concrete(bits) => (bits, 0, 0),
        Value::Symbolic(symbol) => (symbol.encode(), mask, 0),
        Value::Undefined(gap) => (u64::from(gap.raw()), 0, mask),
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
