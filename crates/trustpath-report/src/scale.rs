//! Maps values to pixels and chooses the round values at which an axis is labelled.

use crate::{Axis, Result};

/// How far a scale reaches beyond the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    /// A little room on both sides.
    Padded,
    /// Out to the next round value.
    Round,
    /// Like `Round`, with zero included.
    FromZero,
}

/// A value on an axis and its label.
pub(crate) type Tick = (f64, String);

/// The map from the values `low..high` to the pixels `from..to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
    log: bool,
    whole: bool,
    /// Between ticks, if the ends were chosen for it.
    step: Option<f64>,
    pixels: (f64, f64),
}

impl Scale {
    /// The scale of an axis for those of the values that the axis can show; `None` if there are none.
    pub fn new(axis: &Axis, values: impl Iterator<Item = f64>, reach: Reach) -> Result<Option<Self>> {
        let range = axis.checked_range()?;
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let shown = values.filter(|v| axis.shows(*v));
        let extent = shown.fold(none, |(low, high), v| (v.min(low), v.max(high)));
        if extent == none {
            return Ok(None);
        }
        let ((low, high), step) = match range {
            Some(range) => (range, None),
            None if axis.log => (fit_log(extent), None),
            None => fit_linear(extent, reach, axis.whole),
        };
        let (log, whole) = (axis.log, axis.whole);
        Ok(Some(Self { low, high, log, whole, step, pixels: (0.0, 1.0) }))
    }

    /// The same scale over other pixels; `from` may be greater than `to`.
    pub fn over(self, from: f64, to: f64) -> Self {
        Self { pixels: (from, to), ..self }
    }

    /// Whether a value can be placed at all.
    pub fn places(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// The pixel of a value. Values far outside are moved closer, so that no renderer has to draw at extreme coordinates.
    pub fn at(&self, value: f64) -> f64 {
        let portion = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.pixels.0 + portion.clamp(-10.0, 11.0) * (self.pixels.1 - self.pixels.0)
    }

    /// The pixel of the end of an interval; one that a logarithmic axis cannot show is moved to the lower end of the axis.
    pub fn end(&self, value: f64) -> f64 {
        self.at(if self.places(value) { value } else { self.low })
    }

    /// Round values within the scale: those it was fitted to, else about `spacing` pixels apart.
    pub fn ticks(&self, spacing: f64) -> Vec<Tick> {
        let most = ((self.pixels.1 - self.pixels.0).abs() / spacing).floor().max(2.0);
        if self.log {
            let ticks = log_ticks(self.low, self.high, most);
            if ticks.len() >= 2 {
                return ticks;
            }
        }
        let step = self.step.unwrap_or_else(|| nice_step((self.high - self.low) / most, self.whole));
        linear_ticks(self.low, self.high, step)
    }
}

/// The ends of a linear scale, and the step between its ticks if it begins and ends with one.
fn fit_linear((mut low, mut high): (f64, f64), reach: Reach, whole: bool) -> ((f64, f64), Option<f64>) {
    if reach == Reach::FromZero {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    // A single value, or what rounding makes of one, gets room around it.
    let size = low.abs().max(high.abs());
    if high - low <= 1e-9 * size || high - low < 1e-90 {
        let room = if whole || size < 1e-90 { 1.0 } else { 0.05 * size };
        (low, high) = match reach {
            Reach::FromZero => (low, low + room),
            _ => (low - room, high + room),
        };
    }
    if reach == Reach::Padded {
        let room = 0.03 * (high - low);
        return ((low - room, high + room), None);
    }
    let step = nice_step((high - low) / 7.0, whole);
    // The tolerance keeps a value that is round already where it is.
    (((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step), Some(step))
}

fn fit_log((low, high): (f64, f64)) -> (f64, f64) {
    let margin = (high / low).powf(0.04).max(1.15);
    (low / margin, high * margin)
}

/// The least of 1, 2, 2.5, 5 times a power of ten that is not below `least`.
fn nice_step(least: f64, whole: bool) -> f64 {
    let least = if whole { least.max(1.0) } else { least };
    let power = 10f64.powf(least.log10().floor());
    let mut steps = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * power);
    let fits = |step: &f64| (!whole || step.fract() == 0.0) && *step >= least * (1.0 - 1e-9);
    steps.find(fits).unwrap_or(10.0 * power)
}

fn linear_ticks(low: f64, high: f64, step: f64) -> Vec<Tick> {
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let large = low.abs().max(high.abs()) >= 1e6 || step < 1e-4;
    let decimals = decimals(step);
    let label = |value| if large { scientific(value) } else { fixed(value, decimals) };
    // There are few ticks; the bound guards against rounding at the extremes of f64.
    let values = (0..64).map(|i| first + f64::from(i)).take_while(|k| *k <= last);
    values.map(|k| k * step).map(|value| (value, label(value))).collect()
}

/// How many decimals tell multiples of a step apart.
fn decimals(step: f64) -> usize {
    let enough = |d: &i32| {
        let scaled = step * 10f64.powi(*d);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    (0..9).find(enough).unwrap_or(9) as usize
}

fn log_ticks(low: f64, high: f64, most: f64) -> Vec<Tick> {
    let decades = (high / low).log10();
    let factors: &[f64] = match most / decades {
        per if per >= 3.0 => &[1.0, 2.0, 5.0],
        per if per >= 2.0 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let every = (decades / most).ceil().max(1.0) as i32;
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)))
        .filter(|v| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(v))
        .map(|value| {
            let usual = (0.999e-3..1.001e5).contains(&value);
            (value, if usual { fixed(value, decimals(value)) } else { scientific(value) })
        })
        .collect()
}

/// A number with the given number of decimals, a proper minus sign, and commas between thousands.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('−');
    }
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && whole.len() > 4 {
            out.push(',');
        }
        out.push(c);
    }
    out + fraction
}

