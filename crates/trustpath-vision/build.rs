//! Where libtorch is, so that programs find it at run time.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // torch-sys names it so; without the feature `libtorch` it is not there.
    let Ok(folder) = std::env::var("DEP_TCH_LIBTORCH_LIB") else { return };
    // A crate that links this one into a program passes these on (see trustpath-cli).
    println!("cargo::metadata=libtorch={folder}");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    if Path::new(&folder).join("libtorch_cuda.so").exists() {
        // Nothing calls into it by name, so the linker would leave it out, and the GPU with it.
        println!("cargo::rustc-link-arg=-Wl,--no-as-needed,-ltorch_cuda,--as-needed");
    }
}
