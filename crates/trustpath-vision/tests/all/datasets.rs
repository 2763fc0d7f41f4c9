//! Datasets in the forms they are published in; `data/make_datasets.py` makes the files. The red of
//! an image is its number.

use std::path::Path;

use trustpath_vision::dataset::{Dataset, DatasetKind, DatasetSplit};
use trustpath_vision::image::RgbImage;

use super::{data, pixel, put};

fn open(name: &str, kind: Option<DatasetKind>) -> Dataset {
    Dataset::open(&data(name), kind).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The red of each image, in order; JPEG may be off by a little.
fn reds(dataset: &Dataset) -> Vec<u8> {
    (0..dataset.len()).map(|row| dataset.image(row).unwrap().rgb[0]).collect()
}

fn classes(dataset: &Dataset) -> Vec<&str> {
    (0..dataset.len()).map(|row| dataset.classes()[dataset.class(row).unwrap()].as_str()).collect()
}

fn refusal(path: &Path, kind: Option<DatasetKind>) -> String {
    Dataset::open(path, kind).expect_err(&path.display().to_string()).to_string()
}

#[test]
fn mini_imagenet_caches_are_read_whatever_python_wrote_them() {
    let dataset = open("datasets/mini-cache", None);
    assert_eq!(dataset.kind(), DatasetKind::MiniImagenet);
    assert_eq!((dataset.len(), dataset.classes().len()), (24, 6));
    for (k, split, first, second) in [
        (0, DatasetSplit::Train, "n01532829", "n01558993"),
        (1, DatasetSplit::Val, "n01855672", "n02091244"),
        (2, DatasetSplit::Test, "n01930112", "n01981276"),
    ] {
        let part = dataset.peek(split);
        assert_eq!(reds(&part), (10 * k..10 * k + 8).collect::<Vec<u8>>(), "{split}");
        assert_eq!(classes(&part), [[first; 4], [second; 4]].concat());
        assert_eq!(part.image(0).unwrap().width, 12);
        // Classes are missing, and it says so.
        let error = dataset.split(split).unwrap_err().to_string();
        assert!(error.contains("classes have no images"), "{error}");
    }
    assert_eq!(dataset.id(0), "n01532829/00000");
}

#[test]
fn mini_imagenet_by_category_is_read_too() {
    let dataset = open("datasets/mini-category", None);
    assert_eq!(dataset.kind(), DatasetKind::MiniImagenet);
    let val = dataset.peek(DatasetSplit::Val);
    // Labels alternate, so every second image is of the first class.
    assert_eq!(reds(&val), [10, 12, 14, 16, 11, 13, 15, 17]);
    assert_eq!(classes(&val), [["n01855672"; 4], ["n02091244"; 4]].concat());
}

#[test]
fn mini_imagenet_as_csv_and_images_is_divided_by_its_tables() {
    for kind in [Some(DatasetKind::MiniImagenet), None] {
        let dataset = open("datasets/mini-csv", kind);
        assert_eq!(dataset.len(), 12);
        let test = dataset.split(DatasetSplit::Test).unwrap();
        assert_eq!(test.classes(), ["n01930112", "n01981276"]);
        assert_eq!(test.id(0), "images/n0193011200000000.jpg");
        assert!(reds(&test)[0].abs_diff(20) <= 2);
    }
    let one = Dataset::open(&data("datasets/mini-csv/val.csv"), None).unwrap();
    assert_eq!((one.len(), one.classes().len()), (4, 2));
}

#[test]
fn tiered_imagenet_is_a_list_of_pngs() {
    let dataset = open("datasets/tiered", None);
    assert_eq!(dataset.kind(), DatasetKind::TieredImagenet);
    let test = dataset.split(DatasetSplit::Test).unwrap();
    assert_eq!(test.classes(), ["test crane", "test crane (2)", "test owl"]);
    assert_eq!(reds(&test)[..4], [21, 23, 20, 22]);
    assert_eq!(test.class_sizes(), [2, 2, 1]);
    // The one that is too long for the parser to have copied it.
    assert_eq!(test.image(4).unwrap().width, 24);
}

#[test]
fn cifar_fs_is_read_from_the_archive_of_cifar_100() {
    for name in ["datasets/cifar-100", "datasets/cifar-100/cifar-100-python.tar.gz"] {
        let dataset = open(name, None);
        assert_eq!(dataset.kind(), DatasetKind::CifarFs);
        assert_eq!(dataset.classes(), ["apple", "beaver", "baby"]);
        let test = dataset.peek(DatasetSplit::Test);
        assert_eq!(reds(&test), [51, 1, 4]);
        assert_eq!(test.id(1), "baby/train-00001");
        let image = test.image(0).unwrap();
        let flat = [51, 102, 204].repeat(32 * 32);
        assert_eq!(image, RgbImage { width: 32, height: 32, rgb: flat });
    }
}

#[test]
fn cub_is_cropped_to_its_boxes_and_divided_either_way() {
    let dataset = open("datasets/CUB_200_2011.tgz", None);
    assert_eq!((dataset.kind(), dataset.len()), (DatasetKind::Cub, 6));
    let image = dataset.image(0).unwrap();
    assert_eq!((image.width, image.height), (32, 16));
    // Nothing of the white around the box is left.
    let reds: Vec<u8> = image.rgb.chunks(3).map(|pixel| pixel[0]).collect();
    assert!(reds.iter().all(|&red| red.abs_diff(reds[0]) <= 8), "{reds:?}");
    let of = |kind, split| open("datasets/CUB_200_2011.tgz", Some(kind)).peek(split).len();
    assert_eq!([of(DatasetKind::Cub, DatasetSplit::Train), of(DatasetKind::Cub, DatasetSplit::Val)], [2, 4]);
    let closer = DatasetKind::CubCloserLook;
    assert_eq!([of(closer, DatasetSplit::Train), of(closer, DatasetSplit::Val)], [4, 2]);
}

#[test]
fn folders_are_classes_and_may_be_splits() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["train/cat/b.png", "train/cat/a.png", "train/dog/a.JPG", "test/cat/c.png"] {
        put(dir.path(), &format!("all/{name}"), pixel());
    }
    let dataset = Dataset::open(dir.path(), None).unwrap();
    assert_eq!(dataset.kind(), DatasetKind::Folder);
    // A class of two splits is one class of all.
    assert_eq!(dataset.classes(), ["cat", "dog"]);
    let train = dataset.split(DatasetSplit::Train).unwrap();
    assert_eq!(
        (0..3).map(|row| train.id(row)).collect::<Vec<_>>(),
        ["all/train/cat/a.png", "all/train/cat/b.png", "all/train/dog/a.JPG"]
    );
    let error = dataset.split(DatasetSplit::Val).unwrap_err().to_string();
    assert!(error.ends_with("it has only train and test"), "{error}");
    // What was left out of the whole is left out of its splits; row 1 is a.png of train.
    assert_eq!(dataset.id(1), "all/train/cat/a.png");
    assert_eq!(dataset.without(&[1]).split(DatasetSplit::Train).unwrap().id(0), "all/train/cat/b.png");
    // An image beside the folders has no class, and then nothing is divided.
    put(dir.path(), "stray.png", pixel());
    let dataset = Dataset::open(dir.path(), None).unwrap();
    assert_eq!(dataset.class(dataset.len() - 1), None);
    assert!(dataset.split(DatasetSplit::Train).unwrap_err().to_string().contains("not divided"));
}

