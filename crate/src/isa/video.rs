//! Video instructions as sequences of ordinary ones (PTX ISA 9.0, 9.7.18).
//!
//! An operand names a part of its register (`%r2.h1`) or, for the SIMD forms, which parts of both
//! registers take part (`%r2.b7531`), and the result one part that is written. So what an instruction
//! does depends on how its operands are written, and its steps are made when they are known. Parts are
//! fields taken by `bfe`; arithmetic is that of integers wide enough for every intermediate result (64
//! bits for one part, 32 bits for bytes and halfwords); saturation is that of `cvt.sat`; `bfi` and packing
//! put results in their places. So every instruction reads over symbolic words as these do.
//!
//! Guarantees: what the manual's pseudo-code gives. Misses (`None`): where that is open or too narrow for its own
//! intermediate results (a second `min` or `max`, or a saturated left shift, on what the type of the result
//! cannot hold), and where an H200 (driver 580.159, CUDA 13.0) gives something else than the pseudo-code: shifted
//! or saturated products unless both factors have a sign; sums and differences saturated to a type without a
//! sign, of a whole word without a sign or before a second `min` or `max`; a second `min` or `max` after a comparison
//! of a first source that has a sign; and what is put into an upper half, or saturated and put into any part.

use super::effect::{Effect, Lanewise};
use super::table::{Action, Arg, Shape, Step, find};

/// What two parts make together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum VideoOp {
    Add,
    Sub,
    Distance,
    Min,
    Max,
    Average,
    ShiftLeft,
    ShiftRight,
    /// A comparison's name, as in `setp`.
    Set(&'static str),
    /// A product, to which the third source is added.
    Product {
        /// The sum is shifted right by so much.
        shift: u8,
        /// `.po`: one more.
        plus_one: bool,
    },
}

/// What is done with the result and a third operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Second {
    Add,
    Min,
    Max,
}

/// One video instruction, but for the parts that its operands name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Video {
    /// The operation.
    pub op: VideoOp,
    /// Whether result, first and second source have a sign.
    pub signed: [bool; 3],
    /// `.sat`
    pub saturate: bool,
    /// The second operation.
    pub second: Option<Second>,
    /// Parts worked on side by side: 1, 2 or 4.
    pub parts: u8,
    /// Shift distances count modulo 32 (and are clamped otherwise).
    pub wrap: bool,
}

/// Place and width of a part in its register, in bits.
type Part = (u64, u64);

/// The steps so far.
#[derive(Default)]
struct Draft {
    steps: Vec<Step>,
    temps: u8,
}

impl Video {
    /// The steps for operands with these selectors (of result, first and second source), `negated` telling
    /// which sources have a minus, `third` whether there is a third source; `None` where the manual has no
    /// such instruction or leaves open what it gives.
    pub fn steps(&self, selectors: [Option<&str>; 3], negated: [bool; 3], third: bool) -> Option<Vec<Step>> {
        let mut draft = Draft::default();
        match self.parts {
            _ if let VideoOp::Product { shift, plus_one } = self.op => {
                self.product(&mut draft, selectors, negated, (shift, plus_one))?;
            }
            _ if negated.contains(&true) => return None,
            1 => self.single(&mut draft, selectors, third)?,
            _ => self.parallel(&mut draft, selectors)?,
        }
        Some(draft.steps)
    }

