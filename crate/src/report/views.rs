//! Textures and surfaces meet their tensors.
//!
//! A parameter that the PTX uses as a texture or a surface views the tensor that its argument names; an opaque module
//! variable (`.texref`) the tensor that `[views]` names for it, or that has its name. What the spec leaves out is what
//! a `cudaTextureDesc` of zeros says, or what the declaration of the variable says, and the ledger lists it where a run
//! relies on it. Extents are the tensor's, so it has to have a shape.

use super::arguments::Asked;
use super::bind::Builder;
use super::leaves::Leaf;
use super::variables::source_name;
use crate::base::Source;
use crate::diag::{Assumption, Code, Diagnostic};
use crate::ir::{Kernel, Variable};
use crate::isa::{Geometry, ViewKind};
use crate::sim::{Binding, Sampling, ViewSetup};
use crate::spec::{AddressMode, Filter, NamedView, Spec, View};

/// The kernel's variables that view something, and which tensor each does.
pub fn variables(spec: &Spec, kernel: &Kernel) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, variable) in kernel.variables.iter().enumerate() {
        let named = named(spec, variable);
        let tensor = named.and_then(|named| named.view.tensor.clone());
        match variable.view {
            Some(ViewKind::Sampler) => {}
            Some(_) => found.push((index, tensor.unwrap_or_else(|| source_name(&variable.name)))),
            None => found.extend(tensor.map(|tensor| (index, tensor))),
        }
    }
    found
}

/// What the spec says of a variable.
fn named<'s>(spec: &'s Spec, variable: &Variable) -> Option<&'s NamedView> {
    spec.views.iter().find(|view| view.name == variable.name || view.name == source_name(&variable.name))
}

impl Builder<'_> {
    /// A texture or surface as an argument.
    pub(super) fn view_argument(&mut self, leaf: &Leaf<'_>, view: &View) -> Option<Binding> {
        if leaf.size != 8 {
            self.fail(leaf, format!("has {} bytes, and a texture or a surface has 8", leaf.size));
            return None;
        }
        let kind = match (leaf.view, view.surface) {
            (Some((ViewKind::Sampler, _)), _) => {
                self.fail(leaf, "is used as a sampler of its own, which no argument can be".to_owned());
                return None;
            }
            (Some((ViewKind::Surface, _)), false) if !is_plain(view) => {
                self.fail(leaf, "is used as a surface: write { surface = \"…\" }".to_owned());
                return None;
            }
            (Some((ViewKind::Texture, _)), true) => {
                self.fail(leaf, "is used as a texture: write { texture = \"…\" }".to_owned());
                return None;
            }
            (Some((kind, _)), _) => kind,
            (None, true) => ViewKind::Surface,
            (None, false) => ViewKind::Texture,
        };
        let name = view.tensor.clone()?;
        let geometry = leaf.view.and_then(|(_, geometry)| geometry);
        let what = leaf.what.trim_end_matches(',').to_owned();
        self.push_view(kind, &name, view, None, geometry, &what).map(Binding::View)
    }

    /// The opaque variables of a kernel, and those that the spec says hold a texture or a surface.
    pub(super) fn view_variables(&mut self, asked: &Asked<'_>) {
        for (index, variable) in asked.kernel.variables.iter().enumerate() {
            let named = named(self.spec, variable);
            let mut view = named.map(|named| named.view.clone()).unwrap_or_default();
            declared(&variable.settings, &mut view);
            let kind = match (variable.view, &view.tensor) {
                (Some(kind), _) => kind,
                (None, Some(_)) if view.surface => ViewKind::Surface,
                (None, Some(_)) => ViewKind::Texture,
                (None, None) => continue,
            };
            if !variable.settings.is_empty() && named.is_none() {
                let message = format!("`{}` is set as the PTX declares it", variable.name);
                self.ledger.note(Assumption::Inferred(message), 1, None);
            }
            let what = format!("`{}` of `{}`", variable.name, asked.kernel.title());
            let message = match (named, variable.view) {
                (Some(_), None) if variable.size != Some(8) => "holds no single texture: it has not 8 bytes",
                (Some(named), Some(ViewKind::Texture)) if named.view.surface => "is a texture, not a surface",
                (Some(named), Some(ViewKind::Surface))
                    if !named.view.surface && named.view.tensor.is_some() =>
                {
                    "is a surface, not a texture"
                }
                (Some(named), Some(ViewKind::Sampler)) if named.view.tensor.is_some() => {
                    "is a sampler, which views nothing"
                }
                _ => "",
            };
            if let (Some(named), false) = (named, message.is_empty()) {
                let diagnostic = Diagnostic::error(Code::V010, format!("{what} {message}"));
                self.errors.push(diagnostic.at(Source::Spec, named.span));
                continue;
            }
            if kind == ViewKind::Sampler {
                self.views.push(setup((kind, None), variable.name.clone(), None, &view, Some(index)));
                continue;
            }
            let name = view.tensor.clone().unwrap_or_else(|| source_name(&variable.name));
            if named.is_none() {
                let message = format!("`{}` views the tensor `{name}`", variable.name);
                self.ledger.note(Assumption::Inferred(message), 1, None);
            }
            self.push_view(kind, &name, &view, Some(index), None, &what);
        }
    }

    /// Notes a view; its number.
    fn push_view(
        &mut self,
        kind: ViewKind,
        name: &str,
        view: &View,
        variable: Option<usize>,
        geometry: Option<Geometry>,
        what: &str,
    ) -> Option<usize> {
        let tensor = self.tensors.iter().position(|tensor| tensor.name == name)?;
        let bound = &self.tensors[tensor];
        if bound.shape().is_none() {
            let example = match geometry {
                Some(Geometry { cube: true, .. }) => "[6, 32, 32]",
                Some(Geometry { axes: 1, layered: false, .. }) => "[1024]",
                Some(Geometry { axes: 1, .. }) => "[4, 256]",
                Some(Geometry { axes: 2, layered: false, .. }) | None => "[32, 64]",
                Some(_) => "[4, 32, 64]",
            };
            let diagnostic = Diagnostic::error(
                Code::V010,
                format!("{what} is a {}, so the extents of `{name}` have to be given", kind.name()),
            );
            self.errors.push(diagnostic.note(format!(
                "add `shape = {example}` under [tensors.{name}]: the layers or the depth if there are any, the height, the width, and the channels if a texel has several",
            )));
            return None;
        }
        self.views.push(setup((kind, geometry), name.to_owned(), Some(tensor), view, variable));
        Some(self.views.len() - 1)
    }
}

