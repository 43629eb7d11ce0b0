//! Matrix fragments: which lane holds which element of a matrix that a warp works on together.
//!
//! For `mma` the manual fixes the layout (PTX ISA 9.0, 9.7.14.5), and one rule covers every shape
//! from `m8n8k4` of f64 to `m16n8k256` of bits: lanes are groups of four, a group for each row of
//! eight, and a 32-bit register holds neighbouring elements of a row. The one exception is `m8n8k4`
//! of f16: Volta's quad pairs multiply four pairs of matrices at once, which stand here below each
//! other in A, C and D, and beside each other in B.
//!
//! For `wmma` the manual leaves the layout open. Each element sits at a place that no program can
//! guess: the order is scrambled, differently for row- and column-major operands. Work on elements
//! wherever they are (scaling an accumulator) is then right, and a kernel that relies on the layout
//! of one machine, or multiplies with another layout than it loaded, computes visibly wrong values.
//! Accumulators of f16 and f32 share one order, because converting one into the other element by
//! element is established practice.

use super::effect::{Pairing, Product, WARP};
use super::real::Mode;
use super::soft;
use crate::base::Format;

/// Part of a product `D = A · B + C`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Part {
    A,
    B,
    /// C or D.
    Sum,
}

/// Who holds what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// As the manual defines it for `mma`.
    Mma,
    /// As it does for `m8n8k4` of f16: lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q hold matrix q.
    Quads {
        /// The operand is given by columns.
        column: bool,
    },
    /// Unspecified (`wmma`); operands loaded column-major differ.
    Open {
        /// The operand is column-major in memory.
        column: bool,
    },
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// Which operand it is.
    pub part: Part,
    /// Rows of the matrix.
    pub rows: u16,
    /// Columns of the matrix.
    pub cols: u16,
    /// Format of an element.
    pub format: Format,
    /// Bits of an element's place: those of its format, or of an integer the lowest of them (`s4`, `u4`, `b1`); floats
    /// of less than a byte may have a byte each.
    pub bits: u8,
    /// Registers that each lane gives.
    pub registers: u8,
    /// Who holds what.
    pub layout: Layout,
}

impl Fragment {
    /// An operand of `mma` of shape m×n×k.
    pub fn mma(part: Part, shape: (u16, u16, u16), format: Format) -> Fragment {
        Fragment::narrow(part, shape, format, format.bits() as u8)
    }

    /// An operand of `mma` whose elements have that many bits.
    pub fn narrow(part: Part, shape: (u16, u16, u16), format: Format, bits: u8) -> Fragment {
        let (rows, cols) = extent(part, shape);
        let all = u32::from(rows) * u32::from(cols) * u32::from(bits);
        let registers = (all / WARP as u32 / register_bits(format)) as u8;
        Fragment { part, rows, cols, format, bits, registers, layout: Layout::Mma }
    }

    /// An operand of the four products of `m8n8k4`.
    pub fn quads(part: Part, format: Format, column: bool) -> Fragment {
        let shape = if part == Part::B { (8, 32, 4) } else { (32, 8, 4) };
        Fragment { layout: Layout::Quads { column }, ..Fragment::mma(part, shape, format) }
    }

    /// An operand of `wmma` of shape m×n×k; `None` if that shape does not exist for the format.
    pub fn wmma(part: Part, shape: (u16, u16, u16), format: Format, column: bool) -> Option<Fragment> {
        use Format::{Bf16, F16, F32, F64, S8, S32, Tf32, U8};
        let (rows, cols) = extent(part, shape);
        let wide = matches!(shape, (16, 16, 16) | (32, 8, 16) | (8, 32, 16));
        // How often the registers hold the matrix: the f16 operands of old are there twice.
        let registers = match (part, format, shape) {
            (Part::A | Part::B, F16, _) if wide => 8,
            (Part::A | Part::B, Bf16 | S8 | U8, _) if wide => {
                (u32::from(rows) * u32::from(cols) * format.bits() / 1024) as u8
            }
            (Part::A | Part::B, Tf32, (16, 16, 8)) => 4,
            (Part::A | Part::B, F64, (8, 8, 4)) => 1,
            (Part::Sum, F16, _) if wide => 4,
            (Part::Sum, F32 | S32, _) if wide => 8,
            (Part::Sum, F32, (16, 16, 8)) => 8,
            (Part::Sum, F64, (8, 8, 4)) => 2,
            (Part::Sum, S32, (8, 8, 32 | 128)) => 2,
            _ => return None,
        };
        let column = column && part != Part::Sum;
        let (bits, layout) = (format.bits() as u8, Layout::Open { column });
        Some(Fragment { part, rows, cols, format, bits, registers, layout })
    }

