//! `[sweep]`: names that take several values, and every combination of them.
//!
//! ```toml
//! [sweep]
//! N = "1..257"              # 1 to 256
//! block = [32, 64, 128]
//! when = "N % block == 0"
//! ```
//!
//! A spec with one value for each name is an ordinary spec in which the names are integers; so each combination
//! is the text of the file with one number in the place of each list or range ([`Sweep::text_of`]), and is asked
//! as if a user had written it. Combinations are in the order of the names as listed, the first name counting
//! most, and each name's values ascend: the first combination that fails has the smallest value of the first name
//! with which any fails. Bounded: [`MAX_VALUES`] values of a name, [`MAX_TRIED`] combinations before `when`,
//! [`MAX_COMBINATIONS`] that are asked.
//!
//! A range without an end (`N = "1.."`) makes it a question about every size. What is asked one by one are then
//! samples of it: small numbers, and those around powers of two, fewer the more names are open.

use super::model::{Axis, Formula, Open, Sweep};
use super::read::{Node, Reader, span_of};
use crate::formula::Whole;
use toml::de::{DeTable, DeValue};

/// Values that one name may take.
const MAX_VALUES: i128 = 65_536;
/// Combinations that `when` may choose among.
const MAX_TRIED: usize = 1 << 17;
/// Combinations that a sweep may ask.
pub const MAX_COMBINATIONS: usize = 10_000;
/// Steps that all conditions may take, on all combinations together.
const MAX_STEPS: usize = 1 << 25;

/// Words that the language of expressions has a use for.
const WORDS: [&str; 15] = [
    "and", "or", "not", "if", "else", "is", "in", "None", "True", "False", "min", "max", "abs", "pi", "when",
];

impl Sweep {
    /// The text of the spec for one combination: a number in the place of each list or range, and otherwise what
    /// the file says.
    pub fn text_of(&self, text: &str, values: &[i64]) -> String {
        let mut places: Vec<_> = self.axes.iter().zip(values).collect();
        places.sort_by_key(|(axis, _)| axis.values_span.start);
        let mut written = String::with_capacity(text.len());
        let mut from = 0;
        for (axis, value) in places {
            let (start, end) = (axis.values_span.start as usize, axis.values_span.end as usize);
            written += text.get(from..start).unwrap_or_default();
            written += &value.to_string();
            from = end;
        }
        written + text.get(from..).unwrap_or_default()
    }

    /// `N = 33, block = 64`
    pub fn title_of(&self, values: &[i64]) -> String {
        let each = self.axes.iter().zip(values).map(|(axis, value)| format!("{} = {value}", axis.name));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Whether there is more than one question in it.
    pub fn is_many(&self) -> bool {
        self.combinations.len() > 1 || self.is_open()
    }

    /// Whether it is a question about every size.
    pub fn is_open(&self) -> bool {
        self.axes.iter().any(|axis| axis.open.is_some())
    }
}

/// Reads `[sweep]`. `fixed` are values from elsewhere that win (`--set N=3`), `known` the integers that conditions
/// may mention besides.
pub fn read(
    reader: &mut Reader,
    table: &DeTable<'_>,
    fixed: &[(String, i64)],
    known: &[(String, i64)],
) -> Sweep {
    let complaints = reader.diagnostics.len();
    let mut sweep = Sweep::default();
    let mut when_span = None;
    for entry in reader.all_entries(table) {
        if entry.key == "when" {
            when_span = Some(entry.key_span);
            sweep.when = conditions(reader, entry.value);
            continue;
        }
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = entry.key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || !entry.key.chars().all(letter) || WORDS.contains(&entry.key) {
            let message = format!("`{}` cannot be swept: expressions could not name it", entry.key);
            reader.error(entry.key_span, message).notes.push(
                "a name has letters, digits and `_`, begins with a letter, and is no word of the language"
                    .to_owned(),
            );
            continue;
        }
        let Some((values, open)) = values(reader, entry.key, entry.value) else { continue };
        let mut axis = Axis {
            name: entry.key.to_owned(),
            written: written(entry.value),
            values,
            open,
            span: entry.key_span,
            values_span: span_of(entry.value),
        };
        if let Some((_, value)) = fixed.iter().find(|(name, _)| *name == axis.name) {
            (axis.values, axis.written, axis.open) = (vec![*value], value.to_string(), None);
        }
        sweep.axes.push(axis);
    }
    let count = sweep.axes.iter().filter(|axis| axis.open.is_some()).count();
    for axis in &mut sweep.axes {
        axis.values = axis.open.map_or_else(|| std::mem::take(&mut axis.values), |open| samples(open, count));
    }
    if reader.diagnostics.len() == complaints {
        sweep.combinations = combinations(reader, &sweep, when_span, known).unwrap_or_default();
    }
    sweep
}

/// The values as TOML, on one line.
fn written(node: &Node<'_>) -> String {
    match node.get_ref() {
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::String(text) => format!("\"{}\"", text.trim()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).unwrap_or_default().to_string()
        }
        _ => String::new(),
    }
}

