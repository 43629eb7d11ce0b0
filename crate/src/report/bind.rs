//! Kernels meet their spec: tensors and scalars get numbers, parameter blocks get contents.
//!
//! Both kernels of a pair share one numbering of symbolic elements, so that equal inputs are equal
//! terms. What the spec leaves out is inferred (`arguments` for names, the PTX's accesses for
//! element formats, the run for sizes and roles); what only the user can know, the value of an
//! integer, is an error that says exactly what to write.

use super::arguments::{Asked, assign, mentioned};
use super::encode::encode;
use super::leaves::{Leaf, leaves};
use super::variables::{Settable, declares, settable};
use super::views;
use super::{launch, maps};
use crate::base::{Format, FormatClass, Source, Span};
use crate::diag::{Assumption, Code, Diagnostic, Label, Ledger};
use crate::ir::Reading;
use crate::sim::{
    Binding, BoundParameter, Initial, Maps, Setup, TensorSetup, ViewSetup, handed_on, unknowables,
};
use crate::spec::{self, Argument, Contents, Launch, Literal, Role, Spec, View};
use crate::term::{Elements, Pages, Term};

/// Elements numbered ahead of a tensor whose size only the run will show.
const OPEN: u64 = 1 << 22;
/// Elements numbered ahead together; larger tensors get their numbers as they are touched.
const AHEAD: u64 = 1 << 30;

/// One tensor of the question.
#[derive(Clone, Debug)]
pub struct BoundTensor {
    /// Its name.
    pub name: String,
    /// What the spec says; `None` for a tensor that only the PTX shows.
    pub declared: Option<spec::Tensor>,
    /// Element format in each kernel, `None` where only the run will show it.
    pub formats: Vec<Option<Format>>,
    /// Whether the format of a kernel was given (by the spec, not by inference).
    pub given: Vec<bool>,
    /// Whether each kernel takes it.
    pub taken: Vec<bool>,
    /// The kernels' variables that it is: number and bytes (`None`: declared elsewhere).
    pub variables: Vec<Option<(usize, Option<u64>)>>,
    /// The elements of the longest of them.
    pub extent: Option<Vec<u64>>,
    /// Where that variable is declared, and whether with an initializer.
    pub place: Option<(Label, bool)>,
    /// The reference has nothing to compare it with: it is a module variable that one of two modules does not
    /// know at all, or a formula does not assign it.
    pub private: bool,
    /// Number of its first element.
    pub first: u32,
    /// Elements numbered ahead, from `first` on.
    pub reserved: u64,
}

impl BoundTensor {
    /// The declared role.
    pub fn role(&self) -> Option<Role> {
        self.declared.as_ref().and_then(|tensor| tensor.role)
    }

    /// The domain of its values: as declared, else the reference's.
    pub fn format(&self) -> Format {
        let declared = self.declared.as_ref().and_then(|tensor| tensor.format);
        declared.or_else(|| self.formats.iter().copied().flatten().next()).unwrap_or(Format::F32)
    }

    /// The extents, as declared: in the spec, or of a variable.
    pub fn shape(&self) -> Option<&Vec<u64>> {
        self.declared.as_ref().and_then(|tensor| tensor.shape.as_ref()).or(self.extent.as_ref())
    }

    /// Whether it is a module variable, of some kernel.
    pub fn is_variable(&self) -> bool {
        self.variables.iter().any(Option::is_some)
    }

    /// Whether it holds what the PTX declares.
    pub fn is_declared_by_ptx(&self) -> bool {
        self.contents() == Some(&Contents::Declared)
    }

    /// Whether it is a module variable about whose contents nothing is said.
    pub fn is_left_to_the_host(&self) -> bool {
        self.is_variable() && self.contents().is_none()
    }

    /// Declared contents.
    #[cold]
    pub fn contents(&self) -> Option<&Contents> {
        self.declared.as_ref().and_then(|tensor| tensor.contents.as_ref())
    }
}

/// A scalar parameter that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// What it is: a symbol, or bits.
    pub term: Result<Term, u64>,
}