    /// An operand of `wmma` whose elements have four bits or one: A by rows, B by columns.
    pub fn wmma_narrow(part: Part, shape: (u16, u16, u16), format: Format, bits: u8) -> Option<Fragment> {
        let fits = matches!((shape, bits), ((8, 8, 32), 4) | ((8, 8, 128), 1)) && part != Part::Sum;
        let layout = Layout::Open { column: part == Part::B };
        fits.then(|| Fragment { layout, ..Fragment::narrow(part, shape, format, bits) })
    }

    /// The same registers as elements of 32 bits, each of which holds neighbours in a line of the matrix.
    pub fn words(self) -> Fragment {
        let packed = self.packed() as u16;
        let (rows, cols) = match self.part {
            Part::B => (self.rows / packed, self.cols),
            Part::A | Part::Sum => (self.rows, self.cols / packed),
        };
        Fragment { rows, cols, format: Format::B32, bits: 32, ..self }
    }

    /// The lowest bit of an element's place that belongs to it, and how many do: in a byte, those of E2M1 lie in the
    /// middle, those of E2M3 and E3M2 below (9.7.14.5.14).
    pub fn within(self) -> (u32, u32) {
        match self.format {
            format if !format.is_below_byte() => (0, self.bits.into()),
            Format::E2m1 if self.bits == 8 => (2, 4),
            format => (0, format.bits()),
        }
    }

    /// Width of its registers.
    pub fn register_bits(self) -> u32 {
        register_bits(self.format)
    }

    /// Elements in a register.
    pub fn packed(self) -> u32 {
        self.register_bits() / u32::from(self.bits)
    }

    /// Elements that a lane holds.
    pub fn slots(self) -> u32 {
        u32::from(self.registers) * self.packed()
    }

    /// Row and column of a lane's element.
    pub fn place(self, lane: u32, slot: u32) -> (u32, u32) {
        let (register, within) = (slot / self.packed(), slot % self.packed());
        let (group, member) = (lane / 4, lane % 4);
        match (self.layout, self.part) {
            (Layout::Mma, Part::A) => {
                let halves = u32::from(self.rows) / 8;
                let block = register / halves * 4 * self.packed();
                (group + register % halves * 8, block + member * self.packed() + within)
            }
            (Layout::Mma, Part::B) => (register * 4 * self.packed() + member * self.packed() + within, group),
            (Layout::Mma, Part::Sum) => {
                let block = u32::from(self.rows) / 4;
                (group + slot % block / 2 * 8, slot / block * 8 + member * 2 + slot % 2)
            }
            (Layout::Quads { column }, part) => {
                let (first, high) = (lane % 16 / 4 * 8, lane / 16 * 4);
                match (part, column) {
                    (Part::A, false) => (first + high + member, slot),
                    (Part::A, true) => (first + high + slot, member),
                    (Part::B, false) => (member, first + high + slot),
                    (Part::B, true) => (slot, first + high + member),
                    (Part::Sum, _) if self.packed() == 2 => (first + high + member, slot),
                    (Part::Sum, _) => {
                        (first + high + (lane & 1) + (slot & 2), (slot & 4) + (lane & 2) + (slot & 1))
                    }
                }
            }
            (Layout::Open { .. }, part) if self.bits < 8 => {
                // Words lie as they like; in memory they are what is loaded.
                let (row, col) = self.words().place(lane, register);
                match part {
                    Part::B => (row * self.packed() + within, col),
                    Part::A | Part::Sum => (row, col * self.packed() + within),
                }
            }
            (Layout::Open { column }, part) => {
                let total = u32::from(self.rows) * u32::from(self.cols);
                // Odd factors permute a power of two of places.
                let factor = match (part, column) {
                    (Part::A, false) => 37,
                    (Part::A, true) => 59,
                    (Part::B, false) => 43,
                    (Part::B, true) => 61,
                    (Part::Sum, _) => 53,
                };
                let at = (slot * WARP as u32 + lane) * factor % total;
                (at / u32::from(self.cols), at % u32::from(self.cols))
            }
        }
    }
}

