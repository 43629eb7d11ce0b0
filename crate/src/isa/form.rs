//! Instruction forms in the manual's own notation, and the matching of an opcode against them.
//!
//! A form is written as the manual writes it, for example
//! `mul.mode{.ftz}.type d, a, b; .mode = .hi .lo; .type = .u32 .s32`: literal suffixes, names of
//! choices (explained behind the semicolons), `{…}` for what may be missing. Operands are
//! destinations if they are called `d`, `e`, `f`, `g`, `p` or `q`; `[a]` is an address, `{d, e}` a
//! vector, `{d..}` a matrix fragment of as many registers as it has, `d|p` a pair, `[a, c]` an address with coordinates,
//! `{d..}{|p}` a vector with or without a predicate, words of several letters something that the instruction reads itself, `{!}c` a predicate that may be negated, `{-}c` a
//! register that may have a minus, `{, b}` an operand that may be
//! missing, `...` the rest, whatever it is.
//!
//! Suffixes are a set: compilers write them in different orders (`ldmatrix…x4.m8n8` and
//! `…m8n8.x4`). Only types keep their order among themselves (`cvt.f32.s32` is not `cvt.s32.f32`).
//!
//! Source: PTX ISA 9.0, section 9.1 (the notation).

use crate::base::Format;

/// One accepted way to write an instruction.
#[derive(Debug)]
pub struct Form {
    /// As in the table.
    pub text: &'static str,
    groups: Vec<Group>,
    /// What stands behind the opcode, in order.
    pub slots: Vec<Slot>,
}

/// A place in the opcode where one suffix stands.
#[derive(Debug)]
struct Group {
    key: &'static str,
    choices: Vec<&'static str>,
    optional: bool,
    /// All choices are types: these groups keep their order.
    types: bool,
}

/// One operand of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// What may stand there.
    pub kind: SlotKind,
    /// It may be missing.
    pub optional: bool,
}

/// What an operand of a form is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// A destination.
    Out,
    /// A destination pair `d|p`; the second half may be missing if `optional`.
    OutPair {
        /// `d{|p}`
        optional: bool,
    },
    /// A vector of that many destinations.
    OutVector(u8),
    /// A source.
    In,
    /// A predicate source that may be negated.
    Predicate,
    /// A source that may have a minus.
    Signed,
    /// A vector of that many sources.
    InVector(u8),
    /// A memory address.
    Address,
    /// An address with coordinates behind it.
    Coordinates,
    /// The registers of a matrix fragment, as destinations; the effect knows how many.
    OutFragment,
    /// The registers of a matrix fragment, as sources.
    InFragment,
    /// A vector of destinations, or a pair of one and a predicate.
    OutVectorPair,
    /// A single value or a vector; the instruction knows which.
    Loose,
    /// Anything, and everything behind it.
    Rest,
}

/// The suffixes of an opcode, sorted into the places of a form.
#[derive(Debug)]
pub struct Choice<'f> {
    form: &'f Form,
    chosen: Vec<Option<u16>>,
}

impl Choice<'_> {
    /// What was chosen for a name of the form; `None` if it is missing.
    pub fn get(&self, key: &str) -> Option<&'static str> {
        let at = self.form.groups.iter().position(|group| group.key == key)?;
        Some(self.form.groups[at].choices[usize::from(self.chosen[at]?)])
    }

    /// Whether a suffix was given.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The format chosen for a name of the form.
    pub fn format(&self, key: &str) -> Option<Format> {
        Format::from_name(self.get(key)?)
    }

    /// What stands before the first dot.
    pub fn base(&self) -> &'static str {
        self.form.text.split(['.', '{', ' ']).next().unwrap_or("")
    }

    /// Whether the form's destination is a pair `d|p`.
    pub fn pair(&self) -> bool {
        let pair = SlotKind::OutPair { optional: false };
        self.form.slots.first().is_some_and(|slot| slot.kind == pair)
    }

    /// Whether one of the form's sources is a matrix fragment.
    pub fn gives_fragment(&self) -> bool {
        self.form.slots.iter().any(|slot| slot.kind == SlotKind::InFragment)
    }

    /// How many of the form's operands are addresses.
    pub fn addresses(&self) -> usize {
        self.form.slots.iter().filter(|slot| slot.kind == SlotKind::Address).count()
    }

    /// The vector length given by `.vec`.
    pub fn vector(&self) -> u8 {
        self.get("vec").and_then(|v| v[1..].parse().ok()).unwrap_or(1)
    }

    /// A number that tells this choice apart from every other of the same form.
    pub fn number(&self) -> u32 {
        let mut number = 0u32;
        for (group, chosen) in self.form.groups.iter().zip(&self.chosen) {
            let digit = chosen.map_or(0, |at| u32::from(at) + 1);
            number = number.wrapping_mul(group.choices.len() as u32 + 1).wrapping_add(digit);
        }
        number
    }
}

