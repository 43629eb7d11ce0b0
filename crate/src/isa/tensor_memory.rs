//! Tensor memory and what works on it (`tcgen05`; PTX ISA 9.0, 9.7.16): where registers lie in it, and what a descriptor
//! of a product says.
//!
//! Tensor memory of a CTA has 128 lanes of 512 columns, each of 32 bits. An address has the lane in its upper half, the
//! column in its lower one.
//!
//! Sources: 9.7.16.2.3.1 (matrix fragments; the manual has them as figures, which CUTLASS's `copy_traits_sm100.hpp`
//! says in numbers), 9.7.16.4.2 (instruction descriptors), 9.7.16.10.5 (layouts D and F), 9.7.16.10.7 (scales of blocks),
//! 9.7.16.9.2 (copies; their lanes also in TVM's description of `tcgen05.cp`).

use super::{Scales, WARP};
use crate::base::Format;

/// Lanes of tensor memory.
pub const LANES: u32 = 128;
/// Columns of tensor memory.
pub const COLUMNS: u32 = 512;
/// Columns that are taken and given back together.
pub const UNIT: u32 = 32;

/// One thing that a thread, or a warp, does with tensor memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TensorMemoryOp {
    /// A warp takes columns, of its CTA or of a pair of CTAs together with a warp of the other one. Sources: where in
    /// shared memory their address goes; how many.
    Allocate {
        /// Of a pair.
        pair: bool,
    },
    /// A warp gives columns back. Sources: their address; how many.
    Deallocate {
        /// Of a pair.
        pair: bool,
    },
    /// The CTA takes no more columns.
    Relinquish {
        /// It is one of a pair.
        pair: bool,
    },
    /// A warp loads. Destinations: the registers. Sources: the address, [columns from there to the second half].
    Load(TensorMove),
    /// A warp stores. Sources: the address, [columns from there to the second half,] the registers.
    Store(TensorMove),
    /// A warp waits for its loads.
    WaitLoads,
    /// A warp waits for its stores.
    WaitStores,
    /// What the thread has started comes before what others do behind a synchronization (`before_thread_sync`).
    Before,
    /// What the thread starts comes after what others did before a synchronization (`after_thread_sync`).
    After,
    /// A thread starts a product. Sources: the address of D, A (a matrix descriptor, or an address), the matrix
    /// descriptor of B, the instruction descriptor, [four masks of lanes of D that stay,] whether D is added, [by which
    /// power of two it is divided before; or the addresses of the scales of A and B].
    Multiply(TensorProduct),
    /// A thread starts a copy from shared memory. Sources: the address, a matrix descriptor.
    Copy(TensorImage),
    /// A barrier object will count one arrival once what the thread has started is over. Sources: its address, [the
    /// ranks of the CTAs in which one at the same place counts, as bits].
    Commit {
        /// The ranks are given.
        multicast: bool,
        /// What was started works on a pair of CTAs.
        pair: bool,
    },
}

impl TensorMemoryOp {
    /// Whether a whole warp does it together.
    pub fn is_of_whole_warp(self) -> bool {
        match self {
            TensorMemoryOp::Allocate { .. }
            | TensorMemoryOp::Deallocate { .. }
            | TensorMemoryOp::Relinquish { .. }
            | TensorMemoryOp::Load(_)
            | TensorMemoryOp::Store(_)
            | TensorMemoryOp::WaitLoads
            | TensorMemoryOp::WaitStores => true,
            TensorMemoryOp::Before
            | TensorMemoryOp::After
            | TensorMemoryOp::Multiply(_)
            | TensorMemoryOp::Copy(_)
            | TensorMemoryOp::Commit { .. } => false,
        }
    }
}

impl TensorMemoryOp {
    /// Whether it is about a pair of CTAs, if it says so: all of a kernel have to say the same (9.7.16.5).
    pub fn is_of_pair(self) -> Option<bool> {
        match self {
            TensorMemoryOp::Allocate { pair }
            | TensorMemoryOp::Deallocate { pair }
            | TensorMemoryOp::Relinquish { pair }
            | TensorMemoryOp::Commit { pair, .. } => Some(pair),
            TensorMemoryOp::Multiply(product) => Some(product.pair),
            TensorMemoryOp::Copy(image) => Some(image.pair),
            TensorMemoryOp::Load(_)
            | TensorMemoryOp::Store(_)
            | TensorMemoryOp::WaitLoads
            | TensorMemoryOp::WaitStores
            | TensorMemoryOp::Before
            | TensorMemoryOp::After => None,
        }
    }
}

