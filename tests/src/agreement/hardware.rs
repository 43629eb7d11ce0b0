//! Jobs as files, for a GPU that executes them elsewhere (`tests/hardware/run.py`), and how far
//! hardware may be from the real numbers.
//!
//! A folder holds `kernel.ptx`, `job.txt` (a line a fact: `entry`, `grid`, `block`, `cluster`, `shared` in bytes,
//! `parameters` in hexadecimal, `parameter PLACE BYTES` for each of them, `pointer PLACE TENSOR OFFSET` for eight
//! bytes of them, `map TENSOR OFFSET TYPE BYTES SWIZZLE` with size, stride in bytes, box and step of each dimension,
//! innermost first, `mapped PLACE FIRST COUNT` for a map among the parameters or, if COUNT is not 0, a pointer to so
//! many), `0.in`, `1.in`, …, the tensors' bytes, and, once it has been executed, `0.out`, `1.out`, …, `refused.txt`
//! or `failed.txt` with the reason.

use super::{Ending, Executed, Job, Pointer, Question};
use crate::machine::tensor::Map;
use std::fmt::Write;
use std::fs;
use std::io::{self, Error};
use std::path::Path;
use warpproof::spec::Launch;

/// Relative error of instructions whose result is not the nearest value, as powers of two (PTX ISA 9.0,
/// 9.7.3 to 9.7.5; for products of matrices, whose order and intermediate precision the manual leaves
/// open, four units of the sum).
const LOOSE: [(&str, &str, i32); 14] = [
    ("ex2.approx", "bf16", -7),
    ("ex2.approx", "f16", -9),
    ("ex2.approx", "", -22),
    ("tanh.approx", "bf16", -7),
    ("tanh.approx", "", -10),
    ("sin.approx", "", -20),
    ("cos.approx", "", -20),
    ("lg2.approx", "", -21),
    ("rsqrt.approx", "", -22),
    ("sqrt.approx", "", -22),
    ("rcp.approx", "", -22),
    ("div.approx", "", -22),
    ("div.full", "", -22),
    ("mma", "f32", -21),
];

impl Question {
    /// The same with bounds that hardware keeps to.
    pub fn for_hardware(mut self) -> Question {
        let own = self.precision.unit;
        for opcode in &self.kernel.opcodes {
            let found = LOOSE.iter().find(|(name, ty, _)| opcode.contains(name) && opcode.contains(ty));
            if let Some((.., power)) = found {
                self.precision.unit = self.precision.unit.max(2f64.powi(*power));
            }
            // They cut products off below the largest one, and sums in memory have no order, also where a float
            // would hold each of one order.
            let in_memory = ["atom.", "red.", "cp.reduce."].iter().any(|name| opcode.starts_with(name));
            self.precision.exact &= !in_memory && !opcode.contains("mma");
            if ["sin.approx", "cos.approx"].iter().any(|name| opcode.starts_with(name)) {
                self.precision.computed[1] = 2f64.powi(-20);
            }
        }
        // Constants that the kernel computes are as far off, on either side of the number meant.
        if own > 0.0 && self.precision.unit > own {
            self.precision.computed[0] = 2.0 * self.precision.unit / own;
        }
        self
    }
}

impl Job {
    /// Whether hardware, which runs whole grids, runs what was asked; nothing makes it textures.
    pub fn is_whole_grid(&self) -> bool {
        let [x, y, z] = self.launch.grid;
        let whole = self.launch.ctas.len() as u64 == u64::from(x) * u64::from(y) * u64::from(z);
        whole && self.views.is_empty()
    }

