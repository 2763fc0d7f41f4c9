//! From encoded bytes to RGB and back.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits};

use super::RgbImage;
use crate::{Error, Result};

/// The most pixels an image may have: a third of a gigabyte as RGB.
const MOST_PIXELS: u64 = 100_000_000;
/// The most memory a decoder may take: 8 bytes a pixel is the widest format read here.
const MOST_BYTES: u64 = 10 * MOST_PIXELS;

/// A result, or why an image cannot be read.
type Decoded<T> = std::result::Result<T, String>;

/// The decoder for some bytes, once the size of the image is known to be bearable.
fn open(bytes: &[u8]) -> Decoded<(ImageFormat, impl ImageDecoder)> {
    if bytes.is_empty() {
        return Err("it is empty".into());
    }
    let format = image::guess_format(bytes)
        .map_err(|_| "its contents are not those of a PNG, JPEG, WebP, GIF, BMP, TIFF or PNM".to_string())?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|e| describe(format, &e))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(format!("it has {width} × {height} pixels, more than the {MOST_PIXELS} that are read"));
    }
    if width == 0 || height == 0 {
        return Err("it has no pixels".into());
    }
    Ok((format, decoder))
}

pub(super) fn decode(bytes: &[u8], upright: bool) -> Decoded<RgbImage> {
    let (format, mut decoder) = open(bytes)?;
    // The JPEG decoder silently fills what is missing with grey.
    if format == ImageFormat::Jpeg && !jpeg_ends(bytes) {
        return Err("the JPEG is cut off".into());
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|e| describe(format, &e))?;
    if upright {
        image.apply_orientation(orientation);
    }
    let (width, height) = (image.width() as usize, image.height() as usize);
    Ok(RgbImage { width, height, rgb: rgb(image) })
}

/// Of samples of 16 bits the high byte is taken; all else is what the conversion of the decoder does.
fn rgb(image: DynamicImage) -> Vec<u8> {
    let high = |x: u16| (x >> 8) as u8;
    match image {
        DynamicImage::ImageLuma16(grey) => grey.iter().flat_map(|&x| [high(x); 3]).collect(),
        DynamicImage::ImageLumaA16(grey) => grey.chunks_exact(2).flat_map(|x| [high(x[0]); 3]).collect(),
        DynamicImage::ImageRgb16(rgb) => rgb.iter().map(|&x| high(x)).collect(),
        DynamicImage::ImageRgba16(rgba) => {
            rgba.chunks_exact(4).flat_map(|x| [high(x[0]), high(x[1]), high(x[2])]).collect()
        }
        other => other.into_rgb8().into_raw(),
    }
}

/// Whether the end marker follows the first scan; thumbnails lie before it.
fn jpeg_ends(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(&[0xff, marker]) = bytes.get(at..at + 2) {
        match marker {
            // Fill bytes and markers without a length.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xd9 => return true,
            0xda => return bytes[at..].windows(2).any(|pair| pair == [0xff, 0xd9]),
            _ => {
                let Some(&[high, low]) = bytes.get(at + 2..at + 4) else { return false };
                at += 2 + usize::from(u16::from_be_bytes([high, low]));
            }
        }
    }
    false
}

fn describe(format: ImageFormat, error: &image::ImageError) -> String {
    let name = format!("{format:?}").to_uppercase();
    match error {
        image::ImageError::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            format!("the {name} is cut off")
        }
        image::ImageError::Limits(_) => {
            format!("the {name} needs more memory than an image may take")
        }
        other => {
            let text = other.to_string();
            format!("the {name} is damaged ({})", text.trim_end_matches('.').replace('\n', " "))
        }
    }
}

/// As PNG, or as JPEG of the given quality.
pub(super) fn encode(image: &RgbImage, quality: Option<u8>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (image.width as u32, image.height as u32);
    let (rgb, color) = (&image.rgb, ExtendedColorType::Rgb8);
    match quality {
        None => PngEncoder::new(&mut bytes).write_image(rgb, width, height, color),
        Some(quality) => JpegEncoder::new_with_quality(&mut bytes, quality).write_image(rgb, width, height, color),
    }
    .map_err(|e| Error::Input(format!("an image of {width} × {height} pixels cannot be encoded: {e}")))?;
    Ok(bytes)
}
