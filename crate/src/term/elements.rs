//! The flat numbering of tensor elements that both kernels of a pair share.

use crate::base::Format;

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
    /// How many elements.
    pub count: u32,
}

/// All symbolic inputs of a question, in ascending order of `first`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Elements {
    blocks: Vec<Block>,
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
        self.blocks.push(Block { name: name.into(), shape, format, first, count });
        Some(first)
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

    /// `A[3][5]`, or the bare name of a scalar; `e17` for a number outside every block.
    pub fn name(&self, element: u32) -> String {
        match self.block_of(element) {
            Some(block) => {
                format!("{}{}", block.name, index_name(&block.shape, u64::from(element - block.first)))
            }
            None => format!("e{element}"),
        }
    }
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
}
