//! The assumption ledger in sentences.

use super::model::AssumptionReport;
use super::texts::Texts;
use crate::diag::{Assumption, Ledger};

/// All entries, in the ledger's order.
pub fn cook(texts: &Texts<'_>, ledger: &Ledger) -> Vec<AssumptionReport> {
    ledger
        .entries()
        .map(|(assumption, noted)| {
            let (kind, text) = sentence(assumption);
            let first = noted.first.as_ref().map(|label| texts.location(label.source, label.span));
            AssumptionReport { kind: kind.to_owned(), text, count: noted.count, first }
        })
        .collect()
}

fn sentence(assumption: &Assumption) -> (&'static str, String) {
    match assumption {
        Assumption::RoundingIgnored(op) => {
            ("rounding_ignored", format!("`{op}` is computed without rounding"))
        }
        Assumption::ApproximationExact(op) => {
            ("approximation_exact", format!("`{op}` is read as the exact function"))
        }
        Assumption::ConversionIdentity(op) => {
            ("conversion_identity", format!("`{op}` does not change the value"))
        }
        Assumption::OperandsTruncated(op) => (
            "operands_truncated",
            format!("`{op}` uses the upper 19 bits of its operands (tf32), and what it truncates is ignored"),
        ),
        Assumption::Saturates(op) => (
            "saturates",
            format!("`{op}` does not change the value: what it saturates is in the range of its format"),
        ),
        Assumption::SumsInRange(op) => {
            ("sums_in_range", format!("what `{op}` sums up lies in the range of its format"))
        }
        Assumption::ConstantRecovered(bits, value) => {
            ("constant_recovered", format!("the constant {bits} stands for {value}"))
        }
        Assumption::ConstantsRounded(1) => {
            ("constants_rounded", "a constant may be another number that its rounding allows".to_owned())
        }
        Assumption::ConstantsRounded(constants) => (
            "constants_rounded",
            format!(
                "{constants} constants, as written or computed from constants, may each be another number that \
                 its rounding allows"
            ),
        ),
        Assumption::IdiomRecognized(function) => {
            ("idiom_recognised", format!("inlined code is recognized as {function}"))
        }
        Assumption::LibraryFunction(name) => {
            ("library_function", format!("`{name}` is the real function of that name"))
        }
        Assumption::DenominatorNonZero(what) => ("denominator_non_zero", format!("{what} is not zero")),
        Assumption::ArgumentInRange(what) => {
            ("argument_in_range", format!("{what} is in the function's domain"))
        }
        Assumption::FiniteValues => ("finite_values", "no value is infinite or NaN".to_owned()),
        Assumption::AskedFinite(op) => (
            "asked_finite",
            format!("`{op}` asks whether a computed value is infinite or NaN: it is neither"),
        ),
        Assumption::OneWay(condition) => (
            "one_way",
            format!("{condition} comes out one way for all real numbers; rounding is taken not to turn it"),
        ),
        Assumption::NoFaultOverReals(op) => (
            "one_way",
            format!("no real numbers lead to a fault at `{op}`; rounded ones are taken not to, either"),
        ),
        Assumption::ConvertedInRange => {
            ("converted_in_range", "floats that are converted to integers lie in their range".to_owned())
        }
        Assumption::WordInRange(sum, bits) => ("word_in_range", format!("{sum} has a place in {bits} bits")),
        Assumption::FlushToZeroIgnored => {
            ("flush_to_zero_ignored", "subnormal numbers are not flushed to zero".to_owned())
        }
        Assumption::Inferred(what) => ("inferred", format!("inferred: {what}")),
        Assumption::Required(what) => ("required", format!("required: `{what}`")),
        Assumption::Environment(what) => ("environment", what.clone()),
        Assumption::Other(what) => ("other", what.clone()),
    }
}
