//! Which parts of two printed expressions differ.
//!
//! The trees are walked together as long as they have the same outline; summands, factors and
//! arguments that both sides have are set aside, whatever their order, and what is left over is
//! marked. This is about reading, not about equality: parts that look different may well be equal.

use crate::term::print::Expression;

/// A tree, and the same tree with labels, as far as it has some.
struct Side<'a, 'l> {
    tree: &'a mut Expression,
    labelled: Option<&'l Expression>,
}

/// Whether the parts with these labels are the same, although they are written differently.
pub type Same<'s> = &'s dyn Fn(usize, usize) -> bool;

/// Marks what only one of the two has. Of what is shown in short, the trees with labels say which part it is, so that
/// it can be asked whether it is the `same`.
pub fn mark_differences(
    a: &mut Expression,
    b: &mut Expression,
    labelled: [Option<&Expression>; 2],
    same: Same<'_>,
) {
    let [first, second] = labelled;
    mark_sides(Side { tree: a, labelled: first }, Side { tree: b, labelled: second }, same);
}

fn mark_sides(a: Side<'_, '_>, b: Side<'_, '_>, same: Same<'_>) {
    use Expression::*;
    if a.tree == b.tree || is_same(&a, &b, same) {
        return;
    }
    let labels = [children(a.labelled, a.tree), children(b.labelled, b.tree)];
    match (&mut *a.tree, &mut *b.tree) {
        (Sum(p, _), Sum(q, _)) => {
            let (p, q) = (
                p.iter_mut().map(|(sign, part)| (*sign, part)),
                q.iter_mut().map(|(sign, part)| (*sign, part)),
            );
            unordered(p.collect(), q.collect(), &labels, true, same);
        }
        (Product(p), Product(q)) => unordered(unsigned(p), unsigned(q), &labels, false, same),
        (Call(f, p, _), Call(g, q, _)) if f == g => {
            if f == "max" || f == "min" || p.len() != q.len() {
                unordered(unsigned(p), unsigned(q), &labels, true, same);
            } else {
                for (child, (x, y)) in p.iter_mut().zip(q).enumerate() {
                    mark_sides(part(&labels, 0, child, x), part(&labels, 1, child, y), same);
                }
            }
        }
        (Quotient(p, r), Quotient(q, s)) | (Power(p, r), Power(q, s)) => {
            mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same);
            mark_sides(part(&labels, 0, 1, r), part(&labels, 1, 1, s), same);
        }
        (Negative(p), Negative(q)) => mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same),
        (Root(m, p), Root(n, q)) if m == n => {
            mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same)
        }
        (Fenced(f, p, _), Fenced(g, q, _)) if f == g => {
            mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same)
        }
        (Over(f, i, low, high, p), Over(g, j, from, to, q))
            if (*f, *i, *low, *high) == (*g, *j, *from, *to) =>
        {
            mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same);
        }
        (If(c, p, r), If(d, q, s)) => {
            mark_sides(part(&labels, 0, 0, c), part(&labels, 1, 0, d), same);
            mark_sides(part(&labels, 0, 1, p), part(&labels, 1, 1, q), same);
            mark_sides(part(&labels, 0, 2, r), part(&labels, 1, 2, s), same);
        }
        (Infix(p, f, r), Infix(q, g, s)) if f == g => {
            mark_sides(part(&labels, 0, 0, p), part(&labels, 1, 0, q), same);
            mark_sides(part(&labels, 0, 1, r), part(&labels, 1, 1, s), same);
        }
        _ => {
            mark(a.tree);
            mark(b.tree);
        }
    }
}

/// A part of one side, by its place.
fn part<'a, 'l>(
    labels: &[Vec<&'l Expression>; 2],
    side: usize,
    at: usize,
    tree: &'a mut Expression,
) -> Side<'a, 'l> {
    Side { tree, labelled: labels[side].get(at).copied() }
}

/// The labelled trees of the parts, where both trees have the same outline.
fn children<'l>(labelled: Option<&'l Expression>, tree: &Expression) -> Vec<&'l Expression> {
    let labelled = labelled.map(|labelled| labelled.bare().children()).unwrap_or_default();
    if labelled.len() == tree.children().len() { labelled } else { Vec::new() }
}

