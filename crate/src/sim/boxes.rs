//! Tensor maps, and which bytes a box of a tensor consists of (PTX ISA 9.0, 5.5; CUDA driver API,
//! `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`).
//!
//! A box lies in shared memory as a dense array, its innermost dimension first. What of it lies outside of
//! the tensor is filled with zeros on the way in and left out on the way out; it counts among the
//! bytes all the same. With a traversal stride of n, every n-th element of a dimension belongs to the box.
//!
//! A gather or scatter has four rows of a matrix, one below the other.
//!
//! Of a map for convolutions a box is as many pixels as it says, with so many channels each. They follow one another
//! through a window of the image, its innermost dimension first, by traversal strides; behind its end the next image
//! begins. Then each is moved by the copy's offsets, so that one box has what one entry of a filter is
//! multiplied with.
//!
//! How chunks of it are exchanged in shared memory says [`Swizzle`].
//!
//! Misses, and so *unsupported*: interleaved layouts, elements of 4 and 6 bits, the flip of 8 bytes, rows of
//! fewer bytes than the pattern is wide (the sources do not say whether the next row follows directly), and
//! the NaN that stands for what is outside.

use crate::base::Format;
use crate::isa::{BoxCut, GATHERED, Swizzle};

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
    /// What a map for convolutions says besides.
    pub pixels: Option<Pixels>,
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

/// What a box of pixels is. Its map's first axis are channels and its last one images; what lies between is an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// How many.
    pub count: u32,
    /// The first and the last position of the window in each dimension of an image, innermost first.
    pub window: Vec<(i64, i64)>,
}

/// The box that a copy moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Which elements.
    pub cut: BoxCut,
    /// Its coordinates.
    pub at: Vec<i64>,
    /// How far pixels are moved, in each dimension of an image.
    pub offsets: Vec<i64>,
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

/// The offset of pixels in a dimension is less than that (PTX ISA 9.0, 9.7.9.25.5.2).
fn most_moved(dimensions: usize) -> i64 {
    1 << (16 / dimensions)
}

impl TensorMap {
    /// What is wrong with such a box of this map.
    pub fn misfit(&self, box_: &Cut) -> Option<String> {
        match (box_.cut, &self.pixels) {
            (BoxCut::Tile, None) => None,
            (BoxCut::Tile | BoxCut::Rows, Some(_)) => Some(
                "its tensor map is one for pixels (`cuTensorMapEncodeIm2col`), and it copies none".to_owned(),
            ),
            (BoxCut::Rows, None) => {
                let height = self.axes.get(1).map_or(1, |axis| axis.span);
                (height != 1).then(|| format!("boxes of a tensor map for a gather or scatter have 1 row, and this one's have {height}"))
            }
            (BoxCut::Pixels { .. }, None) => Some(
                "it copies pixels, and its tensor map is not one for pixels (`cuTensorMapEncodeIm2col`)"
                    .to_owned(),
            ),
            (BoxCut::Pixels { .. }, Some(pixels)) => {
                let most = most_moved(pixels.window.len());
                let far = box_.offsets.iter().find(|offset| **offset >= most);
                if let Some(far) = far {
                    return Some(format!(
                        "it moves pixels by {far}; an offset of this many dimensions is less than {most}"
                    ));
                }
                let outside =
                    pixels.window.iter().zip(&box_.at[1..]).find(|((low, high), at)| *at < low || *at > high);
                outside.map(|((low, high), at)| format!("its first pixel is at {at} in a dimension whose window goes from {low} to {high}, which the manual does not describe"))
            }
        }
    }

    /// Rows of a box, as shared memory has them.
    fn height(&self, cut: BoxCut) -> u64 {
        match (cut, &self.pixels) {
            (BoxCut::Rows, _) => GATHERED as u64,
            (BoxCut::Pixels { .. }, Some(pixels)) => pixels.count.into(),
            _ => self.axes[1..].iter().fold(1u64, |all, axis| all.saturating_mul(axis.count().into())),
        }
    }

    /// Bytes of a box.
    pub fn bytes(&self, cut: BoxCut) -> u64 {
        let Some(inner) = self.axes.first() else { return 0 };
        let elements = self.height(cut).saturating_mul(inner.count().into());
        elements.saturating_mul(self.format.bytes().into())
    }

    /// Goes through the rows of a box, with the coordinates of each but the innermost.
    fn each_row(&self, cut: &Cut, mut row: impl FnMut(&[Option<i64>])) {
        let outer = &self.axes[1..];
        let height = self.height(cut.cut);
        let mut at: Vec<Option<i64>> = cut.at[1..].iter().map(|at| Some(*at)).collect();
        match (cut.cut, &self.pixels) {
            (BoxCut::Rows, _) => at.iter().for_each(|number| row(&[*number])),
            (BoxCut::Pixels { .. }, Some(pixels)) => {
                let images = pixels.window.len();
                let mut place: Vec<i64> = cut.at[1..].to_vec();
                for _ in 0..height {
                    for (moved, (place, offset)) in
                        at.iter_mut().zip(place.iter().zip(cut.offsets.iter().chain(std::iter::repeat(&0))))
                    {
                        *moved = place.checked_add(*offset);
                    }
                    row(&at);
                    let next = (0..images).find(|dimension| {
                        let (low, high) = pixels.window[*dimension];
                        place[*dimension] += i64::from(outer[*dimension].step);
                        let inside = place[*dimension] <= high;
                        if !inside {
                            place[*dimension] = low;
                        }
                        inside
                    });
                    if next.is_none() {
                        place[images] += 1;
                    }
                }
            }
            _ => {
                let mut index = vec![0u32; outer.len()];
                for _ in 0..height {
                    for (dimension, place) in at.iter_mut().enumerate() {
                        let far = i64::from(index[dimension]) * i64::from(outer[dimension].step);
                        *place = cut.at[dimension + 1].checked_add(far);
                    }
                    row(&at);
                    let _ = index.iter_mut().zip(outer).find_map(|(index, axis)| {
                        *index = (*index + 1) % axis.count();
                        (*index > 0).then_some(())
                    });
                }
            }
        }
    }

