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

/// `prmt.b32` in its modes: default, forward four extract, backward four extract, replicate 8,
/// edge clamp left, edge clamp right, replicate 16 (manual, 9.7.9.7).
pub(super) fn permute_mode(mode: Option<&str>) -> Option<LaneFn> {
    Some(match mode {
        None => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, c) }),
        Some("f4e") => lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let c = c & 3;
            permute(a, b, 0x3210 + 0x1111 * c)
        }),
        Some("b4e") => lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let first = c & 3;
            permute(a, b, first | ((first + 7) & 7) << 4 | ((first + 6) & 7) << 8 | ((first + 5) & 7) << 12)
        }),
        Some("rc8") => lanes!(|a: u32, b: u32, c: u32| -> u32 { permute(a, b, 0x1111 * (c & 3)) }),
        Some("ecl") => lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let least = c & 3;
            permute(a, b, least | 1u32.max(least) << 4 | 2u32.max(least) << 8 | 3u32.max(least) << 12)
        }),
        Some("ecr") => lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let most = c & 3;
            permute(a, b, 1u32.min(most) << 4 | 2u32.min(most) << 8 | 3u32.min(most) << 12)
        }),
        Some("rc16") => lanes!(|a: u32, b: u32, c: u32| -> u32 {
            permute(a, b, if c & 1 == 0 { 0x1010 } else { 0x3232 })
        }),
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
