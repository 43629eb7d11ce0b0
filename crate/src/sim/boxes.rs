//! Tensor maps, and which bytes a box of a tensor consists of (PTX ISA 9.0, 5.5; CUDA driver API,
//! `cuTensorMapEncodeTiled`).
//!
//! A box lies in shared memory as a dense array, its innermost dimension first. What of it lies outside of
//! the tensor is filled with zeros on the way in and left out on the way out; it counts among the
//! bytes all the same. With a traversal stride of n, every n-th element of a dimension belongs to the box.
//!
//! How chunks of it are exchanged in shared memory says [`Swizzle`].
//!
//! Misses, and so *unsupported*: interleaved layouts, elements of 4 and 6 bits, im2col, the flip of 8 bytes, rows of
//! fewer bytes than the pattern is wide (the sources do not say whether the next row follows directly), and
//! the NaN that stands for what is outside.

use crate::base::Format;
use crate::isa::Swizzle;

/// What a tensor map says.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorMap {
    /// Index into [`super::Setup::tensors`].
    pub tensor: usize,
    /// What the elements are.
    pub format: Format,
    /// The tensor's element at which the map begins.
    pub offset: u64,
    /// The dimensions, innermost first.
    pub axes: Vec<Axis>,
    /// How boxes lie in shared memory.
    pub swizzle: Swizzle,
    /// What is outside becomes NaN.
    pub nan: bool,
    /// Why copies by this map are not supported.
    pub unsupported: Option<&'static str>,
}

/// A dimension of a tensor map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Elements.
    pub size: u64,
    /// Elements from one to the next in memory.
    pub stride: u64,
    /// Elements that a box spans.
    pub span: u32,
    /// Of which every so manyth belongs to it.
    pub step: u32,
}

impl Axis {
    /// Elements of a box.
    pub fn count(&self) -> u32 {
        self.span.div_ceil(self.step)
    }
}

/// Bytes of a box that lie one after the other in shared memory and in the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where in the box, in bytes from its beginning in shared memory.
    pub at: u64,
    /// Where in memory, in bytes from the tensor's first; `None` outside of the tensor.
    pub element: Option<u64>,
    /// How many.
    pub bytes: u64,
}

impl TensorMap {
    /// Bytes of a box.
    pub fn bytes(&self) -> u64 {
        let elements = self.axes.iter().fold(1u64, |all, axis| all.saturating_mul(axis.count().into()));
        elements.saturating_mul(self.format.bytes().into())
    }

    /// The box at these coordinates, row by row, as if nothing were swizzled.
    pub fn rows(&self, at: &[i64]) -> Vec<Piece> {
        let Some((inner, outer)) = self.axes.split_first() else { return Vec::new() };
        let bytes = u64::from(self.format.bytes());
        let row = u64::from(inner.span);
        // The innermost dimension has no traversal stride.
        let first = at[0].clamp(0, inner.size as i64);
        let last = at[0].saturating_add(i64::from(inner.span)).clamp(0, inner.size as i64);
        let (before, inside) = ((first.saturating_sub(at[0]) as u64).min(row), (last - first) as u64);
        let mut pieces = Vec::new();
        let mut push = |at: u64, element: Option<u64>, count: u64| {
            if count > 0 {
                pieces.push(Piece {
                    at: at * bytes,
                    element: element.map(|element| element.saturating_mul(bytes)),
                    bytes: count * bytes,
                });
            }
        };
        let mut index = vec![0u32; outer.len()];
        let mut start = 0;
        loop {
            let position =
                outer.iter().zip(&index).zip(&at[1..]).try_fold(0u64, |sum, ((axis, index), at)| {
                    let place = at.checked_add(i64::from(index * axis.step))?;
                    let place = u64::try_from(place).ok().filter(|place| *place < axis.size)?;
                    Some(sum.saturating_add(place.saturating_mul(axis.stride)))
                });
            match position.filter(|_| inside > 0) {
                None => push(start, None, row),
                Some(position) => {
                    push(start, None, before);
                    let element = self.offset.saturating_add(position).saturating_add(first as u64);
                    push(start + before, Some(element), inside);
                    push(start + before + inside, None, row - before - inside);
                }
            }
            start += row;
            let next = index.iter_mut().zip(outer).find_map(|(index, axis)| {
                *index = (*index + 1) % axis.count();
                (*index > 0).then_some(())
            });
            if next.is_none() {
                return pieces;
            }
        }
    }

    /// Where those bytes lie in shared memory, for a box that begins at an address there.
    pub fn swizzled(&self, rows: &[Piece], start: u64) -> Vec<Piece> {
        if self.swizzle == Swizzle::None {
            return rows.to_vec();
        }
        let chunk = self.swizzle.chunk();
        let mut pieces = Vec::with_capacity(rows.len() * 8);
        for row in rows {
            let mut done = 0;
            while done < row.bytes {
                let address = start + row.at + done;
                let bytes = (chunk - address % chunk).min(row.bytes - done);
                let at = self.swizzle.place(address) - start;
                pieces.push(Piece { at, element: row.element.map(|element| element + done), bytes });
                done += bytes;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(axes: &[(u64, u64, u32, u32)], swizzle: Swizzle) -> TensorMap {
        let axis = |(size, stride, span, step): &(u64, u64, u32, u32)| Axis {
            size: *size,
            stride: *stride,
            span: *span,
            step: *step,
        };
        let axes = axes.iter().map(axis).collect();
        let (format, offset) = (Format::F32, 0);
        TensorMap { tensor: 0, format, offset, axes, swizzle, nan: false, unsupported: None }
    }

    #[test]
    fn a_box_over_the_edge_is_cut() {
        let map = map(&[(6, 1, 4, 1), (3, 8, 2, 1)], Swizzle::None);
        let piece = |at, element, bytes| Piece { at, element, bytes };
        assert_eq!(map.rows(&[0, 0]), [piece(0, Some(0), 16), piece(16, Some(32), 16)]);
        assert_eq!(map.rows(&[4, 2]), [piece(0, Some(80), 8), piece(8, None, 8), piece(16, None, 16)]);
        assert_eq!(map.rows(&[-1, -1]), [piece(0, None, 16), piece(16, None, 4), piece(20, Some(0), 12)]);
        assert_eq!(map.rows(&[100, 0]), [piece(0, None, 16), piece(16, None, 16)]);
        assert_eq!(map.rows(&[-100, i64::from(i32::MAX)]), [piece(0, None, 16), piece(16, None, 16)]);
    }

    #[test]
    fn every_other_row_belongs_to_a_box_with_a_traversal_stride_of_two() {
        let map = map(&[(4, 1, 4, 1), (8, 4, 5, 2)], Swizzle::None);
        assert_eq!(map.bytes(), 48);
        let elements: Vec<_> = map.rows(&[0, 1]).iter().map(|piece| piece.element).collect();
        assert_eq!(elements, [Some(16), Some(48), Some(80)]);
    }
}
