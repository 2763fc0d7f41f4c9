//! Every solver ends on coordinates that say less than their number promises: with an answer, or with a sentence.

use crate::common::Uniform;
use trustpath_path::incidental::linear::Roots;
use trustpath_path::incidental::{Grid, IciCParams, IciRParams, Incidental, Keep, Penalty};
use trustpath_path::{LeaveOneOutPath, Matrix};

/// Copies of rows, collinear rows, constant columns, and a single column.
fn degenerate() -> Vec<Matrix> {
    let mut random = Uniform(7);
    let rows: Vec<[f64; 4]> = (0..20).map(|_| std::array::from_fn(|_| random.normal())).collect();
    vec![
        Matrix::from_fn(40, 4, |i, j| rows[i % 20][j]),
        Matrix::from_fn(40, 4, |i, j| (i % 20) as f64 * (j + 1) as f64),
        Matrix::from_fn(40, 4, |i, j| if j == 0 { rows[i % 20][0] } else { 1.0 }),
        Matrix::from_fn(40, 4, |_, _| 1.0),
        Matrix::from_fn(40, 1, |i, _| rows[i % 20][0]),
    ]
}

#[test]
fn solvers_end_on_degenerate_coordinates() {
    let mut models: Vec<Box<dyn Incidental>> = Vec::new();
    for penalty in [Penalty::Group, Penalty::Elementwise] {
        models.push(Box::new(IciCParams { penalty, ..Default::default() }.check().unwrap()));
        for roots in [Roots::Exact, Roots::Interpolated, Roots::Skipped] {
            models.push(Box::new(IciRParams { penalty, roots, ..Default::default() }.check().unwrap()));
        }
    }
    let mut random = Uniform(3);
    let labels: Vec<usize> = (0..40).map(|_| (3.0 * random.next()) as usize).collect();
    for (at, x) in degenerate().iter().enumerate() {
        for model in &models {
            let keep = Keep { beta: true, ..Keep::default() };
            let path = model.path(x, &labels, 3, keep).unwrap_or_else(|e| panic!("{at} {model:?}: {e}"));
            assert!(path.vanish.iter().all(|vanish| vanish.is_finite()), "{at} {model:?}");
            let chosen = model.ranker(x, 3).most_credible(&labels, &(0..40).collect::<Vec<_>>(), &[2; 3]);
            assert_eq!(chosen.unwrap().len(), 6, "{at} {model:?}");
        }
        LeaveOneOutPath::fit(x, (0..40).collect(), &labels, 3, 0.1).unwrap();
    }
}

/// Where nearly all instances have left zero there is almost no curvature, and steps must not be sought in all its directions.
#[test]
fn many_classes_on_copies_of_rows_end_soon() {
    let mut random = Uniform(11);
    let half = Matrix::from_fn(120, 100, |_, _| random.normal());
    let x = Matrix::from_fn(240, 100, |i, j| half[(i % 120, j)]);
    // By the general solver, and by the one for more classes than half the coordinates.
    for classes in [48, 70] {
        let labels: Vec<usize> =
            (0..240).map(|i| if i < classes { i } else { (random.next() * 48.0) as usize }).collect();
        let grid = Grid { points: 16, ratio: 0.02 };
        let params = IciRParams { grid, tolerance: 1e-2, roots: Roots::Skipped, ..Default::default() };
        let started = std::time::Instant::now();
        params.check().unwrap().path(&x, &labels, classes, Keep { beta: true, ..Keep::default() }).unwrap();
        assert!(started.elapsed().as_secs() < 60, "{classes} classes: {:?}", started.elapsed());
    }
}
