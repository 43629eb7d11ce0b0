//! The lowered kernel: resolved registers, labels and variables, one flat code array.
//!
//! Device functions are inlined at their calls, so there is no call stack; blocks and scopes are
//! gone; every operand is a register. Constants, addresses of variables and special registers
//! that do not change while a CTA runs are registers too, filled before the first instruction,
//! so the simulator fetches every operand the same way.

mod dump;
mod facts;
mod flow;
mod kernel;
mod lower;
mod ordered;
mod rounds;
#[cfg(test)]
mod tests;

pub use dump::dump;
pub use flow::{flood, parents as dominators};
pub use kernel::{
    Claim, ClaimKind, Constant, Field, Guard, Instr, Kernel, Location, Parameter, Reading, Reg, RegisterKind,
    Round, SpecialReg, Variable, WORKSPACE,
};
pub use lower::{Lowered, entries, lower};
