//! Tables of which some instances have labels, from every format and with everything that can be wrong with them.

use std::path::PathBuf;

use trustpath_table::{CarriedColumn, Column, Error, Format, MissingLabels, Output, PartlyLabelledFile, ResultTable};

use crate::testing::{Folder, refused, strings};
use crate::{fixture, label_names};

const BIRDS: [&str; 6] = ["wren", "auk", "gull", "wren", "auk", "gull"];

fn file(path: impl Into<PathBuf>) -> PartlyLabelledFile {
    PartlyLabelledFile::new(path)
}

#[test]
fn the_same_table_from_every_text_format() {
    let folder = Folder::new();
    let files = [
        folder.file("p.csv", "id,a,b,label\nx,1,2,auk\ny,3,4,\nz,5,6,gull\n"),
        folder.file("p.tsv", "a\tlabel\tb\tid\n1\tauk\t2\tx\n3\tNaN\t4\ty\n5\tgull\t6\tz\n"),
        folder.file(
            "p.jsonl",
            "{\"id\":\"x\",\"a\":1,\"b\":2,\"label\":\"auk\"}\n{\"id\":\"y\",\"a\":3,\"b\":4}\n\
             {\"id\":\"z\",\"a\":5,\"b\":6,\"label\":\"gull\"}\n",
        ),
    ];
    for path in files {
        let table = file(&path).read().unwrap();
        assert_eq!(table.features().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{path:?}");
        assert_eq!(table.ids(), ["x", "y", "z"], "{path:?}");
        assert_eq!(label_names(&table), ["auk", "-", "gull"], "{path:?}");
        assert_eq!(table.columns().unwrap(), ["a", "b"], "{path:?}");
        table.check_labels().unwrap();
    }
    let list = folder.file("l.jsonl", "{\"embedding\":[1,2],\"label\":4}\n{\"embedding\":[3,4]}\n");
    let table = file(list).read().unwrap();
    assert_eq!((label_names(&table), table.ids(), table.columns()), (vec!["4", "-"], &strings(&["0", "1"])[..], None));
}

#[test]
fn arrays_with_labels_inside_or_apart() {
    let folder = Folder::new();
    for name in ["stored.npz", "f16.safetensors", "index.csv"] {
        let table = file(fixture(name)).read().unwrap();
        assert_eq!(label_names(&table), BIRDS, "{name}");
        assert_eq!((table.rows(), table.dims(), table.ids()[5].as_str()), (6, 3, "5"), "{name}");
    }
    let npy = || file(fixture("f4.npy"));
    for (name, text, expected) in [
        ("some.csv", "id,label\n4,gull\n0,wren\n", ["wren", "-", "-", "-", "gull", "-"]),
        ("lines.txt", "wren\n\n\n\ngull, grey\n\n", ["wren", "-", "-", "-", "gull, grey", "-"]),
        ("lines.csv", "label\n3\n-1\n-1\n\n7\n\n", ["3", "-", "-", "-", "7", "-"]),
        ("y.jsonl", "{\"id\":2,\"label\":\"wren\"}\n", ["-", "-", "wren", "-", "-", "-"]),
    ] {
        let table = npy().labels(folder.file(name, text)).read().unwrap();
        assert_eq!(label_names(&table), expected, "{name}");
    }
    // The ids of the labels file are used where the features have none, if the caller says so.
    let named = folder.file("named.csv", "file,kind\na,wren\nb,\nc,\nd,\ne,gull\nf,\n");
    let named = || npy().labels(&named).label_column("kind").id_column("file");
    refused(named().read(), &["named.csv has the ids", "f4.npy has no ids"]);
    let table = named().labels_in_order().read().unwrap();
    assert_eq!((table.ids()[4].as_str(), label_names(&table)[4]), ("e", "gull"));
    // Labels that are given replace those inside together with their names.
    let swifts = folder.file("swifts.txt", "swift\n\n\n\nauk\n\n");
    let table = file(fixture("stored.npz")).labels(swifts).read().unwrap();
    assert_eq!(label_names(&table), ["swift", "-", "-", "-", "auk", "-"]);
    // Prediction needs no labels.
    refused(npy().read().unwrap().check_labels(), &["f4.npy has no labels"]);
}

/// Columns of text were refused.
#[cfg(feature = "parquet")]
#[test]
fn parquet_with_other_columns() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let mut table = ResultTable::default();
    let texts = |texts: [&str; 3]| Column::Text(texts.map(str::to_owned).to_vec());
    table.push("ID", texts(["p", "q", "r"])).unwrap();
    table.push("a", Column::Number(vec![1.0, 2.0, 3.0])).unwrap();
    let urls = vec![Some("u".to_owned()), None, Some("w".to_owned())];
    table.push("url", Column::OptionalText(urls.clone())).unwrap();
    table.push("b", Column::Count(vec![4, 5, 6])).unwrap();
    table.push("Class", texts(["x", "?", "y"])).unwrap();
    table.write(&Output::new(&path)).unwrap();

    let table = file(&path).read().unwrap();
    assert_eq!(table.features().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!((table.ids()[2].as_str(), label_names(&table)), ("r", vec!["x", "-", "y"]));
    assert_eq!(table.carried(), [CarriedColumn { name: "url".into(), texts: urls }]);
    assert_eq!(table.notes().len(), 3, "{:?}", table.notes());
    let chosen = file(&path).feature_columns(strings(&["b"])).carry(strings(&["a"])).read().unwrap();
    assert_eq!(chosen.features().unwrap(), [4.0, 5.0, 6.0]);
    assert_eq!(chosen.carried()[0].texts[1].as_deref(), Some("2"));
    refused(file(&path).feature_columns(strings(&["url"])).read(), &["url", "must be numeric"]);
    refused(file(&path).carry(strings(&["nosuch"])).read(), &["no column \"nosuch\""]);
}

#[test]
fn the_format_may_be_given() {
    let folder = Folder::new();
    let path = folder.file("pool.dat", "a\tlabel\n1\tx\n2\ty\n");
    refused(file(&path).read(), &["pool.dat", ".parquet"]);
    let table = file(path).format(Format::Tsv).read().unwrap();
    assert_eq!(table.features().unwrap(), [1.0, 2.0]);
}

#[test]
fn labels_beside_the_features_are_read_unless_not_wanted() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "a\n1\n2\n");
    folder.file("x-labels.txt", "p\nq\n");
    assert_eq!(label_names(&file(&features).read().unwrap()), ["p", "q"]);
    assert_eq!(label_names(&file(features).not_beside().read().unwrap()), ["-", "-"]);
}

