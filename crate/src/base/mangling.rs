//! The letters of mangled names: builtin types, names in the source, and numbers.
//!
//! Source: the Itanium C++ ABI, <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>.

use super::Format;

/// Builtin types: their letters, their names in C++, and the format of their elements. `void`, `char` and
/// `unsigned char` have none, because they stand for bytes of any kind.
pub(super) const BUILTIN: [(&str, &str, Option<Format>); 19] = [
    ("v", "void", None),
    ("b", "bool", Some(Format::U8)),
    ("c", "char", None),
    ("a", "signed char", Some(Format::S8)),
    ("h", "unsigned char", None),
    ("s", "short", Some(Format::S16)),
    ("t", "unsigned short", Some(Format::U16)),
    ("i", "int", Some(Format::S32)),
    ("j", "unsigned int", Some(Format::U32)),
    ("l", "long", Some(Format::S64)),
    ("m", "unsigned long", Some(Format::U64)),
    ("x", "long long", Some(Format::S64)),
    ("y", "unsigned long long", Some(Format::U64)),
    ("f", "float", Some(Format::F32)),
    ("d", "double", Some(Format::F64)),
    ("Dh", "half", Some(Format::F16)),
    ("DF16_", "_Float16", Some(Format::F16)),
    ("DF16b", "__bf16", Some(Format::Bf16)),
    ("Dn", "nullptr", None),
];

/// Names within names that are read.
pub(super) const DEEPEST: u32 = 32;

/// What is left of a mangled name.
pub(super) struct Letters<'a>(pub(super) &'a str);

impl Letters<'_> {
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let Some(rest) = self.0.strip_prefix(text) else { return false };
        self.0 = rest;
        true
    }

    /// A builtin type: its row in [`BUILTIN`].
    pub(super) fn builtin(&mut self) -> Option<(&'static str, &'static str, Option<Format>)> {
        BUILTIN.into_iter().find(|(letters, ..)| self.takes(letters))
    }

    /// A name with its length in front.
    pub(super) fn source_name(&mut self) -> Option<String> {
        // Internal linkage.
        let _ = self.takes("L");
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = self.0[..digits].parse().ok()?;
        let name = self.0.get(digits..)?.get(..length)?.to_owned();
        self.0 = &self.0[digits + length..];
        (!name.is_empty()).then_some(name)
    }

    /// The number of a literal, up to its `E`: `n4E` is -4.
    pub(super) fn number(&mut self) -> Option<String> {
        let (literal, rest) = self.0.split_once('E')?;
        let (sign, digits) = literal.strip_prefix('n').map_or(("", literal), |digits| ("-", digits));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = rest;
        Some(format!("{sign}{digits}"))
    }
}
