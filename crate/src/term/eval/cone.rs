//! Cones: the nodes that some roots are built from, renumbered densely.
//!
//! A cone is what an evaluation walks: one step a node, operands before the nodes that use them,
//! so that a single forward pass over a flat vector evaluates everything and a term may be a
//! million nodes deep. It is built once and evaluated at many points.
//!
//! Cost: linear in the largest root's number divided by 64, plus the size of the cone.

use crate::base::{Budget, Exhausted};
use crate::term::{Node, Term, Terms, Unary};

/// Which nodes of a store can be reached from some roots.
pub struct Reach {
    words: Vec<u64>,
}

impl Reach {
    /// Marks everything below `roots`.
    ///
    /// Operands stand before what uses them, so one sweep down the store sees every user first; the
    /// chains of neighbouring outputs lie side by side there, which a walk along one would not use.
    pub fn of(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Reach, Exhausted> {
        let nodes = roots.iter().filter_map(|root| root.as_node()).max().map_or(0, |most| most + 1);
        let mut words = vec![0u64; nodes.div_ceil(64)];
        for node in roots.iter().filter_map(|root| root.as_node()) {
            words[node / 64] |= 1 << (node % 64);
        }
        let mut steps = 0u32;
        let mut reader = terms.reader();
        for at in (0..words.len()).rev() {
            let mut rest = words[at];
            while rest != 0 {
                let bit = 63 - rest.leading_zeros();
                steps = steps.wrapping_add(1);
                if steps.is_multiple_of(8192) {
                    budget.spend(8192)?;
                }
                for operand in operands(&reader.node_at(at * 64 + bit as usize)).into_iter().flatten() {
                    if let Some(node) = operand.as_node() {
                        words[node / 64] |= 1 << (node % 64);
                    }
                }
                rest = words[at] & ((1 << bit) - 1);
            }
        }
        Ok(Reach { words })
    }

    /// Whether a node was reached.
    pub fn holds(&self, node: usize) -> bool {
        self.words.get(node / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Their numbers.
    pub fn ranks(&self) -> Ranks<'_> {
        let mut before = Vec::with_capacity(self.words.len());
        let mut count = 0u32;
        for word in &self.words {
            before.push(count);
            count += word.count_ones();
        }
        Ranks { words: &self.words, before, count: count as usize }
    }

    /// The nodes in ascending order.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        ones(&self.words)
    }
}

/// The operands of a node, in order.
pub fn operands(node: &Node) -> [Option<Term>; 3] {
    match *node {
        Node::Element(_) | Node::Constant(_) | Node::BitConstant(_) => [None, None, None],
        Node::Add(a, b)
        | Node::Sub(a, b)
        | Node::Mul(a, b)
        | Node::Div(a, b)
        | Node::Max(a, b)
        | Node::Min(a, b)
        | Node::Compare(_, a, b)
        | Node::And(a, b)
        | Node::Or(a, b)
        | Node::Apply(_, a, b) => [Some(a), Some(b), None],
        Node::Fma(a, b, c) | Node::Select(a, b, c) | Node::Bits(_, _, a, b, c) => [Some(a), Some(b), Some(c)],
        Node::Unary(_, a)
        | Node::Round(_, _, a)
        | Node::Not(a)
        | Node::BitsOf(_, a)
        | Node::FromBits(_, a) => [Some(a), None, None],
    }
}

/// The same node over other operands.
pub fn with_operands(node: &Node, mut map: impl FnMut(Term) -> Term) -> Node {
    match *node {
        Node::Element(_) | Node::Constant(_) | Node::BitConstant(_) => *node,
        Node::Add(a, b) => Node::Add(map(a), map(b)),
        Node::Sub(a, b) => Node::Sub(map(a), map(b)),
        Node::Mul(a, b) => Node::Mul(map(a), map(b)),
        Node::Fma(a, b, c) => Node::Fma(map(a), map(b), map(c)),
        Node::Div(a, b) => Node::Div(map(a), map(b)),
        Node::Unary(function, a) => Node::Unary(function, map(a)),
        Node::Max(a, b) => Node::Max(map(a), map(b)),
        Node::Min(a, b) => Node::Min(map(a), map(b)),
        Node::Select(a, b, c) => Node::Select(map(a), map(b), map(c)),
        Node::Round(mode, format, a) => Node::Round(mode, format, map(a)),
        Node::Compare(relation, a, b) => Node::Compare(relation, map(a), map(b)),
        Node::And(a, b) => Node::And(map(a), map(b)),
        Node::Or(a, b) => Node::Or(map(a), map(b)),
        Node::Not(a) => Node::Not(map(a)),
        Node::BitsOf(format, a) => Node::BitsOf(format, map(a)),
        Node::Bits(op, width, a, b, c) => Node::Bits(op, width, map(a), map(b), map(c)),
        Node::FromBits(format, a) => Node::FromBits(format, map(a)),
        Node::Apply(function, a, b) => Node::Apply(function, map(a), map(b)),
    }
}

/// Numbers the nodes of a [`Reach`] from 0, ascending.
pub struct Ranks<'a> {
    words: &'a [u64],
    /// Nodes below each word.
    before: Vec<u32>,
    count: usize,
}

impl Ranks<'_> {
    /// The number of a node that was reached.
    #[inline]
    pub fn of(&self, node: usize) -> usize {
        let below = self.words[node / 64] & ((1u64 << (node % 64)) - 1);
        (self.before[node / 64] + below.count_ones()) as usize
    }

    /// How many nodes were reached.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// A set of small numbers.
#[derive(Default)]
struct Marks {
    words: Vec<u64>,
}

