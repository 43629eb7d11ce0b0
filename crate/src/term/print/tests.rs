//! What terms look like.

use super::*;
use crate::base::Format;
use crate::term::{Named, Relation, Unary};
use expect_test::{Expect, expect};

fn elements() -> Elements {
    let mut elements = Elements::default();
    elements.push("A", vec![2, 64], Format::F32, 128);
    elements.push("B", vec![64, 2], Format::F32, 128);
    elements.push("alpha", vec![], Format::F32, 1);
    elements.push("x", vec![128], Format::F32, 128);
    elements
}

fn a(row: u32, column: u32) -> Term {
    Term::element(row * 64 + column)
}

fn b(row: u32, column: u32) -> Term {
    Term::element(128 + row * 2 + column)
}

fn x(at: u32) -> Term {
    Term::element(257 + at)
}

const ALPHA: u32 = 256;

fn show(terms: &Terms, term: Term, marks: &[Mark]) -> String {
    let elements = elements();
    let printer = Printer { terms, elements: &elements, constant: &|_| None, limit: 40 };
    let segments = printer.expression(term, marks).segments();
    segments.iter().map(|s| if s.marked { format!("⟦{}⟧", s.text) } else { s.text.clone() }).collect()
}

fn check(terms: &Terms, term: Term, expected: Expect) {
    expected.assert_eq(&show(terms, term, &[]));
}

fn chain(terms: &mut Terms, order: impl Iterator<Item = u32>) -> Term {
    order.fold(Term::ZERO, |sum, k| terms.fma(a(0, k), b(k, 1), sum))
}

#[test]
fn a_chain_in_order_is_a_sum_over_an_index() {
    let mut terms = Terms::new();
    let sum = chain(&mut terms, 0..64);
    check(&terms, sum, expect!["Σ[k=0…63] A[0][k]·B[k][1]"]);
}

#[test]
fn a_chain_out_of_order_shows_its_beginning_and_its_length() {
    let mut terms = Terms::new();
    let sum = chain(&mut terms, (0..64).map(|k| k * 11 % 64));
    check(&terms, sum, expect!["A[0][0]·B[0][1] + A[0][11]·B[11][1] + … (64 terms)"]);
}

#[test]
fn a_marked_summand_is_shown_wherever_it_stands() {
    let mut terms = Terms::new();
    let mut marked = Term::ZERO;
    let mut sum = Term::ZERO;
    for k in 0..64 {
        sum = terms.fma(a(0, k), b(k, 1), sum);
        if k == 40 {
            marked = sum;
        }
    }
    expect!["A[0][0]·B[0][1] + A[0][1]·B[1][1] + … + ⟦A[0][40]·B[40][1]⟧ + … (64 terms)"].assert_eq(&show(
        &terms,
        sum,
        &[Mark::Product(marked)],
    ));
}

#[test]
fn softmax_reads_like_softmax() {
    let mut terms = Terms::new();
    let max = (0..128).fold(Term::MINUS_INFINITY, |max, k| terms.max(max, x(k)));
    let mut sum = Term::ZERO;
    for k in 0..128 {
        let shifted = terms.sub(x(k), max);
        let exp = terms.unary(Unary::Exp, shifted);
        sum = terms.add(sum, exp);
    }
    let shifted = terms.sub(x(3), max);
    let exp = terms.unary(Unary::Exp, shifted);
    let value = terms.div(exp, sum);
    check(
        &terms,
        value,
        expect!["e^(x[3] - max[k=0…127] (x[k]))/(Σ[k=0…127] e^(x[k] - max[l=0…127] (x[l])))"],
    );
}

#[test]
fn nested_sums_have_an_index_each() {
    let mut terms = Terms::new();
    let mut outer = Term::ZERO;
    for k in 0..8 {
        let mut inner = Term::ZERO;
        for l in 0..8 {
            inner = terms.fma(a(0, l), b(8 * k + l, 0), inner);
        }
        outer = terms.fma(inner, x(k), outer);
    }
    check(&terms, outer, expect!["Σ[k=0…7] (Σ[l=0…7] A[0][l]·B[8k+l][0])·x[k]"]);
}

#[test]
fn signs_and_brackets() {
    let mut terms = Terms::new();
    let alpha = Term::element(ALPHA);
    let difference = terms.sub(x(0), x(1));
    let product = terms.mul(difference, alpha);
    check(&terms, product, expect!["(x[0] - x[1])·alpha"]);
    let negated = terms.neg(product);
    let sum = terms.add(negated, x(2));
    check(&terms, sum, expect!["-(x[0] - x[1])·alpha + x[2]"]);
    let quotient = terms.div(difference, product);
    check(&terms, quotient, expect!["(x[0] - x[1])/((x[0] - x[1])·alpha)"]);
    let root = terms.unary(Unary::Rsqrt, difference);
    let scaled = terms.mul(root, quotient);
    check(&terms, scaled, expect!["(x[0] - x[1])/((x[0] - x[1])·alpha·√(x[0] - x[1]))"]);
    let minus = terms.number(Format::F32, 0xbf80_0001);
    let sum = terms.fma(minus, x(0), x(1));
    check(&terms, sum, expect!["x[1] - 1.0000001·x[0]"]);
    let less = terms.compare(Relation::LessEqual, sum, alpha);
    let select = terms.select(less, x(0), difference);
    let doubled = terms.mul(select, x(5));
    check(&terms, doubled, expect!["(if x[1] - 1.0000001·x[0] ≤ alpha then x[0] else x[0] - x[1])·x[5]"]);
}

