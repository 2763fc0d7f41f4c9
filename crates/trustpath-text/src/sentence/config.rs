//! What the files of a sentence transformer say about it.

use serde_json::Value;
use trustpath_vision::cpu::encoder::EncoderShape;
use trustpath_vision::weights::Package;

use crate::{Error, Result, Tokenizer};

/// How the rows of all tokens become the one of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenPooling {
    Mean,
    First,
}

/// The settings of a model.
#[derive(Debug)]
pub(super) struct Config {
    pub shape: EncoderShape,
    /// Tokens of a text, at most.
    pub most_tokens: usize,
    pub pooling: TokenPooling,
    pub tokenizer: Tokenizer,
}

const REMEDY: &str = "give a sentence transformer of the BERT family, such as all-MiniLM-L6-v2";

fn refuse(name: &str, reason: impl Into<String>) -> Error {
    Error::model(name, reason, REMEDY)
}

/// The JSON of a file, empty where there is no such file.
fn json(files: &Package, name: &str) -> Result<Value> {
    let Some(text) = files.text(name)? else { return Ok(Value::Null) };
    serde_json::from_str(&text).map_err(|e| refuse(files.name(), format!("its {name} is not JSON ({e})")))
}

impl Config {
    /// Reads `config.json`, `vocab.txt` or `tokenizer.json`, and what else there is.
    pub fn read(files: &Package) -> Result<Self> {
        let config = json(files, "config.json")?;
        let wrong = |reason: String| refuse(files.name(), reason);
        if config.is_null() {
            return Err(wrong("it has no config.json".into()));
        }
        for (key, wanted) in [("model_type", "bert"), ("hidden_act", "gelu")] {
            if config[key] != wanted {
                return Err(wrong(format!("its {key} is {}, not {wanted:?}", config[key])));
            }
        }
        let positions = config["position_embedding_type"].as_str().unwrap_or("absolute");
        if positions != "absolute" {
            return Err(wrong(format!("its position_embedding_type is {positions:?}")));
        }
        let number = |key: &str| {
            let number = config[key].as_u64().filter(|number| (1..1 << 20).contains(number));
            number.map(|n| n as usize).ok_or_else(|| wrong(format!("its config.json lacks {key}")))
        };
        let shape = EncoderShape {
            layers: number("num_hidden_layers")?,
            width: number("hidden_size")?,
            heads: number("num_attention_heads")?,
            inner: number("intermediate_size")?,
            epsilon: config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32,
        };
        let positions = number("max_position_embeddings")?;
        let settings = json(files, "sentence_bert_config.json")?;
        let most = settings["max_seq_length"].as_u64().map_or(positions, |most| most as usize);
        let pooling = json(files, "1_Pooling/config.json")?;
        let is = |mode: &str| pooling[format!("pooling_mode_{mode}")].as_bool() == Some(true);
        let pooling = match (is("mean_tokens"), is("cls_token")) {
            (true, false) => TokenPooling::Mean,
            (false, true) => TokenPooling::First,
            _ if pooling.is_null() => TokenPooling::Mean,
            _ => return Err(wrong("its pooling is neither mean_tokens nor cls_token".into())),
        };
        Ok(Self { shape, most_tokens: most.clamp(2, positions.max(2)), pooling, tokenizer: tokenizer(files)? })
    }
}

fn tokenizer(files: &Package) -> Result<Tokenizer> {
    if let Some(lines) = files.text("vocab.txt")? {
        let settings = json(files, "tokenizer_config.json")?;
        let lowercase = settings["do_lower_case"].as_bool().unwrap_or(true);
        return Tokenizer::from_vocabulary(&lines, lowercase, files.name());
    }
    match files.text("tokenizer.json")? {
        Some(text) => Tokenizer::from_json(&text, files.name()),
        None => Err(refuse(files.name(), "it has neither vocab.txt nor tokenizer.json")),
    }
}
