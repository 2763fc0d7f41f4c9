//! TF-IDF and latent semantic analysis: features of texts from the texts alone.
//!
//! A term `t` that occurs `c` times in a text and in `d_t` of the `n` texts weighs
//!
//! ```text
//! (1 + ln c) (1 + ln((1 + n)/(1 + d_t)))
//! ```
//!
//! Words and pairs of words form one vector, letters another, each of unit length; together they are the row `x` of a text.
//! With `V` the leading right singular vectors of all rows, the feature is `Vᵀx`. A text without any known term gets the mean
//! feature, which has a direction and says nothing.

mod svd;
mod terms;

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use trustpath_path::linalg::sparse::Csr;
use trustpath_table::Tensor;

use crate::{Error, Result};
use svd::right_singular_vectors;
use terms::terms;

/// Features of a text.
const DIMS: usize = 256;
/// Texts that the terms and their weights are taken from, at most; of more texts, this many at equal distances.
const FITTED: usize = 20_000;
/// Terms, at most: those in the most texts.
const TERMS: usize = 40_000;

/// The weights of terms and the directions in which texts differ most.
#[derive(Debug, Clone, PartialEq)]
pub struct TfIdf {
    /// The place of each term.
    places: HashMap<u64, usize>,
    /// The weight of each term.
    idf: Vec<f32>,
    /// `dims` numbers per term.
    axes: Vec<f32>,
    /// The mean feature.
    mean: Vec<f32>,
}

impl TfIdf {
    /// Takes terms, weights and directions from texts.
    ///
    /// # Errors
    /// If no term is in two of the texts.
    pub fn fit<T: AsRef<str> + Sync>(texts: &[T]) -> Result<Self> {
        let part = texts.len().min(FITTED);
        let part: Vec<&T> = (0..part).map(|i| &texts[i * texts.len() / part]).collect();
        let terms: Vec<_> = part.par_iter().map(|text| terms(text.as_ref())).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for (term, _) in terms.iter().flatten().flatten() {
            *counts.entry(*term).or_default() += 1;
        }
        let mut known: Vec<(u64, usize)> = counts.into_iter().filter(|(_, n)| *n > 1).collect();
        known.sort_unstable_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
        known.truncate(TERMS);
        if known.is_empty() {
            return Err(Error::Input(
                "the texts have no word in common, so TF-IDF cannot compare them: check that --text names the right column".into(),
            ));
        }
        known.sort_unstable();
        let n = part.len() as f32;
        let idf = |&(_, count): &(u64, usize)| 1.0 + ((1.0 + n) / (1.0 + count as f32)).ln();
        let mut fitted = Self {
            idf: known.iter().map(idf).collect(),
            places: known.iter().enumerate().map(|(at, (term, _))| (*term, at)).collect(),
            axes: Vec::new(),
            mean: Vec::new(),
        };
        let mut rows = Csr::new(known.len());
        let weighed: Vec<Vec<(usize, f64)>> = terms.par_iter().map(|terms| fitted.weigh(terms)).collect();
        weighed.into_iter().for_each(|row| rows.push_row(row));
        let axes = right_singular_vectors(&rows, DIMS)?;
        let dims = axes.rows();
        fitted.axes = (0..known.len() * dims).map(|at| axes[(at % dims, at / dims)] as f32).collect();
        let mut mean = vec![0.0; dims];
        let features: Vec<Option<Vec<f32>>> = terms.par_iter().map(|terms| fitted.project(terms, dims)).collect();
        for feature in features.iter().flatten() {
            mean.iter_mut().zip(feature).for_each(|(mean, &x)| *mean += f64::from(x));
        }
        fitted.mean = mean.iter().map(|sum| (sum / part.len() as f64) as f32).collect();
        Ok(fitted)
    }

    /// Numbers per feature.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// Columns and values of the row of a text.
    fn weigh(&self, terms: &[Vec<(u64, u32)>; 2]) -> Vec<(usize, f64)> {
        let mut row = Vec::new();
        for part in terms {
            let known = part.iter().filter_map(|(term, count)| {
                let at = *self.places.get(term)?;
                Some((at, (1.0 + f64::from(*count).ln()) * f64::from(self.idf[at])))
            });
            let known: Vec<(usize, f64)> = known.collect();
            let norm = known.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
            row.extend(known.into_iter().map(|(at, w)| (at, w / norm)));
        }
        row
    }

    /// `Vᵀx`; none where no term is known.
    fn project(&self, terms: &[Vec<(u64, u32)>; 2], dims: usize) -> Option<Vec<f32>> {
        let row = self.weigh(terms);
        let mut sums = vec![0.0; dims];
        for &(at, weight) in &row {
            let axes = &self.axes[at * dims..][..dims];
            sums.iter_mut().zip(axes).for_each(|(sum, &axis)| *sum += weight * f64::from(axis));
        }
        let feature: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        feature.iter().any(|x| *x != 0.0).then_some(feature)
    }