    fn single(&self, draft: &mut Draft, selectors: [Option<&str>; 3], third: bool) -> Option<()> {
        let [to, a_part, b_part] = [selectors[0], selectors[1], selectors[2]].map(|name| name.map(part));
        let to = match to {
            None => None,
            Some(part) => Some(part?),
        };
        // A third source is there for a second operation or to be merged into.
        if third != (to.is_some() || self.second.is_some()) || to.is_some() && self.second.is_some() {
            return None;
        }
        let upper_half = Some((16, 16));
        if to == upper_half || self.saturate && to.is_some() {
            return None;
        }
        let [d, of_a, of_b] = self.signed;
        let a = draft.field(Arg::In(0), unwrap(a_part)?, of_a)?;
        let a = draft.widened(a, of_a)?;
        let b = draft.field(Arg::In(1), unwrap(b_part)?, of_b)?;
        let mut value = match self.op {
            VideoOp::ShiftLeft | VideoOp::ShiftRight => {
                let by = match self.wrap {
                    true => draft.lane("and", &["b32"], 32, &[b, Arg::Bits(31)])?,
                    false => draft.lane("min", &["u32"], 32, &[b, Arg::Bits(32)])?,
                };
                match self.op {
                    VideoOp::ShiftLeft => draft.lane("shl", &["b64"], 64, &[a, by])?,
                    _ => draft.lane("shr", &["s64"], 64, &[a, by])?,
                }
            }
            _ => {
                let b = draft.widened(b, of_b)?;
                draft.combined(self.op, "s64", a, b)?
            }
        };
        if self.saturate {
            let whole_word = !of_a && unwrap(a_part)?.is_none() || !of_b && unwrap(b_part)?.is_none();
            let is_sum = matches!(self.op, VideoOp::Add | VideoOp::Sub | VideoOp::Distance);
            let selects = matches!(self.second, Some(Second::Min | Second::Max));
            if self.op == VideoOp::ShiftLeft || is_sum && !d && (whole_word || selects) {
                return None;
            }
            let word = if d { "s32" } else { "u32" };
            let clamped = draft.lane("cvt", &["sat", word, "s64"], 32, &[value])?;
            value = draft.lane("cvt", &["s64", word], 64, &[clamped])?;
        }
        if let Some(second) = self.second {
            if second != Second::Add && !self.fits() {
                return None;
            }
            let c = draft.widened(Arg::In(2), d)?;
            let name = match second {
                Second::Add => "add",
                Second::Min => "min",
                Second::Max => "max",
            };
            value = draft.lane(name, &["s64"], 64, &[value, c])?;
        }
        let word = draft.lane("cvt", &["u32", "s64"], 32, &[value])?;
        match to {
            Some((at, bits)) => {
                let insert = scalar("bfi", &["b32"], 4)?;
                draft.push(
                    Effect::Lanewise(insert),
                    &[Arg::Out(0)],
                    &[word, Arg::In(2), Arg::Bits(at), Arg::Bits(bits)],
                );
            }
            None => draft.push(Effect::Move { bits: 32 }, &[Arg::Out(0)], &[word]),
        }
        Some(())
    }

    /// Whether the type of the result holds every intermediate one, so that a second `min` or `max` is that of its type.
    fn fits(&self) -> bool {
        let [d, a, b] = self.signed;
        match self.op {
            _ if self.saturate => true,
            VideoOp::Set(_) => !a,
            VideoOp::Min | VideoOp::Max => d == a && d == b,
            VideoOp::ShiftRight => d == a,
            _ => false,
        }
    }

    /// `vmad`: a product and a sum that have a sign where a part has one or something is negated. They are
    /// exact in 64 bits but for products of two whole words without a sign where something is negated.
    fn product(
        &self,
        draft: &mut Draft,
        selectors: [Option<&str>; 3],
        [minus_a, minus_b, minus_c]: [bool; 3],
        (shift, plus_one): (u8, bool),
    ) -> Option<()> {
        let [None, a, b] = [selectors[0], selectors[1], selectors[2]].map(|name| name.map(part)) else {
            return None;
        };
        // Of the product, the third source and one more, the manual lets one be asked for.
        let minus = minus_a != minus_b;
        if minus && minus_c || plus_one && (minus_a || minus_b || minus_c) {
            return None;
        }
        let [_, of_a, of_b] = self.signed;
        if (self.saturate || shift > 0) && !(of_a && of_b) {
            return None;
        }
        let signed = of_a || of_b || minus || minus_c;
        let mut factor = |source, place: Option<Option<Part>>, signed| {
            let field = draft.field(Arg::In(source), unwrap(place)?, signed)?;
            draft.widened(field, signed)
        };
        let (a, b) = (factor(0, a, of_a)?, factor(1, b, of_b)?);
        let mut sum = draft.lane("mul", &["lo", "s64"], 64, &[a, b])?;
        if minus {
            sum = draft.lane("neg", &["s64"], 64, &[sum])?;
        }
        let mut c = draft.widened(Arg::In(2), signed)?;
        if minus_c {
            c = draft.lane("neg", &["s64"], 64, &[c])?;
        }
        sum = draft.lane("add", &["s64"], 64, &[sum, c])?;
        if plus_one {
            sum = draft.lane("add", &["s64"], 64, &[sum, Arg::Bits(1)])?;
        }
        let (wide, narrow) = if signed { ("s64", "s32") } else { ("u64", "u32") };
        if shift > 0 {
            sum = draft.lane("shr", &[wide], 64, &[sum, Arg::Bits(shift.into())])?;
        }
        let word = match self.saturate {
            true => draft.lane("cvt", &["sat", narrow, wide], 32, &[sum])?,
            false => draft.lane("cvt", &[narrow, wide], 32, &[sum])?,
        };
        draft.push(Effect::Move { bits: 32 }, &[Arg::Out(0)], &[word]);
        Some(())
    }

