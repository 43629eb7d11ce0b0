//! Instructions of several registers or addresses: matrix fragments, background copies, barrier
//! objects.

use super::instruction::Operands;
use super::operand::{Base, Want};
use super::{Code, Context, Emit, Lowering, Try};
use crate::ir::kernel::Reg;
use crate::isa::{
    self, Answer, BoxCut, Bulk, CopyOp, Effect, Fragment, MapField, MatrixOp, PhaserOp, Shape, Space,
    TensorCopy, WarpgroupOp, WarpgroupProduct,
};
use crate::syntax::ast::{Operand, OperandKind};

impl<'m> Lowering<'m> {
    fn fragment_out(&mut self, operand: &Operand, fragment: Fragment) -> Try<Vec<Reg>> {
        self.destinations(operand, fragment.registers, Want::bits(fragment.register_bits()))
    }

    fn fragment_in(&mut self, context: Context, operand: &Operand, fragment: Fragment) -> Try<Vec<Reg>> {
        self.sources(context, operand, fragment.registers, Want::bits(fragment.register_bits()))
    }

    pub(super) fn matrix(&mut self, context: Context, op: MatrixOp, operands: &Operands<'_>) -> Try<()> {
        let word = Want::bits(32);
        let (mut dst, mut src) = (Vec::new(), Vec::new());
        let (mut op, mut offset) = (op, 0);
        let space = match &mut op {
            MatrixOp::LoadTiles(tiles) | MatrixOp::StoreTiles(tiles) => Some(&mut tiles.space),
            MatrixOp::Load(stored) | MatrixOp::Store(stored) => Some(&mut stored.space),
            MatrixOp::Multiply(_) | MatrixOp::Transpose | MatrixOp::Warpgroup(_) => None,
        };
        if let (Some(space), Some(address)) = (space, operands.address) {
            let place = self.place_of(address)?;
            let (lives, base, at) = self.address(*space, place, address)?;
            *space = lives;
            src.push(base);
            offset = at;
        }
        match op {
            MatrixOp::Multiply(product) => {
                dst = self.fragment_out(operands.out[0], product.d)?;
                for (operand, fragment) in operands.source.iter().zip([product.a, product.b, product.c]) {
                    src.extend(self.fragment_in(context, operand, fragment)?);
                }
                // Metadata and selector of a sparse matrix; scales of blocks and where they are.
                for operand in operands.source.iter().skip(3) {
                    match operand.kind {
                        OperandKind::Vector(_) => {
                            src.extend(self.sources(context, operand, 2, Want::bits(16))?)
                        }
                        _ => src.push(self.source(context, operand, word)?),
                    }
                }
            }
            MatrixOp::Warpgroup(WarpgroupOp::Multiply(product)) => {
                (dst, src) = self.warpgroup_product(context, &product, operands)?;
            }
            MatrixOp::Warpgroup(WarpgroupOp::Wait) => {
                src.push(self.source(context, operands.source[0], word)?);
            }
            MatrixOp::Warpgroup(WarpgroupOp::Fence | WarpgroupOp::Commit) => {}
            MatrixOp::LoadTiles(tiles) => dst = self.destinations(operands.out[0], tiles.count, word)?,
            MatrixOp::StoreTiles(tiles) => {
                src.extend(self.sources(context, operands.source[0], tiles.count, word)?);
            }
            MatrixOp::Transpose => {
                dst.push(self.destination(operands.out[0], word)?);
                src.push(self.source(context, operands.source[0], word)?);
            }
            MatrixOp::Load(stored) => {
                dst = self.fragment_out(operands.out[0], stored.fragment)?;
                if let Some(stride) = operands.source.first() {
                    src.push(self.source(context, stride, word)?);
                }
            }
            MatrixOp::Store(stored) => {
                src.extend(self.fragment_in(context, operands.source[0], stored.fragment)?);
                if let Some(stride) = operands.source.get(1) {
                    src.push(self.source(context, stride, word)?);
                }
            }
        }
        self.emit(context, Emit { effect: Effect::Matrix(op), dst: &dst, src: &src, offset, target: 0 });
        Ok(())
    }

