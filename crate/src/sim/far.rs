//! Library code for arguments far out that no kernel meant.
//!
//! `sinf` and its kin multiply arguments of 105,615 and more by two hundred bits of 2/π, looked up
//! by the argument's exponent; `fmodf` divides bit by bit where the quotient does not fit a float.
//! Both compute over the reals what the short way beside them computes, but through addresses and
//! trip counts that depend on the argument. Where such code branches on a symbolic argument, only
//! the short way is executed, and the ledger says so.
//!
//! Guarantees: only the branch is taken for granted whose condition compares exactly as the
//! library's does, in a kernel that holds the library's own constants. Concrete arguments take the
//! way they take.

use super::machine::Machine;
use crate::ir::{Constant, Kernel, RegisterKind};
use crate::term::{Node, Relation, Term, Terms, Unary};

/// One row: a library's own branch away from its short way.
pub(super) struct Far {
    /// What the ledger says.
    pub(super) assumption: &'static str,
    /// Whether a kernel can contain the code.
    present: fn(&Kernel) -> bool,
    /// Whether `smaller < larger` (or `≤`) says that an argument is far (`true`) or near (`false`).
    says: fn(&Terms, Term, Term) -> Option<bool>,
}

/// The rows.
static FAR: [Far; 2] = [
    Far {
        assumption: "arguments of the inlined sinf, cosf and tanf stay below 105,615",
        present: |kernel| kernel.variables.iter().any(|variable| variable.name == "__cudart_i2opi_f"),
        says: |terms, smaller, larger| {
            let border = |term| is_integer(terms, term, 105_615);
            match (magnitude(terms, smaller), magnitude(terms, larger)) {
                (Some(_), None) if border(larger) => Some(false),
                (None, Some(_)) if border(smaller) => Some(true),
                _ => None,
            }
        },
    },
    Far {
        assumption: "quotients of the inlined fmodf stay below 2^23",
        present: |kernel| {
            let exponents = RegisterKind::Constant(Constant::Bits(192_937_984));
            kernel.registers.contains(&exponents)
        },
        says: |terms, smaller, larger| {
            let scaled = |term| match terms.node(term) {
                Node::Mul(a, b) => {
                    let by = |a, b| magnitude(terms, a).is_some() && is_integer(terms, b, 1 << 23);
                    by(a, b) || by(b, a)
                }
                _ => false,
            };
            match (magnitude(terms, smaller), magnitude(terms, larger)) {
                (None, Some(_)) if scaled(smaller) => Some(true),
                (Some(_), None) if scaled(larger) => Some(false),
                _ => None,
            }
        },
    },
];

impl Machine<'_> {
    /// Whether a condition says that a library function's argument is far out (`Some(true)`) or
    /// not (`Some(false)`), and by which row.
    pub(super) fn far(&self, condition: Term) -> Option<(bool, &'static Far)> {
        FAR.iter().find_map(|row| {
            let far = says(&self.terms, row, condition)?;
            (row.present)(self.kernel).then_some((far, row))
        })
    }
}

fn says(terms: &Terms, row: &Far, condition: Term) -> Option<bool> {
    match terms.node(condition) {
        Node::Not(inner) => says(terms, row, inner).map(|far| !far),
        Node::Compare(Relation::Less | Relation::LessEqual, a, b) => (row.says)(terms, a, b),
        _ => None,
    }
}

fn magnitude(terms: &Terms, term: Term) -> Option<Term> {
    match terms.node(term) {
        Node::Unary(Unary::Abs, inner) => Some(inner),
        _ => None,
    }
}

fn is_integer(terms: &Terms, term: Term, value: i64) -> bool {
    terms
        .as_rational(term)
        .is_some_and(|number| *number == num_rational::BigRational::from_integer(value.into()))
}
