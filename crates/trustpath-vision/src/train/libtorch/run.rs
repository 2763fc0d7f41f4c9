//! A training from its start, or from where it was stopped, to its end.

use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;
use tch::{Device, Kind, Tensor};

use super::augment::{Augment, StepsOnDevice};
use super::checkpoint::{self, Progress};
use super::draw::{Drawer, DrawnStep};
use super::loss::losses;
use super::model::{Mode, TrainableNetwork};
use super::{Epoch, Recipe, Torch, TrainDevice, TrainObserver, TrainingImages, prototype_accuracy};
use crate::network::Network;
use crate::weights::{FloatPrecision, NetworkWeights, Parameter};
use crate::{Error, Result};

/// Steps between two reports of the loss, each of which waits for the device.
const REPORT: usize = 20;
/// Images whose features are computed at once.
const AT_ONCE: usize = 512;
/// The best network so far, in the folder of a run.
pub(super) const WEIGHTS: &str = "weights.safetensors";

/// A training that can be run.
#[derive(Debug)]
pub struct Training<'a> {
    /// The network to train.
    pub network: &'a Network,
    /// How to train it.
    pub recipe: &'a Recipe,
    /// The images to train on.
    pub images: &'a TrainingImages,
    /// Images by which the best epoch is chosen; without them it is the last.
    pub validation: Option<&'a TrainingImages>,
    /// Where to train.
    pub device: TrainDevice,
}

/// How a training ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TrainOutcome {
    /// All epochs that are done.
    pub epochs: Vec<Epoch>,
    /// Whether these are all the recipe asks for.
    pub finished: bool,
}

impl TrainOutcome {
    /// The epoch of the weights that were written.
    pub fn best(&self) -> Option<&Epoch> {
        best(&self.epochs).map(|i| &self.epochs[i])
    }
}

/// The first epoch with the highest one-shot accuracy, or the last where nothing was validated.
fn best(epochs: &[Epoch]) -> Option<usize> {
    let score = |i: usize| epochs[i].validation.map(|[one, _]| one);
    (0..epochs.len()).reduce(|best, i| match (score(best), score(i)) {
        (Some(a), Some(b)) if b <= a => best,
        (Some(_), None) => best,
        _ => i,
    })
}