#[test]
fn every_bad_table_is_named_with_the_remedy() {
    let folder = Folder::new();
    let cases: [(&str, &[&str]); 11] = [
        ("a,b,label\n1,2,x\n3,NaN,y\n", &["feature \"b\" of row 1", "NaN", "impute"]),
        ("a,b,label\n1,2,x\n3,-inf,y\n", &["feature \"b\" of row 1", "is infinite"]),
        ("a,b,label\n1,2,x\n3,,y\n", &["line 3, column \"b\" is missing", "drop that row"]),
        ("a,b,label\n1,2,x\n3,4\n", &["line 3 has 2 fields"]),
        ("id,a,label\np,1,x\nq,2,y\np,3,x\n", &["id \"p\" twice, in rows 0 and 2"]),
        ("id,a,label\n,1,x\n,2,y\n", &["id \"\" twice"]),
        ("a,label\n1,\n2,\n", &["p.csv has no labels", "labels file"]),
        ("a,label\n1,x\n2,\n3,x\n", &["every label in", "\"x\"", "second class"]),
        ("", &["it is empty"]),
        ("a,b,label\n", &["a header without rows"]),
        ("a,b,label\n1,2,x\n3,p.jpg,y\n", &["\"p.jpg\" is not a number", "columns of features"]),
    ];
    for (text, expected) in cases {
        let read = file(folder.file("p.csv", text)).read();
        refused(read.and_then(|table| table.check_labels()), expected);
    }
    let no_ids = file(folder.file("p.csv", "a,b\n1,2\n")).id_column("file");
    refused(no_ids.read(), &["no column \"file\" (it has \"a\", \"b\")"]);
}

