//! CVAT for images 1.1: one `image` element with a `tag` per label, `source` being `manual` or `auto`.

use super::Exported;
use crate::Result;

/// Given and trusted labels.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n");
    let count = exported.reliable().count();
    let name = escaped(exported.source().pool().source());
    xml.push_str(&format!(
        "  <meta>\n    <task>\n      <name>{name}</name>\n      <size>{count}</size>\n      <mode>annotation</mode>\n      <labels>\n"
    ));
    for class in exported.reliable_classes() {
        let class = escaped(class);
        xml.push_str(&format!(
            "        <label><name>{class}</name><type>tag</type><attributes></attributes></label>\n"
        ));
    }
    xml.push_str("      </labels>\n    </task>\n  </meta>\n");
    for (number, (row, label)) in exported.reliable().enumerate() {
        let (width, height) = exported.source().size(row.row).unwrap_or((0, 0));
        let by = if row.checked { "manual" } else { "auto" };
        let (id, label) = (escaped(row.id), escaped(label));
        xml.push_str(&format!(
            "  <image id=\"{number}\" name=\"{id}\" width=\"{width}\" height=\"{height}\">\n    <tag label=\"{label}\" source=\"{by}\"></tag>\n  </image>\n"
        ));
    }
    xml.push_str("</annotations>\n");
    Ok(xml.into_bytes())
}

/// A text inside an attribute, where line ends and tabs would become spaces.
fn escaped(text: &str) -> String {
    trustpath_report::escape(text).replace('\t', "&#9;").replace('\n', "&#10;").replace('\r', "&#13;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_text_can_leave_its_element() {
        assert_eq!(super::escaped("<a href=\"x\">&\u{1}\n"), "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}&#10;");
    }
}
