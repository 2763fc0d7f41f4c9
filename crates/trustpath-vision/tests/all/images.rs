//! Images of every kind against what Pillow reads; `data/make_images.py` makes them.

use proptest::prelude::*;
use trustpath_vision::image::{Filter, RgbImage, resize::resize};

const LOSSLESS: &str = "whole.png rgba.png grey.png grey-alpha.png bit.png palette.png palette.gif one.png whole.bmp whole.tiff whole.ppm lossless.webp alpha.webp deep.png";
const LOSSY: &str = "plain.jpg progressive.jpg grey.jpg turned.jpg lossy.webp cmyk.jpg";

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(super::data("images").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn read(name: &str) -> RgbImage {
    RgbImage::decode(&bytes(name), name).unwrap()
}

/// The largest difference of any sample.
fn apart(a: &RgbImage, b: &RgbImage) -> u8 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    a.rgb.iter().zip(&b.rgb).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

#[test]
fn lossless_images_are_read_bit_for_bit() {
    for name in LOSSLESS.split(' ') {
        assert_eq!(read(name), read(&format!("{name}.png")), "{name}");
    }
}

#[test]
fn lossy_images_are_read_to_the_rounding_of_their_transforms() {
    for name in LOSSY.split(' ') {
        let apart = apart(&read(name), &read(&format!("{name}.png")));
        println!("{name}: {apart}");
        assert!(apart <= 4, "{name}: {apart}");
    }
}

#[test]
fn resized_images_are_those_of_pillow_bit_for_bit() {
    let whole = read("whole.png");
    for (name, filter) in [("bilinear", Filter::Bilinear), ("bicubic", Filter::Bicubic)] {
        for (width, height) in [(84, 84), (32, 32), (7, 11), (23, 5), (40, 17), (1, 1)] {
            let golden = read(&format!("resized-{name}-{width}x{height}.png"));
            assert_eq!(resize(&whole, width, height, filter), golden, "{name} {width}x{height}");
        }
    }
}

#[test]
fn every_cut_of_an_image_is_refused() {
    let names = "whole.png plain.jpg progressive.jpg turned.jpg lossless.webp lossy.webp palette.gif whole.bmp whole.tiff whole.ppm";
    for name in names.split(' ') {
        let all = bytes(name);
        // Of some formats the last bytes are a trailer that no pixel needs; three quarters never suffice.
        for cut in [0, 1, 5, 20, all.len() / 4, all.len() / 2, 3 * all.len() / 4] {
            match RgbImage::decode(&all[..cut], name) {
                Err(error) => assert!(error.to_string().starts_with(name), "{error}"),
                // An animation is whole with its first frame.
                Ok(_) => assert!(name.ends_with("gif"), "{name} cut to {cut} bytes was read"),
            }
        }
    }
}

#[test]
fn bombs_and_other_files_are_refused_before_memory_is_taken() {
    let said = |bytes: &[u8]| RgbImage::decode(bytes, "it").unwrap_err().to_string();
    assert!(said(&bytes("bomb.png")).contains("100000 × 100000 pixels"));
    assert!(said(b"hello").contains("not those of a PNG, JPEG"));
    assert!(said(b"").contains("empty"));
}

#[test]
fn stored_pixels_are_not_turned() {
    let stored = RgbImage::decode_as_stored(&bytes("turned.jpg"), "turned.jpg").unwrap();
    assert_eq!((stored.width, stored.height), (23, 17));
    assert_eq!((read("turned.jpg").width, read("turned.jpg").height), (17, 23));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn changed_images_are_refused_or_read(
        name in proptest::sample::select(format!("{LOSSLESS} {LOSSY}").split(' ').map(String::from).collect::<Vec<_>>()),
        changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..8),
        head in any::<bool>(),
    ) {
        let mut changed = bytes(&name);
        for (at, byte) in changes {
            // Half of the time only the head, where sizes and tables are.
            let room = if head { changed.len().min(64) } else { changed.len() };
            changed[usize::from(at) % room] = byte;
        }
        match RgbImage::decode(&changed, "it") {
            Ok(image) => prop_assert_eq!(image.rgb.len(), 3 * image.width * image.height),
            Err(e) => prop_assert!(e.to_string().starts_with("it cannot be read as an image"), "{}", e),
        }
    }
}
