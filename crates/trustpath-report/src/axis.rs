//! The description of an axis.

use crate::{Error, Result};

/// An axis: its label, its unit, and how values are placed along it.
///
/// ```
/// use trustpath_report::Axis;
/// let axis = Axis::new("Time per episode").unit("ms").log();
/// assert_eq!(axis.caption(), "Time per episode (ms)");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What is measured.
    pub label: String,
    /// The unit; empty for none.
    pub unit: String,
    /// Logarithmic; values that are not positive are left out.
    pub log: bool,
    /// Ticks at whole numbers only.
    pub whole: bool,
    /// The range shown; by default that of the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that fits the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// States the unit.
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self { unit: unit.into(), ..self }
    }

    /// Makes the axis logarithmic.
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }

    /// Allows ticks at whole numbers only.
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// Shows this range regardless of the data.
    pub fn range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// The label with its unit.
    pub fn caption(&self) -> String {
        match self.unit.as_str() {
            "" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }

    /// Whether a value has a place on the axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        let (least, most) = (1e-100, 1e100);
        value.abs() <= most && (!self.log || value >= least)
    }

    /// The requested range, if it can be shown.
    pub(crate) fn checked_range(&self) -> Result<Option<(f64, f64)>> {
        match self.range {
            Some((low, high)) if !(self.shows(low) && self.shows(high) && low < high) => {
                Err(Error::Range { axis: self.label.clone(), low, high })
            }
            range => Ok(range),
        }
    }
}