/// What a copy from shared memory brings: rows of lines of 16 bytes, each row to one lane or to several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorImage {
    /// Rows.
    pub rows: u8,
    /// Columns: four for each line of a row.
    pub columns: u8,
    /// The lanes of a row.
    pub spread: Spread,
    /// Each CTA of a pair copies.
    pub pair: bool,
}

/// Where the rows of a copy go, counted from the lane of the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spread {
    /// A lane each, side by side.
    Straight,
    /// Each row to the first lane of another warp's (`.4x256b`).
    Corners,
    /// To the lanes of warps 0 and 1, and again to those of 2 and 3 (`.warpx2::02_13`).
    Halves,
    /// To the lanes of warps 0 and 2, and again to those of 1 and 3 (`.warpx2::01_23`).
    Neighbours,
    /// To the lanes of each warp (`.warpx4`).
    All,
}

impl TensorImage {
    /// The one that the manual calls so.
    pub fn named(shape: &str, spread: Option<&str>, pair: bool) -> Option<TensorImage> {
        let (rows, columns, spread) = match (shape, spread) {
            ("128x256b", None) => (128, 8, Spread::Straight),
            ("128x128b", None) => (128, 4, Spread::Straight),
            ("4x256b", None) => (4, 8, Spread::Corners),
            ("64x128b", Some("warpx2::02_13")) => (64, 4, Spread::Halves),
            ("64x128b", Some("warpx2::01_23")) => (64, 4, Spread::Neighbours),
            ("32x128b", Some("warpx4")) => (32, 4, Spread::All),
            _ => return None,
        };
        Some(TensorImage { rows, columns, spread, pair })
    }

    /// The lanes of a row.
    pub fn lanes(self, row: u32) -> impl Iterator<Item = u32> {
        let (first, apart, copies) = match self.spread {
            Spread::Straight => (row, 0, 1),
            Spread::Corners => (row * 32, 0, 1),
            Spread::Halves => (row, 64, 2),
            Spread::Neighbours => (row / 32 * 64 + row % 32, 32, 2),
            Spread::All => (row, 32, 4),
        };
        (0..copies).map(move |copy| first + copy * apart)
    }
}

/// What a warp loads or stores at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorMove {
    /// Its shape.
    pub shape: TensorShape,
    /// Registers of each lane.
    pub registers: u8,
    /// A register is the lower halves of two columns (`.pack::16b`, `.unpack::16b`).
    pub halves: bool,
}

/// Lanes of tensor memory, and bits of each, that a load or store of one repetition touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TensorShape {
    /// `.32x32b`
    L32B32,
    /// `.16x64b`
    L16B64,
    /// `.16x128b`
    L16B128,
    /// `.16x256b`
    L16B256,
    /// `.16x32bx2`: two accesses, whose columns lie apart.
    L16B32X2,
}

impl TensorShape {
    /// The one that the manual calls so.
    pub fn named(name: &str) -> Option<TensorShape> {
        Some(match name {
            "32x32b" => TensorShape::L32B32,
            "16x64b" => TensorShape::L16B64,
            "16x128b" => TensorShape::L16B128,
            "16x256b" => TensorShape::L16B256,
            "16x32bx2" => TensorShape::L16B32X2,
            _ => return None,
        })
    }

    /// Registers of a repetition.
    pub fn registers(self) -> u32 {
        match self {
            TensorShape::L32B32 | TensorShape::L16B64 | TensorShape::L16B32X2 => 1,
            TensorShape::L16B128 => 2,
            TensorShape::L16B256 => 4,
        }
    }

    /// Lanes of tensor memory.
    pub fn lanes(self) -> u32 {
        if self == TensorShape::L32B32 { WARP as u32 } else { 16 }
    }
}

/// Where a register of a lane of the warp lies, counted from the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorPlace {
    /// Lane of tensor memory.
    pub lane: u32,
    /// Column, or column of registers where a register is two halves.
    pub column: u32,
    /// It belongs to the second access of `.16x32bx2`.
    pub second: bool,
}

