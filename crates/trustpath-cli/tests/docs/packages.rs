//! A published crate holds the files of its own folder only.

use std::fs;
use std::path::Path;

use super::links::files;

/// The files named by `include_bytes!` and `include_str!` in a source.
fn included(source: &str) -> Vec<&str> {
    let calls = source.split("include_").skip(1);
    let named = calls.filter_map(|call| {
        let inside = call.strip_prefix("bytes!(").or_else(|| call.strip_prefix("str!("))?;
        inside.trim_start().strip_prefix('"')?.split('"').next()
    });
    named.collect()
}

#[test]
fn crates_include_only_files_of_their_own_folder() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for folder in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.join("Cargo.toml").is_file() {
            continue;
        }
        let root = folder.canonicalize().unwrap();
        for file in files(&folder.join("src"), "rs") {
            for name in included(&fs::read_to_string(&file).unwrap()) {
                let path = file.parent().unwrap().join(name).canonicalize();
                let path = path.unwrap_or_else(|e| panic!("{}: {name}: {e}", file.display()));
                assert!(path.starts_with(&root), "{} includes {}", file.display(), path.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}
