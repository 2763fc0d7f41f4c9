//! Episode lists written by another program can be read, fit the embedded features, and are written back unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use trustpath_bench::{
    Distractors, Episode, EpisodeList, EpisodeShape, Error, ListMeta, Queries, Setting, Split, Unlabeled, embedded,
    read_scores, stats::MeanEstimate,
};
use trustpath_table as table;

fn folder(name: &str) -> PathBuf {
    crate::data("lists").join(name)
}

fn read(name: &str) -> EpisodeList {
    EpisodeList::read(folder(name)).unwrap()
}

const LISTS: [(&str, &str, usize); 6] = [
    ("cifar-fs-1shot-transductive", "cifar-fs", 40),
    ("cifar-fs-5shot-transductive", "cifar-fs", 40),
    ("cub-1shot-transductive", "cub", 40),
    ("cub-5shot-transductive", "cub", 40),
    ("cifar-fs-1shot-imbalanced", "cifar-fs", 10),
    ("cub-5shot-semi35", "cub", 10),
];

#[test]
fn the_lists_fit_the_embedded_features() {
    for (name, dataset, episodes) in LISTS {
        let list = read(name);
        assert_eq!(list.episodes.len(), episodes, "{name}");
        assert_eq!(list.meta.dataset, dataset);
        list.check(embedded::load(dataset, Split::Novel).unwrap()).unwrap();
        // On other features they do not.
        let other = embedded::load(dataset, Split::Validation).unwrap();
        assert!(matches!(list.check(other), Err(Error::EpisodeMismatch { .. })), "{name}");
        for episode in &list.episodes {
            assert_eq!(episode.classes.len(), 5);
            assert_eq!(episode.support.len(), 5 * list.meta.shot);
            assert_eq!(episode.query.len(), 75);
        }
    }
}

#[test]
fn rows_are_in_the_order_in_which_they_were_presented() {
    let list = read("cifar-fs-1shot-transductive");
    let first = &list.episodes[0];
    assert_eq!(first.classes, [1, 15, 0, 2, 18]);
    assert_eq!(first.support.rows, [807, 9220, 540, 1602, 11312]);
    assert_eq!(first.query.rows[..6], [760, 1098, 1049, 481, 1674, 488]);
    assert_eq!(first.query.labels[..6], [0, 0, 0, 2, 3, 2]);
    assert!(first.unlabeled.is_empty());
    assert_eq!(first.pool(&list.meta.setting().unwrap()), first.query.rows);
}

#[test]
fn padding_is_not_a_row_and_imbalanced_queries_keep_their_counts() {
    let list = read("cub-5shot-semi35");
    let rows: usize = list.episodes.iter().map(|e| e.unlabeled.len()).sum();
    assert_eq!(10 * 175 - rows, 12);
    assert!(matches!(list.meta.setting().unwrap(), Setting::SemiSupervised { .. }));
    let list = read("cifar-fs-1shot-imbalanced");
    let counts = |e: &Episode| [0, 1, 2, 3, 4].map(|c| e.query.labels.iter().filter(|&&l| l == c).count());
    assert_eq!(counts(&list.episodes[0]), [9, 5, 18, 35, 8]);
    assert_eq!(counts(&list.episodes[3]), [6, 20, 18, 12, 19]);
}

#[test]
fn scores_belong_to_the_episodes() {
    let scores =
        |name: &str, method: &str| read_scores(folder(name).join(format!("official-{method}-accuracy.npy"))).unwrap();
    for (name, _, episodes) in &LISTS[..4] {
        for method in ["lr", "icir", "icic"] {
            assert_eq!(scores(name, method).len(), *episodes);
        }
    }
    let icir = MeanEstimate::of(&scores("cub-1shot-transductive", "icir")).unwrap();
    assert!((icir.mean - 0.8796666666666667).abs() < 1e-12);
    let error = read_scores(folder("cub-1shot-transductive").join("classes.npy")).unwrap_err();
    assert!(matches!(error, Error::Table(table::Error::Shape { .. })));
}

#[test]
fn lists_are_written_back_unchanged() {
    let out = tempfile::tempdir().unwrap();
    for (name, _, _) in LISTS {
        let list = read(name);
        let copy = out.path().join(name);
        list.write(&copy).unwrap();
        assert_eq!(EpisodeList::read(&copy).unwrap(), list, "{name}");
        // Arrays that the episodes determine are the same to the byte.
        for array in ["classes", "support", "query_flat", "query_label", "unlabel_flat"] {
            let array = format!("{array}.npy");
            if let Ok(original) = fs::read(folder(name).join(&array)) {
                assert!(original == fs::read(copy.join(&array)).unwrap(), "{name}/{array}");
            }
        }
    }
}

