//! Threads, CTAs and the scheduler.

use super::memory::{self, Global, Region, Space};
use super::op::Op;
use super::program::{Arg, Program};
use super::step::Flow;
use super::tensor::{Made, Map};
use super::tensor_memory::{Words, is_in_order};
use super::warpgroup::Begun;
use crate::program::Dice;
use std::collections::{BTreeMap, HashMap};
use warpproof::spec::Launch;

/// Dynamic shared memory where the launch does not say how much.
pub const MOST_SHARED: u64 = 128 << 10;

/// Why a run ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The machine has no such thing.
    Refused(String),
    /// It took more thread-instructions than allowed.
    Limit,
    /// The kernel did something wrong.
    Fault(String),
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Ready,
    Barrier(usize),
    /// A warp-wide operation with these members.
    Warp(u32),
    Done,
}

/// Something a thread started in the background.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// The group it was committed to.
    pub group: Option<u64>,
    pub what: Background,
}

#[derive(Clone, Debug)]
pub(super) enum Background {
    /// Own addresses in shared and global memory; bytes, and how many of them are read.
    Copy { to: u64, from: u64, bytes: u64, read: u64 },
    /// Arrival at a barrier object, once what stands before it is done.
    Arrive(u64),
    /// A product in tensor memory: its kind, whether A lies there, whether lanes of D stay, scales of a row, and its
    /// operands.
    Product { kind: String, held: bool, masked: bool, blocks: usize, pair: bool, given: Vec<u64> },
    /// A copy from shared into tensor memory: its shape, the address, the descriptor.
    Image { shape: String, address: u64, descriptor: u64, pair: bool },
    /// Arrival at a barrier object, or at those of some ranks, once the products before it are done.
    Commit(u64, Option<u64>),
    /// A bulk copy: where to, where from, how many bytes; the barrier object that counts them, or none if the
    /// thread waits for them in groups.
    Bulk { to: (Space, u64), from: (Space, u64), bytes: u64, object: Option<u64> },
    /// A bulk copy of elements, in shared and in global memory, of so many bytes each: into shared memory if an
    /// object counts them. It may change what is in global memory, by an instruction.
    Boxed { elements: Vec<(u64, Option<u64>)>, bytes: u64, change: Option<String>, object: Option<u64> },
    /// Registers that are sent to shared memory, of so many bytes each, and the object that counts them. They may change
    /// what is there, by an instruction.
    Sent { to: u64, values: Vec<u64>, bytes: u64, change: Option<String>, object: u64 },
}

impl Background {
    /// Whether it belongs to a group of bulk copies.
    pub(super) fn in_bulk_group(&self) -> bool {
        matches!(self, Background::Bulk { object: None, .. } | Background::Boxed { object: None, .. })
    }

    /// Whether it belongs to a group of other copies.
    pub(super) fn in_group(&self) -> bool {
        matches!(self, Background::Copy { .. } | Background::Arrive(_))
    }
}

/// A call to return from.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub back: usize,
    pub function: usize,
    pub results: Vec<Arg>,
}

pub(super) struct Thread {
    pub cta: usize,
    pub tid: [u32; 3],
    pub linear: u32,
    pub pc: usize,
    pub state: State,
    pub regs: Vec<u64>,
    pub carry: bool,
    pub local: Region,
    /// Where what was taken of local memory ends (`alloca`).
    pub taken: u64,
    /// Parameters of device functions.
    pub function: Region,
    pub stack: Vec<Frame>,
    pub pending: Vec<Pending>,
    pub groups: u64,
    pub bulk_groups: u64,
    /// Groups of products that the thread's warp has closed, of its first thread.
    pub product_groups: u64,
    /// The last phase of the cluster's barrier that the thread has arrived in; the phase, of the cluster's first thread.
    pub cluster_arrived: Option<u64>,
    pub cluster_phase: u64,
}

/// A barrier of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// Who has come, and whether the thread waits.
    pub arrived: Vec<(usize, bool)>,
    /// Threads it takes; all of the CTA without.
    pub expected: Option<u32>,
    /// The predicates of a reduction.
    pub votes: Vec<bool>,
}

/// A barrier object (`mbarrier`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Phaser {
    pub expected: u64,
    pub pending: u64,
    pub phase: u64,
    /// Bytes of bulk copies that are expected, less those that have come.
    pub bytes: i64,
}

