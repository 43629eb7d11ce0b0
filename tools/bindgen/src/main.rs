//! Turns `warpproof.wasm` into a JavaScript module and a TypeScript declaration.
//!
//! Usage: `warpproof-bindgen INPUT.wasm OUT_DIR`
//!
//! The published `wasm-bindgen` command must be of exactly the version of the
//! crate it serves; a binary of this workspace gets that from `Cargo.lock`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir] = args.as_slice() else {
        eprintln!("usage: warpproof-bindgen INPUT.wasm OUT_DIR");
        return ExitCode::from(2);
    };
    match generate(input, out_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("warpproof-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &str, out_dir: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).web(true)?;
    bindgen.typescript(true).out_name("warpproof").generate(out_dir)?;
    Ok(())
}
