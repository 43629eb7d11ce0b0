//! Small concurrent programs and the PTX that says them.
//!
//! An agent is a lane of one warp, or lane 0 of a warp of its own. Each agent runs a list of
//! operations of its own on four words (two shared, two global), remembers what it read, and stores
//! a digest of that at its end, so that different schedules show as different outputs. A list may
//! end while others still wait for barriers: that agent has returned early.
//!
//! `explore` runs every schedule of a program, `context` the paper's race condition.

/// Words of memory: 0 and 1 are shared, 2 and 3 global.
pub const WORDS: usize = 4;
/// Barrier objects.
pub const OBJECTS: usize = 2;
/// Aligned barriers that agents share.
pub const SLOTS: u8 = 2;
/// What the global words hold at first.
pub const GLOBAL: [u32; 2] = [1001, 2002];

/// What an agent does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Reads a word.
    Read(u8),
    /// Reads a word and forgets what it was.
    Peek(u8),
    /// Writes a word: a number of its own, plus the digest of what it has read.
    Write(u8),
    /// Adds to a word atomically, ignoring the old value.
    Add(u8),
    /// Raises a word to a number atomically, ignoring the old value.
    Max(u8),
    /// Adds to a word atomically and reads the old value.
    Fetch(u8),
    /// Barrier 0 for everybody.
    SyncAll,
    /// Barrier `id` (1..) for `count` agents; waits or only arrives. Agents that are warps.
    Named {
        id: u8,
        count: u8,
        waits: bool,
    },
    /// Warp barrier for the agents of the mask. Agents that are lanes.
    SyncSet(u8),
    /// A vote of the agents of the mask, which orders no memory. Agents that are lanes.
    Vote(u8),
    /// The lowest agent of the mask gives a number to the others; orders no memory.
    Shuffle(u8),
    /// A fence, which orders nothing by itself.
    Fence,
    /// Copies a global word to a shared one in the background.
    Copy {
        to: u8,
        from: u8,
    },
    /// Closes the group of copies started so far.
    Commit,
    /// Waits until at most so many groups are under way.
    WaitGroups(u8),
    /// Waits for all copies.
    WaitAll,
    /// Arrives at a barrier object.
    Arrive(u8),
    /// Waits for the end of a barrier object's phase of that parity.
    Await {
        object: u8,
        parity: u8,
    },
    /// The same two without ordering memory (`.relaxed`).
    ArriveRelaxed(u8),
    AwaitRelaxed {
        object: u8,
        parity: u8,
    },
    /// Barrier 0 for everybody, aligned: the instruction of that number, which all agents share. Agents
    /// that are lanes.
    Aligned(u8),
    /// The agent's copies so far will arrive at a barrier object, all together, when they have
    /// happened. If `counted`, as one of the arrivals expected (`.noinc`), else as one more.
    ArriveCopies {
        object: u8,
        counted: bool,
    },
}

