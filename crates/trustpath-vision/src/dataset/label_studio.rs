//! Tasks of Label Studio whose data are images: each task is an image, its label the choice of its annotations.
//!
//! Addresses of images are resolved below one folder or archive, that of the tasks unless another is given: as the address
//! says, in `images` there, and last anywhere by the name of the file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use trustpath_table::{ImageAddress, TaskContent, Tasks, task_content};

use super::classes::ClassNumbers;
use super::store::{ImageLocation, Item};
use super::table::FileFinder;
use super::{DatasetKind, RawDataset};
use crate::source::FileTree;
use crate::{Error, Result};

/// Whether a file holds tasks that show images.
pub(super) fn is_at(path: &Path) -> bool {
    matches!(task_content(path), Some(TaskContent::Images(_)))
}

/// Reads the tasks of a file; `control` names the control whose choices are the labels.
pub(super) fn open(path: &Path, folder: Option<&Path>, control: Option<&str>) -> Result<RawDataset> {
    let tasks = Tasks::read(path)?;
    let TaskContent::Images(key) = tasks.content() else {
        return Err(Error::read(tasks.file(), "its first task shows no image; check the path"));
    };
    let (labels, _) = tasks.labels(control)?;
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let source = FileTree::open(folder.or(beside).unwrap_or(Path::new(".")))?;
    let names = names(&tasks, &key, &source)?;
    let (mut numbers, mut items) = (ClassNumbers::default(), Vec::new());
    for (id, label) in names.iter().zip(labels) {
        let class = label.map(|label| numbers.number(&label, None));
        items.push(Item { id: id.clone(), class, location: ImageLocation::File(None) });
    }
    let tasks = Some(Arc::new(tasks.called(names)));
    Ok(RawDataset { tasks, ..RawDataset::unknown(DatasetKind::Csv, numbers.classes, items, source) })
}

/// The file of each task.
fn names(tasks: &Tasks, key: &str, source: &FileTree) -> Result<Vec<String>> {
    let refuse = |id: &str, reason: String| Error::read(tasks.file(), format!("task {id} {reason}"));
    let files = FileFinder::new(source);
    let mut seen: HashMap<String, &str> = HashMap::new();
    let mut names = Vec::with_capacity(tasks.ids().len());
    for (id, address) in tasks.ids().iter().zip(tasks.values(key)) {
        let Some(address) = address else {
            return Err(refuse(id, format!("has no {key:?}; remove it from the export")));
        };
        let candidates = match ImageAddress::of(&address) {
            Some(ImageAddress::Files(names)) => names,
            Some(ImageAddress::Elsewhere) => {
                let short: String = address.chars().take(80).collect();
                return Err(refuse(
                    id,
                    format!(
                        "shows {short:?}, which is not on this machine and is not downloaded; download the images, give their folder by --image-folder, and replace the addresses by file names"
                    ),
                ));
            }
            None => {
                let short: String = address.chars().take(80).collect();
                return Err(refuse(id, format!("shows {short:?}, which is not an image; remove it from the export")));
            }
        };
        let file = candidates.iter().find_map(|name| files.find("", name));
        let Some(file) = file else {
            let (name, folder) = (&candidates[0], source.name());
            return Err(refuse(
                id,
                format!(
                    "shows {name}, which is not below {folder}; give the folder of the images by --image-folder (the root of Label Studio's local storage, or its media folder)"
                ),
            ));
        };
        if let Some(first) = seen.insert(file.clone(), id) {
            return Err(refuse(id, format!("and task {first} show the same image, {file}; keep one of them")));
        }
        names.push(file);
    }
    Ok(names)
}
