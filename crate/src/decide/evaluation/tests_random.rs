//! Random programs of choices against small changes of themselves: what is found to be equal is
//! compared at all points of a grid on which ties and borders are common.

use super::tests::{Build, proves};
use crate::term::{Relation, Term, Unary};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    /// max(a, b) by a choice.
    MaxChosen(Relation),
    MinChosen(Relation),
    /// max(a, b) as b + max(a - b, 0).
    MaxShifted,
    Exp,
    Neg,
    Abs,
    /// √|x| and ln(1 + |x|).
    Root,
    Log,
    Less,
    LessEqual,
    Equal,
    Not,
    And,
    Or,
    Select,
    /// `c ? b : a`, for a condition turned round.
    SelectTurned,
    /// `c ? a : -∞`.
    Mask,
    /// √a·√a, 1/(1/a), e^(ln a), and a itself.
    ThroughRoot,
    ThroughInverse,
    ThroughLog,
    Same,
}

/// An operation on what was computed before; conditions and numbers are told apart by the op.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Line {
    op: Op,
    of: [usize; 3],
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

const ELEMENTS: usize = 3;
/// Numbers before the first line: elements, 0, 1.
const GIVEN: usize = ELEMENTS + 2;

fn is_condition(program: &[Line], at: usize) -> bool {
    use Op::*;
    at >= GIVEN && matches!(program[at - GIVEN].op, Less | LessEqual | Equal | Not | And | Or)
}

/// What programs are drawn from: arithmetic and choices, or what orders alone decide.
const ALL: &[Op] = {
    use Op::*;
    const MAX: Op = MaxChosen(Relation::Less);
    const MIN: Op = MinChosen(Relation::LessEqual);
    &[
        Add, Sub, Mul, Div, Max, Min, MAX, MIN, Exp, Neg, Abs, Root, Log, Less, Less, LessEqual, Equal, Not,
        And, Or, Select, Select, Select, Mask, Mask,
    ]
};
const ORDERS: &[Op] = {
    use Op::*;
    const MAX: Op = MaxChosen(Relation::Less);
    const MIN: Op = MinChosen(Relation::LessEqual);
    &[
        Max, Min, MAX, MIN, Less, Less, Less, LessEqual, Equal, Not, And, Or, Select, Select, Select, Select,
        Select, Add,
    ]
};

const PARTIAL: &[Op] = {
    use Op::*;
    const MAX: Op = MaxChosen(Relation::Less);
    &[
        ThroughRoot,
        ThroughRoot,
        ThroughInverse,
        ThroughLog,
        Add,
        Sub,
        Mul,
        Max,
        Min,
        MAX,
        Abs,
        Abs,
        Root,
        Less,
        Less,
        LessEqual,
        Equal,
        Select,
        Select,
        Select,
        Select,
    ]
};

fn draw(random: &mut Random, chosen: &[Op], length: usize) -> Vec<Line> {
    use Op::*;
    let mut program: Vec<Line> = Vec::new();
    while program.len() < length {
        let count = GIVEN + program.len();
        let (conditions, numbers): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|at| is_condition(&program, *at));
        // What was computed last is used most.
        let mut pick =
            |from: &[usize]| from[from.len() - 1 - random.below(from.len()).min(random.below(from.len()))];
        let [a, b] = [pick(&numbers), pick(&numbers)];
        let of = [a, b, 0];
        let line = match chosen[random.below(chosen.len())] {
            op @ (Not | And | Or | Select | Mask) if conditions.is_empty() => {
                let _ = op;
                continue;
            }
            op @ (Not | And | Or) => {
                let mut pick = || conditions[random.below(conditions.len())];
                Line { op, of: [pick(), pick(), 0] }
            }
            op @ (Select | Mask) => Line { op, of: [conditions[random.below(conditions.len())], a, b] },
            op => Line { op, of },
        };
        // The store takes x - x for 0 and c ? x : x for x, whatever x and c are.
        let [a, b, c] = line.of;
        if if matches!(line.op, Select) { b != c } else { a != b } {
            program.push(line);
        }
    }
    program
}