impl Form {
    /// Reads the notation. Panics on a malformed table entry, which a test would meet first.
    pub fn read(text: &'static str) -> Form {
        let mut parts = text.split(';').map(str::trim);
        let head = parts.next().unwrap_or("");
        let definitions: Vec<(&str, Vec<&'static str>)> = parts
            .map(|part| {
                let (key, choices) = part.split_once('=').expect("a choice is `.name = .a .b`");
                (key.trim().trim_start_matches('.'), choices.split_whitespace().map(|c| &c[1..]).collect())
            })
            .collect();
        let (opcode, operands) = head.split_once(' ').unwrap_or((head, ""));
        let groups = read_groups(opcode, &definitions);
        Form { text, groups, slots: read_slots(operands) }
    }

    /// Sorts suffixes into the form's places; `None` if they do not fit.
    pub fn choose(&self, suffixes: &[&str]) -> Option<Choice<'_>> {
        let mut chosen: Vec<Option<u16>> = vec![None; self.groups.len()];
        let mut from = 0;
        for suffix in suffixes {
            let fits = |at: usize, types: bool| {
                let group = &self.groups[at];
                let choice = group.choices.iter().position(|choice| choice == suffix)?;
                (group.types == types).then_some((at, choice))
            };
            let open = |at: &usize| chosen[*at].is_none();
            let place = (0..self.groups.len()).filter(open).find_map(|at| fits(at, false));
            let place = place.or_else(|| (from..self.groups.len()).find_map(|at| fits(at, true)));
            let (at, choice) = place?;
            if self.groups[at].types {
                // A required type that was skipped cannot be filled any more.
                if self.groups[from..at].iter().any(|group| group.types && !group.optional) {
                    return None;
                }
                from = at + 1;
            }
            chosen[at] = Some(choice as u16);
        }
        let complete =
            self.groups.iter().zip(&chosen).all(|(group, chosen)| group.optional || chosen.is_some());
        complete.then_some(Choice { form: self, chosen })
    }

    /// Whether every place of the form that has to be filled is, whatever else is there.
    pub fn is_about(&self, suffixes: &[&str]) -> bool {
        let filled = |group: &Group| suffixes.iter().any(|suffix| group.choices.contains(suffix));
        self.groups.iter().all(|group| group.optional || filled(group))
    }

    /// Whether some place of the form takes this suffix.
    pub fn knows(&self, suffix: &str) -> bool {
        self.groups.iter().any(|group| group.choices.contains(&suffix))
    }

    /// How many operands it takes at least and at most.
    pub fn arity(&self) -> (usize, usize) {
        let least = self.slots.iter().filter(|slot| !slot.optional && slot.kind != SlotKind::Rest).count();
        let open = self.slots.iter().any(|slot| slot.kind == SlotKind::Rest);
        (least, if open { usize::MAX } else { self.slots.len() })
    }
}

/// `add{.sat}.type` → the places of its suffixes.
fn read_groups(opcode: &'static str, definitions: &[(&str, Vec<&'static str>)]) -> Vec<Group> {
    let mut groups = Vec::new();
    let Some(start) = opcode.find(['.', '{']) else { return groups };
    let mut optional = false;
    for piece in opcode[start..].split_inclusive(['.', '{', '}']) {
        let name = piece.trim_end_matches(['.', '{', '}']);
        if !name.is_empty() {
            let choices = definitions
                .iter()
                .find(|(key, _)| *key == name)
                .map_or_else(|| vec![name], |(_, choices)| choices.clone());
            let types = choices.iter().all(|choice| is_type(choice));
            groups.push(Group { key: name, choices, optional, types });
        }
        match piece.as_bytes().last() {
            Some(b'{') => optional = true,
            Some(b'}') => optional = false,
            _ => {}
        }
    }
    groups
}

fn is_type(text: &str) -> bool {
    matches!(
        text,
        "pred"
            | "s4"
            | "u4"
            | "b1"
            | "f16x2"
            | "bf16x2"
            | "b128"
            | "tf32"
            | "f32x2"
            | "e4m3x2"
            | "e5m2x2"
            | "e2m3x2"
            | "e3m2x2"
            | "e2m1x2"
            | "ue8m0x2"
            | "ue4m3"
            | "u16x2"
            | "s16x2"
            | "u2"
            | "s2"
    ) || Format::from_name(text).is_some()
}

