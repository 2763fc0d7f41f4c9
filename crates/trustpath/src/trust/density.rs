//! Grenander's estimate of a density on the unit interval that falls: the slope of the least concave majorant of the empirical
//! distribution function.

/// The density of a sorted sample with weights: upper ends of intervals, and the density in each.
pub(crate) fn falling_density(sorted: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let all: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let slope = |a: (f64, f64), b: (f64, f64)| (b.1 - a.1) / (b.0 - a.0).max(1e-12);
    let mut hull: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    let points = sorted.iter().map(|&(x, weight)| {
        sum += weight;
        (x, sum / all)
    });
    for point in points.chain([(1.0, 1.0)]) {
        if hull.last() == Some(&point) {
            continue;
        }
        while let [.., before, last] = hull[..] {
            if slope(before, last) > slope(last, point) {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull.windows(2).map(|pair| (pair[1].0, slope(pair[0], pair[1]))).collect()
}

/// The density at a place.
pub(crate) fn density_at(density: &[(f64, f64)], place: f64) -> f64 {
    let at = density.partition_point(|(end, _)| *end < place);
    density.get(at).or(density.last()).map_or(1.0, |(_, density)| *density)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_falls_and_integrates_to_one() {
        let sample = [0.01, 0.02, 0.05, 0.05, 0.2, 0.21, 0.5, 0.9];
        let density = falling_density(&sample.map(|x| (x, 0.5)));
        assert!(density.windows(2).all(|pair| pair[0].1 > pair[1].1));
        let mut start = 0.0;
        let mass: f64 = density
            .iter()
            .map(|&(end, density)| {
                let mass = (end - start) * density;
                start = end;
                mass
            })
            .sum();
        assert!((mass - 1.0).abs() < 1e-12);
        assert!(density_at(&density, 0.01) > 5.0 && density_at(&density, 0.95) < 0.5);
    }

    #[test]
    fn a_uniform_sample_has_density_one() {
        let sample: Vec<(f64, f64)> = (1..=1000).map(|i| (f64::from(i) / 1000.0, 1.0)).collect();
        assert!(falling_density(&sample).iter().all(|(_, density)| (density - 1.0).abs() < 1e-9));
        assert_eq!(density_at(&falling_density(&[]), 0.5), 1.0);
    }
}
