//! Trained models as files: safetensors with metadata, for `trustpath predict` and Python alike.

use std::collections::BTreeMap;
use std::path::Path;

use trustpath::Matrix;
use trustpath::classify::LogisticModel;
use trustpath::judge::FrozenPath;
use trustpath::label::{LabelModel, PredictionTrust};
use trustpath::represent::{Projection, Reference};
use trustpath::trust::{RankedBy, RightCurve};
use trustpath_table::{Tensor, TensorFile};

use crate::SavedPool;

/// Marks the file as one of these models.
const KIND: &str = "trustpath-label-3";

/// The result of reading or writing a model.
pub type Result<T> = std::result::Result<T, ModelError>;

/// Why a model cannot be read, written or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ModelError {
    /// The file itself.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
    /// The `file` holds something else than a usable model, for this `reason`.
    #[error("{file} is not a usable model: {reason}; write one with trustpath label --model")]
    Unusable { file: String, reason: String },
}

/// The network, or the representation of texts, that the features were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extractor {
    /// Its description for users.
    pub description: String,
    /// A number that identifies it.
    pub identity: u64,
}

/// A trained model, and what it was trained on.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedModel {
    /// The model.
    pub model: LabelModel,
    /// The names of its classes.
    pub class_names: Vec<String>,
    /// The numpy type of the labels, where Python saved the model.
    pub class_type: Option<String>,
    /// The names of the features, where they had any.
    pub columns: Option<Vec<String>>,
    /// What stands in for instances that are all zeros, where Python saved the model.
    pub centre: Option<Vec<f64>>,
    /// What the features were made with, if from images or texts.
    pub extractor: Option<Extractor>,
    /// What else that needs for new texts, by names that begin with `text.`; empty for networks, which have their weights.
    pub representation: BTreeMap<String, Tensor>,
    /// The pool that it was trained on, if it is kept, so that instances can be added to it.
    pub pool: Option<SavedPool>,
}

