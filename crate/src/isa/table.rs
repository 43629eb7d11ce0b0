//! What a row of the instruction table says, and how an opcode finds its row.

use super::effect::{AtomicOp, Effect, Fetch, Inquiry, Lanewise, SurfacePlace, ViewKind};
use super::form::{Choice, Form, SlotKind};
use super::rows as chapters;
use super::video::Video;
use crate::base::Format;
use std::sync::OnceLock;

/// One instruction (or one group of its types) of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What stands before the first dot.
    pub name: &'static str,
    /// How it is written, in the manual's notation ([`Form`]).
    pub forms: &'static [&'static str],
    /// The effect for a choice of suffixes; `None` where the manual excludes the combination or
    /// nothing here knows it.
    pub build: fn(&Choice<'_>) -> Option<Action>,
    /// What it means over the reals, in words or a formula.
    pub real: &'static str,
    /// Section of PTX ISA 9.0.
    pub section: &'static str,
    /// One line of hover help.
    pub summary: &'static str,
    /// An instance with the registers `%p %rs %r %rd %f %fd`.
    pub example: &'static str,
    /// Whether executing it is supported.
    pub support: Support,
}

/// Whether executing a row is supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// In all its forms.
    Full,
    /// Not yet; what needs it. The row accepts all operands, and all suffixes beside those that its form
    /// wants.
    Missing(&'static str),
}

/// What the lowering makes of an instruction.
#[derive(Clone, Debug)]
pub enum Action {
    /// This effect, with destinations and sources in the order written.
    Effect(Effect),
    /// A link of a carry chain: the condition-code register is read as the last source, written
    /// as the second destination.
    Carry {
        /// The arithmetic.
        lanes: Lanewise,
        /// Reads the carry.
        reads: bool,
        /// Writes the carry.
        writes: bool,
    },
    /// Several effects in a row (packed halves, combined predicates).
    Steps(Vec<Step>),
    /// Effects that depend on which parts of registers the operands name.
    Video(Video),
    /// Memory that a thread takes and gives back as it runs.
    Stack(StackOp),
    /// Bytes lose their value.
    Discard(super::Space),
    /// A texture or a surface is used.
    View(ViewOp),
    /// `call`
    Call,
    /// `ret`
    Return,
}

/// What is done with a texture or a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewOp {
    /// It is read by coordinates.
    Fetch(Fetch),
    /// Samples of a multi-sampled texture, of which nothing is known here.
    Samples,
    /// Something is asked about it.
    Inquire(Inquiry),
    /// Its format is asked for, in numbers that depend on the source language.
    InquireFormat,
    /// What a register stands for.
    Is(ViewKind),
    /// A surface is accessed.
    Surface {
        /// Where.
        place: SurfacePlace,
        /// One element's format.
        format: Format,
        /// Elements.
        vector: u8,
        /// What is done.
        access: SurfaceAccess,
    },
}

/// What is done at a place of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SurfaceAccess {
    /// It is loaded.
    Load,
    /// It is stored.
    Store,
    /// It is changed in one step.
    Reduce(AtomicOp),
}

/// What is done with a thread's stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackOp {
    /// Where it ends.
    Save,
    /// It ends there again.
    Restore,
    /// Takes bytes; the address of the first.
    Allocate,
}

/// One effect of [`Action::Steps`].
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub effect: Effect,
    /// Destinations.
    pub dst: Vec<Arg>,
    /// Sources.
    pub src: Vec<Arg>,
}

/// An operand of a [`Step`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// The instruction's destination of that number.
    Out(u8),
    /// The instruction's source of that number.
    In(u8),
    /// A temporary of that number and width.
    Temp(u8, u8),
    /// These bits.
    Bits(u64),
}

/// The shape of an operand as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A register, symbol or literal.
    Scalar,
    /// `_`
    Sink,
    /// `!p`
    Not,
    /// `[…]`
    Address,
    /// `array[…]`, which is an address where one is wanted, and else a value.
    Element,
    /// `{…}` with that many elements.
    Vector(u8),
    /// `a|b`
    Pair,
    /// `-a`
    Minus,
    /// `[a, {…}]`
    Coordinates,
    /// `(…)`
    Other,
}

