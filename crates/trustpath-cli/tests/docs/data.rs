//! Files under the names that the examples of the help use.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use trustpath_table::{Column, Output, PartlyLabelledFile, PartlyLabelledTable, ResultTable, npy, write_atomically};
use trustpath_vision::image::RgbImage;

use super::shell;

/// A folder with small data of every kind.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |command: &str| {
        let output = shell(folder.path(), command);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run("trustpath sample some --size 24 --labels 4");
    for (from, to) in [("pool.npy", "embeddings.npy"), ("labels.csv", "labels.csv"), ("new.npy", "new.npy")] {
        fs::copy(at("some").join(from), at(to)).unwrap();
    }
    run("trustpath label embeddings.npy --labels labels.csv --model model.safetensors");
    let read = |labels: &str| PartlyLabelledFile::new(at("embeddings.npy")).labels(at(labels)).read().unwrap();
    let (pool, truth) = (read("labels.csv"), read("some/truth.csv"));
    let write = |table: &PartlyLabelledTable, id: &str, label: &str, to: &str| {
        let (features, dims) = (table.features().unwrap(), table.dims());
        let mut columns = ResultTable::default();
        columns.push(id, Column::Text(table.ids().to_vec())).unwrap();
        for k in 0..dims {
            let values = features.iter().skip(k).step_by(dims).map(|&v| f64::from(v)).collect();
            columns.push(format!("f{k}"), Column::Number(values)).unwrap();
        }
        let name = |class: &Option<usize>| class.map(|class| table.class_names()[class].clone());
        let names = table.labels().iter().map(name).collect();
        columns.push(label, Column::OptionalText(names)).unwrap();
        columns.write(&Output::new(at(to))).unwrap();
    };
    write(&pool, "file", "kind", "pool.csv");
    write(&pool, "file", "kind", "pool.parquet");
    write(&truth, "id", "label", "train.csv");
    run("head -n 6 some/truth.csv > checked.csv");
    run("gzip -c train.csv > pool.csv.gz && cp train.csv new.csv && cp embeddings.npy novel.npy");
    let classes: Vec<i32> = truth.labels().iter().map(|class| class.unwrap() as i32).collect();
    let shape = [classes.len()];
    write_atomically(at("novel-labels.npy"), |w| npy::write_i32(w, &shape, &classes)).unwrap();

    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let part = |n: usize| {
        let path = format!("crates/trustpath-data-resnet12-{n}/resnet12-cifar-fs.safetensors.{n}");
        fs::read(repository.join(path)).unwrap()
    };
    fs::write(at("resnet12.safetensors"), [part(1), part(2)].concat()).unwrap();
    let list = repository.join("crates/trustpath-bench/tests/lists/cub-1shot-transductive");
    run(&format!("cp -r '{}' .", list.display()));
    for class in 0..3 {
        for i in 0..8 {
            let place = if i < 4 { format!("photos/class{class}") } else { "photos/unlabeled".into() };
            image(&at(&place).join(format!("{class}-{i}.png")), class, i);
            image(&at("new-photos").join(format!("{class}-{i}.png")), class, i + 8);
        }
    }
    questions(&at("questions.csv"), 4);
    questions(&at("new-questions.csv"), 0);
    run("trustpath label questions.csv --text question --out tasks.json --quiet");
    folder
}

/// Questions of three kinds, with this number of labels in each.
fn questions(path: &Path, labelled: usize) {
    let kinds = [("card", "did not arrive"), ("pin", "has to change"), ("transfer", "is pending")];
    let mut text = "question,label\n".to_owned();
    for (kind, rest) in kinds {
        for (i, more) in ["", "today", "please", "again", "why", "help", "now", "so"].iter().enumerate() {
            let label = if i < labelled { kind } else { "" };
            text += &format!("my {kind} {rest} {more},{label}\n");
        }
    }
    fs::write(path, text).unwrap();
}

/// The folder `images` of a tutorial: drawings of stripes in class folders, some without a label; and `new-images`.
pub fn drawings(folder: &Path) {
    for (class, name) in ["vertical", "horizontal", "diagonal"].into_iter().enumerate() {
        for i in 0..12 {
            let (place, i) = match i {
                0..4 => (format!("images/{name}"), i),
                4..8 => ("images/unlabeled".into(), i),
                _ => ("new-images".into(), i + 1),
            };
            image(&folder.join(place).join(format!("{name}-{i}.png")), class, i);
        }
    }
}

/// The file `texts.jsonl` of a tutorial.
pub fn texts(folder: &Path) {
    let texts = [
        ("I lost my card", Some("lost card"), [0.9, 0.1, 0.2]),
        ("Why is my transfer pending?", Some("pending transfer"), [0.1, 0.9, 0.1]),
        ("My card was stolen", None, [0.8, 0.2, 0.3]),
        ("The transfer has not arrived", None, [0.2, 0.8, 0.2]),
        ("I cannot find my card", Some("lost card"), [0.9, 0.2, 0.1]),
        ("When will the money be there?", Some("pending transfer"), [0.2, 0.9, 0.2]),
        ("Someone took my wallet", None, [0.7, 0.1, 0.3]),
        ("My payment is still not there", None, [0.1, 0.8, 0.3]),
        ("Card gone, please block it", None, [0.9, 0.1, 0.1]),
        ("How long does a transfer take?", None, [0.3, 0.9, 0.1]),
    ];
    let line = |(text, label, embedding): (&str, Option<&str>, [f64; 3])| {
        let label = label.map_or("null".into(), |label| format!("\"{label}\""));
        format!("{{\"text\": \"{text}\", \"label\": {label}, \"embedding\": {embedding:?}}}\n")
    };
    fs::write(folder.join("texts.jsonl"), texts.map(line).concat()).unwrap();
}

/// Stripes of a width and direction that the class has.
fn image(path: &Path, class: usize, i: usize) {
    let (width, height) = (32usize, 32usize);
    let shade = |x: usize, y: usize| match class {
        0 => (x + i) / 4 % 2,
        1 => (y + i) / 4 % 2,
        _ => (x + y + i) / 9 % 2,
    };
    let place = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let rgb = place.flat_map(|(x, y)| [40 + 180 * shade(x, y) as u8, 90, (10 * i) as u8]).collect();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, RgbImage { width, height, rgb }.png().unwrap()).unwrap();
}
