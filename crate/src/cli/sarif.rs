//! `--format sarif`: the findings of a report as SARIF 2.1.0, so that a review shows them at their lines.
//!
//! A finding stands at the line of the CUDA or Triton source where `.loc` names one and the file is there (as it is
//! named, or beside the PTX), otherwise at the line of the PTX; the other place, and the other access of a race, are
//! related locations. A counterexample stands at the store of the optimized kernel. What has no place of its own
//! stands at the first line of the optimized kernel, since reviews leave out what has none.
//!
//! Guaranteed: every error and warning of the report is a result, and a verdict that is not good has at least one.
//! Missed: what was inferred, assumptions, and expressions; those are in the other formats.
//!
//! Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 3.27 (result) and 3.49 (rule).

use super::files;
use crate::diag::CODES;
use crate::report::{
    CudaLocation, Expression, FindingLevel, LabelReport, Location, Names, Report, SweepReport, TextSource,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The report as the text of a SARIF file.
pub(super) fn sarif(report: &Report, names: &Names<'_>) -> String {
    log(&report.version, results(report, names))
}

/// A sweep's findings: those of the combination that it shows, if one is not fine.
pub(super) fn sarif_of_sweep(sweep: &SweepReport, names: &Names<'_>) -> String {
    log(&sweep.version, results_of_sweep(sweep, names))
}

/// The findings of a report that was kept as JSON, of a question or of a sweep.
pub(super) fn findings(report: &str, names: &Names<'_>) -> Option<Vec<Value>> {
    let of_one = || serde_json::from_str::<Report>(report).ok().map(|report| results(&report, names));
    let of_sweep = serde_json::from_str::<SweepReport>(report).ok();
    of_sweep.map(|sweep| results_of_sweep(&sweep, names)).or_else(of_one)
}

fn results_of_sweep(sweep: &SweepReport, names: &Names<'_>) -> Vec<Value> {
    let shown = sweep.shown.as_ref().map(|shown| Report {
        summary: format!("{}: {}", shown.title, shown.report.summary),
        ..shown.report.clone()
    });
    shown.map_or(Vec::new(), |report| results(&report, names))
}

/// Results as a file.
pub(super) fn log(version: &str, results: Vec<Value>) -> String {
    let used: BTreeSet<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let rules: Vec<Value> = used.into_iter().map(rule).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "warpproof", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn results(report: &Report, names: &Names<'_>) -> Vec<Value> {
    let mut results: Vec<Value> = report
        .diagnostics
        .iter()
        .filter(|finding| finding.severity != FindingLevel::Info)
        .map(|finding| {
            let mut places =
                finding.primary.iter().flat_map(|label| of_label(label, names)).collect::<Vec<_>>();
            if finding.code.starts_with('Q')
                && let Some(example) = &report.counterexample
            {
                let sides = [
                    (&example.optimized, "stored here"),
                    (&example.reference, "the reference stores it here"),
                ];
                places.extend(
                    sides
                        .into_iter()
                        .filter_map(|(side, text)| of_store(side.as_ref()?, text, names))
                        .flatten(),
                );
            }
            places.extend(finding.related.iter().flat_map(|label| of_label(label, names)));
            let level = if finding.severity == FindingLevel::Error { "error" } else { "warning" };
            let message = match &report.counterexample {
                Some(_) if finding.code.starts_with('Q') => &report.summary,
                _ => &finding.message,
            };
            let notes = finding.notes.iter().map(|note| format!("\n{note}")).collect::<String>();
            result(&finding.code, level, &format!("{message}{notes}"), places, names)
        })
        .collect();
    if results.is_empty() && report.verdict.exit_status() != 0 {
        let level = if report.verdict.exit_status() == 1 { "error" } else { "warning" };
        results.push(result(report.verdict.name(), level, &report.summary, Vec::new(), names));
    }
    results
}

fn result(rule: &str, level: &str, message: &str, mut places: Vec<Value>, names: &Names<'_>) -> Value {
    if places.is_empty() {
        places.push(place(names.optimized, json!({ "startLine": 1 }), ""));
    }
    let related = places.split_off(1);
    let mut result =
        json!({ "ruleId": rule, "level": level, "message": { "text": message }, "locations": places });
    if !related.is_empty() {
        let numbered = related.into_iter().enumerate().map(|(at, mut place)| {
            place["id"] = json!(at + 1);
            place
        });
        result["relatedLocations"] = numbered.collect();
    }
    result
}

/// A code's row, or a verdict without one.
fn rule(name: &str) -> Value {
    let row = CODES.iter().map(|(_, row)| row).find(|row| row.name == name);
    match row {
        Some(row) => json!({
            "id": name,
            "shortDescription": { "text": row.what },
            "fullDescription": { "text": row.why },
        }),
        None => json!({ "id": name, "shortDescription": { "text": name.replace('_', " ") } }),
    }
}

fn of_label(label: &LabelReport, names: &Names<'_>) -> Vec<Value> {
    places(&label.at, label.cuda.as_ref(), &label.text, names)
}

fn of_store(side: &Expression, text: &str, names: &Names<'_>) -> Option<Vec<Value>> {
    Some(places(side.stored_at.as_ref()?, side.cuda.as_ref(), text, names))
}

/// The source's place, if its file is there, then the PTX's.
fn places(at: &Location, cuda: Option<&CudaLocation>, text: &str, names: &Names<'_>) -> Vec<Value> {
    let file = match at.source {
        TextSource::Reference => names.reference,
        TextSource::Optimized => names.optimized,
        TextSource::Spec => names.spec,
    };
    let source = cuda.and_then(|cuda| {
        let named = Path::new(&cuda.file);
        let beside = Path::new(file).parent().unwrap_or(Path::new("")).join(named);
        let found = [named.to_owned(), beside].into_iter().find(|path| path.is_file())?;
        let mut region = json!({ "startLine": cuda.line });
        if cuda.column > 0 {
            region["startColumn"] = json!(cuda.column);
        }
        Some(place(&found.display().to_string(), region, text))
    });
    let region = json!({
        "startLine": at.line,
        "startColumn": at.column,
        "byteOffset": at.start,
        "byteLength": at.end.saturating_sub(at.start),
        "snippet": { "text": at.excerpt },
    });
    source.into_iter().chain([place(file, region, text)]).collect()
}

fn place(file: &str, region: Value, text: &str) -> Value {
    // A path of URIs: reviews compare it with the paths of the repository, which is where they start the program.
    let path = files::clean(Path::new(file));
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path);
    let scheme = match path.is_absolute() {
        true if path.has_root() && path.to_string_lossy().starts_with('/') => "file://",
        true => "file:///",
        false => "",
    };
    let uri = path
        .display()
        .to_string()
        .replace('\\', "/")
        .replace('%', "%25")
        .replace(' ', "%20")
        .replace('#', "%23")
        .replace('?', "%3F");
    let uri = format!("{scheme}{uri}");
    let mut place = json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } });
    if !text.is_empty() {
        place["message"] = json!({ "text": text });
    }
    place
}
