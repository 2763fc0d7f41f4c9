//! Neighbours proposed by libtorch: every point is compared with every other.
//!
//! Sorting all scores would take far longer than computing them. Of every group of [`GROUP`] points only the largest score is
//! kept. The `m` best points lie in the `m` groups with the largest scores, so that the scores of these groups alone are
//! computed again and sorted.

use tch::{Device, Kind, Tensor};
use trustpath::neighbors::{DevicePoints, NeighborDevice};

use super::{Torch, TrainDevice};
use crate::Result;

/// Points of which the best one stands for all at first.
const GROUP: i64 = 128;
/// Scores that are in memory at a time.
const SCORES: i64 = 1 << 30;
/// Points that are looked for together.
const QUERIES: i64 = 4096;
/// Coordinates of candidates that are in memory at a time.
const GATHERED: i64 = 1 << 28;

/// A device of libtorch that searches for neighbours.
#[derive(Debug, Clone, Copy)]
pub struct LibtorchNeighbors {
    device: Device,
}

impl LibtorchNeighbors {
    /// Takes a device.
    ///
    /// # Errors
    /// If it is not there.
    pub fn new(device: TrainDevice) -> Result<Self> {
        Ok(Self { device: device.device()? })
    }
}

impl NeighborDevice for LibtorchNeighbors {
    fn shortlists(
        &self,
        points: DevicePoints<'_>,
        count: usize,
    ) -> std::result::Result<Vec<u32>, String> {
        tch::no_grad(|| search(points, count as i64, self.device)).map_err(|error| {
            let reason = error.to_string();
            if reason.contains("out of memory") {
                "it is out of memory: free memory that others use, or search without it".to_owned()
            } else {
                format!("libtorch: {}", reason.lines().next().unwrap_or_default())
            }
        })
    }
}

fn search(points: DevicePoints<'_>, count: i64, device: Device) -> Torch<Vec<u32>> {
    let (n, dims) = (points.half.len() as i64, points.dims as i64);
    // The last group is filled up with points that have no score.
    let missing = (GROUP - n % GROUP) % GROUP;
    let filled = n + missing;
    let x = Tensor::f_from_slice(points.values)?.f_view([n, dims])?.f_to_device(device)?;
    let x = x.f_constant_pad_nd([0, 0, 0, missing])?;
    let half = Tensor::f_from_slice(points.half)?.f_to_device(device)?;
    let none = Tensor::f_full([missing], f64::INFINITY, (Kind::Float, device))?;
    let half = Tensor::f_cat(&[half, none], 0)?;

    let queries = QUERIES.min(n);
    let block = (SCORES / queries / GROUP).max(1) * GROUP;
    // A group may hold the point itself, its own best candidate.
    let groups = (count + 1).min(filled / GROUP);
    let together = (GATHERED / (groups * GROUP * dims)).clamp(1, queries);
    let members = Tensor::f_arange(GROUP, (Kind::Int64, device))?;
    let mut lists = vec![0u32; (n * count) as usize];
    for first in (0..n).step_by(queries as usize) {
        let these = queries.min(n - first);
        let query = x.f_narrow(0, first, these)?;
        let mut best = Vec::new();
        for from in (0..filled).step_by(block as usize) {
            let size = block.min(filled - from);
            let candidates = x.f_narrow(0, from, size)?.f_transpose(0, 1)?;
            let scores = query.f_matmul(&candidates)?.f_sub_(&half.f_narrow(0, from, size)?)?;
            best.push(scores.f_view([these, size / GROUP, GROUP])?.f_amax([-1i64], false)?);
        }
        let (_, chosen) = Tensor::f_cat(&best, 1)?.f_topk(groups, 1, true, false)?;
        for at in (0..these).step_by(together as usize) {
            let part = together.min(these - at);
            let rows = chosen.f_narrow(0, at, part)?.f_mul_scalar(GROUP)?.f_unsqueeze(-1)?;
            let rows = rows.f_add(&members)?.f_view([part, groups * GROUP])?;
            let flat = rows.f_view([-1])?;
            let near = x.f_index_select(0, &flat)?.f_view([part, groups * GROUP, dims])?;
            let query = query.f_narrow(0, at, part)?.f_unsqueeze(-1)?;
            let scores = near.f_matmul(&query)?.f_squeeze_dim(-1)?;
            let scores = scores.f_sub(&half.f_index_select(0, &flat)?.f_view_as(&rows)?)?;
            let start = first + at;
            let itself = Tensor::f_arange_start(start, start + part, (Kind::Int64, device))?;
            let scores = scores
                .f_masked_fill(&rows.f_eq_tensor(&itself.f_unsqueeze(-1)?)?, f64::NEG_INFINITY)?;
            let (_, places) = scores.f_topk(count, 1, true, false)?;
            let nearest =
                rows.f_gather(1, &places, false)?.f_view([-1])?.f_to_device(Device::Cpu)?;
            let nearest = Vec::<i64>::try_from(nearest)?;
            let to = &mut lists[(start * count) as usize..((start + part) * count) as usize];
            to.iter_mut().zip(nearest).for_each(|(to, j)| *to = j as u32);
        }
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use trustpath::neighbors::{Neighbors, Points, Search};
    use trustpath::random::Random;

    use super::*;

    #[test]
    fn proposals_hold_the_true_neighbours() {
        for (n, dims, k) in [(40, 3, 5), (777, 20, 10), (5000, 16, 10)] {
            let mut random = Random::stream(n as u64, 0);
            let values: Vec<f32> = (0..n * dims).map(|_| random.normal() as f32).collect();
            let half: Vec<f32> = values
                .chunks_exact(dims)
                .map(|x| 0.5 * x.iter().map(|v| v * v).sum::<f32>())
                .collect();
            let device = LibtorchNeighbors::new(TrainDevice::Auto).unwrap();
            let count = k + 8;
            let given = DevicePoints { values: &values, dims, half: &half };
            let lists = device.shortlists(given, count).unwrap();
            let points = Points::new(&values, n, dims).unwrap();
            let exact = Neighbors::search(points, k, Search::Exact).unwrap();
            for (i, list) in lists.chunks_exact(count).enumerate() {
                assert!(exact.indices(i).all(|j| list.contains(&(j as u32))), "{n} {i}");
                assert!(!list.contains(&(i as u32)));
            }
        }
    }
}
