//! Copies from shared into tensor memory, which one thread starts (`tcgen05.cp`; PTX ISA 9.0, 9.7.16.9.2).
//!
//! A matrix descriptor says where the rows lie, as one of a product says it of a K-major matrix: lines of 16 bytes, of
//! which a row has one or two. Each row goes to a lane, or to one of several warps' lanes, four columns for a line
//! ([`TensorImage`](crate::isa::tensor_memory::TensorImage)). Like a product a copy is made when it starts, reads shared
//! memory through the asynchronous proxy, and runs until a commit that covers it has been waited for; a product that its
//! thread starts afterwards comes after it (`order`).
//!
//! Misses: floats of four and six bits that become bytes on the way, which have no row in the table. Addresses between
//! multiples of four columns, and lanes that are not those of the first warp, are unsupported.

use super::Running;
use super::order::{Kind, Spot};
use crate::base::Format;
use crate::isa::tensor_memory::{LANES, Spread, TensorImage};
use crate::isa::{Fragment, Part, WARP};
use crate::sim::copies::Flight;
use crate::sim::machine::Machine;
use crate::sim::outcome::AccessKind;
use crate::sim::trace::EventKind;

impl Machine<'_> {
    /// A thread starts a copy.
    pub(super) fn copy_to_tensor_memory(&mut self, index: usize, pc: u32, lane: u32, image: TensorImage) {
        self.started_copy((index, pc, lane), image);
    }

    fn started_copy(&mut self, by: (usize, u32, u32), image: TensorImage) -> Option<()> {
        let (index, pc, lane) = by;
        let kernel = self.kernel;
        let [address, descriptor] = *kernel.src(&kernel.code[pc as usize]) else { return None };
        let address = self.operand(by, address, "an operand of the copy")? as u32;
        let descriptor = self.operand(by, descriptor, "an operand of the copy")?;
        let (first, column) = (address >> 16, address & 0xffff);
        let last = if image.spread == Spread::Corners { WARP as u32 - 1 } else { 0 };
        if first > last || column % 4 != 0 {
            let why =
                format!("a copy to lane {first}, column {column} of tensor memory, where it cannot begin");
            self.unsupported(by, why);
            return None;
        }
        let operation = self.start_operation(index, pc, 1 << lane, Kind::Copy);
        let mut reads = Vec::new();
        if image.pair {
            for odd in [false, true] {
                let own = |machine: &mut Self| {
                    machine.image(by, operation, image, (address, descriptor), &mut reads)
                };
                self.in_pair(by, odd, own)?;
            }
        } else {
            self.image(by, operation, image, (address, descriptor), &mut reads)?;
        }
        self.runs_until_committed(by, Running { operation, reads });
        self.trace.event(index as u32, self.warps[index].step, 1 << lane, pc, EventKind::Copy);
        Some(())
    }

    /// What a copy does in one CTA.
    fn image(
        &mut self,
        by: (usize, u32, u32),
        operation: u32,
        image: TensorImage,
        (address, descriptor): (u32, u64),
        reads: &mut Vec<Flight>,
    ) -> Option<()> {
        let (index, _, lane) = by;
        let (first, column) = (address >> 16, address & 0xffff);
        let columns = column..column + u32::from(image.columns);
        if !self.columns_are_taken(index, operation, 1 << lane, columns.clone(), first) {
            return None;
        }
        let shape = (u16::from(image.rows), 8, u16::from(image.columns));
        let words = Fragment::mma(Part::A, shape, Format::B32);
        let matrix = self.in_shared_memory(by, descriptor, words, false, reads)?;
        let mut spots: Vec<(Spot, usize)> = Vec::new();
        for row in 0..u32::from(image.rows) {
            for lane in image.lanes(row).map(|lane| first + lane) {
                debug_assert!(lane < LANES);
                let places = columns.clone().zip(row as usize * columns.len()..);
                spots.extend(places.map(|(column, at)| ((lane, column), at)));
            }
        }
        self.touch_tensor(index, operation, spots.iter().map(|(spot, _)| *spot), AccessKind::Write);
        for (spot, at) in spots {
            self.set_cell(index, spot, matrix.values()[at]);
        }
        Some(())
    }
}
