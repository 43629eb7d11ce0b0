//! Small terms, written down.

use super::{Failure, Language, conditions};
use crate::base::{Budget, Format};
use crate::decide::{Options, Problem};
use crate::term::{BitOp, Elements, Relation, Rounding, Term, Terms, Unary};
use expect_test::{Expect, expect};

/// What comes after the title and the import.
fn body(language: Language, build: impl Fn(&mut Terms) -> [Term; 2]) -> Result<String, Failure> {
    let mut terms = Terms::new();
    let [f, g] = build(&mut terms);
    let mut elements = Elements::default();
    elements.push("x", vec![4], Format::F32, 4);
    elements.push("alpha", vec![], Format::F32, 1);
    elements.push("b d", vec![], Format::F32, 1);
    let pairs = [(f, g)];
    let problem = Problem { reference: &terms, optimized: &terms, elements: &elements, pairs: &pairs };
    let name = |_: usize| "y[0]".to_owned();
    let budget = Budget::default();
    let text = conditions(language, &Options::default(), &budget, &problem, ["f", "g"], &name)?;
    let start = match language {
        Language::Smt2 => text.find("(set-logic").expect("a logic"),
        Language::Sympy => text.find("\ne").expect("an element") + 1,
    };
    let end = text.find("\nif __name__").unwrap_or(text.len());
    Ok(text[start..end].to_owned())
}

fn check(language: Language, build: impl Fn(&mut Terms) -> [Term; 2], expected: &Expect) {
    expected.assert_eq(&body(language, build).expect("a translation"));
}

fn x(at: u32) -> Term {
    Term::element(at)
}

/// `x₀·x₁ + x₂·x₃ + 1/2 - x₀`, as a chain and the other way round.
fn sums(terms: &mut Terms) -> [Term; 2] {
    let half = terms.number(Format::F32, u64::from(0.5f32.to_bits()));
    let first = terms.fma(x(0), x(1), half);
    let both = terms.fma(x(2), x(3), first);
    let f = terms.sub(both, x(0));
    let product = terms.mul(x(2), x(3));
    let rest = terms.sub(product, x(0));
    let second = terms.fma(x(0), x(1), rest);
    [f, terms.add(second, half)]
}

/// `e^(x₀ - max)/Σ` by `2^(log₂ e · …)` and directly.
fn quotients(terms: &mut Terms) -> [Term; 2] {
    let largest = terms.max(x(0), x(1));
    let log2e = terms.number(Format::F32, u64::from(std::f32::consts::LOG2_E.to_bits()));
    let f = {
        let shifted = [x(0), x(1)].map(|x| terms.sub(x, largest));
        let powers = shifted.map(|shifted| terms.unary(Unary::Exp, shifted));
        let sum = terms.add(powers[0], powers[1]);
        terms.div(powers[0], sum)
    };
    let minus = terms.neg(largest);
    let scaled = terms.mul(minus, log2e);
    let powers = [x(0), x(1)].map(|x| {
        let exponent = terms.fma(x, log2e, scaled);
        terms.unary(Unary::Exp2, exponent)
    });
    let sum = terms.add(powers[0], powers[1]);
    [f, terms.div(powers[0], sum)]
}

