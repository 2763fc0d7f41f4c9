//! Training, with its progress and log.

use trustpath_vision::dataset::{Dataset, DatasetSplit};
use trustpath_vision::network::Network;
use trustpath_vision::train::{Epoch, Recipe, TrainDevice, TrainObserver, Training, TrainingImages};

use super::{RecipeArgs, TrainArgs, log};
use crate::error::{Error, Result};
use crate::progress::{ProgressMode, Stage};
use crate::{interrupt, print};

pub fn run(args: &TrainArgs) -> Result<()> {
    let network = Network::by_name(&args.backbone)?;
    let device: TrainDevice = args.device.parse()?;
    device.check()?;
    let dataset = Dataset::open(&args.data, args.dataset)?;
    // Images of the size at which features are extracted later.
    let recipe = Recipe { size: network.input.size, ..Recipe::for_dataset(dataset.name()) };
    let recipe = args.recipe.over(recipe);
    recipe.check()?;
    let progress = args.work.progress.get();
    let (images, validation) = args.work.pool()?.install(|| -> Result<_> {
        let images = load(&training_part(&dataset)?, recipe.size, progress)?;
        let validation = if dataset.splits().contains(&DatasetSplit::Val) {
            Some(load(&dataset.split(DatasetSplit::Val)?, recipe.size, progress)?)
        } else {
            None
        };
        Ok((images, validation))
    })?;
    print::stdout(&opening(&network, &images, validation.as_ref(), &recipe))?;
    let training =
        Training { network: &network, recipe: &recipe, images: &images, validation: validation.as_ref(), device };
    let total = (recipe.epochs * recipe.steps()) as u64;
    let stage = progress.stage("training", total, "steps");
    let mut observer = TrainProgress { args, recipe: &recipe, stage, epochs: Vec::new(), broken: None };
    let outcome = training.run(&args.out, &mut observer)?;
    if let Some(error) = observer.broken {
        return Err(error);
    }
    drop(observer.stage);
    if !outcome.finished {
        let (done, asked) = (outcome.epochs.len(), recipe.epochs);
        return Err(Error::Stopped { done, asked });
    }
    let best = outcome.best().map(log::line).unwrap_or_default();
    let weights = args.out.join("weights.safetensors");
    print::stdout(&format!(
        "best  {best}\n\nWeights: {0}\nNext: trustpath extract --backbone {1} --weights {0} --images {2} --split test --out novel.npy\n",
        weights.display(),
        network.name,
        args.data.display(),
    ))
}

impl RecipeArgs {
    /// The recipe with the options that were given.
    fn over(&self, mut recipe: Recipe) -> Recipe {
        macro_rules! set {
            ($($field:ident)*) => { $(recipe.$field = self.$field.unwrap_or(recipe.$field);)* };
        }
        set!(epochs episodes batch ways shots queries momentum weight_decay nearest_weight);
        set!(size padding erase validation seed);
        if !self.rate.is_empty() {
            recipe.rates = self.rate.clone();
        }
        recipe
    }
}

/// The classes to train on: those of the training split, or all where there are no splits.
fn training_part(dataset: &Dataset) -> Result<Dataset> {
    if dataset.splits().is_empty() { Ok(dataset.clone()) } else { Ok(dataset.split(DatasetSplit::Train)?) }
}

fn load(dataset: &Dataset, size: usize, progress: ProgressMode) -> Result<TrainingImages> {
    let stage = progress.stage("reading images", dataset.len() as u64, "images");
    Ok(TrainingImages::load(dataset, size, &|| stage.step())?)
}

fn opening(network: &Network, images: &TrainingImages, validation: Option<&TrainingImages>, recipe: &Recipe) -> String {
    let of = |images: &TrainingImages| {
        let (count, classes) = (images.labels.len(), images.classes.len());
        format!("{count} images of {classes} classes")
    };
    let validation = validation.map_or("nothing".into(), of);
    format!(
        "{} on {}, validated on {validation}: {} epochs of {} steps, {} images each\n{}\n",
        network.name,
        of(images),
        recipe.epochs,
        recipe.steps(),
        recipe.images_per_step(),
        log::HEAD,
    )
}

/// Shows how far it is, and keeps the log and the plots of a run up to date.
struct TrainProgress<'a> {
    args: &'a TrainArgs,
    recipe: &'a Recipe,
    stage: Stage,
    epochs: Vec<Epoch>,
    /// What could not be written.
    broken: Option<Error>,
}

impl TrainObserver for TrainProgress<'_> {
    fn resumed(&mut self, epochs: &[Epoch]) {
        self.epochs = epochs.to_vec();
        self.stage.skip_to((epochs.len() * self.recipe.steps()) as u64);
        let lines: String = epochs.iter().map(|epoch| log::line(epoch) + "\n").collect();
        self.say(&format!("{lines}resumed after epoch {}\n", epochs.len()));
    }

    fn steps(&mut self, epoch: usize, done: usize, loss: f64) {
        self.stage.rename(&format!("epoch {}, loss {loss:.3}", epoch + 1));
        self.stage.advance_to((epoch * self.recipe.steps() + done) as u64);
    }

    fn epoch(&mut self, epoch: &Epoch) {
        self.epochs.push(epoch.clone());
        self.say(&(log::line(epoch) + "\n"));
        if let Err(error) = log::write(&self.args.out, &self.epochs) {
            self.broken = Some(error);
        }
    }

    fn stop(&self) -> bool {
        self.broken.is_some() || interrupt::requested()
    }
}

impl TrainProgress<'_> {
    fn say(&mut self, text: &str) {
        if let Err(error) = self.stage.beside(|| print::stdout(text)) {
            self.broken = Some(error);
        }
    }
}
