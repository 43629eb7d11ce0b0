//! Lines that remove the races of a kernel: tried out, not guessed.
//!
//! Candidates are the places from which a line could order the two accesses of a race: before
//! either of them, at the beginnings of the blocks between them, and, for a race around a loop, at
//! the loop's ends. First come those that all threads pass on their way, then those that every thread passes
//! that goes on to the later access, of each kind those in the fewest loops first ([`places`]). The line is a barrier of all threads, one of the warp, or one that the kernel
//! has already (named barriers, also those that it only arrives at); where a `cp.async` takes part,
//! it waits for the copies first. Each is put into the text and the kernel is run again. Where no
//! line alone leaves no fault at all (no race, no deadlock, nothing out of bounds), the one that
//! removes this race and leaves the fewest others stays, and the next race is looked at with it in
//! place, up to [`LINES`] lines. A repair that holds with half and with twice the threads as well, as
//! far as the kernel can be launched so, is preferred to one that does not. At the end each line is taken out once, and what was not needed
//! goes; where a barrier of the warp suffices instead of one of the block, it takes its place.
//!
//! Guarantees: what is returned has been run, in this launch, without any fault, and each of its
//! lines is needed. Missed: a place between an instruction and the label after it; repairs whose first
//! line leaves more races than it removes, or that need new barrier objects or another place for data;
//! what more than [`WORK`] would find, which the answer says; and races between CTAs, which no barrier
//! orders.

mod places;

use super::Input;
use super::contracts::Facts;
use super::model::{Location, TextSource};
use super::ready::Ready;
use super::suspects;
use super::texts::Texts;
use crate::base::{Budget, Exhausted, Source, Span};
use crate::ir::Kernel;
use crate::sim::{self, FaultKind};
use places::candidates;
use serde::Serialize;

/// Lines that a repair may have.
const LINES: usize = 12;
/// Places that are tried with each line but the likeliest.
const PLACES: usize = 16;
/// Thread-instructions after which no further line is tried: a few seconds. The likeliest line gets
/// its first places in any case.
const WORK: u64 = 200_000_000;
/// Lines that do here, but not in all other blocks, after which no better one is looked for.
const LATER: usize = 16;
/// Barriers of the kernel's own that are tried.
const OWN: usize = 4;
const BARRIER: &str = "bar.sync 0;";
const WARP: &str = "bar.warp.sync 0xffffffff;";
const COPIES: &str = "cp.async.wait_all; bar.sync 0;";

/// A race, and which kernel it is in.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct RepairQuestion {
    /// In the reference kernel, not the optimized one.
    pub reference: bool,
    /// Index of the instruction that accessed first.
    pub first: u32,
    /// Index of the other.
    pub second: u32,
}

/// What the search found.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct RepairAnswer {
    /// What removes the race, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub repair: Option<Repair>,
    /// Runs of the kernel with other lines in it.
    pub tried: u32,
    /// More would have been tried if the kernel were not that long.
    pub cut_short: bool,
}

/// Lines that make the kernel run without any fault.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Repair {
    /// Which kernel.
    pub side: TextSource,
    /// The new lines, in the order of the text.
    pub lines: Vec<NewLine>,
    /// The whole text with the lines in it.
    pub text: String,
}

/// A line of a repair.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct NewLine {
    /// The instruction of the text as it was that the line comes before.
    pub before: Location,
    /// The line, without its indentation.
    pub inserted: String,
}

/// Looks for lines that remove a race and every other fault of its kernel.
pub fn repair(input: &Input<'_>, question: RepairQuestion, budget: &Budget) -> RepairAnswer {
    Search::new(input, question, budget, WORK)
        .map_or(RepairAnswer { repair: None, tried: 0, cut_short: false }, |search| search.answer(question))
}

/// A line before an instruction of the kernel as it was.
type Added = (u32, String);

/// A line that removes one race of several.
struct Step {
    /// The pairs that race with it in place.
    left: Vec<(u32, u32)>,
    /// Instructions in the line.
    more: usize,
    /// The instruction of the kernel so far that it comes before.
    at: u32,
    line: String,
}

