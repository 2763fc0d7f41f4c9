//! The structure that ARCHITECTURE.md describes: crates know those above them in its table, and modules have no cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{crates, read, sources};

/// What each module of a crate imports of the others.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Imports that close cycles and are still to be removed: the crate, the modules, and what they import.
const KNOWN: [(&str, &[&str], &str); 2] = [
    ("trustpath-table", &["block_file", "input", "label_studio", "labels", "output"], "formats"),
    ("trustpath-table", &["result"], "label_studio"),
];

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The first name of each path of a list `{a::B, c::{D, E}}`.
fn first_names(list: &str) -> Vec<&str> {
    let (mut names, mut depth) = (Vec::new(), 0);
    for (at, c) in list.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            break;
        }
        if depth == 1 && (c == '{' || c == ',') {
            names.push(word(list[at + 1..].trim_start()));
        }
    }
    names
}

/// The first names of all paths that begin with this prefix.
fn named_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let rests = code.split(prefix).skip(1);
    rests.flat_map(|rest| if rest.starts_with('{') { first_names(rest) } else { vec![word(rest)] }).collect()
}

/// A source without its comments and without the tests at its end.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    source.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect()
}

/// How far below `src` the module of a file is.
fn depth(file: &Path) -> usize {
    file.components().count() - usize::from(file.ends_with("mod.rs"))
}

/// What the modules directly below `src` import of each other.
fn imports(src: &Path) -> Imports {
    let root = code(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for path in sources(src) {
        let file = path.strip_prefix(src).unwrap().to_owned();
        let module = file.components().next().unwrap().as_os_str().to_string_lossy();
        let is_test = ["tests.rs", "testing.rs"].iter().any(|name| file.ends_with(name));
        if !is_test && !["lib.rs", "bin"].contains(&&*module) {
            files.push((module.trim_end_matches(".rs").to_owned(), file));
        }
    }
    let modules: BTreeSet<String> = files.iter().map(|(module, _)| module.clone()).collect();
    // What the root of the crate exports again, by the module that it is from.
    let mut exported: BTreeMap<String, String> = modules.iter().map(|name| (name.clone(), name.clone())).collect();
    for statement in root.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let module = word(statement);
        let names = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
        for name in names.filter(|name| modules.contains(module) && !name.is_empty() && *name != module) {
            exported.entry(name.to_owned()).or_insert(module.to_owned());
        }
    }
    let mut imports: Imports = modules.into_iter().map(|module| (module, BTreeSet::new())).collect();
    for (module, file) in files {
        let code = code(&fs::read_to_string(src.join(&file)).unwrap());
        let mut names = named_after(&code, "crate::");
        names.extend(named_after(&code, &"super::".repeat(depth(&file))));
        let modules = names.iter().filter_map(|name| exported.get(*name).cloned());
        imports.entry(module.clone()).or_default().extend(modules.filter(|other| *other != module));
    }
    imports
}

/// A cycle of imports, if there is one: modules that import nothing are taken away until none is left.
fn cycle(mut imports: Imports) -> Option<Vec<String>> {
    while let Some(last) = imports.iter().find(|(_, of)| of.is_empty()).map(|(module, _)| module.clone()) {
        imports.remove(&last);
        imports.values_mut().for_each(|of| {
            of.remove(&last);
        });
    }
    let mut path = vec![imports.keys().next()?.clone()];
    loop {
        let next = imports[path.last()?].first()?.clone();
        if let Some(start) = path.iter().position(|module| *module == next) {
            path.push(next);
            return Some(path.split_off(start));
        }
        path.push(next);
    }
}

#[test]
fn modules_import_each_other_in_one_direction() {
    let mut problems = Vec::new();
    for (name, folder) in crates() {
        let mut imports = imports(&folder.join("src"));
        for (_, modules, other) in KNOWN.iter().filter(|(of, ..)| *of == name) {
            let gone = modules.iter().filter(|module| !imports.get_mut(**module).is_some_and(|of| of.remove(*other)));
            problems
                .extend(gone.map(|module| format!("{name}: {module} does not import {other}; remove it from KNOWN")));
        }
        problems.extend(cycle(imports).map(|cycle| format!("{name}: {}", cycle.join(" → "))));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn crates_depend_on_those_above_them_in_the_table() {
    let text = read("ARCHITECTURE.md");
    let table = text.split("## Crates").nth(1).unwrap().lines().skip_while(|line| !line.starts_with("| `"));
    let cells = table.map_while(|line| line.strip_prefix("| `")).map(|rest| rest.split('`').next().unwrap());
    let order: Vec<&str> = cells.collect();
    let row = |name: &str| {
        let is_row = |row: &&str| row.strip_suffix('*').map_or(**row == *name, |start| name.starts_with(start));
        order.iter().position(is_row).unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"))
    };
    for (name, folder) in crates() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let named = manifest.lines().filter(|line| line.starts_with("trustpath"));
        for other in named.filter_map(|line| line.split(['.', ' ', '=']).next()) {
            assert!(row(other) < row(&name), "{name} depends on {other}, which is not above it in ARCHITECTURE.md");
        }
    }
}

#[test]
fn imports_and_cycles_are_found() {
    let code = code("use crate::a::{B, c::D}; // crate::no\nuse crate::{e::{F, G}, H};\n");
    assert_eq!(named_after(&code, "crate::"), ["a", "e", "H"]);
    let imports = |pairs: &[(&str, &[&str])]| -> Imports {
        pairs.iter().map(|(module, of)| ((*module).into(), of.iter().map(|name| (*name).into()).collect())).collect()
    };
    assert_eq!(cycle(imports(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
    let found = cycle(imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["b", "d"]), ("d", &[])])).unwrap();
    assert_eq!(found, ["b", "c", "b"]);
}