/// An opcode that found its row.
#[derive(Debug)]
pub struct Resolved {
    /// Index into [`rows`].
    pub row: u32,
    /// The form that matched.
    pub form: &'static Form,
    /// Elements of `.v2`, `.v4`, …; 1 without.
    pub vector: u8,
    /// What it does.
    pub action: Action,
}

/// Why an opcode has no meaning here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// No row has this name.
    UnknownName,
    /// The name is known, these suffixes together are not; names one that no form takes, if any.
    UnknownSuffixes(Option<String>),
    /// The suffixes exist and do not go together; says what to write instead.
    Mismatch(String),
    /// Name and suffixes are known, the operands do not fit the form.
    Operands {
        /// The operand that does not, if it is one of them.
        at: Option<usize>,
        /// What is wrong.
        reason: String,
        /// The form without its choices.
        form: &'static str,
    },
    /// The row exists, its meaning is missing; says what needs it.
    Missing(u32, &'static str),
}

struct Table {
    /// Each row with its forms, in the order of the chapters.
    entries: Vec<(&'static Row, Vec<Form>)>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table {
        entries: chapters::ALL
            .iter()
            .flat_map(|chapter| chapter.iter())
            .map(|row| (row, row.forms.iter().map(|form| Form::read(form)).collect()))
            .collect(),
    })
}

/// All rows, in table order ([`Resolved::row`] indexes this).
pub fn rows() -> impl Iterator<Item = &'static Row> {
    table().entries.iter().map(|(row, _)| *row)
}

/// The row with that index.
pub fn row(index: u32) -> Option<&'static Row> {
    table().entries.get(index as usize).map(|(row, _)| *row)
}

/// The row that explains an opcode (for hover help): the one whose form takes its suffixes, else
/// the first of its name.
pub fn row_for(base: &str, suffixes: &[&str]) -> Option<&'static Row> {
    let mut named = table().entries.iter().filter(|(row, _)| row.name == base);
    let exact = named.clone().find(|(_, forms)| forms.iter().any(|form| form.choose(suffixes).is_some()));
    exact.or_else(|| named.next()).map(|(row, _)| *row)
}

/// Finds the meaning of an opcode with operands of the given shapes.
pub fn find(base: &str, suffixes: &[&str], shapes: &[Shape]) -> Result<Resolved, Problem> {
    let mut known = false;
    let mut misfit = None;
    let mut missing = None;
    let mut excluded = false;
    for (index, (row, forms)) in table().entries.iter().enumerate() {
        if row.name != base {
            continue;
        }
        known = true;
        if let Support::Missing(family) = row.support {
            if forms.iter().any(|form| form.is_about(suffixes)) {
                missing.get_or_insert(Problem::Missing(index as u32, family));
            }
            continue;
        }
        for (at, form) in forms.iter().enumerate() {
            let Some(choice) = form.choose(suffixes) else { continue };
            if let Err(reason) = fit(form, &choice, shapes) {
                misfit.get_or_insert((form, reason));
                continue;
            }
            let Some(mut action) = (row.build)(&choice) else {
                excluded = true;
                continue;
            };
            number(&mut action, operation(index, at, &choice));
            return Ok(Resolved { row: index as u32, form, vector: choice.vector(), action });
        }
    }
    if let Some(instead) = chapters::compare::instead(base, suffixes) {
        return Err(Problem::Mismatch(instead));
    }
    if let Some((form, (at, reason))) = misfit.filter(|_| !excluded) {
        return Err(Problem::Operands { at, reason, form: head(form.text) });
    }
    if let Some(missing) = missing {
        return Err(missing);
    }
    if !known {
        return Err(Problem::UnknownName);
    }
    let takes = |suffix: &str| {
        let mut named = table().entries.iter().filter(|(row, _)| row.name == base);
        named.any(|(_, forms)| forms.iter().any(|form| form.knows(suffix)))
    };
    Err(Problem::UnknownSuffixes(suffixes.iter().find(|suffix| !takes(suffix)).map(|s| (*s).to_owned())))
}

