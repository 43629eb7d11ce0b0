//! Copies that run in the background, and the barrier objects that wait for them
//! (PTX ISA 9.0, 9.7.9.25 and 9.7.13.15).
//!
//! Bulk and tensor copies of Hopper are not supported; neither are transaction counts, which only
//! they complete.

use super::moves::space;
use crate::isa::form::Choice;
use crate::isa::table::{Action, Row, Support};
use crate::isa::{CopyOp, Effect, PhaserOp, Space};

fn copy(op: CopyOp) -> Option<Action> {
    Some(Action::Effect(Effect::Copy(op)))
}

/// A barrier object; only those in the CTA's own shared memory are known.
fn phaser(m: &Choice<'_>, op: PhaserOp) -> Option<Action> {
    let near = m.get("ss").is_none_or(|name| space(Some(name)) == Some(Space::Shared));
    near.then_some(Action::Effect(Effect::Phaser(op)))
}

macro_rules! rows {
    ($($name:literal $section:literal [$($form:literal),+] $build:expr, $summary:literal, $example:literal;)*) => {
        pub(super) const ROWS: &[Row] = &[$(Row {
            name: $name,
            forms: &[$($form),+],
            build: $build,
            real: "",
            section: $section,
            summary: $summary,
            example: $example,
            support: Support::Full,
        }),*];
    };
}

rows! {
    "cp" "9.7.9.25.3.1"
        ["cp.async.cop.ss.global{.l2}{.pre} [a], [b], c{, x}{, y}; .cop = .ca .cg; .ss = .shared .shared::cta; .l2 = .L2::cache_hint; .pre = .L2::64B .L2::128B .L2::256B"]
        |_| copy(CopyOp::Start), "Starts a copy from global to shared memory in the background.",
        "cp.async.cg.shared.global [%r1], [%rd2], 16;";
    "cp" "9.7.9.25.3.2" ["cp.async.commit_group"] |_| copy(CopyOp::Commit),
        "Makes the copies since the last group a group.", "cp.async.commit_group;";
    "cp" "9.7.9.25.3.3" ["cp.async.wait_group a"] |_| copy(CopyOp::WaitGroups),
        "Waits until at most the newest a groups still run.", "cp.async.wait_group 1;";
    "cp" "9.7.9.25.3.3" ["cp.async.wait_all"] |_| copy(CopyOp::WaitAll),
        "Waits for all copies of the thread.", "cp.async.wait_all;";
    "cp" "9.7.13.15.17" ["cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [a]; .ss = .shared .shared::cta"]
        |m| copy(CopyOp::Arrive { counted: m.has("noinc") }),
        "Arrives at a barrier object once the thread's copies so far are there.",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];";
    "mbarrier" "9.7.13.15.9" ["mbarrier.init{.ss}.b64 [a], b; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Init), "Makes a barrier object for b arrivals.", "mbarrier.init.shared.b64 [%r1], 32;";
    "mbarrier" "9.7.13.15.10" ["mbarrier.inval{.ss}.b64 [a]; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Invalidate), "Ends the life of a barrier object.", "mbarrier.inval.shared.b64 [%r1];";
    "mbarrier" "9.7.13.15.13"
        ["mbarrier.arrive{.noComplete}{.sem}{.scope}{.ss}.b64 d, [a]{, b}; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Arrive { drop: false, relaxed: m.get("sem") == Some("relaxed") }), "Arrives at a barrier object.", "mbarrier.arrive.shared.b64 %rd1, [%r1];";
    "mbarrier" "9.7.13.15.14"
        ["mbarrier.arrive_drop{.noComplete}{.sem}{.scope}{.ss}.b64 d, [a]{, b}; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Arrive { drop: true, relaxed: m.get("sem") == Some("relaxed") }), "Arrives, and takes no part in later phases.",
        "mbarrier.arrive_drop.shared.b64 %rd1, [%r1];";
    "mbarrier" "9.7.13.15.16"
        ["mbarrier.test_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [a], b; .sem = .acquire .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Test { parity: m.has("parity"), relaxed: m.get("sem") == Some("relaxed") }), "Asks whether a phase has ended.",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;";
    "mbarrier" "9.7.13.15.16"
        ["mbarrier.try_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [a], b{, c}; .sem = .acquire .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Test { parity: m.has("parity"), relaxed: m.get("sem") == Some("relaxed") }), "Waits a while for the end of a phase.",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;";
    "mbarrier" "9.7.13.15.18" ["mbarrier.pending_count.b64 d, a"]
        |m| phaser(m, PhaserOp::Pending), "Arrivals that a phase lacked when its token was given.",
        "mbarrier.pending_count.b64 %r1, %rd1;";
}
