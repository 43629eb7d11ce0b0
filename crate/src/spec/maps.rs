//! Tensor maps among the arguments of a kernel: text ⇄ data.
//!
//! Limits are those of `cuTensorMapEncodeTiled`, and of `cuTensorMapEncodeIm2col` for maps with corners, as far as they do
//! not depend on the elements.

use super::model::{Corners, Key, TensorMap, Written};
use super::parse::MAX_ELEMENTS;
use super::print::{list, number, string};
use super::read::{Node, Reader, quoted, span_of};
use crate::isa::Swizzle;
use std::fmt::Write;
use toml::de::{DeTable, DeValue};

const KEYS: &[&str] = &[
    "tensor_map",
    "box",
    "swizzle",
    "type",
    "shape",
    "strides",
    "offset",
    "element_strides",
    "interleave",
    "oob",
    "pixel_box_lower_corner",
    "pixel_box_upper_corner",
];
/// Swizzles that have a name and are not supported.
const OTHERS: &[&str] = &["128B atom 32B flip 8B"];
/// Names of interleaved layouts.
const INTERLEAVES: &[(&str, Option<u32>)] = &[("none", None), ("16B", Some(16)), ("32B", Some(32))];
/// Names of what lies outside.
const FILLS: &[(&str, bool)] = &[("zeros", false), ("nan", true)];

/// Dimensions of a tensor map.
pub const MOST_DIMENSIONS: usize = 5;
const LARGEST_SIZE: u64 = 1 << 32;
const LARGEST_BOX: u64 = 256;
const LARGEST_STEP: u64 = 8;
/// Pixels of a box.
const MOST_PIXELS: u64 = 1024;
/// Corners of images of one dimension, of two, and of three lie between minus so many and so many less one.
const FARTHEST_CORNERS: [i64; 3] = [1 << 15, 1 << 7, 1 << 4];

/// Several tensor maps, one after the other in memory.
pub fn several(reader: &mut Reader, node: &Node<'_>, at: usize) -> Option<Vec<TensorMap>> {
    let DeValue::Array(items) = node.get_ref() else {
        reader.error(span_of(node), "`tensor_maps` must be a list of { tensor_map = \"…\", box = […] }");
        return None;
    };
    if items.is_empty() {
        reader.error(span_of(node), "`tensor_maps` is empty");
        return None;
    }
    let each = |(part, item): (usize, &Node<'_>)| {
        let table = reader.table("tensor_maps", item)?;
        one(reader, item, table, TensorMap::at(at, part))
    };
    items.iter().enumerate().map(each).collect()
}

/// A tensor map.
pub fn one(reader: &mut Reader, node: &Node<'_>, table: &DeTable<'_>, at: usize) -> Option<TensorMap> {
    let mut map = TensorMap {
        tensor: String::new(),
        format: None,
        offset: 0,
        span: Vec::new(),
        corners: None,
        shape: None,
        strides: None,
        steps: None,
        swizzle: Some(Swizzle::None),
        interleave: None,
        nan: false,
        span_of: span_of(node),
    };
    let (mut lower, mut upper) = (None, None);
    for entry in reader.entries("a tensor map", table, KEYS) {
        let value = entry.value;
        reader.at = [at, 0];
        match entry.key {
            "tensor_map" => map.tensor = reader.string("tensor_map", value)?,
            "type" => map.format = Some(reader.format("type", value)?),
            "offset" => {
                reader.key = Key::Offset;
                map.offset = reader.integer("offset", value, 0, MAX_ELEMENTS)?;
            }
            "box" => map.span = sizes(reader, Key::Box, "box", value, 1, MOST_PIXELS)?,
            "pixel_box_lower_corner" => lower = Some(corner(reader, Key::Lower, entry.key, value)?),
            "pixel_box_upper_corner" => upper = Some(corner(reader, Key::Upper, entry.key, value)?),
            "element_strides" => {
                map.steps = Some(sizes(reader, Key::Steps, "element_strides", value, 1, LARGEST_STEP)?);
            }
            "shape" => map.shape = Some(sizes(reader, Key::MapShape, "shape", value, 1, LARGEST_SIZE)?),
            "strides" => {
                map.strides = Some(sizes(reader, Key::MapStrides, "strides", value, 0, MAX_ELEMENTS)?);
            }
            "swizzle" => {
                let known = Swizzle::NAMES.iter().map(|(name, swizzle)| (*name, Some(*swizzle)));
                let names: Vec<_> = known.chain(OTHERS.iter().map(|name| (*name, None))).collect();
                map.swizzle = choice(reader, "swizzle", value, &names)?;
            }
            "interleave" => map.interleave = choice(reader, "interleave", value, INTERLEAVES)?,
            _ => map.nan = choice(reader, "oob", value, FILLS)?,
        }
    }
    if map.span.is_empty() {
        let diagnostic =
            reader.error(span_of(node), "a tensor map needs the size of its boxes: add `box = [64, 64]`");
        diagnostic.notes.push("in the order of the tensor's shape, the outermost dimension first".to_owned());
        return None;
    }
    map.corners = match (lower, upper) {
        (None, None) => None,
        (Some(lower), Some(upper)) if lower.len() == upper.len() => Some(Corners { lower, upper }),
        _ => {
            reader.error(
                span_of(node),
                "`pixel_box_lower_corner` and `pixel_box_upper_corner` come together, with as many dimensions each",
            );
            return None;
        }
    };
    let of_pixels = map.corners.is_some();
    if of_pixels && map.span.len() != 2 {
        let message = format!(
            "the `box` of a tensor map for pixels is [pixels, channels], and this one has {} numbers",
            map.span.len()
        );
        reader.error(span_of(node), message);
        return None;
    }
    let boxes = if of_pixels { &map.span[1..] } else { &map.span[..] };
    if let Some(large) = boxes.iter().find(|size| **size > LARGEST_BOX) {
        reader.error(span_of(node), format!("`box` must be from 1 to {LARGEST_BOX}, not {large}"));
        return None;
    }
    let rank = map.rank();
    for (what, other) in [("shape", &map.shape), ("strides", &map.strides), ("element_strides", &map.steps)] {
        if let Some(found) = other.as_ref().filter(|other| other.len() != rank) {
            let message = match of_pixels {
                true => format!(
                    "`{what}` has {} dimensions, and images and channels beside those of the corners are {rank}",
                    found.len()
                ),
                false => format!("`{what}` has {} dimensions, and `box` has {rank}", found.len()),
            };
            reader.error(span_of(node), message);
            return None;
        }
    }
    if map.strides.as_ref().is_some_and(|strides| strides.last() != Some(&1)) {
        reader.error(
            span_of(node),
            "the last of `strides` is 1: the elements of a row lie one after the other",
        );
        return None;
    }
    Some(map)
}

