//! A regression with almost no curvature in one direction, once an instance has left zero. The coordinates of `nearly_flat.csv`
//! are those of LLE on a neighbour graph in several pieces.

use trustpath_path::Matrix;
use trustpath_path::incidental::{IciRParams, Incidental, Keep};

#[test]
fn a_nearly_flat_path_is_solved() {
    let rows: Vec<Vec<f64>> = include_str!("../golden/nearly_flat.csv")
        .lines()
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let labels: Vec<usize> = rows.iter().map(|row| row[0] as usize).collect();
    let x = Matrix::from_fn(rows.len(), 5, |i, j| rows[i][1 + j]);
    let ici = IciRParams::default().check().unwrap();
    let path = ici.path(&x, &labels, 5, Keep::ALL).unwrap();
    let worst = path.certificate.iter().copied().fold(0.0, f64::max);
    assert!(worst < 1e-10, "duality gap {worst}");
}
