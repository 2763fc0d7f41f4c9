//! Data is read from every possible place, and errors in it are reported in one sentence.

use super::*;

/// `trustpath check` in the folder.
fn check(folder: &TempDir, args: &[&str]) -> Command {
    trustpath_in(folder, &[&["check"], args].concat())
}

#[track_caller]
fn refused(folder: &TempDir, args: &[&str], code: i32, expected: &[&str]) {
    fails(&mut check(folder, args), code, expected);
}

const POOL: &[u8] = b"id,a,b,label\nx.jpg,1,2,auk\ny.jpg,3,4,\nz.jpg,5,6,gull\nw.jpg,7,8,auk\n";

#[test]
fn a_file_is_summarised() {
    let folder = folder_with(&[("p.csv", POOL)]);
    let said = printed(&mut check(&folder, &["p.csv"]));
    for part in ["4 instances, 2 features", "3 labelled, 1 unlabelled; 2 classes", "x.jpg … w.jpg"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("auk"), "{said}");
}

#[test]
fn standard_streams_and_formats() {
    let folder = folder_with(&[]);
    let run = |args: &[&str], input: &[u8]| printed(check(&folder, args).write_stdin(input));
    let expected = "id,label\nx.jpg,auk\ny.jpg,\nz.jpg,gull\nw.jpg,auk\n";
    assert_eq!(run(&["-", "--out", "-"], POOL), expected);
    let json = run(&["-", "--out", "-", "--out-format", "jsonl"], POOL);
    assert!(json.starts_with("{\"id\":\"x.jpg\",\"label\":\"auk\"}\n{\"id\":\"y.jpg\",\"label\":null}"));
    // Every format is written, and the labels are read back from it.
    fs::write(folder.path().join("p.csv"), "id,a\nz.jpg,5\ny.jpg,3\nw.jpg,7\nx.jpg,1\n").unwrap();
    for format in ["csv", "tsv", "jsonl", "parquet", "npz", "safetensors"] {
        let labels = format!("labels.{format}");
        run(&["-", "--out", &labels], POOL);
        let back = run(&["p.csv", "--labels", &labels, "--out", "-"], b"");
        assert_eq!(back, "id,label\nz.jpg,gull\ny.jpg,\nw.jpg,auk\nx.jpg,auk\n", "{format}");
    }
    // Binary formats come through a pipe as well.
    for name in ["f4.npy", "stored.npz", "f16.safetensors", "pandas.parquet"] {
        let format = name.rsplit_once('.').unwrap().1;
        let bytes = fs::read(table(name)).unwrap();
        let said = run(&["-", "--format", format, "--labels", &table("y.txt")], &bytes);
        assert!(said.contains("6 instances, 3 features each"), "{name}: {said}");
    }
}

#[test]
fn bad_data_is_reported() {
    let cases: [(&[u8], &[&str]); 9] = [
        (b"a,b,label\n1,2,x\n3,NaN,y\n", &["p.csv", "feature \"b\" of row 1", "NaN", "impute"]),
        (b"a,b,label\n1,inf,x\n3,4,y\n", &["p.csv", "feature \"b\" of row 0", "inf"]),
        (b"a,b,label\n1,,x\n3,4,y\n", &["p.csv, line 2, column \"b\" is missing"]),
        (b"a,b,label\n1,2,x\n3,y\n", &["p.csv", "line 3 has 2 fields"]),
        (b"id,a,label\np,1,x\nq,2,y\np,3,x\n", &["id \"p\" twice, in rows 0 and 2"]),
        (b"a,label\n1,\n2,\n", &["p.csv has no labels"]),
        (b"a,label\n1,x\n2,\n", &["every label in p.csv is \"x\"", "second class"]),
        (b"", &["p.csv", "it is empty"]),
        (b"a,b,label\n1,2,x\n3,p.jpg,y\n", &["\"p.jpg\" is not a number", "columns of features"]),
    ];
    for (text, expected) in cases {
        refused(&folder_with(&[("p.csv", text)]), &["p.csv"], 2, expected);
    }
    let folder = folder_with(&[("p.csv", POOL)]);
    refused(&folder, &["none.csv"], 2, &["cannot read none.csv", "check that the path"]);
    refused(&folder, &["p.csv", "--id-column", "file"], 2, &["no column \"file\""]);
    refused(&folder, &["p.csv", "--format", "parquet"], 2, &["cannot parse p.csv"]);
    refused(&folder, &["p.csv", "--format", "xls"], 2, &["xls", "possible values"]);
    refused(&folder, &["-", "--labels", "-"], 2, &["standard input", "both"]);
    refused(&folder, &["."], 2, &["trustpath data check", "a features file"]);
    refused(&folder, &[".", "--format", "csv"], 2, &["it is a folder"]);
}

