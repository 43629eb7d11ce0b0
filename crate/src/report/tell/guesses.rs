//! Programs that textbooks have, for kernels whose terms follow no pattern: recurrences (a running variance, a
//! scan by doubling), choices by comparison (the place of a maximum), borders (padding).
//!
//! Everything here follows from the shapes of inputs and output; nothing is known of any kernel.

use crate::decide::Meaning;
use num_traits::ToPrimitive;

use super::write::constant;

/// Guesses that are made.
const MOST: usize = 2_000;

/// Places of the first query that are all tried.
const OFFSETS: u64 = 32;

/// What an output of that shape may be, made of inputs (name, extents, whether real) and a kernel's numbers.
pub fn guesses(inputs: &[(String, Vec<u64>, bool)], shape: &[u64], numbers: &[Meaning]) -> Vec<String> {
    let small = |meaning: &Meaning| match meaning {
        Meaning::Number(number) => {
            let value = number.as_rational()?.to_f64()?;
            (0.0 < value && value < 0.01).then(|| constant(number)).flatten()
        }
        _ => None,
    };
    let mut eps: Vec<String> = numbers.iter().filter_map(small).collect();
    eps.sort();
    eps.dedup();
    eps.truncate(3);
    let mut found = Vec::new();
    let real: Vec<&(String, Vec<u64>, bool)> = inputs.iter().filter(|(.., real)| *real).collect();
    let last = shape.last().copied();
    let alike = |own: &[u64]| {
        let long = |shape: &[u64]| shape.iter().copied().filter(|extent| *extent > 1).collect::<Vec<_>>();
        long(own) == long(shape)
    };
    for (x, own, _) in inputs {
        if alike(own) {
            for name in ["softmax", "log_softmax", "cumsum"] {
                let axes = if own.len() > 1 { &["-1", "0"][..] } else { &["-1"] };
                found.extend(axes.iter().map(|axis| format!("{name}({x}, axis={axis})")));
            }
            let vectors: Vec<&String> = real
                .iter()
                .filter(|(name, own, _)| own.len() == 1 && own.last().copied() == last && name != x)
                .map(|(name, ..)| name)
                .collect();
            for eps in eps.iter().map(String::as_str).chain(["0"]) {
                found.push(format!("layer_norm({x}, eps={eps})"));
                found.push(format!("rms_norm({x}, eps={eps})"));
                for w in &vectors {
                    found.push(format!("layer_norm({x}, {w}, eps={eps})"));
                    found.push(format!("rms_norm({x}, {w}, eps={eps})"));
                    let biases = vectors.iter().filter(|b| *b != w);
                    found.extend(biases.map(|b| format!("layer_norm({x}, {w}, {b}, eps={eps})")));
                }
            }
        }
        if alike(own) && own.len() > 1 {
            group_norms(x, own[1], &real, &eps, &mut found);
        }
        for name in ["sum", "mean", "var", "std", "max", "min", "argmax", "argmin", "logsumexp"] {
            if own.len() > 1 {
                found.extend(["-1", "0"].map(|axis| format!("{name}({x}, axis={axis})")));
            }
            found.push(format!("{name}({x})"));
        }
        for (y, ..) in inputs.iter().filter(|(y, ..)| y != x) {
            found.push(format!("cross_entropy({x}, {y})"));
            found.push(format!("mse_loss({x}, {y})"));
            found.push(format!("take({x}, {y})"));
            found.extend(
                ["{x} @ {y}", "{x}.T @ {y}", "{x} @ {y}.T"]
                    .map(|text| text.replace("{x}", x).replace("{y}", y)),
            );
        }
    }
    attention(&real, shape, &mut found);
    windows(&real, shape, &mut found);
    found.truncate(MOST);
    found
}

/// Group norms of channels, in each number of groups.
fn group_norms(
    x: &str,
    channels: u64,
    real: &[&(String, Vec<u64>, bool)],
    eps: &[String],
    found: &mut Vec<String>,
) {
    let vectors: Vec<&String> =
        real.iter().filter(|(name, own, _)| *own == [channels] && name != x).map(|(name, ..)| name).collect();
    for groups in (1..=channels).filter(|groups| channels.is_multiple_of(*groups)) {
        for eps in eps {
            found.push(format!("group_norm({x}, {groups}, eps={eps})"));
            for w in &vectors {
                found.push(format!("group_norm({x}, {groups}, {w}, eps={eps})"));
                let biases = vectors.iter().filter(|b| *b != w);
                found.extend(biases.map(|b| format!("group_norm({x}, {groups}, {w}, {b}, eps={eps})")));
            }
        }
    }
}

