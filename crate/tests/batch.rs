//! `warpproof batch` and the formats for reviews, as a user runs them: real processes, real files.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A folder that goes when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("warpproof-batch-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, lines: &[String]) -> PathBuf {
        fs::write(self.path(name), lines.join("\n")).expect("a file");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn corpus(case: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(case);
    path.canonicalize().expect("a case of the corpus").display().to_string()
}

fn warpproof() -> Command {
    Command::new(env!("CARGO_BIN_EXE_warpproof"))
}

fn batch(manifest: &Path, out: &Path, more: &[&str]) -> Output {
    warpproof().arg("batch").arg(manifest).arg("--out").arg(out).args(more).output().expect("it runs")
}

fn answers(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out).expect("results");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn question(id: &str, spec: &str) -> String {
    serde_json::json!({ "id": id, "spec": spec }).to_string()
}

const DIFFERENT: &str = "not_equivalent/softmax/n4_no_rescale.toml";
const EQUAL: &str = "equivalent/softmax/n128_naive_precise_vs_online_fast.toml";
const LARGE: &str = "equivalent/gemm/mma_tf32_vs_mma_f16.toml";
const RACE: &str = "data_race/attention/flash1_deferred_factor_barrier_missing.toml";

/// Each of two hundred threads counts to a hundred million.
fn endless() -> String {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 y)\n.reqntid 256\n{\n\
        .reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [y];\nmov.u32 %r1, 0;\n\
        L: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100000000;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    serde_json::json!({ "id": "endless", "optimized_text": ptx, "ask": "analyze" }).to_string()
}

