//! Questions whose verdict follows from how they are made, not from what anybody expected.
//!
//! A pair of kernels that are equivalent (a case of the corpus) is changed on one side at every place
//! where it stores an `f32` to global memory: `v` becomes `g(v)`. By construction `g` is the identity for
//! all inputs ([`Truth::Same`]), or is not for some ([`Truth::Differs`]), or needs to know what nobody
//! knows ([`Truth::Unknowable`]). So the changed pair is equivalent, is not, or must not be called so
//! without an assumption that says why.
//!
//! Each kind is a shortcut that was once taken without a proof: that a condition on data does not
//! matter at one point; that a large number is a library's; that a module variable holds its
//! initializer; that a lane which nobody uses must be defined; that a fault under a condition happens;
//! that an address is what our machine makes it.
//!
//! The changes are made in the text, at places that the crate's parser names, with registers that
//! begin with `%meta_`, which no compiler writes.

mod edit;

pub use edit::{Change, Site, sites};

use crate::corpus::Texts;
use warpproof::base::Format;
use warpproof::spec::{self, Role};

/// What follows for the changed pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It is equivalent.
    Same,
    /// There are inputs on which it differs.
    Differs,
    /// It depends on what nobody knows.
    Unknowable,
}

/// A way to change a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// At one number of one input the result is another one.
    GuardDiffers,
    /// At one number of one input the result is written in another way, which is the same there.
    GuardSame,
    /// From a number on that a library's code also compares with, the result is another one.
    LibraryNumber,
    /// A variable of the module is added.
    ModuleVariable,
    /// Three of four words are written, all are loaded, and one of the three is used.
    SurplusLane,
    /// A store far outside of everything stands under a condition that never holds.
    UnreachableFault,
    /// A bit of an address is added.
    AddressBit,
    /// One side reads a byte as unsigned, the other one as signed.
    SignedByte,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [
        Kind::GuardDiffers,
        Kind::GuardSame,
        Kind::LibraryNumber,
        Kind::ModuleVariable,
        Kind::SurplusLane,
        Kind::UnreachableFault,
        Kind::AddressBit,
        Kind::SignedByte,
    ];

    /// What follows from it.
    pub fn truth(self) -> Truth {
        match self {
            Kind::GuardSame | Kind::SurplusLane | Kind::UnreachableFault => Truth::Same,
            Kind::GuardDiffers | Kind::LibraryNumber | Kind::ModuleVariable | Kind::SignedByte => {
                Truth::Differs
            }
            Kind::AddressBit => Truth::Unknowable,
        }
    }
}

/// Numbers that guards ask for, as `f32`; those of [`Kind::LibraryNumber`] are thresholds in the code of
/// `sinf`, `expf`, `logf`, `tanhf` and `powf`.
const POINTS: [f32; 4] = [37.0, 0.0, -2.5, 1.0];
const LIBRARY: [u32; 6] = [0x47CE_4780, 0x7F00_0000, 0x4240_0000, 0x3F19_999A, 0x0080_0000, 0x42D2_0000];

/// A changed question.
pub struct Question {
    /// Its texts.
    pub texts: Texts,
    /// What was put in, for messages.
    pub inserted: String,
}

/// An element that can be tested: the kernel's parameter for a symbolic `f32` input.
fn input(spec: &spec::Spec, side: &spec::Side, parameters: &[String]) -> Option<String> {
    let names = side.args.as_ref()?;
    names.iter().zip(parameters).find_map(|(argument, parameter)| {
        let spec::Argument::Name(name) = argument else { return None };
        let tensor = spec.tensors.iter().find(|tensor| tensor.name == *name)?;
        let plain = tensor.format == Some(Format::F32)
            && tensor.role == Some(Role::In)
            && tensor.contents.is_none()
            && tensor.strides.is_none();
        plain.then(|| parameter.clone())
    })
}

/// Changes a pair; `number` draws from the kind's numbers. `None` where the kind does not apply: no input
/// to test, or nothing to change.
pub fn question(texts: &Texts, kind: Kind, number: usize) -> Option<Question> {
    let (spec, _) = spec::parse(&texts.spec);
    let (reference, reference_name) = texts.reference.clone()?;
    let (optimized, optimized_name) = texts.optimized.clone();
    let change = |text: &str, side: &spec::Side, variant: usize| {
        let sites = sites(text, side.entry.as_deref())?;
        let parameter = input(&spec, side, &sites.parameters)?;
        Some(edit::apply(text, &sites, &recipe(kind, number, variant, &parameter)))
    };
    let recipe_of = recipe(kind, number, 1, "…");
    let changed = change(&optimized, &spec.optimized, 1)?;
    let reference = match kind {
        // Both sides add a byte.
        Kind::SignedByte => change(&reference, &spec.reference, 0)?,
        _ => reference,
    };
    let texts = Texts {
        spec: texts.spec.clone(),
        reference: Some((reference, reference_name)),
        optimized: (changed, optimized_name),
    };
    Some(Question { texts, inserted: recipe_of.code.join("\n") })
}

