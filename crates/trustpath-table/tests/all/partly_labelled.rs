//! Tables of which some instances have labels, from every format and with everything that can be
//! wrong with them.

use trustpath_table::{Error, Format, PartlyLabelledFile};

use crate::{Folder, fixture, label_names, refused};

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
    for file in files {
        let table = PartlyLabelledFile::new(&file).read().unwrap();
        assert_eq!(table.features().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{file:?}");
        assert_eq!(table.ids(), ["x", "y", "z"], "{file:?}");
        assert_eq!(label_names(&table), ["auk", "-", "gull"], "{file:?}");
        assert_eq!(table.columns().unwrap(), ["a", "b"], "{file:?}");
        table.check_labels().unwrap();
    }
    let list = folder.file("l.jsonl", "{\"embedding\":[1,2],\"label\":4}\n{\"embedding\":[3,4]}\n");
    let table = PartlyLabelledFile::new(list).read().unwrap();
    assert_eq!(
        (label_names(&table), table.ids(), table.columns()),
        (vec!["4", "-"], &["0".into(), "1".into()][..], None)
    );
}

#[test]
fn arrays_with_labels_inside_or_apart() {
    let folder = Folder::new();
    for name in ["stored.npz", "f16.safetensors", "index.csv"] {
        let table = PartlyLabelledFile::new(fixture(name)).read().unwrap();
        assert_eq!(label_names(&table), ["wren", "auk", "gull", "wren", "auk", "gull"], "{name}");
        assert_eq!((table.rows(), table.dims(), table.ids()[5].as_str()), (6, 3, "5"), "{name}");
    }
    let npy = || PartlyLabelledFile::new(fixture("f4.npy"));
    let some = folder.file("some.csv", "id,label\n4,gull\n0,wren\n");
    assert_eq!(
        label_names(&npy().labels(&some).read().unwrap()),
        ["wren", "-", "-", "-", "gull", "-"]
    );
    let lines = folder.file("lines.txt", "wren\n\n\n\ngull\n\n");
    assert_eq!(
        label_names(&npy().labels(&lines).read().unwrap()),
        ["wren", "-", "-", "-", "gull", "-"]
    );
    let lines = folder.file("lines.csv", "label\n3\n-1\n-1\n\n7\n\n");
    assert_eq!(label_names(&npy().labels(&lines).read().unwrap()), ["3", "-", "-", "-", "7", "-"]);
    // The ids of the labels file are used where the features have none.
    let named = folder.file("named.csv", "file,kind\na,wren\nb,\nc,\nd,\ne,gull\nf,\n");
    let table = npy().labels(&named).label_column("kind").id_column("file").read().unwrap();
    assert_eq!((table.ids()[4].as_str(), label_names(&table)[4]), ("e", "gull"));
    // Labels for some instances, as lines of JSON.
    let json = folder.file("y.jsonl", "{\"id\":2,\"label\":\"wren\"}\n");
    assert_eq!(label_names(&npy().labels(json).read().unwrap())[2], "wren");
    // Labels that are given replace those inside, names and all.
    let swifts = folder.file("swifts.txt", "swift\n\n\n\nauk\n\n");
    let table = PartlyLabelledFile::new(fixture("stored.npz")).labels(swifts).read().unwrap();
    assert_eq!(label_names(&table), ["swift", "-", "-", "-", "auk", "-"]);
    // Prediction needs no labels.
    let table = npy().read().unwrap();
    assert!(matches!(table.check_labels(), Err(Error::NoLabels { .. })));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables() {
    let table = PartlyLabelledFile::new(fixture("pandas.parquet")).read().unwrap();
    assert_eq!(label_names(&table), ["wren", "auk", "gull", "wren", "auk", "gull"]);
    assert_eq!(table.columns().unwrap().len(), 3);
    let table = PartlyLabelledFile::new(fixture("list.parquet")).read().unwrap();
    assert_eq!((table.columns(), table.dims()), (None, 3));
    let labels = PartlyLabelledFile::new(fixture("f4.npy")).labels(fixture("pandas.parquet"));
    assert_eq!(label_names(&labels.read().unwrap())[1], "auk");
}

#[test]
fn the_format_may_be_given() {
    let folder = Folder::new();
    let file = folder.file("pool.dat", "a\tlabel\n1\tx\n2\ty\n");
    refused(PartlyLabelledFile::new(&file).read(), &["pool.dat", ".parquet"]);
    assert_eq!(
        PartlyLabelledFile::new(file).format(Format::Tsv).read().unwrap().features().unwrap(),
        [1.0, 2.0]
    );
}

#[test]
fn labels_beside_the_features_are_found_unless_not_wanted() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "a\n1\n2\n");
    folder.file("x-labels.txt", "p\nq\n");
    assert_eq!(label_names(&PartlyLabelledFile::new(&features).read().unwrap()), ["p", "q"]);
    assert_eq!(
        label_names(&PartlyLabelledFile::new(features).not_beside().read().unwrap()),
        ["-", "-"]
    );
}