#[test]
fn a_question_that_dies_is_a_line_and_the_others_do_not_notice() {
    let folder = Folder::new("dies");
    let manifest = folder.write(
        "m.jsonl",
        &[
            question("before", &corpus(DIFFERENT)),
            endless(),
            question("missing", "nothing.toml"),
            question("after", &corpus(DIFFERENT)),
        ],
    );
    let out = folder.path("r.jsonl");
    let done = batch(&manifest, &out, &["--jobs", "1", "--time", "1"]);
    let by_id = |id: &str| answers(&out).into_iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(by_id("before")["verdict"], "not_equivalent");
    assert_eq!(by_id("endless")["verdict"], "resource_limit");
    assert_eq!(by_id("missing")["died"], "input");
    assert_eq!(by_id("after")["verdict"], "not_equivalent");
    assert_eq!(done.status.code(), Some(1), "{done:?}");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_that_a_question_may_not_have_ends_its_process_alone() {
    let folder = Folder::new("memory");
    let both = [question("large", &corpus(LARGE)), question("small", &corpus(DIFFERENT))];
    let manifest = folder.write("m.jsonl", &both);
    // Less than the large question needs, and enough for the small one.
    let died = [12, 16, 8].into_iter().any(|limit| {
        let out = folder.path(&format!("r{limit}.jsonl"));
        batch(&manifest, &out, &["--jobs", "1", "--process-memory", &limit.to_string()]);
        let answers = answers(&out);
        assert_eq!(answers.len(), 2, "{answers:?}");
        answers[0]["died"] == "memory" && answers[1]["verdict"] == "not_equivalent"
    });
    assert!(died, "no limit ended the large question alone");
}

#[test]
fn a_killed_batch_goes_on_and_asks_nothing_twice() {
    let folder = Folder::new("killed");
    let lines: Vec<String> = (0..40).map(|at| question(&format!("q{at}"), &corpus(EQUAL))).collect();
    let manifest = folder.write("m.jsonl", &lines);
    let out = folder.path("r.jsonl");
    let mut first = warpproof();
    first.arg("batch").arg(&manifest).arg("--out").arg(&out).args(["--jobs", "2"]).stdout(Stdio::null());
    let mut running = first.spawn().expect("it runs");
    while fs::read_to_string(&out).map_or(0, |text| text.lines().count()) < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().expect("it was running");
    running.wait().expect("it ends");
    // As a kill in the middle of a line would leave it.
    let mut text = fs::read_to_string(&out).expect("results");
    text += "{\"id\":\"q";
    fs::write(&out, text).expect("a file");
    let before = answers_so_far(&out);
    let done = batch(&manifest, &out, &["--jobs", "2"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let mut ids: Vec<String> =
        answers(&out).iter().map(|answer| answer["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids.len(), 40);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 40, "something was asked twice");
    let summary = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(summary.contains(&format!("{before} answered before")), "{summary}");
    // Once more: nothing is asked.
    let again = batch(&manifest, &out, &[]);
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("0 questions asked"), "{again:?}");
}

#[test]
fn a_sweep_in_parts_has_the_report_of_the_whole() {
    let folder = Folder::new("parts");
    let spec = corpus("../sweeps/softmax_row_one_too_far.toml");
    let out = folder.path("r.jsonl");
    let manifest = folder.write("m.jsonl", &[question("sweep", &spec)]);
    batch(&manifest, &out, &["--no-times", "--jobs", "2"]);
    let whole = warpproof().args(["check", "--format", "json", "--no-times", "--spec", &spec]).output();
    let whole: Value = serde_json::from_slice(&whole.expect("it runs").stdout).expect("JSON");
    // Objects keep their order here, so these are the bytes.
    assert_eq!(answers(&out)[0]["report"].to_string(), whole.to_string());
    assert!(!folder.path("r.jsonl.parts").exists(), "the file of parts is left");
}

/// Equal ones, different ones with a witness, equal ones up to rounding, and a fault, which every portion finds.
#[test]
fn a_question_in_portions_has_the_report_of_one_process() {
    let folder = Folder::new("portions");
    let cases =
        [EQUAL, DIFFERENT, LARGE, RACE, "equal_up_to_rounding/constants/adam_step_folded_vs_written.toml"]
            .map(corpus);
    let lines = |portions: u16| -> Vec<String> {
        let line = |(at, spec): (usize, &String)| {
            serde_json::json!({ "id": format!("q{at}"), "spec": spec, "portions": portions }).to_string()
        };
        cases.iter().enumerate().map(line).collect()
    };
    for portions in [1, 3, 50] {
        let manifest = folder.write("m.jsonl", &lines(portions));
        let out = folder.path(&format!("r{portions}.jsonl"));
        let done = batch(&manifest, &out, &["--no-times", "--jobs", "3"]);
        assert!(!folder.path(&format!("r{portions}.jsonl.parts")).exists(), "{done:?}");
        let found = answers(&out);
        assert_eq!(found.len(), cases.len(), "{done:?}");
        for (at, case) in cases.iter().enumerate() {
            let options = ["--format", "json", "--no-times", "--portions", &portions.to_string(), "--spec"];
            let one = warpproof().arg("check").args(options).arg(case).output().expect("it runs");
            let one: Value = serde_json::from_slice(&one.stdout).expect("JSON");
            let answer = found.iter().find(|answer| answer["id"] == format!("q{at}")).expect("an answer");
            // A copied test says what a batch adds to each question.
            let told =
                answer["report"].to_string().replace(r"\n[options]\noptimized_may_require = false\n", "");
            assert_eq!(told, one.to_string(), "{case} in {portions}");
            let whole =
                warpproof().args(["check", "--format", "json", "--spec", case]).output().expect("it runs");
            let whole: Value = serde_json::from_slice(&whole.stdout).expect("JSON");
            assert_eq!(answer["verdict"], whole["verdict"], "{case} in {portions}");
        }
    }
}

#[test]
fn portions_that_were_decided_are_not_decided_again() {
    let folder = Folder::new("kept-portions");
    let line = serde_json::json!({ "id": "q", "spec": corpus(LARGE), "portions": 40 }).to_string();
    let manifest = folder.write("m.jsonl", &[line]);
    let out = folder.path("r.jsonl");
    let parts = folder.path("r.jsonl.parts");
    let count = || fs::read_to_string(&parts).map_or(0, |text| text.lines().count());
    let mut first = warpproof();
    first.arg("batch").arg(&manifest).arg("--out").arg(&out).args(["--jobs", "1"]).stdout(Stdio::null());
    let mut running = first.spawn().expect("it runs");
    while count() < 3 {
        assert!(running.try_wait().expect("it can be asked").is_none(), "it ended before it was stopped");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.kill().expect("it was running");
    running.wait().expect("it ends");
    let before = count();
    assert!((3..40).contains(&before), "{before} of 40 portions were decided");
    let done = batch(&manifest, &out, &["--jobs", "2", "--no-times"]);
    assert_eq!(answers(&out)[0]["verdict"], "equivalent", "{done:?}");
    assert!(!parts.exists());
}

#[test]
fn findings_of_a_batch_stand_at_their_lines() {
    let folder = Folder::new("findings");
    let expected =
        serde_json::json!({ "id": "expected", "spec": corpus(RACE), "expect": ["data_race"] }).to_string();
    let lines = [question("race", &corpus(RACE)), question("differs", &corpus(DIFFERENT)), expected];
    let manifest = folder.write("m.jsonl", &lines);
    let sarif = folder.path("r.sarif");
    batch(&manifest, &folder.path("r.jsonl"), &["--sarif", &sarif.display().to_string()]);
    let found: Value = serde_json::from_str(&fs::read_to_string(sarif).expect("a file")).expect("JSON");
    // The same as those of each question asked alone; what the manifest expects is no finding.
    let alone = |case: &str| {
        let done = warpproof().args(["check", "--format", "sarif", "--spec", &corpus(case)]).output();
        let found: Value = serde_json::from_slice(&done.expect("it runs").stdout).expect("JSON");
        found["runs"][0]["results"].as_array().expect("results").clone()
    };
    let together = [alone(RACE), alone(DIFFERENT)].concat();
    assert_eq!(found["runs"][0]["results"], Value::Array(together));
}

#[test]
fn the_plain_command_line_says_where_ray_is() {
    let folder = Folder::new("ray");
    let manifest = folder.write("m.jsonl", &[question("a", &corpus(DIFFERENT))]);
    let done = batch(&manifest, &folder.path("r.jsonl"), &["--ray", "auto"]);
    assert_eq!(done.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&done.stderr).contains("pip install './python[ray]'"), "{done:?}");
}

fn answers_so_far(out: &Path) -> usize {
    fs::read_to_string(out).expect("results").matches('\n').count()
}

#[test]
fn the_manifest_says_what_is_expected_and_nothing_else_is_touched() {
    let folder = Folder::new("expected");
    let expecting = |id: &str, verdict: &str| {
        serde_json::json!({ "id": id, "spec": corpus(DIFFERENT), "expect": [verdict] }).to_string()
    };
    let out = folder.path("r.jsonl");
    let table = folder.path("t.html");
    let good = folder.write("m.jsonl", &[expecting("<b>", "not_equivalent")]);
    let done = batch(&good, &out, &["--table", table.to_str().expect("a path")]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let page = fs::read_to_string(&table).expect("a page");
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
    // The same answer, seen by another manifest: not asked again, and what it is now is said again.
    let bad = folder.write("m.jsonl", &[expecting("<b>", "equivalent")]);
    for _ in 0..2 {
        let again = batch(&bad, &out, &[]);
        assert_eq!(again.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&again.stdout).starts_with("0 questions asked"), "{again:?}");
        let found = answers(&out);
        let seen: Vec<Option<bool>> = found.iter().map(|answer| answer["as_expected"].as_bool()).collect();
        assert_eq!(seen, [Some(true), Some(false)]);
        assert_eq!(found[0]["report"], found[1]["report"]);
    }
    // A wrong line refuses the manifest, and a file that is none of ours stays as it is.
    let wrong = folder.write("w.jsonl", &[expecting("x", "fine")]);
    assert_eq!(batch(&wrong, &out, &[]).status.code(), Some(3));
    let other = folder.write("other.txt", &["somebody's only line".to_owned()]);
    assert_eq!(batch(&good, &other, &[]).status.code(), Some(3));
    assert_eq!(fs::read_to_string(&other).expect("a file"), "somebody's only line");
}

#[test]
fn no_file_of_somebody_elses_is_written_over() {
    let folder = Folder::new("others");
    let only = question("a", &corpus(DIFFERENT));
    let manifest = folder.write("m.jsonl", std::slice::from_ref(&only));
    let refused = |out: &Path, more: &[&str], why: &str| {
        let done = batch(&manifest, out, more);
        assert_eq!(done.status.code(), Some(3), "{done:?}");
        assert!(String::from_utf8_lossy(&done.stderr).contains(why), "{done:?}");
        assert_eq!(fs::read_to_string(&manifest).expect("the manifest"), only);
    };
    let itself = folder.path("../").join(folder.0.file_name().expect("a name")).join("m.jsonl");
    refused(&manifest, &[], "is the manifest");
    refused(&itself, &[], "is the manifest");
    let out = folder.path("r.jsonl");
    refused(&out, &["--table", manifest.to_str().expect("a path")], "is the manifest");
    refused(&out, &["--table", out.to_str().expect("a path")], "two of the files");
    // Another manifest, as a line without an end.
    let other = folder.write("other.jsonl", std::slice::from_ref(&only));
    refused(&other, &[], "no answer of a batch");
    assert_eq!(fs::read_to_string(&other).expect("a file"), only);
    // A line of ours that was cut off, wherever that was.
    assert_eq!(batch(&manifest, &out, &[]).status.code(), Some(1));
    let whole = fs::read_to_string(&out).expect("results");
    for end in [1, 5, 8, 12, 20, 60] {
        fs::write(&out, &whole[..end]).expect("a file");
        assert_eq!(batch(&manifest, &out, &[]).status.code(), Some(1), "{end}");
        assert_eq!(answers(&out).len(), 1);
    }
}

#[test]
fn what_cannot_be_read_is_told_once_and_a_mark_of_the_order_of_bytes_is_no_text() {
    let folder = Folder::new("unread");
    let manifest = folder.path("m.jsonl");
    let lines = [question("missing", "nothing.toml"), question("a", &corpus(DIFFERENT))].join("\n");
    fs::write(&manifest, format!("\u{feff}{lines}")).expect("a file");
    let out = folder.path("r.jsonl");
    for more in [&[][..], &[], &["--retry"]] {
        let done = batch(&manifest, &out, more);
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        assert_eq!(answers(&out).len(), 2, "{more:?}");
    }
    fs::write(folder.path("nothing.toml"), "").expect("a file");
    batch(&manifest, &out, &[]);
    let found = answers(&out);
    assert_eq!(found.len(), 3);
    assert!(found[2]["summary"].as_str().is_some_and(|why| why.contains("which kernels?")), "{found:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn another_engine_is_asked_again() {
    let folder = Folder::new("engine");
    let manifest = folder.write("m.jsonl", &[question("a", &corpus(DIFFERENT))]);
    let out = folder.path("r.jsonl");
    batch(&manifest, &out, &[]);
    let other = folder.path("warpproof");
    fs::copy(env!("CARGO_BIN_EXE_warpproof"), &other).expect("a copy");
    let ask = || {
        let done = Command::new(&other).arg("batch").arg(&manifest).arg("--out").arg(&out).output();
        String::from_utf8_lossy(&done.expect("it runs").stdout).into_owned()
    };
    assert!(ask().starts_with("0 questions asked"));
    let mut text = fs::read(&other).expect("a program");
    text.push(0);
    fs::write(&other, text).expect("another program");
    assert!(ask().starts_with("1 questions asked"));
    assert!(ask().starts_with("0 questions asked"));
}

#[test]
fn a_test_case_that_fails_has_its_report() {
    let folder = Folder::new("junit");
    let manifest =
        folder.write("m.jsonl", &[question("differs", &corpus(DIFFERENT)), question("race", &corpus(RACE))]);
    let cases = folder.path("r.xml");
    batch(&manifest, &folder.path("r.jsonl"), &["--junit", cases.to_str().expect("a path")]);
    let text = fs::read_to_string(&cases).expect("a file");
    assert!(text.contains("counterexample at ") && text.contains("error[R001]"), "{text}");
}

#[test]
fn paths_in_findings_are_those_of_the_repository() {
    let folder = Folder::new("paths");
    fs::create_dir_all(folder.path("specs")).expect("a folder");
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 y)\n.reqntid 2\n{\n\
        .reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [y];\nmov.u32 %r1, %tid.x;\n\
        st.global.u32 [%rd1], %r1;\nret;\n}\n";
    fs::write(folder.path("k.ptx"), ptx).expect("a kernel");
    let uris = |optimized: &str| -> Vec<String> {
        let line = serde_json::json!({ "id": "a", "ask": "analyze", "optimized": optimized });
        let manifest = folder.write("m.jsonl", &[line.to_string()]);
        let done = warpproof()
            .current_dir(&folder.0)
            .args(["batch", manifest.file_name().and_then(|name| name.to_str()).expect("a name")])
            .args(["--out", "r.jsonl", "--sarif", "r.sarif"])
            .output()
            .expect("it runs");
        let found = fs::read_to_string(folder.path("r.sarif")).unwrap_or_else(|_| panic!("{done:?}"));
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let results = found["runs"][0]["results"].as_array().expect("results").clone();
        let uri =
            |result: &Value| result.pointer("/locations/0/physicalLocation/artifactLocation/uri").cloned();
        results.iter().filter_map(uri).map(|uri| uri.as_str().expect("a text").to_owned()).collect()
    };
    let expected = |found: Vec<String>| {
        assert!(!found.is_empty() && found.iter().all(|uri| uri == "k.ptx"), "{found:?}");
    };
    expected(uris("specs/../k.ptx"));
    expected(uris(folder.path("k.ptx").to_str().expect("a path")));
}

#[test]
fn reports_of_a_batch_are_those_of_check() {
    let folder = Folder::new("same");
    let manifest = folder.write("m.jsonl", &[question("race", &corpus(RACE))]);
    let out = folder.path("r.jsonl");
    batch(&manifest, &out, &["--no-times"]);
    let alone = warpproof()
        .args(["check", "--no-times", "--format", "json", "--spec", &corpus(RACE)])
        .output()
        .expect("it runs");
    let alone: Value = serde_json::from_slice(&alone.stdout).expect("JSON");
    assert_eq!(answers(&out)[0]["report"], alone);
}

#[test]
fn a_race_is_a_result_at_its_lines() {
    let run = |format: &str, case: &str| {
        let done = warpproof().args(["check", "--format", format, "--spec", &corpus(case)]).output();
        String::from_utf8(done.expect("it runs").stdout).expect("text")
    };
    let log: Value = serde_json::from_str(&run("sarif", RACE)).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "R001");
    let line = |place: &Value| place["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!(
        (line(&result["locations"][0]), line(&result["relatedLocations"][0])),
        (847.into(), 1041.into())
    );
    let log: Value = serde_json::from_str(&run("sarif", DIFFERENT)).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((result["ruleId"].as_str(), line(&result["locations"][0])), (Some("Q001"), 138.into()));
    let log: Value = serde_json::from_str(&run("sarif", EQUAL)).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    assert!(run("junit", DIFFERENT).contains("<failure type=\"not_equivalent\""));
    assert!(run("junit", EQUAL).contains("tests=\"1\" failures=\"0\" errors=\"0\""));
}
