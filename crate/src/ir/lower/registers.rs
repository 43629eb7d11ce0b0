//! Registers of the kernel being lowered: only those that occur get an id.

use crate::ir::{Constant, Reg, RegisterKind, SpecialReg};
use rustc_hash::FxHashMap;

/// All registers so far.
#[derive(Default)]
pub(super) struct Registers {
    pub(super) kinds: Vec<RegisterKind>,
    pub(super) names: Vec<String>,
    constants: FxHashMap<Constant, Reg>,
    specials: FxHashMap<(SpecialReg, String), Reg>,
    sink: Option<Reg>,
    carry: Option<Reg>,
}

impl Registers {
    fn push(&mut self, kind: RegisterKind, name: String) -> Reg {
        let reg = Reg(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.names.push(name);
        reg
    }

    /// A new register of `bits` bits.
    pub(super) fn fresh(&mut self, bits: u32, name: &str) -> Reg {
        self.push(RegisterKind::Virtual { bits }, name.to_owned())
    }

    /// The register that holds a constant.
    pub(super) fn constant(&mut self, constant: Constant) -> Reg {
        if let Some(reg) = self.constants.get(&constant) {
            return *reg;
        }
        let reg = self.push(RegisterKind::Constant(constant.clone()), String::new());
        self.constants.insert(constant, reg);
        reg
    }

    /// The register that holds these bits.
    pub(super) fn bits(&mut self, bits: u64) -> Reg {
        self.constant(Constant::Bits(bits))
    }

    /// The register that holds a special register.
    pub(super) fn special(&mut self, special: SpecialReg, name: &str) -> Reg {
        let key = (special, name.to_owned());
        if let Some(reg) = self.specials.get(&key) {
            return *reg;
        }
        let reg = self.push(RegisterKind::Special(special), name.to_owned());
        self.specials.insert(key, reg);
        reg
    }

    /// The register that is written and never read.
    pub(super) fn sink(&mut self) -> Reg {
        if let Some(reg) = self.sink {
            return reg;
        }
        let reg = self.push(RegisterKind::Sink, "_".to_owned());
        self.sink = Some(reg);
        reg
    }

    /// The condition-code register of carry chains.
    pub(super) fn carry(&mut self) -> Reg {
        if let Some(reg) = self.carry {
            return reg;
        }
        let reg = self.fresh(32, "%cc");
        self.carry = Some(reg);
        reg
    }

    /// Bits of a register that can be read or written; `None` for constants and the sink.
    pub(super) fn width(&self, reg: Reg) -> Option<u32> {
        match self.kinds[reg.index()] {
            RegisterKind::Virtual { bits } => Some(bits),
            _ => None,
        }
    }
}

/// What a predefined name stands for.
pub(super) enum Predefined {
    /// A register fixed while the CTA runs.
    Special(SpecialReg),
    /// Half of the address of the memory that a cooperative launch gets: the upper one.
    Workspace(bool),
    /// A value that nobody knows before the run, and that may be another one at each read; its bits.
    Unknowable(u32),
}

/// The special register with that name (and component), manual chapter 10.
pub(super) fn predefined(name: &str, component: Option<&str>) -> Option<Predefined> {
    let axis = match component {
        Some("x") => Some(0),
        Some("y") => Some(1),
        Some("z") => Some(2),
        _ => None,
    };
    let special = match (name, axis, component) {
        ("%tid", Some(axis), _) => SpecialReg::Tid(axis),
        ("%ntid", Some(axis), _) => SpecialReg::Ntid(axis),
        ("%ctaid", Some(axis), _) => SpecialReg::Ctaid(axis),
        ("%clusterid", Some(axis), _) => SpecialReg::ClusterId(axis),
        ("%nctaid", Some(axis), _) => SpecialReg::Nctaid(axis),
        ("%nclusterid", Some(axis), _) => SpecialReg::Nclusterid(axis),
        ("%cluster_ctaid", Some(axis), _) => SpecialReg::ClusterCtaid(axis),
        ("%cluster_nctaid", Some(axis), _) => SpecialReg::ClusterNctaid(axis),
        (_, None, Some(_)) | (_, Some(_), _) => return None,
        ("%laneid", ..) => SpecialReg::LaneId,
        ("%lanemask_eq", ..) => SpecialReg::LaneMaskEq,
        ("%lanemask_le", ..) => SpecialReg::LaneMaskLe,
        ("%lanemask_lt", ..) => SpecialReg::LaneMaskLt,
        ("%lanemask_ge", ..) => SpecialReg::LaneMaskGe,
        ("%lanemask_gt", ..) => SpecialReg::LaneMaskGt,
        ("%dynamic_smem_size", ..) => SpecialReg::DynamicSharedSize,
        ("%is_explicit_cluster", ..) => SpecialReg::IsExplicitCluster,
        ("%cluster_ctarank", ..) => SpecialReg::ClusterCtarank,
        ("%cluster_nctarank", ..) => SpecialReg::ClusterNctarank,
        ("%clock" | "%clock_hi" | "%globaltimer_lo" | "%globaltimer_hi", ..) => {
            return Some(Predefined::Unknowable(32));
        }
        // Sizes come in units of the device's, which need not be that of the PTX's target.
        ("%total_smem_size" | "%aggr_smem_size", ..) => return Some(Predefined::Unknowable(32)),
        // A warp's number in the multiprocessor is none in its block, and may change while it runs.
        ("%smid" | "%nsmid" | "%warpid" | "%nwarpid", ..) => return Some(Predefined::Unknowable(32)),
        ("%clock64" | "%globaltimer" | "%gridid" | "%current_graph_exec", ..) => {
            return Some(Predefined::Unknowable(64));
        }
        (name, ..) if name.starts_with("%pm") && name.ends_with("_64") => {
            return Some(Predefined::Unknowable(64));
        }
        // What `cooperative_groups::this_grid()` reads.
        ("%envreg1", ..) => return Some(Predefined::Workspace(true)),
        ("%envreg2", ..) => return Some(Predefined::Workspace(false)),
        (name, ..) if ["%envreg", "%pm", "%reserved_smem_offset_"].iter().any(|p| name.starts_with(p)) => {
            return Some(Predefined::Unknowable(32));
        }
        _ => return None,
    };
    Some(Predefined::Special(special))
}
