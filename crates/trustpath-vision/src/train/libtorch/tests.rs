//! Complete trainings on the processor, of networks small enough for it.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tch::{Device, Kind, Tensor};
use trustpath::random::Random;

use super::augment::{Augment, StepsOnDevice};
use super::draw::{Drawer, DrawnStep, ImageDraw};
use super::loss::losses;
use super::model::{Mode, TrainableNetwork};
use super::run::WEIGHTS;
use super::{Epoch, LibtorchBackbone, Recipe, TrainDevice, TrainObserver, TrainOutcome, Training, TrainingImages};
use crate::cpu::Engine;
use crate::network::{Builder, ImageInput, Network, Op};
use crate::weights::{NetworkWeights, Parameter};

/// libtorch has one generator of random numbers for all threads, so tests that use it run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static GENERATOR: Mutex<()> = Mutex::new(());
    GENERATOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Two small blocks with everything a larger network has.
fn tiny() -> Network {
    let mut b = Builder::default();
    let mut x = Builder::IMAGE;
    for (name, inputs, outputs) in [("a", 3, 8), ("b", 8, 16)] {
        let shortcut = b.conv(&format!("{name}.shortcut"), x, (inputs, outputs), 1, 1);
        x = b.conv(&format!("{name}.conv"), x, (inputs, outputs), 3, 1);
        x = b.batch_norm(&format!("{name}.bn"), x, outputs);
        x = b.push(Op::Add, &[x, shortcut]);
        x = b.leaky_relu(x, 0.1);
        x = b.push(Op::MaxPool { kernel: 2, stride: 2, padding: 0, ceil: true }, &[x]);
    }
    let input = ImageInput { size: 16, mean: [0.5; 3], std: [0.25; 3], ..ImageInput::default() };
    Network { name: "tiny", nodes: b.nodes(), dim: 16, input }
}

fn with_drop(mut network: Network) -> Network {
    let last = network.nodes.len();
    let mut push = |op, input| network.nodes.push(crate::network::Node { op, inputs: vec![input] });
    push(Op::Dropout { rate: 0.1 }, last);
    push(Op::DropBlock { rate: 0.1, size: 2 }, last + 1);
    network
}

/// Noise in the colour of its class.
fn images(classes: usize, each: usize, size: usize) -> TrainingImages {
    let mut random = Random::stream(11, 0);
    let labels: Vec<usize> = (0..classes * each).map(|row| row / each).collect();
    let shade = |class: usize, colour: usize| (60 * (class * (colour + 3) % 5)) as f64;
    let mut bytes = Vec::new();
    for &class in &labels {
        for i in 0..size * size * 3 {
            bytes.push((shade(class, i % 3) * 0.6 + 100.0 * random.uniform()) as u8);
        }
    }
    let classes = (0..classes).map(|class| format!("class {class}")).collect();
    TrainingImages { bytes, size, labels, classes }
}

fn sent(step: &DrawnStep) -> StepsOnDevice {
    let steps = std::slice::from_ref(step);
    StepsOnDevice::send(steps, Device::Cpu, Device::Cpu).unwrap().get(0).unwrap()
}

/// The images of a step as the network gets them.
fn batch(network: &Network, recipe: &Recipe, images: &TrainingImages, step: u64) -> (StepsOnDevice, Tensor) {
    let drawer = Drawer::new(recipe, &images.labels, &images.classes).unwrap();
    let augment = Augment::new(network, recipe.padding, Device::Cpu).unwrap();
    let drawn = sent(&drawer.step(step));
    let changed = augment.changed(&images.tensor(Device::Cpu).unwrap(), &drawn).unwrap();
    (drawn, changed)
}

fn recipe() -> Recipe {
    Recipe {
        epochs: 3,
        episodes: 8,
        batch: 2,
        ways: 3,
        shots: 1,
        queries: 2,
        size: 16,
        padding: 2,
        rates: vec![(2, 0.05), (3, 0.01)],
        validation: 20,
        ..Recipe::default()
    }
}

/// Stops after some reports of steps.
struct StopAfter(usize);

impl TrainObserver for StopAfter {
    fn resumed(&mut self, _: &[Epoch]) {}
    fn steps(&mut self, _: usize, _: usize, _: f64) {
        self.0 -= 1;
    }
    fn epoch(&mut self, _: &Epoch) {}
    fn stop(&self) -> bool {
        self.0 == 0
    }
}

fn train(network: &Network, recipe: &Recipe, reports: usize, folder: &Path) -> TrainOutcome {
    let (images, validation) = (images(6, 12, 16), images(5, 20, 16));
    let validation = Some(&validation);
    let training = Training { network, recipe, images: &images, validation, device: TrainDevice::Cpu };
    training.run(folder, &mut StopAfter(reports)).unwrap()
}

