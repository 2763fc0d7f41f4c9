//! Trained models as files: safetensors with a few words about them.

use std::collections::BTreeMap;
use std::path::Path;

use trustpath::Matrix;
use trustpath::classify::LogisticModel;
use trustpath::judge::FrozenPath;
use trustpath::label::{LabelModel, Projection};
use trustpath_table::{Format, Output, Pool, Tensor, TensorFile};

use crate::error::{Error, Result};
use crate::pictures::Maker;

/// What the file says it is, so that no other file is taken for it.
const KIND: &str = "trustpath-label-1";

/// A model, and what it was trained on.
#[derive(Debug)]
pub struct Saved {
    /// The model.
    pub model: LabelModel,
    /// Names of its classes.
    pub class_names: Vec<String>,
    /// Names of the features, where they had any.
    pub columns: Option<Vec<String>>,
    /// By what its features were made, if from pictures.
    pub maker: Option<Maker>,
}

impl Saved {
    /// Refuses features that something else made.
    pub fn check_maker(&self, here: &Maker, file: &Path) -> Result<()> {
        match &self.maker {
            Some(maker) if maker.identity != here.identity => Err(Error::Model {
                file: file.display().to_string(),
                reason: format!(
                    "it was trained on features by {}, not by {}; give that --backbone and --weights",
                    maker.words, here.words
                ),
            }),
            _ => Ok(()),
        }
    }
}

/// Refuses at once what could not be written in the end.
pub fn check(path: &Path) -> Result<()> {
    if Format::of(path).ok() != Some(Format::Safetensors) {
        let name = path.display();
        return Err(Error::Usage(format!("--model {name} must end in .safetensors")));
    }
    Ok(Output::new(path).check()?)
}

/// Saves a model.
pub fn write(path: &Path, model: &LabelModel, pool: &Pool, maker: Option<&Maker>) -> Result<()> {
    let LabelModel { projection, classifier, path: frozen, cut } = model;
    let matrix = |m: &Matrix| (vec![m.rows(), m.cols()], m.as_slice().to_vec());
    let vector = |v: &[f64]| (vec![v.len()], v.to_vec());
    let beta: Vec<f64> = frozen.beta.iter().flat_map(|b| b.as_slice().to_vec()).collect();
    let classes = classifier.intercept.len();
    let tensors = [
        ("mean", vector(&projection.mean)),
        ("basis", matrix(&projection.basis)),
        ("weights", matrix(&classifier.weights)),
        ("intercept", vector(&classifier.intercept)),
        ("lambda", vector(&frozen.lambda)),
        ("beta", (vec![frozen.beta.len(), frozen.dims(), classes], beta)),
        ("cut", vector(&[*cut])),
    ];
    let mut metadata = BTreeMap::from([
        ("kind".to_owned(), KIND.to_owned()),
        ("signed".to_owned(), projection.signed.to_string()),
        ("class_names".to_owned(), json(pool.class_names())),
    ]);
    if let Some(columns) = pool.columns() {
        metadata.insert("columns".to_owned(), json(columns));
    }
    if let Some(Maker { words, identity }) = maker {
        metadata.insert("backbone".to_owned(), words.clone());
        metadata.insert("backbone_identity".to_owned(), format!("{identity:016x}"));
    }
    let tensors = tensors
        .into_iter()
        .map(|(name, (shape, values))| (name.to_owned(), Tensor::F64 { shape, values }))
        .collect();
    Ok(TensorFile { metadata, tensors }.write(path)?)
}

fn json(names: &[String]) -> String {
    serde_json::Value::from(names).to_string()
}

/// Reads a model, and checks that its parts fit together.
pub fn read(path: &Path) -> Result<Saved> {
    let wrong = |reason: String| Error::Model { file: path.display().to_string(), reason };
    let mut file = TensorFile::read(path)?;
    if file.metadata.get("kind").map(String::as_str) != Some(KIND) {
        return Err(wrong("it was not saved by trustpath label".into()));
    }
    let mut take = |name: &str, axes: usize| -> Result<(Vec<usize>, Vec<f64>)> {
        match file.tensors.remove(name) {
            Some(Tensor::F64 { shape, values })
                if shape.len() == axes && values.iter().all(|v| v.is_finite()) =>
            {
                Ok((shape, values))
            }
            Some(_) => Err(wrong(format!("its tensor {name} has another shape or type"))),
            None => Err(wrong(format!("its tensor {name} is missing"))),
        }
    };
    let matrix = |(shape, values): (Vec<usize>, Vec<f64>)| -> Result<Matrix> {
        Ok(Matrix::from_vec(shape[0], shape[1], values)?)
    };
    let mean = take("mean", 1)?.1;
    let basis = matrix(take("basis", 2)?)?;
    let weights = matrix(take("weights", 2)?)?;
    let intercept = take("intercept", 1)?.1;
    let lambda = take("lambda", 1)?.1;
    let (shape, beta) = take("beta", 3)?;
    let cut = take("cut", 1)?.1.first().copied().unwrap_or(1.0);
    let size = (shape[1] * shape[2]).max(1);
    let beta = beta
        .chunks(size)
        .map(|values| matrix((vec![shape[1], shape[2]], values.to_vec())))
        .collect::<Result<_>>()?;
    let names = |key: &str| -> Result<Option<Vec<String>>> {
        let Some(text) = file.metadata.get(key) else { return Ok(None) };
        let names = serde_json::from_str(text);
        names.map(Some).map_err(|_| wrong(format!("its {key} are no list of names")))
    };
    let class_names = names("class_names")?.unwrap_or_default();
    let columns = names("columns")?;
    let maker = file.metadata.get("backbone").zip(file.metadata.get("backbone_identity"));
    let maker = maker.and_then(|(words, identity)| {
        let identity = u64::from_str_radix(identity, 16).ok()?;
        Some(Maker { words: words.clone(), identity })
    });
    let signed = file.metadata.get("signed").is_some_and(|signed| signed == "true");
    let model = LabelModel {
        projection: Projection { signed, mean, basis },
        classifier: LogisticModel { weights, intercept },
        path: FrozenPath { lambda, beta },
        cut,
    };
    model.check().map_err(|e| wrong(format!("its parts do not fit together ({e})")))?;
    if class_names.len() != model.classifier.intercept.len() {
        return Err(wrong("it names another number of classes than it tells apart".into()));
    }
    Ok(Saved { model, class_names, columns, maker })
}
