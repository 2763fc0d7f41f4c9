//! Points in single precision, and a copy of them that distances are measured on.

use rayon::prelude::*;

use crate::features::check_matrix;
use crate::limits::CENTRE_ROWS;
use crate::linalg::simd;
use crate::{Error, Result};

/// Squared lengths up to which no distance overflows.
const LARGEST: f32 = 1e37;
/// Rows that are copied together.
const STRIP: usize = 1024;

/// Checked, borrowed, row-major points, and how much each adds to its distances.
///
/// The squared distance of two points is `‖xᵢ − xⱼ‖² + eᵢ + eⱼ`, where `e` stands for what a projection cut off: parts
/// of which nothing but their squared length is known, and which are taken to be perpendicular.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    values: &'a [f32],
    dims: usize,
    extra: Option<&'a [f32]>,
}

impl<'a> Points<'a> {
    /// Checks `rows × dims` row-major values.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Shape`], [`Error::NotFinite`]; [`Error::Parameter`] for lengths that single precision
    /// cannot square, or more rows than 32 bits can number.
    pub fn new(values: &'a [f32], rows: usize, dims: usize) -> Result<Self> {
        check_matrix(values, rows, dims)?;
        if rows >= u32::MAX as usize {
            return Err(Error::parameter("rows", rows, "give fewer than 2³² − 1 points"));
        }
        let origin = vec![0.0; dims];
        let long = |row: &&[f32]| square(row, &origin) > LARGEST;
        if let Some(row) = values.chunks_exact(dims).find(long) {
            let length = row.iter().fold(0.0f32, |most, v| most.max(v.abs()));
            return Err(Error::parameter("a coordinate", length, "scale the points down"));
        }
        Ok(Self { values, dims, extra: None })
    }

    /// The same points, with what each adds to its squared distances.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one for each point, [`Error::Parameter`] unless all are finite and not negative.
    pub fn with_extra(self, extra: &'a [f32]) -> Result<Self> {
        if extra.len() != self.len() {
            let (rows, given) = (self.len(), extra.len());
            return Err(Error::Shape { rows, dims: 1, expected: rows, given });
        }
        match extra.iter().find(|e| !(0.0..=LARGEST).contains(*e)) {
            Some(e) => Err(Error::parameter("extra", e, "it must be finite and not negative")),
            None => Ok(Self { extra: Some(extra), ..self }),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.values.len() / self.dims
    }

    /// Never true: an empty set of points cannot be built.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of coordinates.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// All values, row by row.
    pub(super) fn values(&self) -> &'a [f32] {
        self.values
    }

    /// Point `i`.
    pub(super) fn row(&self, i: usize) -> &'a [f32] {
        &self.values[i * self.dims..(i + 1) * self.dims]
    }

    /// About the middle of the points. It does not change distances, but the closer the points are to the origin, the more
    /// digits of a distance survive in inner products.
    pub(super) fn centre(&self) -> Vec<f32> {
        let every = self.len().div_ceil(CENTRE_ROWS);
        let mut sum = vec![0.0f64; self.dims];
        let mut count = 0.0;
        for row in self.values.chunks_exact(self.dims).step_by(every) {
            sum.iter_mut().zip(row).for_each(|(sum, &v)| *sum += f64::from(v));
            count += 1.0;
        }
        sum.into_iter().map(|sum| (sum / count) as f32).collect()
    }

    /// Writes a row, seen from the centre.
    pub(super) fn copy(&self, row: usize, centre: &[f32], to: &mut [f32]) {
        for ((to, v), c) in to.iter_mut().zip(self.row(row)).zip(centre) {
            *to = v - c;
        }
    }
}

/// A copy of points in an order of its own, seen from their centre.
#[derive(Debug)]
pub(super) struct CentredPoints {
    pub dims: usize,
    pub values: Vec<f32>,
    /// `½ (‖x‖² + e)`: what is subtracted from the score of a candidate.
    pub half: Vec<f32>,
    extra: Vec<f32>,
}

impl CentredPoints {
    /// The points, the `i`-th being `order(i)`.
    pub fn of(points: Points<'_>, centre: &[f32], order: impl Fn(usize) -> usize + Sync) -> Self {
        let (n, dims) = (points.len(), points.dims);
        let extra: Vec<f32> = points.extra.map_or(Vec::new(), |extra| (0..n).map(|i| extra[order(i)]).collect());
        let mut values = vec![0.0; n * dims];
        let mut half = vec![0.0; n];
        let origin = vec![0.0; dims];
        let strips = values.par_chunks_mut(STRIP * dims).zip(half.par_chunks_mut(STRIP));
        strips.enumerate().for_each(|(strip, (values, half))| {
            let rows = values.chunks_exact_mut(dims).zip(half);
            for (at, (row, half)) in rows.enumerate() {
                let i = strip * STRIP + at;
                points.copy(order(i), centre, row);
                *half = 0.5 * (square(row, &origin) + extra.get(i).unwrap_or(&0.0));
            }
        });
        Self { dims, values, half, extra }
    }

    pub fn len(&self) -> usize {
        self.half.len()
    }

    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.dims..(i + 1) * self.dims]
    }

    /// Writes the squared distance from point `i` to each that the list names.
    pub fn measure(&self, i: usize, list: &mut [(f32, u32)]) {
        measure(self.row(i), &self.values, list);
        if !self.extra.is_empty() {
            list.iter_mut().for_each(|(far, j)| *far += self.extra[i] + self.extra[*j as usize]);
        }
    }
}

/// Orders by distance, equal distances by number.
pub(super) fn ascending(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Writes the squared distance of each row that the list names from a point.
pub(super) fn measure(from: &[f32], rows: &[f32], list: &mut [(f32, u32)]) {
    simd::dispatch(
        (from, rows, list),
        #[inline(always)]
        |work| measure_rows(work),
    );
}

#[inline(always)]
fn measure_rows((from, rows, list): (&[f32], &[f32], &mut [(f32, u32)])) {
    let dims = from.len();
    for (far, j) in list {
        *far = squared(from, &rows[*j as usize * dims..(*j as usize + 1) * dims]);
    }
}

/// `‖x‖²`.
fn square(x: &[f32], origin: &[f32]) -> f32 {
    let mut list = [(0.0, 0)];
    measure(origin, x, &mut list);
    list[0].0
}

/// `‖a − b‖²`, in a fixed order of lanes.
#[inline(always)]
fn squared(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a16, b16) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut tail = 0.0;
    for (a, b) in a16.remainder().iter().zip(b16.remainder()) {
        tail += (a - b) * (a - b);
    }
    let mut lanes = [0.0f32; LANES];
    for (a, b) in a16.zip(b16) {
        for l in 0..LANES {
            let difference = a[l] - b[l];
            lanes[l] = difference.mul_add(difference, lanes[l]);
        }
    }
    for half in [8, 4, 2, 1] {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
    }
    lanes[0] + tail
}