/// Whether two parts, of which one is shown in short, are the same.
fn is_same(a: &Side<'_, '_>, b: &Side<'_, '_>, same: Same<'_>) -> bool {
    let label = |side: &Side<'_, '_>| {
        let (mut labelled, mut found) = (side.labelled?, None);
        while let Expression::Labelled(label, inner) = labelled {
            (found, labelled) = (Some(*label), inner);
        }
        found
    };
    match (label(a), label(b)) {
        (Some(x), Some(y)) if is_short(a.tree) || is_short(b.tree) => same(x, y),
        _ => false,
    }
}

/// Whether something is left out, or put into one sum.
pub fn is_short(tree: &Expression) -> bool {
    matches!(tree, Expression::Ellipsis | Expression::Over(..)) || tree.children().into_iter().any(is_short)
}

fn unsigned(parts: &mut [Expression]) -> Vec<(bool, &mut Expression)> {
    parts.iter_mut().map(|part| (false, part)).collect()
}

fn mark(part: &mut Expression) {
    if !matches!(part, Expression::Marked(_) | Expression::Ellipsis) {
        let inner = std::mem::replace(part, Expression::Ellipsis);
        *part = Expression::Marked(Box::new(inner));
    }
}

/// Marks the parts without a partner on the other side; if one is left on each side, of one sign,
/// only what differs within them. What was left out is no part where `shortened`.
fn unordered(
    mut p: Vec<(bool, &mut Expression)>,
    mut q: Vec<(bool, &mut Expression)>,
    labels: &[Vec<&Expression>; 2],
    shortened: bool,
    same: Same<'_>,
) {
    let real = |(_, part): &(bool, &mut Expression)| !shortened || **part != Expression::Ellipsis;
    let mut taken = vec![false; q.len()];
    let mut left = Vec::new();
    for at in (0..p.len()).filter(|at| real(&p[*at])) {
        match (0..q.len()).position(|other| !taken[other] && p[at] == q[other]) {
            Some(partner) => taken[partner] = true,
            None => left.push(at),
        }
    }
    left.retain(|x| {
        let partner = (0..q.len()).find(|y| {
            let sign = p[*x].0 == q[*y].0;
            let sides = (part(labels, 0, *x, p[*x].1), part(labels, 1, *y, q[*y].1));
            !taken[*y] && sign && is_same(&sides.0, &sides.1, same)
        });
        partner.map(|partner| taken[partner] = true).is_none()
    });
    let right: Vec<usize> = (0..q.len()).filter(|at| !taken[*at] && real(&q[*at])).collect();
    if let ([x], [y]) = (left.as_slice(), right.as_slice())
        && p[*x].0 == q[*y].0
    {
        return mark_sides(part(labels, 0, *x, p[*x].1), part(labels, 1, *y, q[*y].1), same);
    }
    left.into_iter().for_each(|at| mark(p[at].1));
    right.into_iter().for_each(|at| mark(q[at].1));
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
        mark_differences(&mut a, &mut b, [None, None], &|_, _| false);
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
    fn what_is_the_same_in_another_order_has_no_marks() {
        let short = |names: &[&str], total: usize| {
            let Expression::Sum(mut parts, _) = sum(names) else { unreachable!("it is a sum") };
            parts.push((false, Expression::Ellipsis));
            Expression::Sum(parts, total)
        };
        let labelled = |above: &str, below: Expression| {
            let quotient = |a, b| Expression::Quotient(Box::new(a), Box::new(b));
            let label = |at: usize, inner: &Expression| Expression::Labelled(at, Box::new(inner.clone()));
            let (plain, above) = (quotient(element(above), below.clone()), element(above));
            (plain, label(0, &quotient(label(1, &above), label(2, &below))))
        };
        let (mut a, first) = labelled("x", short(&["a", "b"], 64));
        let (mut b, second) = labelled("y", short(&["c", "a"], 64));
        mark_differences(&mut a, &mut b, [Some(&first), Some(&second)], &|x, y| (x, y) == (2, 2));
        assert_eq!(
            (shown(&a), shown(&b)),
            ("«x»/(a + b + … (64 terms))".into(), "«y»/(c + a + … (64 terms))".into())
        );
    }

    #[test]
    fn equal_expressions_have_no_marks() {
        assert_eq!(marked(sum(&["a", "b"]), sum(&["a", "b"])), ("a + b".into(), "a + b".into()));
        assert_eq!(marked(element("a"), sum(&["a", "b"])), ("«a»".into(), "«a + b»".into()));
    }
}
