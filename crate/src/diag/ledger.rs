//! The assumption ledger: everything a verdict rests on beyond exact real arithmetic.
//!
//! An assumption is counted, and remembers where it was first made.

use super::Label;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was assumed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Assumption {
    /// Rounding of this operation (as written in PTX) is ignored.
    RoundingIgnored(String),
    /// This approximate instruction is read as the exact function.
    ApproximationExact(String),
    /// This precision-changing conversion is read as the identity.
    ConversionIdentity(String),
    /// This instruction uses only the upper bits of its operands; what it leaves out is ignored.
    OperandsTruncated(String),
    /// This saturating conversion is read as the identity: nothing is beyond the range of its format.
    Saturates(String),
    /// What this product of matrices sums up does not saturate.
    SumsInRange(String),
    /// A rounded constant (first) is read as the real number its author meant (second).
    ConstantRecovered(String, String),
    /// So many constants stand for any number within their rounding.
    ConstantsRounded(u64),
    /// A compiler's inlined code was recognized as this function.
    IdiomRecognized(String),
    /// A library function is read as the real function of that name.
    LibraryFunction(String),
    /// These denominators are non-zero.
    DenominatorNonZero(String),
    /// The argument of a root or logarithm is in range.
    ArgumentInRange(String),
    /// Infinities and NaN are not modelled beyond constants.
    FiniteValues,
    /// What this comparison (as written in PTX) asks about does not overflow.
    AskedFinite(String),
    /// This condition comes out one way for all real numbers; rounding may turn it.
    OneWay(String),
    /// No real numbers lead to a fault at this instruction (as written in PTX); rounded ones may.
    NoFaultOverReals(String),
    /// Floats that are converted to integers lie in the integers' range.
    ConvertedInRange,
    /// This sum has a place in a word of so many bits.
    WordInRange(String, u32),
    /// Subnormal results are not flushed.
    FlushToZeroIgnored,
    /// The spec left this out; it was inferred so.
    Inferred(String),
    /// A contract says so.
    Required(String),
    /// What lies outside of the kernel (the host, earlier launches, the machine) is so, or is left open.
    Environment(String),
    /// Something else, in words.
    Other(String),
}

impl Assumption {
    /// Whether it says where something is defined.
    pub fn is_of_domain(&self) -> bool {
        matches!(self, Assumption::DenominatorNonZero(_) | Assumption::ArgumentInRange(_))
    }
}

/// How often, and where first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Noted {
    /// How often it was made.
    pub count: u64,
    /// Where it was made first, if at a place in a text.
    pub first: Option<Label>,
}

/// All assumptions of a run, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Entries", into = "Entries")] // keys of JSON are texts
pub struct Ledger {
    entries: BTreeMap<Assumption, Noted>,
}

/// A ledger as it is written.
type Entries = Vec<(Assumption, Noted)>;

impl From<Entries> for Ledger {
    fn from(entries: Entries) -> Ledger {
        Ledger { entries: entries.into_iter().collect() }
    }
}

impl From<Ledger> for Entries {
    fn from(ledger: Ledger) -> Entries {
        ledger.entries.into_iter().collect()
    }
}

impl Ledger {
    /// Notes `count` more uses of an assumption.
    pub fn note(&mut self, assumption: Assumption, count: u64, first: Option<Label>) {
        let noted = self.entries.entry(assumption).or_default();
        noted.count += count;
        if noted.first.is_none() {
            noted.first = first;
        }
    }

    /// Takes over all of another ledger's entries.
    pub fn merge(&mut self, other: Ledger) {
        for (assumption, noted) in other.entries {
            self.note(assumption, noted.count, noted.first);
        }
    }

    /// Notes what another one has and this one has not, as often as there.
    pub fn adopt(&mut self, other: &Ledger) {
        for (assumption, noted) in &other.entries {
            self.entries.entry(assumption.clone()).or_insert_with(|| noted.clone());
        }
    }

    /// Takes assumptions out that turned out not to be made.
    pub fn remove(&mut self, unneeded: impl Fn(&Assumption) -> bool) {
        self.entries.retain(|assumption, _| !unneeded(assumption));
    }

    /// The entries in order.
    pub fn entries(&self) -> impl Iterator<Item = (&Assumption, &Noted)> {
        self.entries.iter()
    }

    /// Whether nothing was assumed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
