//! Colours that remain distinct to colour-blind readers (after Okabe and Ito), each series with its own marker as well.

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Color {
    pub r: u8,
    pub g: u8,
    pub b: u8,
    pub alpha: f64,
}

impl Color {
    const fn hex(rgb: u32) -> Self {
        Self { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, alpha: 1.0 }
    }

    /// The opaque colour that this one gives on white at some opacity.
    pub fn tint(self, opacity: f64) -> Self {
        let mix = |v: u8| (255.0 - opacity * (255.0 - f64::from(v))).round() as u8;
        Self { r: mix(self.r), g: mix(self.g), b: mix(self.b), alpha: 1.0 }
    }

    /// The same colour, more or less transparent.
    pub const fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }
}

pub(crate) const WHITE: Color = Color::hex(0xffffff);
/// Text and the axis line.
pub(crate) const INK: Color = Color::hex(0x1f2328);
/// Secondary text.
pub(crate) const MUTED: Color = Color::hex(0x59636e);
/// Lines behind the data.
pub(crate) const GRID: Color = Color::hex(0xe4e7eb);
/// A correct pseudo-label (red in the paper).
pub(crate) const CORRECT: Color = Color::hex(0xd55e00);
/// A wrong pseudo-label (black in the paper).
pub(crate) const WRONG: Color = Color::hex(0x1f2328);

const SERIES: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x4d4d4d];

/// Colour of the i-th series; they repeat after seven.
pub(crate) fn series(i: usize) -> Color {
    Color::hex(SERIES[i % SERIES.len()])
}

/// Dashes of the i-th series: when the colours repeat, lines are dashed, then dotted.
pub(crate) fn dash(i: usize) -> &'static [f64] {
    match i / SERIES.len() % 3 {
        0 => &[],
        1 => &[6.0, 4.0],
        _ => &[1.5, 3.0],
    }
}