    /// Registers of D, and the sources as [`WarpgroupOp::Multiply`] lists them.
    fn warpgroup_product(
        &mut self,
        context: Context,
        op: &WarpgroupProduct,
        operands: &Operands<'_>,
    ) -> Try<(Vec<Reg>, Vec<Reg>)> {
        let (word, product) = (Want::bits(32), &op.product);
        let dst = self.fragment_out(operands.out[0], product.d)?;
        let mut src = self.fragment_in(context, operands.out[0], product.c)?;
        match op.shared {
            true => src.push(self.source(context, operands.source[0], Want::bits(64))?),
            false => src.extend(self.fragment_in(context, operands.source[0], product.a)?),
        }
        src.push(self.source(context, operands.source[1], Want::bits(64))?);
        let sparse = if product.sparsity.is_some() { 2 } else { 0 };
        src.push(self.source(context, operands.source[2 + sparse], Want::bits(1))?);
        let mut rest = operands.source[3 + sparse..].to_vec();
        if rest.len() == 3 {
            rest.insert(2, rest[2]); // A in registers does not lie anywhere
        }
        for at in 0..4 {
            src.push(match rest.get(at) {
                Some(operand) => self.source(context, operand, word)?,
                None => self.registers.bits(u64::from(at < 2)),
            });
        }
        for operand in &operands.source[2..2 + sparse] {
            src.push(self.source(context, operand, word)?);
        }
        Ok((dst, src))
    }

    pub(super) fn copy(&mut self, context: Context, mut op: CopyOp, operands: &Operands<'_>) -> Try<()> {
        let (mut src, mut offset, bulk) = (Vec::new(), 0, op.bulk());
        match &mut op {
            CopyOp::Start => {
                let (Some(to), Some(from)) = (operands.address, operands.from) else { return Ok(()) };
                offset = self.first_address(Space::Shared, to, &mut src)?;
                self.next_address(context, Space::Global, from, &mut src)?;
                let hinted = self.opcodes[context.opcode as usize].contains("cache_hint");
                let count = operands.source.len() - usize::from(hinted);
                for operand in &operands.source[..count.min(2)] {
                    // The fourth operand is a size, or a predicate that says to ignore the source.
                    let want = if self.is_predicate(operand) { Want::bits(1) } else { Want::bits(32) };
                    src.push(self.source(context, operand, want)?);
                }
            }
            CopyOp::Tensor(copy) => offset = self.tensor_copy(context, *copy, operands, &mut src)?,
            CopyOp::Bulk(_) | CopyOp::Update(..) => {
                let (Some(to), Some(from)) = (operands.address, operands.from) else { return Ok(()) };
                let (into, outof) = match bulk {
                    Some(Bulk::ToShared) => (Space::Shared, Space::Global),
                    Some(Bulk::Across) => (Space::Shared, Space::Shared),
                    _ => (Space::Global, Space::Shared),
                };
                offset = self.first_address(into, to, &mut src)?;
                self.next_address(context, outof, from, &mut src)?;
                src.push(self.source(context, operands.source[0], Want::bits(32))?);
                if let Some(counter) = operands.counter {
                    self.next_address(context, Space::Shared, counter, &mut src)?;
                }
                if self.opcodes[context.opcode as usize].contains("multicast") {
                    src.push(self.source(context, operands.source[1], Want::bits(16))?);
                }
            }
            CopyOp::Send { format, vector, .. } => {
                let (Some(to), Some(counter)) = (operands.address, operands.from) else { return Ok(()) };
                offset = self.first_address(Space::Shared, to, &mut src)?;
                self.next_address(context, Space::Shared, counter, &mut src)?;
                src.extend(self.sources(context, operands.source[0], *vector, Want::format(*format))?);
            }
            CopyOp::WaitGroups | CopyOp::WaitBulk { .. } => {
                src.push(self.source(context, operands.source[0], Want::bits(32))?)
            }
            CopyOp::Arrive { .. } => {
                let Some(address) = operands.address else { return Ok(()) };
                offset = self.first_address(Space::Shared, address, &mut src)?;
            }
            CopyOp::Prefetch => {
                let Some(address) = operands.address else { return Ok(()) };
                offset = self.first_address(Space::Global, address, &mut src)?;
                src.push(self.source(context, operands.source[0], Want::bits(32))?);
            }
            CopyOp::Replace(field, space) => {
                let Some(address) = operands.address else { return Ok(()) };
                let place = self.place_of(address)?;
                let (lives, base, at) = self.address(*space, place, address)?;
                *space = lives;
                src.push(base);
                offset = at;
                let (last, list) = (operands.source.len() - 1, field.is_list());
                if list {
                    src.push(self.source(context, operands.source[0], Want::bits(32))?);
                }
                let wide = matches!(field, MapField::Address | MapField::Stride);
                let want = Want::bits(if wide { 64 } else { 32 });
                src.push(self.source(context, operands.source[last], want)?);
            }
            CopyOp::TakeOver { .. } => {
                let (Some(to), Some(counter)) = (operands.address, operands.from) else { return Ok(()) };
                offset = self.first_address(Space::Shared, to, &mut src)?;
                self.next_address(context, Space::Shared, counter, &mut src)?;
            }
            CopyOp::Clear(space) => {
                let Some(address) = operands.address else { return Ok(()) };
                let place = self.place_of(address)?;
                let (lives, base, at) = self.address(*space, place, address)?;
                *space = lives;
                src.push(base);
                offset = at;
                for operand in &operands.source {
                    src.push(self.source(context, operand, Want::bits(64))?);
                }
            }
            CopyOp::Publish => {
                let (Some(to), Some(from)) = (operands.address, operands.from) else { return Ok(()) };
                offset = self.first_address(Space::Global, to, &mut src)?;
                self.next_address(context, Space::Shared, from, &mut src)?;
                src.push(self.source(context, operands.source[0], Want::bits(32))?);
            }
            CopyOp::AcquireMap => {
                let Some(address) = operands.address else { return Ok(()) };
                offset = self.first_address(Space::Generic, address, &mut src)?;
                src.push(self.source(context, operands.source[0], Want::bits(32))?);
            }
            CopyOp::Commit
            | CopyOp::WaitAll
            | CopyOp::CommitBulk
            | CopyOp::Fence { .. }
            | CopyOp::HalfFence => {}
        }
        self.emit(context, Emit { effect: Effect::Copy(op), dst: &[], src: &src, offset, target: 0 });
        Ok(())
    }

