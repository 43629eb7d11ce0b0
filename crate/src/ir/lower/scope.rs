//! Names and what they stand for, in nested scopes.
//!
//! Inline assembly opens thousands of scopes that declare the same few names, and a module may
//! declare a million registers that it never uses, so a scope keeps declared ranges as ranges and
//! makes an entry for a name when it is first mentioned.

use crate::ir::Reg;
use crate::syntax::ast::{Name, Names, Type};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// A register of that many bits.
    Register { bits: u32, reg: Reg },
    /// A vector register: `count` registers in a row from `first`.
    Vector { bits: u32, first: Reg, count: u8 },
    /// A variable of the kernel.
    Variable(u32),
    /// A `.param` local of a function: an argument or result of a call.
    Argument(u32),
    /// A parameter of the kernel.
    Parameter(u32),
    /// A label.
    Label(u32),
    /// A list of branch or call targets, by its place in the block being lowered.
    Targets(u32),
    /// A prototype.
    Signature,
    /// Declared, but not something that occurs in an operand.
    Opaque,
}

/// `%r<10>`, not expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) prefix: Name,
    pub(super) count: u32,
    pub(super) ty: Type,
    pub(super) vector: Option<u8>,
}

/// One block's names.
#[derive(Default)]
pub(super) struct Scope {
    names: FxHashMap<Name, Binding>,
    /// Single registers that are declared and not yet mentioned.
    declared: FxHashMap<Name, (Type, Option<u8>)>,
    ranges: Vec<Range>,
}

/// What a look-up finds.
pub(super) enum Found {
    /// Something bound.
    Bound(Binding),
    /// A register declared in that scope that has no id yet.
    Declared { scope: usize, ty: Type, vector: Option<u8> },
    /// Nothing.
    Nothing,
}

/// The scopes that are open, innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// Names below this depth are hidden (the caller's, while a function is inlined); depth 0 is
    /// the module's.
    floor: usize,
}

impl Scopes {
    /// How many scopes are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens a scope.
    pub(super) fn open(&mut self) {
        self.open.push(Scope::default());
    }

    /// Closes the innermost scope.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Opens a function's outermost scope: the caller's names are hidden until
    /// [`Scopes::close_function`] is given what this returns.
    pub(super) fn open_function(&mut self) -> usize {
        let caller = self.floor;
        self.floor = self.open.len();
        self.open();
        caller
    }

    /// Closes a function's outermost scope.
    pub(super) fn close_function(&mut self, caller: usize) {
        self.close();
        self.floor = caller;
    }

    /// Binds a name in the innermost scope; `false` if it was bound there before.
    pub(super) fn bind(&mut self, name: Name, binding: Binding) -> bool {
        let scope = self.open.last_mut().expect("a scope is open");
        scope.names.insert(name, binding).is_none()
    }

    /// Binds a name in a given scope.
    pub(super) fn bind_in(&mut self, scope: usize, name: Name, binding: Binding) {
        self.open[scope].names.insert(name, binding);
    }

    /// Declares one register.
    pub(super) fn declare(&mut self, name: Name, ty: Type, vector: Option<u8>) {
        let scope = self.open.last_mut().expect("a scope is open");
        scope.names.remove(&name);
        scope.declared.insert(name, (ty, vector));
    }

    /// Declares a range of registers.
    pub(super) fn declare_range(&mut self, range: Range) {
        self.open.last_mut().expect("a scope is open").ranges.push(range);
    }

    /// Finds a name, innermost scope first, the module's last.
    pub(super) fn find(&self, names: &Names, name: Name) -> Found {
        let visible = (self.floor.max(1)..self.open.len()).rev().chain(std::iter::once(0));
        for at in visible {
            let Some(scope) = self.open.get(at) else { continue };
            if let Some(binding) = scope.names.get(&name) {
                return Found::Bound(*binding);
            }
            if let Some((ty, vector)) = scope.declared.get(&name) {
                return Found::Declared { scope: at, ty: *ty, vector: *vector };
            }
            if !scope.ranges.is_empty() {
                let text = &names[name];
                let range =
                    scope.ranges.iter().find(|range| in_range(&names[range.prefix], range.count, text));
                if let Some(range) = range {
                    return Found::Declared { scope: at, ty: range.ty, vector: range.vector };
                }
            }
        }
        Found::Nothing
    }

    /// The type that a register is declared with, whether or not it has been mentioned.
    pub(super) fn type_of(&self, names: &Names, name: Name) -> Option<Type> {
        let visible = (self.floor.max(1)..self.open.len()).rev().chain(std::iter::once(0));
        visible.filter_map(|at| self.open.get(at)).find_map(|scope| {
            let declared = scope.declared.get(&name).map(|(ty, _)| *ty);
            let in_ranges = |range: &&Range| in_range(&names[range.prefix], range.count, &names[name]);
            declared.or_else(|| scope.ranges.iter().find(in_ranges).map(|range| range.ty))
        })
    }

    /// The name closest to a misspelt one, for a note.
    pub(super) fn nearest(&self, names: &Names, wanted: &str) -> Option<String> {
        let mut best: Option<(usize, String)> = None;
        let mut consider = |text: &str| {
            let distance = strsim::damerau_levenshtein(wanted, text);
            let close = distance <= 1 + wanted.len() / 4;
            if close && best.as_ref().is_none_or(|(least, name)| (distance, text) < (*least, name.as_str())) {
                best = Some((distance, text.to_owned()));
            }
        };
        for at in (self.floor.max(1)..self.open.len()).chain(std::iter::once(0)) {
            let Some(scope) = self.open.get(at) else { continue };
            for name in scope.names.keys().chain(scope.declared.keys()) {
                consider(&names[*name]);
            }
        }
        best.map(|(_, name)| name)
    }
}

/// Whether `text` is one of `prefix0` … `prefix(count-1)`.
fn in_range(prefix: &str, count: u32, text: &str) -> bool {
    let Some(digits) = text.strip_prefix(prefix) else { return false };
    let canonical = digits == "0" || !digits.is_empty() && !digits.starts_with('0');
    canonical
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse().is_ok_and(|n: u32| n < count)
}

/// Bits of a register of a type; 1 for predicates, `None` where none exists.
pub(super) fn register_bits(ty: Type) -> Option<u32> {
    Some(match ty {
        Type::Scalar(format) => format.bits(),
        Type::Predicate => 1,
        Type::B128 => 128,
        Type::F16x2 | Type::Bf16x2 => 32,
        Type::Texref | Type::Samplerref | Type::Surfref => return None,
    })
}
