//! The operators of deep learning, each compiled from CUDA and from Triton: `warpproof formula` tells the textbook's
//! formula, for every element.
//!
//! A case is a spec under `tests/operators`, whose `[formula]` is the textbook's, written by hand. What is told may have
//! its summands and factors in another order: that of the kernel.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use warpproof::base::Budget;
use warpproof::report::{self, Input, RunOptions, Verdict};
use warpproof_tests::corpus::{Case, files};

/// Kernels of which no formula is told, and why.
const UNTOLD: &[(&str, &str)] = &[];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("operators");
    let trials: Vec<Trial> = files(&folder, "toml")
        .into_iter()
        .map(|path| {
            let below = path.strip_prefix(&folder).expect("found below the folder").with_extension("");
            let name = below.to_string_lossy().replace('\\', "/");
            let case = Case { path, name: name.clone(), expected: "equivalent".to_owned(), today: None };
            Trial::test(name, move || tells(&case))
        })
        .collect();
    assert!(trials.len() > 90, "{} operators", trials.len());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn tells(case: &Case) -> Result<(), Failed> {
    let texts = case.read()?;
    let (spec, _) = warpproof::spec::parse(&texts.spec);
    let textbook = spec.formula.as_ref().ok_or("no formula")?.code.trim().to_owned();
    let input = Input { reference: None, single: true, ..texts.input() };
    let telling = report::tell(&input, &RunOptions::default(), &Budget::default());
    if let Some((_, why)) = UNTOLD.iter().find(|(name, _)| *name == case.name) {
        return match telling.formula {
            None => Ok(()),
            Some(told) => Err(format!("{told} is told now, in spite of: {why}").into()),
        };
    }
    let told = telling.formula.ok_or_else(|| telling.report.summary.clone())?;
    if lines(&told) != lines(&textbook) {
        return Err(format!("told\n{told}\nand not\n{textbook}").into());
    }
    // All outputs, and all of their elements.
    let whole = telling.outputs.iter().all(|output| output.formula.is_some());
    let all = |tensor: &&warpproof::spec::Tensor| tensor.role != Some(warpproof::spec::Role::In);
    let extents = spec.tensors.iter().filter(all).filter_map(|tensor| tensor.shape.as_ref());
    let elements: u64 = extents.map(|shape| shape.iter().product::<u64>()).sum();
    let checked = telling.checked.first().ok_or("told, and not checked")?;
    if !whole || checked.elements != elements || checked.unwritten > 0 {
        return Err(format!("{} of {elements} elements are checked", checked.elements).into());
    }
    match telling.report.verdict {
        Verdict::RaceFree => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// The lines of a formula, with the operands of sums and products in alphabetical order.
fn lines(formula: &str) -> Vec<String> {
    let ordered = |line: &str| {
        let (target, value) = line.split_once(" = ").expect("an assignment");
        format!("{target} = {}", Reader { rest: value }.comparison())
    };
    formula.lines().map(ordered).collect()
}

/// Reads the expressions that are told, from left to right.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// One of these texts, if it comes next.
    fn next(&mut self, texts: &[&'static str]) -> Option<&'static str> {
        self.rest = self.rest.trim_start();
        let found = texts.iter().copied().find(|text| self.rest.starts_with(text))?;
        self.rest = &self.rest[found.len()..];
        Some(found)
    }

    fn comparison(&mut self) -> String {
        let mut left = self.sum();
        while let Some(sign) = self.next(&[">=", "<=", "==", ">>", "<", ">", "&"]) {
            left = format!("{left} {sign} {}", self.sum());
        }
        left
    }

    fn sum(&mut self) -> String {
        let first = self.next(&["-"]).unwrap_or("+");
        let mut members = vec![format!("{first} {}", self.product())];
        while let Some(sign) = self.next(&["+", "-"]) {
            members.push(format!("{sign} {}", self.product()));
        }
        if members.len() == 1 && first == "+" {
            return members.remove(0).split_off(2);
        }
        members.sort();
        format!("({})", members.join(" "))
    }

    fn product(&mut self) -> String {
        let mut members = vec![format!("* {}", self.power())];
        while let Some(sign) = self.next(&["@", "*", "/"]) {
            let right = self.power();
            match sign {
                "@" => members = vec![format!("* ({} @ {right})", together(members))],
                _ => members.push(format!("{sign} {right}")),
            }
        }
        together(members)
    }

    fn power(&mut self) -> String {
        let base = self.value();
        match self.next(&["**"]) {
            Some(_) => format!("{base} ** {}", self.value()),
            None => base,
        }
    }

    fn value(&mut self) -> String {
        let mut text = String::new();
        if self.next(&["("]).is_some() {
            text = self.comparison();
            self.next(&[")"]).expect("a bracket ends");
        }
        // A name or a number, and what is called or indexed.
        loop {
            let end = self.rest.find(|c: char| !c.is_alphanumeric() && !"._'".contains(c));
            // The exponent of 1e-5.
            let end = match end.unwrap_or(self.rest.len()) {
                end if text.is_empty() && is_scientific(&self.rest[..end]) => end + 2,
                end => end,
            };
            text += &self.rest[..end];
            self.rest = &self.rest[end..];
            let Some(close) =
                ["(", "["].iter().zip([")", "]"]).find(|(open, _)| self.rest.starts_with(**open))
            else {
                return text;
            };
            text += close.0;
            self.rest = &self.rest[1..];
            while self.next(&[close.1]).is_none() {
                match self.next(&[",", ":", "="]) {
                    Some(sign) => text += sign,
                    None => text += &self.comparison(),
                }
            }
            text += close.1;
        }
    }
}

fn is_scientific(number: &str) -> bool {
    number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with('e')
}

fn together(mut members: Vec<String>) -> String {
    if members.len() == 1 {
        return members.remove(0).split_off(2);
    }
    members.sort();
    members.join(" ")
}