    /// The address that an instruction begins with goes to its sources; gives what is added to it.
    fn first_address(&mut self, space: Space, operand: &Operand, src: &mut Vec<Reg>) -> Try<i64> {
        let place = self.place_of(operand)?;
        let (_, base, at) = self.address(space, place, operand)?;
        src.push(base);
        Ok(at)
    }

    /// A further address goes to the sources, as a whole.
    fn next_address(
        &mut self,
        context: Context,
        space: Space,
        operand: &Operand,
        src: &mut Vec<Reg>,
    ) -> Try<()> {
        let place = self.place_of(operand)?;
        let (_, base, at) = self.address(space, place, operand)?;
        src.push(self.shifted(context, base, at));
        Ok(())
    }

    /// What is read from the response to a request to take over a cluster.
    pub(super) fn response(&mut self, context: Context, answer: Answer, operands: &Operands<'_>) -> Try<()> {
        let (bits, count) = match answer {
            Answer::Taken => (1, 1),
            Answer::Axis(_) => (32, 1),
            Answer::First => (32, 4),
        };
        let dst = self.destinations(operands.out[0], count, Want::bits(bits))?;
        let src = self.sources(context, operands.source[0], 2, Want::bits(64))?;
        self.plain(context, Effect::Response(answer), &dst, &src);
        Ok(())
    }

