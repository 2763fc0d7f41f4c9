//! Packs features into the assets that are compiled into the crate.
//!
//! ```text
//! cargo run --release -p trustpath-bench --example pack_assets -- DIR CRATES
//! ```
//!
//! `DIR` holds the output of `trustpath extract --dtype f16 --out NAME.npy` (`NAME.npy`, and `NAME-labels.csv` with the
//! class names) for the test and validation classes of both datasets. `CRATES` is the folder of the data crates
//! (`crates`); a file that is too large for one of them is cut. The same input gives the same bytes.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use trustpath_bench::{FeatureTable, TableFile, write_atomically};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Source {
    asset: &'static str,
    /// The data crates, each of which holds one part.
    crates: &'static [&'static str],
    features: &'static str,
    provenance: &'static str,
}

const CIFAR_FS: &str = "ResNet-12 features (512, averaged over space) of CIFAR-100 images (Krizhevsky 2009), classes by the CIFAR-FS lists of Bertinetto et al. 2019; network trained by trustpath on the base classes only; for research use, as the images are offered";
const CUB: &str = "ResNet-12 features (512, averaged over space) of CUB-200-2011 images (Wah et al. 2011) cropped to their bounding boxes at 84x84, classes by the split used in FEAT (Ye et al. 2020); network trained by trustpath on the base classes only; for research use, as the images are offered";

const SOURCES: [Source; 4] = [
    Source {
        asset: "cifar-fs-novel",
        crates: &["cifar-fs-1", "cifar-fs-2"],
        features: "cifar-fs-test",
        provenance: CIFAR_FS,
    },
    Source { asset: "cifar-fs-validation", crates: &["cifar-fs-2"], features: "cifar-fs-val", provenance: CIFAR_FS },
    Source { asset: "cub-novel", crates: &["cub"], features: "cub-test", provenance: CUB },
    Source { asset: "cub-validation", crates: &["cub"], features: "cub-val", provenance: CUB },
];

/// The size of a part, unless it is the last: a little less than the 10 MiB that a package may have.
const PART: usize = 9 << 20;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack_assets DIR CRATES".into());
    };
    for source in &SOURCES {
        let features = Path::new(&folder).join(format!("{}.npy", source.features));
        let table = TableFile::new(&features).read()?;
        let plain = safetensors(&table, &fs::read(&features)?, source)?;
        let packed = gzip(&split(&plain));
        let (last, mut start) = (source.crates.len() - 1, 0);
        for (place, name) in source.crates.iter().enumerate() {
            let end = if place == last { packed.len() } else { start + PART };
            let part = if last == 0 { String::new() } else { format!(".{}", place + 1) };
            let file = format!("{}.safetensors.split.gz{part}", source.asset);
            let path = Path::new(&out).join(format!("trustpath-data-{name}")).join(file);
            write_atomically(&path, |w| w.write_all(&packed[start..end]))?;
            start = end;
        }
        println!(
            "{}: {} rows, {} classes, {} bytes packed to {} ({:.1}%)",
            source.asset,
            table.rows(),
            table.class_names().len(),
            plain.len(),
            packed.len(),
            100.0 * packed.len() as f64 / plain.len() as f64,
        );
    }
    Ok(())
}

/// A safetensors file of the half-precision values, which are at the end of the array file.
fn safetensors(table: &FeatureTable, array: &[u8], source: &Source) -> Result<Vec<u8>> {
    let (rows, dims) = (table.rows(), table.dims());
    let (size, labels) = (2 * rows * dims, 4 * rows);
    if !array.windows(3).take(64).any(|w| w == b"<f2") {
        return Err(format!("{}: the array is not float16", source.features).into());
    }
    let header = serde_json::json!({
        "__metadata__": {
            "class_names": serde_json::to_string(table.class_names())?,
            "provenance": source.provenance,
        },
        "features": { "dtype": "F16", "shape": [rows, dims], "data_offsets": [0, size] },
        "labels": { "dtype": "I32", "shape": [rows], "data_offsets": [size, size + labels] },
    });
    let mut header = serde_json::to_string(&header)?;
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(&array[array.len() - size..]);
    bytes.extend(table.labels().iter().flat_map(|&label| (label as i32).to_le_bytes()));
    Ok(bytes)
}

/// The even bytes, then the odd ones.
fn split(bytes: &[u8]) -> Vec<u8> {
    let even = bytes.iter().step_by(2);
    even.chain(bytes.iter().skip(1).step_by(2)).copied().collect()
}

/// Gzip with Huffman codes only: there are no repetitions to find, and searching for them costs bytes.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    const HUFFMAN_ONLY: i32 = 2;
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let flags = create_comp_flags_from_zip_params(6, 0, HUFFMAN_ONLY);
    let mut compressor = CompressorOxide::new(flags);
    let (status, _) = compress_to_output(&mut compressor, bytes, TDEFLFlush::Finish, |chunk| {
        packed.extend_from_slice(chunk);
        true
    });
    assert_eq!(status, TDEFLStatus::Done);
    let mut checksum = flate2::Crc::new();
    checksum.update(bytes);
    packed.extend(checksum.sum().to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}
