//! A concrete PTX machine: plain, slow, and independent of the tool's simulator.
//!
//! It runs a kernel thread by thread, one instruction at a time, in an order that a seed picks, on
//! real bits. Nothing is symbolic and nothing is vectorised. It shares the parsed syntax tree with
//! the tool and nothing else: no lowering, no instruction table, no arithmetic, no memory. What it
//! computes is therefore evidence about `ir`, `isa` and `sim` together.
//!
//! Guarantees: every schedule it follows is legal (threads of a warp are independent; a collective
//! happens when all its members have come; an asynchronous copy happens at some moment between its
//! start and the wait that covers it); float arithmetic is IEEE's, bit by bit, except that
//! approximate instructions give their function's nearest value; bytes and registers that nobody
//! wrote hold garbage that differs from run to run; `activemask`, whose result the manual leaves to the
//! hardware, waits for all lanes that are left.
//! Misses: it finds no races by itself; weak memory is not modelled (a store is visible at once);
//! proxies are one, and a bulk copy happens at one moment;
//! levels of detail and cubes of textures, cluster launch control, sparse products, pairs of CTAs and scales of blocks in tensor memory, and the quad pairs of `m8n8k4` are
//! refused by name.
//!
//! Source: PTX ISA 9.0.

mod cluster;
pub mod float;
pub mod integer;
mod matrix;
pub mod memory;
pub mod op;
pub mod program;
mod run;
pub mod soft;
mod step;
pub mod tensor;
mod tensor_memory;
pub mod texture;
pub mod video;
mod warp;
mod warpgroup;

pub use run::{MOST_SHARED, Machine, Stop};
