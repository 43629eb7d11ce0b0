//! Each idiom as compilers emit it, and near misses that must stay as they are.

use super::*;
use crate::base::Format;
use crate::term::eval::Cone;
use crate::term::{Named, Number};

fn rewritten(terms: &Terms, root: Term) -> Option<Rewritten> {
    rewrite(terms, &[root], &Budget::default()).unwrap()
}

/// What a kernel of the table computes, over other inputs.
fn shape(terms: &mut Terms, kernel: &str, inputs: &[Term]) -> Term {
    let mut open = Terms::new();
    open.open_elements();
    let placeholders: Vec<Term> = (0..shape::PLACEHOLDERS as u32).map(Term::element).collect();
    let root = text::read(&mut open, texts()[kernel], &placeholders, &mut FxHashMap::default()).unwrap();
    let inputs: Vec<Term> = (0..shape::PLACEHOLDERS).map(|at| inputs[at.min(inputs.len() - 1)]).collect();
    built::instance(&open, root, &inputs, terms, false)
}

const EXPF: &str = "math/exp.precise";

/// A store where the argument is no element, so that operands sort the other way round.
fn argument(terms: &mut Terms) -> Term {
    terms.sub(Term::element(3), Term::element(4))
}

#[test]
fn every_row_is_found_with_any_argument() {
    for idiom in IDIOMS {
        for kernel in idiom.kernels {
            let mut terms = Terms::new();
            for x in [Term::element(9), argument(&mut terms)] {
                let root = shape(&mut terms, kernel, &[x, Term::element(8)]);
                // What is rounded to half precision is told by that, too.
                let told = idiom.format();
                assert!(terms.len() > 3 || told.is_some(), "{kernel} computes nothing to recognize");
                if let Some(format) = told {
                    let by_word = matches!(terms.node(root), Node::FromBits(..));
                    let found =
                        rewritten(&terms, root).is_some_and(|new| new.recognized == [(idiom.name, 1)]);
                    assert_eq!(found, by_word, "{kernel} without its rounding");
                    terms.note_float(format, root);
                }
                let new = rewritten(&terms, root).unwrap_or_else(|| panic!("{kernel} not found"));
                assert_eq!(new.recognized, [(idiom.name, 1)], "{kernel}");
                let mut expected = Terms::new();
                let x = if x.as_element().is_some() { x } else { argument(&mut expected) };
                let meaning = (idiom.meaning)(&mut expected, &[x, Term::element(8)]);
                assert_eq!(new.terms.len(), expected.len(), "{kernel}");
                assert_eq!(new.terms.node(new.roots[0]), expected.node(meaning), "{kernel}");
            }
        }
    }
}

#[test]
fn a_sign_in_one_place_only_is_another_program() {
    // The sine, with the sign of one multiplication of the range reduction turned.
    let mut original = Terms::new();
    let root = shape(&mut original, "elementary/sin.precise", &[Term::element(0)]);
    let mut tried = 0;
    for turned in 0..original.len() {
        let (Node::Mul(..) | Node::Fma(..)) = original.node_at(turned) else { continue };
        let (mut terms, mut places) = (Terms::new(), Vec::<Term>::new());
        for at in 0..original.len() {
            let copy = with_operands(&original.node_at(at), |operand| match operand.as_constant() {
                Some(constant) => terms.constant(original.constant_at(constant).clone()),
                None => operand.as_node().map_or(operand, |node| places[node]),
            });
            let copy = match copy {
                Node::Mul(a, b) if at == turned => Node::Mul(terms.neg(a), b),
                Node::Fma(a, b, c) if at == turned => Node::Fma(terms.neg(a), b, c),
                other => other,
            };
            let copy = build(&mut terms, &original, &copy);
            places.push(copy);
        }
        let new = rewritten(&terms, places[root.as_node().unwrap()]);
        let whole = |node: Node| matches!(node, Node::Unary(Unary::Sin, _));
        assert!(new.is_none_or(|new| !whole(new.terms.node(new.roots[0]))), "step {turned}");
        tried += 1;
    }
    assert!(tried > 8, "{tried}");
}

