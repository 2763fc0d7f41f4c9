//! The passes over all instances.

use pulp::{Simd, WithSimd};

use super::super::Penalty;
use super::super::design::Design;
use super::{ReducedRows, Status};
use crate::linalg::exp::exponentiate;
use crate::linalg::lanes::{Vector, View, ViewMut};

/// [`ReducedRows::evaluate`], for the group penalty without `γ`.
pub(super) struct Evaluate<'a> {
    pub rows: &'a mut ReducedRows,
    pub design: &'a Design,
    pub theta: &'a [f64],
    pub tau: f64,
    pub status: Status,
}

impl WithSimd for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, design, theta, tau, status } = self;
        let (classes, features) = (rows.classes, design.features());
        let (zero, one) = (Vector::splat(simd, 0.0), Vector::splat(simd, 1.0));
        let tau = Vector::splat(simd, tau);
        let z = design.view(simd);
        let y = View::new(simd, &rows.y, classes);
        let mut lead = ViewMut::new(simd, &mut rows.lead, 1);
        let mut eta = ViewMut::new(simd, &mut rows.eta, classes);
        let mut away = ViewMut::new(simd, &mut rows.away, classes);
        for g in 0..rows.layout.groups {
            let (z, y) = (z.group(g), y.group(g));
            let (mut eta, mut away) = (eta.group(g), away.group(g));
            let mut top = Vector::splat(simd, f64::NEG_INFINITY);
            let mut at_label = zero;
            for k in 0..classes {
                let sum = z.dot(&theta[k * features..(k + 1) * features]);
                eta.set(k, sum);
                top = top.max(sum);
                at_label = y.get(k).mul_add(sum, at_label);
            }
            lead.group(g).set(0, at_label - top);
            for k in 0..classes {
                away.set(k, eta.get(k) - top);
            }
        }
        exponentiate(&mut rows.away);
        let mut away = ViewMut::new(simd, &mut rows.away, classes);
        let mut residual = ViewMut::new(simd, &mut rows.residual, classes);
        let mut others = ViewMut::new(simd, &mut rows.others, 1);
        let mut outside = ViewMut::new(simd, &mut rows.outside, 1);
        let mut level = ViewMut::new(simd, &mut rows.level, 1);
        let mut free = ViewMut::new(simd, &mut rows.free, 1);
        for g in 0..rows.layout.groups {
            let (y, mut away) = (y.group(g), away.group(g));
            let (mut sum, mut rest) = (zero, zero);
            for k in 0..classes {
                sum = sum + away.get(k);
                rest = (one - y.get(k)).mul_add(away.get(k), rest);
            }
            others.group(g).set(0, rest);
            // With one class there are no others.
            let share = one / rest.above(zero, rest, one);
            let mass = rest / sum;
            outside.group(g).set(0, mass);
            let mut square = zero;
            for k in 0..classes {
                let u = (one - y.get(k)) * away.get(k) * share - y.get(k);
                away.set(k, u);
                square = u.mul_add(u, square);
            }
            // The ones are zero in spare lanes.
            let valid = z.group(g).get(0);
            let norm = match rows.penalty {
                Penalty::Elementwise => mass * valid,
                Penalty::Group => square.sqrt() * mass * valid,
            };
            level.group(g).set(0, norm);
            let mut free = free.group(g);
            if status == Status::Read {
                free.set(0, norm.above(tau, one, zero));
            }
            let mass = match rows.penalty {
                Penalty::Elementwise => free.get(0).above(zero, tau, mass) * valid,
                Penalty::Group => mass * valid,
            };
            let mut residual = residual.group(g);
            for k in 0..classes {
                residual.set(k, mass * away.get(k));
            }
        }
    }
}

/// [`ReducedRows::level_rates`].
pub(super) struct LevelRates<'a> {
    pub rows: &'a ReducedRows,
    pub design: &'a Design,
    pub direction: &'a [f64],
}

impl WithSimd for LevelRates<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let Self { rows, design, direction } = self;
        let (classes, features) = (rows.classes, design.features());
        let (zero, one) = (Vector::splat(simd, 0.0), Vector::splat(simd, 1.0));
        let z = design.view(simd);
        let y = View::new(simd, &rows.y, classes);
        let away = View::new(simd, &rows.away, classes);
        let outside = View::new(simd, &rows.outside, 1);
        let mut numbers = rows.layout.room(1);
        let mut rates = ViewMut::new(simd, &mut numbers, 1);
        for g in 0..rows.layout.groups {
            let (z, y, away) = (z.group(g), y.group(g), away.group(g));
            let mut squares = zero;
            for k in 0..classes {
                let share = away.get(k) + y.get(k);
                squares = share.mul_add(share, squares);
            }
            let (mut mass, mut length) = (zero, zero);
            for k in 0..classes {
                let step = z.dot(&direction[k * features..(k + 1) * features]);
                mass = away.get(k).mul_add(step, mass);
                let share = away.get(k) + y.get(k);
                length = (share * (share - squares)).mul_add(step, length);
            }
            let mut rate = (one - outside.group(g).get(0)) * mass;
            if rows.penalty == Penalty::Group {
                rate = rate + length / (one + squares);
            }
            rates.group(g).set(0, rate);
        }
        numbers
    }
}

/// [`ReducedRows::masses`].
pub(super) struct Masses<'a>(pub &'a ReducedRows);

impl WithSimd for Masses<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let rows = self.0;
        let residual = View::new(simd, &rows.residual, rows.classes);
        let mut masses = vec![0.0; rows.classes];
        for (k, mass) in masses.iter_mut().enumerate() {
            let mut sum = Vector::splat(simd, 0.0);
            for g in 0..rows.layout.groups {
                sum = sum + residual.group(g).get(k).abs();
            }
            *mass = sum.total();
        }
        masses
    }
}
