//! Data is read from every possible place, and errors in it are reported in one sentence.

use super::*;

const POOL: &str = "id,a,b,label\nx.jpg,1,2,auk\ny.jpg,3,4,\nz.jpg,5,6,gull\nw.jpg,7,8,auk\n";

#[test]
fn a_file_is_summarised() {
    let said = CommandFolder::with([("p.csv", POOL)]).prints("check p.csv");
    contains(&said, &["4 instances, 2 features", "3 labelled, 1 unlabelled; 2 classes", "x.jpg … w.jpg", "auk"]);
}

#[test]
fn standard_streams_and_formats() {
    let folder = CommandFolder::new();
    let run = |line: &str, input: &[u8]| outputs(folder.command(&format!("check {line}")).write_stdin(input)).0;
    let pool = POOL.as_bytes();
    assert_eq!(run("- --out -", pool), "id,label\nx.jpg,auk\ny.jpg,\nz.jpg,gull\nw.jpg,auk\n");
    let json = run("- --out - --out-format jsonl", pool);
    assert!(json.starts_with("{\"id\":\"x.jpg\",\"label\":\"auk\"}\n{\"id\":\"y.jpg\",\"label\":null}"));
    // Every format is written, and the labels are read back from it.
    folder.write("p.csv", "id,a\nz.jpg,5\ny.jpg,3\nw.jpg,7\nx.jpg,1\n");
    for format in ["csv", "tsv", "jsonl", "parquet", "npz", "safetensors"] {
        run(&format!("- --out labels.{format}"), pool);
        let back = run(&format!("p.csv --labels labels.{format} --out -"), b"");
        assert_eq!(back, "id,label\nz.jpg,gull\ny.jpg,\nw.jpg,auk\nx.jpg,auk\n", "{format}");
    }
    // Binary formats come through a pipe as well.
    for name in ["f4.npy", "stored.npz", "f16.safetensors", "pandas.parquet"] {
        let format = name.rsplit_once('.').unwrap().1;
        let bytes = fs::read(table(name)).unwrap();
        let said = run(&format!("- --format {format} --labels {}", table("y.txt")), &bytes);
        assert!(said.contains("6 instances, 3 features each"), "{name}: {said}");
    }
}

#[test]
fn bad_data_is_reported() {
    let cases: [(&str, &[&str]); 9] = [
        ("a,b,label\n1,2,x\n3,NaN,y\n", &["p.csv", "feature \"b\" of row 1", "NaN", "impute"]),
        ("a,b,label\n1,inf,x\n3,4,y\n", &["p.csv", "feature \"b\" of row 0", "inf"]),
        ("a,b,label\n1,,x\n3,4,y\n", &["p.csv, line 2, column \"b\" is missing"]),
        ("a,b,label\n1,2,x\n3,y\n", &["p.csv", "line 3 has 2 fields"]),
        ("id,a,label\np,1,x\nq,2,y\np,3,x\n", &["id \"p\" twice, in rows 0 and 2"]),
        ("a,label\n1,\n2,\n", &["p.csv has no labels"]),
        ("a,label\n1,x\n2,\n", &["every label in p.csv is \"x\"", "second class"]),
        ("", &["p.csv", "it is empty"]),
        ("a,b,label\n1,2,x\n3,p.jpg,y\n", &["\"p.jpg\" is not a number", "columns of features"]),
    ];
    let folder = CommandFolder::new();
    for (text, expected) in cases {
        folder.write("p.csv", text);
        folder.refuses("check p.csv", 2, expected);
    }
    folder.write("p.csv", POOL);
    folder.refuses("check none.csv", 2, &["cannot read none.csv", "check that the path"]);
    folder.refuses("check nothing-here", 2, &["cannot read nothing-here", "No such file"]);
    folder.refuses("check p.csv --id-column file", 2, &["no column \"file\""]);
    folder.refuses("check p.csv --format parquet", 2, &["cannot parse p.csv"]);
    folder.refuses("check p.csv --format xls", 2, &["xls", "possible values"]);
    folder.refuses("check - --labels -", 2, &["standard input", "both"]);
    folder.refuses("check .", 2, &["trustpath data check", "a features file"]);
    folder.refuses("check . --format csv", 2, &["it is a folder"]);
    for (labels, expected) in [
        ("id,label\nx.jpg,auk\nq.jpg,auk\n", "label for \"q.jpg\", which p.csv does not have"),
        ("id,label\nx.jpg,auk\nx.jpg,gull\n", "y.csv labels \"x.jpg\" both \"auk\" and \"gull\""),
        ("label\nauk\n", "y.csv has 1 labels but p.csv has 4 rows"),
    ] {
        folder.write("y.csv", labels);
        folder.refuses("check p.csv --labels y.csv", 2, &[expected]);
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
        CommandFolder::with([(name, bytes)]).refuses(&format!("check {name}"), 2, &[expected]);
    }
    refused(&format!("check {}", table("pickled.npz")), 2, &["pickled Python objects"]);
}

