//! Straight stretches that warps run alike, taken over as a whole.
//!
//! Where all that a stretch reads is the same in all lanes, so is all that it writes. The n-th stretch
//! of a warp looks at what the n-th one of the warp before was; if it was the same instructions on the
//! same words, its results are taken over at once. What one instruction at a time saves a warp the
//! computing of ([`super::repeats`]), this saves the looking at each.
//!
//! Guarantees: results come from the same instructions on the same words, and those are functions of
//! them. Misses: stretches in which something differs between lanes, or divides (that is counted), and
//! more than fit. Not counted against the memory budget: some 6 MiB at most.

use super::repeats::Answer;
use super::straight::Step;
use super::warp::Warp;
use crate::ir::{Constant, Kernel, Reg, RegisterKind};
use crate::isa::Space;

/// Instructions of a stretch; a bit for each says whether it worked on symbols.
pub(super) const LONGEST: u32 = u32::BITS;
/// Shorter ones are not worth it.
const SHORTEST: u32 = 3;
/// Stretches of a warp, and words of all of them, that are kept.
const PLACES: usize = 1 << 14;
const WORDS: usize = 1 << 18;
/// Shapes that are kept.
const SHAPES: usize = 1 << 12;
/// Misfits in a row after which a stretch is not looked at any more.
const PATIENCE: u32 = 256;

/// The instructions of a stretch, seen from outside.
struct Shape {
    count: u32,
    /// The next shape that begins at the same instruction.
    next: Option<u32>,
    /// Registers that are read before anything is written to them, and those that are written.
    reads: Box<[Reg]>,
    writes: Box<[Reg]>,
    /// Instructions that [`super::repeats`] counts.
    shared: u32,
    /// Warps in a row that came with other words.
    misfits: u32,
    able: bool,
}

/// What a stretch was for the warp that ran it last.
#[derive(Clone, Copy)]
struct Kept {
    shape: u32,
    /// Where its words are: what was read, then what was written.
    start: u32,
    /// Instructions that worked on symbols.
    symbolic: u32,
}

/// A stretch that is about to run, to be kept.
#[derive(Clone, Copy)]
pub(super) struct Ticket {
    place: u32,
    shape: u32,
}

/// What became of looking for a stretch.
pub(super) enum Looked {
    /// Its results are there; instructions that worked on symbols, bit by bit.
    Taken(u32),
    /// It has to run, and is to be kept then.
    Runs(Ticket),
    /// It has to run.
    Alone,
}

/// The stretches that were run last.
#[derive(Default)]
pub(super) struct Stretches {
    /// For each instruction, a shape that begins there.
    shapes_at: Vec<Option<u32>>,
    shapes: Vec<Shape>,
    kept: Vec<Kept>,
    words: Vec<Answer>,
    /// What the stretch that is running read, and how often its instructions worked on symbols before.
    reading: Vec<Answer>,
    uses: Vec<u64>,
}

impl Stretches {
    /// Takes over what is known of the stretch of `count` instructions (at most [`LONGEST`]) from `pc`,
    /// which all lanes of the warp are about to run; or else looks at what it reads.
    pub(super) fn look(
        &mut self,
        warp: &mut Warp,
        (kernel, steps): (&Kernel, &[Step]),
        pc: u32,
        count: u32,
        uses: &[u64],
    ) -> Looked {
        if count < SHORTEST {
            return Looked::Alone;
        }
        let Some(id) = self.shape(kernel, steps, pc, count) else { return Looked::Alone };
        let place = warp.stretches;
        warp.stretches = place.saturating_add(1);
        let shape = &mut self.shapes[id as usize];
        if !shape.able || place as usize >= PLACES {
            return Looked::Alone;
        }
        if let Some(kept) = self.kept.get(place as usize).filter(|kept| kept.shape == id) {
            let words = &self.words[kept.start as usize..];
            let (read, written) = words.split_at(shape.reads.len());
            if shape.reads.iter().zip(read).all(|(reg, answer)| warp.holds(*reg, *answer)) {
                for (reg, answer) in shape.writes.iter().zip(written) {
                    warp.fill_word(*reg, answer.word, answer.symbolic);
                }
                warp.uniforms = warp.uniforms.wrapping_add(shape.shared);
                warp.step += count;
                shape.misfits = 0;
                return Looked::Taken(kept.symbolic);
            }
            shape.misfits += 1;
            shape.able = shape.misfits < PATIENCE;
        }
        self.reading.clear();
        for reg in &shape.reads {
            let Some(answer) = warp.common(*reg) else { return Looked::Alone };
            self.reading.push(answer);
        }
        self.uses.clear();
        self.uses.extend_from_slice(&uses[pc as usize..][..count as usize]);
        Looked::Runs(Ticket { place, shape: id })
    }