    /// A box row by row, as if nothing were swizzled.
    pub fn rows(&self, cut: &Cut) -> Vec<Piece> {
        let Some((inner, outer)) = self.axes.split_first() else { return Vec::new() };
        let bytes = u64::from(self.format.bytes());
        let row = u64::from(inner.span);
        // The innermost dimension has no traversal stride.
        let column = cut.at[0];
        let first = column.clamp(0, inner.size as i64);
        let last = column.saturating_add(i64::from(inner.span)).clamp(0, inner.size as i64);
        let (before, inside) = ((first.saturating_sub(column) as u64).min(row), (last - first) as u64);
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
        let mut start = 0;
        self.each_row(cut, |at| {
            let position = outer.iter().zip(at).try_fold(0u64, |sum, (axis, place)| {
                let place = u64::try_from((*place)?).ok().filter(|place| *place < axis.size)?;
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
        });
        pieces
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
        TensorMap { tensor: 0, format, offset, axes, swizzle, pixels: None, nan: false, unsupported: None }
    }

    fn tile(at: &[i64]) -> Cut {
        Cut { cut: BoxCut::Tile, at: at.to_vec(), offsets: Vec::new() }
    }

    #[test]
    fn a_box_over_the_edge_is_cut() {
        let map = map(&[(6, 1, 4, 1), (3, 8, 2, 1)], Swizzle::None);
        let piece = |at, element, bytes| Piece { at, element, bytes };
        assert_eq!(map.rows(&tile(&[0, 0])), [piece(0, Some(0), 16), piece(16, Some(32), 16)]);
        assert_eq!(map.rows(&tile(&[4, 2])), [piece(0, Some(80), 8), piece(8, None, 8), piece(16, None, 16)]);
        assert_eq!(
            map.rows(&tile(&[-1, -1])),
            [piece(0, None, 16), piece(16, None, 4), piece(20, Some(0), 12)]
        );
        assert_eq!(map.rows(&tile(&[100, 0])), [piece(0, None, 16), piece(16, None, 16)]);
        assert_eq!(map.rows(&tile(&[-100, i64::from(i32::MAX)])), [piece(0, None, 16), piece(16, None, 16)]);
    }

    #[test]
    fn every_other_row_belongs_to_a_box_with_a_traversal_stride_of_two() {
        let map = map(&[(4, 1, 4, 1), (8, 4, 5, 2)], Swizzle::None);
        assert_eq!(map.bytes(BoxCut::Tile), 48);
        let elements: Vec<_> = map.rows(&tile(&[0, 1])).iter().map(|piece| piece.element).collect();
        assert_eq!(elements, [Some(16), Some(48), Some(80)]);
    }
    #[test]
    fn a_gather_has_four_rows_in_any_order() {
        let map = map(&[(8, 1, 4, 1), (5, 8, 1, 1)], Swizzle::None);
        let cut = Cut { cut: BoxCut::Rows, at: vec![2, 3, 0, -1, 3], offsets: Vec::new() };
        assert_eq!(map.misfit(&cut), None);
        assert_eq!(map.bytes(BoxCut::Rows), 64);
        let elements: Vec<_> = map.rows(&cut).iter().map(|piece| piece.element).collect();
        assert_eq!(elements, [Some(104), Some(8), None, Some(104)]);
    }

    #[test]
    fn pixels_go_through_the_window_and_on_into_the_next_image() {
        // Two images of 3 × 4 pixels with 4 channels; a filter of 3 × 3 without padding has a window of 1 × 2.
        let mut map = map(&[(4, 1, 4, 1), (4, 4, 1, 1), (3, 16, 1, 1), (2, 48, 1, 1)], Swizzle::None);
        map.pixels = Some(Pixels { count: 4, window: vec![(0, 1), (0, 0)] });
        let moved = BoxCut::Pixels { moved: true };
        let cut = Cut { cut: moved, at: vec![0, 1, 0, 0], offsets: vec![2, 1] };
        assert_eq!((map.misfit(&cut), map.bytes(moved)), (None, 64));
        let pixel = |image: u64, row: u64, column: u64| Some((image * 48 + row * 16 + column * 4) * 4);
        let elements: Vec<_> = map.rows(&cut).iter().map(|piece| piece.element).collect();
        assert_eq!(elements, [pixel(0, 1, 3), pixel(1, 1, 2), pixel(1, 1, 3), None]);
        // With padding the window begins outside of the image; by strides of 2 it has two pixels a row.
        map.axes[1].step = 2;
        map.axes[2].step = 2;
        map.pixels = Some(Pixels { count: 4, window: vec![(-1, 2), (-1, 1)] });
        let cut = Cut { cut: moved, at: vec![0, -1, -1, 0], offsets: vec![1, 1] };
        let elements: Vec<_> = map.rows(&cut).iter().map(|piece| piece.element).collect();
        assert_eq!(elements, [pixel(0, 0, 0), pixel(0, 0, 2), pixel(0, 2, 0), pixel(0, 2, 2)]);
        let outside = Cut { at: vec![0, 3, 0, 0], ..cut };
        assert!(map.misfit(&outside).is_some());
    }
}
