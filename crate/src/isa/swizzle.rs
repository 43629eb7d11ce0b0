//! Swizzles of shared memory (PTX ISA 9.0, 5.5.7).
//!
//! Chunks of 16 bytes (32 or 64 with that atomicity) change places within lines: bits of a chunk's number are flipped
//! by bits of the number of its 128 bytes. The manual draws this for data that begins where the pattern does
//! (every 256, 512 or 1,024 bytes); the CUDA programming guide (tensor memory access, shared memory bank swizzling)
//! says that the 128 bytes are counted from address 0 of shared memory, wherever the data begins, and so it is here.
//!
//! Misses: the mode that also flips halves of chunks in every other line, of which the sources do not say which.

/// How chunks of lines are exchanged in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// 16-byte chunks of 32 bytes.
    B32,
    /// 16-byte chunks of 64 bytes.
    B64,
    /// 16-byte chunks of 128 bytes.
    B128,
    /// 32-byte chunks of 128 bytes.
    B128Atom32,
    /// 64-byte chunks of 128 bytes.
    B128Atom64,
}

impl Swizzle {
    /// The modes with their names in spec files.
    pub const NAMES: &[(&str, Swizzle)] = &[
        ("none", Swizzle::None),
        ("32B", Swizzle::B32),
        ("64B", Swizzle::B64),
        ("128B", Swizzle::B128),
        ("128B atom 32B", Swizzle::B128Atom32),
        ("128B atom 64B", Swizzle::B128Atom64),
    ];

    /// Bytes of a chunk.
    pub fn chunk(self) -> u64 {
        1 << self.pattern().0
    }

    /// Its name in spec files.
    pub fn name(self) -> &'static str {
        Swizzle::NAMES.iter().find(|(_, swizzle)| *swizzle == self).map_or("none", |(name, _)| name)
    }

    /// log₂ of a chunk's bytes, and how many bits of its number are flipped by those of its line's.
    fn pattern(self) -> (u32, u32) {
        match self {
            Swizzle::None => (4, 0),
            Swizzle::B32 => (4, 1),
            Swizzle::B64 => (4, 2),
            Swizzle::B128 => (4, 3),
            Swizzle::B128Atom32 => (5, 2),
            Swizzle::B128Atom64 => (6, 1),
        }
    }

    /// Bytes within which chunks are exchanged, if they are.
    pub fn width(self) -> Option<u32> {
        let (chunk, bits) = self.pattern();
        (bits > 0).then_some(1 << (chunk + bits))
    }

    /// Bytes of shared memory after which the pattern begins again; a box begins at a multiple of 128 anyhow.
    pub fn period(self) -> u32 {
        128 << self.pattern().1
    }

    /// Where the byte of a box goes that would lie at an address of shared memory.
    pub fn place(self, address: u64) -> u64 {
        let (chunk, bits) = self.pattern();
        address ^ (address >> 7 & ((1 << bits) - 1)) << chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chunks of the first lines of a pattern, as the manual's figures number them.
    fn figure(swizzle: Swizzle, lines: u64) -> Vec<Vec<u64>> {
        let mut figure = vec![vec![0; 8]; lines as usize];
        for address in (0..lines * 128).step_by(16) {
            let place = swizzle.place(address);
            figure[(place / 128) as usize][(place % 128 / 16) as usize] = address / 16 % 8;
        }
        figure
    }

    #[test]
    fn swizzling_is_as_the_manual_draws_it() {
        assert_eq!(figure(Swizzle::B32, 2), [[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]);
        let b64 = figure(Swizzle::B64, 4);
        assert_eq!(b64[1..3], [[1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5]]);
        assert_eq!(b64[3], [3, 2, 1, 0, 7, 6, 5, 4]);
        let b128 = figure(Swizzle::B128, 8);
        assert_eq!(b128[1..3], [[1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5]]);
        assert_eq!(b128[3..5], [[3, 2, 1, 0, 7, 6, 5, 4], [4, 5, 6, 7, 0, 1, 2, 3]]);
        assert_eq!(b128[5..7], [[5, 4, 7, 6, 1, 0, 3, 2], [6, 7, 4, 5, 2, 3, 0, 1]]);
        assert_eq!(b128[7], [7, 6, 5, 4, 3, 2, 1, 0]);
        let atom32 = figure(Swizzle::B128Atom32, 4);
        assert_eq!(atom32[1..3], [[2, 3, 0, 1, 6, 7, 4, 5], [4, 5, 6, 7, 0, 1, 2, 3]]);
        assert_eq!(figure(Swizzle::B128Atom64, 2)[1], [4, 5, 6, 7, 0, 1, 2, 3]);
        for (_, swizzle) in Swizzle::NAMES {
            let period = u64::from(swizzle.period());
            assert!((0..4096).all(|at| swizzle.place(at + period) == swizzle.place(at) + period));
        }
    }
}
