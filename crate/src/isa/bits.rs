//! Lane functions whose constants are operands: lop3's table and prmt's modes.

use super::LaneFn;
use super::effect::Pick;
use super::lanes::lanes;

/// `lop3.b32 d, a, b, c, table`: bit `4a+2b+c` of the table for every bit position.
pub(super) const LOP3: LaneFn = lanes!(|a: u32, b: u32, c: u32, table: u32| -> u32 {
    let mut result = 0u32;
    let mut minterm = 0;
    while minterm < 8 {
        let pick = 0u32.wrapping_sub(table >> minterm & 1);
        let a = if minterm & 4 != 0 { a } else { !a };
        let b = if minterm & 2 != 0 { b } else { !b };
        let c = if minterm & 1 != 0 { c } else { !c };
        result |= pick & a & b & c;
        minterm += 1;
    }
    result
});

/// One byte of `b:a` by a selector nibble; its high bit replicates the byte's sign.
#[inline(always)]
pub(super) fn permuted_byte(word: u64, selector: u32) -> u32 {
    let byte = (word >> (8 * (selector & 7))) as u8;
    let sign = if byte & 0x80 != 0 { 0xff } else { 0 };
    u32::from(if selector & 8 != 0 { sign } else { byte })
}

/// Four bytes of `b:a` by four selector nibbles.
#[inline(always)]
pub(super) fn permute(a: u32, b: u32, selectors: u32) -> u32 {
    let word = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, at| result | permuted_byte(word, selectors >> (4 * at)) << (8 * at))
}

/// The selectors that a mode of `prmt.b32` makes of its control: forward four extract, backward four
/// extract, replicate 8, edge clamp left, edge clamp right, replicate 16 (manual, 9.7.9.7).
#[inline(always)]
const fn selectors(mode: u8, control: u32) -> u32 {
    const fn limited(way: u32, least: bool) -> u32 {
        let (mut all, mut at) = (0, 0);
        while at < 4 {
            let pick = if (at < way) == least { way } else { at };
            all |= pick << (4 * at);
            at += 1;
        }
        all
    }
    let way = control & 3;
    match mode {
        0 => 0x3210 + 0x1111 * way,
        1 => way | ((way + 7) & 7) << 4 | ((way + 6) & 7) << 8 | ((way + 5) & 7) << 12,
        2 => 0x1111 * way,
        3 => limited(way, true),
        4 => limited(way, false),
        _ if way & 1 == 0 => 0x1010,
        _ => 0x3232,
    }
}

/// `prmt.b32` in its modes.
pub(super) fn permute_mode(mode: Option<&str>) -> Option<LaneFn> {
    Some(match mode {
        None => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, c) }),
        Some("f4e") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(0, c)) }),
        Some("b4e") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(1, c)) }),
        Some("rc8") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(2, c)) }),
        Some("ecl") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(3, c)) }),
        Some("ecr") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(4, c)) }),
        Some("rc16") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, selectors(5, c)) }),
        Some(_) => return None,
    })
}

// ---- where the bytes of a result come from, for operands with symbolic bytes --------------------

const NOTHING: [Pick; 8] = [Pick::Known(0); 8];

/// `prmt` with the selector as source 2.
pub(super) fn picks_of_permute(known: &[Option<u64>; 4]) -> Option<[Pick; 8]> {
    let selector = known[2]?;
    let mut picks = NOTHING;
    for (at, pick) in picks.iter_mut().enumerate().take(4) {
        let choice = (selector >> (4 * at) & 0xf) as u8;
        if choice & 8 != 0 {
            return None; // a sign, spread over a byte
        }
        *pick = Pick::Byte { source: choice >> 2, at: choice & 3 };
    }
    Some(picks)
}

/// `prmt` in a mode, with the control as source 2.
pub(super) fn picks_of_mode<const M: u8>(known: &[Option<u64>; 4]) -> Option<[Pick; 8]> {
    picks_of_permute(&[None, None, Some(selectors(M, known[2]? as u32).into()), None])
}

/// `bfe` of whole bytes: position and length are sources 1 and 2.
pub(super) fn picks_of_extract(known: &[Option<u64>; 4]) -> Option<[Pick; 8]> {
    let (from, count) = (whole_bytes(known[1]?)?, whole_bytes(known[2]?)?);
    let mut picks = NOTHING;
    for (at, pick) in picks.iter_mut().enumerate().take(count) {
        *pick = Pick::Byte { source: 0, at: (from + at) as u8 };
    }
    Some(picks)
}

/// `bfi` of whole bytes: position and length are sources 2 and 3.
pub(super) fn picks_of_insert(known: &[Option<u64>; 4]) -> Option<[Pick; 8]> {
    let (to, count) = (whole_bytes(known[2]?)?, whole_bytes(known[3]?)?);
    Some(std::array::from_fn(|at| match at.checked_sub(to) {
        Some(from) if from < count => Pick::Byte { source: 0, at: from as u8 },
        _ => Pick::Byte { source: 1, at: at as u8 },
    }))
}

/// `shf` by whole bytes, source 2; the sources are the low and the high half.
pub(super) fn picks_of_funnel(left: bool, by: u64) -> Option<[Pick; 8]> {
    let by = whole_bytes(by)?;
    let first = if left { 4 - by.min(4) } else { by.min(4) };
    let mut picks = NOTHING;
    for (at, pick) in picks.iter_mut().enumerate().take(4) {
        let from = (first + at) as u8;
        *pick = Pick::Byte { source: from / 4, at: from % 4 };
    }
    Some(picks)
}

/// A number of bits as a number of bytes; only the low eight bits count, as in `bfe`.
fn whole_bytes(bits: u64) -> Option<usize> {
    let bits = bits & 0xff;
    (bits.is_multiple_of(8) && bits <= 64).then_some(bits as usize / 8)
}