#[test]
fn bad_labels_are_reported() {
    for (labels, expected) in [
        (&b"id,label\nx.jpg,auk\nq.jpg,auk\n"[..], "label for \"q.jpg\", which p.csv does not have"),
        (b"id,label\nx.jpg,auk\nx.jpg,gull\n", "y.csv labels \"x.jpg\" both \"auk\" and \"gull\""),
        (b"label\nauk\n", "y.csv has 1 labels but p.csv has 4 rows"),
    ] {
        let folder = folder_with(&[("p.csv", POOL), ("y.csv", labels)]);
        refused(&folder, &["p.csv", "--labels", "y.csv"], 2, &[expected]);
    }
}

#[test]
fn truncated_and_hostile_files_are_reported() {
    let parquet = fs::read(table("pandas.parquet")).unwrap();
    let npz = fs::read(table("deflated.npz")).unwrap();
    let header = npy("<f4", "(1000000000000, 512)", &[]);
    let deep = [b"{\"a\":".repeat(200_000), b"1".to_vec()].concat();
    let tensors = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    let cases: [(&str, &[u8], &str); 7] = [
        ("p.parquet", &parquet[..parquet.len() / 2], "cannot parse p.parquet"),
        ("p.npz", &npz[..npz.len() - 30], "cannot parse p.npz"),
        ("p.npy", &header, "p.npy is truncated: its header announces 2048000000000000 bytes"),
        ("q.npy", b"\x93NUMPY", "it ends within its header"),
        ("p.jsonl", &deep, "cannot parse p.jsonl: line 1: EOF"),
        ("p.safetensors", &tensors, "announces a header of 18446744073709551615 bytes"),
        ("q.safetensors", &[0; 4], "it ends within its header"),
    ];
    for (name, bytes, expected) in cases {
        refused(&folder_with(&[(name, bytes)]), &[name], 2, &[expected]);
    }
    refused(&folder_with(&[]), &[&table("pickled.npz")], 2, &["pickled Python objects"]);
}

