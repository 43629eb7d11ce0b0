//! The questions of a batch: a JSON object a line.
//!
//! Paths are relative to the manifest's folder. A line that cannot be read refuses the whole manifest, before
//! anything runs; a file that cannot be read is the answer to its question.

use super::super::files::{self, File, Question};
use super::super::{Launch, Refusal, overrides};
use crate::report::{Input, Names, Verdict};
use crate::spec::Spec;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

/// One question.
pub(super) struct Entry {
    /// Its name in the results.
    pub id: String,
    /// Verdicts that it is to have; without them, any that holds.
    expect: Vec<Verdict>,
    folder: PathBuf,
    line: Line,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    #[serde(default)]
    ask: Ask,
    reference: Option<PathBuf>,
    optimized: Option<PathBuf>,
    spec: Option<PathBuf>,
    reference_text: Option<String>,
    optimized_text: Option<String>,
    spec_text: Option<String>,
    block: Option<[u32; 3]>,
    grid: Option<[u32; 3]>,
    ctas: Option<Ctas>,
    #[serde(default)]
    set: BTreeMap<String, serde_json::Number>,
    portions: Option<NonZeroU16>,
    #[serde(default)]
    expect: Vec<Verdict>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Ask {
    #[default]
    Check,
    Analyze,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Ctas {
    Word(String),
    One([u32; 3]),
}

/// A question with its texts, as a worker gets it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub reference: Option<Text>,
    pub optimized: Text,
    pub spec: Option<Text>,
    pub single: bool,
    pub launch: Launch,
    /// Of a sweep: from which combination on, and before which.
    #[serde(default)]
    pub part: Option<[usize; 2]>,
    /// In how many portions its outputs are decided.
    #[serde(default)]
    pub portions: Option<NonZeroU16>,
    /// Which portion alone this is about.
    #[serde(default)]
    pub portion: Option<u16>,
    /// What all portions came to.
    #[serde(default)]
    pub decided: Option<Box<RawValue>>,
}

impl Asked {
    /// The same in the engine's words.
    pub(super) fn input<'a>(&'a self, overrides: Option<&'a Spec>) -> Input<'a> {
        Input {
            reference: self.reference.as_ref().map(|text| text.text.as_str()),
            optimized: &self.optimized.text,
            spec: self.spec.as_ref().map(|text| text.text.as_str()),
            overrides,
            single: self.single,
            ..Input::default()
        }
    }

    /// What wins over the spec, and that an optimized kernel may not say for which inputs it is compared: that would
    /// be a say in its own test. A spec can let it.
    pub(super) fn overrides(&self) -> Result<Option<Spec>, Refusal> {
        let over = overrides(&self.launch)?;
        if self.single {
            return Ok(over);
        }
        let mut over = over.unwrap_or_default();
        over.options.optimized_may_require = Some(false);
        Ok(Some(over))
    }

    /// The names of its files.
    pub(super) fn names(&self) -> Names<'_> {
        fn name(text: &Option<Text>) -> &str {
            text.as_ref().map_or("", |text| &text.name)
        }
        Names { reference: name(&self.reference), optimized: &self.optimized.name, spec: name(&self.spec) }
    }
}

/// A file.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Text {
    pub name: String,
    pub text: String,
}

impl From<File> for Text {
    fn from(file: File) -> Text {
        Text { name: file.name, text: file.text }
    }
}

/// The questions of a manifest as JSON, with the texts of their files and with everything that wins over a spec in it:
/// for who shows questions elsewhere. Each is an object with `id`, `expect`, and either `refused` (why it cannot be
/// asked) or `reference`, `optimized`, `spec`, `single` and `names`.
pub fn questions(manifest: &Path) -> Result<String, Refusal> {
    let each = |entry: &Entry| -> Result<Value, Refusal> {
        let asked = entry.question()?;
        // A spec is shown as its author wrote it, unless something that is said elsewhere matters.
        let claims = asked.optimized.text.contains("warpproof");
        let overrides = if claims { asked.overrides()? } else { overrides(&asked.launch)? };
        let input = asked.input(overrides.as_ref());
        let names = asked.names();
        Ok(json!({
            "id": entry.id,
            "expect": entry.expect,
            "reference": input.reference,
            "optimized": input.optimized,
            "spec": input.whole_spec(),
            "single": input.single,
            "names": [names.reference, names.optimized, names.spec],
        }))
    };
    let refused = |entry: &Entry, Refusal(why): Refusal| json!({ "id": entry.id, "expect": entry.expect, "refused": why });
    let entries = read(manifest)?;
    let all: Vec<Value> =
        entries.iter().map(|entry| each(entry).unwrap_or_else(|refusal| refused(entry, refusal))).collect();
    Ok(Value::Array(all).to_string())
}

/// All questions of a manifest.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, Refusal> {
    let text = files::text(path)?.text;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut entries: Vec<Entry> = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    for (at, written) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{}:{}", path.display(), at + 1);
        let line: Line =
            serde_json::from_str(written).map_err(|error| Refusal(format!("{place}: {error}")))?;
        let entry = Entry::new(line, at + 1, &folder).map_err(|why| Refusal(format!("{place}: {why}")))?;
        if let Some(first) = lines.insert(entry.id.clone(), at + 1) {
            return Err(Refusal(format!("{place}: the id `{}` stands on line {first}, too", entry.id)));
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(Refusal(format!("`{}` has no questions", path.display())));
    }
    Ok(entries)
}

