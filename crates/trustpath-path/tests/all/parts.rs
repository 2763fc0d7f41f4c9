//! The path over rows in several parts, as they would be on several machines, is the path over all rows.

use crate::common::max_diff;
use trustpath_path::incidental::linear::{EvalPoint, InMemoryRows, Knot, Row, RowSource, Sum};
use trustpath_path::incidental::{IciRParams, Incidental, Keep, Penalty};
use trustpath_path::{Error, Matrix, Result};

/// Parts that are processed one after the other.
struct Parts(Vec<InMemoryRows>);

impl Parts {
    fn new(x: &Matrix, labels: &[usize], classes: usize, sizes: &[usize]) -> Self {
        let mut from = 0;
        let part = |&size: &usize| {
            let rows = from..from + size;
            from += size;
            let part = Matrix::from_fn(size, x.cols(), |i, j| x[(rows.start + i, j)]);
            InMemoryRows::new(part, &labels[rows], classes).unwrap()
        };
        let parts: Vec<InMemoryRows> = sizes.iter().map(part).collect();
        assert_eq!(from, x.rows());
        Self(parts)
    }

    /// The part that has an instance, and its index there.
    fn find(&mut self, instance: usize) -> (&mut InMemoryRows, usize) {
        let mut before = 0;
        for part in &mut self.0 {
            if instance < before + part.len() {
                return (part, instance - before);
            }
            before += part.len();
        }
        unreachable!("there is no instance {instance}")
    }
}

impl RowSource for Parts {
    fn len(&self) -> usize {
        self.0.iter().map(RowSource::len).sum()
    }

    fn dims(&self) -> usize {
        self.0[0].dims()
    }

    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix> {
        let mut sum = self.0[0].gram(by)?;
        for part in &mut self.0[1..] {
            let gram = part.gram(by)?;
            sum.as_mut_slice().iter_mut().zip(gram.as_slice()).for_each(|(s, g)| *s += g);
        }
        Ok(sum)
    }

    fn project(&mut self, by: &Matrix) -> Result<()> {
        self.0.iter_mut().try_for_each(|part| part.project(by))
    }

    fn sum_over_rows(&mut self, sum: Sum<'_>, at: EvalPoint<'_>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let mut of_part = vec![0.0; out.len()];
        for part in &mut self.0 {
            part.sum_over_rows(sum, at, &mut of_part)?;
            out.iter_mut().zip(&of_part).for_each(|(sum, part)| *sum += part);
        }
        Ok(())
    }

    fn largest(&mut self, at: EvalPoint<'_>) -> Result<f64> {
        self.0.iter_mut().try_fold(0.0, |largest: f64, part| Ok(largest.max(part.largest(at)?)))
    }

    fn norm(&mut self, at: EvalPoint<'_>, instance: usize) -> Result<f64> {
        let (part, instance) = self.find(instance);
        part.norm(at, instance)
    }

    fn row(&mut self, instance: usize) -> Result<Row> {
        let (part, instance) = self.find(instance);
        part.row(instance)
    }

    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>> {
        let (mut left, mut before) = (Vec::new(), 0);
        for part in &mut self.0 {
            left.extend(part.cross(low, high, exact)?.iter().map(|i| i + before));
            before += part.len();
        }
        Ok(left)
    }

    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()> {
        let (part, instance) = self.find(instance);
        part.settle(instance, lambda)
    }
}

#[test]
fn any_number_of_parts_gives_the_same_path() {
    let cases = [
        // Exact roots with both penalties; interpolated roots; a curvature that is not formed, exact and interpolated.
        (240, 4, 3, Penalty::Group),
        (150, 3, 3, Penalty::Elementwise),
        (5400, 4, 3, Penalty::Group),
        (120, 21, 10, Penalty::Group),
        (900, 21, 10, Penalty::Group),
    ];
    for (n, d, c, penalty) in cases {
        let x = Matrix::from_fn(n, d, |i, j| {
            f64::from(u8::from(i % c == j % c)) + 0.9 * ((i * 7 + j * 3 + i * j) as f64).sin()
        });
        let labels: Vec<usize> = (0..n).map(|i| if i % 7 == 0 { (i / 7) % c } else { i % c }).collect();
        let model = IciRParams { penalty, ..Default::default() }.check().unwrap();
        let keep = Keep { beta: true, ..Keep::default() };
        let all = model.path(&x, &labels, c, keep).unwrap();
        for sizes in [vec![n], vec![n / 3, 0, n - n / 3], vec![1, 7, n / 2, n - n / 2 - 8]] {
            let mut parts = Parts::new(&x, &labels, c, &sizes);
            let (lambda, beta) = model.path_over(&mut parts, c).unwrap();
            let last = lambda[lambda.len() - 1];
            let vanished = || parts.0.iter().map(|part| part.vanished(last));
            let vanish: Vec<f64> = vanished().flat_map(|v| v.vanish).collect();
            let reenters: Vec<bool> = vanished().flat_map(|v| v.reenters).collect();
            assert_eq!(reenters, all.reenters);
            let close = |a: &[f64], b: &[f64], within: f64| {
                let worst = max_diff(a, b);
                assert!(worst <= within, "{n} {sizes:?}: {worst:e}");
            };
            close(&vanish, &all.vanish, 1e-9);
            close(&lambda, &all.lambda, 1e-12);
            for (beta, expected) in beta.iter().zip(all.beta.as_ref().unwrap()) {
                close(beta.as_slice(), expected.as_slice(), 1e-8);
            }
        }
    }
}

#[test]
fn invalid_labels_and_a_second_path_are_refused() {
    let x = || Matrix::from_fn(4, 2, |i, j| (i + 2 * j) as f64);
    assert!(matches!(InMemoryRows::new(x(), &[0, 1], 2), Err(Error::LabelCount { .. })));
    assert!(matches!(InMemoryRows::new(x(), &[0, 1, 2, 0], 2), Err(Error::LabelOutOfRange { .. })));
    let model = IciRParams::default().check().unwrap();
    let mut rows = InMemoryRows::new(x(), &[0, 1, 1, 0], 2).unwrap();
    assert_eq!(model.path_over(&mut rows, 1), Err(Error::OneClass { classes: 1 }));
    model.path_over(&mut rows, 2).unwrap();
    assert_eq!(model.path_over(&mut rows, 2), Err(Error::Projected));
}