#[test]
fn an_output_that_cannot_be_written_is_reported_before_the_work() {
    let folder = folder_with(&[("p.csv", POOL)]);
    let out = |path: &str, code: i32, expected: &[&str]| {
        refused(&folder, &["p.csv", "--out", path], code, expected);
    };
    out("missing/out.csv", 1, &["cannot write missing/out.csv", "choose a folder that exists"]);
    out("p.csv/out.csv", 1, &["cannot write p.csv/out.csv"]);
    out("out.doc", 2, &["out.doc has an unknown format"]);
    // Even before the input is read.
    refused(&folder, &["none.csv", "--out", "missing/out.csv"], 1, &["missing/out.csv"]);
    if cfg!(target_os = "linux") {
        for format in ["csv", "parquet", "npz"] {
            let args = ["p.csv", "--out", "/dev/full", "--out-format", format];
            refused(&folder, &args, 1, &["cannot write /dev/full", "has room"]);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn labels_that_are_read_as_missing_are_listed() {
    let pool = b"id,a,b,label\nx,1,2,auk\ny,3,4,?\nz,5,6,gull\nw,7,8,unknown\nv,7,9,Auk\n";
    let folder = folder_with(&[("p.csv", pool)]);
    let said = printed(&mut check(&folder, &["p.csv"]));
    assert!(said.contains("3 labelled, 2 unlabelled; 3 classes"), "{said}");
    assert!(said.contains("2 labels read as missing: '?', 'unknown' (use --missing ''"), "{said}");
    assert!(said.contains("'Auk' (1 label) and 'auk' (1 label) differ only in case"), "{said}");
    let said = printed(&mut check(&folder, &["p.csv", "--missing", "?"]));
    assert!(said.contains("4 labelled, 1 unlabelled; 4 classes"), "{said}");
    let said = printed(&mut check(&folder, &["p.csv", "--missing", ""]));
    assert!(said.contains("5 labelled, 0 unlabelled"), "{said}");
}

#[test]
fn headers_that_may_be_labels_are_refused_with_the_remedy() {
    let folder = folder_with(&[
        ("p.csv", b"a,b\n1,2\n3,4\n5,6\n7,8\n"),
        ("y.csv", b"zorp\nauk\n\ngull\n\n"),
        ("ids.csv", b"name,kind\nq,auk\np,gull\nr,auk\ns,gull\n"),
    ]);
    let labels = ["p.csv", "--labels", "y.csv"];
    refused(&folder, &labels, 2, &["\"zorp\", may be a header", "label column"]);
    let named = printed(&mut check(&folder, &[&labels[..], &["--label-column", "zorp"]].concat()));
    assert!(named.contains("2 labelled, 2 unlabelled; 2 classes"), "{named}");
    let first = printed(&mut check(&folder, &[&labels[..], &["--label-column", "0"]].concat()));
    assert!(first.contains("3 labelled, 1 unlabelled; 3 classes"), "{first}");
    let ids = ["p.csv", "--labels", "ids.csv"];
    refused(&folder, &ids, 2, &["ids.csv has the ids", "p.csv has no ids", "order"]);
    let ordered = printed(&mut check(&folder, &[&ids[..], &["--labels-in-order"]].concat()));
    assert!(ordered.contains("ids q … s") && ordered.contains("4 labelled"), "{ordered}");
}

#[test]
fn a_missing_path_is_no_unknown_format() {
    let folder = folder_with(&[]);
    refused(&folder, &["nothing-here"], 2, &["cannot read nothing-here", "No such file"]);
}

#[test]
fn near_duplicates_are_listed_those_with_different_labels_first() {
    let pool = b"id,a,b,label\nx,1,2,auk\ny,2,4,\nz,5,1,auk\nw,50,10.1,gull\nv,-1,3,auk\n";
    let folder = folder_with(&[("p.csv", pool)]);
    let said = printed(&mut check(&folder, &["p.csv", "--duplicates"]));
    let list = "4 near-duplicates in 2 groups (cosine at least 0.99)\n1 group has different labels, listed first\n  z (auk), w (gull)\n  x (auk), y\n";
    assert!(said.contains(list), "{said}");
    let said = printed(&mut check(&folder, &["p.csv", "--duplicates=1"]));
    assert!(said.contains("2 near-duplicates in 1 group (cosine at least 1)"), "{said}");
    let table = printed(&mut check(&folder, &["p.csv", "--duplicates", "--out", "-"]));
    assert_eq!(table, "id,label,duplicate_of\nx,auk,\ny,,x\nz,auk,\nw,gull,z\nv,auk,\n");
    let json = printed(&mut check(&folder, &["p.csv", "--duplicates", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["duplicates"], serde_json::json!([["z", "w"], ["x", "y"]]));
    refused(&folder, &["p.csv", "--duplicates=2"], 2, &["duplicates", "2", "as in 0.99"]);
}
