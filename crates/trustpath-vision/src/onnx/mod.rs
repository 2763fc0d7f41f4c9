//! Any image model in ONNX as a backbone.
//!
//! A [`OnnxModel`] is the file and what it takes, which ONNX does not say: size, mean and spread of the
//! images. They come from the caller or from a small file beside the model, `NAME.toml`:
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

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::backbone::Backbone;
use crate::network::ImageInput;
use crate::{Error, Result};

/// A model and the images it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct OnnxModel {
    /// The file.
    pub path: PathBuf,
    /// The images it takes.
    pub input: ImageInput,
    /// The output that is the feature; the first that can be one if it is not named.
    pub output: Option<String>,
}

/// What the user specifies about a model; the rest is in the file beside it, or has its usual value.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnnxSettings {
    /// Width and height of the images in pixels; 224 is usual.
    pub input_size: Option<usize>,
    /// Mean of each colour; ImageNet's is usual.
    pub mean: Option<[f32; 3]>,
    /// Standard deviation of each colour; ImageNet's is usual.
    pub std: Option<[f32; 3]>,
    /// The output that is the feature.
    pub output: Option<String>,
}

impl OnnxModel {
    /// A model with the settings given here, else those in the file beside it.
    ///
    /// # Errors
    /// If that file cannot be understood, or a number is out of range.
    pub fn new(path: &Path, settings: OnnxSettings) -> Result<Self> {
        let (beside, usual) = (OnnxSettings::beside(path)?, ImageInput::default());
        let input = ImageInput {
            size: settings.input_size.or(beside.input_size).unwrap_or(usual.size),
            mean: settings.mean.or(beside.mean).unwrap_or(usual.mean),
            std: settings.std.or(beside.std).unwrap_or(usual.std),
            ..usual
        };
        let Some(reason) = input.fault() else {
            let output = settings.output.or(beside.output);
            return Ok(Self { path: path.to_owned(), input, output });
        };
        Err(refuse(path, reason, "correct --input-size, --mean and --std, or the .toml beside it"))
    }

    /// Opens the model, to run on that many threads.
    ///
    /// # Errors
    /// If this build or machine cannot run it, or it is no image model.
    #[cfg(feature = "onnx")]
    pub fn open(&self, threads: usize) -> Result<Box<dyn Backbone>> {
        Ok(Box::new(session::OnnxBackbone::open(self, threads)?))
    }

    /// Opens the model, to run on that many threads.
    ///
    /// # Errors
    /// Always: this build has no cargo feature `onnx`.
    #[cfg(not(feature = "onnx"))]
    pub fn open(&self, _threads: usize) -> Result<Box<dyn Backbone>> {
        let remedy = "build with --features onnx, or choose another backbone";
        Err(refuse(&self.path, "this build has no ONNX".into(), remedy))
    }
}

impl OnnxSettings {
    /// The settings in the file beside a model, if there is one.
    fn beside(model: &Path) -> Result<Self> {
        let path = model.with_extension("toml");
        if !path.is_file() {
            return Ok(Self::default());
        }
        let remedy = "write lines such as input_size = 224, mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225], output = \"name\"";
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        text.and_then(|text| Self::parse(&text)).map_err(|reason| refuse(&path, reason, remedy))
    }

    /// The few lines of TOML that are needed: numbers, lists of numbers and strings, which are written as in JSON.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut settings = Map::new();
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
            let one = Map::from_iter([(key.trim().to_string(), value)]);
            serde_json::from_value::<Self>(one.clone().into()).map_err(|_| wrong())?;
            settings.extend(one);
        }
        serde_json::from_value(settings.into()).map_err(|e| e.to_string())
    }
}

fn refuse(file: &Path, reason: String, remedy: &str) -> Error {
    Error::Input(format!("{} cannot be used: {reason}; {remedy}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_precedence_over_the_file_beside_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dino.onnx");
        let plain = OnnxModel::new(&path, OnnxSettings::default()).unwrap();
        assert_eq!((plain.input.size, plain.output), (224, None));
        let text = "# a tower\ninput_size = 98 # small\nmean = [0.5, 0.5, 0.5]\n\noutput = \"a#b\"\n";
        std::fs::write(folder.path().join("dino.toml"), text).unwrap();
        let settings = OnnxSettings { mean: Some([0.1; 3]), ..OnnxSettings::default() };
        let model = OnnxModel::new(&path, settings).unwrap();
        assert_eq!((model.input.size, model.input.mean), (98, [0.1; 3]));
        assert_eq!(model.output.as_deref(), Some("a#b"));
    }

    #[test]
    fn invalid_settings_are_refused() {
        for text in ["size = 3", "input_size = -4", "mean = [1, 2]", "std", "output = 3", "[a]"] {
            assert!(OnnxSettings::parse(text).unwrap_err().contains("is not understood"), "{text}");
        }
        for (settings, expected) in [
            (OnnxSettings { std: Some([0.0; 3]), ..OnnxSettings::default() }, "its std cannot be"),
            (OnnxSettings { input_size: Some(0), ..OnnxSettings::default() }, "0 pixels wide"),
        ] {
            let error = OnnxModel::new(Path::new("m.onnx"), settings).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[cfg(not(feature = "onnx"))]
    #[test]
    fn a_build_without_onnx_says_so() {
        let model = OnnxModel::new(Path::new("m.onnx"), OnnxSettings::default()).unwrap();
        let Err(error) = model.open(1) else { panic!() };
        assert!(error.to_string().contains("build with --features onnx"), "{error}");
    }
}
