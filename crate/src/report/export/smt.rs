//! The SMT-LIB 2 script.
//!
//! Elements are real constants, steps are nullary functions, and the one assertion at the end is
//! that some pair differs: `unsat` proves the kernels equal. Functions that SMT-LIB's reals lack are
//! declared, with those facts about them stated that the places where they occur suggest
//! ([`FACTS`], [`axioms`](super::axioms)); the rest is left open, so `sat` shows nothing.

use super::axioms::{self, Part, Split};
use super::guards::{self, Case};
use super::plan::{Plan, Sort, Summand, arity, bit_name};
use super::{Conditions, Failure, within};
use crate::base::Format;
use crate::decide::{Exact, Factor, Meaning};
use crate::term::{Node, Relation, Rounding, Term, Unary};
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Declared functions and what the file states about them.
const FACTS: [(&str, &str); 6] = [
    (
        "real.exp",
        "at every place: it is positive; e^(a+b) = e^a e^b where the argument is a sum; e^(ln 2) = 2",
    ),
    ("real.log", "at every place: e^(log a) = a, and a is positive"),
    ("real.sqrt", "at every place: it is not negative, and its square is its argument"),
    ("real.cbrt", "at every place: its third power is its argument"),
    ("real.sin", "at every place: sin^2 + cos^2 = 1; nothing else"),
    ("real.erf", "nothing"),
];

/// Whose definitions they are.
const SIDES: [&str; 2] = ["r", "o"];

/// The script.
pub(super) fn write(conditions: &Conditions<'_>) -> Result<String, Failure> {
    let mut script = Script::default();
    let elements: BTreeSet<u32> = conditions.plans.iter().flat_map(|plan| plan.elements.clone()).collect();
    for element in &elements {
        let name = element_name(&conditions.elements.name(*element), *element);
        let _ = writeln!(script.body, "(declare-fun {name} () Real)");
        script.elements.insert(*element, name);
    }
    for (side, plan) in conditions.plans.iter().enumerate() {
        let kernel = ["reference", "optimized"][side];
        let _ = writeln!(script.body, "\n; The {kernel} kernel.");
        script.constants(side, plan)?;
        let roots: Vec<Term> = conditions.pairs.iter().map(|pair| pair.terms[side]).collect();
        let guarded = guards::guarded(plan, &roots);
        script.guarded = guarded.iter().map(|(node, _)| *node).collect();
        let mut splits = plan.splits.iter().peekable();
        for (written, node) in plan.nodes.iter().enumerate() {
            if written.is_multiple_of(1024) {
                within(&script.body, conditions.budget)?;
            }
            script.define(side, plan, *node as usize)?;
            if let Some((_, split)) = splits.next_if(|(at, _)| at == node) {
                script.split(side, plan, *node as usize, split);
            }
        }
        script.under_guards(side, plan, &guarded);
        within(&script.body, conditions.budget)?;
    }
    let _ = writeln!(script.body, "\n; Some output element differs.\n(assert (or false");
    for pair in &conditions.pairs {
        let sorts = [0, 1].map(|side| conditions.plans[side].sort(pair.terms[side]));
        let wanted = if sorts[0] == sorts[1] { sorts[0] } else { Sort::Real };
        let [left, right] =
            [0, 1].map(|side| script.as_sort(side, &conditions.plans[side], pair.terms[side], wanted));
        let _ =
            writeln!(script.body, "  (not (= {left} {right})) ; {}", pair.name.replace(['\n', '\r'], " "));
    }
    script.body += "))\n(check-sat)\n";
    within(&script.body, conditions.budget)?;
    Ok(script.finish(&conditions.title))
}

#[derive(Default)]
struct Script {
    body: String,
    elements: BTreeMap<u32, String>,
    /// Declared functions: name to signature.
    functions: BTreeMap<String, &'static str>,
    /// Irrational constants and their roots.
    roots: BTreeSet<(Factor, i64)>,
    /// Whether maxima and minima occur.
    extremes: BTreeSet<&'static str>,
    /// What was assumed of a term once.
    assumed: BTreeSet<String>,
    /// Nodes of the side being written whose value is not used on every input.
    guarded: BTreeSet<u32>,
    /// What is so where such a node is used.
    if_used: Vec<(u32, String)>,
}

