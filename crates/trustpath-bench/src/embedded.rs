//! Real features that come with the crate.
//!
//! ResNet-12 features of the novel and the validation classes of CIFAR-FS and CUB, 512 per image, in half precision.
//! `assets/README.md` says where they come from and how they are packed: gzip over a safetensors file whose even bytes are
//! stored before its odd ones, because the lower bytes of half-precision numbers are noise and the upper ones are not.

use std::io::{self, Read};
use std::sync::OnceLock;

use flate2::bufread::GzDecoder;

use crate::{Error, FeatureTable, Result};
use trustpath_data_cub as cub;
use {trustpath_data_cifar_fs_1 as cifar_fs_1, trustpath_data_cifar_fs_2 as cifar_fs_2};

/// Which classes of a dataset; never those the network was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Split {
    /// The classes results are reported on.
    Novel,
    /// The classes settings are chosen on.
    Validation,
}

/// The names of the datasets.
pub const DATASETS: [&str; 2] = ["cifar-fs", "cub"];

struct Asset {
    dataset: &'static str,
    split: Split,
    /// The file, in as many parts as it takes for packages to be small enough.
    packed: &'static [&'static [u8]],
    table: OnceLock<Result<FeatureTable>>,
}

impl Asset {
    const fn new(dataset: &'static str, split: Split, packed: &'static [&'static [u8]]) -> Self {
        Self { dataset, split, packed, table: OnceLock::new() }
    }
}

static ASSETS: [Asset; 4] = [
    Asset::new("cifar-fs", Split::Novel, &[cifar_fs_1::NOVEL, cifar_fs_2::NOVEL]),
    Asset::new("cifar-fs", Split::Validation, &[cifar_fs_2::VALIDATION]),
    Asset::new("cub", Split::Novel, &[cub::NOVEL]),
    Asset::new("cub", Split::Validation, &[cub::VALIDATION]),
];

/// The features of a dataset, one of [`DATASETS`]; unpacked on first use.
///
/// ```
/// use trustpath_bench::{Split, embedded};
/// let table = embedded::load("cub", Split::Validation)?;
/// assert_eq!((table.rows(), table.dims(), table.class_names().len()), (2932, 512, 50));
/// # Ok::<(), trustpath_bench::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnknownDataset`] if there is none of that name.
pub fn load(dataset: &str, split: Split) -> Result<&'static FeatureTable> {
    let unknown = || Error::UnknownDataset { name: dataset.to_owned(), available: DATASETS.join(", ") };
    let asset = ASSETS.iter().find(|asset| asset.dataset == dataset && asset.split == split).ok_or_else(unknown)?;
    let split = match split {
        Split::Novel => "novel",
        Split::Validation => "validation",
    };
    let unpack = || unpacked(&asset.packed.concat(), format!("{dataset} ({split} classes)"));
    let table = asset.table.get_or_init(unpack);
    table.as_ref().map_err(Clone::clone)
}

/// Unpacks features in the format of those that come with the crate; errors call them `source`.
///
/// # Errors
/// If the bytes are not in that format.
pub fn unpacked(packed: &[u8], source: String) -> Result<FeatureTable> {
    let bytes = join(&inflate(packed).map_err(|e| Error::damaged(&source, e))?);
    Ok(FeatureTable::from_safetensors(bytes, source)?)
}

fn inflate(packed: &[u8]) -> io::Result<Vec<u8>> {
    // The last four bytes of gzip are the unpacked size.
    let size = packed.last_chunk().map_or(0, |&size| u32::from_le_bytes(size));
    let mut bytes = Vec::with_capacity(size as usize);
    GzDecoder::new(packed).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Interleaves the even and the odd bytes again.
fn join(planes: &[u8]) -> Vec<u8> {
    let (even, odd) = planes.split_at(planes.len().div_ceil(2));
    let mut bytes = vec![0; planes.len()];
    let (pairs, last) = bytes.as_chunks_mut::<2>();
    for (pair, (&even, &odd)) in pairs.iter_mut().zip(even.iter().zip(odd)) {
        *pair = [even, odd];
    }
    last.copy_from_slice(&even[odd.len()..]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum that gzip uses, over the bytes of the values.
    fn crc<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> u32 {
        let mut crc = flate2::Crc::new();
        values.for_each(|bytes| crc.update(&bytes));
        crc.sum()
    }

    #[test]
    fn the_features_are_those_that_were_packed() {
        use Split::{Novel, Validation};
        // Rows, classes, smallest and largest class; checksums of features (as f32) and labels (as
        // i32), taken by NumPy and zlib from the original arrays.
        let expected = [
            ("cifar-fs", Novel, 12000, 20, (600, 600), 0xa6378a5e, 0x9d377b2a),
            ("cifar-fs", Validation, 9600, 16, (600, 600), 0x5f2fcdcc, 0x7f839836),
            ("cub", Novel, 2965, 50, (45, 60), 0xc55380c4, 0x5de97644),
            ("cub", Validation, 2932, 50, (49, 60), 0xa2251216, 0xa4015ab4),
        ];
        for (dataset, split, rows, classes, sizes, features, labels) in expected {
            let table = load(dataset, split).unwrap();
            assert_eq!((table.rows(), table.dims()), (rows, 512), "{dataset}");
            assert_eq!(table.class_names().len(), classes);
            let size = || table.members().iter().map(Vec::len);
            assert_eq!((size().min().unwrap(), size().max().unwrap()), sizes);
            assert_eq!(crc(table.features().iter().map(|x| x.to_le_bytes())), features);
            assert_eq!(crc(table.labels().iter().map(|&l| (l as i32).to_le_bytes())), labels);
            table.check_finite().unwrap();
        }
    }

    #[test]
    fn classes_have_their_names() {
        let names = |dataset, split| load(dataset, split).unwrap().class_names();
        assert_eq!(names("cifar-fs", Split::Novel)[..3], ["baby", "bed", "bicycle"]);
        assert_eq!(names("cifar-fs", Split::Validation)[15], "tractor");
        assert_eq!(names("cub", Split::Novel)[0], "010.Red_winged_Blackbird");
        assert_eq!(names("cub", Split::Validation)[0], "001.Black_footed_Albatross");
    }

    #[test]
    fn a_table_is_unpacked_once_and_unknown_names_are_refused_with_a_list_of_the_known() {
        let first = load("cub", Split::Novel).unwrap();
        assert!(std::ptr::eq(first, load("cub", Split::Novel).unwrap()));
        let error = load("miniImageNet", Split::Novel).unwrap_err().to_string();
        assert!(error.contains("miniImageNet") && error.contains("cifar-fs, cub"), "{error}");
    }

    #[test]
    fn bytes_are_interleaved_for_even_and_odd_lengths() {
        assert_eq!(join(&[0, 2, 4, 1, 3]), [0, 1, 2, 3, 4]);
        assert_eq!(join(&[0, 2, 1, 3]), [0, 1, 2, 3]);
        assert_eq!(join(&[]), [] as [u8; 0]);
    }
}
