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
    pub const ALL: [Format; 19] = [
        Format::F64,
        Format::F32,
        Format::Tf32,
        Format::F16,
        Format::Bf16,
        Format::E4m3,
        Format::E5m2,
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

    /// Size in bytes.
    pub const fn bytes(self) -> u32 {
        use Format::*;
        match self {
            F64 | S64 | U64 | B64 => 8,
            F32 | Tf32 | S32 | U32 | B32 => 4,
            F16 | Bf16 | S16 | U16 | B16 => 2,
            E4m3 | E5m2 | S8 | U8 | B8 => 1,
        }
    }

    /// Size in bits.
    pub const fn bits(self) -> u32 {
        self.bytes() * 8
    }

    /// The kind of number.
    pub const fn class(self) -> FormatClass {
        use Format::*;
        match self {
            F64 | F32 | Tf32 | F16 | Bf16 | E4m3 | E5m2 => FormatClass::Float,
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