/// How a run with some lines went.
struct Trial {
    /// The pairs of instructions that race; `None` where something else is wrong, too.
    races: Option<Vec<(u32, u32)>>,
    /// Nothing is wrong that order could not mend: races, and reads of what nobody has written yet.
    mendable: bool,
    /// Instructions of the kernel with those lines.
    length: usize,
}

impl Trial {
    fn is_sound(&self) -> bool {
        self.races.as_ref().is_some_and(Vec::is_empty)
    }
}

struct Search<'a> {
    input: &'a Input<'a>,
    source: Source,
    text: &'a str,
    /// Of each instruction of the kernel as it was.
    spans: Vec<Span>,
    /// A block has several warps.
    warps: bool,
    /// Other blocks in which nothing is wrong with the kernel as it was that order could not mend.
    others: Vec<[u32; 3]>,
    /// Those of them in which what was found holds, too.
    holds_in: Vec<[u32; 3]>,
    budget: &'a Budget,
    most_work: u64,
    work: u64,
    tried: u32,
    cut_short: bool,
}

impl<'a> Search<'a> {
    fn new(
        input: &'a Input<'a>,
        question: RepairQuestion,
        budget: &'a Budget,
        most_work: u64,
    ) -> Option<Self> {
        let source = if question.reference { Source::Reference } else { Source::Optimized };
        let text = if question.reference { input.reference? } else { input.optimized };
        let ready = Ready::new(input, budget)?;
        let (kernel, setup) = ready.side(source)?;
        let spans = kernel.code.iter().map(|instr| instr.span).collect();
        let block = setup.launch.block;
        let warps = block.iter().product::<u32>() > 32;
        let mut search = Search {
            input,
            source,
            text,
            spans,
            warps,
            others: Vec::new(),
            holds_in: Vec::new(),
            budget,
            most_work,
            work: 0,
            tried: 0,
            cut_short: false,
        };
        for x in [block[0] / 2, block[0] * 2] {
            let other = [x, block[1], block[2]];
            if x > 0 && search.run_in(other, &[])?.mendable {
                search.others.push(other);
            }
        }
        search.tried = 0;
        Some(search)
    }

    fn answer(mut self, question: RepairQuestion) -> RepairAnswer {
        let added =
            self.lines_for(question).map(|added| self.needed(added)).map(|added| self.within_warps(added));
        let repair = added.map(|mut added| {
            let texts = Texts::new(self.input.reference, self.input.optimized, self.input.spec);
            added.sort_by_key(|(before, _)| *before);
            Repair {
                side: self.source.into(),
                text: with(self.text, &self.spans, &added),
                lines: added
                    .into_iter()
                    .map(|(before, inserted)| NewLine {
                        before: texts.location(self.source, self.spans[before as usize]),
                        inserted,
                    })
                    .collect(),
            }
        });
        RepairAnswer { repair, tried: self.tried, cut_short: self.cut_short }
    }

