//! A scene as pixels.

use super::image::Image;
use super::scene::{Mark, Rect, Scene, Shape, Stroke, Style, Text};
use crate::palette::Color;
use crate::{Error, Result};
use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PixmapPaint, StrokeDash,
    Transform,
};

/// The maximum number of pixels; a figure of 700 × 1500 at scale 8 still fits.
const MOST_PIXELS: f64 = 1e8;

/// Draws the scene at `scale` pixels per unit and encodes it as PNG.
pub(crate) fn write(scene: &Scene, scale: f64) -> Result<Vec<u8>> {
    let refused = || Error::Scale { width: scene.width, height: scene.height, scale };
    let (width, height) = ((scene.width * scale).round(), (scene.height * scale).round());
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(refused());
    }
    let pixmap = Pixmap::new(width as u32, height as u32).ok_or_else(refused)?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    let mut raster = Raster { pixmap, transform, mask: None };
    scene.marks.iter().for_each(|m| raster.mark(m));
    encode(&raster.pixmap)
}

/// A thumbnail as PNG of its own size.
pub(crate) fn encode_image(image: &Image) -> Result<Vec<u8>> {
    let (width, height) = (image.width as f64, image.height as f64);
    encode(&pixmap(image).ok_or(Error::Scale { width, height, scale: 1.0 })?)
}

fn encode(pixmap: &Pixmap) -> Result<Vec<u8>> {
    pixmap.encode_png().map_err(|e| Error::Encode { reason: e.to_string() })
}

fn pixmap(image: &Image) -> Option<Pixmap> {
    let mut pixmap = Pixmap::new(u32::try_from(image.width).ok()?, u32::try_from(image.height).ok()?)?;
    for (to, from) in pixmap.data_mut().chunks_exact_mut(4).zip(image.rgb.chunks_exact(3)) {
        to[..3].copy_from_slice(from);
        to[3] = 255;
    }
    Some(pixmap)
}

struct Raster {
    pixmap: Pixmap,
    transform: Transform,
    mask: Option<Mask>,
}

impl Raster {
    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Shape(shape, style) => {
                if let Some(path) = outline(shape) {
                    self.draw(&path, style);
                }
            }
            Mark::Text(text) => self.text(text),
            Mark::Image { rect, image } => self.image(rect, image),
            Mark::Clip { rect, marks } => {
                let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height());
                if let (Some(mask), Some(path)) = (&mut mask, outline(&Shape::Rect(*rect))) {
                    mask.fill_path(&path, FillRule::Winding, true, self.transform);
                }
                let outer = std::mem::replace(&mut self.mask, mask);
                marks.iter().for_each(|m| self.mark(m));
                self.mask = outer;
            }
        }
    }

    fn draw(&mut self, path: &Path, style: &Style) {
        let mask = self.mask.as_ref();
        if let Some(color) = style.fill {
            self.pixmap.fill_path(path, &paint(color), FillRule::Winding, self.transform, mask);
        }
        if let Some(stroke) = style.stroke {
            let paint = paint(stroke.color);
            self.pixmap.stroke_path(path, &paint, &pen(&stroke), self.transform, mask);
        }
    }

    fn text(&mut self, text: &Text) {
        let mut builder = PathBuilder::new();
        super::font::outline(text, &mut builder);
        if let Some(path) = builder.finish() {
            self.draw(&path, &Style::fill(text.color));
        }
    }

    fn image(&mut self, rect: &Rect, image: &Image) {
        let Some(source) = pixmap(image) else { return };
        // Proportions are kept and the image is centred, as the SVG does by default.
        let (width, height) = (image.width as f64, image.height as f64);
        let scale = (rect.width / width).min(rect.height / height);
        let x = rect.x + (rect.width - scale * width) / 2.0;
        let y = rect.y + (rect.height - scale * height) / 2.0;
        let place = Transform::from_row(scale as f32, 0.0, 0.0, scale as f32, x as f32, y as f32);
        let quality = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
        let transform = self.transform.pre_concat(place);
        self.pixmap.draw_pixmap(0, 0, source.as_ref(), &quality, transform, self.mask.as_ref());
    }
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let alpha = (color.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(color.r, color.g, color.b, alpha);
    paint
}

fn pen(stroke: &Stroke) -> tiny_skia::Stroke {
    tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(stroke.dash.iter().map(|d| *d as f32).collect(), 0.0),
        ..tiny_skia::Stroke::default()
    }
}

/// The outline of a shape; none if it has no extent.
fn outline(shape: &Shape) -> Option<Path> {
    match shape {
        Shape::Rect(Rect { x, y, width, height }) => {
            tiny_skia::Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32).map(PathBuilder::from_rect)
        }
        Shape::Circle { center, radius } => PathBuilder::from_circle(center.0 as f32, center.1 as f32, *radius as f32),
        Shape::Line(points) | Shape::Polygon(points) => {
            let mut builder = PathBuilder::new();
            let ((x, y), rest) = points.split_first()?;
            builder.move_to(*x as f32, *y as f32);
            rest.iter().for_each(|(x, y)| builder.line_to(*x as f32, *y as f32));
            if matches!(shape, Shape::Polygon(_)) {
                builder.close();
            }
            builder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{CORRECT, WHITE};

    fn square() -> Scene {
        let all = Rect::new(0.0, 0.0, 10.0, 10.0);
        let marks = vec![Mark::rect(all.grown(5.0), Style::fill(CORRECT))];
        let clip = Mark::Clip { rect: all.grown(-2.0), marks };
        let marks = vec![Mark::rect(all, Style::fill(WHITE)), clip];
        Scene { width: 10.0, height: 10.0, marks }
    }

    #[test]
    fn the_scale_sets_the_size_and_clipped_marks_are_hidden() {
        let pixmap = Pixmap::decode_png(&write(&square(), 2.0).unwrap()).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (20, 20));
        let rgb = |x, y| pixmap.pixel(x, y).map(|p| (p.red(), p.green(), p.blue()));
        assert_eq!(rgb(1, 1), Some((255, 255, 255)));
        assert_eq!(rgb(10, 10), Some((CORRECT.r, CORRECT.g, CORRECT.b)));
    }

    #[test]
    fn an_unreasonable_scale_is_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(matches!(write(&square(), scale), Err(Error::Scale { .. })), "{scale}");
        }
    }
}
