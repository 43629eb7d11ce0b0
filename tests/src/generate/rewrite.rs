//! The same kernel said differently: independent instructions in another order, loops split or
//! unrolled, branches turned round or made switches, more barriers and others, other names for
//! registers, and instructions replaced by what means the same over the reals.

use super::matrix::halved;
use super::{Arg, Inst, Kernel, Stmt};
use crate::program::Dice;

/// A kernel that means the same.
pub fn rewrite(kernel: &Kernel, dice: &mut Dice) -> Kernel {
    let mut pen = Pen { dice, names: 0, threads: kernel.threads };
    let body = pen.block(&kernel.body, true);
    Kernel { body, ..kernel.clone() }
}

struct Pen<'a> {
    dice: &'a mut Dice,
    /// Registers of our own used so far.
    names: u32,
    threads: u32,
}

fn plain(op: &str, args: Vec<Arg>) -> Stmt {
    Stmt::Inst(Inst { guard: None, op: op.to_owned(), defs: 1, args })
}

impl Pen<'_> {
    fn chance(&mut self, of: u64) -> bool {
        self.dice.below(of) == 0
    }

    fn fresh(&mut self, stem: &str) -> Option<String> {
        self.names += 1;
        (self.names < 62).then(|| format!("%{stem}{}", self.names))
    }

    fn block(&mut self, body: &[Stmt], top: bool) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in body {
            if top && self.chance(12) {
                out.push(Stmt::Inst(self.barrier()));
            }
            self.stmt(stmt, &mut out);
        }
        self.reorder(&mut out);
        out
    }

    fn barrier(&mut self) -> Inst {
        let imm = |value: u32| Arg::Imm(value.to_string());
        let (op, args) = match self.dice.below(3) {
            0 => ("barrier.sync", vec![imm(0)]),
            1 => ("bar.sync", vec![imm(2), imm(self.threads)]),
            _ => ("bar.sync", vec![imm(0)]),
        };
        Inst { guard: None, op: op.to_owned(), defs: 0, args }
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Inst(inst) => self.inst(inst, out),
            Stmt::If(predicate, then, other) => {
                let (then, other) = (self.block(then, false), self.block(other, false));
                // A mask of the lanes inside stays right whichever way round the sides stand.
                match self.dice.below(4) {
                    0 if let Some(turned) = self.fresh("v") => {
                        let from = Arg::Reg(predicate.clone());
                        out.push(plain("not.pred", vec![Arg::Reg(turned.clone()), from]));
                        out.push(Stmt::If(turned, other, then));
                    }
                    // Only branches are followed both ways, so a choice on data stays one.
                    1 if !predicate.starts_with("%q")
                        && let Some(index) = self.fresh("n") =>
                    {
                        let imm = |value: u32| Arg::Imm(value.to_string());
                        let args = vec![Arg::Reg(index.clone()), imm(1), imm(0), Arg::Reg(predicate.clone())];
                        out.push(plain("selp.u32", args));
                        out.push(Stmt::Switch(index, vec![other, then]));
                    }
                    2 if other.is_empty() && then.iter().all(|stmt| can_be_guarded(stmt, predicate)) => {
                        for stmt in then {
                            if let Stmt::Inst(inst) = stmt {
                                out.push(Stmt::Inst(Inst { guard: Some((predicate.clone(), true)), ..inst }));
                            }
                        }
                    }
                    _ => out.push(Stmt::If(predicate.clone(), then, other)),
                }
            }
            Stmt::Loop(Arg::Imm(times), body) => {
                let count: u32 = times.parse().unwrap_or(0);
                if self.chance(2) {
                    for _ in 0..count {
                        out.extend(self.block(body, false));
                    }
                } else {
                    let first = self.dice.below(u64::from(count) + 1) as u32;
                    for part in [first, count - first] {
                        let body = self.block(body, false);
                        out.push(Stmt::Loop(Arg::Imm(part.to_string()), body));
                    }
                }
            }
            Stmt::Loop(times, body) => {
                let names = (self.fresh("n"), self.fresh("n"));
                let (Some(first), Some(rest)) = names else {
                    out.push(stmt.clone());
                    return;
                };
                let (first, rest) = (Arg::Reg(first), Arg::Reg(rest));
                out.push(plain("min.u32", vec![first.clone(), times.clone(), Arg::Imm("1".to_owned())]));
                out.push(plain("sub.u32", vec![rest.clone(), times.clone(), first.clone()]));
                for part in [first, rest] {
                    let body = self.block(body, false);
                    out.push(Stmt::Loop(part, body));
                }
            }
            Stmt::Switch(index, arms) => {
                let arms = arms.iter().map(|arm| self.block(arm, false)).collect();
                out.push(Stmt::Switch(index.clone(), arms));
            }
            Stmt::Call { .. } => out.push(stmt.clone()),
        }
    }

    /// An instruction, or others that do the same.
    fn inst(&mut self, inst: &Inst, out: &mut Vec<Stmt>) {
        let keep = Stmt::Inst(inst.clone());
        if self.chance(2) {
            out.push(keep);
            return;
        }
        let with = |op: &str, order: &[usize]| {
            let args = order.iter().map(|at| inst.args[*at].clone()).collect();
            Stmt::Inst(Inst { op: op.to_owned(), args, ..inst.clone() })
        };
        let first = inst.args.first().cloned();
        let reused = |at: usize| first.is_some() && first == inst.args.get(at).cloned();
        let kind = inst.op.rsplit('.').next().unwrap_or_default();
        match inst.op.as_str() {
            "bar.sync" | "barrier.sync" => {
                if self.chance(3) {
                    out.push(Stmt::Inst(self.barrier()));
                }
                out.push(Stmt::Inst(self.barrier()));
            }
            "max.f32" | "max.f64"
                if self.chance(2) && inst.args[0] != inst.args[2] && !matches!(inst.args[1], Arg::Imm(_)) =>
            {
                // max(a, b) = a + max(b - a, 0), which no longer shows what it is.
                let (zero, to) =
                    (if kind == "f32" { "0f00000000" } else { "0d0000000000000000" }, &inst.args[0]);
                if reused(1) || matches!(inst.args[2], Arg::Imm(_)) {
                    out.push(keep);
                    return;
                }
                out.push(with(&format!("sub.{kind}"), &[0, 2, 1]));
                let args = vec![to.clone(), to.clone(), Arg::Imm(zero.to_owned())];
                out.push(Stmt::Inst(Inst { args, ..inst.clone() }));
                out.push(with(&format!("add.{kind}"), &[0, 0, 1]));
            }
            "add.s32" | "mul.lo.s32" | "and.b32" | "or.b32" | "xor.b32" | "add.f32" | "mul.f32"
            | "min.f32" | "max.f32" | "add.f64" | "mul.f64" | "min.s32" | "max.u32" | "add.f16x2"
            | "mul.f16x2" | "add.bf16x2" | "mul.bf16x2" | "mul.hi.u32" | "add.s64" | "mul.lo.s64"
            | "max.f64"
                if !matches!(inst.args[1], Arg::Imm(_)) && !matches!(inst.args[2], Arg::Imm(_)) =>
            {
                out.push(with(&inst.op, &[0, 2, 1]));
            }
            "mad.lo.s32" if !reused(3) => {
                out.push(with("mul.lo.s32", &[0, 1, 2]));
                out.push(with("add.s32", &[0, 0, 3]));
            }
            "fma.rn.f32" | "fma.rn.f64" if !reused(3) => {
                out.push(with(&format!("mul.{kind}"), &[0, 1, 2]));
                out.push(with(&format!("add.{kind}"), &[0, 0, 3]));
            }
            "sub.f32" | "sub.f64" if !reused(1) => {
                out.push(with(&format!("neg.{kind}"), &[0, 2]));
                out.push(with(&format!("add.{kind}"), &[0, 1, 0]));
            }
            "sub.s32" if !reused(1) => {
                out.push(with("not.b32", &[0, 2]));
                out.push(with("add.s32", &[0, 1, 0]));
                let args = vec![inst.args[0].clone(), inst.args[0].clone(), Arg::Imm("1".to_owned())];
                out.push(Stmt::Inst(Inst { op: "add.s32".to_owned(), args, ..inst.clone() }));
            }
            // A sign as a bit.
            "abs.f32" | "neg.f32" if inst.guard.is_none() && self.chance(2) => {
                let Some(bits) = self.fresh("n").map(Arg::Reg) else {
                    out.push(keep);
                    return;
                };
                let (op, mask) =
                    if inst.op == "abs.f32" { ("and.b32", "0x7fffffff") } else { ("xor.b32", "0x80000000") };
                out.push(plain("mov.b32", vec![bits.clone(), inst.args[1].clone()]));
                out.push(plain(op, vec![bits.clone(), bits.clone(), Arg::Imm(mask.to_owned())]));
                out.push(plain("mov.b32", vec![inst.args[0].clone(), bits]));
            }
            "rcp.rn.f32" => {
                let args =
                    vec![inst.args[0].clone(), Arg::Imm("0f3F800000".to_owned()), inst.args[1].clone()];
                out.push(Stmt::Inst(Inst { op: "div.rn.f32".to_owned(), args, ..inst.clone() }));
            }
            "div.rn.f32" if !reused(1) => {
                out.push(with("rcp.rn.f32", &[0, 2]));
                out.push(with("mul.f32", &[0, 1, 0]));
            }
            "neg.s32" => {
                let args = vec![inst.args[0].clone(), Arg::Imm("0".to_owned()), inst.args[1].clone()];
                out.push(Stmt::Inst(Inst { op: "sub.s32".to_owned(), args, ..inst.clone() }));
            }
            "selp.b32" | "selp.f32" | "selp.b64" | "selp.f64" if inst.guard.is_none() => {
                let (Some(turned), Arg::Reg(from)) = (self.fresh("v"), &inst.args[3]) else {
                    out.push(keep);
                    return;
                };
                out.push(plain("not.pred", vec![Arg::Reg(turned.clone()), Arg::Reg(from.clone())]));
                let args =
                    vec![inst.args[0].clone(), inst.args[2].clone(), inst.args[1].clone(), Arg::Reg(turned)];
                out.push(Stmt::Inst(Inst { args, ..inst.clone() }));
            }
            // The partner of a butterfly by its number.
            "shfl.sync.bfly.b32" if inst.args[3] == Arg::Imm("31".to_owned()) => {
                let Some(partner) = self.fresh("n") else {
                    out.push(keep);
                    return;
                };
                let own = Arg::Reg("%lan".to_owned());
                out.push(plain("xor.b32", vec![Arg::Reg(partner.clone()), own, inst.args[2].clone()]));
                let mut args = inst.args.clone();
                args[2] = Arg::Reg(partner);
                out.push(Stmt::Inst(Inst { op: "shfl.sync.idx.b32".to_owned(), args, ..inst.clone() }));
            }
            op if op.starts_with("mma")
                && let Some(halves) = halved(inst) =>
            {
                out.extend(halves.map(Stmt::Inst));
            }
            "abs.f32" if !reused(1) => {
                out.push(with("neg.f32", &[0, 1]));
                out.push(with("max.f32", &[0, 1, 0]));
            }
            _ => out.push(keep),
        }
    }

    /// Neighbours that do not depend on each other change places.
    fn reorder(&mut self, body: &mut [Stmt]) {
        for _ in 0..body.len() {
            if body.len() < 2 {
                return;
            }
            let at = self.dice.below(body.len() as u64 - 1) as usize;
            if let (Stmt::Inst(one), Stmt::Inst(two)) = (&body[at], &body[at + 1])
                && independent(one, two)
            {
                body.swap(at, at + 1);
            }
        }
    }
}

/// Whether a statement can stand under a guard instead of in a branch.
fn can_be_guarded(stmt: &Stmt, predicate: &str) -> bool {
    match stmt {
        // A collective with the mask of the branch is the business of the lanes inside alone, and so
        // it is under a guard; one more guard has no place.
        Stmt::Inst(inst) => inst.guard.is_none() && !inst.writes().contains(&predicate),
        _ => false,
    }
}

/// What an instruction does besides its registers.
fn has_effect(inst: &Inst) -> bool {
    const EFFECTS: [&str; 11] =
        ["ld", "st", "bar", "barrier", "cp", "red", "redux", "shfl", "vote", "match", "atom"];
    let base = inst.op.split('.').next().unwrap_or_default();
    EFFECTS.contains(&base) && !inst.op.starts_with("ld.global")
        || inst.op.contains(".cc")
        || inst.op.starts_with("addc")
        || inst.op.starts_with("subc")
}

fn independent(one: &Inst, two: &Inst) -> bool {
    let clash = |writer: &Inst, other: &Inst| {
        let writes = writer.writes();
        other.reads().iter().chain(&other.writes()).any(|name| writes.contains(name))
    };
    !(clash(one, two) || clash(two, one) || has_effect(one) && has_effect(two))
}
