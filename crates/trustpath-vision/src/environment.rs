//! Packages of Python that are installed here, found without running Python.
//!
//! Weights are published as packages, so that `pip install` puts them where this program finds them too: in the active
//! virtual environment, in that of conda, beside the `python3` that is first on the path, or in the user's own folder.

use std::path::{Path, PathBuf};

/// The folder of an installed package, by the name under which Python imports it.
pub fn installed(module: &str) -> Option<PathBuf> {
    let folders = package_folders(|name| std::env::var_os(name).map(PathBuf::from));
    folders.into_iter().map(|folder| folder.join(module)).find(|folder| folder.is_dir())
}

/// Where Python looks for packages, best first.
fn package_folders(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(&variable).collect();
    let path = variable("PATH").unwrap_or_default();
    let python = std::env::split_paths(&path)
        .find(|folder| ["python3", "python", "python.exe"].iter().any(|name| folder.join(name).is_file()));
    // Programs are in bin, on Windows in the root itself or in Scripts.
    if let Some(folder) = python {
        let bin = folder.ends_with("bin") || folder.ends_with("Scripts");
        roots.push(folder.parent().filter(|_| bin).unwrap_or(&folder).to_owned());
    }
    roots.extend(variable("HOME").map(|home| home.join(".local")));
    roots.iter().flat_map(|root| below(root)).collect()
}

/// `lib/python3.N/site-packages` and its variants below a root, the highest version first.
fn below(root: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = ["lib", "local/lib"]
        .iter()
        .filter_map(|lib| std::fs::read_dir(root.join(lib)).ok())
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.strip_prefix("python3")?.to_owned();
            let version = if name.is_empty() { 0 } else { name.strip_prefix('.')?.parse().ok()? };
            Some((version, path))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    let inside = |path: PathBuf| ["site-packages", "dist-packages"].map(|name| path.join(name));
    let mut folders: Vec<PathBuf> = versions.into_iter().flat_map(|(_, path)| inside(path)).collect();
    folders.push(root.join("Lib").join("site-packages"));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_active_environment_comes_before_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| std::fs::create_dir_all(folder.path().join(name)).unwrap();
        for name in [
            "env/lib/python3.9/site-packages",
            "env/lib/python3.12/site-packages",
            "usr/bin",
            "usr/lib/python3/dist-packages",
            "usr/lib/python2.7/site-packages",
        ] {
            make(name);
        }
        std::fs::write(folder.path().join("usr/bin/python3"), "").unwrap();
        let folders = package_folders(|name| match name {
            "VIRTUAL_ENV" => Some(folder.path().join("env")),
            "PATH" => Some(folder.path().join("usr/bin")),
            _ => None,
        });
        let there: Vec<String> = folders
            .iter()
            .filter(|path| path.is_dir())
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            there,
            ["env/lib/python3.12/site-packages", "env/lib/python3.9/site-packages", "usr/lib/python3/dist-packages"]
        );
        assert!(package_folders(|_| None).is_empty());
    }
}