    /// Lines with which the kernel has no fault, one after the other.
    fn lines_for(&mut self, question: RepairQuestion) -> Option<Vec<Added>> {
        let mut added: Vec<Added> = Vec::new();
        // Of each instruction of the kernel so far, which it was; none for those that are new.
        let mut origin: Vec<Option<u32>> = (0..self.spans.len() as u32).map(Some).collect();
        let mut race = (question.first, question.second);
        // What holds here, and in which other blocks.
        let mut found: Option<(Vec<Added>, Vec<[u32; 3]>)> = None;
        let mut later = 0;
        while added.len() < LINES {
            let text = with(self.text, &self.spans, &added);
            let ready = Ready::new(&self.replaced(&text), self.budget)?;
            let (kernel, _) = ready.side(self.source)?;
            let mut best: Option<Step> = None;
            let places = candidates(kernel, race.0, race.1);
            'tries: for (rank, line) in lines(kernel, &text, race).into_iter().enumerate() {
                for at in places.iter().take(if rank == 0 { places::MOST } else { PLACES }) {
                    let Some(before) = origin[*at as usize] else { continue };
                    if self.work > self.most_work && self.tried as usize >= PLACES {
                        self.cut_short = true;
                        break 'tries;
                    }
                    added.push((before, line.clone()));
                    let trial = self.run(&added);
                    added.pop();
                    let Trial { races, length, .. } = trial?;
                    let Some(left) = races else { continue };
                    if left.is_empty() {
                        added.push((before, line.clone()));
                        let holds = self.others_with(&added);
                        let everywhere = holds.len() == self.others.len();
                        if found.as_ref().is_none_or(|(_, known)| known.len() < holds.len()) {
                            found = Some((added.clone(), holds));
                        }
                        added.pop();
                        later += 1;
                        if everywhere || later > LATER {
                            break 'tries;
                        }
                        continue;
                    }
                    let more = length - origin.len();
                    let after = |instr: u32| if instr < *at { instr } else { instr + more as u32 };
                    let gone = !left.contains(&(after(race.0), after(race.1)))
                        && !left.contains(&(after(race.1), after(race.0)));
                    if gone && best.as_ref().is_none_or(|best| left.len() < best.left.len()) {
                        best = Some(Step { left, more, at: *at, line: line.clone() });
                    }
                }
            }
            if let Some((added, holds)) = found {
                self.holds_in = holds;
                return Some(added);
            }
            if self.cut_short {
                return None;
            }
            let Step { left, more, at, line } = best?;
            added.push((origin[at as usize]?, line));
            origin.splice(at as usize..at as usize, vec![None; more]);
            race = *left.first()?;
        }
        None
    }

    /// The lines with barriers of a warp where those suffice.
    fn within_warps(&mut self, mut added: Vec<Added>) -> Vec<Added> {
        // Where there is one warp, they always do: that says nothing about the kernel.
        for at in 0..if self.warps { added.len() } else { 0 } {
            if added[at].1 != BARRIER {
                continue;
            }
            WARP.clone_into(&mut added[at].1);
            if !self.is_sound(&added) {
                BARRIER.clone_into(&mut added[at].1);
            }
        }
        added
    }

    /// The lines without which there is a fault.
    fn needed(&mut self, mut added: Vec<Added>) -> Vec<Added> {
        let mut at = 0;
        while at < added.len() && added.len() > 1 {
            let line = added.remove(at);
            if !self.is_sound(&added) {
                added.insert(at, line);
                at += 1;
            }
        }
        added
    }

    fn replaced<'b>(&self, text: &'b str) -> Input<'b>
    where
        'a: 'b,
    {
        match self.source {
            Source::Reference => Input { reference: Some(text), ..*self.input },
            Source::Optimized | Source::Spec => Input { optimized: text, ..*self.input },
        }
    }

    /// Whether the kernel with these lines runs without any fault wherever the repair is to hold.
    fn is_sound(&mut self, added: &[Added]) -> bool {
        self.run(added).is_some_and(|trial| trial.is_sound())
            && self.others_with(added).len() >= self.holds_in.len()
    }

    /// The other blocks in which the kernel with these lines runs without any fault.
    fn others_with(&mut self, added: &[Added]) -> Vec<[u32; 3]> {
        let mut others = if self.holds_in.is_empty() { self.others.clone() } else { self.holds_in.clone() };
        others.retain(|block| self.run_in(*block, added).is_some_and(|trial| trial.is_sound()));
        others
    }

    /// Runs the kernel with some lines in it; `None` where the budget ends that.
    fn run(&mut self, added: &[Added]) -> Option<Trial> {
        let text = with(self.text, &self.spans, added);
        self.tries(&self.replaced(&text))
    }

    /// The same with another block.
    fn run_in(&mut self, block: [u32; 3], added: &[Added]) -> Option<Trial> {
        let text = with(self.text, &self.spans, added);
        let mut overrides = self.input.overrides.cloned().unwrap_or_default();
        // Of both kernels: what is laid over a spec knows no sides.
        overrides.launch.block = Some(block);
        let input = Input { overrides: Some(&overrides), ..self.replaced(&text) };
        self.tries(&input)
    }

    fn tries(&mut self, input: &Input<'_>) -> Option<Trial> {
        self.tried += 1;
        let (trial, executed) = try_out(input, self.source, self.budget).ok()?;
        self.work += executed;
        Some(trial)
    }
}