impl Phaser {
    /// The next phase begins when no arrival and no byte is pending.
    fn end_if_complete(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.expected;
        }
    }
}

pub(super) struct Cta {
    pub id: [u32; 3],
    pub shared: Region,
    pub barriers: BTreeMap<u32, Barrier>,
    pub phasers: HashMap<u64, Phaser>,
    /// Products that have not run, in order.
    pub products: Vec<Begun>,
    pub tensor: Words,
    pub first: usize,
}

/// A launched kernel.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) launch: &'p Launch,
    /// Global memory; tensors are read from it when the run is over.
    pub global: Global,
    pub(super) parameters: Region,
    pub(super) ctas: Vec<Cta>,
    pub(super) threads: Vec<Thread>,
    pub(super) dice: Dice,
    ready: Vec<usize>,
    /// Executed thread-instructions.
    pub steps: u64,
    /// Bulk copies have been started, which end whatever their threads wait for.
    pub(super) bulk: bool,
    /// Textures and surfaces.
    pub views: Vec<super::texture::View>,
    /// The tensor maps, by number, and where the tensors begin.
    pub(super) maps: Vec<Map>,
    pub(super) bases: Vec<u64>,
    /// Those that the kernel has made, by CTA (from 1 on; 0 in global memory) and address.
    pub(super) made: HashMap<(usize, u64), Made>,
}

