//! Control flow, synchronization and communication within a warp (PTX ISA 9.0, 9.7.12, 9.7.13,
//! 9.7.19).

use super::memory::{order, scope};
use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::table::{Action, Arg, StackOp, Step};
use crate::isa::video::scalar;
use crate::isa::{
    BarrierOp, ClusterOp, CopyOp, Effect, Forbidden, MatchMode, Order, ReduceOp, Scope, ShuffleMode, VoteMode,
};

fn effect(effect: Effect) -> Option<Action> {
    Some(Action::Effect(effect))
}

/// The threads that a `membar` is for.
fn level(m: &Choice<'_>) -> Scope {
    match m.get("level") {
        Some("cta") => Scope::Cta,
        Some("sys") => Scope::System,
        _ => Scope::Gpu,
    }
}

/// What a fence orders; without a word for it, what it acquires and releases.
fn fence_order(m: &Choice<'_>) -> Order {
    m.get("sem").map_or(Order::AcquireRelease, |_| order(m))
}

/// A fence between proxies: of those that are known here, only that of bulk copies is not the generic one.
fn proxy_fence(m: &Choice<'_>) -> Effect {
    let Some(kind) = m.get("kind").filter(|kind| kind.starts_with("async")) else { return Effect::Nothing };
    let memory = m.get("space").unwrap_or(kind);
    let (shared, global) = (memory.contains("shared"), memory.contains("global"));
    let all = !shared && !global;
    Effect::Copy(CopyOp::Fence { shared: shared || all, global: global || all })
}

/// A CTA barrier; `bar` is `barrier` with `.aligned` always on.
fn barrier(m: &Choice<'_>, op: BarrierOp) -> Option<Action> {
    effect(Effect::Barrier { op, aligned: m.has("aligned") || m.base() == "bar" })
}

fn reduction(m: &Choice<'_>, counted: bool) -> Option<Action> {
    let op = match m.get("op")? {
        "and" => ReduceOp::And,
        "or" => ReduceOp::Or,
        _ => ReduceOp::Popc,
    };
    barrier(m, BarrierOp::Reduce { op, counted })
}

fn shuffle(m: &Choice<'_>) -> Option<ShuffleMode> {
    Some(match m.get("mode")? {
        "up" => ShuffleMode::Up,
        "down" => ShuffleMode::Down,
        "bfly" => ShuffleMode::Butterfly,
        _ => ShuffleMode::Index,
    })
}

/// What the manual defines over active threads: the same among those that are found to be here together.
fn together(exchange: Effect, results: u8, sources: u8) -> Option<Action> {
    let members = Arg::Temp(0, 32);
    let asked = Step { effect: Effect::ActiveMask, dst: vec![members], src: Vec::new() };
    let src = (0..sources).map(Arg::In).chain([members]).collect();
    let exchanged = Step { effect: exchange, dst: (0..results).map(Arg::Out).collect(), src };
    Some(Action::Steps(vec![asked, exchanged]))
}

