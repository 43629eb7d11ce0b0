//! Formulas against NumPy: `formulas/cases.txt` has what it computes, this evaluates the terms at those inputs.
//!
//! Inputs are symbols while terms are built, so nothing is folded away; the numbers are put in afterwards, by an
//! evaluator of this file's own.

use std::collections::HashMap;
use warpproof::base::{Budget, Format};
use warpproof::formula::{Evaluation, FUNCTIONS, Input, Kind, elaborate, parse};
use warpproof::term::{BitOp, Named, Node, Number, Relation, Term, Terms, Unary};

/// A named array of numbers.
struct Array {
    name: String,
    kind: Option<Kind>,
    shape: Vec<u64>,
    values: Vec<f64>,
}

fn array(line: &str) -> Array {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let mut next = || words.next().expect("a name, a type and a shape");
    let (name, kind, shape) = (next().to_owned(), next(), next());
    let extents = shape.trim_matches(['(', ')']).split(',').filter(|extent| !extent.is_empty());
    let shape = extents.map(|extent| extent.parse().expect("an extent")).collect();
    let values = words.map(|word| word.parse().expect("a number")).collect();
    Array { name, kind: kind_of(kind), shape, values }
}

/// What a type of NumPy's is in a formula; `None` for `any`.
fn kind_of(dtype: &str) -> Option<Kind> {
    Some(match dtype {
        "any" => return None,
        "bool" => Kind::Truth,
        "f64" | "f32" => Kind::Real,
        "i8" => Kind::Word(Format::S8),
        "u8" => Kind::Word(Format::U8),
        "i16" => Kind::Word(Format::S16),
        "u16" => Kind::Word(Format::U16),
        "i32" => Kind::Word(Format::S32),
        "u32" => Kind::Word(Format::U32),
        "i64" => Kind::Word(Format::S64),
        "u64" => Kind::Word(Format::U64),
        other => panic!("{other} does not come up"),
    })
}

fn as_word(value: f64, bits: u8) -> u64 {
    (value as i64 as u64) & (u64::MAX >> (64 - bits))
}

fn of_word(word: u64, format: Format) -> f64 {
    let bits = format.bits();
    let signed = matches!(format, Format::S8 | Format::S16 | Format::S32 | Format::S64);
    match signed && word >> (bits - 1) & 1 == 1 {
        true => (word as i64).wrapping_sub(if bits == 64 { 0 } else { 1i64 << bits }) as f64,
        false => word as f64,
    }
}

/// What a term is; conditions are 0 and 1.
fn value(terms: &Terms, term: Term, inputs: &[f64], known: &mut HashMap<Term, f64>) -> f64 {
    if let Some(value) = known.get(&term) {
        return *value;
    }
    let mut of = |term: Term| value(terms, term, inputs, known);
    let truth = |holds: bool| f64::from(u8::from(holds));
    let found = match terms.node(term) {
        Node::Element(at) => inputs[at as usize],
        Node::Constant(at) => match &terms.constant_at(at).number {
            Number::Rational(value) => {
                let text = |number: &num_bigint::BigInt| number.to_string().parse::<f64>().expect("a number");
                text(value.numer()) / text(value.denom())
            }
            Number::Named(Named::Pi) => std::f64::consts::PI,
            Number::Named(name) => panic!("{name:?} does not come up"),
            Number::Infinity => f64::INFINITY,
            Number::MinusInfinity => f64::NEG_INFINITY,
            Number::NotANumber | Number::Unwritten => f64::NAN,
            Number::True => 1.0,
            Number::False => 0.0,
        },
        Node::Add(a, b) => of(a) + of(b),
        Node::Sub(a, b) => of(a) - of(b),
        Node::Mul(a, b) => of(a) * of(b),
        Node::Fma(a, b, c) => of(a) * of(b) + of(c),
        Node::Div(a, b) => of(a) / of(b),
        Node::Max(a, b) => of(a).max(of(b)),
        Node::Min(a, b) => of(a).min(of(b)),
        Node::Select(c, a, b) => {
            if of(c) == 1.0 {
                of(a)
            } else {
                of(b)
            }
        }
        Node::Compare(relation, a, b) => truth(match relation {
            Relation::Less => of(a) < of(b),
            Relation::LessEqual => of(a) <= of(b),
            Relation::Equal => of(a) == of(b),
        }),
        Node::And(a, b) => of(a).min(of(b)),
        Node::Or(a, b) => of(a).max(of(b)),
        Node::Not(a) => 1.0 - of(a),
        Node::Unary(function, a) => {
            let a = of(a);
            match function {
                Unary::Neg => -a,
                Unary::Recip => 1.0 / a,
                Unary::Sqrt => a.sqrt(),
                Unary::Rsqrt => 1.0 / a.sqrt(),
                Unary::Exp => a.exp(),
                Unary::Exp2 => a.exp2(),
                Unary::Log => a.ln(),
                Unary::Log2 => a.log2(),
                Unary::Sin => a.sin(),
                Unary::Cos => a.cos(),
                Unary::Tanh => a.tanh(),
                Unary::Atan => a.atan(),
                Unary::Erf => libm::erf(a),
                Unary::Cbrt => a.cbrt(),
                Unary::Abs => a.abs(),
                Unary::Floor => a.floor(),
                Unary::Ceil => a.ceil(),
                Unary::Trunc => a.trunc(),
                Unary::RoundEven => a.round_ties_even(),
            }
        }
        Node::FromBits(format, a) => of_word(word(terms, a, inputs, known), format),
        other => panic!("{other:?} does not come up"),
    };
    known.insert(term, found);
    found
}

