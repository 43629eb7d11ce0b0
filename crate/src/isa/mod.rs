//! THE instruction table: every instruction is one row, read by the lowering, the simulator, the
//! coverage table and the page's hover help.
//!
//! A row says how an instruction is written, what kind of [`Effect`] it has, what it computes on
//! bits and over the reals, and where the manual defines it. Adding an arithmetic instruction is
//! adding a row.

mod bits;
mod effect;
mod form;
mod fragment;
mod half;
mod lanes;
mod real;
mod rows;
mod soft;
pub mod sparsity;
pub mod swizzle;
mod table;
pub mod tensor_memory;
mod video;
mod word;

pub use effect::{
    Access, Answer, AtomicOp, BarrierOp, BoxCut, Bulk, ClusterOp, CopyOp, Effect, Fetch, Forbidden, GATHERED,
    Geometry, Inquiry, LaneFn, Lanes, Lanewise, Level, MapField, MatchMode, MatrixOp, Meaning, Order,
    Outside, Pairing, Pattern, PhaserOp, Pick, Product, ReduceOp, Scales, Scope, ShuffleMode, Space,
    Sparsity, Stored, Strength, SurfacePlace, TensorCopy, TensorWay, Tiles, ViewKind, VoteMode, WARP,
    WarpgroupOp, WarpgroupProduct,
};
pub use form::{Choice, Form, Slot, SlotKind};
pub use fragment::{Fragment, Layout, Part, multiply, scale_value};
pub use rows::copies::reduces;
pub use rows::extern_math::{known_function, known_function_names};
pub use swizzle::Swizzle;
pub use table::{
    Action, Arg, Coverage, Problem, Resolved, Row, Shape, StackOp, Step, Support, SurfaceAccess, ViewOp,
    assign, coverage, find, row, row_for, rows,
};
pub use tensor_memory::TensorMemoryOp;
pub use video::{Second, Video, VideoOp};