    pub fn write(&self, folder: &Path, ptx: &str) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        // Where nobody says how much there is, the machine gives as much as it has to whoever asks for some.
        let most = if ptx.contains(".extern .shared") { crate::machine::MOST_SHARED } else { 0 };
        let words = |numbers: [u32; 3]| numbers.map(|number| number.to_string()).join(" ");
        let mut text = format!(
            "entry {}\ngrid {}\nblock {}\ncluster {}\nshared {}\nparameters ",
            self.entry,
            words(self.launch.grid),
            words(self.launch.block),
            words(self.launch.cluster),
            self.launch.dynamic_shared.unwrap_or(most)
        );
        for byte in &self.parameters {
            write!(text, "{byte:02x}").expect("memory");
        }
        for (place, bytes) in &self.pieces {
            write!(text, "\nparameter {place} {bytes}").expect("memory");
        }
        for Pointer { place, tensor, offset } in &self.pointers {
            write!(text, "\npointer {place} {tensor} {offset}").expect("memory");
        }
        for map in &self.maps {
            let Map { tensor, offset, ty, bytes, swizzle, .. } = map;
            write!(text, "\nmap {tensor} {offset} {ty} {bytes} {swizzle}").expect("memory");
            for at in 0..map.sizes.len() {
                let numbers = [map.sizes[at], map.strides[at], map.span[at], map.steps[at]];
                numbers.iter().for_each(|number| write!(text, " {number}").expect("memory"));
            }
        }
        for (place, first, stored) in &self.mapped {
            write!(text, "\nmapped {place} {first} {}", stored.unwrap_or(0)).expect("memory");
        }
        text.push('\n');
        fs::write(folder.join("job.txt"), text)?;
        fs::write(folder.join("kernel.ptx"), ptx)?;
        for (at, image) in self.images.iter().enumerate() {
            fs::write(folder.join(format!("{at}.in")), image)?;
        }
        Ok(())
    }

    /// A job as [`Job::write`] wrote it, without its tensor maps.
    pub fn read(folder: &Path) -> io::Result<Job> {
        let wrong = |line: &str| Error::other(format!("{}: {line}", folder.display()));
        let mut job = Job {
            entry: String::new(),
            launch: Launch {
                grid: [1; 3],
                block: [1; 3],
                cluster: [1; 3],
                ctas: Vec::new(),
                dynamic_shared: Some(0),
            },
            parameters: Vec::new(),
            pieces: Vec::new(),
            pointers: Vec::new(),
            maps: Vec::new(),
            mapped: Vec::new(),
            images: Vec::new(),
            views: Vec::new(),
        };
        for line in fs::read_to_string(folder.join("job.txt"))?.lines() {
            let (fact, rest) = line.split_once(' ').ok_or_else(|| wrong(line))?;
            let numbers = || rest.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>();
            let triple = || match numbers().as_deref() {
                Ok([x, y, z]) => Ok([*x as u32, *y as u32, *z as u32]),
                _ => Err(wrong(line)),
            };
            match fact {
                "entry" => job.entry = rest.to_owned(),
                "grid" => job.launch.grid = triple()?,
                "block" => job.launch.block = triple()?,
                "cluster" => job.launch.cluster = triple()?,
                "map" | "mapped" => {}
                "shared" => job.launch.dynamic_shared = Some(rest.parse().map_err(|_| wrong(line))?),
                "parameters" => {
                    let byte = |at| u8::from_str_radix(&rest[at..at + 2], 16).map_err(|_| wrong(line));
                    job.parameters = (0..rest.len()).step_by(2).map(byte).collect::<Result<_, _>>()?;
                }
                "parameter" => match numbers().as_deref() {
                    Ok([place, bytes]) => job.pieces.push((*place as usize, *bytes as usize)),
                    _ => return Err(wrong(line)),
                },
                "pointer" => match numbers().as_deref() {
                    Ok([place, tensor, offset]) => job.pointers.push(Pointer {
                        place: *place as usize,
                        tensor: *tensor as usize,
                        offset: *offset,
                    }),
                    _ => return Err(wrong(line)),
                },
                _ => return Err(wrong(line)),
            }
        }
        let [x, y, z] = job.launch.grid;
        job.launch.ctas = (0..x * y * z).map(|at| [at % x, at / x % y, at / (x * y)]).collect();
        while let Ok(image) = fs::read(folder.join(format!("{}.in", job.images.len()))) {
            job.images.push(image);
        }
        Ok(job)
    }

    /// What came out in that folder, which must hold this very job.
    pub fn outcome(&self, folder: &Path, ptx: &str) -> Result<Executed, Ending> {
        let missing = || Ending::Skipped("the hardware was not asked".to_owned());
        let mut there = Job::read(folder).map_err(|_| missing())?;
        there.launch.ctas.clone_from(&self.launch.ctas);
        there.maps.clone_from(&self.maps);
        there.mapped.clone_from(&self.mapped);
        if self.launch.dynamic_shared.is_none() {
            there.launch.dynamic_shared = None;
        }
        if there != *self || fs::read_to_string(folder.join("kernel.ptx")).ok().as_deref() != Some(ptx) {
            return Err(Ending::Disagrees("the folder holds another job: write it anew".to_owned()));
        }
        if let Ok(why) = fs::read_to_string(folder.join("failed.txt")) {
            return Err(Ending::Disagrees(format!("the hardware does not come to an end: {}", why.trim())));
        }
        if let Ok(why) = fs::read_to_string(folder.join("refused.txt")) {
            return Err(Ending::Skipped(format!("the hardware refused: {}", why.trim())));
        }
        let read = |at: usize| fs::read(folder.join(format!("{at}.out"))).ok();
        let images: Option<Vec<Vec<u8>>> = (0..self.images.len()).map(read).collect();
        let images = images.ok_or_else(missing)?;
        if images.iter().zip(&self.images).any(|(after, before)| after.len() != before.len()) {
            return Err(Ending::Disagrees("a tensor came back in another size".to_owned()));
        }
        Ok(Executed { images, steps: 0 })
    }
}