impl TensorMove {
    /// Where register `number` of lane `lane` of the warp lies.
    pub fn place(self, lane: u32, number: u32) -> TensorPlace {
        let at = |lane, column| TensorPlace { lane, column, second: false };
        match self.shape {
            TensorShape::L32B32 => at(lane, number),
            TensorShape::L16B64 => at(lane / 4 + lane % 2 * 8, number * 2 + lane / 2 % 2),
            TensorShape::L16B128 => at(lane / 4 + number % 2 * 8, number / 2 * 4 + lane % 4),
            TensorShape::L16B256 => {
                at(lane / 4 + number / 2 % 2 * 8, number / 4 * 8 + lane % 4 * 2 + number % 2)
            }
            TensorShape::L16B32X2 => TensorPlace { lane: lane % 16, column: number, second: lane >= 16 },
        }
    }
}

/// What a product is written with; the rest is in its instruction descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorProduct {
    /// The elements of A and B.
    pub kind: ProductKind,
    /// A lies in tensor memory.
    pub held: bool,
    /// Lanes of D may stay as they are.
    pub masked: bool,
    /// D is divided by a power of two first.
    pub scaled: bool,
    /// Blocks of k that have scales of their own; 0 where nothing is scaled.
    pub blocks: u8,
    /// A pair of CTAs works on it: each has half of the rows of A and D, and half of the columns of B.
    pub pair: bool,
}

/// What products are told apart by: `.kind::f16`, ….
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ProductKind {
    F16,
    Tf32,
    F8F6F4,
    I8,
    MxF8F6F4,
    MxF4,
    MxF4NvF4,
}

/// A product as its instruction descriptor says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorShapeOfProduct {
    /// Rows of A and D, in each CTA.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Elements of A, B, and D.
    pub formats: [Format; 3],
    /// Bits of the place of an element of A or B: floats of less than a byte may have a byte each.
    pub place: u8,
    /// The scales of blocks, and which byte of a column the first one of A is, and of B.
    pub scales: Option<(Scales, [u32; 2])>,
    /// Signs of A and B change.
    pub negated: [bool; 2],
    /// A and B lie transposed in shared memory: MN-major.
    pub turned: [bool; 2],
    /// Sums of integers stop at the ends of their range.
    pub saturate: bool,
}

impl ProductKind {
    /// The one that the manual calls so, behind `kind::`.
    pub fn named(name: &str) -> Option<ProductKind> {
        Some(match name {
            "kind::f16" => ProductKind::F16,
            "kind::tf32" => ProductKind::Tf32,
            "kind::f8f6f4" => ProductKind::F8F6F4,
            "kind::i8" => ProductKind::I8,
            "kind::mxf8f6f4" => ProductKind::MxF8F6F4,
            "kind::mxf4" => ProductKind::MxF4,
            "kind::mxf4nvf4" => ProductKind::MxF4NvF4,
            _ => return None,
        })
    }

    /// Whether blocks have scales.
    pub fn is_scaled(self) -> bool {
        matches!(self, ProductKind::MxF8F6F4 | ProductKind::MxF4 | ProductKind::MxF4NvF4)
    }

    /// The elements of A or B that a code says.
    fn element(self, code: u32) -> Option<Format> {
        Some(match (self, code) {
            (ProductKind::F16, 0) => Format::F16,
            (ProductKind::F16, 1) => Format::Bf16,
            (ProductKind::Tf32, 2) => Format::Tf32,
            (ProductKind::F8F6F4 | ProductKind::MxF8F6F4, 0) => Format::E4m3,
            (ProductKind::F8F6F4 | ProductKind::MxF8F6F4, 1) => Format::E5m2,
            (ProductKind::F8F6F4 | ProductKind::MxF8F6F4, 3) => Format::E2m3,
            (ProductKind::F8F6F4 | ProductKind::MxF8F6F4, 4) => Format::E3m2,
            (ProductKind::F8F6F4 | ProductKind::MxF8F6F4, 5) => Format::E2m1,
            (ProductKind::MxF4 | ProductKind::MxF4NvF4, 1) => Format::E2m1,
            (ProductKind::I8, 0) => Format::U8,
            (ProductKind::I8, 1) => Format::S8,
            _ => return None,
        })
    }

    /// Columns of A.
    fn depth(self) -> u32 {
        match self {
            ProductKind::Tf32 => 8,
            ProductKind::F16 => 16,
            ProductKind::F8F6F4 | ProductKind::I8 | ProductKind::MxF8F6F4 => 32,
            ProductKind::MxF4 | ProductKind::MxF4NvF4 => 64,
        }
    }

