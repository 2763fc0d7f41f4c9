//! What is random in a step: which images, and how each is changed.
//!
//! DrawnStep `t` of seed `s` depends on `(s, t)` alone, so that a resumed run gives the same numbers.

use trustpath::random::Random;

use super::super::prototypes::too_few_classes;
use super::Recipe;
use crate::{Error, Result};

/// Smallest and largest share of an image that is erased.
const ERASED: (f64, f64) = (0.02, 0.4);
/// Smallest ratio of the sides of what is erased; the largest is its inverse.
const ASPECT: f64 = 0.3;

/// One image of a step, cropped, perhaps mirrored, perhaps with a rectangle erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageDraw {
    /// Row of the image in the dataset.
    pub image: i64,
    /// Top of the crop, in the padded image.
    pub top: i64,
    /// Left edge of the crop, in the padded image.
    pub left: i64,
    /// Whether it is mirrored left to right after the crop.
    pub mirrored: bool,
    /// Top, left, height and width of what is erased; no height where nothing is.
    pub erased: [i64; 4],
}

/// The images of a step: for each episode and class the labeled ones, then for each episode and
/// class those to be recognised; and the class of each of the latter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DrawnStep {
    pub draws: Vec<ImageDraw>,
    pub classes: Vec<i64>,
}

/// Draws steps.
#[derive(Debug)]
pub(super) struct Drawer<'a> {
    recipe: &'a Recipe,
    by_class: Vec<Vec<usize>>,
}

impl<'a> Drawer<'a> {
    /// Over images of these classes; a class too small for an episode is refused.
    pub fn new(recipe: &'a Recipe, labels: &[usize], classes: &[String]) -> Result<Self> {
        let mut by_class = vec![Vec::new(); classes.len()];
        for (row, &class) in labels.iter().enumerate() {
            by_class[class].push(row);
        }
        let needed = recipe.shots + recipe.queries;
        if let Some(class) = by_class.iter().position(|rows| rows.len() < needed) {
            let (name, count) = (&classes[class], by_class[class].len());
            return Err(Error::Input(format!(
                "class {name} has {count} images but an episode takes {needed} of each: give more, leave the class out, or give fewer shots and queries"
            )));
        }
        if by_class.len() < recipe.ways {
            return Err(too_few_classes(by_class.len(), recipe.ways));
        }
        Ok(Self { recipe, by_class })
    }

    /// DrawnStep number `step` of the run.
    pub fn step(&self, step: u64) -> DrawnStep {
        let recipe = self.recipe;
        let mut random = Random::stream(recipe.seed, step);
        let all: Vec<usize> = (0..self.by_class.len()).collect();
        let (mut support, mut query, mut classes) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..recipe.batch {
            for class in random.choose(&all, recipe.ways) {
                let count = recipe.shots + recipe.queries;
                let rows = random.choose(&self.by_class[class], count);
                support.extend_from_slice(&rows[..recipe.shots]);
                query.extend_from_slice(&rows[recipe.shots..]);
                classes.extend(std::iter::repeat_n(class as i64, recipe.queries));
            }
        }
        let rows = support.into_iter().chain(query);
        DrawnStep { draws: rows.map(|row| draw(recipe, &mut random, row)).collect(), classes }
    }
}

fn draw(recipe: &Recipe, random: &mut Random, row: usize) -> ImageDraw {
    let mut shift = || random.below(2 * recipe.padding + 1) as i64;
    let (top, left) = (shift(), shift());
    let mirrored = random.below(2) == 1;
    let erased = if random.uniform() < recipe.erase { erase(recipe, random) } else { [0; 4] };
    ImageDraw { image: row as i64, top, left, mirrored, erased }
}

/// A rectangle of random area and shape that lies within the image.
fn erase(recipe: &Recipe, random: &mut Random) -> [i64; 4] {
    let size = recipe.size;
    // A few of the shapes are wider or higher than the image: those are drawn again.
    for _ in 0..100 {
        let mut between = |low: f64, high: f64| low + (high - low) * random.uniform();
        let area = between(ERASED.0, ERASED.1) * (size * size) as f64;
        let aspect = between(ASPECT, 1.0 / ASPECT);
        let height = (area * aspect).sqrt().round() as usize;
        let width = (area / aspect).sqrt().round() as usize;
        if (1..size).contains(&height) && (1..size).contains(&width) {
            let top = random.below(size - height + 1);
            let left = random.below(size - width + 1);
            return [top, left, height, width].map(|x| x as i64);
        }
    }
    [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> (Vec<usize>, Vec<String>) {
        ((0..90).map(|row| row % 9).collect(), (0..9).map(|i| i.to_string()).collect())
    }

    #[test]
    fn a_step_is_an_episode_of_distinct_images_of_its_classes() {
        let recipe = Recipe { shots: 2, ..Recipe::default() };
        let (labels, names) = labels();
        let drawer = Drawer::new(&recipe, &labels, &names).unwrap();
        let step = drawer.step(7);
        assert_eq!(step, drawer.step(7));
        assert_ne!(step, drawer.step(8));
        let (support, query) = step.draws.split_at(4 * 5 * 2);
        assert_eq!((query.len(), step.classes.len()), (120, 120));
        for episode in 0..4 {
            let support = &support[episode * 10..][..10];
            let query = &query[episode * 30..][..30];
            let mut seen: Vec<i64> = support.iter().chain(query).map(|d| d.image).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 40, "an image came twice in an episode");
            for (i, draw) in query.iter().enumerate() {
                let class = labels[draw.image as usize];
                assert_eq!(class as i64, step.classes[episode * 30 + i]);
                assert_eq!(class, labels[support[i / 6 * 2].image as usize]);
            }
        }
    }

    #[test]
    fn changes_stay_within_the_image() {
        let recipe = Recipe::default();
        let (labels, names) = labels();
        let drawer = Drawer::new(&recipe, &labels, &names).unwrap();
        let draws: Vec<ImageDraw> = (0..40).flat_map(|step| drawer.step(step).draws).collect();
        let share = |f: fn(&ImageDraw) -> bool| draws.iter().filter(|d| f(d)).count() as f64 / draws.len() as f64;
        assert!((share(|d| d.mirrored) - 0.5).abs() < 0.03);
        assert!((share(|d| d.erased[2] > 0) - 0.5).abs() < 0.03);
        for draw in &draws {
            assert!((0..=16).contains(&draw.top) && (0..=16).contains(&draw.left));
            let [top, left, height, width] = draw.erased;
            assert!(top >= 0 && left >= 0 && top + height <= 84 && left + width <= 84);
        }
    }

    #[test]
    fn too_few_images_or_classes_are_refused() {
        let recipe = Recipe::default();
        let (mut labels, names) = labels();
        assert!(Drawer::new(&recipe, &labels, &names[..]).is_ok());
        labels.retain(|&class| class != 4);
        let error = Drawer::new(&recipe, &labels, &names).unwrap_err();
        assert!(error.to_string().contains("class 4 has 0"), "{error}");
        let few: Vec<usize> = (0..40).map(|row| row % 4).collect();
        assert!(Drawer::new(&recipe, &few, &names[..4]).is_err());
    }
}