fn register_bits(format: Format) -> u32 {
    format.bits().max(32)
}

fn extent(part: Part, (m, n, k): (u16, u16, u16)) -> (u16, u16) {
    match part {
        Part::A => (m, k),
        Part::B => (k, n),
        Part::Sum => (m, n),
    }
}

/// The value of a scale (UE8M0, E4M3).
pub fn scale_value(format: Format, bits: u64) -> f64 {
    f64::from_bits(soft::convert(format, bits, Format::F64, Mode::Nearest))
}

/// One element of a product of concrete matrices: a row of A, a column of B, and C, as bits; the blocks of both have
/// these factors, if any. The sum of floats is rounded once, at the end; how tensor cores round on the way is not
/// specified.
pub fn multiply(product: &Product, a: &[u64], b: &[u64], factors: &[f64], c: u64) -> u64 {
    if product.d.format.is_float() {
        let number = |format: Format, bits: u64| {
            f64::from_bits(soft::convert(format, bits, Format::F64, Mode::Nearest))
        };
        let factor = |at: usize| factors.get(at * factors.len() / a.len()).copied().unwrap_or(1.0);
        let pairs = a.iter().zip(b).enumerate();
        let sum = pairs.fold(number(product.c.format, c), |sum, (at, (a, b))| {
            (factor(at) * number(product.a.format, *a)).mul_add(number(product.b.format, *b), sum)
        });
        return soft::convert(Format::F64, sum.to_bits(), product.d.format, Mode::Nearest);
    }
    let number = |fragment: &Fragment, bits: u64| {
        let unused = 64 - u32::from(fragment.bits);
        match fragment.format {
            Format::U8 => (bits << unused >> unused) as i64,
            _ => (bits << unused) as i64 >> unused,
        }
    };
    let products = a.iter().zip(b).map(|(a, b)| match product.pairing {
        Pairing::Multiply => number(&product.a, *a) * number(&product.b, *b),
        Pairing::Xor => number(&product.a, a ^ b),
        Pairing::And => number(&product.a, a & b),
    });
    let sum = number(&product.c, c) + products.sum::<i64>();
    let sum = if product.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
    u64::from(sum as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn places(fragment: Fragment) -> BTreeMap<(u32, u32), usize> {
        let mut count = BTreeMap::new();
        for lane in 0..WARP as u32 {
            for slot in 0..fragment.slots() {
                *count.entry(fragment.place(lane, slot)).or_default() += 1;
            }
        }
        count
    }

    #[test]
    fn every_element_has_its_place_as_often_as_the_registers_hold_it() {
        use Format::{Bf16, E2m1, E2m3, E3m2, F16, F32, F64, S8, S32, Tf32};
        let mma = [
            ((16, 8, 8), F16),
            ((16, 8, 16), F16),
            ((16, 8, 4), Tf32),
            ((16, 8, 8), Tf32),
            ((8, 8, 4), F64),
            ((16, 8, 16), F64),
            ((8, 8, 16), S8),
            ((16, 8, 32), S8),
        ];
        let mut fragments = Vec::new();
        for part in [Part::A, Part::B] {
            for (shape, bits) in [
                ((8, 8, 32), 4),
                ((16, 8, 32), 4),
                ((16, 8, 64), 4),
                ((8, 8, 128), 1),
                ((16, 8, 128), 1),
                ((16, 8, 256), 1),
            ] {
                fragments.push(Fragment::narrow(part, shape, S8, bits));
            }
            fragments.push(Fragment::mma(part, (16, 8, 64), E2m1));
            fragments.extend([E2m1, E2m3, E3m2].map(|format| Fragment::narrow(part, (16, 8, 32), format, 8)));
            fragments.extend([((8, 8, 32), 4), ((8, 8, 128), 1)].map(|(shape, bits)| {
                Fragment::wmma_narrow(part, shape, S8, bits).expect("the shape exists")
            }));
            fragments.extend([false, true].map(|column| Fragment::quads(part, F16, column)));
        }
        fragments.extend([F16, F32].map(|format| Fragment::quads(Part::Sum, format, false)));
        for cols in [8, 24, 256] {
            for (depth, format) in [(16, F16), (8, Tf32), (32, S8)] {
                fragments.push(Fragment::mma(Part::A, (16, cols, depth), format));
            }
            fragments.extend([F16, F32, S32].map(|format| Fragment::mma(Part::Sum, (16, cols, 16), format)));
        }
        for (shape, format) in mma {
            for part in [Part::A, Part::B, Part::Sum] {
                fragments.push(Fragment::mma(part, shape, if part == Part::Sum { F32 } else { format }));
            }
        }
        for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)] {
            for part in [Part::A, Part::B] {
                for format in [F16, Bf16, S8] {
                    for column in [false, true] {
                        fragments.extend(Fragment::wmma(part, shape, format, column));
                    }
                }
            }
            for format in [F16, F32, S32] {
                fragments.extend(Fragment::wmma(Part::Sum, shape, format, false));
            }
        }
        for fragment in fragments {
            let places = places(fragment);
            let elements = usize::from(fragment.rows) * usize::from(fragment.cols);
            let copies = fragment.slots() as usize * WARP / elements;
            assert_eq!(places.len(), elements, "{fragment:?}");
            assert!(places.values().all(|count| *count == copies), "{fragment:?}");
            let inside = |&(row, col): &(u32, u32)| row < fragment.rows.into() && col < fragment.cols.into();
            assert!(places.keys().all(inside));
        }
    }

    /// Single places out of the figures of section 9.7.14.5.
    #[test]
    fn places_are_those_of_the_manual() {
        let a = Fragment::mma(Part::A, (16, 8, 16), Format::F16);
        assert_eq!((a.registers, a.place(5, 0), a.place(5, 3)), (4, (1, 2), (9, 3)));
        assert_eq!((a.place(5, 4), a.place(5, 7)), ((1, 10), (9, 11)));
        let b = Fragment::mma(Part::B, (16, 8, 16), Format::F16);
        assert_eq!((b.registers, b.place(5, 1), b.place(5, 2)), (2, (3, 1), (10, 1)));
        let d = Fragment::mma(Part::Sum, (16, 8, 16), Format::F32);
        assert_eq!((d.registers, d.place(5, 1), d.place(5, 2)), (4, (1, 3), (9, 2)));
        let half = Fragment::mma(Part::Sum, (16, 8, 16), Format::F16);
        assert_eq!((half.registers, half.place(31, 3)), (2, (15, 7)));
        let tf32 = Fragment::mma(Part::A, (16, 8, 8), Format::Tf32);
        assert_eq!((tf32.place(6, 1), tf32.place(6, 2), tf32.place(6, 3)), ((9, 2), (1, 6), (9, 6)));
        let bytes = Fragment::mma(Part::A, (16, 8, 32), Format::S8);
        assert_eq!((bytes.place(9, 5), bytes.place(9, 8)), ((10, 5), (2, 20)));
        let doubles = Fragment::mma(Part::B, (8, 8, 4), Format::F64);
        assert_eq!((doubles.registers, doubles.place(7, 0)), (1, (3, 1)));
    }
    /// Of section 9.7.14.5.14: floats of four bits in the middle of a byte, of six at its lower end; or side by side.
    #[test]
    fn short_floats_lie_in_bytes_or_side_by_side() {
        let in_byte = |format| Fragment::narrow(Part::A, (16, 8, 32), format, 8);
        assert_eq!((in_byte(Format::E2m1).within(), in_byte(Format::E2m1).registers), ((2, 4), 4));
        assert_eq!((in_byte(Format::E3m2).within(), in_byte(Format::E4m3).within()), ((0, 6), (0, 8)));
        let packed = Fragment::mma(Part::B, (16, 8, 64), Format::E2m1);
        assert_eq!((packed.within(), packed.registers, packed.place(9, 9)), ((0, 4), 2, (41, 2)));
        assert_eq!(Fragment::narrow(Part::A, (8, 8, 32), Format::S8, 4).within(), (0, 4));
    }

    /// The same of section 9.7.15.5.1.1: D of a warp's rows in `wgmma`.
    #[test]
    fn places_of_a_warpgroup_are_those_of_the_manual() {
        let d = Fragment::mma(Part::Sum, (16, 64, 16), Format::F32);
        assert_eq!((d.registers, d.place(5, 0), d.place(5, 3)), (32, (1, 2), (9, 3)));
        assert_eq!((d.place(5, 4), d.place(5, 31)), ((1, 10), (9, 59)));
        let half = Fragment::mma(Part::Sum, (16, 64, 16), Format::F16);
        assert_eq!((half.registers, half.place(31, 6)), (16, (15, 14)));
    }
}