#[test]
fn a_tiny_network_fits_twenty_images() {
    let network = tiny();
    let recipe = Recipe {
        epochs: 1,
        episodes: 400,
        batch: 2,
        ways: 4,
        queries: 4,
        rates: vec![(1, 0.02)],
        padding: 0,
        erase: 0.0,
        ..recipe()
    };
    let images = images(4, 5, 16);
    let mut model = TrainableNetwork::new(&network, 4, 1, Device::Cpu).unwrap();
    let mut seen = Vec::new();
    for step in 0..200 {
        let (drawn, batch) = batch(&network, &recipe, &images, step);
        let maps = model.maps(&batch, Mode::Learn { step }).unwrap();
        let losses_of_step = losses(&model, &maps, &drawn.classes, &recipe).unwrap();
        seen.push(losses_of_step.global.double_value(&[]));
        model.step(&losses_of_step.total, &recipe, 0.02).unwrap();
    }
    assert!(seen[0] > 0.8, "{}", seen[0]);
    assert!(seen[199] < 0.05, "{}", seen[199]);
}

#[test]
fn a_resumed_run_gives_the_same_numbers() {
    let _alone = alone();
    let (network, recipe) = (with_drop(tiny()), recipe());
    let (straight, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = train(&network, &recipe, 1000, straight.path());
    assert!(whole.finished && whole.epochs.len() == 3);
    // The second report of a run is in the middle of its second epoch.
    let part = train(&network, &recipe, 2, stopped.path());
    assert!(!part.finished && part.epochs.len() == 1);
    let rest = train(&network, &recipe, 1000, stopped.path());
    assert!(rest.finished);
    for (a, b) in whole.epochs.iter().zip(&rest.epochs) {
        assert_eq!((a.loss, a.nearest, a.validation), (b.loss, b.nearest, b.validation));
    }
    let state = |folder: &Path| super::checkpoint::read(folder).unwrap().unwrap().1;
    assert_eq!(state(straight.path()), state(stopped.path()));
    let weights = |folder: &Path| std::fs::read(folder.join(WEIGHTS)).unwrap();
    assert_eq!(weights(straight.path()), weights(stopped.path()));
    let best = NetworkWeights::read(straight.path().join(WEIGHTS)).unwrap();
    assert!(best.for_network(&network).is_ok());
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (network, before) = (tiny(), recipe());
    train(&network, &before, 2, folder.path());
    let again = |network: &Network, recipe: &Recipe| {
        let images = images(6, 12, 16);
        let (validation, device) = (None, TrainDevice::Cpu);
        let training = Training { network, recipe, images: &images, validation, device };
        let error = training.run(folder.path(), &mut StopAfter(9)).unwrap_err();
        error.to_string()
    };
    assert!(again(&network, &Recipe { momentum: 0.5, ..before.clone() }).contains("another recipe"));
    let other = Network { name: "other", ..network.clone() };
    assert!(again(&other, &before).contains("another network"));
    std::fs::write(folder.path().join("checkpoint.safetensors"), [1, 2, 3]).unwrap();
    assert!(again(&network, &before).contains("checkpoint.safetensors"));
}

/// The gradient of the loss is what differences of the loss say it is, parameter by parameter.
#[test]
fn a_step_follows_the_slope_of_the_loss() {
    let (network, recipe) = (tiny(), Recipe { weight_decay: 0.0, momentum: 0.0, ..recipe() });
    let images = images(6, 12, 16);
    let (drawn, batch) = batch(&network, &recipe, &images, 0);
    let loss = |model: &TrainableNetwork| {
        let maps = model.maps(&batch, Mode::Learn { step: 0 }).unwrap();
        losses(model, &maps, &drawn.classes, &recipe).unwrap().total
    };
    let mut model = TrainableNetwork::new(&network, 6, 1, Device::Cpu).unwrap();
    let before = model.state().unwrap();
    let rate = 1e-3;
    let first = loss(&model);
    model.step(&first, &recipe, rate).unwrap();
    let after = model.state().unwrap();
    let mut checked = 0;
    for (key, (_, old)) in before.iter().filter(|(key, _)| after.contains_key(&format!("momentum.{key}"))) {
        let gradient: Vec<f64> = old.iter().zip(&after[key].1).map(|(a, b)| f64::from(a - b) / rate).collect();
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        // Along its own direction the loss changes by the norm of the gradient.
        let mut along = |distance: f64| {
            let mut state = before.clone();
            let moved = &mut state.get_mut(key).unwrap().1;
            for (x, g) in moved.iter_mut().zip(&gradient) {
                *x += (distance * g / norm) as f32;
            }
            model.restore(&state).unwrap();
            loss(&model).double_value(&[])
        };
        let reach = 4e-3;
        let slope = (along(reach) - along(-reach)) / (2.0 * reach);
        assert!((slope - norm).abs() < 0.02 * norm + 1e-3, "{key}: {slope} but {norm}");
        checked += 1;
    }
    assert_eq!(checked, 10);
}

/// Two steps of momentum and decay, by hand.
#[test]
fn momentum_and_decay_are_those_of_the_formula() {
    use super::group::{ParameterGroup, ParameterShape};
    let parameter = ParameterShape { key: "w".into(), shape: vec![1, 2, 1, 1] };
    let mut group = ParameterGroup::new(vec![parameter], Kind::Float, Device::Cpu).unwrap();
    group.set(|_| Ok::<_, crate::Error>((vec![1.0, -2.0], vec![0.5, 0.0]))).unwrap();
    let recipe = Recipe { momentum: 0.9, weight_decay: 0.1, ..Recipe::default() };
    let gradient = Tensor::from_slice(&[1.0_f32, 3.0]).view([1, 2, 1, 1]);
    group.step(&[gradient], &recipe, 0.1).unwrap();
    let (_, weights, velocity) = group.numbers().unwrap().remove(0);
    let near = |a: &[f32], b: [f32; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(&velocity, [0.45 + 1.0 + 0.1, 3.0 - 0.2]), "{velocity:?}");
    assert!(near(&weights, [1.0 - 0.155, -2.0 - 0.28]), "{weights:?}");
}

/// Every change of an image, against loops that make the same one pixel by pixel.
#[test]
fn images_are_changed_as_was_drawn() {
    let (size, padding) = (16, 3);
    let network = tiny();
    let images = images(2, 2, size);
    let augment = Augment::new(&network, padding, Device::Cpu).unwrap();
    let bytes = images.tensor(Device::Cpu).unwrap();
    let draws = [
        ImageDraw { image: 2, top: 0, left: 6, mirrored: false, erased: [0; 4] },
        ImageDraw { image: 1, top: 5, left: 1, mirrored: true, erased: [2, 3, 4, 6] },
    ];
    let step = DrawnStep { draws: draws.to_vec(), classes: Vec::new() };
    let changed = augment.changed(&bytes, &sent(&step)).unwrap();
    for (i, draw) in draws.iter().enumerate() {
        let [top, left, height, width] = draw.erased;
        for (y, x) in (0..size as i64).flat_map(|y| (0..size as i64).map(move |x| (y, x))) {
            let across = if draw.mirrored { size as i64 - 1 - x } else { x };
            let at = [y + draw.top - padding as i64, across + draw.left - padding as i64];
            for colour in 0..3 {
                let inside = at.iter().all(|v| (0..size as i64).contains(v));
                let place = ((draw.image * 16 + at[0]) * 16 + at[1]) * 3 + colour;
                let byte = if inside { images.bytes[place as usize] } else { 0 };
                let erased = (top..top + height).contains(&y) && (left..left + width).contains(&x);
                let fill = [0.4914, 0.4822, 0.4465][colour as usize];
                let expected = if erased { fill } else { (f64::from(byte) / 255.0 - 0.5) / 0.25 };
                let actual = changed.double_value(&[i as i64, colour, y, x]);
                assert!((actual - expected).abs() < 1e-5, "{i} {y} {x} {colour}: {actual} {expected}");
            }
        }
    }
}

#[test]
fn dropped_blocks_are_whole_squares_and_keep_the_mean() {
    use super::drop_block::{drop_block, share};
    let _alone = alone();
    assert!(share(0.1, 0) < 1e-5);
    assert_eq!(share(0.1, 1_000_000), 0.1);
    tch::manual_seed(4);
    let ones = Tensor::ones([64, 8, 11, 11], (Kind::Float, Device::Cpu));
    let dropped = drop_block(&ones, 0.1, 5, 1_000_000).unwrap();
    let gone = dropped.eq(0.0).to_kind(Kind::Float).mean(Kind::Float).double_value(&[]);
    assert!((0.07..0.11).contains(&gone), "{gone}");
    let mean = dropped.mean(Kind::Float).double_value(&[]);
    assert!((mean - 1.0).abs() < 1e-4, "{mean}");
}

#[test]
fn features_are_those_of_the_engine_for_the_processor() {
    use crate::backbone::Backbone;
    let network = tiny();
    let mut random = Random::stream(3, 0);
    let parameters = network.parameters().into_iter().map(|(key, shape)| {
        let count = shape.iter().product();
        let values = (0..count).map(|_| (0.2 + random.uniform()) as f32 * 0.3).collect();
        (key, Parameter { shape, values })
    });
    let weights = NetworkWeights::new("random", parameters.collect());
    let images: Vec<f32> = (0..5 * 3 * 16 * 16).map(|_| (random.uniform() - 0.5) as f32).collect();
    let engine = Engine::new(&network, weights.clone()).unwrap();
    let libtorch = LibtorchBackbone::new(&network, weights, TrainDevice::Cpu).unwrap();
    let (expected, features) = (engine.features(&images).unwrap(), libtorch.features(&images).unwrap());
    assert_eq!(features.len(), 5 * network.dim);
    let largest = expected.iter().fold(0.0, |a: f32, x| a.max(x.abs()));
    for (a, b) in expected.iter().zip(&features) {
        assert!((a - b).abs() <= 1e-5 * largest, "{a} {b}");
    }
    assert_eq!(libtorch.info().identity(), engine.info().identity());
}
