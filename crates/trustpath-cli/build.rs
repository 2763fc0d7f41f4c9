//! With the feature `libtorch`, a program that finds libtorch, and its part for the GPU, by itself.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // trustpath-vision's own build script tells where it is; without the feature it says nothing.
    let Ok(folder) = std::env::var("DEP_TRUSTPATH_VISION_LIBTORCH") else { return };
    println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    if Path::new(&folder).join("libtorch_cuda.so").exists() {
        // Nothing calls into it by name, so the linker would leave it out, and the GPU with it.
        println!("cargo::rustc-link-arg-bins=-Wl,--no-as-needed,-ltorch_cuda,--as-needed");
    }
}
