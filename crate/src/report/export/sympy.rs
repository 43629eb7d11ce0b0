//! The Python program.
//!
//! Only names that SymPy and SymEngine share are used, so that the first import can be exchanged.
//! Running the file builds every pair and says of each whether `expand` or, failing that,
//! `simplify` brings the difference to 0; importing it only builds `pairs`.

use super::plan::{Plan, Sort, Summand, arity, bit_name};
use super::{Conditions, Failure, within};
use crate::decide::{Exact, Factor, Meaning};
use crate::term::{Node, Relation, Rounding, Term, Unary};
use num_rational::{BigRational, Ratio};
use num_traits::One;
use std::collections::BTreeSet;
use std::fmt::Write;

const SIDES: [&str; 2] = ["r", "o"];

const IMPORT: &str = "from sympy import (\n    Abs, Add, And, E, Function, Integer, Le, Lt, Eq, Max, Min, Ne, Not, Or, Piecewise, Rational, Symbol,\n    ceiling, cos, erf, exp, expand, floor, log, nan, oo, pi, sign, sin, sqrt, tanh,\n)\n";

const CHECK: &str = "\nif __name__ == '__main__':\n    from sympy import simplify\n\n    shown = 0\n    for name, reference, optimized in pairs:\n        difference = reference - optimized\n        equal = expand(difference) == 0 or simplify(difference) == 0\n        shown += equal\n        if not equal:\n            print(f'{name}: not shown equal')\n    print(f'{shown} of {len(pairs)} pairs are equal')\n";

/// The program.
pub(super) fn write(conditions: &Conditions<'_>) -> Result<String, Failure> {
    let mut text: String = conditions.title.iter().map(|line| format!("# {line}\n")).collect();
    text += "# r_N and o_N are steps of the reference and of the optimized kernel.\n\n";
    text += IMPORT;
    text.push('\n');
    let elements: BTreeSet<u32> = conditions.plans.iter().flat_map(|plan| plan.elements.clone()).collect();
    for element in elements {
        let name = quoted(&conditions.elements.name(element));
        let _ = writeln!(text, "e{element} = Symbol({name}, real=True)");
    }
    for (side, plan) in conditions.plans.iter().enumerate() {
        let writer = Writer { side: SIDES[side], plan };
        let _ = writeln!(text, "\n# The {} kernel.", ["reference", "optimized"][side]);
        for constant in &plan.constants {
            let _ = writeln!(text, "{}_c{constant} = {}", writer.side, number(&plan.meanings[*constant]));
        }
        for (written, node) in plan.nodes.iter().enumerate() {
            if written.is_multiple_of(1024) {
                within(&text, conditions.budget)?;
            }
            let root = Term::from_node(*node as usize);
            let _ = writeln!(text, "{} = {}", writer.term(root), writer.value(root));
        }
    }
    text += "\n# Output element, reference, optimized.\npairs = [\n";
    for pair in &conditions.pairs {
        let [left, right] = [0, 1].map(|side| {
            let plan = &conditions.plans[side];
            Writer { side: SIDES[side], plan }.as_value(pair.terms[side])
        });
        let _ = writeln!(text, "    ({}, {left}, {right}),", quoted(&pair.name));
    }
    text += "]\n";
    text += CHECK;
    within(&text, conditions.budget)?;
    Ok(text)
}

struct Writer<'a> {
    side: &'static str,
    plan: &'a Plan<'a>,
}