fn sizes(
    reader: &mut Reader,
    key: Key,
    what: &str,
    node: &Node<'_>,
    low: u64,
    high: u64,
) -> Option<Vec<u64>> {
    reader.key = key;
    let sizes = reader.integers(what, node, low, high)?;
    if !(1..=MOST_DIMENSIONS).contains(&sizes.len()) {
        let message =
            format!("a tensor map has 1 to {MOST_DIMENSIONS} dimensions, and `{what}` has {}", sizes.len());
        reader.error(span_of(node), message);
        return None;
    }
    Some(sizes)
}

/// A corner of the window of a map for pixels.
fn corner(reader: &mut Reader, key: Key, what: &str, node: &Node<'_>) -> Option<Vec<i64>> {
    reader.key = key;
    let most = FARTHEST_CORNERS[0];
    let corner = reader.signed_integers(what, node, -most, most - 1)?;
    let Some(most) = corner.len().checked_sub(1).and_then(|at| FARTHEST_CORNERS.get(at)) else {
        let message = format!(
            "images have 1 to {} dimensions, and `{what}` has {}",
            FARTHEST_CORNERS.len(),
            corner.len()
        );
        reader.error(span_of(node), message);
        return None;
    };
    if let Some(far) = corner.iter().find(|at| !(-most..*most).contains(at)) {
        let message = format!(
            "`{what}` must be from {} to {}, not {far}, for images of {} dimensions",
            -most,
            most - 1,
            corner.len()
        );
        reader.error(span_of(node), message);
        return None;
    }
    Some(corner)
}

fn choice<T: Copy>(reader: &mut Reader, what: &str, node: &Node<'_>, choices: &[(&str, T)]) -> Option<T> {
    let name = reader.string(what, node)?;
    let found = choices.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    if found.is_none() {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let diagnostic = reader.error(span_of(node), format!("`{what}` has no value \"{name}\""));
        diagnostic.notes.push(format!("it is one of {}", quoted(&names)));
    }
    found
}

/// A tensor map as a spec has it.
pub fn print(written: &[Written], map: &TensorMap, at: usize) -> String {
    let mut text = format!("{{ tensor_map = {}", string(&map.tensor));
    if let Some(format) = map.format {
        let _ = write!(text, ", type = \"{format}\"");
    }
    if map.offset != 0 {
        let _ = write!(text, ", offset = {}", number(written, Key::Offset, [at, 0], map.offset as i64));
    }
    let mut numbers = |name: &str, key: Key, values: Option<&Vec<u64>>| {
        if let Some(values) = values {
            let _ = write!(text, ", {name} = {}", list(written, key, at, values));
        }
    };
    numbers("box", Key::Box, Some(&map.span));
    numbers("shape", Key::MapShape, map.shape.as_ref());
    numbers("strides", Key::MapStrides, map.strides.as_ref());
    numbers("element_strides", Key::Steps, map.steps.as_ref());
    if let Some(corners) = &map.corners {
        for (name, key, values) in
            [("lower", Key::Lower, &corners.lower), ("upper", Key::Upper, &corners.upper)]
        {
            let each = |(axis, value): (usize, &i64)| number(written, key, [at, axis], *value);
            let values: Vec<String> = values.iter().enumerate().map(each).collect();
            let _ = write!(text, ", pixel_box_{name}_corner = [{}]", values.join(", "));
        }
    }
    let swizzle = map.swizzle.map_or(OTHERS[0], Swizzle::name);
    if map.swizzle != Some(Swizzle::None) {
        let _ = write!(text, ", swizzle = {}", string(swizzle));
    }
    if let Some(bytes) = map.interleave {
        let _ = write!(text, ", interleave = \"{bytes}B\"");
    }
    if map.nan {
        text += ", oob = \"nan\"";
    }
    text + " }"
}

