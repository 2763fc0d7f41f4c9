//! Where onnxruntime's library is: at `ORT_DYLIB_PATH`, or inside an installed Python package `onnxruntime`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::environment;

/// Loads the library once for the whole process; else says why not.
pub(super) fn load() -> Result<(), String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let load = || {
        let path = match std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => {
                environment::all_installed("onnxruntime").iter().find_map(|p| inside(p)).ok_or("it is not found")?
            }
        };
        let environment = ort::init_from(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        environment.with_telemetry(false).commit();
        Ok(())
    };
    LOADED.get_or_init(load).clone()
}

/// The library inside a package.
fn inside(package: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(package.join("capi")).ok()?.flatten();
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let library = name.trim_start_matches("lib");
        ["onnxruntime.so", "onnxruntime.dll"].iter().any(|l| library.starts_with(l))
            || (library.starts_with("onnxruntime.") && library.ends_with(".dylib"))
    };
    entries.map(|entry| entry.path()).filter(is_library).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_looked_up_inside_the_package() {
        let package = tempfile::tempdir().unwrap();
        assert_eq!(inside(package.path()), None);
        let capi = package.path().join("capi");
        std::fs::create_dir_all(&capi).unwrap();
        for name in ["libonnxruntime_providers_shared.so", "onnxruntime_pybind11_state.so"] {
            std::fs::write(capi.join(name), "").unwrap();
        }
        assert_eq!(inside(package.path()), None);
        std::fs::write(capi.join("libonnxruntime.so.1.20.0"), "").unwrap();
        assert_eq!(inside(package.path()), Some(capi.join("libonnxruntime.so.1.20.0")));
    }
}
