//! Real episodes on which a solver once failed.

use std::borrow::Cow;

use trustpath_episodes::{
    Episode, Episodes, Method, Model, Result, Setting, Split, Task, Unwatched, embedded, evaluate,
};

/// One episode alone.
struct One(Episode);

impl Episodes for One {
    fn count(&self) -> usize {
        1
    }

    fn setting(&self) -> Setting {
        Setting::Transductive
    }

    fn get(&self, _: usize) -> Result<Cow<'_, Episode>> {
        Ok(Cow::Borrowed(&self.0))
    }
}

/// A rare class so far from the others that the loss no longer feels its coordinates: they have no curvature, and
/// their price has to bring them to zero.
#[test]
fn coordinates_that_the_loss_no_longer_feels_go_to_zero() {
    let table = embedded::load("cub", Split::Validation).unwrap();
    let task = Task { shot: 1, setting: Setting::Transductive, ..Task::default() };
    let episode = One(task.check(table).unwrap().draw(0, 877).unwrap());
    let method = Method { model: Model::IciC, alpha: 0.05, ..Method::default() };
    let finished = evaluate(table, &episode, &method, Vec::new(), &mut Unwatched).unwrap();
    let accuracies = &finished[0].accuracies;
    assert!(accuracies[accuracies.len() - 1] > 0.5, "{accuracies:?}");
}
