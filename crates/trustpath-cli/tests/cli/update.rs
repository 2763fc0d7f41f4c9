//! Instances that are added to a labelled pool.

use super::*;

/// Rows of features near one of three axes; every fifth row has a label.
fn rows(rows: Range<usize>) -> String {
    leaning(rows, |row| if row % 5 == 0 { ["auk", "gull", "tern"][row % 3] } else { "" })
}

#[test]
fn adding_instances_gives_what_one_run_gives() {
    let folder = CommandFolder::with([
        ("old.csv", rows(0..80)),
        ("new.csv", rows(80..100)),
        ("both.csv", rows(0..100)),
        ("more.csv", "id,label\nn81,auk\nn2,tern\nn99,wren\n".into()),
        ("other.csv", "id,a,b,label\nx,1,2,\n".into()),
    ]);
    folder.prints("label old.csv --model m.safetensors --keep-pool");
    let update = "label --update m.safetensors new.csv";
    let said = folder.prints(&format!("{update} --out updated.csv --model m2.safetensors --keep-pool"));
    contains(&said, &["20 instances were added to the 80 of m.safetensors"]);
    folder.prints("label both.csv --out scratch.csv --model s.safetensors --keep-pool");
    assert_eq!(folder.read("updated.csv"), folder.read("scratch.csv"), "bit for bit");
    assert!(folder.bytes("m2.safetensors") == folder.bytes("s.safetensors"));

    // Labels of old and new instances, also of a class that is new.
    folder.prints(&format!("{update} --labels more.csv --out more-out.csv"));
    let labelled = folder.read("more-out.csv");
    contains(&labelled, &["\nn81,auk,1.0,", "\nn99,wren,1.0,", "\nn2,tern,1.0,", "\nn5,tern,1.0,"]);

    // The model still predicts, and what does not fit is refused with a sentence.
    folder.prints("predict m2.safetensors new.csv");
    folder.prints("label old.csv --model plain.safetensors");
    for (files, expected) in [
        ("plain.safetensors new.csv", ["plain.safetensors", "--keep-pool"]),
        ("m.safetensors other.csv", ["other.csv", "2 features, the model 5"]),
        ("m.safetensors old.csv", ["\"n0\"", "\"n0\" twice"]),
        ("m.safetensors new.csv --model m.safetensors", ["--model", "would replace m.safetensors"]),
        ("new.csv new.csv", ["new.csv", ""]),
    ] {
        folder.refuses(&format!("label --update {files}"), 2, &expected);
    }
}
