//! The flat numbering of tensor elements that both kernels of a pair share.
//!
//! Tensors of ordinary sizes have their numbers one after the other. Of those that are declared larger
//! than there are numbers, and of those whose size nobody says, elements get theirs when a kernel
//! touches them, a page of neighbours at a time ([`Pages`]). So that the same question has the same
//! numbers, kernels then run one after the other; while they run side by side, pages are closed and
//! give no new numbers.

use crate::base::Format;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Elements that get their numbers together.
const PAGE: u64 = 256;
/// How many numbers there are.
const NUMBERS: u64 = 1 << 31;

/// One tensor (or symbolic scalar: shape `[]`) in the numbering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its name in the spec.
    pub name: String,
    /// Extents, row-major; empty for a scalar.
    pub shape: Vec<u64>,
    /// The format of the values (what domain a witness may pick from).
    pub format: Format,
    /// The first element's number.
    pub first: u32,
    /// Which element of the tensor that is.
    pub start: u64,
    /// How many elements.
    pub count: u32,
}

impl Block {
    /// The flat index in the tensor of a number of this block.
    pub fn index(&self, element: u32) -> u64 {
        self.start + u64::from(element - self.first)
    }
}

/// All symbolic inputs of a question, in ascending order of `first`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Elements {
    blocks: Vec<Block>,
    /// Elements that are required to lie between two integers, both included, ascending.
    bounds: Vec<(u32, [i64; 2])>,
}

impl Elements {
    /// Appends a tensor and returns its first element's number; `None` when the numbering
    /// (2^31 elements) is full.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        shape: Vec<u64>,
        format: Format,
        count: u64,
    ) -> Option<u32> {
        let first = self.blocks.last().map_or(0, |block| block.first + block.count);
        let count = u32::try_from(count).ok()?;
        first.checked_add(count).filter(|end| *end <= 1 << 31)?;
        self.blocks.push(Block { name: name.into(), shape, format, first, start: 0, count });
        Some(first)
    }

    /// Numbers given so far.
    pub fn len(&self) -> u64 {
        self.blocks.last().map_or(0, |block| u64::from(block.first) + u64::from(block.count))
    }

    /// Whether nothing has a number.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Takes over the pages that were numbered by now. `tensor` gives name, shape and format.
    pub fn settle(&mut self, pages: &Pages, tensor: impl Fn(u32) -> (String, Vec<u64>, Format)) {
        let state = pages.state();
        for (at, page) in &state.order {
            let first = state.numbers[&(*at, *page)];
            if u64::from(first) >= self.len() {
                let (name, shape, format) = tensor(*at);
                let (start, count) = (page * PAGE, PAGE as u32);
                self.blocks.push(Block { name, shape, format, first, start, count });
            }
        }
    }

    /// Changes the format of the block that begins with an element.
    pub fn set_format(&mut self, first: u32, format: Format) {
        for block in self.blocks.iter_mut().filter(|block| block.first == first) {
            block.format = format;
        }
    }

    /// Says between which integers elements lie, ascending by element: whatever is asked is asked where they do.
    pub fn set_bounds(&mut self, bounds: &[(u32, [i64; 2])]) {
        self.bounds = bounds.to_vec();
    }

    /// The least and the greatest integer that an element can be; `None` if it is no integer.
    pub fn integers(&self, element: u32) -> Option<[i128; 2]> {
        let [low, high] = self.block_of(element)?.format.integers()?;
        let at = self.bounds.binary_search_by_key(&element, |(element, _)| *element);
        Some(at.map_or([low, high], |at| {
            let [least, greatest] = self.bounds[at].1;
            [low.max(least.into()), high.min(greatest.into())]
        }))
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that holds an element.
    pub fn block_of(&self, element: u32) -> Option<&Block> {
        let at = self.blocks.partition_point(|block| block.first <= element).checked_sub(1)?;
        let block = &self.blocks[at];
        (element - block.first < block.count).then_some(block)
    }

    /// An element's flat index in its tensor; 0 for a number outside every block.
    pub fn index(&self, element: u32) -> u64 {
        self.block_of(element).map_or(0, |block| block.index(element))
    }

    /// `A[3][5]`, or the bare name of a scalar; `e17` for a number outside every block.
    pub fn name(&self, element: u32) -> String {
        match self.block_of(element) {
            Some(block) => {
                format!("{}{}", block.name, index_name(&block.shape, block.index(element)))
            }
            None => format!("e{element}"),
        }
    }
}