impl SavedModel {
    /// Refuses features that another network extracted.
    ///
    /// # Errors
    /// [`ModelError::Unusable`] if both networks are known and differ.
    pub fn check_extractor(&self, here: &Extractor, file: &Path) -> Result<()> {
        match &self.extractor {
            Some(extractor) if extractor.identity != here.identity => Err(ModelError::Unusable {
                file: file.display().to_string(),
                reason: format!(
                    "it was trained on features by {}, not by {}; give that --backbone and --weights",
                    extractor.description, here.description
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Writes the model to a file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        Ok(self.to_file().write(path)?)
    }

    /// The contents of the file.
    ///
    /// # Errors
    /// When the shape of a tensor is not that of its values.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.to_file().to_bytes()?)
    }

    fn to_file(&self) -> TensorFile {
        let LabelModel { projection, reference, classifier, path, trust, .. } = &self.model;
        let matrix = |m: &Matrix| (vec![m.rows(), m.cols()], m.as_slice().to_vec());
        let vector = |v: &[f64]| (vec![v.len()], v.to_vec());
        let beta: Vec<f64> = path.beta.iter().flat_map(|b| b.as_slice()).copied().collect();
        let classes = self.model.classes();
        let (intercept, slope, known) = trust.curve.parts();
        let known: Vec<f64> = known.iter().flat_map(|(end, share)| [*end, *share]).collect();
        let (kept, rows, once) = reference.parts();
        let mut tensors = vec![
            ("mean", vector(&projection.mean)),
            ("basis", matrix(&projection.basis)),
            ("weights", matrix(&classifier.weights)),
            ("intercept", vector(&classifier.intercept)),
            ("lambda", vector(&path.lambda)),
            ("beta", (vec![path.beta.len(), path.dims(), classes], beta)),
            ("kept", matrix(kept)),
            ("scores", vector(&trust.scores)),
            ("curve", vector(&[intercept, slope, trust.share, trust.cut])),
            ("known", (vec![known.len() / 2, 2], known)),
        ];
        tensors.extend(projection.origin.as_ref().map(|origin| ("origin", vector(origin))));
        tensors.extend(self.centre.as_ref().map(|centre| ("centre", vector(centre))));
        let tensor = |(name, (shape, values)): (&str, _)| (name.to_owned(), Tensor::F64 { shape, values });
        let mut tensors: BTreeMap<String, Tensor> = tensors.into_iter().map(tensor).collect();
        let count = reference.len();
        let LabelModel { graph, discount, .. } = &self.model;
        for (name, values) in [("rows", rows), ("once", once), ("graph", graph), ("discount", discount)] {
            let shape = vec![count, values.len() / count];
            tensors.insert(name.into(), Tensor::F32 { shape, values: values.to_vec() });
        }
        tensors.extend(self.representation.clone());
        tensors.extend(self.pool.iter().flat_map(|pool| pool.tensors(projection.mean.len())));
        let json = |names: &Vec<String>| serde_json::Value::from(&names[..]).to_string();
        let extractor = self.extractor.as_ref();
        let metadata = [
            ("kind", Some(KIND.to_owned())),
            ("signed", Some(projection.signed.to_string())),
            ("ranked_by", Some(trust.ranked_by.name().to_owned())),
            ("class_names", Some(json(&self.class_names))),
            ("class_type", self.class_type.clone()),
            ("columns", self.columns.as_ref().map(json)),
            ("pool_ids", self.pool.as_ref().map(|pool| json(&pool.ids))),
            ("backbone", extractor.map(|e| e.description.clone())),
            ("backbone_identity", extractor.map(|e| format!("{:016x}", e.identity))),
        ];
        let present = |(key, text): (&str, Option<String>)| text.map(|t| (key.to_owned(), t));
        TensorFile { metadata: metadata.into_iter().filter_map(present).collect(), tensors }
    }

    /// Reads a model from a file, and checks that its parts fit together.
    ///
    /// # Errors
    /// When the file cannot be read, or holds something else.
    pub fn read(path: &Path) -> Result<Self> {
        Self::from_file(TensorFile::read(path)?, &path.display().to_string())
    }

    /// The same from the contents of a file; errors call it `name`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self> {
        Self::from_file(TensorFile::from_bytes(bytes, name)?, name)
    }

    fn from_file(file: TensorFile, name: &str) -> Result<Self> {
        let wrong = |reason: &str| ModelError::Unusable { file: name.to_owned(), reason: reason.to_owned() };
        let text = |key: &str| file.metadata.get(key).cloned();
        if text("kind").as_deref() != Some(KIND) {
            return Err(wrong("it was not saved by trustpath label"));
        }
        let names = |key: &str| -> Result<Option<Vec<String>>> {
            let names = text(key).map(|text| serde_json::from_str(&text)).transpose();
            names.map_err(|_| wrong(&format!("its {key} is not a list of names")))
        };
        let pool_ids = names("pool_ids")?;
        let (class_names, columns) = (names("class_names")?.unwrap_or_default(), names("columns")?);
        let extractor = text("backbone").zip(text("backbone_identity"));
        let extractor = extractor.and_then(|(description, identity)| {
            let identity = u64::from_str_radix(&identity, 16).ok()?;
            Some(Extractor { description, identity })
        });
        let (class_type, signed) = (text("class_type"), text("signed").as_deref() == Some("true"));
        let (representation, tensors) = file.tensors.into_iter().partition(|(name, _)| name.starts_with("text."));
        let ranked_by = text("ranked_by").and_then(|name| name.parse().ok());
        let ranked_by = ranked_by.ok_or_else(|| wrong("it does not say what ranks its labels"))?;
        let mut parts = ModelParts { tensors, file: name };
        let centre = parts.take("centre", 1)?.map(|(_, values)| values);
        let model = parts.model(signed, ranked_by)?;
        if class_names.len() != model.classes() {
            return Err(wrong("the number of its class names is not that of its classes"));
        }
        let dims = model.projection.mean.len();
        for (name, vector) in [("centre", &centre), ("origin", &model.projection.origin)] {
            if vector.as_ref().is_some_and(|vector| vector.len() != dims) {
                return Err(wrong(&format!("its {name} has another number of features")));
            }
        }
        let pool = pool_ids.map(|ids| SavedPool::take(&mut parts.tensors, ids, class_names.len(), dims));
        if matches!(pool, Some(None)) {
            return Err(wrong("the pool that it keeps does not fit together"));
        }
        let pool = pool.flatten();
        Ok(Self { model, class_names, class_type, columns, centre, extractor, representation, pool })
    }
}

/// The tensors of a file, each of which becomes a part of the model.
struct ModelParts<'a> {
    tensors: BTreeMap<String, Tensor>,
    /// What errors call the file.
    file: &'a str,
}

impl ModelParts<'_> {
    fn wrong(&self, reason: String) -> ModelError {
        ModelError::Unusable { file: self.file.to_owned(), reason }
    }

