//! Softmax and attention whose scores are masked with -∞ by data: by a select, by adding, by branches; with
//! the maximum of what is left or without; normalized first or last; rows that are masked whole left
//! undefined or 0.

use super::*;
use crate::term::Relation;

/// How the weights are put together.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    /// `m ? s : -∞`, its maximum, `e^(a - M)`.
    Select,
    /// `s + (m ? 0 : -∞)`
    Added,
    /// As `Select`, each weight over the sum before it is used.
    Normalized,
    /// As `Select`, a masked weight is 0 by a select.
    Zeroed,
    /// `if (m) M = max(M, s)`, `if (m) l += ..`
    Branches,
    /// As `Select`, sums by branches.
    Sums,
    /// By branches, without a maximum.
    NoMaximum,
    /// With the scale after the mask.
    Scaled,
    /// Online: `if (m) { q = max(M, s); l = l·e^(M-q) + e^(s-q); M = q }`, and the values in the same way.
    Online,
    /// As `Online`, M begins with a number, with 0, with the first score.
    FromNumber,
    FromZero,
    FromScore,
    /// Online by asking: `if (m) { if (M < s) { l = l·e^(M-s) + 1; M = s } else { l += e^(s-M) } }`.
    Asked,
    /// As `Asked`, `if (M < s) { l *= e^(M-s); M = s }` and then `l += e^(s-M)`.
    AskedFirst,
    /// As `Asked`, the values that are there are not rescaled.
    AskedNotRescaled,
    /// As `Online`, the values are not rescaled.
    NotRescaled,
    /// As `FromNumber`, the values are not rescaled.
    FromNumberNotRescaled,
    /// As `Branches`, one more is in the sum below.
    MoreBelow,
    /// As `Select`, one is not masked.
    Unmasked,
    /// As `Zeroed`, one has the mask of its neighbour above.
    Neighbour,
}

/// What is done about a row that is masked whole.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Guard {
    Nothing,
    /// `l > 0 ? r / l : 0`
    Sum,
    /// `l == 0 ? 0 : r / l`
    NoSum,
    /// `M == -∞ ? 0 : r / l`
    Maximum,
    /// `M = M == -∞ ? 0 : M` before it is subtracted, and as `NoSum`.
    Shift,
    /// Whether there is any.
    Any,
}

struct Row {
    scores: Vec<Term>,
    values: Vec<Term>,
    masks: Vec<Term>,
}

fn row(b: &mut Build, size: usize, scale: Term) -> Row {
    let scores: Vec<Term> = b.elements(0, size).into_iter().map(|s| b.mul(s, scale)).collect();
    let half = b.q(1, 2);
    let masks = b.elements(10_000, size).into_iter().map(|m| b.0.compare(Relation::Less, half, m)).collect();
    Row { scores, values: b.elements(5000, size), masks }
}

/// The sums of weights and of weighed values, rescaled where a mask lets a score through.
fn online(b: &mut Build, Row { scores, values, masks }: &Row, form: Form) -> [Term; 3] {
    let start = match form {
        Form::FromNumber | Form::FromNumberNotRescaled => b.q(-1_000_000, 1),
        Form::FromZero => Term::ZERO,
        Form::FromScore => scores[0],
        _ => Term::MINUS_INFINITY,
    };
    let (mut most, mut l, mut r) = (start, Term::ZERO, Term::ZERO);
    for at in 0..scores.len() {
        let more = b.0.max(most, scores[at]);
        if matches!(form, Form::Asked | Form::AskedFirst | Form::AskedNotRescaled) {
            let is_more = b.0.compare(Relation::Less, most, scores[at]);
            let (scale, weight) = (b.exp_of(most, scores[at]), b.exp_of(scores[at], most));
            let [below, above] = [(l, Term::ONE), (r, values[at])].map(|(sum, value)| {
                if form == Form::AskedFirst {
                    let rescaled = b.mul(sum, scale);
                    let sum = b.0.select(is_more, rescaled, sum);
                    let weight = b.exp_of(scores[at], more);
                    return b.0.fma(weight, value, sum);
                }
                let lost = form == Form::AskedNotRescaled && value != Term::ONE;
                let rescaled = if lost { b.add(sum, value) } else { b.0.fma(sum, scale, value) };
                let kept = b.0.fma(weight, value, sum);
                b.0.select(is_more, rescaled, kept)
            });
            [most, l, r] =
                [(more, most), (below, l), (above, r)].map(|(new, old)| b.0.select(masks[at], new, old));
            continue;
        }
        let (scale, weight) = (b.exp_of(most, more), b.exp_of(scores[at], more));
        let below = b.0.fma(l, scale, weight);
        let rescales = !matches!(form, Form::NotRescaled | Form::FromNumberNotRescaled);
        let rescaled = if rescales { b.mul(r, scale) } else { r };
        let above = b.0.fma(weight, values[at], rescaled);
        [most, l, r] =
            [(more, most), (below, l), (above, r)].map(|(new, old)| b.0.select(masks[at], new, old));
    }
    [most, l, r]
}