/// Attention, and attention that looks back only; groups of query heads may share a head of keys.
fn attention(real: &[&(String, Vec<u64>, bool)], shape: &[u64], found: &mut Vec<String>) {
    for (q, rows, _) in real {
        for (k, keys, _) in real.iter().filter(|(k, ..)| k != q) {
            let (Some([m, d]), Some([n, e])) = (rows.last_chunk::<2>(), keys.last_chunk::<2>()) else {
                continue;
            };
            if d != e || shape.len() < 2 || shape[shape.len() - 2] != *m {
                continue;
            }
            for (v, ..) in real.iter().filter(|(v, ..)| v != q && v != k) {
                let turned = if keys.len() > 2 { "mT" } else { "T" };
                let head = groups(rows, keys);
                let product = format!("{q} @ {k}{head}.{turned}");
                let v = format!("{v}{head}");
                let root = (1..=*d).find(|root| root * root == *d);
                let scaled = match root {
                    Some(root) => format!("{product} / {root}"),
                    None => format!("{product} / sqrt({d})"),
                };
                // The first query sees the first key, or the last sees all, or something between.
                let rest = n.saturating_sub(*m);
                let offsets = (0..=rest).filter(|offset| [0, rest].contains(offset) || rest <= OFFSETS);
                let first = |offset: u64| match offset {
                    0 => format!("arange({m})"),
                    _ => format!("({offset} + arange({m}))"),
                };
                let firsts: Vec<String> = offsets.map(first).collect();
                for scores in [&scaled, &product] {
                    found.push(format!("softmax({scores}, axis=-1) @ {v}"));
                    for first in &firsts {
                        let mask = format!("where({first}[:, None] >= arange({n}), {scores}, -inf)");
                        found.push(format!("softmax({mask}, axis=-1) @ {v}"));
                    }
                }
            }
        }
    }
}

/// What takes the head of keys for each head of queries, where there are fewer: the index behind the keys' name.
fn groups(rows: &[u64], keys: &[u64]) -> String {
    let heads = |shape: &[u64]| shape.len().checked_sub(3).map(|axis| shape[axis]);
    match (heads(rows), heads(keys)) {
        (Some(many), Some(few)) if rows.len() == keys.len() && few < many && many.is_multiple_of(few) => {
            format!("[{}arange({many}) // {}]", ":, ".repeat(rows.len() - 3), many / few)
        }
        _ => String::new(),
    }
}

/// Convolutions and pooling, with as much padding as the shapes say.
fn windows(real: &[&(String, Vec<u64>, bool)], shape: &[u64], found: &mut Vec<String>) {
    for (x, own, _) in real {
        let rank = own.len();
        if rank < 3 || rank != shape.len() {
            continue;
        }
        for (w, kernel, _) in real.iter().filter(|(w, kernel, _)| w != x && kernel.len() == rank) {
            let name = if rank == 3 { "conv1d" } else { "conv2d" };
            let biases = real.iter().filter(|(b, own, _)| own.len() == 1 && own[0] == kernel[0] && b != x);
            let biases: Vec<String> =
                std::iter::once(String::new()).chain(biases.map(|(b, ..)| format!(", {b}"))).collect();
            for stride in 1..4u64 {
                for padding in 0..4u64 {
                    let fits = (own[rank - 1] + 2 * padding).checked_sub(kernel[rank - 1]);
                    if fits.map(|rest| rest / stride + 1) != shape.last().copied() {
                        continue;
                    }
                    let given = |name: &str, value: u64, default: u64| match value == default {
                        true => String::new(),
                        false => format!(", {name}={value}"),
                    };
                    let more = given("stride", stride, 1) + &given("padding", padding, 0);
                    found.extend(biases.iter().map(|bias| format!("{name}({x}, {w}{bias}{more})")));
                }
            }
        }
        if rank == 4 {
            for size in 2..6u64 {
                for stride in 1..=size {
                    for padding in 0..=size / 2 {
                        for name in ["max_pool2d", "avg_pool2d"] {
                            found.push(format!("{name}({x}, {size}, stride={stride}, padding={padding})"));
                        }
                    }
                }
            }
        }
    }
}