    /// What the instruction descriptor of a product with so many scales in a row says (tables 43 and 44).
    fn describe_scaled(self, bits: u32, blocks: u8, pair: bool) -> Result<TensorShapeOfProduct, String> {
        let field = |low: u32, width: u32| bits >> low & ((1 << width) - 1);
        let unknown = |what: &str| Err(format!("an instruction descriptor ({bits:#010x}) with {what}"));
        if field(2, 1) != 0 {
            return unknown("a sparse A, in an instruction that has none");
        }
        let nibbles = self != ProductKind::MxF8F6F4;
        if field(0, 2) != 0 || field(3, 1) != 0 || field(6, 1) != 0 || nibbles && field(12, 1) != 0 {
            return unknown("reserved bits that are set");
        }
        if field(31, 1) != 0 {
            return unknown("a depth of 96; 64 is known");
        }
        let codes = [field(7, 3), field(10, if nibbles { 2 } else { 3 })];
        let [Some(a), Some(b)] = codes.map(|code| self.element(code)) else {
            return unknown("elements that this kind of product has not");
        };
        let format = if field(23, 1) == 1 { Format::Ue8m0 } else { Format::E4m3 };
        if format == Format::E4m3 && (self != ProductKind::MxF4NvF4 || blocks != 4) {
            return unknown("scales of UE4M3, which only blocks of 16 have");
        }
        let (m, n) = (field(24, 5) << 4, field(17, 6) << 3);
        if m != if pair { 256 } else { 128 } {
            return unknown(&format!("{m} rows; scaled products have 128 in each thread block"));
        }
        let m = 128;
        if n == 0 || n > 256 || pair && n % 16 != 0 {
            return unknown(&format!("{n} columns"));
        }
        let turned = [field(15, 1) == 1, field(16, 1) == 1];
        // Only elements of a byte may lie transposed.
        if [(turned[0], a), (turned[1], b)].iter().any(|(turned, format)| *turned && format.is_below_byte()) {
            return unknown("transposed matrices of less than a byte");
        }
        let first = [field(29, 2), field(4, 2)];
        let step = u32::from(blocks);
        if first.iter().any(|first| first % step != 0 || first + step > 4) {
            return unknown("scales that begin at a byte where they cannot");
        }
        let place = if nibbles { 4 } else { 8 };
        Ok(TensorShapeOfProduct {
            m,
            n,
            k: self.depth(),
            formats: [a, b, Format::F32],
            place,
            scales: Some((Scales { format, blocks }, first)),
            negated: [field(13, 1) == 1, field(14, 1) == 1],
            turned,
            saturate: false,
        })
    }

    /// What an instruction descriptor says (9.7.16.4.2), or what of it has no meaning here. In a product with scales,
    /// rows have so many blocks.
    pub fn describe(self, bits: u32, blocks: u8, pair: bool) -> Result<TensorShapeOfProduct, String> {
        if self.is_scaled() {
            return self.describe_scaled(bits, blocks, pair);
        }
        let field = |low: u32, width: u32| bits >> low & ((1 << width) - 1);
        let flag = |at: u32| field(at, 1) == 1;
        let unknown = |what: &str| Err(format!("an instruction descriptor ({bits:#010x}) with {what}"));
        if flag(2) {
            return unknown("a sparse A, in an instruction that has none");
        }
        if flag(6) || flag(23) || flag(29) {
            return unknown("reserved bits that are set");
        }
        let integers = self == ProductKind::I8;
        if flag(3) && !integers || field(30, 2) != 0 {
            return unknown("bits of other kinds of products");
        }
        if integers && (flag(13) || flag(14)) {
            return unknown("negated integers");
        }
        let [Some(a), Some(b)] = [field(7, 3), field(10, 3)].map(|code| self.element(code)) else {
            return unknown("elements that this kind of product has not");
        };
        if self == ProductKind::F16 && a != b {
            return unknown("elements of A and B that differ");
        }
        let d = match (self, field(4, 2)) {
            (ProductKind::F16 | ProductKind::F8F6F4, 0) if a != Format::Bf16 => Format::F16,
            (ProductKind::F16 | ProductKind::F8F6F4 | ProductKind::Tf32, 1) => Format::F32,
            (ProductKind::I8, 2) => Format::S32,
            _ => return unknown("a type of D that this kind of product has not"),
        };
        let (all, n) = (field(24, 5) << 4, field(17, 6) << 3);
        let turned = [flag(15), flag(16)];
        // Of a pair with 128 rows, where a row lies is a figure alone.
        let m = match (pair, all) {
            (true, 256) => 128,
            (true, _) => {
                return unknown(&format!("{all} rows; pairs of thread blocks are known to have 256"));
            }
            (false, _) => all,
        };
        let step = match m {
            _ if pair && integers => 32,
            64 if integers && n > 24 => 16,
            64 => 8,
            128 => 16,
            _ => return unknown(&format!("{m} rows; 64 and 128 are known")),
        };
        if n == 0 || n > 256 || n % step != 0 || turned[1] && a.bytes() == 1 && n % 16 != 0 {
            return unknown(&format!("{n} columns, which {m} rows cannot have"));
        }
        if self == ProductKind::Tf32 && turned != [false; 2] {
            return unknown("transposed matrices of 32 bits, which need 128-byte swizzling of 32-byte units");
        }
        // Only elements of a byte may lie transposed.
        if turned[0] && a.is_below_byte() || turned[1] && b.is_below_byte() {
            return unknown("transposed matrices of less than a byte");
        }
        let place = if a.bytes() == 1 { 8 } else { a.bits() as u8 };
        Ok(TensorShapeOfProduct {
            m,
            n,
            k: self.depth(),
            formats: [a, b, d],
            place,
            scales: None,
            negated: [flag(13), flag(14)],
            turned,
            saturate: flag(3),
        })
    }
}

