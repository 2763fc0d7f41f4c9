//! Reading packs.

use rayon::prelude::*;

use super::index::{Index, Shard, crc};
use super::{INDEX_ENDING, SHARD_ENDING};
use crate::dataset::stored::{Item, Store, Stored};
use crate::dataset::{Class, Draft, Kind};
use crate::source::{Section, Source};
use crate::{Error, Result};

/// Opens every split that a folder or archive has. Shards are read once and compared with their checksums.
pub(crate) fn open(source: Source) -> Result<Draft> {
    let indices: Vec<&str> = source.names().filter(|name| name.ends_with(INDEX_ENDING)).collect();
    if indices.is_empty() {
        let reason = format!(
            "it has shards (*{SHARD_ENDING}) but no index (*{INDEX_ENDING}); pack the dataset again to the end, or copy the index too"
        );
        return Err(Error::Read { name: source.name().into(), reason });
    }
    let (mut name, mut kind): (Option<String>, Kind) = (None, Kind::Pack);
    let (mut classes, mut items, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    for file in indices {
        let refuse = |reason: String| Error::Read { name: file.into(), reason };
        let index = Index::parse(&source.text(file)?).map_err(refuse)?;
        match &name {
            Some(name) if *name != index.name => {
                let reason = format!(
                    "it has packs of {name} and of {}; keep each in a folder of its own",
                    index.name
                );
                return Err(Error::Read { name: source.name().into(), reason });
            }
            _ => (name, kind) = (Some(index.name.clone()), index.kind),
        }
        let folder =
            file.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        let before = (classes.len(), sections.len());
        classes.extend(
            index.classes.iter().map(|name| Class { name: name.clone(), split: index.split }),
        );
        let check = |shard: &Shard| section(&source, file, &folder, shard);
        sections.extend(index.shards.par_iter().map(check).collect::<Result<Vec<_>>>()?);
        for (at, shard) in index.shards.into_iter().enumerate() {
            let mut offset = 0;
            for picture in shard.pictures {
                let stored = Stored::Encoded { section: before.1 + at, offset, len: picture.len };
                offset += picture.len as u64;
                let class = picture.class.map(|class| before.0 + class);
                items.push(Item { id: picture.id, class, stored });
            }
        }
    }
    let store = Store { source, sections };
    let name = name.unwrap_or_default();
    Ok(Draft { name, kind, classes, items, store })
}

/// A shard that is what its index says.
fn section(source: &Source, index: &str, folder: &str, shard: &Shard) -> Result<Section> {
    let name = format!("{folder}{}", shard.file);
    let refuse = |reason: String| Error::Read { name: name.clone(), reason };
    if !source.contains(&name) {
        return Err(refuse(format!(
            "{index} says that it is a part of the pack, but it is not there; copy it too"
        )));
    }
    let section = source.section(&name)?;
    let pictures: u64 = shard.pictures.iter().map(|picture| picture.len as u64).sum();
    if section.len() != shard.bytes || pictures != shard.bytes {
        let reason = format!(
            "it has {} bytes where {index} says {}; it is cut off or of another pack, copy it again",
            section.len(),
            shard.bytes
        );
        return Err(refuse(reason));
    }
    let bytes = section.read_at(0, section.len() as usize)?;
    match crc(&bytes) == shard.crc {
        true => Ok(section),
        false => Err(refuse(format!(
            "its checksum is not what {index} says; it is damaged or of another pack, copy it again"
        ))),
    }
}
