//! Reading packs.

use rayon::prelude::*;

use super::index::{Index, Shard, crc};
use super::{INDEX_ENDING, SHARD_ENDING};
use crate::dataset::store::{ImageLocation, StoredImage};
use crate::dataset::{Class, DatasetKind, RawDataset};
use crate::source::{FileTree, Section, folder_prefix};
use crate::{Error, Result};

/// Opens every split that a folder or archive has, which have to be of the kind that is asked for. Shards are read once
/// and compared with their checksums.
pub(crate) fn open(source: FileTree, wanted: Option<DatasetKind>) -> Result<RawDataset> {
    let indices: Vec<&str> = source.names().filter(|name| name.ends_with(INDEX_ENDING)).collect();
    let refuse = |reason: String| Err(Error::read(source.name(), reason));
    let (mut name, mut kind): (Option<String>, DatasetKind) = (None, DatasetKind::Pack);
    let (mut classes, mut items, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    for file in indices {
        let index = Index::parse(&source.text(file)?).map_err(|reason| Error::read(file, reason))?;
        if let Some(name) = name.filter(|name| *name != index.name) {
            let both = format!("it has packs of {name} and of {}", index.name);
            return refuse(format!("{both}; keep each in a folder of its own"));
        }
        (name, kind) = (Some(index.name.clone()), index.kind);
        let (first_class, first_section) = (classes.len(), sections.len());
        let class = |name: String| Class { name, split: index.split };
        classes.extend(index.classes.into_iter().map(class));
        let check = |shard: &Shard| section(&source, file, shard);
        sections.extend(index.shards.par_iter().map(check).collect::<Result<Vec<_>>>()?);
        for (section, shard) in (first_section..).zip(index.shards) {
            let mut offset = 0;
            for image in shard.images {
                let location = ImageLocation::Encoded { section, offset, len: image.len };
                offset += image.len as u64;
                let class = image.class.map(|class| first_class + class);
                items.push(StoredImage { id: image.id, class, location });
            }
        }
    }
    let Some(name) = name else {
        return refuse(format!(
            "it has shards (*{SHARD_ENDING}) but no index (*{INDEX_ENDING}); pack the dataset again to the end, or copy the index too"
        ));
    };
    match wanted {
        Some(wanted) if wanted != DatasetKind::Pack && wanted != kind => {
            refuse(format!("it is a pack of {kind}, not of {wanted}; pack that first"))
        }
        _ => Ok(RawDataset { name, kind, classes, items, source, sections, tasks: None }),
    }
}

/// A shard that is what its index says.
fn section(source: &FileTree, index: &str, shard: &Shard) -> Result<Section> {
    let name = format!("{}{}", folder_prefix(index), shard.file);
    if !source.contains(&name) {
        let reason = format!("{index} lists it as a part of the pack, but it is not there; copy it too");
        return Err(Error::read(name, reason));
    }
    let section = source.section(&name)?;
    let images: u64 = shard.images.iter().map(|image| image.len as u64).sum();
    if section.len != shard.bytes || images != shard.bytes {
        let reason = format!(
            "it has {} bytes where {index} says {}; it is cut off or of another pack, copy it again",
            section.len, shard.bytes
        );
        return Err(Error::read(name, reason));
    }
    let bytes = section.read_at(0, section.len as usize)?;
    if crc(&bytes) == shard.crc {
        return Ok(section);
    }
    let reason = format!("its checksum is not what {index} says; it is damaged or of another pack, copy it again");
    Err(Error::read(name, reason))
}
