//! What went wrong in the engine itself, left where a watcher can read it.
//!
//! A panic aborts only the thread it happens in, and rayon's other threads then wait for it for
//! ever; nobody can be called any more. So the panic hook stores its message in static memory,
//! which the page polls. A failed allocation aborts without passing the hook; the allocator
//! notes it. Both are also printed to the console.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const CAPACITY: usize = 4096;

/// Bytes of the message; 0 as long as nothing panicked.
pub(super) static PANIC_LENGTH: AtomicU32 = AtomicU32::new(0);
/// The message, UTF-8.
pub(super) static PANIC_TEXT: [AtomicU8; CAPACITY] = [const { AtomicU8::new(0) }; CAPACITY];
/// 1 once an allocation has failed.
pub(super) static OUT_OF_MEMORY: AtomicU32 = AtomicU32::new(0);

/// From now on panics leave their message behind.
pub(super) fn install() {
    std::panic::set_hook(Box::new(|info| {
        record(&info.to_string());
        console_error_panic_hook::hook(info);
    }));
}

/// Keeps the first message: later panics follow from it.
fn record(message: &str) {
    if PANIC_LENGTH.load(Ordering::Acquire) != 0 {
        return;
    }
    let end = (0..=message.len().min(CAPACITY)).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    for (cell, byte) in PANIC_TEXT.iter().zip(&message.as_bytes()[..end]) {
        cell.store(*byte, Ordering::Relaxed);
    }
    PANIC_LENGTH.store(end.max(1) as u32, Ordering::Release);
}

pub(super) fn panic_message() -> String {
    let length = PANIC_LENGTH.load(Ordering::Acquire) as usize;
    let bytes: Vec<u8> = PANIC_TEXT[..length].iter().map(|cell| cell.load(Ordering::Relaxed)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn out_of_memory() -> bool {
    OUT_OF_MEMORY.load(Ordering::Relaxed) != 0
}

/// The system's allocator, noting failures.
struct Noting;

#[cfg_attr(target_arch = "wasm32", global_allocator)]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
static ALLOCATOR: Noting = Noting;

fn note(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        OUT_OF_MEMORY.store(1, Ordering::Relaxed);
    }
    pointer
}

// SAFETY: every call is passed on unchanged to `System`, which upholds the contract.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}
