//! Tensor maps meet their tensors: dimensions, and the limits of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`
//! (CUDA driver API) that depend on the elements.

use super::bind::BoundTensor;
use crate::base::Source;
use crate::diag::{Code, Diagnostic};
use crate::sim::{Axis, Pixels, TensorMap};
use crate::spec;

/// Bytes of a tensor map.
pub(super) const BYTES: u32 = 128;
/// What addresses, strides and rows of boxes are multiples of.
const UNIT: u64 = 16;
/// Elements of a dimension (CUDA driver API).
const LARGEST_SIZE: u64 = 1 << 32;
/// Elements that a tensor may have of which nothing is said.
const LARGEST: u128 = 1 << 32;

/// What a tensor map of a kernel says, about a tensor by its number.
pub(super) fn bound(
    map: &spec::TensorMap,
    tensor: usize,
    of: &BoundTensor,
    kernel: usize,
) -> Result<TensorMap, Diagnostic> {
    let name = &map.tensor;
    let wrong = |message: String| Diagnostic::error(Code::V010, message).at(Source::Spec, map.span_of);
    let Some(format) = of.formats[kernel] else {
        return Err(wrong(format!("what the elements of `{name}` are has to be said: add a `type`")));
    };
    let Some(shape) = map.shape.as_ref().or(of.shape()) else {
        return Err(wrong(format!("a tensor map of `{name}` needs its `shape`")));
    };
    let rank = map.rank();
    let channels = map.span[map.span.len() - 1];
    if shape.len() != rank {
        let what = if map.corners.is_some() { "this tensor map for pixels" } else { "`box`" };
        let message = format!("{what} has {rank} dimensions, and `{name}` has {}", shape.len());
        let note =
            "a map that sees the tensor with other dimensions has a `shape` (and `strides`) of its own";
        return Err(wrong(message).note(note));
    }
    let declared = of.declared.as_ref().and_then(|tensor| tensor.strides.clone());
    let strides = map.strides.clone().or(declared.filter(|_| map.shape.is_none()));
    let strides = strides.unwrap_or_else(|| {
        let dense = |at: usize| shape[at + 1..].iter().product();
        (0..rank).map(dense).collect()
    });
    let bytes = u64::from(format.bytes());
    if strides.last() != Some(&1) {
        return Err(wrong(format!(
            "the elements of a row of `{name}` do not lie one after the other, as a tensor map wants it"
        )));
    }
    if let Some(size) = shape.iter().find(|size| **size > LARGEST_SIZE) {
        return Err(wrong(format!(
            "a tensor map has at most {LARGEST_SIZE} elements in a dimension, not {size}"
        )));
    }
    let multiples = [("offset", map.offset * bytes), ("row of a box", channels * bytes)];
    let strides_of = strides[..rank - 1].iter().map(|stride| ("stride", stride.saturating_mul(bytes)));
    for (what, size) in multiples.into_iter().chain(strides_of) {
        if !size.is_multiple_of(UNIT) {
            let message = format!(
                "the {what} of a tensor map is a multiple of {UNIT} bytes, and this one of `{name}` has {size}"
            );
            return Err(wrong(message));
        }
    }
    let reach = |shape: &[u64], strides: &[u64]| {
        let last = shape.iter().zip(strides).map(|(size, stride)| u128::from(size - 1) * u128::from(*stride));
        last.sum::<u128>() + 1
    };
    let whole = match (of.shape(), of.declared.as_ref().and_then(|tensor| tensor.strides.as_ref())) {
        (Some(shape), Some(strides)) => reach(shape, strides),
        (Some(shape), None) => shape.iter().map(|size| u128::from(*size)).product(),
        (None, _) => LARGEST,
    };
    let needed = reach(shape, &strides) + u128::from(map.offset);
    if needed > whole {
        let message = format!("this tensor map reaches {needed} elements into `{name}`, which has {whole}");
        return Err(wrong(message));
    }
    let row = channels * bytes;
    let width = map.swizzle.and_then(|swizzle| swizzle.width()).map(u64::from);
    if let Some(width) = width.filter(|width| row > *width) {
        let message = format!(
            "with this swizzle a row of a box has at most {width} bytes, and this one of `{name}` has {row}"
        );
        return Err(wrong(message));
    }
    let unsupported = match () {
        () if map.interleave.is_some() => Some("tensor maps with an interleaved layout are not supported"),
        () if map.swizzle.is_none() => Some(
            "tensor maps with this swizzle are not supported: the sources do not say which lines are flipped",
        ),
        () if width.is_some_and(|width| row < width) => Some(
            "tensor maps with rows that are shorter than their swizzle is wide are not supported: the sources do not say where the next row begins",
        ),
        () => None,
    };
    let axis = |at: usize| Axis {
        size: shape[at],
        stride: strides[at],
        span: match &map.corners {
            None => map.span[at] as u32,
            Some(_) if at + 1 == rank => channels as u32,
            Some(_) => 1,
        },
        step: map.steps.as_ref().filter(|_| at + 1 < rank).map_or(1, |steps| steps[at] as u32),
    };
    let pixels = map.corners.as_ref().map(|corners| {
        // Images lie between the first dimension and the last one.
        let ends = corners.lower.iter().zip(&corners.upper).zip(&shape[1..rank - 1]);
        let window = ends.map(|((lower, upper), size)| (*lower, *size as i64 - 1 + upper));
        Pixels { count: map.span[0] as u32, window: window.rev().collect() }
    });
    if let Some((low, high)) = pixels.iter().flat_map(|pixels| &pixels.window).find(|(low, high)| low > high)
    {
        return Err(wrong(format!(
            "the corners of this tensor map of `{name}` leave no pixel: the window of a dimension goes from {low} to {high}"
        )));
    }
    Ok(TensorMap {
        tensor,
        format,
        offset: map.offset,
        axes: (0..rank).rev().map(axis).collect(),
        swizzle: map.swizzle.unwrap_or_default(),
        pixels,
        nan: map.nan,
        unsupported,
    })
}