fn head(text: &str) -> &str {
    text.split(';').next().unwrap_or("").trim()
}

/// A number that no other row, form or choice of suffixes has. (Twelve bits for row and form;
/// the largest choice space, that of `cvt`, is asserted by a test to fit the rest.)
fn operation(row: usize, form: usize, choice: &Choice<'_>) -> u32 {
    choice.number() << 12 | ((row as u32) << 2 | form as u32 & 3) & 0xfff
}

fn number(action: &mut Action, operation: u32) {
    let mark = |effect: &mut Effect| {
        if let Effect::Lanewise(lanes) = effect {
            lanes.operation = operation;
        }
    };
    match action {
        Action::Effect(effect) => mark(effect),
        Action::Carry { lanes, .. } => lanes.operation = operation,
        // Steps keep the numbers of the instructions that they are made of.
        Action::Steps(_)
        | Action::Video(_)
        | Action::Stack(_)
        | Action::Discard(_)
        | Action::View(_)
        | Action::Call
        | Action::Return => {}
    }
}

/// Whether operands of these shapes stand where the form wants them.
fn fit(form: &Form, choice: &Choice<'_>, shapes: &[Shape]) -> Result<(), (Option<usize>, String)> {
    let (least, most) = form.arity();
    if shapes.len() < least || shapes.len() > most {
        let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        return Err((None, format!("{} takes {wanted} operands, not {}", choice.base(), shapes.len())));
    }
    let vector = choice.vector();
    for (at, (slot, shape)) in assign(form, shapes.len()).into_iter().zip(shapes).enumerate() {
        let fits = match (slot, shape) {
            (SlotKind::Rest, _) => return Ok(()),
            (SlotKind::Out | SlotKind::In, Shape::Vector(n)) => vector == *n,
            // A vector register names all its elements at once.
            (SlotKind::Out, Shape::Scalar | Shape::Sink) => true,
            (SlotKind::In, Shape::Scalar | Shape::Element) => true,
            (SlotKind::OutPair { optional }, Shape::Scalar | Shape::Sink) => optional,
            (SlotKind::OutPair { .. }, Shape::Pair) => true,
            (SlotKind::Predicate, Shape::Scalar | Shape::Not) => true,
            (SlotKind::Signed, Shape::Scalar | Shape::Minus) => true,
            (SlotKind::OutVector(n) | SlotKind::InVector(n), Shape::Vector(m)) => n == *m,
            (SlotKind::OutFragment | SlotKind::InFragment, Shape::Vector(_) | Shape::Scalar) => true,
            (SlotKind::Address, Shape::Address | Shape::Element) => true,
            (SlotKind::OutVectorPair, Shape::Vector(_) | Shape::Scalar | Shape::Pair) => true,
            (SlotKind::Coordinates, Shape::Coordinates) => true,
            (SlotKind::Loose, Shape::Vector(_) | Shape::Scalar) => true,
            _ => false,
        };
        if !fits {
            return Err((
                Some(at),
                format!("{} stands where {} is wanted", shape.words(), slot.words(vector)),
            ));
        }
    }
    Ok(())
}

/// The slots that `count` operands take: optional ones are filled from the left as far as the
/// count allows.
pub fn assign(form: &Form, count: usize) -> Vec<SlotKind> {
    let mut spare = count.saturating_sub(form.arity().0);
    let mut kinds = Vec::with_capacity(count);
    for slot in &form.slots {
        if slot.optional {
            if spare == 0 {
                continue;
            }
            spare -= 1;
        }
        kinds.push(slot.kind);
    }
    kinds
}