impl<'p> Machine<'p> {
    /// `parameters` are the bytes of the kernel's parameter block, from its first parameter on.
    pub fn new(
        program: &'p Program,
        launch: &'p Launch,
        global: Global,
        parameters: &[u8],
        seed: u64,
    ) -> Machine<'p> {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let shared = program.dynamic_at + launch.dynamic_shared.unwrap_or(MOST_SHARED) - memory::SHARED_BASE;
        let [x, y, z] = launch.block;
        let mut machine = Machine {
            program,
            launch,
            global,
            parameters: Region { base: memory::PARAM_BASE, bytes: parameters.to_vec() },
            ctas: Vec::new(),
            threads: Vec::new(),
            dice: Dice(dice.below(u64::MAX) | 1),
            ready: Vec::new(),
            steps: 0,
            bulk: false,
            views: Vec::new(),
            maps: Vec::new(),
            bases: Vec::new(),
            made: HashMap::new(),
        };
        for (cta, id) in launch.ctas.iter().enumerate() {
            machine.ctas.push(Cta {
                id: *id,
                shared: Region::garbage(memory::SHARED_BASE, shared as usize, &mut dice),
                barriers: BTreeMap::new(),
                phasers: HashMap::new(),
                products: Vec::new(),
                tensor: Words::default(),
                first: machine.threads.len(),
            });
            for linear in 0..x * y * z {
                machine.ready.push(machine.threads.len());
                let local = (program.local_bytes - memory::LOCAL_BASE) as usize;
                let function = (program.function_bytes - memory::FUNCTION_BASE) as usize;
                machine.threads.push(Thread {
                    cta,
                    tid: [linear % x, linear / x % y, linear / (x * y)],
                    linear,
                    pc: program.start,
                    state: State::Ready,
                    regs: program
                        .widths
                        .iter()
                        .map(|width| super::integer::cut(dice.below(u64::MAX), *width))
                        .collect(),
                    carry: false,
                    local: Region::garbage(memory::LOCAL_BASE, local, &mut dice),
                    taken: program.local_bytes,
                    function: Region::garbage(memory::FUNCTION_BASE, function, &mut dice),
                    stack: Vec::new(),
                    pending: Vec::new(),
                    groups: 0,
                    bulk_groups: 0,
                    product_groups: 0,
                    cluster_arrived: None,
                    cluster_phase: 0,
                });
            }
        }
        machine
    }

    /// Tensor maps, by number, of tensors that begin at these addresses.
    pub fn describe(&mut self, maps: Vec<Map>, bases: Vec<u64>) {
        (self.maps, self.bases) = (maps, bases);
    }

    /// Runs to the end. How long a thread keeps the machine is part of the schedule: sometimes one
    /// instruction, sometimes as far as it gets.
    pub fn run(&mut self, limit: u64) -> Result<(), Stop> {
        let patience = [1, 3, 40, 4000][self.dice.below(4) as usize];
        while !self.ready.is_empty() {
            let pick = self.dice.below(self.ready.len() as u64) as usize;
            let thread = self.ready[pick];
            let burst = 1 + self.dice.below(patience);
            for _ in 0..burst {
                if self.steps >= limit {
                    return Err(Stop::Limit);
                }
                self.background(thread);
                if self.bulk {
                    let any = self.dice.below(self.threads.len() as u64) as usize;
                    self.background(any);
                }
                self.steps += 1;
                let yields = self.step_of(thread)?;
                if yields || self.threads[thread].state != State::Ready {
                    break;
                }
            }
            if self.threads[thread].state != State::Ready
                && let Some(at) = self.ready.iter().position(|ready| *ready == thread)
            {
                self.ready.swap_remove(at);
            }
        }
        match self.threads.iter().find(|thread| thread.state != State::Done) {
            Some(thread) => {
                let op = &self.program.code[thread.pc].op.text;
                Err(Stop::Fault(format!("deadlock: thread {} waits at `{op}`", thread.linear)))
            }
            None => Ok(()),
        }
    }

    /// Whether the thread would only ask again.
    fn step_of(&mut self, thread: usize) -> Result<bool, Stop> {
        match self.step(thread)? {
            Flow::Next => self.threads[thread].pc += 1,
            Flow::Jump(target) => self.threads[thread].pc = target,
            Flow::Blocked => {}
            Flow::Yield => {
                self.threads[thread].pc += 1;
                return Ok(true);
            }
            Flow::Again => return Ok(true),
            Flow::Exit => {
                while let Some(pending) = self.threads[thread].pending.first().cloned() {
                    self.threads[thread].pending.remove(0);
                    self.complete(thread, &pending.what)?;
                }
                self.threads[thread].state = State::Done;
                self.after_exit(thread)?;
            }
        }
        Ok(false)
    }

    /// A thread that waited goes on behind its instruction.
    pub(super) fn release(&mut self, thread: usize) {
        self.threads[thread].state = State::Ready;
        self.threads[thread].pc += 1;
        if !self.ready.contains(&thread) {
            self.ready.push(thread);
        }
    }

    /// Threads of a CTA.
    pub(super) fn block(&self) -> usize {
        self.launch.block.iter().product::<u32>() as usize
    }

    /// The threads of a thread's warp.
    pub(super) fn warp(&self, thread: usize) -> std::ops::Range<usize> {
        let first = self.ctas[self.threads[thread].cta].first;
        let start = first + (thread - first) / 32 * 32;
        start..(start + 32).min(first + self.block())
    }

    fn after_exit(&mut self, thread: usize) -> Result<(), Stop> {
        for other in self.warp(thread) {
            if matches!(self.threads[other].state, State::Warp(_)) {
                self.try_collective(other)?;
            }
        }
        let cta = self.threads[thread].cta;
        let ids: Vec<u32> = self.ctas[cta].barriers.keys().copied().collect();
        ids.into_iter().try_for_each(|id| self.try_barrier(cta, id))
    }

    /// Opens a barrier if everybody has come; threads that have returned count.
    pub(super) fn try_barrier(&mut self, cta: usize, id: u32) -> Result<(), Stop> {
        let first = self.ctas[cta].first;
        let block = self.block();
        let done =
            self.threads[first..first + block].iter().filter(|thread| thread.state == State::Done).count();
        let Some(barrier) = self.ctas[cta].barriers.get(&id) else { return Ok(()) };
        let full = match barrier.expected {
            Some(expected) => barrier.arrived.len() >= expected as usize,
            None => barrier.arrived.len() + done >= block,
        };
        if barrier.arrived.is_empty() || !full {
            return Ok(());
        }
        let barrier = self.ctas[cta].barriers.remove(&id).unwrap_or_default();
        for (thread, waits) in barrier.arrived {
            if waits {
                self.reduced(thread, &barrier.votes)?;
                self.release(thread);
            }
        }
        Ok(())
    }

    /// Now and then, something that a thread started in the background happens.
    fn background(&mut self, thread: usize) {
        if self.threads[thread].pending.is_empty() || self.dice.below(8) != 0 {
            return;
        }
        let count = self.threads[thread].pending.len() as u64;
        let pick = self.dice.below(count) as usize;
        let pending = &self.threads[thread].pending;
        if matches!(pending[pick].what, Background::Arrive(_)) && pick > 0 {
            return;
        }
        let ordered = |pending: &Pending| is_in_order(&pending.what);
        if ordered(&pending[pick]) && pending[..pick].iter().any(ordered) {
            return;
        }
        let pending = self.threads[thread].pending.remove(pick);
        // A copy that cannot be done stops the run where it is waited for.
        if self.complete(thread, &pending.what).is_err() {
            self.threads[thread].pending.insert(pick, pending);
        }
    }

    /// Lets everything happen that a thread started, up to a group.
    pub(super) fn wait(&mut self, thread: usize, last: impl Fn(&Pending) -> bool) -> Result<(), Stop> {
        let (done, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.threads[thread].pending).into_iter().partition(last);
        self.threads[thread].pending = kept;
        done.iter().try_for_each(|pending| self.complete(thread, &pending.what))
    }

    fn complete(&mut self, thread: usize, what: &Background) -> Result<(), Stop> {
        match *what {
            Background::Copy { to, from, bytes, read } => {
                for at in 0..bytes {
                    let value = if at < read { self.load(thread, Space::Global, from + at, 1)? } else { 0 };
                    self.store(thread, Space::Shared, to + at, 1, value)?;
                }
                Ok(())
            }
            Background::Boxed { ref elements, bytes, ref change, object } => {
                self.copy_box(thread, elements, bytes, change.as_deref(), object)
            }
            Background::Sent { to, ref values, bytes, ref change, object } => {
                for (value, to) in values.iter().zip((to..).step_by(bytes as usize)) {
                    match change {
                        Some(change) => self.change(thread, &Op::new(change), to, *value)?,
                        None => self.store(thread, Space::Shared, to, bytes as usize, *value)?,
                    }
                }
                let (cta, object) = self.in_cluster(self.threads[thread].cta, object);
                self.count(cta, object, -((values.len() as u64 * bytes) as i64))
            }
            Background::Product { ref kind, held, masked, blocks, pair, ref given } => {
                self.run_in_tensor_memory(thread, (kind, held, masked, blocks, pair), given)
            }
            Background::Image { ref shape, address, descriptor, pair } => {
                let threads = if pair { self.pair_of(thread) } else { vec![thread] };
                threads.iter().try_for_each(|one| self.copy_image(*one, shape, address, descriptor))
            }
            Background::Commit(object, ranks) => self.commit(thread, object, ranks),
            Background::Arrive(object) => self.arrive(self.threads[thread].cta, object, 1).map(|_| ()),
            Background::Bulk { to, from, bytes, object } => {
                for at in 0..bytes {
                    let value = self.load(thread, from.0, from.1 + at, 1)?;
                    self.store(thread, to.0, to.1 + at, 1, value)?;
                }
                match object {
                    Some(object) => {
                        let (cta, object) = self.in_cluster(self.threads[thread].cta, object);
                        self.count(cta, object, -(bytes as i64))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Arrives at a barrier object; gives its state before.
    pub(super) fn arrive(&mut self, cta: usize, object: u64, count: u64) -> Result<Phaser, Stop> {
        let phaser =
            self.ctas[cta].phasers.get_mut(&object).ok_or(Stop::Fault("no barrier object".to_owned()))?;
        let before = *phaser;
        phaser.pending = phaser
            .pending
            .checked_sub(count)
            .ok_or(Stop::Fault("more arrivals than a barrier object expects".to_owned()))?;
        phaser.end_if_complete();
        Ok(before)
    }

    /// Changes the count of bytes of a barrier object.
    pub(super) fn count(&mut self, cta: usize, object: u64, bytes: i64) -> Result<(), Stop> {
        let phaser =
            self.ctas[cta].phasers.get_mut(&object).ok_or(Stop::Fault("no barrier object".to_owned()))?;
        phaser.bytes += bytes;
        if phaser.bytes.abs() >= 1 << 20 {
            return Err(Stop::Fault("a barrier object counts too many bytes".to_owned()));
        }
        phaser.end_if_complete();
        Ok(())
    }
}