    fn parallel(&self, draft: &mut Draft, selectors: [Option<&str>; 3]) -> Option<()> {
        let count = self.parts;
        let bits = 32 / count;
        let all: Vec<u8> = (0..2 * count).collect();
        let (low, high) = all.split_at(count.into());
        // Accumulation does not go with saturation.
        if self.second.is_some() && self.saturate {
            return None;
        }
        let letter_of_part = if count == 2 { 'h' } else { 'b' };
        let digits = |name: Option<&str>, default: &[u8], most: u8| match name {
            None => Some(default.to_vec()),
            Some(name) => digits(name.strip_prefix(letter_of_part)?, most),
        };
        let mask = digits(selectors[0], low, count)?;
        let a = digits(selectors[1], low, 2 * count)?;
        let b = digits(selectors[2], high, 2 * count)?;
        let wanted = usize::from(count);
        if a.len() != wanted || b.len() != wanted || mask.is_empty() {
            return None;
        }
        let mut results = vec![None; count.into()];
        for at in 0..count {
            if !mask.contains(&at) {
                continue;
            }
            let mut field = |choice: u8, signed: bool| {
                let place = (u64::from(choice % count * bits), u64::from(bits));
                draft.field(Arg::In(choice / count), Some(place), signed)
            };
            let x = field(a[usize::from(at)], self.signed[1])?;
            let y = field(b[usize::from(at)], self.signed[2])?;
            let value = draft.combined(self.op, "s32", x, y)?;
            results[usize::from(at)] = Some(value);
        }
        if self.second.is_some() {
            let sum = results
                .iter()
                .flatten()
                .try_fold(Arg::In(2), |sum, value| draft.lane("add", &["s32"], 32, &[sum, *value]))?;
            draft.push(Effect::Move { bits: 32 }, &[Arg::Out(0)], &[sum]);
            return Some(());
        }
        let others: Vec<Arg> = (0..count).map(|_| draft.temp(bits)).collect();
        draft.push(Effect::Unpack { bits: 32 }, &others, &[Arg::In(2)]);
        let narrow = format!("{}{bits}", letter(self.signed[0]));
        let mut packed = Vec::new();
        for (result, other) in results.iter().zip(others) {
            packed.push(match result {
                None => other,
                Some(value) if self.saturate => {
                    draft.lane("cvt", &["sat", &narrow, "s32"], bits, &[*value])?
                }
                Some(value) => draft.lane("cvt", &[&narrow, "s32"], bits, &[*value])?,
            });
        }
        draft.push(Effect::Pack { bits: 32 }, &[Arg::Out(0)], &packed);
        Some(())
    }
}

impl Draft {
    fn temp(&mut self, bits: u8) -> Arg {
        self.temps += 1;
        Arg::Temp(self.temps - 1, bits)
    }

    fn push(&mut self, effect: Effect, dst: &[Arg], src: &[Arg]) {
        self.steps.push(Step { effect, dst: dst.to_vec(), src: src.to_vec() });
    }