#[test]
fn drawn_episodes_are_read_back_unchanged() {
    let table = embedded::load("cub", Split::Novel).unwrap();
    let out = tempfile::tempdir().unwrap();
    let imbalanced = Queries::Dirichlet { total: 75, alpha: 2.0 };
    let all_remaining = |classes| Setting::SemiSupervised {
        unlabeled: Unlabeled::UpTo(usize::MAX),
        distractors: Distractors { classes, per_class: 10 },
    };
    let base = EpisodeShape::default();
    let shapes = [
        EpisodeShape { setting: Setting::Inductive, ..base },
        base,
        EpisodeShape { queries: imbalanced, ..base },
        EpisodeShape { way: 3, shot: 5, setting: all_remaining(0), ..base },
        EpisodeShape { way: 10, setting: all_remaining(3), ..base },
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let sampler = shape.check(table).unwrap();
        let episodes: Vec<_> = (0..8).map(|i| sampler.draw(5, i).unwrap()).collect();
        let list = EpisodeList { meta: ListMeta::of(&shape, table, 5, 8), episodes };
        let folder = out.path().join(number.to_string());
        list.write(&folder).unwrap();
        let read = EpisodeList::read(&folder).unwrap();
        assert_eq!(read, list, "{shape:?}");
        read.check(table).unwrap();
    }
}

#[test]
fn without_the_order_rows_are_read_class_after_class() {
    let out = tempfile::tempdir().unwrap();
    let list = read("cub-5shot-semi35");
    list.write(out.path()).unwrap();
    for array in ["query_flat", "query_label", "unlabel_flat", "unlabel_label"] {
        fs::remove_file(out.path().join(format!("{array}.npy"))).unwrap();
    }
    let sorted = EpisodeList::read(out.path()).unwrap();
    for (sorted, original) in sorted.episodes.iter().zip(&list.episodes) {
        assert!(sorted.query.labels.is_sorted() && sorted.unlabeled.labels.is_sorted());
        assert_eq!(sorted.query.len(), original.query.len());
        assert_eq!(sorted.unlabeled.len(), original.unlabeled.len());
    }
    sorted.check(embedded::load("cub", Split::Novel).unwrap()).unwrap();
}

#[test]
fn damaged_lists_are_refused() {
    let out = tempfile::tempdir().unwrap();
    let list = read("cub-1shot-transductive");
    let damage = |change: &dyn Fn(&Path)| {
        let copy = out.path().join("copy");
        list.write(&copy).unwrap();
        change(&copy);
        EpisodeList::read(&copy).unwrap_err()
    };
    let edit = |from: &'static str, to: &'static str| {
        move |copy: &Path| {
            let text = fs::read_to_string(copy.join("meta.json")).unwrap();
            assert!(text.contains(from), "{from}");
            fs::write(copy.join("meta.json"), text.replace(from, to)).unwrap();
        }
    };
    let is_damage = |error: &Error| matches!(error, Error::Table(table::Error::Damaged { .. }));
    let error = damage(&|copy| fs::remove_file(copy.join("support.npy")).unwrap());
    assert!(matches!(error, Error::Table(table::Error::Read { .. })), "{error}");
    let error = damage(&edit("\"episodes\": 40", "\"episodes\": 41"));
    assert!(matches!(error, Error::Table(table::Error::Shape { .. })), "{error}");
    let error = damage(&edit("\"transductive\"", "\"unknown\""));
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
    let error = damage(&edit("\"way\": 5", "\"way\": 0"));
    assert!(is_damage(&error), "{error}");
    let error = damage(&|copy| fs::write(copy.join("meta.json"), "{").unwrap());
    assert!(is_damage(&error), "{error}");
    // A label that is not below the number of ways, and negative numbers.
    for (array, value) in [("query_label", 5i32), ("query_label", -7), ("support", -1)] {
        let error = damage(&|copy| {
            let path = copy.join(format!("{array}.npy"));
            let mut bytes = fs::read(&path).unwrap();
            bytes[128..132].copy_from_slice(&value.to_le_bytes());
            fs::write(&path, bytes).unwrap();
        });
        assert!(is_damage(&error), "{array} {value}: {error}");
    }
}

#[test]
fn a_list_that_does_not_match_its_description_is_not_written() {
    let out = tempfile::tempdir().unwrap();
    let mut list = read("cub-1shot-transductive");
    fs::write(out.path().join("file"), "").unwrap();
    let error = list.write(out.path().join("file/list")).unwrap_err();
    assert!(matches!(error, Error::Table(table::Error::Write { .. })), "{error}");
    list.episodes.pop();
    assert!(matches!(list.write(out.path()), Err(Error::Parameter { .. })));
}