/// A text with lines before some of its instructions, which begin at `spans`; of several before the
/// same one, the first comes first.
fn with(text: &str, spans: &[Span], added: &[Added]) -> String {
    let mut added: Vec<_> = added.iter().collect();
    added.sort_by_key(|(before, _)| *before);
    let mut out = String::with_capacity(text.len() + 32 * added.len());
    let mut from = 0;
    for (before, line) in added {
        let at = spans[*before as usize].start as usize;
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let indentation = text[start..at].chars().take_while(|c| c.is_whitespace());
        out.push_str(&text[from..at]);
        out.push_str(line);
        out.push('\n');
        out.extend(indentation);
        from = at;
    }
    out + &text[from..]
}

/// The lines that may help, the likeliest first.
fn lines(kernel: &Kernel, text: &str, race: (u32, u32)) -> Vec<String> {
    let words = |at: u32| {
        let instr = kernel.code.get(at as usize);
        instr
            .map(|instr| instr.span.text(text).split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_default()
    };
    // A copy that nobody waited for is ordered by no barrier alone.
    let copies = [race.0, race.1].into_iter().any(|at| words(at).contains("cp.async."));
    let mut lines = vec![if copies { COPIES } else { BARRIER }.to_owned(), WARP.to_owned()];
    let all = 0..kernel.code.len() as u32;
    for words in all.map(words) {
        // Whoever only arrives lets others wait, who may have forgotten to.
        let Some((name, operands)) = words.split_once(' ') else { continue };
        if !matches!(name, "bar.sync" | "bar.arrive" | "barrier.sync" | "barrier.arrive") {
            continue;
        }
        let own =
            format!("{} {};", name.replace("arrive", "sync"), operands.trim_end_matches(';').trim_end());
        if lines.len() < 2 + OWN && !lines.contains(&own) && own != BARRIER {
            lines.push(own);
        }
    }
    lines
}

/// How a kernel runs, and the thread-instructions that it took to tell.
fn try_out(input: &Input<'_>, source: Source, budget: &Budget) -> Result<(Trial, u64), Exhausted> {
    let bad = Trial { races: None, mendable: false, length: 0 };
    let Some(ready) = Ready::new(input, budget) else { return Ok((bad, 0)) };
    let Some((kernel, setup)) = ready.side(source) else { return Ok((bad, 0)) };
    // A line after which two threads store the same wrong value repairs nothing.
    let options =
        sim::Options { timeline_events: 0, same_value_stores_race: true, ..sim::Options::default() };
    let mut run = sim::simulate(&options, budget, kernel, setup);
    budget.poll()?;
    let known = (&Facts::default(), setup.unknowable.0);
    let settled = suspects::judge(&ready.options, budget, kernel, &ready.bound.settled(), &mut run, known)?;
    let (mut races, mut mendable) = (Some(Vec::new()), settled.open.is_empty());
    for fault in run.faults.iter().chain(settled.found.iter().map(|(fault, _)| fault)) {
        match (&fault.kind, &mut races) {
            (FaultKind::DataRace(found), Some(races)) => {
                races.extend(found.iter().map(|race| (race.first.site.instr, race.second.site.instr)));
            }
            (kind, _) => {
                races = None;
                mendable &= matches!(
                    kind,
                    FaultKind::DataRace(_) | FaultKind::Uninitialized(..) | FaultKind::UninitializedMemory(_)
                );
            }
        }
    }
    if !settled.open.is_empty() {
        races = None;
    }
    Ok((Trial { races, mendable, length: kernel.code.len() }, run.stats.thread_instructions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_get_the_indentation_of_what_they_come_before() {
        let text = "{\n\t$L: ld.a;\n\tst.b;\n}";
        let span = |of: &str| {
            let start = text.find(of).unwrap_or_default() as u32;
            Span { start, end: start + of.len() as u32 }
        };
        let spans = [span("ld.a;"), span("st.b;")];
        let added = |lines: &[(u32, &str)]| -> String {
            with(text, &spans, &lines.iter().map(|(at, line)| (*at, (*line).to_owned())).collect::<Vec<_>>())
        };
        assert_eq!(added(&[(1, BARRIER)]), "{\n\t$L: ld.a;\n\tbar.sync 0;\n\tst.b;\n}");
        assert_eq!(added(&[(0, BARRIER)]), "{\n\t$L: bar.sync 0;\n\tld.a;\n\tst.b;\n}");
        assert_eq!(
            added(&[(1, "one;"), (0, BARRIER), (1, "two;")]),
            "{\n\t$L: bar.sync 0;\n\tld.a;\n\tone;\n\ttwo;\n\tst.b;\n}"
        );
    }

    /// Threads that read their neighbour's slot before and after it is written, for a while.
    const LONG: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
.reqntid 64, 1, 1
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<9>;
\t.reg .b64 %rd<4>;
\t.shared .align 4 .b32 slots[65];
\tld.param.u64 %rd1, [out];
\tmov.u32 %r1, %tid.x;
\tshl.b32 %r2, %r1, 2;
\tmov.u32 %r3, slots;
\tadd.u32 %r4, %r3, %r2;
\tmov.u32 %r5, 0;
$round:
\tadd.u32 %r5, %r5, 1;
\tsetp.lt.u32 %p1, %r5, 40;
\t@%p1 bra $round;
\tst.shared.u32 [%r4], %r1;
\tst.shared.u32 [%r4+4], %r1;
\tld.shared.u32 %r6, [%r4];
\tmul.wide.u32 %rd2, %r1, 4;
\tadd.u64 %rd3, %rd1, %rd2;
\tst.global.u32 [%rd3], %r6;
\tret;
}
";

    fn search(text: &str, between: [&str; 2], work: u64) -> RepairAnswer {
        let input = Input { reference: None, optimized: text, spec: None, ..Input::default() };
        // Four declarations stand before the first instruction.
        let at = |of: &str| text[..text.find(of).expect("there")].matches(";\n").count() as u32 - 4;
        let question = RepairQuestion { reference: false, first: at(between[0]), second: at(between[1]) };
        Search::new(&input, question, &Budget::default(), work).expect("it runs").answer(question)
    }

    #[test]
    fn several_lines_are_found_and_all_are_needed() {
        let answer = search(LONG, ["st.shared.u32 [%r4],", "st.shared.u32 [%r4+4]"], WORK);
        let repair = answer.repair.expect("two barriers");
        assert_eq!(repair.lines.len(), 2);
        assert!(!answer.cut_short);
        for line in &repair.lines {
            assert!(line.before.excerpt.contains(".shared.u32"), "{}", line.before.excerpt);
        }
    }

    /// Both a line before the load and one before the loop end the race; the one outside stays out of the rounds.
    #[test]
    fn a_line_outside_of_a_loop_is_preferred() {
        let (head, tail) = LONG.split_once("$round:\n").expect("a loop");
        let (rounds, _) = tail.split_once("\tst.shared").expect("stores");
        let (_, end) = tail.split_once("\tmul.wide").expect("an end");
        let own = "\txor.b32 %r7, %r2, 4;\n\tadd.u32 %r7, %r3, %r7;\n\tst.shared.u32 [%r4], %r1;\n\tmov.u32 %r6, 0;\n";
        let text = format!("{head}{own}$round:\n\tld.shared.u32 %r6, [%r7];\n{rounds}\tmul.wide{end}");
        let answer = search(&text, ["st.shared.u32 [%r4]", "ld.shared.u32 %r6"], WORK);
        let repair = answer.repair.expect("one barrier");
        assert_eq!(repair.lines.len(), 1);
        let (line, head) =
            (repair.text.find("\tbar.").expect("in it"), repair.text.find("$round:").expect("in it"));
        assert!(line < head, "{}", repair.text);
    }

    /// With 64 threads the stores of the second half of them are not there to race.
    #[test]
    fn a_repair_is_tried_with_other_blocks() {
        let text = LONG.replace(".reqntid 64, 1, 1\n", "").replace("slots[65]", "slots[129]");
        let spec = "[launch]\nblock = [64, 1, 1]\n";
        let input = Input { reference: None, optimized: &text, spec: Some(spec), ..Input::default() };
        let question = RepairQuestion { reference: false, first: 9, second: 10 };
        let budget = Budget::default();
        let search = Search::new(&input, question, &budget, WORK).expect("it runs");
        assert_eq!(search.others, [[32, 1, 1], [128, 1, 1]]);
    }

    /// A kernel of 64 threads, each of which has the address of its slot in `%r4` and of its number times four
    /// in `%r2`, and stores `%r6` in the end.
    fn kernel(body: &str) -> String {
        let (head, tail) = LONG.split_once("\tmov.u32 %r5, 0;\n").expect("a loop");
        let (_, end) = tail.split_once("\tmul.wide").expect("an end");
        let head = head.replace(".reqntid 64, 1, 1\n", "").replace("slots[65]", "slots[128]");
        format!("{head}{body}\tmul.wide{end}")
    }

    fn repaired(text: &str, between: [&str; 2]) -> Repair {
        let spec = "[launch]\nblock = [64, 1, 1]\n";
        let input = Input { reference: None, optimized: text, spec: Some(spec), ..Input::default() };
        let at = |of: &str| text[..text.find(of).expect("there")].matches(";\n").count() as u32 - 4;
        let question = RepairQuestion { reference: false, first: at(between[0]), second: at(between[1]) };
        let answer =
            Search::new(&input, question, &Budget::default(), WORK).expect("it runs").answer(question);
        answer.repair.expect("a repair")
    }

    /// Whether a text has no fault in blocks of these sizes.
    fn holds_in(text: &str, blocks: &[u32]) -> bool {
        blocks.iter().all(|block| {
            let spec = format!("[launch]\nblock = [{block}, 1, 1]\n");
            let input = Input { reference: None, optimized: text, spec: Some(&spec), ..Input::default() };
            try_out(&input, Source::Optimized, &Budget::default()).is_ok_and(|(trial, _)| trial.is_sound())
        })
    }

    /// All 64 threads take the branch, so a barrier in it would do; of 128 threads half would not come by.
    #[test]
    fn a_line_that_all_threads_pass_is_preferred_to_one_in_a_branch() {
        let text = kernel(
            "\tst.shared.u32 [%r4], %r1;\n\tmov.u32 %r6, 0;\n\tsetp.gt.u32 %p1, %r1, 63;\n\t@%p1 bra $end;\n\t\
             xor.b32 %r7, %r2, 128;\n\tadd.u32 %r7, %r3, %r7;\n\tld.shared.u32 %r6, [%r7];\n$end:\n",
        );
        let repair = repaired(&text, ["st.shared.u32", "ld.shared.u32"]);
        let [line, branch] =
            ["bar.sync 0;", "@%p1 bra"].map(|words| repair.text.find(words).expect("in the text"));
        assert!(line < branch, "{}", repair.text);
        assert!(holds_in(&repair.text, &[64, 128]), "{}", repair.text);
    }

    /// Before either load a barrier does for 64 threads; 128 threads need it before the first.
    #[test]
    fn a_line_that_holds_in_other_blocks_is_preferred() {
        let text = kernel(
            "\tst.shared.u32 [%r4], %r1;\n\tmov.u32 %r8, %ntid.x;\n\tsetp.gt.u32 %p1, %r8, 64;\n\t\
             xor.b32 %r7, %r2, 256;\n\tadd.u32 %r7, %r3, %r7;\n\t@%p1 ld.shared.u32 %r6, [%r7];\n\t\
             xor.b32 %r7, %r2, 4;\n\tadd.u32 %r7, %r3, %r7;\n\tld.shared.u32 %r6, [%r7];\n",
        );
        let repair = repaired(&text, ["st.shared.u32", "\tld.shared.u32"]);
        assert_eq!(repair.lines.len(), 1);
        assert!(holds_in(&repair.text, &[32, 64, 128]), "{}", repair.text);
    }

    /// All threads write the same slot: no barrier helps.
    #[test]
    fn a_search_ends_where_its_work_does_and_says_so() {
        let hopeless = LONG.replace("st.shared.u32 [%r4],", "st.shared.u32 [slots],");
        let between = ["mov.u32 %r1, %tid.x", "st.global.u32"];
        let answer = search(&hopeless, between, 1_000);
        assert!(answer.repair.is_none() && answer.cut_short);
        assert_eq!(answer.tried as usize, PLACES);
        let answer = search(&hopeless, between, WORK);
        assert!(answer.repair.is_none() && !answer.cut_short);
        assert!(answer.tried as usize > PLACES);
    }
}