/// Values weighed by softmax of the row.
fn masked(b: &mut Build, size: usize, form: Form, guard: Guard) -> Vec<Term> {
    let scale = b.q(1, 8);
    let early = if form == Form::Scaled { Term::ONE } else { scale };
    let Row { scores, values, masks } = row(b, size, early);
    let none = Term::MINUS_INFINITY;
    let open = |at: usize| form == Form::Unmasked && at == size / 2;
    let mut lowered = Vec::new();
    for at in 0..size {
        let own = match form {
            Form::Added => {
                let bias = b.0.select(masks[at], Term::ZERO, none);
                b.add(scores[at], bias)
            }
            _ if open(at) => scores[at],
            _ => b.0.select(masks[at], scores[at], none),
        };
        lowered.push(if form == Form::Scaled { b.mul(own, scale) } else { own });
    }
    let branches = matches!(form, Form::Branches | Form::MoreBelow);
    let mut most = none;
    for at in 0..size {
        if branches {
            let more = b.0.max(most, scores[at]);
            most = b.0.select(masks[at], more, most);
        } else {
            most = b.0.max(most, lowered[at]);
        }
    }
    let empty = b.0.compare(Relation::Equal, most, none);
    if guard == Guard::Shift {
        most = b.0.select(empty, Term::ZERO, most);
    }
    let by_branch = branches || matches!(form, Form::Sums | Form::NoMaximum);
    let weights: Vec<Term> = (0..size)
        .map(|at| match form {
            Form::NoMaximum => b.exp(scores[at]),
            Form::Zeroed | Form::Neighbour => {
                let power = b.exp_of(scores[at], most);
                let wrong = form == Form::Neighbour && at == 0 && size > 1;
                b.0.select(masks[at + usize::from(wrong)], power, Term::ZERO)
            }
            _ if by_branch => b.exp_of(scores[at], most),
            _ => b.exp_of(lowered[at], most),
        })
        .collect();
    let (mut l, mut r, mut any) =
        (Term::ZERO, Term::ZERO, b.0.compare(Relation::Less, Term::ONE, Term::ZERO));
    for at in 0..size {
        let below = b.add(l, weights[at]);
        let above = b.0.fma(weights[at], values[at], r);
        let always = form == Form::MoreBelow && at == size / 2;
        l = if by_branch && !always { b.0.select(masks[at], below, l) } else { below };
        r = if by_branch { b.0.select(masks[at], above, r) } else { above };
        any = b.0.or(any, masks[at]);
    }
    if matches!(
        form,
        Form::Online
            | Form::FromNumber
            | Form::FromZero
            | Form::FromScore
            | Form::Asked
            | Form::AskedFirst
            | Form::AskedNotRescaled
            | Form::NotRescaled
            | Form::FromNumberNotRescaled
    ) {
        let row = Row { scores, values: values.clone(), masks: masks.clone() };
        [most, l, r] = online(b, &row, form);
    }
    let empty = b.0.compare(Relation::Equal, most, none);
    let whole = if form == Form::Normalized {
        let mut sum = Term::ZERO;
        for at in 0..size {
            let share = b.div(weights[at], l);
            sum = b.0.fma(share, values[at], sum);
        }
        sum
    } else {
        b.div(r, l)
    };
    vec![match guard {
        Guard::Nothing => whole,
        Guard::Sum => {
            let some = b.0.compare(Relation::Less, Term::ZERO, l);
            b.0.select(some, whole, Term::ZERO)
        }
        Guard::NoSum | Guard::Shift => {
            let nothing = b.0.compare(Relation::Equal, l, Term::ZERO);
            b.0.select(nothing, Term::ZERO, whole)
        }
        Guard::Maximum => b.0.select(empty, Term::ZERO, whole),
        Guard::Any => b.0.select(any, whole, Term::ZERO),
    }]
}