#[test]
fn sums_are_one_step() {
    check(
        Language::Smt2,
        sums,
        &expect![[r#"
        (set-logic ALL)
        (declare-fun |x[0]| () Real)
        (declare-fun |x[1]| () Real)
        (declare-fun |x[2]| () Real)
        (declare-fun |x[3]| () Real)

        ; The reference kernel.
        (define-fun r.c7 () Real (/ 1.0 2.0))
        (define-fun r.2 () Real (+ r.c7 (* |x[0]| |x[1]|) (* |x[2]| |x[3]|) (- |x[0]|)))

        ; The optimized kernel.
        (define-fun o.c7 () Real (/ 1.0 2.0))
        (define-fun o.3 () Real (* |x[2]| |x[3]|))
        (define-fun o.6 () Real (+ o.3 (- |x[0]|) (* |x[0]| |x[1]|) o.c7))

        ; Some output element differs.
        (assert (or false
          (not (= r.2 o.6)) ; y[0]
        ))
        (check-sat)
    "#]],
    );
    check(
        Language::Sympy,
        sums,
        &expect![[r#"
        e0 = Symbol('x[0]', real=True)
        e1 = Symbol('x[1]', real=True)
        e2 = Symbol('x[2]', real=True)
        e3 = Symbol('x[3]', real=True)

        # The reference kernel.
        r_c7 = Rational(1, 2)
        r_2 = r_c7 + e0*e1 + e2*e3 - e0

        # The optimized kernel.
        o_c7 = Rational(1, 2)
        o_3 = e2*e3
        o_6 = o_3 - e0 + e0*e1 + o_c7

        # Output element, reference, optimized.
        pairs = [
            ('y[0]', r_2, o_6),
        ]
    "#]],
    );
}

#[test]
fn exponentials_come_with_their_equation() {
    check(
        Language::Smt2,
        quotients,
        &expect![[r#"
        (set-logic ALL)
        ; With (declare-fun real.max (Real Real) Real) instead, unsat still proves the kernels equal.
        (define-fun real.max ((a Real) (b Real)) Real (ite (>= a b) a b))
        (declare-fun real.exp (Real) Real)
        (declare-fun const.ln2 () Real)
        (assert (< (/ 69314718055994530941723212145817656807.0 100000000000000000000000000000000000000.0) const.ln2))
        (assert (< const.ln2 (/ 8664339756999316367715401518227207101.0 12500000000000000000000000000000000000.0)))
        (assert (= (real.exp const.ln2) 2.0))
        (declare-fun |x[0]| () Real)
        (declare-fun |x[1]| () Real)

        ; The reference kernel.
        (define-fun r.0 () Real (real.max |x[0]| |x[1]|))
        (define-fun r.1 () Real (- |x[0]| r.0))
        (define-fun r.2 () Real (- |x[1]| r.0))
        (define-fun r.3 () Real (real.exp r.1))
        (assert (> (real.exp r.1) 0.0))
        (assert (> (real.exp |x[0]|) 0.0))
        (assert (> (real.exp r.0) 0.0))
        (assert (= (* r.3 (real.exp r.0)) (real.exp |x[0]|)))
        (define-fun r.4 () Real (real.exp r.2))
        (assert (> (real.exp r.2) 0.0))
        (assert (> (real.exp |x[1]|) 0.0))
        (assert (= (* r.4 (real.exp r.0)) (real.exp |x[1]|)))
        (define-fun r.5 () Real (+ r.3 r.4))
        (define-fun r.6 () Real (/ r.3 r.5))
        (assert (not (= r.5 0.0)))

        ; The optimized kernel.
        (define-fun o.c7 () Real (* 1.0 (/ 1.0 const.ln2)))
        (define-fun o.0 () Real (real.max |x[0]| |x[1]|))
        (define-fun o.7 () Real (- o.0))
        (define-fun o.8 () Real (* o.7 o.c7))
        (define-fun o.9 () Real (+ o.8 (* o.c7 |x[0]|)))
        (define-fun o.10 () Real (real.exp (* const.ln2 o.9)))
        (assert (> (real.exp (* const.ln2 o.9)) 0.0))
        (assert (> (real.exp o.0) 0.0))
        (assert (= (* o.10 (real.exp o.0)) (real.exp |x[0]|)))
        (define-fun o.11 () Real (+ o.8 (* o.c7 |x[1]|)))
        (define-fun o.12 () Real (real.exp (* const.ln2 o.11)))
        (assert (> (real.exp (* const.ln2 o.11)) 0.0))
        (assert (= (* o.12 (real.exp o.0)) (real.exp |x[1]|)))
        (define-fun o.13 () Real (+ o.10 o.12))
        (define-fun o.14 () Real (/ o.10 o.13))
        (assert (not (= o.13 0.0)))

        ; Some output element differs.
        (assert (or false
          (not (= r.6 o.14)) ; y[0]
        ))
        (check-sat)
    "#]],
    );
    check(
        Language::Sympy,
        quotients,
        &expect![[r#"
        e0 = Symbol('x[0]', real=True)
        e1 = Symbol('x[1]', real=True)

        # The reference kernel.
        r_0 = Max(e0, e1)
        r_1 = e0 - r_0
        r_2 = e1 - r_0
        r_3 = exp(r_1)
        r_4 = exp(r_2)
        r_5 = r_3 + r_4
        r_6 = r_3/r_5

        # The optimized kernel.
        o_c7 = Integer(1)/log(Integer(2))
        o_0 = Max(e0, e1)
        o_7 = -o_0
        o_8 = o_7*o_c7
        o_9 = o_8 + o_c7*e0
        o_10 = exp(log(Integer(2))*o_9)
        o_11 = o_8 + o_c7*e1
        o_12 = exp(log(Integer(2))*o_11)
        o_13 = o_10 + o_12
        o_14 = o_10/o_13

        # Output element, reference, optimized.
        pairs = [
            ('y[0]', r_6, o_14),
        ]
    "#]],
    );
}

/// Every function of one real, and every step that no solver knows.
fn everything(terms: &mut Terms) -> [Term; 2] {
    let mut sum = Term::ZERO;
    for function in Unary::ALL {
        let value = terms.unary(function, x(0));
        sum = terms.add(sum, value);
    }
    let bits = terms.bits_of(Format::F32, x(1));
    let mask = terms.bit_constant(0x7fff);
    let masked = terms.bits(BitOp::And, 32, bits, mask, Term::ZERO);
    let turned = terms.bits(BitOp::Not, 32, masked, Term::ZERO, Term::ZERO);
    let less = terms.bits(BitOp::LessSigned, 32, masked, turned, Term::ZERO);
    let seven = terms.integer(7);
    let other = terms.bits(BitOp::Other, 32, masked, turned, seven);
    let back = terms.from_bits(Format::F32, other);
    let rounded = terms.round(Rounding::Down, Format::F32, x(2));
    let power = terms.apply("pow", x(2), x(3));
    let smaller = terms.compare(Relation::LessEqual, x(4), x(5));
    let equal = terms.compare(Relation::Equal, x(4), rounded);
    let not = terms.not(smaller);
    let both = terms.and(not, less);
    let either = terms.or(both, equal);
    let chosen = terms.select(either, back, power);
    let least = terms.min(chosen, rounded);
    let least = terms.min(least, x(5));
    [terms.add(sum, least), x(4)]
}

#[test]
fn every_step_has_a_translation() {
    check(
        Language::Smt2,
        everything,
        &expect![[r#"
            (set-logic ALL)
            (declare-sort Bits 0)
            ; With (declare-fun real.min (Real Real) Real) instead, unsat still proves the kernels equal.
            (define-fun real.min ((a Real) (b Real)) Real (ite (<= a b) a b))
            (declare-fun bits.0x7fff () Bits)
            (declare-fun bits.and.32 (Bits Bits) Bits)
            (declare-fun bits.less_signed.32 (Bits Bits) Bool)
            (declare-fun bits.not.32 (Bits) Bits)
            (declare-fun bits.of.f32 (Real) Bits)
            (declare-fun bits.of_real (Real) Bits)
            (declare-fun bits.other.32 (Bits Bits Bits) Bits)
            (declare-fun real.apply.pow (Real Real) Real)
            (declare-fun real.atan (Real) Real)
            (declare-fun real.cbrt (Real) Real)
            (declare-fun real.cos (Real) Real)
            (declare-fun real.erf (Real) Real)
            (declare-fun real.exp (Real) Real)
            (declare-fun real.log (Real) Real)
            (declare-fun real.of.f32 (Bits) Real)
            (declare-fun real.round.down.f32 (Real) Real)
            (declare-fun real.sin (Real) Real)
            (declare-fun real.sqrt (Real) Real)
            (declare-fun const.ln2 () Real)
            (assert (< (/ 69314718055994530941723212145817656807.0 100000000000000000000000000000000000000.0) const.ln2))
            (assert (< const.ln2 (/ 8664339756999316367715401518227207101.0 12500000000000000000000000000000000000.0)))
            (assert (= (real.exp const.ln2) 2.0))
            (declare-fun |x[0]| () Real)
            (declare-fun |x[1]| () Real)
            (declare-fun |x[2]| () Real)
            (declare-fun |x[3]| () Real)
            (declare-fun scalar.alpha () Real)
            (declare-fun element.5 () Real)

            ; The reference kernel.
            (define-fun r.c0 () Real 0.0)
            (define-fun r.c7 () Real 7.0)
            (define-fun r.0 () Real (- |x[0]|))
            (define-fun r.1 () Real (/ 1.0 |x[0]|))
            (assert (not (= |x[0]| 0.0)))
            (define-fun r.3 () Real (real.sqrt |x[0]|))
            (assert (>= (real.sqrt |x[0]|) 0.0))
            (assert (= (* (real.sqrt |x[0]|) (real.sqrt |x[0]|)) |x[0]|))
            (define-fun r.5 () Real (/ 1.0 (real.sqrt |x[0]|)))
            (assert (> (real.sqrt |x[0]|) 0.0))
            (define-fun r.7 () Real (real.exp |x[0]|))
            (assert (> (real.exp |x[0]|) 0.0))
            (define-fun r.9 () Real (real.exp (* const.ln2 |x[0]|)))
            (assert (> (real.exp (* const.ln2 |x[0]|)) 0.0))
            (define-fun r.11 () Real (real.log |x[0]|))
            (assert (> |x[0]| 0.0))
            (assert (= (real.exp (real.log |x[0]|)) |x[0]|))
            (define-fun r.13 () Real (/ (real.log |x[0]|) const.ln2))
            (define-fun r.15 () Real (real.sin |x[0]|))
            (assert (= (+ (* (real.sin |x[0]|) (real.sin |x[0]|)) (* (real.cos |x[0]|) (real.cos |x[0]|))) 1.0))
            (define-fun r.17 () Real (real.cos |x[0]|))
            (define-fun r.19 () Real (- 1.0 (/ 2.0 (+ 1.0 (real.exp (* 2.0 |x[0]|))))))
            (assert (> (real.exp (* 2.0 |x[0]|)) 0.0))
            (define-fun r.21 () Real (real.erf |x[0]|))
            (define-fun r.23 () Real (real.atan |x[0]|))
            (define-fun r.25 () Real (real.cbrt |x[0]|))
            (assert (= (* (real.cbrt |x[0]|) (real.cbrt |x[0]|) (real.cbrt |x[0]|)) |x[0]|))
            (define-fun r.27 () Real (ite (>= |x[0]| 0.0) |x[0]| (- |x[0]|)))
            (define-fun r.29 () Real (to_real (to_int |x[0]|)))
            (define-fun r.31 () Real (- (to_real (to_int (- |x[0]|)))))
            (define-fun r.33 () Real (ite (>= |x[0]| 0.0) (to_real (to_int |x[0]|)) (- (to_real (to_int (- |x[0]|))))))
            (define-fun r.35 () Real (ite (and (= (+ |x[0]| (/ 1.0 2.0)) (to_real (to_int (+ |x[0]| (/ 1.0 2.0))))) (= (mod (to_int (to_real (to_int (+ |x[0]| (/ 1.0 2.0))))) 2) 1)) (- (to_real (to_int (+ |x[0]| (/ 1.0 2.0)))) 1.0) (to_real (to_int (+ |x[0]| (/ 1.0 2.0))))))
            (define-fun r.37 () Bits (bits.of.f32 |x[1]|))
            (define-fun r.38 () Bits bits.0x7fff)
            (define-fun r.39 () Bits (bits.and.32 r.37 r.38))
            (define-fun r.40 () Bits (bits.not.32 r.39))
            (define-fun r.41 () Bool (bits.less_signed.32 r.39 r.40))
            (define-fun r.42 () Bits (bits.other.32 r.39 r.40 (bits.of_real r.c7)))
            (define-fun r.43 () Real (real.of.f32 r.42))
            (define-fun r.44 () Real (real.round.down.f32 |x[2]|))
            (define-fun r.45 () Real (real.apply.pow |x[2]| |x[3]|))
            (define-fun r.46 () Bool (<= scalar.alpha element.5))
            (define-fun r.47 () Bool (= r.44 scalar.alpha))
            (define-fun r.48 () Bool (not r.46))
            (define-fun r.49 () Bool (and r.41 r.48))
            (define-fun r.50 () Bool (or r.47 r.49))
            (define-fun r.51 () Real (ite r.50 r.43 r.45))
            (define-fun r.52 () Real (real.min r.44 r.51))
            (define-fun r.53 () Real (real.min r.52 element.5))
            (define-fun r.54 () Real (+ r.0 r.1 r.3 r.5 r.7 r.9 r.11 r.13 r.15 r.17 r.19 r.21 r.23 r.25 r.27 r.29 r.31 r.33 r.35 r.53))

            ; The optimized kernel.

            ; Some output element differs.
            (assert (or false
              (not (= r.54 scalar.alpha)) ; y[0]
            ))
            (check-sat)
        "#]],
    );
    check(
        Language::Sympy,
        everything,
        &expect![[r#"
            e0 = Symbol('x[0]', real=True)
            e1 = Symbol('x[1]', real=True)
            e2 = Symbol('x[2]', real=True)
            e3 = Symbol('x[3]', real=True)
            e4 = Symbol('alpha', real=True)
            e5 = Symbol('b d', real=True)

            # The reference kernel.
            r_c0 = Integer(0)
            r_c7 = Integer(7)
            r_0 = -e0
            r_1 = 1/e0
            r_3 = sqrt(e0)
            r_5 = 1/sqrt(e0)
            r_7 = exp(e0)
            r_9 = exp(log(Integer(2))*e0)
            r_11 = log(e0)
            r_13 = log(e0)/log(Integer(2))
            r_15 = sin(e0)
            r_17 = cos(e0)
            r_19 = tanh(e0)
            r_21 = erf(e0)
            r_23 = atan(e0)
            r_25 = sign(e0)*Abs(e0)**Rational(1, 3)
            r_27 = Abs(e0)
            r_29 = floor(e0)
            r_31 = ceiling(e0)
            r_33 = sign(e0)*floor(Abs(e0))
            r_35 = Function('round_even')(e0)
            r_37 = Function('bits_of_f32')(e1)
            r_38 = Symbol('bits_0x7fff')
            r_39 = Function('bits_and_32')(r_37, r_38)
            r_40 = Function('bits_not_32')(r_39)
            r_41 = Ne(Function('bits_less_signed_32')(r_39, r_40), 0)
            r_42 = Function('bits_other_32')(r_39, r_40, r_c7)
            r_43 = Function('real_of_f32')(r_42)
            r_44 = Function('round_down_f32')(e2)
            r_45 = Function('pow')(e2, e3)
            r_46 = Le(e4, e5)
            r_47 = Eq(r_44, e4)
            r_48 = Not(r_46)
            r_49 = And(r_41, r_48)
            r_50 = Or(r_47, r_49)
            r_51 = Piecewise((r_43, r_50), (r_45, True))
            r_53 = Min(r_44, r_51, e5)
            r_54 = Add(r_0, r_1, r_3, r_5, r_7, r_9, r_11, r_13, r_15, r_17, r_19, r_21, r_23, r_25, r_27, r_29, r_31, r_33, r_35, r_53)

            # The optimized kernel.

            # Output element, reference, optimized.
            pairs = [
                ('y[0]', r_54, e4),
            ]
        "#]],
    );
}

#[test]
fn irrational_constants_are_what_they_mean() {
    // 1/√128 · log₂ e, as attention scales its scores.
    let scale = |terms: &mut Terms| {
        let value = (1.0f64 / 128.0f64.sqrt() * std::f64::consts::LOG2_E) as f32;
        let scale = terms.number(Format::F32, u64::from(value.to_bits()));
        [terms.mul(x(0), scale), x(0)]
    };
    check(
        Language::Smt2,
        scale,
        &expect![[r#"
        (set-logic ALL)
        (declare-fun const.2.root2 () Real)
        (assert (< 0.0 const.2.root2))
        (assert (= (* const.2.root2 const.2.root2) 2.0))
        (declare-fun const.ln2 () Real)
        (assert (< (/ 69314718055994530941723212145817656807.0 100000000000000000000000000000000000000.0) const.ln2))
        (assert (< const.ln2 (/ 8664339756999316367715401518227207101.0 12500000000000000000000000000000000000.0)))
        (declare-fun |x[0]| () Real)

        ; The reference kernel.
        (define-fun r.c7 () Real (* (/ 1.0 16.0) const.2.root2 (/ 1.0 const.ln2)))
        (define-fun r.0 () Real (* r.c7 |x[0]|))

        ; The optimized kernel.

        ; Some output element differs.
        (assert (or false
          (not (= r.0 |x[0]|)) ; y[0]
        ))
        (check-sat)
    "#]],
    );
    check(
        Language::Sympy,
        scale,
        &expect![[r#"
        e0 = Symbol('x[0]', real=True)

        # The reference kernel.
        r_c7 = Rational(1, 16)*Integer(2)**Rational(1, 2)/log(Integer(2))
        r_0 = r_c7*e0

        # The optimized kernel.

        # Output element, reference, optimized.
        pairs = [
            ('y[0]', r_0, e0),
        ]
    "#]],
    );
}

#[test]
fn what_would_say_something_else_is_refused() {
    let refusal = |build: fn(&mut Terms) -> [Term; 2]| match body(Language::Smt2, build) {
        Err(Failure::Refused(message)) => message,
        other => panic!("{other:?}"),
    };
    let infinite = |terms: &mut Terms| [terms.add(x(0), Term::INFINITY), x(0)];
    assert_eq!(refusal(infinite), "the conditions hold an infinity, which SMT-LIB's reals do not have");
    let nowhere = |terms: &mut Terms| [terms.div(x(0), Term::ZERO), x(0)];
    assert_eq!(refusal(nowhere), "a kernel divides by the constant 0, which has no value");
    assert!(body(Language::Sympy, infinite).expect("SymPy has oo").contains("= oo\n"));
}