/// Numbers that elements get when they are touched. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Pages(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    open: bool,
    next: u64,
    numbers: FxHashMap<(u32, u64), u32>,
    /// Tensors and pages in the order of their numbers.
    order: Vec<(u32, u64)>,
}

impl Pages {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on new numbers are given, from `first` on if they are the first.
    pub fn open(&self, first: u64) {
        let mut state = self.state();
        state.open = true;
        state.next = state.next.max(first);
    }

    /// Whether new numbers are given.
    pub fn is_open(&self) -> bool {
        self.state().open
    }

    /// The number of an element of a tensor; `None` while closed, or when there are no more.
    pub fn number(&self, tensor: u32, element: u64) -> Option<u32> {
        let mut state = self.state();
        let state = &mut *state;
        let page = element / PAGE;
        let first = match state.numbers.get(&(tensor, page)) {
            Some(first) => *first,
            None if !state.open || state.next + PAGE > NUMBERS => return None,
            None => {
                let first = state.next as u32;
                state.next += PAGE;
                state.numbers.insert((tensor, page), first);
                state.order.push((tensor, page));
                first
            }
        };
        Some(first + (element % PAGE) as u32)
    }
}

impl PartialEq for Pages {
    fn eq(&self, other: &Pages) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A flat row-major index in a shape as one along each axis.
pub fn coordinates(index: u64, shape: &[u64]) -> Vec<u64> {
    let mut rest = index;
    let mut found: Vec<u64> = shape
        .iter()
        .rev()
        .map(|extent| {
            let at = rest % extent.max(&1);
            rest /= extent.max(&1);
            at
        })
        .collect();
    found.reverse();
    found
}

/// `[3][5]` for a flat row-major index in a shape; `[i]` when the shape does not cover it.
pub fn index_name(shape: &[u64], flat: u64) -> String {
    if shape.is_empty() {
        return String::new();
    }
    let inner: u64 = shape[1..].iter().product();
    if inner == 0 {
        return format!("[{flat}]");
    }
    let mut rest = flat;
    let mut name = String::new();
    for (axis, _) in shape.iter().enumerate() {
        let stride: u64 = shape[axis + 1..].iter().product();
        name.push_str(&format!("[{}]", rest / stride));
        rest %= stride;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_shape() {
        let mut elements = Elements::default();
        assert_eq!(elements.push("A", vec![2, 3], Format::F32, 6), Some(0));
        assert_eq!(elements.push("alpha", vec![], Format::F32, 1), Some(6));
        assert_eq!(elements.name(5), "A[1][2]");
        assert_eq!(elements.name(6), "alpha");
        assert_eq!(elements.name(7), "e7");
    }

    #[test]
    fn pages_are_numbered_in_the_order_of_their_touch() {
        let mut elements = Elements::default();
        elements.push("A", vec![2, 3], Format::F32, 6);
        let pages = Pages::default();
        assert_eq!(pages.number(0, 1 << 40), None, "closed");
        pages.open(elements.len());
        assert_eq!(pages.number(0, (1 << 40) + 3), Some(9));
        assert_eq!(pages.number(0, 0), Some(6 + 256));
        assert_eq!(pages.number(0, 1 << 40), Some(6));
        for _ in 0..2 {
            elements.settle(&pages, |_| ("B".to_owned(), vec![1 << 21, 1 << 21], Format::F32));
        }
        assert_eq!(elements.blocks().len(), 3);
        assert_eq!(elements.name(9), "B[524288][3]");
        assert_eq!(elements.name(6 + 256), "B[0][0]");
    }
}
