//! THE instruction table: every instruction is one row, read by the lowering, the simulator, the
//! coverage table and the page's hover help.
//!
//! A row says how an instruction is written, what kind of [`Effect`] it has, what it computes on
//! bits and over the reals, and where the manual defines it. Adding an arithmetic instruction is
//! adding a row.

mod effect;

pub use effect::{
    Access, AtomicOp, BarrierOp, Effect, Forbidden, LaneFn, Lanes, Lanewise, MatchMode, Meaning, ReduceOp,
    ShuffleMode, Space, VoteMode, WARP,
};