    /// Keeps what the stretch from `pc` came to, which has run to its end just now.
    pub(super) fn keep(&mut self, ticket: Ticket, warp: &Warp, pc: u32, uses: &[u64]) {
        let Ticket { place, shape: id } = ticket;
        let shape = &self.shapes[id as usize];
        let size = shape.reads.len() + shape.writes.len();
        let place = place as usize;
        let start = match self.kept.get(place) {
            Some(kept) if kept.shape == id => kept.start as usize,
            _ if self.words.len() + size > WORDS => return,
            _ => {
                self.words.resize(self.words.len() + size, Answer { word: 0, symbolic: false });
                self.words.len() - size
            }
        };
        let (read, written) = self.words[start..start + size].split_at_mut(shape.reads.len());
        let mut whole = true;
        for (reg, word) in shape.writes.iter().zip(written) {
            match warp.common(*reg) {
                Some(answer) => *word = answer,
                None => whole = false,
            }
        }
        read.copy_from_slice(&self.reading);
        let now = &uses[pc as usize..];
        let symbolic = (self.uses.iter().zip(now).enumerate())
            .fold(0, |all, (at, (before, now))| all | u32::from(before != now) << at);
        // What was not the same in all lanes belongs to no shape.
        let shape = if whole { id } else { u32::MAX };
        let kept = Kept { shape, start: start as u32, symbolic };
        if place >= self.kept.len() {
            self.kept.resize(place + 1, Kept { shape: u32::MAX, start: 0, symbolic: 0 });
        }
        self.kept[place] = kept;
    }

    /// The shape of so many instructions from `pc`, if there is room for it.
    fn shape(&mut self, kernel: &Kernel, steps: &[Step], pc: u32, count: u32) -> Option<u32> {
        if self.shapes_at.is_empty() {
            self.shapes_at = vec![None; steps.len()];
        }
        let first = self.shapes_at[pc as usize];
        let mut at = first;
        while let Some(id) = at {
            let shape = &self.shapes[id as usize];
            if shape.count == count {
                return Some(id);
            }
            at = shape.next;
        }
        if self.shapes.len() >= SHAPES {
            return None;
        }
        let stretch = &steps[pc as usize..][..count as usize];
        // Where a shared variable lies is another address in each CTA of a cluster.
        let is_constant = |reg: Reg| match &kernel.registers[reg.index()] {
            RegisterKind::Constant(
                Constant::Address { variable, .. } | Constant::AddressHalf { variable, .. },
            ) => kernel.variables[*variable as usize].space != Space::Shared,
            RegisterKind::Constant(_) => true,
            _ => false,
        };
        let (mut reads, mut writes): (Vec<Reg>, Vec<Reg>) = (Vec::new(), Vec::new());
        for step in stretch {
            for reg in step.src.all {
                if !is_constant(reg) && !reads.contains(&reg) && !writes.contains(&reg) {
                    reads.push(reg);
                }
            }
            if !writes.contains(&step.dst) {
                writes.push(step.dst);
            }
        }
        let id = self.shapes.len() as u32;
        self.shapes.push(Shape {
            count,
            next: first,
            reads: reads.into(),
            writes: writes.into(),
            shared: stretch.iter().filter(|step| step.is_shared()).count() as u32,
            misfits: 0,
            able: stretch.iter().all(Step::is_taken_over),
        });
        self.shapes_at[pc as usize] = Some(id);
        Some(id)
    }
}