#[test]
fn an_output_that_cannot_be_written_is_reported_before_the_work() {
    let folder = CommandFolder::with([("p.csv", POOL)]);
    let missing = ["cannot write missing/out.csv", "choose a folder that exists"];
    folder.refuses("check p.csv --out missing/out.csv", 1, &missing);
    folder.refuses("check p.csv --out p.csv/out.csv", 1, &["cannot write p.csv/out.csv"]);
    folder.refuses("check p.csv --out out.doc", 2, &["out.doc has an unknown format"]);
    // Even before the input is read.
    folder.refuses("check none.csv --out missing/out.csv", 1, &["missing/out.csv"]);
    if cfg!(target_os = "linux") {
        for format in ["csv", "parquet", "npz"] {
            let line = format!("check p.csv --out /dev/full --out-format {format}");
            folder.refuses(&line, 1, &["cannot write /dev/full", "has room"]);
        }
    }
    assert_eq!(folder.names(), ["p.csv"], "nothing is left behind");
}

#[test]
fn labels_that_are_read_as_missing_are_listed() {
    let pool = "id,a,b,label\nx,1,2,auk\ny,3,4,?\nz,5,6,gull\nw,7,8,unknown\nv,7,9,Auk\n";
    let folder = CommandFolder::with([("p.csv", pool)]);
    let notes = [
        "3 labelled, 2 unlabelled; 3 classes",
        "2 labels read as missing: '?', 'unknown' (use --missing ''",
        "'Auk' (1 label) and 'auk' (1 label) differ only in case",
    ];
    contains(&folder.prints("check p.csv"), &notes);
    contains(&folder.prints("check p.csv --missing ?"), &["4 labelled, 1 unlabelled; 4 classes"]);
    contains(&folder.prints("check p.csv --missing ''"), &["5 labelled, 0 unlabelled"]);
}

#[test]
fn headers_that_may_be_labels_are_refused_with_the_remedy() {
    let folder = CommandFolder::with([
        ("p.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n"),
        ("y.csv", "zorp\nauk\n\ngull\n\n"),
        ("ids.csv", "name,kind\nq,auk\np,gull\nr,auk\ns,gull\n"),
    ]);
    folder.refuses("check p.csv --labels y.csv", 2, &["\"zorp\", may be a header", "label column"]);
    let named = folder.prints("check p.csv --labels y.csv --label-column zorp");
    contains(&named, &["2 labelled, 2 unlabelled; 2 classes"]);
    let numbered = folder.prints("check p.csv --labels y.csv --label-column 0");
    contains(&numbered, &["3 labelled, 1 unlabelled; 3 classes"]);
    folder.refuses("check p.csv --labels ids.csv", 2, &["ids.csv has the ids", "p.csv has no ids", "order"]);
    let ordered = folder.prints("check p.csv --labels ids.csv --labels-in-order");
    contains(&ordered, &["ids q … s", "4 labelled"]);
}

#[test]
fn near_duplicates_are_listed_those_with_different_labels_first() {
    let pool = "id,a,b,label\nx,1,2,auk\ny,2,4,\nz,5,1,auk\nw,50,10.1,gull\nv,-1,3,auk\n";
    let folder = CommandFolder::with([("p.csv", pool)]);
    let list = "4 near-duplicates in 2 groups (cosine at least 0.99)\n1 group has different labels, listed first\n  z (auk), w (gull)\n  x (auk), y\n";
    contains(&folder.prints("check p.csv --duplicates"), &[list]);
    let one = "2 near-duplicates in 1 group (cosine at least 1)";
    contains(&folder.prints("check p.csv --duplicates=1"), &[one]);
    let table = folder.prints("check p.csv --duplicates --out -");
    assert_eq!(table, "id,label,duplicate_of\nx,auk,\ny,,x\nz,auk,\nw,gull,z\nv,auk,\n");
    let json = folder.prints_json("check p.csv --duplicates --json");
    assert_eq!(json["duplicates"], serde_json::json!([["z", "w"], ["x", "y"]]));
    folder.refuses("check p.csv --duplicates=2", 2, &["duplicates", "2", "as in 0.99"]);
}
