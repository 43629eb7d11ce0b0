//! Nested sums, products and extremes as flat lists.
//!
//! A chain of a million links is one sum; these walk it with an explicit stack and list its members
//! in the order they were added. A sum of shared sums may have exponentially many members, so
//! listing and counting are bounded.

use super::{Node, Term, Terms, Unary};

/// Sums of more parts than this are only counted.
const LISTED: usize = 1 << 16;
/// Counting ends here: a total of so many may stand for more.
pub const COUNTED: usize = 1 << 20;

/// A term, or the product inside a multiply-add.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The term.
    Whole(Term),
    /// The product of the first two operands of this multiply-add.
    Product(Term),
}

impl Part {
    /// The term behind it.
    pub fn term(self) -> Term {
        match self {
            Part::Whole(term) | Part::Product(term) => term,
        }
    }

    /// What the pattern of a sum is looked for in.
    pub fn members(self, terms: &Terms) -> [Option<Term>; 2] {
        match (self, terms.node(self.term())) {
            // The first link of a chain is a plain product.
            (Part::Product(_), Node::Fma(a, b, _)) | (Part::Whole(_), Node::Mul(a, b)) => [Some(a), Some(b)],
            _ => [Some(self.term()), None],
        }
    }
}

/// A flattened sum, product or maximum.
#[derive(Debug)]
pub struct Flat {
    /// Whether each is negative (in a product: below the fraction line).
    pub list: Vec<(bool, Part)>,
    /// How many there are, listed or not.
    pub total: usize,
    /// The sign of a whole product.
    pub negative: bool,
}

/// The summands of a term, in the order they were added.
pub fn flatten_sum(terms: &Terms, root: Part) -> Flat {
    let mut flat = Flat { list: Vec::new(), total: 0, negative: false };
    let mut waiting = vec![(false, root)];
    while let Some((negative, part)) = waiting.pop() {
        if let Part::Whole(term) = part {
            match terms.node(term) {
                Node::Add(a, b) => {
                    waiting.push((negative, Part::Whole(b)));
                    waiting.push((negative, Part::Whole(a)));
                    continue;
                }
                Node::Sub(a, b) => {
                    waiting.push((!negative, Part::Whole(b)));
                    waiting.push((negative, Part::Whole(a)));
                    continue;
                }
                Node::Fma(_, _, c) => {
                    waiting.push((negative, Part::Product(term)));
                    waiting.push((negative, Part::Whole(c)));
                    continue;
                }
                Node::Unary(Unary::Neg, a) => {
                    waiting.push((!negative, Part::Whole(a)));
                    continue;
                }
                _ => {}
            }
        }
        flat.total += 1;
        if flat.list.len() < LISTED {
            flat.list.push((negative, part));
        }
        if flat.total == COUNTED {
            break;
        }
    }
    flat
}

/// The arguments of nested maxima (or minima).
pub fn flatten_extreme(terms: &Terms, root: Part) -> Flat {
    let larger = matches!(terms.node(root.term()), Node::Max(..));
    let mut flat = Flat { list: Vec::new(), total: 0, negative: false };
    let mut waiting = vec![root.term()];
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Node::Max(a, b) if larger => waiting.extend([b, a]),
            Node::Min(a, b) if !larger => waiting.extend([b, a]),
            _ => {
                flat.total += 1;
                if flat.list.len() < LISTED {
                    flat.list.push((false, Part::Whole(term)));
                }
                if flat.total == COUNTED {
                    break;
                }
            }
        }
    }
    flat
}

/// The factors of a term, each with whether it stands below the line.
pub fn flatten_product(terms: &Terms, root: Part) -> Flat {
    let mut flat = Flat { list: Vec::new(), total: 0, negative: false };
    let mut waiting: Vec<(bool, Term)> = match (root, terms.node(root.term())) {
        (Part::Product(_), Node::Fma(a, b, _)) => vec![(false, b), (false, a)],
        _ => vec![(false, root.term())],
    };
    while let Some((inverted, term)) = waiting.pop() {
        // Enough factors: the rest stay as they are.
        let open = flat.list.len() + waiting.len() < 32;
        match terms.node(term) {
            Node::Mul(a, b) if open => waiting.extend([(inverted, b), (inverted, a)]),
            Node::Div(a, b) if open => waiting.extend([(!inverted, b), (inverted, a)]),
            Node::Unary(Unary::Recip, a) if open => waiting.push((!inverted, a)),
            Node::Unary(Unary::Neg, a) => {
                flat.negative = !flat.negative;
                waiting.push((inverted, a));
            }
            _ => {
                flat.total += 1;
                flat.list.push((inverted, Part::Whole(term)));
            }
        }
    }
    flat
}
