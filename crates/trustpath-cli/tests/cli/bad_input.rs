//! Every error is one sentence on standard error that names the input and the remedy.

use super::*;

#[test]
fn files_that_cannot_be_read() {
    let folder = CommandFolder::with([
        ("features.mat", vec![]),
        ("short.npy", npy("<f4", "(100, 3)", &[0; 40])),
        ("complex.npy", npy("<c8", "(2, 2)", &[0; 32])),
        ("nan.csv", b"a,b,label\n1,2,x\n3,nan,y\n".to_vec()),
        ("junk.parquet", b"not a parquet file".to_vec()),
    ]);
    let cases: [(&str, &[&str]); 8] = [
        ("missing.npy", &["missing.npy", "check that the path"]),
        ("features.mat", &["features.mat has an unknown format", ".npy", ".parquet"]),
        ("short.npy", &["short.npy is truncated", "1200 bytes", "40"]),
        ("complex.npy", &["complex.npy has the type", "c8"]),
        ("nan.csv", &["feature 1 of row 1", "nan.csv", "drop or impute"]),
        (&table("pickled.npy"), &["pickled.npy", "np.save"]),
        (&table("cube.npy"), &["cube.npy has the shape [6, 3, 1]"]),
        ("junk.parquet", &["cannot parse", "junk.parquet"]),
    ];
    for (file, expected) in cases {
        folder.refuses(&format!("bench --features {file}"), 2, expected);
    }
}

#[test]
fn labels_that_do_not_fit() {
    let bench = format!("bench --features {}", table("f4.npy"));
    refused(&bench, 2, &["f4.npy has no labels", "give a labels file", "f4-labels.npy"]);
    for (labels, expected) in [
        ("y-short.npy", ["y-short.npy has 5 labels", "f4.npy has 6 rows"]),
        ("y-fraction.npy", ["y-fraction.npy", "0.5"]),
    ] {
        refused(&format!("{bench} --labels {}", table(labels)), 2, &expected);
    }
    refused("bench --labels y.npy", 2, &["--features"]);
}

#[test]
fn episodes_that_cannot_be_drawn() {
    let small = format!("bench --features {}", table("plain.csv"));
    let ways = format!("{small} --way 4 --queries 1");
    refused(&ways, 2, &["plain.csv has 3", "4 ways", "fewer ways"]);
    let shots = format!("{small} --way 3 --shot 5");
    refused(&shots, 2, &["class \"auk\" of", "plain.csv", "has 2 rows", "needs 20"]);
    let ways = "bench --setting semi --way 10 --distractors 20";
    refused(ways, 2, &["10 ways and 20 distractors", "cifar-fs (novel classes) has 20"]);
    refused("bench --way 1", 2, &["way = 1", "at least 2"]);
    refused("bench --dirichlet 0", 2, &["alpha = 0", "positive"]);
    refused("bench --unlabeled 30", 2, &["--unlabeled", "add --setting semi"]);
    refused("bench --neighbors 90", 2, &["90 neighbours", "80 instances", "fewer neighbours"]);
}

#[test]
fn methods_that_do_not_exist() {
    refused("bench --step 0", 2, &["step = 0", "at least one"]);
    refused("bench --cap 0", 2, &["cap = 0", "at least one"]);
    refused("bench --dim 0", 2, &["d = 0", "at least 1"]);
    refused("bench --model icic --alpha -1", 2, &["alpha"]);
    refused("bench --against step=0", 2, &["step = 0"]);
    refused("bench --against best", 2, &["'best'", "--against", "name=value"]);
    refused("bench --method pt-map --step 3", 2, &["--step", "pt-map", "drop it"]);
    refused("bench --method icic --model icir", 2, &["--model", "drop one"]);
    refused("bench --against method=all", 2, &["--against", "one method"]);
    refused("bench --method all --against plain", 2, &["--against", "one method"]);
    let peers = "icir, icic, label, adaptive, plain, simpleshot, simpleshot-cl2n, bd-cspn, laplacianshot, pt-map, soft-kmeans, \
                 protolp, protolp-free, paddle, unem-gaussian, bavardage, laplace-learning, \
                 ilpc, tim-gd, alpha-tim, all";
    refused("bench --against method=nonsense", 2, &["nonsense", "pt-map, soft-kmeans"]);
    refused("paper peers --method nonsense", 2, &["'nonsense'", "pt-map, soft-kmeans"]);
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
        refused(&format!("bench {option} best"), 2, &["'best'", option, choices]);
    }
}

#[test]
fn invalid_usage() {
    refused("bnech", 2, &["'bnech'", "bench"]);
    refused("bench --shots 5", 2, &["'--shots'", "--shot"]);
    refused("bench --episodes 0", 2, &["--episodes", "from 1 to 10000000"]);
    refused("bench --threads 0", 2, &["--threads", "from 1 to 1024"]);
    refused("bench --threads 5000", 2, &["--threads", "from 1 to 1024"]);
    refused("bench --json --csv", 2, &["--json", "--csv"]);
    refused("bench --resume", 2, &["--journal"]);
    let listed = format!("bench --episode-list {}", list("cub-1shot-transductive"));
    refused(&format!("{listed} --way 3"), 2, &["--episode-list", "--way"]);
    refused(&format!("{listed} --episodes 41"), 2, &["41", "the 40 of"]);
    refused("bench --episode-list none", 2, &["meta.json", "check that the path"]);
    let other = format!("{listed} --dataset cifar-fs");
    refused(&other, 2, &["does not fit cifar-fs", "run the list on the features"]);
}

#[test]
fn places_that_cannot_be_written() {
    // Not even root can write into a file as if it were a folder.
    let folder = CommandFolder::with([("file", "")]);
    for option in ["--journal", "--export-episodes"] {
        let line = format!("{SMALL} {option} {}", folder.at("file/inside"));
        refused(&line, 1, &["cannot write", "file", "choose a folder"]);
    }
}