    /// The features of texts, one after another.
    pub fn embed<T: AsRef<str> + Sync>(&self, texts: &[T]) -> Vec<f32> {
        let feature = |text: &T| {
            let feature = self.project(&terms(text.as_ref()), self.dim());
            feature.unwrap_or_else(|| self.mean.clone())
        };
        let features: Vec<Vec<f32>> = texts.par_iter().map(feature).collect();
        features.concat()
    }

    /// A number that changes with what it was fitted to.
    pub fn identity(&self) -> u64 {
        let add = |hash: u64, x: &f32| trustpath::random::mix(hash ^ u64::from(x.to_bits()));
        self.idf.iter().chain(&self.mean).chain(&self.axes).fold(self.places.len() as u64, add)
    }

    /// What a file needs to hold, by name.
    pub fn to_tensors(&self) -> BTreeMap<String, Tensor> {
        let mut terms: Vec<(u64, usize)> = self.places.iter().map(|(t, at)| (*t, *at)).collect();
        terms.sort_unstable_by_key(|&(_, at)| at);
        let values = terms.iter().map(|(term, _)| *term as f64).collect();
        let single = |shape, values: &[f32]| Tensor::F32 { shape, values: values.to_vec() };
        let (n, dims) = (terms.len(), self.dim());
        BTreeMap::from([
            ("text.terms".into(), Tensor::F64 { shape: vec![n], values }),
            ("text.idf".into(), single(vec![n], &self.idf)),
            ("text.axes".into(), single(vec![n, dims], &self.axes)),
            ("text.mean".into(), single(vec![dims], &self.mean)),
        ])
    }

    /// The same back; none if these are not the tensors of a TF-IDF.
    pub fn from_tensors(tensors: &BTreeMap<String, Tensor>) -> Option<Self> {
        let single = |name: &str| match tensors.get(name)? {
            Tensor::F32 { values, .. } if values.iter().all(|x| x.is_finite()) => Some(values.clone()),
            _ => None,
        };
        let Tensor::F64 { values: terms, .. } = tensors.get("text.terms")? else { return None };
        let places = terms.iter().enumerate().map(|(at, &term)| (term as u64, at)).collect();
        let (idf, axes) = (single("text.idf")?, single("text.axes")?);
        let model = Self { places, idf, axes, mean: single("text.mean")? };
        let fits = model.places.len() == terms.len()
            && model.idf.len() == terms.len()
            && !model.mean.is_empty()
            && model.axes.len() == terms.len() * model.dim();
        fits.then_some(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        "my card did not arrive",
        "when will the card arrive",
        "the card has still not arrived",
        "change my pin",
        "how do I change the pin",
        "forgot the pin, change it",
    ];

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn texts_with_common_words_are_near_each_other() {
        let tfidf = TfIdf::fit(&TEXTS).unwrap();
        let new = ["Has my CARD arrived?", "I want to change a pin", "zzz"];
        let embedded = tfidf.embed(&new);
        let old = tfidf.embed(&TEXTS);
        let (embedded, old): (Vec<&[f32]>, Vec<&[f32]>) =
            (embedded.chunks(tfidf.dim()).collect(), old.chunks(tfidf.dim()).collect());
        let nearest = |x: &[f32]| {
            let near = |&a: &usize, &b: &usize| cosine(x, old[a]).total_cmp(&cosine(x, old[b]));
            (0..old.len()).max_by(near).unwrap()
        };
        // The first three are about cards, the others about pins.
        assert!(nearest(embedded[0]) < 3 && nearest(embedded[1]) >= 3);
        assert_eq!(embedded[2], tfidf.mean, "no known term");
    }

    #[test]
    fn what_is_saved_embeds_alike_and_damage_is_noticed() {
        let tfidf = TfIdf::fit(&TEXTS).unwrap();
        let mut tensors = tfidf.to_tensors();
        let back = TfIdf::from_tensors(&tensors).unwrap();
        assert_eq!((back.identity(), back.embed(&TEXTS)), (tfidf.identity(), tfidf.embed(&TEXTS)));
        assert_ne!(TfIdf::fit(&TEXTS[1..]).unwrap().identity(), tfidf.identity());
        tensors.insert("text.idf".into(), Tensor::F32 { shape: vec![1], values: vec![1.0] });
        assert_eq!(TfIdf::from_tensors(&tensors), None);
        assert_eq!(TfIdf::from_tensors(&BTreeMap::new()), None);
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| TfIdf::fit(&TEXTS).unwrap())
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn texts_without_a_common_word_are_refused() {
        let error = TfIdf::fit(&["abc", "xyz"]).unwrap_err().to_string();
        assert!(error.contains("no word in common"), "{error}");
        assert!(TfIdf::fit(&["", ""]).is_err());
    }
}