impl Marks {
    fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    fn ascending(&self) -> Vec<u32> {
        ones(&self.words).map(|number| number as u32).collect()
    }
}

/// The numbers of the bits that are set, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(at * 64 + bit)
        })
    })
}

/// The cone of some roots, ready to be evaluated.
pub struct Cone {
    steps: Vec<Node>,
    nodes: Vec<u32>,
    roots: Vec<Term>,
    elements: Vec<u32>,
    constants: Vec<u32>,
}

impl Cone {
    /// Collects the cone of `roots`.
    pub fn of(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Cone, Exhausted> {
        let reach = Reach::of(terms, roots, budget)?;
        let ranks = reach.ranks();
        let place = |term: Term| term.as_node().map_or(term, |node| Term::from_node(ranks.of(node)));
        let mut cone = Cone {
            steps: Vec::with_capacity(ranks.count()),
            nodes: Vec::with_capacity(ranks.count()),
            roots: roots.iter().map(|root| place(*root)).collect(),
            elements: Vec::new(),
            constants: Vec::new(),
        };
        let (mut elements, mut constants) = (Marks::default(), Marks::default());
        let mut leaf = |term: Term| {
            if let Some(element) = term.as_element() {
                elements.insert(element);
            } else if let Some(constant) = term.as_constant() {
                constants.insert(constant as u32);
            }
        };
        roots.iter().for_each(|root| leaf(*root));
        let mut reader = terms.reader();
        for (at, node) in reach.nodes().enumerate() {
            if at.is_multiple_of(8192) {
                budget.spend(8192)?;
            }
            let step = reader.node_at(node);
            let step = with_operands(&step, |operand| {
                leaf(operand);
                place(operand)
            });
            cone.steps.push(match step {
                Node::Compare(relation, a, b) => {
                    let [a, b] = cone.compared(terms, [a, b]);
                    Node::Compare(relation, a, b)
                }
                step => step,
            });
            cone.nodes.push(node as u32);
        }
        (cone.elements, cone.constants) = (elements.ascending(), constants.ascending());
        Ok(cone)
    }

    /// Two numbers that compare as two others do, as these are what one function makes of them that is defined
    /// and increases everywhere. Where it has no exact value, a tie is seen inside of it. (Not if a format has
    /// no place for large values of it.)
    fn compared(&self, terms: &Terms, [mut a, mut b]: [Term; 2]) -> [Term; 2] {
        use Unary::{Cbrt, Erf, Exp, Exp2, Tanh};
        let inner = |term: Term| match self.steps[term.as_node()?] {
            Node::Unary(function @ (Exp | Exp2 | Tanh | Erf | Cbrt), inner)
                if terms.through(self.node(term.as_node()?)).is_none() =>
            {
                Some((function, inner))
            }
            _ => None,
        };
        while let (Some((f, x)), Some((g, y))) = (inner(a), inner(b))
            && f == g
        {
            (a, b) = (x, y);
        }
        [a, b]
    }

    /// A cone over the same leaves and more constants, whose steps stand for nodes of the same store in any
    /// order ([`Cone::step_of`] is for cones as they are collected).
    pub fn rewritten(&self, steps: Vec<Node>, nodes: Vec<u32>, roots: Vec<Term>, more: &[Term]) -> Cone {
        debug_assert_eq!(steps.len(), nodes.len());
        let mut constants = self.constants.clone();
        constants.extend(more.iter().filter_map(|term| term.as_constant()).map(|constant| constant as u32));
        constants.sort_unstable();
        constants.dedup();
        Cone { steps, nodes, roots, elements: self.elements.clone(), constants }
    }

    /// The steps, operands first: an operand that is a node stands for the step of that number.
    pub fn steps(&self) -> &[Node] {
        &self.steps
    }

    /// The store's node behind a step.
    pub fn node(&self, step: usize) -> Term {
        Term::from_node(self.nodes[step] as usize)
    }

    /// The step of a node of the cone.
    pub fn step_of(&self, node: usize) -> Option<usize> {
        self.nodes.binary_search(&u32::try_from(node).ok()?).ok()
    }

    /// The roots, nodes renumbered to steps.
    pub fn roots(&self) -> &[Term] {
        &self.roots
    }

    /// The elements that occur, ascending.
    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// The constants that occur, ascending.
    pub fn constants(&self) -> &[u32] {
        &self.constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cones_hold_what_is_needed_and_no_more() {
        let mut terms = Terms::new();
        let [x, y, z] = [0, 1, 2].map(Term::element);
        let sum = terms.add(x, y);
        let _other = terms.mul(y, z);
        let two = terms.integer(2);
        let root = terms.fma(sum, two, x);
        let cone = Cone::of(&terms, &[root, z], &Budget::default()).unwrap();
        assert_eq!(cone.steps().len(), 2);
        assert_eq!(cone.node(1), root);
        assert_eq!(cone.roots(), &[Term::from_node(1), z]);
        assert_eq!(cone.elements(), &[0, 1, 2]);
        assert_eq!(cone.constants(), &[two.as_constant().unwrap() as u32]);
        assert_eq!(cone.steps()[0], Node::Add(x, y));
    }

    #[test]
    fn a_million_links_need_no_stack_and_stop_when_asked() {
        let mut terms = Terms::new();
        let mut chain = Term::element(0);
        for at in 0..1_000_000 {
            chain = terms.fma(Term::element(at + 1), Term::element(7), chain);
        }
        let budget = Budget::default();
        assert_eq!(Cone::of(&terms, &[chain], &budget).unwrap().steps().len(), 1_000_000);
        budget.cancel();
        assert!(Cone::of(&terms, &[chain], &budget).is_err());
    }
}
