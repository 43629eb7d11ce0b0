//! Fields, insertions and permutations whose place is data: the meaning evaluated against the instruction executed.

use super::probe::{lowered, module};
use crate::base::{Budget, Format, FormatClass};
use crate::isa::{Effect, Meaning, WARP};
use crate::term::eval::{Cone, Quantity, Reals, evaluate};
use crate::term::{Term, Terms};
use num_bigint::BigInt;
use num_rational::BigRational;

/// Words that a data operand may be.
fn words(width: u32) -> Vec<u64> {
    let all = u64::MAX >> (64 - width);
    [0, 1, 0x80, 0xff, 0x7f80_ff01, 0x8000_0000, 0x0123_4567_89ab_cdef, 0x8000_0000_0000_0000, u64::MAX]
        .into_iter()
        .map(|word| word & all)
        .collect()
}

fn integer(format: Format, word: u64) -> Quantity {
    let value = match format.class() {
        FormatClass::Signed => {
            let unused = 64 - format.bits();
            BigInt::from((word << unused) as i64 >> unused)
        }
        _ => BigInt::from(word),
    };
    Quantity::rational(&BigRational::from_integer(value))
}

/// Compares the meaning of an instruction of registers alone with its execution, at all combinations of words.
fn check(instruction: &str, places: &[u64]) {
    let kernel = lowered(&module(&format!("{instruction};"))).expect("lowers").kernel;
    let Effect::Lanewise(lanes) = kernel.code[0].effect else { panic!("{instruction}") };
    let count = usize::from(lanes.sources);
    let mut terms = Terms::new();
    let sources: Vec<Term> = (0..count as u32).map(Term::element).collect();
    let root = match lanes.meaning {
        Meaning::Partial(meaning) | Meaning::Rearrange(_, meaning) => meaning(&mut terms, &sources),
        _ => panic!("{instruction}"),
    };
    let root = root.expect("a meaning for data");
    let root = terms.bits_of(lanes.dst, root);
    let cone = Cone::of(&terms, &[root], &Budget::default()).unwrap();
    let moved = usize::from(lanes.moves).max(1);
    let choices: Vec<Vec<u64>> =
        (0..count).map(|at| if at < moved { words(lanes.src[at].bits()) } else { places.to_vec() }).collect();
    let mut scratch = Vec::new();
    for number in 0..choices.iter().map(Vec::len).product() {
        let mut rest: usize = number;
        let own: Vec<u64> = choices
            .iter()
            .map(|choices| {
                let choice = choices[rest % choices.len()];
                rest /= choices.len();
                choice
            })
            .collect();
        let element = |at: u32| integer(lanes.src[at as usize], own[at as usize]);
        let constants: Vec<Quantity> = terms.constants().iter().map(|_| Quantity::Unknown).collect();
        let domain = Reals { element: &element, constants: &constants };
        let found = evaluate(&cone, &domain, &Budget::default(), &mut scratch).unwrap()[0];
        let registers: [[u64; WARP]; 4] = std::array::from_fn(|at| [own.get(at).copied().unwrap_or(0); WARP]);
        let (mut first, mut second) = ([0; WARP], [0; WARP]);
        let [a, b, c, d] = &registers;
        (lanes.concrete)(&[a, b, c, d], &mut first, &mut second);
        assert_eq!(found, Quantity::Bits(first[0]), "{instruction} on {own:x?}");
    }
}

#[test]
fn fields_by_data_are_what_the_instruction_gives() {
    let places: Vec<u64> = (0..70).chain([127, 128, 255, 256, 0x102, 0xffff_ffff, 0x8000_0005]).collect();
    for (d, a, b, width) in [("%r1", "%r2", "%r3", 32), ("%rd1", "%rd2", "%rd3", 64)] {
        for sign in ["u", "s"] {
            check(&format!("bfe.{sign}{width} {d}, {a}, %r4, %r5"), &places);
        }
        check(
            &format!("bfi.b{width} {d}, {a}, {b}, %r4, %r5"),
            &[0, 1, 7, 31, 32, 33, 63, 64, 255, 256, 0x109],
        );
    }
    for mode in ["clamp", "wrap"] {
        for sign in ["u", "s"] {
            check(&format!("szext.{mode}.{sign}32 %r1, %r2, %r3"), &places);
        }
    }
}

#[test]
fn permutations_by_data_are_what_the_instruction_gives() {
    let nibbles = (0..16).flat_map(|nibble| (0..4).map(move |at| nibble << (4 * at)));
    let selectors: Vec<u64> =
        nibbles.chain([0x3210, 0x7654, 0xfedc, 0x8f07, 0xffff_ffff, 0xabcd_1234]).collect();
    check("prmt.b32 %r1, %r2, %r3, %r4", &selectors);
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] {
        check(&format!("prmt.b32.{mode} %r1, %r2, %r3, %r4"), &[0, 1, 2, 3, 4, 5, 6, 7, 0xffff_fffe]);
    }
}