impl Shape {
    fn words(self) -> String {
        match self {
            Shape::Scalar => "a single value".into(),
            Shape::Sink => "`_`".into(),
            Shape::Not => "a negated predicate".into(),
            Shape::Address => "an address".into(),
            Shape::Element => "an element of an array".into(),
            Shape::Vector(n) => format!("a vector of {n}"),
            Shape::Pair => "a pair".into(),
            Shape::Minus => "a negated register".into(),
            Shape::Coordinates => "an address with coordinates".into(),
            Shape::Other => "a list".into(),
        }
    }
}

impl SlotKind {
    fn words(self, vector: u8) -> String {
        match self {
            SlotKind::Out | SlotKind::In if vector > 1 => format!("a vector of {vector}"),
            SlotKind::Out => "a destination register".into(),
            SlotKind::In => "a single value".into(),
            SlotKind::OutPair { optional: true } => "a destination or a pair of them".into(),
            SlotKind::OutPair { .. } => "a pair of destinations".into(),
            SlotKind::OutVector(n) | SlotKind::InVector(n) => format!("a vector of {n}"),
            SlotKind::OutFragment | SlotKind::InFragment => "a vector of registers".into(),
            SlotKind::Predicate => "a predicate".into(),
            SlotKind::Signed => "a single value".into(),
            SlotKind::Address => "an address in brackets".into(),
            SlotKind::OutVectorPair => "a vector of destinations".into(),
            SlotKind::Coordinates => "an address with coordinates".into(),
            SlotKind::Loose => "a single value or a vector".into(),
            SlotKind::Rest => "anything".into(),
        }
    }
}

/// One line of the coverage table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// Section of PTX ISA 9.0.
    pub section: &'static str,
    /// The instruction.
    pub name: &'static str,
    /// How it is written.
    pub forms: Vec<&'static str>,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What it means over the reals.
    pub real: &'static str,
    /// What still needs it, where it is missing.
    pub missing: Option<&'static str>,
}

