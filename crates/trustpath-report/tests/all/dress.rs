//! Other names and images for a synthetic report.

use trustpath_report::label_page::{LabelReport, Thumbnail};

/// Uses such texts for everything that has a name.
pub fn rename(report: &mut LabelReport, texts: &[&str]) {
    let text = |i: usize| texts[i % texts.len()].to_owned();
    (report.title, report.subtitle) = (text(0), text(1));
    (report.facts, report.notes) = (vec![(text(2), text(0))], vec![text(1)]);
    report.classes.iter_mut().enumerate().for_each(|(i, class)| *class = text(i));
    for (i, instance) in report.instances.iter_mut().enumerate() {
        (instance.id, instance.reason) = (format!("{i} {}", text(i)), text(i + 1));
    }
}

/// An image of one colour: a GIF of one pixel.
pub fn image(red: u8, green: u8, blue: u8) -> Thumbnail {
    let mut bytes = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
    bytes.extend([red, green, blue, 0, 0, 0]);
    bytes.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    Thumbnail { bytes, mime: "image/gif".into() }
}
