//! Which parts of two printed expressions differ.
//!
//! The trees are walked together as long as they have the same outline; summands, factors and
//! arguments that both sides have are set aside, whatever their order, and what is left over is
//! marked. This is about reading, not about equality: parts that look different may well be equal.

use crate::term::print::Expression;

/// Marks what only one of the two has.
pub fn mark_differences(a: &mut Expression, b: &mut Expression) {
    use Expression::*;
    if a == b {
        return;
    }
    match (&mut *a, &mut *b) {
        (Sum(p, _), Sum(q, _)) => {
            unordered(p, q, |part| part.1 != Ellipsis, |part| &mut part.1, |x, y| x.0 == y.0)
        }
        (Product(p), Product(q)) => unordered(p, q, |_| true, |part| part, |_, _| true),
        (Call(f, p, _), Call(g, q, _)) if f == g => {
            if f == "max" || f == "min" || p.len() != q.len() {
                unordered(p, q, |part| *part != Ellipsis, |part| part, |_, _| true);
            } else {
                p.iter_mut().zip(q).for_each(|(x, y)| mark_differences(x, y));
            }
        }
        (Quotient(p, r), Quotient(q, s)) | (Power(p, r), Power(q, s)) => {
            mark_differences(p, q);
            mark_differences(r, s);
        }
        (Negative(p), Negative(q)) => mark_differences(p, q),
        (Root(m, p), Root(n, q)) if m == n => mark_differences(p, q),
        (Fenced(f, p, _), Fenced(g, q, _)) if f == g => mark_differences(p, q),
        (Over(f, i, low, high, p), Over(g, j, from, to, q))
            if (*f, *i, *low, *high) == (*g, *j, *from, *to) =>
        {
            mark_differences(p, q);
        }
        (If(c, p, r), If(d, q, s)) => {
            mark_differences(c, d);
            mark_differences(p, q);
            mark_differences(r, s);
        }
        (Infix(p, f, r), Infix(q, g, s)) if f == g => {
            mark_differences(p, q);
            mark_differences(r, s);
        }
        _ => {
            mark(a);
            mark(b);
        }
    }
}

fn mark(part: &mut Expression) {
    if !matches!(part, Expression::Marked(_) | Expression::Ellipsis) {
        let inner = std::mem::replace(part, Expression::Ellipsis);
        *part = Expression::Marked(Box::new(inner));
    }
}

/// Marks the parts without a partner on the other side; if one is left on each side, and they may
/// be compared, only what differs within them.
fn unordered<T: PartialEq>(
    p: &mut [T],
    q: &mut [T],
    real: fn(&T) -> bool,
    inner: fn(&mut T) -> &mut Expression,
    comparable: fn(&T, &T) -> bool,
) {
    let mut taken = vec![false; q.len()];
    let mut left = Vec::new();
    for (at, part) in p.iter().enumerate().filter(|(_, part)| real(part)) {
        match q.iter().enumerate().position(|(at, other)| !taken[at] && part == other) {
            Some(partner) => taken[partner] = true,
            None => left.push(at),
        }
    }
    let right: Vec<usize> = (0..q.len()).filter(|at| !taken[*at] && real(&q[*at])).collect();
    if let ([x], [y]) = (left.as_slice(), right.as_slice())
        && comparable(&p[*x], &q[*y])
    {
        return mark_differences(inner(&mut p[*x]), inner(&mut q[*y]));
    }
    left.into_iter().for_each(|at| mark(inner(&mut p[at])));
    right.into_iter().for_each(|at| mark(inner(&mut q[at])));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> Expression {
        Expression::Element(name.to_owned(), Vec::new())
    }

    fn sum(names: &[&str]) -> Expression {
        Expression::Sum(names.iter().map(|name| (false, element(name))).collect(), names.len())
    }

    /// Marked parts between `«»`.
    fn shown(expression: &Expression) -> String {
        let piece =
            |s: crate::term::print::Segment| if s.marked { format!("«{}»", s.text) } else { s.text };
        expression.segments().into_iter().map(piece).collect()
    }

    fn marked(mut a: Expression, mut b: Expression) -> (String, String) {
        mark_differences(&mut a, &mut b);
        (shown(&a), shown(&b))
    }

    #[test]
    fn a_missing_summand_is_marked_whatever_the_order() {
        assert_eq!(marked(sum(&["a", "b", "c"]), sum(&["c", "a"])), ("a + «b» + c".into(), "c + a".into()));
    }

    #[test]
    fn the_walk_goes_as_deep_as_the_outlines_agree() {
        let quotient = |below: &[&str]| Expression::Quotient(Box::new(element("x")), Box::new(sum(below)));
        assert_eq!(
            marked(quotient(&["a", "b"]), quotient(&["a", "c"])),
            ("x/(a + «b»)".into(), "x/(a + «c»)".into())
        );
    }

    #[test]
    fn equal_expressions_have_no_marks() {
        assert_eq!(marked(sum(&["a", "b"]), sum(&["a", "b"])), ("a + b".into(), "a + b".into()));
        assert_eq!(marked(element("a"), sum(&["a", "b"])), ("«a»".into(), "«a + b»".into()));
    }
}
