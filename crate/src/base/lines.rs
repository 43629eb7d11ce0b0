//! Byte offsets to lines and columns.

/// A place a person can find: both numbers count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Line starts of one text, for `O(log n)` look-up.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes `text`; a line ends at `\n`.
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        LineIndex { starts }
    }

    /// The line (from 1) that holds the byte `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of a byte offset of the same text.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let before = text.get(start..(offset as usize).min(text.len())).unwrap_or("");
        Position { line, column: before.chars().count() as u32 + 1 }
    }

    /// The column of a byte offset in UTF-16 code units, from 1: what browsers' editors count.
    pub fn utf16_column(&self, text: &str, offset: u32) -> u32 {
        let start = self.starts[self.line(offset) as usize - 1] as usize;
        let before = text.get(start..(offset as usize).min(text.len())).unwrap_or("");
        before.encode_utf16().count() as u32 + 1
    }

    /// The text of a line (from 1) without its end; empty when there is none.
    pub fn text<'t>(&self, text: &'t str, line: u32) -> &'t str {
        let Some(start) = self.starts.get((line as usize).wrapping_sub(1)) else { return "" };
        let end = self.starts.get(line as usize).map_or(text.len(), |next| *next as usize);
        text.get(*start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// How many lines there are.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_utf16_units() {
        let text = "a\r\n// 𝛼é x\n";
        let lines = LineIndex::new(text);
        let x = text.find('x').unwrap_or(0) as u32;
        assert_eq!(lines.position(text, x), Position { line: 2, column: 7 });
        assert_eq!(lines.utf16_column(text, x), 8);
        assert_eq!(lines.position(text, text.len() as u32), Position { line: 3, column: 1 });
        assert_eq!(lines.text(text, 1), "a");
        assert_eq!(lines.text(text, 4), "");
        assert_eq!(lines.count(), 3);
    }
}