/// A number as 2.5×10⁶.
fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{:.2e}", value.abs());
    let (mantissa, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    let power: String = power.chars().map(raise).collect();
    let sign = if value < 0.0 { "−" } else { "" };
    let factor = if mantissa == "1" { String::new() } else { format!("{mantissa}×") };
    format!("{sign}{factor}10{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(axis: Axis, values: &[f64], reach: Reach) -> Scale {
        Scale::new(&axis, values.iter().copied(), reach).unwrap().unwrap().over(0.0, 500.0)
    }

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks(60.0).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_at_round_values() {
        for (axis, values, reach, expected) in [
            (
                Axis::new("accuracy"),
                &[78.3, 84.1, 91.7][..],
                Reach::Round,
                &["78", "80", "82", "84", "86", "88", "90", "92"][..],
            ),
            (Axis::new("gain"), &[-1.2, 7.9], Reach::FromZero, &["−2", "0", "2", "4", "6", "8"]),
            (Axis::new("round").whole(), &[1.0, 2.0, 3.0], Reach::Padded, &["1", "2", "3"]),
            (Axis::new("time").log(), &[0.02, 40.0], Reach::Padded, &["0.03", "0.1", "0.3", "1", "3", "10", "30"]),
            (Axis::new("λ").log(), &[1e-7, 10.0], Reach::Padded, &["10⁻⁶", "10⁻⁴", "0.01", "1"]),
        ] {
            assert_eq!(labels(&scale(axis, values, reach)), expected);
        }
        let s = scale(Axis::new("accuracy"), &[78.3, 84.1, 91.7], Reach::Round);
        assert_eq!((s.low, s.high), (78.0, 92.0));
        let s = scale(Axis::new("d").whole(), &[2.0, 512.0], Reach::Round);
        assert!(labels(&s).iter().all(|l| !l.contains('.')));
        // Within one decade there are no decades to label.
        let s = scale(Axis::new("λ").log(), &[3.1, 3.9], Reach::Padded);
        assert!(labels(&s).len() >= 2);
    }

    #[test]
    fn values_land_where_they_should() {
        let s = scale(Axis::new("x").range(0.0, 10.0), &[1.0], Reach::Round).over(100.0, 0.0);
        assert_eq!((s.at(0.0), s.at(5.0), s.at(10.0)), (100.0, 50.0, 0.0));
        let s = scale(Axis::new("x").log().range(1.0, 100.0), &[1.0], Reach::Round);
        assert!((s.at(10.0) - 250.0).abs() < 1e-9);
        assert!(s.at(f64::MAX).is_finite() && s.at(f64::MIN_POSITIVE).is_finite());
    }

    #[test]
    fn awkward_data_still_give_a_scale() {
        for reach in [Reach::Padded, Reach::Round, Reach::FromZero] {
            for values in [
                &[0.0][..],
                &[5.0, 5.0],
                &[-3.0],
                &[1e100, -1e100],
                &[1e-99, 2e-99],
                &[1e-320],
                &[1e15, 1e15 + 1.0],
                &[f64::NAN, 2.0, f64::INFINITY],
            ] {
                for whole in [false, true] {
                    let s = scale(Axis { whole, ..Axis::default() }, values, reach);
                    assert!(s.low < s.high, "{values:?} {reach:?}");
                    let ticks = s.ticks(60.0);
                    assert!(ticks.len() < 30 && !ticks.is_empty(), "{values:?} {reach:?}: {ticks:?}");
                    for v in values.iter().filter(|v| v.is_finite()) {
                        assert!((-0.01..=500.01).contains(&s.at(*v)), "{v} of {values:?} {reach:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_to_show_is_none_and_a_bad_range_an_error() {
        let scale = |axis: Axis, v: f64| Scale::new(&axis, std::iter::once(v), Reach::Round);
        let axis = || Axis::new("x");
        assert_eq!(scale(axis(), f64::NAN), Ok(None));
        assert_eq!(scale(axis().log(), -1.0), Ok(None));
        for bad in [axis().range(2.0, 1.0), axis().log().range(0.0, 1.0), axis().range(f64::NAN, 1.0)] {
            assert!(scale(bad, 1.0).is_err());
        }
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-1234567.5, 1), "−1,234,567.5");
        assert_eq!(fixed(2000.0, 0), "2000");
        assert_eq!(scientific(2.5e6), "2.5×10⁶");
        assert_eq!(scientific(-1e-12), "−10⁻¹²");
    }
}
