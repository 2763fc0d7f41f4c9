//! Every error is one sentence on standard error that names the input and the remedy.

use super::*;

#[track_caller]
fn refused(args: &[&str], code: i32, expected: &[&str]) {
    assert!(fails(trustpath().args(args), code, expected).is_empty());
}

#[track_caller]
fn features_refused(file: &str, more: &[&str], expected: &[&str]) {
    refused(&[&["bench", "--features", file], more].concat(), 2, expected);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        text(&path)
    };
    let missing = text(&folder.path().join("missing.npy"));
    features_refused(&missing, &[], &["missing.npy", "check that the path"]);
    let matlab = write("features.mat", b"");
    features_refused(&matlab, &[], &["features.mat has an unknown format", ".npy", ".parquet"]);
    let short = write("short.npy", &npy("<f4", "(100, 3)", &[0; 40]));
    features_refused(&short, &[], &["short.npy is truncated", "1200 bytes", "40"]);
    let complex = write("complex.npy", &npy("<c8", "(2, 2)", &[0; 32]));
    features_refused(&complex, &[], &["complex.npy has the type", "c8"]);
    let nan = write("nan.csv", b"a,b,label\n1,2,x\n3,nan,y\n");
    features_refused(&nan, &[], &["feature 1 of row 1", "nan.csv", "drop or impute"]);
    features_refused(&table("pickled.npy"), &[], &["pickled.npy", "np.save"]);
    features_refused(&table("cube.npy"), &[], &["cube.npy has the shape [6, 3, 1]"]);
    let junk = write("junk.parquet", b"not a parquet file");
    features_refused(&junk, &[], &["cannot parse", "junk.parquet"]);
}

#[test]
fn labels_that_do_not_fit() {
    let expected = ["f4.npy has no labels", "give a labels file", "f4-labels.npy"];
    features_refused(&table("f4.npy"), &[], &expected);
    let labels = table("y-short.npy");
    let expected = ["y-short.npy has 5 labels", "f4.npy has 6 rows"];
    features_refused(&table("f4.npy"), &["--labels", &labels], &expected);
    let labels = table("y-fraction.npy");
    features_refused(&table("f4.npy"), &["--labels", &labels], &["y-fraction.npy", "0.5"]);
    refused(&["bench", "--labels", "y.npy"], 2, &["--features"]);
}

#[test]
fn episodes_that_cannot_be_drawn() {
    let small = table("plain.csv");
    let ways = ["--way", "4", "--queries", "1"];
    features_refused(&small, &ways, &["plain.csv has 3", "4 ways", "fewer ways"]);
    let shots = ["--way", "3", "--shot", "5"];
    features_refused(&small, &shots, &["class \"auk\" of", "plain.csv", "has 2 rows", "needs 20"]);
    let ways = ["bench", "--setting", "semi", "--way", "10", "--distractors", "20"];
    refused(&ways, 2, &["10 ways and 20 distractors", "cifar-fs (novel classes) has 20"]);
    refused(&["bench", "--way", "1"], 2, &["way = 1", "at least 2"]);
    refused(&["bench", "--dirichlet", "0"], 2, &["alpha = 0", "positive"]);
    refused(&["bench", "--unlabeled", "30"], 2, &["--unlabeled", "add --setting semi"]);
    let expected = ["90 neighbours", "80 instances", "fewer neighbours"];
    refused(&["bench", "--neighbors", "90"], 2, &expected);
}

#[test]
fn methods_that_do_not_exist() {
    refused(&["bench", "--step", "0"], 2, &["step = 0", "at least one"]);
    refused(&["bench", "--cap", "0"], 2, &["cap = 0", "at least one"]);
    refused(&["bench", "--dim", "0"], 2, &["d = 0", "at least 1"]);
    refused(&["bench", "--model", "icic", "--alpha", "-1"], 2, &["alpha"]);
    refused(&["bench", "--against", "step=0"], 2, &["step = 0"]);
    refused(&["bench", "--against", "best"], 2, &["'best'", "--against", "name=value"]);
    let pt_map = ["bench", "--method", "pt-map"];
    refused(&[&pt_map[..], &["--step", "3"]].concat(), 2, &["--step", "pt-map", "drop it"]);
    refused(&["bench", "--method", "icic", "--model", "icir"], 2, &["--model", "drop one"]);
    refused(&["bench", "--against", "method=all"], 2, &["--against", "one method"]);
    refused(&["bench", "--method", "all", "--against", "plain"], 2, &["--against", "one method"]);
    let peers = "icir, icic, label, adaptive, plain, simpleshot, simpleshot-cl2n, bd-cspn, laplacianshot, pt-map, soft-kmeans, \
                 protolp, protolp-free, paddle, unem-gaussian, bavardage, laplace-learning, \
                 ilpc, tim-gd, alpha-tim, all";
    refused(&["bench", "--against", "method=nonsense"], 2, &["nonsense", "pt-map, soft-kmeans"]);
    refused(&["paper", "peers", "--method", "nonsense"], 2, &["'nonsense'", "pt-map, soft-kmeans"]);
    for (option, choices) in [
        ("--method", peers),
        ("--model", "icir, icic"),
        ("--penalty", "group, elementwise"),
        ("--reduction", "lle, ltsa, isomap, se, pca, mds, mds-random, none"),
        ("--classifier", "lr, svm, knn"),
        ("--selector", "ici, ra, nn, co, cn"),
        ("--setting", "inductive, transductive, semi"),
        ("--dataset", "cifar-fs, cub"),
        ("--split", "novel, validation"),
    ] {
        refused(&["bench", option, "best"], 2, &["'best'", option, choices]);
    }
}

#[test]
fn invalid_usage() {
    refused(&["bnech"], 2, &["'bnech'", "bench"]);
    refused(&["bench", "--shots", "5"], 2, &["'--shots'", "--shot"]);
    refused(&["bench", "--episodes", "0"], 2, &["--episodes", "at least 1"]);
    refused(&["bench", "--threads", "0"], 2, &["--threads", "at least 1"]);
    refused(&["bench", "--json", "--csv"], 2, &["--json", "--csv"]);
    refused(&["bench", "--resume"], 2, &["--journal"]);
    let list = list("cub-1shot-transductive");
    refused(&["bench", "--episode-list", &list, "--way", "3"], 2, &["--episode-list", "--way"]);
    refused(&["bench", "--episode-list", &list, "--episodes", "41"], 2, &["41", "the 40 of"]);
    refused(&["bench", "--episode-list", "none"], 2, &["meta.json", "check that the path"]);
    let other = ["bench", "--episode-list", &list, "--dataset", "cifar-fs"];
    refused(&other, 2, &["does not fit cifar-fs", "run the list on the features"]);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    // Not even root can write into a file as if it were a folder.
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let place = text(&file.join("inside"));
    for option in ["--journal", "--export-episodes"] {
        let args = [&SMALL[..], &[option, &place]].concat();
        refused(&args, 1, &["cannot write", "file", "choose a folder"]);
    }
}
