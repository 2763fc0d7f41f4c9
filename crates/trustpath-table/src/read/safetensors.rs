//! Safetensors: features, labels and ids by the names of their tensors.
//!
//! Class names are a JSON array of strings under the metadata key `class_names`. Texts, which have no
//! tensor type, are two tensors: `NAME.bytes` with all of them one after another in UTF-8, and
//! `NAME.offsets` with where each begins and the last ends; or a JSON array under the metadata key
//! `NAME`.

use std::sync::Arc;

use super::labels::Labels;
use super::{FEATURE_NAMES, NAME_FEATURES, Raw, Wanted, matrix_shape, no_column};
use crate::input::Input;
use crate::scalar::Scalar;
use crate::stored::StoredArray;
use crate::tensors::Tensors;
use crate::{Error, Result};

/// Reads the tensors of features, labels and ids, and the class names.
pub(super) fn read(input: Input, wanted: Wanted) -> Result<Raw> {
    let mut file = Tensors::open(input)?;
    let mut raw = Raw::default();
    let mut layout = None;
    if !wanted.labels_only {
        let Some(name) = FEATURE_NAMES.into_iter().find(|name| file.has(name)) else {
            let names = file.names();
            let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
            let file = file.name().to_owned();
            return Err(Error::NoFeatures { file, found, remedy: NAME_FEATURES });
        };
        let (scalar, shape) =
            file.scalar(name, "features must be f16, bf16, f32, f64 or integers")?;
        (raw.rows, raw.dims) = matrix_shape(&format!("{} ({name})", file.name()), &shape)?;
        match wanted.stays(raw.rows, raw.dims) {
            true => layout = Some((scalar, file.place(name)?)),
            false => raw.features = file.f32s(name)?,
        }
    }
    for name in wanted.label_names() {
        raw.labels = match texts(&mut file, name)? {
            Some(names) => Some(Labels::from_names(names)),
            None if file.has(name) => Some(labels(&mut file, name)?),
            None => continue,
        };
        break;
    }
    for name in wanted.id_names() {
        raw.ids = match texts(&mut file, name)? {
            None if file.has(name) => Some(numbers(&mut file, name)?),
            found => found,
        };
        if raw.ids.is_some() {
            break;
        }
    }
    if let (Some(name), None, false) = (wanted.id, &raw.ids, wanted.labels_only) {
        return Err(no_column(file.name(), name, &file.names()));
    }
    if let Some(labels) = raw.labels.as_ref().filter(|_| wanted.labels_only) {
        raw.rows = labels.len();
    }
    raw.class_names = file
        .metadata_of("class_names")
        .map(|names| list(&file, "class_names", names))
        .transpose()?;
    if let Some((scalar, start)) = layout {
        let Raw { rows, dims, .. } = raw;
        let at = file.into_input().into();
        let stored = StoredArray { at, start, rows, dims, scalar, big_endian: false };
        raw.stored = Some(Arc::new(stored));
    }
    Ok(raw)
}

fn labels(file: &mut Tensors, name: &str) -> Result<Labels> {
    let (scalar, shape) = file.scalar(name, "labels must be integers")?;
    let called = format!("{} ({name})", file.name());
    if shape.iter().filter(|&&n| n != 1).count() > 1 {
        let expected = "labels must be one-dimensional, one for each row of the features";
        return Err(Error::Shape { file: called, found: shape, expected });
    }
    Labels::from_array(scalar, &file.bytes(name)?, &called)
}

fn numbers(file: &mut Tensors, name: &str) -> Result<Vec<String>> {
    let (scalar, _) = file.scalar(name, "ids must be integers or texts")?;
    let numbers = scalar.to_i64s(&file.bytes(name)?).map_err(|e| {
        let called = format!("{} ({name})", file.name());
        Error::damaged(called, format!("its element {} is {}, no whole number", e.index, e.value))
    })?;
    Ok(numbers.iter().map(i64::to_string).collect())
}

/// The texts of that name, if there are any.
fn texts(file: &mut Tensors, name: &str) -> Result<Option<Vec<String>>> {
    let (bytes, offsets) = (format!("{name}.bytes"), format!("{name}.offsets"));
    if !file.has(&bytes) || !file.has(&offsets) {
        let found = file.metadata_of(name).map(|names| list(file, name, names));
        return found.transpose();
    }
    let wrong = |file: &Tensors| {
        Error::damaged(format!("{} ({name})", file.name()), "its texts and offsets do not fit")
    };
    let (scalar, _) = file.scalar(&offsets, "offsets must be integers")?;
    let places = scalar.to_i64s(&file.bytes(&offsets)?).map_err(|_| wrong(file))?;
    let (Scalar::U8, _) = file.scalar(&bytes, "texts must be u8")? else {
        return Err(wrong(file));
    };
    let bytes = file.bytes(&bytes)?;
    let text = |ends: &[i64]| {
        let (begin, end) = (usize::try_from(ends[0]).ok()?, usize::try_from(ends[1]).ok()?);
        Some(std::str::from_utf8(bytes.get(begin..end)?).ok()?.to_owned())
    };
    let texts: Option<Vec<String>> = places.windows(2).map(text).collect();
    texts.map(Some).ok_or_else(|| wrong(file))
}

fn list(file: &Tensors, name: &str, text: &str) -> Result<Vec<String>> {
    serde_json::from_str(text).map_err(|_| {
        Error::damaged(file.name(), format!("its metadata {name} is no JSON array of strings"))
    })
}
