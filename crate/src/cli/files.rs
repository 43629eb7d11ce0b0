//! The files of a question, and what to say when one cannot be used.

use crate::spec;
use std::path::{Path, PathBuf};

/// Why there is nothing to run, in words for the user.
#[derive(Debug)]
pub struct Refusal(pub String);

/// One file.
pub struct File {
    /// As the user wrote it, or as the spec leads to it.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// The files of a question.
pub struct Question {
    /// The reference PTX.
    pub reference: Option<File>,
    /// The optimized (or only) PTX.
    pub optimized: File,
    /// The spec.
    pub spec: Option<File>,
    /// There is no reference, in no form.
    pub single: bool,
}

/// The files of a comparison. A spec without a reference asks about one kernel.
pub fn pair(
    reference: Option<PathBuf>,
    optimized: Option<PathBuf>,
    spec: Option<&Path>,
) -> Result<Question, Refusal> {
    let (spec, sides) = read_spec(spec)?;
    // With a formula as the reference, one file is the kernel.
    let (reference, optimized) = match (reference, optimized) {
        (Some(only), None) if sides.formula => (None, Some(only)),
        both => both,
    };
    if let (Some(_), None) = (&reference, &optimized) {
        return Err(Refusal(
            "check compares two kernels: give both PTX files, a spec with a [formula], or use `warpproof analyze`"
                .to_owned(),
        ));
    }
    let Some(optimized) = optimized.or(sides.optimized) else {
        return Err(Refusal(
            "which kernels? Give two PTX files, or a spec with `ptx = \"…\"` under [reference] and [optimized]".to_owned(),
        ));
    };
    let reference = reference.or(sides.reference).map(|path| read_ptx(&path)).transpose()?;
    let single = reference.is_none() && !sides.formula;
    Ok(Question { reference, optimized: read_ptx(&optimized)?, spec, single })
}

/// The files of an analysis.
pub fn single(kernel: Option<PathBuf>, spec: Option<&Path>) -> Result<Question, Refusal> {
    let (spec, sides) = read_spec(spec)?;
    let Some(kernel) = kernel.or(sides.optimized) else {
        return Err(Refusal(
            "which kernel? Give a PTX file, or a spec with `ptx = \"…\"` under [optimized]".to_owned(),
        ));
    };
    Ok(Question { reference: None, optimized: read_ptx(&kernel)?, spec, single: true })
}

/// PTX files that a spec names, relative to itself.
#[derive(Default)]
struct Sides {
    reference: Option<PathBuf>,
    optimized: Option<PathBuf>,
    /// The spec has a formula.
    formula: bool,
}

fn read_spec(path: Option<&Path>) -> Result<(Option<File>, Sides), Refusal> {
    let Some(path) = path else { return Ok((None, Sides::default())) };
    let file = read(path)?;
    let (spec, _) = spec::parse(&file.text);
    let beside = |ptx: &Option<String>| {
        ptx.as_ref().map(|ptx| clean(&path.parent().unwrap_or(Path::new("")).join(ptx)))
    };
    let sides = Sides {
        reference: beside(&spec.reference.ptx),
        optimized: beside(&spec.optimized.ptx),
        formula: spec.formula.is_some(),
    };
    Ok((Some(file), sides))
}

/// `a/b/../../c` is `c`, which reads better in excerpts.
pub fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                parts.pop();
            }
            (Component::CurDir, _) => {}
            _ => parts.push(part),
        }
    }
    parts.iter().collect()
}

fn read_ptx(path: &Path) -> Result<File, Refusal> {
    let file = read(path)?;
    if file.text.trim().is_empty() {
        return Err(Refusal(format!("`{}` is empty", path.display())));
    }
    Ok(file)
}

/// Any one file of a question.
pub fn text(path: &Path) -> Result<File, Refusal> {
    read(path)
}

fn read(path: &Path) -> Result<File, Refusal> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        Refusal(match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no file `{name}`"),
            _ => format!("`{name}` cannot be read: {error}"),
        })
    })?;
    if let Some(what) = binary(&bytes) {
        return Err(Refusal(format!("`{name}` is {what}")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(File { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Refusal(format!("`{name}` is not text: byte {at} is not UTF-8")))
        }
    }
}

/// Files that people hand over instead of PTX.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x7f, b'E', b'L', b'F', ..] => Some(
            "compiled machine code (a cubin or an object file), not PTX: try `cuobjdump -ptx`, or compile with `nvcc -ptx`",
        ),
        [0x50, 0xed, 0x55, 0xba, ..] => Some("a CUDA fat binary, not PTX: try `cuobjdump -ptx`"),
        [b'B', b'C', 0xc0, 0xde, ..] => Some("LLVM bitcode, not PTX: compile it with `llc -march=nvptx64`"),
        [0x1f, 0x8b, ..] => Some("gzip-compressed: unpack it first"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive: unpack it first"),
        _ => None,
    }
}