/// One or two changes, some of which change nothing.
fn change(random: &mut Random, program: &[Line]) -> Vec<Line> {
    use Op::*;
    let mut changed = program.to_vec();
    let partial = program.iter().any(|line| matches!(line.op, ThroughRoot | ThroughInverse | ThroughLog));
    for _ in 0..1 + random.below(3) {
        let at = random.below(changed.len());
        let Line { op, of } = changed[at];
        let relation = [Relation::Less, Relation::LessEqual][random.below(2)];
        changed[at].op = match (op, random.below(5)) {
            (Abs | Max | Min | ThroughRoot | ThroughInverse | ThroughLog, 0 | 1) if partial => Same,
            (Max | MaxChosen(_) | MaxShifted, 0) => Max,
            (Max | MaxChosen(_) | MaxShifted, 1) => MaxShifted,
            (Max | MaxChosen(_) | MaxShifted, 2 | 3) => MaxChosen(relation),
            (Min | MinChosen(_), 0) => Min,
            (Min | MinChosen(_), 1 | 2) => MinChosen(relation),
            (Less | LessEqual, 0) => LessEqual,
            (Less | LessEqual, 1) => Less,
            (Select, 0 | 1) => SelectTurned,
            (Select | SelectTurned, 2) => {
                changed[at].of = [of[0], of[2], of[1]];
                op
            }
            (Add | Mul | Max | Min, 4) => {
                changed[at].of = [of[1], of[0], 0];
                op
            }
            (op, 3) if !matches!(op, Not | And | Or) => {
                let numbers: Vec<usize> =
                    (0..GIVEN + at).filter(|other| !is_condition(&changed, *other)).collect();
                changed[at].of[1] = numbers[random.below(numbers.len())];
                op
            }
            (op, _) => op,
        };
        let [a, b, c] = changed[at].of;
        if if matches!(changed[at].op, Select | SelectTurned) { b == c } else { a == b } {
            changed[at] = Line { op, of };
        }
    }
    changed
}

fn build(b: &mut Build, program: &[Line]) -> Vec<Term> {
    use Op::*;
    let mut terms = b.elements(0, ELEMENTS);
    terms.extend([Term::ZERO, Term::ONE]);
    for Line { op, of } in program {
        let [x, y, z] = of.map(|at| terms[at]);
        let term = match op {
            Add => b.0.add(x, y),
            Sub => b.0.sub(x, y),
            Mul => b.0.mul(x, y),
            Div => b.0.div(x, y),
            Max => b.0.max(x, y),
            Min => b.0.min(x, y),
            MaxChosen(relation) => {
                let c = b.0.compare(*relation, y, x);
                b.0.select(c, x, y)
            }
            MinChosen(relation) => {
                let c = b.0.compare(*relation, x, y);
                b.0.select(c, x, y)
            }
            MaxShifted => {
                let gap = b.0.sub(x, y);
                let gain = b.0.max(gap, Term::ZERO);
                b.0.add(y, gain)
            }
            Exp => b.f(Unary::Exp, x),
            Root | Log => {
                let size = b.f(Unary::Abs, x);
                if *op == Root {
                    b.f(Unary::Sqrt, size)
                } else {
                    let sum = b.0.add(Term::ONE, size);
                    b.f(Unary::Log, sum)
                }
            }
            Neg => b.0.neg(x),
            Abs => b.f(Unary::Abs, x),
            Less => b.0.compare(Relation::Less, x, y),
            LessEqual => b.0.compare(Relation::LessEqual, x, y),
            Equal => b.0.compare(Relation::Equal, x, y),
            Not => b.0.not(x),
            And => b.0.and(x, y),
            Or => b.0.or(x, y),
            Select => b.0.select(x, y, z),
            SelectTurned => {
                let c = b.0.not(x);
                b.0.select(c, z, y)
            }
            Mask => b.0.select(x, y, Term::MINUS_INFINITY),
            ThroughRoot => {
                let root = b.f(Unary::Sqrt, x);
                b.0.mul(root, root)
            }
            ThroughInverse => {
                let inverse = b.0.div(Term::ONE, x);
                b.0.div(Term::ONE, inverse)
            }
            ThroughLog => {
                let log = b.f(Unary::Log, x);
                b.f(Unary::Exp, log)
            }
            Same => x,
        };
        terms.push(term);
    }
    vec![*terms.last().expect("not empty")]
}

/// What a line comes to: a number or an infinity; `Err(true)` where a divisor is 0, or an argument out of range.
type Found = Result<f64, bool>;

