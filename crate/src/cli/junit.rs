//! `--format junit` and `batch --junit`: answers as test cases, in the XML that continuous integration reads.
//!
//! A question whose property holds passes, one whose property does not hold is a *failure*, and one without an
//! answer, or with unusable input, is an *error*: it is never counted as passed. A sweep has a case for each
//! combination; one that was not asked is an error, too.
//!
//! Source: the schema that Jenkins' xUnit plugin publishes (`junit-10.xsd`), which GitHub, GitLab and others read.

use std::fmt::Write;

/// One answer.
pub(super) struct TestCase<'a> {
    /// What was asked about: files, or an id.
    pub name: &'a str,
    /// The kind of answer: a verdict, or why there is none.
    pub kind: &'a str,
    /// As the command line's.
    pub exit_status: u8,
    /// The answer in one sentence.
    pub summary: &'a str,
    /// The report as the terminal shows it; may be empty.
    pub text: &'a str,
    /// Seconds.
    pub time: Option<f64>,
}

/// The cases as the text of an XML file.
pub(super) fn junit(suite: &str, cases: &[TestCase<'_>]) -> String {
    let failures = cases.iter().filter(|case| case.exit_status == 1).count();
    let errors = cases.iter().filter(|case| case.exit_status > 1).count();
    let totals = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", cases.len());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites {totals}>\n  <testsuite name=\"{}\" {totals}>", escaped(suite));
    for case in cases {
        let time = case.time.map_or(String::new(), |time| format!(" time=\"{time:.3}\""));
        let head = format!("    <testcase classname=\"warpproof\" name=\"{}\"{time}", escaped(case.name));
        if case.exit_status == 0 {
            let _ = writeln!(xml, "{head}/>");
            continue;
        }
        let tag = if case.exit_status == 1 { "failure" } else { "error" };
        let (kind, message) = (escaped(case.kind), escaped(case.summary));
        let _ = writeln!(
            xml,
            "{head}>\n      <{tag} type=\"{kind}\" message=\"{message}\">{}</{tag}>",
            escaped(case.text)
        );
        xml.push_str("    </testcase>\n");
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Text as XML 1.0 may hold it: of control characters only tabs and ends of lines.
pub(super) fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\t' | '\n' => xml.push(letter),
            '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            _ if letter.is_control() => xml.push('\u{fffd}'),
            _ => xml.push(letter),
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_answer_does_not_pass() {
        let case = |name, exit_status| TestCase {
            name,
            kind: "unknown",
            exit_status,
            summary: "a < b",
            text: "\u{1b}[1m",
            time: Some(0.25),
        };
        let xml = junit("kernels", &[case("good", 0), case("bad", 1), case("open", 2), case("unusable", 3)]);
        assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"2\""), "{xml}");
        assert!(xml.contains("<error type=\"unknown\" message=\"a &lt; b\">\u{fffd}[1m</error>"), "{xml}");
        assert!(xml.contains("name=\"good\" time=\"0.250\"/>"), "{xml}");
    }
}
