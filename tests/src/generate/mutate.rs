//! One instruction changed: another operation of the same shape, other operands, another constant,
//! a turned guard, or nothing at all.

use super::{Arg, Inst, Kernel, Stmt};
use crate::program::Dice;

/// Operations that take each other's place.
const SIBLINGS: [&[&str]; 23] = [
    &["add", "sub"],
    &["min", "max"],
    &["and", "or", "xor"],
    &["shl", "shr"],
    &["neg", "abs"],
    &["popc", "clz"],
    &["mul.lo", "mul.hi"],
    &["lt", "le"],
    &["gt", "ge"],
    &["eq", "ne"],
    &["up", "down", "bfly"],
    &["any", "all"],
    &["wrap", "clamp"],
    &["sqrt.rn", "rcp.rn"],
    &["s32", "u32"],
    &["s64", "u64"],
    &["s16", "u16"],
    &["s8", "u8"],
    &["ex2.approx", "tanh.approx"],
    &["lg2.approx", "rsqrt.approx"],
    &["fma.rn.f16x2", "fma.rn.relu.f16x2"],
    &["fma.rn.bf16x2", "fma.rn.relu.bf16x2"],
    &["not", "cnot"],
];

/// The kernel with one instruction changed, and what was changed into what.
pub fn mutate(kernel: &Kernel, dice: &mut Dice) -> Option<(Kernel, String)> {
    let mut mutant = kernel.clone();
    let count = instructions(&mut mutant.body).len();
    for _ in 0..200 {
        let at = dice.below(count.max(1) as u64) as usize;
        let mut all = instructions(&mut mutant.body);
        let inst = all.get_mut(at)?;
        // Addresses and masks that are wrong are found at once; values are what this is about.
        let to = inst.writes().first().map_or(' ', |name| name.chars().nth(1).unwrap_or(' '));
        let rare = match to {
            'f' | 'd' | 'h' | 'q' => 1,
            'g' | 'e' | 'r' | 'l' | 's' | 'p' => 3,
            _ => 12,
        };
        if dice.below(rare) != 0 {
            continue;
        }
        let before = inst.clone();
        change(inst, dice);
        if **inst != before {
            let show = |inst: &Inst| {
                let mut text = String::new();
                inst.print(&mut text);
                text.trim().to_owned()
            };
            let what = format!("{} → {}", show(&before), show(inst));
            return Some((mutant, what));
        }
    }
    None
}

/// All instructions of a body, in order.
pub(super) fn instructions(body: &mut [Stmt]) -> Vec<&mut Inst> {
    let mut all = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Inst(inst) => all.push(inst),
            Stmt::If(_, then, other) => {
                all.extend(instructions(then));
                all.extend(instructions(other));
            }
            Stmt::Loop(_, body) => all.extend(instructions(body)),
            Stmt::Switch(_, arms) => arms.iter_mut().for_each(|arm| all.extend(instructions(arm))),
            Stmt::Call { .. } => {}
        }
    }
    all
}

fn change(inst: &mut Inst, dice: &mut Dice) {
    let sources = inst.defs..inst.args.len();
    match dice.below(6) {
        0 | 1 => {
            let fitting: Vec<(&str, &str)> = SIBLINGS
                .iter()
                .flat_map(|row| row.iter().flat_map(|one| row.iter().map(move |two| (*one, *two))))
                .filter(|(one, two)| one != two && format!(".{}.", inst.op).contains(&format!(".{one}.")))
                .collect();
            if fitting.is_empty() || inst.op.starts_with("redux") || inst.op.starts_with("lop3") {
                return;
            }
            let (one, two) = fitting[dice.below(fitting.len() as u64) as usize];
            let whole = format!(".{}.", inst.op).replacen(&format!(".{one}."), &format!(".{two}."), 1);
            inst.op = whole.trim_matches('.').to_owned();
        }
        2 if sources.len() > 1 => {
            let one = sources.start + dice.below(sources.len() as u64 - 1) as usize;
            if same_kind(&inst.args[one], &inst.args[one + 1]) {
                inst.args.swap(one, one + 1);
            }
        }
        3 => {
            let Some(at) = pick(sources, dice) else { return };
            match &mut inst.args[at] {
                Arg::Reg(name) => renumber(name, dice),
                Arg::Imm(value) => {
                    if let Ok(number) = value.parse::<i64>() {
                        *value = (number ^ 1).to_string();
                    }
                }
                Arg::Mem(_, offset) => *offset += if *offset > 4 { -4 } else { 4 },
                Arg::Vec(names) => names.reverse(),
                Arg::Pair(..) => {}
            }
        }
        4 => {
            if let Some((_, holds)) = &mut inst.guard {
                *holds = !*holds;
            } else if inst.defs > 0
                && inst.writes().iter().all(|name| in_pool(name))
                // The whole warp must come to these.
                && !inst.op.contains("aligned")
            {
                inst.guard = Some((format!("%p{}", dice.below(8)), true));
            }
        }
        // A move of a register to itself stands for nothing.
        _ => {
            if let [Arg::Reg(to), ..] = &inst.args[..]
                && inst.defs == 1
                && in_pool(to)
                && !inst.op.contains(".cc")
                && !inst.op.contains("sync")
            {
                let ty = match to.as_bytes()[1] {
                    b'r' | b'h' | b'z' => "mov.b32",
                    b'l' => "mov.b64",
                    b's' => "mov.b16",
                    b'f' => "mov.f32",
                    b'd' => "mov.f64",
                    _ => "mov.pred",
                };
                let own = Arg::Reg(to.clone());
                *inst = Inst { guard: None, op: ty.to_owned(), defs: 1, args: vec![own.clone(), own] };
            }
        }
    }
}

fn pick(range: std::ops::Range<usize>, dice: &mut Dice) -> Option<usize> {
    (!range.is_empty()).then(|| range.start + dice.below(range.len() as u64) as usize)
}

/// Registers that always hold something.
fn in_pool(name: &str) -> bool {
    let class = name.chars().nth(1).unwrap_or(' ');
    "rlspqfdhz".contains(class) && name[2..].chars().all(|digit| digit.is_ascii_digit())
}

fn renumber(name: &mut String, dice: &mut Dice) {
    if in_pool(name) {
        let count = match name.as_bytes()[1] {
            b'r' | b'p' => 8,
            b'f' => 6,
            b'd' | b's' => 3,
            _ => 4,
        };
        *name = format!("{}{}", &name[..2], dice.below(count));
    }
}

fn same_kind(one: &Arg, two: &Arg) -> bool {
    match (one, two) {
        (Arg::Reg(one), Arg::Reg(two)) => one.as_bytes()[1] == two.as_bytes()[1],
        _ => false,
    }
}