/// A question that is complete.
pub struct Bound {
    /// All tensors, in the order of every setup.
    pub tensors: Vec<BoundTensor>,
    /// The shared numbering.
    pub elements: Elements,
    /// Who numbers elements that have no number ahead.
    pub pages: Pages,
    /// The scalar parameters, each name once.
    pub named: Vec<Named>,
    /// One setup a kernel.
    pub setups: Vec<Setup>,
    /// What was inferred, and warnings.
    pub notes: Vec<Diagnostic>,
    /// What was assumed.
    pub ledger: Ledger,
    /// The tensors whose shape a formula says.
    pub by_formula: Vec<String>,
}

impl Bound {
    /// The symbol that an element of a tensor is before the kernels run.
    pub fn number(&self, tensor: usize, element: u64) -> Option<Term> {
        let BoundTensor { first, reserved, .. } = self.tensors[tensor];
        match element < reserved {
            true => Some(Term::element(first + element as u32)),
            false => self.pages.number(tensor as u32, element).map(Term::element),
        }
    }

    /// Says between which integers elements of inputs lie, ascending by element.
    pub fn set_bounds(&mut self, bounds: &[(u32, [i64; 2])]) {
        for setup in &mut self.setups {
            setup.bounds = bounds.to_vec();
        }
        self.elements.set_bounds(bounds);
    }

    /// Some tensor is declared larger than could be numbered ahead.
    pub fn needs_pages(&self) -> bool {
        self.tensors.iter().any(|tensor| tensor.reserved == 0)
    }

    /// From now on elements get numbers as they are touched; kernels have to run one after the other.
    #[cold]
    pub fn number_what_is_touched(&self) {
        self.pages.open(self.elements.len());
    }

    /// Lets the shared numbering know of elements that got their numbers meanwhile.
    pub fn settle(&mut self) {
        self.elements = self.settled();
    }

    /// The shared numbering, with the elements that got their numbers meanwhile.
    pub fn settled(&self) -> Elements {
        let mut elements = self.elements.clone();
        elements.settle(&self.pages, |at| {
            let tensor = &self.tensors[at as usize];
            let shape = tensor.shape().cloned().unwrap_or_else(|| vec![u64::MAX]);
            (tensor.name.clone(), shape, tensor.format())
        });
        elements
    }

    /// Takes over formats that runs have shown.
    #[cold]
    pub fn agree(&mut self, formats: Vec<(usize, Format)>) {
        for (tensor, format) in formats {
            self.tensors[tensor].formats.fill(Some(format));
            self.elements.set_format(self.tensors[tensor].first, format);
            for (setup, variable) in self.setups.iter_mut().zip(&self.tensors[tensor].variables) {
                let setup = &mut setup.tensors[tensor];
                setup.format = Some(format);
                if let Some((_, bytes)) = variable {
                    setup.shape = extent(*bytes, format);
                }
            }
        }
    }
}