#[test]
fn images_in_no_folder_or_an_unlabeled_one_have_no_class() {
    let folder = tempfile::tempdir().unwrap();
    let expected = [
        ("auk/1.png", Some(0)),
        ("wren/deep/2.png", Some(1)),
        ("3.png", None),
        ("Unlabeled/4.png", None),
        ("_unknown/5.png", None),
    ];
    expected.iter().for_each(|(name, _)| drop(put(folder.path(), name, pixel())));
    let dataset = Dataset::open(folder.path(), None).unwrap();
    assert_eq!(dataset.classes(), ["auk", "wren"]);
    let known: Vec<(&str, Option<usize>)> =
        (0..dataset.len()).map(|row| (dataset.id(row), dataset.class(row))).collect();
    assert_eq!(known, expected);
}

#[test]
fn images_are_distinguished_from_features() {
    let folder = tempfile::tempdir().unwrap();
    let is_at = |name: &str, text: &str| Dataset::is_at(&put(folder.path(), name, text));
    assert!(Dataset::is_at(folder.path()));
    assert!(is_at("a.csv", "filename,label\nx.jpg,auk\n"));
    assert!(is_at("a.tsv", "x.jpg\t3\n"));
    assert!(is_at("a.zip", "") && is_at("a.tar.gz", "") && is_at("a.PNG", ""));
    assert!(!is_at("b.csv", "id,label,a,b\nx.jpg,auk,1,2\n"));
    assert!(!is_at("b.csv", "id,a\nx.jpg,1\n") && !is_at("b.csv", "a,path\n1,x.jpg\n"));
    assert!(!is_at("b.csv", "a,b\n1,2\n") && !is_at("b.csv", ""));
    assert!(!is_at("a.npy", "") && !is_at("a.safetensors", ""));
    assert!(!Dataset::is_at(Path::new("none.csv")) && !Dataset::is_at(Path::new("-")));
}

