//! Byte-addressed memory with generic windows.
//!
//! Every region lies at an address of its own with a gap behind it, so an access that leaves its
//! region is noticed. Bytes that nobody has written hold pseudo-random garbage: a result that
//! depends on them differs from run to run.

use crate::program::Dice;

/// State spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Const,
    Param,
}

/// Where shared memory begins in its own space: a driver keeps the first kilobyte to itself.
pub const SHARED_BASE: u64 = 1024;
/// Where local memory begins in its own space.
pub const LOCAL_BASE: u64 = 16;
/// Where the kernel's parameters begin; those of device functions lie `FUNCTION_BASE` further.
pub const PARAM_BASE: u64 = 64;
/// Where the parameters of device functions begin.
pub const FUNCTION_BASE: u64 = 1 << 20;
/// Generic windows.
pub const SHARED_WINDOW: u64 = 0x7f50_0000_0000;
pub const LOCAL_WINDOW: u64 = 0x7f60_0000_0000;
pub const PARAM_WINDOW: u64 = 0x7f70_0000_0000;
const WINDOW: u64 = 1 << 32;

/// The space and own address behind a generic address.
pub fn resolve(address: u64) -> (Space, u64) {
    for (window, space) in
        [(SHARED_WINDOW, Space::Shared), (LOCAL_WINDOW, Space::Local), (PARAM_WINDOW, Space::Param)]
    {
        if (window..window + WINDOW).contains(&address) {
            return (space, address - window);
        }
    }
    (Space::Global, address)
}

/// The generic address of an own address.
pub fn generic(space: Space, own: u64) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW.wrapping_add(own),
        Space::Local => LOCAL_WINDOW.wrapping_add(own),
        Space::Param => PARAM_WINDOW.wrapping_add(own),
        _ => own,
    }
}

/// A run of bytes at an address.
#[derive(Clone, Debug)]
pub struct Region {
    pub base: u64,
    pub bytes: Vec<u8>,
}

impl Region {
    /// Garbage at an address.
    pub fn garbage(base: u64, size: usize, dice: &mut Dice) -> Region {
        Region { base, bytes: (0..size).map(|_| dice.below(256) as u8).collect() }
    }

    fn at(&self, address: u64, count: usize) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.base)?).ok()?;
        (offset.checked_add(count)? <= self.bytes.len()).then_some(offset)
    }

    /// Reads up to eight bytes.
    pub fn read(&self, address: u64, count: usize) -> Option<u64> {
        let at = self.at(address, count)?;
        Some(self.bytes[at..at + count].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// Writes up to eight bytes.
    pub fn write(&mut self, address: u64, count: usize, value: u64) -> Option<()> {
        let at = self.at(address, count)?;
        self.bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
        Some(())
    }
}

/// Global and constant memory.
#[derive(Clone, Debug, Default)]
pub struct Global {
    regions: Vec<Region>,
}

impl Global {
    /// Lays a region behind the others, 256 bytes aligned; gives its address.
    pub fn place(&mut self, bytes: Vec<u8>) -> u64 {
        let base = self.regions.last().map_or(0x7f10_0000_0000, |last| {
            (last.base + last.bytes.len() as u64 + 4096).next_multiple_of(256)
        });
        self.regions.push(Region { base, bytes });
        base
    }

    fn find(&self, address: u64) -> Option<usize> {
        self.regions.partition_point(|region| region.base <= address).checked_sub(1)
    }

    /// Reads up to eight bytes.
    pub fn read(&self, address: u64, count: usize) -> Option<u64> {
        self.regions[self.find(address)?].read(address, count)
    }

    /// The bytes of the region that begins at an address.
    pub fn region(&self, base: u64) -> Option<&[u8]> {
        let region = &self.regions[self.find(base)?];
        (region.base == base).then_some(&region.bytes)
    }

    /// Writes up to eight bytes.
    pub fn write(&mut self, address: u64, count: usize, value: u64) -> Option<()> {
        let at = self.find(address)?;
        self.regions[at].write(address, count, value)
    }
}
