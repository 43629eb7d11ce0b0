//! The simplest fraction in an interval: Stern and Brocot's tree, walked by continued fractions.

/// `above / below`, positive.
pub(super) type Fraction = (u128, u128);

/// The fraction with the smallest numerator and denominator strictly between two positive ones;
/// `None` if there is none or its parts do not fit.
pub(super) fn simplest_between(low: Fraction, high: Fraction) -> Option<Fraction> {
    let (mut low, mut high) = (low, high);
    let mut whole_parts = Vec::new();
    loop {
        // `high` may be 1/0 from the second round on; `low < high` holds throughout if it did at
        // the start, which the first comparison below establishes.
        if low.1 == 0 || whole_parts.len() > 128 {
            return None;
        }
        let floor = low.0 / low.1;
        let next = floor + 1;
        if next.checked_mul(high.1).is_none_or(|product| product < high.0) {
            return whole_parts.into_iter().rev().try_fold((next, 1u128), |(above, below), whole: u128| {
                Some((whole.checked_mul(above)?.checked_add(below)?, above))
            });
        }
        let (below, above) = (low.0 % low.1, high.0.checked_sub(floor.checked_mul(high.1)?)?);
        if above == 0 {
            return None;
        }
        // Both ends lie in [floor, floor + 1]: go on with the reciprocals of what is above it.
        whole_parts.push(floor);
        (low, high) = ((high.1, above), (low.1, below));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_fraction_is_found() {
        assert_eq!(simplest_between((3, 10), (4, 10)), Some((1, 3)));
        assert_eq!(simplest_between((1, 3), (4, 10)), Some((3, 8)));
        assert_eq!(simplest_between((2, 1), (5, 2)), Some((7, 3)));
        assert_eq!(simplest_between((5, 2), (3, 1)), Some((8, 3)));
        assert_eq!(simplest_between((0, 1), (1, 5)), Some((1, 6)));
        assert_eq!(simplest_between((7, 2), (40, 1)), Some((4, 1)));
        assert_eq!(simplest_between((1, 2), (1, 2)), None);
        assert_eq!(simplest_between((2, 3), (1, 2)), None);
    }

    #[test]
    fn it_agrees_with_trying_every_denominator() {
        for low in 1..40u128 {
            for high in low + 1..40 {
                let found = simplest_between((low, 37), (high, 37)).unwrap();
                let first = (1u128..)
                    .find_map(|below| {
                        let above = low * below / 37 + 1;
                        (above * 37 < high * below).then_some((above, below))
                    })
                    .unwrap();
                assert_eq!(found, first);
            }
        }
    }
}
