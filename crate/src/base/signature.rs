//! What a kernel's mangled name says of its parameters: `_Z4axpyfPKfPf` takes a float, a pointer to floats that it
//! does not write, and one to floats.
//!
//! Of the Itanium C++ ABI's mangling (<https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>) what kernels
//! have: nested names, template arguments that are types or numbers, pointers, qualifiers, CUDA's vectors and half
//! precision types, and the substitutions of all of these.
//!
//! Guarantees: a name that is not read to its last letter says nothing (`None`), so that a wrong count of substitutions
//! shows in most cases. Misses: closures, arrays, pointers to functions and expressions; and a parameter pack, whose
//! elements are parameters of their own.

use super::Format;
use super::mangling::{BUILTIN, DEEPEST, Letters};

/// A parameter as the source declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// It is a pointer.
    pub pointer: bool,
    /// What it points at is `const`.
    pub constant: bool,
    /// The element of what it points at, or its own type; of `float4`, the format of one of the four. `None` for
    /// `void`, for `char`, which stands for bytes of any kind, and for what is no number.
    pub format: Option<Format>,
}

/// The parameters of a function by its mangled name, if all of it can be read.
pub fn declared(mangled: &str) -> Option<Vec<Declared>> {
    let mut reader = Reader {
        letters: Letters(mangled.strip_prefix("_Z")?),
        depth: 0,
        seen: Vec::new(),
        given: Vec::new(),
    };
    let template = reader.function()?;
    if template {
        // The result of an instance of a template is written first.
        reader.of_type()?;
    }
    let mut all = Vec::new();
    while !reader.letters.0.is_empty() {
        all.push(reader.of_type()?);
    }
    if let [Type::Builtin("v")] = all[..] {
        all.clear();
    }
    Some(all.iter().map(of).collect())
}

fn of(declared: &Type) -> Declared {
    match declared {
        Type::Pointer(to) => {
            let (constant, element) = match &**to {
                Type::Constant(element) => (true, &**element),
                element => (false, element),
            };
            Declared { pointer: true, constant, format: format(element) }
        }
        own => Declared { pointer: false, constant: false, format: format(own) },
    }
}

fn format(element: &Type) -> Option<Format> {
    match element {
        Type::Builtin(letters) => BUILTIN.iter().find(|(known, ..)| known == letters)?.2,
        Type::Named(name) => named(name),
        Type::Constant(of) => format(of),
        Type::Pointer(_) | Type::Other => None,
    }
}

/// CUDA's own types.
fn named(name: &str) -> Option<Format> {
    let scalar = match name {
        "__half" | "__half2" => return Some(Format::F16),
        "__nv_bfloat16" | "__nv_bfloat162" => return Some(Format::Bf16),
        name => name.strip_suffix(['1', '2', '3', '4'])?,
    };
    Some(match scalar {
        "float" => Format::F32,
        "double" => Format::F64,
        "short" => Format::S16,
        "ushort" => Format::U16,
        "longlong" => Format::S64,
        "ulonglong" => Format::U64,
        // `uint4` and `int4` are how sixteen bytes of anything are moved.
        _ => return None,
    })
}

#[derive(Clone, PartialEq, Debug)]
enum Type {
    Builtin(&'static str),
    Named(String),
    Pointer(Box<Type>),
    Constant(Box<Type>),
    /// A reference, an instance of a template, a part of a name.
    Other,
}

/// What may be substituted.
const MOST: usize = 256;

struct Reader<'a> {
    letters: Letters<'a>,
    depth: u32,
    /// What `S_`, `S0_`, … stand for.
    seen: Vec<Type>,
    /// The template arguments of the function: `T_`, `T0_`, ….
    given: Vec<Type>,
}

