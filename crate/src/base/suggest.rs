//! "Did you mean …": the known name that a mistyped one probably stands for.

/// The candidate closest to `name`, if it is close enough to be a slip of the fingers: at most
/// one edit for every three characters, transpositions counting once.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["grid", "block", "ctas", "dynamic_shared"];
        assert_eq!(nearest("blok", known), Some("block"));
        assert_eq!(nearest("Grid", known), Some("grid"));
        assert_eq!(nearest("dynamic-shared", known), Some("dynamic_shared"));
        assert_eq!(nearest("colour", known), None);
    }
}
