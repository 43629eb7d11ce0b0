//! How a texture, a sampler or a surface views a tensor: as data, from TOML and back.
//!
//! The words are those of `cudaTextureDesc`. What is left out is `None` here; the run takes what a descriptor of zeros
//! says, and the report lists it.

use super::read::{Node, Reader, span_of};
use crate::base::{Format, Span, nearest};
use std::fmt::Write;
use toml::de::{DeTable, DeValue};

/// What a kernel gets in the place of a tensor: a texture or a surface, or how to read one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The tensor; a sampler has none.
    pub tensor: Option<String>,
    /// It is a surface.
    pub surface: bool,
    /// The format in which this kernel gets the tensor, if another.
    pub format: Option<Format>,
    /// Channels of a texel, if the tensor has no axis of them.
    pub channels: Option<u64>,
    /// What lies between texels.
    pub filter: Option<Filter>,
    /// What lies outside, for each coordinate; one stands for all.
    pub address: Vec<AddressMode>,
    /// Coordinates go from 0 to 1.
    pub normalized: Option<bool>,
    /// What integers are read as.
    pub read: Option<ReadMode>,
}

/// A module variable's view (`[views.name]`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedView {
    /// The variable.
    pub name: String,
    /// How it views.
    pub view: View,
    /// Where in the spec file.
    pub span: Span,
}

/// What lies between texels (`cudaTextureFilterMode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest texel.
    Point,
    /// A mean of the texels around.
    Linear,
}

/// What lies outside (`cudaTextureAddressMode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressMode {
    /// The same again.
    Wrap,
    /// The texel at the edge.
    Clamp,
    /// The same the other way round.
    Mirror,
    /// Zero.
    Border,
}

/// What integers are read as (`cudaTextureReadMode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadMode {
    /// Integers.
    Element,
    /// Floats from 0 or -1 to 1.
    NormalizedFloat,
}

/// A word of a spec, for a choice among few.
trait Word: Copy + 'static {
    const ALL: &'static [(&'static str, Self)];
}

impl Word for Filter {
    const ALL: &'static [(&'static str, Self)] = &[("point", Filter::Point), ("linear", Filter::Linear)];
}

impl Word for AddressMode {
    const ALL: &'static [(&'static str, Self)] = &[
        ("wrap", AddressMode::Wrap),
        ("clamp", AddressMode::Clamp),
        ("mirror", AddressMode::Mirror),
        ("border", AddressMode::Border),
    ];
}

impl Word for ReadMode {
    const ALL: &'static [(&'static str, Self)] =
        &[("element", ReadMode::Element), ("normalized_float", ReadMode::NormalizedFloat)];
}

impl AddressMode {
    /// The spelling in spec files.
    pub fn name(self) -> &'static str {
        name_of(self)
    }
}

impl Filter {
    /// The spelling in spec files.
    pub fn name(self) -> &'static str {
        name_of(self)
    }
}

fn name_of<W: Word + PartialEq>(word: W) -> &'static str {
    W::ALL.iter().find(|(_, known)| *known == word).map_or("", |(name, _)| name)
}

fn word<W: Word>(reader: &mut Reader, key: &str, node: &Node<'_>) -> Option<W> {
    let text = reader.string(key, node)?;
    let found = W::ALL.iter().find(|(name, _)| *name == text).map(|(_, word)| *word);
    if found.is_none() {
        let names: Vec<&str> = W::ALL.iter().map(|(name, _)| *name).collect();
        let diagnostic = reader.error(span_of(node), format!("`{key}` is not \"{text}\""));
        diagnostic.notes.push(match nearest(&text, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("it is one of {}", super::read::quoted(&names)),
        });
    }
    found
}

/// The keys of a view.
const VIEW: &[&str] = &["texture", "surface", "type", "channels", "filter", "address", "normalized", "read"];

/// Whether a table is one of a view and not of a plain argument.
pub(super) fn is_view(table: &DeTable<'_>) -> bool {
    table.contains_key("texture") || table.contains_key("surface")
}

/// Reads a view.
pub(super) fn read(reader: &mut Reader, what: &str, table: &DeTable<'_>) -> Option<View> {
    let mut view = View::default();
    let mut sampling = None;
    for entry in reader.entries(what, table, VIEW) {
        match entry.key {
            "texture" | "surface" => {
                if view.tensor.is_some() {
                    reader.error(entry.key_span, "a view is a `texture` or a `surface`, not both");
                    return None;
                }
                view.tensor = Some(reader.string(entry.key, entry.value)?);
                view.surface = entry.key == "surface";
            }
            "type" => view.format = Some(reader.format("type", entry.value)?),
            "channels" => {
                view.channels = Some(reader.integer("channels", entry.value, 1, 4)?);
                if view.channels == Some(3) {
                    reader.error(span_of(entry.value), "a texel has 1, 2 or 4 channels");
                    return None;
                }
            }
            "filter" => view.filter = Some(word(reader, "filter", entry.value)?),
            "address" => view.address = address(reader, entry.value)?,
            "normalized" => view.normalized = Some(reader.boolean("normalized", entry.value)?),
            _ => view.read = Some(word(reader, "read", entry.value)?),
        }
        if matches!(entry.key, "filter" | "address" | "normalized" | "read") {
            sampling = Some(entry.key_span);
        }
    }
    if let (Some(at), true) = (sampling, view.surface) {
        reader.error(at, "a surface is not sampled: it has neither filter nor address mode");
        return None;
    }
    Some(view)
}

/// Reads the views of module variables.
pub(super) fn named(reader: &mut Reader, table: &DeTable<'_>) -> Vec<NamedView> {
    let mut views = Vec::new();
    for entry in reader.all_entries(table) {
        let what = format!("[views.{}]", entry.key);
        if let Some(table) = reader.table(&what, entry.value)
            && let Some(view) = read(reader, &what, table)
        {
            views.push(NamedView { name: entry.key.to_owned(), view, span: entry.key_span });
        }
    }
    views
}

/// One mode for all coordinates, or one for each.
fn address(reader: &mut Reader, node: &Node<'_>) -> Option<Vec<AddressMode>> {
    match node.get_ref() {
        DeValue::Array(items) if (1..=3).contains(&items.len()) => {
            items.iter().map(|item| word(reader, "address", item)).collect()
        }
        DeValue::Array(_) => {
            reader.error(span_of(node), "`address` has one mode, or one for each of up to three coordinates");
            None
        }
        _ => Some(vec![word(reader, "address", node)?]),
    }
}

/// A view as the inside of a table: `texture = "img", filter = "linear"`.
pub(super) fn entries(view: &View) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(tensor) = &view.tensor {
        let key = if view.surface { "surface" } else { "texture" };
        lines.push(format!("{key} = {}", super::print::string(tensor)));
    }
    lines.extend(view.format.map(|format| format!("type = \"{format}\"")));
    lines.extend(view.channels.map(|channels| format!("channels = {channels}")));
    lines.extend(view.filter.map(|filter| format!("filter = \"{}\"", name_of(filter))));
    match &view.address[..] {
        [] => {}
        [one] => lines.push(format!("address = \"{}\"", name_of(*one))),
        all => {
            let mut text = String::from("address = [");
            for (at, mode) in all.iter().enumerate() {
                let _ = write!(text, "{}\"{}\"", if at > 0 { ", " } else { "" }, name_of(*mode));
            }
            lines.push(text + "]");
        }
    }
    lines.extend(view.normalized.map(|normalized| format!("normalized = {normalized}")));
    lines.extend(view.read.map(|read| format!("read = \"{}\"", name_of(read))));
    lines
}