impl Training<'_> {
    /// Trains, or resumes the training in the folder; `weights.safetensors` there is the best network
    /// so far.
    pub fn run(&self, folder: &Path, observer: &mut dyn TrainObserver) -> Result<TrainOutcome> {
        self.check()?;
        let device = self.device.device()?;
        std::fs::create_dir_all(folder).map_err(|e| Error::write(folder, &e))?;
        let classes = &self.images.classes;
        let mut model = TrainableNetwork::new(self.network, classes.len(), self.recipe.seed, device)?;
        let mut progress = Progress {
            network: self.network.name.into(),
            classes: classes.clone(),
            recipe: self.recipe.clone(),
            epochs: Vec::new(),
        };
        if let Some((before, state)) = checkpoint::read(folder)? {
            progress.epochs = epochs_to_resume(&progress, before)?;
            model.restore(&state)?;
            observer.resumed(&progress.epochs);
        }
        let drawer = Drawer::new(self.recipe, &self.images.labels, classes)?;
        let augment = Augment::new(self.network, self.recipe.padding, device)?;
        let bytes = self.images.tensor(device)?;
        let validation = self.validation.map(|v| Ok::<_, Error>((v, v.tensor(device)?))).transpose()?;
        while progress.epochs.len() < self.recipe.epochs {
            let number = progress.epochs.len();
            let Some(mut epoch) = self.epoch(&mut model, number, &drawer, &augment, &bytes, observer)? else {
                return Ok(TrainOutcome { epochs: progress.epochs, finished: false });
            };
            if let Some((images, bytes)) = &validation {
                epoch.validation = Some(self.validate(&model, images, bytes, &augment)?);
            }
            progress.epochs.push(epoch);
            let state = model.state()?;
            if best(&progress.epochs) == Some(number) {
                self.keep(&state, &folder.join(WEIGHTS))?;
            }
            checkpoint::write(folder, &progress, state)?;
            observer.epoch(&progress.epochs[number]);
        }
        Ok(TrainOutcome { epochs: progress.epochs, finished: true })
    }

    fn check(&self) -> Result<()> {
        self.recipe.check()?;
        for images in [Some(self.images), self.validation].into_iter().flatten() {
            if images.size != self.recipe.size {
                return Err(Error::Input("the images have another size than the recipe".into()));
            }
        }
        Ok(())
    }

    /// One epoch; none where the observer stops the training.
    fn epoch(
        &self,
        model: &mut TrainableNetwork,
        number: usize,
        drawer: &Drawer,
        augment: &Augment,
        bytes: &Tensor,
        observer: &mut dyn TrainObserver,
    ) -> Result<Option<Epoch>> {
        let (recipe, device) = (self.recipe, model.device);
        let (rate, steps) = (recipe.rate(number), recipe.steps());
        // Dropout draws from libtorch's own generator, which thus starts anew each epoch.
        tch::manual_seed(recipe.seed.wrapping_add(number as u64) as i64);
        let start = Instant::now();
        let drawn: Vec<DrawnStep> =
            (0..steps).into_par_iter().map(|i| drawer.step((number * steps + i) as u64)).collect();
        let sent = StepsOnDevice::send(&drawn, bytes.device(), device)?;
        let mut sums = Tensor::f_zeros([4], (Kind::Float, device))?;
        for i in 0..steps {
            let step = (number * steps + i) as u64;
            let sent = sent.get(i)?;
            let images = augment.changed(bytes, &sent)?;
            let maps = model.maps(&images, Mode::Learn { step })?;
            let step = losses(model, &maps, &sent.classes, recipe)?;
            model.step(&step.total, recipe, rate)?;
            let seen = [step.total.f_detach()?, step.global, step.nearest, step.right];
            let _ = sums.f_add_(&Tensor::f_stack(&seen, 0)?)?;
            if (i + 1) % REPORT == 0 || i + 1 == steps {
                let loss = sums.f_double_value(&[0])? / (i + 1) as f64;
                if !loss.is_finite() {
                    let epoch = number + 1;
                    return Err(Error::Training(format!(
                        "the loss of epoch {epoch} is not a finite number: training diverged at rate {rate}; give a lower --rate"
                    )));
                }
                observer.steps(number, i + 1, loss);
                if observer.stop() {
                    return Ok(None);
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let sums = Vec::<f32>::try_from(sums.f_to_device(Device::Cpu)?)?;
        let [loss, global, nearest, right] = [0, 1, 2, 3].map(|i| f64::from(sums[i]) / steps as f64);
        let images_per_second = (steps * recipe.images_per_step()) as f64 / seconds;
        let (number, validation) = (number + 1, None);
        Ok(Some(Epoch { number, rate, loss, global, nearest, right, validation, seconds, images_per_second }))
    }

    fn validate(
        &self,
        model: &TrainableNetwork,
        images: &TrainingImages,
        bytes: &Tensor,
        augment: &Augment,
    ) -> Result<[f64; 2]> {
        let features = features(model, bytes, augment)?;
        let accuracy = |shots| {
            let (dim, episodes, seed) = (self.network.dim, self.recipe.validation, self.recipe.seed);
            prototype_accuracy(&features, dim, &images.labels, shots, episodes, seed)
        };
        Ok([accuracy(1)?, accuracy(5)?])
    }

    /// Writes the network, without the classifier and what only the optimiser needs.
    fn keep(&self, state: &checkpoint::TrainingState, path: &Path) -> Result<()> {
        let of_network = |(key, _): (String, _)| {
            let (shape, values) = state.get(&key)?.clone();
            Some((key, Parameter { shape, values }))
        };
        let parameters = self.network.parameters().into_iter().filter_map(of_network).collect();
        NetworkWeights::new("training", parameters).write_safetensors(path, FloatPrecision::F16)
    }
}

/// The features of all images, row after row.
fn features(model: &TrainableNetwork, bytes: &Tensor, augment: &Augment) -> Torch<Vec<f32>> {
    let count = bytes.size()[0] as usize;
    let batches = (0..count).step_by(AT_ONCE).map(|start| {
        let images = augment.plain(bytes, start, AT_ONCE.min(count - start))?;
        model.features(&images)
    });
    let all = batches.collect::<Torch<Vec<Tensor>>>()?;
    Vec::<f32>::try_from(Tensor::f_cat(&all, 0)?.f_view([-1])?)
}

/// The epochs of an earlier run, if this one differs in nothing but its length.
fn epochs_to_resume(now: &Progress, before: Progress) -> Result<Vec<Epoch>> {
    let refuse = |what: &str| Err(checkpoint::refuse(format!("it was trained with {what}")));
    if before.network != now.network {
        return refuse("another network");
    }
    if before.classes != now.classes {
        return refuse("other classes");
    }
    if (Recipe { epochs: now.recipe.epochs, ..before.recipe }) != now.recipe {
        return refuse("another recipe");
    }
    Ok(before.epochs)
}
