//! A kernel's launch on random numbers, for whoever executes it, and the machine that does.

use super::{Ending, Question, places};
use crate::machine::texture::{Address, View};
use crate::machine::{Machine, Stop, memory::Global, program, soft, tensor::Map};
use crate::program::Dice;
use rustc_apfloat::Round;
use warpproof::base::Format;
use warpproof::isa::ViewKind;
use warpproof::sim::Binding;
use warpproof::spec::{AddressMode, Filter, Launch};

/// A launch with everything that it reads.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// The entry's name.
    pub entry: String,
    pub launch: Launch,
    /// The parameters, with zeros for pointers.
    pub parameters: Vec<u8>,
    /// The place and the bytes of each.
    pub pieces: Vec<(usize, usize)>,
    pub pointers: Vec<Pointer>,
    /// Tensor maps.
    pub maps: Vec<Map>,
    /// Where they are: the place in the parameters, the first one, and how many, if that is a pointer to them.
    pub mapped: Vec<(usize, usize, Option<usize>)>,
    /// The bytes of each tensor.
    pub images: Vec<Vec<u8>>,
    /// Textures and surfaces among the parameters.
    pub views: Vec<Viewed>,
}

/// A texture or a surface in the parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Viewed {
    pub place: usize,
    pub tensor: usize,
    /// Without the address, and the number that stands for it.
    pub view: View,
}

/// Eight bytes of the parameters that are an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    pub place: usize,
    pub tensor: usize,
    /// Bytes from the tensor's beginning.
    pub offset: u64,
}

/// What was executed: the tensors afterwards, and the thread-instructions if they were counted.
pub struct Executed {
    pub images: Vec<Vec<u8>>,
    pub steps: u64,
}

/// Executes a job with a seed, or says how the comparison ends without.
pub type Execute<'a> = &'a mut dyn FnMut(&Job, u64) -> Result<Executed, Ending>;

impl Question {
    /// A launch on numbers that a seed picks.
    pub fn launch(&self, seed: u64) -> Job {
        self.job(seed).0
    }