#[test]
fn every_kernel_is_run_by_a_case() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let cases: String = ["math", "elementary", "triton", "half", "bfloat", "double"]
        .into_iter()
        .flat_map(|family| std::fs::read_dir(corpus.join("equivalent").join(family)).unwrap())
        .map(|case| std::fs::read_to_string(case.unwrap().path()).unwrap())
        .collect();
    for kernel in IDIOMS.iter().flat_map(|idiom| idiom.kernels) {
        let kernel = format!("kernels/{}.ptx", kernel.split(['@', '#']).next().unwrap());
        assert!(cases.contains(&kernel), "no case runs {kernel}");
    }
}

/// Constants of one kernel that are changed, one at a time.
const MOST_WRONG: usize = 16;

#[test]
fn one_wrong_constant_is_another_program() {
    // Rebuild each shape with one constant moved by one unit in the last place.
    let mut tried = 0;
    for idiom in IDIOMS {
        for kernel in idiom.kernels {
            let mut original = Terms::new();
            let root = shape(&mut original, kernel, &[0, 1].map(Term::element));
            let cone = Cone::of(&original, &[root], &Budget::default()).unwrap();
            let constants = cone.constants().iter().map(|constant| *constant as usize);
            let constants: Vec<usize> = constants.filter(|constant| *constant >= 3).collect();
            // Of long code every so manieth: each try is a search of its own.
            for wrong in constants.iter().copied().step_by(constants.len().div_ceil(MOST_WRONG).max(1)) {
                let Number::Rational(value) = &original.constant_at(wrong).number else { continue };
                let (format, bits, float) = if kernel.starts_with("double") {
                    let float = num_traits::ToPrimitive::to_f64(value).unwrap();
                    (Format::F64, float.to_bits(), float)
                } else {
                    let float = num_traits::ToPrimitive::to_f32(value).unwrap();
                    (Format::F32, u64::from(float.to_bits()), f64::from(float))
                };
                let mut terms = Terms::new();
                let root = copy_with(&original, root, &mut terms, |terms, constant| {
                    if constant == wrong {
                        terms.number(format, bits ^ 1)
                    } else {
                        terms.constant(original.constant_at(constant).clone())
                    }
                });
                if let Some(format) = idiom.format() {
                    terms.note_float(format, root);
                }
                // A part may be an idiom still, the whole is none.
                if let Some(new) = rewritten(&terms, root) {
                    let mut expected = Terms::new();
                    let meaning = (idiom.meaning)(&mut expected, &[0, 1].map(Term::element));
                    let same = new.terms.len() == expected.len()
                        && new.terms.node(new.roots[0]) == expected.node(meaning);
                    assert!(!same, "{kernel} with {float} changed");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

/// Copies a cone, constants through a function.
fn copy_with(
    old: &Terms,
    root: Term,
    new: &mut Terms,
    mut constants: impl FnMut(&mut Terms, usize) -> Term,
) -> Term {
    let mut places = Vec::new();
    for node in 0..old.len() {
        let copy = with_operands(&old.node_at(node), |operand| match operand.as_constant() {
            Some(constant) => constants(new, constant),
            None => operand.as_node().map_or(operand, |node| places[node]),
        });
        let copy = build(new, old, &copy);
        places.push(copy);
    }
    places[root.as_node().unwrap()]
}

#[test]
fn near_misses_of_expf_stay() {
    // The shift works on a different sum than the one the exponent was computed from.
    let mut terms = Terms::new();
    let (x, y) = (Term::element(0), Term::element(1));
    let one = shape(&mut terms, EXPF, &[x]);
    let other = shape(&mut terms, EXPF, &[y]);
    let (Node::Mul(fraction, _), Node::Mul(a, b)) = (terms.node(one), terms.node(other)) else { panic!() };
    let power = if matches!(terms.node(a), Node::FromBits(..)) { a } else { b };
    let mixed = terms.mul(fraction, power);
    assert!(rewritten(&terms, mixed).is_none());
    // A shift by another distance.
    let Node::FromBits(_, shifted) = terms.node(power) else { panic!() };
    let Node::Bits(op, width, bits, _, _) = terms.node(shifted) else { panic!() };
    let by = terms.bit_constant(22);
    let shifted = terms.bits(op, width, bits, by, Term::ZERO);
    let power = terms.from_bits(Format::F32, shifted);
    let wrong = terms.mul(fraction, power);
    assert!(rewritten(&terms, wrong).is_none());
}

#[test]
fn unoptimised_builds_subtract_what_others_add() {
    let mut original = Terms::new();
    let root = shape(&mut original, EXPF, &[Term::element(0)]);
    for (subtrahend, recognized) in [(0x4b40_007fu64, true), (0x4b40_007e, false), (0xcb40_007f, false)] {
        let mut terms = Terms::new();
        let mut places: Vec<Term> = Vec::new();
        for node in 0..original.len() {
            let old = original.node_at(node);
            let map = |terms: &mut Terms, term: Term| match (term.as_node(), term.as_constant()) {
                (Some(node), _) => places[node],
                (_, Some(constant)) => terms.constant(original.constant_at(constant).clone()),
                _ => term,
            };
            let place = match old {
                Node::Add(sum, _) => {
                    let (sum, constant) = (map(&mut terms, sum), terms.number(Format::F32, subtrahend));
                    terms.sub(sum, constant)
                }
                _ => {
                    let node = with_operands(&old, |term| map(&mut terms, term));
                    build(&mut terms, &original, &node)
                }
            };
            places.push(place);
        }
        assert_eq!(rewritten(&terms, places[root.as_node().unwrap()]).is_some(), recognized);
    }
}

#[test]
fn fused_and_negated_products_are_found() {
    let mut terms = Terms::new();
    let (x, y) = (Term::element(0), Term::element(1));
    let product = shape(&mut terms, EXPF, &[x]);
    let Node::Mul(a, b) = terms.node(product) else { panic!() };
    let minus_a = terms.neg(a);
    let sum = terms.fma(minus_a, b, y);
    let new = rewritten(&terms, sum).unwrap();
    let mut expected = Terms::new();
    let exp = expected.unary(Unary::Exp, x);
    let minus_exp = expected.neg(exp);
    let sum = expected.add(minus_exp, y);
    assert_eq!(new.terms.len(), expected.len());
    assert_eq!(new.terms.node(new.roots[0]), expected.node(sum));
}

#[test]
fn a_chain_of_idioms_is_rebuilt_and_the_rest_kept() {
    let mut terms = Terms::new();
    let mut sum = Term::ZERO;
    for at in 0..100 {
        let exp = shape(&mut terms, EXPF, &[Term::element(at)]);
        sum = terms.add(sum, exp);
    }
    let named = terms.named(Named::Pi);
    let other = terms.apply("f", sum, named);
    let new = rewrite(&terms, &[other, Term::element(7), named], &Budget::default()).unwrap().unwrap();
    assert_eq!(new.recognized, [("expf", 100)]);
    assert_eq!(new.terms.len(), 200);
    assert_eq!(new.roots[1], Term::element(7));
    let Node::Apply(function, _, pi) = new.terms.node(new.roots[0]) else { panic!() };
    assert_eq!((new.terms.function_name(function), pi), ("f", new.roots[2]));
    assert!(rewrite(&new.terms, &new.roots, &Budget::default()).unwrap().is_none());
}

#[test]
fn a_scale_may_have_gone_into_the_choice() {
    let mut terms = Terms::new();
    let x = Term::element(0);
    let log = shape(&mut terms, "math/log.precise", &[x]);
    let Node::Select(zero, limit, value) = terms.node(log) else { panic!() };
    for (scale, limit, recognized) in
        [(3, limit, true), (-3, limit, false), (-3, Term::INFINITY, true), (3, Term::INFINITY, false)]
    {
        let factor = terms.integer(scale);
        let scaled = terms.mul(value, factor);
        let chosen = terms.select(zero, limit, scaled);
        let new = rewritten(&terms, chosen).expect("the logarithm is found");
        let root = new.terms.node(new.roots[0]);
        if recognized {
            let mut expected = Terms::new();
            let (log, factor) = (expected.unary(Unary::Log, x), expected.integer(scale));
            let product = expected.mul(log, factor);
            assert_eq!(new.terms.len(), expected.len());
            assert!(matches!(root, Node::Mul(..)), "{product:?}");
        } else {
            // Not what the function is at 0: the choice stays, around what it is elsewhere.
            assert!(matches!(root, Node::Select(_, own, _) if own == limit), "{root:?}");
        }
    }
}
