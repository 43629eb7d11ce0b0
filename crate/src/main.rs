//! The `warpproof` command; everything is in [`warpproof::cli`].

fn main() -> std::process::ExitCode {
    warpproof::cli::main()
}
