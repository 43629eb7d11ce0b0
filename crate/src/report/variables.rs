//! Module variables: which of them a host can set, and what they are called.
//!
//! `__constant__` and `__device__` variables are tensors of the question: the host sets them by name
//! (`cudaMemcpyToSymbol`, `cuModuleGetGlobal`) and earlier launches change them, whatever their
//! initializers say. Both kernels' variables of one name are one tensor. Linkage does not tell which
//! names a host can use: a `static` variable can be set from its own file, and without relocatable
//! device code nvcc declares every variable as if it were one.
//!
//! Guarantees: a variable counts as what the PTX declares only if it has an initializer, no other
//! module can name it, and no line of a host could: the name is reserved for the compiler (`__…`, or it
//! has a `$` or a `.`), or belongs to the inside of a function (`_ZZ…`) or to a class (`_ZT…`: tables of
//! virtual functions). The ledger says so for each
//! that is read, and a table of the spec with that name overrides it.
//! Misses: another kernel of the module that changes a variable inside of a device function.
//!
//! Sources: PTX ISA 9.0 §5.1.3, §5.1.4 (`.const`, `.global`), §11.7 (linking); CUDA C++ programming guide,
//! "Variable memory space specifiers"; Itanium C++ ABI §5.1 (mangled names).

use super::arguments::mentioned;
use crate::base::Format;
use crate::ir::{Kernel, Variable};
use crate::isa::Space;
use crate::spec::{Argument, Spec};

/// A variable of a kernel that the host may set.
pub struct Settable {
    /// Index into the kernel's variables.
    pub index: usize,
    /// The tensor's name.
    pub name: String,
    /// Its bytes; `None` if it is declared elsewhere, without an extent.
    pub bytes: Option<u64>,
    /// The format of its elements, as far as the PTX shows.
    pub format: Option<Format>,
}

/// The variables of a kernel that the host may set.
pub fn settable(spec: &Spec, kernel: &Kernel, arguments: &[Argument]) -> Vec<Settable> {
    let taken: Vec<&str> = arguments.iter().flat_map(mentioned).collect();
    let mut found: Vec<Settable> = Vec::new();
    for (index, variable) in kernel.variables.iter().enumerate() {
        let is_view = variable.view.is_some() || is_viewed(spec, &variable.name);
        if !matches!(variable.space, Space::Global | Space::Const) || variable.is_function || is_view {
            continue;
        }
        let declared = |name: &str| spec.tensors.iter().any(|tensor| tensor.name == name);
        let mut name = source_name(&variable.name);
        let clash = |name: &str| taken.contains(&name) || found.iter().any(|other| other.name == name);
        if declared(&variable.name) || clash(&name) {
            name = variable.name.clone();
        }
        if clash(&name) {
            name = format!("module.{name}");
        }
        if is_compilers_own(variable) && !declared(&name) {
            continue;
        }
        let bytes = variable.size.filter(|size| *size > 0);
        let fits =
            |format: &Format| bytes.is_none_or(|bytes| bytes.is_multiple_of(u64::from(format.bytes())));
        let own = Some(variable.format).filter(|format| format.bytes() > 1 || variable.pointee.is_none());
        let format = variable.pointee.filter(fits).or(own.filter(fits)).or(bytes.map(|_| Format::B8));
        found.push(Settable { index, name, bytes, format });
    }
    found
}

/// Whether the spec says that a variable holds a texture or a surface.
fn is_viewed(spec: &Spec, name: &str) -> bool {
    spec.views.iter().any(|view| view.name == name || view.name == source_name(name))
}

/// Whether no host can name a variable, so that it holds what the PTX declares.
fn is_compilers_own(variable: &Variable) -> bool {
    let name = &variable.name;
    let reserved =
        ["__", "_ZZ", "_ZT"].iter().any(|prefix| name.starts_with(prefix)) || name.contains(['$', '.']);
    variable.initialized && !variable.exported && reserved
}

/// Whether a module declares a variable that is called so in its source.
pub fn declares(kernel: &Kernel, name: &str) -> bool {
    kernel.module_variables.iter().any(|variable| variable == name || source_name(variable) == name)
}

/// The name that a variable has in its source: `ns::w` for `_ZN2ns1wE`, `w` for `_ZL1w` and for the `w`
/// of an unnamed namespace, `buffer` for the one inside of a function, `_ZZ4scanE6buffer`. Other names
/// stand for themselves.
pub fn source_name(mangled: &str) -> String {
    let parts = if let Some(local) = mangled.strip_prefix("_ZZ") {
        // The function may have an `E` in its name, and so may the variable.
        let last =
            |at: usize| part(&local[at + 1..]).filter(|(_, rest)| rest.is_empty() || rest.starts_with('_'));
        let found = local.match_indices('E').find_map(|(at, _)| last(at));
        found.map(|(name, _)| vec![name])
    } else if let Some(nested) = mangled.strip_prefix("_ZN") {
        let mut rest = nested;
        let mut parts = Vec::new();
        while let Some((name, behind)) = part(rest) {
            parts.push(name);
            rest = behind;
        }
        rest.starts_with('E').then_some(parts)
    } else {
        let plain = mangled.strip_prefix("_ZL").or(mangled.strip_prefix("_Z"));
        plain.and_then(part).map(|(name, _)| vec![name])
    };
    let unnamed = |name: &&str| name.starts_with("_INTERNAL_") || name.contains("_GLOBAL__N_");
    let shown: Vec<&str> = parts.unwrap_or_default().into_iter().filter(|name| !unnamed(name)).collect();
    if shown.is_empty() { mangled.to_owned() } else { shown.join("::") }
}

/// A length and that many characters: the name, and what stands behind it. Names of variables in CUDA 12
/// and later may be marked as internal by an `L` before the length.
fn part(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    let name = text.get(digits..digits.checked_add(length)?)?;
    Some((name, &text[digits + length..]))
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn variables_have_the_name_of_their_source() {
        for (mangled, name) in [
            ("w", "w"),
            ("_ZL1w", "w"),
            ("_ZN2ns1wE", "ns::w"),
            ("_ZN2ns5innerL1wE", "ns::inner::w"),
            ("_ZZ4scanPfE6buffer", "buffer"),
            ("_ZZ4EDGEE4edge_0", "edge"),
            ("_ZZ4scanPfE3E1x", "E1x"),
            ("_ZZ4scanE9short", "_ZZ4scanE9short"),
            ("_ZN28_INTERNAL_00000000_4_k_cu_wi2ns30_GLOBAL__N__00000000_4_k_cu_wi4anonE", "ns::anon"),
            ("_ZN12_GLOBAL__N_11wE", "w"),
            ("_Z9999w", "_Z9999w"),
            ("_ZN2ns", "_ZN2ns"),
            ("_ZZ", "_ZZ"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(source_name(mangled), name, "{mangled}");
        }
    }
}