impl Reader<'_> {
    fn remember(&mut self, found: Type) -> Option<()> {
        (self.seen.len() < MOST).then(|| self.seen.push(found))
    }

    /// The function's name; whether it is an instance of a template.
    fn function(&mut self) -> Option<bool> {
        let nested = self.letters.takes("N");
        let mut first = true;
        loop {
            if first && self.letters.takes("St") {
                if !nested {
                    return None;
                }
                first = false;
                continue;
            }
            self.letters.source_name()?;
            let instance = self.letters.0.starts_with('I');
            let last = !nested || self.letters.0.starts_with('E');
            if instance {
                self.remember(Type::Other)?;
                self.given = self.arguments()?;
            }
            if !nested || self.letters.takes("E") {
                return Some(instance);
            }
            if !last {
                self.given.clear();
                self.remember(Type::Other)?;
            }
            first = false;
        }
    }

    fn arguments(&mut self) -> Option<Vec<Type>> {
        self.letters.takes("I").then_some(())?;
        let mut found = Vec::new();
        while !self.letters.takes("E") {
            if self.letters.takes("L") {
                self.of_type()?;
                self.letters.number()?;
                found.push(Type::Other);
            } else {
                found.push(self.of_type()?);
            }
        }
        Some(found)
    }

    /// The number behind an `S` or a `T`: `_` is the first, `0_` the second.
    fn number(&mut self, radix: u32) -> Option<usize> {
        let end = self.letters.0.find('_')?;
        let digits = &self.letters.0[..end];
        let number = match digits {
            "" => 0,
            digits => usize::from_str_radix(digits, radix).ok()?.checked_add(1)?,
        };
        self.letters.0 = &self.letters.0[end + 1..];
        Some(number)
    }

    fn of_type(&mut self) -> Option<Type> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let found = self.inner()?;
        self.depth -= 1;
        Some(found)
    }

    fn inner(&mut self) -> Option<Type> {
        let compound = if self.letters.takes("P") {
            Type::Pointer(Box::new(self.of_type()?))
        } else if self.letters.takes("R") || self.letters.takes("O") {
            self.of_type()?;
            Type::Other
        } else if self.letters.0.starts_with(['V', 'K', 'r']) {
            // All qualifiers of a type are one: `VKi`.
            let _ = self.letters.takes("r");
            let _ = self.letters.takes("V");
            match self.letters.takes("K") {
                true => Type::Constant(Box::new(self.of_type()?)),
                false => self.of_type()?,
            }
        } else if self.letters.0.starts_with("St") {
            self.letters.takes("St");
            self.letters.source_name()?;
            Type::Other
        } else if self.letters.takes("S") {
            let at = self.number(36)?;
            let known = self.seen.get(at)?.clone();
            return match self.letters.0.starts_with('I') {
                true => self.instance(),
                false => Some(known),
            };
        } else if self.letters.takes("T") {
            let at = self.number(10)?;
            self.given.get(at)?.clone()
        } else if let Some((letters, ..)) = self.letters.builtin() {
            return Some(Type::Builtin(letters));
        } else if self.letters.takes("N") {
            return self.nested();
        } else {
            Type::Named(self.letters.source_name()?)
        };
        self.remember(compound.clone())?;
        match self.letters.0.starts_with('I') {
            true => self.instance(),
            false => Some(compound),
        }
    }

    /// The template arguments of a type.
    fn instance(&mut self) -> Option<Type> {
        self.arguments()?;
        self.remember(Type::Other)?;
        Some(Type::Other)
    }

    /// A type within namespaces, each of whose parts can be substituted.
    fn nested(&mut self) -> Option<Type> {
        let mut first = true;
        while !self.letters.takes("E") {
            if first && self.letters.takes("S") {
                let at = if self.letters.takes("t") { None } else { Some(self.number(36)?) };
                if at.is_some_and(|at| at >= self.seen.len()) {
                    return None;
                }
            } else if !first && self.letters.0.starts_with('I') {
                self.instance()?;
            } else {
                self.letters.source_name()?;
                self.remember(Type::Other)?;
            }
            first = false;
        }
        Some(Type::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, declared};
    use crate::base::Format;

    fn told(mangled: &str) -> String {
        let each = |Declared { pointer, constant, format }: Declared| {
            let name = format.map_or("?".to_owned(), |format: Format| format.to_string());
            format!("{name}{}{}", if constant { " const" } else { "" }, if pointer { "*" } else { "" })
        };
        match declared(mangled) {
            Some(all) => all.into_iter().map(each).collect::<Vec<_>>().join(", "),
            None => "-".to_owned(),
        }
    }

    /// What c++filt says of them.
    #[test]
    fn signatures_are_read() {
        for (mangled, expected) in [
            ("_Z11rmsnorm_refPKfS0_Pfif", "f32 const*, f32 const*, f32*, s32, f32"),
            ("_Z12rmsnorm_vec4PK6float4S1_PS_if", "f32 const*, f32 const*, f32*, s32, f32"),
            ("_Z17last_block_fencedPKfPfPjS1_", "f32 const*, f32*, u32*, f32*"),
            ("_Z4spinPViPf", "s32*, f32*"),
            ("_Z7softmaxIfLi256EEvPKT_PS0_", "f32 const*, f32*"),
            ("_Z4copyI6__halfEvPKT_PS1_", "f16 const*, f16*"),
            ("_ZN5fused7softmaxEPKfPf", "f32 const*, f32*"),
            ("_ZN2ns4gemmIfEEvPKT_S3_PS1_i", "f32 const*, f32 const*, f32*, s32"),
            ("_Z3addP13__nv_bfloat16PKS_m", "bf16*, bf16 const*, u64"),
            ("_Z4movePK5uint4PS_", "? const*, ?*"),
            ("_Z4nonev", ""),
            ("_Z5bytesPKhPcPv", "? const*, ?*, ?*"),
            ("_Z1fN3foo3barIfEEPS_", "?, ?*"),
        ] {
            assert_eq!(told(mangled), expected, "{mangled}");
        }
    }

    #[test]
    fn what_is_not_read_in_full_says_nothing() {
        let deep = format!("_Z1f{}", "P".repeat(100_000));
        for name in
            ["softmax", "", "_Z", "_Z1fS_", "_Z1fPFvvE", "_Z1fT_", "_Z1fPKfS9_", "_Z1fA4_f", "_Z1fé", &deep]
        {
            assert_eq!(told(name), "-", "{name}");
        }
    }
}
