//! Numbers in JSON that come back as they were: JSON has no infinities, and no rationals.

use num_rational::BigRational;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A float, by its bits.
pub mod bits {
    use super::*;

    /// Writes the bits.
    pub fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        value.to_bits().serialize(to)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// Two enclosures, by the bits of their ends.
pub mod enclosures {
    use super::*;

    /// Writes the bits.
    pub fn serialize<S: Serializer>(values: &[(f64, f64); 2], to: S) -> Result<S::Ok, S::Error> {
        values.map(|(low, high)| (low.to_bits(), high.to_bits())).serialize(to)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[(f64, f64); 2], D::Error> {
        let bits = <[(u64, u64); 2]>::deserialize(from)?;
        Ok(bits.map(|(low, high)| (f64::from_bits(low), f64::from_bits(high))))
    }
}

/// A rational, as a text: `-3/8`.
pub mod rational {
    use super::*;

    /// Writes the text.
    pub fn serialize<S: Serializer>(value: &BigRational, to: S) -> Result<S::Ok, S::Error> {
        value.to_string().serialize(to)
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BigRational, D::Error> {
        String::deserialize(from)?.parse().map_err(|_| D::Error::custom("not a rational"))
    }
}

/// Numbered rationals.
pub mod rationals {
    use super::*;

    /// Writes numbers and texts.
    pub fn serialize<S: Serializer>(values: &[(u32, BigRational)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|(number, value)| (number, value.to_string())))
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(u32, BigRational)>, D::Error> {
        let texts = Vec::<(u32, String)>::deserialize(from)?;
        let read = |(number, text): (u32, String)| Some((number, text.parse().ok()?));
        texts.into_iter().map(read).collect::<Option<_>>().ok_or_else(|| D::Error::custom("not a rational"))
    }
}