const USAGE: &str = "write a list such as `[32, 64]`, or a range such as \"1..257\" (1 to 256), \"1..=256\", \
                     \"64..1025 step 64\" or \"1..\" (every size)";

/// Sizes at which most defects show.
const SAMPLES: [&[i64]; 4] = [
    &[1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257],
    &[1, 2, 3, 8, 31, 32, 33, 64, 65, 129],
    &[1, 2, 3, 32, 33],
    &[1, 2, 33],
];

/// Some values of an open range, ascending, where so many names are open.
fn samples(open: Open, count: usize) -> Vec<i64> {
    let Open { from, step } = open;
    let near = |value: &i64| {
        let steps = value.saturating_sub(from).max(0).div_euclid(step)
            + i64::from((value - from).rem_euclid(step) != 0);
        from.checked_add(steps.checked_mul(step)?)
    };
    let list = SAMPLES[count.clamp(1, SAMPLES.len()) - 1];
    let first = [0, 1, 2].into_iter().filter_map(|steps| from.checked_add(step.checked_mul(steps)?));
    let mut values: Vec<i64> =
        first.chain(list.iter().filter(|value| **value > from).filter_map(near)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The values of a name, ascending; none of a range without an end.
fn values(reader: &mut Reader, name: &str, node: &Node<'_>) -> Option<(Vec<i64>, Option<Open>)> {
    let mut values = match node.get_ref() {
        DeValue::Integer(_) => vec![whole(reader, name, node)?],
        DeValue::Array(items) if !items.is_empty() => {
            if items.len() as i128 > MAX_VALUES {
                many(reader, name, node, items.len() as i128);
                return None;
            }
            items.iter().map(|item| whole(reader, name, item)).collect::<Option<Vec<_>>>()?
        }
        DeValue::String(text) if endless(text).is_some() => return Some((Vec::new(), endless(text))),
        DeValue::String(text) => {
            let Some((from, to, step)) = range(text) else {
                let message = format!("`{name}` is no list and no range of integers");
                reader.error(span_of(node), message).notes.push(USAGE.to_owned());
                return None;
            };
            let count = (i128::from(to) - i128::from(from)).div_euclid(i128::from(step)) + 1;
            if count < 1 {
                let message =
                    format!("the range of `{name}` is empty: the end of \"1..1\" is not part of it");
                reader.error(span_of(node), message).notes.push(USAGE.to_owned());
                return None;
            }
            if count > MAX_VALUES {
                many(reader, name, node, count);
                return None;
            }
            (0..count as i64).map(|at| from + at * step).collect()
        }
        _ => {
            let message = format!("`{name}` has no values to sweep over");
            reader.error(span_of(node), message).notes.push(USAGE.to_owned());
            return None;
        }
    };
    values.sort_unstable();
    values.dedup();
    Some((values, None))
}

/// `1..`, `64.. step 64`
fn endless(text: &str) -> Option<Open> {
    let (ends, step) = match text.split_once("step") {
        Some((ends, step)) => (ends, step.trim().parse::<i64>().ok()?),
        None => (text, 1),
    };
    let from = ends.trim().strip_suffix("..")?.trim().parse::<i64>().ok()?;
    let fits = (0..=i64::from(i32::MAX)).contains(&from) && (1..=i64::from(i32::MAX)).contains(&step);
    fits.then_some(Open { from, step })
}

fn whole(reader: &mut Reader, name: &str, node: &Node<'_>) -> Option<i64> {
    if !matches!(node.get_ref(), DeValue::Integer(_)) {
        let message = format!("the values of `{name}` must be integers");
        reader.error(span_of(node), message).notes.push(USAGE.to_owned());
        return None;
    }
    match reader.literal(name, node)? {
        super::Literal::Integer(value) => Some(value),
        super::Literal::Float(_) => None,
    }
}

#[cold]
fn many(reader: &mut Reader, name: &str, node: &Node<'_>, count: i128) {
    let message = format!("`{name}` takes {count} values; a name may take {MAX_VALUES}");
    reader.error(span_of(node), message).notes.push(
        "a step leaves most of them out: \"1..100000 step 997\"; what breaks at ragged sizes does so at small ones"
            .to_owned(),
    );
}

/// `1..257`, `1..=256`, `64..1025 step 64`: the first value, one that is not before the last, and the step. The
/// last value may lie before the first.
fn range(text: &str) -> Option<(i64, i64, i64)> {
    let (ends, step) = match text.split_once("step") {
        Some((ends, step)) => (ends, step.trim().parse::<i64>().ok().filter(|step| *step > 0)?),
        None => (text, 1),
    };
    let (from, to) = ends.split_once("..")?;
    let from = from.trim().parse().ok()?;
    let to: i64 = match to.strip_prefix('=') {
        Some(to) => to.trim().parse().ok()?,
        None => to.trim().parse::<i64>().ok()?.checked_sub(1)?,
    };
    Some((from, to, step))
}

/// `when`: a condition, or several.
fn conditions(reader: &mut Reader, node: &Node<'_>) -> Vec<Formula> {
    let items = match node.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![node],
    };
    items
        .into_iter()
        .filter_map(|node| Some(Formula { code: reader.string("when", node)?, span: span_of(node) }))
        .collect()
}

/// Every combination for which all conditions hold.
fn combinations(
    reader: &mut Reader,
    sweep: &Sweep,
    when_span: Option<crate::base::Span>,
    known: &[(String, i64)],
) -> Option<Vec<Vec<i64>>> {
    if sweep.axes.is_empty() {
        if let Some(span) = when_span {
            reader
                .error(span, "[sweep] has no names: `when` chooses among their values")
                .notes
                .push("give a name several values: `N = \"1..257\"`".to_owned());
        }
        return None;
    }
    let place = sweep.axes[0].span;
    let most = if sweep.when.is_empty() { MAX_COMBINATIONS } else { MAX_TRIED };
    let count = sweep.axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > most) {
        too_many(
            reader,
            sweep,
            count.map_or("more than can be counted".to_owned(), |count| count.to_string()),
            most,
        );
        return None;
    }
    let mut wholes = Vec::new();
    for condition in &sweep.when {
        match Whole::parse(&condition.code) {
            Ok(whole) => wholes.push((whole, condition.span)),
            Err(problem) => {
                reader.problem(condition.span, "`when`", problem);
                return None;
            }
        }
    }
    let steps = wholes.iter().map(|(whole, _)| whole.steps()).sum::<usize>();
    if steps.saturating_mul(count.unwrap_or(usize::MAX)) > MAX_STEPS {
        reader.error(when_span.unwrap_or(place), "these conditions are too long for so many combinations");
        return None;
    }
    let mut names: Vec<(String, i64)> = sweep.axes.iter().map(|axis| (axis.name.clone(), 0)).collect();
    names.extend(known.iter().filter(|(name, _)| sweep.axes.iter().all(|axis| axis.name != *name)).cloned());
    let mut found = Vec::new();
    let mut at = vec![0usize; sweep.axes.len()];
    loop {
        for (name, (axis, at)) in names.iter_mut().zip(sweep.axes.iter().zip(&at)) {
            name.1 = axis.values[*at];
        }
        let mut holds = true;
        for (whole, span) in &wholes {
            match whole.holds(&names) {
                Ok(true) => {}
                Ok(false) => {
                    holds = false;
                    break;
                }
                Err(problem) => {
                    let values: Vec<i64> = names.iter().take(at.len()).map(|(_, value)| *value).collect();
                    reader.problem(*span, &format!("`when`, for {}", sweep.title_of(&values)), problem);
                    return None;
                }
            }
        }
        if holds {
            if found.len() == MAX_COMBINATIONS {
                too_many(reader, sweep, format!("more than {MAX_COMBINATIONS}"), MAX_COMBINATIONS);
                return None;
            }
            found.push(names.iter().take(at.len()).map(|(_, value)| *value).collect());
        }
        // The last name runs fastest.
        let Some(next) = (0..at.len()).rev().find(|axis| at[*axis] + 1 < sweep.axes[*axis].values.len())
        else {
            break;
        };
        at[next] += 1;
        at[next + 1..].fill(0);
    }
    if found.is_empty() && sweep.is_open() {
        reader
            .error(when_span.unwrap_or(place), "`when` holds for none of the samples of the open ranges")
            .notes
            .push("let a range begin where it holds, or take steps: `N = \"1000.. step 1000\"`".to_owned());
        return None;
    }
    if found.is_empty() {
        let tried = match count {
            Some(1) => format!(
                "`when` does not hold for {}",
                sweep.title_of(&names.iter().map(|name| name.1).collect::<Vec<_>>())
            ),
            _ => format!("`when` holds for none of the {} combinations", count.unwrap_or_default()),
        };
        reader.error(when_span.unwrap_or(place), tried);
        return None;
    }
    Some(found)
}

#[cold]
fn too_many(reader: &mut Reader, sweep: &Sweep, count: String, most: usize) {
    let parts: Vec<String> =
        sweep.axes.iter().map(|axis| format!("{} of `{}`", axis.values.len(), axis.name)).collect();
    let message =
        format!("[sweep] has {count} combinations; at most {most} can be asked ({})", parts.join(", "));
    reader.error(sweep.axes[0].span, message).notes.push(
        "give fewer values, or a step: \"64..1025 step 64\"; `when = \"N % block == 0\"` chooses among them"
            .to_owned(),
    );
}