impl Writer<'_> {
    fn term(&self, term: Term) -> String {
        let side = self.side;
        match (term.as_element(), term.as_constant()) {
            (Some(element), _) => format!("e{element}"),
            (_, Some(constant)) => format!("{side}_c{constant}"),
            _ => format!("{side}_{}", term.raw()),
        }
    }

    /// The term as a number; a condition counts as 1 or 0.
    fn as_value(&self, term: Term) -> String {
        let text = self.term(term);
        match self.plan.sort(term) {
            Sort::Real | Sort::Bits => text,
            Sort::Condition => format!("Piecewise((Integer(1), {text}), (Integer(0), True))"),
        }
    }

    fn as_condition(&self, term: Term) -> String {
        let text = self.term(term);
        match self.plan.sort(term) {
            Sort::Condition => text,
            Sort::Real | Sort::Bits => format!("Ne({text}, 0)"),
        }
    }

    fn value(&self, root: Term) -> String {
        let real = |term: Term| self.as_value(term);
        match self.plan.terms.node(root) {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => self.sum(root),
            Node::Mul(a, b) => format!("{}*{}", real(a), real(b)),
            Node::Div(a, b) => format!("{}/{}", real(a), real(b)),
            Node::Unary(function, a) => unary(function, &real(a)),
            Node::Max(..) | Node::Min(..) => {
                let word = if matches!(self.plan.terms.node(root), Node::Max(..)) { "Max" } else { "Min" };
                let members: Vec<String> = self.plan.members(root).into_iter().map(real).collect();
                format!("{word}({})", members.join(", "))
            }
            Node::Select(condition, a, b) if self.plan.sort(root) == Sort::Condition => {
                let [c, a, b] = [condition, a, b].map(|term| self.as_condition(term));
                format!("Or(And({c}, {a}), And(Not({c}), {b}))")
            }
            Node::Select(condition, a, b) => {
                format!("Piecewise(({}, {}), ({}, True))", real(a), self.as_condition(condition), real(b))
            }
            Node::Round(mode, format, a) => {
                let mode = match mode {
                    Rounding::NearestEven => "nearest",
                    Rounding::Zero => "zero",
                    Rounding::Down => "down",
                    Rounding::Up => "up",
                };
                format!("Function('round_{mode}_{format}')({})", real(a))
            }
            Node::Compare(relation, a, b) => {
                let word = match relation {
                    Relation::Less => "Lt",
                    Relation::LessEqual => "Le",
                    Relation::Equal => "Eq",
                };
                format!("{word}({}, {})", real(a), real(b))
            }
            Node::And(a, b) => format!("And({}, {})", self.as_condition(a), self.as_condition(b)),
            Node::Or(a, b) => format!("Or({}, {})", self.as_condition(a), self.as_condition(b)),
            Node::Not(a) => format!("Not({})", self.as_condition(a)),
            Node::BitsOf(format, a) => format!("Function('bits_of_{format}')({})", real(a)),
            Node::BitConstant(bits) => format!("Symbol('bits_0x{bits:x}')"),
            Node::Bits(op, width, a, b, c) => {
                let operands: Vec<String> = [a, b, c][..arity(op)].iter().map(|term| real(*term)).collect();
                let value = format!("Function('bits_{}_{width}')({})", bit_name(op), operands.join(", "));
                if self.plan.sort(root) == Sort::Condition { format!("Ne({value}, 0)") } else { value }
            }
            Node::FromBits(format, a) => format!("Function('real_of_{format}')({})", real(a)),
            Node::Apply(function, a, b) => {
                let name = quoted(self.plan.terms.function_name(function));
                format!("Function({name})({}, {})", real(a), real(b))
            }
            Node::Element(_) | Node::Constant(_) => unreachable!("leaves are no nodes"),
        }
    }

    /// Long sums as one call: Python's own nesting is limited, and SymPy's costs the square.
    fn sum(&self, root: Term) -> String {
        let summands = self.plan.summands(root);
        let short = summands.len() <= 4;
        let mut text = String::new();
        for (at, (negative, summand)) in summands.into_iter().enumerate() {
            let value = match summand {
                Summand::Whole(term) => self.as_value(term),
                Summand::Product(a, b) => format!("{}*{}", self.as_value(a), self.as_value(b)),
            };
            text += match (at, negative, short) {
                (0, false, _) => "",
                (0, true, _) => "-",
                (_, false, true) => " + ",
                (_, true, true) => " - ",
                (_, false, false) => ", ",
                (_, true, false) => ", -",
            };
            text += &value;
        }
        if short { text } else { format!("Add({text})") }
    }
}

fn unary(function: Unary, a: &str) -> String {
    match function {
        Unary::Neg => format!("-{a}"),
        Unary::Recip => format!("1/{a}"),
        Unary::Sqrt => format!("sqrt({a})"),
        Unary::Rsqrt => format!("1/sqrt({a})"),
        Unary::Exp => format!("exp({a})"),
        Unary::Exp2 => format!("exp(log(Integer(2))*{a})"),
        Unary::Log => format!("log({a})"),
        Unary::Log2 => format!("log({a})/log(Integer(2))"),
        Unary::Sin => format!("sin({a})"),
        Unary::Cos => format!("cos({a})"),
        Unary::Tanh => format!("tanh({a})"),
        Unary::Erf => format!("erf({a})"),
        Unary::Atan => format!("atan({a})"),
        // The real root, where a rational power would be the complex one.
        Unary::Cbrt => format!("sign({a})*Abs({a})**Rational(1, 3)"),
        Unary::Abs => format!("Abs({a})"),
        Unary::Floor => format!("floor({a})"),
        Unary::Ceil => format!("ceiling({a})"),
        Unary::Trunc => format!("sign({a})*floor(Abs({a}))"),
        Unary::RoundEven => format!("Function('round_even')({a})"),
    }
}

fn number(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Number(value) => exact(value),
        Meaning::Infinity => "oo".to_owned(),
        Meaning::MinusInfinity => "-oo".to_owned(),
        Meaning::NotANumber | Meaning::Unwritten => "nan".to_owned(),
        Meaning::True => "Eq(Integer(0), 0)".to_owned(),
        Meaning::False => "Eq(Integer(0), 1)".to_owned(),
    }
}

fn exact(value: &Exact) -> String {
    let mut text = rational(value.coefficient());
    for (factor, power) in value.factors() {
        let base = match factor {
            Factor::Prime(prime) => format!("Integer({prime})"),
            Factor::Pi => "pi".to_owned(),
            Factor::Ln2 => "log(Integer(2))".to_owned(),
            Factor::Ln10 => "log(Integer(10))".to_owned(),
            Factor::E => "E".to_owned(),
        };
        text += &match power {
            power if power.is_one() => format!("*{base}"),
            power if *power == Ratio::from_integer(-1) => format!("/{base}"),
            power => format!("*{base}**Rational({}, {})", power.numer(), power.denom()),
        };
    }
    text
}

fn rational(value: &BigRational) -> String {
    match value.is_integer() {
        true => format!("Integer({})", value.numer()),
        false => format!("Rational({}, {})", value.numer(), value.denom()),
    }
}

/// A Python string.
fn quoted(text: &str) -> String {
    let mut quoted = "'".to_owned();
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push('_'),
            c => quoted.push(c),
        }
    }
    quoted + "'"
}
