//! Matrix descriptors: where the elements of a matrix lie in shared memory (PTX ISA 9.0, 9.7.15.5.1.2 and 9.7.16.4.1).
//!
//! A matrix is made of lines of 16 bytes. *K-major*, the elements of a line follow one another in the depth K;
//! otherwise in the rows of A or the columns of B (*MN-major*). Eight lines side by side are a core matrix, and the
//! two offsets say how far it is to the next core matrix in either direction. Where a swizzle is given, a row of a core
//! matrix is a row of 32, 64 or 128 bytes, of which the lines change places ([`Swizzle`]).
//!
//! Missed: a base offset, for matrices whose pattern begins elsewhere, swizzling of units of 32 bytes, and leading
//! dimensions that are addresses, which are unsupported.

use crate::isa::Swizzle;

/// Bytes of a line, and what addresses and offsets are multiples of.
pub(super) const LINE: u64 = 16;

/// A matrix in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Descriptor {
    /// The lowest bits of its address.
    start: u64,
    /// The leading dimension byte offset.
    leading: u64,
    /// The stride dimension byte offset.
    stride: u64,
    /// The base offset, in rows of 128 bytes.
    pub(super) base: u64,
    pub(super) swizzle: Swizzle,
}

impl Descriptor {
    /// Takes the 64 bits of one apart.
    pub(super) fn new(bits: u64) -> Descriptor {
        let field = |low: u32| (bits >> low & 0x3fff) * LINE;
        let swizzle = [Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32][(bits >> 62) as usize];
        Descriptor { start: field(0), leading: field(16), stride: field(32), base: bits >> 49 & 7, swizzle }
    }

    /// The same as products in tensor memory have them (9.7.16.4.1), or what of one has no meaning here.
    pub(super) fn of_tensor_memory(bits: u64) -> Result<Descriptor, &'static str> {
        if bits >> 46 & 7 != 1 {
            return Err("a matrix descriptor whose bits 46 to 48 are not 0b001");
        }
        if bits >> 49 & 7 != 0 {
            return Err("a matrix descriptor with a base offset");
        }
        if bits >> 52 & 1 != 0 {
            return Err("a matrix descriptor whose leading dimension is an address");
        }
        if bits >> 53 & 0xff != 0 {
            return Err("a matrix descriptor with reserved bits that are set");
        }
        let swizzle = match bits >> 61 {
            0 => Swizzle::None,
            2 => Swizzle::B128,
            4 => Swizzle::B64,
            6 => Swizzle::B32,
            1 => return Err("a matrix descriptor with 128-byte swizzling of 32-byte units"),
            _ => return Err("a matrix descriptor with a swizzle that does not exist"),
        };
        Ok(Descriptor { swizzle, base: 0, ..Descriptor::new(bits) })
    }

    /// The address of a line, counted as the start's bits are: a sum of start and offsets that does not fit them does
    /// not come round (on an H200, driver 580.159, it is an illegal address). K-major: row of A or column of B, and
    /// line in the depth; otherwise line in the rows or columns, and place in the depth.
    pub(super) fn line(&self, k_major: bool, outer: u64, depth: u64) -> u64 {
        // Bytes of a swizzled row.
        let span = self.swizzle.width().map_or(LINE, u64::from);
        let in_row = span / LINE;
        let offset = match (k_major, span) {
            (true, LINE) => outer % 8 * LINE + outer / 8 * self.stride + depth * self.leading,
            (true, span) => outer % 8 * span + outer / 8 * self.stride + depth * LINE,
            (false, LINE) => depth % 8 * LINE + outer * self.stride + depth / 8 * self.leading,
            (false, span) => {
                outer % in_row * LINE
                    + outer / in_row * self.leading
                    + depth % 8 * span
                    + depth / 8 * self.stride
            }
        };
        self.swizzle.place(self.start + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(start: u64, leading: u64, stride: u64, mode: u64) -> Descriptor {
        Descriptor::new(start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62)
    }

    /// Tiles of 64 f16 in the depth, as tensor copies write them: line c of row r is the line c ^ (r % 8) there.
    #[test]
    fn rows_of_128_bytes() {
        let a = describe(2048, 16, 1024, 1);
        for (row, line) in [(0, 0), (3, 1), (9, 0), (63, 1)] {
            let slice = |at: u64| describe(2048 + at * 32, 16, 1024, 1);
            for at in 0..4 {
                let place = 2048 + row * 128 + ((at * 2 + line) ^ (row % 8)) * 16;
                assert_eq!(slice(at).line(true, row, line), place);
            }
            assert_eq!(a.line(true, row, line), 2048 + row * 128 + (line ^ (row % 8)) * 16);
        }
        // 64 columns in a row, sixteen rows of the depth, then 64 more columns.
        let b = describe(0, 2048, 1024, 1);
        assert_eq!(b.line(false, 3, 10), 1024 + 2 * 128 + 16);
        assert_eq!(b.line(false, 9, 1), 2048 + 128);
    }

    #[test]
    fn products_in_tensor_memory_write_the_swizzle_in_three_bits() {
        let bits = 2048 >> 4 | 1 << 16 | 1024 >> 4 << 32 | 1 << 46;
        let whole = Descriptor::of_tensor_memory(bits | 2 << 61).unwrap();
        assert_eq!(whole.line(true, 9, 1), describe(2048, 16, 1024, 1).line(true, 9, 1));
        let half = Descriptor::of_tensor_memory(bits | 4 << 61).unwrap();
        assert_eq!(half.line(true, 5, 1), describe(2048, 16, 1024, 2).line(true, 5, 1));
        for wrong in [bits ^ 1 << 46, bits | 1 << 61, bits | 3 << 61, bits | 1 << 52, bits | 1 << 49] {
            assert!(Descriptor::of_tensor_memory(wrong).is_err());
        }
    }

    #[test]
    fn rows_of_64_and_32_bytes_and_core_matrices() {
        assert_eq!(describe(0, 16, 512, 2).line(true, 5, 1), 5 * 64 + (1 ^ 2) * 16);
        assert_eq!(describe(0, 16, 256, 3).line(true, 5, 1), 5 * 32);
        assert_eq!(describe(0, 16, 256, 3).line(true, 12, 1), 256 + 4 * 32);
        let plain = describe(4096, 128, 256, 0);
        assert_eq!(plain.line(true, 10, 1), 4096 + 2 * 16 + 256 + 128);
        assert_eq!(plain.line(false, 2, 9), 4096 + 16 + 2 * 256 + 128);
    }
}
