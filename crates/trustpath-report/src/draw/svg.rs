//! A scene as SVG text. No identifiers are used, so that any number of figures fit into one HTML page.

use super::escape::escape;
use super::font::{FAMILY, Weight, covers};
use super::scene::{Anchor, Mark, Point, Rect, Scene, Shape, Style, Text};
use super::{base64, png};
use crate::palette::Color;
use std::fmt::Write;

/// Writes the scene, with a title and a description for readers who cannot see it.
pub(crate) fn write(scene: &Scene, title: &str, description: &str) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"{FAMILY}\">\n<title>{}</title>\n",
        escape(title),
        escape(title),
    );
    if !description.is_empty() {
        push(&mut out, format_args!("<desc>{}</desc>\n", escape(description)));
    }
    scene.marks.iter().for_each(|m| mark(&mut out, m));
    out.push_str("</svg>\n");
    out
}

/// Writing to a string cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments) {
    let _ = out.write_fmt(text);
}

fn mark(out: &mut String, mark_: &Mark) {
    match mark_ {
        Mark::Shape(shape, style) => self::shape(out, shape, style),
        Mark::Text(text) => self::text(out, text),
        Mark::Image { rect, image } => {
            // An image that cannot be encoded leaves its place empty: the figure is still worth having.
            if let Ok(bytes) = png::encode_image(image) {
                push(
                    out,
                    format_args!(
                        "<image {} href=\"data:image/png;base64,{}\"/>\n",
                        place(rect),
                        base64::encode(&bytes)
                    ),
                );
            }
        }
        Mark::Clip { rect, marks } => {
            // A nested viewport clips what leaves it.
            let Rect { x, y, width, height } = *rect;
            push(
                out,
                format_args!(
                    "<svg {} viewBox=\"{} {} {} {}\">\n",
                    place(rect),
                    number(x),
                    number(y),
                    number(width),
                    number(height)
                ),
            );
            marks.iter().for_each(|m| mark(out, m));
            out.push_str("</svg>\n");
        }
    }
}

fn shape(out: &mut String, shape: &Shape, style: &Style) {
    match shape {
        Shape::Rect(rect) => push(out, format_args!("<rect {}", place(rect))),
        Shape::Circle { center, radius } => push(
            out,
            format_args!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"",
                number(center.0),
                number(center.1),
                number(*radius)
            ),
        ),
        Shape::Line(points) => push(out, format_args!("<path d=\"{}\"", path(points))),
        Shape::Polygon(points) => push(out, format_args!("<path d=\"{}Z\"", path(points))),
    }
    match style.fill {
        Some(color) => paint(out, "fill", color),
        None => out.push_str(" fill=\"none\""),
    }
    if let Some(stroke) = style.stroke {
        paint(out, "stroke", stroke.color);
        push(out, format_args!(" stroke-width=\"{}\"", number(stroke.width)));
        if matches!(shape, Shape::Line(_)) {
            out.push_str(" stroke-linejoin=\"round\"");
        }
        if !stroke.dash.is_empty() {
            let dash: Vec<String> = stroke.dash.iter().map(|d| number(*d)).collect();
            push(out, format_args!(" stroke-dasharray=\"{}\"", dash.join(" ")));
        }
    }
    out.push_str("/>\n");
}

fn text(out: &mut String, text: &Text) {
    push(
        out,
        format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"",
            number(text.at.0),
            number(text.at.1),
            number(text.size)
        ),
    );
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if text.weight == Weight::Bold {
        out.push_str(" font-weight=\"600\"");
    }
    // A viewer without the font keeps to the width that the layout counted on.
    if text.content.chars().count() > 1 && covers(&text.content, text.weight) {
        push(
            out,
            format_args!(
                " textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                number(text.width())
            ),
        );
    }
    paint(out, "fill", text.color);
    push(out, format_args!(">{}</text>\n", escape(&text.content)));
}

fn paint(out: &mut String, what: &str, Color { r, g, b, alpha }: Color) {
    push(out, format_args!(" {what}=\"#{r:02x}{g:02x}{b:02x}\""));
    if alpha < 1.0 {
        push(out, format_args!(" {what}-opacity=\"{}\"", number(alpha)));
    }
}

fn place(rect: &Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        number(rect.x),
        number(rect.y),
        number(rect.width.max(0.0)),
        number(rect.height.max(0.0))
    )
}

fn path(points: &[Point]) -> String {
    let mut out = String::with_capacity(12 * points.len());
    for (i, (x, y)) in points.iter().enumerate() {
        push(
            &mut out,
            format_args!("{}{} {}", if i == 0 { 'M' } else { 'L' }, number(*x), number(*y)),
        );
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
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(12.3456), "12.35");
    }

    #[test]
    fn text_cannot_break_out_of_its_element() {
        let scene = Scene {
            width: 10.0,
            height: 10.0,
            marks: vec![Text::new((0.0, 0.0), "</text><script>&\"", 10.0).into()],
        };
        let svg = write(&scene, "a\"><b>", "<!-- ");
        let tree = roxmltree::Document::parse(&svg).unwrap();
        assert!(!tree.descendants().any(|n| n.has_tag_name("script") || n.has_tag_name("b")));
        let text = tree.descendants().find(|n| n.tag_name().name() == "text").unwrap();
        assert_eq!(text.text(), Some("</text><script>&\""));
        assert_eq!(tree.root_element().attribute("aria-label"), Some("a\"><b>"));
    }
}
