//! What differs, in words and in both expressions.
//!
//! The two terms are compared from the top: where both are sums, their summands are compared as
//! multisets, whatever their order; where all but one pair agrees, the comparison goes on inside
//! that pair; likewise for factors, arguments of maxima, and operands. Parts are equal if their
//! digests are (see `fingerprint`), so reassociated and rescaled parts count as equal.
//!
//! Guarantees: deterministic; bounded work beside one pass over both terms.
//! Misses: parts that are equal only by laws that digests do not know are shown as different; with
//! everything different, the whole is.

use super::Question;
use crate::base::{Budget, Exhausted};
use crate::decide::fingerprint::Digests;
use crate::term::flatten::{Part, flatten_extreme, flatten_product, flatten_sum};
use crate::term::print::{Mark, Printer, Segment};
use crate::term::{Node, Term, Terms, Unary, eval::operands};
use std::collections::BTreeMap;

/// Levels to go down.
const DEEPEST: usize = 100;
/// Points at which the difference is looked for: where it lies within a maximum, it shows at some of them only.
const SEEDS: u64 = 8;
/// A part whose text is at most this long says enough.
const SHORT: usize = 60;
/// Parts of a list that are marked.
const MARKED: usize = 4;

/// A list of parts that only one side has.
type Parts = Vec<(bool, Part)>;

/// Where two terms part.
enum Parting {
    /// One part stands in the place of another.
    Instead(Part, Part),
    /// Parts of these names, that only the reference and only the optimized kernel has.
    Lists(&'static str, Parts, Parts),
    /// The same, with opposite signs.
    Sign(Part, Part),
}

/// How two terms differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contrast {
    /// In words: which part is missing, extra or in the place of another.
    pub sentence: String,
    /// The expressions of (reference, optimized).
    pub expressions: [Shown; 2],
}

/// An expression as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The text in pieces, the differing part marked.
    pub segments: Vec<Segment>,
    /// The same as MathML.
    pub mathml: String,
}

/// Finds where two different terms part.
pub fn contrast(question: &Question<'_>, pair: (Term, Term), budget: &Budget) -> Result<Contrast, Exhausted> {
    let mut partings = Vec::new();
    // A digest may take the difference for none (a maximum looks like the argument that is larger
    // there), so another seed gets a chance.
    for seed in 1..=SEEDS {
        let digests = [
            Digests::of(question.terms[0], pair.0, question.meanings.side(0), seed, budget)?,
            Digests::of(question.terms[1], pair.1, question.meanings.side(1), seed, budget)?,
        ];
        let comparison = Comparison { terms: question.terms, digests };
        partings = comparison.partings(pair);
        if !partings.is_empty() {
            break;
        }
    }
    let writers = [0, 1].map(|side| Writer { question, side });
    let chosen = partings.iter().find(|parting| writers[0].is_short(&writers[1], parting));
    let chosen = chosen.or(partings.last());
    let (sentence, marks) = match chosen {
        Some(parting) => (sentence(&writers, parting), marks(parting)),
        None => ("the two sides differ as a whole".to_owned(), [Vec::new(), Vec::new()]),
    };
    let [reference, optimized] = marks;
    let expressions = [writers[0].shown(pair.0, &reference), writers[1].shown(pair.1, &optimized)];
    Ok(Contrast { sentence, expressions })
}

struct Comparison<'a> {
    terms: [&'a Terms; 2],
    digests: [Digests; 2],
}