#[test]
fn what_cannot_be_read_is_listed_and_can_be_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let image = pixel();
    for (name, bytes) in [("1.png", &image[..]), ("2.png", b"no"), ("3.jpg", &image[..]), ("4.png", b"")] {
        put(&dir.path().join("cat"), name, bytes);
    }
    let dataset = Dataset::open(dir.path(), None).unwrap();
    let bad = dataset.inspect(|| ()).unreadable;
    let rows: Vec<usize> = bad.iter().map(|(row, _)| *row).collect();
    assert_eq!(rows, [1, 3]);
    let error = bad[0].1.to_string();
    assert!(error.starts_with("cat/2.png cannot be read as an image"), "{error}");
    let rest = dataset.without(&rows);
    assert_eq!((rest.len(), rest.id(1)), (2, "cat/3.jpg"));
}

#[test]
fn a_single_image_is_a_dataset_without_classes() {
    let one = open("images/whole.png", None);
    assert_eq!((one.len(), one.id(0), one.class(0)), (1, "whole.png", None));
    assert_eq!(one.image(0).unwrap().width, 23);
}

#[test]
fn archives_are_read_alike_whatever_their_form() {
    for name in ["good.zip", "good.tar", "good.tar.gz"] {
        let dataset = open(&format!("archives/{name}"), None);
        assert_eq!(dataset.classes(), ["cat", "dog"], "{name}");
        assert_eq!(reds(&dataset), [1, 1]);
    }
}

#[test]
fn archives_that_cannot_be_trusted_are_refused() {
    for (name, said) in [
        ("climbs.zip", "leads out of the archive"),
        ("climbs.tar", "leads out of the archive"),
        ("absolute.zip", "is absolute"),
        ("link.zip", "is a link"),
        ("link.tar", "is a link"),
        ("twice.zip", "twice"),
        ("twice.tar", "twice"),
        ("claims.zip", "cannot hold"),
        ("cut.zip", "damaged"),
        ("cut.tar", "ends within cat/1.png"),
        ("cut.tar.gz", "cut off"),
        ("bomb.tar.gz", "expands to more than 100 times"),
    ] {
        let error = refusal(&data(&format!("archives/{name}")), None);
        assert!(error.contains(said) && error.contains(name), "{name}: {error}");
    }
    // What lies about its size is noticed when it is read.
    let lies = open("archives/lies.zip", None);
    let error = lies.image(0).unwrap_err().to_string();
    assert!(error.contains("not what the zip announces"), "{error}");
}

#[test]
fn what_is_no_dataset_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    assert!(refusal(path, None).contains("holds no images"));
    let error = refusal(path, Some(DatasetKind::Cub));
    assert!(error.contains("no images of cub") && error.contains("CUB_200_2011.tgz"), "{error}");
    assert!(refusal(&path.join("nowhere"), None).contains("no such file or folder"));
    for (name, text, expected) in [
        ("x.zip", "hello", "not those of a folder, zip, tar"),
        ("x.csv", "filename,label\na.png,cat\n", "names a.png, which is not there"),
    ] {
        let file = put(path, name, text);
        assert!(refusal(&file, None).contains(expected));
        std::fs::remove_file(file).unwrap();
    }
    // Pickles of something else.
    for (bytes, expected) in [
        (&b"\x80\x02]q\x00."[..], "no entry \"labels\""),
        (b"cos\nsystem\n(S'rm -rf /'\ntR.", "no entry \"labels\""),
        (b"\x80\x02", "ends too early"),
    ] {
        put(path, "mini-imagenet-cache-train.pkl", bytes);
        assert!(refusal(path, None).contains(expected));
    }
}

#[test]
fn archives_in_a_folder_are_one_dataset_if_they_agree() {
    let dir = tempfile::tempdir().unwrap();
    let put = |from: &str, to: &str| std::fs::copy(data(from), dir.path().join(to)).unwrap();
    put("archives/good.zip", "a.zip");
    put("archives/good.tar", "b.tar");
    // Both have the same cat/1.png.
    let dataset = Dataset::open(dir.path(), None).unwrap();
    assert_eq!(dataset.len(), 3);
    put("archives/lies.zip", "c.zip");
    let error = refusal(dir.path(), None);
    assert!(error.contains("cat/1.png"), "{error}");
}

/// A link back to a folder above once made the complete folder unreadable.
#[cfg(unix)]
#[test]
fn links_in_a_circle_are_left_out() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    for name in ["auk/1.png", "auk/2.png", "gull/1.png"] {
        put(folder.path(), name, pixel());
    }
    symlink("..", folder.path().join("auk/up")).unwrap();
    symlink("circle", folder.path().join("circle")).unwrap();
    symlink("nowhere", folder.path().join("notes")).unwrap();
    let linked = tempfile::tempdir().unwrap();
    put(linked.path(), "1.png", pixel());
    symlink(linked.path(), folder.path().join("wren")).unwrap();
    let dataset = Dataset::open(folder.path(), None).unwrap();
    assert_eq!(dataset.len(), 4, "{:?}", (0..dataset.len()).map(|i| dataset.id(i)).collect::<Vec<_>>());
    assert_eq!(dataset.classes(), ["auk", "gull", "wren"]);
}
