//! A document is well-formed and self-contained, and its files are complete.

use trustpath_report::{DocumentBlock as Block, DocumentSection, *};

const HOSTILE: &str = "</title><script>1</script> & | `x` *y* [z](w)";

fn figure() -> Figure {
    let points = [0.0, 1.0].map(|x| CurvePoint { x, y: x + 1.0, error: 0.1 }).to_vec();
    let curves = vec![Curve { name: HOSTILE.into(), points }];
    Curves { title: HOSTILE.into(), curves, ..Curves::default() }.figure().unwrap()
}

fn document() -> Document {
    let mut table = Table::new(vec![TableColumn::left(HOSTILE), TableColumn::right("n")]);
    table.push([HOSTILE, "1"]).unwrap();
    let figure = || Block::Figure { name: "../a figure".into(), figure: figure() };
    let blocks = vec![
        Block::Paragraph(HOSTILE.into()),
        Block::List(vec![HOSTILE.into(), "two".into()]),
        Block::Table { caption: HOSTILE.into(), table },
        figure(),
        figure(),
    ];
    let section = DocumentSection { heading: HOSTILE.into(), blocks };
    Document {
        title: HOSTILE.into(),
        lead: vec![Block::Paragraph("lead".into())],
        sections: vec![section.clone(), section],
    }
}

#[test]
fn the_page_is_well_formed_and_loads_nothing() {
    let html = document().html();
    let body = html.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let tree = roxmltree::Document::parse(body).unwrap();
    let nodes = || tree.descendants().filter(|n| n.is_element());
    assert!(!nodes().any(|n| ["script", "link", "iframe"].contains(&n.tag_name().name())));
    for node in nodes() {
        for attribute in node.attributes().filter(|a| ["href", "src"].contains(&a.name())) {
            let inside = ["#", "data:"].iter().any(|start| attribute.value().starts_with(start));
            assert!(inside, "{}", attribute.value());
        }
    }
    // Every entry of the contents has a target, and no two targets share a name.
    let ids: Vec<&str> = nodes().filter_map(|n| n.attribute("id")).collect();
    let links: Vec<&str> = nodes().filter_map(|n| n.attribute("href")?.strip_prefix('#')).collect();
    assert_eq!(ids, links);
    assert!(ids.len() == 2 && ids[0] != ids[1]);
}

#[test]
fn markdown_is_literal_and_links_every_figure() {
    let document = document();
    let markdown = document.markdown("images");
    assert!(!markdown.contains("<script>"));
    let names: Vec<String> = document.figures().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a-figure", "a-figure-2", "a-figure-3", "a-figure-4"]);
    for name in names {
        assert_eq!(markdown.matches(&format!("(images/{name}.png)")).count(), 1);
    }
}

#[test]
fn the_files_are_written_or_the_reason_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    document().write(folder, "Report").unwrap();
    for file in ["report.html", "report.md", "figures/a-figure.svg", "figures/a-figure-4.png"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    // A file where a folder should be.
    let taken = folder.join("report.md");
    assert!(matches!(document().write(&taken, "report"), Err(Error::Write { .. })));
}
