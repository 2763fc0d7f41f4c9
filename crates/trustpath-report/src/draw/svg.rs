//! A scene as SVG text. It uses no identifiers, so any number of figures fit into one HTML page.

use super::escape::escape;
use super::font::{FAMILY, Weight, covers};
use super::png;
use super::scene::{Anchor, Mark, Point, Rect, Scene, Shape, Style, Text};
use crate::palette::Color;
use base64::prelude::{BASE64_STANDARD, Engine};

/// Writes the scene, with a title and a description for screen readers.
pub(crate) fn write(scene: &Scene, title: &str, description: &str) -> String {
    let (width, height, title) = (number(scene.width), number(scene.height), escape(title));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{title}\" font-family=\"{FAMILY}\">\n<title>{title}</title>\n",
    );
    if !description.is_empty() {
        out += &format!("<desc>{}</desc>\n", escape(description));
    }
    scene.marks.iter().for_each(|m| mark(&mut out, m));
    out.push_str("</svg>\n");
    out
}

fn mark(out: &mut String, one: &Mark) {
    match one {
        Mark::Shape(shape, style) => self::shape(out, shape, style),
        Mark::Text(text) => self::text(out, text),
        Mark::Image { rect, image } => {
            // An image that cannot be encoded leaves its place empty; the rest of the figure is still useful.
            if let Ok(bytes) = png::encode_image(image) {
                let bytes = BASE64_STANDARD.encode(bytes);
                element(out, "image", &place(rect));
                *out += &format!(" href=\"data:image/png;base64,{bytes}\"/>\n");
            }
        }
        Mark::Clip { rect, marks } => {
            // A nested viewport clips its contents.
            let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(number);
            element(out, "svg", &place(rect));
            *out += &format!(" viewBox=\"{x} {y} {width} {height}\">\n");
            marks.iter().for_each(|m| mark(out, m));
            out.push_str("</svg>\n");
        }
    }
}

fn shape(out: &mut String, shape: &Shape, style: &Style) {
    match shape {
        Shape::Rect(rect) => element(out, "rect", &place(rect)),
        Shape::Circle { center: (x, y), radius } => {
            element(out, "circle", &[("cx", *x), ("cy", *y), ("r", *radius)]);
        }
        Shape::Line(points) => *out += &format!("<path d=\"{}\"", path(points)),
        Shape::Polygon(points) => *out += &format!("<path d=\"{}Z\"", path(points)),
    }
    match style.fill {
        Some(color) => paint(out, "fill", color),
        None => out.push_str(" fill=\"none\""),
    }
    if let Some(stroke) = style.stroke {
        paint(out, "stroke", stroke.color);
        *out += &format!(" stroke-width=\"{}\"", number(stroke.width));
        if matches!(shape, Shape::Line(_)) {
            out.push_str(" stroke-linejoin=\"round\"");
        }
        if !stroke.dash.is_empty() {
            let dash: Vec<String> = stroke.dash.iter().map(|d| number(*d)).collect();
            *out += &format!(" stroke-dasharray=\"{}\"", dash.join(" "));
        }
    }
    out.push_str("/>\n");
}

fn text(out: &mut String, text: &Text) {
    element(out, "text", &[("x", text.at.0), ("y", text.at.1), ("font-size", text.size)]);
    out.push_str(match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    });
    if text.weight == Weight::Bold {
        out.push_str(" font-weight=\"600\"");
    }
    // A viewer without the font keeps the width that the layout assumed.
    if text.content.chars().count() > 1 && covers(&text.content, text.weight) {
        let width = number(text.width());
        *out += &format!(" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\"");
    }
    paint(out, "fill", text.color);
    *out += &format!(">{}</text>\n", escape(&text.content));
}

/// The beginning of an element with its numeric attributes.
fn element(out: &mut String, name: &str, attributes: &[(&str, f64)]) {
    *out += &format!("<{name}");
    for (attribute, value) in attributes {
        *out += &format!(" {attribute}=\"{}\"", number(*value));
    }
}

fn paint(out: &mut String, what: &str, Color { r, g, b, alpha }: Color) {
    *out += &format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\"");
    if alpha < 1.0 {
        *out += &format!(" {what}-opacity=\"{}\"", number(alpha));
    }
}

fn place(rect: &Rect) -> [(&'static str, f64); 4] {
    let (width, height) = (rect.width.max(0.0), rect.height.max(0.0));
    [("x", rect.x), ("y", rect.y), ("width", width), ("height", height)]
}

fn path(points: &[Point]) -> String {
    let mut out = String::with_capacity(12 * points.len());
    for (i, (x, y)) in points.iter().enumerate() {
        out += &format!("{}{} {}", if i == 0 { 'M' } else { 'L' }, number(*x), number(*y));
    }
    out
}

/// A coordinate to a hundredth of a pixel, without needless digits.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Adding zero turns −0 into 0.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0, -0.001, 12.3456].map(number), ["1", "0", "12.35"]);
    }

    #[test]
    fn text_cannot_break_out_of_its_element() {
        let marks = vec![Text::new((0.0, 0.0), "</text><script>&\"", 10.0).into()];
        let svg = write(&Scene { width: 10.0, height: 10.0, marks }, "a\"><b>", "<!-- ");
        let tree = roxmltree::Document::parse(&svg).unwrap();
        assert!(!tree.descendants().any(|n| n.has_tag_name("script") || n.has_tag_name("b")));
        let text = tree.descendants().find(|n| n.tag_name().name() == "text").unwrap();
        assert_eq!(text.text(), Some("</text><script>&\""));
        assert_eq!(tree.root_element().attribute("aria-label"), Some("a\"><b>"));
    }
}