    /// An ordinary instruction with one result, which has that many bits.
    fn lane(&mut self, base: &str, suffixes: &[&str], bits: u8, src: &[Arg]) -> Option<Arg> {
        let lanes = scalar(base, suffixes, src.len())?;
        let to = self.temp(bits);
        self.push(Effect::Lanewise(Lanewise { destinations: 1, ..lanes }), &[to], src);
        Some(to)
    }

    /// A part of a register in 32 bits, or all of it.
    fn field(&mut self, of: Arg, part: Option<Part>, signed: bool) -> Option<Arg> {
        match part {
            None => Some(of),
            Some((at, bits)) => {
                let ty = if signed { "s32" } else { "u32" };
                self.lane("bfe", &[ty], 32, &[of, Arg::Bits(at), Arg::Bits(bits)])
            }
        }
    }

    /// 32 bits as a number of 64.
    fn widened(&mut self, word: Arg, signed: bool) -> Option<Arg> {
        self.lane("cvt", &["s64", if signed { "s32" } else { "u32" }], 64, &[word])
    }

    /// The result of two numbers of a type that holds it.
    fn combined(&mut self, op: VideoOp, ty: &str, a: Arg, b: Arg) -> Option<Arg> {
        let bits = if ty == "s64" { 64 } else { 32 };
        match op {
            VideoOp::Add => self.lane("add", &[ty], bits, &[a, b]),
            VideoOp::Sub => self.lane("sub", &[ty], bits, &[a, b]),
            VideoOp::Min => self.lane("min", &[ty], bits, &[a, b]),
            VideoOp::Max => self.lane("max", &[ty], bits, &[a, b]),
            VideoOp::Distance => {
                let difference = self.lane("sub", &[ty], bits, &[a, b])?;
                self.lane("abs", &[ty], bits, &[difference])
            }
            VideoOp::Average => {
                // Halves are rounded up, but those of negative sums down.
                let sum = self.lane("add", &[ty], bits, &[a, b])?;
                let one = self.truth("ge", ty, sum, Arg::Bits(0))?;
                let sum = self.lane("add", &[ty], bits, &[sum, one])?;
                self.lane("shr", &[ty], bits, &[sum, Arg::Bits(1)])
            }
            VideoOp::Set(cmp) => self.truth(cmp, ty, a, b),
            VideoOp::ShiftLeft | VideoOp::ShiftRight | VideoOp::Product { .. } => None,
        }
    }

    /// 1 where a comparison holds, else 0.
    fn truth(&mut self, cmp: &str, ty: &str, a: Arg, b: Arg) -> Option<Arg> {
        let holds = self.lane("setp", &[cmp, ty], 1, &[a, b])?;
        let (name, bits) = if ty == "s64" { ("b64", 64) } else { ("b32", 32) };
        self.lane("selp", &[name], bits, &[Arg::Bits(1), Arg::Bits(0), holds])
    }
}

/// The function of an ordinary instruction.
pub(super) fn scalar(base: &str, suffixes: &[&str], sources: usize) -> Option<Lanewise> {
    let shapes = [Shape::Scalar; 6];
    match find(base, suffixes, shapes.get(..=sources)?).ok()?.action {
        Action::Effect(Effect::Lanewise(lanes)) => Some(lanes),
        _ => None,
    }
}

fn letter(signed: bool) -> char {
    if signed { 's' } else { 'u' }
}

/// `b0` to `b3`, `h0`, `h1`; `None` for anything else.
fn part(name: &str) -> Option<Part> {
    Some(match name {
        "b0" => (0, 8),
        "b1" => (8, 8),
        "b2" => (16, 8),
        "b3" => (24, 8),
        "h0" => (0, 16),
        "h1" => (16, 16),
        _ => return None,
    })
}

/// The part that is named, or none; `None` if the name is none of a part.
#[allow(clippy::option_option)]
fn unwrap(part: Option<Option<Part>>) -> Option<Option<Part>> {
    match part {
        None => Some(None),
        Some(part) => part.map(Some),
    }
}

/// `3210` as numbers below `most`, the lowest place first.
fn digits(name: &str, most: u8) -> Option<Vec<u8>> {
    name.bytes().rev().map(|byte| byte.checked_sub(b'0').filter(|digit| *digit < most)).collect()
}