    /// A launch on numbers that a seed picks, and these numbers.
    pub(super) fn job(&self, seed: u64) -> (Job, Vec<f64>) {
        let (values, contents) = self.numbers(seed);
        let mut dice = Dice(seed | 1);
        let mut images = Vec::new();
        for (tensor, bits) in self.setup.tensors.iter().zip(&contents) {
            let bytes = tensor.format.unwrap_or(Format::F32).bytes() as usize;
            let places = places(tensor);
            let last = places.iter().max().map_or(0, |last| last + 1);
            let mut image: Vec<u8> = (0..last * bytes).map(|_| dice.below(256) as u8).collect();
            for (place, at) in places.iter().zip(0..) {
                if let Some(bits) = bits.get(at).or(bits.last()) {
                    image[place * bytes..(place + 1) * bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
                }
            }
            images.push(image);
        }
        let mut parameters = vec![0u8; self.kernel.parameter_bytes as usize];
        let (mut pointers, mut views, mut mapped) = (Vec::new(), Vec::new(), Vec::new());
        for bound in &self.setup.parameters {
            let place = bound.offset as usize;
            let bits = match bound.binding {
                Binding::Pointer { tensor, offset } => {
                    let bytes = self.setup.tensors[tensor].format.map_or(4, Format::bytes);
                    pointers.push(Pointer { place, tensor, offset: offset * u64::from(bytes) });
                    continue;
                }
                Binding::View(view) => {
                    views.push(self.viewed(place, view));
                    continue;
                }
                Binding::Map(map) => {
                    mapped.push((place, map, None));
                    continue;
                }
                Binding::Maps(stored) => {
                    let (first, count) = self.setup.maps.stored[stored];
                    mapped.push((place, first, Some(count)));
                    continue;
                }
                Binding::Bits(bits) => bits,
                Binding::Symbolic(format, term) => {
                    let value = values[term.as_element().unwrap_or(0) as usize];
                    if format.is_float() {
                        soft::from_value(format, value, Round::NearestTiesToEven)
                    } else {
                        value as i64 as u64
                    }
                }
            };
            parameters[place..place + bound.size as usize]
                .copy_from_slice(&bits.to_le_bytes()[..bound.size as usize]);
        }
        let (entry, launch) = (self.kernel.name.clone(), self.setup.launch.clone());
        let maps = self.maps.clone();
        let pieces = &self.kernel.parameters;
        let pieces = pieces.iter().map(|piece| (piece.offset as usize, piece.size as usize)).collect();
        (Job { entry, launch, parameters, pieces, pointers, maps, mapped, images, views }, values)
    }

    /// How the machine is to see a texture or a surface.
    fn viewed(&self, place: usize, at: usize) -> Viewed {
        let view = &self.setup.views[at];
        let tensor = view.tensor.unwrap_or(0);
        let mode = |axis: usize| {
            let said = view.sampling.address.get(axis).or(view.sampling.address.first());
            match said {
                Some(AddressMode::Clamp) => Address::Clamp,
                Some(AddressMode::Mirror) => Address::Mirror,
                Some(AddressMode::Border) => Address::Border,
                Some(AddressMode::Wrap) | None => Address::Wrap,
            }
        };
        let view = View {
            reference: 0,
            base: 0,
            surface: view.kind == ViewKind::Surface,
            format: self.setup.tensors[tensor].format.unwrap_or(Format::F32),
            shape: self.setup.tensors[tensor].shape.clone().unwrap_or_default(),
            linear: view.sampling.filter == Some(Filter::Linear),
            address: [mode(0), mode(1), mode(2)],
            normalized: view.sampling.normalized == Some(true),
        };
        Viewed { place, tensor, view }
    }

    /// The machine executes a job. Waiting in a loop costs it more turns than the simulator.
    pub fn on_machine(&self, job: &Job, seed: u64, limit: u64) -> Result<Executed, Ending> {
        let mut global = Global::default();
        let program = program::build(&self.module, Some(&job.entry), &mut global)
            .map_err(|why| Ending::Skipped(format!("the machine has no {why}")))?;
        // Tensors in memory, between garbage.
        let bases: Vec<u64> = job.images.iter().map(|image| global.place(image.clone())).collect();
        let mut parameters = job.parameters.clone();
        for Pointer { place, tensor, offset } in &job.pointers {
            parameters[*place..place + 8].copy_from_slice(&(bases[*tensor] + offset).to_le_bytes());
        }
        let mut views = Vec::new();
        for (number, viewed) in job.views.iter().enumerate() {
            // Where nothing lies.
            let reference = 0x7e00_0000_0000 + 64 * number as u64;
            parameters[viewed.place..viewed.place + 8].copy_from_slice(&reference.to_le_bytes());
            views.push(View { reference, base: bases[viewed.tensor], ..viewed.view.clone() });
        }
        for (place, first, stored) in &job.mapped {
            let numbers: Vec<u8> = (0..stored.unwrap_or(1))
                .flat_map(|at| {
                    let mut bytes = vec![0xa5; 128];
                    bytes[..8].copy_from_slice(&((first + at) as u64).to_le_bytes());
                    bytes
                })
                .collect();
            match stored {
                None => parameters[*place..place + 128].copy_from_slice(&numbers),
                Some(_) => {
                    parameters[*place..place + 8].copy_from_slice(&global.place(numbers).to_le_bytes())
                }
            }
        }
        let mut machine = Machine::new(&program, &job.launch, global, &parameters, seed);
        machine.describe(job.maps.clone(), bases.clone());
        machine.views = views;
        machine.run(20 * limit + 1000).map_err(|stop| match stop {
            Stop::Refused(what) => Ending::Skipped(format!("the machine has no {what}")),
            Stop::Limit => Ending::Disagrees("the machine does not come to an end".to_owned()),
            Stop::Fault(what) => Ending::Disagrees(format!("the machine stops: {what}")),
        })?;
        let image = |base: &u64| machine.global.region(*base).unwrap_or_default().to_vec();
        let mut images: Vec<Vec<u8>> = bases.iter().map(image).collect();
        // What a tensor map is made of is the machine's affair.
        for address in machine.maps_made() {
            for (at, base) in bases.iter().enumerate() {
                let place = address.checked_sub(*base).map(|place| place as usize);
                let Some(place) = place.filter(|place| *place < images[at].len()) else { continue };
                images[at][place..place + 128].copy_from_slice(&job.images[at][place..place + 128]);
            }
        }
        Ok(Executed { images, steps: machine.steps })
    }
}