    /// The sources of a tensor copy; gives what is added to the first.
    fn tensor_copy(
        &mut self,
        context: Context,
        copy: TensorCopy,
        operands: &Operands<'_>,
        src: &mut Vec<Reg>,
    ) -> Try<i64> {
        let Some(map) = operands.map else { return Ok(0) };
        let OperandKind::Coordinates(coordinates) = &map.kind else { return Ok(0) };
        let mut offset = 0;
        if let Some(address) = operands.address {
            offset = self.first_address(Space::Shared, address, src)?;
        }
        // A tensor map lies in parameters, in constant or in global memory: its address is a generic one.
        let name = Operand { span: map.span, kind: OperandKind::Address(coordinates.address) };
        let place = self.place_of(&name)?;
        let (space, base, at) = self.address(Space::Generic, place, &name)?;
        let base = match (space, place.base) {
            (Space::Param | Space::Local, Base::Parameter(_) | Base::Argument(_)) => {
                let generic = self.registers.fresh(64, "");
                self.plain(context, Effect::ToGeneric(space), &[generic], &[base]);
                generic
            }
            _ => base,
        };
        src.push(self.shifted(context, base, at));
        let parts: Vec<&Operand> = coordinates
            .rest
            .iter()
            .flat_map(|operand| match &operand.kind {
                OperandKind::Vector(parts) => parts.iter().collect(),
                _ => vec![operand],
            })
            .collect();
        if parts.len() != copy.coordinates() {
            let message = match copy.cut {
                BoxCut::Rows => format!(
                    "a gather or scatter has {} coordinates, the column and four rows, not {}",
                    copy.coordinates(),
                    parts.len()
                ),
                _ => format!(
                    "a tensor copy of {} dimensions has as many coordinates, not {}",
                    copy.rank,
                    parts.len()
                ),
            };
            return Err(self.error_at(Code::V002, map.span, message));
        }
        for part in parts {
            src.push(self.source(context, part, Want::bits(32))?);
        }
        let mut further = operands.source.iter();
        if copy.offsets() > 0 {
            let Some(offsets) = further.next() else { return Ok(offset) };
            let parts = match &offsets.kind {
                OperandKind::Vector(parts) => &parts[..],
                _ => std::slice::from_ref(*offsets),
            };
            if parts.len() != copy.offsets() {
                let message = format!(
                    "a copy of pixels of {} dimensions has {} offsets, not {}",
                    copy.rank,
                    copy.offsets(),
                    parts.len()
                );
                return Err(self.error_at(Code::V002, offsets.span, message));
            }
            for part in parts {
                src.push(self.source(context, part, Want::bits(16))?);
            }
        }
        if let Some(counter) = operands.from {
            self.next_address(context, Space::Shared, counter, src)?;
        }
        if self.opcodes[context.opcode as usize].contains("multicast")
            && let Some(ctas) = further.next()
        {
            src.push(self.source(context, ctas, Want::bits(16))?);
        }
        Ok(offset)
    }

    pub(super) fn phaser(&mut self, context: Context, op: PhaserOp, operands: &Operands<'_>) -> Try<()> {
        let (mut dst, mut src, mut offset) = (Vec::new(), Vec::new(), 0);
        if let Some(address) = operands.address {
            let place = self.place_of(address)?;
            // Without a state space the address is generic, and a shared one all the same.
            let (_, base, at) = self.address(Space::Shared, place, address)?;
            src.push(base);
            offset = at;
        }
        let wide = matches!(op, PhaserOp::Test { parity: false, .. } | PhaserOp::Pending);
        if let Some(operand) = operands.source.first() {
            src.push(self.source(context, operand, Want::bits(if wide { 64 } else { 32 }))?);
        }
        if let Some(out) = operands.out.first().filter(|out| !matches!(out.kind, OperandKind::Sink)) {
            let bits = match op {
                PhaserOp::Arrive { .. } => 64,
                PhaserOp::Test { .. } => 1,
                PhaserOp::Init
                | PhaserOp::Invalidate
                | PhaserOp::Expect
                | PhaserOp::Complete
                | PhaserOp::Pending => 32,
            };
            dst.push(self.destination(out, Want::bits(bits))?);
        }
        self.emit(context, Emit { effect: Effect::Phaser(op), dst: &dst, src: &src, offset, target: 0 });
        Ok(())
    }

    /// A register that holds an address moved by some bytes.
    fn shifted(&mut self, context: Context, base: Reg, offset: i64) -> Reg {
        if offset == 0 {
            return base;
        }
        let shapes = [Shape::Scalar; 3];
        let Ok(isa::Resolved { action: isa::Action::Effect(add), .. }) = isa::find("add", &["s64"], &shapes)
        else {
            return base;
        };
        let moved = self.registers.fresh(64, "");
        let by = self.registers.bits(offset as u64);
        self.plain(context, add, &[moved], &[base, by]);
        moved
    }

    fn is_predicate(&mut self, operand: &Operand) -> bool {
        let OperandKind::Name(name) = &operand.kind else { return false };
        matches!(self.bound(*name), Some(super::scope::Binding::Register { bits: 1, .. }))
    }
}
