//! Forms in the manner of hashes and generators of random numbers: some rounds on a state of four words.
//!
//! Each step of a round is written in one of several ways that are one function. A pair of forms takes the same steps
//! in other ways; in a wrong one, one step is another function (the truth is what the machine stores).

use super::draw::{Form, Out};
use crate::program::Dice;

/// A step: what it does to the state, and with which numbers.
#[derive(Clone, Copy)]
struct Step {
    kind: u64,
    /// The word that changes, and the words that are read.
    words: [u64; 4],
    count: u64,
    factor: u32,
}

/// Kinds of steps.
const KINDS: u64 = 8;

impl Step {
    fn draw(dice: &mut Dice) -> Step {
        let first = dice.below(4);
        let words = [0, 1, 2, 3].map(|at| (first + at) % 4);
        Step {
            kind: dice.below(KINDS),
            words,
            count: 1 + dice.below(31),
            factor: dice.below(1 << 32) as u32 | 1,
        }
    }

    /// The step in one of its ways.
    fn text(self, way: u64) -> String {
        let Step { kind, words: [a, b, c, d], count, factor } = self;
        let back = 32 - count;
        match (kind, way % 3) {
            // a + b
            (0, 0) => format!("add.s32 %r{a}, %r{a}, %r{b};\n"),
            (0, 1) => format!(
                "xor.b32 %r4, %r{a}, %r{b};\nand.b32 %r5, %r{a}, %r{b};\nshl.b32 %r5, %r5, 1;\nadd.s32 %r{a}, %r5, %r4;\n"
            ),
            (0, _) => format!("not.b32 %r4, %r{b};\nsub.s32 %r{a}, %r{a}, %r4;\nsub.s32 %r{a}, %r{a}, 1;\n"),
            // a ^ (b turned)
            (1, 0) => format!("shf.l.wrap.b32 %r4, %r{b}, %r{b}, {count};\nxor.b32 %r{a}, %r{a}, %r4;\n"),
            (1, 1) => format!(
                "shl.b32 %r4, %r{b}, {count};\nshr.u32 %r5, %r{b}, {back};\nor.b32 %r4, %r4, %r5;\nxor.b32 %r{a}, %r4, %r{a};\n"
            ),
            (1, _) => format!(
                "shr.u32 %r4, %r{b}, {back};\nshl.b32 %r5, %r{b}, {count};\nadd.s32 %r4, %r4, %r5;\n\
                 or.b32 %r6, %r{a}, %r4;\nand.b32 %r7, %r{a}, %r4;\nsub.s32 %r{a}, %r6, %r7;\n"
            ),
            // a·factor
            (2, 0) => format!("mul.lo.s32 %r{a}, %r{a}, {factor};\n"),
            (2, 1) => format!("mul.wide.u32 %d4, %r{a}, {factor};\ncvt.u32.u64 %r{a}, %d4;\n"),
            (2, _) => format!(
                "shl.b32 %r4, %r{a}, {count};\nmul.lo.s32 %r5, %r{a}, {};\nadd.s32 %r{a}, %r4, %r5;\n",
                factor.wrapping_sub(1 << count)
            ),
            // a ^ the upper half of b·factor
            (3, 0) => format!("mul.hi.u32 %r4, %r{b}, {factor};\nxor.b32 %r{a}, %r{a}, %r4;\n"),
            (3, 1) => format!(
                "mul.wide.u32 %d4, %r{b}, {factor};\nshr.u64 %d4, %d4, 32;\ncvt.u32.u64 %r4, %d4;\nxor.b32 %r{a}, %r4, %r{a};\n"
            ),
            (3, _) => format!(
                "cvt.u64.u32 %d4, %r{b};\nmul.lo.s64 %d4, %d4, {factor};\nmov.b64 {{%r5, %r4}}, %d4;\n\
                 xor.b32 %r{a}, %r{a}, %r4;\n"
            ),
            // a + (b ? c : d), bit by bit
            (4, 0) => format!(
                "and.b32 %r4, %r{b}, %r{c};\nnot.b32 %r5, %r{b};\nand.b32 %r5, %r5, %r{d};\nor.b32 %r4, %r4, %r5;\n\
                 add.s32 %r{a}, %r{a}, %r4;\n"
            ),
            (4, 1) => format!(
                "xor.b32 %r4, %r{c}, %r{d};\nand.b32 %r4, %r4, %r{b};\nxor.b32 %r4, %r4, %r{d};\n\
                 add.s32 %r{a}, %r4, %r{a};\n"
            ),
            (4, _) => format!("lop3.b32 %r4, %r{b}, %r{c}, %r{d}, 0xCA;\nadd.s32 %r{a}, %r{a}, %r4;\n"),
            // a + the majority of b, c, d
            (5, 0) => format!(
                "and.b32 %r4, %r{b}, %r{c};\nand.b32 %r5, %r{b}, %r{d};\nand.b32 %r6, %r{c}, %r{d};\n\
                 or.b32 %r4, %r4, %r5;\nor.b32 %r4, %r4, %r6;\nadd.s32 %r{a}, %r{a}, %r4;\n"
            ),
            (5, 1) => format!(
                "or.b32 %r4, %r{b}, %r{c};\nand.b32 %r4, %r4, %r{d};\nand.b32 %r5, %r{b}, %r{c};\nor.b32 %r4, %r4, %r5;\n\
                 add.s32 %r{a}, %r4, %r{a};\n"
            ),
            (5, _) => format!("lop3.b32 %r4, %r{b}, %r{c}, %r{d}, 0xE8;\nadd.s32 %r{a}, %r{a}, %r4;\n"),
            // a ^ a >> count
            (6, 0) => format!("shr.u32 %r4, %r{a}, {count};\nxor.b32 %r{a}, %r{a}, %r4;\n"),
            (6, 1) => format!("bfe.u32 %r4, %r{a}, {count}, {back};\nxor.b32 %r{a}, %r4, %r{a};\n"),
            (6, _) => format!(
                "shr.u32 %r4, %r{a}, {count};\nor.b32 %r5, %r{a}, %r4;\nand.b32 %r6, %r{a}, %r4;\nsub.s32 %r{a}, %r5, %r6;\n"
            ),
            // a·factor turned
            (_, 0) => format!("mul.lo.s32 %r4, %r{a}, {factor};\nshf.l.wrap.b32 %r{a}, %r4, %r4, {count};\n"),
            (_, 1) => format!(
                "mul.lo.s32 %r4, %r{a}, {};\nmul.lo.s32 %r5, %r{a}, {factor};\nshr.u32 %r5, %r5, {back};\n\
                 or.b32 %r{a}, %r4, %r5;\n",
                factor.wrapping_shl(count as u32)
            ),
            (_, _) => format!(
                "mul.lo.s32 %r5, %r{a}, {factor};\nshl.b32 %r4, %r5, {count};\nshr.u32 %r5, %r5, {back};\n\
                 add.s32 %r{a}, %r5, %r4;\n"
            ),
        }
    }

