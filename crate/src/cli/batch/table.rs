//! `--table`: all answers as a page in one file, in the manifest's order, with a choice of verdicts.
//!
//! It needs nothing from elsewhere and shows nothing unescaped. Of a report it has the findings, the counterexample's
//! element and values, and the assumptions; the rest is in the results.

use super::super::junit::escaped;
use super::manifest::Entry;
use super::results::{Latest, Tally};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;\
color-scheme:light dark}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;\
padding:.35rem .6rem;border-bottom:1px solid #8884}.n{text-align:right;white-space:nowrap}.s0{color:#178a3c}\
.s1{color:#d12f2f}.s2,.s3{color:#b26a00}label{margin-right:1rem;white-space:nowrap}pre{white-space:pre-wrap;margin:.3rem 0}";

const SCRIPT: &str = "for(const box of document.querySelectorAll('input'))box.onchange=()=>{\
for(const row of document.querySelectorAll('tr[data-kind=\"'+box.value+'\"]'))row.hidden=!box.checked}";

/// What a table shows of a report: of a sweep, of the combination that it shows.
pub(super) fn excerpt(report: &RawValue) -> Option<Box<RawValue>> {
    let report: Value = serde_json::from_str(report.get()).ok()?;
    let full = report.pointer("/shown/report").unwrap_or(&report);
    let messages: Vec<String> = list(&full["diagnostics"])
        .filter(|finding| finding["severity"] != "info")
        .map(|finding| {
            let line = &finding["primary"]["at"]["line"];
            let place = line.as_u64().map_or(String::new(), |line| format!("line {line}: "));
            format!("{} {place}{}", words(&finding["code"]), words(&finding["message"]))
        })
        .collect();
    let example = &full["counterexample"];
    let example = example["element"].as_str().map(|element| {
        let sides = (words(&example["reference_value"]), words(&example["optimized_value"]));
        format!("{element}: {} in the reference, {} in the optimized kernel", sides.0, sides.1)
    });
    let assumptions: Vec<String> = list(&report["assumptions"])
        .map(|made| format!("{}× {}", made["count"].as_u64().unwrap_or(0), words(&made["text"])))
        .collect();
    to_raw_value(&json!({ "findings": messages, "counterexample": example, "assumptions": assumptions })).ok()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn words(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The page.
pub(super) fn page(entries: &[Entry], answers: &Latest, tally: &Tally) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Warpproof: {} questions</title>\n\
         <style>{STYLE}</style>\n<h1>{} questions</h1>\n<p>\n",
        answers.len(),
        answers.len()
    );
    for ((status, kind), count) in &tally.kinds {
        let kind = escaped(kind);
        let _ = writeln!(
            html,
            "<label><input type=\"checkbox\" checked value=\"{kind}\"> <span class=\"s{status}\">{count} {kind}</span></label>"
        );
    }
    html.push_str("</p>\n<table>\n<tr><th>Question</th><th>Answer</th><th></th><th class=\"n\">Milliseconds</th></tr>\n");
    for answer in entries.iter().filter_map(|entry| answers.get(&entry.id)) {
        let kind = match &answer.died {
            Some(why) => format!("died: {why}"),
            None => answer.kind().replace('_', " "),
        };
        let kind = escaped(&kind);
        let unexpected = if answer.as_expected == Some(false) { ", not as expected" } else { "" };
        let _ = writeln!(
            html,
            "<tr data-kind=\"{kind}\"><td>{}</td><td class=\"s{}\">{kind}{unexpected}</td><td>{}{}</td><td class=\"n\">{:.1}</td></tr>",
            escaped(&answer.id),
            answer.exit_status,
            escaped(&answer.summary),
            details(answer.report.as_deref()),
            answer.time
        );
    }
    let _ = writeln!(html, "</table>\n<script>{SCRIPT}</script>\n</html>");
    html
}

fn details(excerpt: Option<&RawValue>) -> String {
    let Some(excerpt) = excerpt.and_then(|excerpt| serde_json::from_str::<Value>(excerpt.get()).ok()) else {
        return String::new();
    };
    let findings = list(&excerpt["findings"]).map(words).chain(excerpt["counterexample"].as_str());
    let lines: Vec<String> = findings.chain(list(&excerpt["assumptions"]).map(words)).map(escaped).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("<details><summary>findings and assumptions</summary><pre>{}</pre></details>", lines.join("\n"))
}