impl Entry {
    fn new(line: Line, number: usize, folder: &Path) -> Result<Entry, String> {
        let twice = [
            ("reference", line.reference.is_some() && line.reference_text.is_some()),
            ("optimized", line.optimized.is_some() && line.optimized_text.is_some()),
            ("spec", line.spec.is_some() && line.spec_text.is_some()),
        ];
        if let Some((name, _)) = twice.iter().find(|(_, both)| *both) {
            return Err(format!("`{name}` and `{name}_text` both say what the {name} is"));
        }
        if let Some(Ctas::Word(word)) =
            line.ctas.as_ref().filter(|ctas| !matches!(ctas, Ctas::Word(w) if w == "all"))
        {
            return Err(format!("`ctas` is \"all\" or [x, y, z], not \"{word}\""));
        }
        let id = line.id.clone().unwrap_or_else(|| format!("line {number}"));
        Ok(Entry { id, expect: line.expect.clone(), folder: folder.to_owned(), line })
    }

    /// Whether this verdict, or none, is what the manifest expects; nothing if it expects nothing.
    pub(super) fn expects(&self, verdict: Option<&str>) -> Option<bool> {
        let expected = || self.expect.iter().any(|expected| Some(expected.name()) == verdict);
        (!self.expect.is_empty()).then(expected)
    }

    /// The question with the texts of its files.
    pub(super) fn question(&self) -> Result<Asked, Refusal> {
        let Question { reference, optimized, spec, single } = self.files()?;
        let triple = |values: Option<[u32; 3]>| values.map(|[x, y, z]| format!("{x},{y},{z}"));
        Ok(Asked {
            reference: reference.map(Text::from),
            optimized: optimized.into(),
            spec: spec.map(Text::from),
            single,
            launch: Launch {
                block: triple(self.line.block),
                grid: triple(self.line.grid),
                ctas: self.line.ctas.as_ref().map(|ctas| match ctas {
                    Ctas::Word(word) => word.clone(),
                    Ctas::One([x, y, z]) => format!("{x},{y},{z}"),
                }),
                set: self.line.set.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            },
            part: None,
            portions: self.line.portions.filter(|_| !single),
            portion: None,
            decided: None,
        })
    }

    fn files(&self) -> Result<Question, Refusal> {
        let line = &self.line;
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| self.folder.join(path));
        let texts = [&line.reference_text, &line.optimized_text, &line.spec_text];
        if texts.iter().all(|text| text.is_none()) {
            let (optimized, spec) = (path(&line.optimized), path(&line.spec));
            return match line.ask {
                Ask::Check => files::pair(path(&line.reference), optimized, spec.as_deref()),
                Ask::Analyze => files::single(optimized, spec.as_deref()),
            };
        }
        let file = |named: &Option<PathBuf>, text: &Option<String>, what: &str| match (path(named), text) {
            (_, Some(text)) => Ok(Some(File { name: format!("{} ({what})", self.id), text: text.clone() })),
            (Some(path), None) => files::text(&path).map(Some),
            (None, None) => Ok(None),
        };
        let reference = file(&line.reference, &line.reference_text, "reference")?;
        let spec = file(&line.spec, &line.spec_text, "spec")?;
        let optimized = file(&line.optimized, &line.optimized_text, "optimized")?
            .ok_or_else(|| Refusal("which kernel? `optimized` or `optimized_text` says it".to_owned()))?;
        let formula = spec.as_ref().is_some_and(|spec| crate::spec::parse(&spec.text).0.formula.is_some());
        let single = line.ask == Ask::Analyze || (reference.is_none() && !formula);
        Ok(Question { reference: reference.filter(|_| !single), optimized, spec, single })
    }
}

/// What an engine is told by: the file that it is in.
pub(super) fn engine(file: &Path) -> Result<String, Refusal> {
    let refusal = |error| Refusal(format!("`{}` cannot be read: {error}", file.display()));
    let mut hasher = Sha256::new();
    let mut file = std::fs::File::open(file).map_err(refusal)?;
    std::io::copy(&mut file, &mut hasher).map_err(refusal)?;
    Ok(hex(&hasher.finalize()))
}

/// The first half of a digest.
fn hex(digest: &[u8]) -> String {
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// What makes two questions the same: the engine, the texts, the launch, the number of portions, and what a proof may
/// rest on. Limits do not, nor do names.
pub(super) fn key(asked: &Asked, engine: &str, exact: bool) -> String {
    let text = |text: &Option<Text>| text.as_ref().map(|text| text.text.clone());
    let parts = (
        engine,
        text(&asked.reference),
        &asked.optimized.text,
        text(&asked.spec),
        (asked.single, exact),
        &asked.launch,
        asked.portions,
    );
    hex(&Sha256::digest(serde_json::to_vec(&parts).unwrap_or_default()))
}