impl Script {
    fn finish(self, title: &[String]) -> String {
        let mut text: String = title.iter().map(|line| format!("; {line}\n")).collect();
        text += "; unsat: they do, wherever both are defined. sat: nothing is shown where functions are declared.\n";
        text += "; r.N and o.N are steps of the reference and of the optimized kernel.\n";
        for (function, fact) in FACTS {
            if self.functions.contains_key(function) {
                let _ = writeln!(text, "; Stated about {function}: {fact}.");
            }
        }
        text += "(set-logic ALL)\n";
        if self.functions.values().any(|signature| signature.contains("Bits")) {
            text += "(declare-sort Bits 0)\n";
        }
        // Of one line each, so that whoever wants to leave them open can: the proof of a softmax
        // never looks into its maximum, and a solver that does is lost in cases.
        for (name, sign) in [("max", ">="), ("min", "<=")] {
            if self.extremes.contains(name) {
                let _ = writeln!(
                    text,
                    "; With (declare-fun real.{name} (Real Real) Real) instead, unsat still proves the kernels equal."
                );
                let _ = writeln!(
                    text,
                    "(define-fun real.{name} ((a Real) (b Real)) Real (ite ({sign} a b) a b))"
                );
            }
        }
        for (name, signature) in &self.functions {
            let _ = writeln!(text, "(declare-fun {name} {signature})");
        }
        for (factor, degree) in &self.roots {
            text += &axioms::root_facts(*factor, *degree);
        }
        if self.functions.contains_key("real.exp") {
            for (factor, value) in [(Factor::Ln2, "2.0"), (Factor::Ln10, "10.0")] {
                if self.roots.contains(&(factor, 1)) {
                    let name = axioms::root_name(factor, 1);
                    let _ = writeln!(text, "(assert (= (real.exp {name}) {value}))");
                }
            }
        }
        text + &self.body
    }

    fn constants(&mut self, side: usize, plan: &Plan<'_>) -> Result<(), Failure> {
        for constant in &plan.constants {
            let value = match &plan.meanings[*constant] {
                Meaning::Number(exact) => self.exact(exact),
                Meaning::True | Meaning::False => continue,
                Meaning::Infinity | Meaning::MinusInfinity => {
                    return Err(Failure::Refused(
                        "the conditions hold an infinity, which SMT-LIB's reals do not have".to_owned(),
                    ));
                }
                Meaning::NotANumber | Meaning::Unwritten => {
                    return Err(Failure::Refused(
                        "the conditions hold a NaN, which SMT-LIB's reals do not have".to_owned(),
                    ));
                }
            };
            let _ = writeln!(self.body, "(define-fun {}.c{constant} () Real {value})", SIDES[side]);
        }
        Ok(())
    }

    fn exact(&mut self, value: &Exact) -> String {
        let roots = &mut self.roots;
        axioms::exact(value, &mut |factor, degree| {
            roots.insert((factor, degree));
            if !matches!(factor, Factor::Prime(_)) {
                roots.insert((factor, 1));
            }
        })
    }