impl TensorShapeOfProduct {
    /// The lane of a row of D, and of A in tensor memory, counted from the address: layouts D and F.
    pub fn lane(&self, row: u32) -> u32 {
        if self.m == 64 { row / 16 * 32 + row % 16 } else { row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every register of every lane has a place of its own, and together they fill the rectangle.
    #[test]
    fn registers_fill_their_columns() {
        for (shape, repetitions) in [
            (TensorShape::L32B32, 4),
            (TensorShape::L16B64, 4),
            (TensorShape::L16B128, 2),
            (TensorShape::L16B256, 2),
            (TensorShape::L16B32X2, 4),
        ] {
            let registers = (shape.registers() * repetitions) as u8;
            let moved = TensorMove { shape, registers, halves: false };
            let places: BTreeSet<(bool, u32, u32)> = (0..WARP as u32)
                .flat_map(|lane| (0..u32::from(registers)).map(move |number| moved.place(lane, number)))
                .map(|place| (place.second, place.lane, place.column))
                .collect();
            assert_eq!(places.len(), WARP * usize::from(registers));
            let last = places.iter().map(|(_, lane, _)| *lane).max();
            assert_eq!(last, Some(shape.lanes() - 1));
            let columns = places.iter().map(|(_, _, column)| *column).max().unwrap_or(0) + 1;
            let accesses = if shape == TensorShape::L16B32X2 { 2 } else { 1 };
            assert_eq!(columns * shape.lanes() * accesses, 32 * u32::from(registers));
        }
    }

    #[test]
    fn corners_of_the_fragments() {
        let moved = |shape, registers| TensorMove { shape, registers, halves: false };
        let at = |moved: TensorMove, lane, number| {
            let place = moved.place(lane, number);
            (place.lane, place.column)
        };
        // Figure 184: lane 1 has the row eight further down, lane 2 the column beside.
        assert_eq!(at(moved(TensorShape::L16B64, 1), 1, 0), (8, 0));
        assert_eq!(at(moved(TensorShape::L16B64, 1), 2, 0), (0, 1));
        assert_eq!(at(moved(TensorShape::L16B64, 2), 31, 1), (15, 3));
        // Figure 185, as `ldmatrix`.
        assert_eq!(at(moved(TensorShape::L16B128, 2), 5, 1), (9, 1));
        // Figure 186, as the accumulators of `mma`.
        assert_eq!(at(moved(TensorShape::L16B256, 4), 6, 3), (9, 5));
        assert_eq!(at(moved(TensorShape::L16B256, 8), 6, 4), (1, 12));
    }

    #[test]
    fn descriptors_say_what_they_say() {
        let bits = 1 << 4 | 1 << 7 | 1 << 10 | 8 << 17 | 8 << 24;
        let shape = ProductKind::F16.describe(bits, 0, false).unwrap();
        assert_eq!((shape.m, shape.n, shape.k), (128, 64, 16));
        assert_eq!(shape.formats, [Format::Bf16, Format::Bf16, Format::F32]);
        assert!(ProductKind::F16.describe(bits | 1 << 2, 0, false).is_err());
        assert!(ProductKind::Tf32.describe(bits, 0, false).is_err());
        assert!(ProductKind::F16.describe(1 << 4 | 1 << 17 | 8 << 24, 0, false).is_err());
        assert!(ProductKind::F16.describe(1 << 4 | 1 << 17 | 4 << 24, 0, false).is_ok());
    }

    #[test]
    fn descriptors_of_scaled_products() {
        let bits = 1 << 7 | 1 << 10 | 2 << 17 | 8 << 24;
        let shape = ProductKind::MxF4NvF4.describe(bits, 4, false).unwrap();
        assert_eq!((shape.m, shape.n, shape.k, shape.place), (128, 16, 64, 4));
        let scales = |format, blocks| Scales { format, blocks };
        assert_eq!(shape.scales, Some((scales(Format::E4m3, 4), [0, 0])));
        // Blocks of 32 have powers of two alone, and begin at an even byte.
        assert!(ProductKind::MxF4.describe(bits, 2, false).is_err());
        let shape = ProductKind::MxF4.describe(bits | 1 << 23 | 2 << 29 | 2 << 4, 2, false).unwrap();
        assert_eq!(shape.scales, Some((scales(Format::Ue8m0, 2), [2, 2])));
        assert!(ProductKind::MxF4.describe(bits | 1 << 23 | 1 << 29, 2, false).is_err());
        let bits = 5 << 7 | 4 << 10 | 2 << 17 | 1 << 23 | 8 << 24 | 3 << 29;
        let shape = ProductKind::MxF8F6F4.describe(bits, 1, false).unwrap();
        assert_eq!((shape.k, shape.place, shape.scales), (32, 8, Some((scales(Format::Ue8m0, 1), [3, 0]))));
        assert_eq!(shape.formats, [Format::E2m1, Format::E3m2, Format::F32]);
        // Only bytes lie transposed.
        assert!(ProductKind::MxF8F6F4.describe(bits | 1 << 15, 1, false).is_err());
        assert!(
            ProductKind::F8F6F4.describe(1 << 4 | 5 << 7 | 1 << 16 | 2 << 17 | 8 << 24, 0, false).is_ok()
        );
    }

    #[test]
    fn pairs_have_256_rows() {
        let bits = |m: u32, n: u32| 1 << 4 | (n / 8) << 17 | (m / 16) << 24;
        let shape = ProductKind::F16.describe(bits(256, 64), 0, true).unwrap();
        assert_eq!((shape.m, shape.n), (128, 64));
        assert!(ProductKind::F16.describe(bits(128, 64), 0, true).is_err());
        assert!(ProductKind::F16.describe(bits(256, 64), 0, false).is_err());
        assert!(ProductKind::F16.describe(bits(256, 24), 0, true).is_err());
    }

    #[test]
    fn every_lane_of_a_copy_is_one_row_s() {
        let names = [
            ("128x256b", None, 1),
            ("128x128b", None, 1),
            ("64x128b", Some("warpx2::02_13"), 2),
            ("64x128b", Some("warpx2::01_23"), 2),
            ("32x128b", Some("warpx4"), 4),
        ];
        for (shape, spread, copies) in names {
            let image = TensorImage::named(shape, spread, false).unwrap();
            let lanes: Vec<u32> = (0..image.rows.into()).flat_map(|row| image.lanes(row)).collect();
            assert_eq!(lanes.iter().collect::<BTreeSet<_>>().len(), LANES as usize, "{shape}");
            assert_eq!(lanes.len(), copies * usize::from(image.rows));
        }
        let lanes = |spread, row| {
            TensorImage::named("64x128b", Some(spread), false).unwrap().lanes(row).collect::<Vec<_>>()
        };
        assert_eq!((lanes("warpx2::02_13", 40), lanes("warpx2::01_23", 40)), (vec![40, 104], vec![72, 104]));
        let corners = TensorImage::named("4x256b", None, false).unwrap();
        assert_eq!((0..4).flat_map(|row| corners.lanes(row)).collect::<Vec<_>>(), [0, 32, 64, 96]);
    }
}
