//! Names of kernels as their authors wrote them: `softmax<float, 256>` for `_Z7softmaxIfLi256EEvPKT_PS0_`.
//!
//! Of the Itanium C++ ABI's mangling (<https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>) what names
//! kernels: nested names, and template arguments that are types or numbers. Parameters are left out.
//!
//! Guarantees: what is not read in full (substitutions, operators, expressions, local names) stays as it is.

use super::mangling::{DEEPEST, Letters};
use std::borrow::Cow;

/// The name without its mangling.
pub fn readable(name: &str) -> Cow<'_, str> {
    let mut reader = Reader { letters: Letters(name.strip_prefix("_Z").unwrap_or_default()), depth: 0 };
    match reader.name() {
        Some(read) => Cow::Owned(read),
        None => Cow::Borrowed(name),
    }
}

struct Reader<'a> {
    letters: Letters<'a>,
    depth: u32,
}

impl Reader<'_> {
    /// A nested name, or a plain one; each part with its template arguments.
    fn name(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let nested = self.letters.takes("N");
        let mut parts: Vec<String> = Vec::new();
        if !nested && self.letters.takes("St") {
            parts.push("std".to_owned());
        }
        loop {
            let part = self.letters.source_name()?;
            // What the compiler calls a namespace without a name.
            if !part.starts_with("_GLOBAL__N_") {
                parts.push(part);
            }
            if self.letters.0.starts_with('I') {
                let arguments = self.arguments()?;
                parts.last_mut()?.push_str(&arguments);
            }
            if !nested || self.letters.takes("E") {
                break;
            }
        }
        self.depth -= 1;
        (!parts.is_empty()).then(|| parts.join("::"))
    }

    fn arguments(&mut self) -> Option<String> {
        self.letters.takes("I").then_some(())?;
        let mut found = Vec::new();
        while !self.letters.takes("E") {
            // A pack is its elements.
            if self.letters.takes("J") {
                while !self.letters.takes("E") {
                    found.push(self.argument()?);
                }
            } else {
                found.push(self.argument()?);
            }
        }
        Some(format!("<{}>", found.join(", ")))
    }

    fn argument(&mut self) -> Option<String> {
        if !self.letters.takes("L") {
            return self.type_name();
        }
        let of = self.type_name()?;
        let number = self.letters.number()?;
        match (of.as_str(), number.as_str()) {
            ("bool", "0") => Some("false".to_owned()),
            ("bool", "1") => Some("true".to_owned()),
            (
                "bool" | "char" | "signed char" | "unsigned char" | "short" | "unsigned short" | "int"
                | "unsigned int",
                _,
            )
            | ("long" | "unsigned long" | "long long" | "unsigned long long", _) => Some(number),
            _ => Some(format!("({of}){number}")),
        }
    }

    fn type_name(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let after = [("P", "*"), ("R", "&"), ("O", "&&"), ("K", " const"), ("V", " volatile")];
        let found =
            if let Some((_, suffix)) = after.into_iter().find(|(letter, _)| self.letters.takes(letter)) {
                format!("{}{suffix}", self.type_name()?)
            } else if let Some((_, name, _)) = self.letters.builtin() {
                name.to_owned()
            } else {
                self.name()?
            };
        self.depth -= 1;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    /// What c++filt says of them, less parameters and result.
    #[test]
    fn mangled_names_are_read() {
        for (mangled, expected) in [
            ("_Z11rmsnorm_refPKfS0_Pfif", "rmsnorm_ref"),
            ("_ZN5fused7softmaxEPKfPf", "fused::softmax"),
            ("_Z7softmaxIfLi256EEvPKT_PS0_", "softmax<float, 256>"),
            (
                "_ZN2at6native6vectorILb1ELin4E6__halfPKfEEvi",
                "at::native::vector<true, -4, __half, float const*>",
            ),
            ("_ZN12_GLOBAL__N_14gemmILj16EEEvv", "gemm<16>"),
            ("_Z4copyIJfiEEvv", "copy<float, int>"),
            ("_Z4copyISt4pairEvv", "copy<std::pair>"),
            ("_ZL6kernelv", "kernel"),
        ] {
            assert_eq!(readable(mangled), expected);
        }
    }

    #[test]
    fn what_is_not_read_in_full_stays() {
        let deep = format!("_Z1fI{}", "P".repeat(100_000));
        for name in [
            "softmax",
            "",
            "_Z",
            "_Z9short",
            "_ZN3foo",
            "_Z3fooIXadL_Z3barEEEvv",
            "_Z1fIS_E",
            "_Z1é",
            deep.as_str(),
        ] {
            assert_eq!(readable(name), name);
        }
    }
}
