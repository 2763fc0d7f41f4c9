//! Real episodes on which a solver once failed.

use trustpath_episodes::{
    EpisodeList, Listed, Method, Model, Setting, Split, Task, Unwatched, embedded, evaluate,
};

/// A class of one instance, so far from the others that the loss no longer feels its coordinates: they have no
/// curvature, and their price has to bring them to zero.
#[test]
fn coordinates_that_the_loss_no_longer_feels_go_to_zero() {
    let table = embedded::load("cub", Split::Validation).unwrap();
    let task = Task { shot: 1, setting: Setting::Transductive, ..Task::default() };
    let episode = task.check(table).unwrap().draw(0, 877).unwrap();
    let method = Method { model: Model::IciC, alpha: 0.05, ..Method::default() };
    todo!()
}