#[test]
fn every_bad_table_is_named_with_the_remedy() {
    let folder = Folder::new();
    let cases: [(&str, &[&str]); 11] = [
        ("a,b,label\n1,2,x\n3,NaN,y\n", &["feature \"b\" of row 1", "NaN", "impute"]),
        ("a,b,label\n1,2,x\n3,-inf,y\n", &["feature \"b\" of row 1", "-inf"]),
        ("a,b,label\n1,2,x\n3,,y\n", &["line 3, column \"b\" is missing", "drop that row"]),
        ("a,b,label\n1,2,x\n3,4\n", &["line 3 has 2 fields"]),
        ("id,a,label\np,1,x\nq,2,y\np,3,x\n", &["id \"p\" twice, in rows 0 and 2"]),
        ("id,a,label\n,1,x\n,2,y\n", &["id \"\" twice"]),
        ("a,label\n1,\n2,\n", &["p.csv has no labels", "labels file"]),
        ("a,label\n1,x\n2,\n3,x\n", &["every label in", "\"x\"", "second class"]),
        ("", &["it is empty"]),
        ("a,b,label\n", &["a header without rows"]),
        ("a,path,label\n1,p.jpg,x\n", &["\"p.jpg\" is not a number", "id or the label column"]),
    ];
    for (text, expected) in cases {
        let file = PartlyLabelledFile::new(folder.file("p.csv", text));
        refused(file.read().and_then(|table| table.check_labels()), expected);
    }
    let file = PartlyLabelledFile::new(folder.file("p.csv", "a,b\n1,2\n"));
    refused(file.id_column("file").read(), &["no column \"file\" (it has \"a\", \"b\")"]);
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "id,a\np,1\nq,2\nr,3\n");
    for (labels, expected) in [
        ("id,label\np,x\ns,y\n", "label for \"s\", which"),
        ("id,label\np,x\np,y\n", "labels \"p\" both \"x\" and \"y\""),
        ("file,kind\np,x\n", "label for \"file\""),
        ("label\nx\ny\n", "has 2 labels but"),
        ("a,b,c\n1,2,3\n", "none called \"label\""),
        ("", "it is empty"),
    ] {
        let labels = folder.file("y.csv", labels);
        refused(PartlyLabelledFile::new(&features).labels(labels).read(), &[expected]);
    }
    let streams = PartlyLabelledFile::new("-").labels("-");
    refused(streams.read(), &["both the features and the labels"]);
    let error = refused(PartlyLabelledFile::new(&features).labels("none.csv").read(), &[]);
    assert!(matches!(error, Error::Read { .. }), "{error}");
    let folder = PartlyLabelledFile::new(folder.path("")).format(Format::Csv);
    refused(folder.read(), &["it is a folder"]);
}