/// Ways in which labels moved by a row or missing ones became a class.
#[test]
fn labels_are_never_moved_or_invented() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "a\n1\n2\n3\n4\n5\n");
    let read = |name: &str, text: &str| file(&features).labels(folder.file(name, text)).read();
    let expected = ["cat", "-", "dog", "-", "-"];
    for name in ["y.csv", "y.txt"] {
        for text in [
            "class\ncat\n\ndog\n\n\n",
            "class\r\ncat\r\n\r\ndog\r\n\r\n\r\n",
            "cat\r\n\r\ndog\r\n\r\n\r\n",
            "Label\ncat\n?\ndog\nunknown\nNA\n",
            "zorp\ncat\nNone\ndog\nnull\n-1\n",
            "cat\n-\ndog\nN/A\nUnlabelled\n",
        ] {
            let table = read(name, text).unwrap();
            assert_eq!(label_names(&table), expected, "{name} {text:?}");
            assert_eq!(table.class_names(), ["cat", "dog"], "{name} {text:?}");
        }
        let unclear = read(name, "zorp\ncat\n\ndog\n\n\n");
        refused(unclear, &["6 lines for 5 rows", "\"zorp\", may be a header or a label"]);
    }
    let said = read("y.csv", "label\ncat\n?\ndog\n?\n?\n").unwrap();
    let said: Vec<String> = said.notes().iter().map(|note| note.sentence(|n, v| format!("--{n} {v}"))).collect();
    assert_eq!(said, ["3 labels read as missing: '?' (use --missing '' if they are classes)."]);
    let unknown = folder.file("u.csv", "label\ncat\nunknown\ncat\nunknown\n\n");
    let markers = MissingLabels::only([""]);
    let table = file(&features).labels(&unknown).missing(markers).read().unwrap();
    assert_eq!(label_names(&table), ["cat", "unknown", "cat", "unknown", "-"]);
    let one = file(&features).labels(&unknown).read().unwrap().check_labels();
    refused(one, &["\"unknown\", 2 times, was read as a missing label"]);
}

#[test]
fn a_path_that_does_not_exist_is_no_unknown_format() {
    let error = refused(file("no-such-folder").read(), &["no-such-folder"]);
    assert!(matches!(error, Error::Read { .. }), "{error}");
    let folder = Folder::new();
    let features = folder.file("x.csv", "a\n1\n2\n");
    let error = refused(file(features).labels("nothing").read(), &["nothing"]);
    assert!(matches!(error, Error::Read { .. }), "{error}");
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "id,a\np,1\nq,2\nr,3\n");
    for (labels, expected) in [
        ("id,label\np,x\ns,y\n", "label for \"s\", which"),
        ("id,label\np,x\np,y\n", "labels \"p\" both \"x\" and \"y\""),
        ("zorp,kind\nt,x\n", "label for \"t\""),
        ("label\nx\ny\n", "has 2 labels but"),
        ("a,b,c\n1,2,3\n", "none called \"label\""),
        ("", "it is empty"),
    ] {
        let labels = folder.file("y.csv", labels);
        refused(file(&features).labels(labels).read(), &[expected]);
    }
    let streams = file("-").labels("-");
    refused(streams.read(), &["both the features and the labels"]);
    refused(file(folder.path("")).format(Format::Csv).read(), &["it is a folder"]);
}

/// A date beside the features was once neither a feature nor passed on.
#[cfg(feature = "parquet")]
#[test]
fn dates_are_passed_on_and_lists_chosen_by_name() {
    let file = || PartlyLabelledFile::new(fixture("dates.parquet"));
    let table = file().feature_columns(vec!["clip".into()]).read().unwrap();
    // Row i has the features 0.75 i − 1 + 0.25 j, as `make.py` writes them.
    let expected: Vec<f32> = (0..18).map(|i| i as f32 * 0.25 - 1.0).collect();
    assert_eq!(table.features().unwrap(), expected);
    let carried: Vec<_> = table.carried().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(carried, ["day", "seen"]);
    let second = |column: usize| table.carried()[column].texts[1].as_deref();
    assert_eq!((second(0), second(1)), (Some("2024-02-29"), Some("2024-02-29T12:30:00.25Z")));
    let table = file().feature_columns(vec!["box".into()]).carry(vec![]).read().unwrap();
    assert_eq!((table.dims(), table.carried().len()), (2, 0));
    let table = file().feature_columns(vec!["a".into()]).carry(vec!["seen".into()]).read().unwrap();
    assert_eq!((table.dims(), table.carried()[0].name.as_str()), (1, "seen"));
    refused(file().read(), &["clip", "box", "feature columns"]);
}

#[test]
fn arrow_and_feather_are_refused_with_the_format_to_write_instead() {
    let folder = Folder::new();
    for name in ["pool.arrow", "pool.feather"] {
        let file = folder.file(name, b"ARROW1");
        refused(PartlyLabelledFile::new(file).read(), &[name, "parquet", "to_parquet"]);
        refused(Output::new(folder.path(name)).check(), &[name, "parquet"]);
    }
}

#[test]
fn a_labels_file_with_a_header_alone_has_no_labels() {
    let folder = Folder::new();
    for text in ["id,label\n", "id,label"] {
        let pool = file(fixture("f4.npy")).labels(folder.file("labels.csv", text)).read().unwrap();
        assert!(pool.labels().iter().all(Option::is_none), "{text:?}");
        refused(pool.check_labels(), &["labels.csv has no labels"]);
    }
}
