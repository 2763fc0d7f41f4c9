//! Packages of Python that are installed here, found without running Python.
//!
//! Weights are published as packages, so that `pip install` puts them where this program finds them too: in the active
//! virtual environment, in that of conda, beside a `python3` on the path, in the user's folder, or in those of the system.

use std::path::{Path, PathBuf};

/// The folder of an installed package, by the name under which Python imports it.
pub fn installed(module: &str) -> Option<PathBuf> {
    all_installed(module).into_iter().next()
}

/// The folders of all installations of a package, best first.
pub(crate) fn all_installed(module: &str) -> Vec<PathBuf> {
    let mut roots = roots(|name| std::env::var_os(name).map(PathBuf::from));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    let folders = roots.iter().flat_map(|root| below(root)).map(|folder| folder.join(module));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// Where Python is installed, best first.
fn roots(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(&variable).collect();
    for folder in std::env::split_paths(&variable("PATH").unwrap_or_default()) {
        if ["python3", "python", "python.exe"].iter().any(|name| folder.join(name).is_file()) {
            // Programs are in bin, on Windows in the root itself or in Scripts.
            let bin = folder.ends_with("bin") || folder.ends_with("Scripts");
            roots.push(folder.parent().filter(|_| bin).unwrap_or(&folder).to_owned());
        }
    }
    roots.extend(variable("HOME").map(|home| home.join(".local")));
    roots
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
        for name in [
            "env/lib/python3.9/site-packages",
            "env/lib/python3.12/site-packages",
            "usr/bin",
            "usr/lib/python3/dist-packages",
            "usr/lib/python2.7/site-packages",
        ] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("usr/bin/python3"), "").unwrap();
        let roots = roots(|name| match name {
            "VIRTUAL_ENV" => Some(folder.path().join("env")),
            "PATH" => Some(folder.path().join("usr/bin")),
            _ => None,
        });
        let folders = roots.iter().flat_map(|root| below(root)).filter(|path| path.is_dir());
        let there: Vec<String> =
            folders.map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect();
        assert_eq!(
            there,
            ["env/lib/python3.12/site-packages", "env/lib/python3.9/site-packages", "usr/lib/python3/dist-packages"]
        );
        assert!(super::roots(|_| None).is_empty());
    }
}