impl Comparison<'_> {
    fn digest(&self, side: usize, part: Part) -> u64 {
        self.digests[side].part(self.terms[side], part)
    }

    fn agree(&self, a: Term, b: Term) -> bool {
        self.digest(0, Part::Whole(a)) == self.digest(1, Part::Whole(b))
    }

    /// From the outside in; the last one is the innermost.
    fn partings(&self, pair: (Term, Term)) -> Vec<Parting> {
        let (mut a, mut b) = (Part::Whole(pair.0), Part::Whole(pair.1));
        let mut partings = Vec::new();
        if self.digest(0, a) == self.digest(1, b) {
            return partings;
        }
        while partings.len() < DEEPEST {
            match self.step(a, b) {
                Some(Parting::Instead(x, y)) if (x, y) != (a, b) => {
                    partings.push(Parting::Instead(x, y));
                    (a, b) = (x, y);
                }
                Some(Parting::Instead(..)) | None => break,
                Some(parting) => {
                    partings.push(parting);
                    break;
                }
            }
        }
        if partings.is_empty() {
            partings.push(Parting::Instead(a, b));
        }
        partings
    }

    /// How two different parts differ, one level down.
    fn step(&self, a: Part, b: Part) -> Option<Parting> {
        let sums = (flatten_sum(self.terms[0], a), flatten_sum(self.terms[1], b));
        if sums.0.list.len() > 1 || sums.1.list.len() > 1 {
            return self.lists("summand", &sums.0.list, &sums.1.list);
        }
        if let ([(x_negative, x)], [(y_negative, y)]) = (sums.0.list.as_slice(), sums.1.list.as_slice())
            && (*x, *y) != (a, b)
        {
            return Some(match (x_negative == y_negative, self.digest(0, *x) == self.digest(1, *y)) {
                (false, true) => Parting::Sign(a, b),
                _ => Parting::Instead(*x, *y),
            });
        }
        let products = (flatten_product(self.terms[0], a), flatten_product(self.terms[1], b));
        if products.0.list.len() > 1 || products.1.list.len() > 1 {
            if let Some(lists) = self.lists("factor", &products.0.list, &products.1.list) {
                return Some(lists);
            }
            return (products.0.negative != products.1.negative).then_some(Parting::Sign(a, b));
        }
        let nodes = (self.terms[0].node(a.term()), self.terms[1].node(b.term()));
        match nodes {
            (Node::Max(..), Node::Max(..)) | (Node::Min(..), Node::Min(..)) => {
                let (x, y) = (flatten_extreme(self.terms[0], a), flatten_extreme(self.terms[1], b));
                self.lists("candidate", &x.list, &y.list)
            }
            (Node::Unary(Unary::Exp, x), Node::Unary(Unary::Exp, y)) => {
                Some(Parting::Instead(Part::Whole(x), Part::Whole(y)))
            }
            (x, y) if std::mem::discriminant(&x) == std::mem::discriminant(&y) => {
                if let (Node::Unary(f, _), Node::Unary(g, _)) = (x, y)
                    && f != g
                {
                    return None;
                }
                let pairs = operands(&x).into_iter().flatten().zip(operands(&y).into_iter().flatten());
                let mut different = pairs.filter(|(x, y)| !self.agree(*x, *y));
                match (different.next(), different.next()) {
                    (Some((x, y)), None) => Some(Parting::Instead(Part::Whole(x), Part::Whole(y))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Compares two lists as multisets; signs (or sides of the fraction line) are part of a member.
    fn lists(&self, name: &'static str, a: &[(bool, Part)], b: &[(bool, Part)]) -> Option<Parting> {
        // `√x` below the line is `1/√x` above it.
        let key = |side: usize, flag: bool, part: Part| match (name, flag) {
            ("factor", true) => (false, Digests::reciprocal(self.digest(side, part))),
            _ => (flag, self.digest(side, part)),
        };
        let mut surplus: BTreeMap<(bool, u64), i64> = BTreeMap::new();
        for (flag, part) in b {
            *surplus.entry(key(1, *flag, *part)).or_default() += 1;
        }
        let mut missing = Vec::new();
        for (flag, part) in a {
            match surplus.get_mut(&key(0, *flag, *part)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => missing.push((*flag, *part)),
            }
        }
        let extra: Parts = b
            .iter()
            .filter(|(flag, part)| {
                let count = surplus.entry(key(1, *flag, *part)).or_default();
                *count -= 1;
                *count >= 0
            })
            .copied()
            .collect();
        match (missing.as_slice(), extra.as_slice()) {
            ([], []) => None,
            ([(f, x)], [(g, y)]) if f == g => Some(Parting::Instead(*x, *y)),
            ([(_, x)], [(_, y)]) if name == "summand" && self.digest(0, *x) == self.digest(1, *y) => {
                Some(Parting::Sign(*x, *y))
            }
            _ => Some(Parting::Lists(name, missing, extra)),
        }
    }
}

fn marks(parting: &Parting) -> [Vec<Mark>; 2] {
    match parting {
        Parting::Instead(a, b) | Parting::Sign(a, b) => [vec![Mark::from(*a)], vec![Mark::from(*b)]],
        Parting::Lists(_, missing, extra) => [missing, extra]
            .map(|parts| parts.iter().take(MARKED).map(|(_, part)| Mark::from(*part)).collect()),
    }
}

/// Prints one side.
struct Writer<'a> {
    question: &'a Question<'a>,
    side: usize,
}

impl Writer<'_> {
    fn with<R>(&self, limit: usize, print: impl FnOnce(&Printer<'_>) -> R) -> R {
        let name = |constant: usize| self.question.meanings.name(self.side, constant).map(str::to_owned);
        print(&Printer {
            terms: self.question.terms[self.side],
            elements: self.question.elements,
            constant: &name,
            limit,
        })
    }

    fn text(&self, part: Part) -> String {
        self.with(12, |printer| printer.part(part, &[]).to_string())
    }

    fn is_short(&self, other: &Writer<'_>, parting: &Parting) -> bool {
        let Parting::Instead(a, b) = parting else { return true };
        // Of a sum, the summand that differs says more.
        let is_sum = |writer: &Writer<'_>, part: Part| {
            flatten_sum(writer.question.terms[writer.side], part).list.len() > 1
        };
        if is_sum(self, *a) && is_sum(other, *b) {
            return false;
        }
        [self.text(*a), other.text(*b)]
            .iter()
            .all(|text| text.chars().count() <= SHORT && !text.contains('…'))
    }

    /// `x and y`, `7 summands, the first x`
    fn list(&self, name: &str, parts: &Parts) -> String {
        let text = |(flag, part): &(bool, Part)| {
            let text = self.text(*part);
            match text.strip_prefix('-') {
                _ if !*flag || name != "summand" => text,
                Some(positive) => positive.to_owned(),
                None => format!("-{text}"),
            }
        };
        match parts.as_slice() {
            [] => "nothing".to_owned(),
            [one] => format!("the {name} {}", text(one)),
            [one, two] => format!("the {name}s {} and {}", text(one), text(two)),
            [one, two, three] if parts.iter().all(|part| text(part).chars().count() <= SHORT / 2) => {
                format!("the {name}s {}, {} and {}", text(one), text(two), text(three))
            }
            [first, ..] => format!("{} {name}s, the first {}", parts.len(), text(first)),
        }
    }

    fn shown(&self, term: Term, marks: &[Mark]) -> Shown {
        self.with(60, |printer| {
            let expression = printer.expression(term, marks);
            Shown { segments: expression.segments(), mathml: expression.to_mathml() }
        })
    }
}

fn sentence(writers: &[Writer<'_>; 2], parting: &Parting) -> String {
    match parting {
        Parting::Instead(a, b) => {
            let (a, b) = (writers[0].text(*a), writers[1].text(*b));
            if a == b {
                return format!("the two kernels differ inside {a}");
            }
            format!("the optimized kernel has {b} where the reference has {a}")
        }
        Parting::Sign(a, _) => {
            format!("the optimized kernel has {} with the opposite sign", writers[0].text(*a))
        }
        Parting::Lists(name, missing, extra) => match (missing.is_empty(), extra.is_empty()) {
            (false, true) => format!("the optimized kernel lacks {}", writers[0].list(name, missing)),
            (true, _) => format!("the optimized kernel adds {}", writers[1].list(name, extra)),
            (false, false) => format!(
                "the optimized kernel lacks {} and has {} instead",
                writers[0].list(name, missing),
                writers[1].list(name, extra)
            ),
        },
    }
}