/// The bits of a word, with zeros above.
fn word(terms: &Terms, term: Term, inputs: &[f64], known: &mut HashMap<Term, f64>) -> u64 {
    match terms.node(term) {
        Node::BitsOf(format, a) => as_word(value(terms, a, inputs, known), format.bits() as u8),
        Node::BitConstant(bits) => bits,
        Node::Bits(op, width, a, b, _) => {
            let a = word(terms, a, inputs, known);
            let mut other = || word(terms, b, inputs, known);
            let found = match op {
                BitOp::And => a & other(),
                BitOp::Or => a | other(),
                BitOp::Xor => a ^ other(),
                BitOp::Not => !a,
                BitOp::ShiftLeft => a << other(),
                BitOp::ShiftRight => a >> other(),
                BitOp::ShiftRightSigned => ((a << (64 - width)) as i64 >> (64 - width) >> other()) as u64,
                BitOp::Slice => a >> other(),
                BitOp::Extend => a & (u64::MAX >> (64 - other())),
                BitOp::ExtendSigned => ((a << (64 - other())) as i64 >> (64 - other())) as u64,
                other => panic!("{other:?} does not come up"),
            };
            found & (u64::MAX >> (64 - width))
        }
        other => panic!("{other:?} does not come up"),
    }
}

fn check(code: &str, inputs: &[Array], outputs: &[Array], wrong: &mut Vec<String>) -> u64 {
    let (program, problems) = parse(code);
    if !problems.is_empty() {
        wrong.push(format!("{code}: {}", problems[0].message));
        return 0;
    }
    let declared: Vec<Input> = inputs
        .iter()
        .map(|array| Input {
            name: array.name.clone(),
            shape: Some(array.shape.clone()),
            kind: array.kind.expect("inputs have types"),
            number: None,
        })
        .collect();
    let elaborated = match elaborate(&program, &declared) {
        Ok(elaborated) => elaborated,
        Err(problems) => {
            wrong.push(format!("{code}: {}", problems[0].message));
            return 0;
        }
    };
    let mut numbers = Vec::new();
    let mut firsts = Vec::new();
    let mut terms = Terms::new();
    for array in inputs {
        let first = numbers.len() as u32;
        terms.note_elements(
            first,
            if let Some(Kind::Word(format)) = array.kind { format } else { Format::F64 },
        );
        firsts.push(first);
        numbers.extend(&array.values);
    }
    let budget = Budget::default();
    let element = |_: &mut Terms, at: usize, index: u64| Some(Term::element(firsts[at] + index as u32));
    let mut evaluation = Evaluation::new(&elaborated.graph, &budget, terms, element);
    let mut compared = 0;
    for output in outputs {
        let Some(assigned) = elaborated.assigned.iter().find(|assigned| assigned.name == output.name) else {
            wrong.push(format!("{code}: `{}` is not assigned", output.name));
            continue;
        };
        if elaborated.graph.shape(assigned.id) != output.shape {
            let shape = elaborated.graph.shape(assigned.id);
            wrong.push(format!("{code}: `{}` has the shape {shape:?}, not {:?}", output.name, output.shape));
            continue;
        }
        let kind = elaborated.graph.kind(assigned.id);
        if output.kind.is_some_and(|expected| expected != kind) {
            wrong.push(format!("{code}: `{}` is {kind:?}, not {:?}", output.name, output.kind));
            continue;
        }
        // One by one, the last first, and together.
        let mut together = Vec::new();
        let last = output.values.len() as u64 - 1;
        let alone = evaluation.element(assigned.id, last).expect("an element");
        evaluation.stretch(assigned.id, 0, last + 1, &mut together).expect("all elements");
        assert_eq!(together[last as usize], alone, "{code}");
        let mut known = HashMap::new();
        for (at, (term, expected)) in together.into_iter().zip(&output.values).enumerate() {
            let found = value(&evaluation.terms, term, &numbers, &mut known);
            let close = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            if found != *expected && !close {
                wrong.push(format!("{code}: element {at} of `{}` is {found}, not {expected}", output.name));
                break;
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn every_function_is_compared_with_numpy() {
    let text = include_str!("../formulas/cases.txt");
    let calls: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split(|letter: char| !(letter.is_alphanumeric() || "_(".contains(letter))))
        .flat_map(|word| word.split_inclusive('('))
        .collect();
    let compared = |name: &str| calls.contains(&format!("{name}(").as_str());
    let missing: Vec<_> = FUNCTIONS.iter().map(|row| row.name).filter(|name| !compared(name)).collect();
    assert!(missing.is_empty(), "no case in numpy_cases.py for {}", missing.join(", "));
}

#[test]
fn formulas_mean_what_numpy_means() {
    let texts = [include_str!("../formulas/cases.txt"), include_str!("../formulas/told.txt")];
    let mut wrong = Vec::new();
    let (mut cases, mut compared) = (0, 0);
    for case in texts.into_iter().flat_map(|text| text.split("\n\n")).filter(|case| !case.trim().is_empty()) {
        let lines = |mark: &str| case.lines().filter_map(|line| line.strip_prefix(mark)).collect::<Vec<_>>();
        let code = lines("| ").join("\n");
        let arrays = |mark| lines(mark).into_iter().map(array).collect::<Vec<_>>();
        compared += check(&code, &arrays("< "), &arrays("> "), &mut wrong);
        cases += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 150 && compared > 1_500, "{cases} cases, {compared} elements");
    println!("formulas: {cases} cases, {compared} elements");
}
