//! A model that is loaded into onnxruntime.

use std::sync::{Mutex, PoisonError};

use ort::session::Session;
use ort::value::{Tensor, ValueType};

use super::{OnnxModel, library};
use crate::Result;
use crate::backbone::{Backbone, BackboneInfo};
use crate::fingerprint::Fingerprint;
use crate::network::ImageInput;

/// A model that is loaded.
pub(super) struct OnnxBackbone {
    info: BackboneInfo,
    /// Images that must be given together, if their number is fixed.
    batch: Option<usize>,
    inlet: String,
    outlet: String,
    session: Mutex<Session>,
}

impl OnnxBackbone {
    pub fn open(model: &OnnxModel, threads: usize) -> Result<Self> {
        let refuse = |reason: String, remedy: &str| super::refuse(&model.path, reason, remedy);
        library::load().map_err(|reason| {
            let remedy = "install it (pip install onnxruntime) or set ORT_DYLIB_PATH to its library";
            refuse(format!("onnxruntime cannot be loaded, {reason}"), remedy)
        })?;
        let check = "check that the path is right and the file an ONNX model";
        let bytes = std::fs::read(&model.path).map_err(|e| refuse(e.to_string(), check))?;
        let fingerprint = Fingerprint::new().add(bytes).get();
        // From the file, since weights may lie in others beside it.
        let built = Session::builder()
            .and_then(|builder| Ok(builder.with_intra_threads(threads)?))
            .and_then(|mut builder| builder.commit_from_file(&model.path));
        let session = built.map_err(|e| refuse(e.to_string(), check))?;

        let image = "give a model that takes one batch of images, n × 3 × height × width, in f32";
        let [inlet] = session.inputs() else {
            let reason = format!("it has {} inputs", session.inputs().len());
            return Err(refuse(reason, image));
        };
        let axes = match inlet.dtype() {
            ValueType::Tensor { shape, .. } => shape.to_vec(),
            other => return Err(refuse(format!("its input is {other}"), image)),
        };
        let size = model.input.size as i64;
        let fits = |axis: usize, wanted: i64| axes[axis] < 0 || axes[axis] == wanted;
        if axes.len() != 4 || !fits(1, 3) || !fits(2, size) || !fits(3, size) {
            let reason = format!("its input has the axes {axes:?}, not n × 3 × {size} × {size}");
            return Err(refuse(reason, "give its --input-size, or another model"));
        }
        let batch = usize::try_from(axes[0]).ok().filter(|&n| n > 0);
        let inlet = inlet.name().to_owned();
        let outlet = outlet(&session, model.output.as_deref())
            .map_err(|names| refuse(names, "name one of n × d, n × t × d or n × d × h × w"))?;
        let mut loaded = Self {
            info: BackboneInfo { name: model.path.display().to_string(), dim: 0, input: model.input, fingerprint },
            batch,
            inlet,
            outlet,
            session: Mutex::new(session),
        };
        // The length of a feature need not be written in the model: one grey image tells.
        let one = vec![0.0; batch.unwrap_or(1) * model.input.values()];
        loaded.info.dim = loaded.run(one)?.len() / batch.unwrap_or(1);
        if loaded.info.dim == 0 {
            return Err(refuse("its features are empty".into(), "name another output"));
        }
        Ok(loaded)
    }

    /// Whole batches only.
    fn run(&self, images: Vec<f32>) -> Result<Vec<f32>> {
        let wrong = |reason: String| {
            let remedy = "check --input-size and --output against the model";
            super::refuse(self.info.name.as_ref(), reason, remedy)
        };
        let failed = |e: ort::Error| wrong(e.to_string());
        let ImageInput { size, .. } = self.info.input;
        let count = images.len() / self.info.input.values();
        let shape = [count, 3, size, size];
        let tensor = Tensor::from_array((shape, images)).map_err(failed)?;
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let outputs = session.run(ort::inputs![self.inlet.as_str() => tensor]).map_err(failed)?;
        let (shape, values) = outputs[self.outlet.as_str()].try_extract_tensor::<f32>().map_err(failed)?;
        let axes: Vec<usize> = shape.iter().map(|&n| n.max(0) as usize).collect();
        if axes.first() != Some(&count) {
            return Err(wrong(format!("{count} images gave an output with the axes {axes:?}")));
        }
        Ok(match axes[..] {
            [_, _] => values.to_vec(),
            // The feature is the first token.
            [_, t, d] => values.chunks_exact((t * d).max(1)).flat_map(|x| &x[..d]).copied().collect(),
            [_, _, h, w] => {
                let mean = |map: &[f32]| map.iter().sum::<f32>() / map.len() as f32;
                values.chunks_exact((h * w).max(1)).map(mean).collect()
            }
            _ => return Err(wrong(format!("its output has the axes {axes:?}"))),
        })
    }
}

/// The output of that name, or the first that can be features: rows before maps before tokens.
fn outlet(session: &Session, wanted: Option<&str>) -> std::result::Result<String, String> {
    let axes = |dtype: &ValueType| match dtype {
        ValueType::Tensor { shape, .. } => shape.len(),
        _ => 0,
    };
    let outputs = session.outputs();
    let output = match wanted {
        Some(name) => outputs.iter().find(|output| output.name() == name),
        None => [2, 4, 3].iter().find_map(|&rank| outputs.iter().find(|output| axes(output.dtype()) == rank)),
    };
    output.map(|output| output.name().to_owned()).ok_or_else(|| {
        let names: Vec<&str> = outputs.iter().map(|output| output.name()).collect();
        let wanted = wanted.map_or("for features".into(), |name| format!("named {name}"));
        format!("it has no output {wanted} among {}", names.join(", "))
    })
}

impl Backbone for OnnxBackbone {
    fn info(&self) -> &BackboneInfo {
        &self.info
    }

    fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        let each = self.info.input.values();
        let Some(batch) = self.batch else { return self.run(images.to_vec()) };
        let mut features = Vec::new();
        for some in images.chunks(batch * each) {
            let mut whole = some.to_vec();
            whole.resize(batch * each, 0.0);
            let rows = self.run(whole)?;
            features.extend(&rows[..some.len() / each * self.info.dim]);
        }
        Ok(features)
    }
}