impl Op {
    /// The word that a thread's own access touches.
    pub fn word(self) -> Option<u8> {
        match self {
            Op::Read(word)
            | Op::Peek(word)
            | Op::Write(word)
            | Op::Add(word)
            | Op::Max(word)
            | Op::Fetch(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is about a barrier object and orders no memory.
    pub fn is_relaxed(self) -> bool {
        matches!(self, Op::ArriveRelaxed(_) | Op::AwaitRelaxed { .. })
    }

    /// Whether all members come together without ordering memory.
    pub fn is_collective(self) -> bool {
        matches!(self, Op::Vote(_) | Op::Shuffle(_))
    }
}

/// Who the agents are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agents {
    Lanes,
    Warps,
}

/// A program: one list of operations an agent.
#[derive(Clone, Debug)]
pub struct Program {
    pub agents: Agents,
    pub code: Vec<Vec<Op>>,
    /// Barrier 0 counts the odd agents, and everybody remembers how many there were.
    pub counts: bool,
    /// Arrivals that end a phase of a barrier object.
    pub expected: u8,
    /// All stores are of one number; two that nothing orders are no race then.
    pub alike: bool,
    /// Reads that are forgotten are no race with stores.
    pub idle: bool,
}

/// The number that all stores are of, if they are of one.
pub const ONE_NUMBER: u32 = 5;

/// An access: agent and position in its list.
pub type At = (usize, usize);

/// The number that an operation writes or adds.
pub fn own_number(agent: usize, position: usize) -> u32 {
    (agent as u32 + 1) * 100 + position as u32
}

/// What an agent remembers after one more result.
pub fn digest(before: u32, result: u32) -> u32 {
    before.wrapping_mul(31).wrapping_add(result)
}

impl Program {
    /// Threads of the block.
    pub fn threads(&self) -> u32 {
        self.code.len() as u32 * if self.agents == Agents::Warps { 32 } else { 1 }
    }

    /// The program as PTX, and for each of its lines which access it is.
    pub fn ptx(&self) -> (String, Vec<Option<At>>) {
        let mut text = Text { lines: Vec::new(), accesses: Vec::new(), labels: 0, returns: 0, program: self };
        text.kernel();
        (text.lines.join("\n") + "\n", text.accesses)
    }
}

/// Where a barrier object lies.
fn place(object: u8) -> String {
    format!("[s+{}]", 8 + 8 * object)
}

struct Text<'a> {
    lines: Vec<String>,
    accesses: Vec<Option<At>>,
    labels: u32,
    /// Agents that come back from an aligned barrier: so many places so far.
    returns: usize,
    program: &'a Program,
}

impl Text<'_> {
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
        self.accesses.push(None);
    }

    fn access(&mut self, at: At, line: String) {
        self.lines.push(line);
        self.accesses.push(Some(at));
    }

    fn kernel(&mut self) {
        let warps = self.program.agents == Agents::Warps;
        for line in [
            ".version 8.5",
            ".target sm_90",
            ".address_size 64",
            ".visible .entry program(.param .u64 g, .param .u64 out)",
            "{",
            ".reg .pred %lead, %p;",
            ".reg .b32 %who, %lane, %v, %own, %acc, %back, %peek;",
            ".reg .b64 %g, %out, %state;",
            ".shared .align 8 .b8 s[24];",
            "ld.param.u64 %g, [g];",
            "ld.param.u64 %out, [out];",
            "mov.u32 %acc, 0;",
            "mov.u32 %v, 0;",
            "mov.u32 %lane, %laneid;",
        ] {
            self.say(line);
        }
        self.say(if warps { "setp.eq.u32 %lead, %lane, 0;" } else { "setp.eq.u32 %lead, 0, 0;" });
        self.say(
            if warps { "mov.u32 %who, %tid.x;\nshr.u32 %who, %who, 5;" } else { "mov.u32 %who, %tid.x;" }
                .replace('\n', " "),
        );
        let targets: Vec<String> = (0..self.program.code.len()).map(|agent| format!("A{agent}")).collect();
        self.say(format!("ts: .branchtargets {};", targets.join(", ")));
        self.say("brx.idx %who, ts;");
        for (agent, ops) in self.program.code.iter().enumerate() {
            self.say(format!("A{agent}:"));
            if agent == 0 && ops.first() == Some(&Op::Write(0)) {
                for object in 0..OBJECTS as u8 {
                    let (object, expected) = (place(object), self.program.expected);
                    self.say(format!("@%lead mbarrier.init.shared.b64 {object}, {expected};"));
                }
            }
            for (position, op) in ops.iter().enumerate() {
                self.op(agent, position, *op);
            }
            self.say(format!("@%lead st.global.u32 [%out+{}], %acc;", 4 * agent));
            self.say("exit;");
        }
        if self.returns > 0 {
            // One instruction for all that meet there; each goes back to where it came from.
            let targets: Vec<String> = (0..self.returns).map(|at| format!("R{at}")).collect();
            for slot in 0..SLOTS {
                self.say(format!("S{slot}: bar.sync 0;"));
                self.say(format!("rs{slot}: .branchtargets {};", targets.join(", ")));
                self.say(format!("brx.idx %back, rs{slot};"));
            }
        }
        self.say("}");
    }

    fn remember(&mut self) {
        self.say("mad.lo.u32 %acc, %acc, 31, %v;");
    }

    fn op(&mut self, agent: usize, position: usize, op: Op) {
        let (at, own) = ((agent, position), own_number(agent, position));
        let word = |word: u8| match word {
            0 | 1 => ("shared", format!("s+{}", 4 * word)),
            _ => ("global", format!("%g+{}", 4 * (word - 2))),
        };
        let sync = if self.program.agents == Agents::Warps { "bar" } else { "barrier" };
        match op {
            Op::Read(at_word) => {
                let (space, place) = word(at_word);
                self.access(at, format!("@%lead ld.{space}.u32 %v, [{place}];"));
                self.remember();
            }
            Op::Peek(at_word) => {
                let (space, place) = word(at_word);
                self.access(at, format!("@%lead ld.{space}.u32 %peek, [{place}];"));
            }
            Op::Write(at_word) => {
                let (space, place) = word(at_word);
                match self.program.alike {
                    true => self.say(format!("mov.u32 %own, {ONE_NUMBER};")),
                    false => self.say(format!("add.u32 %own, %acc, {own};")),
                }
                self.access(at, format!("@%lead st.{space}.u32 [{place}], %own;"));
            }
            Op::Add(at_word) => {
                let (space, place) = word(at_word);
                self.access(at, format!("@%lead red.{space}.add.u32 [{place}], {own};"));
            }
            Op::Max(at_word) => {
                let (space, place) = word(at_word);
                self.access(at, format!("@%lead red.{space}.max.u32 [{place}], {own};"));
            }
            Op::Fetch(at_word) => {
                let (space, place) = word(at_word);
                self.access(at, format!("@%lead atom.{space}.add.u32 %v, [{place}], {own};"));
                self.remember();
            }
            Op::SyncAll if self.program.counts => {
                self.say(format!("setp.eq.u32 %p, {}, 1;", agent % 2));
                self.say(format!("{sync}.red.popc.u32 %v, 0, %p;"));
                self.remember();
            }
            Op::SyncAll => self.say(format!("{sync}.sync 0;")),
            Op::Named { id, count, waits } => {
                let verb = if waits { "sync" } else { "arrive" };
                self.say(format!("bar.{verb} {id}, {};", u32::from(count) * 32));
            }
            Op::SyncSet(mask) => self.say(format!("bar.warp.sync {mask};")),
            Op::Vote(mask) => {
                self.say(format!("setp.eq.u32 %p, {}, 1;", agent % 2));
                self.say(format!("vote.sync.ballot.b32 %v, %p, {mask};"));
                self.remember();
            }
            Op::Shuffle(mask) => {
                self.say(format!("mov.u32 %own, {own};"));
                self.say(format!("shfl.sync.idx.b32 %v, %own, {}, 31, {mask};", mask.trailing_zeros()));
                self.remember();
            }
            Op::Fence => self.say("membar.cta;"),
            Op::Copy { to, from } => {
                let ((_, to), (_, from)) = (word(to), word(from));
                self.access(at, format!("@%lead cp.async.ca.shared.global [{to}], [{from}], 4;"));
            }
            Op::Commit => self.say("cp.async.commit_group;"),
            Op::WaitGroups(left) => self.say(format!("cp.async.wait_group {left};")),
            Op::WaitAll => self.say("cp.async.wait_all;"),
            Op::Arrive(object) => {
                self.say(format!("@%lead mbarrier.arrive.shared.b64 %state, {};", place(object)));
            }
            Op::ArriveRelaxed(object) => {
                let object = place(object);
                self.say(format!("@%lead mbarrier.arrive.relaxed.cta.shared.b64 %state, {object};"));
            }
            Op::Aligned(slot) => {
                let at = self.returns;
                self.returns += 1;
                self.say(format!("mov.u32 %back, {at}; bra S{slot};"));
                self.say(format!("R{at}:"));
            }
            Op::ArriveCopies { object, counted } => {
                let noinc = if counted { ".noinc" } else { "" };
                self.say(format!("@%lead cp.async.mbarrier.arrive{noinc}.shared.b64 {};", place(object)));
            }
            Op::Await { object, parity } | Op::AwaitRelaxed { object, parity } => {
                let how = if op.is_relaxed() { ".relaxed.cta" } else { "" };
                let (label, object) = (self.labels, place(object));
                self.labels += 1;
                if self.program.agents == Agents::Warps {
                    self.say(format!("@!%lead bra D{label};"));
                }
                self.say(format!(
                    "W{label}: mbarrier.test_wait.parity{how}.shared.b64 %p, {object}, {parity}; @!%p bra W{label};"
                ));
                if self.program.agents == Agents::Warps {
                    // The warp comes to the next barrier as a whole.
                    self.say(format!("D{label}: bar.warp.sync -1;"));
                }
            }
        }
    }
}

/// A small deterministic generator of pseudo-random numbers.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}