#[test]
fn numbers_read_short() {
    let mut terms = Terms::new();
    let mut number = |bits: u32| {
        let constant = terms.number(Format::F32, u64::from(bits));
        let product = terms.mul(constant, Term::element(ALPHA));
        show(&terms, product, &[])
    };
    assert_eq!(number(0x3dcc_cccd), "0.1·alpha");
    assert_eq!(number(0x3727_c5ac), "1e-5·alpha");
    assert_eq!(number(0xc040_0000), "-3·alpha");
    let third = terms.rational(num_rational::BigRational::new(1.into(), 3.into()));
    let third = terms.mul(third, Term::element(ALPHA));
    check(&terms, third, expect!["1/3·alpha"]);
    let log2e = terms.named(Named::Log2E);
    let scaled = terms.mul(log2e, Term::element(ALPHA));
    let power = terms.unary(Unary::Exp2, scaled);
    check(&terms, power, expect!["2^(log₂ e·alpha)"]);
}

#[test]
fn integers_have_all_of_their_digits() {
    let mut terms = Terms::new();
    for text in ["9007199254740993", "-9007199254740991", "18446744069414584320", "1000000000001"] {
        let value: num_bigint::BigInt = text.parse().expect("an integer");
        let number = terms.rational(value.into());
        let product = terms.mul(number, Term::element(ALPHA));
        assert_eq!(show(&terms, product, &[]), format!("{text}·alpha"));
    }
    let ten = num_bigint::BigInt::from(10).pow(30);
    let number = terms.rational((-ten).into());
    assert_eq!(show(&terms, number, &[]), "-1e30");
}

#[test]
fn the_text_stays_small_whatever_the_term() {
    let mut terms = Terms::new();
    let mut deep = x(0);
    for k in 0..100_000 {
        let sin = terms.unary(Unary::Sin, deep);
        deep = terms.mul(sin, x(k % 128));
    }
    assert!(show(&terms, deep, &[]).len() < 1000);
    let mut wide = x(0);
    for _ in 0..200 {
        wide = terms.add(wide, wide);
    }
    let text = show(&terms, wide, &[]);
    assert!(text.ends_with("… (at least 1048576 terms)"), "{text}");
    // One that is counted to its end has its number.
    let mut long = x(0);
    for k in 1..1_000_000 {
        long = terms.add(long, x(k * 7 % 128));
    }
    let text = show(&terms, long, &[]);
    assert!(text.ends_with("… (1000000 terms)"), "{text}");
}

#[test]
fn marks_do_not_make_the_text_large() {
    // Each level shows the one below it twice, and the mark lies at the bottom.
    let mut terms = Terms::new();
    let mut level = x(0);
    for k in 1..64 {
        let condition = terms.compare(Relation::Less, level, x(k));
        let chosen = terms.select(condition, x(k), Term::element(ALPHA));
        level = terms.add(level, chosen);
    }
    let text = show(&terms, level, &[Mark::Term(x(0))]);
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[test]
fn mathml_is_built_from_the_same_tree() {
    let mut terms = Terms::new();
    let sum = chain(&mut terms, 0..64);
    let root = terms.unary(Unary::Sqrt, sum);
    let quotient = terms.div(Term::element(ALPHA), root);
    let elements = elements();
    let printer = Printer { terms: &terms, elements: &elements, constant: &|_| None, limit: 40 };
    expect![[r#"<math display="block"><mfrac><mi>alpha</mi><msqrt><mrow><munderover><mo>Σ</mo><mrow><mi>k</mi><mo>=</mo><mn>0</mn></mrow><mn>63</mn></munderover><mrow><msub><mi>A</mi><mrow><mn>0</mn><mo>,</mo><mi>k</mi></mrow></msub><mo>·</mo><msub><mi>B</mi><mrow><mi>k</mi><mo>,</mo><mn>1</mn></mrow></msub></mrow></mrow></msqrt></mfrac></math>"#]]
        .assert_eq(&printer.expression(quotient, &[]).to_mathml());
    let marked = printer.expression(quotient, &[Mark::Term(Term::element(ALPHA))]).to_mathml();
    assert!(marked.contains("<mrow class=\"marked\"><mi>alpha</mi></mrow>"), "{marked}");
}

#[test]
fn an_extreme_keeps_the_signs_of_its_members() {
    let mut terms = Terms::new();
    let (minus_one, negated) = (Term::MINUS_ONE, terms.sub(Term::ZERO, x(1)));
    let clamped = terms.max(x(0), minus_one);
    check(&terms, clamped, expect!["max(-1, x[0])"]);
    let least = terms.min(negated, x(2));
    check(&terms, least, expect!["min(-x[1], x[2])"]);
    let negated: Vec<Term> = (0..64).map(|k| terms.sub(Term::ZERO, x(k))).collect();
    let largest = negated.iter().skip(1).fold(negated[0], |most, x| terms.max(most, *x));
    check(&terms, largest, expect!["max[k=0…63] (-x[63-k])"]);
}