rows! {
    "bra" "9.7.12.3" ["bra{.uni} a"] |_| effect(Effect::Branch), "Jumps to a label.", "bra L;";
    "brx" "9.7.12.4" ["brx.idx{.uni} a, b"] |_| effect(Effect::BranchIndexed),
        "Jumps to one of a list of labels.", "brx.idx %r1, T;";
    "call" "9.7.12.5" ["call{.uni} ..."] |_| Some(Action::Call),
        "Calls a function; known functions are inlined.", "call.uni (%f1), expf, (%f2);";
    "ret" "9.7.12.6" ["ret{.uni}"] |_| Some(Action::Return), "Returns from a function or ends the thread.", "ret;";
    "exit" "9.7.12.7" ["exit"] |_| effect(Effect::Exit), "Ends the thread.", "exit;";
    "bar" "9.7.13.1" ["bar{.cta}.sync a"] |m| barrier(m, BarrierOp::Sync { counted: false }),
        "Waits for all threads of the CTA.", "bar.sync 0;";
    "bar" "9.7.13.1" ["bar{.cta}.sync a, b"] |m| barrier(m, BarrierOp::Sync { counted: true }),
        "Waits for b threads.", "bar.sync 1, 64;";
    "bar" "9.7.13.1" ["bar{.cta}.arrive a, b"] |m| barrier(m, BarrierOp::Arrive),
        "Arrives without waiting.", "bar.arrive 1, 64;";
    "bar" "9.7.13.1" ["bar{.cta}.red.op.pred p, a, {!}c; .op = .and .or", "bar{.cta}.red.op.u32 d, a, {!}c; .op = .popc"]
        |m| reduction(m, false), "Waits for all threads and reduces a predicate.", "bar.red.or.pred %p1, 0, %p2;";
    "bar" "9.7.13.1" ["bar{.cta}.red.op.pred p, a, b, {!}c; .op = .and .or", "bar{.cta}.red.op.u32 d, a, b, {!}c; .op = .popc"]
        |m| reduction(m, true), "Waits for b threads and reduces a predicate.", "bar.red.popc.u32 %r1, 1, 64, %p2;";
    "barrier" "9.7.13.1" ["barrier{.cta}.sync{.aligned} a"] |m| barrier(m, BarrierOp::Sync { counted: false }),
        "Waits for all threads of the CTA.", "barrier.sync 0;";
    "barrier" "9.7.13.1" ["barrier{.cta}.sync{.aligned} a, b"] |m| barrier(m, BarrierOp::Sync { counted: true }),
        "Waits for b threads.", "barrier.sync.aligned 1, 64;";
    "barrier" "9.7.13.1" ["barrier{.cta}.arrive{.aligned} a, b"] |m| barrier(m, BarrierOp::Arrive),
        "Arrives without waiting.", "barrier.arrive 1, 64;";
    "barrier" "9.7.13.1" ["barrier{.cta}.red.op{.aligned}.pred p, a, {!}c; .op = .and .or", "barrier{.cta}.red.op{.aligned}.u32 d, a, {!}c; .op = .popc"]
        |m| reduction(m, false), "Waits for all threads and reduces a predicate.", "barrier.red.and.pred %p1, 0, !%p2;";
    "barrier" "9.7.13.1" ["barrier{.cta}.red.op{.aligned}.pred p, a, b, {!}c; .op = .and .or", "barrier{.cta}.red.op{.aligned}.u32 d, a, b, {!}c; .op = .popc"]
        |m| reduction(m, true), "Waits for b threads and reduces a predicate.", "barrier.red.popc.u32 %r1, 1, 64, %p2;";
    "barrier" "9.7.13.3" ["barrier.cluster.arrive{.sem}{.aligned}; .sem = .release .relaxed"]
        |m| effect(Effect::Cluster(ClusterOp::Arrive { relaxed: m.get("sem") == Some("relaxed") })),
        "Arrives at the barrier of the cluster.", "barrier.cluster.arrive.aligned;";
    "barrier" "9.7.13.3" ["barrier.cluster.wait{.acquire}{.aligned}"]
        |_| effect(Effect::Cluster(ClusterOp::Wait)),
        "Waits for the threads of the cluster.", "barrier.cluster.wait.aligned;";
    "bar" "9.7.13.2" ["bar.warp.sync a"] |_| effect(Effect::WarpSync),
        "Waits for the threads of a warp that the mask names.", "bar.warp.sync 0xffffffff;";
    "membar" "9.7.13.4" ["membar.level; .level = .cta .gl .sys", "membar.proxy.kind; .kind = .alias .async .async.global .async.shared::cta"]
        |m| effect(if m.has("proxy") { proxy_fence(m) } else { Effect::Fence(level(m), Order::Sequential) }), "Orders the thread's own memory accesses.", "membar.cta;";
    "fence" "9.7.13.4"
        ["fence{.sem}{.scope}; .sem = .sc .acq_rel .acquire .release; .scope = .cta .cluster .gpu .sys",
         "fence{.mbarrier_init}{.sem}{.scope}; .sem = .release; .scope = .cluster",
         "fence.proxy.kind{.space}; .kind = .alias .async .async.global .async.shared::cta .async.shared::cluster; .space = .global .shared::cta .shared::cluster",
         "fence.proxy.tensormap::generic.release.scope; .scope = .cta .cluster .gpu .sys"]
        |m| effect(match () {
            () if m.has("proxy") => proxy_fence(m),
            () if m.has("mbarrier_init") => Effect::Nothing,
            () => Effect::Fence(scope(m), fence_order(m)),
        }),
        "Orders the thread's own memory accesses.", "fence.acq_rel.gpu;";
    "fence" "9.7.13.4"
        ["fence.sem.restrict.cluster; .sem = .acquire .release; .restrict = .sync_restrict::shared::cta .sync_restrict::shared::cluster",
         "fence.proxy.async::generic.sem.restrict.cluster; .sem = .acquire .release; .restrict = .sync_restrict::shared::cta .sync_restrict::shared::cluster"]
        |m| effect(if m.has("proxy") { Effect::Copy(CopyOp::HalfFence) } else { Effect::Nothing }),
        "Orders the thread's own accesses to the shared memory of its cluster.", "fence.acquire.sync_restrict::shared::cluster.cluster;";
    "vote" "9.7.13.8" ["vote.mode.pred p, {!}a; .mode = .all .any .uni", "vote.ballot.b32 d, {!}a"]
        |m| together(Effect::Vote(match m.get("mode") {
            Some("all") => VoteMode::All,
            Some("any") => VoteMode::Any,
            Some(_) => VoteMode::Uniform,
            None => VoteMode::Ballot,
        }), 1, 1),
        "Asks whether a predicate holds in the lanes that come here together.", "vote.all.pred %p1, %p2;";
    "shfl" "9.7.9.5" ["shfl.mode.b32 d, a, b, c; .mode = .up .down .bfly .idx", "shfl.mode.b32 d|p, a, b, c; .mode = .up .down .bfly .idx"]
        |m| together(Effect::Shuffle(shuffle(m)?), 1 + u8::from(m.pair()), 3),
        "Reads a register of another of the lanes that come here together.", "shfl.bfly.b32 %r1, %r2, 16, 31;";
    "vote" "9.7.13.9" ["vote.sync.mode.pred p, {!}a, b; .mode = .all .any .uni"]
        |m| effect(Effect::Vote(match m.get("mode")? { "all" => VoteMode::All, "any" => VoteMode::Any, _ => VoteMode::Uniform })),
        "Asks whether a predicate holds in all or any lanes.", "vote.sync.all.pred %p1, %p2, 0xffffffff;";
    "vote" "9.7.13.9" ["vote.sync.ballot.b32 d, {!}a, b"]
        |_| effect(Effect::Vote(VoteMode::Ballot)), "The mask of lanes where a predicate holds.", "vote.sync.ballot.b32 %r1, %p2, 0xffffffff;";
    "match" "9.7.13.10" ["match.any.sync.type d, a, b; .type = .b32 .b64"]
        |m| effect(Effect::Match { mode: MatchMode::Any, bits: m.format("type")?.bits() }),
        "The mask of lanes with the same value.", "match.any.sync.b32 %r1, %r2, 0xffffffff;";
    "match" "9.7.13.10" ["match.all.sync.type d{|p}, a, b; .type = .b32 .b64"]
        |m| effect(Effect::Match { mode: MatchMode::All, bits: m.format("type")?.bits() }),
        "The member mask if all lanes have the same value.", "match.all.sync.b32 %r1|%p1, %r2, 0xffffffff;";
    "activemask" "9.7.13.11" ["activemask.b32 d"] |_| effect(Effect::ActiveMask),
        "The lanes that execute this together.", "activemask.b32 %r1;";
    "redux" "9.7.13.12"
        ["redux.sync.op.type d, a, b; .op = .add .min .max; .type = .u32 .s32", "redux.sync.op.type d, a, b; .op = .and .or .xor; .type = .b32"]
        |m| {
            let op = match m.get("op")? {
                "add" => ReduceOp::Add,
                "min" => ReduceOp::Min,
                "max" => ReduceOp::Max,
                "and" => ReduceOp::And,
                "or" => ReduceOp::Or,
                _ => ReduceOp::Xor,
            };
            effect(Effect::Redux { op, format: m.format("type")? })
        },
        "Reduces a value over the lanes of the mask.", "redux.sync.add.s32 %r1, %r2, 0xffffffff;";
    "redux" "9.7.13.12" ["redux.sync.op{.abs}{.NaN}.f32 d, a, b; .op = .min .max"]
        |m| {
            let op = if m.get("op")? == "min" { ReduceOp::Min } else { ReduceOp::Max };
            let reduced = Effect::Redux { op, format: Format::F32 };
            if !m.has("abs") {
                return effect(reduced);
            }
            let magnitude = Arg::Temp(0, 32);
            let abs = Effect::Lanewise(scalar("abs", &["f32"], 1)?);
            Some(Action::Steps(vec![
                Step { effect: abs, dst: vec![magnitude], src: vec![Arg::In(0)] },
                Step { effect: reduced, dst: vec![Arg::Out(0)], src: vec![magnitude, Arg::In(1)] },
            ]))
        },
        "The smallest or largest of the lanes' floats.", "redux.sync.min.f32 %f1, %f2, 0xffffffff;";
    "griddepcontrol" "9.7.13.13" ["griddepcontrol.action; .action = .launch_dependents .wait"]
        |_| effect(Effect::Nothing), "Orders dependent grids; one grid runs here.", "griddepcontrol.wait;";
    "elect" "9.7.13.14" ["elect.sync d|p, a"] |_| effect(Effect::Elect),
        "Elects one lane of the mask.", "elect.sync %r1|%p1, 0xffffffff;";
    "shfl" "9.7.9.6" ["shfl.sync.mode.b32 d{|p}, a, b, c, x; .mode = .up .down .bfly .idx"]
        |m| effect(Effect::Shuffle(shuffle(m)?)),
        "Reads a register of another lane.", "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;";
    "stacksave" "9.7.17.1" ["stacksave.type d; .type = .u64"] |_| Some(Action::Stack(StackOp::Save)),
        "Says where the thread's stack ends.", "stacksave.u64 %rd1;";
    "stackrestore" "9.7.17.2" ["stackrestore.type a; .type = .u64"] |_| Some(Action::Stack(StackOp::Restore)),
        "Gives back what was taken from the stack since.", "stackrestore.u64 %rd1;";
    "alloca" "9.7.17.3" ["alloca.type d, a{, b}; .type = .u64"] |_| Some(Action::Stack(StackOp::Allocate)),
        "Takes local memory from the stack.", "alloca.u64 %rd1, %rd2, 16;";
    "trap" "9.7.19.4" ["trap"] |_| effect(Effect::Forbidden(Forbidden::Trap)), "Aborts the kernel.", "trap;";
    "brkpt" "9.7.19.1" ["brkpt"] |_| effect(Effect::Forbidden(Forbidden::Trap)), "Suspends execution.", "brkpt;";
    "nanosleep" "9.7.19.2" ["nanosleep.u32 a"] |_| effect(Effect::Nothing), "Suspends the thread for a while.", "nanosleep.u32 100;";
    "pmevent" "9.7.19.3" ["pmevent{.mask} a"] |_| effect(Effect::Nothing), "Triggers a performance counter.", "pmevent 1;";
    "setmaxnreg" "9.7.19.5" ["setmaxnreg.action.sync.aligned.u32 a; .action = .inc .dec"]
        |_| effect(Effect::Nothing), "Changes the number of registers a warp may use.", "setmaxnreg.inc.sync.aligned.u32 240;";
}
