//! The corpus's kernels one by one, each with its launch: what can be executed concretely.

use crate::agreement::Question;
use crate::corpus::cases;
use std::collections::BTreeSet;
use warpproof::spec;

/// Cases whose result nobody can know, and why.
const OPEN: [(&str, &str); 1] = [(
    "not_equivalent/tensor/wmma_other_layout",
    "a fragment is used in another layout than it was loaded in, which the manual leaves open",
)];

/// A kernel under a launch: its case and side, PTX, spec.
pub struct Subject {
    pub name: String,
    pub family: String,
    pub ptx: String,
    spec: spec::Spec,
    reference: bool,
}

/// Every kernel of a case without a fault, each launch once.
pub fn subjects() -> Vec<Subject> {
    let mut seen = BTreeSet::new();
    let mut subjects = Vec::new();
    for case in cases() {
        if !["equivalent", "not_equivalent", "race_free"].contains(&case.expected.as_str()) {
            continue;
        }
        let Ok(texts) = case.read() else { continue };
        for reference in [true, false] {
            let Some(alone) = texts.itself(reference) else { continue };
            if !seen.insert((alone.optimized.1.clone(), alone.spec.clone())) {
                continue;
            }
            let side = if reference { "reference" } else { "optimized" };
            let family = case.name.split('/').nth(1).unwrap_or_default().to_owned();
            let (spec, _) = spec::parse(&texts.spec);
            subjects.push(Subject {
                name: format!("{} ({side})", case.name),
                family,
                ptx: alone.optimized.0,
                spec,
                reference,
            });
        }
    }
    subjects
}

impl Subject {
    /// What is asked about it, or why nothing is.
    pub fn question(&self) -> Result<Question, String> {
        if let Some((_, why)) = OPEN.iter().find(|(name, _)| self.name.starts_with(name)) {
            return Err((*why).to_owned());
        }
        let side = if self.reference { &self.spec.reference } else { &self.spec.optimized };
        Question::new(&self.ptx, &self.spec, side)
    }
}