/// Only what is needed: a branch that is not taken may be undefined.
fn run(program: &[Line], at: usize, elements: &[f64; ELEMENTS]) -> Found {
    use Op::*;
    if at < GIVEN {
        return Ok(elements.get(at).copied().unwrap_or([0.0, 1.0][at.max(ELEMENTS) - ELEMENTS]));
    }
    let Line { op, of } = program[at - GIVEN];
    let get = |place: usize| run(program, of[place], elements);
    let known = |value: f64| if value.is_nan() { Err(false) } else { Ok(value) };
    let truth = |holds: bool| Ok(f64::from(u8::from(holds)));
    match op {
        Add => known(get(0)? + get(1)?),
        Sub => known(get(0)? - get(1)?),
        Mul => known(get(0)? * get(1)?),
        Div => {
            let (x, y) = (get(0)?, get(1)?);
            if y == 0.0 { Err(true) } else { known(x / y) }
        }
        Max | MaxChosen(_) | MaxShifted => {
            let (x, y) = (get(0)?, get(1)?);
            if op == MaxShifted { known(y + known(x - y)?.max(0.0)) } else { Ok(x.max(y)) }
        }
        Min | MinChosen(_) => Ok(get(0)?.min(get(1)?)),
        Exp => Ok(get(0)?.exp()),
        Root => Ok(get(0)?.abs().sqrt()),
        Log => Ok(get(0)?.abs().ln_1p()),
        Neg => Ok(-get(0)?),
        Abs => Ok(get(0)?.abs()),
        Less => truth(get(0)? < get(1)? && !close(get(0)?, get(1)?)),
        LessEqual => truth(get(0)? <= get(1)? || close(get(0)?, get(1)?)),
        Equal => truth(close(get(0)?, get(1)?)),
        Not => truth(get(0)? == 0.0),
        And => truth(get(0)? * get(1)? == 1.0),
        Or => truth(get(0)? + get(1)? > 0.0),
        Select | SelectTurned => {
            if get(0)? == 1.0 {
                get(1)
            } else {
                get(2)
            }
        }
        ThroughRoot => get(0).and_then(|x| if x < 0.0 { Err(true) } else { Ok(x) }),
        ThroughInverse => get(0).and_then(|x| if x == 0.0 { Err(true) } else { Ok(x) }),
        ThroughLog => get(0).and_then(|x| if x <= 0.0 { Err(true) } else { Ok(x) }),
        Same => get(0),
        Mask => {
            if get(0)? == 1.0 {
                get(1)
            } else {
                Ok(f64::NEG_INFINITY)
            }
        }
    }
}

/// Roots and powers are rounded.
fn close(a: f64, b: f64) -> bool {
    a == b || a.is_finite() && b.is_finite() && (a - b).abs() <= 1e-10 * (1.0 + a.abs() + b.abs())
}

const POINTS: usize = 6 * 6 * 6;

fn at_point(point: usize) -> [f64; ELEMENTS] {
    let grid = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0];
    [point % 6, point / 6 % 6, point / 36].map(|at| grid[at])
}

#[test]
fn what_is_found_equal_is_equal_on_a_grid() {
    equal_on_a_grid(ALL);
}

#[test]
fn orders_that_are_found_equal_are_equal_on_a_grid() {
    equal_on_a_grid(ORDERS);
}

#[test]
fn what_is_undefined_elsewhere_and_found_equal_is_equal_on_a_grid() {
    equal_on_a_grid(PARTIAL);
}

fn equal_on_a_grid(ops: &[Op]) {
    let rounds: usize =
        std::env::var("CHOICES_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(40_000);
    let mut random =
        Random(std::env::var("CHOICES_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(5));
    let (mut equal, mut changed_equal) = (0, 0);
    for _ in 0..rounds {
        let length = 3 + random.below(14);
        let program = draw(&mut random, ops, length);
        let other = change(&mut random, &program);
        if is_condition(&program, GIVEN + program.len() - 1) || is_condition(&other, GIVEN + other.len() - 1)
        {
            continue;
        }
        if !proves(|b, optimized| build(b, if optimized { &other } else { &program })) {
            continue;
        }
        // The store itself takes max(-∞, x) for x, and 0·x for 0 where it does not know that x is undefined.
        let points = 0..POINTS;
        let constant = |program: &[Line]| {
            let always = |at: usize, is: fn(f64) -> bool| {
                points.clone().all(|point| run(program, at, &at_point(point)).map_or_else(|_| true, is))
            };
            program.iter().enumerate().any(|(line, Line { op, of })| {
                let zero = || of[..2].iter().any(|at| always(*at, |value| value == 0.0));
                always(GIVEN + line, f64::is_infinite) || matches!(op, Op::Mul | Op::Div) && zero()
            })
        };
        if constant(&program) || constant(&other) {
            continue;
        }
        equal += 1;
        changed_equal += usize::from(program != other);
        for point in points {
            let elements = at_point(point);
            let last = GIVEN + program.len() - 1;
            let (a, b) = (run(&program, last, &elements), run(&other, last, &elements));
            let same = match (a, b) {
                (Err(true), _) | (_, Err(true)) => true,
                (Err(false), Err(false)) => true,
                (Ok(a), Ok(b)) => {
                    a == b || (a - b).abs() <= 1e-6 * (a.abs() + b.abs() + 1.0) || a.abs() > 1e12
                }
                _ => false,
            };
            assert!(same, "{elements:?}: {a:?} and {b:?}\n{program:?}\n{other:?}");
        }
    }
    assert!(
        equal * 20 > rounds && changed_equal * 40 > rounds,
        "{equal} of {rounds}, {changed_equal} changed"
    );
}