/// The table of `docs/instructions.md`, in the manual's order.
pub fn coverage() -> Vec<Coverage> {
    let mut lines: Vec<Coverage> = rows()
        .map(|row| Coverage {
            section: row.section,
            name: row.name,
            forms: row.forms.iter().map(|form| head(form)).collect(),
            summary: row.summary,
            real: row.real,
            missing: match row.support {
                Support::Full => None,
                Support::Missing(family) => Some(family),
            },
        })
        .collect();
    let key = |section: &str| section.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    lines.sort_by_cached_key(|line| (key(line.section), line.name));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_form_is_read_and_every_row_is_complete() {
        assert!(rows().count() < 1024, "operation numbers have ten bits for the row");
        for (row, forms) in &table().entries {
            assert!(forms.len() <= 4, "operation numbers have two bits for the form: {}", row.name);
            for form in forms {
                assert!(form.text.starts_with(row.name), "{}", form.text);
            }
            assert!(!row.section.is_empty() && !row.summary.is_empty() && row.example.ends_with(';'));
            assert!(row.example.starts_with(row.name), "{}", row.example);
        }
    }

    /// Two forms that both take the same suffixes must differ in their operands, or the second
    /// would never be found.
    #[test]
    fn examples_find_their_own_row() {
        for (at, (row, _)) in table().entries.iter().enumerate() {
            let opcode = row.example.trim_end_matches(';').split_whitespace().next().unwrap_or("");
            let suffixes: Vec<&str> = opcode.split('.').skip(1).collect();
            let candidates: BTreeSet<u32> = table()
                .entries
                .iter()
                .enumerate()
                .filter(|(_, (other, forms))| {
                    other.name == row.name
                        && (forms.iter().any(|form| form.choose(&suffixes).is_some())
                            || other.support != Support::Full)
                })
                .map(|(index, _)| index as u32)
                .collect();
            assert!(candidates.contains(&(at as u32)), "{}", row.example);
        }
    }

    #[test]
    fn unknown_opcodes_say_what_is_unknown() {
        let two = [Shape::Scalar; 3];
        assert_eq!(find("addd", &["s32"], &two).unwrap_err(), Problem::UnknownName);
        let wrong = find("add", &["s32", "wrap"], &two).unwrap_err();
        assert_eq!(wrong, Problem::UnknownSuffixes(Some("wrap".into())));
        assert_eq!(
            find("add", &["lo", "s32"], &two).unwrap_err(),
            Problem::UnknownSuffixes(Some("lo".into()))
        );
        for (base, suffixes, instead) in [
            ("setp", &["lo", "s16"][..], "not for .s16: write setp.lt with .s16, or with .u16 if"),
            ("setp", &["hs", "and", "s32"], "not for .s32: write setp.ge with .s32, or with .u32 if"),
            ("setp", &["hi", "b64"], "not for .b64: write setp.gt with .u64 or .s64"),
            ("setp", &["ls", "f32"], "not for .f32: write setp.le with .f32"),
            ("setp", &["lt", "b32"], ".b32 are bits (eq and ne only): write setp.lt with .u32 or .s32"),
            ("set", &["lo", "u32", "s32"], "not for .s32: write set.lt with .s32"),
        ] {
            let shapes = &[Shape::Scalar; 4][..if suffixes.contains(&"and") { 4 } else { 3 }];
            let Err(Problem::Mismatch(why)) = find(base, suffixes, shapes) else { panic!("{suffixes:?}") };
            assert!(why.contains(instead), "{why}");
        }
        let few = find("add", &["s32"], &two[..2]).unwrap_err();
        assert!(matches!(few, Problem::Operands { at: None, .. }));
        assert!(matches!(find("multimem", &["red"], &[]).unwrap_err(), Problem::Missing(..)));
    }

    #[test]
    fn equal_operation_numbers_mean_equal_functions() {
        let number = |base: &str, suffixes: &[&str], count: usize| match find(
            base,
            suffixes,
            &vec![Shape::Scalar; count],
        )
        .map(|resolved| resolved.action)
        {
            Ok(Action::Effect(Effect::Lanewise(lanes))) => lanes.operation,
            other => panic!("{base} {suffixes:?}: {other:?}"),
        };
        let numbers: BTreeSet<u32> = [
            number("mul", &["hi", "s32"], 3),
            number("mul", &["hi", "u32"], 3),
            number("mul", &["hi", "u64"], 3),
            number("mul", &["wide", "u32"], 3),
            number("popc", &["b32"], 2),
            number("popc", &["b64"], 2),
            number("cvt", &["rzi", "s64", "f64"], 2),
            number("cvt", &["rpi", "s64", "f64"], 2),
            number("cvt", &["rpi", "f64", "f64"], 2),
            number("setp", &["lt", "s32"], 3),
        ]
        .into();
        assert_eq!(numbers.len(), 10);
    }

    /// `setp` and `set` are steps whose comparisons keep a number of their own.
    #[test]
    fn comparisons_inside_steps_have_numbers_of_their_own() {
        let mut seen = BTreeSet::new();
        let mut count = 0;
        for ty in ["u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "f16", "bf16"] {
            for cmp in ["eq", "lt", "le", "gt", "ge", "lo", "hs", "equ", "ltu", "num", "nan"] {
                let found = find("setp", &[cmp, "and", ty], &[Shape::Scalar; 4]);
                let Ok(Action::Steps(steps)) = found.map(|found| found.action) else { continue };
                let Effect::Lanewise(lanes) = steps[0].effect else { panic!("{cmp} {ty}") };
                // `lo` and `lt` of unsigned numbers are the same function.
                if !matches!(cmp, "lo" | "hs") {
                    count += 1;
                    seen.insert(lanes.operation);
                }
            }
        }
        assert!(count > 60 && seen.len() == count, "{count} comparisons, {} numbers", seen.len());
    }

    #[test]
    fn coverage_is_in_the_manuals_order() {
        let lines = coverage();
        assert_eq!(lines.len(), rows().count());
        assert_eq!((lines[0].section, lines[0].name), ("9.7.1.1", "add"));
        assert!(lines.iter().any(|line| line.missing.is_some()));
    }
}