#[cfg(test)]
mod tests {
    use crate::spec::{Argument, Spec, parse, print};

    fn arguments(spec: &Spec) -> &[Argument] {
        spec.optimized.args.as_deref().unwrap_or_default()
    }

    #[test]
    fn a_tensor_map_is_printed_as_it_is_read() {
        let text = r#"[optimized]
args = [{ tensor_map = "A", type = "f16", offset = "8 * N", box = ["4 * N", 64], shape = [2, 64], strides = [128, 1], element_strides = [2, 1], swizzle = "128B atom 32B", oob = "nan" }, { tensor_map = "X", box = [512, 64], element_strides = [1, 2, 2, 1], pixel_box_lower_corner = [-1, "-N"], pixel_box_upper_corner = [-2, 1], swizzle = "128B" }, { tensor_maps = [{ tensor_map = "B", box = [8] }, { tensor_map = "B", box = [16], interleave = "16B" }] }, { fields = [[0, { tensor_map = "C", box = [4, "2 * N"] }], [128, 3]] }]

[scalars]
N = 2
"#;
        let (spec, diagnostics) = parse(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let Argument::Maps(maps) = &arguments(&spec)[0] else { panic!("no tensor map") };
        assert_eq!((maps[0].offset, maps[0].span.as_slice()), (16, [8, 64].as_slice()));
        assert_eq!(print(&spec), text);
    }

    #[test]
    fn what_is_wrong_with_a_tensor_map_is_said() {
        let cases = [
            ("{ tensor_map = \"A\" }", "a tensor map needs the size of its boxes: add `box = [64, 64]`"),
            ("{ tensor_map = \"A\", box = 300 }", "`box` must be from 1 to 256, not 300"),
            (
                "{ tensor_map = \"A\", box = [1, 1, 1, 1, 1, 4] }",
                "a tensor map has 1 to 5 dimensions, and `box` has 6",
            ),
            (
                "{ tensor_map = \"A\", box = [4, 4], shape = [8] }",
                "`shape` has 1 dimensions, and `box` has 2",
            ),
            (
                "{ tensor_map = \"A\", box = [4, 4], strides = [1, 4] }",
                "the last of `strides` is 1: the elements of a row lie one after the other",
            ),
            ("{ tensor_map = \"A\", box = 4, swizzle = \"128\" }", "`swizzle` has no value \"128\""),
            (
                "{ tensor_map = \"A\", box = 4, element_strides = 9 }",
                "`element_strides` must be from 1 to 8, not 9",
            ),
            (
                "{ tensor_map = \"A\", box = [64, 32], pixel_box_lower_corner = [0, 0] }",
                "`pixel_box_lower_corner` and `pixel_box_upper_corner` come together, with as many dimensions each",
            ),
            (
                "{ tensor_map = \"A\", box = 64, pixel_box_lower_corner = 0, pixel_box_upper_corner = 0 }",
                "the `box` of a tensor map for pixels is [pixels, channels], and this one has 1 numbers",
            ),
            (
                "{ tensor_map = \"A\", box = [64, 32], pixel_box_lower_corner = [0, -200], pixel_box_upper_corner = [0, 0] }",
                "`pixel_box_lower_corner` must be from -128 to 127, not -200, for images of 2 dimensions",
            ),
            (
                "{ tensor_map = \"A\", box = [64, 32], shape = [8, 8], pixel_box_lower_corner = [0, 0], pixel_box_upper_corner = [0, 0] }",
                "`shape` has 2 dimensions, and images and channels beside those of the corners are 4",
            ),
            ("{ tensor_maps = [] }", "`tensor_maps` is empty"),
            ("{ tensor_map = \"A\", box = 4, fill = 0 }", "a tensor map has no key `fill`"),
        ];
        for (argument, message) in cases {
            let (_, diagnostics) = parse(&format!("[optimized]\nargs = [{argument}]"));
            assert_eq!(diagnostics.len(), 1, "{argument}: {diagnostics:?}");
            assert_eq!(diagnostics[0].message, message);
        }
    }
}