const SOME: [usize; 11] = [1, 2, 3, 4, 5, 7, 8, 17, 33, 64, 70];

#[test]
fn rows_masked_by_data() {
    let right = [
        Form::Select,
        Form::Added,
        Form::Normalized,
        Form::Zeroed,
        Form::Branches,
        Form::Sums,
        Form::NoMaximum,
        Form::Scaled,
        Form::Online,
        Form::Asked,
        Form::AskedFirst,
    ];
    for size in SOME {
        for form in right {
            let one = |b: &mut Build| masked(b, size, Form::Select, Guard::Nothing);
            let two = |b: &mut Build| masked(b, size, form, Guard::Nothing);
            let three = |b: &mut Build| masked(b, size, Form::Branches, Guard::Nothing);
            alike(&format!("{size}, {form:?}"), &[&one, &three, &two]);
        }
        for form in
            [Form::MoreBelow, Form::Unmasked, Form::Neighbour, Form::NotRescaled, Form::AskedNotRescaled]
        {
            // Of one, all of this is the same where anything is defined.
            if size == 1 {
                continue;
            }
            let one = |b: &mut Build| masked(b, size, Form::Select, Guard::Nothing);
            let two = |b: &mut Build| masked(b, size, Form::NoMaximum, Guard::Nothing);
            let wrong = |b: &mut Build| masked(b, size, form, Guard::Nothing);
            apart(&format!("{size}, {form:?}"), &[&one, &wrong]);
            apart(&format!("{size}, {form:?}, no maximum"), &[&two, &wrong]);
        }
    }
}

#[test]
fn rows_masked_whole() {
    for size in SOME {
        let written = |form: Form, guard: Guard| move |b: &mut Build| masked(b, size, form, guard);
        let first = written(Form::Sums, Guard::Sum);
        for (form, guard) in [
            (Form::Sums, Guard::NoSum),
            (Form::Branches, Guard::Sum),
            (Form::Branches, Guard::Maximum),
            (Form::Select, Guard::Maximum),
            (Form::Select, Guard::Shift),
            (Form::Added, Guard::Shift),
            (Form::Zeroed, Guard::Any),
            (Form::Online, Guard::Sum),
            (Form::Online, Guard::Maximum),
            (Form::Asked, Guard::Sum),
            (Form::Asked, Guard::Maximum),
            (Form::AskedFirst, Guard::NoSum),
            (Form::FromNumber, Guard::Sum),
            (Form::FromZero, Guard::NoSum),
            (Form::FromScore, Guard::Any),
            (Form::Normalized, Guard::Any),
            (Form::NoMaximum, Guard::Any),
            (Form::NoMaximum, Guard::Sum),
        ] {
            let other = written(form, guard);
            alike(&format!("{size}, {form:?}, {guard:?}"), &[&first, &other]);
        }
        let open = written(Form::Sums, Guard::Nothing);
        let wrong = written(Form::Neighbour, Guard::Any);
        let more = written(Form::MoreBelow, Guard::Any);
        apart(&format!("{size}, no guard"), &[&first, &open]);
        if size > 1 {
            let lost = written(Form::FromNumberNotRescaled, Guard::Sum);
            apart(&format!("{size}, not rescaled"), &[&first, &lost]);
            apart(&format!("{size}, more below"), &[&first, &more]);
            apart(&format!("{size}, neighbour"), &[&first, &wrong]);
        }
    }
}
