//! Stand-in.
use super::{Logistic, LogisticModel, LogisticParams};
use crate::classify::{Classify, Model};
use crate::{Instances, Matrix, Result};
#[derive(Debug)]
pub(crate) struct Wide { c: f64, classes: usize, dims: usize, model: LogisticModel }
impl Wide {
    pub fn new(c: f64, classes: usize, dims: usize) -> Self {
        Self { c, classes, dims, model: LogisticModel { weights: Matrix::zeros(classes, dims), intercept: vec![0.0; classes] } }
    }
    pub fn train(&mut self, x: &[f32], labels: &[u32]) -> Result<()> {
        let x = Matrix::from_vec(labels.len(), self.dims, x.iter().map(|&v| f64::from(v)).collect())?;
        let i = Instances::from_unit(x);
        let l: Logistic = LogisticParams { c: self.c, tolerance: 1e-5, ..Default::default() }.check()?;
        let mut t = l.trainer(&i, self.classes);
        let rows: Vec<usize> = (0..labels.len()).collect();
        let labels: Vec<usize> = labels.iter().map(|&l| l as usize).collect();
        t.train(&rows, &labels)?;
        if let Model::Logistic(m) = t.model() { self.model = m; }
        Ok(())
    }
    pub fn model(&self) -> LogisticModel { self.model.clone() }
}
pub(crate) fn most_probable(model: &LogisticModel, x: &Matrix, rows: &[usize]) -> (Vec<usize>, Vec<f64>) {
    use rayon::prelude::*;
    rows.par_chunks(256).flat_map_iter(|rows| {
        let x = Matrix::from_fn(rows.len(), x.cols(), |i, j| x[(rows[i], j)]);
        let p = model.probabilities(&x);
        p.iter_rows().map(|p| { let k = crate::task::arg_max(p); (k, p[k]) }).collect::<Vec<_>>()
    }).collect::<Vec<_>>().into_iter().unzip()
}