    /// Another function of the same words.
    fn spoilt(self, dice: &mut Dice) -> Step {
        let [a, b, c, d] = self.words;
        match self.kind {
            0 => Step { words: [a, c, b, d], ..self },
            4 => Step { words: [a, b, d, c], ..self },
            5 => Step { kind: 4, ..self },
            1 | 6 => Step { count: 1 + (self.count + dice.below(30)) % 31, ..self },
            _ => Step { factor: self.factor ^ 2 << dice.below(30), ..self },
        }
    }
}

fn form(steps: &[Step], mut way: impl FnMut() -> u64) -> Form {
    let mut body = "ld.param.u64 %d0, [k_x];\n".to_owned();
    for word in 0..4 {
        body += &format!(
            "xor.b32 %r4, %n, {word};\nmul.wide.u32 %d1, %r4, 4;\nadd.s64 %d1, %d0, %d1;\nld.global.b32 %r{word}, [%d1];\n"
        );
    }
    steps.iter().for_each(|step| body += &step.text(way()));
    Form::new(body, "%r0".to_owned(), Out::U32)
}

/// A form of so many steps, the same in other ways, and one that differs in a step.
pub fn three(dice: &mut Dice, steps: usize) -> [Form; 3] {
    let steps: Vec<Step> = (0..steps).map(|_| Step::draw(dice)).collect();
    let mut wrong = steps.clone();
    let at = dice.below(steps.len() as u64) as usize;
    wrong[at] = wrong[at].spoilt(dice);
    let first = form(&steps, || 0);
    let second = form(&steps, || dice.below(3));
    let third = form(&wrong, || dice.below(3));
    [first, second, third]
}
