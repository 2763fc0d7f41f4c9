//! Real episodes on which a solver once failed.

use trustpath::Features;
use trustpath_bench::{BenchMethod, EpisodeShape, Setting, Split, embedded};
use trustpath_bench::{IncidentalKind, SelfTrainingSpec};

/// A rare class is so far from the others that the loss no longer depends on its coordinates: they have no curvature,
/// and only their penalty can bring them to zero.
#[test]
fn coordinates_without_curvature_go_to_zero() {
    let table = embedded::load("cub", Split::Validation).unwrap();
    let features = Features::new(table.features(), table.rows(), table.dims()).unwrap();
    let episode = EpisodeShape::default().check(table).unwrap().draw(0, 877).unwrap();
    let method = SelfTrainingSpec { model: IncidentalKind::IciC, alpha: 0.05, ..Default::default() };
    let learner = BenchMethod::from(&method).build().unwrap();
    let accuracies = learner.accuracies(&features, &episode, &Setting::Transductive, None).unwrap();
    assert!(accuracies[accuracies.len() - 1] > 0.5, "{accuracies:?}");
}