/// Nothing is said but the tensor.
fn is_plain(view: &View) -> bool {
    let plain = View { tensor: view.tensor.clone(), format: view.format, ..View::default() };
    *view == plain
}

fn setup(
    (kind, geometry): (ViewKind, Option<Geometry>),
    name: String,
    tensor: Option<usize>,
    view: &View,
    variable: Option<usize>,
) -> ViewSetup {
    let View { channels, filter, address, normalized, read, .. } = view;
    let sampling =
        Sampling { filter: *filter, address: address.clone(), normalized: *normalized, read: *read };
    ViewSetup { name, kind, tensor, variable, geometry, channels: *channels, sampling }
}

/// What the declaration of an opaque variable says, where the spec says nothing.
fn declared(settings: &[(String, String)], view: &mut View) {
    let said = |key: &str| settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
    view.filter = view.filter.or(match said("filter_mode") {
        Some("nearest") => Some(Filter::Point),
        Some("linear") => Some(Filter::Linear),
        _ => None,
    });
    view.normalized =
        view.normalized.or(match (said("force_unnormalized_coords"), said("normalized_coords")) {
            (Some("1"), _) | (None, Some("0")) => Some(false),
            (_, Some("1")) => Some(true),
            _ => None,
        });
    let mode = |axis: u32| match said(&format!("addr_mode_{axis}")) {
        Some("wrap") => Some(AddressMode::Wrap),
        Some("mirror") => Some(AddressMode::Mirror),
        Some("clamp_to_edge" | "clamp_ogl") => Some(AddressMode::Clamp),
        Some("clamp_to_border") => Some(AddressMode::Border),
        _ => None,
    };
    if view.address.is_empty() {
        view.address = (0..3).map_while(mode).collect();
    }
}
