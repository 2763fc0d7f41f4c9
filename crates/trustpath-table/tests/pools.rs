//! Pools of labelled and unlabeled instances, from every format and with everything that can be
//! wrong with them.

use std::fs;
use std::path::{Path, PathBuf};

use trustpath_table::{Error, Format, Pool, PoolFile};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

fn names(pool: &Pool) -> Vec<&str> {
    pool.labels()
        .iter()
        .map(|l| l.map_or("-", |class| pool.class_names()[class].as_str()))
        .collect()
}

#[test]
fn the_same_pool_from_every_text_format() {
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
        let pool = PoolFile::new(&file).read().unwrap();
        assert_eq!(pool.features().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{file:?}");
        assert_eq!(pool.ids(), ["x", "y", "z"], "{file:?}");
        assert_eq!(names(&pool), ["auk", "-", "gull"], "{file:?}");
        assert_eq!(pool.columns().unwrap(), ["a", "b"], "{file:?}");
        pool.check_labels().unwrap();
    }
    let list = folder.file("l.jsonl", "{\"embedding\":[1,2],\"label\":4}\n{\"embedding\":[3,4]}\n");
    let pool = PoolFile::new(list).read().unwrap();
    assert_eq!(
        (names(&pool), pool.ids(), pool.columns()),
        (vec!["4", "-"], &["0".into(), "1".into()][..], None)
    );
}

#[test]
fn arrays_with_labels_inside_or_apart() {
    let folder = Folder::new();
    for name in ["stored.npz", "f16.safetensors", "index.csv"] {
        let pool = PoolFile::new(fixture(name)).read().unwrap();
        assert_eq!(names(&pool), ["wren", "auk", "gull", "wren", "auk", "gull"], "{name}");
        assert_eq!((pool.rows(), pool.dims(), pool.ids()[5].as_str()), (6, 3, "5"), "{name}");
    }
    let npy = || PoolFile::new(fixture("f4.npy"));
    let some = folder.file("some.csv", "id,label\n4,gull\n0,wren\n");
    assert_eq!(names(&npy().labels(&some).read().unwrap()), ["wren", "-", "-", "-", "gull", "-"]);
    let lines = folder.file("lines.txt", "wren\n\n\n\ngull\n\n");
    assert_eq!(names(&npy().labels(&lines).read().unwrap()), ["wren", "-", "-", "-", "gull", "-"]);
    let lines = folder.file("lines.csv", "label\n3\n-1\n-1\n\n7\n\n");
    assert_eq!(names(&npy().labels(&lines).read().unwrap()), ["3", "-", "-", "-", "7", "-"]);
    // Ids of the labels file serve where the features have none.
    let named = folder.file("named.csv", "file,kind\na,wren\nb,\nc,\nd,\ne,gull\nf,\n");
    let pool = npy().labels(&named).label_column("kind").id_column("file").read().unwrap();
    assert_eq!((pool.ids()[4].as_str(), names(&pool)[4]), ("e", "gull"));
    // Labels for some, as lines of JSON.
    let json = folder.file("y.jsonl", "{\"id\":2,\"label\":\"wren\"}\n");
    assert_eq!(names(&npy().labels(json).read().unwrap())[2], "wren");
    // Labels that are given replace those inside, names and all.
    let swifts = folder.file("swifts.txt", "swift\n\n\n\nauk\n\n");
    let pool = PoolFile::new(fixture("stored.npz")).labels(swifts).read().unwrap();
    assert_eq!(names(&pool), ["swift", "-", "-", "-", "auk", "-"]);
    // Without any labels a pool is a pool, for prediction.
    let pool = npy().read().unwrap();
    assert!(matches!(pool.check_labels(), Err(Error::NoLabels { .. })));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_pools() {
    let pool = PoolFile::new(fixture("pandas.parquet")).read().unwrap();
    assert_eq!(names(&pool), ["wren", "auk", "gull", "wren", "auk", "gull"]);
    assert_eq!(pool.columns().unwrap().len(), 3);
    let pool = PoolFile::new(fixture("list.parquet")).read().unwrap();
    assert_eq!((pool.columns(), pool.dims()), (None, 3));
    let labels = PoolFile::new(fixture("f4.npy")).labels(fixture("pandas.parquet"));
    assert_eq!(names(&labels.read().unwrap())[1], "auk");
}

#[test]
fn the_format_may_be_said() {
    let folder = Folder::new();
    let file = folder.file("pool.dat", "a\tlabel\n1\tx\n2\ty\n");
    let error = PoolFile::new(&file).read().unwrap_err().to_string();
    assert!(error.contains("pool.dat") && error.contains(".parquet"), "{error}");
    assert_eq!(
        PoolFile::new(file).format(Format::Tsv).read().unwrap().features().unwrap(),
        [1.0, 2.0]
    );
}

#[test]
fn labels_beside_are_found_unless_not_wanted() {
    let folder = Folder::new();
    let features = folder.file("x.csv", "a\n1\n2\n");
    folder.file("x-labels.txt", "p\nq\n");
    assert_eq!(names(&PoolFile::new(&features).read().unwrap()), ["p", "q"]);
    assert_eq!(names(&PoolFile::new(features).not_beside().read().unwrap()), ["-", "-"]);
}

#[test]
fn bad_pools_get_their_sentence() {
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
        let file = PoolFile::new(folder.file("p.csv", text));
        let error = file.read().and_then(|pool| pool.check_labels()).unwrap_err().to_string();
        assert!(expected.iter().all(|part| error.contains(part)), "{text:?}: {error}");
        assert!(!error.contains('\n') && error.len() < 400, "{error}");
    }
    let file = folder.file("p.csv", "a,b\n1,2\n");
    let error = PoolFile::new(file).id_column("file").read().unwrap_err().to_string();
    assert!(error.contains("no column \"file\" (it has \"a\", \"b\")"), "{error}");
}

#[test]
fn labels_that_do_not_fit_get_their_sentence() {
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
        let error = PoolFile::new(&features).labels(labels).read().unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let error = PoolFile::new("-").labels("-").read().unwrap_err().to_string();
    assert!(error.contains("both the features and the labels"), "{error}");
    let error = PoolFile::new(&features).labels("none.csv").read().unwrap_err();
    assert!(matches!(error, Error::Read { .. }), "{error}");
    let error = PoolFile::new(folder.0.path()).format(Format::Csv).read().unwrap_err().to_string();
    assert!(error.contains("it is a folder"), "{error}");
}
