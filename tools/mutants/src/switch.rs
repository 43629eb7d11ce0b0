//! Which of the planted mutants lives.
//!
//! `WARPPROOF_MUTANT` is its number. `WARPPROOF_MUTANTS_SEEN` names a file to which the number of
//! each mutant is appended whose place is reached.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

struct Settings {
    living: u32,
    seen: Option<std::ffi::OsString>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();
static SEEN: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];

/// Whether mutant `id` lives.
pub fn on(id: u32) -> bool {
    let settings = SETTINGS.get_or_init(|| Settings {
        living: std::env::var("WARPPROOF_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(u32::MAX),
        seen: std::env::var_os("WARPPROOF_MUTANTS_SEEN"),
    });
    if let Some(path) = &settings.seen
        && !SEEN[id as usize % SEEN.len()].load(Ordering::Relaxed)
        && !SEEN[id as usize % SEEN.len()].swap(true, Ordering::Relaxed)
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = file.write_all(format!("{id}\n").as_bytes());
    }
    settings.living == id
}
