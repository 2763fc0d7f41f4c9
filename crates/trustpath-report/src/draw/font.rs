//! The embedded font: how wide a text is, where its lines break, and the outlines of its glyphs.

use super::scene::Text;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font families requested in the SVG; the first is the embedded one.
pub(crate) const FAMILY: &str = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Regular and bold. The tests read both, so parsing cannot fail for a user.
static FACES: LazyLock<[Face<'static>; 2]> = LazyLock::new(|| {
    let regular: &[u8] = include_bytes!("../../assets/Inter-Regular.otf");
    let bold: &[u8] = include_bytes!("../../assets/Inter-SemiBold.otf");
    [regular, bold].map(|bytes| Face::parse(bytes, 0).expect("the embedded font is well-formed"))
});

/// The weight of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn face(self) -> &'static Face<'static> {
        &FACES[self as usize]
    }
}

/// Whether every character has a glyph.
pub(crate) fn covers(text: &str, weight: Weight) -> bool {
    text.chars().all(|c| weight.face().glyph_index(c).is_some())
}

/// Width of a line of text.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    text.chars().map(|c| advance(c, weight)).sum::<f64>() * size
}

/// Width of a character at size 1; one without a glyph is taken to be as wide as it is high.
fn advance(c: char, weight: Weight) -> f64 {
    let face = weight.face();
    match face.glyph_index(c) {
        Some(glyph) => f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f64::from(face.units_per_em()),
        None => 1.0,
    }
}

/// The text cut to a width, with an ellipsis where something was cut.
pub(crate) fn fit(text: &str, size: f64, weight: Weight, room: f64) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    let mut left = room - advance('…', weight) * size;
    let fits = |c: &char| {
        left -= advance(*c, weight) * size;
        left >= 0.0
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// The text broken at spaces into lines of at most the given width; a single longer word is cut.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, weight) <= room => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(fit(word, size, weight, room)),
        }
    }
    lines
}

/// Adds the outline of a text to a path, in pixels with y downwards.
pub(crate) fn outline(text: &Text, path: &mut tiny_skia::PathBuilder) {
    let face = text.weight.face();
    let scale = text.size / f64::from(face.units_per_em());
    let mut pen = Pen { path, x: text.left(), y: text.at.1, scale };
    for c in text.content.chars() {
        face.outline_glyph(face.glyph_index(c).unwrap_or(GlyphId(0)), &mut pen);
        pen.x += advance(c, text.weight) * text.size;
    }
}

/// Turns the units of the font into pixels.
struct Pen<'a> {
    path: &'a mut tiny_skia::PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.scale) as f32, (self.y - f64::from(y) * self.scale) as f32)
    }
}

/// Methods that convert every point and pass it on to the path.
macro_rules! pass_on {
    ($($name:ident => $to:ident($($x:ident $y:ident),*);)*) => {$(
        fn $name(&mut self, $($x: f32, $y: f32),*) {
            $(let ($x, $y) = self.at($x, $y);)*
            self.path.$to($($x, $y),*);
        }
    )*};
}

impl OutlineBuilder for Pen<'_> {
    pass_on! {
        move_to => move_to(x y);
        line_to => line_to(x y);
        quad_to => quad_to(x1 y1, x y);
        curve_to => cubic_to(x1 y1, x2 y2, x y);
        close => close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbols_of_the_paper_have_glyphs() {
        for weight in [Weight::Regular, Weight::Bold] {
            assert!(covers("‖γᵢ(λ)‖ ≤ α · 10⁻³ ± − × → ✓ ✗ … σ²", weight));
            assert!(!covers("猫", weight));
        }
    }

    #[test]
    fn width_grows_with_size_and_weight() {
        let w = width("Accuracy", 10.0, Weight::Regular);
        assert!((40.0..50.0).contains(&w), "{w}");
        assert!((width("Accuracy", 20.0, Weight::Regular) - 2.0 * w).abs() < 1e-9);
        assert!(width("Accuracy", 10.0, Weight::Bold) > w);
    }

    #[test]
    fn fitted_and_wrapped_text_keeps_to_its_room() {
        let text = "the quick brown fox jumps over the lazy dog";
        assert_eq!(fit(text, 12.0, Weight::Regular, 1e4), text);
        let cut = fit(text, 12.0, Weight::Regular, 80.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, Weight::Regular) <= 80.0);
        let lines = wrap(text, 12.0, Weight::Regular, 80.0);
        assert!(lines.len() > 2 && lines.join(" ") == text);
        assert!(lines.iter().all(|l| width(l, 12.0, Weight::Regular) <= 80.0));
    }
}