/// Binds the kernels of a question.
pub fn bind(spec: &Spec, kernels: &[Asked<'_>]) -> Result<Bound, Vec<Diagnostic>> {
    let mut ledger = Ledger::default();
    let assigned = assign(spec, kernels)?;
    let mut notes = assigned.notes;
    let mut errors = Vec::new();
    for (asked, arguments) in kernels.iter().zip(&assigned.arguments) {
        if asked.side.args.is_none() && !arguments.is_empty() && asked.formula.is_none() {
            ledger.note(
                Assumption::Inferred(format!("the arguments of `{}`", asked.kernel.title())),
                1,
                None,
            );
        }
    }

    let mut launches = Vec::new();
    for (at, asked) in kernels.iter().enumerate() {
        if asked.formula.is_some() {
            let one = [1, 1, 1];
            launches.push(Launch {
                grid: one,
                block: one,
                cluster: one,
                ctas: vec![[0, 0, 0]],
                dynamic_shared: Some(0),
            });
            continue;
        }
        let other = kernels.iter().enumerate().find(|(other, _)| *other != at);
        let source = other.filter(|(_, other)| other.formula.is_none()).map(|_| asked.source);
        let fallback = other.and_then(|(_, other)| other.side.launch.block.or(other.kernel.required_block));
        match launch::resolve(spec, asked.side, source, asked.kernel, fallback, &mut ledger) {
            Ok(resolved) => {
                notes.extend(resolved.inferred);
                launches.push(resolved.launch);
            }
            Err(error) => errors.push(error),
        }
    }

    let leaves: Vec<Vec<Leaf<'_>>> = kernels
        .iter()
        .zip(&assigned.arguments)
        .map(|(asked, arguments)| leaves(asked, arguments, &mut errors))
        .collect();
    let variables: Vec<Vec<Settable>> = kernels
        .iter()
        .zip(&assigned.arguments)
        .map(|(asked, arguments)| settable(spec, asked.kernel, arguments))
        .collect();
    let mut builder = Builder {
        spec,
        tensors: tensors(spec, &leaves, &variables, kernels),
        scalars: Vec::new(),
        named: Vec::new(),
        elements: Elements::default(),
        pages: Pages::default(),
        errors,
        ledger,
        views: Vec::new(),
    };
    builder.choose_formats(&leaves, &variables);
    builder.extend_variables();
    builder.number_tensors();
    let mut parameters: Vec<(Vec<BoundParameter>, Vec<ViewSetup>, Maps)> = Vec::new();
    for (kernel, (leaves, asked)) in leaves.iter().zip(kernels).enumerate() {
        let mut maps = Maps::default();
        let bound = leaves.iter().filter_map(|leaf| builder.binding(leaf, kernel, &mut maps)).collect();
        builder.view_variables(asked);
        parameters.push((bound, std::mem::take(&mut builder.views), maps));
    }
    let states: Vec<Vec<TensorSetup>> = (0..kernels.len()).map(|kernel| builder.setups(kernel)).collect();
    for tensor in &builder.tensors {
        let taken = tensor.taken.contains(&true);
        if tensor.contents() == Some(&Contents::Declared) && taken && !tensor.is_variable() {
            let span = tensor.declared.as_ref().map(|tensor| tensor.span).unwrap_or_default();
            let message =
                format!("`{}` is no module variable: the PTX does not declare what it holds", tensor.name);
            builder.errors.push(Diagnostic::error(Code::V010, message).at(Source::Spec, span));
        }
    }
    if !builder.errors.is_empty() {
        return Err(builder.errors);
    }
    let unknowable: Vec<(u32, u32)> = kernels
        .iter()
        .map(|asked| {
            let count = unknowables(asked.kernel);
            let name = format!("unknown in the {}", asked.source);
            let first = (count > 0)
                .then(|| builder.elements.push(name, vec![count.into()], Format::U64, count.into()))
                .flatten();
            first.map_or((0, 0), |first| (first, count))
        })
        .collect();
    let contents: Vec<[(u32, u32); 3]> = kernels
        .iter()
        .map(|asked| {
            let count = handed_on(asked.kernel);
            [Format::F64, Format::S64, Format::U64].map(|format| {
                let name = format!("found in memory by the {} ({format})", asked.source);
                let first = (count > 0)
                    .then(|| builder.elements.push(name, vec![count.into()], format, count.into()))
                    .flatten();
                first.map_or((0, 0), |first| (first, count))
            })
        })
        .collect();
    let setups = launches
        .into_iter()
        .zip(states)
        .zip(parameters)
        .zip(unknowable.into_iter().zip(contents))
        .map(|(((launch, tensors), (parameters, views, maps)), (unknowable, contents))| Setup {
            launch,
            tensors,
            views,
            parameters,
            maps,
            unknowable,
            contents,
            bounds: Vec::new(),
        })
        .collect();
    let Builder { tensors, elements, pages, named, ledger, .. } = builder;
    Ok(Bound { tensors, elements, pages, named, setups, notes, ledger, by_formula: Vec::new() })
}

/// All tensors: the declared ones that some kernel takes or that are outputs, then those that only
/// the PTX shows.
fn tensors(
    spec: &Spec,
    leaves: &[Vec<Leaf<'_>>],
    variables: &[Vec<Settable>],
    asked: &[Asked<'_>],
) -> Vec<BoundTensor> {
    let kernels = leaves.len();
    let new = |name: &str, declared: Option<spec::Tensor>| BoundTensor {
        name: name.to_owned(),
        declared,
        formats: vec![None; kernels],
        given: vec![false; kernels],
        taken: vec![false; kernels],
        variables: vec![None; kernels],
        extent: None,
        place: None,
        private: false,
        first: 0,
        reserved: 0,
    };
    let mut tensors: Vec<_> =
        spec.tensors.iter().map(|tensor| new(&tensor.name, Some(tensor.clone()))).collect();
    // A name is a tensor if any kernel treats it as one.
    for leaf in leaves.iter().flatten() {
        let names = match leaf.argument {
            Argument::Name(name)
                if !leaf.pointer || spec.scalars.iter().any(|scalar| scalar.name == *name) =>
            {
                continue;
            }
            argument => mentioned(argument),
        };
        for name in names {
            if tensors.iter().all(|tensor| tensor.name != *name) {
                tensors.push(new(name, None));
            }
        }
    }
    for (kernel, leaves) in leaves.iter().enumerate() {
        for leaf in leaves {
            for name in mentioned(leaf.argument) {
                if let Some(tensor) = tensors.iter_mut().find(|tensor| tensor.name == name) {
                    tensor.taken[kernel] = true;
                }
            }
        }
    }
    for (kernel, asked) in asked.iter().enumerate() {
        for (_, name) in views::variables(spec, asked.kernel) {
            let known = tensors.iter().position(|tensor| tensor.name == name);
            let at = known.unwrap_or_else(|| {
                tensors.push(new(&name, None));
                tensors.len() - 1
            });
            tensors[at].taken[kernel] = true;
        }
    }
    for (kernel, asked) in asked.iter().enumerate() {
        let Some(program) = asked.formula else { continue };
        let (mentions, targets) = (program.mentions(), program.targets());
        for tensor in &mut tensors {
            let name = tensor.name.as_str();
            tensor.taken[kernel] = mentions.contains(&name) || targets.contains(&name);
        }
    }
    for (kernel, variables) in variables.iter().enumerate() {
        for variable in variables {
            let known = tensors.iter().position(|tensor| tensor.name == variable.name);
            let at = known.unwrap_or_else(|| {
                tensors.push(new(&variable.name, None));
                tensors.len() - 1
            });
            tensors[at].taken[kernel] = true;
            tensors[at].variables[kernel] = Some((variable.index, variable.bytes));
            let asked = &asked[kernel];
            let here = &asked.kernel.variables[variable.index];
            let label = Label { source: asked.source, span: here.span, text: String::new() };
            tensors[at].place.get_or_insert((label, here.initialized));
        }
    }
    for tensor in tensors.iter_mut().filter(|tensor| tensor.is_variable()) {
        let knows = |(asked, taken): (&Asked<'_>, &bool)| *taken || declares(asked.kernel, &tensor.name);
        tensor.private = !asked.iter().zip(&tensor.taken).all(knows);
    }
    // What a formula does not assign has nothing to be compared with.
    for program in asked.iter().filter_map(|asked| asked.formula) {
        let targets = program.targets();
        for tensor in tensors.iter_mut().filter(|tensor| !targets.contains(&tensor.name.as_str())) {
            tensor.private = true;
        }
    }
    tensors
}

/// Elements of a variable.
fn extent(bytes: Option<u64>, format: Format) -> Option<Vec<u64>> {
    Some(vec![bytes? / u64::from(format.bytes())])
}

pub(super) struct Builder<'a> {
    pub(super) spec: &'a Spec,
    pub(super) tensors: Vec<BoundTensor>,
    /// Symbolic scalars numbered so far.
    scalars: Vec<(String, u32)>,
    named: Vec<Named>,
    elements: Elements,
    pages: Pages,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) ledger: Ledger,
    /// The views of the kernel that is being bound.
    pub(super) views: Vec<ViewSetup>,
}

impl Builder<'_> {
    /// The element format of every tensor in every kernel: as given, else as the PTX accesses it.
    fn choose_formats(&mut self, leaves: &[Vec<Leaf<'_>>], variables: &[Vec<Settable>]) {
        for tensor in &mut self.tensors {
            let mut accessed: Vec<Option<Format>> = vec![None; leaves.len()];
            for (kernel, leaves) in leaves.iter().enumerate() {
                for leaf in leaves {
                    let given = match leaf.argument {
                        Argument::Tensor { tensor: name, format, .. } if *name == tensor.name => *format,
                        Argument::Name(name) if *name == tensor.name => None,
                        // What a channel is read as is not what an element holds.
                        Argument::View(view) if view.tensor.as_ref() == Some(&tensor.name) => view.format,
                        Argument::Maps(maps) => match maps.iter().find(|map| map.tensor == tensor.name) {
                            Some(map) => map.format,
                            None => continue,
                        },
                        _ => continue,
                    };
                    if given.is_some() {
                        tensor.formats[kernel] = given;
                        tensor.given[kernel] = true;
                    }
                    accessed[kernel] = accessed[kernel].or(leaf.pointee);
                }
                let variable = variables[kernel].iter().find(|variable| variable.name == tensor.name);
                accessed[kernel] = accessed[kernel].or(variable.and_then(|variable| variable.format));
            }
            let declared = tensor.declared.as_ref().and_then(|tensor| tensor.format);
            for kernel in 0..leaves.len() {
                if tensor.formats[kernel].is_some() {
                    continue;
                }
                tensor.given[kernel] = declared.is_some();
                tensor.formats[kernel] = declared.or_else(|| reconcile(&accessed, kernel));
                if let (None, Some(format), true) = (declared, tensor.formats[kernel], tensor.taken[kernel]) {
                    self.ledger.note(
                        Assumption::Inferred(format!("`{}` holds {format}", tensor.name)),
                        1,
                        None,
                    );
                }
            }
            // An element is one number. Integers with a sign and without would be two: each access
            // reads the bits in its own way anyhow. What the spec says goes first; where nothing is said and one
            // kernel shows a sign, that is it.
            let given = tensor.formats.iter().zip(&tensor.given).filter(|(_, given)| **given);
            let given = given.filter_map(|(format, _)| *format).next();
            let mut formats = tensor.formats.iter().flatten().copied();
            let first = given.or_else(|| {
                let first = formats.next()?;
                let signed = formats.any(|format| format == first.as_integer(true));
                Some(if signed && !first.is_float() { first.as_integer(true) } else { first })
            });
            if let Some(first) = declared.or(first).filter(|first| !first.is_float()) {
                let alike = |format: &Format| !format.is_float() && format.bits() == first.bits();
                for format in tensor.formats.iter_mut().flatten().filter(|format| alike(format)) {
                    *format = first;
                }
            }
        }
    }

    /// The elements of module variables, which have to fit what the spec says.
    fn extend_variables(&mut self) {
        for tensor in &mut self.tensors {
            let sizes = tensor.variables.iter().zip(&tensor.formats);
            let sizes =
                sizes.filter_map(|(variable, format)| Some(extent(variable.as_ref()?.1, (*format)?)?[0]));
            let Some(most) = sizes.max() else { continue };
            tensor.extent = Some(vec![most]);
            let declared = tensor.shape().map_or(most, |shape| shape.iter().product());
            if declared < most {
                let span = tensor.declared.as_ref().map(|tensor| tensor.span).unwrap_or_default();
                let message = format!(
                    "`{}` is a module variable of {most} elements, but its shape has {declared}",
                    tensor.name
                );
                self.errors.push(Diagnostic::error(Code::V010, message).at(Source::Spec, span));
            }
        }
    }

    fn number_tensors(&mut self) {
        let count = |tensor: &BoundTensor| tensor.shape().map_or(OPEN, |shape| shape.iter().product::<u64>());
        let mut all: Vec<u64> = self.tensors.iter().map(count).collect();
        // The smallest first: what does not fit is what is declared largest.
        all.sort_unstable();
        let mut sum = 0u64;
        let fitting = all.iter().take_while(|count| {
            sum = sum.saturating_add(**count);
            sum <= AHEAD
        });
        let largest = fitting.last().copied().unwrap_or(0);
        let mut left = AHEAD;
        for tensor in &mut self.tensors {
            let count = count(tensor);
            if count > largest || count > left {
                continue;
            }
            let shape = tensor.shape().cloned().unwrap_or_else(|| vec![count]);
            if let Some(first) = self.elements.push(&tensor.name, shape, tensor.format(), count) {
                (tensor.first, tensor.reserved) = (first, count);
                left -= count;
            }
        }
    }

    /// What the bytes of a leaf hold; `None` after saying what is wrong (or if nobody reads them).
    fn binding(&mut self, leaf: &Leaf<'_>, kernel: usize, maps: &mut Maps) -> Option<BoundParameter> {
        let binding = match leaf.argument {
            Argument::Maps(own) => self.maps(leaf, own, kernel, maps)?,
            Argument::Literal(literal) => Binding::Bits(self.bits(leaf, *literal)?),
            Argument::Tensor { tensor, format, offset: 0 } if leaf.view.is_some() => {
                let view = View { tensor: Some(tensor.clone()), format: *format, ..View::default() };
                self.view_argument(leaf, &view)?
            }
            Argument::Tensor { tensor, offset, .. } => self.pointer(leaf, tensor, *offset)?,
            Argument::Name(name)
                if leaf.view.is_some() && self.tensors.iter().any(|tensor| tensor.name == *name) =>
            {
                let view = View { tensor: Some(name.clone()), ..View::default() };
                self.view_argument(leaf, &view)?
            }
            Argument::Name(name) => match self.tensors.iter().any(|tensor| tensor.name == *name) {
                true => self.pointer(leaf, name, 0)?,
                false => {
                    let binding = self.scalar(leaf, name)?;
                    self.note_named(leaf, name, &binding);
                    binding
                }
            },
            Argument::View(view) => self.view_argument(leaf, view)?,
            Argument::Struct(_) => unreachable!("fields are leaves of their own"),
        };
        let size = match binding {
            Binding::Symbolic(format, _) => leaf.size.min(format.bytes()),
            _ => leaf.size,
        };
        Some(BoundParameter { offset: leaf.offset, size, binding })
    }

    /// Keeps the value of a parameter, for a formula that names it.
    fn note_named(&mut self, leaf: &Leaf<'_>, name: &str, binding: &Binding) {
        let (format, term) = match binding {
            Binding::Symbolic(format, term) => (*format, Ok(*term)),
            Binding::Bits(bits) => (leaf.format.unwrap_or(Format::B64), Err(*bits)),
            Binding::Pointer { .. } | Binding::View(_) | Binding::Map(_) | Binding::Maps(_) => return,
        };
        if self.named.iter().all(|known| known.name != name) {
            self.named.push(Named { name: name.to_owned(), format, term });
        }
    }

    fn pointer(&mut self, leaf: &Leaf<'_>, name: &str, offset: u64) -> Option<Binding> {
        if leaf.size != 8 && !(leaf.size == 4 && leaf.pointer) {
            self.fail(leaf, format!("has {} bytes, but `{name}` is a tensor and a pointer has 8", leaf.size));
            return None;
        }
        let tensor = self.tensors.iter().position(|tensor| tensor.name == name)?;
        Some(Binding::Pointer { tensor, offset })
    }

    /// Tensor maps: one in the parameter itself, or some in memory that it points to.
    #[cold]
    fn maps(
        &mut self,
        leaf: &Leaf<'_>,
        own: &[spec::TensorMap],
        kernel: usize,
        maps: &mut Maps,
    ) -> Option<Binding> {
        let first = maps.all.len();
        for map in own {
            let tensor = self.tensors.iter().position(|tensor| tensor.name == map.tensor)?;
            match maps::bound(map, tensor, &self.tensors[tensor], kernel) {
                Ok(map) => maps.all.push(map),
                Err(error) => {
                    self.errors.push(error);
                    return None;
                }
            }
        }
        match (leaf.size, own.len()) {
            (maps::BYTES, 1) => Some(Binding::Map(first)),
            (8, count) => {
                maps.stored.push((first, count));
                Some(Binding::Maps(maps.stored.len() - 1))
            }
            (size, count) => {
                let few = if count == 1 { "a tensor map".to_owned() } else { format!("{count} tensor maps") };
                self.fail(
                    leaf,
                    format!(
                        "has {size} bytes and cannot be {few}, which has {} bytes, or a pointer of 8 to some",
                        maps::BYTES
                    ),
                );
                None
            }
        }
    }

    #[cold]
    fn scalar(&mut self, leaf: &Leaf<'_>, name: &str) -> Option<Binding> {
        let declared = self.spec.scalars.iter().find(|scalar| scalar.name == name);
        match declared.map(|scalar| scalar.value) {
            Some(Ok(literal)) => self.bits(leaf, literal).map(Binding::Bits),
            Some(Err(format)) => {
                // A double parameter holds the same real number as a float of that name.
                let format = leaf.format.filter(|own| own.is_float() && format.is_float()).unwrap_or(format);
                if format.bytes() > leaf.size {
                    self.fail(leaf, format!("has {} bytes, but `{name}` is declared as {format}", leaf.size));
                    return None;
                }
                // Bits of any kind may be bits of a float.
                let other = match leaf.number {
                    Some(Reading::Float(_)) => {
                        matches!(format.class(), FormatClass::Signed | FormatClass::Unsigned)
                    }
                    Some(Reading::Integer) => format.is_float(),
                    None => false,
                };
                if other || leaf.format.is_some_and(Format::is_float) && !format.is_float() {
                    self.fail(leaf, format!("is {} and cannot be any {format}", leaf.kind()));
                    return None;
                }
                self.symbolic(name, format)
            }
            None => match leaf.format {
                Some(format) if format.is_float() => {
                    self.ledger.note(Assumption::Inferred(format!("`{name}` is any {format}")), 1, None);
                    self.symbolic(name, format)
                }
                Some(format) if leaf.any => {
                    let format = format.as_integer(format.class() == FormatClass::Signed);
                    self.ledger.note(Assumption::Inferred(format!("`{name}` is any {format}")), 1, None);
                    self.symbolic(name, format)
                }
                // Whatever it holds, nothing reads it.
                _ if !leaf.used => Some(Binding::Bits(0)),
                format => {
                    let kind = format.map_or("a field".to_owned(), |format| format!(".{format}"));
                    let diagnostic = Diagnostic::error(
                        Code::V010,
                        format!("{} ({kind}) needs a value", leaf.what),
                    )
                    .note(format!(
                        "add `{name} = 128` under [scalars], with the value the kernel is launched with"
                    ));
                    self.errors.push(diagnostic);
                    None
                }
            },
        }
    }

    #[cold]
    fn symbolic(&mut self, name: &str, format: Format) -> Option<Binding> {
        let known = self.scalars.iter().find(|(known, _)| known == name).map(|(_, element)| *element);
        let element = match known {
            Some(element) => element,
            None => {
                let element = self.elements.push(name, Vec::new(), format, 1)?;
                self.scalars.push((name.to_owned(), element));
                element
            }
        };
        Some(Binding::Symbolic(format, Term::element(element)))
    }

    #[cold]
    fn bits(&mut self, leaf: &Leaf<'_>, literal: Literal) -> Option<u64> {
        // A field has no declared type: its bytes hold an integer of their width, or an f32.
        let format = leaf.format.unwrap_or(match (literal, leaf.size) {
            (Literal::Float(_), 4..) => Format::F32,
            (_, 1) => Format::B8,
            (_, 2) => Format::B16,
            (_, 4) => Format::B32,
            _ => Format::B64,
        });
        let either = match (literal, format, leaf.number) {
            // However the bits are declared, the kernel computes with the number.
            (_, _, Some(Reading::Float(float))) if float.bytes() == leaf.size => float,
            (Literal::Float(_), _, Some(Reading::Integer)) => format.as_integer(false),
            // Compilers declare an `int` as unsigned.
            (Literal::Integer(_), Format::U16, _) => Format::B16,
            (Literal::Integer(_), Format::U32, _) => Format::B32,
            _ => format,
        };
        let bits = encode(literal, either);
        if bits.is_none() {
            let instead = match literal {
                Literal::Float(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                    format!(": write {value:.0}")
                }
                _ => String::new(),
            };
            let value = spec::literal(literal);
            self.fail(leaf, format!("is {} and cannot hold {value}{instead}", leaf.kind()));
        }
        bits
    }

    #[cold]
    pub(super) fn fail(&mut self, leaf: &Leaf<'_>, problem: String) {
        let own = self.spec.scalars.iter().find(|scalar| mentioned(leaf.argument) == [&scalar.name]);
        let diagnostic =
            Diagnostic::error(Code::V010, format!("{} {problem}", leaf.what.trim_end_matches(',')));
        self.errors.push(match own.map(|scalar| scalar.span).or(leaf.span) {
            Some(span) if span != Span::default() => diagnostic.at(Source::Spec, span),
            _ => diagnostic,
        });
    }

    /// The tensors as one kernel sees them.
    fn setups(&mut self, kernel: usize) -> Vec<TensorSetup> {
        let mut setups = Vec::new();
        for at in 0..self.tensors.len() {
            let tensor = self.tensors[at].clone();
            let variable = tensor.variables[kernel];
            let initial = match (tensor.contents(), tensor.role()) {
                (Some(Contents::Declared), _) => match variable {
                    Some(_) => Initial::Declared,
                    None => Initial::Symbolic { first: tensor.first },
                },
                (Some(contents), _) => match self.contents(&tensor, kernel, contents) {
                    Some(bits) => Initial::Concrete(bits),
                    None => continue,
                },
                (None, Some(Role::Out | Role::Scratch)) => Initial::Undefined,
                (None, _) => Initial::Symbolic { first: tensor.first },
            };
            let own = variable.and_then(|(_, bytes)| extent(bytes, tensor.formats[kernel]?));
            let strides = tensor.declared.as_ref().and_then(|tensor| tensor.strides.clone());
            setups.push(TensorSetup {
                format: tensor.formats[kernel],
                strides: strides.filter(|_| own.is_none()),
                shape: own.or(tensor.shape().cloned()),
                variable: variable.map(|(index, _)| index),
                role: tensor.role(),
                initial,
                reserved: tensor.reserved,
                others: Some((self.pages.clone(), at as u32)),
                name: tensor.name,
            });
        }
        setups
    }

    fn contents(&mut self, tensor: &BoundTensor, kernel: usize, contents: &Contents) -> Option<Vec<u64>> {
        let span = tensor.declared.as_ref().map(|tensor| tensor.span).unwrap_or_default();
        let mut fail = |message: String| {
            self.errors.push(Diagnostic::error(Code::V010, message).at(Source::Spec, span));
            None
        };
        let Some(format) = tensor.formats[kernel] else {
            if !tensor.taken[kernel] {
                return Some(vec![0]);
            }
            return fail(format!("`{}` has contents, so its `type` has to be given", tensor.name));
        };
        let literals: Vec<Literal> = match contents {
            Contents::Fill(literal) => vec![*literal],
            Contents::List(list) => list.clone(),
            Contents::Declared => return None,
            Contents::Iota => match tensor.shape() {
                Some(shape) => {
                    (0..shape.iter().product::<u64>()).map(|at| Literal::Integer(at as i64)).collect()
                }
                None => {
                    return fail(format!(
                        "`{}` has contents \"iota\", so its `shape` has to be given",
                        tensor.name
                    ));
                }
            },
        };
        let bits: Result<Vec<u64>, Literal> =
            literals.iter().map(|literal| encode(*literal, format).ok_or(*literal)).collect();
        match bits {
            Ok(bits) => Some(bits),
            Err(literal) => {
                fail(format!("`{}` holds {format}, which cannot be {}", tensor.name, spec::literal(literal)))
            }
        }
    }
}

/// The format in which one kernel sees a tensor that nobody declared, from the accesses of all
/// kernels. Loads of plain bits (`ld.global.u32`, `.b32`) move floats as well as integers, so a
/// kernel that moves bits follows one that shows a float of that size.
#[cold]
fn reconcile(accessed: &[Option<Format>], kernel: usize) -> Option<Format> {
    let float = |bytes: Option<u32>| {
        accessed
            .iter()
            .flatten()
            .copied()
            .find(|format| format.is_float() && bytes.is_none_or(|bytes| bytes == format.bytes()))
    };
    match accessed[kernel] {
        Some(format) if format.is_float() => Some(format),
        Some(format) => Some(float(Some(format.bytes())).unwrap_or(match (format.class(), format) {
            (FormatClass::Bits, Format::B32) => Format::F32,
            (FormatClass::Bits, Format::B16) => Format::F16,
            (FormatClass::Bits, Format::B64) => Format::F64,
            _ => format,
        })),
        None => float(None).or_else(|| accessed.iter().flatten().copied().next()),
    }
}
