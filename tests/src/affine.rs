//! Small random kernels whose addresses are made of indices and sizes, for questions about every size.
//!
//! A kernel has one parameter `n`, a tensor `x` of `n` elements that it reads and writes, a tensor `y` of `n` that it
//! reads, and 64 words of shared memory. Indices are sums, products, shifts and remainders of `tid`, `ctaid·ntid`,
//! `n` and constants; accesses have guards, which most of the time are the right ones; there are branches, loops and
//! barriers, some of them where they must not be. Nothing that was not written decides anything: what is loaded is
//! only added up.

use std::fmt::Write;

/// Numbers that look random.
pub struct Draw(u64);

impl Draw {
    /// From a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// One that is less than that.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

struct Kernel {
    draw: Draw,
    text: String,
    registers: u32,
    predicates: u32,
    addresses: u32,
    labels: u32,
    /// Registers that hold indices.
    indices: Vec<String>,
}

/// The PTX of a kernel.
pub fn kernel(seed: u64) -> String {
    let mut kernel = Kernel {
        draw: Draw::new(seed),
        text: String::new(),
        registers: 8,
        predicates: 0,
        addresses: 4,
        labels: 0,
        indices: ["%r1", "%r5"].map(str::to_owned).to_vec(),
    };
    let count = 2 + kernel.draw.below(4);
    for _ in 0..count {
        kernel.statement(2);
    }
    let Kernel { text, registers, predicates, addresses, .. } = kernel;
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 x, .param .u64 y)\n{{\n\
         .reg .pred %p<{}>;\n.reg .b32 %r<{}>;\n.reg .b64 %rd<{}>;\n.reg .f32 %f<3>;\n.shared .align 4 .b8 s[256];\n\
         ld.param.u32 %r4, [n];\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\ncvta.to.global.u64 %rd1, %rd1;\n\
         cvta.to.global.u64 %rd2, %rd2;\nmov.u64 %rd3, s;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\n\
         mov.u32 %r3, %ctaid.x;\nmov.u32 %r6, %nctaid.x;\nmad.lo.s32 %r5, %r3, %r2, %r1;\nmul.lo.s32 %r7, %r2, %r6;\n\
         mov.f32 %f1, 0f00000000;\n{text}ret;\n}}\n",
        predicates + 1,
        registers + 1,
        addresses + 1,
    )
}

/// The spec: for every size, or for `n`, CTAs and threads.
pub fn spec(sizes: Option<[u64; 3]>) -> String {
    let launch = "[launch]\ngrid = [\"g\"]\nblock = [\"b\"]\nctas = \"all\"\n[optimized]\nargs = [\"n\", \"x\", \"y\"]\n\
                  [tensors.x]\ntype = \"f32\"\nshape = [\"n\"]\nrole = \"inout\"\n[tensors.y]\ntype = \"f32\"\n\
                  shape = [\"n\"]\nrole = \"in\"\n";
    match sizes {
        None => format!("{launch}[sweep]\nn = \"1..\"\ng = \"1..\"\nb = \"1..\"\n"),
        Some([n, g, b]) => format!("{launch}[scalars]\nn = {n}\ng = {g}\nb = {b}\n"),
    }
}

