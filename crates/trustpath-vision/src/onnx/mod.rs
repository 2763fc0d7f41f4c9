//! Any image model in ONNX as a backbone.
//!
//! A [`Model`] is the file and what it takes, which ONNX does not say: size, mean and spread of the
//! pictures. They come from the caller or from a small file beside the model, `NAME.toml`:
//!
//! ```text
//! input_size = 224
//! mean = [0.485, 0.456, 0.406]
//! std = [0.229, 0.224, 0.225]
//! output = "pooler_output"
//! ```
//!
//! Of an output with axes `n × d` the rows are the features; of maps `n × d × h × w` the mean over all
//! positions; of tokens `n × t × d` the first. Models run in onnxruntime, whose library is found when
//! it is needed (`library`); this takes the cargo feature `onnx`.

#[cfg(feature = "onnx")]
mod library;
#[cfg(feature = "onnx")]
mod session;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::backbone::{Backbone, Input};
use crate::{Error, Result};

/// A model and what it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The file.
    pub path: PathBuf,
    /// The pictures it takes.
    pub input: Input,
    /// The output that is the feature; the first that can be one if it is not named.
    pub output: Option<String>,
}

/// What a user says about a model; the rest is in the file beside it, or usual.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Edge of the pictures; 224 is usual.
    pub input_size: Option<usize>,
    /// Mean of each colour; ImageNet's is usual.
    pub mean: Option<[f32; 3]>,
    /// Spread of each colour; ImageNet's is usual.
    pub std: Option<[f32; 3]>,
    /// The output that is the feature.
    pub output: Option<String>,
}

impl Model {
    /// A model by what is said about it here, else in the file beside it.
    ///
    /// # Errors
    /// [`Error::Onnx`] if that file makes no sense, or a number is out of range.
    pub fn new(path: &Path, settings: Settings) -> Result<Self> {
        let beside = Settings::beside(path)?;
        let input = Input {
            size: settings.input_size.or(beside.input_size).unwrap_or(224),
            mean: settings.mean.or(beside.mean).unwrap_or([0.485, 0.456, 0.406]),
            std: settings.std.or(beside.std).unwrap_or([0.229, 0.224, 0.225]),
        };
        let reason = if !(1..=4096).contains(&input.size) {
            format!("its pictures cannot have an edge of {}", input.size)
        } else if !input.mean.iter().all(|x| x.is_finite()) {
            format!("its mean cannot be {:?}", input.mean)
        } else if !input.std.iter().all(|&x| x.is_finite() && x > 0.0) {
            format!("its std cannot be {:?}", input.std)
        } else {
            let output = settings.output.or(beside.output);
            return Ok(Self { path: path.to_owned(), input, output });
        };
        let remedy = "mend --input-size, --mean and --std, or the .toml beside it".into();
        Err(Error::Onnx { file: path.display().to_string(), reason, remedy })
    }

    /// Opens the model, to run on that many threads.
    ///
    /// # Errors
    /// If this build or machine cannot run it, or it is no image model.
    #[cfg(feature = "onnx")]
    pub fn open(&self, threads: usize) -> Result<Box<dyn Backbone>> {
        Ok(Box::new(session::Loaded::open(self, threads)?))
    }

    /// Opens the model, to run on that many threads.
    ///
    /// # Errors
    /// Always: this build has no cargo feature `onnx`.
    #[cfg(not(feature = "onnx"))]
    pub fn open(&self, _threads: usize) -> Result<Box<dyn Backbone>> {
        Err(Error::Onnx {
            file: self.path.display().to_string(),
            reason: "this build has no ONNX".into(),
            remedy: "build with --features onnx, or choose another backbone".into(),
        })
    }
}

impl Settings {
    /// What the file beside a model says, if there is one.
    fn beside(model: &Path) -> Result<Self> {
        let path = model.with_extension("toml");
        if !path.is_file() {
            return Ok(Self::default());
        }
        let refuse = |reason: String| {
            Error::Onnx {
            file: path.display().to_string(),
            reason,
            remedy: "write lines such as input_size = 224, mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225], output = \"name\"".into(),
        }
        };
        let text = std::fs::read_to_string(&path).map_err(|e| refuse(e.to_string()))?;
        Self::parse(&text).map_err(refuse)
    }

    /// The few lines of TOML that are needed: numbers, lists of numbers and strings are written there
    /// as in JSON.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut settings = Self::default();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || format!("\"{line}\" is not understood");
            let (key, value) = line.split_once('=').ok_or_else(wrong)?;
            // A comment begins behind the value; a # within a string is tried first.
            let whole = serde_json::from_str::<Value>(value.trim());
            let value = whole.or_else(|e| match value.rsplit_once('#') {
                Some((value, _)) => serde_json::from_str(value.trim()),
                None => Err(e),
            });
            let value = value.map_err(|_| wrong())?;
            match key.trim() {
                "input_size" => {
                    let size = value.as_u64().and_then(|n| usize::try_from(n).ok());
                    settings.input_size = Some(size.ok_or_else(wrong)?);
                }
                "mean" => settings.mean = Some(colours(&value).ok_or_else(wrong)?),
                "std" => settings.std = Some(colours(&value).ok_or_else(wrong)?),
                "output" => settings.output = Some(value.as_str().ok_or_else(wrong)?.into()),
                _ => return Err(wrong()),
            }
        }
        Ok(settings)
    }
}

fn colours(value: &Value) -> Option<[f32; 3]> {
    let values: Option<Vec<f32>> =
        value.as_array()?.iter().map(|x| Some(x.as_f64()? as f32)).collect();
    values?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_comes_before_what_lies_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dino.onnx");
        let plain = Model::new(&path, Settings::default()).unwrap();
        assert_eq!((plain.input.size, plain.output), (224, None));
        let text =
            "# a tower\ninput_size = 98 # small\nmean = [0.5, 0.5, 0.5]\n\noutput = \"a#b\"\n";
        std::fs::write(folder.path().join("dino.toml"), text).unwrap();
        let settings = Settings { mean: Some([0.1; 3]), ..Settings::default() };
        let model = Model::new(&path, settings).unwrap();
        assert_eq!((model.input.size, model.input.mean), (98, [0.1; 3]));
        assert_eq!(model.output.as_deref(), Some("a#b"));
    }

    #[test]
    fn settings_that_make_no_sense_are_told() {
        for text in ["size = 3", "input_size = -4", "mean = [1, 2]", "std", "output = 3", "[a]"] {
            assert!(Settings::parse(text).unwrap_err().contains("is not understood"), "{text}");
        }
        let with = |settings| Model::new(Path::new("m.onnx"), settings).unwrap_err().to_string();
        let error = with(Settings { std: Some([0.0; 3]), ..Settings::default() });
        assert!(error.contains("its std cannot be"), "{error}");
        let error = with(Settings { input_size: Some(0), ..Settings::default() });
        assert!(error.contains("edge of 0"), "{error}");
    }

    #[cfg(not(feature = "onnx"))]
    #[test]
    fn a_build_without_onnx_says_so() {
        let model = Model::new(Path::new("m.onnx"), Settings::default()).unwrap();
        let Err(error) = model.open(1) else { panic!() };
        assert!(error.to_string().contains("build with --features onnx"), "{error}");
    }
}
