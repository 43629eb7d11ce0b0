//! An opcode taken apart: base name, suffixes, and the types among them.

use warpproof::base::Format;

/// An opcode.
#[derive(Debug)]
pub struct Op {
    /// As written.
    pub text: String,
    /// Before the first dot.
    pub base: String,
    /// Between the dots.
    pub suffixes: Vec<String>,
    /// The last suffix that is a type.
    pub ty: Option<Type>,
    /// The one before it.
    pub other: Option<Type>,
    /// The float format of `ty`, if it is one.
    pub float: Option<Format>,
}

/// What a type's bits are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Signed,
    Unsigned,
    Bits,
    Float,
    Brain,
    Predicate,
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    pub class: Class,
    pub bits: u32,
}

impl Type {
    /// The type with that name.
    pub fn named(name: &str) -> Option<Type> {
        let (class, bits) = match name {
            "pred" => (Class::Predicate, 1),
            "bf16" => (Class::Brain, 16),
            "f16x2" | "bf16x2" | "u16x2" | "s16x2" => (Class::Bits, 32),
            "f32x2" => (Class::Bits, 64),
            _ => {
                let (class, bits) = name.split_at_checked(1)?;
                let class = match class {
                    "s" => Class::Signed,
                    "u" => Class::Unsigned,
                    "b" => Class::Bits,
                    "f" => Class::Float,
                    _ => return None,
                };
                (class, bits.parse().ok()?)
            }
        };
        matches!(bits, 1 | 8 | 16 | 32 | 64).then_some(Type { class, bits })
    }

    /// The float format.
    pub fn float(self) -> Option<Format> {
        Some(match (self.class, self.bits) {
            (Class::Brain, 16) => Format::Bf16,
            (Class::Float, 16) => Format::F16,
            (Class::Float, 32) => Format::F32,
            (Class::Float, 64) => Format::F64,
            _ => return None,
        })
    }
}

impl Op {
    /// Takes an opcode apart.
    pub fn new(text: &str) -> Op {
        let mut parts = text.split('.').map(str::to_owned);
        let base = parts.next().unwrap_or_default();
        let suffixes: Vec<String> = parts.collect();
        let mut types = suffixes.iter().rev().filter_map(|name| Type::named(name));
        let ty = types.next();
        let other = types.next();
        let float = ty.and_then(Type::float);
        Op { text: text.to_owned(), base, suffixes, ty, other, float }
    }

    /// Whether a suffix is there.
    pub fn has(&self, suffix: &str) -> bool {
        self.suffixes.iter().any(|own| own == suffix)
    }

    /// The state space that a suffix names.
    pub fn space(&self) -> Option<super::memory::Space> {
        use super::memory::Space;
        self.suffixes.iter().find_map(|suffix| {
            Some(match suffix.as_str() {
                "global" => Space::Global,
                "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
                "local" => Space::Local,
                "const" => Space::Const,
                "param" | "param::entry" | "param::func" => Space::Param,
                _ => return None,
            })
        })
    }

    /// `.v2`, `.v4`, `.v8`
    pub fn vector(&self) -> usize {
        self.suffixes
            .iter()
            .find_map(|suffix| match suffix.as_str() {
                "v2" => Some(2),
                "v4" => Some(4),
                "v8" => Some(8),
                _ => None,
            })
            .unwrap_or(1)
    }
}