    /// Shape and values of a tensor with this number of axes, if there is one of that name.
    fn take(&mut self, name: &str, axes: usize) -> Result<Option<(Vec<usize>, Vec<f64>)>> {
        match self.tensors.remove(name) {
            Some(Tensor::F64 { shape, values }) if shape.len() == axes && values.iter().all(|v| v.is_finite()) => {
                Ok(Some((shape, values)))
            }
            Some(_) => Err(self.wrong(format!("its tensor {name} has another shape or type"))),
            None => Ok(None),
        }
    }

    fn need(&mut self, name: &str, axes: usize) -> Result<(Vec<usize>, Vec<f64>)> {
        let tensor = self.take(name, axes)?;
        tensor.ok_or_else(|| self.wrong(format!("its tensor {name} is missing")))
    }

    fn matrix(&self, rows: usize, cols: usize, values: Vec<f64>) -> Result<Matrix> {
        Matrix::from_vec(rows, cols, values).map_err(|error| self.contradiction(&error))
    }

    fn needed_matrix(&mut self, name: &str) -> Result<Matrix> {
        let (axes, values) = self.need(name, 2)?;
        self.matrix(axes[0], axes[1], values)
    }

    fn contradiction(&self, error: &trustpath::Error) -> ModelError {
        self.wrong(format!("its parts do not fit together ({error})"))
    }

    /// The values of a tensor in single precision.
    fn single(&mut self, name: &str) -> Result<Vec<f32>> {
        match self.tensors.remove(name) {
            Some(Tensor::F32 { values, .. }) if values.iter().all(|v| v.is_finite()) => Ok(values),
            _ => Err(self.wrong(format!("its tensor {name} is missing or of another type"))),
        }
    }

    fn trust(&mut self, ranked_by: RankedBy) -> Result<PredictionTrust> {
        let scores = self.need("scores", 1)?.1;
        let [intercept, slope, share, cut] = self.need("curve", 1)?.1[..] else {
            return Err(self.wrong("its tensor curve has another shape".into()));
        };
        let known = self.need("known", 2)?.1;
        let known = known.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let curve = RightCurve::from_parts(intercept, slope, known);
        Ok(PredictionTrust { ranked_by, scores, share, curve, cut })
    }

    fn model(&mut self, signed: bool, ranked_by: RankedBy) -> Result<LabelModel> {
        let origin = self.take("origin", 1)?.map(|(_, values)| values);
        let mean = self.need("mean", 1)?.1;
        let (basis, weights) = (self.needed_matrix("basis")?, self.needed_matrix("weights")?);
        let intercept = self.need("intercept", 1)?.1;
        let lambda = self.need("lambda", 1)?.1;
        let (axes, values) = self.need("beta", 3)?;
        let steps = values.chunks((axes[1] * axes[2]).max(1));
        let beta = steps.map(|values| self.matrix(axes[1], axes[2], values.to_vec()));
        let beta = beta.collect::<Result<_>>()?;
        let (kept, rows, once) = (self.needed_matrix("kept")?, self.single("rows")?, self.single("once")?);
        let projection = Projection { signed, origin, mean, basis };
        let reference = Reference::new(&projection, kept, rows, once);
        let model = LabelModel {
            reference: reference.map_err(|error| self.contradiction(&error))?,
            projection,
            classifier: LogisticModel { weights, intercept },
            graph: self.single("graph")?,
            discount: self.single("discount")?,
            path: FrozenPath { lambda, beta },
            trust: self.trust(ranked_by)?,
        };
        model.check().map_err(|error| self.contradiction(&error))?;
        Ok(model)
    }
}