impl Kernel {
    fn register(&mut self) -> String {
        self.registers += 1;
        format!("%r{}", self.registers)
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// An index, new or known.
    fn index(&mut self) -> String {
        let at = self.draw.below(self.indices.len() as u64) as usize;
        let known = self.indices[at].clone();
        if self.draw.one_in(2) {
            return known;
        }
        let new = self.register();
        let other = self.indices[self.draw.below(self.indices.len() as u64) as usize].clone();
        let small = self.draw.pick(&[1, 2, 3, 4]);
        let line = match self.draw.below(9) {
            0 => format!("add.s32 {new}, {known}, {small};"),
            1 => format!("add.s32 {new}, {known}, -{small};"),
            2 => format!("mul.lo.s32 {new}, {known}, {small};"),
            3 => format!("shl.b32 {new}, {known}, 1;"),
            4 => format!("shr.u32 {new}, {known}, {small};"),
            5 => format!("and.b32 {new}, {known}, {};", self.draw.pick(&[1, 3, 31, -2])),
            6 => format!("sub.s32 {new}, {}, {known};", self.draw.pick(&["%r2", "%r4", "%r6"])),
            7 => format!("add.s32 {new}, {known}, {other};"),
            _ => format!("min.s32 {new}, {known}, {};", self.draw.pick(&["%r4", "%r2", "63"])),
        };
        self.say(&line);
        self.indices.push(new.clone());
        new
    }

    /// A predicate that holds where an index is below something.
    fn guard(&mut self, index: &str, end: &str) -> String {
        let (low, high, both) = (self.predicates + 1, self.predicates + 2, self.predicates + 3);
        self.predicates += 3;
        let compare = if self.draw.one_in(12) { "le" } else { "lt" };
        let least = if self.draw.one_in(12) { -1 } else { 0 };
        let mut line = format!("setp.ge.s32 %p{low}, {index}, {least};\n");
        let _ = writeln!(line, "setp.{compare}.s32 %p{high}, {index}, {end};");
        let _ = write!(line, "and.pred %p{both}, %p{low}, %p{high};");
        self.say(&line);
        format!("%p{both}")
    }

    fn access(&mut self) {
        let index = self.index();
        let shared = self.draw.one_in(2);
        let (base, space, end) = match (shared, self.draw.one_in(3)) {
            (true, _) => ("%rd3", "shared", "64"),
            (false, true) => ("%rd2", "global", "%r4"),
            (false, false) => ("%rd1", "global", "%r4"),
        };
        let guard = self.guard(&index, end);
        self.addresses += 2;
        let (offset, address) = (self.addresses - 1, self.addresses);
        let wide = self.draw.pick(&["s32", "s32", "u32"]);
        self.say(&format!(
            "mul.wide.{wide} %rd{offset}, {index}, 4;\nadd.s64 %rd{address}, {base}, %rd{offset};"
        ));
        if base == "%rd2" || self.draw.one_in(2) {
            self.say(&format!(
                "@{guard} ld.{space}.f32 %f2, [%rd{address}];\n@{guard} add.f32 %f1, %f1, %f2;"
            ));
        } else {
            self.say(&format!("@{guard} st.{space}.f32 [%rd{address}], %f1;"));
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.draw.below(if depth == 0 { 5 } else { 9 }) {
            0..=3 => self.access(),
            4 => self.say("bar.sync 0;"),
            5 | 6 => self.branch(depth),
            _ => self.repeat(depth),
        }
    }

    fn body(&mut self, depth: u32) {
        let known = self.indices.len();
        for _ in 0..1 + self.draw.below(2) {
            self.statement(depth - 1);
        }
        // What is made inside is not there elsewhere.
        self.indices.truncate(known);
    }

    fn branch(&mut self, depth: u32) {
        let index = self.index();
        self.predicates += 1;
        self.labels += 1;
        let (predicate, label) = (self.predicates, self.labels);
        let compared = self.draw.pick(&["%r4", "%r2", "1", "32", "5"]);
        let (left, how) = match self.draw.below(3) {
            0 => ("%r4".to_owned(), "lt.s32"),
            1 => (index, "ge.s32"),
            _ => (index, "lt.s32"),
        };
        self.say(&format!("setp.{how} %p{predicate}, {left}, {compared};\n@%p{predicate} bra L{label};"));
        self.body(depth);
        self.say(&format!("L{label}:"));
    }

    fn repeat(&mut self, depth: u32) {
        let counter = self.register();
        self.predicates += 1;
        self.labels += 2;
        let (predicate, head, end) = (self.predicates, self.labels - 1, self.labels);
        let first = self.draw.pick(&["0", "%r1", "%r5", "1"]);
        let last = self.draw.pick(&["%r4", "4", "%r2", "64"]);
        let step = self.draw.pick(&["1", "2", "%r2", "%r7"]);
        self.say(&format!(
            "mov.u32 {counter}, {first};\nL{head}:\nsetp.ge.s32 %p{predicate}, {counter}, {last};\n@%p{predicate} bra L{end};"
        ));
        let known = self.indices.len();
        self.indices.push(counter.clone());
        self.body(depth);
        self.indices.truncate(known);
        let line = match self.draw.one_in(6) && last != "0" && first == "1" {
            true => format!("shl.b32 {counter}, {counter}, 1;"),
            false => format!("add.s32 {counter}, {counter}, {step};"),
        };
        self.say(&format!("{line}\nbra L{head};\nL{end}:"));
    }
}
