//! Scalar formats: the number formats that tensors, registers and instructions share.

use serde::{Deserialize, Serialize};

/// How bits stand for a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Format {
    F64,
    F32,
    Tf32,
    F16,
    Bf16,
    E4m3,
    E5m2,
    /// Six bits: sign, 2 of exponent, 3 of fraction.
    E2m3,
    /// Six bits: sign, 3 of exponent, 2 of fraction.
    E3m2,
    /// Four bits: sign, 2 of exponent, 1 of fraction.
    E2m1,
    /// Eight bits of exponent: the powers of two from 2⁻¹²⁷ to 2¹²⁷, which scale blocks of numbers.
    Ue8m0,
    S64,
    S32,
    S16,
    S8,
    U64,
    U32,
    U16,
    U8,
    B64,
    B32,
    B16,
    B8,
}

/// What kind of number a format holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatClass {
    /// IEEE-style floating point; its values are read as reals.
    Float,
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
    /// Bits without a number (read as unsigned where a number is needed).
    Bits,
}

impl Format {
    /// All formats, in declaration order.
    pub const ALL: [Format; 23] = [
        Format::F64,
        Format::F32,
        Format::Tf32,
        Format::F16,
        Format::Bf16,
        Format::E4m3,
        Format::E5m2,
        Format::E2m3,
        Format::E3m2,
        Format::E2m1,
        Format::Ue8m0,
        Format::S64,
        Format::S32,
        Format::S16,
        Format::S8,
        Format::U64,
        Format::U32,
        Format::U16,
        Format::U8,
        Format::B64,
        Format::B32,
        Format::B16,
        Format::B8,
    ];

    /// Size in bytes; of less than a byte, one.
    pub const fn bytes(self) -> u32 {
        use Format::*;
        match self {
            F64 | S64 | U64 | B64 => 8,
            F32 | Tf32 | S32 | U32 | B32 => 4,
            F16 | Bf16 | S16 | U16 | B16 => 2,
            E4m3 | E5m2 | E2m3 | E3m2 | E2m1 | Ue8m0 | S8 | U8 | B8 => 1,
        }
    }

    /// Size in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Format::E2m3 | Format::E3m2 => 6,
            Format::E2m1 => 4,
            _ => self.bytes() * 8,
        }
    }

    /// The kind of number.
    pub const fn class(self) -> FormatClass {
        use Format::*;
        match self {
            F64 | F32 | Tf32 | F16 | Bf16 | E4m3 | E5m2 | E2m3 | E3m2 | E2m1 | Ue8m0 => FormatClass::Float,
            S64 | S32 | S16 | S8 => FormatClass::Signed,
            U64 | U32 | U16 | U8 => FormatClass::Unsigned,
            B64 | B32 | B16 | B8 => FormatClass::Bits,
        }
    }

    /// The integers of that width, with a sign or without.
    pub const fn as_integer(self, signed: bool) -> Format {
        match (self.bytes(), signed) {
            (8, true) => Format::S64,
            (8, false) => Format::U64,
            (4, true) => Format::S32,
            (4, false) => Format::U32,
            (2, true) => Format::S16,
            (2, false) => Format::U16,
            (_, true) => Format::S8,
            (_, false) => Format::U8,
        }
    }

    /// What tells one word of bits from another that a number has: its width, and of a float its format.
    pub const fn of_bits(self) -> Format {
        match self.class() {
            FormatClass::Float => self,
            _ => self.as_integer(false),
        }
    }

    /// Whether it is a float whose elements take less than a byte.
    pub const fn is_below_byte(self) -> bool {
        matches!(self, Format::E2m3 | Format::E3m2 | Format::E2m1)
    }

    /// Whether values are read as reals.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), FormatClass::Float)
    }

    /// The least and the greatest integer; `None` if it is no format of integers.
    pub const fn integers(self) -> Option<[i128; 2]> {
        match self.class() {
            FormatClass::Signed => Some([-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1]),
            FormatClass::Unsigned => Some([0, (1 << self.bits()) - 1]),
            FormatClass::Float | FormatClass::Bits => None,
        }
    }

    /// The spelling in spec files and PTX (`f32`, `bf16`, …).
    pub const fn name(self) -> &'static str {
        use Format::*;
        match self {
            F64 => "f64",
            F32 => "f32",
            Tf32 => "tf32",
            F16 => "f16",
            Bf16 => "bf16",
            E4m3 => "e4m3",
            E5m2 => "e5m2",
            E2m3 => "e2m3",
            E3m2 => "e3m2",
            E2m1 => "e2m1",
            Ue8m0 => "ue8m0",
            S64 => "s64",
            S32 => "s32",
            S16 => "s16",
            S8 => "s8",
            U64 => "u64",
            U32 => "u32",
            U16 => "u16",
            U8 => "u8",
            B64 => "b64",
            B32 => "b32",
            B16 => "b16",
            B8 => "b8",
        }
    }

    /// The format with that spelling.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