/// The code that makes `%meta_v` of the stored value `%meta_in`.
fn recipe(kind: Kind, number: usize, variant: usize, parameter: &str) -> Change {
    let load =
        [format!("ld.param.u64 %meta_p, [{parameter}];"), "ld.global.f32 %meta_x, [%meta_p];".to_owned()];
    let point = format!("0f{:08X}", POINTS[number % POINTS.len()].to_bits());
    let library = format!("0f{:08X}", LIBRARY[number % LIBRARY.len()]);
    let (module, code): (&[&str], Vec<String>) = match kind {
        Kind::GuardDiffers => (
            &[],
            vec![
                format!("setp.eq.f32 %meta_c, %meta_x, {point};"),
                "add.f32 %meta_y, %meta_in, 0f3F800000;".to_owned(),
                "selp.f32 %meta_v, %meta_y, %meta_in, %meta_c;".to_owned(),
            ],
        ),
        Kind::GuardSame => (
            &[],
            vec![
                format!("setp.eq.f32 %meta_c, %meta_x, {point};"),
                "add.f32 %meta_y, %meta_in, %meta_x;".to_owned(),
                format!("sub.f32 %meta_y, %meta_y, {point};"),
                "selp.f32 %meta_v, %meta_y, %meta_in, %meta_c;".to_owned(),
            ],
        ),
        Kind::LibraryNumber => (
            &[],
            vec![
                "abs.f32 %meta_y, %meta_x;".to_owned(),
                format!("setp.ge.f32 %meta_c, %meta_y, {library};"),
                "add.f32 %meta_y, %meta_in, 0f3F800000;".to_owned(),
                "selp.f32 %meta_v, %meta_y, %meta_in, %meta_c;".to_owned(),
            ],
        ),
        Kind::ModuleVariable => (
            &[".global .align 4 .f32 meta_w;"],
            vec![
                "ld.global.f32 %meta_y, [meta_w];".to_owned(),
                "add.f32 %meta_v, %meta_in, %meta_y;".to_owned(),
            ],
        ),
        Kind::SurplusLane => (
            &[],
            vec![
                "mov.u64 %meta_q, meta_l;".to_owned(),
                "st.local.v2.f32 [%meta_q], {%meta_in, %meta_x};".to_owned(),
                "st.local.f32 [%meta_q+8], %meta_in;".to_owned(),
                "ld.local.v4.f32 {%meta_v, %meta_y, %meta_y, %meta_y}, [%meta_q];".to_owned(),
            ],
        ),
        Kind::UnreachableFault => (
            &[],
            vec![
                "setp.gt.f32 %meta_c, %meta_x, 0f00000000;".to_owned(),
                "setp.le.f32 %meta_d, %meta_x, 0f00000000;".to_owned(),
                "and.pred %meta_c, %meta_c, %meta_d;".to_owned(),
                "mov.f32 %meta_v, %meta_in;".to_owned(),
                "@%meta_c st.global.f32 [%meta_p+-1073741824], %meta_v;".to_owned(),
            ],
        ),
        Kind::AddressBit => (
            &[],
            vec![
                "shr.u64 %meta_q, %meta_p, 20;".to_owned(),
                "and.b64 %meta_q, %meta_q, 1;".to_owned(),
                "cvt.rn.f32.u64 %meta_y, %meta_q;".to_owned(),
                "add.f32 %meta_v, %meta_in, %meta_y;".to_owned(),
            ],
        ),
        Kind::SignedByte => {
            let (load, convert) = if variant == 0 { ("u8", "u16") } else { ("s8", "s16") };
            (
                &[],
                vec![
                    format!("ld.global.{load} %meta_h, [%meta_p+2];"),
                    format!("cvt.rn.f32.{convert} %meta_y, %meta_h;"),
                    "add.f32 %meta_v, %meta_in, %meta_y;".to_owned(),
                ],
            )
        }
    };
    Change {
        module: module.iter().map(|line| (*line).to_owned()).collect(),
        code: load.into_iter().chain(code).collect(),
    }
}
