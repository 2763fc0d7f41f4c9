//! Where onnxruntime's library is: at `ORT_DYLIB_PATH`, or inside the Python package `onnxruntime` of
//! an environment that is active, on the path, or the system's.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Loads the library once for the whole process; else says why not.
pub(super) fn load() -> Result<(), String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let load = || {
        let path = match std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => roots().iter().find_map(|root| inside(root)).ok_or("it is not found")?,
        };
        let environment = ort::init_from(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        environment.with_telemetry(false).commit();
        Ok(())
    };
    LOADED.get_or_init(load).clone()
}

/// Folders that Python may be installed in.
fn roots() -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"];
    let mut roots: Vec<PathBuf> = named.iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        if ["python3", "python", "python.exe"].iter().any(|name| folder.join(name).is_file()) {
            // On Windows the program lies in the root itself.
            roots.extend(folder.parent().map(Path::to_owned));
            roots.push(folder);
        }
    }
    roots.extend(std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local")));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    roots
}

/// The library inside the packages of one root.
fn inside(root: &Path) -> Option<PathBuf> {
    let mut packages = vec![root.join("Lib/site-packages")];
    for python in entries(&root.join("lib")) {
        if name(&python).starts_with("python3") {
            packages.extend(["site-packages", "dist-packages"].map(|kind| python.join(kind)));
        }
    }
    packages.iter().find_map(|packages| {
        let is_library = |path: &PathBuf| {
            let name = name(path);
            let library = name.trim_start_matches("lib");
            ["onnxruntime.so", "onnxruntime.dll"].iter().any(|l| library.starts_with(l))
                || (library.starts_with("onnxruntime.") && library.ends_with(".dylib"))
        };
        entries(&packages.join("onnxruntime/capi")).into_iter().find(is_library)
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a folder holds, sorted; nothing if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_inside_the_package() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(inside(root.path()), None);
        let capi = root.path().join("lib/python3.11/site-packages/onnxruntime/capi");
        std::fs::create_dir_all(&capi).unwrap();
        for name in ["libonnxruntime_providers_shared.so", "onnxruntime_pybind11_state.so"] {
            std::fs::write(capi.join(name), "").unwrap();
        }
        assert_eq!(inside(root.path()), None);
        std::fs::write(capi.join("libonnxruntime.so.1.20.0"), "").unwrap();
        assert_eq!(inside(root.path()), Some(capi.join("libonnxruntime.so.1.20.0")));
    }
}