    fn ln2(&mut self) -> &'static str {
        self.roots.insert((Factor::Ln2, 1));
        "const.ln2"
    }

    fn term(&self, side: usize, term: Term) -> String {
        let side = SIDES[side];
        match (term.as_element(), term.as_constant()) {
            (Some(element), _) => self.elements[&element].clone(),
            _ if term == Term::TRUE => "true".to_owned(),
            _ if term == Term::FALSE => "false".to_owned(),
            (_, Some(constant)) => format!("{side}.c{constant}"),
            _ => format!("{side}.{}", term.raw()),
        }
    }

    /// The term as something of that sort; between sorts there are only uninterpreted functions.
    fn as_sort(&mut self, side: usize, plan: &Plan<'_>, term: Term, wanted: Sort) -> String {
        let text = self.term(side, term);
        let (name, signature) = match (plan.sort(term), wanted) {
            (Sort::Real, Sort::Real) | (Sort::Condition, Sort::Condition) | (Sort::Bits, Sort::Bits) => {
                return text;
            }
            (Sort::Condition, Sort::Real) => return format!("(ite {text} 1.0 0.0)"),
            (Sort::Real, Sort::Condition) => return format!("(not (= {text} 0.0))"),
            (Sort::Real, Sort::Bits) => ("bits.of_real", "(Real) Bits"),
            (Sort::Condition, Sort::Bits) => ("bits.of_condition", "(Bool) Bits"),
            (Sort::Bits, Sort::Real) => ("real.of_bits", "(Bits) Real"),
            (Sort::Bits, Sort::Condition) => ("bits.hold", "(Bits) Bool"),
        };
        self.function(name, signature);
        format!("({name} {text})")
    }

    fn function(&mut self, name: &str, signature: &'static str) {
        if !self.functions.contains_key(name) {
            self.functions.insert(name.to_owned(), signature);
        }
    }

    /// A function of one real.
    fn real(&mut self, name: &str, argument: &str) -> String {
        self.function(name, "(Real) Real");
        format!("({name} {argument})")
    }

    fn assume(&mut self, facts: &mut String, fact: String) {
        if self.assumed.insert(fact.clone()) {
            let _ = writeln!(facts, "(assert {fact})");
        }
    }

    /// What is so wherever the value of a node is used.
    fn assume_where_used(&mut self, at: usize, facts: &mut String, fact: String) {
        if self.guarded.contains(&(at as u32)) {
            self.if_used.push((at as u32, fact));
        } else {
            self.assume(facts, fact);
        }
    }

    /// When the values of guarded nodes are used, and what is so then.
    fn under_guards(&mut self, side: usize, plan: &Plan<'_>, guarded: &[(u32, Vec<Case>)]) {
        let facts = std::mem::take(&mut self.if_used);
        if facts.is_empty() {
            return;
        }
        let used = |node: u32| format!("{}.{}.used", SIDES[side], Term::from_node(node as usize).raw());
        let _ = writeln!(self.body, "; Where the values of guarded steps are used, and what is so there.");
        for (node, cases) in guarded {
            let mut value = "(or false".to_owned();
            for Case { user, guard } in cases {
                let guard = guard.map(|(condition, holds)| {
                    let condition = self.as_sort(side, plan, condition, Sort::Condition);
                    if holds { condition } else { format!("(not {condition})") }
                });
                let _ = match (user.map(used), guard) {
                    (Some(user), Some(guard)) => write!(value, " (and {user} {guard})"),
                    (Some(one), None) | (None, Some(one)) => write!(value, " {one}"),
                    (None, None) => write!(value, " true"),
                };
            }
            let _ = writeln!(self.body, "(define-fun {} () Bool {value}))", used(*node));
        }
        for (node, fact) in facts {
            let _ = writeln!(self.body, "(assert (=> {} {fact}))", used(node));
        }
    }

    fn define(&mut self, side: usize, plan: &Plan<'_>, at: usize) -> Result<(), Failure> {
        let root = Term::from_node(at);
        let mut facts = String::new();
        let real = |script: &mut Self, term: Term| script.as_sort(side, plan, term, Sort::Real);
        let value = match plan.terms.node_at(at) {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => self.sum(side, plan, root),
            Node::Mul(a, b) => format!("(* {} {})", real(self, a), real(self, b)),
            Node::Div(a, b) => {
                let (above, below) = (real(self, a), real(self, b));
                self.denominator(plan, (at, b), &below, &mut facts)?;
                format!("(/ {above} {below})")
            }
            Node::Unary(function, a) => {
                let argument = real(self, a);
                if function == Unary::Recip {
                    self.denominator(plan, (at, a), &argument, &mut facts)?;
                }
                self.unary(at, function, &argument, &mut facts)
            }
            Node::Max(a, b) => {
                self.extremes.insert("max");
                format!("(real.max {} {})", real(self, a), real(self, b))
            }
            Node::Min(a, b) => {
                self.extremes.insert("min");
                format!("(real.min {} {})", real(self, a), real(self, b))
            }
            Node::Select(condition, a, b) => {
                let sort = plan.sort(root);
                let condition = self.as_sort(side, plan, condition, Sort::Condition);
                let (a, b) = (self.as_sort(side, plan, a, sort), self.as_sort(side, plan, b, sort));
                format!("(ite {condition} {a} {b})")
            }
            Node::Round(mode, format, a) => {
                let argument = real(self, a);
                self.real(&round_name(mode, format), &argument)
            }
            Node::Compare(relation, a, b) => {
                let sign = match relation {
                    Relation::Less => "<",
                    Relation::LessEqual => "<=",
                    Relation::Equal => "=",
                };
                format!("({sign} {} {})", real(self, a), real(self, b))
            }
            Node::And(a, b) | Node::Or(a, b) => {
                let word = if matches!(plan.terms.node_at(at), Node::And(..)) { "and" } else { "or" };
                let [a, b] = [a, b].map(|term| self.as_sort(side, plan, term, Sort::Condition));
                format!("({word} {a} {b})")
            }
            Node::Not(a) => format!("(not {})", self.as_sort(side, plan, a, Sort::Condition)),
            Node::BitsOf(format, a) => {
                let (name, argument) = (format!("bits.of.{format}"), real(self, a));
                self.function(&name, "(Real) Bits");
                format!("({name} {argument})")
            }
            Node::BitConstant(bits) => {
                let name = format!("bits.0x{bits:x}");
                self.function(&name, "() Bits");
                name
            }
            Node::Bits(op, width, a, b, c) => {
                let name = format!("bits.{}.{width}", bit_name(op));
                let condition = plan.sort(root) == Sort::Condition;
                let signature = match (arity(op), condition) {
                    (1, _) => "(Bits) Bits",
                    (2, false) => "(Bits Bits) Bits",
                    (2, true) => "(Bits Bits) Bool",
                    _ => "(Bits Bits Bits) Bits",
                };
                self.function(&name, signature);
                let operands: Vec<String> = [a, b, c][..arity(op)]
                    .iter()
                    .map(|term| self.as_sort(side, plan, *term, Sort::Bits))
                    .collect();
                format!("({name} {})", operands.join(" "))
            }
            Node::FromBits(format, a) => {
                let name = format!("real.of.{format}");
                self.function(&name, "(Bits) Real");
                format!("({name} {})", self.as_sort(side, plan, a, Sort::Bits))
            }
            Node::Apply(function, a, b) => {
                let name = format!("real.apply.{}", plain(plan.terms.function_name(function)));
                self.function(&name, "(Real Real) Real");
                format!("({name} {} {})", real(self, a), real(self, b))
            }
            Node::Element(_) | Node::Constant(_) => unreachable!("leaves are no nodes"),
        };
        let sort = match plan.sort(root) {
            Sort::Real => "Real",
            Sort::Condition => "Bool",
            Sort::Bits => "Bits",
        };
        let _ = writeln!(self.body, "(define-fun {} () {sort} {value})", self.term(side, root));
        self.body += &facts;
        Ok(())
    }

    fn sum(&mut self, side: usize, plan: &Plan<'_>, root: Term) -> String {
        let summands = plan.summands(root);
        if let [(false, Summand::Whole(a)), (true, Summand::Whole(b))] = summands.as_slice() {
            let [a, b] = [*a, *b].map(|term| self.as_sort(side, plan, term, Sort::Real));
            return format!("(- {a} {b})");
        }
        let mut text = "(+".to_owned();
        for (negative, summand) in summands {
            let value = match summand {
                Summand::Whole(term) => self.as_sort(side, plan, term, Sort::Real),
                Summand::Product(a, b) => {
                    let [a, b] = [a, b].map(|term| self.as_sort(side, plan, term, Sort::Real));
                    format!("(* {a} {b})")
                }
            };
            let _ = if negative { write!(text, " (- {value})") } else { write!(text, " {value}") };
        }
        text + ")"
    }

    /// Notes that a denominator is not zero; a constant zero would make every file unsatisfiable.
    fn denominator(
        &mut self,
        plan: &Plan<'_>,
        (at, term): (usize, Term),
        text: &str,
        facts: &mut String,
    ) -> Result<(), Failure> {
        match term.as_constant().map(|constant| &plan.meanings[constant]) {
            Some(Meaning::Number(exact)) if exact.coefficient().is_zero() => {
                Err(Failure::Refused("a kernel divides by the constant 0, which has no value".to_owned()))
            }
            Some(_) => Ok(()),
            None => {
                self.assume_where_used(at, facts, format!("(not (= {text} 0.0))"));
                Ok(())
            }
        }
    }

    fn unary(&mut self, at: usize, function: Unary, a: &str, facts: &mut String) -> String {
        match function {
            Unary::Neg => format!("(- {a})"),
            Unary::Recip => format!("(/ 1.0 {a})"),
            Unary::Sqrt | Unary::Rsqrt => {
                let root = self.real("real.sqrt", a);
                let sign = if function == Unary::Sqrt { ">=" } else { ">" };
                self.assume_where_used(at, facts, format!("({sign} {root} 0.0)"));
                self.assume_where_used(at, facts, format!("(= (* {root} {root}) {a})"));
                if function == Unary::Sqrt { root } else { format!("(/ 1.0 {root})") }
            }
            Unary::Cbrt => {
                let root = self.real("real.cbrt", a);
                self.assume(facts, format!("(= (* {root} {root} {root}) {a})"));
                root
            }
            Unary::Exp => self.exponential(a, facts),
            Unary::Exp2 => {
                let argument = format!("(* {} {a})", self.ln2());
                self.exponential(&argument, facts)
            }
            Unary::Log | Unary::Log2 => {
                let log = self.real("real.log", a);
                self.assume_where_used(at, facts, format!("(> {a} 0.0)"));
                let back = self.real("real.exp", &log);
                self.assume_where_used(at, facts, format!("(= {back} {a})"));
                if function == Unary::Log { log } else { format!("(/ {log} {})", self.ln2()) }
            }
            Unary::Sin | Unary::Cos => {
                let [sin, cos] = ["real.sin", "real.cos"].map(|name| self.real(name, a));
                self.assume(facts, format!("(= (+ (* {sin} {sin}) (* {cos} {cos})) 1.0)"));
                if function == Unary::Sin { sin } else { cos }
            }
            // By its definition, so that it meets what kernels compute with exponentials.
            Unary::Tanh => {
                let power = self.exponential(&format!("(* 2.0 {a})"), facts);
                format!("(- 1.0 (/ 2.0 (+ 1.0 {power})))")
            }
            Unary::Erf => self.real("real.erf", a),
            Unary::Atan => self.real("real.atan", a),
            Unary::Abs => format!("(ite (>= {a} 0.0) {a} (- {a}))"),
            Unary::Floor => floor(a),
            Unary::Ceil => ceil(a),
            Unary::Trunc => format!("(ite (>= {a} 0.0) {} {})", floor(a), ceil(a)),
            Unary::RoundEven => {
                let (raised, tie) = (format!("(+ {a} (/ 1.0 2.0))"), floor(&format!("(+ {a} (/ 1.0 2.0))")));
                format!("(ite (and (= {raised} {tie}) (= (mod (to_int {tie}) 2) 1)) (- {tie} 1.0) {tie})")
            }
        }
    }

    fn exponential(&mut self, argument: &str, facts: &mut String) -> String {
        let power = self.real("real.exp", argument);
        self.assume(facts, format!("(> {power} 0.0)"));
        power
    }

    /// The functional equation at one exponential: with `Σ factor · part` as the exponent, positive
    /// factors stand on one side and negative ones on the other.
    fn split(&mut self, side: usize, plan: &Plan<'_>, at: usize, split: &Split) {
        let mut facts = String::new();
        let mut products = [Vec::new(), vec![self.term(side, Term::from_node(at))]];
        for (factor, part) in &split.0 {
            let part = match part {
                Part::Term(term) => self.as_sort(side, plan, *term, Sort::Real),
                Part::Product(a, b) => {
                    let [a, b] = [*a, *b].map(|term| self.as_sort(side, plan, term, Sort::Real));
                    format!("(* {a} {b})")
                }
            };
            let magnitude = if factor.is_negative() { factor.negated() } else { factor.clone() };
            let argument = match magnitude.is_one() {
                true => part,
                false => format!("(* {} {part})", self.exact(&magnitude)),
            };
            let power = self.exponential(&argument, &mut facts);
            products[usize::from(factor.is_negative())].push(power);
        }
        let [positive, negative] = products.map(|powers| match powers.as_slice() {
            [] => "1.0".to_owned(),
            [power] => power.clone(),
            powers => format!("(* {})", powers.join(" ")),
        });
        self.assume(&mut facts, format!("(= {negative} {positive})"));
        self.body += &facts;
    }
}

fn floor(a: &str) -> String {
    format!("(to_real (to_int {a}))")
}

fn ceil(a: &str) -> String {
    format!("(- (to_real (to_int (- {a}))))")
}

fn round_name(mode: Rounding, format: Format) -> String {
    let mode = match mode {
        Rounding::NearestEven => "nearest",
        Rounding::Zero => "zero",
        Rounding::Down => "down",
        Rounding::Up => "up",
    };
    format!("real.round.{mode}.{format}")
}

/// `|A[3][5]|`; a bare scalar might collide with a name of the language or of this file.
fn element_name(name: &str, element: u32) -> String {
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match name.split_once('[') {
        Some((tensor, index))
            if plain(tensor) && index.chars().all(|c| "[]".contains(c) || c.is_ascii_digit()) =>
        {
            format!("|{name}|")
        }
        None if plain(name) => format!("scalar.{name}"),
        _ => format!("element.{element}"),
    }
}

/// A function's name with nothing in it that SMT-LIB would read otherwise.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
