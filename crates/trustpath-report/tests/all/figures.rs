//! Every figure is well-formed even if names contain markup or values are not finite.

use trustpath_report::*;

const HOSTILE: &str = "<script>alert('x')</script> & \"quoted\" ]]> \u{0}\u{1b}[2J 猫 ‖γ‖";

/// Values that break careless code.
#[rustfmt::skip]
const AWKWARD: [f64; 12] = [
    f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1.0, 1e300, -1e300, 1e-320, 1e15, 1e15 + 1.0,
];

/// The SVG parses, holds no foreign element, and the PNG has the same size.
fn check(figure: &Figure) {
    let svg = figure.svg();
    let tree = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    for node in tree.descendants().filter(|n| n.is_element()) {
        let name = node.tag_name().name();
        let known = ["svg", "title", "desc", "rect", "circle", "path", "text", "image"];
        assert!(known.contains(&name), "unknown element {name}");
        for attribute in ["x", "y", "cx", "cy", "width", "height", "r"] {
            if let Some(value) = node.attribute(attribute) {
                let number: f64 = value.parse().unwrap();
                assert!(number.abs() < 1e5, "{attribute} = {value} of {name}");
            }
        }
        if let Some(d) = node.attribute("d") {
            assert!(!d.contains("NaN") && !d.contains("inf"), "{d}");
        }
    }
    // Small, because there are thousands of them.
    let png = figure.png(0.2).unwrap();
    let size = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    let side = |name: &str| tree.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
    let expected = ["width", "height"].map(|name| (0.2 * side(name)).round());
    assert_eq!([size(16), size(20)], expected);
}

fn axes() -> Vec<Axis> {
    let axis = Axis::new(HOSTILE).unit("%");
    vec![axis.clone(), axis.clone().log(), axis.clone().whole(), axis.range(0.5, 2.0)]
}

/// Checks that the figure is either well-formed or refused with a message.
fn drawn_or_refused(figure: Result<Figure>) -> bool {
    match &figure {
        Ok(figure) => check(figure),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    figure.is_ok()
}

/// All pairs of awkward values, and all of them together.
fn awkward_lists() -> Vec<Vec<f64>> {
    let mut lists: Vec<Vec<f64>> = AWKWARD.iter().flat_map(|a| AWKWARD.iter().map(|b| vec![*a, *b])).collect();
    lists.push(AWKWARD.to_vec());
    lists.push(Vec::new());
    lists
}

fn curves(values: &[f64], x: Axis, y: Axis, interval: Interval) -> Result<Figure> {
    let point = |(i, v): (usize, &f64)| CurvePoint { x: *v, y: values[values.len() - 1 - i], error: *v };
    let points = values.iter().enumerate().map(point).collect();
    let curves = vec![Curve { name: HOSTILE.into(), points }, Curve::default()];
    Curves { title: HOSTILE.into(), subtitle: HOSTILE.into(), x, y, curves, interval }.figure()
}

/// Draws a figure for every list of awkward values and every kind of axis; returns how many were drawn.
fn survives(draw: impl Fn(&[f64], Axis) -> Result<Figure>) -> usize {
    let lists = awkward_lists();
    let cases = lists.iter().flat_map(|values| axes().into_iter().map(move |axis| (values, axis)));
    cases.filter(|(values, axis)| drawn_or_refused(draw(values, axis.clone()))).count()
}

#[test]
fn curves_survive_awkward_values() {
    for interval in [Interval::Band, Interval::Bars] {
        let drawn = survives(|values, axis| curves(values, axis.clone(), axis, interval));
        assert!(drawn > 100, "only {drawn} were drawn");
    }
}

#[test]
fn paths_scatters_and_bars_survive_awkward_values() {
    survives(|values, x| {
        let line = |correct, accepted| PathLine { norms: values.to_vec(), correct, accepted };
        let lambdas = values.iter().rev().copied().collect();
        let lines = vec![line(true, true), line(false, false), line(false, true)];
        PathPlot { title: HOSTILE.into(), x, lambdas, lines, ..PathPlot::default() }.figure()
    });
    survives(|values, axis| {
        let point = |&v: &f64| ScatterPoint { label: HOSTILE.into(), x: v, y: values[0] };
        let points = values.iter().map(point).collect();
        let groups = vec![ScatterGroup { name: HOSTILE.into(), points }];
        let (title, x, y) = (HOSTILE.into(), axis.clone(), axis);
        Scatter { title, x, y, groups, diagonal: true, ..Scatter::default() }.figure()
    });
    survives(|values, y| {
        let bars = values.iter().map(|v| Bar { value: *v, error: values[0] }).collect();
        let series = vec![BarSeries { name: HOSTILE.into(), bars }; 2];
        let (title, groups) = (HOSTILE.into(), vec![HOSTILE.to_owned(); values.len()]);
        Bars { title, y, groups, series, decimals: Some(2), ..Bars::default() }.figure()
    });
}

#[test]
fn histograms_survive_awkward_values() {
    survives(|values, x| {
        let points = values.iter().map(|v| (*v, *v)).collect();
        let density = Density { name: HOSTILE.into(), points };
        let (y, bins) = (x.clone(), Bins::of(values));
        Histogram { x, y, bins, density, ..Histogram::default() }.figure()
    });
    for values in awkward_lists() {
        for width in &values {
            let bins = Bins { low: values[0], width: *width, counts: vec![0, u64::MAX, 1] };
            drawn_or_refused(Histogram { bins, ..Histogram::default() }.figure());
        }
    }
}

#[test]
fn an_episode_of_any_size_is_drawn() {
    let image = Image::new(84, 60, vec![90; 84 * 60 * 3]).unwrap();
    for (classes, rounds, images) in [(1, 1, 0), (5, 3, 5), (3, 11, 40), (60, 2, 1)] {
        let cell = EpisodeCell {
            right: Selected::Images(vec![image.clone(); images]),
            wrong: Selected::Count(images),
            note: HOSTILE.into(),
        };
        let round = EpisodeRound { name: HOSTILE.into(), note: HOSTILE.into(), cells: vec![cell; classes] };
        let grid = EpisodeGrid {
            title: HOSTILE.into(),
            classes: vec![HOSTILE.into(); classes],
            rounds: vec![round; rounds],
            ..EpisodeGrid::default()
        };
        let figure = grid.figure().unwrap();
        check(&figure);
        let shown = figure.svg().matches("<image ").count();
        assert_eq!(shown, classes * rounds * images.min(20));
    }
}

#[test]
fn names_are_shown_unchanged() {
    let curve = |name: &str| Curve {
        name: name.into(),
        points: [0.0, 1.0].map(|x| CurvePoint { x, y: x + 1.0, error: 0.0 }).to_vec(),
    };
    let names = ["a < b & c", "\"q\" 'p'"];
    let plot = Curves { curves: names.map(curve).to_vec(), ..Curves::default() };
    let svg = plot.figure().unwrap().svg();
    let tree = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = tree.descendants().filter_map(|n| n.text()).collect();
    assert!(names.iter().all(|name| texts.contains(name)), "{texts:?}");
}

#[test]
fn figures_are_the_same_every_time() {
    let draw = || curves(&[1.0, 2.0, 5.0], Axis::new("x"), Axis::new("y"), Interval::Band).unwrap();
    assert_eq!(draw().svg(), draw().svg());
    assert_eq!(draw().png(2.0).unwrap(), draw().png(2.0).unwrap());
}
