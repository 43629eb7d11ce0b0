//! Sparse matrices of `mma.sp`: half of a row's elements, and where in the row they belong.
//!
//! The left matrix is stored without its zeros, m × k/2, and laid out as a dense matrix of that size.
//! Four bits of metadata tell for each chunk of a row which elements are stored: two 2-bit positions
//! among four elements (or among four pairs, for elements of four bits), the first stored one in the
//! low bits; for tf32 one of two neighbours. Register after register, row group before row group, the
//! chunks of the four lanes of a group follow each other; one, two or four lanes of each group give
//! these words, and the sparsity selector says which.
//!
//! Source: PTX ISA 9.0, 9.7.14.6.1 and 9.7.14.6.2 (figures of the metadata layouts).

use super::fragment::Fragment;

/// Elements that a chunk of the matrix stores.
fn stored(a: Fragment) -> u32 {
    match a.bits {
        32 => 1,
        4 => 4,
        _ => 2,
    }
}

/// Columns of the stored matrix that one register covers in four lanes.
fn span(a: Fragment) -> u32 {
    4 * a.packed()
}

/// Bits of metadata for one register in four lanes.
fn register_bits(a: Fragment) -> u32 {
    span(a) / stored(a) * 4
}

/// Lanes of each group of four that give metadata. Selectors below 4 by this are defined.
pub fn givers(a: Fragment) -> u32 {
    u32::from(a.registers) * register_bits(a) / 32
}

/// Where the four bits for a stored element are: which of the words that a group gives, and the
/// number of its lowest bit.
pub fn place(a: Fragment, row: u32, col: u32) -> (u32, u32) {
    let register = col / span(a) * 2 + row / 8;
    let bit = register * register_bits(a) + col % span(a) / stored(a) * 4;
    (bit / 32, bit % 32)
}

/// The column of the full matrix to which a stored element belongs; `None` where the manual leaves
/// the behaviour undefined.
pub fn column(a: Fragment, ordered: bool, bits: u32, col: u32) -> Option<u32> {
    let stored = stored(a);
    let (chunk, within) = (col / stored, col % stored);
    if stored == 1 {
        return match bits {
            0b0100 => Some(chunk * 2),
            0b1110 => Some(chunk * 2 + 1),
            _ => None,
        };
    }
    let (first, second) = (bits & 3, bits >> 2);
    if first == second || ordered && first > second {
        return None;
    }
    let each = stored / 2;
    let position = if within < each { first } else { second };
    Some(chunk * stored * 2 + position * each + within % each)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::Part;
    use super::*;
    use crate::base::Format;

    /// The example of the manual's figures, and what they leave undefined.
    #[test]
    fn columns_follow_the_metadata() {
        let halves = Fragment::mma(Part::A, (16, 8, 8), Format::F16);
        let of = |bits| [0, 1].map(|col| column(halves, true, bits, 2 + col));
        assert_eq!(of(0b0100), [Some(4), Some(5)]);
        assert_eq!(of(0b1001), [Some(5), Some(6)]);
        assert_eq!(of(0b1110), [Some(6), Some(7)]);
        for undefined in [0b0000, 0b0101, 0b1010, 0b1111] {
            assert_eq!(column(halves, false, undefined, 0), None);
        }
        assert_eq!(column(halves, true, 0b0001, 0), None);
        assert_eq!(column(halves, false, 0b0001, 0), Some(1));
        let nibbles = Fragment::narrow(Part::A, (16, 8, 32), Format::S8, 4);
        let of = |bits| [0, 1, 2, 3].map(|col| column(nibbles, true, bits, col));
        assert_eq!(of(0b1101), [Some(2), Some(3), Some(6), Some(7)]);
    }

    #[test]
    fn every_bit_of_the_metadata_is_used_once_per_chunk() {
        for (k, format, bits, lanes) in [
            (16, Format::F16, 16, 1),
            (32, Format::F16, 16, 2),
            (8, Format::Tf32, 32, 1),
            (16, Format::Tf32, 32, 2),
            (32, Format::S8, 8, 2),
            (64, Format::S8, 8, 4),
            (64, Format::S8, 4, 2),
            (128, Format::S8, 4, 4),
        ] {
            let a = Fragment::narrow(Part::A, (16, 8, k / 2), format, bits);
            assert_eq!(givers(a), lanes);
            let mut seen = vec![0; lanes as usize * 8];
            for row in [0, 8] {
                for col in 0..u32::from(k) / 2 {
                    let (word, bit) = place(a, row, col);
                    seen[(word * 8 + bit / 4) as usize] += 1;
                }
            }
            assert!(seen.iter().all(|count| *count == stored(a)), "{k} {format}");
        }
    }
}