/// `d{|p}, [a]{, {!}c}` → the operands.
fn read_slots(text: &'static str) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut optional = false;
        if let Some(inner) = rest.strip_prefix("{,") {
            optional = true;
            rest = inner.trim_start();
        } else if let Some(inner) = rest.strip_prefix(',') {
            rest = inner.trim_start();
            continue;
        }
        let end = end_of_operand(rest);
        let operand = rest[..end].trim();
        rest = rest[end..].trim_start();
        if optional {
            rest = rest.strip_prefix('}').expect("an optional operand is `{, a}`").trim_start();
        }
        slots.push(Slot { kind: read_slot(operand), optional });
    }
    slots
}

fn end_of_operand(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if text[at..].starts_with("{,") && depth == 0 => return at,
            b'{' | b'[' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn read_slot(operand: &str) -> SlotKind {
    let is_out = |name: &str| matches!(name, "d" | "e" | "f" | "g" | "p" | "q");
    if operand == "..." {
        return SlotKind::Rest;
    }
    if operand.starts_with('[') {
        return if operand.contains(',') { SlotKind::Coordinates } else { SlotKind::Address };
    }
    if operand.ends_with("{|p}") && operand.starts_with('{') {
        return SlotKind::OutVectorPair;
    }
    if operand.len() > 2 && operand.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return SlotKind::Loose;
    }
    if operand.starts_with("{!}") {
        return SlotKind::Predicate;
    }
    if operand.starts_with("{-}") {
        return SlotKind::Signed;
    }
    if let Some(list) = operand.strip_prefix('{') {
        if let Some(name) = list.strip_suffix("..}") {
            return if is_out(name) { SlotKind::OutFragment } else { SlotKind::InFragment };
        }
        let names: Vec<&str> = list.trim_end_matches('}').split(',').map(str::trim).collect();
        let count = names.len() as u8;
        return if is_out(names[0]) { SlotKind::OutVector(count) } else { SlotKind::InVector(count) };
    }
    if operand.contains('|') {
        return SlotKind::OutPair { optional: operand.contains('{') };
    }
    if is_out(operand) { SlotKind::Out } else { SlotKind::In }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_a_set_but_types_keep_their_order() {
        let form = Form::read(
            "cvt{.frnd}{.ftz}{.sat}.dtype.atype d, a; .frnd = .rn .rz; .dtype = .f32 .f16; .atype = .f32 .f16",
        );
        let choice = form.choose(&["ftz", "rn", "f16", "f32"]).unwrap();
        assert_eq!(choice.get("frnd"), Some("rn"));
        assert!(choice.has("ftz") && !choice.has("sat"));
        assert_eq!((choice.format("dtype"), choice.format("atype")), (Some(Format::F16), Some(Format::F32)));
        assert!(form.choose(&["rn", "f16"]).is_none());
        assert!(form.choose(&["rn", "rz", "f16", "f32"]).is_none());
        assert!(form.choose(&["f16", "s32"]).is_none());
    }

    #[test]
    fn every_choice_has_a_number_of_its_own() {
        let form = Form::read(
            "op{.frnd}{.ftz}.type.atype d, a; .frnd = .rn .rz; .type = .f32 .f16; .atype = .f32 .f16 .s32",
        );
        let mut numbers = std::collections::BTreeSet::new();
        let mut choices = 0;
        for frnd in [None, Some("rn"), Some("rz")] {
            for ftz in [None, Some("ftz")] {
                for kind in ["f32", "f16"] {
                    for other in ["f32", "f16", "s32"] {
                        let suffixes: Vec<&str> = frnd.into_iter().chain(ftz).chain([kind, other]).collect();
                        numbers.insert(form.choose(&suffixes).unwrap().number());
                        choices += 1;
                    }
                }
            }
        }
        assert_eq!(numbers.len(), choices);
    }

    #[test]
    fn operands_of_every_kind_are_read() {
        use SlotKind::*;
        let kinds =
            |text| Form::read(text).slots.iter().map(|slot| (slot.kind, slot.optional)).collect::<Vec<_>>();
        assert_eq!(kinds("bar.sync a{, b}"), [(In, false), (In, true)]);
        assert_eq!(
            kinds("setp.lt.and p{|q}, a, b, {!}c"),
            [(OutPair { optional: true }, false), (In, false), (In, false), (Predicate, false)]
        );
        assert_eq!(kinds("mov.b64 {d, e}, a"), [(OutVector(2), false), (In, false)]);
        assert_eq!(kinds("st.u32 [a], b{, c}"), [(Address, false), (In, false), (In, true)]);
        assert_eq!(kinds("cp.x [a], [b, {c}]"), [(Address, false), (Coordinates, false)]);
        assert_eq!(kinds("mma ..."), [(Rest, false)]);
        assert_eq!(kinds("ret"), []);
    }
}
